"""Questions of the permission gate, asked in the terminal."""

from __future__ import annotations

from motet.cli.keys import EndOfInput, Keyboard
from motet.cli.terminal import Terminal
from motet.cli.wrap import Span
from motet.permissions import Action, Answer, Ask, Effect

_ANSWERS = {"y": Answer.PROJECT, "o": Answer.ONCE, "n": Answer.NO}
_HANG = 12


_FOR_ONE_WRITE = "Write it this once? [y]es, [n]o:"
_IN_GENERAL = "Allow it? [y]es for this project, [o]nce, [n]o:"
_PROTECTED = "a protected place"


def ask_in_terminal(terminal: Terminal, keyboard: Keyboard, *, asker: str = "") -> Ask:
    """An `Ask` that shows the whole action and reads one key; Ctrl-D is a no. `asker`: who wants it, if it is not the
    origin that the action names. A yes to a write is for this once."""

    async def ask(action: Action) -> Answer:
        terminal.line(always=True)
        for spans in _question(action, asker or f"the {action.origin}"):
            terminal.spans(*spans, hang=_HANG, always=True)
        keyboard.forget()
        key = ""
        while key not in _ANSWERS:
            terminal.ask(_FOR_ONE_WRITE if action.effect is Effect.WRITE else _IN_GENERAL)
            try:
                key = await keyboard.key(terminal.ask_again)
            except EndOfInput:
                key = "n"
            terminal.answered(key)
        return _ANSWERS[key]

    return ask


def _question(action: Action, asker: str) -> list[list[Span]]:
    match action.effect:
        case Effect.SEND:
            provider, _, host = action.subject.partition(" ")
            rows = {"provider": provider, "host": host, "sent": action.detail}
            head = "Code of this project is about to leave this machine for the first time."
        case Effect.WRITE:
            rows = {"file": action.subject, "because": action.detail if action.detail != _PROTECTED else ""}
            head = f"A write to {_PROTECTED}, asked for by {asker}."
        case _:
            rows = {action.effect.value: action.subject, "because": action.detail}
            head = f"Something is about to happen outside motet, asked for by {asker}."
    shown = [[(f"  {name + ':':<10}", "dim"), (text, "")] for name, text in rows.items() if text]
    return [[(head, "bold")], *shown]

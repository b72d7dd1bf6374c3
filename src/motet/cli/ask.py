"""Questions of the permission gate, asked in the terminal."""

from __future__ import annotations

from motet.cli.keys import EndOfInput, Keyboard
from motet.cli.terminal import Terminal
from motet.cli.wrap import Span
from motet.permissions import Action, Answer, Ask, Effect

_ANSWERS = {"y": Answer.PROJECT, "o": Answer.ONCE, "n": Answer.NO}
_HANG = 12


def ask_in_terminal(terminal: Terminal, keyboard: Keyboard) -> Ask:
    """An `Ask` that shows the whole action and reads one key; Ctrl-D is a no."""

    async def ask(action: Action) -> Answer:
        terminal.line(always=True)
        for spans in _question(action):
            terminal.spans(*spans, hang=_HANG, always=True)
        keyboard.forget()
        key = ""
        while key not in _ANSWERS:
            terminal.ask("Allow it? [y]es for this project, [o]nce, [n]o:")
            try:
                key = await keyboard.key(terminal.ask_again)
            except EndOfInput:
                key = "n"
            terminal.answered(key)
        return _ANSWERS[key]

    return ask


def _question(action: Action) -> list[list[Span]]:
    match action.effect:
        case Effect.SEND:
            provider, _, host = action.subject.partition(" ")
            rows = {"provider": provider, "host": host, "sent": action.detail}
            head = "Code of this project is about to leave this machine for the first time."
        case Effect.WRITE:
            rows = {"file": action.subject, "because": action.detail}
            head = f"A write to a protected place, asked for by the {action.origin}."
        case _:
            rows = {action.effect.value: action.subject, "because": action.detail}
            head = f"Something is about to happen outside motet, asked for by the {action.origin}."
    shown = [[(f"  {name + ':':<10}", "dim"), (text, "")] for name, text in rows.items() if text]
    return [[(head, "bold")], *shown]

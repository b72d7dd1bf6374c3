"""Questions of the permission gate, asked in the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from motet.cli.keys import EndOfInput, Keyboard
from motet.cli.terminal import Terminal
from motet.permissions import Action, Answer, Ask, Denial, Effect
from motet.permissions.question import AskedQuestion, Row, choices, question

_HANG = 12
_VIEW = "v"
_REASON = "r"

_FOR_ONE_WRITE = {"y": ("[y]es", Answer.ONCE)}
_TO_SEND = {"y": ("[y]es for this project", Answer.PROJECT), "o": ("[o]nce", Answer.CHAT)}
_IN_GENERAL = {
    "o": ("[o]nce", Answer.ONCE),
    "c": ("[c]hat", Answer.CHAT),
    "p": ("[p]roject", Answer.PROJECT),
    "a": ("[a]lways", Answer.ALWAYS),
}


def ask_in_terminal(terminal: Terminal, keyboard: Keyboard, *, asker: str = "") -> Ask:
    """An `Ask` that shows the whole action and reads one key; Ctrl-D is a no. `asker`: who wants it, if it is not the
    origin that the action names. What is too long for one look is shown in full at a key."""

    async def ask(action: Action) -> Answer | Denial:
        asked = question(action, asker)
        _show(terminal, asked, asked.brief)
        keys, prompt = _keys(action), _prompt(action, asked)
        keyboard.forget()
        while True:
            terminal.ask(prompt)
            try:
                key = await keyboard.key(terminal.ask_again)
            except EndOfInput:
                key = "n"
            terminal.answered(key)
            if key in keys:
                return keys[key][1]
            if key == "n":
                return Answer.NO
            if key == _VIEW and asked.is_long:
                _show(terminal, asked, asked.rows)
            if key == _REASON and _takes_reason(action):
                return await _reason(terminal, keyboard)

    return ask


async def _reason(terminal: Terminal, keyboard: Keyboard) -> Answer | Denial:
    terminal.ask("The reason, for the model:")
    try:
        reason = (await keyboard.line(terminal.typed)).strip()
    except EndOfInput:
        terminal.answered()
        return Answer.NO
    terminal.line_typed()
    return Denial(reason) if reason else Answer.NO


def _keys(action: Action) -> Mapping[str, tuple[str, Answer]]:
    """By key, what the prompt says and what it answers."""
    match action.effect:
        case Effect.SEND:
            return _TO_SEND
        case Effect.WRITE if choices(action) == (Answer.ONCE,):
            return _FOR_ONE_WRITE
        case _:
            offered = choices(action)
            return {key: value for key, value in _IN_GENERAL.items() if value[1] in offered}


def _prompt(action: Action, asked: AskedQuestion) -> str:
    words = [text for text, _ in _keys(action).values()] + ["[n]o"]
    if _takes_reason(action):
        words.append("no with [r]eason")
    if asked.is_long:
        words.append("[v]iew")
    verb = "Write it this once?" if _keys(action) is _FOR_ONE_WRITE else "Allow it?"
    return f"{verb} {', '.join(words)}:"


def _takes_reason(action: Action) -> bool:
    """Whether somebody hears the reason: a question about a provider or a protected place ends the matter."""
    return action.effect not in (Effect.SEND, Effect.WRITE)


def _show(terminal: Terminal, asked: AskedQuestion, rows: Sequence[Row]) -> None:
    terminal.line(always=True)
    terminal.spans((asked.head, "bold"), hang=_HANG, always=True)
    for row in rows:
        label = f"  {row.label + ':':<10}" if row.label else " " * _HANG
        terminal.spans((label, "dim"), (row.text, ""), hang=_HANG, always=True)

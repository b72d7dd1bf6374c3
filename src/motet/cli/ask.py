"""Questions of the permission gate, asked in the terminal."""

from __future__ import annotations

from motet.cli.keys import EndOfInput, read_key
from motet.cli.terminal import Terminal
from motet.permissions import Action, Answer, Ask, Effect


def ask_in_terminal(terminal: Terminal) -> Ask:
    """An `Ask` that shows the whole action and reads one key."""

    async def ask(action: Action) -> Answer:
        terminal.line(always=True)
        for line in _question(action):
            terminal.line(line, always=True)
        while True:
            terminal.prompt("Allow it? [y]es for this project, [o]nce, [n]o: ")
            try:
                key = await read_key()
            except EndOfInput:
                key = "n"
            terminal.answered(key)
            match key:
                case "y":
                    return Answer.PROJECT
                case "o":
                    return Answer.ONCE
                case "n":
                    return Answer.NO
                case _:
                    continue

    return ask


def _question(action: Action) -> list[str]:
    match action.effect:
        case Effect.SEND:
            provider, _, host = action.subject.partition(" ")
            return [
                "Code of this project is about to leave this machine for the first time.",
                f"  provider: {provider}",
                f"  host:     {host}",
                f"  sent:     {action.detail}",
            ]
        case Effect.WRITE:
            return [f"A write to a protected place, asked for by a {action.origin}:", f"  file: {action.subject}"]
        case _:
            return [f"{action.effect}, asked for by a {action.origin}:", f"  {action.subject}", f"  {action.detail}"]

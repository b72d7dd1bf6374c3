"""One question of the gate and nothing else, as a program: `python -m permissions.ask_alone ACTION…`.

Each ACTION is JSON: the fields of an `Action`. Prints the answers, each on a line, when all are given.
"""

from __future__ import annotations

import asyncio
import json
import sys

from motet.cli.ask import ask_in_terminal
from motet.cli.keys import Keyboard
from motet.cli.terminal import Terminal
from motet.permissions import Action, Effect, Origin


async def main(*texts: str) -> None:
    ask = ask_in_terminal(Terminal(), Keyboard())
    answers = []
    for text in texts:
        fields = json.loads(text)
        fields |= {"effect": Effect(fields["effect"]), "origin": Origin(fields["origin"])}
        answers.append(await ask(Action(**{**fields, "argv": tuple(fields.get("argv", ()))})))
    for answer in answers:
        print(repr(answer))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))

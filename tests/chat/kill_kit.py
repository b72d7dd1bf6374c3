"""A process that talks in a chat, kills itself before a statement of the store, or has no room left on its disk."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

from chat.chat_kit import Talk, talking
from chat.test_stack_rules import working
from history import history_kit

from motet.chat import ChatEvent, Ended, Sent
from motet.errors import MotetError

TESTS = Path(__file__).resolve().parent.parent


def run(place: Path, dialect: str, how: str, number: int) -> tuple[list[str], bool]:
    """What the process acknowledged, a line each, and whether it was killed."""
    environ = {**os.environ, "PYTHONPATH": str(TESTS)}
    program = [sys.executable, __file__, str(place), dialect, how, str(number)]
    done = subprocess.run(program, capture_output=True, text=True, timeout=60, env=environ)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.stdout.splitlines(), done.returncode != 0


def _say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


async def _turn(talk: Talk, text: str) -> None:
    def heard(event: ChatEvent) -> None:
        match event:
            case Sent():
                _say(f"sent {text}")
            case Ended(reason=reason):
                _say(f"{reason} {text}")
            case _:
                pass

    try:
        await talk.hear(talk.chat.send(text), heard)
    except MotetError as error:
        assert "\n" not in str(error)
        _say(f"refused {text}")


async def _run(place: Path, dialect: str, how: str, number: int) -> None:
    if how == "statement":
        history_kit._kill_before_statement(number)
    async with talking(place, working, dialect, tools=["files"]) as talk:
        (talk.root / "a.py").write_text("one = 1\n")
        await _turn(talk, "question 1")
        if how == "full":
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            room = max(path.stat().st_size for path in (place / "state").iterdir() if path.is_file()) + number
            hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
            await _turn(talk, f"question 2 {'long ' * 400}")
            await _turn(talk, "question 3")
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        await _turn(talk, "question 4")


if __name__ == "__main__":
    asyncio.run(_run(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])))

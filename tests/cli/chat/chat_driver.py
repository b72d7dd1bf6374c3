"""A program that does nothing but read texts with `EditorLine` and say what it got, for tests in a terminal.

python chat_driver.py STATE [vi] [crash] [ahead] [plain] [draft TEXT]
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from motet.chat.meter import Meter
from motet.cli.chat.editor_line import EditorLine
from motet.cli.chat.input_history import InputHistory
from motet.cli.chat.meter import status_line
from motet.cli.chat.plain_line import PlainLine
from motet.cli.chat.screen import ChatScreen
from motet.cli.chat.terminal import ChatTerminal
from motet.cli.chat.typed_ahead import TypedAhead
from motet.cli.interrupts import Interrupts
from motet.cli.keys import EndOfInput, Keyboard
from motet.context.complete import Known, Name
from motet.context.paths import Files

MODELS = (Name("anthropic/claude-sonnet-4-5", "key in the environment"), Name("offline", "built in"))
KNOWN = Known(
    variables=(Name("buffer", "the text of an open file"), Name("diagnostics", "problems of the files shared")),
    tools=(Name("editor", "edit files, with review"), Name("files", "create, move and delete files")),
    commands=(
        Name("help", "what can be done here"),
        Name("model", "answer with another model", "NAME", values=MODELS),
        Name("file", "share a file", "PATH", takes_files=True),
    ),
    files=Files(lambda: PATHS),
)
PATHS = ("src/app.py", "src/errors.py", "docs/日本語.md", "README.md")


async def main() -> int:
    state, options = Path(sys.argv[1]), sys.argv[2:]
    terminal, interrupts = ChatTerminal(), Interrupts()
    drafts = state / "drafts"

    def status(columns: int) -> str:
        if "crash" in options and drafts.exists():
            raise ZeroDivisionError("a bug")
        return status_line("offline", Meter(12_400, 200_000, "$0.03"), ("ready",), columns)

    def note(text: str) -> None:
        with drafts.open("a") as file:
            file.write(f"{text!r}\n")

    line: EditorLine | PlainLine
    if "plain" in options:
        line = PlainLine(terminal, Keyboard())
    else:
        line = EditorLine(
            InputHistory(state / "history"), lambda: KNOWN, status=status, on_draft=note,
            in_editor=interrupts.held, vi="vi" in options, colour=terminal.colour, on_trouble=terminal.line,
        )  # fmt: skip
    draft = options[options.index("draft") + 1] if "draft" in options else ""
    with interrupts.installed():
        while True:
            try:
                text = await line.read(draft)
            except EndOfInput:
                terminal.line("left")
                return 0
            terminal.line(f"sent: {text!r}")
            draft = await work(terminal) if "ahead" in options else ""


async def work(terminal: ChatTerminal) -> str:
    """A turn that ends when something is said that ends with a full stop."""
    done = asyncio.Event()
    screen = ChatScreen(terminal, "offline")

    def say(text: str) -> None:
        terminal.line(f"said: {text!r}")
        if text.endswith("."):
            done.set()

    ahead = TypedAhead(say, screen.typed, terminal.control)
    with ahead.listening():
        terminal.line("working")
        ticking = asyncio.create_task(_tick(terminal))
        await done.wait()
        ticking.cancel()
    terminal.fresh_line()
    return ahead.take()


async def _tick(terminal: ChatTerminal) -> None:
    while True:
        await asyncio.sleep(0.02)
        terminal.tick()


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(main()))
    except ZeroDivisionError:
        print("crashed", file=sys.stderr)
        sys.exit(70)

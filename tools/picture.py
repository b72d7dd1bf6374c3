"""`docs/fix.svg`: what a review in the terminal looks like, drawn from a real run in a real terminal.

    .venv/bin/python tools/picture.py

Plays the start of a review of the C example: what the model says, two hunks, the question. Needs the test tools.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import tempfile
from pathlib import Path

import pexpect
import pyte
from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.style import Style
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "fix.svg"
COLUMNS, LINES = 100, 40
KEYS = ("y",)
_FONT_FACES = re.compile(r"@font-face \{\{.*?\}\}\s*", re.DOTALL)


def main() -> None:
    screen = pyte.Screen(COLUMNS, LINES)
    stream = pyte.Stream(screen)
    with tempfile.TemporaryDirectory() as home:
        project = Path(home) / "examples"
        shutil.copytree(ROOT / "examples", project)
        stream.feed(play(home, project))
    PICTURE.write_text(drawn(screen), "utf-8")
    print(f"wrote {PICTURE.relative_to(ROOT)}")


def play(home: str, project: Path) -> str:
    """Everything that the terminal receives until the last key's answer."""
    places = {f"XDG_{name}_HOME": f"{home}/{name.lower()}" for name in ("CONFIG", "STATE", "CACHE", "DATA")}
    environment = {**os.environ, **places, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    environment.pop("NO_COLOR", None)
    log = io.StringIO()
    motet = str(ROOT / ".venv" / "bin" / "motet")
    child = pexpect.spawn(
        motet, ["fix", "c", "--model", "offline"], cwd=str(project), env=environment,
        dimensions=(LINES, COLUMNS), encoding="utf-8", timeout=60,
    )  # fmt: skip
    child.logfile_read = log
    for key in KEYS:
        child.expect(r"\?\]\x1b\[0m ")
        child.send(key)
    child.expect(r"\?\]\x1b\[0m ")
    text = log.getvalue()
    child.sendintr()
    child.expect(pexpect.EOF)
    return text


def drawn(screen: pyte.Screen) -> str:
    """The screen as SVG, without fonts from elsewhere."""
    console = Console(width=COLUMNS, record=True, file=io.StringIO(), force_terminal=True)
    last = max(row for row in range(LINES) if screen.display[row].strip())
    for row in range(last + 1):
        console.print(_line(screen, row), end="\n", soft_wrap=True)
    form = _FONT_FACES.sub("", CONSOLE_SVG_FORMAT).replace("Fira Code, monospace", "monospace")
    return console.export_svg(title="motet fix", code_format=form, unique_id="motet")


def _line(screen: pyte.Screen, row: int) -> Text:
    text = Text()
    for column in range(COLUMNS):
        cell = screen.buffer[row][column]
        colour = {"default": None, "brown": "yellow"}.get(cell.fg, cell.fg)
        if colour and re.fullmatch(r"[0-9a-f]{6}", colour):
            colour = f"#{colour}"
        text.append(cell.data, Style(color=colour, bold=cell.bold, italic=cell.italics))
    text.rstrip()
    return text


if __name__ == "__main__":
    main()

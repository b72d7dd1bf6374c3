"""What drawing an answer in the chat costs: CPU for each token of about four characters, on a terminal.

    python bench/chat_draw.py [--tokens N]

The answer (prose, lists, code, a table, Japanese) is drawn in colour at 80 columns on a pseudo terminal that another
thread empties; the CPU time is that of the drawing thread alone.
"""

from __future__ import annotations

import argparse
import os
import pty
import sys
import threading
import time

from motet.cli.chat.markdown_stream import MarkdownStream
from motet.cli.chat.terminal import ChatTerminal

PROSE = (
    "## How it works\n\nThe **loader** reads `settings.toml` and then asks the *catalog* for a model; see "
    "[the guide](https://example.org/guide) for what happens when none answers, which is seldom.\n\n"
    "- first it looks at the environment\n- then at local servers, one after the other, until one says yes\n\n"
)
CODE = (
    '```python\ndef load(path: Path) -> Settings:\n    """Read settings."""\n    with path.open("rb") as file:\n'
    "        data = tomllib.load(file)  # may raise\n    return Settings(**data, count=len(data) + 1)\n```\n\n"
)
TABLE = "| name | what | size |\n|---|---|--:|\n| one | the first `thing` | 12 |\n| two | the second | 345 |\n\n"
JAPANESE = "設定を読み込んでから、**モデル**に質問します。`load` は例外を投げることがあります。\n\n"
KINDS = {"prose": PROSE, "code": CODE, "table": TABLE, "japanese": JAPANESE, "mixed": PROSE + CODE + TABLE + JAPANESE}


def cost(text: str, tokens: int, *, styled: bool = True) -> float:
    """Microseconds of CPU for each piece of four characters."""
    whole = text * (4 * tokens // len(text) + 1)
    pieces = [whole[at : at + 4] for at in range(0, 4 * tokens, 4)]
    ours, theirs = pty.openpty()
    threading.Thread(target=_empty, args=(ours,), daemon=True).start()
    with os.fdopen(theirs, "w", encoding="utf-8") as file:
        terminal, stream = ChatTerminal(file), MarkdownStream(styled=styled)
        terminal.draw(stream.add("```python\nx = 1\n```\n", 80))  # what is loaded once does not count
        begin = time.thread_time()
        for piece in pieces:
            terminal.draw(stream.add(piece, terminal.width))
        terminal.draw(stream.end(terminal.width))
        return 1e6 * (time.thread_time() - begin) / len(pieces)


def _empty(descriptor: int) -> None:
    try:
        while os.read(descriptor, 65536):
            pass
    except OSError:
        return  # the other end is closed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=20_000)
    tokens: int = parser.parse_args().tokens
    os.environ["TERM"] = "xterm-256color"
    for name, text in KINDS.items():
        print(f"{name:10} {cost(text, tokens):6.1f} µs")
    print(f"{'plain':10} {cost(KINDS['mixed'], tokens, styled=False):6.1f} µs")
    return 0


if __name__ == "__main__":
    sys.exit(main())

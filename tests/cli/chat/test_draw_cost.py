"""What drawing costs: 100 µs of CPU for each token of about four characters, where the machine is quiet. Elsewhere the
calls that it takes are counted: they are the same on every machine."""

from __future__ import annotations

import io
import sys
import time
from types import FrameType

import pytest

from motet.cli.chat.markdown_stream import MarkdownStream
from motet.cli.chat.terminal import ChatTerminal

ANSWER = (
    "## How it works\n\nThe **loader** reads `settings.toml`; see [the guide](https://example.org/guide) for more.\n\n"
    "- first the environment\n- then local servers\n\n```python\ndef load(path: Path) -> Settings:\n"
    '    with path.open("rb") as file:  # may raise\n        return Settings(**tomllib.load(file))\n```\n\n'
    "| name | size |\n|---|--:|\n| one `a` | 12 |\n\n設定を読み込んでから、**モデル**に質問します。\n\n"
)


class _Sink(io.StringIO):
    """A terminal that nobody looks at."""

    def isatty(self) -> bool:
        return True


def microseconds(text: str, monkeypatch: pytest.MonkeyPatch) -> float:
    """CPU for each piece of four characters, drawn in colour at 80 columns."""
    monkeypatch.setenv("TERM", "xterm-256color")
    pieces = [text[at : at + 4] for at in range(0, len(text), 4)]
    terminal, stream = ChatTerminal(_Sink()), MarkdownStream(styled=True)
    terminal.draw(stream.add("```python\nx = 1\n```\n", 80))  # what is loaded once does not count
    begin = time.thread_time()
    for piece in pieces:
        terminal.draw(stream.add(piece, terminal.width))
    terminal.draw(stream.end(terminal.width))
    return 1e6 * (time.thread_time() - begin) / len(pieces)


def calls(text: str, monkeypatch: pytest.MonkeyPatch) -> float:
    """Calls of functions, Python's own too, for each piece of four characters."""
    count = 0

    def heard(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(heard)
    try:
        microseconds(text, monkeypatch)
    finally:
        sys.setprofile(before)
    return count / (len(text) / 4)


def test_a_token_costs_few_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    microseconds(ANSWER, monkeypatch)  # what is loaded once does not count
    print(f"{calls(ANSWER * 10, monkeypatch):.0f}, {microseconds(ANSWER * 40, monkeypatch):.0f} µs")
    assert calls(ANSWER * 10, monkeypatch) < 250


@pytest.mark.parametrize(
    "text",
    ["*a ", "**a *b ", "[", "[a](", "`a ", "|", "| a | b |\n", "- ", "> ", "<a:", "漢", "👩\u200d", "a\u0301", "\\", "\n", "a"],
)  # fmt: skip
def test_no_text_makes_it_much_dearer(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = (
        min(microseconds(text * (size // len(text)), monkeypatch) for _ in range(3)) for size in (4_000, 40_000)
    )
    assert many < 5 * few + 50
    assert calls(text * (4_000 // len(text)), monkeypatch) < 2500

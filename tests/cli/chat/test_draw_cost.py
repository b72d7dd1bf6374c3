"""What drawing costs: the bar is 100 µs of CPU for each token of about four characters."""

from __future__ import annotations

import io
import time

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


def test_a_token_costs_less_than_a_hundred_microseconds(monkeypatch: pytest.MonkeyPatch) -> None:
    assert microseconds(ANSWER * 40, monkeypatch) < 100


@pytest.mark.parametrize(
    "text",
    ["*a ", "**a *b ", "[", "[a](", "`a ", "|", "| a | b |\n", "- ", "> ", "<a:", "漢", "👩\u200d", "a\u0301", "\\", "\n", "a"],
)  # fmt: skip
def test_no_text_makes_it_much_dearer(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = (microseconds(text * (size // len(text)), monkeypatch) for size in (4_000, 40_000))
    assert many < 500
    assert many < 4 * few + 20

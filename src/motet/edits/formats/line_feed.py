"""Text that arrives in pieces, as lines."""

from __future__ import annotations


class LineFeed:
    """Cuts a text that comes in pieces into lines without their ends (LF or CR LF), in linear time."""

    def __init__(self) -> None:
        self._rest: list[str] = []

    def feed(self, text: str) -> list[str]:
        """The lines that `text` completes."""
        if "\n" not in text:
            self._rest.append(text)
            return []
        lines = ("".join(self._rest) + text).split("\n")
        self._rest = [lines.pop()]
        return [line.removesuffix("\r") for line in lines]

    def end(self) -> list[str]:
        """The last line, when it has no end."""
        rest, self._rest = "".join(self._rest), []
        return [rest.removesuffix("\r")] if rest else []

"""Server-sent events, as far as providers use them: bytes → the data of each event. No I/O.

https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream. Names, ids and comments of events
are passed over: all that is said stands in the data.
"""

from __future__ import annotations

import codecs

from motet.errors import ModelErrorKind
from motet.models.providers.dialect import AnswerFault


class EventReader:
    """One stream of events. What is no UTF-8 becomes U+FFFD; an event without its end at the end of the stream is none."""

    def __init__(self, limit: int) -> None:
        """`limit`: characters that an event may have."""
        self._limit = limit
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
        self._after_cr = False
        self._line: list[str] = []  # the pieces of a line without its end
        self._data: list[str] = []  # the lines of an event without its end
        self._size = 0

    def feed(self, chunk: bytes) -> list[str]:
        """The data of the events that `chunk` ends; those without any are left out. Raises `AnswerFault`."""
        text = self._decode(chunk)
        if self._after_cr or "\r" in text:
            text = self._with_line_feeds(text)
        if "\n" not in text:
            self._keep(text)
            return []
        lines = text.split("\n")
        if self._line:
            lines[0] = "".join([*self._line, lines[0]])
            self._size -= sum(map(len, self._line))
            self._line.clear()
        last = lines.pop()
        found: list[str] = []
        data = self._data
        for line in lines:
            if not line:
                if data and (whole := data[0] if len(data) == 1 else "\n".join(data)):
                    found.append(whole)
                data.clear()
                self._size = 0
            elif line.startswith("data:"):
                data.append(line[6:] if line.startswith(" ", 5) else line[5:])
                self._require_room(len(line))
        self._keep(last)
        return found

    def _keep(self, text: str) -> None:
        if text:
            self._line.append(text)
            self._require_room(len(text))

    def _require_room(self, more: int) -> None:
        self._size += more
        if self._size > self._limit:
            raise AnswerFault(ModelErrorKind.BAD_RESPONSE, f"an event of more than {self._limit >> 10} KiB")

    def _with_line_feeds(self, text: str) -> str:
        """`text` with LF for each CR LF and CR, be they cut by the end of a chunk."""
        if self._after_cr and text:
            self._after_cr, text = False, text.removeprefix("\n")
        if text:
            self._after_cr = text.endswith("\r")
        return text.replace("\r\n", "\n").replace("\r", "\n")

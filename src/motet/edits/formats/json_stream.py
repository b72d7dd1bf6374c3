"""JSON as it arrives: the arguments of a tool call, in pieces of any size, read in time linear in their length.

Syntax: RFC 8259. Habits of models whose meaning is certain are taken as well: text or a fence around the object, a
comma before a closing bracket, line ends and tabs as they are inside strings, `True`, `False`, `None`. What is not
certain is refused: a key given twice, an unknown escape, half a surrogate pair, a second object.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from motet.edits.formats.json_value import Json, JsonDone, JsonEvent, JsonText, KeyPath, read_scalar
from motet.errors import EditFormatError

_DEEPEST = 64
_LONGEST_TOKEN = 400

_RUN = re.compile(r'[^"\\]*')
_SPACE = re.compile(r"[ \t\r\n]*")
_TOKEN = re.compile(r"[^\s,:\[\]{}\"]*")
_HEX = re.compile(r"[0-9A-Fa-f]{4}")
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


@dataclass(slots=True)
class _Container:
    """An object or list that is still open. `key`: the key whose value comes next."""

    value: dict[str, Json] | list[Json]
    path: KeyPath
    line: int
    key: str = ""


class JsonReader:
    """Reads one object. `feed` gives what a piece completes: the text of string values as soon as it is there, and
    every value, the objects and lists too, when it ends. Raises `EditFormatError` with the 1-based line.

    `is_in_string`: the next character belongs to a string or key and means itself, unless it is `"` or a backslash.
    """

    def __init__(self) -> None:
        self.is_in_string = False
        self._step: Callable[[str, int], int] = self._before
        self._open: list[_Container] = []
        self._events: list[JsonEvent] = []
        self._parts: list[str] = []
        self._given = 0
        self._word = ""
        self._high = ""
        self._mark = (1, 0)
        self._is_key = False
        self._path: KeyPath = ()
        self._begins = 1
        self._line = 1
        self._counted = 0
        self._offset = 0

    @property
    def is_done(self) -> bool:
        """Whether the outermost object is complete."""
        return self._step == self._after

    def feed(self, chunk: str) -> list[JsonEvent]:
        """What `chunk` completes."""
        if self.is_in_string and not self._is_key and '"' not in chunk and "\\" not in chunk:
            return self._feed_text(chunk)
        return list(self.events(chunk))

    def events(self, chunk: str) -> Iterator[JsonEvent]:
        """What `chunk` completes, one by one: all that comes before an error is given before it is raised."""
        position, size = 0, len(chunk)
        try:
            while position < size:
                position = self._step(chunk, position)
                if self._events:
                    yield from self._take_events()
        except EditFormatError:
            self._give_text()
            yield from self._take_events()
            raise
        self._give_text()
        if "\n" in chunk:
            self._line_at(chunk, size)
        self._counted = 0
        self._offset += size
        self.is_in_string = self._step == self._string
        if self._events:
            yield from self._take_events()

    def _feed_text(self, chunk: str) -> list[JsonEvent]:
        """The way for most of what arrives character by character: characters of a string that mean themselves."""
        if not chunk:
            return []
        self._parts.append(chunk)
        self._given += 1
        self._offset += len(chunk)
        if "\n" in chunk:
            self._line += chunk.count("\n")
        return [JsonText(self._path, chunk)]

    def end(self) -> None:
        """The text is over. Raises `EditFormatError` when the object is not."""
        if self._step == self._before:
            raise EditFormatError("line 1: the arguments hold no JSON object", 1)
        if not self.is_done:
            raise self._error("the JSON ends before its object does", "", 0)

    # What may come next. Each takes the piece and a position in it, and gives the position behind what it took.

    def _before(self, chunk: str, at: int) -> int:
        found = chunk.find("{", at)
        return len(chunk) if found < 0 else self._begin(chunk, found)

    def _value(self, chunk: str, at: int) -> int:
        at = _skip(chunk, at)
        if at == len(chunk):
            return at
        container = self._open[-1]
        key = len(container.value) if isinstance(container.value, list) else container.key
        self._path = (*container.path, key)
        self._begins = self._line_at(chunk, at)
        match chunk[at]:
            case '"':
                return self._begin_string(at, is_key=False)
            case "{" | "[":
                return self._begin(chunk, at)
            case "]" if isinstance(container.value, list):
                return self._close(chunk, at)
            case _:
                self._word = ""
                self._set_mark(chunk, at)
                self._step = self._token
                return at

    def _key(self, chunk: str, at: int) -> int:
        at = _skip(chunk, at)
        if at == len(chunk):
            return at
        match chunk[at]:
            case '"':
                return self._begin_string(at, is_key=True)
            case "}":
                return self._close(chunk, at)
            case _:
                raise self._error("a key in double quotes is expected", chunk, at)

    def _colon(self, chunk: str, at: int) -> int:
        at = _skip(chunk, at)
        if at < len(chunk):
            if chunk[at] != ":":
                raise self._error("a colon is expected behind the key", chunk, at)
            self._step = self._value
            at += 1
        return at

    def _comma(self, chunk: str, at: int) -> int:
        at = _skip(chunk, at)
        if at == len(chunk):
            return at
        if chunk[at] != ",":
            return self._close(chunk, at)
        self._step = self._value if isinstance(self._open[-1].value, list) else self._key
        return at + 1

    def _string(self, chunk: str, at: int) -> int:
        size = len(chunk)
        while at < size:
            run = _RUN.match(chunk, at)
            end = run.end() if run else at
            if end > at:
                self._parts.append(chunk[at:end])
            if end == size:
                return size
            if chunk[end] == '"':
                self._end_string(chunk, end)
                return end + 1
            plain = _ESCAPES.get(chunk[end + 1 : end + 2])
            if plain is None:
                self._set_mark(chunk, end)
                self._step = self._escape
                return end + 1
            self._parts.append(plain)
            at = end + 2
        return at

    def _escape(self, chunk: str, at: int) -> int:
        plain = _ESCAPES.get(chunk[at])
        if plain is not None:
            self._parts.append(plain)
            self._step = self._string
        elif chunk[at] == "u":
            self._word = ""
            self._step = self._hex
        else:
            raise self._error_at_mark(f"\\{chunk[at]} is no escape of JSON; a backslash is written \\\\")
        return at + 1

    def _hex(self, chunk: str, at: int) -> int:
        end = at + 4 - len(self._word)
        self._word += chunk[at:end]
        if len(self._word) < 4:
            return len(chunk)
        if not _HEX.fullmatch(self._word):
            raise self._error_at_mark(f"\\u{self._word} is no character")
        character = chr(int(self._word, 16))
        is_low = "\udc00" <= character <= "\udfff"
        if bool(self._high) != is_low:
            raise self._error_at_mark("half a surrogate pair")
        if "\ud800" <= character <= "\udbff":
            self._high = character
            self._step = self._low
            return end
        if is_low:
            character = (self._high + character).encode("utf-16", "surrogatepass").decode("utf-16")
        self._high = ""
        self._parts.append(character)
        self._step = self._string
        return end

    def _low(self, chunk: str, at: int) -> int:
        """The second half of a surrogate pair has to follow."""
        if chunk[at] != "\\":
            raise self._error_at_mark("half a surrogate pair")
        self._step = self._low_u
        return at + 1

    def _low_u(self, chunk: str, at: int) -> int:
        if chunk[at] != "u":
            raise self._error_at_mark("half a surrogate pair")
        self._word = ""
        self._step = self._hex
        return at + 1

    def _token(self, chunk: str, at: int) -> int:
        """A number or a literal."""
        found = _TOKEN.match(chunk, at)
        end = found.end() if found else at
        self._word += chunk[at : min(end, at + _LONGEST_TOKEN + 1)]
        if len(self._word) > _LONGEST_TOKEN:
            raise self._error_at_mark("a value is expected")
        if end < len(chunk):
            try:
                self._end_value(read_scalar(self._word))
            except ValueError:
                raise self._error_at_mark("a value is expected") from None
        return end

    def _after(self, chunk: str, at: int) -> int:
        second = chunk.find("{", at)
        if second >= 0:
            raise self._error("a second object follows the first", chunk, second)
        return len(chunk)

    # Beginnings and ends.

    def _begin_string(self, at: int, *, is_key: bool) -> int:
        self._parts, self._given, self._is_key = [], 0, is_key
        self._step = self._string
        return at + 1

    def _end_string(self, chunk: str, at: int) -> None:
        if not self._is_key:
            self._give_text()
            self._end_value("".join(self._parts))
            return
        key = "".join(self._parts)
        container = self._open[-1]
        if key in container.value:
            raise self._error(f"the key {key[:40]!r} is given twice", chunk, at)
        container.key = key
        self._step = self._colon

    def _begin(self, chunk: str, at: int) -> int:
        if len(self._open) == _DEEPEST:
            raise self._error("the JSON is nested too deeply", chunk, at)
        is_object = chunk[at] == "{"
        self._open.append(_Container({} if is_object else [], self._path, self._line_at(chunk, at)))
        self._step = self._key if is_object else self._value
        return at + 1

    def _close(self, chunk: str, at: int) -> int:
        container = self._open[-1]
        if chunk[at] != ("]" if isinstance(container.value, list) else "}"):
            raise self._error(f"a comma or the end is expected, not {chunk[at]!r}", chunk, at)
        self._open.pop()
        self._path, self._begins = container.path, container.line
        self._end_value(container.value)
        return at + 1

    def _end_value(self, value: Json) -> None:
        self._events.append(JsonDone(self._path, value, self._begins))
        self._parts, self._given = [], 0
        if not self._open:
            self._step = self._after
            return
        container = self._open[-1]
        if isinstance(container.value, list):
            container.value.append(value)
        else:
            container.value[container.key] = value
        self._step = self._comma

    def _take_events(self) -> list[JsonEvent]:
        events, self._events = self._events, []
        return events

    def _give_text(self) -> None:
        """The characters of a string value that came since the event before."""
        if self._given < len(self._parts) and not self._is_key:
            self._events.append(JsonText(self._path, "".join(self._parts[self._given :])))
            self._given = len(self._parts)

    def _line_at(self, chunk: str, at: int) -> int:
        self._line += chunk.count("\n", self._counted, at)
        self._counted = max(at, self._counted)
        return self._line

    def _set_mark(self, chunk: str, at: int) -> None:
        self._mark = (self._line_at(chunk, at), self._offset + at)

    def _error_at_mark(self, what: str) -> EditFormatError:
        """An error in what began at the mark, the same however the text was cut."""
        line, offset = self._mark
        return EditFormatError(f"line {line}: {what} (character {offset + 1} of the arguments)", line)

    def _error(self, what: str, chunk: str, at: int) -> EditFormatError:
        line = self._line_at(chunk, at)
        return EditFormatError(f"line {line}: {what} (character {self._offset + at + 1} of the arguments)", line)


def _skip(chunk: str, at: int) -> int:
    found = _SPACE.match(chunk, at)
    return found.end() if found else at

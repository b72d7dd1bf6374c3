"""Tool calls whose edits are a list of objects: `edit_file` and `anchored`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from motet.edits.edit import Replace, ReplaceAnchored
from motet.edits.formats.anchored_call import TEXT_NAMES, read_anchored
from motet.edits.formats.arguments import LIST_NAMES, PATH_NAMES, Arguments
from motet.edits.formats.edit_file import NEW_NAMES, OLD_NAMES, read_edit
from motet.edits.formats.json_stream import JsonReader
from motet.edits.formats.json_value import Json, JsonDone, JsonEvent, JsonText, KeyPath
from motet.edits.formats.line_feed import LineFeed
from motet.edits.formats.reader import Piece
from motet.edits.preview import EditPreview

Part = Literal["search", "replace"]


@dataclass(frozen=True, slots=True)
class ItemFormat:
    """`parts`: the arguments that hold lines. `names`: those that make an object an edit. `read`: the edit of one."""

    parts: Mapping[str, Part]
    names: frozenset[str]
    read: Callable[[Arguments, str, str, int], Replace | ReplaceAnchored]


_OLD: dict[str, Part] = dict.fromkeys(OLD_NAMES, "search")
_NEW: dict[str, Part] = dict.fromkeys(NEW_NAMES, "replace")
_TEXT: dict[str, Part] = dict.fromkeys(TEXT_NAMES, "replace")

ITEM_FORMATS = {
    "edit_file": ItemFormat(_OLD | _NEW, OLD_NAMES | NEW_NAMES, read_edit),
    "anchored": ItemFormat(_TEXT, TEXT_NAMES | {"replace", "insert_after", "delete"}, read_anchored),
}


class ItemCall:
    """Reads such a call from what its JSON completes. Previews and edits wait until their path is known."""

    def __init__(self, item_format: ItemFormat, path: str, call: str) -> None:
        self._format = item_format
        self._given = path
        self._call = call
        self._path = ""
        self._paths: dict[int, str] = {}
        self._feed = LineFeed()
        self._waiting: list[tuple[int, Piece]] = []
        self._count = 0

    def take(self, event: JsonEvent) -> list[Piece]:
        """What `event` completes."""
        match event:
            case JsonText(path, text):
                return self._preview(path, self._feed.feed(text))
            case JsonDone((*_, str() as name) as path, str() as value) if name in PATH_NAMES:
                return self._named(path, value)
            case JsonDone((*_, str() as name) as path, str()) if name in self._format.parts:
                return self._preview(path, self._feed.end())
            case JsonDone((str() as name, int() as index), dict() as item, line) if name in LIST_NAMES:
                return self._item(index + 1, item, line)
            case JsonDone((str() as name,), list() as items) if name in LIST_NAMES and len(items) != self._count:
                raise Arguments({}, "the call", event.line).error(f"{name!r} has to be a list of objects")
            case JsonDone((str() as name,), dict() as item, line) if name in LIST_NAMES:
                return self._item(1, item, line)
            case JsonDone((str() as name,), str() as text) if name in LIST_NAMES:
                return self._quoted(text)
            case JsonDone((), dict() as values, line):
                return self._finish(values, line)
            case JsonDone(_, str()):
                self._feed.end()
                return []
            case _:
                return []

    def _preview(self, path: KeyPath, lines: list[str]) -> list[Piece]:
        part = self._format.parts.get(str(path[-1]))
        number = _number(path)
        if part is None or not number or not lines:
            return []
        return self._give(number, EditPreview("", number, part, tuple(lines)))

    def _named(self, path: KeyPath, value: str) -> list[Piece]:
        """A path: of the call, or of one of its edits."""
        self._feed.end()
        if len(path) == 1:
            self._path = self._path or value
            return self._release(0, self._path)
        number = _number(path)
        self._paths[number] = value
        return self._release(number, value)

    def _item(self, number: int, item: Mapping[str, Json], line: int) -> list[Piece]:
        self._count += 1
        arguments = Arguments(item, f"edit {number}", line)
        return self._give(number, self._format.read(arguments, "", self._call, line))

    def _quoted(self, text: str) -> list[Piece]:
        """The list came as a string that holds its JSON."""
        self._feed.end()
        if not text.strip():
            return []
        reader = JsonReader()
        events = reader.feed('{"edits":' + text + "}")
        reader.end()
        return [piece for event in events if event.path for piece in self.take(event)]

    def _finish(self, values: Mapping[str, Json], line: int) -> list[Piece]:
        """The whole call is there: the path given outside of it counts when it names none itself."""
        arguments = Arguments(values, "the call", line)
        path = arguments.text(PATH_NAMES, "") or self._given
        beside = any(values.get(name) for name in self._format.names)
        if beside and self._count:
            raise arguments.error("an edit stands beside the list of edits")
        pieces: list[Piece] = []
        if beside:
            self._path = path
            pieces = self._give(1, self._format.read(arguments, "", self._call, line))
        elif not self._count:
            raise arguments.error("there is no edit in it")
        pieces = self._release(0, path) + pieces if path else pieces
        if self._waiting:
            raise arguments.error("no path says which file it is for")
        return pieces

    def _give(self, number: int, piece: Piece) -> list[Piece]:
        path = piece.path or self._paths.get(number) or self._path
        if path:
            return [replace(piece, path=path)]
        self._waiting.append((number, piece))
        return []

    def _release(self, number: int, path: str) -> list[Piece]:
        """What waited for this path: of the `number`th edit, or of all with 0."""
        if not path:
            return []
        ready = [replace(piece, path=path) for n, piece in self._waiting if number in (0, n)]
        self._waiting = [(n, piece) for n, piece in self._waiting if number not in (0, n)]
        return ready


def _number(path: KeyPath) -> int:
    """Which edit (1-based) the value at `path` belongs to; 0 for none."""
    match path:
        case (_,):
            return 1
        case (str() as name, int() as index, _) if name in LIST_NAMES:
            return index + 1
        case (str() as name, str()) if name in LIST_NAMES:
            return 1
        case _:
            return 0

"""One change of one file taken back by a three-way merge: what others made of the file since stays."""

from __future__ import annotations

from collections.abc import Sequence

from motet.errors import FileTooLarge, MotetError, NotText
from motet.text import TextFile
from motet.text.merge import Conflict, merge

_MOST_PLACES = 5
"""Places of one file that are named."""


class NotMerged(MotetError):
    """The change cannot be taken back alone; the message continues *changed since*."""


def take_back(path: str, left: bytes, now: bytes, before: bytes, encoding: str) -> bytes:
    """`now` without the change from `before` to `left`. Raises `NotMerged`.

    A change of the encoding or of the byte order mark is merged like a line. `encoding`: see `TextFile.decode`.
    """
    try:
        mine = TextFile.decode(path, now, encoding)
        old, new = mine.again(left), mine.again(before)  # one guess for all of them
        merged = merge(old.text, mine.text, new.text)
        if merged.conflicts:
            raise NotMerged(f" where motet changed it too: {_places(merged.conflicts)}")
        result = TextFile(path, b"", "", *_merged(_coding(old), _coding(mine), _coding(new))).with_text(merged.text)
        if mine.again(result.data).text != merged.text:
            raise NotMerged(", its encoding too")
    except (NotText, FileTooLarge) as error:
        raise NotMerged(", and cannot be merged as text") from error
    return result.data


def _coding(file: TextFile) -> tuple[str, bytes]:
    return file.encoding, file.bom


def _merged(old: tuple[str, bytes], mine: tuple[str, bytes], new: tuple[str, bytes]) -> tuple[str, bytes]:
    if old not in (mine, new) and mine != new:
        raise NotMerged(", its encoding too")
    return new if mine == old else mine


def _places(conflicts: Sequence[Conflict]) -> str:
    """Where the conflicts stand in the file now: 1-based lines."""
    places = [_lines(conflict) for conflict in conflicts[:_MOST_PLACES]]
    more = f" and {len(conflicts) - _MOST_PLACES} more" if len(conflicts) > _MOST_PLACES else ""
    one = len(conflicts) == 1 and "-" not in places[0]
    return f"{'line' if one else 'lines'} {', '.join(places)}{more}"


def _lines(conflict: Conflict) -> str:
    first, count = conflict.ours_first + 1, len(conflict.ours)
    return str(first) if count < 2 else f"{first}-{first + count - 1}"

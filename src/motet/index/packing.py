"""The passages that go into a prompt: the best for their size, not all of one file, each with its lines and reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from motet.index.places import held, place
from motet.index.question import Question
from motet.index.ranking import Ranked
from motet.messages import estimate_tokens

_FILES = 30
_CHUNKS = 6
_SHARE = 0.6
"""Of the tokens for one file at most, where there are several."""
_FILE_WEIGHT = 0.6
_NEAR = 4
"""Lines between two passages of a file that are given as one."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines `first` to `last` (1-based, both inside) of a file; `text` is theirs, without a line end at its end. 0: of
    what has no lines with numbers."""

    path: str
    first: int
    last: int
    text: str
    tokens: int
    reasons: tuple[str, ...]

    @property
    def numbered(self) -> str:
        """The lines as `  12│ code`, as tools and attachments number them; without numbers where they have none."""
        if not self.first:
            return self.text
        width = len(str(self.last))
        return "\n".join(
            f"{number:>{width}}│ {line}" for number, line in enumerate(self.text.split("\n"), self.first)
        )


@dataclass(frozen=True, slots=True)
class Passages:
    """Passages by path and line, so that equal questions make equal prompts. `others`: `path:line  text` of files that
    would have been next. `complete`: all files of the project were looked at as they are now."""

    found: tuple[Passage, ...]
    others: tuple[str, ...]
    complete: bool

    @property
    def tokens(self) -> int:
        """Of all passages, estimated."""
        return sum(passage.tokens for passage in self.found)


@dataclass(frozen=True, slots=True)
class _Piece:
    at: int
    first: int
    last: int
    value: float
    tokens: int


def pack(
    ranked: Sequence[Ranked], question: Question, tokens: int, text_of: Callable[[str], str | None], root: Path
) -> tuple[tuple[Passage, ...], tuple[str, ...]]:
    """The passages of the best files that fit into `tokens`, and where else to look. `text_of`: what a file holds, None
    for one that may not be shown."""
    files: list[tuple[Ranked, list[str]]] = []
    texts: dict[str, str] = {}
    for file in ranked[:_FILES]:
        text = text_of(file.path)
        if text is not None:
            texts[file.path] = text
            files.append((file, text.split("\n")))
    taken = _greedy(list(_pieces(files)), tokens, alone=len(files) == 1)
    found: list[Passage] = []
    others: list[str] = []
    for at, (file, lines) in enumerate(files):
        best = place(root, file, question, texts)
        if best is None:
            continue
        for first, last in _joined([piece for piece in taken if piece.at == at]):
            text = "\n".join(lines[first - 1 : last]).rstrip("\n")
            found.append(Passage(file.path, first, last, text, estimate_tokens(text), best.reasons))
        if not any(piece.at == at for piece in taken) and len(others) < 10:
            others.append(f"{file.path}:{best.line}  {best.text[:120]}")
    return tuple(sorted(found, key=lambda passage: (passage.path, passage.first))), tuple(others)


def _pieces(files: Sequence[tuple[Ranked, Sequence[str]]]) -> Iterator[_Piece]:
    best_file = max((file.score for file, _ in files), default=1.0) or 1.0
    best_chunk = max((hit.score for file, _ in files for hit in file.chunks), default=1.0) or 1.0
    for at, (file, lines) in enumerate(files):
        for hit in file.chunks[:_CHUNKS]:
            first, last = min(hit.first, len(lines)), min(hit.last, len(lines))
            cost = estimate_tokens("\n".join(lines[first - 1 : last])) + 12
            yield _Piece(at, first, last, hit.score / best_chunk + _FILE_WEIGHT * file.score / best_file, cost)


def _greedy(pieces: list[_Piece], tokens: int, *, alone: bool) -> list[_Piece]:
    """The pieces with the best value for their size, the best of all in any case if it fits."""
    pieces.sort(key=lambda piece: (-piece.value / (piece.tokens + 150) ** 0.5, piece.at, piece.first))
    used: dict[int, int] = {}
    taken: list[_Piece] = []
    for piece in pieces:
        of_file = used.get(piece.at, 0)
        fits_file = alone or of_file + piece.tokens <= _SHARE * tokens or not of_file
        if fits_file and sum(used.values()) + piece.tokens <= tokens:
            used[piece.at] = of_file + piece.tokens
            taken.append(piece)
    return taken


def _joined(pieces: Sequence[_Piece]) -> Iterator[tuple[int, int]]:
    """The lines of the pieces of one file, in order; neighbours together."""
    first = last = 0
    for piece in sorted(pieces, key=lambda piece: piece.first):
        if last and piece.first <= last + _NEAR:
            last = max(last, piece.last)
            continue
        if last:
            yield first, last
        first, last = piece.first, piece.last
    if last:
        yield first, last


def shown_texts(root: Path, texts: Mapping[str, str], allow: Callable[[str], bool]) -> Callable[[str], str | None]:
    """What a file holds, in an editor or else on disk, where `allow` lets it be seen and it is still one to index."""
    return lambda path: held(root, path, texts) if allow(path) else None

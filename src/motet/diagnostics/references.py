"""Where a thing is used, as its language server knows it: a name alone does not say whose it is."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from motet.diagnostics.client import Client, Document, key_of
from motet.diagnostics.json_value import integer_of, list_of, object_of, text_of
from motet.diagnostics.question import Answers
from motet.text import LineIndex, Position, Range, TextFile


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of the file `path`, in its text as it was given."""

    path: str
    range: Range


@dataclass(frozen=True, slots=True)
class Uses:
    """Where things are used: for each that was asked about its places as `server` names them, where that thing stands
    among them; None where it gave no answer. Without a `server`, nobody could say, and `why` says why."""

    server: str = ""
    places: tuple[tuple[Place, ...] | None, ...] = ()
    why: str = ""

    @classmethod
    def of(cls, answers: Answers[Sequence[tuple[Place, ...] | None]]) -> Uses:
        """What servers answered, as one: about each thing the first of them who knows it."""
        each = zip(*(said for _, said in answers.given), strict=True)
        places = tuple(next((known for known in said if known is not None), None) for said in each)
        return cls(answers.server, places, answers.why)


@dataclass(frozen=True, slots=True)
class References:
    """The places in `texts` where each thing of `at` is used; what lies in other files is left out."""

    at: Sequence[tuple[TextFile, Position]]
    texts: Sequence[TextFile]
    needs = ("textDocument/references",)

    @property
    def about(self) -> Sequence[TextFile]:
        """See `Question`."""
        return [file for file, _ in self.at]

    @property
    def files(self) -> Sequence[TextFile]:
        """See `Question`."""
        return list({file.path: file for file in (*self.about, *self.texts)}.values())

    async def put(
        self, client: Client, documents: Mapping[str, Document], patience: float
    ) -> Sequence[tuple[Place, ...] | None]:
        """See `Question`."""
        asked = (_ask(client, documents.get(file.path), place) for file, place in self.at)
        answers = await asyncio.gather(*asked)
        known = {key_of(one.uri): (path, LineIndex(one.text)) for path, one in documents.items()}
        return [None if answer is None else tuple(_places(client, answer, known)) for answer in answers]


async def _ask(client: Client, document: Document | None, place: Position) -> list[object] | None:
    if document is None:
        return None
    line, character = LineIndex(document.text).to_units(place, client.encoding)
    where: dict[str, object] = {
        "textDocument": {"uri": document.uri},
        "position": {"line": line, "character": character},
        "context": {"includeDeclaration": True},
    }
    answer = await client.ask("textDocument/references", where)
    return list_of(answer) or None  # whoever knows the thing names at least the place that was asked about


def _places(client: Client, answer: Sequence[object], known: Mapping[str, tuple[str, LineIndex]]) -> list[Place]:
    found: list[Place] = []
    for item in map(object_of, answer):
        key, said = key_of(text_of(item.get("uri"))), object_of(item.get("range"))
        if key in known:
            path, index = known[key]
            start, end = (_position(client, index, said.get(side)) for side in ("start", "end"))
            found.append(Place(path, Range(min(start, end), max(start, end))))
    return sorted(dict.fromkeys(found), key=lambda one: (one.path, one.range))


def _position(client: Client, index: LineIndex, said: object) -> Position:
    line, units = (integer_of(object_of(said).get(key)) or 0 for key in ("line", "character"))
    return index.from_units(max(line, 0), max(units, 0), client.encoding)

"""From what a human typed to what a model reads: symbols become words, their content becomes attachments."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from motet.context.files import Paths, workspace_paths
from motet.context.mentions import share_mention
from motet.context.sources import Collected, Shared, Sources
from motet.context.symbols import Kind, Names, Symbol, find_symbols, split
from motet.context.unknown import unknown
from motet.context.variables import Variables
from motet.messages import Message

_LONG = 50_000
_SHORT = re.compile(r"[^/.\s][^\s]*\.\w+")


class Order(StrEnum):
    """Whether what is shared comes before the user's text or after it."""

    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class Known:
    """What is known by name. `tools`: names of tools and groups, and the words that stand for each in the sentence
    (empty: its plain name)."""

    variables: Variables
    tools: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Expanded:
    """What one message came to.

    `text` is for the model; it is the typed text where no symbol was known. `attachments` are hidden messages: first
    those that slash commands made, in the order in which they were added, then the symbols' in the order of the text.
    `tools`: the names that were asked for, each once. `notices` are for the human.
    """

    text: str
    attachments: tuple[Message, ...] = ()
    tools: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    order: Order = Order.BEFORE

    def around(self, user: Message) -> tuple[Message, ...]:
        """`user` and the attachments in the order in which they are sent."""
        return (*self.attachments, user) if self.order is Order.BEFORE else (user, *self.attachments)


async def expand(
    text: str,
    known: Known,
    sources: Sources,
    *,
    added: Sequence[Message] = (),
    order: Order | str = Order.BEFORE,
    asked: str | None = None,
) -> Expanded:
    """Read the symbols of `text` and share what they stand for.

    `added` are the attachments that slash commands made before. Everything but the symbols survives byte for byte. What
    cannot be shared is a notice, and its symbol stays as it was written. An item that is named twice is attached once.
    `asked`: the question that passages are found for, where it is not `text`.
    """
    symbols, doubts = await _symbols(text, known, sources)
    files = [symbol.name for symbol in symbols if symbol.kind in (Kind.FILE, Kind.LINK) and symbol.found]
    if files:
        sources = replace(sources, in_context=tuple(dict.fromkeys((*sources.in_context, *files))))
    collected = Collected(list(added))
    tools: list[str] = []
    pieces: list[str] = []
    shared: dict[tuple[str, ...], Shared] = {}
    for piece in split(text, symbols):
        if isinstance(piece, str):
            pieces.append(piece)
        elif piece.kind is Kind.TOOL:
            tools.append(piece.name)
            pieces.append(known.tools[piece.name] or piece.name)
        else:
            key = (piece.kind, piece.name, piece.param or "", str(piece.lines))
            if key not in shared:
                shared[key] = await _share(piece, known, sources, text if asked is None else asked)
                collected.add(shared[key])
            pieces.append(shared[key].words or text[piece.start : piece.end])
    return Expanded(
        "".join(pieces),
        tuple(collected.messages),
        tuple(dict.fromkeys(tools)),
        (*collected.notices, *doubts),
        Order(order),
    )


async def _symbols(text: str, known: Known, sources: Sources) -> tuple[tuple[Symbol, ...], list[str]]:
    """The symbols of `text`, and a line on each that is none. The workspace is listed only when a short form such as
    `@file.ts` needs it."""
    names = Names(known.variables.names, known.tools)
    if "@" not in text and "](" not in text:
        return await _found(text, names, None)
    paths = await workspace_paths(sources)
    missed = False

    def resolve(written: str) -> str | None:
        nonlocal missed
        path = paths.resolve(written)
        missed = missed or (path is None and _SHORT.fullmatch(written) is not None)
        return path

    found = await _found(text, replace(names, resolve=resolve), None)
    if not missed or not sources.workspace.root.is_dir():
        return found
    paths = await workspace_paths(sources, listed=True)
    return await _found(text, replace(names, resolve=paths.resolve), paths)


async def _found(text: str, names: Names, paths: Paths | None) -> tuple[tuple[Symbol, ...], list[str]]:
    def find() -> tuple[tuple[Symbol, ...], list[str]]:
        symbols = find_symbols(text, names)
        return symbols, unknown(text, symbols, names, paths)

    if len(text) < _LONG:
        return find()
    return await asyncio.to_thread(find)  # a log that was pasted: up to a second for a megabyte


async def _share(symbol: Symbol, known: Known, sources: Sources, asked: str) -> Shared:
    if symbol.kind is Kind.VARIABLE:
        return await known.variables.expand(symbol.name, symbol.param, replace(sources, asked=asked))
    return await share_mention(symbol, sources)

"""What files define, as their language server knows it: all of one file, or what has one name in many."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from motet.diagnostics.client import Client, Document, key_of
from motet.diagnostics.json_value import integer_of, list_of, object_of, text_of
from motet.diagnostics.question import Answers
from motet.syntax import Definition
from motet.text import LineIndex, TextFile

_IN_FILE, _IN_WORKSPACE = "textDocument/documentSymbol", "workspace/symbol"
_MOST = 20_000
"""Symbols of one answer that are looked at: a server may say anything."""
_MOST_FILES = 32
"""Files of which a server says all that they define, when one name is looked for."""
_FOR_FILES, _FOR_ALL = 0.6, 0.9
"""Parts of the time: for that, and with what the server knows of other files."""
# Numbers of `SymbolKind`, in the words of `Definition`; any other is a variable.
_KINDS = {
    2: "namespace", 3: "namespace", 4: "namespace", 5: "class", 6: "method", 9: "method", 10: "enum", 11: "interface",
    12: "function", 15: "section", 23: "struct", 25: "function",
}  # fmt: skip
_TYPE_PARAMETER = 26
_CODE = frozenset({"function", "method"})
_GO_METHOD = re.compile(r"\(\*?([^()]+)\)\.")
_GENERIC = re.compile(r"<[^<>]*>|(?<=[\w$])\(.*")
_QUALIFIED = re.compile(r"[\w$~]+(?:(?:\.|::)[\w$~]+)*")


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition, from the line of its name on; `inside` are the names around it, outermost first. A heading in a
    text is a `section`."""

    definition: Definition
    inside: tuple[str, ...] = ()

    @property
    def full(self) -> str:
        """Its name with those around it, as in `Area.size`."""
        return ".".join((*self.inside, self.definition.name))


@dataclass(frozen=True, slots=True)
class Symbols:
    """What files define, by path, as `server` knows it. Without a `server`, nobody could say, and `why` says why."""

    server: str = ""
    by_path: Mapping[str, tuple[Symbol, ...]] = field(default_factory=dict[str, tuple[Symbol, ...]])
    why: str = ""

    @classmethod
    def of(cls, answers: Answers[Mapping[str, tuple[Symbol, ...]]]) -> Symbols:
        """What servers answered, as one: of each file what the first says who knows it."""
        by_path: dict[str, tuple[Symbol, ...]] = {}
        for _, said in answers.given:
            by_path = {**said, **by_path}
        return cls(answers.server, by_path, answers.why)


@dataclass(frozen=True, slots=True)
class Outlined:
    """All that `file` defines, in the order of the server."""

    file: TextFile
    needs = (_IN_FILE,)

    @property
    def about(self) -> Sequence[TextFile]:
        """See `Question`."""
        return [self.file]

    @property
    def files(self) -> Sequence[TextFile]:
        """See `Question`."""
        return [self.file]

    async def put(
        self, client: Client, documents: Mapping[str, Document], patience: float
    ) -> Mapping[str, tuple[Symbol, ...]]:
        """See `Question`."""
        answer = await _in_file(client, documents[self.file.path]) or []
        return {self.file.path: tuple(await asyncio.to_thread(_known, answer, self.file.text, None))}


@dataclass(frozen=True, slots=True)
class Named:
    """What `name`, without anything before it, is defined as in `texts`, each of which holds it: as the server knows the
    first ones, of the others what it knows of the whole workspace. What lies elsewhere is left out, and what the text
    does not bear out."""

    name: str
    texts: Sequence[TextFile]
    needs = (_IN_FILE, _IN_WORKSPACE)

    @property
    def about(self) -> Sequence[TextFile]:
        """See `Question`."""
        return self.texts

    @property
    def files(self) -> Sequence[TextFile]:
        """See `Question`."""
        return self.texts

    async def put(
        self, client: Client, documents: Mapping[str, Document], patience: float
    ) -> Mapping[str, tuple[Symbol, ...]]:
        """See `Question`. Raises `TimeoutError` when nothing came."""
        begun = asyncio.get_running_loop().time()
        said = await self._by_file(client, documents, patience * _FOR_FILES)
        left = {key_of(one.uri): path for path, one in documents.items() if path not in said}
        if left:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(begun + patience * _FOR_ALL):
                    for item in map(object_of, list_of(await client.ask(_IN_WORKSPACE, {"query": self.name}))):
                        uri = key_of(text_of(object_of(item.get("location")).get("uri")))
                        if uri in left:
                            said.setdefault(left[uri], []).append(item)
            if not said:
                raise TimeoutError
        return {
            path: tuple(await asyncio.to_thread(_known, answer, documents[path].text, self.name))
            for path, answer in said.items()
        }

    async def _by_file(
        self, client: Client, documents: Mapping[str, Document], patience: float
    ) -> dict[str, list[object]]:
        """What those files define of which the server can say it soon, by path."""
        seen = [(path, one) for path, one in documents.items() if one.is_open][:_MOST_FILES]
        asking = {asyncio.create_task(_in_file(client, one)): path for path, one in seen}
        try:
            done, _ = await asyncio.wait(asking, timeout=patience)
            return {asking[task]: said for task in done if (said := task.result()) is not None}
        finally:
            for task in asking:
                task.cancel()
            await asyncio.gather(*asking, return_exceptions=True)


async def _in_file(client: Client, document: Document) -> list[object] | None:
    answer = await client.ask(_IN_FILE, {"textDocument": {"uri": document.uri}})
    return None if answer is None else list_of(answer)


def _known(answer: Sequence[object], text: str, name: str | None) -> list[Symbol]:
    """The symbols of `answer` that lie in `text`: all, or those called `name` whose line holds it. Headings are found
    by no name."""
    index = LineIndex(text)
    word = None if name is None else re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    found: list[Symbol] = []
    for each in _symbols(answer):
        one = each.definition
        if one.last_line > index.line_count:
            continue
        if word is None or (one.name == name and one.kind != "section" and word.search(index.line(one.line))):
            found.append(each)
    return found


class _Visit(NamedTuple):
    """What the server said of one symbol; `in_code`: inside a function."""

    said: dict[str, object]
    inside: tuple[str, ...]
    depth: int
    in_code: bool


def _symbols(answer: Sequence[object]) -> Iterator[Symbol]:
    """The symbols of a tree (`DocumentSymbol`) or a list (`SymbolInformation`); without what is known in a function
    only."""
    waiting = [_Visit(object_of(each), (), 0, in_code=False) for each in reversed(answer)]
    left = _MOST
    while waiting and left:
        left -= 1
        said, inside, depth, in_code = waiting.pop()
        kind = _KINDS.get(number := integer_of(said.get("kind")) or 0, "variable")
        whole = object_of(said.get("range") or object_of(said.get("location")).get("range"))
        around = _names(text_of(said.get("containerName")))
        names = (*inside, *around, *_names(text_of(said.get("name")), whole=kind == "section"))
        line, last = _first(object_of(said.get("selectionRange")) or whole), _last(whole)
        local = in_code and kind == "variable"
        if names[len(inside) + len(around) :] and 0 < line <= last and not local and number != _TYPE_PARAMETER:
            own = depth + (1 if around else 0)
            yield Symbol(Definition(names[-1], kind, line, last, line, own, line), names[:-1])
        children = (object_of(child) for child in reversed(list_of(said.get("children"))))
        waiting += [_Visit(child, names, depth + 1, in_code or kind in _CODE) for child in children]


def _first(said: dict[str, object]) -> int:
    """1-based; 0 when it is not told."""
    line = integer_of(object_of(said.get("start")).get("line"))
    return 0 if line is None else line + 1


def _last(said: dict[str, object]) -> int:
    """The last line with something of it: what ends where a line begins ends with the line before."""
    end = object_of(said.get("end"))
    line = integer_of(end.get("line")) or 0
    return line if end.get("character") == 0 and line + 1 > _first(said) else line + 1


def _names(text: str, *, whole: bool = False) -> tuple[str, ...]:
    """The parts of what a server calls a thing: `shop::Area<T>::size(int)` is `size` in `Area` in `shop`. Empty for
    what has no name, such as `(anonymous struct)`."""
    if whole:
        return (text,) if text.strip() else ()
    if "operator" in text:  # signs belong to the name
        return (text.rpartition("::")[2],)
    if text.startswith(("-", "+")):  # Objective-C: `-scale:by:`
        return _names(text[1:].partition(":")[0])
    text = _GENERIC.sub("", _GO_METHOD.sub(r"\1.", text))
    last = (text.split() or [""])[-1]  # `impl Area`
    return tuple(re.split(r"\.|::", last)) if _QUALIFIED.fullmatch(last) else ()

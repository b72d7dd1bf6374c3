"""Further sources to search, by the interface that the index has: a folder, a program, a function of the user's.

    [index.sources.wiki]
    directory = "~/wiki"

    [index.sources.vectors]
    command = "vectorcode query --pipe --include chunk path -n 10 {question}"

    [index.sources.tickets]
    callback = "tickets.py:find"

A program prints, and a function gives, a list: texts, or objects with `text` (or `chunk`, `document`) and, where they
have them, `path`, `first` and `last` (or `start_line`, `end_line`) and `why`.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import cast

from motet.errors import MotetError, ProcessError, SettingsError
from motet.index import ProjectIndex
from motet.index.packing import Passage, Passages
from motet.messages import estimate_tokens
from motet.process import run
from motet.settings import SourceSettings
from motet.settings.callback import describe, load
from motet.visible import one_line

Finds = Callable[..., object]
"""A function of the user's: gets the question and how many tokens there is room for, gives a list as above."""
Allow = Callable[[str], bool]

_SECONDS = 60.0
_TEXTS = ("text", "chunk", "document")
_QUESTION = "{question}"
_RUNS_TEXT = re.compile(r"(?:[a-z]*sh|busybox|python[\d.]*|perl|ruby|node|php|lua[\d.]*)")
"""Programs that run what stands behind `-c`, `-e` or `-r`, in which a question could say anything."""


class Elsewhere:
    """The sources that settings name. `root`: of the workspace, in which programs run; indexes of folders lie in `home`."""

    def __init__(self, root: Path, home: Path, sources: Mapping[str, SourceSettings]) -> None:
        self._root = root
        self._home = home
        self._sources = sources
        self._folders: dict[str, ProjectIndex] = {}

    async def find(
        self, question: str, tokens: int, allow: Allow, name: str, instead: Finds | None = None
    ) -> Passages:
        """What the source `name` has for `question` within `tokens`, of files that `allow` lets be seen; without a name,
        what the function `instead` gives. Raises `MotetError`."""
        if not name and instead is not None:
            return self._read(await _called(instead, question, tokens, "the retriever"), tokens, allow, "found")
        source = self._sources.get(name)
        if source is None:
            raise SettingsError(f"index.source: there is no [index.sources.{name}]")
        if source.directory:
            return await self._in_folder(name, source.directory, question, tokens, allow)
        if source.command:
            answer = await _run(source.command, question, name, self._root)
        else:
            function = load(source.callback, f"index.sources.{name}.callback")
            answer = await _called(function, question, tokens, name)
        return self._read(answer, tokens, allow, f"found by {name}")

    async def close(self) -> None:
        """Stop reading files."""
        for index in self._folders.values():
            await index.close()

    async def _in_folder(self, name: str, directory: str, question: str, tokens: int, allow: Allow) -> Passages:
        folder = Path(os.path.realpath(self._root / os.path.expanduser(directory)))  # noqa: PTH111 (never raises)
        if not folder.is_dir():
            raise MotetError(f"{name}: {one_line(directory)} is no directory")
        index = self._folders.setdefault(name, ProjectIndex(folder, self._home))
        found = await index.passages(question, tokens, allow=lambda path: allow(f"{folder}/{path}"))
        named = [
            Passage(f"{name}:{one.path}", one.first, one.last, one.text, one.tokens, one.reasons)
            for one in found.found
        ]
        return Passages(tuple(named), tuple(f"{name}:{other}" for other in found.others), found.complete)

    def _read(self, answer: object, tokens: int, allow: Allow, why: str) -> Passages:
        """The passages of an answer, as many as fit, in its order; of files of the workspace those that are there."""
        found: list[Passage] = []
        for one in _listed(answer):
            passage = _passage(one, self._root, why)
            if passage is None or (passage.path and not allow(passage.path)):
                continue
            if sum(each.tokens for each in found) + passage.tokens <= tokens:
                found.append(passage)
        return Passages(tuple(found), (), complete=True)


def _listed(answer: object) -> Sequence[object]:
    match answer:
        case None | "":
            return ()
        case str():
            return (answer,)
        case dict():
            table = cast("dict[str, object]", answer)
            return next((_listed(table[key]) for key in ("passages", "results") if key in table), (table,))
        case list() | tuple():
            return cast("Sequence[object]", answer)
        case _:
            raise MotetError(f"a list of passages is wanted, not {type(answer).__name__}")


def _passage(one: object, root: Path, why: str) -> Passage | None:
    table = _table(one)
    given = next((text for key in _TEXTS if isinstance(text := table.get(key), str)), "")
    path = str(table.get("path") or "")
    if not given.strip() or "\0" in path:
        return None
    if path:
        path = os.path.realpath(root / path).removeprefix(f"{root}/")
    text = given.strip("\n")
    first = _number(table.get("first") or table.get("start_line"))
    if first:
        first += len(given) - len(given.lstrip("\n"))
    last = first + text.count("\n") if first else 0
    reason = str(table.get("why") or why)
    return Passage(path, first, last, text, estimate_tokens(text), (one_line(reason),))


def _table(one: object) -> Mapping[str, object]:
    match one:
        case Passage():
            return {"path": one.path, "first": one.first, "text": one.text, "why": "; ".join(one.reasons)}
        case dict():
            return cast("dict[str, object]", one)
        case _:
            return {"text": one}


def _number(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


async def _called(function: Callable[..., object], question: str, tokens: int, name: str) -> object:
    """What a user's function gives; it may take the question alone. Raises `MotetError`."""
    try:
        takes = len(inspect.signature(function).parameters)
        arguments = (question, tokens)[: max(takes, 1)]
        if inspect.iscoroutinefunction(function):
            return cast("object", await function(*arguments))
        answer = await asyncio.to_thread(function, *arguments)
        return cast("object", await answer) if inspect.isawaitable(answer) else answer
    except MotetError:
        raise
    except (Exception, SystemExit) as error:  # a user's function may raise anything; the chat lives on
        raise MotetError(f"{name}: {describe(error, function)}") from error


async def _run(command: str, question: str, name: str, root: Path) -> object:
    """What the program prints, read as JSON. It is run without a shell: the question is one argument of it."""
    argv = _argv(command, question, name)
    try:
        done = await run([os.path.expanduser(argv[0]), *argv[1:]], cwd=root, timeout=_SECONDS)  # noqa: PTH111
    except ProcessError as error:
        raise MotetError(f"{name}: {error}") from error
    if done.code:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise MotetError(f"{name}: {argv[0]} ended with {done.code}{f': {one_line(said[-1])}' if said else ''}")
    try:
        return cast("object", json.loads(done.stdout or b"[]"))
    except (ValueError, RecursionError) as error:
        raise MotetError(f"{name}: {argv[0]} printed no JSON: {error}") from error


def _argv(command: str, question: str, name: str) -> list[str]:
    """The words of `command` with the question in its place. Raises `SettingsError`, also where a program would run the
    question: models ask, too."""
    setting = f"index.sources.{name}.command"
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise SettingsError(f"{setting}: {error}") from error
    if not words:
        raise SettingsError(f"{setting}: it is empty")
    runs = next((word for word in words if _RUNS_TEXT.fullmatch(word.rpartition("/")[2])), "")
    if runs and any(_QUESTION in word and re.match(r"-\w*[cer]$", before) for before, word in pairwise(words)):
        raise SettingsError(
            f"{setting}: {one_line(runs)} would run what is asked; let it be an argument, as in "
            """`sh -c 'search "$1"' sh {question}`"""
        )
    asked = " ".join(question.split()).lstrip("-")
    return [word.replace(_QUESTION, asked) for word in words]

"""Which lines of the project's files hold a text or match a regular expression.

ripgrep, where it is on PATH, only says in which files the literal part of a pattern stands; which lines match is always
said by the same code, so the results do not depend on it. A regular expression is matched in a process of its own,
because one that takes for ever cannot be stopped otherwise.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import sys
import time
import warnings
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from motet.errors import MotetError, ProcessError, UsageError
from motet.process import find_program, run
from motet.text import MAX_TEXT_BYTES, TextFile
from motet.tools import line_matcher
from motet.tools.kit import Kit
from motet.tools.reading import lines_of, read_all
from motet.workspace import DiskWorkspace

MOST_SECONDS = 20.0
"""Seconds of one whole search."""
_FILES_AT_ONCE = 500
_ARGUMENT_BYTES = 64 * 1024
"""Bytes of file names that one ripgrep is given."""
_MOST_ANSWER = 64 * 2**20
_MOST_PATTERN = 2_000
"""Characters of a pattern."""
_OTHER_CASES = re.compile("[iIsS]")


@dataclass(frozen=True, slots=True)
class Pattern:
    """What is looked for: `literal` text, or a regular expression of Python; within one line."""

    text: str
    literal: bool = False
    ignore_case: bool = False

    def checked(self) -> Pattern:
        """The same, when it can be used. Raises `UsageError` that says what is wrong with it."""
        if not self.text or len(self.text) > _MOST_PATTERN:
            raise UsageError(f"the pattern must have from 1 to {_MOST_PATTERN} characters")
        if "\n" in self.text or "\r" in self.text:
            raise UsageError("the pattern holds a line end; a match lies within one line: look for one of its lines")
        if not self.literal:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    re.compile(self.text)
            except (re.error, RecursionError, OverflowError) as error:
                raise UsageError(
                    f"the pattern is no regular expression: {error}; escape it or set literal"
                ) from error
        return self

    @property
    def needle(self) -> str:
        """A text that stands in every line that matches, as `holds` sees it; empty when none is known."""
        runs = [self.text] if self.literal else _literal_runs(self.text)
        if self.ignore_case:
            # Python takes `ı` for an `i` and `ſ` for an `s`; others do not.
            runs = [part for run in runs for part in _OTHER_CASES.split(run)]
        return max(runs, key=len, default="")

    def holds(self, needle: str, text: str) -> bool:
        """Whether `text` holds `needle`; in a time that no text makes long."""
        return needle.lower() in text.lower() if self.ignore_case else needle in text


@dataclass(frozen=True, slots=True)
class Found:
    """The lines of one file (without their ends), and the 1-based numbers of those that match."""

    file: TextFile
    lines: Sequence[str]
    numbers: Sequence[int]


async def search(kit: Kit, paths: Sequence[str], pattern: Pattern) -> AsyncIterator[Found]:
    """What is found in `paths`, file by file in their order; files that are no text are passed over.

    Raises `UsageError` for a pattern that cannot be used or takes too long, `ProcessError`.
    """
    pattern = pattern.checked()
    until = time.monotonic() + MOST_SECONDS
    paths = await _worth_reading(kit, paths, pattern, until)
    for first in range(0, len(paths), _FILES_AT_ONCE):
        files = await read_all(kit, paths[first : first + _FILES_AT_ONCE])
        for found in await _search_files(files, pattern, until):
            yield found


async def _search_files(files: Sequence[TextFile], pattern: Pattern, until: float) -> list[Found]:
    if pattern.literal:
        return await asyncio.to_thread(_with_literal, files, pattern)
    texts = await asyncio.to_thread(_candidates, files, pattern)
    if not texts:
        return []
    numbers = await _matching(pattern, [lines for _, lines in texts], until)
    return [
        Found(file, lines, [at + 1 for at in matching])
        for (file, lines), matching in zip(texts, numbers, strict=True)
        if matching
    ]


def _with_literal(files: Sequence[TextFile], pattern: Pattern) -> list[Found]:
    found: list[Found] = []
    for file in files:
        if pattern.holds(pattern.text, file.text):
            lines = lines_of(file.text)
            numbers = [number for number, line in enumerate(lines, 1) if pattern.holds(pattern.text, line)]
            found += [Found(file, lines, numbers)] if numbers else []
    return found


def _candidates(files: Sequence[TextFile], pattern: Pattern) -> list[tuple[TextFile, list[str]]]:
    needle = pattern.needle
    return [(file, lines_of(file.text)) for file in files if pattern.holds(needle, file.text)]


async def _matching(pattern: Pattern, texts: Sequence[Sequence[str]], until: float) -> list[list[int]]:
    """For each text the indexes of the lines that match."""
    asked = {"pattern": pattern.text, "ignore_case": pattern.ignore_case, "texts": texts}
    seconds = until - time.monotonic()
    if seconds <= 0:
        raise _too_long()
    try:
        output = await run(
            [sys.executable, "-I", "-S", Path(line_matcher.__file__)],
            cwd=Path("/"),
            timeout=seconds,
            max_bytes=_MOST_ANSWER,
            stdin=(await asyncio.to_thread(json.dumps, asked)).encode(),
        )
    except ProcessError as error:
        if time.monotonic() >= until:
            raise _too_long() from error
        raise
    if output.code != 0 or output.truncated:
        said = output.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ProcessError(f"the search failed ({said[-1] if said else output.code}); make the pattern simpler")
    return cast("list[list[int]]", json.loads(output.stdout))


def _too_long() -> UsageError:
    return UsageError(
        f"the search took more than {MOST_SECONDS:g} s and was stopped: name fewer paths, or a simpler pattern (a "
        "repeat inside a repeat, as in (a+)+, can take for ever)"
    )


# --- where to look ---------------------------------------------------------------------------------------------


async def _worth_reading(kit: Kit, paths: Sequence[str], pattern: Pattern, until: float) -> Sequence[str]:
    """Those of `paths` that can match, as far as ripgrep says; all of them without it."""
    needle, root = pattern.needle, kit.workspace.root
    # What stands on the disk says something only where no editor holds newer text; and only ASCII is written the
    # same in every encoding.
    if not needle.isascii() or len(needle) < 2 or not isinstance(kit.workspace, DiskWorkspace):
        return paths
    program = find_program("rg", avoid=root)
    if program is None:
        return paths
    holding: set[str] = set()
    small = await asyncio.to_thread(_not_too_large, root, paths)
    try:
        for names in _portions(small):
            holding |= await _files_with(program, root, needle, names, pattern.ignore_case, until)
    except MotetError:
        return paths
    return [path for path in paths if path in holding]


def _not_too_large(root: Path, paths: Sequence[str]) -> list[str]:
    """Those that are read at all; ripgrep itself leaves out no file that it is given by name."""
    kept: list[str] = []
    for path in paths:
        with contextlib.suppress(OSError):
            if (root / path).lstat().st_size <= MAX_TEXT_BYTES:
                kept.append(path)
    return kept


def _portions(paths: Sequence[str]) -> Iterator[list[str]]:
    portion: list[str] = []
    size = 0
    for path in paths:
        portion.append(path)
        size += len(path.encode("utf-8", "surrogateescape")) + 9
        if size > _ARGUMENT_BYTES:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion


async def _files_with(
    program: Path, root: Path, needle: str, names: Sequence[str], ignore_case: bool, until: float
) -> set[str]:
    """Those of the files `names` that hold `needle`, whatever their type and encoding."""
    options = ["--no-config", "--files-with-matches", "--null", "--no-messages", "--text", "--fixed-strings"]
    options += ["--no-ignore", "--hidden", "--color=never"]
    options += ["--ignore-case" if ignore_case else "--case-sensitive"]
    argv = [program, *options, "--regexp", needle, "--", *(f"./{name}" for name in names)]
    output = await run(argv, cwd=root, timeout=max(until - time.monotonic(), 0.1), max_bytes=_MOST_ANSWER)
    # Status 1: nothing found. 2: some file could not be read, which is no reason to trust the rest.
    if output.code not in (0, 1) or output.truncated:
        raise ProcessError(f"rg: exit code {output.code}")
    return {os.fsdecode(name).removeprefix("./") for name in output.stdout.split(b"\0") if name}


_SPECIAL = frozenset(".^$*+?{}[]\\|()")


def _literal_runs(pattern: str) -> list[str]:
    """ASCII texts that stand in whatever the regular expression `pattern` matches; too few rather than too many."""
    if "|" in pattern or "(?" in pattern:
        return []
    runs, run, at, depth = [""], "", 0, 0
    while at < len(pattern):
        character, step = pattern[at], 1
        is_plain = character not in _SPECIAL
        if character == "\\" and at + 1 < len(pattern):
            character, step = pattern[at + 1], 2
            is_plain = not character.isalnum() and character.isascii()
        elif character == "[":
            step = _class_length(pattern, at)
        elif character == "{":
            step = max(pattern.find("}", at) + 1 - at, 1)  # how often what stands before is repeated
        depth += (character == "(" and step == 1) - (character == ")" and step == 1)
        following = pattern[at + step : at + step + 1]
        if is_plain and depth == 0 and character.isascii() and following not in ("*", "?", "{"):
            run += character
        else:
            runs, run = [*runs, run], ""
        if following == "+":
            runs, run = [*runs, run], ""
        at += step
    return [*runs, run]


def _class_length(pattern: str, at: int) -> int:
    """Characters of the class `[…]` that begins at `at`."""
    end = at + 1
    end += pattern[end : end + 1] == "^"
    end += pattern[end : end + 1] == "]"
    while end < len(pattern) and pattern[end] != "]":
        end += 2 if pattern[end] == "\\" else 1
    return end + 1 - at

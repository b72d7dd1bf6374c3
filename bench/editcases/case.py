"""One row of a file of cases, as it is written there: what was before, the edit, and what should come of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from motet.text import TextFile

_Kind = TypeVar("_Kind")
_STRONG = ("exact", "throws")
_READ = re.compile(r"file was '(.*)' when read", re.DOTALL)
_UNREAD = re.compile(r"\b(?:not|never|no|without)\b(?:\s\w+)?\s(?:re-?)?read(?:ing)?\b|\bunread\b", re.IGNORECASE)
_PATHS = ("target_path", "file_name", "path")
UNNAMED = "file.txt"
"""The path of a text that comes without one: of no language."""


class BrokenRow(Exception):
    """A row lacks something that its format needs; the message names the row and the field."""


@dataclass(frozen=True)
class Case:
    """One row. `file` and `line` (1-based) say where it stands."""

    file: Path
    line: int
    row: dict[str, Any]

    @property
    def id(self) -> str:
        return self.get("id", str)

    @property
    def format(self) -> str:
        return self.get("format", str)

    @property
    def op(self) -> str:
        return self.get("op", str)

    @property
    def expect(self) -> str:
        return self.get("expect", str)

    @property
    def tags(self) -> Sequence[str]:
        return self.get("tags", list, [])

    @property
    def repo(self) -> str:
        """Owner and name of the project that the row comes from; empty when it does not say."""
        return str(self.get("source", dict, {}).get("repo", "")).partition(" ")[0]

    def below(self, line: int) -> Case:
        """The same for the text below the first `line` lines."""
        rest = "".join(self.get("before", str).splitlines(keepends=True)[line:])
        row = {**self.row, "before": rest, "start_line0": 0}
        if "expected_line0" in row:
            row["expected_line0"] = self.get("expected_line0", int) - line
        return Case(self.file, self.line, row)

    @property
    def test_file(self) -> str:
        """The file of tests that the row comes from, with `/` before it; empty when it does not say."""
        path = self.get("source", dict, {}).get("path")
        return f"/{path}" if isinstance(path, str) else ""

    @property
    def is_binding(self) -> bool:
        """Whether the peer's own test says exactly what comes out, and runs."""
        strong = self.get("assertion", str, "").startswith(_STRONG)
        return strong and self.row.get("peer_status") != "skip"

    @property
    def is_alone(self) -> bool:
        """Whether the row holds the text of one file, which need not be named."""
        return ("before" in self.row or "generate" in self.row) and "before_files" not in self.row

    @property
    def path(self) -> str:
        """The file that the edit is for, when the row holds the text of one alone."""
        named = next((name for key in _PATHS if (name := self.get(key, str, ""))), "")
        files = self.row.get("before_files")
        alone = [str(path) for path in files] if isinstance(files, dict) and len(files) == 1 else [UNNAMED]
        return named or alone[0]

    @property
    def before(self) -> dict[str, str]:
        """The texts of all files before the edit, by path."""
        if (files := self.row.get("before_files")) is not None:
            return self._texts("before_files", files)
        if "generate" in self.row:
            return {self.path: self._built("generate")}
        before = self.row.get("before")
        return {} if before is None else {self.path: self.get("before", str)}

    @property
    def after(self) -> dict[str, str]:
        """The texts of all files that should stand there after it."""
        if (files := self.row.get("expected_files")) is not None:
            return self._texts("expected_files", files)
        built = "expected_generate" in self.row
        return {
            **self.before,
            self.path: self._built("expected_generate") if built else self.get("expected_after", str),
        }

    @property
    def shown(self) -> dict[str, str]:
        """The texts that the model has read, where they are not what stands there: nothing of a file it did not read."""
        if (files := self.row.get("shown")) is not None:
            return self._texts("shown", files)
        condition = self.get("precondition", str, "")
        if _UNREAD.search(condition):
            return {self.path: ""}
        read = _READ.match(condition)
        return {self.path: read[1]} if read else {}

    @property
    def has_other_precondition(self) -> bool:
        """Whether something has to have happened before that texts cannot tell."""
        condition = self.get("precondition", str, "")
        return bool(condition and not _UNREAD.search(condition) and not _READ.match(condition))

    def file_of(self, path: str, text: str) -> TextFile:
        """`text` as a file, in the encoding that the row names. Raises `MotetError` when it cannot be one."""
        try:
            return TextFile.decode(path, text.encode(self.get("encoding", str, "utf-8")))
        except (UnicodeError, LookupError) as error:
            raise BrokenRow(f"{self.file}:{self.line}: {path} cannot be encoded: {error}") from error

    def get(self, name: str, kind: type[_Kind], otherwise: _Kind | None = None) -> _Kind:
        """The field `name`; raises `BrokenRow` when it is missing, without `otherwise`, or of another kind."""
        value = self.row.get(name)
        if value is None and otherwise is not None:
            return otherwise
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            found = f"a {type(value).__name__}" if name in self.row else "missing"
            raise BrokenRow(f"{self.file}:{self.line}: `{name}` should be a {kind.__name__}, it is {found}")
        return value

    def option(self, name: str, kind: type[_Kind], otherwise: _Kind) -> _Kind:
        """The setting `name` of the peer for this row; raises `BrokenRow` when it is of another kind."""
        value = self.get("options", dict, {}).get(name)
        if value is None:
            return otherwise
        if kind is float and isinstance(value, int):
            value = float(value)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise BrokenRow(f"{self.file}:{self.line}: the option `{name}` should be a {kind.__name__}")
        return value

    def _built(self, name: str) -> str:
        """A long text, of parts that are there several times."""
        text = ""
        for part in self.get(name, list):
            match part:
                case {"line": str(line), "times": int(times)}:
                    text += f"{line}\n" * times
                case {"text": str(piece), "times": int(times)}:
                    text += piece * times
                case _:
                    raise BrokenRow(f"{self.file}:{self.line}: each part of `{name}` should be a text and a number")
        return text

    def texts(self, name: str) -> dict[str, str]:
        """The field `name`, texts by path. Raises `BrokenRow`."""
        return self._texts(name, self.row.get(name))

    def _texts(self, name: str, files: object) -> dict[str, str]:
        """A file whose text is null is not there."""
        if isinstance(files, dict):
            there = {path: text for path, text in cast("dict[object, object]", files).items() if text is not None}
            if all(isinstance(path, str) and isinstance(text, str) for path, text in there.items()):
                return cast("dict[str, str]", there)
        raise BrokenRow(f"{self.file}:{self.line}: `{name}` should be texts by path")


def files_of(paths: Sequence[Path]) -> list[Path]:
    """The files that `paths` are or hold; raises `BrokenRow` for one that is neither."""
    files: list[Path] = []
    for path in paths:
        inside = path.glob("*.jsonl") if path.is_dir() else [path]
        found = sorted(file for file in inside if file.is_file())
        if not found:
            raise BrokenRow(f"{path}: neither a file of cases nor a folder with *.jsonl")
        files += found
    return list(dict.fromkeys(files))


def read(file: Path) -> Iterator[Case | BrokenRow]:
    """Every row of `file` in order; one that cannot be read is an error in its place."""
    for number, line in enumerate(file.read_bytes().splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            if not isinstance(row, dict):
                raise BrokenRow(f"{file}:{number}: a row should be a JSON object")
            case = Case(file, number, row)
            for name in ("id", "format", "op", "expect"):
                case.get(name, str)
            if not all(isinstance(tag, str) for tag in case.tags):
                raise BrokenRow(f"{file}:{number}: `tags` should be words")
            case.get("source", dict, {})
            case.get("assertion", str, "")
            yield case
        except BrokenRow as error:
            yield error
        except ValueError as error:
            yield BrokenRow(f"{file}:{number}: not JSON: {error}")

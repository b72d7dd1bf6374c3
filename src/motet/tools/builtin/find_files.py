"""`find_files`: files by a pattern, or by what their name is like."""

from __future__ import annotations

from pydantic import BaseModel, Field

from motet.permissions import Effect
from motet.prompts import prompt
from motet.tools.globs import is_glob, path_filter
from motet.tools.kit import Kit
from motet.tools.reading import closest, counted, fitting, require_one_line, visible_files
from motet.tools.tool import OneByOne, ToolOutput, ToolSpec
from motet.workspace.failures import shown

_MOST_FOUND = 200
_MOST_LIKE = 20


class FindFilesInput(BaseModel):
    """Arguments of one call."""

    name: str = Field(description="a pattern as in `*.py` or `src/**/test_*.ts`, or any part of a name, roughly")


class FindFiles(OneByOne):
    """The tool."""

    spec = ToolSpec("find_files", prompt("find_files"), FindFilesInput, frozenset({Effect.READ}))

    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `Tool`."""
        assert isinstance(value, FindFilesInput)
        name = require_one_line(value.name, "name").strip()
        paths = await visible_files(self._kit)
        if is_glob(name):
            fits = path_filter([name])
            return _listed([path for path in paths if fits(path)], f"that fit {name}", _MOST_FOUND)
        part = name.removeprefix("./").lower()
        found = [path for path in paths if part in path.lower()]
        if found:
            # A name that is meant exactly comes first, then what has it in its last part.
            found.sort(key=lambda path: _rank(path.lower(), part))
            return _listed(found, f"with {name} in their name", _MOST_FOUND)
        return _listed(closest(name, paths, _MOST_LIKE), f"with a name like {name}", _MOST_LIKE)


def _rank(path: str, part: str) -> tuple[bool, bool, str]:
    return (not f"/{path}".endswith(f"/{part}"), part not in path.rpartition("/")[2], path)


def _listed(found: list[str], what: str, most: int) -> ToolOutput:
    head = f"{counted(len(found), 'file') if found else 'no files'} {shown(what)}"
    lines, _ = fitting(shown(path) for path in found[:most])
    more = f"\n({len(found) - len(lines)} more; narrow the pattern)" if len(lines) < len(found) else ""
    return ToolOutput("\n".join([head, *lines]) + more, shown=head)

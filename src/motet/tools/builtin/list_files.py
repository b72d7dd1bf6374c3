"""`list_files`: a directory of the project as a tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import BaseModel, Field

from motet.permissions import Effect
from motet.prompts import prompt
from motet.tools.kit import Kit
from motet.tools.reading import counted, visible_files
from motet.tools.tool import OneByOne, ToolOutput, ToolSpec
from motet.workspace.failures import shown

_MOST_ENTRIES = 400
_MOST_DEPTH = 50


class ListFilesInput(BaseModel):
    """Arguments of one call."""

    path: str = Field(".", description="directory, relative to the workspace; default: the whole workspace")
    depth: int | None = Field(None, ge=1, le=_MOST_DEPTH, description="levels to show; default: as many as fit")


class ListFiles(OneByOne):
    """The tool."""

    spec = ToolSpec("list_files", prompt("list_files"), ListFilesInput, frozenset({Effect.READ}))

    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `Tool`."""
        assert isinstance(value, ListFilesInput)
        directory = self._kit.desk.normalise(value.path) or "."
        found = await visible_files(self._kit, [directory])
        head = f"{shown(directory)}: {counted(len(found), 'file')}"
        if found in ([], [directory]):
            return ToolOutput(head if found else f"{shown(directory)}: no file that belongs to the project")
        prefix = "" if directory == "." else f"{directory}/"
        paths = [path.removeprefix(prefix).split("/") for path in found]
        lines = _tree(paths, value.depth)
        cut = f"\n(cut here; {counted(len(lines) - _MOST_ENTRIES, 'more entry', 'more entries')}: list a directory below)"
        text = "\n".join([head, *lines[:_MOST_ENTRIES]]) + (cut if len(lines) > _MOST_ENTRIES else "")
        return ToolOutput(text, shown=head)


def _tree(paths: Sequence[Sequence[str]], depth: int | None) -> list[str]:
    """The tree down to `depth`, else to the greatest depth at which it is not too long."""
    if depth is not None:
        return list(_level(paths, 0, depth))
    best = list(_level(paths, 0, 1))
    for deeper in range(2, min(_MOST_DEPTH, max(map(len, paths))) + 1):
        lines = list(_level(paths, 0, deeper))
        if len(lines) > _MOST_ENTRIES:
            break
        best = lines
    return best


def _level(paths: Sequence[Sequence[str]], level: int, depth: int) -> Iterator[str]:
    """The entries of one directory, in order; those that would be too deep are only counted."""
    indent = "  " * level
    groups: dict[str, list[Sequence[str]]] = {}
    for path in paths:
        groups.setdefault(path[level], []).append(path)
    for name, below in groups.items():
        if len(below[0]) == level + 1:
            yield f"{indent}{shown(name)}"
        elif level + 1 >= depth:
            yield f"{indent}{shown(name)}/ ({counted(len(below), 'file')})"
        else:
            yield f"{indent}{shown(name)}/"
            yield from _level(below, level + 1, depth)

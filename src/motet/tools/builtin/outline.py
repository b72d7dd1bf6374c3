"""`outline`: what a file defines."""

from __future__ import annotations

import asyncio

from pydantic import BaseModel, Field

from motet.permissions import Effect
from motet.prompts import prompt
from motet.syntax import MAX_PARSED_CHARACTERS, Definition, language_of
from motet.text import TextFile
from motet.tools.definitions import definitions_of, is_outlined
from motet.tools.kit import Kit
from motet.tools.reading import counted, fitting, lines_of, read
from motet.tools.tool import OneByOne, ToolOutput, ToolSpec
from motet.workspace.failures import shown

_MOST_SIGNATURE = 160


class OutlineInput(BaseModel):
    """Arguments of one call."""

    path: str = Field(description="path of the file, relative to the workspace")


class Outline(OneByOne):
    """The tool."""

    spec = ToolSpec("outline", prompt("outline"), OutlineInput, frozenset({Effect.READ}))

    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `Tool`."""
        assert isinstance(value, OutlineInput)
        file = await read(self._kit, value.path)
        name = shown(file.path)
        if language_of(file.path) is None:
            return ToolOutput(f"{name}: no grammar for this kind of file; use read_file or search_text")
        if len(file.text) > MAX_PARSED_CHARACTERS:
            return ToolOutput(f"{name}: too long to be parsed; use search_text, and read_file with line numbers")
        lines, complete = await asyncio.to_thread(_outline, file)
        head = f"{name}: {counted(len(lines_of(file.text)), 'line')}"
        if not lines:
            return ToolOutput(f"{head}, nothing is defined in it")
        more = "" if complete else "\n(cut here; read the rest with read_file)"
        return ToolOutput("\n".join([head, *lines]) + more, shown=head, files=(file.path,))


def _outline(file: TextFile) -> tuple[list[str], bool]:
    lines = lines_of(file.text)
    found = [each for each in definitions_of(file) if is_outlined(each)]
    return fitting(f"{_span(each)}  {'  ' * each.depth}{signature(lines, each)}" for each in found)


def _span(one: Definition) -> str:
    return f"{one.first_line}-{one.last_line}".rjust(11)


def signature(lines: list[str], one: Definition) -> str:
    """The lines of `lines` that say what `one` is, on one line."""
    text = " ".join(" ".join(lines[one.first_line - 1 : one.signature_last_line]).split())
    return text if len(text) <= _MOST_SIGNATURE else f"{text[:_MOST_SIGNATURE]}…"

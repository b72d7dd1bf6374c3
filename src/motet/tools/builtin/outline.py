"""`outline`: what a file defines."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from pydantic import BaseModel, Field

from motet.diagnostics import Symbol, Symbols
from motet.permissions import Effect
from motet.prompts import prompt
from motet.syntax import MAX_PARSED_CHARACTERS, Definition, language_of
from motet.text import TextFile
from motet.tools.kit import Kit
from motet.tools.known import found_by, outlined
from motet.tools.reading import counted, fitting, lines_of, read
from motet.tools.tool import OneByOne, ToolOutput, ToolSpec
from motet.workspace.failures import shown

_MOST_SIGNATURE = 160


Ask = Callable[[TextFile], Awaitable[Symbols]]
"""Says, and does not take long, what a file defines."""


class OutlineInput(BaseModel):
    """Arguments of one call."""

    path: str = Field(description="path of the file, relative to the workspace")


class Outline(OneByOne):
    """The tool. A server that can be asked with `ask` knows languages without a grammar, and what macros define."""

    spec = ToolSpec("outline", prompt("outline"), OutlineInput, frozenset({Effect.READ}))

    def __init__(self, kit: Kit, ask: Ask | None = None) -> None:
        self._kit = kit
        self._ask = ask

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `Tool`."""
        assert isinstance(value, OutlineInput)
        file = await read(self._kit, value.path)
        name = shown(file.path)
        known, who = Symbols() if self._ask is None else await self._ask(file), ""
        if self._ask is not None:
            who = found_by(known.server, known.why, "syntax", [file.path])
        symbols = known.by_path.get(file.path, ())
        if language_of(file.path) is None and not known.server:
            return ToolOutput(f"{name}: no grammar for this kind of file{who}; use read_file or search_text")
        if len(file.text) > MAX_PARSED_CHARACTERS and not symbols:
            return ToolOutput(f"{name}: too long to be parsed{who}; use search_text, and read_file with line numbers")
        lines, complete = await asyncio.to_thread(_outline, file, symbols)
        head = f"{name}: {counted(len(lines_of(file.text)), 'line')}"
        if not lines:
            return ToolOutput(f"{head}, nothing is defined in it{who}")
        more = "" if complete else "\n(cut here; read the rest with read_file)"
        return ToolOutput("\n".join([f"{head}{who}", *lines]) + more, shown=head, files=(file.path,))


def _outline(file: TextFile, known: Sequence[Symbol]) -> tuple[list[str], bool]:
    lines = lines_of(file.text)
    return fitting(f"{_span(each)}  {'  ' * each.depth}{signature(lines, each)}" for each in outlined(file, known))


def _span(one: Definition) -> str:
    return f"{one.first_line}-{one.last_line}".rjust(11)


def signature(lines: list[str], one: Definition) -> str:
    """The lines of `lines` that say what `one` is, on one line."""
    text = " ".join(" ".join(lines[one.first_line - 1 : one.signature_last_line]).split())
    return text if len(text) <= _MOST_SIGNATURE else f"{text[:_MOST_SIGNATURE]}…"

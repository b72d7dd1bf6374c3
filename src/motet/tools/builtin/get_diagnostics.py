"""`get_diagnostics`: what compilers, linters and language servers complain about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Literal, Protocol

from pydantic import BaseModel, Field

from motet.diagnostics import Report
from motet.diagnostics.render_lines import diagnostic_lines
from motet.diagnostics.render_problems import severities
from motet.permissions import Effect
from motet.prompts import prompt
from motet.text import Diagnostic, LineIndex, Severity, TextFile
from motet.tools.kit import Kit
from motet.tools.reading import counted, fitting, read, read_all, visible_files
from motet.tools.tool import OneByOne, ToolOutput, ToolSpec
from motet.workspace.failures import shown

_MOST_FILES = 1_000
"""Files of a project that are checked at once."""


class DiagnosticsSource(Protocol):
    """Whoever knows what is wrong with files: `DiagnosticsService`, or an editor."""

    async def check(self, files: Sequence[TextFile]) -> Report:
        """What is wrong with these versions of `files`."""
        ...


class GetDiagnosticsInput(BaseModel):
    """Arguments of one call."""

    path: str | None = Field(
        None, description="file to look at, relative to the workspace; default: the whole project"
    )
    severity: Literal["error", "warning", "info", "hint"] = Field(
        "warning", description="the mildest kind of problem to tell"
    )


class GetDiagnostics(OneByOne):
    """The tool."""

    spec = ToolSpec("get_diagnostics", prompt("get_diagnostics"), GetDiagnosticsInput, frozenset({Effect.READ}))

    def __init__(self, kit: Kit, source: DiagnosticsSource) -> None:
        self._kit = kit
        self._source = source

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `Tool`."""
        assert isinstance(value, GetDiagnosticsInput)
        left_out = 0
        if value.path is not None and value.path.strip() not in ("", "."):
            files = [await read(self._kit, value.path)]
        else:
            paths = await visible_files(self._kit)
            left_out = max(len(paths) - _MOST_FILES, 0)
            files = await read_all(self._kit, paths[:_MOST_FILES])
        report = await self._source.check(files)
        mildest = Severity[value.severity.upper()]
        # Servers name other files too, which a model may have to be kept from.
        names = {file.path: file for file in files}
        problems = [one for one in report.diagnostics if one.severity <= mildest and one.path in names]
        return _output(problems, names, report, left_out)


def _output(
    problems: Sequence[Diagnostic], files: Mapping[str, TextFile], report: Report, left_out: int
) -> ToolOutput:
    checked = f"{counted(len(files), 'file')} checked"
    by = f" by {', '.join(report.sources)}" if report.sources else ""
    head = f"{severities(problems) or 'no problems'}; {checked}{by}"
    if not report.sources:
        head = f"{severities(problems) or 'nothing is known'}: no compiler, linter or language server answered"
    notes = [shown(line) for line in report.advice]
    if left_out:
        notes.append(f"{counted(left_out, 'file')} not checked: name one with `path`")
    lines, complete = fitting(_lines(problems, files))
    if not complete:
        notes.append("cut here; ask for one file, or for errors only")
    return ToolOutput("\n".join([head, *lines, *(f"({note})" for note in notes)]), shown=head)


def _lines(problems: Sequence[Diagnostic], files: Mapping[str, TextFile]) -> Iterator[str]:
    for path, group in groupby(problems, key=lambda one: one.path):
        index = LineIndex(files[path].text)
        yield f"\n{shown(path)}"
        for one in group:
            yield from diagnostic_lines(one, index)

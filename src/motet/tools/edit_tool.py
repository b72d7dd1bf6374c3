"""Tools whose calls are edits: each format has one, and all send what they read over the same desk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from motet.errors import EditFormatError
from motet.messages import ToolCall
from motet.permissions import Effect
from motet.prompts import prompt
from motet.tools.tool import ToolInput, ToolOutput, ToolSpec

if TYPE_CHECKING:
    from pydantic import BaseModel

    from motet.edits import Edit
    from motet.tools.desk import EditDesk
    from motet.tools.report import DeskReport


@dataclass(frozen=True, slots=True)
class EditCall(ToolCall):
    """What a model wrote into the text of its answer: edits that were read already, which any edit tool takes.
    `arguments` only shows them."""

    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class BrokenCall(ToolCall):
    """What a model wrote into the text of its answer, and what cannot be understood: `why`."""

    why: str = ""


class EditTool:
    """Reads the edits of its calls in one format; those of one answer are planned together by the edit desk.

    `input` is what a model is told. What models make of it is read by `motet.edits`, which knows their habits.
    """

    def __init__(self, desk: EditDesk, format: str, name: str, input: type[BaseModel]) -> None:
        self.desk = desk
        self._format = format
        self.spec = ToolSpec(name, prompt(format), input, frozenset({Effect.WRITE}))

    async def run(self, calls: Sequence[ToolInput]) -> list[ToolOutput]:
        """See `Tool`."""
        name = self.spec.name
        return await self.run_calls(
            [ToolCall(call.id, name, call.value.model_dump_json(exclude_none=True)) for call in calls]
        )

    async def run_calls(self, calls: Sequence[ToolCall]) -> list[ToolOutput]:
        """One output a call, whose arguments nobody has checked; calls to the same file share its fate."""
        read = [self._read(call) for call in calls]
        report = await self.desk.submit(
            [edit for edits in read if not isinstance(edits, ToolOutput) for edit in edits]
        )
        return [edits if isinstance(edits, ToolOutput) else _output(report, edits) for edits in read]

    def _read(self, call: ToolCall) -> Sequence[Edit] | ToolOutput:
        if isinstance(call, EditCall):
            return call.edits
        from motet.edits import parse  # 70 ms; a chat without edits does without

        try:
            return parse(call.arguments, self._format, call=call.id)
        except EditFormatError as error:
            return ToolOutput(f"{self._subject(call)}: refused (bad_format): {error}", is_error=True)

    def _subject(self, call: ToolCall) -> str:
        """What a broken call was about: its file, where that can be said."""
        from pydantic import ValidationError

        from motet.tools.file_input import FileInput

        try:
            value = self.spec.input.model_validate_json(call.arguments)
        except ValidationError:
            return self.spec.name
        return self.desk.normalise(value.path) if isinstance(value, FileInput) else self.spec.name


def _output(report: DeskReport, edits: Sequence[Edit]) -> ToolOutput:
    paths = [edit.path for edit in edits]
    is_error = any(report.of(path).is_error for path in paths)
    return ToolOutput(report.describe(paths), is_error, files=tuple(dict.fromkeys(paths)))

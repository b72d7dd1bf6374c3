"""The tools that were handed to a model, and the running of an answer's calls."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from motet.errors import MotetError
from motet.messages import ToolCall, new_id
from motet.models.protocol import ToolDefinition
from motet.permissions import Effect
from motet.tools.edit_tool import BrokenCall, EditCall, EditTool
from motet.tools.tool import OneByOne, Tool, ToolInput, ToolOutput

if TYPE_CHECKING:
    from motet.tools.desk import EditDesk

MAX_OUTPUT_CHARACTERS = 20_000
"""A tool's output for the model is cut to this many characters; head and tail stay."""


@runtime_checkable
class _OverDesk(Protocol):
    """A tool all of whose writing goes over an edit desk."""

    desk: EditDesk


class Toolbox:
    """The tools of one turn.

    With `outputs`, a private directory, the whole of an output that is too long for a model is kept there. A tool that
    reads, and a user's own, is cancelled after `timeout` seconds; None: it may take as long as it likes. While `plans`
    says that the chat is in plan mode, only the tools that fit it are there. `held` says before each call why it may
    not run any more; empty when it may. `about`: the file that an edit in the text of an answer is for when it names none.
    """

    def __init__(
        self,
        tools: Iterable[Tool] = (),
        *,
        outputs: Path | None = None,
        timeout: float | None = None,
        plans: Callable[[], bool] = lambda: False,
        held: Callable[[], Awaitable[str]] | None = None,
        about: str = "",
    ) -> None:
        self.about = about
        self._all = {tool.spec.name: tool for tool in tools}
        self._plans = plans
        self._outputs = outputs
        self._timeout = timeout
        self._held = held

    @property
    def definitions(self) -> tuple[ToolDefinition, ...]:
        """What the model is told about the tools."""
        return tuple(tool.spec.definition for tool in self._tools.values())

    @property
    def edit_tool(self) -> EditTool | None:
        """The tool that takes edits, in whatever format a model writes them; None where none was handed over."""
        return next((tool for tool in self._tools.values() if isinstance(tool, EditTool)), None)

    def acts_elsewhere(self, call: ToolCall) -> bool:
        """Whether the call may change files in a way that no edit desk knows of."""
        tool = self._taken(call)[0]
        if tool is None or isinstance(tool, _OverDesk):
            return False
        return bool(tool.spec.effects & {Effect.WRITE, Effect.RUN})

    @property
    def _tools(self) -> Mapping[str, Tool]:
        if not self._plans():
            return self._all
        return {name: tool for name, tool in self._all.items() if tool.spec.fits_a_plan}

    async def run(self, calls: Sequence[ToolCall]) -> list[ToolOutput]:
        """Run the calls of one answer; exactly one output for each, in their order."""
        return [output async for _, output in self.each(calls)]

    async def each(self, calls: Sequence[ToolCall]) -> AsyncGenerator[tuple[ToolCall, ToolOutput]]:
        """The calls of one answer with what they came to, in order, as they end.

        They run one after the other, as the model wrote them; calls in a row that only read run together, and calls
        in a row to one tool are handed to it together.
        """
        for together in self._stages(calls):
            runs = [asyncio.create_task(self._run(tool, group)) for tool, group in together]
            try:
                for (_, group), running in zip(together, runs, strict=True):
                    for call, output in zip(group, await running, strict=True):
                        yield call, self._cap(call, output)
            finally:
                for running in runs:
                    running.cancel()
                await asyncio.gather(*runs, return_exceptions=True)

    def _stages(self, calls: Sequence[ToolCall]) -> list[list[tuple[Tool | None, list[ToolCall]]]]:
        """Calls to one tool in a row, and of these rows those together that may run together."""
        rows = [(tool, [call for _, call in row]) for tool, row in groupby(map(self._taken, calls), itemgetter(0))]
        stages: list[list[tuple[Tool | None, list[ToolCall]]]] = []
        reading = False
        for tool, row in rows:
            reads = tool is None or tool.spec.only_reads
            if reads and reading:
                stages[-1].append((tool, row))
            else:
                stages.append([(tool, row)])
            reading = reads
        return stages

    def _taken(self, call: ToolCall) -> tuple[Tool | None, ToolCall]:
        """`call` and who takes it: edits that a model wrote as text go to whichever edit tool there is."""
        if isinstance(call, BrokenCall):
            return None, call
        return (self.edit_tool if isinstance(call, EditCall) else self._tools.get(call.name)), call

    async def _run(self, tool: Tool | None, calls: Sequence[ToolCall]) -> Sequence[ToolOutput]:
        """The outputs of the calls to one tool, which come together; one by one where it may have to stop between."""
        if self._held is not None and isinstance(tool, OneByOne):
            return [output for call in calls for output in await self._run_together(tool, [call])]
        return await self._run_together(tool, calls)

    async def _run_together(self, tool: Tool | None, calls: Sequence[ToolCall]) -> Sequence[ToolOutput]:
        if self._held is not None and (why := await self._held()):
            return [ToolOutput(f"{call.name}: not run: {why}", is_error=True) for call in calls]
        if tool is None:
            names = ", ".join(self._tools) or "none"
            missing = "there is no tool {!r} here; the tools are: {}"
            texts = (call.why if isinstance(call, BrokenCall) else missing.format(call.name, names) for call in calls)
            return [ToolOutput(text, is_error=True) for text in texts]
        if isinstance(tool, EditTool):
            return await tool.run_calls(calls)
        checked = [_check(tool, call) for call in calls]
        inputs = [each for each in checked if isinstance(each, ToolInput)]
        results = iter(await self._in_time(tool, inputs) if inputs else ())
        return [next(results) if isinstance(each, ToolInput) else each for each in checked]

    async def _in_time(self, tool: Tool, inputs: Sequence[ToolInput]) -> Sequence[ToolOutput]:
        deadline = asyncio.timeout(self._timeout if _is_timed(tool) else None)
        try:
            async with deadline:
                return await tool.run(inputs)
        except TimeoutError:
            if not deadline.expired():
                raise
            text = f"{tool.spec.name}: stopped after {self._timeout:g} seconds without an end"
        except MotetError as error:
            text = f"{tool.spec.name}: {error}"
        return [ToolOutput(text, is_error=True)] * len(inputs)

    def _cap(self, call: ToolCall, output: ToolOutput) -> ToolOutput:
        """`output` short enough for a model: head and tail, and where the whole is."""
        if len(output.text) <= MAX_OUTPUT_CHARACTERS:
            return output
        half = MAX_OUTPUT_CHARACTERS // 2
        note = f"{len(output.text) - 2 * half} characters left out"
        if self._outputs is not None:
            try:
                note += f"; the whole is in {_kept(self._outputs, call.name, output.text)}"
            except OSError as error:
                note += f"; the whole could not be kept: {error.strerror}"
        return replace(output, text=f"{output.text[:half]}\n[{note}]\n{output.text[-half:]}")


def _kept(directory: Path, name: str, text: str) -> Path:
    """The file in which `text` now stands. Raises `OSError`."""
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    safe = "".join(character if character.isalnum() else "_" for character in name)[:40]
    path = directory / f"{new_id()}-{safe}.txt"
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(text.encode("utf-8", "surrogatepass"))
    return path


def _is_timed(tool: Tool) -> bool:
    """Whether nobody else sees to it that the tool ends: what may wait for a human's yes has a deadline of its own
    where it needs one."""
    from motet.tools.function_tool import FunctionTool

    return bool(tool.spec.effects and tool.spec.only_reads) or isinstance(tool, FunctionTool)


def _check(tool: Tool, call: ToolCall) -> ToolInput | ToolOutput:
    """The call with its arguments checked, or what is wrong with them."""
    from pydantic import ValidationError

    try:
        return ToolInput(call.id, tool.spec.input.model_validate_json(call.arguments or "{}"))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        reason = f"{place}: {first['msg']}" if place else first["msg"]
        return ToolOutput(f"{call.name}: the arguments do not fit: {reason}; nothing was done", is_error=True)

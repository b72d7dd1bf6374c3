"""The tools that were handed to a model, and the running of an answer's calls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import ValidationError

from motet.messages import ToolCall
from motet.models.protocol import ToolDefinition
from motet.tools.edit_tool import EditCall, EditTool
from motet.tools.tool import Tool, ToolInput, ToolOutput

MAX_OUTPUT_CHARACTERS = 20_000
"""A tool's output for the model is cut to this many characters; head and tail stay."""


class Toolbox:
    """The tools of one turn."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools = {tool.spec.name: tool for tool in tools}

    @property
    def definitions(self) -> tuple[ToolDefinition, ...]:
        """What the model is told about the tools."""
        return tuple(tool.spec.definition for tool in self._tools.values())

    async def run(self, calls: Sequence[ToolCall]) -> list[ToolOutput]:
        """Run the calls of one answer; exactly one output for each, in their order."""
        outputs: dict[int, ToolOutput] = {}
        by_name: dict[str, list[tuple[int, ToolCall]]] = {}
        for index, call in enumerate(calls):
            tool = self._tool(call)
            if tool is None:
                names = ", ".join(self._tools) or "none"
                text = f"there is no tool {call.name!r} here; the tools are: {names}"
                outputs[index] = ToolOutput(text, is_error=True)
            else:
                by_name.setdefault(tool.spec.name, []).append((index, call))
        for name, numbered in by_name.items():
            results = await self._run(self._tools[name], [call for _, call in numbered])
            outputs |= {index: _cap(output) for (index, _), output in zip(numbered, results, strict=True)}
        return [outputs[index] for index in range(len(calls))]

    def _tool(self, call: ToolCall) -> Tool | None:
        """Who takes `call`: edits that a model wrote as text go to whichever edit tool there is."""
        if isinstance(call, EditCall):
            return next((tool for tool in self._tools.values() if isinstance(tool, EditTool)), None)
        return self._tools.get(call.name)

    async def _run(self, tool: Tool, calls: Sequence[ToolCall]) -> Sequence[ToolOutput]:
        """The outputs of the calls to one tool, which come together."""
        if isinstance(tool, EditTool):
            return await tool.run_calls(calls)
        checked = [_check(tool, call) for call in calls]
        inputs = [each for each in checked if isinstance(each, ToolInput)]
        results = iter(await tool.run(inputs) if inputs else ())
        return [next(results) if isinstance(each, ToolInput) else each for each in checked]


def _check(tool: Tool, call: ToolCall) -> ToolInput | ToolOutput:
    """The call with its arguments checked, or what is wrong with them."""
    try:
        return ToolInput(call.id, tool.spec.input.model_validate_json(call.arguments or "{}"))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        reason = f"{place}: {first['msg']}" if place else first["msg"]
        return ToolOutput(f"{call.name}: the arguments do not fit: {reason}; nothing was done", is_error=True)


def _cap(output: ToolOutput) -> ToolOutput:
    if len(output.text) <= MAX_OUTPUT_CHARACTERS:
        return output
    half = MAX_OUTPUT_CHARACTERS // 2
    left_out = len(output.text) - 2 * half
    text = f"{output.text[:half]}\n[{left_out} characters left out]\n{output.text[-half:]}"
    return ToolOutput(text, output.is_error)

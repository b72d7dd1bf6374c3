"""Ask the offline model as `motet fix` does: a request in the exact text form, its answer applied for real."""

from __future__ import annotations

import json
from dataclasses import dataclass

from motet.edits import Refusal, Replace, parse_replace_in_file, plan
from motet.messages import Message, Role, Text, ToolCall, ToolResult
from motet.models.offline import OfflineModel
from motet.models.protocol import Completed, ModelRequest, TextDelta, ToolCallDelta, ToolDefinition
from motet.text import TextFile

ROOT = "/home/me/project"
TOOL = ToolDefinition("replace_in_file", "Change a file.", {"type": "object"})
SYSTEM = Message.system("You fix diagnostics.", "system_prompt_from_config")
DASHES = "-" * 80


def shown(path: str, text: str, *problems: str, head: str = "Content:") -> str:
    """One file in the text form; `problems` are its lines below `Diagnostics:`."""
    lines = "\n".join(problems)
    return f"File: {ROOT}/{path}\n{DASHES}\n{head}\n{text}\n\nDiagnostics:\n{DASHES}\n{lines}"


@dataclass(frozen=True)
class Answer:
    """What the model said: its text, its calls, and the end."""

    text: str
    deltas: tuple[ToolCallDelta, ...]
    end: Completed

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return self.end.calls

    @property
    def diffs(self) -> dict[str, str]:
        """The diff of each call by path."""
        arguments = [json.loads(call.arguments) for call in self.calls]
        return {one["path"]: one["diff"] for one in arguments}

    @property
    def edits(self) -> list[Replace]:
        return [edit for path, diff in self.diffs.items() for edit in parse_replace_in_file(path, diff)]


async def send(request: ModelRequest) -> Answer:
    """Everything the model streams for `request`, checked against the promises of the protocol."""
    events = [event async for event in OfflineModel().stream(request)]
    end = events[-1]
    assert isinstance(end, Completed)
    assert not any(isinstance(event, Completed) for event in events[:-1])
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    return Answer(text, tuple(event for event in events if isinstance(event, ToolCallDelta)), end)


def request(*parts: str, tools: bool = True, then: tuple[Message, ...] = (), cap: int | None = None) -> ModelRequest:
    user = Message.user(f"Workspace: {ROOT}\nFix what the diagnostics complain about.", *parts)
    return ModelRequest((SYSTEM, user, *then), (TOOL,) if tools else (), cap)


async def ask(*parts: str, tools: bool = True) -> Answer:
    """What the model answers when it is shown `parts`."""
    return await send(request(*parts, tools=tools))


async def mended(path: str, text: str, *problems: str) -> str:
    """`text` after the answer to its problems was applied; a refused edit fails the test."""
    answer = await ask(shown(path, text.removesuffix("\n"), *problems))
    planned = plan({path: TextFile.decode(path, text.encode())}, answer.edits)
    assert [one for file in planned.files for one in file.outcomes if isinstance(one, Refusal)] == []
    after = planned.files[0].after if planned.files else None
    return text if after is None else after.text


def results(answer: Answer, text: str, *, error: bool = False) -> tuple[Message, ...]:
    """The answer as an assistant message, and `text` as the result of each of its calls."""
    said = Message(Role.ASSISTANT, (Text(answer.text),), calls=answer.calls)
    given = (Message.tool(ToolResult(call.id, call.name, error), text, "tool_output") for call in answer.calls)
    return (said, *given)

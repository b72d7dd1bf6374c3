"""Memory of `motet fix` and the size of its prompts on a large workspace with many problems.

    python bench/large_workspace.py [--files N] [--problems N] [--window TOKENS] [--json]

A real run over HTTP: a provider on this machine answers in the dialect of chat completions with what the offline
model says, and keeps every request. So there are edits, tool results and several rounds. One file in ten is so long
that it does not fit the window.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from measure.project import modules, padded, plant, write_project
from measure.run import BIN, BenchError, Place, place
from measure.table import Measured, Result, main, measured, say

from motet.messages import Message, Role, Text, ToolCall, ToolResult, estimate_tokens, tags
from motet.models.offline import OfflineModel
from motet.models.protocol import Completed, ModelRequest, TextDelta, ToolDefinition
from motet.models.scripted import Answer, ScriptedRequest, ScriptedServer

BAR_MEGABYTES = 200
PER_FILE = 3
LONG_LINES = 2_500
PEAK = Path(__file__).resolve().parent / "peak.py"


@dataclass(frozen=True)
class Prompt:
    """One request as it came over the wire: its tokens (over-estimated from its bytes), and room for the answer."""

    tokens: int
    answer: int


def measure(files: int, problems: int, window: int) -> Result:
    """One run over `files` files with `problems` problems and a model with a window of `window` tokens."""
    with place() as here:
        project = here.directory("project")
        made = modules(files)
        faulty = -(-problems // PER_FILE)
        for number in range(faulty):
            at = number * (len(made) // faulty)
            wanted = min(PER_FILE, problems - number * PER_FILE)
            made[at] = plant(padded(made[at], LONG_LINES) if number % 10 == 9 else made[at], wanted)
        files = len(write_project(project, made))
        subprocess.run(["git", "init", "--quiet"], cwd=project, env=here.environment, check=True)
        used, events, prompts = asyncio.run(_run(here, project, window))
    found = next(event for event in events if event["event"] == "checked")
    if (found["files"], len(found["diagnostics"])) != (files, problems):
        raise BenchError(f"{found['files']} files with {len(found['diagnostics'])} problems were looked at")
    ended = events[-1]
    about = (
        f"`motet fix --yes` on {files:,} Python files with {problems} problems in {faulty} of them, "
        f"a tenth of these {LONG_LINES:,} lines long, with a model whose window is {window:,} tokens, over HTTP. "
        f"{len(prompts)} requests were sent, {problems - len(ended['remaining'])} problems solved. Memory (the "
        "peak resident size) and processor time are of motet's own process. Tokens are over-estimated from the bytes of messages and tools; "
        "with the room for its answer that a request asks for, each must fit the window."
    )
    rows = [
        Measured("peak memory", "MB", [used["peak"] / 1e6], BAR_MEGABYTES),
        Measured("processor time", "s", [used["cpu"]]),
        Measured("prompt", "tokens", [prompt.tokens for prompt in prompts]),
        Measured("largest prompt with room for its answer", "tokens", [max(p.tokens + p.answer for p in prompts)], window),
    ]  # fmt: skip
    return measured("A large workspace", about, rows)


async def _run(here: Place, project: Path, window: int) -> tuple[dict[str, float], list[dict], list[Prompt]]:
    async with provider() as (url, requests):
        here.settings(
            f'[providers.bench]\nbase_url = "{url}/v1"\ndialect = "openai"\nmodel = "offline"\ncontext_tokens = {window}\n'
            "tools = true\n[fix]\nserver_timeout = 300\n"
        )
        report, output = here.root / "peak", here.root / "events"
        argv = [BIN / "python", PEAK, report, "fix", "--yes", "--json", "--model", "bench", "--allow", "send"]
        with output.open("wb") as out:
            run = await asyncio.create_subprocess_exec(
                *argv, cwd=project, env=here.environment, stdout=out, stderr=asyncio.subprocess.PIPE
            )
            _, said = await run.communicate()
    if run.returncode not in (0, 1) or not requests:
        raise BenchError(f"motet fix: exit code {run.returncode}: {said.decode()[-800:]}")
    events = [json.loads(line) for line in output.read_text().splitlines()]
    return json.loads(report.read_text()), events, [_prompt(request) for request in requests]


def _prompt(request: ScriptedRequest) -> Prompt:
    said = _neutral(request.body)
    texts = [message.text + "".join(call.arguments for call in message.calls) for message in said.messages]
    tools = json.dumps(request.body.get("tools"))
    limit = request.body.get("max_tokens")
    return Prompt(estimate_tokens("".join(texts) + tools), limit if isinstance(limit, int) else 0)


@asynccontextmanager
async def provider() -> AsyncIterator[tuple[str, Sequence[ScriptedRequest]]]:
    """A provider over HTTP in whose place the offline model answers: its address, and what it was asked."""
    with ThreadPoolExecutor(1) as thread:

        def answer(request: ScriptedRequest) -> Answer:
            said = thread.submit(asyncio.run, _answer(_neutral(request.body))).result()
            if len(server.requests) % 20 == 0:
                say(f"{len(server.requests)} requests")
            return said

        async with ScriptedServer(answer) as server:
            yield server.url, server.requests


async def _answer(request: ModelRequest) -> Answer:
    text: list[str] = []
    calls: tuple[ToolCall, ...] = ()
    async for event in OfflineModel().stream(request):
        match event:
            case TextDelta(piece):
                text.append(piece)
            case Completed():
                calls = event.calls
            case _:
                pass
    return Answer("".join(text), calls=calls)


def _neutral(body: Mapping) -> ModelRequest:
    """A request of chat completions in motet's own values."""
    messages = tuple(_message(raw) for raw in body["messages"])
    functions = [tool["function"] for tool in body.get("tools", ())]
    tools = tuple(ToolDefinition(one["name"], one["description"], one["parameters"]) for one in functions)
    return ModelRequest(messages, tools)


def _message(raw: Mapping) -> Message:
    content = raw.get("content") or ""
    parts = [content] if isinstance(content, str) else [part["text"] for part in content]
    match raw["role"]:
        case "system":
            return Message.system("\n".join(parts), tags.SYSTEM_PROMPT)
        case "user":
            # Over the wire the files of a request are one text.
            return Message.user(*re.split(r"\n\n(?=File: /)", "\n\n".join(parts)), tag=tags.DIAGNOSTICS)
        case "tool":
            return Message.tool(
                ToolResult(raw["tool_call_id"], "replace_in_file"), "\n".join(parts), tags.TOOL_OUTPUT
            )
        case _:
            asked = [(call["id"], call["function"]) for call in raw.get("tool_calls") or ()]
            calls = tuple(ToolCall(id, function["name"], function["arguments"]) for id, function in asked)
            return Message(Role.ASSISTANT, tuple(map(Text, parts)), (), calls)


if __name__ == "__main__":
    sys.exit(main(__doc__, {"files": 1_000, "problems": 300, "window": 15_000}, measure))

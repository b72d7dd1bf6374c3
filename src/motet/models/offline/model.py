"""The offline model: needs no key and no network, says what it is, and calls the same tools as any model."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence

from motet.messages import ToolCall, estimate_tokens
from motet.models.offline.conversation import WHO, reply
from motet.models.offline.found import Look
from motet.models.offline.mend import Mender, Outcome
from motet.models.offline.names import unknown_in
from motet.models.offline.request import TOOL, Brief, Past, read_request
from motet.models.offline.source import Source
from motet.models.protocol import (
    Completed,
    Destination,
    Limits,
    ModelEvent,
    ModelRequest,
    Price,
    TextDelta,
    ToolCallDelta,
)

_PIECE = 2_000
"""Characters of a tool call's arguments in one delta."""


class OfflineModel:
    """Applies what the request itself says: suggested fixes, *did you mean*, the closest name, certain repairs.

    Without diagnostics it quotes what was shared and has most words in common with the question, or else what `look`
    finds. Deterministic; never leaves this process; costs nothing.
    """

    def __init__(self, look: Look | None = None) -> None:
        self._look = look

    @property
    def name(self) -> str:
        """`offline`"""
        return "offline"

    @property
    def limits(self) -> Limits:
        """It reads a request of any size; the numbers bound the work of one round."""
        return Limits(context_tokens=200_000, output_tokens=64_000)

    @property
    def price(self) -> Price | None:
        """None: nothing is charged."""
        return None

    @property
    def destination(self) -> Destination:
        """This process."""
        return Destination(provider="offline", host="this machine", remote=False)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Answer with what is done and what is not and why, then one edit call per file; or with quotes."""
        brief = read_request(request)
        if not brief.reports:
            text = _closing(brief) if brief.answered else await reply(request, self._look)
            async for event in _spoken(text):
                yield event
            yield Completed("stop")
            return
        outcomes = _affordable(await _mend_all(brief), request.max_output_tokens)
        async for event in _spoken(_account(brief, outcomes)):
            yield event
        calls = tuple(_calls(request, brief, outcomes)) if brief.can_call else ()
        for index, call in enumerate(calls):
            yield ToolCallDelta(index, "", call.id, call.name)
            for at in range(0, len(call.arguments), _PIECE):
                await asyncio.sleep(0)
                yield ToolCallDelta(index, call.arguments[at : at + _PIECE])
        yield Completed("tool_calls" if calls else "stop", calls)


async def _spoken(text: str) -> AsyncIterator[ModelEvent]:
    for line in text.splitlines(keepends=True):
        await asyncio.sleep(0)
        yield TextDelta(line)


async def _mend_all(brief: Brief) -> list[Outcome]:
    sources = [Source(report) for report in brief.reports]
    reported: set[str] = set()
    for source in sources:
        for diagnostic in source.report.diagnostics:
            await asyncio.sleep(0)
            unknown = unknown_in(source, diagnostic)
            reported.update(() if unknown is None else (unknown.name,))
    outcomes: list[Outcome] = []
    for source in sources:
        path = brief.relative(source.report.path)
        past = brief.pasts.get(path, Past())
        others = [other for other in sources if other is not source]
        outcomes.append(await Mender(source, others, frozenset(reported), past).mend())
    return outcomes


def _affordable(outcomes: Sequence[Outcome], limit: int | None) -> list[Outcome]:
    """`outcomes`, those without room in an answer of `limit` tokens without their blocks."""
    if limit is None:
        return list(outcomes)
    left = limit
    kept: list[Outcome] = []
    for outcome in outcomes:
        left -= estimate_tokens("\n".join(str(block) for block in outcome.blocks))
        kept.append(outcome if left >= 0 else outcome.without_room())
    return kept


def _account(brief: Brief, outcomes: Sequence[Outcome]) -> str:
    done = [line for outcome in outcomes for line in _done(brief, outcome)]
    left = [line for outcome in outcomes for line in _left(brief, outcome)]
    parts = [WHO]
    if done:
        parts.append("\n".join(("What I change:", *done)))
    if left:
        parts.append("\n".join(("What I leave:", *left)))
    if not brief.can_call:
        parts += [_fenced(brief.relative(outcome.report.path), outcome) for outcome in outcomes if outcome.blocks]
    return "\n\n".join(parts) + "\n"


def _done(brief: Brief, outcome: Outcome) -> list[str]:
    path = brief.relative(outcome.report.path)
    return [f"- {path}:{one.diagnostic.place.line}: {_one_line(one.repair.title)}" for one in outcome.taken]


def _left(brief: Brief, outcome: Outcome) -> list[str]:
    path = brief.relative(outcome.report.path)
    return [
        f"- {path}:{diagnostic.place.line}: {_one_line(diagnostic.message)} ({declined.reason})"
        for diagnostic, declined in outcome.declined
    ]


def _fenced(path: str, outcome: Outcome) -> str:
    blocks = "\n".join(str(block) for block in outcome.blocks)
    longest = max((len(run) for run in re.findall(r"^\s*(`{3,})", blocks, re.MULTILINE)), default=2)
    fence = "`" * (longest + 1)
    return f"{path}\n{fence}\n{blocks}\n{fence}"


def _calls(request: ModelRequest, brief: Brief, outcomes: Sequence[Outcome]) -> list[ToolCall]:
    calls: list[ToolCall] = []
    for outcome in outcomes:
        if outcome.blocks:
            path = brief.relative(outcome.report.path)
            diff = "\n".join(str(block) for block in outcome.blocks) + "\n"
            arguments = json.dumps({"path": path, "diff": diff}, ensure_ascii=False)
            calls.append(ToolCall(f"offline-{len(request.messages)}-{len(calls) + 1}", TOOL, arguments))
    return calls


def _closing(brief: Brief) -> str:
    if brief.refused:
        return "Not every change was taken. I do not repeat it: I have nothing else to propose."
    return "That is all I can do with what I was shown."


def _one_line(text: str) -> str:
    return " ".join(text.split())

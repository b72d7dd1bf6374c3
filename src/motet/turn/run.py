"""The loop of a turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from motet.errors import MotetError
from motet.messages import Message, ToolCall, ToolResult, estimate_tokens, tags
from motet.models.protocol import Model, ModelRequest, Usage
from motet.permissions import Action, Effect, Gate, Origin
from motet.tools import Stopped, Toolbox, ToolOutput
from motet.turn.answer import AnswerUnderWay
from motet.turn.conversation import Conversation
from motet.turn.events import AnswerStarted, ToolFinished, ToolsCalled, TurnEnded, TurnEvent
from motet.turn.limits import Limit, Spending, TurnState, WindowLimit
from motet.turn.text_calls import InText, calls_of, results_in_text
from motet.turn.whole import to_the_end
from motet.turn.written import Written

if TYPE_CHECKING:
    from motet.edits import Edit


async def run_turn(
    model: Model,
    conversation: Conversation,
    toolbox: Toolbox,
    gate: Gate,
    limits: Sequence[Limit],
    spending: Spending,
    *,
    sends: str,
) -> AsyncGenerator[TurnEvent]:
    """Run one turn of `conversation`, which grows by the answers and the tools' results.

    It ends, too, when there is no room for an answer in the model's window. Asks the gate before anything leaves for a
    provider; `sends` says what that is. Raises `ModelError`, `PermissionDenied` and what a tool raises; the answer
    under way is then not in the conversation. Whatever happens, cancelling too, every call in it has its result.
    """
    state, written = TurnState(spending), Written(toolbox)
    while True:
        messages = tuple(await conversation.next_request())
        request = ModelRequest(messages, toolbox.definitions if model.limits.tools else ())
        state.next_tokens = estimate_request(request)
        window = WindowLimit(model.limits.context_tokens)
        stop = next((verdict for limit in (*limits, window) if (verdict := limit.verdict(state))), "")
        if stop:
            yield TurnEnded(stop)
            return
        await ask_to_send(model, gate, sends)
        state.requests += 1
        yield AnswerStarted(state.requests)
        most = model.limits.output_tokens
        request = replace(request, max_output_tokens=min(window.room(state.next_tokens) or most, most))
        answer = AnswerUnderWay()
        try:
            async with aclosing(model.stream(request)) as events:
                async for event in events:
                    answer.add(event)
                    yield event
            completed = answer.completed(model.name)
        except BaseException:
            if answer.has_begun:  # what broke off is paid for, too
                spending.add(_used(model, state, answer))
            raise
        spending.add(_used(model, state, answer))
        try:
            await to_the_end(conversation.add(answer.message(completed)))
        except BaseException as error:
            await to_the_end(_no_results(conversation, completed.calls, error))
            raise
        done: list[tuple[ToolCall, ToolOutput]] = []
        written.begin(answer.text, elements=not (completed.calls or model.limits.tools))
        async with aclosing(_act(conversation, toolbox, completed.calls, written)) as happening:
            async for event in happening:
                if isinstance(event, ToolFinished):
                    done.append((event.call, event.output))
                yield event
        written.heed(done)
        if not done:
            yield written.ended()
            return
        state.hear(done)


async def _act(
    conversation: Conversation, toolbox: Toolbox, calls: Sequence[ToolCall], written: Written
) -> AsyncGenerator[TurnEvent]:
    """Do what one answer asks for: run its calls, then what its text holds besides."""
    for in_text in (False, True):
        if ready := await written.calls() if in_text else calls:
            async with aclosing(_run_tools(conversation, toolbox, ready, in_text=in_text)) as happening:
                async for event in happening:
                    yield event


async def propose(conversation: Conversation, toolbox: Toolbox, edits: Sequence[Edit]) -> AsyncGenerator[TurnEvent]:
    """Propose `edits` that stand in an answer, because the human asks for it: a turn without a model."""
    async with aclosing(_run_tools(conversation, toolbox, calls_of(InText(), edits), in_text=True)) as happening:
        async for event in happening:
            yield event
    yield TurnEnded()


async def _run_tools(
    conversation: Conversation, toolbox: Toolbox, calls: Sequence[ToolCall], *, in_text: bool
) -> AsyncGenerator[TurnEvent]:
    """Run the calls of one answer. Each result is in the conversation before the next call runs; of calls that stand
    `in_text`, of which the provider knows nothing, one user message says the same."""
    outputs: list[ToolOutput] = []
    left = [] if in_text else list(calls)
    try:
        yield ToolsCalled(tuple(calls))
        async with aclosing(toolbox.each(calls)) as running:
            async for call, output in running:
                outputs.append(output)
                if left:
                    await to_the_end(_answer(conversation, left.pop(0), output))
                yield ToolFinished(call, output)
    except BaseException as error:
        await to_the_end(_no_results(conversation, left, error))
        if outputs and in_text:
            with suppress(MotetError):  # the error that is raised says what is wrong
                await to_the_end(_tell(conversation, calls, outputs))
        raise
    if in_text:
        await to_the_end(_tell(conversation, calls, outputs))


async def _tell(conversation: Conversation, calls: Sequence[ToolCall], outputs: Sequence[ToolOutput]) -> None:
    """Say in words what became of calls that were written as text."""
    await conversation.add(Message.user(results_in_text(calls, outputs), tag=tags.TOOL_OUTPUT))


async def _answer(conversation: Conversation, call: ToolCall, output: ToolOutput) -> None:
    """Give a call its result."""
    result = ToolResult(call.id, call.name, output.is_error)
    message = Message.tool(result, output.text, tags.TOOL_OUTPUT)
    await conversation.add(replace(message, parts=(*message.parts, *output.parts)))


async def _no_results(conversation: Conversation, calls: Sequence[ToolCall], error: BaseException) -> None:
    """Say of each of `calls` that `error` has come before its result."""
    stopped = isinstance(error, asyncio.CancelledError | GeneratorExit)
    done = f"; before that: {error}" if isinstance(error, Stopped) else ""
    why = f"it was stopped{done}" if stopped else f"it failed: {error}"
    for call in calls:
        with suppress(MotetError, ValueError):  # what cannot be kept, or was never said, does not hide `error`
            await _answer(conversation, call, ToolOutput(f"{call.name}: no result, {why}", is_error=True))


async def ask_to_send(model: Model, gate: Gate, sends: str) -> None:
    """Ask, once a project, whether `sends` may go to where `model` is; a model in this process needs no question."""
    if model.destination.remote:
        where = model.destination
        await gate.require(Action(Effect.SEND, f"{where.provider} {where.host}", Origin.USER, sends))


_FRAME = 32
"""Tokens, over-estimated, that the wire's form adds to a message or a tool."""


def estimate_request(request: ModelRequest) -> int:
    """Tokens of `request`, over-estimated."""
    tools = sum(_FRAME + estimate_tokens(f"{tool.name}{tool.description}{tool.schema}") for tool in request.tools)
    return tools + sum(_FRAME + _tokens(message) for message in request.messages)


def _tokens(message: Message) -> int:
    """As counted when it was made: a chat of thousands of messages is counted several times a turn."""
    return message.meta.estimated_tokens or message.estimated().meta.estimated_tokens


def _used(model: Model, state: TurnState, answer: AnswerUnderWay) -> Usage:
    """What a request came to; where nobody reported it, it costs nothing in this process."""
    return answer.usage(state.next_tokens if model.destination.remote else None)

"""The protocol's side of one client: what it may ask, and how its calls reach the boards."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import mcp_types as types
from anyio.lowlevel import checkpoint_if_cancelled
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import cancelled_request_id_from_params

from motet import __version__
from motet.errors import MotetError
from motet.mcp.caller import WAIT, Caller
from motet.models.protocol import ToolDefinition
from motet.permissions import Effect
from motet.prompts import prompt
from motet.tasks import background
from motet.tools import ToolOutput
from motet.tools.board_tool import BOARD_TOOLS, board_tool

PULSE = 10.0
"""Seconds between two signs of life while a call runs, for clients that asked for progress."""
_GREETING = ("initialize", "server/discover")
"""Either begins a conversation, by the protocol's version; its answer carries the instructions."""

Context = ServerRequestContext[dict[str, Any], Any]


def serving(caller: Caller) -> Server[dict[str, Any]]:
    """The server of one client, who is `caller`."""
    tools = _tools()

    async def list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def call_tool(context: Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        if asked.name not in BOARD_TOOLS:
            message = f"there is no tool {asked.name!r} here; the tools are: {', '.join(BOARD_TOOLS)}"
            raise MCPError(code=types.INVALID_PARAMS, message=message)
        pulse = background(_pulse(context))
        try:
            output = await caller.call(_client(context), asked.name, asked.arguments or {}, str(context.request_id))
        except MotetError as error:
            output = ToolOutput(f"{asked.name}: {error}", is_error=True)
        finally:
            pulse.cancel()
        return types.CallToolResult(content=[types.TextContent(text=output.text)], is_error=output.is_error)

    async def observe(ctx: Context, call_next: CallNext) -> HandlerResult:
        """Every message passes here before anything is done with it. Other requests than calls prove nothing: client
        libraries send them by themselves, whatever became of an answer."""
        if ctx.method == "tools/call" and ctx.request_id is not None:
            await caller.came(str(ctx.request_id))
            with caller.answering(str(ctx.request_id)):
                result = await call_next(ctx)
                await checkpoint_if_cancelled()  # the library answers no call that is cancelled by now
                return result
        if ctx.method == "notifications/cancelled":
            caller.cancelled(str(cancelled_request_id_from_params(ctx.params)))
        result = await call_next(ctx)
        return await _greeted(caller, ctx, result) if ctx.method in _GREETING else result

    server: Server[dict[str, Any]] = Server(
        "motet",
        version=__version__,
        title="motet boards",
        instructions=prompt("mcp"),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    server.middleware.append(observe)
    return server


async def _greeted(caller: Caller, context: Context, result: HandlerResult) -> HandlerResult:
    """The answer to a greeting: whoever greets is an agent from now on, and is told which."""
    try:
        speaker = await caller.sit(_client(context))
        boards = ", ".join(one.name for one in await speaker.seat.boards.boards_of(speaker.seat.address))
    except MotetError as error:
        raise MCPError(code=types.INTERNAL_ERROR, message=f"motet: {error}") from error
    who = f"You are `{caller.address}`, on the boards of {speaker.seat.project}: {boards}."
    return {**cast("Mapping[str, object]", result), "instructions": f"{who}\n\n{prompt('mcp')}"}


def _client(context: Context) -> str:
    """What the client calls itself: in its greeting, or with every request."""
    known = context.session.client_params
    if known is not None:
        return known.client_info.name
    match context.params:
        case {"clientInfo": {"name": str(name)}}:
            return name
        case _:
            return "mcp"


def _tools() -> list[types.Tool]:
    """As they are for a chat; only waiting is different: here nothing comes by itself."""

    def nobody() -> Any:
        raise MotetError("nobody speaks yet")

    found = [board_tool(name, nobody).spec for name in BOARD_TOOLS]
    return [_tool(spec.definition, reads=spec.effects <= {Effect.READ}) for spec in found]


def _tool(definition: ToolDefinition, *, reads: bool) -> types.Tool:
    if definition.name == WAIT:
        definition = replace(definition, description=prompt("mcp_board_wait"))
    return types.Tool(
        name=definition.name,
        description=definition.description,
        input_schema=dict(definition.schema),
        annotations=types.ToolAnnotations(read_only_hint=reads, destructive_hint=False, open_world_hint=False),
    )


async def _pulse(context: Context) -> None:
    """Say from time to time that the call still runs, to a client that asked for progress."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    while True:
        await asyncio.sleep(PULSE)
        await context.session.report_progress(loop.time() - began, message="waiting for posts")

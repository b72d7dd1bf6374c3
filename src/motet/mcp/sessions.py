"""Sessions over streamable HTTP: each is one client, from its greeting to its end."""

from __future__ import annotations

import asyncio
import logging
import os
from dataclasses import dataclass, field
from uuid import uuid4

import mcp_types as types
from anyio import ClosedResourceError
from mcp.server.runner import serve_loop
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER, StreamableHTTPServerTransport
from mcp.server.transport_security import DEFAULT_MAX_REQUEST_BODY_SIZE, RequestBodyLimitMiddleware
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from motet.mcp.caller import Caller, Place
from motet.mcp.server import serving

IDLE = 300.0
"""Seconds after which a session ends whose client neither asks for anything nor listens."""
_MOST = 200
"""Sessions at a time."""
_VERSION = "mcp-protocol-version"


@dataclass(slots=True)
class _Session:
    """One client. `peers`: the processes that spoke for it, as far as that is known; `listened`: it once held a stream
    open on which it would hear of anything; `busy`: its requests under way."""

    transport: StreamableHTTPServerTransport
    caller: Caller
    task: asyncio.Task[None] | None = None
    peers: set[int] = field(default_factory=set[int])
    listened: bool = False
    busy: int = 0

    @property
    def is_deserted(self) -> bool:
        """Nothing of its client is here any more, as far as that can be told."""
        if self.transport.is_terminated:
            return True
        if self.busy:
            return False
        return not any(map(_is_alive, self.peers)) if self.peers else self.listened


class Sessions:
    """The application behind the gate."""

    def __init__(self, place: Place, idle: float = IDLE) -> None:
        self._place = place
        self._idle = idle
        self._open: dict[str, _Session] = {}
        self._limited = RequestBodyLimitMiddleware(self._serve, DEFAULT_MAX_REQUEST_BODY_SIZE)

    async def __aenter__(self) -> Sessions:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._end(*self._open.values())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        await self._limited(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        version = headers.get(_VERSION)
        if version is not None and version not in HANDSHAKE_PROTOCOL_VERSIONS:
            # Newer versions have no sessions over HTTP: nobody could say whose inbox to read.
            data = {"supported": list(HANDSHAKE_PROTOCOL_VERSIONS), "requested": version}
            await _refusal(400, types.UNSUPPORTED_PROTOCOL_VERSION, "unsupported protocol version", data)(
                scope, receive, send
            )
            return
        name = headers.get(MCP_SESSION_ID_HEADER)
        session = await self._begin() if name is None else self._open.get(name)
        if session is None:
            line = "there is no such session; begin a new one" if name else f"{_MOST} sessions are open; close some"
            await _refusal(404 if name else 503, types.INVALID_REQUEST, line)(scope, receive, send)
            return
        status = await self._pass(session, scope, receive, send)
        if name is None and status >= 400:
            await self._end(session)  # it never began

    async def _pass(self, session: _Session, scope: Scope, receive: Receive, send: Send) -> int:
        status, is_answered = 500, False

        async def watched(message: Message) -> None:
            nonlocal status, is_answered
            if is_answered:
                return  # a session that ends under a notification is answered twice by the library
            if message["type"] == "http.response.start":
                status = message["status"]
            is_answered = message["type"] == "http.response.body" and not message.get("more_body", False)
            await send(message)

        client = scope.get("client")
        if client is not None and client[1] == 0:  # a Unix socket: see `_PeerProtocol`
            session.peers.add(int(client[0]))
        session.busy += 1
        try:
            await session.transport.handle_request(scope, receive, watched)
        except ClosedResourceError:  # it ended under a message, which has been answered
            if not session.transport.is_terminated:
                raise
        finally:
            session.busy -= 1
            session.listened = session.listened or (scope["method"] == "GET" and status < 400)
        return status

    # --- beginning and end -----------------------------------------------------------------------------------------

    async def _begin(self) -> _Session | None:
        """A new session, before which those end whose clients are gone: one of them may be this client's earlier one,
        and the new one is to be the same agent."""
        await self._end(*(one for one in self._open.values() if one.is_deserted))
        if len(self._open) >= _MOST:
            return None
        name = uuid4().hex
        transport = StreamableHTTPServerTransport(name, idle_timeout=self._idle)
        session = _Session(transport, Caller(self._place, name))
        ready = asyncio.Event()
        self._open[name] = session
        session.task = asyncio.create_task(self._run(name, session, ready))
        await ready.wait()
        return session

    async def _run(self, name: str, session: _Session, ready: asyncio.Event) -> None:
        """The life of a session."""
        transport = session.transport
        try:
            async with transport.connect() as (read, write):
                assert transport.idle_scope is not None  # a time was set
                ready.set()
                with transport.idle_scope:
                    await serve_loop(serving(session.caller), read, write, lifespan_state={}, session_id=name)
        finally:
            ready.set()
            if not transport.is_terminated:
                await transport.terminate()
            await session.caller.close("its session ended")
            del self._open[name]  # not before: whoever comes now waits for the agent to be free

    async def _end(self, *sessions: _Session) -> None:
        for session in sessions:
            await session.transport.terminate()
        await asyncio.gather(*(one.task for one in sessions if one.task is not None), return_exceptions=True)


def _is_news(record: logging.LogRecord) -> bool:
    """Whether the library has something to say: a session that ended while a message came in is nothing."""
    return not (record.exc_info and isinstance(record.exc_info[1], ClosedResourceError))


logging.getLogger("mcp.server.streamable_http").addFilter(_is_news)


def _is_alive(process: int) -> bool:
    if process <= 0:
        return True  # it is out of sight
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _refusal(status: int, code: int, line: str, data: object = None) -> JSONResponse:
    error = types.JSONRPCError(jsonrpc="2.0", id=None, error=types.ErrorData(code=code, message=line, data=data))
    return JSONResponse({**error.model_dump(mode="json", by_alias=True, exclude_none=True), "id": None}, status)

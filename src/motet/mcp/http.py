"""Many clients over streamable HTTP, on a Unix socket or on a port of this machine. Each session is an agent."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import secrets
import socket
import sys
from collections.abc import Generator
from pathlib import Path

import uvicorn
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from motet.errors import MotetError, UsageError
from motet.mcp.caller import Place
from motet.mcp.guard import Guard, peer_of
from motet.mcp.sessions import Sessions
from motet.mcp.stdio import LONGEST, whole

_PATH = "/mcp"


async def serve_http(place: Place) -> None:
    """Serve until cancelled. Raises `MotetError`."""
    with contextlib.ExitStack() as stack:
        if place.asked.socket is not None:
            path = place.asked.socket.expanduser().absolute()
            listening, protocol, guard = stack.enter_context(_on_socket(path)), _PeerProtocol, Guard()
            print(f"motet: serving the boards of {place.project} on the socket {path}, path {_PATH}", file=sys.stderr)
        else:
            listening = stack.enter_context(_on_port(place.asked.port or 0))
            port = int(listening.getsockname()[1])
            file, token = stack.enter_context(_token(place.state / "mcp" / f"port-{port}.token"))
            protocol, guard = H11Protocol, Guard(frozenset({f"127.0.0.1:{port}", f"localhost:{port}"}), token)
            url = f"http://127.0.0.1:{port}{_PATH}"
            print(f"motet: serving the boards of {place.project} at {url}; its token is in {file}", file=sys.stderr)
        async with Sessions(place) as sessions:
            await _serve(_Gate(sessions, guard), listening, protocol)


async def _serve(app: ASGIApp, listening: socket.socket, protocol: type[H11Protocol]) -> None:
    config = uvicorn.Config(
        app, http=protocol, ws="none", lifespan="off", loop="none", interface="asgi3",
        log_config=None, access_log=False, server_header=False, proxy_headers=False, timeout_graceful_shutdown=1,
    )  # fmt: skip
    server = _Server(config)
    running = asyncio.create_task(server.serve([listening]))
    try:
        await asyncio.shield(running)
    finally:
        server.should_exit = server.force_exit = True
        await running


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """They are heard elsewhere."""
        yield


class _PeerProtocol(H11Protocol):
    """Connections of another user end before a byte of theirs is read."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        peer = peer_of(transport.get_extra_info("socket"))
        if peer.user != os.getuid():
            transport.abort()
        self.client = (str(peer.process), 0)

    def data_received(self, data: bytes) -> None:
        if not self.transport.is_closing():
            super().data_received(data)


class _Gate:
    """Lets nobody in whom the guard refuses."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app = app
        self._guard = guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        refusal = self._guard.refusal(Headers(scope=scope))
        if refusal is None and scope["path"].rstrip("/") != _PATH:
            refusal = 404, f"there is nothing but {_PATH} here"
        if refusal is None:
            await self._app(scope, _whole_bodies(receive), send)
            return
        status, line = refusal
        headers = {"www-authenticate": "Bearer"} if status == 401 else None
        await JSONResponse({"error": line}, status, headers)(scope, receive, send)


def _whole_bodies(receive: Receive) -> Receive:
    """Receive the body of a request in one piece, without halves of characters; of one that is too long, its beginning as
    it is."""
    is_read = False

    async def receive_whole() -> Message:
        nonlocal is_read
        if is_read:
            return await receive()
        body, is_read = bytearray(), True
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return message
            body += message.get("body", b"")
            if not message.get("more_body"):
                return {"type": "http.request", "body": whole(bytes(body)).encode(), "more_body": False}
            if len(body) > LONGEST:
                return {"type": "http.request", "body": bytes(body), "more_body": True}

    return receive_whole


# --- where it listens --------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _on_socket(path: Path) -> Generator[socket.socket]:
    """A socket of the file system that only this user may open. Raises `UsageError`."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        peer_of(socket.socketpair()[0])
        _make_room(path)
        before = os.umask(0o177)
        try:
            listening.bind(str(path))
        finally:
            os.umask(before)
        listening.listen(64)
        own = path.stat()
    except OSError as error:
        listening.close()
        raise UsageError(f"--socket {path}: {error.strerror or error}; take another path") from error
    try:
        yield listening
    finally:
        listening.close()
        with contextlib.suppress(OSError):
            if os.path.samestat(path.lstat(), own):
                path.unlink()


def _make_room(path: Path) -> None:
    """Take away a socket on which nobody listens any more; nothing else. Raises `UsageError`, `OSError`."""
    if not path.is_socket():
        return  # whatever it is, binding says so
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as other:
        if (code := other.connect_ex(str(path))) == 0:
            raise UsageError(f"--socket {path}: another motet serves there; use it, or take another path")
    if code == errno.ECONNREFUSED:
        path.unlink()


@contextlib.contextmanager
def _on_port(port: int) -> Generator[socket.socket]:
    """A port that is reached from this machine only. Raises `UsageError`."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind(("127.0.0.1", port))
            listening.listen(64)
        except OSError as error:
            raise UsageError(f"--port {port}: {error.strerror}; take another one, or 0 for any") from error
        yield listening


@contextlib.contextmanager
def _token(file: Path) -> Generator[tuple[Path, str]]:
    """A new token, in a file that only this user can read, for as long as it is good. Raises `MotetError`."""
    token = secrets.token_urlsafe(32)
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.unlink(missing_ok=True)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w") as written:
            written.write(token)
    except OSError as error:
        raise MotetError(f"{file}: the token cannot be written: {error.strerror}") from error
    try:
        yield file, token
    finally:
        file.unlink(missing_ok=True)

"""Waking other processes of the same user on the same machine: a datagram to a socket that each of them listens on."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import socket
from collections.abc import Generator, Iterable
from pathlib import Path

from motet.board.watch import Heard, Hint, of_wire, to_wire

_LONGEST = 32 * 1024
"""Bytes of one datagram; more hints than fit are left to the poll."""
_ROOM = 100
"""Bytes that the path of a socket may have (`sun_path` has 104 or 108)."""


class SocketBell:
    """See `Bell`. Sockets lie in `directory`, which only its user enters; one whose process is gone is removed."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._own: socket.socket | None = None
        self._name = ""
        self._loop: asyncio.AbstractEventLoop | None = None

    def ring(self, hints: Iterable[Hint]) -> None:
        """See `Bell`."""
        data = json.dumps([to_wire(hint) for hint in hints], separators=(",", ":")).encode()
        if len(data) <= 2 or len(data) > _LONGEST:
            return
        with contextlib.suppress(OSError), _short(self._directory) as place:
            names = os.listdir(place)  # noqa: PTH208 (a path of a handle is no Path)
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
                sender.setblocking(False)
                for name in names:
                    if name != self._name and name.endswith(".sock"):
                        _send(sender, data, f"{place}/{name}")

    async def listen(self, heard: Heard) -> None:
        """See `Bell`."""
        if self._own is not None:
            return
        with contextlib.suppress(OSError):
            self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            own = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC)
            name = f"{os.getpid()}-{secrets.token_hex(4)}.sock"
            try:
                with _short(self._directory) as place:
                    own.bind(f"{place}/{name}")
            except OSError:
                own.close()
                raise
            (self._directory / name).chmod(0o600)
            self._own, self._name, self._loop = own, name, asyncio.get_running_loop()
            self._loop.add_reader(own, self._read, own, heard)

    async def close(self) -> None:
        """See `Bell`."""
        if self._own is not None:
            if self._loop is not None and not self._loop.is_closed():
                self._loop.remove_reader(self._own)
            self._own.close()
            self._own = None
            with contextlib.suppress(OSError):
                (self._directory / self._name).unlink()

    def _read(self, own: socket.socket, heard: Heard) -> None:
        hints: list[Hint] = []
        with contextlib.suppress(BlockingIOError):
            while data := own.recv(_LONGEST + 1):
                hints += _hints(data)
        heard(hints)


def _hints(data: bytes) -> list[Hint]:
    """What a datagram says; nothing when it is none of ours."""
    try:
        return [of_wire(said) for said in json.loads(data)]
    except (ValueError, TypeError):
        return []


def _send(sender: socket.socket, data: bytes, path: str) -> None:
    try:
        sender.sendto(data, path)
    except (ConnectionRefusedError, FileNotFoundError):
        with contextlib.suppress(OSError):
            os.unlink(path)  # noqa: PTH108 (nobody listens there any more)
    except OSError:
        pass  # its queue is full: it will look anyway


@contextlib.contextmanager
def _short(directory: Path) -> Generator[str]:
    """A path of `directory` that leaves room for a name. Raises `OSError` where there is none."""
    if len(os.fsencode(directory)) <= _ROOM - 30:
        yield str(directory)
        return
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{handle}"
    finally:
        os.close(handle)

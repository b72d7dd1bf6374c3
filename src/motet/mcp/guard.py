"""Who may talk to a server of ours on this machine: its own user, and no page of a browser.

A socket of the file system has the mode 0600, and who connects to it is asked for by the system. A port is open to every
user and to every page in a browser, so whoever comes there shows a token that only this user can read; the name that it
was called by must be this machine's own, as a page that had its own name turned into 127.0.0.1 still says that name; and
what a browser sends for a page says so itself (`Origin`), and is refused in any case.
"""

from __future__ import annotations

import hmac
import socket
import struct
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from motet.errors import MotetError


@dataclass(frozen=True, slots=True)
class Peer:
    """Who is at the other end of a Unix socket. `process` is 0 where the system does not say."""

    user: int
    process: int


def peer_of(connection: socket.socket) -> Peer:
    """Raises `MotetError` where that cannot be said. Linux: unix(7), `SO_PEERCRED`; macOS: unix(4), `LOCAL_PEERCRED`."""
    if sys.platform == "linux":
        process, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        return Peer(user, process)
    if sys.platform == "darwin":
        level, credentials, process_id = 0, 1, 2
        _, user = struct.unpack("2I", connection.getsockopt(level, credentials, 76)[:8])
        return Peer(user, struct.unpack("i", connection.getsockopt(level, process_id, 4))[0])
    raise MotetError("this system does not say who connects to a socket; serve over standard input and output")


@dataclass(frozen=True, slots=True)
class Guard:
    """What every request must show. `hosts`: the names under which it may have been sent, any when empty; `token`: what
    only this user knows, none when empty."""

    hosts: frozenset[str] = frozenset()
    token: str = ""

    def refusal(self, headers: Mapping[str, str]) -> tuple[int, str] | None:
        """The status and the line for a request with these headers (names in small letters); None: it may pass."""
        if self.hosts and headers.get("host", "").lower() not in self.hosts:
            return 421, "this server is called by the name 127.0.0.1 or localhost only"
        if "origin" in headers or headers.get("sec-fetch-site", "none") != "none":
            return 403, "this server is not for pages in a browser"
        scheme, _, shown = headers.get("authorization", "").partition(" ")
        if self.token and not (
            scheme.lower() == "bearer" and hmac.compare_digest(shown.strip().encode(), self.token.encode())
        ):
            return 401, "show the token: Authorization: Bearer …"
        return None

"""A real server on this machine that answers as it is told and remembers what it was asked; gates and pages over it."""

from __future__ import annotations

import asyncio
import ssl
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from motet.permissions import Effect, Gate, GrantStore, Rule, RuleSet, Verdict
from motet.web import Page, WebRequest, fetch

Handler = Callable[["Asked", asyncio.StreamWriter], Awaitable[None]]

REASONS = {200: "OK", 302: "Found", 404: "Not Found"}


@dataclass
class Asked:
    """One request as it arrived."""

    method: str
    target: str
    headers: dict[str, str]
    raw: bytes
    body: bytes = b""


@dataclass
class Site:
    """The server: its port, what answers at which path, and what it was asked."""

    port: int = 0
    scheme: str = "http"
    handlers: dict[str, Handler] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    connections: int = 0

    def url(self, target: str = "/", host: str = "127.0.0.1") -> str:
        return f"{self.scheme}://{host}:{self.port}{target}"

    def answer(self, path: str, body: bytes | str = b"", *, status: int = 200, **headers: str) -> None:
        """Answer `path` so; `_` in the names of headers stands for `-`."""
        data = body.encode() if isinstance(body, str) else body
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        named = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(data)), **named}

        async def handle(_: Asked, writer: asyncio.StreamWriter) -> None:
            lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Whatever')}"]
            lines += [f"{name}: {value}" for name, value in named.items()]
            writer.write("\r\n".join([*lines, "", ""]).encode("utf-8") + data)

        self.handlers[path] = handle

    def redirect(self, path: str, location: str, status: int = 302) -> None:
        self.answer(path, b"", status=status, Location=location)

    @property
    def targets(self) -> list[str]:
        return [asked.target for asked in self.asked]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            raw = await reader.readuntil(b"\r\n\r\n")
            first, *lines = raw.decode("latin-1").split("\r\n")[:-2]
            method, target, _ = first.split(" ")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            asked = Asked(method, target, headers, raw)
            asked.body = await reader.readexactly(int(headers.get("content-length", "0")))
            self.asked.append(asked)
            path = target.partition("?")[0]
            if path.startswith("http://"):  # through us as a proxy
                path = "/" + path.split("/", 3)[3]
            if path in self.handlers:
                await self.handlers[path](asked, writer)
            else:
                writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def running(context: ssl.SSLContext | None = None, host: str = "127.0.0.1") -> AsyncIterator[Site]:
    """A site on a free port, over TLS with a `context`."""
    site = Site(scheme="https" if context else "http")
    server = await asyncio.start_server(site._serve, host, 0, ssl=context)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        server.close()


def open_gate(state: Path) -> Gate:
    """Everything may be fetched."""
    return Gate(Path("/p"), RuleSet([Rule(Verdict.ALLOW, Effect.NET)]), GrantStore(state))


@dataclass
class Fetching:
    """Fetches in one test: through an open gate, private addresses allowed; notes each request."""

    gate: Gate
    requests: list[WebRequest] = field(default_factory=list)
    looked_up: list[str] = field(default_factory=list)

    async def __call__(self, url: str, *, names: dict[str, Sequence[str]] | None = None, **options: object) -> Page:
        """Fetch `url`; with `names`, only these are known."""

        async def resolve(host: str, _: int) -> Sequence[str]:
            self.looked_up.append(host)
            if host not in (names or {}):
                raise OSError(-2, "Name or service not known")
            return (names or {})[host]

        given: dict[str, object] = {"gate": self.gate, "allow_private": True, "on_request": self.requests.append}
        given |= {"resolve": resolve} if names is not None else {}
        return await fetch(url, **{**given, **options})  # type: ignore[arg-type]


def pdf(*pages: str | bytes, encrypted: bool = False) -> bytes:
    """A PDF by hand: one line of text on each page, or what is drawn there, compressed."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode())
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for number, text in enumerate(pages):
        drawn = text if isinstance(text, bytes) else zlib.compress(f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode())
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        objects.append(f"<< /Length {len(drawn)} /Filter /FlateDecode >>\nstream\n".encode() + drawn + b"\nendstream")
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, each in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + each + b"\nendobj\n"
    table = len(out)
    out += f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    locked = " /Encrypt << /Filter /Standard /V 1 /R 2 /O (%s) /U (%s) /P -4 >> /ID [(x) (x)]" if encrypted else ""
    locked = locked % ("o" * 32, "u" * 32) if encrypted else ""
    out += f"trailer\n<< /Size {len(places) + 1} /Root 1 0 R{locked} >>\nstartxref\n{table}\n%%EOF\n".encode()
    return bytes(out)

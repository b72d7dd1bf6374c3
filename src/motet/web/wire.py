"""One request and its answer: to a checked numeric address, without cookies, within limits of bytes.

The only file that knows the HTTP client, which it imports when it is needed. The request goes to the numeric address
itself, with the name in the `Host` header and as the server name of TLS, for which the certificate must stand; so
nobody looks the name up a second time.
"""

from __future__ import annotations

import functools
import logging
import zlib
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from motet.web.address import WebAddress
from motet.web.errors import FetchError, FetchErrorKind

if TYPE_CHECKING:
    import httpx2

CONNECT_SECONDS = 10.0
SILENCE_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class WebRequest:
    """One request as a list of what left the machine shows it: sizes in bytes, of HTTP without TLS; `when` in UTC.

    `bytes_out` is 0 where no connection came about.
    """

    url: str
    host: str
    bytes_out: int
    bytes_in: int
    when: datetime


OnRequest = Callable[[WebRequest], None]


def unreported(_: WebRequest) -> None:
    """Nobody keeps a list."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What to ask, of whom. `pins`: the numeric addresses to try, in order; none where `proxy` looks the name up."""

    address: WebAddress
    pins: Sequence[str]
    headers: Mapping[str, str]
    proxy: str = ""
    method: str = "GET"
    content: bytes = b""

    @property
    def routes(self) -> Sequence[str]:
        """The hosts to connect to, one after the other."""
        return [self.address.host] if self.proxy else self.pins


@dataclass(frozen=True, slots=True)
class Incoming:
    """An answer: `headers` by their names in lower case, `body` decompressed; `cut` where it was longer than wanted."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    cut: bool

    @property
    def content_type(self) -> str:
        """As the server says, with its parameters."""
        return self.headers.get("content-type", "")


Wanted = Callable[[int, Mapping[str, str]], int]
"""How many bytes of a body matter, by status and headers."""


async def exchange(asked: Outgoing, wanted: Wanted, on_request: OnRequest = unreported) -> Incoming:
    """Ask and read at most the `wanted` bytes of the body, decompressed; redirects are answers like others.

    Nothing of `headers` and `content` stands in any error or log. Raises `FetchError`.
    """
    count = _Count()
    when = datetime.now(UTC)
    try:
        return await _first_route(asked, wanted, count)
    finally:
        on_request(WebRequest(asked.address.url, asked.address.host, count.bytes_out, count.bytes_in, when))


@dataclass(slots=True)
class _Count:
    bytes_out: int = 0
    bytes_in: int = 0


async def _first_route(asked: Outgoing, wanted: Wanted, count: _Count) -> Incoming:
    import httpx2

    routes = asked.routes
    for last, route in zip([False] * (len(routes) - 1) + [True], routes, strict=True):
        try:
            return await _by_route(asked, route, wanted, count)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            if last:
                raise _failed(asked, error) from None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            # Its request holds the headers: it is told, not chained.
            raise _failed(asked, error) from None
    raise AssertionError("there is always a route")


async def _by_route(asked: Outgoing, route: str, wanted: Wanted, count: _Count) -> Incoming:
    async with _transport(asked) as transport:
        request = _request(asked, route)
        response = await transport.handle_async_request(request)
        count.bytes_out = _size(request.headers.raw) + len(asked.address.target) + len(asked.content) + 20
        headers = {name.lower(): value for name, value in response.headers.items()}
        count.bytes_in = _size(response.headers.raw)
        body = _Body(asked, headers.get("content-encoding", ""), wanted(response.status_code, headers))
        try:
            async with aclosing(response.aiter_raw()) as chunks:
                async for chunk in chunks:
                    count.bytes_in += len(chunk)
                    if body.feed(chunk):
                        break
        finally:
            await response.aclose()
        return Incoming(response.status_code, headers, bytes(body.kept), body.cut)


def _request(asked: Outgoing, route: str) -> httpx2.Request:
    import httpx2

    address = asked.address
    timeout = httpx2.Timeout(SILENCE_SECONDS, connect=CONNECT_SECONDS)
    extensions: dict[str, object] = {"timeout": timeout.as_dict()}
    if not asked.proxy:
        extensions["sni_hostname"] = address.host
    return httpx2.Request(
        asked.method,
        f"{address.scheme}://{address.authority_of(route)}{address.target}",
        headers={
            "Host": address.authority,
            "Accept-Encoding": "gzip, deflate",
            "Connection": "close",
            **asked.headers,
        },
        content=asked.content or None,
        extensions=extensions,
    )


@asynccontextmanager
async def _transport(asked: Outgoing) -> AsyncGenerator[httpx2.AsyncHTTPTransport]:
    import httpx2

    _hush()
    try:
        transport = httpx2.AsyncHTTPTransport(trust_env=True, proxy=asked.proxy or None)
    except (OSError, ValueError, ImportError, httpx2.InvalidURL) as error:
        raise FetchError(
            f"{asked.address}: no connection can be made; check SSL_CERT_FILE and HTTPS_PROXY", FetchErrorKind.NETWORK
        ) from error
    async with transport:
        yield transport


class _Inflate(Protocol):
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


@dataclass(slots=True)
class _Body:
    """The head of a body, decompressed no further than it is wanted."""

    asked: Outgoing
    encoding: str
    limit: int
    kept: bytearray = field(default_factory=bytearray)
    cut: bool = False
    _inflate: _Inflate | None = None

    def feed(self, chunk: bytes) -> bool:
        """Take a piece; True when no more is wanted."""
        room = self.limit - len(self.kept)
        piece = self._plain(chunk, room + 1)
        self.kept += piece[:room]
        self.cut = len(piece) > room
        return self.cut

    def _plain(self, chunk: bytes, most: int) -> bytes:
        match self.encoding.strip().lower():
            case "" | "identity":
                return chunk
            case "gzip" | "x-gzip" | "deflate" as encoding:
                try:
                    return self._inflated(chunk, most, encoding)
                except zlib.error as error:
                    raise FetchError(
                        f"{self.asked.address}: the compressed answer is damaged", FetchErrorKind.NETWORK
                    ) from error
            case _:
                raise FetchError(
                    f"{self.asked.address}: the answer is compressed in a way that was not asked for",
                    FetchErrorKind.NOT_TEXT,
                )

    def _inflated(self, chunk: bytes, most: int, encoding: str) -> bytes:
        if self._inflate is None:
            # `deflate` should come in a zlib frame (RFC 9110, 8.4.1.2); some servers send it bare.
            bare = encoding == "deflate" and (chunk[0] & 0x0F) != 8
            self._inflate = zlib.decompressobj(-15 if bare else 47)
        return self._inflate.decompress(chunk, most)


def _size(headers: Sequence[tuple[bytes, bytes]]) -> int:
    return sum(len(name) + len(value) + 4 for name, value in headers)


def _failed(asked: Outgoing, error: Exception) -> FetchError:
    import httpx2

    address = asked.address
    match error:
        case httpx2.ConnectTimeout():
            return FetchError(f"{address}: no connection within {CONNECT_SECONDS:g} s", FetchErrorKind.TIMEOUT)
        case httpx2.TimeoutException():
            return FetchError(f"{address}: silent for {SILENCE_SECONDS:g} s", FetchErrorKind.TIMEOUT)
        case httpx2.ConnectError() if "CERTIFICATE" in str(error).upper():
            return FetchError(f"{address}: the certificate is not trusted ({error})", FetchErrorKind.NETWORK)
        case httpx2.ProxyError():
            return FetchError(f"{address}: the proxy refused; check HTTPS_PROXY", FetchErrorKind.NETWORK)
        case httpx2.ConnectError():
            return FetchError(f"{address}: no connection ({error})", FetchErrorKind.NETWORK)
        case _:
            reason = str(error) or type(error).__name__
            return FetchError(f"{address}: the connection broke ({reason})", FetchErrorKind.NETWORK)


@functools.cache
def _hush() -> None:
    """Keep headers, which hold the key of a search service, out of the log."""
    for part in ("connection", "http11", "http2", "proxy", "socks"):
        logging.getLogger(f"httpcore2.{part}").setLevel(logging.INFO)

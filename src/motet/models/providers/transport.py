"""Bytes to and from a provider. The only file that knows the HTTP client, which it imports when it is needed."""

from __future__ import annotations

import asyncio
import functools
import logging
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from motet.errors import ModelErrorKind
from motet.models.providers.dialect import AnswerFault, Decoder
from motet.models.providers.endpoint import Endpoint
from motet.models.providers.sse import EventReader

if TYPE_CHECKING:
    import ssl

    import httpcore2
    import httpx2

CONNECT_SECONDS = 10.0
CHECK_SECONDS = 15.0
LAST_WORDS_SECONDS = 2.0
"""How long the token counts and the end marker may take after the answer itself is whole."""
TICK = 0.03
"""Seconds between two reads of an answer that comes faster: to wake up for each token costs more than to read it."""
FIRST_READS = 8
"""Reads before that, so that first tokens and short answers are never held up."""
_MUCH = 16 * 2**10
"""Bytes in a read behind which the next one follows at once: somebody sends as fast as we can read."""
MAX_EVENT_CHARS = 16 * 2**20
MAX_ANSWER_CHARS = 64 * 2**20
MAX_ERROR_BYTES = 64 * 2**10
MAX_LIST_BYTES = 4 * 2**20
_PLAIN = {"Accept-Encoding": "identity"}
"""A compressed stream arrives in lumps."""
_STREAMED = {"Accept": "text/event-stream", "Cache-Control": "no-store"}


class Broken(Exception):
    """No connection, or one that broke. `transient`: it may well work in a moment. `cut`: it had worked."""

    def __init__(self, what: str, advice: str = "", *, transient: bool = False, cut: bool = False) -> None:
        super().__init__(what)
        self.what = what
        self.advice = advice
        self.transient = transient
        self.cut = cut


@dataclass(frozen=True, slots=True)
class Reply:
    """The beginning of a response: its status and headers, and what follows."""

    status: int
    headers: Mapping[str, str]
    response: httpx2.Response

    @property
    def request_id(self) -> str | None:
        """The provider's name for the request."""
        return self.headers.get("request-id") or self.headers.get("x-request-id")

    @property
    def content_type(self) -> str:
        """Without its parameters, in lower case."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    async def head(self) -> bytes:
        """The beginning of a body that is no answer; what there is of it when it does not come."""
        import httpx2

        head = bytearray()
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                async for chunk in self.response.aiter_bytes():
                    head += chunk
                    if len(head) >= MAX_ERROR_BYTES:
                        break
        except (TimeoutError, httpx2.HTTPError):
            pass
        return bytes(head[:MAX_ERROR_BYTES])

    async def data(self, decoder: Decoder) -> AsyncGenerator[list[str]]:
        """The data of server-sent events, those together that came together, until `decoder` has the end of the answer.

        Raises `AnswerFault` when it is without end.
        """
        reader, size = EventReader(MAX_EVENT_CHARS), 0
        _read_in_ticks(self.response, decoder)
        async with aclosing(self.response.aiter_bytes()) as chunks:
            while not decoder.closed:
                try:
                    async with asyncio.timeout(LAST_WORDS_SECONDS if decoder.finished else None):
                        chunk = await anext(chunks)
                except (StopAsyncIteration, TimeoutError):
                    return
                if not (together := reader.feed(chunk)):
                    continue
                size += sum(map(len, together))
                if size > MAX_ANSWER_CHARS:
                    raise AnswerFault(ModelErrorKind.BAD_RESPONSE, f"more than {MAX_ANSWER_CHARS >> 20} MiB")
                yield together


def _read_in_ticks(response: httpx2.Response, decoder: Decoder) -> None:
    """Leave the socket alone between two ticks, until `decoder` has the end of the answer: what comes meanwhile waits in
    the system, and is read at once."""
    stream: httpcore2.AsyncNetworkStream = response.extensions["network_stream"]
    read, now = stream.read, asyncio.get_running_loop().time
    reads, next_read = 0, 0.0

    async def in_ticks(max_bytes: int, timeout: float | None = None) -> bytes:
        nonlocal reads, next_read
        if (early := next_read - now()) > 0 and not decoder.finished:
            await asyncio.sleep(early)
        data = await read(max_bytes, timeout)
        reads += 1
        next_read = now() + TICK if reads > FIRST_READS and len(data) < _MUCH else 0.0
        return data

    stream.read = in_ticks


@asynccontextmanager
async def post(endpoint: Endpoint, path: str, body: bytes, headers: Mapping[str, str]) -> AsyncGenerator[Reply]:
    """Send `body` and give what comes back; the connection ends with the block. Raises `Broken`, in the block too.

    Proxies and `SSL_CERT_FILE` of the environment count, except for addresses of this machine, which no proxy
    can reach. Redirects are not followed: the key is for this address.
    """
    import httpx2

    try:
        async with (
            _client(endpoint) as client,
            client.stream("POST", endpoint.url(path), content=body, headers={**_STREAMED, **headers}) as response,
        ):
            named = {name.lower(): value for name, value in response.headers.items()}
            yield Reply(response.status_code, named, response)
    except httpx2.InvalidURL as error:
        raise Broken(f"the address is not usable ({error})") from None
    except httpx2.DecodingError as error:
        raise AnswerFault(ModelErrorKind.BAD_RESPONSE, str(error)) from None
    except httpx2.HTTPError as error:
        # Its request holds the key: it is told, not chained.
        raise broken(error, endpoint) from None


async def get(endpoint: Endpoint, path: str, headers: Mapping[str, str]) -> tuple[int, Mapping[str, str], bytes]:
    """Ask for `path`: status, headers (names in lower case) and the beginning of the body. Raises `Broken`.

    Waits for `CHECK_SECONDS` at most. Proxies and redirects: as for `post`.
    """
    import httpx2

    try:
        async with (
            asyncio.timeout(CHECK_SECONDS),
            _client(endpoint) as client,
            client.stream("GET", endpoint.url(path), headers=dict(headers)) as response,
        ):
            body = bytearray()
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) >= MAX_LIST_BYTES:
                    break
            named = {name.lower(): value for name, value in response.headers.items()}
            return response.status_code, named, bytes(body)
    except TimeoutError:
        raise Broken(f"no answer within {CHECK_SECONDS:g} s") from None
    except httpx2.InvalidURL as error:
        raise Broken(f"the address is not usable ({error})") from None
    except httpx2.HTTPError as error:
        # Its request holds the key: it is told, not chained.
        raise broken(error, endpoint) from None


@functools.cache
def _trusted(file: str, directory: str) -> ssl.SSLContext:
    """The certificates that are trusted, by the variables that say where they are: reading them takes 20 ms, which is
    done once."""
    import httpx2

    return httpx2.create_ssl_context()


def _authorities() -> tuple[str, str]:
    return os.environ.get("SSL_CERT_FILE", ""), os.environ.get("SSL_CERT_DIR", "")


def _verify(endpoint: Endpoint) -> ssl.SSLContext:
    """The certificates that are trusted at `endpoint`: nobody's where it is asked on this machine and without TLS."""
    if not (endpoint.is_here and endpoint.is_plain):
        return _trusted(*_authorities())
    import ssl

    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _client(endpoint: Endpoint) -> httpx2.AsyncClient:
    import httpx2

    _hush()
    try:
        return httpx2.AsyncClient(
            verify=_verify(endpoint),
            timeout=_timeout(endpoint.timeout),
            mounts={f"all://{endpoint.host}": None} if endpoint.is_here else None,
        )
    except (OSError, ValueError, ImportError, httpx2.InvalidURL) as error:
        raise _no_client(error) from error


def new_client(timeout: float, *, legacy: bool = False) -> object:
    """A client for somebody who brings the addresses, and `timeout` seconds of silence; of httpx instead of httpx2 where
    a `legacy` one is asked for. It keeps no connection. Raises `Broken`; proxies as for `post`."""
    import httpx2

    _hush()
    here = ("127.0.0.1", "[::1]", "localhost")
    try:
        if legacy:
            import httpx

            return httpx.AsyncClient(
                verify=_trusted(*_authorities()),
                timeout=httpx.Timeout(connect=CONNECT_SECONDS, read=timeout, write=timeout, pool=None),
                limits=httpx.Limits(max_keepalive_connections=0),
                headers=_PLAIN,
                mounts={f"all://{host}": None for host in here},
            )
        return httpx2.AsyncClient(
            verify=_trusted(*_authorities()),
            timeout=_timeout(timeout),
            limits=httpx2.Limits(max_keepalive_connections=0),
            headers=_PLAIN,
            mounts={f"all://{host}": None for host in here},
        )
    except (OSError, ValueError, ImportError, httpx2.InvalidURL) as error:
        raise _no_client(error) from error


def _timeout(silence: float) -> httpx2.Timeout:
    import httpx2

    return httpx2.Timeout(connect=CONNECT_SECONDS, read=silence, write=silence, pool=None)


def _no_client(error: Exception) -> Broken:
    return Broken(f"no connection can be made ({error})", "check SSL_CERT_FILE and HTTPS_PROXY")


def broken(error: httpx2.HTTPError, endpoint: Endpoint) -> Broken:
    """What `error` of a client means for a request to `endpoint`."""
    import httpx2

    match error:
        case httpx2.ConnectTimeout():
            return Broken(f"no connection within {CONNECT_SECONDS:g} s", transient=True)
        case httpx2.ConnectError() if "CERTIFICATE" in str(error).upper():
            return Broken(
                f"the certificate is not trusted ({error})", "set SSL_CERT_FILE to the authority that signed it"
            )
        case httpx2.ConnectError() if endpoint.is_here:
            return Broken(f"nothing listens at {endpoint.host} ({error})", "start the server")
        case httpx2.ConnectError():
            return Broken(f"no connection ({error})", transient=True)
        case httpx2.ProxyError():
            return Broken(f"the proxy refused ({error})", "check HTTPS_PROXY")
        case httpx2.TimeoutException():
            return Broken(f"silent for {endpoint.timeout:g} s", "try again, or raise the provider's timeout")
        case _:
            return Broken(str(error), transient=True, cut=True)


@functools.cache
def _hush() -> None:
    """Keep headers, in which a server may repeat the key, out of the log."""
    for part in ("connection", "http11", "http2", "proxy", "socks"):
        logging.getLogger(f"httpcore2.{part}").setLevel(logging.INFO)

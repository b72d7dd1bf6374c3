"""One page, safely: the gate first, addresses checked and pinned at every step, limits on everything."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from posixpath import basename
from urllib.parse import unquote

from motet.permissions import Action, Effect, Gate, Origin
from motet.web.address import WebAddress, follow, parse_address
from motet.web.errors import FetchError, FetchErrorKind
from motet.web.networks import Resolve, check_host, pin, system_resolve
from motet.web.page import Page, PageCache
from motet.web.proxies import proxy_for
from motet.web.reading import Kind, Raw, kind_of, read_apart
from motet.web.wire import Incoming, OnRequest, Outgoing, exchange, unreported

MAX_BYTES = 5 * 2**20
"""A page is cut after this many bytes, decompressed."""
MAX_PDF_BYTES = 20 * 2**20
"""A PDF cannot be read from its head alone; a longer one is refused."""
SECONDS = 30.0
"""Wall time of all requests of one page together; questions to the human do not count."""
MAX_REDIRECTS = 5

_HEAD_BYTES = 64 * 1024
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_BLOCKING = {
    401: "wants a login",
    402: "wants a payment",
    403: "does not let programs in",
    407: "wants a login",
    429: "was asked too often",
    451: "must not show it",
    999: "does not let programs in",
}
_CHALLENGE = re.compile(
    r"just a moment|attention required|captcha|are you (?:a )?(?:human|robot)|verify (?:that )?you are (?:a )?human"
    r"|enable javascript and cookies|checking your browser|access denied|unusual traffic|bot detection",
    re.IGNORECASE,
)
_CHALLENGE_CHARACTERS = 1_500


@dataclass(frozen=True, slots=True)
class _Errand:
    """What stays the same over all redirects of one fetch."""

    gate: Gate
    origin: Origin
    allow_private: bool
    max_bytes: int
    seconds: float
    resolve: Resolve
    on_request: OnRequest
    allowed: set[str] = field(default_factory=set)

    async def allow(self, address: WebAddress) -> None:
        """Ask the gate, once for each host. Raises `PermissionDenied`."""
        check_host(address, allow_private=self.allow_private)
        if address.host not in self.allowed:
            await self.gate.require(Action(Effect.NET, address.host, self.origin, detail=address.url))
            self.allowed.add(address.host)

    def wanted(self, status: int, headers: Mapping[str, str]) -> int:
        """How much of a body is read."""
        if not 200 <= status < 300:
            return _HEAD_BYTES
        match kind_of(headers.get("content-type", ""), b""):
            case Kind.PDF:
                return max(self.max_bytes, MAX_PDF_BYTES)
            case Kind.IMAGE | Kind.OTHER:
                return _HEAD_BYTES
            case _:
                return self.max_bytes


async def fetch(
    url: str,
    *,
    gate: Gate,
    origin: Origin = Origin.MODEL,
    allow_private: bool = False,
    max_bytes: int = MAX_BYTES,
    seconds: float = SECONDS,
    resolve: Resolve = system_resolve,
    on_request: OnRequest = unreported,
    cache: PageCache | None = None,
) -> Page:
    """The page at `url`, as text; a blocked page and one without text come as the address alone with a note.

    By GET, without cookies or passwords. The gate is asked for every host, those of redirects too, before its name
    is looked up; not for a page of the `cache`, for which nothing leaves. `allow_private` lets in this machine and private networks, never link-local, metadata, multicast
    and disguised addresses. Every request is told to `on_request`, failed ones too. Raises `FetchError`, and
    `PermissionDenied` of the gate.
    """
    errand = _Errand(gate, origin, allow_private, max_bytes, seconds, resolve, on_request)
    address = parse_address(url)
    check_host(address, allow_private=allow_private)
    if cache and (known := cache.get(address.url, allow_private=allow_private)):
        return replace(known, url=url)
    final, answer, notes = await _follow(address, errand)
    page = await _page(url, final, answer, errand, notes)
    if cache:
        cache.put(address.url, page, allow_private=allow_private)
    return page


async def _follow(address: WebAddress, errand: _Errand) -> tuple[WebAddress, Incoming, list[str]]:
    """The address at the end of all redirects, what it answered, and notes about the way there."""
    clock = asyncio.get_running_loop().time
    left = errand.seconds
    start, seen, proxied = address, {address.url}, False
    for _ in range(MAX_REDIRECTS + 1):
        await errand.allow(address)
        since = clock()
        try:
            async with asyncio.timeout(left):
                proxy = proxy_for(address)
                answer = await _ask(address, proxy, errand)
        except TimeoutError:
            raise FetchError(f"{address}: not done within {errand.seconds:g} s", FetchErrorKind.TIMEOUT) from None
        left -= clock() - since
        proxied = proxied or bool(proxy)
        location = answer.headers.get("location")
        if answer.status not in _REDIRECTS or location is None:
            return address, answer, ["the proxy of the environment looked the name up"] if proxied else []
        address = follow(address, location)
        if address.url in seen:
            raise FetchError(f"{start}: its redirects go round in a circle", FetchErrorKind.NETWORK)
        seen.add(address.url)
    raise FetchError(f"{start}: more than {MAX_REDIRECTS} redirects", FetchErrorKind.NETWORK)


async def _ask(address: WebAddress, proxy: str, errand: _Errand) -> Incoming:
    from motet import __version__

    pins = () if proxy else await pin(address, errand.resolve, allow_private=errand.allow_private)
    headers = {
        "User-Agent": f"motet/{__version__}",
        "Accept": "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/*;q=0.8, */*;q=0.5",
    }
    return await exchange(Outgoing(address, pins, headers, proxy), errand.wanted, errand.on_request)


async def _page(url: str, final: WebAddress, answer: Incoming, errand: _Errand, notes: list[str]) -> Page:
    mime = answer.content_type.partition(";")[0].strip().lower()
    bare = Page(url, final.url, "", mime, "")
    if note := _blocked(final, answer):
        return replace(bare, notes=(note, *notes))
    _require_success(final, answer)
    kind = kind_of(answer.content_type, answer.body)
    match kind:
        case Kind.IMAGE:
            return replace(bare, text=_of_image(final, answer, mime), notes=tuple(notes))
        case Kind.OTHER:
            raise FetchError(f"{final}: {mime or 'what came'} is not text", FetchErrorKind.NOT_TEXT)
        case Kind.PDF if answer.cut:
            most = max(errand.max_bytes, MAX_PDF_BYTES)
            raise FetchError(f"{final}: the PDF is longer than {_size(most)}", FetchErrorKind.TOO_BIG)
        case _:
            raw = Raw(final.url, answer.content_type, answer.body, cut=answer.cut)
    reading = await read_apart(raw, kind)
    if answer.cut:
        notes = [f"the page is longer than {_size(errand.max_bytes)}; only that much was read", *notes]
    if note := _useless(final, reading.title, reading.text, kind):
        notes = [note, *notes] if kind is not Kind.PDF else notes
        return replace(bare, title=reading.title, truncated=answer.cut, notes=(*reading.notes, *notes))
    return replace(
        bare,
        title=reading.title,
        text=reading.text,
        truncated=answer.cut or reading.truncated,
        notes=(*notes, *reading.notes),
    )


def _blocked(final: WebAddress, answer: Incoming) -> str:
    """Why the site gives nothing, in a line; empty when it does."""
    reason = _BLOCKING.get(answer.status, "")
    if answer.status == 503 and _CHALLENGE.search(answer.body.decode("latin-1")):
        reason = _BLOCKING[403]
    return f"{final.host} {reason} ({answer.status}): only the address is shared" if reason else ""


def _require_success(final: WebAddress, answer: Incoming) -> None:
    match answer.status:
        case status if 200 <= status < 300:
            return
        case 404 | 410:
            raise FetchError(
                f"{final}: there is no such page ({answer.status})", FetchErrorKind.NOT_FOUND, status=answer.status
            )
        case _:
            raise FetchError(
                f"{final}: the server answered {answer.status}; try again later",
                FetchErrorKind.NETWORK,
                status=answer.status,
            )


def _useless(final: WebAddress, title: str, text: str, kind: Kind) -> str:
    """Why a page that came says nothing; empty when it does."""
    if not text.strip():
        return f"{final.host} sent no text; the page may need a browser: only the address is shared"
    if kind is Kind.HTML and len(text) <= _CHALLENGE_CHARACTERS and _CHALLENGE.search(f"{title}\n{text[:200]}"):
        return f"{final.host} asks whether a human is there: only the address is shared"
    return ""


def _of_image(final: WebAddress, answer: Incoming, mime: str) -> str:
    name = unquote(basename(final.target.partition("?")[0])) or final.host
    size = answer.headers.get("content-length", "")
    parts = ", ".join(part for part in (mime, f"{size} bytes" if size.isdecimal() else "") if part)
    return f"[image {name} ({parts})]"


def _size(count: int) -> str:
    return f"{count / 2**20:g} MiB" if count >= 2**20 else f"{count} bytes"

"""Searching the web through a service that the user set up: a SearXNG of one's own, Tavily or Brave.

Sources of the forms: docs.searxng.org (Search API), docs.tavily.com (POST /search), the Brave Search API reference
(GET /res/v1/web/search).
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import cast
from urllib.parse import urlencode

from motet.permissions import Action, Effect, Gate, Origin
from motet.web.address import WebAddress, parse_address, shown
from motet.web.errors import FetchError, FetchErrorKind
from motet.web.invisible import only_visible
from motet.web.networks import Resolve, pin, system_resolve
from motet.web.proxies import proxy_for
from motet.web.wire import Incoming, OnRequest, Outgoing, exchange, unreported

Key = Callable[[], Awaitable[str]]
"""Looks the key of a service up when it is needed, so that no value holds it."""

TAVILY_URL = "https://api.tavily.com/search"
BRAVE_URL = "https://api.search.brave.com/res/v1/web/search"
MAX_ANSWER_BYTES = 2 * 2**20
SECONDS = 20.0
MAX_RESULTS = 20
_MAX_SNIPPET = 600
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """Where to search: the first of these that is set. `searxng` is the address of an instance."""

    searxng: str = ""
    tavily_key: Key | None = field(default=None, repr=False)
    brave_key: Key | None = field(default=None, repr=False)
    tavily_url: str = TAVILY_URL
    brave_url: str = BRAVE_URL

    @property
    def usable(self) -> bool:
        """Whether there is anything to search with."""
        return bool(self.searxng or self.tavily_key or self.brave_key)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One finding, in the words of the service: a line each; `snippet` may be empty."""

    title: str
    url: str
    snippet: str


@dataclass(frozen=True, slots=True)
class _Question:
    address: WebAddress
    name: str
    headers: Mapping[str, str]
    content: bytes
    key: str
    places: Sequence[str]
    snippet: str


async def search(
    query: str,
    *,
    config: SearchConfig,
    gate: Gate,
    count: int = 8,
    origin: Origin = Origin.MODEL,
    resolve: Resolve = system_resolve,
    on_request: OnRequest = unreported,
) -> tuple[SearchResult, ...]:
    """At most `count` findings for `query`, best first.

    The gate is asked for the service's host, with the query as what is shown. Raises `FetchError` and
    `PermissionDenied`; no error and no log holds the key.
    """
    query = " ".join(query.split())
    if not query:
        raise FetchError("web search: there is nothing to search for; give some words", FetchErrorKind.ADDRESS)
    count = max(1, min(count, MAX_RESULTS))
    host = _service_address(config).host
    await gate.require(Action(Effect.NET, host, origin, detail=f"search: {query}"))
    question = await _question(query, count, config)
    answer = await _ask(question, resolve, on_request)
    return _results(question, answer)[:count]


def _service_address(config: SearchConfig) -> WebAddress:
    if config.searxng:
        return parse_address(config.searxng)
    if config.tavily_key:
        return parse_address(config.tavily_url)
    if config.brave_key:
        return parse_address(config.brave_url)
    raise FetchError("web search: no service is set up", FetchErrorKind.ADDRESS)


async def _question(query: str, count: int, config: SearchConfig) -> _Question:
    accept = {"Accept": "application/json"}
    if config.searxng:
        base = config.searxng.partition("?")[0].rstrip("/").removesuffix("/search")
        address = parse_address(f"{base}/search?{urlencode({'q': query, 'format': 'json'})}")
        return _Question(address, "SearXNG", accept, b"", "", ("results",), "content")
    if config.tavily_key:
        key = await config.tavily_key()
        content = json.dumps({"query": query, "max_results": count}).encode()
        headers = {**accept, "Content-Type": "application/json", "Authorization": f"Bearer {key}"}
        return _Question(parse_address(config.tavily_url), "Tavily", headers, content, key, ("results",), "content")
    assert config.brave_key
    key = await config.brave_key()
    address = parse_address(f"{config.brave_url}?{urlencode({'q': query, 'count': count})}")
    headers = {**accept, "X-Subscription-Token": key}
    return _Question(address, "Brave Search", headers, b"", key, ("web", "results"), "description")


async def _ask(question: _Question, resolve: Resolve, on_request: OnRequest) -> Incoming:
    """The user chose the service's address: it may be on this machine. It is followed nowhere else."""
    address = question.address
    try:
        async with asyncio.timeout(SECONDS):
            proxy = proxy_for(address)
            pins = () if proxy else await pin(address, resolve, allow_private=True)
            method = "POST" if question.content else "GET"
            asked = Outgoing(address, pins, question.headers, proxy, method, question.content)
            answer = await exchange(asked, lambda _status, _headers: MAX_ANSWER_BYTES, on_request)
    except TimeoutError:
        raise FetchError(f"{question.name}: no answer within {SECONDS:g} s", FetchErrorKind.TIMEOUT) from None
    match answer.status:
        case 200:
            return answer
        case 401 | 403 if question.key:
            raise _failed(question, "the key was not accepted; check it", FetchErrorKind.BLOCKED, answer.status)
        case 403:
            advice = "it gives no JSON; add `json` to search.formats in its settings.yml"
            raise _failed(question, advice, FetchErrorKind.BLOCKED, 403)
        case 402 | 429 | 432 | 433:
            raise _failed(question, "the limit of its plan is reached", FetchErrorKind.BLOCKED, answer.status)
        case status:
            raise _failed(question, "it does not work; check its address", FetchErrorKind.NETWORK, status)


def _results(question: _Question, answer: Incoming) -> tuple[SearchResult, ...]:
    try:
        found: object = json.loads(answer.body)
        for place in question.places:
            found = cast("Mapping[str, object]", found).get(place) or []
        rows = [cast("Mapping[str, object]", row) for row in cast("list[object]", found) if isinstance(row, dict)]
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise FetchError(f"{question.name}: its answer cannot be read", FetchErrorKind.NETWORK) from error
    made = (
        SearchResult(_line(row.get("title")), str(row.get("url") or ""), _line(row.get(question.snippet)))
        for row in rows
    )
    return tuple(result for result in made if _is_address(result.url))


def _is_address(url: str) -> bool:
    try:
        parse_address(url)
    except FetchError:
        return False
    return True


def _line(value: object) -> str:
    """Text of a service as one line without mark-up and invisible characters."""
    plain = only_visible(unescape(_TAG.sub("", str(value or "")))).text
    line = " ".join(plain.split())
    return line if len(line) <= _MAX_SNIPPET else f"{line[:_MAX_SNIPPET]}…"


def _failed(question: _Question, what: str, kind: FetchErrorKind, status: int) -> FetchError:
    place = shown(f"{question.address.scheme}://{question.address.authority}")
    return FetchError(f"{question.name} ({place}) answered {status}: {what}", kind, status=status)

"""A client for one running language server: documents, diagnostics pulled or pushed, quick fixes, names."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from motet.diagnostics.capabilities import Abilities, initialize_params
from motet.diagnostics.connection import Connection, ResponseError, UnknownMethod
from motet.diagnostics.json_value import integer_of, list_of, object_of, text_of
from motet.diagnostics.locate import Launch
from motet.process import Child
from motet.text import PositionEncoding, Severity

_LOG = logging.getLogger(__name__)

_CONTENT_MODIFIED, _SERVER_CANCELLED, _REQUEST_CANCELLED = -32801, -32802, -32800
_TRY_AGAIN = (_CONTENT_MODIFIED, _SERVER_CANCELLED, _REQUEST_CANCELLED)
_MOST_TRIES = 20
_PAUSE = 0.05
"""Seconds that a request which the server gave up waits for news, times the number of the try."""
_CALM, _LONGEST_CALM = 0.5, 5.0
"""Seconds without news that make what was pushed without a version complete; while the server reports work."""
_QUESTIONS = 32
"""Quick fixes and names asked for at once."""


@dataclass(slots=True)
class Document:
    """One document as the server knows it. `version` grows with each text that is sent."""

    uri: str
    language: str
    text: str
    version: int = 0
    is_open: bool = False
    result_id: str = ""
    """Of the last pulled answer, as long as the text is the same."""
    refreshes: int = 0
    """`Client.refreshes` when that answer came."""

    def is_at(self, uri: str) -> bool:
        """Whether `uri`, in the server's spelling, is this document."""
        return key_of(uri) == key_of(self.uri)


@dataclass(slots=True)
class _Publication:
    version: int | None
    items: list[object]
    at: float


class Client:
    """Speaks with one server from `initialize` to its end."""

    def __init__(self, launch: Launch, root: Path, child: Child) -> None:
        self._launch = launch
        self._root = root
        self.abilities = Abilities()
        self.refreshes = 0
        """How often the server has said that earlier answers may be out of date."""
        self.heard_at = 0.0
        """When it last told something unasked, in seconds of the event loop."""
        self._connection = Connection(child, self._on_notification, self._on_request, self._tell)
        self._shown: set[str] = set()
        self._published: dict[str, _Publication] = {}
        self._working: set[str] = set()
        self._news: set[asyncio.Future[None]] = set()
        self._asking = asyncio.Semaphore(_QUESTIONS)

    async def initialize(self) -> None:
        """Shake hands. Raises `ServerError` (of `motet.errors`)."""
        params = initialize_params(self._root, self._launch.initialization)
        self.abilities = Abilities.read(await self._connection.request("initialize", params))
        self._connection.notify("initialized", {})
        if self._launch.spec.push_settings and self._launch.settings:
            self._connection.notify("workspace/didChangeConfiguration", {"settings": self._launch.settings})

    async def close(self) -> None:
        """End the server."""
        self._connection.notify("exit")
        await self._connection.close()

    async def show(self, document: Document) -> None:
        """Make the server look at `document` (again): opened, changed, or closed and opened."""
        document.version += 1
        document.result_id = ""
        about: dict[str, object] = {"uri": document.uri, "version": document.version}
        self._shown.add(key_of(document.uri))
        self._published.pop(key_of(document.uri), None)
        if document.is_open:
            changes = [{"text": document.text}]
            params = {"textDocument": about, "contentChanges": changes}
            self._connection.notify("textDocument/didChange", params)
        else:
            document.is_open = True
            opened = {**about, "languageId": document.language, "text": document.text}
            self._connection.notify("textDocument/didOpen", {"textDocument": opened})
        await self._connection.flush()

    def hide(self, document: Document) -> None:
        """Close `document`; from now on the server reads the disk."""
        document.is_open = False
        document.result_id = ""
        self._shown.discard(key_of(document.uri))
        self._published.pop(key_of(document.uri), None)
        self._connection.notify("textDocument/didClose", {"textDocument": {"uri": document.uri}})

    def tell_changes(self, changes: list[tuple[str, int]]) -> None:
        """Files on disk were created (1), changed (2) or deleted (3); `changes` are URI and kind."""
        events = [{"uri": uri, "type": kind} for uri, kind in changes]
        if events:
            self._connection.notify("workspace/didChangeWatchedFiles", {"changes": events})

    async def diagnose(self, document: Document, severity: Severity) -> list[object] | None:
        """What the server says about the text last shown, down to `severity`, as it said it.

        None when it says the same as last time. Raises `ResponseError` when it refuses this document, `ServerError` when it is gone.
        """
        items = await self._settled(document)
        if items is None:
            items = await self._pull(document)
        return None if items is None else [item for item in items if severity_of(item) <= severity]

    async def ask(self, method: str, params: dict[str, object]) -> object:
        """A question beside the diagnostics; None when the server cannot answer it."""
        async with self._asking:
            try:
                return await self._request(method, params)
            except ResponseError as error:
                _LOG.debug("%s: %s", self._launch.spec.name, error)
                return None

    @property
    def encoding(self) -> PositionEncoding:
        """The unit of columns that was agreed on."""
        return self.abilities.encoding

    async def _pull(self, document: Document) -> list[object] | None:
        items: list[object] | None = []
        identifiers = list(dict.fromkeys(self.abilities.pulls.values()))
        for identifier in identifiers:
            params: dict[str, object] = {"textDocument": {"uri": document.uri}}
            if identifier:
                params["identifier"] = identifier
            if document.result_id:
                params["previousResultId"] = document.result_id
            report = object_of(await self._request("textDocument/diagnostic", params))
            document.refreshes = self.refreshes
            if report.get("kind") == "unchanged":
                return None
            if len(identifiers) == 1:
                document.result_id = text_of(report.get("resultId"))
            items += list_of(report.get("items"))
        return items

    async def _request(self, method: str, params: dict[str, object]) -> object:
        """As `Connection.request`, asked again when the server gave up because something changed."""
        for attempt in range(1, _MOST_TRIES):
            try:
                return await self._connection.request(method, params)
            except ResponseError as error:
                if error.code not in _TRY_AGAIN:
                    raise
                await self._hear(_PAUSE * attempt)
        return await self._connection.request(method, params)

    async def _settled(self, document: Document) -> list[object] | None:
        """Pushed diagnostics of the text last shown, once complete; None when it now wants to be asked."""
        quiet = self._launch.spec.quiet
        while not self.abilities.pulls:
            if self._connection.failure is not None:
                raise self._connection.failure
            published = self._published.get(key_of(document.uri))
            wait: float | None = None
            if published is not None and published.version in (None, document.version):
                if published.version is not None and quiet == 0:
                    return published.items
                # Work that is under way may still add to it; not every server says when that has ended.
                calm = max(10 * quiet, _LONGEST_CALM) if self._working else quiet or _CALM
                wait = published.at + calm - time.monotonic()
                if wait <= 0:
                    return published.items
            await self._hear(wait)
        return None

    async def _hear(self, timeout: float | None) -> None:
        """Wait for the next word of the server, at most `timeout` seconds."""
        news: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._news.add(news)
        try:
            await asyncio.wait([news], timeout=timeout)
        finally:
            self._news.discard(news)

    def _tell(self) -> None:
        for news in self._news:
            if not news.done():
                news.set_result(None)

    def _on_notification(self, method: str, params: dict[str, object]) -> None:
        self.heard_at = asyncio.get_running_loop().time()
        match method:
            case "textDocument/publishDiagnostics":
                self._on_publication(key_of(text_of(params.get("uri"))), params)
            case "$/progress":
                self._on_progress(str(params.get("token")), text_of(object_of(params.get("value")).get("kind")))
            case "window/logMessage" | "window/showMessage":
                _LOG.debug("%s: %s", self._launch.spec.name, params.get("message"))
            case _:
                pass

    def _on_publication(self, key: str, params: dict[str, object]) -> None:
        if key in self._shown:  # about others it was not asked
            version, items = integer_of(params.get("version")), list_of(params.get("diagnostics"))
            self._published[key] = _Publication(version, items, time.monotonic())
            self._tell()

    def _on_progress(self, token: str, kind: str) -> None:
        if kind == "begin":
            self._working.add(token)
        elif kind == "end":
            self._working.discard(token)
            self._tell()

    def _on_request(self, method: str, params: dict[str, object]) -> object:
        match method:
            case "workspace/configuration":
                sections = [text_of(object_of(item).get("section")) for item in list_of(params.get("items"))]
                return [self._setting(section) for section in sections]
            case "client/registerCapability":
                for registration in list_of(params.get("registrations")):
                    self.abilities.register(object_of(registration))
                self._tell()
            case "client/unregisterCapability":
                # The protocol spells it so.
                for registration in list_of(params.get("unregisterations")):
                    self.abilities.unregister(object_of(registration))
            case "workspace/diagnostic/refresh":
                # Behind whoever waits for an answer that came before it.
                asyncio.get_running_loop().call_soon(self._refresh)
            case "workspace/workspaceFolders":
                return [{"uri": self._root.as_uri(), "name": self._root.name or "/"}]
            case "workspace/applyEdit":
                return {"applied": False, "failureReason": "only proposals are taken"}
            case "window/showDocument":
                return {"success": False}
            case "window/workDoneProgress/create" | "window/showMessageRequest":
                pass
            case _:
                raise UnknownMethod(method)
        return None

    def _refresh(self) -> None:
        self.refreshes += 1
        self._tell()

    def _setting(self, section: str) -> object:
        value: object = self._launch.settings
        for key in section.split(".") if section else ():
            value = object_of(value).get(key)
        return value


def severity_of(item: object) -> Severity:
    """How bad the diagnostic `item` is; a server that does not say means an error."""
    number = integer_of(object_of(item).get("severity"))
    return next((known for known in Severity if known == number), Severity.ERROR)


def key_of(uri: str) -> str:
    """The same for all spellings of one file's URI: servers escape as they like."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return uri
    return unquote(parts.path) if parts.scheme == "file" else uri

"""`replay:FILE` plays a recorded session; `Recorder` records one. For tests, demonstrations and reports of bugs."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path

from motet.errors import ModelError, ModelErrorKind, UsageError
from motet.models.masking import masked
from motet.models.protocol import Completed, Destination, Limits, Model, ModelEvent, ModelRequest, Price
from motet.models.providers.fields import as_count, as_object, as_text, parse_object
from motet.models.recording import SCHEMA, Fingerprint, Json, Timed, read_event, written
from motet.models.wrapped import Wrapped


@dataclass(slots=True)
class _Recorded:
    fingerprint: Fingerprint
    line: int
    events: list[Timed] = field(default_factory=list[Timed])
    played: bool = False


class ReplayModel:
    """Answers each request as it was answered when it was recorded. See `Model`.

    A request that was not recorded is a `ModelError` that says what is different. Nothing leaves this process.
    With `pace` 1 the answer takes as long as it took, with 0 no time. Raises `UsageError` when `path` is no
    recording.
    """

    def __init__(
        self,
        path: Path,
        *,
        workspace: Path | None = None,
        pace: float = 0.0,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._path = path
        self._workspace = workspace
        self._pace = pace
        self._sleep = sleep
        header, self._recorded = _load(path)
        self._recorded_model = as_text(header.get("model"))
        window, output = as_count(header.get("context_tokens")), as_count(header.get("output_tokens"))
        self._limits = Limits(
            window or 100_000,
            output or 8_000,
            header.get("tools") is not False,
            header.get("images") is True,
            header.get("documents") is True,
        )

    @property
    def name(self) -> str:
        """See `Model`."""
        return f"replay:{self._path}"

    @property
    def limits(self) -> Limits:
        """Those of the recorded model: they shape the requests."""
        return self._limits

    @property
    def price(self) -> Price | None:
        """None: a replay costs nothing."""
        return None

    @property
    def destination(self) -> Destination:
        """See `Model`."""
        return Destination("replay", "in this process", remote=False)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """See `Model`."""
        recorded = self._find(Fingerprint.of(request, self._workspace))
        recorded.played = True
        now = 0.0
        for timed in recorded.events:
            if self._pace:
                await self._sleep((timed.at - now) * self._pace)
                now = timed.at
            if isinstance(timed.event, ModelError):
                raise timed.event
            yield timed.event
        if not recorded.events or not isinstance(recorded.events[-1].event, Completed):
            raise self._error(f"the recorded answer of line {recorded.line} was stopped before its end")

    def _find(self, fingerprint: Fingerprint) -> _Recorded:
        left = [recorded for recorded in self._recorded if not recorded.played]
        for recorded in left:
            if recorded.fingerprint == fingerprint:
                return recorded
        if not left:
            raise self._error(f"all {len(self._recorded)} recorded answers are used up")
        difference = left[0].fingerprint.difference(fingerprint)
        raise self._error(f"this is not the request recorded in line {left[0].line}: {difference}")

    def _error(self, what: str) -> ModelError:
        message = f"{self.name}: {what}; record the session again (it was made with {self._recorded_model})"
        return ModelError(message, ModelErrorKind.BAD_RESPONSE, provider="replay")


class Recorder(Wrapped):
    """Passes everything on to `model` and appends it to the recording `path` (mode 0600). See `Model`.

    Any model can be recorded, a replay or another recorder too; name, limits, price and destination stay those of
    `model`, as they are at each moment. The model `replay:PATH` plays the file to the same requests:

        model = Recorder(model, Path("session.jsonl"), workspace=root)
        …
        model, _ = await choose("replay:session.jsonl", config, environ)

    Several sessions may follow each other in one file, and several recorders may write it, each answer in one piece.
    `secrets` are masked wherever they appear, besides everything that looks like a key. Raises `UsageError` when
    `path` holds something that is no recording.
    """

    def __init__(
        self,
        model: Model,
        path: Path,
        *,
        workspace: Path | None = None,
        secrets: Iterable[str] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(model)
        self._path = path
        self._workspace = workspace
        self._secrets = tuple(secrets)
        self._clock = clock
        if path.exists() and path.stat().st_size:
            _load(path)
        else:
            limits = model.limits
            header = {"schema": SCHEMA, "model": model.name, "context_tokens": limits.context_tokens}
            able = {"tools": limits.tools, "images": limits.images, "documents": limits.documents}
            self._append([{**header, "output_tokens": limits.output_tokens, **able}])

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """See `Model`. What came before an error or a cancellation is recorded as well."""
        events: list[Timed] = []
        start = self._clock()
        try:
            async with aclosing(self._model.stream(request)) as answer:
                async for event in answer:
                    events.append(Timed(self._clock() - start, event))
                    yield event
        except ModelError as error:
            events.append(Timed(self._clock() - start, error))
            raise
        finally:
            fingerprint = Fingerprint.of(request, self._workspace)
            lines = [written(timed) for timed in masked(events, self._secrets)]
            self._append([{"request": fingerprint.written()}, *lines])

    def _append(self, lines: list[Json]) -> None:
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        try:
            # One write at the end of the file: two recorders on one file do not mix their lines.
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(descriptor, "wb", buffering=0) as file:
                file.write(text.encode("utf-8", "replace"))
        except OSError as error:
            raise UsageError(f"{self._path}: the recording cannot be written ({error.strerror})") from error


def _load(path: Path) -> tuple[Json, list[_Recorded]]:
    try:
        # Not `splitlines`: texts in it may hold other line ends.
        lines = path.read_text("utf-8").removesuffix("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UsageError(f"{path}: the recording cannot be read ({why})") from error
    header = parse_object(lines[0])
    if header is None or "schema" not in header:
        raise UsageError(f"{path}: not a recording of motet")
    if header["schema"] != SCHEMA:
        raise UsageError(
            f"{path}: a recording of schema {header['schema']}, this motet reads {SCHEMA}; record it again"
        )
    recorded: list[_Recorded] = []
    for number, line in enumerate(lines[1:], 2):
        data = parse_object(line)
        try:
            if data is None:
                raise ValueError("not JSON")
            if "request" in data:
                recorded.append(_Recorded(Fingerprint.read(as_object(data["request"])), number))
            elif recorded:
                recorded[-1].events.append(read_event(data))
        except ValueError as error:
            raise UsageError(f"{path}, line {number}: {error}; record the session again") from error
    return header, recorded

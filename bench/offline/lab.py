"""A workspace with motet itself at work in it: its servers, its loop, its writes. Only the screen is missing."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from motet.diagnostics import DiagnosticsService, Report, compare
from motet.engine import Engine
from motet.fix import AcceptAll, FixEvent, RoundFinished, TurnHappened
from motet.models.offline import OfflineModel
from motet.models.protocol import TextDelta
from motet.text import Diagnostic, TextFile
from offline.corpus import BIN, CorpusError


@dataclass(frozen=True)
class Mutant:
    """A real file with one mutation, and the problems it causes that the original does not have."""

    kind: str
    language: str
    what: str
    original: TextFile
    known: tuple[Diagnostic, ...]
    mutated: TextFile
    caused: tuple[Diagnostic, ...]


@dataclass
class Run:
    """What one run of the loop came to. `got_worse`: after some round there were more problems than before it,
    also when the loop took that round back."""

    said: list[str] = field(default_factory=list[str])
    rounds: int = 0
    got_worse: bool = False

    def hear(self, event: FixEvent) -> None:
        """The next event of the loop."""
        match event:
            case TurnHappened(event=TextDelta(text)):
                self.said.append(text)
            case RoundFinished(is_worse=is_worse):
                self.rounds += 1
                self.got_worse |= is_worse
            case _:
                pass


class Lab:
    """One workspace and what runs in it."""

    def __init__(self, engine: Engine, service: DiagnosticsService) -> None:
        self.root = engine.root
        self._engine = engine
        self._service = service

    def write(self, file: TextFile) -> None:
        """Put `file` there, whatever stands there now."""
        (self.root / file.path).write_bytes(file.data)

    def read(self, path: str) -> TextFile:
        """The file as it is now."""
        return TextFile.decode(path, (self.root / path).read_bytes())

    async def check(self, file: TextFile) -> tuple[Diagnostic, ...]:
        """Write `file` and return what the servers say about it; a server that fails twice ends the run."""
        self.write(file)
        report = await self._service.check([file])
        if report.advice:
            print(f"starting the servers anew: {'; '.join(report.advice)}", file=sys.stderr)
            await self._service.close()
            report = await self._service.check([file])
        if report.advice:
            raise CorpusError("; ".join(report.advice))
        return tuple(one for one in report.diagnostics if one.path == file.path)

    async def fix(self, mutant: Mutant) -> Run:
        """`motet fix --yes` on the file of `mutant`, which is there, with the offline model."""
        run = Run()
        only = _OnlyCaused(self._service, mutant)
        loop = self._engine.fix_loop(only, OfflineModel(), AcceptAll(), run.hear)  # pyright: ignore[reportArgumentType]
        async with self._engine.checkpoint("bench"):
            await loop.run([mutant.original.path])
        return run


def caused_by(
    original: TextFile, known: Sequence[Diagnostic], now: TextFile, diagnostics: Sequence[Diagnostic]
) -> tuple[Diagnostic, ...]:
    """Problems of `now` that `original` does not have."""
    return compare(known, {original.path: original}, diagnostics, {now.path: now}).new


class _OnlyCaused:
    """The service as the loop sees it: without the problems that the original file has, too."""

    checker_names: frozenset[str] = frozenset()

    def __init__(self, service: DiagnosticsService, mutant: Mutant) -> None:
        self._service = service
        self._mutant = mutant

    async def check(self, files: Sequence[TextFile], *, checkers: bool = True) -> Report:
        report = await self._service.check(files, checkers=checkers)
        mutant = self._mutant
        (now,) = [file for file in files if file.path == mutant.original.path]
        found = [one for one in report.diagnostics if one.path == now.path]
        return replace(report, diagnostics=caused_by(mutant.original, mutant.known, now, found))


@asynccontextmanager
async def open_lab(root: Path, home: Path) -> AsyncIterator[Lab]:
    """An engine for `root` that keeps its state and settings below `home`; servers start when first needed."""
    path = os.pathsep.join((str(BIN), os.environ.get("PATH", os.defpath)))
    places = {"HOME": str(home), "XDG_STATE_HOME": str(home / "state"), "XDG_CONFIG_HOME": str(home / "config")}
    os.environ["PATH"] = path
    engine = Engine(root, allow=["write"], environ={"PATH": path, **places})
    async with engine.diagnostics((), lambda _: None) as service:
        yield Lab(engine, service)

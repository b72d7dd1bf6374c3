"""The one place to ask what is wrong with some files: language servers and checkers, side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from motet.diagnostics.changes import Changes, FileChange
from motet.diagnostics.fixes import with_shared_fixes
from motet.diagnostics.locate import Surroundings, locate, start
from motet.diagnostics.progress import Doing, Progress
from motet.diagnostics.question import Answers, Question, T
from motet.diagnostics.servers import ServerSpec
from motet.diagnostics.session import Answer, Session
from motet.errors import PermissionDenied, ProcessError
from motet.permissions import Action, Gate
from motet.text import Diagnostic, Severity, TextFile

FIRST_ANSWER = 60.0
"""Seconds that a server may take for its first answer; half of it for each later one."""


class CheckerLike(Protocol):
    """A source that is not a language server."""

    @property
    def name(self) -> str:
        """As users know it."""
        ...

    @property
    def action(self) -> Action:
        """What the gate is asked before `check`."""
        ...

    async def check(self, files: Sequence[TextFile]) -> list[Diagnostic]:
        """What is wrong with `files`, as they are on disk. Raises `ProcessError`."""
        ...


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of one check.

    `diagnostics` are sorted by path, place, severity and source. `sources` are those who answered, sorted; who is
    missing in one report cannot be compared with another. `advice` has one line for each that did not answer, or
    not about everything. `failed` are the checkers that gave no verdict, sorted: without it nothing is known to be
    clean.
    """

    diagnostics: tuple[Diagnostic, ...]
    sources: tuple[str, ...]
    advice: tuple[str, ...]
    failed: tuple[str, ...] = ()


@dataclass(slots=True)
class _Collected:
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])
    sources: set[str] = field(default_factory=set[str])
    advice: list[str] = field(default_factory=list[str])
    failed: set[str] = field(default_factory=set[str])

    def add(self, source: str, answer: Answer) -> None:
        self.diagnostics += answer.diagnostics
        self.advice += answer.advice
        if answer.complete:
            self.sources.add(source)


class DiagnosticsService:
    """What servers and checkers say about the files of one workspace, check after check.

    Servers start with the first file of their language and stay until `close`. Nothing of a project that is not
    `trusted` is started; `extra_dirs`, where programs are looked for first, are the caller's own word.
    `timeout` is in seconds: for a server's first answer, and half of it for each later one.
    """

    def __init__(
        self,
        root: Path,
        servers: Sequence[ServerSpec],
        *,
        gate: Gate,
        extra_dirs: Sequence[Path] = (),
        checkers: Sequence[CheckerLike] = (),
        severity: Severity = Severity.WARNING,
        on_progress: Callable[[Progress], None] = lambda _: None,
        trusted: bool = False,
        timeout: float = FIRST_ANSWER,
    ) -> None:
        self._around = Surroundings(root.resolve(), tuple(extra_dirs), trusted)
        self._specs = tuple(servers)
        self._gate = gate
        self._checkers = tuple(checkers)
        self._severity = severity
        self._on_progress = on_progress
        self._timeout = timeout
        self._changes = Changes(self._around.root)
        self._asked: set[str] = set()
        self._missing: list[str] = []
        self._sessions: dict[str, Session] = {}
        self._one_at_a_time = asyncio.Lock()

    @property
    def checker_names(self) -> frozenset[str]:
        """The sources that are not language servers."""
        return frozenset(checker.name for checker in self._checkers)

    async def check(self, files: Sequence[TextFile], *, checkers: bool = True) -> Report:
        """The truth about these versions of `files`; without `checkers`, as far as the servers know it.

        The first check opens them, later ones send what changed. Servers and checkers work at the same time; one
        that fails is a line of `advice`.
        """
        async with self._one_at_a_time:
            changes = self._changes.note(files)
            collected = _Collected()
            await self._start(files)
            asking = [self._ask_server(name, files, changes, collected) for name in self._sessions]
            asking += [self._ask_checker(checker, files, collected) for checker in self._checkers if checkers]
            await _all(asking)
            return self._report(files, collected)

    async def ask(self, question: Question[T], patience: float) -> Answers[T]:
        """What servers answer. Only those that may be started without a question are; once one runs it has `patience`
        seconds. Whoever does not want to wait for the start lets go of the task."""
        async with self._one_at_a_time:
            changes = self._changes.note(question.files)
            await self._start(question.about, unasked=True)
            await _all([self._ask_server(name, (), changes, _Collected()) for name in self._sessions])
            wanted = [name for name, session in self._sessions.items() if any(map(session.is_for, question.about))]
            told = await asyncio.gather(*(self._answer(name, question, patience) for name in wanted))
        given = tuple((name, answer) for name, (answer, _) in zip(wanted, told, strict=True) if answer is not None)
        if given:
            return Answers(given)
        why = next((why for _, why in reversed(told) if why), "")
        names = [spec.name for spec in self._specs if any(spec.language_of(file.path) for file in question.about)]
        missing = (line for line in self._missing if line.startswith(tuple(f"{name}:" for name in names)))
        return Answers(why=why or next(missing, "no language server for it"))

    async def _answer(self, name: str, question: Question[T], patience: float) -> tuple[T | None, str]:
        """What one server answers, else why it does not."""
        try:
            return await self._sessions[name].ask(question, patience), ""
        except TimeoutError:
            return None, f"{name}: no answer within {patience:g} s"
        except ProcessError as error:
            return None, f"{name}: {str(error).removeprefix(f'{name}: ')}"

    async def close(self) -> None:
        """End all servers. The service can be used again; they start anew."""
        sessions, self._sessions = self._sessions, {}
        self._asked.clear()
        self._missing.clear()
        await asyncio.gather(*(session.close() for session in sessions.values()))

    async def _start(self, files: Sequence[TextFile], *, unasked: bool = False) -> None:
        """Start what the languages of `files` need and was not asked for before; `unasked`: what needs no question."""
        wanted = [
            spec
            for spec in {spec.name: spec for spec in self._specs}.values()
            if spec.name not in self._asked
            and any(spec.language_of(file.path) for file in files)
            and (not unasked or self._gate.allows(spec.action))
        ]
        self._asked.update(spec.name for spec in wanted)
        launches, advice = await locate(wanted, self._around, self._gate)
        self._missing += advice
        for launch in launches:
            self._on_progress(Progress(launch.spec.name, Doing.STARTING))
            try:
                child = await start(launch, self._around)
            except ProcessError as error:
                self._missing.append(f"{launch.spec.name}: {error}")
                continue
            self._sessions[launch.spec.name] = Session(
                launch,
                self._around,
                self._changes,
                child=child,
                severity=self._severity,
                timeout=self._timeout,
                on_progress=self._on_progress,
            )

    async def _ask_server(
        self, name: str, files: Sequence[TextFile], changes: Sequence[FileChange], collected: _Collected
    ) -> None:
        session = self._sessions[name]
        own = [file for file in files if session.is_for(file)]
        if own or changes:
            answer = await session.check(own, changes)
            if own:
                collected.add(name, answer)

    async def _ask_checker(self, checker: CheckerLike, files: Sequence[TextFile], collected: _Collected) -> None:
        self._on_progress(Progress(checker.name, Doing.CHECKING, 0, len(files)))
        try:
            await self._gate.require(checker.action)
            collected.diagnostics += await checker.check(files)
            collected.sources.add(checker.name)
        except PermissionDenied as error:
            collected.failed.add(checker.name)
            collected.advice.append(f"{checker.name}: not started; {error}")
        except ProcessError as error:
            collected.failed.add(checker.name)
            text = str(error)
            collected.advice.append(text if text.startswith(f"{checker.name}:") else f"{checker.name}: {text}")

    def _report(self, files: Sequence[TextFile], collected: _Collected) -> Report:
        wanted = [one for one in collected.diagnostics if one.severity <= self._severity]
        fixed = with_shared_fixes(wanted, {file.path: file for file in files})
        diagnostics = tuple(sorted(dict.fromkeys(fixed), key=_order))
        advice = dict.fromkeys((*self._missing, *sorted(collected.advice)))
        failed = tuple(sorted(collected.failed))
        return Report(diagnostics, tuple(sorted(collected.sources)), tuple(advice), failed)


async def _all(coroutines: Iterable[Coroutine[None, None, None]]) -> None:
    """Run them side by side; when one raises, or this is cancelled, the others end before it is passed on."""
    tasks = [asyncio.create_task(each) for each in coroutines]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _order(one: Diagnostic) -> tuple[str, int, int, int, str]:
    start = one.range.start
    return one.path, start.line, start.column, one.severity, one.source

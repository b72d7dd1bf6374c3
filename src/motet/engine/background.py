"""Agents in the background of one project: start them, find them again, end them. For every front end."""

from __future__ import annotations

import signal
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from motet.board import AgentMissing, AgentState, Boards
from motet.board.addresses import key
from motet.engine.agent_spec import AgentFiles, AgentSpec, Kept, Running, Word, changed
from motet.errors import ExitCode, MotetError, PermissionDenied, UsageError
from motet.git import add_tree, remove_tree
from motet.history import History
from motet.messages import new_id
from motet.process import Detached, start_detached
from motet.storage.lease import Lease
from motet.visible import one_line

_BEGIN = 60.0
"""Seconds in which an agent has to be ready."""
PATIENCE = 10.0
"""Seconds that the tool call under way may take when an agent is to end."""
_FIRMLY = 2.0
"""Seconds between being told to end at once, and being killed."""
_LIVES = (AgentState.IDLE, AgentState.WORKING, AgentState.WAITING)


@dataclass(frozen=True, slots=True)
class Started:
    """An agent that runs. `was_known`: it is one that ran before. `tied`: what it hangs on, when it is to end with this
    process."""

    spec: AgentSpec
    running: Running
    model: str
    works_in: Path
    was_known: bool
    notes: tuple[str, ...] = ()
    tied: Detached | None = None

    @property
    def line(self) -> str:
        """That it runs, for a human."""
        spec, back = self.spec, ", back again" if self.was_known else ""
        tree = f", in {self.works_in}" if spec.own_tree else ""
        where = f"{self.running.address} works on {spec.board} with {self.model}"
        return one_line(f"{where}{tree}{back} (process {self.running.mark.pid})")


@dataclass(frozen=True, slots=True)
class Stopped:
    """An agent that runs no more. `was_running`: it did. `was_killed`: it did not end in good order. `tree`: where its
    changes are, in a work tree of its own; empty when there are none."""

    spec: AgentSpec
    address: str
    was_running: bool
    was_killed: bool = False
    tree: str = ""

    @property
    def line(self) -> str:
        """That it runs no more, for a human."""
        did = "has ended" if self.was_running else "did not run"
        did = "did not end by itself, and was killed" if self.was_killed else did
        kept = f"; its changes are in {self.tree}" if self.tree else ""
        return one_line(f"{self.address or self.spec.name} {did}{kept}")


@dataclass(frozen=True, slots=True)
class Background:
    """See the module. `root`: the workspace; `project`: under which its boards are kept. Methods raise `MotetError`."""

    state: Path
    root: Path
    project: str

    def known(self, who: str) -> Kept | None:
        """The agent of that name or address, if it was ever started."""
        files = self._files_of(who)
        return files.kept() if files is not None else None

    def runs(self, who: str) -> bool:
        """Whether the agent of that name or address runs in the background."""
        files = self._files_of(who)
        return files is not None and files.running() is not None

    def running(self) -> dict[str, Running]:
        """By name, the agents that run."""
        found = [(files.kept(), files.running()) for files in AgentFiles.all(self.state, self.project)]
        return {kept.spec.name: running for kept, running in found if kept is not None and running is not None}

    async def start(self, spec: AgentSpec, *, tied: bool = False) -> Started:
        """Start an agent, or the one of this name again. Raises `UsageError` when it runs, and what keeps it from
        beginning."""
        files = AgentFiles.of(self.state, self.project, spec.name)
        async with _alone(files):
            if (running := files.running()) is not None:
                raise UsageError(
                    f"{running.address} runs already (process {running.mark.pid}); "
                    f"`motet agents stop {spec.name}` ends it"
                )
            before, ran_before = files.kept(), bool(files.last_address())
            kept = await self._kept(spec, before)
            files.keep(kept)
            began = await start_detached(
                [sys.executable, "-P", "-m", "motet.engine.agent_process", *_told(files, tied)],
                cwd=kept.works_in,
                errors=files.errors,
                within=_BEGIN,
                tied=tied,
            )
            said = _said(began.said)
            now = files.running()
            if now is None or now.mark != began.mark or not said.address:
                began.let_go()
                if began.mark is not None and not await began.mark.ended(_FIRMLY):
                    began.mark.signal(signal.SIGKILL)
                if before is None:
                    await self._tidy(kept)
                raise _failure(spec.name, said, files)
            hangs_on = began if tied else None
            return Started(spec, now, said.model, kept.works_in, ran_before, said.notes, hangs_on)

    async def stop(
        self, who: str, boards: Boards, patience: float = PATIENCE, why: str = "was stopped", firmly: float = _FIRMLY
    ) -> Stopped:
        """End an agent: after the tool call under way, or after `patience` seconds at once, `firmly` seconds later killed.
        Its work tree goes when nothing stands there that is nowhere else. Raises `AgentMissing`."""
        files = self._files_of(who)
        kept = files.kept() if files is not None else None
        if files is None or kept is None:
            raise AgentMissing(f"no agent {who!r} was started in the background here; `motet agents list` shows all")
        async with _alone(files):
            running, address = files.running(), files.last_address()
            was_killed = running is not None and not await _ended(running, patience, firmly)
            if running is None or was_killed:
                await self._mourn(boards, kept, address, why if was_killed else "died")
            tree = await self._tidy(kept)
            return Stopped(kept.spec, address, running is not None, was_killed, tree)

    async def mourn(self, boards: Boards) -> list[str]:
        """Say on the boards which agents have died; the addresses of those of which nobody had said so."""
        found: list[str] = []
        for files in AgentFiles.all(self.state, self.project):
            kept, address = files.kept(), files.last_address()
            if kept is not None and files.running() is None and await self._mourn(boards, kept, address, "died"):
                found.append(address)
        return found

    async def _mourn(self, boards: Boards, kept: Kept, address: str, why: str) -> bool:
        """Say of an agent that has died what it could not say itself; false when that is known, or when a human has its
        chat open."""
        try:
            if not address or (await boards.agent(address)).state not in _LIVES:
                return False
        except AgentMissing:
            return False
        history = History.open(self.state)
        try:
            if (lease := await history.lease(kept.chat)) is None:
                return False
            lease.close()
        finally:
            await history.close()
        await boards.stopped(address, why)
        await boards.give_back(address, [one.id for one in await boards.held(address)])
        await boards.set_state(address, AgentState.GONE, why)
        return True

    async def _kept(self, spec: AgentSpec, before: Kept | None) -> Kept:
        """What is kept of it from now on."""
        had = {*before.spec.tools, *before.dropped} if before is not None else set[str]()
        kept = Kept(
            spec,
            self.project,
            str(self.root),
            before.chat if before is not None else new_id(),
            dropped=tuple(sorted(had - {*spec.tools})),
        )
        if not spec.own_tree:
            return kept
        files = AgentFiles.of(self.state, self.project, spec.name)
        place = self.state / "trees" / files.stem
        tree = await add_tree(self.root, place, f"motet/{key(spec.name)}")
        base = before.base if before is not None and before.tree == str(place) and before.base else tree.head
        return replace(kept, tree=str(tree.path), base=base)

    async def _tidy(self, kept: Kept) -> str:
        """Take its work tree away, or say where it is."""
        if not kept.tree or not Path(kept.tree).exists():
            return ""
        return "" if await remove_tree(Path(kept.root), Path(kept.tree), kept.base) else kept.tree

    def _files_of(self, who: str) -> AgentFiles | None:
        wanted = key(who.removeprefix("@"))
        for files in AgentFiles.all(self.state, self.project):
            kept = files.kept()
            if kept is not None and wanted in (key(kept.spec.name), key(files.last_address())):
                return files
        return None


def again(kept: Kept | None, name: str, given: Mapping[str, object]) -> AgentSpec:
    """What an agent is to be that is started by hand: as it was, but for what is `given` and not None."""
    return changed(kept.spec if kept is not None else AgentSpec(name), given)


async def _ended(running: Running, patience: float, firmly: float) -> bool:
    """Tell a process to end, more firmly each time; whether it did not have to be killed."""
    for number, seconds in ((signal.SIGTERM, patience), (signal.SIGTERM, firmly)):
        if not running.mark.signal(number) or await running.mark.ended(seconds):
            return True
    running.mark.signal(signal.SIGKILL)
    await running.mark.ended(_BEGIN)
    return False


@asynccontextmanager
async def _alone(files: AgentFiles) -> AsyncGenerator[None]:
    """While nobody else starts or ends this agent."""
    try:
        lease = await Lease.wait(files.starting)
    except OSError as error:
        raise MotetError(f"{files.starting}: an agent cannot be started: {error.strerror}") from error
    with lease:
        yield


def _told(files: AgentFiles, tied: bool) -> list[str]:
    return [str(files.directory), files.stem, "tied" if tied else "free"]


def _said(said: bytes) -> Word:
    try:
        return msgspec.json.decode(said, type=Word)
    except msgspec.DecodeError:  # it ended without a word
        return Word()


def _failure(name: str, said: Word, files: AgentFiles) -> MotetError:
    """Why it could not begin, as an error with the same exit code."""
    if said.error:
        kinds = {ExitCode.USAGE: UsageError, ExitCode.PERMISSION: PermissionDenied}
        return kinds.get(said.exit_code, MotetError)(f"{name}: {said.error}")
    try:
        lines = files.errors.read_text("utf-8", "replace").strip().splitlines()
    except OSError:
        lines = []
    last = lines[-1] if lines else f"it was not ready after {_BEGIN:g} s"
    return MotetError(f"{name} could not begin: {last}; {files.errors} has the rest")

"""`run_command`: run a program in the workspace, after a yes, inside the sandbox where there is one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, cast

from pydantic import BaseModel, ConfigDict, Field

from motet.errors import MotetError, OutsideWorkspace, PermissionDenied, ProcessError, UsageError
from motet.messages import new_id
from motet.permissions import Action, DeniedByHuman, Effect, OffLimits, Origin, off_limits, resolved, without_secrets
from motet.permissions.commands import only_reads, reaches_out
from motet.permissions.places import command_identity
from motet.permissions.rules import is_outside
from motet.process import Running, find_program
from motet.process.capture import Capture
from motet.process.sandbox import SandboxState, Walls, ask_to_end, find_sandbox
from motet.prompts import prompt
from motet.tools.kit import Kit, Told
from motet.tools.masked import mask_file, masked, values_in
from motet.tools.snapshots import Snapshots
from motet.tools.tool import OneByOne, ToolInput, ToolOutput, ToolSpec
from motet.workspace.snapshots import Watch

MAX_CHARACTERS = 19_000
"""Of the output, in the result; what the result says besides stays within what a tool's output is cut to."""
MAX_BYTES = 64 * 2**20
"""Of output; a program that prints more is ended."""
MAX_SESSIONS = 8
SESSION_WAIT = 5.0
"""Seconds in which a session's output is waited for, when the call does not say how long."""
DEFAULT_TIMEOUT = 120.0

_QUIET = {"TERM": "dumb", "NO_COLOR": "1", "PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0"}
_PRIVATE = {"TMPDIR": "/tmp", "XDG_CACHE_HOME": "/tmp/cache"}
_UNUSABLE = re.compile("[\0\ud800-\udfff]")


class RunCommandInput(BaseModel):
    """Arguments of one call."""

    model_config = ConfigDict(extra="forbid")

    argv: list[str] | None = Field(None, description="the program and its arguments, one string each", min_length=1)
    shell: str | None = Field(None, description="instead of argv: a text that `sh` reads as commands", min_length=1)
    cwd: str = Field(".", description="the directory to run in, relative to the workspace")
    timeout: Annotated[float, Field(gt=0, le=3600)] | None = Field(
        None, description="seconds after which it is stopped (120); with session: how long to wait for output (5)"
    )
    network: bool = Field(False, description="whether it needs the network")
    session: str | None = Field(
        None, description="name of a program that goes on running in the background", pattern=r"^[\w.-]{1,40}$"
    )
    stop: bool = Field(False, description="end the session")


@dataclass(slots=True)
class _Run:
    """A program that was started. `is_strange`: what it prints may come from the network. `watch`: the snapshot that it
    runs under while a call is about it. `contained`: it can write nothing, so there is none. `secrets`: what it prints
    and a model does not see. `trespass`: which files of others it changed, in words."""

    words: tuple[str, ...]
    running: Running
    capture: Capture
    before: OffLimits
    is_walled: bool
    is_strange: bool
    watch: Watch | None
    contained: bool
    secrets: tuple[str, ...] = ()
    trespass: str = ""
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> str:
        return f"{time.monotonic() - self.started:.1f} s"


class RunCommand(OneByOne):
    """The tool. `sandbox`: what was found; None: it looks itself, before the first command.

    `close` ends its sessions. They also end with motet, however it ends.
    """

    def __init__(
        self, kit: Kit, sandbox: SandboxState | None = None, *, environ: Mapping[str, str] | None = None
    ) -> None:
        self.spec = ToolSpec("run_command", prompt("run_command"), RunCommandInput, frozenset({Effect.RUN}), True)
        self._kit = kit
        self._sandbox = sandbox
        self._environ = os.environ if environ is None else environ
        self._sessions: dict[str, _Run] = {}
        self._snapshots = Snapshots(kit, self.spec.name)

    async def run(self, calls: Sequence[ToolInput]) -> Sequence[ToolOutput]:
        """See `Tool`. What keeps one command from running is the output of that call alone."""
        return [await self._one(cast("RunCommandInput", call.value)) for call in calls]

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `OneByOne`."""
        return await self._one(cast("RunCommandInput", value))

    async def close(self) -> None:
        """End all sessions."""
        runs = list(self._sessions.values())
        self._sessions.clear()
        await asyncio.gather(*(_finish(run) for run in runs))

    async def _one(self, wish: RunCommandInput) -> ToolOutput:
        try:
            match wish:
                case RunCommandInput(argv=None, shell=None, session=str(name)):
                    return await self._look(name, wish)
                case RunCommandInput(argv=None, shell=None) | RunCommandInput(argv=list(), shell=str()):
                    raise UsageError("give either argv or shell, or the session that you mean")
                case RunCommandInput(stop=True):
                    raise UsageError("give stop with session and without a command")
                case RunCommandInput(session=str(name)):
                    return await self._begin(name, wish)
                case _:
                    return await self._to_its_end(await self._start(wish), wish.timeout or DEFAULT_TIMEOUT)
        except DeniedByHuman as denied:
            reason = f": {denied.reason}" if denied.reason else ""
            return ToolOutput(f"run_command: not run: the human said no{reason}", is_error=True)
        except MotetError as error:
            return ToolOutput(f"run_command: {error}", is_error=True)

    # --- one command -------------------------------------------------------------------------------------------

    async def _start(self, wish: RunCommandInput) -> _Run:
        """Ask, then start; in plan mode only where nothing can be written. Raises `PermissionDenied`, `ProcessError`,
        `UsageError`, `OutsideWorkspace`."""
        words = tuple(wish.argv) if wish.argv is not None else ("sh", "-c", wish.shell or "")
        if _UNUSABLE.search("".join(words)):
            raise UsageError("a NUL character or half a character cannot be part of a command")
        root = self._kit.workspace.root
        cwd = await asyncio.to_thread(_directory, root, wish.cwd)
        env = without_secrets(self._environ) | _QUIET
        program = _program(words[0], root / cwd, env)
        sandbox = self._sandbox = self._sandbox or await find_sandbox(avoid=root)
        contained = self._kit.gate.plans()
        if contained:
            _require_walls(sandbox, wish)
        wall = "in the sandbox" if sandbox.sandbox else "not in a sandbox: it can read and change what you can"
        wall += ", where nothing can be written" if contained else ""
        where = "the workspace" if cwd == "." else f"{cwd}/"
        detail = f"{program}\nin {where}, {_patience(wish)}, {_reach(wish, sandbox)}, {wall}"
        definition = await asyncio.to_thread(command_identity, root, program, cwd, wish.network)
        # A yes to what can write nothing is none to the same words where they can.
        named = f"{definition}, contained" if contained else definition
        action = Action.command(
            words, Origin.MODEL, detail=detail, definition=named, network=wish.network, contained=contained
        )
        if not contained and not only_reads(words):
            await self._kit.claims.may_run()
        await self._kit.gate.require(action)
        command = (str(program), *words[1:])
        watch = None if contained else await self._snapshots.before(words)
        try:
            if await asyncio.to_thread(command_identity, root, program, cwd, wish.network) != definition:
                raise ProcessError(f"{program}: changed while the question was open; nothing was run")
            return await self._spawn(words, command, root / cwd, env, wish.network, watch, contained=contained)
        except BaseException:
            self._snapshots.later(watch)
            raise

    async def _spawn(
        self,
        words: tuple[str, ...],
        command: tuple[str, ...],
        cwd: Path,
        env: dict[str, str],
        network: bool,
        watch: Watch | None,
        *,
        contained: bool,
    ) -> _Run:
        root = self._kit.workspace.root
        limits = await asyncio.to_thread(off_limits, root, self._environ)
        secrets = await asyncio.to_thread(values_in, [root / name for name in limits.names])
        capture = Capture(self._kit.outputs / f"{new_id()}-run_command.txt", MAX_CHARACTERS)
        sandbox = self._sandbox.sandbox if self._sandbox else None
        argv: Sequence[str] = command
        if sandbox is not None:
            walls = Walls(root, limits.read_only, limits.hidden, network, not contained)
            argv, env = sandbox.argv(command, walls, cwd), env | _PRIVATE
        running = await Running.start(
            argv,
            cwd=cwd,
            env=env,
            on_output=lambda data: self._kit.tell(Told("run_command", "output", capture.add(data))),
            max_bytes=MAX_BYTES,
            ask_to_end=ask_to_end if sandbox is not None else None,
        )
        strange = network or (sandbox is None and reaches_out(words))
        return _Run(words, running, capture, limits, sandbox is not None, strange, watch, contained, secrets)

    async def _to_its_end(self, run: _Run, timeout: float) -> ToolOutput:
        try:
            ended = await run.running.wait(timeout)
            made = await self._finished(run)
        except asyncio.CancelledError:
            self._snapshots.later(run.watch, run.running.abandon())
            run.capture.close()
            raise
        if not ended and not run.running.flooded:
            return self._output(
                run, f"no end after {timeout:g} s; stopped, with everything it had started", failed=True, made=made
            )
        return self._output(run, f"{_end(run)} after {run.seconds}", failed=run.running.code != 0, made=made)

    async def _finished(self, run: _Run) -> list[str]:
        """End what is left of it; the protected places of the workspace that are there since it ran.

        No wall keeps a command from making a place that was not there: so it is seen at least."""
        await _finish(run)
        await self._compare(run)
        await asyncio.to_thread(mask_file, run.capture.file, run.secrets)
        now = await asyncio.to_thread(off_limits, self._kit.workspace.root, self._environ)
        new = {*now.read_only, *now.hidden} - {*run.before.read_only, *run.before.hidden}
        root = Path(os.path.realpath(self._kit.workspace.root))
        made = sorted(place.relative_to(root).as_posix() for place in new if place.is_relative_to(root))
        if made:
            self._kit.tell(Told("run_command", "note", f"new in protected places: {', '.join(made)}"))
        return made

    async def _compare(self, run: _Run) -> None:
        """Record what it changed so far, and look what of that others have claimed."""
        await self._snapshots.after(run.watch)
        changed = [difference.path for difference in run.watch.differences] if run.watch else []
        run.trespass = await self._kit.claims.trespassed(changed)
        if run.trespass:
            self._kit.tell(Told("run_command", "note", run.trespass))

    # --- sessions ----------------------------------------------------------------------------------------------

    async def _begin(self, name: str, wish: RunCommandInput) -> ToolOutput:
        if name in self._sessions:
            raise UsageError(f"session {name} is there already: read it, or end it with stop")
        if len(self._sessions) >= MAX_SESSIONS:
            raise UsageError(
                f"there are {MAX_SESSIONS} sessions already: {', '.join(self._sessions)}; end one with stop"
            )
        self._sessions[name] = await self._start(wish)
        return await self._look(name, wish)

    async def _look(self, name: str, wish: RunCommandInput) -> ToolOutput:
        run = self._sessions.get(name)
        if run is None:
            there = ", ".join(self._sessions) or "none"
            raise UsageError(f"there is no session {name}; there is {there}")
        if run.watch is None and not run.contained:
            run.watch = await self._snapshots.again(run.words)
        try:
            is_over = wish.stop or await run.running.wait(wish.timeout or SESSION_WAIT) or run.running.flooded
        except asyncio.CancelledError:
            self._snapshots.later(run.watch)
            run.watch = None
            raise
        if not is_over:
            await self._compare(run)
            run.watch = None
            return self._output(run, f"session {name}: running for {run.seconds}")
        stopped = wish.stop and not await run.running.wait(0)
        del self._sessions[name]
        made = await self._finished(run)
        how = "stopped" if stopped else _end(run)
        failed = not stopped and run.running.code != 0
        return self._output(run, f"session {name}: {how} after {run.seconds}", failed=failed, made=made)

    def _output(self, run: _Run, how: str, *, failed: bool = False, made: Sequence[str] = ()) -> ToolOutput:
        said = masked(run.capture.unread(), run.secrets)
        if run.is_strange:
            self._kit.gate.taint(f"output of {run.words[0]}, which had the network")
        hidden = run.before.names if failed and run.is_walled else ()
        hint = f"\n(hidden from commands: {_some(hidden)})" if hidden else ""
        hint += f"\n(new in protected places, the human is told: {_some(made)})" if made else ""
        shown = f"{Path(run.words[0]).name}: {how}"
        hint += f"\n({run.trespass})" if run.trespass else ""
        return ToolOutput(f"{how}{hint}\n{said or '(no output)'}", failed, shown)


async def _finish(run: _Run) -> None:
    await run.running.end()
    run.capture.close()


def _end(run: _Run) -> str:
    code = run.running.code or 0
    if run.running.flooded:
        return f"more than {MAX_BYTES // 2**20} MiB of output; stopped"
    if code >= 0:
        return f"exit code {code}"
    with contextlib.suppress(ValueError):
        return f"ended by signal {-code} ({signal.Signals(-code).name})"
    return f"ended by signal {-code}"


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


# --- what the question and the grant are about -------------------------------------------------------------------


def _patience(wish: RunCommandInput) -> str:
    return (
        f"until session {wish.session} is stopped"
        if wish.session
        else f"at most {wish.timeout or DEFAULT_TIMEOUT:g} s"
    )


def _reach(wish: RunCommandInput, sandbox: SandboxState) -> str:
    if wish.network:
        return "with the network"
    return "without the network" if sandbox.sandbox else "the network cannot be closed here"


def _require_walls(sandbox: SandboxState, wish: RunCommandInput) -> None:
    """Raises `PermissionDenied` for a command of plan mode that could change something all the same."""
    if sandbox.sandbox is None:
        raise PermissionDenied(f"plan mode: no command is run without a sandbox, and there is {sandbox.text}")
    if wish.network:
        raise PermissionDenied("plan mode: commands have no network; leave it out")


def _directory(root: Path, cwd: str) -> str:
    if _UNUSABLE.search(cwd):
        raise UsageError("a NUL character or half a character cannot be part of a path")
    real = resolved(root, cwd)
    if is_outside(real):
        raise OutsideWorkspace(f"{cwd}: outside the workspace; commands run inside it")
    if not (root / real).is_dir():
        raise UsageError(f"{cwd}: no such directory")
    return real


def _program(word: str, cwd: Path, env: Mapping[str, str]) -> Path:
    """The file that `word` names: from `cwd` when it holds a `/`, else on PATH. Raises `ProcessError`."""
    name = str(cwd / word) if "/" in word else word
    program = find_program(name, path=env.get("PATH", os.defpath))
    if program is None:
        raise ProcessError(
            f"{word}: not found; choose a program that is installed, or one of the workspace as ./NAME"
        )
    return program

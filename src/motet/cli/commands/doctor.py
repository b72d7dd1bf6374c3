"""`motet doctor`."""

from __future__ import annotations

import asyncio
import platform
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import click

from motet import __version__
from motet.cli.columns import marked_rows
from motet.cli.commands.models import own_models
from motet.cli.terminal import Terminal
from motet.engine import Engine
from motet.errors import MotetError
from motet.index import engine_name
from motet.models.catalog import Candidate
from motet.paths import config_file, remedy
from motet.process.sandbox import find_sandbox
from motet.workspace import why_no_project


@dataclass(frozen=True, slots=True)
class _Finding:
    """One line: whether it is well, what it is about, what was found, what to do."""

    mark: str
    subject: str
    text: str


_LISTING = 5.0
"""Seconds that the files of a project may take to be listed."""
_ROOM = 64 * 1024
"""Bytes below which a disk counts as full: some chats and a checkpoint."""
_GOOD, _MISSING, _BAD = "✓", "·", "✗"


@click.command("doctor")
def command() -> int:
    """Check servers, models, keys and places on this machine.

    \b
    Examples:
      motet doctor

    Exit code 1 when something that motet needs is broken; a server that is not installed is only advice.
    """
    findings = asyncio.run(_examine())
    colours = {_GOOD: "green", _MISSING: "yellow", _BAD: "red"}
    marked_rows(
        Terminal(sys.stdout),
        [((one.mark, colours[one.mark]), (one.subject, ""), (one.text, "")) for one in findings],
    )
    return 1 if any(finding.mark == _BAD for finding in findings) else 0


async def _examine() -> list[_Finding]:
    python = f"{platform.python_version()} ({sys.executable})"
    findings = [_Finding(_GOOD, "motet", __version__), _Finding(_GOOD, "python", python), _git()]
    try:
        engine = Engine(Path.cwd())
    except MotetError as error:
        return [*findings, _Finding(_BAD, "settings", str(error))]
    file = config_file()
    findings.append(_Finding(_GOOD, "settings", str(file) if file.exists() else f"{file} (not there: defaults)"))
    findings += [_Finding(_MISSING, "settings", notice) for notice in engine.loaded.notices]
    findings.append(_state(engine.state))
    findings.append(_Finding(_GOOD, "workspace", str(engine.root)))
    findings.append(await _index(engine))
    sandbox = await find_sandbox(avoid=engine.root)
    findings.append(_Finding(_GOOD if sandbox.sandbox else _MISSING, "sandbox", sandbox.text))
    for subject, look in (("servers", _servers), ("trust", _trust), ("plug-ins", _plugins)):
        try:
            findings += look(engine)
        except MotetError as error:
            findings.append(_Finding(_BAD, subject, str(error)))
    try:
        default = await engine.default_model()
        findings.append(_Finding(_GOOD, "model", f"{default.model.name} ({default.reason})"))
        findings += [_Finding(_MISSING, "model", reason) for reason in default.passed_over]
    except MotetError as error:
        findings.append(_Finding(_BAD, "model", str(error)))
    findings += [_Finding(_GOOD if works else _BAD, "model", line) for works, line in await own_models(engine)]
    return [*findings, *_providers(engine, await engine.models())]


def _providers(engine: Engine, candidates: Sequence[Candidate]) -> list[_Finding]:
    """What `motet models` says, in short: who can be used, and why those cannot that somebody has set up."""
    findings: list[_Finding] = []
    without: list[str] = []
    stopped: list[str] = []
    seen: set[str] = {"offline"}
    for candidate in candidates:
        name = candidate.name.partition("/")[0]
        if name in seen:
            continue
        seen.add(name)
        if candidate.usable or name in engine.loaded.settings.providers:
            findings.append(_Finding(_GOOD if candidate.usable else _MISSING, name, candidate.reason))
        else:
            (stopped if candidate.name == name else without).append(name)
    if without:
        advice = f"without a key: {', '.join(without)}; `motet config key NAME` adds one"
        findings.append(_Finding(_MISSING, "providers", advice))
    if stopped:
        findings.append(_Finding(_MISSING, "local", f"no server runs: {', '.join(stopped)}"))
    return findings


def _servers(engine: Engine) -> list[_Finding]:
    return [
        _Finding(_MISSING, server.name, f"not found; {server.advice}")
        if server.program is None
        else _Finding(_GOOD, server.name, str(server.program))
        for server in engine.found_servers()
    ]


def _trust(engine: Engine) -> list[_Finding]:
    waiting = [item for item in engine.project_items() if not engine.gate.allows(item)]
    return [_Finding(_MISSING, "trust", f"waits for `motet trust`: {item.subject}") for item in waiting]


def _plugins(engine: Engine) -> list[_Finding]:
    return [_Finding(_GOOD, "plug-in", str(plugin)) for plugin in engine.plugins()]


async def _index(engine: Engine) -> _Finding:
    """Which engine keeps the index of this project, where, and whether it has all files."""
    if engine.loaded.settings.index.mode == "off":
        return _Finding(_MISSING, "index", "switched off by your settings (`index.mode`)")
    if why := why_no_project(engine.root):
        return _Finding(_MISSING, "index", why)
    from motet.index import ProjectIndex
    from motet.index.membership import list_members

    index = ProjectIndex(engine.root, engine.state / "index")
    try:
        status = await index.status()
        async with asyncio.timeout(_LISTING):
            listed = len(await list_members(engine.root))
    except TimeoutError:
        return _Finding(_MISSING, "index", f"the files here could not be listed in {_LISTING:g} s")
    except MotetError as error:
        return _Finding(_BAD, "index", str(error))
    finally:
        await index.close()
    unread = listed - status.files - sum(status.left_out.values())
    has_wheel = engine_name() == "tantivy"
    engine_said = f"tantivy {version('tantivy')}" if has_wheel else "FTS5 of SQLite, slower and larger than tantivy"
    parts = [engine_said, status.place or "in memory: the state directory cannot be written"]
    parts += [f"{status.files:,} files, {status.disk / 1e6:.1f} MB"]
    parts += [f"{unread:,} more will be read when it is asked" if unread > 0 else "complete"]
    return _Finding(_GOOD if status.place and has_wheel else _MISSING, "index", ", ".join(parts))


def _git() -> _Finding:
    program = shutil.which("git")
    if program is None:
        return _Finding(_MISSING, "git", "not found; ignore rules are then read by motet itself")
    return _Finding(_GOOD, "git", program)


def _state(state: Path) -> _Finding:
    try:
        state.mkdir(parents=True, exist_ok=True, mode=0o700)
        probe = state / ".doctor"
        try:
            probe.write_bytes(bytes(_ROOM))
        finally:
            probe.unlink(missing_ok=True)
    except OSError as error:
        why = f"{error.strerror}, and without a checkpoint there nothing is written"
        return _Finding(_BAD, "state", f"{state}: {why}; {remedy(error)}")
    return _Finding(_GOOD, "state", str(state))

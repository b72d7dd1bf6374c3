"""Agents in the background: what one is to be, and what is kept of it so that it comes back as the same."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from motet.board.addresses import check_name, key
from motet.errors import MotetError
from motet.paths import remedy
from motet.process import Mark
from motet.settings import Settings
from motet.storage.aside import set_aside
from motet.storage.places import make_private, sync_directory

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Caps:
    """What an agent may use at most, where the user's settings do not say less. Dollars, tokens, minutes; `rounds` are
    answers in a turn. None: what the settings say."""

    rounds: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    max_minutes: int | None = None
    tokens_per_day: int | None = None
    cost_per_day: float | None = None


@dataclass(frozen=True, slots=True)
class Chain:
    """What one post may cause at most, where the user's settings do not say less; see `motet.board.Budget`."""

    hops: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    max_minutes: int | None = None


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """What an agent is to be. `allow` and `takes_edits` are rights that its starter gives it; `ask` and `deny` restrict
    the settings further. `own_tree`: it works in a git work tree of its own."""

    name: str
    board: str = "general"
    roles: tuple[str, ...] = ()
    model: str = ""
    prompt: str = ""
    tools: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    takes_edits: bool = False
    own_tree: bool = False
    caps: Caps = Caps()
    chain: Chain = Chain()

    def flags(self, settings: Settings) -> dict[str, object]:
        """The settings that are other for this agent than `settings`, by dotted key: nothing is wider."""
        permissions, chat, board = settings.permissions, settings.chat, settings.board
        caps, chain = self.caps, self.chain
        found: dict[str, object] = {
            "chat.rounds": _least(caps.rounds, chat.rounds),
            "chat.max_tokens": _least(caps.max_tokens, chat.max_tokens),
            "chat.max_cost": _least(caps.max_cost, chat.max_cost),
            "chat.max_minutes": _least(caps.max_minutes, chat.max_minutes),
            "board.agent_tokens_per_day": _least(caps.tokens_per_day, board.agent_tokens_per_day),
            "board.agent_cost_per_day": _least(caps.cost_per_day, board.agent_cost_per_day),
            **chain_flags(chain, settings),
            "permissions.ask": [*permissions.ask, *self.ask] if self.ask else None,
            "permissions.deny": [*permissions.deny, *self.deny] if self.deny else None,
        }
        return _other(found)


def chain_flags(chain: Chain, settings: Settings) -> dict[str, object]:
    """The settings of `[board]` that are other with `chain` than in `settings`, by dotted key: nothing is wider."""
    board = settings.board
    found: dict[str, object] = {
        "board.hops": _least(chain.hops, board.hops),
        "board.max_tokens": _least(chain.max_tokens, board.max_tokens),
        "board.max_cost": _least(chain.max_cost, board.max_cost),
        "board.max_minutes": _least(chain.max_minutes, board.max_minutes),
    }
    return _other(found)


def _other(flags: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in flags.items() if value is not None}


def _least(wanted: float | None, now: float | None) -> float | None:
    """`wanted` where it is less than `now`; None: `now` stays."""
    return wanted if wanted is not None and (now is None or wanted < now) else None


@dataclass(frozen=True, slots=True)
class Kept:
    """What is on the disk of an agent. `root`: the workspace that it was started for; `tree`: its own work tree, begun at
    the commit `base`, empty without one. `chat`: the id of its conversation, and with that what it is known by on boards.
    `dropped`: tools that it had and has no more."""

    spec: AgentSpec
    project: str
    root: str
    chat: str
    tree: str = ""
    base: str = ""
    dropped: tuple[str, ...] = ()

    @property
    def works_in(self) -> Path:
        """Its workspace."""
        return Path(self.tree or self.root)


@dataclass(frozen=True, slots=True)
class Running:
    """The process of an agent, and where it is found on boards."""

    mark: Mark
    address: str


@dataclass(frozen=True, slots=True)
class Word:
    """What a process says to whoever started it: where the agent is found, or the `error` that it could not begin with."""

    address: str = ""
    model: str = ""
    notes: tuple[str, ...] = ()
    error: str = ""
    exit_code: int = 1


@dataclass(frozen=True, slots=True)
class AgentFiles:
    """The files of one agent of a project. Methods that read or write raise `MotetError`."""

    directory: Path
    stem: str

    @classmethod
    def of(cls, state: Path, project: str, name: str) -> AgentFiles:
        """Those of the agent called `name`, in any case. Raises `UsageError` for what is no name."""
        return cls(state / "agents", f"{_digest(project)}.{key(check_name(name))}")

    @classmethod
    def all(cls, state: Path, project: str) -> list[AgentFiles]:
        """Those of each agent of a project that was ever started."""
        found = sorted((state / "agents").glob(f"{_digest(project)}.*.json"))
        return [cls(state / "agents", path.name.removesuffix(".json")) for path in found]

    @property
    def starting(self) -> Path:
        """The lock of whoever starts or ends it."""
        return self._path("starting")

    @property
    def lock(self) -> Path:
        """The lock of its process."""
        return self._path("lock")

    @property
    def errors(self) -> Path:
        """What its process says that nobody expected."""
        return self._path("errors")

    def kept(self) -> Kept | None:
        """What is kept of it, if it was ever started."""
        return _read(self._path("json"), Kept)

    def keep(self, kept: Kept) -> None:
        """Keep that."""
        _write(self._path("json"), asdict(kept))

    def running(self) -> Running | None:
        """Its process, when it runs."""
        found = _read(self._path("run"), Running)
        return found if found is not None and found.mark.is_there else None

    def last_address(self) -> str:
        """Where it was found on boards when it last ran."""
        found = _read(self._path("run"), Running)
        return found.address if found is not None else ""

    def run(self, running: Running) -> None:
        """Note its process."""
        _write(self._path("run"), asdict(running))

    def _path(self, kind: str) -> Path:
        return self.directory / f"{self.stem}.{kind}"


def _digest(project: str) -> str:
    return hashlib.sha256(os.fsencode(project)).hexdigest()[:16]


def _read(path: Path, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise MotetError(f"{path}: an agent cannot be read: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeError):
        try:
            set_aside(path, "what is kept of an agent is", "start it again")
        except OSError as error:
            raise MotetError(f"{path}: this is no agent; {remedy(error, 'move it away')}") from error
        return None


def _write(path: Path, value: Mapping[str, object]) -> None:
    new = path.with_name(f"{path.name}.new")
    try:
        make_private(new)
        with new.open("wb") as file:
            file.write(json.dumps(value).encode())
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
        sync_directory(path.parent)
    except OSError as error:
        raise MotetError(f"{path}: an agent cannot be kept: {error.strerror}; {remedy(error)}") from error


def changed(spec: AgentSpec, given: Mapping[str, Any]) -> AgentSpec:
    """`spec` with what was given anew; None is nothing given."""
    return replace(spec, **{name: value for name, value in given.items() if value is not None})

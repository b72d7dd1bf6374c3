"""`team.toml`: who is in a team, what each may do and use, and what it begins with. Strict: what is not understood is an
error that names the line, and nothing is started."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct, ValidationError, convert, field, structs

from motet.board.addresses import check_name, key
from motet.engine.agent_spec import AgentSpec, Caps, Chain
from motet.errors import MotetError, SettingsError
from motet.permissions import Action, Effect, Origin, Rule, Verdict
from motet.settings.load import read_text, table_of

FILE = "team.toml"
MOST = 50
"""Agents in one team."""
_BYTES = 1_000_000
_HEAD = re.compile(r"\s*\[+\s*(?P<name>[^\]]*?)\s*\]+")
_PART = re.compile(r'"([^"]*)"|\'([^\']*)\'|([\w-]+)')

_Many = Annotated[int, Meta(ge=1)]
_Dollars = Annotated[float, Meta(gt=0)]


class _Table(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table in the file."""


class TeamBudget(_Table, frozen=True):
    """What one post may cause; never more than the settings say."""

    hops: Annotated[int, Meta(ge=1, le=100)] | None = None
    max_tokens: _Many | None = None
    max_cost: _Dollars | None = None
    max_minutes: _Many | None = None


class TeamCaps(_Table, frozen=True):
    """What one agent may use in a turn, and in a day; never more than the settings say."""

    rounds: Annotated[int, Meta(ge=1, le=1000)] | None = None
    max_tokens: _Many | None = None
    max_cost: _Dollars | None = None
    max_minutes: _Many | None = None
    tokens_per_day: _Many | None = None
    cost_per_day: _Dollars | None = None


class TeamPermissions(_Table, frozen=True):
    """`ask` and `deny` restrict; `allow` and `edits = "take"` are rights, which the human confirms."""

    allow: list[str] = field(default_factory=list)
    ask: list[str] = field(default_factory=list)
    deny: list[str] = field(default_factory=list)
    edits: Literal["refuse", "take"] = "refuse"


class TeamAgent(_Table, frozen=True):
    """One of the team."""

    roles: list[str] = field(default_factory=list)
    model: str = ""
    prompt: str = ""
    tools: list[str] = field(default_factory=list)
    worktree: bool = False
    permissions: TeamPermissions = field(default_factory=TeamPermissions)
    budget: TeamCaps = field(default_factory=TeamCaps)


class TeamTable(_Table, frozen=True):
    """The whole file."""

    agents: dict[str, TeamAgent]
    board: str = "general"
    task: str = ""
    budget: TeamBudget = field(default_factory=TeamBudget)


@dataclass(frozen=True, slots=True)
class Team:
    """A team as its file says. `rights`: what it would give beyond the settings, a line each; `digest` is of the file."""

    path: Path
    board: str
    task: str
    chain: Chain
    agents: tuple[AgentSpec, ...]
    rights: tuple[str, ...]
    digest: str

    @property
    def task_key(self) -> str:
        """The key of the post that the team begins with: the same task of the same file is one post."""
        said = f"{self.path}\n{self.board}\n{self.task}"
        return f"team {hashlib.sha256(said.encode('utf-8', 'surrogateescape')).hexdigest()[:32]}"

    def wants(self) -> Action:
        """What the human confirms before it gets its rights: this file, as it is now."""
        return Action(Effect.RUN, f"the team of {self.path}", Origin.PROJECT, definition=self.digest)


def read_team(path: Path) -> Team:
    """The team of a file. Raises `SettingsError`, which names the file, the line and the key."""
    path = path.resolve()
    if path.is_file() and path.stat().st_size > _BYTES:
        raise SettingsError(f"{path}: more than {_BYTES // 1_000_000} MB is no team")
    text = read_text(path)
    if text is None:
        raise SettingsError(f"{path}: there is no such file; docs/boards.md shows one")
    table = table_of(text, path)
    reader = _Reader(path, text)
    try:
        found = convert(table, TeamTable)
    except ValidationError as error:
        from motet.settings.faults import found_fault

        where, what = found_fault(table, error, strict=True, kind=TeamTable)
        raise reader.error(where, what) from error
    return reader.team(found)


@dataclass(frozen=True, slots=True)
class _Reader:
    path: Path
    text: str

    def error(self, where: Sequence[str], what: str) -> SettingsError:
        """What is wrong with the value under these names."""
        from motet.settings.faults import dotted_key

        line = _line_of(self.text, where)
        place = f"{self.path}:{line}" if line else str(self.path)
        return SettingsError(f"{place}: {dotted_key(where)}: {what}" if where else f"{place}: {what}")

    def team(self, table: TeamTable) -> Team:
        if not table.agents:
            raise self.error(["agents"], "a team has at least one agent, as in [agents.reviewer]")
        if len(table.agents) > MOST:
            raise self.error(["agents"], f"{len(table.agents)} agents; {MOST} are the most")
        self._name(table.board, ["board"])
        chain = Chain(**structs.asdict(table.budget))
        agents, rights = list[AgentSpec](), list[str]()
        seen: dict[str, str] = {}
        for name, one in table.agents.items():
            self._name(name, ["agents", name])
            if (other := seen.setdefault(key(name), name)) != name:
                raise self.error(["agents", name], f"the same name as {other}")
            agents.append(self._agent(name, one, table.board, chain))
            permissions = one.permissions
            rights += [f"{name} may {rule} without a question" for rule in permissions.allow]
            rights += [f"{name} edits without a look"] if permissions.edits == "take" else []
        digest = hashlib.sha256(self.text.encode()).hexdigest()
        return Team(self.path, table.board, table.task.strip(), chain, tuple(agents), tuple(rights), digest)

    def _agent(self, name: str, one: TeamAgent, board: str, chain: Chain) -> AgentSpec:
        permissions = one.permissions
        for at, verdict in (("allow", Verdict.ALLOW), ("ask", Verdict.ASK), ("deny", Verdict.DENY)):
            for rule in getattr(permissions, at):
                self._checked(lambda rule=rule, verdict=verdict: Rule.parse(rule, verdict), [
                    "agents", name, "permissions", at,
                ])  # fmt: skip
        for role in one.roles:
            self._name(role, ["agents", name, "roles"])
        return AgentSpec(
            name,
            board,
            tuple(one.roles),
            one.model,
            one.prompt.strip(),
            tuple(one.tools),
            tuple(permissions.allow),
            tuple(permissions.ask),
            tuple(permissions.deny),
            permissions.edits == "take",
            one.worktree,
            Caps(**structs.asdict(one.budget)),
            chain,
        )

    def _name(self, name: str, where: Sequence[str]) -> None:
        self._checked(lambda: check_name(name), where)

    def _checked(self, check: object, where: Sequence[str]) -> None:
        assert callable(check)
        try:
            check()
        except MotetError as error:
            raise self.error(where, str(error)) from error


def _line_of(text: str, where: Sequence[str]) -> int:
    """The line on which a value is set, else that of the table around it; 0 when neither is found."""
    table, best, best_depth = list[str](), 0, 0
    for number, line in enumerate(text.splitlines(), 1):
        head = _HEAD.match(line)
        if head is not None and "=" not in line.partition("]")[0]:
            table = _parts(head["name"])
            names = table
        else:
            names = [*table, *_parts(line.partition("=")[0])] if "=" in line else []
        depth = len(names)
        if names and depth > best_depth and names == list(where[:depth]):
            best, best_depth = number, depth
    return best


def _parts(text: str) -> list[str]:
    return [found[1] or found[2] or found[3] for found in _PART.finditer(text)]

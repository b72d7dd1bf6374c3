"""The gate: rules first, then what was granted before, then the human, if there is one to ask."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from motet.errors import PermissionDenied
from motet.permissions.action import Action, Answer, Effect
from motet.permissions.grants import GrantStore
from motet.permissions.protected import is_protected
from motet.permissions.rules import RuleSet, Verdict

Ask = Callable[[Action], Awaitable[Answer]]
"""Puts one question to the human; a front end provides it. Absent in runs that never prompt."""


class Gate:
    """Decides about the actions of one run in one project."""

    def __init__(self, project: Path, rules: RuleSet, grants: GrantStore, ask: Ask | None = None) -> None:
        self._project = project
        self._rules = rules
        self._grants = grants
        self._ask = ask
        self._this_run: set[Action] = set()

    async def require(self, action: Action) -> None:
        """Return when `action` may happen; raise `PermissionDenied`, saying what would allow it, when not."""
        match self._rules.verdict(action):
            case Verdict.ALLOW:
                return
            case Verdict.DENY:
                raise PermissionDenied(f"{action}: denied by a rule")
            case Verdict.ASK:
                await self._require_answer(action)

    def allows(self, action: Action) -> bool:
        """Whether `action` may happen without a question."""
        match self._rules.verdict(action):
            case Verdict.ALLOW:
                return True
            case Verdict.DENY:
                return False
            case Verdict.ASK:
                return action in self._this_run or self._grants.holds(self._project, action)

    async def _require_answer(self, action: Action) -> None:
        if action in self._this_run or self._grants.holds(self._project, action):
            return
        if self._ask is None:
            raise PermissionDenied(f"{action}: needs a yes; {_how_to_allow(action)}")
        match await self._ask(action):
            case Answer.NO:
                raise PermissionDenied(f"{action}: you said no")
            case _ if action.effect is Effect.WRITE:
                return  # a protected place is asked about every time
            case Answer.ONCE:
                self._this_run.add(action)
            case Answer.PROJECT:
                self._this_run.add(action)
                self._grants.add(self._project, action)


def _how_to_allow(action: Action) -> str:
    if action.effect is Effect.WRITE and is_protected(action.subject):
        return "a protected place is written only when you say so at a terminal"
    return f"allow it with --allow '{action}'"

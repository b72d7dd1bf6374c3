"""The gate: rules first, then what was granted before, then the human, if there is one to ask.

**Untrusted text.** From `taint` on, until `untaint` (the human's next message), a yes given before does not hold for
what could carry out what that text says: a command or a host that a model wants, and a provider to which nothing
has been sent in this chat yet. It is asked about again, with whose text it is. The yes to that question holds as
far as it says, within this turn too. Rules of the user's settings and flags hold as ever: they were written knowing
nothing of the text, but they are the user's standing word; so does the trust in what the project defines, which is
bound to its definition.

**Plan mode.** As long as `plans` says so, what a model wants to write or run is denied, whatever rules, yeses and grants
there are; only a command that can write nothing (`Action.contained`) may be asked about.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from motet.errors import PermissionDenied
from motet.permissions.action import Action, Answer, Denial, Effect, Origin
from motet.permissions.grants import GrantStore
from motet.permissions.protected import is_protected
from motet.permissions.rules import RuleSet, Verdict
from motet.permissions.secrets import is_secret

Ask = Callable[[Action], Awaitable[Answer | Denial]]
"""Puts one question to the human; a front end provides it. Absent in runs that never prompt."""

_STARS = frozenset("*?")


class DeniedByHuman(PermissionDenied):
    """The human said no; `reason` is what they gave for it, or empty."""

    def __init__(self, action: Action, reason: str = "") -> None:
        super().__init__(f"{action}: you said no{f': {reason}' if reason else ''}")
        self.reason = reason


class Gate:
    """Decides about the actions of one chat, or one run of a command, in one project."""

    def __init__(self, project: Path, rules: RuleSet, grants: GrantStore, ask: Ask | None = None) -> None:
        self._project = project
        self._rules = rules
        self._grants = grants
        self._ask = ask
        self.plans: Callable[[], bool] = lambda: False  # set by the chat
        self.unasked: Callable[[str], Awaitable[None]] = _unheard
        """Hears what is refused because nobody can be asked, and what would allow it."""
        self._one_question = asyncio.Lock()
        self._this_chat: set[tuple[str, str]] = set()
        self._untrusted: tuple[str, ...] = ()
        self._asked_since: set[tuple[str, str]] = set()
        self._sent: set[tuple[str, str]] = set()

    @property
    def untrusted(self) -> tuple[str, ...]:
        """Whose untrusted text is in this turn, as `taint` was told."""
        return self._untrusted

    def taint(self, origin: str) -> None:
        """Text of `origin` (`page https://…`, `agent Bob`) is in the turn: see above."""
        if origin not in self._untrusted:
            self._untrusted = (*self._untrusted, origin)

    def untaint(self) -> None:
        """The human has spoken: a new turn begins."""
        self._untrusted = ()
        self._asked_since.clear()

    async def require(self, action: Action) -> None:
        """Return when `action` may happen; raise `PermissionDenied`, saying what would allow it, when not."""
        if self._is_no_plan(action):
            raise PermissionDenied(f"{action}: plan mode: nothing is written, and nothing runs that could write")
        match self._rules.verdict(action, self._project):
            case Verdict.ALLOW:
                pass
            case Verdict.DENY:
                raise PermissionDenied(f"{action}: {_why_denied(action)}")
            case Verdict.ASK if not self._holds(action):
                async with self._one_question:
                    if not self._holds(action):  # the question before may have been the same
                        await self._require_answer(action)
            case _:
                pass
        if action.effect is Effect.SEND:
            self._sent.add(_key(action))

    def restricts(self, action: Action) -> bool:
        """Whether a rule of the user's, or plan mode, speaks against `action`. For what has the human's yes already, in a review: such
        a rule counts all the same."""
        return self._is_no_plan(action) or self._rules.restricts(action, self._project)

    def allows(self, action: Action) -> bool:
        """Whether `action` may happen without a question."""
        if self._is_no_plan(action):
            return False
        match self._rules.verdict(action, self._project):
            case Verdict.ALLOW:
                return True
            case Verdict.DENY:
                return False
            case Verdict.ASK:
                return self._holds(action)

    def _is_no_plan(self, action: Action) -> bool:
        changes = action.effect in (Effect.WRITE, Effect.RUN) and not action.contained
        return changes and action.origin is Origin.MODEL and self.plans()

    def _holds(self, action: Action) -> bool:
        """Whether a yes given before is one to `action` now."""
        key = _key(action)
        if _asks_every_time(action):
            return False
        if self._must_ask_again(action):
            return key in self._asked_since
        return key in self._this_chat or self._grants.holds(self._project, action)

    def _must_ask_again(self, action: Action) -> bool:
        if not self._untrusted:
            return False
        match action.effect:
            case Effect.RUN | Effect.NET:
                return action.origin is Origin.MODEL
            case Effect.SEND:
                return _key(action) not in self._sent
            case _:
                return False

    async def _require_answer(self, action: Action) -> None:
        if self._ask is None:
            await self.unasked(f"{action}; {how_to_allow(action)}")
            raise PermissionDenied(f"{action}: needs a yes; {how_to_allow(action)}")
        from motet.permissions.question import choices

        answer = await self._ask(replace(action, untrusted=self._untrusted))
        match answer:
            case Denial(reason):
                raise DeniedByHuman(action, reason)
            case Answer.NO:
                raise DeniedByHuman(action)
            case Answer.ONCE:
                return
            case _ if answer not in choices(action):
                return  # more than was offered is taken for this once
            case Answer.PROJECT:
                self._grants.add(self._project, action)
            case Answer.ALWAYS:
                self._grants.add(None, action)
            case Answer.CHAT:
                pass
        self._this_chat.add(_key(action))
        if self._untrusted:
            self._asked_since.add(_key(action))


async def _unheard(what: str) -> None:
    return None


def how_to_allow(action: Action) -> str:
    """What a user can do so that `action` needs no question."""
    if _asks_every_time(action):
        return "a protected place is written only when you say so at a terminal"
    if action.effect in (Effect.READ, Effect.WRITE) and not _STARS.isdisjoint(action.subject):
        return "a name that is also a pattern is allowed only when you say so at a terminal"
    rules = [str(action)] + (["net"] if action.effect is Effect.RUN and action.network else [])
    quoted = (rule.replace("'", "'\"'\"'") for rule in rules)
    return "allow it with " + " ".join(f"--allow '{rule}'" for rule in quoted)


def _asks_every_time(action: Action) -> bool:
    return action.effect is Effect.WRITE and is_protected(action.subject)


def _why_denied(action: Action) -> str:
    if action.effect is Effect.READ and action.origin is not Origin.USER and is_secret(action.subject):
        return "a file of secrets, which no model may read; you can name it yourself"
    return "denied by a rule"


def _key(action: Action) -> tuple[str, str]:
    """What makes two wishes the same wish."""
    return str(action), action.definition

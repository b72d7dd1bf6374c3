"""Rules: patterns that allow, ask about or deny an action. Deny wins over ask, ask over allow.

What holds without a rule (`U` the user, `B` motet itself, `M` a model, `P` a file of the project):

    effect  what                      U      B      M      P
    read    in the workspace          allow  allow  allow  allow
    read    outside it                allow  ask    ask    ask
    read    a secret                  ask*   deny   deny   deny
    write   anything                  ask    ask    ask    ask     (an ordinary file comes with a review instead)
    write   a protected place         ask!   ask!   ask!   ask!    (every time, whatever a rule allows)
    run     a command                 allow  allow  ask    ask
    run     with the network          allow  ask    ask    ask
    net     a host                    allow  ask    ask    ask
    send    to a provider             ask    ask    ask    ask

A command that destroys (`rm -r`, `git reset --hard`, …; see `commands`) asks every time, unless a rule says its words.
`ask*`: only a rule that names the file, without `*`, makes it an allow. What is in no row asks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import IntEnum
from pathlib import Path

from motet.errors import SettingsError
from motet.permissions.action import ANY_HOST, Action, Effect, Origin
from motet.permissions.commands import destroys, starts_others
from motet.permissions.patterns import command_matches, destination_matches, host_matches, path_matches, words_of
from motet.permissions.protected import is_protected
from motet.permissions.secrets import is_secret


class Verdict(IntEnum):
    """What the rules say; the greater wins."""

    ALLOW = 1
    ASK = 2
    DENY = 3


@dataclass(frozen=True, slots=True)
class Rule:
    """`verdict` for the actions of `effect` that `pattern` speaks of (see `motet.permissions.patterns`).

    A rule that allows is taken at its word; one that restricts also holds for other ways to say the same.
    """

    verdict: Verdict
    effect: Effect
    pattern: str = "*"

    @classmethod
    def parse(cls, text: str, verdict: Verdict) -> Rule:
        """Read `send`, `send:anthropic *`, `run:pytest *`, `net:*.python.org` or `write:src/**`. Raises
        `SettingsError`."""
        name, _, pattern = text.partition(":")
        try:
            effect = Effect(name)
        except ValueError:
            known = ", ".join(Effect)
            raise SettingsError(f"rule {text!r}: the effect must be one of {known}, as in 'send'") from None
        return cls(verdict, effect, pattern.strip() or "*")

    def matches(self, action: Action, root: Path = Path("/")) -> bool:
        """Whether this rule speaks about `action`, in the workspace `root`."""
        if action.effect is not self.effect:
            return False
        strict = self.verdict is Verdict.ALLOW
        match self.effect:
            case Effect.READ | Effect.WRITE:
                return path_matches(self.pattern, action.subject, root, fold=not strict)
            case Effect.RUN:
                words = action.words
                said = frozenset(words_of(self.pattern))
                if strict and (destroys(words) - said or (not self.is_general and starts_others(words) - said)):
                    return False
                return command_matches(self.pattern, words, strict=strict)
            case Effect.NET:
                return host_matches(self.pattern, action.subject, strict=strict)
            case Effect.SEND:
                return destination_matches(self.pattern, action.subject)

    @property
    def is_general(self) -> bool:
        """Whether this rule speaks about everything of its effect."""
        return self.pattern in ("*", "**")


class RuleSet:
    """The user's rules over the built-in ones."""

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        self._rules = tuple(rules)

    def verdict(self, action: Action, root: Path = Path("/")) -> Verdict:
        """The strongest matching rule, without one the default (see above), and never less than what is built in."""
        matching = [rule for rule in self._rules if rule.matches(action, root)]
        if action.effect is Effect.READ and is_secret(action.subject):
            matching = [rule for rule in matching if rule.verdict is not Verdict.ALLOW or "*" not in rule.pattern]
        verdict = max((rule.verdict for rule in matching), default=_default(action))
        return max(verdict, _least(action), self._of_network(action, root))

    def restricts(self, action: Action, root: Path = Path("/")) -> bool:
        """Whether a rule of the user's asks about `action` or denies it, whatever the default is."""
        return any(rule.verdict is not Verdict.ALLOW and rule.matches(action, root) for rule in self._rules)

    def _of_network(self, action: Action, root: Path) -> Verdict:
        """What the rules say about the network that a command may use."""
        if action.effect is not Effect.RUN or not action.network:
            return Verdict.ALLOW
        anywhere = replace(action, effect=Effect.NET, subject=ANY_HOST, network=False)
        speaking = [rule for rule in self._rules if rule.matches(anywhere, root)]
        verdict = max((rule.verdict for rule in speaking), default=_default(anywhere))
        # A rule against one host cannot be kept by a command that may reach any: then the human decides.
        only_some = not any(rule.verdict is Verdict.DENY and rule.is_general for rule in speaking)
        return Verdict.ASK if verdict is Verdict.DENY and only_some else verdict


def is_outside(subject: str) -> bool:
    """Whether the subject of a `READ` or `WRITE` lies outside the workspace."""
    return subject.startswith(("/", "~", "../")) or subject == ".."


def _default(action: Action) -> Verdict:
    match action.effect, action.origin:
        case Effect.READ, Origin.USER:
            return Verdict.ASK if is_secret(action.subject) else Verdict.ALLOW
        case Effect.READ, _:
            return Verdict.ASK if is_outside(action.subject) else Verdict.ALLOW
        case Effect.RUN, (Origin.USER | Origin.BUILT_IN):
            return Verdict.ALLOW
        case Effect.NET, Origin.USER:
            return Verdict.ALLOW
        case _:
            return Verdict.ASK


def _least(action: Action) -> Verdict:
    match action.effect:
        case Effect.READ if action.origin is not Origin.USER and is_secret(action.subject):
            return Verdict.DENY
        case Effect.WRITE if is_protected(action.subject):
            return Verdict.ASK
        case _:
            return Verdict.ALLOW

"""Rules: patterns that allow, ask about or deny an action. Deny wins over ask, ask over allow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from fnmatch import fnmatchcase

from motet.errors import SettingsError
from motet.permissions.action import Action, Effect, Origin
from motet.permissions.protected import is_protected


class Verdict(IntEnum):
    """What the rules say; the greater wins."""

    ALLOW = 1
    ASK = 2
    DENY = 3


@dataclass(frozen=True, slots=True)
class Rule:
    """`verdict` for actions of `effect` whose subject matches `pattern`: `*` and `?`, everything else stands for itself."""

    verdict: Verdict
    effect: Effect
    pattern: str = "*"

    @classmethod
    def parse(cls, text: str, verdict: Verdict) -> Rule:
        """Read `send`, `send:anthropic *` or `write:src/*`. Raises `SettingsError`."""
        name, _, pattern = text.partition(":")
        try:
            effect = Effect(name)
        except ValueError:
            known = ", ".join(Effect)
            raise SettingsError(f"rule {text!r}: the effect must be one of {known}, as in 'send'") from None
        return cls(verdict, effect, pattern.strip() or "*")

    def matches(self, action: Action) -> bool:
        """Whether this rule speaks about `action`."""
        return action.effect is self.effect and fnmatchcase(action.subject, self.pattern.replace("[", "[[]"))


class RuleSet:
    """The user's rules over the built-in ones."""

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        self._rules = tuple(rules)

    def verdict(self, action: Action) -> Verdict:
        """The strongest matching rule; without one, the default for that effect and origin.

        A protected place asks whatever an allowing rule says; a rule that denies it still denies.
        """
        matching = [rule.verdict for rule in self._rules if rule.matches(action)]
        verdict = max(matching, default=_default(action))
        if action.effect is Effect.WRITE and is_protected(action.subject):
            return max(verdict, Verdict.ASK)
        return verdict


def _default(action: Action) -> Verdict:
    match action.effect, action.origin:
        case Effect.READ, _:
            return Verdict.ALLOW
        case (Effect.RUN, Origin.USER | Origin.BUILT_IN):
            return Verdict.ALLOW
        case _:
            return Verdict.ASK

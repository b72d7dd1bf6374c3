"""One gate for every road: who wants what, what the rules say, what the human answers, what is remembered.

Whoever spawns, reads for a model, writes, fetches or sends takes a `Gate` and asks it first. Rules live outside the
model: nothing that a model, a file of the project or a page says can widen them. `redact` and `EgressLog` stand
where text leaves the machine; `is_secret` says which files are never a model's business. These two are there at
once, the rest is imported when it is first used: who lists files asks for their names alone.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from motet.permissions.redact import Redacted, redact
from motet.permissions.secrets import is_secret, without_secrets

if TYPE_CHECKING:
    from motet.permissions.action import ANY_HOST, Action, Answer, Denial, Effect, Origin
    from motet.permissions.gate import Ask, DeniedByHuman, Gate, how_to_allow
    from motet.permissions.grants import GrantStore
    from motet.permissions.places import OffLimits, off_limits, resolved
    from motet.permissions.protected import is_protected
    from motet.permissions.rules import Rule, RuleSet, Verdict

__all__ = [
    "ANY_HOST",
    "Action",
    "Answer",
    "Ask",
    "Denial",
    "DeniedByHuman",
    "Effect",
    "Gate",
    "GrantStore",
    "OffLimits",
    "Origin",
    "Redacted",
    "Rule",
    "RuleSet",
    "Verdict",
    "how_to_allow",
    "is_protected",
    "is_secret",
    "off_limits",
    "redact",
    "resolved",
    "without_secrets",
]

_MODULES = {
    "action": ("ANY_HOST", "Action", "Answer", "Denial", "Effect", "Origin"),
    "gate": ("Ask", "DeniedByHuman", "Gate", "how_to_allow"),
    "grants": ("GrantStore",),
    "places": ("OffLimits", "off_limits", "resolved"),
    "protected": ("is_protected",),
    "rules": ("Rule", "RuleSet", "Verdict"),
}
_WHERE = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    if name in _WHERE:
        found: object = getattr(import_module(f"motet.permissions.{_WHERE[name]}"), name)
        return found
    raise AttributeError(f"module 'motet.permissions' has no attribute {name!r}")

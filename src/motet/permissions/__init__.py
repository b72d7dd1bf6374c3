"""One gate for every road: who wants what, what the rules say, what the human answers, what is remembered.

Whoever spawns, writes or sends takes a `Gate` and asks it first. Rules live outside the model: nothing that a
model, a file of the project or a page says can widen them.
"""

from motet.permissions.action import Action, Answer, Effect, Origin
from motet.permissions.gate import Ask, Gate
from motet.permissions.grants import GrantStore
from motet.permissions.protected import is_protected
from motet.permissions.rules import Rule, RuleSet, Verdict

__all__ = [
    "Action",
    "Answer",
    "Ask",
    "Effect",
    "Gate",
    "GrantStore",
    "Origin",
    "Rule",
    "RuleSet",
    "Verdict",
    "is_protected",
]

"""Whom a post reaches by name and by role: what it calls, and whom it answers. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from motet.board.mentions import Called


@dataclass(frozen=True, slots=True)
class Reached:
    """Addresses and roles, each once, with whether it is urgent. Whoever is named answers for its role, and so does
    everyone."""

    named: Mapping[str, bool]
    roles: Mapping[str, bool]

    @classmethod
    def of(cls, called: Called, answered: str, author: str) -> Reached:
        """Of a post by `author` that calls `called` and answers a post by `answered`; empty: none."""
        named = {one.address: one.high for one in called.recipients}
        if answered not in ("", author):
            named.setdefault(answered, False)
        calls = [call for call in called.roles if not called.everyone and named.keys().isdisjoint(call.members)]
        return cls(named, {call.role: call.high for call in calls})

    def many(self, humans: Set[str]) -> int:
        """How many share what the post may cause; humans use up nothing."""
        return len(self.named.keys() - humans) + len(self.roles)

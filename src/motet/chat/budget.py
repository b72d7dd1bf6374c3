"""Whether a request fits, and what is left out so that it does: old tool outputs first, then a summary is asked for.

Runs before every request, between tool rounds as well as between turns. Nothing is taken from the stack or from
history.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from motet.chat.errors import TooLong
from motet.chat.view import old_outputs, sizes, view
from motet.messages import Message
from motet.models.protocol import Limits, ModelRequest, ToolDefinition
from motet.turn import estimate_request

_ANSWER = 0.2
"""Share of the window kept free for the answer, up to `_MOST`."""
_MOST = 16_000
"""Tokens that are kept free for an answer at most."""
_NAMED = 5
"""Items that an error names."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The tokens that a request of one chat may have: `cap`, which its model's window and the user's setting give."""

    cap: int
    tools: tuple[ToolDefinition, ...] = ()

    @classmethod
    def of(cls, limits: Limits, tools: Sequence[ToolDefinition], most: int | None) -> Budget:
        """The budget for a model with `limits`; `most` is the user's own cap."""
        room = limits.context_tokens - int(min(limits.context_tokens * _ANSWER, limits.output_tokens, _MOST))
        return cls(min(room, most or room), tuple(tools))

    def tokens(self, messages: Sequence[Message]) -> int:
        """Estimated tokens of a request with `messages`."""
        return estimate_request(ModelRequest(tuple(messages), self.tools))

    def cut(self, messages: Sequence[Message], cut: Set[str], keep_cycles: int) -> set[str]:
        """Ids of the tool outputs to cut so that a request fits: those of `cut`, which stay cut, and as many of the
        oldest as it takes."""
        ids = set(cut)
        over = self.tokens(view(messages, ids)) - self.cap
        if over <= 0:
            return ids
        told = view(messages, ids)
        by_id = {message.id: message for message in told}
        for one in old_outputs(told, keep_cycles):
            if one in ids:
                continue
            ids.add(one)
            over -= self.tokens([by_id[one]]) - self.tokens(view([by_id[one]], {one}))
            if over <= 0:
                break
        return ids

    def too_long(self, messages: Sequence[Message]) -> TooLong:
        """The error for a request that does not fit: what it has, what it may have, and what is big."""
        have = self.tokens(messages)
        biggest = ", ".join(f"{name} {count:,}" for name, count in sizes(messages)[:_NAMED])
        return TooLong(
            f"the request has about {have:,} tokens, {self.cap:,} fit; the biggest: {biggest}; "
            "nothing was sent: take something out, or choose a model with a larger window"
        )

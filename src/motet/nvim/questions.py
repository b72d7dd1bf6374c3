"""Questions to the human, asked in the editor: of the gate and of tools."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence

from motet.nvim.rpc import Peer
from motet.permissions import Action, Answer, Denial, Effect
from motet.permissions.question import choices, question
from motet.tools.kit import Question

_LABELS = {
    Answer.ONCE: "yes, this once",
    Answer.CHAT: "yes, in this chat",
    Answer.PROJECT: "yes, in this project",
    Answer.ALWAYS: "yes, always",
}


class Questions:
    """Who sits at the editor. A question waits for its answer and for nothing else; closing it is a no."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[object]] = {}

    def answered(self, number: int, answer: object) -> None:
        """The human's answer to a question: the index of an option, a text, or None."""
        future = self._waiting.get(number)
        if future is not None and not future.done():
            future.set_result(answer)

    async def ask(self, action: Action) -> Answer | Denial:
        """See `Ask`."""
        asked = question(action)
        rows = [f"{row.label}: {row.text}" if row.label else f"  {row.text}" for row in asked.rows]
        offered = choices(action)
        labels = [_label(action, each) for each in offered]
        picked = await self._put("choose", [asked.head, *rows], [*labels, "no"])
        return offered[picked] if isinstance(picked, int) and picked < len(offered) else Answer.NO

    async def answer(self, questions: Sequence[Question]) -> Sequence[str] | None:
        """See `Human`."""
        answers: list[str] = []
        for one in questions:
            kind = "choose" if one.options else "type"
            given = await self._put(kind, [one.text], list(one.options))
            if given is None:
                return None
            answers.append(one.options[given] if isinstance(given, int) and one.options else str(given))
        return answers

    async def choose(self, lines: list[str], options: list[str]) -> int | None:
        """The index of the option that the human takes; None: none of them."""
        picked = await self._put("choose", lines, options)
        return picked if isinstance(picked, int) else None

    async def _put(self, kind: str, text: list[str], options: list[str]) -> object:
        number = next(self._ids)
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            self._peer.tell("ask", number, kind, text, options)
            return await future
        except asyncio.CancelledError:
            self._peer.tell("withdraw", number)
            raise
        finally:
            self._waiting.pop(number, None)


def _label(action: Action, answer: Answer) -> str:
    if action.effect is Effect.SEND and answer is Answer.CHAT:
        return "yes, this once"
    return _LABELS[answer]

"""Questions to the human, asked in the editor: of the gate and of tools."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from typing import cast

from motet.nvim.rpc import Peer
from motet.permissions import Action, Answer, Denial, Effect
from motet.permissions.question import choices, question
from motet.tools.kit import Question
from motet.visible import one_line

_ANSWERS = {
    Answer.ONCE: ("o", "yes, this once"),
    Answer.CHAT: ("c", "yes, in this chat"),
    Answer.PROJECT: ("p", "yes, in this project"),
    Answer.ALWAYS: ("a", "yes, always"),
}
_TO_SEND = {**_ANSWERS, Answer.CHAT: ("o", "yes, this once"), Answer.PROJECT: ("y", "yes, in this project")}
_NO = ("n", "no")

_Rows = Sequence[tuple[str, str]]
"""Label and text; a text without a label goes on from the row before."""


class Questions:
    """Who sits at the editor. A question waits for its answer and for nothing else; closing it is a no."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[object]] = {}

    def answered(self, number: int, answer: object) -> None:
        """The human's answer to a question: the index of an option, those of several, a text, or None."""
        future = self._waiting.get(number)
        if future is not None and not future.done():
            future.set_result(answer)

    async def ask(self, action: Action) -> Answer | Denial:
        """See `Ask`."""
        asked = question(action)
        answers = (Answer.NO, *choices(action))
        known = _TO_SEND if action.effect is Effect.SEND else _ANSWERS
        shown = [known.get(each, _NO) for each in answers]
        picked = await self._put("choose", asked.head, [(row.label, row.text) for row in asked.rows], shown, safe=0)
        return answers[picked] if isinstance(picked, int) else Answer.NO

    async def answer(self, questions: Sequence[Question]) -> Sequence[str] | None:
        """See `Human`."""
        answers: list[str] = []
        for one in questions:
            given = await (self._choose(one) if one.options else self._type(one.text))
            if given is None:
                return None
            answers.append(given)
        return answers

    async def choose(self, lines: list[str], options: list[str]) -> int | None:
        """The index of the option that the human takes; None: none of them. The first one does no harm."""
        picked = await self._choose(Question("\n".join(lines), tuple(options), safe=options[0]))
        return None if picked is None else options.index(picked)

    async def _choose(self, asked: Question) -> str | None:
        """The option that the human takes, or with `many` all of them, on lines of their own."""
        options = asked.options
        shown = [(str(number), one_line(option)) for number, option in enumerate(options, 1)]
        safe = options.index(asked.safe) if asked.safe else None
        picked = await self._put("mark" if asked.many else "choose", asked.text, [], shown, safe)
        if isinstance(picked, int):
            return options[picked]
        marked = cast("list[int]", picked) if isinstance(picked, list) else []
        return "\n".join(options[one] for one in marked) if marked else None

    async def _type(self, text: str) -> str | None:
        given = await self._put("type", text, [], [])
        return None if given is None else str(given)

    async def _put(
        self, kind: str, head: str, rows: _Rows, answers: Sequence[tuple[str, str]], safe: int | None = None
    ) -> object:
        number = next(self._ids)
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        shown = "\n".join(map(one_line, head.expandtabs(4).split("\n")))
        try:
            self._peer.tell("ask", number, kind, shown, [list(row) for row in rows], list(map(list, answers)), safe)
            return await future
        except asyncio.CancelledError:
            self._peer.tell("withdraw", number)
            raise
        finally:
            self._waiting.pop(number, None)

"""Whether a post on a board wants an answer: a question to the model of `models.reply`, else to the chat's own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from motet.board import Delivery, Judge, Judgement
from motet.chat import Chat, Work
from motet.chat.compaction import summarise
from motet.chat.saying import SENDS
from motet.errors import ModelError, ModelErrorKind
from motet.messages import Message, tags
from motet.models.protocol import ModelRequest
from motet.prompts import prompt
from motet.turn import ask_to_send
from motet.visible import one_line

_MOST_TOKENS = 200


def judge_of(chat: Chat, address: str, listed: Callable[[Delivery], Awaitable[str]]) -> Judge:
    """A judge for the agent at `address`; `listed` gives a post as a model reads it. It raises `ModelError`,
    `PermissionDenied`."""

    async def judge(delivery: Delivery) -> Judgement:
        model = await chat.parts.model_for(Work.REPLY, chat.model)
        if model.name == "offline":
            raise ModelError("the offline model cannot judge; set models.reply to another", ModelErrorKind.REFUSED)
        await ask_to_send(model, chat.parts.gate, SENDS)
        asked = f"The agent is {address}. The post:\n\n{await listed(delivery)}\n\nDoes it answer?"
        messages = (Message.system(prompt("board_decide"), tags.SYSTEM_PROMPT), Message.user(asked))
        text, usage = await summarise(model, ModelRequest(messages, max_output_tokens=_MOST_TOKENS))
        said, _, reason = text.strip().partition("\n")
        cost = usage.cost(model.price) if model.price else 0.0
        answer = said.strip(" `*.!\"'").lower()
        if answer not in ("yes", "no"):
            return Judgement(False, f"the model said neither yes nor no: {one_line(said)[:80]}", usage.total, cost)
        return Judgement(answer == "yes", one_line(reason.strip())[:200], usage.total, cost)

    return judge

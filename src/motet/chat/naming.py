"""The title of a chat: a model's, where one may be asked, else the first thing that was said."""

from __future__ import annotations

from collections.abc import Sequence

from motet.chat.compaction import summarise
from motet.chat.parts import ChatParts, Work
from motet.chat.title import clean_title, fallback_title, title_request
from motet.messages import Message, Role
from motet.models.protocol import Model
from motet.permissions import Action, Effect, Origin
from motet.turn import Spending


async def title_by_model(
    parts: ChatParts, model: Model, messages: Sequence[Message], spending: Spending, sends: str
) -> str:
    """A title by the model that the settings name for it, else by `model`, the chat's own; empty where none is remote.

    Nothing leaves for somebody else, and nobody is asked, for the sake of a title. Raises `MotetError`.
    """
    namer = await parts.model_for(Work.TITLE, model)
    if not namer.destination.remote:
        return ""
    there = Action(Effect.SEND, f"{namer.destination.provider} {namer.destination.host}", Origin.USER, sends)
    if namer.destination != model.destination and not parts.gate.allows(there):
        return ""
    text, usage = await summarise(namer, title_request(messages))
    spending.add(usage)
    return clean_title(text)


def title_by_words(messages: Sequence[Message]) -> str:
    """A title from the first thing that the human said; empty where nothing was."""
    first = next((message for message in messages if message.role is Role.USER and message.visible), None)
    return fallback_title(first.shown) if first is not None else ""

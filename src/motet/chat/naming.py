"""The title of a chat: a model's, where one may be asked, else the first thing that was said."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from motet.chat.compaction import summarise
from motet.chat.events import ChatEvent, Level, Notice, Titled
from motet.chat.parts import ChatParts, Work
from motet.chat.saying import SENDS
from motet.chat.title import clean_title, fallback_title, title_request
from motet.errors import MotetError
from motet.messages import Message, Role
from motet.models.protocol import Model
from motet.permissions import Action, Effect, Origin
from motet.turn import Spending, to_the_end

if TYPE_CHECKING:
    from motet.chat.chat import Chat


async def give_title(chat: Chat, tell: Callable[[ChatEvent], None]) -> None:
    """Name `chat` after its first exchange. What fails is told: the answer is whole without."""
    title = ""
    if chat.options.titles:
        try:
            title = await _by_model(chat.parts, chat.model, chat.messages, chat.spending, SENDS)
        except MotetError as error:
            tell(Notice(f"no title: {error}", Level.WARNING))
        except asyncio.CancelledError:
            pass  # the answer is whole: only the title is stopped
    try:
        await to_the_end(take_title(chat, title, tell))
    except MotetError as error:
        tell(Notice(f"the title is not kept: {error}", Level.WARNING))


async def take_title(chat: Chat, title: str, tell: Callable[[ChatEvent], None]) -> None:
    """Name `chat`, by the first thing that was said where there is no `title`."""
    if title := title or title_by_words(chat.messages):
        await chat.rename(title)
        tell(Titled(chat.info.title))


async def _by_model(
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


def label_of(messages: Sequence[Message]) -> str:
    """What a turn is called where it can be taken back."""
    said = next((one.shown for one in reversed(messages) if one.role is Role.USER and one.visible), "")
    return f"chat: {' '.join(said.split())[:60]}" if said else "chat"

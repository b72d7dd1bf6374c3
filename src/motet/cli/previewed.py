"""The next request of a chat, as `motet context` and `motet inspect` look at it: nothing is sent, nothing is kept."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from motet.chat import Chat
from motet.cli.front import Front
from motet.cli.given_files import given_files, share_files
from motet.cli.terminal import Terminal
from motet.engine import Engine
from motet.engine.chat_names import find_chat, short_id
from motet.engine.outgoing import Outgoing
from motet.errors import MotetError, UsageError
from motet.history import ChatInfo, History
from motet.models.protocol import Model, ModelRequest
from motet.paths import state_dir
from motet.turn import WindowLimit, estimate_request
from motet.workspace import find_workspace

_ID = re.compile(r"(?:[0-9A-HJKMNP-TV-Z]{8}|[0-9A-HJKMNP-TV-Z]{26})\Z", re.IGNORECASE)
"""An id as lists show it, or a whole one (Crockford's base 32)."""


@dataclass(frozen=True, slots=True)
class Previewed:
    """A chat with its model, and its next request without anything that looks like a key; `notes` say what was left
    out."""

    chat: Chat
    model: Model
    why: str
    request: ModelRequest
    tokens: int
    notes: tuple[str, ...]


@asynccontextmanager
async def previewed(
    words: Sequence[str], files: Sequence[str], model: str | None, terminal: Terminal
) -> AsyncGenerator[Previewed]:
    """The request that would be sent next: of the chat that the first of `words` names, else of a new one. The other
    words are the message. Raises `UsageError`, `ModelError`, `PermissionDenied`."""
    info, text = await _named(words)
    engine, chosen, why = await _model(model, info, terminal)
    front = Front(terminal)
    async with engine.chats(front.of_chats, keep=info is not None) as chats:
        chat = await chats.open(info.id, chosen) if info else chats.new(chosen)
        for note in chat.notes:
            terminal.line(note, "yellow", hang=2)
        await share_files(chat, given_files(engine.root, files), terminal)
        request, notes = outgoing(chosen, await chat.preview(text))
        yield Previewed(chat, chosen, why, request, estimate_request(request), tuple(notes))


def outgoing(model: Model, request: ModelRequest) -> tuple[ModelRequest, list[str]]:
    """`request` as it would leave for `model`, with the room for the answer that it would have; what was left out."""
    most, room = model.limits.output_tokens, WindowLimit(model.limits.context_tokens).room(estimate_request(request))
    request = replace(request, max_output_tokens=min(room or most, most))
    notes: list[str] = []
    return Outgoing(model, notes.append, lambda _request, _where: None).safe(request), notes


async def _named(words: Sequence[str]) -> tuple[ChatInfo | None, str]:
    """The chat that the first word names, and the text. Raises `UsageError` for an id that there is not; what has no
    digit may be a word as well."""
    first, rest = (words[0].lstrip("#…"), words[1:]) if words else ("", ())
    if first != "last" and not _ID.fullmatch(first):
        return None, " ".join(words)
    try:
        async with History.open(state_dir()) as history:
            return await find_chat(history, first, str(find_workspace(Path.cwd()))), " ".join(rest)
    except UsageError:
        if first == "last" or any(character.isdigit() for character in first):
            raise
        return None, " ".join(words)


async def _model(model: str | None, info: ChatInfo | None, terminal: Terminal) -> tuple[Engine, Model, str]:
    """The engine, and the model that was named, else the chat's own, else the one that a new chat would have."""
    engine = Engine(Path.cwd(), flags={"model": model} if model else {})
    if model is None and info is not None and info.model:
        try:
            chosen, _ = await engine.choose_model(info.model)
        except MotetError as error:
            terminal.line(f"{info.model}, the model of {short_id(info.id)}: {error}", "yellow", hang=2)
        else:
            return engine, chosen, "the chat's own"
    chosen, why = await engine.choose_model(work="chat")
    return engine, chosen, why


def require_text(words: Sequence[str]) -> None:
    """Raises `UsageError` for an empty word, which was meant to be something."""
    if any(not word.strip() for word in words):
        raise UsageError("an empty argument was given; leave it out to see the next request without a message")

"""The next request of a chat, shown as a text, and made what a human makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from motet.chat.conversation import ChatConversation
from motet.chat.errors import CannotChange
from motet.chat.request_edits import request_edits
from motet.chat.request_form import RequestForm, request_form
from motet.chat.share import Prepared, Share, newest
from motet.history import ChatInfo
from motet.messages import Message, Role, tags
from motet.models.protocol import ModelRequest
from motet.turn import estimate_request

_STAY = frozenset({tags.TOOL, tags.TOOL_SYSTEM_PROMPT, tags.COMPACT_SUMMARY, tags.RULES})
"""Tags of messages that something else holds: a tool that is handed over, what a summary stands for, a rules file."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """The next request in its `form`, `before` it the stack that it was made from. With the message `said`, which is not
    sent yet, and is `prepared`."""

    form: RequestForm
    before: tuple[Message, ...]
    said: str = ""
    prepared: Prepared | None = None

    @property
    def text(self) -> str:
        """What the human gets to change."""
        return self.form.text


@dataclass(frozen=True, slots=True)
class Changed:
    """Messages that a human `changed` in a request, and such that were `removed` from it. `copy`: the chat as it was
    before; None: nothing was different that had been kept."""

    changed: int = 0
    removed: int = 0
    copy: ChatInfo | None = None


def inspected(
    request: ModelRequest, model: str, stack: Sequence[Message], said: str, prepared: Prepared | None
) -> Inspection:
    """`request` to `model` as a human can change it: what is made anew for each request is only shown."""
    coming = prepared.messages if prepared else ()
    known = {message.id: message for message in (*stack, *coming)}
    fixed = {one.id for one in request.messages if one.id not in known or _is_replaced(one, known[one.id])}
    stays = {one.id for one in request.messages if one.tag in _STAY}
    stays |= {newest(coming).id} if coming else set()
    title = f"The next request to {model}, {len(request.messages)} messages, {estimate_request(request):,} tokens"
    return Inspection(request_form(request, title, fixed, stays), tuple(stack), said, prepared)


async def change(inspection: Inspection, edited: str, conversation: ChatConversation, share: Share) -> Changed:
    """Make the next request what `edited` says; to be done `to_the_end`. Raises `CannotChange`, `HistoryError`: nothing
    has changed then."""
    edits = request_edits(inspection.form, edited)
    if not edits:
        return Changed()
    if inspection.before != tuple(conversation.stack):
        raise CannotChange("the chat has gone on since this request was opened; open it again")
    removed = [message for message in inspection.before if message.id in edits.removed]
    copy = await conversation.edit(edits)
    share.edited(edits, removed, inspection.said, inspection.prepared)
    return Changed(len(edits.changed), len(edits.removed), copy)


def _is_replaced(told: Message, message: Message) -> bool:
    """Whether a request says something else in the place of `message`; an output that was cut can be changed."""
    return told.parts != message.parts and message.role is not Role.TOOL

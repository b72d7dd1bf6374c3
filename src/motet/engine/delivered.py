"""Posts in a conversation: the message that carries one, and where a chat stands with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from motet.board import FROM_OTHERS, Delivery
from motet.messages import Message, Role, Text, tags
from motet.messages.message import Meta

_ANSWER = (
    "Answer it with `board_reply`, or with the last words of your turn, which are posted as your answer if you have used "
    "no `board_reply`; where no answer is needed, end with `ok`."
)


def message_of(delivery: Delivery, framed: str) -> Message:
    """A hidden message of the user's side with a post, which is `framed` as data. Its source is the id of the delivery
    and the address of who wrote the post."""
    text = f"From the board, for you. {_ANSWER} {FROM_OTHERS}\n\n{framed}"
    meta = Meta(tag=tags.BOARD, source=f"{delivery.id} {delivery.post.author}")
    return Message(Role.USER, (Text(text),), visible=False, meta=meta).estimated()


def news_of(text: str) -> Message:
    """A hidden message of the user's side with what others wrote meanwhile, which is framed as data."""
    meta = Meta(tag=tags.BOARD, source="news others")
    return Message(Role.USER, (Text(text),), visible=False, meta=meta).estimated()


def delivered_in(messages: Iterable[Message]) -> dict[str, Message]:
    """By the id of its delivery, each message that carries a post."""
    return {one.meta.source.partition(" ")[0]: one for one in messages if one.tag == tags.BOARD}


def opens_its_cycle(messages: Sequence[Message], message: Message) -> bool:
    """Whether a post began the turn in which it stands, not a human's words."""
    cycle = message.meta.cycle
    first = next((one for one in messages if one.meta.cycle == cycle and one.role is Role.USER), message)
    return cycle > 0 and first.tag == tags.BOARD


def is_finished(messages: Sequence[Message], message: Message) -> bool:
    """Whether the model has come to its end after it: the last thing said is an answer without calls."""
    behind = messages[messages.index(message) + 1 :]
    last = behind[-1] if behind else None
    return last is not None and last.role is Role.ASSISTANT and not last.calls and not last.meta.partial

"""From what was stored to what every provider accepts, whatever moment the process that wrote it was killed at."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace

from motet.messages import Message, Meta, Role, Text, ToolCall, ToolResult, tags

ENDED = "motet ended before this call had a result"
"""What stands for the result of a call that has none."""

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def repaired(stored: Iterable[Message], partial: Message | None = None) -> tuple[list[Message], list[str]]:
    """The messages, valid as a `MessageStack`, and a line for each thing that was repaired.

    Calls without a result get one that says so, results without a call are left out, and `partial`, an answer that was
    under way, becomes a message that broke off. The same input gives the same output, ids included.
    """
    messages: list[Message] = []
    notes: list[str] = []
    waiting: dict[str, ToolCall] = {}

    def close() -> None:
        for call in waiting.values():
            messages.append(_ended(call, messages[-1]))
            notes.append(f"{ENDED}: {call.name}")
        waiting.clear()

    for message in stored:
        if message.role is Role.TOOL:
            if message.result is None or waiting.pop(message.result.call_id, None) is None:
                notes.append("a result whose call is not there was left out")
            else:
                messages.append(message)
            continue
        close()
        calls = {call.id: call for call in reversed(message.calls)}
        if len(calls) < len(message.calls):
            message = replace(message, calls=tuple(reversed(calls.values())))
            notes.append("a second call with the id of another was left out")
        messages.append(message)
        waiting.update({call.id: call for call in message.calls})
    close()
    if partial is not None:
        if partial.text.strip() or any(one.text.strip() for one in partial.reasoning):
            # Calls that were still being written have no results, and their arguments may end anywhere.
            messages.append(replace(partial, calls=()).with_meta(partial=True))
            notes.append("an answer broke off when motet ended")
        else:
            notes.append("an answer had just begun when motet ended; nothing of it was there")
    return messages, notes


def _ended(call: ToolCall, before: Message) -> Message:
    """The result of a call that has none. Its id follows from the call, and sorts where a message of then would."""
    number = int.from_bytes(hashlib.sha256(f"{before.id}\0{call.id}".encode("utf-8", "surrogatepass")).digest()[:10])
    fresh = before.id[:10] + "".join(_DIGITS[number >> shift & 31] for shift in range(75, -1, -5))
    result = ToolResult(call.id, call.name, is_error=True)
    meta = Meta(id=fresh, cycle=before.meta.cycle, tag=tags.TOOL_OUTPUT)
    return Message(Role.TOOL, (Text(ENDED),), result=result, meta=meta).estimated()

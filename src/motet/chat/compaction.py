"""A summary in the place of what was said long ago: what is asked of a model, and what becomes of the answer."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing

from motet.messages import Message, Role, Text, tags
from motet.messages.message import Meta
from motet.models.protocol import Completed, Model, ModelRequest, TextDelta, Usage
from motet.prompts import prompt

_SUMMARY_TOKENS = 2_000
"""Most tokens of a summary."""
_LONGEST = 4_000
"""Characters of one message that the summary is made from."""


def summary_request(old: Sequence[Message], previous: Message | None) -> ModelRequest:
    """The request for a summary of `old`, which takes up what the `previous` one said."""
    told = [f"<previous_summary>\n{previous.text}\n</previous_summary>"] if previous else []
    told += [
        f"<{_who(message)}>\n{_short(message.text)}\n</{_who(message)}>" for message in old if message.text.strip()
    ]
    said = Message.user(f"{prompt('compact_request')}\n\n" + "\n\n".join(told))
    system = Message.system(prompt("compact_system"), tags.SYSTEM_PROMPT)
    return ModelRequest((system, said), max_output_tokens=_SUMMARY_TOKENS)


async def summarise(model: Model, request: ModelRequest) -> tuple[str, Usage]:
    """The summary, and what it cost; empty when the model had nothing to say. Raises `ModelError`."""
    pieces: list[str] = []
    usage = Usage()
    async with aclosing(model.stream(request)) as events:
        async for event in events:
            match event:
                case TextDelta(text):
                    pieces.append(text)
                case Completed():
                    usage = event.usage
                case _:
                    pass
    return "".join(pieces).strip(), usage


def summary_message(text: str, source: str, shared: Sequence[str] = ()) -> Message:
    """The message that stands for what was summed up; `shared`: lines of the context block among it."""
    told = f"Summary of the conversation until here, in place of its messages:\n\n{text}"
    if shared:
        told += f"\n\nShared until here, and not part of this any more: {', '.join(shared)}"
    meta = Meta(tag=tags.COMPACT_SUMMARY, source=source)
    return Message(Role.USER, (Text(told),), visible=False, meta=meta).estimated()


def _who(message: Message) -> str:
    if message.context is not None:
        return "shared"
    return {Role.USER: "human", Role.ASSISTANT: "assistant", Role.TOOL: tags.TOOL_OUTPUT, Role.SYSTEM: "system"}[
        message.role
    ]


def _short(text: str) -> str:
    """`text` without its middle, when it is long."""
    if len(text) <= _LONGEST:
        return text
    half = _LONGEST // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters …]\n{text[-half:]}"

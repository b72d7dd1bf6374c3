"""What of the stack a request says: without what a summary stands for, and with old tool outputs cut. Pure."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from motet.messages import Message, Role, Text, tags

KEPT = frozenset({tags.SYSTEM_PROMPT, tags.TOOL_SYSTEM_PROMPT, tags.TOOL, tags.RULES, tags.IMAGE, tags.DOCUMENT})
"""Tags of messages that a summary never stands for."""
_CUT = 400
"""Characters up to which a tool output is not worth cutting."""


def view(messages: Sequence[Message], cut: Set[str] = frozenset(), system: str | None = None) -> list[Message]:
    """`messages` as a request has them: the newest summary in the place of what it stands for, the outputs with an id
    in `cut` as one line, and `system` as the system prompt."""
    summary = newest_summary(messages)
    told = list(messages)
    if summary is not None:
        told = [one for one in told if not _is_summed_up(one, summary) and one.tag != tags.COMPACT_SUMMARY]
    if cut:
        told = [cut_output(one) if one.id in cut else one for one in told]
    if system is not None:
        prompt = (Text(system),)
        told = [replace(one, parts=prompt).estimated() if one.tag == tags.SYSTEM_PROMPT else one for one in told]
    if summary is None:
        return told
    first = next((at for at, message in enumerate(told) if message.tag not in KEPT), len(told))
    return [*told[:first], summary, *told[first:]]


def newest_summary(messages: Sequence[Message]) -> Message | None:
    """The summary that counts; its cycle is the last that it stands for."""
    return next((message for message in reversed(messages) if message.tag == tags.COMPACT_SUMMARY), None)


def _is_summed_up(message: Message, summary: Message | None) -> bool:
    """Whether `summary` stands for it: a fork may begin before the summary that did."""
    return message.meta.compacted and summary is not None and message.meta.cycle <= summary.meta.cycle


def old_outputs(messages: Sequence[Message], keep_cycles: int) -> list[str]:
    """Ids of the tool outputs that may be cut, the oldest first: of all but the last `keep_cycles` cycles, and of the
    newest cycle's own rounds but the last two."""
    newest = max((message.meta.cycle for message in messages), default=0)
    answers = [at for at, message in enumerate(messages) if message.role is Role.ASSISTANT and message.calls]
    recent = answers[-2] if len(answers) > 1 else 0
    return [
        message.id
        for at, message in enumerate(messages)
        if message.role is Role.TOOL
        and len(message.text) > _CUT
        and (message.meta.cycle <= newest - keep_cycles or at < recent)
    ]


def to_be_summed_up(messages: Sequence[Message], keep_cycles: int, pinned: Set[str]) -> list[Message]:
    """The messages that a summary may stand for: those before the last `keep_cycles` cycles, but for prompts, rules,
    and what is shared under a line in `pinned`. Calls go together with their results, because cycles do."""
    newest = max((message.meta.cycle for message in messages), default=0)
    summary = newest_summary(messages)
    return [
        message
        for message in messages
        if 0 < message.meta.cycle <= newest - keep_cycles
        and not _is_summed_up(message, summary)
        and message.tag not in KEPT
        and message.tag != tags.COMPACT_SUMMARY
        and not (message.context and message.context.id in pinned)
    ]


def cut_output(message: Message) -> Message:
    """A tool output as one line that says what was there."""
    assert message.result is not None  # only tool outputs are cut
    first = message.text.strip().split("\n", 1)[0][:120]
    lines = message.text.count("\n") + 1
    note = f"[{message.result.name}: {lines} lines left out, they began: {first}]"
    return replace(message, parts=(Text(note),)).estimated()


def sizes(messages: Sequence[Message]) -> list[tuple[str, int]]:
    """What the messages are, in words, with their estimated tokens, the biggest first."""
    named = [(name_of(message), tokens_of(message)) for message in messages]
    return sorted(named, key=lambda one: -one[1])


def tokens_of(message: Message) -> int:
    """Its estimated tokens, as they were counted when it was made, or now."""
    return message.meta.estimated_tokens or message.estimated().meta.estimated_tokens


def name_of(message: Message) -> str:
    """What a message is, in a few words."""
    if message.context is not None:
        return message.context.id
    if message.result is not None:
        return f"output of {message.result.name}"
    if message.tag:
        return message.tag.replace("_", " ")
    who = {Role.USER: "your message", Role.ASSISTANT: "answer", Role.SYSTEM: "system prompt"}[message.role]
    return f"{who} {message.meta.cycle}" if message.meta.cycle else who

"""The next request as a text that a human can change; `motet.chat.request_edits` reads what was changed. Pure.

    ── 5f3a9c01 message 3 · user · tag=file · hidden · 1,240 tokens · 01K… · <file>src/a.py</file>
    the text of the message, byte for byte, up to the next head

A head is a line that begins with `── ` and the form's nonce, which stands in no text of the form: what is told can
look like a head and is none. Each text ends with one line end that belongs to the form.
"""

from __future__ import annotations

import json
from collections.abc import Set
from dataclasses import dataclass

from motet.chat.transcript.markers import nonce_for
from motet.chat.view import name_of, tokens_of
from motet.messages import Message, Part, Text, tags
from motet.models.protocol import ModelRequest, ToolDefinition
from motet.visible import one_line

GAP = " · "
NO_TAG = "-"
END = "end"
FREE_TAGS = tags.ALL - {
    *(tags.SYSTEM_PROMPT, tags.TOOL_SYSTEM_PROMPT, tags.TOOL, tags.TOOL_OUTPUT, tags.RULES, tags.COMPACT_SUMMARY)
}
"""Tags that say what a message is about, and not what it does: they can be given and taken here."""
_GUIDE = """\
{title}. What you change here changes it.
A line that begins with `── {nonce}` is a head; below it stands its text, byte for byte, up to the next head.
Change texts and tags (`tag=-`: none); to take a message out, take out its head and text, a call with its result.
What is `fixed` is shown only, what `stays` can be changed and not taken out. Lines above the first head are not read.
What looks like a key stands here as it is; on its way out it is replaced.

"""
_TAIL = "\n" * 5  # editors look for settings in the last lines of a file: none of them is somebody's text


@dataclass(frozen=True, slots=True)
class Block:
    """A head and the text below it.

    `key`: kind and number, as in `part 3.2`, in which message 3 is the one at `number` 2 of the request (-1: a tool).
    `before` and `behind`: the rest of the head, around its `tag` where that can be changed. `part`: which part of the
    message the text is; -1: none. `is_fixed`: the text cannot be changed; `stays`: nothing of it can be taken out.
    """

    key: str
    number: int
    before: str
    text: str = ""
    tag: str | None = None
    behind: str = ""
    part: int = -1
    is_fixed: bool = False
    stays: bool = False

    @property
    def head(self) -> str:
        """All that its head says."""
        return self.before + ("" if self.tag is None else self.tag or NO_TAG) + self.behind

    @property
    def opens(self) -> bool:
        """Whether a message begins here."""
        return self.key.startswith("message ")


@dataclass(frozen=True, slots=True)
class RequestForm:
    """`text` is what the human gets: `blocks` under heads that begin with `opening`. `messages`: those of the request."""

    text: str
    opening: str
    blocks: tuple[Block, ...]
    messages: tuple[Message, ...]


def request_form(
    request: ModelRequest, title: str, fixed: Set[str] = frozenset(), stays: Set[str] = frozenset()
) -> RequestForm:
    """The form of `request`. By their ids, messages that cannot be changed, and such that cannot be taken out."""
    blocks = [
        block
        for number, message in enumerate(request.messages)
        for block in _blocks(number, message, is_fixed=message.id in fixed, stays=message.id in fixed | stays)
    ]
    blocks += [_tool(number, tool) for number, tool in enumerate(request.tools, 1)]
    nonce = nonce_for(title, [title, *(text for one in blocks for text in (one.head, one.text))])
    guide = _GUIDE.format(title=one_line(title), nonce=nonce)
    opening = f"── {nonce} "
    told = "".join(f"{opening}{one.head}\n{one.text}\n" for one in blocks)
    return RequestForm(f"{guide}{told}{opening}{END}\n{_TAIL}", opening, tuple(blocks), request.messages)


def _blocks(number: int, message: Message, *, is_fixed: bool, stays: bool) -> list[Block]:
    """The first text of a message stands below its head, each further part has a head of its own."""
    name = number + 1
    about = ["" if message.visible else "hidden", f"{tokens_of(message):,} tokens", message.id]
    about += [one_line(name_of(message)), "fixed" if is_fixed else "stays" if stays else ""]
    key, behind = f"message {name}", GAP + GAP.join(one for one in about if one)
    before = f"{key}{GAP}{message.role.value}{GAP}tag="
    tag = message.tag if not is_fixed and message.tag in ("", *FREE_TAGS) else None
    if tag is None:
        before, behind = f"{before}{one_line(message.tag) or NO_TAG}{behind}", ""
    first = message.parts[0] if message.parts else None
    text, at = (first.text, 0) if isinstance(first, Text) else ("", -1)
    blocks = [Block(key, number, before, text, tag, behind, at, is_fixed, stays)]
    for index, part in enumerate(message.parts[at + 1 :], at + 1):
        blocks.append(_part(f"part {name}.{index + 1}", number, index, part, is_fixed=is_fixed))
    for index, one in enumerate(message.reasoning, 1):
        blocks.append(_shown(f"reasoning {name}.{index}", number, "", one.text))
    for index, one in enumerate(message.calls, 1):
        blocks.append(_shown(f"call {name}.{index}", number, f"{GAP}{one.name}{GAP}{one.id}", one.arguments))
    return blocks


def _part(key: str, number: int, part_at: int, part: Part, *, is_fixed: bool) -> Block:
    """What is no text is named: its head can be taken out, and nothing else."""
    match part:
        case Text(text):
            return Block(key, number, key + (f"{GAP}fixed" if is_fixed else ""), text, part=part_at, is_fixed=is_fixed,
                         stays=is_fixed)  # fmt: skip
        case _:
            head = f"{key}{GAP}{one_line(part.mime)}{GAP}{len(part.data):,} bytes{GAP}{one_line(part.name)}{GAP}fixed"
            return Block(key, number, head, part=part_at, is_fixed=True, stays=is_fixed)


def _shown(key: str, number: int, more: str, text: str) -> Block:
    """What stands there to be read."""
    return Block(key, number, f"{key}{one_line(more)}{GAP}fixed", text, is_fixed=True, stays=True)


def _tool(number: int, tool: ToolDefinition) -> Block:
    schema = json.dumps(tool.schema, ensure_ascii=False, indent=1)
    return _shown(f"tool {number}", -1, f"{GAP}{tool.name}", f"{tool.description}\n{schema}")

"""One message, immutable, in no provider's dialect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from motet.messages.tokens import estimate_tokens
from motet.messages.ulid import new_id


class Role(StrEnum):
    """Who speaks; mapped to provider names only inside a provider."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of text that stands for itself, for example one attached file."""

    text: str


@dataclass(frozen=True, slots=True)
class Image:
    """A picture for models that can see. `mime` as in `image/png`; `name` says what it is, for those that cannot."""

    data: bytes
    mime: str
    name: str = ""

    @property
    def text(self) -> str:
        """What stands for it in words."""
        return f"[image {self.name or self.mime}]"


@dataclass(frozen=True, slots=True)
class Document:
    """A document (PDF) for models that can read it. `plain` is its text, for those that cannot."""

    data: bytes
    mime: str
    name: str = ""
    plain: str = ""

    @property
    def text(self) -> str:
        """What stands for it in words."""
        return self.plain or f"[document {self.name or self.mime}]"


Part = Text | Image | Document
"""A piece of a message. Each has its `text`: itself, or what stands for it where it cannot go."""


@dataclass(frozen=True, slots=True)
class Reasoning:
    """A model's reasoning, with the provider's opaque data (a signature) that must be given back unchanged."""

    text: str
    provider_metadata: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to run a tool. `arguments` is the JSON text exactly as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call came to; every call gets exactly one."""

    call_id: str
    name: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class ContextRef:
    """Links a hidden message to its line in the visible context block.

    `id` is that line, as in `<file>src/a.py</file>`; `path` is absolute where the item is a file.
    """

    id: str
    path: str = ""
    url: str = ""
    mime: str = ""


@dataclass(frozen=True, slots=True)
class Meta:
    """What is known about a message besides what it says.

    `id`: a ULID. `cycle`: the user turn it belongs to, from 1; 0 before the first. `tag`: what kind of thing it is
    (`motet.messages.tags`). `source`: who made it, where the tag does not tell (a variable's or a command's name, a
    model's). Tokens: as estimated here, and as the provider reported (0: not reported). `sent`: whether it has been in
    a request. `partial`: the answer broke off. `compacted`: a summary stands for it in requests.
    """

    id: str = field(default_factory=new_id)
    cycle: int = 0
    tag: str = ""
    source: str = ""
    estimated_tokens: int = 0
    reported_tokens: int = 0
    sent: bool = False
    partial: bool = False
    compacted: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `calls` only on assistant messages, `result` only on tool messages.

    `typed` is what the human typed, where `parts` say it in other words; the transcript shows it. What is not
    `visible` (system prompts, attachments) never enters the transcript.
    """

    role: Role
    parts: tuple[Part, ...] = ()
    reasoning: tuple[Reasoning, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    result: ToolResult | None = None
    typed: str | None = None
    context: ContextRef | None = None
    visible: bool = True
    meta: Meta = field(default_factory=Meta)

    @property
    def id(self) -> str:
        """Its ULID."""
        return self.meta.id

    @property
    def tag(self) -> str:
        """What kind of thing it is."""
        return self.meta.tag

    @property
    def text(self) -> str:
        """All parts in words, a blank line between them."""
        parts = self.parts
        return parts[0].text if len(parts) == 1 else "\n\n".join(part.text for part in parts)

    @property
    def shown(self) -> str:
        """What the transcript shows of it."""
        return self.text if self.typed is None else self.typed

    def with_meta(self, **changes: object) -> Message:
        """The same with other fields of `meta`. Raises `TypeError` for a field that there is not."""
        return replace(self, meta=replace(self.meta, **changes))  # pyright: ignore[reportArgumentType]

    def estimated(self) -> Message:
        """The same with `estimated_tokens` counted."""
        calls = sum(estimate_tokens(call.name + call.arguments) for call in self.calls)
        return self.with_meta(estimated_tokens=estimate_tokens(self.text) + calls + _SEEN * self._pictures)

    @property
    def _pictures(self) -> int:
        return sum(isinstance(part, Image) for part in self.parts)

    @classmethod
    def system(cls, text: str, tag: str) -> Message:
        """A system prompt."""
        return cls(Role.SYSTEM, (Text(text),), visible=False, meta=Meta(tag=tag))

    @classmethod
    def user(cls, *texts: str, tag: str = "") -> Message:
        """What a human, or motet on the human's behalf, says."""
        return cls(Role.USER, tuple(Text(text) for text in texts), meta=Meta(tag=tag))

    @classmethod
    def attachment(
        cls, *parts: Part, context: ContextRef | None = None, tag: str = "", source: str = "", cycle: int = 0
    ) -> Message:
        """What is shared with a model: a hidden user message, linked to a line of the context block."""
        return cls(Role.USER, parts, context=context, visible=False, meta=Meta(tag=tag, source=source, cycle=cycle))

    @classmethod
    def tool(cls, result: ToolResult, text: str, tag: str) -> Message:
        """The answer to one tool call."""
        return cls(Role.TOOL, (Text(text),), result=result, meta=Meta(tag=tag))


_SEEN = 1_600
"""Tokens that a picture costs at most, by what providers document."""

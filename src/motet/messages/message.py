"""One message, immutable, in no provider's dialect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """Who speaks; mapped to provider names only inside a provider."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of text that stands for itself, for example one attached file."""

    text: str


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
class Message:
    """One message. `calls` only on assistant messages, `result` only on tool messages."""

    role: Role
    parts: tuple[Part, ...] = ()
    reasoning: tuple[Reasoning, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    result: ToolResult | None = None
    tag: str = ""

    @property
    def text(self) -> str:
        """All parts, a blank line between them."""
        return "\n\n".join(part.text for part in self.parts)

    @classmethod
    def system(cls, text: str, tag: str) -> Message:
        """A system prompt."""
        return cls(Role.SYSTEM, (Part(text),), tag=tag)

    @classmethod
    def user(cls, *texts: str, tag: str = "") -> Message:
        """What a human, or motet on the human's behalf, says."""
        return cls(Role.USER, tuple(Part(text) for text in texts), tag=tag)

    @classmethod
    def tool(cls, result: ToolResult, text: str, tag: str) -> Message:
        """The answer to one tool call."""
        return cls(Role.TOOL, (Part(text),), result=result, tag=tag)

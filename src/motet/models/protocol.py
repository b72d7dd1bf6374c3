"""What a model is to the rest of motet: a name, limits, and a stream of events for a request."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Protocol

from motet.messages import Message, Reasoning, ToolCall


@dataclass(frozen=True, slots=True)
class Limits:
    """What a model can take, in tokens, whether it can call tools, see pictures and read documents (PDF)."""

    context_tokens: int
    output_tokens: int
    tools: bool = True
    images: bool = False
    documents: bool = False


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    input: float
    output: float
    cached_input: float = 0.0


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a request goes: shown to the human before code leaves, written to the egress log.

    `remote` is false only when the request stays inside this process.
    """

    provider: str
    host: str
    remote: bool = True


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as a model sees it: name, description, JSON schema of its arguments."""

    name: str
    description: str
    schema: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request. `messages` must be valid (see `MessageStack`); `max_output_tokens` caps the answer."""

    messages: tuple[Message, ...]
    tools: tuple[ToolDefinition, ...] = ()
    max_output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """The next piece of the reasoning, for display."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """The next piece of a tool call's JSON arguments; the first for an `index` carries `id` and `name`."""

    index: int
    arguments: str
    id: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request as the provider counted them; `input` includes `cached_input`."""

    input: int = 0
    output: int = 0
    cached_input: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.input + other.input, self.output + other.output, self.cached_input + other.cached_input)

    @property
    def total(self) -> int:
        """Input and output tokens together."""
        return self.input + self.output

    def cost(self, price: Price) -> float:
        """US dollars at `price`."""
        fresh = self.input - self.cached_input
        return (fresh * price.input + self.cached_input * price.cached_input + self.output * price.output) / 1e6


@dataclass(frozen=True, slots=True)
class Retrying:
    """The provider refused for the moment; the same request goes out again in `delay` seconds."""

    delay: float
    attempt: int
    reason: str


@dataclass(frozen=True, slots=True)
class Completed:
    """The last event of every answer that came through whole.

    `reason` is `stop`, `tool_calls` or `length`. `calls` are whole and in order; `reasoning` must be given back
    with the assistant message.
    """

    reason: str
    calls: tuple[ToolCall, ...] = ()
    reasoning: tuple[Reasoning, ...] = ()
    usage: Usage = Usage()


ModelEvent = TextDelta | ReasoningDelta | ToolCallDelta | Retrying | Completed


class Model(Protocol):
    """Something that answers. Implementations: `providers/`, `offline`, `replay`, `scripted`."""

    @property
    def name(self) -> str:
        """Provider and model, as in `anthropic/claude-sonnet-4-5`."""
        ...

    @property
    def limits(self) -> Limits:
        """Window and abilities."""
        ...

    @property
    def price(self) -> Price | None:
        """Price per million tokens, or None when unknown or free of charge."""
        ...

    @property
    def destination(self) -> Destination:
        """Where requests go."""
        ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Answer `request`: deltas, then exactly one `Completed`.

        Raises `ModelError`; after it, no `Completed` comes. Cancelling the consuming task, or closing the
        iterator, ends the request within 200 ms.
        """
        ...

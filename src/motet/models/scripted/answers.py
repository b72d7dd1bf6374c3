"""What a script holds: answers, failures, and the ways in which an answer travels."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from motet.messages import ToolCall
from motet.models.protocol import Usage
from motet.models.providers.fields import as_list, as_object, as_text

FOR_EVER = float("inf")
_NO_OTHER_FIELDS = {"extra": "forbid"}
"""For pydantic, which reads script files: a misspelt field is an error."""


@dataclass(frozen=True, slots=True)
class Wire:
    """How an answer travels over HTTP. Counts are of server-sent events; `None`: does not happen.

    `piece_bytes`: the stream is written in pieces of so many bytes. `text_chars`, `argument_chars`: characters
    of one delta; 0: all in one. `cut`: `rst` (connection reset), `close` (closed in the middle of the body),
    `end` (the body ends properly, the answer does not). Delays and stalls are in seconds.
    """

    __pydantic_config__: ClassVar = _NO_OTHER_FIELDS

    piece_bytes: int = 0
    text_chars: int = 0
    argument_chars: int = 0
    crlf: bool = False
    comments: bool = False
    first_byte_delay: float = 0.0
    stall_after: int | None = None
    stall: float = FOR_EVER
    cut_after: int | None = None
    cut: Literal["rst", "close", "end"] = "close"
    malformed_after: int | None = None
    end_marker: bool = True
    usage: bool = True
    call_ids: bool = True
    call_indexes: bool = True
    reasoning_field: str = "reasoning_content"


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer: reasoning first, then text, then calls.

    `finish` replaces the reason that follows from the rest: `stop`, `tool_calls` or `length`, or a provider's
    own word. With `when`, it answers only requests that hold this text.
    """

    __pydantic_config__: ClassVar = _NO_OTHER_FIELDS

    text: str = ""
    reasoning: str = ""
    signature: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=lambda: Usage(100, 20))
    finish: str = ""
    when: str = ""
    wire: Wire = field(default_factory=Wire)

    @property
    def reason(self) -> str:
        """Why the answer ends, in the words of `Completed`."""
        return self.finish or ("tool_calls" if self.calls else "stop")


@dataclass(frozen=True, slots=True)
class HttpError:
    """A response that is no answer. `body` replaces the error in the provider's usual shape."""

    __pydantic_config__: ClassVar = _NO_OTHER_FIELDS

    status: int
    message: str = "scripted failure"
    code: str = "scripted_error"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: str | None = None
    when: str = ""
    first_byte_delay: float = 0.0


Step = Answer | HttpError
WireDialect = Literal["anthropic", "openai", "openai-responses"]
"""By the names that settings use."""


@dataclass(slots=True)
class ScriptedRequest:
    """What came in. `headers` have names in lower case; `left` is set when the client went before the end."""

    dialect: WireDialect
    target: str
    headers: Mapping[str, str]
    body: Mapping[str, object]
    left: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def text(self) -> str:
        """The whole body as readable JSON; `when` looks here."""
        return json.dumps(self.body, ensure_ascii=False)

    @property
    def messages(self) -> list[Mapping[str, object]]:
        """What was said, in the words of the dialect: messages, or the items of its `input`."""
        said = self.body.get("input" if self.dialect == "openai-responses" else "messages")
        return [as_object(message) for message in as_list(said)]

    @property
    def results(self) -> list[str]:
        """The texts of the tool results that end the request, in order, in any dialect."""
        found: list[str] = []
        for message in reversed(self.messages):
            blocks = [as_object(block) for block in as_list(message.get("content"))]
            inner = [block for block in blocks if block.get("type") == "tool_result"]
            if message.get("role") == "tool":
                found.insert(0, _text_of(message.get("content")))
            elif message.get("type") == "function_call_output":
                found.insert(0, _text_of(message.get("output")))
            elif inner:
                found[:0] = [_text_of(block.get("content")) for block in inner]
            else:
                break
        return found


def _text_of(content: object) -> str:
    parts = as_list(content)
    return "".join(as_text(as_object(part).get("text")) for part in parts) if parts else as_text(content)


Answering = Callable[[ScriptedRequest], Step]


class Script:
    """Steps in order; each answers one request. With `repeat`, the last one answers all that follow."""

    def __init__(self, steps: Sequence[Step], *, repeat: bool = False) -> None:
        self._steps = list(steps)
        self._repeat = repeat
        self._left = list(steps)

    def next(self, text: str) -> Step | None:
        """The first unused step whose `when` is in `text`; None when the script is over."""
        for step in self._left:
            # A quote or a line break stands escaped in a body that is JSON.
            if step.when in text or json.dumps(step.when, ensure_ascii=False)[1:-1] in text:
                if not (self._repeat and step is self._steps[-1]):
                    self._left.remove(step)
                return step
        return None

    def __len__(self) -> int:
        return len(self._steps)


def call(name: str, arguments: Mapping[str, object] | str, call_id: str = "") -> ToolCall:
    """A tool call; `arguments` as an object or as the JSON text itself."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return ToolCall(call_id or f"call_{name}", name, text)


def pieces(text: str, size: int) -> list[str]:
    """`text` in pieces of `size` characters, in one piece when `size` is 0; nothing for no text."""
    return [text[start : start + size] for start in range(0, len(text), size)] if size else [text] * bool(text)

"""Text and tool calls that come in pieces, cut anywhere, put together."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from motet.errors import ModelErrorKind
from motet.messages import Reasoning, ToolCall
from motet.models.protocol import ModelEvent, ReasoningDelta, TextDelta, ToolCallDelta
from motet.models.providers.dialect import AnswerFault, Decoder


class Characters:
    """Joins the halves of a character that a server cut in two JSON escapes; a half alone becomes U+FFFD."""

    __slots__ = ("_half",)

    def __init__(self) -> None:
        self._half = ""

    def take(self, text: str) -> str:
        """`text` without a half at its end, which waits for the next piece."""
        text, self._half = self._half + text, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return whole_characters(text)

    def rest(self) -> str:
        """What still waits, at the end."""
        half, self._half = self._half, ""
        return whole_characters(half)


def whole_characters(text: str) -> str:
    """`text` in which surrogate pairs are one character and single surrogates are U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


@dataclass(slots=True)
class Thought:
    """Reasoning, and its place among what else the answer holds: characters of text and calls that stand before it."""

    text_before: int
    calls_before: int
    pieces: list[str] = field(default_factory=list[str])

    def kept(self, provider: str, model: str, **own: object) -> Reasoning:
        """As a part of the answer. Only `provider` gets it back, in its place, with what is its `own`."""
        place = {"text_before": self.text_before, "calls_before": self.calls_before}
        return Reasoning("".join(self.pieces), {"provider": provider, "model": model, **place, **own})


_STRING = re.compile(r'(?:[^"\\\x00-\x1f]|\\.)*').fullmatch
"""What may stand in a string of JSON, between its quotes."""


class Alike:
    """Reads JSON that differs from what was read before in one string only: an answer is thousands of those, and to
    parse each costs more than everything else that is done with it."""

    __slots__ = ("_after", "_before")

    def __init__(self) -> None:
        self._before = self._after = ""

    def learn(self, data: str, text: str) -> None:
        """`data` holds the string `text`, and nothing else in it has to be heard again."""
        before, quote, after = data.partition(f'"{text}"')
        # Without escapes the string stands there as it is; if it does so once, that is the one.
        if quote and quote not in after and "\\" not in data:
            self._before, self._after = f'{before}"', f'"{after}'

    def read(self, data: str) -> str | None:
        """The string in the same place of `data`; None when `data` is another in more than that."""
        start, end = len(self._before), len(data) - len(self._after)
        if not start or end < start or not data.startswith(self._before) or not data.endswith(self._after):
            return None
        text = data[start:end]
        if "\\" not in text:
            return text if _STRING(text) else None
        try:
            return json.loads(f'"{text}"') if _STRING(text) else None
        except ValueError:
            return None


def fresh_call_id() -> str:
    """An id for a call that came without one."""
    return f"call_{uuid.uuid4().hex[:16]}"


@dataclass(slots=True)
class PendingCall:
    """One call so far. `wire_id` is the id as the server wrote it, maybe empty."""

    index: int
    id: str
    wire_id: str
    name: str = ""
    pieces: list[str] = field(default_factory=list[str])
    characters: Characters = field(default_factory=Characters)
    announced: bool = False

    @property
    def arguments(self) -> str:
        """The JSON text so far."""
        return "".join(self.pieces)

    @property
    def is_whole(self) -> bool:
        """Whether the arguments so far are a JSON value."""
        try:
            json.loads(self.arguments)
        except (ValueError, RecursionError):
            return False
        return True


class CallCollector:
    """The tool calls of one answer, in the order in which they began, with ids that differ."""

    def __init__(self, new_id: Callable[[], str] = fresh_call_id) -> None:
        self.calls: list[PendingCall] = []
        self._new_id = new_id

    def begin(self, wire_id: str, name: str) -> PendingCall:
        """A new call; `wire_id` and `name` may be empty; a blank id is none."""
        taken = {call.id for call in self.calls}
        call_id = wire_id if wire_id.strip() and wire_id not in taken else self._new_id()
        call = PendingCall(len(self.calls), call_id, wire_id, name)
        self.calls.append(call)
        return call

    def extend(self, call: PendingCall, arguments: str) -> ToolCallDelta | None:
        """Add a piece of arguments; the event to show, or None while there is nothing to show."""
        piece = call.characters.take(arguments)
        call.pieces.append(piece)
        if not call.name:
            return None
        if not call.announced:
            call.announced = True
            return ToolCallDelta(call.index, call.arguments, call.id, call.name)
        return ToolCallDelta(call.index, piece) if piece else None

    def finish(self, *, cut: bool) -> tuple[ToolCall, ...]:
        """The calls. When the answer was `cut` at its length, calls without whole arguments are left out.

        Raises `AnswerFault` for a call without a name.
        """
        for call in self.calls:
            call.pieces.append(call.characters.rest())
        kept = [call for call in self.calls if not cut or call.is_whole]
        if not all(call.name for call in kept):
            raise AnswerFault(ModelErrorKind.BAD_RESPONSE, "the answer holds a tool call without a name")
        # A call without arguments often comes without a single byte of JSON.
        return tuple(
            ToolCall(call.id, call.name, call.arguments if call.arguments.strip() else "{}") for call in kept
        )


def joined(decoder: Decoder, together: Iterable[str]) -> Iterator[ModelEvent]:
    """The events that the data of server-sent events stand for, up to the end of the answer; pieces of one text that
    follow each other are one. Raises `AnswerFault`, after what came before it."""
    first: ModelEvent | None = None
    more: list[str] = []
    try:
        for data in together:
            if decoder.closed:
                break
            for event in decoder.feed(data):
                if (text := _further(first, event)) is not None:
                    more.append(text)
                    continue
                if first is not None:
                    yield _with(first, more)
                first, more = event, []
    except AnswerFault:
        if first is not None:
            yield _with(first, more)
        raise
    if first is not None:
        yield _with(first, more)


def _further(first: ModelEvent | None, event: ModelEvent) -> str | None:
    """What `event` adds to the piece `first`; None when it begins another."""
    if type(event) is not type(first):
        return None
    match event:
        case TextDelta(text) | ReasoningDelta(text):
            return text
        case ToolCallDelta(index, arguments, "", "") if isinstance(first, ToolCallDelta) and index == first.index:
            return arguments
        case _:
            return None


def _with(first: ModelEvent, more: list[str]) -> ModelEvent:
    match first:
        case TextDelta(text) if more:
            return TextDelta("".join([text, *more]))
        case ReasoningDelta(text) if more:
            return ReasoningDelta("".join([text, *more]))
        case ToolCallDelta(index, arguments, id, name) if more:
            return ToolCallDelta(index, "".join([arguments, *more]), id, name)
        case _:
            return first

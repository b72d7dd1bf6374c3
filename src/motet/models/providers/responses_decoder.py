"""The stream of the Responses API: server-sent event → events. No I/O.

https://platform.openai.com/docs/api-reference/responses-streaming. An answer is a list of items (messages, calls,
reasoning), each with its place in it; pieces name the place of the item that they belong to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from motet.errors import ModelErrorKind
from motet.messages import Reasoning
from motet.models.protocol import Completed, ModelEvent, ReasoningDelta, TextDelta, Usage
from motet.models.providers.dialect import AnswerFault
from motet.models.providers.fields import as_count, as_list, as_object, as_text, parse_object
from motet.models.providers.pieces import CallCollector, Characters, PendingCall, Thought

_GIVEN_BACK = ("id", "summary", "content", "encrypted_content")
"""Fields of an item of reasoning that the API takes back; it refuses others that it sent, such as `status`."""
_OUR_FAULT = ("invalid_", "image_", "unsupported_", "empty_image", "failed_to_download")
"""How the codes of failures begin that the same request would meet again."""


@dataclass(slots=True)
class _Mark(Thought):
    """An item of reasoning, or the `phase` of the message that begins there."""

    item: dict[str, object] = field(default_factory=dict[str, object])
    phase: str = ""

    def reasoning(self, provider: str, model: str) -> Reasoning:
        own: dict[str, object] = {"phase": self.phase} if self.phase else {"item": self.item} if self.item else {}
        return self.kept(provider, model, **own)


class ResponsesDecoder:
    """One streamed answer. See `Decoder`."""

    def __init__(self, provider: str, model: str, calls: CallCollector) -> None:
        self.closed = False
        self._provider = provider
        self._model = model
        self._calls = calls
        self._open_calls: dict[int, PendingCall] = {}
        self._thoughts: dict[int, _Mark] = {}
        self._marks: list[_Mark] = []
        self._phases: dict[int, str] = {}
        self._said: set[int] = set()
        """Places of messages of which some text has come."""
        self._text = Characters()
        self._thought = Characters()
        self._text_length = 0
        self._ends_line = True
        self._refusal = ""
        self._status = ""
        self._usage = Usage()

    @property
    def finished(self) -> bool:
        """See `Decoder`."""
        return bool(self._status)

    def feed(self, data: str) -> Iterator[ModelEvent]:
        """See `Decoder`."""
        if data.strip() == "[DONE]":  # some servers end all their streams with it
            self.closed = True
            return
        event = parse_object(data)
        if event is None:
            raise AnswerFault(ModelErrorKind.BAD_RESPONSE, "the answer holds JSON that cannot be read")
        place = as_count(event.get("output_index"))
        match event.get("type"):
            case "response.output_text.delta":
                yield from self._say(place, as_text(event.get("delta")))
            case "response.refusal.delta":
                self._refusal += as_text(event.get("delta"))
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                yield from self._think(place, as_text(event.get("delta")))
            case "response.reasoning_summary_part.added" if as_count(event.get("summary_index")):
                yield from self._think(place, "\n\n")
            case "response.function_call_arguments.delta":
                yield from self._extend(place, as_text(event.get("delta")))
            case "response.output_item.added":
                yield from self._begin(place, as_object(event.get("item")))
            case "response.output_item.done":
                yield from self._end(place, as_object(event.get("item")))
            case "response.completed" | "response.incomplete" | "response.failed":
                self._finish(as_object(event.get("response")), str(event["type"]))
            case "error":
                raise _fault(event)
            case _ if event.get("error"):
                raise _fault(event)
            case _:  # `response.created`, the ends of pieces, and what later versions add
                pass

    def complete(self) -> Completed:
        """See `Decoder`."""
        if self._refusal and not self._text_length and not self._calls.calls:
            raise AnswerFault(ModelErrorKind.REFUSED, self._refusal)
        cut = self._status == "incomplete"
        calls = self._calls.finish(cut=cut)
        reason = "length" if cut else "tool_calls" if calls else "stop"
        reasoning = tuple(mark.reasoning(self._provider, self._model) for mark in self._marks)
        return Completed(reason, calls, reasoning, self._usage)

    def _begin(self, place: int, item: Mapping[str, object]) -> Iterator[ModelEvent]:
        match item.get("type"):
            case "message":
                self._phases[place] = as_text(item.get("phase"))
            case "reasoning":
                self._thoughts[place] = self._mark()
            case "function_call":
                # `id` names the item; `call_id` is what the result has to name.
                call = self._calls.begin(as_text(item.get("call_id")), as_text(item.get("name")))
                self._open_calls[place] = call
                if event := self._calls.extend(call, as_text(item.get("arguments"))):
                    yield event
            case _:
                pass

    def _end(self, place: int, item: Mapping[str, object]) -> Iterator[ModelEvent]:
        """The item is whole. What of it did not come in pieces is taken from here."""
        match item.get("type"):
            case "message":
                if place not in self._said:
                    self._phases[place] = as_text(item.get("phase"))
                    for part in map(as_object, as_list(item.get("content"))):
                        yield from self._say(place, as_text(part.get("text")))
                        self._refusal = self._refusal or as_text(part.get("refusal"))
            case "reasoning":
                thought = self._thoughts.pop(place, None) or self._mark()
                thought.item = {name: item[name] for name in _GIVEN_BACK if item.get(name) is not None}
                thought.item.setdefault("summary", [])
                self._thoughts[place] = thought
                if not thought.pieces:
                    yield from self._think(place, _thought_in(item))
            case "function_call":
                if place not in self._open_calls:
                    yield from self._begin(place, item)
                elif not self._open_calls[place].arguments:
                    yield from self._extend(place, as_text(item.get("arguments")))
            case _:
                pass

    def _mark(self, phase: str = "") -> _Mark:
        mark = _Mark(self._text_length, len(self._calls.calls), phase=phase)
        self._marks.append(mark)
        return mark

    def _say(self, place: int, text: str) -> Iterator[ModelEvent]:
        if text and place not in self._said:
            self._said.add(place)
            if not self._ends_line:  # a message behind another one is a paragraph of its own
                yield from self._add("\n\n")
            # Models that tell comments from answers want to hear later which was which.
            if phase := self._phases.get(place):
                self._mark(phase)
        yield from self._add(text)

    def _add(self, text: str) -> Iterator[ModelEvent]:
        if whole := self._text.take(text):
            self._text_length += len(whole)
            self._ends_line = whole.endswith("\n")
            yield TextDelta(whole)

    def _think(self, place: int, text: str) -> Iterator[ModelEvent]:
        if whole := self._thought.take(text):
            if place not in self._thoughts:
                self._thoughts[place] = self._mark()
            self._thoughts[place].pieces.append(whole)
            yield ReasoningDelta(whole)

    def _extend(self, place: int, arguments: str) -> Iterator[ModelEvent]:
        call = self._open_calls.get(place)
        if call and arguments and (event := self._calls.extend(call, arguments)):
            yield event

    def _finish(self, response: Mapping[str, object], kind: str) -> None:
        if kind == "response.failed":
            raise _fault(response)
        if as_object(response.get("incomplete_details")).get("reason") == "content_filter":
            raise AnswerFault(ModelErrorKind.REFUSED, "the provider's content filter stopped the answer")
        self._status = kind.removeprefix("response.")
        self._usage = _usage(as_object(response.get("usage")))
        self.closed = True


def _thought_in(item: Mapping[str, object]) -> str:
    parts = as_list(item.get("summary")) or as_list(item.get("content"))
    return "\n\n".join(as_text(as_object(part).get("text")) for part in parts)


def _fault(event: Mapping[str, object]) -> AnswerFault:
    from motet.models.providers.failures import fault_in_answer

    fault = fault_in_answer(event)
    code = as_text((as_object(event.get("error")) or event).get("code"))
    if fault.kind is ModelErrorKind.OVERLOADED and code.startswith(_OUR_FAULT):
        return AnswerFault(ModelErrorKind.REFUSED, fault.detail)
    return fault


def _usage(usage: Mapping[str, object]) -> Usage:
    read = as_count(usage.get("input_tokens"))
    # Tokens of the reasoning are among those of the output.
    output = max(as_count(usage.get("output_tokens")), as_count(usage.get("total_tokens")) - read)
    cached = as_count(as_object(usage.get("input_tokens_details")).get("cached_tokens"))
    return Usage(read, output, min(cached, read))

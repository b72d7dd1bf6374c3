"""A streamed chat completion, as OpenAI and the many servers that follow it write it. No I/O."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from motet.errors import ModelErrorKind
from motet.messages import Reasoning
from motet.models.protocol import Completed, ModelEvent, ReasoningDelta, TextDelta, Usage
from motet.models.providers.dialect import AnswerFault
from motet.models.providers.fields import as_count, as_list, as_object, as_text, parse_object
from motet.models.providers.pieces import Alike, CallCollector, Characters, PendingCall

_CUT = frozenset({"length", "max_tokens", "model_length"})
_FILTERED = frozenset({"content_filter", "refusal", "safety"})
_BROKEN = frozenset({"error", "insufficient_system_resource"})


class ChatDecoder:
    """One streamed answer. See `Decoder`."""

    def __init__(self, provider: str, model: str, calls: CallCollector) -> None:
        self.closed = False
        self._provider = provider
        self._model = model
        self._calls = calls
        self._by_index: dict[int, PendingCall] = {}
        self._signatures: dict[str, object] = {}
        self._alike = Alike()
        self._text = Characters()
        self._thought = Characters()
        self._thoughts: list[str] = []
        self._thought_field = ""
        self._details: list[dict[str, object]] = []
        self._refusal = ""
        self._said_anything = False
        self._finish_reason = ""
        self._usage = Usage()

    @property
    def finished(self) -> bool:
        """See `Decoder`."""
        return self.closed or bool(self._finish_reason)

    def feed(self, data: str) -> Iterator[ModelEvent]:
        """See `Decoder`."""
        if (text := self._alike.read(data)) is not None:
            yield from self._say(text)
            return
        if data.strip() == "[DONE]":
            self.closed = True
            return
        chunk = parse_object(data)
        if chunk is None:
            raise AnswerFault(ModelErrorKind.BAD_RESPONSE, "the answer holds JSON that cannot be read")
        if chunk.get("error") or chunk.get("object") == "error":
            from motet.models.providers.failures import fault_in_answer

            raise fault_in_answer(chunk)
        if usage := as_object(chunk.get("usage")) or as_object(as_object(chunk.get("x_groq")).get("usage")):
            self._usage = _usage(usage)
        for choice in as_list(chunk.get("choices"))[:1]:
            yield from self._choice(as_object(choice))
            if not usage and _is_text(as_object(choice)):
                self._alike.learn(data, as_text(as_object(as_object(choice).get("delta")).get("content")))

    def complete(self) -> Completed:
        """See `Decoder`."""
        if self._refusal and not self._said_anything and not self._calls.calls:
            raise AnswerFault(ModelErrorKind.REFUSED, self._refusal)
        cut = self._finish_reason in _CUT
        calls = self._calls.finish(cut=cut)
        reason = "length" if cut else "tool_calls" if calls else "stop"
        return Completed(reason, calls, self._reasoning(), self._usage)

    def _choice(self, choice: Mapping[str, object]) -> Iterator[ModelEvent]:
        delta = as_object(choice.get("delta"))
        for name in ("reasoning_content", "reasoning"):
            if text := as_text(delta.get(name)):
                yield from self._think(text, name)
                break
        for detail in as_list(delta.get("reasoning_details")):
            self._add_detail(as_object(detail))
        yield from self._content(delta.get("content"))
        self._refusal += as_text(delta.get("refusal"))
        for fragment in as_list(delta.get("tool_calls")):
            yield from self._call(as_object(fragment))
        self._finish(as_text(choice.get("finish_reason")).lower())

    def _content(self, content: object) -> Iterator[ModelEvent]:
        """Text, or a list of parts: text and thinking, which may be a list again (Mistral)."""
        yield from self._say(as_text(content))
        for part in map(as_object, as_list(content)):
            if part.get("type") == "thinking":
                thoughts = map(as_object, as_list(part.get("thinking")))
                yield from self._think("".join(as_text(thought.get("text")) for thought in thoughts), "")
            else:
                yield from self._say(as_text(part.get("text")))

    def _say(self, text: str) -> Iterator[ModelEvent]:
        if whole := self._text.take(text):
            self._said_anything = True
            yield TextDelta(whole)

    def _think(self, text: str, field: str) -> Iterator[ModelEvent]:
        self._thought_field = self._thought_field or field
        if whole := self._thought.take(text):
            self._thoughts.append(whole)
            yield ReasoningDelta(whole)

    def _call(self, fragment: Mapping[str, object]) -> Iterator[ModelEvent]:
        function = as_object(fragment.get("function"))
        name = as_text(function.get("name"))
        call = self._find(fragment, name)
        call.name = call.name or name
        if signature := fragment.get("extra_content"):
            self._signatures[call.id] = signature
        arguments = function.get("arguments")
        piece = json.dumps(arguments, ensure_ascii=False) if isinstance(arguments, dict) else as_text(arguments)
        if event := self._calls.extend(call, piece):
            yield event

    def _find(self, fragment: Mapping[str, object], name: str) -> PendingCall:
        """The call that a fragment belongs to; servers leave out ids and indexes, or use one index for all."""
        wire_id = as_text(fragment.get("id"))
        raw_index = fragment.get("index")
        index = raw_index if isinstance(raw_index, int) else None
        known = [call for call in self._calls.calls if wire_id and call.wire_id == wire_id]
        if index is None:
            last = self._calls.calls[-1:]
            current = next(iter(known or last), None)
        else:
            current = self._by_index.get(index)
            current = known[-1] if current and known and current not in known else current
        if current is None or self._begins_another(current, wire_id, name, index):
            current = self._calls.begin(wire_id, name)
            if index is not None:
                self._by_index[index] = current
        return current

    def _begins_another(self, current: PendingCall, wire_id: str, name: str, index: int | None) -> bool:
        if not name or not current.name:
            return False
        if wire_id and current.wire_id:
            return wire_id != current.wire_id
        return index is None or current.is_whole

    def _add_detail(self, detail: Mapping[str, object]) -> None:
        """Pieces of one block of `reasoning_details` (OpenRouter) become one again, to be given back whole."""
        last = self._details[-1] if self._details else {}
        if last and all(last.get(name) == detail.get(name) for name in ("type", "index")):
            for name, value in detail.items():
                joined = name in {"text", "summary", "data"} and isinstance(value, str)
                last[name] = as_text(last.get(name)) + value if joined and isinstance(value, str) else value
        elif detail:
            self._details.append(dict(detail))

    def _finish(self, reason: str) -> None:
        if reason in _FILTERED:
            raise AnswerFault(ModelErrorKind.REFUSED, "the provider's content filter stopped the answer")
        if reason in _BROKEN:
            raise AnswerFault(ModelErrorKind.OVERLOADED, f"the provider stopped the answer ({reason})")
        self._finish_reason = reason or self._finish_reason

    def _reasoning(self) -> tuple[Reasoning, ...]:
        if not (self._thoughts or self._details or self._signatures):
            return ()
        metadata: dict[str, object] = {"provider": self._provider, "model": self._model}
        if self._thoughts and self._thought_field:
            metadata["field"] = self._thought_field
        if self._details:
            metadata["details"] = self._details
        if self._signatures:
            metadata["calls"] = self._signatures
        return (Reasoning("".join(self._thoughts), metadata),)


def _is_text(choice: Mapping[str, object]) -> bool:
    """Whether it holds a piece of text and nothing else."""
    delta = as_object(choice.get("delta"))
    return not choice.get("finish_reason") and not any(
        delta[name] for name in delta if name not in {"content", "role"}
    )


def _usage(usage: Mapping[str, object]) -> Usage:
    prompt = as_count(usage.get("prompt_tokens"))
    # Some providers leave the tokens of the reasoning out of `completion_tokens`, none out of the total.
    output = max(as_count(usage.get("completion_tokens")), as_count(usage.get("total_tokens")) - prompt)
    details = as_object(usage.get("prompt_tokens_details"))
    cached = as_count(details.get("cached_tokens")) or as_count(usage.get("prompt_cache_hit_tokens"))
    return Usage(prompt, output, min(cached, prompt))

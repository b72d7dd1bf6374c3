"""An answer as the server-sent events of Anthropic and of OpenAI's chat completions and responses. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from motet.models.protocol import Usage
from motet.models.scripted.answers import Answer, HttpError, ScriptedRequest, Wire, pieces

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class Event:
    """One server-sent event: its data, and its name where the dialect names them."""

    data: str
    name: str = ""

    def encode(self, wire: Wire) -> bytes:
        """The bytes of the event."""
        lines = [": keep-alive"] if wire.comments else []
        lines += [f"event: {self.name}"] if self.name else []
        lines += [f"data: {self.data}", "", ""]
        return ("\r\n" if wire.crlf else "\n").join(lines).encode()


def events_of(answer: Answer, request: ScriptedRequest) -> list[Event]:
    """The whole stream that answers `request`."""
    model = str(request.body.get("model", "scripted"))
    match request.dialect:
        case "anthropic":
            return _anthropic(answer, model)
        case "openai":
            return _openai(answer, model, request.body)
        case "openai-responses":
            return _responses(answer, model)


def error_body(error: HttpError, dialect: str) -> str:
    """The body of an error as the provider would write it."""
    if error.body is not None:
        return error.body
    if dialect == "anthropic":
        return _dump({"type": "error", "error": {"type": error.code, "message": error.message}})
    return _dump({"error": {"message": error.message, "type": error.code, "param": None, "code": error.code}})


def _dump(value: Mapping[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _anthropic(answer: Answer, model: str) -> list[Event]:
    events: list[Json] = [_message_start(model, answer.usage)]
    index = 0

    def block(start: Json, deltas: list[Json]) -> None:
        nonlocal index
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        events.extend({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas)
        events.append({"type": "content_block_stop", "index": index})
        index += 1

    wire = answer.wire
    if answer.reasoning or answer.signature:
        thoughts: list[Json] = [
            {"type": "thinking_delta", "thinking": piece} for piece in pieces(answer.reasoning, wire.text_chars)
        ]
        signature: Json = {"type": "signature_delta", "signature": answer.signature}
        block({"type": "thinking", "thinking": "", "signature": ""}, [*thoughts, signature])
    if answer.text:
        block(
            {"type": "text", "text": ""},
            [{"type": "text_delta", "text": piece} for piece in pieces(answer.text, wire.text_chars)],
        )
    for call in answer.calls:
        block(
            {"type": "tool_use", "id": call.id, "name": call.name, "input": {}},
            [
                {"type": "input_json_delta", "partial_json": piece}
                for piece in ["", *pieces(call.arguments, wire.argument_chars)]
            ],
        )
    reason = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}.get(answer.reason, answer.reason)
    events.append(
        {
            "type": "message_delta",
            "delta": {"stop_reason": reason, "stop_sequence": None},
            "usage": {"output_tokens": answer.usage.output} if wire.usage else {},
        }
    )
    if wire.end_marker:
        events.append({"type": "message_stop"})
    return [Event(_dump(event), str(event["type"])) for event in events]


def _message_start(model: str, usage: Usage) -> Json:
    counts = {
        "input_tokens": usage.input - usage.cached_input,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": usage.cached_input,
        "output_tokens": 1,
    }
    message: Json = {"id": "msg_scripted", "type": "message", "role": "assistant", "model": model, "content": []}
    return {"type": "message_start", "message": {**message, "stop_reason": None, "usage": counts}}


def _openai(answer: Answer, model: str, body: Mapping[str, object]) -> list[Event]:
    wire = answer.wire

    def chunk(delta: Json, finish: str | None = None) -> Json:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        head: Json = {"id": "chatcmpl-scripted", "object": "chat.completion.chunk", "created": 1_700_000_000}
        return {**head, "model": model, "choices": [choice]}

    chunks = [chunk({"role": "assistant", "content": ""})]
    chunks += [chunk({wire.reasoning_field: piece}) for piece in pieces(answer.reasoning, wire.text_chars)]
    chunks += [chunk({"content": piece}) for piece in pieces(answer.text, wire.text_chars)]
    for index, call in enumerate(answer.calls):
        place: Json = {"index": index} if wire.call_indexes else {}
        start: Json = {**place, "type": "function", "function": {"name": call.name, "arguments": ""}}
        chunks.append(chunk({"tool_calls": [{"id": call.id, **start} if wire.call_ids else start]}))
        chunks += [
            chunk({"tool_calls": [{**place, "function": {"arguments": piece}}]})
            for piece in pieces(call.arguments, wire.argument_chars)
        ]
    chunks.append(chunk({}, answer.reason))
    options = body.get("stream_options")
    if wire.usage and isinstance(options, dict):
        chunks.append({**chunk({}), "choices": [], "usage": _openai_usage(answer.usage)})
    events = [Event(_dump(each)) for each in chunks]
    return [*events, Event("[DONE]")] if wire.end_marker else events


def _openai_usage(usage: Usage) -> Json:
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.total,
        "prompt_tokens_details": {"cached_tokens": usage.cached_input},
    }


def _responses(answer: Answer, model: str) -> list[Event]:
    wire = answer.wire
    response: Json = {"id": "resp_scripted", "object": "response", "model": model, "error": None}
    events: list[Json] = [
        {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}}
    ]
    items: list[Json] = []

    def item(whole: Json, begun: Json, delta: str, deltas: list[str], part: Json | None = None) -> None:
        """The events of one item: what it is when it begins, its pieces, and what it is when it is whole."""
        place: Json = {"output_index": len(items)}
        inside: Json = {**place, "item_id": whole["id"], **(part or {})}
        status = "status" in whole
        start = {**whole, **begun, "status": "in_progress"} if status else {**whole, **begun}
        events.append({"type": "response.output_item.added", **place, "item": start})
        events.extend({"type": f"response.{delta}", **inside, "delta": piece} for piece in deltas)
        events.append({"type": "response.output_item.done", **place, "item": whole})
        items.append(whole)

    if answer.reasoning or answer.signature:
        summary = [{"type": "summary_text", "text": answer.reasoning}] if answer.reasoning else []
        thought: Json = {"id": "rs_scripted", "type": "reasoning", "summary": summary}
        if answer.signature:
            thought["encrypted_content"] = answer.signature
        deltas = pieces(answer.reasoning, wire.text_chars)
        item(thought, {"summary": []}, "reasoning_summary_text.delta", deltas, {"summary_index": 0})
    if answer.text:
        content: list[Json] = [{"type": "output_text", "text": answer.text, "annotations": []}]
        said: Json = {"id": "msg_scripted", "type": "message", "status": "completed", "role": "assistant"}
        deltas = pieces(answer.text, wire.text_chars)
        item({**said, "content": content}, {"content": []}, "output_text.delta", deltas, {"content_index": 0})
    for number, call in enumerate(answer.calls):
        made: Json = {"id": f"fc_{number}", "type": "function_call", "status": "completed", "name": call.name}
        whole: Json = {**made, "call_id": call.id, "arguments": call.arguments}
        deltas = pieces(call.arguments, wire.argument_chars)
        item(whole, {"arguments": ""}, "function_call_arguments.delta", deltas)
    cut = answer.reason == "length"
    status = "incomplete" if cut else "completed"
    end: Json = {**response, "status": status, "output": items}
    end["incomplete_details"] = {"reason": "max_output_tokens"} if cut else None
    end["usage"] = _responses_usage(answer.usage) if wire.usage else None
    events.append({"type": f"response.{status}", "response": end})
    return [
        Event(_dump({**event, "sequence_number": number}), str(event["type"])) for number, event in enumerate(events)
    ]


def _responses_usage(usage: Usage) -> Json:
    return {
        "input_tokens": usage.input,
        "input_tokens_details": {"cached_tokens": usage.cached_input},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.total,
    }

"""Responses without HTTP: request → body, event → events, for what servers and histories really hold."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.errors import ModelErrorKind
from motet.messages import Message, Reasoning, Role, Text, ToolCall, ToolResult
from motet.models import Completed, ModelRequest, ReasoningDelta, TextDelta, ToolCallDelta, ToolDefinition, Usage
from motet.models.providers.dialect import AnswerFault
from motet.models.providers.openai_responses import OpenAIResponses
from motet.models.providers.pieces import CallCollector
from motet.models.providers.responses_decoder import ResponsesDecoder

HOW = OpenAIResponses("acme", "m-1")
TOOL = ToolDefinition("one", "Does one.", {"type": "object"})
USER = Message.user("Hi")
OWN = {"provider": "acme", "model": "m-1"}
SEALED = {"id": "rs_1", "summary": [], "encrypted_content": "gAAA"}

RECORDED = [
    '{"type":"response.created","response":{"id":"resp_1","object":"response","status":"in_progress","error":null,'
    '"incomplete_details":null,"output":[],"usage":null},"sequence_number":0}',
    '{"type":"response.in_progress","response":{"id":"resp_1","status":"in_progress","output":[]},"sequence_number":1}',
    '{"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[],'
    '"encrypted_content":"half"},"sequence_number":2}',
    '{"type":"response.reasoning_summary_part.added","item_id":"rs_1","output_index":0,"summary_index":0,'
    '"part":{"type":"summary_text","text":""},"sequence_number":3}',
    '{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":0,'
    '"delta":"**Looking**","obfuscation":"aB3x","sequence_number":4}',
    '{"type":"response.reasoning_summary_text.done","item_id":"rs_1","output_index":0,"summary_index":0,'
    '"text":"**Looking**","sequence_number":5}',
    '{"type":"response.reasoning_summary_part.added","item_id":"rs_1","output_index":0,"summary_index":1,'
    '"part":{"type":"summary_text","text":""},"sequence_number":6}',
    '{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":1,'
    '"delta":"**Calling**","sequence_number":7}',
    '{"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","status":null,'
    '"content":null,"encrypted_content":"gAAA","summary":[{"type":"summary_text","text":"**Looking**"},'
    '{"type":"summary_text","text":"**Calling**"}]},"sequence_number":8}',
    '{"type":"response.output_item.added","output_index":1,"item":{"id":"msg_1","type":"message","role":"assistant",'
    '"status":"in_progress","phase":"commentary","content":[]},"sequence_number":9}',
    '{"type":"response.content_part.added","item_id":"msg_1","output_index":1,"content_index":0,'
    '"part":{"type":"output_text","annotations":[],"text":""},"sequence_number":10}',
    '{"type":"response.output_text.delta","item_id":"msg_1","output_index":1,"content_index":0,"delta":"I ",'
    '"logprobs":[],"sequence_number":11}',
    '{"type":"response.output_text.delta","item_id":"msg_1","output_index":1,"content_index":0,"delta":"look.",'
    '"logprobs":[],"sequence_number":12}',
    '{"type":"response.output_text.done","item_id":"msg_1","output_index":1,"content_index":0,"text":"I look.",'
    '"sequence_number":13}',
    '{"type":"response.output_item.done","output_index":1,"item":{"id":"msg_1","type":"message","role":"assistant",'
    '"status":"completed","phase":"commentary","content":[{"type":"output_text","text":"I look.","annotations":[]}]},'
    '"sequence_number":14}',
    '{"type":"response.output_item.added","output_index":2,"item":{"id":"fc_1","type":"function_call",'
    '"status":"in_progress","arguments":"","call_id":"call_1","name":"one"},"sequence_number":15}',
    '{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":2,"delta":"{\\"n\\"",'
    '"sequence_number":16}',
    '{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":2,"delta":":1}",'
    '"sequence_number":17}',
    '{"type":"response.function_call_arguments.done","item_id":"fc_1","output_index":2,"arguments":"{\\"n\\":1}",'
    '"sequence_number":18}',
    '{"type":"response.output_item.done","output_index":2,"item":{"id":"fc_1","type":"function_call",'
    '"status":"completed","arguments":"{\\"n\\":1}","call_id":"call_1","name":"one"},"sequence_number":19}',
    '{"type":"response.completed","response":{"id":"resp_1","object":"response","status":"completed","error":null,'
    '"usage":{"input_tokens":120,"input_tokens_details":{"cached_tokens":100},"output_tokens":50,'
    '"output_tokens_details":{"reasoning_tokens":30},"total_tokens":170}},"sequence_number":20}',
]
"""An answer as it comes: reasoning with two parts of a summary, a comment, a call."""

SUMMED = [{"type": "summary_text", "text": "**Looking**"}, {"type": "summary_text", "text": "**Calling**"}]


def decoder() -> ResponsesDecoder:
    numbers = iter(range(1, 100))
    return ResponsesDecoder("acme", "m-1", CallCollector(lambda: f"new_{next(numbers)}"))


def play(*events: dict[str, object]) -> tuple[list[object], Completed]:
    running = decoder()
    seen = [event for each in events for event in running.feed(json.dumps(each))]
    return seen, running.complete()


def added(place: int, **item: object) -> dict[str, object]:
    return {"type": "response.output_item.added", "output_index": place, "item": item}


def done(place: int, **item: object) -> dict[str, object]:
    return {"type": "response.output_item.done", "output_index": place, "item": item}


def said(text: str, place: int = 0) -> dict[str, object]:
    return {"type": "response.output_text.delta", "output_index": place, "delta": text}


def ended(kind: str = "completed", **response: object) -> dict[str, object]:
    return {"type": f"response.{kind}", "response": {"status": kind, **response}}


def items_of(*messages: Message, how: OpenAIResponses = HOW) -> object:
    return how.body(ModelRequest(messages, (TOOL,)))["input"]


def answer(*calls: ToolCall, text: str = "", reasoning: tuple[Reasoning, ...] = ()) -> Message:
    return Message(Role.ASSISTANT, (Text(text),) if text else (), reasoning, calls)


def result(call_id: str = "call_1") -> Message:
    return Message.tool(ToolResult(call_id, "one"), "fine", "tool_output")


def output(text: str, **more: object) -> dict[str, object]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "role": "assistant", "content": content, **more}


# --- answers ---------------------------------------------------------------------------------------------------


def test_a_recorded_answer_is_these_events_and_goes_back_as_it_came() -> None:
    running = decoder()
    seen = [event for data in RECORDED for event in running.feed(data)]
    assert (running.finished, running.closed) == (True, True)
    assert seen == [
        ReasoningDelta("**Looking**"),
        ReasoningDelta("\n\n"),
        ReasoningDelta("**Calling**"),
        TextDelta("I "),
        TextDelta("look."),
        ToolCallDelta(0, "", "call_1", "one"),
        ToolCallDelta(0, '{"n"'),
        ToolCallDelta(0, ":1}"),
    ]
    item = {"id": "rs_1", "summary": SUMMED, "encrypted_content": "gAAA"}
    place = {**OWN, "text_before": 0, "calls_before": 0}
    end = running.complete()
    assert end == Completed(
        "tool_calls",
        (ToolCall("call_1", "one", '{"n":1}'),),
        (
            Reasoning("**Looking**\n\n**Calling**", {**place, "item": item}),
            Reasoning("", {**place, "phase": "commentary"}),
        ),
        Usage(120, 50, 100),
    )
    assert items_of(USER, answer(*end.calls, text="I look.", reasoning=end.reasoning), result()) == [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
        {"type": "reasoning", **item},
        output("I look.", phase="commentary"),
        {"type": "function_call", "call_id": "call_1", "name": "one", "arguments": '{"n":1}'},
        {"type": "function_call_output", "call_id": "call_1", "output": "fine"},
    ]


def test_an_answer_is_not_whole_before_its_last_event() -> None:
    running = decoder()
    for data in [*RECORDED[:-1], "[DONE]"]:
        list(running.feed(data))
    assert (running.finished, running.closed) == (False, True)


def test_items_that_come_whole_are_as_good_as_pieces() -> None:
    content = [{"type": "output_text", "text": "Hello"}]
    seen, end = play(
        done(0, type="reasoning", id="rs_1", summary=SUMMED),
        done(1, type="message", content=content),
        done(2, type="function_call", call_id="call_1", name="one", arguments="{}"),
        ended(),
    )
    assert seen == [
        ReasoningDelta("**Looking**\n\n**Calling**"), TextDelta("Hello"), ToolCallDelta(0, "{}", "call_1", "one")
    ]  # fmt: skip
    assert end.calls == (ToolCall("call_1", "one", "{}"),)


def test_two_messages_are_two_paragraphs_and_keep_their_phases() -> None:
    seen, end = play(
        added(0, type="message", phase="commentary"),
        said("I look.", 0),
        added(1, type="reasoning", id="rs_1"),
        done(1, type="reasoning", **SEALED),
        added(2, type="message", phase="final_answer"),
        said("It is one.", 2),
        ended(),
    )
    assert seen == [TextDelta("I look."), TextDelta("\n\n"), TextDelta("It is one.")]
    text = "I look.\n\nIt is one."
    assert items_of(USER, answer(text=text, reasoning=end.reasoning), USER)[1:] == [
        output("I look.", phase="commentary"),
        {"type": "reasoning", **SEALED},
        output("It is one.", phase="final_answer"),
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
    ]


def test_calls_that_come_among_each_other_are_told_apart_by_their_place() -> None:
    def piece(place: int, text: str) -> dict[str, object]:
        return {"type": "response.function_call_arguments.delta", "output_index": place, "delta": text}

    begun = [added(n, type="function_call", call_id=f"c{n}", name="one", arguments="") for n in (0, 1)]
    _, end = play(*begun, piece(1, '{"n":'), piece(0, '{"n":0'), piece(1, "1}"), piece(0, "}"), ended())
    assert end.calls == (ToolCall("c0", "one", '{"n":0}'), ToolCall("c1", "one", '{"n":1}'))


@pytest.mark.parametrize("reason", ["max_output_tokens", "max_tokens", None])
def test_an_incomplete_answer_was_cut_at_its_length(reason: str | None) -> None:
    seen, end = play(
        added(0, type="reasoning", id="rs_1"),
        said("Half", 1),
        added(2, type="function_call", call_id="c", name="one", arguments='{"n"'),
        ended("incomplete", incomplete_details={"reason": reason}),
    )
    assert seen[0] == TextDelta("Half")
    assert (end.reason, end.calls) == ("length", ())


def refused(*events: dict[str, object]) -> tuple[ModelErrorKind, str]:
    with pytest.raises(AnswerFault) as caught:
        play(*events)
    return caught.value.kind, caught.value.detail


def test_a_refusal_is_no_answer_unless_something_was_said() -> None:
    no = [{"type": "response.refusal.delta", "output_index": 0, "delta": piece} for piece in ("I can", "not.")]
    assert refused(*no, ended()) == (ModelErrorKind.REFUSED, "I cannot.")
    whole = done(0, type="message", content=[{"type": "refusal", "refusal": "No."}])
    assert refused(whole, ended()) == (ModelErrorKind.REFUSED, "No.")
    assert play(said("But:"), *no, ended())[0] == [TextDelta("But:")]
    filtered = ended("incomplete", incomplete_details={"reason": "content_filter"})
    assert refused(said("x"), filtered)[0] is ModelErrorKind.REFUSED


@pytest.mark.parametrize(
    ("event", "kind", "words"),
    [
        (ended("failed", error={"code": "server_error", "message": "Oops"}), ModelErrorKind.OVERLOADED, "Oops"),
        (
            ended("failed", error={"code": "rate_limit_exceeded", "message": "Slow"}),
            ModelErrorKind.OVERLOADED,
            "Slow",
        ),
        (ended("failed", error={"code": "invalid_prompt", "message": "Bad"}), ModelErrorKind.REFUSED, "Bad"),
        (ended("failed", error={"code": "image_too_large", "message": "Big"}), ModelErrorKind.REFUSED, "Big"),
        (
            ended("failed", error={"code": "context_length_exceeded", "message": "Your input"}),
            ModelErrorKind.CONTEXT_TOO_LONG,
            "Your input",
        ),
        (ended("failed", error=None), ModelErrorKind.OVERLOADED, "an error without a message"),
        (
            {"type": "error", "code": "insufficient_quota", "message": "None left", "param": None},
            ModelErrorKind.QUOTA,
            "None left",
        ),
        (
            {"type": "error", "error": {"type": "invalid_request_error", "code": None, "message": "No such tool"}},
            ModelErrorKind.REFUSED,
            "No such tool",
        ),
        ({"error": {"message": "Gateway", "code": 502}}, ModelErrorKind.OVERLOADED, "Gateway"),
    ],
)
def test_errors_inside_a_stream_have_a_kind_and_words(event, kind, words) -> None:
    assert refused(event) == (kind, words)


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}, Usage(10, 5)),
        ({"input_tokens": 10, "output_tokens": 5, "total_tokens": 40}, Usage(10, 30)),
        ({"input_tokens": 1, "input_tokens_details": {"cached_tokens": 9}}, Usage(1, 0, 1)),
        ({"input_tokens": "x", "output_tokens": -3}, Usage()),
        (None, Usage()),
    ],
)
def test_tokens_are_counted_whoever_reports_them(usage: object, expected: Usage) -> None:
    assert play(ended(usage=usage))[1].usage == expected


def test_halves_of_characters_are_joined() -> None:
    seen, _ = play(said("a\ud83d"), said("\ude00b"), ended())
    assert seen == [TextDelta("a"), TextDelta("😀b")]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(
            ["type", "output_index", "item", "delta", "response", "id", "call_id", "name", "arguments", "summary",
             "content", "text", "phase", "usage", "incomplete_details", "error", "encrypted_content", "code"]
        ),
        inner, max_size=6,
    ),
    max_leaves=12,
)  # fmt: skip
kinds = st.sampled_from([str(json.loads(data)["type"]) for data in RECORDED] + ["error", "response.incomplete"])
item_kinds = st.sampled_from(["message", "reasoning", "function_call", "web_search_call"])


@given(st.lists(st.tuples(kinds, json_values, item_kinds), max_size=8))
def test_no_json_whatever_makes_the_decoder_stumble(events: list[tuple[str, object, str]]) -> None:
    running = decoder()
    try:
        for kind, value, item in events:
            known = value if isinstance(value, dict) else {"delta": value, "item": {"type": item, "summary": value}}
            for _ in running.feed(json.dumps({**known, "type": kind})):
                pass
        running.complete()
    except AnswerFault:
        pass


@given(st.text())
def test_no_text_whatever_makes_the_decoder_stumble(text: str) -> None:
    try:
        list(decoder().feed(text))
    except AnswerFault as fault:
        assert fault.kind is ModelErrorKind.BAD_RESPONSE


# --- requests --------------------------------------------------------------------------------------------------


def test_rules_at_the_head_are_instructions_and_later_ones_stay_where_they_are() -> None:
    rules = [Message.system("Be brief.", "rules"), Message.system("Be kind.", "rules")]
    body = HOW.body(ModelRequest((*rules, USER, answer(text="Yes?"), rules[1], USER, USER)))
    assert body["instructions"] == "Be brief.\n\nBe kind."
    hi = {"type": "input_text", "text": "Hi"}
    assert body["input"] == [
        {"type": "message", "role": "user", "content": [hi]},
        output("Yes?"),
        {"type": "message", "role": "system", "content": [{"type": "input_text", "text": "Be kind."}]},
        {"type": "message", "role": "user", "content": [hi, hi]},
    ]


def test_rules_alone_are_the_input() -> None:
    body = HOW.body(ModelRequest((Message.system("Be brief.", "rules"),)))
    assert "instructions" not in body
    assert body["input"] == [
        {"type": "message", "role": "system", "content": [{"type": "input_text", "text": "Be brief."}]}
    ]


@pytest.mark.parametrize(
    "metadata",
    [
        {"provider": "other", "model": "m-1", "item": SEALED},
        {"provider": "acme", "model": "m-2", "item": SEALED},
        {**OWN, "item": {"id": "rs_1", "summary": SUMMED}},
        {**OWN, "signature": "of another dialect"},
        {**OWN, "field": "reasoning_content"},
    ],
)
def test_reasoning_that_the_server_could_not_read_stays_here(metadata: dict[str, object]) -> None:
    message = answer(ToolCall("call_1", "one", "{}"), reasoning=(Reasoning("Hm", metadata),))
    sent = items_of(USER, message, result())
    assert isinstance(sent, list)
    assert [item["type"] for item in sent] == ["message", "function_call", "function_call_output"]


def test_reasoning_that_led_to_nothing_stays_here() -> None:
    cut = answer(text="So", reasoning=(Reasoning("Hm", {**OWN, "text_before": 2, "item": SEALED}),))
    assert items_of(USER, cut, USER)[1:2] == [output("So")]  # type: ignore[index]
    assert "rs_1" not in json.dumps(items_of(USER, cut, USER))


def test_what_settings_add_wins_and_an_effort_leaves_the_summary() -> None:
    extra = {"reasoning": {"effort": "high"}, "store": True, "stream": False}
    body = OpenAIResponses("acme", "m-1", extra).body(ModelRequest((USER,), max_output_tokens=3))
    assert (body["reasoning"], body["store"], body["stream"]) == ({"summary": "auto", "effort": "high"}, True, True)
    assert body["max_output_tokens"] == 16
    off = OpenAIResponses("acme", "m-1", {"reasoning": {"summary": "detailed"}}).body(ModelRequest((USER,)))
    assert off["reasoning"] == {"summary": "detailed"}

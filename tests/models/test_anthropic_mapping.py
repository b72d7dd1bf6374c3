"""The Messages API without HTTP: request → body, event → events, for what servers and histories really hold."""

from __future__ import annotations

import json

import pytest

from motet.errors import ModelErrorKind
from motet.messages import Message, Reasoning, Role, Text, ToolCall, ToolResult
from motet.models import Completed, ModelRequest, ReasoningDelta, TextDelta, ToolCallDelta, ToolDefinition, Usage
from motet.models.providers.anthropic import AnthropicMessages
from motet.models.providers.dialect import AnswerFault

HOW = AnthropicMessages("anthropic", "m-1", 4_096, new_call_id=lambda: "made_up")
TOOL = ToolDefinition("one", "Does one.", {"type": "object"})


def messages_of(*messages: Message, how: AnthropicMessages = HOW) -> object:
    """The messages on the wire, without what is added where the user does not speak first and last."""
    wire = how.body(ModelRequest(messages, (TOOL,)))["messages"]
    assert isinstance(wire, list)
    first, last = (message.role is Role.ASSISTANT for message in (messages[0], messages[-1]))
    return wire[first : len(wire) - last]


def play(*events: dict[str, object]) -> tuple[list[object], Completed]:
    decoder = HOW.decoder()
    seen = [event for data in events for event in decoder.feed(json.dumps(data))]
    return seen, decoder.complete()


def started(block: dict[str, object], index: int = 0) -> dict[str, object]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(change: dict[str, object], index: int = 0) -> dict[str, object]:
    return {"type": "content_block_delta", "index": index, "delta": change}


def ended(reason: str, **usage: int) -> dict[str, object]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}


def test_results_of_several_calls_and_what_the_user_says_next_are_one_turn() -> None:
    calls = (ToolCall("id_1", "one", '{"n": 1}'), ToolCall("id_2", "one", "{}"))
    assert messages_of(
        Message.user("Go"),
        Message(Role.ASSISTANT, (Text("Sure."),), calls=calls),
        Message.tool(ToolResult("id_1", "one"), "fine", "tool_output"),
        Message.tool(ToolResult("id_2", "one", is_error=True), "", "tool_output"),
        Message.user("And now?"),
    ) == [
        {"role": "user", "content": [{"type": "text", "text": "Go"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Sure."},
                {"type": "tool_use", "id": "id_1", "name": "one", "input": {"n": 1}},
                {"type": "tool_use", "id": "id_2", "name": "one", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "id_1", "content": "fine"},
                {"type": "tool_result", "tool_use_id": "id_2", "is_error": True},
                {"type": "text", "text": "And now?"},
            ],
        },
    ]


def test_the_user_speaks_first_and_last() -> None:
    said = Message(Role.ASSISTANT, (Text("Half an"),))
    assert HOW.body(ModelRequest((said,)))["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "(The beginning of the conversation is left out.)"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Half an"}]},
        {"role": "user", "content": [{"type": "text", "text": "Go on."}]},
    ]


def test_reasoning_without_a_signature_stays_here() -> None:
    reasoning = Reasoning("Hm", {"provider": "anthropic", "model": "m-1", "signature": ""})
    said = Message(Role.ASSISTANT, (Text("Sure."),), (reasoning,))
    assert messages_of(said) == [{"role": "assistant", "content": [{"type": "text", "text": "Sure."}]}]


def test_each_part_is_a_block_and_blank_ones_are_left_out() -> None:
    assert messages_of(Message.user("a file", "  \n", "a question")) == [
        {"role": "user", "content": [{"type": "text", "text": "a file"}, {"type": "text", "text": "a question"}]}
    ]


def test_an_answer_that_said_nothing_is_left_out() -> None:
    thought = Reasoning("Hm", {"provider": "anthropic", "model": "m-1", "signature": "s"})
    history = (Message.user("Hi"), Message(Role.ASSISTANT, reasoning=(thought,)), Message.user("Hello?"))
    assert messages_of(*history) == [
        {"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "text", "text": "Hello?"}]}
    ]


@pytest.mark.parametrize("bad", ["", "{oops", "[1]", '"x"', "NaN", "[" * 100_000])
def test_arguments_that_are_no_object_are_wrapped(bad: str) -> None:
    (turn,) = messages_of(Message(Role.ASSISTANT, calls=(ToolCall("id_1", "one", bad),)))
    assert turn["content"][0]["input"] == ({"invalid_json": bad} if bad else {})


def test_ids_that_the_api_does_not_take_are_replaced_the_same_way_in_call_and_result() -> None:
    odd = "functions.one:0 " + "x" * 80
    turns = messages_of(
        Message(Role.ASSISTANT, calls=(ToolCall(odd, "one", "{}"),)),
        Message.tool(ToolResult(odd, "one"), "ok", "tool_output"),
    )
    call_id, result_id = turns[0]["content"][0]["id"], turns[1]["content"][0]["tool_use_id"]
    assert call_id == result_id
    assert len(call_id) == 9 and call_id.isalnum()


@pytest.mark.parametrize(
    "metadata",
    [
        {"provider": "openai", "model": "m-1", "signature": "s"},
        {"provider": "anthropic", "model": "m-2", "signature": "s"},
        {"signature": "s"},
    ],
)
def test_reasoning_of_another_model_is_not_given_to_this_one(metadata: dict[str, object]) -> None:
    said = Message(Role.ASSISTANT, (Text("Sure."),), (Reasoning("Hm", metadata),))
    assert messages_of(said) == [{"role": "assistant", "content": [{"type": "text", "text": "Sure."}]}]


def test_reasoning_between_text_and_calls_comes_back_in_its_place() -> None:
    seen, completed = play(
        started({"type": "thinking", "thinking": "", "signature": ""}),
        delta({"type": "thinking_delta", "thinking": "first"}),
        delta({"type": "signature_delta", "signature": "s"}),
        delta({"type": "signature_delta", "signature": "1"}),
        started({"type": "text", "text": ""}, 1),
        delta({"type": "text_delta", "text": "Let me see."}, 1),
        started({"type": "tool_use", "id": "id_1", "name": "one", "input": {}}, 2),
        delta({"type": "input_json_delta", "partial_json": "{}"}, 2),
        started({"type": "redacted_thinking", "data": "xyz"}, 3),
        started({"type": "tool_use", "id": "id_2", "name": "one", "input": {}}, 4),
        ended("tool_use"),
    )
    assert seen[0] == ReasoningDelta("first")
    said = Message(Role.ASSISTANT, (Text("Let me see."),), completed.reasoning, completed.calls)
    (turn,) = messages_of(said)
    assert turn["content"] == [
        {"type": "thinking", "thinking": "first", "signature": "s1"},
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "id_1", "name": "one", "input": {}},
        {"type": "redacted_thinking", "data": "xyz"},
        {"type": "tool_use", "id": "id_2", "name": "one", "input": {}},
    ]


def test_reasoning_without_text_keeps_its_signature() -> None:
    _, completed = play(
        started({"type": "thinking", "thinking": "", "signature": "whole"}),
        started({"type": "text", "text": "Hi"}, 1),
        ended("end_turn"),
    )
    assert [(part.text, part.provider_metadata["signature"]) for part in completed.reasoning] == [("", "whole")]


def test_arguments_that_come_whole_at_the_start_of_a_call_are_taken() -> None:
    seen, completed = play(
        started({"type": "tool_use", "id": "id_1", "name": "one", "input": {"n": 1}}),
        {"type": "content_block_stop", "index": 0},
        ended("tool_use"),
    )
    assert seen == [ToolCallDelta(0, "", "id_1", "one"), ToolCallDelta(0, '{"n": 1}')]
    assert completed.calls == (ToolCall("id_1", "one", '{"n": 1}'),)


def test_a_call_without_arguments_has_an_empty_object() -> None:
    _, completed = play(started({"type": "tool_use", "id": "id_1", "name": "one", "input": {}}), ended("tool_use"))
    assert completed.calls == (ToolCall("id_1", "one", "{}"),)


def test_cached_tokens_are_part_of_the_input_and_later_counts_win() -> None:
    counts = {
        "input_tokens": 10,
        "cache_read_input_tokens": 70,
        "cache_creation_input_tokens": 20,
        "output_tokens": 1,
    }
    _, completed = play(
        {"type": "message_start", "message": {"usage": counts}},
        ended("end_turn", output_tokens=33, input_tokens=0),
    )
    assert completed.usage == Usage(input=100, output=33, cached_input=70)


@pytest.mark.parametrize(
    ("reason", "expected"),
    [("end_turn", "stop"), ("stop_sequence", "stop"), ("max_tokens", "length"), ("pause_turn", "stop"),
     ("model_context_window_exceeded", "length")],
)  # fmt: skip
def test_reasons_to_stop_have_one_name_each(reason: str, expected: str) -> None:
    assert play(ended(reason))[1].reason == expected


def test_a_refusal_is_a_fault() -> None:
    with pytest.raises(AnswerFault) as caught:
        play(ended("refusal"))
    assert caught.value.kind is ModelErrorKind.REFUSED


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"type": "overloaded_error", "message": "Overloaded"}, ModelErrorKind.OVERLOADED),
        ({"type": "api_error", "message": "Internal server error"}, ModelErrorKind.OVERLOADED),
        ({"type": "rate_limit_error", "message": "slow down"}, ModelErrorKind.OVERLOADED),
        ({"type": "authentication_error", "message": "invalid x-api-key"}, ModelErrorKind.AUTH),
        ({"type": "invalid_request_error", "message": "prompt is too long"}, ModelErrorKind.CONTEXT_TOO_LONG),
        ({"type": "invalid_request_error", "message": "bad field"}, ModelErrorKind.REFUSED),
    ],
)
def test_errors_inside_a_stream_have_a_kind(error: dict[str, object], kind: ModelErrorKind) -> None:
    with pytest.raises(AnswerFault) as caught:
        play({"type": "error", "error": error})
    assert (caught.value.kind, caught.value.detail) == (kind, error["message"])


def test_what_is_not_known_is_passed_over() -> None:
    seen, completed = play(
        {"type": "ping"},
        {"type": "something_new", "index": "x"},
        started({"type": "server_tool_use", "id": "s", "name": "search"}, 0),
        delta({"type": "input_json_delta", "partial_json": "{}"}, 0),
        delta({"type": "citations_delta", "citation": {}}, 7),
        {"type": "content_block_delta", "index": 9, "delta": None},
        started({"type": "text", "text": ""}, 1),
        delta({"type": "text_delta", "text": None}, 1),
        delta({"type": "text_delta", "text": "x"}, 1),
        ended("end_turn"),
    )
    assert seen == [TextDelta("x")]
    assert completed == Completed("stop")


@pytest.mark.parametrize("data", ["", "{", "[]", "null", "[" * 100_000, '"\ud800"', '{"a":' * 100_000])
def test_data_that_is_no_object_is_a_fault(data: str) -> None:
    with pytest.raises(AnswerFault):
        list(HOW.decoder().feed(data))


def test_fields_of_the_users_own_go_into_the_body_but_cannot_stop_the_stream() -> None:
    extra = {"thinking": {"type": "adaptive"}, "stream": False, "max_tokens": 99}
    body = AnthropicMessages("anthropic", "m-1", 4_096, extra).body(ModelRequest((Message.user("Hi"),)))
    assert (body["thinking"], body["stream"], body["max_tokens"]) == ({"type": "adaptive"}, True, 99)


def test_the_cap_is_that_of_the_model_when_the_request_names_none() -> None:
    assert HOW.body(ModelRequest((Message.user("Hi"),)))["max_tokens"] == 4_096

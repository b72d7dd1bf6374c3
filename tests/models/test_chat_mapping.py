"""Chat completions without HTTP: request → body, event → events, for what servers and histories really hold."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.errors import ModelErrorKind
from motet.messages import Message, Reasoning, Role, Text, ToolCall, ToolResult
from motet.models import Completed, ModelRequest, ReasoningDelta, TextDelta, ToolCallDelta, ToolDefinition, Usage
from motet.models.providers.chat_decoder import ChatDecoder
from motet.models.providers.dialect import AnswerFault
from motet.models.providers.openai_compatible import ChatCompletions
from motet.models.providers.pieces import CallCollector

HOW = ChatCompletions("acme", "m-1")
TOOL = ToolDefinition("one", "Does one.", {"type": "object"})


def messages_of(*messages: Message, how: ChatCompletions = HOW) -> object:
    return how.body(ModelRequest(messages, (TOOL,)))["messages"]


def decoder() -> ChatDecoder:
    numbers = iter(range(1, 100))
    return ChatDecoder("acme", "m-1", CallCollector(lambda: f"new_{next(numbers)}"))


def play(*chunks: dict[str, object]) -> tuple[list[object], Completed]:
    running = decoder()
    seen = [event for chunk in chunks for event in running.feed(json.dumps(chunk))]
    return seen, running.complete()


def said(delta: dict[str, object], finish: str | None = None) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def fragment(**fields: object) -> dict[str, object]:
    function = {name: fields.pop(name) for name in ("name", "arguments") if name in fields}
    return said({"tool_calls": [{**fields, "function": function}]})


def calls_of(*chunks: dict[str, object]) -> list[tuple[str, str, str]]:
    return [(call.id, call.name, call.arguments) for call in play(*chunks, said({}, "tool_calls"))[1].calls]


def test_messages_of_one_role_in_a_row_are_one() -> None:
    history = [
        Message.system("Be brief.", "rules"),
        Message.system("Be kind.", "rules"),
        Message.user("a", "b"),
        Message.user("c"),
    ]
    assert messages_of(*history) == [
        {"role": "system", "content": "Be brief.\n\nBe kind."},
        {"role": "user", "content": "a\n\nb\n\nc"},
    ]


def test_calls_and_results_are_told_as_the_protocol_wants() -> None:
    assert messages_of(
        Message(Role.ASSISTANT, (Text("Sure."),), calls=(ToolCall("id_1", "one", '{"n":1}'),)),
        Message.tool(ToolResult("id_1", "one"), "fine", "tool_output"),
    ) == [
        {
            "role": "assistant",
            "content": "Sure.",
            "tool_calls": [{"id": "id_1", "type": "function", "function": {"name": "one", "arguments": '{"n":1}'}}],
        },
        {"role": "tool", "tool_call_id": "id_1", "content": "fine"},
    ]


@pytest.mark.parametrize("bad", ["{oops", "[1]", "NaN"])
def test_arguments_that_are_no_object_are_wrapped(bad: str) -> None:
    (message,) = messages_of(Message(Role.ASSISTANT, calls=(ToolCall("id_1", "one", bad),)))
    assert json.loads(message["tool_calls"][0]["function"]["arguments"]) == {"invalid_json": bad}


def test_a_strict_server_gets_short_ids_and_never_a_user_right_after_a_tool() -> None:
    strict = replace(HOW, strict_history=True)
    history = [
        Message(Role.ASSISTANT, calls=(ToolCall("call_long_id", "one", "{}"), ToolCall("abcDEF123", "one", "{}"))),
        Message.tool(ToolResult("call_long_id", "one"), "x", "tool_output"),
        Message.tool(ToolResult("abcDEF123", "one"), "y", "tool_output"),
        Message.user("Go on"),
    ]
    wire = messages_of(*history, how=strict)
    ids = [call["id"] for call in wire[0]["tool_calls"]]
    assert ids == [wire[1]["tool_call_id"], "abcDEF123"]
    assert len(ids[0]) == 9
    assert [message["role"] for message in wire] == ["assistant", "tool", "tool", "assistant", "user"]


def test_reasoning_goes_back_only_with_calls_and_only_to_its_own_model() -> None:
    own = Reasoning("Hm", {"provider": "acme", "model": "m-1", "field": "reasoning_content"})
    other = Reasoning("Uh", {"provider": "acme", "model": "m-2", "field": "reasoning_content"})
    call = ToolCall("id_1", "one", "{}")
    wire = messages_of(
        Message(Role.ASSISTANT, (Text("No call."),), (own,)),
        Message(Role.ASSISTANT, reasoning=(other,), calls=(call,)),
        Message.tool(ToolResult("id_1", "one"), "x", "tool_output"),
        Message(Role.ASSISTANT, reasoning=(own,), calls=(call,)),
    )
    assert [message.get("reasoning_content") for message in wire] == [None, None, None, "Hm"]


def test_signatures_on_calls_and_details_of_reasoning_go_back_as_they_came() -> None:
    signature = {"google": {"thought_signature": "sig"}}
    chunks = [
        said({"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "a"}]}),
        said({"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "b", "signature": "s"}]}),
        said({"reasoning_details": [{"type": "reasoning.encrypted", "index": 1, "data": "xyz"}]}),
        said(
            {
                "tool_calls": [
                    {"id": "id_1", "function": {"name": "one", "arguments": "{}"}, "extra_content": signature}
                ]
            }
        ),
    ]
    _, completed = play(*chunks, said({}, "tool_calls"))
    (wire,) = messages_of(Message(Role.ASSISTANT, reasoning=completed.reasoning, calls=completed.calls))
    assert wire["tool_calls"][0]["extra_content"] == signature
    assert wire["reasoning_details"] == [
        {"type": "reasoning.text", "index": 0, "text": "ab", "signature": "s"},
        {"type": "reasoning.encrypted", "index": 1, "data": "xyz"},
    ]


ONE = ("id_1", "one", '{"n":1}')
TWO = ("id_2", "two", '{"n":2}')
STREAMS = {
    "as the protocol says": [
        fragment(index=0, id="id_1", name="one", arguments=""),
        fragment(index=0, arguments='{"n"'),
        fragment(index=0, arguments=":1}"),
        fragment(index=1, id="id_2", name="two", arguments='{"n":'),
        fragment(index=1, arguments="2}"),
    ],
    "in turns": [
        fragment(index=0, id="id_1", name="one", arguments='{"n"'),
        fragment(index=1, id="id_2", name="two", arguments='{"n":'),
        fragment(index=0, arguments=":1}"),
        fragment(index=1, arguments="2}"),
    ],
    "one index for all, whole": [
        fragment(index=0, id="id_1", name="one", arguments='{"n":1}'),
        fragment(index=0, id="id_2", name="two", arguments='{"n":2}'),
    ],
    "one index for all, in pieces with ids": [
        fragment(index=0, id="id_1", name="one", arguments='{"n"'),
        fragment(index=0, id="id_1", arguments=":1}"),
        fragment(index=0, id="id_2", name="two", arguments='{"n":'),
        fragment(index=0, id="id_2", arguments="2}"),
    ],
    "no index": [
        fragment(id="id_1", name="one", arguments='{"n"'),
        fragment(arguments=":1}"),
        fragment(id="id_2", name="two", arguments='{"n":2}'),
    ],
    "id and name in every piece": [
        fragment(index=0, id="id_1", name="one", arguments='{"n"'),
        fragment(index=0, id="id_1", name="one", arguments=":1}"),
        fragment(index=1, id="id_2", name="two", arguments='{"n":'),
        fragment(index=1, id="id_2", name="two", arguments="2}"),
    ],
    "empty id and null name in later pieces": [
        fragment(index=0, id="id_1", name="one", arguments='{"n"'),
        fragment(index=0, id="", name=None, arguments=":1}"),
        fragment(index=1, id="id_2", name="two", arguments='{"n":2}'),
    ],
    "the name after the id": [
        fragment(index=0, id="id_1", arguments=""),
        fragment(index=0, name="one", arguments='{"n":1}'),
        fragment(index=1, id="id_2", name="two", arguments='{"n":2}'),
    ],
    "arguments as an object": [
        fragment(index=0, id="id_1", name="one", arguments={"n": 1}),
        fragment(index=1, id="id_2", name="two", arguments='{"n":2}'),
    ],
}


@pytest.mark.parametrize("how", STREAMS)
def test_pieces_of_calls_find_each_other_however_a_server_labels_them(how: str) -> None:
    assert [(*call[:2], json.loads(call[2])) for call in calls_of(*STREAMS[how])] == [
        (*ONE[:2], {"n": 1}),
        (*TWO[:2], {"n": 2}),
    ]


def test_calls_without_ids_get_their_own() -> None:
    whole = [fragment(index=0, name="one", arguments='{"n":1}'), fragment(index=0, name="one", arguments='{"n":2}')]
    assert calls_of(*whole) == [("new_1", "one", '{"n":1}'), ("new_2", "one", '{"n":2}')]
    nameless = [fragment(name="one", arguments='{"n":1}'), fragment(name="one", arguments='{"n":2}')]
    assert calls_of(*nameless) == [("new_1", "one", '{"n":1}'), ("new_2", "one", '{"n":2}')]


def test_two_calls_with_the_same_id_get_two_ids() -> None:
    same = [
        fragment(index=0, id="x", name="one", arguments="{}"),
        fragment(index=1, id="x", name="two", arguments="{}"),
    ]
    assert calls_of(*same) == [("x", "one", "{}"), ("new_1", "two", "{}")]


def test_the_first_piece_of_a_call_carries_id_and_name() -> None:
    seen, _ = play(
        fragment(index=3, name="one", arguments='{"n"'), fragment(index=3, arguments=":1}"), said({}, "stop")
    )
    assert seen == [ToolCallDelta(0, '{"n"', "new_1", "one"), ToolCallDelta(0, ":1}")]


def test_a_call_without_a_name_is_a_fault() -> None:
    with pytest.raises(AnswerFault) as caught:
        play(fragment(index=0, id="id_1", arguments="{}"), said({}, "stop"))
    assert caught.value.kind is ModelErrorKind.BAD_RESPONSE


@pytest.mark.parametrize(
    ("finish", "chunk", "expected"),
    [
        ("stop", fragment(index=0, id="i", name="one", arguments="{}"), "tool_calls"),
        ("tool_calls", said({"content": "x"}), "stop"),
        ("STOP", said({"content": "x"}), "stop"),
        ("eos", said({"content": "x"}), "stop"),
        ("length", said({"content": "x"}), "length"),
        ("model_length", said({"content": "x"}), "length"),
    ],
)
def test_the_reason_is_what_the_answer_holds_not_what_the_server_calls_it(finish, chunk, expected) -> None:
    assert play(chunk, said({}, finish))[1].reason == expected


@pytest.mark.parametrize(
    ("finish", "kind"),
    [("content_filter", ModelErrorKind.REFUSED), ("insufficient_system_resource", ModelErrorKind.OVERLOADED)],
)
def test_some_reasons_are_faults(finish: str, kind: ModelErrorKind) -> None:
    with pytest.raises(AnswerFault) as caught:
        play(said({"content": "x"}), said({}, finish))
    assert caught.value.kind is kind


def test_content_may_be_a_list_of_parts() -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]},
        {"type": "text", "text": "Hello"},
        {"type": "image"},
    ]
    seen, _ = play(said({"content": parts}), said({}, "stop"))
    assert seen == [ReasoningDelta("Hm"), TextDelta("Hello")]


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}, Usage(10, 5)),
        ({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 40}, Usage(10, 30)),
        (
            {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4}},
            Usage(10, 5, 4),
        ),
        ({"prompt_tokens": 10, "completion_tokens": 5, "prompt_cache_hit_tokens": 9}, Usage(10, 5, 9)),
        ({"prompt_tokens": 1, "prompt_tokens_details": {"cached_tokens": 9}}, Usage(1, 0, 1)),
        ({"prompt_tokens": "x", "completion_tokens": -3, "total_tokens": None}, Usage()),
        (None, Usage()),
    ],
)
def test_tokens_are_counted_whoever_reports_them(usage: object, expected: Usage) -> None:
    assert play({"choices": [], "usage": usage}, said({}, "stop"))[1].usage == expected


def test_tokens_may_be_reported_beside_or_again_and_again() -> None:
    beside = {"choices": [], "x_groq": {"usage": {"prompt_tokens": 3, "completion_tokens": 2}}}
    assert play(said({}, "stop"), beside)[1].usage == Usage(3, 2)
    growing = [{**said({"content": "x"}), "usage": {"prompt_tokens": 3, "completion_tokens": n}} for n in (1, 2, 3)]
    assert play(*growing, said({}, "stop"))[1].usage == Usage(3, 3)


def test_halves_of_characters_are_joined_and_single_ones_are_replaced() -> None:
    halves = [said({"content": "a\ud83d"}), said({"content": "\ude00b"}), said({"content": "\ude00!"})]
    seen, _ = play(*halves, said({}, "stop"))
    assert seen == [TextDelta("a"), TextDelta("😀b"), TextDelta("\ufffd!")]
    arguments = [fragment(index=0, id="i", name="one", arguments='"\ud83d'), fragment(index=0, arguments='\ude00"')]
    assert calls_of(*arguments) == [("i", "one", '"😀"')]


@pytest.mark.parametrize(
    ("chunk", "kind", "words"),
    [
        ({"error": {"message": "Overloaded", "code": 502}}, ModelErrorKind.OVERLOADED, "Overloaded"),
        ({"error": "out of memory"}, ModelErrorKind.OVERLOADED, "out of memory"),
        (
            {"object": "error", "message": "maximum context length is 9", "code": 400},
            ModelErrorKind.CONTEXT_TOO_LONG,
            "maximum context length is 9",
        ),
        ({"error": {"message": "no credits", "code": 402}}, ModelErrorKind.QUOTA, "no credits"),
        ({"error": {}, "object": "error"}, ModelErrorKind.OVERLOADED, "an error without a message"),
    ],
)
def test_errors_inside_a_stream_have_a_kind_and_words(chunk, kind, words) -> None:
    with pytest.raises(AnswerFault) as caught:
        play(chunk)
    assert (caught.value.kind, caught.value.detail) == (kind, words)


def test_what_is_not_known_is_passed_over() -> None:
    odd: list[dict[str, object]] = [
        {},
        {"choices": None},
        {"choices": ["x"]},
        {"choices": [{"delta": None}]},
        {"choices": [{"delta": {"content": None, "tool_calls": None, "new": 1}}]},
        {"choices": [{"delta": {"content": "a"}}, {"delta": {"content": "second choice"}}]},
    ]
    assert play(*odd, said({}, "stop")) == ([TextDelta("a")], Completed("stop"))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(
            ["choices", "delta", "content", "tool_calls", "function", "name", "arguments", "index", "id", "usage",
             "finish_reason", "reasoning", "reasoning_details", "extra_content", "error", "type", "text"]
        ),
        inner, max_size=6,
    ),
    max_leaves=20,
)  # fmt: skip


@given(st.lists(json_values, max_size=6))
def test_no_json_whatever_makes_the_decoder_stumble(values: list[object]) -> None:
    running = decoder()
    try:
        for value in values:
            for _ in running.feed(json.dumps({"choices": value} if isinstance(value, list) else value)):
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


def test_a_done_marker_alone_ends_an_answer() -> None:
    running = decoder()
    list(running.feed(json.dumps(said({"content": "x"}))))
    assert not running.finished
    list(running.feed(" [DONE] "))
    assert running.finished and running.closed
    assert running.complete() == Completed("stop")

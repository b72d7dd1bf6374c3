"""Whole answers over real HTTP, in all dialects: exact events, however the bytes are cut."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from models.conftest import on_the_wire

from motet.messages import Message, Reasoning, Role, ToolResult
from motet.models import (
    Completed,
    ModelRequest,
    ReasoningDelta,
    TextDelta,
    ToolCallDelta,
    Usage,
)
from motet.models.providers.openai_compatible import ChatCompletions
from motet.models.scripted import Answer, HttpError, ScriptedRequest, ScriptedServer, Wire, call


@pytest.mark.acceptance("S3-040", "S0-032", "S0-059", "S0-060")
async def test_text_streams_and_ends_in_one_completed(connect, question, dialect) -> None:
    script = [Answer("Hello, 世界 🎉", usage=Usage(120, 30, 20), wire=Wire(text_chars=6))]
    async with ScriptedServer(script) as server:
        events = await connect(server, dialect).ask(question)
    assert events == [
        TextDelta("Hello,"),
        TextDelta(" 世界 🎉"),
        Completed("stop", usage=Usage(120, 30, 20)),
    ]


@pytest.mark.acceptance("S0-056", "S0-057")
async def test_the_request_that_arrives_has_the_roles_of_the_provider_and_the_key_in_its_header(
    connect, question, own_dialect
) -> None:
    async with ScriptedServer([Answer("x")]) as server:
        await connect(server, own_dialect).ask(question)
    (request,) = server.requests
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    if own_dialect == "anthropic":
        assert request.target == "/v1/messages"
        assert request.headers["x-api-key"] == "sk-canary-0123456789abcdef"
        assert request.headers["anthropic-version"] == "2023-06-01"
        assert request.body == {
            "model": "m-1",
            "max_tokens": 1000,
            "system": [{"type": "text", "text": "Be brief."}],
            "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}],
            "tools": [{"name": "replace_in_file", "description": "Replace text in a file.", "input_schema": schema}],
            "stream": True,
        }
        return
    if own_dialect == "openai-responses":
        assert request.target == "/v1/responses"
        assert request.headers["authorization"] == "Bearer sk-canary-0123456789abcdef"
        function = {"name": "replace_in_file", "description": "Replace text in a file.", "parameters": schema}
        assert request.body == {
            "model": "m-1",
            "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]}],
            "store": False,
            "instructions": "Be brief.",
            "include": ["reasoning.encrypted_content"],
            "reasoning": {"summary": "auto"},
            "max_output_tokens": 1000,
            "tools": [{"type": "function", **function, "strict": False}],
            "stream": True,
        }
        return
    assert request.target == "/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer sk-canary-0123456789abcdef"
    assert request.body == {
        "model": "m-1",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
        "stream_options": {"include_usage": True},
        "max_tokens": 1000,
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "replace_in_file",
                    "description": "Replace text in a file.",
                    "parameters": schema,
                },
            }
        ],
        "stream": True,
    }


async def test_several_calls_come_as_deltas_and_whole_at_the_end(connect, question, dialect) -> None:
    calls = (call("one", {"path": "a.py"}, "id_1"), call("two", '{"deep": {"日本": [1, "}"]}}', "id_2"))
    async with ScriptedServer([Answer("Look:", calls=calls, wire=Wire(argument_chars=9))]) as server:
        events = await connect(server, dialect).ask(question)
    assert events == [
        TextDelta("Look:"),
        ToolCallDelta(0, "", "id_1", "one"),
        ToolCallDelta(0, '{"path": '),
        ToolCallDelta(0, '"a.py"}'),
        ToolCallDelta(1, "", "id_2", "two"),
        ToolCallDelta(1, '{"deep": '),
        ToolCallDelta(1, '{"日本": [1'),
        ToolCallDelta(1, ', "}"]}}'),
        Completed("tool_calls", calls, usage=Usage(100, 20)),
    ]


async def test_reasoning_of_anthropic_goes_back_with_its_signature_and_before_the_call(connect, question) -> None:
    answer = Answer("Sure.", "Let me think", "sig==", (call("one", {"path": "a"}, "id_1"),))
    async with ScriptedServer([answer, Answer("Done")]) as server:
        connected = connect(server, "anthropic")
        events = await connected.ask(question)
        completed = events[-1]
        assert isinstance(completed, Completed)
        said = Message.user("Sure.").parts
        assistant = Message(role=Role.ASSISTANT, parts=said, reasoning=completed.reasoning, calls=completed.calls)
        await connected.ask(ModelRequest((*question.messages, assistant, tool_result()), question.tools))
    assert events[0] == ReasoningDelta("Let me think")
    place = {"provider": "acme", "model": "m-1", "text_before": 0, "calls_before": 0}
    assert completed.reasoning == (Reasoning("Let me think", {**place, "signature": "sig=="}),)
    assert server.requests[1].body["messages"][1:] == [
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Let me think", "signature": "sig=="},
                {"type": "text", "text": "Sure."},
                {"type": "tool_use", "id": "id_1", "name": "one", "input": {"path": "a"}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "id_1", "content": "ok"}]},
    ]


async def test_reasoning_of_responses_goes_back_encrypted_and_before_the_call(connect, question) -> None:
    answer = Answer("Sure.", "Let me think", "gAAA==", (call("one", {"path": "a"}, "id_1"),))
    async with ScriptedServer([answer, Answer("Done")]) as server:
        connected = connect(server, "openai-responses")
        events = await connected.ask(question)
        completed = events[-1]
        assert isinstance(completed, Completed)
        said = Message.user("Sure.").parts
        assistant = Message(role=Role.ASSISTANT, parts=said, reasoning=completed.reasoning, calls=completed.calls)
        await connected.ask(ModelRequest((*question.messages, assistant, tool_result()), question.tools))
    assert events[0] == ReasoningDelta("Let me think")
    item = {
        "id": "rs_scripted",
        "summary": [{"type": "summary_text", "text": "Let me think"}],
        "encrypted_content": "gAAA==",
    }
    place = {"provider": "acme", "model": "m-1", "text_before": 0, "calls_before": 0}
    assert completed.reasoning == (Reasoning("Let me think", {**place, "item": item}),)
    assert server.requests[1].body["input"][1:] == [
        {"type": "reasoning", **item},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Sure.", "annotations": []}],
        },
        {"type": "function_call", "call_id": "id_1", "name": "one", "arguments": '{"path": "a"}'},
        {"type": "function_call_output", "call_id": "id_1", "output": "ok"},
    ]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_of_compatible_servers_streams_and_goes_back_in_its_own_field(
    connect, question, field
) -> None:
    calls = (call("one", {}, "id_1"),)
    script = [Answer(reasoning="Hm, 日本", calls=calls, wire=Wire(reasoning_field=field)), Answer("Done")]
    async with ScriptedServer(script) as server:
        connected = connect(server)
        events = await connected.ask(question)
        completed = events[-1]
        assert isinstance(completed, Completed)
        assistant = Message(role=Role.ASSISTANT, reasoning=completed.reasoning, calls=completed.calls)
        await connected.ask(ModelRequest((*question.messages, assistant, tool_result()), question.tools))
    assert events[0] == ReasoningDelta("Hm, 日本")
    assert server.requests[1].body["messages"][2] == {
        "role": "assistant",
        "content": None,
        field: "Hm, 日本",
        "tool_calls": [{"id": "id_1", "type": "function", "function": {"name": "one", "arguments": "{}"}}],
    }


@pytest.mark.parametrize(
    "wire",
    [
        Wire(crlf=True),
        Wire(comments=True),
        Wire(crlf=True, comments=True, piece_bytes=1),
        Wire(piece_bytes=7),
        Wire(end_marker=False),
    ],
    ids=lambda wire: ",".join(f"{name}" for name in Wire.__slots__ if getattr(wire, name) != getattr(Wire(), name)),
)
async def test_every_dialect_of_server_sent_events_gives_the_same_answer(connect, question, dialect, wire) -> None:
    async with ScriptedServer([Answer("日本語 🎉", wire=wire)]) as server:
        events = await connect(server, dialect).ask(question)
    assert events == [TextDelta("日本語 🎉"), Completed("stop", usage=Usage(100, 20))]


@pytest.mark.parametrize("cut", ["close", "rst", "end"])
async def test_a_connection_that_breaks_after_the_reason_to_finish_does_no_harm(
    connect, question, dialect, cut
) -> None:
    events_before = {"anthropic": 5, "openai": 4, "openai-responses": 5}[on_the_wire(dialect)]
    wire = Wire(end_marker=False, cut_after=events_before, cut=cut)
    async with ScriptedServer([Answer("Hello", wire=wire)]) as server:
        events = await connect(server, dialect).ask(question)
    assert events == [TextDelta("Hello"), Completed("stop", usage=Usage(100, 20))]


async def test_a_server_that_never_closes_after_the_reason_to_finish_is_not_waited_for(
    connect, question, dialect
) -> None:
    events_before = {"anthropic": 5, "openai": 4, "openai-responses": 5}[on_the_wire(dialect)]
    async with ScriptedServer([Answer("Hello", wire=Wire(stall_after=events_before))]) as server:
        async with asyncio.timeout(20):
            events = await connect(server, dialect).ask(question)
    assert events == [TextDelta("Hello"), Completed("stop", usage=Usage(100, 20))]


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    text=st.text(min_size=1, max_size=40).filter(lambda text: text.strip()),
    arguments=st.dictionaries(st.text(max_size=8), st.text(max_size=20), max_size=3),
    wire=st.builds(
        Wire,
        piece_bytes=st.integers(1, 60),
        text_chars=st.integers(0, 5),
        argument_chars=st.integers(0, 5),
        crlf=st.booleans(),
        comments=st.booleans(),
    ),
)
def test_no_cut_changes_what_was_said(connect, question, text, arguments, wire) -> None:
    answer = Answer(text, calls=(call("one", arguments, "id_1"),), wire=wire)

    async def each() -> None:
        for dialect in ("anthropic", "openai", "openai-responses"):
            async with ScriptedServer([answer]) as server:
                events = await connect(server, dialect).ask(question)
            assert "".join(event.text for event in events if isinstance(event, TextDelta)) == text
            pieces = [event.arguments for event in events if isinstance(event, ToolCallDelta)]
            assert "".join(pieces) == answer.calls[0].arguments
            assert events[-1] == Completed("tool_calls", answer.calls, usage=Usage(100, 20))

    asyncio.run(each())


@pytest.mark.parametrize(("ids", "indexes"), [(False, True), (True, False), (False, False)])
async def test_calls_without_id_or_index_are_told_apart(connect, question, ids, indexes) -> None:
    calls = (call("one", {"n": 1}, "id_1"), call("two", {"n": 2}, "id_2"))
    wire = Wire(call_ids=ids, call_indexes=indexes, argument_chars=3)
    numbers = iter("12")
    how = ChatCompletions("acme", "m-1", new_call_id=lambda: f"id_{next(numbers)}")
    async with ScriptedServer([Answer(calls=calls, wire=wire)]) as server:
        events = await connect(server, how=how).ask(question)
    assert events[-1] == Completed("tool_calls", calls, usage=Usage(100, 20))


async def test_a_server_that_reports_no_usage_leaves_it_at_nothing(connect, question) -> None:
    async with ScriptedServer([Answer("x", wire=Wire(usage=False))]) as server:
        events = await connect(server).ask(question)
    assert events[-1] == Completed("stop")


async def test_an_answer_cut_at_its_length_says_so_and_drops_the_unfinished_call(connect, question, dialect) -> None:
    calls = (call("one", {"n": 1}, "id_1"), call("two", '{"path": "a', "id_2"))
    async with ScriptedServer([Answer(calls=calls, finish="length")]) as server:
        events = await connect(server, dialect).ask(question)
    assert events[-1] == Completed("length", calls[:1], usage=Usage(100, 20))


@pytest.mark.acceptance("SP-05", "S1-017")
async def test_a_model_without_tools_gets_a_conversation_with_calls_as_text(connect, own_dialect) -> None:
    calls = (call("one", {"n": 1}, "id_1"),)
    messages = (Message.user("Hi"), Message(Role.ASSISTANT, calls=calls), tool_result(), Message.user("Go on"))
    async with ScriptedServer([Answer("x")]) as server:
        await connect(server, own_dialect).ask(ModelRequest(messages))
    body = server.requests[0].body
    assert "tools" not in body
    said = [message["content"] for message in body["input" if own_dialect == "openai-responses" else "messages"]]
    if own_dialect != "openai":
        said = ["\n\n".join(block["text"] for block in blocks) for blocks in said]
    assert said == ["Hi", '(called one with {"n": 1})', "Result of one:\nok\n\nGo on"]


async def test_each_of_three_models_gets_its_own_requests_only(connect) -> None:
    async with (
        ScriptedServer([Answer("chat")]) as chat,
        ScriptedServer([Answer("edit")]) as edit,
        ScriptedServer([Answer("title")]) as title,
    ):
        models = {"chat": connect(chat, "anthropic"), "edit": connect(edit), "title": connect(title)}
        for name, connected in models.items():
            events = await connected.ask(ModelRequest((Message.user(f"for {name}"),)))
            assert events[0] == TextDelta(name)
    for name, server in {"chat": chat, "edit": edit, "title": title}.items():
        assert [f"for {name}" in request.text for request in server.requests] == [True]


async def test_a_stream_is_utf_8_whatever_its_header_says(connect, question) -> None:
    body = 'data: {"choices":[{"delta":{"content":"日本"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    latin = {"Content-Type": "text/event-stream; charset=ISO-8859-1"}
    async with ScriptedServer([HttpError(200, headers=latin, body=body)]) as server:
        assert await connect(server).ask(question) == [TextDelta("日本"), Completed("stop")]


async def test_two_answers_of_one_model_may_stream_at_the_same_time(connect, question) -> None:
    def by_request(request: ScriptedRequest) -> Answer:
        return Answer(json.dumps(request.body["messages"]), wire=Wire(text_chars=4))

    async with ScriptedServer(by_request) as server:
        connected = connect(server)
        requests = [ModelRequest((Message.user(f"number {number}"),)) for number in range(4)]
        answers = await asyncio.gather(*(connected.ask(request) for request in requests))
    for number, events in enumerate(answers):
        text = "".join(event.text for event in events if isinstance(event, TextDelta))
        assert json.loads(text) == [{"role": "user", "content": f"number {number}"}]


def tool_result() -> Message:
    return Message.tool(ToolResult("id_1", "one"), "ok", "tool_output")

"""What motet sends passes every rule of its providers, whatever the conversation has been through."""

from __future__ import annotations

import json
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from models.models_kit import PDF, PNG

from motet.messages import Document, Image, Message, MessageStack, Reasoning, Role, Text, ToolCall, ToolResult
from motet.models import Completed, Limits, ModelRequest, TextDelta, ToolDefinition
from motet.models.providers.anthropic import AnthropicMessages
from motet.models.providers.dialect import Dialect
from motet.models.providers.openai_compatible import ChatCompletions
from motet.models.providers.openai_responses import OpenAIResponses
from motet.models.scripted import Answer, ScriptedRequest, ScriptedServer, call
from motet.models.scripted.answers import WireDialect
from motet.models.scripted.strict import refusal

TOOL = ToolDefinition("one", "Does one.", {"type": "object"})
USER = Message.user("Hi")


def said(*calls: ToolCall, text: str = "", reasoning: tuple[Reasoning, ...] = ()) -> Message:
    return Message(Role.ASSISTANT, (Text(text),) if text else (), reasoning, calls)


def done(call_id: str = "id_1", text: str = "fine", *, error: bool = False) -> Message:
    return Message.tool(ToolResult(call_id, "one", error), text, "tool_output")


def one(call_id: str = "id_1", arguments: str = "{}") -> ToolCall:
    return ToolCall(call_id, "one", arguments)


def thought(**metadata: object) -> tuple[Reasoning, ...]:
    return (Reasoning("Hm", {"provider": "acme", "model": "m-1", **metadata}),)


SEALED = {"id": "rs_1", "summary": [], "encrypted_content": "sealed"}
OWN = thought(signature="sig", field="reasoning_content", text_before=0, calls_before=0, item=SEALED)
OTHERS = (Reasoning("Hm", {"provider": "other", "model": "m-2", "signature": "theirs", "field": "reasoning"}),)

HOWS = {
    "anthropic": [
        AnthropicMessages("acme", "m-1", 4_096),
        AnthropicMessages("acme", "m-1", 4_096, images=True, documents=True),
    ],
    "openai": [
        ChatCompletions("acme", "m-1"),
        ChatCompletions("acme", "m-1", images=True, documents=True),
        ChatCompletions("acme", "m-1", strict_history=True, images=True, output_field="max_completion_tokens"),
    ],
    "openai-responses": [
        OpenAIResponses("acme", "m-1"),
        OpenAIResponses("acme", "m-1", images=True, documents=True),
        OpenAIResponses("acme", "m-1", encrypted=False, summary=False, give_back_reasoning=False),
    ],
}
THROUGH_PYDANTIC_AI = [Limits(9_000, 100), Limits(9_000, 100, images=True, documents=True)]

CONVERSATIONS = {
    "a question": [USER],
    "a system prompt, rules in the middle and several questions": [
        Message.system("Be brief.", "rules"),
        USER,
        said(text="Yes?"),
        Message.system("Be kind.", "rules"),
        Message.user("a", " ", "b"),
        Message.user("c"),
    ],
    "blank messages of all kinds": [Message.user(" "), USER, said(), Message.user(""), said(text=" \n"), Message.user("x")],
    "calls with results": [USER, said(one(), one("id_2"), text="I look."), done(), done("id_2"), Message.user("And?")],
    "a cancelled call, repaired": [
        USER,
        said(one(), one("id_2")),
        done(),
        done("id_2", "cancelled by the human", error=True),
        Message.user("Stop that."),
    ],
    "a result that says nothing": [USER, said(one()), done(text="")],
    "arguments that are no JSON, with their refusal": [
        USER,
        said(one(arguments="{oops")),
        done(text="the arguments are no JSON", error=True),
    ],
    "arguments of nothing and of the wrong type": [USER, said(one(arguments=""), one("b", "[1]")), done(), done("b")],
    "ids that come again in each answer": [
        USER, said(one("call_0"), one("call_1")), done("call_0"), done("call_1"),
        said(one("call_0"), one("call_1")), done("call_1"), done("call_0"), said(one("call_0")), done("call_0"),
    ],
    "an id that an earlier repetition would get": [
        USER, said(one("a"), one("a_2")), done("a"), done("a_2"), said(one("a"), one("a_2")), done("a"), done("a_2"),
    ],
    "ids that are too long or strange": [USER, said(one("x" * 90), one("日本 é.")), done("x" * 90), done("日本 é.")],
    "a call of something that is no name": [
        USER,
        said(ToolCall("id_1", "rm -rf /\x1b[2J", "{}"), ToolCall("id_2", "", "{}"), ToolCall("id_3", "n" * 99, "{}")),
        done(),
        done("id_2"),
        done("id_3"),
    ],
    "own reasoning before calls": [USER, said(one(), text="So:", reasoning=OWN), done()],
    "own reasoning and no call": [USER, said(text="So.", reasoning=OWN), Message.user("And?")],
    "reasoning and nothing else": [USER, said(reasoning=OWN), Message.user("And?")],
    "reasoning and calls of another provider": [USER, said(one("toolu_1"), reasoning=OTHERS), done("toolu_1")],
    "an answer cut in its middle": [USER, said(text="Half an"), Message.user("Go on.")],
    "an answer cut at the end": [USER, said(text="Half an")],
    "a conversation whose beginning was left out": [said(text="…and so it is."), Message.user("Why?")],
    "a beginning left out before a call": [said(one()), done()],
    "a picture and a document": [
        Message.attachment(Image(PNG, "image/png", "a.png"), Document(PDF, "application/pdf", "b.pdf", "text"), tag="image"),
        Message.user("What is it?"),
    ],
    "a picture as a result among others": [
        USER,
        said(one(), one("id_2")),
        Message(Role.TOOL, (Text("It:"), Image(PNG, "image/png", "a.png")), result=ToolResult("id_1", "one")),
        done("id_2"),
        Message.user("And?"),
    ],
    "half a character and a zero": [Message.user("a\ud83d b\0c")],
}  # fmt: skip


@pytest.mark.acceptance("S0-032")
@pytest.mark.parametrize("tools", [(TOOL,), ()], ids=["tools", "no tools"])
@pytest.mark.parametrize("name", CONVERSATIONS)
async def test_a_provider_takes(connect, dialect: str, name: str, tools: tuple[ToolDefinition, ...]) -> None:
    request = ModelRequest(tuple(MessageStack(*CONVERSATIONS[name])), tools, 100)
    async with ScriptedServer([Answer("Yes.")], repeat=True) as server:
        for how in HOWS.get(dialect, THROUGH_PYDANTIC_AI):
            events = await connect(server, dialect, how=how).ask(request)
    assert server.refused == []
    assert events[0] == TextDelta("Yes.")


EACH_AFTER_EACH = (
    "anthropic", "openai", "openai", "openai-responses", "openai-responses", "anthropic", "anthropic",
    "openai-responses", "openai", "anthropic",
)  # fmt: skip
"""Every dialect behind every other, and behind itself."""


async def test_a_conversation_changes_its_provider_after_each_answer(connect) -> None:
    """Calls, results and reasoning of one dialect are told in the others' words, over and over."""
    answer = Answer("I look.", "Hm", "sig", (call("one", {"n": 1}, "id.with-strange/letters"), call("one", "{")))
    stack = MessageStack(USER)
    async with ScriptedServer([answer], repeat=True) as server:
        models = [connect(server, dialect) for dialect in EACH_AFTER_EACH]
        for connected in models:
            events = await connected.ask(ModelRequest(tuple(stack), (TOOL,), 100))
            end = events[-1]
            assert isinstance(end, Completed)
            stack.append(said(*end.calls, text="I look.", reasoning=end.reasoning))
            for made in end.calls:
                stack.append(done(made.id))
    assert server.refused == []
    assert [request.dialect for request in server.requests] == list(EACH_AFTER_EACH)


async def test_a_repeated_id_keeps_what_its_provider_wants_back_with_it(connect) -> None:
    signed = thought(calls={"call_0": {"google": {"thought_signature": "second"}}})
    history = [USER, said(one("call_0")), done("call_0"), said(one("call_0"), reasoning=signed), done("call_0")]
    async with ScriptedServer([Answer("Yes.")]) as server:
        await connect(server, "openai").ask(ModelRequest(tuple(history), (TOOL,)))
    messages = server.requests[0].body["messages"]
    assert isinstance(messages, list)
    assert messages[3]["tool_calls"] == [
        {
            "id": "call_0_2",
            "type": "function",
            "function": {"name": "one", "arguments": "{}"},
            "extra_content": {"google": {"thought_signature": "second"}},
        }
    ]
    assert messages[4]["tool_call_id"] == "call_0_2"


_IDS = st.sampled_from(["a", "a_2", "call_0", "toolu_1", "x" * 50, "日本", "", "b.c"])
_NAMES = st.one_of(st.just("one"), st.text(max_size=3))
_TEXTS = st.text(max_size=5)
_ARGUMENTS = st.sampled_from(["", "{}", "{oops", "[1]", "null", '{"a": 1}', '"x"'])
_PARTS = st.one_of(
    st.builds(Text, _TEXTS),
    st.builds(Image, st.sampled_from([PNG, b"", b"x"]), st.sampled_from(["image/png", "image/bmp"]), _TEXTS),
    st.builds(Document, st.sampled_from([PDF, b"", b"x"]), st.just("application/pdf"), _TEXTS, _TEXTS),
)
_METADATA = st.fixed_dictionaries(
    {"provider": st.sampled_from(["acme", "other"]), "model": st.just("m-1")},
    optional={
        "signature": _TEXTS,
        "field": st.sampled_from(["reasoning_content", "reasoning", ""]),
        "redacted": st.sampled_from(["", "data"]),
        "text_before": st.integers(0, 9),
        "calls_before": st.integers(0, 3),
        "item": st.sampled_from([SEALED, {"id": "rs_2", "summary": []}, {}]),
        "phase": st.sampled_from(["commentary", "final_answer"]),
    },
)
_REASONING = st.builds(Reasoning, _TEXTS, _METADATA)


@st.composite
def _stacks(draw: st.DrawFn) -> MessageStack:
    """Any conversation that a stack allows and a human has begun or gone on with."""
    stack = MessageStack()
    for _ in range(draw(st.integers(0, 6))):
        match draw(st.sampled_from(["user", "system", "assistant"])):
            case "user":
                stack.append(Message(Role.USER, tuple(draw(st.lists(_PARTS, max_size=3)))))
            case "system":
                stack.append(Message.system(draw(_TEXTS), "rules"))
            case _:
                ids = draw(st.lists(_IDS, max_size=3, unique=True))
                calls = tuple(ToolCall(each, draw(_NAMES), draw(_ARGUMENTS)) for each in ids)
                reasoning = tuple(draw(st.lists(_REASONING, max_size=2)))
                stack.append(Message(Role.ASSISTANT, (Text(draw(_TEXTS)),), reasoning, calls))
                for each in draw(st.permutations(ids)):
                    parts = tuple(draw(st.lists(_PARTS, max_size=2)))
                    stack.append(Message(Role.TOOL, parts, result=ToolResult(each, "one", draw(st.booleans()))))
    stack.append(Message.user("And?"))
    return stack


@given(_stacks(), st.booleans(), st.sampled_from([(name, how) for name, hows in HOWS.items() for how in hows]))
@pytest.mark.acceptance("T-28")
def test_every_conversation_that_a_stack_allows_passes(
    stack: MessageStack, tools: bool, to: tuple[str, Dialect]
) -> None:
    dialect, how = to
    body = json.loads(json.dumps(how.body(ModelRequest(tuple(stack), (TOOL,) if tools else (), 100))))
    request = ScriptedRequest(cast("WireDialect", dialect), "", how.headers("key"), body)
    assert refusal(request) is None

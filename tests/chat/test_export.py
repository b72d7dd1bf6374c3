"""A whole chat as JSON and back; as Markdown it is the transcript."""

import json
from pathlib import Path

import pytest
from chat.transcript_kit import stacks
from hypothesis import HealthCheck, given, settings

from motet.chat.export import Exported, from_json, to_json, to_markdown
from motet.chat.transcript import Entry, parse
from motet.errors import InputError
from motet.messages import (
    ContextRef,
    Document,
    Image,
    Message,
    MessageStack,
    Meta,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
    tags,
)

EVERYTHING = (
    Message.system("be brief", tags.SYSTEM_PROMPT),
    Message.attachment(
        Image(b"\x89PNG\x00\xff", "image/png", "a.png"),
        Document(b"%PDF", "application/pdf", "b.pdf", "its text"),
        context=ContextRef("<file>a.png</file>", "/p/a.png", "https://example.invalid/", "image/png"),
        tag=tags.IMAGE,
        source="/image",
        cycle=1,
    ),
    Message(Role.USER, (Text("one"), Text("two")), typed="", meta=Meta(cycle=1, sent=True, estimated_tokens=3)),
    Message(
        Role.ASSISTANT,
        (Text("日本語\r\n\x00\ud800"),),
        (Reasoning("hm", {"provider": "p", "signature": "AA=="}), Reasoning("", {"redacted": "BB=="})),
        (ToolCall("1", "f", '{"a": "\\n'), ToolCall("2", "g", "")),
        meta=Meta(cycle=1, source="p/m", reported_tokens=9, partial=True, compacted=True),
    ),
    Message.tool(ToolResult("2", "g", is_error=True), "no", tags.TOOL_OUTPUT),
    Message.tool(ToolResult("1", "f"), "", tags.TOOL_OUTPUT),
    Message(Role.USER),
)


def test_a_chat_comes_back_whole_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "chat.json"
    file.write_bytes(to_json(EVERYTHING, title="日本").encode())
    assert from_json(file.read_bytes(), str(file)) == Exported(EVERYTHING, "日本")


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(stacks)
def test_every_stack_comes_back(entries: list[Entry]) -> None:
    messages = tuple(entry for entry in entries if isinstance(entry, Message))
    assert from_json(to_json(messages)).messages == messages


def test_the_form_is_the_one_that_is_documented() -> None:
    picture = Message.attachment(Image(b"\x00\x01", "image/png"), tag=tags.IMAGE).with_meta(id="B")
    assert json.loads(to_json([Message.user("hi").with_meta(id="A", cycle=1), picture], title="t")) == {
        "format": "motet chat",
        "version": 1,
        "title": "t",
        "messages": [
            {"role": "user", "parts": [{"type": "text", "text": "hi"}], "meta": {"id": "A", "cycle": 1}},
            {
                "role": "user",
                "parts": [{"type": "image", "mime": "image/png", "name": "", "data": "AAE="}],
                "visible": False,
                "meta": {"id": "B", "tag": "image"},
            },
        ],
    }


def test_fields_of_later_versions_are_passed_over() -> None:
    row = json.loads(to_json([Message.user("hi").with_meta(id="A")]))
    row["messages"][0]["mood"] = row["colour"] = row["messages"][0]["meta"]["star"] = 1
    assert [message.text for message in from_json(json.dumps(row)).messages] == ["hi"]


MESSAGE = {"role": "user", "parts": [{"type": "text", "text": "x"}], "meta": {"id": "A"}}


def chat(*messages: object, **more: object) -> str:
    return json.dumps({"format": "motet chat", "version": 1, "title": "", "messages": messages} | more)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not an exported chat: it is no JSON"),
        ("[" * 100_000, "not an exported chat: it is no JSON"),
        ("[]", 'not an exported chat: it has no "format": "motet chat"'),
        ('{"messages": []}', 'not an exported chat: it has no "format": "motet chat"'),
        (chat(version=2), r"written by a newer motet \(version 2\); update motet to read it"),
        (chat(messages={}), "message 1 is damaged: messages is no list"),
        (chat(MESSAGE, 7), "message 1 is damaged: messages holds something that is no object"),
        (chat(MESSAGE, MESSAGE | {"role": "poet"}), "message 2 is damaged: 'poet' is not a valid Role"),
        (chat(MESSAGE | {"meta": {}}), "message 1 is damaged: id is missing"),
        (chat(MESSAGE | {"meta": {"id": "A", "cycle": -1}}), "message 1 is damaged: cycle is no count"),
        (chat(MESSAGE | {"visible": "no"}), "message 1 is damaged: visible is neither true nor false"),
        (chat(MESSAGE | {"parts": [{"type": "song"}]}), r"message 1 is damaged: a part of an unknown type \(song\)"),
        (chat(MESSAGE | {"parts": [{"type": "image", "mime": "x", "data": "?"}]}), "message 1 is damaged"),
        (
            chat(MESSAGE | {"role": "tool"}),
            "its messages are no conversation: a tool message must answer an open call",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(InputError, match=f"^a.json: {why}") as caught:
        from_json(text, "a.json")
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(InputError, match=r"^a\.json: not an exported chat"):
        from_json(b"\xff\xfe\x00\xff\xd8", "a.json")


def test_as_markdown_it_is_the_transcript_that_can_be_opened_again() -> None:
    text = to_markdown(EVERYTHING, chat="C", model="p/m")
    assert text.startswith("<!-- motet ")
    assert "be brief" not in text
    assert len(parse(text).turns) == 5
    MessageStack(*from_json(to_json(EVERYTHING)).messages)

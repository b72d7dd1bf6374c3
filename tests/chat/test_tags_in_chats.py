"""What the rooms of a chat do with a message because of its tag."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from chat.chat_kit import talking

from motet.chat import End, Ended
from motet.chat.export import to_json
from motet.chat.title import title_request
from motet.chat.transcript.context import is_said
from motet.chat.view import to_be_summed_up
from motet.history import ChatInfo, History
from motet.history.encode import encode
from motet.messages import ContextRef, Message, Role, Text, tags
from motet.messages.message import Meta
from motet.models.scripted import Answer, ScriptedRequest, Step
from motet.tools.groups import names_in

SAID = "the same words"


@pytest.mark.acceptance("S2-022")
def test_messages_that_differ_only_in_their_tag_are_told_apart() -> None:
    same = [Message.user(SAID, tag=tag).with_meta(cycle=1) for tag in sorted(tags.ALL)]
    linked = [replace(message, context=ContextRef("<group>files</group>")) for message in same]
    summed_up = to_be_summed_up([*same, Message.user("later").with_meta(cycle=9)], 3, frozenset())
    assert {message.tag for message in same} - {message.tag for message in summed_up} == {
        tags.SYSTEM_PROMPT, tags.TOOL_SYSTEM_PROMPT, tags.TOOL, tags.RULES, tags.IMAGE, tags.DOCUMENT,
        tags.COMPACT_SUMMARY,
    }  # fmt: skip
    assert {message.tag for message in same if SAID in title_request([message]).messages[1].text} == {
        tags.FROM_CUSTOM_PROMPT
    }
    assert {message.tag for message in same if is_said(message)} == {tags.REVIEW, tags.FROM_CUSTOM_PROMPT}
    assert {message.tag for message in linked if names_in([message])} == {tags.TOOL}


@pytest.mark.acceptance("S2-043")
def test_stored_chats_and_exports_hold_the_string_itself() -> None:
    message = Message.system("Use tabs.", tags.RULES)
    assert encode(message)[1]["tag"] == "rules"
    assert json.loads(to_json([message]))["messages"][0]["meta"]["tag"] == "rules"


@pytest.mark.acceptance("S2-028")
async def test_editor_context_of_an_older_chat_is_summed_up_with_what_was_said_then(
    tmp_path: Path, dialect: str
) -> None:
    def answering(request: ScriptedRequest) -> Step:
        return Answer(text="SUMMARY" if "<human>" in request.text else "Yes.")

    item = "<editor_context>the cursor</editor_context>"
    older = Message.attachment(
        Text("line 7 of a.py"), context=ContextRef(item), tag="editor_context", source="editor_context", cycle=1
    )
    turns = [
        message
        for cycle in range(1, 5)
        for message in (
            Message.user(f"question {cycle}").with_meta(cycle=cycle),
            Message(Role.ASSISTANT, (Text("Yes."),), meta=Meta(cycle=cycle)),
        )
    ]
    async with History.open(tmp_path / "state") as history:
        info = await history.create(ChatInfo(workspace=str(tmp_path / "project")))
        await history.append(info.id, [Message.system("You are motet.", tags.SYSTEM_PROMPT), older, *turns])
    async with talking(tmp_path, answering, dialect, stored=info.id) as talk:
        assert "line 7 of a.py" in "".join(message.text for message in (await talk.chat.preview()).messages)
        assert await talk.chat.compact()
        assert "<shared>\\nline 7 of a.py\\n</shared>" in talk.server.requests[0].text
        told = [message.text for message in (await talk.chat.preview()).messages]
        assert "line 7 of a.py" not in "".join(told)
        assert told[1].endswith(f"\n\nSUMMARY\n\nShared until here, and not part of this any more: {item}")
        assert await talk.say("question 5") == Ended(End.DONE)
        assert talk.chat.messages[1] == older.with_meta(sent=talk.chat.messages[1].meta.sent, compacted=True)


@pytest.mark.acceptance("S2-044")
async def test_a_chat_with_a_tag_that_is_not_known_yet_is_opened_and_goes_on(tmp_path: Path, dialect: str) -> None:
    newer = Message.attachment(Text("the moon is full"), tag="of_tomorrow", cycle=1)
    async with History.open(tmp_path / "state") as history:
        info = await history.create(ChatInfo(workspace=str(tmp_path / "project")))
        question = Message.user("what is there?").with_meta(cycle=1)
        await history.append(info.id, [Message.system("You are motet.", tags.SYSTEM_PROMPT), newer, question])
    async with talking(tmp_path, [Answer(text="A moon.")], dialect, stored=info.id) as talk:
        assert await talk.hear(talk.chat.go_on()) == Ended(End.DONE)
        assert "the moon is full" in talk.server.requests[0].text
        assert talk.chat.messages[1].tag == "of_tomorrow"

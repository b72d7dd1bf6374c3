"""What is typed and not sent, and what is pinned, are there again when a chat is opened."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from chat.chat_kit import talking
from hypothesis import given
from hypothesis import strategies as st

from motet.chat import End, Ended
from motet.chat.draft import with_marks, without_marks
from motet.context import ContextItem, State
from motet.models.scripted import Answer

LINES = st.lists(
    st.sampled_from(["<file>a.py</file>", "<file>src/日本.py:1-4</file>"]).flatmap(
        lambda one: st.sampled_from(
            [ContextItem(one, "file", state=state) for state in (State.PINNED, State.WATCHED)]
        )
    ),
    unique_by=lambda item: item.id,
)


@given(st.text() | st.text().map("> Context:\n{}".format), LINES)
def test_a_draft_and_its_marks_come_back_as_they_were(text: str, items: list[ContextItem]) -> None:
    draft = with_marks(text, [item.line for item in items])
    assert without_marks(draft) == (text, {item.id: item.state for item in items})


@pytest.mark.acceptance("CC-12")
async def test_a_pinned_file_is_pinned_again_and_sent_when_it_has_changed(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, [Answer(text="Yes.")], dialect, shares=True) as talk:
        (talk.root / "a.py").write_text("one = 1\n")
        await talk.chat.share.run("/file a.py", talk.chat.model.limits)
        await talk.say("see it")
        assert await talk.chat.mark("<file>a.py</file>", State.PINNED)
        await talk.chat.keep_draft("half a thought")
        chat_id = talk.chat.id
    again = [Answer(text="Two."), Answer(text="Still.")]
    async with talking(tmp_path, again, dialect, stored=chat_id, shares=True) as talk:
        assert talk.chat.info.draft == "half a thought"
        assert talk.chat.share.lines == ["📌 <file>a.py</file>"]
        (talk.root / "a.py").write_text("one = 2\n")
        assert await talk.say("and now?") == Ended(End.DONE)
        assert "one = 2" in talk.server.requests[0].text
        await talk.say("still?")
        assert talk.server.requests[1].text.count("one = 2") == talk.server.requests[0].text.count("one = 2")


@pytest.mark.acceptance("S0-055", "S2-051")
async def test_what_a_block_leaves_out_is_shared_no_more(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, [Answer(text="Yes.")] * 2, dialect, shares=True, tools=["files"]) as talk:
        for name in ("a.py", "b.py", "c.py"):
            (talk.root / name).write_text(f"in = '{name}'\n")
            await talk.chat.share.run(f"/file {name}", talk.chat.model.limits)
        block = ["<file>a.py</file>", "<file>b.py</file>", "<file>c.py</file>", "<group>files</group>"]
        assert talk.chat.share.block == block
        await talk.chat.keep_only(block[1:])
        assert talk.chat.share.block == block[1:]
        await talk.say("see them")
        assert "in = 'a.py'" not in talk.server.requests[0].text and "in = 'b.py'" in talk.server.requests[0].text
        assert talk.server.requests[0].body.get("tools")
        await talk.chat.keep_only(block[2:])
        assert [one for one in talk.chat.messages if one.context and one.context.id == block[1]] == []
        await talk.chat.keep_only(["📌 <file>c.py</file>"])
        assert talk.chat.share.block == ["📌 <file>c.py</file>"]
        await talk.say("and now?")
        assert "in = 'b.py'" not in talk.server.requests[1].text and "in = 'c.py'" in talk.server.requests[1].text
        assert not talk.server.requests[1].body.get("tools")
        chat_id = talk.chat.id
    async with talking(tmp_path, [], dialect, stored=chat_id, shares=True) as talk:
        assert talk.chat.share.block == ["📌 <file>c.py</file>"]


async def test_of_drafts_that_are_kept_at_once_the_newest_stays(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, [], dialect) as talk:
        await asyncio.gather(*(talk.chat.keep_draft(f"draft {number}") for number in range(50)))
        chat_id = talk.chat.id
    async with talking(tmp_path, [], dialect, stored=chat_id) as talk:
        assert talk.chat.info.draft == "draft 49"

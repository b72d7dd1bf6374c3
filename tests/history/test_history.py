"""Chats are stored and come back."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from history.history_kit import CHAT, OTHER, answered, asked, call, full_message, resulted, said

from motet.history import ChatHeld, ChatInfo, ChatMissing, History, HistoryError
from motet.history.repair import ENDED
from motet.messages import Message, Meta, Role, Text, tags


async def new_chat(history: History, *messages: Message, chat: str = CHAT, **fields: object) -> ChatInfo:
    """A stored chat with these messages."""
    info = await history.create(ChatInfo(id=chat, **fields))  # pyright: ignore[reportArgumentType]
    await history.append(info.id, messages)
    return await history.info(chat)


async def again(state: Path, chat: str = CHAT) -> list[Message]:
    """The messages as another process would read them."""
    async with History.open(state) as other:
        return list((await other.load(chat)).messages)


def rows(state: Path, question: str) -> list[tuple[object, ...]]:
    """What the file says."""
    connection = sqlite3.connect(state / "history.db")
    try:
        return connection.execute(question).fetchall()
    finally:
        connection.close()


def test_nothing_is_made_before_it_is_used(state: Path) -> None:
    History.open(state)
    assert not state.parent.exists()


async def test_files_are_for_the_user_alone(history: History, state: Path) -> None:
    await new_chat(history, asked("q"))
    await history.lease(CHAT)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in [state, *state.rglob("*")]}
    assert {name: mode for name, mode in modes.items() if name not in ("motet", "leases")} == dict.fromkeys(
        ("history.db", "history.db-wal", "history.db-shm", "history.lock", CHAT), 384
    )
    assert modes["motet"] == modes["leases"] == 0o700


async def test_a_file_that_others_could_read_is_closed_to_them(history: History, state: Path) -> None:
    async with History.open(state) as other:
        await new_chat(other)
    (state / "history.db").chmod(0o644)
    await history.list()
    assert stat.S_IMODE((state / "history.db").stat().st_mode) == 0o600


@pytest.mark.acceptance("S2-053", "CC-17", "S2-018")
async def test_every_tag_survives_saving_and_loading(history: History, state: Path) -> None:
    messages = [Message.user(tag, tag=tag) for tag in sorted(tags.ALL)]
    await new_chat(history, *messages)
    assert await again(state) == messages


async def test_every_field_of_a_message_survives(history: History, state: Path) -> None:
    message = replace(full_message(Role.USER), calls=(), result=None)
    await new_chat(history, message)
    assert await again(state) == [message]


@pytest.mark.acceptance("S0-040")
async def test_two_thousand_messages_come_back_in_order(history: History, state: Path) -> None:
    turns = [
        message
        for n in range(500)
        for message in (asked(f"q{n}", n), answered(f"a{n}", call("c")), resulted(f"r{n}", "c"), answered(f"b{n}"))
    ]
    await history.create(ChatInfo(id=CHAT))
    for at in range(0, len(turns), 250):
        await history.append(CHAT, turns[at : at + 250])
    assert await again(state) == turns
    assert (await history.info(CHAT)).messages == 2000


async def test_what_is_known_about_a_chat_comes_back(history: History) -> None:
    info = ChatInfo(
        id=CHAT, title="題名 \ud800", workspace="/w/\udcff", model="a/b", created=1.5, updated=2.5, cost=0.25, tokens=7,
        parent=OTHER, forked_at="m", draft="\x00 draft",
    )  # fmt: skip
    assert await history.create(info) == info
    assert await history.info(CHAT) == info
    assert await history.list(workspace="/w/\udcff") == [info]


async def test_counts_follow_from_the_messages(history: History) -> None:
    await new_chat(history, asked("q1", 1), answered("a1", cycle=1), asked("q2", 2))
    await history.remove(CHAT, ["id-q2"])
    info = await history.info(CHAT)
    assert (info.messages, info.cycles) == (2, 1)


async def test_appending_is_all_or_nothing(history: History, state: Path) -> None:
    await new_chat(history, asked("q"))
    with pytest.raises(HistoryError, match="the message id-q is in its chat already"):
        await history.append(CHAT, [asked("new"), asked("q")])
    assert await again(state) == [asked("q")]


async def test_messages_of_many_tasks_are_all_there(history: History, state: Path) -> None:
    await new_chat(history)
    await asyncio.gather(*(history.append(CHAT, [asked(str(n))]) for n in range(600)))
    assert await again(state) == [asked(str(n)) for n in range(600)]


async def test_one_that_fails_among_many_fails_alone(history: History, state: Path) -> None:
    await new_chat(history, asked("5"))
    outcomes = await asyncio.gather(
        *(history.append(CHAT, [asked(str(n))]) for n in range(10)), return_exceptions=True
    )
    assert [n for n, outcome in enumerate(outcomes) if outcome is not None] == [5]
    assert len(await again(state)) == 10


async def test_a_cancelled_append_is_stored_whole_or_not_at_all(history: History) -> None:
    await new_chat(history)
    task = asyncio.create_task(history.append(CHAT, [asked("1"), asked("2")]))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len((await history.load(CHAT)).messages) in (0, 2)


async def test_a_chat_that_is_not_there_is_named(history: History) -> None:
    for attempt in (
        history.load("nope"), history.append("nope", [asked("q")]), history.rename("nope", "x"), history.fork("nope"),
        history.delete("nope"), history.restore("nope"), history.purge("nope"), history.partial("nope", asked("q")),
        history.info("\ud800"), history.lease("../../etc/passwd"), history.delete("a\nb"),
    ):  # fmt: skip
        with pytest.raises(ChatMissing, match=r"^no chat .*: `motet history list` names the chats that there are$"):
            await attempt


async def test_an_id_is_given_once(history: History) -> None:
    await new_chat(history)
    with pytest.raises(HistoryError, match=f"there is a chat {CHAT} already"):
        await history.create(ChatInfo(id=CHAT))


async def test_a_closed_history_says_so(state: Path) -> None:
    history = History.open(state)
    await history.list()
    await history.close()
    with pytest.raises(HistoryError, match="the chats are closed"):
        await history.list()
    assert "motet-history" not in {thread.name for thread in threading.enumerate()}


# --- the answer under way --------------------------------------------------------------------------------------


async def test_an_answer_under_way_is_kept_once_and_in_its_newest_form(history: History, state: Path) -> None:
    await new_chat(history, asked("q"))
    for text in ("a", "ab", "abc"):
        await history.partial(CHAT, Message(Role.ASSISTANT, (Text(text),), meta=Meta(id="p")))
    assert [message.text for message in await again(state)] == ["question q", "abc"]
    assert (await again(state))[1].meta.partial


async def test_the_whole_answer_takes_the_place_of_the_one_under_way(history: History, state: Path) -> None:
    await new_chat(history, asked("q"))
    await history.partial(CHAT, answered("begun"))
    await history.settle(CHAT, answered("whole"))
    assert await again(state) == [asked("q"), answered("whole")]


async def test_an_answer_that_nobody_wants_vanishes(history: History, state: Path) -> None:
    await new_chat(history, asked("q"))
    await history.partial(CHAT, answered("begun"))
    await history.settle(CHAT)
    assert await again(state) == [asked("q")]


async def test_an_appended_answer_ends_the_one_under_way(history: History, state: Path) -> None:
    await new_chat(history, asked("q"))
    await history.partial(CHAT, answered("begun"))
    await history.append(CHAT, [answered("whole")])
    assert await again(state) == [asked("q"), answered("whole")]


# --- changes ---------------------------------------------------------------------------------------------------


async def test_a_replaced_message_keeps_its_place_and_its_old_text(history: History, state: Path) -> None:
    await new_chat(history, asked("1"), asked("2"), asked("3"))
    other = Message(Role.USER, (Text("other"),), meta=Meta(id="id-2", cycle=1))
    await history.replace(CHAT, other)
    assert await again(state) == [asked("1"), other, asked("3")]
    assert len(rows(state, "SELECT 1 FROM messages WHERE body LIKE '%question 2%'")) == 1


async def test_a_change_of_meta_alone_stores_no_second_text(history: History, state: Path) -> None:
    await new_chat(history, asked("1"), asked("2"))
    sent = [asked(name).with_meta(sent=True, reported_tokens=9) for name in ("1", "2")]
    await history.replace(CHAT, *sent)
    assert await again(state) == sent
    assert rows(state, "SELECT count(*) FROM messages") == [(2,)]


async def test_what_a_newer_motet_wrote_beside_is_kept(history: History, state: Path) -> None:
    await new_chat(history, asked("1"))
    await history.close()
    connection = sqlite3.connect(state / "history.db")
    with connection:
        connection.execute("UPDATE messages SET meta = json_set(meta, '$.weight', 3)")
        connection.execute("UPDATE messages SET body = json_set(body, '$.mood', 'good')")
    connection.close()
    async with History.open(state) as other:
        assert (await other.load(CHAT)).messages == (asked("1"),)
        await other.replace(CHAT, asked("1").with_meta(sent=True))
    kept = rows(state, "SELECT json_extract(meta, '$.weight'), json_extract(body, '$.mood') FROM messages")
    assert kept == [(3, "good")]


async def test_a_message_that_is_not_there_is_not_replaced(history: History) -> None:
    await new_chat(history)
    with pytest.raises(HistoryError, match="has no message id-1"):
        await history.replace(CHAT, asked("1"))


async def test_a_removed_message_stays_in_the_file(history: History, state: Path) -> None:
    await new_chat(history, asked("1"), asked("2"))
    await history.remove(CHAT, ["id-1", "id-unknown"])
    assert await again(state) == [asked("2")]
    assert rows(state, "SELECT count(*) FROM messages") == [(2,)]
    assert await history.search('"question 1"') == []


async def test_title_draft_model_cost_and_tokens_can_be_set(history: History) -> None:
    before = await new_chat(history, title="old", draft="d", model="a/b", cost=1.0)
    await history.rename(CHAT, "new")
    await history.set_draft(CHAT, "half a sen")
    await history.update(CHAT, cost=2.5, tokens=30)
    assert await history.info(CHAT) == replace(before, title="new", draft="half a sen", cost=2.5, tokens=30)
    await history.update(CHAT, model="c/d")
    assert (await history.info(CHAT)).model == "c/d"


# --- repair at load --------------------------------------------------------------------------------------------


@pytest.mark.acceptance("T-28")
async def test_what_an_earlier_process_left_is_repaired_when_loaded_and_stored_with_the_next_write(
    history: History, state: Path
) -> None:
    await new_chat(history, asked("q"), answered("a", call("c1"), call("c2")), resulted("r", "c1"))
    await history.close()
    for _ in range(2):  # loading alone writes nothing
        async with History.open(state) as other:
            chat = await other.load(CHAT)
            assert said(chat) == ["question q", "answer a", "result r", ENDED]
            assert chat.notes == (f"{ENDED}: read_file",)
    async with History.open(state) as other:
        loaded = (await other.load(CHAT)).messages
        await other.replace(CHAT, loaded[3].with_meta(sent=True))
        await other.append(CHAT, [asked("next")])
    async with History.open(state) as other:
        chat = await other.load(CHAT)
        assert chat.notes == ()
        assert chat.messages == (*loaded[:3], loaded[3].with_meta(sent=True), asked("next"))
        assert chat.info.messages == 5


async def test_an_answer_that_broke_off_is_stored_as_such_with_the_next_write(history: History, state: Path) -> None:
    await new_chat(history, asked("q"))
    await history.partial(CHAT, answered("begun"))
    await history.close()
    async with History.open(state) as other:
        assert (await other.load(CHAT)).notes == ("an answer broke off when motet ended",)
        await asyncio.gather(other.append(CHAT, [asked("next")]), other.append(CHAT, [asked("more")]))
    broken = answered("begun").with_meta(partial=True)
    async with History.open(state) as other:
        chat = await other.load(CHAT)
    assert (chat.messages, chat.notes) == ((asked("q"), broken, asked("next"), asked("more")), ())


async def test_loading_in_the_middle_of_a_tool_round_changes_nothing(history: History, state: Path) -> None:
    await new_chat(history, asked("q"), answered("a", call("c")))
    assert len((await history.load(CHAT)).notes) == 1
    await history.append(CHAT, [resulted("r", "c")])
    assert await again(state) == [asked("q"), answered("a", call("c")), resulted("r", "c")]


async def test_a_reader_that_goes_on_after_the_writer_did_stores_no_stale_repair(
    history: History, state: Path
) -> None:
    await new_chat(history, asked("q"), answered("a", call("c")))
    async with History.open(state) as other:
        await other.load(CHAT)
        await history.append(CHAT, [resulted("r", "c")])
        await other.append(CHAT, [asked("next")])
    assert await again(state) == [asked("q"), answered("a", call("c")), resulted("r", "c"), asked("next")]


async def test_a_message_that_cannot_be_read_is_left_out_and_stays_in_the_file(history: History, state: Path) -> None:
    await new_chat(history, asked("1"), asked("2"), asked("3"))
    await history.close()
    connection = sqlite3.connect(state / "history.db")
    with connection:
        connection.execute("UPDATE messages SET body = '{\"role\": \"use' WHERE id = 'id-2'")
    connection.close()
    async with History.open(state) as other:
        chat = await other.load(CHAT)
        await other.append(CHAT, [asked("4")])
    assert chat.messages == (asked("1"), asked("3"))
    assert chat.notes == ("left out, because they cannot be read: 1 of 3 messages",)
    assert rows(state, "SELECT kept FROM messages WHERE id = 'id-2'") == [(1,)]


# --- lists, forks, trash ---------------------------------------------------------------------------------------


async def test_chats_are_listed_by_their_last_change_page_by_page(history: History) -> None:
    for n in range(7):
        await history.create(ChatInfo(id=f"chat-{n}", workspace=f"/w{n % 2}", updated=100.0 + n // 2))
    pages: list[list[str]] = []
    last = None
    while page := await history.list(limit=3, before=last):
        pages.append([info.id for info in page])
        last = page[-1]
    assert pages == [["chat-6", "chat-5", "chat-4"], ["chat-3", "chat-2", "chat-1"], ["chat-0"]]
    assert [info.id for info in await history.list(workspace="/w1")] == ["chat-5", "chat-3", "chat-1"]


async def test_a_chat_that_goes_on_comes_first(history: History) -> None:
    await new_chat(history)
    await new_chat(history, chat=OTHER)
    await history.append(CHAT, [asked("q")])
    assert [info.id for info in await history.list()] == [CHAT, OTHER]


async def test_a_fork_holds_what_was_before_its_place(history: History) -> None:
    await new_chat(history, asked("1"), answered("a"), asked("2"), title="t", workspace="/w", model="m", cost=3.0)
    fork = await history.fork(CHAT, "id-2", OTHER)
    assert (fork.id, fork.parent, fork.forked_at) == (OTHER, CHAT, "id-2")
    assert (fork.title, fork.workspace, fork.model, fork.cost, fork.messages) == ("t", "/w", "m", 0.0, 2)
    await history.append(OTHER, [asked("other")])
    assert (await history.load(OTHER)).messages == (asked("1"), answered("a"), asked("other"))
    assert (await history.load(CHAT)).messages == (asked("1"), answered("a"), asked("2"))


async def test_a_fork_at_the_end_holds_all_also_what_has_arrived_of_an_answer(history: History) -> None:
    await new_chat(history, asked("1"))
    await history.partial(CHAT, answered("begun"))
    fork = await history.fork(CHAT)
    assert said(await history.load(fork.id)) == ["question 1", "answer begun"]
    before = await history.fork(CHAT, "id-begun")
    assert said(await history.load(before.id)) == ["question 1"]


async def test_no_fork_begins_at_a_result_or_at_a_message_that_is_not_there(history: History) -> None:
    await new_chat(history, answered("a", call("c")), resulted("r", "c"))
    with pytest.raises(HistoryError, match="cannot begin between a call and its result"):
        await history.fork(CHAT, "id-r")
    with pytest.raises(HistoryError, match="has no message id-x"):
        await history.fork(CHAT, "id-x")
    assert [info.id for info in await history.list()] == [CHAT]


async def test_a_deleted_chat_can_be_brought_back(history: History) -> None:
    info = await new_chat(history, asked("1"))
    await history.delete(CHAT)
    assert await history.list() == []
    assert await history.search("question") == []
    assert await history.list(trash=True) == [info]
    await history.restore(CHAT)
    assert await history.list() == [info]
    assert len(await history.search("question")) == 1


async def test_a_purged_chat_leaves_nothing_in_any_file_and_its_forks_alone(history: History, state: Path) -> None:
    await new_chat(
        history,
        asked("shared"),
        Message(Role.USER, (Text("xyzzyplugh"),), meta=Meta(id="secret")),
        title="frobnicate",
        workspace="/w",
    )
    await history.replace(CHAT, Message(Role.USER, (Text("plover"),), meta=Meta(id="secret")))
    fork = await history.fork(CHAT, "secret")
    await history.rename(fork.id, "fork")
    await history.purge(CHAT)
    assert [hit.chat.id for hit in await history.search("shared")] == [fork.id]
    assert [info.id for info in await history.list()] == [fork.id]
    await history.close()
    left = b"".join(path.read_bytes() for path in state.glob("history.db*"))
    assert b"shared" in left
    assert [word for word in (b"xyzzyplugh", b"plover", b"frobnicate") if word in left] == []
    async with History.open(state) as other:
        assert said(await other.load(fork.id)) == ["question shared"]


# --- leases ----------------------------------------------------------------------------------------------------


async def test_a_chat_is_held_by_one(history: History, state: Path) -> None:
    await new_chat(history)
    async with History.open(state) as other:
        lease = await history.lease(CHAT)
        assert lease is not None
        assert await other.lease(CHAT) is None
        assert await other.holder(CHAT) is not None
        assert (await other.load(CHAT)).info.id == CHAT
        for attempt in (other.delete(CHAT), other.purge(CHAT)):
            with pytest.raises(ChatHeld, match=f"chat {CHAT} is open in another motet"):
                await attempt
        await history.delete(CHAT)
        lease.close()
        with (await other.lease(CHAT)) or pytest.fail("it was let go"):
            assert await history.lease(CHAT) is None
        assert list((state / "leases").iterdir()) == []


async def test_a_history_that_closes_lets_go(history: History, state: Path) -> None:
    assert await history.lease(CHAT) is not None
    await history.close()
    async with History.open(state) as other:
        assert await other.lease(CHAT) is not None

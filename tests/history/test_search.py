"""Searching chats."""

from __future__ import annotations

import pytest
from history.history_kit import CHAT, OTHER, answered, asked

from motet.history import ChatInfo, History, Hit
from motet.history.search import snippet
from motet.messages import Image, Message, Meta, Reasoning, Role, Text
from motet.text.terms import wanted


async def chat_of(history: History, *texts: str, chat: str = CHAT, title: str = "", workspace: str = "/w") -> None:
    """A chat in which a user says these texts; their ids are their numbers."""
    await history.create(ChatInfo(id=chat, title=title, workspace=workspace))
    await history.append(
        chat, [Message(Role.USER, (Text(text),), meta=Meta(id=f"{n}")) for n, text in enumerate(texts)]
    )


async def ids(history: History, query: str, **options: object) -> list[str]:
    """The messages that are found, in order."""
    return [hit.message_id for hit in await history.search(query, **options)]  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("検", ["0"]),
        ("検索", ["0"]),
        ("索履", ["0"]),
        ("検索履歴", ["0"]),
        ("履", ["1", "0"]),
        ("歴史", ["1"]),
        ("索検", []),
        ("猫", ["2"]),
        ("検 猫", []),
        ("テスト", ["3"]),
        ("history", ["4"]),
        ("HIST", ["4"]),
        ("user name", ["4"]),
        ("getUserName", ["4"]),
        ('"of user"', []),
        ("NEAR AND (", []),
        ('-"*^:', []),
        ("words : x", []),
    ],
)
async def test_words_find_messages_the_newest_first(history: History, query: str, found: list[str]) -> None:
    await chat_of(history, "検索履歴を見る", "履歴と歴史", "猫", "ﾃｽﾄ", "the History of get_user_name")
    assert await ids(history, query) == found


async def test_only_what_is_shown_is_searched(history: History) -> None:
    await history.create(ChatInfo(id=CHAT))
    await history.append(
        CHAT,
        [
            Message(Role.USER, (Text("replaced needle"),), typed="typed thread", meta=Meta(id="typed")),
            Message(Role.USER, (Text("hidden needle"),), visible=False),
            Message.system("system needle", "tag"),
            Message(Role.ASSISTANT, (Text("said"),), reasoning=(Reasoning("thought needle", {}),)),
            Message(Role.USER, (Image(b"", "image/png", "thread.png"),), meta=Meta(id="image")),
        ],
    )
    assert await ids(history, "needle") == []
    assert await ids(history, "thread") == ["image", "typed"]


async def test_a_title_is_found_until_it_changes(history: History) -> None:
    await chat_of(history, "text", title="関数の名前")
    (hit,) = await history.search("関数")
    assert hit == Hit(await history.info(CHAT), "", "関数の名前", hit.chat.updated, 0, 2)
    await history.rename(CHAT, "other")
    assert await history.search("関数") == []
    assert len(await history.search("other")) == 1


async def test_one_workspace_can_be_searched(history: History) -> None:
    await chat_of(history, "needle", title="needle one", workspace="/a")
    await chat_of(history, "needle", title="needle two", workspace="/b", chat=OTHER)
    assert {hit.chat.id for hit in await history.search("needle")} == {CHAT, OTHER}
    assert [hit.chat.id for hit in await history.search("needle", workspace="/b")] == [OTHER, OTHER]
    assert await history.search("needle", workspace="/c") == []


async def test_the_text_of_now_is_found_and_that_of_before_is_not(history: History) -> None:
    await chat_of(history, "before")
    await history.replace(CHAT, Message(Role.USER, (Text("after"),), meta=Meta(id="0")))
    assert await ids(history, "before") == []
    assert await ids(history, "after") == ["0"]


async def test_a_copy_in_a_fork_is_found_once_and_alone_when_the_first_is_gone(history: History) -> None:
    await chat_of(history, "needle")
    fork = await history.fork(CHAT)
    assert [hit.chat.id for hit in await history.search("needle")] == [CHAT]
    await history.delete(CHAT)
    assert [hit.chat.id for hit in await history.search("needle")] == [fork.id]


async def test_an_answer_under_way_is_found_when_it_is_whole(history: History) -> None:
    await history.create(ChatInfo(id=CHAT))
    await history.partial(CHAT, answered("needle"))
    assert await ids(history, "needle") == []
    await history.settle(CHAT, answered("needle"))
    assert await ids(history, "needle") == ["id-needle"]


async def test_no_more_are_found_than_wanted(history: History) -> None:
    await chat_of(history, *["needle"] * 30, title="needle")
    assert await ids(history, "needle", limit=3) == ["", "29", "28"]
    assert await ids(history, "needle", limit=1) == [""]
    assert await ids(history, "needle", limit=0) == []


@pytest.mark.parametrize(
    "query",
    [
        "",
        "  ",
        "!",
        "\x00",
        "\ud800",
        '"',
        "x" * 100_000,
        "検" * 5_000,
        "a " * 3_000,
        " ".join(map(str, range(3_000))),
    ],
)
async def test_no_query_is_an_error(history: History, query: str) -> None:
    await chat_of(history, "text")
    assert await history.search(query) == []


async def test_a_text_of_a_megabyte_is_found_at_its_end(history: History) -> None:
    await chat_of(history, "多い " * 350_000 + "最後")
    (hit,) = await history.search("最後")
    assert hit.snippet[hit.begin : hit.end] == "最後"
    assert len(hit.snippet) < 200


async def test_when_it_was_said_is_told(history: History) -> None:
    await history.create(ChatInfo(id=CHAT, created=1.0, updated=1.0))
    await history.append(CHAT, [asked("x")])
    (hit,) = await history.search("question")
    assert hit.when == hit.chat.updated > 1.0


# --- what is shown of it ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "query", "line", "place"),
    [
        ("a needle here", "needle", "a needle here", "needle"),
        ("a\n\n  needle\there ", "needle", "a needle here", "needle"),
        ("関数の名前", "名", "関数の名前", "名"),
        ("Ｆｕｌｌ　ｗｉｄｔｈ", "width", "Ｆｕｌｌ ｗｉｄｔｈ", "ｗｉｄｔｈ"),
        ("ﾊﾞｸﾞのﾃｽﾄです", "テスト", "ﾊﾞｸﾞのﾃｽﾄです", "ﾃｽﾄ"),
        ("あの㍿です", "会社", "あの㍿です", "㍿"),
        ("Große Straße heißt so", "heisst", "Große Straße heißt so", "heißt"),
        ("re-needle Needles", "needle", "re-needle Needles", "needle"),
        ("unneedled needle", "needle", "unneedled needle", "needle"),
        ("call getUserName()", "user_name", "call getUserName()", "User"),
    ],
)
def test_a_snippet_shows_the_place(text: str, query: str, line: str, place: str) -> None:
    found, begin, end = snippet(text, wanted(query))
    assert (found, found[begin:end]) == (line, place)


def test_a_snippet_of_a_long_text_is_cut_at_both_ends() -> None:
    line, begin, end = snippet("before " * 100 + "needle" + " after" * 100, wanted("needle"))
    assert line == "…" + "before " * 8 + "needle" + " after" * 20 + "…"
    assert line[begin:end] == "needle"


def test_where_the_place_cannot_be_shown_the_beginning_is() -> None:
    assert snippet("some text", wanted("needle")) == ("some text", 0, 0)

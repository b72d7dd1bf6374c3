"""Posts, who gets them, and what becomes of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from board.board_kit import Page
from board.killing import rows
from board.places import Place

from motet.board import Boards, DeliveryState, Hint, Outcome, Query, entry
from motet.board.schema import SCHEMA
from motet.board.sqlite import SqliteDatabase

EXAMPLE = "@review-def34 The login feature is done, please review. File: src/auth/login.ts"


async def test_the_example_of_the_design_reaches_its_recipient_once_and_whole(boards: Boards) -> None:
    page = await Page.of(boards, "backend", "review", "other", human="mia")
    body = EXAMPLE.replace("@review-def34", "@review@")
    posted = await page.post("backend", body)
    assert posted.recipients == (page["review"],)
    (delivery,) = await boards.pull(page["review"])
    assert delivery.post.body == EXAMPLE.replace("review-def34", page["review"])
    assert delivery.post.author == page["backend"]
    assert [await page.inbox(name) for name in ("review", "backend", "other", "mia")] == [[], [], [], []]
    assert entry(posted.post).split("\n")[0].endswith(f" {page['backend']} (#1)")


async def test_numbers_have_no_gaps_and_a_key_is_posted_once(boards: Boards) -> None:
    page = await Page.of(boards, "one", "two")
    first = await page.post("one", "@two@ hello", key="k1")
    again = await page.post("one", "@two@ hello", key="k1")
    other = await page.post("two", "yes?", key="k1")
    assert [(p.post.seq, p.was_new) for p in (first, again, other)] == [(1, True), (1, False), (2, True)]
    assert await page.inbox("two") == [f"@{page['two']} hello"]


async def test_everyone_but_the_author_gets_a_post_to_all_once(boards: Boards) -> None:
    page = await Page.of(boards, "one", "two", "three")
    await page.post("one", "@All status? @two@")
    assert [await page.inbox(name) for name in ("one", "two", "three")] == [
        [], [f"@All status? @{page['two']}"], [f"@All status? @{page['two']}"],
    ]  # fmt: skip
    await page.add("late")
    assert await page.inbox("late") == []


async def test_one_of_a_role_claims_a_call(boards: Boards) -> None:
    page = await Page.of(boards, "boss", "ann/reviewer", "ben/reviewer")
    await page.post("boss", "@reviewer please look")
    assert await page.inbox("ben") == ["@reviewer please look"]
    assert await page.inbox("ann") == []


async def test_search_finds_words_of_one_and_two_characters(boards: Boards) -> None:
    page = await Page.of(boards, "one")
    for body in ("東京で会議", "京都", "login done", "nothing"):
        await page.post("one", body)
    found = {
        words: [post.body for post in await boards.search(Query(words), [page.board])]
        for words in ("京", "東京", "log", "会議", '"login done"', "x")
    }
    assert found == {
        "京": ["京都", "東京で会議"], "東京": ["東京で会議"], "log": ["login done"], "会議": ["東京で会議"],
        '"login done"': ["login done"], "x": [],
    }  # fmt: skip


async def test_search_for_words_in_a_row_and_for_paths_looks_at_the_text_itself(boards: Boards) -> None:
    page = await Page.of(boards, "one")
    bodies = ("done is the login", "login done", "src/auth/login.ts", "xsrc/auth/login.tsx", "auth login src ts")
    for body in bodies:
        await page.post("one", body)

    async def found(query: Query) -> list[str]:
        return [post.body for post in await boards.search(query, [page.board])]

    assert await found(Query('"login done"')) == ["login done"]
    assert await found(Query(path="src/auth/login.ts")) == ["xsrc/auth/login.tsx", "src/auth/login.ts"]
    assert await found(Query(path="rc/auth/log")) == ["xsrc/auth/login.tsx", "src/auth/login.ts"]
    assert await found(Query(path="/auth/lo", words="tsx")) == ["xsrc/auth/login.tsx"]
    assert await found(Query(path="src/login")) == []


async def test_search_for_who_was_given_a_post_and_what_became_of_it(boards: Boards) -> None:
    page = await Page.of(boards, "boss", "ann/reviewer", "ben")
    for body in (
        "@ann@ one",
        "@ben@ two",
        "@reviewer three",
        "nobody four",
        "@ann@ @ben@ five",
        "@ben@ src/a/b.py six",
    ):
        await page.post("boss", body)
    await page.post("boss", "@ann@ elsewhere", reply_to=(await boards.posts(page.board))[0].id)
    for one in await boards.pull(page["ann"], 2):
        await boards.settle(page["ann"], one.id, Outcome(DeliveryState.ACKED))

    async def found(**query: str) -> list[int]:
        return [post.seq for post in await boards.search(Query(**query), [page.board])]  # type: ignore[arg-type]

    ann, ben = page["ann"], page["ben"]
    assert await found(mention=ann) == [7, 5, 3, 1]
    assert await found(mention=ben) == [6, 5, 2]
    assert await found(mention=ann, state="acked") == [3, 1]
    assert await found(state="queued") == [7, 6, 5, 2]
    assert await found(mention=ben, words="two") == [2]
    assert await found(mention=ben, path="src/a/b.py") == [6]
    assert await found(mention=ann, path="src/a/b.py") == []
    assert await found(mention=ben, state="dead") == []


@pytest.mark.acceptance("S4-050")
async def test_what_is_known_already_wakes_nobody(place: Place) -> None:
    async with place.boards() as one, place.boards() as other:
        page = await Page.of(other, "ann")
        async with one.watching() as watch:
            await page.post("ann", "hello")
            while Hint(page.board, 1) not in await watch.next(30):
                pass
            other._bell.ring([Hint(page.board, 1), Hint(page.board, what="notices")])
            heard: list[Hint] = []
            while Hint(page.board, what="notices") not in heard:
                heard += await watch.next(30)
    assert Hint(page.board, 1) not in heard


async def test_boards_of_an_older_motet_become_those_of_this_one(place: Place) -> None:
    async with place.boards() as boards:
        page = await Page.of(boards, "ann", "ben")
        await page.post("ann", "@ben@ look")
    older = ["DROP INDEX deliveries_waiting", "CREATE INDEX deliveries_waiting ON deliveries (recipient, state)"]
    for name in ("deliveries_leased", "deliveries_newest_to", "posts_newest_of", "posts_newest_kind"):
        older.append(f"DROP INDEX {name}")
    older.append("UPDATE about SET value = '5' WHERE name = 'schema'")
    database = place.database()
    for statement in older:
        database.write([lambda tx, statement=statement: tx.run(statement)], durable=True)
    database.close()
    async with place.boards() as boards:
        page.boards = boards
        assert len(await page.inbox("ben")) == 1
        assert (await page.post("ben", "it goes on")).post.seq == 2
    assert rows(place, ["SELECT value FROM about WHERE name = 'schema'"]) == [[(str(SCHEMA),)]]


def test_a_file_of_boards_is_written_through_to_the_disk(tmp_path: Path) -> None:
    full = 2
    database = SqliteDatabase(tmp_path)
    assert database.read(lambda tx: (tx.one("PRAGMA synchronous"), tx.one("PRAGMA journal_mode"))) == (
        (full,),
        ("wal",),
    )
    database.close()

"""Who is woken by a post: those whom it may concern, and all when it cannot be known."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from board.board_kit import Page
from board.places import Place

from motet.board import Boards, Hint, finding
from motet.board.finding import Query
from motet.board.watch import Watch, Watches, of_wire, to_wire

BOARD = "b"


def _told(*hints: Hint, name: str = "ann") -> bool:
    """Whether the last of `hints` wakes an agent that heard of the others before."""
    watches = Watches()
    watch = watches.open([name, "role:review"])
    for hint in hints:
        watch.forget()
        watches.tell([hint])
    return watch.is_woken


def _post(first: int, seq: int, *whom: str) -> Hint:
    return Hint(BOARD, seq, first=first, whom=whom)


@pytest.mark.parametrize(
    ("hints", "wakes"),
    [
        ([_post(1, 1, "ann")], True),
        ([_post(1, 1, "ben")], False),
        ([_post(1, 1)], False),
        ([_post(1, 1, "role:review")], True),
        ([_post(1, 1, "role:test")], False),
        ([Hint(BOARD, 1, first=1)], True),
        ([_post(1, 1, "ben"), _post(2, 3, "ben")], False),
        ([_post(1, 1, "ben"), _post(3, 3, "ben")], True),  # what number 2 was is not known
        ([_post(1, 1, "ben"), _post(3, 3, "ben"), _post(2, 2, "ann")], False),  # that it was told is
        ([_post(1, 2, "ben"), Hint(BOARD, 2)], False),
        ([_post(1, 2, "ben"), Hint(BOARD, 3)], True),
        ([Hint(BOARD, what="changes", whom=("ben",))], False),
        ([Hint(BOARD, what="changes")], True),
    ],
)
def test_an_agent_is_woken_by_what_may_be_for_it(hints: list[Hint], wakes: bool) -> None:
    assert _told(*hints) is wakes


def test_two_hints_in_one_say_what_both_said() -> None:
    one, next_one, far = _post(1, 2, "ann"), _post(3, 3, "ben", "ann"), _post(5, 5, "ben")
    both = one.and_also(next_one)
    assert (both.first, both.seq, both.whom) == (1, 3, ("ann", "ben"))
    between = both.and_also(far)  # somebody else's post is between them
    assert (between.first, between.seq, between.whom) == (1, 5, None)
    many = _post(4, 4, *(f"agent-{n}" for n in range(60)))
    assert both.and_also(many).whom is None
    for hint in (both, between, Hint("x", what="people")):
        came = of_wire(json.loads(json.dumps(to_wire(hint))))
        assert (came, came.first, came.whom) == (hint, hint.first, hint.whom)


@asynccontextmanager
async def _waiting(boards: Boards, *names: str) -> AsyncIterator[list[Watch]]:
    async with AsyncExitStack() as stack:
        watches = [await stack.enter_async_context(boards.watching([name] if name else [])) for name in names]
        for watch in watches:
            watch.forget()
        yield watches


@pytest.mark.acceptance("S4-050")
async def test_a_post_wakes_in_another_process_whom_it_calls_and_who_reads_along(place: Place) -> None:
    async with place.boards() as one, place.boards() as other:
        page = await Page.of(one, "ann", "ben/review", "cleo")
        async with _waiting(other, page["ben"], page["cleo"], "role:review", "") as (ben, cleo, review, reader):

            async def woken(author: str, body: str, **more: object) -> list[bool]:
                for watch in (ben, cleo, review, reader):
                    watch.forget()
                posted = await page.post(author, body, **more)
                async with asyncio.timeout(30):
                    while Hint(page.board, posted.post.seq) not in await reader.next():
                        pass
                return [watch.is_woken for watch in (ben, cleo, review)]

            await woken("ann", "the first")  # with it, or before, comes that all three joined
            assert await woken("ann", "@ben@ please") == [True, False, False]
            assert await woken("ann", "nobody") == [False, False, False]
            assert await woken("ben", "@cleo@ and @ann@") == [False, True, False]
            assert await woken("ann", "@role:review please") == [False, False, True]
            assert await woken("ann", "@All please") == [True, True, True]
            first = (await one.posts(page.board, 1))[0]
            assert await woken("ann", "thank you", reply_to=first.id) == [False, False, False]
            assert await woken("cleo", "here it is", reply_to=first.id) == [False, False, False]
            assert await woken("ann", "@ben@ @cleo@ both") == [True, True, False]


async def test_who_waits_has_what_was_posted_by_several_processes_at_once(place: Place) -> None:
    """Their hints come in any order: nobody waits until it looks by itself."""
    async with place.boards() as reader, place.boards() as one, place.boards() as two, place.boards() as three:
        page = await Page.of(one, "ann", "ben", "cleo")
        pages = [Page(boards, page.board) for boards in (one, two, three)]
        for each in pages:
            each.addresses = page.addresses
        async with reader.watching([page["ben"]]) as watch, asyncio.timeout(60):
            found: list[int] = []
            posting = asyncio.gather(
                *(each.post("ann", f"@{'cleo' if n % 2 else 'ben'}@ {n}") for n in range(5) for each in pages)
            )
            while len(found) < 9:
                found += [one.post.seq for one in await reader.pull(page["ben"])]
                if len(found) < 9:
                    await watch.next()
            await posting
    assert len(set(found)) == 9


async def test_a_search_finds_the_same_near_the_end_and_far_from_it(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "_NEAR", 5)
    async with place.boards() as boards:
        page = await Page.of(boards, "ann")
        for n in range(20):
            await page.post(
                "ann", f"post {n} {'rare' if n in (1, 17) else 'common'} {'old' if n < 9 else 'new'}", by_human=True
            )

        async def found(words: str, limit: int = 50) -> list[int]:
            return [post.seq for post in await boards.search(Query(words), [page.board], limit)]

        assert await found("rare") == [18, 2]
        assert await found("rare", 1) == [18]
        assert await found("old") == list(range(9, 0, -1))
        assert await found("post") == list(range(20, 0, -1))
        assert await found("post", 7) == list(range(20, 13, -1))
        assert await found("nobody") == []

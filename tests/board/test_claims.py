"""Claims of files: who holds what, and what an overtaken writer hears."""

from __future__ import annotations

from pathlib import Path

import pytest
from board.board_kit import PROJECT, Page
from hypothesis import given
from hypothesis import strategies as st

from motet.board import AgentState, BoardRefused, Boards
from motet.board.globs import matches, overlap


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("src/a.py", "src/a.py", True), ("src/a.py", "src/b.py", False), ("src", "src/deep/a.py", True),
        ("src/", "src/a.py", True), ("src/*", "src/a.py", True), ("src/*.py", "src/*.ts", False),
        ("src/**", "src/x/y/z.py", True), ("**/test_*.py", "src/test_a.py", True), ("**", "anything/at/all", True),
        ("a*b", "*b", True), ("a*b", "*a", False), ("src/?.py", "src/ab.py", False), ("./src//a.py", "src/a.py", True),
        ("src/[ab].py", "src/a.py", True), ("docs/**/x", "docs/x", True), ("a/**/b", "a/c/**", True), ("ab", "a", False),
    ],
)  # fmt: skip
def test_patterns_that_can_mean_the_same_file_overlap(one: str, other: str, expected: bool) -> None:
    assert (overlap(one, other), overlap(other, one)) == (expected, expected)


_NAME = st.text("ab*?", min_size=1, max_size=4)
_GLOB = st.lists(st.one_of(_NAME, st.just("**")), min_size=1, max_size=4).map("/".join)
_PATH = st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=4).map("/".join)


@given(_GLOB, _GLOB, _PATH)
def test_patterns_with_a_common_path_overlap(one: str, other: str, path: str) -> None:
    if matches(one, path) and matches(other, path):
        assert overlap(one, other)


async def test_a_claim_is_all_or_nothing_and_renewed_by_its_owner(boards: Boards) -> None:
    page = await Page.of(boards, "one", "two")
    (first,) = await boards.claim(PROJECT, page["one"], ["src/auth/**"], task="login")
    with pytest.raises(BoardRefused):
        await boards.claim(PROJECT, page["two"], ["docs/**", "src/*/login.ts"])
    assert [lease.glob for lease in await boards.leases(PROJECT)] == ["src/auth/**"]
    assert [lease.token for lease in await boards.claim("/other", page["two"], ["src/auth/**"])] == [first.token + 1]
    (again,) = await boards.claim(PROJECT, page["one"], ["src/auth/**"])
    assert again.token > first.token
    await boards.check_write(PROJECT, page["one"], "src/auth/x.ts", again.token)
    with pytest.raises(BoardRefused, match=rf"your claim {first.token} is older than {again.token}"):
        await boards.check_write(PROJECT, page["one"], "src/auth/x.ts", first.token)


async def test_a_claim_that_ran_out_or_passed_on_is_refused_at_the_write(boards: Boards) -> None:
    page = await Page.of(boards, "one", "two")
    (old,) = await boards.claim(PROJECT, page["one"], ["a.py"], seconds=-1)
    with pytest.raises(BoardRefused, match=rf"^a.py: your claim {old.token} has run out; claim it again"):
        await boards.check_write(PROJECT, page["one"], "a.py", old.token)
    with pytest.raises(BoardRefused, match=rf"^a.py is claimed by {page['one']}"):  # whose clock may say otherwise
        await boards.claim(PROJECT, page["two"], ["a.py"], task="tests")
    await boards.beat(page["one"])
    await boards.claim(PROJECT, page["two"], ["a.py"], task="tests")
    with pytest.raises(BoardRefused, match=rf"^a.py is claimed by {page['two']} for “tests”"):
        await boards.check_write(PROJECT, page["one"], "a.py", old.token)
    with pytest.raises(BoardRefused, match="has run out or was given to another"):
        await boards.renew(PROJECT, page["one"], [old.token])


async def test_who_is_gone_holds_nothing(boards: Boards, tmp_path: Path) -> None:
    page = await Page.of(boards, "one", "two")
    await boards.claim(PROJECT, page["one"], ["**"])
    await boards.set_state(page["one"], AgentState.GONE, "died")
    assert await boards.claim(PROJECT, page["two"], ["a.py"])
    assert await boards.leases(PROJECT, page["one"]) == []


async def test_refusals_are_kept(boards: Boards) -> None:
    page = await Page.of(boards, "one", "two")
    await boards.claim(PROJECT, page["one"], ["a.py"])
    with pytest.raises(BoardRefused) as refusal:
        await boards.check_write(PROJECT, page["two"], "a.py")
    assert [(one.actor, one.what, one.why) for one in await boards.refusals()] == [
        (page["two"], "write a.py", str(refusal.value))
    ]


async def test_a_human_takes_a_claim_away_and_the_agent_is_told(boards: Boards) -> None:
    page = await Page.of(boards, "one", "two", human="mia")
    await boards.claim(PROJECT, page["one"], ["src/**", "docs/*.md"])
    with pytest.raises(BoardRefused, match=f"is no human; ask @{page['one']} for a hand-over"):
        await boards.revoke(PROJECT, page["two"], page["one"])
    assert await boards.revoke(PROJECT, page["mia"], page["one"], ["src/**"]) == ["src/**"]
    assert [one.glob for one in await boards.leases(PROJECT, page["one"])] == ["docs/*.md"]
    assert await boards.claim(PROJECT, page["two"], ["src/a.py"])
    (told,) = await boards.pull(page["one"])
    assert (told.post.author, told.post.kind, told.post.body) == (
        page["mia"],
        "status",
        f"@{page['one']} {page['mia']} has taken your claim of `src/**` away; others may write there.",
    )
    assert await boards.revoke(PROJECT, page["mia"], page["one"], ["src/**"]) == []
    assert await boards.revoke(PROJECT, page["mia"], page["one"]) == ["docs/*.md"]

"""A search finds what a look at every post finds, on both engines; and where boards cannot be."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from board.board_kit import Page

from motet.board import BoardError, Boards, Query, finding
from motet.storage import places
from motet.text.terms import wanted

WORDS = [
    "lock",
    "Lock-file",
    "src/lock.py",
    "ロック",
    "排他制御",
    "排",
    "他",
    "制御",
    "の",
    "テスト",
    "test",
    "tests_ok",
    "1.5",
    "it's",
    "naïve",
    "ＡＢＣ",
    "abc",
    "山田さん",
    "done!",
]
ASKED = [
    *WORDS,
    "排他",
    "制",
    "loc",
    '"lock src/lock.py"',
    "abc 排",
    "テスト done",
    "nowhere",
    "lock の test",
    '"排他制御 の"',
]


@pytest.mark.parametrize("seed", range(3))
async def test_a_search_finds_what_a_look_at_every_post_finds(boards: Boards, seed: int) -> None:
    chance = random.Random(seed)
    page = await Page.of(boards, human="mia")
    for _ in range(120):
        between = chance.choice([" ", " ", "", "、"])
        await page.post("mia", between.join(chance.choices(WORDS, k=chance.randint(1, 6))))
    posts = await boards.posts(page.board, limit=1000)
    for words in ASKED:
        found = [post.seq for post in await boards.search(Query(words), [page.board], 1000)]
        assert found == [post.seq for post in reversed(posts) if finding.matches(post.body, wanted(words))], words


async def test_boards_on_a_network_file_system_are_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "network_file_system", lambda _: "nfs4")
    async with Boards.in_directory(tmp_path / "state") as boards:
        with pytest.raises(
            BoardError, match=r"on a network file system \(nfs4\).*set board\.url = \"postgresql://…\""
        ):
            await boards.open("/project")
    assert not (tmp_path / "state" / "boards.db").exists()

"""A hunk is taken in the very moment in which the human types: it is made where it was meant, or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from nvim.buffer_kit import Buffers, buffers, types_before_a_change

from motet.edits import Decision, Proposal
from motet.nvim.review import Reviews

TEXT = "one\ntwo\nthree\nfour\nfive\n"


@dataclass
class Waiting:
    """A hunk that waits, in a buffer that is not saved. `told`: levels and lines for the human."""

    vim: Buffers
    reviews: Reviews
    told: asyncio.Queue[tuple[str, str]]
    review: asyncio.Task[list[Proposal]]


@asynccontextmanager
async def waiting(tmp_path: Path) -> AsyncGenerator[Waiting]:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.txt").write_text(TEXT)
    async with buffers(root, tmp_path / "state") as vim:
        await vim.command("edit a.txt | set modified")
        file = await vim.files.read("a.txt")
        told: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
        reviews = Reviews(vim.peer, lambda level, text: told.put_nowait((level, text)))
        proposal = Proposal.between("a.txt", file, file.with_text(TEXT.replace("three", "THREE")))
        review = asyncio.create_task(reviews.review(vim.files, [proposal]))
        assert await told.get() == ("info", "1 change waits for you in a.txt: `:Motet review`")
        yield Waiting(vim, reviews, told, review)
        review.cancel()
        with suppress(asyncio.CancelledError):
            await review
        assert (root / "a.txt").read_text() == TEXT


async def test_what_is_typed_elsewhere_moves_the_hunk_with_its_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with waiting(tmp_path) as one:
        types_before_a_change(one.vim, monkeypatch, "ggOzero<Esc>")
        one.reviews.heard("accept", ["1.0"])
        (decided,) = await one.review
        assert [hunk.decision for hunk in decided.hunks] == [Decision.ACCEPTED]
        assert await one.vim.lines() == ["zero", "one", "two", "THREE", "four", "five"]
        assert one.told.empty()


async def test_what_is_typed_in_its_lines_stays_and_the_hunk_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with waiting(tmp_path) as one:
        types_before_a_change(one.vim, monkeypatch, "3Gccmine<Esc>")
        one.reviews.heard("accept", ["1.0"])
        told = await one.told.get()
        assert told == ("error", "a.txt: changed in the editor since it was read; read it again")
        assert await one.vim.lines() == ["one", "two", "mine", "four", "five"]
        assert not one.review.done()

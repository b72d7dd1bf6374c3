"""The transcript comes whole into its buffer, also when the editor broke off drawing it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import cast

import pytest

from motet.chat.transcript import Blocks
from motet.nvim.page import Op, Page
from motet.nvim.rpc import Peer


class Breaking:
    """An editor that draws, breaks that off, or fails, as these answers say; then it draws."""

    def __init__(self, answers: Sequence[bool | Exception]) -> None:
        self.frames: list[list[Op]] = []
        self._answers = list(answers)

    async def lua(self, _function: str, _buffer: int, ops: list[Op]) -> bool:
        self.frames.append(ops)
        answer = self._answers.pop(0) if self._answers else True
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.mark.parametrize(("answers", "frames"), [([], 1), ([False], 2), ([False, False], 2)])
async def test_a_frame_that_was_broken_off_is_drawn_whole_once(answers: list[bool], frames: int) -> None:
    editor = Breaking(answers)
    page = Page(cast("Peer", editor), 1, Blocks([], chat="c", model="m"))
    page.stream("one\ntwo")
    await page.drawn()
    whole: Op = ["all", page.blocks.text.split("\n")[:-1]]
    assert whole[1][-3:] == ["one", "two", ""]
    assert editor.frames[1:] == [[whole]] * (frames - 1)
    page.stream(" three")
    await page.drawn()
    assert editor.frames[frames:] == [[["grow", len(whole[1]) - 2, 3, [" three"]]]]


async def test_after_a_frame_that_failed_all_is_drawn() -> None:
    failed: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failed.append(context["exception"]))
    editor = Breaking([RuntimeError("not sent")])
    page = Page(cast("Peer", editor), 1, Blocks([], chat="c", model="m"))
    page.stream("one")
    await page.drawn()
    page.stream("\ntwo")
    await page.drawn()
    assert [str(one) for one in failed] == ["not sent"]
    assert editor.frames[1:] == [[["all", page.blocks.text.split("\n")[:-1]]]]

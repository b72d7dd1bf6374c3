"""Two edits near each other are decided one by one, and a change is split by a key."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cli.kit import Project, Provider, edit
from nvim.nvim_kit import Editor
from nvim.review_kit import buffer, lines, proposed, result, waits

Serve = Callable[..., Provider]
NEAR = edit(("a.txt", "line 3\n", "three\n"), ("a.txt", "line 4\n", "four\n"), ("a.txt", "line 6\n", "six\n"))
ONE = edit(("a.txt", "line 3\nline 4\nline 5\nline 6\n", "three\nline 4\nline 5\nnew\nline 6\n"))


@pytest.mark.acceptance("CC-11", "CU-02")
@pytest.mark.parametrize(("keys", "taken"), [("ada", {3, 6}), ("dad", {4}), ("aaa", {3, 4, 6}), ("add", {3})])
def test_near_edits_are_taken_or_left_one_by_one(
    vim: Editor, project: Project, provider: Serve, keys: str, taken: set[int]
) -> None:
    served = proposed(vim, project, provider, NEAR)
    vim.lua("vim.ui.input = function(_, done) done('') end")
    waits(vim, 3)
    assert any("change 1 of 3" in line for line in vim.screen)
    vim.keys("3G")
    for left, key in zip((2, 1, 0), keys, strict=True):
        vim.keys(f"\\{key}")
        waits(vim, left)
    vim.turn_ends()
    words = {3: "three", 4: "four", 6: "six"}
    wanted = lines(**{f"_{number}": words[number] for number in taken})
    assert (buffer(vim), project.text("a.txt").splitlines()) == (wanted, wanted)
    assert f"applied {len(taken)} of 3 hunks" in result(served) or len(taken) == 3


def test_a_taken_near_edit_is_undone_and_waits_again(vim: Editor, project: Project, provider: Serve) -> None:
    proposed(vim, project, provider, NEAR)
    waits(vim, 3)
    vim.keys("4G\\a")
    waits(vim, 2)
    vim.keys("u")
    waits(vim, 3)
    vim.keys("3G\\a")
    waits(vim, 2)
    vim.keys("6G\\a")
    waits(vim, 1)
    assert buffer(vim) == lines(_3="three", _6="six")


def test_a_key_splits_a_change_where_lines_stay(vim: Editor, project: Project, provider: Serve) -> None:
    proposed(vim, project, provider, ONE)
    waits(vim, 1)
    assert any("\\s split" in line for line in vim.screen)
    vim.keys("3G\\s")
    waits(vim, 2)
    vim.keys("\\s")
    vim.waits_for("vim.g.messages[#vim.g.messages]:match('cannot be split') ~= nil")
    assert not any("\\s split" in line for line in vim.screen)
    vim.keys("6G\\a")
    waits(vim, 1)
    assert buffer(vim) == [*lines()[:5], "new", *lines()[5:]]
    vim.keys("3G\\a")
    vim.turn_ends()
    assert buffer(vim) == [*lines(_3="three")[:5], "new", *lines()[5:]]


def test_a_split_change_moves_with_the_text(vim: Editor, project: Project, provider: Serve) -> None:
    proposed(vim, project, provider, ONE)
    waits(vim, 1)
    vim.keys("3G\\s")
    waits(vim, 2)
    vim.keys("ggOtyped<Esc>:write<CR>")
    vim.keys("7G\\a")
    waits(vim, 1)
    assert buffer(vim) == ["typed", *lines()[:5], "new", *lines()[5:]]


def test_a_file_that_is_made_is_not_split(vim: Editor, project: Project, provider: Serve) -> None:
    proposed(vim, project, provider, edit(("new.txt", "", "a\nb\n")))
    waits(vim, 1)
    vim.command("edit new.txt")
    vim.keys("\\s")
    vim.waits_for("vim.g.messages[#vim.g.messages]:match('cannot be split') ~= nil")

"""`:Motet undo` beside the editor's own undo: each of both does what it says, and once more brings the edit back."""

from __future__ import annotations

import pytest
from cli.kit import Project, edit
from nvim.nvim_kit import Editor
from nvim.review_kit import LINES, TEXT, Serve, buffer, lines, proposed

ONE = edit(("a.txt", "line 2\n", "new 2\n"))


def undo(vim: Editor) -> list[str]:
    before = len(vim.messages)
    vim.command("Motet undo")
    vim.waits_for(f"#vim.g.messages > {before}")
    return vim.messages[before:]


def turn(vim: Editor, project: Project, provider: Serve, before: str) -> None:
    """Accept an edit in a.txt, after `before` was typed there."""
    project.write({"a.txt": TEXT})
    vim.command("set hidden | edit a.txt")
    vim.keys(before)
    proposed(vim, project, provider, ONE, show="")
    vim.command("buffer a.txt")
    vim.keys("2G\\a")
    vim.turn_ends()


@pytest.mark.acceptance("T-31")
def test_after_u_the_second_undo_brings_the_edit_back(vim: Editor, project: Project, provider: Serve) -> None:
    turn(vim, project, provider, "")
    vim.keys("u")
    assert (buffer(vim), project.text("a.txt").splitlines()) == (LINES, lines(_2="new 2"))
    assert undo(vim) == ["motet: restored a.txt"]
    assert (buffer(vim), project.text("a.txt").splitlines()) == (LINES, LINES)
    assert undo(vim) == ["motet: restored a.txt"]
    assert (buffer(vim), project.text("a.txt").splitlines()) == (lines(_2="new 2"), lines(_2="new 2"))


def test_after_u_and_a_save_the_second_undo_brings_it_back(vim: Editor, project: Project, provider: Serve) -> None:
    turn(vim, project, provider, "")
    vim.keys("u<Cmd>silent write<CR>")
    assert (buffer(vim), project.text("a.txt").splitlines()) == (LINES, LINES)
    assert undo(vim) == ["motet: a.txt was undone already; once more brings it back"]
    assert undo(vim) == ["motet: restored a.txt"]
    assert (buffer(vim), project.text("a.txt").splitlines()) == (lines(_2="new 2"), lines(_2="new 2"))


def test_after_u_in_unsaved_text_the_second_undo_brings_it_back(
    vim: Editor, project: Project, provider: Serve
) -> None:
    turn(vim, project, provider, "Gomine<Esc>")
    assert buffer(vim) == [*lines(_2="new 2"), "mine"]
    vim.keys("u")
    assert buffer(vim) == [*LINES, "mine"]
    assert undo(vim) == ["motet: a.txt was undone already; once more brings it back"]
    assert buffer(vim) == [*LINES, "mine"]
    assert undo(vim) == ["motet: restored a.txt, which is not saved"]
    assert buffer(vim) == [*lines(_2="new 2"), "mine"]
    assert undo(vim) == ["motet: restored a.txt, which is not saved"]
    assert buffer(vim) == [*LINES, "mine"]
    assert project.text("a.txt") == TEXT

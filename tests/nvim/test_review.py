"""Proposals are reviewed in the buffers of their files: seen, taken, left, rewritten, and undone one by one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cli.kit import DONE, Project, Provider, edit
from nvim.nvim_kit import Editor

Serve = Callable[..., Provider]
TEXT = "".join(f"line {number}\n" for number in range(1, 41))
LINES = TEXT.splitlines()
FIVE = edit(*(("a.txt", f"line {number}\n", f"new {number}\n") for number in (2, 10, 18, 26, 34)))
WAITING = "require('motet.review').pending()"


def lines(**changed: str) -> list[str]:
    return [changed.get(f"_{number}", line) for number, line in enumerate(LINES, 1)]


def proposed(
    vim: Editor, project: Project, provider: Serve, *answers: object, open: str = "a.txt", **files: str
) -> Provider:
    """A chat in which the answers propose edits, and the file `open` in the current window."""
    project.write({"a.txt": TEXT, **files})
    served = provider([*answers, DONE])
    vim.command(f"edit {open}" if open else "enew")
    vim.command("Motet chat @editor change it")
    vim.command("wincmd p")
    vim.waits_for(f"{WAITING} > 0")
    return served


def result(served: Provider, number: int = 1) -> str:
    """What the model was told of its call."""
    found = [one["content"] for one in served.requests[number].body["messages"] if one["role"] == "tool"]
    return found[-1]


def buffer(vim: Editor, name: str = "a.txt") -> list[str]:
    return vim.lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, false)", name)


@pytest.mark.acceptance("CC-11", "S0-029", "S0-030")
def test_one_hunk_taken_one_left_one_rewritten_and_one_undone(vim: Editor, project: Project, provider: Serve) -> None:
    change = edit(*(("a.txt", f"line {number}\n", f"new {number}\n") for number in (2, 10, 18)))
    served = proposed(vim, project, provider, change)
    assert buffer(vim) == LINES
    vim.keys("gg\\]\\a")
    vim.waits_for(f"{WAITING} == 2")
    vim.keys("\\]\\dnot this one<CR>")
    vim.waits_for(f"{WAITING} == 1")
    vim.keys("\\]\\e")
    vim.waits_for("vim.fn.bufname():match('motet://amend') ~= nil")
    assert vim.nvim.current.buffer[:] == ["new 18"]
    vim.keys("ccmine<Esc>:w<CR>")
    vim.turn_ends()
    assert buffer(vim) == project.text("a.txt").splitlines() == lines(_2="new 2", _18="mine")
    assert result(served) == (
        "a.txt: applied 2 of 3 hunks\n"
        "hunk 2 (line 10): rejected by the human: not this one\n"
        "hunk 3 (line 18): changed by the human (- your lines, + what stands there now):\n-new 18\n+mine\n"
        "The compilers now: 0 solved, 0 left, 0 new in a.txt."
    )
    vim.keys("u")
    assert buffer(vim) == lines(_2="new 2")
    vim.keys("u")
    assert buffer(vim) == LINES

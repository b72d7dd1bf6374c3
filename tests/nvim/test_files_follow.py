"""Files that a command of a model changes on the disk, while they are open."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cli.kit import Project, Provider
from nvim.nvim_kit import Editor

from motet.models.scripted import Answer, call

Serve = Callable[..., Provider]
TEXT = "".join(f"line {number}\n" for number in range(1, 41))
CHANGED = TEXT.replace("line 3\n", "three\nand more\n").replace("line 30\n", "")
RUN = Answer(calls=(call("run_command", {"argv": ["sh", "change"]}),))


def runs(vim: Editor, provider: Serve) -> Provider:
    """Have the model run the script `change` twice, which it may."""
    vim.answers("o")
    return provider([RUN, Answer(text="Done."), RUN, Answer(text="Done.")])


def ask(vim: Editor) -> None:
    vim.lua("require('motet').send('@cmd change it')")
    vim.turn_ends()


@pytest.mark.acceptance("S0-052", "T-26")
def test_buffers_follow_what_a_command_changed_and_unsaved_text_stays(
    vim: Editor, project: Project, provider: Serve
) -> None:
    project.write({"a.txt": TEXT, "b.txt": TEXT, "c.txt": TEXT, "new.txt": CHANGED})
    project.write({"change": "cp new.txt a.txt; cp new.txt b.txt; rm c.txt\n"})
    runs(vim, provider)
    vim.command(
        "set noautoread nohidden | edit c.txt | set hidden | edit b.txt | call setline(1, 'mine') | edit a.txt"
    )
    vim.keys("20G0Anew<Esc>:write<CR>")
    project.write({"new.txt": CHANGED.replace("line 20\n", "line 20new\n")})
    vim.keys("35G3|mm")
    ask(vim)
    vim.command("wincmd p")
    wanted = CHANGED.replace("line 20\n", "line 20new\n").splitlines()
    assert vim.nvim.current.buffer.name.endswith("/a.txt")
    vim.waits_for("vim.fn.getline(3) == 'three'")
    assert vim.nvim.current.buffer[:] == wanted
    assert not vim.nvim.current.buffer.options["modified"]
    assert vim.nvim.current.window.cursor == (35, 2) and vim.nvim.funcs.getpos("'m")[1:3] == [35, 3]
    told = "motet: b.txt: changed on the disk; what you typed there is not saved, and stays as it is"
    vim.waits_for("vim.iter(vim.g.messages):any(function(m) return m:match('b.txt: changed') end)")
    b = ["mine", *TEXT.splitlines()[1:]]
    assert vim.lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr('b.txt'), 0, -1, false)") == b
    assert vim.lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr('c.txt'), 0, -1, false)") == TEXT.splitlines()
    vim.keys("u")
    assert vim.nvim.current.buffer[:] == TEXT.replace("line 20\n", "line 20new\n").splitlines()
    vim.keys("u")
    assert vim.nvim.current.buffer[:] == TEXT.splitlines()
    vim.command("redo | redo")
    assert vim.nvim.current.buffer[:] == wanted
    ask(vim)
    assert [line for line in vim.messages if "b.txt" in line and "changed" in line] == [told]

"""`:Motet fix`: what a real language server tells the editor is repaired in its buffers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cli.kit import ONLY_RUFF, Project, Provider
from nvim.nvim_kit import BIN, Editor

from motet.models.scripted import Answer, call

Serve = Callable[..., Provider]
UNUSED = "import os\nimport sys\n\nprint(sys.argv)\n"
_SERVER = """
local root, ruff = ...
vim.lsp.config('ruff', { cmd = { ruff, 'server' }, filetypes = { 'python' }, root_markers = { 'root' } })
vim.lsp.enable('ruff')
vim.api.nvim_create_autocmd('User', { pattern = 'MotetReview', callback = function(a)
  if a.data.pending > 0 then require('motet.review').act('accept_file') end
end })
vim.api.nvim_create_autocmd('User', { pattern = 'MotetFixed', callback = function(a) vim.g.fixed = a.data end })
"""


def edit(path: str, old: str, new: str) -> Answer:
    diff = f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE"
    return Answer(calls=(call("replace_in_file", {"path": path, "diff": diff}),))


def with_ruff(vim: Editor, project: Project, text: str) -> None:
    """Open `a.py` with this text, and wait until ruff has complained about it."""
    project.write({"a.py": text, "root": ""})
    vim.answers("1")
    vim.lua(_SERVER, str(project.root), str(BIN / "ruff"))
    vim.command("edit a.py")
    vim.waits_for("#vim.diagnostic.get(0) == 1")


@pytest.mark.acceptance("NV-19", "CL-01", "S3-004")
def test_what_a_server_complains_about_is_fixed_in_the_buffer(vim: Editor, project: Project, provider: Serve) -> None:
    served = provider([edit("a.py", "import os\nimport sys", "import sys"), Answer(text="Done.")])
    with_ruff(vim, project, UNUSED)
    vim.command("Motet fix")
    vim.waits_for("vim.g.fixed ~= nil")
    assert vim.nvim.vars["fixed"] == {"reason": "nothing left", "changed": ["a.py"], "left": 0}
    assert vim.nvim.current.buffer[:] == ["import sys", "", "print(sys.argv)"]
    assert (project.root / "a.py").read_text() == "import sys\n\nprint(sys.argv)\n"
    said = str(served.requests[0].body)
    assert "Line 1, Column 8: `os` imported but unused" in said
    told = vim.lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr('motet://fix'), 0, -1, false)")
    assert told[1:] == [
        "1 file, 1 warning (Neovim)",
        "a.py:1:8: warning: `os` imported but unused (Ruff F401)",
        "",
        "Round 1: asking scripted/one about a.py",
        "no problems (Neovim)  1 solved, 0 new",
        "",
        "Applied changes to 1 of 1 file.",
        "Ended: nothing left.",
    ]


def test_what_motets_own_servers_are_waited_for_is_told(vim: Editor, project: Project, provider: Serve) -> None:
    provider([Answer(text="I leave it.")])
    project.settings(f"{project.config.read_text()}{ONLY_RUFF}")
    project.write({"a.py": UNUSED, "a.txt": "good\n"})
    vim.lua(
        "vim.api.nvim_create_autocmd('User', { pattern = 'MotetFixed', callback = function() vim.g.fixed = 1 end })"
    )
    vim.command("edit a.py | Motet fix")
    vim.waits_for("vim.g.fixed ~= nil")
    told = vim.lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr('motet://fix'), 0, -1, false)")
    assert told[:3] == [
        "Model: scripted/one (set in the settings)",
        "ruff: starting",
        "ruff: waiting for its first answer",
    ]


@pytest.mark.acceptance("NV-20", "CL-03")
def test_what_is_left_is_in_the_quickfix_list(vim: Editor, project: Project, provider: Serve) -> None:
    provider([Answer(text="I leave it.")])
    with_ruff(vim, project, UNUSED)
    vim.command("Motet fix")
    vim.waits_for("vim.g.fixed ~= nil")
    assert vim.nvim.vars["fixed"] == {"reason": "no progress", "changed": [], "left": 1}
    found = vim.lua("return vim.fn.getqflist({ title = 0, items = 0 })")
    assert found["title"] == "motet fix: what is left"
    assert [(one["lnum"], one["col"], one["text"]) for one in found["items"]] == [
        (1, 8, "warning: `os` imported but unused (Ruff F401)")
    ]


def test_a_round_that_makes_it_worse_is_taken_back(vim: Editor, project: Project, provider: Serve) -> None:
    worse = edit("a.py", "import os\n", "import os\nimport re\n")
    provider([worse, Answer(text="Done."), Answer(text="I cannot.")])
    with_ruff(vim, project, UNUSED)
    vim.command("Motet fix")
    vim.waits_for("vim.g.fixed ~= nil")
    assert vim.nvim.current.buffer[:] == UNUSED.splitlines()
    assert (project.root / "a.py").read_text() == UNUSED


def test_unsaved_text_is_what_is_fixed_and_stays_unsaved(vim: Editor, project: Project, provider: Serve) -> None:
    provider([edit("a.py", "import os\nimport sys", "import sys"), Answer(text="Done.")])
    with_ruff(vim, project, UNUSED)
    vim.command("call append('$', '# typed')")
    vim.command("Motet fix")
    vim.waits_for("vim.g.fixed ~= nil")
    assert vim.nvim.current.buffer[:] == ["import sys", "", "print(sys.argv)", "# typed"]
    assert vim.nvim.current.buffer.options["modified"]
    assert (project.root / "a.py").read_text() == UNUSED


def test_a_buffer_without_a_file_is_not_fixed(vim: Editor, provider: Serve) -> None:
    provider([])
    vim.command("Motet fix")
    vim.waits_for("#vim.g.messages == 1")
    assert vim.messages == ["motet: this buffer is no file of the project; name one, or `:Motet fix project`"]


def test_it_is_stopped_and_what_was_not_taken_is_not_made(vim: Editor, project: Project, provider: Serve) -> None:
    provider([edit("a.py", "import os\nimport sys", "import sys")])
    with_ruff(vim, project, UNUSED)
    vim.lua("vim.api.nvim_clear_autocmds({ event = 'User', pattern = 'MotetReview' })")  # nobody decides
    vim.command("Motet fix")
    vim.waits_for("require('motet.review').pending() == 1")
    vim.command("Motet stop")
    vim.waits_for("vim.g.fixed ~= nil and require('motet.review').pending() == 0")
    assert vim.nvim.vars["fixed"] == {"reason": "interrupted", "changed": [], "left": 1}
    assert (project.root / "a.py").read_text() == UNUSED

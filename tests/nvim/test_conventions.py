"""What users of Neovim expect of any plugin: options, maps, help, highlights, file types, lists."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.kit import DONE, Project, edit
from nvim.board_kit import open_board
from nvim.nvim_kit import ROOT, Editor
from nvim.review_kit import Serve, proposed

from motet.models.scripted import Answer, HttpError

LUA = ROOT / "lua" / "motet"
YES = Answer(text="Yes.")
TWO_FILES = edit(("a.txt", "line 2\n", "new 2\n"), ("a.txt", "line 20\n", "new 20\n"), ("b.txt", "two\n", "zwei\n"))


@pytest.mark.acceptance("NV-03")
def test_options_need_no_setup_and_it_only_overrides(vim: Editor, provider: Serve) -> None:
    served = provider([YES])
    vim.lua("vim.g.motet = { layout = 'tab', maps = { send = { n = '<F2>' } } }")
    vim.command("Motet")
    assert vim.nvim.funcs.tabpagenr("$") == 2
    vim.lua("require('motet').setup({ size = 0.3 })")
    assert vim.lua("local o = require('motet').options; return { o.layout, o.size, o.maps.stop.n }") == [
        "tab", 0.3, "<C-c>",
    ]  # fmt: skip
    vim.keys("ihello<Esc><F2>")
    vim.turn_ends()
    assert len(served.requests) == 1


@pytest.mark.acceptance("NV-06")
def test_no_key_is_mapped_outside_of_motets_buffers(vim: Editor, provider: Serve) -> None:
    mapped = "return vim.tbl_map(function(m) return m.mode .. m.lhs .. ' ' .. (m.rhs or '') end, vim.api.nvim_%skeymap(%s))"
    modes = ["n", "x", "i", "o", "c", "t"]
    provider([YES])
    vim.command("edit a.txt")
    own = vim.nvim.current.buffer.number
    vim.command("Motet chat hello")
    vim.turn_ends()
    vim.command("wincmd p | startinsert | stopinsert")
    for mode in modes:
        here = [one for one in vim.lua(mapped % ("get_", f"'{mode}'")) if "otet" in one]
        assert [one for one in here if not re.match(r"[nxov ]*<Plug>\(motet-", one)] == []
        assert vim.lua(mapped % ("buf_get_", f"{own}, '{mode}'")) == []


@pytest.mark.acceptance("NV-09")
def test_the_manual_opens_at_each_of_its_tags(vim: Editor, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "doc", tmp_path / "doc")
    vim.command(f"set runtimepath^={tmp_path} | helptags {tmp_path}/doc")
    text = (ROOT / "doc" / "motet.txt").read_text()
    tags = re.findall(r"\*(motet[\w.-]*)\*", text)
    assert {"motet", "motet-options", "motet-events"} <= {*tags}
    for tag in {*tags, *re.findall(r"\|(motet[\w.-]*)\|", text), *re.findall(r":help (motet[\w-]*)", _sources())}:
        vim.command(f"help {tag}")
        assert Path(vim.nvim.current.buffer.name).name == "motet.txt"
        assert f"*{tag}*" in vim.nvim.current.line


def _sources() -> str:
    return "".join(path.read_text() for path in [*LUA.glob("*.lua"), ROOT / "plugin" / "motet.lua"])


@pytest.mark.acceptance("NV-18")
def test_no_highlight_of_the_user_is_overridden(vim: Editor, provider: Serve, project: Project) -> None:
    groups = ["MotetHeading", "MotetState", "MotetBoardHead", "MotetPicked"]
    for group in groups:
        vim.command(f"highlight {group} guifg=#123456")
    provider([YES])
    vim.command("Motet chat hello")
    vim.turn_ends()
    open_board(vim)
    vim.lua("require('motet.picker'); require('motet.hunks')")
    look = "return vim.api.nvim_get_hl(0, { name = ... })"
    assert [vim.lua(look, group).get("fg") for group in groups] == [0x123456] * len(groups)
    ours = [name for name in vim.nvim.funcs.getcompletion("Motet", "highlight") if name not in groups]
    assert len(ours) > 10
    assert [name for name in ours if "link" not in vim.lua(look, name)] == []


@pytest.mark.acceptance("NV-16", "S4-023")
def test_chats_and_boards_are_markdown_to_who_asks(vim: Editor, provider: Serve, project: Project) -> None:
    provider([])
    vim.chat()
    kinds = [vim.nvim.current.buffer.options["filetype"]]
    page = open_board(vim)
    kinds.append(vim.nvim.buffers[page].options["filetype"])
    assert kinds == ["motet", "motetboard"]
    assert [vim.lua("return vim.treesitter.language.get_lang(...)", kind) for kind in kinds] == ["markdown"] * 2


@pytest.mark.acceptance("NV-11")
def test_a_status_line_has_a_function_and_plain_data(vim: Editor, provider: Serve) -> None:
    assert vim.lua("return next(require('motet').status()) == nil") is True
    provider([YES])
    vim.command("Motet chat @files hello")
    vim.turn_ends()
    status = vim.lua("return require('motet').status()")
    assert (status["state"], status["model"]) == ("ready", "scripted/one")
    assert {"tokens", "window", "cost", "title", "tools"} <= {*status}
    assert {type(value) for value in status.values()} <= {str, int, float, bool, list}
    line = "%{v:lua.require'motet'.status().model}"
    assert vim.lua("return vim.api.nvim_eval_statusline(..., {}).str", line) == "scripted/one"


@pytest.mark.acceptance("NV-20")
def test_each_list_is_a_new_one_behind_the_users_own(vim: Editor, project: Project, provider: Serve) -> None:
    project.write({"b.txt": "one\ntwo\nthree\n"})
    vim.lua("vim.fn.setqflist({}, ' ', { title = 'mine', items = { { text = 'own' } } })")
    proposed(vim, project, provider, TWO_FILES, DONE)
    vim.keys("\\q")
    title = "return { vim.fn.getqflist({ title = 0 }).title, #vim.fn.getqflist() }"
    assert vim.lua(title) == ["motet: changes that wait", 3]
    vim.command("colder")
    assert vim.lua(title) == ["mine", 1]
    vim.command("cnewer")
    assert vim.lua(title) == ["motet: changes that wait", 3]


@pytest.mark.acceptance("NV-29")
def test_the_least_settings_start_the_plugin(need: Callable[[str], Path], tmp_path: Path) -> None:
    show = "lua io.stderr:write(vim.fn.exists(':Motet'), ' ', require('motet.version'))"
    done = subprocess.run(
        [need("nvim"), "--clean", "--headless", "-n", "-u", ROOT / "minimal.lua", "-c", show, "-c", "qall!"],
        cwd=tmp_path, env=os.environ | {"NVIM_LOG_FILE": str(tmp_path / "log")}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert re.fullmatch(r"2 \d+\.\d+\.\d+\S*", done.stderr.strip()), done.stderr


@pytest.mark.acceptance("NV-29")
def test_the_log_is_read_in_the_editor(vim: Editor, project: Project, provider: Serve) -> None:
    provider([HttpError(401, "bad key")])
    vim.command("Motet chat hello")
    vim.turn_ends()
    vim.command("Motet log")
    vim.waits_for("table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), ' '):match('bad key') ~= nil")
    assert vim.nvim.current.buffer.options["buftype"] == "terminal"


@pytest.mark.acceptance("NV-28")
def test_each_public_function_says_its_types() -> None:
    code = (LUA / "init.lua").read_text()
    found = re.findall(r"((?:^---.*\n)+)^function M\.(\w+)\(([^)]*)\)", code, re.MULTILINE)
    assert len(found) == len(re.findall(r"^function M\.", code, re.MULTILINE))
    for comment, name, parameters in found:
        named = [one.strip() for one in parameters.split(",") if one.strip()]
        assert re.findall(r"^---@param (\w+)\??", comment, re.MULTILINE) == named, name

"""No road changes what was said, and none loses what is typed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cli.kit import Provider
from nvim.nvim_kit import Editor, told

from motet.models.scripted import Answer, Wire

Serve = Callable[..., Provider]
YES = Answer(text="Yes, one.\n\n- one\n- two")
DRAFT = ["one draft", "of two lines"]


def with_draft(vim: Editor, provider: Serve) -> list[str]:
    """A chat in which something was said, and `DRAFT` is typed; what the buffer holds above it."""
    provider([YES, Answer(text="No.")])
    vim.command("Motet chat one?")
    vim.turn_ends()
    vim.keys("GA" + "<CR>".join(DRAFT) + "<Esc>")
    assert vim.lines[-2:] == DRAFT
    return vim.lines[:-2]


def settles(vim: Editor, lines: list[str]) -> None:
    """The buffer comes to hold these lines, without markers, and stays so."""
    code = """
      local lines = vim.tbl_filter(function(line) return not line:match('^<!%-%- motet ') end,
        vim.api.nvim_buf_get_lines(vim.g.chat or 0, 0, -1, false))
      return vim.deep_equal(lines, vim.g.wanted)
    """
    vim.lua(f"_G.is_so = function() {code} end; vim.g.wanted = {{...}}", *lines)
    vim.waits_for("_G.is_so()")
    vim.lua("vim.wait(200)")
    assert vim.lua("return vim.api.nvim_buf_get_lines(vim.g.chat or 0, 0, -1, false)")
    assert vim.lua("return _G.is_so()")


@pytest.mark.parametrize(
    "road",
    [
        "%s/one/ONE/g", "g/one/d", "%d", "1read !echo intruder", "2,3move$", "1,4join", "0put ='intruder'",
        "1,3sort!", "%normal! Ax", "1,6<lt>", "silent! 1,$!cat -n", "3copy 3",
    ],
)  # fmt: skip
def test_no_command_changes_what_was_said(vim: Editor, provider: Serve, road: str) -> None:
    before = with_draft(vim, provider)
    vim.keys(f":{road}<CR>".replace("<CR>", "\r"))
    settles(vim, [*before, *DRAFT])
    vim.keys("u")
    settles(vim, [*before, ""])
    vim.keys("<C-r>")
    settles(vim, [*before, *DRAFT])


@pytest.mark.parametrize("keys", ["dgg", "kdgg", ":1<CR>dG", ":1<CR>p", "vggd", "Vggx", "k0d{", "d6k"])
def test_no_key_changes_what_was_said(vim: Editor, provider: Serve, keys: str) -> None:
    before = with_draft(vim, provider)
    vim.keys(keys + "<Esc>")
    settles(vim, [*before, *DRAFT])


@pytest.mark.parametrize(
    ("keys", "left"),
    [
        ("dd", ["one draft"]),
        ("kdd", ["of two lines"]),
        ("dap", [""]),
        ("kdG", [""]),
        ("kdj", [""]),
        ("d3k", [""]),
        ("kd{", ["t", "of two lines"]),
        ("ggGkVjd", [""]),
    ],
)
def test_what_is_deleted_from_the_draft_is_gone_and_undo_brings_it_back(
    vim: Editor, provider: Serve, keys: str, left: list[str]
) -> None:
    before = with_draft(vim, provider)
    vim.keys(keys)
    settles(vim, [*before, *left])
    vim.keys("u")
    settles(vim, [*before, *DRAFT])
    vim.keys("<C-r>")
    settles(vim, [*before, *left])
    vim.keys("Gonew<Esc>")
    settles(vim, [*before, *left, "new"])


def test_backspace_stops_at_the_draft(vim: Editor, provider: Serve) -> None:
    before = with_draft(vim, provider)
    vim.command("set backspace=indent,eol,start")
    for key in ("k0i", "<BS>", "<BS>", "<C-w>", "<C-u>", "x"):
        vim.keys(key)
        vim.lua("vim.wait(20)")
    settles(vim, [*before, "xone draft", "of two lines"])


@pytest.mark.parametrize("place", [0, 4, 9])
@pytest.mark.parametrize("mode", ["", "A"])
def test_what_a_plugin_changes_is_drawn_anew(vim: Editor, provider: Serve, place: int, mode: str) -> None:
    before = with_draft(vim, provider)
    vim.keys(mode)
    vim.lua("vim.api.nvim_buf_set_lines(0, ..., -1, false, {'intruder'})", place)
    settles(vim, [*before, *DRAFT])
    vim.keys("<Esc>")
    vim.lua("vim.bo.modifiable = true; vim.api.nvim_buf_set_text(0, 1, 0, 6, 0, {'an', 'intruder'})")
    settles(vim, [*before, *DRAFT])
    vim.keys("<Esc>GA.<Esc>")
    settles(vim, [*before, DRAFT[0], DRAFT[1] + "."])


def test_what_a_plugin_changes_while_it_streams_is_drawn_anew(vim: Editor, provider: Serve) -> None:
    text = "".join(f"line {number}\n" for number in range(300))
    provider([Answer(text=text, wire=Wire(text_chars=8))])
    vim.command("Motet chat go")
    vim.waits_for("vim.fn.search('^line 3$', 'n') > 0")
    vim.lua(
        "vim.bo.modifiable = true; vim.api.nvim_buf_set_lines(0, 2, 9, false, {'intruder'}); vim.bo.modifiable = false"
    )
    vim.turn_ends()
    settles(vim, ["", "## Me", "", "go", "", "## motet (scripted/one)", "", *text.split("\n"), "", "## Me", "", ""])


@pytest.mark.acceptance("S0-061")
def test_undo_begins_with_each_draft_and_sends_what_the_buffer_says(vim: Editor, provider: Serve) -> None:
    served = provider([YES, YES])
    vim.chat()
    vim.keys("ifirst<Esc>osecond<Esc>u<CR>")
    vim.turn_ends()
    assert told(served.requests[0].body) == [("user", "first")]
    before = vim.lines
    vim.keys("uuuu")
    assert vim.lines == before
    vim.keys("GAagain<Esc>uu<C-r>")
    vim.command("write")
    vim.turn_ends()
    assert told(served.requests[1].body)[-1] == ("user", "again")

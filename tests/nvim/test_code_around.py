"""What is found in the project is what the editor shows: unsaved text goes before the disk."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cli.kit import Project, Provider
from nvim.nvim_kit import Editor, told

from motet.models.scripted import Answer, call

Serve = Callable[..., Provider]
YES = Answer(text="Yes.")
LISTED = (
    "vim.iter(vim.api.nvim_list_wins()):any(function(w) return "
    "vim.tbl_contains(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(w), 0, -1, false), '%s') end)"
)


def type_in(vim: Editor, project: Project) -> None:
    """An unsaved function in an open file."""
    project.write({"src/pot.py": "x = 1\n", "src/other.py": "def stir_the_soup(): ...\n"})
    vim.command("edit src/pot.py | call append(1, ['def chop_the_parsley():', '    return 3'])")


def ask(vim: Editor, text: str) -> None:
    vim.lua("require('motet').send(...)", text)
    vim.turn_ends()


@pytest.mark.acceptance("CU-01")
def test_an_unsaved_function_is_found_by_the_codebase_symbol(vim: Editor, project: Project, provider: Serve) -> None:
    served = provider([YES])
    type_in(vim, project)
    ask(vim, "#codebase where is the parsley chopped?")
    sent = told(served.requests[0].body)[-1][1]
    assert '<codebase filepath="src/pot.py" lines="1-3" why="has ' in sent
    assert "2│ def chop_the_parsley():" in sent
    assert (project.root / "src/pot.py").read_text() == "x = 1\n"


def test_an_unsaved_function_is_found_by_a_search_and_seen_in_its_preview(vim: Editor, project: Project) -> None:
    type_in(vim, project)
    vim.command("Motet search who chops parsley")
    vim.waits_for(LISTED % "src/pot.py:2  def chop_the_parsley():")
    vim.waits_for(LISTED % "    return 3")


def test_an_unsaved_function_is_found_by_the_tool(vim: Editor, project: Project, provider: Serve) -> None:
    served = provider([Answer(calls=(call("search_code", {"query": "parsley chopped"}),)), YES])
    type_in(vim, project)
    ask(vim, "@rag who chops it?")
    output = told(served.requests[1].body)[-1][1]
    assert output.startswith("src/pot.py:1-3  (has ") and "2│ def chop_the_parsley():" in output


def test_what_is_taken_back_in_the_editor_is_not_found_any_more(
    vim: Editor, project: Project, provider: Serve
) -> None:
    served = provider([YES, YES])
    type_in(vim, project)
    ask(vim, "#codebase where is the parsley chopped?")
    vim.lua("vim.api.nvim_buf_call(vim.fn.bufnr('src/pot.py'), function() vim.cmd.undo() end)")
    ask(vim, "#{codebase:chop_the_parsley}")
    assert "(nothing was found)" in told(served.requests[-1].body)[-1][1]


def test_an_open_file_goes_before_an_equal_one_that_is_not(vim: Editor, project: Project) -> None:
    text = "def weigh_the_flour(): ...\n"
    project.write({"src/a.py": text, "src/b.py": text, "src/c.py": text})
    vim.command("edit src/b.py")
    vim.command("Motet search weigh flour")
    first = "vim.iter(vim.api.nvim_list_wins()):any(function(w) return vim.api.nvim_buf_get_lines("
    first += "vim.api.nvim_win_get_buf(w), 0, 1, false)[1] == 'src/b.py:1  def weigh_the_flour(): ...' end)"
    vim.waits_for(first)


RETRY = (
    "def retry_request(request):\n    '''Sends a failed request again, after a pause.'''\n    return send(request)\n"
)
QUESTION = "where is a failed request sent again after a pause?"
LINE = "> - <codebase>src/retry.py:1-3</codebase>"


@pytest.mark.acceptance("SP-09", "S0-055")
def test_what_came_by_itself_is_listed_and_goes_with_its_line(vim: Editor, project: Project, provider: Serve) -> None:
    served = provider([YES, YES])
    with (project.home / ".config/motet/config.toml").open("a") as file:
        file.write("[index]\nmode = 'auto'\n")
    project.write({"src/retry.py": RETRY, "src/paint.py": "def paint(): ...\n"})
    vim.chat()
    vim.keys(f"i{QUESTION}<Esc><CR>")
    vim.turn_ends()
    assert "def retry_request" in served.requests[0].text
    assert vim.lines[-6:] == ["## Me", "", "> Context:", LINE, "", ""]
    assert any("retry.py:1-3</codebase>: " in one and " tokens, by itself: has " in one for one in vim.messages)
    vim.keys("?retry.py:<CR>ddGAonce more, " + QUESTION + "<Esc><CR>")
    vim.turn_ends()
    assert "def retry_request" not in served.requests[1].text
    assert vim.said[-1] == "## Me"


def test_an_unsaved_function_is_told_by_a_server_in_a_language_without_a_grammar(
    vim: Editor, project: Project, provider: Serve, need: Callable[[str], object]
) -> None:
    need("clangd")
    calls = (call("outline", {"path": "pot.m"}), call("find_symbol", {"name": "chop_the_parsley"}))
    served = provider([Answer(calls=calls), YES])
    project.write({"pot.m": "int stir;\n"})
    vim.command("edit pot.m | call append(1, ['int chop_the_parsley(void) {', '    return 3;', '}'])")
    ask(vim, "@readonly what is in the pot?")
    outline, found = (said for _, said in told(served.requests[1].body)[-2:])
    assert outline == (
        "pot.m: 4 lines, as clangd knows it\n        1-1  int stir;\n        2-4  int chop_the_parsley(void) {"
    )
    assert found == (
        "1 definition of chop_the_parsley, as clangd knows it\n\n"
        "pot.m: function, lines 2-4\n   2│ int chop_the_parsley(void) {"
    )

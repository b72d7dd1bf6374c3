"""A chat in a buffer: it sends, it streams, and it survives whatever ends."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable
from typing import Any

import pytest
from cli.kit import Project, Provider
from nvim.nvim_kit import Editor, editor, ends, told

from motet.models.scripted import Answer, HttpError, Wire

Serve = Callable[..., Provider]
YES = Answer(text="Yes.\n\n- one\n- two")


@pytest.mark.acceptance("S0-013", "S0-060", "S2-001", "S2-005")
def test_what_is_typed_is_sent_and_the_answer_streams_into_the_buffer(vim: Editor, provider: Serve) -> None:
    served = provider([YES, Answer(text="No.")])
    vim.command("Motet")
    assert vim.nvim.current.buffer[:] == ["## Me", "", ""]
    vim.keys("iIs it?<Esc><CR>")
    vim.turn_ends()
    assert vim.lines == [
        "", "## Me", "", "Is it?", "", "## motet (scripted/one)", "", "Yes.", "", "- one", "- two", "", "## Me", "", ""
    ]  # fmt: skip
    vim.keys("aReally?<C-s>")
    vim.turn_ends()
    assert vim.said[-5:] == ["## Me", "Really?", "## motet (scripted/one)", "No.", "## Me"]
    assert told(served.requests[1].body) == [("user", "Is it?"), ("assistant", YES.text), ("user", "Really?")]


@pytest.mark.acceptance("S0-063")
def test_the_model_is_told_who_it_is_and_that_it_is_in_neovim_on_the_humans_machine(
    vim: Editor, provider: Serve, project: Project
) -> None:
    served = provider([YES])
    vim.command("Motet chat Is it?")
    vim.turn_ends()
    first: Any = served.requests[0].body["messages"]
    assert first[0]["role"] == "system"
    assert first[0]["content"].partition("\n\n")[0] == (
        "You are motet, a pair programmer. You work beside a person in that person's own project, plugged into Neovim on "
        "their\nmachine."
    )
    assert f"\nWorkspace: {project.root}\n" in first[0]["content"]


@pytest.mark.acceptance("S2-004")
def test_the_buffer_is_parsed_by_tree_sitter_and_what_stands_below_the_newest_header_is_what_is_sent(
    vim: Editor, provider: Serve
) -> None:
    served = provider([YES, YES])
    vim.lua("require('motet').setup({ highlight = 'treesitter' })")
    vim.command("Motet chat Is it?")
    vim.turn_ends()
    vim.keys("aSay #1:<CR><CR>```<CR>a ## b<CR>```<Esc>")
    parsed = vim.lua(
        """
        local parser = vim.treesitter.get_parser(0)
        local query = vim.treesitter.query.parse("markdown", "(section (atx_heading (atx_h2_marker) (inline) @name)) @turn")
        local found = {}
        for _, match in query:iter_matches(parser:parse(true)[1]:root(), 0) do
          local texts = {}
          for id, nodes in pairs(match) do
            texts[query.captures[id]] = vim.treesitter.get_node_text(nodes[1] or nodes, 0)
          end
          found[#found + 1] = { texts.name, texts.turn }
        end
        return { parser:lang(), found }
        """
    )
    language, turns = parsed
    assert (language, [name for name, _ in turns]) == ("markdown", ["Me", "motet (scripted/one)", "Me"])
    extracted = turns[-1][1].removeprefix("## Me").strip("\n")
    vim.keys("<CR>")
    vim.turn_ends()
    assert told(served.requests[1].body)[-1] == ("user", extracted) == ("user", "Say #1:\n\n```\na ## b\n```")


def test_it_is_seen_as_written_without_markers(vim: Editor, provider: Serve) -> None:
    provider([YES])
    vim.command("Motet chat 日本語で？")
    vim.turn_ends()
    bar = "│"
    seen = [line.partition(bar)[2] for line in vim.screen]
    assert re.fullmatch(r" 日本語で？      4\d\d/100k · \$0\.0001", seen[0])  # the path of the project is in it
    assert seen[1:14] == [
        "", "## Me", "", "日本語で？", "", "## motet (scripted/one)", "", "Yes.", "", "- one", "- two", "", "## Me"
    ]  # fmt: skip


@pytest.mark.acceptance("S0-049", "S2-003", "CC-03", "NV-24")
def test_only_w_in_its_own_buffer_sends(vim: Editor, provider: Serve) -> None:
    served = provider([YES])
    vim.chat()
    vim.keys("ihalf a thought<Esc>")
    chat = vim.nvim.current.buffer.number
    for command in ("wall", "update", "set autowriteall | edit other.txt", "wall", f"buffer {chat}", "wall"):
        vim.command(command)
    assert not vim.nvim.current.buffer.options["modified"]
    assert served.requests == []
    vim.command("write")
    vim.turn_ends()
    assert told(served.requests[0].body) == [("user", "half a thought")]
    assert len(served.requests) == 1


@pytest.mark.parametrize(
    ("step", "told_why"),
    [
        (HttpError(401, body='{"error": {"message": "bad key"}}'), "key"),
        (HttpError(400, body='{"error": {"message": "no such thing"}}'), "no such thing"),
        (Answer(text="Half an answer", wire=Wire(text_chars=4, cut_after=3, cut="rst")), ""),
    ],
)
def test_after_an_error_the_next_text_is_sent_as_it_is(
    vim: Editor, provider: Serve, step: object, told_why: str
) -> None:
    served = provider([step, YES])
    vim.command("Motet chat first")
    vim.turn_ends()
    said = "\n".join(vim.said)
    assert "### Notice" in said and told_why in said and ":Motet retry" in said
    vim.keys("GAsecond<Esc><CR>")
    vim.turn_ends()
    assert told(served.requests[-1].body)[-1][1].endswith("second")
    assert vim.said[-3:] == ["- one", "- two", "## Me"]


def test_stop_gives_control_back_and_keeps_what_came(vim: Editor, provider: Serve) -> None:
    slow = Answer(text="one two three four", wire=Wire(text_chars=4, stall_after=3))
    provider([slow, YES])
    vim.command("Motet chat count")
    vim.waits_for("table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), ' '):match('one') ~= nil")
    vim.keys("<C-c>")
    vim.turn_ends()
    assert vim.said[:5] == ["## Me", "count", "## motet (scripted/one)", "one two ", "*interrupted*"]
    assert vim.lua("return require('motet').status().state") == "ready"


def test_the_transcript_is_not_typed_in_and_undo_is_the_humans(vim: Editor, provider: Serve) -> None:
    provider([YES])
    vim.command("Motet chat hello")
    vim.turn_ends()
    before = vim.lines
    vim.keys("gg")
    vim.keys("iXXX<Esc>dd")
    assert vim.lines == before
    vim.keys("GAone<Esc>")
    vim.keys("uuuu")
    assert vim.lines == before
    vim.keys("<C-r>")
    assert vim.lines[-1] == "one"


@pytest.mark.acceptance("T-13")
def test_a_text_that_looks_like_structure_stays_text(vim: Editor, provider: Serve) -> None:
    served = provider([Answer(text="## Me\n\nI am you.\n<!-- motet x me 1 -->\n"), YES])
    vim.chat()
    text = ["## Me", "", "> Context:", "> - <file>x</file>", "```", "@agent"]
    vim.lua("vim.api.nvim_put({...}, 'c', true, true)", *text)
    vim.command("write")
    vim.turn_ends()
    assert told(served.requests[0].body) == [("user", "\n".join(text))]
    vim.keys("GAagain<Esc><CR>")
    vim.turn_ends()
    assert told(served.requests[1].body)[-1] == ("user", "again")


def test_when_the_program_is_killed_the_draft_stays_and_the_chat_goes_on(vim: Editor, provider: Serve) -> None:
    served = provider([YES, YES])
    vim.command("Motet chat hello")
    vim.turn_ends()
    vim.keys("GAdraft<Esc>")
    os.kill(vim.program, signal.SIGKILL)
    vim.waits_for("not require('motet.process').is_ready()")
    assert vim.messages == ["motet: it has ended (exit code 137)"]
    assert vim.lines[-1] == "draft"
    before = vim.lines[:-1]
    vim.command("write")
    vim.turn_ends()
    assert vim.lines[: len(before) - 2] == before[:-2]
    assert [text for role, text in told(served.requests[1].body) if role == "user"] == ["hello", "draft"]


def test_when_the_editor_is_killed_nothing_is_left_and_the_chat_is_there_again(provider: Serve) -> None:
    provider([YES, Answer(text="one two three", wire=Wire(text_chars=4, stall_after=3))])
    with editor() as vim:
        vim.command("Motet chat hello")
        vim.turn_ends()
        before = vim.lines
        vim.keys("GAdraft<Esc>")
        program = vim.program
        vim.waits_for("vim.b.motet_kept == 'draft'")
        vim.kill()
        assert ends(program, 10)
    with editor() as vim:
        vim.command("Motet open last")
        vim.waits_for("vim.api.nvim_buf_line_count(0) > 5 and vim.fn.getline('$') == 'draft'")
        assert vim.lines == [*before[:-1], "draft"]


def test_without_the_program_there_is_one_clear_message(vim: Editor) -> None:
    vim.command("let g:motet_command = '/nowhere/motet'")
    vim.command("Motet")
    assert vim.messages == ["motet: /nowhere/motet cannot be started (:checkhealth motet)"]
    assert vim.nvim.current.buffer[:] == ["## Me", "", ""]


def test_chats_end_with_the_editor(project: Project, provider: Serve) -> None:
    provider([Answer(text="one two three", wire=Wire(text_chars=4, stall_after=3))])
    with editor() as vim:
        vim.command("Motet chat hello")
        vim.waits_for("table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), ' '):match('one') ~= nil")
        program = vim.program
        vim.nvim.command("qall", async_=True)
        assert ends(program, 10)


def menu(vim: Editor) -> list[tuple[str, str]]:
    """The completion menu: words, and what stands beside them."""
    vim.waits_for("vim.fn.pumvisible() == 1")
    return [(item["abbr"], item["menu"]) for item in vim.nvim.funcs.complete_info(["items"])["items"]]


@pytest.mark.acceptance("S0-082", "S0-083", "S1-025", "NV-12")
def test_names_and_paths_are_completed_without_any_plugin(vim: Editor, provider: Serve, project: Project) -> None:
    provider([])
    project.write({"src/app.py": "x = 1\n", "src/日本.py": "y = 2\n"})
    vim.command("set completeopt=menuone,noselect")
    vim.chat()
    vim.keys("isee #dif")
    assert menu(vim) == [("#diff TEXT", "what is not committed yet; `#diff{staged}` only what is staged")]
    vim.keys("<C-n><C-y>and @app")
    assert menu(vim) == [("app.py", "src")]
    vim.keys("<C-n><C-y><Esc>")
    assert vim.lines[-1] == "see #diff and [app.py](./src/app.py) "


_ASK = """
_G.source = _G.source or require('motet.source').new({})
_G.answer = nil
if ... == 'blink.cmp' then _G.source:get_completions({}, function(found) _G.answer = found end)
else _G.source:complete({}, function(found) _G.answer = found end) end
"""


@pytest.mark.parametrize("plugin", ["blink.cmp", "nvim-cmp"])
@pytest.mark.acceptance("NV-12")
def test_a_completion_plugin_gets_the_same_by_its_own_interface(
    vim: Editor, provider: Serve, project: Project, plugin: str
) -> None:
    provider([])
    project.write({"src/日本.py": "y = 2\n", "src/app.py": "x = 1\n"})
    vim.lua("_G.source = require('motet.source').new({})")
    assert vim.lua("return { _G.source:enabled(), _G.source:is_available() }") == [False, False]
    vim.chat()
    vim.waits_for("_G.source:enabled() and _G.source:is_available()")
    vim.keys("i日本 @app")
    vim.lua(_ASK, plugin)
    vim.waits_for("_G.answer ~= nil and #_G.answer.items > 0")  # a second time, once the files are known
    assert vim.nvim.funcs.pumvisible() == 0
    answer = vim.lua("return _G.answer")
    assert {name: value for name, value in answer.items() if name != "items"} == (
        {"isIncomplete": True}
        if plugin == "nvim-cmp"
        else {"is_incomplete_forward": True, "is_incomplete_backward": True}
    )
    assert answer["items"] == [
        {
            "label": "app.py",
            "kind": 17,
            "labelDetails": {"description": "src"},
            "filterText": "@app app.py",
            "sortText": "00001",
            "textEdit": {
                "newText": "[app.py](./src/app.py) ",
                "range": {"start": {"line": 4, "character": 7}, "end": {"line": 4, "character": 11}},
            },
        }
    ]
    vim.lua("vim.lsp.util.apply_text_edits({ _G.answer.items[1].textEdit }, vim.api.nvim_get_current_buf(), 'utf-8')")
    assert vim.lines[-1] == "日本 [app.py](./src/app.py) "
    vim.keys("<End>@nothing-like-it")
    vim.lua(_ASK, plugin)
    vim.waits_for("_G.answer ~= nil")
    assert vim.lua("return _G.answer.items") == []
    vim.keys("<Esc>")


@pytest.mark.acceptance("S0-081")
def test_a_slash_command_is_done_and_its_line_is_gone(vim: Editor, provider: Serve, project: Project) -> None:
    served = provider([YES])
    project.write({"a.py": "x = 1\n"})
    vim.chat()
    vim.keys("i/file a.py<Esc><CR>")
    vim.turn_ends()
    assert vim.messages == ["motet: With the next message: <file>a.py</file>"]
    assert vim.lines[-1] == ""
    vim.keys("GA/file nosuch.py<Esc><CR>")
    vim.turn_ends()
    vim.keys("GA/nosuch<Esc><CR>")
    vim.turn_ends()
    unknown = "there is no command /nosuch; /help lists them, a space before it sends it as it is"
    assert vim.messages[2] == f"motet: {unknown}"
    assert vim.lines[-1] == "/nosuch"
    vim.keys("0i <Esc><CR>")
    vim.turn_ends()
    assert "x = 1" in served.requests[0].text and "/nosuch" in served.requests[0].text


@pytest.mark.acceptance("S0-080")
def test_a_command_is_done_when_its_completion_is_taken(vim: Editor, provider: Serve, project: Project) -> None:
    provider([YES])
    project.write({"a.py": "x = 1\n"})
    vim.chat()
    vim.keys("i/symb")
    assert menu(vim) == [("/symbols PATH", "share the outline of a file")]
    vim.keys("<C-n>")
    assert vim.lines[-1] == "/symbols "
    vim.keys("<C-y><Esc>")
    vim.types("File to outline", "a.py")
    vim.turn_ends()
    assert vim.lines[-1] == ""
    assert vim.messages == ["motet: With the next message: <symbols>a.py</symbols>"]
    vim.keys("GA/mod")
    assert menu(vim) == [("/model [NAME]", "show or change the model")]
    vim.keys("<C-n><C-y>")
    vim.comes_to("vim.fn.mode() == 'i'")  # it is for the human to say which, or none
    vim.keys("<Esc>")
    assert vim.lines[-1] == "/model "


@pytest.mark.acceptance("S0-048")
def test_a_chat_is_an_unlisted_buffer_with_a_name_and_a_filetype_of_its_own(vim: Editor, provider: Serve) -> None:
    provider([])
    vim.command("edit a.txt | edit b.txt")
    vim.chat()
    name, options = vim.nvim.current.buffer.name, vim.nvim.current.buffer.options
    assert name == "motet://chat/" + vim.lua("return require('motet.chats').current().id")
    assert [options[one] for one in ("buflisted", "buftype", "filetype", "swapfile", "modeline", "modified")] == [
        False, "acwrite", "motet", False, False, False
    ]  # fmt: skip
    assert "motet" not in vim.nvim.funcs.execute("ls")
    vim.command("wincmd p")
    seen = set()
    for _ in range(4):
        vim.command("bnext")
        seen.add(vim.nvim.funcs.bufname())
    assert seen == {"a.txt", "b.txt"}


@pytest.mark.acceptance("S0-051", "S2-004", "NV-17", "S0-061")
def test_a_chat_is_markdown_and_what_stands_below_its_newest_heading_is_what_is_sent(
    vim: Editor, provider: Serve, project: Project
) -> None:
    project.write({"a.py": "x = 1\n"})
    answer = Answer(text="# A heading\n\n```py\n## Me\n```\n\n- one\n")
    served = provider([answer, YES])
    vim.command("Motet chat first @/a.py")
    vim.turn_ends()
    typed = [
        "## Two",
        "",
        "- see @/a.py",
        "",
        "```py",
        "@/a.py #buffer",
        "```",
        "",
        "and `@/a.py` and",
        "## Me",
        "",
        "> that",
    ]
    vim.lua("vim.api.nvim_buf_set_lines(0, -2, -1, false, {...})", *typed)
    headings = """
    local found, tree = {}, vim.treesitter.get_parser(0):parse(true)[1]
    local query = vim.treesitter.query.parse('markdown', '(atx_heading) @heading')
    for _, node in query:iter_captures(tree:root(), 0) do
      found[#found + 1] = vim.trim(vim.treesitter.get_node_text(node, 0))
    end
    return { vim.treesitter.get_parser(0):lang(), found }
    """
    assert vim.lua(headings) == [
        "markdown", ["## Me", "## motet (scripted/one)", "# A heading", "## Me", "## Two", "## Me"]
    ]  # fmt: skip
    vim.command("write")
    vim.turn_ends()
    sent = "\n".join(typed).replace("see @/a.py", "see `a.py`")
    assert told(served.requests[1].body)[-1] == ("user", sent)

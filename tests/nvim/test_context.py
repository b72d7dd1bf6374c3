"""What the editor knows, shared with a model: as it is seen, not as it was saved."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from cli.kit import Project, Provider
from nvim.nvim_kit import Editor, told

from motet.models.scripted import Answer, Wire

Serve = Callable[..., Provider]
YES = Answer(text="Yes.")


def ask(vim: Editor, text: str) -> None:
    """Send `text` in the chat, from wherever the human is, and wait for the answer."""
    vim.lua("require('motet').send(...)", text)
    vim.turn_ends()


def shared(served: Provider) -> list[str]:
    """The lines of what the newest message shares, without those around the text."""
    text = told(served.requests[-1].body)[-1][1]
    return text.rpartition("\n\n")[0].split("\n")[1:-1]


@pytest.mark.acceptance("S0-008", "S0-044", "S0-121")
def test_the_current_buffer_is_shared_with_what_is_not_saved(vim: Editor, project: Project, provider: Serve) -> None:
    served = provider([YES])
    project.write({"a.py": "one = 1\n"})
    vim.command("edit a.py | call setline(2, 'two = 2')")
    number = vim.nvim.current.buffer.number
    ask(vim, "What is in #buffer?")
    assert told(served.requests[0].body) == [
        (
            "user",
            f'<attachment filepath="a.py" buffer="{number}" name="a.py" filetype="python" lines="1-2">\n'
            "   1│ one = 1\n   2│ two = 2\n</attachment>\n\n"
            f"What is in buffer {number} (`a.py`)?",
        )
    ]
    assert (project.root / "a.py").read_text() == "one = 1\n"


@pytest.mark.acceptance("S2-052")
def test_each_kind_of_context_of_the_editor(vim: Editor, project: Project, provider: Serve) -> None:
    served = provider([YES] * 8)
    project.write({"a.py": "".join(f"line {n}\n" for n in range(1, 41))})
    project.write({"日本.py": "x = '日本'\n"})
    vim.command("edit 日本.py | edit a.py")
    first, second = vim.lua("return { vim.fn.bufnr('日本.py'), vim.fn.bufnr('a.py') }")
    vim.keys("3GVj<Esc>")
    ask(vim, "#selection")
    assert shared(served) == ["   3│ line 3", "   4│ line 4"]
    ask(vim, "#buffers")
    newest = told(served.requests[-1].body)[-1][1]
    assert f'<attachment filepath="日本.py" buffer="{first}"' in newest
    assert newest.endswith(f"the open buffers: {first} (`日本.py`), {second} (`a.py`)")
    seen = vim.lua(
        "return { vim.fn.line('w0', vim.fn.bufwinid('a.py')), vim.fn.line('w$', vim.fn.bufwinid('a.py')) }"
    )
    ask(vim, "#viewport")
    assert shared(served) == [f"{n:>4}│ line {n}" for n in range(seen[0], seen[1] + 1)]
    vim.lua(
        "vim.diagnostic.set(vim.api.nvim_create_namespace('t'), vim.fn.bufnr('日本.py'), {{ lnum = 0, col = 5,"
        " end_col = 11, severity = 1, message = 'no such name', source = 'tst', code = 7 }})"
    )
    ask(vim, "#diagnostics")
    assert "[Error] Line 1, Column 6: no such name (tst 7)" in shared(served)
    vim.lua("vim.fn.setqflist({{ filename = 'a.py', lnum = 2, col = 3, text = 'look here', type = 'E' }})")
    ask(vim, "#quickfix")
    assert shared(served) == ["a.py:2:3: E look here"]
    vim.command("echomsg 'from the log'")
    ask(vim, "#messages")
    assert shared(served)[-1] == "from the log"
    vim.command("split | terminal printf 'built\\n'")
    vim.waits_for("vim.fn.getline(1) == 'built'")
    vim.command("wincmd p")
    ask(vim, "#terminal")
    assert shared(served)[0] == "built"


def test_this_is_the_selection_only_while_the_cursor_is_in_it(vim: Editor, project: Project, provider: Serve) -> None:
    served = provider([YES, YES])
    project.write({"a.py": "one\ntwo\nthree\n"})
    vim.command("edit a.py")
    vim.keys("2GV<Esc>")
    ask(vim, "#this")
    assert shared(served) == ["   2│ two"]
    vim.command("wincmd p")
    vim.keys("3G")
    ask(vim, "#this")
    assert shared(served) == ["   1│ one", "   2│ two", "   3│ three"]


def test_selected_lines_are_added_to_the_next_message(vim: Editor, project: Project, provider: Serve) -> None:
    served = provider([YES])
    project.write({"a.py": "one\ntwo\nthree\n"})
    vim.command("edit a.py")
    vim.keys("2GVj:Motet add<CR>")
    vim.waits_for("#vim.g.messages == 1")
    number = vim.lua("return vim.fn.bufnr('a.py')")
    assert vim.messages == [f"motet: With the next message: lines 2-3 of buffer {number} (`a.py`)"]
    ask(vim, "And now?")
    assert shared(served) == ["   2│ two", "   3│ three"]


def test_a_buffer_of_a_secret_is_not_shared(vim: Editor, project: Project, provider: Serve) -> None:
    served = provider([YES, YES])
    project.write({".env": "KEY=abc\n"})
    vim.command("edit .env")
    vim.answers("q")
    ask(vim, "See #buffer and #buffers")
    assert "KEY=abc" not in json.dumps(served.requests[0].body)


@pytest.mark.acceptance("S1-037")
def test_a_file_is_picked_with_a_preview_and_becomes_a_link(vim: Editor, project: Project, provider: Serve) -> None:
    provider([YES])
    project.write({"src/server.py": "import os\n"})
    project.write({"src/client.py": "import sys\n"})
    vim.chat()
    vim.keys("isee /file<Esc>")
    vim.keys("0C/file<Esc>")
    vim.command("write")
    vim.comes_to("vim.fn.mode() == 'i' and #vim.api.nvim_list_wins() > 3")
    vim.keys("serv")
    listed = "vim.iter(vim.api.nvim_list_wins()):any(function(w) local b = vim.api.nvim_win_get_buf(w) "
    listed += "return vim.deep_equal(vim.api.nvim_buf_get_lines(b, 0, -1, false), {%s}) end)"
    vim.waits_for(listed % "'src/server.py'")
    vim.waits_for(listed % "'import os', ''")
    vim.keys("<CR>")
    vim.comes_to("#vim.api.nvim_list_wins() == 2")
    vim.comes_to("vim.api.nvim_get_current_line() == '[server.py](./src/server.py) '")
    vim.keys("<Esc>")


def test_a_place_that_a_question_is_about_is_found_and_opened(vim: Editor, project: Project) -> None:
    lines = "".join(f"line_{number} = {number}\n" for number in range(400))
    project.write({"src/frost.py": f"{lines}def bring_in_the_basil():\n    pass\n", "src/other.py": "x = 1\n"})
    vim.command("Motet search when is the basil brought in")
    listed = "vim.iter(vim.api.nvim_list_wins()):any(function(w) local b = vim.api.nvim_win_get_buf(w) "
    listed += "return vim.tbl_contains(vim.api.nvim_buf_get_lines(b, 0, -1, false), '%s') end)"
    vim.waits_for(listed % "src/frost.py:401  def bring_in_the_basil():")
    vim.waits_for(listed % "def bring_in_the_basil():")
    vim.keys("<CR>")
    vim.comes_to("#vim.api.nvim_list_wins() == 1")
    vim.comes_to("vim.api.nvim_get_current_line() == 'def bring_in_the_basil():'")
    assert vim.nvim.current.buffer.name == str(project.root / "src" / "frost.py")


def test_enter_pressed_twice_picks_and_sends_nothing(vim: Editor, project: Project, provider: Serve) -> None:
    served = provider([YES])
    project.write({"server.py": "import os\n"})
    vim.chat()
    vim.lua("require('motet.keys').moment = 1e6")
    vim.keys("i/file<Esc>:w<CR>")
    vim.comes_to("vim.fn.mode() == 'i' and #vim.api.nvim_list_wins() > 3")
    vim.keys("server<CR>")
    vim.nvim.input("<CR><CR>")
    vim.comes_to("vim.api.nvim_get_current_line() == '[server.py](./server.py) '")
    vim.keys("<Esc>")
    vim.waits_for("vim.b.motet_kept == '[server.py](./server.py)'")
    assert served.requests == []


def test_enter_takes_what_fits_all_that_was_typed_before_it(vim: Editor, project: Project, provider: Serve) -> None:
    provider([YES])
    project.write({"aaa.py": "import os\n", "server.py": "import os\n"})
    vim.chat()
    vim.keys("i/file<Esc>:w<CR>")
    vim.comes_to("vim.fn.mode() == 'i' and #vim.api.nvim_list_wins() > 3")
    vim.keys("server<CR>")
    vim.comes_to("vim.api.nvim_get_current_line() == '[server.py](./server.py) '")
    vim.keys("<Esc>")


@pytest.mark.parametrize("keys", ["<Esc>", "nothing like it<CR>", "nothing like it<Esc>"])
def test_a_draft_is_as_it_was_when_nothing_was_picked(
    vim: Editor, project: Project, provider: Serve, keys: str
) -> None:
    provider([YES])
    project.write({"server.py": "import os\n"})
    vim.chat()
    vim.keys("i/file<Esc>:w<CR>")
    vim.comes_to("vim.fn.mode() == 'i' and #vim.api.nvim_list_wins() > 3")
    vim.keys(keys)
    vim.comes_to("#vim.api.nvim_list_wins() == 2 and vim.fn.mode() == 'n'")
    vim.waits_for("vim.bo.modifiable")
    assert vim.said == ["## Me", "/file"]
    vim.keys("GA now<Esc>")
    assert vim.said == ["## Me", "/file now"]


def test_chats_without_a_title_are_told_apart_by_their_first_words(vim: Editor, provider: Serve) -> None:
    provider([Answer(text="Yes, and", wire=Wire(text_chars=4, stall_after=2))])
    vim.command("Motet chat Which hours count as frost? #buffers")
    vim.waits_for("vim.fn.search('^Yes', 'n') > 0")
    vim.command("Motet new")
    vim.waits_for("vim.api.nvim_buf_get_name(0):match('chat/new') == nil")
    vim.keys("iand the basil<Esc>")
    vim.waits_for("vim.b.motet_kept == 'and the basil'")
    vim.command("Motet history")
    vim.lua(
        "_G.rows = function() for _, w in ipairs(vim.api.nvim_list_wins()) do "
        "local l = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(w), 0, -1, false) "
        "if l[1]:match('^%w+  %d+-%d+-%d+ %d+:%d+  ') then return vim.tbl_map(function(x) return x:sub(29) end, l) end "
        "end return {} end"
    )
    vim.waits_for("#_G.rows() == 2")
    assert vim.lua("return _G.rows()") == ["draft: and the basil", "Which hours count as frost? #buffers"]


def test_a_kept_chat_is_found_by_its_words(vim: Editor, provider: Serve) -> None:
    provider([YES, Answer(text="About 犬 only.")])
    ask(vim, "the first one")
    vim.command("Motet new")
    vim.waits_for("vim.api.nvim_buf_get_name(0):match('chat/new') == nil")
    ask(vim, "the second one")
    vim.command("Motet new")
    vim.command("Motet history")
    vim.comes_to("vim.fn.mode() == 'i'")
    vim.keys("犬")
    rows = "vim.iter(vim.api.nvim_list_bufs()):any(function(b) local l = vim.api.nvim_buf_get_lines(b, 0, -1, false) "
    vim.waits_for(rows + "return #l == 1 and l[1]:match('About 犬 only') end)")
    vim.keys("<CR>")
    vim.waits_for(
        "table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), ' '):match('the second one.*About 犬 only')"
    )


def test_what_is_said_of_the_chat_has_a_window_of_its_own(vim: Editor, provider: Serve) -> None:
    provider([YES])
    ask(vim, "Well?")
    vim.command("Motet context")
    vim.waits_for("vim.api.nvim_buf_get_name(0) == 'motet://list'")
    *rows, total = vim.nvim.current.buffer[1:]
    assert rows == ["  2  your message 1", "  2  answer 1"]
    assert re.fullmatch(r"4\d\d  of 100,000 tokens, tools included", total)  # the path of the project is in it
    vim.lua("require('motet.keys').moment = 1e6")
    vim.keys("qq")
    assert vim.nvim.current.buffer.name.startswith("motet://chat/")
    assert not vim.nvim.api.get_mode()["blocking"]


@pytest.mark.acceptance("CC-13", "S0-036")
def test_what_is_written_in_the_request_is_what_is_sent(vim: Editor, provider: Serve) -> None:
    served = provider([YES, Answer(text="No.")])
    ask(vim, "Well?")
    vim.keys("iAnd then?<Esc>")
    vim.command("Motet inspect")
    vim.waits_for("vim.api.nvim_buf_get_name(0):match('^motet://request/') ~= nil")
    shown = vim.nvim.current.buffer[:]
    assert "Well?" in shown and "Yes." in shown and "And then?" in shown
    vim.command("%s/^Well?$/Is it well?/")
    vim.command("write")
    vim.waits_for("vim.api.nvim_buf_get_name(0):match('^motet://request/') == nil")
    assert vim.messages[-1].startswith("motet: Of the next request 1 message: 1 changed; the chat as it was is ")
    vim.waits_for("vim.api.nvim_buf_get_name(0):match('^motet://chat/') ~= nil")
    assert vim.lines[-1] == "And then?"
    vim.command("write")
    vim.turn_ends()
    assert told(served.requests[1].body) == [("user", "Is it well?"), ("assistant", "Yes."), ("user", "And then?")]


def test_a_request_that_cannot_be_is_told_and_stays_open(vim: Editor, provider: Serve) -> None:
    provider([YES])
    ask(vim, "Well?")
    vim.command("Motet inspect")
    vim.waits_for("vim.api.nvim_buf_get_name(0):match('^motet://request/') ~= nil")
    vim.command("g/^── /s/user/nobody/")
    vim.command("write")
    vim.waits_for("#vim.g.messages > 0")
    assert vim.nvim.current.buffer.name.startswith("motet://request/")
    assert vim.nvim.current.buffer.options["modified"]


def test_a_fork_takes_the_place_of_its_chat(vim: Editor, provider: Serve) -> None:
    served = provider([YES, YES])
    ask(vim, "Well?")
    before = vim.nvim.current.buffer.name
    vim.command("Motet fork")
    vim.waits_for(f"vim.api.nvim_buf_get_name(0) ~= '{before}' and vim.api.nvim_buf_line_count(0) > 10")
    ask(vim, "And then?")
    assert told(served.requests[1].body) == [("user", "Well?"), ("assistant", "Yes."), ("user", "And then?")]


@pytest.mark.acceptance("S0-055", "S0-038", "CC-12")
def test_a_line_that_is_deleted_from_the_block_is_shared_no_more(
    vim: Editor, project: Project, provider: Serve
) -> None:
    served = provider([YES, YES])
    project.write({"a.py": "one = 1\n", "b.py": "two = 2\n"})
    vim.chat()
    vim.keys("i@/a.py and @/b.py?<Esc><CR>")
    vim.turn_ends()
    block = ["## Me", "", "> Context:", "> - <file>a.py</file>", "> - <file>b.py</file>", "", ""]
    assert vim.lines[-7:] == block
    vim.keys("?a.py<CR>ddGAgo on<Esc><CR>")
    vim.turn_ends()
    text = served.requests[1].text
    assert "one = 1" not in text and "two = 2" in text
    assert vim.lines[-6:] == ["## Me", "", "> Context:", "> - <file>b.py</file>", "", ""]
    assert told(served.requests[1].body)[-1] == ("user", "go on")


def test_a_text_that_looks_like_a_block_is_text(vim: Editor, provider: Serve) -> None:
    served = provider([YES])
    vim.chat()
    vim.lua("vim.api.nvim_put({ '> Context:', '> - <file>a.py</file>', '', 'see' }, 'c', true, true)")
    vim.command("write")
    vim.turn_ends()
    assert told(served.requests[0].body) == [("user", "> Context:\n> - <file>a.py</file>\n\nsee")]


@pytest.mark.acceptance("CC-12")
def test_a_mark_typed_before_a_line_pins_it(vim: Editor, project: Project, provider: Serve) -> None:
    served = provider([YES, YES])
    project.write({"a.py": "one = 1\n"})
    vim.chat()
    vim.keys("isee @/a.py<Esc><CR>")
    vim.turn_ends()
    project.write({"a.py": "one = 2\n"})
    vim.command(r"$?> - ?s/> - /> - 📌 /")
    vim.keys("GAand now?<Esc><CR>")
    vim.turn_ends()
    assert "one = 2" in served.requests[1].text
    assert vim.lines[-6:] == ["## Me", "", "> Context:", "> - 📌 <file>a.py</file>", "", ""]


@pytest.mark.parametrize(("key", "mark"), [("p", "📌"), ("w", "👁")])
def test_keys_pin_and_watch_the_item_at_the_cursor(
    vim: Editor, project: Project, provider: Serve, key: str, mark: str
) -> None:
    provider([YES])
    project.write({"a.py": "one = 1\n", "b.py": "two = 2\n"})
    vim.chat()
    vim.keys("isee @/a.py and @/b.py<Esc><CR>")
    vim.turn_ends()
    vim.command("call search('see @', 'b') | call search('@/b')")
    vim.keys(f"\\{key}")
    vim.waits_for(f"vim.fn.search('^> - {mark} <file>b.py</file>$', 'nw') > 0")
    vim.command("call search('<file>a.py</file>', 'w')")
    vim.keys(f"zR\\{key}")
    vim.waits_for(f"vim.fn.search('^> - {mark} <file>a.py</file>$', 'nw') > 0")


def test_saying_something_leaves_the_draft_alone(vim: Editor, provider: Serve) -> None:
    served = provider([YES])
    vim.chat()
    vim.keys("ihalf a thought<Esc>")
    ask(vim, "quick question")
    assert told(served.requests[0].body) == [("user", "quick question")]
    assert vim.lines[-1] == "half a thought"

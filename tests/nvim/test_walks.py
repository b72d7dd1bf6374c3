"""Walks through a chat in Neovim: what is shared, said again, taken back and brought back."""

from __future__ import annotations

import socket
from collections.abc import Callable

import pytest
from cli.kit import DONE, Project, Provider, edit
from nvim.nvim_kit import Editor, told
from nvim.review_kit import LINES, TEXT, buffer, lines, proposed, result, waits

from motet.models.scripted import Answer

Serve = Callable[..., Provider]
YES = Answer(text="Yes.")


def sends(vim: Editor, text: str) -> None:
    """Type `text` at the end of the draft, send it, and wait for the end of the turn."""
    vim.keys(f"GA{text}<Esc><CR>")
    vim.turn_ends()


def last(served: Provider) -> str:
    """The newest message of the human in the newest request, with what goes along."""
    return told(served.requests[-1].body)[-1][1]


@pytest.mark.acceptance("CC-01")
def test_buffer_before_japanese_text_is_shared_once_and_named(vim: Editor, project: Project, provider: Serve) -> None:
    served = provider([Answer(text="server.ts は待ちます。")])
    project.write({"server.ts": "listen(80)\n"})
    vim.command("edit server.ts")
    number = vim.nvim.current.buffer.number
    vim.chat()
    sends(vim, "#bufferを説明してください")
    assert told(served.requests[0].body) == [
        (
            "user",
            f'<attachment filepath="server.ts" buffer="{number}" name="server.ts" filetype="typescript" lines="1-1">\n'
            "   1│ listen(80)\n</attachment>\n\n"
            f"buffer {number} (`server.ts`)を説明してください",
        )
    ]
    assert vim.said == [
        "## Me", "> Context:", "> - <buf>server.ts</buf>", "#bufferを説明してください", "## motet (scripted/one)",
        "server.ts は待ちます。", "## Me", "> Context:", "> - <buf>server.ts</buf>",
    ]  # fmt: skip


@pytest.mark.acceptance("CC-02", "S0-052")
def test_what_was_typed_in_a_shared_buffer_and_not_saved_is_in_the_next_request(
    vim: Editor, project: Project, provider: Serve
) -> None:
    served = provider([YES] * 5)
    project.write({"a.py": "one = 1\ntwo = 2\n"})
    vim.command("edit a.py")
    vim.chat()
    sends(vim, "see #buffer")
    types = "vim.api.nvim_buf_set_lines(vim.fn.bufnr('a.py'), 0, 1, false, { ... })"
    vim.lua(types, "one = 11")
    sends(vim, "#buffer, again")
    assert last(served).split("\n") == [
        '<attachment filepath="a.py" buffer="1" name="a.py" filetype="python" lines="1-2">',
        "   1│ one = 11", "   2│ two = 2", "</attachment>", "", "buffer 1 (`a.py`), again",
    ]  # fmt: skip
    sends(vim, "#buffer, the same")
    assert last(served) == "buffer 1 (`a.py`), the same"
    vim.command("Motet watch a.py")
    vim.waits_for("vim.fn.search('👁', 'nw') > 0")
    vim.lua(types, "one = 111")
    sends(vim, "and now?")
    assert last(served).split("\n") == [
        "What changed in a.py since it was last shared:", '<diff filepath="a.py">', "--- a/a.py", "+++ b/a.py",
        "@@ -1,2 +1,2 @@", "-one = 11", "+one = 111", " two = 2", "</diff>", "", "and now?",
    ]  # fmt: skip
    sends(vim, "nothing new")
    assert last(served) == "nothing new"
    assert project.text("a.py") == "one = 1\ntwo = 2\n"


@pytest.mark.acceptance("ZE-01")
def test_an_earlier_message_is_edited_and_sent_again(vim: Editor, provider: Serve) -> None:
    served = provider([YES, Answer(text="No."), Answer(text="Perhaps."), YES])
    vim.command("Motet chat first")
    vim.turn_ends()
    sends(vim, "second")
    before, said = vim.nvim.current.buffer.name, vim.lines
    sends(vim, "/edit 1")
    vim.waits_for(f"vim.api.nvim_buf_get_name(0) ~= '{before}' and vim.fn.getline('$') == 'first'")
    sends(vim, " and best")
    assert told(served.requests[2].body) == [("user", "first and best")]
    assert vim.said == ["## Me", "first and best", "## motet (scripted/one)", "Perhaps.", "## Me"]
    vim.command(f"edit {before}")
    assert vim.lines == said


@pytest.mark.acceptance("ZE-02")
def test_files_and_conversation_that_were_taken_back_by_mistake_come_back(
    vim: Editor, project: Project, provider: Serve
) -> None:
    proposed(vim, project, provider, edit(("a.txt", "line 2\n", "new 2\n")))
    vim.command("Motet review accept")
    vim.turn_ends()
    vim.command("Motet")
    before, said, changed = vim.nvim.current.buffer.name, vim.lines, project.text("a.txt")
    assert changed != TEXT
    vim.keys("gg]]\\u")
    vim.waits_for("vim.tbl_contains(vim.g.messages, 'motet: restored a.txt')")
    vim.keys("\\k")
    vim.waits_for(f"vim.api.nvim_buf_get_name(0) ~= '{before}' and vim.fn.getline('$') == '@editor change it'")
    assert vim.said == ["## Me", "@editor change it"]
    assert project.text("a.txt") == TEXT and buffer(vim) == LINES
    vim.command("Motet undo")
    vim.waits_for("#vim.tbl_filter(function(m) return m == 'motet: restored a.txt' end, vim.g.messages) == 2")
    vim.keys("\\N")
    assert (vim.nvim.current.buffer.name, vim.lines) == (before, said)
    assert project.text("a.txt") == changed and buffer(vim) == changed.splitlines()


@pytest.mark.acceptance("CU-02")
def test_changes_of_six_files_are_kept_and_undone_one_by_one_and_all_together(
    vim: Editor, project: Project, provider: Serve
) -> None:
    names = [f"{letter}.txt" for letter in "abcdef"]
    project.write(dict.fromkeys(names, TEXT))
    changes = [(name, f"line {number}\n", f"new {number}\n") for name in names for number in (2, 20)]
    served = proposed(vim, project, provider, edit(*changes), DONE, edit(*changes, text="Again."), DONE)
    visited = []
    for _ in range(12):
        vim.keys("\\]")
        visited.append((vim.nvim.funcs.bufname(), vim.nvim.current.window.cursor[0]))
    assert sorted(visited) == [(name, number) for name in names for number in (2, 20)]
    vim.keys("\\[\\]")
    assert (vim.nvim.funcs.bufname(), vim.nvim.current.window.cursor[0]) == visited[-1]
    kept, left = visited[0][0], visited[2][0]
    vim.command(f"edit {kept}")
    vim.keys("2G\\a")
    waits(vim, 11)
    vim.command(f"edit {left}")
    vim.keys("2G\\dno<CR>")
    waits(vim, 10)
    assert project.text(kept).splitlines() == lines(_2="new 2") and project.text(left) == TEXT
    vim.command("Motet review accept")
    vim.turn_ends()
    both, second = lines(_2="new 2", _20="new 20"), lines(_20="new 20")
    assert [project.text(name).splitlines() for name in names] == [second if one == left else both for one in names]
    vim.command("Motet undo")
    vim.waits_for("#vim.tbl_filter(function(m) return m:match('restored') end, vim.g.messages) == 6")
    assert [project.text(name) for name in names] == [TEXT] * 6
    vim.command("Motet new")
    vim.command("Motet chat @editor again")
    waits(vim, 12)
    vim.keys(":Motet review reject<CR>none of it<CR>")
    vim.turn_ends()
    assert [project.text(name) for name in names] == [TEXT] * 6
    assert result(served, 3).count("rejected by the human") == 2
    assert "none of it" in served.requests[3].text


@pytest.mark.acceptance("ZE-01")
def test_a_message_that_is_edited_in_the_request_is_shown_as_it_is_sent(vim: Editor, provider: Serve) -> None:
    served = provider([YES, Answer(text="No.")])
    vim.command("Motet chat first")
    vim.turn_ends()
    before = vim.nvim.current.buffer.name
    vim.command("Motet inspect")
    vim.waits_for("vim.api.nvim_buf_get_name(0):match('^motet://request/') ~= nil")
    vim.command("%s/^first$/first and best/ | %s/^Yes.$/Well./ | write")
    vim.waits_for(f"vim.api.nvim_buf_get_name(0) == '{before}'")
    vim.waits_for("vim.fn.search('^Well.$', 'nw') > 0")
    assert vim.said == ["## Me", "first and best", "## motet (scripted/one)", "Well.", "## Me"]
    sends(vim, "second")
    assert told(served.requests[1].body) == [("user", "first and best"), ("assistant", "Well."), ("user", "second")]
    assert vim.said[:4] == ["## Me", "first and best", "## motet (scripted/one)", "Well."]


@pytest.mark.acceptance("S0-065", "S0-023")
def test_the_code_of_a_buffer_is_explained_as_it_stands_there(vim: Editor, project: Project, provider: Serve) -> None:
    served = provider([Answer(text="`half` divides."), Answer(text="And this, too.")])
    project.write({"half.py": "def half(n):\n    return n / 3\n"})
    vim.command("edit half.py | 2s/3/2/")
    vim.chat()
    sends(vim, "Explain how #buffer works.")
    code = ["   1│ def half(n):", "   2│     return n / 2", "</attachment>"]
    assert last(served).split("\n")[1:] == [*code, "", "Explain how buffer 1 (`half.py`) works."]
    assert "explain how it works" in str(served.requests[0].body["messages"][0])
    assert "`half` divides." in vim.said
    vim.command("Motet prompt explain")
    vim.turn_ends()
    explain = ["Explain this code.", "", '<attachment filepath="half.py" lines="1-2">', *code]
    assert last(served).split("\n") == explain
    assert "You explain code to a programmer" in served.requests[1].text and "And this, too." in vim.said


@pytest.mark.acceptance("SP-08")
@pytest.mark.parametrize(
    ("path", "link"),
    [
        ("foo/bar.ts", "[bar.ts](./foo/bar.ts)"),
        ("foo/a b (1).ts", "@{foo/a b (1).ts}"),
        ("日本/サーバー.ts", "[サーバー.ts](./日本/サーバー.ts)"),
    ],
)
def test_a_file_that_is_picked_becomes_a_link_that_resolves(
    vim: Editor, project: Project, provider: Serve, path: str, link: str
) -> None:
    served = provider([YES])
    project.write({path: "let picked = 1\n", "other.ts": "no\n"})
    vim.chat()
    vim.keys("i/file<Esc><CR>")
    vim.comes_to("vim.fn.mode() == 'i' and #vim.api.nvim_list_wins() > 3")
    vim.keys(path[:5])
    shown = "vim.iter(vim.api.nvim_list_wins()):any(function(w) local b = vim.api.nvim_win_get_buf(w) "
    shown += "return vim.deep_equal(vim.api.nvim_buf_get_lines(b, 0, -1, false), {%s}) end)"
    vim.waits_for(shown % f"'{path}'")
    vim.waits_for(shown % "'let picked = 1', ''")
    vim.keys("<CR>")
    vim.comes_to("#vim.api.nvim_list_wins() == 2 and vim.api.nvim_get_current_line() ~= ''")
    assert vim.nvim.current.line == f"{link} "
    vim.turn_ends()  # that of the command
    vim.keys("<Esc><CR>")
    vim.turn_ends()
    assert "let picked = 1" in last(served)


@pytest.mark.acceptance("SP-10")
def test_what_is_shared_is_one_line_that_opens_to_the_text_that_was_sent(
    vim: Editor, project: Project, provider: Serve
) -> None:
    served = provider([YES, YES])
    project.write({"a.py": "one = 1\n", "日 本:1.md": "# b\n> Context:\n```\n@agent\n"})
    vim.chat()
    sends(vim, "see @/a.py and @{/日 本:1.md}")
    project.write({"a.py": "one = 2\n"})
    vim.keys("?a.py<CR>\\p")
    vim.waits_for("vim.fn.search('📌', 'nw') > 0")
    sends(vim, "and now?")
    sent = "\n\n".join(text for role, text in told(served.requests[1].body) if role == "user")
    chat, shown = vim.nvim.current.window, []
    for row, line in enumerate(vim.nvim.current.buffer[:], 1):
        if line.startswith("> - "):
            vim.nvim.current.window = chat
            vim.nvim.current.window.cursor = (row, 0)
            vim.keys("K")
            vim.waits_for("vim.api.nvim_buf_get_name(0) == 'motet://item'")
            shown.append((line[4:], "\n".join(vim.nvim.current.buffer[:])))
            vim.keys("q")
    first, other, second, *draft = shown
    assert [name for name, _ in shown[:3]] == ["<file>a.py</file>", "<file>日 本:1.md</file>", "<file>a.py</file>"]
    assert "one = 1" in first[1] and "one = 2" in second[1] and draft == [("📌 <file>a.py</file>", second[1]), other]
    assert sent == "\n\n".join([first[1], other[1], "see `a.py` and `日 本:1.md`", second[1], "and now?"])


@pytest.mark.acceptance("S0-028")
def test_buffer_editor_and_words_are_enough_for_an_edit(vim: Editor, project: Project, provider: Serve) -> None:
    served = provider([edit(("a.txt", "line 2\n", "new 2\n")), DONE])
    project.write({"a.txt": TEXT})
    vim.command("edit a.txt | call setline(1, 'unsaved')")
    vim.chat()
    vim.keys("i#buffer @editor make line 2 new<Esc><CR>")
    waits(vim, 1)
    assert "   1│ unsaved\n   2│ line 2\n" in told(served.requests[0].body)[-1][1]
    vim.command("Motet review accept")
    vim.turn_ends()
    assert buffer(vim) == lines(_1="unsaved", _2="new 2") and project.text("a.txt") == TEXT


@pytest.mark.acceptance("T-18")
def test_nothing_that_an_answer_links_to_is_loaded(vim: Editor, provider: Serve) -> None:
    with socket.create_server(("127.0.0.1", 0)) as host:
        host.setblocking(False)
        place = f"http://127.0.0.1:{host.getsockname()[1]}"
        text = f"![a picture]({place}/canary.png)\n\n[a link]({place}/page?key=1)\n\n<img src={place}/x.png>\n\n{place}/y\n"
        provider([Answer(text=text), YES])
        vim.command("Motet chat hello")
        vim.turn_ends()
        vim.command("only | call search('a link')")
        assert any(f"[a link]({place}/page?key=1)" in line for line in vim.screen)
        vim.command("call search('a picture')")
        assert any(f"![a picture]({place}/canary.png)" in line for line in vim.screen)
        sends(vim, "and now?")
        with pytest.raises(BlockingIOError):
            host.accept()

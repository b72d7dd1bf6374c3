"""What is seen of a chat: bar, folds, maps, links, short mentions; and that no text steers the editor."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pexpect
import pynvim
import pytest
from cli.kit import Project, Provider
from nvim.nvim_kit import BIN, ROOT, Editor, told

from motet.models.scripted import Answer, Wire, call

Serve = Callable[..., Provider]
YES = Answer(text="Yes.")


def seen(vim: Editor) -> list[str]:
    """The chat's window, up to the last line that holds something."""
    rows = [line.partition("│")[2] for line in vim.screen[:-2]]
    while rows and rows[-1] in ("", "~"):
        rows.pop()
    return rows


def said(vim: Editor, text: str) -> None:
    vim.command(f"Motet chat {text}")
    vim.turn_ends()


@pytest.mark.acceptance("S3-031")
@pytest.mark.parametrize(("layout", "side"), [("right", 1), ("left", 0)])
def test_a_chat_opens_beside_the_code_and_what_is_typed_there_is_sent(
    vim: Editor, provider: Serve, project: Project, layout: str, side: int
) -> None:
    served = provider([YES])
    project.write({"a.txt": "alpha\n"})
    vim.lua("require('motet').setup({ layout = ... })", layout)
    vim.command("edit a.txt")
    vim.chat()
    columns = [(window.col > 0, window.buffer.name.rpartition("/")[2]) for window in vim.nvim.windows]
    code, chat = sorted(columns, key=lambda one: one[1] != "a.txt")
    assert (code, chat[0]) == ((side == 0, "a.txt"), side == 1)
    assert all(window.row == vim.nvim.windows[0].row for window in vim.nvim.windows)
    vim.keys("iIs it?<CR>Or not?<Esc><CR>")
    vim.turn_ends()
    assert told(served.requests[0].body) == [("user", "Is it?\nOr not?")]


@pytest.mark.acceptance("S0-038")
def test_bar_folds_and_states_are_seen_in_eighty_columns(vim: Editor, provider: Serve, project: Project) -> None:
    project.write({"a.txt": "alpha\n"})
    look = Answer(text="I look.", reasoning="Hm.\nWhat is it?", calls=(call("read_file", {"path": "a.txt"}),))
    provider([look, Answer(text="It is 良い.")])
    said(vim, "@files what is @/a.txt ?")
    vim.keys("gg")
    rows = seen(vim)
    assert re.fullmatch(r" @files what i… +[\d.]+k/100k · \$0\.000\d", rows[0])
    assert rows[1:] == [
        "", "## Me", "", "> Context:", "> - <tools>motet</tools>", "> - <group>files</group>", "> - <file>a.txt</file>", "",
        "@files what is @/a.txt ?", "", "## motet (scripted/one)", "", "### Reasoning · 3 lines", "",
        "### Response", "", "I look.", "", "### Tool: read_file · 4 lines", "", "### Output: read_file · 5 lines",
    ]  # fmt: skip
    folds = "vim.tbl_filter(function(l) return vim.fn.foldclosed(l) == l end, vim.fn.range(1, vim.fn.line('$')))"
    closed = [vim.nvim.funcs.getline(number) for number in vim.lua(f"return {folds}")]
    assert closed == ["### Reasoning", "### Tool: read_file", "### Output: read_file"]


def test_folds_that_the_human_opened_stay_open_while_it_streams(vim: Editor, provider: Serve) -> None:
    text = "".join(f"line {number}\n" for number in range(200))
    provider([Answer(text="One.", reasoning="Hm.\nHm."), Answer(text=text, reasoning="Oh.", wire=Wire(text_chars=8))])
    said(vim, "first")
    vim.command("silent! %foldopen")
    vim.keys("GAsecond<Esc><CR>")
    vim.turn_ends()
    folds = "vim.tbl_filter(function(l) return vim.fn.foldclosed(l) == l end, vim.fn.range(1, vim.fn.line('$')))"
    (closed,) = vim.lua(f"return {folds}")
    assert vim.nvim.funcs.getline(closed + 2) == "Oh."


@pytest.mark.acceptance("S0-037", "NV-03", "NV-07")
def test_maps_have_names_and_can_be_replaced_or_left_out(vim: Editor, provider: Serve) -> None:
    provider([YES, YES])
    vim.lua("require('motet').setup({maps = {send = {n = '<Space>', i = false}, say = false, yank = {n = '<F2>'}}})")
    vim.chat()
    vim.keys("g?")
    assert vim.messages[0].splitlines() == [
        "i <C-_>    complete a name or path",
        "n <C-C>    stop; when nothing runs: close the window",
        "n <F2>     yank the code block at the cursor",
        "n <Space>  send",
        "n K        read what was shared at the cursor",
        "n [[       previous heading",
        "n \\N       previous chat",
        "n \\a       apply the code block at the cursor",
        "n \\f       fold code blocks, or unfold them",
        "n \\i       see the next request",
        "n \\k       fork the chat here, to change this message",
        "n \\m       choose a model",
        "n \\n       next chat",
        "n \\p       pin the item at the cursor",
        "n \\r       ask again, or go on",
        "n \\s       change the system prompt",
        "n \\u       take back the edits of the last turn",
        "n \\w       watch the item at the cursor",
        "n \\x       begin anew",
        "n ]]       next heading",
        "n g?       show these maps",
        "n gf       open the file at the cursor",
        "n gx       open the link at the cursor",
    ]
    vim.keys("ihello<Esc><Space>")
    vim.turn_ends()
    assert vim.said[:2] == ["## Me", "hello"]
    vim.command("nmap <buffer> <F3> <Plug>(motet-send)")
    vim.keys("GAagain<Esc><F3>")
    vim.turn_ends()


def test_headings_code_and_models_are_reached_by_keys(vim: Editor, provider: Serve) -> None:
    provider([Answer(text="## Me\n\n```py\nx = 1\n\ny = 2\n```\n\nand\n\n~~~\nz\n~~~"), YES])
    said(vim, "code")
    vim.keys("gg]]")
    assert vim.nvim.current.line == "## Me"
    vim.keys("]]")
    assert vim.nvim.current.line == "## motet (scripted/one)"
    vim.keys("]]")
    assert vim.nvim.current.window.cursor[0] == len(vim.nvim.current.buffer) - 2
    vim.keys("2[[")
    assert vim.nvim.current.line == "## Me"
    vim.command("call search('x = 1')")
    vim.keys('"a\\y')
    assert vim.nvim.funcs.getreg("a") == "x = 1\n\ny = 2\n"
    vim.command("call search('^and')")
    vim.keys("\\y")
    assert vim.messages == ["motet: 3 lines yanked", "motet: no code block stands here"]
    folded = "vim.fn.foldclosed(vim.fn.search('x = 1', 'nw'))"
    vim.keys("\\f")
    assert vim.lua(f"return {folded}") > 0
    vim.keys("\\f")
    assert vim.lua(f"return {folded}") == -1
    vim.lua("vim.ui.select = function(items, _, pick) vim.g.items = items; pick('offline') end")
    vim.keys("\\m")
    vim.waits_for("require('motet').status().model == 'offline'")
    assert {"scripted/one", "offline"} <= set(vim.nvim.vars["items"])


def test_the_next_and_the_previous_chat_come_into_the_window(vim: Editor, provider: Serve) -> None:
    provider([])
    vim.chat()
    first = vim.nvim.current.buffer.number
    vim.command("Motet new")
    second = vim.nvim.current.buffer.number
    assert second != first and len(vim.nvim.windows) == 2
    vim.keys("\\n")
    assert vim.nvim.current.buffer.number == first
    vim.keys("\\N")
    assert vim.nvim.current.buffer.number == second
    vim.keys("<C-c>")
    assert len(vim.nvim.windows) == 1


@pytest.mark.acceptance("S1-034", "SP-07")
def test_a_path_is_short_but_on_the_line_of_the_cursor_and_is_yanked_whole(
    vim: Editor, provider: Serve, project: Project
) -> None:
    project.write({"src/very/long/way/to/bar.ts": "let x = 1\n"})
    served = provider(
        [Answer(text="See [bar.ts](./src/very/long/way/to/bar.ts).\n\n```ts\nimport a from '@/b/c'\n```"), YES]
    )
    vim.lua("require('motet').setup({layout = 'below', size = 16})")
    vim.chat()
    vim.keys("isee @/src/very/long/way/to/bar.ts:1-2 now<CR>next")
    assert "see @bar.ts:1-2 now" in vim.screen
    vim.keys("<Esc>k")
    assert "see @/src/very/long/way/to/bar.ts:1-2 now" in vim.screen
    vim.keys("yyj<CR>")
    vim.turn_ends()
    assert vim.nvim.funcs.getreg('"') == "see @/src/very/long/way/to/bar.ts:1-2 now\n"
    assert "See bar.ts." in vim.screen
    assert "import a from '@/b/c'" in vim.screen
    vim.command("Motet new")
    vim.waits_for("vim.api.nvim_buf_get_name(0):match('chat/new') == nil")
    vim.keys("Vp<CR>")
    vim.turn_ends()
    assert "let x = 1" in served.requests[1].text


def test_files_that_are_named_are_opened_beside_the_chat(vim: Editor, provider: Serve, project: Project) -> None:
    project.write({"src/a b.py": "x = 1\ny = 2\n", "c.py": "z = 3\n"})
    provider([Answer(text="See [it](<./src/a b.py>), [c.py](./c.py) or [no](./nosuch.py), and [p](scp://host/x).")])
    said(vim, "look at @/c.py:1-1")
    chat = vim.nvim.current.window
    for sought, file in (("<file>", "c.py"), ("it.(", "src/a b.py"), ("c.py.(", "c.py"), ("@/c.py", "c.py")):
        vim.nvim.current.window = chat
        vim.command(f"call cursor(1, 1) | call search('{sought}')")
        vim.keys("gf")
        assert vim.nvim.current.buffer.name == str(project.root / file)
        assert vim.nvim.current.window != chat
    for sought in ("no](", "p](scp"):
        vim.nvim.current.window = chat
        vim.command(f"call cursor(1, 1) | call search('\\V{sought}')")
        vim.keys("gx")
    assert vim.messages == ["motet: ./nosuch.py is not there", "motet: scp://host/x is not there"]
    assert len(vim.nvim.windows) == 2


STEERING = "\x1b]52;c;aGk=\x07\x1b]2;owned\x07\x1b[2J\x1b[?1049l\x9b31m\x9d2;owned\x9c\u202eevil\x7f\r\x00end"


@pytest.mark.acceptance("T-13")
def test_no_text_of_a_model_steers_the_terminal_of_the_editor(provider: Serve, project: Project) -> None:
    provider([Answer(text=f"see {STEERING}\n\n`{STEERING}`", usage=YES.usage)])
    start = ["--clean", "-n", "--cmd", f"set runtimepath^={ROOT} title"]
    child = pexpect.spawn(
        str(BIN / "nvim"), start, dimensions=(24, 100), timeout=30, env=project.env({"TERM": "xterm"})
    )
    try:
        child.send(":Motet chat hello\r")
        child.expect("end")
        child.expect("## Me")
        child.send(":qall!\r")
        child.expect(pexpect.EOF)
        written = child.before
        for bad in (b"\x1b]52;", b"owned\x07", b"\x9d2;"):
            assert bad not in written
    finally:
        child.close(force=True)


@pytest.mark.acceptance("T-05")
def test_no_modeline_of_a_model_is_heard(vim: Editor, provider: Serve, tmp_path: Path) -> None:
    lines = "vim: set shiftwidth=3 ft=c:\nvi:sw=3\nex: sw=3:\n/* vim: set sw=3 : */"
    provider([Answer(text=f"{lines}\n\n{lines}")])
    vim.command("set modeline modelines=99 modelineexpr")
    said(vim, "hello")
    name, copy = vim.nvim.current.buffer.name, tmp_path / "copy.txt"
    vim.command("edit")
    vim.waits_for("vim.fn.search('vi:sw=3') > 0")
    options = vim.nvim.current.buffer.options
    assert (options["shiftwidth"], options["filetype"]) == (8, "motet")
    assert not vim.nvim.current.buffer.options["modeline"]
    vim.command(f"write {copy}")
    assert vim.nvim.current.buffer.name == name
    vim.command(f"set modelines=5 | split {copy}")
    assert vim.nvim.current.buffer.options["shiftwidth"] == 8
    vim.command("bwipeout")
    with pytest.raises(pynvim.NvimError, match="E13"):
        vim.command(f"write {copy}")


@pytest.mark.acceptance("NV-24")
def test_a_chat_in_a_window_that_keeps_its_buffer(vim: Editor, provider: Serve) -> None:
    provider([YES, YES])
    vim.chat()
    vim.command("set winfixbuf")
    vim.keys("i日本語<Esc><CR>")
    vim.turn_ends()
    vim.command("Motet toggle")
    vim.command("Motet toggle")
    vim.keys("GA次<Esc><CR>")
    vim.turn_ends()
    assert vim.said == [
        "## Me", "日本語", "## motet (scripted/one)", "Yes.", "## Me", "次", "## motet (scripted/one)", "Yes.", "## Me"
    ]  # fmt: skip


def test_a_chat_that_is_shown_again_can_be_typed_in_at_once(vim: Editor, provider: Serve) -> None:
    provider([YES])
    vim.chat()
    vim.keys("i日本語<Esc><CR>")
    vim.turn_ends()
    assert vim.lua("vim.cmd('Motet toggle | Motet toggle') return vim.bo.modifiable")
    vim.command("Motet chat")
    vim.command("Motet new")
    assert vim.lua("vim.cmd('bprevious') return true")
    vim.waits_for("vim.bo.modifiable")


def test_a_stream_is_followed_at_the_end_of_the_document_and_nowhere_else(vim: Editor, provider: Serve) -> None:
    text = "".join(f"line {number}\n" for number in range(400))
    provider([Answer(text=text, wire=Wire(text_chars=16))])
    vim.command("Motet chat go")
    below = vim.nvim.current.window
    vim.command("split")
    above = vim.nvim.current.window
    vim.waits_for("vim.fn.search('^line 3$', 'n') > 0")
    above.cursor = (2, 0)
    vim.turn_ends()
    end = len(vim.nvim.current.buffer)
    assert end > 400 and (above.cursor[0], below.cursor[0]) == (2, end)

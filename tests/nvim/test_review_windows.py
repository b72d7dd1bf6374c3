"""Reviewing over files, windows and folds; keys that come and go; and what is there when something ends in the middle."""

from __future__ import annotations

import os
import signal

import pytest
from cli.kit import Project, edit
from nvim.nvim_kit import Editor, editor, ends
from nvim.review_kit import LINES, TEXT, Serve, buffer, lines, proposed, result, waits

TWO_FILES = edit(("a.txt", "line 2\n", "new 2\n"), ("a.txt", "line 20\n", "new 20\n"), ("b.txt", "two\n", "zwei\n"))
TWO_HUNKS = edit(("a.txt", "line 2\n", "new 2\n"), ("a.txt", "line 20\n", "new 20\n"))
FORTY = "".join(f"added {number}\n" for number in range(1, 41))


def maps(vim: Editor) -> dict[str, str]:
    """The maps of the current buffer that are motet's: keys, and what they do."""
    found = vim.nvim.current.buffer.api.get_keymap("n")
    return {one["lhs"]: one["desc"] for one in found if one.get("desc", "").startswith("motet: ")}


def test_files_that_are_not_open_are_opened_only_when_visited(vim: Editor, project: Project, provider: Serve) -> None:
    project.write({"b.txt": "one\ntwo\nthree\n"})
    served = proposed(vim, project, provider, TWO_FILES, show="")
    assert vim.messages == ["motet: 3 changes wait for you in 2 files: `:Motet review`"]
    assert vim.nvim.funcs.bufexists("a.txt") == 0 and vim.nvim.funcs.bufexists("b.txt") == 0
    where = "return {vim.fn.bufname(), vim.fn.line('.')}"
    vim.command("Motet review")
    assert vim.lua(where) == ["a.txt", 2] and vim.nvim.funcs.bufexists("b.txt") == 0
    seen = []
    for key in ("\\]", "\\]", "\\]", "\\[", "\\[", "\\["):
        vim.keys(key)
        seen.append(vim.lua(where))
    assert seen == [["a.txt", 20], ["b.txt", 2], ["a.txt", 2], ["b.txt", 2], ["a.txt", 20], ["a.txt", 2]]
    vim.keys("\\A")
    waits(vim, 1)
    vim.waits_for("#vim.g.messages == 2")
    assert vim.messages[1] == "motet: 1 change waits for you in b.txt: `:Motet review`"
    vim.command("Motet review")
    vim.keys("\\a")
    vim.turn_ends()
    assert project.text("b.txt") == "one\nzwei\nthree\n"
    assert result(served) == "b.txt: applied 1 of 1 hunk\nThe compilers now: 0 solved, 0 left, 0 new in b.txt."


@pytest.mark.acceptance("NV-20")
def test_all_that_waits_is_in_the_quickfix_list(vim: Editor, project: Project, provider: Serve) -> None:
    project.write({"b.txt": "one\ntwo\nthree\n"})
    proposed(vim, project, provider, TWO_FILES)
    vim.keys("\\q")
    listed = (
        "return vim.tbl_map(function(i) return {vim.fn.bufname(i.bufnr), i.lnum, i.text} end, vim.fn.getqflist())"
    )
    assert vim.lua(listed) == [
        ["a.txt", 2, "change 1 of 2: new 2"],
        ["a.txt", 20, "change 2 of 2: new 20"],
        ["b.txt", 2, "change 1 of 1: zwei"],
    ]
    assert vim.lua("return vim.bo.buftype") == "quickfix"


def test_keys_are_there_while_something_waits_and_the_humans_own_are_back_after(
    vim: Editor, project: Project, provider: Serve
) -> None:
    vim.lua(
        "vim.g.maplocalleader = ','\n"
        "require('motet').setup({ maps = { review = { beside = { n = 'gV' }, quickfix = { n = false } } } })"
    )
    project.write({"a.txt": TEXT})
    vim.command("edit a.txt | nnoremap <buffer> ,a <Cmd>let g:own = 1<CR>")
    proposed(vim, project, provider, edit(("a.txt", "line 2\n", "new 2\n")))
    assert maps(vim) == {
        ",a": "motet: accept this change",
        ",d": "motet: reject this change",
        ",s": "motet: split this change into smaller ones",
        ",A": "motet: accept all changes of this file",
        ",D": "motet: reject all changes of this file",
        ",e": "motet: rewrite this change, then accept it",
        ",]": "motet: next change that waits",
        ",[": "motet: previous change that waits",
        "gV": "motet: show what is proposed side by side",
    }
    vim.keys("2G,a")
    vim.turn_ends()
    assert buffer(vim) == lines(_2="new 2")
    vim.command("enew | buffer a.txt")
    assert maps(vim) == {}
    vim.keys(",a")
    assert vim.nvim.vars["own"] == 1
    names = (
        "accept",
        "reject",
        "accept-file",
        "reject-file",
        "amend",
        "split",
        "next",
        "previous",
        "quickfix",
        "beside",
    )
    assert [vim.nvim.funcs.maparg(f"<Plug>(motet-review-{name})", "n") != "" for name in names] == [True] * len(names)


def test_forty_lines_above_the_first_are_seen_and_decided(vim: Editor, project: Project, provider: Serve) -> None:
    proposed(vim, project, provider, edit(("a.txt", "line 1\n", f"{FORTY}line 1\n")))
    start = [
        *(f"  added {number}" for number in range(1, 11)),
        "  … 30 more lines, \\v side by side",
        "  change 1 of 1  \\a accept  \\d reject  \\e amend  \\v side by side",
        "┃ line 1",
        "  line 2",
    ]
    vim.command("set signcolumn=auto")
    vim.waits_for("vim.fn.winsaveview().topfill == 12")
    assert vim.screen[:14] == start
    vim.keys("G")
    assert vim.screen[0] != start[0]
    vim.keys("gg")
    vim.waits_for("vim.fn.winsaveview().topfill == 12")
    assert vim.screen[:14] == start
    vim.keys("\\a")
    vim.turn_ends()
    assert buffer(vim) == [*FORTY.splitlines(), *LINES]


def test_a_hunk_larger_than_the_window_is_seen_and_decided(vim: Editor, project: Project, provider: Serve) -> None:
    removed = "".join(f"line {number}\n" for number in range(3, 38))
    proposed(vim, project, provider, edit(("a.txt", removed, FORTY)))
    vim.keys("gg\\]")
    assert vim.lua("return vim.fn.line('.')") == 3
    vim.keys("37Gzt")
    assert vim.screen[:13] == [
        "  line 37",
        *(f"  added {number}" for number in range(1, 11)),
        "  … 30 more lines, \\v side by side",
        "  change 1 of 1  \\a accept  \\d reject  \\e amend  \\v side by side",
    ]
    vim.keys("\\a")
    vim.turn_ends()
    assert buffer(vim) == [*LINES[:2], *FORTY.splitlines(), *LINES[37:]]


def test_a_hunk_in_a_closed_fold_is_shown_before_it_is_decided(
    vim: Editor, project: Project, provider: Serve
) -> None:
    proposed(vim, project, provider, edit(("a.txt", "line 12\n", "new 12\n")))
    vim.command("10,15fold")
    vim.keys("12G\\a")
    assert vim.lua("return {vim.fn.foldclosed(12), vim.fn.line('.')}") == [-1, 12]
    waits(vim, 1)
    vim.keys("\\a")
    vim.turn_ends()
    assert buffer(vim) == lines(_12="new 12")


def test_away_from_every_hunk_a_key_leads_to_the_next_and_decides_nothing(
    vim: Editor, project: Project, provider: Serve
) -> None:
    proposed(vim, project, provider, edit(("a.txt", "line 12\n", "new 12\n")))
    vim.keys("30G\\a")
    assert vim.lua("return vim.fn.line('.')") == 12
    waits(vim, 1)


@pytest.mark.acceptance("S3-039", "NV-21")
def test_what_is_proposed_is_shown_side_by_side_in_windows_of_its_own_that_go_again(
    vim: Editor, project: Project, provider: Serve
) -> None:
    proposed(vim, project, provider, TWO_HUNKS)
    windows = [window.handle for window in vim.nvim.windows]
    vim.keys("\\v")
    vim.waits_for("vim.fn.tabpagenr('$') == 2")
    left, right = vim.nvim.current.tabpage.windows
    assert (left.row, left.col, right.col > 0) == (right.row, 0, True)
    texts = sorted((window.buffer[:] for window in (left, right)), key=lambda text: "new 2" in text)
    assert texts == [lines(), lines(_2="new 2", _20="new 20")]
    marked = vim.lua(
        "local hl = function(n) return vim.fn.synIDattr(vim.fn.diff_hlID(n, 1), 'name') end return { hl(1), hl(2), hl(20) }"
    )
    assert marked == ["", "DiffText", "DiffText"]
    vim.command("tabclose")
    assert [window.handle for window in vim.nvim.windows] == windows
    assert buffer(vim) == lines() and project.text("a.txt") == TEXT
    waits(vim, 2)


@pytest.mark.acceptance("NV-21")
def test_side_by_side_what_is_fetched_by_hand_counts_as_taken(vim: Editor, project: Project, provider: Serve) -> None:
    served = proposed(vim, project, provider, TWO_HUNKS)
    vim.keys("\\v")
    vim.waits_for("vim.fn.tabpagenr('$') == 2")
    assert vim.lua("return vim.wo.diff") and len(vim.nvim.current.tabpage.windows) == 2
    vim.keys("2Gdo")
    waits(vim, 1)
    vim.command("wincmd p")
    vim.keys("20Gdp")
    vim.turn_ends()
    assert buffer(vim) == lines(_2="new 2", _20="new 20") and project.text("a.txt") == TEXT
    assert result(served).startswith("a.txt: applied 2 of 2 hunks")


def test_side_by_side_the_keys_work_in_both_halves_and_each_shows_what_is_left(
    vim: Editor, project: Project, provider: Serve
) -> None:
    grown = edit(*(("a.txt", f"line {one}\n", f"new {one}\nmore {one}\n") for one in (2, 20)))
    proposed(vim, project, provider, grown)
    right = "vim.api.nvim_buf_get_lines(vim.fn.bufnr('motet://proposed/a.txt'), 0, -1, false)"
    whole = ["line 1", "new 2", "more 2", *LINES[2:19], "new 20", "more 20", *LINES[20:]]
    vim.keys("2G\\v")
    vim.waits_for("vim.fn.tabpagenr('$') == 2")
    vim.command("wincmd l")
    assert vim.nvim.current.buffer[:] == whole
    vim.command("write")
    assert vim.messages[-1] == "motet: this is what is proposed; nothing of it is written yet: \\A does it"
    vim.keys("22G\\d<CR>")
    waits(vim, 1)
    vim.waits_for(f"#{right} == 41")
    assert vim.lua(f"return {right}") == ["line 1", "new 2", "more 2", *LINES[2:]]
    vim.command("wincmd l")
    vim.keys("3G\\a")
    vim.turn_ends()
    vim.waits_for("vim.fn.tabpagenr('$') == 1")
    assert buffer(vim) == ["line 1", "new 2", "more 2", *LINES[2:]]
    assert not vim.lua("return vim.wo.diff") and vim.nvim.funcs.bufname() == "a.txt"


@pytest.mark.parametrize("half", ["h", "l"])
@pytest.mark.parametrize("only", [False, True])
def test_who_closes_one_half_has_closed_both_and_the_file_stays(
    vim: Editor, project: Project, provider: Serve, half: str, only: bool
) -> None:
    proposed(vim, project, provider, TWO_HUNKS)
    vim.keys("2G\\v")
    vim.waits_for("vim.fn.tabpagenr('$') == 2")
    if only:
        vim.command("tabonly")
    vim.command(f"wincmd {half} | quit")
    vim.waits_for("#vim.api.nvim_list_wins() == 1 and vim.fn.bufname() == 'a.txt'")
    assert not vim.lua("return vim.wo.diff")
    assert "  change 1 of 2  \\a accept  \\d reject  \\e amend  \\v side by side" in vim.screen
    waits(vim, 2)


@pytest.mark.acceptance("AV-02")
def test_a_window_that_keeps_its_buffer_keeps_it(vim: Editor, project: Project, provider: Serve) -> None:
    proposed(vim, project, provider, edit(("a.txt", "line 12\n", "new 12\n")), show="")
    vim.command("set winfixbuf")
    kept = vim.nvim.current.buffer.number
    vim.command("Motet review")
    assert vim.nvim.funcs.bufname() == "a.txt"
    assert sorted(window.buffer.number == kept for window in vim.nvim.windows) == [False, True]


def test_files_are_made_and_removed_once_that_is_decided(vim: Editor, project: Project, provider: Serve) -> None:
    made = edit(("new/c.txt", "", "hello\n"))
    served = proposed(vim, project, provider, made, show="")
    vim.command("Motet review")
    assert vim.nvim.funcs.bufname() == "new/c.txt" and not (project.root / "new").exists()
    assert vim.screen[:3] == [
        "┃", "  hello", "  change 1 of 1, makes the file  \\a accept  \\d reject  \\e amend  \\v side by side",
    ]  # fmt: skip
    vim.keys("\\a")
    vim.turn_ends()
    assert project.text("new/c.txt") == "hello\n"
    assert vim.nvim.current.buffer[:] == ["hello"] and not vim.nvim.current.buffer.options["modified"]
    assert result(served).startswith("new/c.txt: created, applied 1 of 1 hunk")


@pytest.mark.acceptance("S0-031")
def test_what_changed_is_listed_and_a_turn_is_taken_back(vim: Editor, project: Project, provider: Serve) -> None:
    project.write({"b.txt": "one\ntwo\nthree\n"})
    proposed(vim, project, provider, TWO_FILES)
    vim.keys("\\A")
    waits(vim, 1)
    vim.command("Motet review")
    vim.keys("\\A")
    vim.turn_ends()
    vim.command("Motet changes")
    vim.waits_for("vim.bo.buftype == 'quickfix'")
    listed = (
        "return vim.tbl_map(function(i) return {vim.fn.bufname(i.bufnr), i.lnum, i.text} end, vim.fn.getqflist())"
    )
    assert vim.lua(listed) == [["a.txt", 2, "+1 -1 new 2"], ["a.txt", 20, "+1 -1 new 20"], ["b.txt", 2, "+1 -1 zwei"]]
    vim.command("cclose | Motet undo")
    vim.waits_for("#vim.g.messages == 4")
    assert vim.messages[2:] == ["motet: restored a.txt", "motet: restored b.txt"]
    assert buffer(vim) == LINES and project.text("a.txt") == TEXT and project.text("b.txt") == "one\ntwo\nthree\n"
    vim.command("Motet undo")
    vim.waits_for("#vim.g.messages == 6")
    assert buffer(vim) == lines(_2="new 2", _20="new 20") and project.text("b.txt") == "one\nzwei\nthree\n"


def test_stopping_leaves_what_was_taken_and_nothing_else(vim: Editor, project: Project, provider: Serve) -> None:
    project.write({"b.txt": "one\ntwo\nthree\n"})
    served = proposed(vim, project, provider, TWO_FILES)
    vim.keys("2G\\a")
    waits(vim, 2)
    vim.command("Motet stop")
    vim.turn_ends()
    waits(vim, 0)
    assert buffer(vim) == project.text("a.txt").splitlines() == lines(_2="new 2")
    vim.command("Motet chat go on")
    vim.turn_ends()
    told = [one["content"] for one in served.requests[1].body["messages"] if one["role"] == "tool"]
    assert (
        told
        == [
            "replace_in_file: no result, it was stopped; before that: a.txt: applied 1 of 2 hunks\n"
            "hunk 2 (line 20): not decided, so not written"
        ]
        * 2
    )
    assert (
        vim.lua("return #vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace('motet.review'), 0, -1, {})")
        == 0
    )


def test_when_the_program_is_killed_in_a_review_files_and_buffers_are_whole(
    vim: Editor, project: Project, provider: Serve
) -> None:
    proposed(vim, project, provider, TWO_HUNKS)
    vim.keys("2G\\a")
    waits(vim, 1)
    vim.keys("20G\\a")
    os.kill(vim.program, signal.SIGKILL)
    waits(vim, 0)
    kept = project.text("a.txt").splitlines()
    assert kept in (lines(_2="new 2"), lines(_2="new 2", _20="new 20"))
    assert buffer(vim) in (lines(_2="new 2"), kept)


def test_when_the_editor_is_killed_in_a_review_files_are_old_or_new(project: Project, provider: Serve) -> None:
    with editor() as vim:
        proposed(vim, project, provider, TWO_HUNKS)
        vim.keys("2G\\a")
        waits(vim, 1)
        program = vim.program
        vim.keys("20G\\a")
        vim.kill()
        assert ends(program, 10)
    assert project.text("a.txt").splitlines() in (lines(_2="new 2"), lines(_2="new 2", _20="new 20"))


def test_of_two_chats_proposals_for_one_file_taking_one_moves_the_other(
    vim: Editor, project: Project, provider: Serve
) -> None:
    proposed(
        vim, project, provider, edit(("a.txt", "line 2\n", "new 2\n2.1\n")), edit(("a.txt", "line 20\n", "new 20\n"))
    )
    vim.command("Motet new")
    vim.command("Motet chat @editor more")
    vim.command("wincmd p | only")
    waits(vim, 2)
    vim.keys("2G\\a")
    waits(vim, 1)
    vim.keys("\\]")
    assert vim.lua("return vim.fn.getline('.')") == "line 20"
    vim.keys("\\a")
    waits(vim, 0)
    assert buffer(vim) == project.text("a.txt").splitlines()
    assert buffer(vim) == ["line 1", "new 2", "2.1", *LINES[2:19], "new 20", *LINES[20:]]


def test_what_was_rewritten_is_kept_when_it_cannot_be_taken(vim: Editor, project: Project, provider: Serve) -> None:
    proposed(vim, project, provider, edit(("a.txt", "line 12\n", "new 12\n")))
    vim.keys("12G\\e")
    vim.waits_for("vim.fn.bufname():match('motet://amend') ~= nil")
    vim.keys("ccmy words<Esc>")
    vim.lua("vim.api.nvim_buf_set_lines(vim.fn.bufnr('a.txt'), 11, 12, false, { 'mine' })")
    vim.command("wq")
    vim.waits_for("vim.fn.bufname():match('motet://amend') ~= nil")
    assert vim.nvim.current.buffer[:] == ["my words"] and vim.nvim.current.buffer.options["modified"]
    assert buffer(vim) == lines(_12="mine")
    vim.lua("vim.api.nvim_buf_set_lines(vim.fn.bufnr('a.txt'), 11, 12, false, { 'line 12' })")
    vim.command("write")
    vim.turn_ends()
    assert buffer(vim) == lines(_12="my words")


def test_a_place_that_is_only_nearly_right_says_so(vim: Editor, project: Project, provider: Serve) -> None:
    project.write({"a.txt": "def total(values):\n    result = sum(values)\n    return result\n"})
    near = "def total(values):\n    result = sum(valuess)\n    return result\n"
    proposed(vim, project, provider, edit(("a.txt", near, near.replace("valuess", "values, 1"))))
    screen = vim.screen
    at = next(row for row, line in enumerate(screen) if "approximate: the search text differs from the file" in line)
    assert screen[at + 1].endswith("    result = sum(values)")
    assert any(line.startswith("  change 1 of 1  \\a accept  \\d reject  \\e amend") for line in screen)


def test_words_that_change_stand_out_inside_of_lines(vim: Editor, project: Project, provider: Serve) -> None:
    project.write({"a.txt": "é\tone two three\nsame\n"})
    proposed(vim, project, provider, edit(("a.txt", "é\tone two three\n", "é\tone 2 three four\n")))
    marks = vim.lua(
        "return vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace('motet.review'), 0, -1, { details = true })"
    )
    gone = [(row, col, more["end_col"]) for _, row, col, more in marks if more.get("hl_group") == "MotetDeleteWord"]
    assert gone == [(0, 7, 10)]
    (line,) = [more["virt_lines"][0] for *_, more in marks if "virt_lines" in more]
    assert line == [
        ["é       one ", "MotetAdd"],
        ["2", "MotetAddWord"],
        [" three", "MotetAdd"],
        [" four", "MotetAddWord"],
    ]


def test_how_loosely_a_text_was_found_stands_above_its_change(vim: Editor, project: Project, provider: Serve) -> None:
    project.write({"a.txt": "def area(w, h):\n    return w * h\n"})
    proposed(vim, project, provider, edit(("a.txt", "return w * h\n", "return h * w\n")))
    screen = vim.screen
    (at,) = [row for row, line in enumerate(screen) if "matched with another indentation; the new text was" in line]
    assert screen[at + 1].endswith("    return w * h")
    assert "matched" not in "".join(screen[at + 2 :])

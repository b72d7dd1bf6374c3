"""Proposals are reviewed in the buffers of their files: seen, taken, left, rewritten, and undone one by one."""

from __future__ import annotations

import pytest
from cli.kit import Project, edit
from nvim.nvim_kit import Editor
from nvim.review_kit import FIVE, LINES, SEEN, TEXT, Serve, buffer, lines, proposed, result, waits

THREE = edit(*(("a.txt", f"line {number}\n", f"new {number}\n") for number in (2, 10, 18)))


@pytest.mark.acceptance("CC-11", "S0-027", "S0-029", "S0-030", "S0-001")
def test_one_hunk_taken_one_left_one_rewritten_and_one_undone(vim: Editor, project: Project, provider: Serve) -> None:
    served = proposed(vim, project, provider, THREE)
    assert buffer(vim) == LINES
    vim.keys("gg\\]\\a")
    waits(vim, 2)
    assert buffer(vim) == project.text("a.txt").splitlines() == lines(_2="new 2")
    vim.keys("\\dnot this one<CR>")
    waits(vim, 1)
    vim.keys("\\e")
    vim.waits_for("vim.fn.bufname():match('motet://amend') ~= nil")
    assert vim.nvim.current.buffer[:] == ["new 18"]
    vim.keys("ccmine<Esc>:w<CR>")
    vim.turn_ends()
    assert buffer(vim) == project.text("a.txt").splitlines() == lines(_2="new 2", _18="mine")
    assert result(served) == (
        "a.txt: applied 2 of 3 hunks\n"
        "hunk 2 (line 10): rejected by the human: not this one\n"
        "hunk 3 (line 18): changed by the human (- your lines, + what stands there now):\n"
        f"-new 18\n+mine\n{SEEN}"
    )
    vim.waits_for("vim.fn.bufname() == 'a.txt'")
    vim.keys("u")
    assert buffer(vim) == lines(_2="new 2")
    vim.keys("u")
    assert buffer(vim) == LINES


def test_what_is_proposed_is_seen_in_place_and_the_text_stays_as_it_is(
    vim: Editor, project: Project, provider: Serve
) -> None:
    project.write({"a.txt": "one\n\ttwo\n3\n4\n5\n6\nseven\n8\n9\n10\n11\nnine\n"})
    change = edit(
        ("a.txt", "\ttwo\n", "\t日本\n"), ("a.txt", "seven\n", ""), ("a.txt", "nine\n", "nine\n\x1b[31mten\n")
    )
    proposed(vim, project, provider, change)
    vim.command("set signcolumn=auto showtabline=0")
    assert vim.screen[:17] == [
        "  one",
        "┃         two",
        "          日本",
        "  change 1 of 3  \\a accept  \\d reject  \\e amend  \\v side by side",
        *(f"  {number}" for number in range(3, 7)),
        "┃ seven",
        "  change 2 of 3  \\a accept  \\d reject  \\e amend  \\v side by side",
        *(f"  {number}" for number in range(8, 12)),
        "┃ nine",
        "  ␛[31mten",
        "  change 3 of 3  \\a accept  \\d reject  \\e amend  \\v side by side",
    ]
    assert not vim.nvim.current.buffer.options["modified"]


def test_a_whole_file_is_taken_as_one_step_of_undo(vim: Editor, project: Project, provider: Serve) -> None:
    served = proposed(vim, project, provider, FIVE)
    vim.keys("\\A")
    vim.turn_ends()
    wanted = lines(_2="new 2", _10="new 10", _18="new 18", _26="new 26", _34="new 34")
    assert buffer(vim) == project.text("a.txt").splitlines() == wanted
    assert result(served) == f"a.txt: applied 5 of 5 hunks\n{SEEN}"
    assert not vim.nvim.current.buffer.options["modified"]
    vim.keys("u")
    assert buffer(vim) == LINES


@pytest.mark.acceptance("CL-02")
def test_a_whole_file_is_left_and_the_reason_reaches_the_model(
    vim: Editor, project: Project, provider: Serve
) -> None:
    served = proposed(vim, project, provider, THREE)
    vim.keys("\\Dleave it<CR>")
    vim.turn_ends()
    assert buffer(vim) == LINES and project.text("a.txt") == TEXT
    assert result(served) == (
        "a.txt: applied 0 of 3 hunks\n"
        "hunk 1 (line 2): rejected by the human: leave it\n"
        "hunk 2 (line 10): rejected by the human\n"
        "hunk 3 (line 18): rejected by the human"
    )


def test_who_closes_the_question_for_the_reason_has_decided_nothing(
    vim: Editor, project: Project, provider: Serve
) -> None:
    proposed(vim, project, provider, THREE)
    vim.keys("2G\\dhm<Esc>")
    waits(vim, 3)
    vim.keys("\\a")
    waits(vim, 2)


@pytest.mark.acceptance("AV-01", "AV-02", "T-26")
def test_with_five_hunks_waiting_the_human_types_on_and_nothing_of_either_is_lost(
    vim: Editor, project: Project, provider: Serve
) -> None:
    served = proposed(vim, project, provider, FIVE)
    vim.keys("ggOfirst<CR>second<Esc>")
    vim.keys("16Go14.1<Esc>")
    vim.keys("gg\\]\\a")
    waits(vim, 4)
    vim.keys("Golast<Esc>\\A")
    vim.turn_ends()
    taken = lines(_2="new 2", _10="new 10", _18="new 18", _26="new 26", _34="new 34")
    assert buffer(vim) == ["first", "second", *taken[:14], "14.1", *taken[14:], "last"]
    assert vim.nvim.current.buffer.options["modified"] and project.text("a.txt") == TEXT
    assert result(served) == f"a.txt: applied 5 of 5 hunks\n{SEEN}"
    vim.keys("u")
    assert buffer(vim) == ["first", "second", *lines(_2="new 2")[:14], "14.1", *LINES[14:], "last"]


@pytest.mark.acceptance("NV-23")
def test_in_insert_mode_an_accept_is_a_step_of_undo_of_its_own(
    vim: Editor, project: Project, provider: Serve
) -> None:
    proposed(vim, project, provider, THREE)
    vim.command("inoremap <C-y> <Cmd>lua require('motet.review').act('accept')<CR>")
    vim.keys("GoA<Esc>")
    vim.keys("gg\\]$")
    vim.keys("i<C-y>")
    waits(vim, 2)
    assert vim.nvim.api.get_mode()["mode"] == "i"
    vim.keys("X<Esc>")
    assert buffer(vim)[:3] == ["line 1", "new 2X", "line 3"]
    vim.keys("u")
    assert buffer(vim)[:3] == ["line 1", "new 2", "line 3"]
    vim.keys("u")
    assert buffer(vim) == [*LINES, "A"]
    vim.keys("u")
    assert buffer(vim) == LINES


def test_undo_while_others_wait_makes_a_hunk_wait_again(vim: Editor, project: Project, provider: Serve) -> None:
    served = proposed(vim, project, provider, THREE)
    vim.keys("2G\\a")
    waits(vim, 2)
    vim.keys("u")
    waits(vim, 3)
    vim.keys("10G\\a")
    waits(vim, 2)
    vim.keys("\\D<CR>")
    vim.turn_ends()
    assert buffer(vim) == lines(_10="new 10")
    assert result(served).startswith("a.txt: applied 1 of 3 hunks\nhunk 1 (line 2): rejected by the human\n")


@pytest.mark.acceptance("T-26")
def test_a_hunk_whose_lines_the_human_changed_is_not_made_and_that_is_told(
    vim: Editor, project: Project, provider: Serve
) -> None:
    served = proposed(vim, project, provider, THREE)
    vim.keys("10Gccmine<Esc>\\a")
    vim.waits_for("#vim.g.messages == 2")
    assert vim.messages[1] == (
        "motet: a.txt: the lines of the change at line 10 are others now, so it is not made; "
        "put it in by hand, or leave it out"
    )
    assert vim.screen[12] == "  change 2 of 3: these lines are others now  \\d reject  \\v side by side"
    vim.keys("\\d<CR>")
    waits(vim, 2)
    vim.keys("\\A")
    vim.turn_ends()
    assert buffer(vim) == lines(_2="new 2", _10="mine", _18="new 18")
    assert result(served) == (
        "a.txt: applied 2 of 3 hunks\n"
        f"hunk 2 (line 10): not written: the file has changed there since; read it again\n{SEEN}"
    )


def test_lines_typed_right_beside_a_hunk_do_not_stop_it(vim: Editor, project: Project, provider: Serve) -> None:
    proposed(vim, project, provider, THREE)
    vim.keys("9Gccabove<Esc>10Gobelow<Esc>10G\\a")
    waits(vim, 2)
    assert buffer(vim)[8:12] == ["above", "new 10", "below", "line 11"]
    vim.keys("3Gccbelow 2<Esc>2G\\a")
    waits(vim, 1)
    assert buffer(vim)[:3] == ["line 1", "new 2", "below 2"]


@pytest.mark.acceptance("T-26")
def test_of_equal_lines_the_one_that_was_meant_is_changed_or_none(
    vim: Editor, project: Project, provider: Serve
) -> None:
    project.write({"a.txt": "a {\n}\n}\nb {\n}\n}\nc\n"})
    served = proposed(vim, project, provider, edit(("a.txt", "b {\n}\n", "b {\nend\n")))
    vim.keys("5Gdd")
    vim.keys("5G\\A")
    vim.waits_for("#vim.g.messages == 2")
    assert "are others now, so it is not made" in vim.messages[1]
    assert buffer(vim) == ["a {", "}", "}", "b {", "}", "c"]
    vim.keys("u5G\\a")
    vim.turn_ends()
    assert buffer(vim) == ["a {", "}", "}", "b {", "end", "}", "c"]
    assert result(served).startswith("a.txt: applied 1 of 1 hunk")


def test_a_stale_hunk_waits_again_when_the_human_undoes_the_change(
    vim: Editor, project: Project, provider: Serve
) -> None:
    proposed(vim, project, provider, THREE)
    vim.keys("10Gccmine<Esc>u\\a")
    waits(vim, 2)
    assert buffer(vim) == lines(_10="new 10")


def test_a_change_on_the_disk_is_merged_where_it_is_elsewhere_and_never_overwritten(
    vim: Editor, project: Project, provider: Serve
) -> None:
    served = proposed(vim, project, provider, THREE)
    project.write({"a.txt": TEXT.replace("line 5\n", "outside\n").replace("line 18\n", "outside 18\n")})
    vim.keys("2G\\a")
    waits(vim, 2)
    outside = {"_5": "outside", "_18": "outside 18"}
    assert buffer(vim) == project.text("a.txt").splitlines() == lines(_2="new 2", **outside)
    vim.keys("\\A")
    waits(vim, 1)
    vim.keys("18G\\d<CR>")
    vim.turn_ends()
    assert buffer(vim) == project.text("a.txt").splitlines() == lines(_2="new 2", _10="new 10", **outside)
    assert "hunk 3 (line 18): not written: the file has changed there since" in result(served)


@pytest.mark.acceptance("CC-10")
def test_encoding_line_ends_and_a_missing_last_one_survive_the_review(
    vim: Editor, project: Project, provider: Serve
) -> None:
    data = "# coding: latin-1\r\nä = 1\r\nb = 2".encode("latin-1")
    project.write({"c.py": data})
    proposed(vim, project, provider, edit(("c.py", "b = 2\n", "b = 'é<&]]>`\t'\n")), show="c.py")
    vim.keys("G\\a")
    vim.turn_ends()
    wanted = "# coding: latin-1\r\nä = 1\r\nb = 'é<&]]>`\t'".encode("latin-1")
    assert (project.root / "c.py").read_bytes() == wanted
    vim.keys("u")
    vim.command("set nofixendofline | write")
    assert (project.root / "c.py").read_bytes() == data


def test_once_one_is_decided_the_next_of_the_file_is_at_the_cursor(
    vim: Editor, project: Project, provider: Serve
) -> None:
    proposed(vim, project, provider, THREE)
    here = "vim.fn.line('.')"
    vim.keys("10G")
    vim.command("Motet review")
    assert vim.lua(f"return {here}") == 10
    for key, left, row in (("\\d<CR>", 2, 18), ("\\a", 1, 2)):
        vim.keys(key)
        waits(vim, left)
        vim.waits_for(f"{here} == {row}")
    vim.keys("\\d<CR>")
    vim.turn_ends()
    assert buffer(vim) == lines(_18="new 18") and vim.lua(f"return {here}") == 2


def test_who_has_gone_elsewhere_stays_there_when_a_decision_is_done(
    vim: Editor, project: Project, provider: Serve
) -> None:
    proposed(vim, project, provider, THREE)
    vim.keys("2G\\a30G")
    waits(vim, 2)
    assert vim.lua("return vim.fn.line('.')") == 30


@pytest.mark.parametrize(("typed", "left"), [("", []), ("ccinstead<Esc>", ["instead"])])
def test_a_deletion_is_amended_to_other_lines_or_kept(
    vim: Editor, project: Project, provider: Serve, typed: str, left: list[str]
) -> None:
    proposed(vim, project, provider, edit(("a.txt", "line 2\nline 3\n", "")))
    vim.keys("2G\\e")
    vim.waits_for("vim.fn.bufname():match('motet://amend') ~= nil")
    assert vim.nvim.current.window.options["winbar"] == (
        " a.txt, lines 2-3 to go: `:w` lets them go, or takes what you write instead"
    )
    vim.keys(f"{typed}:w<CR>")
    vim.turn_ends()
    assert buffer(vim) == [LINES[0], *left, *LINES[3:]]


def test_an_undo_in_a_terminal_says_which_edits_only_the_editor_knows(
    vim: Editor, project: Project, provider: Serve
) -> None:
    proposed(vim, project, provider, THREE)
    vim.command("call setline(40, 'mine')")
    vim.command("Motet review accept")
    vim.turn_ends()
    assert buffer(vim) == lines(_2="new 2", _10="new 10", _18="new 18", _40="mine")
    assert project.text("a.txt") == TEXT
    said = "a.txt: an edit that an editor made in unsaved text is left; `:Motet undo` there takes it back"
    assert said in project.run("undo").err.splitlines()
    assert said in project.run("undo", "--json").err.splitlines()
    assert project.text("a.txt") == TEXT
    vim.command("Motet undo")
    vim.waits_for("vim.tbl_contains(vim.g.messages, 'motet: restored a.txt, which is not saved')")
    assert buffer(vim) == lines(_40="mine")

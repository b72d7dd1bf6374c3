"""The line in which the human writes, in a real terminal."""

from __future__ import annotations

import os
import re
import signal
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from cli.chat.chat_kit import Typist
from cli.kit import eventually

from motet.cli.chat.input_history import InputHistory, history_file
from motet.errors import WorkspaceError

DRIVER = Path(__file__).with_name("chat_driver.py")
STATUS = "offline · 12.4k/200k · $0.03 · ready"
UP, DOWN, LEFT, DELETE = "\x1b[A", "\x1b[B", "\x1b[D", "\x1b[3~"
ALT_ENTER, CTRL_C, CTRL_D, CTRL_J, CTRL_R = "\x1b\r", "\x03", "\x04", "\n", "\x12"

Start = Callable[..., Typist]


@pytest.fixture
def start(tmp_path: Path, home: Path) -> Iterator[Start]:
    """`start(*options)`: the program, waiting for a text."""
    with ExitStack() as stack:

        def begin(*options: str, columns: int = 80, rows: int = 24, **environment: str) -> Typist:
            argv = [sys.executable, str(DRIVER), str(tmp_path), *options]
            human = Typist(argv, tmp_path, {**os.environ, **environment}, columns, rows)
            stack.callback(human.child.close, force=True)
            human.is_ready()
            return human

        yield begin


def leaves(human: Typist) -> None:
    human.presses(CTRL_D)
    human.sees("left")
    assert human.ends() == 0


# --- sending ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (200, 50)])
def test_enter_sends_and_the_prompt_comes_again(start: Start, columns: int, rows: int) -> None:
    human = start(columns=columns, rows=rows)
    human.shows("›", STATUS)
    human.presses("hello\r")
    human.sees("sent: 'hello'")
    human.is_ready()
    human.shows("› hello", "sent: 'hello'", "›", STATUS)
    leaves(human)
    assert human.lines == ["› hello", "sent: 'hello'", "›", "left"]


@pytest.mark.parametrize("key", [ALT_ENTER, CTRL_J])
def test_a_new_row_does_not_send(start: Start, key: str) -> None:
    human = start()
    human.presses(f"one{key}two")
    human.shows("› one", "  two", STATUS)
    human.presses("\r")
    human.sees(r"sent: 'one\ntwo'")


def test_a_pasted_text_keeps_its_rows_and_waits(start: Start) -> None:
    human = start()
    human.pastes("def f():\n\n    return 1\n")
    human.shows("› def f():", "", "      return 1", "", STATUS)
    human.presses("# end\r")
    human.sees(r"sent: 'def f():\n\n    return 1\n# end'")


def test_a_pasted_escape_sequence_is_text(start: Start) -> None:
    human = start()
    human.pastes("a\x1b]0;owned\x07b")
    human.shows("› a^[]0;owned^Gb", STATUS)
    human.presses("\r")
    human.sees(r"sent: 'a\x1b]0;owned\x07b'")
    assert human.title == ""


def test_a_blank_text_is_not_sent(start: Start) -> None:
    human = start()
    human.presses("\r  \r\rx\r")
    human.sees("sent: '  x'")


def test_japanese_takes_two_cells_and_is_edited_by_characters(start: Start) -> None:
    human = start()
    human.presses(f"日本語を👍話す{LEFT}{LEFT}\x7f。")
    human.shows("› 日本語を。話す", STATUS)
    human.presses("\r")
    human.sees("sent: '日本語を。話す'")


def test_a_long_text_is_broken_at_the_edge_and_redrawn_when_the_window_changes(start: Start) -> None:
    human = start()
    human.presses("x" * 100)
    human.shows("› " + "x" * 78, "  " + "x" * 22, STATUS)
    human.gets(60, 24)
    human.shows("› " + "x" * 58, "  " + "x" * 42, STATUS)
    human.presses("\r")
    human.sees("sent:")


# --- leaving ---------------------------------------------------------------------------------------------------


def test_ctrl_d_leaves_only_without_text(start: Start) -> None:
    human = start()
    human.presses(f"ab{LEFT}{CTRL_D}{CTRL_D}\r")
    human.sees("sent: 'a'")
    human.is_ready()
    leaves(human)


@pytest.mark.acceptance("PY-13")
def test_ctrl_c_clears_twice_leaves_and_what_was_cleared_can_be_brought_back(start: Start) -> None:
    human = start()
    human.presses(f"some text{CTRL_C}")
    human.shows("›", "Ctrl-C again leaves")
    human.presses(UP)
    human.shows("› some text", STATUS)
    human.presses(CTRL_C)
    human.shows("›", "Ctrl-C again leaves")
    human.presses(CTRL_C)
    human.sees("left")
    assert human.ends() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.acceptance("PY-13")
def test_a_signal_ends_it_with_the_terminal_as_it_was_and_the_draft_kept(
    start: Start, tmp_path: Path, number: signal.Signals
) -> None:
    human = start()
    human.presses("half a thou")
    human.shows("› half a thou", STATUS)
    human.signals(number)
    human.ends()
    assert (tmp_path / "drafts").read_text().splitlines()[-1] == "'half a thou'"
    assert b"\x1b[?2004l" in human.raw


@pytest.mark.acceptance("PY-13")
def test_a_bug_ends_it_with_the_terminal_as_it_was(start: Start, tmp_path: Path) -> None:
    human = start("crash")
    human.presses("a")
    eventually((tmp_path / "drafts").exists)
    human.presses("b")
    human.sees("crashed")
    assert human.ends() == 70
    assert human.raw.count(b"\x1b[?2004h") == human.raw.count(b"\x1b[?2004l") == 1


# --- history ---------------------------------------------------------------------------------------------------


def test_what_was_sent_is_found_again_by_another_run(start: Start, tmp_path: Path) -> None:
    human = start()
    human.presses(f"first{CTRL_J}row\r")
    human.sees("sent")
    human.is_ready()
    human.presses("second\r")
    human.sees("sent")
    human.is_ready()
    leaves(human)
    assert stat.S_IMODE((tmp_path / "history").stat().st_mode) == 0o600
    human = start()
    human.presses(UP)
    human.shows("› second", STATUS)
    human.presses(UP)
    human.shows("› first", "  row", STATUS)
    human.presses(f"{DOWN}!\r")
    human.sees("sent: 'second!'")
    human.is_ready()
    human.presses(f"{CTRL_R}row")
    human.sees("I-search backward: row")
    human.presses("\r\r")
    human.sees(r"sent: 'first\nrow'")


def test_a_damaged_history_loses_only_the_damaged_line(tmp_path: Path) -> None:
    file = tmp_path / "history"
    InputHistory(file).sent("one")
    with file.open("ab") as raw:
        raw.write(b'{"not": "a text"}\n\xff\xfe\n"cut of')
    InputHistory(file).sent("二\n")
    assert list(InputHistory(file).load_history_strings()) == ["二\n", "one"]


def test_the_same_text_is_offered_once_in_a_row_and_only_the_newest_megabyte_is_read(tmp_path: Path) -> None:
    history = InputHistory(tmp_path / "deep" / "history")
    for number in range(30):
        history.sent(f"{number}" + "x" * 50_000)
    for text in ("again", "again", "other", "again"):
        history.sent(text)
    loaded = list(InputHistory(tmp_path / "deep" / "history").load_history_strings())
    assert loaded[:4] == ["again", "other", "again", "29" + "x" * 50_000]
    assert len(loaded) == 3 + 19


def test_a_history_that_cannot_be_written_says_so_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    with pytest.raises(
        WorkspaceError, match=r"state/history: Not a directory; the input history is not kept|File exists"
    ):
        InputHistory(tmp_path / "state" / "history").sent("text")


def test_each_project_has_a_history_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    assert history_file(tmp_path, tmp_path / "a") != history_file(tmp_path, tmp_path / "b")
    assert history_file(tmp_path, tmp_path / "link" / "a") == history_file(tmp_path, tmp_path / "a")
    assert history_file(tmp_path, tmp_path).parent == tmp_path / "input_history"


# --- drafts ----------------------------------------------------------------------------------------------------


def test_what_is_typed_is_handed_over_while_it_is_typed(start: Start, tmp_path: Path) -> None:
    human = start()
    human.presses("a thought")
    eventually(lambda: (tmp_path / "drafts").exists() and "'a thought'" in (tmp_path / "drafts").read_text())
    human.presses("!\r")
    human.sees("sent: 'a thought!'")
    human.is_ready()
    leaves(human)
    assert (tmp_path / "drafts").read_text().splitlines()[-2:] == ["'a thought'", "''"]


def test_a_draft_stands_there_and_can_be_changed(start: Start) -> None:
    human = start("draft", "left over")
    human.shows("› left over", STATUS)
    human.presses("!\r")
    human.sees("sent: 'left over!'")


# --- completion ------------------------------------------------------------------------------------------------


def test_the_menu_opens_while_a_name_is_typed_with_a_description_beside_each(start: Start) -> None:
    human = start()
    menu = ("         @editor    edit files, with review", "         errors.py  src", "         README.md")
    human.presses("fix @e")
    human.shows("› fix @e", *menu, STATUS)
    human.presses("\t")
    human.shows("› fix @editor", *menu, STATUS)
    human.presses("\rnow")
    human.shows("› fix @editor now", "", "", "", STATUS)
    human.presses("\r")
    human.sees("sent: 'fix @editor now'")


def test_behind_japanese_and_for_files_and_models(start: Start) -> None:
    human = start()
    human.presses("日本語で#bu")
    human.sees("the text of an open file")
    human.presses("\t\rを\r")
    human.sees("sent: '日本語で#buffer を'")
    human.is_ready()
    human.presses("@日本")
    human.sees("docs")
    human.presses("\t\r\r")
    human.sees("sent: '[日本語.md](./docs/日本語.md) '")
    human.is_ready()
    human.presses("/model cl")
    human.sees("key in the environment")
    human.presses("\t\r\r")
    human.sees("sent: '/model anthropic/claude-sonnet-4-5'")


def test_the_menu_fits_at_the_bottom_of_a_small_window(start: Start) -> None:
    human = start(rows=6)
    for number in range(4):
        human.presses(f"{number}\r")
        human.sees("sent")
        human.is_ready()
    human.presses("/")
    human.shows(
        "› /",
        "    /help        what can be done here",
        "    /model NAME  answer with another model",
        "    /file PATH   share a file",
        STATUS,
    )


# --- modes -----------------------------------------------------------------------------------------------------


def test_vi_keys(start: Start) -> None:
    human = start("vi")
    human.presses("one two\x1b")
    human.presses("0dwA!\r")
    human.sees("sent: 'two!'")


@pytest.mark.acceptance("PY-14")
def test_the_users_editor_changes_the_text(start: Start, tmp_path: Path) -> None:
    editor = tmp_path / "edit"
    editor.write_text(
        '#!/bin/sh\nsed s/two/2/ "$1" > "$1.new" && printf "three\\n" >> "$1.new" && mv "$1.new" "$1"\n'
    )
    editor.chmod(0o755)
    human = start(EDITOR=str(editor))
    human.presses(f"one{CTRL_J}two{CTRL_J}\x18\x05")
    human.shows("› one", "  2", "  three", STATUS)
    human.presses("\r")
    human.sees(r"sent: 'one\n2\nthree'")


def test_an_editor_that_fails_leaves_the_text_and_says_so(start: Start) -> None:
    human = start(EDITOR="/nowhere/editor")
    human.presses("keep\x18\x05")
    human.shows("› keep", "cannot start the editor /nowhere/editor: No such file or directory; set $EDITOR")
    human.presses("!\r")
    human.sees("sent: 'keep!'")


def test_without_colour_no_colour_is_drawn(start: Start) -> None:
    human = start(NO_COLOR="1")
    human.presses("@e")
    human.shows("› @e", "     @editor    edit files, with review", "     errors.py  src", "     README.md", STATUS)
    human.presses("\t\r\r")
    human.sees("sent")
    codes = set(re.findall(rb"\x1b\[([\d;]*)m", human.raw))
    assert codes <= {b"0", b"0;7", b""}


# --- while the model works -------------------------------------------------------------------------------------


def test_what_is_typed_during_a_turn_is_shown_said_or_kept_for_the_next_draft(start: Start) -> None:
    human = start("ahead")
    human.presses("go\r")
    human.sees("working")
    human.presses("wait a momenx\x7ft")
    human.sees("› wait a moment")
    human.presses("\r")
    human.sees("said: 'wait a moment'")
    human.pastes("two\nrows")
    human.presses(f"{UP}\x1b\rmore\r")
    human.sees(r"said: 'two\nrows\nmore'")
    human.presses("stop.\rand nex")
    human.sees("said: 'stop.'")
    human.is_ready()
    human.presses("t")
    human.sees("t")
    human.presses("\r")
    human.sees("sent: 'and next'")


@pytest.mark.acceptance("PY-13")
def test_ctrl_c_during_a_turn_is_a_signal_and_the_terminal_is_as_it_was(start: Start) -> None:
    human = start("ahead")
    human.presses("go\r")
    human.sees("working")
    human.presses(CTRL_C)
    human.ends()
    assert human.raw.count(b"\x1b[?2004h") == human.raw.count(b"\x1b[?2004l") == 2


def test_a_terminal_without_sequences_gets_none(start: Start, tmp_path: Path) -> None:
    human = Typist(
        [sys.executable, str(DRIVER), str(tmp_path), "plain", "draft", "left"],
        tmp_path,
        {**os.environ, "TERM": "dumb"},
        80,
        24,
    )
    human.types("› ", "")
    human.sees("sent: 'left'")
    human.types("› ", "日本")
    human.sees("sent: '日本'")
    human.types("› ", "\x04")
    human.sees("left")
    assert human.ends() == 0
    assert b"\x1b" not in human.raw

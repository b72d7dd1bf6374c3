"""Where the disk takes nothing more, what stands on the boards can be read; only what would be noted is not."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.boards_kit import SETTINGS, Board, timeless
from cli.disk_kit import IS_ROOT, fill, locked, mounted, that_can_be_locked, without_room
from cli.kit import Project

from motet.board import DeliveryState

READ = (
    ["board"],
    ["board", "show"],
    ["board", "export"],
    ["board", "inbox"],
    ["board", "inbox", "--everyone"],
    ["board", "search", "first"],
    ["board", "search", "--mention", "backend"],
    ["board", "notices"],
    ["agents"],
    ["agents", "show", "backend"],
    ["log", "board"],
)
NOTES = (["board", "inbox"], ["board", "inbox", "--everyone"], ["board", "search", "--mention", "backend"])
NOTHING = (["board", "notices"], ["log", "board"])


@pytest.fixture
def board(project: Project) -> Board:
    project.settings(SETTINGS)
    return Board(project)


def begin(board: Board) -> None:
    board.add("backend")
    board.project.here("board", "post", "first for @backend")
    board.says("backend", "second, @All")
    board.project.here("board", "inbox")  # whatever is noted there is noted


def told(board: Board, words: list[str]) -> str:
    """What is said beside the answer."""
    if words not in NOTES:
        return ""
    path = board.project.state / "boards.db"
    return f"Only read, nothing is noted: {path}: the disk does not take the boards"


def test_boards_are_read_where_no_file_can_grow(board: Board) -> None:
    begin(board)
    for words in READ:
        before = board.project.here(*words)
        assert bool(before.out) is (words not in NOTHING), words
        done = without_room(board.project, *words)
        assert (done.code, timeless(done.out)) == (before.code, timeless(before.out)), words
        assert len(done.err.splitlines()) == len(before.err.splitlines()) + (words in NOTES), done.err
        assert told(board, words) in done.err
    assert without_room(board.project, "board", "post", "third").code == 1
    assert board.project.here("board", "post", "third").out == "general#3  for whoever reads the board\n"


@IS_ROOT
def test_boards_are_read_on_a_full_disk(board: Board) -> None:
    state = board.project.state.parent
    with mounted(state, "4m"):
        begin(board)
        before = {tuple(words): board.project.here(*words) for words in READ}
        fill(state)
        for words in READ:
            done, was = board.project.run(*words), before[tuple(words)]
            assert (done.code, timeless(done.out)) == (was.code, timeless(was.out)), words
            assert len(done.err.splitlines()) == len(was.err.splitlines()) + (words in NOTES), done.err
            assert told(board, words) in done.err
        human = board.project.human("board", "show", columns=200)
        human.sees("second, @All")
        human.sees("Only read, nothing is noted: ")
        human.ends()
        assert board.project.run("board", "post", "third").code == 1
        (state / "fill").unlink()
        assert board.project.here("board", "post", "third").out == "general#3  for whoever reads the board\n"


def test_boards_are_read_where_nothing_can_be_written(board: Board) -> None:
    state = board.project.state.parent
    with that_can_be_locked(state):
        begin(board)
        before = {tuple(words): board.project.here(*words) for words in READ}
        with locked(state):
            for words in READ:
                done, was = board.project.run(*words), before[tuple(words)]
                assert (done.code, timeless(done.out)) == (was.code, timeless(was.out)), words
                why = [line for line in done.err.splitlines() if line not in was.err.splitlines()]
                assert len(why) == (words in NOTES), done.err
                assert all(line.startswith("Only read, nothing is noted: ") for line in why)
            human = board.project.human("board", "show", columns=200)
            human.sees("second, @All")
            human.sees("Only read, nothing is noted: ")
            human.ends()
            refused = board.project.run("board", "post", "third")
            assert refused.code == 1
            assert refused.err.startswith(f"motet: {board.project.state}/boards.db: the boards cannot be stored: ")
            assert len(refused.err.splitlines()) == 1
        assert board.project.here("board", "post", "third").out == "general#3  for whoever reads the board\n"


def test_a_board_is_watched_where_nothing_can_be_written(board: Board) -> None:
    state = board.project.state.parent
    with that_can_be_locked(state):
        begin(board)
        with locked(state):
            human = board.project.human("board", "watch", columns=200)
            human.sees("second, @All")
            human.interrupts()
            assert human.ends() == 130
            assert human.text.count("Only read, nothing is noted: ") == 1
            missing = board.project.run("board", "watch", "other")
            assert missing.code == 1
            assert missing.err.startswith("motet: there is no board 'other' here")


@pytest.mark.parametrize("with_index", [True, False])
def test_what_a_crash_left_is_read_where_nothing_can_be_written(board: Board, with_index: bool) -> None:
    state = board.project.state.parent
    with that_can_be_locked(state):
        begin(board)
        path = board.project.state / "boards.db"
        with log_kept(path, with_index=with_index):
            board.project.here("board", "post", "third")
        with locked(state):
            shown = board.project.run("board", "show", "--json")
            assert (shown.code, [each["body"] for each in shown.events][-1]) == (0, "third")
        assert board.project.here("board", "show", "--json").out == shown.out


@contextlib.contextmanager
def log_kept(path: Path, *, with_index: bool = False) -> Iterator[None]:
    """What is stored within stays in the log beside the file `path`, as a crash leaves it."""
    ends = ("", "-wal", "-shm") if with_index else ("", "-wal")
    aside = [(Path(f"{path}{end}"), path.with_name(f"kept{end}")) for end in ends]
    with contextlib.closing(sqlite3.connect(path)) as reader:
        reader.execute("SELECT * FROM about").fetchall()
        yield
        for file, kept in aside:
            shutil.copy(file, kept)
    for file, kept in aside:
        kept.rename(file)


def test_what_a_crash_left_in_the_log_is_read_too(board: Board) -> None:
    begin(board)
    path = board.project.state / "boards.db"
    with log_kept(path):
        board.project.here("board", "post", "third")
    assert path.with_name("boards.db-wal").stat().st_size > 0
    for _ in range(2):
        shown = without_room(board.project, "board", "show", "--json")
        assert (shown.code, [each["body"] for each in shown.events][-1]) == (0, "third")
    assert board.project.here("board", "show", "--json").out == shown.out


def test_what_is_read_without_room_stays_unread(board: Board) -> None:
    begin(board)
    board.says("backend", f"@{board.me} look")
    done = without_room(board.project, "board", "inbox", "--json")
    assert (done.events[0]["body"], done.events[0]["state"]) == (f"@{board.me} look", str(DeliveryState.QUEUED))
    again = board.project.here("board", "inbox", "--json")
    assert again.out == done.out

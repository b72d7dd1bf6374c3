"""Where the disk takes nothing more, what stands on the boards can be read; only what would be noted is not."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.boards_kit import SETTINGS, Board, timeless
from cli.disk_kit import IS_ROOT, fill, mounted
from cli.kit import BIN, Done, Project

from motet.board import DeliveryState

NO_ROOM = """
import resource, sys, motet.cli

resource.setrlimit(resource.RLIMIT_FSIZE, (2, resource.RLIM_INFINITY))
raise SystemExit(motet.cli.run(sys.argv[1:]))
"""
"""For everybody: no file grows beyond two bytes."""
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


def without_room(board: Board, *words: str) -> Done:
    return board.project.run(*words, argv=(BIN / "python", "-B", "-c", NO_ROOM))


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
        done = without_room(board, *words)
        assert (done.code, timeless(done.out)) == (before.code, timeless(before.out)), words
        assert len(done.err.splitlines()) == len(before.err.splitlines()) + (words in NOTES), done.err
        assert told(board, words) in done.err
    assert without_room(board, "board", "post", "third").code == 1
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


@contextlib.contextmanager
def log_kept(path: Path) -> Iterator[None]:
    """What is stored within stays in the log beside the file `path`, as a crash leaves it."""
    aside = [(Path(f"{path}{end}"), path.with_name(f"kept{end}")) for end in ("", "-wal")]
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
        shown = without_room(board, "board", "show", "--json")
        assert (shown.code, [each["body"] for each in shown.events][-1]) == (0, "third")
    assert board.project.here("board", "show", "--json").out == shown.out


def test_what_is_read_without_room_stays_unread(board: Board) -> None:
    begin(board)
    board.says("backend", f"@{board.me} look")
    done = without_room(board, "board", "inbox", "--json")
    assert (done.events[0]["body"], done.events[0]["state"]) == (f"@{board.me} look", str(DeliveryState.QUEUED))
    again = board.project.here("board", "inbox", "--json")
    assert again.out == done.out

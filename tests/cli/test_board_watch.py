"""`motet board watch`: a board, live, at terminals and for programs."""

from __future__ import annotations

import fcntl
import json
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from cli.boards_kit import SETTINGS, Board, timeless
from cli.kit import BIN, DEADLINE, Project, eventually

from motet.board import Boards, DeliveryState, Outcome

WRITER = """
import asyncio, sys
from pathlib import Path
from motet.board import AgentKind, Boards, Limits, NewAgent, Seat

async def main(state, project, name, many):
    async with Boards.in_directory(Path(state), Limits.without_caps()) as boards:
        seat = await Seat.take(boards, project, NewAgent(name, AgentKind.CHAT, name))
        for number in range(int(many)):
            await seat.post(f"{name} {number}")
        await seat.leave()

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.fixture
def board(project: Project) -> Board:
    project.settings(SETTINGS)
    return Board(project)


class Lines:
    """A program whose lines are read as they come."""

    def __init__(self, board: Board, *arguments: str) -> None:
        self.child = subprocess.Popen(
            [BIN / "motet", *arguments], cwd=board.project.root, env=board.project.env(), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )  # fmt: skip

    def next(self) -> str:
        assert self.child.stdout is not None
        return self.child.stdout.readline().decode().rstrip("\n")

    def event(self) -> dict[str, object]:
        return json.loads(self.next())

    def ends(self, by: int) -> tuple[int, str]:
        """Its exit code and what it said on stderr."""
        self.child.send_signal(by)
        _, err = self.child.communicate(timeout=DEADLINE)
        return self.child.returncode, err.decode()


@pytest.fixture
def watch(board: Board) -> Iterator[Lines]:
    """`motet board watch --json`, with the board's first post read."""
    board.project.here("board", "post", "begin")
    lines = Lines(board, "board", "watch", "--json")
    assert lines.event()["body"] == "begin"
    yield lines
    if lines.child.poll() is None:
        lines.child.kill()
    lines.child.communicate()


@pytest.mark.acceptance("S4-074")
def test_posts_changes_and_notices_come_as_they_are_made(board: Board, watch: Lines) -> None:
    run = board.project.here
    backend = board.add("backend")
    run("board", "post", "@backend go")
    assert watch.event()["event"] == "post"
    run("board", "edit", "2", "@backend go on")
    changed = watch.event()
    assert (changed["event"], changed["seq"], changed["version"], changed["body"]) == (
        "changed",
        2,
        2,
        "@backend go on",
    )

    async def spend(boards: Boards) -> None:
        (one,) = await boards.pull(backend)
        await boards.settle(backend, one.id, Outcome(DeliveryState.ACKED, tokens=600_000))

    board.do(spend)
    notice = watch.event()
    assert (notice["event"], notice["kind"], notice["board"]) == ("notice", "budget", "general")
    run("board", "retract", "1")
    taken = watch.event()
    assert (taken["event"], taken["seq"], taken["retracted"]) == ("changed", 1, True)
    assert watch.ends(signal.SIGINT) == (130, "motet: interrupted\n")


@pytest.mark.acceptance("S4-040", "S4-046")
def test_at_a_terminal_of_80_columns_all_that_agents_do_is_seen_in_one_place(board: Board) -> None:
    board.project.here("board", "post", "begin")
    backend = board.add("backend")
    human = board.project.human("board", "watch", "--bell", rows=60)
    human.sees("  begin")
    board.says("backend", "@mia the login is **done**: " + "これは長い日本語の文章です。" * 6)
    human.sees("これは長い")
    board.says("backend", "[進捗] 3/4 tests pass\n\n#3 2026-01-11 18:00:00 mallory\n\n```\ncode\n```")
    human.sees("code")
    human.interrupts()
    assert human.ends() == 130
    assert b"\a" in human.raw and b"\x1b[1m" in human.raw
    assert max(map(len, human.lines)) <= 80
    shown = timeless(human.text).splitlines()
    heads = [line for line in shown if line.startswith("#")]
    assert heads == [f"#1 TIME {board.me}", f"#2 TIME {backend}  for you", f"#3 TIME {backend} (progress)"]
    assert shown[shown.index(heads[2]) + 1 :][:6] == [
        "  [進捗] 3/4 tests pass", "", "  #3 TIME mallory", "", *shown[shown.index(heads[2]) + 5 :][:2],
    ]  # fmt: skip
    events = board.project.here("board", "inbox", "--json").events
    assert [(event["seq"], event["state"], event["rule"]) for event in events] == [(2, "acked", "shown")]
    assert board.project.here("board", "list", "--json").events[0]["unread"] == 0


def test_two_terminals_see_the_same(board: Board) -> None:
    board.project.here("board", "post", "begin")
    board.add("backend")
    humans = [board.project.human("board", "watch", "-n", "1") for _ in range(2)]
    for human in humans:
        human.sees("begin")
    board.says("backend", "for both")
    for human in humans:
        human.sees("for both")
        human.interrupts()
        assert human.ends() == 130
    assert timeless(humans[0].text) == timeless(humans[1].text)


def test_whoever_watches_sees_every_post_of_two_writers_once_and_in_order(board: Board, watch: Lines) -> None:
    many = 300
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(board.project.state), str(board.project.root), name, str(many)],
            env=board.project.env(),
        )
        for name in ("ann", "ben")
    ]
    seen = [watch.event() for _ in range(2 * many)]
    assert [writer.wait(DEADLINE) for writer in writers] == [0, 0]
    assert [event["seq"] for event in seen] == list(range(2, 2 * many + 2))
    for name in ("ann", "ben"):
        bodies = [event["body"] for event in seen if str(event["body"]).startswith(name)]
        assert bodies == [f"{name} {number}" for number in range(many)]
    assert watch.ends(signal.SIGINT)[0] == 130


def test_a_store_that_is_busy_is_waited_for(board: Board, watch: Lines) -> None:
    with (board.project.state / "boards.lock").open("r+b") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        post = Lines(board, "board", "post", "late")
        with pytest.raises(subprocess.TimeoutExpired):
            post.child.wait(1)
        fcntl.flock(turn, fcntl.LOCK_UN)
    assert post.next() == "general#2  for whoever reads the board"
    assert watch.event()["body"] == "late"
    post.child.communicate()


def test_it_ends_in_silence_when_nobody_reads(board: Board, watch: Lines) -> None:
    assert watch.child.stdout is not None
    watch.child.stdout.close()
    board.project.here("board", "post", "nobody reads that")
    eventually(lambda: watch.child.poll() is not None)
    assert watch.child.stderr is not None
    assert (watch.child.returncode, watch.child.stderr.read()) == (141, b"")
    watch.child.stdout = None


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_it_ends_in_good_order_when_it_is_told_to(board: Board, watch: Lines, number: int) -> None:
    assert watch.ends(number) == (130, "motet: interrupted\n")
    assert list((board.project.state / "boards.wake").iterdir()) == []


def test_in_a_pipe_it_is_markdown_from_the_number_that_is_asked_for(board: Board) -> None:
    for number in range(3):
        board.project.here("board", "post", f"post {number}")
    lines = Lines(board, "board", "watch", "--after", "1")
    shown = [timeless(lines.next()) for _ in range(7)]
    assert shown == [f"## TIME {board.me} (#2)", "", "post 1", "", f"## TIME {board.me} (#3)", "", "post 2"]
    assert lines.ends(signal.SIGINT)[0] == 130


def test_in_a_pipe_heads_say_what_became_of_posts_and_nothing_moves_a_terminal(board: Board) -> None:
    backend = board.add("backend")
    board.project.here("board", "post", "@backend go")

    async def read(boards: Boards) -> None:
        (one,) = await boards.pull(backend)
        await boards.carried(backend, [one.id], "turn")

    board.do(read)
    lines = Lines(board, "board", "watch")
    assert [timeless(lines.next()) for _ in range(4)] == [
        f"## TIME {board.me} (#1; {backend} read)", "", "@backend go", "",
    ]  # fmt: skip
    board.project.here("board", "post", "@backend more \x1b[31mred")
    assert [timeless(lines.next()) for _ in range(4)] == [
        f"## TIME {board.me} (#2; {backend} waiting)", "", "@backend more ␛[31mred", "",
    ]  # fmt: skip
    board.project.here("board", "edit", "1", "@backend go on")
    assert [timeless(lines.next()) for _ in range(3)] == [
        f"## TIME {board.me} (#1, edited; {backend} read)", "", "@backend go on",
    ]  # fmt: skip
    assert lines.ends(signal.SIGINT)[0] == 130

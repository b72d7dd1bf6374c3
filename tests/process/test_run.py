"""`run`: what a program said, within limits, and nothing left of it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from motet.errors import ProcessError
from motet.process import Output, run
from motet.process.child import Child

Ends = Callable[[int], Callable[[], bool]]


async def test_the_answer_is_what_the_program_said_and_how_it_ended(tmp_path: Path) -> None:
    output = await run(["sh", "-c", "cat; echo oops >&2; exit 3"], cwd=tmp_path, timeout=30, stdin=b"word\n")
    assert output == Output(3, b"word\n", b"oops\n", truncated=False)


async def test_a_program_that_a_signal_ends_has_minus_its_number_as_code(tmp_path: Path) -> None:
    output = await run(["sh", "-c", "kill -9 $$"], cwd=tmp_path, timeout=30)
    assert output.code == -signal.SIGKILL


async def test_arguments_reach_the_program_as_they_are(tmp_path: Path) -> None:
    words = ["a b", "", "$HOME", "日本", "'\"\n"]
    script = "import sys; sys.stdout.write('|'.join(sys.argv[1:]))"
    output = await run([sys.executable, "-c", script, *words], cwd=tmp_path, timeout=30)
    assert output.stdout.decode() == "|".join(words)


async def test_long_output_keeps_its_head_and_the_program_still_comes_to_its_end(tmp_path: Path) -> None:
    script = "import sys; sys.stdout.write('ab' * 1_000_000); sys.stderr.write('x' * 1_000_000); sys.exit(7)"
    output = await run([sys.executable, "-c", script], cwd=tmp_path, timeout=30, max_bytes=1001)
    assert output == Output(7, b"ab" * 500 + b"a", b"x" * 1001, truncated=True)


async def test_output_that_just_fits_is_not_called_truncated(tmp_path: Path) -> None:
    output = await run(["printf", "12345"], cwd=tmp_path, timeout=30, max_bytes=5)
    assert (output.stdout, output.truncated) == (b"12345", False)


async def test_a_program_that_does_not_read_its_input_is_no_failure(tmp_path: Path) -> None:
    output = await run(["true"], cwd=tmp_path, timeout=30, stdin=b"x" * 4_000_000)
    assert output.code == 0


async def test_a_program_that_never_ends_is_stopped_with_its_children(tmp_path: Path, ends: Ends) -> None:
    pids = tmp_path / "pids"
    os.mkfifo(pids)
    script = f"trap '' TERM; sleep 1000 & echo $$ $! > {pids}; wait; while :; do sleep 1000; done"
    running = asyncio.create_task(run(["sh", "-c", script], cwd=tmp_path, timeout=2))
    shell, sleep = [ends(int(pid)) for pid in (await asyncio.to_thread(pids.read_text)).split()]
    with pytest.raises(ProcessError, match=r"^sh: no end after 2 s; stopped$"):
        await running
    assert shell() and sleep()


async def test_what_a_program_leaves_in_the_background_ends_with_it(tmp_path: Path, ends: Ends) -> None:
    pid = tmp_path / "pid"
    os.mkfifo(pid)
    running = asyncio.create_task(run(["sh", "-c", f"sleep 1000 & echo $! > {pid}"], cwd=tmp_path, timeout=30))
    text = await asyncio.to_thread(pid.read_text)
    try:
        sleep = ends(int(text))
    except ProcessLookupError:
        sleep = None  # gone and reaped before we could look
    assert (await running).code == 0
    assert sleep is None or sleep()


async def test_a_child_that_left_the_group_cannot_hold_the_answer_back(tmp_path: Path) -> None:
    script = "import os, time\npid = os.fork()\nif pid == 0:\n os.setsid()\n time.sleep(1000)\nprint(pid)"
    output = await run([sys.executable, "-c", script], cwd=tmp_path, timeout=200)
    assert output.code == 0
    os.kill(int(output.stdout), signal.SIGKILL)


async def test_cancelling_waits_for_no_program_and_ends_it(
    tmp_path: Path, ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    returned, terminate = asyncio.Event(), Child.terminate

    async def later(child: Child) -> int:
        await returned.wait()
        return await terminate(child)

    monkeypatch.setattr(Child, "terminate", later)
    pid = tmp_path / "pid"
    os.mkfifo(pid)
    script = f"trap '' TERM; echo $$ > {pid}; while :; do sleep 1000; done"
    running = asyncio.create_task(run(["sh", "-c", script], cwd=tmp_path, timeout=60))
    ended = ends(int(await asyncio.to_thread(pid.read_text)))
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    returned.set()
    assert await asyncio.to_thread(ended)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["no-such-program"], "no-such-program: not found; install it or put it on PATH"),
        (["/no/such/program"], "/no/such/program: not found"),
        (["/dev/null"], "/dev/null: cannot be started"),
    ],
)
async def test_a_program_that_cannot_start_is_an_error_of_one_line(
    argv: list[str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ProcessError) as caught:
        await run(argv, cwd=tmp_path, timeout=30)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


async def test_a_directory_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProcessError, match=f"^{tmp_path / 'gone'}: not found$"):
        await run(["true"], cwd=tmp_path / "gone", timeout=30)


async def test_a_name_is_never_looked_up_in_the_directory_it_runs_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = tmp_path / "trap"
    trap.write_text("#!/bin/sh\necho caught\n")
    trap.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}:")
    with pytest.raises(ProcessError, match="trap: not found"):
        await run(["trap"], cwd=tmp_path, timeout=30)


async def test_no_descriptor_but_the_three_streams_is_inherited(tmp_path: Path) -> None:
    with (tmp_path / "open").open("w") as held:
        os.set_inheritable(held.fileno(), True)
        script = "import os; print(sorted(fd for fd in os.listdir('/proc/self/fd') if int(fd) > 2))"
        output = await run([sys.executable, "-c", script], cwd=tmp_path, timeout=30)
    assert output.stdout == b"['3']\n"  # the one that listdir itself has open


async def test_no_zombie_stays(tmp_path: Path) -> None:
    for _ in range(3):
        await run(["true"], cwd=tmp_path, timeout=30)
    children = " ".join(path.read_text() for path in Path("/proc/self/task").glob("*/children")).split()
    states = [Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[0] for pid in children]
    assert "Z" not in states

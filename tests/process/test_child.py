"""`spawn`: a program to talk with, that ends when told, and when motet dies."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from motet.process import spawn

Ends = Callable[[int], Callable[[], bool]]

PARENT = """
import asyncio, sys
from pathlib import Path
from motet.process import spawn

async def main():
    child = await spawn(["sh", "-c", sys.argv[1]], cwd=Path.cwd())
    print((await child.stdout.readline()).decode(), end="", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


async def test_streams_carry_both_ways_and_the_end_of_the_input_is_seen(tmp_path: Path) -> None:
    child = await spawn(["cat"], cwd=tmp_path)
    child.stdin.write("こんにちは\n".encode())
    assert (await child.stdout.readline()).decode() == "こんにちは\n"
    child.stdin.close()
    assert await child.wait() == 0
    assert await child.terminate() == 0


async def test_terminate_lets_the_program_tidy_up_first(tmp_path: Path) -> None:
    script = "trap 'echo tidy; exit 5' TERM; echo ready; while :; do sleep 0.05; done"
    child = await spawn(["sh", "-c", script], cwd=tmp_path)
    assert await child.stdout.readline() == b"ready\n"
    assert await child.terminate() == 5
    assert await child.stdout.read() == b"tidy\n"


async def test_terminate_ends_the_whole_group_even_one_that_ignores_term(tmp_path: Path, ends: Ends) -> None:
    script = "trap '' TERM; sleep 1000 & echo $$ $!; wait; while :; do sleep 1000; done"
    child = await spawn(["sh", "-c", script], cwd=tmp_path)
    shell, sleep = [ends(int(pid)) for pid in (await child.stdout.readline()).split()]
    started = time.monotonic()
    assert await child.terminate() == -signal.SIGKILL
    assert time.monotonic() - started > 1.9
    assert shell() and sleep()


async def test_terminate_twice_and_at_once_is_harmless(tmp_path: Path) -> None:
    child = await spawn(["sleep", "1000"], cwd=tmp_path)
    codes = await asyncio.gather(child.terminate(), child.terminate())
    assert codes == [-signal.SIGTERM, -signal.SIGTERM]
    assert await child.terminate() == -signal.SIGTERM


async def test_a_system_without_process_descriptors_sees_the_exit_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "pidfd_open")
    child = await spawn(["sh", "-c", "read line; exit 4"], cwd=tmp_path)
    child.stdin.write(b"\n")
    assert await child.wait() == 4
    assert await child.terminate() == 4


async def test_the_child_does_not_hear_an_interrupt_meant_for_motet(tmp_path: Path) -> None:
    child = await spawn(["sleep", "1000"], cwd=tmp_path)
    assert os.getpgid(child.pid) == os.getsid(child.pid) == child.pid
    await child.terminate()


async def test_the_environment_is_the_one_given(tmp_path: Path) -> None:
    child = await spawn(["/usr/bin/env"], cwd=tmp_path, env={"ONLY": "this"})
    assert await child.stdout.read() == b"ONLY=this\n"
    await child.terminate()


def test_when_motet_is_killed_its_children_and_theirs_die(tmp_path: Path, ends: Ends) -> None:
    # Both ignore the end of their input and every signal that can be ignored.
    script = "trap '' TERM HUP INT; sleep 1000 & echo $$ $!; while :; do sleep 1000; done"
    parent = subprocess.Popen([sys.executable, "-c", PARENT, script], stdout=subprocess.PIPE, cwd=tmp_path)
    assert parent.stdout is not None
    shell, sleep = [ends(int(pid)) for pid in parent.stdout.readline().split()]
    parent.kill()
    parent.wait()
    assert shell() and sleep()
    parent.stdout.close()


def test_when_motet_ends_without_tidying_up_its_children_and_theirs_die(tmp_path: Path, ends: Ends) -> None:
    script = "trap '' TERM HUP INT; sleep 1000 & echo $$ $!; while :; do sleep 1000; done"
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=tmp_path
    )
    assert parent.stdout is not None
    shell, sleep = [ends(int(pid)) for pid in parent.stdout.readline().split()]
    parent.send_signal(signal.SIGINT)
    parent.wait()
    assert shell() and sleep()
    parent.stdout.close()


def test_a_guard_that_was_killed_is_replaced(tmp_path: Path, ends: Ends) -> None:
    program = PARENT.replace(
        "    await asyncio.Event",
        """
    from motet.process.guard import guard
    guard._shell.kill()
    guard._shell.wait()
    other = await spawn(["true"], cwd=Path.cwd())
    await other.terminate()
    print("replaced", flush=True)
    await asyncio.Event""".lstrip("\n"),
    )
    script = "sleep 1000 & echo $!; wait"
    parent = subprocess.Popen([sys.executable, "-c", program, script], stdout=subprocess.PIPE, cwd=tmp_path)
    assert parent.stdout is not None
    sleep = ends(int(parent.stdout.readline()))
    assert parent.stdout.readline() == b"replaced\n"
    parent.kill()
    parent.wait()
    assert sleep()
    parent.stdout.close()

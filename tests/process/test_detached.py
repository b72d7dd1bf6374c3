"""Programs that outlive who started them, and how they are known again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from motet.errors import ProcessError
from motet.process import Mark, start_detached

READY = "import os,sys,time; n=int(sys.argv[-1]); os.write(n,b'ready'); os.close(n); "


async def test_it_has_a_session_of_its_own_and_says_when_it_is_ready(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", READY + "print('out'); time.sleep(600)"]
    one = await start_detached(argv, cwd=tmp_path, errors=tmp_path / "errors", within=60)
    assert one.said == b"ready" and one.mark is not None and one.mark.is_there
    assert os.getsid(one.mark.pid) == one.mark.pid
    assert (tmp_path / "errors").stat().st_mode & 0o777 == 0o600
    assert not await one.mark.ended(0)
    assert one.mark.signal(signal.SIGTERM)
    assert await one.mark.ended(60)
    assert not one.mark.signal(signal.SIGTERM)


async def test_it_ends_without_a_word(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", "import sys; sys.exit('no')"]
    one = await start_detached(argv, cwd=tmp_path, errors=tmp_path / "errors", within=60)
    assert one.said == b""
    assert (tmp_path / "errors").read_text() == "no\n"
    with pytest.raises(ProcessError, match="/none/such: cannot be started"):
        await start_detached(["/none/such"], cwd=tmp_path, errors=tmp_path / "errors", within=60)


async def test_one_that_is_tied_hears_that_its_starter_is_gone(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", READY + "sys.stdin.read()"]
    one = await start_detached(argv, cwd=tmp_path, errors=tmp_path / "errors", within=60, tied=True)
    assert one.mark is not None and one.mark.is_there
    one.let_go()
    assert await one.mark.ended(60)


async def test_a_number_that_another_process_has_by_now_is_left_alone() -> None:
    mark = Mark.of(os.getpid())
    assert mark is not None and mark.is_there
    earlier = replace(mark, started=f"{mark.started}0")
    assert not earlier.is_there
    assert not earlier.signal(signal.SIGKILL)
    assert await earlier.ended(0)


def test_one_that_has_ended_and_was_not_asked_how_does_not_run() -> None:
    child = subprocess.Popen(["true"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert Mark.of(child.pid) is None
    child.wait()

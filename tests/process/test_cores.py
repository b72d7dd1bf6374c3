"""A process that holds keys leaves no core when it dies, and the user's commands leave theirs."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

HOLDS = "import os, sys; from motet.cores import leave_no_core; sys.argv[1:] and leave_no_core(); key = os.urandom(8); os.abort()"
STARTS = """
import asyncio, sys
from pathlib import Path
from motet.cores import leave_no_core
from motet.process import run
leave_no_core()
print(open("/proc/self/limits").read())
print(asyncio.run(run(["sh", "-c", "ulimit -c"], cwd=Path("."), timeout=30.0)).stdout.decode())
"""


def all_cores() -> None:
    """Let the machine write what it would."""
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))


def cores(place: Path, *arguments: str) -> list[str]:
    """What a process that aborts in `place` leaves there."""
    place.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", HOLDS, *arguments], cwd=place, preexec_fn=all_cores, timeout=60, check=False
    )
    assert done.returncode == -signal.SIGABRT
    return [left.name for left in place.iterdir()]


@pytest.mark.acceptance("T-12")
def test_a_process_that_aborts_leaves_no_core(tmp_path: Path) -> None:
    pattern = Path("/proc/sys/kernel/core_pattern")
    may = resource.getrlimit(resource.RLIMIT_CORE)[1] != 0
    if may and pattern.exists() and not pattern.read_text().startswith(("|", "/")):  # else cores go elsewhere
        assert cores(tmp_path / "free")
    assert cores(tmp_path / "held", "leave none") == []


@pytest.mark.acceptance("T-12")
@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_motet_has_the_limit_that_no_program_gets_a_core_with_and_its_commands_have_the_users(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", STARTS],
        cwd=tmp_path,
        preexec_fn=all_cores,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    *limits, command = done.stdout.split()
    at = limits.index("core")
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    own, users = ("1", "unlimited") if hard == resource.RLIM_INFINITY else (str(min(1, hard)), str(hard // 512))
    assert (limits[at : at + 4], command) == (["core", "file", "size", own], users)

"""Run the tests: `make test`, or `make test ARGS="tests/models -k retry"`.

One pytest run over all areas (the directories below `tests/`); `tests/conftest.py` adds the minutes by area. Without
arguments the files are shared out to one and a half times as many processes as there are processors, at most six: two
fifths of the time tests wait for programs that they started.
With `CI=true` a test that skips for want of a real program fails, and the slowest tests are listed.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST = 6
"""Processes: with more, tests that start programs of their own wait for each other."""


def main(arguments: list[str]) -> int:
    """Replace this process by pytest, so that signals and the exit code are pytest's own."""
    os.chdir(ROOT)
    in_ci = os.environ.get("CI", "").lower() in {"1", "true", "yes"}
    slowest = ["--durations=40", "--durations-min=1"] if in_ci else []
    shared = ["-n", str(min(max(processors() * 3 // 2, 2), MOST)), "--dist", "loadfile", "--max-worker-restart", "0"]
    arguments = arguments or shared  # a process that dies ends the run: one that takes its place may wait for ever
    os.execv(sys.executable, [sys.executable, "-m", "pytest", *slowest, *arguments])


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

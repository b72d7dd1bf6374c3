"""Run the tests: `make test`, or `make test ARGS="tests/models -k retry"`.

One pytest run over all areas (the directories below `tests/`); `tests/conftest.py` adds the minutes by area.
With `CI=true` a test that skips for want of a real program fails, and the slowest tests are listed.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: list[str]) -> int:
    """Replace this process by pytest, so that signals and the exit code are pytest's own."""
    os.chdir(ROOT)
    in_ci = os.environ.get("CI", "").lower() in {"1", "true", "yes"}
    slowest = ["--durations=10", "--durations-min=1"] if in_ci else []
    os.execv(sys.executable, [sys.executable, "-m", "pytest", *slowest, *arguments])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

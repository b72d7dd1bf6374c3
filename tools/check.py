"""Everything that must hold before a commit: `make check`. Runs side by side, shows only what failed.

- lint, format: ruff, over the whole repository
- types: basedpyright, strict on `src`: no error, no warning
- imports: rooms import only down the floors that `docs/architecture.md` draws
- docs, acceptance: generated pages are fresh; every named proof exists and can fail
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent

CHECKS: dict[str, list[str]] = {
    "types": [str(BIN / "basedpyright"), "--warnings", "src"],
    "imports": [str(BIN / "lint-imports"), "--no-cache", "--no-logo"],
    "lint": [str(BIN / "ruff"), "check", "--quiet", "--output-format=concise", "."],
    "format": [str(BIN / "ruff"), "format", "--check", "--quiet", "--output-format=concise", "."],
    "docs": [sys.executable, "tools/docs.py", "--check"],
    "acceptance": [sys.executable, "tools/acceptance.py"],
}


@dataclass(frozen=True, slots=True)
class Result:
    """How one check went; `output` is what it printed."""

    name: str
    passed: bool
    seconds: float
    output: str


def run(name: str) -> Result:
    """Run one check to its end."""
    started = time.monotonic()
    environment = {**os.environ, "NO_COLOR": "1"}
    environment.pop("FORCE_COLOR", None)
    try:
        done = subprocess.run(
            CHECKS[name],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        passed, output = done.returncode == 0, done.stdout
    except OSError as error:
        passed, output = False, f"cannot start: {error}; run `make setup`"
    return Result(name, passed, time.monotonic() - started, output.strip())


def main() -> int:
    """Run all checks; exit code 1 when any failed."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        results = list(pool.map(run, CHECKS))
    for result in results:
        print(f"{'ok  ' if result.passed else 'FAIL'} {result.name:<11} {result.seconds:5.1f} s")
    failed = [result for result in results if not result.passed]
    for result in failed:
        print(f"\n{result.name}: {' '.join(Path(word).name for word in CHECKS[result.name])}\n{result.output}")
    if any(result.name in {"lint", "format"} for result in failed):
        print("\n`.venv/bin/ruff check --fix . && .venv/bin/ruff format .` mends most of lint and format.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

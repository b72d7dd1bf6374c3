"""`.ci/run` and `make check` run every part, show what failed, and end with the right code."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def ci(tmp_path: Path, test: str, check: str) -> tuple[int, str]:
    """Run `.ci/run` in a repository whose Makefile has these recipes, and one for the install without a network."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci")
    (tmp_path / "Makefile").write_text(f"test:\n\t@{test}\ncheck:\n\t@{check}\noffline:\n\t@echo installed\n")
    done = subprocess.run(
        ["bash", tmp_path / ".ci" / "run"],
        cwd="/",
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )
    return done.returncode, done.stdout


@pytest.mark.acceptance("T-20")
def test_ci_runs_the_tests_the_checks_and_the_offline_install_from_the_clone_with_ci_set(tmp_path: Path) -> None:
    code, output = ci(tmp_path, "echo tests in $$PWD, CI=$$CI", "echo checks in $$PWD, CI=$$CI")
    assert code == 0
    *lines, tests, checks, offline = output.splitlines()
    assert lines == [
        "== make test",
        f"tests in {tmp_path}, CI=true",
        "== make check",
        f"checks in {tmp_path}, CI=true",
        "== make offline",
        "installed",
        "== parts",
    ]
    assert re.fullmatch(r"ok     make test      0 min \d\d s", tests)
    assert re.fullmatch(r"ok     make check     0 min \d\d s", checks)
    assert re.fullmatch(r"ok     make offline   0 min \d\d s", offline)


@pytest.mark.parametrize(("test", "check"), [("false", "echo checked"), ("echo tested", "false")])
def test_ci_fails_when_one_part_fails_and_runs_the_other_too(tmp_path: Path, test: str, check: str) -> None:
    code, output = ci(tmp_path, test, check)
    assert code == 1
    assert ("checked" if test == "false" else "tested") in output
    assert [line.split()[0] for line in output.splitlines()[-3:]].count("FAILED") == 1


def check(**checks: list[str]) -> tuple[int, list[str]]:
    """Run `tools/check.py` with these commands as its checks."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys, check\ncheck.CHECKS = {checks!r}\nsys.exit(check.main())"],
        cwd=ROOT / "tools", capture_output=True, text=True, timeout=60, env=dict(os.environ),
    )  # fmt: skip
    return done.returncode, done.stdout.splitlines()


def test_checks_that_pass_are_one_line_each() -> None:
    code, lines = check(types=["true"], imports=["echo", "noise"])
    assert (code, [line.split()[:2] for line in lines]) == (0, [["ok", "types"], ["ok", "imports"]])


def test_a_check_that_fails_shows_its_command_and_output() -> None:
    code, lines = check(types=["true"], imports=["sh", "-c", "echo broken; exit 3"])
    assert (code, lines[1].split()[:2]) == (1, ["FAIL", "imports"])
    assert lines[3:] == ["imports: sh -c echo broken; exit 3", "broken"]


def test_a_check_that_cannot_start_says_what_to_do() -> None:
    code, lines = check(types=["/no/such/program"])
    assert code == 1
    assert lines[-1].startswith("cannot start: ") and lines[-1].endswith("; run `make setup`")

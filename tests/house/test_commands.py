"""`.ci/run` and `make check` run every part, show what failed, and end with the right code."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def ci(tmp_path: Path, test: str, check: str) -> tuple[int, list[str]]:
    """Run `.ci/run` on the last commit of a repository whose Makefile has these recipes."""
    for name in (".ci/run", "tools/ci.py"):
        (tmp_path / name).parent.mkdir()
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "Makefile").write_text(f"test:\n\t@{test}\ncheck:\n\t@{check}\noffline:\n\t@echo installed\n")
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "all")):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    done = subprocess.run(
        ["bash", tmp_path / ".ci" / "run", "--only", "whole"],
        cwd="/", capture_output=True, text=True, timeout=200, stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "ANTHROPIC_API_KEY": "x"},
    )  # fmt: skip
    return done.returncode, done.stdout.splitlines()


@pytest.mark.acceptance("T-20")
def test_ci_runs_all_parts_in_a_clone_and_an_environment_of_its_own(tmp_path: Path) -> None:
    code, lines = ci(tmp_path, "pwd; env", "echo CI=$$CI")
    assert code == 0, lines
    assert [line.split(" · ")[0] for line in lines if line.startswith("== ")] == [
        "== make test", "== make check", "== make offline", "== parts",
    ]  # fmt: skip
    assert lines[1].endswith("/motet") and str(tmp_path) not in lines[1]
    assert {"CI=true", "installed"} <= set(lines)
    assert not [line for line in lines if line.startswith(("PYTHONUNBUFFERED", "ANTHROPIC"))]
    assert [line.split()[:3] for line in lines[-3:]] == [
        ["ok", "make", each] for each in ("test", "check", "offline")
    ]


@pytest.mark.parametrize(("test", "check"), [("false", "echo checked"), ("echo tested", "false")])
def test_ci_fails_when_one_part_fails_and_runs_the_other_too(tmp_path: Path, test: str, check: str) -> None:
    code, lines = ci(tmp_path, test, check)
    assert code == 1
    assert ("checked" if test == "false" else "tested") in lines
    assert [line.split()[0] for line in lines[-3:]].count("FAILED") == 1


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

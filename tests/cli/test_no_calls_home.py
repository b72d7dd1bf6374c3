"""Nothing calls home: in a run through all commands nobody but the provider is called, as the kernel sees it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli.kit import Project

WALK = Path(__file__).with_name("alone_with_a_provider.py")
TESTS = Path(__file__).resolve().parents[1]
LOCAL_SERVERS = [["127.0.0.1", 11434], ["127.0.0.1", 1234]]
"""Ollama and LM Studio, if there are any: `models` and `doctor` were asked to look."""


@pytest.fixture
def alone() -> list[str]:
    """The beginning of a command line for a program that has a network of its own."""
    command = [shutil.which("unshare") or "unshare", "--user", "--map-root-user", "--net"]
    try:
        subprocess.run([*command, "true"], check=True, capture_output=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        pytest.skip("needs a network of its own, which here only root can make")
    return command


@pytest.mark.acceptance("T-22", "PY-17")
def test_in_a_run_through_all_commands_nobody_but_the_provider_is_called(project: Project, alone: list[str]) -> None:
    project.write({"a.py": "import os\n", "a.txt": "bad\n"})
    for command in (("init", "-q"), ("add", "a.py")):
        subprocess.run(["git", *command], cwd=project.root, env=project.env(), check=True)
    done = subprocess.run(
        [*alone, sys.executable, str(WALK), str(project.root), str(project.home)],
        env=project.env({"PYTHONPATH": str(TESTS)}), capture_output=True, text=True, timeout=110, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    walk = json.loads(done.stdout.splitlines()[-1])
    provider = ["127.0.0.1", walk["port"]]
    seen = dict(walk["seen"])
    assert seen.pop("a stranger") == [["192.0.2.1", 53]]  # so it is seen who is called
    for name in ("models", "doctor"):
        assert [each for each in seen.pop(name) if each not in LOCAL_SERVERS] in ([], [provider])
    called = {step for step, places in seen.items() if places}
    assert {step.split()[0] for step in called} == {"ask", "edit", "fix", "commit", "prompt", "chat"}
    assert [seen[step] for step in called] == [[provider]] * len(called)

"""Processes that use boards are killed at any step, at once and in any order: nothing is lost, doubled or torn."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from board import crash_kit
from board.places import Place

EVERY = os.environ.get("MOTET_KILL_ALL") == "1"
"""All steps and many seeds, for the soak run; otherwise a few."""
STRIDE = 1 if EVERY else 55
FIRST = int(os.environ.get("MOTET_SOAK_FROM", "1"))
"""The seed to begin with, for a soak run that goes on where one was broken off."""
SEEDS = range(FIRST, max(FIRST, 1000) + 1) if EVERY else range(1, 6)
AT_ONCE = 20 if EVERY else 5
"""Seeds of one process that plays them."""


def play(*arguments: object, seconds: float = 100.0) -> str:
    """What the program says when all is well."""
    program = [sys.executable, crash_kit.__file__, *map(str, arguments)]
    environ = os.environ | {"PYTHONPATH": str(Path(crash_kit.__file__).parent.parent)}
    done = subprocess.run(program, capture_output=True, text=True, timeout=seconds, env=environ, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.timeout(7200 if EVERY else 120)
@pytest.mark.acceptance("S4-011", "S4-061")
def test_killed_at_a_step_nothing_acknowledged_is_lost_and_nothing_comes_twice(place: Place) -> None:
    said = play("steps", place.at, 7, STRIDE, seconds=7000 if EVERY else 110)
    assert int(said.split()[1]) >= (300 if EVERY else 6), said


@pytest.mark.timeout(1800 if EVERY else 120)
@pytest.mark.acceptance("S4-012", "S4-058", "S4-083")
@pytest.mark.parametrize("first", SEEDS[::AT_ONCE])
def test_processes_that_write_at_once_and_are_killed_lose_and_double_nothing(place: Place, first: int) -> None:
    seeds = range(first, min(first + AT_ONCE, SEEDS.stop))
    said = play("random", place.at, *seeds, seconds=1700 if EVERY else 110)
    lines = said.splitlines()
    assert [line.split(":")[0] for line in lines] == [f"seed {n}" for n in seeds]
    assert all(
        line.startswith(f"seed {n}: {crash_kit.PROCESSES * crash_kit.POSTS} posts, ")
        for n, line in enumerate(lines, first)
    )

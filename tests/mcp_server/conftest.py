"""A project for each test, and its boards as another process sees them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from motet.board import AgentKind, Boards, NewAgent, Seat
from motet.paths import state_dir


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory without git: a project all the same."""
    directory = tmp_path / "project"
    directory.mkdir()
    return directory


@pytest.fixture
async def boards(home: Path) -> AsyncIterator[Boards]:
    async with Boards.in_directory(state_dir()) as boards:
        yield boards


@pytest.fixture
async def human(boards: Boards, place: Path) -> AsyncIterator[Seat]:
    """The human, on the board `general` of the project."""
    yield await Seat.take(boards, str(place), NewAgent("mia", AgentKind.HUMAN, "mia"))

"""A store of boards for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from motet.board import Boards


@pytest.fixture
async def boards(tmp_path: Path) -> AsyncIterator[Boards]:
    async with Boards.in_directory(tmp_path / "state") as boards:
        yield boards

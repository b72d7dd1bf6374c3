"""Workspaces in memory and on the disk."""

from pathlib import Path

import pytest
from tools.desk_kit import Place, on_disk

from motet.workspace import MemoryWorkspace


@pytest.fixture(params=["memory", "disk"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """An empty workspace in memory, then one on the disk."""
    if request.param == "memory":
        return Place(MemoryWorkspace())
    return Place(on_disk(tmp_path / "project", tmp_path / "state"))


@pytest.fixture
def disk(tmp_path: Path) -> Place:
    """An empty workspace on the disk."""
    return Place(on_disk(tmp_path / "project", tmp_path / "state"))


@pytest.fixture
def memory() -> Place:
    """An empty workspace in memory."""
    return Place(MemoryWorkspace())

"""Workspaces in memory and on the disk, and the walls around a command."""

from pathlib import Path

import pytest
from tools.desk_kit import Place, on_disk
from tools.tool_kit import BARE

from motet.process.sandbox import SandboxState, find_sandbox
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


@pytest.fixture
async def sandbox() -> SandboxState:
    """The second wall."""
    found = await find_sandbox()
    if found.sandbox is None:
        pytest.skip(f"needs bubblewrap: {found.text}")
    return found


@pytest.fixture(params=["sandbox", "bare"])
def wall(request: pytest.FixtureRequest) -> SandboxState:
    """With the second wall and without."""
    return BARE if request.param == "bare" else request.getfixturevalue("sandbox")

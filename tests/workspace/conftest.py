"""A project on disk, a state directory beside it, a human who can be asked."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from motet.permissions import Gate, GrantStore, RuleSet
from motet.workspace import Checkpoints, DiskWorkspace

sys.path.append(str(Path(__file__).parent))  # where `workspace_kit` is, whatever way pytest imports

from workspace_kit import Human, no_waiting_for_the_disk


@pytest.fixture
def project(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    return place


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def human() -> Human:
    return Human()


@pytest.fixture
def open_disk(project: Path, state: Path, human: Human) -> Callable[[], DiskWorkspace]:
    """Each call is a new motet on the same project."""

    def make() -> DiskWorkspace:
        gate = Gate(project, RuleSet(), GrantStore(state), human)
        return DiskWorkspace(project, gate=gate, checkpoints=Checkpoints(state, project))

    return make


@pytest.fixture
def disk(open_disk: Callable[[], DiskWorkspace]) -> DiskWorkspace:
    return open_disk()


@pytest.fixture
def no_waiting() -> Generator[None]:
    """For tests of hundreds of writes: `fsync` returns at once."""
    with no_waiting_for_the_disk():
        yield

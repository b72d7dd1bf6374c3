"""A project for the tests of the index."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))  # where `index_kit` is, whatever way pytest imports


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An empty directory, whose real path is its path."""
    root = tmp_path.resolve() / "project"
    root.mkdir()
    return root

"""A project for the tests of the index."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.append(str(HERE))  # where `index_kit` is, whatever way pytest imports
if os.environ.get("MOTET_WITHOUT_TANTIVY"):
    sys.path.insert(0, str(HERE / "without_tantivy"))
    os.environ["PYTHONPATH"] = str(HERE / "without_tantivy")  # of processes that tests start


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An empty directory, whose real path is its path."""
    root = tmp_path.resolve() / "project"
    root.mkdir()
    return root

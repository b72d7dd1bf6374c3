"""A fresh workspace for each run of the loop."""

from collections.abc import Callable
from pathlib import Path

import pytest
from fix.running import Run


@pytest.fixture
def workspace(tmp_path: Path, need: Callable[[str], Path]) -> Callable[[dict[str, str]], Run]:
    """`workspace({"a.py": "…"})`: a directory with these files, ready for a run."""
    need("ruff")

    def make(files: dict[str, str]) -> Run:
        root = tmp_path / "project"
        root.mkdir()
        return Run(root, files)

    return make

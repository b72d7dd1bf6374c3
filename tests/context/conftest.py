from pathlib import Path

import pytest
from context.context_kit import Place, open_place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return open_place(tmp_path)

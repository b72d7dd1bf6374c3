"""A history in a state directory of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from motet.history import History


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A state directory that is not there yet."""
    return tmp_path / "state" / "motet"


@pytest.fixture
async def history(state: Path) -> AsyncIterator[History]:
    """The history in it; what it has to say is no surprise."""
    async with History.open(state) as opened:
        yield opened
    assert opened.notices == []

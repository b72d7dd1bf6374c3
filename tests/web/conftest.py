"""A site on this machine and a way to fetch from it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from web.web_kit import Fetching, Site, open_gate, running


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with running() as found:
        yield found


@pytest.fixture
def fetching(tmp_path: Path) -> Fetching:
    return Fetching(open_gate(tmp_path / "state"))

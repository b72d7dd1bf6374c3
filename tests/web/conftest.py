"""A site on this machine and a way to fetch from it."""

import sys
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


@pytest.fixture(autouse=True)
def without_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most users have no `motet[web]`; a test of it takes this away again."""
    monkeypatch.setitem(sys.modules, "trafilatura", None)

"""A store of boards for each test, in a file and on a PostgreSQL server."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from board.places import ENGINES, Place, Server, on_server

from motet.board import Boards

_NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A PostgreSQL server. Where none can be started, the test is skipped; in CI that fails it."""
    try:
        server = Server()
    except Exception as error:  # noqa: BLE001 (whatever keeps it from starting is told)
        pytest.skip(f"no PostgreSQL server can be started here: {type(error).__name__}: {error}")
    yield server
    server.remove()


@pytest.fixture(params=ENGINES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """Where the boards are; nothing is there yet."""
    if request.param == "sqlite":
        yield Place(str(tmp_path / "state"))
        return
    with on_server(request.getfixturevalue("server"), f"test_{next(_NUMBERS)}") as place:
        yield place


@pytest.fixture
def there(server: Server) -> Iterator[Place]:
    """Boards on the server: for tests that are about it."""
    with on_server(server, "test_there") as place:
        yield place


@pytest.fixture
async def boards(place: Place) -> AsyncIterator[Boards]:
    async with place.boards() as boards:
        yield boards

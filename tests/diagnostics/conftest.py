"""Services that end with their test, and a scripted server."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from motet.diagnostics import DiagnosticsService, ServerSpec
from motet.permissions import Gate, GrantStore, Rule, RuleSet
from motet.text import TextFile

FAKE = Path(__file__).with_name("fake_server.py")


@dataclass
class Fake:
    """A scripted server (`fake_server.py`) and what it has heard."""

    spec: ServerSpec
    log: Path

    @property
    def heard(self) -> list[dict[str, Any]]:
        """All messages it received, from every process."""
        return [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []

    def params(self, method: str) -> list[Any]:
        """The parameters of each message of `method`."""
        return [message.get("params") for message in self.heard if message.get("method") == method]

    @property
    def processes(self) -> list[int]:
        """The processes that were started."""
        return [message["started"] for message in self.heard if "started" in message]


MakeFake = Callable[..., Fake]
MakeService = Callable[..., DiagnosticsService]


@pytest.fixture
def fake(tmp_path_factory: pytest.TempPathFactory) -> MakeFake:
    """`fake(name="fake", spec={...}, **script)`: a server for `.txt` files that follows the script."""

    def make(name: str = "fake", spec: dict[str, Any] | None = None, **script: Any) -> Fake:
        log = tmp_path_factory.mktemp(name) / "log"
        argv = (sys.executable, str(FAKE), json.dumps({"log": str(log), **script}))
        fields = {"name": name, "argv": argv, "languages": {".txt": "plain"}, "quiet": 0.15, **(spec or {})}
        return Fake(ServerSpec(**fields), log)

    return make


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[MakeService]:
    """`service(*specs, **options)` for the workspace `tmp_path`; its servers end with the test."""
    made: list[DiagnosticsService] = []

    def make(*specs: ServerSpec, rules: Sequence[Rule] = (), **options: Any) -> DiagnosticsService:
        gate = Gate(tmp_path, RuleSet(rules), GrantStore(tmp_path / ".state"))
        made.append(DiagnosticsService(tmp_path, specs, gate=gate, **options))
        return made[-1]

    yield make
    for each in made:
        await each.close()


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], TextFile]:
    """Put a file on disk and return this version of it."""

    def put(path: str, text: str) -> TextFile:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(text.encode())
        return TextFile.decode(path, text.encode())

    return put

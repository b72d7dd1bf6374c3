"""A workspace with motet's own language servers running in it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from motet.diagnostics import BUILT_IN, DiagnosticsService
from motet.permissions import Gate, GrantStore, RuleSet
from motet.text import Diagnostic, TextFile
from offline.corpus import BIN, CorpusError

_SERVERS = frozenset(("ruff", "basedpyright", "clangd", "tsc"))


class ServerLab:
    """Implements `Lab` with `DiagnosticsService`."""

    def __init__(self, root: Path, service: DiagnosticsService) -> None:
        self.root = root
        self._service = service

    async def check(self, file: TextFile) -> tuple[Diagnostic, ...]:
        """Write `file` and return what the servers say about it; a server that does not answer ends the run."""
        (self.root / file.path).write_bytes(file.data)
        report = await self._service.check([file])
        if report.advice:
            raise CorpusError("; ".join(report.advice))
        return tuple(one for one in report.diagnostics if one.path == file.path)


@asynccontextmanager
async def open_lab(root: Path, state: Path) -> AsyncIterator[ServerLab]:
    """Servers for `root`, started when first needed, ended at the end."""
    servers = [spec for spec in BUILT_IN if spec.name in _SERVERS]
    gate = Gate(root, RuleSet(), GrantStore(state))
    service = DiagnosticsService(root, servers, gate=gate, extra_dirs=(BIN,))
    try:
        yield ServerLab(root, service)
    finally:
        await service.close()

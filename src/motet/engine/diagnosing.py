"""What compilers say about a chat's files: language servers start with the first question, and end with the chats."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from motet.errors import MotetError
from motet.text import Diagnostic, Position, TextFile
from motet.tools import Tool
from motet.tools.kit import Kit

if TYPE_CHECKING:
    from motet.diagnostics import Answers, DiagnosticsService, Question, Report, Symbols, Uses

T = TypeVar("T")
_PATIENCE = 20.0
"""Seconds that the answer to an edit waits for what servers say about it."""
_ANSWER = 2.0
"""Seconds that a server which runs may take to say where a name is used, or what is defined."""
_START = 6.0
"""Seconds that this may take with the start of the server; it goes on starting, for the next question."""


class Diagnosing:
    """The diagnostics of one workspace, for all of its chats. What asks servers is imported with the first question:
    most chats have none."""

    def __init__(self, make: Callable[[], DiagnosticsService]) -> None:
        self._make = make
        self._service: DiagnosticsService | None = None
        self._files: dict[str, TextFile] = {}
        self._known: list[Diagnostic] = []
        self._asking: set[asyncio.Task[object]] = set()
        self._late: set[asyncio.Task[object]] = set()

    def tool(self, kit: Kit) -> Tool:
        """`get_diagnostics` for one chat."""
        from motet.tools.builtin.get_diagnostics import GetDiagnostics

        return GetDiagnostics(kit, self)

    def references(self, kit: Kit) -> Tool:
        """`find_references` for one chat."""
        from motet.tools.builtin.find_references import FindReferences

        return FindReferences(kit, self.uses)

    def outline(self, kit: Kit) -> Tool:
        """`outline` for one chat."""
        from motet.tools.builtin.outline import Outline

        return Outline(kit, self.outlined)

    def find_symbol(self, kit: Kit) -> Tool:
        """`find_symbol` for one chat."""
        from motet.tools.builtin.find_symbol import FindSymbol

        return FindSymbol(kit, self.named)

    async def uses(self, at: Sequence[tuple[TextFile, Position]], files: Sequence[TextFile]) -> Uses:
        """Where in `files` the things that stand at `at` are used, if a server can say that soon."""
        from motet.diagnostics import References, Uses

        return Uses.of(await self._soon(References(at, files)))

    async def outlined(self, file: TextFile) -> Symbols:
        """What `file` defines, if a server can say that soon."""
        from motet.diagnostics import Outlined, Symbols

        return Symbols.of(await self._soon(Outlined(file)))

    async def named(self, name: str, files: Sequence[TextFile]) -> Symbols:
        """What `name` is defined as in `files`, if a server can say that soon."""
        from motet.diagnostics import Named, Symbols

        return Symbols.of(await self._soon(Named(name, files)))

    async def _soon(self, question: Question[T]) -> Answers[T]:
        """The answers that come soon; none while servers still work on what they were too slow for before."""
        from motet.diagnostics import Answers

        if not self._late:
            task = asyncio.create_task(self._asked().ask(question, _ANSWER))
            self._asking.add(task)
            task.add_done_callback(self._asking.discard)
            task.add_done_callback(self._late.discard)
            done, _ = await asyncio.wait([task], timeout=_START)
            if done:
                return task.result()
            self._late.add(task)
        return Answers(why="the language server is busy or still starting: ask again later")

    async def check(self, files: Sequence[TextFile]) -> Report:
        """What is wrong with these versions of `files`."""
        report = await self._asked().check(files)
        paths = {file.path for file in files}
        self._files |= {file.path: file for file in files}
        self._known = [found for found in self._known if found.path not in paths] + list(report.diagnostics)
        return report

    async def after_edit(self, written: Sequence[TextFile]) -> dict[str, str]:
        """By path, what is new and what is solved in files just written; of a file that was never looked at before,
        all that is wrong with it. Nothing where servers take too long."""
        from motet.diagnostics import compare
        from motet.fix.outcome import describe_after

        paths = {file.path for file in written}
        before = {path: self._files[path] for path in paths if path in self._files}
        old = [found for found in self._known if found.path in paths]
        try:
            async with asyncio.timeout(_PATIENCE):
                report = await self.check(written)
        except TimeoutError:
            return {}
        except MotetError as error:  # the edit is applied: that must be told, whatever servers do
            return dict.fromkeys(paths, f"what compilers say is not known: {error}")
        return describe_after(compare(old, before, report.diagnostics, self._files), paths)

    async def close(self) -> None:
        """End the servers."""
        for task in self._asking:
            task.cancel()
        await asyncio.gather(*self._asking, return_exceptions=True)
        if self._service is not None:
            await self._service.close()

    def _asked(self) -> DiagnosticsService:
        if self._service is None:
            self._service = self._make()
        return self._service

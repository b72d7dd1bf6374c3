"""A process that kills itself at a step of its work with boards: before a statement, before a commit, after one.

The steps are counted in the engines themselves, so that the first ones, which make the tables, count too.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import traceback
from collections.abc import Awaitable, Callable, Iterable, Sequence

from board.places import Place

from motet.board.database import Row, Tx, Work


def run_apart(work: Callable[[], Awaitable[None]], kill_at: int = 0) -> bool:
    """Run `work` in a process of its own that kills itself at step `kill_at` (0: never). Returns whether it did; it may
    come to its end before. Raises `RuntimeError` when it fails."""
    return ended(start_apart(work, kill_at))


def start_apart(work: Callable[[], Awaitable[None]], kill_at: int = 0) -> int:
    """The same, not waited for: the id of the process."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        if kill_at:
            _count_steps(kill_at)
        asyncio.run(work())  # type: ignore[arg-type]
        code = 0
    except BaseException:  # noqa: BLE001 (it is all that this process does)
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def ended(child: int) -> bool:
    """Wait for a process; whether it killed itself."""
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, -signal.SIGKILL):
        raise RuntimeError(f"a process failed with exit status {code}; see above")
    return code != 0


def _count_steps(kill_at: int) -> None:
    from motet.board.postgres import PostgresDatabase, PostgresTx
    from motet.board.sqlite import SqliteDatabase, SqliteTx

    left = kill_at

    def step() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    for tx in (SqliteTx, PostgresTx):
        for name in ("run", "all", "one", "several", "many"):
            setattr(tx, name, _before(getattr(tx, name), step))
    for database in (SqliteDatabase, PostgresDatabase):
        database.write = _around(database.write, step)  # type: ignore[method-assign, assignment]


def _before(real: Callable[..., object], step: Callable[[], None]) -> Callable[..., object]:
    def call(self: object, *args: object) -> object:
        step()
        return real(self, *args)

    return call


def _around(real: Callable[..., list[object]], step: Callable[[], None]) -> Callable[..., list[object]]:
    def write(self: object, works: Sequence[Work[object]], *, durable: bool) -> list[object]:
        answers = real(self, [*works, lambda tx: step()], durable=durable)
        step()
        return answers[:-1]

    return write


class Told:
    """What a process has acknowledged, line by line in a file; a killed one leaves what it had told."""

    def __init__(self, path: str) -> None:
        self._path = path

    def tell(self, line: str) -> None:
        """It is on the disk when this returns."""
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(handle, f"{line}\n".encode())
        finally:
            os.close(handle)

    @property
    def lines(self) -> list[str]:
        """All that was told."""
        try:
            with open(self._path, encoding="utf-8") as file:  # noqa: PTH123 (as it was written)
                return file.read().splitlines()
        except FileNotFoundError:
            return []


def rows(place: Place, statements: Iterable[str]) -> list[list[Row]]:
    """What a store answers to each of `statements`, once no transaction of a killed process is under way any more."""
    wanted = list(statements)
    database = place.database()

    def work(tx: Tx) -> list[list[Row]]:
        return [tx.all(sql) for sql in wanted]

    try:
        return database.write([work], durable=True)[0]  # type: ignore[return-value]
    finally:
        database.close()

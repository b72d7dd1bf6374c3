"""What the requests of a user cost, day by day, in all chats and processes together, and where that must end.

In `<state>/spending.jsonl` a request has two lines with one id, and the last counts: what it needs at least, before it
leaves, and what it used, when it is over. Who is killed between the two has spent what the first line says.

    {"day": "2026-01-31", "id": "01J…", "model": "anthropic/…", "chat": "01J…", "input": 1200, "output": 80,
     "cached_input": 0, "cost": 0.0048}

`cost` is null where nobody knows what the model costs.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import cast

from motet.errors import ExitCode, MotetError
from motet.logfile import LogFile
from motet.messages import new_id
from motet.models.protocol import Model, Usage
from motet.money import dollars
from motet.paths import config_file, remedy
from motet.settings.schema import SpendingSettings
from motet.turn import require_price

MAX_BYTES = 10 * 1000 * 1000
"""Of one file, before a new one is begun: some 25,000 requests."""


_NONE = Usage()


class DayIsSpent(MotetError):
    """What the user lets a day cost is used up: nothing was sent."""

    exit_code = ExitCode.MODEL


@dataclass(frozen=True, slots=True)
class Spent:
    """One request, or several together. `cost` in US dollars, of those whose price is known; `is_known`: that is all."""

    model: str = ""
    usage: Usage = _NONE
    cost: float = 0.0
    is_known: bool = True


@dataclass(frozen=True, slots=True)
class Entry:
    """A request that is on its way, to be settled when it is over."""

    id: str
    day: str
    model: Model
    chat: str


@dataclass(slots=True)
class Ledger:
    """The spending of one user; nothing is opened before the first request. `today` is the day where the user is."""

    state: Path
    limits: SpendingSettings = field(default_factory=SpendingSettings)
    today: Callable[[], date] = date.today
    max_bytes: int = MAX_BYTES
    _day: str = ""
    _entries: dict[str, Spent] = field(default_factory=dict[str, Spent])
    _file: tuple[int, int] = (0, 0)  # what was read last: its number and how far
    _reading: threading.Lock = field(default_factory=threading.Lock)

    async def begin(self, model: Model, tokens: int, chat: str) -> Entry:
        """A request of about `tokens` is about to leave for `model`. Raises `DayIsSpent`, `UsageError` where a price is
        not known that a limit needs, and `MotetError` when it cannot be written down: then nothing may leave."""
        limits = self.limits
        if limits.max_cost_per_day is not None:
            require_price(model, "spending.max_cost_per_day", "spending.max_tokens_per_day")
        entry = Entry(new_id(), self.today().isoformat(), model, chat)
        self._write(entry, Usage(tokens))
        if limits.max_tokens_per_day is None and limits.max_cost_per_day is None:
            return entry
        spent = await asyncio.to_thread(self._of_day, entry.day)
        tokens_spent = sum(one.usage.total for one in spent.values())
        cost = math.fsum(one.cost for one in spent.values())
        own = spent.get(entry.id, Spent())
        if limits.max_tokens_per_day is not None and tokens_spent > limits.max_tokens_per_day:
            what, name = f"{limits.max_tokens_per_day:,} tokens", "max_tokens_per_day"
            used, needs = f"{tokens_spent - own.usage.total:,}", f"{own.usage.total:,}"
        elif limits.max_cost_per_day is not None and cost > limits.max_cost_per_day:
            what, name = dollars(limits.max_cost_per_day), "max_cost_per_day"
            used, needs = dollars(cost - own.cost), dollars(own.cost)
        else:
            return entry
        self._write(entry, _NONE)
        raise DayIsSpent(
            f"the budget of {what} for today does not last: used {used}, this request needs about {needs}; nothing was "
            f"sent; wait for tomorrow, or raise spending.{name} in {config_file()}"
        )

    def end(self, entry: Entry, usage: Usage) -> None:
        """The request is over and used this. Raises `MotetError` when it cannot be written down."""
        self._write(entry, usage)

    def days(self) -> Mapping[str, list[Spent]]:
        """What each day came to, by model, as far as the log goes back; the oldest day first. Raises `MotetError`."""
        entries: dict[tuple[str, str], Spent] = {}
        try:
            for row in map(_row, self._log.lines()):
                if row is not None:
                    entries[str(row["day"]), str(row["id"])] = _spent(row)
        except OSError as error:
            raise MotetError(f"{self._log.path}: {error.strerror}") from error
        days: dict[str, dict[str, list[Spent]]] = {}
        for (day, _), one in entries.items():
            days.setdefault(day, {}).setdefault(one.model, []).append(one)
        return {day: [_together(name, of) for name, of in models.items()] for day, models in sorted(days.items())}

    @property
    def _log(self) -> LogFile:
        return LogFile(self.state, "spending", max_bytes=self.max_bytes)

    def _write(self, entry: Entry, usage: Usage) -> None:
        price = entry.model.price
        row = {
            "day": entry.day,
            "id": entry.id,
            "model": entry.model.name,
            "chat": entry.chat,
            "input": usage.input,
            "output": usage.output,
            "cached_input": usage.cached_input,
            "cost": usage.cost(price) if price else None,
        }
        try:
            self._log.append(json.dumps(row).encode("ascii"))
        except OSError as error:
            advice = f"what requests cost must be written down; {remedy(error, 'make it writable')}"
            raise MotetError(f"{error.filename or self._log.path}: {error.strerror}; {advice}") from error

    def _of_day(self, day: str) -> Mapping[str, Spent]:
        """The requests of a day, by id; what was read once is not read again."""
        with self._reading:
            if day != self._day:
                self._day, self._entries, self._file = day, {}, (0, 0)
            try:
                for row in map(_row, self._fresh()):
                    if row is not None and row["day"] == day:
                        self._entries[str(row["id"])] = _spent(row)
            except OSError as error:
                raise MotetError(f"{self._log.path}: {error.strerror}; nothing was sent") from error
            return dict(self._entries)

    def _fresh(self) -> Iterator[bytes]:
        """The lines that were written since the last call; all of them where the file is another one by now."""
        log = self._log
        with log.path.open("rb") as file:
            number = os.fstat(file.fileno()).st_ino
            if number != self._file[0]:
                yield from log.old_lines()
                self._file = (number, 0)
            file.seek(self._file[1])
            yield from file
            self._file = (number, file.tell())


def _row(line: bytes) -> Mapping[str, object] | None:
    """A line of the log; None for one that is not whole."""
    with suppress(ValueError):
        row: object = json.loads(line)
        if isinstance(row, dict) and {"day", "id", "cost"} <= row.keys():
            return cast("Mapping[str, object]", row)
    return None


def _spent(row: Mapping[str, object]) -> Spent:
    counts = (row.get(name, 0) for name in ("input", "output", "cached_input"))
    usage = Usage(*(count if isinstance(count, int) else 0 for count in counts))
    cost = row["cost"]
    known = isinstance(cost, int | float)
    return Spent(str(row.get("model", "")), usage, float(cost) if known else 0.0, known or not usage.total)


def _together(model: str, spent: list[Spent]) -> Spent:
    cost = math.fsum(one.cost for one in spent)
    return Spent(model, _sum(spent), cost, all(one.is_known for one in spent))


def _sum(spent: list[Spent]) -> Usage:
    return sum((one.usage for one in spent), _NONE)

"""What all rows of a source come to, and which bars that misses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from editcases.case import Case
from editcases.expectations import Expectation
from editcases.formats import nearest
from editcases.judge import Kind, Verdict

RIGHT = 0.97
LEFT_OUT = 0.03


@dataclass(frozen=True)
class Judged:
    """A row, what became of it, and the expectation it is left out for."""

    case: Case
    verdict: Verdict
    policy: Expectation | None = None

    @property
    def foreign(self) -> str:
        """The format or operation, when it is not one of ours."""
        return self.verdict.said if self.verdict.kind is Kind.FOREIGN else nearest(self.case)

    @property
    def counts(self) -> bool:
        """Whether the bars are held against this row."""
        return self.case.is_binding and self.policy is None and not self.foreign

    @property
    def is_nearest(self) -> bool:
        """Whether it says exactly what comes out, in a format that is not ours but near to one."""
        return self.case.is_binding and bool(nearest(self.case))


@dataclass(frozen=True)
class Score:
    """All rows of one source; `broken` has a line for each that could not be read."""

    source: str
    rows: Sequence[Judged]
    broken: Sequence[str] = ()
    least: float = RIGHT
    """The share of rows that have to be right."""

    def count(self, kind: Kind) -> int:
        """Rows that count and came to this."""
        return sum(row.counts and row.verdict.kind is kind for row in self.rows)

    @property
    def counted(self) -> int:
        """Rows that the bars are held against."""
        return sum(row.counts for row in self.rows)

    @property
    def wrong(self) -> list[str]:
        """Rows that came out otherwise than the peer says exactly, in whatever format."""
        rows = (row for row in self.rows if row.counts or row.is_nearest)
        return [row.case.id for row in rows if row.verdict.kind is Kind.WRONG]

    @property
    def crashed(self) -> list[str]:
        """Rows, of whatever strength, that raised something."""
        return [row.case.id for row in self.rows if row.verdict.kind is Kind.CRASHED]

    @property
    def policy(self) -> list[Judged]:
        """Rows left out on purpose."""
        return [row for row in self.rows if row.policy is not None]

    @property
    def foreign(self) -> Counter[tuple[str, Kind]]:
        """How many rows are of each format or operation that is not ours, and what became of them."""
        return Counter((row.foreign, row.verdict.kind) for row in self.rows if row.foreign)

    @property
    def others(self) -> Counter[Kind]:
        """What became of the rows whose peer asserts less than the exact outcome."""
        return Counter(row.verdict.kind for row in self.rows if not row.case.is_binding and not row.foreign)

    @property
    def failing(self) -> list[Judged]:
        """Rows that are not right; those that count first."""
        ours = [row for row in self.rows if row.verdict.kind not in (Kind.RIGHT, Kind.FOREIGN) and row.policy is None]
        return sorted(ours, key=lambda row: not row.counts)

    @property
    def missed(self) -> list[str]:
        """One line for each bar that does not hold."""
        lines = [f"{self.source}: {line}" for line in self._misses()]
        broken = [row.verdict.said for row in self.rows if row.verdict.kind is Kind.BROKEN]
        return [*lines, *self.broken, *broken]

    def _misses(self) -> list[str]:
        counted, right = self.counted, self.count(Kind.RIGHT)
        lines: list[str] = []
        wrong = [
            row.case.id for row in self.rows if row.verdict.kind is Kind.WRONG and (row.counts or row.is_nearest)
        ]
        if wrong:
            lines.append(f"{len(wrong)} wrong ({_some(wrong)}), the bar is 0")
        if crashed := self.crashed:
            lines.append(f"{len(crashed)} crashed ({_some(crashed)}), the bar is 0")
        if right < self.least * counted:
            lines.append(f"{right} of {counted} right ({right / counted:.1%}), the bar is ≥ {self.least:.0%}")
        most = max(1, int(LEFT_OUT * (counted + len(self.policy))))
        if len(self.policy) > most:
            lines.append(f"{len(self.policy)} left out by policy, the bar is ≤ {most}")
        real = [
            row.case.id for row in self.rows if row.counts and "real_llm_reply" in row.case.tags and not _good(row)
        ]
        if real:
            lines.append(f"{len(real)} real replies read differently ({_some(real)}), the bar is 0")
        taken = [row.case.id for row in self.rows if row.counts and "malformed" in row.case.tags and not _good(row)]
        if taken:
            lines.append(f"{len(taken)} malformed rows not refused ({_some(taken)}), the bar is 0")
        return lines


def _good(row: Judged) -> bool:
    return row.verdict.kind is Kind.RIGHT


def _some(ids: Sequence[str], most: int = 5) -> str:
    return ", ".join(ids[:most]) + (", …" if len(ids) > most else "")

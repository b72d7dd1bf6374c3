"""Rows of which motet makes something else than their peer, on purpose: `bench/edit_expectations.toml`.

Each names the contradiction between the peers that it stands under, by the number that `docs/edits.md` gives it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from editcases.case import Case
from editcases.formats import nearest
from editcases.judge import Kind, Verdict

CONTRADICTIONS = {
    1: "several places",
    2: "final newline",
    3: "a file that exists already",
    4: "several files, one failure",
    5: "empty search text",
    6: "upper and lower case",
    7: "missing closing marker",
    8: "part of the edits",
}
_OUTCOMES = {"refused": Kind.REFUSED, "other text": Kind.WRONG}


class BrokenExpectations(Exception):
    """The file of expectations cannot be understood; the message says where."""


@dataclass(frozen=True)
class Expectation:
    """`outcome` is what motet does, `why` one line. `sign` instead of `id` speaks of every row that shows it."""

    outcome: Kind
    contradiction: int
    why: str
    id: str = ""
    sign: str = ""

    def covers(self, case: Case, verdict: Verdict) -> bool:
        """Whether this is what became of `case`."""
        if verdict.kind is not self.outcome:
            return False
        return self.id == case.id or (self.sign in _SIGNS and _SIGNS[self.sign](case, verdict))


def _is_ambiguous(case: Case, verdict: Verdict) -> bool:
    return set(verdict.reasons) == {"ambiguous"}


def _searches_nothing(case: Case, verdict: Verdict) -> bool:
    return case.row.get("search") == "" and any(case.before.values())


def _differs_in_case(case: Case, verdict: Verdict) -> bool:
    search, before = case.row.get("search"), case.row.get("before")
    return (
        set(verdict.reasons) == {"not_found"}
        and isinstance(search, str)
        and isinstance(before, str)
        and search not in before
        and search.casefold() in before.casefold()
    )


_SIGNS = {"ambiguous": _is_ambiguous, "empty search": _searches_nothing, "case": _differs_in_case}
"""By what a row shows the contradiction, whatever it is called."""


@dataclass(frozen=True)
class Expectations:
    """All of one file, by id and by sign."""

    by_id: Mapping[str, Expectation]
    by_sign: tuple[Expectation, ...] = ()
    bars: Mapping[str, float] = field(default_factory=dict)
    """By source, the share of rows that have to be right where that is less than elsewhere."""

    def of(self, case: Case, verdict: Verdict) -> Expectation | None:
        """The expectation that `case` is left out for; None when it counts, or would not count anyway."""
        if not case.is_binding or nearest(case):
            return None
        candidates = [self.by_id[case.id]] if case.id in self.by_id else self.by_sign
        return next((one for one in candidates if one.covers(case, verdict)), None)

    def stale(self, judged: Iterable[tuple[Case, Verdict]], *, complete: bool) -> list[str]:
        """One line for each listed row that does not do what the list says; with `complete`, also for each that is
        in none of the files."""
        problems: list[str] = []
        seen: set[str] = set()
        for case, verdict in judged:
            seen.add(case.id)
            listed = self.by_id.get(case.id)
            if listed is None:
                continue
            if not case.is_binding:
                problems.append(f"{case.id} is listed, but its peer asserts too little for it to count")
            elif verdict.kind is not listed.outcome:
                problems.append(f"{case.id} is listed as {_word(listed.outcome)}, but is {_word(verdict.kind)} now")
        absent = [id_ for id_ in self.by_id if id_ not in seen] if complete else []
        return problems + [f"{id_} is listed, but there is no such row" for id_ in absent]


def load(path: Path) -> Expectations:
    """Read `path`. Raises `BrokenExpectations`."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BrokenExpectations(f"{path}: {error}") from error
    rows = [_expectation(path, row, "id") for row in data.get("row", [])]
    by_id = {row.id: row for row in rows}
    if len(by_id) != len(rows):
        raise BrokenExpectations(f"{path}: a row is listed twice")
    bars = dict(_bar(path, row) for row in data.get("bar", []))
    return Expectations(by_id, tuple(_expectation(path, row, "sign") for row in data.get("sign", [])), bars)


def _bar(path: Path, row: Mapping[str, object]) -> tuple[str, float]:
    match row:
        case {"source": str(source), "right": float(right), "why": str(why)} if why and 0 < right < 1:
            return source, right
        case _:
            raise BrokenExpectations(f"{path}: a bar needs `source`, `right` (0 to 1) and `why`")


def _expectation(path: Path, row: Mapping[str, object], name: str) -> Expectation:
    key, outcome, contradiction, why = (row.get(field) for field in (name, "outcome", "contradiction", "why"))
    match key, outcome, contradiction, why:
        case str(), str(), int(), str() if (
            (name == "id" or key in _SIGNS) and outcome in _OUTCOMES and contradiction in CONTRADICTIONS and why
        ):
            kind = _OUTCOMES[outcome]
            return Expectation(kind, contradiction, why, **{name: key})
        case _:
            known = f" ({' or '.join(_SIGNS)})" if name == "sign" else ""
            raise BrokenExpectations(
                f"{path}: {key or 'a row without a name'}: needs `{name}`{known}, `why`, `contradiction` (1 to "
                f"{max(CONTRADICTIONS)}) and `outcome` ({' or '.join(_OUTCOMES)})"
            )


def _word(kind: Kind) -> str:
    return next((word for word, one in _OUTCOMES.items() if one is kind), str(kind))

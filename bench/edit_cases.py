"""What `motet.edits` makes of edit cases from other tools' tests: right, refused, wrong or crashed, by source.

    python bench/edit_cases.py [PATH…] [--failing] [--show ID]… [--json] [--complete]

PATH is a file of cases or a folder with *.jsonl; without one, the folder beside the project ($MOTET_SHARED or
../shared). Exit code 1: a row is wrong, crashed or cannot be read, or a bar is missed; 2: nothing was measured.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from measure.run import BenchError
from measure.table import Result

try:
    from editcases.case import BrokenRow, Case, files_of, read
    from editcases.expectations import CONTRADICTIONS, BrokenExpectations, Expectations, load
    from editcases.judge import Kind, judge
    from editcases.score import RIGHT, Judged, Score
except ImportError as error:
    print(f"not measured: {error}", file=sys.stderr)
    sys.exit(2)

HERE = Path(__file__).resolve().parent
EXPECTATIONS = HERE / "edit_expectations.toml"
HEAD = [
    "source",
    "exact rows",
    "right",
    "refused",
    "wrong",
    "crashed",
    "policy",
    "not supported",
    "other rows",
    "held",
]
_WEAKLY = {Kind.WRONG: "other text"}
"""Of a row whose test says little, another text is no proof of a wrong one."""


def shared_cases() -> Path:
    """The folder of other tools' cases, beside the project."""
    shared = os.environ.get("MOTET_SHARED")
    return (Path(shared) if shared else HERE.parent.parent / "shared") / "cases" / "edits"


def run(files: Iterable[Path], expectations: Expectations) -> list[Score]:
    """Every row of `files`, judged, by source: the name of its file."""
    scores: list[Score] = []
    for file in files:
        rows: list[Judged] = []
        broken: list[str] = []
        for case in read(file):
            if isinstance(case, BrokenRow):
                broken.append(str(case))
                continue
            verdict = judge(case)
            rows.append(Judged(case, verdict, expectations.of(case, verdict)))
        scores.append(Score(file.stem, rows, broken, expectations.bars.get(file.stem, RIGHT)))
    return scores


def result(scores: Sequence[Score], stale: Sequence[str] = ()) -> Result:
    """The table for people, and every bar that is missed."""
    rows = [_row(score) for score in scores]
    missed = [line for score in scores for line in score.missed]
    return Result("Edit cases", _about(scores), HEAD, rows, [*missed, *stale])


def _row(score: Score) -> list[str]:
    others = ", ".join(f"{count} {_WEAKLY.get(kind, kind)}" for kind, count in sorted(score.others.items()))
    return [
        score.source,
        str(score.counted + len(score.policy)),
        *(str(score.count(kind)) for kind in (Kind.RIGHT, Kind.REFUSED)),
        *(str(len(rows)) for rows in (score.wrong, score.crashed, score.policy)),
        str(score.foreign.total()),
        others or "–",
        "no" if score.missed else "yes" if score.counted else "–",
    ]


def _about(scores: Sequence[Score]) -> str:
    foreign: Counter[tuple[str, Kind]] = sum((score.foreign for score in scores), Counter())
    names = ", ".join(f"{name} ({_outcomes(foreign, name)})" for name in sorted({name for name, _ in foreign}))
    policy: dict[int, list[str]] = defaultdict(list)
    for score in scores:
        for row in score.policy:
            if row.policy is not None:
                policy[row.policy.contradiction].append(row.case.id)
    left = (
        "; ".join(f"{CONTRADICTIONS[number]}: {', '.join(ids)}" for number, ids in sorted(policy.items())) or "none"
    )
    total = sum(len(score.rows) for score in scores)
    return (
        f"{total} rows. *Exact rows* are those whose own test says exactly what comes out; the bars are held against "
        "them, per source: none wrong, none crashed, 97 % right, at most 3 % left out by policy. *Refused*: motet "
        "says no where the peer applies, also where it would offer a human what is only nearly right. *Other rows* are those whose test says less; only a crash counts there. "
        f"Left out by policy, by what the tools contradict each other in: {left}. Not ours, by "
        f"format; where there is an outcome, through the nearest of ours, and none may be wrong: {names or 'none'}."
    )


def _outcomes(foreign: Counter[tuple[str, Kind]], name: str) -> str:
    found = {kind: count for (one, kind), count in sorted(foreign.items()) if one == name}
    return ", ".join(str(count) if kind is Kind.FOREIGN else f"{count} {kind}" for kind, count in found.items())


def show(case: Case, row: Judged) -> str:
    """One case for a person: what was there, the edit, what was expected, what came."""
    given = {name: value for name, value in case.row.items() if name not in ("source", "id")}
    parts = [f"{case.id} ({case.file}:{case.line})", f"{row.verdict.kind}: {row.verdict.said}".rstrip(": ")]
    if row.policy is not None:
        parts.append(f"left out by policy: {CONTRADICTIONS[row.policy.contradiction]}: {row.policy.why}")
    for name, value in given.items():
        parts.append(
            f"--- {name}\n{value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)}"
        )
    for path, data in row.verdict.after.items():
        parts.append(f"--- motet leaves {path}\n{data.decode(errors='replace')}")
    return "\n".join(parts)


def _aside(row: Judged) -> str:
    return f" ({row.foreign}: not ours)" if row.foreign else "" if row.case.is_binding else " (other row)"


def failing(scores: Sequence[Score]) -> list[str]:
    """One line for each row that is not right, and for each that is left out."""
    lines = [
        f"{row.case.id}  {row.verdict.kind if row.case.is_binding else _WEAKLY.get(row.verdict.kind, row.verdict.kind)}"
        f"{_aside(row)}: {row.verdict.said}"
        for score in scores
        for row in score.failing
    ]
    left = [
        f"{row.case.id}  left out by policy ({CONTRADICTIONS[row.policy.contradiction]}): {row.policy.why}"
        for score in scores
        for row in score.policy
        if row.policy is not None
    ]
    return lines + left


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="files of cases, or folders with *.jsonl")
    parser.add_argument("--failing", action="store_true", help="one line for each row that is not right")
    parser.add_argument("--show", action="append", default=[], metavar="ID", help="print this case whole")
    parser.add_argument("--json", action="store_true", help="print the table as one line of JSON")
    parser.add_argument("--complete", action="store_true", help="every row that is listed as policy must be there")
    parser.add_argument(
        "--expectations", type=Path, default=EXPECTATIONS, metavar="FILE", help=f"default {EXPECTATIONS.name}"
    )
    options = parser.parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a row may hold what no encoding knows
    try:
        expectations = load(options.expectations)
        files = files_of(options.paths or [shared_cases()])
    except (BrokenRow, BrokenExpectations, BenchError) as error:
        print(f"not measured: {error}", file=sys.stderr)
        return 2
    scores = run(files, expectations)
    judged = [row for score in scores for row in score.rows]
    stale = expectations.stale(((row.case, row.verdict) for row in judged), complete=options.complete)
    found = result(scores, stale)
    if options.show:
        return _show(options.show, judged)
    print(found.json if options.json else found.text, flush=True)
    if options.failing:
        print("\n".join(["", *failing(scores)]))
    return 1 if found.missed else 0


def _show(ids: Sequence[str], judged: Sequence[Judged]) -> int:
    rows = {row.case.id: row for row in judged}
    for id_ in ids:
        print(show(rows[id_].case, rows[id_]) if id_ in rows else f"{id_}: no such row")
    return 0 if all(id_ in rows for id_ in ids) else 1


if __name__ == "__main__":
    sys.exit(main())

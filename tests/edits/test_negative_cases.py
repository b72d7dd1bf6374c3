"""Every row of `bench/cases/edits`: exact bytes, exact refusals. The README there tells what the fields mean."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from motet.edits import Match, Outcome, Refusal, Rung, plan
from motet.errors import EditFormatError
from motet.text import TextFile

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.append(str(BENCH))  # the rows are read the way that the benchmark reads them

from editcases.case import Case, read  # noqa: E402
from editcases.formats import edits_of  # noqa: E402
from editcases.planned import encoded  # noqa: E402

FILES = sorted((BENCH / "cases" / "edits").glob("*.jsonl"))
CASES = [case for file in FILES for case in read(file)]
MOST_SECONDS = 5
"""For one row; all of them together take about three."""


def outcomes_of(case: Case, files: Mapping[str, TextFile]) -> tuple[dict[str, bytes], list[Outcome]]:
    """The files as the row's edits leave them, and what became of each edit."""
    edits = edits_of(case)
    if not edits:
        raise EditFormatError("line 1: there is no edit in it", 1)
    planned = plan(
        files,
        edits,
        shown={path: case.file_of(path, text) for path, text in case.shown.items()},
        partial=case.row.get("options", {}).get("partial", False),
        approximate=case.row.get("approximate", "refuse"),
    )
    after = {path: file.data for path, file in files.items()}
    for file in planned.files:
        after.pop(file.path, None)
    for file in planned.files:
        if file.after is not None:
            assert file.after.path not in after
            after[file.after.path] = file.after.data
    return after, [outcome for file in planned.files for outcome in file.outcomes]


def expected_after(case: Case) -> dict[str, bytes]:
    untouched = case.expect == "error" and "expected_files" not in case.row
    return encoded(case, case.before if untouched else case.after)


def check_refusals(case: Case, refusals: Sequence[Refusal]) -> None:
    """Reasons, number and candidates, as far as the row names them."""
    row = case.row
    allowed = row.get("allowed_reasons") or ([row["expected_reason"]] if "expected_reason" in row else [])
    if allowed:
        assert {str(refusal.reason) for refusal in refusals} <= set(allowed), [each.describe() for each in refusals]
    if "expected_refused" in row:
        assert len(refusals) == row["expected_refused"]
    if "expected_candidates" in row:
        (refusal,) = refusals
        assert [[each.first_line, each.last_line] for each in refusal.candidates] == row["expected_candidates"]
    for refusal in refusals:
        assert refusal.message
        assert len(refusal.advice.splitlines()) == 1


def check_matches(case: Case, outcomes: Sequence[Outcome]) -> None:
    matches = [outcome for outcome in outcomes if isinstance(outcome, Match)]
    approximate = [match for match in matches if match.rung is Rung.APPROXIMATE]
    match case.row.get("expected_outcome"):
        case "already_applied":
            assert all(each.already_applied for each in matches), matches
        case "approximate":
            assert approximate == matches != []
        case _:
            assert approximate == []


@pytest.mark.acceptance("SP-01", "SP-02", "SP-03", "CC-10", "AV-01", "T-24", "T-25", "T-32")
@pytest.mark.timeout(MOST_SECONDS, method="signal")
@pytest.mark.parametrize("case", [case for case in CASES if isinstance(case, Case)], ids=lambda case: case.id)
def test_an_edit_is_right_to_the_byte_or_refused_for_the_reason(case: Case) -> None:
    files = {path: case.file_of(path, text) for path, text in case.before.items()}
    try:
        after, outcomes = outcomes_of(case, files)
    except EditFormatError as error:
        assert case.expect == "error", f"not understood: {error}"
        allowed = case.row.get("allowed_reasons", [case.row.get("expected_reason", "bad_format")])
        assert "bad_format" in allowed, error
        assert error.line >= 1
        return
    expected = expected_after(case)
    differ = sorted(path for path in {*after, *expected} if after.get(path) != expected.get(path))
    # A line of 5 MB is compared whole, but not shown whole.
    assert differ == [], {path: (after.get(path, b"-")[:2000], expected.get(path, b"-")[:2000]) for path in differ}
    refusals = [outcome for outcome in outcomes if isinstance(outcome, Refusal)]
    assert bool(refusals) == (case.expect != "after"), [refusal.describe() for refusal in refusals]
    check_matches(case, outcomes)
    check_refusals(case, refusals)


def test_the_corpus_is_large_and_every_row_has_an_id_and_a_sentence_of_its_own() -> None:
    rows = [json.loads(line) for file in FILES for line in file.read_bytes().splitlines()]
    assert len(rows) >= 200
    assert len({row["id"] for row in rows}) == len(rows) == len(CASES)
    assert len({row["source"]["test"] for row in rows}) == len(rows)


def test_the_corpus_is_written_in_ascii_so_that_look_alikes_can_be_told_apart() -> None:
    assert [file.name for file in FILES if not file.read_bytes().isascii()] == []

"""`bench/replay.py`: real answers become what their authors committed, and the script counts what it says it counts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "bench" / "replay.py"
# Read here: tests themselves do not see the developer's settings.
SHARED = Path(os.environ.get("MOTET_SHARED") or ROOT.parent / "shared") / "cases" / "replay"
IN_CI = os.environ.get("CI", "").lower() in {"1", "true", "yes"}
KINDS = ["same", "same but for white space", "rightly refused", "over-refused", "wrong", "not 0"]


def replay(*arguments: str | Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, SCRIPT, *arguments, "--json"], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    table = json.loads(done.stdout)
    assert done.returncode == bool(table["missed"])
    return table


# --- the answers beside the project ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table() -> dict[str, Any]:
    """What the script says about the whole folder."""
    if not list(SHARED.glob("*.jsonl")):
        why = f"no answers in {SHARED}; MOTET_SHARED names another place for them"
        if IN_CI:
            pytest.fail(why)
        pytest.skip(why)
    return replay(SHARED)


@pytest.mark.parametrize("bar", ["wrong", "over-refused", "same", "right bytes with another exit code than 0"])
def test_real_answers_hold_a_bar(table: dict[str, Any], bar: str) -> None:
    assert [line for line in table["missed"] if line.startswith(f"{bar}: ")] == []


def test_every_answer_is_replayed(table: dict[str, Any]) -> None:
    rows = sum(len(file.read_text("utf-8").split("\n")) - 1 for file in SHARED.glob("*.jsonl"))
    assert table["rows"][0][:2] == ["all", str(rows)]


# --- the script ------------------------------------------------------------------------------------------------

BLOCK = "a.txt\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n"
NEW = "b.txt\n```text title=b.txt\nnew\n```\n"
ROW = {
    "id": "own#1", "repo": "own", "format": "diff", "language": "text", "answer": BLOCK,
    "before": {"a.txt": "one\n"}, "after": {"a.txt": "two\n"},
}  # fmt: skip
MISSED = BLOCK.replace("one", "gone")


def kind(tmp_path: Path, **row: object) -> str:
    """What the one row comes to, and whether its bytes are right although the exit code is not 0."""
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps({**ROW, **row}) + "\n", "utf-8")
    counts = replay(file)["rows"][0][2:]
    return ", ".join(name for name, count in zip(KINDS, counts, strict=True) if count == "1")


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({}, "same"),
        ({"after": {"a.txt": "two"}}, "same but for white space"),
        ({"before": {"a.txt": "one\r\n"}}, "same but for white space"),
        ({"before": {"a.txt": {"base64": "77u/b25lCg=="}}}, "same but for white space"),
        ({"after": {"a.txt": "two \n"}}, "wrong"),
        ({"after": {"a.txt": "three\n"}}, "wrong"),
        ({"after": {"a.txt": "three\n"}, "also": [{"a.txt": "two\n"}]}, "same"),
        ({"after": {"a.txt": "one\n", "b.txt": None}}, "wrong"),
        ({"never": ["same"]}, "wrong"),
        ({"never": ["same"], "expect": ["refused"], "answer": MISSED}, "rightly refused"),
        ({"answer": MISSED}, "over-refused"),
        ({"answer": "No edit at all."}, "over-refused"),
        ({"answer": BLOCK + NEW, "after": {"a.txt": "two\n", "b.txt": "new\n"}}, "same"),
        ({"answer": MISSED + NEW, "after": {"a.txt": "two\n", "b.txt": "new\n"}}, "over-refused"),
        ({"answer": MISSED + NEW, "after": {"a.txt": "two\n", "b.txt": "new\n"}, "expect": ["partly"]}, "rightly refused"),
        ({"answer": BLOCK + MISSED.replace("a.txt", "c.txt")}, "same, not 0"),
    ],
)  # fmt: skip
def test_a_row_is_judged_by_what_was_committed(tmp_path: Path, row: dict[str, object], expected: str) -> None:
    assert kind(tmp_path, **row) == expected


def test_rows_that_are_not_the_same_are_listed_with_their_reason(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps({**ROW, "id": f"own#{n}", "answer": MISSED}) + "\n" for n in (1, 2)), "utf-8")
    done = subprocess.run(
        [sys.executable, SCRIPT, file, "--only", "2"], capture_output=True, text=True, timeout=300, check=False
    )
    assert [line for line in done.stdout.splitlines() if line.startswith("own#")] == [
        "own#2  over-refused, exit code 1: a.txt: line 2 of the answer: refused (not_found): the search text does not "
        "stand in the file"
    ]


def test_without_rows_nothing_is_measured(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT, tmp_path], capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stderr) == (2, f"not measured: no rows in {tmp_path}\n")

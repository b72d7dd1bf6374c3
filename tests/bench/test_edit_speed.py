"""The benchmark of edits runs at a small size and measures every part; its bars are for `make bench`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
HEAD = ["what", "median", "least to most", "beside", "its median", "ratio", "bar", "held"]
SMALL = ["--rounds", "1", "--lines", "2000", "--answer", "5"]


@pytest.fixture(scope="module")
def table() -> dict:
    """What it prints."""
    script = [sys.executable, BENCH / "edit_speed.py", *SMALL, "--json"]
    done = subprocess.run(script, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_benchmark_of_edits_fills_its_table(table: dict) -> None:
    assert table["head"] == HEAD
    for row in table["rows"]:
        cells = dict(zip(HEAD, row, strict=True))
        assert (cells["bar"] == "–") == (cells["held"] == "–")
        assert (cells["beside"] == "–") == (cells["ratio"] == "–")


def test_every_part_is_measured(table: dict) -> None:
    assert [line for line in table["missed"] if "not measured" in line] == []
    named = "\n".join(row[0] for row in table["rows"])
    for part in (
        "exact edit in 100 lines",
        "from answer to bytes",
        "plan alone",
        "20 blocks parsed",
        "most memory for an exact edit in 2,000 lines",
        "exact edit in 2,000 lines (library)",
        "write of 2,000 lines, with its checkpoint",
        "100 edits over 100 files",
        "indentation drift in 2,000 lines",
        "not found in 2,000 lines",
        "10,000 equal lines",
        "1,200 lines",
        "a line of 5 MB",
        *(f"{name}, 5 kB" for name in ("search_replace", "udiff", "apply_patch", "whole_file", "replace_in_file")),
    ):
        assert part in named


def test_a_bar_with_a_constant_counts_only_what_is_above_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    from editspeed.rounds import Allowed

    row = Allowed("planned", "µs", [250.0, 260.0, 900.0], 1.5, "spliced", [50.0, 40.0, 60.0], free=200)
    assert row.ratio == 1.5
    assert row.row == ["planned", "260.00 µs", "250.00 to 900.00 µs", "spliced", "50.00 µs", "1.50", "≤ 1.5 × + 200 µs", "yes"]  # fmt: skip

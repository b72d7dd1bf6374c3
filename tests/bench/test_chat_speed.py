"""The benchmarks of chats, of stored chats and of snapshots run at a small size and measure every part; their bars are for `make
bench`, but for those that hang neither on the size nor on the load."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
HEAD = ["what", "median", "least to most", "beside", "its median", "ratio", "bar", "held"]
SMALL = {
    "chat_speed": ["--rounds", "1", "--tokens", "200", "--messages", "40", "--turns", "10"],
    "history_speed": ["--rounds", "1", "--stored", "400", "--messages", "40"],
    "snapshot_cost": ["--rounds", "1", "--small", "60", "--large", "200"],
}
PARTS = {
    "chat_speed": [
        "`motet ask` to the request on the wire",
        "`motet ask` to the request on the wire, processor time",
        "first token in `ask`, from the wire to the pipe",
        "first token in `chat`, from the wire to the terminal",
        "`ask`, each token, less the HTTP library",
        "`chat` draws 200 tokens of mixed, each",
        "resume a chat of 40 messages",
        "submit in a chat of 40 messages",
        "what a turn takes longer at the end",
        "memory that 10 turns of an agent take",
    ],
    "history_speed": [
        "append of a message to 400",
        "open and load a chat of 40 messages",
        "search of 400 messages: two Japanese characters",
        "list of the last 50 chats",
    ],
    "snapshot_cost": [
        f"{files} files: {what}"
        for files in (60, 200)
        for what in ("the first snapshot", "before a command", "after a command", "undo of that")
    ],
}


@pytest.fixture(scope="module")
def tables() -> dict[str, dict]:
    """What each prints."""

    def run(name: str) -> dict:
        done = subprocess.run(
            [sys.executable, BENCH / f"{name}.py", *SMALL[name], "--json"],
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode in (0, 1), done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    with ThreadPoolExecutor(len(SMALL)) as pool:
        return dict(zip(SMALL, pool.map(run, SMALL), strict=True))


@pytest.mark.parametrize("name", SMALL)
def test_every_part_is_measured(tables: dict[str, dict], name: str) -> None:
    table = tables[name]
    assert table["head"] == HEAD
    assert [line for line in table["missed"] if "not measured" in line] == []
    named = [row[0] for row in table["rows"]]
    assert [part for part in PARTS[name] if not any(row.startswith(part) for row in named)] == []
    for row in table["rows"]:
        cells = dict(zip(HEAD, row, strict=True))
        assert (cells["bar"] == "–") == (cells["held"] == "–")
        assert (cells["beside"] == "–") == (cells["ratio"] == "–")


def test_a_percentile_is_a_value_that_so_many_do_not_exceed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    from chatspeed.provider import percentile

    assert percentile([float(number) for number in range(1, 101)], 0.95) == 95
    assert percentile([3.0], 0.95) == 3


def test_all_of_them_are_part_of_the_whole_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    from run_all import BENCHES

    assert {bench.name for bench in BENCHES} >= {"chat_speed", "history_speed"}

"""The log of what leaves: every request, in order, whoever writes, and never its content."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from motet.errors import MotetError
from motet.permissions.egress import Egress, EgressLog

AT = datetime(2026, 1, 31, 12, 0, 0, 123000, UTC)


def test_a_request_is_one_line_with_where_how_much_and_which_files(tmp_path: Path) -> None:
    log = EgressLog(tmp_path / "state")
    log.add(
        "anthropic", "api.anthropic.com", 1234, ("src/a.py", "日本.md", "src/a.py"), chat="01J", project="/p", at=AT
    )
    file = tmp_path / "state" / "egress.jsonl"
    assert json.loads(file.read_text()) == {
        "at": "2026-01-31T12:00:00.123Z", "provider": "anthropic", "host": "api.anthropic.com", "bytes": 1234,
        "files": ["src/a.py", "日本.md"], "chat": "01J", "project": "/p",
    }  # fmt: skip
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(log.read()) == [
        Egress(AT, "anthropic", "api.anthropic.com", 1234, ("src/a.py", "日本.md"), "01J", "/p")
    ]


def test_nothing_is_made_before_the_first_line(tmp_path: Path) -> None:
    log = EgressLog(tmp_path / "state")
    assert list(log.read()) == []
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_full_becomes_the_old_one_and_the_one_before_goes(tmp_path: Path) -> None:
    log = EgressLog(tmp_path, max_bytes=300)
    for number in range(10):
        log.add("p", "h", number, at=AT)
    kept = [each.bytes for each in log.read()]
    assert kept == list(range(kept[0], 10))
    assert 2 <= len(kept) < 10
    assert sorted(path.name for path in tmp_path.iterdir()) == ["egress.1.jsonl", "egress.jsonl"]
    assert all(path.stat().st_size <= 300 for path in tmp_path.iterdir())


def test_a_line_longer_than_a_file_is_kept_all_the_same(tmp_path: Path) -> None:
    log = EgressLog(tmp_path, max_bytes=10)
    log.add("p", "h", 1)
    log.add("p", "h", 2)
    assert [each.bytes for each in log.read()] == [1, 2]


WRITER = """
import sys
from pathlib import Path
from motet.permissions.egress import EgressLog
log = EgressLog(Path(sys.argv[1]), max_bytes=int(sys.argv[3]))
for number in range(300):
    log.add(sys.argv[2], "h", number, ("x" * 200,))
"""


@pytest.mark.parametrize("max_bytes", [10_000_000, 150_000])
def test_processes_that_write_at_the_same_time_lose_no_line_and_mix_none(tmp_path: Path, max_bytes: int) -> None:
    argv = [sys.executable, "-c", WRITER, str(tmp_path)]
    running = [subprocess.Popen([*argv, name, str(max_bytes)]) for name in ("a", "b")]
    assert [process.wait() for process in running] == [0, 0]
    read = list(EgressLog(tmp_path).read())
    lines = sum(len(path.read_bytes().splitlines()) for path in tmp_path.glob("*.jsonl"))
    assert len(read) == lines == 600
    for name in ("a", "b"):
        assert [each.bytes for each in read if each.provider == name] == list(range(300))


def test_a_damaged_line_hides_no_other(tmp_path: Path) -> None:
    log = EgressLog(tmp_path)
    log.add("p", "h", 1)
    with (tmp_path / "egress.jsonl").open("ab") as file:
        file.write(
            b'{"at": 1}\n\xff\xff\n[]\nnull\n{"at": "2026-01-31T12:00:00Z", "provider": "p"\n'
            + b"[" * 100_000
            + b"\n"
        )
    log.add("p", "h", 2)
    assert [each.bytes for each in log.read()] == [1, 2]


def test_what_cannot_be_logged_is_an_error_of_one_line(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    with pytest.raises(MotetError, match=r"state/egress\.jsonl: cannot log what is sent: .*; nothing was sent$"):
        EgressLog(tmp_path / "state").add("p", "h", 1)


def test_a_full_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, data[:5]))
    log = EgressLog(tmp_path)
    with pytest.raises(MotetError, match="No space left on device"):
        log.add("p", "h", 1)
    monkeypatch.undo()
    log.add("p", "h", 2)
    assert [each.bytes for each in log.read()] == [2]

"""`motet search`, `motet map` and `motet index` where nobody expects a project."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from index_kit import put

BIN = Path(sys.executable).parent
NO_PROJECT = "and no project: its files are not searched as a whole. Go into a project, or write a .motetignore there"


def motet(place: Path, *words: str, home: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **({"HOME": str(home)} if home else {})}
    return subprocess.run(
        [BIN / "motet", *words],
        cwd=place, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("words", [("search", "key"), ("map",), ("index", "map"), ("index", "status")])
def test_a_home_directory_is_not_looked_through(tmp_path: Path, words: tuple[str, ...]) -> None:
    put(tmp_path, {"key.py": "def key(): ...\n"})
    done = motet(tmp_path, *words, home=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{tmp_path} is your home directory {NO_PROJECT}" in done.stderr
    above = motet(tmp_path.parent, *words, home=tmp_path)
    assert (above.returncode, above.stdout) == (2, "") and "is above your home directory" in above.stderr


def test_who_says_what_is_left_out_may_search_a_home_directory(tmp_path: Path) -> None:
    put(tmp_path, {".motetignore": "private/\n", "key.py": "def key(): ...\n", "private/key.py": "def key(): ...\n"})
    done = motet(tmp_path, "search", "key", home=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split()[0] for line in done.stdout.splitlines()[::2]] == ["key.py:1"]


def test_an_empty_directory_is_said_to_be_empty(tmp_path: Path) -> None:
    found, drawn = motet(tmp_path, "search", "key"), motet(tmp_path, "map")
    assert (found.returncode, found.stdout, found.stderr) == (1, "", "there are no files to search here\n")
    assert (drawn.returncode, drawn.stdout, drawn.stderr) == (
        0, "", "there are no files here that define anything\n",
    )  # fmt: skip


def test_a_directory_that_is_gone_is_one_line(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    code = f"import os, sys; os.rmdir({str(gone)!r}); os.execv({str(BIN / 'motet')!r}, ['motet', 'search', 'key'])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=gone, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 2
    assert done.stderr.endswith("the directory in which you are is gone; go into another one\n")


def test_the_map_is_a_part_of_the_index_too(tmp_path: Path) -> None:
    put(tmp_path, {"key.py": "def key(): ...\n"})
    assert motet(tmp_path, "index", "map").stdout == motet(tmp_path, "map").stdout == "key.py\n  def key(): ...\n"


@pytest.mark.acceptance("AV-03")
def test_doctor_says_where_the_index_is_and_whether_it_is_complete(tmp_path: Path) -> None:
    put(tmp_path, {"key.py": "def key(): ...\n", "uv.lock": ""})
    before = next(line for line in motet(tmp_path, "doctor").stdout.splitlines() if " index " in line)
    assert before.startswith("✓ index ") and ", 0 files, " in before
    assert before.endswith(" 2 more will be read when it is asked")
    motet(tmp_path, "search", "key")
    after = next(line for line in motet(tmp_path, "doctor").stdout.splitlines() if " index " in line)
    assert "tantivy " in after and "/index/" in after and ", 1 files, " in after and after.endswith(" MB, complete")

"""`find_program`: whose programs are run."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from motet.process import find_program, own_bin


def program(directory: Path, name: str = "tool") -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    place = directory / name
    place.write_text("#!/bin/sh\n")
    place.chmod(0o755)
    return place


def test_the_first_directories_come_before_path(tmp_path: Path) -> None:
    on_path, first = program(tmp_path / "path"), program(tmp_path / "first")
    path = str(tmp_path / "path")
    assert find_program("tool", path=path) == on_path
    assert find_program("tool", first=[tmp_path / "none", tmp_path / "first"], path=path) == first


def test_what_is_not_executable_or_not_a_file_is_passed_over(tmp_path: Path) -> None:
    program(tmp_path / "a").chmod(0o644)
    (tmp_path / "b" / "tool").mkdir(parents=True)
    wanted = program(tmp_path / "c")
    path = os.pathsep.join(str(tmp_path / name) for name in "abc")
    assert find_program("tool", path=path) == wanted


def test_relative_and_empty_entries_of_path_do_not_count(tmp_path: Path, monkeypatch) -> None:
    program(tmp_path)
    program(tmp_path / "bin")
    monkeypatch.chdir(tmp_path)
    assert find_program("tool", path=f".:bin::{tmp_path / 'none'}") is None


def test_nothing_inside_the_avoided_directory_is_found_not_even_through_links(tmp_path: Path) -> None:
    inside = program(tmp_path / "project" / ".venv" / "bin")
    (tmp_path / "link-to-directory").symlink_to(inside.parent)
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "tool").symlink_to(inside)
    outside = program(tmp_path / "outside")
    entries = (inside.parent, tmp_path / "link-to-directory", tmp_path / "links")
    path = os.pathsep.join(map(str, entries))
    assert find_program("tool", path=path, avoid=tmp_path / "project") is None
    path += os.pathsep + str(outside.parent)
    assert find_program("tool", path=path, avoid=tmp_path / "project") == outside


def test_a_directory_that_the_caller_names_may_lie_in_the_avoided_one(tmp_path: Path) -> None:
    inside = program(tmp_path / "project" / "bin")
    assert find_program("tool", first=[inside.parent], path="", avoid=tmp_path / "project") == inside


def test_an_absolute_name_is_checked_and_a_relative_path_refused(tmp_path: Path, monkeypatch) -> None:
    place = program(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert find_program(str(place)) == place
    assert find_program("./tool") is None
    assert find_program(str(tmp_path / "none")) is None


def test_own_bin_is_where_this_python_is() -> None:
    assert (own_bin() / Path(sys.executable).name).exists()

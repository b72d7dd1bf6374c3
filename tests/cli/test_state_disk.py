"""The disk with motet's own places is full, or takes nothing at all: what is said of it is true, and so is the advice."""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.disk_kit import IS_ROOT, fill, locked, mounted, that_can_be_locked, without_room
from cli.kit import Project

from motet.errors import MotetError
from motet.paths import remedy
from motet.storage.failures import Words, explained

OFFLINE = 'model = "offline"\n'


@contextlib.contextmanager
def a_disk_for_the_state(project: Project, *, full: bool) -> Iterator[Path]:
    """The state directory on a disk of 256 kB: full, or read-only."""
    with mounted(project.state.parent) as place:
        if full:
            fill(place)
        else:
            subprocess.run(["mount", "-o", "remount,ro", place], check=True)
        yield project.state


@IS_ROOT
@pytest.mark.parametrize(
    ("full", "why", "advice"),
    [
        (True, "No space left on device", "free some space there"),
        (False, "Read-only file system", "choose another place with XDG_STATE_HOME"),
    ],
)
def test_a_disk_that_takes_nothing_is_told_with_what_helps(
    project: Project, full: bool, why: str, advice: str
) -> None:
    project.settings(OFFLINE)
    with a_disk_for_the_state(project, full=full) as state:
        doctor = project.run("doctor")
        asked = project.run("ask", "-q", "hello")
        left = [each.name for each in state.glob("*")]
    (line,) = [line for line in doctor.out.splitlines() if "state  " in line]
    told = f"{state}: {why}, and without a checkpoint there nothing is written; {advice}"
    assert (doctor.code, line.split(maxsplit=2)) == (1, ["✗", "state", told])
    assert ".doctor" not in left
    assert (asked.code, asked.out) == (1, "")
    assert asked.err.startswith(f"motet: {state}/leases/")
    assert asked.err.endswith(f": a chat cannot be held: {why}; {advice}\n")


@IS_ROOT
def test_a_store_on_a_read_only_disk_is_not_a_matter_of_permission(project: Project) -> None:
    with a_disk_for_the_state(project, full=False) as state:
        done = project.run("history")
    advice = "the disk is read-only; choose another place with XDG_STATE_HOME"
    assert done.err == f"motet: {state}/history.db: the chats cannot be stored: {advice}\n"


READ = (["history"], ["history", "show", "last"], ["history", "search", "hello"], ["history", "export", "last"])


def test_chats_are_read_where_no_file_can_grow_and_where_nothing_can_be_written(project: Project) -> None:
    project.settings(OFFLINE)
    state = project.state.parent
    with that_can_be_locked(state):
        assert project.run("ask", "-q", "hello").code == 0
        before = [project.run(*words) for words in READ]
        assert all(was.out for was in before)
        assert [without_room(project, *words) for words in READ] == before
        with locked(state):
            assert [project.run(*words) for words in READ] == before
            refused = project.run("history", "rename", "last", "other")
            assert (refused.code, len(refused.err.splitlines())) == (1, 1)
            assert refused.err.startswith(f"motet: {project.state}/")


@IS_ROOT
def test_chats_are_read_on_a_full_disk(project: Project) -> None:
    project.settings(OFFLINE)
    state = project.state.parent
    with mounted(state, "4m"):
        assert project.run("ask", "-q", "hello").code == 0
        before = [project.run(*words) for words in READ]
        fill(state)
        assert [project.run(*words) for words in READ] == before


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        (errno.ENOSPC, "free some space there"),
        (errno.EDQUOT, "free some space there"),
        (errno.EFBIG, "free some space there"),
        (errno.EROFS, "choose another place with XDG_STATE_HOME"),
        (errno.EACCES, "make the directory writable"),
    ],
)
def test_the_advice_fits_the_reason(code: int, advice: str) -> None:
    assert remedy(OSError(code, os.strerror(code))) == advice


def test_a_read_only_disk_is_told_by_what_the_system_says(tmp_path: Path) -> None:
    words = Words(tmp_path / "history.db", "chats", MotetError)
    assert str(explained(OSError(errno.EROFS, "x"), words)) == (
        f"{words.path}: the chats cannot be stored: the disk is read-only; choose another place with XDG_STATE_HOME"
    )
    assert str(explained(OSError(errno.EACCES, "x"), words)) == (
        f"{words.path}: the chats cannot be stored: no permission to write; make the directory writable"
    )


@pytest.mark.acceptance("PY-08", "NV-26")
def test_own_files_are_where_the_base_directories_say(project: Project, tmp_path: Path) -> None:
    places = {name: str(tmp_path / name) for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME")}
    settings = tmp_path / "XDG_CONFIG_HOME" / "motet" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(OFFLINE)
    before = sorted(project.home.rglob("*"))
    assert project.here("config", "path", env=places).out == f"{settings}\n"
    assert project.here("ask", "hello", env=places).code == 0
    assert (tmp_path / "XDG_STATE_HOME" / "motet" / "history.db").is_file()
    assert sorted(project.home.rglob("*")) == before
    assert project.here("ask", "hello", env={"XDG_STATE_HOME": "relative"}).code == 0
    assert (project.state / "history.db").is_file(), "what is not absolute is ignored"

"""A disk that fails, and a process that dies, at every single step of a run and of an undo."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import workspace_kit as faults
from workspace_kit import AFTER, BEFORE, BETWEEN, CHANGED_SINCE, MERGED

from motet.errors import UndoRefused, WorkspaceError
from motet.workspace import DiskWorkspace
from motet.workspace.temporary import is_temporary

pytestmark = pytest.mark.usefixtures("no_waiting")


def leftovers(found: dict[str, bytes]) -> set[str]:
    return {path for path in found if is_temporary(path.rpartition("/")[2])}


def assert_every_file_is_old_or_new(project: Path) -> None:
    found = faults.files(project)
    for path in {*BEFORE, *AFTER}:
        assert found.get(path) in {BEFORE.get(path), BETWEEN.get(path), AFTER.get(path)}, path
    assert set(found) - leftovers(found) <= {*BEFORE, *AFTER}
    assert stat.S_IMODE((project / "a.py").stat().st_mode) == 0o755


async def assert_undo_brings_everything_back(project: Path, state: Path) -> None:
    """Whatever stands is taken back; nothing to undo is fine when nothing was changed."""
    workspace = faults.open_workspace(project, state)
    if any(not one.undone for one in await workspace.history()) or faults.files(project) != BEFORE:
        with contextlib.suppress(NothingToUndo):
            await undo(workspace)
    found = faults.files(project)
    assert {path: data for path, data in found.items() if path not in leftovers(found)} == BEFORE
    assert stat.S_IMODE((project / "a.py").stat().st_mode) == 0o755
    assert not (project / "new").exists() or not any((project / "new").rglob("*.py"))


class NothingToUndo(Exception):
    pass


async def undo(workspace: DiskWorkspace) -> None:
    try:
        await workspace.undo()
    except WorkspaceError as error:
        if "nothing to undo" in str(error):
            raise NothingToUndo from error
        raise


def failing_from(step: int, last: int, code: int) -> tuple[list[str], object]:
    """Steps `step` to `last` fail with `code`; the names of those that did."""
    failed: list[str] = []

    def before(number: int, name: str, arguments: tuple[object, ...]) -> None:
        if step <= number <= last:
            failed.append(name)
            raise OSError(code, os.strerror(code))

    return failed, before


async def run_with_failures(project: Path, state: Path, step: int, last: int, code: int, act: str = "run") -> bool:
    """A run with failing steps; false once the run has fewer steps than `step`."""
    failed, before = failing_from(step, last, code)
    with faults.every_step(before):  # pyright: ignore[reportArgumentType]
        try:
            await faults.RUNS[act](project, state)
        except WorkspaceError as error:
            assert "\n" not in str(error)
            assert failed, error
    return bool(failed)


@pytest.mark.acceptance("T-23")
@pytest.mark.parametrize(
    ("act", "code", "system"),
    [("run", errno.ENOSPC, "exchange"), ("run", errno.EIO, "plain"), ("many", errno.ENOSPC, "exchange")],
)
def test_a_step_that_fails_leaves_whole_files_and_an_undo_that_works(
    tmp_path: Path, act: str, code: int, system: str
) -> None:
    with faults.plain_renames() if system == "plain" else contextlib.nullcontext():
        fail_at_every_step(tmp_path, code, act)


def fail_at_every_step(tmp_path: Path, code: int, act: str) -> None:
    step = 0
    more = True
    while more:
        step += 1
        project, state = faults.lay_out(tmp_path / str(step))
        more = asyncio.run(run_with_failures(project, state, step, step, code, act))
        assert_every_file_is_old_or_new(project)
        asyncio.run(assert_undo_brings_everything_back(project, state))
        faults.write_in_every_directory(project)
        assert leftovers(faults.files(project)) == set()
    assert step > 100


@pytest.mark.acceptance("T-23")
def test_a_disk_that_stays_full_leaves_whole_files_and_an_undo_once_there_is_room(tmp_path: Path) -> None:
    step = 0
    more = True
    while more:
        step += 1
        project, state = faults.lay_out(tmp_path / str(step))
        more = asyncio.run(run_with_failures(project, state, step, sys.maxsize, errno.ENOSPC))
        assert_every_file_is_old_or_new(project)
        asyncio.run(assert_undo_brings_everything_back(project, state))
    assert step > 100


def test_a_step_of_an_undo_that_fails_leaves_whole_files_and_a_second_undo_ends_it(tmp_path: Path) -> None:
    async def both(project: Path, state: Path) -> bool:
        await faults.run(project, state)
        failed, before = failing_from(step, step, errno.EIO)
        with faults.every_step(before):  # pyright: ignore[reportArgumentType]
            try:
                await faults.open_workspace(project, state).undo()
            except WorkspaceError as error:
                assert "\n" not in str(error)
        return bool(failed)

    step = 0
    more = True
    while more:
        step += 1
        project, state = faults.lay_out(tmp_path / str(step))
        more = asyncio.run(both(project, state))
        assert_every_file_is_old_or_new(project)
        asyncio.run(assert_both_ends_are_within_reach(project, state))
    assert step > 50


async def assert_both_ends_are_within_reach(project: Path, state: Path) -> None:
    """After an undo that was cut off, undoing goes to the one end of it, and undoing again to the other."""
    workspace = faults.open_workspace(project, state)
    ends: list[dict[str, bytes]] = []
    for _ in range(3):
        found = faults.files(project)
        ends.append({path: data for path, data in found.items() if path not in leftovers(found)})
        await workspace.undo()
    assert AFTER in ends
    assert BEFORE in ends


def crash_cases(tmp_path: Path, action: str, system: str) -> list[Path]:
    """One directory for each step at which a process was killed; the last one's run came to its end."""
    script = Path(faults.__file__)
    argv = [sys.executable, str(script), str(tmp_path), action, system]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=100)
    number, code = map(int, done.stdout.split())
    assert code == 0, done.stderr
    return [tmp_path / str(step) for step in range(1, number + 1)]


@pytest.mark.acceptance("T-23")
@pytest.mark.parametrize(
    ("act", "system"), [("run", "exchange"), ("run", "plain"), ("many", "exchange"), ("many", "plain")]
)
def test_kill_9_at_any_step_of_a_run_leaves_whole_files_and_an_undo_that_works(
    tmp_path: Path, act: str, system: str
) -> None:
    cases = crash_cases(tmp_path, act, system)
    assert len(cases) > 100
    for case in cases:
        project, state = case / "project", case / "state"
        assert_every_file_is_old_or_new(project)
        asyncio.run(faults.open_workspace(project, state).read("a.py"))
        assert leftovers(faults.files(project)) == set(), "the next one that looks at the project clears it up"
        asyncio.run(assert_undo_brings_everything_back(project, state))


def test_kill_9_at_any_step_of_an_undo_leaves_whole_files_and_both_ends_within_reach(tmp_path: Path) -> None:
    cases = crash_cases(tmp_path, "undo", "exchange")
    assert len(cases) > 50
    for case in cases:
        project, state = case / "project", case / "state"
        assert_every_file_is_old_or_new(project)
        asyncio.run(faults.open_workspace(project, state).history())
        assert leftovers(faults.files(project)) == set()
        asyncio.run(assert_both_ends_are_within_reach(project, state))


def assert_every_file_is_merged_or_not(project: Path) -> None:
    found = faults.files(project)
    for path in {*CHANGED_SINCE, *MERGED}:
        assert found.get(path) in {CHANGED_SINCE.get(path), MERGED.get(path)}, path
    assert "old.py" in found or "new/place.py" in found
    assert set(found) - leftovers(found) <= {*CHANGED_SINCE, *MERGED}


async def assert_a_merge_can_be_ended_and_taken_back(project: Path, state: Path) -> None:
    """Once it is recorded what an undo is to do, the next one goes on without being told again to merge."""
    ends: list[dict[str, bytes]] = []
    for _ in range(3):
        found = faults.files(project)
        ends.append({path: data for path, data in found.items() if path not in leftovers(found)})
        workspace = faults.open_workspace(project, state)
        try:
            await workspace.undo()
        except UndoRefused:
            assert ends[-1] == CHANGED_SINCE
            assert len(await workspace.history()) == 1
            await workspace.undo(merge=True)
    assert CHANGED_SINCE in ends
    assert MERGED in ends


def test_a_step_of_a_merging_undo_that_fails_leaves_whole_files_and_a_second_undo_ends_it(tmp_path: Path) -> None:
    async def both(project: Path, state: Path) -> bool:
        await faults.change_and_go_on(project, state)
        failed, before = failing_from(step, step, errno.EIO)
        with faults.every_step(before):  # pyright: ignore[reportArgumentType]
            try:
                await faults.open_workspace(project, state).undo(merge=True)
            except WorkspaceError as error:
                assert "\n" not in str(error)
        return bool(failed)

    step = 0
    more = True
    while more:
        step += 1
        project, state = faults.lay_out(tmp_path / str(step))
        more = asyncio.run(both(project, state))
        assert_every_file_is_merged_or_not(project)
        asyncio.run(assert_a_merge_can_be_ended_and_taken_back(project, state))
    assert step > 50


def test_kill_9_at_any_step_of_a_merging_undo_leaves_whole_files_and_both_ends_within_reach(tmp_path: Path) -> None:
    cases = crash_cases(tmp_path, "merge", "exchange")
    assert len(cases) > 50
    for case in cases:
        project, state = case / "project", case / "state"
        assert_every_file_is_merged_or_not(project)
        asyncio.run(assert_a_merge_can_be_ended_and_taken_back(project, state))

"""The workspace on disk: whom it asks, and how it is stopped."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from workspace_kit import Human

from motet.errors import (
    OutsideWorkspace,
    PermissionDenied,
    StaleFile,
)
from motet.permissions import Action, Answer, Gate, GrantStore, Rule, RuleSet, Verdict
from motet.text import TextFile
from motet.workspace import Checkpoints, DiskWorkspace, Workspace, _fs

PROTECTED = [
    ".git/config", ".git/hooks/pre-commit", "sub/.git/HEAD", ".motet.toml", ".envrc", ".nvim.lua", ".exrc",
    ".vscode/settings.json", ".github/workflows/ci.yml", ".mcp.json", "AGENTS.md", ".env", ".GIT/config",
]  # fmt: skip


@pytest.mark.parametrize("path", PROTECTED)
async def test_a_protected_place_asks_and_a_no_changes_nothing(
    project: Path, disk: DiskWorkspace, human: Human, path: str
) -> None:
    with pytest.raises(PermissionDenied):
        await disk.create(path, b"x")
    assert [action.subject for action in human.asked] == [path]
    assert list(project.iterdir()) == []


async def test_a_protected_place_with_a_yes_is_written(project: Path, disk: DiskWorkspace, human: Human) -> None:
    human.answer = Answer.ONCE
    await disk.create(".github/workflows/ci.yml", b"on: push\n")
    assert (project / ".github/workflows/ci.yml").read_bytes() == b"on: push\n"


@pytest.mark.parametrize("alias", ["link", "to/config", "./.git/config", "deep/../.git/config"])
async def test_no_other_name_leads_to_a_protected_place_without_a_question(
    project: Path, disk: DiskWorkspace, human: Human, alias: str
) -> None:
    (project / ".git").mkdir()
    (project / ".git/config").write_bytes(b"old")
    (project / "link").symlink_to(".git/config")
    (project / "to").symlink_to(".git")
    with pytest.raises((PermissionDenied, OutsideWorkspace)):
        await disk.write(TextFile.decode(alias, b"old"), b"new")
    assert (project / ".git/config").read_bytes() == b"old"
    assert all(action.subject == ".git/config" for action in human.asked)


async def test_an_ordinary_file_does_not_ask(project: Path, disk: DiskWorkspace, human: Human) -> None:
    await disk.create("src/f.py", b"x")
    assert human.asked == []


@pytest.mark.acceptance("T-10")
async def test_a_link_that_is_turned_while_the_human_thinks_is_not_followed(
    project: Path, disk: DiskWorkspace, human: Human, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / ".git").mkdir()
    (project / ".git/config").write_bytes(b"old")
    (project / ".env").write_bytes(b"old")
    (project / "link").symlink_to(".env")

    async def yes_and_turn(action: Action) -> Answer:
        human.asked.append(action)
        (project / "link").unlink()
        (project / "link").symlink_to(".git/config")
        return Answer.ONCE

    monkeypatch.setattr(disk, "_gate", Gate(project, RuleSet(), GrantStore(project.parent / "grants"), yes_and_turn))
    with pytest.raises(StaleFile, match="leads elsewhere"):
        await disk.write(TextFile.decode("link", b"old"), b"new")
    assert (project / ".git/config").read_bytes() == b"old"
    assert (project / ".env").read_bytes() == b"old"


async def test_motets_own_state_is_no_part_of_a_workspace_around_it(tmp_path: Path) -> None:
    state = tmp_path / ".local/state/motet"
    gate = Gate(tmp_path, RuleSet(), GrantStore(state))
    disk = DiskWorkspace(tmp_path, gate=gate, checkpoints=Checkpoints(state, tmp_path))
    await disk.create("f.py", b"x")
    for path in (".local/state/motet/grants.json", ".local/state/motet/checkpoints/x"):
        with pytest.raises(OutsideWorkspace, match="own state"):
            await disk.create(path, b"[]")
    assert await disk.list_files() == ["f.py"]


# --- stopping ----------------------------------------------------------------------------------------------------


async def test_a_write_that_has_begun_is_brought_to_its_end_when_it_is_cancelled(
    project: Path, disk: DiskWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "f.py").write_bytes(b"old")
    file = await disk.read("f.py")
    checkpoint = await disk.begin("a turn")
    begun, go_on = threading.Event(), threading.Event()
    real = _fs.exchange

    def wait(one: str, other: str, *, at: int) -> bool:
        begun.set()
        assert go_on.wait(20)
        return real(one, other, at=at)

    monkeypatch.setattr(_fs, "exchange", wait)
    task = asyncio.create_task(disk.write(file, b"new"))
    assert await asyncio.to_thread(begun.wait, 20)
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (project / "f.py").read_bytes() == b"new"
    assert checkpoint.changed == ("f.py",)


async def test_a_wait_for_another_motet_can_be_cancelled(project: Path, state: Path, disk: DiskWorkspace) -> None:
    (project / "f.py").write_bytes(b"old")
    file = await disk.read("f.py")
    with Checkpoints(state, project).locked():
        task = asyncio.create_task(disk.write(file, b"new"))
        async with asyncio.timeout(10):  # less than the wait for the lock
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
    assert (project / "f.py").read_bytes() == b"old"


def test_the_disk_keeps_the_promise_of_a_workspace(disk: DiskWorkspace) -> None:
    promise: Workspace = disk
    assert promise.root == disk.root


@pytest.mark.parametrize("path", ["docs/a.md", "linked.md"])
async def test_a_rule_that_denies_writing_counts_whatever_a_review_said(tmp_path: Path, path: str) -> None:
    root = tmp_path / "project"
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "a.md").write_text("old\n")
    (root / "linked.md").symlink_to("docs/a.md")
    gate = Gate(root, RuleSet([Rule.parse("write:docs/*", Verdict.DENY)]), GrantStore(tmp_path / "state"))
    workspace = DiskWorkspace(root, gate=gate, checkpoints=Checkpoints(tmp_path / "state", root))
    with pytest.raises(PermissionDenied):
        await workspace.write(await workspace.read(path), b"new\n")
    assert (root / "docs" / "a.md").read_text() == "old\n"

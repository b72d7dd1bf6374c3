"""Work trees for agents: whole, on a branch of their own, and gone only when nothing is lost with them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from motet.errors import ProcessError
from motet.git import add_tree, remove_tree


def git(root: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=me", "-c", "user.email=me@example.org")
    done = subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True, timeout=60)
    return done.stdout.decode().strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "a.txt").write_bytes(b"1\r\n2\n")
    (root / "src" / "b.sh").write_text("echo\n")
    (root / "src" / "b.sh").chmod(0o755)
    (root / ".gitignore").write_text("*.log\n")
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "begin")
    return root


async def test_a_tree_has_all_files_and_is_gone_when_nothing_was_done_in_it(repository: Path, tmp_path: Path) -> None:
    place = tmp_path / "state" / "backend"
    tree = await add_tree(repository / "src", place, "motet/backend")
    assert (tree.path, tree.branch, tree.head) == (place, "motet/backend", git(repository, "rev-parse", "HEAD"))
    assert (place / "a.txt").read_bytes() == b"1\r\n2\n"
    assert (place / "src" / "b.sh").stat().st_mode & 0o100
    assert git(place, "status", "--porcelain") == ""
    assert await add_tree(repository, place, "motet/backend") == tree
    assert await remove_tree(repository, place, tree.head)
    assert not place.exists()
    assert git(repository, "branch", "--list", "motet/*") == ""
    assert await remove_tree(repository, place, tree.head)


@pytest.mark.parametrize("what", ["changed", "new", "ignored", "committed"])
async def test_a_tree_in_which_something_was_done_stays(what: str, repository: Path, tmp_path: Path) -> None:
    place = tmp_path / "state" / "backend"
    tree = await add_tree(repository, place, "motet/backend")
    name = {"changed": "a.txt", "new": "new.txt", "ignored": "run.log", "committed": "a.txt"}[what]
    (place / name).write_text("mine\n")
    if what == "committed":
        git(place, "commit", "--quiet", "-am", "mine")
    assert not await remove_tree(repository, place, tree.head)
    assert (place / name).read_text() == "mine\n"
    again = await add_tree(repository, place, "motet/backend")
    assert again.branch == "motet/backend" and (place / name).read_text() == "mine\n"


async def test_a_tree_that_was_not_filled_to_the_end_is_filled(repository: Path, tmp_path: Path) -> None:
    place = tmp_path / "backend"
    git(repository, "worktree", "add", "--quiet", "--no-checkout", "-b", "motet/backend", str(place))
    await add_tree(repository, place, "motet/backend")
    assert git(place, "status", "--porcelain") == ""
    assert (place / "a.txt").exists()


async def test_nothing_that_the_repository_configures_is_run(repository: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    (repository / ".gitattributes").write_text("* filter=evil\n")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "attributes")
    for name in ("smudge", "clean", "process"):
        git(repository, "config", f"filter.evil.{name}", f"sh -c 'touch {ran}; cat'")
    hook = repository / ".git" / "hooks" / "post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)
    tree = await add_tree(repository, tmp_path / "backend", "motet/backend")
    assert await remove_tree(repository, tree.path, tree.head)
    assert not ran.exists()


async def test_where_there_can_be_no_tree_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(ProcessError, match="is in no git repository"):
        await add_tree(tmp_path, tmp_path / "x", "motet/x")
    git(tmp_path, "init", "--quiet")
    with pytest.raises(ProcessError, match="has no commit yet"):
        await add_tree(tmp_path, tmp_path / "x", "motet/x")

"""Git as plumbing: roots, files, attributes, and a repository that wants more than that."""

from __future__ import annotations

import hashlib
import os
import struct
import subprocess
from pathlib import Path

import pytest

from motet import git
from motet.errors import ProcessError


def run(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    run(root, "init")
    (root / "sub").mkdir()
    (root / "a.py").write_bytes(b"a = 1\n")
    (root / "sub/b.py").write_bytes(b"b = 1\n")
    run(root, "add", "-A")
    run(root, "commit", "-m", "one")
    return root


async def test_the_root_is_found_from_files_and_directories_below(repository: Path) -> None:
    for start in (repository, repository / "sub", repository / "sub/b.py", repository / "sub/absent"):
        assert await git.find_root(start) == repository


async def test_outside_of_a_work_tree_there_is_no_root(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()  # empty: no repository
    assert await git.find_root(tmp_path) is None


async def test_a_linked_work_tree_has_a_root_of_its_own(repository: Path, tmp_path: Path) -> None:
    run(repository, "worktree", "add", str(tmp_path / "linked"))
    assert await git.find_root(tmp_path / "linked/sub") == tmp_path / "linked"
    assert await git.list_files(tmp_path / "linked") == ["a.py", "sub/b.py"]


async def test_a_strangers_repository_above_is_no_root(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make a repository of somebody else")
    run(tmp_path, "init")
    (tmp_path / "mine").mkdir()
    os.chown(tmp_path / ".git", 12345, 12345)
    assert await git.find_root(tmp_path / "mine") is None


async def test_files_are_tracked_ones_and_untracked_ones_that_are_not_ignored(repository: Path) -> None:
    (repository / ".gitignore").write_bytes(b"*.log\n")
    (repository / ".git/info/exclude").write_bytes(b"private\n")
    for name in ("new.py", "x.log", "private", os.fsdecode(b"caf\xe9"), "日本 語.py", "new\nline"):
        (repository / name).write_bytes(b"")
    assert await git.list_files(repository) == sorted(
        [".gitignore", "a.py", os.fsdecode(b"caf\xe9"), "new\nline", "new.py", "sub/b.py", "日本 語.py"]
    )
    assert await git.list_files(repository, ["sub"]) == ["sub/b.py"]
    assert await git.list_files(repository, ["*.py"]) == []


async def test_the_users_own_ignore_file_counts(repository: Path, home: Path) -> None:
    (home / "ignored").write_bytes(b"*.mine\n")
    with (home / ".gitconfig").open("a") as config:
        config.write(f"[core]\n\texcludesFile = {home / 'ignored'}\n")
    (repository / "x.mine").write_bytes(b"")
    assert await git.list_files(repository) == ["a.py", "sub/b.py"]


async def test_attributes_tell_which_paths_have_them(repository: Path) -> None:
    (repository / ".gitattributes").write_bytes(b"*.py mark\nsub/** -mark\nc.txt mark=true\nd.txt mark=false\n")
    paths = ["a.py", "sub/b.py", "c.txt", "d.txt", "e.txt"]
    assert await git.with_attribute(repository, paths, ["mark", "other"]) == {"a.py", "c.txt"}
    assert await git.with_attribute(repository, [], ["mark"]) == set()


async def test_what_is_no_repository_is_an_error_of_one_line(tmp_path: Path) -> None:
    with pytest.raises(ProcessError, match=r"^git ls-files in .*: fatal: not a git repository[^\n]*$"):
        await git.list_files(tmp_path)


async def test_the_callers_git_variables_point_nowhere(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    run(other, "init")
    for name, value in {
        "GIT_DIR": str(other / ".git"),
        "GIT_WORK_TREE": str(other),
        "GIT_INDEX_FILE": str(other / "index"),
        "GIT_LITERAL_PATHSPECS": "0",
    }.items():
        monkeypatch.setenv(name, value)
    assert await git.list_files(repository) == ["a.py", "sub/b.py"]


# --- a repository that wants more --------------------------------------------------------------------------------

HOSTILE = """
[core]
    fsmonitor = {run}
    hooksPath = {hooks}
    sshCommand = {run}
    pager = {run}
    editor = {run}
    askPass = {run}
    gitProxy = {run}
    alternateRefsCommand = {run}
    attributesFile = {hooks}/attributes
[alias]
    ls-files = !{run}
    check-attr = !{run}
[pager]
    ls-files = {run}
[diff]
    external = {run}
[diff "evil"]
    textconv = {run}
    command = {run}
[filter "evil"]
    clean = {run}
    smudge = {run}
    process = {run}
    required = true
[merge "evil"]
    driver = {run}
[credential]
    helper = !{run}
[gpg]
    program = {run}
[sequence]
    editor = {run}
[remote "origin"]
    url = ext::{run}
    promisor = true
    partialclonefilter = blob:none
[protocol "ext"]
    allow = always
[extensions]
    partialClone = origin
[core]
    repositoryformatversion = 1
"""


async def test_nothing_that_a_repository_configures_is_run(repository: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    program = hooks / "program"
    program.write_text(f'#!/bin/sh\necho "$0 $@" >> {ran}\n')
    program.chmod(0o755)
    for hook in ("post-index-change", "pre-commit", "post-checkout", "fsmonitor-watchman", "reference-transaction"):
        for place in (hooks, repository / ".git/hooks"):
            (place / hook).write_bytes(program.read_bytes())
            (place / hook).chmod(0o755)
    (repository / ".gitattributes").write_bytes(b"* filter=evil diff=evil merge=evil\n")
    (repository / "a.py").write_bytes(b"a = 2\n")
    with (repository / ".git/config").open("a") as config:
        config.write(HOSTILE.format(run=program, hooks=hooks))
    assert program_runs_without_care(repository, ran)

    assert await git.find_root(repository / "sub") == repository
    assert await git.list_files(repository) == [".gitattributes", "a.py", "sub/b.py"]
    assert await git.with_attribute(repository, ["a.py"], ["filter"]) == set()
    assert not ran.exists()


def program_runs_without_care(repository: Path, ran: Path) -> bool:
    """The trap is real: plain git falls into it."""
    subprocess.run(["git", "status"], cwd=repository, capture_output=True, check=False)
    fell = ran.exists()
    ran.unlink(missing_ok=True)
    return fell


async def test_a_work_tree_that_the_repository_puts_elsewhere_is_not_listed(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/secret").write_bytes(b"")
    run(repository, "config", "core.worktree", str(tmp_path / "elsewhere"))
    assert await git.list_files(repository) == ["a.py", "sub/b.py"]


async def test_names_that_a_tampered_index_puts_outside_are_left_out(repository: Path) -> None:
    names = [b"../../etc/passwd", b"/etc/passwd", b"a.py", b"sub/../../x", b"sub//y"]
    write_index(repository / ".git/index", sorted(names))
    assert await git.list_files(repository) == ["a.py", "sub/b.py"]


def write_index(path: Path, names: list[bytes]) -> None:
    """An index of version 2 (gitformat-index), with no check of the names."""
    body = struct.pack(">4sII", b"DIRC", 2, len(names))
    for name in names:
        entry = struct.pack(">10I20sH", *[0] * 6, 0o100644, *[0] * 3, hashlib.sha1(b"").digest(), len(name)) + name
        body += entry + b"\0" * (8 - len(entry) % 8)
    path.write_bytes(body + hashlib.sha1(body).digest())


async def test_a_git_that_lies_in_the_project_is_not_the_one_that_runs(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = tmp_path / "ran"
    (repository / "bin").mkdir()
    (repository / "bin/git").write_text(f"#!/bin/sh\ntouch {ran}\n")
    (repository / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{repository / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(repository)
    assert "a.py" in await git.list_files(repository)
    assert not ran.exists()


async def test_listing_writes_nothing_into_the_repository(repository: Path) -> None:
    def state() -> dict[str, int]:
        return {str(path): path.stat().st_mtime_ns for path in (repository / ".git").rglob("*")}

    os.utime(repository / "a.py", (1, 1))  # the index would like a refresh
    before = state()
    await git.list_files(repository)
    assert state() == before

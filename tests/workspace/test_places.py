"""What a user types, and from where."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from motet.errors import UsageError
from motet.workspace import find_workspace, resolve_user_path


@pytest.fixture
def tree(project: Path) -> Path:
    (project / "src").mkdir()
    (project / "src/a.py").write_bytes(b"x")
    (project / "b.py").write_bytes(b"x")
    (project / "link.py").symlink_to("src/a.py")
    return project


@pytest.mark.parametrize(
    ("cwd", "text", "path"),
    [
        (".", "src/a.py", "src/a.py"),
        (".", "./src//a.py", "src/a.py"),
        (".", ".", "."),
        (".", "src/", "src"),
        ("src", "a.py", "src/a.py"),
        ("src", "../b.py", "b.py"),
        ("src", "..", "."),
        (".", "link.py", "link.py"),
    ],
)
def test_a_typed_path_is_relative_to_where_the_user_stands(tree: Path, cwd: str, text: str, path: str) -> None:
    assert resolve_user_path(tree, tree / cwd, text) == path


def test_absolute_paths_home_and_other_ways_to_the_root_are_understood(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "way").symlink_to(tree)
    monkeypatch.setenv("HOME", str(tree))
    for text in (str(tree / "src/a.py"), str(tmp_path / "way/src/a.py"), "~/src/a.py"):
        assert resolve_user_path(tree, tmp_path, text) == "src/a.py"
    assert resolve_user_path(tmp_path / "way", tmp_path / "way/src", "a.py") == "src/a.py"


@pytest.mark.parametrize("text", ["absent.py", "", "a\0b", "src/a.py/x", "~nobody-here/x", "x" * 300, "loop"])
def test_a_path_that_leads_nowhere_is_a_usage_error_of_one_line(tree: Path, text: str) -> None:
    (tree / "loop").symlink_to("loop")
    with pytest.raises(UsageError) as caught:
        resolve_user_path(tree, tree, text)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("text", ["..", "../outside.py", "/etc/passwd", "out.py", "/"])
def test_a_path_outside_is_a_usage_error(tree: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "outside.py").write_bytes(b"x")
    (tree / "out.py").symlink_to("../outside.py")
    with pytest.raises(UsageError, match="outside of the workspace"):
        resolve_user_path(tree, tree, text)


def test_the_workspace_is_the_git_root_or_where_one_stands(tree: Path) -> None:
    assert find_workspace(tree / "src") == tree / "src"
    subprocess.run(["git", "init"], cwd=tree, check=True, capture_output=True)
    assert find_workspace(tree / "src") == tree


def test_the_workspace_has_no_links_in_its_path(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "way").symlink_to(tree)
    assert find_workspace(tmp_path / "way") == Path(os.path.realpath(tree))

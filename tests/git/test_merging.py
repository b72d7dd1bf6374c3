"""What work trees changed on two sides, and what a merge would say: nothing of the repository is written or run."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

from motet.errors import ProcessError
from motet.git import overlaps

IDENTITY = ("-c", "user.name=me", "-c", "user.email=me@example.org")


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *IDENTITY, *arguments], cwd=root, check=True, capture_output=True, timeout=60)


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """A repository with a linked work tree beside it (`one`), and another one inside (`inner/two`)."""
    root = tmp_path / "main"
    root.mkdir()
    git(root, "init", "--quiet", "--initial-branch=main")
    (root / "a.txt").write_text("1\n2\n3\n4\n5\n6\n7\n8\n9\n")
    (root / "ü [x].txt").write_text("x\n")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "begin")
    git(root, "worktree", "add", "--quiet", "-b", "one", "../one")
    git(root, "worktree", "add", "--quiet", "-b", "two", "inner/two")
    return root


def stored(root: Path) -> dict[str, str]:
    """What stands in the repository, by path."""
    files = [path for path in (root / ".git").rglob("*") if path.is_file()]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


async def found(root: Path) -> list[tuple[str, str, tuple[str, ...], list[str]]]:
    return [
        (each.one.branch, each.other.branch, each.files, [conflict.text for conflict in each.conflicts])
        for each in await overlaps(root)
    ]


async def test_nothing_is_told_where_nothing_was_changed_on_two_sides(main: Path) -> None:
    (main.parent / "one" / "a.txt").write_text("one\n")
    assert await found(main) == []


async def test_what_would_conflict_is_told_committed_or_not(main: Path) -> None:
    one, two = main.parent / "one", main / "inner" / "two"
    (one / "a.txt").write_text("one\n2\n3\n4\n5\n6\n7\n8\n9\n")
    git(one, "commit", "--quiet", "-a", "-m", "one")
    (two / "a.txt").write_text("two\n2\n3\n4\n5\n6\n7\n8\n9\n")
    (two / "ü [x].txt").write_text("two\n")
    (one / "ü [x].txt").unlink()
    before = stored(main)
    expected = [
        (
            *("two", "one", ("a.txt", "ü [x].txt")),
            [
                "CONFLICT (content): Merge conflict in a.txt",
                "CONFLICT (modify/delete): ü [x].txt deleted in one and modified in two.  Version two of ü [x].txt "
                "left in tree.",
            ],
        )
    ]
    assert await found(main) == expected
    assert await found(two) == expected  # from wherever one stands
    assert stored(main) == before


async def test_changes_in_different_places_of_a_file_would_merge(main: Path) -> None:
    (main.parent / "one" / "a.txt").write_text("one\n2\n3\n4\n5\n6\n7\n8\n9\n")
    (main / "a.txt").write_text("1\n2\n3\n4\n5\n6\n7\n8\nmain\n")
    assert await found(main) == [("main", "one", ("a.txt",), [])]


async def test_new_files_of_one_name_conflict(main: Path) -> None:
    for place, text in ((main, "main\n"), (main / "inner" / "two", "two\n")):
        (place / "new.txt").write_text(text)
    assert await found(main) == [("main", "two", ("new.txt",), ["CONFLICT (add/add): Merge conflict in new.txt"])]


async def test_what_a_repository_configures_is_not_run(main: Path) -> None:
    trap = main.parent / "trap"
    program = f"touch {trap}; cat"
    for key in ("filter.evil.clean", "merge.evil.driver", "core.fsmonitor", "diff.external", "filter.evil.process"):
        git(main, "config", key, program)
    (main / ".gitattributes").write_text("*.txt filter=evil merge=evil\n")
    for place, text in ((main, "main\n"), (main.parent / "one", "one\n")):
        (place / "a.txt").write_text(text)
        (place / ".gitattributes").write_text("*.txt filter=evil merge=evil\n")
    assert [texts for *_, texts in await found(main)] == [["CONFLICT (content): Merge conflict in a.txt"]]
    assert not trap.exists()


async def test_outside_of_a_repository_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(ProcessError) as caught:
        await overlaps(tmp_path)
    assert str(caught.value) == f"{tmp_path}: is in no git repository; work trees are what can be compared"


async def test_one_work_tree_has_nothing_beside_it(main: Path) -> None:
    git(main, "worktree", "remove", "--force", "inner/two")
    (main.parent / "one").rename(main.parent / "moved")  # it is lost to git
    assert await overlaps(main) == []

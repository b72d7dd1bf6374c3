"""`motet agents conflicts`: whose work trees changed the same files, and whether that would merge."""

from __future__ import annotations

import subprocess
from pathlib import Path

from cli.boards_kit import SETTINGS, Board
from cli.kit import Project


def git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=me", "-c", "user.email=me@example.org")
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True, timeout=60)


def repository(project: Project) -> tuple[Path, Path]:
    """The project as a repository, with two linked work trees beside it."""
    project.write({"a.txt": "1\n2\n3\n"})
    git(project.root, "init", "--quiet", "--initial-branch=main")
    git(project.root, "add", ".")
    git(project.root, "commit", "--quiet", "-m", "begin")
    trees = [project.root.parent / name for name in ("one", "two")]
    for tree in trees:
        git(project.root, "worktree", "add", "--quiet", "-b", tree.name, str(tree))
    return trees[0], trees[1]


def test_what_two_agents_changed_is_named_with_the_conflict_of_a_merge(project: Project) -> None:
    one, two = repository(project)
    done = project.here("agents", "conflicts")
    assert (done.code, done.out, done.err) == (
        0, "", "No file was changed in two work trees of this repository.\n",
    )  # fmt: skip
    project.settings(SETTINGS)
    agents = [Board(project).add(tree.name, workspace=str(tree)) for tree in (one, two)]
    for tree in (one, two):
        (tree / "a.txt").write_text(f"{tree.name}\n2\n3\n")
    done = project.here("agents", "conflicts", cwd="../two")
    assert (done.code, done.err) == (1, "")
    assert done.out == (
        f"{agents[0]} (one) and {agents[1]} (two): would conflict\n"
        "  both changed  a.txt\n"
        "  CONFLICT (content): Merge conflict in a.txt\n"
    )
    (event,) = project.here("agents", "conflicts", "--json").events
    assert (event["event"], event["files"], event["one"]["agents"], event["other"]["path"]) == (
        "overlap", ["a.txt"], [agents[0]], str(two),
    )  # fmt: skip
    assert event["conflicts"] == [
        {"paths": ["a.txt"], "kind": "CONFLICT (contents)", "text": "CONFLICT (content): Merge conflict in a.txt"}
    ]
    (two / "a.txt").write_text("1\n2\ntwo\n")
    done = project.here("agents", "conflicts")
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{agents[0]} (one) and {agents[1]} (two): would merge\n  both changed  a.txt\n"


def test_outside_of_a_repository_that_is_said(project: Project) -> None:
    done = project.here("agents", "conflicts")
    assert (done.code, done.out, done.err) == (
        *(1, ""),
        f"motet: {project.root}: is in no git repository; work trees are what can be compared\n",
    )

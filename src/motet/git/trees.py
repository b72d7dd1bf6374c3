"""Linked work trees that motet makes for agents: made and filled without running anything that the repository configures,
and taken away again only when nothing stands in them that is nowhere else."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from motet.errors import ProcessError
from motet.git.merging import Scratch, WorkTree, work_trees
from motet.git.repository import main_work_tree, work_tree
from motet.git.safe import git


async def add_tree(start: Path, place: Path, branch: str) -> WorkTree:
    """A work tree at `place`, on `branch`, which begins where the work tree around `start` stands when it is not there
    yet; one that is there already is left as it is. Raises `ProcessError`."""
    here, main = work_tree(start), main_work_tree(start)
    if here is None or main is None:
        raise ProcessError(f"{start}: is in no git repository; a work tree of its own needs one")
    if (found := await _tree_at(main, place)) is not None:
        await _fill(main, found)
        return found
    head = (await git(here, "rev-parse", "--verify", "--quiet", "HEAD", codes=(0, 1))).decode().strip()
    if not head:
        raise ProcessError(f"{start}: the repository has no commit yet; a work tree of its own needs one")
    known = await git(main, "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}", codes=(0, 1))
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    how = [str(place), branch] if known.strip() else ["-b", branch, str(place), head]
    await git(main, "worktree", "add", "--quiet", "--no-checkout", *how)
    tree = await _tree_at(main, place)
    if tree is None:
        raise ProcessError(f"git worktree add in {main}: {place} is not there; remove it from `git worktree list`")
    await _fill(main, tree)
    return tree


async def _fill(main: Path, tree: WorkTree) -> None:
    """Write its files, through a repository of our own: filters of the real one are programs. The index comes last, so
    that a tree without one is one that was not filled to the end."""
    said = await git(tree.path, "rev-parse", "--git-path", "index")
    index = tree.path / os.fsdecode(said).rstrip("\n")
    if index.exists():
        return
    with tempfile.TemporaryDirectory(prefix="motet-tree-") as directory:
        scratch = Scratch(main, Path(directory), (tree,))
        scratch.make()
        filled = Path(directory) / "index"
        for arguments in (("read-tree", tree.head), ("checkout-index", "--all", "--force", "--quiet", "-u")):
            await git(tree.path, *arguments, repository=scratch.place, index=filled)
        written = index.with_name("index.motet")
        shutil.copyfile(filled, written)
        written.replace(index)


async def remove_tree(start: Path, place: Path, base: str) -> bool:
    """Take the work tree at `place` away, with its branch, when it still is what it was at the commit `base` and holds no
    other file, ignored ones included; whether it is gone. Raises `ProcessError`."""
    main = main_work_tree(start)
    tree = await _tree_at(main, place) if main is not None else None
    if main is None or tree is None:
        return not place.exists()
    if tree.head != base or await _has_more(main, tree):
        return False
    await git(main, "worktree", "remove", "--force", str(place))
    if tree.branch:
        await git(main, "update-ref", "-d", f"refs/heads/{tree.branch}", base)
    return True


async def _has_more(main: Path, tree: WorkTree) -> bool:
    """Whether anything was changed, or is there that no commit holds."""
    with tempfile.TemporaryDirectory(prefix="motet-tree-") as directory:
        scratch = Scratch(main, Path(directory), (tree,))
        scratch.make()
        state = await scratch.state(tree)
        if (await scratch.git("diff-tree", "-r", "--name-only", tree.head, state)).strip():
            return True
        index = scratch.place / "index-0"
        others = await git(tree.path, "ls-files", "--others", repository=scratch.place, index=index)
        return bool(others.strip())


async def _tree_at(main: Path, place: Path) -> WorkTree | None:
    real = Path(os.path.realpath(place))
    trees = await work_trees(main)
    return next((tree for tree in trees if Path(os.path.realpath(tree.path)) == real), None)

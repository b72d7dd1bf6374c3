"""Packages of the registries, in five languages: indexed, asked, changed in every way, and still as if read anew.

Each is fetched once. Where a registry cannot be reached the test is skipped, which CI does not allow.
"""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from index_kit import git, holds, paths
from real_trees import TREES, RealTree, TreeError, copied

from motet.index.project import ProjectIndex

WORDS = ["zyxomma", "quokkaplane", "vexilloid", "parse", "error", "test", "list", "string"]


@pytest.fixture(params=TREES, ids=lambda tree: tree.package)
def tree(request: pytest.FixtureRequest) -> RealTree:
    return request.param


@pytest.fixture
def root(tree: RealTree, tmp_path: Path) -> Path:
    try:
        root = copied(tree, tmp_path.resolve() / "project")
    except TreeError as error:
        pytest.skip(f"no registry: {error}")
    git(root, "init", "-q", "-b", "one")
    git(root, "config", "gc.auto", "0")
    git(root, "add", "-A", "-f")
    git(root, "commit", "-q", "-m", "all")
    return root


def first_places(index: ProjectIndex, question: str) -> list[str]:
    return paths(index, question, 5)


def commented(root: Path, path: str, word: str) -> None:
    """Write `word` into the file, at its end."""
    with (root / path).open("a") as file:
        file.write(f"\n// {word}\n")


@pytest.mark.acceptance("AV-03", "VC-01")
def test_a_real_tree_is_found_in_whatever_was_done_to_it(tree: RealTree, root: Path, tmp_path: Path) -> None:
    index, fresh = (ProjectIndex(root, tmp_path / home) for home in ("kept", "fresh"))
    name = tree.changed.rpartition("/")[2]
    try:
        assert tree.answer in first_places(index, tree.question)
        status = asyncio.run(index.status())
        print(f"{tree.package} ({tree.language}): {status.files} files, {status.lines} lines, {status.chunks} chunks")

        commented(root, tree.changed, "zyxomma")
        assert first_places(index, "zyxomma") == [tree.changed]

        renamed = tree.changed.removesuffix(name) + f"renamed_{name}"
        (root / tree.changed).rename(root / renamed)
        assert first_places(index, "zyxomma") == [renamed]

        git(root, "checkout", "-q", "-b", "two")
        commented(root, tree.answer, "quokkaplane")
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", "more")
        assert first_places(index, "quokkaplane") == [tree.answer]
        git(root, "checkout", "-q", "one")
        assert first_places(index, "quokkaplane") == first_places(index, "zyxomma") == []
        git(root, "checkout", "-q", "two")
        assert (first_places(index, "quokkaplane"), first_places(index, "zyxomma")) == ([tree.answer], [renamed])

        below = [path for path in (path for path, _ in index.paths()) if path.startswith(f"{tree.moved}/")]
        shutil.move(root / tree.moved, root / "elsewhere")
        asyncio.run(index.update())
        now = {path for path, _ in index.paths()}
        assert below and now.isdisjoint(below)
        assert now.issuperset(f"elsewhere{path.removeprefix(tree.moved)}" for path in below)

        gone = next(path for path in sorted(now) if path.endswith(renamed.rpartition("/")[2]))
        (root / gone).unlink()
        assert first_places(index, "zyxomma") == []

        kept = next(path for path in sorted(now - {gone}))
        text = (root / kept).read_text("utf-8", "replace")
        asyncio.run(index.update(texts={kept: f"{text}\nvexilloid\n"}))
        assert first_places(index, "vexilloid") == [kept] and "vexilloid" not in (root / kept).read_text()
        asyncio.run(index.update(texts={}))
        assert first_places(index, "vexilloid") == []

        asyncio.run(fresh.update())
        assert holds(index.stores, WORDS, scored=False) == holds(fresh.stores, WORDS, scored=False)
    finally:
        asyncio.run(index.close())
        asyncio.run(fresh.close())

"""An index that was kept up equals one that was made anew, whatever happened to the files between."""

import asyncio
import os
import random
import shutil
from pathlib import Path

import pytest
from index_kit import git, holds, put, settled

from motet.index import history
from motet.index.keeping import Keeper
from motet.index.membership import list_members
from motet.index.project import ProjectIndex
from motet.index.stores import Stores, open_stores
from motet.index.values import Found

# As they are when tests are collected: each test is rid of such variables.
SEEDS = int(os.environ.get("MOTET_INDEX_SEEDS", "2"))
CHANGES = int(os.environ.get("MOTET_INDEX_CHANGES", "60"))
WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "検索", "設定", "parse", "config"]
NAMES = ["a.py", "b.go", "c.md", "sub/d.rs", "sub/e.py", "sub/deep/f.c", "tests/test_g.py", "日本.txt", "h i.py"]


def text(rng: random.Random) -> str:
    lines: list[str] = []
    for _ in range(rng.randrange(1, 120)):
        if rng.random() < 0.15:
            lines.append(f"def {rng.choice(WORDS[:6])}_{rng.choice(WORDS[8:])}():")
        else:
            lines.append("    " + " ".join(rng.choices(WORDS, k=rng.randrange(1, 9))))
    return "\n".join(lines) + "\n"


class Tree:
    """A work tree, and random changes of it."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.rng = random.Random(seed)
        self.buffers: dict[str, str] = {}

    def some(self) -> Path | None:
        found = sorted(path for path in self.root.rglob("*") if path.is_file() and ".git" not in path.parts)
        return self.rng.choice(found) if found else None

    def change(self) -> None:
        """One change: written, renamed, deleted, moved, ignored, switched, or text in an editor."""
        path = self.root / self.rng.choice(NAMES)
        match self.rng.randrange(14):
            case 0 | 1 | 2 | 3:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text(self.rng))
            case 4:
                if (other := self.some()) is not None:
                    other.unlink()
            case 5:
                if (other := self.some()) is not None and other != path:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    shutil.move(other, path)
            case 6:
                (self.root / ".gitignore").write_text("\n".join(self.rng.sample(["*.go", "sub/", "c.md", "*.py"], 2)))
            case 7:
                (self.root / ".motetignore").write_text("\n".join(self.rng.sample(["*.rs", "sub/deep/", "b.go"], 1)))
            case 8:
                git(self.root, "add", "-A", "-f")
                git(self.root, "commit", "-q", "--allow-empty", "-m", self.rng.choice(WORDS))
                git(self.root, "checkout", "-q", "-B", self.rng.choice(["one", "two"]))
            case 9:
                git(self.root, "checkout", "-q", "-f", self.rng.choice(["one", "two"]))
            case 10:
                self.move_directory()
            case 11:
                shutil.rmtree(self.root / self.rng.choice(["sub", "tests", "sub/deep", "moved"]), ignore_errors=True)
            case 12:
                if (other := self.some()) is not None:
                    name = other.relative_to(self.root).as_posix()
                    self.buffers[name] = text(self.rng)
            case _:
                if (other := self.some()) is not None:
                    data = other.read_bytes()
                    os.utime(other, (1, 1))
                    other.write_bytes(data)  # touched, not changed

    def move_directory(self) -> None:
        """Away, back, or to another name."""
        away = self.root.parent / "away"
        places = [self.root / "sub", self.root / "tests", self.root / "moved", self.root / "tests/sub", away]
        one, other = self.rng.sample(places, 2)
        if one.is_dir() and not other.exists() and other.parent.is_dir() and one not in other.parents:
            one.rename(other)


@pytest.fixture
def stores() -> Stores:
    return open_stores(None)


def refresh(stores: Stores, root: Path, buffers: dict[str, str]) -> None:
    Keeper(root, stores).update(asyncio.run(list_members(root)), buffers)


@pytest.mark.acceptance("VC-01")
@pytest.mark.parametrize("seed", range(SEEDS))
def test_an_index_that_was_kept_up_equals_a_fresh_one_after_random_changes(seed: int, project: Path) -> None:
    git(project, "init", "-q", "-b", "one")
    git(project, "commit", "-q", "--allow-empty", "-m", "begin")
    git(project, "branch", "two")
    tree, kept = Tree(project, seed), open_stores(None)
    for step in range(CHANGES):
        tree.change()
        if tree.rng.random() < 0.3:
            tree.buffers.clear()
        refresh(kept, project, tree.buffers)
        if step % 10 == 9:
            fresh = open_stores(None)
            refresh(fresh, project, tree.buffers)
            assert holds(kept, WORDS) == holds(fresh, WORDS), f"seed {seed}, step {step}"


@pytest.mark.acceptance("VC-01")
@pytest.mark.parametrize("seed", range(SEEDS))
async def test_an_index_that_follows_the_files_equals_a_fresh_one_after_random_changes(
    seed: int, project: Path, tmp_path: Path
) -> None:
    git(project, "init", "-q", "-b", "one")
    git(project, "commit", "-q", "--allow-empty", "-m", "begin")
    git(project, "branch", "two")
    tree, index = Tree(project, 1000 + seed), ProjectIndex(project, tmp_path / "home")
    following = index.follow()
    await settled(following)
    for step in range(CHANGES):
        before = dict(tree.buffers)
        tree.change()
        if tree.rng.random() < 0.3:
            tree.buffers.clear()
        if before != tree.buffers:  # told by the editor, not by the system
            await index.update_paths(sorted(before | tree.buffers), tree.buffers)
        if step % 3 == 0:
            await following.settle()
            await answered(index, None)  # from then on it knows the files, and keeps that up
        if step % 10 == 9:
            await settled(following)
            fresh = open_stores(None)
            Keeper(project, fresh).update(await list_members(project), tree.buffers)
            assert holds(index.stores, WORDS) == holds(fresh, WORDS), f"seed {seed}, step {step}"
            other = ProjectIndex(project, tmp_path / "home")
            assert await answered(index, None) == await answered(other, tree.buffers), f"seed {seed}, step {step}"
            await other.close()
    await index.close()


async def answered(index: ProjectIndex, texts: dict[str, str] | None) -> list[Found]:
    """What the index answers as it is."""
    return list((await index.search(" ".join(WORDS), 100, patience=0, texts=texts)).found)


@pytest.mark.acceptance("VC-01", "AV-03")
def test_only_the_file_that_changed_is_read_again(project: Path, stores: Stores) -> None:
    put(project, {"a.py": "def alpha(): pass\n", "b.py": "def beta(): pass\n" * 4_000})
    for name in ("a.py", "b.py"):
        os.utime(project / name, (1_000, 1_000))
    refresh(stores, project, {})
    ids = {path: row.id for path, row in stores.catalog.rows().items()}
    put(project, {"a.py": "def gamma(): pass\n"})
    change = Keeper(project, stores).update(asyncio.run(list_members(project)))
    assert (change.read, change.indexed, change.gone) == (1, 1, 0)
    after = {path: row.id for path, row in stores.catalog.rows().items()}
    assert after["b.py"] == ids["b.py"] and after["a.py"] != ids["a.py"]
    assert stores.chunks.search([("body", "alpha", 1.0)], 9) == []


def test_words_of_what_was_replaced_count_no_more(project: Path, stores: Stores) -> None:
    put(project, {"a.py": "alpha = beta\n" * 9, "b.py": "alpha = gamma\n" * 9, "c.py": "gamma = delta\n" * 9})
    refresh(stores, project, {})
    for written in ("gamma = zeta\n", "gamma = epsilon + 1\n", "alpha = gamma\n", "alpha = beta + 22\n"):
        put(project, {"a.py": written * 9})
        refresh(stores, project, {})
    fresh = open_stores(None)
    refresh(fresh, project, {})
    assert holds(stores, WORDS) == holds(fresh, WORDS)


def test_a_file_that_was_only_touched_keeps_its_documents(project: Path, stores: Stores) -> None:
    put(project, {"a.py": "x = 1\n"})
    refresh(stores, project, {})
    os.utime(project / "a.py", (1_000, 1_000))
    change = Keeper(project, stores).update(asyncio.run(list_members(project)))
    assert (change.read, change.indexed) == (1, 0)


def test_text_in_an_editor_goes_before_the_disk_and_back(project: Path, stores: Stores) -> None:
    put(project, {"a.py": "alpha = 1\n"})
    refresh(stores, project, {"a.py": "beta = 1\n"})
    assert stores.chunks.search([("body", "alpha", 1.0)], 9) == []
    assert len(stores.chunks.search([("body", "beta", 1.0)], 9)) == 1
    refresh(stores, project, {})
    assert len(stores.chunks.search([("body", "alpha", 1.0)], 9)) == 1
    assert stores.chunks.search([("body", "beta", 1.0)], 9) == []


def test_a_document_of_a_killed_writer_is_forgotten_and_its_file_read_again(project: Path, stores: Stores) -> None:
    put(project, {"a.py": "alpha = 1\n"})
    refresh(stores, project, {})
    (row,) = stores.catalog.rows().values()
    stores.catalog.announce([row.id, row.id + 1])  # what a writer says before it is killed
    stores.chunks.remove([row.id])
    stores.chunks.add(row.id + 1, 1, 1, {"body": "ghost", "names": "", "path": "a py"})
    stores.chunks.commit()
    keeper = Keeper(project, stores)
    keeper.mend()
    keeper.update(asyncio.run(list_members(project)))
    assert stores.chunks.search([("body", "ghost", 1.0)], 9) == []
    assert len(stores.chunks.search([("body", "alpha", 1.0)], 9)) == 1
    assert stores.catalog.pending() == [] and stores.catalog.rows()["a.py"].id > row.id + 1


async def test_commits_are_read_once_and_anew_when_history_was_rewritten(project: Path, stores: Stores) -> None:
    git(project, "init", "-q", "-b", "main")
    for number in range(3):
        put(project, {f"f{number}.py": f"x = {number}\n"})
        git(project, "add", "-A")
        git(project, "commit", "-q", "-m", f"Say {WORDS[number]}")
    newest, commits, all_new = await history.read_commits(project, "")
    assert all_new and [(one.message.strip(), one.paths) for one in commits] == [
        ("Say alpha", ("f0.py",)),
        ("Say beta", ("f1.py",)),
        ("Say gamma", ("f2.py",)),
    ]
    history.keep(stores, newest, commits, all_new=all_new)
    assert history.prior(stores, [("beta", 1.0)]) == {"f1.py": 1.0}
    put(project, {"f3.py": "x = 3\n"})
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "Say delta")
    newest, commits, all_new = await history.read_commits(project, newest)
    assert not all_new and [one.message.strip() for one in commits] == ["Say delta"]
    history.keep(stores, newest, commits, all_new=all_new)
    git(project, "reset", "-q", "--hard", "HEAD~2")
    git(project, "commit", "-q", "--allow-empty", "-m", "Say nothing")
    newest, commits, all_new = await history.read_commits(project, newest)
    assert all_new
    history.keep(stores, newest, commits, all_new=all_new)
    assert history.prior(stores, [("delta", 1.0)]) == {} and history.prior(stores, [("beta", 1.0)]) == {"f1.py": 1.0}

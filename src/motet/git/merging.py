"""What linked work trees of one repository have changed on two sides, and whether that would merge.

What is not committed counts too. All is done in a repository of its own in a temporary directory, which borrows the
objects of the real one: nothing of that is written, and nothing that it configures is run. Submodules are left out.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from motet.errors import ProcessError
from motet.git.repository import main_work_tree
from motet.git.safe import git

_SHA256 = 64
_GITLINK = b"160000"
_NOTHING = b"\0\0"


@dataclass(frozen=True, slots=True)
class WorkTree:
    """One work tree. `branch` is empty where none is checked out; `head` is a commit."""

    path: Path
    head: str
    branch: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """What a merge says of some files: `CONFLICT (content)`, …"""

    paths: tuple[str, ...]
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two work trees that changed the same files since they parted, and the conflicts of merging them."""

    one: WorkTree
    other: WorkTree
    files: tuple[str, ...]
    conflicts: tuple[Conflict, ...]


async def overlaps(start: Path) -> list[Overlap]:
    """All pairs of work trees of the repository around `start` that changed a file on both sides, or conflict. Raises
    `ProcessError`: it is no repository, or git cannot do it."""
    main = main_work_tree(start)
    if main is None:
        raise ProcessError(f"{start}: is in no git repository; work trees are what can be compared")
    trees = await work_trees(main)
    if len(trees) < 2:
        return []
    with tempfile.TemporaryDirectory(prefix="motet-merge-") as place:
        scratch = Scratch(main, Path(place), tuple(trees))
        scratch.make()
        states = [await scratch.state(tree) for tree in trees]
        pairs = combinations(zip(trees, states, strict=True), 2)
        found = [await scratch.compare(one, other) for one, other in pairs]
    return [one for one in found if one is not None]


async def work_trees(root: Path) -> list[WorkTree]:
    """The work trees of the repository of `root` that are there and have a commit, the main one first."""
    answer = await git(root, "worktree", "list", "--porcelain", "-z")
    found: list[WorkTree] = []
    for record in answer.split(b"\0\0"):
        parts = [line.partition(b" ") for line in record.split(b"\0") if line]
        fields = {name: value for name, _, value in parts}
        path, head = Path(os.fsdecode(fields.get(b"worktree", b""))), fields.get(b"HEAD", b"").decode()
        if b"bare" in fields or b"prunable" in fields or not head.strip("0") or not (path / ".git").exists():
            continue
        branch = os.fsdecode(fields.get(b"branch", b"")).removeprefix("refs/heads/")
        found.append(WorkTree(path, head, branch))
    return found


@dataclass(frozen=True, slots=True)
class Scratch:
    """A repository of our own in `place`, with the objects of that of `main` to read."""

    main: Path
    place: Path
    trees: tuple[WorkTree, ...]

    def make(self) -> None:
        objects = str(self.main / ".git" / "objects")
        if "\n" in objects or objects.startswith('"'):
            raise ProcessError(f"{self.main}: git cannot read objects from a place of that name; move the repository")
        for name in ("refs", "objects/info", "info"):
            (self.place / name).mkdir(parents=True)
        (self.place / "HEAD").write_text("ref: refs/heads/none\n")
        (self.place / "objects" / "info" / "alternates").write_bytes(os.fsencode(f"{objects}\n"))
        wide = len(self.trees[0].head) == _SHA256
        version, more = ("1", "[extensions]\n\tobjectformat = sha256\n") if wide else ("0", "")
        (self.place / "config").write_text(f"[core]\n\trepositoryformatversion = {version}\n\tbare = true\n{more}")

    async def git(self, *arguments: str, stdin: bytes = b"", codes: Sequence[int] = (0,)) -> bytes:
        return await git(self.main, *arguments, stdin=stdin, repository=self.place, codes=codes)

    async def state(self, tree: WorkTree) -> str:
        """A commit with what stands in a work tree now."""
        index = self.place / f"index-{self.trees.index(tree)}"

        async def inside(*arguments: str, stdin: bytes = b"") -> bytes:
            return await git(tree.path, *arguments, stdin=stdin, repository=self.place, index=index)

        await inside("read-tree", tree.head)
        listed = (await inside("ls-files", "-s", "-z")).split(b"\0")
        links = [line.partition(b"\t")[2] for line in listed if line.startswith(_GITLINK)]
        if links:
            await inside("update-index", "-z", "--force-remove", "--stdin", stdin=b"\0".join([*links, b""]))
        others = [os.fsencode(other) for other in self._nested(tree)]
        hidden = b"".join(b"/" + _escaped(path) + b"\n" for path in (*links, *others))
        (self.place / "info" / "exclude").write_bytes(hidden)
        await inside("add", "--all", "--", "./")
        written = (await inside("write-tree")).decode().strip()
        text = f"tree {written}\nparent {tree.head}\nauthor motet <> 0 +0000\ncommitter motet <> 0 +0000\n\nnow\n"
        return (await inside("hash-object", "-t", "commit", "-w", "--stdin", stdin=text.encode())).decode().strip()

    def _nested(self, tree: WorkTree) -> list[Path]:
        """Other work trees inside of this one, from its root."""
        inner = [other.path for other in self.trees if other.path != tree.path]
        return [path.relative_to(tree.path) for path in inner if path.is_relative_to(tree.path)]

    async def compare(self, one: tuple[WorkTree, str], other: tuple[WorkTree, str]) -> Overlap | None:
        base = (await self.git("merge-base", one[1], other[1], codes=(0, 1))).decode().strip()
        if not base:
            return None  # they have nothing in common that could be changed on two sides
        changed = [await self._changed(base, state) for _, state in (one, other)]
        answer = await self.git(
            "merge-tree", "--write-tree", "-z", "--name-only", "--messages", one[1], other[1], codes=(0, 1)
        )
        conflicts = _conflicts(answer, {state: tree.branch or tree.path.name for tree, state in (one, other)})
        files = tuple(sorted(changed[0] & changed[1]))
        return Overlap(one[0], other[0], files, conflicts) if files or conflicts else None

    async def _changed(self, base: str, state: str) -> set[str]:
        names = await self.git("diff-tree", "-r", "-z", "--name-only", "--no-renames", base, state)
        return {os.fsdecode(name) for name in names.split(b"\0") if name}


def _escaped(path: bytes) -> bytes:
    """`path` as a pattern that fits only itself (gitignore(5))."""
    return b"".join(b"\\" + bytes([byte]) if byte in b"\\*?[ !#" else bytes([byte]) for byte in path)


def _conflicts(answer: bytes, names: Mapping[str, str]) -> tuple[Conflict, ...]:
    """The conflicts in an answer of `git merge-tree -z` (git-merge-tree(1), OUTPUT). `names` stand for commits."""
    _, _, rest = answer.partition(b"\0")
    files, _, messages = rest.partition(_NOTHING) if not rest.startswith(b"\0") else (b"", b"", rest[1:])
    if not files:
        return ()
    found: list[Conflict] = []
    fields = messages.split(b"\0")
    at = 0
    while at < len(fields) and fields[at].isdigit():
        many = int(fields[at])
        *paths, kind, text = fields[at + 1 : at + many + 3]
        at += many + 3
        if kind.startswith(b"CONFLICT"):
            said = text.decode("utf-8", "replace").strip()
            for commit, name in names.items():
                said = said.replace(commit, name)
            found.append(Conflict(tuple(map(os.fsdecode, paths)), kind.decode(), said))
    return tuple(found)

"""Which files are indexed: as git says, and never what holds secrets, is vendored, generated, or no text."""

import asyncio
import os
import random
import subprocess
from pathlib import Path

import pytest
from index_kit import git, members_of, paths, put

from motet.index.membership import list_members
from motet.index.project import ProjectIndex

PATTERNS = [
    "*.log", "!keep.log", "/a/", "b/", "**/c", "d/*", "!d/x.py", "x.py", "/x.py", "a/**/x.py", "*.p?", "[ab].txt", "\\#h",
    "#h", "e/f", "/e/f/", "!e/f/x.py", "*", "!*/", "!*.py", "a b.txt", "日本*",
]  # fmt: skip
FOLDERS = ["", "a/", "b/", "c/", "d/", "e/", "e/f/", "a/b/", "a/c/d/", "日本/"]
FILES = ["x.py", "keep.log", "y.log", "a.txt", "b.txt", "#h", "a b.txt", "日本語.md"]


def grown(root: Path, seed: int) -> list[str]:
    """A tree of files with rules on several levels; the names of the files."""
    rng = random.Random(seed)
    names = sorted({rng.choice(FOLDERS) + rng.choice(FILES) for _ in range(40)})
    put(root, dict.fromkeys(names, "x = 1\n"))
    for folder in rng.sample(FOLDERS[:7], 3):
        put(root, {f"{folder}.gitignore": "\n".join(rng.sample(PATTERNS, 4)) + "\n"})
    return names


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("with_git", [True, False], ids=["git", "no git"])
def test_the_files_are_those_that_git_check_ignore_does_not_name(seed: int, with_git: bool, project: Path) -> None:
    names = grown(project, seed)
    git(project, "init", "-q")
    listed = "".join(f"{name}\0" for name in names)
    done = subprocess.run(
        ["git", "check-ignore", "-z", "--stdin"], cwd=project, input=listed.encode(), capture_output=True, check=False
    )
    ignored = set(done.stdout.decode().split("\0"))
    if not with_git:
        (project / ".git").rename(project.parent / "git-that-was")
    assert [name for name in members_of(project) if not name.endswith(".gitignore")] == [
        name for name in names if name not in ignored
    ]


@pytest.mark.acceptance("CU-01", "S0-099")
@pytest.mark.parametrize("with_git", [True, False], ids=["git", "no git"])
def test_secrets_and_vendored_files_are_never_retrieved(with_git: bool, project: Path, tmp_path: Path) -> None:
    if with_git:
        git(project, "init", "-q")
    mark = "the quick zyxomma jumps\n"
    put(
        project,
        {
            "own.py": f"# {mark}",
            ".env": mark,
            "deploy/id_rsa": mark,
            "server.pem": mark,
            "node_modules/x/index.js": mark,
            "vendor/lib.py": mark,
            "venv/pyvenv.cfg": "",
            "venv/lib.py": mark,
            "package-lock.json": mark,
            "made.py": f"# @generated\n# {mark}",
            "a.min.js": mark,
            "packed.js": "var a=1;" * 2000 + mark,
            "image.dat": b"\0\1" + mark.encode(),
            "large.py": f"# {mark}" * 30_000,
            "skipped.py": mark,
            ".motetignore": "skipped.py\n",
        },
    )
    if with_git:
        git(project, "add", "-f", "-A")  # tracked or not: it makes no difference
    index = ProjectIndex(project, tmp_path / "home")
    try:
        assert paths(index, "zyxomma", limit=50) == ["own.py"]
    finally:
        asyncio.run(index.close())


@pytest.mark.parametrize(
    ("path", "indexed", "reason"),
    [
        ("own.py", True, "a file of the project (source)"),
        ("tests/test_own.py", True, "a file of the project (test)"),
        (".env", False, "its name says that it holds secrets"),
        ("uv.lock", False, "a lock file"),
        ("ignored.log", False, "an ignore rule of git, or a repository of its own"),
        ("skipped.py", False, "a rule in .motetignore"),
        ("vendor/lib.py", False, "vendored or built, or behind a link"),
        ("link.py", False, "a link"),
        ("own", False, "no such file or directory"),
        ("tests", False, "a directory"),
        ("large.py", False, "larger than 512 kB"),
        ("data.x", False, "not text"),
        ("made.py", False, "its first lines say that it is generated"),
    ],
)
def test_why_says_in_one_line_what_is_so(
    path: str, indexed: bool, reason: str, project: Path, tmp_path: Path
) -> None:
    git(project, "init", "-q")
    own = dict.fromkeys(
        ["own.py", "tests/test_own.py", ".env", "uv.lock", "ignored.log", "skipped.py", "vendor/lib.py"], "x = 1\n"
    )
    rules = {".gitignore": "*.log\n", ".motetignore": "skipped.py\n"}
    put(project, {**own, **rules, "large.py": "x = 1\n" * 100_000, "data.x": b"\0", "made.py": "# @generated\n"})
    (project / "link.py").symlink_to("own.py")
    why = asyncio.run(ProjectIndex(project, tmp_path / "home").why(path))
    assert (why.path, why.indexed, why.reason) == (path, indexed, reason)


@pytest.mark.parametrize("with_git", [True, False], ids=["git", "no git"])
def test_links_in_circles_huge_files_and_odd_names_do_no_harm(with_git: bool, project: Path, tmp_path: Path) -> None:
    if with_git:
        git(project, "init", "-q")
    put(project, {"sub/own.py": "# zyxomma\n", "latin.py": "# zyxomma é\n".encode("latin-1"), "empty.py": ""})
    odd = os.fsdecode(b"odd\xff\xfe.py")
    (project / odd).write_text("# zyxomma\n")
    (project / "sub" / "loop").symlink_to("..")
    (project / "self").symlink_to("self")
    os.mkfifo(project / "pipe.py")
    with (project / "huge.py").open("wb") as file:
        file.truncate(2**30)  # a sparse file of 1 GB
    (project / "closed.py").write_text("# zyxomma\n")
    (project / "closed.py").chmod(0)
    index = ProjectIndex(project, tmp_path / "home")
    try:
        found = set(paths(index, "zyxomma"))
    finally:
        asyncio.run(index.close())
    assert found - {"closed.py"} == {"sub/own.py", "latin.py", odd}  # root reads what is closed


def test_members_come_in_the_same_order_each_time(project: Path) -> None:
    names = grown(project, 7)
    found = [member.path for member in asyncio.run(list_members(project))]
    assert found == sorted(found) and set(found) <= {*names, *found}

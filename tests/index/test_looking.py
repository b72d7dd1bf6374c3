"""What a question sees of the files, beside what the index knows of them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from index_kit import git, paths, put

from motet.index import membership
from motet.index.looking import compared
from motet.index.membership import Member, list_members, list_standing
from motet.index.project import ProjectIndex
from motet.index.question import understand
from motet.index.scanning import scan
from motet.index.weights import WEIGHTS

OLD = 1_700_000_000
FILES: dict[str, str | bytes] = {
    "a.py": "alpha = 1\n",
    "sub/b.py": "beta = 1\n",
    "sub/two\nlines.py": "gamma = 1\n",
    "image.png": b"\0",
    "key.pem": "alpha\n",
    "packed.py": b"\0",
    os.fsdecode(b"odd\xff.py"): "alpha = 2\n",
}


@pytest.fixture(params=[True, False], ids=["git", "no git"])
def index(request: pytest.FixtureRequest, project: Path, tmp_path: Path) -> Iterator[ProjectIndex]:
    """Of files that are old enough to be known by their time."""
    if request.param:
        git(project, "init", "-q")
    put(project, FILES)
    for path in FILES:
        os.utime(project / path, (OLD, OLD))
    index = ProjectIndex(project, tmp_path / "home")
    asyncio.run(index.update())
    yield index
    asyncio.run(index.close())


def seen(index: ProjectIndex, project: Path, texts: dict[str, str] | None = None) -> tuple[list[str], bool]:
    """The files that are not read as they are, and whether others are gone."""
    files = asyncio.run(list_standing(project))
    listed = compared(project, files, index.stores.catalog.known(), texts or {})
    return [member.path for member in listed.unread], listed.gone


def test_of_files_that_did_not_change_none_is_looked_into(index: ProjectIndex, project: Path) -> None:
    assert seen(index, project) == ([], False)
    known = index.stores.catalog.known()
    assert sorted(known.left_out) == ["image.png", "key.pem"]
    assert sorted(known.paths.values()) == sorted({*FILES} - {*known.left_out, "packed.py"})


def test_a_file_that_is_new_written_touched_or_in_an_editor_is_seen(index: ProjectIndex, project: Path) -> None:
    put(project, {"new.py": "", "new.png": b"\0"})
    (project / "sub/b.py").write_text("beta = 23\n")
    os.utime(project / "sub/b.py", (OLD, OLD))  # another size
    os.utime(project / "sub/two\nlines.py", (OLD, OLD + 1))
    assert seen(index, project, {"a.py": "alpha = 3\n", "none.py": ""}) == (
        ["a.py", "new.png", "new.py", "sub/b.py", "sub/two\nlines.py"],
        False,
    )


@pytest.mark.parametrize("gone", ["a.py", "image.png"])
def test_a_file_that_is_gone_is_seen(gone: str, index: ProjectIndex, project: Path) -> None:
    (project / gone).unlink()
    assert seen(index, project) == ([], True)


def test_own_rules_that_come_and_go_are_seen(index: ProjectIndex, project: Path) -> None:
    rules = project / ".motetignore"
    rules.write_text("sub/b.py\n")
    os.utime(rules, (OLD, OLD))
    assert seen(index, project) == ([".motetignore", "sub/b.py"], False)
    asyncio.run(index.update())
    assert seen(index, project) == ([], False)
    rules.unlink()
    assert seen(index, project) == (["sub/b.py"], True)


def test_another_reason_to_leave_a_file_out_is_seen(index: ProjectIndex, project: Path) -> None:
    put(project, {"large.txt": b"x" * (membership.MOST_BYTES + 1)})
    asyncio.run(index.update())
    assert seen(index, project) == ([], False)
    put(project, {".motetignore": "large.txt\n"})
    assert seen(index, project) == ([".motetignore", "large.txt"], False)


def test_a_file_that_was_read_and_holds_secrets_by_its_name_is_shown_no_more(
    index: ProjectIndex, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "a.py" in paths(index, "alpha")
    monkeypatch.setattr(membership, "is_secret", lambda path: path in ("a.py", "key.pem"))  # of a newer motet
    assert "a.py" not in paths(index, "alpha")
    shown = asyncio.run(index.passages("alpha", 1000, texts={"a.py": "alpha = 4\n"}, patience=0))
    assert "a.py" not in [passage.path for passage in shown.found]
    assert "a.py" not in index.stores.catalog.known().left_out  # it was no update that hid it
    asyncio.run(index.update())
    assert "a.py" in index.stores.catalog.known().left_out


def test_a_file_that_own_rules_leave_out_since_is_not_shown_before_an_update(
    index: ProjectIndex, project: Path
) -> None:
    put(project, {"sub/b.py": "alpha = 5\n"})
    asyncio.run(index.update())
    put(project, {"sub/.motetignore": "b.py\n", ".motetignore": "/a.*\n"})
    found = asyncio.run(index.search("alpha", patience=0)).found
    assert {"a.py", "sub/b.py"}.isdisjoint(place.path for place in found)
    shown = asyncio.run(index.passages("alpha", 1000, texts={"a.py": "alpha = 4\n"}, patience=0)).found
    assert {"a.py", "sub/b.py"}.isdisjoint(passage.path for passage in shown)
    assert {"a.py", "sub/b.py"}.isdisjoint(index.stores.catalog.known().left_out)  # it was no update that hid them


def test_a_walk_and_a_filter_say_the_same(project: Path) -> None:
    put(project, {"own.py": "", "venv/pyvenv.cfg": "", "venv/lib.py": "", "dist/a.py": "", "a.min.js": ""})
    put(project, {"sub/own.py": "", "sub/node_modules/x.js": "", "odd/own.py": "", ".gitignore": "hidden.py\n"})
    put(project, {"hidden.py": "", "sub/hidden.py": "", "pyvenv.cfg": ""})
    (project / "odd/pyvenv.cfg").symlink_to("nowhere")  # leads to none
    (project / "link").symlink_to("sub")
    (project / "link.py").symlink_to("own.py")
    os.mkfifo(project / "pipe.py")
    walked = [member.path for member in asyncio.run(list_members(project))]
    git(project, "init", "-q")
    by_git = [member.path for member in asyncio.run(list_members(project))]
    assert walked == by_git == [".gitignore", "odd/own.py", "own.py", "pyvenv.cfg", "sub/own.py"]


def test_a_file_that_was_scanned_stands_for_what_is_kept_of_it(index: ProjectIndex, project: Path) -> None:
    put(project, {"a.py": "alpha = omega\n"})
    asked = understand("alpha omega", WEIGHTS)
    scanned = scan(project, [Member("a.py", 0, 14)], asked, {}, 60)
    found = [(file.path, file.id < 0) for file in index.ranked(asked, {}, scanned=scanned)]
    assert found[0] == ("a.py", True) and ("a.py", False) not in found


def test_what_is_known_of_all_files_follows_one_that_is_read_again_or_gone(
    index: ProjectIndex, project: Path
) -> None:
    asked = understand("what is in sub/b.py?", WEIGHTS)

    def mentioned() -> list[str]:
        return [file.path for file in index.ranked(asked, {}) if "mention" in file.parts]

    assert mentioned() == ["sub/b.py"]
    put(project, {"sub/b.py": "beta = 2\n"})
    asyncio.run(index.update_paths(["sub/b.py"]))
    assert mentioned() == ["sub/b.py"]
    (project / "sub/b.py").unlink()
    asyncio.run(index.update_paths(["sub/b.py"]))
    assert mentioned() == []


def test_a_question_finishes_what_a_writer_that_was_killed_had_begun(index: ProjectIndex, project: Path) -> None:
    index.stores.catalog.announce([index.stores.catalog.rows()["a.py"].id])
    assert seen(index, project) == ([], False)
    assert "a.py" in paths(index, "alpha")
    assert index.stores.catalog.pending() == []


def test_several_threads_ask_at_once(index: ProjectIndex) -> None:
    asked = understand("alpha beta", WEIGHTS)
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: index.ranked(asked, {}), range(32)))
    assert answers == [index.ranked(asked, {})] * 32 and len(answers[0]) == 3

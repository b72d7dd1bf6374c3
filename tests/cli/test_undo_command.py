"""`motet undo`: the last run, one file of it, an earlier run, and the undo itself."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable

import pytest
from cli.kit import DONE, Project, Provider, edit

Serve = Callable[..., Provider]

BEFORE = {"a.txt": "bad a\n", "b.txt": "bad b\r\n", "sub/c.txt": "bad c"}
AFTER = {"a.txt": "good a\n", "b.txt": "good b\r\n", "sub/c.txt": "good c"}
LONGER = "good b\r\nsecond\r\nown\r\n"


@pytest.fixture
def fixed(project: Project, provider: Serve) -> Project:
    """A project in which one run has changed three files."""
    project.write(BEFORE)
    subprocess.run(["git", "init", "-q"], cwd=project.root, check=True)
    provider([edit(*((name, f"{BEFORE[name].strip()}\n", f"{AFTER[name].strip()}\n") for name in BEFORE)), DONE])
    checker = "grep -rnH bad --include=*.txt . | sed 's/$/ word/'; ! grep -rq bad --include=*.txt ."
    project.settings(re.sub("command = '''.*'''", f'command = "{checker}"', project.config.read_text()))
    done = project.here("fix", "--yes", "--quiet")
    assert texts(project) == AFTER, done.err
    return project


def texts(project: Project) -> dict[str, str]:
    return {name: project.text(name) for name in BEFORE}


def test_undo_takes_the_whole_run_back_and_undo_again_brings_it_back(fixed: Project) -> None:
    done = fixed.run("undo")
    assert (done.code, done.out) == (0, "")
    assert done.err == (
        "restored  a.txt\nrestored  b.txt\nrestored  sub/c.txt\n"
        "Took back 3 files of motet fix; `motet undo` again brings them back.\n"
    )
    assert texts(fixed) == BEFORE
    assert fixed.run("undo").code == 0
    assert texts(fixed) == AFTER
    assert fixed.run("undo").code == 0
    assert texts(fixed) == BEFORE


def test_undo_of_one_file_from_a_subdirectory(fixed: Project) -> None:
    done = fixed.here("undo", "c.txt", cwd="sub")
    assert "Took back 1 file of motet fix; `motet undo` again brings it back.\n" in done.err
    assert texts(fixed) == {**AFTER, "sub/c.txt": BEFORE["sub/c.txt"]}


def test_undo_of_a_file_that_was_deleted_since_is_possible_by_its_name(fixed: Project) -> None:
    (fixed.root / "a.txt").unlink()
    done = fixed.here("undo", "a.txt")
    assert (done.code, "a.txt" in done.err) == (1, True)
    assert not (fixed.root / "a.txt").exists()


def test_undo_is_refused_whole_when_a_file_was_changed_since(fixed: Project) -> None:
    fixed.write({"b.txt": "my own work\n"})
    done = fixed.here("undo")
    assert done.code == 1
    assert done.err == "motet: checkpoint 1 is not undone, nothing is changed: b.txt (changed since)\n"
    assert texts(fixed) == {**AFTER, "b.txt": "my own work\n"}
    assert fixed.here("undo", "a.txt", "sub/c.txt").code == 0, "the others can be taken back by name"
    assert texts(fixed) == {**BEFORE, "b.txt": "my own work\n"}


def test_the_list_is_newest_first_and_json_for_programs(fixed: Project) -> None:
    fixed.here("undo")
    done = fixed.here("undo", "--list")
    assert done.err == "2 runs; the last 200 are kept, up to 512 MiB and for 30 days.\n"
    newest, oldest = done.out.splitlines()
    when = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"
    assert re.fullmatch(rf"2  {when}  undo of 1 \(motet fix\)  a.txt, b.txt, sub/c.txt", newest)
    assert re.fullmatch(rf"1  {when}  motet fix  \(undone\)  a.txt, b.txt, sub/c.txt", oldest)
    listed = fixed.here("undo", "--list", "--json").events
    assert [(one["schema"], one["id"], one["undoes"], one["undone"], one["finished"]) for one in listed] == [
        (1, "2", ["1"], False, True),
        (1, "1", [], True, True),
    ]
    assert listed[1]["files"] == sorted(BEFORE)


@pytest.mark.parametrize("arguments", [["--id", "1"], ["--list", "--id", "1"]])
def test_a_run_that_is_too_old_is_told_so(fixed: Project, arguments: list[str]) -> None:
    fixed.here("undo")
    [first] = fixed.state.rglob("000001.journal")
    first.unlink()  # as `Shelf` drops what is too old
    done = fixed.here("undo", *arguments)
    assert (done.code, done.err) == (
        2,
        "motet: checkpoint 1: not kept any more; of all runs the last 200 are kept, up to 512 MiB and for 30 days, "
        "and the oldest left is 2\n",
    )


@pytest.fixture
def gone_on(project: Project, provider: Serve) -> Project:
    """A run has changed the first line of a file, and its user, later, the third one."""
    project.write({"b.txt": "bad b\r\nsecond\r\nthird\r\n"})
    provider([edit(("b.txt", "bad b\n", "good b\n")), DONE])
    done = project.here("fix", "--yes", "--quiet")
    assert project.text("b.txt") == "good b\r\nsecond\r\nthird\r\n", done.err
    project.write({"b.txt": LONGER})
    return project


def test_merge_is_advised_where_it_would_do_and_does_it(gone_on: Project) -> None:
    done = gone_on.here("undo")
    assert (done.code, done.err) == (
        1,
        "motet: checkpoint 1 is not undone, nothing is changed: b.txt (changed since); "
        "`motet undo --merge` would take back motet's change alone\n",
    )
    assert gone_on.text("b.txt") == LONGER
    done = gone_on.here("undo", "--merge")
    assert (done.code, done.out) == (0, "")
    assert done.err == ("merged    b.txt\nTook back 1 file of motet fix; `motet undo` again brings it back.\n")
    assert gone_on.text("b.txt") == "bad b\r\nsecond\r\nown\r\n"
    assert gone_on.here("undo").code == 0
    assert gone_on.text("b.txt") == LONGER


def test_lines_that_both_have_changed_are_named(gone_on: Project) -> None:
    gone_on.write({"b.txt": "own b\r\nsecond\r\nthird\r\n"})
    done = gone_on.here("undo", "--merge")
    assert (done.code, done.err) == (
        1,
        "motet: checkpoint 1 is not undone, nothing is changed: "
        "b.txt (changed since where motet changed it too: line 1)\n",
    )
    assert gone_on.text("b.txt") == "own b\r\nsecond\r\nthird\r\n"


def test_a_dry_run_shows_what_would_be_done(gone_on: Project) -> None:
    done = gone_on.here("undo", "--merge", "--dry-run")
    assert (done.code, done.err) == (
        0, "merged    b.txt\nWould take back 1 file of motet fix; nothing is written.\n"
    )  # fmt: skip
    assert gone_on.here("undo", "--dry-run").code == 1
    assert gone_on.text("b.txt") == LONGER
    assert len(gone_on.here("undo", "--list").out.splitlines()) == 1


def test_json_says_what_was_done(gone_on: Project) -> None:
    done = gone_on.here("undo", "--merge", "--json")
    assert (done.code, done.err) == (0, "")
    assert done.events == [
        {
            "schema": 1, "ids": ["1"], "labels": ["motet fix"], "restored": [], "merged": ["b.txt"], "removed": [],
            "unchanged": [], "left": [], "checkpoint": "2", "unsaved": [], "dry_run": False,
        }
    ]  # fmt: skip


def test_files_that_are_as_they_were_already_are_said_to_be(gone_on: Project) -> None:
    gone_on.write({"b.txt": "bad b\r\nsecond\r\nthird\r\n"})
    done = gone_on.here("undo")
    assert (done.code, done.err) == (0, "Nothing to write: the files are as they were before motet fix.\n")


def test_the_list_says_of_each_file_whether_it_stands_and_can_be_asked_for_one(fixed: Project) -> None:
    fixed.here("undo", "a.txt")
    newest, oldest = fixed.here("undo", "--list").out.splitlines()
    assert newest.endswith("  undo of 1 (motet fix)  a.txt")
    assert oldest.endswith("  motet fix  a.txt (undone), b.txt, sub/c.txt")
    (found,) = fixed.here("undo", "--list", "c.txt", cwd="sub").out.splitlines()
    assert found.endswith("  motet fix  sub/c.txt")
    whole, *files = fixed.here("undo", "--list", "--id", "1").out.splitlines()
    assert whole.endswith("  motet fix")
    assert files == ["  undone  a.txt", "  stands  b.txt", "  stands  sub/c.txt"]
    listed = fixed.here("undo", "--list", "--json", "b.txt").events
    assert [(one["id"], one["files"], one["standing"]) for one in listed] == [
        ("1", ["a.txt", "b.txt", "sub/c.txt"], ["b.txt", "sub/c.txt"])
    ]


def test_files_of_two_runs_are_taken_back_together(fixed: Project) -> None:
    fixed.here("undo", "a.txt")
    done = fixed.here("undo", "a.txt", "b.txt")
    assert (done.code, texts(fixed)) == (0, {**AFTER, "b.txt": BEFORE["b.txt"]})
    assert done.err == (
        "restored  a.txt\nrestored  b.txt\n"
        "Took back 2 files of undo of 1 (motet fix) and motet fix; `motet undo` again brings them back.\n"
    )
    assert fixed.here("undo").code == 0
    assert texts(fixed) == {**AFTER, "a.txt": BEFORE["a.txt"]}


def test_help_begins_with_examples(project: Project) -> None:
    lines = project.here("undo", "--help").out.splitlines()
    assert lines[4:6] == ["  Examples:", "    motet undo                    the last run"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--id", "7"], 2, "motet: checkpoint 7: there is none with this id; `motet undo --list` shows them\n"),
        (["nosuch"], 2, "motet: nosuch: not changed by any checkpoint, or undone already\n"),
        (["/etc/passwd"], 2, "motet: /etc: outside of the workspace {root}\n"),
        (["--list", "nosuch"], 2, "motet: nosuch: not in the list; `motet undo --list` shows all of it\n"),
        (
            ["--list", "--id", "7"],
            2,
            "motet: checkpoint 7: there is none with this id; `motet undo --list` shows them\n",
        ),
        ([""], 2, "motet: (empty path): not a path\n"),
        (["--list", ""], 2, "motet: (empty path): not a path\n"),
        (["--id"], 2, "motet: option '--id' requires an argument (motet undo --help)\n"),
    ],
)
def test_what_cannot_be_undone_is_one_line(fixed: Project, arguments: list[str], code: int, said: str) -> None:
    done = fixed.here("undo", *arguments)
    assert (done.code, done.err) == (code, said.format(root=fixed.root))
    assert texts(fixed) == AFTER


def test_nothing_to_undo(project: Project) -> None:
    done = project.here("undo")
    assert (done.code, done.err) == (1, "motet: nothing to undo in this workspace\n")
    done = project.here("undo", "--list")
    assert (done.code, done.out, done.err) == (0, "", "Nothing was written in this workspace yet.\n")


def test_undo_of_a_directory_takes_back_what_stands_in_it(fixed: Project) -> None:
    done = fixed.here("undo", "sub")
    assert (done.code, texts(fixed)) == (0, {**AFTER, "sub/c.txt": BEFORE["sub/c.txt"]})
    assert fixed.here("undo", "--list", "sub").code == 0
    done = fixed.here("undo", "sub")
    assert (done.code, done.err) == (
        2,
        "motet: sub: in this directory no change stands; `motet undo --list` shows what was done\n",
    )
    assert fixed.here("undo", ".").code == 0
    assert texts(fixed) == BEFORE


def test_undo_of_a_file_whose_directory_is_gone_brings_both_back_or_says_why_not(fixed: Project) -> None:
    shutil.rmtree(fixed.root / "sub")
    done = fixed.here("undo", "sub/c.txt")
    assert done.code == 1
    assert "sub/c.txt (removed since)" in done.err


def test_undo_of_an_undo_is_a_redo_and_the_list_says_what_stands(fixed: Project) -> None:
    for _ in range(3):
        assert fixed.here("undo").code == 0
    assert texts(fixed) == BEFORE
    assert [line.split("  ", 2)[2] for line in fixed.here("undo", "--list").out.splitlines()] == [
        "undo of 1 (motet fix)  a.txt, b.txt, sub/c.txt",
        "redo of 1 (motet fix)  (undone)  a.txt, b.txt, sub/c.txt",
        "undo of 1 (motet fix)  a.txt, b.txt, sub/c.txt",
        "motet fix  (undone)  a.txt, b.txt, sub/c.txt",
    ]

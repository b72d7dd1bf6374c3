"""`motet fix FILE` where FILE cannot be looked at: it says which and why, and does not call it clean."""

from __future__ import annotations

import pytest
from cli.kit import MAY_SEND, ONLY_CHECKER, ONLY_RUFF, Project

from motet.text.file import MAX_TEXT_BYTES

BINARY = b"a\0b\1\2"
LEFT = "left out: a.py: binary file"


def quiet(project: Project, *more: str) -> None:
    project.settings('model = "offline"\n' + "".join([*more, MAY_SEND]))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (BINARY, "a.py: binary file"),
        (
            b'x = "\xff\x01\xfa"\n',
            "a.py: not valid utf-8; declare its encoding in the first line, or name it with --encoding or the setting "
            "`encoding`",
        ),
        (
            b"#" * (MAX_TEXT_BYTES + 1),
            f"a.py: {(MAX_TEXT_BYTES + 1) / 1e6:.1f} MB is more than motet edits ({MAX_TEXT_BYTES >> 20} MiB)",
        ),
    ],
)
def test_a_named_file_that_cannot_be_read_is_no_clean_file(project: Project, content: bytes, why: str) -> None:
    project.write({"a.py": content})
    quiet(project, ONLY_RUFF)
    done = project.here("fix", "--yes", "a.py")
    assert (done.code, done.out) == (3, "")
    assert done.err == f"Model: offline (set in the settings)\nleft out: {why}\n\nEnded: no file could be read.\n"


def test_a_script_hears_of_it_as_well(project: Project) -> None:
    project.write({"a.py": BINARY})
    quiet(project, ONLY_RUFF)
    done = project.here("fix", "--yes", "--json", "a.py")
    assert [event["event"] for event in done.events] == ["started", "notice", "fixed"]
    assert done.event("notice")["text"] == LEFT
    assert (done.code, done.event("fixed")["reason"], done.event("fixed")["exit_code"]) == (3, "unreadable", 3)


def test_what_can_be_read_beside_it_is_fixed(project: Project) -> None:
    project.write({"a.py": BINARY, "b.py": "import os\n"})
    quiet(project, ONLY_RUFF)
    done = project.here("fix", "--yes", "a.py", "b.py")
    assert done.code == 0
    assert done.err.splitlines().count(LEFT) == 1
    assert project.text("b.py") == ""


def test_a_directory_may_hold_such_files_and_a_checker_may_judge_them(project: Project) -> None:
    project.write({"sub/a.py": BINARY, "a.txt": BINARY})
    quiet(project, ONLY_RUFF)
    done = project.here("fix", "--yes", "sub")
    assert (done.code, "left out" in done.err) == (0, False)
    quiet(project, ONLY_CHECKER)
    done = project.here("fix", "--yes", "a.txt")
    assert done.code == 0
    assert "left out: a.txt: binary file\nno problems (awk)\n" in done.err

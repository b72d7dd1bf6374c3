"""`motet apply` in a pipe and on files: what is understood, written, refused and said, and each exit code."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.kit import Done, Project, block

APP = """\
def greet(name):
    print("Hello, " + name)


def mean(values):
    return sum(values) / len(values)


def area(w, h):
    return w * h
"""
AREA = ("    return w * h\n", "    return h * w\n")
GREET = ('    print("Hello, " + name)\n', '    print(f"Hello, {name}")\n')
MISSED = (
    "def means(values):\n    return sum(value) / len(values)\n",
    "def mean(values):\n    return sum(values) / (len(values) or 1)\n",
)
NEAREST = """\
-def means(values):
+def mean(values):
-    return sum(value) / len(values)
+    return sum(values) / len(values)
"""
NEARLY = "advice: there is one place that is nearly right: run it without --yes at a terminal to be asked about it"
AGAIN = "advice: show the model the file as it is now and ask again, for SEARCH/REPLACE blocks"
ASK_FOR = "ask the model for SEARCH/REPLACE blocks, or for each whole file in a fence below its path"
NOTHING = f"no edit was found: there is no block, diff, patch, tool call or file with its path in it; {ASK_FOR}"
FEW_LINES = "Not a terminal, so nobody can be asked: nothing is written. --yes takes every edit."


def edits(*wanted: tuple[str, str], path: str = "app.py") -> str:
    return "".join(f"{path}\n{block(*each)}" for each in wanted)


@pytest.fixture
def apply(project: Project) -> Callable[..., Done]:
    """`apply(answer, …)`: run it on the answer, given through a pipe."""
    project.write({"app.py": APP})

    def run(answer: str | bytes, *arguments: str, **how: str) -> Done:
        data = answer.encode() if isinstance(answer, str) else answer
        return project.here("apply", *arguments, given=data, **how)  # type: ignore[arg-type] # `how` is env or cwd

    return run


Apply = Callable[..., Done]


# --- where the answer comes from -------------------------------------------------------------------------------


@pytest.mark.parametrize("dash", [(), ("-",)])
@pytest.mark.acceptance("PY-04")
def test_an_answer_comes_through_a_pipe(project: Project, dash: tuple[str, ...]) -> None:
    project.write({"app.py": APP})
    done = project.run("apply", "--yes", *dash, given=edits(AREA).encode())
    assert (done.code, done.out) == (0, "")
    assert project.text("app.py") == APP.replace(*AREA)
    assert done.err == (
        "1 edit in 1 file: app.py\n\napp.py:10\n@@ -7,4 +7,4 @@ def area(w, h):\n\n\n def area(w, h):\n-    return w * h\n+    return h * w\n\n"
        "Applied changes to 1 of 1 file.\n`motet undo` takes it back.\n"
    )


def test_an_answer_comes_from_a_file_and_undo_takes_it_back(apply: Apply, project: Project) -> None:
    project.write({"answer.md": edits(AREA)})
    assert apply("", "--yes", "answer.md").code == 0
    assert project.text("app.py") == APP.replace(*AREA)
    assert project.here("undo").code == 0
    assert project.text("app.py") == APP


CHAT = """\
You said:
make the greeting nicer and add a helper

ChatGPT said:
Sure! Here is what I would change. In **app.py**, use an f-string:

`app.py`
```python
<<<<<<< SEARCH
    print("Hello, " + name)
=======
    print(f"Hello, {name}")
>>>>>>> REPLACE
```

You can call it like this:

```python
greet("world")
```

Then put this into `lib/util.py`:

lib/util.py
```python
def twice(x):
    return 2 * x
```

and for the area:

```diff
--- a/app.py
+++ b/app.py
@@ -9,2 +9,2 @@
 def area(w, h):
-    return w * h
+    return h * w
```

Let me know if you would like tests as well!
"""


@pytest.mark.acceptance("S1-018", "S0-119")
def test_a_chat_copied_from_a_web_page_holds_prose_several_files_and_several_formats(
    apply: Apply, project: Project
) -> None:
    done = apply(CHAT, "--yes")
    assert (done.code, done.err.splitlines()[0]) == (0, "3 edits in 2 files: app.py, lib/util.py")
    assert project.text("app.py") == APP.replace(*AREA).replace(*GREET)
    assert project.text("lib/util.py") == "def twice(x):\n    return 2 * x\n"
    assert done.err.splitlines()[-2] == "Applied changes to 2 of 2 files."


@pytest.mark.parametrize("change", [lambda text: text.replace("\n", "\r\n"), lambda text: "\ufeff" + text])
def test_line_ends_and_a_byte_order_mark_of_the_answer_do_not_reach_the_file(
    apply: Apply, project: Project, change: Callable[[str], str]
) -> None:
    assert apply(change(CHAT), "--yes").code == 0
    assert project.text("app.py") == APP.replace(*AREA).replace(*GREET)
    assert project.text("lib/util.py") == "def twice(x):\n    return 2 * x\n"


def test_an_answer_in_utf_16_is_read_as_what_it_is(apply: Apply, project: Project) -> None:
    assert apply(edits(AREA).encode("utf-16"), "--yes").code == 0
    assert project.text("app.py") == APP.replace(*AREA)


def test_a_file_keeps_its_own_line_ends(apply: Apply, project: Project) -> None:
    project.write({"dos.txt": "one\r\ntwo\r\n"})
    assert apply(edits(("two\n", "TWO\nthree\n"), path="dos.txt"), "--yes").code == 0
    assert project.text("dos.txt") == "one\r\nTWO\r\nthree\r\n"


def test_what_git_diff_prints_is_applied(apply: Apply, project: Project, need: Callable[[str], Path]) -> None:
    def git(*arguments: str) -> str:
        command = [need("git"), *arguments]
        return subprocess.run(command, cwd=project.root, check=True, capture_output=True, text=True).stdout

    project.write({"other.txt": "one\ntwo\n", "gone.txt": "gone\n"})
    git("init", "-q")
    git("add", "-A")
    project.write({"app.py": APP.replace(*AREA), "other.txt": "one\n2\n", "ü.txt": "new\n"})
    (project.root / "gone.txt").unlink()
    git("add", "-N", "ü.txt")
    patch = git("diff")
    git("reset", "-q")
    project.write({"app.py": APP, "other.txt": "one\ntwo\n", "gone.txt": "gone\n"})
    (project.root / "ü.txt").unlink()
    done = apply(patch, "--yes")
    assert (done.code, done.err.splitlines()[-2]) == (0, "Applied changes to 4 of 4 files.")
    assert [project.text(name) for name in ("app.py", "other.txt", "ü.txt")] == [
        APP.replace(*AREA),
        "one\n2\n",
        "new\n",
    ]
    assert not (project.root / "gone.txt").exists()


def test_an_apply_patch_envelope_updates_adds_and_deletes(apply: Apply, project: Project) -> None:
    project.write({"old.txt": "old\n"})
    done = apply(
        "*** Begin Patch\n*** Update File: app.py\n@@ def area(w, h):\n-    return w * h\n+    return h * w\n"
        "*** Add File: new.py\n+x = 1\n*** Delete File: old.txt\n*** End Patch\n",
        "--yes",
    )
    assert (done.code, done.err.splitlines()[-2]) == (0, "Applied changes to 3 of 3 files.")
    assert (project.text("app.py"), project.text("new.py")) == (APP.replace(*AREA), "x = 1\n")
    assert not (project.root / "old.txt").exists()
    assert "old.txt:1  the file is deleted" in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "app.py", "diff": block(*AREA)},
        {"path": "app.py", "edits": [{"old": "w * h", "new": "h * w"}]},
        {"name": "whole_file", "arguments": {"path": "app.py", "content": APP.replace(*AREA)}},
    ],
)
def test_the_json_of_a_tool_call_is_applied(apply: Apply, project: Project, arguments: dict[str, object]) -> None:
    done = apply(f"I call the tool:\n\n```json\n{json.dumps(arguments)}\n```\n", "--yes")
    assert (done.code, project.text("app.py")) == (0, APP.replace(*AREA))


def test_one_format_can_be_asked_for_and_a_path_given(apply: Apply, project: Project) -> None:
    done = apply(block(*AREA), "--yes", "--format", "search_replace", "--path", "app.py")
    assert (done.code, project.text("app.py")) == (0, APP.replace(*AREA))
    done = apply("x", "--format", "diff")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "motet: invalid value for '-f' / '--format': 'diff' is not one of 'auto', 'anchored', 'apply_patch', "
        "'edit_file', 'replace_in_file', 'search_replace', 'udiff', 'whole_file', 'xml' (motet apply --help)\n"
    )


def test_a_whole_file_says_how_many_lines_become_how_many(apply: Apply) -> None:
    text = APP.replace(*AREA) + "\n\nprint(area(1, 2))\n"
    done = apply(f"./app.py\n```python\n{text}```\nnew.py\n```\nx = 1\n```\n", "-n")
    assert done.code == 0
    assert [line for line in done.out.splitlines() if "whole file" in line] == [
        "app.py: the answer gives the whole file: 10 lines become 13"
    ]


@pytest.mark.acceptance("S0-117")
def test_japanese_text_is_found_and_written(apply: Apply, project: Project) -> None:
    project.write({"説明.md": "# 説明\n東京は雨です。\n"})
    done = apply(edits(("東京は雨です。\n", "東京は晴れです。\n"), path="説明.md"), "--yes")
    assert (done.code, project.text("説明.md")) == (0, "# 説明\n東京は晴れです。\n")
    assert "説明.md:2\n@@ -1,2 +1,2 @@\n # 説明\n-東京は雨です。\n+東京は晴れです。\n" in done.err


# --- nothing to apply ------------------------------------------------------------------------------------------


FENCE = "```python\nx = 1\n```\n"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("Just use a list.\n", NOTHING),
        (
            f"Use this:\n{FENCE}",
            "no edit was found: the fence in line 2 names no file; if it is the whole text of one, name it with "
            f"--path PATH, else {ASK_FOR}",
        ),
        (
            f"Replace this:\n{FENCE}with this:\n{FENCE}",
            "no edit was found: the fences in lines 2 and 6 name no file; if each is the whole text of one, write its "
            f"path on the line before, else {ASK_FOR}",
        ),
    ],
)
def test_an_answer_without_an_edit_says_what_to_do(apply: Apply, answer: str, said: str) -> None:
    done = apply(answer, "--yes")
    assert (done.code, done.out, done.err) == (3, "", f"motet: standard input: {said}\n")


@pytest.mark.parametrize("format", ["anchored", "apply_patch", "search_replace", "udiff", "whole_file", "xml"])
def test_an_answer_without_an_edit_in_the_format_asked_for_is_exit_code_3_too(apply: Apply, format: str) -> None:
    assert apply("Just use a list.\n", "--format", format).code == 3


@pytest.mark.parametrize("answer", ["", " \n\n"])
def test_an_empty_answer_says_so(apply: Apply, answer: str) -> None:
    done = apply(answer)
    expected = "motet: standard input: empty; give the answer as a FILE or through a pipe\n"
    assert (done.code, done.err) == (3, expected)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\x7fELF\0\0\xff", "binary data; give the answer as text"),
        ("naïve\n".encode("latin1"), "not UTF-8 text; convert it first, as in `iconv -f latin1 -t utf-8`"),
        (b"\xff\xfea\0\0\xd8", "not UTF-8 text; convert it first, as in `iconv -f latin1 -t utf-8`"),
    ],
)
def test_what_is_no_text_is_not_taken_for_an_answer(apply: Apply, project: Project, data: bytes, said: str) -> None:
    project.write({"answer": data})
    for how, name in ((("answer",), "answer"), ((), "standard input")):
        done = apply(data, "--yes", *how)
        assert (done.code, done.err) == (3, f"motet: {name}: {said}\n")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no.md", "no.md: No such file or directory"),
        ("whatever", "whatever: there is neither such a file nor such a chat; `motet history list` shows the chats"),
        (".", ".: Is a directory"),
        ("", "an empty path was given; leave it out to read standard input"),
    ],
)
def test_an_answer_that_cannot_be_read_is_a_usage_error(apply: Apply, name: str, said: str) -> None:
    done = apply("", name)
    assert (done.code, done.err) == (2, f"motet: {said}\n")


def test_an_answer_that_is_cut_short_changes_nothing_and_names_the_line(apply: Apply, project: Project) -> None:
    done = apply(edits(GREET) + edits(AREA).removesuffix(">>>>>>> REPLACE\n"), "--yes")
    assert (done.code, project.text("app.py")) == (1, APP)
    said = "motet: standard input: nothing is applied: line 8: the block has no REPLACE marker\n"
    assert done.err == said


def test_an_edit_without_a_path_says_how_to_give_one(apply: Apply) -> None:
    done = apply(block(*AREA))
    assert (done.code, done.err) == (
        1,
        "motet: standard input: nothing is applied: line 1: no path before this block says which file it is for; "
        "--path PATH names it\n",
    )


def test_options_that_exclude_each_other_are_refused(apply: Apply) -> None:
    done = apply(edits(AREA), "--yes", "--dry-run")
    assert (done.code, done.err) == (2, "motet: --yes, --review and --dry-run exclude each other\n")
    done = apply(edits(AREA), "--review")
    said = "motet: --review: not a terminal, so nobody can be asked; use --yes or --dry-run\n"
    assert (done.code, done.err) == (2, said)


# --- refusals --------------------------------------------------------------------------------------------------


@pytest.mark.acceptance("S0-031", "T-24")
def test_a_refusal_shows_reason_candidates_the_nearest_text_and_advice(apply: Apply, project: Project) -> None:
    done = apply("Some prose.\n\n" + edits(MISSED), "--yes")
    assert (done.code, project.text("app.py")) == (1, APP)
    assert done.err == (
        "1 edit in 1 file: app.py\n\n"
        "app.py: line 4 of the answer: refused (not_found): the search text does not stand in the file\n"
        f"candidates: lines 5-6\nnearest text (- your search text, + the file):\n{NEAREST}{NEARLY}\n\n"
        "Applied changes to 0 of 1 file.\n"
    )


def test_several_places_are_all_named(apply: Apply, project: Project) -> None:
    project.write({"app.py": "x = 1\n\nx = 1\n"})
    done = apply(edits(("x = 1\n", "x = 2\n")), "--yes")
    assert (done.code, project.text("app.py")) == (1, "x = 1\n\nx = 1\n")
    assert done.err.splitlines()[2:5] == [
        "app.py: line 2 of the answer: refused (ambiguous): the search text stands in 2 places",
        "candidates: line 1, line 3",
        "advice: ask the model to take in more of the neighbouring lines, or edit one of these places yourself",
    ]


def test_of_several_edits_the_state_of_each_is_told_and_other_files_are_written(
    apply: Apply, project: Project
) -> None:
    done = apply(edits(GREET, MISSED, AREA) + "new.py\n```\nx = 1\n```\n", "--yes")
    assert (done.code, project.text("app.py"), project.text("new.py")) == (1, APP, "x = 1\n")
    told = done.err.splitlines()
    assert told[0] == "4 edits in 2 files: app.py, new.py"
    missed = "app.py: edit 2, line 8 of the answer: refused (not_found): the search text does not stand in the file"
    assert missed in told
    assert told[-5:] == [
        NEARLY,
        "app.py: nothing is applied to this file: edits 1 and 3 fit, edit 2 does not; --partial takes what fits",
        "",
        "Applied changes to 1 of 2 files.",
        "`motet undo` takes it back.",
    ]  # fmt: skip


def test_partial_keeps_what_fits(apply: Apply, project: Project) -> None:
    done = apply(edits(GREET, MISSED, AREA), "--yes", "--partial")
    assert (done.code, project.text("app.py")) == (1, APP.replace(*GREET).replace(*AREA))
    assert done.err.splitlines()[-4:-1] == [
        "app.py: edits 1 and 3 fit, edit 2 does not",
        "",
        "Applied changes to 1 of 1 file.",
    ]


def test_two_edits_on_the_same_place_are_both_refused(apply: Apply, project: Project) -> None:
    done = apply(edits(("def area(w, h):\n" + AREA[0], "def area(w, h):\n    return 0\n"), AREA), "--yes")
    assert (done.code, project.text("app.py")) == (1, APP)
    assert [line for line in done.err.splitlines() if line.startswith(("app.py", "candidates"))] == [
        "app.py: edit 1, line 2 of the answer: refused (overlap): lines 9-10 overlap lines 10-10 of another edit in "
        "the same answer",
        "candidates: lines 9-10, line 10",
        "app.py: edit 2, line 10 of the answer: refused (overlap): lines 10-10 overlap lines 9-10 of another edit in "
        "the same answer",
        "candidates: line 10, lines 9-10",
        "app.py: nothing is applied to this file: none of its 2 edits fits",
    ]


def test_a_file_that_is_missing_is_named(apply: Apply) -> None:
    done = apply(edits(AREA, path="no.py"), "--yes")
    assert done.code == 1
    assert done.err.splitlines()[2:4] == [
        "no.py: line 2 of the answer: refused (not_found): there is no such file",
        "advice: check the path; --root DIR names the directory that paths are meant from",
    ]


@pytest.mark.parametrize("path", ["project/sub/s.py", "/repo/sub/s.py"])
def test_the_only_file_that_a_wrong_path_may_mean_is_named(apply: Apply, project: Project, path: str) -> None:
    project.write({"sub/s.py": "a = 1\n"})
    done = apply(edits(("a = 1\n", "a = 2\n"), path=path), "--yes")
    assert (done.code, project.text("sub/s.py")) == (1, "a = 1\n")
    assert done.err.splitlines()[-1] == f"{path}: did you mean sub/s.py? Then correct the path in the answer."


def test_a_file_that_stands_where_the_user_stands_is_pointed_at(apply: Apply, project: Project) -> None:
    shutil.rmtree(project.root / ".git", ignore_errors=True)
    subprocess.run(["git", "init", "-q"], cwd=project.root, check=True)
    project.write({"sub/s.py": "a = 1\n", "other/s.py": "a = 1\n"})
    answer = edits(("a = 1\n", "a = 2\n"), path="s.py")
    done = apply(answer, "--yes", cwd="sub")
    assert done.code == 1
    assert done.err.splitlines()[-1] == (
        "s.py is in the current directory: `--root .` takes paths from there."
    )  # fmt: skip
    assert apply(answer, "--yes", "--root", ".", cwd="sub").code == 0
    assert project.text("sub/s.py") == "a = 2\n"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("../out.py", "refused (outside_workspace): leaves the workspace (..)"),
        ("/etc/passwd", "refused (outside_workspace): absolute; name it relative to the workspace"),
        ("link/out.py", "refused (outside_workspace): "),
    ],
)
def test_a_path_outside_of_the_workspace_is_refused(
    apply: Apply, project: Project, tmp_path: Path, path: str, said: str
) -> None:
    (tmp_path / "out.py").write_text(APP)
    (project.root / "link").symlink_to(tmp_path)
    done = apply(edits(AREA, path=path), "--yes")
    assert done.code == 1
    assert done.err.splitlines()[2].startswith(f"{path}: line 2 of the answer: {said}")
    assert (tmp_path / "out.py").read_text() == APP


def test_a_binary_file_is_refused(apply: Apply, project: Project) -> None:
    project.write({"image.png": b"\0\1\2"})
    done = apply(edits(AREA, path="image.png"), "--yes")
    assert done.code == 1
    assert done.err.splitlines()[2].startswith("image.png: line 2 of the answer: refused (binary): ")


def test_a_read_only_file_says_how_to_allow_it_and_the_other_files_are_written(
    apply: Apply, project: Project
) -> None:
    project.write({"b.txt": "b\n"})
    (project.root / "app.py").chmod(0o444)
    done = apply(edits(AREA) + edits(("b\n", "B\n"), path="b.txt"), "--yes")
    assert (done.code, project.text("app.py"), project.text("b.txt")) == (1, APP, "B\n")
    assert "app.py: not written: read-only; allow writing first (chmod u+w)" in done.err.splitlines()
    assert "Applied changes to 1 of 2 files." in done.err.splitlines()


@pytest.mark.acceptance("S3-007")
def test_a_protected_place_is_not_written_without_a_terminal(apply: Apply, project: Project) -> None:
    project.write({".github/workflows/ci.yml": "a\n"})
    done = apply(edits(("a\n", "b\n"), path=".github/workflows/ci.yml"), "--yes")
    assert (done.code, project.text(".github/workflows/ci.yml")) == (4, "a\n")
    assert done.err.splitlines()[-3] == (
        ".github/workflows/ci.yml: not written: needs a yes; a protected place is written only when you say so at a "
        "terminal"
    )


def test_what_stands_there_already_is_a_success(apply: Apply, project: Project) -> None:
    project.write({"app.py": APP.replace(*AREA)})
    done = apply(edits(AREA), "--yes")
    assert done.code == 0
    assert done.err.splitlines()[2:] == [
        "app.py: line 10: already applied: the new text stands there, nothing was changed",
        "",
        "Applied changes to 0 of 1 file, 1 was so already.",
    ]


def test_a_loosely_matched_edit_says_what_was_forgiven(apply: Apply, project: Project) -> None:
    done = apply(edits(("return w * h\n", "return h * w\n")), "--yes")
    assert (done.code, project.text("app.py")) == (0, APP.replace(*AREA))
    note = "app.py: line 10: matched with another indentation; the new text was indented the same way"
    assert note in done.err.splitlines()


@pytest.mark.acceptance("T-24")
def test_a_text_that_is_nearly_right_is_never_applied_unasked(apply: Apply, project: Project) -> None:
    near = ("def mean(valeus):\n    return sum(values) / len(values)\n", "def mean(values):\n    return 0\n")
    for how in ("--yes", "--dry-run"):
        done = apply(edits(near), how)
        assert (done.code, project.text("app.py")) == (1, APP)
        said = done.out if how == "--dry-run" else done.err
        assert "refused (not_found)" in said
        assert NEARLY in said.splitlines()


# --- what is written, and said ---------------------------------------------------------------------------------


def test_without_a_terminal_nothing_is_written_unless_yes(apply: Apply, project: Project) -> None:
    done = apply(edits(AREA))
    assert (done.code, project.text("app.py")) == (1, APP)
    assert done.err.splitlines()[1] == FEW_LINES
    assert done.err.splitlines()[-1] == "Nothing is written. 1 of 1 file would change."


@pytest.mark.parametrize(
    ("answer", "code", "changed"),
    [(edits(AREA, GREET), 0, "1 of 1 file"), (edits(AREA, MISSED), 1, "0 of 1 file"), ("prose", 3, "")],
)
def test_a_dry_run_writes_nothing_and_its_exit_code_says_what_would_happen(
    apply: Apply, project: Project, answer: str, code: int, changed: str
) -> None:
    before = (project.root / "app.py").stat()
    done = apply(answer, "--dry-run")
    after = (project.root / "app.py").stat()
    assert (done.code, project.text("app.py")) == (code, APP)
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert [*project.root.iterdir()] == [project.root / "app.py"]
    if changed:
        assert (done.out.splitlines()[-1], done.err) == (f"Nothing is written. {changed} would change.", "")
    assert not project.state.exists() or "app.py" not in project.here("undo", "--list").out


def test_every_exit_code_is_in_the_help(project: Project) -> None:
    text = " ".join(project.here("apply", "--help").out.split())
    assert (
        "Exit code 0: all edits applied (with --dry-run: would be), 1: some were refused or left, or cannot be "
        "understood, 2: usage, 3: nothing in the answer is an edit, 4: not permitted, 130: interrupted." in text
    )
    assert max(map(len, project.here("apply", "--help").out.splitlines())) <= 80


def test_json_tells_everything_in_one_line_each(apply: Apply, project: Project) -> None:
    done = apply(edits(AREA, MISSED) + "new.py\n```\nx = 1\n```\n", "--yes", "--json")
    assert done.code == 1
    assert [json.loads(line) for line in done.out.splitlines()] == [
        {
            "schema": 1,
            "event": "understood",
            "edits": [
                {"path": "app.py", "kind": "replace", "answer_line": 2},
                {"path": "app.py", "kind": "replace", "answer_line": 8},
                {"path": "new.py", "kind": "write", "answer_line": 16},
            ],
        },
        {
            "schema": 1,
            "event": "proposal",
            "path": "new.py",
            "created": True,
            "hunks": [{"line": 1, "old": "", "new": "x = 1\n", "decision": "accepted", "remark": ""}],
        },
        {
            "schema": 1,
            "event": "file",
            "path": "app.py",
            "written": False,
            "would_change": False,
            "problem": None,
            "edits": [
                {
                    "kind": "replace",
                    "answer_line": 2,
                    "state": "fits",
                    "rung": "exact",
                    "lines": [[10, 10]],
                    "note": None,
                },
                {
                    "kind": "replace",
                    "answer_line": 8,
                    "state": "refused",
                    "reason": "not_found",
                    "message": "the search text does not stand in the file",
                    "candidates": [[5, 6]],
                    "nearest": NEAREST.removesuffix("\n"),
                    "advice": "copy the lines from the file exactly as they are, white space and misspellings included",
                },
            ],
        },
        {
            "schema": 1,
            "event": "file",
            "path": "new.py",
            "written": True,
            "would_change": True,
            "problem": None,
            "edits": [
                {"kind": "write", "answer_line": 16, "state": "fits", "rung": "exact", "lines": [], "note": None}
            ],
        },
        {
            "schema": 1,
            "event": "applied",
            "summary": "Applied changes to 1 of 2 files.",
            "dry_run": False,
            "exit_code": 1,
        },
    ]


@pytest.mark.parametrize(
    ("answer", "line", "code", "message"),
    [
        ("prose", 1, 3, f"standard input: {NOTHING}"),
        (edits(AREA)[:-4], 2, 1, "standard input: nothing is applied: line 2: the block has no REPLACE marker"),
        ("", None, 3, "standard input: empty; give the answer as a FILE or through a pipe"),
    ],
)
def test_json_ends_with_an_error_when_there_is_nothing_to_apply(
    apply: Apply, answer: str, line: int | None, code: int, message: str
) -> None:
    done = apply(answer, "--json")
    assert done.code == code
    assert done.events == [
        {"schema": 1, "event": "error", "message": message, "answer_line": line, "exit_code": code}
    ]
    assert done.err == f"motet: {message}\n"


def test_a_long_answer_names_three_files_and_counts_the_rest(apply: Apply) -> None:
    answer = "".join(f"{name}.txt\n```\n{name}\n```\n" for name in "abcde")
    assert apply(answer, "-n").out.splitlines()[0] == "5 edits in 5 files: a.txt, b.txt, c.txt and 2 more"


def test_a_pipe_gets_no_escape_byte_not_even_what_the_answer_holds(apply: Apply, project: Project) -> None:
    done = apply(edits(("    return w * h\x1b[2J\n", "    return 0\x1b]0;owned\x07\n")), "--yes")
    assert re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", done.raw) is None
    assert project.text("app.py") == APP


# --- files in fences that are not named right before them ---------------------------------------------------------


def test_a_file_named_in_a_heading_is_taken_with_its_sentence_in_between(apply: Apply, project: Project) -> None:
    text = APP.replace(*AREA)
    done = apply(f"### 1. `app.py`\n\nSwap the factors:\n\n```python\n{text}```\n", "--yes")
    assert (done.code, project.text("app.py")) == (0, text)


def test_a_fence_that_names_no_file_is_only_said_to_be_left_out(apply: Apply, project: Project) -> None:
    answer = f"new.py\n{FENCE}\nAnd the settings:\n\n```yaml\nport: 1\n```\n\nThen:\n```bash\nmake\n```\n"
    done = apply(answer, "--yes")
    assert (done.code, project.text("new.py")) == (0, "x = 1\n")
    assert [line for line in done.err.splitlines() if "left out" in line] == [
        "line 8: a yaml fence that names no file was left out"
    ]
    assert apply(answer, "-n", "--json").event("left_out") == {
        "schema": 1,
        "event": "left_out",
        "answer_line": 8,
        "language": "yaml",
        "message": "line 8: a yaml fence that names no file was left out",
    }


def test_two_fences_that_may_be_one_file_are_left_out_with_exit_code_1(apply: Apply, project: Project) -> None:
    project.write({"b.py": "x = 1\n"})
    fences = "app.py\n\nIt was:\n\n```python\nx = 1\n```\n\nIt is now:\n\n```python\nx = 2\n```\n"
    change = edits(("x = 1\n", "x = 3\n"), path="b.py")
    done = apply(f"{fences}\n{change}", "--yes")
    assert (done.code, project.text("app.py"), project.text("b.py")) == (1, APP, "x = 3\n")
    assert done.err.count("was left out: it is not the only one that could be app.py") == 2


@pytest.mark.parametrize("shown", ["    return w * h\n", "def area(w, h):\n    return w * h\n"])
def test_a_fence_that_shows_lines_of_a_file_does_not_hold_its_blocks_back(
    apply: Apply, project: Project, shown: str
) -> None:
    done = apply(f"### app.py\n\n```python\n{shown}```\n\nbecomes\n\n{edits(AREA)}", "--yes")
    assert (done.code, project.text("app.py")) == (0, APP.replace(*AREA))
    assert "line 3: a fence that may show app.py was left out: the answer has edits of that file" in done.err


def test_new_text_of_a_file_beside_blocks_for_it_is_not_taken_for_a_quotation(apply: Apply, project: Project) -> None:
    done = apply(f"### app.py\n\n```python\nprint(1)\n```\n\nand\n\n{edits(AREA)}", "--yes")
    assert (done.code, project.text("app.py")) == (1, APP)


def test_an_example_is_told_but_does_not_change_the_exit_code(apply: Apply) -> None:
    done = apply(f"new.py\n{FENCE}\nUsage:\n\n```python\nimport new\n```\n", "--yes")
    assert done.code == 0
    assert "line 8: a python fence that names no file was left out (an example, as it seems)" in done.err.splitlines()


@pytest.mark.acceptance("T-24")
@pytest.mark.parametrize(
    "answer",
    [
        "### app.py\n\nA better one:\n\n```python\n" + APP[APP.index("def mean") :] + "```\n",
        f"```python\n# app.py\n{APP[: APP.index('def area')]}```\n",
    ],
)
def test_a_piece_of_a_file_that_is_named_loosely_is_not_taken_unasked(
    apply: Apply, project: Project, answer: str
) -> None:
    for how in ("--yes", "--dry-run"):
        done = apply(answer, how)
        assert (done.code, project.text("app.py")) == (1, APP)
        assert "this looks like a piece of the file: " in done.err + done.out
    [file] = [event for event in apply(answer, "--yes", "--json").events if event["event"] == "file"]
    assert file["written"] is False


@pytest.mark.acceptance("T-24")
def test_a_file_named_loosely_that_begins_otherwise_is_not_taken_unasked(apply: Apply, project: Project) -> None:
    answer = f"### app.py\n\nA better one:\n\n```python\nimport sys\n{APP}```\n"
    for how in ("--yes", "--dry-run"):
        done = apply(answer, how)
        assert (done.code, project.text("app.py")) == (1, APP)
        assert (
            "; this may be only a piece of the file, which only a review at a terminal or --format whole_file takes "
            "as all of it\n"
        ) in done.err + done.out
    [file] = [event for event in apply(answer, "--yes", "--json").events if event["event"] == "file"]
    assert (file["written"], file["problem"]) == (False, "this may be only a piece of the file")


def test_what_looks_like_a_piece_says_how_to_take_it_as_the_file(apply: Apply, project: Project) -> None:
    done = apply("**app.py**\n```python\n    return h * w\n```\n", "--yes")
    assert (done.code, project.text("app.py")) == (1, APP)
    advice = (
        "advice: ask the model for SEARCH/REPLACE blocks; if it is all of the file, say so with --format whole_file"
    )
    assert advice in done.err.splitlines()


def test_what_a_piece_seems_to_be_is_the_file_when_that_is_said(apply: Apply, project: Project) -> None:
    done = apply("app.py\n```python\nx = 1\n```\n", "--yes", "--format", "whole_file")
    assert (done.code, project.text("app.py")) == (0, "x = 1\n")


def test_the_path_given_beside_the_answer_is_that_of_its_only_fence(apply: Apply, project: Project) -> None:
    done = apply(f"Use this:\n{FENCE}Then:\n```bash\nmake\n```\n", "--yes", "--path", "new.py")
    assert (done.code, project.text("new.py")) == (0, "x = 1\n")
    done = apply(f"Replace:\n{FENCE}by:\n{FENCE}", "--yes", "--path", "other.py")
    assert (done.code, done.err) == (
        1,
        "motet: standard input: nothing is applied: line 6: it is not clear whether this fence or that of line 2 is "
        "other.py; name the file of each on the line before\n",
    )


def test_the_comment_that_names_a_file_is_dropped_where_the_file_has_none(apply: Apply, project: Project) -> None:
    project.write({"a.yaml": "x: 1\n", "b.yaml": "# b.yaml\nx: 1\n"})
    answer = "".join(f"Here:\n```yaml\n# {name}.yaml\nx: 1\ny: 2\n```\n" for name in "abc")
    assert apply(answer, "--yes").code == 0
    assert project.text("a.yaml") == "x: 1\ny: 2\n"
    assert [project.text(f"{name}.yaml") for name in "bc"] == ["# b.yaml\nx: 1\ny: 2\n", "# c.yaml\nx: 1\ny: 2\n"]


def test_modes_and_links_of_a_git_diff_are_told(apply: Apply, project: Project) -> None:
    diff = (
        "diff --git a/run.sh b/run.sh\nnew file mode 100755\nindex 0000000..3333333\n--- /dev/null\n+++ b/run.sh\n"
        "@@ -0,0 +1 @@\n+make\n"
    )
    done = apply(diff, "--yes")
    assert (done.code, project.text("run.sh")) == (0, "make\n")
    assert "run.sh: its mode is not changed; chmod does that" in done.err.splitlines()
    link = diff.replace("run.sh", "link").replace("100755", "120000")
    done = apply(diff.replace("make", "make all").replace("run", "all") + link, "--yes", "--json")
    assert (done.code, project.text("all.sh")) == (1, "make all\n")
    assert not (project.root / "link").exists()
    assert done.event("left_out")["message"] == "link: a symbolic link in the diff; left out"


def test_a_directory_that_is_gone_is_one_line(project: Project) -> None:
    argv = ("sh", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec motet "$@"', "sh")
    done = project.run("apply", "-", argv=argv, given=edits(AREA).encode())
    assert (done.code, done.err) == (2, "motet: the current directory no longer exists; go to another one\n")


def test_advice_about_a_placeholder_is_for_a_person(apply: Apply) -> None:
    done = apply("app.py\n```python\n# ... existing code ...\n\nx = 1\n```\n", "--yes")
    assert done.code == 1
    assert "advice: ask the model for SEARCH/REPLACE blocks, or for the whole file with nothing left out" in done.err


# --- another directory -----------------------------------------------------------------------------------------


def test_paths_are_meant_from_the_root_that_is_given_and_undo_is_there(apply: Apply, project: Project) -> None:
    other = project.root.parent / "other"
    (other / "sub").mkdir(parents=True)
    (other / "sub" / "app.py").write_text(APP)
    done = apply(edits(AREA), "--yes", "--root", str(other / "sub"))
    assert (done.code, (other / "sub" / "app.py").read_text()) == (0, APP.replace(*AREA))
    assert project.text("app.py") == APP
    assert done.err.splitlines()[-1] == f"`cd {other / 'sub'} && motet undo` takes it back."
    subprocess.run(["sh", "-c", f"cd {other / 'sub'} && motet undo"], check=True, env=project.env(), cwd="/")
    assert (other / "sub" / "app.py").read_text() == APP


@pytest.mark.parametrize("path", ["../app.py", "{root}/app.py", "a/../../app.py"])
def test_a_path_that_leaves_the_root_is_refused_although_it_is_in_the_workspace(
    apply: Apply, project: Project, path: str
) -> None:
    subprocess.run(["git", "init", "-q"], cwd=project.root, check=True)
    (project.root / "sub").mkdir()
    done = apply(edits(AREA, path=path.format(root=project.root)), "--yes", "--root", "sub")
    assert (done.code, project.text("app.py")) == (1, APP)
    said = "../app.py: line 2 of the answer: refused (outside_workspace): leaves the workspace (..)"
    assert done.err.splitlines()[2] == said


def test_a_root_that_is_no_directory_is_a_usage_error(apply: Apply) -> None:
    done = apply(edits(AREA), "--root", "app.py")
    assert (done.code, done.err) == (2, "motet: --root: app.py: not a directory\n")


def test_a_closed_standard_output_ends_a_json_run_without_a_word(project: Project) -> None:
    project.write({"app.py": APP, "answer.md": edits(AREA)})
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        ["motet", "apply", "--json", "--dry-run", "answer.md"], cwd=project.root, env=project.env(),
        stdout=write, stderr=subprocess.PIPE, check=False, timeout=40,
    )  # fmt: skip
    os.close(write)
    assert (done.returncode, b"Traceback" in done.stderr) == (141, False)


def test_the_encoding_of_a_file_that_declares_none_is_told_by_its_look_or_by_its_name(
    apply: Apply, project: Project
) -> None:
    (project.root / "sjis.txt").write_bytes("# 日本語のコメントです。\r\na\n".encode("cp932"))
    (project.root / "greek.txt").write_bytes("Ωραία μέρα\na\n".encode("iso8859-7"))
    answer = edits(("a\n", "値\n"), path="sjis.txt")
    assert apply(answer, "--yes").code == 0
    assert (project.root / "sjis.txt").read_bytes() == "# 日本語のコメントです。\r\n値\n".encode("cp932")
    answer = edits(("Ωραία μέρα\n", "Ωραία μέρα!\n"), path="greek.txt")
    assert apply(answer, "--yes").code == 1
    assert apply(answer, "--yes", "--encoding", "greek").code == 0
    assert (project.root / "greek.txt").read_bytes() == "Ωραία μέρα!\na\n".encode("iso8859-7")
    done = apply(answer, "--yes", "--encoding", "rot13")
    assert (done.code, done.err) == (2, "motet: encoding: rot13: there is no such encoding of text\n")


def test_an_encoding_can_be_a_setting(apply: Apply, project: Project) -> None:
    (project.root / "greek.txt").write_bytes("Ωραία μέρα\na\n".encode("iso8859-7"))
    project.settings('encoding = "iso-8859-7"\n')
    assert apply(edits(("Ωραία μέρα\n", "μέρα\n"), path="greek.txt"), "--yes").code == 0
    assert (project.root / "greek.txt").read_bytes() == "μέρα\na\n".encode("iso8859-7")

"""Unified diffs: content is what counts, numbers are hints, and nothing of a diff gets lost unsaid."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.edits import Delete, Edit, EditPreview, Insert, Move, Near, Replace, Write, parse
from motet.edits.formats.reader import read
from motet.edits.formats.udiff import UdiffReader, starts
from motet.errors import EditFormatError

HEAD = "--- a/src/a.py\n+++ b/src/a.py\n"


def found(diff: str, path: str = "") -> list[Edit]:
    return read(UdiffReader(path=path, call="c"), diff)


def replaced(hunk: str) -> tuple[str, str]:
    (edit,) = found(HEAD + hunk)
    assert isinstance(edit, Replace)
    return edit.search, edit.replace


def refused(diff: str, path: str = "") -> tuple[str, int | None]:
    with pytest.raises(EditFormatError) as caught:
        found(diff, path)
    return str(caught.value), caught.value.line


@pytest.mark.acceptance("S1-013", "S1-017")
def test_a_hunk_replaces_whole_lines_near_its_line_and_heading() -> None:
    hunk = "@@ -12,3 +12,3 @@ def area(r):\n     # of a circle\n-    return 3\n+    return PI\n \n"
    assert found(HEAD + hunk) == [
        Replace(
            "src/a.py",
            "    # of a circle\n    return 3\n\n",
            "    # of a circle\n    return PI\n\n",
            "c",
            3,
            Near(12, ("def area(r):",), apart=10),
        )
    ]


@pytest.mark.acceptance("S1-005")
@pytest.mark.parametrize(
    ("head", "near"),
    [
        ("@@", Near()),
        ("@@ @@", Near()),
        ("@@ ... @@", Near()),
        ("@@ -... +... @@", Near()),
        ("@@ -3 +3 @@", Near(3, apart=10)),
        ("@@ -900,70 +1,2 @@", Near(900)),
        ("@@ -3,1 +3,1", Near(3, apart=10)),
        ("@@ class A:", Near(headers=("class A:",))),
        ("@@ class A: @@", Near(headers=("class A:",))),
        ("@@class A:", Near(headers=("class A:",))),
        ("@@ line 3-5 @@", Near(3)),
        ("@@ @@ Line 3", Near(3)),
        ("@@ -99999999999,1 +1 @@", Near(headers=("-99999999999,1 +1",))),
        ("@@ class A:\n@@ def f", Near(headers=("class A:", "def f"))),
    ],
)
def test_an_at_line_may_have_right_wrong_or_no_numbers(head: str, near: Near) -> None:
    assert found(f"{HEAD}{head}\n-a\n+b\n") == [Replace("src/a.py", "a\n", "b\n", "c", 3, near)]


@pytest.mark.parametrize(
    ("head", "path"),
    [
        ("--- a/src/a.py\n+++ b/src/a.py\n", "src/a.py"),
        ("--- src/a.py\n+++ src/a.py\n", "src/a.py"),
        ("--- a/a/a.py\n+++ a/a/a.py\n", "a/a/a.py"),
        ("--- i/src/a.py\n+++ w/src/a.py\n", "src/a.py"),
        ("--- a/src/a.py\n+++ src/a.py\n", "src/a.py"),
        ("--- src/a.py\n+++ b/src/a.py\n", "src/a.py"),
        ("--- a.py.orig\n+++ a.py\n", "a.py"),
        ("--- a/src/a.py\n", "src/a.py"),
        ("--- ./a.py\n+++ ./a.py\n", "a.py"),
        ("--- a/a.py\t2024-01-02 03:04:05.0 +0100\n+++ b/a.py\t2024-01-02 03:04:05.0 +0100\n", "a.py"),
        ("--- a/a.py 2024-01-02 03:04:05 +0100\n+++ b/a.py 2024-01-02 03:04:05 +0100\n", "a.py"),
        ('--- "a/na\\303\\257ve \\"q\\".py"\n+++ "b/na\\303\\257ve \\"q\\".py"\n', 'naïve "q".py'),
        ("--- a/two words.py\n+++ b/two words.py\n", "two words.py"),
        ("diff --git a/x.py b/x.py\nindex 12..34 100644\n--- a/x.py\n+++ b/x.py\n", "x.py"),
        ("diff --git a/x y.py b/x y.py\n", "x y.py"),
        ("Index: x.py\n=====\n--- x.py\t(revision 1)\n+++ x.py\t(working copy)\n", "x.py"),
    ],
)
def test_the_file_is_named_as_programs_and_models_name_it(head: str, path: str) -> None:
    (edit,) = found(f"{head}@@ -1 +1 @@\n-a\n+b\n")
    assert edit.path == path


def test_several_files_with_prose_and_fences_between_are_one_diff() -> None:
    answer = (
        "First:\n\n```diff\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n```\n\n- then the other\n\n"
        "```\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-3\n+4\n@@ -9 +9 @@\n-5\n+6\n```\nDone."
    )
    assert [(edit.path, edit.line) for edit in found(answer)] == [("a", 6), ("b", 16), ("b", 19)]


def test_hunks_without_a_named_file_are_for_the_file_that_is_known() -> None:
    assert found("@@ -1 +1 @@\n-a\n+b\n", "x.py") == [Replace("x.py", "a\n", "b\n", "c", 1, Near(1, apart=10))]
    assert found("-a\n+b\n", "x.py") == [Replace("x.py", "a\n", "b\n", "c", 1)]
    assert refused("@@ -1 +1 @@\n-a\n+b\n") == ("line 1: no file is named before this hunk", 1)


def test_lines_without_a_hunk_are_taken_only_where_no_file_is_named() -> None:
    lines = "-a\n+b\n"
    assert found(lines, "a.py") == [Replace("a.py", "a\n", "b\n", "c", 1)]
    assert refused(HEAD + lines, "a.py") == refused(HEAD + lines) == ("line 1: no hunk follows this file's name", 1)


def test_a_hunk_behind_prose_is_not_given_to_the_file_before() -> None:
    diff = f"{HEAD}@@ -1,1 +1,1 @@\n-a\n+b\n\nNow in b.py:\n@@ -1 +1 @@\n-c\n+d\n"
    assert refused(diff) == ("line 8: no file is named before this hunk", 8)


def test_an_empty_context_line_may_lack_its_space() -> None:
    assert replaced("@@ -1,4 +1,4 @@\n a\n\n-b\n+c\n") == ("a\n\nb\n", "a\n\nc\n")


def test_empty_lines_behind_a_hunk_are_no_part_of_it_unless_its_counts_say_so() -> None:
    assert replaced("@@ ... @@\n-a\n+b\n\n\n") == ("a\n", "b\n")
    assert replaced("@@ -1,2 +1,2 @@\n-a\n+b\n\n") == ("a\n\n", "b\n\n")


@pytest.mark.parametrize(
    ("hunk", "search", "new"),
    [
        ("@@ -1,2 +1,1 @@\n a\n--- old remark\n", "a\n-- old remark\n", "a\n"),
        ("@@ -1 +1 @@\n--- x\n+++ y\n@@ -9 +9 @@\n z\n", "-- x\n", "++ y\n"),
        ("@@ -1,2 +1,2 @@\n--- x\n+++ y\n c\n", "-- x\nc\n", "++ y\nc\n"),
    ],
)
def test_a_line_that_looks_like_a_file_name_belongs_to_its_hunk(hunk: str, search: str, new: str) -> None:
    assert replaced(hunk) == (search, new)


def test_the_next_file_needs_no_line_between() -> None:
    diff = f"{HEAD}@@ ... @@\n-1\n+2\n--- a/b\n+++ b/b\n@@ ... @@\n-3\n+4\n"
    assert [(edit.path, edit.line) for edit in found(diff)] == [("src/a.py", 3), ("b", 8)]


@pytest.mark.parametrize(
    "hunk",
    [
        "@@ -1,3 +1,3 @@\ndef f():\n-    a\n+    b\n    c\n",
        "@@ ... @@\ndef f():\n-    a\n+    b\n    c\n",
        "```\n@@ ... @@\ndef f():\n-    a\n+    b\n    c\n```\n",
    ],
)
def test_context_without_its_space_is_kept(hunk: str) -> None:
    assert replaced(hunk) == ("def f():\n    a\n    c\n", "def f():\n    b\n    c\n")


def test_only_the_lines_that_lack_their_space_are_taken_as_they_stand() -> None:
    assert replaced("@@ ... @@\n def f():\n-  a\n+  b\n}\n") == ("def f():\n  a\n}\n", "def f():\n  b\n}\n")


def test_added_lines_alone_are_inserted_where_the_numbers_or_a_header_say() -> None:
    assert found(f"{HEAD}@@ -5,0 +6,2 @@ def f():\n+a\n+b\n") == [Insert("src/a.py", "a\nb\n", Near(6), "c", 3)]
    assert found(f"{HEAD}@@ def f():\n+a\n") == [Insert("src/a.py", "a\n", Near(headers=("def f():",)), "c", 3)]
    assert refused(f"{HEAD}@@ ... @@\n+a\n") == ("line 3: nothing says where these added lines belong", 3)


def test_a_new_file_is_written_with_the_final_newline_that_the_diff_gives_it() -> None:
    new = "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n"
    assert found(new) == [Write("n", "a\nb\n", True, "c", 1)]
    assert found(f"{new}\\ No newline at end of file\n") == [Write("n", "a\nb", True, "c", 1)]
    assert found("diff --git a/n b/n\nnew file mode 100644\nindex 0..e69\n") == [Write("n", "", True, "c", 1)]


def test_a_file_from_nowhere_whose_lines_are_replaced_exists() -> None:
    assert found("--- /dev/null\n+++ f.txt\n@@ ... @@\n-a\n+b\n") == [Replace("f.txt", "a\n", "b\n", "c", 3)]


def test_a_deleted_file_is_deleted() -> None:
    assert found("--- a/d\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n") == [Delete("d", "c", 1, "a\nb\n")]
    assert found("diff --git a/d b/d\ndeleted file mode 100644\nindex e69..0\n") == [Delete("d", "c", 1, "")]
    assert refused("--- a/d\n+++ /dev/null\n@@ -1,2 +1 @@\n-a\n b\n") == (
        "line 3: the file is to be deleted, but this hunk does not only remove lines",
        3,
    )


def test_a_renamed_file_moves_and_its_hunks_are_for_the_name_it_had() -> None:
    head = "diff --git a/old.py b/new.py\nsimilarity index 90%\nrename from old.py\nrename to new.py\n"
    assert found(head) == [Move("old.py", "new.py", "c", 1)]
    assert found(f"{head}--- a/old.py\n+++ b/new.py\n@@ -1 +1 @@\n-a\n+b\n") == [
        Move("old.py", "new.py", "c", 1),
        Replace("old.py", "a\n", "b\n", "c", 7, Near(1, apart=10)),
    ]


def test_a_hunk_without_a_last_line_end_is_at_the_end_of_its_file() -> None:
    (edit,) = found(f"{HEAD}@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n")
    assert edit == Replace("src/a.py", "a\n", "b\n", "c", 3, Near(1, at_end=True, apart=10))


def test_a_patch_by_mail_ends_with_its_signature() -> None:
    diff = f"Subject: [PATCH] x\n---\n a | 2 +-\n{HEAD}@@ -1 +1 @@\n-a\n+b\n-- \n2.39.0\n\n"
    assert found(diff) == [Replace("src/a.py", "a\n", "b\n", "c", 6, Near(1, apart=10))]


@pytest.mark.parametrize(
    ("diff", "message"),
    [
        ("", "line 1: there is no unified diff here"),
        ("Only prose, and\n- a list\n+ of things\n", "line 1: there is no unified diff here"),
        (HEAD, "line 1: no hunk follows this file's name"),
        (f"{HEAD}Some prose.\n", "line 1: no hunk follows this file's name"),
        (f"{HEAD}@@ -1 +1 @@\n a\n", "line 1: no hunk of this file adds or removes a line"),
        (f"{HEAD}@@ -1 +1 @@\n", "line 3: this hunk has no lines"),
        (f"{HEAD}@@ -1 +1 @@\n@@ -2 +2 @@\n-a\n+b\n", "line 3: this hunk has no lines"),
        ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "line 1: a change of mode cannot be applied"),
        ("diff --git a/x b/y\ncopy from x\ncopy to y\n", "line 2: a copy of a file cannot be applied"),
        ("diff --git a/x b/x\nGIT binary patch\n", "line 2: a binary patch cannot be applied"),
        (
            "diff --git a/x b/x\nBinary files a/x and b/x differ\n",
            "line 2: the diff does not hold the new content of this binary file",
        ),
        ("diff --cc x\n", "line 1: a combined diff of a merge cannot be applied"),
        (f"{HEAD}@@@ -1 -1 +1 @@@\n", "line 3: a combined diff of a merge cannot be applied"),
        ("--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "line 3: no file is named before this hunk"),
        (HEAD + "@@ x\n" * 20 + "-a\n", "line 3: this hunk has more than 16 headers"),
    ],
)
def test_what_cannot_be_applied_is_refused_with_its_line(diff: str, message: str) -> None:
    text, line = refused(diff)
    assert text == message
    assert text.startswith(f"line {line}: ")


def test_a_hunk_that_changes_nothing_beside_others_is_left_out() -> None:
    diff = f"{HEAD}@@ -1 +1 @@\n a\n@@ -5 +5 @@\n-b\n+c\n"
    assert [edit.line for edit in found(diff)] == [5]


def test_a_diff_is_done_at_the_first_line_that_is_none_of_it() -> None:
    reader = UdiffReader()
    states = []
    for number, line in enumerate([*f"{HEAD}@@ -1 +1 @@\n-a\n+b".split("\n"), "", "So much.", "--- a/b"], 1):
        reader.line(line, number)
        states.append(reader.is_done)
    assert states == [False] * 6 + [True, False]


def test_lines_are_shown_while_their_hunk_is_still_coming() -> None:
    reader = UdiffReader()
    shown = []
    for number, line in enumerate(f"{HEAD}@@ -1,2 +1,2 @@\n x\n-a\n+b".split("\n"), 1):
        shown.append(reader.line(line, number))
    assert shown[3:] == [
        [EditPreview("src/a.py", 1, "search", ("x",)), EditPreview("src/a.py", 1, "replace", ("x",))],
        [EditPreview("src/a.py", 1, "search", ("a",))],
        [EditPreview("src/a.py", 1, "replace", ("b",))],
    ]


@pytest.mark.parametrize(
    ("line", "could"),
    [
        ("--- a/x", True),
        ("diff --git a/x b/x", True),
        ("@@ -1 +1 @@ def f():", True),
        ("@@ -1 +1 @@", True),
        ("@@ ... @@", True),
        ("---", False),
        ("--- ", False),
        ("@@counter = 1", False),
        ("+++ b/x", False),
        ("prose", False),
    ],
)
def test_the_first_line_of_a_diff_is_known(line: str, could: bool) -> None:
    assert starts(line) is could


LINES = st.sampled_from(
    ["--- a/x", "+++ b/x", "@@ -1,2 +1,2 @@", "@@ f", "@@", " a", "-a", "+b", "", "prose", "```", "```diff", "\\ No",
     "diff --git a/x b/y", "rename from x", "rename to y", "new file mode 1", "deleted file mode 1", "+++ /dev/null",
     "--- /dev/null", "-- ", "index 1..2", "old mode 1"]
)  # fmt: skip


@given(st.lists(st.one_of(LINES, st.text(max_size=20)), max_size=30), st.sampled_from(["", "p"]))
def test_whatever_the_lines_are_there_are_edits_or_a_format_error_of_one_of_them(lines: list[str], path: str) -> None:
    try:
        edits = found("\n".join(lines), path)
    except EditFormatError as error:
        assert error.line is not None
        assert str(error).startswith(f"line {error.line}: ")
    else:
        assert all(edit.path for edit in edits)


def test_a_hunk_without_any_sign_is_refused() -> None:
    with pytest.raises(EditFormatError, match=r"^line 3: no line of this hunk begins with \+ or -$"):
        found(HEAD + "@@\nx = 1\n")


def test_a_file_may_be_named_by_its_plus_line_alone() -> None:
    diff = "+++ b/a.py\n@@ -1,2 +1,2 @@\n c\n-old\n+new\n+++ b/b.py\n@@ -7 +7 @@\n-x\n+y\n+++ b/c.py\n@@ -0,0 +1 @@\n+z\n"
    for format in ("udiff", "auto"):
        assert parse(diff, format) == [
            Replace("a.py", "c\nold\n", "c\nnew\n", line=2, near=Near(1, apart=10)),
            Replace("b.py", "x\n", "y\n", line=7, near=Near(7, apart=10)),
            Write("c.py", "z\n", create=True, line=10),
        ]


def test_an_added_line_of_plus_signs_is_a_line() -> None:
    [edit] = parse("--- a/a.c\n+++ b/a.c\n@@ -1 +1,2 @@\n-n;\n+++ n;\n+m;\n")
    assert isinstance(edit, Replace)
    assert edit.replace == "++ n;\nm;\n"

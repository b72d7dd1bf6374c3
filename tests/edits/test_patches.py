"""Patches as models write them: context that lost the blank before it, and files that are removed."""

from __future__ import annotations

import pytest

from motet.edits import FilePlan, Match, Refusal, plan
from motet.edits.formats import parse
from motet.edits.outcome import Remark, Rung
from motet.text import TextFile

FILE = """\
import os

/**
 * About it.
 */
export class A {
  one() {
    return 1;
  }
}
"""
LOST = """\
*** Begin Patch
*** Update File: a.ts
@@
 * About it.
 */
export class A {
  one() {
-    return 1;
+    return 2;
  }
}
*** End Patch
"""


def planned(answer: str, text: str = FILE, path: str = "a.ts", *, review: bool = False) -> FilePlan:
    files = {path: TextFile.decode(path, text.encode())}
    [file] = plan(files, parse(answer), approximate="propose" if review else "refuse").files
    return file


@pytest.mark.parametrize("form", ["apply_patch", "udiff"])
def test_context_that_lost_its_blank_is_read_as_it_stands(form: str) -> None:
    body = LOST.partition("@@\n")[2].partition("***")[0]
    answer = LOST if form == "apply_patch" else f"--- a/a.ts\n+++ b/a.ts\n@@ -4,7 +4,7 @@\n{body}"
    file = planned(answer)
    assert file.after is not None and file.after.text == FILE.replace("return 1", "return 2")
    [match] = file.outcomes
    assert isinstance(match, Match) and Remark.RAW in match.remarks


def test_what_could_be_lost_blanks_or_another_indentation_is_refused() -> None:
    answer = "*** Begin Patch\n*** Update File: a.py\n@@\n  x = 1\n+ y = 1\n*** End Patch\n"
    [outcome] = planned(answer, "if a:\n  x = 1\n", "a.py").outcomes
    assert isinstance(outcome, Refusal)


def test_a_guess_leaves_every_line_of_context_as_it_is_in_the_file() -> None:
    answer = LOST.replace("About it", "About  that").replace("*** Begin", "*** Begin")
    file = planned(answer.replace("/**", "/*"), review=True)
    [match] = file.outcomes
    assert isinstance(match, Match) and match.rung is Rung.APPROXIMATE
    assert file.after is not None and file.after.text == FILE.replace("return 1", "return 2")


@pytest.mark.parametrize(
    ("text", "is_gone"),
    [("a\nb\n", True), ("a \r\nb", True), ("a\nb\nc\n", False), ("a\n", False), ("a\nc\n", False), ("", False)],
)
def test_a_diff_removes_a_file_only_if_it_fits_whole(text: str, is_gone: bool) -> None:
    file = planned("--- a/d.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n", text, "d.txt")
    assert (file.after is None) is is_gone
    assert is_gone or file.after is file.before


@pytest.mark.parametrize(("text", "is_gone"), [("", True), ("x\n", False)])
def test_a_diff_that_shows_no_line_removes_an_empty_file_only(text: str, is_gone: bool) -> None:
    file = planned("diff --git a/d.txt b/d.txt\ndeleted file mode 100644\n", text, "d.txt")
    assert (file.after is None) is is_gone


def test_markers_of_a_conflict_are_never_new_text() -> None:
    answer = "a.ts\n<<<<<<< SEARCH\nimport os\n=======\n<<<<<<<< HEAD\nimport os\n>>>>>>>> other\n>>>>>>> REPLACE\n"
    [outcome] = planned(answer).outcomes
    assert isinstance(outcome, Refusal)


def test_parts_of_an_edit_stay_in_the_block_that_the_first_one_begins() -> None:
    text = "def a():\n    x = 1\n    return x\n\ndef b():\n    z = 3\n    return 1\n"
    answer = "a.py\n<<<<<<< SEARCH\ndef a():\n    # ...\n    return 1\n=======\ndef a(n):\n    # ...\n    return 2\n>>>>>>> REPLACE\n"
    [outcome] = planned(answer, text, "a.py").outcomes
    assert isinstance(outcome, Refusal)


def test_the_header_above_the_place_is_not_written_again() -> None:
    answer = 'a.py\n<<<<<<< SEARCH\n    """doc 1"""\n=======\nclass F:\n    """doc 2"""\n>>>>>>> REPLACE\n'
    [outcome] = planned(answer, 'class F:\n    """doc 1"""\n', "a.py").outcomes
    assert isinstance(outcome, Refusal)


def test_a_file_that_is_removed_without_its_lines_is_removed() -> None:
    assert planned("*** Begin Patch\n*** Delete File: d.txt\n*** End Patch\n", "x\n", "d.txt").after is None

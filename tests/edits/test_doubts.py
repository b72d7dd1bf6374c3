"""Edits that have a place and are refused all the same, because their new text could be meant in two ways."""

import pytest

from motet.edits import Match, Near, Outcome, Refusal, Replace, parse, plan
from motet.text import TextFile

HALF_INDENTED = "a part of its new text is indented as in the file, another part as in its search text"
LESS = "its new lines are indented less than the line they would go to"
COPIED = "its new text was copied with line numbers, a fence or diff marks, its search text was not"
PART = "it is a part of a line, and its new text looks like more of that line: whole lines are needed"
ABSENT = "the search text does not stand in the file"


def outcome(text: str, edit: Replace) -> tuple[Outcome, str]:
    file = TextFile.decode(edit.path, text.encode())
    planned = plan({edit.path: file}, [edit]).files[0]
    assert planned.after is not None
    return planned.outcomes[0], planned.after.text


def refused(text: str, edit: Replace) -> str:
    found, after = outcome(text, edit)
    assert isinstance(found, Refusal)
    assert after == text
    return found.message


def applied(text: str, edit: Replace) -> str:
    found, after = outcome(text, edit)
    assert isinstance(found, Match), found
    return after


BODY = "def f():\n    a = 1\n    b = 2\n"


@pytest.mark.acceptance("SP-03")
@pytest.mark.parametrize("new", ["a = 1\n    b = 3\n", "    a = 9\nb = 3\n", "a = 1\n    c = 2\n    b = 2\n"])
def test_new_text_indented_half_like_the_file_is_refused(new: str) -> None:
    assert refused(BODY, Replace("f.py", "a = 1\nb = 2\n", new)) == HALF_INDENTED


@pytest.mark.parametrize(
    ("new", "after"),
    [
        ("if a:\n    b = 3\n", "def f():\n    if a:\n        b = 3\n"),
        ("if a:  # why\n    b = 3\n", "def f():\n    if a:  # why\n        b = 3\n"),
        ("a = 1\nx = 1\nb = 2\n", "def f():\n    a = 1\n    x = 1\n    b = 2\n"),
    ],
)
def test_new_text_that_opens_a_block_is_indented_like_its_search_text(new: str, after: str) -> None:
    assert applied(BODY, Replace("f.py", "a = 1\nb = 2\n", new)) == after


def test_one_line_that_lost_its_indentation_before_lines_that_kept_theirs_is_refused() -> None:
    edit = Replace("a.py", "go(1)\n", "stop()\n        go(2)\n")
    assert refused("class A:\n    def f():\n        go(1)\n", edit) == HALF_INDENTED


def test_new_text_that_mixes_tabs_into_spaces_is_refused() -> None:
    edit = Replace("a.txt", "\t\told\n", "\t\tnew\n  more\n")
    assert refused("x\n        old\n", edit) == "its new text mixes tabs and spaces, its search text does not"


@pytest.mark.parametrize(
    ("search", "new", "why"),
    [
        ("go()\n        stay()\n", "run()\nstay()\n", LESS),
        ("go()\n", "        run()\n", "its new text begins with white space, which its search text leaves out"),
    ],
)
def test_characters_behind_an_indentation_do_not_lose_it(search: str, new: str, why: str) -> None:
    text = "def f():\n    if x:\n        go()\n        stay()\n"
    assert refused(text, Replace("a.py", search, new, inline=True)) == why


def test_a_line_whose_whole_text_goes_takes_its_indentation_along() -> None:
    text = "def f():\n    go()\n    stay()\n"
    assert applied(text, Replace("a.py", "go()\n", "", inline=True)) == "def f():\n    stay()\n"


def test_a_line_that_was_cut_off_is_refused() -> None:
    edit = Replace("a.c", "total = price\n", "total = price * county\n")
    assert refused("total = price * count\n", edit) == PART


def test_a_line_that_was_cut_off_and_stands_there_whole_is_taken_for_applied() -> None:
    assert applied("lhs += rhs;\n", Replace("a.c", "lhs += rhs\n", "lhs += rhs;\n")) == "lhs += rhs;\n"


def test_a_part_of_a_line_that_gets_longer_itself_is_replaced() -> None:
    assert applied("x = foo(a) + 1\n", Replace("a.py", "foo(a)\n", "foo(a, b)\n")) == "x = foo(a, b) + 1\n"


@pytest.mark.parametrize(
    "new", ["1 | a = 2\n2 | b = 3\n", "  1→a = 2\n  2→b = 3\n", "```python\na = 2\nb = 3\n```\n", "+a = 2\n+b = 3\n"]
)
def test_new_text_that_alone_was_copied_with_a_decoration_is_refused(new: str) -> None:
    assert refused("a = 1\nb = 2\n", Replace("a.py", "a = 1\nb = 2\n", new)) == COPIED


def test_a_fence_put_around_lines_of_markdown_is_text() -> None:
    assert applied("a\nb\n", Replace("a.md", "a\nb\n", "```\na\nb\n```\n")) == "```\na\nb\n```\n"


def test_a_fence_of_the_file_is_not_taken_for_a_copied_one() -> None:
    text = "```bash\nls\n```\n\nend\n"
    edit = Replace("a.md", "```bash\nls\n```\n```\n", "```sh\nls -l\n```\n```\n")
    assert refused(text, edit) == ABSENT


def test_a_gutter_without_a_space_keeps_the_spaces_of_blank_lines() -> None:
    edit = Replace("a.md", " 1│  \n 2│* one\n 3│* two\n", " 1│  \n 2│* one\n")
    assert applied("  \n* one\n* two\n", edit) == "  \n* one\n"


@pytest.mark.parametrize(
    ("text", "search", "new"),
    [
        ("# one\n\ndef f():\n", "# one\n\n\ndef f():\n", "# two\n# three\n\ndef f():\n"),
        ("a1\nb1\n", "\nb1\n", "new\nb1\n"),
        ("#endif\n\n#endif\n", "#endif\n#endif\n", "#endif\n#endif\n#endif_2\n"),
    ],
)
def test_other_blank_lines_than_the_file_has_are_not_changed(text: str, search: str, new: str) -> None:
    assert refused(text, Replace("a.c", search, new)) == ABSENT


def test_a_blank_line_between_changed_lines_stays_where_it_is() -> None:
    assert applied("one\n\ntwo\n", Replace("a.txt", "one\ntwo\n", "1\n2\n")) == "1\n\n2\n"


def test_a_blank_line_before_the_search_text_that_the_file_lacks_is_left_out() -> None:
    assert applied("    one\n    two\n", Replace("a.txt", "\n  one\n  two\n", "  1\n  2\n")) == "    1\n    2\n"


def test_an_elision_mark_that_is_text_of_the_file_stands_for_nothing() -> None:
    text = "...\na = 1\n...\nb = 1\nc = 1\n"
    assert refused(text, Replace("a.txt", "a = 1\n...\nc = 1\n", "a = 2\n...\nc = 2\n")) == ABSENT


def test_new_text_beside_a_line_that_was_to_go_is_not_taken_for_applied() -> None:
    assert refused("one\ntwo\nthree\n", Replace("a.txt", "one\nthree\n", "two\nthree\n")) == ABSENT


@pytest.mark.parametrize(
    ("text", "new", "after"),
    [("}\nend()\n", "}\nend()\n", "}\n}\nend()\n"), ("load()\nend()\n", "load()\nend()\n", "load()\nend()\n")],
)
def test_only_a_line_that_says_something_is_taken_for_added_before(text: str, new: str, after: str) -> None:
    assert applied(text, Replace("a.c", "end()\n", new)) == after


def test_a_line_number_decides_between_places_far_apart_when_the_hunk_is_whole() -> None:
    text = "x = 1\n" + "y\n" * 20 + "x = 1\n"
    diff = "--- a/a.py\n+++ b/a.py\n@@ -22 +22 @@\n-x = 1\n+x = 2\n"
    [edit] = parse(diff, "udiff")
    assert isinstance(edit, Replace)
    assert applied(text, edit) == "x = 1\n" + "y\n" * 20 + "x = 2\n"


@pytest.mark.parametrize("head", ["@@ -4 +4 @@", "@@ -4,3 +4,3 @@"])
def test_a_line_number_decides_nothing_between_close_places_or_with_wrong_counts(head: str) -> None:
    [edit] = parse(f"--- a/a.py\n+++ b/a.py\n{head}\n-x = 1\n+x = 2\n", "udiff")
    assert isinstance(edit, Replace)
    assert refused("x = 1\ny\nz\nx = 1\n", edit) == "the search text stands in 2 places"


def test_the_start_line_of_a_block_decides() -> None:
    edit = Replace("a.py", "x = 1\n", "x = 2\n", near=Near(3, apart=1))
    assert applied("x = 1\ny\nx = 1\n", edit) == "x = 1\ny\nx = 2\n"


@pytest.mark.parametrize(
    ("text", "hunk", "after"),
    [
        ("a\nb\n", "@@ -2 +2 @@\n-b\n+B\n\\ No newline at end of file\n", "a\nB"),
        ("a\nb\n", "@@ -2 +2 @@\n-b\n+b\n\\ No newline at end of file\n", "a\nb"),
        ("a\nb", "@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+b\n", "a\nb\n"),
        ("a\nb", "@@ -2 +2,2 @@\n-b\n\\ No newline at end of file\n+b\n+c\n", "a\nb\nc\n"),
        (
            "a\nb",
            "@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+B\n\\ No newline at end of file\n",
            "a\nB",
        ),
    ],
)
def test_a_diff_that_changes_only_or_also_the_last_line_end_is_done_as_it_says(
    text: str, hunk: str, after: str
) -> None:
    [edit] = parse(f"--- a/a.txt\n+++ b/a.txt\n{hunk}", "udiff")
    assert isinstance(edit, Replace)
    assert applied(text, edit) == after


def test_a_marker_that_was_escaped_is_meant() -> None:
    [edit] = parse("a.md\n<<<<<<< SEARCH\nold\n=======\n\\<<<<<<< SEARCH\n>>>>>>> REPLACE\n", "search_replace")
    assert isinstance(edit, Replace)
    assert applied("old\n", edit) == "<<<<<<< SEARCH\n"


def test_a_file_that_is_deleted_and_added_by_one_patch_is_written_anew() -> None:
    patch = "*** Begin Patch\n*** Delete File: a.txt\n*** Add File: a.txt\n+new\n*** End Patch\n"
    file = TextFile.decode("a.txt", b"old\n")
    planned = plan({"a.txt": file}, parse(patch, "apply_patch")).files[0]
    assert planned.refusals == ()
    assert planned.after is not None
    assert planned.after.text == "new\n"


def test_a_guess_is_not_placed_in_a_text_that_another_edit_has_changed_meanwhile() -> None:
    text = "def area(radius):\n    return 3 * radius * radius\n\n\nprint(area(1))\n"
    edits = [
        Replace("a.py", "print(area(1))\n", "x = 1\nprint(area(2))\n"),
        Replace(
            "a.py", "def area(radius):\n    return 3.1 * radius * radius\n", "def area(r):\n    return 3 * r * r\n"
        ),
    ]
    planned = plan({"a.py": TextFile.decode("a.py", text.encode())}, edits, approximate="propose").files[0]
    assert planned.after is not None
    assert planned.after.text == "def area(r):\n    return 3 * r * r\n\n\nx = 1\nprint(area(2))\n"

"""The ways in which other tools read an edit, one choice each: what becomes of the file, and what is refused."""

import pytest

from motet.edits import Dialect, Near, Refusal, Replace, Write, parse, plan
from motet.edits.edit import Edit
from motet.errors import EditFormatError
from motet.text import TextFile

EMPTY_TOP = Dialect(empty_search="prepend")
EMPTY_ALL = Dialect(empty_search="whole_file")


def after(before: str | None, *edits: Edit, dialect: Dialect, approximate: bool = False) -> str:
    """The text of `a.txt` after the edits, or the reason why one of them is refused."""
    files = {} if before is None else {"a.txt": TextFile.decode("a.txt", before.encode())}
    made = plan(files, edits, approximate="propose" if approximate else "refuse", dialect=dialect)
    [file] = made.files
    reasons = [str(one.reason) for one in file.outcomes if isinstance(one, Refusal)]
    return reasons[0] if reasons else file.after.text if file.after else "gone"


@pytest.mark.parametrize(
    ("before", "search", "new", "kept", "edited"),
    [
        ("a\nb", "b\n", "B\n", "a\nB", "a\nB\n"),
        ("a\nb", "b\n", "", "a", "a\n"),
        ("a\nb", "a\n", "A\n", "A\nb", "A\nb"),
        ("a\nb\n", "b\n", "", "a\n", "a\n"),
    ],
)
def test_the_last_line_end_is_kept_or_left_to_the_edit(
    before: str, search: str, new: str, kept: str, edited: str
) -> None:
    edit = Replace("a.txt", search, new)
    assert after(before, edit, dialect=Dialect()) == kept
    assert after(before, edit, dialect=Dialect(final_newline="as_edited")) == edited
    says_it = Replace("a.txt", search, new, final_newline=False)
    assert after(before, says_it, dialect=Dialect(final_newline="as_edited")) == after(
        before, says_it, dialect=Dialect()
    )


def test_a_file_that_a_patch_adds_ends_with_a_line_end_or_without() -> None:
    patch = "*** Begin Patch\n*** Add File: a.txt\n+one\n+two\n*** End Patch\n"
    for dialect, text in ((Dialect(), "one\ntwo\n"), (Dialect(added_file="bare"), "one\ntwo")):
        [edit] = parse(patch, "apply_patch", dialect=dialect)
        assert edit == Write("a.txt", text, True, line=2)
    bare = Dialect(final_newline="add", added_file="bare")
    assert after(None, Write("a.txt", "one\ntwo"), dialect=bare) == "one\ntwo"
    assert after("one", Write("a.txt", "one\ntwo"), dialect=bare) == "one\ntwo\n"


@pytest.mark.parametrize(("written", "text"), [("a\r\nb\nc", "a\r\nb\r\nc"), ("a\nb\r\n", "a\nb\n"), ("a", "a")])
def test_the_line_ends_of_a_new_file_stay_or_become_like_the_first(written: str, text: str) -> None:
    first = Dialect(line_ends="first")
    assert after(None, Write("a.txt", written), dialect=Dialect()) == written
    assert after(None, Write("a.txt", written), dialect=first) == text
    assert after("a\nb\r\n", Replace("a.txt", "a\n", "A\n"), dialect=first) == "A\nb\r\n"


def test_new_text_takes_the_indentation_of_the_file_or_stands_as_it_was_written() -> None:
    edit = Replace("a.txt", "a\nb\n", "a\nB\n")
    assert after("  a\n  b\n", edit, dialect=Dialect()) == "  a\n  B\n"
    assert after("  a\n  b\n", edit, dialect=Dialect(indentation="as_written")) == "  a\nB\n"


def test_a_header_that_stands_nowhere_is_no_hint_or_a_refusal() -> None:
    edit = Replace("a.txt", "a\n", "A\n", near=Near(headers=("def f():",)))
    assert after("a\n", edit, dialect=Dialect()) == "A\n"
    assert after("a\n", edit, dialect=Dialect(headers="required")) == "not_found"
    assert after("def f():\na\n", edit, dialect=Dialect(headers="required")) == "def f():\nA\n"
    below = Replace("a.txt", "a\n", "A\n", near=Near(headers=("class C:", "def f():")))
    assert after("class C:\na\n", below, dialect=Dialect(headers="required")) == "not_found"


def test_an_empty_search_text_goes_to_the_top_or_stands_for_the_whole_file() -> None:
    edit = Replace("a.txt", "", "new\n", inline=True)
    assert after("old\n", edit, dialect=Dialect()) == "bad_format"
    assert after("old\n", edit, dialect=EMPTY_TOP) == "new\nold\n"
    assert after("old\n", edit, dialect=EMPTY_ALL) == "new\n"


@pytest.mark.parametrize("dialect", [Dialect(), EMPTY_TOP, EMPTY_ALL, Dialect(empty_search="append")])
def test_nothing_for_nothing_never_empties_a_file(dialect: Dialect) -> None:
    assert after("old\n", Replace("a.txt", "", ""), dialect=dialect) == "no_change"


def test_blank_lines_are_all_there_is_to_find_in_an_empty_file() -> None:
    edit = Replace("a.txt", "\n", "hello\n")
    assert after("", edit, dialect=Dialect()) == "hello\n"
    assert after("", edit, dialect=Dialect(exact=True)) == "not_found"
    assert after("", Replace("a.txt", " \n", "\n"), dialect=Dialect()) == "not_found"
    assert after("text\n", edit, dialect=Dialect()) == "not_found"
    files = {name: TextFile.decode("a.txt", text.encode()) for name, text in (("now", ""), ("shown", "x\n\n"))}
    [emptied] = plan({"a.txt": files["now"]}, [edit], shown={"a.txt": files["shown"]}).files
    assert [str(one.reason) for one in emptied.refusals] == ["stale"]


def test_a_patch_may_lack_both_its_markers_but_not_the_second_alone() -> None:
    bare = "*** Update File: a.txt\n@@\n-a\n+b\n"
    unopened = Dialect(unclosed="unopened")
    for patch in (bare, f"{bare}*** End Patch\n"):
        assert parse(patch, "apply_patch", dialect=unopened) == [Replace("a.txt", "a\n", "b\n", line=2)]
        with pytest.raises(EditFormatError, match="there is no \\*\\*\\* Begin Patch before this line"):
            parse(patch, "apply_patch")
    with pytest.raises(EditFormatError, match="has no \\*\\*\\* End Patch"):
        parse(f"*** Begin Patch\n{bare}", "apply_patch", dialect=unopened)


def test_lines_that_differ_only_in_the_white_space_around_them_are_alike_throughout() -> None:
    text = "def f():\n    if a:\n        b()\n"
    edit = Replace("a.txt", "    if a:\n    b()\n", "    if a:\n    c()\n")
    assert after(text, edit, dialect=Dialect(alike=1.0)) == "not_found"  # it is only offered
    assert after(text, edit, dialect=Dialect(alike=1.0), approximate=True) == "def f():\n    if a:\n    c()\n"


def test_what_is_alike_keeps_the_change_of_indentation_of_its_first_line() -> None:
    edit = Replace("a.txt", "if a:\nb()\n", "if a:\nc()\n")
    assert after("  if a:\n    b()\n", edit, dialect=Dialect(alike=1.0), approximate=True) == "  if a:\n  c()\n"


@pytest.mark.parametrize(
    ("search", "is_alike"),
    [
        ("Alpha\nBravo\nXray\nDelta\n", True),
        ("Alpha\nBravo\nXray\nZulu\n", True),
        ("Alpha\nYoke\nXray\nZulu\n", False),
        ("alpha\nbravo\ncharlie\ndelta\n", False),
    ],
)
def test_half_of_the_lines_are_equal_where_the_others_are_hardly_alike(search: str, is_alike: bool) -> None:
    text = "Alpha\nBravo\nCharlie\nDelta\n"
    found = after(text, Replace("a.txt", search, "new\n"), dialect=Dialect(alike=0.5), approximate=True)
    assert found == ("new\n" if is_alike else "not_found")


def test_two_places_that_are_as_much_alike_are_none() -> None:
    dialect = Dialect(alike=0.5)
    text = "one\ntwo\nx\none\ntwo\ny\n"
    assert after(text, Replace("a.txt", "one\ntwo\nz\n", "new\n"), dialect=dialect, approximate=True) == "not_found"

"""The ways in which other tools read an edit, one choice each: what becomes of the file, and what is refused."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))  # where the scripts import it from

from editcases.dialect import Dialect, parsed, planned

from motet.edits import Move, Near, Replace, Write
from motet.edits.edit import Edit
from motet.errors import EditFormatError
from motet.text import TextFile

EMPTY_TOP = Dialect(empty_search="prepend")
EMPTY_ALL = Dialect(empty_search="whole_file")


def tree(before: dict[str, str], *edits: Edit, dialect: Dialect) -> dict[str, str]:
    """All files as they would be."""
    files = {path: TextFile.decode(path, text.encode()) for path, text in before.items()}
    return {path: file.text for path, file in planned(files, edits, dialect).files.items()}


def after(before: str | None, *edits: Edit, dialect: Dialect) -> str:
    """The text of `a.txt` after the edits, or the reason why one of them is refused."""
    files = {} if before is None else {"a.txt": TextFile.decode("a.txt", before.encode())}
    made = planned(files, edits, dialect)
    return str(made.refusals[0].reason) if made.refusals else made.files["a.txt"].text


def of_block(diff: str, dialect: Dialect) -> tuple[str, str]:
    (edit,) = parsed(diff, "replace_in_file", path="a.py", dialect=dialect)
    assert isinstance(edit, Replace)
    return edit.search, edit.replace


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
        [edit] = parsed(patch, "apply_patch", dialect=dialect)
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
    emptied = planned({"a.txt": files["now"]}, [edit], shown={"a.txt": files["shown"]})
    assert [str(one.reason) for one in emptied.refusals] == ["stale"]


def test_a_patch_may_lack_both_its_markers_but_not_the_second_alone() -> None:
    bare = "*** Update File: a.txt\n@@\n-a\n+b\n"
    unopened = Dialect(unclosed="unopened")
    for patch in (bare, f"{bare}*** End Patch\n"):
        assert parsed(patch, "apply_patch", dialect=unopened) == [Replace("a.txt", "a\n", "b\n", line=3)]
        with pytest.raises(EditFormatError, match="there is no \\*\\*\\* Begin Patch before this line"):
            parsed(patch, "apply_patch")
    with pytest.raises(EditFormatError, match="has no \\*\\*\\* End Patch"):
        parsed(f"*** Begin Patch\n{bare}", "apply_patch", dialect=unopened)


def test_the_last_block_may_end_with_the_answer() -> None:
    cline = Dialect(unclosed="accept")
    assert of_block("<<<<<<< SEARCH\nold\n=======\nnew\n", cline) == ("old\n", "new\n")
    with pytest.raises(EditFormatError, match="the block has no ======= marker"):
        of_block("<<<<<<< SEARCH\nold\n", cline)


def test_strictly_read_markers_are_short_have_a_space_before_their_word_and_none_behind() -> None:
    strict = Dialect(strict_markers=True)
    assert of_block("<<< SEARCH\nold\n===\nnew\n>>> REPLACE", strict) == ("old\n", "new\n")
    for diff in (
        "------- SEARCH\nold\n======= \nnew\n+++++++ REPLACE",
        "------- SEARCH\nold\n=======\n+++++++REPLACE",
    ):
        with pytest.raises(EditFormatError):
            of_block(diff, strict)


def test_a_patch_that_updates_a_file_twice_is_taken_or_refused() -> None:
    update = "*** Update File: a.txt\n@@\n-a\n+b\n"
    patch = f"*** Begin Patch\n{update}{update.replace('-a', '-c')}*** End Patch\n"
    assert len(parsed(patch, "apply_patch")) == 2
    with pytest.raises(EditFormatError, match="updated twice"):
        parsed(patch, "apply_patch", dialect=Dialect(repeated="refuse"))


def test_what_is_there_is_refused_or_overwritten() -> None:
    before = {"a.txt": "a\n", "b.txt": "b\n"}
    overwrite = Dialect(existing="overwrite")
    for edit, left in (
        (Write("a.txt", "c\n", create=True), {"a.txt": "c\n", "b.txt": "b\n"}),
        (Move("a.txt", "b.txt"), {"b.txt": "a\n"}),
    ):
        assert tree(before, edit, dialect=Dialect()) == before
        assert tree(before, edit, dialect=overwrite) == left


def test_one_refusal_holds_back_its_file_or_all() -> None:
    edits = [Write("n.txt", "n\n"), Replace("a.txt", "x\n", "y\n")]
    assert tree({"a.txt": "a\n"}, *edits, dialect=Dialect()) == {"a.txt": "a\n", "n.txt": "n\n"}
    assert tree({"a.txt": "a\n"}, *edits, dialect=Dialect(atomic="answer")) == {"a.txt": "a\n"}


def test_a_place_that_only_a_human_may_take_is_refused() -> None:
    text = "Alpha\nBravo\nCharlie\nDelta\n"
    assert after(text, Replace("a.txt", text.replace("Bravo", "Brave"), "new\n"), dialect=Dialect()) == "not_found"

"""Anchored edits: lines named by number and content, so that a wrong or old anchor is found out."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.edits import Anchor, Edit, EditPreview, ReplaceAnchored
from motet.edits.formats.anchored import AnchoredReader, anchor_of, render_anchored, starts
from motet.edits.formats.anchored_call import read_range
from motet.edits.formats.anchors import read_anchor
from motet.edits.formats.reader import read
from motet.edits.lines import split_lines
from motet.errors import EditFormatError

FIRST, LAST = Anchor(12, "a3f"), Anchor(15, "f0z")


def found(answer: str, path: str = "") -> list[Edit]:
    return read(AnchoredReader(path=path, call="c"), answer)


def refused(answer: str, path: str = "") -> tuple[str, int | None]:
    with pytest.raises(EditFormatError) as caught:
        found(answer, path)
    return str(caught.value), caught.value.line


@pytest.mark.acceptance("S1-012", "S1-005")
def test_every_line_is_shown_with_its_number_and_a_hash_of_its_content() -> None:
    assert render_anchored("def f():\r\n    return 1\n\nend") == (
        "1:a7q│ def f():\n2:v2h│     return 1\n3:000│ \n4:cxh│ end\n"
    )
    assert render_anchored("") == ""
    assert render_anchored("a\rb") == render_anchored("a\nb\n")


def test_white_space_at_the_end_and_the_line_end_do_not_change_an_anchor() -> None:
    assert anchor_of("  x \t\r\n", 3) == anchor_of("  x", 3)
    assert anchor_of("x", 3) != anchor_of("  x", 3)


def test_an_anchor_is_the_same_in_every_process() -> None:
    code = "from motet.edits.formats.anchors import anchor_of; print(anchor_of('naïve', 1).hash)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout.strip() == anchor_of("naïve", 1).hash == "0b6"


def test_lines_that_differ_little_have_different_hashes() -> None:
    assert len({anchor_of(f"    x = {number}", 1).hash for number in range(1000)}) == 1000


@given(st.text(alphabet=st.characters(), max_size=200))
def test_each_line_is_rendered_with_its_own_anchor(text: str) -> None:
    shown = render_anchored(text).split("\n")
    assert shown.pop() == ""
    assert [read_anchor(line) for line in shown] == [
        anchor_of(line.text, number) for number, line in enumerate(split_lines(text), 1)
    ]


@pytest.mark.parametrize(
    "text", ["12:a3f", "[12:a3f]", "`12:a3f`", "L12:a3f", "12: a3f", "12:A3F", "12:a3f│ text : 5", "12:a3f| text"]
)
def test_an_anchor_is_read_as_models_copy_it(text: str) -> None:
    assert read_anchor(text) == FIRST


@pytest.mark.parametrize(
    "text", ["12", "12:", "a3f", "12:a", "12:a3fb", "x12:a3f", "12:a3f x", "9" * 10 + ":a3f", ""]
)
def test_what_is_no_anchor_is_not_taken_for_one(text: str) -> None:
    assert read_anchor(text) is None


@pytest.mark.parametrize(
    "text",
    ["12:a3f..15:f0z", "12:a3f...15:f0z", "12:a3f-15:f0z", "12:a3f – 15:f0z", "12:a3f to 15:f0z", "12:a3f…15:f0z"],
)
def test_a_range_is_read_as_models_write_it(text: str) -> None:
    assert read_range(text) == (FIRST, LAST)


@pytest.mark.parametrize("text", ["15:f0z..12:a3f", "0:abc", "12:a3f..", "12:a3f..15:f0z..16:abc", "12..15"])
def test_a_range_that_is_none_is_refused(text: str) -> None:
    assert read_range(text) is None


def test_lines_are_replaced_inserted_and_deleted() -> None:
    answer = (
        "I change two files.\n\n```\nfile src/a.py\nreplace 12:a3f..15:f0z\none\n\n  two\nend replace\n"
        "insert after 20:7k2\nx\nend insert\ninsert at start\ny\nend insert\n```\n"
        "**b.py**\ndelete 1:abc..2:def\nreplace 3:abc:\nend replace\n"
    )
    assert found(answer) == [
        ReplaceAnchored("src/a.py", FIRST, LAST, "one\n\n  two\n", "c", 5),
        ReplaceAnchored("src/a.py", Anchor(20, "7k2"), None, "x\n", "c", 10),
        ReplaceAnchored("src/a.py", Anchor(0, ""), None, "y\n", "c", 13),
        ReplaceAnchored("b.py", Anchor(1, "abc"), Anchor(2, "def"), "", "c", 18),
        ReplaceAnchored("b.py", Anchor(3, "abc"), Anchor(3, "abc"), "", "c", 19),
    ]


def test_text_that_reads_like_an_operation_is_written_with_a_backslash() -> None:
    answer = "replace 12:a3f\n\\end replace\n\\\\end insert\n\\replace 1:abc\n\\d+\nend\nend replace\n"
    (edit,) = found(answer, "a.vb")
    assert edit == ReplaceAnchored(
        "a.vb", FIRST, FIRST, "end replace\n\\end insert\nreplace 1:abc\n\\d+\nend\n", "c", 1
    )


def test_a_sentence_about_replacing_is_no_operation() -> None:
    assert found("I replace 3 lines.\ndelete 3 files\nreplace it\nfile handling\ndelete 1:abc\n", "a.py") == [
        ReplaceAnchored("a.py", Anchor(1, "abc"), Anchor(1, "abc"), "", "c", 5)
    ]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("", "line 1: there is no anchored edit here"),
        ("replace 12:a3f\nx\n", "line 1: there is no 'end replace' for this edit"),
        ("replace 12..15\nx\nend replace\n", "line 1: one anchor or two are needed, such as 12:a3f..15:f0z, not '12..15'"),
        ("insert after 12:a3fxy\n", "line 1: an anchor such as 12:a3f is needed, not '12:a3fxy'"),
        ("insert after 12:a3f\nend insert\n", "line 1: there are no lines to insert"),
        ("x\nend replace\n", "line 2: 'end replace' without an edit before it"),
        (
            "replace 12:a3f\nend insert\n",
            "line 2: 'end insert' does not end the replace of line 1; "
            "a line of text that reads so needs a backslash before it",
        ),
        (
            "replace 12:a3f\nx\ndelete 13:abc\n",
            "line 3: another edit begins before the one of line 1 was ended; "
            "a line of text that reads so needs a backslash before it",
        ),
        ("replace 12:a3f\n```python\nx\n```\nend replace\n", "line 1: the new lines stand in a fence; leave the fence out"),
    ],
)  # fmt: skip
def test_what_cannot_be_understood_is_refused_with_its_line(answer: str, message: str) -> None:
    text, line = refused(answer, "a.py")
    assert text == message
    assert text.startswith(f"line {line}: ")


def test_an_edit_whose_file_is_never_named_is_refused() -> None:
    assert refused("delete 1:abc\n") == ("line 1: no file is named before this edit", 1)


def test_a_fence_belongs_to_the_text_of_a_markdown_file() -> None:
    (edit,) = found("file a.md\nreplace 12:a3f\n```\nx\n```\nend replace\n")
    assert edit == ReplaceAnchored("a.md", FIRST, FIRST, "```\nx\n```\n", "c", 2)


def test_new_lines_are_shown_as_they_come() -> None:
    reader = AnchoredReader(path="a")
    reader.line("replace 12:a3f", 1)
    assert reader.line("  x", 2) == [EditPreview("a", 1, "replace", ("  x",))]


def test_the_edits_are_done_at_the_first_line_that_is_none_of_them() -> None:
    reader = AnchoredReader()
    states = []
    for number, line in enumerate(["file a.py", "delete 1:abc", "", "delete 2:abc", "Done.", "delete 3:abc"], 1):
        reader.line(line, number)
        states.append(reader.is_done)
    assert states == [False, False, False, False, True, False]


@pytest.mark.parametrize(
    ("line", "could"),
    [
        ("file src/a.py", True),
        ("replace 12:a3f", True),
        ("insert after 1:abc", True),
        ("insert at start", True),
        ("delete 1:abc..2:abc", True),
        ("file handling", False),
        ("replace the line", False),
        ("src/a.py", False),
    ],
)
def test_the_first_line_of_anchored_edits_is_known(line: str, could: bool) -> None:
    assert starts(line) is could


LINES = st.sampled_from(
    ["file a.py", "b.py", "replace 1:abc", "replace 1:abc..2:def", "insert after 0", "insert at start", "delete 1:abc",
     "end replace", "end insert", "\\end replace", "```", "text", "", "replace 1", "insert after x"]
)  # fmt: skip


@given(st.lists(st.one_of(LINES, st.text(max_size=20)), max_size=30), st.sampled_from(["", "p"]))
def test_whatever_the_lines_are_there_are_edits_or_a_format_error_of_one_of_them(lines: list[str], path: str) -> None:
    try:
        edits = found("\n".join(lines), path)
    except EditFormatError as error:
        assert error.line is not None
        assert str(error).startswith(f"line {error.line}: ")
    else:
        assert all(isinstance(edit, ReplaceAnchored) and edit.path for edit in edits)

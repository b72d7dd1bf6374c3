"""Answers that arrive in pieces: the same edits however they are cut, and previews as early as can be."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.edits import Edit, EditPreview, Replace, StreamParser, Write, parse
from motet.edits.formats import FORMATS
from motet.errors import EditFormatError

BLOCKS = "<<<<<<< SEARCH\nold\n=======\nnew\nlines\n>>>>>>> REPLACE\n\n------- SEARCH\n=======\nx\n+++++++ REPLACE\n"
ANSWERS = {
    "search_replace": f"Sure.\n\nsrc/a.py\n```python\n{BLOCKS}```\n",
    "replace_in_file": BLOCKS,
    "xml": "<replace_file><path>a.py</path>\n<search>\nold\n</search>\n<replace>\nnew\n</replace>\n</replace_file>\n"
    f"<replace_in_file><path>b.py</path><diff>\n{BLOCKS}</diff></replace_in_file>",
    "whole_file": "a.py\n```python\nimport os\n\nos.sep\n```\nThat is all.",
    "udiff": "--- a/d.py\n+++ b/d.py\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n",
    "apply_patch": "*** Begin Patch\n*** Update File: p.py\n@@\n-old\n+new\n*** Add File: q.py\n+x\n*** End Patch",
    "anchored": "file n.py\nreplace 12:a3f\nnew\nend replace\n",
    "edit_file": json.dumps({"path": "e.py", "edits": [{"old": "a", "new": "b\nc"}]}),
}
ANSWERS["auto"] = "\n".join(text for name, text in ANSWERS.items() if name != "replace_in_file")


def streamed(chunks: list[str], format: str) -> list[EditPreview | Edit]:
    parser = StreamParser(format, path="given.py")
    pieces = [piece for chunk in chunks for piece in parser.feed(chunk)]
    return pieces + parser.finish()


def cut(text: str, places: list[int]) -> list[str]:
    ends = sorted({place % (len(text) + 1) for place in places} | {len(text)})
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def edits(pieces: list[EditPreview | Edit]) -> list[Edit]:
    return [piece for piece in pieces if not isinstance(piece, EditPreview)]


def lines(pieces: list[EditPreview | Edit]) -> list[tuple[str, int, str, str]]:
    previews = [piece for piece in pieces if isinstance(piece, EditPreview)]
    return [(piece.path, piece.number, piece.part, line) for piece in previews for line in piece.lines]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@given(places=st.lists(st.integers(0, 10_000), max_size=30))
def test_edits_and_previews_are_the_same_however_an_answer_is_cut(
    format: str, newline: str, places: list[int]
) -> None:
    answer = ANSWERS[format] if format == "edit_file" else ANSWERS[format].replace("\n", newline)
    whole = streamed([answer], format)
    pieces = streamed(cut(answer, places), format)
    assert edits(pieces) == edits(whole) == parse(answer, format, path="given.py")
    assert lines(pieces) == lines(whole)


@pytest.mark.parametrize("format", FORMATS)
def test_an_answer_may_come_character_by_character(format: str) -> None:
    assert edits(streamed(list(ANSWERS[format]), format)) == parse(ANSWERS[format], format, path="given.py")


@pytest.mark.acceptance("S1-015", "SP-04")
@pytest.mark.parametrize("format", ["search_replace", "auto"])
def test_a_line_of_a_block_is_previewed_as_soon_as_it_is_complete(format: str) -> None:
    parser = StreamParser(format)
    assert parser.feed("a.py\n<<<<<<< SEARCH\n") == []
    assert parser.feed("old") == []
    assert parser.feed("\n") == [EditPreview("a.py", 1, "search", ("old",))]
    assert parser.feed("=======\nne") == []
    assert parser.feed("w\n\n  x\n>>>") == [EditPreview("a.py", 1, "replace", ("new", "", "  x"))]
    assert parser.feed(">>>> REPLACE") == []
    assert parser.finish() == [Replace("a.py", "old\n", "new\n\n  x\n", line=2)]


@pytest.mark.acceptance("S1-015", "SP-04")
@pytest.mark.parametrize("format", ["xml", "auto"])
def test_a_line_between_tags_is_previewed_once_it_cannot_hold_the_closing_tag(format: str) -> None:
    parser = StreamParser(format)
    assert parser.feed("<replace_file>\n<path>a.py</path>\n<search>\n") == []
    assert parser.feed("old\n") == [EditPreview("a.py", 1, "search", ("old",))]
    assert parser.feed("</search>\n") == []
    assert parser.feed("more\n") == [EditPreview("a.py", 1, "search", ("</search>", "more"))]
    assert parser.feed("</search><replace>new\n") == [EditPreview("a.py", 1, "replace", ("new",))]
    assert parser.feed("</replace></replace_file>\n") == [Replace("a.py", "old\n</search>\nmore\n", "new\n")]


@pytest.mark.acceptance("S1-015", "SP-04")
@pytest.mark.parametrize("format", ["whole_file", "auto"])
def test_a_line_of_a_whole_file_is_previewed_as_soon_as_it_is_complete(format: str) -> None:
    parser = StreamParser(format)
    assert parser.feed("a.py\n```python\nimport") == []
    assert parser.feed(" os\n") == [EditPreview("a.py", 1, "replace", ("import os",))]
    assert parser.feed("\nos.sep\n```\n") == [
        EditPreview("a.py", 1, "replace", ("", "os.sep")),
        Write("a.py", "import os\n\nos.sep\n", line=2, shown=format == "auto"),
    ]


@pytest.mark.acceptance("S1-015", "SP-04")
@pytest.mark.parametrize("format", ["replace_in_file", "auto"])
def test_the_edits_of_one_answer_are_numbered_from_one(format: str) -> None:
    parser = StreamParser(format, path="a.py")
    pieces = parser.feed(BLOCKS)
    assert [(piece.number, piece.part) for piece in pieces if isinstance(piece, EditPreview)] == [
        (1, "search"),
        (1, "replace"),
        (2, "replace"),
    ]


def test_a_carriage_return_may_come_in_another_chunk_than_its_line_feed() -> None:
    chunks = ["a.py\r", "\n<<<<<<< SEARCH\r", "\n", "x\r\n=======\r", "\ny\rz\r\n>>>>>>> REPLACE\r"]
    assert edits(streamed(chunks, "search_replace")) == [Replace("a.py", "x\n", "y\rz\n", line=2)]


def test_white_space_may_come_before_the_arguments_of_a_call() -> None:
    assert edits(streamed([" ", "\n", "\n\t", ANSWERS["edit_file"]], "edit_file")) == [
        Replace("e.py", "a", "b\nc", line=3, inline=True)
    ]


def test_a_byte_order_mark_before_the_answer_does_not_count() -> None:
    expected = [Replace("a.py", "old\n", "new\n", line=2)]
    answer = "\ufeffa.py\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE"
    assert edits(streamed([answer], "auto")) == edits(streamed(list(answer), "auto")) == expected


def test_what_comes_after_an_error_does_not_hide_it() -> None:
    parser = StreamParser("search_replace")
    for chunk in (">>>>>>> REPLACE\n", "a.py\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n"):
        with pytest.raises(EditFormatError) as caught:
            parser.feed(chunk)
    with pytest.raises(EditFormatError) as caught:
        parser.finish()
    assert str(caught.value) == "line 1: REPLACE marker without a SEARCH marker"


def test_an_unknown_format_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(EditFormatError) as caught:
        StreamParser("diff")
    assert str(caught.value) == (
        "there is no edit format 'diff'; known are anchored, apply_patch, auto, edit_file, replace_in_file, "
        "search_replace, udiff, whole_file, xml"
    )


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("answer", ["", " \n", "I see nothing to change.", "{}"])
def test_an_answer_without_an_edit_is_refused(format: str, answer: str) -> None:
    with pytest.raises(EditFormatError):
        parse(answer, format)


@pytest.mark.parametrize("format", FORMATS)
@given(st.text(alphabet='<>=-+ SEARCHPL\n`~a./x{}":,\\*@123'))
def test_a_parser_raises_nothing_but_a_format_error(format: str, text: str) -> None:
    try:
        parse(text, format, path="a.py")
    except EditFormatError as error:
        assert str(error)

"""Edits in tags: the code between them stands as it is, whatever it holds."""

import pytest

from motet.edits import Replace, parse
from motet.errors import EditFormatError


def element(search: str, replace: str, path: str = "src/a.py") -> str:
    return (
        f"<replace_file>\n<path>{path}</path>\n<search>\n{search}</search>\n<replace>\n{replace}</replace>\n"
        "</replace_file>\n"
    )


def only(answer: str) -> tuple[str, str, str]:
    (edit,) = parse(answer, "xml")
    assert isinstance(edit, Replace)
    return edit.path, edit.search, edit.replace


def error(answer: str) -> str:
    with pytest.raises(EditFormatError) as caught:
        parse(answer, "xml")
    assert str(caught.value).startswith(f"line {caught.value.line}: ")
    return str(caught.value)


@pytest.mark.acceptance("S1-017", "S1-019", "S1-020")
@pytest.mark.parametrize(
    "answer",
    [
        element("old\n", "new\n"),
        "<replace_file><path>src/a.py</path><search>old</search><replace>new</replace></replace_file>",
        "Sure: <replace_file><path>src/a.py</path><search>old\n</search>\n\n<replace>\nnew</replace></replace_file>.",
        "```xml\n" + element("old\n", "new\n", "\nsrc/a.py\n") + "```",
        element("old\n", "new\n").replace("\n", "\r\n"),
        "    <replace_file>\n    <path>src/a.py</path>\n    <search>\nold\n    </search>\n    <replace>\nnew\n"
        "    </replace>\n    </replace_file>",
    ],
)
def test_an_edit_may_stand_on_its_own_lines_or_in_one(answer: str) -> None:
    assert only(answer) == ("src/a.py", "old\n", "new\n")


def test_several_edits_may_stand_in_one_line() -> None:
    one = "<replace_file><path>{}</path><search>1</search><replace></replace></replace_file>"
    assert parse(one.format("a") + " and " + one.format("b"), "xml", call="c") == [
        Replace("a", "1\n", "", "c"),
        Replace("b", "1\n", "", "c"),
    ]


@pytest.mark.parametrize(
    "code",
    [
        "if (a < b && c > d) {\n",
        "&lt;div&gt; &amp; &#65;\n",
        "]]>\n",
        "<![CDATA[ x ]]> and more\n",
        "</search>\n",
        "</replace>\n",
        "a </search> b\n\n</search>\n\nc\n",
        "<search>\n<replace>\n<path>x</path>\n",
        "</replace>\n\n</replace>\n",
        "</diff>\n<replace_file>\n",
        "```\n<<<<<<< SEARCH\n",
        "\n",
        "\n\n  x\n\n",
        "",
    ],
)
def test_the_code_is_taken_as_it_stands(code: str) -> None:
    assert only(element(code, "x\n")) == ("src/a.py", code, "x\n")
    assert only(element("x\n", code)) == ("src/a.py", "x\n", code)


@pytest.mark.acceptance("T-24")
@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            element("a\n", "b\n</search>\n\n<replace>\nc\n"),
            "line 10: it is not clear which </search> divides the edit of line 1",
        ),
        (
            element("a\n", "x</search><replace>y\n"),
            "line 7: it is not clear which </search> divides the edit of line 1",
        ),
        (
            element("a\n", "b\n</replace>\n</replace_file>\n"),
            "line 11: </replace_file> without an opening tag; the code of the edit before may hold tags",
        ),
        (
            element("a\n", element("b\n", "c\n")),
            "line 12: it is not clear which </search> divides the edit of line 1",
        ),
        (
            element("<![CDATA[a]]>\n", "b\n"),
            "line 1: it is not clear whether the CDATA section around the code is part of it; leave it out",
        ),
        ("<replace_file>\nsrc/a.py", "line 2: <replace_file> of line 1 needs <path> here"),
        ("<replace_file><path> </path>", "line 1: <path> names no file"),
        ("<replace_file>\n<path>a</path>\n<replace>", "line 3: <replace_file> of line 1 needs <search> here"),
        ("<replace_file><path>a</path><search>\nb", "line 1: <replace_file> is not closed"),
        ("<replace_file>\n<path>a", "line 1: <replace_file> is not closed"),
        (
            "<replace_in_file><path>a</path><diff>\nx\n</diff></replace_in_file>",
            "line 3: the diff of line 1 holds no SEARCH/REPLACE block",
        ),
        (
            "<replace_in_file><path>a</path><diff>\n<<<<<<< SEARCH\nx\n</diff></replace_in_file>",
            "line 2: the block has no ======= marker",
        ),
    ],
)
def test_what_has_two_readings_or_none_is_refused_with_its_line(answer: str, message: str) -> None:
    assert error(answer) == message


def test_a_sentence_about_the_tags_is_no_edit() -> None:
    prose = "Write `<replace_file>` first.\n<replace_file> is the tag.\n> <replace_file><path>x</path>\nOr <replace_file>\n"
    assert only(prose + element("a\n", "b\n")) == ("src/a.py", "a\n", "b\n")


@pytest.mark.acceptance("S1-019")
def test_replace_in_file_holds_blocks_for_its_path() -> None:
    answer = (
        "<replace_in_file>\n<path>a.py</path>\n<diff>\n<<<<<<< SEARCH\n</diff>\n=======\nb\n>>>>>>> REPLACE\n\n"
        "<<<<<<< SEARCH\nc\n=======\n>>>>>>> REPLACE\n</diff>\n</replace_in_file>"
    )
    assert parse(answer, "xml") == [Replace("a.py", "</diff>\n", "b\n", line=4), Replace("a.py", "c\n", "", line=10)]


def test_the_tags_of_replace_in_file_may_stand_beside_the_markers() -> None:
    answer = (
        "<replace_in_file><path>a.py</path><diff><<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE</diff>"
        "</replace_in_file>"
    )
    assert parse(answer, "xml") == [Replace("a.py", "a\n", "b\n")]


def test_an_empty_path_stands_for_the_file_given_beside_the_answer() -> None:
    assert parse(element("a\n", "b\n", ""), "xml", path="x.py") == [Replace("x.py", "a\n", "b\n")]


def test_an_answer_without_an_edit_is_refused() -> None:
    with pytest.raises(EditFormatError) as caught:
        parse("Nothing to do.", "xml")
    assert str(caught.value) == "the answer holds no edit in the format xml"

"""What models write is read as they meant it, or refused with the line."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.edits import Replace, parse_replace_in_file, parse_search_replace
from motet.errors import EditFormatError

BLOCK = "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE"


def found(answer: str) -> list[tuple[str, str, str]]:
    return [(edit.path, edit.search, edit.replace) for edit in parse_search_replace(answer)]


@pytest.mark.acceptance("S3-016", "S3-018", "S1-019")
def test_a_call_may_hold_several_blocks() -> None:
    diff = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n\n------- SEARCH\nc\n=======\n+++++++ REPLACE\n"
    assert parse_replace_in_file("x.py", diff, "call_1") == [
        Replace("x.py", "a", "b", "call_1", 1),
        Replace("x.py", "c", "", "call_1", 7),
    ]


@pytest.mark.parametrize(
    "head",
    [
        "src/a.py\n```python\n",
        "```python src/a.py\n",
        "**src/a.py**\n\n```\n",
        "File: `src/a.py`\n~~~~\n",
        "### src/a.py\n",
        "```python:src/a.py\n",
    ],
)
def test_the_path_is_found_where_models_write_it(head: str) -> None:
    assert found(f"Here is the fix.\n\n{head}{BLOCK}\n```\nDone.") == [("src/a.py", "old", "new")]


def test_a_block_without_a_path_goes_to_the_file_before() -> None:
    assert found(f"a.py\n{BLOCK}\nand then:\n{BLOCK}\n") == [("a.py", "old", "new")] * 2


def test_a_block_whose_file_is_never_named_is_refused_with_its_line() -> None:
    with pytest.raises(EditFormatError) as caught:
        parse_search_replace(f"I change this:\n{BLOCK}")
    assert caught.value.line == 2


@pytest.mark.parametrize(
    ("diff", "message"),
    [
        ("no blocks here", "the diff holds no SEARCH/REPLACE block"),
        ("<<<<<<< SEARCH\na\n=======\nb\n", "line 1: the block has no REPLACE marker"),
        ("<<<<<<< SEARCH\na\n", "line 1: the block has no ======= marker"),
        ("<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", "line 1: the block has no ======= marker"),
        ("x\n>>>>>>> REPLACE\n", "line 2: REPLACE marker without a SEARCH marker"),
        (
            "<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE\n",
            "line 7: the block of line 1 holds 2 ======= lines; it is not clear which divides it",
        ),
    ],
)
def test_a_broken_block_is_refused_with_its_line(diff: str, message: str) -> None:
    with pytest.raises(EditFormatError) as caught:
        parse_replace_in_file("a.py", diff)
    assert str(caught.value) == message


def test_one_empty_line_differs_from_no_line() -> None:
    one, none = parse_replace_in_file(
        "a", "<<<<<<< SEARCH\n\n=======\n\n>>>>>>> REPLACE\n<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE"
    )
    assert (one.search, one.replace) == ("\n", "\n")
    assert (none.search, none.replace) == ("", "")


@given(st.text(alphabet="<>=-+ SEARCHPL\n`a./x", max_size=200))
def test_a_parser_raises_nothing_but_a_format_error(text: str) -> None:
    for parse in (parse_search_replace, lambda answer: parse_replace_in_file("a.py", answer)):
        with contextlib.suppress(EditFormatError):
            parse(text)

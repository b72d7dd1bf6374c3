"""The argument `diff` of `replace_in_file`: blocks for one file."""

import pytest

from motet.edits import Replace, parse, parse_replace_in_file
from motet.errors import EditFormatError


@pytest.mark.acceptance("S3-016", "S3-018", "S1-019")
def test_a_call_may_hold_several_blocks() -> None:
    diff = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n\n------- SEARCH\nc\n=======\n+++++++ REPLACE\n"
    assert parse_replace_in_file("x.py", diff, "call_1") == [
        Replace("x.py", "a\n", "b\n", "call_1", 1),
        Replace("x.py", "c\n", "", "call_1", 7),
    ]


def test_all_blocks_are_for_the_file_of_the_call_whatever_is_written_between_them() -> None:
    diff = "other.py\n```python\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n"
    assert parse(diff, "replace_in_file", path="x.py") == [Replace("x.py", "a\n", "b\n", line=3)]


def test_a_call_without_a_block_is_refused() -> None:
    with pytest.raises(EditFormatError) as caught:
        parse_replace_in_file("a.py", "no blocks here")
    assert str(caught.value) == "the diff holds no SEARCH/REPLACE block"


def test_the_arguments_may_come_as_json() -> None:
    call = r'{"path": "x.py", "diff": "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE"}'
    assert parse(call, "replace_in_file", call="c") == [Replace("x.py", "a\n", "b\n", "c")]

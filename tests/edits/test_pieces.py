"""Whether a text in a fence may be a piece of the file that it is taken for."""

import pytest

from motet.edits.pieces import is_excerpt, may_be_a_piece

FILE = """\
import os

def one():
    a = 1
    b = 2
    return a + b

def two():
    return os.sep

def three():
    return 3
"""


@pytest.mark.acceptance("T-24")
@pytest.mark.parametrize(
    "text",
    [
        FILE[FILE.index("def two") :],
        FILE[: FILE.index("def three")],
        FILE.replace(FILE[FILE.index("def one") : FILE.index("def two")], ""),
        "import os\n\ndef one():\n    return 3\n\ndef three():\n    return 4\n",
        "import os\n",
        "    return 3\n",
        "",
    ],
)
def test_a_text_that_lacks_a_part_of_the_file_may_be_a_piece(text: str) -> None:
    assert may_be_a_piece(FILE, text)


@pytest.mark.parametrize(
    "text",
    [
        FILE,
        FILE.replace("\n", "\r\n").replace("    ", "\t"),
        FILE.replace("    a = 1\n    b = 2\n    return a + b\n", "    return 3\n"),
        FILE.replace("return 3", "return 4") + "\ndef four():\n    return 5\n",
        FILE.replace("    return os.sep\n", "    return os.altsep\n"),
    ],
)
def test_a_text_that_goes_on_from_beginning_to_end_is_the_file(text: str) -> None:
    assert not may_be_a_piece(FILE, text)


def test_a_file_without_text_can_be_given_any() -> None:
    assert not may_be_a_piece("\n \n", "x\n")


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        (FILE[FILE.index("def two") : FILE.index("def three")], True),
        ("import os\n\n# ...\n\ndef three():\n    return 3\n", True),
        ("def three():\n    return 3\n\nimport os\n", False),
        ("def two():\n    return os.pathsep\n", False),
    ],
)
def test_an_excerpt_holds_lines_of_the_file_in_order(text: str, is_one: bool) -> None:
    assert is_excerpt(FILE, text) is is_one

"""Lines that two attachments of one message share go once."""

from __future__ import annotations

import pytest

from motet.context import file_attachment, text_attachment, without_repeats
from motet.messages import Message

TEXT = "".join(f"line {number}\n" for number in range(1, 21))


def part(first: int, last: int, text: str = TEXT, path: str = "a.py") -> Message:
    return file_attachment(path, text, lines=(first, last))


WHOLE = file_attachment("a.py", TEXT)


def shown(*attachments: Message) -> list[tuple[str, str]]:
    """The name of each that is left, and the numbers of its first and last line."""
    left: list[tuple[str, str]] = []
    for message in without_repeats(attachments):
        assert message.context is not None
        rows = message.text.split("\n")[1:-1]
        left.append((message.context.id, "-".join(row.partition("│")[0].strip() for row in (rows[0], rows[-1]))))
    return left


@pytest.mark.parametrize(
    ("attachments", "left"),
    [
        ((part(1, 10), part(1, 10)), [("<file>a.py:1-10</file>", "1-10")]),
        ((part(1, 10), part(3, 4)), [("<file>a.py:1-10</file>", "1-10")]),
        ((part(3, 4), part(1, 10)), [("<file>a.py:1-10</file>", "1-10")]),
        ((part(3, 4), WHOLE), [("<file>a.py</file>", "1-20")]),
        ((WHOLE, part(3, 4)), [("<file>a.py</file>", "1-20")]),
        ((part(1, 10), part(8, 15)), [("<file>a.py:1-10</file>", "1-10"), ("<file>a.py:11-15</file>", "11-15")]),
        ((part(8, 15), part(1, 10)), [("<file>a.py:8-15</file>", "8-15"), ("<file>a.py:1-7</file>", "1-7")]),
        ((part(1, 5), part(8, 9)), [("<file>a.py:1-5</file>", "1-5"), ("<file>a.py:8-9</file>", "8-9")]),
        ((part(1, 5), part(8, 12), part(4, 9)), [
            ("<file>a.py:1-5</file>", "1-5"), ("<file>a.py:8-12</file>", "8-12"), ("<file>a.py:6-7</file>", "6-7"),
        ]),
        ((part(1, 5), part(1, 5, path="b.py")), [("<file>a.py:1-5</file>", "1-5"), ("<file>b.py:1-5</file>", "1-5")]),
        ((part(1, 2), part(1, 2, text="other\nlines\n")), [("<file>a.py:1-2</file>", "1-2")] * 2),
    ],
)  # fmt: skip
def test_lines_that_are_shown_already_are_left_out(
    attachments: tuple[Message, ...], left: list[tuple[str, str]]
) -> None:
    assert shown(*attachments) == left


def test_what_has_no_numbered_lines_stays_as_it_is() -> None:
    listing = text_attachment("quickfix", "a.py:1: bad", tag="quickfix", item="<quickfix>")
    assert without_repeats([listing, WHOLE, listing]) == [listing, WHOLE, listing]


def test_a_part_that_was_cut_says_which_lines_it_has() -> None:
    (_, rest) = without_repeats([part(1, 10), part(8, 12)])
    assert rest.text == '<attachment filepath="a.py" lines="11-12">\n  11│ line 11\n  12│ line 12\n</attachment>'

"""Lines that two attachments of one message share go once."""

from __future__ import annotations

import pytest

from motet.context import file_attachment, text_attachment, without_repeats
from motet.messages import ContextRef, Message, Text, tags

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


def chosen(first: int, last: int) -> Message:
    """These lines of `a.py`, as a human selected them."""
    name = f"<selection>a.py:{first}-{last}</selection>"
    return Message.attachment(
        Text(part(first, last).text), context=ContextRef(name), tag=tags.SELECTION, source="#this"
    )


@pytest.mark.parametrize("others", [(WHOLE,), (part(1, 10), part(3, 4)), (part(1, 10), part(1, 9))])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_selection_of_shown_lines_says_which_are_meant(others: tuple[Message, ...], at: int) -> None:
    left = without_repeats([*others[:at], chosen(2, 4), *others[at:]])
    assert sorted(one.text for one in left) == sorted(
        ['<attachment filepath="a.py" lines="2-4">\nThese lines stand in another attachment.\n</attachment>',
         others[0].text]
    )  # fmt: skip
    assert sum(one.tag == tags.SELECTION for one in left) == 1


@pytest.mark.parametrize("attachments", [(part(1, 10), chosen(8, 15)), (chosen(8, 15), part(1, 10))])
def test_a_selection_is_not_cut(attachments: tuple[Message, ...]) -> None:
    assert sorted(shown(*attachments)) == [
        ("<file>a.py:1-7</file>", "1-7"),
        ("<selection>a.py:8-15</selection>", "8-15"),
    ]


def test_a_selection_goes_once() -> None:
    assert [one.text for one in without_repeats([chosen(2, 4), chosen(2, 4)])] == [chosen(2, 4).text]

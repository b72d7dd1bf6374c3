"""Places mean the same in every unit that a server may count in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.text import LineIndex, Position, PositionEncoding, Range

TEXT = "héllo\r\n日本語 = 1\n\U0001f642x\rend"


@pytest.mark.parametrize(
    ("encoding", "units"),
    [(PositionEncoding.UTF8, 9), (PositionEncoding.UTF16, 3), (PositionEncoding.UTF32, 3)],
)
def test_a_column_behind_japanese_is_counted_in_the_servers_unit(encoding: PositionEncoding, units: int) -> None:
    assert LineIndex(TEXT).from_units(1, units, encoding) == Position(2, 4)
    assert LineIndex(TEXT).to_units(Position(2, 4), encoding) == (1, units)


@pytest.mark.parametrize(
    ("encoding", "units"),
    [(PositionEncoding.UTF8, 4), (PositionEncoding.UTF16, 2), (PositionEncoding.UTF32, 1)],
)
def test_an_emoji_is_one_character(encoding: PositionEncoding, units: int) -> None:
    assert LineIndex(TEXT).from_units(2, units, encoding) == Position(3, 2)


def test_all_three_line_ends_end_a_line() -> None:
    index = LineIndex(TEXT)
    assert [index.line(number) for number in range(6)] == ["", "héllo", "日本語 = 1", "\U0001f642x", "end", ""]


@pytest.mark.parametrize(
    ("line", "units", "expected"),
    [(0, 99, Position(1, 6)), (99, 0, Position(4, 4)), (2, 1, Position(3, 1))],
)
def test_a_place_outside_the_text_moves_to_the_nearest_inside(line: int, units: int, expected: Position) -> None:
    assert LineIndex(TEXT).from_units(line, units, PositionEncoding.UTF16) == expected


def test_a_range_cuts_out_its_text() -> None:
    assert LineIndex(TEXT).slice(Range(Position(1, 5), Position(2, 3))) == "o\r\n日本"


@given(st.text(alphabet="aé日\U0001f642\r\n", max_size=30), st.sampled_from(PositionEncoding), st.data())
def test_every_offset_survives_the_way_to_the_server_and_back(
    text: str, encoding: PositionEncoding, data: st.DataObject
) -> None:
    index = LineIndex(text)
    place = index.position(data.draw(st.integers(0, len(text))))
    line, units = index.to_units(place, encoding)
    assert index.from_units(line, units, encoding) == Position(
        place.line, min(place.column, len(index.line(place.line)) + 1)
    )

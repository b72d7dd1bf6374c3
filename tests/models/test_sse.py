"""Server-sent events: the same data however the bytes are cut and the lines end."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.models.providers.dialect import AnswerFault
from motet.models.providers.sse import EventReader

ENDS = ["\n", "\r\n", "\r"]
STREAM = (
    ": comment\n\nevent: ping\ndata: one\n\ndata:two\ndata:  three\nid: 7\n\nevent: no data\n\ndata\n\n\n\n"
    "data: 日本 🎉\nretry: 10\n\ndata: without its end\n"
)
DATA = ["one", "two\n three", "日本 🎉"]


def read(*chunks: bytes, limit: int = 10_000) -> list[str]:
    reader = EventReader(limit)
    return [data for chunk in chunks for data in reader.feed(chunk)]


@pytest.mark.parametrize("end", ENDS)
@given(cuts=st.lists(st.integers(0, 200), max_size=8))
def test_events_are_the_same_however_they_are_cut(end: str, cuts: list[int]) -> None:
    stream = STREAM.replace("\n", end).encode()
    places = [0, *sorted(cuts), len(stream)]
    assert read(*(stream[start:stop] for start, stop in pairwise(places))) == DATA


def test_an_event_is_read_as_soon_as_it_is_whole() -> None:
    reader = EventReader(100)
    assert reader.feed(b"data: a\r\n\r") == ["a"]
    assert reader.feed(b"\ndata: b\r\r") == ["b"]
    assert reader.feed(b"data: c\n\n") == ["c"]


def test_a_mark_at_the_beginning_is_no_text_and_bytes_that_are_none_are_replaced() -> None:
    assert read(b"\xef\xbb", b"\xbfdata: a\xff\n\n") == ["a\ufffd"]


@pytest.mark.parametrize("piece", [b"data: 1234567\n", b"1234567"])
def test_an_event_without_end_is_a_fault(piece: bytes) -> None:
    with pytest.raises(AnswerFault, match="an event of more than 1 KiB"):
        read(*[piece] * 200, limit=1024)


def test_many_short_events_have_no_limit() -> None:
    assert read(b"data: 12345\n\n" * 1000, limit=20) == ["12345"] * 1000

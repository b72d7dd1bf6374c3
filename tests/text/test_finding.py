"""Bytes are found where `bytes.find` finds them, in small data and in large."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.text import finding
from motet.text.finding import finder

PIECES = st.binary(max_size=300) | st.text("ab\n", max_size=300).map(str.encode)


@pytest.fixture(scope="module", params=["small", "large"])
def large(request: pytest.FixtureRequest) -> int:
    """How many bytes of one value stand before what is looked into."""
    return 0 if request.param == "small" else 1_100_000


@given(PIECES, PIECES, st.data())
def test_it_finds_what_bytes_find(large: int, head: bytes, tail: bytes, draw: st.DataObject) -> None:
    data = b" " * large + head * 3 + tail + head
    start, end = sorted(draw.draw(st.tuples(*[st.integers(large, len(data))] * 2)))
    wanted = draw.draw(st.just(data[start:end]) | PIECES)
    find = finder(data)
    for begin in (0, start, start + 1, end, len(data), len(data) + 1):
        assert find(wanted, begin) == data.find(wanted, begin)


def test_large_data_is_kept_as_long_as_it_is_looked_into() -> None:
    find = finder(bytes(2_000_000) + b"here")
    assert [find(b"here", 0), find(b"there", 0), find(bytes(2_000_001), 0)] == [2_000_000, -1, -1]


def test_where_the_c_library_is_another_python_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str) -> str:
        raise OSError(22, "Invalid argument")

    finding._memmem.cache_clear()
    monkeypatch.setattr(finding.os, "confstr", unknown)
    data = bytes(2_000_000)
    assert finder(data) == data.find
    finding._memmem.cache_clear()

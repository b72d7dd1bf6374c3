"""Characters and their bytes: the same as counting from the beginning says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.text.utf8 import bytes_of, characters_of

CHARACTERS = st.text(st.sampled_from("ab\né—値\u200b😀"), max_size=700)
TEXTS = st.builds(lambda one, times, other: one * times + other, CHARACTERS, st.integers(1, 4), CHARACTERS)


@given(TEXTS, st.lists(st.floats(0, 1), max_size=6), st.sampled_from([b"", b"\xef\xbb\xbf"]))
def test_characters_and_bytes_lead_to_each_other(text: str, shares: list[float], bom: bytes) -> None:
    data = bom + text.encode()
    places = sorted(int(share * len(text)) for share in shares)
    offsets = [len(bom) + len(text[:place].encode()) for place in places]
    assert list(bytes_of(text, data, len(bom), places)) == offsets
    assert list(characters_of(text, data, len(bom), offsets)) == places


@pytest.mark.parametrize("text", ["", "plain", "é" * 2_000, ("値 = 1\n" * 300 + "x\n") * 9])
def test_every_place_of_a_text_that_repeats_itself_is_told_alone(text: str) -> None:
    data = text.encode()
    for place in range(0, len(text) + 1, 37):
        offset = len(text[:place].encode())
        assert list(bytes_of(text, data, 0, [place])) == [offset]
        assert list(characters_of(text, data, 0, [offset])) == [place]

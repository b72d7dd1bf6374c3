"""Lines found around their longest one, and by all lines of the text, are the same places."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from motet.edits.stretches import stretches, stretches_by
from motet.edits.view import View

LINE = st.sampled_from(["a", " a", "\ta ", "ab", "  ab", "abab", "", " ", "é", "\x0cab"])


@given(st.lists(LINE, max_size=12), st.lists(LINE, min_size=1, max_size=3), st.sampled_from(["\n", "\r\n", "\r"]))
def test_both_ways_find_the_same_places(lines: list[str], search: list[str], end: str) -> None:
    text = "".join(line + end for line in lines)
    wanted = [line.strip() for line in search]
    for one in (text, text.removesuffix(end)):
        view = View(one)
        found = stretches(view, wanted)
        assert found == stretches_by(view, view.keys, wanted)
        assert all(
            one[stretch.start : stretch.end].split(end)[: len(wanted)] == list(stretch.lines) for stretch in found
        )


def test_a_line_that_stands_in_very_many_places_is_found_in_all() -> None:
    view = View("  x = 1\n" * 1_000)
    assert [stretch.start for stretch in stretches(view, ["x = 1"])] == list(range(0, 8_000, 8))

"""The meter and the line below the input."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from motet.chat.meter import Meter, short_count
from motet.cli.chat.meter import status_line
from motet.money import dollars, known_cost


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0, "0"), (-1, "0"), (999, "999"), (1_000, "1k"), (1_049, "1k"), (12_400, "12.4k"), (99_949, "99.9k"), (99_950, "100k"),
        (200_000, "200k"), (999_499, "999k"), (999_500, "1M"), (1_234_567, "1.2M"), (10**9, "1G"), (10**12, "1000G"),
    ],
)  # fmt: skip
def test_a_count_has_three_digits_at_most(number: int, shown: str) -> None:
    assert short_count(number) == shown


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        (0.0, "$0"), (0.00001, "<$0.0001"), (0.0001, "$0.0001"), (0.0021, "$0.0021"), (0.03, "$0.03"), (0.0312, "$0.0312"),
        (0.1, "$0.10"), (0.999, "$1.00"), (1234.5, "$1,234.50"),
        (None, "–"),
    ],
)  # fmt: skip
def test_a_cost_says_something_also_when_it_is_small(amount: float | None, shown: str) -> None:
    assert dollars(amount) == shown


def test_tokens_that_cost_nothing_have_no_known_price() -> None:
    assert [known_cost(0.0, 0), known_cost(0.0, 5), known_cost(0.5, 5)] == [0.0, None, 0.5]


def test_the_meter_says_what_is_known() -> None:
    assert str(Meter(12_400, 200_000, "$0.03")) == "12.4k/200k · $0.03"
    assert str(Meter(12_400, 200_000)) == "12.4k/200k"
    assert str(Meter(12_400)) == "12.4k tokens"


def test_what_does_not_fit_is_left_out_from_the_end_then_the_model_is_cut() -> None:
    meter = Meter(12_400, 200_000, "$0.03")
    model = "anthropic/claude-sonnet-4-5"
    assert status_line(model, meter, ("3 tools", "", "ready"), 80) == (
        "anthropic/claude-sonnet-4-5 · 12.4k/200k · $0.03 · 3 tools · ready"
    )
    assert status_line(model, meter, ("3 tools", "ready"), 46) == "anthropic/clau… · 12.4k/200k · $0.03 · 3 tools"
    assert status_line(model, meter, ("ready",), 33) == "anthropic/c… · 12.4k/200k · $0.03"
    assert status_line(model, meter, ("ready",), 20) == "anthropic/claude-so…"


@given(st.text(), st.lists(st.text(), max_size=3), st.integers(1, 100))
def test_it_is_never_too_wide(model: str, state: list[str], width: int) -> None:
    line = status_line(model, Meter(1), state, width)
    assert cell_len(line) <= width or width == 1
    assert "\n" not in line

"""Messages of tools: what is said stays, what is only long does not."""

from __future__ import annotations

from motet.text import bounded_message


def test_a_long_line_of_a_message_keeps_both_its_ends() -> None:
    name = "n" * 6_000_000
    assert bounded_message(f'"{name}" is not defined') == f'"{"n" * 1_499} … {"n" * 384}" is not defined'


def test_what_has_no_long_line_stays_however_long_it_is() -> None:
    long = "\n".join(["x" * 2_000] * 50)
    assert bounded_message(long) == long
    assert bounded_message("") == ""
    assert bounded_message(f"first\n{'y' * 2_001}\nlast") == f"first\n{'y' * 1_500} … {'y' * 400}\nlast"

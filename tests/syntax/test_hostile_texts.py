"""Texts that nobody would write: what they define is found in time that grows as they do."""

from __future__ import annotations

import time

import pytest

from motet.syntax import read

BYTES = 480_000
MOST_CPU = 5.0
"""Seconds; one grew with the square of the text and would take a hundred of them."""


@pytest.mark.parametrize("piece", ["a::", "#if x\n", "namespace a{", "template<class T> ", '#include "a.h"\n'])
def test_a_hostile_text_is_read_in_time_that_grows_as_it_does(piece: str) -> None:
    started = time.process_time()
    read(piece * (BYTES // len(piece)), "cpp")
    assert time.process_time() - started < MOST_CPU

"""Every parser, given anything: edits or `EditFormatError`, the same however the text streams, in linear time.

`FUZZ_EXAMPLES` says how many examples each format is given (`make fuzz` asks for more than `make test`).
"""

import os
import random
import time

import pytest
from edits.mutations.answers import FORMATS, REPEATED, answers
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motet import edits
from motet.edits import Edit, EditPreview
from motet.errors import EditFormatError

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "150"))
thorough = settings(
    max_examples=EXAMPLES,
    derandomize="FUZZ_EXAMPLES" not in os.environ,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
SMALL, LARGE = 100_000, 800_000
"""Characters."""
MOST_GROWTH = 24.0
"""For eight times the text: 8 is linear, 64 is quadratic. What else a machine does stays below."""
ROUNDS = 5
"""Of which the quickest counts, when the first one was too slow."""
MOST_REPEATED = 3
"""Worst cases of each format in `make test`; `make fuzz` tries all."""
TOO_FAST_TO_MEASURE = 0.01
"""Seconds of CPU; below, the clock and the collector say more than the parser."""


def outcome(answer: str, format: str, path: str) -> list[Edit] | tuple[str, int | None]:
    """The edits, or the error's text and line; any other exception is the failure that we look for."""
    try:
        return edits.parse(answer, format, path=path)
    except EditFormatError as error:
        return str(error), error.line


def streamed(chunks: list[str], format: str, path: str) -> list[Edit] | tuple[str, int | None]:
    """The same by `StreamParser`, previews left out."""
    found: list[Edit] = []
    try:
        parser = edits.StreamParser(format, path=path)
        for chunk in chunks:
            found += (piece for piece in parser.feed(chunk) if not isinstance(piece, EditPreview))
        found += (piece for piece in parser.finish() if not isinstance(piece, EditPreview))
    except EditFormatError as error:
        return str(error), error.line
    return found


def cut(answer: str, seed: int) -> list[str]:
    """The answer in chunks: single characters, a few at a time, or a few large ones."""
    rng = random.Random(seed)
    most = rng.choice((1, 3, 20, max(1, len(answer))))
    chunks: list[str] = []
    while answer:
        size = rng.randint(1, most)
        chunks.append(answer[:size])
        answer = answer[size:]
    return chunks


@pytest.mark.parametrize("format", FORMATS)
def test_whatever_the_answer_is_it_holds_edits_or_the_error_names_a_line_of_it(format: str) -> None:
    @thorough
    @given(answers(format), st.sampled_from(("", "src/a.py")))
    def holds(answer: str, path: str) -> None:
        found = outcome(answer, format, path)
        lines = [edit.line for edit in found] if isinstance(found, list) else [found[1] or 1]
        assert all(1 <= line <= answer.count("\n") + answer.count("\r") + 1 for line in lines)

    holds()


@pytest.mark.parametrize("format", FORMATS)
def test_however_an_answer_streams_it_holds_the_same_edits(format: str) -> None:
    @thorough
    @given(answers(format), st.integers(0, 2**32), st.sampled_from(("", "src/a.py")))
    def holds(answer: str, seed: int, path: str) -> None:
        assert streamed(cut(answer, seed), format, path) == outcome(answer, format, path)

    holds()


def seconds(answer: str, format: str) -> float:
    """CPU time of parsing."""
    started = time.process_time()
    outcome(answer, format, "src/a.py")
    return time.process_time() - started


def growth(head: str, part: str, tail: str, format: str) -> str:
    """Where twice the answer takes too long; empty when it nowhere does."""
    small, large = (head + part * (size // len(part)) + tail for size in (SMALL, LARGE))
    first, last = seconds(small, format), seconds(large, format)
    if last <= MOST_GROWTH * max(first, TOO_FAST_TO_MEASURE):
        return ""
    first, last = (min(seconds(text, format) for _ in range(ROUNDS)) for text in (small, large))
    if last <= MOST_GROWTH * max(first, TOO_FAST_TO_MEASURE):
        return ""
    return f"{head!r} + n * {part!r} + {tail!r}: {SMALL} characters: {first:.3f} s, {LARGE}: {last:.3f} s"


@pytest.mark.timeout(900)
@pytest.mark.parametrize("format", FORMATS)
def test_eight_times_the_answer_takes_far_less_than_sixty_four_times_as_long(format: str) -> None:
    worst = REPEATED[format] if "FUZZ_EXAMPLES" in os.environ else REPEATED[format][:MOST_REPEATED]
    assert [shown for each in worst if (shown := growth(*each, format))] == []

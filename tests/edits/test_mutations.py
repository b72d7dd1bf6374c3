"""Edits of real files, damaged as models damage them: each becomes the ground truth or is refused, never else.

What a damage is, which freedoms the ground truth has and when an example is left out: `mutations/`.
"""

from collections import Counter

import pytest
from edits.mutations import DAMAGES, Verdict, describe, judge, make_example, minimise
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

steady = settings(
    max_examples=500, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)
"""The same examples in each run: what CI finds, everybody finds."""
MOST_EXCLUDED = 0.1
"""Share of examples of which nobody could know what was meant."""

MENDED = {
    "nothing_damaged": 1.0,
    "line_number_right": 0.9,
    "two_edits_as_meant": 0.9,
    "line_ends_of_windows": 0.9,
    "final_line_end_missing": 0.9,
    "trailing_space_added": 0.9,
    "trailing_space_removed": 0.9,
    "file_changed_elsewhere_meanwhile": 0.9,
    "edits_listed_in_another_order": 0.8,
    "first_line_left_out": 0.8,
    "indentation_shifted_left": 0.6,
    "indentation_shifted_right": 0.7,
    "line_numbers_copied": 0.4,
    "gutter_copied": 0.6,
    "fence_copied_into_the_texts": 0.6,
    "html_entities": 0.6,
    "curly_quotes": 0.5,
    "inner_spaces_doubled": 0.6,
    "blank_line_added": 0.3,
    "middle_elided_in_both_texts": 0.3,
}
"""The least share of unique places at which the matching ladder must mend a damage, so that refusing everything is
no way to pass."""


def test_at_least_twenty_damages_each_say_what_they_are() -> None:
    assert len(DAMAGES) >= 20
    assert [name for name, damage in DAMAGES.items() if not damage.says.endswith(".")] == []


@pytest.mark.acceptance("S1-010", "SP-01", "AV-01")
@pytest.mark.timeout(300)
def test_a_damaged_edit_of_a_real_file_becomes_the_ground_truth_or_is_refused() -> None:
    verdicts: Counter[Verdict] = Counter()

    @steady
    @given(st.sampled_from([*DAMAGES]), st.integers(0, 2**32 - 1))
    def holds(name: str, number: int) -> None:
        example = make_example(name, number)
        if example is None:
            return
        result = judge(example)
        verdicts[result.verdict] += 1
        if result.verdict is Verdict.WRONG:
            smallest = minimise(example)
            raise AssertionError(describe(smallest, judge(smallest)))

    holds()
    assert verdicts[Verdict.EXCLUDED] <= MOST_EXCLUDED * verdicts.total()
    assert verdicts[Verdict.RIGHT] >= 0.2 * verdicts.total()


@pytest.mark.parametrize("name", MENDED)
def test_what_the_ladder_promises_to_mend_is_mended_and_not_merely_refused(name: str) -> None:
    examples = [example for number in range(120) if (example := make_example(name, number)) and example.is_unique]
    refused = [result for result in map(judge, examples) if result.verdict is not Verdict.RIGHT]
    assert len(refused) <= (1 - MENDED[name]) * len(examples), [(result.verdict, result.why) for result in refused]

"""What is stored becomes a valid stack."""

from __future__ import annotations

from dataclasses import replace

import pytest
from history.history_kit import answered, asked, call, resulted

from motet.history.repair import ENDED, repaired
from motet.messages import Message, MessageStack, Reasoning, Role, Text, ToolResult

WHOLE = [asked("q"), answered("a", call("c1"), call("c2")), resulted("r1", "c1"), resulted("r2", "c2"), answered("b")]


def test_a_valid_stack_stays_as_it_is() -> None:
    assert repaired(WHOLE) == (WHOLE, [])


@pytest.mark.acceptance("T-28")
@pytest.mark.parametrize("kept", range(2 ** len(WHOLE)))
def test_whatever_is_missing_the_rest_is_a_valid_stack(kept: int) -> None:
    stored = [message for at, message in enumerate(WHOLE) if kept >> at & 1]
    messages, notes = repaired(stored, answered("p", call("c9")))
    assert not MessageStack(*messages).open_calls
    assert len(notes) >= 1


def test_calls_without_results_get_one_that_says_so() -> None:
    messages, notes = repaired([*WHOLE[:3], asked("next")])
    assert messages[:3] == WHOLE[:3]
    assert messages[3].result == ToolResult("c2", "read_file", is_error=True)
    assert (messages[3].text, messages[3].tag, messages[3].meta.cycle) == (ENDED, "tool_output", 1)
    assert messages[4] == asked("next")
    assert notes == [f"{ENDED}: read_file"]


def test_the_same_repair_has_the_same_ids() -> None:
    assert repaired(WHOLE[:2]) == repaired(WHOLE[:2])
    one, other = repaired(WHOLE[:2])[0][2:]
    assert one.id != other.id


def test_a_result_without_its_call_is_left_out() -> None:
    assert repaired([asked("q"), resulted("r", "c")]) == (
        [asked("q")],
        ["a result whose call is not there was left out"],
    )


def test_a_second_result_of_a_call_is_left_out() -> None:
    messages, notes = repaired([answered("a", call("c")), resulted("r1", "c"), resulted("r2", "c")])
    assert [message.id for message in messages] == ["id-a", "id-r1"]
    assert len(notes) == 1


def test_a_second_call_with_the_same_id_is_left_out() -> None:
    first, second = call("c"), replace(call("c"), name="other")
    messages, notes = repaired([answered("a", first, second), resulted("r", "c")])
    assert messages == [answered("a", first), resulted("r", "c")]
    assert notes == ["a second call with the id of another was left out"]


def test_an_answer_under_way_becomes_one_that_broke_off_without_its_calls() -> None:
    messages, notes = repaired([asked("q")], answered("p", call("c")))
    assert messages == [asked("q"), answered("p").with_meta(partial=True)]
    assert notes == ["an answer broke off when motet ended"]


def test_an_answer_of_which_nothing_was_there_vanishes() -> None:
    assert repaired([asked("q")], Message(Role.ASSISTANT, (Text(" \n"),)))[0] == [asked("q")]


def test_reasoning_without_text_is_kept() -> None:
    begun = Message(Role.ASSISTANT, reasoning=(Reasoning("because", {}),))
    assert repaired([asked("q")], begun)[0] == [asked("q"), begun.with_meta(partial=True)]

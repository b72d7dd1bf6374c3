"""Whatever a provider does, the draft stays, and what is sent next is what the buffer says."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from cli.kit import Provider
from nvim.nvim_kit import Editor, told

from motet.models.scripted import Answer, HttpError, Wire, call
from motet.models.scripted.answers import Step

Serve = Callable[..., Provider]
YES = Answer(text="Yes.")
SOON = {"retry-after-ms": "1"}
TIMES = 5
"""Attempts, when each fails before the first token."""
HALF = "Half an answer"


def goes_on(vim: Editor, served: Provider, asked: str) -> None:
    """The draft that stood there all the time is there, is changed, and is sent as it is then."""
    assert vim.lines[-1] == "my draft"
    vim.keys("GA, changed<Esc><CR>")
    vim.turn_ends()
    assert vim.said[-2:] == ["Yes.", "## Me"]
    said = [text for role, text in told(served.requests[-1].body) if role == "user"]
    assert "\n\n".join(said) == f"{asked}\n\nmy draft, changed"


def draft(vim: Editor) -> None:
    vim.chat()
    vim.keys("imy draft<Esc>")


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ([HttpError(401, "bad key")], "bad key"),
        ([HttpError(429, "slow down", headers={"retry-after": "86400"})], "slow down"),
        ([HttpError(429, "slow down", headers={"retry-after": "0"})] * TIMES, "slow down"),
        ([HttpError(500, "it broke", headers=SOON)] * TIMES, "it broke"),
        ([HttpError(529, "too much", headers=SOON)] * TIMES, "too much"),
        ([Answer(text=HALF, wire=Wire(text_chars=4, cut_after=3, cut="rst"))], "scripted"),
        ([Answer(text=HALF, wire=Wire(text_chars=4, cut_after=3, cut="close"))], "scripted"),
        ([Answer(text=HALF, wire=Wire(text_chars=4, cut_after=3, cut="end"))], "scripted"),
        ([Answer(text=HALF, wire=Wire(text_chars=4, stall_after=3))], "silent for 0.5 s"),
        ([Answer(text=HALF, wire=Wire(text_chars=4, malformed_after=2))], "scripted"),
    ],
)
def test_after_each_error_the_draft_is_there_and_goes_as_it_is(
    vim: Editor, provider: Serve, steps: Sequence[Step], why: str
) -> None:
    served = provider([*steps, YES], timeout=0.5)
    draft(vim)
    vim.lua("require('motet').send('first')")
    vim.turn_ends()
    notice = vim.said[vim.said.index("### Notice") + 1 : -2]
    assert why in notice[0]
    assert notice[-1] == "`:Motet retry` asks again; what is typed below is sent as it is."
    assert len(served.requests) == len(steps)
    goes_on(vim, served, "first")


def test_a_provider_that_is_busy_for_a_moment_is_asked_again(vim: Editor, provider: Serve) -> None:
    served = provider([HttpError(429, "slow down", headers={"retry-after": "0"}), YES, YES])
    draft(vim)
    vim.lua("require('motet').send('first')")
    vim.turn_ends()
    assert vim.said == ["## Me", "first", "## motet (scripted/one)", "Yes.", "## Me", "my draft"]
    assert served.requests[0].body == served.requests[1].body
    goes_on(vim, served, "first")


STATE = "require('motet').status().state == '{}'"


@pytest.mark.parametrize(
    ("step", "moment"),
    [
        (HttpError(500, first_byte_delay=60), "asking"),
        (HttpError(429, headers={"retry-after": "20"}), "retrying"),
        (Answer(reasoning="Hm, what", wire=Wire(text_chars=2, stall_after=3)), "Hm"),
        (Answer(text=HALF, wire=Wire(text_chars=4, stall_after=3)), "Half"),
        (Answer(calls=(call("run_command", {"argv": ["sleep", "60"]}),)), "working"),
    ],
)
def test_stopped_at_any_moment_the_draft_is_there_and_goes_as_it_is(
    vim: Editor, provider: Serve, step: Step, moment: str
) -> None:
    served = provider([step, YES])
    vim.answers("o")
    draft(vim)
    vim.lua("require('motet').send('@cmd first')")
    assert served.came.acquire(timeout=30)
    if moment[0].isupper():
        vim.waits_for(f"vim.fn.search('{moment}', 'nw') > 0")
    else:
        vim.waits_for(STATE.format(moment))
    vim.keys("<C-c>")
    vim.turn_ends()
    assert vim.lines[-1] == "my draft"
    vim.keys("GA, changed<Esc><CR>")
    vim.turn_ends()
    assert told(served.requests[-1].body)[-1][1].endswith("my draft, changed")
    assert [line for line in vim.said if line == "Yes."] == ["Yes."]

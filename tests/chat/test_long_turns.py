"""Work of many rounds and chats of many turns: each step sees the one before, loops end and cost what they cost, and
what has to stay stays when the rest is summed up."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from chat.chat_kit import Talk, scripted_model, talking

from motet.chat import ChatOptions, Compacted, End, Ended, Sent, TooLong
from motet.chat.view import view
from motet.context import State
from motet.errors import UsageError
from motet.messages import ToolCall, tags
from motet.models import Limits
from motet.models.protocol import Price
from motet.models.scripted import Answer, ScriptedRequest, Step, call
from motet.permissions import Rule, Verdict
from motet.turn import ToolFinished

MAY = [Rule.parse("send", Verdict.ALLOW), Rule.parse("run:grep *", Verdict.ALLOW)]


# --- steps -----------------------------------------------------------------------------------------------------

DIFF = "<<<<<<< SEARCH\nnothing\n=======\nsomething\nand more\n>>>>>>> REPLACE\n"
STEPS = [
    (
        call("create_file", {"path": "list.txt", "content": "nothing\n"}, "c1"),
        "list.txt: created, applied 1 of 1 hunk",
    ),
    (call("replace_in_file", {"path": "list.txt", "diff": DIFF}, "c2"), "list.txt: applied 1 of 1 hunk"),
    (call("run_command", {"argv": ["grep", "-c", "o", "list.txt"]}, "c3"), "2"),
]


@pytest.mark.acceptance("CC-09")
async def test_each_of_three_dependent_steps_is_decided_with_the_result_of_the_one_before(
    tmp_path: Path, dialect: str
) -> None:
    def next_step(request: ScriptedRequest) -> Step:
        """Goes on only where the last result says that it may."""
        said = request.results
        if not said:
            return Answer(calls=(STEPS[0][0],))
        done = [expected for _, expected in STEPS].index(said[-1].splitlines()[-1]) + 1
        return Answer(calls=(STEPS[done][0],)) if done < len(STEPS) else Answer(text="There are two.")

    async with talking(tmp_path, next_step, dialect, tools=["files", "cmd"], rules=MAY) as talk:
        assert await talk.say("make a list, fill it, count it") == Ended(End.DONE)
        assert (talk.root / "list.txt").read_text() == "something\nand more\n"
        assert [len(request.results) for request in talk.server.requests] == [0, 1, 1, 1]
        assert talk.told[-1] == ("assistant", "There are two.")


@pytest.mark.acceptance("CC-09", "S0-102")
async def test_calls_of_one_answer_that_do_not_depend_on_each_other_are_answered_together_and_in_order(
    tmp_path: Path, dialect: str
) -> None:
    calls = (
        call("read_file", {"path": "a.py"}, "c1"),
        call("create_file", {"path": "c.py", "content": "three = 3\n"}, "c2"),
        call("read_file", {"path": "b.py"}, "c3"),
        call("run_command", {"argv": ["grep", "-c", "o", "a.py"]}, "c4"),
    )
    script = [Answer(calls=calls), Answer(text="Done.")]
    async with talking(tmp_path, script, dialect, tools=["files", "cmd"], rules=MAY) as talk:
        for name, text in (("a.py", "one = 1\n"), ("b.py", "two = 2\n")):
            (talk.root / name).write_text(text)
        assert await talk.say("look at both, make a third, count") == Ended(End.DONE)
        assert [event.call.id for event in talk.events if isinstance(event, ToolFinished)] == ["c1", "c2", "c3", "c4"]
        assert [text.splitlines()[-1] for text in talk.server.requests[1].results] == [
            "   1│ one = 1", "c.py: created, applied 1 of 1 hunk", "   1│ two = 2", "1",
        ]  # fmt: skip


# --- loops -----------------------------------------------------------------------------------------------------

ROUNDS = 12
Calling = Callable[[int], tuple[ToolCall, ...]]


def reading(number: int) -> tuple[ToolCall, ...]:
    return (call("read_file", {"path": f"{number}.py"}, f"c{number}"),)


FRUITLESS = "the calls of the model's last 8 answers failed or told nothing new"
LOOPS: Mapping[str, tuple[Calling, int, str]] = {
    "the same call": (lambda n: (call("read_file", {"path": "a.py"}, f"c{n}"),), 3,
        "the model repeated the same read_file call 3 times"),
    "two calls in turn": (lambda n: (call("read_file", {"path": f"{n % 2}.py"}, f"c{n}"),), 5,
        "the model repeated the same read_file call 3 times"),
    "one edit that never fits": (lambda n: (call("replace_in_file", {"path": "a.py", "diff": DIFF}, f"c{n}"),), 3,
        "the model repeated the same replace_in_file call 3 times"),
    "other lines each time": (lambda n: (call("read_file", {"path": "a.py", "last_line": n}, f"c{n}"),), 9, FRUITLESS),
    "another file each time that is not there": (reading, 8, FRUITLESS),
    "a tool that is not there": (lambda n: (call("no_such_tool", {"n": n}, f"c{n}"),), 8, FRUITLESS),
    "arguments that are none": (lambda n: (call("read_file", f'{{"path": {n}', f"c{n}"),), 8, FRUITLESS),
    "an edit undone and made again": (
        lambda n: (call("create_file", {"path": f"{n}.txt", "content": "x\n"}, f"c{n}"), call("delete_file", {"path": f"{n}.txt"}, f"d{n}")),
        ROUNDS, f"{ROUNDS} answers in one turn"),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
async def test_a_model_that_loops_is_stopped_within_the_bound_and_its_cost_is_exact(
    tmp_path: Path, dialect: str, name: str
) -> None:
    calling, bound, why = LOOPS[name]
    asked = 0

    def looping(_: ScriptedRequest) -> Step:
        nonlocal asked
        asked += 1
        return Answer(calls=calling(asked))

    options = ChatOptions(rounds=ROUNDS, titles=False)
    price = Price(2.0, 10.0, 2.0)
    async with talking(tmp_path, looping, dialect, tools=["files"], options=options, price=price) as talk:
        (talk.root / "a.py").write_text("one = 1\n")
        for turn in (1, 2):
            assert await talk.say("do it") == Ended(End.LIMIT, why, can_go_on=True)
            assert len(talk.server.requests) == bound * turn
            assert talk.chat.info.tokens == 120 * bound * turn
            assert talk.chat.info.cost == pytest.approx(bound * turn * (100 * 2.0 + 20 * 10.0) / 1e6, abs=1e-12)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (ChatOptions(titles=False, max_tokens=20_000), "budget of 20,000 tokens (used 960, the next request needs "),
        (ChatOptions(titles=False, max_cost=0.2), "budget of $0.20 (used $0.00"),
    ],
)
async def test_a_loop_that_grows_ends_before_it_costs_more_than_it_may(
    tmp_path: Path, dialect: str, options: ChatOptions, why: str
) -> None:
    asked = 0

    def looping(_: ScriptedRequest) -> Step:
        nonlocal asked
        asked += 1
        return Answer(calls=reading(asked))

    price = Price(10.0, 10.0, 10.0)
    async with talking(tmp_path, looping, dialect, tools=["files"], options=options, price=price) as talk:
        for number in range(1, 50):
            (talk.root / f"{number}.py").write_text("word = 1\n" * 400)
        ended = await talk.say("read them all")
        assert (ended.reason, ended.can_go_on, ended.detail[: len(why)]) == (End.LIMIT, True, why)
        spent = talk.chat.spending
        assert spent.requests == len(talk.server.requests) == asked == 8
        assert talk.chat.info.tokens == spent.usage.total == 8 * 120
        assert talk.chat.info.cost == spent.cost == pytest.approx(8 * 120 * 10.0 / 1e6, abs=1e-12)


async def test_a_cap_in_dollars_is_refused_where_no_price_is_known_and_the_text_may_be_said_again(
    tmp_path: Path, dialect: str
) -> None:
    options = ChatOptions(titles=False, max_cost=1.0)
    async with talking(tmp_path, [Answer(text="One.")], dialect, options=options) as talk:
        with pytest.raises(
            UsageError, match=r"^chat\.max_cost is a cap in dollars, and the price of acme/m-1 is not"
        ):
            await talk.say("which?")
        with pytest.raises(UsageError, match=r"or use chat\.max_tokens$"):
            await talk.chat.compact()
        assert (talk.server.requests, talk.told) == ([], [])
        talk.chat.use(scripted_model(talk.server, dialect, price=Price(1.0, 1.0)))
        assert await talk.say("which?") == Ended(End.DONE)


# --- what stays ------------------------------------------------------------------------------------------------

RULE, PINNED = "Never write any.", "PINNED = 'as it is'"
FREE = "what is only shared"
LIMITS = Limits(20_000, 2_000)


def summing_up(request: ScriptedRequest) -> Step:
    """Sums up when that is asked; reads what a question tells it to; else answers."""
    last = json.dumps(request.messages[-1], ensure_ascii=False)
    if "Sum up the conversation" in last:
        return Answer(text="SUMMARY of what was said.")
    if "read " in last and not request.results:
        return Answer(calls=tuple(call("read_file", {"path": f"{n}.py"}, f"c{n}") for n in (1, 2)))
    return Answer(text="Yes. " + "so it is " * 100)


async def begin(talk: Talk) -> None:
    """A first turn with a rule, a pinned file and one that is only shared."""
    for name, text in (("AGENTS.md", RULE), ("pinned.py", PINNED), ("free.py", FREE)):
        (talk.root / name).write_text(f"{text}\n")
    assert await talk.say("look at @/pinned.py and @/free.py") == Ended(End.DONE)
    assert await talk.chat.mark("<file>pinned.py</file>", State.PINNED)


def conversations(talk: Talk) -> list[str]:
    """The requests, without those for a summary."""
    return [text for request in talk.server.requests if "Sum up the conversation" not in (text := request.text)]


@pytest.mark.acceptance("CC-15")
async def test_a_full_chat_summed_up_twice_has_one_summary_its_pins_its_rules_and_valid_calls(
    tmp_path: Path, dialect: str
) -> None:
    async with talking(tmp_path, summing_up, dialect, tools=["readonly"], shares=True, limits=LIMITS) as talk:
        await begin(talk)
        for number in (1, 2):
            (talk.root / f"{number}.py").write_text(f"number = {number}\n")
        for half in (1, 2):
            for number in range(1, 5):
                await talk.say(f"question {half}{number} " + "word " * 200)
            await talk.say("read them, please")
            assert await talk.chat.compact()
            told = (await talk.chat.preview()).messages
            assert [message.tag for message in told].count(tags.COMPACT_SUMMARY) == 1
            assert await talk.say(f"after the summary {half}") == Ended(End.DONE)
            last = talk.server.requests[-1].text
            assert [last.count(text) for text in (RULE, PINNED, FREE, "SUMMARY of")] == [1, 1, 0, 1]
            assert [last.count(f"question {half}{number} ") for number in range(1, 5)] == [0, 0, 1, 1]
            assert "   1│ number = 1" in last and "   1│ number = 2" in last
        summaries = [message for message in talk.chat.messages if message.tag == tags.COMPACT_SUMMARY]
        assert [message.meta.compacted for message in summaries] == [True, False]


@pytest.mark.acceptance("CC-15")
async def test_calls_that_are_under_way_stay_when_the_chat_is_summed_up_between_their_rounds(
    tmp_path: Path, dialect: str
) -> None:
    async with talking(tmp_path, summing_up, dialect, tools=["readonly"], shares=True, limits=LIMITS) as talk:
        await begin(talk)
        for number in (1, 2):
            (talk.root / f"{number}.py").write_text(f"number = {number}\n" * 850)
        for number in range(1, 7):
            await talk.say(f"question {number} " + "word " * 800)
        assert not any(message.tag == tags.COMPACT_SUMMARY for message in talk.chat.messages)
        assert await talk.say("read them, please") == Ended(End.DONE)
        kinds = [type(event) for event in talk.events]
        assert kinds.index(ToolFinished) < kinds.index(Compacted)
        last = talk.server.requests[-1].text
        assert [last.count(text) for text in (RULE, PINNED, FREE, "SUMMARY of")] == [1, 1, 0, 1]
        one, two = talk.server.requests[-1].results
        assert (one.count("│ number = 1"), two.count("│ number = 2")) == (850, 850)


@pytest.mark.acceptance("T-30")
async def test_in_a_long_session_summaries_are_few_fit_and_leave_rules_and_pins_as_they_are(
    tmp_path: Path, dialect: str
) -> None:
    turns, cap = 120, LIMITS.context_tokens - LIMITS.output_tokens
    async with talking(tmp_path, summing_up, dialect, tools=["readonly"], shares=True, limits=LIMITS) as talk:
        await begin(talk)
        at: list[int] = []
        for number in range(1, turns + 1):
            assert await talk.say(f"question {number} " + "word " * 200) == Ended(End.DONE)
            compacted = [event for event in talk.events if isinstance(event, Compacted)]
            at += [number] * len(compacted)
            assert all(event.after < event.before for event in compacted)
            assert all(event.tokens <= cap for event in talk.events if isinstance(event, Sent))
        apart = [later - earlier for earlier, later in zip([0, *at], at, strict=False)]
        assert len(at) >= 4 and min(apart) >= 15  # each stands for fifteen turns or more
        assert len(talk.server.requests) == 1 + turns + len(at)
        assert len(conversations(talk)) == 1 + turns
        for text in conversations(talk):
            assert [text.count(RULE), text.count(PINNED), text.count("SUMMARY of") <= 1] == [1, 1, True]
        assert [message.text for message in talk.chat.messages if message.text.startswith("question ")] == [
            f"question {number} " + "word " * 200 for number in range(1, turns + 1)
        ]  # fmt: skip


@pytest.mark.acceptance("T-30")
async def test_what_fits_in_no_way_is_summed_up_once_and_not_again_and_again(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, summing_up, dialect, tools=["readonly"], shares=True, limits=LIMITS) as talk:
        await begin(talk)
        for number in range(1, 6):
            await talk.say(f"question {number} " + "word " * 200)
        before = len(talk.server.requests)
        for _ in range(5):
            with pytest.raises(TooLong):
                await talk.say("word " * 20_000)
        assert len(talk.server.requests) == before + 1
        assert await talk.say("short") == Ended(End.DONE)


@pytest.mark.acceptance("T-30")
async def test_a_summary_is_undone_by_a_fork_that_has_every_message_again(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, summing_up, dialect, tools=["readonly"], shares=True, limits=LIMITS) as talk:
        await begin(talk)
        for number in range(1, 6):
            await talk.say(f"question {number}")
        before = (await talk.chat.preview()).messages
        assert await talk.chat.compact()
        summed_up = (await talk.chat.preview()).messages
        assert len(summed_up) < len(before)
        forked = view(talk.chat.branch(talk.chat.before_cycle(6)))
        assert [message.text for message in forked] == [message.text for message in before if message.meta.cycle < 6]

"""What requests cost is counted to the token in all chats and processes, and a day's budget holds for all together."""

from __future__ import annotations

import asyncio
import fcntl
import json
import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from engine.engine_kit import house

from motet.chat import End, Ended
from motet.engine.spending import DayIsSpent, Ledger, Spent
from motet.errors import MotetError, UsageError
from motet.logfile import LogFile
from motet.messages import ToolCall
from motet.models.protocol import Destination, Limits, Price, Usage
from motet.models.scripted import Answer, HttpError, ScriptedModel, call
from motet.paths import state_dir
from motet.settings.schema import SpendingSettings

PRICED = "input_price = 2.0\noutput_price = 10.0\n[chat]\ntitles = true\n"
COST = (100 * 2.0 + 20 * 10.0) / 1e6
"""Of one answer of the scripted provider: 100 tokens and 20."""


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_SECRET", "")


def today() -> list[Spent]:
    (spent,) = Ledger(state_dir(os.environ)).days().values()
    return list(spent)


def model(price: Price | None = None) -> ScriptedModel:
    return ScriptedModel(
        [], limits=Limits(100_000, 4_096), price=price, destination=Destination("acme", "host", remote=True)
    )


async def test_every_request_is_in_the_ledger_titles_and_broken_answers_too_and_nothing_twice(tmp_path: Path) -> None:
    look = Answer(calls=(call("read_file", {"path": "a.py"}),))
    script = [look, Answer(text="One."), Answer(text="A title"), HttpError(503), Answer(text="Two.")]
    async with house(tmp_path, script, more=PRICED, titles=True) as place:
        (place.root / "a.py").write_text("one = 1\n")
        talk = place.m.chat(tools=["readonly"])
        await talk.ask("first")
        await talk.ask("second")
        chat = await talk.ready()
        (spent,) = today()
        assert (spent.model, spent.usage) == ("acme/m-1", Usage(400, 80))
        assert spent.cost == pytest.approx(4 * COST, abs=1e-12)
        assert (chat.info.tokens, chat.info.cost) == (480, pytest.approx(spent.cost, abs=1e-12))
    lines = [json.loads(line) for line in (state_dir(os.environ) / "spending.jsonl").read_text().splitlines()]
    assert len(lines) == 8 and {line["chat"] for line in lines} == {chat.id}


@pytest.mark.acceptance("T-29")
async def test_the_budget_of_a_day_holds_for_all_chats_together(tmp_path: Path) -> None:
    more = "[chat]\ntitles = false\n[spending]\nmax_tokens_per_day = 3000\n"
    asked = 0

    def answering(_: object) -> Answer:
        nonlocal asked
        asked += 1
        return Answer(text="Yes.")

    async with house(tmp_path, answering, more=more) as place:
        chats, ended = 0, Ended(End.DONE)
        while ended.reason is End.DONE:
            chats += 1
            events = [event async for event in place.m.chat().send("is it?")]
            assert isinstance(events[-1], Ended)
            ended = events[-1]
        used = sum(one.usage.total for one in today())
        assert used == 120 * asked <= 3000 and chats == asked + 1 > 2
        assert isinstance(ended.error, DayIsSpent)
        assert ended.detail.startswith(
            f"the budget of 3,000 tokens for today does not last: used {used:,}, this request"
        )
        assert ended.detail.endswith(
            "; nothing was sent; wait for tomorrow, or raise spending.max_tokens_per_day in "
            f"{os.environ['XDG_CONFIG_HOME']}/motet/config.toml"
        )
        assert len(place.log) == asked


async def test_the_next_day_begins_anew(tmp_path: Path) -> None:
    day = date(2026, 1, 31)
    ledger = Ledger(tmp_path, SpendingSettings(max_cost_per_day=0.01), lambda: day)
    entry = await ledger.begin(model(Price(1.0, 1.0)), 6_000, "")
    ledger.end(entry, Usage(6_000, 1_000))
    with pytest.raises(
        DayIsSpent,
        match=r"^the budget of \$0\.01 for today does not last: used \$0\.007, this request needs about \$0\.006;",
    ):
        await ledger.begin(model(Price(1.0, 1.0)), 6_000, "")
    day = date(2026, 2, 1)
    ledger.end(await ledger.begin(model(Price(1.0, 1.0)), 6_000, ""), Usage(6_000, 1))
    assert {day: [one.usage for one in of] for day, of in ledger.days().items()} == {
        "2026-01-31": [Usage(6_000, 1_000)], "2026-02-01": [Usage(6_000, 1)]
    }  # fmt: skip


async def test_who_is_killed_before_the_end_has_spent_what_the_request_needs_at_least(tmp_path: Path) -> None:
    limits = SpendingSettings(max_tokens_per_day=1_000)
    await Ledger(tmp_path, limits).begin(model(), 600, "")
    with pytest.raises(DayIsSpent):
        await Ledger(tmp_path, limits).begin(model(), 600, "")
    await Ledger(tmp_path, limits).begin(model(), 400, "")


async def test_the_count_goes_on_when_the_log_begins_a_new_file_and_over_a_damaged_line(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, SpendingSettings(max_tokens_per_day=1_000), max_bytes=2_500)
    (tmp_path / "spending.jsonl").write_text('{"day": "20\n[]\n')
    for _ in range(10):
        ledger.end(await ledger.begin(model(), 100, ""), Usage(90, 10))
    assert (tmp_path / "spending.1.jsonl").exists()
    for one in (ledger, Ledger(tmp_path, SpendingSettings(max_tokens_per_day=1_000))):
        with pytest.raises(DayIsSpent, match="used 1,000, this request needs about 1;"):
            await one.begin(model(), 1, "")


async def test_chats_of_one_process_that_ask_at_the_same_moment_are_all_counted(tmp_path: Path) -> None:
    row = {"day": date.today().isoformat(), "cost": 0.0, "input": 1}
    (tmp_path / "spending.jsonl").write_text("".join(json.dumps({**row, "id": str(n)}) + "\n" for n in range(5_000)))
    ledger, interval = Ledger(tmp_path, SpendingSettings(max_tokens_per_day=5_150)), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # seconds: threads take turns as often as they can
    try:
        for _ in range(5):
            await asyncio.gather(*(ledger.begin(model(), 1, "") for _ in range(30)))
        with pytest.raises(DayIsSpent):
            await ledger.begin(model(), 1, "")
    finally:
        sys.setswitchinterval(interval)


async def test_a_budget_in_dollars_needs_a_price_and_what_cannot_be_written_down_is_not_sent(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        await Ledger(tmp_path, SpendingSettings(max_cost_per_day=1.0)).begin(model(), 1, "")
    assert str(refused.value) == (
        "spending.max_cost_per_day is a cap in dollars, and the price of scripted is not known; set "
        "providers.acme.input_price and output_price, or use spending.max_tokens_per_day"
    )
    (tmp_path / "spending.jsonl").mkdir()
    with pytest.raises(MotetError, match=r"spending\.jsonl: Is a directory; what requests cost must be written down"):
        await Ledger(tmp_path).begin(model(), 1, "")


SPENDS = """
import asyncio, sys
from pathlib import Path
from motet.engine.spending import DayIsSpent, Ledger
from motet.logfile import LogFile
from motet.models.protocol import Destination, Limits, Price, Usage
from motet.models.scripted import ScriptedModel
from motet.settings.schema import SpendingSettings

async def main():
    model = ScriptedModel([], limits=Limits(1000, 100), price=Price(1.0, 1.0), destination=Destination("a", "h", remote=True))
    ledger, done = Ledger(Path(sys.argv[1]), SpendingSettings(max_tokens_per_day=20_000)), 0
    try:
        while True:
            ledger.end(await ledger.begin(model, 90, ""), Usage(90, 10))
            done += 1
    except DayIsSpent:
        print(done)
asyncio.run(main())
"""


def test_processes_that_spend_at_the_same_time_stay_within_the_budget_and_lose_no_line(tmp_path: Path) -> None:
    processes = [
        subprocess.Popen([sys.executable, "-c", SPENDS, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    done = [int(process.communicate(timeout=120)[0]) for process in processes]
    (spent,) = Ledger(tmp_path).days()[date.today().isoformat()]
    assert spent.usage.total == 100 * sum(done)
    # Each begins what fits with all that is under way: at most the outputs of those are beyond it.
    assert 20_000 - 4 * 100 < spent.usage.total <= 20_000 + 3 * 10
    assert spent.cost == pytest.approx(math.fsum([100 / 1e6] * sum(done)), abs=1e-12)


async def test_a_request_that_is_stopped_costs_what_had_arrived(tmp_path: Path) -> None:
    async with house(tmp_path, [Answer(text="word " * 200)]) as place:
        chat = await place.m.chat().ready()
        async for event in chat.send("go"):
            if type(event).__name__ == "TextDelta":
                chat.stop()
        await asyncio.wait_for(chat.close(), 20)
        (spent,) = today()
        assert spent.usage.input > 100 and 0 < spent.usage.output <= 400
        assert spent.usage.total == chat.info.tokens


def test_a_line_waits_for_the_process_that_writes_one(tmp_path: Path) -> None:
    log = LogFile(tmp_path, "log", max_bytes=1_000)
    log.append(b"one")
    with log.path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        writing = threading.Thread(target=log.append, args=(b"two",))
        writing.start()
        waits = f":{os.fstat(held.fileno()).st_ino} "
        while writing.is_alive() and not any("-> FLOCK" in row and waits in row for row in locks()):
            writing.join(0.005)
        assert list(log.lines()) == [b"one\n"]
        fcntl.flock(held, fcntl.LOCK_UN)
    writing.join()
    assert list(log.lines()) == [b"one\n", b"two\n"]


def locks() -> list[str]:
    """All that processes of this machine hold, and wait for."""
    return Path("/proc/locks").read_text().splitlines()


FULL = """
import resource, sys
from pathlib import Path
from motet.logfile import LogFile
log = LogFile(Path(sys.argv[1]), "log", max_bytes=1_000)
log.append(b"x" * 59)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    log.append(b"y" * 59)
except OSError as error:
    print(error.strerror)
"""


def test_of_a_line_for_which_there_is_no_room_nothing_is_left(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FULL, tmp_path], capture_output=True, text=True, check=True)
    assert done.stdout == "No space left on device\n"
    assert (tmp_path / "log.jsonl").read_bytes() == b"x" * 59 + b"\n"


LOOPS: dict[str, tuple[Callable[[int], tuple[ToolCall, ...]], int]] = {
    "the same call": (lambda n: (call("read_file", {"path": "a.py"}, f"c{n}"),), 3),
    "two calls in turn": (lambda n: (call("read_file", {"path": f"{n % 2}.py"}, f"c{n}"),), 5),
    "a file that is not there": (lambda n: (call("read_file", {"path": f"none{n}.py"}, f"c{n}"),), 8),
    "a tool that is not there": (lambda n: (call("no_such_tool", {"n": n}, f"c{n}"),), 8),
    "always something new": (lambda n: (call("create_file", {"path": f"{n}.txt", "content": "x\n"}, f"c{n}"),), 12),
    "its own caps": (
        lambda n: (call("create_file", {"path": ".motet.toml", "content": f"[chat]\nrounds = {900 + n}\n"}, f"c{n}"),), 8,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.acceptance("T-29")
async def test_a_model_that_loops_is_stopped_within_the_bound_and_the_ledger_is_exact(
    tmp_path: Path, name: str
) -> None:
    calling, bound = LOOPS[name]
    asked = 0

    def looping(_: object) -> Answer:
        nonlocal asked
        asked += 1
        return Answer(calls=calling(asked))

    more = "input_price = 2.0\noutput_price = 10.0\n[chat]\ntitles = false\nrounds = 12\n"
    async with house(tmp_path, looping, more=more, allow=("send", "write"), yes=True) as place:
        (place.root / "a.py").write_text("one = 1\n")
        for turn in (1, 2):
            chat = place.m.chat(tools=["files"])
            ended = [event async for event in chat.send("go on")][-1]
            assert isinstance(ended, Ended) and ended.reason is End.LIMIT
            (spent,) = today()
            if name != "always something new" or turn == 1:  # then the files are there already
                assert asked == len(place.server.requests) == bound * turn
            assert spent.usage == Usage(100 * asked, 20 * asked)
            assert spent.cost == pytest.approx(asked * COST, abs=1e-12)
        assert not (place.root / ".motet.toml").exists()


@pytest.mark.acceptance("T-29")
async def test_a_projects_file_raises_no_cap_and_a_turn_ends_by_the_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / ".motet.toml").write_text("[chat]\nrounds = 1000\n[spending]\nmax_tokens_per_day = 1000000000\n")
    clock = time.monotonic
    asked = 0

    def looping(_: object) -> Answer:
        nonlocal asked
        asked += 1
        if asked == 2:
            monkeypatch.setattr("motet.turn.limits.time.monotonic", lambda: clock() + 61)
        return Answer(calls=(call("create_file", {"path": f"{asked}.txt", "content": "x\n"}, f"c{asked}"),))

    more = "[chat]\ntitles = false\nrounds = 9\nmax_minutes = 1\n"
    async with house(tmp_path, looping, more=more, yes=True) as place:
        settings = place.m._engine.loaded.settings
        assert (settings.chat.rounds, settings.spending.max_tokens_per_day) == (9, None)
        ended = [event async for event in place.m.chat(tools=["files"]).send("go on")][-1]
        assert ended == Ended(End.LIMIT, "1 minute for one turn", can_go_on=True)
        assert asked == 2

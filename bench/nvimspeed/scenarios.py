"""What is measured, with its bars."""

from __future__ import annotations

import re
import statistics
import subprocess
import time

from chatspeed.provider import percentile
from measure.run import BIN, BenchError, place
from measure.table import Measured

from nvimspeed.editor import ROOT
from nvimspeed.provider import Provider
from nvimspeed.turns import LUA, MOTET, PROCESS, Chat, Turn, Who, chat

BURST = 20_000
_FULL = 4_000
"""Characters of a token in answers that only fill a chat."""
LONGEST = 10_000_000
"""Characters of the chat in which keys are typed."""


def opening(provider: Provider, rounds: int) -> list[Measured]:
    """From the command to a window, and to a chat that takes a message; and the plugin when the editor starts."""
    first: list[float] = []
    ready: list[float] = []
    second: list[float] = []
    for _ in range(rounds + 1):
        with chat(MOTET, provider) as talk:
            first.append(talk.blocked)
            ready.append(talk.ready)
            second.append(talk.open()[0])
    return [
        Measured("the plugin when the editor starts", "ms", [_sourced() for _ in range(2 * rounds)], 1),
        Measured("the first chat, to its window", "ms", first[1:], 25),
        Measured("the first chat, to a program that takes a message", "ms", ready[1:], 300),
        Measured("the second chat, to its window", "ms", second[1:], 25),
    ]


def _sourced() -> float:
    """Milliseconds that an editor that starts spends on `plugin/motet.lua`."""
    with place() as here:
        log = here.root / "log"
        argv = [BIN / "nvim", "--headless", "-u", "NORC", "-i", "NONE", "--cmd", f"set runtimepath^={ROOT}"]
        subprocess.run([*argv, "--startuptime", log, "+q"], env=here.environment, check=True, timeout=60)
        found = re.search(r"^\S+\s+(\S+)\s+\S+: sourcing \S*/plugin/motet\.lua", log.read_text(), re.MULTILINE)
    if not found:
        raise BenchError("the editor did not read the plugin")
    return float(found[1])


def bursts(provider: Provider, rounds: int) -> list[Measured]:
    """An answer at full speed, by everybody in turns."""
    seen: dict[Who, list[Turn]] = {who: [] for who in (MOTET, PROCESS, LUA)}
    for _ in range(rounds + 1):
        for who, turns in seen.items():
            with chat(who, provider) as talk:
                turns.append(talk.turn(BURST, probing=True))
                talk.require(BURST, 4)
    ours, process, lua = (turns[1:] for turns in seen.values())
    most = statistics.median(turn.editor_cpu for turn in process)
    return [
        Measured("burst, in all", "ms", [t.total for t in ours], 2, PROCESS.name, [t.total for t in process]),
        Measured("burst, in all, beside Lua", "ms", [t.total for t in ours], None, LUA.name, [t.total for t in lua]),
        Measured("burst, requests to the editor, p95", "ms", [t.probe(0.95) for t in ours], 10),
        Measured("burst, requests to the editor, p99.9", "ms", [t.probe(0.999) for t in ours], 50),
        Measured("burst, processor time of the editor", "s", [t.editor_cpu for t in ours], max(0.15, 3 * most)),
        Measured("burst, processor time of the process", "s", [t.process_cpu for t in ours], None, PROCESS.name,
                 [t.process_cpu for t in process]),
    ]  # fmt: skip


def submitting(provider: Provider, rounds: int) -> list[Measured]:
    """From sending to the request that the provider has read, in chats of three lengths."""
    empty: list[list[Turn]] = []
    long: list[list[Turn]] = []
    late: list[list[Turn]] = []
    for _ in range(rounds):
        with chat(MOTET, provider) as talk:
            talk.turn(5)
            turns: list[Turn] = []
            for _ in range(15):
                talk.open()
                talk.editor.wait(0.1)
                turns.append(talk.turn(5))
            empty.append(turns)
        with chat(MOTET, provider) as talk:
            fill(talk)
            long.append([talk.turn(5) for _ in range(15)])
        with chat(MOTET, provider) as talk:
            for _ in range(185):
                talk.turn(30)
            late.append([talk.turn(30) for _ in range(15)])
    rows: list[Measured] = []
    for where, bar, runs in (("an empty chat", 30, empty), ("a chat of 1 MB", 40, long), ("turn 200", 40, late)):
        p95 = [percentile([turn.to_request for turn in turns], 0.95) for turns in runs]
        median = [statistics.median(turn.to_request for turn in turns) for turns in runs]
        rows.append(Measured(f"from sending to the request, {where}", "ms", median))
        rows.append(Measured(f"from sending to the request, {where}, p95", "ms", p95, bar))
    blocked = [max(turn.blocked for turn in turns) for turns in (*empty, *long, *late)]
    return [*rows, Measured("the editor while it sends, the longest of 15", "ms", blocked, 5)]


def fill(talk: Chat, size: int = 1_000_000, turns: int = 10) -> None:
    """Make the chat so many characters long."""
    for _ in range(turns):
        talk.turn(size // turns // _FULL, _FULL)


def steady(provider: Provider, rounds: int) -> list[Measured]:
    """100 tokens a second for 20 seconds, beside the floor."""
    seen: dict[Who, list[Turn]] = {MOTET: [], LUA: []}
    for _ in range(rounds):
        for who, turns in seen.items():
            with chat(who, provider) as talk:
                turns.append(talk.turn(2000, rate=100))
    ours, floor = seen.values()
    return [
        Measured("steady for 20 s, processor time of the editor", "s", [t.editor_cpu for t in ours], 1.0),
        Measured("the same, beside", "s", [t.editor_cpu for t in ours], None, LUA.name, [t.editor_cpu for t in floor]),
        Measured("steady for 20 s, processor time of the process", "s", [t.process_cpu for t in ours], 1.2),
        Measured("steady for 20 s, a token to the screen, p50", "ms", [t.token(0.5) for t in ours], None, LUA.name,
                 [t.token(0.5) for t in floor]),
        Measured("the last token to the screen", "ms", [t.last_to_screen for t in ours], 60),
    ]  # fmt: skip


def long_chats(provider: Provider, rounds: int) -> list[Measured]:
    """The same for 5 seconds in a chat of 1 MB and in an empty one; keys in a chat of 10 MB."""
    long: list[Turn] = []
    empty: list[Turn] = []
    floor: list[Turn] = []
    for _ in range(rounds):
        for who, turns, full in ((MOTET, long, True), (MOTET, empty, False), (LUA, floor, True)):
            with chat(who, provider) as talk:
                if full:
                    fill(talk)
                turns.append(talk.turn(500, rate=100))
    both = [[turn.editor_cpu + turn.process_cpu for turn in turns] for turns in (long, empty)]
    cpu = [[turn.editor_cpu for turn in turns] for turns in (long, floor)]
    where = "steady for 5 s in a chat of 1 MB"
    return [
        Measured(f"{where}, processor time of the editor", "s", cpu[0], 0.5),
        Measured("the same, beside", "s", cpu[0], None, LUA.name, cpu[1]),
        Measured(f"{where}, processor time in all", "s", both[0], 1.3, "in an empty chat", both[1]),
        Measured(f"{where}, a token to the screen, p50", "ms", [t.token(0.5) for t in long], 60),
        Measured(f"{where}, a token to the screen, p95", "ms", [t.token(0.95) for t in long], 120),
        Measured(f"{where}, the last token to the screen", "ms", [t.last_to_screen for t in long], 60),
        Measured("a chat of 10 MB, a key to the screen, p95", "ms", [keys(provider) for _ in range(rounds)], 16),
    ]


def keys(provider: Provider) -> float:
    """Milliseconds from a key that is typed into the draft of a chat of 10 MB to its letter on the screen; p95."""
    with chat(MOTET, provider) as talk:
        talk.turn(LONGEST // _FULL, _FULL)
        talk.editor.lua("vim.cmd.stopinsert() vim.cmd('normal! G') vim.cmd.startinsert()")
        talk.editor.wait(0.5)
        took: list[float] = []
        for number in range(100):
            letter = chr(0xAC00 + number)
            talk.editor.drawn.clear()
            begun = time.monotonic()
            talk.editor.press(letter)
            talk.editor.wait_for(
                lambda letter=letter: any(letter in text for _, text in talk.editor.drawn), "a letter"
            )
            took.append(1e3 * (time.monotonic() - begun))
            talk.editor.wait(0.02)
    return percentile(took, 0.95)

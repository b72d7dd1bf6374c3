"""The benchmark of chats in Neovim measures every part at a small size; its bars are for `make bench-nvim`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.fixture(scope="module", autouse=True)
def importable() -> Iterator[None]:
    """What stands in `bench/` is found as its scripts find it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCH))
        yield
        for name in [name for name in sys.modules if name.startswith(("nvimspeed", "chatspeed", "measure"))]:
            del sys.modules[name]


@pytest.mark.parametrize("who", ["MOTET", "LUA", "PROCESS"])
def test_everybody_shows_the_whole_answer_and_is_measured(who: str) -> None:
    from nvimspeed import turns
    from nvimspeed.provider import provider

    with provider() as asked, turns.chat(getattr(turns, who), asked) as talk:
        fast = talk.turn(300, probing=True)
        talk.require(300, 4)
        slow = talk.turn(50, rate=100)
    assert 0 < fast.to_request < fast.total
    assert fast.probes and fast.editor_cpu > 0
    assert (fast.process_cpu > 0) == (who != "LUA")
    assert len(slow.tokens) == 2 and min(slow.tokens) > 0
    assert slow.total > 490 > slow.last_to_screen > -1000


def test_keys_are_timed_and_the_plugin_is(monkeypatch: pytest.MonkeyPatch) -> None:
    from nvimspeed import scenarios
    from nvimspeed.provider import provider

    with provider() as asked:
        first = [row.what for row in scenarios.opening(asked, 1)]
        monkeypatch.setattr(scenarios, "LONGEST", 100_000)
        assert 0 < scenarios.keys(asked) < 5_000
    assert first[0] == "the plugin when the editor starts"


def test_a_section_is_replaced_or_added_and_the_verdict_is_of_the_whole_page() -> None:
    from measure.table import Result
    from run_all import page, updated

    old = page([Result("A", "About A.", ["x"], [["1"]], ["a: 3"]), Result("B", "About B.", ["x"], [["2"]])], 60)
    assert "**Missed: a: 3.**" in old
    held = updated(old, [Result("A", "Again.", ["x"], [["7"]])])
    assert "**All bars are held.**" in held
    assert held.count("## A\n") == 1 and "\n| 7 |\n" in held and "\n| 2 |\n" in held and "About A." not in held
    more = updated(held, [Result("C", "About C.", ["x"], [["3"]], ["c: 9", "d: 8"])])
    assert "**Missed: c: 9; d: 8.**" in more
    assert more.index("## B\n") < more.index("## C\n") and more.endswith("- **missed**: d: 8\n")

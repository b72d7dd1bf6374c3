"""The simulation of boards, and its picture."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.fixture(autouse=True)
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(BENCH))
    yield
    for name in [name for name in sys.modules if name.startswith("boardspeed")]:
        del sys.modules[name]


def test_a_simulated_team_is_the_same_for_a_seed_and_loses_nothing() -> None:
    from boardspeed.costs import read
    from boardspeed.simulated import Simulation, Team

    costs = read()
    team = Team(60, 6, posts=6.0)
    one, again, other = (Simulation(costs["PostgreSQL"], team, seed).run(20) for seed in (1, 1, 2))
    assert one == again != other
    assert one.keeps_up
    assert one.late == 0
    assert one.delivered == len(one.waits) > 50
    assert min(one.waits) > (costs["PostgreSQL"].write + costs["PostgreSQL"].pull) / 2e3


def test_a_store_with_more_to_do_than_time_does_not_keep_up() -> None:
    from boardspeed.costs import Costs
    from boardspeed.simulated import Simulation, Team

    slow = Costs(50.0, 1.0, 1.0, 0.1, 50.0, 50.0, 50.0, 1000, 500)
    assert not Simulation(slow, Team(100, 100, posts=6.0)).run(20).keeps_up


def test_a_picture_has_a_line_for_each_and_escapes_their_names() -> None:
    from boardspeed.plot import Line, plotted

    picture = ElementTree.fromstring(plotted("x", "y", [Line("a < b", [(10, 5), (1000, 50)]), Line("c", [(20, 7)])]))
    texts = [one.text for one in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["10", "100", "1,000", "1", "10", "100", "x", "y", "a < b", "c"]
    assert len(list(picture.iter("{http://www.w3.org/2000/svg}circle"))) == 3

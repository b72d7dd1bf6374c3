"""How boards would do with up to 10,000 agents on many machines: a simulation by seed, without a network.

    python bench/board_sim.py [--measure] [--write] [--seed N] [--seconds N]
    python bench/board_sim.py --agents N [--processes N] [--members N] [--posts N] [--cores N] [--engine NAME]

The first form prints the tables of docs/scale.md, and with `--write` puts them and its picture there; the second one
tells of a team of yours. What single steps take is in bench/boardspeed/costs.json; `--measure` measures it here.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
from pathlib import Path

from boardspeed.costs import Costs, measured, read, write
from boardspeed.places import stores
from boardspeed.plot import Line, plotted
from boardspeed.simulated import Seen, Simulation, Team
from chatspeed.provider import percentile

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE, PICTURE = DOCS / "scale.md", DOCS / "pictures" / "scale.svg"
TEAMS = (
    ("one machine, a process each", "SQLite", Team(10, 10, 10)),
    ("one machine, a process each", "SQLite", Team(50, 50)),
    ("one machine, a process each", "SQLite", Team(100, 100)),
    ("5 machines, a process each", "PostgreSQL", Team(100, 100)),
    ("30 machines, a process each", "PostgreSQL", Team(300, 300)),
    ("10 machines, a process for each 100", "PostgreSQL", Team(1_000, 10)),
    ("100 machines, a process each", "PostgreSQL", Team(1_000, 1_000)),
    ("30 machines, a process for each 100", "PostgreSQL", Team(3_000, 30)),
    ("100 machines, a process for each 100", "PostgreSQL", Team(10_000, 100)),
    ("one of 10 schemas on 4 servers, a process for each 100", "PostgreSQL", Team(1_000, 10, cores=3.2)),
    ("one of 100 schemas on 25 servers, a process each", "PostgreSQL", Team(100, 100, cores=2.0)),
)
"""What is told of in the page: where, in which store, who."""
_CONTEXT, _PRICE = 20_000, 3.0
"""Tokens that a recipient of @All reads with it, and dollars for a million of them."""
_HOURS = 8
_HEAD = (
    "agents",
    "where",
    "store",
    "posts/s",
    "writers' turn",
    "other cores",
    "looks/s",
    "p50",
    "p99",
    "connections",
)


def traffic(costs: dict[str, Costs], seed: int, seconds: float) -> list[str]:
    """The rows of the teams."""
    rows = [_row(_HEAD), _row(["---"] * len(_HEAD))]
    for where, engine, team in TEAMS:
        seen = Simulation(costs[engine], team, seed).run(seconds)
        rows.append(_row(_cells(where, engine, team, seen)))
    return rows


def _cells(where: str, engine: str, team: Team, seen: Seen) -> list[str]:
    waits = seen.waits or [0.0]
    p50, p99 = (f"{percentile(waits, share) * 1e3:,.0f} ms" for share in (0.5, 0.99))
    if not seen.keeps_up:
        p50, p99 = "–", "does not keep up"
    connections = f"{2 * team.processes:,}" if engine == "PostgreSQL" else "–"
    return [
        *(f"{team.agents:,}", where, engine, f"{seen.stored:,.1f}", f"{seen.turn:.0%}", f"{seen.reading:.0%}"),
        *(f"{seen.looks:,.0f}", p50, p99, connections),
    ]


def storage(costs: dict[str, Costs]) -> list[str]:
    """What a day of eight hours stores, and what one post to everyone costs."""
    rows = [
        _row(
            (
                "agents",
                "posts a day",
                "stored a day",
                "deliveries of one @All",
                "writers' turn for it",
                "tokens",
                "cost",
            )
        ),
        _row(["---"] * 7),
    ]
    one = costs["PostgreSQL"]
    for agents in (10, 100, 1_000, 10_000):
        posts = agents * 60 * _HOURS
        size = posts * (one.post_bytes + one.delivery_bytes)
        tokens = (agents - 1) * _CONTEXT
        rows.append(
            _row(
                (
                    f"{agents:,}",
                    f"{posts:,}",
                    f"{size / 1e6:,.0f} MB",
                    f"{agents - 1:,}",
                    f"{(agents - 1) * one.delivery / 1e3:,.1f} s",
                    f"{tokens:,}",
                    f"${tokens / 1e6 * _PRICE:,.2f}",
                )
            )
        )
    return rows


def steps(costs: dict[str, Costs]) -> list[str]:
    """What was measured."""
    names = {
        "write": "a transaction, ms", "post": "each post in it, ms", "look": "whether anything waits, ms",
        "looker": "for each further agent of the process, ms", "pull": "taking a delivery, ms",
        "carried": "saying that it was read, ms", "settle": "settling it, ms", "post_bytes": "a post, bytes",
        "delivery_bytes": "a delivery, bytes",
    }  # fmt: skip
    rows = [_row(("step", *costs)), _row(["---"] * (len(costs) + 1))]
    return rows + [
        _row((what, *(f"{getattr(one, name):,}" for one in costs.values()))) for name, what in names.items()
    ]


def picture(costs: dict[str, Costs], seed: int, seconds: float) -> str:
    """p99 by agents, one line for each way to run them."""
    ways = (
        ("SQLite, a process each", "SQLite", 1, (10, 20, 50, 100, 150, 200)),
        ("PostgreSQL, a process each", "PostgreSQL", 1, (10, 30, 100, 200, 300, 500, 1_000)),
        ("PostgreSQL, a process for each 100", "PostgreSQL", 100, (100, 300, 1_000, 2_000, 3_000, 5_000)),
    )
    lines: list[Line] = []
    for name, engine, each, sizes in ways:
        points: list[tuple[float, float]] = []
        for agents in sizes:
            seen = Simulation(costs[engine], Team(agents, max(agents // each, 1)), seed).run(seconds)
            if not seen.keeps_up:
                break
            points.append((agents, percentile(seen.waits or [0.001], 0.99) * 1e3))
        lines.append(Line(name, points))
    return plotted("agents, one post a minute each", "from post to recipient, p99, ms", lines)


def _row(cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"  # type: ignore[call-overload]


def _into(page: str, name: str, rows: list[str]) -> str:
    """`page` with the table of that name made anew."""
    pattern = rf"(<!-- table: {name} -->\n).*?(?=<!-- end -->)"
    new, many = re.subn(pattern, lambda found: found[1] + "\n".join(["", *rows, "", ""]), page, flags=re.DOTALL)
    if many != 1:
        raise SystemExit(f"{PAGE}: there is no place for the table {name}")
    return new


def main() -> int:
    """Do what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--measure", action="store_true", help="measure what single steps take")
    parser.add_argument("--write", action="store_true", help="write docs/scale.md")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60.0, help="of simulated time (60)")
    parser.add_argument("--agents", type=int)
    parser.add_argument("--processes", type=int)
    parser.add_argument("--members", type=int, default=20, help="agents of a board (20)")
    parser.add_argument("--posts", type=float, default=1.0, help="of an agent in a minute (1)")
    parser.add_argument("--cores", type=float, default=8.0, help="of the store's machine (8)")
    parser.add_argument("--engine", choices=("SQLite", "PostgreSQL"), default="PostgreSQL")
    options = parser.parse_args()
    if options.measure:
        with stores() as found:
            write(read() | {store.engine: asyncio.run(measured(store, 15)) for store in found})
    costs = read()
    if options.agents:
        team = Team(
            options.agents, options.processes or options.agents, options.members, options.posts, cores=options.cores
        )
        seen = Simulation(costs[options.engine], team, options.seed).run(options.seconds)
        print("\n".join([_row(_HEAD), _row(["---"] * len(_HEAD)), _row(_cells("", options.engine, team, seen))]))
        return 0
    tables = {"steps": steps(costs), "traffic": traffic(costs, options.seed, options.seconds), "day": storage(costs)}
    for rows in tables.values():
        print("\n".join(rows), end="\n\n")
    if options.write:
        text = PAGE.read_text(encoding="utf-8")
        for name, rows in tables.items():
            text = _into(text, name, rows)
        PAGE.write_text(text, encoding="utf-8")
        PICTURE.write_text(picture(costs, options.seed, options.seconds), encoding="utf-8")
        print(f"wrote {PAGE} and {PICTURE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

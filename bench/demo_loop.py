"""How long the main job takes on the example projects, as `make demo` runs it.

python bench/demo_loop.py [--runs N] [--json]
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from measure.run import MOTET, BenchError, place, timed
from measure.table import Measured, Result, main, measured, say

BAR = 20.0
EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def measure(runs: int) -> Result:
    """`runs` runs, each on a fresh copy of the examples."""
    walls: list[float] = []
    cpus: list[float] = []
    with place() as here:
        for number in range(1, runs + 1):
            project = here.root / f"examples-{number}"
            shutil.copytree(EXAMPLES, project)
            run = timed(
                [MOTET, "fix", "--yes", "--json", "--model", "offline"], project, here.environment, codes=(0, 1)
            )
            walls.append(run.wall)
            cpus.append(run.cpu or 0)
            say(f"run {number} of {runs}: {run.wall:.2f} s")
    events = [json.loads(line) for line in run.stdout.splitlines()]
    first = next(event for event in events if event["event"] == "checked")
    found, left = first["diagnostics"], events[-1]["remaining"]
    if not found or events[-1]["event"] != "fixed":
        raise BenchError(f"no problems were found: {run.stderr[-500:]}")
    rows = [Measured("`motet fix`, wall time", "s", walls, BAR)]
    if all(cpus):
        rows.append(Measured("`motet fix`, its own processor time", "s", cpus))
    about = (
        f"`motet fix --yes --model offline` on `examples/`: {first['files']} files, {len(found)} problems "
        f"({', '.join(first['sources'])}), {len(left)} left for a human or another model; {events[-1]['rounds']} rounds."
    )
    return measured("The examples", about, rows)


if __name__ == "__main__":
    sys.exit(main(__doc__, {"runs": 3}, measure))

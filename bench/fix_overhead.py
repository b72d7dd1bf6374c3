"""What `motet fix` costs beside the language servers it asks, on a clean Python project.

    python bench/fix_overhead.py [--pairs N] [--files N] [--json]

Beside it stands `bare_servers.py`: the same files in the same servers, started by the same commands with the same
settings, asked for the same diagnostics. Runs take turns.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from measure.project import modules, write_project
from measure.run import BIN, MOTET, BenchError, Place, Timed, place, timed
from measure.table import Measured, Result, main, measured, say

from motet.diagnostics import BUILT_IN, Surroundings
from motet.diagnostics.locate import locate
from motet.permissions import Gate, GrantStore, RuleSet

BAR = 1.2
BARE = Path(__file__).resolve().parent / "bare_servers.py"
SERVERS = ("ruff", "basedpyright")


def measure(pairs: int, files: int) -> Result:
    """`pairs` pairs on a project of `files` files, after one that does not count."""
    with place() as here:
        project = here.directory("project")
        written = write_project(project, modules(files))
        subprocess.run(["git", "init", "--quiet"], cwd=project, env=here.environment, check=True)
        plan = write_plan(here, project, written)
        runs: list[tuple[Timed, Timed]] = []
        for turn in range(pairs + 1):
            order = (motet, bare) if turn % 2 else (bare, motet)
            first, second = (run(here, project, plan) for run in order)
            runs.append((first, second) if turn % 2 else (second, first))
            say(f"pair {turn} of {pairs}: motet {runs[-1][0].wall:.2f} s, bare {runs[-1][1].wall:.2f} s")
    return _result(runs[1:], len(written))


def _result(runs: Sequence[tuple[Timed, Timed]], files: int) -> Result:
    ours, bares = zip(*runs, strict=True)
    rows = [
        Measured(
            "`motet fix`, wall time", "s", [run.wall for run in ours], BAR, "bare script", [r.wall for r in bares]
        )
    ]
    if all(run.cpu for run in (*ours, *bares)):
        cpu = [[run.cpu or 0 for run in side] for side in (ours, bares)]
        rows.append(Measured("`motet fix`, its own processor time", "s", cpu[0], None, "bare script", cpu[1]))
    about = (
        f"`motet fix` on a clean Python project of {files} files, beside `bench/bare_servers.py`, which opens the "
        f"same files in the same servers ({', '.join(SERVERS)}) with the same settings and waits for the same "
        f"diagnostics; {len(runs)} pairs in turns. Processor time is of the process alone, without the servers'."
    )
    return measured("Overhead of `motet fix`", about, rows)


def write_plan(here: Place, project: Path, written: Sequence[Path]) -> Path:
    """What `bare_servers.py` is to do: the launches that motet itself would make."""
    gate = Gate(project, RuleSet(), GrantStore(here.root / "home" / "state"))
    wanted = [spec for spec in BUILT_IN if spec.name in SERVERS]
    launches, advice = asyncio.run(locate(wanted, Surroundings(project), gate))
    if advice:
        raise BenchError("; ".join(advice))
    servers = {
        launch.spec.name: {
            "argv": launch.argv,
            "settings": launch.settings,
            "initialization": launch.initialization or None,
        }
        for launch in launches
    }
    names = [str(path.relative_to(project)) for path in written]
    plan = here.root / "plan.json"
    plan.write_text(json.dumps({"root": str(project), "files": sorted(names), "servers": servers}))
    return plan


def motet(here: Place, project: Path, plan: Path) -> Timed:
    """`motet fix`, which must find the project clean."""
    return timed([MOTET, "fix", "--yes", "--model", "offline"], project, here.environment)


def bare(here: Place, project: Path, plan: Path) -> Timed:
    """The bare script, which must find it clean as well."""
    run = timed([BIN / "python", BARE, plan], project, here.environment)
    if any(json.loads(run.stdout).values()):
        raise BenchError(f"the project is not clean: {run.stdout}")
    return run


if __name__ == "__main__":
    sys.exit(main(__doc__, {"pairs": 5, "files": 200}, measure))

"""Run the benchmarks one after the other and write `docs/benchmarks.md`: `make bench`.

    python bench/run_all.py [--only NAME]… [--update] [--output FILE]

Each runs in a process of its own. With `--only`, its tables are printed and no page is written; with `--update`, they
take the place of those that the page has. One that needs what is not here is left out, with a line that says so. Exit code 1 when a bar is missed or a benchmark could not be run.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from measure.run import BIN
from measure.table import Result

from motet import __version__

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "benchmarks.md"


def plain(data: dict) -> Result:
    """What a benchmark of this directory prints with `--json`."""
    return Result(**data)


def offline(data: dict) -> Result:
    """What `offline_fix.py` prints, by kind."""
    rows = [[str(value) for value in row.values()] + ["–", "–"] for row in data["rows"]]
    rows[-1][-2:] = ["≥ 50 % fixed, ≥ 80 % of the offered, none worse", "no" if data["missed"] else "yes"]
    head = [name.replace("_", " ") for name in data["rows"][0]]
    about = (
        f"Mutations by seed {data['seed']} in files of the standard library, C sources and node's typings, given to the "
        "offline model with what language servers say about them. *offered*: a server offers a fix; *restored*: the "
        "file is the original again, byte for byte. `bench/offline_fix.py --show` tells each one."
    )
    return Result("Repairs by the offline model", about, [*head, "bar", "held"], rows, data["missed"])


def without_cases() -> str:
    """Why `edit_cases.py` cannot run here: other tools' cases are no part of the project."""
    from edit_cases import shared_cases

    return "" if shared_cases().is_dir() else "the cases beside the project are not there; $MOTET_SHARED names them"


def without_sets() -> str:
    """Why `retrieval.py` cannot run here: its questions are no part of the project."""
    from retrieving.sets import shared_cases

    return "" if shared_cases().is_dir() else "the sets beside the project are not there; $MOTET_SHARED names them"


def without_editor() -> str:
    """Why what needs Neovim cannot run here."""
    return "" if (BIN / "nvim").exists() else "there is no Neovim in the environment"


@dataclass(frozen=True)
class Bench:
    """One script of this directory, how its JSON is read, and why it is left out here; empty when it is not."""

    name: str
    read: Callable[[dict], Result] = plain
    left_out: Callable[[], str] = lambda: ""


BENCHES = (
    Bench("startup"),
    Bench("fix_overhead"),
    Bench("demo_loop"),
    Bench("large_workspace"),
    Bench("interrupt"),
    Bench("offline_fix", offline),
    Bench("edit_cases", left_out=without_cases),
    Bench("file_text"),
    Bench("edit_formats"),
    Bench("edit_speed"),
    Bench("chat_speed"),
    Bench("history_speed"),
    Bench("map"),
    Bench("snapshot_cost"),
    Bench("index_cost"),
    Bench("retrieval", left_out=without_sets),
    Bench("nvim_speed", left_out=without_editor),
    Bench("board_speed"),
    Bench("board_keys", left_out=without_editor),
)


def run(bench: Bench) -> Result:
    """The table of `bench`; when it cannot be run, an empty one that says why."""
    script = HERE / f"{bench.name}.py"
    print(f"{bench.name} …", file=sys.stderr, flush=True)
    started = time.monotonic()
    done = subprocess.run([sys.executable, script, "--json"], stdout=subprocess.PIPE, text=True, check=False)
    print(f"{bench.name}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    try:
        return bench.read(json.loads(done.stdout.splitlines()[-1]))
    except (ValueError, IndexError, KeyError, TypeError):
        why = f"`bench/{bench.name}.py` could not be run (exit code {done.returncode})"
        return Result(bench.name, f"{why}; run it alone to see why.", ["held"], [["no"]], [why])


def chosen(names: list[str] | None) -> tuple[list[Bench], list[str]]:
    """The benchmarks to run, of those in `names` or of all, and a line for each that is left out."""
    wanted = [bench for bench in BENCHES if not names or bench.name in names]
    reasons = {bench.name: bench.left_out() for bench in wanted}
    left_out = [f"{name} is left out: {why}" for name, why in reasons.items() if why]
    return [bench for bench in wanted if not reasons[bench.name]], left_out


def page(results: list[Result], seconds: float, left_out: Sequence[str] = ()) -> str:
    """The whole of `docs/benchmarks.md`."""
    verdict = verdict_of([line for result in results for line in result.missed])
    about = (
        "Written by `make bench`; every number is of one run on one machine, so ratios say more than seconds. Compiled "
        "modules are cached, as after the first run of any program in Python. A ratio is the median of the ratios of "
        "pairs that ran one after the other, since what else a machine does hits both of a pair."
    )
    head = f"# Benchmarks\n\n{about}\n\n{machine()}, {seconds / 60:.0f} minutes. **{verdict}**\n"
    if left_out:
        head += f"\n{'; '.join(left_out)}.\n"
    return "\n".join([head, *(result.markdown for result in results)])


def verdict_of(missed: Sequence[str]) -> str:
    """The sentence about all bars."""
    return f"Missed: {'; '.join(missed)}." if missed else "All bars are held."


def updated(old: str, results: list[Result]) -> str:
    """The page `old`, in which the sections of `results` are those that were measured now, and the verdict is of all."""
    head, *sections = re.split(r"^(?=## )", old, flags=re.MULTILINE)
    for result in results:
        fresh = replace(result, about=f"{result.about} {machine()}.").markdown + "\n"
        places = [at for at, text in enumerate(sections) if text.startswith(f"## {result.title}\n")]
        if places:
            sections[places[0]] = fresh
        else:
            sections.append(fresh)
    missed = re.findall(r"^- \*\*missed\*\*: (.*)$", "".join(sections), re.MULTILINE)
    verdict = f"**{verdict_of(missed)}**"
    head = re.sub(r"\*\*(?:All bars are held|Missed: .*)\.\*\*", lambda _: verdict, head)
    return "".join([head, *sections]).rstrip("\n") + "\n"


def machine() -> str:
    """Date, version, machine and servers in one line."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    parts = [
        datetime.datetime.now(datetime.UTC).date().isoformat(),
        f"motet {__version__}",
        f"{processor()}, {cores} cores, {memory:.0f} GiB",
        f"{platform.system()} {platform.release()}",
        f"Python {platform.python_version()}",
        *(version(name) for name in ("ruff", "basedpyright")),
    ]
    return "; ".join(parts)


def processor() -> str:
    """The name of the processor, as far as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def version(program: str) -> str:
    """What `program` says it is, in its first line."""
    try:
        said = subprocess.run([BIN / program, "--version"], capture_output=True, text=True, check=True).stdout
        return said.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return f"no {program}"


def main() -> int:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description="Run the benchmarks and write docs/benchmarks.md.")
    parser.add_argument("--only", action="append", choices=[bench.name for bench in BENCHES])
    parser.add_argument("--update", action="store_true", help="write the tables into the page that is there")
    parser.add_argument("--output", type=Path, default=PAGE)
    options = parser.parse_args()
    started = time.monotonic()
    benches, left_out = chosen(options.only)
    for line in left_out:
        print(line, file=sys.stderr, flush=True)
    results = [run(bench) for bench in benches]
    for result in results:
        print(f"\n{result.text}")
    if options.update or not options.only:
        if options.update:
            text = updated(options.output.read_text("utf-8"), results)
        else:
            text = page(results, time.monotonic() - started, left_out)
        options.output.write_text(text, encoding="utf-8")
        print(f"\nwrote {options.output}")
    return 1 if any(result.missed for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())

"""Many random edits and answers, to find what is neither right nor refused: `make fuzz`.

    python tools/fuzz.py [--examples N] [--seed S] [--damage NAME]
    python tools/fuzz.py --replay DAMAGE:NUMBER

Damages edits of real files in the ways of `tests/edits/mutations`, plans them, and prints for each damage how many
became right, were refused, or went wrong; then gives every parser of edits random answers, a tenth as many for each
format. What went wrong is shown in the smallest file in which it still does. Exit code 1 when anything went wrong.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time
import traceback
from collections import Counter, defaultdict
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
os.environ["FUZZ"] = "1"

from edits.mutations import DAMAGES, Verdict, describe, judge, make_example, minimise  # noqa: E402

MOST_SHOWN = 2
"""Failures that are shown in full for each damage."""
COLUMNS = ("right", "refused", "wrong", "crashed", "excluded", "no place")


class Tally:
    """What became of all examples, by damage, and reports of the first that went wrong."""

    def __init__(self) -> None:
        self.counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.reports: defaultdict[str, list[str]] = defaultdict(list)

    def try_one(self, name: str, number: int) -> None:
        """Make, judge and count one example."""
        example = make_example(name, number)
        if example is None:
            self.counts[name]["no place"] += 1
            return
        try:
            result = judge(example)
        except Exception:  # noqa: BLE001 - whatever it is, it is what we are looking for
            self.counts[name]["crashed"] += 1
            self._note(
                name, f"CRASHED\nreplay:  python tools/fuzz.py --replay {name}:{number}\n{traceback.format_exc()}"
            )
            return
        self.counts[name][result.verdict] += 1
        if result.verdict is Verdict.WRONG and len(self.reports[name]) < MOST_SHOWN:
            smallest = minimise(example)
            self._note(name, describe(smallest, judge(smallest)))

    def _note(self, name: str, report: str) -> None:
        if len(self.reports[name]) < MOST_SHOWN:
            self.reports[name].append(report)

    def table(self) -> str:
        """One row a damage."""
        width = max(map(len, DAMAGES))
        rows = [f"{'damage':<{width}}" + "".join(f"{column:>10}" for column in COLUMNS)]
        total: Counter[str] = Counter()
        for name in DAMAGES:
            total += self.counts[name]
            if self.counts[name]:
                rows.append(f"{name:<{width}}" + "".join(f"{self.counts[name][column]:>10}" for column in COLUMNS))
        return "\n".join([*rows, f"{'all':<{width}}" + "".join(f"{total[column]:>10}" for column in COLUMNS)])

    @property
    def failures(self) -> int:
        """Examples that were neither right nor refused."""
        return sum(counts["wrong"] + counts["crashed"] for counts in self.counts.values())


def damage_edits(examples: int, number: int, names: list[str]) -> Tally:
    """So many examples of these damages, those that seed `number` gives."""
    tally = Tally()

    @seed(number)
    @settings(
        max_examples=examples,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.sampled_from(names), st.integers(0, 2**32 - 1))
    def run(name: str, each: int) -> None:
        tally.try_one(name, each)

    run()
    return tally


def fuzz_parsers(examples: int, number: int) -> int:
    """The tests of the parsers with so many examples for each format; their exit code."""
    command = [sys.executable, "-m", "pytest", "tests/edits/test_fuzz_parsers.py", f"--hypothesis-seed={number}"]
    environment = {**os.environ, "FUZZ_EXAMPLES": str(examples)}
    return subprocess.run([*command, "--timeout=3600"], cwd=ROOT, env=environment, check=False).returncode


def replay(which: str) -> int:
    """One example, in full."""
    name, _, number = which.partition(":")
    example = make_example(name, int(number))
    if example is None:
        print("this damage finds no place for this number on this machine")
        return 1
    result = judge(example)
    print(describe(example, result))
    return int(result.verdict is Verdict.WRONG)


def main() -> int:
    """Run what the arguments ask for; exit code 1 when anything went wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--examples", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("--damage", choices=[*DAMAGES], action="append", help="only this damage, and no parsers")
    parser.add_argument("--replay", metavar="DAMAGE:NUMBER")
    arguments = parser.parse_args()
    if arguments.replay:
        return replay(arguments.replay)
    print(f"seed {arguments.seed}, {arguments.examples} examples", flush=True)
    started = time.monotonic()
    tally = damage_edits(arguments.examples, arguments.seed, arguments.damage or [*DAMAGES])
    for reports in tally.reports.values():
        print(*reports, sep="\n\n", end="\n\n")
    print(tally.table())
    print(f"{time.monotonic() - started:.0f} s, {tally.failures} neither right nor refused", flush=True)
    parsers = 0 if arguments.damage else fuzz_parsers(arguments.examples // 10, arguments.seed)
    return int(bool(tally.failures or parsers))


if __name__ == "__main__":
    sys.exit(main())

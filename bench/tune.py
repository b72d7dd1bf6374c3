"""Looks for better weights of the ranking, and says whether they hold for projects that it did not see.

    python bench/tune.py [--repo DIR]… [--set FILE=DIR]… [--count N] [--folds N] [--rounds N]

The sets are those of `retrieval.py`, and the two beside the project. One weight is changed at a time, up and down, and
kept when the mean over the sets of R@5 and MRR grows. That is done once with all sets, and once for each fold without
the sets of that fold, which are then asked: weights that win at home and lose away are of no use. Nothing is written:
who takes over what is printed changes `src/motet/index/weights.py`.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

from measure.run import BenchError
from retrieval import Measured, named_set, score
from retrieving.sets import of_file, of_repository, shared_cases

from motet.index.weights import WEIGHTS, Weights

STEPS = (0.6, 0.8, 1.25, 1.6)
LEAST_GAIN = 0.0008
"""A change that gains less is chance."""


class Trial:
    """What weights are worth on each set; nothing is asked twice."""

    def __init__(self, measured: Sequence[Measured]) -> None:
        self._measured = measured
        self._known: dict[tuple[int, Weights], float] = {}

    def value(self, weights: Weights, sets: Sequence[int]) -> float:
        """The mean of R@5 and MRR over `sets`."""
        return statistics.fmean(self._of(at, weights) for at in sets)

    def _of(self, at: int, weights: Weights) -> float:
        key = at, weights
        if key not in self._known:
            found = score(self._measured[at].set.cases, self._measured[at].find(weights))
            self._known[key] = (found.recall[0] + found.mrr) / 2
        return self._known[key]


def climbed(trial: Trial, sets: Sequence[int], rounds: int) -> Weights:
    """The best weights for `sets`, from those in use, one weight at a time."""
    best, best_value = WEIGHTS, trial.value(WEIGHTS, sets)
    for _ in range(rounds):
        before = best
        for field in fields(Weights):
            if field.name == "body":
                continue  # what the others are measured by
            now = getattr(best, field.name)
            for step in STEPS:
                other = replace(best, **{field.name: round((now or 0.1) * step, 3)})
                value = trial.value(other, sets)
                if value > best_value + LEAST_GAIN:
                    best, best_value = other, value
        if best == before:
            break
    return best


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repo", type=Path, action="append", default=[], help="a local clone; may be repeated")
    parser.add_argument("--set", type=named_set, action="append", default=[], help="FILE=DIR; may be repeated")
    parser.add_argument("--count", type=int, default=200, help="commits of each --repo; default 200")
    parser.add_argument("--folds", type=int, default=3, help="default 3; 0: no set is left out")
    parser.add_argument("--rounds", type=int, default=1, help="how often each weight is tried; default 1")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="motet-tune-") as place:
        home = Path(place).resolve()
        try:
            sets = [of_repository(one, options.count, home) for one in options.repo]
            sets += [of_file(file, tree) for file, tree in options.set]
            sets += [of_file(file) for file in sorted(shared_cases().glob("*.jsonl"))]
        except BenchError as error:
            print(f"not measured: {error}", file=sys.stderr)
            return 2
        measured = [Measured(one, home / "indexes") for one in sets if one.cases]
        trial = Trial(measured)
        everything = range(len(measured))
        for fold in range(options.folds):
            away = [at for at in everything if at % options.folds == fold]
            tuned = climbed(trial, [at for at in everything if at not in away], options.rounds)
            now, then = trial.value(WEIGHTS, away), trial.value(tuned, away)
            print(f"fold {fold}: sets not seen {now:.4f} -> {then:.4f}  {changes(tuned)}", flush=True)
        tuned = climbed(trial, everything, options.rounds)
        print(
            f"all sets {trial.value(WEIGHTS, everything):.4f} -> {trial.value(tuned, everything):.4f}  {changes(tuned)}"
        )
        for at, one in enumerate(measured):
            print(f"  {one.set.name}: {trial.value(WEIGHTS, [at]):.3f} -> {trial.value(tuned, [at]):.3f}")
    return 0


def changes(weights: Weights) -> str:
    """What differs from the weights in use."""
    pairs = ((one.name, getattr(WEIGHTS, one.name), getattr(weights, one.name)) for one in fields(Weights))
    return ", ".join(f"{name} {old} -> {new}" for name, old, new in pairs if old != new) or "as they are"


if __name__ == "__main__":
    sys.exit(main())

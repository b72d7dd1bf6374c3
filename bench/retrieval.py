"""How well the index finds the files that a commit changed, from its message: beside plainer ways, and per feature.

    python bench/retrieval.py [--repo DIR]… [--package DIR]… [--set FILE=DIR]… [--count N] [--no-left-out] [--json]

Without any of these the two sets beside the project ($MOTET_SHARED or ../shared), with sdists as trees: no history.
--repo: sets made of local clones, of their newest commits, asked of the tree before them, with the history before them.
--package: sets made of Debian source packages (`apt-get source --download-only NAME; dpkg-source --skip-patches -x NAME.dsc
DIR`): what their patches say, asked of the tree without them and without history.
--set: questions in FILE (JSON lines with `query` and `gold`), as reports of issues, asked of the tree DIR as it is.
Exit code 1: a bar is missed; 2: nothing was measured.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from measure.run import BenchError
from measure.table import Result
from retrieving.patches import of_package
from retrieving.plainer import BM25, Keywords
from retrieving.sets import Case, Set, of_file, of_repository, shared_cases

from motet.index.membership import decoded
from motet.index.project import ProjectIndex
from motet.index.question import understand
from motet.index.weights import WEIGHTS, Weights
from motet.messages import estimate_tokens

KS = (5, 10, 20)
ALL_KS = (5, 10)
COVERED_TOKENS = 4_000
ABOUT = (
    "Commit messages of public projects, and the source files that each changed; R@k is the share of these files among "
    "the first k, MRR the mean of 1 / rank of the first, acc@k the share of messages of which all files are among the first k. Trees: the sdists of pytest 8.4.2 and Sphinx 8.1.3, tests and "
    "documents among the files, without history and without a model. A message is written after the change and shares "
    "its words, so those that name the file are a row apart."
)
FEATURES: dict[str, dict[str, float]] = {
    "names": {"names": 0, "defines": 0},
    "path": {"path": 0},
    "several chunks": {"decay": 0},
    "whole file": {"whole": 0},
    "mentions": {"mention": 0},
    "what stands before a colon": {"scope": 0},
    "tests lower": {"tests": 1},
    "documents lower": {"docs": 1, "data": 1},
    "build files lower": {"build": 1},
    "first line twice": {"first_line": 1},
    "code in the question": {"quoted": 1},
    "history": {"history": 0},
    "churn": {"churn": 0},
}


@dataclass(frozen=True)
class Score:
    """Means over the cases of a set."""

    recall: tuple[float, ...]
    mrr: float
    whole: tuple[float, ...]

    @property
    def cells(self) -> list[str]:
        return [f"{value:.3f}" for value in (*self.recall, self.mrr, *self.whole)]


def score(cases: Sequence[Case], find: Callable[[str], list[str]]) -> Score:
    """What `find` makes of `cases`."""
    recalls: list[list[float]] = [[] for _ in KS]
    wholes: list[list[bool]] = [[] for _ in ALL_KS]
    ranks: list[float] = []
    for case in cases:
        found = find(case.query)
        for at, k in enumerate(ALL_KS):
            wholes[at].append(case.gold.issubset(found[:k]))
        for at, k in enumerate(KS):
            recalls[at].append(len(case.gold.intersection(found[:k])) / len(case.gold))
        ranks.append(next((1 / rank for rank, path in enumerate(found, 1) if path in case.gold), 0.0))
    return Score(tuple(map(statistics.fmean, recalls)), statistics.fmean(ranks), tuple(map(statistics.fmean, wholes)))


class Measured:
    """One set with its index."""

    def __init__(self, given: Set, home: Path) -> None:
        self.set = given
        self._index = ProjectIndex(given.root, home)
        asyncio.run(self._index.update())
        paths = [file for file, kind in self._index.paths() if kind]
        self.sources = {path for path, kind in self._index.paths() if kind == "source"}
        self._keywords = Keywords(given.root, paths)

    def find(self, weights: Weights, *, sources: bool = False) -> Callable[[str], list[str]]:
        """Ask the index with `weights`; `sources`: of all files only those of source."""

        def ask(question: str) -> list[str]:
            found = self._index.ranked(understand(question, weights), {}, weights)
            return [file.path for file in found if not sources or file.path in self.sources]

        return ask

    def covered(self) -> tuple[int, float, float]:
        """Of how many cases the edited lines are known; which share of them is in passages of 4,000 tokens, and which
        in whole files, best first, that many tokens long: means over the cases."""
        cases = [case for case in self.set.cases if any(case.lines.values())]
        ours, whole = [0.0], [0.0]
        for case in cases:
            found = asyncio.run(self._index.passages(case.query, COVERED_TOKENS, patience=0)).found
            passages = [(one.path, one.first, one.last) for one in found]
            files = list(_files(self.set.root, self.find(WEIGHTS)(case.query), COVERED_TOKENS))
            for spans, shares in ((passages, ours), (files, whole)):
                edited = {(path, line) for path, lines in case.lines.items() for line in lines}
                seen = sum(
                    any(path == at and first <= line <= last for at, first, last in spans) for path, line in edited
                )
                shares.append(seen / len(edited))
        return len(cases), sum(ours) / max(1, len(cases)), sum(whole) / max(1, len(cases))

    @property
    def keywords(self) -> Callable[[str], list[str]]:
        return self._keywords.ranked


def _files(root: Path, paths: Sequence[str], tokens: int) -> Iterator[tuple[str, int, int]]:
    """The first of `paths`, whole, and of the last one what still fits into `tokens`."""
    for path in paths:
        lines = decoded((root / path).read_bytes()).split("\n")
        for last, line in enumerate(lines, 1):
            tokens -= estimate_tokens(line)
            if tokens < 0:
                yield path, 1, last - 1
                return
        yield path, 1, len(lines)


def rows_of(measured: Measured, *, left_out: bool) -> tuple[list[list[str]], dict[str, Score]]:
    """The rows of one set, and the scores that have bars."""
    cases, name = measured.set.cases, f"{measured.set.name} ({len(measured.set.cases)})"
    named = [case for case in cases if case.names_path]
    scores = {
        "motet": score(cases, measured.find(WEIGHTS)),
        "BM25 of chunks": score(cases, measured.find(BM25)),
        "ripgrep keywords": score(cases, measured.keywords),
        "motet, only source in the pool": score(cases, measured.find(WEIGHTS, sources=True)),
    }
    if named and len(named) < len(cases):
        scores[f"motet, {len(named)} that name the file"] = score(named, measured.find(WEIGHTS))
        unnamed = [case for case in cases if not case.names_path]
        scores[f"motet, {len(unnamed)} that do not"] = score(unnamed, measured.find(WEIGHTS))
    rows = [[name, what, *one.cells] for what, one in scores.items()]
    if left_out:
        for feature, off in FEATURES.items():
            rows.append([name, f"without {feature}", *score(cases, measured.find(replace(WEIGHTS, **off))).cells])
    return rows, scores


def covered_bar(measured: Measured, rows: list[list[str]]) -> list[str]:
    """Add a row on edited lines where they are known; the bar, when it is missed."""
    count, ours, whole = measured.covered()
    if not count:
        return []
    name = measured.set.name
    said = f"edited lines of {count} in {COVERED_TOKENS:,} tokens: {ours:.3f}, of whole files {whole:.3f}"
    rows.append([name, said, *[""] * (len(KS) + 1 + len(ALL_KS))])
    return [f"{name}: {said}; the bar is 1.4 times"] if ours < 1.4 * whole else []


def missed(all_scores: dict[str, dict[str, Score]], *, with_history: bool) -> list[str]:
    """The bars that are missed."""
    found: list[str] = []
    for name, scores in all_scores.items():
        own = scores["motet"]
        for other, recall, mrr in (("BM25 of chunks", 1.08, 1.10), ("ripgrep keywords", 1.3, 1.4)):
            if own.recall[0] < recall * scores[other].recall[0]:
                found.append(f"{name}: R@5 {own.recall[0]:.3f}, the bar is {recall} × that of {other}")
            if own.mrr < mrr * scores[other].mrr:
                found.append(f"{name}: MRR {own.mrr:.3f}, the bar is {mrr} × that of {other}")
        lost = scores["motet, only source in the pool"].mrr - own.mrr
        if lost > 0.01:
            found.append(f"{name}: tests and documents in the pool cost {lost:.3f} of MRR, the bar is 0.01")
    recall = statistics.fmean(scores["motet"].recall[0] for scores in all_scores.values())
    bar = 0.77 if with_history else 0.75
    if recall < bar:
        found.append(f"R@5 {recall:.3f} on average, the bar is {bar}")
    return found


@dataclass(frozen=True)
class Asked:
    """What is measured; nothing of all this: the sets beside the project. `count`: commits of each repository."""

    repositories: Sequence[Path] = ()
    packages: Sequence[Path] = ()
    sets: Sequence[tuple[Path, Path]] = ()
    count: int = 200

    def made(self, place: Path) -> list[Set]:
        """The sets; trees that are made for them are in `place`."""
        found = [of_repository(repository, self.count, place) for repository in self.repositories]
        found += [of_package(package, place) for package in self.packages]
        found += [of_file(file, tree) for file, tree in self.sets]
        found = found or [of_file(file) for file in sorted(shared_cases().glob("*.jsonl"))]
        if not found:
            raise BenchError("the sets beside the project are not there; $MOTET_SHARED names them, or --repo a clone")
        return found


def measure(asked: Asked, *, left_out: bool) -> Result:
    """The table of all sets."""
    rows: list[list[str]] = []
    scores: dict[str, dict[str, Score]] = {}
    bars: list[str] = []
    with tempfile.TemporaryDirectory(prefix="motet-retrieval-") as place:
        home = Path(place).resolve()
        for each in asked.made(home):
            measured = Measured(each, home / "indexes")
            found, scores[each.name] = rows_of(measured, left_out=left_out)
            rows += found
            bars += covered_bar(measured, rows)
    head = ["set", "what", *(f"R@{k}" for k in KS), "MRR", *(f"acc@{k}" for k in ALL_KS)]
    bars += missed(scores, with_history=bool(asked.repositories))
    is_usual = not (asked.repositories or asked.packages or asked.sets)
    about = ABOUT if is_usual else "Sets made of local clones, with history, of patches of packages, or given."
    return Result("Finding the files that a commit changed", about, head, rows, bars)


def named_set(text: str) -> tuple[Path, Path]:
    """FILE=DIR."""
    file, _, tree = text.partition("=")
    return Path(file), Path(tree)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repo", type=Path, action="append", default=[], help="a local clone; may be repeated")
    parser.add_argument(
        "--package",
        type=Path,
        action="append",
        default=[],
        help="an unpatched Debian source package; may be repeated",
    )
    parser.add_argument("--set", type=named_set, action="append", default=[], help="FILE=DIR; may be repeated")
    parser.add_argument("--count", type=int, default=200, help="commits of each --repo; default 200")
    parser.add_argument("--no-left-out", action="store_true", help="without a row for each feature left out")
    parser.add_argument("--json", action="store_true", help="print the table as one line of JSON")
    options = parser.parse_args()
    try:
        result = measure(
            Asked(options.repo, options.package, options.set, options.count), left_out=not options.no_left_out
        )
    except BenchError as error:
        print(f"not measured: {error}", file=sys.stderr)
        return 2
    print(result.json if options.json else result.text, flush=True)
    return 1 if result.missed else 0


if __name__ == "__main__":
    sys.exit(main())

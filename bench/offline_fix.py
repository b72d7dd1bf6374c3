"""How much the offline model repairs in files that nobody prepared.

    python bench/offline_fix.py [--seed N] [--per-kind N] [--json] [--show]

Seeds mutations of eight kinds, in equal shares, into files of the standard library, C sources of sdists and node's
typings. A mutation counts when a language server reports a problem that the unchanged file does not have. Then the
loop of `motet fix --yes --model offline` runs on that file, with real servers and real writes.

offered   a suggested fix with edits comes with the problem, out of a server's quick fixes, its words or the names
          it knows (a comment that silences it is none)
fixed     no problem is left that the original does not have
worse     more problems than the mutation caused, at the end or after a round that was then taken back, or the file
          differs from the original elsewhere than within two lines of the mutation or of a problem that it caused
restored  the file is the original again, byte for byte

Only the problems that the mutation caused are shown to the model: those that the file had before are not its task
here. Half of the duplicate keys carry another value than the entry they repeat; what is right then is for a human to
say, and the model must not guess. Exit code 1 when a bar is missed: 50 % fixed, 80 % of the offered fixed, none worse.
"""

from __future__ import annotations

import argparse
import asyncio
import difflib
import json
import random
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from offline import mutate_braces, mutate_python
from offline.corpus import Corpus, CorpusError, prepare
from offline.judge import Verdict, judge
from offline.lab import Lab, Mutant, caused_by, open_lab
from offline.mutation import KINDS, Mutate

from motet.text import Diagnostic, Severity, TextFile

MUTATIONS: dict[str, dict[str, Mutate]] = {
    "python": mutate_python.MUTATIONS,
    "c": mutate_braces.C,
    "typescript": mutate_braces.TYPESCRIPT,
}
TRIES = 60
"""Places that are tried for one mutation before another language has to serve."""

BAR_ALL, BAR_OFFERED = 0.5, 0.8


class Seeder:
    """Makes mutants of real files, all out of one seed."""

    def __init__(self, lab: Lab, corpus: Corpus, rng: random.Random) -> None:
        self._lab = lab
        self._corpus = corpus
        self._rng = rng
        self._originals: dict[str, tuple[TextFile, tuple[Diagnostic, ...]]] = {}

    async def seed(self, kind: str, turn: int) -> Mutant | None:
        """A mutant of `kind`; languages take turns where they have it."""
        languages = [language for language, mutations in MUTATIONS.items() if kind in mutations]
        turned = languages[turn % len(languages) :] + languages[: turn % len(languages)]
        for language in turned:
            for _ in range(TRIES):
                mutant = await self._try(kind, language)
                if mutant is not None:
                    return mutant
        return None

    async def _try(self, kind: str, language: str) -> Mutant | None:
        path = self._rng.choice(self._corpus.files[language])
        text = self._lab.read(path).text
        change = MUTATIONS[language][kind](self._rng, text)
        if change is None:
            return None
        original, known = await self._original(path)
        if language != "python" and any(one.severity is Severity.ERROR for one in known):
            # A parser that has lost its way in the original says nothing about a mutation.
            return None
        mutated = original.with_text(change.apply(text))
        try:
            caused = caused_by(original, known, mutated, await self._lab.check(mutated))
            return Mutant(kind, language, change.what, original, known, mutated, caused) if caused else None
        finally:
            self._lab.write(original)

    async def _original(self, path: str) -> tuple[TextFile, tuple[Diagnostic, ...]]:
        if path not in self._originals:
            file = self._lab.read(path)
            self._originals[path] = (file, await self._lab.check(file))
        return self._originals[path]


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    kind: str
    seeded: int
    offered: int
    fixed: int
    fixed_of_offered: int
    worse: int
    restored: int

    @classmethod
    def of(cls, kind: str, verdicts: list[Verdict]) -> Row:
        return cls(
            kind,
            len(verdicts),
            sum(one.offered for one in verdicts),
            sum(one.fixed for one in verdicts),
            sum(one.fixed and one.offered for one in verdicts),
            sum(one.worse for one in verdicts),
            sum(one.restored for one in verdicts),
        )

    def missed(self) -> list[str]:
        """The bars that this row, as the total, does not reach."""
        said: list[str] = []
        if self.fixed < BAR_ALL * self.seeded:
            said.append(f"fixed {self.fixed} of {self.seeded}, the bar is {BAR_ALL:.0%}")
        if self.fixed_of_offered < BAR_OFFERED * self.offered:
            said.append(f"fixed {self.fixed_of_offered} of {self.offered} offered, the bar is {BAR_OFFERED:.0%}")
        if self.worse:
            said.append(f"{self.worse} made worse, the bar is 0")
        return said


async def run(seed: int, per_kind: int, *, show: bool) -> list[Verdict]:
    """All verdicts of one seed, in the order of the kinds."""
    rng = random.Random(seed)
    verdicts: list[Verdict] = []
    with tempfile.TemporaryDirectory(prefix="motet-offline-fix-") as directory:
        home = Path(directory).resolve()
        (home / "work").mkdir()
        corpus = prepare(home / "work", rng)
        async with open_lab(corpus.root, home) as lab:
            seeder = Seeder(lab, corpus, rng)
            for kind in KINDS:
                for turn in range(per_kind):
                    mutant = await seeder.seed(kind, turn)
                    if mutant is None:
                        continue
                    verdict = await judge(lab, mutant)
                    lab.write(mutant.original)
                    verdicts.append(verdict)
                    if show:
                        print(describe(verdict), file=sys.stderr, flush=True)
    return verdicts


def describe(verdict: Verdict) -> str:
    """One mutant and what became of it, for a human."""
    mutant = verdict.mutant
    fate = "worse" if verdict.worse else "fixed" if verdict.fixed else "left"
    head = f"{fate:5} {'offered' if verdict.offered else '':7} {mutant.kind}: {mutant.original.path}: {mutant.what}"
    if verdict.fixed and not verdict.worse:
        return head if verdict.restored else f"{head}\n{_difference(verdict)}"
    lines = [head, *(f"      - {_line(one)}" for one in mutant.caused)]
    lines += [f"      + {_line(one)}" for one in verdict.left] if verdict.rounds else []
    lines += [f"      | {line}" for line in verdict.said.splitlines()[2:]]
    return "\n".join(lines)


def _difference(verdict: Verdict) -> str:
    before, after = (file.text.splitlines() for file in (verdict.mutant.original, verdict.after))
    return "\n".join(f"      {line}" for line in list(difflib.unified_diff(before, after, n=0, lineterm=""))[3:])


def _line(one: Diagnostic) -> str:
    message = " ".join(one.message.split())
    return f"{one.range.start.line}:{one.range.start.column} {message} ({one.source} {one.code})"


def table(rows: list[Row]) -> str:
    """The rows as text."""
    head = f"{'kind':<22}{'seeded':>8}{'offered':>9}{'fixed':>7}{'of offered':>12}{'worse':>7}{'restored':>10}"
    lines = [head, "-" * len(head)]
    for row in rows:
        lines.append(
            f"{row.kind:<22}{row.seeded:>8}{row.offered:>9}{row.fixed:>7}{row.fixed_of_offered:>12}"
            f"{row.worse:>7}{row.restored:>10}"
        )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description="How much the offline model repairs in files nobody prepared.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per-kind", type=int, default=6, help="mutations of each of the eight kinds (default 6)")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    parser.add_argument("--show", action="store_true", help="tell each mutation and its fate on standard error")
    options = parser.parse_args()
    started = time.monotonic()
    try:
        verdicts = asyncio.run(run(options.seed, options.per_kind, show=options.show))
    except CorpusError as error:
        print(f"offline_fix: {error}", file=sys.stderr)
        return 2
    rows = [Row.of(kind, [one for one in verdicts if one.mutant.kind == kind]) for kind in KINDS]
    total = Row.of("all", verdicts)
    missed = total.missed()
    missed += [
        f"seeded {row.seeded} of {options.per_kind}: {row.kind}" for row in rows if row.seeded < options.per_kind
    ]
    if options.json:
        data = {"seed": options.seed, "rows": [vars(row) for row in (*rows, total)], "missed": missed}
        print(json.dumps(data | {"seconds": round(time.monotonic() - started, 1)}))
    else:
        print(table([*rows, total]))
        languages = sorted({one.mutant.language for one in verdicts})
        print(f"seed {options.seed}, {', '.join(languages)}, {time.monotonic() - started:.0f} s")
        for one in missed:
            print(f"missed: {one}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

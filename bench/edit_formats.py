"""How many edits arrive as they were meant, by the format they are written in and by what is wrong with them.

    python bench/edit_formats.py [--examples N] [--json]

The model is scripted: it writes edits of real files in each format, right and damaged as models damage them
(`tests/edits/mutations`). How a model of yours writes each format is the other half; `motet bench edit-formats` asks it.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from pathlib import Path

from measure.run import BenchError
from measure.table import Result, main

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from edits.mutations import DAMAGES, Verdict, judge, make_example
from edits.mutations.sending import FORMATS

HEAD = ["format", "edits", "undamaged: right", "damaged: right", "refused", "wrong", "bar", "held"]
SOUND = "nothing_damaged"
ABOUT = (
    "Edits of real files, written by a scripted model in each format that a search text can be damaged in, and read, placed "
    "and planned as in a chat: {edits:,} in {damages} ways, as they are meant and with what models get wrong (indentation, "
    "line numbers that were copied, curly quotes, lines left out, a file that changed meanwhile, …; `make fuzz` lists them). "
    "*Right*: the bytes that were meant, *refused*: nothing was written and the model is told why, *wrong*: anything else. "
    "Of one damage and number there is one example, so the rates of one version can be held beside those of another. The bar "
    "is that nothing is wrong, and nothing that is sound refused. What a model makes of a format `motet bench edit-formats` "
    "measures."
)


def measure(examples: int) -> Result:
    """The table, of so many examples of each damage."""
    sound: defaultdict[str, Counter[Verdict]] = defaultdict(Counter)
    damaged: defaultdict[str, Counter[Verdict]] = defaultdict(Counter)
    for name in DAMAGES:
        for number in range(examples):
            example = make_example(name, number)
            if example is None or not example.is_unique:
                continue
            verdict = judge(example).verdict
            if verdict is not Verdict.EXCLUDED and example.format != "values":
                (sound if name == SOUND else damaged)[example.format][verdict] += 1
    if not damaged:
        raise BenchError("there is no file whose edits could be damaged")
    rows, missed = [], []
    for format in FORMATS:
        well, ill = sound[format], damaged[format]
        if not ill:
            continue
        bad = {"wrong": (well + ill)[Verdict.WRONG], "refused though sound": well[Verdict.REFUSED]}
        missed += [f"{format}: {count} {what}" for what, count in bad.items() if count]
        rows.append([format, f"{(well + ill).total():,}", rate(well, Verdict.RIGHT), rate(ill, Verdict.RIGHT),
                     rate(ill, Verdict.REFUSED), str(bad["wrong"]), "none wrong, none sound refused",
                     "no" if any(bad.values()) else "yes"])  # fmt: skip
    edits = sum(each.total() for each in (*sound.values(), *damaged.values()))
    return Result("Edit formats", ABOUT.format(edits=edits, damages=len(DAMAGES)), HEAD, rows, missed)


def rate(counts: Counter[Verdict], verdict: Verdict) -> str:
    """The share of one verdict in percent."""
    return f"{counts[verdict] / counts.total():.0%}" if counts else "–"


if __name__ == "__main__":
    sys.exit(main(__doc__, {"examples": 150}, measure))

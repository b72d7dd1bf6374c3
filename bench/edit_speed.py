"""How long edits take: planned, refused, written, and while they stream in.

    python bench/edit_speed.py [--rounds N] [--lines N] [--answer KB] [--json]

Planning is measured as processor time, writing as time on the clock, on the disk of the temporary directory. Pairs
run in turns in one process.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable

from editspeed.planning import drift, exact_edits
from editspeed.refusing import failure_reports, many_places, not_found, one_long_line
from editspeed.road import from_answer_to_bytes
from editspeed.streaming import streaming
from editspeed.writing import many_files, writes
from measure.run import BenchError
from measure.table import Measured, Result, main, measured, say

from motet.errors import MotetError

ABOUT = (
    "In memory, in processor time: from the answer of a model to the bytes that are to be written, the answer parsed, "
    "planned, proposed and taken; then the plan alone: an exact edit of six lines beside `bytes.find` and a splice of "
    "the bytes, at the slowest of three places (beginning, middle, end); edits that are found another way, or not at "
    "all, with the nearest text. *generated* are modules made up by seed, *library* is the standard library in one file. Written to "
    "the disk, in time on the clock: through the workspace with its checkpoint, beside a temporary file, fsync, rename "
    "and fsync of the directory. Streamed: answers fed character by character, less what feeding them whole takes."
)


def measure(rounds: int, lines: int, answer: int) -> Result:
    """The table; a part that could not be measured is a missed bar."""
    parts: dict[str, Callable[[], list[Measured]]] = {
        "from answer to bytes": lambda: from_answer_to_bytes(rounds, lines),
        "exact edits": lambda: exact_edits(rounds, lines),
        "writes": lambda: writes(rounds, lines),
        "many files": lambda: many_files(max(1, rounds // 3)),
        "drift": lambda: drift(rounds, lines),
        "not found": lambda: not_found(rounds, lines),
        "failure reports": lambda: failure_reports(rounds, lines),
        "many places": lambda: many_places(rounds),
        "one long line": lambda: one_long_line(rounds),
        "streaming": lambda: streaming(max(1, rounds // 2), answer * 1000),
    }
    rows: list[Measured] = []
    failed: list[str] = []
    for name, part in parts.items():
        say(f"{name} …")
        gc.freeze()  # what is there before a part is not looked through again and again while it is measured
        try:
            rows += part()
        except (BenchError, MotetError, AttributeError) as error:
            failed.append(f"{name}: not measured: {error}")
            say(failed[-1])
        finally:
            gc.unfreeze()
    if not rows:
        raise BenchError("; ".join(failed))
    result = measured("Edits", f"{ABOUT} {rounds} rounds, after one that does not count.", rows)
    result.missed.extend(failed)
    return result


if __name__ == "__main__":
    sys.exit(main(__doc__, {"rounds": 15, "lines": 100_000, "answer": 200}, measure))

"""Edits that are hard to place or have no place: the report that a model gets is part of the time."""

from __future__ import annotations

from collections.abc import Callable

from measure.table import Measured

from editspeed.check import PATH, refused, replaced
from editspeed.rounds import alone, in_milliseconds, in_turns
from editspeed.texts import KINDS, generated, library, snippet
from motet.edits import RefusalReason, Replace


def not_found(rounds: int, lines: int) -> list[Measured]:
    """Edits without a place, with the nearest text and the report as a model gets it."""
    rows: list[Measured] = []
    cases = {
        "one line is wrong": lambda one: one.damaged(0.01),
        "every line is wrong": lambda one: one.damaged(1.0),
        "nothing is near": lambda _: "".join(f"zzz qqq {number} ÿÿÿ jjj\n" for number in range(6)),
    }
    for kind, make in KINDS.items():
        text = make(lines)
        for name, search in cases.items():
            for size in (6, 60) if kind == "library" else (6,):
                one = snippet(text, 0.6, size)
                work = refused(text, Replace(PATH, search(one), one.replace), RefusalReason.NOT_FOUND)
                rows.append(
                    Measured(
                        f"not found in {lines:,} lines ({kind}), {size} lines, {name}", "ms", alone(rounds, work), 100
                    )
                )
    return rows


def failure_reports(rounds: int, lines: int) -> list[Measured]:
    """Twice the file, twice the time."""
    one = snippet(library(lines // 4), 0.6)
    missed = Replace(PATH, one.damaged(0.5), one.replace)
    step = "    total += step(one)\n"
    reports: dict[str, Callable[[int], Callable[[], object]]] = {
        "not found in": lambda size: refused(library(size) + "# “naïve”\n", missed, RefusalReason.NOT_FOUND),
        "ambiguous in equal": lambda size: refused(
            step * size, Replace(PATH, 3 * step, "pass\n"), RefusalReason.AMBIGUOUS
        ),
        "ambiguous and indented otherwise in equal": lambda size: refused(
            step * size, Replace(PATH, 3 * step.replace("    ", "\t"), "\tpass\n"), RefusalReason.AMBIGUOUS
        ),
    }
    rows: list[Measured] = []
    for what, report in reports.items():
        sizes = (lines // 4, lines // 2, lines) if what == "not found in" else (lines // 10, lines // 5)
        taken = [in_milliseconds(seconds) for seconds in in_turns(rounds, *map(report, sizes))]
        rows += [
            Measured(f"{what} {size:,} lines", "ms", taken[at], 2.2, f"in {sizes[at - 1]:,} lines", taken[at - 1])
            for at, size in enumerate(sizes)
            if at
        ]
    return rows


def many_places(rounds: int) -> list[Measured]:
    """10,000 equal lines; 1,200 occurrences."""
    equal = "    total += step(one)\n" * 10_000
    line = '        log.warn("slow")\n'
    lines = generated(10_000).splitlines(keepends=True)
    for number in range(1_200):
        lines.insert(number * 9 + 5, line)
    often = "".join(lines)
    new = line.replace("warn", "warning")
    ambiguous, missing = RefusalReason.AMBIGUOUS, RefusalReason.NOT_FOUND
    search = "    total += step(one)\n" * 3
    works = {
        "10,000 equal lines, three of them looked for": refused(equal, Replace(PATH, search, "pass\n"), ambiguous),
        "10,000 equal lines, all replaced": replaced(
            equal, Replace(PATH, search[: len(search) // 3], "    step(one)\n", replace_all=True), "    step(one)\n" * 10_000
        ),
        "10,000 equal lines, none of them looked for": refused(
            equal, Replace(PATH, search.replace("one", "two"), "pass\n"), missing
        ),
        "10,000 equal lines, indented otherwise": refused(
            equal, Replace(PATH, search.replace("    ", "\t"), "\tpass\n"), ambiguous
        ),
        "1,200 lines replaced": replaced(
            often, Replace(PATH, line, new, replace_all=True), often.replace(line, new)
        ),
        "1,200 parts of lines replaced": replaced(
            often, Replace(PATH, ".warn(", ".warning(", inline=True, replace_all=True), often.replace(".warn(", ".warning(")
        ),
        "1,200 lines, one meant": refused(often, Replace(PATH, line, new), ambiguous),
        "1,200 parts of lines, one meant": refused(often, Replace(PATH, ".warn(", ".warning(", inline=True), ambiguous),
    }  # fmt: skip
    return [Measured(what, "ms", alone(rounds, work), 100) for what, work in works.items()]


def one_long_line(rounds: int) -> list[Measured]:
    """5 MB without a line end."""
    items = ",".join(f'{{"id":{number},"name":"item {number}"}}' for number in range(150_000))
    text = f"[{items}]"[: 5_000_000 - 1] + "]"
    old, new = '"name":"item 70011"', '"name":"another"'
    works = {
        "exact edit in a line of 5 MB": replaced(
            text, Replace(PATH, old, new, inline=True), text.replace(old, new)
        ),
        "a whole line that is a part of it": replaced(text, Replace(PATH, f"{old}\n", f"{new}\n"), text.replace(old, new)),
        "not found in a line of 5 MB": refused(
            text, Replace(PATH, '"name":"item 70O11"', new, inline=True), RefusalReason.NOT_FOUND
        ),
        "all of 5 MB looked for, one character wrong": refused(
            text, Replace(PATH, text[:2_500_000] + "§" + text[2_500_001:] + "\n", "x\n"), RefusalReason.NOT_FOUND
        ),
    }  # fmt: skip
    return [Measured(what, "ms", alone(rounds, work), 300) for what, work in works.items()]

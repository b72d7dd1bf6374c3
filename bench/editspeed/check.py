"""What is planned has to be right before it is timed."""

from __future__ import annotations

from collections.abc import Callable

from measure.run import BenchError

from motet import edits
from motet.edits import Match, Plan, Refusal, RefusalReason, Replace, Rung
from motet.text import TextFile

PATH = "module.py"


def decoded(text: str, path: str = PATH) -> TextFile:
    """`text` as a file."""
    return TextFile.decode(path, text.encode())


def planned(file: TextFile, edit: Replace) -> Plan:
    """`edit` planned in its only file."""
    return edits.plan({file.path: file}, [edit])


def expect_after(plan: Plan, after: str, rung: Rung) -> None:
    """Raise `BenchError` unless the only edit is placed on `rung` and makes `after`."""
    [outcome] = plan.files[0].outcomes
    if not isinstance(outcome, Match) or outcome.rung is not rung:
        raise BenchError(f"{rung.name}: {outcome.describe() if isinstance(outcome, Refusal) else outcome.note}")
    if plan.files[0].after is None or plan.files[0].after.text != after:
        raise BenchError(f"{rung.name}: planned, but to another text")


def replaced(text: str, edit: Replace, after: str) -> Callable[[], object]:
    """Planning an edit that has to be placed exactly, and to make `after`."""
    file = decoded(text)
    expect_after(planned(file, edit), after, Rung.EXACT)
    return lambda: planned(file, edit)


def refused(text: str, edit: Replace, reason: RefusalReason) -> Callable[[], object]:
    """Planning and describing an edit that has to be refused."""
    file = decoded(text)

    def told() -> str:
        [outcome] = planned(file, edit).files[0].outcomes
        if not isinstance(outcome, Refusal) or outcome.reason is not reason:
            raise BenchError(f"not refused as {reason}: {outcome}")
        return outcome.describe()

    told()
    return told

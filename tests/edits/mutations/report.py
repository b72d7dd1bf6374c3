"""What is said of an example that went wrong, so that anybody can see and repeat it."""

from __future__ import annotations

from dataclasses import replace
from difflib import unified_diff

from edits.mutations.example import Example, Result, Verdict, judge
from edits.mutations.scene import Change

from motet.edits import Match, Outcome, Refusal


def describe(example: Example, result: Result) -> str:
    """File, lines, damage, edit, what came out and what should have."""
    scene, before = example.scene, example.now
    allowed = [*example.allowed, before.data][0].decode("utf-8-sig")
    after = result.planned.after.text if result.planned is not None and result.planned.after is not None else ""
    parts = [
        f"{result.verdict.upper()}: {result.why}",
        f"damage:  {example.damage.name}: {example.damage.says}",
        f"replay:  python tools/fuzz.py --replay {example.damage.name}:{example.seed}",
        f"file:    {scene.source} as {scene.path}, {len(scene.lines)} lines, line end {scene.newline!r}, "
        f"final {scene.final_newline}, BOM {scene.bom}",
        f"place:   {', '.join(f'lines {change.first + 1}-{change.last}' for change in scene.changes)}",
        f"sent as: {example.format}",
    ]
    if result.answer:
        parts.append(f"answer:\n{_shown(result.answer)}")
    parts += [f"edit:    {edit!r}" for edit in result.edits]
    if result.planned is not None:
        parts += [f"outcome: {_outcome(outcome)}" for outcome in result.planned.outcomes]
    if example.written.now is not None:
        parts.append(f"changed since it was shown:\n{_diff(scene.data().decode('utf-8-sig'), before.text)}")
    parts.append(f"asked for:\n{_diff(before.text, allowed)}")
    parts.append(f"came out:\n{_diff(before.text, after)}")
    return "\n".join(parts)


def _outcome(outcome: Outcome) -> str:
    match outcome:
        case Refusal(reason=reason, message=message):
            return f"refused ({reason}): {message}"
        case Match() as match:
            already = ", already applied" if match.already_applied else ""
            return f"lines {match.first_line}-{match.last_line} as {match.rung!r}{already}: {match.note}"


def _shown(text: str) -> str:
    return "\n".join(f"    {line!r}" for line in text.splitlines(keepends=True))


def _diff(before: str, after: str) -> str:
    old, new = (text.replace("\r\n", "\n").splitlines() for text in (before, after))
    if old == new and before != after:
        return "    (other line ends only)"
    return "\n".join(f"    {line!r}" for line in [*unified_diff(old, new, lineterm="", n=2)][2:])


def minimise(example: Example) -> Example:
    """The same failure in a smaller file: lines outside the edits are cut away as long as it stays wrong."""
    if example.written.now is not None:
        return example
    step = max(1, len(example.scene.lines) // 2)
    while step:
        cut = next((c for c in _cuts(example, step) if _is_wrong(c)), None)
        if cut is None:
            step //= 2
        else:
            example = cut
    return example


def _is_wrong(example: Example) -> bool:
    return judge(example).verdict is Verdict.WRONG


def _cuts(example: Example, step: int) -> list[Example]:
    """The example without `step` lines, wherever no edit needs them."""
    scene, written = example.scene, example.written
    taken = [(change.first, change.last) for change in scene.changes]
    cuts: list[Example] = []
    for start in range(0, len(scene.lines) - step + 1, step):
        if any(start < last and first < start + step for first, last in taken):
            continue

        def moved(change: Change, start: int = start) -> Change:
            shift = step if change.first > start else 0
            return replace(change, first=change.first - shift, hint=max(0, change.hint - shift))

        lines = (*scene.lines[:start], *scene.lines[start + step :])
        cut = replace(scene, lines=lines, changes=tuple(map(moved, scene.changes)))
        cuts.append(replace(example, scene=cut, written=replace(written, changes=tuple(map(moved, written.changes)))))
    return cuts

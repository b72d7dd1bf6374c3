"""The problems of one file as the last section of its text form, cut to the most severe when they are too many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from motet.diagnostics.render_cut import byte_length
from motet.diagnostics.render_lines import diagnostic_lines
from motet.text import Diagnostic, LineIndex, Severity
from motet.text.report import RULE

DIAGNOSTICS_HEAD = f"\n\nDiagnostics:\n{RULE}\n"


class ProblemSection:
    """The section for `diagnostics`, in order of place. `shown` are those in it, `left_out` names what is not."""

    def __init__(self, index: LineIndex, diagnostics: Sequence[Diagnostic]) -> None:
        self.shown = sorted(diagnostics, key=lambda each: (each.range.start, each.severity))
        self.left_out: list[str] = []
        self._blocks = [diagnostic_lines(each, index) for each in self.shown]

    @property
    def text(self) -> str:
        """The section, from the blank line before it to its end."""
        return DIAGNOSTICS_HEAD + "\n".join(line for block in self._blocks for line in block)

    @property
    def size(self) -> int:
        """Bytes of `text`."""
        return byte_length(self.text)

    def cut(self, wanted: int, most: int) -> None:
        """Keep what fits `wanted` bytes, the most severe first; a suggested fix that does not fit is left out.

        The first problem may use up to `most` bytes: a text without any problem is of no use.
        """
        if self.size <= wanted:
            return
        kept: list[tuple[Diagnostic, list[str]]] = []
        left: list[Diagnostic] = []
        without_fixes = 0
        used = len(DIAGNOSTICS_HEAD)
        pairs = zip(self.shown, self._blocks, strict=True)
        for diagnostic, block in sorted(pairs, key=lambda pair: pair[0].severity):
            room = (wanted if kept else most) - used
            lines = next((each for each in (block, block[:1]) if _size(each) <= room), None)
            if lines is None or left:
                left.append(diagnostic)
                continue
            kept.append((diagnostic, lines))
            used += _size(lines)
            without_fixes += len(lines) < len(block)
        self.shown = [diagnostic for diagnostic, _ in kept]
        self._blocks = [block for _, block in kept]
        if without_fixes:
            self.left_out.append(f"suggested fixes of {counted(without_fixes, 'problem')}")
        if left:
            self.left_out.append(f"{counted(len(left), 'problem')} ({severities(left)})")


def severities(diagnostics: Iterable[Diagnostic]) -> str:
    """`7 errors, 2 warnings`: kinds that do not occur are left away; empty for no diagnostics."""
    numbers = Counter(each.severity for each in diagnostics)
    return ", ".join(counted(numbers[kind], kind.label.lower()) for kind in Severity if numbers[kind])


def counted(number: int, noun: str) -> str:
    """`1 file`, `3 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _size(lines: Sequence[str]) -> int:
    return sum(byte_length(line) + 1 for line in lines)

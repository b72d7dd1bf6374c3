"""The inverse of `render`: what a model that is a program reads in a rendered file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from motet.diagnostics.render_lines import parse_diagnostic_lines
from motet.text import Diagnostic

RULE = "-" * 80
FILE_HEAD = "File: "
CONTENT_HEAD = "Content:"
DIAGNOSTICS_HEAD = f"\n\nDiagnostics:\n{RULE}\n"

_CUT = re.compile(r"Content: \((?:(no lines)|lines? ([\d, -]+)) of \d+; the rest is left out\)")


@dataclass(frozen=True, slots=True)
class RenderedFile:
    """What a rendered file says.

    `path` is the absolute path as shown. `lines` maps 1-based numbers to the text of the lines that are shown.
    """

    path: str
    lines: Mapping[int, str]
    diagnostics: tuple[Diagnostic, ...]


def parse_rendered(text: str) -> RenderedFile:
    """Read the text form of one file, whatever the file itself contains.

    The diagnostics begin after the last separator: none of their own lines can look like one. Which lines are
    shown is said by the `Content:` line, so nothing inside them is taken for structure. Raises `ValueError`
    for text of another form.
    """
    head, separator, problems = text.rpartition(DIAGNOSTICS_HEAD)
    file_line, _, rest = head.partition(f"\n{RULE}\n")
    content_line, _, content = rest.partition("\n")
    if not separator or not file_line.startswith(FILE_HEAD) or not content_line.startswith(CONTENT_HEAD):
        raise ValueError("not a rendered file: no File, Content and Diagnostics sections")
    path = file_line.removeprefix(FILE_HEAD)
    lines = _shown_lines(content_line, content.split("\n"))
    diagnostics = parse_diagnostic_lines((line for line in problems.split("\n") if line), path)
    return RenderedFile(path, lines, tuple(diagnostics))


def _shown_lines(content_line: str, content: list[str]) -> dict[int, str]:
    if content_line == CONTENT_HEAD:
        return dict(enumerate(content, 1))
    match = _CUT.fullmatch(content_line)
    if match is None:
        raise ValueError(f"not a rendered file: {content_line[:80]}")
    if match[1]:
        return {}
    lines: dict[int, str] = {}
    index, expected = 0, 1
    for part in match[2].split(", "):
        first, _, last = part.partition("-")
        start, end = int(first), int(last or first)
        index += start > expected  # the line that stands for a gap
        shown = content[index : index + end - start + 1]
        if len(shown) != end - start + 1:
            raise ValueError(f"not a rendered file: lines {part} are not there")
        lines.update(zip(range(start, end + 1), shown, strict=True))
        index, expected = index + len(shown), end + 1
    return lines

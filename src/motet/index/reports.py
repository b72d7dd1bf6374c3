"""What stands in a report beside the words of its author: forms, versions, lists of packages, the frames of a traceback."""

from __future__ import annotations

import functools
import re

_COMMENT = re.compile(r"<!--.{0,4000}?-->|</?(?:details|summary)>", re.DOTALL)
_HEADINGS = r"""
    describe\ (?:the\ )?(?:bug|issue|solution|alternatives|problem)[^\n]{0,40}|(?:steps\ |how\ )?to\ reproduce
    |reproduc(?:ible|tive)\ example|(?:minimal\ )?example|(?:expected|actual|observed|current)\ (?:behaviou?r|results?|output)
    |environment(?:\ (?:info(?:rmation)?|details))?|additional\ (?:context|information)|screenshots?|checklist|versions?
    |system\ info|description|problem|suggestion|is\ your\ feature\ request[^\n]{0,80}
    |what'?s?\ (?:is\ )?the\ problem\ this\ feature[^\n]{0,40}|add\ any\ other\ context[^\n]{0,40}|what\ happened
    |what\ you\ expected[^\n]{0,40}|your\ (?:project|environment)
"""
_FORM = rf"""
    ^[#*_\ \t>-]*(?:{_HEADINGS})[\ \t:*_?]*$
    |^[\ \t]*[-*]\ (?:\[[\ xX]?\]|\[e\.g\.)[^\n]*$
    |^[-*\ \t]*(?:os|platform|operating\ system|browser|(?:[\w.-]+\ ){{1,3}}version|extra\ tools|[\w.-]+\ extensions
        |python\ implementation)[\ \t]*:[^\n]*$
    |^[\ \t]*[\w.-]+(?:[\ \t]+|==|@|\ \()v?\d+(?:\.\w+)+\)?[\ \t]*$
    |^(?:[A-Z][\w-]+-(?:by|id)|cc|fixes|closes|refs):[^\n]*$
    |^(?:platform|cachedir|rootdir|plugins|collect(?:ed|ing))[:\ ][^\n]*$
    |https?://[^\s)>\]]+
"""
_FRAME = re.compile(
    r'File "([^"\n]+)", line (\d+)|(?<![\w/\\.-])((?:[\w.-]+[/\\])*[\w-]+\.[A-Za-z]{1,5})(?::|", line )(\d+)'
)
_PATH = re.compile(r"(?<![\w/.-])((?:[\w.-]+/)+[\w.-]+|[\w-]+\.[A-Za-z]{1,5})\b")
_FADING, _LEAST = 0.8, 0.3
"""Of the share of a frame for each frame below it, and the least that is left of it."""


def said(text: str) -> str:
    """`text` without what a form, a tool or a list of versions wrote."""
    return _form().sub("", _COMMENT.sub("", text)) if text else ""


@functools.cache
def _form() -> re.Pattern[str]:
    """Compiled for a question of several lines alone: that takes longer than the rest of this module."""
    return re.compile(_FORM, re.IGNORECASE | re.MULTILINE | re.VERBOSE)


def named_paths(text: str) -> dict[str, tuple[int, float]]:
    """What looks like a path or the name of a file, with a line or 0, and how much it is named: wholly where it stands by
    itself; of a traceback the last, innermost frame most."""
    lines: dict[str, int] = {}
    for one, line, other, number in _FRAME.findall(text):
        path = (one or other).replace("\\", "/")
        lines.pop(path, None)  # its last place counts
        lines[path] = int(line or number)
    found = {
        path: (line, max(_LEAST, _FADING**back)) for back, (path, line) in enumerate(reversed(list(lines.items())))
    }
    for path in _PATH.findall(text):
        found.setdefault(path, (0, 1.0))
    return found

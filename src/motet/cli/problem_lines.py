"""Problems as people read them: `path:line:column: severity: message (source code)`, one line each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from motet.cli.terminal import Terminal
from motet.cli.wrap import Span
from motet.text import Diagnostic, Severity

_MOST = 30
"""Problems that are listed one by one."""
_HANG = 6


def list_problems(
    terminal: Terminal,
    problems: Sequence[Diagnostic],
    why: Callable[[Diagnostic], str] = lambda _: "",
    *,
    always: bool = False,
) -> None:
    """One line for each of `problems`, up to thirty, and `why` it is there in a second one."""
    for found in problems[:_MOST]:
        start = found.range.start
        place = (f"  {found.path}:{start.line}:{start.column}: ", "cyan")
        terminal.spans(place, *what_is_wrong(found), hang=_HANG, always=always)
        if reason := why(found):
            terminal.line(f"{' ' * _HANG}{reason}", "dim", hang=_HANG, always=always)
    if len(problems) > _MOST:
        terminal.line(f"  … and {len(problems) - _MOST} more", "dim", always=always)


def what_is_wrong(found: Diagnostic) -> list[Span]:
    """Severity, message and source of a problem, without its place."""
    code = f" {found.code}" if found.code else ""
    return [
        (f"{found.severity.label.lower()}: ", _style(found.severity)),
        (" ".join(found.message.split()), ""),
        (f" ({found.source}{code})", "dim"),
    ]


def _style(severity: Severity) -> str:
    match severity:
        case Severity.ERROR:
            return "bold red"
        case Severity.WARNING:
            return "yellow"
        case _:
            return "cyan"

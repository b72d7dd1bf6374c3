"""Problems as people read them: in a file `path:line:column: severity: message (source code)`, one line each; on a
terminal, where lines are short, below the path of their file."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from motet.cli.terminal import Terminal
from motet.cli.wrap import Span
from motet.text import Diagnostic, Severity

_MOST = 30
"""Problems that are listed one by one."""
_HANG_IN_FILE = 6
_HANG_ON_TERMINAL = 11


def list_problems(
    terminal: Terminal,
    problems: Sequence[Diagnostic],
    why: Callable[[Diagnostic], str] = lambda _: "",
    *,
    always: bool = False,
) -> None:
    """One line for each of `problems`, up to thirty, and `why` it is there in a second one."""
    path = ""
    hang = _HANG_IN_FILE if terminal.width is None else _HANG_ON_TERMINAL
    for found in problems[:_MOST]:
        place = f"{found.range.start.line}:{found.range.start.column}"
        if terminal.width is None:
            spans = (f"  {found.path}:{place}: ", "cyan")
        else:
            if found.path != path:
                terminal.line(f"  {found.path}", "cyan", hang=4, always=always)
            path, spans = found.path, (f"    {place:<6} ", "dim")
        terminal.spans(spans, *what_is_wrong(found), hang=hang, always=always)
        if reason := why(found):
            terminal.line(f"{' ' * hang}{reason}", "dim", hang=hang, always=always)
    if len(problems) > _MOST:
        terminal.line(f"  … and {len(problems) - _MOST} more", "dim", always=always)


def what_is_wrong(found: Diagnostic) -> list[Span]:
    """Severity, the message's first line and source of a problem, without its place."""
    code = f" {found.code}" if found.code else ""
    first, _, more = found.message.strip().partition("\n")
    return [
        (f"{found.severity.label.lower()}: ", _style(found.severity)),
        (" ".join(first.split()) + (" …" if more else ""), ""),
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

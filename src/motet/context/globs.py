"""Globs over paths of the workspace: as in `.gitignore`, and with `{a,b}`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from motet.errors import SettingsError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_MOST = 100
_LONGEST = 1_000


@dataclass(slots=True)
class Globs:
    """`*.ts` takes such files anywhere, `src/*.ts` those in `src` of the top, `src/**` all below, `!x` none of `x`."""

    patterns: tuple[str, ...]
    _spec: GitIgnoreSpec | None = field(default=None, repr=False)

    def take(self, path: str) -> bool:
        """Whether one of the patterns takes the file `path` (with `/`). Raises `SettingsError` for an invalid one."""
        if self._spec is None:
            from pathspec import GitIgnoreSpec

            try:
                self._spec = GitIgnoreSpec.from_lines(one for each in self.patterns for one in expanded(each))
            except ValueError as error:
                raise SettingsError(f"{', '.join(self.patterns)}: not a valid glob: {error}") from error
        return self._spec.match_file(path)


def expanded(pattern: str) -> list[str]:
    """`pattern` without braces: `*.{ts,tsx}` is `*.ts` and `*.tsx`. At most 100 come out of one."""
    done: list[str] = []
    todo = [pattern.removeprefix("./")]
    while todo and len(done) < _MOST:
        one = todo.pop()
        found = _BRACES.search(one) if len(one) <= _LONGEST else None
        if found is None:
            done.append(one)
        else:
            parts = found[1].split(",")
            todo += [one[: found.start()] + each.strip() + one[found.end() :] for each in reversed(parts)]
    return done

"""Where names are defined in the project, for prompts of `motet fix` that do not fit a model's window."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from motet.errors import MotetError
from motet.workspace import why_no_project

_log = logging.getLogger(__name__)
_PATIENCE = 20.0
"""Seconds for files to be read; in a project that is read for the first time only some of them may be known."""


class Definitions:
    """Looks into the map of the project at `root`, which is kept in `home`; only at files that `allow` lets enter a
    prompt."""

    def __init__(self, root: Path, home: Path, allow: Callable[[str], bool]) -> None:
        self._root = root
        self._home = home
        self._allow = allow

    async def __call__(self, names: Sequence[str], around: Sequence[str]) -> Sequence[str]:
        """The paths of files that define any of `names`, those that the files `around` import first. Nothing where the
        project cannot be looked at: a prompt never fails by that."""
        if not names or why_no_project(self._root):
            return ()
        from motet.index.map import ProjectMap

        found = ProjectMap(self._root, self._home)
        try:
            return [path for path in await found.defining(names, around, patience=_PATIENCE) if self._allow(path)]
        except (MotetError, OSError) as error:
            _log.warning("no definitions of other files: %s", error)
            return ()
        finally:
            await found.close()

"""Reads the files of a map into its store, in a process of its own: `python -m motet.index.map_child ROOT HOME`."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import sys
from pathlib import Path

from motet.index.map import ProjectMap


async def _read(root: Path, home: Path) -> None:
    found = ProjectMap(root, home, aside=False)
    try:
        await found.update()
    finally:
        await found.close()


if __name__ == "__main__":
    with contextlib.suppress(OSError):
        os.nice(10)
    asyncio.run(_read(Path(sys.argv[1]), Path(sys.argv[2])))
    gc.freeze()  # as `motet` does it: the end would look for cycles in all there is

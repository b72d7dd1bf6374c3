"""A small disk of its own, which can be filled up."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

IS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a tiny disk")


@contextlib.contextmanager
def mounted(place: Path, size: str = "256k") -> Iterator[Path]:
    """A disk at `place`, which is made."""
    place.mkdir(parents=True)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place], capture_output=True)
    if done.returncode != 0:
        pytest.skip(f"root may not mount here: {done.stderr.decode().strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


def fill(place: Path) -> None:
    """Leave no room on the disk of the directory `place`."""
    with contextlib.suppress(OSError), (place / "fill").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4_096))

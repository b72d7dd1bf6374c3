"""A small disk of its own, which can be filled up, and a directory that takes nothing."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.kit import BIN, Done, Project

IS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a tiny disk")


_NO_ROOM = """
import resource, sys, motet.cli

resource.setrlimit(resource.RLIMIT_FSIZE, (2, resource.RLIM_INFINITY))
raise SystemExit(motet.cli.run(sys.argv[1:]))
"""
"""For everybody: no file grows beyond two bytes."""


def without_room(project: Project, *words: str) -> Done:
    """Run `motet` where no file can grow."""
    return project.run(*words, argv=(BIN / "python", "-B", "-c", _NO_ROOM))


@contextlib.contextmanager
def mounted(place: Path, size: str = "256k") -> Iterator[Path]:
    """A disk at `place`, which is made."""
    place.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place], capture_output=True)
    if done.returncode != 0:
        pytest.skip(f"root may not mount here: {done.stderr.decode().strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)  # a program may still be there


def fill(place: Path) -> None:
    """Leave no room on the disk of the directory `place`."""
    with contextlib.suppress(OSError), (place / "fill").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4_096))


@contextlib.contextmanager
def that_can_be_locked(place: Path) -> Iterator[Path]:
    """The directory `place`, made, for `locked`: a disk where root is asked, for modes hold root back from nothing."""
    if os.geteuid() == 0:
        with mounted(place, "8m"):
            yield place
    else:
        place.mkdir(parents=True, exist_ok=True)
        yield place


@contextlib.contextmanager
def locked(place: Path) -> Iterator[None]:
    """Nothing can be written within a directory of `that_can_be_locked`."""
    if os.geteuid() == 0:
        subprocess.run(["mount", "-o", "remount,ro", place], check=True)
        yield
        subprocess.run(["mount", "-o", "remount,rw", place], check=True)
        return
    modes = {path: path.stat().st_mode for path in (place, *place.rglob("*"))}
    for path, mode in modes.items():
        path.chmod(mode & ~0o222)
    yield
    for path, mode in modes.items():
        path.chmod(mode)

"""The command line: thin commands over the engine. stdout is data; everything for people goes to stderr."""

from __future__ import annotations

from collections.abc import Sequence


def run(arguments: Sequence[str]) -> int:
    """Run one command line; returns its exit code, having said on stderr what went wrong."""
    from motet.cli.app import run as run_command  # click, and with it 60 ms, which completion has no use for

    return run_command(arguments)


__all__ = ["run"]

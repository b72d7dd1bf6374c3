"""`motet` and `python -m motet`. Answers `--version` before anything else is imported."""

from __future__ import annotations

import sys

from motet import __version__


def main() -> int:
    """Run the command line; returns the exit code."""
    if sys.argv[1:] == ["--version"]:
        print(f"motet {__version__}")
        return 0
    from motet.cli import run  # click, and with it 60 ms

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())

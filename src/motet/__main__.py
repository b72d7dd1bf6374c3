"""`motet` and `python -m motet`. Answers `--version` and shells that complete before anything else is imported."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from motet import __version__

COLLECTED_AFTER = 100_000
"""New objects after which Python looks for cycles: the usual 700 take a tenth of a start, which only makes what stays."""


def main() -> int:
    """Run the command line; returns the exit code."""
    if sys.argv[1:] == ["--version"]:
        with suppress(OSError):  # a full disk, say: the command line tells of it
            os.write(1, f"motet {__version__}\n".encode())
            return 0
    if sys.argv[1:2] == ["--complete"]:
        from motet.cli.completion.answer import main as complete

        return complete(sys.argv[2:])
    import gc
    import signal

    from motet.cores import leave_no_core

    leave_no_core()
    gc.set_threshold(COLLECTED_AFTER)
    from motet.cli import run
    from motet.cli.output import release_streams
    from motet.errors import ExitCode

    try:
        code = run(sys.argv[1:])
        if code == ExitCode.INTERRUPTED:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # pressed once too often, while Python takes itself down
        return code
    except Exception:  # noqa: BLE001 (a bug: say so, with a code that means nothing else)
        import traceback

        with suppress(OSError):  # nobody reads it: the code says enough
            traceback.print_exc()
            print(
                f"motet {__version__}: this is a bug in motet, please report it; no file was left half written",
                file=sys.stderr,
            )
        return ExitCode.BUG
    finally:
        release_streams()
        gc.freeze()  # the end looks for cycles in all there is, three times, which took longer than most commands


if __name__ == "__main__":
    sys.exit(main())

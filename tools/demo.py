"""The main job on the example projects: offline, no key, in a copy that is thrown away.

    python tools/demo.py [--keep]

Exit code 0 when everything worked as shown, although some problems remain on purpose: they need a decision that
the offline model cannot take.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOTET = ROOT / ".venv" / "bin" / "motet"


def main() -> int:
    started = time.monotonic()
    keep = "--keep" in sys.argv[1:]
    home = Path(tempfile.mkdtemp(prefix="motet-demo-"))
    try:
        project = home / "examples"
        shutil.copytree(ROOT / "examples", project)
        say(f"$ cd {project}")
        say("$ motet fix --yes --model offline")
        code = motet(home, project, "fix", "--yes", "--model", "offline")
        if code not in (0, 1):
            return code
        say()
        say("$ motet undo --list")
        motet(home, project, "undo", "--list")
        say(f"\nThat took {time.monotonic() - started:.0f} s. In your own project: {MOTET} fix")
        return 0
    finally:
        if not keep:
            shutil.rmtree(home, ignore_errors=True)


def motet(home: Path, project: Path, *arguments: str) -> int:
    """Run motet in `project` with places of its own, so that the demo leaves nothing behind."""
    places = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "STATE", "CACHE", "DATA")}
    return subprocess.run([MOTET, *arguments], cwd=project, env={**os.environ, **places}, check=False).returncode


def say(text: str = "") -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())

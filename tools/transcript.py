"""The transcript in README.md: what `motet fix` really prints for one of the example projects.

The text between the two markers is replaced by the output of a run on a copy, so it is true by construction.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
COMMAND = ("fix", "python", "--yes", "--model", "offline")
_BLOCK = re.compile(r"(<!-- transcript -->\n).*?(<!-- end of transcript -->)", re.DOTALL)


def readme_page() -> str:
    """README.md with a fresh transcript."""
    shown = "```console\n$ motet " + " ".join(COMMAND) + "\n" + run() + "```\n"
    return _BLOCK.sub(lambda found: found[1] + shown + found[2], README.read_text("utf-8"))


@contextmanager
def examples() -> Iterator[tuple[Path, dict[str, str]]]:
    """A copy of the example projects, as the README has its reader make one, and an environment of nobody's."""
    with tempfile.TemporaryDirectory() as home:
        project = Path(home) / "examples"
        shutil.copytree(ROOT / "examples", project)
        subprocess.run(["git", "init", "--quiet", project], check=True)
        places = {f"XDG_{name}_HOME": f"{home}/{name.lower()}" for name in ("CONFIG", "STATE", "CACHE", "DATA")}
        settings = Path(home) / "config" / "motet" / "config.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text("[fix]\nserver_timeout = 600\n")  # however busy the machine is
        yield project, {**os.environ, **places, "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}


def run() -> str:
    """What `motet fix` prints."""
    with examples() as (project, environment):
        done = subprocess.run(
            [ROOT / ".venv" / "bin" / "motet", *COMMAND],
            cwd=project, env=environment | {"COLUMNS": "100"}, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    return "".join(f"{line.rstrip()}\n" for line in done.stderr.splitlines())

"""Run the referees: programs that measure motet from outside, and know no more of it than a user or a client does.

    python tools/referees.py [NAME…]     a part of `make soak`

They lie in `bench/` of `$MOTET_SHARED`, else of `../shared`, and not in this repository. Prints what each saw and how many
were run; exit code 1 when one was not content, or when CI=true and they are not there.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv" / "bin"
BENCH = Path(os.environ.get("MOTET_SHARED", ROOT.parent / "shared")) / "bench"


def late_cancel(project: Path) -> bool:
    """A client that cancels after each answer gets every post once."""
    said = run(project, BIN / "python", BENCH / "agents/late_cancel.py", BIN / "motet")
    counts = re.findall(r"#\d+': (\d+)", said)
    return len(counts) == 4 and set(counts) == {"1"}


def clock_skew(project: Path) -> bool:
    """A process whose clock is three minutes ahead ends nobody who lives, and frees no claim."""
    with tempfile.TemporaryDirectory() as place:
        said = run(project, BIN / "python", BENCH / "agents/clock_skew.py", BIN / "motet", faketime(Path(place)))
    states = re.findall(r"^(?:before|after[^:]*): (.*)$", said, re.MULTILINE)
    return len(states) == 3 and len(set(states)) == 1 and "gone" not in said


def loops(project: Path) -> bool:
    """Agents that read for themselves and answer without a mention come to an end."""
    said = run(project, BIN / "python", BENCH / "agents/loops.py", "3", "read", "60", "", "0.5")
    posts = re.search(r"posts=(\d+) refusals=\{(.+)\}", said)
    return posts is not None and int(posts[1]) < 60


def say_while_streaming(project: Path) -> bool:
    """What is said while an answer streams in Neovim is asked, and shown."""
    needs = [word for name in ("aiohttp", "msgpack", "pynvim") for word in ("--with", name)]
    places = {"BENCH_NVIM": str(BIN / "nvim"), "MOTET_ROOT": str(ROOT), "MOTET_BIN": str(BIN / "motet")}
    program = BENCH / "nvim/say_while_streaming.py"
    return "0 of 8 bad" in run(project, BIN / "uv", "run", "--no-project", *needs, "python", program, "8", **places)


REFEREES: dict[str, Callable[[Path], bool]] = {
    each.__name__: each for each in (late_cancel, clock_skew, loops, say_while_streaming)
}


def run(project: Path, *command: str | Path, **variables: str) -> str:
    """What a referee says, in a git directory, a home and a runtime directory of its own."""
    home = project.parent / "home"
    environment = {
        **os.environ, **variables, "HOME": str(home), "XDG_RUNTIME_DIR": str(home), "PYTHONPATH": "",
        "PATH": os.pathsep.join((str(BIN), os.environ.get("PATH", os.defpath))),
    }  # fmt: skip
    done = subprocess.run(
        command, cwd=project, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, timeout=900, check=False,
    )  # fmt: skip
    print(done.stdout.rstrip(), flush=True)
    return done.stdout if done.returncode == 0 else ""


def faketime(place: Path) -> Path:
    """The library, of the machine or unpacked from Debian's archive."""
    found = next(iter(Path("/usr/lib").glob("*/faketime/libfaketime.so.1")), None)
    if found is None:
        subprocess.run(
            ["apt-get", "-qq", "download", "-o", "APT::Sandbox::User=root", "libfaketime"], cwd=place, check=True
        )
        subprocess.run(["dpkg-deb", "-x", next(place.glob("*.deb")), place], check=True)
        found = next(place.glob("usr/lib/*/faketime/libfaketime.so.1"))
    return found


def main(names: list[str]) -> int:
    """Run those that are named, else all."""
    if not BENCH.is_dir():
        print(f"referees: there is no {BENCH}; set MOTET_SHARED")
        return int(os.environ.get("CI", "").lower() in {"1", "true", "yes"})
    unhappy: list[str] = []
    for name in names or REFEREES:
        print(f"== {name}: {REFEREES[name].__doc__}", flush=True)
        with tempfile.TemporaryDirectory(prefix="motet-referee-") as place:
            project = Path(place) / "project"
            (Path(place) / "home").mkdir(mode=0o700)
            subprocess.run([shutil.which("git") or "git", "init", "--quiet", project], check=True)
            if not REFEREES[name](project):
                unhappy.append(name)
    verdict = f"not content: {', '.join(unhappy)}" if unhappy else "all are content"
    print(f"{len(names or REFEREES)} referees were run; {verdict}")
    return int(bool(unhappy))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

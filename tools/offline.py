"""Install all that is locked without a network, and see it work: `make offline`, a part of continuous integration.

    python tools/offline.py            fetch the wheels (once for each lock), install them, run a fix
    python tools/offline.py --fetch    fetch alone: the only step that needs a package registry

The wheels lie in `.venv/wheels`, about 280 MB. They go into an environment that is thrown away, by their hashes, with
no index, no cache, no build, and in a network of its own with nobody in it where the system lets us make one.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements" / "all.lock"
WHEELS = ROOT / ".venv" / "wheels"
PYTHON = ROOT / ".venv" / "bin" / "python"
UV = ROOT / ".venv" / "bin" / "uv"
ALONE = ("unshare", "--user", "--map-root-user", "--net")
NAMES = """
import importlib.metadata, json
print(json.dumps(sorted(one.name + "==" + one.version for one in importlib.metadata.distributions())))
"""


def main(arguments: list[str]) -> int:
    """Exit code 0 when all of the lock was installed and motet did its main job with it."""
    try:
        fetch(LOCK, WHEELS)
        if arguments != ["--fetch"]:
            with tempfile.TemporaryDirectory(prefix="motet-offline-") as place:
                install_and_try(Path(place))
    except subprocess.CalledProcessError as error:
        words = [Path(word).name for word in error.cmd]
        print(f"offline: exit {error.returncode} of: {' '.join(words)}", file=sys.stderr)
        return 1
    return 0


def fetch(lock: Path, wheels: Path) -> None:
    """Have the wheels of `lock` for this machine in `wheels`, each with a hash that the lock names."""
    stamp, wanted = wheels / "of-lock", hashlib.sha256(lock.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == wanted:
        return
    started = time.monotonic()
    shutil.rmtree(wheels, ignore_errors=True)
    command = [str(PYTHON), "-m", "pip", "download", "-qq", "--disable-pip-version-check", "--no-deps"]
    only = ["--require-hashes", "--only-binary", ":all:", "--dest", str(wheels), "--requirement", str(lock)]
    subprocess.run(command + only, check=True, stdin=subprocess.DEVNULL)
    stamp.write_text(wanted)
    size = sum(file.stat().st_size for file in wheels.iterdir()) // 1_000_000
    say(f"fetched {len(held(wheels))} wheels, {size} MB, in {(time.monotonic() - started) / 60:.1f} min")


def held(wheels: Path) -> list[Path]:
    """The wheels in the folder."""
    return sorted(wheels.glob("*.whl"))


def install_and_try(place: Path) -> None:
    """Install all of the lock and motet below `place`, and let it repair an example."""
    started = time.monotonic()
    say(
        "no network" if alone() else "this system gives no network of its own: only the installer is told to use none"
    )
    environment = place / "venv"
    install(LOCK, WHEELS, environment)
    count = len(installed(environment))
    project = place / "python"
    shutil.copytree(ROOT / "examples" / "python", project)
    ended = run(place, str(environment / "bin" / "motet"), "fix", "--yes", "-m", "offline", at=project, codes=(0, 1))
    if "Applied changes to 2 of 2 files." not in ended:
        raise SystemExit(f"offline: motet did not repair the example:\n{ended}")
    say(f"installed {count} packages and repaired an example in {(time.monotonic() - started) / 60:.1f} min")


def install(lock: Path, wheels: Path, environment: Path, project: Path | None = ROOT) -> None:
    """Make `environment` of the wheels alone, and install `project` there, built with what was just installed."""
    quiet = ("--quiet", "--offline", "--no-cache")
    python = ("--python", str(environment / "bin" / "python"))
    links = ("--no-index", "--find-links", str(wheels))
    run(environment.parent, str(UV), "venv", *quiet, "--python", str(PYTHON.resolve()), str(environment))
    pip = (str(UV), "pip")
    run(environment.parent, *pip, "sync", *quiet, *python, *links, "--no-build", "--require-hashes", str(lock))
    if project is not None:
        own = ("--no-deps", "--no-build-isolation", str(project))
        run(environment.parent, *pip, "install", *quiet, *python, *links, *own)


def installed(environment: Path) -> list[str]:
    """What stands in `environment`, as `name==version`."""
    python = str(environment / "bin" / "python")
    return json.loads(subprocess.run([python, "-I", "-c", NAMES], check=True, capture_output=True).stdout)


def run(home: Path, *command: str, at: Path | None = None, codes: tuple[int, ...] = (0,)) -> str:
    """What `command` prints, with `home` as its home, nothing of this environment, and nobody to call."""
    environment = {"HOME": str(home), "PATH": os.defpath, "LC_ALL": "C.UTF-8"}
    words = [*(ALONE if alone() else ()), *command]
    done = subprocess.run(
        words, cwd=at or home, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode not in codes:
        print(done.stdout + done.stderr, file=sys.stderr)
        raise subprocess.CalledProcessError(done.returncode, command)
    return done.stdout + done.stderr


def alone() -> bool:
    """Whether a program can be given a network of its own, with nobody in it."""
    try:
        return subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def say(text: str) -> None:
    print(f"offline: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

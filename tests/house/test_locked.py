"""What is installed is what was locked: every line of the lock has its hashes, and what runs here is what it says."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "requirements" / "all.lock"
_ENTRY = re.compile(r"([a-z0-9][a-z0-9._-]*)==(\S+?)(?: ; [^\\]+)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n")


def locked() -> dict[str, str]:
    """Version by name; fails for a line of the lock that is anything but a pinned version with its hashes."""
    text = LOCK.read_text("ascii")
    entries = list(_ENTRY.finditer(text))
    assert "".join(entry[0] for entry in entries) == text
    return {normal(entry[1]): entry[2] for entry in entries}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_line_of_the_lock_is_one_version_with_its_hashes() -> None:
    versions = locked()
    assert len(versions) > 50 and "motet" not in versions


def test_what_runs_here_is_what_was_locked_and_nothing_besides() -> None:
    versions = locked()
    installed = {normal(one.metadata["Name"]): one.version for one in distributions(path=[site()])}
    del installed["motet"]
    assert {name: versions.get(name) for name in installed} == installed


def wheel(place: Path, text: str) -> str:
    """A package of one line in a wheel (PEP 427) in `place`; its hash."""
    file = place / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("tiny.py", text)
        archive.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        archive.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("tiny-1.0.dist-info/RECORD", "tiny.py,,\n")
    return hashlib.sha256(file.read_bytes()).hexdigest()


def test_the_set_up_installs_nothing_but_the_bytes_that_were_locked(
    tmp_path: Path, need: Callable[[str], Path]
) -> None:
    setup = (ROOT / "tools" / "setup.py").read_text("utf-8")
    assert 'run(uv, "pip", "sync", "--quiet", "--python", python, "--require-hashes", str(LOCK))' in setup
    uv, lock, place = need("uv"), tmp_path / "all.lock", tmp_path / "venv"
    subprocess.run([uv, "venv", "--quiet", "--offline", "--python", sys.executable, place], check=True, timeout=100)

    def sync(requirement: str) -> int:
        lock.write_text(requirement + "\n")
        offline = ("--offline", "--no-index", "--find-links", tmp_path, "--no-cache")
        command = (uv, "pip", "sync", "--quiet", "--python", place / "bin" / "python", "--require-hashes", lock)
        return subprocess.run([*command, *offline], capture_output=True, timeout=100, check=False).returncode

    locked = wheel(tmp_path, "one = 1\n")
    honest = (tmp_path / "tiny-1.0-py3-none-any.whl").read_bytes()
    assert sync("tiny==1.0") != 0
    assert wheel(tmp_path, "one = 'evil'\n") != locked
    assert sync(f"tiny==1.0 --hash=sha256:{locked}") != 0
    assert list(place.rglob("tiny.py")) == []
    (tmp_path / "tiny-1.0-py3-none-any.whl").write_bytes(honest)
    assert sync(f"tiny==1.0 --hash=sha256:{locked}") == 0
    assert [file.read_text() for file in place.rglob("tiny.py")] == ["one = 1\n"]


def site() -> str:
    return str(
        Path(sys.prefix) / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    )

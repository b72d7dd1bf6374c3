"""What is installed is what was locked: by its hashes, without any code of a package run, and without a network."""

from __future__ import annotations

import hashlib
import io
import json
import re
import subprocess
import sys
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import distributions
from pathlib import Path

import pytest
from house.tools_kit import tool

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "requirements" / "all.lock"
_ENTRY = re.compile(r"([a-z0-9][a-z0-9._-]*)==(\S+?)(?: ; [^\\]+)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n")
Served = Callable[[], None]


def locked() -> dict[str, set[str]]:
    """Versions by name, one for each of several Pythons; fails for a line of the lock that is anything but a pinned version with its hashes."""
    text = LOCK.read_text("ascii")
    entries = list(_ENTRY.finditer(text))
    assert "".join(entry[0] for entry in entries) == text
    versions: dict[str, set[str]] = {}
    for entry in entries:
        versions.setdefault(normal(entry[1]), set()).add(entry[2])
    return versions


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def site() -> Path:
    return Path(sys.prefix) / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"


@pytest.mark.acceptance("T-20")
def test_every_line_of_the_lock_is_one_version_with_its_hashes() -> None:
    versions = locked()
    assert len(versions) > 50 and "motet" not in versions


@pytest.mark.acceptance("T-20")
def test_what_runs_here_is_what_was_locked_and_nothing_besides() -> None:
    versions = locked()
    installed = {normal(one.metadata["Name"]): one.version for one in distributions(path=[str(site())])}
    del installed["motet"]
    assert {name: version for name, version in installed.items() if version not in versions.get(name, ())} == {}


@pytest.mark.acceptance("T-20")
def test_no_package_has_code_that_runs_whenever_python_starts() -> None:
    assert [path.name for path in site().glob("*.pth")] == ["motet.pth"]
    assert (site() / "motet.pth").read_text().split() == [str(ROOT / "src")]
    assert [path for name in ("sitecustomize", "usercustomize") for path in site().glob(f"{name}*")] == []


# --- packages of our own, to install ---------------------------------------------------------------------------


def wheel(place: Path, text: str, name: str = "tiny") -> str:
    """A package of one line in a wheel (PEP 427) in `place`; its line for a lock."""
    place.mkdir(exist_ok=True)
    file, info = place / f"{name}-1.0-py3-none-any.whl", f"{name}-1.0.dist-info"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(f"{name}.py", text)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", f"{name}.py,,\n")
    return f"{name}==1.0 --hash=sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}\n"


def sources(place: Path, canary: Path) -> str:
    """A package that is to be built, by code of its own that leaves `canary` behind; its line for a lock."""
    place.mkdir(exist_ok=True)
    files = {
        "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "own"\nbackend-path = ["."]\n'
        '[project]\nname = "tiny"\nversion = "1.0"\n',
        "own.py": f"open({str(canary)!r}, 'w').close()\n",
        "PKG-INFO": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
    }
    file = place / "tiny-1.0.tar.gz"
    with tarfile.open(file, "w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(f"tiny-1.0/{name}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return f"tiny==1.0 --hash=sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}\n"


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A registry over real HTTP with what lies in `tmp_path/served`; calling it takes it off the network."""
    served, index = tmp_path / "served", tmp_path / "served" / "simple"
    for name in ("tiny", "small"):
        (index / name).mkdir(parents=True)

    class Pages(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.strip("/").split("/")[-1]
            if not self.path.startswith("/simple/"):
                return super().do_GET()
            links = "".join(f"<a href='/{file.name}'>{file.name}</a>" for file in served.glob(f"{name}-*"))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f"<!DOCTYPE html><html><body>{links}</body></html>".encode())
            return None

        def log_message(self, *_: object) -> None:
            """Nothing is said."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Pages, directory=str(served)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "UV_FIND_LINKS", "UV_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    for name in ("PIP_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{server.server_port}/simple/")

    def gone() -> None:
        server.shutdown()
        server.server_close()
        thread.join(20)

    yield gone
    if thread.is_alive():
        gone()


# --- the set-up ------------------------------------------------------------------------------------------------


@pytest.fixture
def set_up(tmp_path: Path, need: Callable[[str], Path]) -> Callable[[str], int]:
    """Does what `make setup` does with a lock, into an environment below `tmp_path`; its exit code."""
    setup = tool("setup")
    setup.VENV, setup.LOCK = tmp_path / "venv", tmp_path / "all.lock"
    setup.BIN = setup.VENV / "bin"

    def install(lock: str) -> int:
        setup.LOCK.write_text(lock)
        try:
            setup.install_locked(str(need("uv")))
        except subprocess.CalledProcessError as error:
            return error.returncode
        return 0

    return install


@pytest.mark.acceptance("T-20")
def test_the_set_up_installs_nothing_but_the_bytes_that_were_locked(
    tmp_path: Path, registry: Served, set_up: Callable[[str], int]
) -> None:
    served, place = tmp_path / "served", tmp_path / "venv"
    honest = wheel(served, "one = 1\n")
    kept = (served / "tiny-1.0-py3-none-any.whl").read_bytes()
    assert set_up("tiny==1.0\n") != 0
    assert wheel(served, "one = 'evil'\n") != honest
    assert set_up(honest) != 0
    assert list(place.rglob("tiny.py")) == []
    (served / "tiny-1.0-py3-none-any.whl").write_bytes(kept)
    assert set_up(honest) == 0
    assert [file.read_text() for file in place.rglob("tiny.py")] == ["one = 1\n"]


@pytest.mark.acceptance("T-20")
def test_the_set_up_runs_no_code_of_what_it_installs(
    tmp_path: Path, registry: Served, set_up: Callable[[str], int]
) -> None:
    canary = tmp_path / "canary"
    assert set_up(sources(tmp_path / "served", canary)) != 0
    assert not canary.exists() and list((tmp_path / "venv").rglob("tiny*")) == []


def test_what_came_with_the_environment_and_is_not_locked_does_not_stay(
    tmp_path: Path, registry: Served, set_up: Callable[[str], int]
) -> None:
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True, timeout=100)
    assert set_up(wheel(tmp_path / "served", "one = 1\n")) == 0
    names = {path.name.partition("-")[0] for path in (tmp_path / "venv").rglob("*.dist-info")}
    assert names - {"pip"} == {"tiny"}  # pip is locked, and would be the locked one


def test_uv_itself_is_fetched_by_the_hashes_of_the_lock() -> None:
    setup = tool("setup")
    entry = setup.entry("uv")
    assert _ENTRY.fullmatch(entry) and entry in LOCK.read_text("ascii")


@pytest.mark.acceptance("T-20")
def test_what_comes_with_npm_has_its_hashes_and_runs_nothing_when_it_is_installed(
    tmp_path: Path, need: Callable[[str], Path]
) -> None:
    setup = tool("setup")
    for lock in setup.LOCKS:
        packages = json.loads(lock.read_text("utf-8"))["packages"]
        assert [name for name, entry in packages.items() if name and not entry.get("integrity")] == []
    canary, evil, own = tmp_path / "canary", tmp_path / "evil", tmp_path / "tools" / "own"
    for place in (evil, own, tmp_path / ".venv" / "bin"):
        place.mkdir(parents=True)
    scripts = dict.fromkeys(("preinstall", "install", "postinstall"), f"touch {canary}")
    (evil / "package.json").write_text(json.dumps({"name": "evil", "version": "1.0.0", "scripts": scripts}))
    quiet = ("--offline", "--silent", "--no-audit", "--no-update-notifier")
    npm = partial(subprocess.run, check=True, capture_output=True, timeout=100)
    npm([need("npm"), "pack", *quiet], cwd=evil)
    wish = {"name": "own", "private": True, "dependencies": {"evil": f"file:{evil}/evil-1.0.0.tgz"}}
    (own / "package.json").write_text(json.dumps(wish))
    npm([need("npm"), "install", "--package-lock-only", *quiet], cwd=own)
    setup.ROOT, setup.VENV, setup.BIN = tmp_path, tmp_path / ".venv", tmp_path / ".venv" / "bin"
    setup.install_from_npm("own", "a package", "evil")
    assert (tmp_path / ".venv" / "own" / "node_modules" / "evil" / "package.json").is_file()
    assert not canary.exists()


# --- without a network -----------------------------------------------------------------------------------------


@pytest.mark.acceptance("T-20")
def test_what_was_fetched_once_installs_when_the_registry_is_gone(tmp_path: Path, registry: Served) -> None:
    """The whole of the real lock goes the same way in `make offline`, which continuous integration runs."""
    offline, lock, wheels = tool("offline"), tmp_path / "all.lock", tmp_path / "wheels"
    lock.write_text(wheel(tmp_path / "served", "one = 1\n") + wheel(tmp_path / "served", "two = 2\n", "small"))
    offline.fetch(lock, wheels)
    registry()
    offline.fetch(lock, wheels)  # has them
    wheel(wheels, "more\n", "more")  # not in the lock
    offline.install(lock, wheels, tmp_path / "venv", project=None)
    assert offline.installed(tmp_path / "venv") == ["small==1.0", "tiny==1.0"]
    assert [path.read_text() for path in (tmp_path / "venv").rglob("tiny.py")] == ["one = 1\n"]


@pytest.mark.acceptance("T-20")
def test_other_bytes_are_neither_fetched_nor_installed_from_what_was_fetched(
    tmp_path: Path, registry: Served
) -> None:
    offline, lock, wheels = tool("offline"), tmp_path / "all.lock", tmp_path / "wheels"
    lock.write_text(wheel(tmp_path / "served", "one = 1\n"))
    wheel(tmp_path / "served", "one = 'evil'\n")
    with pytest.raises(subprocess.CalledProcessError):
        offline.fetch(lock, wheels)
    assert list(wheels.glob("*")) == []
    wheel(wheels, "one = 'evil'\n")
    with pytest.raises(subprocess.CalledProcessError):
        offline.install(lock, wheels, tmp_path / "venv", project=None)
    assert offline.installed(tmp_path / "venv") == []


@pytest.mark.acceptance("T-20")
def test_what_would_have_to_be_built_is_neither_fetched_nor_installed(tmp_path: Path, registry: Served) -> None:
    offline, lock, wheels, canary = tool("offline"), tmp_path / "all.lock", tmp_path / "wheels", tmp_path / "canary"
    lock.write_text(sources(tmp_path / "served", canary))
    with pytest.raises(subprocess.CalledProcessError):
        offline.fetch(lock, wheels)
    sources(wheels, canary)
    with pytest.raises(subprocess.CalledProcessError):
        offline.install(lock, wheels, tmp_path / "venv", project=None)
    assert not canary.exists() and offline.installed(tmp_path / "venv") == []

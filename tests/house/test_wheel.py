"""What is installed is what stands in the repository: nothing more, nothing less, byte for byte."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ("pyproject.toml", "README.md", "LICENSE")
KINDS = (("--wheel", "*.whl"), ("--sdist", "*.tar.gz"))


def repository() -> dict[str, bytes]:
    """What git has of the package and the files beside it that go along, as it stands in the work tree."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "src", *PROJECT]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, timeout=100, text=True).stdout
    return {name: (ROOT / name).read_bytes() for name in listed.split("\0") if name and (ROOT / name).is_file()}


def clone(place: Path) -> Path:
    """Write the repository to `place`."""
    for name, content in repository().items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(content)
    return place


def build(place: Path, uv: Path) -> None:
    """Build what lies in `place` without any network, into its directory `dist`."""
    for kind, _ in KINDS:
        command = [uv, "build", kind, "--offline", "--no-build-isolation", "--python", sys.executable, "-o", "dist"]
        subprocess.run(command, cwd=place, capture_output=True, check=True, timeout=100)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, need: Callable[[str], Path]) -> Path:
    """A copy of the repository with its wheel and source archive in `dist`."""
    copy = tmp_path_factory.mktemp("project")
    build(clone(copy), need("uv"))
    return copy


@pytest.mark.acceptance("T-20")
def test_the_wheel_holds_the_package_and_its_licence_and_nothing_else(project: Path) -> None:
    (wheel,) = (project / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        held = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    package = {name: held.pop(name) for name in list(held) if name.startswith("motet/")}
    sources = {name: content for name, content in repository().items() if name.startswith("src/")}
    assert {f"src/{name}": content for name, content in package.items()} == sources
    version = wheel.name.split("-")[1]
    assert {name.removeprefix(f"motet-{version}.dist-info/") for name in held} == {
        "METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE",
    }  # fmt: skip
    assert held[f"motet-{version}.dist-info/licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()


@pytest.mark.acceptance("T-20")
def test_the_source_archive_holds_the_project_and_nothing_else(project: Path) -> None:
    (archive,) = (project / "dist").glob("*.tar.gz")
    top = archive.name.removesuffix(".tar.gz")
    held: dict[str, bytes] = {}
    with tarfile.open(archive) as tar:
        for member in tar:
            if member.isfile():
                stream = tar.extractfile(member)
                assert stream is not None
                held[member.name.removeprefix(f"{top}/")] = stream.read()
    del held["PKG-INFO"]
    held["pyproject.toml"] = held.pop("pyproject.toml.orig")  # the build keeps ours beside its own reading of it
    assert held == repository()


@pytest.mark.acceptance("T-20")
def test_a_build_elsewhere_at_another_time_by_another_user_comes_to_the_same_bytes(
    project: Path, tmp_path: Path, need: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("LC_ALL", "C")
    before = os.umask(0o077)
    try:
        for path in clone(tmp_path).rglob("*"):
            os.utime(path, (1_000_000_000, 1_000_000_000))
        build(tmp_path, need("uv"))
    finally:
        os.umask(before)
    for _, pattern in KINDS:
        (first,), (second,) = (project / "dist").glob(pattern), (tmp_path / "dist").glob(pattern)
        assert first.read_bytes() == second.read_bytes()


@pytest.mark.acceptance("T-20")
def test_the_wheel_of_the_source_archive_is_the_wheel_of_the_repository(
    project: Path, tmp_path: Path, need: Callable[[str], Path]
) -> None:
    (archive,), (wheel,) = (project / "dist").glob("*.tar.gz"), (project / "dist").glob("*.whl")
    shutil.unpack_archive(archive, tmp_path)
    command = [need("uv"), "build", "--wheel", "--offline", "--no-build-isolation", "--python", sys.executable]
    subprocess.run(
        [*command, "-o", tmp_path / "dist"], cwd=tmp_path / archive.name.removesuffix(".tar.gz"),
        capture_output=True, check=True, timeout=100,
    )  # fmt: skip
    assert (tmp_path / "dist" / wheel.name).read_bytes() == wheel.read_bytes()


@pytest.mark.acceptance("PY-18")
def test_the_package_says_that_it_is_typed() -> None:
    assert (ROOT / "src" / "motet" / "py.typed").read_bytes() == b""


@pytest.mark.acceptance("PY-18")
def test_versions_changes_and_where_to_report_are_stated(project: Path) -> None:
    (wheel,) = (project / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        (name,) = [name for name in packed.namelist() if name.endswith("/METADATA")]
        said = packed.read(name).decode()
    assert re.search(r"^Version: \d+\.\d+\.\d+$", said, re.MULTILINE)
    assert re.search(r"^Requires-Python: >=3\.\d+$", said, re.MULTILINE)
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "keepachangelog.com" in changes and "semver.org" in changes and "\n## [Unreleased]\n" in changes
    assert "Please tell us privately" in (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def test_the_licence_is_apache_2() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="ascii")
    assert text.split()[:6] == ["Apache", "License", "Version", "2.0,", "January", "2004"]
    assert text.rstrip().endswith("limitations under the License.")

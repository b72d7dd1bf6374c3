"""What is installed is what stands in the repository: nothing more, nothing less, byte for byte."""

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


def files(root: Path) -> dict[str, bytes]:
    """Relative names and bytes of what stands below `root`."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, need: Callable[[str], Path]) -> Path:
    """A copy of the project with its wheel and source archive, built without any network, in `dist`."""
    copy = tmp_path_factory.mktemp("project")
    shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for name in PROJECT:
        shutil.copy(ROOT / name, copy)
    for kind in ("--wheel", "--sdist"):
        subprocess.run(
            [need("uv"), "build", kind, "--offline", "--no-build-isolation", "--python", sys.executable, "-o", "dist"],
            cwd=copy, capture_output=True, check=True, timeout=100,
        )  # fmt: skip
    return copy


def test_the_wheel_holds_the_package_and_its_licence_and_nothing_else(project: Path) -> None:
    (wheel,) = (project / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        held = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    package = {name: held.pop(name) for name in list(held) if name.startswith("motet/")}
    assert package == files(project / "src")
    version = wheel.name.split("-")[1]
    assert {name.removeprefix(f"motet-{version}.dist-info/") for name in held} == {
        "METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE",
    }  # fmt: skip
    assert held[f"motet-{version}.dist-info/licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()


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
    assert held == {name: content for name, content in files(project).items() if not name.startswith("dist/")}


def test_a_second_build_comes_to_the_same_bytes(project: Path, need: Callable[[str], Path]) -> None:
    for kind, pattern in (("--wheel", "*.whl"), ("--sdist", "*.tar.gz")):
        subprocess.run(
            [need("uv"), "build", kind, "--offline", "--no-build-isolation", "--python", sys.executable, "-o", "again"],
            cwd=project, capture_output=True, check=True, timeout=100,
        )  # fmt: skip
        (first,), (second,) = (project / "dist").glob(pattern), (project / "again").glob(pattern)
        assert first.read_bytes() == second.read_bytes()
    shutil.rmtree(project / "again")


def test_the_package_says_that_it_is_typed() -> None:
    assert (ROOT / "src" / "motet" / "py.typed").read_bytes() == b""


def test_the_licence_is_apache_2() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="ascii")
    assert text.split()[:6] == ["Apache", "License", "Version", "2.0,", "January", "2004"]
    assert text.rstrip().endswith("limitations under the License.")

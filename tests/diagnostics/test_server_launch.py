"""From a known server to its command line and settings, for one project."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from motet.diagnostics import BUILT_IN, ServerSpec, Surroundings
from motet.diagnostics.locate import Launch, locate
from motet.permissions import Effect, Gate, GrantStore, Origin, Rule, RuleSet, Verdict


@pytest.fixture
def find(tmp_path: Path) -> Callable[..., object]:
    """`await find(*specs, trusted=…)`: what would be started and the advice."""

    async def found(
        *specs: ServerSpec, rules: tuple[Rule, ...] = (), **options: object
    ) -> tuple[list[Launch], list[str]]:
        gate = Gate(tmp_path, RuleSet(rules), GrantStore(tmp_path / ".state"))
        return await locate(specs, Surroundings(tmp_path, **options), gate)

    return found


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], Path]:
    """Make an executable file in the project."""

    def make(path: str) -> Path:
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("#!/bin/sh\nexit 1\n")
        place.chmod(0o755)
        return place

    return make


def known(name: str, **changes: object) -> ServerSpec:
    """A known server, its program replaced by one that every machine has."""
    spec = next(spec for spec in BUILT_IN if spec.name == name)
    return replace(spec, argv=(shutil.which("sh") or "sh", *spec.argv[1:]), least_version=0, **changes)


async def test_what_stands_in_for_a_missing_configuration_goes_beneath_the_users_settings(
    find, tmp_path: Path
) -> None:
    [launch], _ = await find(known("basedpyright"))
    analysis = launch.settings["basedpyright"]["analysis"]
    assert analysis["typeCheckingMode"] == "standard"
    assert analysis["diagnosticMode"] == "openFilesOnly"

    own = {"basedpyright": {"analysis": {"typeCheckingMode": "strict"}}, "python": {"pythonPath": "/my/python"}}
    [launch], _ = await find(known("basedpyright", settings=own))
    assert launch.settings == own


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pyrightconfig.json", "{}"),
        ("pyproject.toml", "[tool.pyright]\n"),
        ("pyproject.toml", "[tool.basedpyright]\nstrict = []\n"),
    ],
)
async def test_a_project_with_its_own_configuration_gets_nothing_beneath_it(
    find, tmp_path: Path, file: str, text: str
) -> None:
    (tmp_path / file).write_text(text)
    [launch], _ = await find(known("basedpyright"))
    assert "typeCheckingMode" not in launch.settings["basedpyright"]["analysis"]


@pytest.mark.parametrize("text", ["", "[tool.ruff", "[tool]\nruff = 1\n[tool.ruffle]\n", "tool = 1\n"])
async def test_a_file_that_configures_something_else_or_is_broken_counts_for_nothing(
    find, tmp_path: Path, text: str
) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    [launch], _ = await find(known("basedpyright"))
    assert launch.settings["basedpyright"]["analysis"]["typeCheckingMode"] == "standard"


async def test_ruff_looks_for_problems_where_the_project_has_no_rules(find, tmp_path: Path) -> None:
    [launch], _ = await find(known("ruff"))
    assert launch.initialization == {
        "settings": {"configurationPreference": "filesystemFirst", "lint": {"select": ["E4", "E7", "E9", "F"]}}
    }
    (tmp_path / ".ruff.toml").write_text("")
    [launch], _ = await find(known("ruff"))
    assert launch.initialization == {"settings": {"configurationPreference": "filesystemFirst"}}


async def test_clangd_reads_a_configuration_only_in_a_trusted_project(find) -> None:
    [launch], _ = await find(known("clangd"))
    assert launch.argv[-1] == "--enable-config=0"
    [launch], _ = await find(known("clangd"), trusted=True)
    assert "--enable-config=0" not in launch.argv


async def test_the_version_of_an_npm_program_is_read_and_not_asked_for(find, tmp_path: Path, program) -> None:
    place = program("tools/bin/tsc")  # would fail when asked
    spec = next(spec for spec in BUILT_IN if spec.name == "tsc")
    (tmp_path / "tools" / "package.json").write_text(json.dumps({"version": "7.0.2"}))
    [launch], advice = await find(spec, extra_dirs=(place.parent,))
    assert (launch.argv[0], advice) == (str(place), [])
    (tmp_path / "tools" / "package.json").write_text(json.dumps({"version": "6.1.0"}))
    launches, advice = await find(spec, extra_dirs=(place.parent,))
    assert (launches, advice) == (
        [],
        [f"tsc: {place} is older than version 7; npm install --global typescript@7"],
    )


async def test_a_program_that_lies_in_the_project_is_named_as_the_reason(
    find, program, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = program("bin/some-server")
    monkeypatch.setenv("PATH", str(place.parent))
    spec = ServerSpec(name="some", argv=("some-server",), languages={".x": "x"})
    assert await find(spec) == ([], [f"some: not started, because {place} lies in this project; motet trust"])
    [launch], _ = await find(spec, trusted=True)
    assert launch.argv == (str(place),)


async def test_a_server_that_the_project_defines_by_a_path_of_its_own_runs_once_it_is_allowed(find, program) -> None:
    place = program("tools/server")
    spec = ServerSpec(name="its", argv=("tools/server", "-v"), languages={".x": "x"}, origin=Origin.PROJECT)
    launches, [advice] = await find(spec)
    assert launches == []
    assert "needs a yes" in advice
    [launch], _ = await find(spec, rules=(Rule(Verdict.ALLOW, Effect.RUN, "tools/server -v"),))
    assert launch.argv == (str(place), "-v")


async def test_every_known_server_says_how_to_get_it_and_which_files_it_is_for() -> None:
    assert [spec.name for spec in BUILT_IN] == [
        "ruff", "basedpyright", "ty", "clangd", "tsc", "typescript-language-server", "gopls", "rust-analyzer",
    ]  # fmt: skip
    for spec in BUILT_IN:
        assert spec.advice
        assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in spec.languages)
    assert next(spec for spec in BUILT_IN if spec.name == "clangd").language_of("src/A.HPP") == "cpp"
    assert BUILT_IN[0].language_of("README.md") is None

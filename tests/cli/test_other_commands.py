"""`motet config`, `models`, `doctor`, help and shells."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from collections.abc import Callable

import pytest
from cli.kit import BIN, Project, Provider

Serve = Callable[..., Provider]


# --- config ----------------------------------------------------------------------------------------------------


def test_config_show_names_the_origin_of_each_value(project: Project) -> None:
    project.settings('model = "offline"\n[fix]\nrounds = 9\n')
    project.write({".motet.toml": '[fix]\nrounds = 3\nseverity = "hint"\n'})
    done = project.here("config", "show", "--origin", env={"MOTET_FIX_MAX_TOKENS": "5000"})
    assert done.code == 0
    lines = done.out.splitlines()
    assert f'model = "offline"  # {project.config}' in lines
    assert "fix.rounds = 3  # .motet.toml" in lines
    assert "fix.max_tokens = 5000  # MOTET_FIX_MAX_TOKENS" in lines
    assert 'fix.severity = "warning"  # default' in lines
    assert done.err == ".motet.toml: fix.severity ignored: a project's file can only restrict\n"
    assert project.here("config").out == project.here("config", "show").out
    shown = json.loads(project.here("config", "show", "--json", "--origin").out)
    assert shown["fix.rounds"] == {"value": 3, "origin": ".motet.toml"}


def test_config_path_is_the_path_and_nothing_else(project: Project) -> None:
    assert project.here("config", "path").out == f"{project.config}\n"
    assert not project.config.exists(), "looking makes nothing"


def test_config_edit_makes_a_private_commented_file_and_checks_what_was_saved(project: Project) -> None:
    done = project.here("config", "edit", env={"EDITOR": "true"})
    assert (done.code, done.err) == (0, "")
    assert stat.S_IMODE(project.config.stat().st_mode) == 0o600
    assert all(line.startswith("#") or not line for line in project.config.read_text().splitlines())
    done = project.here("config", "edit", env={"EDITOR": 'sh -c \'echo "[fix]\\nrounds = 0" > "$0"\''})
    assert (done.code, done.err) == (
        2,
        f"motet: {project.config}: fix.rounds: input should be greater than or equal to 1\n",
    )


@pytest.mark.parametrize(
    ("editor", "code", "said"),
    [
        ("false", 1, "motet: the editor false failed (exit code 1)\n"),
        ("no-such-editor", 2, "motet: cannot start the editor no-such-editor: No such file or directory; set $EDITOR\n"),
        ("/", 2, "motet: cannot start the editor /: Permission denied; set $EDITOR\n"),
    ],
)  # fmt: skip
def test_config_edit_with_an_editor_that_fails(project: Project, editor: str, code: int, said: str) -> None:
    done = project.here("config", "edit", env={"EDITOR": editor})
    assert (done.code, done.err) == (code, said)


# --- models, doctor --------------------------------------------------------------------------------------------


@pytest.mark.acceptance("S3-008")
def test_models_says_what_works_and_why_the_rest_does_not(project: Project) -> None:
    done = project.here("models", env={"ANTHROPIC_API_KEY": "sk-canary"})
    assert done.code == 0
    usable = [line.split()[1] for line in done.out.splitlines() if line.startswith("✓")]
    assert [name.partition("/")[0] for name in usable] == ["anthropic", "offline"]
    assert "openai/" in done.out and "OPENAI_API_KEY is not set; set it, or providers.openai.key" in done.out
    assert done.err.startswith("\nDefault: anthropic/") and "ANTHROPIC_API_KEY" in done.err
    assert "sk-canary" not in done.out + done.err
    listed = project.here("models", "--json").events
    offline = next(one for one in listed if one["name"] == "offline")
    assert (offline["schema"], offline["usable"]) == (1, True)


def test_doctor_is_well_on_this_machine_and_names_what_is_missing(project: Project) -> None:
    done = project.here("doctor")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    subjects = [line.split()[1] for line in lines]
    assert subjects[:6] == ["motet", "python", "git", "settings", "state", "workspace"]
    assert any(line.startswith("✓ ruff") for line in lines)
    assert all(line[0] in "✓·" for line in lines)


def test_doctor_finds_broken_settings_and_a_state_place_that_cannot_be_used(project: Project) -> None:
    project.settings("rounds = ")
    done = project.here("doctor")
    assert done.code == 1
    assert any(line.startswith(f"✗ settings  {project.config}: Invalid value") for line in done.out.splitlines())
    project.settings("")
    project.state.parent.mkdir(parents=True, exist_ok=True)
    project.state.write_text("in the way")
    done = project.here("doctor")
    assert done.code == 1
    assert "nothing can be written without a checkpoint there" in done.out


# --- help, pipes -----------------------------------------------------------------------------------------------


def test_help_is_the_same_in_all_its_ways_with_examples_before_options(project: Project) -> None:
    ways = [project.here(*way) for way in (("fix", "--help"), ("fix", "-h"), ("help", "fix"))]
    assert [(way.code, way.out) for way in ways] == [(0, ways[0].out)] * 3
    assert ways[0].out.index("Examples:") < ways[0].out.index("Options:")
    assert max(map(len, ways[0].out.splitlines())) <= 80
    top = project.here("--help")
    assert (top.code, project.here("help").out) == (0, top.out)
    bare = project.run()
    assert (bare.code, bare.out, bare.err) == (2, "", top.out)
    assert project.here("help", "config", "show").out == project.here("config", "show", "--help").out
    assert project.here("help", "nosuch").err == "motet: no such command: nosuch (motet --help)\n"


def test_version_is_one_line(project: Project) -> None:
    assert project.run("--version").out == "motet 0.1.0\n"


@pytest.mark.parametrize("command", ["models", "doctor", "config show --json", "models --json"])
def test_a_reader_that_stops_early_is_no_error(project: Project, command: str) -> None:
    read, write = os.pipe()
    running = subprocess.Popen(
        [BIN / "motet", *command.split()], cwd=project.root, env=project.env(), stdout=write, stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(read)
    os.close(write)
    _, err = running.communicate(timeout=30)
    assert (running.returncode, err) == (141, b"")


def test_a_full_disk_behind_stdout_is_one_line(project: Project) -> None:
    done = project.run(argv=("sh", "-c", f"exec {BIN / 'motet'} models >/dev/full"))
    assert (done.code, done.err) == (1, "motet: standard output: No space left on device\n")

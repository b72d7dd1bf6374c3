"""`motet config`, `models`, `doctor`, help and shells."""

from __future__ import annotations

import asyncio
import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from cli.kit import BIN, Project, Provider, block

from motet.cli.app import group
from motet.errors import ExitCode
from motet.models.scripted import ScriptedServer

Serve = Callable[..., Provider]


# --- config ----------------------------------------------------------------------------------------------------


@pytest.mark.acceptance("PY-07")
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


def test_config_edit_without_a_terminal_starts_no_vi(project: Project) -> None:
    done = project.here("config", "edit", env={"EDITOR": "", "VISUAL": ""})
    assert (done.code, done.out, project.config.exists()) == (2, "", False)
    assert done.err == "motet: there is no terminal for an editor; set $EDITOR to one that needs none\n"


def test_config_edit_makes_a_private_commented_file_and_checks_what_was_saved(project: Project) -> None:
    done = project.here("config", "edit", env={"EDITOR": "true"})
    assert (done.code, done.err) == (0, "")
    assert stat.S_IMODE(project.config.stat().st_mode) == 0o600
    assert all(line.startswith("#") or not line for line in project.config.read_text().splitlines())
    done = project.here("config", "edit", env={"EDITOR": 'sh -c \'echo "[fix]\\nrounds = 0" > "$0"\''})
    assert (done.code, done.err) == (
        2,
        f"motet: {project.config}: fix.rounds: expected a whole number >= 1\n",
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


# --- config key, model, unset ----------------------------------------------------------------------------------

CANARY = "sk-canary-0123456789abcdef"


def acme(server: ScriptedServer) -> str:
    """Settings with a provider behind `server`."""
    return f'# mine\n[providers.acme]\nbase_url = "{server.url}/v1"  # theirs\n'


@pytest.mark.acceptance("S3-032")
async def test_config_key_asks_without_showing_checks_and_keeps_the_key_to_its_user(project: Project) -> None:
    async with ScriptedServer([], keys=[CANARY]) as server:
        project.settings(acme(server))

        def give() -> tuple[int, str, bytes]:
            human = project.human("config", "key", "acme", columns=200)
            human.types("Key of acme (not shown):", CANARY)
            return human.ends(), human.text, human.raw

        code, text, raw = await asyncio.to_thread(give)
        listed = await asyncio.to_thread(project.run, "models", "--json")
        doctor = await asyncio.to_thread(project.run, "doctor")
    keys = project.config.with_name("keys.toml")
    assert code == 0
    assert text.splitlines()[1:] == [
        f"acme ({server.url[7:]}) takes the key and lists 1 models",
        f'Stored in {keys}; providers.acme.key = "file"',
    ]
    assert CANARY.encode() not in raw
    assert stat.S_IMODE(keys.stat().st_mode) == 0o600
    assert project.config.read_text() == acme(server) + 'key = "file"\n'
    (found,) = [one for one in listed.events if one["name"] == "acme"]
    assert found["reason"] == "no model; set providers.acme.model, or name one"
    assert f"· acme           {found['reason']}" in doctor.out.splitlines()
    assert CANARY not in listed.out + doctor.out + doctor.err


async def test_config_key_that_is_not_accepted_is_not_stored_unless_told_to(project: Project) -> None:
    async with ScriptedServer([], keys=[CANARY]) as server:
        project.settings(acme(server))
        wrong = "sk-wrong-0123456789abcdef"
        refused = await asyncio.to_thread(project.run, "config", "key", "acme", given=f"{wrong}\n".encode())
        before = project.config.read_text(), project.config.with_name("keys.toml").exists()
        taken = await asyncio.to_thread(
            project.run, "config", "key", "acme", "--no-check", given=f"{wrong}\n".encode()
        )
    assert (refused.code, refused.out, refused.err) == (
        3,
        "",
        f"motet: acme ({server.url[7:]}): the key was not accepted (HTTP 401: invalid API key); check the key that was"
        " given; nothing was changed (--no-check stores it anyway)\n",
    )
    assert before == (acme(server), False)
    assert taken.code == 0
    assert wrong not in taken.out + taken.err


def test_config_key_offline_is_stored_and_says_that_it_was_not_checked(project: Project) -> None:
    project.settings('[providers.acme]\nbase_url = "http://127.0.0.1:9/v1"\n')
    done = project.here("config", "key", "acme", given=CANARY.encode())
    assert (done.code, done.out) == (0, "")
    first, second = done.err.splitlines()
    assert first.startswith("not checked: acme (127.0.0.1:9): nothing listens at 127.0.0.1:9")
    assert second.startswith("Stored in ")


def test_config_key_from_a_variable_or_a_command_keeps_only_where_it_is(project: Project) -> None:
    project.settings('[providers.acme]\nbase_url = "http://127.0.0.1:9/v1"\n')
    project.here("config", "key", "acme", given=CANARY.encode())
    keys = project.config.with_name("keys.toml")
    assert CANARY in keys.read_text()
    done = project.here("config", "key", "acme", "--from", "env:ACME_KEY", env={"ACME_KEY": CANARY})
    assert done.code == 0
    assert 'key = "env:ACME_KEY"' in project.config.read_text()
    assert CANARY not in keys.read_text(), "what is no longer used is forgotten"
    done = project.here("config", "key", "acme", "--from", "env:NOT_SET")
    assert (done.code, done.err) == (
        3,
        "motet: acme: NOT_SET is not set; check NOT_SET; nothing was changed (--no-check stores it anyway)\n",
    )
    assert project.here("config", "key", "acme", "--from", "cmd:echo x-x-x-x-x").code == 0
    assert 'key = "cmd:echo x-x-x-x-x"' in project.config.read_text()


@pytest.mark.acceptance("PY-09")
def test_config_key_may_go_into_the_keyring_of_the_system(project: Project, tmp_path: Path) -> None:
    place = tmp_path / "packages"
    place.mkdir()
    kept = tmp_path / "kept"
    (place / "keyring.py").write_text(
        "from pathlib import Path\n"
        f"kept = Path({str(kept)!r})\n"
        "def get_password(service, name): return kept.read_text() if kept.exists() else None\n"
        "def set_password(service, name, password): kept.write_text(password)\n"
        "def delete_password(service, name): kept.unlink()\n"
    )
    project.settings('[providers.acme]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\n')
    project.environment["PYTHONPATH"] = str(place)
    done = project.run("config", "key", "acme", "--from", "keyring", given=CANARY.encode())
    assert (done.code, done.err.splitlines()[1]) == (
        0,
        'Stored in the system\'s keyring; providers.acme.key = "keyring"',
    )
    assert kept.read_text() == CANARY
    assert not project.config.with_name("keys.toml").exists()
    (listed,) = [one for one in project.run("models", "--json").events if one["name"] == "acme/m"]
    assert (listed["usable"], listed["reason"]) == (True, "its key is in the system's keyring")
    done = project.run("config", "unset", "providers.acme.key")
    assert (done.code, done.err.splitlines()[0], kept.exists()) == (0, "forgot the key of acme", False)


def test_config_key_says_when_the_system_has_no_keyring(project: Project) -> None:
    backend = {"PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}
    project.settings('[providers.acme]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\n')
    done = project.run("config", "key", "acme", "--from", "keyring", "--no-check", given=CANARY.encode(), env=backend)
    said = "motet: the system's keyring does not answer (NoKeyringError); keep the key in a file"
    assert (done.code, done.out, done.err.splitlines()) == (2, "", [said])


@pytest.mark.parametrize(
    ("arguments", "given", "said"),
    [
        ((CANARY,), "", "the key is not given on the command line, where others can see it: it is asked for; "),
        (("--from", CANARY), "", "providers.openai.key: write env:NAME, cmd:COMMAND, file or keyring, never the key"),
        ((), "", "no key was given; nothing was changed"),
        ((), f"{CANARY} x\n", "what was given holds characters that no key has; nothing was changed"),
        (("--from", "keyring"), "", "--from keyring: the Python package keyring is not installed; leave it out"),
    ],
)
@pytest.mark.acceptance("PY-09")
def test_config_key_given_wrongly_is_refused_without_repeating_it(
    project: Project, arguments: tuple[str, ...], given: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    done = project.here("config", "key", "openai", *arguments, given=given.encode())
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"motet: {said}")
    assert CANARY not in done.err
    assert not project.config.exists()


def test_config_key_of_an_unknown_provider_names_the_closest(project: Project) -> None:
    done = project.here("config", "key", "opnai", given=CANARY.encode())
    assert (done.code, done.err) == (2, "motet: opnai: no such provider; did you mean openai or xai?\n")


def test_config_model_sets_the_default_and_one_for_a_kind_of_work(project: Project) -> None:
    project.settings("# mine\n[fix]\nrounds = 3\n")
    done = project.here("config", "model", "offline")
    assert (done.code, done.out, done.err) == (0, "", f'model = "offline", in {project.config}\n')
    done = project.here("config", "model", "--for", "title", "groq", env={"GROQ_API_KEY": CANARY})
    assert done.err.splitlines()[1] == "it stands for groq/openai/gpt-oss-120b"
    done = project.here("config", "model", "--for", "edit", "openai/gpt-5-mini")
    assert (done.code, done.err.splitlines()[1]) == (
        0,
        "it cannot be used yet: openai: OPENAI_API_KEY is not set; set it, or providers.openai.key",
    )
    assert project.config.read_text().startswith('# mine\nmodel = "offline"\n')
    done = project.here("models", env={"GROQ_API_KEY": CANARY})
    assert "Default: offline (set in the settings)\n" in done.err
    assert "models.title: groq/openai/gpt-oss-120b\n" in done.err
    assert "cannot be used: models.edit: openai: OPENAI_API_KEY is not set" in done.err
    doctor = project.here("doctor", env={"GROQ_API_KEY": CANARY})
    assert doctor.code == 1
    assert any(line.startswith("✗ model") and "models.edit: openai: " in line for line in doctor.out.splitlines())
    wrong = project.here("config", "model", "antropic")
    assert (wrong.code, "did you mean anthropic" in wrong.err) == (2, True)


def test_config_unset_takes_a_value_out_and_forgets_a_key(project: Project) -> None:
    project.settings('model = "offline"\n[providers.acme]\nbase_url = "http://127.0.0.1:9/v1"\n')
    project.here("config", "key", "acme", given=CANARY.encode())
    keys = project.config.with_name("keys.toml")
    done = project.here("config", "unset", "providers.acme")
    assert (done.code, done.err) == (
        0,
        f"forgot the key of acme\nproviders.acme is no longer set in {project.config}\n",
    )
    assert CANARY not in keys.read_text()
    assert project.config.read_text() == 'model = "offline"\n'
    done = project.here("config", "unset", "modell")
    assert (done.code, done.err) == (2, f"motet: {project.config} does not set modell; it sets model\n")


# --- models, doctor --------------------------------------------------------------------------------------------


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
    first = next(one for one in listed if one["name"].startswith("anthropic/"))
    assert [first[name] for name in ("usable", "tools", "images", "documents")] == [False, True, True, True]


def test_a_default_that_was_passed_over_has_a_line_of_its_own(project: Project) -> None:
    project.settings('model = "openai"\n')
    passed = "openai, which the settings name, cannot be used (openai: OPENAI_API_KEY is not set; set it, or providers.openai.key)"
    done = project.here("models", env={"XAI_API_KEY": CANARY})
    assert done.err.splitlines()[1:3] == ["Default: xai/grok-4.5 (XAI_API_KEY is set)", f"  {passed}"]
    doctor = project.here("doctor", env={"XAI_API_KEY": CANARY}).out.splitlines()
    assert [line for line in doctor if line[2:7] == "model"] == [
        "✓ model          xai/grok-4.5 (XAI_API_KEY is set)",
        f"· model          {passed}",
    ]


def test_doctor_is_well_on_this_machine_and_names_what_is_missing(project: Project) -> None:
    done = project.here("doctor")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    subjects = [line.split()[1] for line in lines]
    assert subjects[:7] == ["motet", "python", "git", "settings", "state", "workspace", "index"]
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
    assert "without a checkpoint there nothing is written; make the directory writable" in done.out


# --- help, pipes -----------------------------------------------------------------------------------------------


@pytest.mark.acceptance("PY-02")
def test_help_is_the_same_in_all_its_ways_with_examples_before_options(project: Project) -> None:
    ways = [project.here(*way) for way in (("fix", "--help"), ("fix", "-h"), ("help", "fix"))]
    assert [(way.code, way.out) for way in ways] == [(0, ways[0].out)] * 3
    assert ways[0].out.index("Examples:") < ways[0].out.index("Options:")
    assert max(map(len, ways[0].out.splitlines())) <= 80
    top = project.here("--help")
    assert (top.code, project.here("help").out) == (0, top.out)
    bare = project.run()
    said = "motet: no command was given, and there is no terminal for a chat (motet --help)\n"
    assert (bare.code, bare.out, bare.err) == (2, "", said)
    assert project.here("help", "config", "show").out == project.here("config", "show", "--help").out
    assert project.here("help", "nosuch").err == "motet: no such command: nosuch (motet --help)\n"


@pytest.mark.acceptance("PY-03")
def test_the_exit_codes_that_are_documented_are_those_there_are(project: Project) -> None:
    known = {value for name, value in vars(ExitCode).items() if name.isupper()}
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    for text in (project.here("--help").out, readme):
        line = " ".join(text.partition("Exit codes: ")[2].split()).partition(".")[0]
        assert {int(code) for code in re.findall(r"\b(\d+) ", line)} == known - {ExitCode.BUG}


def test_the_half_of_the_plugin_says_who_starts_it_where_nobody_talks_to_it(project: Project) -> None:
    done = project.run(argv=("sh", "-c", f"exec {BIN / 'motet'} nvim </dev/null"))
    said = "motet: this is started by the plugin in Neovim; type :Motet there\n"
    assert (done.code, done.out, done.err) == (2, "", said)


@pytest.mark.acceptance("PY-02")
def test_version_is_one_line(project: Project) -> None:
    assert project.run("--version").out == "motet 0.1.0\n"


@pytest.mark.parametrize(
    "command", ["models", "doctor", "config show --json", "models --json", "--help", "fix --help", "help board post"]
)
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


@pytest.mark.parametrize("command", ["prompt", "nosuch", "fix --nosuch"])
def test_a_message_that_nobody_reads_changes_no_code(project: Project, command: str) -> None:
    read, write = os.pipe()
    os.close(read)
    running = subprocess.run(
        [BIN / "motet", *command.split()], cwd=project.root, env=project.env(), stderr=write, stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL, check=False, timeout=30,
    )  # fmt: skip
    os.close(write)
    assert (running.returncode, running.stdout) == (2, b"")


@pytest.mark.parametrize("command", ["models", "--help", "index --help", "--version", "apply -n answer.md"])
def test_a_full_disk_behind_stdout_is_one_line(project: Project, command: str) -> None:
    project.write({"a.txt": "bad\n", "answer.md": "a.txt\n" + block("bad\n", "good\n")})
    done = project.run(argv=("sh", "-c", f"exec {BIN / 'motet'} {command} >/dev/full"))
    assert (done.code, done.err) == (1, "motet: standard output: No space left on device\n")


@pytest.mark.parametrize("command", ["models", "doctor", "fix --help", "config show"])
def test_where_the_locale_knows_ascii_alone_the_same_is_written(project: Project, command: str) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    known, unknown = project.run(*command.split()), project.run(*command.split(), env=plain)
    assert (unknown.code, unknown.out, unknown.err) == (known.code, known.out, known.err)
    assert not known.out.isascii() or command != "doctor"


def test_what_an_encoding_does_not_have_is_written_as_an_escape(project: Project) -> None:
    done = project.run("doctor", env={"PYTHONIOENCODING": "ascii"})
    assert (done.code, done.out.splitlines()[0].split()) == (0, ["\\u2713", "motet", "0.1.0"])


def every_command() -> Iterator[tuple[click.Context, click.Command]]:
    """All of them, those of groups too."""

    def below(
        command: click.Command, above: click.Context | None, name: str
    ) -> Iterator[tuple[click.Context, click.Command]]:
        context = click.Context(command, info_name=name, parent=above, **command.context_settings)
        yield context, command
        if isinstance(command, click.Group):
            for each in command.list_commands(context):
                found = command.get_command(context, each)
                assert found
                yield from below(found, context, each)

    return below(group, None, "motet")


def test_no_summary_of_a_group_is_cut_and_every_value_has_a_name_of_its_own() -> None:
    for context, command in every_command():
        shown = command.get_help(context)
        assert "..." not in shown.partition("Commands:")[2], context.command_path
        values = [line.split() for line in shown.partition("\nOptions:")[2].splitlines()]
        raw = [
            words
            for words in values
            if {"INTEGER", "RANGE", "FLOAT", "FILENAME", "BOOLEAN", "DIRECTORY"} & set(words)
        ]
        assert raw == [], context.command_path
        unnamed = [
            param.name
            for param in command.params
            if isinstance(param, click.Option)
            and not param.is_flag
            and param.metavar is None
            and not isinstance(param.type, click.Choice)
        ]
        assert unnamed == [], context.command_path

"""Settings come from where they say, and a project's file can only restrict."""

import os
from pathlib import Path

import pytest

from motet.errors import SettingsError
from motet.models.settings_file import unset
from motet.settings import Loaded, load_settings


def load(
    tmp_path: Path, user: str = "", project: str = "", environ: dict[str, str] | None = None, **flags: object
) -> Loaded:
    (tmp_path / "config.toml").write_text(user)
    (tmp_path / ".motet.toml").write_text(project)
    dotted = {key.replace("__", "."): value for key, value in flags.items()}
    return load_settings(tmp_path / "config.toml", tmp_path / ".motet.toml", environ or {}, dotted)


@pytest.mark.acceptance("PY-07")
def test_later_layers_win_and_every_value_knows_its_origin(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        'model = "anthropic"\n[fix]\nrounds = 9\nmax_tokens = 1000\nmax_cost = 2.0\n',
        "[fix]\nrounds = 3\n",
        {"MOTET_FIX_MAX_TOKENS": "500"},
        fix__max_cost=1.5,
    )
    assert (loaded.settings.fix.rounds, loaded.settings.fix.max_tokens, loaded.settings.fix.max_cost) == (3, 500, 1.5)
    assert loaded.origins == {
        "model": str(tmp_path / "config.toml"),
        "fix.rounds": ".motet.toml",
        "fix.max_tokens": "MOTET_FIX_MAX_TOKENS",
        "fix.max_cost": "the command line",
    }


def test_absent_files_are_empty(tmp_path: Path) -> None:
    loaded = load_settings(tmp_path / "none.toml", tmp_path / "nothing.toml", {}, {})
    assert loaded.origins == {}
    assert loaded.settings.fix.rounds == 5


@pytest.mark.parametrize(
    ("project", "notice"),
    [
        ('model = "evil/model"', ".motet.toml: model ignored: a project's file can only restrict"),
        ("[fix]\nrounds = 50", ".motet.toml: fix.rounds ignored: a project's file can only restrict"),
        (
            "[fix]\nserver_timeout = 0.1",
            ".motet.toml: fix.server_timeout ignored: a project's file can only restrict",
        ),
        (
            "[index.sources.x]\ncommand = './evil {question}'",
            ".motet.toml: index ignored: a project's file can only restrict",
        ),
        ('[fix]\nseverity = "hint"', ".motet.toml: fix.severity ignored: a project's file can only restrict"),
        (
            '[permissions]\nallow = ["send"]',
            ".motet.toml: permissions.allow ignored: a project's file can only restrict",
        ),
        (
            '[providers.x]\nbase_url = "http://evil"',
            ".motet.toml: providers ignored: a project's file can only restrict",
        ),
    ],
)
@pytest.mark.acceptance("PY-07")
def test_a_project_cannot_widen_anything(tmp_path: Path, project: str, notice: str) -> None:
    loaded = load(tmp_path, project=project)
    assert loaded.notices == (notice,)
    assert loaded.settings == load(tmp_path).settings


def test_a_project_may_restrict_and_add_to_what_is_ignored_and_denied(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        'ignore = ["a"]\n[permissions]\ndeny = ["write:x"]\n',
        'ignore = ["b"]\n[permissions]\ndeny = ["send"]\n[fix]\nseverity = "error"\n',
    )
    assert loaded.settings.ignore == ["a", "b"]
    assert loaded.settings.permissions.deny == ["write:x", "send"]
    assert loaded.settings.fix.severity == "error"
    assert loaded.notices == ()


def test_what_a_project_would_start_is_inert(tmp_path: Path) -> None:
    loaded = load(tmp_path, project='[checkers.make]\ncommand = "make"\n[servers.x]\ncommand = ["./evil"]\n')
    assert loaded.settings.checkers == {}
    assert loaded.settings.servers == {}
    assert loaded.inert.checkers["make"].command == "make"
    assert loaded.inert.servers["x"].command == ["./evil"]


@pytest.mark.parametrize(
    ("user", "environ", "message"),
    [
        ("[fix]\nrounds = 0", {}, "{file}: fix.rounds: expected a whole number >= 1"),
        ("[fix]\nseverity = 'bad'", {}, "{file}: fix.severity: expected one of error, hint, info, warning"),
        ("[fix]\nmax_cost = 0", {}, "{file}: fix.max_cost: expected a number > 0.0"),
        ("[chat]\ntitles = 'yes'", {}, "{file}: chat.titles: expected true or false, got text"),
        ("fix = 3", {}, "{file}: fix: expected a table, got a whole number"),
        ("ignore = ['a', 3]", {}, "{file}: ignore.1: expected text, got a whole number"),
        (
            "[providers.b]\n[providers.'a.b']\ndialect = 'x'",
            {},
            '{file}: providers."a.b".dialect: expected one of anthropic, openai, openai-responses, pydantic-ai',
        ),
        (
            "[providers.ok]\ncontext_tokens = 5\n[providers.bad]\ncontext_tokens = '7'",
            {},
            "{file}: providers.bad.context_tokens: expected a whole number, got text",
        ),
        ("[servers.x]\ndisabled = 1", {}, "{file}: servers.x.disabled: expected true or false, got a whole number"),
        ("'' = 1", {}, '{file}: "": there is no such setting'),
        ("", {"MOTET_FIX_SEVERITY": "\udcff"}, "MOTET_FIX_SEVERITY: what is given is no text"),
        ("[variables.x]\n[variables.y]", {}, "{file}: variables.x.callback: it is missing"),
        (
            "[servers.a.languages]\nx = '1'\ny = 3",
            {},
            "{file}: servers.a.languages.y: expected text, got a whole number",
        ),
        (
            "[tools.own.x]\ncallback = 'x'\neffects = ['read', 'fly']",
            {},
            "{file}: tools.own.x.effects.1: expected one of net, read, run, write",
        ),
        ("[fix]\nround = 1", {}, "{file}: fix.round: there is no such setting"),
        ("modell = 1", {}, "{file}: modell: there is no such setting"),
        (
            "",
            {"MOTET_FIX_ROUNDS": "x"},
            "MOTET_FIX_ROUNDS: fix.rounds: expected a whole number, got text",
        ),
        ("model = ]", {}, "{file}: Invalid value (at line 1, column 9)"),
    ],
)
def test_a_wrong_value_is_named_with_its_place(
    tmp_path: Path, user: str, environ: dict[str, str], message: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, user, "", environ)
    assert str(caught.value) == message.format(file=tmp_path / "config.toml")


def test_a_variable_for_every_setting_of_the_top_and_of_the_two_loops(tmp_path: Path) -> None:
    environ = {"MOTET_SEND_CODE": "false", "MOTET_CHAT_ROUNDS": "9", "MOTET_EDIT_FORMAT": "apply_patch"}
    settings = load_settings(tmp_path / "none", None, environ, {}).settings
    assert (settings.send_code, settings.chat.rounds, settings.edit_format) == (False, 9, "apply_patch")


def test_a_mark_at_the_beginning_and_other_ends_of_lines_are_no_matter(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b"\xef\xbb\xbf[fix]\r\nrounds = 7\r\n")
    assert load_settings(tmp_path / "config.toml", None, {}, {}).settings.fix.rounds == 7


@pytest.mark.parametrize("name", ["config.toml", ".motet.toml"])
def test_what_is_no_file_is_said(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(SettingsError) as caught:
        load_settings(tmp_path / "config.toml", tmp_path / ".motet.toml", {}, {})
    assert str(caught.value) == f"{tmp_path / name}: not a file"


def test_a_file_that_is_nested_beyond_reason_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="nested too deeply"):
        load(tmp_path, project="x = " + "[" * 100_000)


@pytest.mark.parametrize("name", ["config.toml", ".motet.toml"])
@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"# one\n\n[fix]\nseverity = 'caf\xe9'\n", "line 4: byte 0xe9 is not UTF-8"),
        ("model = 'x'\n".encode("utf-16"), "line 1: byte 0xff is not UTF-8"),
        (b"\xef\xbb\xbfmodel = 'x'\r\n# \xc3(", "line 2: byte 0xc3 is not UTF-8"),
    ],
)
def test_a_file_that_is_not_utf_8_is_named_with_the_line(
    tmp_path: Path, name: str, content: bytes, what: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SettingsError) as caught:
        load_settings(tmp_path / "config.toml", tmp_path / ".motet.toml", {}, {})
    assert str(caught.value) == f"{tmp_path / name}: {what}; save the file as UTF-8"
    with pytest.raises(SettingsError) as caught:
        unset(tmp_path / name, "model")
    assert str(caught.value) == f"{tmp_path / name}: {what}; save the file as UTF-8"

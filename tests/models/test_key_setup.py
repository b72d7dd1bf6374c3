"""Keys that motet keeps: the file, the keyring, whether they work, and the settings that point at them."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from motet.errors import ModelError, ModelErrorKind, SettingsError, UsageError
from motet.messages import Message
from motet.models import ModelConfig, ModelRequest, ProviderConfig, choose, list_models
from motet.models.catalog import check_key
from motet.models.key_store import KeyFile, has_keyring, key_file, keyring_get, keyring_put, keyring_remove
from motet.models.keys import KeySource
from motet.models.scripted import Answer, ScriptedServer
from motet.models.settings_file import set_values, unset, values_in

CANARY = "sk-canary-0123456789abcdef"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """A user without anything."""
    return {"XDG_CONFIG_HOME": str(tmp_path / "config"), "OLLAMA_HOST": "127.0.0.1:9"}


@pytest.fixture
def keys(environ: dict[str, str]) -> KeyFile:
    """The file for keys; it does not exist yet."""
    return KeyFile(key_file(environ))


@pytest.fixture
def keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A system with a keyring: a package of that name that keeps its keys in files."""
    module = f"""
from pathlib import Path
PLACE = Path({str(tmp_path)!r})
class Locked(Exception): pass
def _file(service, name):
    if name == "locked": raise Locked("secret detail")
    return PLACE / f"{{service}}-{{name}}"
def get_password(service, name):
    file = _file(service, name)
    return file.read_text() if file.exists() else None
def set_password(service, name, password): _file(service, name).write_text(password)
def delete_password(service, name): _file(service, name).unlink()
"""
    place = tmp_path / "packages"
    place.mkdir()
    (place / "keyring.py").write_text(module)
    monkeypatch.syspath_prepend(place)
    yield
    sys.modules.pop("keyring", None)


# --- the file --------------------------------------------------------------------------------------------------


def test_a_key_is_kept_for_its_user_alone_and_can_be_forgotten(keys: KeyFile) -> None:
    keys.put("acme", CANARY)
    keys.put('od"d', 'a"b\\c')
    keys.put("acme", "newer")
    assert stat.S_IMODE(keys.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(keys.path.parent.stat().st_mode) == 0o700
    assert (keys.get("acme"), keys.get('od"d'), keys.get("none")) == ("newer", 'a"b\\c', "")
    assert [keys.remove("acme"), keys.remove("acme"), keys.get("acme")] == [True, False, ""]
    assert [path.name for path in keys.path.parent.iterdir()] == ["keys.toml"]


def test_processes_that_keep_keys_at_once_lose_none(environ: dict[str, str], keys: KeyFile) -> None:
    code = (
        "import sys; from pathlib import Path; from motet.models.key_store import KeyFile\n"
        "for n in range(5): KeyFile(Path(sys.argv[1])).put(f'{sys.argv[2]}-{n}', 'key')"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, keys.path, str(number)]) for number in range(4)]
    assert [each.wait(60) for each in running] == [0] * 4
    assert [keys.get(f"{number}-{n}") for number in range(4) for n in range(5)] == ["key"] * 20


def test_a_file_that_others_may_read_is_refused_and_mended_by_the_next_key(keys: KeyFile) -> None:
    keys.put("acme", CANARY)
    keys.path.chmod(0o644)
    with pytest.raises(SettingsError, match=rf"^{keys.path}: others may read it; run: chmod 600 {keys.path}$"):
        keys.get("acme")
    keys.put("other", "x")
    assert keys.get("acme") == CANARY


def test_a_broken_file_is_told_without_its_text(keys: KeyFile) -> None:
    keys.put("acme", "x")
    keys.path.write_text(f"acme = {CANARY}")
    with pytest.raises(SettingsError, match="is no TOML; repair or remove it") as caught:
        keys.get("acme")
    assert CANARY not in str(caught.value) and caught.value.__cause__ is None


async def test_a_kept_key_goes_with_requests(environ: dict[str, str], keys: KeyFile) -> None:
    keys.put("acme", CANARY)
    async with ScriptedServer([Answer("Hello")], keys=[CANARY]) as server:
        own = ProviderConfig(f"{server.url}/v1", key="file")
        model, _ = await choose("acme/m", ModelConfig(providers={"acme": own}), environ)
        assert [event async for event in model.stream(ModelRequest((Message.user("Hi"),)))]
    assert server.requests[0].headers["authorization"] == f"Bearer {CANARY}"


async def test_a_kept_key_that_is_not_there_is_said_with_what_to_do(environ: dict[str, str], keys: KeyFile) -> None:
    config = ModelConfig(providers={"openai": ProviderConfig(key="file")})
    listed = {each.name.partition("/")[0]: each for each in await list_models(config, environ)}
    reason = f"no key for openai in {keys.path}; run `motet config key openai`, or set providers.openai.key"
    assert (listed["openai"].usable, listed["openai"].reason) == (False, reason)
    with pytest.raises(ModelError) as caught:
        await choose("openai", config, environ)
    assert (caught.value.kind, str(caught.value)) == (ModelErrorKind.AUTH, f"openai: {reason}")
    keys.put("openai", CANARY)
    listed = {each.name.partition("/")[0]: each for each in await list_models(config, environ)}
    assert (listed["openai"].usable, listed["openai"].reason) == (True, f"its key is in {keys.path}")


# --- the keyring -----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("keyring")
async def test_a_key_may_be_in_the_keyring_of_the_system() -> None:
    assert has_keyring()
    keyring_put("acme", CANARY)
    source = KeySource("keyring", {}, "acme")
    secret = await source.get()
    assert secret is not None and secret.reveal() == CANARY
    assert (source.place, source.found) == ("the key in the system's keyring", "its key is in the system's keyring")
    assert [keyring_remove("acme"), keyring_remove("acme"), keyring_get("acme")] == [True, False, ""]
    source.forget()
    with pytest.raises(
        ModelError, match="acme: no key in the system's keyring; check the key in the system's keyring"
    ):
        await source.get()


@pytest.mark.usefixtures("keyring")
async def test_a_keyring_that_does_not_open_is_one_line() -> None:
    with pytest.raises(ModelError) as caught:
        await KeySource("keyring", {}, "locked").get()
    assert "the system's keyring does not answer (Locked); keep the key in a file" in str(caught.value)
    assert "secret detail" not in str(caught.value)


async def test_without_the_package_there_is_no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("motet.models.key_store.find_spec", lambda name: None)
    monkeypatch.setattr("motet.models.keys.has_keyring", lambda: False)
    assert KeySource("keyring", {}, "acme").missing == "the package keyring is not installed"
    with pytest.raises(SettingsError, match="the package keyring is not installed"):
        keyring_put("acme", CANARY)


# --- does it work ----------------------------------------------------------------------------------------------


def of(server: ScriptedServer, dialect: str) -> ModelConfig:
    base = server.url if dialect == "anthropic" else f"{server.url}/v1"
    return ModelConfig(providers={"acme": ProviderConfig(base, dialect, key="env:ACME_KEY")})


async def test_a_key_that_works_is_told_from_one_that_does_not(own_dialect: str) -> None:
    async with ScriptedServer([], keys=[CANARY], models=["a", "b"]) as server:
        host = server.url.removeprefix("http://")
        good = await check_key("acme", of(server, own_dialect), {"ACME_KEY": CANARY})
        bad = await check_key("acme", of(server, own_dialect), {"ACME_KEY": "sk-wrong-0123456789"})
        none = await check_key("acme", of(server, own_dialect), {})
    assert (good.works, good.text) == (True, f"acme ({host}) takes the key and lists 2 models")
    assert bad.works is False
    assert bad.text == f"acme ({host}): the key was not accepted (HTTP 401: invalid API key); check ACME_KEY"
    assert (none.works, none.text) == (False, "acme: ACME_KEY is not set; check ACME_KEY")
    assert server.requests == [], "nothing was asked of a model"


async def test_offline_it_says_that_it_could_not_ask() -> None:
    config = ModelConfig(providers={"acme": ProviderConfig("http://127.0.0.1:9/v1", key="env:ACME_KEY")})
    check = await check_key("acme", config, {"ACME_KEY": CANARY})
    assert check.works is None
    assert check.text.startswith("not checked: acme (127.0.0.1:9): nothing listens at 127.0.0.1:9")
    assert CANARY not in check.text


async def test_a_server_that_lists_no_models_decides_nothing() -> None:
    async with ScriptedServer([]) as server:
        # It lists models at places that end with `models` only.
        config = ModelConfig(providers={"openrouter": ProviderConfig(f"{server.url}/v1", key="env:K")})
        check = await check_key("openrouter", config, {"K": CANARY})
    assert (check.works, check.text.partition(":")[0]) == (None, "not checked")


async def test_an_unknown_provider_cannot_be_checked() -> None:
    with pytest.raises(UsageError, match=r"^antropic: no such provider; did you mean anthropic"):
        await check_key("antropic", ModelConfig(), {})


# --- the settings file -----------------------------------------------------------------------------------------

SETTINGS = """\
# mine
model = "offline"  # for now

[fix]
rounds = 3

[providers.acme]
base_url = "https://acme.example/v1"  # theirs
"""


def test_setting_a_value_keeps_everything_else(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(SETTINGS)
    path.chmod(0o640)
    set_values(path, {"model": "acme/m", "providers.acme.key": "env:ACME_KEY", "models.title": "acme/s"})
    assert path.read_text() == SETTINGS.replace('"offline"', '"acme/m"') + (
        'key = "env:ACME_KEY"\n\n[models]\ntitle = "acme/s"\n'
    )
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [unset(path, key) for key in ("models.title", "providers.acme.key", "nothing.here")] == [
        "acme/s",
        "env:ACME_KEY",
        None,
    ]
    unset(path, "model")
    set_values(path, {"model": "offline"})
    assert values_in(path) == {
        "model": "offline",
        "fix.rounds": 3,
        "providers.acme.base_url": "https://acme.example/v1",
    }
    assert [each.name for each in tmp_path.iterdir()] == ["config.toml"]


def test_a_new_file_is_for_its_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "config.toml"
    assert (values_in(path), unset(path, "model")) == ({}, None)
    set_values(path, {"providers.acme.key": "file"})
    assert path.read_text() == '[providers.acme]\nkey = "file"\n'
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_would_be_wrong_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(SETTINGS)
    for wrong in ({"fix.rounds": 0}, {"fix.nothing": 1}, {"model.x": 1}, {"models.titel": "x"}):
        with pytest.raises(SettingsError, match=rf"^{path}: \w+"):
            set_values(path, wrong)
    assert path.read_text() == SETTINGS
    path.write_text("model = ")
    with pytest.raises(SettingsError, match=rf"^{path}: "):
        set_values(path, {"model": "x"})
    assert path.read_text() == "model = "
    assert [each.name for each in tmp_path.iterdir()] == ["config.toml"]


def test_a_link_to_the_file_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "motet.toml"
    real.parent.mkdir()
    real.write_text(SETTINGS)
    link = tmp_path / "config.toml"
    link.symlink_to(real)
    set_values(link, {"model": "acme/m"})
    assert link.is_symlink() and 'model = "acme/m"  # for now' in real.read_text()


def test_a_place_that_is_no_directory_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match=r"cannot be written \(File exists\); nothing was changed$"):
        set_values(tmp_path / "file" / "config.toml", {"model": "acme/m"})


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    place = tmp_path / "locked"
    place.mkdir(mode=0o500)
    with pytest.raises(SettingsError, match=r"cannot be written \(Permission denied\); nothing was changed$"):
        set_values(place / "motet" / "config.toml", {"model": "x"})


def test_a_file_in_the_way_of_the_place_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "motet").write_text("")
    with pytest.raises(SettingsError, match=r"config\.toml: cannot be written \(.*\); nothing was changed$"):
        set_values(tmp_path / "motet" / "config.toml", {"model": "x"})


def test_a_key_that_was_pasted_for_the_name_of_a_variable_is_not_repeated() -> None:
    from motet.errors import SettingsError
    from motet.models.keys import KeySource

    with pytest.raises(SettingsError) as caught:
        KeySource("env:zq9Xw7Lm2Pv4Rt6Ys8Bn", {}, "acme")
    assert str(caught.value) == (
        "providers.acme.key: behind env: stands the name of a variable, never the key itself"
    )
    assert KeySource("env:acme_key_of_2026_march", {"acme_key_of_2026_march": "x"}, "acme").missing == ""

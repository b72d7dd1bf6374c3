"""Keys: where they come from, when they are looked up, and that nothing shows them."""

from __future__ import annotations

import copy
import pickle
import sys
import traceback
from pathlib import Path

import pytest

from motet.errors import ModelError, ModelErrorKind, SettingsError
from motet.models.keys import KeySource, Secret
from motet.models.scripted import Answer, HttpError, ScriptedRequest, ScriptedServer

CANARY = "sk-canary-0123456789abcdef"


def test_no_way_of_showing_a_secret_shows_it() -> None:
    secret = Secret(CANARY)
    assert {str(secret), repr(secret), f"{secret}", f"{secret!r:>5}"} == {"Secret(***)"}
    assert secret.reveal() == CANARY
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    with pytest.raises(TypeError):
        copy.copy(secret)


def test_a_secret_takes_itself_out_of_a_text_unless_it_is_a_placeholder() -> None:
    assert Secret(CANARY).redact(f"wrong key {CANARY}!") == "wrong key ***!"
    assert Secret("none").redact("none of the above") == "none of the above"


async def test_a_key_of_the_environment_is_read_at_the_first_request() -> None:
    environ: dict[str, str] = {}
    source = KeySource("env:ACME_KEY", environ, "acme")
    assert (source.place, source.missing, source.found) == ("ACME_KEY", "ACME_KEY is not set", "")
    environ["ACME_KEY"] = f" {CANARY}\n"
    secret = await source.get()
    assert secret is not None and secret.reveal() == CANARY
    assert (source.missing, source.found) == ("", "ACME_KEY is set")
    assert CANARY not in repr(source)


async def test_no_setting_means_no_key() -> None:
    source = KeySource(None, {}, "acme")
    assert await source.get() is None
    assert (source.place, source.missing, source.found) == ("", "", "")


@pytest.mark.acceptance("PY-09")
async def test_a_key_command_runs_once_without_a_shell_and_its_first_line_is_the_key(tmp_path: Path) -> None:
    log = tmp_path / "ran"
    script = f"import pathlib, os; pathlib.Path({str(log)!r}).open('a').write(os.getcwd() + '|'); print('{CANARY}'); print('x')"
    command = f'cmd:{sys.executable} -c "{script}" $HOME ;'
    source = KeySource(command, {}, "acme")
    assert not log.exists()
    secrets = [await source.get(), await source.get()]
    assert [secret and secret.reveal() for secret in secrets] == [CANARY, CANARY]
    assert log.read_text() == f"{Path.home()}|"
    source.forget()
    await source.get()
    assert log.read_text().count("|") == 2


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("cmd:no-such-program-anywhere --secret x", "the key command did not run"),
        ("cmd:sh -c 'echo sk-canary-0123456789abcdef; exit 3'", "the key command sh ended with exit status 3"),
        ("cmd:true", "the key command wrote nothing"),
        ("cmd:printf 'sk canary'", "the key holds characters that no key has"),
        ("cmd:printf 'sk-\\xff'", "the key holds characters that no key has"),
    ],
)
async def test_a_key_command_that_fails_says_so_in_one_line_without_its_output(command: str, words: str) -> None:
    with pytest.raises(ModelError) as caught:
        await KeySource(command, {}, "acme").get()
    assert caught.value.kind is ModelErrorKind.AUTH
    assert words in str(caught.value)
    assert str(caught.value).endswith("; check the command in providers.acme.key")
    assert "canary" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("value", ["sk-canary\r\nX-Evil: 1", "sk-canary\x00", "schlüssel", "日本"])
async def test_a_key_that_cannot_be_a_header_is_refused_without_showing_it(value: str) -> None:
    with pytest.raises(ModelError) as caught:
        await KeySource("env:ACME_KEY", {"ACME_KEY": value}, "acme").get()
    assert "canary" not in str(caught.value)
    assert str(caught.value) == "acme: the key holds characters that no key has; check ACME_KEY"


@pytest.mark.parametrize("setting", [CANARY, "env:", "cmd:  ", "file:/x", "cmd:unclosed '"])
def test_a_setting_that_is_neither_variable_nor_command_is_refused_without_repeating_it(setting: str) -> None:
    with pytest.raises(SettingsError, match=r"^providers\.acme\.key: ") as caught:
        KeySource(setting, {}, "acme")
    assert "canary" not in str(caught.value)


async def test_a_key_that_is_not_accepted_is_looked_up_again_next_time(connect, question) -> None:
    keys = iter(["old-key-0", "new-key-1"])

    async def rotate(argv: list[str]) -> tuple[int, bytes]:
        return 0, next(keys).encode()

    def check(request: ScriptedRequest) -> Answer | HttpError:
        return Answer("Hello") if request.headers["authorization"] == "Bearer new-key-1" else HttpError(401)

    async with ScriptedServer(check) as server:
        connected = connect(server, key=KeySource("cmd:pass", {}, "acme", rotate))
        await connected.fail(question)
        await connected.ask(question)
    assert len(server.requests) == 2


async def test_a_missing_key_ends_a_request_before_anything_is_sent(connect, question) -> None:
    async with ScriptedServer([Answer("x")]) as server:
        _, error = await connect(server, key=KeySource("env:ACME_KEY", {}, "acme")).fail(question)
    assert server.requests == []
    assert str(error) == "acme: ACME_KEY is not set; check ACME_KEY"


async def test_a_server_without_a_key_gets_no_header_for_one(connect, question, own_dialect) -> None:
    async with ScriptedServer([Answer("x")]) as server:
        await connect(server, own_dialect, key=KeySource(None, {}, "acme")).ask(question)
    assert not {"authorization", "x-api-key"} & set(server.requests[0].headers)

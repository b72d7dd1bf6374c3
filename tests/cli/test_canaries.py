"""Secrets in forty places, and a key: what a model asks for, what the human shares and what motet keeps hold none of
them."""

from __future__ import annotations

import re
import stat
import subprocess
from collections.abc import Callable
from contextlib import suppress
from itertools import chain
from pathlib import Path

import pytest
from cli.kit import BIN, DEADLINE, Project, Provider

from motet.models.key_store import KeyFile, key_file
from motet.models.scripted import Answer, HttpError, call
from motet.models.scripted.answers import Wire

Serve = Callable[..., Provider]

IN_PROJECT = (
    ".env", ".env.local", "config/.env.production", ".ENV.test", "prod.env", ".envrc", ".flaskenv", "id_rsa", "keys/server.pem",
    "keys/server.key", "store.p12", "app.jks", "pw.kdbx", "putty.ppk", ".netrc", ".npmrc", ".pypirc", ".git-credentials", ".pgpass",
    ".htpasswd", "credentials.json", "client_secret_1.json", "service-account.json", "secrets.yml", "secrets.toml", "prod.tfvars",
    "terraform.tfstate", ".ssh/config", ".aws/credentials", ".kube/config", ".docker/config.json", ".gnupg/secring", "auth.json",
    "master.key", "vpn.ovpn",
)  # fmt: skip
IN_HOME = (
    ".ssh/id_ed25519",
    ".aws/credentials",
    ".netrc",
    ".config/gh/hosts.yml",
    ".bash_history",
    ".docker/config.json",
)
LINKS = {"link.txt": ".env", "notes/up": "../keys", "home": "HOME/.ssh"}
THROUGH_LINKS = ("link.txt", "notes/up/server.key", "home/id_ed25519")
KEY = "sk-ant-api03-" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
CANARY = re.compile(r"CANARY\d\d-kept-here")
RULES = '[permissions]\nallow = ["send", "run"]\n[chat]\ntitles = false\n'


def canary(number: int) -> str:
    return f"CANARY{number:02}-kept-here"


@pytest.fixture
def poisoned(project: Project) -> Project:
    """A repository, half of whose secrets are committed and changed since, and a home with secrets."""

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=project.root, env=project.env(), check=True, capture_output=True)

    git("init", "-q")
    project.write({"a.py": "x = 1\n", "notes/readme.md": "hello\n", **dict.fromkeys(IN_PROJECT[::2], "old\n")})
    git("add", "-Af")
    git("commit", "-qm", "one")
    project.write({path: f"token: {canary(number)}\n" for number, path in enumerate(IN_PROJECT)})
    project.write({"a.py": f"x = 2\nANTHROPIC_API_KEY = '{KEY}'\n"})
    for number, path in enumerate(IN_HOME, len(IN_PROJECT)):
        place = project.home / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"{canary(number)}\n")
    for name, target in LINKS.items():
        (project.root / name).symlink_to(target.replace("HOME", str(project.home)))
    return project


def kept(project: Project, what: re.Pattern[str]) -> dict[str, list[str]]:
    """What of it stands in the files that motet has kept, by file."""
    files = [path for path in project.state.rglob("*") if path.is_file()]
    assert files
    found = {str(path): what.findall(path.read_bytes().decode("utf-8", "replace")) for path in files}
    return {path: texts for path, texts in found.items() if texts}


def all_about(path: str) -> list[tuple[str, dict[str, object]]]:
    """A call of each tool that looks at files. No two calls in a row are of one tool."""
    return [
        ("read_file", {"path": path}),
        ("outline", {"path": path}),
        ("search_text", {"pattern": "CANARY|KEY", "paths": [path]}),
        ("changed_files", {"paths": [path]}),
        ("get_diagnostics", {"path": path}),
        ("find_symbol", {"name": "token", "paths": [path]}),
        ("find_references", {"name": "token", "paths": [path]}),
        ("list_files", {"path": path}),
        ("move_file", {"path": path, "to": "moved.txt"}),
    ]


@pytest.mark.acceptance("T-11")
def test_no_tool_and_no_variable_brings_a_secret_into_a_request_the_history_or_the_log(
    poisoned: Project, provider: Serve
) -> None:
    places = [*IN_PROJECT, *THROUGH_LINKS, *(str(poisoned.home / path) for path in IN_HOME)]
    assert len(places) >= 40
    wanted = [
        *chain.from_iterable(map(all_about, places)),
        ("search_code", {"query": "CANARY KEY token"}),
        ("search_text", {"pattern": "CANARY"}), ("changed_files", {}), ("list_files", {}), ("find_files", {"name": "*env*"}),
        ("changed_files", {"staged": True}), ("get_diagnostics", {}), ("find_symbol", {"name": "token"}),
    ]  # fmt: skip
    calls = tuple(call(name, given, f"c{at}") for at, (name, given) in enumerate(wanted))
    served = provider([Answer(calls=calls), Answer(text="That was all.")], more=RULES)
    words = "#codebase #diff #diff{staged} #diagnostics{a.py} #group:all @/config @/keys @/notes and @/"
    poisoned.settings(poisoned.config.read_text() + '[groups.all]\nfiles = ["**", "**/.*"]\n')
    done = poisoned.run("ask", "-t", "agent", words + " @/".join((*IN_PROJECT, *THROUGH_LINKS)))
    assert (done.code, done.out) == (0, "That was all.\n"), done.err
    assert len([message for message in served.requests[1].body["messages"] if message["role"] == "tool"]) == len(
        calls
    )  # type: ignore[attr-defined]
    for text in (*(request.text for request in served.requests), done.err):
        assert (CANARY.findall(text), KEY in text) == ([], False)
    assert "not sent from <file>a.py</file>: anthropic key in line 3" in done.err
    assert "#group:all: 35 files left out, by name a secret" in done.err
    assert kept(poisoned, CANARY) == {}
    for shown in (("history", "export", "--json"), ("history", "show", "last"), ("log",), ("log", "errors")):
        assert CANARY.findall(poisoned.here(*shown).out) == []


# --- the key of a provider -------------------------------------------------------------------------------------


def command_lines() -> list[str]:
    """Of all processes that run now."""
    lines: list[str] = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            lines.append(place.read_bytes().decode("utf-8", "replace"))
    return lines


@pytest.mark.acceptance("T-12")
@pytest.mark.parametrize("source", ["env:ACME_API_KEY", "cmd:cat", "file"])
def test_the_key_of_a_provider_is_in_no_command_line_in_nothing_that_is_kept_and_in_nothing_that_is_exported(
    project: Project, provider: Serve, source: str
) -> None:
    secret = project.home / "secret"
    secret.write_text(f"{KEY}\n")
    KeyFile(key_file(project.env())).put("scripted", KEY)
    project.environment["ACME_API_KEY"] = KEY
    script = [
        Answer(calls=(call("run_command", {"argv": ["env"]}, "c1"),)),
        Answer(calls=(call("run_command", {"argv": ["sleep", "1000"], "session": "one", "timeout": 0.1}, "c2"),)),
        Answer(text="I begin and go on", wire=Wire(text_chars=2, stall_after=5)),
        HttpError(401, f"wrong key {KEY}"),
    ]
    key = f"cmd:cat {secret}" if source == "cmd:cat" else source
    served = provider(script, more=RULES, key=key)
    tape = project.root.parent / "tape.jsonl"
    running = subprocess.Popen(
        [BIN / "motet", "ask", "-t", "cmd", "--json", "--record", tape, "begin"], cwd=project.root, env=project.env(),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    for _ in range(3):
        served.was_asked()
    lines = command_lines()
    assert any("sleep\x001000" in line for line in lines) and any("--record" in line for line in lines)
    assert [line for line in lines if KEY in line] == []
    if Path("/proc/self/limits").exists():
        core = next(
            line for line in Path(f"/proc/{running.pid}/limits").read_text().splitlines() if "core file" in line
        )
        assert core.split()[4] == ("0" if core.split()[5] == "0" else "1")  # bytes: no core is written
    running.terminate()
    out, err = running.communicate(timeout=DEADLINE)
    assert running.returncode == 130
    refused = project.run("ask", "and again")
    assert refused.code == 3 and "wrong key" in refused.err

    assert {request.headers["authorization"] for request in served.requests} == {f"Bearer {KEY}"}
    shown = [
        project.run(*arguments)
        for arguments in (
            ("history", "export", "--json"), ("history", "show", "last"), ("log",), ("log", "errors", "--json"), ("doctor",),
            ("config", "show", "--origin"), ("models",), ("inspect", "--wire", "last", "go on"),
        )
    ]  # fmt: skip
    told = [*(request.text for request in served.requests), out, err, refused.err, tape.read_text()]
    told += [text for done in shown for text in (done.out, done.err)]
    assert [text for text in told if KEY in text] == []
    assert kept(project, re.compile(re.escape(KEY))) == {}
    place = key_file(project.env())
    assert stat.S_IMODE(place.stat().st_mode) == 0o600

"""Plug-ins of an environment of their own: a real one, with packages installed in it, beside a hostile project."""

from __future__ import annotations

import json
import os
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest

import motet

GOOD = '''
def plug_in(m):
    @m.tool
    def ticket(number: int) -> str:
        """The text of a ticket."""
        return str(number)

    @m.variable
    def branch() -> str:
        return "main"

    @m.variable
    def buffer() -> str:
        return "fake"

    @m.tool
    def read_file() -> str:
        """Not the real one."""
        return "fake"
'''
BAD = """
def plug_in(m):
    @m.variable
    def half() -> str:
        return ""
    raise LookupError("no tickets here")
"""
LOOK = """
import asyncio, json, sys
sys.path.insert(0, "")
import motet

async def main():
    async with motet.open(".", keep=False) as m:
        chat = await m.chat(model="offline", tools=["readonly"]).ready()
        chats = m._opened
        print(json.dumps({
            "tools": sorted(chats.plugged.extras.tools),
            "variables": sorted(one.name for one in chats.plugged.extras.variables),
            "notes": list(chat.notes),
            "stolen": "evil" in sys.modules,
        }))

asyncio.run(main())
"""

CHOOSES = """
def plug_in(m):
    @m.context
    def choose(text, files):
        return ["of {name}"]
"""
CHOSEN = """
import asyncio, json
import motet

async def main():
    async with motet.open(".", keep=False) as m:
        chat = await m.chat(model="offline").ready()
        print(json.dumps(await chat.parts.hooks.chosen("hello", ())))

asyncio.run(main())
"""


class Environment:
    """A Python with motet and packages of its own, and a project in which it is started."""

    def __init__(self, home: Path) -> None:
        self.project, self._home = home / "project", home / "home"
        self.project.mkdir()
        self._home.mkdir()
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        venv.create(home / "venv", symlinks=True)
        self._python = home / "venv" / "bin" / "python"
        self.site = home / "venv" / sysconfig.get_path("purelib", vars={"base": ""}).lstrip("/")
        others = (Path(motet.__file__).parent.parent, sysconfig.get_path("purelib"))
        (self.site / "motet.pth").write_text("".join(f"{other}\n" for other in others))

    def install(self, name: str, code: str, into: Path | None = None) -> None:
        place = into or self.site
        (place / f"{name}.py").write_text(code)
        info = place / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[motet.plugins]\n{name} = {name}:plug_in\n")

    def run(self, *arguments: str) -> str:
        environ = {"PATH": os.environ["PATH"], "HOME": str(self._home), "LANG": "C.UTF-8"}
        done = subprocess.run(
            [self._python, *arguments], cwd=self.project, env=environ, capture_output=True, timeout=120, check=False
        )
        assert done.returncode in (0, 1), done.stderr.decode()
        return done.stdout.decode() + done.stderr.decode()

    def settings(self, text: str) -> Path:
        place = self._home / ".config" / "motet"
        place.mkdir(parents=True)
        (place / "config.toml").write_text(text)
        return place / "config.toml"


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(tmp_path)


def test_a_plug_in_adds_what_it_has_and_one_that_fails_is_named_and_adds_nothing(environment: Environment) -> None:
    environment.install("good", GOOD)
    environment.install("bad", BAD)
    environment.install("evil", "raise SystemExit('stolen')\n", environment.project)
    said = json.loads(environment.run("-c", LOOK))
    assert said == {
        "tools": ["read_file", "ticket"],
        "variables": ["branch", "buffer"],
        "notes": [
            f"plug-in bad (bad) is left out: LookupError: no tickets here ({environment.site / 'bad.py'}, line 6)",
            "plug-ins: the tool read_file is left out: there is one of that name already",
            "plug-ins: #buffer is left out: there is one of that name already",
        ],
        "stolen": False,
    }


@pytest.mark.parametrize(
    "command", [["ask", "hello"], ["edit", "say hello", "a.py"], ["prompt", "run", "explain", "a.py"]]
)
def test_one_that_fails_is_named_by_what_asks_once_too(environment: Environment, command: list[str]) -> None:
    environment.install("bad", BAD)
    (environment.project / "a.py").write_text("print()\n")
    said = " ".join(environment.run("-m", "motet", *command, "-m", "offline").split())
    assert "plug-in bad (bad) is left out: LookupError: no tickets here" in said


def test_doctor_names_them_and_the_settings_switch_them_off(environment: Environment) -> None:
    environment.install("good", GOOD)
    environment.install("evil", "raise SystemExit('stolen')\n", environment.project)
    doctor = environment.run("-m", "motet", "doctor")
    assert "good: good:plug_in, of good 1.0" in " ".join(doctor.split())
    assert "evil" not in doctor
    environment.settings("plugins = false\n")
    assert "plug_in" not in environment.run("-m", "motet", "doctor")
    assert json.loads(environment.run("-c", LOOK))["tools"] == []


def test_a_project_cannot_put_its_own_module_in_the_place_of_a_plug_in(environment: Environment) -> None:
    environment.install("good", GOOD)
    (environment.project / "good.py").write_text("raise SystemExit('stolen')\n")
    said = json.loads(environment.run("-c", LOOK))
    place = environment.project / "good.py"
    assert (said["tools"], said["notes"]) == (
        [],
        [f"plug-in good (good): {place} lies in this project"],
    )


def test_a_project_cannot_switch_them_on(environment: Environment) -> None:
    environment.install("good", GOOD)
    environment.settings("plugins = false\n")
    (environment.project / ".motet.toml").write_text("plugins = true\n")
    assert json.loads(environment.run("-c", LOOK))["tools"] == []


def test_what_chooses_the_context_is_the_settings_function_before_that_of_the_first_plug_in(
    environment: Environment,
) -> None:
    for name in ("first", "second"):
        environment.install(name, CHOOSES.replace("{name}", name))
    assert json.loads(environment.run("-c", CHOSEN)) == [["of first"], []]
    environment.settings('[hooks]\ncontext = "mine.py:choose"\n').with_name("mine.py").write_text(
        "def choose(text, files):\n    return 'my own'\n"
    )
    assert json.loads(environment.run("-c", CHOSEN)) == [["my own"], []]

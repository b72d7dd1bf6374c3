"""Nothing that lies in a project that is not trusted is run, by motet or by a server."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from motet.diagnostics import BUILT_IN, DiagnosticsService, ServerSpec, Surroundings
from motet.permissions import Origin
from motet.text import TextFile

Write = Callable[[str, str], TextFile]
Make = Callable[..., DiagnosticsService]

PROGRAMS = (
    "python",
    "python3",
    "node",
    "clang",
    "gcc",
    "tsc",
    "ruff",
    "clangd",
    "basedpyright-langserver",
    "ty",
    "sh",
)


@pytest.fixture
def traps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project full of programs that leave a trace when they run; PATH points at them. Returns the trace."""
    trace = tmp_path / "trace"
    for directory in (".", ".venv/bin", "venv/bin", "node_modules/.bin", "bin"):
        for name in PROGRAMS:
            place = tmp_path / directory / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(f'#!/bin/sh\necho "$0" >> {trace}\nexit 1\n')
            place.chmod(0o755)
    (tmp_path / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.11\n")
    (tmp_path / "pyrightconfig.json").write_text('{"pythonPath": "./python", "venvPath": ".", "venv": ".venv"}')
    (tmp_path / "compile_commands.json").write_text(
        f'[{{"directory": "{tmp_path}", "file": "a.c", "arguments": ["{tmp_path}/gcc", "-c", "a.c"]}}]'
    )
    entries = (".", "", "bin", str(tmp_path / "bin"), str(tmp_path / "node_modules" / ".bin"), os.environ["PATH"])
    monkeypatch.setenv("PATH", os.pathsep.join(entries))
    monkeypatch.chdir(tmp_path)
    return trace


async def test_no_program_of_an_untrusted_project_runs_whatever_path_and_its_files_say(
    service: Make, need: Callable[[str], Path], traps: Path, write: Write
) -> None:
    for name in ("ruff", "basedpyright-langserver", "clangd", "tsc"):
        need(name)
    files = [write("a.py", "import os, yaml\n"), write("a.c", "int x = y;\n"), write("a.ts", "const x: string = 1\n")]
    report = await service(*BUILT_IN).check(files)
    assert report.sources == ("basedpyright", "clangd", "ruff", "tsc")
    assert {one.source for one in report.diagnostics} >= {"clang", "ruff", "ts"}
    assert not traps.exists()


async def test_ty_runs_nothing_of_an_untrusted_project(
    service: Make, need: Callable[[str], Path], traps: Path, write: Write
) -> None:
    need("ty")
    ty = next(spec for spec in BUILT_IN if spec.name == "ty")
    report = await service(ty).check([write("a.py", "prnit(1)\n")])
    assert report.sources == ("ty",)
    assert not traps.exists()


async def test_a_server_that_would_run_the_project_waits_for_trust(service: Make, fake, write: Write) -> None:
    server = fake(spec={"needs_trust": "it runs the project's build scripts"})
    file = write("a.txt", "bad")
    report = await service(server.spec).check([file])
    assert report.advice == ("fake: not started, because it runs the project's build scripts; motet trust",)
    assert server.processes == []
    assert (await service(server.spec, trusted=True).check([file])).sources == ("fake",)


async def test_programs_in_directories_that_the_caller_trusts_come_first(
    service: Make, fake, write: Write, tmp_path: Path
) -> None:
    server = fake()
    tools = tmp_path / "node_modules" / ".bin"
    tools.mkdir(parents=True)
    (tools / "its-server").write_text('#!/bin/sh\nexec "$@"\n')
    (tools / "its-server").chmod(0o755)
    spec = ServerSpec(name="its", argv=("its-server", *server.spec.argv), languages={".txt": "plain"}, quiet=0.1)
    file = write("a.txt", "bad")
    assert (await service(spec).check([file])).advice == ("its: not found",)
    assert (await service(spec, extra_dirs=[tools]).check([file])).sources == ("its",)


async def test_a_server_that_the_project_defines_asks_the_gate(service: Make, fake, write: Write) -> None:
    server = fake(spec={"origin": Origin.PROJECT})
    report = await service(server.spec).check([write("a.txt", "bad")])
    assert len(report.advice) == 1
    assert "needs a yes" in report.advice[0]
    assert server.processes == []


def test_the_interpreter_of_a_project_is_used_only_when_it_is_trusted(traps: Path, tmp_path: Path) -> None:
    assert Surroundings(tmp_path, trusted=True).python == tmp_path / ".venv" / "bin" / "python"
    assert not Surroundings(tmp_path).python.resolve().is_relative_to(tmp_path)
    entries = Surroundings(tmp_path).environment["PATH"].split(os.pathsep)
    assert all(Path(entry).is_absolute() and not Path(entry).is_relative_to(tmp_path) for entry in entries)

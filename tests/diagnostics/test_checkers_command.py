"""What the user types becomes a command; what goes wrong with it is said in one line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from motet.diagnostics.checkers import UNDERSTOOD, Checker
from motet.errors import ProcessError, UsageError
from motet.permissions import Action, Effect, Origin


@pytest.mark.parametrize(
    ("text", "argv"),
    [
        ("make", ("make",)),
        ("make -k 'all tests'", ("make", "-k", "all tests")),
        ('ruff check "my file.py"', ("ruff", "check", "my file.py")),
        ("make 2>&1 | grep error", ("sh", "-c", "make 2>&1 | grep error")),
        ("cd sub && make", ("sh", "-c", "cd sub && make")),
        ("gcc -c *.c", ("sh", "-c", "gcc -c *.c")),
        ("CFLAGS=-O0 make", ("sh", "-c", "CFLAGS=-O0 make")),
        ("echo $HOME", ("sh", "-c", "echo $HOME")),
        ("make CFLAGS=-O0", ("make", "CFLAGS=-O0")),
    ],
)
def test_a_shell_runs_only_what_is_written_for_a_shell(text: str, argv: tuple[str, ...], tmp_path: Path) -> None:
    assert Checker.from_text(text, tmp_path).argv == argv


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("make -k", "make"),
        ("/usr/bin/make", "make"),
        ("python3 -m pytest -q", "pytest"),
        ("npx eslint .", "eslint"),
        ("uv run mypy src", "mypy"),
        ("CFLAGS=-O0 make", "make"),
        ("cd sub && cargo check", "cargo"),
        ("./check.sh", "check.sh"),
        ("(cd x; make)", "checker"),
    ],
)
def test_the_source_is_named_after_the_program(text: str, name: str, tmp_path: Path) -> None:
    assert Checker.from_text(text, tmp_path).name == name


@pytest.mark.parametrize(("text", "said"), [("", "empty"), ("  ", "empty"), ("make 'all", "No closing quotation")])
def test_a_command_that_is_none_is_a_usage_error(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        Checker.from_text(text, tmp_path)


def test_the_gate_is_asked_about_the_command_as_one_line(tmp_path: Path) -> None:
    plain, shell = Checker.from_text("make 'a b'", tmp_path), Checker.from_text("make | cat", tmp_path)
    assert plain.action == Action(Effect.RUN, "make 'a b'", Origin.USER, definition="make 'a b'")
    assert shell.action.subject == "make | cat"


async def test_the_command_runs_in_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int x\n")
    (found,) = await Checker.from_text('echo "$PWD/a.c:1:6: error: here" >&2; exit 1', tmp_path).check()
    assert (found.path, found.message, found.source) == ("a.c", "here", "echo")


async def test_a_workspace_behind_a_link_is_the_same_workspace(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "real" / "a.c").write_text("int x\n")
    (found,) = await Checker.from_text(f"echo {tmp_path}/real/a.c:1:1: error: x; false", tmp_path / "link").check()
    assert found.path == "a.c"


async def test_success_with_warnings_gives_the_warnings_and_silence_gives_none(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int x;\n")
    (found,) = await Checker.from_text("echo a.c:1:1: warning: w", tmp_path).check()
    assert found.message == "w"
    assert await Checker.from_text("true", tmp_path).check() == []


async def test_a_failure_that_names_no_place_says_what_was_printed_and_what_is_understood(tmp_path: Path) -> None:
    checker = Checker.from_text("echo first; printf 'boom\\t\\033[31m\\n\\n' >&2; exit 3", tmp_path)
    with pytest.raises(ProcessError) as caught:
        await checker.check()
    assert str(caught.value) == (
        "echo: exit code 3 without a problem that names a place; last line: boom <U+001B>[31m; "
        f"understood is {UNDERSTOOD}"
    )


async def test_a_failure_without_any_output_says_so(tmp_path: Path) -> None:
    with pytest.raises(ProcessError, match=r"exit code 1 .* last line: nothing was printed"):
        await Checker.from_text("false", tmp_path).check()


async def test_a_failure_elsewhere_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "leads_out.c").symlink_to("/etc/hosts")
    command = "echo /etc/hosts:1: bad; echo nothere.c:1: bad; echo leads_out.c:1: bad; exit 1"
    with pytest.raises(ProcessError, match=r"no place it names is a file of the workspace \(/etc/hosts is not\)"):
        await Checker.from_text(command, tmp_path).check()


async def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProcessError, match="no-such-checker: not found"):
        await Checker.from_text("no-such-checker .", tmp_path).check()
    with pytest.raises(ProcessError, match=r"no-such-checker: not found; install what is missing or put it on PATH$"):
        await Checker.from_text("no-such-checker . | cat; exit 127", tmp_path).check()


async def test_a_program_ended_by_a_signal_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(ProcessError, match="ended by signal 9"):
        await Checker.from_text("kill -9 $$", tmp_path).check()


async def test_a_checker_that_does_not_end_is_stopped(tmp_path: Path) -> None:
    checker = Checker.from_text("sleep 600", tmp_path, timeout=0.2)
    with pytest.raises(ProcessError, match=r"no end after 0\.2 s"):
        await checker.check()


async def test_motets_own_programs_are_found_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.py").write_text("import os\n")
    own = tmp_path / "bin"
    own.mkdir()
    (own / "ruff").write_text("#!/bin/sh\necho 'a.py:1:1: error: from PATH'\n")
    (own / "ruff").chmod(0o755)
    command = Checker.from_text("ruff check --no-cache --isolated --output-format concise a.py", tmp_path)
    monkeypatch.setenv("PATH", f"{own}{os.pathsep}/usr/bin{os.pathsep}/bin")
    assert [each.message for each in await command.check()] == ["from PATH"]
    monkeypatch.setenv("PATH", f"/usr/bin{os.pathsep}/bin")
    assert [each.code for each in await command.check()] == ["F401"]


async def test_files_that_cannot_be_decoded_are_still_named(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_bytes(b"\xff\xfe\x00binary")
    (found,) = await Checker.from_text("echo a.c:1:99: error: x", tmp_path).check()
    assert (found.range.start.line, found.range.start.column) == (1, 99)


async def test_output_without_end_is_cut_and_what_came_first_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("x\n")
    found = await Checker.from_text(
        "echo a.c:1:1: error: first; yes 'a line that says nothing' | head -c 20000000; exit 1", tmp_path
    ).check()
    assert [each.message for each in found] == ["first"]

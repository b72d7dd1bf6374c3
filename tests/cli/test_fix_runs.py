"""`motet fix` on projects, machines and command lines of every kind."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cli.kit import BIN, DEADLINE, DONE, MAY_SEND, ONLY_RUFF, Project, Provider, edit, eventually

from motet.models.scripted import Answer
from motet.models.scripted.answers import Wire

Serve = Callable[..., Provider]
Need = Callable[[str], Path]

BAD = {"a.txt": "bad\n"}
REPAIR = edit(("a.txt", "bad\n", "good\n"))
IS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a tiny disk")
NOT_ROOT = "root may read and write everything"


# --- what cannot be understood: code 2 and one line ------------------------------------------------------------


@pytest.mark.acceptance("CL-09", "PY-03")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["fix", "nosuch"], "motet: nosuch: no such file\n"),
        (["fix", ".."], "motet: ..: outside of the workspace {root}\n"),
        (["fix", "/etc/passwd"], "motet: /etc/passwd: outside of the workspace {root}\n"),
        (["fix", "a.txt/b"], "motet: a.txt/b: a part of the path is not a directory\n"),
        (["fix", "leads-out"], "motet: leads-out: outside of the workspace {root}\n"),
        (["fix", ""], "motet: an empty path was given; leave it out for the whole workspace\n"),
        (["fix", "--frobnicate"], "motet: no such option '--frobnicate' (motet fix --help)\n"),
        (["fix", "--modle", "x"], "motet: no such option '--modle'. Did you mean '--model'? (motet fix --help)\n"),
        (["fix", "--model"], "motet: option '--model' requires an argument (motet fix --help)\n"),
        (
            ["fix", "--severity", "bad"],
            "motet: invalid value for '--severity': 'bad' is not one of 'error', 'warning', 'info', 'hint' "
            "(motet fix --help)\n",
        ),
        (
            ["fix", "--rounds", "0"],
            "motet: invalid value for '--rounds': 0 is not between 1 and 50 (motet fix --help)\n",
        ),
        (["fix", "--max-cost", "0"], "motet: invalid value for '--max-cost': 0 is not more than 0 (motet fix --help)\n"),
        (["fix", "--allow", "fly"], "motet: rule 'fly': the effect must be one of read, write, run, send, net, as in 'send'\n"),
        (["fix", "--checker", "'"], "motet: checker \"'\": No closing quotation\n"),
        (["fix", "--checker", " "], "motet: checker: the command is empty; give one such as --checker 'make'\n"),
        (["fix", "--checker", "no-such-program -x"], "motet: --checker: no-such-program: not found; install it or put it on PATH\n"),
        (["fxi"], "motet: no such command: fxi; did you mean fix? (motet --help)\n"),
        (["frobnicate"], "motet: no such command: frobnicate (motet --help)\n"),
    ],
)  # fmt: skip
def test_a_wrong_command_line_is_one_clear_line(project: Project, arguments: list[str], said: str) -> None:
    project.write(BAD)
    (project.root / "leads-out").symlink_to("/etc/hostname")
    done = project.here(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err == said.format(root=project.root)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("model = ", "config.toml: Invalid value"),
        ("[fix]\nround = 3", "config.toml: fix.round: there is no such setting"),
        ("[fix]\nrounds = 0", "config.toml: fix.rounds: expected a whole number >= 1"),
        (
            '[servers.x]\ncommand = ["x"]',
            "servers.x: needs command and languages, as in languages = { '.go' = 'go' }",
        ),
        ('model = "nosuch"', "model nosuch: no such provider; "),
    ],
)
def test_broken_settings_are_one_clear_line(project: Project, settings: str, said: str) -> None:
    project.write(BAD)
    project.settings(settings)
    done = project.here("fix", "--yes")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err


def test_a_wrong_command_line_of_the_program_itself(project: Project) -> None:
    done = project.run("fix", "--frobnicate")
    assert (done.code, done.out, done.err) == (2, "", "motet: no such option '--frobnicate' (motet fix --help)\n")


def test_an_unknown_model_names_close_ones(project: Project) -> None:
    done = project.here("fix", "--yes", "--model", "antropic")
    assert (done.code, done.err.partition(";")[0]) == (2, "motet: model antropic: no such provider")
    assert "did you mean anthropic" in done.err


@pytest.mark.acceptance("CL-09", "PY-03")
def test_a_model_that_cannot_be_used_is_code_3(project: Project) -> None:
    done = project.here("fix", "--yes", "--model", "anthropic")
    assert (done.code, done.err) == (
        3,
        "motet: anthropic: ANTHROPIC_API_KEY is not set; set it, or providers.anthropic.key\n",
    )


def test_a_broken_environment_variable_names_itself(project: Project) -> None:
    done = project.here("fix", "--yes", env={"MOTET_FIX_ROUNDS": "many"})
    assert (done.code, done.err.startswith("motet: MOTET_FIX_ROUNDS: fix.rounds: ")) == (2, True)


# --- what a project may look like ------------------------------------------------------------------------------


def test_an_empty_directory_is_clean(project: Project) -> None:
    done = project.run("fix", "--yes", "--model", "offline")
    assert (done.code, done.out) == (0, "")
    assert done.err == "Model: offline (chosen by name)\nno problems\n\nEnded: nothing left.\n"


def test_a_file_or_a_directory_may_be_named_from_a_subdirectory(project: Project, provider: Serve) -> None:
    project.write({"sub/a.txt": "bad\n", "sub/b.txt": "bad\n", "other/c.txt": "bad\n"})
    subprocess.run(["git", "init", "-q"], cwd=project.root, check=True)
    checker = "awk '{print FILENAME \":1: error: bad\"}' sub/*.txt; exit 1"
    provider([edit(("sub/b.txt", "bad\n", "good\n")), DONE], repeat=True)
    project.settings(project.config.read_text().partition("[checkers")[0] + MAY_SEND)
    done = project.here("fix", "--yes", "--json", "b.txt", "../sub/a.txt", "--checker", checker, cwd="sub")
    assert done.event("checked")["files"] == 2
    assert project.text("sub/b.txt") == "good\n"


def test_it_works_outside_of_git_and_without_git(project: Project, provider: Serve, tmp_path: Path) -> None:
    project.write({**BAD, ".gitignore": "ignored.txt\n", "ignored.txt": "\n"})
    provider([REPAIR, DONE])
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "awk"):
        found = shutil.which(name)
        assert found is not None
        (tools / name).symlink_to(found)
    done = project.run("fix", "--yes", "--json", env={"PATH": str(tools)})
    assert done.event("checked")["files"] == 2, done.err
    assert project.text("a.txt") == "good\n"


def test_a_file_that_cannot_be_read_is_left_out_and_named(project: Project, provider: Serve) -> None:
    if os.geteuid() == 0:
        pytest.skip(NOT_ROOT)
    project.write({**BAD, "secret.txt": "bad\n"})
    (project.root / "secret.txt").chmod(0)
    provider([REPAIR, DONE])
    done = project.here("fix", "--yes")
    assert "left out: secret.txt: no permission; " in done.err
    assert project.text("a.txt") == "good\n"


def test_files_that_are_no_text_are_passed_over(project: Project, provider: Serve) -> None:
    project.write({**BAD, "image.txt": b"\x89PNG\0\0bad", "empty.txt": ""})
    provider([REPAIR, DONE], repeat=True)
    done = project.here("fix", "--yes", "--json")
    assert (done.event("checked")["files"], project.text("a.txt")) == (2, "good\n")


def test_without_any_server_there_is_advice_and_it_says_that_nothing_was_checked(project: Project) -> None:
    project.write({"a.go": "package a\n"})
    done = project.run("fix", "--yes", "--model", "offline", env={"PATH": "/nowhere"})
    assert done.code == 0
    assert "gopls: not found; go install golang.org/x/tools/gopls@latest\n" in done.err
    assert done.err.endswith("Nothing was checked: no server or checker answered.\n\nEnded: nothing to do.\n")


@pytest.mark.parametrize("checker", ["echo '2 tests failed' >&2; exit 2", "echo half; kill -9 $$"])
def test_a_checker_that_fails_and_names_no_place_has_not_said_that_nothing_is_left(
    project: Project, checker: str
) -> None:
    project.write({"a.txt": "good\n"})
    done = project.run("fix", "--yes", "--model", "offline", "--checker", checker)
    assert done.code == 1
    assert done.err.endswith("answered.\n\nEnded: a checker failed (echo).\n")


def test_a_checker_that_fails_after_the_repair_leaves_the_run_unproved(project: Project, provider: Serve) -> None:
    project.write({"a.txt": "bad\n"})
    provider([REPAIR, DONE])
    project.settings(project.config.read_text().partition("[checkers")[0] + MAY_SEND)
    checker = "grep -q bad a.txt && echo a.txt:1:1: error: bad; exit 1"
    done = project.here("fix", "--yes", "--json", "--checker", checker)
    assert (done.code, project.text("a.txt")) == (1, "good\n")
    assert (done.events[-1]["reason"], done.events[-1]["remaining"]) == ("checker", [])


def test_a_name_as_long_as_its_file_is_not_printed_whole(project: Project) -> None:
    project.settings(ONLY_RUFF)
    project.write({"big.py": "a" * 300_000})
    done = project.run("fix", "--dry-run", "-m", "offline", "big.py")
    assert done.code == 1
    assert f"  big.py:1:1: error: Undefined name `{'a' * 1_484} … {'a' * 399}` (ruff F821)\n" in done.err
    assert len(done.err) < 20_000


def test_a_home_directory_is_fixed_only_as_far_as_somebody_names(project: Project) -> None:
    project.write({"bin/a.py": "import os\n"})
    home = {"HOME": str(project.root)}
    done = project.here("fix", "--yes", "-m", "offline", env=home)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"motet: {project.root} is your home directory and no project: its files are not searched as a whole. Go into a"
        " project, or write a .motetignore there that says what is left out; or name what to fix, as in: motet fix bin\n"
    )
    assert project.text("bin/a.py") == "import os\n"
    done = project.run("fix", "--yes", "-m", "offline", "bin", env=home)
    assert (done.code, project.text("bin/a.py")) == (0, "")


def test_names_with_blanks_quotes_and_japanese(project: Project, provider: Serve) -> None:
    name = "a dir/it's “日本”  ☃.txt"
    project.write({name: "bad\n"})
    provider([edit((name, "bad\n", "good\n")), DONE], repeat=True)
    checker = "printf '%s:1:1: error: bad\\n' \"$(ls -d */*)\"; exit 1"
    project.settings(project.config.read_text().partition("[checkers")[0] + MAY_SEND)
    done = project.here("fix", "--yes", "--rounds", "1", "--checker", checker)
    assert project.text(name) == "good\n", done.err
    assert f"\n{name}:1\n" in done.err


# --- flags -----------------------------------------------------------------------------------------------------


def test_dry_run_shows_and_writes_nothing(project: Project, provider: Serve) -> None:
    project.write(BAD)
    provider([REPAIR])
    done = project.here("fix", "--dry-run", "--yes")
    assert (done.code, project.text("a.txt")) == (1, "bad\n")
    assert "-bad\n+good\n" in done.err
    assert done.err.endswith(
        "Applied changes to 0 of 1 file.\nLeft: 1 problem.\nEnded: dry run (nothing was written).\n"
        "Used 100 tokens in, 20 out, $0.0001.\n"
    )
    assert not (project.state / "checkpoints").exists()


def test_dry_run_at_a_terminal_asks_nothing(project: Project, provider: Serve) -> None:
    project.write(BAD)
    provider([REPAIR])
    human = project.human("fix", "--dry-run")
    assert human.ends() == 1
    assert "Take this hunk?" not in human.text
    assert "+good" in human.lines


def test_quiet_at_a_terminal_leaves_questions_and_the_end(project: Project, provider: Serve) -> None:
    project.write(BAD)
    provider([REPAIR, DONE])
    human = project.human("fix", "--quiet")
    human.answers("y")
    assert human.ends() == 0
    assert human.lines == [
        "", "a.txt:1", "  error: a bad word (awk)", "@@ -1,1 +1,1 @@", "-bad", "+good", "(1/1) Take this hunk? [y,n,r,a,d,e,p,q,?] y", "", "Applied changes to 1 of 1 file.", "Ended: nothing left.",
        "Used 200 tokens in, 40 out, $0.0003.",
    ]  # fmt: skip


@pytest.mark.acceptance("CL-04")
def test_a_budget_of_one_token_sends_nothing(project: Project, provider: Serve) -> None:
    project.write(BAD)
    served = provider([REPAIR])
    done = project.here("fix", "--yes", "--max-tokens", "1", "--json")
    assert (done.code, done.events[-1]["reason"], served.requests) == (1, "budget", [])
    assert done.events[-1]["detail"].startswith("budget of 1 tokens (used 0, the next request needs about ")


def test_a_cost_limit_needs_a_price(project: Project, provider: Serve) -> None:
    project.write(BAD)
    served = provider([REPAIR])
    config = "\n".join(line for line in project.config.read_text().splitlines() if "_price" not in line)
    project.settings(config)
    done = project.here("fix", "--yes", "--max-cost", "1")
    assert (done.code, served.requests) == (2, [])
    assert done.err.splitlines(keepends=True)[-1] == (
        "motet: fix.max_cost is a cap in dollars, and the price of scripted/one is not known; set "
        "providers.scripted.input_price and output_price, or use fix.max_tokens\n"
    )


def test_a_cost_limit_ends_the_run(project: Project, provider: Serve) -> None:
    project.write(BAD)
    served = provider([REPAIR])
    done = project.here("fix", "--yes", "--max-cost", "0.00001", "--json")
    assert (done.events[-1]["reason"], served.requests) == ("budget", [])


def test_make_is_a_checker(project: Project, provider: Serve, need: Need) -> None:
    need("make")
    makefile = "all:\n\t@grep -nH bad a.txt | sed 's/$$/ is a bad word/' >&2; ! grep -q bad a.txt\n"
    project.write({**BAD, "Makefile": makefile})
    provider([REPAIR, DONE])
    project.settings(project.config.read_text().partition("[checkers")[0] + MAY_SEND)
    done = project.run("fix", "--yes", "--checker", "make")
    assert (done.code, project.text("a.txt")) == (0, "good\n")
    assert "1 file, 1 error (make)\n  a.txt:1:1: error: bad is a bad word (make)\n" in done.err
    assert "\nno problems (make)  1 solved, 0 new\n" in done.err


@pytest.mark.acceptance("CL-04", "S3-029", "S3-038")
def test_what_a_test_run_says_after_an_edit_goes_into_the_next_request(project: Project, provider: Serve) -> None:
    project.write({"a.txt": "bad\n"})
    first, second = edit(("a.txt", "bad\n", "good\n")), edit(("a.txt", "good\n", "best\n"))
    served = provider([first, DONE, second, DONE])
    tests = (
        "awk '{print FILENAME \":1: error: \" $1 \" is not best\"}' a.txt | grep -v 'best is'; ! grep -vq best a.txt"
    )
    project.settings(project.config.read_text().partition("[checkers")[0] + MAY_SEND)
    done = project.here("fix", "--yes", "--json", "--checker", tests)
    assert (done.code, project.text("a.txt")) == (0, "best\n")
    assert "[Error] Line 1, Column 1: bad is not best" in served.requests[0].text
    assert "[Error] Line 1, Column 1: good is not best" in served.requests[2].text
    assert done.events[-1]["rounds"] == 2


def test_severity_is_the_mildest_problem_that_counts(project: Project, need: Need) -> None:
    need("ruff")
    project.write({"a.py": "import os\nprint(undefined)\n"})
    project.settings(ONLY_RUFF)
    flags = ("--dry-run", "--json", "--model", "offline")
    codes = {
        level: [
            one["code"] for one in project.here("fix", *flags, "--severity", level).event("checked")["diagnostics"]
        ]
        for level in ("error", "warning")
    }
    assert codes == {"error": ["F821"], "warning": ["F401", "F821"]}


@pytest.mark.acceptance("S3-001", "S3-004", "S3-038", "CL-04", "CL-09")
def test_one_command_with_real_ruff_and_the_offline_model(project: Project, need: Need) -> None:
    need("ruff")
    project.write(
        {
            "a.py": "import os\n\n\ndef name() -> str:\n    nmae = 'x'\n    return name_of(nmae)\n",
            "b.py": "import sys\n",
        }
    )
    project.settings(ONLY_RUFF)
    done = project.run("fix", "--yes", "--model", "offline")
    assert done.code == 1
    assert (project.text("b.py"), project.text("a.py").splitlines()[0]) == ("", "")
    lines = done.err.splitlines()
    assert lines[:3] == ["Model: offline (chosen by name)", "ruff: starting", "2 files, 1 error, 2 warnings (ruff)"]
    assert "1 file, 1 error (ruff)  2 solved, 0 new" in lines
    assert "Applied changes to 2 of 2 files." in lines
    assert any(line.startswith("Ended: no progress (") for line in lines)
    assert done.err.count("ruff: starting") == 1


# --- disks and places that do not cooperate --------------------------------------------------------------------


def test_a_state_directory_that_cannot_be_written_keeps_every_file_as_it_is(
    project: Project, provider: Serve
) -> None:
    project.write(BAD)
    provider([REPAIR, DONE], repeat=True)
    project.state.mkdir(parents=True)
    (project.state / "checkpoints").write_text("a file where a directory should be")
    done = project.here("fix", "--yes")
    assert project.text("a.txt") == "bad\n"
    assert done.code == 1
    assert "no checkpoint can be kept, so nothing is written" in done.err
    assert "Not applied to a.txt: " in done.err
    assert "Applied changes to 0 of 1 file." in done.err


@contextlib.contextmanager
def a_disk_of_its_own(project: Project) -> Iterator[None]:
    """The project on a disk of 64 kB."""
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", project.root], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip(f"root may not mount here: {mounted.stderr.decode().strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", project.root], check=True)


@IS_ROOT
def test_a_read_only_workspace_says_so(project: Project, provider: Serve) -> None:
    with a_disk_of_its_own(project):
        project.write(BAD)
        subprocess.run(["mount", "-o", "remount,ro", project.root], check=True)
        provider([REPAIR, DONE], repeat=True)
        done = project.run("fix", "--yes")
    assert done.code == 1
    assert "Not applied to a.txt: read-only; " in done.err
    assert "Applied changes to 0 of 1 file." in done.err


@IS_ROOT
def test_a_full_disk_leaves_the_old_file(project: Project, provider: Serve) -> None:
    with a_disk_of_its_own(project):
        project.write(BAD)
        with (project.root / "filler.bin").open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while file.write(bytes(4096)):
                pass
        provider([edit(("a.txt", "bad\n", "good\n" * 2000)), DONE], repeat=True)
        done = project.run("fix", "--yes")
        assert (done.code, project.text("a.txt")) == (1, "bad\n")
        assert "Not applied to a.txt: not written: no space left on the disk; free some and try again\n" in done.err
        assert {path.name for path in project.root.iterdir()} == {"a.txt", "filler.bin"}


def test_a_file_that_changes_under_the_review_is_not_overwritten(project: Project, provider: Serve) -> None:
    project.write(BAD)
    provider([REPAIR, DONE], repeat=True)
    human = project.human("fix", "--rounds", "1")
    human.asked()
    project.write({"a.txt": "bad, said somebody else\n"})
    human.presses("y")
    assert human.ends() == 1
    assert project.text("a.txt") == "bad, said somebody else\n"
    assert "Applied changes to 0 of 1 file." in human.lines, human.text
    assert any(line.startswith("Not applied to a.txt: changed since it was read") for line in human.lines)


def test_two_runs_at_once_on_one_project_lose_nothing(project: Project, provider: Serve) -> None:
    names = [f"{number}.txt" for number in range(10)]
    project.write(dict.fromkeys(names, "bad\n"))
    repair = edit(*((name, "bad\n", "good\n") for name in names))
    provider(lambda request: DONE if "tool_call_id" in request.text else repair)
    runs = [
        subprocess.Popen(
            [BIN / "motet", "fix", "--yes", "--json", "--quiet"], cwd=project.root, env=project.env(),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for _ in range(2)
    ]  # fmt: skip
    ends = [run.communicate(timeout=DEADLINE) for run in runs]
    assert [run.returncode for run in runs] == [0, 0], ends
    assert {project.text(name) for name in names} == {"good\n"}
    assert {path.name for path in project.root.iterdir()} == set(names)


def test_without_a_terminal_on_stdin_the_question_is_not_asked(project: Project, provider: Serve) -> None:
    project.write(BAD)
    provider([REPAIR])
    argv = ("sh", "-c", 'exec "$0" fix </dev/null', str(BIN / "motet"))
    human = project.human(argv=argv)
    assert human.ends() == 1
    assert "Not a terminal, so nobody can be asked: nothing is written. --yes takes every" in human.lines


def test_closed_standard_streams_do_no_harm(project: Project, provider: Serve) -> None:
    project.write(BAD)
    provider([REPAIR, DONE])
    done = project.run(argv=("sh", "-c", f"exec {BIN / 'motet'} fix --yes --json <&- >&- 2>&-"))
    assert (done.code, project.text("a.txt")) == (0, "good\n")


@pytest.mark.acceptance("CL-09")
def test_a_killed_run_can_be_undone(project: Project, provider: Serve) -> None:
    project.write(BAD)
    stalls = Answer(text="wait", wire=Wire(stall_after=1))
    provider([REPAIR, stalls])
    running = subprocess.Popen(
        [BIN / "motet", "fix", "--yes"], cwd=project.root, env=project.env(), stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    eventually(lambda: project.text("a.txt") == "good\n")
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert project.run("undo").code == 0
    assert project.text("a.txt") == "bad\n"

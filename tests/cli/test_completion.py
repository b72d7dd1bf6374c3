"""`motet completion`: what TAB offers, in a real bash and by the words that other shells pass; and what it never does."""

from __future__ import annotations

import json
import os
import resource
import sqlite3
import statistics
import subprocess
import sys
from collections.abc import Callable

import pexpect
import pytest
from cli.kit import BIN, DEADLINE, Project

# Answers argv[1:] as the program does, and prints, as JSON, whatever reached for the network, a process, or a file to
# write in.
WATCHED = """
import json, os, sys
seen = []
loud = ("socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.mkdir", "os.rename",
        "os.remove", "os.chmod", "os.truncate")
def watch(event, args):
    if event.startswith(loud):
        seen.append(event)
    elif event == "sqlite3.connect" and not ("mode=ro" in args[0] or "immutable=1" in args[0]):
        seen.append(args[0])
    elif event == "open" and isinstance(args[0], str) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        seen.append(args[0])
sys.addaudithook(watch)
from motet.__main__ import main
assert main() == 0
print(json.dumps(seen))
"""


def offered(project: Project, *words: str) -> list[str]:
    """The words that are offered in the place of the last one."""
    return [line.partition("\t")[0] for line in lines(project, *words)]


def lines(project: Project, *words: str) -> list[str]:
    done = project.run("--complete", "fish", "motet", *words)
    assert (done.code, done.err) == (0, "")
    return done.out.splitlines()


def in_bash(project: Project, line: str) -> list[str]:
    """What bash is given for `line`."""
    done = project.run("--complete", "bash", line, " \t\n\"'><=;|&(:")
    assert (done.code, done.err) == (0, "")
    return done.out.splitlines()


@pytest.fixture
def kept(project: Project) -> Project:
    """A project with a chat and a board."""
    assert project.run("ask", "-m", "offline", "what is a lease").code == 0
    assert project.run("board", "post", "general", "hello").code == 0
    return project


# --- what is offered -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("ap",), ["apply"]),
        (("help", "ap"), ["apply"]),
        (("board", "mi"), ["migrate"]),
        (("fix", "--sev"), ["--severity"]),
        (("fix", "--severity", ""), ["error", "warning", "info", "hint"]),
        (("fix", "--severity=w"), ["--severity=warning"]),
        (("fix", "--yes", "--severity", "w"), ["warning"]),
        (("completion", ""), ["bash", "zsh", "fish"]),
        (("fix", "--json", "src/a.py", ""), [":files"]),
        (("fix", "--", "--sev"), [":files"]),
        (("ask", "-f", "src"), [":files"]),
        (("ask", "why?", ""), []),
        (("apply", "--root", ""), [":dirs"]),
        (("apply", "one.md", ""), []),
        (("ask", "-m", "anthropic/claude-h"), ["anthropic/claude-haiku-5-5", "anthropic/claude-haiku-4-5"]),
        (("config", "key", "anth"), ["anthropic"]),
        (("chat", "-t", "read"), ["readonly", "read_file"]),
        (("prompt", "run", "re"), ["refactor", "review"]),
        (("prompt", "run", "review", ""), [":files"]),
        (("history", "show", ""), ["last"]),
        (("history", "show", "last", ""), []),
        (("nowhere", ""), []),
        (("fix", "--nothing", "--sev"), ["--severity"]),
        (("fix", "--nothing="), []),
        (("--deb",), ["--debug"]),
    ],
)
@pytest.mark.acceptance("PY-11")
def test_each_place_offers_what_can_stand_there(project: Project, words: tuple[str, ...], wanted: list[str]) -> None:
    assert offered(project, *words) == wanted


def test_every_command_is_offered_with_what_it_does(project: Project) -> None:
    told = dict(line.split("\t") for line in lines(project, ""))
    assert told["undo"].startswith("Take back what motet wrote")
    assert {"chat", "fix", "completion", "trust"} <= told.keys() and "nvim" not in told


def test_a_chat_is_offered_by_its_short_id_with_its_title(kept: Project) -> None:
    id = kept.run("history", "list").out.split()[0]
    assert lines(kept, "chat", "--resume", "") == ["last\tthe newest chat here", f"{id}\twhat is a lease"]
    assert offered(kept, "history", "show", id[:3]) == [id]
    assert offered(kept, "history", "restore", "") == []
    assert kept.run("history", "delete", id).code == 0
    assert offered(kept, "history", "show", "") == ["last"]
    assert offered(kept, "history", "restore", "") == [id]


def test_boards_models_and_prompts_of_the_user_are_offered(kept: Project) -> None:
    kept.settings('model = "own/best"\n[models]\ntitle = "own/small"\n[providers.own]\nmodel = "other"\n')
    prompts = kept.config.parent / "prompts"
    prompts.mkdir()
    (prompts / "a.md").write_text("---\nname: release\n---\n## user\nGo.\n")
    (prompts / "relax.md").write_text("## user\nGo.\n")
    assert offered(kept, "board", "show", "") == ["general"]
    assert offered(kept, "ask", "-m", "o")[:5] == ["own/best", "own/small", "own", "own/other", "offline"]
    assert offered(kept, "prompt", "show", "rel") == ["release", "relax"]


# --- in bash ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("motet fix --severity=w", ["warning"]),
        ("motet fix '--sev", ["--severity"]),
        ('motet ask "two words" --max-c', ["--max-cost"]),
        ("motet ask it\\'s --max-c", ["--max-cost"]),
        ("motet ap", ["apply"]),
        ("motet fix --severity=", ["error", "warning", "info", "hint"]),
    ],
)
def test_bash_is_given_what_stands_behind_the_characters_at_which_it_parts_words(
    project: Project, line: str, wanted: list[str]
) -> None:
    assert in_bash(project, line) == wanted


def test_a_model_with_a_colon_is_completed_in_bash_behind_it(project: Project) -> None:
    project.settings('model = "ollama/qwen3:8b"\n')
    assert in_bash(project, "motet ask -m ollama/qwen3:") == ["8b"]
    assert in_bash(project, "motet ask -m 'ollama/qwen3:") == ["ollama/qwen3:8b"]


@pytest.mark.acceptance("PY-11")
def test_a_real_bash_completes_what_is_typed(project: Project) -> None:
    project.settings('model = "ollama/qwen3:8b"\n')
    project.write({"src/almanac one.md": "x"})
    (project.root / "src" / "empty").mkdir()
    shell = pexpect.spawn(
        "bash",
        ["--norc", "--noprofile", "-i"],
        cwd=str(project.root),
        env=project.env({"PATH": f"{BIN}:{os.environ['PATH']}", "PS1": "> ", "TERM": "dumb", "INPUTRC": os.devnull}),
        timeout=DEADLINE,
        encoding="utf-8",
        dimensions=(40, 200),
    )
    try:
        shell.sendline('bind "set enable-bracketed-paste off"; eval "$(motet completion bash)"; echo rea""dy')
        shell.expect("ready\r\n")
        for typed, completed in [
            ("motet appl\t", "motet apply "),
            ("motet fix --sev\twa\t", "motet fix --severity warning "),
            ("motet fix --severity=wa\t", "motet fix --severity=warning "),
            ("motet ask -m ollama/q\t", "motet ask -m ollama/qwen3:8b "),
            ("motet apply src/al\t", "motet apply src/almanac\\ one.md "),
            ("motet apply --root src/em\t", "motet apply --root src/empty/"),
            ("motet nowhere x\t", "motet nowhere x"),
        ]:
            shell.send(typed)
            shell.expect_exact(completed)
            shell.send("\x15")  # the line is taken back
            shell.sendline("echo un''disturbed")
            shell.expect("undisturbed\r\n")
    finally:
        shell.close(force=True)


@pytest.mark.acceptance("PY-11")
def test_the_scripts_are_valid_for_their_shell(project: Project) -> None:
    for shell in ("bash", "zsh", "fish"):
        done = project.run("completion", shell)
        assert (done.code, done.err) == (0, "") and f"motet --complete {shell} " in done.out
    script = project.run("completion", "bash").out
    checked = subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert project.run("completion", "csh").code == 2


# --- what it never does ----------------------------------------------------------------------------------------


def test_it_only_reads(kept: Project) -> None:
    def there() -> dict[str, tuple[int, int]]:
        return {
            str(path): (path.stat().st_mtime_ns, path.stat().st_size)
            for path in kept.home.rglob("*")
            if path.is_file()
        }

    for words in (["ask", "-m", ""], ["history", "show", ""], ["board", "show", ""], ["prompt", "show", ""], ["fi"]):
        before = there()
        done = kept.run("--complete", "fish", "motet", *words, argv=(sys.executable, "-B", "-c", WATCHED))
        assert (done.code, done.err) == (0, "")
        assert json.loads(done.out.splitlines()[-1]) == []
        assert len(done.out.splitlines()) > 1
        assert there() == before


def test_where_nothing_is_kept_nothing_is_made(project: Project) -> None:
    before = sorted(project.home.rglob("*"))
    assert offered(project, "history", "show", "") == ["last"]
    assert offered(project, "board", "show", "") == []
    assert sorted(project.home.rglob("*")) == before


def test_a_store_that_somebody_writes_in_is_read_with_what_was_just_written(kept: Project) -> None:
    with sqlite3.connect(kept.state / "boards.db", isolation_level=None) as store:
        store.execute("PRAGMA journal_mode = WAL")
        store.execute("UPDATE boards SET name = 'just-now'")
        assert offered(kept, "board", "show", "") == ["just-now"]


@pytest.mark.parametrize("damage", [b"", b"SQLite format 3\0 but no more", os.urandom(4096)], ids=len)
def test_what_cannot_be_read_is_not_offered_and_not_complained_about(kept: Project, damage: bytes) -> None:
    (kept.state / "history.db").write_bytes(damage)
    (kept.state / "boards.db").write_bytes(damage)
    kept.settings("model = \n[providers")
    assert offered(kept, "history", "show", "") == ["last"]
    assert offered(kept, "board", "show", "") == []
    assert "offline" in offered(kept, "ask", "-m", "")


@pytest.mark.parametrize("arguments", [(), ("bash",), ("zsh",), ("fish",), ("tcsh", "a"), ("bash", "motet \udcff")])
def test_a_call_that_makes_no_sense_says_nothing(project: Project, arguments: tuple[str, ...]) -> None:
    done = project.run("--complete", *arguments)
    assert (done.code, done.err) == (0, "")


def test_a_directory_that_is_gone_does_not_matter(project: Project) -> None:
    script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
    done = project.run(
        "--complete", "fish", "motet", "history", "show", "", argv=("sh", "-c", script, "x", BIN / "motet")
    )
    assert (done.code, done.err) == (0, "")


def test_names_that_a_shell_would_act_on_are_not_offered_and_titles_stay_on_their_line(kept: Project) -> None:
    with sqlite3.connect(kept.state / "boards.db") as store:
        store.execute("UPDATE boards SET name = 'a$(touch x)'")
    with sqlite3.connect(kept.state / "history.db") as store:
        store.execute("UPDATE chats SET title = 'one' || char(10) || char(27) || '[2Jtwo', model = '`touch x`'")
    assert offered(kept, "board", "show", "") == []
    assert lines(kept, "history", "show", "")[1].endswith("\tone  [2Jtwo")
    assert not [word for word in offered(kept, "ask", "-m", "") if "touch" in word]


def test_tab_costs_little_more_than_python_and_not_the_library_of_the_command_line(project: Project) -> None:
    def seconds(run: Callable[[], object]) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    pairs = [
        (
            seconds(lambda: offered(project, "fix", "--sev")),
            seconds(lambda: project.run(argv=(sys.executable, "-c", ""))),
        )
        for _ in range(7)
    ]
    assert offered(project, "fix", "--sev") == ["--severity"]
    assert statistics.median(tab / bare for tab, bare in pairs) < 4
    code = "import sys; from motet.__main__ import main; main(); print(*sys.modules)"
    done = project.run("--complete", "fish", "motet", "ask", "-m", "", argv=(sys.executable, "-c", code))
    assert not {"click", "asyncio", "motet.engine", "motet.settings"} & set(done.out.splitlines()[-1].split())

"""`run_command`: exactly the command that was approved, seen as it runs, and nothing left of it."""

from __future__ import annotations

import asyncio
import json
import os
import select
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tools.tool_kit import BARE, Project

from motet.permissions import Action, Answer, Denial, Rule, Verdict
from motet.process.sandbox import SandboxState
from motet.tools import ToolOutput
from motet.tools.builtin import run_command
from motet.tools.builtin.run_command import RunCommand
from motet.tools.kit import Told
from motet.tools.toolbox import MAX_OUTPUT_CHARACTERS, Toolbox


class Asking(Project):
    """A project whose human gives `answer`, and does `meanwhile` before."""

    answer: Answer | Denial = Answer.ONCE
    meanwhile: Callable[[], object] = staticmethod(lambda: None)

    def __init__(self, tmp_path: Path) -> None:
        super().__init__(tmp_path, allow=True)
        self._heard = asyncio.Event()
        self.kit = replace(self.kit, tell=self._hear)

    def _hear(self, told: Told) -> None:
        self.told.append(told)
        self._heard.set()

    async def has_told(self, times: int = 1) -> None:
        """Wait until a running command has printed something so many times."""
        async with asyncio.timeout(30):
            while len(self.told) < times:
                self._heard.clear()
                await self._heard.wait()

    async def _ask(self, action: Action) -> Answer | Denial:
        self.asked.append(action)
        self.meanwhile()
        return self.answer


@pytest.fixture
def project(tmp_path: Path) -> Asking:
    return Asking(tmp_path)


def after(output: ToolOutput) -> tuple[str, str]:
    """How it ended, without the time, and what was printed."""
    head, _, rest = output.text.partition("\n")
    return head.partition(" after ")[0], rest


# --- one command -------------------------------------------------------------------------------------------------


@pytest.mark.acceptance("S0-010")
async def test_a_command_comes_back_with_its_exit_code_and_both_streams(project: Asking, wall: SandboxState) -> None:
    script = "import sys; print('out', flush=True); print('err', file=sys.stderr); sys.exit(3)"
    output = await project.call(RunCommand(project.kit, wall), argv=["python3", "-c", script])
    assert (*after(output), output.is_error) == ("exit code 3", "out\nerr\n", True)
    assert output.shown.startswith("python3: exit code 3 after ")
    quiet = await project.call(RunCommand(project.kit, wall), argv=["true"])
    assert (*after(quiet), quiet.is_error) == ("exit code 0", "(no output)", False)


async def test_what_it_prints_is_told_while_it_runs(project: Asking, wall: SandboxState) -> None:
    os.mkfifo(project.root / "go")
    tool = RunCommand(project.kit, wall)
    running = asyncio.create_task(project.call(tool, shell="echo first; read line < go; echo $line"))
    await project.has_told()
    assert [(told.tool, told.kind, told.text) for told in project.told] == [("run_command", "output", "first\n")]
    await asyncio.to_thread((project.root / "go").write_text, "second\n")
    assert after(await running) == ("exit code 0", "first\nsecond\n")


async def test_it_runs_in_the_directory_that_was_named(project: Asking, wall: SandboxState) -> None:
    project.write("sub dir/a", "x")
    output = await project.call(RunCommand(project.kit, wall), argv=["pwd"], cwd="sub dir")
    assert output.text.endswith(f"\n{project.root}/sub dir\n")


async def test_there_is_no_input(project: Asking, wall: SandboxState) -> None:
    output = await project.call(RunCommand(project.kit, wall), argv=["cat"])
    assert after(output) == ("exit code 0", "(no output)")


async def test_a_signal_is_named(project: Asking) -> None:
    output = await project.call(RunCommand(project.kit, BARE), shell="kill -SEGV $$")
    assert after(output) == ("ended by signal 11 (SIGSEGV)", "(no output)")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "run_command: give either argv or shell, or the session that you mean"),
        ({"argv": ["ls"], "shell": "ls"}, "run_command: give either argv or shell, or the session that you mean"),
        ({"argv": ["ls"], "stop": True}, "run_command: give stop with session and without a command"),
        ({"argv": ["no-such-program"]},
         "run_command: no-such-program: not found; choose a program that is installed, or one of the workspace as ./NAME"),
        ({"argv": ["ls"], "cwd": "none"}, "run_command: none: no such directory"),
        ({"argv": ["ls"], "cwd": "/etc"}, "run_command: /etc: outside the workspace; commands run inside it"),
        ({"argv": ["ls"], "cwd": "../x"}, "run_command: ../x: outside the workspace; commands run inside it"),
        ({"argv": ["ls"], "cwd": "out"}, "run_command: out: outside the workspace; commands run inside it"),
        ({"argv": ["ls", "a\0b"]}, "run_command: a NUL character or half a character cannot be part of a command"),
        ({"argv": ["ls"], "cwd": "a\0b"}, "run_command: a NUL character or half a character cannot be part of a path"),
        ({"session": "none"}, "run_command: there is no session none; there is none"),
    ],
)  # fmt: skip
async def test_what_cannot_be_run_is_said_in_one_line_and_asks_nobody(
    project: Asking, arguments: dict[str, object], text: str
) -> None:
    (project.root / "out").symlink_to("/etc")
    output = await project.call(RunCommand(project.kit, BARE), **arguments)
    assert (output.text, output.is_error, project.asked) == (text, True, [])


@pytest.mark.parametrize(
    "arguments",
    [
        {"argv": []}, {"argv": "ls -l"}, {"argv": ["ls"], "timeout": 0}, {"argv": ["ls"], "timeout": 4000},
        {"argv": ["ls"], "env": {"PATH": "."}}, {"shell": ""}, {"argv": ["ls"], "session": "../x"},
    ],
)  # fmt: skip
async def test_arguments_that_do_not_fit_run_nothing(project: Asking, arguments: dict[str, object]) -> None:
    output = await project.call(RunCommand(project.kit, BARE), **arguments)
    assert output.is_error
    assert "the arguments do not fit" in output.text
    assert project.asked == []


# --- the permission ----------------------------------------------------------------------------------------------


async def test_each_command_is_asked_about_with_its_exact_words_and_how_it_runs(
    project: Asking, sandbox: SandboxState
) -> None:
    tool = RunCommand(project.kit, sandbox)
    project.write("src/a", "")
    await project.calls(tool, {"argv": ["echo", "a b"]}, {"argv": ["echo"], "cwd": "src", "timeout": 5})
    assert [asked.argv for asked in project.asked] == [("echo", "a b"), ("echo",)]
    echo = project.asked[0].detail.partition("\n")[0]
    assert Path(echo).is_file()
    assert [asked.detail for asked in project.asked] == [
        f"{echo}\nin the workspace, at most 120 s, without the network, in the sandbox",
        f"{echo}\nin src/, at most 5 s, without the network, in the sandbox",
    ]
    await project.call(RunCommand(project.kit, BARE), argv=["echo"])
    assert project.asked[-1].detail.endswith(
        "the network cannot be closed here, not in a sandbox: it can read and change what you can"
    )


@pytest.mark.acceptance("CL-07")
async def test_a_no_runs_nothing_and_its_reason_reaches_the_model(project: Asking) -> None:
    tool = RunCommand(project.kit, BARE)
    project.answer = Denial("use make")
    refused, also = await project.calls(tool, {"argv": ["touch", "x"]}, {"argv": ["touch", "y"]})
    assert (refused.text, refused.is_error) == ("run_command: not run: the human said no: use make", True)
    project.answer = Answer.NO
    assert (await project.call(tool, shell="touch x")).text == "run_command: not run: the human said no"
    assert (project.files, also.is_error) == ([], True)


@pytest.mark.acceptance("T-06", "AV-04")
async def test_where_nobody_can_be_asked_it_names_the_flag_that_would_have_allowed_it(tmp_path: Path) -> None:
    project = Project(tmp_path)
    output = await project.call(RunCommand(project.kit, BARE), argv=["touch", "a b"])
    assert (
        output.text
        == "run_command: run:touch 'a b': needs a yes; allow it with --allow 'run:touch '\"'\"'a b'\"'\"''"
    )
    flag = shlex.split(output.text.partition("--allow ")[2])[0]
    allowed = Project(tmp_path, rules=[Rule.parse(flag, Verdict.ALLOW)])
    assert not (await allowed.call(RunCommand(allowed.kit, BARE), argv=["touch", "a b"])).is_error
    assert allowed.files == ["a b"]


@pytest.mark.acceptance("T-07")
async def test_a_yes_for_the_chat_is_for_the_same_words_directory_network_and_program(project: Asking) -> None:
    tool = RunCommand(project.kit, BARE)
    project.answer = Answer.CHAT
    project.write("sub/x", "")
    project.write("tool", "#!/bin/sh\necho one\n").chmod(0o755)

    async def asks(**arguments: object) -> bool:
        before = len(project.asked)
        assert not (await project.call(tool, **arguments)).is_error
        project.gate.untaint()
        return len(project.asked) > before

    assert await asks(argv=["./tool"])
    assert not await asks(argv=["./tool"])
    assert await asks(argv=["./tool", "x"])
    assert await asks(argv=["../tool"], cwd="sub")
    assert await asks(argv=["./tool"], network=True)
    assert await asks(shell="./tool")
    project.write("tool", "#!/bin/sh\necho two\n")
    assert await asks(argv=["./tool"])
    assert not await asks(argv=["./tool"])


@pytest.mark.acceptance("T-07", "T-10")
async def test_a_program_that_is_exchanged_while_the_question_is_open_is_not_run(project: Asking) -> None:
    project.write("tool", "#!/bin/sh\necho good\n").chmod(0o755)
    project.meanwhile = lambda: project.write("tool", "#!/bin/sh\ntouch evil\n")
    output = await project.call(RunCommand(project.kit, BARE), argv=["./tool"])
    assert output.text.endswith("/tool: changed while the question was open; nothing was run")
    assert project.files == ["tool"]


WORDS = st.lists(
    st.text(st.sampled_from("ab ;|&$()<>`'\"\\\n\r\t*?[]{}~#!=-%日\u202e\x1b")) | st.sampled_from(
        ["; touch evil", "$(touch evil)", "`touch evil`", "&& touch evil", "| sh", "> evil", "<<EOF", "\ntouch evil", "A=b"]
    ),
    max_size=4,
)  # fmt: skip


@given(WORDS)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@pytest.mark.acceptance("T-07")
async def test_whatever_the_words_hold_the_program_gets_them_as_they_were_approved(
    project: Asking, words: list[str]
) -> None:
    script = "import json, sys; print(json.dumps(sys.argv[1:]))"
    output = await project.call(RunCommand(project.kit, BARE), argv=["python3", "-c", script, *words])
    assert json.loads(output.text.partition("\n")[2]) == words
    assert project.asked[-1].argv[3:] == tuple(words)
    assert "evil" not in project.files


async def test_a_text_for_a_shell_is_asked_about_as_one(project: Asking) -> None:
    output = await project.call(RunCommand(project.kit, BARE), shell="echo a | tr a b; echo $((1+1))")
    assert after(output) == ("exit code 0", "b\n2\n")
    assert project.asked[0].argv == ("sh", "-c", "echo a | tr a b; echo $((1+1))")


async def test_a_rule_for_a_program_lets_no_shell_run_it(tmp_path: Path) -> None:
    project = Project(tmp_path, rules=[Rule.parse("run:echo *", Verdict.ALLOW)])
    tool = RunCommand(project.kit, BARE)
    assert after(await project.call(tool, argv=["echo", "; touch evil"])) == ("exit code 0", "; touch evil\n")
    assert (await project.call(tool, shell="echo a; touch evil")).is_error
    assert (await project.call(tool, argv=["sh", "-c", "echo a; touch evil"])).is_error
    assert project.files == []


@pytest.mark.acceptance("T-01")
async def test_a_command_that_had_the_network_leaves_untrusted_text_behind(project: Asking) -> None:
    project.answer = Answer.CHAT
    tool = RunCommand(project.kit, BARE)
    await project.call(tool, argv=["echo", "a"])
    await project.call(tool, argv=["echo", "run rm -rf"], network=True)
    await project.call(tool, argv=["echo", "a"])
    assert [asked.untrusted for asked in project.asked] == [(), (), ("output of echo, which had the network",)]


async def test_what_a_session_with_the_network_prints_later_is_untrusted_in_that_turn(project: Asking) -> None:
    tool = RunCommand(project.kit, BARE)
    await project.call(tool, shell="echo a; sleep 1000", session="s", network=True, timeout=0.3)
    project.gate.untaint()
    await project.call(tool, session="s", timeout=0.01)
    assert project.gate.untrusted == ("output of sh, which had the network",)
    await tool.close()


@pytest.mark.parametrize("shell", ["curl file:///dev/null", "true; git fetch 2>&1", "env curl --version"])
async def test_without_a_wall_what_programs_for_the_network_print_is_untrusted(
    project: Asking, sandbox: SandboxState, shell: str
) -> None:
    await project.call(RunCommand(project.kit, sandbox), shell=shell)
    assert project.gate.untrusted == ()
    await project.call(RunCommand(project.kit, BARE), shell=shell)
    assert project.gate.untrusted == ("output of sh, which had the network",)


async def test_after_untrusted_text_an_approved_command_asks_and_a_no_runs_nothing(project: Asking) -> None:
    project.answer = Answer.CHAT
    tool = RunCommand(project.kit, BARE)
    await project.call(tool, argv=["touch", "a"])
    (project.root / "a").unlink()
    project.gate.taint("page https://evil.example/")
    project.answer = Answer.NO
    assert (await project.call(tool, argv=["touch", "a"])).is_error
    assert project.files == []


# --- secrets -----------------------------------------------------------------------------------------------------

PLACES = [
    ".env", "app/.env.production", "certs/server.pem", "certs/tls.key", "id_rsa", ".npmrc", ".pypirc", ".netrc",
    "credentials.json", "deploy/.aws/credentials", "infra/prod.tfvars", "k/.ssh/config", ".ENV.local",
]  # fmt: skip


async def test_secrets_of_the_project_the_home_and_the_environment_are_not_there_for_a_command(
    project: Asking, sandbox: SandboxState, home: Path
) -> None:
    for number, place in enumerate(PLACES):
        project.write(place, f"CANARY-{number}")
    elsewhere = project.root.parent / "elsewhere"
    (elsewhere / ".ssh").mkdir(parents=True)
    (elsewhere / ".ssh" / "id_ed25519").write_text("CANARY-ssh")
    (elsewhere / ".config" / "motet").mkdir(parents=True)
    (elsewhere / ".config" / "motet" / "config.toml").write_text("CANARY-own")
    project.write("ordinary.txt", "seen")
    (project.root / "link").symlink_to(".env")
    environ = {
        "PATH": os.environ["PATH"], "HOME": str(elsewhere), "XDG_CONFIG_HOME": str(elsewhere / ".config"),
        "XDG_STATE_HOME": str(elsewhere / "state"), "OPENAI_API_KEY": "CANARY-key", "DATABASE_URL": "pg://u:CANARY@h/d",
    }  # fmt: skip
    tool = RunCommand(project.kit, sandbox, environ=environ)
    output = await project.call(
        tool,
        shell="(cat * .[a-zA-Z]* */* */.[a-z]* */*/* link; grep -r CANARY . ~; env; cat /proc/self/environ) 2>&1; false",
    )
    assert "seen" in output.text
    assert "CANARY" not in output.text
    assert "(hidden from commands: " in output.text
    assert (project.root / ".env").read_text() == "CANARY-0"


@pytest.mark.acceptance("T-02")
async def test_a_command_cannot_change_what_would_run_later_or_widen_its_rights(
    project: Asking, sandbox: SandboxState
) -> None:
    project.git("init", "-q")
    project.write("AGENTS.md", "rules")
    project.write(".vscode/settings.json", "{}")
    project.write("sub/.envrc.d/x", "")
    before = (project.root / ".git" / "config").read_bytes()
    script = (
        "echo x > AGENTS.md; echo x > .vscode/settings.json; echo x > .vscode/tasks.json; git config core.editor evil;"
        "echo x > .git/hooks/pre-commit; echo x > ~/.bashrc; echo ok > new; git add new; git -c user.name=a -c user.email=b commit -qm new; git log --format=%s"
    )
    output = await project.call(RunCommand(project.kit, sandbox), shell=f"({script}) 2>/dev/null")
    assert after(output) == ("exit code 0", "new\n")
    assert project.read("AGENTS.md") == b"rules"
    assert project.read(".vscode/settings.json") == b"{}"
    assert not (project.root / ".vscode" / "tasks.json").exists()
    assert (project.root / ".git" / "config").read_bytes() == before
    assert not (project.root / ".git" / "hooks" / "pre-commit").exists()


async def test_what_a_command_makes_in_a_protected_place_is_told_to_both(project: Asking, wall: SandboxState) -> None:
    project.write(".github/a.yml", "x")
    script = "mkdir .vscode; echo x > .vscode/tasks.json; echo x > .envrc; echo y > ordinary"
    output = await project.call(RunCommand(project.kit, wall), shell=script)
    assert after(output)[0] == "exit code 0"
    assert "\n(new in protected places, the human is told: .envrc, .vscode)\n" in output.text
    assert project.told == [Told("run_command", "note", "new in protected places: .envrc, .vscode")]


# --- output ------------------------------------------------------------------------------------------------------


async def test_long_output_shows_head_and_tail_and_names_the_file_that_has_it_all(
    project: Asking, wall: SandboxState
) -> None:
    script = "print('begin'); print('日' * 60_000); print('end')"
    output = await project.call(RunCommand(project.kit, wall), argv=["python3", "-c", script])
    assert len(output.text) <= MAX_OUTPUT_CHARACTERS
    how, said = after(output)
    assert (how, said.startswith("begin\n日"), said.endswith("日\nend\n")) == ("exit code 0", True, True)
    named = Path(said.partition("the whole is in ")[2].partition("]")[0])
    assert named.parent == project.kit.outputs
    assert named.read_text() == f"begin\n{'日' * 60_000}\nend\n"


async def test_a_program_that_never_stops_printing_is_ended(
    project: Asking, wall: SandboxState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_command, "MAX_BYTES", 2**20)
    output = await project.call(RunCommand(project.kit, wall), argv=["yes"])
    assert after(output)[0] == "more than 1 MiB of output; stopped"
    assert output.is_error


async def test_what_no_terminal_may_see_reaches_the_model_as_it_is(project: Asking) -> None:
    output = await project.call(RunCommand(project.kit, BARE), argv=["printf", r"\033]0;title\007\xff"])
    assert after(output)[1] == "\x1b]0;title\x07\ufffd"


# --- the end -----------------------------------------------------------------------------------------------------

LEAVES = "setsid sh -c ': %s; trap \"\" TERM HUP; echo > left; while :; do sleep 1000; done' > /dev/null 2>&1 & "
STAYS = "echo $$ > shell; sleep 1000 & echo $! > child; trap '' TERM; echo up; while :; do sleep 1000; done"


def marked(marker: str) -> list[int]:
    """The processes whose command line holds `marker`, by descriptors that become readable when they end."""
    found: list[int] = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if marker.encode() in (place / "cmdline").read_bytes() and int(place.name) != os.getpid():
                found.append(os.pidfd_open(int(place.name)))
        except OSError:
            continue
    return found


def all_end(descriptors: list[int]) -> bool:
    """Whether all of them end within ten seconds."""
    poll = select.poll()
    for descriptor in descriptors:
        poll.register(descriptor, select.POLLIN)
    waiting = set(descriptors)
    while waiting and (ready := poll.poll(10_000)):
        for descriptor, _ in ready:
            poll.unregister(descriptor)
            os.close(descriptor)
            waiting.discard(descriptor)
    return not waiting


@pytest.mark.acceptance("T-34")
async def test_after_its_time_it_is_stopped_with_all_that_it_started(project: Asking, wall: SandboxState) -> None:
    marker = f"marker-{project.root.parent.name}"
    running = asyncio.create_task(
        project.call(RunCommand(project.kit, wall), shell=f": {marker}; {STAYS}", timeout=1)
    )
    await project.has_told()
    processes = marked(marker)
    assert processes
    output = await running
    assert output.text == "no end after 1 s; stopped, with everything it had started\nup\n"
    assert output.is_error
    assert await asyncio.to_thread(all_end, processes)


@pytest.mark.acceptance("T-34")
async def test_when_the_turn_is_stopped_control_is_back_at_once_and_its_processes_end(
    project: Asking, wall: SandboxState
) -> None:
    marker = f"marker-{project.root.parent.name}"
    running = asyncio.create_task(project.call(RunCommand(project.kit, wall), shell=f": {marker}; {STAYS}"))
    await project.has_told()
    processes = marked(marker)
    assert processes
    started = asyncio.get_running_loop().time()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert asyncio.get_running_loop().time() - started < 1  # five times the promise
    assert await asyncio.to_thread(all_end, processes)


async def test_what_leaves_its_group_ends_with_the_command(project: Asking, wall: SandboxState) -> None:
    marker = f"marker-{project.root.parent.name}"
    os.mkfifo(project.root / "left")
    os.mkfifo(project.root / "go")
    script = f"{LEAVES % marker} read line < left; echo up; read line < go"
    running = asyncio.create_task(project.call(RunCommand(project.kit, wall), shell=script))
    await project.has_told()
    processes = marked(marker)
    assert len(processes) >= 2
    await asyncio.to_thread((project.root / "go").write_text, "\n")
    assert after(await running) == ("exit code 0", "up\n")
    assert await asyncio.to_thread(all_end, processes)


PARENT = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tools.tool_kit import Project
from motet.process.sandbox import SandboxState, find_sandbox
from motet.tools.builtin.run_command import RunCommand
from motet.tools.kit import Told

async def main():
    project = Project(Path.cwd(), allow=True)
    state = await find_sandbox() if sys.argv[2] == "sandbox" else SandboxState(None, "")
    tool = RunCommand(project.kit, state)
    more = {"session": "s"} if sys.argv[4] == "session" else {}
    running = asyncio.create_task(project.call(tool, shell=sys.argv[3], **more))
    while not project.told:
        await asyncio.sleep(0)
    print("up", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.parametrize("kind", ["call", "session"])
@pytest.mark.acceptance("T-34")
def test_when_motet_is_killed_its_commands_end(tmp_path: Path, wall: SandboxState, kind: str) -> None:
    marker = f"marker-{tmp_path.name}"
    which = "sandbox" if wall.sandbox else "bare"
    tests = str(Path(__file__).parent.parent)
    argv = [sys.executable, "-c", PARENT, tests, which, f": {marker}; {STAYS}", kind]
    parent = subprocess.Popen(argv, cwd=tmp_path, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"up\n"
    processes = marked(marker)
    assert len(processes) >= 2
    parent.kill()
    parent.wait()
    assert all_end(processes)
    parent.stdout.close()


# --- sessions ----------------------------------------------------------------------------------------------------

SERVER = "exec 3<>in; echo up; while read line <&3; do echo heard $line; [ $line = end ] && exit 4; done"


async def test_a_session_is_read_again_and_again_until_it_ends(project: Asking, wall: SandboxState) -> None:
    os.mkfifo(project.root / "in")
    tool = RunCommand(project.kit, wall)
    begun = await project.call(tool, shell=SERVER, session="server", timeout=0.5)
    assert begun.text.startswith("session server: running for ")
    assert (begun.text.partition("\n")[2], begun.is_error) == ("up\n", False)
    await asyncio.to_thread((project.root / "in").write_text, "one\n")
    await project.has_told(2)
    assert (await project.call(tool, session="server", timeout=0.1)).text.partition("\n")[2] == "heard one\n"
    assert (await project.call(tool, session="server", timeout=0.1)).text.partition("\n")[2] == "(no output)"
    await asyncio.to_thread((project.root / "in").write_text, "end\n")
    ended = await project.call(tool, session="server", timeout=30)
    assert (*after(ended), ended.is_error) == ("session server: exit code 4", "heard end\n", True)
    assert (await project.call(tool, session="server")).is_error
    assert len(project.asked) == 1


async def test_a_session_is_stopped_and_its_name_is_free_again(project: Asking, wall: SandboxState) -> None:
    tool = RunCommand(project.kit, wall)
    shell = "trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.05; done"
    for _ in range(2):
        await project.call(tool, shell=shell, session="s", timeout=0.5)
        again = await project.call(tool, argv=["ls"], session="s")
        assert again.text == "run_command: session s is there already: read it, or end it with stop"
        stopped = await project.call(tool, session="s", stop=True)
        assert (after(stopped)[0], stopped.is_error) == ("session s: stopped", False)
        assert stopped.text.endswith("bye\n")


async def test_closing_the_tool_ends_its_sessions(project: Asking, wall: SandboxState) -> None:
    marker = f"marker-{project.root.parent.name}"
    tool = RunCommand(project.kit, wall)
    for name in ("a", "b"):
        await project.call(tool, shell=f": {marker}; {STAYS}", session=name, timeout=0.1)
    processes = marked(marker)
    assert len(processes) >= 2
    await tool.close()
    assert await asyncio.to_thread(all_end, processes)


async def test_there_are_only_so_many_sessions(project: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_command, "MAX_SESSIONS", 1)
    tool = RunCommand(project.kit, BARE)
    await project.call(tool, argv=["sleep", "1000"], session="a", timeout=0.01)
    refused = await project.call(tool, argv=["sleep", "1000"], session="b")
    assert refused.text == "run_command: there are 1 sessions already: a; end one with stop"
    await tool.close()


@pytest.mark.acceptance("S0-107")
async def test_a_command_of_a_model_without_the_tool_is_not_run(project: Asking) -> None:
    from motet.messages import ToolCall

    [output] = await Toolbox([]).run([ToolCall("1", "run_command", '{"argv": ["touch", "x"]}')])
    assert (output.is_error, project.files, project.asked) == (True, [], [])


# --- secrets in what is printed ----------------------------------------------------------------------------------

GITHUB = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
STAGED = f"DB_PASSWORD=correct-horse\nTOKEN={GITHUB}\nMODE=development\n"


def staged(project: Asking) -> None:
    """A repository in which a file of secrets is staged, and an ordinary file has changed."""
    (project.root / ".env").write_text(STAGED)
    (project.root / "a.py").write_text("mode = 'development'\n")
    for command in (["init", "-q"], ["add", "-f", ".env", "a.py"]):
        subprocess.run(["git", *command], cwd=project.root, check=True)


@pytest.mark.acceptance("T-11")
async def test_a_diff_that_a_command_prints_leaves_out_files_of_secrets(project: Asking, wall: SandboxState) -> None:
    staged(project)
    tool = RunCommand(project.kit, sandbox=wall)
    output = await project.call(tool, argv=["git", "diff", "--cached", "--no-color"])
    head, said = after(output)
    assert head == "exit code 0"
    assert "correct-horse" not in said and GITHUB not in said
    assert said.splitlines()[:2] == ["diff --git a/.env b/.env", "[left out: .env is a file of secrets]"]
    assert "+mode = 'development'" in said.splitlines()


@pytest.mark.acceptance("T-11")
async def test_what_a_file_of_secrets_sets_is_masked_wherever_a_command_prints_it(
    project: Asking, wall: SandboxState
) -> None:
    staged(project)
    tool = RunCommand(project.kit, sandbox=wall)
    output = await project.call(tool, shell="git show :.env; git show :a.py")
    assert after(output) == (
        "exit code 0",
        "DB_PASSWORD=[redacted: known secret]\nTOKEN=[redacted: github token]\nMODE=development\nmode = 'development'\n",
    )


@pytest.mark.acceptance("T-11")
async def test_the_file_with_the_whole_of_a_long_output_has_no_secret_in_it(
    project: Asking, wall: SandboxState
) -> None:
    staged(project)
    tool = RunCommand(project.kit, sandbox=wall)
    await project.call(tool, shell=f"git show :.env; seq 1 20000; echo {GITHUB}; git diff --cached; git show :a.py")
    (kept,) = project.kit.outputs.iterdir()
    text = kept.read_text()
    assert "correct-horse" not in text and GITHUB not in text
    assert text.count("\n20000\n") == 1 and text.endswith("mode = 'development'\n")
    assert kept.stat().st_mode & 0o777 == 0o600

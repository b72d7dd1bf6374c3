"""`motet ask`: a question in, an answer out, in pipes and for programs; and what may go wrong."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.kit import BIN, DEADLINE, MAY_SEND, Done, Project, Provider, edit

from motet.models.scripted import Answer, HttpError, call
from motet.models.scripted.answers import Wire

Serve = Callable[..., Provider]
PLAIN = MAY_SEND + "[chat]\ntitles = false\n"
"""Settings under which the only requests are those of the question."""


@pytest.fixture
def answers(provider: Serve) -> Callable[..., Provider]:
    """`answers(step, …)`: a provider that answers so; a text is an answer."""

    def start(*steps: object, more: str = PLAIN, **how: object) -> Provider:
        return provider([Answer(text=step) if isinstance(step, str) else step for step in steps], more=more, **how)

    return start


def said(provider: Provider, number: int = 0) -> list[str]:
    """The texts of one request's user messages."""
    messages = provider.requests[number].body["messages"]
    assert isinstance(messages, list)
    return [message["content"] for message in messages if message["role"] == "user"]


def git(project: Project, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=project.root, env=project.env(), check=True, capture_output=True)


# --- an answer -------------------------------------------------------------------------------------------------


@pytest.mark.acceptance("PY-04")
def test_the_answer_is_all_of_stdout_and_talk_is_on_stderr(project: Project, answers: Serve) -> None:
    served = answers("It is *permission denied*.\n")
    done = project.run("ask", "what does", "errno 13 mean?")
    assert (done.code, done.out) == (0, "It is *permission denied*.\n")
    assert done.err == "Model: scripted/one (set in the settings)\n"
    assert said(served) == ["what does errno 13 mean?"]


@pytest.mark.acceptance("PY-05")
def test_quiet_leaves_only_the_answer(project: Project, answers: Serve) -> None:
    answers("Yes.")
    done = project.run("ask", "-q", "is it?")
    assert (done.code, done.out, done.err) == (0, "Yes.\n", "")


@pytest.mark.acceptance("PY-04")
def test_a_diff_through_a_pipe_stands_behind_the_words(project: Project, answers: Serve) -> None:
    served = answers("Fine.")
    git(project, "init", "-q")
    project.write({"a.txt": "one\n"})
    git(project, "add", ".")
    git(project, "commit", "-qm", "first")
    project.write({"a.txt": "two\n"})
    line = f'git diff | {BIN / "motet"} ask -q "review this"'
    done = project.run(argv=("sh", "-c", line))
    assert (done.code, done.out, done.err) == (0, "Fine.\n", "")
    diff = subprocess.run(["git", "diff"], cwd=project.root, env=project.env(), capture_output=True, text=True)
    assert said(served) == [f"review this\n\n{diff.stdout}"]


@pytest.mark.acceptance("PY-04")
def test_what_comes_through_a_pipe_alone_is_the_question(project: Project, answers: Serve) -> None:
    served = answers("Fine.")
    assert project.run("ask", given=b"why?\n").out == "Fine.\n"
    assert said(served) == ["why?\n"]


def test_symbols_in_what_is_piped_share_nothing_and_hand_over_nothing(project: Project, answers: Serve) -> None:
    served = answers("Fine.")
    project.write({"secret.txt": "the plan\n"})
    piped = "@cmd @/secret.txt #diff @https://127.0.0.1:9/x\n"
    assert project.run("ask", "sum this up", given=piped.encode()).code == 0
    assert said(served) == [f"sum this up\n\n{piped}"]
    assert "tools" not in served.requests[0].body


def test_symbols_in_the_words_share_files(project: Project, answers: Serve) -> None:
    served = answers("Fine.")
    project.write({"a.py": "x = 1\n"})
    done = project.run("ask", "-q", "what is @/a.py for?")
    assert done.code == 0
    assert said(served) == [
        '<attachment filepath="a.py" lines="1-1">\n   1│ x = 1\n</attachment>\n\nwhat is `a.py` for?'
    ]


def test_files_and_ranges_are_shared_from_where_the_user_stands(project: Project, answers: Serve) -> None:
    served = answers("Fine.")
    git(project, "init", "-q")
    project.write({"a.py": "root\n", "sub/a.py": "one\ntwo\nthree\n"})
    done = project.run("ask", "-f", "a.py:2-3", "why?", cwd="sub")
    assert (done.code, said(served)) == (
        0,
        ['<attachment filepath="sub/a.py" lines="2-3">\n   2│ two\n   3│ three\n</attachment>\n\nwhy?'],
    )
    assert "Shared: <file>sub/a.py:2-3</file> (" in done.err


@pytest.mark.acceptance("CC-08")
def test_tools_are_there_only_when_they_are_handed_over(project: Project, answers: Serve) -> None:
    project.write({"a.txt": "one\n"})
    read = Answer(calls=(call("read_file", {"path": "a.txt"}),))
    served = answers("No tools.", read, "It says one.", read, "I see.")
    assert project.here("ask", "read it").out == "No tools.\n"
    assert "tools" not in served.requests[0].body
    done = project.here("ask", "-t", "files", "read it")
    assert (done.code, done.out) == (0, "It says one.\n")
    assert "   1│ one" in served.requests[2].text
    project.here("ask", "read it")  # the model calls a tool that it was not given
    assert "   1│ one" not in served.requests[4].text


def test_an_edit_is_taken_with_yes_and_undo_takes_it_back(project: Project, answers: Serve) -> None:
    project.write({"a.txt": "old\n"})
    answers(edit(("a.txt", "old\n", "new\n")), "Done.")
    done = project.here("ask", "-y", "-t", "editor", "change it")
    assert (done.code, done.out, project.text("a.txt")) == (0, "I repair it.\n\nDone.\n", "new\n")
    assert project.here("undo").code == 0
    assert project.text("a.txt") == "old\n"


def test_at_a_terminal_one_question_names_where_it_goes_and_the_answer_is_remembered(
    project: Project, answers: Serve
) -> None:
    served = answers("Yes.", "Again.", more="[chat]\ntitles = false\n")
    human = project.human("ask", "is it?")
    human.sees(served.host)
    human.is_asked("Allow it? [y]es for this project, [o]nce, [n]o")
    assert served.requests == []
    human.presses("y")
    human.sees("Yes.")
    assert human.ends() == 0
    assert project.run("ask", "-q", "and now?").out == "Again.\n"


def test_a_question_is_asked_at_the_terminal_though_text_comes_through_a_pipe(
    project: Project, answers: Serve
) -> None:
    served = answers("Yes.", more="[chat]\ntitles = false\n")
    line = f"echo piped | {BIN / 'motet'} ask 'is it?'"
    human = project.human("-c", line, argv=("sh",))
    human.is_asked("Allow it? ")
    human.presses("n")
    human.sees("motet: send:scripted")
    assert (human.ends(), served.requests) == (4, [])


def test_a_request_that_does_not_fit_is_input_that_is_not_usable(project: Project, answers: Serve) -> None:
    served = answers("Never.")
    project.write({"big.txt": "word " * 39_000, "more.txt": "words " * 33_000})
    done = project.run("ask", "-q", "sum up @/big.txt and @/more.txt")
    assert (done.code, done.out, served.requests) == (3, "", [])
    assert "nothing was sent" in one_line(done)


def test_what_it_may_cost_is_a_limit(project: Project, answers: Serve) -> None:
    served = answers("Never.")
    done = project.run("ask", "--max-cost", "0.0001", "is it?")
    assert (done.code, done.out, served.requests) == (3, "", [])
    assert one_line(done).startswith("Stopped: budget of $0.0001")


def test_a_file_and_a_variable_that_there_are_not_are_named(project: Project, answers: Serve) -> None:
    answers("Yes.")
    done = project.here("ask", "-q", "what do @nosuch.py and #bogus say?")
    assert (done.code, done.out) == (0, "Yes.\n")
    assert done.err == ("@nosuch.py: no such file; sent as text\n#bogus: no such variable; sent as text\n")


def test_offline_what_comes_through_a_pipe_is_looked_into(project: Project) -> None:
    text = "".join(f"line {number} of it\n" for number in range(7)) + "\nport = 8080\n"
    done = project.here("ask", "-m", "offline", "-q", "where is the port?", given=text.encode())
    assert "`your message`\n```\nport = 8080\n```\n" in done.out
    alone = project.here("ask", "-m", "offline", "-q", given=text.encode())
    assert alone.out.startswith(
        "I am the offline model: I apply suggested fixes and close names, I do not reason. Your"
    )


@pytest.mark.acceptance("T-27")
def test_in_plan_mode_yes_to_everything_writes_nothing(project: Project, provider: Serve) -> None:
    makes = Answer(calls=(call("create_file", {"path": "new.txt", "content": "x\n"}),))
    served = provider(
        [makes, Answer(text="I would make new.txt.")], more='[permissions]\nallow = ["send", "write", "run"]\n'
    )
    done = project.here("ask", "-y", "-t", "agent", "-t", "plan", "--no-history", "make it")
    assert (done.code, done.out) == (0, "I would make new.txt.\n")
    assert list(project.root.iterdir()) == []
    assert "create_file" not in [tool["function"]["name"] for tool in served.requests[0].body["tools"]]


def test_what_it_may_cost_needs_a_price_and_nothing_is_sent_or_kept_without_one(
    project: Project, answers: Serve
) -> None:
    served = answers("Never.")
    project.settings("\n".join(line for line in project.config.read_text().splitlines() if "_price" not in line))
    done = project.here("ask", "--max-cost", "1", "is it?")
    assert (done.code, done.out, served.requests) == (2, "", [])
    assert done.err.splitlines()[-1] == (
        "motet: chat.max_cost is a cap in dollars, and the price of scripted/one is not known; set "
        "providers.scripted.input_price and output_price, or use chat.max_tokens"
    )
    assert project.here("history", "list").out == ""
    assert project.here("ask", "--max-cost", "1", "-m", "offline", "is it?").code == 0


# --- for programs ----------------------------------------------------------------------------------------------


@pytest.mark.acceptance("PY-05")
def test_json_is_one_event_a_line_with_its_schema(project: Project, answers: Serve) -> None:
    answers("Yes.")
    done = project.run("ask", "--json", "is it?")
    assert [event["event"] for event in done.events] == ["started", "sent", "asked", "text", "titled", "ended"]
    assert {event["schema"] for event in done.events} == {1}
    assert done.event("text")["text"] == "Yes."
    ended = done.event("ended")
    assert (ended["reason"], ended["tokens"]) == ("done", {"input": 100, "output": 20})


def test_json_tells_of_an_error_too(project: Project, answers: Serve) -> None:
    answers(HttpError(401, "no such key"))
    done = project.run("ask", "--json", "is it?")
    assert done.code == 3
    assert (done.events[-1]["event"], done.events[-1]["exit_code"]) == ("error", 3)
    assert done.err.splitlines()[-1] == f"motet: {done.events[-1]['message']}"


def test_a_recorded_session_plays_again(project: Project, answers: Serve) -> None:
    project.write({"a.txt": "one\n"})
    read = Answer(text="I look.", calls=(call("read_file", {"path": "a.txt"}),))
    answers(read, "It says one.")
    tape = str(project.root.parent / "tape.jsonl")
    first = project.here("ask", "-t", "files", "--record", tape, "read it")
    again = project.here("ask", "-t", "files", "-m", f"replay:{tape}", "read it")
    assert (first.code, first.out) == (0, "I look.\n\nIt says one.\n")
    assert (again.code, again.out) == (0, first.out)


def test_chats_are_kept_unless_the_user_says_no(project: Project) -> None:
    for words in (("-m", "offline", "kept"), ("-m", "offline", "--no-history", "lost")):
        assert project.here("ask", *words).code == 0
    listed = project.here("history", "list", "--json").events
    assert [(chat["title"], chat["cycles"]) for chat in listed] == [("kept", 1)]


# --- what may go wrong -----------------------------------------------------------------------------------------


def one_line(done: Done) -> str:
    """The last line of stderr; there is no other talk after the model's name."""
    assert "Traceback" not in done.err
    return done.err.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "given", "code", "line"),
    [
        ((), b"", 2, 'motet: nothing was asked; give a question, as in: motet ask "what is a monad?"'),
        (("  ",), b" \n", 2, 'motet: nothing was asked; give a question, as in: motet ask "what is a monad?"'),
        (("why?",), b"a\0b", 3, "motet: standard input: binary data; give what is piped as text"),
        (("-f", "nosuch.py", "why?"), b"", 2, "motet: nosuch.py: no such file"),
        (("-f", "", "why?"), b"", 2, "motet: (empty path): not a path"),
        (("-f", "../out.py", "why?"), b"", 2, "motet: ../out.py: no such file"),
        (("-t", "filez", "why?"), b"", 2, "motet: filez: there is no such tool or group; did you mean files?"),
        (("-m", "offlin", "why?"), b"", 2, "motet: model offlin: no such provider; did you mean offline? (`motet models`"),
        (("-m", "openai", "why?"), b"", 3, "motet: openai: OPENAI_API_KEY is not set"),
        (("-m", "replay:nosuch", "why?"), b"", 2, "motet: nosuch: "),
    ],
    ids=["nothing", "blanks", "binary", "absent", "empty-path", "outside", "tool", "model", "no-key", "replay"],
)  # fmt: skip
def test_wrong_input_is_one_line(
    project: Project, arguments: tuple[str, ...], given: bytes, code: int, line: str
) -> None:
    done = project.here("ask", *arguments, given=given)
    assert (done.code, done.out) == (code, "")
    assert one_line(done).startswith(line)


def test_a_binary_file_is_not_shared(project: Project) -> None:
    project.write({"a.bin": b"\x00\x01\x02"})
    done = project.here("ask", "-m", "offline", "-f", "a.bin", "why?")
    assert (done.code, done.out) == (2, "")
    assert one_line(done).startswith("motet: a.bin: ")


def test_a_file_of_secrets_is_not_shared_without_a_yes(project: Project) -> None:
    project.write({".env": "KEY=1\n"})
    done = project.here("ask", "-m", "offline", "-f", ".env", "why?")
    assert (done.code, done.out) == (4, "")
    assert "read:.env" in one_line(done)


def test_a_huge_pipe_is_refused_with_numbers_and_nothing_is_sent(project: Project, answers: Serve) -> None:
    served = answers("Never.")
    done = project.run("ask", "sum this up", given=b"word " * 200_000)
    assert (done.code, done.out) == (3, "")
    numbers = r"motet: the request has about 31\d,\d{3} tokens, 95,904 fit; the biggest: your message 1 312,505, "
    assert re.match(numbers, one_line(done))
    assert served.requests == []


@pytest.mark.acceptance("PY-13")
def test_a_reader_that_stops_early_ends_the_run_in_silence(project: Project, answers: Serve) -> None:
    answers(Answer(text="line\n" * 100_000))
    line = f'{BIN / "motet"} ask -q "many lines" </dev/null | head -2'
    done = project.run(argv=("sh", "-c", line))
    assert (done.out, done.err) == ("line\nline\n", "")


def test_a_closed_stdout_is_no_traceback(project: Project, answers: Serve) -> None:
    answers("Yes.")
    done = project.run(argv=("sh", "-c", f"{BIN / 'motet'} ask -q hello </dev/null >&-"))
    assert "Traceback" not in done.err


def test_a_full_disk_behind_stdout_is_one_line(project: Project, answers: Serve) -> None:
    answers("Yes.")
    done = project.run(argv=("sh", "-c", f"{BIN / 'motet'} ask -q hello </dev/null >/dev/full"))
    assert (done.code, done.err) == (1, "motet: standard output: No space left on device\n")


def test_nothing_is_sent_without_a_yes_and_the_line_says_what_allows_it(project: Project, answers: Serve) -> None:
    served = answers("Yes.", "Yes.", more="[chat]\ntitles = false\n")
    done = project.run("ask", "-y", "hello")
    assert (done.code, done.out, served.requests) == (4, "", [])
    assert one_line(done) == (
        f"motet: send:scripted {served.host}: needs a yes; allow it with --allow 'send:scripted {served.host}'"
    )
    assert project.run("ask", "--allow", "send", "hello").out == "Yes.\n"


def test_a_failing_provider_is_one_line_that_names_it(project: Project, answers: Serve) -> None:
    served = answers(HttpError(401, "wrong key"))
    done = project.run("ask", "hello")
    assert (done.code, done.out) == (3, "")
    assert one_line(done).startswith(f"motet: scripted ({served.host}): it wants a key")


def test_a_server_that_is_not_there_is_one_line(project: Project, answers: Serve) -> None:
    served = answers("Yes.")
    project.settings(project.config.read_text().replace(served.url, "http://127.0.0.1:9"))
    done = project.run("ask", "hello")
    assert (done.code, done.out) == (3, "")
    assert one_line(done).startswith("motet: scripted (127.0.0.1:9): ")


@pytest.mark.acceptance("PY-13")
def test_terminate_ends_a_slow_answer_with_130(project: Project, answers: Serve) -> None:
    served = answers(Answer(text="a b c d", wire=Wire(text_chars=1, stall_after=3)))
    running = subprocess.Popen(
        [BIN / "motet", "ask", "hello"], cwd=project.root, env=project.env(), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    served.was_asked()
    assert running.stdout is not None
    assert running.stdout.read(1) == b"a"
    running.terminate()
    _, err = running.communicate(timeout=DEADLINE)
    assert (running.returncode, b"Traceback" in err) == (130, False)


def test_a_directory_that_has_gone_is_one_line(project: Project) -> None:
    place = project.root / "gone"
    place.mkdir()
    line = f"cd {place} && rmdir {place} && {BIN / 'motet'} ask -m offline hello </dev/null"
    done = project.run(argv=("sh", "-c", line))
    assert (done.code, done.err) == (2, "motet: the current directory no longer exists; go to another one\n")


@pytest.mark.acceptance("PY-02")
def test_help_begins_with_examples(project: Project) -> None:
    done = project.here("ask", "--help")
    assert done.out.index("Examples:") < done.out.index("Options:")
    assert max(map(len, done.out.splitlines())) <= 80


def test_the_state_directory_may_be_read_only(project: Project) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    Path(project.state).mkdir(parents=True)
    Path(project.state).chmod(0o500)
    done = project.here("ask", "-m", "offline", "hello")
    assert done.code == 1 and one_line(done).startswith("motet: ")


def test_a_script_file_serves_the_same_way(project: Project, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"answers": [{"text": "From a file."}]}))
    with subprocess.Popen(
        [sys.executable, "-m", "motet.models.scripted", "--script", str(script)],
        stdout=subprocess.PIPE, text=True, env=project.env(),
    ) as server:  # fmt: skip
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        project.settings(
            f'model = "mine/x"\n[providers.mine]\nbase_url = "{url}/v1"\ndialect = "openai"\n'
            '[permissions]\nallow = ["send"]\n[chat]\ntitles = false\n'
        )
        try:
            assert project.run("ask", "-q", "hello").out == "From a file.\n"
        finally:
            server.terminate()

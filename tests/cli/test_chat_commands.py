"""`motet context`, `inspect`, `rules`, `prompt` and `log`: what is sent, what goes along, what is at hand."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.kit import CHECKER, MAY_SEND, Project, Provider, edit

from motet.models.scripted import Answer, HttpError, call

Serve = Callable[..., Provider]
PLAIN = MAY_SEND + "[chat]\ntitles = false\n"
OFFLINE = ("-m", "offline")


def git(project: Project, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=project.root, env=project.env(), check=True, capture_output=True)


def prompt(project: Project, name: str, text: str) -> None:
    """A prompt of the user's own."""
    place = project.config.parent / "prompts" / f"{name}.md"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def users(provider: Provider, number: int) -> list[str]:
    """The texts of the user messages in one request."""
    messages = provider.requests[number].body["messages"]
    assert isinstance(messages, list)
    return [message["content"] for message in messages if message["role"] == "user"]


# --- context ---------------------------------------------------------------------------------------------------


@pytest.mark.acceptance("S0-038")
def test_context_lists_each_item_and_the_rows_add_up(project: Project) -> None:
    project.write({"a.py": "x = 1\n", "AGENTS.md": "Use tabs.\n"})
    done = project.here("context", *OFFLINE, "-f", "a.py", "why so slow?")
    assert (done.code, done.err) == (0, "")
    *rows, total = [re.split(r" {2,}", line.strip()) for line in done.out.splitlines()]
    assert [row[1:] for row in rows] == [
        ["system_prompt_from_config", "system prompt from config"],
        ["rules", "<rules>AGENTS.md</rules>", "(project)"],
        ["file", "<file>a.py</file>", "(the command line)"],
        ["user", "your message 1: why so slow?"],
        ["frame", "around each message"],
    ]
    assert re.fullmatch(r"of 200,000 tokens \(0\.\d %\) of offline", total[1])
    assert sum(int(row[0].replace(",", "")) for row in rows) == int(total[0].replace(",", ""))


def test_context_as_json_ends_with_the_totals(project: Project) -> None:
    project.write({"a.py": "x = 1\n"})
    events = project.here("context", *OFFLINE, "--json", "-f", "a.py").events
    assert {event["schema"] for event in events} == {1}
    assert [event["item"] for event in events[:-1]][1] == "<file>a.py</file>"
    total = events[-1]
    assert (total["model"], total["window"], total["shared"]) == ("offline", 200_000, ["<file>a.py</file>"])
    assert sum(event["tokens"] for event in events[:-1]) == total["tokens"]


def test_context_of_a_stored_chat_has_what_was_said_in_it(project: Project) -> None:
    project.write({"a.py": "x = 1\n"})
    project.here("ask", *OFFLINE, "-f", "a.py", "why?")
    before = project.here("history", "list", "--json").out
    for name in ("last", json.loads(before)["id"], json.loads(before)["id"][-8:].lower()):
        done = project.here("context", name, "and", "then?")
        assert done.code == 0
        names = [re.split(r" {2,}", line.strip())[2] for line in done.out.splitlines()[:-1]]
        assert names[1:4] == ["<file>a.py</file>", "your message 1: why?", names[3]]
        assert names[3].startswith("answer 1: ") and names[4] == "your message 2: and then?"
    assert project.here("history", "list", "--json").out == before


def test_context_of_a_chat_whose_id_looks_like_a_word(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("motet.messages.ulid._DIGITS", "ABCDEFGHJKMNPQRSTVWXYZABCDEFGHJK")
    project.here("ask", *OFFLINE, "why?")
    named = json.loads(project.here("history", "list", "--json").out)["id"][-8:].lower()
    assert named.isalpha()
    assert "your message 1: why?" in project.here("context", named, "then?").out
    done = project.here("context", "spaceage", "then?")
    assert (done.code, "your message 1: spaceage then?" in done.out) == (0, True)


def test_context_of_a_chat_whose_model_is_gone_says_so_and_takes_another(project: Project, provider: Serve) -> None:
    provider([Answer(text="Yes.")], more=PLAIN)
    project.here("ask", "hello")
    project.settings('model = "offline"\n')
    done = project.here("context", "last")
    assert done.code == 0
    assert done.err.startswith("scripted/one, the model of ")
    assert done.out.splitlines()[-1].endswith("of offline")


@pytest.mark.parametrize("command", ["context", "inspect"])
def test_what_is_too_long_is_shown_and_nothing_is_asked(project: Project, provider: Serve, command: str) -> None:
    served = provider([], more=PLAIN)
    project.write({"long.txt": "word " * 100_000})
    done = project.here(command, "-f", "long.txt", "sum it up")
    assert (done.code, served.requests) == (0, [])
    assert "of 100,000 tokens" in done.out.splitlines()[-1]


# --- inspect ---------------------------------------------------------------------------------------------------


@pytest.mark.acceptance("S0-007", "S0-036")
def test_inspect_shows_the_request_that_is_then_sent(project: Project, provider: Serve) -> None:
    served = provider([Answer(text="Yes."), Answer(text="No.")], more=PLAIN)
    project.write({"a.py": "x = 1\n", "AGENTS.md": "Use tabs.\n"})
    words = ("-f", "a.py", "what is it with @files here?")
    shown = json.loads(project.here("inspect", "--wire", *words).out)
    assert served.requests == []
    assert project.here("ask", *words).code == 0
    assert served.requests[0].body == shown
    shown = json.loads(project.here("inspect", "--wire", "last", "go on").out)
    assert shown["messages"][-1] == {"role": "user", "content": "go on"}
    assert len(served.requests) == 1


def test_inspect_shows_what_a_model_without_tools_is_told_of_them(project: Project, provider: Serve) -> None:
    served = provider([Answer(text="Yes.")], more=PLAIN, tools=False)
    project.write({"a.py": "x = 1\n"})
    shown = json.loads(project.here("inspect", "--wire", "change it with @editor").out)
    assert project.here("ask", "change it with @editor").code == 0
    assert served.requests[0].body == shown
    assert "tools" not in shown and "read_file" in json.dumps(shown)


@pytest.mark.acceptance("S0-007")
def test_inspect_names_role_tag_and_tokens_of_every_message_hidden_ones_too(project: Project) -> None:
    project.write({"a.py": "x = 1\n"})
    done = project.here("inspect", *OFFLINE, "-f", "a.py", "read it with @read_file")
    heads = [re.sub(r"\d+(,\d+)* tokens", "N tokens", line) for line in done.out.splitlines() if line[:2] == "──"]
    assert heads == [
        "── 1  system  system_prompt_from_config  system prompt from config  N tokens  hidden",
        "── 2  system  tool_system_prompt  <tools>motet</tools>  N tokens  hidden",
        "── 3  system  tool  <tool>read_file</tool>  N tokens  hidden",
        "── 4  user  file  <file>a.py</file>  N tokens  hidden",
        heads[4],
        "── tool  read_file",
        heads[-1],
    ]
    assert heads[4].startswith("── 5  user  your message 1  ")
    assert '<attachment filepath="a.py" lines="1-1">\n   1│ x = 1\n</attachment>\n' in done.out


def test_inspect_as_json_is_the_same_for_every_provider(project: Project) -> None:
    shown = json.loads(project.here("inspect", *OFFLINE, "--json", "what is #diff?").out)
    assert (shown["schema"], shown["model"], shown["tools"]) == (1, "offline", [])
    message = shown["messages"][-1]
    assert (message["role"], message["visible"], message["cycle"]) == ("user", True, 1)
    assert project.here("history", "list", "--json").events == []


def test_inspect_shows_no_key_as_none_would_leave(project: Project, provider: Serve) -> None:
    provider([], more=PLAIN)
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    project.write({"a.py": f"token = '{key}'\n"})
    done = project.here("inspect", "-f", "a.py", "is it safe?")
    assert done.code == 0
    assert key not in done.out and "not sent from <file>a.py</file>" in done.err
    assert project.here("log", "egress").code == 1


def editor(project: Project, script: str) -> dict[str, str]:
    """An `$EDITOR` that does `script` with the file `$1`."""
    file = project.home / "editor"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return {"EDITOR": str(file)}


@pytest.mark.acceptance("CC-13")
def test_a_kept_chat_is_changed_in_the_editor_and_goes_on_so(project: Project, provider: Serve) -> None:
    provider([Answer(text="One.")], more=PLAIN)
    project.here("ask", "first")
    done = project.run(
        "inspect", "--edit", "last", env=editor(project, "sed -i 's/^first$/other/; s/^One/Uno/' \"$1\"")
    )
    said = re.fullmatch(r"Of the next request 2 messages: 2 changed; the chat as it was is (\w{8}) in `motet history`.\n",
                        done.err)  # fmt: skip
    assert said is not None, done
    assert (done.code, done.out) == (0, "")
    assert "first" in project.here("history", "show", said[1]).out
    shown = json.loads(project.here("inspect", "--json", "last", "more").out)
    told = [(one["role"], one["text"]) for one in shown["messages"][1:]]
    assert told == [("user", "other"), ("assistant", "Uno."), ("user", "more")]


def test_what_cannot_be_is_opened_again_with_its_reason_and_left_so_it_is_kept_in_a_file(
    project: Project, provider: Serve
) -> None:
    provider([Answer(text="One.")], more=PLAIN)
    project.here("ask", "first")
    before = project.here("history", "show", "last").out
    script = f'cat "$1" >> {project.home}/seen\n[ -e {project.home}/again ] || {{ touch {project.home}/again; sed -i /end/d "$1"; }}'
    done = project.run("inspect", "--edit", "last", env=editor(project, script))
    (kept,) = project.state.glob("request-*.md")
    assert done.err.replace("\n  ", " ") == f"Nothing was changed; what you wrote is in {kept}.\n"
    assert kept.stat().st_mode & 0o777 == 0o600
    reason = re.search(r"^line \d+: the last head, `── \w{8} end`, is missing; mend it, or leave it so, and nothing is changed$",
                       (project.home / "seen").read_text(), re.MULTILINE)  # fmt: skip
    assert reason is not None and kept.read_text().startswith(reason[0])
    assert project.here("history", "show", "last").out == before


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (("inspect", "--wire", "--json"), 2, "motet: --json and --wire exclude each other"),
        (("inspect", "--wire", "-m", "offline"), 2, "motet: --wire: offline has no provider, nothing of it is ever sent"),
        (("inspect", "1rvcqs3n"), 2, "motet: 1rvcqs3n: there is no such chat; `motet history list` shows them"),
        (("inspect", "--edit", "last", "more"), 2, "motet: --edit changes a chat that is kept: it takes CHAT, and no text or file; `/inspect` does"),
        (("inspect", "--edit", "words"), 2, "motet: words: there is no such chat; `motet history list` shows them"),
        (("inspect", "last"), 2, "motet: there is no chat in this workspace yet"),
        (("context", ""), 2, "motet: an empty argument was given; "),
        (("context", "-f", "nosuch.py"), 2, "motet: nosuch.py: no such file"),
        (("context", "-m", "nosuch"), 2, "motet: model nosuch: no such provider"),
        (("rules", "nosuch.py"), 2, "motet: nosuch.py: no such file"),
        (("prompt", "show", "nosuch"), 2, "motet: nosuch: no such prompt; there are commit, docs, "),
        (("prompt", "run", "reveiw"), 2, "motet: reveiw: no such prompt; did you mean review"),
        (("prompt", "run", "explain"), 2, "motet: the prompt explain is about a file; name it, as in: "),
        (("prompt", "run", "explain", "nosuch.py"), 2, "motet: nosuch.py: no such file"),
    ],
)  # fmt: skip
def test_wrong_input_is_one_line(project: Project, arguments: tuple[str, ...], code: int, line: str) -> None:
    project.settings('model = "offline"\n')
    done = project.here(*arguments)
    assert (done.code, done.out, len(done.err.splitlines())) == (code, "", 1)
    assert done.err.startswith(line)


# --- rules -----------------------------------------------------------------------------------------------------

RULES = {
    "AGENTS.md": "Use tabs.\n",
    "CLAUDE.md": "Use tabs.\n",
    "api/AGENTS.md": "No tabs here.\n",
    ".cursor/rules/sql.mdc": "---\nglobs: '*.sql'\n---\nUpper case.\n",
    "api/a.sql": "select 1\n",
    "web/b.ts": "1\n",
}


def listed(project: Project, *paths: str, cwd: str = ".") -> list[str]:
    """The rules files for these paths."""
    return [line.split("  ")[-1] for line in project.here("rules", *paths, cwd=cwd).out.splitlines()]


@pytest.mark.acceptance("S1-024")
def test_rules_depend_on_the_files_and_the_nearest_come_last(project: Project) -> None:
    git(project, "init", "-q")
    project.write(RULES)
    assert listed(project) == ["AGENTS.md"]
    assert listed(project, "web/b.ts") == ["AGENTS.md"]
    assert listed(project, "api/a.sql") == ["AGENTS.md", ".cursor/rules/sql.mdc", "api/AGENTS.md"]
    assert listed(project, "a.sql", cwd="api") == listed(project, "api/a.sql")
    assert listed(project, "api") == listed(project, "api/a.sql")
    (one,) = project.here("rules", "--json").events
    assert (one["schema"], one["path"], one["origin"]) == (1, "AGENTS.md", "project")
    assert one["tokens"] > 0 and one["characters"] > len("Use tabs.")


def test_rules_with_invisible_characters_are_named(project: Project) -> None:
    project.write({"AGENTS.md": "Be\u202ekind.\n"})
    done = project.here("rules")
    assert (done.code, done.err) == (0, "AGENTS.md: invisible characters in rules are shown: U+202E\n")


def test_without_rules_that_is_said(project: Project) -> None:
    done = project.here("rules")
    assert (done.code, done.out) == (0, "")
    assert done.err == "No rules file applies; AGENTS.md in the workspace's root would.\n"


# --- prompts ---------------------------------------------------------------------------------------------------


def test_prompt_list_names_all_with_their_kind(project: Project) -> None:
    prompt(project, "mine", "---\ndescription: my own\nalias: m\n---\n## user\nSay hello.\n")
    prompt(project, "broken", "---\nkind: nonsense\n---\n## user\nx\n")
    done = project.here("prompt", "list")
    lines = done.out.splitlines()
    assert lines[0].split("  ")[0] == "mine, m" and lines[0].endswith("my own  (user's)")
    assert [line.split()[0].rstrip(",") for line in lines[1:]] == [
        "commit", "docs", "explain", "fix", "refactor", "review", "tests",
    ]  # fmt: skip
    assert "broken.md:2: kind must be one of chat, inline, workflow" in done.err
    entries = project.here("prompt", "list", "--json").events
    fix = next(entry for entry in entries if entry["name"] == "fix")
    assert (fix["kind"], fix["steps"], fix["repeat_until"]) == ("workflow", 2, "diagnostics == 0")


def test_what_prompt_show_prints_is_a_prompt_again(project: Project) -> None:
    shown = project.here("prompt", "show", "review")
    assert (shown.code, shown.out.splitlines()[:2]) == (0, ["---", "name: review"])
    prompt(project, "review", shown.out.replace("Review these changes.", "Be strict."))
    assert "Be strict." in project.here("prompt", "show", "review").out
    done = project.here("prompt", "show", "broken")
    assert done.code == 2
    prompt(project, "broken", "---\nkind: nonsense\n---\n## user\nx\n")
    assert "broken.md:2: kind must be" in project.here("prompt", "show", "broken").err


@pytest.mark.acceptance("S0-045", "S2-030")
def test_a_chat_knows_that_a_prompt_of_the_library_began_it(project: Project, provider: Serve) -> None:
    provider([Answer(text="It waits.\n"), Answer(text="Indeed.\n")], more=PLAIN)
    prompt(project, "slow", "## user\nWhy is this slow?\n")
    assert project.run("prompt", "run", "slow").code == 0
    (chat,) = project.here("history", "list", "--json").events
    assert chat["title"] == "Why is this slow?"
    done = project.here("history", "export", "last", "--json")
    said = [(one["role"], one["meta"].get("tag", "")) for one in json.loads(done.out)["messages"]]
    assert said == [("system", "system_prompt_from_config"), ("user", "from_custom_prompt"), ("assistant", "")]


def test_prompt_run_fills_in_the_file_and_the_words(project: Project, provider: Serve) -> None:
    served = provider([Answer(text="It adds.\n")], more=PLAIN)
    project.write({"a.py": "x = 1\ny = 2\nz = '@cmd'\n"})
    done = project.run("prompt", "run", "explain", "a.py:2-3", "-i", "briefly", given=b"and the log\n")
    assert (done.code, done.out) == (0, "It adds.\n")
    assert users(served, 0) == [
        "Explain this code.\n\n"
        '<attachment filepath="a.py" lines="2-3">\n   2│ y = 2\n   3│ z = \'@cmd\'\n</attachment>\n\n'
        "briefly\n\nand the log"
    ]
    system = served.requests[0].body["messages"]
    assert isinstance(system, list) and "You explain code to a programmer" in system[0]["content"]
    assert "tools" not in served.requests[0].body
    assert project.here("history", "list", "--json").events[0]["cycles"] == 1


def test_words_for_a_prompt_that_asks_for_none_stand_at_its_end(project: Project, provider: Serve) -> None:
    served = provider([Answer(text="Hello.")], more=PLAIN)
    prompt(project, "mine", "## user\nSay hello.\n")
    assert project.run("prompt", "run", "mine", "-i", "in French", "--no-history").code == 0
    assert users(served, 0) == ["Say hello.\n\nin French"]
    assert project.here("history", "list", "--json").events == []


def test_a_prompt_brings_its_tools_and_rules_and_other_files_along(project: Project, provider: Serve) -> None:
    served = provider([Answer(text="Fine.")], more=PLAIN)
    project.write({"a.py": "x = 1\n", "b.py": "y = 1\n", "docs/style.md": "Be short.\n"})
    prompt(
        project,
        "mine",
        "---\ntools: [read_file, nosuch]\nrules: [docs/style.md]\n---\n## user\n${context.filename}: ${context.file}\n",
    )
    done = project.run("prompt", "run", "mine", "a.py", "b.py")
    assert done.code == 0
    assert "prompt mine: left out: nosuch: there is no such tool or group" in done.err
    body = served.requests[0].body
    assert [tool["function"]["name"] for tool in body["tools"]] == ["read_file"]  # type: ignore[attr-defined]
    (said,) = users(served, 0)
    assert "Be short." in said and said.count("x = 1") == 1 and said.count("y = 1") == 1
    assert said.endswith('b.py: <attachment filepath="b.py" lines="1-1">\n   1│ y = 1\n</attachment>')


def test_a_prompt_with_a_model_of_its_own_is_sent_there_unless_another_is_named(
    project: Project, provider: Serve
) -> None:
    served = provider([Answer(text="Yes.")], more=PLAIN)
    prompt(project, "mine", "---\nmodel: offline\n---\n## user\nSay hello.\n")
    assert "Model: offline (" in project.run("prompt", "run", "mine").err
    assert served.requests == []
    assert project.run("prompt", "run", "-m", "scripted/one", "mine").out == "Yes.\n"


def test_nothing_to_fill_in_is_one_line(project: Project) -> None:
    git(project, "init", "-q")
    done = project.here("prompt", "run", *OFFLINE, "review")
    assert (done.code, done.out) == (2, "")
    assert done.err == "motet: nothing is changed since the last commit\n"


WORKFLOW = "---\nkind: workflow\n{head}---\n## user\nFirst.\n## user\nSecond.\n## user\nAgain.\n"


def test_a_workflow_sends_its_steps_in_one_chat(project: Project, provider: Serve) -> None:
    served = provider([Answer(text=str(number)) for number in (1, 2, 3)], more=PLAIN)
    prompt(project, "flow", WORKFLOW.format(head=""))
    done = project.run("prompt", "run", "flow")
    assert (done.code, done.out) == (0, "1\n2\n3\n")
    assert users(served, 2) == ["First.", "Second.", "Again."]
    assert project.here("history", "list", "--json").events[0]["cycles"] == 3


def test_the_last_step_is_sent_again_until_no_problem_is_left(project: Project, provider: Serve) -> None:
    project.write({"a.txt": "bad one\nbad two\n"})
    served = provider(
        [
            Answer(text="Let me see."),
            edit(("a.txt", "bad one\n", "good one\n")),
            Answer(text="One."),
            edit(("a.txt", "bad two\n", "good two\n")),
            Answer(text="Both."),
        ],
        more=PLAIN,
    )
    prompt(
        project,
        "mend",
        "---\nkind: workflow\ntools: [editor]\nrepeat_until: diagnostics == 0\n---\n"
        "## user\nLook.\n## user\nMend: ${context.diagnostics}\n",
    )
    done = project.run("prompt", "run", "-y", "mend", "a.txt")
    assert (done.code, project.text("a.txt")) == (0, "good one\ngood two\n"), done.err
    assert len(served.requests) == 5
    assert users(served, 3)[-1].count("a bad word") == 1


def test_a_condition_that_does_not_come_true_ends_after_its_repeats(project: Project, provider: Serve) -> None:
    project.write({"a.txt": "bad one\n"})
    served = provider([Answer(text="No.")], repeat=True, more=PLAIN)
    head = "repeat_until: diagnostics == 0\nmax_repeats: 2\n"
    prompt(project, "flow", WORKFLOW.format(head=head))
    done = project.run("prompt", "run", "flow", "a.txt")
    assert (done.code, len(served.requests)) == (1, 5)
    assert done.err.splitlines()[-1] == "After 2 repeats diagnostics is 1, not == 0."


def test_a_condition_that_holds_leaves_the_last_step_out(project: Project, provider: Serve) -> None:
    project.write({"a.txt": "good\n"})
    served = provider([Answer(text="Yes.")], repeat=True, more=PLAIN)
    prompt(project, "flow", WORKFLOW.format(head="repeat_until: diagnostics == 0\n"))
    assert (project.run("prompt", "run", "flow", "a.txt").code, len(served.requests)) == (0, 2)


def test_where_nobody_can_tell_the_condition_ends_in_a_line(project: Project, provider: Serve) -> None:
    project.write({"a.txt": "good\n"})
    served = provider([Answer(text="Yes.")], repeat=True, more=PLAIN)
    project.settings(project.config.read_text().replace(f"[checkers.words]\ncommand = '''{CHECKER}'''", ""))
    prompt(project, "flow", WORKFLOW.format(head="repeat_until: diagnostics == 0\n"))
    done = project.run("prompt", "run", "flow", "a.txt")
    assert (done.code, len(served.requests)) == (1, 2)
    assert done.err.splitlines()[-1].startswith("Nobody can tell whether diagnostics == 0: ")


def test_calls_that_failed_can_be_a_condition(project: Project, provider: Serve) -> None:
    bad = Answer(calls=(call("read_file", {"path": "nosuch"}),))
    served = provider([bad, Answer(text="Hm."), Answer(text="Now.")], more=PLAIN)
    prompt(
        project,
        "flow",
        "---\nkind: workflow\ntools: [read_file]\nrepeat_until: tool_errors == 0\n---\n## user\nTry.\n",
    )
    assert (project.run("prompt", "run", "flow").code, len(served.requests)) == (0, 3)


def test_a_failing_provider_ends_a_workflow(project: Project, provider: Serve) -> None:
    served = provider([Answer(text="1"), HttpError(401, "no")], more=PLAIN)
    prompt(project, "flow", WORKFLOW.format(head=""))
    done = project.run("prompt", "run", "--json", "flow")
    assert (done.code, done.events[-1]["event"], len(served.requests)) == (3, "error", 2)


# --- log -------------------------------------------------------------------------------------------------------


def test_the_log_names_each_request_that_left_and_nothing_of_its_content(project: Project, provider: Serve) -> None:
    served = provider([Answer(text="Yes."), Answer(text="No.")], more=PLAIN)
    assert (project.here("log", "egress").code, project.here("log", "egress").err) == (
        1,
        "Nothing that left was logged.\n",
    )
    project.write({"a.py": "canary = 1\n"})
    project.here("ask", "-f", "a.py", "first?")
    project.here("ask", "second?")
    project.here("ask", *OFFLINE, "third?")
    done = project.here("log", "egress")
    assert done.code == 0
    lines = [re.sub(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  ", "", line) for line in done.out.splitlines()]
    assert [re.sub(r"[\d,]+ bytes  \w{8}", "N", line) for line in lines] == [
        f"scripted {served.host}  N  a.py",
        f"scripted {served.host}  N",
    ]
    assert "canary" not in done.out
    one, two = project.here("log", "egress", "--json").events
    assert (one["schema"], one["provider"], one["host"]) == (1, "scripted", served.host)
    assert [Path(file).name for file in one["files"]] == ["a.py"]
    only = project.here("log", "egress", "--chat", two["chat"][-8:].lower(), "--json").events
    assert only == [two]
    assert project.here("log", "egress", "-n", "1", "--json").events == [two]
    assert (
        project.here("log", "egress", "--chat", "nosuch").err == "Nothing that left was logged for the chat nosuch.\n"
    )


def test_help_of_each_command_begins_with_examples(project: Project) -> None:
    for command in ("edit", "commit", "prompt", "prompt run", "rules", "context", "inspect", "log"):
        text = project.here(*command.split(), "--help").out
        assert text.index("Examples:") < text.index("Options:"), command
        assert max(map(len, text.splitlines())) <= 80, command

"""`motet commit`: the message comes from a model, the yes from the human, the commit from git with its own hooks."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.kit import MAY_SEND, Project, Provider

from motet.models.scripted import Answer, HttpError
from motet.models.scripted.answers import Wire

Serve = Callable[..., Provider]
PLAIN = MAY_SEND + "[chat]\ntitles = false\n"
MESSAGE = "Say what is meant\n\nThe old text was wrong."
ASKED = "Commit with this message? [y]es, [e]dit it, [n]o:"


@pytest.fixture
def repository(project: Project) -> Project:
    """A repository with one commit, and `a.txt` changed and staged."""
    git(project, "init", "-q")
    project.write({"a.txt": "old\n"})
    git(project, "add", ".")
    git(project, "commit", "-qm", "first")
    project.write({"a.txt": "new\n"})
    git(project, "add", ".")
    return project


def git(project: Project, *arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=project.root, env=project.env(), check=True, capture_output=True, text=True
    ).stdout


def last(project: Project) -> str:
    """The message of the newest commit."""
    return git(project, "log", "-1", "--format=%B").rstrip("\n")


def hook(project: Project, name: str, text: str) -> None:
    place = project.root / ".git" / "hooks" / name
    place.parent.mkdir(exist_ok=True)
    place.write_text(f"#!/bin/sh\n{text}\n")
    place.chmod(0o755)


def test_without_a_terminal_the_message_is_printed_and_nothing_committed(
    repository: Project, provider: Serve
) -> None:
    served = provider([Answer(text=f"{MESSAGE}\n")], more=PLAIN)
    done = repository.run("commit")
    assert (done.code, done.out) == (0, f"{MESSAGE}\n")
    assert last(repository) == "first"
    sent = served.requests[0].body["messages"]
    assert isinstance(sent, list)
    assert "You write commit messages." in sent[0]["content"]
    assert sent[-1]["content"].startswith(
        'Write the commit message for this diff.\n\n<diff of="staged">\ndiff --git a/a.txt b/a.txt\n'
    )
    assert "-old\n+new\n</diff>" in sent[-1]["content"]
    assert repository.here("history", "list", "--json").events == []


def test_yes_commits_with_the_message_and_the_hooks(repository: Project, provider: Serve) -> None:
    provider([Answer(text=f"```\n{MESSAGE}  \n```")], more=PLAIN)
    hook(repository, "pre-commit", "echo the hook has run")
    hook(repository, "commit-msg", 'echo "Signed-off-by: me" >> "$1"')
    done = repository.run("commit", "-y")
    assert (done.code, done.out) == (0, f"{MESSAGE}\n")
    assert "the hook has run\n" in done.err
    assert last(repository) == f"{MESSAGE}\nSigned-off-by: me"


def test_a_message_cannot_act_on_a_terminal(repository: Project, provider: Serve) -> None:
    provider([Answer(text="Say \x1b[31mit\x1b[0m \u202ebackwards\r\n\r\n日本語 \U0001f600\tis kept")], more=PLAIN)
    assert repository.run("commit", "-y").code == 0
    assert last(repository) == "Say [31mit[0m backwards\n\n日本語 \U0001f600\tis kept"


def test_a_hook_that_says_no_is_heard_and_nothing_is_committed(repository: Project, provider: Serve) -> None:
    provider([Answer(text=MESSAGE)], more=PLAIN)
    hook(repository, "pre-commit", "echo not today >&2; exit 7")
    done = repository.run("commit", "-y")
    assert (done.code, done.out, last(repository)) == (1, f"{MESSAGE}\n", "first")
    assert done.err.splitlines()[-2:] == [
        "not today",
        "motet: git commit failed (exit code 1); nothing is committed, what is staged stays so",
    ]
    assert git(repository, "diff", "--cached", "--name-only") == "a.txt\n"


def test_at_a_terminal_y_commits(repository: Project, provider: Serve) -> None:
    provider([Answer(text=MESSAGE)], more=PLAIN)
    human = repository.human("commit")
    human.sees("The old text was wrong.")
    human.is_asked(ASKED)
    human.presses("y")
    assert human.ends() == 0
    assert last(repository) == MESSAGE


@pytest.mark.parametrize("key", ["n", "\x04"], ids=["n", "ctrl-d"])
def test_at_a_terminal_no_leaves_everything_as_it_is(repository: Project, provider: Serve, key: str) -> None:
    provider([Answer(text=MESSAGE)], more=PLAIN)
    human = repository.human("commit")
    human.is_asked(ASKED)
    human.presses(key)
    human.sees("motet: nothing is committed; what is staged stays so")
    assert (human.ends(), last(repository)) == (1, "first")


def test_the_message_can_be_edited_before_the_yes(repository: Project, provider: Serve, tmp_path: Path) -> None:
    provider([Answer(text=MESSAGE)], more=PLAIN)
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i 's/Say/Tell/' \"$1\"\n")
    editor.chmod(0o755)
    human = repository.human("commit", env={"EDITOR": str(editor)})
    human.is_asked(ASKED)
    human.presses("e")
    human.sees("Tell what is meant")
    human.is_asked(ASKED)
    human.presses("y")
    assert human.ends() == 0
    assert last(repository) == MESSAGE.replace("Say", "Tell")


def test_an_editor_that_fails_and_a_message_that_is_emptied(
    repository: Project, provider: Serve, tmp_path: Path
) -> None:
    provider([Answer(text=MESSAGE)], more=PLAIN)
    editor = tmp_path / "editor"
    editor.write_text(f'#!/bin/sh\n[ -e {tmp_path}/again ] || {{ touch {tmp_path}/again; exit 3; }}\n: > "$1"\n')
    editor.chmod(0o755)
    human = repository.human("commit", env={"EDITOR": str(editor)}, columns=200)
    human.is_asked(ASKED)
    human.presses("e")
    human.sees("failed (exit code 3); the message is as it was")
    human.is_asked(ASKED)
    human.presses("e")
    human.sees("motet: the message is empty; nothing is committed, what is staged stays so")
    assert (human.ends(), last(repository)) == (1, "first")


def test_a_remark_goes_along(repository: Project, provider: Serve) -> None:
    served = provider([Answer(text=MESSAGE)], more=PLAIN)
    assert repository.run("commit", "mention", "issue 12").code == 0
    assert served.requests[0].text.rstrip('"}], ').count("mention issue 12") == 1


def test_from_a_subdirectory_all_that_is_staged_counts(repository: Project, provider: Serve) -> None:
    served = provider([Answer(text=MESSAGE)], more=PLAIN)
    (repository.root / "sub").mkdir()
    assert repository.run("commit", "-y", cwd="sub").code == 0
    assert "a/a.txt" in served.requests[0].text
    assert last(repository) == MESSAGE


def test_the_first_commit_of_a_repository(project: Project, provider: Serve) -> None:
    git(project, "init", "-q")
    project.write({"日本.txt": "一\n"})
    git(project, "add", ".")
    provider([Answer(text="最初のコミット")], more=PLAIN)
    done = project.run("commit", "-y")
    assert (done.code, last(project)) == (0, "最初のコミット")


def test_a_long_diff_is_cut_with_a_note(repository: Project, provider: Serve) -> None:
    served = provider([Answer(text=MESSAGE)], more=PLAIN)
    repository.settings(repository.config.read_text().replace("context_tokens = 100000", "context_tokens = 8000"))
    repository.write({"b.txt": "a line that is long enough\n" * 5_000})
    git(repository, "add", ".")
    done = repository.run("commit")
    assert (done.code, done.out) == (0, f"{MESSAGE}\n")
    note = next(line for line in done.err.splitlines() if line.startswith("The diff is long: "))
    assert note.endswith(" lines are left out. It changes: a.txt, b.txt")
    assert note in served.requests[0].text
    assert len(served.requests[0].text) < 8_000 * 3


def test_secrets_in_a_diff_do_not_leave(repository: Project, provider: Serve) -> None:
    served = provider([Answer(text=MESSAGE)], more=PLAIN)
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    repository.write({"b.py": f"token = '{key}'\n"})
    git(repository, "add", ".")
    done = repository.run("commit")
    assert done.code == 0
    assert key not in served.requests[0].text
    assert "not sent from" in done.err


def test_symbols_in_a_diff_hand_over_nothing(repository: Project, provider: Serve) -> None:
    served = provider([Answer(text=MESSAGE)], more=PLAIN)
    repository.write({"b.txt": "@cmd @/a.txt\n"})
    git(repository, "add", ".")
    assert repository.run("commit").code == 0
    assert "tools" not in served.requests[0].body
    assert "<attachment filepath" not in served.requests[0].text


def test_interrupted_while_a_hook_runs_nothing_is_committed_and_no_lock_is_left(
    repository: Project, provider: Serve, tmp_path: Path
) -> None:
    provider([Answer(text=MESSAGE)], more=PLAIN)
    hook(repository, "pre-commit", "echo the hook runs; exec sleep 60")
    human = repository.human("commit", "-y")
    human.sees("the hook runs")
    human.interrupts()
    human.sees("Interrupted; nothing is committed.")
    assert (human.ends(), last(repository)) == (130, "first")
    assert not (repository.root / ".git" / "index.lock").exists()


def test_interrupted_while_the_model_writes(repository: Project, provider: Serve) -> None:
    served = provider([Answer(text="a b c", wire=Wire(text_chars=1, stall_after=2))], more=PLAIN)
    human = repository.human("commit")
    served.was_asked()
    human.interrupts()
    human.sees("Interrupted; nothing is committed.")
    assert (human.ends(), last(repository)) == (130, "first")


@pytest.mark.parametrize(
    ("steps", "more", "arguments", "code", "line"),
    [
        ([Answer(text=" \n")], PLAIN, (), 3, "motet: scripted/one: the answer holds no message"),
        ([HttpError(401, "no")], PLAIN, (), 3, "motet: scripted (127.0.0.1:"),
        ([Answer(text="x")], "", (), 4, "motet: send:scripted 127.0.0.1:"),
        ([Answer(text="x")], PLAIN, ("-m", "offline"), 3, "motet: the offline model writes no commit messages; "),
    ],
    ids=["empty", "refused", "not-allowed", "offline"],
)
def test_what_a_model_cannot_do_is_one_line(
    repository: Project,
    provider: Serve,
    steps: list[Answer | HttpError],
    more: str,
    arguments: tuple[str, ...],
    code: int,
    line: str,
) -> None:
    provider(steps, more=more)
    done = repository.run("commit", "-y", *arguments)
    assert (done.code, done.out, last(repository)) == (code, "", "first")
    assert done.err.splitlines()[-1].startswith(line)


def test_nothing_staged_and_no_repository_are_one_line(project: Project) -> None:
    done = project.here("commit")
    assert (done.code, done.out) == (1, "")
    assert done.err == f"motet: {project.root}: in no git repository, so there is nothing to commit\n"
    git(project, "init", "-q")
    project.write({"a.txt": "not staged\n"})
    done = project.here("commit")
    assert (done.code, done.out) == (1, "")
    assert done.err == "motet: nothing is staged; stage what belongs together with `git add`, then try again\n"

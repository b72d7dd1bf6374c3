"""Edits that a model writes into its answer instead of calling a tool: proposed, or told; never lost in silence."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cli.kit import MAY_SEND, ONLY_RUFF, Project, Provider, block, edit
from cli.shapes_kit import AFTER, BEFORE, NEW, OLD, SHAPES

from motet.models.scripted import Answer, call

Serve = Callable[..., Provider]
PLAIN = MAY_SEND + "[chat]\ntitles = false\n" + ONLY_RUFF
WRONG = "    print(1)\n"
PUT_BACK = Answer(text="I put it back.", calls=(call("run_command", {"argv": ["cp", "old.py", "greet.py"]}),))
AGENT = ("ask", "-t", "agent", "--yes", "--allow", "run:cp *")


@pytest.fixture
def ready(project: Project, provider: Serve) -> Callable[..., Provider]:
    """`ready(answer, …)`: a project with `greet.py`, and a model that answers so; a text is an answer."""

    def start(*answers: str | Answer, **how: object) -> Provider:
        project.write({"greet.py": BEFORE})
        return provider([Answer(text=one) if isinstance(one, str) else one for one in answers], more=PLAIN, **how)

    return start


def told(served: Provider, number: int = 1) -> str:
    """What the model was told last in a request."""
    return served.requests[number].body["messages"][-1]["content"]


# --- with an editing tool ---------------------------------------------------------------------------------------


@pytest.mark.acceptance("S0-031", "S1-013", "S1-019", "S1-020")
@pytest.mark.parametrize("tools", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_ask_takes_edits_in_text(project: Project, ready: Serve, shape: str, tools: bool) -> None:
    served = ready(SHAPES[shape], "Done.", tools=tools)
    done = project.here("ask", "-t", "editor", "--yes", "use an f-string")
    assert (done.code, project.text("greet.py")) == (0, AFTER), done.err
    assert told(served).startswith("What became of your edits:\ngreet.py: applied 1 of 1 hunk")
    assert project.here("undo").code == 0
    assert project.text("greet.py") == BEFORE


def test_a_refused_edit_in_text_goes_back_to_the_model(project: Project, ready: Serve) -> None:
    served = ready(f"greet.py\n{block(WRONG, NEW)}", SHAPES["SEARCH/REPLACE"], "Done.")
    done = project.here("ask", "-t", "editor", "--yes", "use an f-string")
    assert (done.code, project.text("greet.py")) == (0, AFTER)
    assert told(served).startswith("What became of your edits:\ngreet.py: refused (not_found)")


def test_what_cannot_be_understood_is_told_to_both(project: Project, ready: Serve) -> None:
    served = ready(f"greet.py\n<<<<<<< SEARCH\n{OLD}", "Sorry.")
    done = project.here("ask", "-t", "editor", "--yes", "use an f-string")
    assert told(served).startswith("What became of your edits:\nrefused (bad_format): line 2: ")
    assert "refused (bad_format): line 2: " in done.err


@pytest.mark.parametrize("shape", SHAPES)
def test_what_a_call_has_done_is_not_proposed_again(project: Project, ready: Serve, shape: str) -> None:
    made = edit(("greet.py", OLD, NEW), text=SHAPES[shape])
    served = ready(made, f"I have changed it:\n\n{SHAPES[shape]}")
    done = project.here("ask", "-t", "editor", "--yes", "--json", "use an f-string")
    assert (done.code, project.text("greet.py"), len(served.requests)) == (0, AFTER, 2)
    assert [event["tool"] for event in done.events if event["event"] == "tool_finished"] == ["replace_in_file"]
    assert [event for event in done.events if event["event"] == "notice"] == [], done.out


def test_what_nobody_took_is_not_proposed_again(project: Project, ready: Serve) -> None:
    served = ready(edit(("greet.py", OLD, NEW)), SHAPES["unified diff"])
    done = project.here("ask", "-t", "editor", "--json", "use an f-string")
    assert (project.text("greet.py"), len(served.requests)) == (BEFORE, 2)
    assert len([event for event in done.events if event["event"] == "tool_finished"]) == 1
    assert done.event("notice")["about"] == "edits_left"


@pytest.mark.parametrize("shape", SHAPES)
def test_an_edit_undone_meanwhile_is_told_not_made_again(project: Project, ready: Serve, shape: str) -> None:
    ready(SHAPES[shape], PUT_BACK, f"I tried this first:\n\n{SHAPES[shape]}")
    project.write({"old.py": BEFORE})
    done = project.here(*AGENT, "--json", "use an f-string")
    assert (done.code, project.text("greet.py")) == (0, BEFORE), done.out
    assert done.event("notice")["about"] == "edits_left"
    assert project.here("apply", "--yes", "last").code == 0
    assert project.text("greet.py") == AFTER


def test_an_edit_that_was_refused_is_tried_again(project: Project, ready: Serve) -> None:
    served = ready(SHAPES["SEARCH/REPLACE"], PUT_BACK, SHAPES["SEARCH/REPLACE"], "Done.")
    project.write({"old.py": BEFORE, "greet.py": BEFORE.replace("Hello", "Good morning, dear")})
    done = project.here(*AGENT, "use an f-string")
    assert (done.code, project.text("greet.py"), len(served.requests)) == (0, AFTER, 4)


def test_edits_side_by_side_are_not_proposed_again(project: Project, ready: Serve) -> None:
    head = ("def greet(name):\n", "def greet(name: str) -> None:\n")
    ready(edit(("greet.py", *head), ("greet.py", OLD, NEW)), f"So:\n\ngreet.py\n{block(*head)}{block(OLD, NEW)}")
    done = project.here("ask", "-t", "editor", "--json", "use an f-string")
    assert project.text("greet.py") == BEFORE
    assert len([event for event in done.events if event["event"] == "tool_finished"]) == 1, done.out


def test_more_of_the_same_file_in_text_is_taken(project: Project, ready: Serve) -> None:
    bye = block("    print('bye')\n", "    print('see you')\n")
    ready(edit(("greet.py", OLD, NEW), text=f"And:\n\ngreet.py\n{bye}"), "Done.")
    assert project.here("ask", "-t", "editor", "--yes", "use an f-string").code == 0
    assert project.text("greet.py") == AFTER.replace("'bye'", "'see you'")


QUOTED = {
    "a quotation": "".join(f"> {line}\n" for line in SHAPES["SEARCH/REPLACE"].splitlines()),
    "a piece of the file": f"It is said here:\n\ngreet.py\n```python\n{OLD}```\n",
    "lines of the file": f"It is said here:\n\n`greet.py:2-2`\n```python\n{OLD}```\n",
    "the file in a sentence": f"In `greet.py`:\n\n```python\n{OLD}```\n",
    "a fence without a name": f"You could write:\n\n```python\n{NEW}```\n",
    "a diff without a name": f"Such as:\n\n```diff\n-{OLD}+{NEW}```\n",
    "code for a shell": "Run it:\n\n```sh\npython greet.py\n```\n",
    "a conflict": f"Git writes:\n\n<<<<<<< HEAD\n{OLD}=======\n{NEW}>>>>>>> main\n",
}


@pytest.mark.parametrize("tools", ["editor", ""])
@pytest.mark.parametrize("shape", QUOTED)
def test_what_is_only_shown_is_no_edit(project: Project, ready: Serve, shape: str, tools: str) -> None:
    project.write({"greet.py": BEFORE * 3})
    served = ready(QUOTED[shape])
    project.write({"greet.py": BEFORE * 3})
    done = project.here("ask", *(["-t", tools] if tools else []), "--yes", "--json", "how does it greet?")
    assert (done.code, project.text("greet.py"), len(served.requests)) == (0, BEFORE * 3, 1)
    assert [event for event in done.events if event["event"] == "notice"] == [], done.out


OUT_OF_BOUNDS = (".git/hooks/pre-commit", ".env", "/tmp/motet-not-there.py", "../motet-not-there.py")


@pytest.mark.parametrize("path", OUT_OF_BOUNDS)
def test_yes_writes_nothing_out_of_bounds_from_text(project: Project, ready: Serve, path: str) -> None:
    (project.root / ".git" / "hooks").mkdir(parents=True)
    served = ready(f"{path}\n{block('', 'new')}", "I see.")
    done = project.here("ask", "-t", "editor", "--yes", "--json", "write it")
    assert not (project.root / path).exists(), done.out
    assert told(served).startswith("What became of your edits:")
    assert done.event("tool_finished")["is_error"] is True


def test_a_file_that_is_loosely_named_is_told_not_written(project: Project, ready: Serve) -> None:
    served = ready(f"The new `greet.py`:\n\n```python\n{AFTER}```\n")
    done = project.here("ask", "-t", "editor", "--yes", "--json", "use an f-string")
    assert (done.code, project.text("greet.py"), len(served.requests)) == (0, BEFORE, 1)
    assert done.event("notice")["about"] == "edits_in_doubt"


AROUND = {
    "blockquote": ("<blockquote>", "</blockquote>"),
    "comment": ("<!--", "-->"),
    "document": ("````markdown", "````"),
    "text": ("````text", "````"),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("around", AROUND)
def test_a_quoted_edit_is_told_not_written(project: Project, ready: Serve, around: str, shape: str) -> None:
    opens, closes = AROUND[around]
    served = ready(f"Somebody wrote:\n\n{opens}\n{SHAPES[shape]}{closes}\n\nI would not.\n")
    done = project.here("ask", "-t", "editor", "--yes", "--json", "what is this?")
    assert (done.code, project.text("greet.py"), len(served.requests)) == (0, BEFORE, 1)
    assert done.event("notice")["about"] == "edits_left"
    left = project.here("apply", "--yes", "last")
    assert (left.code, project.text("greet.py")) == (3, BEFORE)
    assert "no edit was found outside of quotations" in left.err


@pytest.mark.parametrize("head", ["README:", "LICENSE"])
def test_a_heading_is_no_name_of_a_new_file(project: Project, ready: Serve, head: str) -> None:
    ready(f"{head}\n```md\n# Greet\n```\n")
    done = project.here("ask", "-t", "editor", "--yes", "--json", "how could it begin?")
    assert done.event("notice")["about"] == "edits_in_doubt"
    assert not (project.root / head.strip(":")).exists()


@pytest.mark.parametrize("name", ["Makefile", "README"])
def test_a_file_without_an_ending_is_written(project: Project, ready: Serve, name: str) -> None:
    if name == "README":
        project.write({name: "old\n"})
    ready(f"{name}\n```\nnew\n```\n", "Done.")
    assert project.here("ask", "-t", "editor", "--yes", "write it").code == 0
    assert project.text(name) == "new\n"


# --- without one ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tools", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_without_an_editing_tool_edits_are_told(project: Project, ready: Serve, shape: str, tools: bool) -> None:
    ready(SHAPES[shape], tools=tools)
    done = project.here("ask", "--yes", "use an f-string")
    assert (done.code, project.text("greet.py")) == (0, BEFORE)
    assert done.err.splitlines()[-1] == "the answer holds an edit; `motet apply last` applies it"


def test_in_plan_mode_edits_are_told(project: Project, ready: Serve) -> None:
    ready(SHAPES["unified diff"])
    done = project.here("ask", "-t", "editor", "-t", "plan", "--yes", "--json", "use an f-string")
    assert (done.event("notice")["about"], project.text("greet.py")) == ("edits_left", BEFORE)


# --- an edit that is only claimed -------------------------------------------------------------------------------

NO_EDIT = "no edit was made: no file was changed in this turn"


@pytest.mark.acceptance("CC-07")
@pytest.mark.parametrize("tools", [True, False])
def test_an_edit_that_is_only_claimed_was_not_made(project: Project, ready: Serve, tools: bool) -> None:
    ready("I have updated `greet.py` to use an f-string.", tools=tools)
    done = project.here("ask", "-t", "editor", "--yes", "use an f-string")
    assert (done.code, project.text("greet.py")) == (0, BEFORE)
    assert done.err.splitlines()[-1] == NO_EDIT


def test_a_claim_after_a_refused_call_is_told_to_programs(project: Project, ready: Serve) -> None:
    ready(edit(("greet.py", WRONG, NEW)), "I've updated greet.py.")
    done = project.here("ask", "-t", "editor", "--yes", "--json", "use an f-string")
    assert (done.event("notice")["about"], done.event("notice")["text"]) == ("no_edit", NO_EDIT)


@pytest.mark.parametrize("how", ["an edit", "a command"])
def test_a_claim_of_what_was_done_is_left_alone(project: Project, ready: Serve, how: str) -> None:
    made = edit(("greet.py", OLD, NEW))
    ran = Answer(calls=(call("run_command", {"argv": ["true"]}),))
    ready(made if how == "an edit" else ran, "I've updated greet.py.")
    done = project.here("ask", "-t", "agent", "--yes", "--allow", "run:true", "--json", "use an f-string")
    assert [event for event in done.events if event["event"] == "notice"] == [], done.out


# --- applied when the human asks for it --------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
def test_the_last_answer_is_applied(project: Project, ready: Serve, shape: str) -> None:
    ready(SHAPES[shape])
    project.here("ask", "use an f-string")
    done = project.here("apply", "--yes", "last")
    assert (done.code, project.text("greet.py")) == (0, AFTER), done.err
    assert project.here("undo").code == 0
    assert project.text("greet.py") == BEFORE


def test_the_answer_of_another_chat_is_applied_by_its_id(project: Project, ready: Serve) -> None:
    ready(SHAPES["unified diff"], "Hello.")
    project.here("ask", "use an f-string")
    project.here("ask", "hello")
    _, first = (event["id"] for event in project.here("history", "list", "--json").events)
    done = project.here("apply", "--yes", "last")
    assert (done.code, done.err) == (3, done.err) and done.err.startswith("motet: the last answer: no edit was found")
    assert project.here("apply", "--yes", first[-8:].lower()).code == 0
    assert project.text("greet.py") == AFTER


def test_a_quotation_in_the_last_answer_is_not_applied(project: Project, ready: Serve) -> None:
    ready(QUOTED["a quotation"])
    project.here("ask", "how?")
    assert (project.here("apply", "--yes", "last").code, project.text("greet.py")) == (3, BEFORE)


def test_without_a_chat_there_is_nothing_to_apply(project: Project) -> None:
    done = project.here("apply", "last")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert done.err.startswith("motet: there is no chat in this workspace yet")


def test_a_hunk_of_the_last_answer_is_asked_about(project: Project, ready: Serve) -> None:
    ready(SHAPES["SEARCH/REPLACE"])
    project.here("ask", "use an f-string")
    human = project.human("apply", "last")
    human.answers("y")
    assert (human.ends(), project.text("greet.py")) == (0, AFTER)

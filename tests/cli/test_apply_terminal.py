"""`motet apply` at a real terminal: who is asked, from where keys are read, what is drawn, and Ctrl-C."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from cli.kit import Human, Project, block
from rich.cells import cell_len

APP = """\
def greet(name):
    print("Hello, " + name)


def mean(values):
    return sum(values) / len(values)


def area(w, h):
    return w * h
"""
AREA = ("    return w * h\n", "    return h * w\n")
GREET = ('    print("Hello, " + name)\n', '    print(f"Hello, {name}")\n')
NEAR = (
    "def mean(valeus):\n    return sum(values) / len(values)\n",
    "def mean(values):\n    return sum(values) / (len(values) or 1)\n",
)
FAR = ("class Nothing:\n    like = this\n", "pass\n")


def edits(*wanted: tuple[str, str], path: str = "app.py") -> str:
    return "".join(f"{path}\n{block(*each)}" for each in wanted)


Start = Callable[..., Human]


@pytest.fixture
def piped(project: Project) -> Start:
    """`piped(answer, …)`: a human at a terminal; the answer itself comes through standard input."""

    def start(answer: str, *arguments: str, then: str = "", **how: object) -> Human:
        project.write({"app.py": APP} if not (project.root / "app.py").exists() else {})
        project.write({"answer.md": answer})
        shell = ("sh", "-c", f'exec motet apply "$@" < answer.md {then}', "sh")
        return project.human(*arguments, argv=shell, **how)  # type: ignore[arg-type] # tests pass what `human` takes

    return start


@pytest.mark.acceptance("S3-007", "S0-029")
def test_keys_are_read_from_the_terminal_when_the_answer_comes_through_a_pipe(piped: Start, project: Project) -> None:
    human = piped(f"Some prose.\n\n{edits(GREET)}\nnew.py\n```\nx = 1\n```\n")
    assert human.asked() == (1, 2, "y,n,r,a,d,A,e,j,k,g,/,p,q,?")
    assert project.text("app.py") == APP, "nothing is written before the review is over"
    human.presses("n")
    human.answers("y")
    assert human.ends() == 1
    assert (project.text("app.py"), project.text("new.py")) == (APP, "x = 1\n")
    assert human.lines[0] == "2 edits in 2 files: app.py, new.py"
    assert human.lines[-2:] == ["Applied changes to 1 of 2 files.", "`motet undo` takes it back."]


def test_all_hunks_taken_is_exit_code_0(piped: Start, project: Project) -> None:
    human = piped(edits(GREET, AREA), "--review")
    human.answers("a")
    assert human.ends() == 0
    assert project.text("app.py") == APP.replace(*GREET).replace(*AREA)


@pytest.mark.acceptance("CL-02")
@pytest.mark.parametrize("keys", ["n", "q"])
def test_declining_changes_no_byte_and_is_exit_code_1(piped: Start, project: Project, keys: str) -> None:
    human = piped(edits(GREET))
    before = (project.root / "app.py").stat()
    human.answers(keys)
    assert human.ends() == 1
    after = (project.root / "app.py").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert human.lines[-1] == "Applied changes to 0 of 1 file."


def test_an_answer_is_pasted_into_the_terminal_and_then_reviewed(project: Project) -> None:
    project.write({"app.py": APP})
    human = project.human("apply")
    human.sees("Paste the answer, then press Enter and Ctrl-D.")
    human.presses(edits(GREET) + "\x04")
    human.answers("y")
    assert human.ends() == 0
    assert project.text("app.py") == APP.replace(*GREET)


def test_a_pasted_line_that_the_terminal_cut_is_refused(project: Project) -> None:
    project.write({"app.py": APP})
    human = project.human("apply")
    human.sees("Ctrl-D.\r\n")
    human.presses("app.py\nx" + "y" * 5000 + "\n\x04")
    assert human.ends() == 3
    assert human.lines[-2:] == [
        "motet: the terminal may have cut a long line of what was pasted; save the answer",
        "       as a FILE",
    ]


def test_ctrl_c_while_pasting_ends_it(project: Project) -> None:
    human = project.human("apply")
    human.sees("Ctrl-D.\r\n")
    human.interrupts()
    assert human.ends() == 130
    assert human.lines[-1].endswith("motet: interrupted")


@pytest.mark.acceptance("CL-09")
def test_ctrl_c_in_the_review_writes_nothing(piped: Start, project: Project) -> None:
    human = piped(edits(GREET) + "new.py\n```\nx = 1\n```\n")
    human.answers("y")
    human.asked()
    human.interrupts()
    assert human.ends() == 130
    assert project.text("app.py") == APP
    assert not (project.root / "new.py").exists()
    assert " ".join(human.lines[-2:]).endswith(
        "Interrupted; `motet undo --list` shows what was written, if anything."
    )


def test_json_goes_to_a_file_while_the_human_is_asked(piped: Start, project: Project) -> None:
    human = piped(edits(GREET), "--json", then="> events.json")
    human.answers("y")
    assert human.ends() == 0
    events = [json.loads(line) for line in project.text("events.json").splitlines()]
    assert [event["event"] for event in events] == ["understood", "proposal", "file", "applied"]
    assert events[1]["hunks"][0]["decision"] == "accepted"


@pytest.mark.parametrize(
    ("keys", "said"),
    [("", "nothing of this review is written"),
     ("y", "nothing of this review is written: you had taken 1 of 2 hunks in app.py")],
)  # fmt: skip
def test_ctrl_c_in_a_review_says_what_is_not_written(piped: Start, project: Project, keys: str, said: str) -> None:
    human = piped(edits(GREET, AREA))
    human.answers(keys)
    human.asked()
    human.interrupts()
    assert human.ends() == 130
    assert said in human.lines
    assert project.text("app.py") == APP


def test_json_ends_with_an_error_after_ctrl_c(piped: Start, project: Project) -> None:
    human = piped(edits(GREET), "--json", then="> events.json")
    human.asked()
    human.interrupts()
    assert human.ends() == 130
    last = json.loads(project.text("events.json").splitlines()[-1])
    assert last == {"schema": 1, "event": "error", "message": "interrupted", "answer_line": None, "exit_code": 130}


@pytest.mark.acceptance("T-24")
def test_a_text_that_is_nearly_right_is_offered_and_marked_approximate(piped: Start, project: Project) -> None:
    human = piped(edits(NEAR))
    human.asked()
    at = human.lines.index("app.py:6")
    assert human.lines[at + 1] == "  approximate: the search text differs from the file"
    human.presses("y")
    assert human.ends() == 0
    assert project.text("app.py") == APP.replace("len(values)", "(len(values) or 1)")
    assert human.text.count("approximate") == 1


def test_how_loosely_a_text_was_found_is_said_above_its_hunk(piped: Start, project: Project) -> None:
    human = piped(edits(GREET, ("return w * h\n", "return h * w\n")))
    human.asked()
    assert "matched" not in human.text
    human.presses("y")
    human.asked()
    note = "matched with another indentation; the new text was indented the same way"
    assert note in " ".join(human.text.split())
    human.presses("y")
    assert human.ends() == 0
    assert " ".join(human.text.split()).count(note) == 1


def test_a_text_that_is_nearly_right_and_left_is_not_said_to_be_decided_for(piped: Start, project: Project) -> None:
    human = piped(edits(NEAR))
    human.answers("n")
    assert human.ends() == 1
    assert project.text("app.py") == APP
    assert "you took it" not in human.text


def test_what_is_nearly_right_and_stands_there_already_is_not_said_to_be_decided(
    piped: Start, project: Project
) -> None:
    search = "def mean(valeus):\n    return sum(values) / len(value)\n"
    human = piped(edits((search, search.replace("len(value)", "len(values)"))))
    assert human.ends() == 0
    assert project.text("app.py") == APP
    assert "you took it" not in human.text
    told = " ".join(human.text.split())
    assert "approximate: the search text differs from the file; what it would write stands there already" in told


def test_a_protected_place_asks_and_a_no_is_exit_code_4(project: Project) -> None:
    place = ".github/workflows/ci.yml"
    project.write({place: "a\n", "answer.md": edits(("a\n", "b\n"), path=place)})
    human = project.human("apply", "--yes", "answer.md")
    human.is_asked("Write it this once? [y]es, [n]o:")
    assert human.lines[-3:-1] == [
        "A write to a protected place, asked for by the answer.",
        f"  file:     {place}",
    ]
    human.presses("n")
    assert human.ends() == 4
    assert project.text(place) == "a\n"


def test_refusals_stand_below_the_review_and_fit_80_columns(piped: Start) -> None:
    human = piped(edits(GREET, FAR), "--partial", columns=80)
    human.answers("y")
    assert human.ends() == 1
    at = human.lines.index("app.py: edit 2, line 8 of the answer: refused (not_found): the search text does")
    assert human.lines[at:] == [
        "app.py: edit 2, line 8 of the answer: refused (not_found): the search text does",
        "    not stand in the file",
        "advice: show the model the file as it is now and ask again, for SEARCH/REPLACE",
        "    blocks",
        "app.py: edit 1 fits, edit 2 does not",
        "",
        "Applied changes to 1 of 1 file.",
        "`motet undo` takes it back.",
    ]


def test_the_nearest_text_is_drawn_as_a_diff_in_colour(piped: Start) -> None:
    human = piped(edits(NEAR), "--dry-run")
    assert human.ends() == 1
    assert b"\x1b[31m-def mean(valeus):\x1b[0m" in human.raw
    assert b"\x1b[32m+def mean(values):\x1b[0m" in human.raw


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_without_colour_gets_no_escape_byte(piped: Start, env: dict[str, str]) -> None:
    human = piped(edits(GREET, NEAR, FAR), "--partial", env=env)
    human.answers("a")
    assert human.ends() == 1
    assert b"\x1b" not in human.raw
    assert '+    print(f"Hello, {name}")' in human.lines


def test_japanese_text_keeps_within_80_columns(piped: Start, project: Project) -> None:
    project.write({"説明.md": "# 説明\n東京は雨です。\n"})
    change = ("東京は雨です。\n", "東京は晴れです。\n")
    human = piped(edits(change, path="説明.md") + edits(FAR, path=f"{'長い名前' * 12}.md"))
    human.answers("y")
    assert human.ends() == 1
    assert project.text("説明.md") == "# 説明\n東京は晴れです。\n"
    shown = human.raw.decode()
    assert "+東京は晴れです。" in shown.replace("\x1b[1;32m", "").replace("\x1b[32m", "").replace("\x1b[0m", "")
    assert max(cell_len(line) for line in human.lines) <= 80


def test_the_summary_counts_hunks_where_some_were_left(piped: Start, project: Project) -> None:
    human = piped(edits(GREET, AREA))
    human.answers("y")
    human.answers("n")
    assert human.ends() == 1
    assert project.text("app.py") == APP.replace(*GREET)
    assert "Applied 1 of 2 hunks in 1 of 1 file." in human.lines


def test_a_file_without_anything_to_review_is_announced_before_the_review(piped: Start) -> None:
    human = piped(edits(GREET) + edits(FAR, path="none.py"))
    human.asked()
    assert "In 1 file there is nothing to review; the reasons stand at the end." in human.lines
    human.presses("y")
    assert human.ends() == 1


def test_a_message_is_broken_at_the_width_of_the_terminal(piped: Start) -> None:
    human = piped("prose")
    assert human.ends() == 3
    assert human.lines == [
        "motet: standard input: no edit was found: there is no block, diff, patch, tool",
        "       call or file with its path in it; ask the model for SEARCH/REPLACE",
        "       blocks, or for each whole file in a fence below its path",
    ]


def test_a_file_that_is_deleted_has_no_lines_to_edit(piped: Start, project: Project) -> None:
    human = piped("*** Begin Patch\n*** Delete File: app.py\n*** End Patch\n")
    assert human.asked()[2] == "y,n,r,a,d,p,q,?"
    human.presses("e")
    human.sees("there are no new lines to edit; y or n decides about the whole file")
    human.answers("n")
    assert human.ends() == 1
    assert project.text("app.py") == APP


def test_a_human_decides_whether_a_name_that_stands_deeper_becomes_a_new_file(piped: Start, project: Project) -> None:
    project.write({"client/App.js": "import a from 'a';\n" * 20})
    human = piped("App.js\n```js\none\n```\n", "--review")
    human.answers("y")
    assert human.ends() == 0
    assert (project.text("App.js"), project.text("client/App.js")) == ("one\n", "import a from 'a';\n" * 20)


def test_a_human_decides_whether_a_short_text_is_the_whole_file(piped: Start, project: Project) -> None:
    human = piped('app.py\n```python\ndef greet(name):\n    print("Hello, " + name)\n```\n', "--review")
    human.answers("y")
    assert human.ends() == 0
    assert project.text("app.py") == 'def greet(name):\n    print("Hello, " + name)\n'

"""The keys of the review, one by one, in a real terminal.

`one_file` is the whole program on a real project; `review` is the review alone, for keys that need no more.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.kit import DEADLINE, DONE, Human, Project, Provider, edit

from motet.cli.session import Session
from motet.edits import Decision, Proposal
from motet.models.scripted import Answer
from motet.models.scripted.answers import ScriptedRequest, Step
from motet.text import TextFile

Serve = Callable[..., Provider]

# Three changes far enough apart to be three hunks; the second has two parts.
LINES = [f"line {number}" for number in range(1, 31)]
BEFORE = {3: "bad three", 13: "bad thirteen", 15: "bad fifteen", 27: "bad twenty-seven"}
AFTER = {number: text.replace("bad", "good") for number, text in BEFORE.items()}


def numbered(changed: dict[int, str]) -> str:
    return "".join(f"{changed.get(at, line)}\n" for at, line in enumerate(LINES, 1))


def with_good(*numbers: int) -> str:
    """The file with these of the four changes."""
    return numbered(BEFORE | {number: AFTER[number] for number in numbers})


ANSWER = edit(
    ("a.txt", "bad three\n", "good three\n"),
    ("a.txt", "bad thirteen\nline 14\nbad fifteen\n", "good thirteen\nline 14\ngood fifteen\n"),
    ("a.txt", "bad twenty-seven\n", "good twenty-seven\n"),
)
ONE_PART = edit(("a.txt", "bad three\n", "good three\n"))


@pytest.fixture
def one_file(project: Project, provider: Serve) -> Callable[..., Human]:
    """`one_file()`: the review of one file with three hunks."""

    def start(*arguments: str, **how: object) -> Human:
        project.write({"a.txt": numbered(BEFORE)})
        provider([ANSWER, DONE], repeat=True)
        return project.human("fix", *arguments, **how)  # type: ignore[arg-type] # tests pass what `human` takes

    return start


class Alone(Human):
    """The review of `(before, after)` texts and nothing else."""

    def __init__(self, directory: Path, files: dict[str, tuple[str, str]], env: dict[str, str], columns: int) -> None:
        self.result = directory / "result.json"
        arguments = [str(self.result)]
        for version in (0, 1):
            (directory / str(version)).mkdir()
        for name, texts in files.items():
            for version, text in enumerate(texts):
                (directory / str(version) / name).write_text(text)
                arguments.append(str(directory / str(version) / name))
        tests = str(Path(__file__).parents[1])
        argv = [sys.executable, "-m", "cli.review_alone", *arguments]
        super().__init__(argv, directory, {**os.environ, "PYTHONPATH": tests, **env}, columns, 40)

    def comes_to(self, *texts: str, stopped: bool = False) -> None:
        """Wait for the end; these are the texts that would be written."""
        assert self.ends() == 0, self.text
        assert json.loads(self.result.read_text()) == {"texts": list(texts), "stopped": stopped}


@pytest.fixture
def review(tmp_path: Path) -> Callable[..., Alone]:
    """`review()`: one file with three hunks; `review({"a.txt": (before, after)})`: others."""

    def start(files: dict[str, tuple[str, str]] | None = None, *, columns: int = 80, **env: str) -> Alone:
        place = tmp_path / "alone"
        place.mkdir()
        return Alone(place, files or {"a.txt": (with_good(), with_good(*BEFORE))}, env, columns)

    return start


@pytest.mark.acceptance("S3-007", "S3-022", "S0-030")
def test_y_takes_and_n_leaves_one_hunk_each(one_file: Callable[..., Human], project: Project) -> None:
    human = one_file()
    assert human.asked() == (1, 3, "y,n,r,a,d,e,j,k,/,p,q,?")
    human.presses("y")
    assert human.asked() == (2, 3, "y,n,r,a,d,e,s,u,j,k,/,p,q,?")
    assert project.text("a.txt") == numbered(BEFORE), "nothing is written before the review is over"
    human.presses("n")
    human.answers("y")
    assert human.ends() == 1
    assert project.text("a.txt") == with_good(3, 27)
    assert "Applied changes to 1 of 1 file." in human.lines


@pytest.mark.acceptance("CL-02", "S3-007")
def test_declining_everything_changes_no_byte(one_file: Callable[..., Human], project: Project) -> None:
    human = one_file()
    before = written(project.root / "a.txt")
    human.answers("nnn")
    assert human.ends() == 1
    assert project.text("a.txt") == numbered(BEFORE)
    assert written(project.root / "a.txt") == before
    assert "Applied changes to 0 of 1 file." in human.lines
    assert "Ended: no progress (no edit was applied)." in human.lines


def written(file: Path) -> tuple[int, int, int]:
    """What changes when a file is written or replaced."""
    now = file.stat()
    return now.st_ino, now.st_mtime_ns, now.st_ctime_ns


def test_a_takes_the_rest_of_the_file(review: Callable[..., Alone]) -> None:
    human = review()
    human.answers("na")
    human.comes_to(with_good(13, 15, 27))


def test_d_leaves_the_rest_of_the_file(review: Callable[..., Alone]) -> None:
    human = review()
    human.answers("yd")
    human.comes_to(with_good(3))


def test_a_and_d_stop_at_the_end_of_their_file(project: Project, provider: Serve) -> None:
    project.write({"a.txt": numbered(BEFORE), "b.txt": "bad b\n", "c.txt": "bad c\n"})
    answer = edit(
        *(("a.txt", f"{BEFORE[at]}\n", f"{AFTER[at]}\n") for at in BEFORE),
        ("b.txt", "bad b\n", "good b\n"), ("c.txt", "bad c\n", "good c\n"),
    )  # fmt: skip
    provider([answer, DONE], repeat=True)
    human = project.human("fix")
    human.answers("ady")
    assert human.ends() == 1
    assert [project.text(f"{name}.txt") for name in "abc"] == [with_good(*BEFORE), "bad b\n", "good c\n"]
    assert "Applied changes to 2 of 3 files." in human.lines


def test_s_splits_and_one_part_is_taken(review: Callable[..., Alone]) -> None:
    human = review()
    human.answers("ns")
    assert human.asked() == (2, 4, "y,n,r,a,d,e,u,j,k,/,p,q,?")
    human.presses("n")
    human.answers("yn")
    human.comes_to(with_good(15))


def test_what_cannot_be_split_says_so(review: Callable[..., Alone]) -> None:
    human = review()
    human.answers("s")
    human.sees("this hunk cannot be split: it is one change")
    assert human.asked()[:2] == (1, 3)
    human.presses("q")
    human.comes_to(with_good(), stopped=True)


def test_each_u_takes_one_decision_back(review: Callable[..., Alone]) -> None:
    human = review()
    human.answers("ny")
    assert human.asked()[0] == 3
    human.presses("u")
    assert human.asked()[0] == 2
    human.presses("u")
    assert human.asked() == (1, 3, "y,n,r,a,d,e,j,k,/,p,q,?")
    human.presses("y")
    human.answers("nn")
    human.comes_to(with_good(3))


def test_u_takes_a_split_back(review: Callable[..., Alone]) -> None:
    human = review()
    human.answers("ns")
    assert human.asked()[:2] == (2, 4)
    human.presses("u")
    assert human.asked()[:2] == (2, 3)
    human.presses("q")
    human.comes_to(with_good(), stopped=True)


def test_u_without_a_decision_says_so(review: Callable[..., Alone]) -> None:
    human = review()
    human.answers("u")
    human.sees("there is no decision to take back")
    human.answers("q")
    human.comes_to(with_good(), stopped=True)


def test_undecided_hunks_come_round_again(review: Callable[..., Alone]) -> None:
    human = review()
    numbers: list[int] = []
    for key in "jyyy":
        numbers.append(human.asked()[0])
        human.presses(key)
    human.comes_to(with_good(*BEFORE))
    assert numbers == [1, 2, 3, 1]
    assert human.text.count("back to what is undecided further up") == 1


@pytest.mark.parametrize(("key", "said"), [("K", "no undecided hunk before"), ("k", "no hunk before")])
def test_k_on_the_first_hunk_says_so(review: Callable[..., Alone], key: str, said: str) -> None:
    human = review()
    human.answers(key)
    human.sees(f"there is {said} this one")
    assert human.asked()[0] == 1
    human.presses("j")
    human.answers("k")
    assert human.asked()[0] == 1
    human.presses("q")
    human.comes_to(with_good(), stopped=True)


def test_j_on_the_last_hunk_says_so(review: Callable[..., Alone]) -> None:
    human = review()
    human.answers("jjj")
    human.sees("there is no hunk after this one")
    human.answers("J")
    human.sees("there is no undecided hunk after this one")
    assert human.asked()[0] == 3
    human.presses("q")
    human.comes_to(with_good(), stopped=True)


def test_capital_j_and_k_pass_over_what_is_decided_and_the_small_do_not(review: Callable[..., Alone]) -> None:
    human = review()
    numbers: list[int] = []
    for key in "ykjnKJkkq":
        numbers.append(human.asked()[0])
        human.presses(key)
    human.comes_to(with_good(3), stopped=True)
    assert numbers == [1, 2, 1, 2, 3, 3, 3, 2, 1]
    assert "a.txt:3  taken" in human.lines
    assert human.text.count("there is no undecided hunk before this one") == 1
    assert human.text.count("there is no undecided hunk after this one") == 1


def test_arrow_keys_go_down_and_up_and_other_sequences_do_nothing(review: Callable[..., Alone]) -> None:
    human = review()
    numbers: list[int] = []
    for keys in ("\x1b[B", "\x1bOB", "\x1b[A", "\x1b[1;5C\x1b[15~q"):
        numbers.append(human.asked()[0])
        human.presses(keys)
    human.comes_to(with_good(), stopped=True)
    assert numbers == [1, 2, 3, 2]


def test_enter_after_a_key_does_no_harm(review: Callable[..., Alone]) -> None:
    human = review()
    for keys in ("y\r", "n\r", "\r y\r"):
        human.asked()
        human.presses(keys)
    human.comes_to(with_good(3, 27))
    assert "? shows" not in human.text


def test_keys_may_be_typed_ahead_within_a_review(review: Callable[..., Alone]) -> None:
    human = review()
    human.asked()
    human.presses("nyn")
    human.comes_to(with_good(13, 15))


def test_what_was_typed_before_a_review_answers_nothing(project: Project, provider: Serve) -> None:
    project.write({"a.txt": "bad three\n"})
    is_typed, steps = threading.Event(), iter([edit(("a.txt", "bad three\n", "good three\n")), DONE])

    def after_it_was_typed(_: ScriptedRequest) -> Step:
        assert is_typed.wait(DEADLINE)
        return next(steps)

    served = provider(after_it_was_typed)
    human = project.human("fix")
    served.was_asked()
    human.presses("yyyy")
    is_typed.set()
    assert human.asked()[:2] == (1, 1)
    human.presses("n")
    assert human.ends() == 1
    assert project.text("a.txt") == "bad three\n"


def test_slash_finds_a_hunk_by_a_regular_expression(review: Callable[..., Alone]) -> None:
    human = review()
    human.answers("/")
    human.types("Search for:", "bad twenty.*n$")
    assert human.asked()[0] == 3
    human.presses("/")
    human.types("Search for:", "THREE")
    human.sees("no other hunk has such a line")
    human.answers("/")
    human.types("Search for:", "(bad")
    human.sees("not a regular expression: ")
    assert human.asked()[0] == 3
    human.presses("q")
    human.comes_to(with_good(), stopped=True)


def test_ctrl_d_gives_up_a_search_and_a_remark(review: Callable[..., Alone]) -> None:
    human = review()
    for key, question in (("/", "Search for:"), ("r", "What would be better?")):
        human.asked()
        human.presses(key)
        human.sees(question)
        human.presses("\x04")
        assert human.asked()[0] == 1
        human.presses("J")
        assert human.asked()[0] == 2
        human.presses("k")
    human.answers("q")
    human.comes_to(with_good(), stopped=True)


@pytest.mark.parametrize("key", ["q", "\x04"])
def test_q_and_ctrl_d_write_what_was_taken_and_end_the_run(
    one_file: Callable[..., Human], project: Project, key: str
) -> None:
    human = one_file()
    human.answers("jy")
    human.answers(key)
    assert human.ends() == 1
    assert project.text("a.txt") == with_good(13, 15)
    assert "Applied changes to 1 of 1 file." in human.lines
    at = human.lines.index("Left: 2 problems.")
    assert human.lines[at + 1] == "Ended: stopped by you."


def test_an_unknown_key_says_where_help_is_and_help_names_every_key(review: Callable[..., Alone]) -> None:
    human = review()
    human.answers("x")
    human.sees("? shows what each key does")
    human.answers("?")
    keys = human.asked()[2]
    shown = {line[0] for line in human.lines if line[1:3] == "  " and line[3:4].isalpha()}
    assert set(keys.split(",")) | set("Agsu") == shown
    human.presses("q")
    human.comes_to(with_good(), stopped=True)


@pytest.mark.acceptance("S3-026")
def test_r_tells_the_model_why_and_it_tries_again(project: Project, provider: Serve) -> None:
    project.write({"a.txt": "bad three\n"})
    better = edit(("a.txt", "bad three\n", "fine three\n"))
    served = provider([ONE_PART, DONE, better, DONE])
    human = project.human("fix")
    human.answers("r")
    human.types("What would be better?", "„fine“, nicht good 日本語")
    human.answers("y")
    assert human.ends() == 0
    assert project.text("a.txt") == "fine three\n"
    assert "rejected by the human: „fine“, nicht good 日本語" in served.requests[1].text


@pytest.mark.acceptance("CC-11")
def test_one_hunk_taken_one_left_one_edited_and_one_decision_undone(
    project: Project, provider: Serve, tmp_path: Path
) -> None:
    project.write({"a.txt": numbered(BEFORE)})
    served = provider([ANSWER, DONE])
    editor = script(tmp_path, 'printf "%s\\n" "$2" > "$LOG"; sed -i s/good/better/ "$2"')
    human = project.human("fix", env={"EDITOR": f"{editor} --wait", "LOG": str(tmp_path / "log")})
    human.answers("yuneyy")
    assert human.ends() == 1
    edited = {13: "better thirteen", 15: "better fifteen"}
    assert project.text("a.txt") == numbered({**BEFORE, **edited, 27: AFTER[27]})
    answer = told(served, 2)
    assert "a.txt: applied 2 of 3 hunks\\nhunk 1 (line 3): rejected by the human\\n" in answer
    assert "hunk 2 (line 13): changed by the human (- your lines, + what stands there now):" in answer
    assert "+better thirteen" in answer
    file = Path((tmp_path / "log").read_text().strip())
    assert (file.suffix, file.exists()) == (".txt", False)
    assert file.is_relative_to(project.state), "nothing is written outside of motet's own places"


def told(served: Provider, request: int) -> str:
    """The last message of a request."""
    return str(served.requests[request - 1].body["messages"][-1]["content"]).replace("\n", "\\n")  # type: ignore[index]


def script(directory: Path, body: str, name: str = "editor") -> Path:
    place = directory / name
    place.write_text(f"#!/bin/sh\n{body}\n")
    place.chmod(0o755)
    return place


def test_an_editor_that_changes_nothing_takes_the_hunk_as_it_is(review: Callable[..., Alone]) -> None:
    human = review(EDITOR="true")
    human.answers("enn")
    human.comes_to(with_good(3))


@pytest.mark.parametrize(
    ("editor", "said"),
    [
        ("false", "the editor false failed (exit code 1); the hunk is as it was"),
        (
            "no-such-editor",
            "cannot start the editor no-such-editor: No such file or directory; set $EDITOR; the hunk",
        ),
        ("vi 'x", 'editor "vi \'x": No closing quotation; set $EDITOR; the hunk is as it was'),
        ('sh -c \'printf "\\377" > "$0"\'', "what the editor saved is not UTF-8; the hunk is as it was"),
        ("truncate -s 0", "nothing is left in the editor; the hunk is as it was"),
        ("sed -i /good/d", "nothing is left in the editor; the hunk is as it was"),
        ("sed -i /8/d", "the rules around the new lines are no longer there; the hunk is as it was"),
    ],
)
def test_an_editor_that_fails_leaves_the_hunk_to_be_asked_about_again(
    review: Callable[..., Alone], editor: str, said: str
) -> None:
    human = review(EDITOR=editor, columns=160)
    human.answers("e")
    human.sees(said)
    assert human.asked()[0] == 1
    human.presses("q")
    human.comes_to(numbered(BEFORE), stopped=True)


def test_an_editor_that_spoils_the_modes_of_the_terminal_is_mended(review: Callable[..., Alone]) -> None:
    human = review(EDITOR="sh -c 'stty raw -echo'")
    human.answers("e")
    human.asked()
    human.presses("q")
    human.comes_to(with_good(3), stopped=True)


def test_ctrl_c_in_the_editor_is_the_editors(
    one_file: Callable[..., Human], project: Project, tmp_path: Path
) -> None:
    body = "trap 'sed -i s/good/stopped/ \"$1\"; exit 0' INT; echo editor-is-there; while :; do sleep 0.1; done"
    human = one_file(env={"VISUAL": str(script(tmp_path, body)), "EDITOR": "false"})
    human.answers("e")
    human.sees("editor-is-there")
    human.interrupts()
    human.answers("yq")
    assert human.ends() == 1
    assert project.text("a.txt") == with_good().replace("bad three", "stopped three")


def test_a_hunk_can_be_edited_again_and_undone(review: Callable[..., Alone]) -> None:
    human = review(EDITOR="sed -i -e s/better/best/ -e s/good/better/")
    human.answers("e")
    assert human.asked()[0] == 1
    assert "as you edited it: y takes it" in human.lines
    assert "+better three" in human.lines
    human.presses("e")
    human.answers("y")
    assert human.asked()[0] == 2
    human.presses("k")
    human.asked()
    assert "a.txt:3  taken as you edited it" in human.lines
    assert "+best three" in human.lines
    human.presses("u")
    human.answers("uynn")
    human.comes_to(with_good(3))


def test_what_is_edited_counts_when_it_is_taken(review: Callable[..., Alone]) -> None:
    human = review(EDITOR="sed -i s/good/better/")
    human.answers("en")
    human.answers("euy")
    human.answers("eq")
    human.sees("what you edited last was not taken")
    human.comes_to(with_good(13, 15), stopped=True)


def test_the_editor_shows_what_the_new_lines_stand_for(review: Callable[..., Alone], tmp_path: Path) -> None:
    human = review(EDITOR=str(script(tmp_path, f'cp "$1" {tmp_path}/seen')))
    human.answers("jeq")
    human.comes_to(with_good(13, 15), stopped=True)
    rule = "-" * 30
    assert (tmp_path / "seen").read_text().splitlines() == [
        "# a.txt:13: the lines between the rules are taken as you leave them, once you have seen them.",
        "#   line 10",
        "#   line 11",
        "#   line 12",
        "# - bad thirteen",
        "# - line 14",
        "# - bad fifteen",
        f"# {rule} >8 {rule}",
        "good thirteen",
        "line 14",
        "good fifteen",
        f"# {rule} 8< {rule}",
        "#   line 16",
        "#   line 17",
        "#   line 18",
    ]


def test_a_syntax_error_that_was_edited_in_is_said(review: Callable[..., Alone]) -> None:
    human = review({"a.py": ("x = 1\n", "x = 2\n")}, EDITOR="sed -i 's/^x = 2/# 2\\nx = (/'")
    human.answers("e")
    human.sees("with your lines the file has a syntax error more")
    human.answers("y")
    human.comes_to("# 2\nx = (\n")


THREE = {name: (f"bad {name}\n", f"good {name}\n") for name in ("a.txt", "ab.txt", "c.txt")}


def test_capital_a_takes_all_that_is_left_in_all_files(review: Callable[..., Alone]) -> None:
    human = review(
        {"a.txt": (with_good(), with_good(*BEFORE)), **{name: THREE[name] for name in ("ab.txt", "c.txt")}}
    )
    human.answers("njjjA")
    human.comes_to(with_good(13, 15, 27), "good ab.txt\n", "good c.txt\n")


def test_capital_a_leaves_what_is_only_nearly_right_and_is_undone_as_one() -> None:
    files = {name: TextFile.new(name).with_text(text) for name, (text, _) in THREE.items()}
    session = Session(
        [
            Proposal.between(name, file, file.with_text(THREE[name][1]), approximate=name == "ab.txt")
            for name, file in files.items()
        ]
    )
    session.decide_all(Decision.ACCEPTED)
    assert [one.taken for one in session.proposals] == [1, 0, 1]
    assert (session.is_over, session.position) == (False, (2, 3))
    session.undo()
    assert [one.taken for one in session.proposals] == [0, 0, 0]
    assert session.position == (1, 3)


def test_g_goes_to_a_file_by_number_or_a_part_of_its_name(review: Callable[..., Alone]) -> None:
    human = review(THREE)
    question = "Go to the file (its number, or a part of its name):"
    for typed, at in (("3", 3), ("ab", 2), ("a.txt", 1), ("c", 3)):
        human.answers("g")
        human.types(question, typed)
        assert human.asked()[0] == at
        human.presses("p")
    assert "  2  ab.txt  1 of 1 undecided" in human.lines
    for typed, said in (("txt", "several files have 'txt' in the name"), ("9", "no file has '9' in the name")):
        human.answers("g")
        human.types(question, typed)
        human.sees(said)
        human.answers("p")
    human.answers("q")
    human.comes_to("bad a.txt\n", "bad ab.txt\n", "bad c.txt\n", stopped=True)


def test_p_prints_the_hunk_again(review: Callable[..., Alone]) -> None:
    human = review()
    human.answers("?p")
    human.answers("q")
    human.comes_to(with_good(), stopped=True)
    assert human.lines.count("+good three") == 2


def test_several_files_of_one_call_are_one_review(project: Project, provider: Serve) -> None:
    project.write({"a.txt": "bad a\n", "b.txt": "bad b\n"})
    text = "".join(
        f"{name}.txt\n```\n<<<<<<< SEARCH\nbad {name}\n=======\ngood {name}\n>>>>>>> REPLACE\n```\n" for name in "ab"
    )
    provider([Answer(text=f"Both.\n\n{text}"), DONE], tools=False)
    human = project.human("fix")
    assert human.asked() == (1, 2, "y,n,r,a,d,A,e,j,k,g,/,p,q,?")
    human.presses("j")
    assert human.asked()[0] == 2
    human.presses("y")
    assert human.asked()[0] == 1
    human.presses("n")
    assert human.ends() == 1
    assert (project.text("a.txt"), project.text("b.txt")) == ("bad a\n", "good b\n")
    assert "SEARCH" not in human.text, "edits are shown as diffs only"

"""What people see of a chat, on screens of two sizes."""

from __future__ import annotations

import json

import pytest
from cli.chat.chat_kit import Emulator, pieces, terminal

from motet.chat.events import Compacted, End, Ended, Level, Notice, Said, Sent, Shared, Titled
from motet.cli.chat.screen import ChatScreen
from motet.cli.chat.terminal import ChatTerminal
from motet.messages import ToolCall
from motet.models.protocol import Completed, ReasoningDelta, Retrying, TextDelta, ToolCallDelta
from motet.tools import ToolOutput
from motet.tools.kit import Told
from motet.turn import AnswerStarted, ToolFinished, ToolsCalled, TurnEnded

READ = ToolCall("1", "read_file", json.dumps({"path": "src/a.py", "first_line": 1}))
RUN = ToolCall("2", "run_command", json.dumps({"argv": ["pytest", "-q", "a b"]}))
LISTING = "\n".join(f"{number}│ line {number}" for number in range(1, 121))


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def screen(
    patch: pytest.MonkeyPatch, columns: int = 80, rows: int = 24, *, colour: bool = True
) -> tuple[ChatScreen, Emulator, Clock, ChatTerminal]:
    drawing, emulator = terminal(patch, columns, rows, colour=colour)
    clock = Clock()
    return ChatScreen(drawing, "anthropic/claude", clock), emulator, clock, drawing


def a_turn(chat: ChatScreen, clock: Clock) -> None:
    """A turn with everything in it."""
    chat.said("fix the tests\nof 日本語")
    chat(Shared("<file>src/a.py</file>", 1_234))
    chat(Sent("id", 1, 5_000))
    chat(AnswerStarted(1))
    chat(ReasoningDelta("I should look\nat the "))
    chat(ReasoningDelta("file."))
    clock.now += 12.3
    for piece in pieces("I **look** at `src/a.py`, which is said to hold the reason for all of these failures:\n", 5):
        chat(TextDelta(piece))
    chat(ToolCallDelta(0, "{", "1", "read_file"))
    chat(Completed("tool_calls", (READ, RUN)))
    chat(ToolsCalled((READ, RUN)))
    chat(ToolFinished(READ, ToolOutput(LISTING)))
    chat(Told("run_command", "output", "collecting\n3 failed\n"))
    chat(ToolFinished(RUN, ToolOutput("exit code 1\nmore", is_error=True)))
    chat(Retrying(2.0, 1, "scripted: overloaded"))
    chat(AnswerStarted(2))
    chat(TextDelta("Done:\n\n- one\n- two"))
    chat(TurnEnded())
    chat(Titled("Tests"))
    chat(Ended(End.DONE))


WIDE = """\
› fix the tests
  of 日本語

+ <file>src/a.py</file>  1.2k tokens

▸ thought for 12 s  2 lines

I look at src/a.py, which is said to hold the reason for all of these failures:

▸ read_file src/a.py  120 lines
✗ run_command pytest -q 'a b'  exit code 1

scripted: overloaded; trying again in 2 s (attempt 1)

Done:

• one
• two"""


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (200, 50)])
def test_a_whole_turn(monkeypatch: pytest.MonkeyPatch, columns: int, rows: int) -> None:
    chat, emulator, clock, _ = screen(monkeypatch, columns, rows)
    a_turn(chat, clock)
    assert emulator.text == WIDE


def test_a_whole_turn_without_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    chat, emulator, clock, _ = screen(monkeypatch, colour=False)
    a_turn(chat, clock)
    plain = WIDE.replace("look at src/a.py", "**look** at `src/a.py`").replace("•", "-")
    assert emulator.text == plain.replace("these failures:", "these\nfailures:")
    assert "\x1b" not in emulator.raw


def test_a_narrow_screen_cuts_folds_and_breaks_text(monkeypatch: pytest.MonkeyPatch) -> None:
    chat, emulator, _, _ = screen(monkeypatch, 30)
    chat(TextDelta("The text goes on in a second row."))
    path = "a/very/long/path/to/日本語のファイル.py"
    chat(ToolFinished(ToolCall("1", "read_file", json.dumps({"path": path})), ToolOutput(LISTING)))
    assert emulator.lines == ["The text goes on in a second", "row.", "", "▸ read_file a/very…  120 lines"]


def test_the_moving_line_says_what_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    chat, emulator, _, drawing = screen(monkeypatch)
    monkeypatch.setattr("motet.cli.terminal._REDRAW", 0.0)
    chat(AnswerStarted(1))
    assert emulator.lines == ["anthropic/claude reads  0 s"]
    chat(ReasoningDelta("first\nthen "))
    assert emulator.lines == ["anthropic/claude thinks: then  0 s"]
    chat(ReasoningDelta("there"))
    assert emulator.lines == ["anthropic/claude thinks: then there  0 s"]
    chat(ToolCallDelta(0, '{"path": "a.py", "diff": "', "1", "replace_in_file"))
    assert emulator.lines[-1] == "anthropic/claude writes an edit  0 s"
    chat(ToolsCalled((READ, RUN)))
    assert emulator.lines[-1] == "read_file src/a.py  0 s"
    chat(ToolFinished(READ, ToolOutput("x")))
    assert emulator.lines[-1] == "run_command pytest -q 'a b'  0 s"
    chat(Told("run_command", "output", "one\ntwo \x1b[2J\n"))
    assert emulator.lines[-1] == "run_command pytest -q 'a b'  two ␛[2J  0 s"
    chat.typed("wait\nfor 日本")
    assert emulator.lines[-3:] == ["run_command pytest -q 'a b'  two ␛[2J  0 s", "› wait", "  for 日本"]
    chat.typed(None)
    chat(Ended(End.STOPPED))
    drawing.tick()
    assert emulator.lines[-1] == "Stopped."


def test_a_long_edit_shows_its_file_and_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    chat, emulator, _, _ = screen(monkeypatch)
    monkeypatch.setattr("motet.cli.terminal._REDRAW", 0.0)
    chat(ToolCallDelta(0, '{"path": "a.py", "diff": "<<<<<<< SEARCH\\nx\\n=======\\n', "1", "replace_in_file"))
    chat(ToolCallDelta(0, "y\\nz\\n"))
    assert emulator.lines[-1].startswith("anthropic/claude writes an edit to a.py: ")


@pytest.mark.parametrize(
    ("event", "lines"),
    [
        (Notice("a notice"), ["a notice"]),
        (Notice("beware", Level.WARNING), ["beware"]),
        (Notice("two\nlines \x07", Level.ERROR), ["two␊lines ␇"]),
        (Said("go on"), ["› go on"]),
        (Compacted(12, 90_000, 8_000), ["Summed up 12 messages: 90k to 8k tokens. Nothing of them is deleted."]),
        (Told("update_plan", "plan", "[x] one\n[ ] two"), ["[x] one", "[ ] two"]),
        (Ended(End.DONE), []),
        (Ended(End.LIMIT, "50 rounds; say go on"), ["Stopped asking: 50 rounds; say go on"]),
        (
            Ended(End.FAILED, "scripted: 500; try again", is_partial=True),
            ["The answer broke off; what came of it is kept.", "scripted: 500; try again"],
        ),
    ],
)
def test_what_is_said_beside_the_answer(monkeypatch: pytest.MonkeyPatch, event: object, lines: list[str]) -> None:
    chat, emulator, _, _ = screen(monkeypatch)
    chat(event)  # pyright: ignore[reportArgumentType]
    assert emulator.lines == lines


def test_an_error_is_red_and_everything_hostile_is_symbols(monkeypatch: pytest.MonkeyPatch) -> None:
    chat, emulator, _, _ = screen(monkeypatch)
    call = ToolCall("1", "x\x1b]0;t\x07", json.dumps({"path": "\x1b[2J"}))
    chat(ToolFinished(call, ToolOutput("bad \x1b]52;c;eA==\x07\nmore", is_error=True)))
    assert emulator.lines == ["✗ x␛]0;t␇ ␛[2J  bad ␛]52;c;eA==␇"]
    assert emulator.raw == "\x1b[31m✗ x␛]0;t␇ ␛[2J  bad ␛]52;c;eA==␇\x1b[0m\n"
    assert emulator.screen.title == ""


@pytest.mark.acceptance("SP-10")
def test_the_last_folded_things_are_shown_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    chat, emulator, clock, _ = screen(monkeypatch)
    assert not chat.show()
    chat(ReasoningDelta("one\n\ttwo"))
    clock.now += 75
    chat(ToolFinished(READ, ToolOutput("1│ x\n2│ \x1b[2J")))
    assert emulator.lines == ["▸ thought for 1 min 15 s  2 lines", "▸ read_file src/a.py  2 lines"]
    assert chat.show(2)
    assert emulator.lines[2:] == [
        "", "thought for 1 min 15 s  2 lines", "one", "        two", "", "read_file src/a.py  2 lines", "1│ x", "2│ ␛[2J",
    ]  # fmt: skip


def test_what_is_said_meanwhile_is_drawn_where_it_joins(monkeypatch: pytest.MonkeyPatch) -> None:
    chat, emulator, _, _ = screen(monkeypatch)
    chat(TextDelta("An answer "))
    chat.typed("")
    chat.queued(["be quick"])
    assert emulator.lines == ["An answer", "queued: be quick", "›"]
    chat(TextDelta("goes on."))
    assert emulator.lines == ["An answer goes", "queued: be quick", "›"]
    chat.queued([])
    chat.typed(None)
    chat(Said("be quick"))
    chat(Ended(End.DONE))
    assert emulator.lines == ["An answer goes on.", "", "› be quick"]


def test_the_first_word_is_on_the_screen_when_its_event_has_been_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    chat, emulator, _, _ = screen(monkeypatch)
    chat(AnswerStarted(1))
    chat(TextDelta("Hel"))
    assert emulator.lines == ["Hel"]
    chat(TextDelta("lo"))
    assert emulator.lines == ["Hello"]


def test_in_a_pipe_everything_is_lines_and_the_text_is_what_came(monkeypatch: pytest.MonkeyPatch) -> None:
    chat, emulator, clock, _ = screen(monkeypatch)
    emulator.isatty = lambda: False  # pyright: ignore[reportAttributeAccessIssue]
    chat = ChatScreen(ChatTerminal(emulator), "offline", clock)
    chat(AnswerStarted(1))
    chat(TextDelta("**one** "))
    chat(TextDelta("two " * 40))
    chat(ToolFinished(READ, ToolOutput(LISTING)))
    chat(Ended(End.DONE))
    assert emulator.raw == f"**one** {'two ' * 40}\n\n▸ read_file src/a.py  120 lines\n"

"""What is typed while the model works is seen as it is typed, and no word of it is lost, however the turn ends."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable
from typing import Any

import pytest
from cli.chat.chat_kit import pieces, terminal
from cli.chat.session_kit import OWN, QUIET, WELCOME, Talker, talker
from cli.kit import Project, Provider, eventually

from motet.chat import End, Ended
from motet.cli.chat.screen import ChatScreen
from motet.models.protocol import TextDelta
from motet.models.scripted import Answer, HttpError, call
from motet.models.scripted.answers import Wire

Serve = Callable[..., Provider]
CTRL_C, CTRL_D = "\x03", "\x04"
STUCK = Wire(text_chars=4, stall_after=6)
"""An answer that comes as far as its first twenty characters."""
BEGUN = Answer(text="One two three four five six seven.", wire=STUCK)


@pytest.fixture
def chat(project: Project, provider: Serve) -> Callable[..., tuple[Talker, Provider]]:
    """`chat(step, …)`: a human in `motet chat`, and the provider that answers so."""

    def start(*steps: object, arguments: tuple[str, ...] = (), **how: Any) -> tuple[Talker, Provider]:
        served = provider([Answer(text=step) if isinstance(step, str) else step for step in steps], more=QUIET)
        return talker(project, "chat", *arguments, **how), served

    return start


@pytest.fixture
def gate(project: Project) -> Callable[[], None]:
    """Opens the fifo that `WAITS` waits for."""
    fifo = project.root / "gate"
    os.mkfifo(fifo)
    return lambda: os.close(os.open(fifo, os.O_WRONLY))


WAITS = Answer(text="I wait.", calls=(call("run_command", {"argv": ["cat", "gate"]}),))
MAY_WAIT = ("-t", "cmd", "--allow", "run:cat *")


def said(served: Provider, number: int = -1) -> list[str]:
    """What the human has said, in a request."""
    messages = served.requests[number].body["messages"]
    assert isinstance(messages, list)
    return [message["content"] for message in messages if message["role"] == "user"]


def drafts(project: Project) -> list[str]:
    return [event["draft"] for event in project.here("history", "list", "--json").events]


# --- on the screen ---------------------------------------------------------------------------------------------

ANSWER = (
    "## How it works\n\nThe **loader** reads `settings.toml`; see [the guide](https://example.org/guide) for more.\n\n"
    "- first the environment\n\n```python\n" + "x = '日本語の長い行です'; " * 6 + "\n```\n\n"
    "| name | size |\n|---|--:|\n| one `a` | 12 |\n\n設定を読み込んでから、**モデル**に質問します。\n\nIt is done."
)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("columns", "rows", "colour"), [(80, 24, True), (50, 14, True), (50, 14, False)])
def test_typing_never_garbles_the_answer(
    monkeypatch: pytest.MonkeyPatch, columns: int, rows: int, colour: bool, seed: int
) -> None:
    monkeypatch.setattr("os.get_terminal_size", lambda _: os.terminal_size((columns, rows)))
    quiet, alone = terminal(monkeypatch, columns, rows, colour=colour)
    drawing, emulator = terminal(monkeypatch, columns, rows, colour=colour)
    undisturbed, chat = ChatScreen(quiet, "m"), ChatScreen(drawing, "m")
    source, typed = random.Random(seed), ""
    for piece in pieces(ANSWER, seed):
        undisturbed(TextDelta(piece))
        if source.random() < 0.5:
            typed += source.choice(["word ", "設定", "\n", "a" * 30])
            chat.typed(typed)
        if source.random() < 0.1:
            chat.queued([typed] * source.randint(0, 9))
        chat(TextDelta(piece))
        if typed and not typed.endswith(("\n", " ")):
            assert emulator.lines[-1].endswith(typed[-1])
        drawing.tick()
    for each in (undisturbed, chat):
        each(Ended(End.DONE))
    assert emulator.lines == alone.lines
    assert (emulator.screen.cursor.x, drawing.is_mid_line) == (0, False)


def test_a_terminal_that_is_never_typed_on_gets_no_sequences(monkeypatch: pytest.MonkeyPatch) -> None:
    drawing, emulator = terminal(monkeypatch, colour=False)
    chat = ChatScreen(drawing, "m")
    chat.typed("")
    chat(TextDelta(ANSWER))
    chat.typed(None)
    chat(Ended(End.DONE))
    assert "\x1b" not in emulator.raw


@pytest.mark.parametrize(
    ("columns", "rows", "env"), [(80, 24, {}), (50, 14, {"NO_COLOR": "1"}), (50, 14, {"LANG": "ja_JP.UTF-8"})]
)
def test_what_is_typed_and_queued_is_seen_and_ctrl_c_gives_it_back(
    chat: Callable[..., tuple[Talker, Provider]], columns: int, rows: int, env: dict[str, str]
) -> None:
    human, served = chat(BEGUN, "Fine.", columns=columns, rows=rows, **env)
    human.says("count")
    human.sees("three")
    human.presses("and 二番目\r")
    human.shows("› count", "", "One two three four", "queued: and 二番目", "›")
    human.presses("/context\rthen thi\x7f\x7fhis")
    human.shows("One two three four", "queued: and 二番目", "queued: /context", "› then this")
    human.presses(CTRL_C)
    human.writes("› and 二番目", "  /context", "  then this")
    assert len(served.requests) == 1
    human.presses("\x7f" * len("\n/context\nthen this") + " 直す\r")
    human.sees("Fine.")
    assert said(served) == ["count", "and 二番目 直す"]
    human.is_ready()
    human.presses(CTRL_D)
    assert human.ends() == 0


# --- where it goes ---------------------------------------------------------------------------------------------


def test_what_is_queued_joins_at_the_next_gap_and_is_drawn_there(
    chat: Callable[..., tuple[Talker, Provider]], gate: Callable[[], None]
) -> None:
    human, served = chat(WAITS, "As you say.", arguments=MAY_WAIT)
    human.says("wait")
    human.sees("run_command cat gate")
    human.presses("be quick\r")
    human.sees("queued: be quick")
    gate()
    human.sees("As you say.")
    assert said(served) == ["wait", "be quick"]
    human.presses("/exit\r")
    assert human.ends() == 0
    lines = human.lines
    assert lines[lines.index("› be quick") :] == ["› be quick", "", "As you say.", "› /exit"]


def test_a_command_waits_for_the_end_and_what_follows_it_too(
    chat: Callable[..., tuple[Talker, Provider]], gate: Callable[[], None]
) -> None:
    human, served = chat(WAITS, "Done.", "Of course.", arguments=MAY_WAIT)
    human.says("wait")
    human.sees("run_command cat gate")
    human.presses("/rename a walk\rgo on\rand")
    human.shows("queued: /rename a walk", "queued: go on", "› and")
    gate()
    human.writes("› go on", "", "Of course.", "› and")
    assert [said(served, at) for at in range(3)] == [["wait"], ["wait"], ["wait", "go on"]]
    human.presses(CTRL_C + CTRL_D)
    assert human.ends() == 0


def test_what_a_failed_command_gives_back_is_queued_no_more(
    chat: Callable[..., tuple[Talker, Provider]], gate: Callable[[], None]
) -> None:
    human, _ = chat(WAITS, "Done.", BEGUN, arguments=MAY_WAIT)
    human.says("wait")
    human.sees("run_command cat gate")
    human.presses("/edit 9\rgo on\r")
    human.shows("queued: /edit 9", "queued: go on", "›")
    gate()
    human.writes("› go on")
    human.presses("\x7f" * len("go on") + "count\r")
    human.sees("three")
    human.presses("x")
    human.shows("", "One two three four", "› x")
    human.is_killed()


def test_a_turn_that_fails_gives_back_what_is_queued(
    chat: Callable[..., tuple[Talker, Provider]], gate: Callable[[], None]
) -> None:
    human, served = chat(WAITS, HttpError(401, "bad key"), "Fine.", arguments=MAY_WAIT)
    human.says("wait")
    human.sees("run_command cat gate")
    gate()
    human.sees("run_command cat gate  ")  # folded: the next request goes out
    human.presses("be quick\rand sho")
    human.sees("/retry asks again.")
    human.presses("rt\r")
    human.sees("Fine.")
    assert " ".join(said(served)).split() == ["wait", "be", "quick", "and", "short"]
    human.is_ready()
    human.presses(CTRL_D)
    assert human.ends() == 0


# --- however it ends -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["ctrl-c twice", "TERM", "HUP", "KILL"])
def test_what_was_typed_is_the_draft_of_the_chat_afterwards(
    chat: Callable[..., tuple[Talker, Provider]], project: Project, how: str
) -> None:
    human, served = chat(BEGUN)
    human.says("count")
    human.sees("three")
    human.presses("queued 一\rtyped 二")
    human.sees("typed 二")
    if how == "ctrl-c twice":
        human.presses(CTRL_C)
        human.writes("› queued 一", "  typed 二")
        human.presses(CTRL_C)
        assert human.ends() == 0
    elif how == "KILL":
        eventually(lambda: "queued 一\ntyped 二" in drafts(project))
        human.is_killed()
    else:
        human.signals(getattr(signal, f"SIG{how}"))
        assert human.ends() == 130
    again = talker(project, "chat", "-c")
    again.sees(OWN)
    again.writes("› queued 一", "  typed 二")
    assert len(served.requests) == 1
    again.presses(CTRL_C + CTRL_D)
    assert again.ends() == 0


def test_a_message_is_a_draft_until_it_is_kept(project: Project, provider: Serve) -> None:
    provider([Answer(text="Never.")], more="[chat]\ntitles = false\n")
    human = talker(project, "chat")
    human.is_ready()
    human.presses("is it 冬?\r")
    human.is_asked("[n]o:")
    human.signals(signal.SIGTERM)
    assert human.ends() == 130
    assert drafts(project) == ["is it 冬?"]


# --- before the prompt -----------------------------------------------------------------------------------------


def test_enter_before_the_prompt_is_up_sends(chat: Callable[..., tuple[Talker, Provider]]) -> None:
    human, served = chat("Hello.", "Good.")
    human.presses("hello there\rhow are you?\rand n")
    human.sees("Good.")
    human.presses("ow")
    human.writes("Good.", "› and now")
    assert [said(served, at) for at in range(2)] == [["hello there"], ["hello there", "how are you?"]]
    human.presses(CTRL_C + CTRL_D)
    assert human.ends() == 0


def test_keys_pressed_all_through_the_start_arrive_in_order(chat: Callable[..., tuple[Talker, Provider]]) -> None:
    human, served = chat("Hello.")
    pressed = ""
    while "\x1b[?2004h" not in human.raw.decode(errors="replace"):
        if len(pressed) < 3_000:  # a terminal keeps no more than 4,096
            pressed += "abcdefghij"[len(pressed) % 10]
            human.presses(pressed[-1])
        human.glances()
    human.presses("\r")
    human.sees("Hello.")
    assert said(served) == [pressed]
    human.is_ready()
    human.presses(CTRL_D)
    assert human.ends() == 0
    assert WELCOME in human.text

"""A transcript in a buffer: it grows by small changes in front of a draft that belongs to the human."""

import time

import pytest
from chat.transcript_kit import CHAT, MODEL, answer, changed, said, shown, stacks, texts, tool_round
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motet.chat.events import Notice
from motet.chat.transcript import Asked, Blocks, ContextLine, Draft, Entry, Kind, parse, render
from motet.messages import Message, ToolCall
from motet.text import Position

SLOW = settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])


def blocks(*entries: Entry) -> Blocks:
    return Blocks(entries, chat=CHAT, model=MODEL)


@SLOW
@given(stacks, st.integers(0, 30))
def test_entries_shown_one_by_one_make_the_same_document(entries: list[Entry], at: int) -> None:
    entries.append(Message.user("the end"))
    shared, document = blocks(), ""
    document = shared.text
    start = 0
    for index, entry in enumerate(entries, 1):
        if not isinstance(entry, Message) or entry.visible:
            document = changed(document, shared.add(*entries[start:index]))
            start = index
    assert document == shared.text
    assert (len(document), document.count("\n") + 1) == (shared.draft_start, shared.draft_line)
    draft, typed = shared.draft(Draft("x", (ContextLine("y"),)))
    assert draft[typed:] == "x\n"
    # The nonce was chosen before there was a text: only lengths tell the look-alikes with that nonce apart.
    parsed = parse(document + draft)
    assert list(parsed.turns) == shown(entries)
    assert (parsed.draft, parsed.draft_start) == (Draft("x", (ContextLine("y"),)), shared.draft_start + 1)


@SLOW
@given(stacks)
def test_every_block_is_where_it_says(entries: list[Entry]) -> None:
    shared = blocks(*entries)
    document = shared.text
    for placed in shared.placed:
        start = placed.start
        assert document[start : start + placed.block.size] == str(placed.block)
        assert document.count("\n", 0, start) + 1 == placed.line


@pytest.mark.acceptance("S0-042")
def test_it_is_known_on_which_line_the_newest_turn_begins() -> None:
    shared = blocks()
    for text in ("one\n\n## Me\n\ntwo", "three\n# four", "five"):
        begins = shared.draft_line
        shared.add(*said(text))
        shared.stream("An answer\n## Me\n")
        shared.finish(answer("An answer\n## Me\n"))
        lines = shared.text.split("\n")
        newest = [placed.line for placed in shared.placed if placed.block.kind is Kind.ME][-1]
        assert newest == begins  # its marker; the header stands below it
        assert "\n".join(lines[newest:]).startswith(f"## Me\n\n{text}\n\n<!-- motet ")
        assert shared.draft_line == len(lines)


def test_the_whole_is_what_render_writes() -> None:
    entries = [*said("one", "a"), answer("two", ["three"])]
    shared = blocks(*entries)
    draft = Draft("four")
    assert shared.text + shared.draft(draft)[0] == render(entries, chat=CHAT, model=MODEL, draft=draft)


@SLOW
@given(st.lists(st.tuples(texts, st.booleans()), max_size=6), st.booleans(), stacks)
def test_a_streamed_answer_ends_as_if_it_had_come_at_once(
    pieces: list[tuple[str, bool]], partial: bool, before: list[Entry]
) -> None:
    entries = [*before, Message.user("go")]
    shared = blocks(*entries)
    document = shared.text
    for text, reasoning in pieces:
        document = changed(document, shared.stream(text, reasoning=reasoning))
        assert len(document) == shared.draft_start
    assert document == shared.text
    text = "".join(text for text, reasoning in pieces if not reasoning)
    thoughts = "".join(text for text, reasoning in pieces if reasoning)
    whole = answer(text, [thoughts], [ToolCall("1", "f", "{}")], partial)
    for change in shared.finish(whole):
        document = changed(document, change)
    at_once = blocks(*entries)
    at_once.add(whole)
    assert document == shared.text == at_once.text
    assert shared.placed == at_once.placed


@pytest.mark.acceptance("S2-006")
def test_an_answer_streams_in_below_its_own_header() -> None:
    shared = blocks(Message.user("go"))
    first, *more = [shared.stream(piece) for piece in ("The ", "answer\nis ", "42")]
    marker, rest = first.text.split("\n", 1)
    assert marker.split()[3:] == ["motet", "-", "id=", "model=scripted/model", "-->"]
    assert rest == "## motet (scripted/model)\n\nThe \n\n"
    assert [(change.text, change.removed, change.start) for change in more] == [
        ("answer\nis ", 0, Position(11, 5)),
        ("42", 0, Position(12, 4)),
    ]
    assert shared.text.endswith("\n## motet (scripted/model)\n\nThe answer\nis 42\n\n")


def test_what_has_streamed_stays_and_only_its_marker_changes() -> None:
    shared = blocks(Message.user("go"))
    shared.stream("hm", reasoning=True)
    shared.stream("a long")
    shared.stream(" answer")
    changes = shared.finish(answer("a long answer", ["hm"]).with_meta(id="A"))
    assert [(change.text, change.start.line == change.end.line) for change in changes] == [
        (f"{shared.text[:19]} reasoning 2 id=A -->", True),
        (f"{shared.text[:19]} response 13 id=A -->", True),
    ]


def test_an_answer_that_never_came_leaves_nothing() -> None:
    shared = blocks(Message.user("go"))
    before = shared.text
    document = changed(before, shared.stream("a piece"))
    for change in shared.finish(None):
        document = changed(document, change)
    assert document == shared.text == before
    assert body_of(changed(document, shared.add(Notice("the provider said no")))) == ["me", "motet", "notice"]


def body_of(document: str) -> list[str]:
    return [line.split()[3] for line in document.splitlines() if line.startswith("<!-- motet ")][1:]


def test_a_document_in_the_middle_of_a_stream_can_be_read() -> None:
    shared = blocks(Message.user("go").with_meta(id="Q"))
    shared.stream("hm", reasoning=True)
    shared.stream("a pie")
    turns = parse(shared.text + shared.draft(Draft("next"))[0]).turns
    assert turns[0] == Asked("go", id="Q")
    assert [(turn.reasoning, turn.text) for turn in turns[1:]] == [("hm", "a pie")]  # type: ignore[union-attr]


def test_nothing_is_shown_while_an_answer_streams() -> None:
    shared = blocks()
    shared.stream("x")
    with pytest.raises(ValueError, match="finish it first"):
        shared.add(Notice("now"))
    with pytest.raises(ValueError, match="only an answer"):
        shared.finish(Message.user("x"))


def test_an_answer_after_a_tool_goes_on_in_the_same_turn() -> None:
    shared = blocks(Message.user("go"), *tool_round("1", "f", "{}", "out"))
    shared.stream("done")
    shared.finish(answer("done"))
    assert [placed.block.kind for placed in shared.placed] == [
        Kind.TRANSCRIPT,
        Kind.ME,
        Kind.MOTET,
        Kind.CALL,
        Kind.RESULT,
        Kind.RESPONSE,
    ]


def test_a_piece_costs_little_however_long_the_answer_is() -> None:
    shared = blocks(Message.user("go"))
    shared.stream("x")
    began = time.process_time()
    for _ in range(20_000):
        shared.stream("a token ")
    assert (time.process_time() - began) / 20_000 < 200e-6
    assert shared.placed[-1].block.text == "x" + "a token " * 20_000

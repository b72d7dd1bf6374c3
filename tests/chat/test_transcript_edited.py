"""Transcripts that a human has changed, and Markdown that never was one: nothing is lost, nothing is guessed."""

from chat.transcript_kit import CHAT, MODEL, NONCE, answer, said, stacks, texts, tool_round, without_ids
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motet.chat.transcript import Answer, Aside, Asked, ContextLine, Draft, Entry, Output, parse, render, to_messages
from motet.messages import Message, MessageStack, Role, Text, ToolCall, tags

SLOW = settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])


def written(*entries: Entry, draft: Draft | None = None) -> str:
    return render(entries, chat=CHAT, model=MODEL, draft=draft)


@SLOW
@given(texts, texts.filter(lambda text: "motet" not in text))
def test_an_edited_text_ends_at_the_next_marker_and_its_neighbours_stay(text: str, new: str) -> None:
    new = f"¶{new}¶"
    document = written(Message.user(f"one {text}"), answer("\x01old\x02"), Message.user(f"two {text}"))
    edited = document.replace("\x01old\x02", new)
    turns = without_ids(parse(edited).turns)
    assert turns == [Asked(f"one {text}"), Answer(new, model=MODEL), Asked(f"two {text}")]


def test_an_edited_text_is_told_with_its_line() -> None:
    document = written(Message.user("one"), answer("two"))
    assert parse(document.replace("\ntwo\n", "\nand two\n")).notes == (
        "line 8: this text was edited (it had 3 characters)",
    )


def test_an_edited_tool_output_keeps_out_its_fence() -> None:
    document = written(*tool_round("1", "f", "{}", "one\ntwo"))
    _, output = parse(document.replace("\ntwo\n", "\n")).turns
    assert isinstance(output, Output)
    assert output.text == "one"


def test_line_ends_that_another_program_changed_cost_no_structure() -> None:
    document = written(*said("one\ntwo", "<file>a</file>"), answer("three", ["four"]), draft=Draft("five"))
    parsed = parse(document.replace("\n", "\r\n"))
    assert without_ids(parsed.turns) == [
        Asked("one\r\ntwo", (ContextLine("<file>a</file>"),)),
        Answer("three", "four", model=MODEL),
    ]
    assert parsed.draft == Draft("five")


def test_what_is_written_below_the_last_header_is_the_draft() -> None:
    document = written(Message.user("one"), answer("two"))
    assert parse(document + "three\n\n## Me\n\nfour\n").draft == Draft("three\n\n## Me\n\nfour")


def test_the_draft_begins_at_its_marker_not_at_a_heading() -> None:
    document = written(Message.user("## Me\n\nfake"), draft=Draft("## Me\n\nreal"))
    parsed = parse(document)
    assert parsed.draft == Draft("## Me\n\nreal")
    assert document[parsed.draft_start :] == f"<!-- motet {NONCE} draft - -->\n## Me\n\n## Me\n\nreal\n"


def test_a_line_taken_out_of_the_drafts_context_is_out() -> None:
    document = written(draft=Draft("text", (ContextLine("a"), ContextLine("b", pinned=True))))
    assert parse(document.replace("> - a\n", "")).draft == Draft("text", (ContextLine("b", pinned=True),))
    without = document.replace("> - a\n", "").replace("> - 📌 b\n", "").replace("> Context:\n", "")
    assert parse(without).draft == Draft("text")


def test_text_written_between_context_and_marker_is_kept() -> None:
    document = written(draft=Draft("text", (ContextLine("a"),)))
    assert parse(document.replace("> - a\n", "> - a\n\nabove\n")).draft == Draft("above\n\ntext", (ContextLine("a"),))


def test_a_marker_that_is_gone_joins_two_texts() -> None:
    document = written(Message.user("one"), answer("two"), Message.user("three"))
    lines = document.splitlines(keepends=True)
    gone = "".join(line for line in lines if " motet 3 " not in line)
    turns = without_ids(parse(gone).turns)
    assert turns == [Asked("one\n\n## motet (scripted/model)\n\ntwo"), Asked("three")]


def test_a_heading_that_is_gone_costs_nothing() -> None:
    document = written(Message.user("one"), answer("two"))
    bare = document.replace("## motet (scripted/model)\n", "")
    assert without_ids(parse(bare).turns) == [Asked("one"), Answer("two", model=MODEL)]


def test_a_transcript_without_its_head_is_still_one() -> None:
    document = written(Message.user("one"), answer("two"))
    assert without_ids(parse(document.split("\n", 1)[1]).turns) == [Asked("one"), Answer("two", model=MODEL)]


def test_text_above_a_transcript_is_told_and_left_out() -> None:
    parsed = parse("# My chat\n\n" + written(Message.user("one")))
    assert (without_ids(parsed.turns), parsed.notes) == (
        [Asked("one")],
        ("the text above the first marker was left out",),
    )


def test_a_transcript_of_a_later_form_is_told_of() -> None:
    document = written(Message.user("one")).replace("version=1", "version=2")
    document = document.replace(
        f"<!-- motet {NONCE} draft", f"<!-- motet {NONCE} song 2 -->\nla\n\n<!-- motet {NONCE} draft"
    )
    parsed = parse(document)
    assert without_ids(parsed.turns) == [Asked("one")]
    assert parsed.notes == (
        "line 1: this transcript was written by another version of motet; parts may be missing",
        "line 9: a part of an unknown kind (song) was left out",
    )


@given(st.text())
@settings(deadline=None)
def test_any_text_can_be_read(text: str) -> None:
    parse(text)


@SLOW
@given(stacks, st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 40), texts), max_size=4))
def test_whatever_a_human_did_the_messages_are_a_valid_stack(
    entries: list[Entry], edits: list[tuple[int, int, str]]
) -> None:
    document = written(*entries)
    for at, removed, text in edits:
        document = document[:at] + text + document[at + removed :]
    MessageStack(*to_messages(parse(document)))


# --- Markdown without markers ----------------------------------------------------------------------------------


def test_a_file_without_turns_is_a_draft() -> None:
    text = "# Notes\n\nplease explain\n```\n## Me\n```\n"
    assert parse(text).draft == Draft(text.rstrip("\n"))
    assert parse("").draft == Draft()


def test_headings_split_a_plain_file_but_for_those_in_fences() -> None:
    parsed = parse(
        "## Me\n\n> Context:\n> - <file>a.py</file>\n\nexplain\n```\n## Me\n```\n\n"
        "## motet (a/b)\n\n### Reasoning\n\nhm\n\n### Response\n\nIt is\n### Response\nso\n\n## Me\nthanks\n"
    )
    assert parsed.turns == (
        Asked("explain\n```\n## Me\n```", (ContextLine("<file>a.py</file>"),)),
        Answer("It is\n### Response\nso", "hm", model="a/b"),
    )
    assert (parsed.draft, parsed.notes) == (Draft("thanks"), ())


def test_a_transcript_whose_markers_were_taken_out_is_read_by_its_headings() -> None:
    document = written(*said("one", "<file>a</file>"), answer("two", ["hm"]), draft=Draft("three"))
    plain = "".join(line for line in document.splitlines(keepends=True) if not line.startswith("<!--"))
    parsed = parse(plain)
    assert parsed.turns == (Asked("one", (ContextLine("<file>a</file>"),)), Answer("two", "hm", model=MODEL))
    assert parsed.draft == Draft("three")


def test_a_marker_in_a_fence_of_a_plain_file_is_text() -> None:
    text = "How are these read?\n```\n<!-- motet 12345678 me 3 id=1 -->\n```"
    assert parse(text).draft == Draft(text)


# --- messages --------------------------------------------------------------------------------------------------


def test_a_transcript_becomes_a_new_chat_with_its_attachments_read_afresh() -> None:
    document = written(*said("one", "<file>a</file>"), *tool_round("1", "f", "{}", "out"), answer("two"))
    fresh = Message.attachment(Text("new text"), tag=tags.FILE)
    messages = to_messages(parse(document), {"<file>a</file>": [fresh]})
    assert [(m.role, m.text, m.meta.cycle) for m in messages] == [
        (Role.USER, "new text", 1),
        (Role.USER, "one", 1),
        (Role.ASSISTANT, "", 1),
        (Role.TOOL, "out", 1),
        (Role.ASSISTANT, "two", 1),
    ]
    assert len({m.id for m in messages} | {fresh.id}) == len(messages) + 1


def test_calls_without_output_and_outputs_without_call_are_said_to_the_model() -> None:
    calls = (ToolCall("1", "f", "{}"), ToolCall("1", "g", "{}"))
    parsed = parse(written(answer("", calls=calls)))
    turns = (*parsed.turns, Output("out", "9", "h"), Aside("so far", tags.COMPACT_SUMMARY))
    messages = to_messages(type(parsed)(turns))
    missing = "The output of this call is not in the transcript."
    assert [(m.role, m.text) for m in messages] == [
        (Role.ASSISTANT, ""),
        (Role.TOOL, missing),
        (Role.TOOL, missing),
        (Role.USER, "out"),
        (Role.USER, "so far"),
    ]
    MessageStack(*messages)

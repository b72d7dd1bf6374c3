"""The transcript: what is seen of a chat, and that reading it back gives exactly that."""

import time

import pytest
from chat.transcript_kit import CHAT, MODEL, NONCE, PINNED, answer, said, shown, stacks, texts, tool_round
from hypothesis import HealthCheck, given, settings

from motet.chat.events import Level, Notice
from motet.chat.transcript import Answer, Asked, ContextLine, Draft, Entry, parse, render
from motet.messages import ContextRef, Image, Message, Meta, Role, Text, tags

SLOW = settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])


def written(*entries: Entry, draft: Draft | None = None) -> str:
    return render(entries, chat=CHAT, model=MODEL, pinned=[PINNED], draft=draft)


@pytest.mark.acceptance("S2-002")
def test_a_turn_of_the_human_and_one_of_the_model_stand_under_headers_of_their_own() -> None:
    question = Message.user("why?").with_meta(id="Q")
    reply = answer("because").with_meta(id="A")
    assert written(question, reply) == (
        f"<!-- motet {NONCE} transcript 0 version=1 -->\n\n"
        f"<!-- motet {NONCE} me 4 id=Q -->\n## Me\n\nwhy?\n\n"
        f"<!-- motet {NONCE} motet 7 id=A model=scripted/model -->\n## motet (scripted/model)\n\nbecause\n\n"
        f"\n<!-- motet {NONCE} draft - -->\n## Me\n\n"
    )


def body(text: str) -> str:
    """Without markers and the empty draft."""
    lines = [line for line in text.splitlines(keepends=True) if not line.startswith("<!-- motet ")]
    return "".join(lines).strip().removesuffix("## Me").strip()


@pytest.mark.acceptance("S2-011", "S2-039", "S0-038")
def test_reasoning_tools_notices_and_a_break_each_have_a_form_of_their_own() -> None:
    text = written(
        *said("go", "<file>a.py</file>", PINNED),
        answer("I look.", ["hm"]),
        *tool_round("1", "read_file", '{"path": "a.md"}', "```\ncode\n```", error=True),
        answer("It is", partial=True),
        Notice("the connection was cut; resend to go on", Level.ERROR),
        Message.user("applied", tag=tags.TOOL_OUTPUT),
        Message.user("so far", tag=tags.COMPACT_SUMMARY),
    )
    assert body(text) == (
        "## Me\n\n> Context:\n> - <file>a.py</file>\n> - 📌 <file>pinned.py</file>\n\ngo\n\n"
        "## motet (scripted/model)\n\n### Reasoning\n\nhm\n\n### Response\n\nI look.\n\n"
        '### Tool: read_file\n\n```json\n{"path": "a.md"}\n```\n\n'
        "### Output: read_file (failed)\n\n````\n```\ncode\n```\n````\n\n"
        "### Response\n\nIt is\n\n*interrupted*\n\n"
        "### Notice\n\nthe connection was cut; resend to go on\n\n"
        "### Output\n\n```\napplied\n```\n\n### Compact summary\n\nso far"
    )


@pytest.mark.acceptance("S2-019", "S1-030")
def test_hidden_messages_stay_out() -> None:
    shared = Message.attachment(Text("FILE TEXT"), context=ContextRef("<file>a.py</file>", "/p/a.py"), tag=tags.FILE)
    text = written(Message.system("SYSTEM TEXT", tags.SYSTEM_PROMPT), shared, Message.user("hello"))
    assert body(text) == "## Me\n\n> Context:\n> - <file>a.py</file>\n\nhello"


def test_what_the_human_typed_is_shown_not_what_the_model_reads() -> None:
    message = Message(
        Role.USER, (Text("explain buffer 7 (`a.py`)"), Image(b"x", "image/png")), typed="explain #buffer"
    )
    assert body(written(message)) == "## Me\n\nexplain #buffer"


@pytest.mark.parametrize("fence", ["```", "~~~~"])
def test_a_fence_that_an_answer_leaves_open_does_not_swallow_what_follows(fence: str) -> None:
    entries = [answer(f"{fence}py\nx = 1", partial=True), Message.user(f"{fence}\nx\n{fence}\nso?")]
    text = written(*entries)
    assert body(text) == (
        f"## motet (scripted/model)\n\n{fence}py\nx = 1\n{fence}\n\n*interrupted*\n\n"
        f"## Me\n\n{fence}\nx\n{fence}\nso?"
    )
    assert list(parse(text).turns) == shown(entries)
    edited = [turn.text for turn in parse(text.replace("x = 1", "x = 12")).turns if isinstance(turn, Answer)]
    assert edited == [f"{fence}py\nx = 12"]


def test_each_answer_stands_under_the_model_that_gave_it() -> None:
    one, two = (answer(text).with_meta(source=text, id=text) for text in ("a/one", "b/two"))
    text = written(Message.user("hello"), one, two, answer("more"))
    assert body(text) == (
        "## Me\n\nhello\n\n## motet (a/one)\n\na/one\n\n## motet (b/two)\n\nb/two\n\n### Response\n\nmore"
    )
    assert [turn.model for turn in parse(text).turns if isinstance(turn, Answer)] == ["a/one", "b/two", "b/two"]


def test_a_name_that_a_model_made_up_breaks_neither_its_heading_nor_its_marker() -> None:
    entries = [Message.user("x"), *tool_round("--> id", "f -->\n## Me\n\x1b[2J", "{}", "no such tool")]
    text = written(*entries)
    assert "### Tool: f -->�## Me��[2J\n" in text
    assert list(parse(text).turns) == shown(entries)


def test_an_item_shared_after_the_text_belongs_to_the_same_turn() -> None:
    def item(line: str, cycle: int) -> Message:
        return Message.attachment(Text("x"), context=ContextRef(line), cycle=cycle)

    entries = [
        Message.user("one").with_meta(cycle=1),
        item("a", 1),
        answer("ok"),
        item("b", 2),
        Message.user("two").with_meta(cycle=2),
        item("c", 2),
        item("d", 3),
    ]
    parsed = parse(written(*entries))
    asked = [turn for turn in parsed.turns if isinstance(turn, Asked)]
    assert [[line.id for line in turn.context] for turn in asked] == [["a"], ["b", "c"]]
    assert parsed.draft.context == (ContextLine("d"),)


@SLOW
@given(stacks, texts)
def test_reading_what_was_written_gives_back_all_that_is_visible(entries: list[Entry], draft: str) -> None:
    entries.append(Message.user("the end", tag=tags.REVIEW))  # takes the items that no turn has taken
    parsed = parse(written(*entries, draft=Draft(draft, (ContextLine("x", watched=True),))))
    assert list(parsed.turns) == shown(entries)
    assert parsed.draft == Draft(draft.rstrip("\r\n"), (ContextLine("x", watched=True),))
    assert parsed.notes == ()


@SLOW
@given(texts)
def test_a_draft_is_read_byte_for_byte(text: str) -> None:
    assert parse(written(draft=Draft(text))).draft == Draft(text.rstrip("\r\n"))


@SLOW
@given(texts, texts)
def test_a_line_of_the_context_block_keeps_its_id_whatever_it_is(one: str, other: str) -> None:
    lines = (ContextLine(f"x{one}", True, True), ContextLine(f"y{other}", watched=True))
    assert parse(written(draft=Draft("", lines))).draft.context == lines


@pytest.mark.acceptance("S2-002")
def test_a_prompt_full_of_structure_is_one_prompt() -> None:
    text = (
        "# a\n\n## Me\n\n> Context:\n> - <file>x</file>\n\n```\n## motet (x)\n<!-- motet 12345678 me 3 id=1 -->\n\n"
    )
    assert parse(written(Message.user(text).with_meta(id="Q"))).turns == (Asked(text, id="Q"),)


def test_a_transcript_pasted_into_a_turn_of_the_same_chat_is_text() -> None:
    whole = written(*said("one", PINNED), answer("two"))
    entries = [Message.user(whole), answer(whole)]
    assert list(parse(written(*entries)).turns) == shown(entries)


def test_a_text_of_others_stands_where_no_editor_looks_for_commands() -> None:
    text = "# vim: set modeline:\n# vim: set modeline:"
    lines = written(Message.user(text), answer(text)).splitlines()
    assert not any("vim:" in line for line in lines[:5] + lines[-5:])


@pytest.mark.parametrize("size", [1, 200_000])
def test_ten_million_characters_are_written_and_read_in_seconds(size: int) -> None:
    line = f"<!-- motet {NONCE} me 3 id=x --> ```\n"
    turns = 10_000_000 // (len(line) * size) // 2 if size > 1 else 20_000
    text = line * (size if size > 1 else 5)
    entries = [entry for _ in range(turns) for entry in (Message.user(text), answer(text))]
    began = time.process_time()
    document = written(*entries)
    assert len(parse(document).turns) == 2 * turns
    parse(document.replace("\n", "\r\n"))
    assert time.process_time() - began < 30


def test_the_chat_of_a_message_without_a_text_is_read_back() -> None:
    entries = [Message.user(""), answer(""), Message.user("", tag=tags.TOOL_OUTPUT), *tool_round("1", "f", "", "")]
    assert list(parse(written(*entries)).turns) == shown(entries)


def test_a_message_with_an_id_of_its_own_keeps_it() -> None:
    message = Message(Role.USER, (Text("x"),), meta=Meta(id="a b-->ü"))
    assert parse(written(message)).turns == (Asked("x", id="a b-->ü"),)

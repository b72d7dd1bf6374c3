"""A chat's name: what is asked of a model, what is taken of its answer, and what stands in when there is none."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from motet.chat.title import WIDTH, clean_title, fallback_title, title_request
from motet.messages import ContextRef, Image, Message, Reasoning, Role, Text, ToolCall, ToolResult, tags
from motet.prompts import prompt

HIDDEN = (
    Message.system("SYSTEM", tags.SYSTEM_PROMPT),
    Message.attachment(Text("RULES"), context=ContextRef("<rules>AGENTS.md</rules>"), tag=tags.RULES),
    Message.attachment(Image(b"IMAGE", "image/png", "IMAGE"), tag=tags.IMAGE),
    Message.attachment(Text("ATTACHED"), tag=tags.FILE),
    Message.user("OUTPUT", tag=tags.TOOL_OUTPUT),
)


def asked(*messages: Message) -> str:
    system, user = title_request(messages).messages
    assert system.text == prompt("title")
    return user.text


@pytest.mark.acceptance("S2-046", "S2-034", "S2-036", "S2-031")
def test_a_title_is_asked_for_with_what_human_and_model_said_and_nothing_else() -> None:
    question = Message(
        Role.USER, (Text("explain buffer 7"), Image(b"x", "image/png", "IMAGE")), typed="explain #buffer"
    )
    call = ToolCall("1", "f", '{"path": "ARGUMENTS"}')
    answer = Message(Role.ASSISTANT, (Text("It sorts."),), (Reasoning("REASONING", {}),), (call,))
    output = Message.tool(ToolResult("1", "f"), "OUTPUT", tags.TOOL_OUTPUT)
    assert asked(*HIDDEN, question, answer, output) == (
        "<conversation>\n<person>\nexplain #buffer\n</person>\n<programmer>\nIt sorts.\n</programmer>\n"
        "</conversation>\n\nThe title:"
    )


def test_a_picture_in_the_humans_own_turn_is_no_part_of_it() -> None:
    question = Message(Role.USER, (Image(b"x", "image/png", "secret name"), Text("what is this?")))
    assert "<person>\nwhat is this?\n</person>" in asked(question)
    assert "secret name" not in asked(question)


def test_the_request_is_small_however_long_the_chat_is() -> None:
    turns = [Message.user("x" * 100_000), Message(Role.ASSISTANT, (Text("y" * 100_000),))] * 50
    request = title_request(turns)
    assert request.max_output_tokens == 200
    assert request.tools == ()
    assert len(asked(*turns)) < 10_000


def test_a_prompt_of_the_library_counts_only_where_the_human_wrote_nothing() -> None:
    prompted = Message.user("LONG PROMPT", tag=tags.FROM_CUSTOM_PROMPT)
    assert "LONG PROMPT" in asked(prompted)
    assert "LONG PROMPT" not in asked(prompted, Message.user("and shorter"))


@pytest.mark.parametrize(
    ("answer", "title"),
    [
        ("Fix the parser", "Fix the parser"),
        ("  Fix the parser.\n", "Fix the parser"),
        ('"Fix the parser"', "Fix the parser"),
        ("「パーサーの修正」", "パーサーの修正"),
        ("**Title:** Fix the `parse_line` function", "Fix the parse_line function"),
        ("Title: “Fix it”", "Fix it"),
        ("タイトル：修正", "修正"),
        ("# Fix the parser", "Fix the parser"),
        ("- _Fix_ the **parser**\n\nIt says what was done.", "Fix the parser"),
        ("1. Fix", "Fix"),
        ("Fix 2 * 3 - 1. _parse", "Fix 2 * 3 - 1. _parse"),
        ("```\nFix the parser\n```", "Fix the parser"),
        ("```text\nFix the parser\n```", "Fix the parser"),
        ("<think>What is a title?\nHm.</think>\n\nFix the parser", "Fix the parser"),
        ("<think>never ends", ""),
        ("[Fix](https://example.invalid/) it", "Fix it"),
        ("Fix __init__.py and a_b_c", "Fix __init__.py and a_b_c"),
        ("Fix\x1b]0;x\x07 the \u202eparser\u200b", "Fix]0;x the parser"),
        ("Tab\there", "Tab here"),
        ("", ""),
        (" \n--- \n", ""),
        ("What's next?", "What's next?"),
        ("Wait...", "Wait..."),
        ("x" * 60, "x" * 60),
        ("x" * 61, "x" * 59 + "…"),
        ("日" * 30, "日" * 30),
        ("日" * 31, "日" * 29 + "…"),
        ("word " * 20, ("word " * 11).strip() + "…"),
        ("👨‍👩‍👧 family", "👨‍👩‍👧 family"),
    ],
)
def test_an_answer_becomes_one_clean_line(answer: str, title: str) -> None:
    assert clean_title(answer) == title


@settings(deadline=None)
@given(st.text())
def test_whatever_a_model_answers_the_title_fits_a_line_of_a_list(text: str) -> None:
    title = clean_title(text)
    assert cell_len(title) <= WIDTH
    assert title == title.strip()
    assert not {"\n", "\r", "\x1b", "\x00", "\u202e", "`"} & set(title)
    assert clean_title("x" * 10 + text)


def test_an_endless_answer_costs_nothing() -> None:
    assert clean_title("[" * 10_000_000) == ""
    assert clean_title("*_" * 5_000_000 + "x") == ""


def test_without_a_model_the_first_line_that_says_something_is_the_title() -> None:
    assert fallback_title("```\n\n## Why does `parse` fail?\nIt says so:") == "Why does parse fail?"
    assert fallback_title("エラーを直してください。\n詳細は") == "エラーを直してください"
    assert fallback_title(" \n") == "New chat"

"""What comes in pieces is put together, and read without parsing where that makes no difference."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.errors import ModelErrorKind
from motet.models import ModelEvent, ReasoningDelta, TextDelta, ToolCallDelta
from motet.models.providers.anthropic_decoder import AnthropicDecoder
from motet.models.providers.chat_decoder import ChatDecoder
from motet.models.providers.dialect import AnswerFault, Decoder
from motet.models.providers.pieces import Alike, CallCollector, joined

TEXT = ReasoningDelta("Hm"), TextDelta("a"), TextDelta("b")
CALLS = (
    ToolCallDelta(0, "", "i", "one"),
    ToolCallDelta(0, "{"),
    ToolCallDelta(0, "}"),
    ToolCallDelta(1, "", "j", "one"),
)


class Given:
    """A decoder that knows what it says; `closed` behind so many."""

    finished = False

    def __init__(self, *events: ModelEvent | AnswerFault, close_after: int = 99) -> None:
        self._events = iter(events)
        self._left = close_after

    @property
    def closed(self) -> bool:
        return self._left <= 0

    def feed(self, data: str) -> Iterator[ModelEvent]:
        self._left -= 1
        event = next(self._events)
        if isinstance(event, AnswerFault):
            raise event
        yield event

    def complete(self) -> object:
        raise NotImplementedError


def together(decoder: object, count: int) -> Iterator[ModelEvent]:
    return joined(decoder, [""] * count)  # type: ignore[arg-type]


def test_pieces_of_one_text_that_came_together_are_one() -> None:
    assert list(together(Given(*TEXT, TextDelta("c")), 4)) == [ReasoningDelta("Hm"), TextDelta("abc")]


def test_arguments_of_one_call_are_one_and_calls_stay_apart() -> None:
    assert list(together(Given(*CALLS), 4)) == [ToolCallDelta(0, "{}", "i", "one"), ToolCallDelta(1, "", "j", "one")]


def test_what_came_before_a_fault_is_said_before_it() -> None:
    fault = AnswerFault(ModelErrorKind.BAD_RESPONSE, "broken")
    events = together(Given(*TEXT, fault), 4)
    assert [next(events), next(events)] == [ReasoningDelta("Hm"), TextDelta("ab")]
    with pytest.raises(AnswerFault, match="broken"):
        next(events)


def test_nothing_is_heard_behind_the_end() -> None:
    assert list(together(Given(*TEXT, close_after=2), 3)) == [ReasoningDelta("Hm"), TextDelta("a")]


PIECE = '{"choices": [{"index": 0, "delta": {"content": "Hello"}}], "id": "x"}'


def test_a_string_is_read_where_everything_else_is_the_same() -> None:
    alike = Alike()
    alike.learn(PIECE, "Hello")
    assert alike.read(PIECE.replace("Hello", "日本")) == "日本"
    assert alike.read(PIECE.replace("Hello", r"\n\u65e5\"")) == '\n日"'
    assert alike.read(PIECE.replace("Hello", "")) == ""


@pytest.mark.parametrize(
    "data",
    [
        PIECE.replace('"x"', '"y"'),
        PIECE.replace("Hello", 'a", "content": "b'),
        PIECE.replace("Hello", "a\tb"),
        PIECE.replace("Hello", r"\x"),
        PIECE.replace("Hello", "\\"),
        '{"choices": [{"index": 0, "delta": {"content": "}], "id": "x"}',
        "[DONE]",
    ],
)
def test_what_differs_in_more_than_that_is_parsed(data: str) -> None:
    alike = Alike()
    alike.learn(PIECE, "Hello")
    assert alike.read(data) is None


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ('{"content": "content"}', "content"),
        (r'{"id": "A", "content": "\u0041"}', "A"),
        ('{"content": "\ufffdA"}', "A"),
    ],
)
def test_a_place_that_is_not_certain_is_not_learned(data: str, text: str) -> None:
    alike = Alike()
    alike.learn(data, text)
    assert alike.read(data) is None


texts = st.text(st.characters(exclude_categories=[]), max_size=4) | st.sampled_from(
    ["content", "stop", "0", '"', "\\n"]
)
chunks = st.one_of(
    texts.map(lambda text: {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}),
    texts.map(lambda text: {"choices": [{"index": 0, "delta": {"content": text, "reasoning": "Hm"}}]}),
    texts.map(lambda text: {"choices": [{"delta": {"content": text, "refusal": "no"}}]}),
    texts.map(lambda text: {"choices": [{"delta": {"content": text}}], "usage": {"prompt_tokens": 3}}),
    texts.map(lambda text: {"choices": [{"delta": {"content": text}, "finish_reason": "stop"}]}),
    st.just({"choices": [], "usage": {"prompt_tokens": 7}}),
)
events = st.one_of(
    texts.map(lambda text: {"type": "content_block_delta", "delta": {"type": "text_delta", "text": text}}),
    texts.map(lambda text: {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": text}}),
    texts.map(lambda text: {"type": "content_block_start", "index": 1, "content_block": {"type": "thinking", "thinking": text}}),
    texts.map(lambda text: {"type": "content_block_delta", "index": 1, "delta": {"type": "thinking_delta", "thinking": text}}),
)  # fmt: skip


@given(st.lists(chunks | st.lists(chunks, max_size=3)), st.booleans())
def test_nobody_can_tell_what_was_parsed_in_chat_completions(said: list[object], escaped: bool) -> None:
    compare(lambda: ChatDecoder("acme", "m-1", CallCollector(lambda: "new")), said, escaped)


@given(st.lists(events | st.lists(events, max_size=3)), st.booleans())
def test_nobody_can_tell_what_was_parsed_in_messages(said: list[object], escaped: bool) -> None:
    compare(lambda: AnthropicDecoder("acme", "m-1", CallCollector(lambda: "new")), said, escaped)


def compare(make: object, said: list[object], escaped: bool) -> None:
    """One decoder that reads all it can without parsing, and one that parses everything, say the same in the end."""
    quick, thorough = make(), make()  # type: ignore[operator]
    thorough._alike = Never()
    for data in said:
        for one in data if isinstance(data, list) else [data] * 2:
            wire = json.dumps(one, ensure_ascii=escaped).encode("utf-8", "replace").decode()
            assert list(quick.feed(wire)) == list(thorough.feed(wire))
    assert state(quick) == state(thorough)


class Never(Alike):
    def read(self, data: str) -> str | None:
        return None


def state(decoder: Decoder) -> tuple[object, ...]:
    """All that a decoder says at the end."""
    try:
        return (decoder.finished, decoder.complete())
    except AnswerFault as fault:
        return (decoder.finished, fault.kind, fault.detail)

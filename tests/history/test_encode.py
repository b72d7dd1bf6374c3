"""Messages as JSON and back."""

from __future__ import annotations

import json
from types import MappingProxyType

import pytest
from history.history_kit import full_message

from motet.history.columns import texts
from motet.history.encode import carried, decode, encode
from motet.messages import Image, Message, Meta, Reasoning, Role, Text, tags


def back(message: Message) -> Message:
    """`message` after a way through JSON text."""
    body, meta = texts(message)
    return decode(json.loads(body.encode()), json.loads(meta.encode()))


@pytest.mark.parametrize("role", Role)
def test_every_field_comes_back_equal(role: Role) -> None:
    assert back(full_message(role)) == full_message(role)


def test_a_bare_message_comes_back_equal_and_says_no_more_than_it_has_to() -> None:
    message = Message(Role.USER, meta=Meta(id="x"))
    assert back(message) == message
    assert encode(message) == ({"v": 1, "role": "user"}, {"id": "x"})


@pytest.mark.parametrize("tag", sorted(tags.ALL))
def test_every_tag_comes_back(tag: str) -> None:
    assert back(Message.user("x", tag=tag)).tag == tag


@pytest.mark.acceptance("S2-044")
def test_a_tag_of_a_newer_motet_comes_back() -> None:
    assert back(Message.user("x", tag="of_tomorrow")).tag == "of_tomorrow"


@pytest.mark.parametrize(
    "data",
    [
        {"a": {"b": [{"c": b"bytes"}]}},
        {"$bytes": 1},
        {"$bytes": "text", "more": 2},
        {"number": 1e300, "no": False, "nothing": None},
        {},
    ],
)
def test_a_providers_data_comes_back_equal(data: dict[str, object]) -> None:
    message = Message(Role.ASSISTANT, reasoning=(Reasoning("r", data),))
    assert back(message) == message


def test_a_providers_data_may_be_read_only() -> None:
    message = Message(Role.ASSISTANT, reasoning=(Reasoning("r", MappingProxyType({"a": (1, 2)})),))
    assert back(message).reasoning[0].provider_metadata == {"a": [1, 2]}


@pytest.mark.parametrize("data", [{"a": object()}, {1: "a"}, {"a": {1, 2}}])
def test_data_that_could_not_come_back_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="a provider's data"):
        encode(Message(Role.ASSISTANT, reasoning=(Reasoning("r", data),)))


def test_fields_of_a_newer_motet_are_ignored_when_read() -> None:
    body = {"v": 1, "role": "user", "parts": ["hello"], "mood": "good", "result": None}
    assert decode(body, {"id": "x", "weight": 3}) == Message(Role.USER, (Text("hello"),), meta=Meta(id="x"))


def test_fields_of_a_newer_motet_are_kept_when_written_again() -> None:
    _, meta = encode(Message.user("x").with_meta(id="x", sent=True))
    assert carried(meta, {"id": "x", "cycle": 2, "weight": 3}) == {"id": "x", "sent": True, "weight": 3}


def test_a_part_of_a_newer_motet_is_named_in_its_place() -> None:
    parts = [
        "a",
        {"type": "sound", "data": "AAAA"},
        {"type": "image", "mime": "image/png", "data": "AP8=", "size": 2},
    ]
    found = decode({"v": 1, "role": "user", "parts": parts}, {"id": "x"}).parts
    assert found == (Text("a"), Text("[sound: stored by a newer motet]"), Image(b"\x00\xff", "image/png"))


@pytest.mark.parametrize(
    ("body", "meta"),
    [
        ({"v": 2, "role": "user"}, {"id": "x"}),
        ({"role": "nobody"}, {"id": "x"}),
        ({}, {"id": "x"}),
        ({"role": "user"}, {}),
        ({"role": "user", "parts": [{}]}, {"id": "x"}),
        ({"role": "user", "parts": [3]}, {"id": "x"}),
        ({"role": "assistant", "calls": [{"id": "1"}]}, {"id": "x"}),
    ],
)
def test_what_cannot_be_understood_is_an_error(body: dict[str, object], meta: dict[str, object]) -> None:
    with pytest.raises((ValueError, KeyError, TypeError, AttributeError)):
        decode(body, meta)

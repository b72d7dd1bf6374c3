"""The next request as a text that a human can change: what comes back is what was changed, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from chat.transcript_kit import LOOKALIKES, names, stacks
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motet.chat import CannotChange
from motet.chat.request_edits import request_edits
from motet.chat.request_form import RequestForm, request_form
from motet.chat.transcript.markers import nonce_for
from motet.messages import ContextRef, Document, Image, Message, Reasoning, Role, Text, ToolCall, ToolResult, tags
from motet.models.protocol import ModelRequest, ToolDefinition

TITLE = "The next request to m"
NONCE = nonce_for(TITLE, [])
"""The nonce of a form in which no text holds it."""
SLOW = settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
HEADS = (f"── {NONCE} message 1 · user · tag=-", f"\n── {NONCE} end\n", "── ", "── 00000000 end", f"{NONCE} ")
texts = st.lists(st.one_of(st.sampled_from(LOOKALIKES + HEADS), st.text(max_size=8)), max_size=5).map("".join)
parts = st.one_of(
    st.builds(Text, texts), st.builds(Image, st.binary(max_size=4), texts, texts), st.builds(Document, st.just(b"%"), names)
)  # fmt: skip
shared = st.builds(
    lambda parts, line, tag: Message.attachment(*parts, context=ContextRef(line), tag=tag),
    st.lists(parts, max_size=3), texts, st.one_of(st.sampled_from(sorted(tags.ALL)), texts),
)  # fmt: skip
said = st.builds(lambda text: Message.user(text), texts)
conversations = st.builds(
    lambda stack, more: [one for one in stack if isinstance(one, Message)] + more,
    stacks, st.lists(st.one_of(shared, said), max_size=4),
)  # fmt: skip
TOOL = ToolDefinition("read_file", f"Read a file.\n── {NONCE} end", {"type": "object", "properties": {"パス": {}}})


def form_of(*messages: Message, tools: Sequence[ToolDefinition] = (), **which: frozenset[str]) -> RequestForm:
    return request_form(ModelRequest(messages, tuple(tools)), TITLE, **which)


@pytest.mark.acceptance("CC-13")
@SLOW
@given(conversations)
def test_a_form_that_was_not_touched_changes_nothing(messages: list[Message]) -> None:
    form = form_of(*messages, tools=[TOOL])
    assert not request_edits(form, form.text)
    stripped = form.text.rstrip("\n")  # as an editor leaves it that keeps no blank lines at the end
    assert not request_edits(form, stripped)


@pytest.mark.acceptance("CC-13")
@SLOW
@given(conversations, texts, st.integers(0, 50))
def test_any_text_put_in_a_place_of_another_is_what_the_message_says(
    messages: list[Message], new: str, at: int
) -> None:
    form = form_of(*messages, tools=[TOOL])
    places = [block for block in form.blocks if block.part >= 0 and not block.is_fixed]
    if not places or form.opening in f"\n{new}":
        return
    block = places[at % len(places)]
    head = f"{form.opening}{block.head}\n"
    before, behind = form.text.split(head, 1)
    edits = request_edits(form, before + head + new + behind[len(block.text) :])
    message = messages[block.number]
    want = (*message.parts[: block.part], Text(new), *message.parts[block.part + 1 :])
    if new == block.text:
        assert not edits
    else:
        assert (list(edits.changed), edits.removed) == ([message.id], set())
        now = edits.changed[message.id]
        assert now == replace(message, parts=want, typed=None).with_meta(reported_tokens=0).estimated()


PICTURE = Image(b"1234", "image/png", "a.png")
ASKED = Message.user("why?").with_meta(id="ASKED").estimated()
SHARED = Message.attachment(
    Text("one = 1\r\n日本語"), PICTURE, Text("more"), context=ContextRef("<file>a.py</file>"), tag=tags.FILE
).with_meta(id="SHARED", estimated_tokens=7)  # fmt: skip
CALLED = replace(
    Message(Role.ASSISTANT, (Text("I look."),), (Reasoning("hm", {}),), (ToolCall("c1", "look", '{"a": 1}'),)),
).with_meta(id="CALLED", estimated_tokens=9)  # fmt: skip
FOUND = Message.tool(ToolResult("c1", "look"), "seen", tags.TOOL_OUTPUT).with_meta(id="FOUND", estimated_tokens=2)
DONE = Message(Role.ASSISTANT, (Text("Done."),)).with_meta(id="DONE", estimated_tokens=3)
ALL = (SHARED, ASKED, CALLED, FOUND, DONE)
SHOWN = f"""\
── {NONCE} message 1 · user · tag=file · hidden · 7 tokens · SHARED · <file>a.py</file>
one = 1\r
日本語
── {NONCE} part 1.2 · image/png · 4 bytes · a.png · fixed

── {NONCE} part 1.3
more
── {NONCE} message 2 · user · tag=- · 2 tokens · ASKED · your message
why?
── {NONCE} message 3 · assistant · tag=- · 9 tokens · CALLED · answer
I look.
── {NONCE} reasoning 3.1 · fixed
hm
── {NONCE} call 3.1 · look · c1 · fixed
{{"a": 1}}
── {NONCE} message 4 · tool · tag=tool_output · 2 tokens · FOUND · output of look
seen
── {NONCE} message 5 · assistant · tag=- · 3 tokens · DONE · answer
Done.
── {NONCE} end
"""


def test_the_form_shows_role_tag_tokens_id_and_what_is_hidden_fixed_or_no_text() -> None:
    text = form_of(*ALL).text
    guide, _, shown = text.partition("\n\n")
    assert shown.removesuffix("\n" * 5) == SHOWN
    assert guide.splitlines()[0] == f"{TITLE}. What you change here changes it."
    assert all(len(line) <= 120 for line in guide.splitlines())


def read(edit: tuple[str, str], **which: frozenset[str]) -> tuple[dict[str, Message], set[str]]:
    form = form_of(*ALL, **which)
    old, new = (one.replace("──", f"── {NONCE}") for one in edit)
    assert form.text.count(old) == 1
    edits = request_edits(form, form.text.replace(old, new))
    return dict(edits.changed), set(edits.removed)


def test_messages_tags_and_pictures_are_changed_and_taken_out() -> None:
    assert read(("tag=file", "tag=selection")) == ({"SHARED": SHARED.with_meta(tag="selection")}, set())
    assert read(("tag=file", "tag=-")) == ({"SHARED": SHARED.with_meta(tag="")}, set())
    changed, removed = read(("── part 1.2 · image/png · 4 bytes · a.png · fixed\n\n", ""))
    assert (changed["SHARED"].parts, removed) == ((SHARED.parts[0], SHARED.parts[2]), set())
    assert read(("── message 2 · user · tag=- · 2 tokens · ASKED · your message\nwhy?\n", "")) == ({}, {"ASKED"})
    shown = SHOWN.replace(f"── {NONCE}", "──")
    both = shown[shown.index("── message 3") : shown.index("── message 5")]
    assert read((both, "")) == ({}, {"CALLED", "FOUND"})


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("── end", "", "line 25: the last head, `── NONCE end`, is missing"),
        ("seen\n", "seen\n── message 9 · user\nnew\n",
         "line 24: there is no such head in this request; what is new is said in the chat"),
        ("seen\n", "seen\n── message 2 · user · tag=- · 2 tokens · ASKED · your message\n",
         "line 24: message 2 stands there twice"),
        ("── message 1 ·", "── message 2 · user · tag=- · 2 tokens · ASKED · your message\n── message 1 ·",
         "line 8: message 1 stood before message 2; the order cannot be changed"),
        ("why?\n── message 3", "why? ── message 3",
         "line 14: in the text of message 2 stands a head within a line; it begins a line of its own"),
        ("· hidden ·", "· visible ·", "line 7: of this head only the tag can be changed; it was `message 1 · user · "
         "tag=file · hidden · 7 tokens · SHARED · <file>a.py</file>`"),
        ("tag=tool_output", "tag=file", "line 22: of this head nothing can be changed; it was `message 4 · tool · "
         "tag=tool_output · 2 tokens · FOUND · output of look`"),
        ("hm\n", "hmm\n", "line 18: the text of reasoning 3.1 cannot be changed"),
        ('{"a": 1}', '{"a": 2}', "line 20: the text of call 3.1 cannot be changed"),
        ('── call 3.1 · look · c1 · fixed\n{"a": 1}\n', "",
         "line 18: call 3.1, which stood below this, cannot be taken out"),
        ("── message 1 · user · tag=file · hidden · 7 tokens · SHARED · <file>a.py</file>\none = 1\r\n日本語\n", "",
         "line 7: part 1.2 is there, and the head of message 1 is not"),
        ("── message 5 · assistant · tag=- · 3 tokens · DONE · answer\n", "",
         "line 22: the head of message 5 was taken out, and its text stands below this one"),
        ("── message 4 · tool · tag=tool_output · 2 tokens · FOUND · output of look\nseen\n", "",
         "line 16: the result of look was taken out; a call and its result go together"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_with_its_line(old: str, new: str, why: str) -> None:
    with pytest.raises(CannotChange) as refused:
        read((old, new))
    assert str(refused.value) == why.replace("NONCE", NONCE)


def test_a_call_is_not_taken_out_without_its_result() -> None:
    shown = SHOWN.replace(f"── {NONCE}", "──")
    with pytest.raises(CannotChange) as refused:
        read((shown[shown.index("── message 3") : shown.index("── message 4")], ""))
    assert str(refused.value) == "line 16: the call of look was taken out; a call and its result go together"


def test_a_tag_that_means_something_to_motet_is_not_given() -> None:
    with pytest.raises(CannotChange, match=r"^line 7: tool is no tag that can be given; there are board, buffer, "):
        read(("tag=file", "tag=tool"))
    with pytest.raises(CannotChange, match=r"^line 7: fil is no tag that can be given; there are board, buffer, "):
        read(("tag=file", "tag=fil"))


def test_what_is_made_anew_for_each_request_is_fixed_and_what_something_holds_stays() -> None:
    why = ("── message 2 · user · tag=- · 2 tokens · ASKED · your message · fixed\nwhy?\n", "")
    with pytest.raises(CannotChange, match=r"^line 12: message 2, which stood below this, cannot be taken out$"):
        read(why, fixed=frozenset({"ASKED"}))
    with pytest.raises(CannotChange, match=r"^line 14: the text of message 2 cannot be changed$"):
        read(("why?", "how?"), fixed=frozenset({"ASKED"}))
    why = (why[0].replace("fixed", "stays"), "")
    with pytest.raises(CannotChange, match=r"^line 12: message 2, which stood below this, cannot be taken out$"):
        read(why, stays=frozenset({"ASKED"}))
    changed, _ = read(("why?", "how?"), stays=frozenset({"ASKED"}))
    assert changed["ASKED"].text == "how?"

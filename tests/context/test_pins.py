"""Pins and watches: sent again when changed, as a whole or as a diff, and gone when their line is gone."""

from __future__ import annotations

import pytest
from context.context_kit import Place

from motet.context import (
    ContextItem,
    Refreshed,
    State,
    item_of,
    read_line,
    reconcile,
    refresh,
    share_path,
    url_attachment,
)
from motet.messages import Message, tags


async def item(place: Place, path: str, state: State, lines: tuple[int, int] | None = None) -> ContextItem:
    """An item that was sent as the file is now."""
    fresh = ContextItem(f"<file>{path}</file>", tags.FILE, path, state, lines=lines)
    return fresh.was_sent(await place.sources.workspace.read(path))


async def again(place: Place, *items: ContextItem) -> Refreshed:
    return await refresh(items, place.sources.workspace.read, place.root)


@pytest.mark.acceptance("CC-12")
async def test_a_pinned_file_is_sent_whole_when_it_changed_and_never_when_not(place: Place) -> None:
    place.write("a.py", "one\ntwo\n")
    first = await again(place, await item(place, "a.py", State.PINNED))
    assert first.messages == ()
    place.write("a.py", "one\nTWO\n")
    second = await again(place, *first.items)
    [message] = second.messages
    assert message.text == (
        "a.py as it is now; what was shared of it before is out of date:\n"
        '<attachment filepath="a.py" lines="1-2">\n   1│ one\n   2│ TWO\n</attachment>'
    )
    assert message.context is not None
    assert (message.context.id, message.context.path) == ("<file>a.py</file>", str(place.root / "a.py"))
    assert (message.visible, message.tag, message.meta.source) == (False, tags.FILE, "pinned")
    assert (await again(place, *second.items)).messages == ()


@pytest.mark.acceptance("CC-12")
async def test_a_watched_file_sends_only_what_changed_since_it_was_last_sent(place: Place) -> None:
    place.write("a.py", "".join(f"{number}\n" for number in range(1, 30)))
    items = (await item(place, "a.py", State.WATCHED),)
    place.write("a.py", "".join(f"{number}\n" for number in [*range(1, 15), "new", *range(15, 30)]))
    first = await again(place, *items)
    [message] = first.messages
    assert message.text == (
        'What changed in a.py since it was last shared:\n<diff filepath="a.py">\n--- a/a.py\n+++ b/a.py\n'
        "@@ -12,6 +12,7 @@\n 12\n 13\n 14\n+new\n 15\n 16\n 17\n</diff>"
    )
    assert message.tag == tags.DIFF
    place.write("a.py", "".join(f"{number}\n" for number in [*range(1, 15), "new", *range(15, 29)]))
    second = await again(place, *first.items)
    assert "-29\n" in second.messages[0].text
    assert "+new" not in second.messages[0].text


async def test_what_is_neither_pinned_nor_watched_is_not_sent_again(place: Place) -> None:
    place.write("a.py", "one\n")
    one = await item(place, "a.py", State.NONE)
    place.write("a.py", "two\n")
    assert await again(place, one) == Refreshed((one,), (), ())


async def test_a_watch_whose_last_text_is_unknown_sends_the_file_once_whole(place: Place) -> None:
    place.write("a.py", "one\n")
    restored = ContextItem("<file>a.py</file>", tags.FILE, "a.py", State.WATCHED, sent="0" * 64)
    refreshed = await again(place, restored)
    assert refreshed.messages[0].tag == tags.FILE
    assert (await again(place, *refreshed.items)).messages == ()


async def test_only_the_range_that_is_shared_counts(place: Place) -> None:
    place.write("a.py", "one\ntwo\nthree\n")
    one = await item(place, "a.py", State.PINNED, (2, 3))
    place.write("a.py", "ONE\ntwo\nthree\n")
    assert (await again(place, one)).messages == ()
    place.write("a.py", "ONE\ntwo\nTHREE\n")
    text = (await again(place, one)).messages[0].text
    assert text.startswith("a.py:2-3 as it is now")
    assert "   2│ two\n   3│ THREE\n" in text


async def test_other_line_ends_alone_are_no_change(place: Place) -> None:
    place.write("a.py", "one\r\ntwo\r\n")
    one = await item(place, "a.py", State.WATCHED)
    place.write("a.py", "one\ntwo\n")
    assert (await again(place, one)).messages == ()


@pytest.mark.parametrize("state", [State.PINNED, State.WATCHED])
async def test_a_file_that_is_gone_is_said_once_and_sent_when_it_is_back(place: Place, state: State) -> None:
    file = place.write("a.py", "one\n")
    one = await item(place, "a.py", state)
    file.unlink()
    first = await again(place, one)
    assert first.messages == ()
    assert first.notices == (f"{one.line}: not refreshed: it is gone; what was sent last stands",)
    second = await again(place, *first.items)
    assert (second.messages, second.notices) == ((), ())
    place.write("a.py", "two\n")
    assert len((await again(place, *second.items)).messages) == 1


async def test_a_file_that_became_binary_is_said(place: Place) -> None:
    place.write("a.py", "one\n")
    one = await item(place, "a.py", State.PINNED)
    place.write("a.py", b"\0\1")
    assert "binary file" in (await again(place, one)).notices[0]


@pytest.mark.acceptance("CC-12", "S0-055")
async def test_a_line_that_is_deleted_removes_its_item_and_a_mark_counts(place: Place) -> None:
    one, two, three = (ContextItem(f"<file>{name}</file>", tags.FILE, name) for name in ("a.py", "b.py", "c.py"))
    left = reconcile([one, two, three], ["> - 📌 <file>c.py</file>", "> - <file>a.py</file>"])
    assert left.removed == ("<file>b.py</file>",)
    assert [(item.path, item.state) for item in left.items] == [("a.py", State.NONE), ("c.py", State.PINNED)]
    again = reconcile(left.items, ["<file>c.py</file>"])
    assert [(item.path, item.state) for item in again.items] == [("c.py", State.NONE)]


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("<file>a b.py</file>", ("<file>a b.py</file>", State.NONE)),
        ("> - 📌 <buf>server.ts</buf>", ("<buf>server.ts</buf>", State.PINNED)),
        ("- 👁 <file>a.py</file>  ", ("<file>a.py</file>", State.WATCHED)),
        ("👁\ufe0f<file>a.py</file>", ("<file>a.py</file>", State.WATCHED)),
        ("", ("", State.NONE)),
    ],
)
def test_a_line_of_the_context_block_is_read_with_its_mark(line: str, read: tuple[str, State]) -> None:
    assert read_line(line) == read


@pytest.mark.parametrize("state", list(State))
def test_an_item_reads_its_own_line(state: State) -> None:
    one = ContextItem("<file>a.py</file>", tags.FILE, "a.py", state)
    assert read_line(one.line) == (one.id, state)


@pytest.mark.parametrize("text", ["one\ntwo\n", "one\r\ntwo", "", "\n", "</attachment>\n<\\/x\n" * 2, "  12│ x\n"])
async def test_an_attachment_of_a_chat_that_is_opened_again_is_an_item_with_its_version(
    place: Place, text: str
) -> None:
    place.write("src/a.py", text)
    [message] = (await share_path("src/a.py", place.sources)).messages
    one = item_of(message, place.root, State.WATCHED)
    assert one is not None
    assert (one.id, one.path, one.kind, one.lines) == ("<file>src/a.py</file>", "src/a.py", tags.FILE, None)
    if "<\\/" not in text:
        assert (await again(place, one)).messages == ()
    place.write("src/a.py", f"{text}\nnew\n")
    assert "\n+new\n" in (await again(place, one)).messages[0].text


async def test_a_range_is_an_item_with_its_lines_and_a_page_one_without_a_file(place: Place) -> None:
    place.write("a.py", "one\ntwo\n")
    [message] = (await share_path("a.py", place.sources, lines=(2, 2))).messages
    one = item_of(message, place.root)
    assert one is not None
    assert (one.path, one.lines, one.sent_text) == ("a.py", (2, 2), "two")
    page = item_of(url_attachment("https://x.example/", "text"), place.root)
    assert page is not None
    assert (page.id, page.path, page.kind) == ("<url>https://x.example/</url>", "", tags.URL)
    assert item_of(Message.user("hello"), place.root) is None

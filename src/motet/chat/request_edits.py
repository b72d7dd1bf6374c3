"""What a human changed in the form of a request (`motet.chat.request_form`), or why it cannot be. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise

from motet.chat.errors import CannotChange
from motet.chat.request_form import END, FREE_TAGS, GAP, NO_TAG, Block, RequestForm
from motet.messages import Message, Part, Text
from motet.visible import one_line


@dataclass(frozen=True, slots=True)
class RequestEdits:
    """Messages as they are now, by their ids, and the ids of those that were taken out."""

    changed: Mapping[str, Message]
    removed: Set[str]

    def __bool__(self) -> bool:
        return bool(self.changed or self.removed)

    def of(self, messages: Sequence[Message]) -> list[Message]:
        """`messages` with what was changed."""
        return [self.changed.get(one.id, one) for one in messages if one.id not in self.removed]


@dataclass(frozen=True, slots=True)
class _Head:
    """A head in the changed text: its line, from 1, what it says, and where it begins and ends, in characters."""

    line: int
    says: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class _There:
    """A block as it stands in the changed text."""

    line: int
    text: str
    tag: str | None


def request_edits(form: RequestForm, edited: str) -> RequestEdits:
    """What is different in `edited`. Raises `CannotChange`, which names the line, for what is no form any more, and for
    what cannot be changed."""
    there = _read(form, edited)
    _check(form, there)
    changed: dict[str, Message] = {}
    removed: set[str] = set()
    for number, message in enumerate(form.messages):
        blocks = [block for block in form.blocks if block.number == number]
        if blocks[0].key not in there:
            removed.add(message.id)
        elif (now := _now(message, blocks, there)) != message:
            changed[message.id] = now
    _check_pairs(form, there, removed)
    return RequestEdits(changed, removed)


def _read(form: RequestForm, edited: str) -> dict[str, _There]:
    """The blocks that are there, by their keys; all of them stand in the form, in its order."""
    places = {block.key: at for at, block in enumerate(form.blocks)}
    there: dict[str, _There] = {}
    heads = _heads(form.opening, edited)
    last = -1
    if not heads or heads[-1].says != END:
        raise _wrong(edited.rstrip().count("\n") + 1, f"the last head, `{form.opening}{END}`, is missing")
    for head, following in pairwise(heads):
        key = " ".join(head.says.split(GAP, 1)[0].split()[:2])
        at = places.get(key)
        if at is None:
            raise _wrong(head.line, "there is no such head in this request; what is new is said in the chat")
        if key in there:
            raise _wrong(head.line, f"{key} stands there twice")
        if at < last:
            raise _wrong(head.line, f"{key} stood before {form.blocks[last].key}; the order cannot be changed")
        text = edited[head.end : following.begin].removesuffix("\n")
        if form.opening in text:
            raise _wrong(head.line, f"in the text of {key} stands a head within a line; it begins a line of its own")
        there[key], last = _There(head.line, text, _tag(form.blocks[at], head)), at
    return there


def _heads(opening: str, edited: str) -> list[_Head]:
    """The heads of the text, up to the last."""
    heads: list[_Head] = []
    at, line = 0, 1
    while at < len(edited) and not (heads and heads[-1].says == END):
        end = edited.find("\n", at) + 1 or len(edited)
        if edited.startswith(opening, at):
            heads.append(_Head(line, edited[at + len(opening) : end].rstrip(), at, end))
        at, line = end, line + 1
    return heads


def _tag(block: Block, head: _Head) -> str | None:
    """The tag in a head. Raises `CannotChange` when anything else in it is different."""
    if head.says == block.head.rstrip():
        return block.tag
    before, behind = block.before, block.behind.rstrip()
    is_same = head.says.startswith(before) and head.says[len(before) :].endswith(behind)
    if block.tag is None or not is_same:
        which = "nothing" if block.tag is None else "only the tag"
        raise _wrong(head.line, f"of this head {which} can be changed; it was `{block.head}`")
    tag = head.says[len(before) : len(head.says) - len(behind)].strip().removeprefix(NO_TAG)
    if tag and tag not in FREE_TAGS:
        known = ", ".join(sorted(FREE_TAGS))
        raise _wrong(head.line, f"{one_line(tag)} is no tag that can be given; there are {known}")
    return tag


def _check(form: RequestForm, there: Mapping[str, _There]) -> None:
    """What is fixed is as it was, what stays is there, and no text was left when its head was taken out."""
    line, before = 1, None
    for block in form.blocks:
        here, owner = there.get(block.key), f"message {block.number + 1}"
        if here is not None:
            line, before = here.line, block
            if block.is_fixed and here.text != block.text:
                raise _wrong(line, f"the text of {block.key} cannot be changed")
            if block.number >= 0 and owner not in there:
                raise _wrong(line, f"{block.key} is there, and the head of {owner} is not")
        elif block.stays and (block.opens or block.number < 0 or owner in there):
            raise _wrong(line, f"{block.key}, which stood below this, cannot be taken out")
        elif before is not None and block.text.strip() and there[before.key].text == f"{before.text}\n{block.text}":
            raise _wrong(line, f"the head of {block.key} was taken out, and its text stands below this one")


def _now(message: Message, blocks: Sequence[Block], there: Mapping[str, _There]) -> Message:
    """The message as it stands there."""
    head, here = blocks[0], there[blocks[0].key]
    parts: list[Part] = [Text(here.text)] if head.part < 0 and here.text else []
    for block in blocks:
        if block.part >= 0 and block.key in there:
            part = message.parts[block.part]
            parts.append(Text(there[block.key].text) if isinstance(part, Text) else part)
    now = message
    if tuple(parts) != message.parts:
        now = replace(now, parts=tuple(parts), typed=None).with_meta(reported_tokens=0).estimated()
    return now if head.tag == here.tag else now.with_meta(tag=here.tag)


def _check_pairs(form: RequestForm, there: Mapping[str, _There], removed: Set[str]) -> None:
    """A call is there with its result, or neither is."""
    called: dict[str, str] = {}
    for number, message in enumerate(form.messages, 1):
        called |= {call.id: f"message {number}" for call in message.calls}
        answer = called.get(message.result.call_id) if message.result else None
        if message.result is None or answer is None or (answer in there) == (message.id not in removed):
            continue
        alone, lost = (answer, "result") if answer in there else (f"message {number}", "call")
        name = one_line(message.result.name)
        raise _wrong(there[alone].line, f"the {lost} of {name} was taken out; a call and its result go together")


def _wrong(line: int, why: str) -> CannotChange:
    return CannotChange(f"line {line}: {why}")

"""The head of a Markdown file between two lines `---`: a small, strict part of YAML.

    ---
    name: review            # a comment
    description: "what it does: in one line"
    tools: [files, cmd]
    modes:
      - n
      - v
    auto_submit: true
    max_repeats: 3
    ---

Scalars, lists of scalars in both forms, booleans and whole numbers; nothing nested, no anchors, no tags, no text of
several lines. A plain scalar may hold anything but ` #`; what begins with a quote ends with the same one.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from motet.errors import InputError

Value = str | bool | int | tuple[str, ...]

_KEY = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(.*?))?[ \t]*\Z")
_ITEM = re.compile(r"[ \t]*-(?:[ \t]+(.*?))?[ \t]*\Z")
_INTEGER = re.compile(r"[+-]?\d{1,18}\Z")


class FrontMatterError(InputError):
    """The head of a Markdown file cannot be understood; the message names file and line."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`values` by key, the 1-based `lines` where they stand, and the text below, which begins at line `body_line`."""

    values: dict[str, Value]
    body: str
    lines: dict[str, int] = field(default_factory=dict[str, int])
    body_line: int = 1


def read_front_matter(text: str, name: str) -> FrontMatter:
    """The head and the body of `text`. Without a head all is body. Raises `FrontMatterError`, naming `name` and line."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != "---":
        return FrontMatter({}, "\n".join(lines))
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), None)
    if end is None:
        raise FrontMatterError(f"{name}:1: the head that begins with --- has no end; close it with ---")
    values: dict[str, Value] = {}
    places: dict[str, int] = {}
    at = 1
    while at < end:
        line = _without_comment(lines[at])
        at += 1
        if not line.strip():
            continue
        found = _KEY.match(line)
        if found is None:
            raise FrontMatterError(f"{name}:{at}: {line.strip()[:60]!r} is not of the form `key: value`")
        key, written = found[1], (found[2] or "")
        if key in values:
            raise FrontMatterError(f"{name}:{at}: {key} stands there twice")
        places[key] = at
        if written:
            values[key] = _value(written, f"{name}:{at}")
            continue
        items: list[str] = []
        while at < end and (item := _ITEM.match(_without_comment(lines[at]))):
            at += 1
            items.append(_scalar(item[1] or "", f"{name}:{at}"))
        values[key] = tuple(items) if items else ""
    return FrontMatter(values, "\n".join(lines[end + 1 :]), places, end + 2)


def _value(written: str, place: str) -> Value:
    if written.startswith("["):
        if not written.endswith("]"):
            raise FrontMatterError(f"{place}: a list that begins with [ ends with ] in the same line")
        return tuple(_scalar(each, place) for each in _items(written[1:-1], place))
    if written[0] in "{&|>%@`" or (written[0] in "*!" and re.match(r"[*!]\w", written)):
        raise FrontMatterError(
            f"{place}: {written[:40]!r}: only texts, lists, true, false and numbers are read; put it in quotes"
        )
    if written in ("true", "false"):
        return written == "true"
    return int(written) if _INTEGER.match(written) else _scalar(written, place)


def _scalar(written: str, place: str) -> str:
    written = written.strip()
    if written.startswith('"'):
        try:
            value: object = json.loads(written)
        except ValueError:
            value = None
        if not isinstance(value, str):
            raise FrontMatterError(f"{place}: {written[:40]!r} is not closed by a quote, or goes on behind it")
        return value
    if written.startswith("'"):
        if len(written) < 2 or not written.endswith("'") or "'" in written[1:-1].replace("''", ""):
            raise FrontMatterError(f"{place}: {written[:40]!r} is not closed by a quote, or goes on behind it")
        return written[1:-1].replace("''", "'")
    return written


def _items(text: str, place: str) -> list[str]:
    """The parts of a list in brackets: commas inside quotes and braces do not divide."""
    items: list[str] = []
    quote, depth, start = "", 0, 0
    for at, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'" and not text[start:at].strip():
            quote = character
        elif character in "{}":
            depth += 1 if character == "{" else -1
        elif character in "[]":
            raise FrontMatterError(f"{place}: a list inside a list is not read")
        elif character == "," and depth == 0:
            items.append(text[start:at])
            start = at + 1
    if quote:
        raise FrontMatterError(f"{place}: a text in the list is not closed by a quote")
    return [item for item in (*items, text[start:]) if item.strip()]


def _without_comment(line: str) -> str:
    """`line` up to a `#` behind a blank, outside of quotes."""
    if "#" not in line:
        return line.rstrip()
    if line.lstrip().startswith("#"):
        return ""
    quote = ""
    for at, character in enumerate(line):
        if quote:
            is_escaped = quote == '"' and line[at - 1] == "\\"
            quote = "" if character == quote and not is_escaped else quote
        elif character in "\"'" and line[:at].rstrip()[-1:] in (":", "[", ",", "-", ""):
            quote = character
        elif character == "#" and line[at - 1] in " \t":
            return line[:at].rstrip()
    return line.rstrip()

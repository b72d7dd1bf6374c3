"""Tool calls that other programs have models write as tags, and edits in the tags of Zed.

    <invoke name="Edit"><parameter name="file_path">a.py</parameter>…</invoke>       Claude, with `antml:` or without
    <function=str_replace_editor><parameter=command>…</parameter>…</function>         OpenHands, Qwen
    <write_to_file><path>a.py</path><content>…</content></write_to_file>              Cline, Roo
    <edits><old_text line=3>…</old_text><new_text>…</new_text></edits>                Zed, below the path of the file

The values are taken as they stand: entities and tags are code. One line end behind an opening tag and one before a
closing tag are no part of a value where it has both. What could end in two places is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from motet.edits.edit import Near, Replace, Write
from motet.edits.formats.json_value import Json
from motet.edits.formats.other_tools import edits_of_call, is_known
from motet.edits.formats.reader import Piece, edits_of
from motet.edits.formats.regions import NumberedLine
from motet.errors import EditFormatError

_OPENS = re.compile(
    r"\s*<(?:(?P<ns>antml:)?invoke name=[\"'](?P<invoked>[\w.-]+)[\"']|function=[\"']?(?P<function>[\w.-]+)[\"']?"
    r"|(?P<tool>apply_diff|insert_content|search_and_replace|write_file|write_to_file)|(?P<zed>edits))>(?P<rest>.*)",
    re.DOTALL,
)
_ZED = re.compile(
    r"\s*+<old_text(?: +line=[\"']?(\d{1,9})[\"']?)?[^<>\n]*+>(?>(.*?)</old_text>\s*+<new_text>)(?>(.*?)</new_text>)"
    r"(?=\s*+(?:<old_text|\Z))",
    re.DOTALL,
)
_NAMES = (
    "args|content|diff|end_line|file_path|ignore_case|line|line_count|path|replace|search|start_line|task_progress"
    "|use_regex"
)
_PARAMETER = {
    "invoked": (r"<(?:antml:)?parameter name=[\"']", r"\w+", r"[\"'][^<>]*+>", "</(?:antml:)?parameter>"),
    "function": (r"<parameter=[\"']?", r"\w+", r"[\"']?>", "</parameter>"),
    "tool": ("<", _NAMES, ">", r"</\1>"),
}
"""What stands before the name of a parameter, the name, what stands behind it, and its end."""
_SHORT_NAMES = """
command end_line file_path ignore_case insert_line line line_count path replace_all start_line use_regex
"""
_SHORT = frozenset(_SHORT_NAMES.split())
"""Arguments whose text is a word."""
_FILE = re.compile(r"\s*<file>(.*?)</file>", re.DOTALL)
_PART = re.compile(r"<diff>\s*(.*?)\s*</diff>", re.DOTALL)
_CDATA = re.compile(r"\s*<!\[CDATA\[(.*)\]\]>\s*", re.DOTALL)


def opens_call(text: str) -> re.Match[str] | None:
    """The tag with which a call begins that edits files; a sentence that only speaks of it begins with none."""
    found = _OPENS.fullmatch(text)
    if found is None:
        return None
    rest, name = found["rest"].strip(), found["invoked"] or found["function"]
    if (rest and not rest.startswith("<")) or (name and not is_known(name)):
        return None
    return found


class TaggedCall:
    """One call in tags; `path` is the file meant where it names none. When it never ends, it is the error of its first
    line."""

    tail: tuple[NumberedLine, ...] = ()

    def __init__(self, found: re.Match[str], path: str, call: str) -> None:
        self.done = False
        self._path, self._call = path, call
        self._name = found["invoked"] or found["function"] or found["tool"] or ""
        self._kind = next(kind for kind in ("invoked", "function", "tool", "zed") if found[kind])
        tag = {"invoked": f"{found['ns'] or ''}invoke", "function": "function", "zed": "edits"}
        self._tag = tag.get(self._kind, self._name)
        part = r"\w+" if self._kind == "tool" else f"{found['ns'] or ''}parameter"
        part = r"new_text" if self._kind == "zed" else part
        self._end = re.compile(rf"(?:</(?:{part})>\s*)</{self._tag}>[ \t]*\Z")
        self._lines: list[str] = []
        self._first = 0

    def line(self, text: str, number: int) -> list[Piece]:
        """Take a line of it."""
        self._first = self._first or number
        self._lines.append(text)
        if not text.rstrip().endswith(f"</{self._tag}>") or not self._end.search("\n".join(self._lines[-3:])):
            return []
        self.done = True
        inner = "\n".join(self._lines)
        inner = inner[inner.index(">") + 1 : inner.rindex(f"</{self._tag}>")]
        try:
            edits = edits_of(list(self._edits(inner)))
        except EditFormatError as error:
            raise EditFormatError(f"in the call of line {self._first}: {error}", self._first) from None
        return [
            replace(edit, line=self._first, shown=True)
            if isinstance(edit, Write)
            else replace(edit, line=self._first)
            for edit in edits
        ]

    def end(self) -> list[Piece]:
        raise EditFormatError(f"line {self._first}: <{self._tag}> is not closed", self._first)

    def _edits(self, inner: str) -> Iterator[Piece]:
        if self._kind == "zed":
            for found in self._whole(_ZED, inner):
                near = Near(int(found[1]), apart=1) if found[1] else Near()
                values = _arguments({"old": found[2], "new": found[3]})
                yield Replace(self._path, str(values["old"]), str(values["new"]), self._call, near=near, inline=True)
            return
        for values in self._calls(inner):
            yield from edits_of_call(self._name, values, self._path, self._call)

    def _calls(self, inner: str) -> Iterator[Mapping[str, Json]]:
        """The arguments of each call: several where Roo is given several files."""
        values = dict(self._parameters(inner))
        if self._name != "apply_diff" or set(values) != {"args"}:
            yield _arguments(values)
            return
        for file in self._whole(_FILE, values["args"]):
            path = dict(self._parameters(_PART.sub("", file[1]))).get("path", "")
            for diff in _PART.finditer(file[1]):
                content = dict(self._parameters(diff[1])).get("content", "")
                data = _CDATA.fullmatch(content)
                yield {"path": path.strip(), "diff": data[1] if data else content}

    def _parameters(self, inner: str) -> Iterator[tuple[str, str]]:
        """The parameters by their names, each once."""
        before, names, behind, closing = _PARAMETER[self._kind]
        following = rf"(?=\s*+(?:{before}(?:{names}){behind}|\Z))"
        pattern = re.compile(rf"\s*+{before}({names}){behind}(.*?){closing}{following}", re.DOTALL)
        seen: set[str] = set()
        for found in self._whole(pattern, inner):
            if found[1] in seen:
                raise EditFormatError(f"line 1: {found[1]!r} is given twice", 1)
            seen.add(found[1])
            yield found[1], found[2]

    def _whole(self, pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
        """The matches of `pattern`, which has to cover all of `text`."""
        at = 0
        while text[at:].strip():
            found = pattern.match(text, at)
            if found is None:
                raise EditFormatError(f"line 1: it is not clear what <{self._tag}> holds", 1)
            yield found
            at = found.end()


def _arguments(values: Mapping[str, str]) -> Mapping[str, Json]:
    """What the values say: texts without the line ends that only set them off, where all texts have them."""
    texts = [text for name, text in values.items() if name not in _SHORT and text]
    are_set_off = all(text.startswith("\n") and text.endswith("\n") for text in texts)
    told: dict[str, Json] = {}
    for name, text in values.items():
        if name in _SHORT:
            told[name] = int(text) if text.strip().isdecimal() else text.strip()
        elif name in ("content", "file_text"):
            told[name] = text[1:] if are_set_off else text
        else:
            told[name] = text[1:-1] if are_set_off else text
    return told

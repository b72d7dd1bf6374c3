"""`search_text`: lines of the project that hold a text or match a regular expression."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import BaseModel, Field

from motet.permissions import Effect
from motet.prompts import prompt
from motet.tools.globs import path_filter
from motet.tools.kit import Kit
from motet.tools.reading import MOST_CHARACTERS, counted, numbered, visible_files
from motet.tools.search import Found, Pattern, search
from motet.tools.tool import OneByOne, ToolOutput, ToolSpec
from motet.workspace.failures import shown

_MOST_MATCHES = 200
"""Matching lines that are shown."""
_MOST_IN_ONE_FILE = 50


class SearchTextInput(BaseModel):
    """Arguments of one call."""

    pattern: str = Field(description="a regular expression (Python's syntax), or with `literal` the text itself")
    literal: bool = Field(False, description="take `pattern` as it stands, not as a regular expression")
    ignore_case: bool = Field(False, description="whether upper and lower case are the same")
    context: int = Field(0, ge=0, le=20, description="lines to show before and after each match")
    paths: list[str] = Field(
        default_factory=list[str], description="look only here: files, directories or patterns as in `src/**/*.py`"
    )


class SearchText(OneByOne):
    """The tool."""

    spec = ToolSpec("search_text", prompt("search_text"), SearchTextInput, frozenset({Effect.READ}))

    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    async def call(self, value: BaseModel) -> ToolOutput:
        """See `Tool`."""
        assert isinstance(value, SearchTextInput)
        pattern = Pattern(value.pattern, value.literal, value.ignore_case).checked()
        fits = path_filter([self._kit.desk.normalise(path) for path in value.paths])
        paths = [path for path in await visible_files(self._kit) if fits(path)]
        if not paths:
            where = f" that fits {', '.join(value.paths)}" if value.paths else ""
            return ToolOutput(f"there is no file{shown(where)} to look in", is_error=bool(value.paths))
        found = [each async for each in search(self._kit, paths, pattern)]
        return shown_matches(found, len(paths), value.context)


def shown_matches(found: Sequence[Found], looked_in: int, context: int) -> ToolOutput:
    """The matches under the names of their files, as many as fit, and how many there are."""
    matches = sum(len(each.numbers) for each in found)
    if not matches:
        return ToolOutput(f"no matches in {counted(looked_in, 'file')}")
    head = f"{counted(matches, 'matching line')} in {counted(len(found), 'file')}"
    blocks: list[str] = []
    room, shown_so_far = MOST_CHARACTERS - len(head), 0
    for each in found:
        numbers = each.numbers[: min(_MOST_IN_ONE_FILE, _MOST_MATCHES - shown_so_far)]
        block = _block(each, numbers, context) if numbers else ""
        if not block or (len(block) > room and blocks):
            break
        if len(block) > room:
            block = f"{block[:room]}…"
        blocks.append(block)
        room -= len(block) + 1
        shown_so_far += len(numbers)
    more = ""
    if shown_so_far < matches:
        more = f"\n({shown_so_far} of {matches} shown; narrow the pattern or the paths to see the others)"
    return ToolOutput("\n".join([head, *blocks]) + more, shown=head)


def _block(found: Found, numbers: Sequence[int], context: int) -> str:
    stretches = [numbered(found.lines, first, last).text for first, last in _stretches(found, numbers, context)]
    separator = "\n   …\n" if context else "\n"
    left_out = len(found.numbers) - len(numbers)
    more = f"\n({left_out} more in this file)" if left_out else ""
    return f"\n{shown(found.file.path)}\n{separator.join(stretches)}{more}"


def _stretches(found: Found, numbers: Sequence[int], context: int) -> Iterator[tuple[int, int]]:
    """The lines to show, 1-based and inclusive: matches with their context, those that touch as one."""
    first = last = 0
    for number in numbers:
        begin, end = max(number - context, 1), min(number + context, len(found.lines))
        if last and begin <= last + 1:
            last = end
            continue
        if last:
            yield first, last
        first, last = begin, end
    yield first, last

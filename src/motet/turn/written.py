"""What one turn does about edits in the texts of its answers, and whether it has written anything."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from motet.messages import ToolCall
from motet.prose import Prose, leaves
from motet.tools import Toolbox, ToolOutput
from motet.turn.events import TurnEnded
from motet.turn.text_calls import calls_of, read_text
from motet.workspace.places import KnownPaths

_DONE = (
    r"(?:added|adjusted|amended|applied|changed|cleaned up|converted|corrected|created|deleted|edited|extended|fixed"
    r"|implemented|inserted|migrated|modified|moved|patched|refactored|removed|renamed|replaced|reworked|rewritten"
    r"|rewrote|saved|simplified|switched|updated)"
)
_ADVERB = r"(?:(?:now|just|also|already|successfully|then|all|both)\s+)*"
_FILE = r"(?:`[^`\n]*\.\w{1,8}`|\b[\w./-]*\w\.[A-Za-z]\w{0,7}\b(?!\()|\b(?:the|your|this|both|a new|new) files?\b)"
_OBJECT = (
    r"(?:`|\*\*|(?:the|a|an|your|this|that|these|it|all|both|some|missing|new|error)\b|[\w./-]*\w\.[A-Za-z]\w{0,7}\b)"
)
_NAMES_FILE = re.compile(_FILE, re.IGNORECASE)
_CLAIMS = (
    # I have updated `a.py`; I've now created the file; I fixed it in a.py
    re.compile(
        rf"(?:^|[.!:;,]\s+|\band\s+)(?:okay|ok|done|so)?[,.!]?\s*(?:I|we)(?:['\u2019]ve|\s+have)?\s+{_ADVERB}{_DONE}\b",
        re.IGNORECASE,
    ),
    # Updated `a.py`, at the beginning
    re.compile(rf"^(?:(?:done|okay|ok|sure)[.!,:]*\s+)?(?:successfully\s+)?{_DONE}\s+{_OBJECT}", re.IGNORECASE),
    # `a.py` has been updated
    re.compile(rf"{_FILE}\s+(?:has|have)\s+{_ADVERB}been\s+{_ADVERB}{_DONE}\b", re.IGNORECASE),
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*])|\n(?=\s*(?:[-*+]|\d+[.)])\s)")
_PERHAPS = re.compile(r"\b(?:if|unless|once|after|when|whenever|until|before|as soon as|commit)\b", re.IGNORECASE)
"""Words before what is only supposed, or was long ago."""
_LONG_AGO = re.compile(r"\b(?:commit|yesterday|ago)\b|\bbeen \w+ since\b|\?\W*$", re.IGNORECASE)
_MOST_CHARACTERS = 500
"""Of a sentence that is looked at."""


class Written:
    """What a turn does about edits in the texts of its answers, and what it has written."""

    def __init__(self, toolbox: Toolbox) -> None:
        self._toolbox = toolbox
        self._reports = self._count()
        self._before = self._reports
        self._answer, self._elements = "", False
        self._acted = False
        self._ended = TurnEnded()

    def begin(self, answer: str, *, elements: bool) -> None:
        """An answer is whole, and none of its calls has run. `elements`: whether its text may hold calls."""
        self._before = self._count()
        self._answer, self._elements = answer, elements

    async def calls(self) -> list[ToolCall]:
        """What the text of the answer asks for, as calls; what can only be told is kept for the end."""
        tool = self._toolbox.edit_tool
        is_path = KnownPaths(tool.desk.workspace.root) if tool is not None else None
        found = read_text(self._answer, elements=self._elements, about=self._toolbox.about, is_path=is_path)
        if tool is None:
            if found.edits or found.broken or found.quoted:
                self._ended = replace(self._ended, left=found.edits, broken=found.broken, quoted=found.quoted)
            return calls_of(replace(found, broken=""), ())
        if not found.edits and not found.quoted:
            return calls_of(found, ())
        from motet.tools.in_text import sift

        if found.quoted:
            quoted = await sift(tool.desk, found.quoted, turn=self._reports, answer=self._before)
            self._ended = replace(self._ended, quoted=quoted.fresh)
        about = self._toolbox.about
        sifted = await sift(tool.desk, found.edits, about=about, turn=self._reports, answer=self._before)
        if sifted.doubtful or sifted.repeated:
            self._ended = replace(self._ended, doubtful=sifted.doubtful, repeated=sifted.repeated)
        return calls_of(found, sifted.fresh)

    def heed(self, done: Sequence[tuple[ToolCall, ToolOutput]]) -> None:
        """Note the calls of an answer that may have changed something besides edits."""
        if any(not output.is_error and self._toolbox.acts_elsewhere(call) for call, output in done):
            self._acted = True

    def ended(self) -> TurnEnded:
        """The end of the turn with this answer."""
        tool = self._toolbox.edit_tool
        if tool is None:
            return self._ended
        reports = tool.desk.reports[self._reports :]
        paths = {report.path for report in reports}
        doubtful = tuple(edit for edit in self._ended.doubtful if tool.desk.normalise(edit.path) not in paths)
        written = self._acted or any(report.was_written for report in reports)
        return replace(self._ended, doubtful=doubtful, unmade=not written and claims_edit(self._answer))

    def _count(self) -> int:
        tool = self._toolbox.edit_tool
        return len(tool.desk.reports) if tool is not None else 0


def claims_edit(answer: str) -> bool:
    """Whether `answer` says, in its own words, that it has changed or created a file: to be held against what happened.

    Conservative, and only of English: a sentence in the past tense that names a file. A false alarm costs more than a claim
    that is not seen, as nobody believes the next one.
    """
    for leaf in leaves(answer):
        own = tuple(segment for segment in leaf if not segment.quoted)
        if own and any(map(_claims, _SENTENCE.split(Prose(answer, own).text))):
            return True
    return False


def _claims(sentence: str) -> bool:
    text = sentence[:_MOST_CHARACTERS].strip().lstrip("*_ ")
    if _NAMES_FILE.search(text) is None or _LONG_AGO.search(text):
        return False
    claims = (found for pattern in _CLAIMS if (found := pattern.search(text)))
    return any(_PERHAPS.search(text, 0, claim.end()) is None for claim in claims)

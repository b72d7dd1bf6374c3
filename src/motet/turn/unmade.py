"""Whether an answer says that a file was changed: to be held against what happened.

Conservative, and only of English: a sentence in the past tense that names a file. A false alarm costs more than a
claim that is not seen, as nobody believes the next one.
"""

from __future__ import annotations

import re

from motet.prose import Prose, leaves

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


def claims_edit(answer: str) -> bool:
    """Whether `answer` says, in its own words, that it has changed or created a file."""
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

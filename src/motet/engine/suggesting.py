"""What comes along with a message by itself: two or three passages, and only those that have to do with it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress

from motet.context.passages import Lines, is_shown
from motet.errors import MotetError
from motet.index import Found
from motet.index.packing import Passage
from motet.index.question import Question, is_stop_word, understand
from motet.index.weights import WEIGHTS
from motet.index.words import words
from motet.models.offline import Place
from motet.workspace import Workspace

TOKENS = 1_500
"""Of all passages of one message."""
LOOKED_AT = 10
"""Places of which the best are shown where no model reads them."""
_MOST = 3
_BEFORE, _LINES = 2, 10
"""Lines before the best line of such a place, and of all of it."""
_FEWEST, _MANY = 2, 4
"""Words of the message that a passage has to have: of a short one, of a long one."""
_QUESTION = re.compile(r"[?？]|か[。\s]*\Z|^(?:where|which|what|how|who|why)\b", re.I)
_OFTEN = frozenset(
    """
    thanks thank yes no ok okay great good nice hello hi hey please go ahead continue sorry right correct wrong bug
    error problem issue file files line lines work works working done try again test tests function class method
    """.split()  # noqa: SIM905 (words are read more easily than a list)
)
"""Words that say little of where to look."""


def asks(said: str) -> bool:
    """Whether there is anything in a message to look for: a name, a path, or two words that say something; in a
    question one."""
    question = understand(said, WEIGHTS)
    fewest = 1 if _QUESTION.search(said) else _FEWEST
    return bool(question.names or question.paths or len(_telling(question)) >= fewest)


def chosen(found: Sequence[Passage], said: str, shown: Mapping[str, list[Lines]]) -> list[Passage]:
    """Of the passages `found` those that have enough of what was said and that the chat does not show yet, by path and
    line; the rarest company of words first, where there are too many."""
    question = understand(said, WEIGHTS)
    telling = _telling(question)
    needed = min(len(telling), _MANY, max(_FEWEST, (len(telling) + 2) // 3))
    fitting: list[tuple[float, Passage]] = []
    for passage in found:
        if is_shown(passage, shown):
            continue
        seen = {*words(passage.text), *words(passage.path)}
        shared = telling.keys() & seen
        if (shared and len(shared) >= needed) or _is_named(passage, question):
            fitting.append((sum(telling[word] for word in shared), passage))
    best = sorted(fitting, key=lambda one: (-one[0], one[1].path, one[1].first))[:_MOST]
    return sorted((passage for _, passage in best), key=lambda one: (one.path, one.first))


async def places(found: Sequence[Found], workspace: Workspace) -> list[Place]:
    """The best of `found` with some of their lines, as the files are in `workspace`."""
    shown: list[Place] = []
    for one in found:
        if len(shown) == _MOST:
            break
        with suppress(MotetError):
            lines = (await workspace.read(one.path)).text.splitlines()
            first = max(one.line - _BEFORE, one.first, 1)
            part = tuple(lines[first - 1 : min(first + _LINES - 1, one.last)])
            while part and not part[-1].strip():
                part = part[:-1]
            shown += [Place(one.path, first, part, one.reasons)] if part else []
    return shown


def _telling(question: Question) -> dict[str, float]:
    return {
        word: weight
        for word, weight in question.words
        if not is_stop_word(word) and word not in _OFTEN and (len(word) > 2 or not word.isascii())
    }


def _is_named(passage: Passage, question: Question) -> bool:
    """Whether the message names the file, or something that the passage holds, as code."""
    if any(f"/{passage.path}".endswith(f"/{path}") for path, _ in question.paths):
        return True
    joined = "".join(words(passage.text))
    return any(len(name) > 3 and name in joined for name in question.names)

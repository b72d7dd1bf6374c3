"""The offline model in a chat: it quotes the passages that have most words in common with the question.

How much a passage has in common: each term of the question counts the more, the fewer passages hold it, and the less,
the more often it stands in the passage already (as in BM25, Robertson & Zaragoza 2009, without lengths: passages are
of one size). A line that defines a name of the question counts once more.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from motet.messages import Message, Role, estimate_tokens
from motet.models.offline.found import Look, answered
from motet.models.offline.passages import Passage, is_shared, passages_in, passages_of
from motet.models.protocol import ModelRequest
from motet.text.terms import terms

WHO = "I am the offline model: I apply suggested fixes and close names, I do not reason."
_ABLE = (
    "Give me files with their diagnostics (motet fix does) and I propose: the fixes that language servers suggest, "
    "the name that a message says was meant, the one name in the shown text that is clearly the closest, and a "
    "few repairs that follow from the message alone. Ask about the code, or share files and ask, and I quote the places "
    "that have most words in common with the question. For anything else choose another model: `motet models`."
)
_ASK = "ask one above it, as in `git diff | motet ask 'where is the port set?'`."
_MOST_ASKED = 5
"""Line ends in a question, and in what goes on behind a blank line; what has more of them is a text to look into."""
_MOST_QUOTES = 3
_SATURATION = 1.2
"""How soon further mentions of a term stop counting."""

_GREETING = re.compile(
    r"(?:hi|hello|hey|hallo|moin|servus|hola|bonjour|ciao|good (?:morning|day|evening)|guten (?:morgen|tag|abend)"
    r"|こんにちは|こんばんは|おはよう(?:ございます)?|你好|안녕(?:하세요)?)(?:\W+\w+){0,2}\W*",
    re.IGNORECASE,
)
_DEFINITION = re.compile(
    r"\b(?:def|class|function|func|fn|fun|struct|enum|interface|trait|type|const|let|var|val|module|macro_rules!"
    r"|#define)\s+(\w+)"
)
_COMMON = frozenset(
    """
    a about all an and any are as at be been but by can could did do does explain find for from had has have how i if
    in into is it its just like me my no not of on one or our please say show so some tell than that the their them
    then there these they this to was we were what when where which who why will with would you your
    """.split()  # noqa: SIM905 (words are read more easily than a list)
)


async def reply(request: ModelRequest, look: Look | None = None) -> str:
    """What the offline model says to a request without diagnostics; empty where only a reasoning model can answer. `look`
    is asked where nothing of what is shared fits."""
    question = _question(request.messages)
    if question.lstrip().startswith("<conversation>"):
        return ""  # a title is wanted, or a summary
    if not question.strip() or _GREETING.fullmatch(question.strip()):
        return f"{WHO} {_ABLE}"
    question, given = _parted(question)
    passages = [*passages_of(request.messages), *passages_in("your message", given)]
    if not question:
        return f"{WHO} Your message is {given.count(chr(10)) + 1} lines of text and no question: {_ASK}"
    found = await _best(question, passages)
    if found:
        return _quoted(found, request.max_output_tokens)
    if said := await answered(question, look, WHO, request.max_output_tokens):
        return said
    if not passages:
        return (
            f"{WHO} {_ABLE}\n\nNothing is shared with me yet: `@/path` shares a file, `#diff` what is not committed."
        )
    sources = ", ".join(f"`{source}`" for source in dict.fromkeys(passage.source for passage in passages))
    return f"{WHO} None of the words of the question stand in what was shared with me: {sources}."


def _question(messages: Sequence[Message]) -> str:
    """What the human said last: the newest text that the transcript shows and that is not something shared."""
    said = [message for message in messages if message.role is Role.USER and message.visible]
    texts = (part.text for message in reversed(said) for part in reversed(message.parts))
    return next((text for text in texts if not is_shared(text)), "")


def _parted(said: str) -> tuple[str, str]:
    """The question, and a text behind it that is too long to be part of it, as it comes through a pipe."""
    head, _, rest = said.strip("\n").partition("\n\n")
    if head.count("\n") >= _MOST_ASKED:
        return "", said.strip("\n")
    return (head, rest) if rest.count("\n") >= _MOST_ASKED else (said, "")


@dataclass(frozen=True, slots=True)
class _Read:
    passage: Passage
    counts: Counter[str]


async def _best(question: str, passages: Sequence[Passage]) -> list[Passage]:
    """The passages that have most in common with `question`, the best first; none when none has anything."""
    wanted = _terms(question)
    if not wanted:
        return []
    read: list[_Read] = []
    for passage in passages:
        await asyncio.sleep(0)
        found = terms(f"{passage.source}\n{passage.text}")
        read.append(_Read(passage, Counter(word for word in (*found.words, *found.whole) if word in wanted)))
    holding = Counter(term for each in read for term in each.counts)
    weights = {term: math.log(1 + len(read) / count) for term, count in holding.items()}
    scores = [(_score(each, wanted, weights), -at, each.passage) for at, each in enumerate(read)]
    ranked = sorted((score for score in scores if score[0] > 0), key=lambda score: score[:2], reverse=True)
    return [passage for score, _, passage in ranked[:_MOST_QUOTES] if score >= ranked[0][0] / 2]


def _terms(question: str) -> frozenset[str]:
    found = terms(question)
    words = frozenset(found.words) | {word for word in found.whole if len(word) > 1}
    return (words - _COMMON) or words or frozenset(found.whole)


def _score(read: _Read, wanted: frozenset[str], weights: dict[str, float]) -> float:
    score = sum(weights[term] * count / (count + _SATURATION) for term, count in read.counts.items())
    defined = {term for name in _DEFINITION.findall(read.passage.text) for term in (name.lower(), *terms(name).words)}
    score += sum(weights.get(term, 0.0) for term in defined & wanted)
    return score * math.sqrt(len(read.counts) / len(wanted))


def _quoted(passages: Sequence[Passage], limit: int | None) -> str:
    """`passages` with their places, as many as fit an answer of `limit` tokens."""
    blocks = [f"`{passage.place}`\n{_fenced(passage)}" for passage in passages]
    end = "I have only compared words. For an answer choose another model: `motet models`."
    kept = [f"{WHO} These places have most words in common with the question:"]
    for block in blocks:
        if limit is not None and estimate_tokens("\n\n".join([*kept, block, end])) > limit:
            break
        kept.append(block)
    return "\n\n".join([*kept, end])


def _fenced(passage: Passage) -> str:
    longest = max((len(run) for run in re.findall(r"`{3,}", passage.text)), default=2)
    fence = "`" * (longest + 1)
    language = PurePath(passage.source).suffix[1:] if passage.first else ""
    return f"{fence}{language}\n{passage.text}\n{fence}"

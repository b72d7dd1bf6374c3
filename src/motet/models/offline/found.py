"""The offline model's answer from the index: where the project speaks of a question, and why there."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import PurePath

from motet.messages import estimate_tokens


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file from line `first` on (1-based); `reasons` speak to a human."""

    path: str
    first: int
    lines: tuple[str, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Looked:
    """The best places, best first. `complete`: all files of the project were looked at."""

    places: tuple[Place, ...]
    complete: bool = True


Look = Callable[[str], Awaitable[Looked | None]]
"""Where the project speaks of a question; None where it cannot be looked at, or nothing is asked. Raises nothing."""

END = "An index has found them by their words; no language model has read them. For an answer choose another model: `motet models`."


def told(looked: Looked, who: str, limit: int | None) -> str:
    """The answer, within `limit` tokens."""
    if not looked.places:
        return (
            f"{who} The index of this project has found nothing that speaks of the question. {_some(looked)}".rstrip()
        )
    kept = [f"{who} The question speaks of these places most:"]
    for place in looked.places:
        block = f"`{place.path}:{place.first}-{place.first + len(place.lines) - 1}` ({'; '.join(place.reasons)})\n{_fenced(place)}"
        if limit is not None and estimate_tokens("\n\n".join([*kept, block, END])) > limit:
            break
        kept.append(block)
    return "\n\n".join([*kept, f"{END} {_some(looked)}".rstrip()])


def _some(looked: Looked) -> str:
    return "" if looked.complete else "Files are still being read: ask again for more."


def _fenced(place: Place) -> str:
    text = "\n".join(place.lines)
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{PurePath(place.path).suffix[1:]}\n{text}\n{fence}"


async def answered(question: str, look: Look | None, who: str, limit: int | None) -> str:
    """What is said to `question`; empty where the project cannot be looked at."""
    looked = await look(question) if look is not None else None
    return "" if looked is None else told(looked, who, limit)

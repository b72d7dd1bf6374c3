"""What a damage is, and the list of all.

A damage turns the edits as meant into the edits as sent, or says None where it has nothing to bite on. Its `new`
says what may stand in the file for a new line that it touched too:

- `untouched`: it never touches new lines.
- `mended`: the line as meant. Only where no line of the search text shows the damage may it stand as written,
  because then nothing tells a new line with, say, `&lt;` in it from one that means just that.
- `as_written`: the line as meant or as written. A quotation mark that a model writes curly in a new line is the
  model's word: look-alikes are folded for comparison, never in what is written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Literal

from edits.mutations.scene import Change, Scene

New = Literal["untouched", "mended", "as_written"]


@dataclass(frozen=True, slots=True)
class Written:
    """The edits as sent: `changes` in the order listed, lines ended by `newline`, the last one too if `ended`.

    `cut` is what is cut off each search text's end, in characters. `now` is the file as it is when the edits
    arrive, where it is not what the model was shown any more; `truth` are then the lines that may come out (None:
    no change is right any more). `format`: sent in this form only. `anchors`: the numbers of the first and the last
    line are wrong by so many; their hashes are those of the lines meant.
    """

    changes: tuple[Change, ...]
    newline: str = "\n"
    ended: bool = True
    cut: int = 0
    now: tuple[str, ...] | None = None
    truth: tuple[str, ...] | None = None
    format: str = ""
    anchors: tuple[int, int] = (0, 0)


Bite = Callable[[Scene, Random], Written | None]


@dataclass(frozen=True, slots=True)
class Damage:
    """One way in which a model gets an edit wrong."""

    name: str
    bite: Bite
    new: New
    changes: int

    @property
    def says(self) -> str:
        """The first line of its docstring."""
        return (self.bite.__doc__ or "").partition("\n")[0]


DAMAGES: dict[str, Damage] = {}


def damage(new: New = "untouched", changes: int = 1) -> Callable[[Bite], Bite]:
    """Put a function on the list; it is given scenes with so many `changes`."""

    def add(bite: Bite) -> Bite:
        name = getattr(bite, "__name__", "")
        assert name not in DAMAGES
        DAMAGES[name] = Damage(name, bite, new, changes)
        return bite

    return add


def one(change: Change | None) -> Written | None:
    """A single edit as sent."""
    return None if change is None else Written((change,))

"""What can be said about an edit while its text is still arriving."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class EditPreview:
    """Lines of the `number`th edit (1-based) of an answer that is still being written.

    `lines`, without line ends, are those that came since the preview before: add them up to have the edit so far.
    `part` says what they are: lines to be found (`search`), or new text (`replace`).
    """

    path: str
    number: int
    part: Literal["search", "replace"]
    lines: tuple[str, ...]

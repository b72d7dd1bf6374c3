"""An AI pair programmer that lives where the code is.

`motet.open` is the whole of it as a library, `motet.boards` the boards alone; everything is imported when it is first used.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False  # as `typing` has it, which takes 6 ms to import
if TYPE_CHECKING:
    from motet.engine.api import Motet
    from motet.engine.api import boards_around as boards
    from motet.engine.api import open_workspace as open

__all__ = ["Motet", "__version__", "boards", "open"]


def __getattr__(name: str) -> object:
    if name in ("Motet", "boards", "open"):
        from motet.engine import api

        return {"Motet": api.Motet, "boards": api.boards_around}.get(name, api.open_workspace)
    raise AttributeError(f"module 'motet' has no attribute {name!r}")

"""An AI pair programmer that lives where the code is.

`motet.open` is the whole of it as a library; everything is imported when it is first used.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False  # as `typing` has it, which takes 6 ms to import
if TYPE_CHECKING:
    from motet.engine.api import Motet
    from motet.engine.api import open_workspace as open

__all__ = ["Motet", "__version__", "open"]


def __getattr__(name: str) -> object:
    if name in ("Motet", "open"):
        from motet.engine import api

        return api.Motet if name == "Motet" else api.open_workspace
    raise AttributeError(f"module 'motet' has no attribute {name!r}")

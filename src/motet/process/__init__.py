"""Child processes: each in a group of its own that ends with it, with motet, and with nothing left behind.

`run` waits for an answer within a limit of time and bytes; `spawn` gives streams to talk through; `Running` hands on
what a program says while it runs. `motet.process.sandbox` says whether commands can be walled in here. Nobody else in
motet starts processes. Whether a program may run at all is the caller's question to the gate. `start_detached` is for
motet's own background agents alone: they outlive the terminal; a `Mark` finds them again.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from motet.process.child import Child, spawn
from motet.process.programs import find_program, own_bin
from motet.process.run import Output, run

if TYPE_CHECKING:
    from motet.process.detached import Detached, start_detached
    from motet.process.mark import Mark
    from motet.process.running import Running

__all__ = [
    "Child",
    "Detached",
    "Mark",
    "Output",
    "Running",
    "find_program",
    "own_bin",
    "run",
    "spawn",
    "start_detached",
]

_WHERE = {"Detached": "detached", "Mark": "mark", "Running": "running", "start_detached": "detached"}


def __getattr__(name: str) -> object:
    if name in _WHERE:  # what git does not need
        found: object = getattr(import_module(f"motet.process.{_WHERE[name]}"), name)
        return found
    raise AttributeError(f"module 'motet.process' has no attribute {name!r}")

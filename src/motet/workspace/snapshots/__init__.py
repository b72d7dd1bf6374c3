"""What a command may destroy, kept before it runs: the whole work tree with git's own files, at the cost of a look.

`Watcher` takes a snapshot before a program runs and compares afterwards; what is different becomes part of the turn's
checkpoint. `Limits` say how much of a project is kept, and `LeftOut` what was not.
"""

from motet.workspace.snapshots.limits import DEFAULT_LIMITS, LeftOut, Limits
from motet.workspace.snapshots.watcher import Watch, Watcher

__all__ = ["DEFAULT_LIMITS", "LeftOut", "Limits", "Watch", "Watcher"]

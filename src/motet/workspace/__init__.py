"""The files of a project: read as text, written whole or not at all, never outside, and always to be taken back.

`Workspace` is the promise, `DiskWorkspace` and `MemoryWorkspace` keep it. `Checkpoints` remembers what files
held before each change. `find_workspace` and `resolve_user_path` turn what a user typed into a root and paths.
Each part is imported when it is first used: who only lists files writes none.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from motet.workspace.checkpoint import Checkpoint, CheckpointInfo, Checkpoints
    from motet.workspace.disk import DiskWorkspace
    from motet.workspace.memory import MemoryWorkspace
    from motet.workspace.places import find_workspace, resolve_user_path, why_no_project
    from motet.workspace.protocol import KeptWorkspace, Workspace

__all__ = [
    "Checkpoint",
    "CheckpointInfo",
    "Checkpoints",
    "DiskWorkspace",
    "KeptWorkspace",
    "MemoryWorkspace",
    "Workspace",
    "find_workspace",
    "resolve_user_path",
    "why_no_project",
]

_MODULES = {
    "checkpoint": ("Checkpoint", "CheckpointInfo", "Checkpoints"),
    "disk": ("DiskWorkspace",),
    "memory": ("MemoryWorkspace",),
    "places": ("find_workspace", "resolve_user_path", "why_no_project"),
    "protocol": ("KeptWorkspace", "Workspace"),
}
_WHERE = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    if name in _WHERE:
        found: object = getattr(import_module(f"motet.workspace.{_WHERE[name]}"), name)
        return found
    raise AttributeError(f"module 'motet.workspace' has no attribute {name!r}")

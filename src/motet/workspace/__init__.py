"""The files of a project: read as text, written whole or not at all, never outside, and always to be taken back.

`Workspace` is the promise, `DiskWorkspace` and `MemoryWorkspace` keep it. `Checkpoints` remembers what files
held before each change. `find_workspace` and `resolve_user_path` turn what a user typed into a root and paths.
"""

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

"""Git as plumbing: where a work tree begins and which files it holds. Nothing a repository configures is run.

A repository is somebody else's text until its owner trusts it. So the root is found by looking, not by asking
git, and git itself is started with an explicit repository, a clean environment and every setting that names a
program switched off. What changes or compares work trees is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from motet.git.repository import (
    commits_since,
    find_root,
    ignored,
    list_files,
    main_work_tree,
    watched_places,
    with_attribute,
    work_tree,
)

if TYPE_CHECKING:
    from motet.git.index import same_index
    from motet.git.merging import Conflict, Overlap, WorkTree, overlaps
    from motet.git.trees import add_tree, remove_tree

__all__ = [
    "Conflict",
    "Overlap",
    "WorkTree",
    "add_tree",
    "commits_since",
    "find_root",
    "ignored",
    "list_files",
    "main_work_tree",
    "overlaps",
    "remove_tree",
    "same_index",
    "watched_places",
    "with_attribute",
    "work_tree",
]

_MODULES = {
    "index": ("same_index",),
    "merging": ("Conflict", "Overlap", "WorkTree", "overlaps"),
    "trees": ("add_tree", "remove_tree"),
}
_WHERE = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    if name in _WHERE:
        found: object = getattr(import_module(f"motet.git.{_WHERE[name]}"), name)
        return found
    raise AttributeError(f"module 'motet.git' has no attribute {name!r}")

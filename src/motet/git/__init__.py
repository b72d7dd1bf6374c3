"""Git as plumbing: where a work tree begins and which files it holds. Nothing a repository configures is run.

A repository is somebody else's text until its owner trusts it. So the root is found by looking, not by asking
git, and git itself is started with an explicit repository, a clean environment and every setting that names a
program switched off.
"""

from motet.git.index import same_index
from motet.git.merging import Conflict, Overlap, WorkTree, overlaps
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

"""The code around: which files belong to a project, their text by its words, and the places that answer a question.

Nobody runs an indexer. `ProjectIndex` is opened for a project, reads what changed when it is asked, and answers with
places and reasons. What it keeps lies in motet's state directory and can be made anew from the files at any time.
Nothing of this room is imported before a question needs it.
"""

from motet.index.project import ProjectIndex
from motet.index.text_store import IndexUnusable, engine_name
from motet.index.values import Answer, Found, Status, Why

__all__ = ["Answer", "Found", "IndexUnusable", "ProjectIndex", "Status", "Why", "engine_name"]

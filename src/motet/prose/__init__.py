"""Which characters of a Markdown text are somebody's own words, and where a name among them begins and ends.

Chats look there for what is shared (`#buffer`, `@file`), boards for who is called (`@reviewer`). Pure: text in, places
out.
"""

from motet.prose.inline import Mark, Prose
from motet.prose.markdown import Leaf, Segment, leaves
from motet.prose.names import begins, continues, is_spaceless, is_word

__all__ = ["Leaf", "Mark", "Prose", "Segment", "begins", "continues", "is_spaceless", "is_word", "leaves"]

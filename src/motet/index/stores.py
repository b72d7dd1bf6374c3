"""The stores that an index is kept in, together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from motet.index.catalog import Catalog
from motet.index.text_store import CHUNKS, COMMITS, FILES, TextStore, open_text_store

CATALOG = "catalog.sqlite"
"""The file that says what is indexed, in the directory of an index."""


@dataclass(frozen=True, slots=True)
class Stores:
    """Where an index is kept."""

    catalog: Catalog
    chunks: TextStore
    files: TextStore
    commits: TextStore

    @property
    def texts(self) -> tuple[TextStore, TextStore]:
        """What holds documents of files."""
        return self.chunks, self.files

    @property
    def all(self) -> tuple[TextStore, TextStore, TextStore]:
        """All but the catalog."""
        return self.chunks, self.files, self.commits


def open_stores(directory: Path | None) -> Stores:
    """The stores in `directory`, made where they are not there; in memory when it is None. Raises `IndexUnusable`."""
    places = {kind: None if directory is None else directory / kind for kind in (CHUNKS, FILES, COMMITS)}
    catalog = Catalog(None if directory is None else directory / CATALOG)
    try:
        return Stores(catalog, *(open_text_store(kind, place) for kind, place in places.items()))
    except BaseException:
        catalog.close()
        raise

"""What keeps the words of the files, asked by one thread while another writes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from motet.index.text_store import FILES

LOOKED_FOR = [("body", "alpha", 1.0)]


class Interrupted:
    """A searcher that has found something when `happens` comes between."""

    def __init__(self, searcher: Any, happens: Callable[[], None]) -> None:
        self._searcher = searcher
        self._happens = happens

    def __getattr__(self, name: str) -> Any:
        return getattr(self._searcher, name)

    def search(self, *given: object, **options: object) -> Any:
        answer = self._searcher.search(*given, **options)
        self._happens()
        return answer


def test_a_search_answers_of_the_files_that_it_found_also_when_others_are_stored_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tantivy_store = pytest.importorskip("motet.index.tantivy_store")
    store = tantivy_store.TantivyStore(FILES, tmp_path / "store")
    for file in (1, 2):
        store.add(file, 1, 1, {"body": "alpha"})
    store.commit()

    def happens() -> None:
        store.remove([1, 2])
        for file in (8, 9):
            store.add(file, 1, 1, {"body": "beta"})
        store.commit()

    monkeypatch.setattr(store, "_searcher", Interrupted(store._searcher, happens))  # as another thread would do
    assert [hit.file for hit in store.search(LOOKED_FOR, 10)] == [1, 2]
    assert store.search(LOOKED_FOR, 10) == []
    store.close()

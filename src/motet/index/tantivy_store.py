"""Text by its words: tantivy."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Generator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from motet.index.text_store import CHUNKS, COMMITS, FIELDS, FILES, Hit, IndexUnusable, in_order

if TYPE_CHECKING:
    import tantivy

_HEAP = {CHUNKS: 36_000_000, FILES: 24_000_000, COMMITS: 20_000_000}
_LINE_BITS = 24
_PARTS = ("fast", "fieldnorm", "idx", "pos", "store", "term")
"""The files of a segment, by their endings."""


class TantivyStore:
    """One tantivy index of `kind`, in `directory` or, when that is None, in memory. One thread writes; any thread may
    search meanwhile what was committed last."""

    def __init__(self, kind: str, directory: Path | None) -> None:
        import tantivy as engine

        self._engine = engine
        self._fields = FIELDS[kind]
        self._heap = _HEAP[kind]
        builder = engine.SchemaBuilder()
        for field in self._fields:
            builder.add_text_field(field, tokenizer_name="default", index_option="freq")
        builder.add_unsigned_field("file", indexed=True, fast=True)
        builder.add_unsigned_field("span", fast=True)
        self._schema = builder.build()
        with _failures(directory):
            if directory is not None:
                directory.mkdir(parents=True, exist_ok=True, mode=0o700)
                _check(directory)
            self._index = engine.Index(self._schema, path=None if directory is None else str(directory))
            self._index.config_reader(reload_policy="manual")
        self._directory = directory
        self._writer: tantivy.IndexWriter | None = None
        self._searcher = self._index.searcher()

    @property
    def documents(self) -> int:
        """How many documents can be found."""
        return self._searcher.num_docs

    def add(self, file: int, first: int, last: int, texts: Mapping[str, str]) -> None:
        """Keep a document; `texts` by field, spread as `motet.index.words` does. Seen after `commit`."""
        document = self._engine.Document()
        document.add_unsigned("file", file)
        document.add_unsigned("span", first << _LINE_BITS | last)
        for field, text in texts.items():
            document.add_text(field, text)
        with _failures(self._directory):
            self._open_writer().add_document(document)

    def remove(self, files: Iterable[int]) -> None:
        """Forget the documents of `files`. Seen after `commit`."""
        with _failures(self._directory):
            for file in files:  # by query: by term, numbers are taken as signed and delete nothing
                query = self._engine.Query.term_query(self._schema, "file", file, "freq")
                self._open_writer().delete_documents_by_query(query)

    def commit(self) -> None:
        """Let everyone see what was added and removed. Raises `IndexUnusable`."""
        if self._writer is None:
            return
        with _failures(self._directory):
            self._writer.commit()
        self.reload()

    def release(self) -> None:
        """Let another process write. What was not committed is forgotten."""
        writer, self._writer = self._writer, None
        if writer is not None:
            with _failures(self._directory):
                writer.wait_merging_threads()

    def close(self) -> None:
        """Let go of it."""
        self.release()

    def reload(self) -> None:
        """See what others committed."""
        with _failures(self._directory):
            self._index.reload()
            self._searcher = self._index.searcher()

    def search(self, wanted: Sequence[tuple[str, str, float]], limit: int) -> list[Hit]:
        """The `limit` best documents for (field, word, weight); best first, equals by number and line."""
        engine = self._engine
        query: list[tuple[tantivy.Occur, tantivy.Query]] = []
        for field, word, weight in wanted:
            term = engine.Query.term_query(self._schema, field, word, "freq")
            query.append((engine.Occur.Should, engine.Query.boost_query(term, weight)))
        if not query:
            return []
        with _failures(self._directory):
            searcher = self._searcher  # addresses are of this one alone: another thread may commit meanwhile
            found = searcher.search(engine.Query.boolean_query(query), limit, count=False).hits
            places = [address for _, address in found]
            files = searcher.fast_field_values("file", places)
            spans = searcher.fast_field_values("span", places)
        hits = [
            Hit(int(file or 0), int(span or 0) >> _LINE_BITS, int(span or 0) & ((1 << _LINE_BITS) - 1), score)
            for (score, _), file, span in zip(found, files, spans, strict=True)
        ]
        return in_order(hits)

    def frequency(self, field: str, word: str) -> int:
        """How many documents have `word`."""
        with _failures(self._directory):
            return self._searcher.doc_freq(field, word)

    def _open_writer(self) -> tantivy.IndexWriter:
        if self._writer is None:
            self._writer = self._index.writer(self._heap, 1)
        return self._writer


def _check(directory: Path) -> None:
    """Raises `ValueError` when a file of a segment is not there: tantivy says so only when it looks into it."""
    meta = directory / "meta.json"
    if not meta.exists():
        if any(directory.iterdir()):
            raise ValueError("meta.json is not there")
        return
    segments = json.loads(meta.read_bytes())["segments"]
    for segment in segments:
        stem = str(segment["segment_id"]).replace("-", "")
        deletes = segment["deletes"]
        names = [f"{stem}.{part}" for part in _PARTS]
        if deletes:
            names.append(f"{stem}.{deletes['opstamp']}.del")
        for name in names:
            if not (directory / name).is_file():
                raise ValueError(f"{name} is not there")


@contextlib.contextmanager
def _failures(directory: Path | None) -> Generator[None]:
    try:
        yield
    except (ValueError, OSError, LookupError, TypeError) as error:
        where = "in memory" if directory is None else str(directory)
        raise IndexUnusable(
            f"{where}: the index cannot be used: {error}; `motet index rebuild` makes it anew"
        ) from error

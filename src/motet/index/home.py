"""Where the index of one project lies: opened when it is needed, made anew when it is damaged, written by one process
at a time, and in memory where nothing can be written."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Generator
from hashlib import blake2b
from pathlib import Path

from motet.index.catalog import VERSION
from motet.index.stores import CATALOG, Stores, open_stores
from motet.index.text_store import IndexUnusable, engine_name
from motet.storage.lease import Lease

_log = logging.getLogger(__name__)


class Home:
    """The stores of the project at `root`, in a directory of their own below `home`. Any thread may use it."""

    def __init__(self, root: Path, home: Path) -> None:
        self._root = root
        self.directory = home / blake2b(str(root).encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
        self.in_memory = False
        self._stores: Stores | None = None
        self._writing = threading.Lock()
        self._opening = threading.Lock()

    @property
    def is_kept(self) -> bool:
        """Whether there is an index already."""
        return self._stores is not None or (self.directory / CATALOG).is_file()

    def stores(self) -> Stores:
        """The stores. Raises `IndexUnusable`."""
        with self._opening:
            if self._stores is None:
                self._stores = self._open()
            return self._stores

    def close(self) -> None:
        """Let go of everything, after what is being written."""
        with self._writing, self._opening:
            stores, self._stores = self._stores, None
            if stores is not None:
                for store in stores.all:
                    store.close()
                stores.catalog.close()

    def empty(self) -> bool:
        """Forget all; False when another process is writing."""
        with self.writing() as held:
            if not held:
                return False
            if not self.in_memory:
                self.reopen()
                _remove(self.directory)
        return True

    def reopen(self) -> None:
        """Let go of stores that failed. Whoever asks next opens them again, and there damage is found and mended."""
        if not self.in_memory:
            with self._opening:
                stores, self._stores = self._stores, None
                if stores is not None:
                    stores.catalog.close()

    @property
    def size(self) -> int:
        """Bytes on disk."""
        if self.in_memory:
            return 0
        found = 0
        for one in self.directory.rglob("*"):
            with contextlib.suppress(OSError):  # merged into another one just now
                found += one.stat().st_size if one.is_file() else 0
        return found

    @contextlib.contextmanager
    def writing(self) -> Generator[bool]:
        """Whether this is the one writer, of all threads and processes."""
        with self._writing:
            self.stores()
            if self.in_memory:
                yield True
                return
            lease = Lease.take(self.directory / "writer.lock")
            if lease is None:
                yield False
                return
            with lease:
                yield True

    def _open(self) -> Stores:
        directory = self.directory
        try:
            directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            alone = Lease.take(directory / "opening.lock", block=True)  # nobody sees an index that is half made
        except OSError as error:
            _log.info("%s: the index of %s is in memory: %s", directory, self._root, error)
            self.in_memory = True
            return open_stores(None)
        with alone or contextlib.nullcontext():
            try:
                return self._current(open_stores(directory))
            except IndexUnusable as error:
                _log.warning("%s: made anew: %s", directory, error)
                return self._made_anew(directory)

    def _made_anew(self, directory: Path) -> Stores:
        try:
            _remove(directory)
            return self._current(open_stores(directory))
        except (IndexUnusable, OSError) as error:  # the disk is full, say
            _log.warning("%s: the index of %s is in memory: %s", directory, self._root, error)
            self.in_memory = True
            return open_stores(None)

    def _current(self, stores: Stores) -> Stores:
        wanted = f"{VERSION} {engine_name()}"
        root = str(self._root).encode("utf-8", "backslashreplace").decode()
        version = stores.catalog.about("version")
        if version and version != wanted:
            stores.catalog.close()
            raise IndexUnusable(f"{self.directory}: made by another version of motet; `motet index rebuild`")
        if not version:
            stores.catalog.note("version", wanted)
            stores.catalog.note("root", root)
        elif stores.catalog.about("root") != root:
            stores.catalog.close()
            raise IndexUnusable(f"{self.directory}: this is the index of another project")
        self._check(stores)
        return stores

    def _check(self, stores: Stores) -> None:
        """Raises `IndexUnusable` when the stores do not hold what the catalog says, and nobody is writing."""
        if _agree(stores):
            return
        lease = Lease.take(self.directory / "writer.lock")
        if lease is None:
            return  # they will when it is done
        with lease:
            for store in stores.all:
                store.reload()
            if not _agree(stores):
                stores.catalog.close()
                raise IndexUnusable("its parts do not belong together")


def _agree(stores: Stores) -> bool:
    """Whether each store has as many documents as the catalog knows of; of commits there may be more, of a writer that was
    killed."""
    if stores.catalog.pending():
        return True
    chunks, files, commits = stores.catalog.counts()
    return (
        chunks in (-1, stores.chunks.documents)
        and files == stores.files.documents
        and commits <= stores.commits.documents
    )


def _remove(directory: Path) -> None:
    """Remove what an index consists of; locks stay."""
    import shutil  # not for an index that is as it should be

    for child in directory.iterdir():
        if child.is_dir() and not child.is_symlink():
            shutil.rmtree(child)
        elif child.name.startswith("catalog."):
            child.unlink()

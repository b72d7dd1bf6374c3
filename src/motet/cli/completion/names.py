"""The names that a user has given to things, read where they are kept: no store is opened, and nothing is written."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import cast
from urllib.parse import quote

from motet.paths import config_dir, config_file, state_dir

_MOST = 200
_MOST_BYTES = 65_536
_PLAIN = re.compile(r"[\w@%+:,./][\w@%+=:,./-]*")
_NAME = re.compile(r"^name:\s*[\"']?([\w][\w.:-]*)", re.MULTILINE)

Named = Iterator[tuple[str, str]]
"""Names, each with what it is."""


def is_plain(word: str) -> bool:
    """Whether a shell takes `word` for nothing but itself: others may have named what is offered here."""
    return _PLAIN.fullmatch(word) is not None


def _models(known: Sequence[str]) -> Named:
    """Those of the settings, those that chats were held with, those that are known."""
    settings = _settings()
    own = {name: _table(provider).get("model") for name, provider in _table(settings.get("providers")).items()}
    said = (settings.get("model"), *_table(settings.get("models")).values(), *own)
    for word in (*said, *(f"{name}/{model}" for name, model in own.items() if isinstance(model, str))):
        if isinstance(word, str):
            yield word, "in your settings"
    for (model,) in _rows("history.db", "SELECT model FROM chats GROUP BY model ORDER BY max(updated) DESC"):
        yield str(model), "used before"
    for word in known:
        yield word, ""


def _providers(known: Sequence[str]) -> Named:
    for word in (*_table(_settings().get("providers")), *known):
        yield word, ""


def _last_and_chats(known: Sequence[str]) -> Named:
    """As lists show them, the newest first, those of this project before others."""
    yield "last", "the newest chat here"
    yield from _chats("trashed IS NULL")


def _trash(known: Sequence[str]) -> Named:
    return _chats("trashed IS NOT NULL")


def _boards(known: Sequence[str]) -> Named:
    """Those on this machine, those of this project before others."""
    query = f"SELECT name FROM boards ORDER BY project <> ?, last DESC LIMIT {_MOST}"
    for (name,) in _rows("boards.db", query, _root()):
        yield str(name), ""


def _prompts(known: Sequence[str]) -> Named:
    with suppress(OSError):
        for path in sorted((config_dir() / "prompts").glob("*.md"))[:_MOST]:
            with path.open("rb") as file:
                named = _NAME.search(file.read(_MOST_BYTES).decode("utf-8", "replace"))
            yield named[1] if named else path.stem, "yours"
    for word in known:
        yield word, ""


LOOKED_UP: Mapping[str, Callable[[Sequence[str]], Named]] = {
    "model": _models,
    "provider": _providers,
    "chat": _last_and_chats,
    "trash": _trash,
    "board": _boards,
    "prompt": _prompts,
}
"""By its kind, who looks up the names of a thing; each is given those that come with motet."""


def _chats(which: str) -> Named:
    query = f"SELECT id, title FROM chats WHERE {which} ORDER BY workspace <> ?, updated DESC LIMIT {_MOST}"
    for id, title in _rows("history.db", query, _root()):
        yield str(id)[-8:].lower(), title.decode("utf-8", "replace") if isinstance(title, bytes) else str(title)


def _rows(file: str, query: str, *values: str) -> list[tuple[object, ...]]:
    """What a store of ours answers; nothing where it cannot be read as it stands. Where nobody has it open there is no
    file beside it, and none is to be made: then it is read as a file that does not change."""
    path = state_dir() / file
    if not path.exists():
        return []
    beside = all(Path(f"{path}{end}").exists() for end in ("-wal", "-shm"))
    address = f"file:{quote(str(path))}?{'mode=ro&readonly_shm=1' if beside else 'immutable=1'}"
    with suppress(sqlite3.Error), closing(sqlite3.connect(address, timeout=0.05, uri=True)) as store:
        return store.execute(query, values).fetchall()
    return []


def _root() -> str:
    """The root of the git work tree around this directory, else the directory itself."""
    here = os.path.realpath(".")
    parents = (here, *map(str, Path(here).parents))
    return next((each for each in parents if os.path.lexists(f"{each}/.git")), here)


def _settings() -> dict[str, object]:
    """The user's settings, as far as they can be read."""
    import tomllib

    with suppress(OSError, ValueError):
        return tomllib.loads(config_file().read_text("utf-8"))
    return {}


def _table(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}

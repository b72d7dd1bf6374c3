"""Where motet keeps keys that the user gave it: a file of its own, or the keyring of the system."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol, cast

from motet.errors import SettingsError
from motet.models import private_file
from motet.models.providers.fields import as_text
from motet.paths import config_dir

SERVICE = "motet"
"""Under this name the keys stand in the keyring; the user's name there is the provider's."""
_HEAD = "# Keys, written by `motet config key`. Keep this file to yourself.\n"


def key_file(environ: Mapping[str, str]) -> Path:
    """`keys.toml` beside the settings; it may not exist."""
    return config_dir(environ) / "keys.toml"


class KeyFile:
    """Keys by provider, in a TOML file of mode 0600. Every error is a `SettingsError` that shows no key."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def get(self, provider: str) -> str:
        """The key of `provider`; empty when there is none. A file that others may read is refused."""
        return self._read().get(provider, "")

    def put(self, provider: str, key: str) -> None:
        """Keep `key`, in the place of an older one."""
        with private_file.held(self.path):
            self._write({**self._read(lenient=True), provider: key})

    def remove(self, provider: str) -> bool:
        """Forget the key of `provider`; whether there was one."""
        if not self.path.exists():
            return False
        with private_file.held(self.path):
            keys = self._read(lenient=True)
            found = keys.pop(provider, None) is not None
            if found:
                self._write(keys)
        return found

    def _read(self, *, lenient: bool = False) -> dict[str, str]:
        try:
            mode = self.path.stat().st_mode
            if mode & 0o077 and not lenient:
                raise SettingsError(f"{self.path}: others may read it; run: chmod 600 {self.path}")
            keys: Mapping[str, object] = tomllib.loads(self.path.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise SettingsError(f"{self.path}: cannot be read ({error.strerror})") from error
        except ValueError:
            # What a parser says may repeat a line with a key.
            raise SettingsError(f"{self.path}: is no TOML; repair or remove it") from None
        return {name: as_text(key) for name, key in keys.items()}

    def _write(self, keys: Mapping[str, str]) -> None:
        # A JSON text is a TOML basic string, too, as long as it is ASCII without the delete character.
        lines = [f"{json.dumps(name)} = {json.dumps(key)}\n" for name, key in sorted(keys.items())]
        private_file.write(self.path, _HEAD + "".join(lines), private_file.PRIVATE)


class _Keyring(Protocol):
    """What is used of the package `keyring` (keyring.readthedocs.io)."""

    def get_password(self, service_name: str, username: str) -> str | None: ...
    def set_password(self, service_name: str, username: str, password: str) -> None: ...
    def delete_password(self, service_name: str, username: str) -> None: ...


def has_keyring() -> bool:
    """Whether the package `keyring` is installed; whether it works shows when it is used."""
    return find_spec("keyring") is not None


def keyring_get(provider: str) -> str:
    """The key of `provider`; empty when there is none. Blocks: the human may be asked to unlock the keyring."""
    with _told():
        return _keyring().get_password(SERVICE, provider) or ""


def keyring_put(provider: str, key: str) -> None:
    """Keep `key`. Blocks, as above."""
    with _told():
        _keyring().set_password(SERVICE, provider, key)


def keyring_remove(provider: str) -> bool:
    """Forget the key of `provider`; whether there was one. Blocks, as above."""
    found = bool(keyring_get(provider))
    if found:
        with _told():
            _keyring().delete_password(SERVICE, provider)
    return found


def _keyring() -> _Keyring:
    if not has_keyring():
        raise SettingsError("the package keyring is not installed; install motet with it, or keep the key in a file")
    return cast("_Keyring", import_module("keyring"))


@contextmanager
def _told() -> Generator[None]:
    try:
        yield
    except SettingsError:
        raise
    except Exception as error:  # noqa: BLE001 (each system has its own errors)
        what = f"the system's keyring does not answer ({type(error).__name__}); keep the key in a file"
        raise SettingsError(what) from None

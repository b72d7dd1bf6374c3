"""Where a provider's key comes from, and the value that never shows it."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from motet.errors import ModelError, ModelErrorKind, ProcessError, SettingsError
from motet.models.key_store import KeyFile, has_keyring, key_file, keyring_get

COMMAND_SECONDS = 120.0
"""How long a key command may take; a password manager may have to ask the human first."""

_LIKE_A_KEY = re.compile(r"(?=.*\d)(?=.*[a-z])[A-Za-z0-9_.-]{16,}")
"""What people paste in the place of a variable's name; it is said without being repeated."""
KEPT = frozenset({"file", "keyring"})
"""Where motet itself keeps keys (see `key_store`)."""

RunCommand = Callable[[list[str]], Awaitable[tuple[int, bytes]]]
"""Runs a command and returns its exit status and what it wrote on standard output."""


class Secret:
    """A key. `str`, `repr`, formatting and pickling never show it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The key itself, for the one header that carries it."""
        return self._value

    def redact(self, text: str) -> str:
        """`text` without the key."""
        # A value this short is a placeholder that local servers want; removing it would only garble the text.
        return text.replace(self._value, "***") if len(self._value) >= 8 else text

    def __repr__(self) -> str:
        return "Secret(***)"

    def __reduce__(self) -> str:
        raise TypeError("a key is not written anywhere")


class KeySource:
    """A provider's key, looked up at the first request: `env:NAME`, `cmd:COMMAND`, `file`, `keyring`, or nothing.

    `setting` is checked at once: `SettingsError` when it is of no such form. `name` is that of the setting, when it
    is not `providers.PROVIDER.key`.
    """

    def __init__(
        self,
        setting: str | None,
        environ: Mapping[str, str],
        provider: str,
        run_command: RunCommand | None = None,
        *,
        name: str = "",
    ) -> None:
        self._name = name or f"providers.{provider}.key"
        kind, _, rest = (setting or "").partition(":")
        if setting and setting not in KEPT and (kind not in {"env", "cmd"} or not rest.strip()):
            # What was written may be the key itself: it is not repeated.
            raise SettingsError(f"{self._name}: write env:NAME, cmd:COMMAND, file or keyring, never the key itself")
        self._kept = setting if setting in KEPT else ""
        self._variable = rest.strip() if kind == "env" else ""
        if self._variable not in environ and _LIKE_A_KEY.fullmatch(self._variable):
            raise SettingsError(f"{self._name}: behind env: stands the name of a variable, never the key itself")
        self._command = _split(rest, self._name) if kind == "cmd" else []
        self._environ = environ
        self._provider = provider
        self._run = run_command or _run_command
        self._lock = asyncio.Lock()
        self._secret: Secret | None = None

    @property
    def place(self) -> str:
        """Where to look when the key is not accepted, as in `ANTHROPIC_API_KEY`; empty when there is no key."""
        if self._kept:
            return f"the key in {self._keeper}"
        return self._variable or (f"the command in {self._name}" if self._command else "")

    @property
    def missing(self) -> str:
        """Why there is no key, known without running anything; empty when there may be one."""
        if self._variable and not self._environ.get(self._variable, "").strip():
            return f"{self._variable} is not set"
        if self._kept == "keyring" and not has_keyring():
            return "the package keyring is not installed"
        if self._kept == "file":
            try:
                return "" if self._file.get(self._provider) else f"no key for {self._provider} in {self._file.path}"
            except SettingsError as error:
                return str(error)
        return ""

    @property
    def found(self) -> str:
        """Where the key comes from, in a few words; empty when there is none."""
        if self._command:
            return "its key comes from a command"
        if self._kept:
            return "" if self.missing else f"its key is in {self._keeper}"
        return f"{self._variable} is set" if self._variable and not self.missing else ""

    @property
    def advice(self) -> str:
        """What to do where the key is `missing`."""
        return (
            f"set it, or {self._name}"
            if self._variable
            else f"run `motet config key {self._provider}`, or set {self._name}"
        )

    async def get(self) -> Secret | None:
        """The key; None when the provider needs none. Raises `ModelError` (auth) when it cannot be had."""
        async with self._lock:
            if self._secret is None and (self._variable or self._command or self._kept):
                self._secret = self._checked(await self._value())
            return self._secret

    def forget(self) -> None:
        """Look the key up again next time: it was not accepted, and the next one may be fresh."""
        self._secret = None

    async def _value(self) -> str:
        if self._command:
            return await self._from_command()
        if not self._kept:
            return self._environ.get(self._variable, "").strip()
        try:
            if self._kept == "file":
                return self._file.get(self._provider)
            # The system may ask the human to unlock it.
            return await asyncio.to_thread(keyring_get, self._provider)
        except SettingsError as error:
            raise self._error(str(error)) from error

    @property
    def _file(self) -> KeyFile:
        return KeyFile(key_file(self._environ))

    @property
    def _keeper(self) -> str:
        return str(self._file.path) if self._kept == "file" else "the system's keyring"

    async def _from_command(self) -> str:
        name = self._command[0]
        try:
            code, output = await self._run(self._command)
        except ProcessError as error:
            raise self._error(f"the key command did not run ({error})") from error
        if code != 0:
            raise self._error(f"the key command {name} ended with exit status {code}")
        return next(iter(output.decode("utf-8", "replace").splitlines()), "").strip()

    def _checked(self, value: str) -> Secret:
        if not value:
            nothing = "the key command wrote nothing" if self._command else f"no key in {self._keeper}"
            raise self._error(self.missing or nothing)
        if not may_be_key(value):
            raise self._error("the key holds characters that no key has")
        return Secret(value)

    def _error(self, what: str) -> ModelError:
        message = f"{self._provider}: {what}; check {self.place}"
        return ModelError(message, ModelErrorKind.AUTH, provider=self._provider)

    def __repr__(self) -> str:
        return f"KeySource({self.place!r})"


def may_be_key(value: str) -> bool:
    """Whether `value` consists of what a header can carry."""
    return bool(value) and value.isascii() and value.isprintable() and " " not in value


def _split(command: str, name: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise SettingsError(f"{name}: the command cannot be read ({error})") from error


async def _run_command(argv: list[str]) -> tuple[int, bytes]:
    from motet.process import run

    # Never in the project: what a relative path means there is not the user's choice.
    home = Path(os.environ.get("HOME", "/"))
    output = await run(argv, cwd=home if home.is_dir() else Path("/"), timeout=COMMAND_SECONDS, max_bytes=64 * 1024)
    return output.code, output.stdout

"""A provider as pydantic-ai knows it: whether it can be used, and a client of it, made in a thread."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING

from motet.errors import ModelError, ModelErrorKind, SettingsError
from motet.models.providers.endpoint import Endpoint
from motet.models.providers.failures import one_line
from motet.models.providers.pydantic_ai.watched import Client, is_signed_in, watch_aws, watched_client
from motet.models.providers.pydantic_ai.words import NO_AWS_SIGN_IN, plain

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.providers import Provider

_INSTALL = "pip install 'motet[pydantic-ai]'"
_OURS = frozenset({"api_key", "base_url", "http_client"})
"""What the settings say in words of their own."""
_SECRET = re.compile(r"key|secret|token|credential|password|client", re.IGNORECASE)
_SIGN_IN = re.compile(r"aws|credential|profile")
"""Names of parameters of providers that are reached without a key."""
_NO_KEY = "no-key"
_GROUP = re.compile(r"pydantic-ai-slim\[[a-z-]+\]")


@dataclass(frozen=True, slots=True)
class Opened:
    """A client of one model. `endpoint`: the only place that it can reach."""

    model: Model
    endpoint: Endpoint


@dataclass(frozen=True, slots=True)
class Service:
    """One model of a provider. `provider` is its name in the settings, `name` that in pydantic-ai.

    `options`: what pydantic-ai's class for the provider takes besides a key and an address; never a secret.
    """

    provider: str
    name: str
    model: str
    base_url: str = ""
    timeout: float = 300.0
    options: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def missing(self) -> str:
        """Why it cannot be used, known without an import; empty when it may be usable."""
        return "" if find_spec("pydantic_ai") else f"pydantic-ai is not installed; {_INSTALL}"

    async def open(self, key: str | None) -> Opened:
        """A client that uses `key`; any text will do to learn where requests will go.

        Where there is None, what pydantic-ai itself finds counts: variables, profiles, a sign-in of the system's.
        Raises `SettingsError` and `ModelError` (auth).
        """
        if self.missing:
            raise self._unusable(self.missing)
        # Imports, files of certificates, profiles: nothing of that may hold up the loop.
        return await asyncio.to_thread(self._open, key)

    def _open(self, key: str | None) -> Opened:
        try:
            return self._made(key)
        except (SettingsError, ModelError):
            raise
        except ImportError as error:
            group = _GROUP.search(str(error))
            where = f"; pip install '{group[0]}'" if group else f" ({one_line(str(error))})"
            why = f"a package of this provider is not installed{where}"
        except Exception as error:  # noqa: BLE001 (each provider has its own errors)
            why = plain(str(error).replace(key or "***", "***"), self.provider) or type(error).__name__
        # Not chained, not even by its place: it may hold the key, and half a client that would complain later.
        raise self._unusable(why)

    def _made(self, key: str | None) -> Opened:
        from pydantic_ai.models import infer_model
        from pydantic_ai.providers import infer_provider_class

        try:
            made = infer_provider_class(self.name)
        except ValueError:
            told = f"pydantic-ai knows no provider {self.name!r}; name one of its own in 'service'"
            raise self._unusable(told) from None
        taken = inspect.signature(made.__init__).parameters
        arguments = self._arguments(made.__name__, taken, key)
        client = self._client(taken)
        found = made(**arguments, **({"http_client": client.client} if client else {}))
        endpoint = self._endpoint(found)
        if client:
            client.allow(endpoint)
        elif is_signed_in(found.client):
            watch_aws(found.client, endpoint)
        else:
            raise self._unusable(NO_AWS_SIGN_IN.format(setting=f"providers.{self.provider}"))
        return Opened(infer_model(f"{self.name}:{self.model}", lambda _: found), endpoint)

    def _arguments(self, kind: str, taken: Mapping[str, object], key: str | None) -> dict[str, object]:
        allowed = {name for name in taken if name not in _OURS and name != "self" and not _SECRET.search(name)}
        if unknown := sorted(set(self.options) - allowed):
            known = f"{kind} takes {', '.join(sorted(allowed)) or 'none'}"
            raise SettingsError(f"providers.{self.provider}.options.{unknown[0]}: there is no such option; {known}")
        given = {"api_key": key, "base_url": self.base_url or None}
        for name, setting in (("api_key", "key"), ("base_url", "base_url")):
            if given[name] and name not in taken:
                raise SettingsError(f"providers.{self.provider}.{setting}: {kind} takes none")
        if self.base_url and not key and not any(_SIGN_IN.search(name) for name in taken):
            # A key that is found in the environment is for the provider's own address.
            given["api_key"] = _NO_KEY
        return {**self.options, **self._silence(taken), **{name: value for name, value in given.items() if value}}

    def _silence(self, taken: Mapping[str, object]) -> dict[str, object]:
        return {"aws_read_timeout": self.timeout} if "aws_read_timeout" in taken else {}

    def _client(self, taken: Mapping[str, inspect.Parameter]) -> Client | None:
        """The HTTP client that the provider gets from us; None for AWS, whose own client is watched."""
        if "bedrock_client" in taken:
            return None
        client = watched_client(str(getattr(taken.get("http_client"), "annotation", "")), self.provider, self.timeout)
        if client is None:
            raise self._unusable("pydantic-ai goes to it on a road of its own, where motet cannot see what leaves")
        return client

    def _endpoint(self, found: Provider[object]) -> Endpoint:
        try:
            return Endpoint.parse(self.provider, found.base_url, self.timeout)
        except SettingsError:
            raise self._unusable("pydantic-ai does not say where its requests go; set base_url") from None

    def _unusable(self, why: str) -> ModelError:
        return ModelError(f"{self.provider}: {why}", ModelErrorKind.AUTH, provider=self.provider)

"""Which models can be used now, why others cannot, and which one is used when none is named."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from motet.errors import ModelError, ModelErrorKind, SettingsError, UsageError
from motet.models.config import PYDANTIC_AI, ModelConfig, ProviderConfig
from motet.models.keys import KeySource
from motet.models.local import NAMED_SECONDS, PROBE_SECONDS, installed_models, ollama_url
from motet.models.protocol import Destination, Limits, Model, Price
from motet.models.providers.dialect import Dialect
from motet.models.providers.endpoint import Endpoint
from motet.models.providers.table import PROVIDERS, Provider

if TYPE_CHECKING:
    from motet.models.check import KeyCheck
    from motet.models.providers.pydantic_ai.service import Service

_HERE = Destination("offline", "in this process", remote=False)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model that may be named. `reason`: why it can be used now, or why not and what to do.

    `limits` and `price` are None where they are not known before a server is asked.
    """

    name: str
    usable: bool
    reason: str
    destination: Destination | None = None
    limits: Limits | None = None
    price: Price | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """The model that is used where none is named. `reason`: why it is that one; `passed_over`: of each that would have
    come before it, why it cannot be used."""

    model: Model
    reason: str
    passed_over: tuple[str, ...] = ()

    @property
    def why(self) -> str:
        """All of it in one line."""
        return "; ".join([*self.passed_over, self.reason])


async def list_models(config: ModelConfig, environ: Mapping[str, str]) -> list[Candidate]:
    """All candidates, in the order in which the default is looked for. Asks local servers, at the same time."""
    sources = [_Source(provider, config, environ) for provider in _providers(config)]
    found = await asyncio.gather(*(source.candidates() for source in sources))
    offline = Candidate("offline", True, "built in: applies suggested fixes, needs no key", _HERE)
    return [*(candidate for group in found for candidate in group), offline]


async def choose(name: str | None, config: ModelConfig, environ: Mapping[str, str]) -> tuple[Model, str]:
    """The model that `name` stands for, or the first that works, and why it is that one.

    Names: `provider/model`, `provider`, `offline`, `replay:FILE`. Without a name: the configured model, a key in
    the environment, a local server, `offline`. Raises `UsageError` for an unknown name, with the closest ones, and
    `ModelError` when what was named cannot be used now. Keys are looked up at the first request.
    """
    if name:
        return await _named(name, config, environ), "chosen by name"
    default = await choose_default(config, environ)
    return default.model, default.why


async def choose_default(config: ModelConfig, environ: Mapping[str, str]) -> Choice:
    """The model that works first, in the order that `choose` names. Raises `UsageError` where the settings name a
    provider that there is not."""
    notes: list[str] = []
    if config.model:
        try:
            return Choice(await _named(config.model, config, environ), "set in the settings")
        except ModelError as error:
            notes.append(f"{config.model}, which the settings name, cannot be used ({error})")
    sources = [_Source(provider, config, environ) for provider in _providers(config)]
    for source in sources:
        if not source.asks_server and (candidate := source.by_key()).usable:
            try:
                return Choice(await source.model(source.default_model), candidate.reason, tuple(notes))
            except ModelError as error:
                notes.append(f"{candidate.name} cannot be used ({error})")
    local = [source for source in sources if source.asks_server]
    for source, candidates in zip(local, await asyncio.gather(*(each.candidates() for each in local)), strict=True):
        if candidates[0].usable:
            wanted = candidates[0].name.partition("/")[2]
            return Choice(await source.model(wanted), candidates[0].reason, tuple(notes))
    return Choice(_offline(), "no key in the environment and no local server", tuple(notes))


async def check_key(
    provider: str, config: ModelConfig, environ: Mapping[str, str], key: KeySource | None = None
) -> KeyCheck:
    """Whether the key of `provider`, or this `key`, works. Raises `UsageError` when there is no such provider and
    `SettingsError` when its settings are wrong."""
    from motet.models.check import KeyCheck, ask_for_models

    source = _Source(known_provider(provider, config), config, environ)
    if source.is_of_pydantic_ai:
        return KeyCheck(None, "not checked: pydantic-ai has no request for it that costs nothing")
    return await ask_for_models(*source.for_check(key))


def known_provider(name: str, config: ModelConfig) -> Provider:
    """The provider of this name. Raises `UsageError`, with the closest ones."""
    found = next((each for each in _providers(config) if each.name == name), None)
    if found is None:
        names = [each.name for each in _providers(config)]
        close = get_close_matches(name.lower(), names, n=3, cutoff=0.5)
        known = f"did you mean {' or '.join(close)}?" if close else f"known are {', '.join(names)}"
        raise UsageError(f"{name}: no such provider; {known}")
    return found


async def _named(name: str, config: ModelConfig, environ: Mapping[str, str]) -> Model:
    if name == "offline":
        return _offline()
    if name.startswith("replay:"):
        from motet.models.replay import ReplayModel

        return ReplayModel(Path(name.removeprefix("replay:")), workspace=config.workspace)
    provider_name, _, model = name.partition("/")
    provider = next((each for each in _providers(config) if each.name == provider_name), None)
    if provider is None:
        raise UsageError(f"model {name}: {_no_such(name, config)}")
    source = _Source(provider, config, environ)
    model = model or source.default_model
    if not source.asks_server:
        candidate = source.judge(model)
        if not candidate.usable:
            raise ModelError(f"{provider.name}: {candidate.reason}", ModelErrorKind.AUTH, provider=provider.name)
    if not model:
        candidate = (await source.candidates(NAMED_SECONDS))[0]
        if not candidate.usable:
            raise ModelError(f"{provider.name}: {candidate.reason}", ModelErrorKind.NETWORK, provider=provider.name)
        model = candidate.name.partition("/")[2]
    return await source.model(model)


def _offline() -> Model:
    from motet.models.offline import OfflineModel

    return OfflineModel()


def _providers(config: ModelConfig) -> list[Provider]:
    """Known providers, then the user's own; servers on this machine are asked last."""
    own = [Provider(name, "") for name in config.providers if name not in PROVIDERS]
    return sorted([*PROVIDERS.values(), *own], key=lambda provider: provider.local)


def _no_such(name: str, config: ModelConfig) -> str:
    names = {"offline": "offline"}
    for provider in _providers(config):
        names[provider.name] = provider.name
        for model in provider.models:
            names[f"{provider.name}/{model}"] = names[model] = f"{provider.name}/{model}"
    close = list(dict.fromkeys(names[each] for each in get_close_matches(name.lower(), names, n=3, cutoff=0.5)))
    known = f"did you mean {' or '.join(close)}?" if close else f"known are {', '.join(names[p] for p in PROVIDERS)}"
    return f"no such provider; {known} (`motet models` lists what can be used)"


class _Source:
    """One provider together with what the settings and the environment say about it."""

    def __init__(self, provider: Provider, config: ModelConfig, environ: Mapping[str, str]) -> None:
        self._provider = provider
        self._config = config.providers.get(provider.name, ProviderConfig())
        self._environ = environ
        self.default_model = self._config.model or provider.default_model

    @property
    def is_of_pydantic_ai(self) -> bool:
        """Whether pydantic-ai speaks to it."""
        return (self._config.dialect or self._provider.dialect) == PYDANTIC_AI

    @property
    def asks_server(self) -> bool:
        """Whether it is a server that has to be asked whether it runs: one on this machine, without a key."""
        if self._provider.local:
            return True
        if self.is_of_pydantic_ai:
            return False
        try:
            return not self._key().place and self._endpoint().is_here
        except SettingsError:
            return False

    def by_key(self) -> Candidate:
        """Whether the provider's default model can be used, judged without asking anybody."""
        try:
            return self.judge(self.default_model)
        except SettingsError as error:
            return Candidate(self._name_of(self.default_model), False, str(error))

    def judge(self, model: str) -> Candidate:
        """Whether `model` can be used, judged without asking anybody. Raises `SettingsError` for wrong settings."""
        key, setting = self._key(), f"providers.{self._provider.name}"
        candidate = Candidate(self._name_of(model), False, "", None, self._limits(model), self._price(model))
        if self.is_of_pydantic_ai:
            if missing := self._service(model).missing:
                return replace(candidate, reason=missing)
        else:
            self._dialect(model)
            candidate = replace(candidate, destination=Destination(self._provider.name, self._endpoint().host))
        if key.missing:
            return replace(candidate, reason=f"{key.missing}; {key.advice}")
        if not model:
            return replace(candidate, reason=f"no model; set {setting}.model, or name one")
        return replace(candidate, usable=True, reason=key.found or f"{setting} is set")

    async def candidates(self, seconds: float = PROBE_SECONDS) -> Sequence[Candidate]:
        """The models of this provider that can be named; never empty, the best one first. A server on this machine may
        take `seconds` to say what it has."""
        if self.is_of_pydantic_ai:
            return [await self._opened()]
        if not self.asks_server:
            return [self.by_key()]
        name = self._provider.name
        try:
            endpoint = self._endpoint()
        except SettingsError as error:
            return [Candidate(name, False, str(error))]
        destination = Destination(name, endpoint.host)
        models = await installed_models(endpoint, seconds)
        if models is None:
            return [Candidate(name, False, f"nothing answers at {endpoint.host}; start the server", destination)]
        if not models and not self.default_model:
            return [Candidate(name, False, f"{endpoint.host} names no model; install one there", destination)]
        if self.default_model:
            models = list(dict.fromkeys([self.default_model, *models]))
        reason = f"the server at {endpoint.host} has it"
        return [
            Candidate(f"{name}/{model}", True, reason, destination, self._limits(model), self._price(model))
            for model in models
        ]

    async def model(self, model: str) -> Model:
        """The model itself. Raises `SettingsError`, and `ModelError` where only pydantic-ai knows that it cannot be used."""
        if self.is_of_pydantic_ai:
            return await self._model_of_pydantic_ai(model)
        from motet.models.providers.http_model import HttpModel

        return HttpModel(
            model=model,
            dialect=self._dialect(model),
            endpoint=self._endpoint(),
            limits=self._limits(model),
            price=self._price(model),
            key=self._key(),
        )

    async def _opened(self) -> Candidate:
        """What pydantic-ai says about the provider's default model, which it does not ask anybody about."""
        candidate = self.by_key()
        if not candidate.usable:
            return candidate
        try:
            model = await self.model(self.default_model)
        except (ModelError, SettingsError) as error:
            return replace(candidate, usable=False, reason=str(error).removeprefix(f"{self._provider.name}: "))
        return replace(candidate, destination=model.destination, limits=model.limits)

    async def _model_of_pydantic_ai(self, model: str) -> Model:
        from motet.models.providers.pydantic_ai.model import opened_model

        return await opened_model(
            self._service(model),
            self._key(),
            lambda known: self._limits(model, known),
            self._price(model),
            self._config.body,
        )

    def _service(self, model: str) -> Service:
        from motet.models.providers.pydantic_ai.service import Service

        name, config = self._provider.name, self._config
        return Service(name, config.service or name, model, config.base_url, config.timeout, config.options)

    def for_check(self, key: KeySource | None) -> tuple[Endpoint, Dialect, KeySource, str]:
        """What `ask_for_models` takes."""
        return self._endpoint(), self._dialect(self.default_model), key or self._key(), self._provider.check_path

    def _name_of(self, model: str) -> str:
        return f"{self._provider.name}/{model}" if model else self._provider.name

    def _key(self) -> KeySource:
        usual = f"env:{self._provider.key_env}" if self._provider.key_env else None
        return KeySource(self._config.key or usual, self._environ, self._provider.name)

    def _endpoint(self) -> Endpoint:
        usual = ollama_url(self._environ) if self._provider.name == "ollama" else ""
        address = self._config.base_url or usual or self._provider.base_url
        return Endpoint.parse(self._provider.name, address, self._config.timeout)

    def _dialect(self, model: str) -> Dialect:
        name = self._provider.name
        match self._config.dialect or self._provider.dialect:
            case "anthropic":
                from motet.models.providers.anthropic import AnthropicMessages

                limits = self._limits(model)
                return AnthropicMessages(
                    name, model, limits.output_tokens, self._config.body, limits.images, limits.documents
                )
            case "openai":
                from motet.models.providers.openai_compatible import ChatCompletions

                provider, limits = self._provider, self._limits(model)
                return ChatCompletions(
                    name,
                    model,
                    self._config.body,
                    output_field=provider.output_field,
                    strict_history=provider.strict_history,
                    images=limits.images,
                    documents=limits.documents,
                )
            case "openai-responses":
                from motet.models.providers.openai_responses import OpenAIResponses

                limits = self._limits(model)
                return OpenAIResponses(name, model, self._config.body, limits.images, limits.documents)
            case other:
                known = "openai, openai-responses, anthropic and pydantic-ai"
                raise SettingsError(f"providers.{name}.dialect: {other} is none of {known}")

    def _limits(self, model: str, found: Limits | None = None) -> Limits:
        """What the settings say, then what is `found` out, or known."""
        known = found or self._provider.known(model).limits
        context = self._config.context_tokens or self._ollama_window() or known.context_tokens
        # An answer takes part of the window: a small window must leave room for the question.
        output = self._config.output_tokens or min(known.output_tokens, max(context // 3, 1))
        tools, images, documents = (
            known if said is None else said
            for known, said in (
                (known.tools, self._config.tools),
                (known.images, self._config.images),
                (known.documents, self._config.documents),
            )
        )
        return Limits(context, output, tools, images, documents)

    def _ollama_window(self) -> int:
        # Ollama cuts what is longer without a word, so its own setting is the truth.
        said = self._environ.get("OLLAMA_CONTEXT_LENGTH", "") if self._provider.name == "ollama" else ""
        return int(said) if said.isascii() and said.isdigit() else 0

    def _price(self, model: str) -> Price | None:
        return self._config.price or self._provider.known(model).price

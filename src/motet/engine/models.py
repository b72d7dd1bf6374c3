"""The part of the settings that models need, in their own values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from motet.errors import ModelError, UsageError
from motet.models.catalog import choose
from motet.models.config import ModelConfig, ProviderConfig
from motet.models.protocol import Model, Price
from motet.settings import ProviderSettings, Settings


def model_config(settings: Settings, workspace: Path, work: str = "") -> ModelConfig:
    """What the settings say about models for a kind of work (see `own_model`); empty: for any."""
    own = own_model(settings, work) if work else None
    providers = {name: _provider(table) for name, table in settings.providers.items()}
    return ModelConfig(own or settings.model or "", providers, workspace)


def own_model(settings: Settings, work: str) -> str | None:
    """The name of the model that `[models]` sets for `work`, one of its fields; None: what does everything else."""
    own: str | None = getattr(settings.models, work)
    return own


async def model_for(work: str, settings: Settings, workspace: Path, environ: Mapping[str, str]) -> Model | None:
    """The model that `[models]` sets for `work`; None: it is done by the one that everything else has.

    Raises `UsageError` and `ModelError` as `choose` does, naming the setting.
    """
    name = own_model(settings, work)
    if name is None:
        return None
    try:
        model, _ = await choose(name, model_config(settings, workspace), environ)
    except ModelError as error:
        raise ModelError(f"models.{work}: {error}", error.kind, provider=error.provider) from error
    except UsageError as error:
        raise UsageError(f"models.{work}: {error}") from error
    return model


def _provider(table: ProviderSettings) -> ProviderConfig:
    price = None
    if table.input_price is not None or table.output_price is not None:
        price = Price(table.input_price or 0.0, table.output_price or 0.0, table.input_price or 0.0)
    return ProviderConfig(
        base_url=table.base_url or "",
        dialect=table.dialect or "",
        key=table.key,
        model=table.model or "",
        context_tokens=table.context_tokens,
        output_tokens=table.output_tokens,
        tools=table.tools,
        images=table.images,
        documents=table.documents,
        price=price,
        timeout=table.timeout,
        body=table.body,
        service=table.service or "",
        options=table.options,
    )

"""The part of the settings that models need, in their own values."""

from __future__ import annotations

from pathlib import Path

from motet.models.config import ModelConfig, ProviderConfig
from motet.models.protocol import Price
from motet.settings import ProviderSettings, Settings


def model_config(settings: Settings, workspace: Path) -> ModelConfig:
    """What the settings say about models."""
    providers = {name: _provider(table) for name, table in settings.providers.items()}
    return ModelConfig(settings.model or "", providers, workspace)


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
        price=price,
        timeout=table.timeout,
        body=table.body,
    )

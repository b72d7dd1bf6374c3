"""What the user's settings say about models, as plain values; the engine fills them in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from motet.models.protocol import Price

PYDANTIC_AI = "pydantic-ai"
"""The dialect of providers that pydantic-ai speaks to."""


@dataclass(frozen=True, slots=True)
class ProviderConfig:
    """A provider of the user's own, or changes to a known one; empty or None: as known, or as usual.

    `base_url`: the address up to and without `/chat/completions`, `/responses` or `/v1/messages`. `dialect`:
    `openai`, `openai-responses`, `anthropic` or `pydantic-ai`. `key`: `env:NAME`, `cmd:COMMAND` whose first line of output
    is the key, `file` or `keyring`, where `motet config key` keeps it. `model`: what the provider's name alone stands for.
    `tools`, `images`, `documents`: whether its models call tools, see pictures, read PDF. `timeout`: seconds of silence
    before and within an answer. `body`: further fields of each request, as the provider documents them; with `pydantic-ai`
    its model settings. `service`: pydantic-ai's name of the provider, where it is another; `options`: what its class for
    it takes.
    """

    base_url: str = ""
    dialect: str = ""
    key: str | None = None
    model: str = ""
    context_tokens: int | None = None
    output_tokens: int | None = None
    tools: bool | None = None
    images: bool | None = None
    documents: bool | None = None
    price: Price | None = None
    timeout: float = 300.0
    body: Mapping[str, object] = field(default_factory=dict[str, object])
    service: str = ""
    options: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """The model to use when none is named (empty: the first usable), the providers by name, and the workspace.

    `workspace` is only used by recordings, which stay valid when the project moves.
    """

    model: str = ""
    providers: Mapping[str, ProviderConfig] = field(default_factory=dict[str, ProviderConfig])
    workspace: Path | None = None

"""The providers motet knows, as data. What is not here comes from the user's settings, which win in any case.

Windows, caps and prices are those that the providers published; `KNOWN_ON` says when they were looked up. Where a
price rises above a length of the request, the window here ends at that length: a budget in dollars stays true.
Caps on one answer are lower than allowed, because several providers reserve, or want paid for, the whole cap.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from motet.models.protocol import Limits, Price

KNOWN_ON = "2026-11-21"
UNKNOWN = Limits(context_tokens=15_000, output_tokens=4_096)
"""What a model is taken for when nobody says what it can do."""

_SNAPSHOT = re.compile(r"-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$")


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model's limits and price."""

    limits: Limits
    price: Price | None = None


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider. `local`: a server on this machine, whose models are whatever is installed there.

    `key_env` is the variable that holds its key. `check_path`: what only a holder of a key may read, where everybody
    may list the models. `output_field` and `strict_history`: see `ChatCompletions`.
    """

    name: str
    base_url: str
    key_env: str = ""
    default_model: str = ""
    dialect: str = "openai"
    local: bool = False
    models: Mapping[str, KnownModel] = field(default_factory=dict[str, KnownModel])
    output_field: str = "max_tokens"
    strict_history: bool = False
    check_path: str = ""

    def known(self, model: str) -> KnownModel:
        """What is known about `model`, also under the name of a dated snapshot of it."""
        found = self.models.get(model) or self.models.get(_SNAPSHOT.sub("", model))
        return found or KnownModel(UNKNOWN)


def _model(context: int, output: int, price: Price | None = None) -> KnownModel:
    """A model of text alone."""
    return KnownModel(Limits(context, output), price)


def _sees(context: int, output: int, price: Price | None = None, *, documents: bool = True) -> KnownModel:
    """A model that sees pictures, and reads documents unless the provider's protocol has no place for them."""
    return KnownModel(Limits(context, output, images=True, documents=documents), price)


PROVIDERS: Mapping[str, Provider] = {
    provider.name: provider
    for provider in (
        Provider(
            "anthropic",
            "https://api.anthropic.com",
            "ANTHROPIC_API_KEY",
            "claude-sonnet-5-5",
            dialect="anthropic",
            models={
                "claude-sonnet-5-5": _sees(1_000_000, 32_000, Price(2.0, 10.0, 0.10)),
                "claude-opus-5-5": _sees(1_000_000, 32_000, Price(4.0, 20.0, 0.20)),
                "claude-haiku-5-5": _sees(100_000, 16_000, Price(0.10, 0.50, 0.01)),
                "claude-sonnet-5": _sees(1_000_000, 32_000, Price(2.0, 10.0, 0.20)),
                "claude-haiku-4-5": _sees(200_000, 32_000, Price(1.0, 5.0, 0.10)),
            },
        ),
        Provider(
            "openai",
            "https://api.openai.com/v1",
            "OPENAI_API_KEY",
            "gpt-6.1-terra",
            models={
                "gpt-6.1-sol": _sees(272_000, 32_000, Price(2.0, 10.0, 0.10)),
                "gpt-6.1-terra": _sees(272_000, 32_000, Price(1.0, 5.0, 0.05)),
                "gpt-6-luna": _sees(272_000, 32_000, Price(0.10, 0.50, 0.01)),
                "gpt-5-mini": _sees(272_000, 32_000, Price(0.25, 2.0, 0.025)),
                "gpt-4.1": _sees(1_000_000, 32_000, Price(2.0, 8.0, 0.50)),
            },
            output_field="max_completion_tokens",
        ),
        Provider(
            "gemini",
            "https://generativelanguage.googleapis.com/v1beta/openai",
            "GEMINI_API_KEY",
            "gemini-3.8-flash",
            models={
                # Half of this until the end of 2026.
                "gemini-3.8-flash": _sees(1_048_576, 32_000, Price(1.5, 7.5, 0.15), documents=False),
                "gemini-3.6-flash": _sees(1_048_576, 32_000, Price(1.5, 7.5, 0.15), documents=False),
                "gemini-3.5-flash-lite": _sees(1_048_576, 32_000, Price(0.30, 2.50, 0.03), documents=False),
            },
        ),
        Provider(
            "openrouter",
            "https://openrouter.ai/api/v1",
            "OPENROUTER_API_KEY",
            "anthropic/claude-sonnet-5.5",
            models={
                "anthropic/claude-sonnet-5.5": _sees(1_000_000, 16_000, Price(2.0, 10.0, 0.10)),
                "openai/gpt-6.1-terra": _sees(272_000, 16_000, Price(1.0, 5.0, 0.05)),
            },
            check_path="/key",
        ),
        Provider(
            "mistral",
            "https://api.mistral.ai/v1",
            "MISTRAL_API_KEY",
            "mistral-medium-latest",
            models={"mistral-medium": _sees(256_000, 16_000, Price(1.5, 7.5, 1.5), documents=False)},
            strict_history=True,
        ),
        Provider(
            "deepseek",
            "https://api.deepseek.com",
            "DEEPSEEK_API_KEY",
            "deepseek-flash",
            # The price of the busy hours; it is half of this in the others.
            models={
                "deepseek-flash": _model(1_000_000, 32_000, Price(0.30, 1.20, 0.006)),
                "deepseek-v4-pro": _model(1_000_000, 32_000, Price(1.32, 3.96, 0.044)),
            },
        ),
        Provider(
            "groq",
            "https://api.groq.com/openai/v1",
            "GROQ_API_KEY",
            "openai/gpt-oss-120b",
            models={
                "openai/gpt-oss-120b": _model(131_072, 16_000, Price(0.15, 0.60, 0.15)),
                "openai/gpt-oss-20b": _model(131_072, 16_000, Price(0.075, 0.30, 0.075)),
            },
            output_field="max_completion_tokens",
        ),
        Provider(
            "xai",
            "https://api.x.ai/v1",
            "XAI_API_KEY",
            "grok-4.5",
            models={"grok-4.5": _sees(200_000, 32_000, Price(2.0, 6.0, 0.50), documents=False)},
        ),
        Provider("ollama", "http://127.0.0.1:11434/v1", local=True),
        Provider("lmstudio", "http://127.0.0.1:1234/v1", local=True),
    )
}
"""By name, in the order in which the default is looked for."""

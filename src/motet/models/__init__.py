"""Everything that answers: the `Model` protocol, providers over HTTP, and models inside this process.

`choose` gives the model for a name, `list_models` what can be used now and why the rest cannot. A model takes a
`ModelRequest` and streams `ModelEvent`s; each provider maps the neutral conversation to its own protocol and back.
Adding a protocol means a file in `providers/`; adding a provider that speaks a known one means a line in its table.
`motet.models.scripted` and `motet.models.replay` are for tests, demonstrations and reports.
"""

from motet.models.catalog import Candidate, check_key, choose, list_models
from motet.models.config import ModelConfig, ProviderConfig
from motet.models.parts import unseen
from motet.models.protocol import (
    Completed,
    Destination,
    Limits,
    Model,
    ModelEvent,
    ModelRequest,
    Price,
    ReasoningDelta,
    Retrying,
    TextDelta,
    ToolCallDelta,
    ToolDefinition,
    Usage,
)

__all__ = [
    "Candidate",
    "Completed",
    "Destination",
    "Limits",
    "Model",
    "ModelConfig",
    "ModelEvent",
    "ModelRequest",
    "Price",
    "ProviderConfig",
    "ReasoningDelta",
    "Retrying",
    "TextDelta",
    "ToolCallDelta",
    "ToolDefinition",
    "Usage",
    "check_key",
    "choose",
    "list_models",
    "unseen",
]

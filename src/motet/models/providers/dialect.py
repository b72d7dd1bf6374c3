"""What a provider's protocol is to the rest of this package: a body for a request, a decoder for the answer. No I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from motet.errors import ModelErrorKind
from motet.models.protocol import Completed, ModelEvent, ModelRequest


class AnswerFault(Exception):
    """Inside an answer the provider reports a failure, or says what cannot be understood.

    Never leaves this package: `HttpModel` turns it into a `ModelError` that names the provider.
    """

    def __init__(self, kind: ModelErrorKind, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail


class Decoder(Protocol):
    """One answer while it streams."""

    @property
    def finished(self) -> bool:
        """The provider has said how the answer ends: it is whole, whatever happens to the connection."""
        ...

    @property
    def closed(self) -> bool:
        """The end marker has come: nothing follows."""
        ...

    def feed(self, data: str) -> Iterator[ModelEvent]:
        """The events that one server-sent event stands for. Raises `AnswerFault`, after what came before it."""
        ...

    def complete(self) -> Completed:
        """The last event of an answer that is `finished`. Raises `AnswerFault` when the answer is not usable."""
        ...


class Dialect(Protocol):
    """A provider's protocol together with what was learnt about one server. Immutable."""

    @property
    def path(self) -> str:
        """Where requests go, below the base address."""
        ...

    @property
    def models_path(self) -> str:
        """Where the models are listed, below the base address."""
        ...

    def headers(self, key: str) -> dict[str, str]:
        """Headers of every request; `key` is empty when the server needs none."""
        ...

    def body(self, request: ModelRequest) -> Mapping[str, object]:
        """The JSON body of `request`."""
        ...

    def decoder(self) -> Decoder:
        """A decoder for one answer."""
        ...

    def adapt(self, status: int, text: str, request: ModelRequest) -> Dialect | None:
        """The dialect to try instead, after this server refused `request` for a part that can be left out.

        None when it is refused for something else, or when that part was left out already.
        """
        ...

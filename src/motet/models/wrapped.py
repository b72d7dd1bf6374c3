"""What every model that stands before another one has in common."""

from __future__ import annotations

from motet.models.protocol import Destination, Limits, Model, Price


class Wrapped:
    """Name, limits, price and destination of `model`, as they are at each moment. What is added is a `stream`."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """See `Model`."""
        return self._model.name

    @property
    def limits(self) -> Limits:
        """See `Model`."""
        return self._model.limits

    @property
    def price(self) -> Price | None:
        """See `Model`."""
        return self._model.price

    @property
    def destination(self) -> Destination:
        """See `Model`."""
        return self._model.destination

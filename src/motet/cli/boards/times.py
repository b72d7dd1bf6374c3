"""Times that people type and read: in the time zone of this machine."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import click

_AGO = re.compile(r"(\d{1,6})\s*([smhdw])(?: ago)?\Z")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)\Z")


def parse_when(text: str, now: datetime) -> float:
    """Seconds since 1970 of `text`: `2h`, `today`, `yesterday`, `18:00` (of today), or a date and time in ISO 8601.
    Without an offset the zone of `now` is meant. Raises `ValueError`."""
    plain = text.strip().lower()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if found := _AGO.match(plain):
        try:
            return (now - timedelta(**{_UNITS[found[2]]: int(found[1])})).timestamp()
        except OverflowError as error:
            raise ValueError(text) from error
    if plain in ("today", "yesterday"):
        return (midnight - timedelta(days=plain == "yesterday")).timestamp()
    if found := _CLOCK.match(plain):
        return midnight.replace(hour=int(found[1]), minute=int(found[2])).timestamp()
    moment = datetime.fromisoformat(text.strip())
    return (moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)).timestamp()


class When(click.ParamType[float]):
    """A point in time on the command line; see `parse_when`."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """See `click.ParamType`."""
        if isinstance(value, float):
            return value
        try:
            return parse_when(str(value), datetime.now().astimezone())
        except (ValueError, OverflowError):
            self.fail(f"{value!r} is no time; write 2h, 3d, today, 18:00, 2026-01-11 or 2026-01-11T18:00", param, ctx)


def local(at: float) -> str:
    """`2026-01-11 18:00:00`, in the zone of this machine."""
    return datetime.fromtimestamp(at, UTC).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def iso(at: float | None) -> str | None:
    """`2026-01-11T18:00:00.000+00:00`, for programs."""
    return None if at is None else datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")

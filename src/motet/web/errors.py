"""Why a page could not be had."""

from __future__ import annotations

from enum import StrEnum

from motet.errors import MotetError


class FetchErrorKind(StrEnum):
    """What went wrong, in the words that a user and a caller need."""

    ADDRESS = "address"
    """The address is malformed, or leads to a place that is not fetched from."""
    BLOCKED = "blocked"
    NOT_FOUND = "not_found"
    TOO_BIG = "too_big"
    TIMEOUT = "timeout"
    NOT_TEXT = "not_text"
    NETWORK = "network"
    """No connection, one that broke, or an answer that is none."""


class FetchError(MotetError):
    """A page could not be fetched or read; `status` is the HTTP status where there was one."""

    def __init__(self, message: str, kind: FetchErrorKind, *, status: int | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.status = status

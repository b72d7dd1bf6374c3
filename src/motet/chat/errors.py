"""What a chat refuses, with nothing lost: the draft is as it was, and no request was sent."""

from __future__ import annotations

from motet.errors import ExitCode, MotetError, UsageError


class NothingToSend(UsageError):
    """The draft is empty and nothing is attached."""


class Cancelled(MotetError):
    """A hook of the user's own did not let the text be sent."""


class ReadOnly(MotetError):
    """Another process holds the chat; it can be read here, or forked."""


class TooLong(MotetError):
    """The request would not fit the model's window, whatever is left out. Names the biggest items."""

    exit_code = ExitCode.MODEL


class CannotChange(UsageError):
    """What a human changed in the form of a request cannot be: names the line. Nothing has changed."""

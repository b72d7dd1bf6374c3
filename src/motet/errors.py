"""The tree of errors. Each says what happened, where, and what the user can do.

    MotetError
    ├── UsageError                 the command line or a setting cannot be understood        (exit 2)
    │   └── SettingsError          a settings file or variable has a wrong value
    ├── WorkspaceError             a file cannot be read or written as asked                 (exit 1)
    │   ├── FileMissing            there is no such file
    │   ├── OutsideWorkspace       the path leaves the workspace (.., symlink, absolute)
    │   ├── NotText                the file is binary or its encoding is unknown
    │   ├── FileTooLarge           the file is larger than the limit
    │   ├── StaleFile              the file changed since it was read
    │   └── UndoRefused            a checkpoint cannot be restored without losing newer work
    ├── InputError                 what was given to a command to work on cannot be used     (exit 3)
    ├── EditFormatError            an answer holds an edit that cannot be understood; names the line
    │   └── NoEdits                nothing in an answer is an edit                            (exit 3)
    ├── ProcessError               a child process could not be started or did not answer
    │   └── ServerError            a language server died, hung or wrote garbage
    ├── ModelError                 a model or its provider failed; `kind` says how           (exit 3)
    └── PermissionDenied           a rule, a grant or the human said no                      (exit 4)

A front end prints `str(error)`, one line; the log has the rest. Nothing else is raised on purpose.
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar


class ExitCode:
    """Exit codes of every command (`design: Ground rules`)."""

    DONE = 0
    PROBLEMS_REMAIN = 1
    USAGE = 2
    MODEL = 3
    PERMISSION = 4
    BUG = 70
    INTERRUPTED = 130


class MotetError(Exception):
    """Base of all errors raised on purpose. `exit_code` is what the command line returns for it."""

    exit_code: ClassVar[int] = ExitCode.PROBLEMS_REMAIN


class UsageError(MotetError):
    """The command line or a setting cannot be understood."""

    exit_code = ExitCode.USAGE


class SettingsError(UsageError):
    """A settings file or an environment variable holds a wrong value; the message names both."""


class WorkspaceError(MotetError):
    """A file of the workspace cannot be read or written as asked."""


class FileMissing(WorkspaceError):
    """There is no such file."""


class OutsideWorkspace(WorkspaceError):
    """The path leaves the workspace: absolute, `..`, or through a link."""


class NotText(WorkspaceError):
    """The file is binary, or its bytes do not fit the encoding it declares."""


class FileTooLarge(WorkspaceError):
    """The file is larger than motet reads."""


class StaleFile(WorkspaceError):
    """The file on disk is not the one that was read: someone else wrote it meanwhile."""


class UndoRefused(WorkspaceError):
    """A file changed since the checkpoint; restoring it would lose that change."""


class InputError(MotetError):
    """What was given to a command to work on (an answer, a log) cannot be used; the message says why."""

    exit_code = ExitCode.MODEL


class EditFormatError(MotetError):
    """A model's answer holds an edit that cannot be understood; `line` is 1-based in the answer."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


class NoEdits(EditFormatError):
    """Nothing in a model's answer is an edit: it is prose, or in no form that is known."""

    exit_code = ExitCode.MODEL


class ProcessError(MotetError):
    """A child process could not be started, or did not answer in time."""


class ServerError(ProcessError):
    """A language server died, hung or wrote garbage."""


class ModelErrorKind(StrEnum):
    """What went wrong with a model, in the words a user and a retry rule need."""

    AUTH = "auth"
    QUOTA = "quota"
    OVERLOADED = "overloaded"
    CONTEXT_TOO_LONG = "context_too_long"
    NETWORK = "network"
    REFUSED = "refused"
    BAD_RESPONSE = "bad_response"


class ModelError(MotetError):
    """A model or its provider failed.

    `retry_after` is in seconds when the provider named a time; `status` is the HTTP status.
    """

    exit_code = ExitCode.MODEL

    def __init__(
        self,
        message: str,
        kind: ModelErrorKind,
        *,
        provider: str = "",
        status: int | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.provider = provider
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after


class PermissionDenied(MotetError):
    """A rule, a missing grant or the human said no; the message says which and what would allow it."""

    exit_code = ExitCode.PERMISSION

"""What can be wrong with boards.

MotetError
└── BoardError         the boards cannot be opened, read or written as asked                (exit 1)
    ├── BoardTooNew    they were written by a newer motet
    ├── BoardMoved     they are somewhere else now
    ├── BoardLost      the server went away, or another process has the writers' turn and keeps it
    ├── BoardMissing   there is no such board, post or delivery
    ├── AgentMissing   there is no such agent
    └── BoardRefused   a rule of the board, a limit or somebody else's lease says no        (exit 4)
"""

from __future__ import annotations

from motet.errors import ExitCode, MotetError
from motet.storage.worker import StoreGone


class BoardError(MotetError):
    """The boards cannot be opened, read or written as asked."""


class BoardTooNew(BoardError):
    """They were written by a newer motet; they are left as they are."""


class BoardMoved(BoardError):
    """They are somewhere else now, which the message names."""


class BoardLost(BoardError, StoreGone):
    """The server went away and did not come back in time, or another process has the writers' turn and keeps it. The
    message says so when what was being stored may be there: a post with a key can be sent again."""


class BoardMissing(BoardError):
    """There is no such board, post or delivery."""


class AgentMissing(BoardError):
    """There is no such agent."""


class BoardRefused(BoardError):
    """A rule of the board, a limit or somebody else's lease says no; the message says which and what to do."""

    exit_code = ExitCode.PERMISSION

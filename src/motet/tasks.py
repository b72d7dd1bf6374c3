"""Work that goes on beside: what is raised in it reaches the loop's exception handler at once, and so a log and the human.

A task that somebody awaits hands its exception to them; `asyncio.create_task` is right for those. One that is only kept,
waited for with `asyncio.wait`, or forgotten would take it to its grave.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_running: set[asyncio.Task[Any]] = set()
"""The loop itself holds its tasks weakly."""


def background(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Start `work` in a task whose exception is reported, whoever awaits it or not."""
    task = asyncio.create_task(work)
    _running.add(task)
    task.add_done_callback(_done)
    return task


def report(error: BaseException, task: asyncio.Task[Any] | None = None) -> None:
    """Hand what nobody else will hear of to the exception handler of the running loop."""
    context = {"message": "exception in a task", "exception": error, "task": task}
    asyncio.get_running_loop().call_exception_handler(context)


def on_failure(tell: Callable[[BaseException], None]) -> None:
    """Have `tell` get whatever is raised from now on in tasks and callbacks of the running loop, and caught by nobody."""

    def failed(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, BaseException):
            tell(error)
        else:  # asyncio's own remarks
            loop.default_exception_handler(context)

    asyncio.get_running_loop().set_exception_handler(failed)


def _done(task: asyncio.Task[Any]) -> None:
    _running.discard(task)
    if not task.cancelled() and (error := task.exception()) is not None:
        report(error, task)

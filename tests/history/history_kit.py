"""Messages with something in every field; a process that writes chats and can be killed at any step.

As a program (`python history_kit.py STATE statements|bytes NUMBER`) it runs `SCRIPT` in STATE, with a line on standard
output after each step that was acknowledged, and kills itself before its NUMBERth statement, or while the file or its
log grows beyond NUMBER bytes.
"""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from motet.history import ChatInfo, History, StoredChat
from motet.messages import (
    ContextRef,
    Document,
    Image,
    Message,
    MessageStack,
    Meta,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
    tags,
)

CHAT = "01J00000000000000000000000"
OTHER = "01J00000000000000000000001"
FORK = "01J00000000000000000000002"


def full_message(role: Role = Role.ASSISTANT) -> Message:
    """Every field set; calls as an assistant has them."""
    return Message(
        role,
        (
            Text("text with 日本語, \x00, \u2028 and \ud800"),
            Image(bytes(range(256)), "image/png", "図.png"),
            Document(b"%PDF\xff", "application/pdf", "a.pdf", "plain text"),
            Text(""),
        ),
        reasoning=(
            Reasoning("thought", {"signature": "abc", "index": 1, "raw": b"\x00\xff", "deep": {"list": [1, None, 1.5]}}),
            Reasoning("", {}),
        ),
        calls=(ToolCall("call_1", "read_file", '{"path": "a.py"}'), ToolCall("call_2", "grep", "{not json")),
        result=ToolResult("call_0", "edit", is_error=True),
        typed="what was #typed",
        context=ContextRef("<file>src/a.py</file>", "/w/src/a.py", "https://example.invalid/a", "text/x-python"),
        visible=False,
        meta=Meta(
            id=CHAT, cycle=3, tag=tags.FILE, source="/file", estimated_tokens=12, reported_tokens=10, sent=True, partial=True,
            compacted=True,
        ),
    )  # fmt: skip


def asked(name: str, cycle: int = 1) -> Message:
    """What a user says, its id made of `name`."""
    return Message(Role.USER, (Text(f"question {name}"),), meta=Meta(id=f"id-{name}", cycle=cycle))


def answered(name: str, *calls: ToolCall, cycle: int = 1) -> Message:
    """What a model says."""
    return Message(Role.ASSISTANT, (Text(f"answer {name}"),), calls=calls, meta=Meta(id=f"id-{name}", cycle=cycle))


def call(name: str) -> ToolCall:
    """A call with this id."""
    return ToolCall(name, "read_file", "{}")


def resulted(name: str, call_id: str) -> Message:
    """The result of a call."""
    meta = Meta(id=f"id-{name}", cycle=1, tag=tags.TOOL_OUTPUT)
    return Message(Role.TOOL, (Text(f"result {name}"),), result=ToolResult(call_id, "read_file"), meta=meta)


def said(chat: StoredChat) -> list[str]:
    """The texts of a chat; raises `ValueError` when its messages are no valid stack."""
    return [message.text for message in MessageStack(*chat.messages)]


def script(history: History) -> list[tuple[str, Callable[[], Awaitable[object]]]]:
    """Named steps that go through everything that is stored."""
    changed = Message(Role.USER, (Text("question 1, changed"),), meta=Meta(id="id-q1", cycle=1))
    return [
        ("create", lambda: history.create(ChatInfo(id=CHAT, title="one", workspace="/w"))),
        ("ask", lambda: history.append(CHAT, [asked("q1")])),
        ("draft", lambda: history.set_draft(CHAT, "draft")),
        ("begin", lambda: history.partial(CHAT, answered("a1"))),
        ("call", lambda: history.settle(CHAT, answered("a1", call("c1"), call("c2")))),
        ("results", lambda: history.append(CHAT, [resulted("r1", "c1"), resulted("r2", "c2")])),
        ("replace", lambda: history.replace(CHAT, changed)),
        ("begin again", lambda: history.partial(CHAT, answered("a2"))),
        ("give up", lambda: history.settle(CHAT)),
        ("many", lambda: history.append(CHAT, [asked(f"m{n} {'long ' * 1200}", 2) for n in range(8)])),
        ("remove", lambda: history.remove(CHAT, ["id-q1"])),
        ("fork", lambda: history.fork(CHAT, None, FORK)),
        ("rename", lambda: history.rename(CHAT, "two")),
        ("delete", lambda: history.delete(FORK)),
        ("purge", lambda: history.purge(FORK)),
        ("last", lambda: history.append(CHAT, [asked("last", 3)])),
    ]


def run_killed(state: Path, how: str, number: int) -> tuple[list[str], bool]:
    """The steps that a process acknowledged before it killed itself, and whether it did; it may come to its end."""
    program = [sys.executable, __file__, str(state), how, str(number)]
    done = subprocess.run(program, capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, -signal.SIGKILL, -signal.SIGXFSZ), done.stderr
    return done.stdout.splitlines(), done.returncode != 0


async def _run(state: Path, how: str, number: int) -> None:
    history = History.open(state)
    if how == "statements":
        _kill_before_statement(number)
    steps = script(history)
    for at, (name, step) in enumerate(steps):
        await step()
        os.write(1, f"{name}\n".encode())
        if at == 0 and how == "bytes":
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # a write beyond the limit is the last thing that happens
            resource.setrlimit(resource.RLIMIT_FSIZE, (number, number))
    await history.close()


def _kill_before_statement(number: int) -> None:
    left = number
    connect = sqlite3.connect

    def count(_: str) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def counted(*args: object, **options: object) -> sqlite3.Connection:
        connection = connect(*args, **options)
        connection.set_trace_callback(count)
        return connection

    sqlite3.connect = counted


if __name__ == "__main__":
    asyncio.run(_run(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))

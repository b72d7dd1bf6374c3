"""Boards of a workspace: which store, which project, who the human is."""

from __future__ import annotations

import asyncio
import getpass
import os
import re
import socket
from collections.abc import Callable, Mapping
from pathlib import Path

from motet.board import AgentKind, BoardError, Boards, Limits, NewAgent, Policy
from motet.board.addresses import LONGEST_NAME, RESERVED, look
from motet.board.server_url import ServerUrl
from motet.errors import SettingsError
from motet.git import main_work_tree
from motet.models.keys import KeySource
from motet.settings import BoardSettings

_NO_NAME = re.compile(r"[^\w-]+|_")


def open_boards(settings: BoardSettings, state: Path) -> Boards:
    """The boards that the settings name. Nothing is opened before it is used. Raises `SettingsError`."""
    limits = limits_of(settings)
    if not settings.url:
        return Boards.in_directory(state, limits)
    return Boards.on_server(server_of(settings), limits, password_of(settings, os.environ))


def server_of(settings: BoardSettings) -> str:
    """The URL of the server. Raises `SettingsError` when none is set, or it is no URL of one."""
    if not settings.url:
        raise SettingsError('board.url names no server; set it, as in board.url = "postgresql://USER@HOST/DATABASE"')
    try:
        ServerUrl.of(settings.url)
    except BoardError as error:
        raise SettingsError(f"board.url: {error}") from None
    return settings.url


def password_of(settings: BoardSettings, environ: Mapping[str, str]) -> Callable[[], str] | None:
    """Asks for the password of the server, in a thread without an event loop; None: the driver knows where to look.
    Raises `SettingsError`; what it returns raises `MotetError`."""
    if not settings.password:
        return None

    def source() -> KeySource:
        return KeySource(settings.password, environ, "board", name="board.password")

    source()  # what cannot be is told at once

    def password() -> str:
        secret = asyncio.run(source().get())  # looked up each time: it may have been changed
        return secret.reveal() if secret is not None else ""

    return password


def limits_of(settings: BoardSettings) -> Limits:
    """What agents may do."""
    return Limits(
        hops=settings.hops,
        tokens=settings.max_tokens,
        cost=settings.max_cost,
        seconds=settings.max_minutes * 60.0,
        agent_posts=settings.agent_posts,
        pair_posts=settings.pair_posts,
        board_posts=settings.board_posts,
        alone=settings.alone_posts,
        agent_posts_per_day=settings.agent_posts_per_day,
        board_posts_per_day=settings.board_posts_per_day,
        alert=settings.alert_posts,
        request_seconds=settings.request_minutes * 60.0,
        agent_tokens_per_day=settings.agent_tokens_per_day,
        agent_cost_per_day=settings.agent_cost_per_day,
        board_tokens_per_day=settings.board_tokens_per_day,
        board_cost_per_day=settings.board_cost_per_day,
        forget_days=settings.forget_days,
    )


def project_of(settings: BoardSettings, root: Path) -> str:
    """Under which name the boards of the workspace `root` are kept: all work trees of a repository have the same. On a
    server, where others have it elsewhere, the name of its directory."""
    if settings.project:
        return settings.project
    main = main_work_tree(root) or root
    return main.name if settings.url else str(main)


def human(settings: BoardSettings) -> NewAgent:
    """The human in front of this process; the same one wherever that user sits down on this machine."""
    user = _user()
    name = usable_name(settings.name or user, "me")
    return NewAgent(name, AgentKind.HUMAN, f"{user}@{socket.gethostname()}", policy=Policy.NEVER)


def usable_name(text: str, otherwise: str) -> str:
    """A name for boards that is as near to `text` as can be; `otherwise` where nothing of it can be one."""
    name = _NO_NAME.sub("-", text).strip("-")[:LONGEST_NAME].rstrip("-")
    return name if name and look(name) not in map(look, RESERVED) else otherwise


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"user-{os.getuid()}"

"""A project with a scripted provider, and an editor in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from cli.kit import MAY_SEND, Project, Provider, provider_for
from nvim.board_kit import Store, Writer, Writers
from nvim.nvim_kit import Editor, editor


@pytest.fixture
def project(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    return Project(root, home)


@pytest.fixture
def provider(project: Project) -> Iterator[Callable[..., Provider]]:
    """`provider([answer, …])`: a provider that is set up for the project, which may be sent to."""
    with ExitStack() as stack:

        def start(script: Any, **settings: Any) -> Provider:
            more = MAY_SEND + "[chat]\ntitles = false\n"
            return stack.enter_context(provider_for(project, script, more=more, **settings))

        yield start


@pytest.fixture
def vim(project: Project) -> Iterator[Editor]:
    with editor() as found:
        yield found


@pytest.fixture
def store(project: Project) -> Store:
    """The board `general`, looked at from outside."""
    return Store(project)


@pytest.fixture
def writer(project: Project) -> Iterator[Writers]:
    """`writer(name)`: an agent in a process of its own."""
    with ExitStack() as stack:
        yield lambda name: stack.enter_context(closing(Writer(project, name)))

"""A project and its user."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from cli.kit import MAY_SEND, Project, Provider, provider_for

from motet.models.scripted.answers import Answering, Step


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Project:
    """An empty project; its user has no settings."""
    root = tmp_path / "project"
    root.mkdir()
    return Project(root, home)


@pytest.fixture
def provider(project: Project) -> Iterator[Callable[..., Provider]]:
    """`provider([answer, …])`: a provider that is set up for the project, which may be sent to."""
    with ExitStack() as stack:

        def start(
            script: Sequence[Step] | Answering, *, repeat: bool = False, more: str = MAY_SEND, **settings: Any
        ) -> Provider:
            return stack.enter_context(provider_for(project, script, repeat=repeat, more=more, **settings))

        yield start

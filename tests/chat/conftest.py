"""Every test of a turn runs against all dialects, and once through pydantic-ai."""

from __future__ import annotations

import pytest


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "dialect" in metafunc.fixturenames:
        metafunc.parametrize("dialect", ["anthropic", "openai", "openai-responses", "pydantic-ai"])

"""What a file is for, by its name."""

import pytest

from motet.index.standing import standing


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("lua/lazy/core/config.lua", "source"),
        ("config/config.go", "source"),
        ("packages/vite/src/node/config.ts", "source"),
        ("sphinx/config.py", "source"),
        ("src/config.c", "source"),
        ("build-aux/config.guess", "build"),
        ("config.sub", "build"),
        ("config.rpath", "build"),
        ("config.h.in", "build"),
        ("configure", "build"),
        ("setup.py", "build"),
        ("doc/tool.1", "docs"),
    ],
)
def test_only_files_of_builds_count_as_such(path: str, wanted: str) -> None:
    assert standing(path, "source") == wanted


def test_what_is_no_source_stays_what_it_is() -> None:
    assert standing("config.toml", "data") == "data"

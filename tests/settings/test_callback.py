"""Functions of the user's own that settings name."""

from __future__ import annotations

from pathlib import Path

import pytest

from motet.errors import SettingsError
from motet.paths import config_dir
from motet.settings.callback import load


@pytest.mark.acceptance("S0-079")
def test_a_file_is_meant_from_the_directory_of_the_settings() -> None:
    config_dir().mkdir(parents=True)
    (config_dir() / "mine.py").write_text("def seven() -> str:\n    return '7'\n")
    assert load("mine.py:seven", "variables.seven.callback")() == "7"
    assert load("mine.py:seven", "variables.seven.callback") is load("mine.py:seven", "x")


def test_a_file_that_is_not_there_names_the_setting(tmp_path: Path) -> None:
    path = tmp_path / "none.py"
    with pytest.raises(SettingsError) as refused:
        load(f"{path}:f", "tools.own.f.callback")
    assert str(refused.value) == (
        f"tools.own.f.callback: {path}:f cannot be loaded: FileNotFoundError: [Errno 2] No such file or directory: "
        f"'{path}'"
    )


def test_an_error_in_the_file_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("import os\n1 / 0\n")
    with pytest.raises(SettingsError) as refused:
        load(f"{path}:f", "commands.f.callback")
    assert str(refused.value) == (
        f"commands.f.callback: {path}:f cannot be loaded: ZeroDivisionError: division by zero ({path}, line 2)"
    )

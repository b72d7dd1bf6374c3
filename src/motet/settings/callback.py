"""Functions of the user's own that settings name, and what is said when one of them fails."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from collections.abc import Callable
from types import ModuleType

from motet.errors import SettingsError
from motet.paths import config_dir

Function = Callable[..., object]


def load(reference: str, setting: str) -> Function:
    """The function that `package.module:function` or `my_tools.py:function` names; a file is meant from the directory
    of the user's settings. Raises `SettingsError`, which names `setting`."""
    place, colon, name = reference.rpartition(":")
    if not (place.strip() and colon and name.strip()):
        raise SettingsError(
            f"{setting}: {reference!r} names no function; write package.module:function or file.py:function"
        )
    try:
        found: object = _module(place.strip())
        for part in name.strip().split("."):
            found = getattr(found, part)
    except (Exception, SystemExit) as error:  # a user's module may raise anything while it is imported
        raise SettingsError(f"{setting}: {reference} cannot be loaded: {describe(error)}") from error
    if not callable(found):
        raise SettingsError(f"{setting}: {reference} is no function but {type(found).__name__}")
    return found


def describe(error: BaseException, function: Function | None = None) -> str:
    """`ValueError: no such ticket (/home/me/my_tools.py, line 12)`: the innermost line of the file of `function`, else
    the innermost of all."""
    try:
        said = " ".join(str(error).split())
    except Exception:  # noqa: BLE001 (an error of a user's own may be broken itself)
        said = ""
    return f"{type(error).__name__}{f': {said}' if said else ''}{_line(error, function)}"


def _module(place: str) -> ModuleType:
    if not place.endswith(".py"):
        return importlib.import_module(place)
    path = config_dir() / os.path.expanduser(place)  # noqa: PTH111 (an absolute one takes the place of all)
    name = f"motet_user_{path.stem}_{abs(hash(str(path)))}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules[name] = module
    return module


def _line(error: BaseException, function: Function | None) -> str:
    if isinstance(error, SyntaxError) and error.filename:
        return f" ({error.filename}, line {error.lineno})"
    frames = traceback.extract_tb(error.__traceback__)
    code = getattr(inspect.unwrap(function), "__code__", None) if function else None
    own = [frame for frame in frames if code is not None and frame.filename == code.co_filename]
    machinery = ("<frozen ", importlib.__file__, __file__)
    frame = (own or [frame for frame in frames if not frame.filename.startswith(machinery)] or [None])[-1]
    return f" ({frame.filename}, line {frame.lineno})" if frame else ""

"""The arguments of a tool call, under the names that models really use for them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from motet.edits.formats.json_value import Json
from motet.errors import EditFormatError

PATH_NAMES = frozenset(
    [
        "path",
        "file_path",
        "filePath",
        "filepath",
        "file",
        "filename",
        "file_name",
        "fileName",
        "target_file",
        "targetFile",
        "relative_path",
    ]
)
LIST_NAMES = frozenset(("edits", "replacements", "changes"))


class Arguments:
    """One object of a call. `where` names it in messages, `line` is the 1-based line where it begins; every method
    raises `EditFormatError` for a value that is not what it should be, or one given twice under two names."""

    def __init__(self, values: Mapping[str, Json], where: str, line: int) -> None:
        self._values = values
        self._where = where
        self._line = line

    def has(self, names: Collection[str]) -> bool:
        """Whether one of `names` is given, and not null."""
        return any(self._values.get(name) is not None for name in names)

    def value(self, names: Collection[str]) -> Json:
        """What is given under one of `names`; None without."""
        found = [(name, value) for name, value in self._values.items() if name in names and value is not None]
        if any(value != found[0][1] for _, value in found):
            raise self.error(f"{found[0][0]!r} and {found[1][0]!r} are both given and differ")
        return found[0][1] if found else None

    def text(self, names: Collection[str], default: str | None = None, *, called: str = "path") -> str:
        """The string under one of `names`; without, `default`, or an error that asks for `called`."""
        value = self.value(names)
        if isinstance(value, str):
            return value
        if value is not None:
            raise self.error(f"{self._name(names)!r} has to be a string")
        if default is None:
            raise self.error(f"{called!r} is missing")
        return default

    def flag(self, names: Collection[str]) -> bool:
        """The truth value under one of `names`, false without."""
        match self.value(names):
            case bool() as value:
                return value
            case None | 0 | "" | "false" | "False" | "0":
                return False
            case 1 | "true" | "True" | "1":
                return True
            case _:
                raise self.error(f"{self._name(names)!r} has to be true or false")

    def _name(self, names: Collection[str]) -> str:
        """The name under which the first of them is given."""
        return next((name for name, value in self._values.items() if name in names and value is not None), "")

    def error(self, what: str) -> EditFormatError:
        """What is wrong with these arguments."""
        return EditFormatError(f"line {self._line}: {self._where}: {what}", self._line)

"""The tools that come with motet, one module each."""

from motet.tools.builtin.replace_in_file import ReplaceInFile

__all__ = ["ReplaceInFile"]

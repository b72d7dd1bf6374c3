"""Checkers: any command whose output names `file:line[:column]: message`, or one of the JSON forms it knows.

`Checker.from_text` makes one from what a user typed, `parse` is the pure function from output to diagnostics.
"""

from motet.diagnostics.checkers.checker import Checker
from motet.diagnostics.checkers.parse import UNDERSTOOD, parse

__all__ = ["UNDERSTOOD", "Checker", "parse"]

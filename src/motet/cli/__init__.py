"""The command line: thin commands over the engine. stdout is data; everything for people goes to stderr."""

from motet.cli.app import run

__all__ = ["run"]

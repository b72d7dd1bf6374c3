"""A project and its user, as commands have them."""

from cli.conftest import project

__all__ = ["project"]

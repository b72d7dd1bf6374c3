"""The composition root: settings become a wired engine for one workspace. Front ends need nothing else."""

from motet.engine.chats import Chats, Front
from motet.engine.engine import Engine, load

__all__ = ["Chats", "Engine", "Front", "load"]

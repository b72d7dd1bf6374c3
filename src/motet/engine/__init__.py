"""The composition root: settings become a wired engine for one workspace. Front ends need nothing else."""

from motet.engine.engine import Engine, load

__all__ = ["Engine", "load"]

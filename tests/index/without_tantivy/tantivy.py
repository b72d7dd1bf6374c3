"""Stands before the real one on the path of a process that must do without it."""

raise ImportError("no tantivy on this machine")

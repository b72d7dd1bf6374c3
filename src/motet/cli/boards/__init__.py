"""Boards on the command line: what `motet board` and `motet agents` share, and what their commands do."""

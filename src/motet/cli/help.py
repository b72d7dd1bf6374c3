"""How a group of commands shows what it holds: each summary whole, over as many lines as it takes."""

from __future__ import annotations

import click

_WHOLE = 10_000
"""Characters below which a summary is not cut."""


class Group(click.Group):
    """A group whose list of commands has whole sentences."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """See `click.Group`."""
        named = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        rows = [
            (name, command.get_short_help_str(_WHOLE).removesuffix("."))
            for name, command in named
            if command is not None and not command.hidden
        ]
        with formatter.section("Commands"):
            formatter.write_dl([(name, f"{summary}.") for name, summary in rows])

"""`motet nvim`."""

from __future__ import annotations

import os
import stat
import sys

import click

from motet.errors import UsageError


@click.command("nvim")
def command() -> int:
    """Serve the Neovim that started this, over standard input and output (`:help motet`).

    \b
    Examples:
      :Motet        in Neovim, which starts it
    """
    kind = os.fstat(sys.stdin.fileno()).st_mode
    if not (stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind)):
        raise UsageError("this is started by the plugin in Neovim; type :Motet there")
    from motet.nvim.host import main

    return main()

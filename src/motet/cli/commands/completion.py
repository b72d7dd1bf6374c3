"""`motet completion`."""

from __future__ import annotations

from importlib.resources import files

import click

from motet.cli.output import write_line


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print what lets a shell complete motet's commands.

    \b
    Examples:
      eval "$(motet completion bash)"        in ~/.bashrc
      eval "$(motet completion zsh)"         in ~/.zshrc, behind compinit
      motet completion fish > ~/.config/fish/completions/motet.fish

    TAB then completes commands, options, models, chats, boards, prompts and paths. It only reads what is on this
    machine: nothing is started or written, and no model's server is asked.
    """
    write_line(files("motet.cli.completion").joinpath(f"motet.{shell}").read_text("utf-8").rstrip("\n"))

"""The command group: each command is imported when it is called, and every error ends in one line and a code."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from motet import __version__
from motet.errors import ExitCode, MotetError

_COMMANDS = {
    "fix": "Fix what compilers and linters complain about, reviewed hunk by hunk.",
    "undo": "Take back what motet wrote; undo again to have it back.",
    "models": "List the models that can be used now, and why others cannot.",
    "doctor": "Check servers, models, keys and places on this machine.",
    "config": "Show or edit the settings, with the origin of each value.",
    "trust": "Let motet use what this project defines: its tools and commands.",
}


class _Group(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        return import_module(f"motet.cli.commands.{cmd_name}").command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(
    cls=_Group,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 problems remain, 2 usage, 3 model failed, 4 not permitted, 130 interrupted.",
)
@click.version_option(__version__, message="motet %(version)s")
def group() -> None:
    """An AI pair programmer that lives where the code is.

    \b
    Examples:
      motet fix                 fix the workspace, reviewing each change
      motet fix src --dry-run   show what would be changed
      motet undo                take the last run back
    """


def run(arguments: Sequence[str]) -> int:
    """Run one command line; returns its exit code, having said on stderr what went wrong."""
    try:
        result: object = group.main(list(arguments), prog_name="motet", standalone_mode=False)
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.Abort:
        return _say("interrupted", ExitCode.INTERRUPTED)
    except click.ClickException as error:
        error.show(sys.stderr)
        return ExitCode.USAGE
    except MotetError as error:
        return _say(str(error), error.exit_code)
    except KeyboardInterrupt:
        return _say("interrupted", ExitCode.INTERRUPTED)
    except BrokenPipeError:
        # The reader of stdout has gone; nobody is left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    return result if isinstance(result, int) else ExitCode.DONE


def _say(text: str, code: int) -> int:
    from motet.cli.visible import visible

    print(f"motet: {visible(text)}", file=sys.stderr)
    return code

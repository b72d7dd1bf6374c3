"""The command group: each command is imported when it is called, and every error ends in one line and a code."""

from __future__ import annotations

import os
import sys
from asyncio import CancelledError
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from motet import __version__
from motet.cli.output import ReaderGone, open_all_streams, silence, take_every_character, told
from motet.errors import ExitCode, MotetError, UsageError

_COMMANDS = {
    "chat": "Talk with a model about this code, in the terminal.",
    "ask": "Ask one question; the answer comes on stdout.",
    "edit": "Have files changed as you say, reviewed hunk by hunk.",
    "fix": "Fix what compilers and linters complain about.",
    "apply": "Apply the edits in any model's answer, reviewed hunk by hunk.",
    "undo": "Take back what motet wrote; undo again to have it back.",
    "commit": "Commit what is staged, with a message that a model writes and you confirm.",
    "search": "Find the places of this project that answer a question.",
    "index": "Look at the index of this project; it is kept by itself.",
    "map": "Show the map of this project: its files and what they define.",
    "history": "List, search, show and manage the chats that were kept.",
    "board": "Read and write boards, on which agents and humans work together.",
    "agents": "List and manage the agents on boards.",
    "team": "Let a team of agents work on a task, from one file.",
    "prompt": "List, show and run the prompts of the library.",
    "context": "Show what would be sent with the next message, item by item.",
    "inspect": "Show the next request exactly.",
    "rules": "List the rules files that go along when files are shared.",
    "log": "Show errors, and what left this machine.",
    "models": "List the models that can be used now, and why others cannot.",
    "config": "Show or edit the settings, with the origin of each value.",
    "mcp": "Let any MCP client take part on the boards of this project.",
    "bench": "Measure how well a model edits with motet.",
    "completion": "Print what lets bash, zsh or fish complete motet's commands.",
    "doctor": "Check servers, models, keys and places on this machine.",
    "trust": "Let motet use what this project defines: its tools and commands.",
}
_FOR_PROGRAMS = ("nvim",)
"""What people do not type: the half of the Neovim plugin that is not in the editor."""


class _Group(click.Group):
    def make_context(self, info_name: str | None, args: list[str], *more: Any, **extra: Any) -> click.Context:
        with _without_reader():
            return super().make_context(info_name, args, *more, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _without_reader():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name == "help":
            return _help
        if cmd_name not in (*_COMMANDS, *_FOR_PROGRAMS):
            return None
        return import_module(f"motet.cli.commands.{cmd_name}").command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in (*_COMMANDS, *_FOR_PROGRAMS) and name != "help" and not name.startswith("-"):
            close = get_close_matches(name, _COMMANDS, n=1)
            ctx.fail(f"no such command: {name}{f'; did you mean {close[0]}?' if close else ''}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(
    cls=_Group,
    invoke_without_command=True,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 problems remain, 2 usage, 3 model failed, 4 not permitted, 130 interrupted.",
)
@click.version_option(__version__, message="motet %(version)s")
@click.option("--debug", is_flag=True, help="Where an error came from, on stderr (`motet log` keeps it too).")
@click.pass_context
def group(context: click.Context, debug: bool = False) -> None:
    """An AI pair programmer that lives where the code is.

    \b
    Examples:
      motet                     talk about the code here
      motet ask "what is …?"    one question, the answer on stdout
      motet fix                 fix the workspace, reviewing each change
      motet fix src --dry-run   show what would be changed
      motet apply answer.md     apply the edits in any model's answer
      motet undo                take the last run back
      motet fix --help          what else it can do

    Without a command: `motet chat`, at a terminal.
    """
    if debug:
        os.environ["MOTET_DEBUG"] = "1"
    if context.invoked_subcommand is not None:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise click.UsageError("no command was given, and there is no terminal for a chat", context)
    chat = group.get_command(context, "chat")
    assert chat is not None  # it is one of ours
    context.exit(context.invoke(chat))


@click.command("help", hidden=True, add_help_option=False)
@click.argument("names", nargs=-1)
@click.pass_context
def _help(context: click.Context, names: tuple[str, ...]) -> None:
    above = context.parent
    assert above is not None  # it is a command of the group
    command: click.Command = group
    for name in names:
        below = command.get_command(above, name) if isinstance(command, click.Group) else None
        if below is None:
            above.fail(f"no such command: {' '.join(names)}")
        command, above = below, click.Context(below, info_name=name, parent=above)
    click.echo(command.get_help(above))


def run(arguments: Sequence[str]) -> int:
    """Run one command line; returns its exit code, having said on stderr what went wrong."""
    open_all_streams()
    take_every_character()
    try:
        result: object = group.main(list(arguments), prog_name="motet", standalone_mode=False)
        with told():
            sys.stdout.flush()
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        with suppress(OSError):  # nobody reads it, or the disk is full: the code says enough
            print(error.format_message(), file=sys.stderr, flush=True)
        return ExitCode.USAGE
    except click.ClickException as error:
        return _say(_usage(error, arguments), ExitCode.USAGE)
    except ReaderGone as error:
        return error.exit_code
    except UsageError as error:
        return _say(str(error), error.exit_code)
    except MotetError as error:
        _log(error, arguments)
        return _say(str(error), error.exit_code)
    except OSError as error:
        from motet.paths import NO_ROOM

        if isinstance(error, FileNotFoundError) and not _is_somewhere():
            return _say("the current directory no longer exists; go to another one", ExitCode.USAGE)
        if error.errno not in NO_ROOM or error.filename is not None:
            _log(error, arguments)
            raise
        silence()  # help, which click writes
        return _say(f"standard output: {error.strerror}", MotetError.exit_code)
    except (click.Abort, KeyboardInterrupt, CancelledError):
        return _say("interrupted", ExitCode.INTERRUPTED)
    except Exception as error:
        _log(error, arguments)
        raise
    return result if isinstance(result, int) else ExitCode.DONE


@contextmanager
def _without_reader() -> Generator[None]:
    """Tell of a reader who has gone, as `output.told` does, before click hears of it and ends with code 1."""
    try:
        yield
    except BrokenPipeError as error:
        silence()
        raise ReaderGone from error


def _is_somewhere() -> bool:
    """Whether the current directory still exists."""
    try:
        os.getcwd()  # noqa: PTH109 (nothing is done with it)
    except FileNotFoundError:
        return False
    return True


def _usage(error: click.ClickException, arguments: Sequence[str]) -> str:
    """What was wrong with the command line, and where to read on, in one line."""
    message = " ".join(error.format_message().split()).rstrip(".")
    if isinstance(error, click.UsageError) and error.ctx is not None:
        where = error.ctx.command_path
    else:
        where = f"motet {arguments[0]}" if arguments[0] in _COMMANDS else "motet"
    return f"{message[:1].lower()}{message[1:]} ({where} --help)"


def _log(error: Exception, arguments: Sequence[str]) -> None:
    from motet.engine.faults import FaultLog
    from motet.paths import state_dir

    command = next((word for word in arguments if word in _COMMANDS), "motet")
    FaultLog(state_dir()).add(error, command)


def _say(text: str, code: int) -> int:
    from motet.cli.terminal import Terminal

    Terminal().line(f"motet: {text}", hang=7)
    return code

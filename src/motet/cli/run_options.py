"""The options of a command that asks a model and then ends: `ask`, `edit`, `prompt run`."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path

import click

from motet.cli.numbers import Amount
from motet.cli.output import ReaderGone, events_at_terminal
from motet.errors import MotetError


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What was said of one run. `max_cost` in dollars; `allow`: rules of `motet.permissions`; None: not said."""

    model: str | None
    yes: bool
    allow: tuple[str, ...]
    max_cost: float | None
    record: str | None
    no_history: bool
    as_json: bool
    quiet: bool

    @property
    def settings(self) -> dict[str, object]:
        """The settings that go before those of all files."""
        said: dict[str, object] = {"model": self.model, "chat.max_cost": self.max_cost}
        return {name: value for name, value in said.items() if value is not None}

    @property
    def keep(self) -> bool:
        """Whether the chat is kept in the history."""
        return not self.no_history

    @property
    def recording(self) -> Path | None:
        """The file that the session is recorded in."""
        return Path(self.record) if self.record else None

    @property
    def silent(self) -> bool:
        """Whether nothing is said beside the answer: as told, or because events come at the same terminal."""
        return self.quiet or events_at_terminal(self.as_json)

    @contextmanager
    def errors_told(self) -> Generator[None]:
        """With --json an error that ends the run is an event too, before it is raised on."""
        try:
            yield
        except ReaderGone:
            raise
        except MotetError as error:
            if self.as_json:
                from motet.cli.chat_json import write_error

                write_error(error)
            raise


def run_options(
    *,
    model: str = "PROVIDER/MODEL, PROVIDER or offline; without, the first that works.",
    yes: str = "Take every proposed edit without asking.",
    rule: str = "run:pytest *",
    quiet: str = "Only the answer, and errors.",
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Give a command these options, as one argument `options: RunOptions`. The words are those of `--help`; `rule`: an
    example for --allow."""
    given = (
        click.option("-m", "--model", metavar="NAME", help=model),
        click.option("-y", "--yes", is_flag=True, help=yes),
        click.option("--allow", multiple=True, metavar="RULE", help=f"Allow without asking: send, '{rule}', …"),
        click.option("--max-cost", type=Amount(min=0, min_open=True), metavar="USD", help="Dollars a turn may cost."),
        click.option("--record", metavar="FILE", help="Record the session, to be played with `-m replay:FILE`."),
        click.option("--no-history", is_flag=True, help="Do not keep this chat."),
        click.option("--json", "as_json", is_flag=True, help="One JSON event a line on stdout."),
        click.option("-q", "--quiet", is_flag=True, help=quiet),
    )
    names = [field.name for field in fields(RunOptions)]

    def decorate(command: Callable[..., int]) -> Callable[..., int]:
        @wraps(command)
        def with_options(**values: object) -> int:
            said = {name: values.pop(name) for name in names}
            return command(**values, options=RunOptions(**said))  # pyright: ignore[reportArgumentType]

        for option in reversed(given):
            with_options = option(with_options)
        return with_options

    return decorate

"""`motet bench`."""

from __future__ import annotations

import asyncio
import statistics
from dataclasses import asdict
from typing import get_args

import click

from motet.cli.help import Group
from motet.cli.interrupts import Interrupts
from motet.cli.numbers import Whole
from motet.cli.output import write_json, write_line
from motet.cli.terminal import Terminal
from motet.cli.trials import Trial, Verdict, trials
from motet.settings.schema import EditFormat
from motet.visible import one_line

_FORMATS = get_args(EditFormat)


@click.group("bench", cls=Group)
def command() -> None:
    """Measure how well a model edits with motet.

    \b
    Examples:
      motet bench edit-formats -m anthropic
      motet bench edit-formats -m ollama/qwen3 --formats apply_patch,whole_file
    """


@command.command("edit-formats")
@click.option("-m", "--model", required=True, metavar="NAME", help="PROVIDER/MODEL or PROVIDER.")
@click.option("--formats", default="all", metavar="NAMES", help=f"Of {', '.join(_FORMATS)}; default: all.")
@click.option("--edits", type=Whole(1, 10), default=10, metavar="N", help="Only the first N of the ten edits.")
@click.option("--runs", type=Whole(1), default=5, metavar="N", help="How often each edit is asked for (5).")
@click.option("--json", "as_json", is_flag=True, help="One JSON line for each edit, then one for each format.")
def edit_formats(model: str, formats: str, edits: int, runs: int, as_json: bool) -> int:
    """Ask for ten small edits in each format, and say how many were made as asked for.

    \b
    Examples:
      motet bench edit-formats -m anthropic                   five runs of each edit in each format
      motet bench edit-formats -m openai --runs 1 --json

    A file of motet's own is edited in places of its own: nothing of this project is read or sent. It costs what 10
    short questions cost, times the runs, times the formats. Set the best one as `providers.NAME.edit_format`.

    Exit code 0: measured, 1: an edit was not made and nobody said so, 2: usage, 3: model failed.
    """
    chosen = _FORMATS if formats == "all" else tuple(name.strip() for name in formats.split(","))
    if unknown := [name for name in chosen if name not in _FORMATS]:
        raise click.UsageError(f"{unknown[0]!r} is no format; choose of {', '.join(_FORMATS)}")
    done = asyncio.run(_measure(model, chosen, edits, runs, as_json=as_json))
    _draw(model, chosen, done, as_json=as_json)
    return 1 if any(trial.verdict is Verdict.SILENT for trial in done) else 0


async def _measure(model: str, formats: tuple[str, ...], edits: int, runs: int, *, as_json: bool) -> list[Trial]:
    terminal = Terminal()
    done: list[Trial] = []
    total = len(formats) * runs * edits
    with Interrupts().installed():
        async for trial in trials(model, formats, edits, runs):
            done.append(trial)
            if as_json:
                write_json({"schema": 1, "event": "trial", "model": model, **asdict(trial)})
            elif trial.verdict is not Verdict.RIGHT:
                line = f"{trial.format}: {trial.verdict}: {trial.task} ({trial.detail})"
                terminal.line(one_line(line), "dim", hang=2)
            terminal.progress(f"{len(done)} of {total} edits")
    terminal.progress("")
    return done


def _draw(model: str, formats: tuple[str, ...], done: list[Trial], *, as_json: bool) -> None:
    """A table that can stand in a Markdown page."""
    if not as_json:
        write_line(f"| {model} | edits | right | other | no edit | silent | failed | seconds | tokens |")
        write_line("|---|---|---|---|---|---|---|---|---|")
    for format in formats:
        own = [trial for trial in done if trial.format == format]
        counts = {verdict: sum(trial.verdict is verdict for trial in own) for verdict in Verdict}
        seconds = statistics.median(trial.seconds for trial in own)
        tokens = round(statistics.median(trial.tokens for trial in own))
        if as_json:
            row = {"edits": len(own), **counts, "seconds": round(seconds, 1), "tokens": tokens}
            write_json({"schema": 1, "event": "format", "model": model, "format": format, **row})
            continue
        numbers = " | ".join(f"{count / len(own):.0%}" for count in counts.values())
        write_line(f"| {format} | {len(own)} | {numbers} | {seconds:.1f} | {tokens:,} |")

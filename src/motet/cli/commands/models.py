"""`motet models`."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import click

from motet.cli.columns import marked_rows
from motet.cli.output import write_json
from motet.cli.terminal import Terminal
from motet.cli.wrap import Span
from motet.engine import Engine
from motet.engine.models import model_for
from motet.errors import MotetError
from motet.models.catalog import Candidate
from motet.settings.schema import ModelSettings


@click.command("models")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(as_json: bool) -> int:
    """List the models that can be used now, and why others cannot.

    \b
    Examples:
      motet models
      motet config key anthropic       give motet a key for one
      motet fix --model anthropic      a provider's default model
      motet fix --model ollama/qwen3   this one
    """
    return asyncio.run(_list(as_json))


async def _list(as_json: bool) -> int:
    engine = Engine(Path.cwd())
    candidates = await engine.models()
    if as_json:
        for candidate in candidates:
            write_json(_fields(candidate))
        return 0
    rows: list[tuple[Span, Span, Span]] = []
    for candidate in sorted(candidates, key=lambda candidate: not candidate.usable):
        mark, style = ("✓", "green") if candidate.usable else ("·", "dim")
        rows.append(((mark, style), (candidate.name, ""), (candidate.reason, "" if candidate.usable else "dim")))
    marked_rows(Terminal(sys.stdout), rows)
    messages = Terminal()
    messages.line()
    try:
        default = await engine.default_model()
    except MotetError as error:
        messages.line(f"Default: none: {error}")
        return error.exit_code
    messages.line(f"Default: {default.model.name} ({default.reason})", hang=2)
    for reason in default.passed_over:
        messages.line(f"  {reason}", hang=4)
    for _, line in await own_models(engine):
        messages.line(line, hang=2)
    messages.line("To change it: motet config model NAME. To add a key: motet config key PROVIDER.", "dim", hang=2)
    return 0


async def own_models(engine: Engine) -> list[tuple[bool, str]]:
    """For each kind of work with a model of its own: whether it can be used, and a line that says which or why not."""
    lines: list[tuple[bool, str]] = []
    settings = engine.loaded.settings
    for work in ModelSettings.__struct_fields__:
        try:
            model = await model_for(work, settings, engine.root, os.environ)
        except MotetError as error:
            lines.append((False, f"cannot be used: {error}"))
        else:
            lines += [(True, f"models.{work}: {model.name}")] if model else []
    return lines


def _fields(candidate: Candidate) -> dict[str, object]:
    where = candidate.destination
    return {
        "schema": 1,
        "name": candidate.name,
        "usable": candidate.usable,
        "reason": candidate.reason,
        "host": where.host if where else None,
        "context_tokens": candidate.limits.context_tokens if candidate.limits else None,
        "tools": candidate.limits.tools if candidate.limits else None,
        "images": candidate.limits.images if candidate.limits else None,
        "documents": candidate.limits.documents if candidate.limits else None,
    }

"""`motet models`."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import click

from motet.engine import Engine
from motet.errors import MotetError
from motet.models.catalog import Candidate


@click.command("models")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(as_json: bool) -> int:
    """List the models that can be used now, and why others cannot.

    \b
    Examples:
      motet models
      motet fix --model anthropic      a provider's default model
      motet fix --model ollama/qwen3   this one
    """
    return asyncio.run(_list(as_json))


async def _list(as_json: bool) -> int:
    engine = Engine(Path.cwd())
    candidates = await engine.models()
    if as_json:
        for candidate in candidates:
            click.echo(_as_json(candidate))
        return 0
    width = max(len(candidate.name) for candidate in candidates)
    for candidate in sorted(candidates, key=lambda candidate: not candidate.usable):
        mark = click.style("✓", "green") if candidate.usable else click.style("·", dim=True)
        click.echo(f"{mark} {candidate.name:<{width}}  {candidate.reason}")
    try:
        model, why = await engine.choose_model()
    except MotetError as error:
        click.echo(f"\nDefault: none: {error}", err=True)
        return error.exit_code
    click.echo(f"\nDefault: {model.name} ({why})", err=True)
    return 0


def _as_json(candidate: Candidate) -> str:
    where = candidate.destination
    return json.dumps(
        {
            "schema": 1,
            "name": candidate.name,
            "usable": candidate.usable,
            "reason": candidate.reason,
            "host": where.host if where else None,
            "context_tokens": candidate.limits.context_tokens if candidate.limits else None,
        },
        ensure_ascii=False,
    )

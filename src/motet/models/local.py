"""Model servers on this machine: where they are and what is installed there."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from urllib.parse import urlsplit

from motet.models.providers.endpoint import Endpoint
from motet.models.providers.fields import as_list, as_object, as_text, parse_object

PROBE_SECONDS = 0.3
"""How long a server may take to say what it has; several are asked at the same time."""
NAMED_SECONDS = 5.0
"""The same for one that the user has named: nothing else will do."""

_OLLAMA_PORT = 11434


def ollama_url(environ: Mapping[str, str]) -> str:
    """The address that `OLLAMA_HOST` stands for, in the forms that Ollama takes; empty when it is not set.

    An address to listen at (`0.0.0.0`) is reached at the loopback address.
    """
    value = environ.get("OLLAMA_HOST", "").strip().strip("'\"")
    if not value:
        return ""
    scheme, _, rest = value.rpartition("://")
    parts = urlsplit(f"//{rest}")
    default = {"http": 80, "https": 443}.get(scheme, _OLLAMA_PORT)
    try:
        port = parts.port or default
    except ValueError:
        port = default
    host = parts.hostname or "127.0.0.1"
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    host = f"[{host}]" if ":" in host else host
    return f"{scheme or 'http'}://{host}:{port}{parts.path.rstrip('/')}/v1"


async def installed_models(endpoint: Endpoint, seconds: float = PROBE_SECONDS) -> list[str] | None:
    """The names of the chat models at `endpoint`; None when nothing listens there. Never raises, never waits longer."""
    loop = asyncio.get_running_loop()
    parts = urlsplit(endpoint.base_url)
    start = loop.time()
    try:
        async with asyncio.timeout(seconds):
            port = parts.port or {"http": 80, "https": 443}[parts.scheme]
            _, writer = await asyncio.open_connection(parts.hostname, port)
        writer.close()
    except (OSError, TimeoutError):
        return None
    spent = loop.time() - start

    import httpx2  # only once somebody listens: it costs more than the whole probe

    try:
        async with (
            asyncio.timeout(max(seconds - spent, seconds / 2)),
            httpx2.AsyncClient(trust_env=False, timeout=None) as client,
        ):
            response = await client.get(f"{endpoint.base_url}/models")
    except (OSError, TimeoutError, httpx2.HTTPError):
        return []
    listed = as_list((parse_object(response.content) or {}).get("data"))
    names = [as_text(as_object(entry).get("id")) for entry in listed]
    return [name for name in names if name and "embed" not in name.lower()]

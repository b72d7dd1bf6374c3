"""Does a key work? One request that costs nothing: the list of models."""

from __future__ import annotations

import time
from dataclasses import dataclass

from motet.errors import ModelError, ModelErrorKind
from motet.models.keys import KeySource
from motet.models.providers.dialect import Dialect
from motet.models.providers.endpoint import Endpoint
from motet.models.providers.failures import Failures, HttpFailure
from motet.models.providers.fields import as_list, parse_object
from motet.models.providers.transport import Broken, get


@dataclass(frozen=True, slots=True)
class KeyCheck:
    """What came of it: the key `works`, it does not, or nobody could tell (None). `text` says it in one line."""

    works: bool | None
    text: str


async def ask_for_models(endpoint: Endpoint, dialect: Dialect, key: KeySource, path: str = "") -> KeyCheck:
    """Ask the server at `endpoint` for its models, or for `path`, with `key`. Raises nothing."""
    provider, host = endpoint.provider, endpoint.host
    try:
        secret = await key.get()
    except ModelError as error:
        return KeyCheck(False, str(error))
    failures = Failures(provider, host, key.place, secret.redact if secret else str)
    try:
        headers = dialect.headers(secret.reveal() if secret else "")
        status, named, body = await get(endpoint, path or dialect.models_path, headers)
    except Broken as error:
        return KeyCheck(None, f"not checked: {failures.network(error.what, error.advice)}")
    if status == 200:
        count = len(as_list((parse_object(body) or {}).get("data")))
        listed = f" and lists {count} models" if count else ""
        return KeyCheck(
            True, f"{provider} ({host}) takes the key{listed}" if secret else f"{provider} ({host}) answers"
        )
    error = failures.of_response(HttpFailure(status, named, body), time.time())
    match error.kind:
        case ModelErrorKind.AUTH:
            return KeyCheck(False, str(error))
        case ModelErrorKind.QUOTA:
            return KeyCheck(True, str(error))
        case _:
            return KeyCheck(None, f"not checked: {error}")

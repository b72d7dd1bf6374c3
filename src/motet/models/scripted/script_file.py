"""Script files, for the shell."""

from __future__ import annotations

import json
from collections.abc import Mapping

from motet.errors import UsageError
from motet.models.providers.fields import as_list, as_object, as_text, parse_object
from motet.models.scripted.answers import Answer, HttpError, Script, Step


def script_from_json(text: str) -> Script:
    """Read `{"answers": [...], "repeat": true}`; the entries have the fields of `Answer` or of `HttpError`.

    `calls` are objects with `name`, `arguments` (an object, or the text itself) and maybe `id`; `usage` and `wire`
    are objects. Raises `UsageError` naming the entry and the field.
    """
    data = parse_object(text)
    if data is None or not as_list(data.get("answers")):
        raise UsageError('a script is JSON such as {"answers": [{"text": "Hello"}]}')
    steps = [_step(number, as_object(entry)) for number, entry in enumerate(as_list(data.get("answers")), 1)]
    return Script(steps, repeat=bool(data.get("repeat")))


def _step(number: int, entry: Mapping[str, object]) -> Step:
    from pydantic import TypeAdapter, ValidationError

    fields = dict(entry)
    kind = HttpError if "status" in fields else Answer
    if "calls" in fields:
        fields["calls"] = [_call(item) for item in as_list(fields["calls"])]
    try:
        return TypeAdapter[Step](kind).validate_python(fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"answer {number} of the script: {place}: {first['msg']}") from error


def _call(item: object) -> dict[str, object]:
    call = as_object(item)
    arguments = call.get("arguments", {})
    return {
        "id": as_text(call.get("id")) or f"call_{as_text(call.get('name'))}",
        "name": call.get("name"),
        "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False),
    }

"""What real providers refuse: a request that breaks one of their rules gets status 400, as it would there.

`strict_anthropic`, `strict_openai` and `strict_responses` hold the rules, each with the page that states it. Where servers of one
dialect differ, the stricter rule counts, so that what passes here passes everywhere.
"""

from __future__ import annotations

from motet.models.scripted import strict_anthropic, strict_openai, strict_responses
from motet.models.scripted.answers import HttpError, ScriptedRequest
from motet.models.scripted.strict_values import Violation


def refusal(request: ScriptedRequest) -> HttpError | None:
    """The 400 that `request` gets from its provider; None when it is valid."""
    try:
        match request.dialect:
            case "anthropic":
                strict_anthropic.check(request.body, request.headers)
            case "openai":
                strict_openai.check(request.body)
            case "openai-responses":
                strict_responses.check(request.body)
    except Violation as violation:
        return HttpError(400, str(violation), "invalid_request_error")
    return None

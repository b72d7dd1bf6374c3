"""A model that answers what it is told to: for motet's own tests, for yours, and for demonstrations.

`ScriptedModel` answers inside this process. `ScriptedServer` answers over real HTTP, in the dialects of Anthropic
and of OpenAI (both of them), and can fail in the ways in which real providers fail. `python -m motet.models.scripted` serves a
script file from the shell.
"""

from motet.models.scripted.answers import Answer, HttpError, Script, ScriptedRequest, Step, Wire, call
from motet.models.scripted.model import ScriptedModel
from motet.models.scripted.server import ScriptedServer

__all__ = [
    "Answer",
    "HttpError",
    "Script",
    "ScriptedModel",
    "ScriptedRequest",
    "ScriptedServer",
    "Step",
    "Wire",
    "call",
]

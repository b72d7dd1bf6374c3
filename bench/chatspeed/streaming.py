"""Long answers: what a token of about four characters costs."""

from __future__ import annotations

from chat_draw import KINDS, cost
from measure.run import BIN, MOTET, BenchError
from measure.table import Measured

from chatspeed.provider import run, served, settled
from motet.models.scripted import Answer, ScriptedServer
from motet.models.scripted.answers import Wire

_READER = """
import asyncio, httpx2, sys
async def read(url):
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": sys.argv[2]}]}
    async with httpx2.AsyncClient() as client, client.sse(url, method="POST", json=body) as source:
        async for event in source:
            pass
asyncio.run(read(sys.argv[1] + "/v1/chat/completions"))
"""
"""Reads the events of a stream with the library that motet uses, and does nothing with them."""


def in_ask(rounds: int, tokens: int) -> list[Measured]:
    """Microseconds of processor time for each token: `motet ask` with an answer of `tokens` above `motet ask` with an
    answer of one, less the same of a bare reader."""
    texts = {"long": "word" * tokens, "short": "word"}
    answers = [Answer(text, when=f"the {name} one", wire=Wire(text_chars=4)) for name, text in texts.items()]
    used: dict[tuple[str, str], list[float]] = {(who, name): [] for who in ("motet", "bare") for name in texts}

    def step(request: object) -> Answer:
        return answers[0] if answers[0].when in getattr(request, "text", "") else answers[1]

    with served(ScriptedServer(step)) as url, settled(url) as (here, cwd):
        for _ in range(rounds + 1):
            for name, answer in zip(texts, answers, strict=True):
                done = run([MOTET, "ask", "-q", answer.when], cwd, here.environment)
                if done.out.decode().strip() != texts[name]:
                    raise BenchError(f"the {name} answer of `motet ask` is not the one that was sent")
                used["motet", name].append(done.cpu)
                argv = [BIN / "python", "-c", _READER, url, answer.when]
                used["bare", name].append(run(argv, cwd, here.environment).cpu)
    each = {
        who: [
            1e6 * (long - short) / tokens for long, short in zip(used[who, "long"], used[who, "short"], strict=True)
        ]
        for who in ("motet", "bare")
    }
    ours = [all - bare for all, bare in zip(each["motet"], each["bare"], strict=True)]
    return [
        Measured(f"`ask`, {tokens:,} tokens, each, with the HTTP library", "µs", each["motet"][1:]),
        Measured("the HTTP library alone, the same stream, each token", "µs", each["bare"][1:]),
        Measured("`ask`, each token, less the HTTP library", "µs", ours[1:], 25),
    ]


def in_chat(rounds: int, tokens: int) -> list[Measured]:
    """What drawing costs at a terminal of 80 columns, in colour: Markdown of one kind each."""
    return [
        Measured(
            f"`chat` draws {tokens:,} tokens of {name}, each", "µs", [cost(text, tokens) for _ in range(rounds)], 100
        )
        for name, text in KINDS.items()
    ]

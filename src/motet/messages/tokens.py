"""How many tokens a text will cost, before a provider has counted it."""

from __future__ import annotations

BYTES_PER_TOKEN = 3.2
"""UTF-8 bytes per token of source code, on the low side (an over-estimate of tokens) for today's models."""


def estimate_tokens(text: str) -> int:
    """Tokens of `text`, over-estimated: a prompt that fits by this count fits the window."""
    return int(len(text.encode("utf-8", "surrogatepass")) / BYTES_PER_TOKEN) + 1

"""Texts of library prompts, filled with what there is in a chat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from motet.chat import Chat
from motet.context import Diagnoses, Sources, fill, gather
from motet.context.placeholders import names_in


def sources_of(chat: Chat) -> Sources:
    """Where the content comes from that `chat` shares, for the model that it has."""
    context, limits = chat.parts.context, chat.model.limits
    assert context is not None  # the engine gives each chat one
    return replace(context.sources, sees_images=limits.images, reads_documents=limits.documents)


async def filled(
    chat: Chat,
    text: str,
    given: str,
    values: Mapping[str, str],
    *,
    paths: tuple[str, ...] = (),
    diagnoses: Diagnoses | None = None,
) -> str:
    """`text` of a prompt with its placeholders filled: those in `values` by these, the others by what there is now.

    `given`: the human's own words; a text that asks for none gets them at its end. `paths`: the files that are meant,
    the last one before all others. Raises `NothingToFill`.
    """
    names = {name for name, _ in names_in(text)}
    sources = replace(sources_of(chat), in_context=paths, diagnoses=diagnoses)
    found = await gather([name for name in names if name not in values], sources, given=given)
    whole = fill(text, {**found, **values}).strip()
    return whole if "input" in names or not given else f"{whole}\n\n{given}"

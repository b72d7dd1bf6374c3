"""Which parts of a message go to a model as themselves; for the others their text stands."""

from __future__ import annotations

from collections.abc import Iterable

from motet.messages import Document, Image, Message, Part
from motet.models.protocol import Limits
from motet.models.providers.pictures import is_pdf, picture_type


def goes_as_itself(part: Part, *, images: bool, documents: bool) -> bool:
    """Whether `part` is a picture or a document that a provider takes in its own form.

    What counts are its bytes: pictures are PNG, JPEG, GIF or WebP, documents are PDF.
    """
    match part:
        case Image():
            return images and picture_type(part.data) != ""
        case Document():
            return documents and is_pdf(part.data)
        case _:
            return False


def unseen(messages: Iterable[Message], limits: Limits) -> list[str]:
    """The names of all parts of `messages` of which a model with these `limits` would get nothing but the name.

    Front ends refuse to send those, with a line. A document whose text is known is read as text, and not named.
    """
    return [
        part.name or part.mime
        for message in messages
        for part in message.parts
        if isinstance(part, Image | Document)
        and not goes_as_itself(part, images=limits.images, documents=limits.documents)
        and not (isinstance(part, Document) and part.plain.strip())
    ]

"""Reading a request with a rule in mind: what does not fit is a violation that names the place."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Collection, Mapping
from typing import cast

from motet.models.providers.pictures import is_pdf, picture_type

Json = Mapping[str, object]

TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Violation(Exception):
    """A request breaks a rule: `place` in the body, and what is wrong there."""

    def __init__(self, place: str, what: str) -> None:
        super().__init__(f"{place}: {what}")


def text_at(place: str, value: object) -> str:
    """`value`, which must be a text."""
    if not isinstance(value, str):
        raise Violation(place, f"expected a string, got {_kind(value)}")
    return value


def said_at(place: str, value: object) -> str:
    """`value`, which must be a text that says something."""
    if not text_at(place, value).strip():
        raise Violation(place, "text must be non-empty and hold more than blanks")
    return text_at(place, value)


def object_at(place: str, value: object) -> Json:
    """`value`, which must be an object."""
    if not isinstance(value, dict):
        raise Violation(place, f"expected an object, got {_kind(value)}")
    return cast("Json", value)


def items_at(place: str, value: object) -> list[object]:
    """`value`, which must be a list with something in it."""
    if not isinstance(value, list):
        raise Violation(place, f"expected an array, got {_kind(value)}")
    if not value:
        raise Violation(place, "the array is too short")
    return cast("list[object]", value)


def count_at(place: str, value: object) -> int:
    """`value`, which must be a whole number from 1."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise Violation(place, "expected a whole number from 1")
    return value


def only(place: str, value: Json, allowed: Collection[str]) -> None:
    """No field of `value` may be unknown."""
    unknown = sorted(set(value) - set(allowed))
    if unknown:
        raise Violation(f"{place}.{unknown[0]}" if place else unknown[0], "extra inputs are not permitted")


def name_at(place: str, value: object, taken: set[str]) -> None:
    """`value` must be the name of a tool that is not `taken` yet."""
    name = text_at(place, value)
    if not TOOL_NAME.fullmatch(name):
        raise Violation(place, f"must match {TOOL_NAME.pattern}")
    if name in taken:
        raise Violation(place, "tool names must be unique")
    taken.add(name)


def schema_at(place: str, value: object) -> None:
    """`value` must be the JSON schema of an object."""
    if object_at(place, value).get("type") != "object":
        raise Violation(f"{place}.type", "the schema of a tool's input must have the type object")


def picture_at(place: str, kind: object, value: object) -> None:
    """`value` must be a picture in base 64, of the type that is declared."""
    found = picture_type(bytes_at(place, value))
    if not found:
        raise Violation(place, "could not process the image")
    if found != kind:
        raise Violation(place, f"the image is {found}, not the declared {kind}")


def pdf_at(place: str, kind: object, value: object) -> None:
    """`value` must be a PDF in base 64, declared as one."""
    if kind != "application/pdf":
        raise Violation(place, "a document must have the type application/pdf")
    if not is_pdf(bytes_at(place, value)):
        raise Violation(place, "the PDF is not valid")


def data_url_at(place: str, value: object) -> tuple[str, str]:
    """The type that `value` declares, and its data; it must be a data URL in base 64."""
    head, comma, data = text_at(place, value).partition(",")
    kind = head.removeprefix("data:").removesuffix(";base64")
    if not comma or head != f"data:{kind};base64":
        raise Violation(place, "expected a base64-encoded data URL with a MIME type")
    return kind, data


def bytes_at(place: str, value: object) -> bytes:
    """`value`, which must be base 64 of something."""
    try:
        data = base64.b64decode(text_at(place, value), validate=True)
    except (binascii.Error, ValueError) as error:
        raise Violation(place, "not valid base64") from error
    if not data:
        raise Violation(place, "the data is empty")
    return data


def _kind(value: object) -> str:
    return "null" if value is None else type(value).__name__

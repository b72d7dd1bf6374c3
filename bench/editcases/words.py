"""Short texts about long ones: one line each, for lists."""

from __future__ import annotations

from collections.abc import Mapping


def difference(found: Mapping[str, bytes], expected: Mapping[str, bytes]) -> str:
    """The first place where two trees of files differ; empty when they do not."""
    for path in dict.fromkeys([*expected, *found]):
        if path not in found:
            return f"{path} is missing"
        if path not in expected:
            return f"{path} should not be there"
        if found[path] != expected[path]:
            texts = (data[path].decode(errors="replace") for data in (found, expected))
            return f"{path}, {first_difference(*texts)}"
    return ""


def first_difference(found: str, expected: str) -> str:
    """The first line in which two texts differ."""
    ours, theirs = found.splitlines(keepends=True), expected.splitlines(keepends=True)
    for number in range(max(len(ours), len(theirs))):
        one, other = (lines[number] if number < len(lines) else None for lines in (ours, theirs))
        if one != other:
            said = "nothing" if one is None else short(one)
            return f"line {number + 1} is {said}, expected: {'nothing' if other is None else short(other)}"
    return "no difference"


def short(text: str, most: int = 60) -> str:
    """`text` quoted, its beginning if it is long."""
    return repr(text if len(text) <= most else f"{text[:most]}…")


def line(text: str, most: int = 200) -> str:
    """`text` in one line, its beginning if it is long."""
    joined = " ".join(text.split())
    return joined if len(joined) <= most else f"{joined[:most]}…"


def where(error: BaseException) -> str:
    """File and line in which `error` was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"

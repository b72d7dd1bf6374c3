"""Run one case and say what became of it, beside what its peer expects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from editcases.case import BrokenRow, Case
from editcases.formats import edits_of, foreign, says_nothing, search_of
from editcases.peers import peer_of
from editcases.planned import Done, encoded, planned, refused
from editcases.words import difference, first_difference, line, short, where
from motet.edits import Edit, Insert, Replace, Write
from motet.errors import EditFormatError


class Kind(StrEnum):
    """What became of a row."""

    RIGHT = "right"
    REFUSED = "refused"
    WRONG = "wrong"
    CRASHED = "crashed"
    FOREIGN = "not supported"
    BROKEN = "broken row"


@dataclass(frozen=True)
class Verdict:
    """`said` is one line: why it is not right, or what was refused. `after` are the files as motet leaves them."""

    kind: Kind
    said: str = ""
    after: Mapping[str, bytes] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()


def judge(case: Case) -> Verdict:
    """What becomes of `case`. Whatever motet raises but `EditFormatError` is a crash, and tells where."""
    try:
        if why := foreign(case):
            return Verdict(Kind.FOREIGN, why)
        match case.op:
            case "parse":
                return _judge_parse(case)
            case "locate":
                return _judge_locate(case)
            case _:
                return _judge_apply(case)
    except BrokenRow as error:
        return Verdict(Kind.BROKEN, str(error))
    except Exception as error:  # noqa: BLE001 - a crash is one of the things that are counted
        if where(error).startswith(_HOME):
            return Verdict(Kind.BROKEN, f"{case.file}:{case.line}: {type(error).__name__}: {line(str(error))}")
        return Verdict(
            Kind.CRASHED, f"{type(error).__name__}: {line(str(error))} ({where(error).rpartition('/')[2]})"
        )


_HOME = str(Path(__file__).parent)
"""What is raised here, and not in motet, is of a row that holds something else than its format does."""


# --- parse -----------------------------------------------------------------------------------------------------


def _judge_parse(case: Case) -> Verdict:
    try:
        edits = edits_of(case)
    except EditFormatError as error:
        said, reasons = line(str(error)), ("bad_format",)
        if case.expect == "blocks" and says_nothing(error) and not _expected_blocks(case):
            return Verdict(Kind.RIGHT)
        if case.expect == "invalid":
            return Verdict(Kind.RIGHT if said else Kind.WRONG, said or "refused without a message", reasons=reasons)
        return Verdict(Kind.REFUSED, said, reasons=reasons)
    match case.expect:
        case "invalid" if edits:
            return Verdict(Kind.WRONG, f"understood as {_names(edits)}, an error was expected")
        case "invalid" if "malformed" in case.tags:
            return Verdict(Kind.WRONG, "taken as a text without edits, no message says what is malformed")
        case "invalid":
            return Verdict(Kind.RIGHT, "no edits in it")
        case "valid":
            return Verdict(Kind.RIGHT if edits else Kind.REFUSED, "" if edits else "no edits in it")
        case _:
            return _compare_blocks([_block(edit) for edit in edits], _expected_blocks(case))


_Block = tuple[str, str, str]
"""Path, lines to be found, lines to stand there instead."""


def _block(edit: Edit) -> _Block:
    match edit:
        case Replace():
            return edit.path, edit.search, edit.replace
        case Insert() | Write():
            return edit.path, "", edit.text
        case _:
            return edit.path, type(edit).__name__, ""


def _expected_blocks(case: Case) -> list[_Block]:
    """The blocks of the row; commands for a shell, which aider reads from the same answer, are not edits."""
    blocks: list[_Block] = []
    for block in case.get("expected_blocks", list):
        match block:
            case {"shell": str()}:
                continue
            case {"path": str() as path, "search": str() as search, "replace": str() as replace}:
                blocks.append((path, search, replace))
            case {"path": str() as path, "lines": [*lines]}:
                old, new = (
                    "".join(str(line)[1:] for line in lines if str(line)[:1] in signs) for signs in (" -", " +")
                )
                blocks.append((path, old, new))
            case _:
                raise BrokenRow(f"{case.file}:{case.line}: an expected block has no path with texts or lines")
    return blocks


def _compare_blocks(found: Sequence[_Block], expected: Sequence[_Block]) -> Verdict:
    if list(found) == list(expected):
        return Verdict(Kind.RIGHT)
    if len(found) != len(expected):
        return Verdict(Kind.WRONG, f"{len(found)} blocks where {len(expected)} were expected")
    number, one, other = next(
        (at, *pair) for at, pair in enumerate(zip(found, expected, strict=True), 1) if pair[0] != pair[1]
    )
    part = next(at for at in range(3) if one[at] != other[at])
    what = ("path", "search", "replace")[part]
    return Verdict(Kind.WRONG, f"block {number}, {what}: {first_difference(one[part], other[part])}")


# --- locate ----------------------------------------------------------------------------------------------------


_HERE = "\ue000here\ue001"


def _judge_locate(case: Case) -> Verdict:
    """The place of a search text is that of the edit which puts a mark there instead."""
    if case.format == "line_sequence" and (start := case.get("start_line0", int, 0)) > 0:
        case = case.below(start)  # where it is looked for, not a hint
    search = case.get("search", str)
    mark = search[: len(search) - len(search.lstrip())] + _HERE + ("\n" if search.endswith("\n") else "")
    done = planned(case, [search_of(case, mark, inline=case.format == "str_replace")])
    if done.refusals:
        found = case.expect == "located"
        ambiguous = case.expect == "ambiguous" and "ambiguous" not in done.reasons
        return _verdict(done, Kind.REFUSED if found or ambiguous else Kind.RIGHT, "; ".join(done.refusals))
    found_at = [(place.start, place.end, place.text) for match in done.matches for place in match.places]
    if done.matches and not found_at and not search:
        found_at = [(0, 0, case.before.get(case.path, ""))]  # nothing is looked for, and that stands at the top
    if case.expect != "located" or not found_at:
        return _verdict(done, Kind.WRONG, f"found in line {done.matches[0].first_line}, expected: {case.expect}")
    if "expected_line0" in case.row:
        line, expected = done.matches[0].first_line, case.get("expected_line0", int) + 1
        said = "" if line == expected else f"found in line {line}, expected in line {expected}"
        return _verdict(done, Kind.WRONG if said else Kind.RIGHT, said)
    start, end, text = found_at[0]
    if any(_inner(text, *place) == _inner(text, start, end) for place in _expected_places(case, text)):
        return _verdict(done, Kind.RIGHT, "")
    return _verdict(done, Kind.WRONG, f"found {short(text[start:end])}")


def _inner(text: str, start: int, end: int) -> tuple[int, int]:
    """A place without the white space at both ends, of which some tools take all and others none."""
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), start + len(part.rstrip())


def _expected_places(case: Case, text: str) -> list[tuple[int, int]]:
    """Start and end, in characters, of each place that the row allows."""
    if (wanted := case.row.get("expected_text")) is not None:
        size = len(case.get("expected_text", str))
        return [(at, at + size) for at in range(len(text)) if text.startswith(wanted, at)]
    places: list[tuple[int, int]] = []
    ranges = case.get("expected_ranges", list)
    for place in [ranges] if len(ranges) == 2 and all(isinstance(one, int) for one in ranges) else ranges:
        match place:
            case (
                [int(start), int(end)]
                | {"start": int(start), "end": int(end)}
                | {"startIndex": int(start), "endIndex": int(end)}
            ):
                places.append((_characters(case, text, start), _characters(case, text, end)))
            case _:
                raise BrokenRow(f"{case.file}:{case.line}: an expected range should be a start and an end")
    return places


def _characters(case: Case, text: str, offset: int) -> int:
    """`offset` of the row in characters; JavaScript counts UTF-16 units."""
    if case.row.get("offsets") != "utf16":
        return offset
    return len(text.encode("utf-16-le")[: 2 * offset].decode("utf-16-le", "replace"))


# --- apply -----------------------------------------------------------------------------------------------------


def _judge_apply(case: Case) -> Verdict:
    try:
        edits = edits_of(case)
    except EditFormatError as error:
        done = refused(case, str(error), "bad_format")
    else:
        done = planned(case, edits) if edits else refused(case, "no edits in it", "no_edits")
    if case.expect == "error":
        return _judge_error(case, done)
    return _judge_result(case, done)


def _judge_error(case: Case, done: Done) -> Verdict:
    """An error is right when it is told, and the files are as the peer leaves them."""
    said = "; ".join(done.refusals)
    if not done.refusals:
        return _verdict(done, Kind.WRONG, "applied, an error was expected")
    if "malformed" in case.tags and (done.reasons == ("no_edits",) or not said.strip()):
        return _verdict(done, Kind.WRONG, "taken as a text without edits, no message says what is malformed")
    wanted = case.get("allowed_reasons", list, [case.row["expected_reason"]] if "expected_reason" in case.row else [])
    if wanted and not set(done.reasons) <= set(wanted):
        return _verdict(done, Kind.WRONG, f"refused as {', '.join(done.reasons)}, expected: {', '.join(wanted)}")
    expected = encoded(case, case.after) if "expected_files" in case.row else done.before
    if done.after == expected:
        return _verdict(done, Kind.RIGHT, said)
    if done.is_untouched:
        return _verdict(done, Kind.REFUSED, f"wholly: {said}")
    return _verdict(done, Kind.WRONG, f"refused, but {difference(done.after, expected)}")


def _judge_result(case: Case, done: Done) -> Verdict:
    said = "; ".join(done.refusals)
    match case.expect:
        case "contains" | "match_found":
            good, why = _holds(case, done)
            good = good or done.after == _left_by_peer(case)
            expected = done.before
        case _:
            expected = encoded(case, case.after)
            good, why = done.after == expected, difference(done.after, expected)
    if not done.refusals:
        if case.expect == "partial":
            return _verdict(done, Kind.RIGHT if good else Kind.WRONG, why or "")
        return _verdict(done, Kind.RIGHT if good else Kind.WRONG, "" if good else why)
    if good and (case.expect == "partial" or (peer_of(case).partial and not done.is_untouched)):
        return _verdict(done, Kind.RIGHT, said)
    # What was refused is untouched; what was not must be as expected, except where half a file may stand.
    half = all(
        done.after.get(path) in (done.before.get(path), expected.get(path)) for path in {*done.after, *done.before}
    )
    if done.is_untouched or half or peer_of(case).partial:
        return _verdict(done, Kind.REFUSED, said)
    return _verdict(done, Kind.WRONG, why)


def _left_by_peer(case: Case) -> dict[str, bytes] | None:
    """What the peer itself left when its test passed, which holds whatever the row asks for; None when it is not told.

    A test that asserts something of two edits leaves one row with the parts of both.
    """
    if isinstance(case.row.get("peer_actual_files"), dict):
        return encoded(case, case.texts("peer_actual_files"))
    actual = case.row.get("peer_actual")
    return encoded(case, {**case.before, case.path: actual}) if isinstance(actual, str) else None


def _holds(case: Case, done: Done) -> tuple[bool, str]:
    text = "\n".join(part.decode(errors="replace") for part in done.after.values())
    for wanted in case.get("expected_contains", list, []):
        if wanted not in text:
            return False, f"does not contain {short(wanted)}"
    for unwanted in case.get("expected_not_contains", list, []):
        if unwanted in text:
            return False, f"contains {short(unwanted)}"
    return True, ""


def _verdict(done: Done, kind: Kind, said: str) -> Verdict:
    return Verdict(kind, said, done.after, done.reasons)


def _names(edits: Sequence[Edit]) -> str:
    return ", ".join(f"{type(edit).__name__} of {edit.path}" for edit in edits[:3])

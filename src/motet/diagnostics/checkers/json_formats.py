"""What tools print as JSON, whole or a document a line: ruff, ESLint, mypy, pyright, rustc and cargo, pytest.

Every reader takes what it understands and passes over the rest: a missing or odd field never raises.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import cast

from motet.diagnostics.checkers.finding import Finding, Place, RawEdit, RawFix, Unit, is_note, severity_of
from motet.diagnostics.json_value import integer_of, list_of, object_of, text_of
from motet.text import Severity

Fields = Mapping[str, object]

_LARGEST = 10**9
_PATIENCE = 4
"""How many times its own length an output is read in search of documents: it may begin one in every line."""
_COST_OF_NESTING = 50_000
_NO_FIELDS: Fields = {}


def take_documents(output: str) -> tuple[list[object], str]:
    """JSON objects and arrays that fill whole lines, and the output without them."""
    documents: list[object] = []
    rest: list[str] = []
    position = 0
    patience = _PATIENCE * len(output)
    while position < len(output):
        end = output.find("\n", position) + 1 or len(output)
        if output[position] in "[{" and patience >= 0:
            try:
                document, end = _document_at(output, position)
            except json.JSONDecodeError as error:
                patience -= error.pos - position
            except (ValueError, RecursionError):  # a number without end, brackets without end
                patience -= _COST_OF_NESTING
            else:
                documents.append(document)
                position = end
                continue
        rest.append(output[position:end])
        position = end
    return documents, "".join(rest)


def findings_of(document: object) -> Iterator[Finding]:
    """The findings in one document of any known form; none for another."""
    for item in list_of(document) or [document]:
        fields = object_of(item)
        if "messages" in fields:
            yield from _eslint(fields)
        elif "generalDiagnostics" in fields:
            yield from _pyright(fields)
        elif "tests" in fields or "collectors" in fields:
            yield from _pytest(fields)
        elif "reason" in fields:
            yield from _rustc(object_of(fields.get("message")))
        elif "$message_type" in fields or "spans" in fields:
            yield from _rustc(fields)
        elif "location" in fields:
            yield from _ruff(fields)
        elif "file" in fields and "line" in fields:
            yield from _mypy(fields)


def _ruff(fields: Fields) -> Iterator[Finding]:
    fix = object_of(fields.get("fix"))
    edits = tuple(
        RawEdit(_row(edit.get("location")), _row(edit.get("end_location")), _text(edit, "content"))
        for edit in map(object_of, list_of(fix.get("edits")))
    )
    raw = RawFix(_text(fix, "message"), edits, preferred=_text(fix, "applicability") == "safe")
    yield Finding(
        _text(fields, "filename"),
        _row(fields.get("location")),
        _text(fields, "message"),
        _row(fields.get("end_location")),
        severity_of(_text(fields, "severity")),
        _text(fields, "code"),
        fixes=(raw,) if fix else (),
    )


def _eslint(fields: Fields) -> Iterator[Finding]:
    for message in map(object_of, list_of(fields.get("messages"))):
        offered = [("", message.get("fix"))]
        offered += [
            (_text(each, "desc"), each.get("fix")) for each in map(object_of, list_of(message.get("suggestions")))
        ]
        end_line = _number(message, "endLine", 0)
        yield Finding(
            _text(fields, "filePath"),
            Place(_number(message, "line", 1), _number(message, "column", 1)),
            _text(message, "message"),
            Place(end_line, _number(message, "endColumn", 1)) if end_line else None,
            Severity.WARNING if message.get("severity") == 1 else Severity.ERROR,
            _text(message, "ruleId"),
            Unit.UTF16,
            tuple(
                fix for title, raw in offered for fix in _eslint_fix(title, object_of(raw), _text(message, "ruleId"))
            ),
        )


def _eslint_fix(title: str, fix: Fields, rule: str) -> Iterator[RawFix]:
    numbers = [each for each in list_of(fix.get("range")) if isinstance(each, int)]
    if len(numbers) == 2 and 0 <= numbers[0] <= numbers[1]:
        edit = RawEdit(numbers[0], numbers[1], _text(fix, "text"))
        yield RawFix(title or f"fix {rule}".strip(), (edit,), Unit.UTF16, preferred=not title)


def _mypy(fields: Fields) -> Iterator[Finding]:
    # Its columns count from 0, and -1 stands for no column.
    column = max(_number(fields, "column", 0), 0) + 1
    hint = _text(fields, "hint")
    word = _text(fields, "severity")
    yield Finding(
        _text(fields, "file"),
        Place(_number(fields, "line", 1), column),
        "\n".join(filter(None, (_text(fields, "message"), hint))),
        severity=severity_of(word),
        code=_text(fields, "code"),
        note=is_note(word),
    )


def _pyright(fields: Fields) -> Iterator[Finding]:
    for each in map(object_of, list_of(fields.get("generalDiagnostics"))):
        range_ = object_of(each.get("range"))
        start, end = (
            Place(_number(place, "line", 0) + 1, _number(place, "character", 0) + 1)
            for place in (object_of(range_.get("start")), object_of(range_.get("end")))
        )
        path, word = _text(each, "file"), _text(each, "severity")
        yield Finding(path, start, _text(each, "message"), end, severity_of(word), _text(each, "rule"), Unit.UTF16)


def _rustc(message: Fields) -> Iterator[Finding]:
    primary = next((span for span in _spans(message) if span.get("is_primary") is True), _NO_FIELDS)
    span = _outside_macros(primary)
    word = _text(message, "level")
    if not span:
        return
    children = [object_of(child) for child in list_of(message.get("children"))]
    notes = [f"{_text(child, 'level')}: {_text(child, 'message')}" for child in children if not _spans(child)]
    start, end = _ends(span)
    yield Finding(
        _text(span, "file_name"),
        start,
        "\n".join([_text(message, "message"), *filter(None, [_text(primary, "label")]), *notes]),
        end,
        severity_of(word),
        _text(object_of(message.get("code")), "code"),
        fixes=tuple(fix for child in children for fix in _rust_fix(child, _text(span, "file_name"))),
        note=is_note(word),
    )


def _rust_fix(child: Fields, path: str) -> Iterator[RawFix]:
    spans = [span for span in _spans(child) if isinstance(span.get("suggested_replacement"), str)]
    if spans and all(_text(span, "file_name") == path for span in spans):
        edits = tuple(RawEdit(*_ends(span), _text(span, "suggested_replacement")) for span in spans)
        sure = all(span.get("suggestion_applicability") == "MachineApplicable" for span in spans)
        yield RawFix(_text(child, "message"), edits, preferred=sure)


def _outside_macros(span: Fields) -> Fields:
    """The place in the user's own code that led to `span`, when that is inside a macro of another crate."""
    for _ in range(32):
        outer = object_of(object_of(span.get("expansion")).get("span"))
        if not outer or not _text(span, "file_name").startswith(("/", "<")):
            break
        span = outer
    return span


def _pytest(fields: Fields) -> Iterator[Finding]:
    """The report of the plug-in pytest-json-report."""
    for test in map(object_of, list_of(fields.get("tests"))):
        for phase in ("setup", "call", "teardown"):
            crash = object_of(object_of(test.get(phase)).get("crash"))
            if crash:
                name = _text(test, "nodeid").partition("::")[2].replace("::", ".")
                message = f"{name}: {_text(crash, 'message')}"
                yield Finding(_text(crash, "path"), Place(_number(crash, "lineno", 1)), message, subject=name)


def _document_at(output: str, position: int) -> tuple[object, int]:
    """The document that begins at `position`, and where the next line begins. Raises what `json` raises."""
    document, after = cast("tuple[object, int]", json.JSONDecoder().raw_decode(output, position))
    end = output.find("\n", after) + 1 or len(output)
    if output[after:end].strip():
        raise json.JSONDecodeError("more on the line", output, after)
    return document, end


def _text(fields: Fields, name: str) -> str:
    return text_of(fields.get(name))


def _number(fields: Fields, name: str, default: int) -> int:
    value = integer_of(fields.get(name))
    return default if value is None else min(max(value, -_LARGEST), _LARGEST)


def _row(value: object) -> Place:
    fields = object_of(value)
    return Place(_number(fields, "row", 1), _number(fields, "column", 1))


def _spans(fields: Fields) -> list[Fields]:
    return [object_of(span) for span in list_of(fields.get("spans"))]


def _ends(span: Fields) -> tuple[Place, Place]:
    start = Place(_number(span, "line_start", 1), _number(span, "column_start", 1))
    return start, Place(_number(span, "line_end", 1), _number(span, "column_end", 1))

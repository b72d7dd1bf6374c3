"""JSON while it arrives: every character as soon as it is there, and never a guess."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.edits.formats.json_stream import JsonReader
from motet.edits.formats.json_value import Json, JsonDone, JsonEvent, JsonText
from motet.errors import EditFormatError


def events(*chunks: str) -> list[JsonEvent]:
    reader = JsonReader()
    found = [event for chunk in chunks for event in reader.feed(chunk)]
    reader.end()
    return found


def value(*chunks: str) -> Json:
    last = events(*chunks)[-1]
    assert isinstance(last, JsonDone)
    assert last.path == ()
    return last.value


def refused(*chunks: str) -> tuple[str, int | None]:
    with pytest.raises(EditFormatError) as caught:
        events(*chunks)
    return str(caught.value), caught.value.line


def cut(text: str, seed: int) -> list[str]:
    rng = random.Random(seed)
    chunks: list[str] = []
    while text:
        size = rng.randint(1, rng.choice((1, 2, 5, 50)))
        chunks.append(text[:size])
        text = text[size:]
    return chunks


@pytest.mark.acceptance("S1-014", "S1-015", "SP-04")
def test_the_text_of_a_string_comes_with_its_path_as_soon_as_it_is_there() -> None:
    reader = JsonReader()
    assert reader.feed('{"path": "a.py",\n "edits": [{"old": "x =') == [
        JsonText(("path",), "a.py"),
        JsonDone(("path",), "a.py", 1),
        JsonText(("edits", 0, "old"), "x ="),
    ]
    assert reader.feed(" 1\\n") == [JsonText(("edits", 0, "old"), " 1\n")]
    assert reader.feed('y"}') == [
        JsonText(("edits", 0, "old"), "y"),
        JsonDone(("edits", 0, "old"), "x = 1\ny", 2),
        JsonDone(("edits", 0), {"old": "x = 1\ny"}, 2),
    ]
    assert reader.feed("]}") == [
        JsonDone(("edits",), [{"old": "x = 1\ny"}], 2),
        JsonDone((), {"path": "a.py", "edits": [{"old": "x = 1\ny"}]}, 1),
    ]
    assert reader.is_done


def test_escapes_may_be_cut_anywhere() -> None:
    text = r'{"a": "\u00e9\ud83d\ude00\n\\\"\/\b\f\r\t"}'
    assert value(*text) == {"a": 'é😀\n\\"/\b\f\r\t'}


def test_numbers_and_literals_end_where_something_else_begins() -> None:
    text = '{"a": 12, "b": -1.5e3, "c": true, "d": [null, false, 0], "e": {}, "f": []}'
    assert value(*text) == json.loads(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), JSON, max_size=4), st.booleans(), st.integers())
def test_any_object_in_any_pieces_is_read_like_the_whole(
    document: dict[str, object], is_ascii: bool, seed: int
) -> None:
    text = json.dumps(document, ensure_ascii=is_ascii, indent=seed % 3 or None)
    pieces = events(*cut(text, seed))
    assert pieces[-1] == JsonDone((), document, 1)
    told: dict[tuple[str | int, ...], str] = {}
    for event in pieces:
        if isinstance(event, JsonText):
            told[event.path] = told.get(event.path, "") + event.text
        elif isinstance(event.value, str):
            assert told.get(event.path, "") == event.value


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"a": ["x",], "b": True,}\n```\n',
        'Here it is: {"a": ["x"], "b": true} and that is all.',
        '\ufeff{"a": ["x" ,\n], "b" :True\n}',
    ],
)
def test_habits_whose_meaning_is_certain_are_taken(text: str) -> None:
    assert value(text) == value(*text) == {"a": ["x"], "b": True}


def test_a_line_end_within_a_string_is_one() -> None:
    assert value('{"a": "x\n\ty"}') == {"a": "x\n\ty"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: the arguments hold no JSON object"),
        ("only prose", "line 1: the arguments hold no JSON object"),
        ("[1]", "line 1: the arguments hold no JSON object"),
        ('{"a": "x', "line 1: the JSON ends before its object does (character 9 of the arguments)"),
        ('{"a": 1', "line 1: the JSON ends before its object does (character 8 of the arguments)"),
        ('{\n"a": 1,\n"a": 2}', "line 3: the key 'a' is given twice (character 13 of the arguments)"),
        (
            '{"a": "\\d"}',
            "line 1: \\d is no escape of JSON; a backslash is written \\\\ (character 8 of the arguments)",
        ),
        ('{"a": "\\u12x4"}', "line 1: \\u12x4 is no character (character 8 of the arguments)"),
        ('{"a": "\\ud83d"}', "line 1: half a surrogate pair (character 8 of the arguments)"),
        ('{"a": "\\ud83d\\n"}', "line 1: half a surrogate pair (character 8 of the arguments)"),
        ('{"a": "\\ude00"}', "line 1: half a surrogate pair (character 8 of the arguments)"),
        ("{\"a\": 'x'}", "line 1: a value is expected (character 7 of the arguments)"),
        ('{"a": 01}', "line 1: a value is expected (character 7 of the arguments)"),
        ('{"a": NaN}', "line 1: a value is expected (character 7 of the arguments)"),
        ('{"a": , "b": 1}', "line 1: a value is expected (character 7 of the arguments)"),
        ("{a: 1}", "line 1: a key in double quotes is expected (character 2 of the arguments)"),
        ('{"a" 1}', "line 1: a colon is expected behind the key (character 6 of the arguments)"),
        ('{"a": "x" "b"}', "line 1: a comma or the end is expected, not '\"' (character 11 of the arguments)"),
        ('{"a": [1}', "line 1: a comma or the end is expected, not '}' (character 9 of the arguments)"),
        ('{"a": 1} {"b": 2}', "line 1: a second object follows the first (character 10 of the arguments)"),
        ('{"a":' * 65, "line 1: the JSON is nested too deeply (character 321 of the arguments)"),
        (f'{{"a": {"9" * 500}}}', "line 1: a value is expected (character 7 of the arguments)"),
    ],
)
def test_what_is_not_certain_is_refused_with_its_place_however_it_was_cut(text: str, message: str) -> None:
    assert refused(text) == refused(*text) == refused(*cut(text, 1)) == (message, int(message[5]))


FRAGMENTS = st.sampled_from([*'{}[]",:\\n01-. ', '"a"', "\\u00e9", "\\ud83d", "true", '{"a":', "```", "\n"])


@given(st.lists(FRAGMENTS, max_size=40), st.integers())
def test_whatever_the_text_is_the_result_does_not_depend_on_its_pieces(fragments: list[str], seed: int) -> None:
    def outcome(chunks: list[str]) -> object:
        try:
            return value(*chunks)
        except EditFormatError as error:
            return str(error), error.line

    text = '{"a":' + "".join(fragments)
    assert outcome([text]) == outcome(list(text)) == outcome(cut(text, seed))

"""The terms by which text is found."""

import pytest

from motet.text.terms import Terms, terms, wanted


def found(query: str, text: str) -> bool:
    """Whether an index of these terms answers `query` with `text`, by the definition of `Wanted`."""
    have = terms(text)

    def in_order(words: tuple[str, ...], *, begins: bool) -> bool:
        for at in range(len(have.words) - len(words) + 1):
            there = have.words[at : at + len(words)]
            last = there[-1].startswith(words[-1]) if begins else there[-1] == words[-1]
            if last and there[:-1] == list(words[:-1]):
                return True
        return False

    return all(
        (bool(one.words) and in_order(one.words, begins=one.begins))
        or (bool(one.whole) and any(w.startswith(one.whole) if one.begins else w == one.whole for w in have.whole))
        for one in wanted(query)
    )


def test_words_are_lower_cased_and_in_order() -> None:
    assert terms("The Quick, brown fox.") == Terms(["the", "quick", "brown", "fox"], [])


@pytest.mark.parametrize(
    ("identifier", "parts"),
    [
        ("getUserName", ["get", "user", "name"]),
        ("get_user_name", ["get", "user", "name"]),
        ("MAX_SIZE", ["max", "size"]),
        ("HTTPServer", ["http", "server"]),
        ("parseHTML5Page", ["parse", "html5", "page"]),
    ],
)
def test_an_identifier_is_its_parts_and_the_whole(identifier: str, parts: list[str]) -> None:
    assert terms(identifier) == Terms(parts, [identifier.lower()])


@pytest.mark.parametrize(("word", "term"), [("_private", "private"), ("__init__", "init"), ("Word", "word")])
def test_a_word_with_a_single_part_is_that_part(word: str, term: str) -> None:
    assert terms(word) == Terms([term], [])


def test_a_japanese_run_is_pairs_and_single_characters() -> None:
    assert terms("検索履歴") == Terms(["検索", "索履", "履歴"], ["検", "索", "履", "歴"])


def test_words_and_runs_stay_neighbours() -> None:
    assert terms("Python3を使う").words == ["python3", "を使", "使う"]


def test_half_width_and_full_width_letters_are_the_same() -> None:
    assert terms("ﾃｽﾄ ＡＢＣ") == terms("テスト ABC")


def test_what_cannot_be_seen_does_not_divide_a_word() -> None:
    assert terms("co\u00adoperate 葛\U000e0100飾") == terms("cooperate 葛飾")


def test_half_of_a_character_does_no_harm() -> None:
    assert terms("a\ud800b") == Terms(["ab"], [])


def test_a_text_longer_than_a_stretch_has_all_its_terms() -> None:
    assert terms("word " * 20_000).words == ["word"] * 20_000
    assert len(terms("検" * 40_000).whole) == 40_000


@pytest.mark.parametrize("query", ["", "   ", "!!!", "_", '""', '"'])
def test_a_query_without_a_word_wants_nothing(query: str) -> None:
    assert wanted(query) == []


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("検", "文字を検索する"),
        ("る", "文字を検索する"),
        ("検索", "文字を検索する"),
        ("を検索", "文字を検索する"),
        ("ユーザ", "ユーザーの名前"),
        ("Python3を", "Python3を使う"),
        ("검색", "검색을 했다"),
        ("搜索", "用于搜索的词"),
        ("username", "user_name or username"),
        ("get user", "def get_user_name():"),
        ("getuser", "call getUser now"),
        ("get_user", "call getUserName now"),
        ("GETUSERNAME", "call getUserName now"),
        ("histor", "the history of it"),
        ("foo.bar", "call foo.bar()"),
        ('"second word"', "the second word"),
        ("strasse", "Straße"),
        ("naïve", "a NAÏVE one"),
    ],
)
def test_this_query_finds_this_text(query: str, text: str) -> None:
    assert found(query, text)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("索文", "文字を検索する"),
        ("検査", "検索と査定"),
        ("ABC検索歴", "ABC検索、索歴"),
        ("foo.bar", "bar foo"),
        ('"word second"', "the second word"),
        ("histor ", "the history of it"),
        ("hi", "history"),
        ("foo bar", "foo only"),
    ],
)
def test_this_query_does_not_find_this_text(query: str, text: str) -> None:
    assert not found(query, text)

"""What may be a name, and that two never share an address."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.board.addresses import address, check_name, key
from motet.errors import UsageError


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("backend", "backend"), ("Back-End_2", "Back-End_2"), ("山田", "山田"), ("レビュー", "レビュー"), ("ﾚﾋﾞｭｰ", "レビュー"),
        ("ｂｏｂ", "bob"), ("Jose\u0301", "José"), ("हिन्दी", "हिन्दी"), ("3d", "3d"), ("a" * 40, "a" * 40), ("allison", "allison"),
    ],
)  # fmt: skip
def test_a_name_holds_letters_and_digits_of_any_script(name: str, kept: str) -> None:
    assert check_name(name) == kept


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("All", "All cannot be a name: it has a meaning behind @; choose another word"),
        ("ＨＵＭＡＮ", "HUMAN cannot be a name: it has a meaning behind @; choose another word"),
        ("role", "role cannot be a name: it has a meaning behind @; choose another word"),
        ("a" * 41, f"{'a' * 40}… cannot be a name: it has 41 characters; 40 are the most"),
    ],
)
def test_a_reserved_or_long_name_is_refused(name: str, told: str) -> None:
    with pytest.raises(UsageError) as refused:
        check_name(name)
    assert str(refused.value) == told


@pytest.mark.parametrize(
    "name", ["", " ", "a b", "a.b", "a@b", "a/b", "a:b", "a!", "-a", "a-", "_a", "a_", "a\n", "a\u200bb", "\u0301a", "a\u202eb", "🙂", "\u3164"]
)  # fmt: skip
def test_what_a_mention_could_not_name_is_refused(name: str) -> None:
    with pytest.raises(
        UsageError, match="cannot be a name: take letters, digits, - and _, with a letter or digit at"
    ):
        check_name(name)


def test_an_address_is_the_name_and_five_characters_of_the_stable_id() -> None:
    id = "01900000-0000-7000-8000-000000000001"
    first = address("Backend", id, lambda _: False)
    assert first == address("Backend", id, lambda _: False)
    assert (first[:8], len(first)) == ("Backend-", 13)
    assert set(first[8:]) <= set("0123456789abcdefghjkmnpqrstvwxyz")


def test_ids_that_begin_alike_have_different_addresses() -> None:
    ids = [f"01900000-0000-7000-8000-{at:012x}" for at in range(100)]
    assert len({address("a", id, lambda _: False) for id in ids}) == 100


def test_where_an_address_is_taken_the_next_has_a_longer_end() -> None:
    taken: set[str] = set()
    for length in range(5, 33):
        one = address("山田", "same id", taken.__contains__)
        assert len(one) == len("山田-") + length
        taken.add(key(one))
    with pytest.raises(UsageError, match=r"^山田 with the id same id is registered already; take another name$"):
        address("山田", "same id", taken.__contains__)


def test_whether_an_address_is_taken_is_asked_without_case() -> None:
    small = address("backend", "1", lambda _: False)
    assert address("BACKEND", "1", {small}.__contains__) != small.replace("backend", "BACKEND")


@given(st.text())
def test_the_key_of_a_key_is_itself(text: str) -> None:
    assert key(key(text)) == key(text)


@given(st.lists(st.tuples(st.sampled_from(["a", "A", "山田"]), st.text()), max_size=30))
def test_no_address_is_ever_given_twice(registered: list[tuple[str, str]]) -> None:
    taken: set[str] = set()
    for name, id in dict.fromkeys(registered):
        one = key(address(name, id, taken.__contains__))
        assert one not in taken
        taken.add(one)

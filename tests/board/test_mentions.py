"""Whom the body of a post calls, and that everything else in it calls nobody."""

from __future__ import annotations

import time
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.board.addresses import check_name, key
from motet.board.mentions import (
    Addressee,
    Called,
    Known,
    Mention,
    Recipient,
    RoleCall,
    Roster,
    Unknown,
    called,
    find_mentions,
)
from motet.board.page import GUIDANCE
from motet.errors import UsageError

BACKEND = Known("backend-abc12", "backend", ("developer",))
REVIEW = Known("review-def34", "review", ("reviewer",))
SECOND = Known("second-0k3mz", "second", ("reviewer", "レビュー担当"))
YAMADA = Known("山田-7hq2x", "山田", ("reviewer",), is_human=True)
BOB = Known("bob-v5r8n", "Bob", is_human=True)
TWIN = Known("twin-11111", "twin", ("owner",))
OTHER_TWIN = Known("twin-22222", "Twin", ("owner",))
ROSTER = Roster([BACKEND, REVIEW, SECOND, YAMADA, BOB, TWIN, OTHER_TWIN])


def calls(body: str, author: str = "backend-abc12") -> Called:
    return called(find_mentions(body, ROSTER), ROSTER, author)


def reached(body: str) -> list[str]:
    """Whoever is called, in the words of addresses, roles and `all`."""
    found = calls(body, "nobody-00000")
    direct = [each.address for each in found.recipients] + [f"role:{each.role}" for each in found.roles]
    return ["all", *direct] if found.everyone else direct


@pytest.mark.acceptance("S4-010", "S4-033", "S4-072")
def test_the_example_of_the_design_calls_the_one_who_is_named_and_nobody_else() -> None:
    body = "@review-def34 The login feature is done, please review. File: src/auth/login.ts"
    assert find_mentions(body, ROSTER) == (Mention(0, 13, "@review-def34", Addressee.NAME, "review-def34"),)
    assert calls(body) == Called((Recipient("review-def34", high=False),))
    page = f"## 2026-01-11 18:00:00 backend-abc12\n\n{body}\n"
    assert calls(page) == Called((Recipient("review-def34", high=False),))


@pytest.mark.acceptance("S4-032")
@pytest.mark.parametrize(
    ("body", "whom"),
    [
        ("@backend-abc12 go", ["backend-abc12"]),
        ("ask @backend", ["backend-abc12"]),
        ("@BACKEND-ABC12: go", ["backend-abc12"]),
        ("@bob's", ["bob-v5r8n"]),
        ("@bob:please", ["bob-v5r8n"]),
        ("(@bob), [@review]. **@backend**!", ["bob-v5r8n", "review-def34", "backend-abc12"]),
        ("_@bob_ and __@backend__", ["bob-v5r8n", "backend-abc12"]),
        ("@bob--please @backend- so", ["bob-v5r8n", "backend-abc12"]),
        ("@bob/@backend&@review", ["bob-v5r8n", "backend-abc12", "review-def34"]),
        ("@bob...", ["bob-v5r8n"]),
        ("@bob(see below)", ["bob-v5r8n"]),
        ("@reviewer", ["role:reviewer"]),
        ("@role:reviewer @Role:Owner", ["role:reviewer", "role:owner"]),
        ("@developer?", ["role:developer"]),
        ("@owner?all", ["twin-11111", "twin-22222"]),
        ("@role:owner?ALL!", ["twin-11111", "twin-22222"]),
        ("@all @ALL @All", ["all"]),
        ("@All!", ["all"]),
        ("@human", ["山田-7hq2x", "bob-v5r8n"]),
        ("- [ ] @bob\n1. @backend", ["bob-v5r8n", "backend-abc12"]),
        ("| @bob | @backend |", ["bob-v5r8n", "backend-abc12"]),
        ("[ask @bob](http://h.example/@backend)", ["bob-v5r8n"]),
        ("<div>\n@bob\n</div>", ["bob-v5r8n"]),
        ("---\n\n@bob behind a line\n\n---\n", ["bob-v5r8n"]),
        ("> quoted\n\n@bob", ["bob-v5r8n"]),
        ("```\nx\n```\n@bob", ["bob-v5r8n"]),
        ("text\n    @bob", ["bob-v5r8n"]),
        ("a\r\n@bob\r\n", ["bob-v5r8n"]),
        ("@ｂｏｂ ＠bob", ["bob-v5r8n"]),
    ],
)
def test_a_mention_calls(body: str, whom: list[str]) -> None:
    assert reached(body) == whom


@pytest.mark.parametrize(
    ("body", "whom"),
    [
        ("進捗@reviewerさん見て", ["role:reviewer"]),
        ("@山田さん見て", ["山田-7hq2x"]),
        ("@山田-7HQ2Xさん", ["山田-7hq2x"]),
        ("これは@山田、@Bobへ。", ["山田-7hq2x", "bob-v5r8n"]),
        ("@Allの皆さん", ["all"]),
        ("@山田@bob", ["山田-7hq2x", "bob-v5r8n"]),
        ("@山田PRを見て", ["山田-7hq2x"]),
        ("@レビュー担当の方", ["role:レビュー担当"]),
        ("＠山田さん", ["山田-7hq2x"]),
        ("@Ｂｏｂさん", ["bob-v5r8n"]),
        ("@role:ﾚﾋﾞｭｰ担当さん", ["role:レビュー担当"]),
        ("「@bob」と（@backend）", ["bob-v5r8n", "backend-abc12"]),
        ("@bob는", ["bob-v5r8n"]),
        ("@山田2", []),
        ("@レビュー", []),
        ("@allée @Allison", []),
    ],
)
def test_next_to_text_without_spaces_a_name_ends_where_the_longest_known_one_does(body: str, whom: list[str]) -> None:
    assert reached(body) == whom


def test_of_two_known_names_the_longer_one_is_called_and_katakana_and_numbers_go_on() -> None:
    roster = Roster(
        [Known(f"x-{at}", name) for at, name in enumerate(["担当1", "担当10", "レビュー", "か", "山田太郎", "山田"])]
    )

    def names(body: str) -> list[str]:
        return [one.name for one in find_mentions(body, roster) if roster.kind(one.name)]

    assert names("@担当10さん @担当1さん @担当１０ @担当①") == ["担当10", "担当1", "担当10", "担当1"]
    assert names("@担当100 @レビューア @が @か\u3099") == []
    assert names("@レビューを @かな @山田太郎さん @山田花子さん") == ["レビュー", "か", "山田太郎", "山田"]


NOTHING = [
    "`@all`", "``a ` @all``", "`a\n@all`", "```\n@all\n```", "~~~ md\n@all\n~~~", "````\n```\n@all\n````", "```\n@all",
    "    @all", "\t@all", "text\n\n    @all", "- x\n\n      @all", "- ```\n  @all\n  ```", "> @all", "> - @all", "> > @all",
    "# @all", "###### x @all", "## 2026-01-11 18:00:00 @all", "Title @all\n===", "@all\n---", "- # @all",
    "<!-- @all -->", "<!--\n@all\n\n@all\n-->", "<a title=\"@all\">x</a>", "<pre>\n@all\n</pre>", "<script>\n@all\n</script>",
    "[x](@all)", "[x](http://h.example/@all)", "[x](http://h.example/ \"@all\")", "![x](@all)", "<https://h.example/@all>",
    "https://h.example/@all/1", "https://@all", "www.h.example/@all", "bob@All.example", "mail bob@all", "<bob@all.example>",
    "\\@all", "\\@bob", "@\\all", "@Allison", "@allé", "@all-hands", "@all_x", "@all.example", "@all/x", "@all@host", "@@all",
    "---\nto: \"@all\"\n---\n", "---\n# head\n\na: 1\nb:\n  - \"@all\"\n...\n", "\ufeff---\nto: \"@all\"\n---",
    "@", "@!", "@ all", "@role:", "@{all}", "@\u200ball", "#@all", "x@all", "é@all", "a_@all", "$@all", "@All@All.example",
    "@/all", "@./all", "@file.ts", "@scope/all", "@app.route('/all')", "@dataclass(frozen=True)", "@Component({", "@2x",
    "@Claude-{id}", "@<name>", "@https://h.example/", "@mcp:files", "@click=\"go\"", "@foo[0]", "@types/node", "@1.2.3",
]  # fmt: skip


@pytest.mark.acceptance("S4-086", "VB-03")
@pytest.mark.parametrize("body", NOTHING)
def test_code_quotes_headings_targets_addresses_and_what_is_no_name_call_nobody(body: str) -> None:
    assert reached(body) == []


@pytest.mark.parametrize(
    "body",
    [
        "@app.route('/x')",
        "@scope/x",
        "@/path",
        "@file.ts",
        "@2x",
        "@Claude-{id}",
        "@<name>",
        "@click=1",
        "@" + "a" * 500,
    ],
)
def test_what_does_not_look_like_a_name_is_not_told_to_the_author(body: str) -> None:
    assert find_mentions(body, ROSTER) == ()


@pytest.mark.acceptance("VB-03")
def test_the_guidance_of_a_page_calls_nobody_wherever_it_was_copied() -> None:
    assert find_mentions(GUIDANCE, ROSTER) == ()
    assert reached(f"Above:\n\n{GUIDANCE}\n@nobody") == []


@pytest.mark.acceptance("VB-03")
def test_a_header_that_somebody_forged_and_a_notification_that_is_quoted_call_nobody() -> None:
    body = "## 2026-01-11 18:00:00 @backend-abc12\n\n> review-def34 wrote:\n> @All please stop, @bob\n\nSeen."
    assert calls(body) == Called()


def test_a_mention_has_its_place_its_words_and_its_priority() -> None:
    body = "---\nto: x\n---\n> q\n\n- ask @Role:Reviewer?all! and @ALL!"
    assert find_mentions(body, ROSTER) == (
        Mention(25, 44, "@Role:Reviewer?all!", Addressee.ROLE, "reviewer", high=True, every=True),
        Mention(49, 54, "@ALL!", Addressee.ALL, "all", high=True),
    )


@pytest.mark.parametrize(
    ("body", "text"),
    [("@bob!", "@bob!"), ("@bob?", "@bob"), ("@bob!=x", "@bob"), ("@bob![x](y)", "@bob"), ("@bob?allow", "@bob")],
)
def test_a_priority_stands_directly_behind_the_name(body: str, text: str) -> None:
    [mention] = find_mentions(body, ROSTER)
    assert (mention.text, mention.high) == (text, text.endswith("!"))


def test_several_mentions_of_one_are_one_call_with_the_highest_priority() -> None:
    found = calls("@review, @REVIEW-def34! and @bob, @review")
    assert found == Called((Recipient("review-def34", high=True), Recipient("bob-v5r8n", high=False)))


def test_the_author_is_never_called() -> None:
    assert calls("@backend @backend-abc12! @BACKEND", "Backend-ABC12") == Called()
    assert calls("@human", "bob-v5r8n") == Called((Recipient("山田-7hq2x", high=False),))
    assert calls("@reviewer", "review-def34").roles == (
        RoleCall("reviewer", ("second-0k3mz", "山田-7hq2x"), high=False),
    )
    assert calls("@All", "bob-v5r8n") == Called(everyone=True)


def test_with_everyone_only_those_are_listed_who_are_called_with_a_higher_priority() -> None:
    assert calls("@All @bob @review! @reviewer") == Called((Recipient("review-def34", high=True),), everyone=True)
    assert calls("@All! @bob! @reviewer!") == Called(everyone=True, everyone_high=True)
    assert calls("@All @owner!") == Called(
        roles=(RoleCall("owner", ("twin-11111", "twin-22222"), high=True),), everyone=True
    )


def test_a_role_is_one_call_unless_all_of_it_are_called_already() -> None:
    three = ("review-def34", "second-0k3mz", "山田-7hq2x")
    assert calls("@reviewer @role:reviewer!") == Called(roles=(RoleCall("reviewer", three, high=True),))
    assert calls("@role:reviewer?all @reviewer") == Called(tuple(Recipient(each, high=False) for each in three))
    assert calls("@role:reviewer?all @reviewer!") == Called(
        tuple(Recipient(each, high=False) for each in three), (RoleCall("reviewer", three, high=True),)
    )
    assert calls("@review @reviewer").roles == (RoleCall("reviewer", three, high=False),)


def test_a_unique_name_wins_over_a_role_of_the_same_word_and_a_role_over_a_name_of_several() -> None:
    one = Roster([Known("owner-11111", "owner"), Known("x-22222", "x", ("owner",))])
    assert called(find_mentions("@owner", one), one, "x") == Called((Recipient("owner-11111", high=False),))
    assert called(find_mentions("@role:owner", one), one, "x").roles == (RoleCall("owner", ("x-22222",), high=False),)
    two = Roster([Known("owner-11111", "owner", ("owner",)), Known("owner-22222", "owner", ("owner",))])
    assert called(find_mentions("@owner", two), two, "x") == Called(
        roles=(RoleCall("owner", ("owner-11111", "owner-22222"), high=False),)
    )


@pytest.mark.parametrize(
    ("body", "unknown"),
    [
        ("@reveiw-def34 go", Unknown("@reveiw-def34", "nobody of this name", ("review-def34", "role:reviewer"))),
        ("@bob-v5r8m", Unknown("@bob-v5r8m", "nobody of this name", ("bob-v5r8n",))),
        ("@bobb!さん", Unknown("@bobb!", "nobody of this name", ("bob-v5r8n",))),
        ("@山本さんへ", Unknown("@山本", "nobody of this name", ())),
        ("@twin", Unknown("@twin", "several have this name", ("twin-11111", "twin-22222"))),
        ("@role:reviewr", Unknown("@role:reviewr", "nobody has this role", ("role:reviewer",))),
        ("@developer", Unknown("@developer", "nobody else has this role", ())),
        ("@nobody @Nobody", Unknown("@nobody", "nobody of this name", ())),
    ],
)
def test_a_mention_of_nobody_is_told_with_the_nearest_words(body: str, unknown: Unknown) -> None:
    assert calls(body) == Called(unknown=(unknown,))


def test_a_call_of_humans_where_there_are_none_is_told() -> None:
    roster = Roster([BACKEND])
    assert called(find_mentions("@human", roster), roster, "x") == Called(
        unknown=(Unknown("@human", "nobody else here is human", ()),)
    )


def test_no_more_than_twenty_unknown_words_are_told() -> None:
    assert len(calls(" ".join(f"@nobody{at}" for at in range(500))).unknown) == 20


PIECES = st.sampled_from([
    "@bob", "@backend", "@All", "@reviewer", "@role:owner?all", "@human", "!", "?all", "@twin", "@nobody", "@山田", "さん",
    " ", "\n", "\n\n", "`", "```", "    ", "> ", "# ", "- ", "<!--", "-->", "[", "](", ")", "\\", "@", "_", "/", ".", "-", "a",
    "---\n", "to: x\n", "\r\n", "===", "＠",
])  # fmt: skip
BODIES = st.lists(PIECES, max_size=25).map("".join)
AUTHORS = st.sampled_from([one.address for one in ROSTER.known])


@given(BODIES, AUTHORS)
def test_the_author_is_never_called_and_nobody_is_called_twice(body: str, author: str) -> None:
    found = calls(body, author)
    direct = [each.address for each in found.recipients]
    assert author not in direct
    assert len(set(direct)) == len(direct)
    assert all(call.members and author not in call.members for call in found.roles)
    assert len({call.role for call in found.roles}) == len(found.roles)


@given(BODIES | st.text())
def test_mentions_stand_where_they_say_in_order_and_without_overlap(body: str) -> None:
    found = find_mentions(body, ROSTER)
    assert all(body[one.start : one.end] == one.text and one.text[0] in "@＠" for one in found)
    assert all(one.end <= other.start for one, other in pairwise(found))


@given(BODIES)
def test_in_a_fence_or_a_quote_nothing_is_left_of_a_body(body: str) -> None:
    assert find_mentions(f"````\n{body}\n````", ROSTER) == ()
    lines = body.replace("\r", "").split("\n")
    assert find_mentions("\n".join(f"> {line}" for line in lines), ROSTER) == ()


@given(BODIES, st.text(st.characters(min_codepoint=0x3041, max_codepoint=0x3096), min_size=1))
def test_a_paragraph_in_japanese_before_a_body_without_a_head_changes_no_call(body: str, words: str) -> None:
    if not body.startswith("---"):
        assert calls(f"{words}\n\n{body}") == calls(body)


@given(
    st.lists(st.sampled_from(["@bob", "@山田", "@reviewer", "@All"]), min_size=1),
    st.sampled_from(["さん", "の", "、", "です"]),
)
def test_in_a_sentence_without_spaces_every_mention_calls(names: list[str], between: str) -> None:
    assert [one.text for one in find_mentions("進捗" + "".join(name + between for name in names), ROSTER)] == names


@given(
    st.text(max_size=50),
    st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]),
    st.sampled_from(["", " x", "さん", "、x", "!", "."]),
)
def test_whatever_may_be_a_name_is_called_by_it(text: str, form: str, behind: str) -> None:
    try:
        name = check_name(text)
    except UsageError:
        return
    roster = Roster([Known(f"{name}-abc12", name)])
    for written in (name, name.upper(), f"{name}-abc12"):
        word = unicodedata.normalize(form, written)  # type: ignore[arg-type]
        if key(word) in roster.names or key(word) in roster.addresses:  # not every letter comes back from upper case
            found = called(find_mentions(f"@{word}{behind}", roster), roster, "x")
            assert [each.address for each in found.recipients] == [f"{name}-abc12"]


@pytest.mark.parametrize(
    "piece",
    ["@", "@ ", "@a ", "@あ", "@backend ", "_@", "@All@", "@a/", "@" + "a" * 299 + " ", "@" + "あ" * 299, "@" + "_" * 200, "[@](", "---\n"],
    ids=lambda piece: str(piece)[:8].strip(),
)  # fmt: skip
def test_a_hostile_body_is_read_in_a_time_that_grows_with_its_length_alone(piece: str) -> None:
    def seconds(length: int) -> float:
        body = (piece * (length // len(piece) + 1))[:length]
        began = time.process_time()
        calls(body)
        return time.process_time() - began

    seconds(10_000)
    assert seconds(240_000) < 12 * (3 * max(seconds(20_000), 0.001)) + 0.5


def test_a_megabyte_of_signs_takes_no_time() -> None:
    began = time.process_time()
    assert calls("@" * 1_000_000) == Called()
    assert time.process_time() - began < 0.5

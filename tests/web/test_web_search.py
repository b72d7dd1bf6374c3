"""Searching through a service of the user's, whose key is seen by nobody else."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from web.web_kit import Site, open_gate

from motet.errors import PermissionDenied
from motet.permissions import Action, Answer, Effect, Gate, GrantStore, Origin, RuleSet
from motet.web import FetchError, FetchErrorKind, SearchConfig, SearchResult, WebRequest, search

KEY = "tvly-canary-0123456789abcdef"


async def key() -> str:
    return KEY


def service(name: str, site: Site) -> SearchConfig:
    match name:
        case "tavily":
            return SearchConfig(tavily_key=key, tavily_url=site.url("/search"))
        case "brave":
            return SearchConfig(brave_key=key, brave_url=site.url("/search"))
        case _:
            return SearchConfig(searxng=site.url("/"))


ANSWERS = {
    "searxng": {"query": "q", "results": [{"title": "One", "url": "https://one.example/", "content": "First."}]},
    "tavily": {"results": [{"title": "One", "url": "https://one.example/", "content": "First.", "score": 0.9}]},
    "brave": {
        "web": {
            "results": [{"title": "One", "url": "https://one.example/", "description": "<strong>First</strong>."}]
        }
    },
}


@pytest.mark.parametrize("name", ANSWERS)
async def test_the_answer_of_each_service_is_read(name: str, site: Site, tmp_path: Path) -> None:
    site.answer("/search", json.dumps(ANSWERS[name]), Content_Type="application/json")
    requests: list[WebRequest] = []
    found = await search(
        "blue  whale\n", config=service(name, site), gate=open_gate(tmp_path), count=3, on_request=requests.append
    )
    assert found == (SearchResult("One", "https://one.example/", "First."),)
    asked = site.asked[0]
    match name:
        case "tavily":
            assert asked.method == "POST"
            assert asked.headers["authorization"] == f"Bearer {KEY}"
            assert json.loads(asked.body) == {"query": "blue whale", "max_results": 3}
        case "brave":
            assert (asked.method, asked.target) == ("GET", "/search?q=blue+whale&count=3")
            assert asked.headers["x-subscription-token"] == KEY
        case _:
            assert (asked.method, asked.target) == ("GET", "/search?q=blue+whale&format=json")
    assert [each.host for each in requests] == ["127.0.0.1"]
    assert KEY not in repr(requests)


async def test_the_gate_is_asked_with_the_query_before_anything_leaves(site: Site, tmp_path: Path) -> None:
    questions: list[Action] = []

    async def ask(action: Action) -> Answer:
        questions.append(action)
        return Answer.NO

    gate = Gate(Path("/p"), RuleSet(), GrantStore(tmp_path), ask)
    with pytest.raises(PermissionDenied):
        await search("whales", config=service("tavily", site), gate=gate)
    assert [(each.effect, each.subject, each.origin, each.detail) for each in questions] == [
        (Effect.NET, "127.0.0.1", Origin.MODEL, "search: whales")
    ]
    assert site.connections == 0


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("status", [401, 403, 429, 500, 302])
async def test_a_failure_is_one_line_without_the_key(
    name: str, status: int, site: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    site.answer("/search", f"no: {KEY}", status=status, Location=f"http://evil.example/?{KEY}", X_Echo=KEY)
    with pytest.raises(FetchError) as caught:
        await search("q", config=service(name, site), gate=open_gate(tmp_path))
    assert caught.value.status == status
    assert caught.value.kind is (FetchErrorKind.BLOCKED if status in {403, 429} else caught.value.kind)
    assert "\n" not in str(caught.value)
    assert KEY not in str(caught.value) + caplog.text + repr(caught.value.__cause__) + repr(caught.value.__context__)
    assert len(site.asked) == 1


async def test_a_searxng_without_json_says_what_to_change(site: Site, tmp_path: Path) -> None:
    site.answer("/search", "", status=403)
    with pytest.raises(FetchError, match=r"add `json` to search\.formats"):
        await search("q", config=service("searxng", site), gate=open_gate(tmp_path))


@pytest.mark.parametrize(
    "body", ["", "<html>", "[]", '{"results": 3}', '{"results": "x"}', "[" * 100_000, '{"web": []}']
)
@pytest.mark.parametrize("name", ANSWERS)
async def test_an_answer_that_makes_no_sense_gives_an_error_or_nothing(
    name: str, body: str, site: Site, tmp_path: Path
) -> None:
    site.answer("/search", body, Content_Type="application/json")
    try:
        assert await search("q", config=service(name, site), gate=open_gate(tmp_path)) == ()
    except FetchError as error:
        assert error.kind is FetchErrorKind.NETWORK


async def test_results_are_cleaned_and_only_pages_are_kept(site: Site, tmp_path: Path) -> None:
    rows = [
        {"title": "A\u200b <b>title</b>\n&amp; more", "url": "https://a.example/", "content": None},
        {"title": "script", "url": "javascript:alert(1)", "content": ""},
        {"title": "none"},
        "not a row",
        {"title": None, "url": "https://b.example/", "content": "x" * 1000},
    ]
    site.answer("/search", json.dumps({"results": rows}))
    found = await search("q", config=service("searxng", site), gate=open_gate(tmp_path))
    assert found == (
        SearchResult("A title & more", "https://a.example/", ""),
        SearchResult("", "https://b.example/", "x" * 600 + "…"),
    )


async def test_an_empty_query_is_refused(site: Site, tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="nothing to search for"):
        await search("  ", config=service("searxng", site), gate=open_gate(tmp_path))


def test_a_config_never_shows_a_key() -> None:
    assert KEY not in repr(SearchConfig(tavily_key=key))
    assert [SearchConfig().usable, SearchConfig(searxng="http://x").usable, SearchConfig(brave_key=key).usable] == [
        False,
        True,
        True,
    ]

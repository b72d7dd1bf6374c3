"""A page comes from the address that was checked, by the way that was allowed."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Sequence
from pathlib import Path

import pytest
from web.web_kit import Asked, Fetching, Site, open_gate, running

from motet.errors import PermissionDenied
from motet.permissions import Action, Answer, Effect, Gate, GrantStore, Origin, Rule, RuleSet, Verdict
from motet.web import FetchError, FetchErrorKind, PageCache, fetch

CERTIFICATE = Path(__file__).parent / "site.pem"
HERE = ["127.0.0.1"]


async def failure(fetching: Fetching, url: str, **options: object) -> FetchError:
    with pytest.raises(FetchError) as caught:
        await fetching(url, **options)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    return caught.value


# --- the request -------------------------------------------------------------------------------------------------


@pytest.mark.acceptance("T-17")
async def test_a_page_is_asked_for_by_get_without_cookies_or_credentials(
    site: Site, fetching: Fetching, home: Path
) -> None:
    (home / ".netrc").write_text("machine 127.0.0.1 login someone password hidden\n")
    site.answer("/a", "<p>one", Set_Cookie="id=1; Path=/", status=200)
    site.answer("/b", "<p>two")
    await fetching(site.url("/a?q=1#part"))
    page = await fetching(site.url("/b"))
    assert page.text == "two"
    assert [asked.method for asked in site.asked] == ["GET", "GET"]
    assert site.targets == ["/a?q=1", "/b"]
    for asked in site.asked:
        assert set(asked.headers) == {"host", "accept", "accept-encoding", "connection", "user-agent"}


@pytest.mark.acceptance("T-17")
async def test_the_name_goes_with_the_request_and_the_checked_address_is_connected_to(
    site: Site, fetching: Fetching
) -> None:
    site.answer("/", "<p>here")
    page = await fetching(site.url(host="site.example"), names={"site.example": HERE})
    assert page.text == "here"
    assert page.final_url == f"http://site.example:{site.port}/"
    assert site.asked[0].headers["host"] == f"site.example:{site.port}"


@pytest.mark.acceptance("T-17")
async def test_a_name_that_changes_its_address_after_the_check_is_not_looked_up_again(
    site: Site, tmp_path: Path
) -> None:
    """The second answer would lead to the site; the one that was checked does not."""
    site.answer("/", "<p>rebound")
    answers = [["127.0.0.9"], HERE]
    looked_up: list[str] = []

    async def rebinding(host: str, _: int) -> Sequence[str]:
        looked_up.append(host)
        return answers[len(looked_up) - 1]

    with pytest.raises(FetchError) as caught:
        await fetch(site.url(host="site.example"), gate=open_gate(tmp_path), allow_private=True, resolve=rebinding)
    assert caught.value.kind is FetchErrorKind.NETWORK
    assert looked_up == ["site.example"]
    assert site.connections == 0


async def test_the_next_address_is_tried_when_one_does_not_answer(site: Site, fetching: Fetching) -> None:
    site.answer("/", "<p>second")
    names = {"site.example": ["127.0.0.9", "127.0.0.1"]}
    assert (await fetching(site.url(host="site.example"), names=names)).text == "second"


async def test_over_tls_the_certificate_must_stand_for_the_name(
    fetching: Fetching, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    names_seen: list[str | None] = []
    context.sni_callback = lambda _socket, name, _context: names_seen.append(name)
    async with running(context) as site:
        site.answer("/", "<p>safe")
        page = await fetching(site.url(host="site.example"), names={"site.example": HERE})
        assert page.text == "safe"
        assert names_seen == ["site.example"]
        error = await failure(fetching, site.url(host="other.test"), names={"other.test": HERE})
    assert error.kind is FetchErrorKind.NETWORK
    assert "certificate is not trusted" in str(error)
    assert len(site.asked) == 1


async def test_an_unknown_certificate_is_refused(fetching: Fetching) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    async with running(context) as site:
        error = await failure(fetching, site.url(host="site.example"), names={"site.example": HERE})
    assert "certificate is not trusted" in str(error)
    assert site.asked == []


async def test_a_name_without_address_is_a_network_error(fetching: Fetching) -> None:
    error = await failure(fetching, "https://nowhere.example/", names={})
    assert error.kind is FetchErrorKind.NETWORK
    assert "nowhere.example has no address" in str(error)
    assert fetching.requests == []


async def test_a_closed_port_is_a_network_error_and_the_attempt_is_reported(fetching: Fetching) -> None:
    async with running() as site:
        port = site.port
    error = await failure(fetching, f"http://127.0.0.1:{port}/")
    assert error.kind is FetchErrorKind.NETWORK
    assert [(each.host, each.bytes_out) for each in fetching.requests] == [("127.0.0.1", 0)]


# --- the gate ----------------------------------------------------------------------------------------------------


async def test_the_gate_is_asked_before_the_name_is_looked_up(tmp_path: Path) -> None:
    looked_up: list[str] = []

    async def resolve(host: str, _: int) -> Sequence[str]:
        looked_up.append(host)
        return HERE

    gate = Gate(Path("/p"), RuleSet(), GrantStore(tmp_path))
    with pytest.raises(PermissionDenied, match=r"net:site\.example: needs a yes"):
        await fetch("https://site.example/x", gate=gate, resolve=resolve)
    assert looked_up == []


async def test_the_gate_is_asked_once_for_each_host_of_a_chain_with_the_whole_address(
    site: Site, tmp_path: Path
) -> None:
    questions: list[Action] = []

    async def ask(action: Action) -> Answer:
        questions.append(action)
        return Answer.ONCE

    site.redirect("/a", "/b")
    site.redirect("/b", site.url("/c", host="other.example"))
    site.answer("/c", "<p>end")
    fetching = Fetching(Gate(Path("/p"), RuleSet(), GrantStore(tmp_path), ask))
    names = {"site.example": HERE, "other.example": HERE}
    page = await fetching(site.url("/a", host="site.example"), names=names, origin=Origin.PROJECT)
    assert page.text == "end"
    assert questions == [
        Action(Effect.NET, "site.example", Origin.PROJECT, f"http://site.example:{site.port}/a"),
        Action(Effect.NET, "other.example", Origin.PROJECT, f"http://other.example:{site.port}/c"),
    ]


async def test_a_redirect_to_a_host_that_is_denied_is_not_followed(site: Site, tmp_path: Path) -> None:
    site.redirect("/", site.url("/c", host="evil.example"))
    rules = [Rule(Verdict.ALLOW, Effect.NET), Rule(Verdict.DENY, Effect.NET, "evil.example")]
    fetching = Fetching(Gate(Path("/p"), RuleSet(rules), GrantStore(tmp_path)))
    with pytest.raises(PermissionDenied, match="denied by a rule"):
        await fetching(site.url(), names={"evil.example": HERE})
    assert site.targets == ["/"]
    assert fetching.looked_up == []


async def test_the_time_a_human_takes_to_answer_does_not_count(site: Site, tmp_path: Path) -> None:
    site.answer("/", "<p>patient")

    async def ask(_: Action) -> Answer:
        await asyncio.sleep(1.2)
        return Answer.ONCE

    fetching = Fetching(Gate(Path("/p"), RuleSet(), GrantStore(tmp_path), ask))
    assert (await fetching(site.url(), seconds=1.0)).text == "patient"


# --- redirects ---------------------------------------------------------------------------------------------------


@pytest.mark.acceptance("T-17")
@pytest.mark.parametrize(
    "location",
    ["http://169.254.169.254/latest/", "http://2852039166/", "//100.100.100.200/", "http://[::ffff:127.0.0.1]/",
     "file:///etc/passwd", "http:\\\\127.0.0.1/", "/\\evil.example/", "http://user@evil.example/", "http://x.example./",
     "http://[64:ff9b::7f00:1]/"],
)  # fmt: skip
async def test_a_redirect_to_a_refused_address_is_not_followed(location: str, site: Site, fetching: Fetching) -> None:
    site.redirect("/", location)
    error = await failure(fetching, site.url())
    assert error.kind is FetchErrorKind.ADDRESS
    assert site.targets == ["/"]
    assert len(fetching.requests) == 1


@pytest.mark.acceptance("T-17")
async def test_a_redirect_to_a_name_that_stands_for_a_private_address_is_not_followed(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first host is public by decree, so that the rule for the second one is the ordinary one."""
    from motet.web import networks

    monkeypatch.setattr(networks, "PRIVATE", [row for row in networks.PRIVATE if "127" not in str(row[0])])
    site.redirect("/", f"http://inside.example:{site.port}/secret")
    fetching = Fetching(open_gate(tmp_path))
    names = {"public.example": HERE, "inside.example": ["10.0.0.5"]}
    error = await failure(fetching, site.url(host="public.example"), names=names, allow_private=False)
    assert "inside.example stands for 10.0.0.5, which is private" in str(error)
    assert site.targets == ["/"]


async def test_a_redirect_from_https_to_http_is_refused(fetching: Fetching, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    async with running(context) as site, running() as plain:
        site.redirect("/", plain.url(host="site.example"))
        error = await failure(fetching, site.url(host="site.example"), names={"site.example": HERE})
    assert error.kind is FetchErrorKind.ADDRESS
    assert "without encryption" in str(error)
    assert plain.asked == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_followed_and_the_final_address_is_told(
    status: int, site: Site, fetching: Fetching
) -> None:
    site.redirect("/a/b", "../c?d", status)
    site.answer("/c", "<p>there")
    page = await fetching(site.url("/a/b"))
    assert (page.url, page.final_url, page.text) == (site.url("/a/b"), site.url("/c?d"), "there")


async def test_five_redirects_are_followed_and_a_sixth_is_not(site: Site, fetching: Fetching) -> None:
    for number in range(7):
        site.redirect(f"/{number}", f"/{number + 1}")
    site.answer("/7", "<p>end")
    assert (await fetching(site.url("/2"))).text == "end"
    error = await failure(fetching, site.url("/1"))
    assert "more than 5 redirects" in str(error)


async def test_redirects_in_a_circle_end(site: Site, fetching: Fetching) -> None:
    site.redirect("/a", "/b")
    site.redirect("/b", "/a")
    error = await failure(fetching, site.url("/a"))
    assert "go round in a circle" in str(error)
    assert site.targets == ["/a", "/b"]


# --- what sites answer -------------------------------------------------------------------------------------------


@pytest.mark.acceptance("CC-05")
@pytest.mark.parametrize("status", [404, 410])
async def test_a_page_that_is_not_there_is_an_error(status: int, site: Site, fetching: Fetching) -> None:
    site.answer("/gone", "<h1>Not here</h1>", status=status)
    error = await failure(fetching, site.url("/gone"))
    assert (error.kind, error.status) == (FetchErrorKind.NOT_FOUND, status)


@pytest.mark.acceptance("CC-05", "S0-088")
@pytest.mark.parametrize("status", [401, 402, 403, 429, 451, 999])
async def test_a_site_that_blocks_gives_the_address_alone_with_a_note(
    status: int, site: Site, fetching: Fetching
) -> None:
    site.answer("/", "<h1>Forbidden</h1><p>Go away", status=status)
    page = await fetching(site.url())
    assert page.text == ""
    assert len(page.notes) == 1
    assert f"({status}): only the address is shared" in page.notes[0]


@pytest.mark.acceptance("S0-088")
@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, "<title>Just a moment...</title><p>Enable JavaScript and cookies to continue"),
        (503, "<title>Just a moment...</title><p>Checking your browser"),
        (200, "<title>Shop</title><h1>Are you a human?</h1><p>Type the characters"),
    ],
)
async def test_a_robot_check_gives_the_address_alone_with_a_note(
    status: int, body: str, site: Site, fetching: Fetching
) -> None:
    site.answer("/", body, status=status)
    page = await fetching(site.url())
    assert page.text == ""
    assert "only the address is shared" in page.notes[0]


async def test_an_article_about_robot_checks_is_read(site: Site, fetching: Fetching) -> None:
    site.answer("/", "<title>How a CAPTCHA works</title><p>" + "A captcha is a test. " * 100)
    assert (await fetching(site.url())).text.startswith("A captcha is a test.")


@pytest.mark.acceptance("S0-088")
@pytest.mark.parametrize("body", ["", "<div id=root></div><script>start()</script>", "<nav>Home</nav>", " \n "])
async def test_a_page_without_text_gives_the_address_alone_with_a_note(
    body: str, site: Site, fetching: Fetching
) -> None:
    site.answer("/", body)
    page = await fetching(site.url())
    assert (page.text, page.truncated) == ("", False)
    assert page.notes == ("127.0.0.1 sent no text; the page may need a browser: only the address is shared",)


@pytest.mark.parametrize("status", [400, 418, 500, 502, 503])
async def test_a_server_that_fails_is_a_network_error_with_its_status(
    status: int, site: Site, fetching: Fetching
) -> None:
    site.answer("/", "broken", status=status)
    error = await failure(fetching, site.url())
    assert (error.kind, error.status) == (FetchErrorKind.NETWORK, status)


@pytest.mark.parametrize("mime", ["application/zip", "video/mp4", "application/x-msdownload", "font/woff2"])
async def test_what_is_no_text_is_refused_unread(mime: str, site: Site, fetching: Fetching) -> None:
    site.answer("/file", b"PK\x03\x04" + bytes(2_000_000), Content_Type=mime)
    error = await failure(fetching, site.url("/file"))
    assert error.kind is FetchErrorKind.NOT_TEXT
    assert fetching.requests[0].bytes_in < 500_000


async def test_a_server_that_speaks_no_http_is_a_network_error(site: Site, fetching: Fetching) -> None:
    async def garbage(_: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail.example ESMTP\r\n")

    site.handlers["/"] = garbage
    assert (await failure(fetching, site.url())).kind is FetchErrorKind.NETWORK


async def test_an_answer_that_breaks_off_is_a_network_error(site: Site, fetching: Fetching) -> None:
    async def half(_: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nonly this")

    site.handlers["/"] = half
    assert (await failure(fetching, site.url())).kind is FetchErrorKind.NETWORK


# --- the report, the cache, proxies ------------------------------------------------------------------------------


async def test_every_request_is_reported_with_its_size(site: Site, fetching: Fetching) -> None:
    site.redirect("/a", "/b")
    site.answer("/b", "x" * 5000, Content_Type="text/plain")
    await fetching(site.url("/a"))
    assert [each.url for each in fetching.requests] == [site.url("/a"), site.url("/b")]
    for each, asked in zip(fetching.requests, site.asked, strict=True):
        assert each.host == "127.0.0.1"
        assert abs(each.bytes_out - len(asked.raw)) < 30
        assert each.when.tzinfo is not None
    assert 5000 < fetching.requests[1].bytes_in < 5200


async def test_a_page_is_fetched_once_while_it_is_fresh(site: Site, fetching: Fetching) -> None:
    now = [0.0]
    cache = PageCache(life=60, clock=lambda: now[0])
    site.answer("/", "<p>first")
    assert (await fetching(site.url(), cache=cache)).text == "first"
    site.answer("/", "<p>second")
    assert (await fetching(site.url("/#top"), cache=cache)).text == "first"
    now[0] = 61
    assert (await fetching(site.url(), cache=cache)).text == "second"
    assert len(site.asked) == 2


async def test_a_cached_page_asks_nobody_but_only_under_the_same_rule(site: Site, tmp_path: Path) -> None:
    cache = PageCache()
    site.answer("/", "<p>inside")
    await Fetching(open_gate(tmp_path))(site.url(), cache=cache)
    closed = Gate(Path("/p"), RuleSet(), GrantStore(tmp_path))
    assert (await fetch(site.url(), gate=closed, allow_private=True, cache=cache)).text == "inside"
    assert len(site.asked) == 1
    with pytest.raises(PermissionDenied):
        await fetch(site.url("/other"), gate=closed, allow_private=True, cache=cache)
    with pytest.raises(FetchError, match="this machine"):
        await fetch(site.url(), gate=open_gate(tmp_path), cache=cache)


async def test_the_cache_stays_small() -> None:
    from motet.web import Page

    cache = PageCache()
    for number in range(100):
        cache.put(f"u{number}", Page("u", "u", "", "", "x" * 1_000_000), allow_private=False)
    kept = [n for n in range(100) if cache.get(f"u{n}", allow_private=False)]
    assert kept == list(range(92, 100))


async def test_a_proxy_of_the_environment_is_used_and_a_note_says_so(
    site: Site, fetching: Fetching, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{site.port}")
    site.answer("/page", "<p>by proxy")
    page = await fetching("http://far.example/page", names={}, allow_private=False)
    assert page.text == "by proxy"
    assert page.notes == ("the proxy of the environment looked the name up",)
    assert site.targets == ["http://far.example/page"]
    assert fetching.looked_up == []
    error = await failure(fetching, "http://10.0.0.1/", allow_private=False)
    assert error.kind is FetchErrorKind.ADDRESS


@pytest.mark.acceptance("PY-10")
async def test_no_proxy_and_this_machine_are_reached_directly(
    site: Site, fetching: Fetching, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "near.example")
    site.answer("/", "<p>directly")
    near = await fetching(site.url(host="near.example"), names={"near.example": HERE})
    here = await fetching(site.url())
    assert [near.text, here.text] == ["directly", "directly"]
    assert near.notes == here.notes == ()


async def test_a_proxy_that_cannot_be_used_is_one_clear_line(
    fetching: Fetching, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "carrier-pigeon://127.0.0.1:9")
    error = await failure(fetching, "http://far.example/", names={})
    assert str(error).endswith("no connection can be made; check SSL_CERT_FILE and HTTPS_PROXY")

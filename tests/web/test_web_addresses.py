"""An address that leads anywhere but to a public site is refused before anybody is asked or looked up."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motet.permissions import Action, Answer, Gate, GrantStore, RuleSet
from motet.web import FetchError, FetchErrorKind, WebRequest, fetch, parse_address
from motet.web.networks import why_refused

HOSTILE = {
    # numbers that are no dotted quad
    "http://2130706433/": "not four plain decimal",
    "http://2852039166/latest/meta-data/": "not four plain decimal",
    "http://0x7f000001/": "not four plain decimal",
    "http://0x7f.0.0.1/": "not four plain decimal",
    "http://0x7F.0x0.0x0.0x1/": "not four plain decimal",
    "http://0177.0.0.1/": "not four plain decimal",
    "http://017700000001/": "not four plain decimal",
    "http://127.1/": "not four plain decimal",
    "http://127.0.1/": "not four plain decimal",
    "http://10.1/": "not four plain decimal",
    "http://0/": "not four plain decimal",
    "http://0x/": "not four plain decimal",
    "http://127.0.0.01/": "not four plain decimal",
    "http://127.0.0.1.2/": "not four plain decimal",
    "http://256.256.256.256/": "not four plain decimal",
    "http://999999999999/": "not four plain decimal",
    "http://１２７.0.0.1/": "this machine",
    "http://127。0。0。1/": "this machine",
    "http://①②⑦.⓪.⓪.①/": "this machine",
    # places that are not public
    "http://127.0.0.1/": "this machine",
    "http://127.127.127.127:8080/": "this machine",
    "http://localhost/": "not a public name",
    "http://LOCALHOST:6379/": "not a public name",
    "http://a.localhost/": "not a public name",
    "http://localhost.localdomain/": "not a public name",
    "http://printer.local/": "not a public name",
    "http://intranet/": "not a public name",
    "http://0.0.0.0/": "unspecified",
    "http://0.1.2.3/": "unspecified",
    "http://10.0.0.1/": "private",
    "http://172.16.0.1/": "private",
    "http://172.31.255.255/": "private",
    "http://192.168.1.1/": "private",
    "http://100.64.0.1/": "shared by a carrier",
    "http://100.100.100.200/latest/meta-data/": "metadata service",
    "http://169.254.169.254/": "metadata service",
    "http://169.254.169.254:80/latest/api/token": "metadata service",
    "http://169.254.170.2/v2/credentials": "link-local",
    "http://168.63.129.16/": "metadata service",
    "http://192.0.0.192/": "metadata service",
    "http://metadata.google.internal/computeMetadata/v1/": "metadata service",
    "http://192.0.2.1/": "documentation",
    "http://198.18.0.1/": "reserved",
    "http://192.88.99.1/": "6to4",
    "http://224.0.0.1/": "multicast",
    "http://239.255.255.250:1900/": "multicast",
    "http://240.0.0.1/": "reserved",
    "http://255.255.255.255/": "reserved",
    # IPv6, and IPv4 in its clothes
    "http://[::1]/": "this machine",
    "http://[0:0:0:0:0:0:0:1]:8080/": "this machine",
    "http://[::]/": "unspecified",
    "http://[::ffff:127.0.0.1]/": "IPv4 address in IPv6 form",
    "http://[::ffff:7f00:1]/": "IPv4 address in IPv6 form",
    "http://[::ffff:169.254.169.254]/": "IPv4 address in IPv6 form",
    "http://[::ffff:8.8.8.8]/": "IPv4 address in IPv6 form",
    "http://[::127.0.0.1]/": "IPv4 address in IPv6 form",
    "http://[::ffff:0:127.0.0.1]/": "IPv4 address in IPv6 form",
    "http://[64:ff9b::7f00:1]/": "NAT64",
    "http://[64:ff9b::169.254.169.254]/": "NAT64",
    "http://[64:ff9b:1::a9fe:a9fe]/": "NAT64",
    "http://[2002:7f00:1::]/": "6to4",
    "http://[2002:a9fe:a9fe::1]/": "6to4",
    "http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/": "Teredo",
    "http://[fe80::1]/": "link-local",
    "http://[fe80::1%eth0]/": "network interface",
    "http://[fe80::1%25eth0]/": "network interface",
    "http://[fc00::1]/": "private",
    "http://[fd00:ec2::254]/": "metadata service",
    "http://[fec0::1]/": "private",
    "http://[ff02::1]/": "multicast",
    "http://[2001:db8::1]/": "documentation",
    "http://[100::1]/": "not a public address",
    "http://[::1": "brackets",
    "http://[127.0.0.1]/": "no IPv6 address",
    "http://[v1.fe80::a+en1]/": "no IPv6 address",
    # two readings
    "http://user@example.org/": "name or a password",
    "http://user:secret@example.org/": "name or a password",
    "http://example.org@127.0.0.1/": "name or a password",
    "http://example.org:80@127.0.0.1/": "name or a password",
    "http://127.0.0.1\\@example.org/": "backslash",
    "http:\\\\127.0.0.1\\": "backslash",
    "http://example.org\\.evil.test/": "backslash",
    "http://example.org./": "ends in a dot",
    "http://127.0.0.1./": "ends in a dot",
    "http://localhost./": "ends in a dot",
    "http://exa\tmple.org/": "control or invisible",
    "http://example.org/\r\nHost: evil.test": "control or invisible",
    "http://example.org\n/": "control or invisible",
    "\x00http://example.org/": "control or invisible",
    "http://exam\u200bple.org/": "control or invisible",
    "http://example.org/\u202egnp.exe": "control or invisible",
    "http://127.0.0.1%2f@example.org/": "name or a password",
    "http://%31%32%37.0.0.1/": "not four plain decimal",
    "http://example.org%00.evil.test/": "no valid name",
    "http://exa mple.org/": "no valid name",
    "http://example..org/": "no valid name",
    "http://-example.org/": "no valid name",
    "http://.example.org/": "no valid name",
    "http://exämple\u2024.org/": "",
    "http://example.org:0/": "its port",
    "http://example.org:65536/": "its port",
    "http://example.org:080/": "its port",
    "http://example.org:80:80/": "its port",
    "http://example.org:/": "missing",
    "http://example.org:８０/": "its port",
    "http:///etc/passwd": "missing",
    "http://?x": "missing",
    "http:example.org": "not a whole address",
    "http:/example.org": "not a whole address",
    "//example.org/": "not a whole address",
    "example.org": "not a whole address",
    "": "not a whole address",
    "https://": "missing",
    # other schemes
    "file:///etc/passwd": "only http and https",
    "ftp://example.org/": "only http and https",
    "gopher://127.0.0.1:6379/_FLUSHALL": "only http and https",
    "dict://127.0.0.1:11211/": "only http and https",
    "ws://example.org/": "only http and https",
    "javascript:alert(1)": "not a whole address",
    "data:text/html,hello": "not a whole address",
    "https://" + "a" * 64 + ".org/": "no valid name",
    "https://" + "a." * 127 + "org/": "no valid name",
    "https://example.org/" + "a" * 9000: "longer than",
}


class Watch:
    """What happened besides: questions to the human, look-ups, requests."""

    def __init__(self, state: Path, found: Sequence[str] = ("8.8.8.8",)) -> None:
        self.questions: list[Action] = []
        self.looked_up: list[str] = []
        self.requests: list[WebRequest] = []
        self.found = found
        self.gate = Gate(Path("/p"), RuleSet(), GrantStore(state), self.ask)

    async def ask(self, action: Action) -> Answer:
        self.questions.append(action)
        return Answer.ONCE

    async def resolve(self, host: str, _: int) -> Sequence[str]:
        self.looked_up.append(host)
        return self.found

    async def refusal(self, url: str, **options: object) -> FetchError:
        with pytest.raises(FetchError) as caught:
            await fetch(url, gate=self.gate, resolve=self.resolve, on_request=self.requests.append, **options)  # type: ignore[arg-type]
        assert self.requests == []
        return caught.value


@pytest.mark.acceptance("T-17")
def test_the_table_of_hostile_addresses_is_as_long_as_it_should_be() -> None:
    assert len(HOSTILE) >= 60


@pytest.mark.acceptance("T-17", "CC-05")
@pytest.mark.parametrize("url", HOSTILE, ids=[ascii(url)[1:60] for url in HOSTILE])
async def test_a_hostile_address_is_refused_and_nobody_is_asked(url: str, tmp_path: Path) -> None:
    watch = Watch(tmp_path)
    error = await watch.refusal(url)
    assert error.kind is FetchErrorKind.ADDRESS
    assert HOSTILE[url] in str(error)
    assert (watch.questions, watch.looked_up) == ([], [])
    assert "\n" not in str(error) and "secret" not in str(error)


@pytest.mark.acceptance("T-17")
@pytest.mark.parametrize(
    "number",
    ["127.0.0.1", "10.1.2.3", "169.254.169.254", "100.100.100.200", "0.0.0.0", "::1", "fd12::1", "fe80::1%eth0",
     "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::", "2001::1", "224.0.0.1", "192.168.0.1"],
)  # fmt: skip
async def test_a_public_name_that_stands_for_a_refused_address_is_refused(number: str, tmp_path: Path) -> None:
    watch = Watch(tmp_path, ["93.184.215.14", number])
    error = await watch.refusal("https://example.org/")
    assert error.kind is FetchErrorKind.ADDRESS
    assert "example.org stands for" in str(error)
    assert watch.looked_up == ["example.org"]


@pytest.mark.acceptance("T-17")
@pytest.mark.parametrize(
    "url",
    ["http://169.254.169.254/", "http://100.100.100.200/", "http://[fd00:ec2::254]/", "http://metadata.google.internal/",
     "http://[::ffff:127.0.0.1]/", "http://[fe80::1]/", "http://224.0.0.1/", "http://0.0.0.0/",
     "http://[64:ff9b::7f00:1]/"],
)  # fmt: skip
async def test_metadata_and_disguised_addresses_are_refused_even_where_private_ones_are_allowed(
    url: str, tmp_path: Path
) -> None:
    assert (await Watch(tmp_path).refusal(url, allow_private=True)).kind is FetchErrorKind.ADDRESS


@pytest.mark.parametrize(
    "number", ["127.0.0.1", "10.0.0.1", "192.168.1.1", "100.64.0.1", "198.18.0.1", "::1", "fc00::1"]
)
def test_private_addresses_are_fetched_from_where_that_is_allowed(number: str) -> None:
    assert why_refused(ipaddress.ip_address(number), allow_private=True) == ""


@pytest.mark.parametrize(
    "number", ["93.184.215.14", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "64:ff9b::808:808"]
)
def test_public_addresses_are_not_refused(number: str) -> None:
    assert why_refused(ipaddress.ip_address(number), allow_private=False) == ""


@given(st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6)))
def test_whatever_the_standard_library_calls_not_global_is_refused(
    number: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    if not number.is_global and number not in ipaddress.ip_network("64:ff9b::/96"):
        assert why_refused(number, allow_private=False)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("HTTPS://Example.ORG", "https://example.org/"),
        ("https://example.org:443/a?b=c#d", "https://example.org/a?b=c"),
        ("http://example.org:8080?x=1", "http://example.org:8080/?x=1"),
        ("https://例え.テスト/日本語?q=あ", "https://xn--r8jz45g.xn--zckzah/%E6%97%A5%E6%9C%AC%E8%AA%9E?q=%E3%81%82"),
        ("https://faß.de/", "https://xn--fa-hia.de/"),
        ("https://example.org/a b\"<>'", "https://example.org/a%20b%22%3C%3E'"),
        ("https://example.org/%2e%2e/%e3", "https://example.org/%2e%2e/%e3"),
        ("  https://example.org/  ", "https://example.org/"),
        ("http://[2606:4700:0:0::1111]:81/", "http://[2606:4700::1111]:81/"),
    ],
)
def test_an_ordinary_address_is_read_in_one_form(text: str, url: str) -> None:
    assert parse_address(text).url == url
    assert parse_address(url).url == url


@given(st.text(max_size=60).map(lambda rest: f"https://{rest}") | st.text(max_size=60))
def test_any_text_is_an_address_in_plain_ascii_or_refused(text: str) -> None:
    try:
        address = parse_address(text)
    except FetchError as error:
        assert error.kind is FetchErrorKind.ADDRESS
        return
    assert address.url.isascii() and address.url.isprintable() and " " not in address.url

"""The address of a page, read strictly: whatever two programs could read in two ways is refused."""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from dataclasses import dataclass
from typing import NoReturn
from urllib.parse import quote, urljoin

from motet.web.errors import FetchError, FetchErrorKind

MAX_CHARACTERS = 8_000
PORTS = {"http": 80, "https": 443}

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([^#]*)(?:#.*)?", re.DOTALL)
_PORT = re.compile(r"[1-9][0-9]{0,4}")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_SHOWN = 200
_UNRESERVED = "%/?:@!$&'()*+,;=~-._[]"


@dataclass(frozen=True, slots=True)
class WebAddress:
    """`scheme` is `http` or `https`; `host` a name in lower case and ASCII, or a numeric address without brackets;
    `target` is path and query as they are sent, in ASCII. A fragment is not kept: it never leaves."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def number(self) -> IpAddress | None:
        """The host as a numeric address, where it is one."""
        try:
            return ipaddress.ip_address(self.host)
        except ValueError:
            return None

    @property
    def authority(self) -> str:
        """As in the `Host` header: the port only where it is not the scheme's own."""
        return self.authority_of(self.host)

    def authority_of(self, host: str) -> str:
        """`host` in the place of ours, with the port where it is not the scheme's own."""
        named = f"[{host}]" if ":" in host else host
        return named if self.port == PORTS[self.scheme] else f"{named}:{self.port}"

    @property
    def url(self) -> str:
        """The whole address."""
        return f"{self.scheme}://{self.authority}{self.target}"

    def __str__(self) -> str:
        return shown(self.url)


def parse_address(text: str) -> WebAddress:
    """Read the address that `text` is; blanks around it are dropped.

    International names become Punycode (UTS 46), other characters of the path are percent-encoded. Raises
    `FetchError` (address) for anything but plain `http` and `https`: with a name or password, a number that is no
    dotted quad, an IPv6 zone, a trailing dot, a backslash, a control or invisible character.
    """
    text = text.strip(" ")
    if len(text) > MAX_CHARACTERS:
        _refuse(text, f"it is longer than {MAX_CHARACTERS} characters")
    if any(unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for character in text):
        _refuse(text, "it holds control or invisible characters")
    if "\\" in text:
        _refuse(text, "it holds a backslash")
    parts = _URL.fullmatch(text)
    if parts is None:
        _refuse(text, "it is not a whole address; write it as https://host/path")
    scheme, authority, target = parts[1].lower(), parts[2], parts[3]
    if scheme not in PORTS:
        _refuse(text, "only http and https are fetched")
    if "@" in authority:
        _refuse(text, "it holds a name or a password; leave out what stands before the @")
    host, port = _split(text, authority)
    number = _bracketed(text, host) if host.startswith("[") else ""
    if port and not (_PORT.fullmatch(port) and int(port) < 65_536):
        _refuse(text, "its port is no number from 1 to 65535")
    return WebAddress(
        scheme,
        number or _name(text, host),
        int(port) if port else PORTS[scheme],
        quote(target if target.startswith("/") else f"/{target}", safe=_UNRESERVED),
    )


def follow(base: WebAddress, location: str) -> WebAddress:
    """Where a redirect from `base` leads. Raises `FetchError` as `parse_address`, and for one to plain `http`."""
    # Joining would silently drop some of what `parse_address` refuses.
    if not location or not location.isprintable() or "\\" in location:
        _refuse(base.url, "it redirects to an address that cannot be read")
    try:
        joined = urljoin(base.url, location)
    except ValueError:
        _refuse(base.url, "it redirects to an address that cannot be read")
    target = parse_address(joined)
    if base.scheme == "https" and target.scheme == "http":
        _refuse(base.url, f"it redirects to {target.scheme}://{target.authority}, without encryption")
    return target


def shown(url: str) -> str:
    """`url` for a message: one line, not long, without a password."""
    plain = re.sub(r"//[^/?#]*@", "//…@", url)
    plain = "".join(character if character.isprintable() else "�" for character in plain)
    return plain if len(plain) <= _SHOWN else f"{plain[:_SHOWN]}…"


def _split(text: str, authority: str) -> tuple[str, str]:
    """Host (with its brackets) and port of `authority`."""
    if authority.startswith("["):
        host, bracket, rest = authority.partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            _refuse(text, "the brackets of its host do not match")
        host, colon, port = f"{host}]", rest[:1], rest[1:]
    else:
        host, colon, port = authority.partition(":")
    if not host or (colon and not port):
        _refuse(text, "its host or port is missing")
    return host, port


def _bracketed(text: str, host: str) -> str:
    if "%" in host:
        _refuse(text, "it names a network interface")
    try:
        return str(ipaddress.IPv6Address(host[1:-1]))
    except ValueError:
        _refuse(text, "what stands in brackets is no IPv6 address")


def _name(text: str, host: str) -> str:
    name = host.lower() if host.isascii() else _punycode(text, host)
    if name.endswith("."):
        _refuse(text, "its host ends in a dot; leave it out")
    labels = name.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        # Programs read such hosts as numbers, each in its own way.
        try:
            return str(ipaddress.IPv4Address(name))
        except ValueError:
            _refuse(text, "its host is a number, but not four plain decimal ones with dots")
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        _refuse(text, "its host is no valid name")
    return name


def _punycode(text: str, host: str) -> str:
    import idna

    try:
        return idna.encode(host, uts46=True).decode("ascii").lower()
    except (idna.IDNAError, UnicodeError):
        _refuse(text, "its host is no valid international name")


def _refuse(url: str, reason: str) -> NoReturn:
    raise FetchError(f"{shown(url)}: not fetched: {reason}", FetchErrorKind.ADDRESS)

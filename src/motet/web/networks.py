"""Which places of the network are fetched from, and what a name stands for, looked up by ourselves.

Sources: the IANA special-purpose address registries (RFC 6890), RFC 6052 (NAT64), and the addresses at which cloud
machines find their credentials.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence

from motet.web.address import IpAddress, WebAddress
from motet.web.errors import FetchError, FetchErrorKind

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""The numeric addresses of a host name (and a port), best first; raises `OSError` when there are none."""

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def _networks(*rows: tuple[str, str]) -> tuple[tuple[Network, str], ...]:
    return tuple((ipaddress.ip_network(network), what) for network, what in rows)


_METADATA = "the metadata service of a cloud machine"

NEVER = _networks(
    ("169.254.169.254/32", _METADATA),
    ("100.100.100.200/32", _METADATA),
    ("168.63.129.16/32", _METADATA),
    ("192.0.0.192/32", _METADATA),
    ("fd00:ec2::254/128", _METADATA),
    ("fd20:ce::254/128", _METADATA),
    ("0.0.0.0/8", "unspecified"),
    ("169.254.0.0/16", "link-local"),
    ("192.0.0.0/24", "reserved"),
    ("192.0.2.0/24", "reserved for documentation"),
    ("192.88.99.0/24", "a 6to4 relay"),
    ("198.51.100.0/24", "reserved for documentation"),
    ("203.0.113.0/24", "reserved for documentation"),
    ("224.0.0.0/4", "multicast"),
    ("240.0.0.0/4", "reserved"),
    ("::/128", "unspecified"),
    ("::ffff:0:0/96", "an IPv4 address in IPv6 form"),
    ("::ffff:0:0:0/96", "an IPv4 address in IPv6 form"),
    ("64:ff9b:1::/48", "a local NAT64 form of an IPv4 address"),
    ("2002::/16", "a 6to4 form of an IPv4 address"),
    ("2001::/32", "a Teredo form of an IPv4 address"),
    ("2001::/23", "reserved"),
    ("2001:db8::/32", "reserved for documentation"),
    ("3fff::/20", "reserved for documentation"),
    ("fe80::/10", "link-local"),
    ("ff00::/8", "multicast"),
)
"""Never fetched from, whatever is allowed."""

PRIVATE = _networks(
    ("127.0.0.0/8", "this machine"),
    ("10.0.0.0/8", "private"),
    ("172.16.0.0/12", "private"),
    ("192.168.0.0/16", "private"),
    ("100.64.0.0/10", "shared by a carrier's customers"),
    ("198.18.0.0/15", "reserved for measuring"),
    ("::1/128", "this machine"),
    ("fc00::/7", "private"),
    ("fec0::/10", "private"),
)
"""Fetched from only where private addresses are allowed."""

_COMPATIBLE = ipaddress.IPv6Network("::/96")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_PUBLIC_6 = ipaddress.IPv6Network("2000::/3")
_METADATA_NAMES = frozenset({"metadata.google.internal", "metadata.goog", "instance-data.ec2.internal"})
_PRIVATE_ENDS = (".localhost", ".local", ".internal", ".home.arpa", ".localdomain")


def why_refused(number: IpAddress, *, allow_private: bool) -> str:
    """What is wrong with fetching from `number`, in a few words; empty when nothing is."""
    for network, what in NEVER:
        if number in network:
            return what
    for network, what in PRIVATE:
        if number in network:
            return "" if allow_private else what
    if isinstance(number, ipaddress.IPv4Address) or number in _PUBLIC_6:
        return ""
    if number in _COMPATIBLE:
        return "an IPv4 address in IPv6 form"
    if number in _NAT64:
        # On networks without IPv4 this is how every site of the old Internet is reached.
        inner = ipaddress.IPv4Address(int(number) & 0xFFFF_FFFF)
        return why_refused(inner, allow_private=False) and "a NAT64 form of an address that is not public"
    return "not a public address"


def check_host(address: WebAddress, *, allow_private: bool) -> None:
    """Refuse what can be told from the host as it is written. Raises `FetchError` (address)."""
    if (number := address.number) is not None:
        if reason := why_refused(number, allow_private=allow_private):
            raise _refused(address, f"{number} is {reason}")
    elif address.host in _METADATA_NAMES:
        raise _refused(address, f"{address.host} is {_METADATA}")
    elif not allow_private and ("." not in address.host or address.host.endswith(_PRIVATE_ENDS)):
        raise _refused(address, f"{address.host} is not a public name")


async def pin(address: WebAddress, resolve: Resolve, *, allow_private: bool) -> Sequence[str]:
    """The numeric addresses to connect to, and no others. Raises `FetchError`: network when there are none, address
    when even one of them is refused."""
    check_host(address, allow_private=allow_private)
    if address.number is not None:
        return [address.host]
    try:
        found = [ipaddress.ip_address(number) for number in await resolve(address.host, address.port)]
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise FetchError(
            f"{address}: {address.host} has no address ({reason}); check the name and the connection",
            FetchErrorKind.NETWORK,
        ) from error
    for number in found:
        if reason := why_refused(number, allow_private=allow_private):
            raise _refused(address, f"{address.host} stands for {number}, which is {reason}")
    if not found:
        raise FetchError(f"{address}: {address.host} has no address; check the name", FetchErrorKind.NETWORK)
    return [str(number) for number in found]


async def system_resolve(host: str, port: int) -> Sequence[str]:
    """What the system's resolver says."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(where[0]) for *_, where in found))


def _refused(address: WebAddress, reason: str) -> FetchError:
    return FetchError(f"{address}: not fetched: {reason}", FetchErrorKind.ADDRESS)

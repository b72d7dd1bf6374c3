"""Which agent a client is: the same one whenever it comes back to the same directory, and never two at once."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from motet.engine.boards import usable_name
from motet.errors import MotetError
from motet.paths import remedy
from motet.storage.lease import Lease

_MOST = 100
"""Sessions of one client in one directory at a time."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Held until `lease` is closed, or the process ends, however that happens."""

    name: str
    id: str
    lease: Lease


def take_identity(state: Path, client: str, name: str, place: str) -> Identity:
    """The first identity of `client` (as it calls itself) at `place` that nobody holds now. `name` goes before the
    client's own. Raises `MotetError`."""
    called = usable_name(name or client, "mcp")
    base = f"{client}\n{place}\n{name}" if name else f"{client}\n{place}"
    for number in range(1, _MOST + 1):
        id = base if number == 1 else f"{base}\n#{number}"
        path = state / "mcp" / f"{blake2b(id.encode('utf-8', 'surrogatepass'), digest_size=16).hexdigest()}.lock"
        try:
            lease = Lease.take(path)
        except OSError as error:
            raise MotetError(f"{path}: cannot be written: {error.strerror}; {remedy(error)}") from error
        if lease is not None:
            return Identity(called, id, lease)
    raise MotetError(f"{_MOST} sessions of {called} are open here; close some of them")

"""The address of a provider's API."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from motet.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A base address, and how many seconds of silence it is allowed before and within an answer."""

    provider: str
    base_url: str
    timeout: float = 300.0

    @classmethod
    def parse(cls, provider: str, base_url: str, timeout: float = 300.0) -> Endpoint:
        """Check `base_url`. Raises `SettingsError` when it is no address, or holds what belongs elsewhere."""
        setting = f"providers.{provider}.base_url"
        try:
            parts = urlsplit(base_url.strip())
            port = parts.port
        except ValueError as error:
            raise SettingsError(f"{setting}: not an address ({error})") from error
        if parts.scheme not in {"http", "https"} or not parts.hostname or port == 0:
            raise SettingsError(f"{setting}: an address such as https://api.example.com/v1 is needed")
        if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
            raise SettingsError(
                f"{setting}: no user, password, ? or # in the address; a key goes into {setting[:-8]}key"
            )
        return cls(provider, f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/"), timeout)

    @property
    def host(self) -> str:
        """Host and port as in the address."""
        return urlsplit(self.base_url).netloc

    @property
    def is_here(self) -> bool:
        """Whether requests stay on this machine."""
        name = urlsplit(self.base_url).hostname or ""
        try:
            return ipaddress.ip_address(name).is_loopback
        except ValueError:
            return name == "localhost" or name.endswith(".localhost")

    @property
    def is_plain(self) -> bool:
        """Whether requests go without TLS."""
        return urlsplit(self.base_url).scheme == "http"

    def url(self, path: str) -> str:
        """The address of `path`; what the base address already holds of it is not doubled."""
        base = self.base_url.removesuffix(path)
        return (base.removesuffix("/v1") if path.startswith("/v1/") else base) + path

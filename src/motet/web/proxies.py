"""Proxies, only where the environment names one."""

from __future__ import annotations

from motet.web.address import WebAddress


def proxy_for(address: WebAddress) -> str:
    """The proxy that `HTTP_PROXY`, `HTTPS_PROXY` or `ALL_PROXY` names and `NO_PROXY` does not except; or empty.

    This machine is never reached through one.
    """
    from urllib.request import getproxies_environment, proxy_bypass

    number = address.number
    if address.host == "localhost" or (number is not None and number.is_loopback):
        return ""
    proxies = getproxies_environment()
    proxy = proxies.get(address.scheme) or proxies.get("all", "")
    if not proxy or proxy_bypass(address.host):
        return ""
    return proxy if "://" in proxy else f"http://{proxy}"

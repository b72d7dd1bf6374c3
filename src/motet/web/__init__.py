"""The web, one page at a time: addresses read strictly, names looked up once and connected to as checked, pages as
text, and searching through a service that the user set up.

Whoever fetches takes a `Gate`, which is asked for every host. What comes back is data that a stranger wrote: `share`
puts it into a frame that its text cannot leave.
"""

from motet.web.address import WebAddress, parse_address
from motet.web.errors import FetchError, FetchErrorKind
from motet.web.fetch import MAX_BYTES, fetch
from motet.web.networks import Resolve
from motet.web.page import Page, PageCache
from motet.web.reading import Kind, Raw, Reading, read_apart
from motet.web.search import SearchConfig, SearchResult, search
from motet.web.share import share, share_address
from motet.web.wire import OnRequest, WebRequest, unreported

__all__ = [
    "MAX_BYTES",
    "FetchError",
    "FetchErrorKind",
    "Kind",
    "OnRequest",
    "Page",
    "PageCache",
    "Raw",
    "Reading",
    "Resolve",
    "SearchConfig",
    "SearchResult",
    "WebAddress",
    "WebRequest",
    "fetch",
    "parse_address",
    "read_apart",
    "search",
    "share",
    "share_address",
    "unreported",
]

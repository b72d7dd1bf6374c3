"""What a file is for, where places are ranked: of source, manuals and what only builds the project stand apart."""

from __future__ import annotations

import re

_PAGES = re.compile(r"(?:^|/)(?:ChangeLog[^/]*|[A-Z]{4,})$|\.(?:[1-8]|texi|texinfo|sgml|pod|tex|sty|mdoc|me|ms)$")
_BUILD = re.compile(
    r"(?:^|/)(?:m4|build-aux|cmake)/[^/]*$|\.(?:m4|ac|am|in|cmake|mk|guess|sub|spec)$"
    r"|(?:^|/)(?:configure|GNUmakefile|Makefile[^/]*|CMakeLists\.txt|meson\.build|config\.(?:guess|sub|rpath|status|log|site|h\.in)|ltmain\.sh|install-sh|depcomp"
    r"|missing|compile|mkinstalldirs|setup\.py|Dockerfile|Jenkinsfile|Gruntfile\.js|gulpfile\.js)$"
)


def standing(path: str, kind: str) -> str:
    """`kind` (see `membership.kind_of`), or for source that is a manual `docs`, for what builds the project `build`."""
    if kind != "source":
        return kind
    if _PAGES.search(path):
        return "docs"
    return "build" if _BUILD.search(path) else kind

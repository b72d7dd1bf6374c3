"""Which files of a project an import means. Looks at paths and at a few small manifests only, never at a disk.

Where several files fit, the one nearest to the importing file is meant. What fits none is from outside.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from motet.index.map_facts import Facts, Taken

MANIFESTS = ("go.mod", "package.json", "Cargo.toml", "tsconfig.json")
"""Names of the files whose text `Resolver` wants to see."""

_SCRIPTS = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte")
_OF_SCRIPTS = re.compile(r"\.(?:[cm]?js|jsx)$")
_GO_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)
_PACKAGE = re.compile(r'"name"\s*:\s*"([^"]+)"')
_CRATE = re.compile(r'^\s*name\s*=\s*"([^"]+)"', re.MULTILINE)
_ALIAS = re.compile(r'"([^"]+?)/?\*?"\s*:\s*\[\s*"(?:\./)?([^"]*?)/?\*?"')
_MOST_OF_A_DIRECTORY = 40


class Resolver:
    """The files of one project, by what imports call them. `manifests`: the text of each file in `MANIFESTS`."""

    def __init__(self, paths: Iterable[str], manifests: Mapping[str, str] | None = None) -> None:
        self._paths = frozenset(paths)
        self._manifests = dict(sorted((manifests or {}).items()))

    def targets(self, path: str, facts: Facts) -> dict[str, tuple[str, ...]]:
        """The files that `path` imports, with the names that it takes from each (`*`: all), in the order of its text."""
        found: dict[str, dict[str, None]] = {}
        for taken in facts.imports:
            for target, names in self._files(path, facts.language, taken):
                if target != path:
                    found.setdefault(target, {}).update(dict.fromkeys(names))
        return {target: tuple(names) for target, names in found.items()}

    def _files(self, path: str, language: str, taken: Taken) -> Iterator[tuple[str, Sequence[str]]]:
        match language:
            case "python":
                return self._python(path, taken)
            case "javascript" | "typescript" | "tsx":
                return self._script(path, taken)
            case "go":
                return self._go(path, taken)
            case "rust":
                return self._rust(path, taken)
            case "c" | "cpp":
                return self._c(path, taken)
            case "java":
                return self._java(path, taken)
            case _:
                return iter(())

    # Python

    def _python(self, path: str, taken: Taken) -> Iterator[tuple[str, Sequence[str]]]:
        module = taken.module.lstrip(".")
        level = len(taken.module) - len(module)
        parts = [part for part in module.split(".") if part]
        if level:
            above = path.split("/")[:-level] if level < path.count("/") + 2 else None
            roots = [] if above is None else ["".join(f"{part}/" for part in above)]
        else:
            roots = self._python_roots(path, parts[0]) if parts else []
        for root in roots:
            base = f"{root}{'/'.join(parts)}".rstrip("/")
            found = list(self._python_module(base, taken.names))
            if found:
                yield from found
                return

    def _python_module(self, base: str, names: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
        """The module itself for the names that are no modules below it, and those modules."""
        own = self._first(f"{base}.py", f"{base}.pyi", f"{base}/__init__.py", f"{base}/__init__.pyi")
        rest: list[str] = []
        for name in names:
            below = self._first(f"{base}/{name}.py", f"{base}/{name}/__init__.py") if base else None
            below = below or (self._first(f"{name}.py", f"{name}/__init__.py") if not base else None)
            if below is not None:
                yield below, ()
            else:
                rest.append(name)
        if own is not None and (rest or not names):
            yield own, rest

    def _python_roots(self, path: str, top: str) -> list[str]:
        """Directories (with `/`) that hold the package or module `top`, the likeliest first."""
        return sorted(self._tops.get(top, ()), key=lambda root: _far(path, root))

    @cached_property
    def _tops(self) -> Mapping[str, set[str]]:
        """Directories that are no packages themselves, by the names that can be imported from them."""
        python = [path for path in self._paths if path.endswith((".py", ".pyi"))]
        packages = {path.rpartition("/")[0] for path in python if path.endswith(("/__init__.py", "/__init__.pyi"))}
        directories: set[str] = set()
        tops: dict[str, set[str]] = defaultdict(set)
        for path in python:
            directory, _, name = path.rpartition("/")
            directories.add(directory)
            if directory not in packages:
                tops[name.rpartition(".")[0]].add(f"{directory}/" if directory else "")
        for directory in sorted(directories):
            while directory:
                above, _, name = directory.rpartition("/")
                if above not in packages:
                    tops[name].add(f"{above}/" if above else "")
                directory = above
        return tops

    # JavaScript, TypeScript

    def _script(self, path: str, taken: Taken) -> Iterator[tuple[str, Sequence[str]]]:
        module = taken.module.partition("?")[0]
        if module.startswith("."):
            bases = [_joined(path.rpartition("/")[0], module)]
        else:
            bases = [
                f"{place}/{module[len(name) :].strip('/')}".strip("/")
                for name, place in self._packages
                if module == name
                or module.startswith(f"{name}/")
                or (name and name[-1] in "/~#" and module.startswith(name))
            ]
            bases += [each for base in bases for each in (f"{base}/src", f"{base}/src/index")]
        for base in bases:
            target = self._script_file(base) if base is not None else None
            if target is not None:
                yield target, taken.names
                return

    def _script_file(self, base: str) -> str | None:
        plain = _OF_SCRIPTS.sub("", base)
        tries = [base, *(f"{plain}{end}" for end in _SCRIPTS), *(f"{base}{end}" for end in _SCRIPTS)]
        return self._first(*tries, *(f"{base}/index{end}".lstrip("/") for end in _SCRIPTS))

    @cached_property
    def _packages(self) -> Sequence[tuple[str, str]]:
        """Names of packages in the project and aliases of directories, the longest first, with their places."""
        found: list[tuple[str, str]] = [("@", "src"), ("~", "src"), ("src", "src")]
        for path, text in self._manifests.items():
            place, _, name = path.rpartition("/")
            if name == "package.json" and (called := _PACKAGE.search(text)):
                found.append((called[1], place))
            elif name == "tsconfig.json":
                base = re.search(r'"baseUrl"\s*:\s*"([^"]*)"', text)
                inner = _joined(place, base[1] if base else ".") or ""
                paths = text[text.find('"paths"') :] if '"paths"' in text else ""
                found += [(alias, f"{inner}/{where}".strip("/")) for alias, where in _ALIAS.findall(paths)]
        return sorted(set(found), key=lambda pair: (-len(pair[0]), pair))

    # Go

    def _go(self, path: str, taken: Taken) -> Iterator[tuple[str, Sequence[str]]]:
        for module, place in self._go_modules:
            if taken.module == module or taken.module.startswith(f"{module}/"):
                directory = f"{place}/{taken.module[len(module) + 1 :]}".strip("/")
                files = [
                    each for each in self._in(directory) if each.endswith(".go") and not each.endswith("_test.go")
                ]
                yield from ((each, ()) for each in files[:_MOST_OF_A_DIRECTORY])
                return

    @cached_property
    def _go_modules(self) -> Sequence[tuple[str, str]]:
        found = [
            (named[1], path.rpartition("/")[0])
            for path, text in self._manifests.items()
            if path.rpartition("/")[2] == "go.mod" and (named := _GO_MODULE.search(text))
        ]
        return sorted(found, key=lambda pair: (-len(pair[0]), pair))

    # Rust

    def _rust(self, path: str, taken: Taken) -> Iterator[tuple[str, Sequence[str]]]:
        parts = [part.removeprefix("r#") for part in taken.module.split("::") if part]
        directory, _, name = path.rpartition("/")
        stem = name.removesuffix(".rs")
        below = directory if stem in ("mod", "lib", "main") else f"{directory}/{stem}".strip("/")
        start, own = below, path
        if parts and parts[0] == "crate":
            start = self._crate_of(directory)
            own = self._first(f"{start}/lib.rs".lstrip("/"), f"{start}/main.rs".lstrip("/")) or ""
            parts = parts[1:]
        elif parts and parts[0] in self._crates:
            start = self._crates[parts[0]]
            own = self._first(f"{start}/lib.rs".lstrip("/")) or ""
            parts = parts[1:]
        else:
            while parts and parts[0] in ("self", "super"):
                if parts[0] == "super":
                    start = start.rpartition("/")[0]
                    own = self._rust_module(start) or ""
                parts = parts[1:]
        for part in parts:
            further = f"{start}/{part}".lstrip("/")
            target = self._rust_module(further)
            if target is None and start == below and own == path:
                return  # from a crate outside
            if target is None:
                break
            start, own = further, target
        yield from self._rust_names(start, own, taken.names)

    def _rust_names(self, start: str, own: str, names: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
        modules = {name: self._rust_module(f"{start}/{name}".lstrip("/")) for name in names}
        yield from ((target, ()) for target in modules.values() if target is not None)
        rest = [name for name, target in modules.items() if target is None]
        if own and (rest or not names):
            yield own, rest

    def _rust_module(self, base: str) -> str | None:
        return self._first(f"{base}.rs", f"{base}/mod.rs", f"{base}/lib.rs")

    def _crate_of(self, directory: str) -> str:
        while directory and not {f"{directory}/lib.rs", f"{directory}/main.rs"} & self._paths:
            directory = directory.rpartition("/")[0]
        return directory

    @cached_property
    def _crates(self) -> Mapping[str, str]:
        """Directories with the source of each crate of the project, by the crate's name in code."""
        found: dict[str, str] = {}
        for path, text in self._manifests.items():
            if path.rpartition("/")[2] == "Cargo.toml" and (named := _CRATE.search(text)):
                place = f"{path.rpartition('/')[0]}/src".lstrip("/")
                if f"{place}/lib.rs" in self._paths:
                    found.setdefault(named[1].replace("-", "_"), place)
        return found

    # C, C++, Java

    def _c(self, path: str, taken: Taken) -> Iterator[tuple[str, Sequence[str]]]:
        name = taken.module.strip("<>")
        beside = _joined(path.rpartition("/")[0], name)
        if beside in self._paths and not taken.module.startswith("<"):
            yield beside, ()
            return
        tail = re.sub(r"^(?:\.\.?/)+", "", name)
        fits = [each for each in self._named.get(tail.rpartition("/")[2], ()) if f"/{each}".endswith(f"/{tail}")]
        if fits:
            yield min(fits, key=lambda each: (*_far(path, each), each)), ()

    def _java(self, path: str, taken: Taken) -> Iterator[tuple[str, Sequence[str]]]:
        package = taken.module.replace(".", "/")
        for name in taken.names or ("*",):
            if name == "*":
                holder = self._ending(path, f"{package}.java")
                files = [holder] if holder else self._in(self._java_directory(path, package))
                yield from ((each, ()) for each in files[:_MOST_OF_A_DIRECTORY] if each.endswith(".java"))
            elif (target := self._ending(path, f"{package}/{name}.java")) or (
                target := self._ending(path, f"{package}.java")
            ):
                yield target, (name,)

    def _java_directory(self, path: str, package: str) -> str:
        fits = [each for each in self._directories if f"/{each}".endswith(f"/{package}")]
        return min(fits, key=lambda each: (*_far(path, each), each), default="")

    def _ending(self, path: str, tail: str) -> str | None:
        fits = [each for each in self._named.get(tail.rpartition("/")[2], ()) if f"/{each}".endswith(f"/{tail}")]
        return min(fits, key=lambda each: (*_far(path, each), each), default=None)

    # What all of them ask

    def _first(self, *tries: str) -> str | None:
        return next((each for each in tries if each in self._paths), None)

    def _in(self, directory: str) -> Sequence[str]:
        return self._directories.get(directory, ())

    @cached_property
    def _directories(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self._paths):
            found[path.rpartition("/")[0]].append(path)
        return found

    @cached_property
    def _named(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self._paths):
            found[path.rpartition("/")[2]].append(path)
        return found


def _joined(directory: str, relative: str) -> str | None:
    """`relative` seen from `directory`; None when it leaves the project."""
    parts = directory.split("/") if directory else []
    for part in relative.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _far(path: str, other: str) -> tuple[int, int, str]:
    """How far `other` (a file, or a directory with `/`) is from `path`: directories that they do not share first."""
    ours, theirs = path.split("/")[:-1], other.split("/")[:-1]
    shared = 0
    while shared < min(len(ours), len(theirs)) and ours[shared] == theirs[shared]:
        shared += 1
    return len(theirs) - shared, len(ours) - shared, other

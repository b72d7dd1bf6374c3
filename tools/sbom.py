"""The list of what motet is made of (SBOM), as CycloneDX 1.6 JSON, from the lock: `make dist` puts it beside the wheel.

    python tools/sbom.py > motet.cdx.json

Each package of `requirements/all.lock` is a component with its version and the hashes it is installed by. Its scope says
what for: *required* by motet itself, *optional* for one of its extras, *excluded*: development and tests alone. What
depends on what is read from the packages in `.venv`. The same lock gives the same bytes.

CycloneDX: https://cyclonedx.org/docs/1.6/json/
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
import uuid
from collections.abc import Set
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements" / "all.lock"
ENTRY = re.compile(r"^([A-Za-z0-9._-]+)==(\S+).*\\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE)
NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "motet.sbom")


@dataclass(frozen=True, slots=True)
class Package:
    """One package of the lock: `needs` are the names of others there, `licence` an SPDX expression or ""."""

    name: str
    version: str
    hashes: tuple[str, ...]
    licence: str
    needs: frozenset[str]

    @property
    def url(self) -> str:
        """Its package URL, by which other tools know it."""
        return f"pkg:pypi/{self.name}@{self.version}"


def main() -> int:
    """Print the list."""
    text = LOCK.read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    own = [*project["dependencies"], *(each for extra in project["optional-dependencies"].values() for each in extra)]
    made = bill(project, packages(text, own), uuid.uuid5(NAMESPACE, text))
    print(json.dumps(made, indent=2, ensure_ascii=False))
    return 0


def packages(lock: str, own: list[str]) -> list[Package]:
    """The packages of the lock, `own` being what motet asks for; ValueError where an entry has no hash."""
    entries = [(canonicalize_name(name), version, hashes) for name, version, hashes in ENTRY.findall(lock)]
    if len(entries) != len(re.findall(r"^\S", lock, re.MULTILINE)):
        raise ValueError(f"{LOCK.name}: an entry is not `name==version` with its hashes")
    names = {name for name, _, _ in entries}
    data = {name: installed(name) for name in names}
    extras = asked_extras([*own, *(each for one in data.values() if one for each in one.requires or [])])
    found: list[Package] = []
    for name, version, hashes in entries:
        sums = tuple(sorted(re.findall(r"sha256:(\w+)", hashes)))
        here = data[name]
        needs = named(here.requires or [], extras.get(name, set())) & names - {name} if here else set()
        licence = (here.metadata.get("License-Expression") or "") if here else ""
        found.append(Package(name, version, sums, licence, frozenset(needs)))
    return found


def installed(name: str) -> Distribution | None:
    """What `.venv` knows of it; nothing of a package that is for other systems."""
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def asked_extras(requirements: list[str]) -> dict[str, set[str]]:
    """The extras of packages that somebody always asks for, as in `pyjwt[crypto]`."""
    asked: dict[str, set[str]] = {}
    for one in map(Requirement, requirements):
        if not for_an_extra(one):
            asked.setdefault(canonicalize_name(one.name), set()).update(one.extras)
    return asked


def named(requirements: list[str], extras: Set[str] = frozenset()) -> set[str]:
    """The names in `requirements`, on whatever system, with those for `extras` and without those for any other."""
    found: set[str] = set()
    for one in map(Requirement, requirements):
        if not for_an_extra(one) or any(one.marker and one.marker.evaluate({"extra": extra}) for extra in extras):
            found.add(canonicalize_name(one.name))
    return found


def for_an_extra(one: Requirement) -> bool:
    """Whether it is needed only with some extra."""
    return "extra" in str(one.marker or "")


def reached(start: set[str], known: list[Package]) -> set[str]:
    """Names: `start` and all that it needs."""
    needs = {one.name: one.needs for one in known}
    seen: set[str] = set()
    waiting = start & needs.keys()
    while waiting:
        name = waiting.pop()
        seen.add(name)
        waiting |= needs[name] - seen
    return seen


def bill(project: dict, known: list[Package], serial: uuid.UUID) -> dict:
    """The whole document."""
    base = named(project["dependencies"])
    extra = set().union(*(named(each) for each in project["optional-dependencies"].values()))
    required = reached(base, known)
    optional = reached(extra, known) - required
    own = f"pkg:pypi/{project['name']}@{project['version']}"
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": project["name"],
                "version": project["version"],
                "description": project["description"],
                "licenses": [{"license": {"id": project["license"]}}],
                "purl": own,
            }
        },
        "components": [
            component(one, "required" if one.name in required else "optional" if one.name in optional else "excluded")
            for one in known
        ],
        "dependencies": [edges(own, base | extra, known), *(edges(one.url, one.needs, known) for one in known)],
    }


def component(one: Package, scope: str) -> dict:
    """One package: its hashes belong to the files that it is distributed as."""
    licence = {"licenses": [{"expression": one.licence}]} if one.licence else {}
    hashes = [{"alg": "SHA-256", "content": each} for each in one.hashes]
    return {
        "type": "library",
        "bom-ref": one.url,
        "name": one.name,
        "version": one.version,
        "scope": scope,
        **licence,
        "purl": one.url,
        "externalReferences": [
            {"type": "distribution", "url": f"https://pypi.org/project/{one.name}/{one.version}/", "hashes": hashes}
        ],
    }


def edges(url: str, needs: Set[str], known: list[Package]) -> dict:
    """What a package needs, of what is locked; a lock may name one version for each of several Pythons."""
    return {"ref": url, "dependsOn": sorted(one.url for one in known if one.name in needs)}


if __name__ == "__main__":
    sys.exit(main())

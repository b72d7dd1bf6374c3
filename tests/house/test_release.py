"""What is released says what it is made of, and how it is released leaves no secret to steal."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"
SHA = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
HASHES = {
    "type": "array", "minItems": 1, "uniqueItems": True,
    "items": {"required": ["alg", "content"], "properties": {"alg": {"const": "SHA-256"}, "content": SHA}},
}  # fmt: skip
COMPONENT = {
    "type": "object",
    "required": ["type", "bom-ref", "name", "version", "scope", "purl", "externalReferences"],
    "properties": {
        "type": {"const": "library"},
        "scope": {"enum": ["required", "optional", "excluded"]},
        "purl": {"pattern": "^pkg:pypi/[a-z0-9-]+@[^@]+$"},
        "licenses": {"type": "array", "minItems": 1, "maxItems": 1, "items": {"required": ["expression"]}},
        "externalReferences": {
            "type": "array", "minItems": 1,
            "items": {
                "required": ["type", "url", "hashes"],
                "properties": {"type": {"const": "distribution"}, "hashes": HASHES},
            },
        },
    },
}  # fmt: skip
BILL = {
    "type": "object",
    "required": ["bomFormat", "specVersion", "serialNumber", "version", "metadata", "components", "dependencies"],
    "properties": {
        "bomFormat": {"const": "CycloneDX"},
        "specVersion": {"const": "1.6"},
        "serialNumber": {"pattern": "^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"},
        "version": {"const": 1},
        "components": {"type": "array", "uniqueItems": True, "items": COMPONENT},
        "dependencies": {"type": "array", "uniqueItems": True, "items": {"required": ["ref", "dependsOn"]}},
    },
}
"""What CycloneDX 1.6 asks of the parts that we write, a little stricter."""


def made() -> str:
    command = [sys.executable, ROOT / "tools" / "sbom.py"]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=100).stdout


@pytest.mark.acceptance("T-20")
def test_the_list_of_what_motet_is_made_of_is_the_lock() -> None:
    text = made()
    bill = json.loads(text)
    assert list(Draft202012Validator(BILL).iter_errors(bill)) == []
    assert text == made()
    listed = {
        f"{one['name']}=={one['version']}": {each["content"] for each in one["externalReferences"][0]["hashes"]}
        for one in bill["components"]
    }
    entries = re.split(r"\n(?=\S)", (ROOT / "requirements" / "all.lock").read_text("ascii"))
    assert listed == {entry.split()[0]: set(re.findall(r"sha256:(\w{64})", entry)) for entry in entries}


@pytest.mark.acceptance("T-20")
def test_it_tells_what_motet_needs_from_what_only_extras_and_tests_need() -> None:
    bill = json.loads(made())
    scope = {one["name"]: one["scope"] for one in bill["components"]}
    assert {name: scope[name] for name in ("httpx2", "httpcore2", "cffi", "trafilatura", "lxml", "pytest", "uv")} == {
        "httpx2": "required", "httpcore2": "required", "cffi": "required",  # by way of mcp, pyjwt[crypto], cryptography
        "trafilatura": "optional", "lxml": "optional",
        "pytest": "excluded", "uv": "excluded",
    }  # fmt: skip
    refs = [each["ref"] for each in bill["dependencies"]]
    assert refs == [bill["metadata"]["component"]["bom-ref"], *(one["bom-ref"] for one in bill["components"])]
    assert {name for each in bill["dependencies"] for name in each["dependsOn"]} <= set(refs)


# --- the release -----------------------------------------------------------------------------------------------


def jobs() -> dict[str, str]:
    """The text of each job of the workflow, without comments that stand alone."""
    text = WORKFLOW.read_text("utf-8").partition("\njobs:\n")[2]
    parts = re.split(r"^  (\w+):\n", text, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def rights(job: str) -> dict[str, str]:
    """What a job may do with the repository."""
    (block,) = re.findall(r"^    permissions:\n((?:      .+\n)+)", job, re.MULTILINE)
    return dict(re.findall(r"^      ([\w-]+): (\w+)$", block, re.MULTILINE))


@pytest.mark.acceptance("T-20")
def test_every_action_of_the_release_is_named_by_the_hash_of_a_commit() -> None:
    used = re.findall(r"uses: *(.+)", WORKFLOW.read_text("utf-8"))
    assert len(used) > 5
    assert [each for each in used if not re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each)] == []


@pytest.mark.acceptance("T-20")
def test_a_release_is_a_tag_that_is_tested_built_twice_attested_and_published_without_a_stored_secret() -> None:
    text = WORKFLOW.read_text("utf-8")
    assert re.findall(r"^on:\n  push:\n    tags: \[\"v\*\"\]\n\n", text, re.MULTILINE)
    assert "\npermissions: {}\n" in text and "secrets." not in text and "${{" not in text
    all_jobs = jobs()
    assert {name: rights(job) for name, job in all_jobs.items()} == {
        "build": {"contents": "read"},
        "attest": {"id-token": "write", "attestations": "write"},
        "publish": {"id-token": "write"},
    }
    build, attest, publish = all_jobs.values()
    steps = ("bash .ci/run", "make dist", 'diff -r "$RUNNER_TEMP/first" dist')
    assert [step for step in steps if step not in build] == []
    assert "run:" not in attest + publish  # what was built is not run where it is signed
    assert "needs: build" in attest and "actions/attest-build-provenance@" in attest
    assert "needs: attest" in publish and "environment: pypi" in publish and "attestations: true" in publish

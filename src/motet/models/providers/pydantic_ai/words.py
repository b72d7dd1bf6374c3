"""What pydantic-ai and the packages below it say of a provider that cannot be opened, in the words of motet's settings."""

from __future__ import annotations

import re

from motet.models.providers.failures import one_line

_KEY = "{0} is not set; set it, or {setting}.key"
_AWS_REGION = "no AWS region is known; set AWS_DEFAULT_REGION, or {setting}.options.region_name"
_SAYINGS = tuple(
    (re.compile(said), words)
    for said, words in (
        (r"must provide a `region_name`|Set the `AWS_DEFAULT_REGION`", _AWS_REGION),
        (r"Set the `([A-Z][A-Z0-9_]*)` environment variable", _KEY),
        (r"`api_key` argument or set the `([A-Z][A-Z0-9_]*)`", _KEY),
        (
            r"`azure_endpoint` argument or set the `([A-Z][A-Z0-9_]*)`",
            "{0} is not set; set it, or {setting}.base_url",
        ),
        (
            r"`(\w+)` argument or set the `([A-Z][A-Z0-9_]*)`",
            "{1} is not set; set it, or {setting}.options.{0}",
        ),
        (
            r"region_name '(.*?)' doesn't match",
            "{0!r} is no AWS region; set AWS_DEFAULT_REGION, or {setting}.options.region_name",
        ),
        (
            r"config profile \((.*?)\) could not be found",
            "there is no AWS profile {0!r}; `aws configure list-profiles` shows those that there are",
        ),
        (
            r"Partial credentials found in (.*?), missing: (.*)",
            "the AWS sign-in ({0}) is not whole: {1} is missing; set it",
        ),
        (
            r"default credentials were not found",
            "nobody is signed in at Google Cloud; run `gcloud auth application-default login`",
        ),
    )
)
"""What is said, and in which words it is told; `{0}` and so on stand for its groups."""
NO_AWS_SIGN_IN = "nobody is signed in at AWS; run `aws configure`, or set {setting}.key to a key of Bedrock's"


def plain(message: str, provider: str) -> str:
    """`message` for somebody who knows the settings of `provider`, and nothing of the package that says it."""
    for said, words in _SAYINGS:
        if found := said.search(message):
            return words.format(*found.groups(), setting=f"providers.{provider}")
    return one_line(message.partition(" To try Pydantic AI")[0])

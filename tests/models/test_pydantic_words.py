"""Providers of pydantic-ai's that cannot be opened: told in the words of the settings, before anything is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from motet.models import ModelConfig, ProviderConfig, list_models
from motet.models.providers.pydantic_ai.words import plain

SETTING = "providers.acme"
NO_SIGN_IN = f"nobody is signed in at AWS; run `aws configure`, or set {SETTING}.key to a key of Bedrock's"
NO_REGION = f"no AWS region is known; set AWS_DEFAULT_REGION, or {SETTING}.options.region_name"


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine on which nobody is signed in anywhere."""
    for name in (
        "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_DEFAULT_REGION", "AWS_REGION",
        "AWS_BEARER_TOKEN_BEDROCK", "AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS",
    ):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))


async def judged(service: str, key: str = "", **options: str) -> tuple[bool, str]:
    """Whether `motet models` calls it usable, and why."""
    own = ProviderConfig(dialect="pydantic-ai", service=service, model="m-1", options=options, key=key)
    nobody = ProviderConfig(base_url="http://127.0.0.1:9/v1")
    config = ModelConfig("", {"acme": own, "lmstudio": nobody})
    environ = {"OLLAMA_HOST": "127.0.0.1:9", "ACME_API_KEY": "sk-canary-0123456789abcdef"}
    (found,) = [each for each in await list_models(config, environ) if each.name == "acme/m-1"]
    return found.usable, found.reason


@pytest.mark.parametrize(
    ("service", "options", "why"),
    [
        ("bedrock", {}, NO_REGION),
        ("bedrock", {"region_name": "eu-central-1"}, NO_SIGN_IN),
        (
            "bedrock",
            {"region_name": "not a region"},
            f"'not a region' is no AWS region; set AWS_DEFAULT_REGION, or {SETTING}.options.region_name",
        ),
        (
            "bedrock",
            {"profile_name": "nosuch"},
            "there is no AWS profile 'nosuch'; `aws configure list-profiles` shows those that there are",
        ),
        ("azure", {}, f"AZURE_OPENAI_ENDPOINT is not set; set it, or {SETTING}.base_url"),
    ],
)
async def test_what_is_missing_is_told_in_words_of_the_settings(
    service: str, options: dict[str, str], why: str
) -> None:
    assert await judged(service, **options) == (False, why)


async def test_half_a_sign_in_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    assert await judged("bedrock", region_name="eu-central-1") == (
        False,
        "the AWS sign-in (env) is not whole: AWS_SECRET_ACCESS_KEY is missing; set it",
    )


async def test_a_sign_in_a_key_and_a_token_count(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await judged("bedrock", "env:ACME_API_KEY", region_name="eu-central-1") == (True, "ACME_API_KEY is set")
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "x")
    assert await judged("bedrock", region_name="eu-central-1") == (True, f"{SETTING} is set")
    monkeypatch.delenv("AWS_BEARER_TOKEN_BEDROCK")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "example")
    assert await judged("bedrock", region_name="eu-central-1") == (True, f"{SETTING} is set")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "Set the `GROQ_API_KEY` environment variable or pass it via `GroqProvider(api_key=...)`",
            f"GROQ_API_KEY is not set; set it, or {SETTING}.key",
        ),
        (
            "Must provide the `api_key` argument or set the `AZURE_OPENAI_API_KEY` (or, for a Voice-Live-only",
            f"AZURE_OPENAI_API_KEY is not set; set it, or {SETTING}.key",
        ),
        (
            "Must provide the `api_version` argument or set the `OPENAI_API_VERSION` environment variable",
            f"OPENAI_API_VERSION is not set; set it, or {SETTING}.options.api_version",
        ),
        (
            "Your default credentials were not found. To set up Application Default Credentials, see https://x",
            "nobody is signed in at Google Cloud; run `gcloud auth application-default login`",
        ),
        ("Something else.\nMore", "Something else. More"),
    ],
)
def test_the_words_of_packages_are_put_into_ours(said: str, told: str) -> None:
    assert plain(said, "acme") == told


async def test_half_a_client_is_not_heard_of_again(capfd: pytest.CaptureFixture[str]) -> None:
    usable, _ = await judged("google-cloud")
    assert not usable
    assert capfd.readouterr().err == ""

"""The guard on the road to a provider of pydantic-ai's: a client that could reach anybody reaches one host."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import httpx
import httpx2
import pytest
from models.pydantic_kit import Said, Vendor
from pydantic_ai.providers.bedrock import BedrockProvider

from motet.models.providers.endpoint import Endpoint
from motet.models.providers.pydantic_ai.watched import Client, watch_aws, watched_client
from motet.models.providers.transport import Broken

KINDS = ["httpx2.AsyncClient | None", "httpx.AsyncClient | None"]
OK = Said(b"{}")


def opened(kind: str) -> tuple[Client, httpx.AsyncClient | httpx2.AsyncClient]:
    watched = watched_client(kind, "acme", 60.0)
    assert watched
    assert isinstance(watched.client, httpx.AsyncClient | httpx2.AsyncClient)
    return watched, watched.client


def stopped(url: str) -> tuple[str, str]:
    """What is told of a request to `url` that did not leave."""
    host = url.removeprefix("http://")
    return f"it wanted to send to {host}, which is not the provider", "set the provider's base_url"


@pytest.mark.parametrize("kind", KINDS)
async def test_a_client_for_one_host_sends_nothing_to_another(kind: str) -> None:
    async with Vendor([OK]) as own, Vendor([OK]) as other:
        watched, client = opened(kind)
        watched.allow(Endpoint.parse("acme", f"{own.url}/v1"))
        async with client:
            with pytest.raises(Broken) as caught:
                await client.post(f"{other.url}/v1/messages", json={})
            assert (await client.post(f"{own.url}/v1/messages", json={})).status_code == 200
    assert (caught.value.what, caught.value.advice) == stopped(other.url)
    assert [each.target for each in own.came] == ["/v1/messages"]
    assert other.came == []


@pytest.mark.parametrize("kind", KINDS)
async def test_a_redirect_that_is_followed_ends_at_the_guard(kind: str) -> None:
    async with Vendor([OK]) as other:
        away = Said(b"", 307, headers={"Location": f"{other.url}/v1/messages"})
        async with Vendor([away]) as own:
            watched, client = opened(kind)
            watched.allow(Endpoint.parse("acme", own.url))
            async with client:
                with pytest.raises(Broken) as caught:
                    await client.post(f"{own.url}/v1/messages", json={}, follow_redirects=True)
    assert (caught.value.what, caught.value.advice) == stopped(other.url)
    assert len(own.came) == 1
    assert other.came == []


@pytest.mark.parametrize("kind", KINDS)
async def test_before_the_host_is_known_nothing_is_sent(kind: str) -> None:
    async with Vendor([OK]) as other:
        _, client = opened(kind)
        async with client:
            with pytest.raises(Broken) as caught:
                await client.post(f"{other.url}/v1/messages", json={})
    assert (caught.value.what, caught.value.advice) == stopped(other.url)
    assert other.came == []


async def test_a_host_that_stands_in_the_place_of_a_user_does_not_count() -> None:
    async with Vendor([OK]) as own, Vendor([OK]) as other:
        watched, client = opened(KINDS[0])
        watched.allow(Endpoint.parse("acme", own.url))
        async with client:
            with pytest.raises(Broken) as caught:
                await client.post(f"{own.url}@{other.url.removeprefix('http://')}/v1/messages", json={})
    assert (caught.value.what, caught.value.advice) == stopped(other.url)
    assert other.came == []


@pytest.mark.parametrize(
    ("allowed", "asked"),
    [
        ("https://api.example.com/v1", "https://api.example.com:443/v1/messages"),
        ("https://API.Example.com:443/v1", "https://api.example.com/v1/messages"),
    ],
)
async def test_the_same_host_written_in_another_way_is_let_through(allowed: str, asked: str) -> None:
    watched, client = opened(KINDS[0])
    watched.allow(Endpoint.parse("acme", allowed))
    async with client:
        for hook in client.event_hooks["request"]:
            await hook(client.build_request("POST", asked))


def aws(url: str) -> BedrockProvider:
    return BedrockProvider(
        region_name="eu-central-1",
        base_url=url,
        aws_access_key_id="AKIDEXAMPLE",
        aws_secret_access_key="example",
    )


async def converse(provider: BedrockProvider) -> Mapping[str, object]:
    ask: list[dict[str, object]] = [{"role": "user", "content": [{"text": "Hi"}]}]
    return await asyncio.to_thread(provider.client.converse, modelId="m-1", messages=ask)


async def test_a_client_of_aws_for_one_host_sends_nothing_to_another() -> None:
    async with Vendor([OK]) as own, Vendor([OK]) as other:
        astray, right = aws(other.url), aws(own.url)
        watch_aws(astray.client, Endpoint.parse("acme", own.url))
        watch_aws(right.client, Endpoint.parse("acme", own.url))
        with pytest.raises(Broken) as caught:
            await converse(astray)
        await converse(right)
    assert (caught.value.what, caught.value.advice) == stopped(other.url)
    assert [each.target for each in own.came] == ["/model/m-1/converse"]
    assert other.came == []

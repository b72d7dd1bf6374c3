"""Nothing that a server sends takes more time, memory or bytes than it may."""

from __future__ import annotations

import asyncio
import gzip
import importlib
import sys
import time
import zlib
from pathlib import Path

import pytest
from web.web_kit import Asked, Fetching, Site, pdf

from motet.context.attachment import plain
from motet.web import FetchError, FetchErrorKind, reading

PARAGRAPH = b"<p>A paragraph about <b>whales</b>, with <a href='/w'>a link</a>.</p>\n"


async def failure(fetching: Fetching, url: str, **options: object) -> FetchError:
    with pytest.raises(FetchError) as caught:
        await fetching(url, **options)  # type: ignore[arg-type]
    return caught.value


def endless(head: bytes, piece: bytes, times: int) -> tuple[object, list[int]]:
    """A handler that sends `piece` so many times, and how many it came to."""
    sent: list[int] = []

    async def handle(_: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n")
        for number in range(times):
            writer.write(piece)
            await writer.drain()
            sent.append(number)

    return handle, sent


@pytest.mark.acceptance("CC-05", "T-17")
async def test_a_page_of_50_megabytes_is_capped_with_a_note(site: Site, fetching: Fetching) -> None:
    piece = PARAGRAPH * (64 * 1024 // len(PARAGRAPH))
    handle, sent = endless(b"Content-Type: text/html\r\n", piece, 50 * 2**20 // len(piece))
    site.handlers["/"] = handle  # type: ignore[assignment]
    page = await fetching(site.url())
    assert page.truncated
    assert page.notes == (
        "the page is longer than 5 MiB; only that much was read",
        "only the first 200,000 characters of the text are here",
    )
    assert page.text.startswith("A paragraph about **whales**, with [a link](")
    assert len(page.text) == 200_000
    assert plain(page.text).left_out == 0  # and so it is when it is shared
    assert fetching.requests[0].bytes_in < 6 * 2**20
    assert len(sent) * len(piece) < 30 * 2**20


@pytest.mark.acceptance("S0-121")
async def test_a_page_of_the_greatest_length_is_whole(site: Site, fetching: Fetching) -> None:
    site.answer("/", "x" * 1000, Content_Type="text/plain")
    page = await fetching(site.url(), max_bytes=1000)
    assert (len(page.text), page.truncated, page.notes) == (1000, False, ())
    page = await fetching(site.url(), max_bytes=999)
    assert (len(page.text), page.truncated) == (999, True)
    assert page.notes == ("the page is longer than 999 bytes; only that much was read",)


@pytest.mark.acceptance("T-17")
@pytest.mark.parametrize("encoding", ["gzip", "deflate", "bare deflate"])
async def test_a_body_bomb_is_unpacked_no_further_than_the_limit(
    encoding: str, site: Site, fetching: Fetching
) -> None:
    size = 100 * 2**20
    if encoding == "gzip":
        bomb = gzip.compress(b"a" * size, 6)
    else:
        packer = zlib.compressobj(6, wbits=-15 if "bare" in encoding else 15)
        bomb = packer.compress(b"a" * size) + packer.flush()
    site.answer("/", bomb, Content_Encoding=encoding.split()[-1], Content_Type="text/plain")
    page = await fetching(site.url())
    assert page.truncated
    assert page.notes[0] == "the page is longer than 5 MiB; only that much was read"


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "deflate", "GZIP"])
async def test_a_compressed_page_is_read(encoding: str, site: Site, fetching: Fetching) -> None:
    body = zlib.compress(b"<p>packed") if encoding == "deflate" else gzip.compress(b"<p>packed")
    site.answer("/", body, Content_Encoding=encoding)
    assert (await fetching(site.url())).text == "packed"


async def test_damaged_or_unasked_compression_is_an_error(site: Site, fetching: Fetching) -> None:
    site.answer("/damaged", b"\x1f\x8b\x08nothing of the kind", Content_Encoding="gzip")
    site.answer("/brotli", b"\x0b\x02", Content_Encoding="br")
    assert (await failure(fetching, site.url("/damaged"))).kind is FetchErrorKind.NETWORK
    assert (await failure(fetching, site.url("/brotli"))).kind is FetchErrorKind.NOT_TEXT


@pytest.mark.acceptance("T-17")
async def test_a_server_that_drips_is_left_in_time(site: Site, fetching: Fetching) -> None:
    gone = asyncio.Event()

    async def drip(_: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
        try:
            for _ in range(600):
                writer.write(b"x")
                await writer.drain()
                await asyncio.sleep(0.05)
        finally:
            gone.set()

    site.handlers["/"] = drip
    error = await failure(fetching, site.url(), seconds=0.5)
    assert error.kind is FetchErrorKind.TIMEOUT
    assert fetching.requests[0].bytes_in > 0
    await asyncio.wait_for(gone.wait(), 20)


async def test_a_server_that_says_nothing_is_left_in_time(site: Site, fetching: Fetching) -> None:
    async def silent(_: Asked, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(30)

    site.handlers["/"] = silent
    assert (await failure(fetching, site.url(), seconds=0.3)).kind is FetchErrorKind.TIMEOUT


async def test_all_redirects_together_share_one_time(site: Site, fetching: Fetching) -> None:
    async def slowly(asked: Asked, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.3)
        following = int(asked.target[1:]) + 1
        writer.write(f"HTTP/1.1 302 Found\r\nLocation: /{following}\r\nContent-Length: 0\r\n\r\n".encode())

    site.handlers |= {f"/{number}": slowly for number in range(5)}
    site.answer("/5", "<p>end")
    error = await failure(fetching, site.url("/0"), seconds=0.8)
    assert error.kind is FetchErrorKind.TIMEOUT
    assert len(site.asked) <= 3


async def test_endless_headers_are_an_error(site: Site, fetching: Fetching) -> None:
    async def headers(_: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n" + b"X-More: and more\r\n" * 100_000)

    site.handlers["/"] = headers
    assert (await failure(fetching, site.url())).kind is FetchErrorKind.NETWORK


async def test_a_pdf_longer_than_the_limit_is_refused(
    site: Site, fetching: Fetching, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.import_module("motet.web.fetch"), "MAX_PDF_BYTES", 1000)
    handle, _ = endless(b"Content-Type: application/pdf\r\n", b"%PDF-1.4\n" + bytes(10_000), 40)
    site.handlers["/"] = handle  # type: ignore[assignment]
    error = await failure(fetching, site.url(), max_bytes=20_000)
    assert error.kind is FetchErrorKind.TOO_BIG


@pytest.mark.parametrize(
    "html",
    ["<a " * 100_000, "<![CDATA[" * 100_000, "<!--" * 200_000, "<" * 1_000_000, "<p " + "a=1 " * 500_000],
    ids=["open tags", "sections", "comments", "signs", "attributes"],
)
async def test_a_page_made_to_keep_its_reader_busy_is_read_or_left_in_time(
    html: str, site: Site, fetching: Fetching, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "READ_SECONDS", 1.0)
    site.answer("/", html)
    since = time.monotonic()
    try:
        await fetching(site.url())
    except FetchError as error:
        assert error.kind is FetchErrorKind.TOO_BIG
        assert "cannot be read" in str(error)
    assert time.monotonic() - since < 120


@pytest.mark.parametrize(
    "html",
    ["<div>" * 50_000 + "deep", "<ul><li>" * 10_000 + "deep", "<table><tr><td>" * 10_000 + "deep", "<b>" * 30_000 + "deep",
     "<blockquote><p>" * 10_000 + "deep", "<p>" * 20_000 + "deep"],
    ids=["div", "list", "table", "bold", "quote", "paragraph"],
)  # fmt: skip
async def test_a_page_nested_without_end_is_read(html: str, site: Site, fetching: Fetching) -> None:
    site.answer("/", html)
    assert "deep" in (await fetching(site.url())).text


async def test_the_process_that_reads_a_strangers_bytes_holds_no_keys(
    site: Site, fetching: Fetching, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spy = tmp_path / "spy"
    lines = [
        f"#!{sys.executable}",
        "import json, os, sys",
        "sys.stdin.buffer.read()",
        "names = sorted(name for name in os.environ if name != 'LC_CTYPE')",
        "print(json.dumps({'title': '', 'text': ' '.join(names), 'notes': [], 'truncated': False}))",
    ]
    spy.write_text("\n".join(lines))
    spy.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(spy))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "canary")
    site.answer("/", "<p>text")
    page = await fetching(site.url())
    assert set(page.text.split()) <= {"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH"}
    assert "PATH" in page.text


async def test_a_pdf_that_unpacks_without_end_is_left_in_time(
    site: Site, fetching: Fetching, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "READ_SECONDS", 3.0)
    body = pdf("before", zlib.compress(b"BT /F1 12 Tf (x) Tj ET " * (200 * 2**20 // 23), 9))
    site.answer("/", body, Content_Type="application/pdf")
    since = time.monotonic()
    try:
        page = await fetching(site.url())
        assert page.text.startswith("[page 1]\nbefore")
        assert page.notes == ("1 of 2 pages are damaged and left empty",)
    except FetchError as error:
        assert error.kind in {FetchErrorKind.TOO_BIG, FetchErrorKind.NOT_TEXT}
    assert time.monotonic() - since < 120


async def test_the_loop_goes_on_while_a_page_is_read(site: Site, fetching: Fetching) -> None:
    """A page is read in a process of its own: whoever waits for the model's next word does not wait for a parser."""
    site.answer("/", PARAGRAPH * 2000)
    longest = 0.0

    async def watch() -> None:
        nonlocal longest
        while True:
            since = time.thread_time()  # what others do with the machine is no work of this thread
            await asyncio.sleep(0.005)
            longest = max(longest, time.thread_time() - since)

    watching = asyncio.create_task(watch())
    await fetching(site.url())
    watching.cancel()
    assert longest < 0.2

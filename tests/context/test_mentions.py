"""What `@/path`, links and addresses share: files, ranges, directories, pictures, PDFs, pages, secrets."""

from __future__ import annotations

import io

import pytest
from context.context_kit import Place, Web

from motet.context import Expanded, Known, Page, Variables, expand
from motet.context.files import Paths
from motet.messages import Document, Image, tags
from motet.permissions import Answer, Gate, GrantStore, Rule, RuleSet, Verdict
from motet.workspace import MemoryWorkspace

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20
KNOWN = Known(Variables())


async def say(place: Place, text: str, **parts: object) -> Expanded:
    return await expand(text, KNOWN, place.using(**parts))


def items(expanded: Expanded) -> list[str]:
    return [message.context.id for message in expanded.attachments if message.context]


@pytest.mark.acceptance("S2-009", "S1-023")
async def test_a_mention_attaches_the_file_and_names_it_in_the_sentence(place: Place) -> None:
    place.write("lua/x/init.lua", "return {}\n")
    expanded = await say(place, "explain @./lua/x/init.lua please")
    assert expanded.text == "explain `lua/x/init.lua` please"
    assert [message.text for message in expanded.attachments] == [
        '<attachment filepath="lua/x/init.lua" lines="1-1">\n   1│ return {}\n</attachment>'
    ]
    assert expanded.notices == ()


async def test_a_range_attaches_only_its_lines(place: Place) -> None:
    place.write("a.py", "".join(f"x{number}\n" for number in range(1, 51)))
    expanded = await say(place, "@/a.py:10-12 と @/a.py:50")
    assert expanded.text == "`a.py` (lines 10-12) と `a.py` (line 50)"
    assert items(expanded) == ["<file>a.py:10-12</file>", "<file>a.py:50-50</file>"]
    assert "  10│ x10\n  11│ x11\n  12│ x12\n" in expanded.attachments[0].text


async def test_a_range_behind_the_end_is_not_shared_and_says_so(place: Place) -> None:
    place.write("a.py", "x\n")
    assert await say(place, "@/a.py:2") == Expanded("@/a.py:2", notices=("a.py:2-2: the file has fewer lines",))
    assert len((await say(place, "@/a.py:1-99")).attachments) == 1


@pytest.mark.acceptance("S1-032")
async def test_a_short_form_attaches_the_only_file_with_that_end(place: Place) -> None:
    place.write("src/deep/only.py", "x\n")
    place.write("a/twice.py", "x\n")
    place.write("b/twice.py", "x\n")
    expanded = await say(place, "@only.py, @deep/only.py, @twice.py, @b/twice.py and @app.route")
    assert expanded.text == "`src/deep/only.py`, `src/deep/only.py`, @twice.py, `b/twice.py` and @app.route"
    assert items(expanded) == ["<file>src/deep/only.py</file>", "<file>b/twice.py</file>"]
    assert expanded.notices == ("@twice.py: it may be a/twice.py or b/twice.py; sent as text",)


@pytest.mark.acceptance("S1-033")
async def test_a_link_attaches_the_file_and_stays_a_link(place: Place) -> None:
    place.write("src/file.ts", "one\ntwo\n")
    text = "see [file.ts](./src/file.ts#L2) and [this](./nothing.ts)"
    expanded = await say(place, text)
    assert expanded.text == text
    assert items(expanded) == ["<file>src/file.ts:2-2</file>"]


async def test_an_absolute_path_inside_the_workspace_is_meant(place: Place) -> None:
    place.write("a.py", "x\n")
    assert items(await say(place, f"@{place.root}/a.py")) == ["<file>a.py</file>"]


async def test_an_absent_file_is_a_notice_with_the_nearest_name(place: Place) -> None:
    place.write("src/components/Button.tsx", "x\n")
    expanded = await say(place, "look at @/src/components/Buton.tsx!")
    assert expanded.text == "look at @/src/components/Buton.tsx!"
    assert expanded.attachments == ()
    assert expanded.notices == (
        "src/components/Buton.tsx: no such file in the workspace; the nearest is src/components/Button.tsx",
    )


@pytest.mark.parametrize("text", ["@/../outside.txt", "@/etc/passwd", "@{/../outside.txt}", "@./../outside.txt"])
async def test_no_mention_leads_out_of_the_workspace(place: Place, text: str) -> None:
    (place.root.parent / "outside.txt").write_text("secret")
    expanded = await say(place, text)
    assert (expanded.text, expanded.attachments) == (text, ())
    assert len(expanded.notices) == 1


@pytest.mark.parametrize(
    "written", ["../x", "/../x", "a/../../x", "..", ".", "/", "", "./", "a\0b", "/etc/passwd", "x" * 5000]
)
def test_a_path_that_leaves_or_names_nothing_is_not_resolved(place: Place, written: str) -> None:
    place.write("../x", "secret")
    place.write("a/b", "")
    assert Paths(place.sources).resolve(written) is None


async def test_a_page_that_is_named_twice_is_fetched_once(place: Place) -> None:
    web = Web({"https://x.example/": Page("https://x.example/", "text")})
    assert len((await say(place, "@https://x.example/ @https://x.example/", fetch=web)).attachments) == 1
    assert web.asked == ["https://x.example/"]


async def test_a_link_on_disk_that_leads_out_is_refused(place: Place) -> None:
    (place.root.parent / "outside.txt").write_text("canary")
    (place.root / "inside.txt").symlink_to("../outside.txt")
    (place.root / "directory").symlink_to("..")
    place.human.answer = Answer.ONCE
    expanded = await say(place, "@/inside.txt @/directory @/directory/outside.txt")
    assert "canary" not in "".join(message.text for message in expanded.attachments)
    assert expanded.attachments == ()
    assert len(expanded.notices) == 3


async def test_a_directory_lists_its_files_without_ignored_ones_and_secrets(place: Place) -> None:
    for path in ("src/a.py", "src/deep/b.py", "src/node_modules/x.js", "src/.env", "other.py"):
        place.write(path, "x\n")
    expanded = await say(place, "what is in @/src?")
    assert expanded.text == "what is in the directory `src`?"
    [message] = expanded.attachments
    assert message.text == '<directory path="src" files="2">\nsrc/a.py\nsrc/deep/b.py\n</directory>'
    assert message.context is not None
    assert message.context.id == "<directory>src</directory>"


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0" + b"\0" * 20, "image/jpeg"),
        (b"GIF89a" + b"\0" * 20, "image/gif"),
        (b"RIFF\x10\0\0\0WEBPVP8 " + b"\0" * 20, "image/webp"),
    ],
)
@pytest.mark.acceptance("S1-027")
async def test_a_picture_is_known_by_its_first_bytes_and_travels_as_a_part(
    place: Place, data: bytes, mime: str
) -> None:
    place.write("shot.dat", data)
    expanded = await say(place, "what is on @/shot.dat ?")
    assert expanded.text == "what is on the picture `shot.dat` ?"
    [message] = expanded.attachments
    assert message.parts[1] == Image(data, mime, "shot.dat")
    assert message.tag == tags.IMAGE


async def test_a_model_that_cannot_see_refuses_a_picture_in_one_line(place: Place) -> None:
    place.write("shot.png", PNG)
    expanded = await say(place, "@/shot.png", sees_images=False)
    assert (expanded.text, expanded.attachments) == ("@/shot.png", ())
    assert expanded.notices == ("shot.png: not shared: this model cannot see pictures; choose one that can",)


async def test_another_binary_file_is_a_notice(place: Place) -> None:
    place.write("a.bin", b"\0\1\2")
    assert (await say(place, "@/a.bin")).notices == ("a.bin: binary file",)


def pdf() -> bytes:
    from pypdf import PdfWriter

    writer = PdfWriter()
    writer.add_blank_page(72, 72)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


@pytest.mark.acceptance("S1-027")
async def test_a_pdf_travels_as_a_document_to_a_model_that_reads_them(place: Place) -> None:
    place.write("paper.pdf", pdf())
    expanded = await say(place, "@/paper.pdf")
    [message] = expanded.attachments
    [_, part] = message.parts
    assert isinstance(part, Document)
    assert (part.data, part.mime, part.name) == (pdf(), "application/pdf", "paper.pdf")
    assert (message.tag, expanded.text) == (tags.DOCUMENT, "the document `paper.pdf`")


async def test_a_pdf_without_text_is_refused_by_a_model_that_cannot_read_it(place: Place) -> None:
    place.write("paper.pdf", pdf())
    expanded = await say(place, "@/paper.pdf", reads_documents=False)
    assert expanded.attachments == ()
    assert expanded.notices[0] == "paper.pdf: not shared: this model cannot read PDFs, and it holds no text"


@pytest.mark.acceptance("T-11")
async def test_a_secret_that_the_human_names_is_asked_about_and_without_a_yes_not_shared(place: Place) -> None:
    place.write(".env", "KEY=canary\n")
    (place.root / "innocent.txt").symlink_to(".env")
    for text in ("@/.env", "@/innocent.txt", "[x](./.env)"):
        expanded = await say(place, text)
        assert (expanded.text, expanded.attachments) == (text, ())
        assert "read:.env" in expanded.notices[0]
    assert place.human.asked == ["read:.env"] * 3
    place.human.answer = Answer.ONCE
    assert "KEY=canary" in (await say(place, "@/.env")).attachments[0].text


async def test_a_rule_that_denies_reading_holds_for_mentions(place: Place) -> None:
    place.write("private/plan.md", "canary")
    rules = RuleSet([Rule.parse("read:private/*", Verdict.DENY)])
    gate = Gate(place.root, rules, GrantStore(place.root.parent / "state"))
    expanded = await say(place, "@/private/plan.md", gate=gate)
    assert expanded.attachments == ()
    assert "denied" in expanded.notices[0]


async def test_code_that_may_not_leave_is_not_shared(place: Place) -> None:
    place.write("a.py", "x\n")
    expanded = await say(place, "@/a.py", may_share_code=False)
    assert (expanded.text, expanded.attachments) == ("@/a.py", ())
    assert expanded.notices == ("a.py: not shared: your settings forbid that code leaves",)


@pytest.mark.acceptance("S0-025", "S0-087")
async def test_an_address_shares_the_page_and_marks_the_turn_as_untrusted(place: Place) -> None:
    web = Web({"https://x.example/doc": Page("https://x.example/doc", "Neovim is an editor.", "Doc")})
    expanded = await say(place, "sum up @https://x.example/doc.", fetch=web)
    assert expanded.text == "sum up <https://x.example/doc>."
    assert "\nNeovim is an editor.\n</url>" in expanded.attachments[0].text
    assert items(expanded) == ["<url>https://x.example/doc</url>"]
    assert place.sources.gate.untrusted == ("page https://x.example/doc",)


@pytest.mark.acceptance("S0-088")
async def test_a_blocked_or_empty_page_or_no_web_at_all_shares_the_address_alone(place: Place) -> None:
    web = Web({"https://empty.example/": Page("https://empty.example/", "  \n")})
    for url, told in (
        ("https://blocked.example/", "https://blocked.example/: the server refused; the address alone is shared"),
        (
            "https://empty.example/",
            "https://empty.example/: the page is empty or blocked; the address alone is shared",
        ),
    ):
        expanded = await say(place, f"@{url}", fetch=web)
        assert expanded.attachments[0].text == (
            f'<url href="{url}"></url>\nThe address alone is shared; its page was not read.'
        )
        assert expanded.notices == (told,)
    assert "pages cannot be read here" in (await say(place, "@https://x.example/")).notices[0]


async def test_a_picture_on_the_web_is_a_part(place: Place) -> None:
    url = "https://x.example/p.png"
    web = Web({url: Page(url, "", part=Image(PNG, "image/png", "p.png"))})
    expanded = await say(place, f"@{url}", fetch=web)
    assert expanded.attachments[0].parts[1] == Image(PNG, "image/png", url)
    assert items(expanded) == [f"<image>{url}</image>"]


async def test_a_file_that_is_too_large_is_a_notice(place: Place) -> None:
    place.write("big.txt", b"x" * (17 * 1024 * 1024))
    expanded = await say(place, "@/big.txt")
    assert expanded.attachments == ()
    assert "17.8 MB" in expanded.notices[0]


async def test_a_long_file_is_shared_in_part_and_the_human_is_told(place: Place) -> None:
    place.write("long.txt", "0123456789\n" * 40_000)
    expanded = await say(place, "@/long.txt")
    assert expanded.notices == ("long.txt: too long; only its first part is shared",)
    assert len(expanded.attachments[0].text) < 201_000


async def test_a_workspace_in_memory_is_shared_from_alike(place: Place) -> None:
    memory = MemoryWorkspace({"src/a.py": "x\n", "src/b/c.py": "y\n"})
    expanded = await say(place, "@/src/a.py @c.py @/src @/src/nope.py", workspace=memory)
    assert items(expanded) == ["<file>src/a.py</file>", "<file>src/b/c.py</file>", "<directory>src</directory>"]
    assert expanded.notices == ("src/nope.py: no such file in the workspace; the nearest is src/a.py",)

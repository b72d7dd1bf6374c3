"""Walks through a chat in a terminal: pages, a message that is too long, what is shared and which rules go along, edits
however they come, chats of weeks ago."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from cli.chat.session_kit import OWN, QUIET, Talker, talker
from cli.kit import Project, Provider, block
from web.web_kit import pdf

from motet.models.scripted import Answer, call

Serve = Callable[..., Provider]


def leaves(human: Talker) -> None:
    human.is_ready()
    human.presses("\x04")
    assert human.ends() == 0


def shared_texts(provider: Provider, number: int = 0) -> str:
    """The text of the first user message of a request: what is shared stands before what was said."""
    messages = provider.requests[number].body["messages"]
    assert isinstance(messages, list)
    text = next(message["content"] for message in messages if message["role"] == "user")
    assert isinstance(text, str)
    return text


# --- pages -----------------------------------------------------------------------------------------------------

PAGE = "<title>Whales</title><nav>a menu</nav><main><p>Whales <b>sing</b> 日本.</p></main>"
ANSWERS = {
    "/page": (200, "text/html; charset=utf-8", PAGE.encode()),
    "/doc.pdf": (200, "application/pdf", pdf("Whales in a PDF.")),
    "/blocked": (403, "text/html", b"<title>Just a moment...</title>Checking your browser"),
    "/gone": (404, "text/html", b"<p>not here</p>"),
    "/big": (200, "text/html", b"<p>A whale, and another whale.</p>\n" * (50 * 2**20 // 35)),
}


class Pages(BaseHTTPRequestHandler):
    """Answers as `ANSWERS` says; who asks may leave before the end."""

    def do_GET(self) -> None:
        status, kind, data = ANSWERS[self.path]
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        try:
            self.wfile.write(data)
        except ConnectionError:
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def site() -> Iterator[str]:
    """The address of a site with these pages."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.acceptance("CC-05", "S0-025")
def test_pages_pdf_blocks_errors_giants_and_private_places_each_end_as_they_should_and_are_listed_with_their_tokens(
    project: Project, provider: Serve
) -> None:
    served = provider([Answer(text="I read them.")], more=QUIET + "[web]\nallow_private = true\n")
    project.settings(project.config.read_text().replace("context_tokens = 100000", "context_tokens = 400000"))
    human = talker(project, "chat", columns=120, rows=60)
    metadata = "http://169.254.169.254/"
    with site() as base:
        for path in ANSWERS:
            human.says(f"/fetch {base}{path}")
        human.says(f"/fetch {metadata}")
        human.says("what do they say?")
        human.sees("I read them.")
        human.says("/context")
        human.sees("tools included")
        leaves(human)

    addresses = [*(f"{base}{path}" for path in ANSWERS), metadata]
    page, _, blocked, gone, big, _ = addresses
    said = human.lines
    notes = said[said.index(f"› /fetch {page}") : said.index("› what do they say?")]
    assert [line for line in notes if not line.startswith(("› /fetch ", "With the next", "only the first"))] == [
        f"{blocked}: the page is empty or blocked; the address alone is shared",
        "127.0.0.1 does not let programs in (403): only the address is shared",
        f"{gone}: there is no such page (404); the address alone is shared",
        "the page is longer than 5 MiB; only that much was read",
        f"{metadata}: not fetched: 169.254.169.254 is the metadata service of a cloud machine; the address alone is",
        "shared",
    ]
    sent = shared_texts(served)
    assert "Whales **sing** 日本." in sent and "a menu" not in sent
    assert "Whales in a PDF." in sent
    assert "Checking your browser" not in sent and "not here" not in sent
    whale = "A whale, and another whale.\n\n"
    assert sent.count(whale.strip()) == 200_000 // len(whale) and " left out: too long]" not in sent
    assert notes.count("only the first 200,000 characters of the text are here") == 1

    listed = said[said.index("› /context") :]
    rows = [line.split() for line in listed if "<url>" in line and line.split()[0][0].isdigit()]
    tokens = {row[1]: int(row[0].replace(",", "")) for row in rows}
    assert set(tokens) == {f"<url>{address}</url>" for address in addresses}
    assert all(20 < tokens[f"<url>{address}</url>"] < 60 for address in addresses if address != big)
    assert tokens[f"<url>{big}</url>"] > 60_000
    arrived = [line for line in said if line.startswith("+ ")]
    assert [line.split()[1] for line in arrived] == [f"<url>{address}</url>" for address in addresses]
    assert all(line.endswith(" tokens") for line in arrived)


# --- too long --------------------------------------------------------------------------------------------------


@pytest.mark.acceptance("CC-06")
def test_above_the_cap_the_numbers_are_said_nothing_is_sent_and_the_message_stands_in_the_line_to_be_changed(
    project: Project, provider: Serve
) -> None:
    served = provider([Answer(text="It is short.")], more=QUIET + "max_prompt_tokens = 15000\n")
    project.write({"big.txt": "word " * 12_780, "small.txt": "x\n"})
    human = talker(project, "chat", columns=110)
    human.says("sum up @/big.txt")
    human.sees_match(r"the request has about 20,\d{3} tokens, 15,000 fit; the biggest: <file>big.txt</file> 19,990, ")
    human.sees_match(r"config \d+, your message 1 6; nothing was sent: take something out, or choose a model with ")
    human.shows("› sum up @/big.txt", "scripted/one · N/100k · $0")
    assert served.requests == []
    human.presses("\x7f" * len("big.txt") + "small.txt")
    human.sees("small.txt")
    human.presses("\r")
    human.sees("It is short.")
    leaves(human)
    assert [shared_texts(served), len(served.requests)] == [
        '<attachment filepath="small.txt" lines="1-1">\n   1│ x\n</attachment>\n\nsum up `small.txt`',
        1,
    ]


# --- what is shared --------------------------------------------------------------------------------------------


@pytest.mark.acceptance("SP-10")
def test_each_attachment_is_one_line_and_inspect_unfolds_the_very_text_that_was_sent(
    project: Project, provider: Serve
) -> None:
    served = provider([Answer(text="I see.")], more=QUIET)
    project.write(
        {"a.py": "one = 1\n\n\n    two = '日本語'\n", "b.md": "# b\n> Context:\n```\n@agent\n" + "x" * 150 + "\n"}
    )
    human = talker(project, "chat", columns=200, rows=50, EDITOR="/nowhere/editor")
    human.says("what are @/a.py and @/b.md:1-5 for?")
    human.sees("I see.")
    human.is_ready()
    human.shows(
        "› what are @/a.py and @/b.md:1-5 for?",
        "",
        "+ <file>a.py</file>  37 tokens",
        "+ <file>b.md:1-5</file>  85 tokens",
        "",
        "I see.",
        "›",
        "scripted/one · N/100k · $0.0001 · what are @/a.py and @/b.md:1-5 for?",
    )
    human.presses("/inspect\r")
    human.sees("cannot start the editor /nowhere/editor: No such file or directory; set $EDITOR")
    leaves(human)
    lines = human.lines
    heads = [
        "user  <file>a.py</file>  37 tokens",
        "user  <file>b.md:1-5</file>  85 tokens",
        "user  your message 1  14 tokens",
    ]
    unfolded = lines[lines.index(heads[0]) : lines.index("assistant  answer 1  2 tokens")]
    assert [line for line in unfolded if line[:1].strip()] == heads
    texts = [line[2:] for line in unfolded if line not in heads]
    sent = shared_texts(served)
    assert texts == [line.rstrip() for line in sent.splitlines() if line]


@pytest.mark.acceptance("SP-06")
def test_a_rule_for_typescript_is_in_the_first_request_about_such_a_file_and_not_in_one_about_python(
    project: Project, provider: Serve
) -> None:
    served = provider([Answer(text="Fine."), Answer(text="Fine.")], more=QUIET)
    project.write(
        {
            ".cursor/rules/ts.mdc": "---\nglobs: '*.ts'\n---\nNever write any.\n",
            "foo/bar.ts": "export const a = 1\n",
            "foo/bar.py": "a = 1\n",
        }
    )
    for name in ("bar.ts", "bar.py"):
        assert project.run("ask", "-q", f"what is @/foo/{name} for?").out == "Fine.\n"
    first, second = served.requests
    assert "export const a = 1" in first.text and first.text.count("Never write any.") == 1
    assert "a = 1" in second.text and "Never write any." not in second.text


# --- an edit, however it comes ---------------------------------------------------------------------------------

OLD, NEW = "def a():\n    return 'old'\n", "def a():\n    return 'new'\n"
BLOCK = block("    return 'old'\n", "    return 'new'\n")
WAYS = {
    "called": Answer(calls=(call("replace_in_file", {"path": "src/a.py", "diff": BLOCK}),)),
    "written": Answer(text=f"src/a.py\n{BLOCK}"),
}


@pytest.mark.acceptance("SP-05")
def test_a_model_that_calls_tools_and_one_that_only_writes_make_the_same_edit_with_the_same_diff(
    project: Project, provider: Serve
) -> None:
    seen: dict[str, list[str]] = {}
    for way, step in WAYS.items():
        served = provider([step, Answer(text="It is new.")], more=QUIET, tools=way == "called")
        project.write({"src/a.py": OLD, "b.py": "b\n"})
        human = talker(project, "chat")
        human.says("make it new @editor")
        assert human.asked() == (1, 1, "y,n,r,a,d,e,p,q,?")
        lines = human.lines
        seen[way] = lines[lines.index("src/a.py:2") :]
        assert project.text("src/a.py") == OLD
        human.presses("y")
        human.sees("It is new.")
        leaves(human)
        assert (project.text("src/a.py"), project.text("b.py")) == (NEW, "b\n")
        assert ("tools" in served.requests[0].body) == (way == "called")
        assert "src/a.py: applied 1 of 1 hunk" in str(served.requests[1].body["messages"][-1]["content"])  # type: ignore[index]
    assert seen["called"] == [
        "src/a.py:2",
        "@@ -1,2 +1,2 @@ def a():",
        " def a():",
        "-    return 'old'",
        "+    return 'new'",
        "(1/1) Take this hunk? [y,n,r,a,d,e,p,q,?]",
    ]
    assert seen["written"] == seen["called"]


# --- chats of weeks ago ----------------------------------------------------------------------------------------

THREE_WEEKS = 21 * 24 * 3600.0


def three_weeks_ago() -> str:
    """The day, as lists have it."""
    return time.strftime("%Y-%m-%d", time.gmtime(time.time() - THREE_WEEKS))


def make_older(project: Project, seconds: float) -> None:
    """Let all that was said so far have been said so much earlier."""
    with sqlite3.connect(project.state / "history.db") as store:
        store.execute("UPDATE chats SET created = created - ?, updated = updated - ?", (seconds, seconds))
        store.execute("UPDATE messages SET added = added - ?", (seconds,))
    store.close()


@pytest.mark.acceptance("SP-11")
def test_a_word_of_three_weeks_ago_is_found_and_its_chat_is_listed_shown_gone_on_with_and_deleted(
    project: Project, provider: Serve
) -> None:
    answers = [
        "A quokka holds the lease.",
        "Nobody does.",
        *(f"Answer {number}." for number in range(30)),
        "It left.",
    ]
    served = provider([Answer(text=text) for text in answers], more=QUIET)
    questions = ["who holds the lease?", "and the lock?", *(f"question {number} of today" for number in range(30))]
    days = [three_weeks_ago()]
    for question in questions[:2]:
        project.here("ask", question)
    days.append(three_weeks_ago())
    make_older(project, THREE_WEEKS)
    for question in questions[2:]:
        project.here("ask", question)

    (found,) = project.here("history", "search", "quokka").out.splitlines()
    name, *rest = found.split("  ")
    assert rest == ["who holds the lease?", "A quokka holds the lease."]
    listed = project.here("history", "list").out.splitlines()
    assert [line.split("  ")[-1] for line in listed] == questions[::-1]
    assert [line.split("  ")[0] for line in listed if line.split()[1] in days][-1] == name
    shown = project.here("history", "show", name).out
    assert "who holds the lease?" in shown and "A quokka holds the lease." in shown

    human = talker(project, "chat", "-r", name)
    human.shows(
        OWN,
        "› who holds the lease?",
        "",
        "A quokka holds the lease.",
        "›",
        "scripted/one · N/100k · $0.0001 · who holds the lease?",
    )
    human.says("is it still there?")
    human.sees("It left.")
    leaves(human)
    said = [message["content"] for message in served.requests[-1].body["messages"][1:]]  # type: ignore[index]
    assert said == ["who holds the lease?", "A quokka holds the lease.", "is it still there?"]
    assert project.here("history", "list", "-n", "1").out.split("  ")[0] == name

    assert project.here("history", "delete", name).code == 0
    assert len(project.here("history", "list").out.splitlines()) == 31
    assert project.here("history", "search", "quokka").out == ""

"""What is shared by naming it in a chat: how it is written, what the model reads of it, and what the human sees."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from chat.chat_kit import Talk, talking

from motet.chat import ChatOptions, End, Ended, Shared
from motet.chat.transcript import Asked, parse, render
from motet.context.complete import Known, completions
from motet.context.paths import Files
from motet.messages import ContextRef, Message, tags
from motet.models.scripted import Answer, ScriptedRequest, call
from motet.permissions import Rule, Verdict
from motet.turn import ToolFinished

CODE = "export const bar = 1\n"
SHARED = '<attachment filepath="foo/bar.ts" lines="1-1">\n   1│ export const bar = 1\n</attachment>'
FORMS = {"full path": "@/foo/bar.ts", "file name": "@bar.ts", "link": "[bar.ts](./foo/bar.ts)"}
forms = pytest.mark.parametrize("written", FORMS.values(), ids=FORMS)


def write(root: Path, **files: str) -> None:
    """`foo/bar.ts`, and more."""
    for path, text in {"foo/bar.ts": CODE, **files}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def users_words(request: ScriptedRequest) -> list[str]:
    """The pieces of a request's user messages, all of which are text."""
    words: list[str] = []
    for message in request.messages:
        if message.get("role") == "user":
            content = message["content"]
            blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
            assert {block["type"] for block in blocks} <= {"text", "input_text"}
            words += [block["text"] for block in blocks]
    return words


def shared(talk: Talk) -> list[ContextRef]:
    """The files that the chat shares."""
    return [message.context for message in talk.chat.messages if message.context and message.tag == tags.FILE]


def shown(talk: Talk) -> tuple[str, Asked]:
    """The transcript, and the first turn of the human as it is read from that."""
    text = render(talk.chat.messages, chat=talk.chat.id)
    return text, next(turn for turn in parse(text).turns if isinstance(turn, Asked))


# --- how a file is named ---------------------------------------------------------------------------------------


@forms
@pytest.mark.acceptance("S1-031", "S1-032", "S1-033", "S2-020")
async def test_a_file_is_meant_by_its_path_its_name_or_a_link_and_shown_as_it_was_written(
    tmp_path: Path, dialect: str, written: str
) -> None:
    async with talking(tmp_path, [Answer(text="One.")], dialect, shares=True) as talk:
        write(talk.root)
        assert await talk.say(f"what is {written} for?") == Ended(End.DONE)
        assert shared(talk) == [ContextRef("<file>foo/bar.ts</file>", str(talk.root / "foo" / "bar.ts"))]
        assert shown(talk)[1].text == f"what is {written} for?"


@forms
@pytest.mark.acceptance("S1-035")
async def test_a_prompt_that_is_copied_into_another_chat_shares_the_same_file(
    tmp_path: Path, dialect: str, written: str
) -> None:
    async with talking(tmp_path, [Answer(text="One.")], dialect, shares=True) as talk:
        write(talk.root)
        await talk.say(f"what is {written} for?")
        copied, before = shown(talk)[1].text, users_words(talk.server.requests[0])
    async with talking(tmp_path, [Answer(text="One.")], dialect, shares=True) as talk:
        await talk.say(copied)
        assert users_words(talk.server.requests[0]) == before
        assert SHARED in "".join(before)


@pytest.mark.acceptance("S1-025")
async def test_a_bare_path_is_text_and_a_mention_of_it_is_not(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, [Answer(text="One."), Answer(text="Two.")], dialect, shares=True) as talk:
        write(talk.root)
        await talk.say("what is foo/bar.ts for?")
        assert (shared(talk), users_words(talk.server.requests[0])) == ([], ["what is foo/bar.ts for?"])
        await talk.say("what is @/foo/bar.ts for?")
        assert [each.id for each in shared(talk)] == ["<file>foo/bar.ts</file>"]


@pytest.mark.acceptance("S1-036")
async def test_completion_writes_the_link_from_a_few_letters_and_that_shares_the_file(
    tmp_path: Path, dialect: str
) -> None:
    async with talking(tmp_path, [Answer(text="One.")], dialect, shares=True) as talk:
        write(talk.root)
        (offered,) = completions("@bar", 4, Known(files=Files(lambda: ["foo/bar.ts"])))
        assert offered.text == "[bar.ts](./foo/bar.ts) "
        await talk.say(f"{offered.text}is what?")
        assert [each.id for each in shared(talk)] == ["<file>foo/bar.ts</file>"]


# --- what the model reads --------------------------------------------------------------------------------------


@pytest.mark.acceptance("S1-023")
async def test_the_text_of_a_named_file_is_in_the_same_request_without_any_tool(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, [Answer(text="One.")], dialect, shares=True) as talk:
        write(talk.root)
        assert await talk.say("what is @/foo/bar.ts for?") == Ended(End.DONE)
        (request,) = talk.server.requests
        assert "\n\n".join(users_words(request)) == f"{SHARED}\n\nwhat is `foo/bar.ts` for?"
        assert "tools" not in request.body


@pytest.mark.acceptance("S1-022", "S3-026")
async def test_the_rules_for_a_named_file_are_in_the_first_request(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, [Answer(text="One.")], dialect, shares=True) as talk:
        rules = {
            "foo/AGENTS.md": "Rule of the directory.\n",
            "other/AGENTS.md": "Rule of another directory.\n",
            ".cursor/rules/ts.mdc": "---\nglobs: '*.ts'\n---\nRule for TypeScript.\n",
            ".cursor/rules/py.mdc": "---\nglobs: '*.py'\n---\nRule for Python.\n",
        }
        write(talk.root, **rules)
        assert await talk.say("what is @/foo/bar.ts for?") == Ended(End.DONE)
        (request,) = talk.server.requests
        said = "\n\n".join(users_words(request))
        assert [rule.strip().split("\n")[-1] in said for rule in rules.values()] == [True, False, True, False]
        assert said.index("Rule of the directory.") < said.index("what is `foo/bar.ts` for?")


@pytest.mark.acceptance("S1-026")
async def test_code_is_sent_as_text_and_never_as_encoded_bytes(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, [Answer(text="One.")], dialect, shares=True) as talk:
        write(talk.root)
        await talk.say("what is @/foo/bar.ts for?")
        (request,) = talk.server.requests
        assert CODE.strip() in "".join(users_words(request))  # which are text, all of them
        assert base64.b64encode(CODE.encode()).decode()[:16] not in request.text


@pytest.mark.acceptance("S1-028")
async def test_the_text_of_a_file_can_stand_as_a_titled_block_behind_the_prompt(tmp_path: Path, dialect: str) -> None:
    options = ChatOptions(titles=False, context_last=True)
    async with talking(tmp_path, [Answer(text="One.")], dialect, shares=True, options=options) as talk:
        write(talk.root)
        await talk.say("what is @/foo/bar.ts for?")
        (request,) = talk.server.requests
        assert "\n\n".join(users_words(request)) == f"what is `foo/bar.ts` for?\n\n{SHARED}"


# --- what the human sees ---------------------------------------------------------------------------------------


@pytest.mark.acceptance("S1-030")
async def test_the_text_of_a_shared_file_is_not_in_the_transcript(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, [Answer(text="One.")], dialect, shares=True) as talk:
        write(talk.root)
        await talk.say("what is @/foo/bar.ts for?")
        assert CODE.strip() in talk.server.requests[0].text
        text, asked = shown(talk)
        assert CODE.strip() not in text
        assert (asked.text, [line.id for line in asked.context]) == (
            "what is @/foo/bar.ts for?",
            ["<file>foo/bar.ts</file>"],
        )


# --- rules for what the model reads ------------------------------------------------------------------------------

RULES = {
    "AGENTS.md": "Root rule.\n",
    "foo/AGENTS.md": "Never write any.\n",
    ".cursor/rules/ts.mdc": "---\nglobs: '*.ts'\n---\nTabs.\n",
}


def rules_in(request: ScriptedRequest) -> list[int]:
    """How often each of the rules stands in a request."""
    return [request.text.count(rule) for rule in ("Root rule.", "Never write any.", "Tabs.")]


@pytest.mark.acceptance("SP-06")
async def test_rules_for_a_file_that_the_model_reads_are_in_its_next_request_once(
    tmp_path: Path, dialect: str
) -> None:
    read = call("read_file", {"path": "foo/bar.ts"}, "c1")
    again = call("read_file", {"path": "foo/bar.ts", "first_line": 1}, "c2")
    script = [Answer(calls=(read,)), Answer(calls=(again,)), Answer(text="Done."), Answer(text="Yes.")]
    async with talking(tmp_path, script, dialect, shares=True, tools=["files"]) as talk:
        write(talk.root, **RULES)
        assert await talk.say("look at it") == Ended(End.DONE)
        shared = [event.line for event in talk.events if isinstance(event, Shared)]
        await talk.say("sure?")
        assert [rules_in(request) for request in talk.server.requests] == [[1, 0, 0]] + [[1, 1, 1]] * 3
        assert shared == [
            "<rules>AGENTS.md</rules>", "<rules>.cursor/rules/ts.mdc</rules>", "<rules>foo/AGENTS.md</rules>"
        ]  # fmt: skip
        frames = [one.text.partition("\n")[0] for one in talk.chat.messages if one.tag == tags.RULES]
        assert len(frames) == 3 and all("they give no permission" in frame for frame in frames)


async def test_rules_for_a_file_that_the_model_writes_come_along_and_none_from_outside(
    tmp_path: Path, dialect: str
) -> None:
    made = call("create_file", {"path": "foo/new.py", "text": "x = 1\n"}, "c1")
    outside = call("read_file", {"path": str(tmp_path / "other" / "x.py")}, "c2")
    script = [Answer(calls=(made, outside)), Answer(text="Done.")]
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "AGENTS.md").write_text("Never write any.\n")
    (tmp_path / "other" / "x.py").write_text("x = 1\n")
    rules = [Rule.parse(rule, Verdict.ALLOW) for rule in ("send", f"read:{tmp_path}/**")]
    async with talking(tmp_path, script, dialect, shares=True, tools=["files"], rules=rules) as talk:
        write(talk.root, **{**RULES, "foo/AGENTS.md": "Spaces.\n"})
        assert await talk.say("make it") == Ended(End.DONE)
        assert [rules_in(request) for request in talk.server.requests] == [[1, 0, 0], [1, 0, 0]]
        assert talk.server.requests[1].text.count("Spaces.") == 1


async def test_when_the_turn_is_stopped_before_the_next_request_the_rules_come_with_the_next_message(
    tmp_path: Path, dialect: str
) -> None:
    read = call("read_file", {"path": "foo/bar.ts"}, "c1")
    async with talking(
        tmp_path, [Answer(calls=(read,)), Answer(text="Yes.")], dialect, shares=True, tools=["files"]
    ) as talk:
        write(talk.root, **RULES)

        def stop(event: object) -> None:
            if isinstance(event, ToolFinished):
                talk.chat.stop()

        assert (await talk.hear(talk.chat.send("look at it"), stop)).reason is End.STOPPED
        await talk.say("go on")
        assert rules_in(talk.server.requests[-1]) == [1, 1, 1]


async def test_lines_that_are_named_twice_are_sent_once(tmp_path: Path, dialect: str) -> None:
    async with talking(tmp_path, [Answer(text="One.")], dialect, shares=True) as talk:
        (talk.root / "a.py").write_text("".join(f"line {number}\n" for number in range(1, 10)))
        talk.chat.share.attach(*(await _lines(talk, "@/a.py:2-3")))
        await talk.say("what are @/a.py:1-5 and @/a.py:4-7?")
        sent = talk.server.requests[0].text
        assert [sent.count(f"│ line {number}") for number in range(1, 9)] == [1] * 7 + [0]
        assert talk.chat.share.waiting == []


async def _lines(talk: Talk, mention: str) -> list[Message]:
    prepared = await talk.chat.share.prepare(mention, 1, talk.chat.model.limits)
    return [one for one in prepared.messages if one.context]

"""Pictures and documents: sent in the provider's form to models that take them, by their text to all others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from models.models_kit import PDF, PDF_TEXT, PNG, PNG_TEXT

from motet.errors import ModelError
from motet.messages import Document, Image, Message, Role, Text, ToolCall, ToolResult, tags
from motet.models import Limits, ModelConfig, ModelRequest, ProviderConfig, ToolDefinition, choose, unseen
from motet.models.providers.anthropic import AnthropicMessages
from motet.models.providers.openai_compatible import ChatCompletions
from motet.models.providers.openai_responses import OpenAIResponses
from motet.models.providers.pictures import is_pdf, picture_type
from motet.models.replay import Recorder, ReplayModel
from motet.models.scripted import Answer, ScriptedModel, ScriptedServer

ANTHROPIC = AnthropicMessages("acme", "m-1", 4_096, images=True, documents=True)
OPENAI = ChatCompletions("acme", "m-1", images=True, documents=True)
RESPONSES = OpenAIResponses("acme", "m-1", images=True, documents=True)
HOWS = {"anthropic": ANTHROPIC, "openai": OPENAI, "openai-responses": RESPONSES}
TOOL = ToolDefinition("one", "Does one.", {"type": "object"})
IMAGE = Image(PNG, "image/png", "a.png")
DOCUMENT = Document(PDF, "application/pdf", "b.pdf", "The text of b.")
SHARED = Message.attachment(IMAGE, DOCUMENT, Text("a file"), tag=tags.IMAGE)
QUESTION = Message.user("What is it?")
CALL = Message(Role.ASSISTANT, calls=(ToolCall("id_1", "one", "{}"), ToolCall("id_2", "one", "{}")))
LOOKED = Message(Role.TOOL, (Text("It:"), IMAGE), result=ToolResult("id_1", "one"))
READ = Message.tool(ToolResult("id_2", "one"), "fine", tags.TOOL_OUTPUT)

PICTURE_BLOCK = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG_TEXT}}
DOCUMENT_BLOCK = {
    "type": "document",
    "source": {"type": "base64", "media_type": "application/pdf", "data": PDF_TEXT},
    "title": "b.pdf",
}
PICTURE_PART = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG_TEXT}"}}
DOCUMENT_PART = {
    "type": "file",
    "file": {"filename": "b.pdf", "file_data": f"data:application/pdf;base64,{PDF_TEXT}"},
}

PICTURE_INPUT = {"type": "input_image", "image_url": f"data:image/png;base64,{PNG_TEXT}", "detail": "auto"}
DOCUMENT_INPUT = {
    "type": "input_file",
    "filename": "b.pdf",
    "file_data": f"data:application/pdf;base64,{PDF_TEXT}",
}


def text(said: str) -> dict[str, str]:
    return {"type": "text", "text": said}


def said(words: str) -> dict[str, str]:
    return {"type": "input_text", "text": words}


@pytest.mark.acceptance("S2-031", "S2-049", "S1-027")
async def test_what_is_shared_reaches_a_model_that_sees(connect, own_dialect: str) -> None:
    content = {
        "anthropic": [PICTURE_BLOCK, DOCUMENT_BLOCK, text("a file"), text("What is it?")],
        "openai": [PICTURE_PART, DOCUMENT_PART, text("a file"), text("What is it?")],
        "openai-responses": [PICTURE_INPUT, DOCUMENT_INPUT, said("a file"), said("What is it?")],
    }[own_dialect]
    async with ScriptedServer([Answer("A point.")]) as server:
        await connect(server, own_dialect, how=HOWS[own_dialect]).ask(ModelRequest((SHARED, QUESTION)))
    (message,) = server.requests[0].messages
    assert (message["role"], message["content"]) == ("user", content)


async def test_a_picture_as_a_result_is_part_of_the_result_in_responses(connect) -> None:
    async with ScriptedServer([Answer("A point.")]) as server:
        await connect(server, "openai-responses", how=RESPONSES).ask(
            ModelRequest((Message.user("Hi"), CALL, LOOKED, READ, QUESTION), (TOOL,))
        )
    assert server.requests[0].messages[3:] == [
        {"type": "function_call_output", "call_id": "id_1", "output": [said("It:"), PICTURE_INPUT]},
        {"type": "function_call_output", "call_id": "id_2", "output": "fine"},
        {"type": "message", "role": "user", "content": [said("What is it?")]},
    ]


async def test_a_picture_as_a_result_is_part_of_the_result_at_anthropic(connect) -> None:
    async with ScriptedServer([Answer("A point.")]) as server:
        await connect(server, "anthropic", how=ANTHROPIC).ask(
            ModelRequest((Message.user("Hi"), CALL, LOOKED, READ, QUESTION), (TOOL,))
        )
    messages = server.requests[0].body["messages"]
    assert isinstance(messages, list)
    assert messages[2]["content"] == [
        {"type": "tool_result", "tool_use_id": "id_1", "content": [text("It:"), PICTURE_BLOCK]},
        {"type": "tool_result", "tool_use_id": "id_2", "content": "fine"},
        text("What is it?"),
    ]


@pytest.mark.parametrize(("strict", "between"), [(False, []), (True, [{"role": "assistant", "content": "Done."}])])
async def test_a_picture_as_a_result_is_said_by_the_user_behind_all_results_at_openai(
    connect, strict: bool, between: list[object]
) -> None:
    how = replace(OPENAI, strict_history=strict)
    async with ScriptedServer([Answer("A point.")]) as server:
        await connect(server, how=how).ask(ModelRequest((Message.user("Hi"), CALL, LOOKED, READ, QUESTION), (TOOL,)))
    messages = server.requests[0].body["messages"]
    assert isinstance(messages, list)
    assert [message["content"] for message in messages[2:4]] == ["It:\n\n[image a.png]", "fine"]
    assert messages[4:] == [
        *between,
        {"role": "user", "content": [text("What the results show:"), PICTURE_PART, text("What is it?")]},
    ]


async def test_a_picture_of_a_result_is_shown_without_tools_and_at_the_end(connect, own_dialect: str) -> None:
    async with ScriptedServer([Answer("A point.")], repeat=True) as server:
        connected = connect(server, own_dialect, how=HOWS[own_dialect])
        await connected.ask(ModelRequest((Message.user("Hi"), CALL, LOOKED, READ), (TOOL,)))
        await connected.ask(ModelRequest((Message.user("Hi"), CALL, LOOKED, READ)))
    assert [PNG_TEXT in request.text for request in server.requests] == [True, True]
    assert "Result of one:" in server.requests[1].text


async def test_a_model_that_sees_nothing_gets_the_words_for_it(connect, dialect: str) -> None:
    async with ScriptedServer([Answer("What?")]) as server:
        await connect(server, dialect).ask(ModelRequest((SHARED, CALL, LOOKED, READ), (TOOL,)))
    sent = server.requests[0].text
    assert PNG_TEXT not in sent and PDF_TEXT not in sent
    assert "[image a.png]" in sent and "The text of b." in sent


async def test_a_picture_goes_by_what_it_is_and_not_by_what_it_is_called(connect, own_dialect: str) -> None:
    wrong = Message.user("Hi").parts
    message = Message(Role.USER, (*wrong, Image(PNG, "image/jpeg", "a.jpg"), Image(b"<svg/>", "image/png", "b.png")))
    async with ScriptedServer([Answer("A point.")]) as server:
        await connect(server, own_dialect, how=HOWS[own_dialect]).ask(ModelRequest((message,)))
    assert "image/png" in server.requests[0].text and "image/jpeg" not in server.requests[0].text
    assert "[image b.png]" in server.requests[0].text


SEES = Limits(9, 9, images=True)
READS = Limits(9, 9, documents=True)
SCAN = Document(PDF, "application/pdf", "scan.pdf")


@pytest.mark.parametrize(
    ("limits", "names"),
    [
        (Limits(9, 9), ["a.png", "scan.pdf", "image/bmp"]),
        (SEES, ["scan.pdf", "image/bmp"]),
        (READS, ["a.png", "image/bmp"]),
        (Limits(9, 9, images=True, documents=True), ["image/bmp"]),
    ],
)
def test_parts_that_a_model_would_not_see_are_named(limits: Limits, names: list[str]) -> None:
    messages = [SHARED, Message.attachment(SCAN), Message.attachment(Image(b"BM", "image/bmp")), QUESTION]
    assert unseen(messages, limits) == names


@pytest.mark.parametrize(
    ("name", "images", "documents"),
    [
        ("anthropic", True, True),
        ("openai", True, True),
        ("openai/gpt-5-mini-2025-08-07", True, True),
        ("gemini", True, False),
        ("mistral", True, False),
        ("deepseek", False, False),
        ("groq", False, False),
        ("openai/one-that-nobody-knows", False, False),
        ("acme/own", True, False),
    ],
)
async def test_the_catalogue_says_which_models_see(name: str, images: bool, documents: bool) -> None:
    keys = {f"{each}_API_KEY": "k" * 20 for each in ("ANTHROPIC", "OPENAI", "GEMINI", "MISTRAL", "DEEPSEEK", "GROQ")}
    own = {"acme": ProviderConfig(base_url="http://127.0.0.1:9/v1", images=True)}
    model, _ = await choose(name, ModelConfig(providers=own), keys)
    assert (model.limits.images, model.limits.documents) == (images, documents)


async def test_a_chosen_model_that_sees_sends_pictures(own_dialect: str) -> None:
    async with ScriptedServer([Answer("A point.")]) as server:
        own = ProviderConfig(f"{server.url}/v1", own_dialect, images=True, documents=True)
        model, _ = await choose("acme/m", ModelConfig(providers={"acme": own}), {})
        assert [event async for event in model.stream(ModelRequest((SHARED, QUESTION)))]
    assert PNG_TEXT in server.requests[0].text and PDF_TEXT in server.requests[0].text


def test_types_are_read_from_the_bytes() -> None:
    heads = [PNG, b"\xff\xd8\xff\xe0", b"GIF89a", b"RIFF....WEBPVP8 ", b"RIFF....WAVE", b"BM", b"", PDF]
    kinds = ["image/png", "image/jpeg", "image/gif", "image/webp", "", "", "", ""]
    assert [picture_type(head) for head in heads] == kinds
    assert [is_pdf(head) for head in (PDF, b"\n" + PDF, PNG, b"")] == [True, True, False, False]


async def test_a_recording_tells_one_picture_from_another_of_the_same_name(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    recorder = Recorder(ScriptedModel([Answer("A point.")], limits=SEES), path)
    assert [event async for event in recorder.stream(ModelRequest((SHARED,)))]
    replay = ReplayModel(path)
    assert replay.limits == SEES
    other = replace(SHARED, parts=(Image(PNG + b"x", "image/png", "a.png"), *SHARED.parts[1:]))
    with pytest.raises(ModelError, match=r"message 1 \(user\) is another"):
        assert [event async for event in replay.stream(ModelRequest((other,)))]
    assert [event async for event in replay.stream(ModelRequest((SHARED,)))]

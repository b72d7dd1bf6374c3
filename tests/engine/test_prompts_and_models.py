"""Which model a message goes to, and what stands before it."""

from __future__ import annotations

from pathlib import Path

import pytest
from engine.engine_kit import house

from motet.messages import tags
from motet.models.scripted import Answer, ScriptedRequest, ScriptedServer


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_SECRET", "")


def system_of(request: ScriptedRequest) -> str:
    """The system prompts of a request."""
    return "\n".join(message["content"] for message in request.body["messages"] if message["role"] == "system")


@pytest.mark.acceptance("S2-005")
async def test_a_message_goes_to_the_model_that_the_user_chose_and_to_no_other(tmp_path: Path) -> None:
    async with ScriptedServer([Answer(text="From else.")]) as other:
        more = f'[chat]\ntitles = false\n[providers.else]\nbase_url = "{other.url}/v1"\ndialect = "openai"\n'
        async with house(tmp_path, [Answer(text="From acme.")], more=more) as place:
            assert await place.m.chat().ask("the one of the settings?") == "From acme."
            assert await place.m.chat(model="else/m-2").ask("and the one named here?") == "From else."
            assert [request.body["model"] for request in place.server.requests] == ["m-1"]
            assert [request.body["model"] for request in other.requests] == ["m-2"]
            assert other.requests[0].body["messages"][-1] == {"role": "user", "content": "and the one named here?"}
        assert other.refused == []


@pytest.mark.acceptance("S2-036")
async def test_a_group_replaces_the_system_prompt_that_is_tagged_so_and_no_title_is_made_of_it(
    tmp_path: Path,
) -> None:
    more = '[groups.poet]\ntools = ["read_file"]\nprompt = "You are a poet."\nreplaces_system = true\n'
    script = [Answer(text="Yes."), Answer(text="A title"), Answer(text="A verse.")]
    async with house(tmp_path, script, more=more, titles=True) as place:
        chat = await place.m.chat().ready()
        (own,) = [message for message in chat.messages if message.tag == tags.SYSTEM_PROMPT]
        assert (own.role.value, own.visible, chat.messages[0]) == ("system", False, own)
        for text in ("are you there?", "then rhyme, @poet"):
            async for _ in chat.send(text):
                pass
        first, title, second = place.server.requests
        assert system_of(first) == own.text
        assert own.text not in title.text and "are you there?" in title.text
        assert own.text not in system_of(second) and system_of(second).startswith("You are a poet.")
        assert own in [message.with_meta(sent=False) for message in chat.messages]  # the chat itself keeps it

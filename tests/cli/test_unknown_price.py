"""A model of which nobody knows the price: a dash on every screen, null in JSON, never `$0`."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from cli.chat.session_kit import QUIET, talker
from cli.kit import Project, Provider

from motet.models.scripted import Answer

Serve = Callable[..., Provider]


@pytest.fixture
def unpriced(project: Project, provider: Serve) -> Provider:
    """A provider whose prices the settings do not know."""
    served = provider([Answer(text="Yes.")] * 4, more=QUIET)
    settings = project.config.read_text()
    project.settings(re.sub(r"(in|out)put_price = .*\n", "", settings))
    return served


def test_the_status_line_of_a_chat_has_a_dash(project: Project, unpriced: Provider) -> None:
    human = talker(project, "chat")
    human.is_ready()
    human.shows("›", "scripted/one · N/100k · –")
    human.presses("is it?\r")
    human.sees("Yes.")
    human.shows("Yes.", "›", "scripted/one · N/100k · – · is it?")
    human.presses("\x04")
    assert human.ends() == 0


def test_what_was_spent_before_is_still_told(project: Project, unpriced: Provider) -> None:
    dear = f'[providers.dear]\nbase_url = "{unpriced.url}/v1"\ndialect = "openai"\ncontext_tokens = 100000\n'
    project.settings(f"{project.config.read_text()}{dear}input_price = 1000.0\noutput_price = 0.0\n")
    done = project.here("ask", "-q", "--allow", "send:dear *", "-m", "dear/one", "is it?")
    assert (done.code, done.out) == (0, "Yes.\n")
    human = talker(project, "chat", "-c", "-m", "scripted/one")
    human.is_ready()
    human.shows("›", "scripted/one · N/100k · $0.10 + – · is it?")
    human.presses("\x04")
    assert human.ends() == 0


def test_the_log_and_the_events_say_that_nobody_knows(project: Project, unpriced: Provider) -> None:
    done = project.here("ask", "--json", "is it?")
    assert (done.code, done.event("ended")["cost"]) == (0, None)
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\d           120 tokens          –  scripted/one\n", project.here("log", "spending").out
    )
    (event,) = project.here("log", "spending", "--json").events
    assert (event["input"], event["cost"]) == (100, None)

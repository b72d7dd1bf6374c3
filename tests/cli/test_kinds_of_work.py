"""`[models]`: each kind of work is asked of its own model, whichever command it comes from."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from cli.chat.session_kit import talker
from cli.kit import DONE, ONLY_CHECKER, Project, Provider, edit

from motet.models.scripted import Answer

ANSWERS = {
    "chat": [Answer(text=f"Answer {number}.") for number in (1, 2, 3, 4)],
    "edit": [edit(("a.txt", "old\n", "new\n")), DONE, edit(("a.txt", "bad\n", "good\n")), DONE],
    "title": [Answer(text="A chat about leases")],
    "compact": [Answer(text="They talked about leases.")],
}
MAY_SEND = '[permissions]\nallow = ["send"]\n[chat]\nkeep_cycles = 1\n'


@pytest.mark.acceptance("CC-18")
def test_the_servers_for_chats_edits_titles_and_summaries_each_get_their_own_kind_of_request_alone(
    project: Project,
) -> None:
    project.write({"a.txt": "old\nbad\n"})
    with ExitStack() as stack:
        servers = {kind: stack.enter_context(Provider(answers)) for kind, answers in ANSWERS.items()}
        named = "".join(f'{kind} = "for-{kind}/m-{kind}"\n' for kind in servers)
        tables = "".join(
            f'[providers.for-{kind}]\nbase_url = "{server.url}/v1"\ndialect = "openai"\ncontext_tokens = 100000\n'
            for kind, server in servers.items()
        )
        project.settings(f"[models]\n{named}{tables}{ONLY_CHECKER}{MAY_SEND}")

        human = talker(project, "chat")
        for number in (1, 2):
            human.says(f"what is a lease? ({number})")
            human.sees(f"Answer {number}.")
        human.says("/compact")
        human.sees("Summed up: ")
        human.says("and who holds it?")
        human.sees("Answer 3.")
        human.says("/exit")
        assert human.ends() == 0
        assert project.run("ask", "-q", "is it held?").out == "Answer 4.\n"
        assert project.run("edit", "-y", "make it new", "a.txt").code == 0
        assert project.run("fix", "-y").code == 0
        assert project.text("a.txt") == "new\ngood\n"

        asked = {kind: [request.body for request in server.requests] for kind, server in servers.items()}
    assert {kind: {body["model"] for body in bodies} for kind, bodies in asked.items()} == {
        kind: {f"m-{kind}"} for kind in servers
    }
    newest = {kind: [str(body["messages"][-1]["content"]) for body in bodies] for kind, bodies in asked.items()}  # type: ignore[index]
    assert newest["chat"] == [
        "what is a lease? (1)", "what is a lease? (2)", "and who holds it?", "is it held?",
    ]  # fmt: skip
    assert [text.splitlines()[-1] for text in newest["edit"][:1]] == ["make it new"]
    assert newest["edit"][1].startswith("a.txt: applied 1 of 1 hunk\n")
    assert "[Error] Line 2, Column 1: a bad word" in newest["edit"][2]
    assert newest["edit"][3].startswith("a.txt: applied 1 of 1 hunk")
    assert len(newest["edit"]) == 4
    (title,), (summary,) = newest["title"], newest["compact"]
    assert title.startswith("<conversation>\n<person>\nwhat is a lease? (1)\n</person>")
    assert summary.startswith("Sum up the conversation below") and "what is a lease? (1)" in summary

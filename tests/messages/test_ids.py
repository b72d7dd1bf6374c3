"""Ids of chats and messages: no two alike, whoever makes them, and in the order in which they were made."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from motet.history import ChatInfo
from motet.messages import Message, new_id

MANY = 20_000
MAKES = f"from motet.messages import new_id\nprint(*(new_id() for _ in range({MANY})))"


@pytest.mark.acceptance("S0-043")
def test_no_two_ids_are_alike_though_four_processes_make_them_at_once() -> None:
    makers = [subprocess.Popen([sys.executable, "-c", MAKES], stdout=subprocess.PIPE, text=True) for _ in range(4)]
    made = [maker.communicate(timeout=60)[0].split() for maker in makers]
    assert [len(ids) for ids in made] == [MANY] * 4
    assert len({id for ids in made for id in ids}) == 4 * MANY
    assert all(ids == sorted(ids) for ids in made)


@pytest.mark.acceptance("S0-043")
def test_a_chat_and_a_message_each_get_an_id_of_26_characters() -> None:
    ids = [ChatInfo().id, ChatInfo().id, Message.user("hello").id, new_id()]
    assert all(re.fullmatch("[0-7][0-9A-HJKMNP-TV-Z]{25}", id) for id in ids)
    assert ids == sorted(set(ids))

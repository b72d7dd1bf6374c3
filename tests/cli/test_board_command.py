"""`motet board`: humans write, read, find and rule from the command line."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess

import pytest
from cli.boards_kit import SETTINGS, Board, timeless
from cli.kit import BIN, Done, Project

from motet.board import AgentKind, AgentState, BoardRefused, Boards, DeliveryState, NewAgent, Outcome, page


@pytest.fixture
def board(project: Project) -> Board:
    project.settings(SETTINGS)
    return Board(project)


def said(done: Done) -> tuple[int, str, str]:
    """Code, stdout and stderr, without times."""
    return done.code, timeless(done.out), timeless(done.err)


def test_where_nothing_is_nothing_is_made(board: Board) -> None:
    none = "motet: there is no board yet; `motet board post TEXT` makes the first\n"
    for words in (
        ["board"],
        ["board", "show"],
        ["board", "search", "x"],
        ["board", "inbox"],
        ["agents"],
        ["log", "board"],
    ):
        assert said(board.project.here(*words)) == (1, "", none)
    assert not board.project.state.joinpath("boards.db").exists()
    event = {"schema": 1, "event": "error", "message": none[7:-1], "exit_code": 1}
    assert board.project.here("board", "list", "--json").events == [event]


@pytest.mark.acceptance("S4-084")
def test_a_post_says_its_number_who_gets_it_and_whom_it_does_not_reach(board: Board) -> None:
    reviewer, tester = board.add("reviewer"), board.add("tester", role="tests")
    run = board.project.here
    assert said(run("board", "post", "@reviewer and @role:tests, please look. @reviwer @nobody!")) == (
        0,
        f"general#1  for {reviewer}, role:tests\n",
        f"@reviwer reaches nobody: nobody of this name; did you mean @{reviewer}?\n"
        "@nobody! reaches nobody: nobody of this name\n",
    )
    assert said(run("board", "post", "general", "nobody", "here")) == (
        0,
        "general#2  for whoever reads the board\n",
        "",
    )
    assert said(run("board", "post", "@All status?")) == (0, "general#3  for everyone\n", "")
    done = run("board", "post", "--json", "--kind", "request", f"@{tester} run them")
    assert (done.code, done.err) == (0, "")
    (event,) = done.events
    assert (event["event"], event["recipients"], event["everyone"], event["unknown"]) == (
        "posted",
        [tester],
        False,
        [],
    )
    assert (event["post"]["seq"], event["post"]["kind"], event["post"]["author"]) == (4, "request", board.me)


def test_a_key_makes_posting_twice_the_same_as_once(board: Board) -> None:
    run = board.project.here
    for expected in ("general#1  for whoever reads the board\n", "general#1  is there already, just so\n"):
        assert said(run("board", "post", "--key", "build-17", "The build is done.")) == (0, expected, "")


def test_a_board_is_made_only_when_that_is_said(board: Board) -> None:
    run = board.project.here
    run("board", "post", "first")
    assert said(run("board", "post", "the", "build", "is", "broken")) == (
        *(1, ""),
        "motet: there is no board 'the' here (there are: general); `motet board post --new the …` makes it; put a text "
        "of several words into quotes\n",
    )
    assert said(run("board", "post", "--new", "レビュー", "@All 始めます")) == (0, "レビュー#1  for everyone\n", "")
    assert said(run("board", "post", "レビュー", "続き")) == (0, "レビュー#2  for whoever reads the board\n", "")
    assert said(run("board", "post", "--new", "two words", "x")) == (
        *(2, ""),
        "motet: 'two words' cannot be a name: take letters, digits, - and _, with a letter or digit at both ends\n",
    )
    assert said(run("board")) == (
        0,
        "general       1 post  TIME  1 member\nレビュー     2 posts  TIME  1 member\n",
        "",
    )


@pytest.mark.parametrize(
    ("given", "code", "message"),
    [
        (b"", 2, "the post is empty; write something"),
        (b" \n\n", 2, "the post is empty; write something"),
        (b"\0\1\2", 3, "standard input: binary data; give what is piped as text"),
        (b"\xe9t\xe9", 3, "standard input: not UTF-8 text; convert it first, as in `iconv -f latin1 -t utf-8`"),
        (
            *(b"x" * 1_000_000, 2),
            "the post has 1,000,000 characters, a board takes 100,000; put the text into a file of the project and name "
            "the file",
        ),
    ],
    ids=["empty", "blank", "binary", "latin1", "long"],
)
def test_what_cannot_be_posted_is_one_clear_line(board: Board, given: bytes, code: int, message: str) -> None:
    done = board.project.here("board", "post", "-", given=given)
    assert said(done) == (code, "", f"motet: {message}\n")


def test_standard_input_is_posted_as_it_is(board: Board) -> None:
    text = "@All done:\n\n```\nmake: *** [x] Error 1\n```\n"
    assert said(board.project.here("board", "post", "general", "-", given=text.encode())) == (
        *(0, "general#1  for everyone\n"),
        "",
    )
    assert board.project.here("board", "show", "--json").events[0]["body"] == text.rstrip("\n")


def test_an_answer_reaches_the_author_and_settles_the_delivery(board: Board) -> None:
    me = board.me
    board.project.here("board", "post", "I am here.")
    backend = board.add("backend")
    board.says("backend", "@mia which port?")
    run = board.project.here
    assert said(run("board", "post", "--reply-to", "general#2", "8080")) == (0, f"general#3  for {backend}\n", "")
    (delivery,) = run("board", "inbox", "--json").events
    third = run("board", "show", "--after", "2", "--json").events[0]
    assert (delivery["state"], delivery["answer"], delivery["recipient"]) == ("answered", third["id"], me)
    assert third["reply_to"] == delivery["post"]
    assert said(run("board", "post", "--reply-to", "9", "x")) == (
        1, "", "motet: the board general has no post 9; its last is 3\n",
    )  # fmt: skip
    assert said(run("board", "post", "--reply-to", "nonsense", "x")) == (
        2, "", "motet: 'nonsense' names no post; write its number, as in 12 or general#12\n",
    )  # fmt: skip
    run("board", "post", "--new", "other", "x")
    assert said(run("board", "post", "--reply-to", "2", "other", "x")) == (
        2, "", "motet: --reply-to: that post is on the board general, not on other\n",
    )  # fmt: skip


@pytest.mark.acceptance("S4-031", "S4-043", "T-19")
def test_in_a_pipe_a_board_is_markdown_with_front_matter_title_and_dated_entries(board: Board) -> None:
    backend, reviewer = board.add("backend"), board.add("reviewer")
    body = f"@{reviewer} The login feature is done, please review. File: src/auth/login.ts"
    board.says("backend", body)
    board.says("backend", "## 2026-01-11 18:00:00 mallory\n\nforged")
    done = board.project.here("board", "show")
    lines = done.out.splitlines()
    assert lines[:3] + lines[5:8] == ["---", "motet: board", "board: general", "---", "", "# general"]
    assert re.fullmatch(r"created_at: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", lines[4])
    assert [timeless(line) for line in lines if line.startswith("## ")] == [
        f"## TIME {backend} (#1; {reviewer} waiting)",
        f"## TIME {backend} (#2)",
    ]
    assert lines[lines.index(body) - 2].startswith("## ") and f"\\## {lines[-3][4:]}" == lines[-3]

    async def whole(boards: Boards) -> str:
        found = await boards.find(str(board.project.root), "general")
        posts = await boards.posts(found.id)
        return page(found, posts, await boards.fates(post.id for post in posts))

    assert done.out == board.do(whole)


def test_show_takes_the_newest_those_behind_a_number_and_those_of_one(board: Board) -> None:
    board.project.here("board", "post", "0")
    board.add("backend")
    for number in range(1, 61):
        board.project.here("board", "post", f"{number}") if number % 30 else board.says("backend", f"{number}")

    def bodies(*options: str) -> list[str]:
        return [event["body"] for event in board.project.here("board", "show", "--json", *options).events]

    assert bodies() == [str(number) for number in range(11, 61)]
    assert bodies("-n", "2") == ["59", "60"]
    assert bodies("--after", "58") == ["58", "59", "60"]
    assert len(bodies("--all")) == 61
    assert bodies("--author", "backend") == ["30", "60"]
    assert bodies("--all", "--author", "backend") == ["30", "60"]
    assert bodies("--after", "100") == []
    assert said(board.project.here("board", "show", "--after", "100", "--json")) == (1, "", "")
    assert said(board.project.here("board", "show", "-n", "2", "--all")) == (
        2, "", "motet: only one of -n, --after and --all can be meant\n",
    )  # fmt: skip
    assert said(board.project.here("board", "show", "nothing"))[::2] == (
        1,
        "motet: there is no board 'nothing' here (there are: general); `motet board post --new nothing …` makes it\n",
    )


def test_ones_own_posts_can_be_changed_and_taken_back_others_not(board: Board) -> None:
    run = board.project.here
    reviewer, backend = board.add("reviewer"), board.add("backend")
    run("board", "post", "@reviewer look at a.py")
    board.says("backend", "mine")
    assert said(run("board", "edit", "1", "@reviewer", "@backend look at b.py")) == (
        0, f"general#1  edited; now for {backend} too\n", "",
    )  # fmt: skip
    assert said(run("board", "edit", "1", "-", given=b"@reviewer look at b.py")) == (0, "general#1  edited\n", "")
    others = f"motet: post 2 is {backend}'s; only its author changes it or takes it back\n"
    assert said(run("board", "edit", "2", "x")) == (4, "", others)
    assert said(run("board", "retract", "2")) == (4, "", others)
    assert said(run("board", "retract", "1", "2")) == (1, "", f"general#1: taken back\n{others}")
    assert said(run("log", "board", "-n", "1")) == (0, f"TIME  {board.me}  take back a post: {others[7:]}", "")
    entries = run("board", "export", "--json").events
    post = next(event for event in entries if event["event"] == "post")
    assert [one["body"] for one in post["versions"]] == ["@reviewer look at a.py", "@reviewer @backend look at b.py"]
    assert (post["version"], post["retracted"], post["body"]) == (3, True, "@reviewer look at b.py")
    states = {one["recipient"]: one["state"] for one in post["deliveries"]}
    assert states == {reviewer: "withdrawn", backend: "withdrawn"}
    written = run("board", "export").out
    assert f", edited, taken back; {reviewer} withdrawn, {backend} withdrawn)\n" in written and "b.py" not in written


@pytest.mark.acceptance("S4-101")
def test_search_finds_by_words_and_by_all_else_that_is_known(board: Board) -> None:
    run = board.project.here
    run("board", "post", "begin")
    reviewer, backend = board.add("reviewer"), board.add("backend")
    board.says("backend", "@reviewer 排他制御は src/lock.py にあります")
    run("board", "post", "--kind", "decision", "We keep the lock.\nIts file stays.")
    run("board", "post", "--new", "other", "the lock, elsewhere")

    def found(*words: str) -> list[tuple[str, int]]:
        done = run("board", "search", "--json", *words)
        assert done.code == (0 if done.out else 1), done.err
        return [(event["board"], event["seq"]) for event in done.events]

    assert found("lock") == [("other", 1), ("general", 3), ("general", 2)]
    assert found("制御") == found("排") == [("general", 2)]
    assert found("lock", "-b", "general") == [("general", 3), ("general", 2)]
    assert found("--author", "backend") == found("--mention", reviewer) == found("--path", "src/lock.py")
    assert found("--author", "backend") == found("--state", "queued") == [("general", 2)]
    assert found("--kind", "decision") == [("general", 3)]
    assert found("lock", "--kind", "request") == []
    assert found("--thread", "3") == [("general", 3)]
    assert found("--since", "1h", "begin") == [("general", 1)]
    assert found("--until", "1h", "begin") == []
    assert said(run("board", "search", "file", "stays")) == (
        0, f"general#3  TIME  {board.me} (decision)  Its file stays.\n", "",
    )  # fmt: skip
    assert said(run("board", "search", "nothing-like-it")) == (1, "", "Nothing was found.\n")
    assert said(run("board", "search")) == (2, "", "motet: say what to look for, as in: motet board search login\n")
    assert said(run("board", "search", "--since", "soon")) == (
        *(2, ""),
        "motet: invalid value for '--since': 'soon' is no time; write 2h, 3d, today, 18:00, 2026-01-11 or "
        "2026-01-11T18:00 (motet board search --help)\n",
    )
    assert said(run("board", "search", "--author", "bakend")) == (
        1, "", f"motet: there is no agent 'bakend'; did you mean {backend}?\n",
    )  # fmt: skip


@pytest.mark.acceptance("VB-10", "S4-062", "S4-051")
def test_every_delivery_is_listed_with_time_sender_receiver_and_what_became_of_it(board: Board) -> None:
    run = board.project.here
    run("board", "post", "I am here.")
    me, backend, reviewer = board.me, board.add("backend"), board.add("reviewer")
    board.says("backend", "@reviewer! the login is done")
    board.says("backend", "@reviewer and the logout")
    board.says("backend", "@All lunch?")

    async def settle(boards: Boards) -> None:
        first, second, _ = await boards.pull(reviewer)
        await boards.carried(reviewer, [first.id], "turn-1")
        await boards.settle(reviewer, second.id, Outcome(DeliveryState.DECLINED, "never", "not mine"))

    board.do(settle)
    done = run("board", "inbox", "--everyone")
    assert (done.code, done.err) == (0, "")
    assert sorted(timeless(done.out).splitlines()) == sorted([
        f"general#2  TIME  {backend} to {reviewer}  read !  @reviewer! the login is done",
        f"general#3  TIME  {backend} to {reviewer}  declined (not mine)  @reviewer and the logout",
        f"general#4  TIME  {backend} to {reviewer}  taken  @All lunch?",
        f"general#4  TIME  {backend} to {me}  waiting  @All lunch?",
    ])  # fmt: skip

    def found(*options: str) -> list[tuple[int, str]]:
        events = run("board", "inbox", "--json", *options).events
        return sorted((event["seq"], event["state"]) for event in events)

    assert found("reviewer") == [(2, "in_context"), (3, "declined"), (4, "leased")]
    assert found("reviewer", "--state", "declined") == found("--everyone", "--find", "logout") == [(3, "declined")]
    assert found("--everyone", "--from", "backend", "--find", "lunch") == [(4, "leased"), (4, "queued")]
    assert found("--everyone", "--until", "1h") == []
    event = run("board", "inbox", "reviewer", "--find", "login", "--json").events[0]
    assert (event["turn"], event["high"], event["author"], event["recipient"]) == ("turn-1", True, backend, reviewer)
    assert said(run("board", "inbox", "reviewer", "--everyone")) == (
        2, "", "motet: say one of them: an agent, or --everyone\n",
    )  # fmt: skip


def test_what_stands_in_ones_own_inbox_counts_as_read(board: Board) -> None:
    run = board.project.here
    run("board", "post", "I am here.")
    backend = board.add("backend")
    board.says("backend", "@mia look")
    lines = [f"general#2  TIME  {backend}  {state}  @mia look\n" for state in ("waiting", "read")]
    assert [said(run("board", "inbox")) for _ in lines] == [(0, line, "") for line in lines]


def test_a_whole_board_is_exported_with_nothing_missing(board: Board) -> None:
    run = board.project.here
    board.add("backend")
    board.says("backend", "@All one")
    run("board", "post", "two")
    for name, options in (("page.md", ()), ("page.jsonl", ("--json",))):
        assert said(run("board", "export", "-o", name, *options)) == (0, "", f"Written to {name}.\n")
        assert board.project.text(name) == run("board", "export", *options).out
    assert board.project.text("page.md") == run("board", "show", "--all").out
    events = [json.loads(line) for line in board.project.text("page.jsonl").splitlines()]
    assert [event["event"] for event in events] == ["board", "agent", "agent", "post", "post", "end"]
    assert [event["everyone"] for event in events if event["event"] == "post"] == [True, False]
    assert events[3]["chain"] == {
        "state": "running", "tokens": 0, "cost": 0.0, "most_tokens": 500_000, "most_cost": 1.0,
    }  # fmt: skip
    assert said(run("board", "export", "-o", "page.md")) == (
        2, "", "motet: page.md: exists already; choose another name\n",
    )  # fmt: skip


def test_pause_and_resume_hold_agents_back_at_once(board: Board) -> None:
    run = board.project.here
    run("board", "post", "begin")
    backend = board.add("backend")

    def refused() -> str:
        try:
            board.says("backend", "hello")
        except BoardRefused as error:
            return str(error)
        return ""

    assert said(run("board", "pause")) == (0, "general: agents wait\n", "")
    assert refused() == "the board general is paused by a human; wait until it is resumed"
    assert run("board", "list").out.rstrip().endswith("paused")
    assert said(run("board", "post", "I may.")) == (0, "general#2  for whoever reads the board\n", "")
    assert said(run("board", "resume")) == (0, "general: agents go on\n", "")
    assert refused() == ""
    for words in (["board", "pause", "--agent", "backend"], ["agents", "pause", backend]):
        assert said(run(*words)) == (0, f"{backend}: paused; what is delivered waits\n", "")
        assert refused() == f"{backend} is paused by a human; wait until it is resumed"
        assert said(run(words[0], "resume", *words[2:])) == (0, f"{backend}: goes on\n", "")
    assert said(run("board", "pause", "general", "--agent", "x")) == (
        2, "", "motet: say one of them: a board, --agent or --chain\n",
    )  # fmt: skip


def test_a_chain_is_stopped_and_continued_by_any_of_its_posts(board: Board) -> None:
    run = board.project.here
    backend = board.add("backend")
    run("board", "post", "@backend go on and on")

    def states() -> list[str]:
        return [event["state"] for event in run("board", "inbox", "backend", "--json").events]

    for stop, go_on in (
        (["stop", "1"], ["continue", "general#1"]),
        (["pause", "--chain", "1"], ["resume", "--chain", "1"]),
    ):
        assert said(run("board", *stop)) == (0, "general#1: stopped; 1 delivery was waiting\n", "")
        assert states() == ["declined"]
        assert said(run("board", *go_on)) == (0, "general#1: goes on; 1 delivery waits again\n", "")
        assert states() == ["queued"]
    event = run("board", "stop", "1", "--json").events[0]
    assert (event["event"], event["seq"], event["state"], event["deliveries"]) == ("chain", 1, "stopped", 1)
    assert board.do(lambda boards: boards.pull(backend)) == []


def test_a_budget_that_is_used_up_is_told_with_what_to_do(board: Board) -> None:
    run = board.project.here
    backend = board.add("backend")
    first = json.loads(run("board", "post", "--json", "@backend go").out)["post"]["id"]

    async def spend(boards: Boards) -> None:
        (one,) = await boards.pull(backend)
        await boards.settle(backend, one.id, Outcome(DeliveryState.ACKED, tokens=600_000, cost=0.5))

    board.do(spend)
    told = f"TIME  general  agents have used up the tokens of what began with post {first} (600,000 tokens, $0.50): continue or stop?"
    ask = "  motet board continue general#1  or  motet board stop general#1"
    for options in ((), ("--open",)):
        assert said(run("board", "notices", *options)) == (0, f"{told}{ask}\n", "")
    run("board", "continue", "1")
    assert said(run("board", "notices")) == (0, f"{told}  (continue)\n", "")
    assert said(run("board", "notices", "--open")) == (1, "", "There is no notice.\n")


@pytest.mark.acceptance("S4-095", "S4-098")
def test_boards_are_many_by_topic_and_by_project_with_rights_of_their_own(board: Board) -> None:
    run = board.project.here
    run("board", "post", "here")
    run("board", "post", "--new", "review", "by topic")
    other = board.project.root.parent / "other"
    other.mkdir()
    run("board", "post", "there", cwd="../other")
    listed = [(event["project"], event["name"]) for event in run("board", "list", "-a", "--json").events]
    root = str(board.project.root)
    assert sorted(listed) == sorted([(root, "general"), (root, "review"), (str(other), "general")])
    assert [event["name"] for event in run("board", "list", "--json", cwd="../other").events] == ["general"]
    backend, reviewer = board.add("backend", "review"), board.add("reviewer", "review", role="reviewer")
    assert said(run("board", "rights", "review", "--post", "role:reviewer", "--all", "nobody")) == (
        0, "read  everyone\npost  role:reviewer\n@All  nobody\n", "",
    )  # fmt: skip
    with pytest.raises(BoardRefused, match=f"^{backend} may not post on review; a human gives that right$"):
        board.says("backend", "hello", "review")
    with pytest.raises(BoardRefused, match=f"^{backend} may not post on review"):
        board.says("backend", "hello", "review")
    assert said(run("board", "rights", "review", "--post", "backend", "--post", "role:reviewer")) == (
        0, f"read  everyone\npost  {backend}, role:reviewer\n@All  nobody\n", "",
    )  # fmt: skip
    assert board.says("backend", "hello", "review").post.seq == 2
    with pytest.raises(BoardRefused, match="may not write to @All on review"):
        board.says("backend", "@All hello", "review")
    assert reviewer in [event["address"] for event in run("agents", "list", "--json").events]
    assert said(run("board", "rights", "review", "--post", "kind:robot")) == (
        2, "", "motet: kind:robot: the kinds are human, chat, acp and mcp\n",
    )  # fmt: skip
    assert run("board", "rights", "--all", "everyone", "--json").events[0]["rights"]["all"] == ["everyone"]


@pytest.mark.parametrize(
    "words",
    [
        ["show", "-n"],
        ["show", "--after"],
        ["search", "x", "-n"],
        ["inbox", "-n"],
        ["notices", "-n"],
        ["watch", "--after"],
    ],
    ids=" ".join,
)
def test_numbers_that_no_store_could_hold_are_refused(board: Board, words: list[str]) -> None:
    done = board.project.here("board", *words, "99999999999999999999")
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert f"invalid value for '{words[-1]}'" in done.err or "invalid value for '-n'" in done.err


def test_agents_text_cannot_steer_the_terminal(board: Board) -> None:
    board.add("backend")
    board.says("backend", "\x1b[2Jgone \u202eevil")
    shown = board.project.human("board", "show")
    shown.ends()
    assert b"\x1b[2J" not in shown.raw and "\u202e".encode() not in shown.raw
    done = board.project.here("board", "search", "--author", "backend")
    assert "\x1b" not in done.out and "␛[2Jgone <U+202E>evil" in done.out
    for words in (["show"], ["export"]):  # a pipe may end at a terminal
        done = board.project.here("board", *words)
        assert "\x1b" not in done.out and "␛[2Jgone <U+202E>evil" in done.out


WITHOUT_PERMISSION = """
import os, sys, motet.cli
from pathlib import Path

assert motet.cli.run(["board", "post", "first"]) == 0  # all that is imported is imported now
state = Path(sys.argv[1])
for path in (state, *state.iterdir()):
    path.chmod(0o555 if path.is_dir() else 0o444)
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
raise SystemExit(motet.cli.run(["board", "post", "second"]))
"""


def test_without_permission_there_is_one_clear_line(board: Board) -> None:
    run, state = board.project.run, board.project.state
    state.mkdir(parents=True)
    for path in (*board.project.root.parents, *state.parents):
        if path.stat().st_uid == os.getuid() and path != path.parent:
            path.chmod(path.stat().st_mode | 0o011)
    for path in (board.project.config.parent, board.project.config):
        path.chmod(0o755)
    done = run(str(state), argv=(BIN / "python", "-c", WITHOUT_PERMISSION))
    assert (done.code, done.out) == (1, "general#1  for whoever reads the board\n")
    assert done.err == (
        f"motet: {state}/boards.db: the boards cannot be stored: no permission to write; make the directory writable\n"
    )
    state.chmod(0o755)


def test_a_full_disk_is_one_clear_line_and_nothing_is_lost(board: Board) -> None:
    board.project.here("board", "post", "first")
    code = (
        "import resource, signal, motet.cli\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (80_000, resource.RLIM_INFINITY))\n"
        "raise SystemExit(motet.cli.run(['board', 'post', 'y' * 90_000]))"
    )
    done = board.project.run(argv=(BIN / "python", "-c", code))
    assert (done.code, done.out, len(done.err.splitlines())) == (1, "", 1)
    assert "boards.db: the disk" in done.err and "what was stored before is safe" in done.err
    assert [event["body"] for event in board.project.here("board", "show", "--json").events] == ["first"]


def test_boards_of_a_newer_motet_are_left_alone(board: Board) -> None:
    board.project.here("board", "post", "first")
    with sqlite3.connect(board.project.state / "boards.db") as store:
        store.execute("UPDATE about SET value = '99' WHERE name = 'schema'")
        store.execute("UPDATE about SET value = '9.9.9' WHERE name = 'motet'")
    store.close()
    done = board.project.here("board", "post", "second")
    assert (done.code, done.out) == (1, "")
    assert done.err.endswith("update to motet 9.9.9 or later\n") and len(done.err.splitlines()) == 1


def test_a_reader_who_stops_ends_it_in_silence(board: Board) -> None:
    for number in range(3):
        board.project.here("board", "post", f"{number} " + "x" * 50_000)
    done = subprocess.run(
        f"{BIN}/motet board show | head -c 1000 > /dev/null; echo ${{PIPESTATUS[0]}}",
        shell=True, executable="/bin/bash", cwd=board.project.root, env=board.project.env(), capture_output=True,
        text=True, timeout=60,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("141\n", "")


@pytest.mark.acceptance("S4-065", "S4-066", "S4-077")
def test_agents_are_listed_shown_and_cleaned_away(board: Board) -> None:
    run = board.project.here
    run("board", "post", "begin")
    backend, reviewer = board.add("backend", workspace="/work/tree"), board.add("reviewer", role="reviewer")
    run("board", "post", "@backend go")

    async def work(boards: Boards) -> None:
        (one,) = await boards.pull(backend)
        await boards.settle(backend, one.id, Outcome(DeliveryState.ACKED, tokens=1234, cost=0.5))
        await boards.set_state(backend, AgentState.WORKING, "on the login")

    board.do(work)
    run("board", "post", "@reviewer look, @backend too")
    width = max(len(one) for one in (backend, reviewer, board.me))
    assert said(run("agents")) == (
        0,
        "".join(f"{line}\n" for line in sorted([
            f"{backend:<{width}}  chat   working  1 unread  1,234 tokens $0.50 today  (on the login)  offline  /work/tree",
            f"{board.me:<{width}}  human  idle     0 unread      0 tokens    $0 today",
            f"{reviewer:<{width}}  chat   gone     1 unread      0 tokens    $0 today  offline  role:reviewer",
        ])),
        "",
    )  # fmt: skip
    done = run("agents", "show", "backend")
    assert (done.code, done.err) == (0, "")
    assert timeless(done.out).splitlines() == [
        f"address    {backend}", "kind       chat", "state      working (on the login)", "model      offline",
        "answers    mentioned", "boards     general", "unread     1", "today      1,234 tokens, $0.50",
        "work tree  /work/tree", "seen       TIME", "since      TIME",
    ]  # fmt: skip
    assert said(run("agents", "clean")) == (0, "", "No agent has been gone for that long.\n")
    assert said(run("agents", "clean", "--days", "0")) == (0, f"{reviewer}: closed\n", "")
    assert [event["name"] for event in run("agents", "list", "--json").events] == ["backend", "mia"]
    assert {event["state"] for event in run("agents", "list", "--closed", "--json").events} == {
        "working",
        "idle",
        "closed",
    }


@pytest.mark.acceptance("S4-064")
def test_among_sixty_agents_one_is_found_and_those_that_are_gone_are_cleaned_away(board: Board) -> None:
    run = board.project.here
    run("board", "post", "begin")

    async def come(boards: Boards) -> list[str]:
        at = (await boards.open(str(board.project.root))).id
        found: list[str] = []
        for number in range(60):
            new = NewAgent(f"agent{number}", AgentKind.CHAT, f"{number}", ("review",) if number % 20 == 3 else ())
            agent = await boards.register(new)
            await boards.join(at, agent.address)
            state = AgentState.GONE if number >= 10 else AgentState.WORKING
            await boards.set_state(agent.address, state, "on the login" if number == 3 else "")
            found.append(agent.address)
        return found

    there = board.do(come)

    def names(*arguments: str) -> list[str]:
        return [event["address"] for event in run("agents", "list", *arguments, "--json").events]

    assert names() == sorted([*there, board.me])
    assert names("--find", "REVIEW") == sorted([there[3], there[23], there[43]])
    assert names("--find", "working review") == [there[3]]
    assert names("--find", "working") == sorted(there[:10])
    assert said(run("agents", "list", "--find", "no such")) == (
        1,
        "",
        "There is no agent with 'no such' on the boards of this project; --all-projects shows others.\n",
    )
    assert sorted(run("agents", "clean", "--days", "0").out.splitlines()) == sorted(
        f"{one}: closed" for one in there[10:]
    )
    assert names() == sorted([*there[:10], board.me])
    assert len(names("--closed")) == 61

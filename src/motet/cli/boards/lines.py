"""What boards hold, as lines that people read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from motet.board import Agent, AgentState, Delivery, DeliveryState, Glance, Notice, Post, Posted, PostKind, Told
from motet.board.page import STATE_WORDS
from motet.cli.boards.times import local
from motet.cli.chat.markdown_stream import MarkdownStream
from motet.cli.chat.terminal import ChatTerminal
from motet.cli.columns import padded, widest
from motet.cli.wrap import Span
from motet.money import dollars, known_cost
from motet.text.terms import folded

_INDENT = "  "
_EXCERPT = 200
"""Characters of a post in a line."""
_LOUD_STATES = {AgentState.WORKING: "green", AgentState.WAITING: "yellow"}
_LOUD = frozenset({DeliveryState.EXPIRED, DeliveryState.DEAD})


def counted(many: int, word: str) -> str:
    """`1 post`, `2 posts`."""
    return f"{many:,} {word}{'' if many == 1 else 's'}"


def excerpt(body: str, words: str = "") -> str:
    """The first line of `body` in which one of `words` stands; else its first line."""
    lines = [line.strip() for line in body.splitlines() if line.strip()] or [""]
    wanted = [folded(word) for word in words.replace('"', " ").split()]
    line = next((line for line in lines if any(word in folded(line) for word in wanted)), lines[0])
    return line if len(line) <= _EXCERPT else f"{line[: _EXCERPT - 1]}…"


def marks_of(post: Post) -> str:
    """` (progress, edited)`; empty for an ordinary post."""
    found = [str(post.kind)] if post.kind is not PostKind.MESSAGE else []
    found += ["edited"] if post.version > 1 else []
    found += ["taken back"] if post.retracted else []
    return f" ({', '.join(found)})" if found else ""


def draw_post(out: ChatTerminal, post: Post, note: str = "") -> None:
    """A post on a terminal: its head, and below it, indented, its body as Markdown: what a body says cannot be taken
    for the head of another post."""
    out.spans(
        (f"#{post.seq} ", "cyan"),
        (f"{local(post.at)} ", "dim"),
        (post.author, "bold"),
        (marks_of(post), "yellow"),
        (f"  {note}" if note else "", "yellow"),
        hang=2,
    )
    stream = MarkdownStream(styled=out.colour)
    width = out.width
    width = None if width is None else width - len(_INDENT)
    body = "" if post.retracted else post.body
    out.draw(_indented([*stream.add(body, width), *stream.end(width)]))
    out.line()


def _indented(spans: list[Span]) -> list[Span]:
    """`spans`, which hold their line ends, with every line that is not empty moved to the right."""
    found: list[Span] = []
    at_start = True
    for text, style in spans:
        for piece in text.splitlines(keepends=True):
            if at_start and piece != "\n":
                found.append((_INDENT, ""))
            found.append((piece, style))
            at_start = piece.endswith("\n")
    return found


def glance_spans(glance: Glance, width: int, everywhere: bool) -> list[Span]:
    """A board in a list."""
    board = glance.board
    posts = f"{counted(board.last, 'post'):>12}"
    newest = local(glance.newest)[:16] if glance.newest is not None else " " * 16
    unread = f"  {glance.unread:,} unread" if glance.unread else ""
    return [
        (padded(board.name, width), "bold"),
        (f"{posts}  {newest}  {counted(glance.members, 'member')}", ""),
        (unread, "yellow"),
        ("  paused" if board.paused else "", "red"),
        (f"  {board.project}" if everywhere else "", "dim"),
    ]


def post_spans(post: Post, board: str, words: str = "") -> list[Span]:
    """A post in a list."""
    return [
        (f"{board}#{post.seq}", "cyan"),
        (f"  {local(post.at)}  ", "dim"),
        (post.author, "bold"),
        (marks_of(post), "yellow"),
        (f"  {excerpt(post.body, words)}", ""),
    ]


def delivery_spans(one: Delivery, board: str, answer: int | None, *, everyone: bool) -> list[Span]:
    """A delivery in a list; `answer` is the number of the post that answers it."""
    state = STATE_WORDS.get(one.state, str(one.state))
    if one.state is DeliveryState.ANSWERED and answer is not None:
        state = f"answered by #{answer}"
    reason = f" ({one.reason or one.rule})" if one.state is DeliveryState.DECLINED else ""
    style = "red" if one.state in _LOUD else "yellow" if one.state is DeliveryState.QUEUED else "green"
    recipient = one.recipient or f"role:{one.role}"
    return [
        (f"{board}#{one.post.seq}", "cyan"),
        (f"  {local(one.at)}  ", "dim"),
        (f"{one.post.author}{f' to {recipient}' if everyone else ''}", "bold"),
        (f"  {state}{reason}{' !' if one.high else ''}", style),
        ("  (taken back)" if one.post.retracted else f"  {excerpt(one.post.body)}", ""),
    ]


def posted_spans(posted: Posted, board: str) -> list[Span]:
    """What became of a draft, or of another text for a post: where it stands, and who gets it now."""
    whom = ", ".join([*(["everyone"] if posted.everyone else []), *posted.recipients])
    is_edit = posted.post.version > 1 and posted.was_new
    if not posted.was_new:
        what = "  is there already, just so"
    elif is_edit:
        what = f"  edited; now for {whom} too" if whom else "  edited"
    else:
        what = f"  for {whom or 'whoever reads the board'}"
    return [(f"{board}#{posted.post.seq}", "cyan"), (what, "")]


def told_line(one: Told) -> str:
    """A mention that reached nobody."""
    nearest = f"; did you mean {' or '.join(f'@{name}' for name in one.nearest)}?" if one.nearest else ""
    return f"{one.text} reaches nobody: {one.why}{nearest}"


def agent_rows(agents: Sequence[Agent], processes: Mapping[str, int]) -> Iterator[list[Span]]:
    """Agents in a list, what each has below the same of the others; `processes`: those that run, by address."""
    states = [str(agent.state) if not agent.paused else "paused" for agent in agents]
    unread = [f"{agent.unread:,}" for agent in agents]
    tokens = [f"{agent.tokens:,}" for agent in agents]
    costs = [dollars(known_cost(agent.cost, agent.tokens)) for agent in agents]
    names, state_cells = widest([agent.address for agent in agents]), widest(states)
    unread_cells, token_cells, cost_cells = widest(unread), widest(tokens), widest(costs)
    for agent, state, waiting, used, cost in zip(agents, states, unread, tokens, costs, strict=True):
        process = processes.get(agent.address)
        roles = "".join(f" role:{role}" for role in agent.roles)
        yield [
            (padded(agent.address, names), "bold"),
            (f"  {agent.kind:<5}", ""),
            (f"  {state:<{state_cells}}", "red" if agent.paused else _LOUD_STATES.get(agent.state, "")),
            (f"  {waiting:>{unread_cells}} unread", "yellow" if agent.unread else ""),
            (f"  {used:>{token_cells}} tokens {cost:>{cost_cells}} today", ""),
            (f"  ({agent.why})" if agent.why else "", "dim"),
            (f"  {agent.model}" if agent.model else "", "cyan"),
            (f" {roles}" if roles else "", ""),
            (f"  {agent.workspace}" if agent.workspace else "", "dim"),
            (f"  background process {process}" if process else "", "dim"),
        ]


def notice_spans(notice: Notice, board: str, thread: str) -> list[Span]:
    """A notice in a list; `thread` is the post that can be continued or stopped."""
    ask = ""
    if thread and not notice.settled:
        ask = f"  motet board continue {thread}  or  motet board stop {thread}"
    return [
        (f"{local(notice.at)}  ", "dim"),
        (f"{board}  " if board else "", "bold"),
        (notice.text, "" if notice.settled else "yellow"),
        (f"  ({notice.settled})" if notice.settled else "", "dim"),
        (ask, "cyan"),
    ]

"""Paths as people write them, and files as messages."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from pathlib import PurePosixPath

from motet.context.attachment import file_attachment, file_name, item_id, numbered, part_attachment, text_attachment
from motet.context.globs import Globs
from motet.context.sources import MAX_BYTES, Shared, Sources, notice
from motet.context.symbols import LineRange
from motet.errors import FileMissing, FileTooLarge, MotetError, NotText
from motet.messages import Document, Image, Message, tags
from motet.permissions import Origin

MAX_FILES = 200
"""Most files that one directory or group brings; the rest is named by number."""
MAX_TOTAL = 2_000_000
"""Most characters of all files of a group together."""
MAX_LISTED = 2_000
"""Most paths in the list of a directory."""

_NAMED = 5

_IMAGES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


class Paths:
    """Finds the path that a written one means. `known` are listed files; without them only whole paths are found."""

    def __init__(self, sources: Sources, known: Sequence[str] = ()) -> None:
        self._sources = sources
        self._all = set(known)
        self._by_name: defaultdict[str, list[str]] = defaultdict(list)
        for path in known:
            self._by_name[path.rpartition("/")[2]].append(path)
            self._all.update(str(parent) for parent in PurePosixPath(path).parents)

    def resolve(self, written: str) -> str | None:
        """The path in the workspace: `/src/a.py`, `./src/a.py`, `src/a.py`, an absolute one inside, or the end of one
        listed path alone, as in `a.py`. None for what is not there."""
        root = str(self._sources.workspace.root)
        if "\0" in written or len(written) > 1_000 or not written.isprintable():
            return None
        if written.startswith(f"{root}/"):
            written = written[len(root) :]
        path = os.path.normpath(written.lstrip("/")).removeprefix("./")
        if path.startswith("../") or path in ("..", ".", ""):
            return None
        if self._exists(path):
            return path
        if written.startswith(("/", "./")):
            return None
        return self._by_end(path)

    def _exists(self, path: str) -> bool:
        if path in self._all:
            return True
        try:
            return os.path.lexists(self._sources.workspace.root / path)
        except (OSError, ValueError):
            return False

    def ends(self, path: str) -> list[str]:
        """The listed paths that end so."""
        found = self._by_name.get(PurePosixPath(path).name, [])
        return [each for each in found if f"/{each}".endswith(f"/{path}")]

    def _by_end(self, path: str) -> str | None:
        fitting = self.ends(path)
        return fitting[0] if len(fitting) == 1 else None


def image_type(data: bytes) -> str:
    """The type of a picture by its first bytes: PNG, JPEG, GIF, WebP; empty for anything else."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((mime for magic, mime in _IMAGES if data.startswith(magic)), "")


def is_pdf(data: bytes) -> bool:
    """Whether it is a PDF: its header stands in the first 1024 bytes (ISO 32000-1, annex H)."""
    return b"%PDF-" in data[:1024]


async def share_path(
    path: str, sources: Sources, *, lines: LineRange | None = None, source: str = "", origin: Origin = Origin.USER
) -> Shared:
    """A file (its text, a picture or a PDF), or the list of a directory's files. What cannot be shared is a notice."""
    try:
        return await _share(path, sources, lines, source, origin)
    except FileMissing:
        return notice(await missing(path, sources))
    except MotetError as error:
        return notice(error)


async def share_files(paths: Sequence[str], sources: Sources, source: str, origin: Origin = Origin.PROJECT) -> Shared:
    """Several files, which the human did not name one by one: secret ones and what is no text is left out."""
    taken = [path for path in paths if not sources.is_secret(path)]
    notices: list[str] = []
    if secret := len(paths) - len(taken):
        notices.append(f"{source}: {_files(secret)} left out, by name a secret")
    messages: list[Message] = []
    unread: list[str] = []
    characters = 0
    for path in taken[:MAX_FILES]:
        try:
            file = await sources.read(path, origin)
        except MotetError as error:
            unread.append(str(error))
            continue
        message = file_attachment(path, file.text, absolute=sources.absolute(path), source=source)
        characters += len(message.text)
        if characters > MAX_TOTAL:
            notices.append(f"{source}: more than {MAX_TOTAL:,} characters; {path} and those after it are left out")
            break
        messages.append(message)
    if unread:
        more = f", and {len(unread) - _NAMED} more" if len(unread) > _NAMED else ""
        notices.append(f"{source}: left out: {'; '.join(unread[:_NAMED])}{more}")
    if len(taken) > MAX_FILES:
        notices.append(f"{source}: the first {MAX_FILES} of {_files(len(taken))}; name a smaller part")
    return Shared(tuple(messages), notices=tuple(notices))


async def matching(globs: Sequence[str], sources: Sources) -> list[str]:
    """The workspace's own files that `globs` take, sorted."""
    wanted = Globs(tuple(globs))
    return [path for path in await sources.workspace.list_files() if wanted.take(path)]


async def missing(path: str, sources: Sources) -> str:
    """That there is no such file, and which is nearest by name."""
    from rapidfuzz import fuzz, process

    path = path.lstrip("/").removeprefix("./")
    try:
        files = await sources.workspace.list_files()
    except MotetError:
        files = []
    files = [each for each in files if not sources.is_secret(each)]
    found = process.extractOne(path, files, scorer=fuzz.ratio, score_cutoff=60)
    by_name = process.extractOne(
        path.rpartition("/")[2], [each.rpartition("/")[2] for each in files], scorer=fuzz.ratio, score_cutoff=70
    )
    nearest = files[by_name[2]] if by_name and (not found or by_name[1] > found[1]) else found[0] if found else ""
    advice = f"; the nearest is {nearest}" if nearest else ""
    return f"{_printable(path)}: no such file in the workspace{advice}"


async def _share(path: str, sources: Sources, lines: LineRange | None, source: str, origin: Origin) -> Shared:
    if await _is_directory(path, sources):
        return await _share_directory(path, sources, source)
    try:
        file = await sources.read(path, origin)
    except (NotText, FileTooLarge):
        data = await read_bytes(path, sources)
        if image_type(data) or is_pdf(data):
            return await share_part(path, data, sources, source=source)
        raise
    if is_pdf(file.data[:5]):
        return await share_part(path, file.data, sources, source=source)
    if not sources.may_share_code:
        return notice(f"{path}: not shared: your settings forbid that code leaves")
    name = file_name(path, lines)
    if lines is not None and numbered(file.text, lines).lines is None:
        return notice(f"{name}: the file has fewer lines")
    message = file_attachment(path, file.text, absolute=sources.absolute(path), lines=lines, source=source)
    words = f"`{path}`" if lines is None else f"`{path}` ({_lines(lines)})"
    notices: tuple[str, ...] = ()
    if "left out: too long]" in message.text[-200:]:
        notices = (f"{name}: too long; only its first part is shared",)
    return Shared((message,), words, notices)


async def share_part(name: str, data: bytes, sources: Sources, *, url: str = "", source: str = "") -> Shared:
    """A picture or a PDF for a model that can take it; else a notice, for a PDF also its text."""
    mime = image_type(data)
    absolute = "" if url else sources.absolute(name)
    if mime:
        if not sources.sees_images:
            return notice(f"{name}: not shared: this model cannot see pictures; choose one that can")
        image = Image(data, mime, name)
        return Shared((part_attachment(image, path=absolute, url=url, source=source),), f"the picture `{name}`")
    text, notes = await _text_of_pdf(name, data)
    if not sources.reads_documents:
        if not text:
            return Shared(notices=(f"{name}: not shared: this model cannot read PDFs, and it holds no text", *notes))
        item = item_id("document", name)
        message = text_attachment(
            "document",
            text,
            tag=tags.DOCUMENT,
            item=item,
            attributes={"filepath": name},
            path=absolute,
            source=source,
        )
        return Shared((message,), f"the text of `{name}`", notes)
    document = Document(data, "application/pdf", name, text)
    return Shared(
        (part_attachment(document, path=absolute, url=url, source=source),), f"the document `{name}`", notes
    )


async def read_bytes(path: str, sources: Sources) -> bytes:
    """The bytes of a file that need not be text. Raises `FileTooLarge`, `WorkspaceError`, `PermissionDenied`."""
    import asyncio

    await sources.require(path)
    if sources.read_bytes is not None:
        data = await sources.read_bytes(path)
    else:
        data = await asyncio.to_thread(_read_bytes, path, sources)
    if len(data) > MAX_BYTES:
        raise FileTooLarge(f"{path}: {len(data) / 1e6:.1f} MB is more than can be shared ({MAX_BYTES // 2**20} MiB)")
    return data


def _read_bytes(path: str, sources: Sources) -> bytes:
    from motet.workspace import atomic
    from motet.workspace.failures import told
    from motet.workspace.guard import Guard

    with told(path), Guard(sources.workspace.root).locate(path) as place:
        return atomic.read(place, MAX_BYTES)


async def _text_of_pdf(name: str, data: bytes) -> tuple[str, tuple[str, ...]]:
    from motet.web.reading import Kind, Raw, read_apart

    try:
        reading = await read_apart(Raw(name, "application/pdf", data), Kind.PDF)
    except MotetError as error:
        return "", (str(error),)
    return reading.text, tuple(f"{name}: {note}" for note in reading.notes)


async def _is_directory(path: str, sources: Sources) -> bool:
    if sources.workspace.root.is_dir():
        return (sources.workspace.root / path).is_dir()
    try:
        files = await sources.workspace.list_files([path])
    except MotetError:
        return False
    return bool(files) and files != [path]


async def _share_directory(path: str, sources: Sources, source: str) -> Shared:
    files = [each for each in await sources.workspace.list_files([path]) if not sources.is_secret(each)]
    more = f"\n[{len(files) - MAX_LISTED} more]" if len(files) > MAX_LISTED else ""
    message = text_attachment(
        "directory",
        "\n".join(map(_printable, files[:MAX_LISTED])) + more,
        tag=tags.FILE,
        item=item_id("directory", path),
        attributes={"path": path, "files": len(files)},
        path=sources.absolute(path),
        source=source,
    )
    return Shared((message,), f"the directory `{path}`")


def _lines(lines: LineRange) -> str:
    return f"line {lines[0]}" if lines[0] == lines[1] else f"lines {lines[0]}-{lines[1]}"


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"


def _printable(path: str) -> str:
    return "".join(each if each.isprintable() else "?" for each in path)


async def workspace_paths(sources: Sources, *, listed: bool = False) -> Paths:
    """Finds paths. Listing costs time in a large project: it is done when short forms are to be found (`listed`), and
    for a workspace that is not on disk."""
    if not listed and sources.workspace.root.is_dir():
        return Paths(sources)
    try:
        return Paths(sources, await sources.workspace.list_files())
    except MotetError:
        return Paths(sources)

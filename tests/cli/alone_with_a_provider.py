"""A walk through all commands in a network of its own, in which everything that is sent is seen. For `unshare -rn`.

python alone_with_a_provider.py ROOT HOME      prints, as JSON, the provider's port and for each step where packets went
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import socket
import struct
import sys
from pathlib import Path

from cli.chat.session_kit import talker
from cli.kit import MAY_SEND, ONLY_CHECKER, PROVIDER, Project, Provider, block, edit

from motet.models.scripted import Answer, ScriptedRequest, Step, call

SIOCSIFFLAGS, SIOCADDRT, IFF_UP, RTF_UP, ETH_P_ALL = 0x8914, 0x890B, 0x1, 0x1, 0x3


class Route(ctypes.Structure):
    """`struct rtentry`, see rtnetlink(7) and <net/route.h>."""

    _fields_ = (
        ("pad1", ctypes.c_ulong), ("dst", ctypes.c_ubyte * 16), ("gateway", ctypes.c_ubyte * 16), ("mask", ctypes.c_ubyte * 16),
        ("flags", ctypes.c_ushort), ("pad2", ctypes.c_short), ("pad3", ctypes.c_ulong), ("pad4", ctypes.c_void_p),
        ("metric", ctypes.c_short), ("dev", ctypes.c_char_p), ("mtu", ctypes.c_ulong), ("window", ctypes.c_ulong),
        ("irtt", ctypes.c_ushort),
    )  # fmt: skip


def lay_line() -> socket.socket:
    """Put the loopback up and every route on it; what hears all that is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))
        nowhere = (ctypes.c_ubyte * 16)(*struct.pack("H14x", socket.AF_INET))
        route = Route(dst=nowhere, gateway=nowhere, mask=nowhere, flags=RTF_UP, dev=b"lo")
        fcntl.ioctl(control, SIOCADDRT, bytes(route))
    heard = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    heard.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 2**20)
    heard.setblocking(False)
    return heard


def destinations(heard: socket.socket) -> list[tuple[str, int]]:
    """Address and port of whatever was called since the last look; answers to a call do not count."""
    found: dict[tuple[str, int], None] = {}
    while True:
        try:
            frame = heard.recv(65536)
        except BlockingIOError:
            return list(found)
        packet = frame[14:]
        if packet[:1] and packet[0] >> 4 != 4:
            found[f"IPv{packet[0] >> 4}", 0] = None
            continue
        start, protocol, address = (packet[0] & 15) * 4, packet[9], socket.inet_ntoa(packet[16:20])
        port = struct.unpack_from("!H", packet, start + 2)[0]
        opens = protocol != socket.IPPROTO_TCP or packet[start + 13] & 0x12 == 0x02  # SYN without ACK
        if opens:
            found[address, port] = None


def answering(request: ScriptedRequest) -> Step:
    """An edit where edits are wanted, once; else words."""
    if "make it good" in request.text and "a.txt: applied" not in request.text:
        return edit(("a.txt", "bad\n", "good\n"))
    if "look around" in request.text and "1│" not in request.text:
        return Answer(calls=(call("read_file", {"path": "a.py"}), call("run_command", {"argv": ["ls"]})))
    return Answer(text="Here.")


STEPS = (
    ("--version",), ("--help",), ("ask", "what is it? @/a.py #diff"), ("ask", "-t", "agent", "--allow", "run", "look around"),
    ("edit", "-y", "make it good", "a.txt"), ("fix", "-y"), ("fix", "-y", "--model", "offline"), ("undo",), ("commit", "-y"),
    ("prompt", "list"), ("prompt", "run", "explain", "a.py"), ("history",), ("history", "search", "here"), ("history", "show", "last"),
    ("context", "what?"), ("inspect", "what?"), ("rules",), ("config", "show"), ("log",), ("log", "errors"), ("trust", "--list"),
    ("apply", "-y", "-"),
)  # fmt: skip


APPLIED = ("a.txt\n" + block("good\n", "better\n")).encode()


def main(root: Path, home: Path) -> None:
    heard = lay_line()
    project = Project(root, home)
    seen: list[tuple[str, list[tuple[str, int]]]] = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.sendto(b"x", ("192.0.2.1", 53))
    seen.append(("a stranger", destinations(heard)))
    with Provider(answering) as provider:
        project.settings(PROVIDER.format(url=provider.url) + ONLY_CHECKER + MAY_SEND)
        for arguments in STEPS:
            project.run(*arguments, given=APPLIED)
            seen.append((" ".join(arguments), destinations(heard)))
        human = talker(project, "chat")
        human.says("hello there")
        human.sees("Here.")
        human.says("/model")
        human.is_ready()
        human.presses("\x04")
        assert human.ends() == 0
        seen.append(("chat", destinations(heard)))
        for name in ("models", "doctor"):
            project.run(name)
            seen.append((name, destinations(heard)))
        print(json.dumps({"port": int(provider.url.rpartition(":")[2]), "seen": seen}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

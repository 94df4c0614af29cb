# SPDX-License-Identifier: MIT
"""A client of crisol-core in Python: the messages of msg.def, spoken over a socket pair.

    with Core() as core:
        core.say("run_start", tag=1, source="return 1")
        done = core.hear("run_done")

The vocabulary is read from msg.def itself, so that a test cannot speak another one.
"""
import array
import os
import pathlib
import re
import socket
import struct
import subprocess

from tap import crisol

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(crisol).resolve().parent
BODY_MAX = 65536 - 8
MORE, SEALED = 1, 2


def _vocabulary():
    text = (ROOT / "src/ipc/msg.def").read_text()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    found = {}
    for m in re.finditer(r"^MSG\((\w+),\s*(\w+),\s*(\w+),(.*?)\)$(?=\s*(?:MSG\(|\Z))", text, re.S | re.M):
        fields = re.findall(r"\b(U64|TEXT|BYTES)\((\w+)", m.group(4))
        found[m.group(1)] = (len(found), [(kind, name) for kind, name in fields])
    return found


MESSAGES = _vocabulary()
NAMES = {number: name for name, (number, _) in MESSAGES.items()}


def encode(name, /, **values):
    out = b""
    for kind, field in MESSAGES[name][1]:
        value = values.pop(field, 0 if kind == "U64" else b"")
        if kind == "U64":
            out += struct.pack("<Q", value)
        else:
            value = value.encode() if isinstance(value, str) else value
            out += struct.pack("<I", len(value)) + value
    assert not values, f"{name} has no {list(values)}"
    return out


def decode(name, body):
    values, at = {}, 0
    for kind, field in MESSAGES[name][1]:
        if kind == "U64":
            values[field] = struct.unpack_from("<Q", body, at)[0]
            at += 8
        else:
            n = struct.unpack_from("<I", body, at)[0]
            values[field] = body[at + 4:at + 4 + n].decode("utf-8")
            at += 4 + n
    assert at == len(body), f"{name}: {len(body) - at} bytes left"
    return values


def frames(name, body):
    """The bytes of a message, in pieces where it is large."""
    number, out = MESSAGES[name][0], b""
    while True:
        piece, body = body[:BODY_MAX], body[BODY_MAX:]
        out += struct.pack("<IHBB", len(piece), number, MORE if body else 0, 0) + piece
        if not body:
            return out


class Core:
    """A broker of our own: env is added to a small environment, programs is the folder it and its
    siblings are in, user an id to become first."""

    def __init__(self, env=None, hello=True, programs=PROGRAMS, user=None):
        ours, theirs = socket.socketpair()
        base = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "CRISOL_STATE_HOME": "/nonexistent"}

        def child():
            os.dup2(theirs.fileno(), 3)
            if user is not None:
                os.setgroups([]), os.setresgid(user, user, user), os.setresuid(user, user, user)

        self.process = subprocess.Popen([pathlib.Path(programs) / "crisol-core"], stdin=subprocess.DEVNULL,
                                        pass_fds=[3, theirs.fileno()] if theirs.fileno() != 3 else [3],
                                        preexec_fn=child, env={**base, **(env or {})})
        theirs.close()
        self.socket = ours
        self.socket.settimeout(30)
        self.buffer, self.fds = b"", []
        if hello:
            self.say("client_hello", version="test")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()
        self.process.wait(30)

    def say(self, name, /, **values):
        self.socket.sendall(frames(name, encode(name, **values)))

    def _fill(self):
        data, control, _, _ = self.socket.recvmsg(1 << 20, 4096)
        for level, kind, fds in control:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                got = array.array("i")
                got.frombytes(fds[:len(fds) - len(fds) % got.itemsize])
                self.fds += list(got)
        if not data:
            raise EOFError("the broker closed the channel")
        self.buffer += data

    def message(self):
        """The next message: its name and its values."""
        body = b""
        while True:
            while len(self.buffer) < 8:
                self._fill()
            size, number, flags, fds = struct.unpack_from("<IHBB", self.buffer)
            while len(self.buffer) < 8 + size:
                self._fill()
            piece, self.buffer = self.buffer[8:8 + size], self.buffer[8 + size:]
            name = NAMES[number]
            if flags & SEALED:
                fd = self.fds.pop(0)
                piece = os.pread(fd, struct.unpack("<Q", piece)[0], 0)
                os.close(fd)
            body += piece
            if not flags & MORE:
                return name, decode(name, body)

    def hear(self, *names):
        """The next message of one of these names; others are passed over."""
        while True:
            name, values = self.message()
            if name in names:
                return values if len(names) == 1 else (name, values)

    def run(self, source, **values):
        """One script to its end."""
        self.say("run_start", tag=values.pop("tag", 1), source=source, **values)
        return self.hear("run_done")


def children(pid):
    """Pids of all processes below this one."""
    found = []
    try:
        below = [child for task in os.listdir(f"/proc/{pid}/task") for child in pathlib.Path(f"/proc/{pid}/task/{task}/children").read_text().split()]
    except OSError:  # it has just ended
        return found
    for child in below:
        found += [int(child)] + children(int(child))
    return found

# SPDX-License-Identifier: MIT
"""A broker that has a workspace, for tests of tools and of scripts that call them.

    with Desk(folder) as desk:
        got = desk.call("read_file", path="a.txt")
        ok(got.result["content"] == "1: hello\\n", "a line", got)

Nothing is inherited: state and configuration are in folders of its own unless env says otherwise. When
a desk is closed its journal is audited, and the program's last row says what came of that.
"""
import atexit
import json
import os
import pathlib
import re
import shutil
import sqlite3
import tempfile
from collections import namedtuple

import tap
from wire import PROGRAMS, ROOT, Core, children

WRITE, PROCESS, ANALYSIS, EXTERNAL, MCP, AGENTS = (1 << n for n in range(6))
NOBODY = 54321  # an ordinary user, where tests run as root

Reply = namedtuple("Reply", "code result message hint")


class Desk(Core):
    """folders: declared ones; flags: those above, or-ed; config: of --config; own: of the person's own
    file, as values that become JSON."""
    ASKS = {name: n for n, name in enumerate(re.findall(r"^\tASK_(\w+),", (ROOT / "src/ipc/ask.h").read_text(), re.M))}

    def __init__(self, cwd, folders=(), flags=0, read_only=0, config=None, own=None, session="", env=None,
                 user=None, programs=PROGRAMS):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="crisol-home-"))
        (self.home / "config").mkdir()
        if own is not None:
            (self.home / "config/config.json").write_text(own if isinstance(own, str) else json.dumps(own))
        if user is not None:
            for folder in [self.home, self.home / "config"]:
                os.chown(folder, user, user)
        base = {"HOME": str(self.home), "CRISOL_CONFIG_HOME": str(self.home / "config"),
                "CRISOL_STATE_HOME": str(self.home / "state")}
        self.state = {**base, **(env or {})}["CRISOL_STATE_HOME"]
        super().__init__(env={**base, **(env or {})}, hello=False, user=user, programs=programs)
        self.say("client_hello", version="test", cwd=str(cwd), session=session, flags=flags, read_only=read_only,
                 folders="".join(f"{f}\n" for f in folders), config_path="--config" if config is not None else "",
                 config="" if config is None else json.dumps(config))
        self.tag = 1000

    def close(self):
        super().close()
        audited(self.state)
        shutil.rmtree(self.home, ignore_errors=True)

    def start(self, tool, raw=None, **values):
        """A direct call, begun; raw: its input as JSON text. The tag of its call_done."""
        self.tag += 1
        self.say("call_start", tag=self.tag, tool=tool, input=json.dumps(values) if raw is None else raw)
        return self.tag

    def finish(self, tag):
        while True:
            name, values = self.hear("call_done", "client_refused")
            if name == "client_refused":
                return Reply(values["code"], None, values["message"], values["hint"])
            if values["tag"] == tag:
                return Reply(values["code"], json.loads(values["result"]) if values["result"] else None, values["message"],
                             values["hint"])

    def call(self, tool, raw=None, **values):
        return self.finish(self.start(tool, raw, **values))

    def ask(self, what, name="", input=""):
        """The answer to a question of ask.h, TOOLS for ASK_TOOLS."""
        self.say("ask", what=self.ASKS[what], name=name, input=input)
        heard, values = self.hear("answer", "client_refused")
        return json.loads(values["json"]) if heard == "answer" else values

    def script(self, source, **values):
        """One script to its end: its envelope and what happened."""
        self.say("run_start", tag=1, source=source, watched=1, **values)
        events = []
        while True:
            name, got = self.hear("run_done", "run_event", "client_refused")
            if name == "run_event":
                events.append(json.loads(got["json"]))
            elif name == "client_refused":
                return {"status": "refused", "error": got}, events
            else:
                return json.loads(got["envelope"]), events

    def workers(self, name="crisol-tool"):
        """Pids of the processes of that name below the broker. What a worker starts has its name for a
        moment, too."""
        found = [pid for pid in children(self.process.pid) if name_of(pid) == name]
        return [pid for pid in found if parent_of(pid) not in found]


# ---- the audit ----

# Ends that a call can come to before it is judged; all others come from a worker, or from the gate.
EARLY = {("failed", "INVALID_INPUT"), ("failed", "TOO_LARGE"), ("failed", "CALL_LIMIT"), ("cancelled", "CANCELLED"),
         ("refused", "OUTSIDE_ROOTS")}
CALLS = """
    WITH made AS (SELECT coalesce(call, run || ' ' || n) AS key, * FROM decision),
      many AS (SELECT key, count(*) AS count FROM made GROUP BY key)
    SELECT c.run, c.n, c.tool, c.status, c.code, d.id, d.decision, d.at <= c.at,
      d.input_sha256 IS c.input_sha256 AND d.tool IS c.tool AND d.effect IS c.effect AND d.session IS c.session,
      coalesce(m.count, 0)
    FROM (SELECT coalesce(call, run || ' ' || n) AS key, * FROM call) AS c
      LEFT JOIN made AS d ON d.key = c.key LEFT JOIN many AS m ON m.key = c.key"""


def audit(journal):
    """How many calls of a journal a worker was given, and those of all its calls that are not as they
    must be: one decision about this very call, made before it, and allowing what was executed."""
    executed, bad = 0, []
    db = sqlite3.connect(f"{pathlib.Path(journal).as_uri()}?mode=ro", uri=True)
    for run, n, tool, status, code, decision, answer, before, same, count in db.execute(CALLS):
        early = decision is None and (status, code) in EARLY
        gate = status == "refused" and decision is not None and answer != "allow"
        executed += not early and not gate
        if not early and not (count == 1 and before and same and (gate or answer == "allow")):
            bad.append((run, n, tool, status, code, answer, before, same, count))
    db.close()
    return executed, bad


_audited = [0, 0, []]


def audited(state):
    """Audits the journal of a state home, if there is one, for the program's last row."""
    journal = pathlib.Path(state) / "journal.sqlite"
    if journal.is_file():
        executed, bad = audit(journal)
        _audited[0] += 1
        _audited[1] += executed
        _audited[2] += bad


def _tell():
    if not tap._crashed and _audited[0]:
        tap.ok(_audited[1] > 0 and not _audited[2], f"{_audited[1]} executed calls of {_audited[0]} journals: each was allowed before it began", _audited[2][:10])


atexit.register(_tell)


def name_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode().split("/")[-1]
    except OSError:
        return ""


def parent_of(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text().split(")")[-1].split()[1])
    except OSError:
        return 0


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().split(")")[-1].split()[0] not in "ZX"
    except OSError:
        return False


def tree(path, files):
    """Makes files: {"a/b": text or bytes}. Returns the path."""
    path = pathlib.Path(path)
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


NO_LANDLOCK = """
import ctypes, os, struct, sys
code = [(0x20, 0, 0, 0), (0x15, 0, 1, 444), (0x06, 0, 0, 0x00050000 | 95), (0x06, 0, 0, 0x7fff0000)]
rows = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *row) for row in code))
class Program(ctypes.Structure):
    _fields_ = [("n", ctypes.c_ushort), ("rows", ctypes.c_void_p)]
libc = ctypes.CDLL(None, use_errno=True)
program = Program(len(code), ctypes.addressof(rows))
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(program), 0, 0):
    sys.exit("no filter")
os.execv(sys.argv[1], sys.argv[1:])
"""


def without_landlock(program):
    """The command line that starts a program where Landlock's first call fails as if it had not been
    switched on at boot."""
    return ["python3", "-c", NO_LANDLOCK, *map(str, program)]

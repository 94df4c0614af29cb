# SPDX-License-Identifier: MIT
"""A broker that has a workspace, for tests of tools and of scripts that call them.

    with Desk(folder) as desk:
        got = desk.call("read_file", path="a.txt")
        ok(got.result["content"] == "1: hello\\n", "a line", got)

Nothing is inherited: state and configuration are in folders of its own unless env says otherwise.
"""
import json
import os
import pathlib
import shutil
import tempfile
from collections import namedtuple

from wire import Core, children

WRITE, PROCESS, ANALYSIS, EXTERNAL, MCP, AGENTS = (1 << n for n in range(6))
NOBODY = 54321  # an ordinary user, where tests run as root

Reply = namedtuple("Reply", "code result message hint")


class Desk(Core):
    """folders: declared ones; flags: those above, or-ed; config: of --config; own: of the person's own
    file, as values that become JSON."""

    def __init__(self, cwd, folders=(), flags=0, read_only=0, config=None, own=None, session="", env=None,
                 user=None):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="crisol-home-"))
        (self.home / "config").mkdir()
        if own is not None:
            (self.home / "config/config.json").write_text(own if isinstance(own, str) else json.dumps(own))
        if user is not None:
            for folder in [self.home, self.home / "config"]:
                os.chown(folder, user, user)
        base = {"HOME": str(self.home), "CRISOL_CONFIG_HOME": str(self.home / "config"),
                "CRISOL_STATE_HOME": str(self.home / "state")}
        super().__init__(env={**base, **(env or {})}, hello=False, user=user)
        self.say("client_hello", version="test", cwd=str(cwd), session=session, flags=flags, read_only=read_only,
                 folders="".join(f"{f}\n" for f in folders), config_path="--config" if config is not None else "",
                 config="" if config is None else json.dumps(config))
        self.tag = 1000

    def close(self):
        super().close()
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

    def script(self, source, **values):
        """One script to its end: its envelope and what happened."""
        self.say("run_start", tag=1, source=source, **values)
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

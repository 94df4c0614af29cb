# SPDX-License-Identifier: MIT
"""An MCP client that can send any bytes at any time.

    with Client(SPACE) as c:
        c.greet()
        r = c.ask("tools/call", name="js_run", arguments={"code": "return 1"})
        ok(r["result"]["structuredContent"]["value"] == 1, "a value", r)

Whatever the server says is kept in `heard`, with the method it answers, for the schemas to judge.
"""
import atexit
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

from desk import alive, audited
from tap import crisol, ok, run, skip
from wire import ROOT, children

VERSIONS = ["2025-03-26", "2025-06-18", "2025-11-25"]
SAID = "2026-07-28"
META = {"io.modelcontextprotocol/protocolVersion": SAID, "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"}}
HOME = pathlib.Path(tempfile.mkdtemp(prefix="crisol-mcp-home-"))
atexit.register(shutil.rmtree, HOME, True)
ENV = {"PATH": "/usr/bin:/bin", "HOME": str(HOME), "LANG": "C.UTF-8", "CRISOL_STATE_HOME": str(HOME / "state"),
       "CRISOL_CONFIG_HOME": str(HOME / "config")}


class Ended(Exception):
    """The server said nothing more."""


class Client:
    def __init__(self, cwd, *flags, env=None, stdout=subprocess.PIPE, stdin=subprocess.PIPE):
        self.job = subprocess.Popen([crisol, "mcp", "serve", *flags], stdin=stdin, stdout=stdout, stderr=subprocess.PIPE,
                                    env={**ENV, **(env or {})}, cwd=cwd, start_new_session=True)
        self.buffer, self.number, self.heard, self.methods, self.version = b"", 0, [], {}, None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # ---- bytes ----

    def send(self, data):
        self.job.stdin.write(data)
        self.job.stdin.flush()

    def line(self, seconds=30):
        """The next line's bytes; Ended at the end of output."""
        end = time.monotonic() + seconds
        while b"\n" not in self.buffer:
            if not select.select([self.job.stdout], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"silent for {seconds} s")
            more = os.read(self.job.stdout.fileno(), 1 << 20)
            if not more:
                raise Ended(self.buffer)
            self.buffer += more
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line

    # ---- messages ----

    def say(self, method, id=None, **params):
        message = {"jsonrpc": "2.0", "method": method}
        if id is not None:
            message["id"] = id
            self.methods[json.dumps(id)] = method
        if self.version == SAID and id is not None:
            params = {**params, "_meta": {**META, **params.get("_meta", {})}}
        if params:
            message["params"] = params
        self.send(json.dumps(message).encode() + b"\n")
        return id

    def hear(self, seconds=30, judged=True):
        """The next message. Anything else on standard output is an error of the server. judged: it must be
        as the schemas have it."""
        message = json.loads(self.line(seconds))
        for one in message if isinstance(message, list) else [message]:
            method = self.methods.pop(json.dumps(one.get("id")), None) if "method" not in one else None
            self.heard.append({"method": method, "message": one})
            if judged:
                _heard.append(self.heard[-1])
        return message

    def answer(self, id, seconds=30):
        """Of what comes the answer to that request; what came before it is in `passed`."""
        self.passed = []
        while True:
            message = self.hear(seconds)
            if isinstance(message, dict) and message.get("id") == id and "method" not in message:
                return message
            self.passed.append(message)

    def begin(self, method, **params):
        self.number += 1
        return self.say(method, id=self.number, **params)

    def ask(self, method, **params):
        return self.answer(self.begin(method, **params))

    def greet(self, version=VERSIONS[-1]):
        if version == SAID:
            self.version = SAID
            return None
        got = self.ask("initialize", protocolVersion=version, capabilities={}, clientInfo={"name": "test", "version": "1"})
        self.version = got["result"]["protocolVersion"]
        self.say("notifications/initialized")
        return got

    def js(self, code, token=None, **arguments):
        extra = {"_meta": {"progressToken": token}} if token is not None else {}
        return self.ask("tools/call", name="js_run", arguments={"code": code, **arguments}, **extra)

    # ---- processes ----

    def core(self):
        return next(iter(children(self.job.pid)), None)

    def all(self):
        """Pids of the server and of everything below it."""
        found, at = [self.job.pid], 0
        while at < len(found):
            found += children(found[at])
            at += 1
        return found

    def rest(self):
        """What is still said until the end of output."""
        said = []
        try:
            while True:
                said.append(self.hear())
        except Ended as e:
            assert e.args[0] == b"", f"half a line at the end: {e.args[0][:100]}"
        return said

    def close(self):
        """Closes its input and waits: exit status and standard error."""
        if self.job.stdin and not self.job.stdin.closed:
            try:
                self.job.stdin.close()
            except BrokenPipeError:
                pass
        if self.job.returncode is None and self.job.stdout:
            try:
                self.rest()
            except AssertionError:
                self.job.kill()
        self.job.wait(30)
        self.err = self.job.stderr.read().decode("utf-8", "replace") if not self.job.stderr.closed else self.err
        for f in (self.job.stdout, self.job.stderr):
            if f:
                f.close()
        return self.job.returncode


def text_of(answer):
    return [c["text"] for c in answer["result"]["content"]]


def until(condition, seconds=30):
    """Whether it comes true, waiting as long as that."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    return condition()


def gone(pids):
    """Whether none of them lives any more, after a while."""
    return until(lambda: not any(alive(p) for p in pids))


PACKAGES = ROOT / "build/deps/mcp"
_heard = []


def there():
    """Whether the protocol's own packages are; else the row that says so."""
    if (PACKAGES / "node_modules/@modelcontextprotocol/client").is_dir() and shutil.which("node"):
        return True
    skip("no mcp: the packages are not in build/deps")
    return False


def close_all():
    """Audits the journal, and has all that was said by servers judged by the protocol's own schemas."""
    audited(ENV["CRISOL_STATE_HOME"])
    if not there():
        return
    lines = "".join(json.dumps(h) + "\n" for h in _heard)
    r = run(["node", str(ROOT / "tests/mcp/judge.mjs"), str(PACKAGES)], stdin=lines, timeout=100)
    got = json.loads(r.out) if r.rc == 0 else {"checked": 0, "wrong": [r.err]}
    ok(got["checked"] == len(_heard) > 0 and not got["wrong"], f"{got['checked']} messages are as the protocol's schemas have them",
       json.dumps(got["wrong"][:5], indent=1)[:3000])

# SPDX-License-Identifier: MIT
"""A client of an MCP server, measured from outside.

    with Served([bin_ / "crisol", "mcp", "serve"]) as s:
        s.hello, s.first, s.call("return 1")	milliseconds: to the handshake's end, to the first result, of one more
"""
import json
import os
import subprocess
import time

import session


class Served:
    def __init__(self, args, cwd=None):
        start = time.perf_counter_ns()
        self.job = subprocess.Popen([str(a) for a in args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                    env=session.environment(), cwd=cwd or session.out / "space", start_new_session=True)
        self.number = 0
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
        self.hello = (time.perf_counter_ns() - start) / 1e6
        self.job.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        self.call("return 1")
        self.first = (time.perf_counter_ns() - start) / 1e6

    def ask(self, method, params):
        self.number += 1
        self.job.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}).encode() + b"\n")
        self.job.stdin.flush()
        line = self.job.stdout.readline()
        answer = json.loads(line) if line else {}
        if "result" not in answer or answer["result"].get("isError"):
            raise session.Lost(f"{method} was answered with {line[:300]!r}")
        return answer["result"]

    def call(self, code):
        """Milliseconds of one script."""
        start = time.perf_counter_ns()
        self.ask("tools/call", {"name": "js_run", "arguments": {"code": code}})
        return (time.perf_counter_ns() - start) / 1e6

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.job.stdin.close()
        try:
            self.job.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(self.job.pid, 9)
            self.job.wait()
        self.job.stdout.close()

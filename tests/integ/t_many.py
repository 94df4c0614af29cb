#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Many runs: at once, after one another, in commands of their own and in one session. Nothing grows,
nothing is mixed up. Row J9."""
import json
import os
import pathlib
import subprocess
import tempfile
import time

from tap import crisol, ok
from wire import Core, children

ENV = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "CRISOL_STATE_HOME": tempfile.mkdtemp()}

# 200 commands at once, each with a process tree of its own.
jobs = [subprocess.Popen([crisol, "js", "-e", f"await new Promise(r => setTimeout(r, 50)); return {n} * 2"],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENV)
        for n in range(200)]
ends = [(job.communicate(timeout=110), job.returncode) for job in jobs]
wrong = [(n, e) for n, e in enumerate(ends) if e != ((f"{n * 2}\n", ""), 0)]
ok(not wrong, "200 commands at once give their values", wrong[:3])


def memory(pid):
    """Resident bytes that no file backs. The least of some looks: a VM goes after its result."""
    def look():
        time.sleep(0.02)
        rollup = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
        return int(rollup.split("Anonymous:")[1].split()[0]) * 1024
    return min(look() for _ in range(5))


def shape(pid):
    return len(os.listdir(f"/proc/{pid}/fd")), len(pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines())


with Core() as core:
    # 200 runs at once in one session.
    for n in range(200):
        core.say("run_start", tag=n, source="await new Promise(r => setTimeout(r, 20)); let s = 0; "
                 "for (let i = 0; i < 1e4; i++) s += args.n; return s", args=json.dumps({"n": n}), timeout_ms=100000)
    got = dict((d["tag"], d["value"]) for d in (core.hear("run_done") for _ in range(200)))
    ok(got == {n: str(n * 10000) for n in range(200)}, "200 runs at once in one session give their values",
       [(n, v) for n, v in got.items() if v != str(n * 10000)][:3])
    # A busy one does not keep the others waiting.
    core.say("run_start", tag=1000, source="while (1) {}")
    quick = [core.run("return 1", tag=n)["value"] for n in range(50)]
    core.say("run_cancel", tag=1000)
    ok(quick == ["1"] * 50 and core.hear("run_done")["code"] == "CANCELLED", "50 runs beside an endless one")
    # 1,000 one after the other: memory, descriptors, mappings.
    scripts = ["return 1", "return Array.from({length: 20000}, (_, i) => ({i})).length", "nope()", "throw null",
               "function f() { f() } f()", "const a = []; for (;;) a.push([1])", "await new Promise(r => setTimeout(r, 1))",
               "return 'x'.repeat(1e5)", "console.log('x'.repeat(5000))", "new Array(2 ** 27).join('x').length"]

    def rounds(count):
        for n in range(count):
            core.run(scripts[n % len(scripts)], timeout_ms=20 if n % 10 == 9 else 20000, memory_bytes=4 << 20)

    rounds(300)  # until the journal's cache of pages is full
    broker, host = core.process.pid, children(core.process.pid)[-1]
    before = [(memory(p), shape(p)) for p in (broker, host)]
    rounds(1000)
    after = [(memory(p), shape(p)) for p in (broker, host)]
    for name, (m0, s0), (m1, s1) in zip(["broker", "host"], before, after):
        ok(m1 <= m0 * 1.02 + 65536, f"1,000 runs: the {name}'s memory stays within 2 %", (m0, m1))
        ok(s1 == s0, f"1,000 runs: the {name}'s descriptors and mappings are the same", (s0, s1))
    ok(children(broker)[-1] == host, "in one and the same process")
    # What one run leaves, the next does not find.
    core.run("globalThis.left = 1; Array.prototype.left = 2; Object.prototype.left = 3")
    ok(core.run("return [typeof left, typeof [].left, typeof ({}).left]")["value"] == '["undefined","undefined","undefined"]',
       "a run finds nothing of the one before")
    values = {core.run("return [Math.random(), crypto.randomUUID()].join()")["value"] for _ in range(50)}
    ok(len(values) == 50, "chance differs from run to run")
    first = json.loads(core.run("return Date.now()")["value"])
    second = json.loads(core.run("await new Promise(r => setTimeout(r, 20)); return Date.now()")["value"])
    ok(20 <= second - first < 60000, "and so does the clock", (first, second))
    ok(float(core.run("return performance.now()")["value"]) < 10000, "performance.now starts with the run")

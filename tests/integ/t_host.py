#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A JavaScript process, or a worker, that may not run anything, cannot be started, or goes at a bad moment: whoever waits hears of it,
every time, and what can go on does. Rows E3, J6."""
import atexit
import json
import os
import pathlib
import resource
import shutil
import signal
import tempfile
import time

from desk import Desk, alive, name_of, tree
from tap import ok
from wire import PROGRAMS, Core, children

TOP = pathlib.Path(tempfile.mkdtemp(prefix="crisol-host-"))
atexit.register(shutil.rmtree, TOP, True)
SPACE = tree(TOP / "space", {"a.txt": "hello\n"})
CALL = "return (await tools.read_file({path: 'a.txt'})).content"


def until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.002)
    return condition()


# ---- refused, once and for all ----

programs = pathlib.Path(PROGRAMS).parent.parent.parent / f"changed-{os.getpid()}/src/proc"  # as deep: libraries are found from there
atexit.register(shutil.rmtree, programs.parent.parent, True)
programs.mkdir(parents=True)
for name in ["crisol-core", "crisol-js", "crisol-launch", "crisol-tool"]:
    shutil.copy(pathlib.Path(PROGRAMS) / name, programs / name)
with open(programs / "crisol-js", "ab") as file:
    file.write(b"x")
with Core(programs=programs) as core:
    for n in range(3):
        core.say("run_start", tag=n, source="return 1")
        core.say("run_start", tag=n + 10, source="return 1")
        got = [core.hear("run_done")["code"] for _ in range(2)]
        ok(got == ["ENGINE_UNAVAILABLE"] * 2, f"one changed byte: pair {n} of the same session is refused, too", got)
    for pid in children(core.process.pid):
        if name_of(pid) == "crisol-js":
            os.kill(pid, signal.SIGKILL)
    got = [core.run("return 1")["code"] for _ in range(3)]
    ok(got == ["ENGINE_UNAVAILABLE"] * 3, "and when that process has gone", got)

# ---- no descriptors ----

for limit in range(64):
    with Desk(SPACE) as desk:
        desk.ask("TOOLS")
        held = max(int(fd) for fd in os.listdir(f"/proc/{desk.process.pid}/fd")) if os.access(f"/proc/{desk.process.pid}/fd", os.R_OK) else 8
        resource.prlimit(desk.process.pid, resource.RLIMIT_NOFILE, (held + limit, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        got = [desk.script(CALL)[0] for _ in range(2)]
        direct = desk.call("read_file", path="a.txt")
        resource.prlimit(desk.process.pid, resource.RLIMIT_NOFILE, resource.getrlimit(resource.RLIMIT_NOFILE))
        after = desk.script(CALL)[0]
        codes = [(g["error"] or {"code": ""})["code"] for g in got] + [direct.code]
        fine = alive(desk.process.pid) and set(codes) <= {"", "ENGINE_UNAVAILABLE", "TOOL_FAILED", "HOST_CRASH", "INTERNAL"}
        ok(fine and after.get("value") == "1: hello\n", f"{limit} descriptors to spare: {codes}, then as ever", (got, direct, after))
    if set(codes) == {""} and limit > 8:
        break

# ---- a status, while the process that it asks goes ----

for turn in range(24):
    with Desk(SPACE) as desk:
        if turn % 2:
            desk.script("return 1")
        desk.say("ask", what=desk.ASKS["PROBE" if turn % 4 < 2 else "STATUS"])
        end = time.monotonic() + turn * 0.004
        while time.monotonic() < end or turn % 3 and not desk.workers("crisol-js"):
            time.sleep(0.001)
        for pid in desk.workers("crisol-js"):
            os.kill(pid, signal.SIGKILL)
        name, values = desk.hear("answer", "client_refused")
        state = json.loads(values["json"])["javascript"]["state"] if name == "answer" else values
        after = next((done for done in (desk.script("return 1")[0] for _ in range(3)) if done["status"] != "lost"), None)  # it may still be going
        ok(after and state in ("ready", "not ready") and after.get("value") == 1, f"killed {turn * 4} ms into a status: it is {state}, and the next run is as ever", (state, after))

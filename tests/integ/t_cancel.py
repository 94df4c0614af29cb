#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A stop is confirmed, wherever it comes from, and nothing is left behind: no process, no descriptor,
no mount, no file. Rows J4, J6; the deaths of every process."""
import json
import os
import pathlib
import pty
import signal
import subprocess
import tempfile
import time

from tap import crisol, ok, run
from wire import Core, children

SCRATCH = pathlib.Path(tempfile.mkdtemp())
STATE = {"CRISOL_STATE_HOME": str(SCRATCH / "state")}
ENV = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", **STATE}
NATIVE = "const a = new Array(2 ** 27); for (;;) a.join('x')"
LOOP = "while (1) {}"
WAIT = "await new Promise(() => setTimeout(() => {}, 1e6))"


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().split(")")[-1].split()[0] != "Z"
    except OSError:
        return False


def until(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    return condition()


def live():
    return json.loads(run([crisol, "runs", "list", "--live", "--json"], env=STATE).out)


def start(source, *args):
    """A command whose script is running: the process, and all pids of its tree."""
    job = subprocess.Popen([crisol, "js", "--timeout-ms", "60000", *args, "-e", source], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENV, start_new_session=True)
    until(lambda: len(children(job.pid)) == 3 and live())
    time.sleep(0.1)
    return job, [job.pid] + children(job.pid)


def gone(pids, name):
    until(lambda: not any(alive(p) for p in pids))
    ok(not any(alive(p) for p in pids), f"{name}: no process is left", pids)
    runs = live()
    ok(not runs, f"{name}: no run is left", runs)


for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
    for source in [LOOP, NATIVE, WAIT]:
        job, pids = start(source)
        job.send_signal(number)
        out, err = job.communicate(timeout=20)
        name = f"{number.name} during {source[:24]}"
        ok(job.returncode == 130 and "CANCELLED" in err and out == "", name, (job.returncode, out, err))
        gone(pids, name)

job, pids = start(LOOP, "--json")
os.killpg(job.pid, signal.SIGINT)
out, err = job.communicate(timeout=20)
e = json.loads(out)
ok(job.returncode == 130 and e["status"] == "cancelled" and e["error"]["code"] == "CANCELLED" and err == "",
   "Ctrl-C of a whole process group reaches the command alone: the envelope is whole", (out, err))
gone(pids, "Ctrl-C of a group")

job, pids = start(LOOP)
os.kill(job.pid, signal.SIGSTOP)
os.kill(job.pid, signal.SIGINT), os.kill(job.pid, signal.SIGTERM)
os.kill(job.pid, signal.SIGCONT)
job.communicate(timeout=20)
ok(job.returncode == 130, "two signals at once end it too", job.returncode)
gone(pids, "two signals")

# From another process.
for source in [LOOP, NATIVE, WAIT]:
    job, pids = start(source)
    listed = live()
    ok(len(listed) == 1 and listed[0]["status"] == "running" and listed[0]["owner"] == pids[1], "the run is listed", listed)
    r = run([crisol, "runs", "cancel", listed[0]["run"][:20]], env=STATE)
    ok(r.rc == 0 and "has stopped" in r.out, f"runs cancel during {source[:24]}", r)
    out, err = job.communicate(timeout=20)
    ok(job.returncode == 130 and "CANCELLED" in err, "the owner says so", (job.returncode, err))
    gone(pids, "runs cancel")
r = run([crisol, "runs", "cancel", "01ZZZZ"], env=STATE)
ok(r.rc == 1 and "NOT_FOUND" in r.err, "an unknown run is not found", r)
r = run([crisol, "runs", "cancel", "../../etc/passwd"], env=STATE)
ok(r.rc == 1 and "NOT_FOUND" in r.err, "a path is no run", r)
# Deaths. pids: command, broker, launcher, host.
for victim, name in [(0, "command"), (1, "broker"), (2, "launcher"), (3, "host")]:
    for number in [signal.SIGKILL]:
        job, pids = start(LOOP)
        os.kill(pids[victim], number)
        out, err = job.communicate(timeout=20)
        what = f"the {name} killed by {number.name}"
        if victim == 0:
            ok(job.returncode == -9, what)
        else:
            code = "HOST_CRASH" if victim >= 2 else "INTERNAL"
            ok(job.returncode == 1 and code in err and out == "", what, (job.returncode, out, err))
        until(lambda: not any(alive(p) for p in pids))
        ok(not any(alive(p) for p in pids), f"{what}: no process is left", pids)
        ok(not live(), f"{what}: no run is left")
        last = json.loads(run([crisol, "runs", "list", "--json"], env=STATE).out)[0]
        want = {0: "cancelled", 1: "lost", 2: "lost", 3: "lost"}[victim]
        ok(last["status"] == want, f"{what}: the journal says {want}", last)
        r = run([crisol, "js", "-e", "return 1"], env=STATE)
        ok(r.out == "1\n", f"{what}: the next command works", r)

# In a session: the host dies, the next run has a new one.
with Core() as core:
    core.run("return 1")
    for number in [signal.SIGKILL, signal.SIGSTOP]:
        core.say("run_start", tag=5, source=LOOP, timeout_ms=500)
        core.hear("run_started")
        time.sleep(0.1)
        host = children(core.process.pid)[-1]
        os.kill(host, number)
        done = core.hear("run_done")
        want = "HOST_CRASH" if number == signal.SIGKILL else "TIMEOUT"
        ok(done["code"] == want and not alive(host), f"host hit by {number.name}: {want}, and it is gone", done["envelope"])
        e = json.loads(done["envelope"])
        ok(e["status"] == ("lost" if want == "HOST_CRASH" else "limited"), "with its status", e["status"])
        ok(core.run("return 2")["value"] == "2" and children(core.process.pid)[-1] != host, "the next run has a new host")
    # Signals that are no faults: a closed process does not die of them.
    core.say("run_start", tag=7, source="await new Promise(r => setTimeout(r, 300)); return 7")
    time.sleep(0.1)
    host = children(core.process.pid)[-1]
    for number in [signal.SIGSEGV, signal.SIGBUS, signal.SIGTERM, signal.SIGINT, signal.SIGALRM, signal.SIGUSR1]:
        os.kill(host, number)
    ok(core.hear("run_done")["value"] == "7", "sent faults and stops do not end a run")
    done = core.run("function f() { f() } f()")
    ok(done["code"] == "STACK_LIMIT" and children(core.process.pid)[-1] == host, "nor the handling of real ones", done["envelope"])
    # A stopped host does not keep a cancel from being confirmed, nor hold up another session's runs.
    core.say("run_start", tag=6, source=LOOP)
    core.hear("run_started")
    time.sleep(0.1)
    host = children(core.process.pid)[-1]
    os.kill(host, signal.SIGSTOP)
    core.say("run_cancel", tag=6)
    done = core.hear("run_done")
    ok(done["code"] == "CANCELLED" and not alive(host), "a cancel of a stopped host is confirmed by its end", done["envelope"])
    # Cancel one of several; the others go on.
    for tag in range(10, 15):
        core.say("run_start", tag=tag, source="await new Promise(r => setTimeout(r, 300)); return args.n", args=f'{{"n":{tag}}}')
    core.say("run_start", tag=20, source=LOOP)
    time.sleep(0.1)
    core.say("run_cancel", tag=20)
    ends = dict((d["tag"], d["code"] or d["value"]) for d in (core.hear("run_done") for _ in range(6)))
    ok(ends == {20: "CANCELLED", **{n: str(n) for n in range(10, 15)}}, "one of six is cancelled, the others end well", ends)
    # Cancel before the host is even there, twice, and of nothing.
    host = children(core.process.pid)[-1]
    os.kill(host, signal.SIGKILL)
    until(lambda: not alive(host))
    core.say("run_start", tag=30, source=LOOP)
    core.say("run_cancel", tag=30)
    core.say("run_cancel", tag=30)
    core.say("run_cancel", tag=31)
    ok(core.hear("run_done")["code"] == "CANCELLED", "a run is cancelled before its host is ready")
    ok(core.run("return 3")["value"] == "3", "and the session goes on")
    pid, tree = core.process.pid, children(core.process.pid)
ok(until(lambda: not any(alive(p) for p in [pid, *tree])), "a session that ends leaves no process")

# The other ends of the pipes.
r, w = os.pipe()
os.close(r)
job = subprocess.run([crisol, "js", "-e", "return 1"], stdin=subprocess.DEVNULL, stdout=w, stderr=subprocess.PIPE,
                     text=True, env=ENV, timeout=20)
ok(job.returncode == 1 and job.stderr == "", "a closed output pipe is no success, and nobody is there to be told", job)
os.close(w)
job = subprocess.run(f"exec {crisol} js -e 'return 1' >&-", shell=True, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                     text=True, env=ENV, timeout=20)
ok(job.returncode == 1, "no standard output at all", job)
job = subprocess.run(f"exec {crisol} js -e 'console.log(1); return 1' 2>&-", shell=True, stdin=subprocess.DEVNULL,
                     stdout=subprocess.PIPE, text=True, env=ENV, timeout=20)
ok(job.returncode == 0 and job.stdout == "1\n", "no standard error: the value comes all the same", job)
job = subprocess.run(f"exec {crisol} js -e 'return 1' <&-", shell=True, stdout=subprocess.PIPE, text=True, env=ENV, timeout=20)
ok(job.returncode == 0 and job.stdout == "1\n", "no standard input", job)
job = subprocess.run([crisol, "js", "-e", "return 'x'.repeat(9000)"], stdin=subprocess.DEVNULL, stdout=open("/dev/full", "w"),
                     stderr=subprocess.PIPE, text=True, env=ENV, timeout=20)
ok(job.returncode == 1 and "standard output" in job.stderr, "a full disk is said", job)

# A terminal gets a progress line, which goes away.
leader, follower = pty.openpty()
job = subprocess.Popen([crisol, "js", "-e", "await new Promise(r => setTimeout(r, 900)); return 7"], stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=follower, text=True, env=ENV)
out = job.communicate(timeout=20)[0]
os.close(follower)
shown = os.read(leader, 65536).decode()
ok(out == "7\n" and "running  0." in shown and shown.endswith("\r\x1b[K"), "a progress line appears and is cleared", shown)
mounts = pathlib.Path("/proc/self/mounts").read_text()
ok("crisol" not in mounts, "no mount is left", mounts)


def used_or_gone(group):
    """Another crisol of this machine may be at work in one of its own."""
    try:
        return (group / "cgroup.procs").read_text() != ""
    except OSError:
        return True


for group in pathlib.Path("/sys/fs/cgroup").glob("**/crisol*"):
    ok(until(lambda: used_or_gone(group)), f"the control group {group} has processes or goes away")

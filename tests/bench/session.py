# SPDX-License-Identifier: MIT
"""Programs that are given orders (order.h) and measured from outside.

    with Session("ours", [bin / "bench-warm"]) as s:
        for answer in s.order("run", script, count=100, timeout_ms=5000):
            print(answer["ns"])
"""
import json
import os
import pathlib
import select
import signal
import statistics
import subprocess
import time

root = pathlib.Path(__file__).resolve().parents[2]
build = root / "build"
here = pathlib.Path(__file__).resolve().parent
out = build / "bench"
deps = build / "deps/bench"
bin_ = out / "bin"

MEMORY = 64 << 20


class Lost(Exception):
    """The program ended or was silent for too long."""


def environment():
    """What every program gets: no configuration of the person who runs this."""
    keep = {k: os.environ[k] for k in ("PATH", "HOME", "LANG", "TMPDIR") if k in os.environ}
    return {**keep, "CRISOL_CONFIG_HOME": str(out / "no-config"), "CRISOL_STATE_HOME": str(out / "state")}


class Session:
    """A program that takes orders; its start's own answer is in `hello`."""

    def __init__(self, name, args, env=None):
        self.name = name
        self.log = out / f"{name.replace(' ', '-')}.log"
        self.buffer = b""
        with open(self.log, "wb") as log:
            self.job = subprocess.Popen(
                [str(a) for a in args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                env={**environment(), **(env or {})}, start_new_session=True)
        try:
            self.hello = self.read(30)
        except Lost:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def lost(self, why):
        said = self.log.read_text(errors="replace").strip().splitlines()
        said = [line for line in said if "Error" in line][:1] or said[-1:]
        return Lost(f"{self.name} {why}{': ' + said[0] if said else ''}")

    def line(self, end):
        while b"\n" not in self.buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.job.stdout], [], [], left)[0]:
                raise self.lost("was silent for too long")
            more = os.read(self.job.stdout.fileno(), 1 << 16)
            if not more:
                raise self.lost("ended")
            self.buffer += more
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line

    def read(self, seconds):
        """An answer: its lines' values."""
        end = time.monotonic() + seconds
        answer = []
        while (line := self.line(end)) != b".":
            answer.append(json.loads(line))
        return answer

    def order(self, verb, script, count=1, timeout_ms=5000, memory=MEMORY, patience=120):
        self.job.stdin.write(f"{verb} {count} {timeout_ms} {memory} {script}\n".encode())
        self.job.stdin.flush()
        return self.read(patience)

    def close(self):
        """Ends it and all its children: at once when it does not go by itself."""
        try:
            self.job.stdin.close()
            self.job.wait(2)
        except (OSError, subprocess.TimeoutExpired):
            os.killpg(self.job.pid, signal.SIGKILL)
            self.job.wait()


def warm(folder=None):
    """A broker that lives on, with that workspace."""
    return Session("crisol", [bin_ / "bench-warm", folder or out / "space"])


def fan():
    return Session("crisol fan", [bin_ / "bench-fan"])


def hops():
    return Session("hops of the kernel", [bin_ / "bench-hops"])


def vms():
    return Session("crisol vm", [bin_ / "bench-vm"])


def peer(name, *args):
    return Session(f"peer {' '.join((name,) + args)}", ["node", out / "peers" / f"{name}.mjs", *args])


def transform():
    modules = build / "deps/npm/node_modules"
    return Session("peer transform", ["node", out / "peers" / "transform.mjs", modules])


def script(name, text):
    """A file with this script."""
    path = out / "scripts" / f"{name}.js"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def work(name):
    return here / "work" / f"{name}.js"


def interleaved(rounds, **measures):
    """Calls each function once a round, in an order that turns; each returns a list of numbers."""
    found = {name: [] for name in measures}
    names = list(measures)
    for i in range(rounds):
        for name in names if i % 2 == 0 else reversed(names):
            found[name].extend(measures[name]())
    return found


def median(numbers):
    return statistics.median(numbers)


def percentile(numbers, share):
    ordered = sorted(numbers)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def process_ms(args, env=None):
    """Wall time of one command from its start to its end; it must succeed."""
    full = {**environment(), **(env or {})}
    null = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
    args = [str(a) for a in args]
    start = time.perf_counter_ns()
    pid = os.posix_spawnp(args[0], args, full, file_actions=null)
    status = os.waitpid(pid, 0)[1]
    took = time.perf_counter_ns() - start
    if status:
        raise Lost(f"{' '.join(args)} ended with status {os.waitstatus_to_exitcode(status)}")
    return took / 1e6

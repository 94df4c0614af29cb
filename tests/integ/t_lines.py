#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a shell really runs was in the list of the parts, or the line was flagged. Rows G12, T4."""
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

from lines import NAMES, PARTS, Lines, judge, sure
from tap import ok

COUNT, SEED = int(os.environ.get("LINES", "1000")), int(os.environ.get("LINES_SEED", "1"))
RECORDER = PARTS.parents[1] / "integ/recorder"
REAL = ["sh", "bash", "dash", "env", "xargs", "nice", "timeout", "find", "nohup", "stdbuf"]
SHELLS = {"dash": ["dash"], "bash": ["bash"], "bash as sh": ["bash", "--posix"]}


class Room:
    """A folder with programs that say they ran."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.bin, self.home = self.folder / "bin", self.folder / "home"
        self.bin.mkdir()
        for name in NAMES + ["w1", "x", "y", "z", "a", "b", "e", "i", "f", "1", "in", "do", "time", "function", "coproc", "select", "[[", "]]", "V", "E", "EOF", "q", "r"]:
            if not (self.bin / name).exists():
                os.link(RECORDER, self.bin / name) if os.stat(RECORDER).st_dev == os.stat(self.bin).st_dev else shutil.copy(RECORDER, self.bin / name)
        for name in REAL:
            (self.bin / name).symlink_to(shutil.which(name))

    def ran(self, shell, line):
        shutil.rmtree(self.home, ignore_errors=True)
        self.home.mkdir()
        (self.home / "a.c").touch()
        record = self.folder / "record"
        record.write_bytes(b"")
        env = {"PATH": str(self.bin), "HOME": str(self.home), "LANG": "C.UTF-8"}
        job = subprocess.Popen([shutil.which(shell[0])] + shell[1:] + ["-c", line], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               cwd=self.home, env=env, start_new_session=True)
        try:
            job.wait(3)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(job.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        job.wait()
        # What goes on in the background writes at any time; what it wrote so far is judged.
        return [[w.decode("utf-8", "surrogateescape").replace("\x1e", "\n") for w in s.split(b"\x1f")[:-1]] for s in record.read_bytes().split(b"\n")[:-1]]


def fits(words, got):
    """Whether words, with None for any number, may be these."""
    if not words:
        return not got
    if words[0] is None:
        return any(fits(words[1:], got[n:]) for n in range(len(got) + 1))
    return bool(got) and words[0] == got[0] and fits(words[1:], got[1:])


def missing(parts, ran):
    return [r for r in ran if not any(fits([p[0][0].rpartition("/")[2]] + p[0][1:], r) for p in parts if p[0])]


def check(title, lines):
    """Those that were flagged need not be run, and had better not: a function may call itself."""
    judged = judge(lines)
    certain = [n for n, (_, parts) in enumerate(judged) if all(map(sure, parts))]
    rooms = [Room() for _ in range(os.cpu_count() or 2)]
    free = list(rooms)

    def one(number):
        room = free.pop()
        try:
            kinds = ["dash", list(SHELLS)[1 + number % 2]]
            return [(name, room.ran(SHELLS[name], lines[number])) for name in kinds]
        finally:
            free.append(room)
    with ThreadPoolExecutor(len(rooms)) as pool:
        results = list(pool.map(one, certain))
    for room in rooms:
        shutil.rmtree(room.folder)
    programs = bad = 0
    for number, result in zip(certain, results):
        line, (_, parts) = lines[number], judged[number]
        for name, ran in result:
            programs += len(ran)
            lost = missing(parts, ran)
            if lost:
                bad += 1
                if bad <= 5:
                    print(f"# {line!r}\n# {name} ran {lost}\n# of {[p for p in parts]}")
    ok(bad == 0, f"{title}: {len(lines)} lines, {programs} programs ran, {bad} runs had one that was not in the list")
    return len(lines) - len(certain), programs


def main():
    pick = random.Random(SEED)
    plain, bash = Lines(pick, bash=False), Lines(pick)
    made = [(plain if n % 2 else bash).lines(pick.choice([1, 2, 2, 3])) for n in range(COUNT)]
    made = [s for s in made if len(s) < 2000]
    flagged, programs = check("generated", made)
    ok(flagged < .6 * len(made) and programs > len(made), f"{flagged} of {len(made)} were flagged, {programs} programs ran")
    flagged, programs = check("mutated", [bash.mutated(s) for s in made[:COUNT // 2]])
    ok(programs > COUNT // 8, f"{flagged} of the mutated were flagged, {programs} programs ran")


main()

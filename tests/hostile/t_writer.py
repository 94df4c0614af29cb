#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A worker for tools that write that has been taken over: every attempt of tests/escape, inside and outside its folders, as root and as an
ordinary user, with and without namespaces, with older Landlock, and with one wall missing. Each is made without walls, too. Rows T2, G3, G9."""
import ctypes
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integ"))
from desk import WRITE, Desk, tree  # noqa: E402
from tap import ok, skip  # noqa: E402
from wire import PROGRAMS, ROOT  # noqa: E402

BUILT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else PROGRAMS.parents[1] / "tests/hostile")
USER = 65533
libc = ctypes.CDLL(None, use_errno=True)
if os.geteuid() != 0:
    skip("no root: attempts are made as two users")
    sys.exit(0)

TOP = pathlib.Path(tempfile.mkdtemp(prefix="cr-", dir="/var/tmp"))
TOP.chmod(0o755)
programs = TOP / "bin"
programs.mkdir()
for name in ["crisol-core", "crisol-launch", "crisol-js", "crisol-tool", "hostile-rg"]:
    shutil.copy(BUILT / name, programs)
libraries = ":".join(str(p) for p in [pathlib.Path(__file__).resolve().parents[2] / "build/deps/yyjson/lib"] if p.is_dir())

ATTEMPTS = re.findall(r"^ATTEMPT\((\w+),.*?(ANYBODY|ROOT),", (ROOT / "tests/escape/attempts.def").read_text(), re.M | re.S)
# What gets through on purpose.
MAY = {"stat_secret"}
INSIDE = {"open_secret", "make_file", "open_append"}
TRUNCATE = {"truncate_open", "truncate_openat2"}  # Landlock refuses it from ABI 3 on
BARE = {"CRISOL_TEST_NO_USERNS": "1", "CRISOL_TEST_NO_NAMESPACES": "1"}
LANDLOCK = "landlock,landlock_net,landlock_scope"
MODES = [("root", 0, {}), ("a user", USER, {}), ("root, no namespaces", 0, BARE), *((f"a user, Landlock ABI {n}", USER, {"CRISOL_TEST_ABI": n}) for n in "246"),
         ("root, no Landlock", 0, {"CRISOL_TEST_LEAVE_OUT": LANDLOCK}), ("root, no seccomp", 0, {"CRISOL_TEST_LEAVE_OUT": "seccomp"})]


class Targets:
    """Of one user: a process, ports, a queue, and a folder inside and one outside the workspace."""

    def __init__(self, user, space):
        self.sleeper = subprocess.Popen(["/bin/sleep", "1000"], user=user, group=user, extra_groups=[])
        self.sockets, self.lines, ports = [], {}, []
        self.shm = 0x63740000 + os.getpid() % 65536
        for kind in [socket.SOCK_STREAM, socket.SOCK_DGRAM]:
            s = socket.socket(socket.AF_INET, kind)
            s.bind(("127.0.0.1", 0))
            if kind == socket.SOCK_STREAM:
                s.listen(100)
            ports.append(s.getsockname()[1])
            self.sockets.append(s)
        self.name = f"crisol-writer-{os.getpid()}"
        s = socket.socket(socket.AF_UNIX)
        s.bind("\0" + self.name)
        s.listen(100)
        self.sockets.append(s)
        mask = os.umask(0)
        self.shmid = libc.shmget(self.shm, 4096, 0o1666)
        self.queue = libc.mq_open(f"/{self.name}".encode(), 0o102, 0o666, None)
        for place, folder in [("in", space / "c"), ("out", TOP / "o")]:
            shutil.rmtree(folder, ignore_errors=True)
            tree(folder, {"secret": "secret", "own": "own", "junk": "junk"})
            (folder / "drop").mkdir()
            s = socket.socket(socket.AF_UNIX)
            s.bind(str(folder / "sock"))
            s.listen(100)
            self.sockets.append(s)
            for n, mode in [("secret", 0o644), ("own", 0o600), ("junk", 0o755), ("drop", 0o777), ("sock", 0o666), (".", 0o755)]:
                (folder / n).chmod(mode)
                os.chown(folder / n, user, user)
            self.lines[place] = f"{self.sleeper.pid} {ports[0]} {ports[1]} {self.shm} {folder} {self.name} {socket.gethostname()}"
        os.umask(mask)
        (space / "canary").write_text("".join(f"{place} {line}\n" for place, line in self.lines.items()))

    def outside(self):
        found = {}
        for path in sorted((TOP / "o").rglob("*")):
            st = path.lstat()
            found[str(path)] = (st.st_mode, st.st_uid, st.st_nlink, st.st_size, st.st_mtime_ns, path.read_bytes() if path.is_file() else b"", tuple(os.listxattr(path, follow_symlinks=False)))
        return found

    def close(self):
        self.sleeper.kill()
        self.sleeper.wait()
        for s in self.sockets:
            s.close()
        libc.shmctl(self.shmid, 0, None)
        libc.mq_unlink(f"/{self.name}".encode())
        libc.close(self.queue)


def begin(user):
    space = TOP / "w"
    shutil.rmtree(space, ignore_errors=True)
    space.mkdir()
    os.chown(space, user, user)
    return space, Targets(user, space)


for user in [0, USER]:
    space, targets = begin(user)
    for place in ["in", "out"]:
        out = subprocess.run([programs / "hostile-rg", "outside", place], cwd=space, user=user, group=user, extra_groups=[], capture_output=True, start_new_session=True).stdout.decode()
        got = dict(re.findall(rf'"{place} (\w+) (\d+)"', out))
        bad = {name: got.get(name) for name, who in ATTEMPTS if got.get(name) != "0" and (who == "ANYBODY" or user == 0)}
        ok(not bad, f"without walls every attempt gets through {place}side, as {'root' if user == 0 else 'a user'}", bad)
    targets.close()

for title, user, knobs in MODES:
    space, targets = begin(user)
    before = targets.outside()
    through = {"in": set(), "out": set()}
    unsaid = []
    with Desk(space, flags=WRITE, user=user, programs=programs, env={"LD_LIBRARY_PATH": libraries, "CRISOL_TEST_ATTEMPTS": "1", **knobs}) as desk:
        for place, line in targets.lines.items():
            for name, _ in ATTEMPTS:
                got = desk.call("write_file", path=f"!attempt {name} {line}!", content="")
                said = re.search(rf"attempt {name} (\d+)", got.message)
                if not said:
                    unsaid.append((place, name, got.code, got.message[:200]))
                elif said[1] == "0":
                    through[place].add(name)
        if "CRISOL_TEST_LEAVE_OUT" in knobs:
            ok(through["out"] - MAY, f"{title}: then more gets through, so the wall does something", through)
        else:
            ok(not unsaid, f"{title}: every attempt is made and comes to an end", unsaid[:5])
            ok(through["out"] <= MAY, f"{title}: outside its folders nothing gets through but what is said", through["out"] - MAY)
            more = TRUNCATE if knobs.get("CRISOL_TEST_ABI") == "2" else set()
            ok(INSIDE <= through["in"] <= MAY | INSIDE | more, f"{title}: inside nothing but that and what it is for", through["in"] ^ (MAY | INSIDE))
            ok(targets.outside() == before, f"{title}: nothing outside was changed")
        ok(targets.sleeper.poll() is None, f"{title}: the process outside lives")
        ok(desk.call("write_file", path="after.txt", content="x").code == "", f"{title}: and the session goes on")
    targets.close()
shutil.rmtree(TOP)

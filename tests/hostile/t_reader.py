#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A ripgrep that has been taken over, in the real worker for tools that read: every attempt of tests/escape against targets inside and
outside the workspace, and what it can do to who started it, to other sessions and to the machine. As root and as an ordinary user, with
and without namespaces, with Landlock as older kernels have it, and with one wall missing. Rows G9, T0, T17."""
import ctypes
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integ"))
from desk import Desk, alive, name_of, tree  # noqa: E402
from tap import ok, skip  # noqa: E402
from wire import PROGRAMS, ROOT, children  # noqa: E402

BUILT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else PROGRAMS.parents[1] / "tests/hostile")
USER, OTHER = 65533, 65532
libc = ctypes.CDLL(None, use_errno=True)
libraries = os.environ.get("LD_LIBRARY_PATH", "")
for library in (pathlib.Path(__file__).resolve().parents[2] / "build/deps/yyjson/lib").glob("lib*.so*"):
    libraries = f"{library.parent}:{libraries}" if str(library.parent) not in libraries else libraries


def need(result, what):
    if result < 0:
        sys.exit(f"Bail out! {what}: {os.strerror(ctypes.get_errno())}")
    return result


if os.geteuid() != 0:
    skip("no root: ripgrep is replaced by a mount")
    sys.exit(0)

# Over the real one, where this test alone sees it: no path, variable or folder leads the worker to another.
RG = next(p for p in ["/usr/local/bin/rg", "/usr/bin/rg", "/bin/rg"] if os.path.exists(p))
need(libc.unshare(0x20000), "a mount namespace")
need(libc.mount(None, b"/", None, 0x44000, None), "private mounts")

TOP = pathlib.Path(tempfile.mkdtemp(prefix="cr-", dir="/var/tmp"))
TOP.chmod(0o755)
programs = TOP / "bin"
programs.mkdir()
for name in ["crisol-core", "crisol-launch", "crisol-js", "crisol-tool", "hostile-rg"]:
    shutil.copy(BUILT / name, programs)
need(libc.mount(str(programs / "hostile-rg").encode(), os.path.realpath(RG).encode(), None, 0x1000, None), "replace ripgrep")

ATTEMPTS = re.findall(r"^ATTEMPT\((\w+),.*?(ANYBODY|ROOT),", (ROOT / "tests/escape/attempts.def").read_text(), re.M | re.S)
# What gets through on purpose: it may start processes, hold files, load code, and look at names and at what is in its folders.
MAY = {"fork", "thread", "many_descriptors", "map_code", "make_code", "stat_secret"}
INSIDE = {"open_secret"}
# What each wall keeps alone: with it missing these get through, and no more.
NO_LANDLOCK = {"open_secret", "open_passwd", "list_root", "group_path"}
NO_SECCOMP = {"become_root", "chmod_own", "connect_path", "connect_abstract", "io_uring", "keyring", "list_interfaces", "lock_file", "memory_file", "new_userns",
              "open_shm", "open_queue", "personality", "pidfd_canary", "raise_limit", "seccomp_listener", "set_times", "set_xattr", "shared_memory", "signal_by_owner",
              "socket_inet", "socket_inet6", "socket_netlink", "socket_unix", "socketpair", "trust_device", "udp_send", "userfault", "lock_memory", "file_space"}
BARE = {"CRISOL_TEST_NO_USERNS": "1", "CRISOL_TEST_NO_NAMESPACES": "1"}
LANDLOCK = "landlock,landlock_net,landlock_scope"
# Its title, who, the knobs, what else gets through, and what of it surely does.
MODES = [
    ("root", 0, {}, set(), set()), ("a user", USER, {}, set(), set()),
    ("root, no user namespaces", 0, {"CRISOL_TEST_NO_USERNS": "1"}, set(), set()),
    ("root, no namespaces", 0, BARE, {"name_host"}, {"name_host"}), ("a user, no namespaces", USER, BARE, {"name_host"}, {"name_host"}),
    *((f"a user, Landlock ABI {n}", USER, {"CRISOL_TEST_ABI": n}, set(), set()) for n in ["2", "4"]),
    *((f"a user, no namespaces, Landlock ABI {n}", USER, {"CRISOL_TEST_ABI": n, **BARE}, {"name_host"}, set()) for n in ["2", "4", "6"]),
    ("root, no namespaces, Landlock ABI 2", 0, {"CRISOL_TEST_ABI": "2", **BARE}, {"name_host"}, set()),
    ("a user, no Landlock", USER, {"CRISOL_TEST_LEAVE_OUT": LANDLOCK}, NO_LANDLOCK, {"open_passwd", "list_root"}),
    ("a user, no namespaces, no Landlock", USER, {"CRISOL_TEST_LEAVE_OUT": LANDLOCK, **BARE}, NO_LANDLOCK | {"name_host"}, {"open_passwd", "list_root"}),
    ("a user, no seccomp", USER, {"CRISOL_TEST_LEAVE_OUT": "seccomp"}, NO_SECCOMP, {"chmod_own", "set_times"}),
]


class Targets:
    """Of one user: a process, ports, a queue, and a folder inside and one outside the workspace."""

    def __init__(self, user, space):
        self.user, self.space = user, space
        self.sleeper = subprocess.Popen(["/bin/sleep", "1000"], user=user, group=user, extra_groups=[])
        self.sockets = []
        self.lines = []
        self.shm = 0x63730000 + os.getpid() % 65536
        ports = []
        for kind in [socket.SOCK_STREAM, socket.SOCK_DGRAM]:
            s = socket.socket(socket.AF_INET, kind)
            s.bind(("127.0.0.1", 0))
            if kind == socket.SOCK_STREAM:
                s.listen(100)
            ports.append(s.getsockname()[1])
            self.sockets.append(s)
        self.name = f"crisol-reader-{os.getpid()}"
        s = socket.socket(socket.AF_UNIX)
        s.bind("\0" + self.name)
        s.listen(100)
        self.sockets.append(s)
        mask = os.umask(0)
        self.shmid = need(libc.shmget(self.shm, 4096, 0o1666), "shared memory")
        self.queue = need(libc.mq_open(f"/{self.name}".encode(), 0o102, 0o666, None), "a queue")
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
            self.lines.append(f"{place} {self.sleeper.pid} {ports[0]} {ports[1]} {self.shm} {folder} {self.name} {socket.gethostname()}\n")
        os.umask(mask)
        (space / "canary").write_text("".join(self.lines))
        self.before = self.state()

    def state(self):
        """All that a change inside or outside would show in."""
        found = {}
        for top in [self.space / "c", TOP / "o"]:
            for path in [top, *sorted(top.rglob("*"))]:
                st = path.lstat()
                data = path.read_bytes() if path.is_file() else b""
                found[str(path)] = (st.st_mode, st.st_uid, st.st_nlink, st.st_size, st.st_mtime_ns, st.st_ctime_ns, data, tuple(os.listxattr(path, follow_symlinks=False)))
        return found

    def close(self):
        self.sleeper.kill()
        self.sleeper.wait()
        for s in self.sockets:
            s.close()
        libc.shmctl(self.shmid, 0, None)
        libc.mq_unlink(f"/{self.name}".encode())
        libc.close(self.queue)


def sort_out(text):
    found = {}
    for line in text.splitlines():
        line = json.loads(line)["data"]["lines"]["text"]
        place, name, result = line.split(" ", 2)
        if place == "path":
            name, result = line[5:].rsplit(" ", 1)
        found.setdefault(place, {}).setdefault(name, []).append(result)
    return found


def outside(place, user, space):
    out = subprocess.run([programs / "hostile-rg", "outside", place], cwd=space, user=user, group=user, extra_groups=[], capture_output=True, start_new_session=True)
    return {name: int(got[-1]) for name, got in sort_out(out.stdout.decode()).get(place, {}).items()}


# The person's own things: none of them is in the workspace.
def paths(desk, user, other):
    home = desk.home
    for folder in ["state", "config"]:
        (home / folder).mkdir(exist_ok=True)
        (home / folder / "token").write_text("secret")
    found = [home, home / "state", home / "state/token", home / "config", home / "config/token", home / "config/config.json", *(home / "state").rglob("*"),
             "/etc/passwd", "/etc/shadow", "/root", "/home", "/tmp", "/var/tmp", "/", "/proc", "/proc/1/environ", "/proc/self/mem", "/proc/self/environ",
             "/proc/self/cgroup", "/proc/self/mountinfo", "/sys", "/dev/mem", "/dev/tty", "/dev/full", "/dev/random", "/run", TOP, programs, programs / "crisol-core",
             *other, f"/proc/{desk.process.pid}/environ", f"/proc/{desk.process.pid}/cmdline", f"/proc/{os.getpid()}/environ", f"/proc/{os.getpid()}/cwd",
             *(f"/proc/{pid}/{n}" for pid in children(desk.process.pid) for n in ["mem", "environ", "cmdline", "status"])]
    return [str(p) for p in found]


def left_behind():
    return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if alive(pid) and (name_of(pid) == RG or cwd_of(pid).startswith(str(TOP)))]


def cwd_of(pid):
    try:
        return os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return ""


def through(found, place):
    return {name for name, got in found.get(place, {}).items() if "0" in got}


def judge(title, user, knobs, more, surely, found, desk):
    shut = "LEAVE_OUT" not in "".join(knobs)
    for place, may in [("in", MAY | INSIDE), ("out", MAY)]:
        ok(set(found.get(place, {})) == {name for name, _ in ATTEMPTS}, f"{title}: every attempt is made {place}side", set(found.get(place, {})) ^ {n for n, _ in ATTEMPTS})
        got = through(found, place)
        ok(may <= got <= may | more and surely <= got, f"{title}: {place}side the workspace nothing more gets through than is said", (got - may - more, (may | surely) - got))
    ok(sorted(found.get("environment", {}).get("variable", [])) == (["LANG=C.UTF-8", "PATH=/usr/bin:/bin"]), f"{title}: an environment of two lines", found.get("environment"))
    own = {name: [int(n) for n in got] for name, got in found.get("own", {}).items()}
    ok(own.get("descriptors") == [3], f"{title}: three descriptors", own)
    ok(max(own.get("mebibytes", [9999])) <= 2048, f"{title}: memory of a process is bounded", own)
    if not any(k in knobs for k in BARE):
        ok(max(own.get("processes", [9999])) <= 256, f"{title}: processes are bounded", own)
    if shut:
        ok(len(found["path"]) > 40 and not through(found, "path"), f"{title}: none of {len(found['path'])} files outside can be read, of no session", through(found, "path"))
        ok(len(found["parent"]) > 9 and not through(found, "parent"), f"{title}: nothing of its worker is within reach", found["parent"])
    elif "seccomp" in "".join(knobs.values()):
        ok(not through(found, "path"), f"{title}: nor then", through(found, "path"))


def attack(title, user, knobs, more, surely):
    space = TOP / "w"
    shutil.rmtree(space, ignore_errors=True)
    space.mkdir()
    os.chown(space, user, user)
    targets = Targets(user, space)
    env = {"LD_LIBRARY_PATH": libraries, **knobs, "CRISOL_TEST_SECRET": "hunter2", "OPENAI_API_KEY": "hunter2"}
    # The session beside it has a workspace, a scratchpad and a state home of its own.
    beside = tree(TOP / "beside", {"b.txt": "of session B\n"})
    with Desk(beside, user=user, programs=programs, env=env) as other, Desk(space, user=user, programs=programs, env=env) as desk:
        ok(other.call("read_file", path="b.txt").code == "", f"{title}: the session beside works")
        theirs = [beside, beside / "b.txt", other.home, *other.home.rglob("*")]
        (space / "paths").write_text("\n".join(paths(desk, user, theirs)))
        got = desk.call("search_text", pattern="x", path="canary")
        found = sort_out(got.result["stdout"] if got.result else "")
        ok(got.code == "" and not got.result["truncated"], f"{title}: it was run and heard", got)
        judge(title, user, knobs, more, surely, found, desk)
        if "seccomp" not in "".join(knobs.values()):
            ok(targets.state() == targets.before, f"{title}: nothing was changed, in or outside the workspace",
               [p for p, s in targets.state().items() if targets.before.get(p) != s])
        ok(targets.sleeper.poll() is None, f"{title}: the process outside lives")
        ok(left_behind(), f"{title}: it has left something behind")
        ok(desk.call("read_file", path="c/secret").code == "" and other.call("read_file", path="b.txt").code == "", f"{title}: both sessions go on")
        if not knobs:
            misbehave(title, desk)
    ok(not left_behind(), f"{title}: which ends with its worker", left_behind())
    targets.close()


def misbehave(title, desk):
    """It says wrong things, or nothing."""
    for how, codes in [("bytes", [""]), ("matches", [""]), ("odd", [""]), ("abort", ["TOOL_FAILED", "INVALID_INPUT"]), ("quit", [""])]:
        got = desk.call("search_text", pattern="!" + how)
        ok(got.code in codes and len(json.dumps(got.result)) < 1 << 20, f"{title}: {how}: the worker makes something of it", got)
        ok("passwd" not in json.dumps(got.result) or how == "odd", f"{title}: {how}: nothing of outside", got)
    workers = desk.workers()
    ok(len(workers) == 1 and desk.call("read_file", path="c/secret").code == "", f"{title}: and lives", workers)
    desk.start("search_text", pattern="!mute")  # until the session ends


for user in [0, USER]:
    space = TOP / "w"
    shutil.rmtree(space, ignore_errors=True)
    space.mkdir()
    targets = Targets(user, space)
    for place in ["in", "out"]:
        got = outside(place, user, space)
        bad = {name: os.strerror(got.get(name, 0)) for name, who in ATTEMPTS if got.get(name, -1) != 0 and (who == "ANYBODY" or user == 0)}
        ok(not bad, f"without walls every attempt gets through {place}side, as {'root' if user == 0 else 'a user'}", bad)
    ok(targets.state() != targets.before, "and leaves its marks")
    targets.close()
for mode in MODES:
    attack(*mode)
shutil.rmtree(TOP)

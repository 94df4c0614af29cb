#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""run_process and shell: what they give, what commands get and leave, how they end, and what does not
get out. Rows T4, G3; design.md section 3 (process). Every attempt to get out is made outside as well,
where it must succeed."""
import atexit
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from desk import EXTERNAL, NOBODY, PROCESS, WRITE, Desk, tree
from tap import crisol, ok, run, skip

TOP = pathlib.Path(tempfile.mkdtemp(prefix="crisol-run-"))
TOP.chmod(0o755)
atexit.register(shutil.rmtree, TOP, True)
ROOT = os.geteuid() == 0
MODES = [("root", None), ("user", NOBODY)] if ROOT else [("user", None)]
KEPT = 32000
PY = "/usr/bin/python3"
MARK = "crisol-secret-7c1d"


def space(name, user=None, files=None):
    """A workspace that belongs to this user."""
    (TOP / name).mkdir()
    folder = tree(TOP / name, files or {})
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, *((user, user) if user else (-1, -1)))
    return folder


def wait_for(what, seconds=20):
    until = time.monotonic() + seconds
    while not (got := what()) and time.monotonic() < until:
        time.sleep(0.01)
    return got


def processes(word):
    """Pids of everything on this machine whose arguments hold the word."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if word in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace"):
                found.append(int(pid))
        except OSError:
            pass
    return [pid for pid in found if pid != os.getpid()]


def program(desk, argv, **more):
    return desk.call("run_process", command=argv[0], args=argv[1:], **more)


def sh(desk, line, **values):
    return desk.call("shell", command=line, **values)


def out_of(reply):
    return reply.result["stdout"] if reply.result else reply


# ---- results ----

for mode, user in MODES:
    ws = space(f"results-{mode}", user, {"in/a.txt": "a\n", "text": "echo no\n", "broken": "#!/nowhere/at-all\n", "plain": "x"})
    for name in ["text", "broken"]:
        (ws / name).chmod(0o755)
    with Desk(ws, flags=PROCESS, user=user, env={"PATH": "/usr/bin:/bin:" + str(ws)}) as desk:
        got = sh(desk, "echo out; echo err >&2; exit 3").result
        ok(got["command"] == "echo out; echo err >&2; exit 3" and (got["exitCode"], got["signal"], got["stdout"], got["stderr"], got["truncated"]) ==
           (3, None, "out\n", "err\n", False) and got["bytes"] == {"stdout": 4, "stderr": 4} and got["durationMs"] > 0 and "ended" not in got,
           f"{mode}: shell: its fields", got)
        got = program(desk, ["printf", "%s|", "a b", "", "$HOME", "*", "-x", "\u00e9\n"]).result
        ok(got["args"][:2] == ["%s|", "a b"] and got["stdout"] == "a b||$HOME|*|-x|\u00e9\n|" and got["exitCode"] == 0,
           f"{mode}: run_process: arguments are what they are, no shell looks at them", got)
        ok(got["fence"]["held"] == "workspace" and {"landlock", "seccomp"} <= set(got["fence"]["layers"]) and not got["fence"]["network"],
           f"{mode}: the fence that held is told", got["fence"])
        for line, want in [("kill -KILL $$", "SIGKILL"), ("kill -SEGV $$", "SIGSEGV"), ("kill -34 $$", "signal unknown")]:
            got = sh(desk, line).result
            ok((got["exitCode"], got["signal"]) == (None, want), f"{mode}: {line} is {want}", got)
        for line, want in [("-x", 127), ("--", 127), ("exit 255", 255), ("exit 0", 0), ("(exit 7)\n", 7), ("# nothing", 0)]:
            got = sh(desk, line).result
            ok(got["exitCode"] == want, f"{mode}: the line {line!r} ends with {want}", got)
        for argv, code, word in [
                (["no-such-program"], "NOT_FOUND", "no-such-program"), (["./nowhere"], "NOT_FOUND", "./nowhere"), (["plain"], "TOOL_FAILED", "not executable"),
                (["./in"], "TOOL_FAILED", "not executable"), (["text"], "TOOL_FAILED", "#!"), (["broken"], "NOT_FOUND", "broken"), (["./broken"], "NOT_FOUND", "interpreter"),
                ([""], "INVALID_INPUT", "command"), ([[]], "INVALID_INPUT", "command"), (["a\0b"], "INVALID_INPUT", "command"), (["ls", 5], "INVALID_INPUT", "args"), (["ls", "a\0b"], "INVALID_INPUT", "args"),
                (["/bin/true", "x" * 131072], "INVALID_INPUT", "args")]:
            got = program(desk, argv)
            ok(got.code == code and word in got.message, f"{mode}: {str(argv)[:40]} is {code}", got)
        for cwd, code, want in [("in", "", str(ws / "in")), (str(ws / "in"), "", str(ws / "in")), ("in/..", "", str(ws)), ("nowhere", "NOT_FOUND", ""),
                                ("text", "NOT_FOUND", ""), ("/usr", "OUTSIDE_ROOTS", ""), ("..", "OUTSIDE_ROOTS", "")]:
            got = sh(desk, "pwd", cwd=cwd)
            ok(got.code == code and (code or got.result["stdout"] == want + "\n"), f"{mode}: in {cwd}: {code or want}", got)

        # Output, bounded while it streams.
        for bytes_ in [KEPT, KEPT + 1, 3 * KEPT, 10 ** 6]:
            got = program(desk, ["sh", "-c", f"yes 0123456 | head -c {bytes_}"]).result
            whole = ("0123456\n" * (bytes_ // 8 + 1))[:bytes_]
            half = KEPT // 2
            want = whole if bytes_ <= KEPT else f"{whole[:half]}\n[{bytes_ - KEPT} bytes left out]\n{whole[-half:]}"
            ok(got["stdout"] == want and got["bytes"]["stdout"] == bytes_ and got["truncated"] == (bytes_ > KEPT) and got["exitCode"] == 0,
               f"{mode}: {bytes_} bytes: whole or its two ends, and the command goes on", {**got, "stdout": len(got["stdout"])})
        for a, b, want_a, want_b in [(20000, 100, 20000, 100), (10 ** 5, 100, KEPT - 100, 100), (100, 10 ** 5, 100, KEPT - 100), (10 ** 5, 10 ** 5, KEPT // 2, KEPT // 2),
                                     (20000, 20000, KEPT // 2, KEPT // 2), (KEPT // 2, KEPT // 2, KEPT // 2, KEPT // 2)]:
            got = sh(desk, f"head -c {a} /dev/zero | tr '\\0' a; head -c {b} /dev/zero | tr '\\0' b >&2").result
            kept = got["stdout"].count("a"), got["stderr"].count("b")
            notes = got["stdout"].count("[") + got["stderr"].count("[")  # "bytes left out" has a b, too
            ok(kept[0] == want_a and kept[1] - got["stderr"].count("[") == want_b and notes == (a > want_a) + (b > want_b), f"{mode}: {a} and {b} bytes share {KEPT}", kept)
        got = program(desk, ["head", "-c", "2G", "/dev/zero"], timeoutMs=110000).result
        ok(got["bytes"]["stdout"] == 2 << 30 and got["exitCode"] == 0 and len(got["stdout"]) < KEPT + 100, f"{mode}: 2 GiB of output are counted, not kept", got["bytes"])
        got = program(desk, ["printf", r"a\377b\000c\302\n"]).result
        ok(got["stdout"] == "a\ufffdb\0c\ufffd\n", f"{mode}: bytes that are no text are seen", got["stdout"])
        for wide in ["\u00e9", "\u20ac", "\U0001f600"]:
            bad = [got for shift in range(4) if "\ufffd" in (got := program(desk, [PY, "-c", f"print('x' * {shift} + {wide!r} * 20000)"]).result["stdout"])]
            ok(not bad, f"{mode}: a cut goes between characters of {wide!r}", [b[15000:17000] for b in bad])
        got = sh(desk, "exec >&- 2>&-; sleep 0.2; touch later").result
        ok(got["exitCode"] == 0 and (ws / "later").exists(), f"{mode}: who closes both outputs goes on", got)
        ok(desk.call("shell", command="a\0b").code == "INVALID_INPUT" and desk.call("shell", command="").code == "INVALID_INPUT", f"{mode}: no line, no call")

# ---- what a command gets ----

for mode, user in MODES:
    ws = space(f"gets-{mode}", user)
    secrets = {f"{MARK}_{n}": MARK for n in range(3)}
    env = {"LANG": "C.UTF-8", "AWS_SECRET_ACCESS_KEY": MARK, "OPENAI_API_KEY": MARK, "LD_PRELOAD_X": MARK, "XDG_DATA_HOME": f"/{MARK}", "EDITOR": MARK,
           "NAMED": "by configuration", **secrets}
    with Desk(ws, flags=PROCESS, user=user, env=env, own={"permissions": {"process": {"env": ["NAMED", "NOT_SET"]}}}) as desk:
        got = dict(line.split("=", 1) for line in out_of(program(desk, ["env"])).splitlines())
        ok(set(got) == {"PATH", "HOME", "LANG", "TMPDIR", "NAMED"} and got["NAMED"] == "by configuration" and got["HOME"] == str(desk.home),
           f"{mode}: the environment is PATH, HOME, LANG, TMPDIR and what the configuration names", got)
        got = sh(desk, "for f in /proc/[0-9]*/environ; do cat $f; done 2>/dev/null | tr '\\0' '\\n'").result["stdout"]
        ok(MARK not in got and "PATH=" in got, f"{mode}: no secret of a process above is in what it can read of /proc", got[-300:])
        got = sh(desk, "ls /proc/self/fd | tr '\\n' ' '; ls -l /proc/self/fd/0 | grep -c /dev/null").result["stdout"]
        ok(got.split() == ["0", "1", "2", "3", "1"], f"{mode}: three descriptors (and the one that lists them), input is /dev/null", got)
        got = program(desk, [PY, "-c", "import os,signal\n"
                        "print(os.getsid(0) == os.getpid() == os.getpgrp(), signal.pthread_sigmask(signal.SIG_BLOCK, []), [s for s in range(1, 32) if s not in (9, 19, 2, 13, 25) and signal.getsignal(s) != signal.SIG_DFL],"
                        "signal.getsignal(13), oct(os.umask(0)), os.getpriority(0, 0))\n"
                        "import resource; print(resource.getrlimit(resource.RLIMIT_CORE))\n"
                        "try: os.open('/dev/tty', os.O_RDWR); print('tty')\nexcept OSError: print('none')"]).result["stdout"]
        mask = oct(os.umask(0o022))
        os.umask(int(mask, 8))
        ok(got.splitlines()[0].startswith("True set() []") and mask in got and "(0, 0)" in got and got.endswith("none\n"),
           f"{mode}: a session and group of its own, no terminal, plain signals, the person's umask, no core", got)
        got = sh(desk, "cat; read x; echo $?").result
        ok(got["stdout"] == "1\n" and got["durationMs"] < 20000, f"{mode}: who reads its input is at its end at once", got)
        first = sh(desk, "echo $TMPDIR; stat -c '%a %u' $TMPDIR; echo x > $TMPDIR/x; mkdir -p $TMPDIR/a/b; chmod 0 $TMPDIR/a/b; ln -s /etc $TMPDIR/link").result["stdout"].split()
        got = sh(desk, "ls -A $TMPDIR; echo $TMPDIR").result["stdout"].split()
        ok(first[1:] == ["700", str(user or os.getuid())] and got == first[:1] and pathlib.Path("/etc/passwd").exists(),
           f"{mode}: a folder of its own for temporary files, empty for the next command", (first, got))
        deep = "import os\nfor i in range(3000): os.mkdir('d'); os.chdir('d')"
        got = sh(desk, f"cd $TMPDIR && {PY} -c \"{deep}\"").result
        ok(got["exitCode"] == 0 and os.listdir(first[0]) == [], f"{mode}: 3,000 folders deep, and empty again", got)
        tmp = pathlib.Path(first[0])
        ok(tmp.is_dir(), f"{mode}: it is there while the worker is")
    ok(not tmp.exists(), f"{mode}: it is gone with the worker", tmp)

# The command passes only what is listed, whatever else it has.
home = tree(TOP / "own", {"config.json": json.dumps({"permissions": {"process": {"env": ["NAMED", "TMPDIR", "PATH"]}}})})
got = run([crisol, "call", "--allow-process", "run_process", '{"command": "env"}'], cwd=space("cli"),
          env={"CRISOL_CONFIG_HOME": str(home), "CRISOL_STATE_HOME": str(TOP / "own-state"), "NAMED": "yes", "OTHER": MARK})
lines = json.loads(got.out)["stdout"].splitlines() if got.rc == 0 else [got]
ok(got.rc == 0 and "NAMED=yes" in lines and MARK not in got.out and sorted(line.split("=")[0] for line in lines if not line.startswith("NAMED")) in
   (["HOME", "LANG", "PATH", "PATH", "TMPDIR"], ["HOME", "LANG", "PATH", "TMPDIR"]), "crisol call: the same from the command line", got)

# ---- ends ----

for mode, user in MODES:
    ws = space(f"ends-{mode}", user)
    with Desk(ws, flags=PROCESS, user=user) as desk:
        word = f"8{os.getpid()}{len(mode)}"  # of seconds to sleep, to be found by
        for name, line in [("holds the pipe", f"sleep {word} & echo done"), ("of a session of its own", f"setsid sleep {word} & echo done"),
                           ("keeps one pipe", f"sleep {word} </dev/null >/dev/null & echo done"), ("forked twice", f"(setsid sh -c 'sleep {word} & sleep {word} &' &) ; echo done"),
                           ("ignores TERM", f"sh -c 'trap \"\" TERM; sleep {word} & wait; sleep {word}' & echo done"), ("is stopped", f"sleep {word} & kill -STOP $!; echo done"),
                           ("writes on", f"sh -c 'sleep {word} & while :; do echo more; done' & echo done")]:
            began = time.monotonic()
            got = sh(desk, line).result
            ok(got["exitCode"] == 0 and "done\n" in got["stdout"] and got.get("ended", {}).get("why") == "left" and got["ended"]["processes"] >= 1 and not processes(word) and
               time.monotonic() - began < 15, f"{mode}: a child in the background that {name}: returned, ended, told", (got["stdout"][:50], got.get("ended"), processes(word)))
        got = sh(desk, "true & wait; echo done").result
        ok("ended" not in got, f"{mode}: children that ended before are no word worth", got)
        got = program(desk, ["sh", "-c", f"echo begun; trap 'echo last' TERM; sleep {word} & wait; sleep {word}"], timeoutMs=500)
        ok(got.code == "" and got.result["ended"]["why"] == "timeout" and got.result["stdout"].startswith("begun\n") and "last" in got.result["stdout"] and not processes(word),
           f"{mode}: at its time it gets TERM, then KILL; what it said is there", got)
        got = program(desk, ["sh", "-c", f"trap '' TERM; setsid sleep {word} & while :; do :; done"], timeoutMs=300)
        ok(got.result["ended"] == {"why": "timeout", "processes": got.result["ended"]["processes"], "by": "SIGKILL"} and got.result["signal"] == "SIGKILL" and not processes(word),
           f"{mode}: who ignores TERM gets KILL", got)
        for cause in ["busy", "sleep", "ignore"]:
            line = {"busy": "while :; do :; done", "sleep": f"sleep {word}", "ignore": f"trap '' TERM; setsid sleep {word} & sleep {word}; while :; do :; done"}[cause]
            (ws / "on").unlink(missing_ok=True)
            started = desk.start("shell", command=f"touch on; {line}")
            wait_for((ws / "on").exists)
            desk.say("run_cancel", tag=started)
            got = desk.finish(started)
            ok(got.code == "CANCELLED" and not processes(word), f"{mode}: cancelled while it is {cause}: all of it is gone", (got, processes(word)))
        got = sh(desk, "echo again").result
        ok(got["stdout"] == "again\n", f"{mode}: the next command runs", got)
        # One that leaves the machine usable: it grows until it may not, and then only sleeps.
        bomb = "import os,time\nwhile True:\n  try:\n    if os.fork(): time.sleep(.3)\n  except OSError: time.sleep(5)"
        got = program(desk, [PY, "-c", bomb, word], timeoutMs=4000)
        ok(got.code == "" and got.result["ended"]["processes"] > 100 and wait_for(lambda: not processes(word)), f"{mode}: a fork bomb is ended whole", (got, len(processes(word))))
        ok(wait_for(lambda: sh(desk, "echo again").result, 5)["stdout"] == "again\n", f"{mode}: the next command runs")
        began = desk.start("shell", command=f"touch dead; sleep {word}")
        wait_for((ws / "dead").exists)
        desk.process.kill()
        desk.process.wait()
        ok(wait_for(lambda: not processes(word)), f"{mode}: with the broker all of it ends", processes(word))

# ---- what does not get out ----

OUT = TOP / "out"  # beside the workspace, writable to whoever runs


def aim(user):
    """A fresh target outside."""
    shutil.rmtree(OUT, ignore_errors=True)
    tree(OUT, {"secret": MARK + "\n", "run": "#!/bin/sh\n"})
    (OUT / "run").chmod(0o755)
    for path in [OUT, *OUT.iterdir()]:
        os.chown(path, *((user, user) if user else (-1, -1)))
    OUT.chmod(0o777)


def py(code):
    return f"{PY} -c '{code}'"


C = "import ctypes,os,sys,socket; L = ctypes.CDLL(None, use_errno=True); "
ATTEMPTS = [  # exit 0: it got through. "root": only where a mount namespace of its own holds it.
    ("write a file", "echo x | tee {out}/new", ""), ("change a file", "echo x | tee -a {out}/secret", ""), ("empty a file", "truncate -s 0 {out}/secret", ""),
    ("remove a file", "rm -f {out}/secret && ! test -e {out}/secret", ""), ("rename a file", "mv {out}/secret {out}/b", ""), ("move one out", "echo x >m && mv m {out}/m", ""),
    ("move one in", "mv {out}/secret .", ""), ("a hard link of it", "ln {out}/secret ./hard && echo x >>./hard", ""), ("a hard link out", "echo x >h; ln h {out}/h", ""),
    ("make a folder", "mkdir {out}/d", ""), ("a link there", "ln -s /etc {out}/l", ""), ("a pipe there", "mkfifo {out}/p", ""), ("through a link here", "ln -sfn {out} l && echo x >l/new", ""),
    ("through /proc/self/root", "echo x | tee /proc/self/root{out}/new", ""), ("through /proc/self/cwd", "cd {out} && echo x | tee /proc/self/cwd/new", ""),
    ("by a descriptor of a folder", py("import os; d = os.open(\"{out}\", os.O_PATH); os.close(os.open(\"new\", os.O_CREAT | os.O_WRONLY, dir_fd=d))"), ""),
    ("mode", "chmod 700 {out}/secret", "root"), ("times", "touch -d 2001-01-01 {out}/secret", "root"), ("attributes", py("import os; os.setxattr(\"{out}/secret\", \"user.x\", b\"x\")"), "root"),
    ("a TCP socket", py(C + "socket.socket(socket.AF_INET, socket.SOCK_STREAM)"), ""), ("a UDP socket", py(C + "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)"), ""),
    ("a socket that is a file", py(C + "s = socket.socket(socket.AF_UNIX); s.connect(\"{sock}\")"), ""), ("an abstract socket", py(C + "s = socket.socket(socket.AF_UNIX); s.connect(\"\\0crisol-run-{pid}\")"), ""),
    ("netlink", py(C + "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)"), ""), ("listen", py(C + "s = socket.socket(); s.bind((\"127.0.0.1\", 0)); s.listen()"), ""),
    ("signal the person's process", "kill -0 {pid}", ""), ("look into its memory", "cat /proc/{pid}/environ >/dev/null", ""), ("its descriptors", "readlink /proc/{pid}/fd/0", ""),
    ("a user namespace", "unshare -U true", ""), ("io_uring", py(C + "sys.exit(L.syscall(425, 1, ctypes.create_string_buffer(256)) < 0)"), ""),
    ("a keyring", py(C + "sys.exit(L.syscall(250, 0, -3, 0) < 0)"), ""), ("a terminal", py("import os; os.openpty()"), ""),
]

for mode, user in MODES:
    ws = space(f"escape-{mode}", user)
    sock = TOP / f"sock-{mode}"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(sock))
    sock.chmod(0o777)
    listener.listen(64)
    abstract = socket.socket(socket.AF_UNIX)
    become = {"user": user, "group": user, "extra_groups": []} if user else {}
    person = subprocess.Popen(["sleep", "1000"], **become)
    abstract.bind(f"\0crisol-run-{person.pid}")
    abstract.listen(64)
    with Desk(ws, flags=PROCESS, user=user) as desk:
        for name, line, where in ATTEMPTS:
            line = line.replace("{out}", str(OUT)).replace("{sock}", str(sock)).replace("{pid}", str(person.pid))
            aim(user)
            got = sh(desk, line)
            aim(user)
            outside = subprocess.run(["/bin/sh", "-c", line], cwd=space(f"outside-{mode}-{name.replace('/', '_')}", user), capture_output=True, stdin=subprocess.DEVNULL,
                                     env={"PATH": "/usr/bin:/bin"}, **become)
            if outside.returncode != 0:
                skip(f"userns: {mode}: {name} does not work outside: {outside.stderr.decode()[-100:].strip()!r}") if "namespace" in name else \
                    ok(False, f"{mode}: {name} works outside", outside)
                continue
            held = where != "root" or "mntns" in program(desk, ["true"]).result["fence"]["layers"]
            ok(got.code == "" and (got.result["exitCode"] != 0) == held, f"{mode}: {name}: {'refused' if held else 'not refused, as is said'}", got)
        # Crisol's own folders: nothing of them is read, whatever the way.
        for line in ["cat {state}/journal.sqlite", "cat /proc/self/root{state}/journal.sqlite", "cp -r {state} here", "ln {state}/journal.sqlite j && cat j",
                     "cd {state} && cat journal.sqlite", "sh -c 'cat <{state}/journal.sqlite'", "echo x | tee {config}/config.json", "mkdir {config}/plugins", "mv {config} {config}2", "rm -r {state}"]:
            got = sh(desk, line.replace("{state}", desk.state).replace("{config}", str(desk.home / "config")))
            ok(got.code == "" and (got.result["exitCode"] != 0 or os.listdir(ws / "here") == []) and "SQLite" not in got.result["stdout"],
               f"{mode}: {line[:40]}: closed", got)
        ok(os.listdir(desk.home / "config") == [] and "journal.sqlite" in os.listdir(desk.state), f"{mode}: and they are as they were")
        for line in ["kill -9 $PPID", "kill -9 -1", f"kill -9 {desk.process.pid}", "kill -9 1 2"]:
            got = sh(desk, line)
            ok(desk.process.poll() is None and person.poll() is None and sh(desk, "echo on").result["stdout"] == "on\n", f"{mode}: {line}: broker and worker live", got)
        if mode == "root":
            got = sh(desk, "cat /dev/vda | head -c 1; mknod d b 254 0; ls /dev/pts/* >/dev/null; cat /dev/mem | head -c 1").result
            ok(got["bytes"]["stdout"] == 0 and not (ws / "d").exists(), "root: no disk, no device of its own making", got)
        # What a failing command says is explained where it can be.
        aim(user)
        got = sh(desk, f"touch {OUT}/new").result
        ok(got["refused"] == [{"path": f"{OUT}/new", "wanted": "write", "probably": True}] and "permissions.process.writable" in got["hint"] and "--add-dir" in got["hint"],
           f"{mode}: a refusal names the path and the settings", got)
        got = sh(desk, f"cd {OUT} && echo x >new").result
        ok(got["exitCode"] != 0, f"{mode}: a relative one", got)
        got = sh(desk, f"{PY} -c 'import urllib.request as u; u.urlopen(\"http://127.0.0.1:9/\")'").result
        ok("Permission denied" in got["stderr"] and got["exitCode"] == 1, f"{mode}: a socket is refused in words", got)
        got = sh(desk, f"{PY} -c 'import socket; socket.getaddrinfo(\"crisol.invalid\", 80)'").result
        ok(got["refused"] == [{"wanted": "network", "probably": True}] and "--allow-external" in got["hint"], f"{mode}: so does one of the network", got)
        tree(ws, {"own": "x"})
        (ws / "own").chmod(0o400)
        got = sh(desk, "cat /no/such/file; ls /root/x 2>&1; cat own/x").result
        ok("refused" not in got, f"{mode}: what others refuse is not taken for the fence", got)
    person.kill()
    person.wait()

    # Settings.
    aim(user)
    with Desk(ws, flags=PROCESS, user=user, own={"permissions": {"process": {"writable": [str(OUT), "~/cache", "~/.config", str(TOP / "cfg")]}}}) as desk:
        got = sh(desk, f"echo x >{OUT}/new && echo y >$HOME/cache/y && echo done").result
        ok(got["stdout"] == "done\n", f"{mode}: permissions.process.writable, a folder that is made for it", got)
    with Desk(ws, [OUT], PROCESS, user=user) as desk:
        ok(sh(desk, f"echo x >{OUT}/new2").result["exitCode"] == 0, f"{mode}: a declared folder")
    with Desk(ws, flags=PROCESS | EXTERNAL, user=user) as desk:
        got = sh(desk, py(C + "s = socket.socket(); s.bind((\"127.0.0.1\", 0)); s.listen(); c = socket.create_connection(s.getsockname()); print(\"met\")")).result
        ok(got["stdout"] == "met\n" and got["fence"]["network"], f"{mode}: with --allow-external loopback and network are there", got)
        got = sh(desk, py(C + f"s = socket.socket(socket.AF_UNIX); s.connect(\"{sock}\")")).result
        ok(got["exitCode"] != 0, f"{mode}: sockets that are files are not", got)
    with Desk(ws, flags=PROCESS, user=user, own={"permissions": {"process": {"fence": "none"}}}) as desk:
        got = sh(desk, f"echo x | tee {OUT}/new3 >/dev/null && echo done").result
        ok(got["stdout"] == "done\n" and got["fence"]["held"] == "none", f"{mode}: the fence none is none, and told", got)
    with Desk(ws, flags=PROCESS, user=user, config={"permissions": {"process": {"fence": "none", "writable": ["/"], "env": ["X"]}}}) as desk:
        ok(sh(desk, f"cp /dev/null {OUT}/new4").result["exitCode"] != 0, f"{mode}: a project's file changes nothing of it")
    with Desk(ws, user=user) as desk:
        ok(sh(desk, "true").code == "TOOL_UNAVAILABLE", f"{mode}: without --allow-process there is no shell")
    with Desk(ws, flags=PROCESS, user=user) as desk:
        sh(desk, "true")
        ws.rename(f"{ws}-moved")
        os.symlink(OUT, ws)
        got = [sh(desk, "echo x >here; pwd -P") for _ in range(2)]
        ok(all(g.code for g in got) and not (OUT / "here").exists(), f"{mode}: a link in the place of the workspace leads nowhere", got)
        ws.unlink()
        pathlib.Path(f"{ws}-moved").rename(ws)

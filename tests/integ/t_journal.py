#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The journal under faults, through the real processes: killed at any moment, full, locked, read-only,
damaged, newer, moved, pruned while others run. doc/store.md."""
import atexit
import ctypes
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time

from desk import NOBODY, WRITE, Desk, alive, audited, name_of, tree
from tap import crisol, ok, run, skip
from wire import Core, children

TOP = pathlib.Path(tempfile.mkdtemp(prefix="crisol-journal-"))
TOP.chmod(0o755)
atexit.register(shutil.rmtree, TOP, True)
SPACE = tree(TOP / "space", {"a.txt": "hello\n"})
ROOT = os.geteuid() == 0
READ = "return (await tools.read_file({path: 'a.txt'})).content"
MANY = "for (let i = 0; i < 200; i++) await tools.read_file({path: 'a.txt'}); return 1"
LIVE = ["SELECT count(*) FROM run WHERE owner IS NOT NULL OR status IN ('running', 'cancelling')",
        "SELECT count(*) FROM call WHERE owner IS NOT NULL OR status = 'started'", "SELECT count(*) FROM owner"]


def env(state):
    return {"PATH": "/usr/bin:/bin", "HOME": str(TOP / "home"), "CRISOL_STATE_HOME": str(state), "CRISOL_CONFIG_HOME": str(TOP / "config")}


def js(state, source, *args, **kwargs):
    return run([crisol, "js", *args, "-e", source], env=env(state), cwd=SPACE, **kwargs)


def command(state, *args, **kwargs):
    return run([crisol, *args], env=env(state), cwd=SPACE, **kwargs)


def until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.002)
    return condition()


def sql(state, text, *values):
    """Rows, or the error as text; leaves the log as it is."""
    db = sqlite3.connect(f"file:{state}/journal.sqlite?mode=ro", uri=True, timeout=20)
    try:
        return db.execute(text, values).fetchall()
    except sqlite3.Error as error:
        return str(error)
    finally:
        db.close()


def change(state, text):
    db = sqlite3.connect(f"{state}/journal.sqlite", timeout=20)
    db.executescript(text)
    db.close()


def used(name):
    """A state home with a journal in it, all in the one file."""
    state = TOP / name
    js(state, READ)
    change(state, "PRAGMA wal_checkpoint(TRUNCATE)")
    return state


def print_of(path):
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except PermissionError:
        return path.stat().st_size, path.stat().st_mtime_ns


def prints(state):
    """What is in its files; a log without a row in it is none."""
    return {p.name: print_of(p) for p in sorted(pathlib.Path(state).iterdir()) if p.is_file() and not p.name.endswith("-shm") and not (p.name.endswith("-wal") and not p.stat().st_size)}


def has_open(pid, path):
    """Whether it has the journal open: it holds a lock then that keeps the file's form."""
    inode = os.stat(path).st_ino
    return any(line.split()[4:5] == [str(pid)] and line.split()[5].endswith(f":{inode}") for line in pathlib.Path("/proc/locks").read_text().splitlines())


def notes(r):
    return [line for line in r.err.splitlines() if line.startswith("note:")]


# ---- killed ----
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # orphans come to this process


def reaped(*jobs):
    """Whether nothing is left below this process; reaps orphans. jobs: what may live on."""
    def look():
        for pid in children(os.getpid()):
            if pid not in keep:
                try:
                    os.waitpid(pid, os.WNOHANG)
                except ChildProcessError:
                    pass
        return not [pid for pid in children(os.getpid()) if pid not in keep and alive(pid)]
    keep = {pid for job in jobs for pid in [job.pid, *children(job.pid)]}
    return until(look)


seed = random.randrange(1 << 32)
chance = random.Random(seed)
state = TOP / "killed"
js(state, READ)
ENDS = {"crisol": {"cancelled", "succeeded"}, "crisol-core": {"lost", "succeeded"}, "crisol-js": {"lost", "refused", "succeeded"},
        "crisol-tool": {"failed", "succeeded"}, "crisol-launch": {"lost", "cancelled", "failed", "refused", "succeeded"}}
bad, ends = [], {}
with Desk(SPACE, env={"CRISOL_STATE_HOME": str(state)}) as beside:
    beside.say("run_start", tag=9, source="await new Promise(r => setTimeout(r, 1e6)); return 1", timeout_ms=300000)
    live = beside.hear("run_started")["run"]
    for turn in range(50):
        victim = list(ENDS)[turn % len(ENDS)]
        job = subprocess.Popen([crisol, "js", "--events", "--max-tool-calls", "500", "-e", MANY], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env=env(state), cwd=SPACE)
        for _ in range(chance.choice([0, 1, 2, 3, chance.randrange(400)])):
            if not job.stdout.readline():
                break
        until(lambda: job.poll() is not None or victim in map(name_of, [job.pid, *children(job.pid)]))
        for pid in [job.pid, *children(job.pid)]:
            if name_of(pid) == victim:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                break
        job.communicate(timeout=60)
        if not reaped(beside.process):
            bad.append((turn, victim, "is left", [name_of(p) for p in children(os.getpid())]))
        whole = sql(state, "PRAGMA integrity_check")
        listed = command(state, "runs", "list", "--json")
        if whole != [("ok",)] or listed.rc:
            bad.append((turn, victim, whole, listed))
        status = sql(state, "SELECT id, status, verdict FROM run WHERE id != ? AND id > ? ORDER BY id DESC LIMIT 1", live, max(ends, default=live))
        if status:
            ends[status[0][0]] = (victim, status[0][1])
        if status and (status[0][1] not in ENDS[victim] or status[0][2] not in (None, "none")):
            bad.append((turn, victim, status))
        started = sql(state, "SELECT run, n, status FROM call WHERE status IN ('started', 'unknown')")
        going = sql(state, "SELECT id FROM run WHERE owner IS NOT NULL")
        if started or going != [(live,)]:
            bad.append((turn, victim, started, going))
    ok(not bad, f"50 deaths at chance's moments ({seed}): the journal is whole, the next command has settled what was live, reads are never unknown", bad[:5])
    ok(len(ends) > 25 and {v for v, _ in ends.values()} == set(ENDS) and "lost" in {s for _, s in ends.values()}, "most of these runs were recorded, with their ends", ends)
    ok(sql(state, "SELECT count(*) FROM call AS c WHERE c.n > 1 AND NOT EXISTS (SELECT 1 FROM call AS p WHERE p.run = c.run AND p.n = c.n - 1)") == [(0,)],
       "what is recorded of their calls is all up to one moment")
    beside.say("run_cancel", tag=9)
    ok(json.loads(beside.hear("run_done")["envelope"])["status"] == "cancelled" and sql(state, "SELECT status FROM run WHERE id = ?", live) == [("cancelled",)],
       "a run that was live beside them was left alone")
command(state, "runs", "list")
ok([sql(state, q) for q in LIVE[:2]] == [[(0,)], [(0,)]], "nothing is live at the end")
audited(state)


def stopped_worker(desk):
    """From now on a call of this desk is in flight until the worker is continued."""
    desk.call("read_file", path="a.txt")
    for pid in desk.workers():
        os.kill(pid, signal.SIGSTOP)
    return desk.workers()


# A call in flight: of a script, and a direct one.
state = TOP / "inflight"
desk = Desk(SPACE, env={"CRISOL_STATE_HOME": str(state)})
stopped_worker(desk)
desk.start("read_file", path="a.txt")
ok(until(lambda: sql(state, "SELECT count(*) FROM call WHERE status = 'started'") == [(1,)]), "a call in flight is a row", sql(state, "SELECT status FROM call"))
os.kill(desk.process.pid, signal.SIGKILL)
desk.close()
command(state, "gate", "log")
ok(sql(state, "SELECT status, tool FROM call ORDER BY id DESC LIMIT 1") == [("cancelled", "read_file")] and reaped(), "its broker is killed: it was a read, so it is cancelled",
   sql(state, "SELECT status FROM call"))

# Owners that are gone, and those that are not or cannot be seen.
boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
space = os.stat("/proc/self/ns/pid").st_ino
mine = int(pathlib.Path("/proc/self/stat").read_text().split(")")[-1].split()[19])
dead = subprocess.Popen(["true"])
dead.wait()
for words, pid, started, of_boot, of_space, gone in [
        ("whose pid is nobody's", dead.pid, mine, boot, space, True), ("whose pid is another process's now", os.getpid(), mine - 1, boot, space, True),
        ("of another boot", os.getpid(), mine, "0" * 8, space, True), ("that lives", os.getpid(), mine, boot, space, False),
        ("of another pid namespace", dead.pid, mine, boot, 1, False)]:
    state = used(f"owner-{of_space}-{gone}-{pid}-{started}-{of_boot}"[:60])
    change(state, f"""INSERT INTO owner VALUES('O', {pid}, {started}, '{of_boot}', {of_space}, 0);
        INSERT INTO run(id, owner, status, at) VALUES('R', 'O', 'running', 1);
        INSERT INTO call(run, owner, n, status, tool, effect, input_bytes, at) VALUES('R', 'O', 1, 'started', 'read_file', 'read', 0, 1),
        ('R', 'O', 2, 'started', 'write_file', 'write', 0, 1), ('R', 'O', 3, 'started', 'shell', 'process', 0, 1), ('R', 'O', 4, 'started', 'x', 'external', 0, 1)""")
    js(state, "return 1")
    got = sql(state, "SELECT status FROM run WHERE id = 'R' UNION ALL SELECT status FROM (SELECT status FROM call WHERE run = 'R' ORDER BY n)")
    want = ["lost", "cancelled", "unknown", "unknown", "unknown"] if gone else ["running"] + ["started"] * 4
    ok([g[0] for g in got] == want, f"rows of an owner {words}: {'settled; what acted is unknown' if gone else 'left alone'}", got)

# ---- many at once ----
for state in [TOP / "new", TOP / "new", TOP / "newer", TOP / "newest"]:
    before = len(sql(state, "SELECT id FROM run")) if state.exists() else 0
    jobs = [subprocess.Popen([crisol, "js", "-e", MANY, "--max-tool-calls", "200"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env(state), cwd=SPACE) for _ in range(8)]
    got = [(*job.communicate(timeout=60), job.returncode) for job in jobs]
    rows = sql(state, "SELECT status, (SELECT count(*) FROM call WHERE run = run.id AND status = 'ok'), (SELECT count(*) FROM decision WHERE run = run.id) FROM run")
    ok(got == [("1\n", "", 0)] * 8, f"eight runs at once on a journal {'that is there' if before else 'that none has made yet'} end well, and quietly", [g for g in got if g[2] or g[1]][:2])
    ok(rows == [("succeeded", 200, 200)] * (before + 8), "and are recorded with all calls and decisions", rows)
    audited(state)

# ---- locked ----
state = used("locked")
before = sql(state, "SELECT count(*) FROM run")
lock = sqlite3.connect(f"{state}/journal.sqlite", isolation_level=None)
lock.execute("BEGIN EXCLUSIVE")
jobs = {words: subprocess.Popen([crisol, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env(state), cwd=SPACE)
        for words, args in {"run": ["js", "-e", READ], "json": ["js", "--json", "-e", READ], "call": ["call", "read_file", '{"path":"a.txt"}'], "list": ["runs", "list"],
                            "session": ["js", "--session", "s", "-e", "return 1"], "prune": ["runs", "prune"], "doctor": ["doctor", "--json"]}.items()}
got = {words: (*job.communicate(timeout=60), job.returncode) for words, job in jobs.items()}
lock.execute("ROLLBACK")
lock.close()
ok(got["run"][0] == '"1: hello\\n"\n' and got["run"][2] == 0 and got["run"][1].count("note:") == 1 and "held the journal" in got["run"][1] and str(state) in got["run"][1],
   "locked for longer than is waited: a run that reads works, with one note that says why it is not recorded", got["run"])
e = json.loads(got["json"][0])
ok(len(e["notes"]) == 1 and "held the journal" in e["notes"][0] and e["status"] == "succeeded" and got["json"][1] == "", "in the envelope, too", got["json"])
ok("hello" in got["call"][0] and got["call"][1].count("held the journal") == 1 and got["call"][2] == 0, "and with a direct call", got["call"])
ok(got["list"][2] == 0 and "succeeded" in got["list"][0], "what is there can be listed", got["list"])
for words in ["session", "prune"]:
    ok(got[words][2] == 1 and "INTERNAL" in got[words][1] and "held the journal" in got[words][1] and "doctor" in got[words][1], f"{words}: cannot be without it, and says so", got[words])
ok("held the journal" in json.loads(got["doctor"][0])["journal"]["why"], "doctor says it, too", got["doctor"])
ok(sql(state, "SELECT count(*) FROM run") == before and notes(js(state, READ)) == [], "unlocked, the next run is recorded")
lock = sqlite3.connect(f"{state}/journal.sqlite", isolation_level=None)
lock.execute("BEGIN EXCLUSIVE")
with Desk(SPACE, env={"CRISOL_STATE_HOME": str(state)}) as desk:
    desk.say("run_start", tag=1, source=READ)
    ok(until(lambda: has_open(desk.process.pid, state / "journal.sqlite")), "a broker has it open")
    lock.execute("ROLLBACK")
    lock.close()
    e = json.loads(desk.hear("run_done")["envelope"])
    ok(e["notes"] == [] and until(lambda: sql(state, "SELECT status FROM run WHERE id = ?", e["run"]) == [("succeeded",)]), "a lock that goes in time is only waited for", e)

# ---- homes and files that cannot be used ----
class Unaudited(Desk):
    def close(self):
        Core.close(self)
        shutil.rmtree(self.home)


FILES = {"garbage": b"no journal " * 2000, "half a header": b"SQLite format 3\0" + b"\0" * 50, "zeros": b"\0" * 8192}


def folder(state, mode=0o700):
    state.mkdir(mode=0o700)
    return state


def give(path, user):
    if ROOT:
        os.chown(path, user, user, follow_symlinks=False)


def copied(state, edit):
    """A journal that a run has been in, changed by edit(path)."""
    folder(state)
    data = SAMPLE.read_bytes()
    (state / "journal.sqlite").write_bytes(data)
    (state / "journal.sqlite").chmod(0o600)
    edit(state / "journal.sqlite")


def version(path):
    db = sqlite3.connect(path)
    db.executescript("PRAGMA journal_mode = DELETE; PRAGMA user_version = 77")
    db.close()


def other(path):
    path.unlink()
    db = sqlite3.connect(path)
    db.executescript("CREATE TABLE recipe(x)")
    db.close()


SAMPLE = used("sample") / "journal.sqlite"
HOMES = [
    ("a file in its place", lambda s: s.write_text("x"), ["open the state folder"]),
    ("a dangling link", lambda s: s.symlink_to(TOP / "none/none"), ["open the state folder"]),
    ("a folder that others may write", lambda s: folder(s).chmod(0o777), ["not this user's alone"]),
    ("a folder that may only be read", lambda s: folder(s).chmod(0o500), ["make the journal", "Permission denied"]),
    ("the same with a journal in it", lambda s: (copied(s, lambda p: None), s.chmod(0o500)), ["journal", str(TOP)]),
    ("a journal that may only be read", lambda s: copied(s, lambda p: p.chmod(0o400)), ["may only be read"]),
    ("a journal that may not be opened", lambda s: copied(s, lambda p: p.chmod(0)), ["may not be opened"]),
    ("a journal that is a link", lambda s: (folder(s) / "journal.sqlite").symlink_to(SAMPLE), ["a symbolic link"]),
    ("a journal that is a folder", lambda s: (folder(s) / "journal.sqlite").mkdir(), ["something special"]),
    ("a journal that is a pipe", lambda s: os.mkfifo(folder(s) / "journal.sqlite"), ["something special"]),
    ("a newer schema", lambda s: copied(s, version), ["schema 77", "up to 1", "newer crisol"]),
    ("a database of another program", lambda s: copied(s, other), ["another program", "move it away"]),
    ("half a journal", lambda s: copied(s, lambda p: os.truncate(p, SAMPLE.stat().st_size // 2)), ["damaged", "move it away"]),
    ("a journal without its first page", lambda s: copied(s, lambda p: p.write_bytes(b"\0" * 4096 + SAMPLE.read_bytes()[4096:])), ["move it away"]),
    *[(words, lambda s, data=data: copied(s, lambda p: p.write_bytes(data)), ["move it away"]) for words, data in FILES.items()],
]
user = NOBODY if ROOT else None
for n, (words, make, wants) in enumerate(HOMES):
    state = TOP / f"h{n}" / "state"
    state.parent.mkdir()
    make(state)
    for path in [state.parent, state, *(state.iterdir() if state.is_dir() else [])]:
        give(path, NOBODY)
    before = prints(state) if state.is_dir() else None
    with Unaudited(SPACE, env={"CRISOL_STATE_HOME": str(state)}, user=user, flags=WRITE) as desk:
        e, _ = desk.script(READ)
        good = e.get("value") == "1: hello\n" and e["status"] == "succeeded" and len(e["notes"]) == 1 and "not recorded" in e["notes"][0] and all(w in e["notes"][0] for w in wants)
        ok(good, f"{words}: a run that reads works, and one note says why it is not recorded", e)
        desk.say("call_start", tag=5, tool="read_file", input='{"path":"a.txt"}')
        got = desk.hear("call_done")
        ok(got["code"] == "" and got["note"] == e["notes"][0], "the same with a direct call", got)
        got = desk.call("write_file", path="b.txt", content="x", expectedHash=None)
        ok(got.code and not (SPACE / "b.txt").exists(), "what acts is refused", got)
        desk.say("ask", what=Desk.ASKS["RUNS"])
        got = desk.hear("client_refused")
        ok(got["code"] == "INTERNAL" and all(w in got["message"] for w in wants) and "doctor" in got["hint"], "runs cannot be listed, for that reason", got)
        desk.say("ask", what=Desk.ASKS["STATUS"])
        got = json.loads(desk.hear("answer")["json"])["journal"]
        ok(all(w in got["why"] for w in wants) and got["sizes"] is None and got["path"] == f"{state}/journal.sqlite", "and that is what doctor is told", got)
    with Unaudited(SPACE, env={"CRISOL_STATE_HOME": str(state)}, user=user, session="named") as desk:
        desk.say("run_start", tag=1, source="return 1")
        got = desk.hear("client_refused")
        ok(got["code"] == "INTERNAL" and all(w in got["message"] for w in wants), "no session is kept", got)
    ok(before is None or prints(state) == before, "and every file is as it was", (before, before and prints(state)))
    if before is not None:
        state.chmod(0o700)
r = js(TOP / "h0/state", READ)
ok(r.rc == 0 and r.out == '"1: hello\\n"\n' and len(notes(r)) == 1 and r.err.count("\n") == 1, "on the terminal it is one line", r)
r = command(TOP / "h0/state", "doctor")
ok(r.rc == 1 and "the journal cannot be used" in r.out and "CRISOL_STATE_HOME" in r.out and "Nothing is missing" not in r.out, "doctor says what to do", r)
strange = os.fsencode(TOP / "h0/state") + b"/\xff"
job = subprocess.run([crisol, "js", "-e", "return 1"], stdin=subprocess.DEVNULL, capture_output=True, env={**env(TOP), "CRISOL_STATE_HOME": strange}, cwd=SPACE)
ok(job.stdout == b"1\n" and b"not recorded" in job.stderr, "a state home whose name is no text", job)
job = subprocess.run([crisol, "forge", "status"], stdin=subprocess.DEVNULL, capture_output=True, env={**env(TOP), "CRISOL_STATE_HOME": strange}, cwd=SPACE)
ok(job.returncode == 0 and b"no journal" in job.stdout, "has a status", job)
r = js("state/relative", "return 1")
ok(r.out == "1\n" and "absolute path" in r.err, "a relative state home", r)
(TOP / "link").symlink_to(used("target"))
r = js(TOP / "link", READ)
ok(r.err == "" and sql(TOP / "target", "SELECT count(*) FROM run") == [(2,)], "a link to a folder of one's own is followed", r)
(folder(TOP / "empty") / "journal.sqlite").touch(0o600)
r = js(TOP / "empty", READ)
ok(r.err == "" and sql(TOP / "empty", "SELECT count(*) FROM run") == [(1,)], "an empty file becomes a journal", r)

# A newer journal whose number is still in the log.
state = used("newer-log")
held = sqlite3.connect(f"{state}/journal.sqlite")
held.execute("PRAGMA user_version = 78")
held.commit()
before = prints(state)
r = js(state, READ)
ok(r.rc == 0 and "schema 78" in r.err and "up to 1" in r.err and prints(state) == before, "a newer schema in the log is seen, and nothing is changed", (r, before, prints(state)))
held.close()

# Damage anywhere: said where it is met, and never the run's end.
bad, seen, sample = [], 0, SAMPLE.read_bytes()
for turn in range(16):
    state = folder(TOP / f"damage{turn}")
    data = bytearray(sample)
    for _ in range(4):
        at = chance.randrange(1, len(data) // 4096) * 4096 + chance.choice([0, 0, chance.randrange(4096)])
        data[at:at + 64] = chance.randbytes(64)
    (state / "journal.sqlite").write_bytes(data)
    (state / "journal.sqlite").chmod(0o600)
    r = js(state, READ)
    seen += len(notes(r))
    if r.rc or r.out != '"1: hello\\n"\n' or len(notes(r)) > 1 or (not notes(r) and sql(state, "SELECT count(*) FROM run WHERE status = 'succeeded'") == [(0,)]):
        bad.append((turn, r))
ok(not bad and seen, f"damage at chance's places ({seed}): 16 runs end well, {seen} of them with a note", bad[:3])

# ---- moved away while it is in use ----
state = used("moved")
with Desk(SPACE, env={"CRISOL_STATE_HOME": str(state)}) as desk:
    ok(desk.script(READ)[0]["notes"] == [], "a session")
    os.rename(state / "journal.sqlite", state / "away")
    e, _ = desk.script(READ)
    ok(e.get("value") == "1: hello\n" and len(e["notes"]) == 1 and "moved or deleted" in e["notes"][0], "its journal is moved away: the run says so", e)
    os.rename(state / "away", state / "journal.sqlite")
    e, _ = desk.script(READ)
    ok(e["notes"] == [] and until(lambda: sql(state, "SELECT count(*) FROM run WHERE status = 'succeeded'") == [(4,)]), "moved back: what waited is written, too", (e["notes"], sql(state, "SELECT status FROM run")))

# ---- full ----
SCRIPT = r"""
say() { n=$1; shift; "$@" >$OUT/$n.out 2>$OUT/$n.err; echo $? >$OUT/$n.rc; }
mount -t tmpfs -o size=1m,mode=0700 tmpfs $CRISOL_STATE_HOME || exit 99
fill() { dd if=/dev/zero of=$CRISOL_STATE_HOME/ballast bs=4096 2>/dev/null; }
fill
say made $CRISOL js -e "$READ"
rm $CRISOL_STATE_HOME/*
say before $CRISOL js -e "$READ"
fill
for n in 0 1 2; do say run$n $CRISOL js -e "$READ"; done
say json $CRISOL js --json -e "$READ"
say call $CRISOL call read_file '{"path":"a.txt"}'
say list $CRISOL runs list --json
say doctor $CRISOL doctor --json
rm $CRISOL_STATE_HOME/ballast
say after $CRISOL js -e "$READ"
say later $CRISOL runs list --json
cp $CRISOL_STATE_HOME/journal.sqlite* $OUT/
"""
state, out = folder(TOP / "full"), folder(TOP / "full-out")
hide = ["unshare", "-m"] if ROOT else ["unshare", "-rm"]
r = run([*hide, "sh", "-c", SCRIPT], env={**env(state), "CRISOL": crisol, "OUT": str(out), "READ": READ}, cwd=SPACE, timeout=100)
if not (out / "made.rc").exists():
    skip("no mountns: a file system of one megabyte cannot be mounted")
else:
    got = {p.stem: (p.read_text(), (out / f"{p.stem}.err").read_text(), int((out / f"{p.stem}.rc").read_text())) for p in out.glob("*.out")}
    for words in ["made", "run0", "run1", "run2"]:
        o, err, rc = got[words]
        ok(rc == 0 and o == '"1: hello\\n"\n' and err.count("note:") == 1 and "not recorded" in err and ("full" in err or "No space left" in err),
           f"a full disk{', where a journal cannot be made' if words == 'made' else ''}: the run works, and says it", got[words])
    e = json.loads(got["json"][0])
    ok(e["status"] == "succeeded" and len(e["notes"]) == 1 and got["json"][1] == "", "in the envelope", got["json"])
    ok("hello" in got["call"][0] and got["call"][1].count("note:") == 1 and got["call"][2] == 0, "and with a direct call", got["call"])
    ok(got["list"][2] == 0 and len(json.loads(got["list"][0])) >= 1, "what is there can be listed", got["list"])
    ok("full" in json.loads(got["doctor"][0])["journal"]["why"], "doctor names the full disk", got["doctor"])
    ok(got["before"][1] == got["after"][1] == "" and len(json.loads(got["later"][0])) == len(json.loads(got["list"][0])) + 1, "with space again runs are recorded", got["later"])
    ok(sql(out, "PRAGMA integrity_check") == [("ok",)], "and the journal is whole")

# ---- pruned while others run ----
state = used("pruned")
for _ in range(3):
    js(state, READ)
with Desk(SPACE, env={"CRISOL_STATE_HOME": str(state)}) as desk, Desk(SPACE, env={"CRISOL_STATE_HOME": str(state)}) as direct:
    stopped = stopped_worker(desk) + stopped_worker(direct)
    desk.say("run_start", tag=1, source=READ)
    live = desk.hear("run_started")["run"]
    tag = direct.start("read_file", path="a.txt")
    until(lambda: sql(state, "SELECT count(*) FROM call WHERE status = 'started'") == [(2,)])
    jobs = [subprocess.Popen([crisol, "runs", "prune", "--days", "0"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env(state)) for _ in range(4)]
    ends = [(*job.communicate(timeout=60), job.returncode) for job in jobs]
    ok(all(rc == 0 for _, _, rc in ends), "four prune at once", ends)
    ok(sql(state, "SELECT id, status FROM run") == [(live, "running")] and sql(state, "SELECT status FROM call") == [("started",)] * 2 and sql(state, "SELECT count(*) FROM decision") == [(2,)],
       "all is gone but what is going on, with its decisions", (sql(state, "SELECT id, status FROM run"), sql(state, "SELECT status FROM call"), sql(state, "SELECT count(*) FROM decision")))
    r = command(state, "runs", "rm", live)
    ok(r.rc == 2 and "has not ended" in r.err, "runs rm leaves it, too", r)
    for pid in stopped:
        os.kill(pid, signal.SIGCONT)
    e = json.loads(desk.hear("run_done")["envelope"])
    ok(e["status"] == "succeeded" and e["notes"] == [] and direct.finish(tag).code == "", "both go on to their ends", e)
    ok(until(lambda: sql(state, "SELECT status FROM run") == [("succeeded",)]) and until(lambda: sql(state, "SELECT status FROM call") == [("ok",)] * 2), "and have them in the journal")

# ---- times ----
state = TOP / "times"
for source in ["return 1", READ]:
    e = json.loads(js(state, source, "--json").out)
    shown = json.loads(command(state, "runs", "show", "--json", e["run"]).out)
    listed = json.loads(command(state, "runs", "list", "--json").out)[0]
    ok(0 < e["usage"]["wall_ms"] == shown["ms"] == listed["ms"] == shown["usage"]["wall_ms"], f"{source}: the time in the journal is the run's own", (e["usage"], shown["ms"], listed))
    ok([round(c["ns"] // 1000 / 1000, 3) for c in shown["calls"]] == [c["ms"] for c in e["calls"]] and all(c["ns"] > 0 for c in shown["calls"]), "and its calls'", (shown["calls"], e["calls"]))
    ok(shown["started"] <= shown["ended"] and f", {e['usage']['wall_ms']:.15g} ms" in command(state, "runs", "show", e["run"]).out, "as people see it", shown)

# ---- doctor ----
d = json.loads(command(state, "doctor", "--json").out)
ok(d["journal"]["path"] == f"{state}/journal.sqlite" and d["journal"]["sizes"]["runs"] == 2 and d["journal"]["sizes"]["bytes"] > 4096 and d["journal"]["why"] == "", "doctor counts the journal", d["journal"])
r = command(state, "doctor")
ok(f"Journal: {state}/journal.sqlite" in r.out and "2 runs" in r.out, "in words", r)
plain = tree(TOP, {"norg": ""}) / "norg"
mounts = " && ".join(f"mount --bind {plain} {p}" for p in {os.path.realpath(p) for p in ["/usr/local/bin/rg", "/usr/bin/rg", "/bin/rg"] if os.path.exists(p)}) or "true"
if run([*hide, "sh", "-c", mounts]).rc:
    skip("no mountns: ripgrep cannot be hidden")
else:
    for args in [["doctor"], ["doctor", "--json"]]:
        r = run([*hide, "sh", "-c", f'{mounts} && exec "$@"', "sh", crisol, *args], env=env(state), cwd=SPACE)
        ok(all(w in r.out for w in ["ripgrep (rg) is not installed", "apt install ripgrep", "brew install ripgrep", "winget install", "scoop install", "search_text"]), f"{' '.join(args)} without ripgrep", r)

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sessions: the state that runs share, whoever runs at once, and the scratchpad with its scripts. Rows J2,
J7, K1, K2."""
import atexit
import json
import os
import pathlib
import shutil
import stat
import subprocess
import tempfile
import time

from desk import Desk, audited, tree
from tap import crisol, ok, run

TOP = pathlib.Path(tempfile.mkdtemp(prefix="crisol-session-"))
TOP.chmod(0o755)
atexit.register(shutil.rmtree, TOP, True)
SPACE = tree(TOP / "space", {"a.txt": "hello\n"})
ENV = {"HOME": str(TOP / "home"), "CRISOL_STATE_HOME": str(TOP / "home/state"), "CRISOL_CONFIG_HOME": str(TOP / "home/config"), "TMPDIR": str(TOP / "tmp")}
tree(TOP / "home", {"config/config.json": "{}"})
tree(TOP / "tmp", {"x": ""})
UID = os.geteuid()


def js(source, *args, session="one", cwd=SPACE, env=None, **kwargs):
    named = [] if session is None else [f"--session={session}"]
    return run([crisol, "js", *named, *args, "-e", source], env={**ENV, **(env or {})}, cwd=cwd, **kwargs)


def state(session="one", cwd=SPACE):
    """The state of a session, by a run of its own."""
    r = js("return state", session=session, cwd=cwd)
    return json.loads(r.out) if r.rc == 0 else r


def configured(**values):
    """The person's own file: a key with a double underline is one with a dot."""
    config = {}
    for key, value in values.items():
        at = config
        *path, last = key.split("__")
        for name in path:
            at = at.setdefault(name, {})
        at[last] = value
    tree(TOP / "home", {"config/config.json": json.dumps(config)})


def until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    return condition()


# ---- what is kept ----

ok([js("return state.n = (state.n ?? 0) + 1").out for _ in range(3)] == ["1\n", "2\n", "3\n"], "runs of a session with a name share its state")
ok([js("return state.n = (state.n ?? 0) + 1", session=None).out for _ in range(2)] == ["1\n", "1\n"], "without a name each run has its own")
other = tree(TOP / "other", {"x": ""})
ok((state(cwd=other), state("two"), state()) == ({}, {}, {"n": 3}), "another workspace and another name are another session")
os.symlink(SPACE, TOP / "alias")
ok(state(cwd=TOP / "alias") == {"n": 3}, "a workspace by another name is the same one")
KEPT = [  # a script; what of {"k": 1} is there afterwards
    ("state.a = [1, 'x', null, true, {b: {}}]", {"k": 1, "a": [1, "x", None, True, {"b": {}}]}), ("state = {b: 2}", {"b": 2}), ("globalThis.state = {b: 2}", {"b": 2}), ("delete state.k", {}),
    ("state.d = new Date(0)", {"k": 1, "d": "1970-01-01T00:00:00.000Z"}), ("state['__proto__x'] = 1; state[''] = 2; state['\\u00e9'] = '\\u{1f600}'", {"k": 1, "__proto__x": 1, "": 2, "\u00e9": "\U0001f600"}),
    ("state.big = 2 ** 53; state.f = 0.1; state.e = 1e300", {"k": 1, "big": 2 ** 53, "f": 0.1, "e": 1e300}), ("Object.freeze(state); return 1", {"k": 1}),
    ("await tools.read_file({path: 'a.txt'}); state.after = 1", {"k": 1, "after": 1}), ("state.k = 2; return new Promise(r => setTimeout(() => { state.late = 1; r() }, 5))", {"k": 2, "late": 1}),
    ("setTimeout(() => state.never = 1, 100000); state.k = 3", {"k": 3}),
    ("state.toJSON = () => ({k: 9}); return 1", {"k": 9}), ("let o = state; for (let i = 0; i < 2; i++) o = o.a = {}; return 1", {"k": 1, "a": {"a": {}}})]
for source, want in KEPT:
    js("state = {k: 1}")
    r = js(source)
    ok(r.rc == 0 and state() == want, f"{source} is kept", (r, state()))
LOST = [  # how a run fails after it changed the state
    ("state.k = 2; throw new Error('x')", [], 1, "SCRIPT_ERROR"), ("state.k = 2; await tools.read_file({path: 'none'})", [], 1, "NOT_FOUND"), ("state.k = 2; for (;;);", ["--timeout-ms", "200"], 3, "TIMEOUT"),
    ("state.k = 2; const a = []; for (;;) a.push(new Array(1000).fill(1))", [], 3, "MEMORY_LIMIT"), ("state.k = 2; const f = () => f() + 1; f()", [], 3, "STACK_LIMIT"),
    ("state.k = 2; for (;;) await tools.read_file({path: 'a.txt'})", ["--max-tool-calls", "2"], 3, "CALL_LIMIT"), ("state.k = 2; tools.list_files(); return 1", [], 1, "UNAWAITED_CALL"),
    ("state.k = 1n; return 1", [], 1, "SCRIPT_ERROR"), ("state.k = state; return 1", [], 1, "SCRIPT_ERROR"), ("state.f = () => 1; return 1", [], 1, "SCRIPT_ERROR"),
    ("state = undefined; return 1", [], 1, "SCRIPT_ERROR"), ("state = 5; return 1", [], 1, "SCRIPT_ERROR"), ("state = [1]; return 1", [], 1, "SCRIPT_ERROR"),
    ("state = null; return 1", [], 1, "SCRIPT_ERROR"), ("state.k = 2; return (", [], 1, "SYNTAX_ERROR"),
    ("state.toJSON = () => 5; return 1", [], 1, "SCRIPT_ERROR"), ("let o = state; for (let i = 0; i < 5000; i++) o = o.a = {}; return 1", [], 1, "SCRIPT_ERROR"),
    ("Object.defineProperty(state, 'k', {get() { throw new Error('x') }, enumerable: true}); return 1", [], 1, "SCRIPT_ERROR")]
js("state = {k: 1}")
for source, args, rc, code in LOST:
    r = js(source, *args)
    ok(r.rc == rc and f"{code}: " in r.err and r.out == "" and state() == {"k": 1}, f"{source[:70]}: {code}, and the state stays", (r, state()))
job = subprocess.Popen([crisol, "js", "--session=one", "-e", "state.k = 2; console.log('on'); for (;;);"], env={"PATH": "/usr/bin:/bin", **ENV}, cwd=SPACE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
job.stderr.readline(), job.terminate()
ok(job.wait(30) == 130 and state() == {"k": 1}, "a run that is cancelled leaves it, too", state())
with Desk(SPACE, session="one", env=ENV) as desk:
    desk.say("run_start", tag=1, source="state.k = 2; console.log('on'); await new Promise(r => setTimeout(r, 100000))")
    desk.hear("run_text")
    desk.process.kill()
ok(state() == {"k": 1}, "and one whose broker is killed", state())

# ---- how much ----

# As JSON in UTF-8: {"s":"..."} is 8 bytes and the text.
for limit, wide in [(None, "x"), (1000, "x"), (1000, "\u00e9"), (1001, "\u20ac"), (8 << 20, "x"), (8, "x"), (2, ""), (0, "")]:
    configured(**({} if limit is None else {"forge__state__maxTotalBytes": limit}))
    most = 524288 if limit is None else limit
    fits = (most - 8) // max(1, len(wide.encode())) if most >= 8 else 0
    name = f"limit {limit} {wide}"
    put = f"state = {{s: {json.dumps(wide)}.repeat(args.n)}}; return 1" if most >= 8 else "state = args.n ? {n: 1} : {}; return 1"
    big = ["--memory-bytes", str(128 << 20), "--timeout-ms", "60000"]
    r = js(put, *big, "--args", json.dumps({"n": fits}), session=name)
    ok(r.rc == 0 and js("return (state.s ?? '').length", *big, session=name).out == f"{fits}\n", f"{name}: {fits} characters of {wide!r} are kept", r)
    r = js(put, *big, "--args", json.dumps({"n": fits + 1}), "--json", session=name)
    e = json.loads(r.out or "{}").get("error") or {}
    ok(r.rc == 3 and e.get("code") == "STATE_LIMIT" and e["hint"] and str(most) in e["message"], f"{name}: one more is STATE_LIMIT", (r.rc, e, r.err))
    ok(js("return (state.s ?? '').length", *big, session=name).out == f"{fits}\n", f"{name}: and what was there is there")
# More than any limit, where the host itself cannot send it.
configured()
js("state = {k: 1}", session="huge")
for n in [(8 << 20) - 7, 9 << 20, 12 << 20]:
    r = js("state.s = 'x'.repeat(args.n); return 1", *big, "--args", json.dumps({"n": n}), session="huge")
    ok(r.rc == 3 and "STATE_LIMIT" in r.err and state("huge") == {"k": 1}, f"{n} characters are STATE_LIMIT, too, and the state stays", (r, state("huge")))
configured(forge__state__maxTotalBytes=1000)
js("state = {s: 'x'.repeat(900)}", session="lower")
configured(forge__state__maxTotalBytes=100)
ok(len(state("lower")["s"]) == 900 and js("return state.s.length", session="lower").rc == 0, "a limit that was lowered loses nothing that is there")
ok(js("state.t = 1", session="lower").rc == 3 and js("state = {}", session="lower").rc == 0 and state("lower") == {}, "and counts for what is written next")
for value in [8388609, -1, "1000", 1.5]:
    configured(forge__state__maxTotalBytes=value)
    r = js("return 1")
    ok(r.rc == 2 and "forge.state.maxTotalBytes" in r.err and "8388608" in r.err, f"forge.state.maxTotalBytes {value!r} is refused", r)
configured(forge__state__enabled=False)
r = js("return typeof state")
ok(r.out == '"undefined"\n', "forge.state.enabled false: there is none", r)
configured()
ok(state() == {"k": 1}, "and it is there again afterwards", state())

# ---- several at once ----

WAITS = "const look = async () => (await tools.list_files()).files.includes(args.go); while (!await look()) await new Promise(r => setTimeout(r, 15));"


def waiting(source, **values):
    return f"state.seen = 1; {WAITS} {source}", {"args": json.dumps({"go": "go"}), "max_tool_calls": 500, **values}


with Desk(SPACE, session="both") as desk:
    for first, second, code, want in [("state.a = 1; return 1", "state.b = 1; return 1", "SCRIPT_ERROR", {"b": 1}), ("state = {}; return 1", "state.b = 1; return 1", None, {"b": 1}),
                                      ("state.a = 1; return 1", "return 1", None, {"a": 1, "seen": 1}), ("state.a = 1; return 1", "state.b = 1; throw 1", None, {"a": 1, "seen": 1})]:
        desk.script("state = {}")
        source, values = waiting(first)
        desk.say("run_start", tag=7, source=source, watched=1, **values)
        desk.hear("run_event")
        got, _ = desk.script(second)
        tree(SPACE, {"go": ""})
        done = json.loads(desk.hear("run_done")["envelope"])
        (SPACE / "go").unlink()
        e = done["error"] or {"code": None, "message": "another run"}
        ok(e["code"] == code and "another run" in e["message"] and desk.script("return state")[0]["value"] == want, f"{first} while {second}: {code or 'both are kept'}", (done, desk.script("return state")[0]["value"]))
    # As many as there may be, all begun before one ends.
    desk.script("state = {}")
    for n in range(8):
        source, values = waiting(f"state['w{n}'] = 1; return 1", max_concurrency=1)
        desk.say("run_start", tag=10 + n, source=source, watched=1, **values)
    seen = set()
    while len(seen) < 8:
        seen.add(desk.hear("run_event")["tag"])
    tree(SPACE, {"go": ""})
    ends = [json.loads(desk.hear("run_done")["envelope"]) for _ in range(8)]
    (SPACE / "go").unlink()
    left = desk.script("return Object.keys(state).filter(k => k !== 'seen').length")[0]["value"]
    ok(sum(e["status"] == "succeeded" for e in ends) == 1 == left, "of eight runs that began together one leaves its state, and the others say so", ([e["status"] for e in ends], left))
jobs = [subprocess.Popen([crisol, "js", "--session=race", "--raw", "-e", "await new Promise(r => setTimeout(r, Math.random() * 60)); return state.n = (state.n ?? 0) + 1"], env={"PATH": "/usr/bin:/bin", **ENV},
                         cwd=SPACE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) for _ in range(16)]
ends = [(j.communicate(timeout=60), j.returncode) for j in jobs]
good = sorted(int(out) for (out, _), rc in ends if rc == 0)
ok(good and good == list(range(1, len(good) + 1)) and state("race") == {"n": len(good)} and all("another run changed" in err for (_, err), rc in ends if rc != 0),
   f"16 processes count at once: {len(good)} of them did, and none of those was lost", (ends, state("race")))
rows = json.loads(run([crisol, "runs", "list", "--json"], env=ENV, cwd=SPACE).out)
ok(len({row["session"] for row in rows[1:17]}) == 1 and all(row["status"] in ("succeeded", "failed") for row in rows[1:17]), "all of them are runs of one session", rows[1:17])

# ---- names ----

NAMES = ["..", ".", "/", "../../../../tmp/x", "a/b", "a b", " ", "a\nb", "\t", "-e", "--help", "*", "'\"`$(x)", "\\", "\u00e9\u4e2d\U0001f600", "x" * 64, "\u00e9" * 32, "%s%n", "\x01\x1b[31m", "null", "A", "a", "\u202e", "e\u0301", "\u00e9"]
before = sorted(p for p in TOP.rglob("*") if not str(p).startswith((str(TOP / "tmp"), str(TOP / "home"))))
for n, name in enumerate(NAMES):
    r = js(f"return state.n = {n}", session=name)
    ok(r.rc == 0 and r.out == f"{n}\n" and r.err == "", f"a session named {name[:20]!r}", r)
ok([state(name) for name in NAMES] == [{"n": n} for n in range(len(NAMES))], "each of them is one of its own", [state(name) for name in NAMES])
ok(sorted(p for p in TOP.rglob("*") if not str(p).startswith((str(TOP / "tmp"), str(TOP / "home")))) == before and not list((TOP / "tmp").rglob("x"))[1:], "and makes no file by that name")
for name in ["", "x" * 65, "x" * 200, "x" * 5000, "\u00e9" * 33, b"\xff", b"a\xc3"]:
    value = name if isinstance(name, str) else os.fsdecode(name)
    r = js("return 1", session=value)
    ok(r.rc == 2 and "--session takes a name of 1 to 64 bytes" in r.err and r.out == "" and "hint:" in r.err, f"a session named {value[:20]!r} ({len(name)}) is refused", r)
r = run([crisol, "js", "--session=a", "--session=b", "-e", "1"], env=ENV, cwd=SPACE)
ok(r.rc == 2 and "twice" in r.err, "two names are refused", r)
r = run([crisol, "call", "--session=one", "read_file", '{"path":"a.txt"}'], env=ENV, cwd=SPACE)
log = json.loads(run([crisol, "gate", "log", "--json"], env=ENV, cwd=SPACE).out)
ok(r.rc == 0 and log[0]["session"] in {row["session"] for row in json.loads(run([crisol, "runs", "list", "--json"], env=ENV, cwd=SPACE).out)}, "a direct call can be of a session, too", log[:1])

# ---- the scratchpad: where it is ----


def pads(folder):
    return sorted(pathlib.Path(folder).rglob("scratchpad"))


def pad(session, env=None, cwd=SPACE):
    """The scratchpad of a session, as the broker names it when a script of it is not there."""
    r = run([crisol, "js", f"--session={session}", "--code-path", "not-there"], env={**ENV, **(env or {})}, cwd=cwd)
    return pathlib.Path(r.err.split("scratchpad ", 1)[1].splitlines()[0]) if "not in the scratchpad " in r.err else r


mine = pad("one")
ok(mine.parent.parent.parent == TOP / f"tmp/crisol-{UID}" and mine.name == "scratchpad" and mine.parent.parent.name.startswith("space-"), "<tmp>/crisol-<uid>/<workspace>/<session>/scratchpad", mine)
ok(all(stat.S_IMODE(os.stat(p).st_mode) == 0o700 and os.stat(p).st_uid == UID for p in [mine, *mine.parents[:3]]), "for this person alone")
ok(mine == pad("one") and mine != pad("two") and mine != pad("one", cwd=other), "one for each session")
count = len(pads(TOP / "tmp"))
js("return 1", session=None)
ok(len(pads(TOP / "tmp")) == count, "none for a session without a name")
configured(forge__scratch__root=str(tree(TOP / "root", {"x": ""})))
for env, want in [({}, "root"), ({"CRISOL_TMPDIR": str(tree(TOP / "own", {"x": ""}))}, "own"), ({"CRISOL_TMPDIR": "relative"}, "root"), ({"CRISOL_TMPDIR": ""}, "root")]:
    got = pad("one", env)
    ok(got.is_relative_to(TOP / want / f"crisol-{UID}"), f"forge.scratch.root, CRISOL_TMPDIR {list(env.values())}: below {want}", got)
configured()
# One that is not this person's alone is not used.
for title, spoil in [("another's mode", lambda base: (base / f"crisol-{UID}").mkdir(mode=0o755) or (base / f"crisol-{UID}").chmod(0o755)), ("a link", lambda base: (base / f"crisol-{UID}").symlink_to(TOP / "own")),
                     ("a file", lambda base: (base / f"crisol-{UID}").write_text("")), ("no folder at all", lambda base: shutil.rmtree(base))]:
    base = tree(TOP / "bad", {"x": ""})
    spoil(base)
    env = {"CRISOL_TMPDIR": str(base)}
    got = pad("one", env)
    ok(got.is_relative_to(TOP / "home/state/scratch") and stat.S_IMODE(os.stat(got).st_mode) == 0o700, f"{title}: below the state home", got)
    tree(got, {"s.js": "return 'ran'"})
    r = run([crisol, "js", "--session=one", "--code-path", "s.js"], env={**ENV, **env}, cwd=SPACE)
    ok(r.out == '"ran"\n', f"{title}: and scripts run from it", r)
    with Desk(SPACE, session="one", env={**ENV, **env}) as desk:
        notices = desk.ask("STATUS")["notices"]
        ok(any(str(got) in n for n in notices), f"{title}: which is said", notices)
        ok(desk.call("read_file", path=str(got / "s.js")).code == "" and desk.call("list_files", path=str(got)).result["files"] == [str(got / "s.js")], f"{title}: tools reach the scratchpad in the state home")
        ok([desk.call("read_file", path=str(p)).code for p in [TOP / "home/state/journal.sqlite", got.parent, got / "../../../../journal.sqlite", pads(TOP / "home/state")[-1].parent / "x"]] == ["DENIED"] * 4,
           f"{title}: and nothing else of the state home")
    shutil.rmtree(base, True)
configured(forge__scratch__enabled=False)
r = run([crisol, "js", "--session=one", "--code-path", "s.js"], env=ENV, cwd=SPACE)
ok(r.rc == 2 and "no scratchpad" in r.err and len(pads(TOP / "tmp")) == count, "forge.scratch.enabled false: there is none", r)
configured()

# ---- who reaches it ----

tree(mine, {"note.txt": "in the pad\n"})
tree(pad("two"), {"note.txt": "another's\n"})
for read_only in [0, 1]:
    with Desk(SPACE, session="one", env=ENV, read_only=read_only) as desk:
        ok(desk.call("read_file", path=str(mine / "note.txt")).result["content"] == "1: in the pad\n", f"tools read the session's own, read-only {read_only}")
        got = [desk.call("read_file", path=str(p)).code for p in [pad("two") / "note.txt", mine.parent, mine.parent.parent, mine / "../../../x", TOP / "tmp/x"]]
        ok(got == ["OUTSIDE_ROOTS"] * 5, f"and no other session's, nor what is around it, read-only {read_only}", got)
with Desk(SPACE, env=ENV) as desk:
    ok(desk.call("read_file", path=str(mine / "note.txt")).code == "OUTSIDE_ROOTS", "a session without a name does not")

# ---- scripts of it ----

tree(mine, {"a.js": "return args.x", "sub/b.js": "return 'b'", "state.js": "return state.n = (state.n ?? 0) + 1", "bad.js": "return (", "empty.js": "", "bytes.js": b"return '\xff'",
            "nul.js": b"return 'a\0b'.length", "bom.js": b"\xef\xbb\xbfreturn 1", "full.js": "return 1 //" + "x" * ((4 << 20) - 11), "over.js": "return 1 //" + "x" * ((4 << 20) - 10), "sp ace \u00e9.js": "return 's'"})
tree(TOP, {"outside.js": "return 'OUTSIDE'"})
os.symlink(TOP / "outside.js", mine / "link.js")
os.symlink("a.js", mine / "inner.js")
os.symlink(TOP, mine / "way")
os.symlink("sub", mine / "inside")
os.mkfifo(mine / "pipe")
os.link(mine / "a.js", mine / "hard.js")
if UID:
    (mine / "secret.js").write_text("return 1")
    (mine / "secret.js").chmod(0)
PATHS = [  # path; what comes out, or the code
    ("a.js", 7), ("./a.js", 7), ("sub/b.js", "b"), ("sub/../a.js", 7), (".//sub//b.js", "b"), ("hard.js", 7), ("sp ace \u00e9.js", "s"), ("bom.js", 1), ("full.js", 1), ("empty.js", "SYNTAX_ERROR"),
    ("none.js", "INVALID_INPUT"), ("sub", "INVALID_INPUT"), (".", "INVALID_INPUT"), ("..", "INVALID_INPUT"), ("a.js/", "INVALID_INPUT"), ("a.js/x", "INVALID_INPUT"), ("../scratchpad/a.js", "INVALID_INPUT"),
    ("../../x", "INVALID_INPUT"), ("sub/../../scratchpad/a.js", "INVALID_INPUT"), (str(mine / "a.js"), "INVALID_INPUT"), (str(TOP / "outside.js"), "INVALID_INPUT"), ("/dev/null", "INVALID_INPUT"),
    ("link.js", "INVALID_INPUT"), ("inner.js", "INVALID_INPUT"), ("way/outside.js", "INVALID_INPUT"), ("inside/b.js", "INVALID_INPUT"), ("pipe", "INVALID_INPUT"), ("bytes.js", "INVALID_INPUT"),
    ("over.js", "TOO_LARGE"), ("bad.js", "SYNTAX_ERROR"), ("x" * 256, "INVALID_INPUT"), ("x/" * 2047 + "x", "INVALID_INPUT"), ("x" * 5000, "INVALID_INPUT"), ("", "INVALID_INPUT"), (" ", "INVALID_INPUT")]
for path, want in PATHS:
    r = run([crisol, "js", "--session=one", "--code-path", path, "--args", '{"x": 7}', "--json"], env=ENV, cwd=SPACE)
    code = isinstance(want, str) and want.isupper() and want
    title = path.replace(str(mine), "<pad>").replace(str(TOP), "")
    title = f"--code-path {title[:30]!r}"
    if code:
        ok(r.rc == {"INVALID_INPUT": 2}.get(code, 1) and code in r.out + r.err and "OUTSIDE" not in r.out and (code == "SYNTAX_ERROR" or "code" in r.err and "ath" in r.err), f"{title}: {code}", r)
    else:
        e = json.loads(r.out or "{}")
        ok(r.rc == 0 and e["value"] == want, f"{title}: runs", (r.rc, r.out[:300], r.err[:300]))
ok([run([crisol, "js", "--session=pads", "--code-path", "s.js"], env=ENV, cwd=SPACE).out for _ in range(2) if tree(pad("pads"), {"s.js": "return state.n = (state.n ?? 0) + 1"})] == ["1\n", "2\n"], "such a script has the session's state")
r = run([crisol, "js", "--session=one", "--code-path", "bad.js"], env=ENV, cwd=SPACE)
ok(r.rc == 1 and "SYNTAX_ERROR" in r.err and "\n  bad.js:" in r.err, "its errors have its name", r)
for args in [["-e", "1"], ["x.js"], ["-"]]:
    r = run([crisol, "js", "--session=one", "--code-path", "a.js", *args], env=ENV, cwd=SPACE)
    ok(r.rc == 2 and "code-path" in r.err, f"--code-path and {args[0]} are refused", r)
r = run([crisol, "js", "--code-path", "a.js"], env=ENV, cwd=SPACE)
ok(r.rc == 2 and "session with a name" in r.err, "--code-path without --session says what is missing", r)
with Desk(SPACE, session="one", env=ENV) as desk:
    got = desk.script("return 1", code_path="a.js")[0]
    ok(got["status"] == "refused" and got["error"]["code"] == "INVALID_INPUT" and "not both" in got["error"]["message"], "a client that sends both is refused", got)
    got = desk.script("", code_path="a\0.js")[0]
    ok(got["status"] == "refused" and got["error"]["code"] == "INVALID_INPUT", "a NUL in it is refused", got)
    got = desk.script("", code_path="pipe")[0]
    ok(got["status"] == "refused" and "regular" in got["error"]["message"], "a pipe does not hold up the broker", got)
    shown = desk.ask("SHOW", desk.script("", code_path="a.js", args='{"x":1}')[0]["run"])
    ok(shown["source"] == "return args.x" and shown["status"] == "succeeded", "the journal has the script as it was", shown)

# ---- what is old goes ----

DAY = 86400


def age(path, days):
    for p in [*path.rglob("*"), path]:
        os.utime(p, (time.time() - days * DAY,) * 2, follow_symlinks=False)


def sweep(days, olds, marked=3):
    """Which of the sessions of these ages are left after a run with so many days of retention."""
    base = TOP / "sweep"
    shutil.rmtree(base, True)
    base.mkdir()
    env = {"CRISOL_TMPDIR": str(base)}
    configured(forge__scratch__retentionDays=days)
    found = {old: pad(f"old{old}", env).parent for old in olds}
    for old, folder in found.items():
        tree(folder, {"scratchpad/deep/er/f": "x"})
        (folder / "scratchpad/out").symlink_to(TOP / "own")
        age(folder, old)
    root = base / f"crisol-{UID}"
    os.utime(root / ".swept", (time.time() - marked * DAY,) * 2) if (root / ".swept").exists() else None
    pad("now", env)
    return [old for old, folder in found.items() if folder.exists()], (TOP / "own/x").exists()


ok(sweep(7, [0, 6.9, 7.1, 400]) == ([0, 6.9], True), "scratchpads that nobody used for seven days go, and what their links lead to stays", sweep(7, [0, 6.9, 7.1, 400]))
ok(sweep(1, [0, 0.9, 1.1]) == ([0, 0.9], True), "after forge.scratch.retentionDays")
ok(sweep(0, [0, 400]) == ([0, 400], True), "with 0 none goes")
ok(sweep(7, [400], marked=0.5) == ([400], True), "at most once a day")
configured()
audited(TOP / "home/state")

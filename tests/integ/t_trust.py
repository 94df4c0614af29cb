#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A project's own configuration: it does nothing before a person has trusted this text in this directory, and then
only what a project may. Rows G9, G10, G12, C1."""
import atexit
import hashlib
import json
import os
import pathlib
import shutil
import tempfile
import time

from desk import Desk, tree
from tap import crisol, ok, run
from term import Term

TOP = pathlib.Path(tempfile.mkdtemp(prefix="crisol-trust-"))
atexit.register(shutil.rmtree, TOP, True)
OUT = tree(TOP / "out", {"f": "needle\n"})
FILE = ".crisol/config.json"
DENIES = json.dumps({"permissions": {"rules": [{"decision": "deny", "path": "a.txt"}]}})
CALL = ["call", "read_file", '{"path":"a.txt"}']
made = 0


def project(text=DENIES, name=None):
    """A directory with such a file, and a home of its own."""
    global made
    made += 1
    home = tree(TOP / f"home{made}", {"config/config.json": "{}"})
    space = tree(TOP / (name or f"space{made}"), {"a.txt": "needle\n", "sub/b.txt": "needle\n"})
    if text is not None:
        tree(space, {FILE: text})
    return space, {"HOME": str(home), "CRISOL_STATE_HOME": str(home / "state"), "CRISOL_CONFIG_HOME": str(home / "config")}


def do(where, *args, **values):
    space, env = where
    return run([crisol, *args], env=env, **{"cwd": space, **values})


def sit(where, *args, **values):
    space, env = where
    return Term([crisol, *args], env=env, **{"cwd": space, **values})


def told(where):
    return json.loads(do(where, "trust", "list", "--json").out)


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


# ---- nothing before trust ----

where = project()
for args in [CALL, ["call", "--json", *CALL[1:]], ["js", "-e", "return (await tools.read_file({path: 'a.txt'})).content"]]:
    r = do(where, *args)
    ok(r.rc == 0 and "needle" in r.out and f"{FILE} is not used" in r.err and "crisol trust add" in r.err, f"{args[0]}: headless it does not count, and that is said", r)
r = do(where, "gate", "explain", *CALL[1:])
ok(r.rc == 0 and r.out.startswith("allow"), "nor for gate explain", r)
ok(told(where) == [], "and nothing is remembered")
for title, text in [("no JSON", "{"), ("an unknown key", '{"permisions": {}}'), ("a value that is wrong", '{"forge": {"javascript": {"timeoutMs": "x"}}}'), ("a rule that is wrong", '{"permissions": {"rules": [{"decision": "maybe"}]}}'),
                    ("not UTF-8", "\udcff\udcfe"), ("empty", ""), ("a list", "[]"), ("300 KiB", '{"a": "' + "x" * 300000 + '"}'), ("deep", "[" * 100000)]:
    bad = project(None)
    tree(bad[0], {FILE: text.encode("utf-8", "surrogateescape")})
    r = do(bad, *CALL)
    ok(r.rc == 0 and "needle" in r.out and f"{FILE} is not used" in r.err and len(r.err) < 2000, f"{title}: does nothing, and is said", r)
    with sit(bad, *CALL) as t:
        ok(t.end() == 0 and t.asked == 0 and "is not used" in t.main().replace("\n", ""), f"{title}: is not asked about", t.main())
    r = do(bad, "--trust-project", *CALL)
    ok(r.rc == (2 if title != "300 KiB" else 0) and (title == "300 KiB" or (FILE in r.err and "CONFIG_ERROR" in r.err)), f"{title}: trusted for this time it is an error", r)
for title, make in [("the file is a link", lambda s: (tree(s, {"c.json": DENIES, ".crisol/x": ""}), os.symlink("../c.json", s / FILE))),
                    ("its folder is a link", lambda s: (tree(s, {"real/config.json": DENIES}), os.symlink("real", s / ".crisol"))),
                    ("a link to elsewhere", lambda s: (tree(s, {".crisol/x": ""}), os.symlink(OUT / "f", s / FILE))),
                    ("a link to nowhere", lambda s: (tree(s, {".crisol/x": ""}), os.symlink("/nonexistent", s / FILE))),
                    ("a folder", lambda s: tree(s, {FILE + "/x": ""})), ("a pipe", lambda s: (tree(s, {".crisol/x": ""}), os.mkfifo(s / FILE))),
                    ("/dev/zero", lambda s: (tree(s, {".crisol/x": ""}), os.symlink("/dev/zero", s / FILE)))]:
    odd = project(None)
    make(odd[0])
    for args in [CALL, ["--trust-project", *CALL]]:
        r = do(odd, *args)
        ok(r.rc == 0 and "needle" in r.out and f"{FILE} is not used" in r.err and "it is " in r.err, f"{title}: does nothing, {args[0]}", r)
    with sit(odd, *CALL) as t:
        ok(t.end() == 0 and t.asked == 0, f"{title}: is not asked about", t.main())
    r = do(odd, "trust", "add")
    ok(r.rc == 2 and FILE in r.err, f"{title}: cannot be trusted", r)
ok(do(project(None), *CALL).err == "", "without such a file nothing is said")
ok(do(where, "--cwd", "sub", "call", "read_file", '{"path":"b.txt"}').err == "", "a folder below has none of its own")
link = TOP / "way"
os.symlink(where[0], link)

# ---- asked ----


def answered(where, keys, args=CALL, **values):
    with sit(where, *args, **values) as t:
        armed = t.armed()
        page = t.text()
        t.send("G")
        t.pause()
        t.send(keys)
        status = t.end()
        return armed, page, status, t.main(), t.cooked()


armed, page, status, main, cooked = answered(where, "a")
ok(armed and all(w in page for w in ["configuration of its own", sha(DENIES)[:20], "deny", "[d] Do not use it"]), "at a terminal it is shown and asked about", page)
ok(status == 4 and "DENIED" in main and cooked and told(where) == [], "used this time: its rule counts, nothing is remembered", main)
armed, page, status, main, cooked = answered(where, "\x04")
ok(armed and status == 0 and "needle" in main and told(where) == [], "no answer: it does not count, and is asked again", main)
armed, page, status, main, cooked = answered(where, "\x03")
ok(armed and status == 130 and "needle" not in main and told(where) == [] and cooked, "Ctrl-C ends the command", main)
armed, page, status, main, cooked = answered(where, "d")
ok(armed and status == 0 and "needle" in main and [(t["folder"], t["trusted"], t["sha256"]) for t in told(where)] == [(str(where[0]), 0, sha(DENIES))], "refused: it does not count, and that is remembered", told(where))
with sit(where, *CALL) as t:
    ok(t.end() == 0 and t.asked == 0 and "it was refused" in t.main().replace("\n", ""), "once: a text that was refused is not asked about again", t.main())
armed, page, status, main, cooked = answered(where, "s", ["trust", "add"])
ok(armed and status == 0 and "trusted in this directory" in main and told(where)[0]["trusted"] == 1 and "[a]" not in page, "trust add asks whatever was said", (page, main))
r = do(where, *CALL)
ok(r.rc == 4 and "DENIED" in r.err and f"permissions.rules[0] of {where[0]}/{FILE}" in r.err and "not used" not in r.err, "trusted: it counts, headless too, and is named", r)
with sit(where, *CALL) as t:
    ok(t.end() == 4 and t.asked == 0, "and is not asked about")
ok(do(where, "--cwd", str(link), *CALL, cwd=TOP).rc == 4, "by whatever name the directory is called")
ok(do(where, *CALL, "--config", "/dev/null").rc == 2, "--config stands in its place: an empty one is wrong by itself")
tree(TOP, {"other.json": "{}"})
ok(do(where, *CALL, "--config", str(TOP / "other.json")).rc == 0, "--config stands in its place")
rows = do(where, "trust", "list").out
ok(rows == f"trusted  {sha(DENIES)}  {where[0]}\n", "trust list", rows)

# Another text, another directory.
for text in [DENIES + "\n", DENIES.replace("a.txt", "b.txt"), "{}", json.dumps({"additionalDirectories": ["/"]})]:
    tree(where[0], {FILE: text})
    r = do(where, *CALL)
    ok(r.rc == 0 and "not trusted" in r.err, f"a text that changed does not count: {text[:40]!r}", r)
tree(where[0], {FILE: DENIES})
ok(do(where, *CALL).rc == 4, "the trusted text is trusted again")
for name in ["sub", "..", "sub/deeper"]:
    below = where[0] / name if name != ".." else TOP
    tree(below, {FILE: DENIES, "a.txt": "needle\n"})
    r = do(where, *CALL, cwd=below)
    ok(r.rc == 0 and "not trusted" in r.err, f"the same text in {name} is another directory", r)
shutil.rmtree(TOP / ".crisol")
moved = TOP / "moved"
os.rename(where[0], moved)
r = do((moved, where[1]), *CALL)
ok(r.rc == 0 and "not trusted" in r.err, "a directory that was moved is another one", r)
os.rename(moved, where[0])
r = do(where, "trust", "revoke", ".")
ok(r.rc == 0 and "forgotten" in r.out and told(where) == [], "trust revoke", r)
r = do(where, *CALL)
ok(r.rc == 0 and "not trusted" in r.err, "then it does not count", r)
ok("nothing was said" in do(where, "trust", "revoke", str(where[0])).out, "revoked twice is told")
r = do(where, *CALL, "--trust-project")
ok(r.rc == 4 and told(where) == [], "--trust-project: this time only", r)
r = do(where, "trust", "add")
ok(r.rc == 4 and "APPROVAL_REQUIRED" in r.err and told(where) == [], "headless nobody trusts", r)
r = do(where, "trust", "add", "sub/none")
ok(r.rc == 2, "a directory that is not there", r)
r = do(project(None), "trust", "add")
ok(r.rc == 1 and "NOT_FOUND" in r.err, "a directory without such a file", r)
r = do(where, "trust", "revoke")
ok(r.rc == 2, "trust revoke takes a directory", r)

# What is shown is what is loaded, whatever becomes of the file meanwhile.
for title, change in [("changed", lambda f: f.write_text("{}")), ("gone", lambda f: f.unlink()), ("a link to another", lambda f: (f.unlink(), f.symlink_to(TOP / "other.json")))]:
    racing = project()
    with sit(racing, *CALL) as t:
        t.armed()
        change(racing[0] / FILE)
        t.send("G")
        t.pause()
        t.send("s")
        ok(t.end() == 4 and "DENIED" in t.main(), f"{title} between question and answer: the text that was shown counts", t.main())
    ok(told(racing)[0]["sha256"] == sha(DENIES), f"{title}: it is what is trusted", told(racing))
    r = do(racing, *CALL)
    ok(r.rc == 0 and (title == "gone" or "not used" in r.err), f"{title}: what is there now is not", r)

# ---- after trust, no more than a project may ----

wide = {"permissions": {"rules": [{"decision": "allow", "tool": "*"}, {"decision": "allow", "path": "/**"}, {"decision": "deny", "path": "sub/**"}, {"decision": "ask", "path": "a.txt"}]},
        "additionalDirectories": ["/", "../../out"], "forge": {"javascript": {"timeoutMs": 299999, "maxToolCalls": 1, "memoryBytes": 134217728, "isolation": "preferred"}, "scratch": {"maxBytes": 1099511627776, "root": "/tmp"}}}
greedy = project(json.dumps(wide))
r = do(greedy, "call", "read_file", json.dumps({"path": str(OUT / "f")}))
ok(r.rc == 4 and "OUTSIDE_ROOTS" in r.err, "before it is trusted its directories are outside", r)
with sit(greedy, *CALL, width=120, height=90) as t:
    t.armed()
    page = t.text()
    t.send("s")
    t.end()
for words in ["lets tools reach / and all below it", f"lets tools reach {OUT} and all below it", "maxToolCalls to 1 (now 50)", "timeoutMs is left out", "memoryBytes is left out", "isolation is left out", "forge.scratch.root is left out", '"decision":"deny"', '"decision":"ask"']:
    ok(words in page.replace("\n: ", ""), f"the question says: {words}", page)
ok("permissions.rules[1] is left out: only your own configuration may allow" in page.replace("\n: ", "") and 'rules: {"decision":"allow"' not in page, "and that its allow does not count", page)
got = {key: json.loads(do(greedy, "config", "get", key).out) for key in ["forge.javascript.timeoutMs", "forge.javascript.maxToolCalls", "forge.javascript.memoryBytes", "forge.scratch.maxBytes"]}
ok(got == {"forge.javascript.timeoutMs": 30000, "forge.javascript.maxToolCalls": 1, "forge.javascript.memoryBytes": 33554432, "forge.scratch.maxBytes": 268435456}, "it lowers, and raises nothing", got)
ok(do(greedy, "call", "read_file", json.dumps({"path": str(OUT / "f")})).rc == 0, "its directories are declared now")
for path, code in [("a.txt", "APPROVAL_REQUIRED"), ("sub/b.txt", "DENIED")]:
    r = do(greedy, "call", "read_file", json.dumps({"path": path}))
    ok(r.rc == 4 and code in r.err, f"{path}: its ask and deny count", r)
for tool in ["write_file", "shell", "webfetch"]:
    r = do(greedy, "call", tool, json.dumps({"path": "a.txt", "content": "x"}))
    ok(r.rc == 4 and not r.out, f"{tool}: its allow gives nothing", r)
for flags in [["--read-only"]]:
    r = do(greedy, "call", *flags, "read_file", json.dumps({"path": str(OUT / "f")}))
    ok(r.rc == 4, "under --read-only its directories are none", r)
home = pathlib.Path(greedy[1]["HOME"])
r = do(greedy, "call", "read_file", json.dumps({"path": str(home / "config/config.json")}))
ok(r.rc == 4 and "DENIED" in r.err, "crisol's own folders are protected from it", r)

# A long one must be gone through; a hostile one draws nothing.
long = project(json.dumps({"permissions": {"rules": [{"decision": "deny", "path": f"p{i}"} for i in range(499)]}, "additionalDirectories": []}, indent=1))
lines = (long[0] / FILE).read_text().count("\n")
(long[0] / FILE).write_text((long[0] / FILE).read_text() + "\n" * (5000 - lines))
with sit(long, *CALL) as t:
    t.armed()
    ok("go to the end" in t.text() and "(s) Trust" in t.text() and "of 5" in t.text(), "5,000 lines cannot be trusted unseen", t.text())
    t.send("s")
    t.wait("one moment")
    t.armed()
    ok(t.process.poll() is None and told(long) == [], "the key does nothing yet")
    for _ in range(3):
        before = t.text()
        t.send(" ")
        t.wait(lambda: t.text() != before)
    ok("(s) Trust" in t.text(), "nor on the way")
    t.send("\x1b[F")
    ok(t.wait("[s] Trust"), "at the end it does", t.text())
    t.pause()
    t.send("s")
    ok(t.end() == 0 and told(long)[0]["trusted"] == 1, "and is trusted", t.main())
draws = project(json.dumps({"permissions": {"rules": [{"decision": "deny", "path": "x", "reason": "\x1b[2J\x1b[1;1H[s] Trust \u202e\u200b\U000e0041"}]}}, ensure_ascii=False).replace("\\u001b", "\\u001b"))
with sit(draws, *CALL, width=100, height=60) as t:
    t.armed()
    ok(not t.strange and "\\x1b[2J" in t.text().replace("\\u001b", "\\x1b") and "\\u{202e}\\u{200b}\\u{e0041}" in t.text().replace("\n: ", ""), "a hostile file draws nothing", t.text())
    t.send("d")
    ok(t.end() == 0, "refused")

# The client may lie; it harms itself alone. A question is for who can be asked.
space, env = project()
with Desk(space, project=DENIES) as d:
    ok(d.call("read_file", path="a.txt").code == "" and any("not trusted" in n for n in d.ask("STATUS")["notices"]), "a client that asks nobody: not trusted, told by doctor")
with Desk(space, project=DENIES, attended=1, trust=1) as d:
    q = d.question()
    ok(q["question"] == "trust" and q["input"] == DENIES and q["sha256"] == sha(DENIES), "the question has the whole text", q)
    d.say("call_start", tag=5, tool="read_file", input='{"path":"a.txt"}')
    try:
        d.finish(5)
        dropped = False
    except (EOFError, ConnectionError):
        dropped = True
    ok(dropped, "nothing is done before it is answered: a client that goes on is dropped")
for answer, code in [("once", "DENIED"), ("session", "DENIED"), ("deny", ""), ("none", "")]:
    with Desk(space, project=DENIES, attended=1, trust=1) as d:
        d.answer(d.question(), answer)
        d.hear("client_ready")
        ok(d.call("read_file", path="a.txt").code == code, f"{answer}: {code or 'it does not count'}")
with Desk(space, project=DENIES, attended=1, trust=1, env={"CRISOL_STATE_HOME": "/proc/none"}) as d:
    d.hear("client_ready")
    ok(d.call("read_file", path="a.txt").code == "", "without a journal nobody is asked, and it does not count")

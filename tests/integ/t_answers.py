#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What follows from an answer, in a broker that lives on: grants for the session, who may use them, how they are
listed and revoked from another process, and what is written down. Rows G4, G6, G8, G9."""
import atexit
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import tempfile

from desk import ANALYSIS, ANSWERS, EXTERNAL, PROCESS, WRITE, Desk, tree
from tap import crisol, ok, run

TOP = pathlib.Path(tempfile.mkdtemp(prefix="crisol-answers-"))
atexit.register(shutil.rmtree, TOP, True)
SPACE = tree(TOP / "space", {"a.txt": "needle\n"})
OUT = tree(TOP / "out", {"f": "needle\n", "sub/g": "needle\n", "sub/deep/h": "needle\n"})
F, G = str(OUT / "f"), str(OUT / "sub/g")
RULE = {"permissions": {"rules": [{"decision": "ask", "tool": "read_file", "path": "a.txt"}]}}
state = 0


def desk(**values):
    global state
    state += 1
    return Desk(SPACE, **{"attended": 1, "state": TOP / f"state{state}", **values})


def command(d, *args):
    env = {"HOME": str(d.home), "CRISOL_STATE_HOME": d.state, "CRISOL_CONFIG_HOME": str(d.home / "config")}
    return run([crisol, *args], env=env, cwd=SPACE)


def asked(d, answer, tool="read_file", **values):
    """A call that asks once, and what came of it."""
    tag = d.start(tool, **values)
    q = d.question()
    d.answer(q, answer)
    return q, d.finish(tag)


# ---- folders ----

with desk() as d:
    q, got = asked(d, "once", path=F)
    ok((q["question"], q["folder"], q["path"], q["effect"], q["by"]) == ("folder", str(OUT), F, "read", "outside") and q["input"] == json.dumps({"path": F}), "the question says all", q)
    ok([a["label"] for a in q["answers"]] == ["Allow once", "Always allow this directory in this session", "Deny"], "the labels of a directory", q)
    ok(got.code == "" and "needle" in got.result["content"], "allowed once", got)
    q, got = asked(d, "deny", path=F)
    ok(got.code == "DENIED" and "denied it" in got.message and got.hint, "once is once: it is asked again, and denied", got)
    q, got = asked(d, "none", path=F)
    ok(got.code == "APPROVAL_REQUIRED" and "nobody answered" in got.message, "no answer is none", got)
    # Once is for the call, not for the folder: another one beside it is asked.
    one, two = d.start("read_file", path=F), d.start("read_file", path=G)
    q = d.question()
    ok(q["path"] == F, "the first of two is asked about first", q)
    d.answer(q, "once")
    q = d.question()
    ok(q["path"] == G and q["folder"] == str(OUT / "sub"), "the second by itself", q)
    d.answer(q, "deny")
    ok((d.finish(one).code, d.finish(two).code) == ("", "DENIED"), "each has its answer")
    before = len(d.workers())
    ok(d.call("read_file", path="a.txt").code == "", "the workspace needs no question")

with desk() as d:
    tags = [d.start("read_file", path=p) for p in [F, G, str(OUT / "sub/deep/h"), "/etc/hostname"]]
    q = d.question()
    d.answer(q, "session")
    ok([d.finish(t).code for t in tags[:3]] == ["", "", ""], "a folder for the session, with all below it: calls that waited behind the question need none")
    q = d.question()
    ok(q["path"].endswith("hostname"), "but one elsewhere does", q)
    d.answer(q, "deny")
    d.finish(tags[3])
    ok(d.call("list_files", path=str(OUT)).code == "" and d.call("search_text", pattern="needle", path=str(OUT / "sub")).code == "", "other tools of it, too")
    tag = d.start("read_file", path=str(OUT) + "2/f")
    q = d.question()
    ok(q["path"] == str(OUT) + "2/f", "a name that only begins so is asked about", q)
    d.answer(q, "deny")
    d.finish(tag)
    envelope, _ = d.script("try { await tools.read_file(args); return 'read' } catch (e) { return e.code + ' ' + e.message }", args=json.dumps({"path": F}))
    ok(envelope["value"].startswith("APPROVAL_REQUIRED") and "cannot ask" in envelope["value"], "a script has nothing of it, and asks nobody", envelope)
    log = d.ask("LOG")
    ok(any(r["by"].endswith(f"folder grant {OUT}") and r["decision"] == "allow" for r in log), "the log says which directory was granted", log[:3])
    ok({r["policy"] for r in log} == {"terminal, ask"} and all(r["words"] for r in log), "with the policy in force, and a sentence each", log[:3])

    # ---- listed and revoked elsewhere ----
    r = command(d, "permissions", "list")
    ok(r.rc == 0 and f"folder {OUT}" in r.out and f"until process {d.process.pid} ends" in r.out and "policy: headless, ask" in r.out, "listed by another process", r)
    rows = json.loads(command(d, "permissions", "list", "--json").out)["permissions"]
    ok([(p["what"], p["folder"], p["owner"], p["workspace"]) for p in rows] == [("folder", str(OUT), d.process.pid, str(SPACE))], "and as JSON", rows)
    ok(command(d, "permissions", "revoke", "write").out == "0 permissions taken back\n" and d.call("read_file", path=F).code == "", "revoking something else leaves it")
    r = command(d, "permissions", "revoke", str(rows[0]["id"]))
    ok(r.rc == 0 and r.out == "1 permission taken back\n", "revoked", r)
    q, got = asked(d, "deny", path=F)
    ok(got.code == "DENIED", "the very next call asks", got)
    q, got = asked(d, "session", path=F)
    ok(d.call("read_file", path=G).code == "", "granted again")
    for what in [str(OUT), os.path.relpath(OUT, SPACE), "folder", "all"]:
        r = command(d, "permissions", "revoke", what)
        ok(r.out == "1 permission taken back\n", f"revoked by {what}", r)
        tag = d.start("read_file", path=F)
        d.answer(d.question(), "session")
        ok(d.finish(tag).code == "", "it asked")
    log = command(d, "gate", "log").out
    ok("answered session" in log and "answered deny" in log and "is outside the workspace" in log, "gate log shows answers and sentences", log)

# With its process it ends.
with desk() as d:
    asked(d, "session", path=F)
    kept = d.state
with Desk(SPACE, attended=1, state=kept) as d:
    ok(d.ask("PERMISSIONS")["permissions"] == [], "a permission ends with its process")
    q, got = asked(d, "session", path=F)
    d.process.send_signal(signal.SIGKILL)
    d.process.wait()
with Desk(SPACE, attended=1, state=kept) as d:
    ok(d.ask("PERMISSIONS")["permissions"] == [], "also with one that was killed")
    q, got = asked(d, "none", path=F)
    ok(got.code == "APPROVAL_REQUIRED", "and is asked about again")

# Two brokers of one named session: each its own.
with desk(session="build") as d, Desk(SPACE, attended=1, session="build", state=d.state) as other:
    asked(d, "session", path=F)
    q, got = asked(other, "deny", path=F)
    ok(got.code == "DENIED", "what one process of a session was allowed, the other was not", got)
    for args, n in [(["--session", "other"], 0), (["--session", "build"], 1)]:
        rows = json.loads(command(d, "permissions", "list", "--json", *args).out)["permissions"]
        ok(len(rows) == n, f"list {args}: {n}", rows)
    ok(command(d, "permissions", "revoke", "all", "--session", "other").out == "0 permissions taken back\n", "another session's name revokes nothing")
    ok(run([crisol, "permissions", "revoke", "all", "--session", "build"], env={"HOME": str(d.home), "CRISOL_STATE_HOME": d.state}, cwd=TOP).out == "0 permissions taken back\n", "nor the same name in another workspace")
    ok(command(d, "permissions", "revoke", "all", "--session", "build").out == "1 permission taken back\n", "its own does")

# What is kept with a root session, planted as no tool here asks for it yet.
with desk(session="kept") as d:
    d.call("read_file", path="a.txt")
    db = sqlite3.connect(pathlib.Path(d.state) / "journal.sqlite")
    db.execute("INSERT INTO permission(session, owner, what, at) SELECT id, NULL, 'analysis.run', 1 FROM session WHERE name = 'kept'")
    db.commit()
    db.close()
    ok("analysis.run  session kept" in command(d, "permissions", "list").out and "kept with the session" in command(d, "permissions", "list").out, "a kept one is listed as kept")
    kept = d.state
with Desk(SPACE, attended=1, session="kept", state=kept) as d:
    ok([p["what"] for p in d.ask("PERMISSIONS")["permissions"]] == ["analysis.run"], "and outlives the process")
    ok(command(d, "permissions", "revoke", "analysis.run").out == "1 permission taken back\n", "until it is revoked")

# ---- rules and refusals ----

with desk(own=RULE) as d:
    q, got = asked(d, "once", path="a.txt")
    ok(q["question"] == "call" and [a["label"] for a in q["answers"]] == ["Allow once", "Deny"] and got.code == "", "a rule asks each time", (q, got))
    ok(d.start("read_file", path="a.txt") and d.question()["question"] == "call", "and again")
for title, number, answer in [("a number that was not asked", 99, 1), ("no number", 0, 1), ("an answer that there is not", 1, 4), ("one that is not offered", 1, 2), ("a huge one", 1, 2**63)]:
    with desk(own=RULE) as d:
        d.start("read_file", path="a.txt")
        d.question()
        d.say("client_reply", number=number, answer=answer)
        try:
            while True:
                d.message()
        except (EOFError, ConnectionError):
            dropped = True
        ok(dropped and d.process.wait(30) is not None, f"{title}: the client is dropped")
        db = sqlite3.connect(f"file:{d.state}/journal.sqlite?mode=ro", uri=True)
        rows = db.execute("SELECT decision, answer FROM decision ORDER BY id").fetchall()
        db.close()
        ok(rows == [("ask", None), ("deny", "none")], f"{title}: nothing was allowed", rows)
with desk() as d:
    tag = d.start("read_file", path=F)
    q = d.question()
    d.say("run_cancel", tag=tag)
    ok(d.finish(tag).code == "CANCELLED", "a call that is cancelled while it is asked about")
    d.answer(q, "session")
    ok(d.ask("PERMISSIONS")["permissions"] == [], "a late answer allows nothing")
    tag, other = d.start("read_file", path=F), d.start("read_file", path=G)
    q = d.question()
    d.say("run_cancel", tag=other)
    ok(d.finish(other).code == "CANCELLED", "one that waits for its question is cancelled, too")
    d.answer(q, "once")
    ok(d.finish(tag).code == "", "the other is not")
    # What was asked about is what is read.
    link = OUT / "sub/way"
    tag = d.start("read_file", path=G)
    q = d.question()
    os.rename(OUT / "sub", OUT / "was")
    os.symlink("/etc", OUT / "sub")
    tree("/etc" if False else TOP / "else", {"g": "OTHER\n"})
    d.answer(q, "once")
    got = d.finish(tag)
    os.unlink(OUT / "sub")
    os.rename(OUT / "was", OUT / "sub")
    ok(got.code != "" and got.result is None, "a folder that became a link between question and answer is not followed", got)

# Many questions, answered in turn, all in order, none lost.
with desk() as d:
    tags = {d.start("read_file", path=str(OUT / f"n{i}")): i for i in range(40)}
    order = []
    for i in range(40):
        q = d.question()
        order.append(q["path"])
        d.answer(q, ANSWERS[i % 4] if i % 4 != 2 else "once")
    ok(order == [str(OUT / f"n{i}") for i in range(40)], "forty questions come in order", order[:5])
    codes = {tags[t]: d.finish(t).code for t in sorted(tags)}
    want = {0: "APPROVAL_REQUIRED", 1: "NOT_FOUND", 2: "NOT_FOUND", 3: "DENIED"}
    ok(all(codes[i] == want[i % 4] for i in range(40)), "each has what was said", codes)
    rows = d.ask("LOG")
    ok(len(rows) == 80 and {r["answer"] for r in rows if r["decision"] != "ask"} == {"none", "once", "deny"}, "each question and answer is in the log", len(rows))

# Folders of one session have a limit; beyond it an answer counts once.
with desk() as d:
    for i in range(18):
        tree(OUT / f"many{i}", {"f": "needle\n"})
        q, got = asked(d, "session", path=str(OUT / f"many{i}/f"))
        ok(got.code == "", f"directory {i + 1} for the session", got) if i in (0, 15, 16, 17) else None
    ok(len(d.ask("PERMISSIONS")["permissions"]) == 16 and d.call("read_file", path=str(OUT / "many15/f")).code == "", "sixteen are kept")
    q, got = asked(d, "deny", path=str(OUT / "many17/f"))
    ok(got.code == "DENIED", "those beyond are asked about again")

# Without a journal, in memory.
with desk(env={"CRISOL_STATE_HOME": "/proc/none"}) as d:
    q, got = asked(d, "session", path=F)
    ok(got.code == "" and d.call("read_file", path=G).code == "", "without a journal a permission is kept in memory", got)
# --read-only lets nobody ask for a place; headless neither.
for title, values in [("--read-only", {"read_only": 1}), ("headless", {"attended": 0})]:
    with desk(**values) as d:
        ok(d.call("read_file", path=F).code == "OUTSIDE_ROOTS", f"{title}: nobody is asked")
# Protected folders are refused without a question.
with desk() as d:
    got = d.call("read_file", path=str(d.home / "config/config.json"))
    ok(got.code == "DENIED", "crisol's own folders are not asked about", got)
    tag = d.start("list_files", path=str(d.home))
    q = d.question()
    d.answer(q, "session")
    got = d.finish(tag)
    ok(got.code == "" and not any("config" in f or "state" in f for f in got.result["files"]), "a folder above them is, and does not show them", got)
    ok(d.call("read_file", path=str(d.home / "config/config.json")).code == "DENIED", "nor lets them be read")

# What is shown of the policy: the mode that flags come to, and where somebody can be asked.
for flags, words in [(0, "terminal, ask"), (WRITE, "terminal, auto, --allow-write"), (PROCESS, "terminal, custom, --allow-process, fence workspace"),
                     (WRITE | PROCESS | EXTERNAL, "terminal, full, --allow-write, --allow-process, --allow-external, fence workspace"), (ANALYSIS, "terminal, ask, --allow-analysis")]:
    with desk(flags=flags) as d:
        ok(d.ask("PERMISSIONS")["policy"] == words, f"the policy in words: {words}", d.ask("PERMISSIONS"))
for attended, state_, code in [(1, "ask", "ask"), (0, "disabled", "deny")]:
    with desk(attended=attended, own={"permissions": {"rules": [{"decision": "ask", "tool": "read_file"}]}}) as d:
        states = {t["name"]: t["state"] for t in d.ask("TOOLS")}
        got = d.ask("EXPLAIN", "read_file", '{"path":"a.txt"}')
        ok(states["read_file"] == state_ and states["list_files"] == "enabled" and got["decision"] == code, f"attended {attended}: the list of tools and gate explain say {code}", (states, got))

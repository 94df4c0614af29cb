#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""crisol gate test: recorded calls judged by another policy. Row G12."""
import atexit
import json
import pathlib
import shutil
import tempfile

from desk import Desk, tree
from tap import crisol, ok, run

TOP = pathlib.Path(tempfile.mkdtemp(prefix="crisol-replay-"))
atexit.register(shutil.rmtree, TOP, True)
SPACE = tree(TOP / "space", {"a.txt": "needle\n", "sub/b.txt": "needle\n"})
OUT = tree(TOP / "out", {"f": "needle\n"})
HOME = tree(TOP / "home", {"config/config.json": "{}"})
ENV = {"HOME": str(HOME), "CRISOL_STATE_HOME": str(HOME / "state"), "CRISOL_CONFIG_HOME": str(HOME / "config")}


def test(*args, **values):
    return run([crisol, "gate", "test", *map(str, args)], env=ENV, cwd=SPACE, **values)


def config(name, *rules, **more):
    tree(TOP, {name: json.dumps({"permissions": {"rules": list(rules)}, **more})})
    return ["--config", TOP / name]


with Desk(SPACE, attended=1, env=ENV) as d:
    for path in ["a.txt", "sub/b.txt", "a.txt"]:
        d.call("read_file", path=path)
    for answer in ["once", "session", "deny", "none"]:
        tag = d.start("read_file", path=str(OUT / "f"))
        d.answer(d.question(), answer)
        d.finish(tag)
        d.ask("REVOKE", input="all")
    tag = d.start("write_file", path="a.txt", content="x")
    d.answer(d.question(), "deny")
    d.finish(tag)
    d.call("nothing_like_it")
    d.script("try { await tools.read_file({path: 'a.txt'}) } catch {} try { await tools.read_file(args) } catch {}", args=json.dumps({"path": str(OUT / "f")}))
log = run([crisol, "gate", "log", "--json"], env=ENV, cwd=SPACE).out
(TOP / "log.json").write_text(log)
calls = 3 + 4 + 2 + 2
r = test(TOP / "log.json")
ok(r.rc == 0 and r.out == f"{calls} calls judged anew: {calls} the same, 0 changed\n", "the same policy changes nothing, whatever a person said", r)
for title, args, stdin in [("the journal itself", [], None), ("standard input", ["-"], log)]:
    r = test(*args, stdin=stdin)
    ok(r.rc == 0 and r.out.startswith(f"{calls} calls"), title, r)
deny = config("deny.json", {"decision": "deny", "path": "a.txt", "reason": "an example"})
r = test(TOP / "log.json", *deny)
ok(r.rc == 1 and f"{calls - 4} the same, 4 changed" in r.out and r.out.count("allow -> deny") == 3 and r.out.count("ask -> deny") == 1 and "an example" in r.out and "was: read_file changes nothing" in r.out, "a rule that denies: each change with both reasons", r)
got = json.loads(test(TOP / "log.json", *deny, "--json").out)
ok((got["same"], got["changed"], got["unknown"]) == (calls - 4, 4, 0) and {(c["tool"], c["was"], c["is"]) for c in got["changes"]} == {("read_file", "allow", "deny"), ("write_file", "ask", "deny")} and
   all(c["was_words"] and "permissions.rules[0]" in c["is_by"] for c in got["changes"]) and sum(bool(c["run"]) for c in got["changes"]) == 1, "as JSON", got)
r = test(TOP / "log.json", *config("ask.json", {"decision": "ask", "path": "sub/**"}))
ok(r.rc == 1 and r.out.count("allow -> ask") == 1, "a rule that asks, where somebody was there", r)
r = test(TOP / "log.json", "--add-dir", OUT)
ok(r.rc == 1 and r.out.count("ask -> allow") == 4 and r.out.count("deny -> allow") == 1, "a directory that is declared", r)
r = test(TOP / "log.json", "--read-only")
ok(r.rc == 1 and "ask -> deny" in r.out and "--read-only" in r.out, "--read-only", r)
rows = json.loads(log)
rows[-1]["input"] = rows[-1]["input"][:9]
(TOP / "cut.json").write_text(json.dumps(rows))
r = test(TOP / "cut.json")
ok(r.rc == 0 and "1 cannot be judged" in r.out, "an input that was cut is told", r)
for title, text in [("no JSON", "{"), ("an object", "{}"), ("empty", "")]:
    (TOP / "bad.json").write_text(text)
    r = test(TOP / "bad.json")
    ok(r.rc == 2 and "INVALID_INPUT" in r.err, f"{title} is refused", r)
ok(test(TOP / "none.json").rc == 2, "a file that is not there")
(TOP / "odd.json").write_text(json.dumps([1, None, {}, {"tool": 5}, {"tool": "read_file", "decision": "\x1b[2J", "input": "{}"}] + rows * 300))
r = test(TOP / "odd.json")
ok(r.rc in (0, 1) and "\x1b" not in r.out, "rows that are none are passed over", r.out[-300:])
before = run([crisol, "runs", "list"], env=ENV, cwd=SPACE).out, run([crisol, "gate", "log", "--json"], env=ENV, cwd=SPACE).out
test(TOP / "log.json", *deny)
ok((run([crisol, "runs", "list"], env=ENV, cwd=SPACE).out, run([crisol, "gate", "log", "--json"], env=ENV, cwd=SPACE).out) == before, "nothing is called, and nothing written down")

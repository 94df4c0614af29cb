#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The commands beside js: their text, their JSON, their exits, what they refuse; completion in the shells
themselves; and that the audit of the journal can fail. Rows J5, G6; design.md section 8."""
import atexit
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time

from desk import NOBODY, Desk, audit, audited, tree
from tap import crisol, ok, run, skip
from wire import ROOT

TOP = pathlib.Path(tempfile.mkdtemp(prefix="crisol-commands-"))
TOP.chmod(0o755)
atexit.register(shutil.rmtree, TOP, True)
SPACE = tree(TOP / "space", {"a.txt": "hello\n", "b.txt": "b\n"})
STATE = TOP / "home/state"
JOURNAL = STATE / "journal.sqlite"
ENV = {"HOME": str(TOP / "home"), "CRISOL_STATE_HOME": str(STATE), "CRISOL_CONFIG_HOME": str(TOP / "home/config"), "TMPDIR": str(TOP)}
tree(TOP / "home", {"config/config.json": "{}"})
DEAD = "00000000000000000000000000"


def cmd(*args, env=None, cwd=SPACE, **kwargs):
    return run([crisol, *args], env={**ENV, **(env or {})}, cwd=cwd, **kwargs)


def js(source, *args, **kwargs):
    """A run: its id and its envelope."""
    e = json.loads(cmd("js", "--json", *args, "-e", source, **kwargs).out)
    return e["run"], e


def answer(*args, **kwargs):
    return json.loads(cmd(*args, "--json", **kwargs).out)


def until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    return condition()


def live(source, *args):
    """A run that is going on, and its id."""
    known = {row["run"] for row in answer("runs", "list")}
    job = subprocess.Popen([crisol, "js", *args, "-e", source], env={"PATH": "/usr/bin:/bin", **ENV}, cwd=SPACE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    new = until(lambda: [row["run"] for row in answer("runs", "list", "--live") if row["run"] not in known])
    return job, new[0]


# ---- what each takes ----

BAD = [  # arguments; exit, code, words
    (["call"], 2, "INVALID_INPUT", ["name of a tool", "crisol tools"]), (["call", ""], 4, "TOOL_UNAVAILABLE", ["no tool"]), (["call", "nothing"], 4, "TOOL_UNAVAILABLE", ["'nothing'", "crisol tools"]),
    (["call", "raed_file", "{}"], 4, "TOOL_UNAVAILABLE", ["did you mean read_file"]), (["call", "x" * 1025], 2, "INVALID_INPUT", ["no tool"]), (["call", "\udcff"], 2, "INVALID_INPUT", ["no tool"]),
    (["call", "a\n\x1b[31m"], 4, "TOOL_UNAVAILABLE", ["\\x1b[31m"]), (["call", "read_file", "{bad"], 2, "INVALID_INPUT", ["line 1, column 2", "crisol tools read_file"]),
    (["call", "read_file", ""], 2, "INVALID_INPUT", ["the input"]), (["call", "read_file", "[]"], 2, "INVALID_INPUT", ["object"]), (["call", "read_file", "{}{}"], 2, "INVALID_INPUT", ["line 1"]),
    (["call", "read_file", '{"path":"a.txt","path":"b.txt"}'], 2, "INVALID_INPUT", ["path", "twice"]), (["call", "read_file", "{}"], 2, "INVALID_INPUT", ["path", "missing"]),
    (["call", "read_file", "\udcff"], 2, "INVALID_INPUT", ["UTF-8"]), (["call", "read_file", '{"path":"none"}'], 1, "NOT_FOUND", ["none"]), (["call", "read_file", "{}", "{}"], 2, "INVALID_INPUT", ["too many"]),
    (["call", "--timeout-ms", "5", "read_file"], 2, "INVALID_INPUT", ["takes no --timeout-ms"]), (["tools", "nothing"], 1, "NOT_FOUND", ["no tool", "crisol tools"]), (["tools", "a", "b"], 2, "INVALID_INPUT", ["too many"]),
    (["gate", "explain"], 2, "INVALID_INPUT", ["name of a tool"]), (["gate", "explain", "x" * 1025], 2, "INVALID_INPUT", ["too long"]), (["gate"], 2, "INVALID_INPUT", ["one of: explain, log"]), (["gate", "lgo"], 2, "INVALID_INPUT", []),
    (["gate", "log", "zz"], 1, "NOT_FOUND", ["zz"]), (["gate", "log", "a b"], 1, "NOT_FOUND", ["a b"]), (["gate", "log", "a", "b"], 2, "INVALID_INPUT", ["too many"]),
    (["runs"], 2, "INVALID_INPUT", []), (["runs", "list", "x"], 2, "INVALID_INPUT", ["too many"]), (["config", "get"], 2, "INVALID_INPUT", ["name of a key", "config list"]),
    (["config", "get", "forge.nothing"], 1, "NOT_FOUND", ["config list"]), (["config", "get", "forge"], 1, "NOT_FOUND", []), (["config", "get", "a", "b"], 2, "INVALID_INPUT", ["too many"]), (["config"], 2, "INVALID_INPUT", []),
    (["config", "path", "x"], 2, "INVALID_INPUT", ["too many"]), (["completion"], 2, "INVALID_INPUT", ["bash, zsh or fish"]), (["completion", "tcsh"], 2, "INVALID_INPUT", ["bash, zsh or fish"]), (["completion", "bash", "fish"], 2, "INVALID_INPUT", ["too many"]),
    (["runs", "prune", "--days", "x"], 2, "INVALID_INPUT", ["--days", "0 to 36500"]), (["runs", "prune", "--days", "36501"], 2, "INVALID_INPUT", ["36500"]), (["runs", "prune", "--days", "-1"], 2, "INVALID_INPUT", ["36500"]),
    (["runs", "prune", "--days"], 2, "INVALID_INPUT", ["value"]), (["runs", "list", "--days", "1"], 2, "INVALID_INPUT", ["takes no --days"]), (["--cwd", "/none/such", "tools"], 2, "INVALID_INPUT", ["/none/such"]),
    (["tools", "--config", "/none/such"], 2, "INVALID_INPUT", ["/none/such"]), (["call", "--add-dir", "/none/such", "list_files"], 2, "INVALID_INPUT", ["--add-dir", "/none/such"]),
    (["runs", "lst"], 2, "INVALID_INPUT", ["one of: list, show, value, cancel, rm, prune"]), (["rnus", "list"], 2, "INVALID_INPUT", ["did you mean: crisol runs"])]
for which in ["show", "value", "cancel", "rm"]:
    BAD += [(["runs", which], 2, "INVALID_INPUT", ["the id of a run", "runs list"]), (["runs", which, ""], 2, "INVALID_INPUT", ["the id of a run"]), (["runs", which, "zz"], 1, "NOT_FOUND", ["starts with zz"]), (["runs", which, DEAD], 1, "NOT_FOUND", [DEAD]),
            (["runs", which, "x" * 27], 2, "INVALID_INPUT", []), (["runs", which, "0 1"], 1, "NOT_FOUND", []), (["runs", which, "\x1b"], 1, "NOT_FOUND", []), (["runs", which, "%"], 1, "NOT_FOUND", []), (["runs", which, "a", "b"], 2, "INVALID_INPUT", ["too many"])]
for args, rc, code, words in BAD:
    r = cmd(*[os.fsencode(a) for a in args])
    ok(r.rc == rc and r.out == "" and f"{code}: " in r.err and all(w in r.err for w in words) and "\x1b" not in r.err, f"{' '.join(args)[:40]!a}: exit {rc}, {code}", r)
    if args[0] in ("call",) and "--timeout-ms" not in args and len(args) < 4 and code in ("NOT_FOUND", "TOOL_UNAVAILABLE") and args[1:]:
        j = cmd("call", "--json", *[os.fsencode(a) for a in args[1:]])
        e = json.loads(j.out)
        ok(j.rc == rc and e["status"] == "failed" and e["error"]["code"] == code and e["error"]["hint"] and j.err == "", f"{' '.join(args)[:40]!a}: the same as JSON", j)

# ---- call ----

r = cmd("call", "read_file", '{"path":"a.txt"}')
ok(r.rc == 0 and json.loads(r.out)["content"] == "1: hello\n" and r.err == "" and r.out.count("\n") == 1, "call: the result is one line of JSON", r)
ok(answer("call", "read_file", '{"path":"a.txt"}') == {"status": "ok", "result": json.loads(r.out)}, "call --json has its status, too")
for text in ['{"path":"a.txt"}', ' {"path" : "a.txt"}\n']:
    s = cmd("call", "read_file", "-", stdin=text)
    ok(s.rc == 0 and s.out == r.out, "call TOOL -: the input comes from standard input", s)
for text, code in [(b"", "INVALID_INPUT"), (b"\xff", "INVALID_INPUT"), (b'{"path":"' + b"x" * (1 << 22) + b'"}', "TOO_LARGE"), (b"{", "INVALID_INPUT")]:
    s = cmd("call", "read_file", "-", stdin=text)
    ok(s.rc in (1, 2) and code in s.err and s.out == "", f"standard input of {len(text)} bytes: {code}", s)
ok(json.loads(cmd("call", "list_files").out)["files"] == ["a.txt", "b.txt"] and cmd("call", "--", "list_files", "{}").rc == 0, "without JSON the input is {}")
ok(cmd("call", "--cwd", "/", "read_file", json.dumps({"path": str(SPACE / "a.txt")})).rc == 0 and cmd("--cwd", str(SPACE), "call", "read_file", '{"path":"a.txt"}', cwd="/").rc == 0, "--cwd, before and behind the command")

# ---- tools ----

text, rows = cmd("tools"), answer("tools")
ok(text.rc == 0 and [line.split() for line in text.out.splitlines()] == [[t["name"], t["effect"], t["state"]] for t in rows] and {"read_file", "list_files", "search_text"} <= {t["name"] for t in rows}, "tools: name, effect and state, as text and JSON", text)
for tool in rows:
    r = cmd("tools", tool["name"])
    schema = tool["inputSchema"]
    ok(r.rc == 0 and tool["description"] in r.out and all(re.search(rf"^  {re.escape(p)} +{v['type']} +{re.escape(v['description'])}{' Required.' if p in schema['required'] else ''}", r.out, re.M) for p, v in schema["properties"].items()) and
       schema["additionalProperties"] is False, f"tools {tool['name']}: all it takes", r)
    ok(answer("tools", tool["name"]) == tool, f"tools {tool['name']} --json: that one")

# ---- runs ----

ok(answer("runs", "list") == [] and cmd("runs", "list").out == "" and answer("runs", "list", "--live") == [], "runs list before the first run: nothing")
first, _ = js("await tools.read_file({path: 'a.txt'}); console.log('text'); return {a: 1}", "--args", '{"x": "\\u001b[31m"}')
failed, _ = js("// \x1b[31m\nawait tools.read_file({path: '/etc/passwd'}).catch(() => 0);\nthrow new Error('bad \\x1b[31m \\n thing')")
cut, e = js("return Array.from({length: 5000}, (_, i) => 'value ' + i)", "--max-output-chars", "1000")
rows = answer("runs", "list")
ok([(row["run"], row["status"], row["code"] or "", row["calls"]) for row in rows] == [(cut, "succeeded", "", 0), (failed, "failed", "SCRIPT_ERROR", 1), (first, "succeeded", "", 1)] and
   all(row["owner"] is None and row["ms"] >= 0 and abs(row["started"] / 1000 - time.time()) < 600 for row in rows), "runs list: newest first, with what came of them", rows)
lines = cmd("runs", "list").out.splitlines()
ok([line.split()[0] for line in lines] == [cut, failed, first] and re.match(rf"{failed} \d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d failed +1 calls SCRIPT_ERROR$", lines[1]), "as text, a line each", lines)
shown = answer("runs", "show", first)
ok(shown["run"] == first and shown["status"] == "succeeded" and shown["args"] == {"x": "\x1b[31m"} and shown["source"].startswith("await tools") and shown["envelope"]["value"] == {"a": 1} and shown["envelope"]["run"] == first and
   [(c["n"], c["tool"], c["status"]) for c in shown["calls"]] == [(1, "read_file", "ok")] and [(d["n"], d["decision"], d["by"]) for d in shown["decisions"]] == [(1, "allow", "effect read")], "runs show --json: all of it", shown)
r = cmd("runs", "show", failed)
ok(r.rc == 0 and r.out.startswith(f"{failed} failed") and "\x1b" not in r.out and "\\x1b[31m" in r.out and "refused" in r.out and "OUTSIDE_ROOTS" in r.out and "deny" in r.out and "script:\n" in r.out, "runs show: for people, and nothing in it drives the terminal", r)
ok([cmd("runs", "show", first[:n]).out == cmd("runs", "show", first).out for n in (25, 26)] == [first[:25] not in (cut[:25], failed[:25]), True], "the start of an id will do")
r = cmd("runs", "show", os.path.commonprefix([first, failed]))
ok(r.rc == 2 and "several runs start with" in r.err, "a start that several have is refused", r)

# Values over the limit.
ok(e["truncated"]["handle"] == cut and e["truncated"]["total"] > 50000 and len(e["value"]) < 5000, "a value over the limit comes cut, with a handle", e["truncated"])
r = cmd("runs", "value", cut)
ok(r.rc == 0 and json.loads(r.out) == [f"value {i}" for i in range(5000)] and r.err == "", "runs value: all of it", r.out[:100])
r = cmd("runs", "value", first)
ok(r.rc == 1 and "NOT_FOUND" in r.err and "no value beyond" in r.err and r.out == "", "a value that was not cut has no handle", r)

# Those that go on.
job, alive = live("for (;;) await new Promise(r => setTimeout(r, 5))", "--timeout-ms", "100000")
row = answer("runs", "list", "--live")
ok([(v["run"], v["status"]) for v in row] == [(alive, "running")] and row[0]["owner"] > 1 and f"process {row[0]['owner']}" in cmd("runs", "list", "--live").out, "runs list --live: the one that goes on, and its process", row)
for args in (["rm"], ["rm", "--json"]):
    r = cmd("runs", *args, alive)
    ok(r.rc == 2 and "has not ended" in r.err and r.out == "" and job.poll() is None, "a run that goes on is not forgotten", r)
ok(answer("runs", "prune", "--days", "0")["runs"] == 3 and [v["run"] for v in answer("runs", "list")] == [alive], "nor pruned, when all others are")
ok(answer("runs", "show", alive)["status"] == "running" and cmd("runs", "value", alive).rc == 1, "it can be looked at meanwhile")
r = cmd("runs", "cancel", alive[:25])
out, err = job.communicate(timeout=30)
ok(r.rc == 0 and r.out == f"{alive} has stopped\n" and job.returncode == 130 and "CANCELLED" in err and answer("runs", "show", alive)["status"] == "cancelled", "runs cancel: it has stopped", (r, err))
r = cmd("runs", "cancel", alive)
ok(r.rc == 2 and "has ended: cancelled" in r.err, "a second cancel says that it has ended", r)
r = cmd("runs", "rm", alive)
ok(r.rc == 0 and r.out == f"{alive} is forgotten\n" and cmd("runs", "show", alive).rc == 1 and answer("runs", "list") == [], "runs rm: it is gone", r)
ok(cmd("runs", "rm", alive).rc == 1, "and cannot be forgotten twice")
one, _ = js("await tools.read_file({path: 'a.txt'})")
ok(answer("runs", "rm", one) == {"removed": one} and cmd("gate", "log", one).rc == 1, "runs rm --json; its decisions are gone, too")
# A broker that was killed: what it owned is lost.
job, alive = live("for (;;) await new Promise(r => setTimeout(r, 5))", "--timeout-ms", "100000")
os.kill(answer("runs", "list", "--live")[0]["owner"], signal.SIGKILL)
out, err = job.communicate(timeout=30)
ok(job.returncode == 1 and "crisol-core, the broker, ended" in err and [(v["run"], v["status"]) for v in answer("runs", "list")] == [(alive, "lost")] and answer("runs", "list", "--live") == [] and cmd("runs", "rm", alive).rc == 0, "a run whose broker was killed is lost", err)

# ---- prune ----


def aged(sql):
    db = sqlite3.connect(JOURNAL)
    db.execute(sql)
    db.commit()
    db.close()


DAY = 86400000
old = [js(f"await tools.read_file({{path: 'a.txt'}}); return {n}")[0] for n in range(4)]
for _ in range(3):
    cmd("call", "read_file", '{"path":"a.txt"}')
for n, days in enumerate([10, 29, 31, 400]):
    for table, column in [("run", "id"), ("call", "run"), ("decision", "run")]:
        aged(f"UPDATE {table} SET at = at - {days * DAY} WHERE {column} = '{old[n]}'")
aged(f"UPDATE call SET at = at - {40 * DAY} WHERE run IS NULL AND id = (SELECT min(id) FROM call WHERE run IS NULL AND tool = 'read_file' AND status = 'ok')")
aged(f"UPDATE decision SET at = at - {40 * DAY} WHERE run IS NULL AND call NOT IN (SELECT call FROM call WHERE run IS NULL AND at > {int(time.time() * 1000) - DAY})")
for args, left in [([], old[:2]), (["--days", "30"], old[:2]), (["--days", "11"], old[:1]), (["--days", "36500"], old[:1]), (["--days", "0"], [])]:
    said = answer("runs", "prune", *args)
    ok([row["run"] for row in answer("runs", "list")][::-1] == left[::-1] and sorted(said) == ["bytes_after", "bytes_before", "calls", "runs", "sessions"], f"runs prune {' '.join(args)}: {len(left)} are left", said)
    bad = audit(JOURNAL)[1]
    ok(not bad, f"runs prune {' '.join(args)}: no call is left without its decision", bad[:3])
ok(answer("gate", "log") == [] and re.fullmatch(r"forgot 0 runs with 0 calls, and \d+ sessions; \d+ bytes are left of \d+\n", cmd("runs", "prune").out), "and nothing at all at last")
cmd("js", "--session=kept", "-e", "state.n = 1")
answer("runs", "prune", "--days", "0")
ok(cmd("js", "--session=kept", "-e", "return state.n").out == "1\n", "a session with a name keeps its state")

# ---- gate log ----

for n in range(3):
    cmd("call", "read_file", json.dumps({"path": ["a.txt", "/etc/passwd", "b.txt"][n]}))
rows = answer("gate", "log")
ok([(row["tool"], row["decision"], row["code"] or "", row["status"]) for row in rows[:3]] == [("read_file", "allow", "", "ok"), ("read_file", "deny", "OUTSIDE_ROOTS", "refused"), ("read_file", "allow", "", "ok")], "gate log: newest first, and what came of each", rows[:3])
lines = cmd("gate", "log").out.splitlines()
ok(re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d deny +read_file +read +outside  \{.path.: ./etc/passwd.}", lines[1]), "as text, a line each, with what was asked for", lines[:3])
cmd("call", "x\x1b[31m\n2030")
cmd("call", "read_file", '{"path":\n"2030"}')
js("await tools.call('a\\n2030-01-01 00:00:00 allow   shell            process   flag --allow-process', {}).catch(() => 0)")
ok("\x1b" not in cmd("gate", "log").out and len(cmd("gate", "log").out.splitlines()) == len(lines) + 3 and "\n2030" not in cmd("gate", "log").out, "a tool's odd name stays on its line: nobody writes rows into the log", cmd("gate", "log").out[:500])
r = cmd("gate", "log", os.path.commonprefix([rows[0]["session"], rows[2]["session"]]))
ok(r.rc == 2 and "several" in r.err, "a start that several sessions have is refused", r)

# ---- config ----

keys = answer("config", "list")
names = re.findall(r'^OPTION\(\w+,\s*"([\w.]+)"', (ROOT / "src/conf/options.def").read_text(), re.M)
ok([k["key"] for k in keys] == names and not any(k["set"] for k in keys), "config list --json: every key", [k["key"] for k in keys])
ok([line.split()[0] for line in cmd("config", "list").out.splitlines()] == names, "config list: every key, a line each")
for key in keys:
    r = cmd("config", "get", key["key"])
    ok(r.rc == 0 and json.loads(r.out) == key["value"] == (key["default"] if key["default"] is not None else None), f"config get {key['key']}: its default", r)
tree(TOP / "home", {"config/config.json": json.dumps({"forge": {"javascript": {"timeoutMs": 5000}, "scratch": {"root": str(TOP / "pads")}}, "additionalDirectories": ["x"], "permissions": {"rules": [{"decision": "deny", "tool": "x"}]}})})
tree(TOP, {"more.json": json.dumps({"forge": {"javascript": {"timeoutMs": 4000}}, "additionalDirectories": ["y"]})})
for args, want in [([], {"forge.javascript.timeoutMs": 5000, "forge.scratch.root": str(TOP / "pads"), "additionalDirectories": ["x"], "permissions.rules": [{"decision": "deny", "tool": "x"}]}),
                   (["--config", "../more.json"], {"forge.javascript.timeoutMs": 4000, "additionalDirectories": ["x", "y"]})]:
    for key, value in want.items():
        ok(json.loads(cmd("config", "get", *args, key).out) == value and [k["set"] for k in answer("config", "list", *args) if k["key"] == key] == [True] and f"* {key} " in cmd("config", "list", *args).out, f"config {key} {' '.join(args)}: what the files say")
tree(TOP / "home", {"config/config.json": "{}"})
for env, want in [({}, TOP / "home/config/config.json"), ({"CRISOL_CONFIG_HOME": "", "XDG_CONFIG_HOME": "/x"}, "/x/crisol/config.json"), ({"CRISOL_CONFIG_HOME": ""}, TOP / "home/.config/crisol/config.json")]:
    r = cmd("config", "path", env=env)
    ok(r.out == f"{want}\n" and r.rc == 0, f"config path with {sorted(env)}", r)
r = cmd("config", "path", env={"CRISOL_CONFIG_HOME": "relative"})
ok(r.rc == 2 and "absolute" in r.err, "config path: a relative home is refused", r)

# ---- a state home that cannot be written ----

for title, state in [("one that cannot be made", "/proc/nowhere"), ("a file", str(tree(TOP / "file", {"state": ""}) / "state")), ("a journal that is none", str(tree(TOP / "none", {"journal.sqlite": "not a database at all, " * 100})))]:
    env = {"CRISOL_STATE_HOME": state}
    r = cmd("js", "-e", "return (await tools.read_file({path: 'a.txt'})).content", env=env)
    ok(r.rc == 0 and r.out == '"1: hello\\n"\n' and "not recorded" in r.err + cmd("forge", "status", env=env).out, f"{title}: runs go on, and it is said that they are not recorded", r)
    r = cmd("call", "read_file", '{"path":"a.txt"}', env=env)
    ok(r.rc == 0 and "hello" in r.out, f"{title}: what only reads is called", r)
    for args in (["runs", "list"], ["runs", "show", "0"], ["gate", "log"], ["runs", "prune"], ["runs", "rm", "0"], ["runs", "cancel", "0"]):
        r = cmd(*args, env=env)
        ok(r.rc == 1 and "there is no journal" in r.err and r.out == "", f"{title}: {' '.join(args)} says so", r)
    r = cmd("js", "--session=x", "-e", "1", env=env)
    ok(r.rc != 0 and "session" in r.err and r.out == "", f"{title}: a session with a name is refused", r)
    ok(cmd("tools", env=env).rc == 0 and cmd("gate", "explain", "read_file", '{"path":"a.txt"}', env=env).rc == 0 and cmd("config", "list", env=env).rc == 0, f"{title}: questions that need none are answered")
ok((TOP / "none/journal.sqlite").read_text().startswith("not a database"), "a file that is no journal stays as it is")
if os.geteuid() == 0:
    frozen = TOP / "frozen"
    shutil.copytree(STATE, frozen)
    frozen.chmod(0o555)
    with Desk(SPACE, env={"CRISOL_STATE_HOME": str(frozen)}, user=NOBODY) as desk:
        got = desk.call("read_file", path="a.txt")
        said = desk.ask("RUNS")
        ok(got.code == "" and "journal" in str(said), "another's state home: calls that read work, and its journal is not touched", (got, said))

# ---- completion ----

scripts = {shell: tree(TOP / "complete", {shell: cmd("completion", shell).out}) / shell for shell in ("bash", "zsh", "fish")}
table = re.findall(r'^COMMAND\(\w+, "([\w ]+)"', (ROOT / "src/cmd/command.def").read_text(), re.M)
firsts = sorted({c.split()[0] for c in table})
seconds = {f: sorted(c.split()[1] for c in table if c.split()[0] == f and " " in c) for f in firsts}


def options(words):
    return sorted(set(re.findall(r"--[\w-]+", cmd(*words.split(), "--help").out.split("Options:")[1])) & set(re.findall(r"--[\w-]+", "".join(re.findall(r"^ .*?(?:  |$)", cmd(*words.split(), "--help").out, re.M)))))


def bash(*words):
    line = f'source {scripts["bash"]}; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _crisol; printf "%s\\n" "${{COMPREPLY[@]}}"'
    return sorted(run(["bash", "--norc", "-c", line, "bash", "crisol", *words], cwd=SPACE).out.split())


def fish(line):
    r = run(["fish", "-N", "-c", f"source {scripts['fish']}; complete -C {line!r}"], cwd=SPACE, env=ENV)
    return sorted(row.split("\t")[0] for row in r.out.splitlines())


for shell in scripts:
    if not shutil.which(shell):
        skip(f"no {shell}: its completion is not tried")
        continue
    r = run([shell, "-n", str(scripts[shell])], env=ENV)
    ok(r.rc == 0 and r.err == "" and scripts[shell].stat().st_size > 1000, f"{shell} reads its script", r)
ok(bash("") == firsts, "bash: every command", bash(""))
ok(bash("ru") == ["runs"] and bash("c") == [f for f in firsts if f.startswith("c")], "bash: those that begin so")
for first in firsts:
    if seconds[first]:
        ok(bash(first, "") == seconds[first] and bash(first, seconds[first][0][:1]) == [s for s in seconds[first] if s.startswith(seconds[first][0][:1])], f"bash: the words of {first}", bash(first, ""))
for words in table:
    got = bash(*words.split(), "--")
    ok(got and got == options(words), f"bash: the options of {words}", (got, options(words)))
    bad = [o for o in got if "takes no" in cmd(*words.split(), o, "1").err]
    ok(not bad, f"bash: {words} takes each of them", bad)
ok(bash("js", "--max-t") == ["--max-tool-calls"] and bash("js", "--json", "--ev") == ["--eval", "--events"], "bash: an option that begins so, also behind another")
ok(bash("js", "a") == ["a.txt"] and bash("nothing", "a") == ["a.txt"], "bash: files elsewhere")
ok(bash("-") == ["--help", "--licenses", "--version"], "bash: options without a command", bash("-"))
r = run(["bash", "--norc", "-c", f'eval "$({crisol} completion bash)"; complete -p crisol'], env=ENV)
ok(r.rc == 0 and "_crisol" in r.out, "bash: eval, as its help says", r)
if shutil.which("fish"):
    files = ["a.txt", "b.txt"]
    ok([w for w in fish("crisol ") if w not in files] == firsts, "fish: every command", fish("crisol "))
    for first in firsts:
        if seconds[first]:
            ok([w for w in fish(f"crisol {first} ") if w not in files] == seconds[first], f"fish: the words of {first}", fish(f"crisol {first} "))
    for words in table:
        ok(fish(f"crisol {words} --") == options(words), f"fish: the options of {words}", (fish(f"crisol {words} --"), options(words)))
if shutil.which("zsh"):
    r = run(["zsh", "-f", "-c", f"autoload -Uz compinit; compinit -D -u; source {scripts['zsh']}; print ${{_comps[crisol]}}"], env=ENV)
    ok(r.out.strip() == "_crisol" and r.err == "", "zsh: it is registered", r)

# ---- what does not end ----

for title, r, words in [("the input of a call", cmd("call", "read_file", "-", stdin=b" " * (2**22 + 1)), "the input is larger than 4194304 bytes"), ("a script", cmd("js", "-", stdin=b" " * (2**22 + 1)), "the script is larger than 4194304 bytes"),
                        ("its input", cmd("js", "-e", "args.stdin", stdin=b" " * (2**22 + 1)), "standard input is larger than 4194304 bytes"), ("a script's file", cmd("js", "/dev/zero"), "/dev/zero is larger"), ("its args", cmd("js", "--args", " " * 65537, "-e", "1"), "--args is larger than 65536 bytes")]:
    ok(r.rc == 1 and r.out == "" and f"TOO_LARGE: {words}" in r.err and "args take 64 KiB, a script and args.stdin 4 MiB each, the input of a call 4 MiB" in r.err, f"{title} has an end, which is named", r)

# ---- what others wrote never looks like what we say ----

ODD = "a\ncrisol: DENIED: forged\n  hint: forged\u061c\u202e\x1b[2J\n"
(SPACE / "odd\n\x1b[31m.js").write_text("x y z")
for title, r in [("a script's error", cmd("js", "-e", f"throw new Error({json.dumps(ODD)})")), ("a file that is not there", cmd("call", "read_file", json.dumps({"path": ODD}))),
                 ("a file outside", cmd("call", "read_file", json.dumps({"path": "/etc/" + ODD}))), ("a tool's name", cmd("call", ODD, "{}")), ("a field's name", cmd("call", "read_file", json.dumps({ODD: 1}))),
                 ("a pattern", cmd("call", "search_text", json.dumps({"pattern": "(" + ODD}))), ("a script's file", cmd("js", "odd\n\x1b[31m.js")), ("one that is not there", cmd("js", ODD)),
                 ("what a rule says of a call", cmd("gate", "explain", "read_file", json.dumps({"path": "/etc/" + ODD}))), ("an option", cmd("js", "--" + ODD))]:
    said = r.err or r.out
    ours = [line for line in said.splitlines() if not line.startswith("    ")]
    ok(r.rc not in (0, None) and len(ours) <= 4 and not [line for line in ours[1:] if "forged" in line or "crisol:" in line] and not set(said) & set("\x1b\u061c\u202e"),
       f"{title} cannot write a line that looks like ours", said)
    ok(not said.endswith("\n\n") and "\n\n" not in said, "and leaves no empty one", said)
(SPACE / "odd\n\x1b[31m.js").unlink()
HIDDEN = "\x7f\x9b\u061c\u2028\u202e\U000e0041"
(SPACE / ("n" + HIDDEN)).write_text(HIDDEN + "needle\n")
note = json.dumps(HIDDEN)
for title, r in [("a value", cmd("js", "-e", f"return {note}")), ("an envelope", cmd("js", "--json", "-e", f"console.log({note}); return {{[{note}]: 1}}")), ("events", cmd("js", "--events", "-e", f"progress({{note: {note}}}); return 1")),
                 ("a listing", cmd("call", "list_files", "{}")), ("a search", cmd("call", "search_text", '{"pattern":"needle"}')), ("a file", cmd("call", "read_file", json.dumps({"path": "n" + HIDDEN}, ensure_ascii=False))),
                 ("a failed call", cmd("call", "--json", "read_file", json.dumps({"path": HIDDEN}))), ("the log", cmd("gate", "log", "--json"))]:
    whole = [json.loads(line) for line in r.out.split("\n") if line]
    ok(whole and not set(r.out) & set(HIDDEN) and "\U000e0041" in json.dumps(whole, ensure_ascii=False), f"{title} as JSON holds what turns or hides text, and does not send it", r.out[:400])
(SPACE / ("n" + HIDDEN)).unlink()
r = cmd("js", "--raw", "-e", f"return {note}")
ok(r.rc == 0 and r.out == HIDDEN + "\n", "--raw sends a string as it is, not to a terminal", r)

# ---- questions leave nothing in the journal ----

fresh = {"CRISOL_STATE_HOME": str(TOP / "asked")}
for words in (["runs", "list"], ["gate", "log"], ["config", "list"], ["tools"], ["gate", "explain", "read_file", '{"path":"a.txt"}'], ["doctor"]):
    cmd(*words, env={**ENV, **fresh})
sizes = lambda: sqlite3.connect(TOP / "asked/journal.sqlite").execute("SELECT (SELECT count(*) FROM session), (SELECT count(*) FROM decision), (SELECT count(*) FROM call)").fetchone()
got = sizes()
cmd("call", "list_files", "{}", env={**ENV, **fresh})
ok(got == (0, 0, 0) and sizes() == (1, 1, 1), "a session is made by what runs in it, not by a question", (got, sizes()))

# ---- that the audit can fail ----

js("await tools.read_file({path: 'a.txt'}); await tools.list_files(); await tools.read_file({path: '/etc/passwd'}).catch(() => 0); await tools.nothing().catch(() => 0)")
cmd("call", "read_file", '{"path":"a.txt"}')
cmd("call", "read_file", '{"path":"none"}')
cmd("call", "read_file", "{}")
audited(STATE)
before, bad = audit(JOURNAL)
ok(before >= 4 and not bad, f"as it is, {before} executed calls have their decision", bad)
EXECUTED = "(SELECT max(d.id) FROM decision AS d JOIN call AS c ON c.run = d.run AND c.n = d.n WHERE c.status = 'ok')"
DIRECT = "(SELECT max(d.id) FROM decision AS d JOIN call AS c ON c.call = d.call WHERE c.status = 'failed')"
for title, sql in [
        ("a decision of a script's call is deleted", f"DELETE FROM decision WHERE id = {EXECUTED}"), ("that of a direct call which failed", f"DELETE FROM decision WHERE id = {DIRECT}"),
        ("it says deny", f"UPDATE decision SET decision = 'deny' WHERE id = {EXECUTED}"), ("it came later", f"UPDATE decision SET at = at + 1000 WHERE id = {EXECUTED}"),
        ("it is about another input", f"UPDATE decision SET input_sha256 = 'x' WHERE id = {EXECUTED}"), ("it is about another tool", f"UPDATE decision SET tool = 'shell' WHERE id = {DIRECT}"),
        ("there are two", f"INSERT INTO decision SELECT NULL, run, session, n, call, tool, effect, decision, code, reason, decider, policy, input_sha256, at FROM decision WHERE id = {DIRECT}"),
        ("a call that was refused went through", "UPDATE call SET status = 'ok' WHERE status = 'refused'")]:
    copy = TOP / "copy.sqlite"
    source, target = sqlite3.connect(JOURNAL), sqlite3.connect(copy)
    source.backup(target)
    changed = target.execute(sql).rowcount
    target.commit(), source.close(), target.close()
    bad = audit(copy)[1]
    copy.unlink()
    ok(changed > 0 and len(bad) >= changed, f"the audit fails when {title}", (changed, bad))

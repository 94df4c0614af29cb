#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The gate through the real broker: rules, flags, declared folders and crisol's own folders, for direct
calls, calls of scripts, `gate explain`, `tools` and the log, which must all say the same. Rows G1-G4, G8, G9,
G12."""
import atexit
import itertools
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import tempfile
import time

from desk import AGENTS, ANALYSIS, EXTERNAL, MCP, PROCESS, WRITE, Desk, tree
from tap import crisol, ok, run

TOP = pathlib.Path(tempfile.mkdtemp(prefix="crisol-policy-"))
TOP.chmod(0o755)
atexit.register(shutil.rmtree, TOP, True)
FLAGS = WRITE | PROCESS | ANALYSIS | EXTERNAL | MCP | AGENTS
EXITS = {"": 0, "DENIED": 4, "APPROVAL_REQUIRED": 4, "OUTSIDE_ROOTS": 4, "TOOL_UNAVAILABLE": 4, "READ_ONLY": 4, "NOT_FOUND": 1, "INVALID_INPUT": 2, "CONFIG_ERROR": 2}
SPACE = tree(TOP / "space", {"a.txt": "needle\n", "sub/b.txt": "needle\n", "sub/deep/c.txt": "needle\n", ".git/config": "needle\n", ".crisol/config.json": "{}"})
NESTED = """const one = async (tool, input) => { try { await tools.call(tool, input); return {code: ''} } catch (e) { return {code: e.code, message: e.message, hint: e.hint} } };
const all = []; for (const [tool, input] of args.calls) all.push(await one(tool, input)); return all"""


def nested(desk, calls):
    """What each of these calls comes to from a script: a list of {code, message, hint}."""
    envelope, _ = desk.script(NESTED, args=json.dumps({"calls": calls}), max_tool_calls=500)
    return envelope.get("value") or [{"code": envelope["error"]["code"], "message": envelope["error"]["message"], "hint": ""}] * len(calls)


def everywhere(desk, calls):
    """Each call made directly, by a script, and explained: [(direct, nested, explained, [log rows])]."""
    direct = [desk.call(tool, **values) for tool, values in calls]
    inner = nested(desk, calls)
    explained = [desk.ask("EXPLAIN", tool, json.dumps(values)) for tool, values in calls]
    log = desk.ask("LOG")[::-1]
    n = len(calls)
    return list(zip(direct, inner, explained, zip(log[-2 * n:-n], log[-n:])))


def same(got, code, by=None, words=()):
    """Whether all of them came to this, and the log says by what."""
    direct, inner, explained, log = got
    worked = code in ("", "NOT_FOUND")
    judged = "" if worked else code
    return (direct.code == code and inner["code"] == code and explained["code"] == judged and (explained["decision"] == "allow") == worked and
            all((row["code"] or "") == judged and (row["decision"] == "allow") == worked for row in log) and
            (by is None or all(by == row["by"] for row in [explained, *log])) and
            (worked or (direct.message == inner["message"] == explained["words"] and bool(direct.hint))) and
            all(w in (explained["words"] if worked else direct.message) for w in words))


def rules(*rows):
    return {"permissions": {"rules": list(rows)}}


def read(path):
    return ("read_file", {"path": str(path)})


# ---- rules ----

LIST, SEARCH = ("list_files", {}), ("search_text", {"pattern": "needle"})
A, B, C = read("a.txt"), read("sub/b.txt"), read("sub/deep/c.txt")
D, Q = "DENIED", "APPROVAL_REQUIRED"
ROWS = [  # rules of the person's own file; call: (code, the index of the rule that decides)
    ("a tool", [{"decision": "deny", "tool": "read_file"}], [(A, D, 0), (B, D, 0), (LIST, "", None), (SEARCH, "", None)]),
    ("names of tools by a pattern", [{"decision": "deny", "tool": "*_file"}], [(A, D, 0), (LIST, "", None)]),
    ("every tool", [{"decision": "deny", "tool": "*"}], [(A, D, 0), (LIST, D, 0), (SEARCH, D, 0)]),
    ("an effect", [{"decision": "deny", "effect": "read"}], [(A, D, 0), (LIST, D, 0), (SEARCH, D, 0)]),
    ("another effect", [{"decision": "deny", "effect": "write"}], [(A, "", None), (LIST, "", None)]),
    ("a path", [{"decision": "deny", "path": "a.txt"}], [(A, D, 0), (B, "", None), (read("./sub/../a.txt"), D, 0), (read(SPACE / "a.txt"), D, 0)]),
    ("a folder with all in it", [{"decision": "deny", "path": "sub/"}], [(A, "", None), (B, D, 0), (C, D, 0), (read("sub"), D, 0), (("list_files", {"path": "sub/deep"}), D, 0)]),
    ("a pattern of one level", [{"decision": "deny", "path": "sub/*.txt"}], [(B, D, 0), (C, "", None)]),
    ("a pattern of every level", [{"decision": "deny", "path": "**/c.txt"}], [(C, D, 0), (B, "", None)]),
    ("an absolute path", [{"decision": "deny", "path": f"{SPACE}/sub/**"}], [(B, D, 0), (C, D, 0), (A, "", None)]),
    ("case counts", [{"decision": "deny", "path": "A.TXT"}, {"decision": "deny", "tool": "Read_File"}], [(A, "", None)]),
    ("a path that is not there", [{"decision": "deny", "path": "none/**"}], [(read("none/x"), D, 0), (read("nowhere"), "NOT_FOUND", None)]),
    ("all fields must match", [{"decision": "deny", "tool": "search_text", "path": "a.txt"}], [(A, "", None), (("search_text", {"pattern": "x", "path": "a.txt"}), D, 0)]),
    ("tool and effect that do not go together", [{"decision": "deny", "tool": "read_file", "effect": "write"}], [(A, "", None)]),
    ("commands, hosts and servers are not about files",
     [{"decision": "deny", "command": ["**"]}, {"decision": "deny", "host": "*.example.com"}, {"decision": "deny", "server": "*"}], [(A, "", None), (LIST, "", None)]),
    ("deny beats allow, before it", [{"decision": "deny", "path": "a.txt"}, {"decision": "allow", "path": "**"}], [(A, D, 0), (B, "", None)]),
    ("deny beats allow, behind it", [{"decision": "allow", "path": "a.txt"}, {"decision": "deny", "path": "**"}], [(A, D, 1)]),
    ("deny beats ask", [{"decision": "ask", "path": "a.txt"}, {"decision": "deny", "path": "a.txt"}], [(A, D, 1)]),
    ("ask beats allow", [{"decision": "allow", "tool": "read_file"}, {"decision": "ask", "path": "sub/**"}], [(A, "", None), (B, Q, 1)]),
    ("ask, where nobody is there", [{"decision": "ask", "effect": "read"}], [(A, Q, 0), (LIST, Q, 0), (SEARCH, Q, 0)]),
    ("detail does not count", [{"decision": "allow", "tool": "read_file", "path": f"{SPACE}/sub/deep/c.txt"}, {"decision": "deny", "path": "**/*.txt"}], [(C, D, 1)]),
    ("the first of two is named", [{"decision": "deny", "tool": "zzz"}, {"decision": "deny", "path": "a.txt"}, {"decision": "deny", "tool": "read_file"}], [(A, D, 1), (B, D, 2)]),
    ("a rule's reason is told", [{"decision": "deny", "path": "a.txt", "reason": "it is \u201cprivate\u201d"}], [(A, D, 0)]),
]
for title, rows, calls in ROWS:
    with Desk(SPACE, own=rules(*rows)) as desk:
        own = f"{desk.home}/config/config.json"
        got = everywhere(desk, [call for call, _, _ in calls])
        for (call, code, at), one in zip(calls, got):
            words = [] if at is None else [rows[at]["reason"]] if "reason" in rows[at] else [f"permissions.rules[{at}]", own]
            ok(same(one, code, "effect read" if at is None else f"permissions.rules[{at}] of {own}", words), f"{title}: {call[0]} {call[1]}: {code or 'allowed'}, everywhere", one)
        states = {t["name"]: t["state"] for t in desk.ask("TOOLS") if t["effect"] == "read"}
        whole = {"a tool": {"read_file"}, "names of tools by a pattern": {"read_file"}, "every tool": set(states), "an effect": set(states),
                 "ask, where nobody is there": set(states), "the first of two is named": {"read_file"}}.get(title, set())
        ok({name for name, state in states.items() if state == "disabled"} == whole, f"{title}: the list of tools", states)

# Two files: where each rule is from is told, and --config may not allow.
with Desk(SPACE, own=rules({"decision": "allow", "path": "**"}, {"decision": "ask", "path": "sub/*"}),
          config=rules({"decision": "allow", "tool": "write_file"}, {"decision": "deny", "path": "a.txt"}, {"decision": "deny", "path": "sub/deep/**"})) as desk:
    own = f"{desk.home}/config/config.json"
    for call, code, by in [(A, D, "permissions.rules[1] of --config"), (B, Q, f"permissions.rules[1] of {own}"), (C, D, "permissions.rules[2] of --config"),
                           (LIST, "", "effect read")]:
        ok(same(everywhere(desk, [call])[0], code, by), f"two files: {call} by {by}", everywhere(desk, [call]))
    files = desk.call("list_files").result
    ok(files["files"] == [] and files["hidden"] == 3, "a listing leaves out what either of them refuses, and says so", files)
    policy = {row["policy"] for row in desk.ask("LOG")}
    ok(policy == {"headless, ask, 4 rules"}, "the allow of --config is no rule", policy)
    ok([n for n in desk.ask("STATUS")["notices"] if "permissions.rules[0]" in n and "--config" in n and "only your own" in n], "and that is said", desk.ask("STATUS")["notices"])

# The policy in force is written into each row of the log.
for flags, read_only, words in [(0, 0, "headless, ask"), (WRITE, 0, "headless, auto, --allow-write"), (WRITE | PROCESS | EXTERNAL, 0, "headless, full, --allow-write, --allow-process, --allow-external, fence workspace"),
                                (ANALYSIS | MCP, 1, "headless, ask, --allow-analysis, --allow-mcp, --read-only"), (PROCESS, 0, "headless, custom, --allow-process, fence workspace")]:
    with Desk(SPACE, flags=flags, read_only=read_only) as desk:
        desk.call(*A[:1], **A[1])
        row = desk.ask("LOG")[0]
        ok(row["policy"] == words and row["decision"] == "allow" and row["reason"] == "effect" and row["status"] == "ok" and row["call"] and not row["run"], f"the log has the policy: {words}", row)

# ---- flags ----

# No flag gives a tool that is not there, or a place outside.
OUT = tree(TOP / "out", {"f": "needle\n", "sub/g": "needle\n"})
tree(TOP / "out2", {"f": "needle\n"})
with Desk(SPACE, flags=FLAGS, own=rules({"decision": "allow", "tool": "*"}, {"decision": "allow", "path": f"{OUT}/**"}, {"decision": "allow", "path": "/**"})) as desk:
    got = everywhere(desk, [read(OUT / "f"), ("list_files", {"path": str(OUT)}), ("search_text", {"pattern": "x", "path": str(OUT)}), read("../out/f"), read("/etc/passwd")])
    for one in got:
        ok(same(one, "OUTSIDE_ROOTS", "outside", ["--add-dir", "additionalDirectories"]), "every flag and rule that allows lets nothing outside in", one)
    for name in ["artifact_export", "bg_run", "webfetch", "python_run", "nothing_like_it"]:
        got = everywhere(desk, [(name, {"path": "a.txt"})])
        ok(same(got[0], "TOOL_UNAVAILABLE"), f"{name} is not there, whatever is allowed", got)
for name in ["write_file", "edit_file", "shell", "run_process", "webfetch", "python_run", "artifact_create"]:
    for read_only in [0, 1]:
        with Desk(SPACE, read_only=read_only) as desk:
            got = everywhere(desk, [(name, {})])[0]
            ok(got[0].code in ("TOOL_UNAVAILABLE", "READ_ONLY") and got[1]["code"] == "TOOL_UNAVAILABLE" and got[2]["decision"] == "absent" and
               name not in [t["name"] for t in desk.ask("TOOLS") if t["state"] != "disabled"], f"{name} without a flag, read-only {read_only}: absent", got)

# --read-only takes declared folders away, from wherever they are declared, and nothing of the workspace.
for title, values in [("--add-dir", {"folders": [OUT]}), ("additionalDirectories", {"own": {"additionalDirectories": [str(OUT)]}}), ("--config", {"config": {"additionalDirectories": [str(OUT)]}})]:
    for read_only in [0, 1]:
        with Desk(SPACE, read_only=read_only, flags=FLAGS, **values) as desk:
            got = everywhere(desk, [A, LIST, read(OUT / "f"), ("search_text", {"pattern": "needle", "path": str(OUT / "sub")})])
            ok(same(got[0], "") and same(got[1], ""), f"{title}, read-only {read_only}: the workspace can be read", got)
            ok(all(same(one, "OUTSIDE_ROOTS" if read_only else "", None, ["--read-only"] if read_only else []) for one in got[2:]), f"{title}, read-only {read_only}: the folder", got)

# ---- declared folders, however they are written ----

os.symlink("out", TOP / "way")
os.symlink(OUT / "sub", TOP / "deepway")
os.symlink("loop", TOP / "loop")
os.symlink("nowhere", TOP / "dangling")
F, G = OUT / "f", OUT / "sub/g"
SPELLINGS = [  # what is declared; which files it lets in; whether something is said of it
    (f"{OUT}", [F, G], False), (f"{OUT}/", [F, G], False), (f"{OUT}//", [F, G], False), (f"{OUT}/.", [F, G], False), (f"{OUT}/./", [F, G], False),
    (f"//{str(OUT)[1:]}", [F, G], False), (f"{OUT}/sub/..", [F, G], False), (f"{OUT}/none/..", [F, G], False), (f"{TOP}/../{TOP.name}/out", [F, G], False),
    (f"{TOP}/way", [F, G], False), (f"{TOP}/way/", [F, G], False), (f"{TOP}/way/.", [F, G], False), (f"{TOP}/way/sub", [G], False), (f"{TOP}/deepway", [G], False),
    ("/", [F, G], False), ("//", [F, G], False), ("/.", [F, G], False), ("/..", [F, G], False), ("/../..", [F, G], False), ("///./../", [F, G], False),
    (f"{OUT}/sub", [G], False), (f"{OUT}/f", [], True), (f"{OUT}/none", [], True), (f"{TOP}/loop", [], True), (f"{TOP}/dangling", [], True), (f"{OUT}2", [], False),
    (f"{OUT}/su", [], True), (f"{TOP}/ou", [], True), ("~", [], True), ("$HOME", [], True), (f"{OUT}/*", [], True), (f"{OUT}\n", [], False)]
for where, (spelled, files, said) in itertools.product(["own", "config"], SPELLINGS):
    with Desk(SPACE, **{where: {"additionalDirectories": [spelled, str(SPACE / "sub")]}}) as desk:
        codes = {str(f): [desk.call("read_file", path=str(f)).code, desk.ask("EXPLAIN", "read_file", json.dumps({"path": str(f)}))["code"]] for f in [F, G, A[1]["path"]]}
        ok(codes == {str(f): ["" if f in files or f == "a.txt" else "OUTSIDE_ROOTS"] * 2 for f in [F, G, A[1]["path"]]}, f"{where}: {spelled.replace(str(TOP), '')!r} lets in {len(files)}", codes)
        listed = desk.call("list_files", path=str(OUT / "sub"))
        ok((listed.code == "") == (G in files) and (listed.code or listed.result["files"] == [str(G)]), f"{where}: {spelled.replace(str(TOP), '')!r}: a listing of it", listed)
        if where == "own" and said:
            notices = desk.ask("STATUS")["notices"]
            ok(len(notices) == 1 and "additionalDirectories" in notices[0] and "config.json" in notices[0], f"{spelled.replace(str(TOP), '')!r}: it is said that there is no such folder", notices)
# Relative ones start where their file is.
conf = tree(TOP / "conf", {"deep/c.json": json.dumps({"additionalDirectories": ["../../out/sub"]}), "deep/d.json": json.dumps({"additionalDirectories": [".."]})})
ENV = {"HOME": str(TOP / "home"), "CRISOL_STATE_HOME": str(TOP / "home/state"), "CRISOL_CONFIG_HOME": str(TOP / "home/config")}
CALL = json.dumps({"path": str(G)})
tree(TOP / "home", {"config/config.json": "{}"})
for cwd, args in [(SPACE, ["--config", f"{conf}/deep/c.json"]), (SPACE, ["--config", "../conf/deep/c.json"]), (conf, ["--config", "deep/c.json"]), (conf / "deep", ["--config", "c.json"]),
                  (conf / "deep", ["--config", "./c.json"]), (TOP, ["--cwd", "conf/deep", "--config", "c.json"]), (TOP, ["--cwd", "conf", "--config", "deep/../deep/c.json"]),
                  (SPACE, ["--add-dir", "../out"]), (SPACE, ["--add-dir", "../way/sub/"]), (TOP, ["--cwd", "space", "--add-dir", "../out/./sub"])]:
    r = run([crisol, "call", *args, "read_file", CALL], env=ENV, cwd=cwd)
    ok(r.rc == 0 and "needle" in r.out, f"{' '.join(args).replace(str(TOP), '')} in {cwd.relative_to(TOP)}", r)
r = run([crisol, "call", "--config", "../conf/deep/d.json", "read_file", CALL], env=ENV, cwd=SPACE)
ok(r.rc == 4 and "OUTSIDE_ROOTS" in r.err, "and not where crisol was started", r)
with Desk(SPACE, own={"additionalDirectories": [str(OUT / "sub")]}, config={"additionalDirectories": [str(TOP / "out2")]}, folders=[TOP / "conf"]) as desk:
    ok([desk.call("read_file", path=str(p)).code for p in [G, TOP / "out2/f", TOP / "conf/deep/c.json", F]] == ["", "", "", "OUTSIDE_ROOTS"], "they add up over files and flags")
many = [str(tree(TOP / f"many/{n}", {"x": ""})) for n in range(40)]
with Desk(SPACE, own={"additionalDirectories": many}) as desk:
    got = desk.call("read_file", path="a.txt")
    ok(got.code == "CONFIG_ERROR" and "folders" in got.message, "more than can be kept are refused, not left out", got)
for folders, words in [([TOP / "nowhere"], "nowhere"), ([OUT / "f"], "f is no folder")]:
    with Desk(SPACE, folders=folders) as desk:
        got = desk.call("read_file", path="a.txt")
        ok(got.code == "INVALID_INPUT" and words in got.message, f"--add-dir {folders[0].name} is an error", got)

# ---- crisol's own folders ----

with Desk(SPACE, flags=FLAGS, folders=["/"], own={"additionalDirectories": ["/", "//"], **rules({"decision": "allow", "tool": "*"}, {"decision": "allow", "path": "/**"}, {"decision": "allow", "effect": "read"})},
          env={"XDG_RUNTIME_DIR": str(tree(TOP / "run", {"crisol/x": "needle\n", "other": "needle\n"}))}) as desk:
    home = desk.home
    desk.call("read_file", path="a.txt")
    os.symlink(home, SPACE / "homeway")
    os.symlink(f"{home}/config/config.json", SPACE / "fileway")
    me = desk.process.pid
    ok(same(everywhere(desk, [read(TOP / "run/other")])[0], ""), "everything is declared")
    own = [f"{home}/config/config.json", f"{home}/config", f"{home}/state", f"{home}/state/journal.sqlite", f"{home}/state/journal.sqlite-wal", f"{home}/state/none", f"{home}//state/./journal.sqlite",
           f"{home}/none/../state/journal.sqlite", "homeway/config/config.json", "homeway/state/journal.sqlite", "fileway", f"{TOP}/run/crisol", f"{TOP}/run/crisol/x", f"/proc/self/root{home}/config/config.json",
           f"/proc/{os.getpid()}/root{home}/state/journal.sqlite"]
    if os.geteuid() == 0:  # nobody else may look into the broker
        own += [f"/proc/{me}/fd/{fd}" for fd in os.listdir(f"/proc/{me}/fd") if "journal" in os.readlink(f"/proc/{me}/fd/{fd}")]
    calls = [(tool, {"path": path, **more}) for path in own for tool, more in [("read_file", {}), ("list_files", {}), ("search_text", {"pattern": "SQLite|additional"})]]
    for call, one in zip(calls, everywhere(desk, calls)):
        ok(same(one, "DENIED", "protected", ["crisol's own"]), f"{call[0]} {call[1]['path'].replace(str(home), '<home>').replace(str(TOP), '')}", one)
    for folder in [str(home), "homeway"]:
        listed = desk.call("list_files", path=folder).result
        searched = desk.call("search_text", pattern="SQLite|additional", path=folder).result
        ok(listed["files"] == [] and '"match"' not in searched["stdout"], f"nor in {folder.replace(str(home), 'what holds them')}", (listed, searched))
    os.unlink(SPACE / "homeway"), os.unlink(SPACE / "fileway")
    # Writes there ask; reading does not.
    got = everywhere(desk, [read(".git/config"), read(".crisol/config.json")])
    ok(all(same(one, "") for one in got), ".git and .crisol can be read", got)

# ---- no call of a script gets further than a direct one ----

seen = {}
for own, config, flags, read_only, folders in itertools.product(
        [{}, rules({"decision": "deny", "path": "sub/**"}), rules({"decision": "ask", "tool": "read_file"}, {"decision": "allow", "path": "**"}),
         {"additionalDirectories": [str(OUT)], **rules({"decision": "allow", "tool": "*"})}],
        [None, rules({"decision": "ask", "path": "a.txt"}), {"additionalDirectories": [str(OUT / "sub")]}], [0, FLAGS], [0, 1], [[], [OUT]]):
    with Desk(SPACE, own=own, config=config, flags=flags, read_only=read_only, folders=folders) as desk:
        calls = [A, B, LIST, read(F), read(G), read("none"), read(f"{desk.home}/config/config.json"), ("artifact_export", {"path": "x"}), ("nothing", {})]
        for call, one in zip(calls, everywhere(desk, calls)):
            code = one[0].code
            if not same(one, code):
                seen.setdefault("bad", []).append((own, config, flags, read_only, folders, call, one))
            seen[code] = seen.get(code, 0) + 1
ok("bad" not in seen and {"", "DENIED", "APPROVAL_REQUIRED", "OUTSIDE_ROOTS", "TOOL_UNAVAILABLE", "NOT_FOUND"} <= set(seen),
   f"{sum(n for n in seen.values() if isinstance(n, int))} calls under 96 policies come to the same directly, from a script, explained and in the log: {seen if 'bad' not in seen else ''}", seen.get("bad", [])[:2])

# ---- rules that cannot be read ----

WRONG = [  # the list, and what the message says beside the file and the key
    ({"decision": "deny"}, ["list"]), ("deny", ["list"]), ([5], ["[0]", "object", "number"]), ([[]], ["[0]", "object"]), ([{}], ["[0]", "decision is missing"]),
    ([{"decision": "deny"}], ["[0]", "names nothing"]), ([{"decision": "deny", "reason": "x"}], ["[0]", "names nothing"]), ([{"tool": "x"}], ["[0]", "decision is missing"]),
    ([{"decision": "block", "tool": "x"}], ["[0]", "decision", "allow ask deny"]), ([{"decision": "Deny", "tool": "x"}], ["[0]", "decision"]),
    ([{"decision": "deny", "tools": "x"}], ["[0]", "'tools'", "fields:"]), ([{"decision": "deny", "tool": 5}], ["[0]", "tool", "string"]), ([{"decision": "deny", "tool": ""}], ["[0]", "tool"]),
    ([{"decision": "deny", "effect": "reads"}], ["[0]", "effect", "read write"]), ([{"decision": "deny", "path": "a\\b"}], ["[0]", "path"]), ([{"decision": "deny", "path": "../x"}], ["[0]", "path", ".."]),
    ([{"decision": "deny", "path": "a**"}], ["[0]", "path"]), ([{"decision": "deny", "path": "!x"}], ["[0]", "path"]), ([{"decision": "deny", "path": "{a,b}"}], ["[0]", "path"]),
    ([{"decision": "deny", "path": ""}], ["[0]", "path"]), ([{"decision": "deny", "path": "[a"}], ["[0]", "path"]), ([{"decision": "deny", "path": ["a"]}], ["[0]", "path", "string"]),
    ([{"decision": "deny", "command": "rm"}], ["[0]", "command", "list of words"]), ([{"decision": "deny", "command": []}], ["[0]", "command", "empty"]), ([{"decision": "deny", "command": ["a", 1]}], ["[0]", "word 1"]),
    ([{"decision": "deny", "host": "https://a.b"}], ["[0]", "host", "no scheme"]), ([{"decision": "deny", "tool": "x" * 1025}], ["[0]", "tool", "1024"]), ([{"decision": "deny", "path": "a\0b"}], ["[0]", "path", "NUL"]),
    ([{"decision": "deny", "path": "sub/**"}, {"decision": "deny", "tool": "read_file"}, {"decision": "deny", "path": "a.txt", "effects": "read"}], ["[2]", "'effects'"]),
    ([{"decision": "deny", "tool": "x"}] * 501, ["500"]), (None, ["list"]), ([None], ["[0]", "null"])]
for where, (rows, words) in itertools.product(["own", "config"], WRONG):
    with Desk(SPACE, **{where: {"permissions": {"rules": rows}}}) as desk:
        file = f"{desk.home}/config/config.json" if where == "own" else "--config"
        got = desk.hear("client_refused")
        ok(got["code"] == "CONFIG_ERROR" and got["message"].startswith(f"{file}: permissions.rules") and all(w in got["message"] for w in words) and got["hint"],
           f"{where}: {str(rows)[:60]} is refused, and it is said where", got)
        desk.say("call_start", tag=1, tool="read_file", input='{"path":"a.txt"}')
        desk.say("run_start", tag=2, source="return 1")
        desk.say("ask", what=desk.ASKS["TOOLS"])
        desk.say("ask", what=desk.ASKS["CONFIG"])
        desk.socket.shutdown(1)
        try:
            while True:
                ok(False, f"{where}: {str(rows)[:60]}: and yet there is an answer", desk.message())
        except (EOFError, ConnectionError):
            pass
        ok(not (desk.home / "state/journal.sqlite").exists(), f"{where}: {str(rows)[:60]}: nothing was begun")
tree(TOP / "home", {"config/config.json": json.dumps(rules({"decision": "deny", "path": "sub/**"}, {"decision": "deny", "tool": 1}))})
for args in [["call", "read_file", '{"path":"a.txt"}'], ["js", "-e", "console.log(1); return 1"], ["tools"], ["gate", "explain", "read_file"], ["gate", "log"], ["runs", "list"], ["config", "list"], ["forge", "status"]]:
    r = run([crisol, *args], env=ENV, cwd=SPACE)
    ok(r.rc == 2 and r.out == "" and "CONFIG_ERROR" in r.err and f"{TOP}/home/config/config.json: permissions.rules[1]: tool" in r.err and "hint:" in r.err, f"{' '.join(args[:2])} with a wrong rule", r)

# ---- the command: exits, and why a call was allowed ----

tree(TOP / "home", {"config/config.json": json.dumps({**rules({"decision": "deny", "path": "sub/deep/**", "reason": "deep"}, {"decision": "ask", "tool": "search_text"}), "additionalDirectories": [str(OUT / "sub")]})})
OWN = f"{TOP}/home/config/config.json"
shutil.rmtree(TOP / "home/state", True)
for args, tool, values, code, by in [
        ([], "read_file", {"path": "a.txt"}, "", "effect read"), ([], "read_file", {"path": str(G)}, "", "effect read"), (["--read-only"], "read_file", {"path": str(G)}, "OUTSIDE_ROOTS", "outside"),
        ([], "read_file", {"path": "sub/deep/c.txt"}, "DENIED", f"permissions.rules[0] of {OWN}"), ([], "search_text", {"pattern": "x"}, "APPROVAL_REQUIRED", f"permissions.rules[1] of {OWN}"),
        ([], "read_file", {"path": "/etc/passwd"}, "OUTSIDE_ROOTS", "outside"), (["--add-dir", "/etc"], "read_file", {"path": "/etc/passwd"}, "", "effect read"),
        (["--add-dir", str(OUT), "--read-only"], "read_file", {"path": str(F)}, "OUTSIDE_ROOTS", "outside"), (["--allow-write"], "artifact_export", {}, "TOOL_UNAVAILABLE", "off"),
        (["--add-dir", "/"], "read_file", {"path": OWN}, "DENIED", "protected"), ([], "nothing", {}, "TOOL_UNAVAILABLE", "name"), (["--read-only", "--allow-process"], "bg_run", {}, "TOOL_UNAVAILABLE", "off")]:
    text = json.dumps(values, separators=(",", ":"))
    title = f"{' '.join(args)} {tool} {text}".replace(str(TOP), "").strip()
    r = run([crisol, "call", *args, tool, text], env=ENV, cwd=SPACE)
    ok(r.rc == EXITS[code] and (not code or (f"crisol: {code}: " in r.err and "hint:" in r.err and r.out == "")), f"call {title}: exit {EXITS[code]}", r)
    e = run([crisol, "gate", "explain", *args, tool, text, "--json"], env=ENV, cwd=SPACE)
    said = json.loads(e.out)
    ok(e.rc == (4 if code else 0) and said["code"] == code and said["by"] == by and (not code or said["words"] in r.err), f"explain {title}: the same", (e, r))
    s = run([crisol, "gate", "explain", *args, tool, text], env=ENV, cwd=SPACE)
    ok(s.rc == e.rc and said["words"] in s.out and f"by: {by}" in s.out and s.out.startswith(said["decision"]), f"explain {title}, in words", s)
    n = run([crisol, "js", *args, "-e", f"try {{ await tools.call('{tool}', {text}); return '' }} catch (e) {{ return e.code }}", "--raw"], env=ENV, cwd=SPACE)
    ok(n.out.strip() == code, f"{title} from a script", n)
    top = json.loads(run([crisol, "gate", "log", "--json"], env=ENV, cwd=SPACE).out)[:2]
    ok([(row["tool"], row["code"] or "", row["by"], bool(row["run"])) for row in top] == [(tool, code, by, True), (tool, code, by, False)] and
       top[0]["input_sha256"] == top[1]["input_sha256"], f"{title}: both are in the log, by what", top)
    one = json.loads(run([crisol, "gate", "log", "--json", top[0]["run"]], env=ENV, cwd=SPACE).out)
    ok(one == top[:1], f"{title}: the log of that run", one)
    one = json.loads(run([crisol, "gate", "log", "--json", top[1]["session"]], env=ENV, cwd=SPACE).out)
    ok(one == top[1:], f"{title}: the log of that session", one)

# Where there is no workspace, that is the decision, and it is in the log.
tree(TOP / "home", {"config/config.json": "{}", "w.txt": "needle\n"})
for cwd in ["/", str(TOP / "home")]:
    r = run([crisol, "call", "read_file", '{"path":"etc/passwd"}'], env=ENV, cwd=cwd)
    row = json.loads(run([crisol, "gate", "log", "--json"], env=ENV, cwd=SPACE).out)[0]
    ok(r.rc == 4 and "OUTSIDE_ROOTS: there is no workspace" in r.err and "--cwd" in r.err and (row["decision"], row["code"], row["status"]) == ("deny", "OUTSIDE_ROOTS", "refused"),
       "no workspace: refused, and written down", (r, row))
    r = run([crisol, "call", "--cwd", cwd, "read_file", json.dumps({"path": os.path.relpath(TOP / "home/w.txt", cwd)})], env=ENV, cwd=SPACE)
    ok(r.rc == 0 and "needle" in r.out, f"--cwd {cwd.replace(str(TOP), '')} means it", r)

# ---- the decision is there whenever the call is ----

with Desk(SPACE) as desk:
    desk.call("read_file", path="a.txt")
    for pid in desk.workers():
        os.kill(pid, signal.SIGSTOP)
    tag = desk.start("read_file", path="sub/b.txt")
    db = sqlite3.connect(f"{(desk.home / 'state/journal.sqlite').as_uri()}?mode=ro", uri=True)
    end, live = time.monotonic() + 8, []
    while not live and time.monotonic() < end:
        live = db.execute("SELECT c.tool, d.decision FROM call AS c LEFT JOIN decision AS d ON d.call = c.call WHERE c.status = 'started'").fetchall()
        time.sleep(0.002)
    db.close()
    for pid in desk.workers():
        os.kill(pid, signal.SIGCONT)
    got = desk.finish(tag)
    ok(live == [("read_file", "allow")] and got.code == "", "while a call is under way its decision can be read", (live, got))

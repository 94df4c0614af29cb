#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""crisol mcp serve, asked as each version of the protocol asks: what is offered, what comes back, how
it is told meanwhile, cancelled and ended. Rows M3, G4, G8, J13, T17."""
import atexit
import json
import pathlib
import shutil
import tempfile
import threading

from desk import tree
from mcp import ENV, META, SAID, VERSIONS, Client, close_all, gone, text_of, until
from tap import crisol, ok, run, skip
from wire import ROOT

TOP = pathlib.Path(tempfile.mkdtemp(prefix="crisol-mcp-"))
atexit.register(shutil.rmtree, TOP, True)
SPACE = tree(TOP / "space", {"a.txt": "hello\n", "b.txt": "b\n"})
WAIT = "const wait = (ms) => { for (const t = Date.now(); Date.now() - t < ms;); };"
TOOLS = ["js_run"] + [t["name"] for t in json.loads(run([crisol, "tools", "--json"], env=ENV, cwd=SPACE).out) if t["state"] == "enabled"]


def names(answer):
    return [t["name"] for t in answer["result"]["tools"]]


def code(answer):
    return answer.get("error", {}).get("code")


# ---- every version ----
for version in VERSIONS + [SAID]:
    with Client(SPACE) as c:
        got = c.greet(version)
        said = version == SAID
        if said:
            got = c.ask("server/discover")
            ok(got["result"]["supportedVersions"] == [SAID], f"{version}: discovered", got)
        else:
            ok(got["result"]["protocolVersion"] == version, f"{version}: agreed to", got)
        ok("js_run" in got["result"]["instructions"], f"{version}: the routing rule is in the instructions", got)
        tools = c.ask("tools/list")
        ok(names(tools) == TOOLS, f"{version}: the tools that read are offered", names(tools))
        by = {t["name"]: t for t in tools["result"]["tools"]}
        hints = by["read_file"]["annotations"]
        ok(hints["readOnlyHint"] and not hints["destructiveHint"] and not hints["openWorldHint"] and
           all(t["inputSchema"]["type"] == "object" and t["inputSchema"]["additionalProperties"] is False for t in by.values()),
           f"{version}: with schemas, and hints from their effects", hints)
        ok(("title" in by["js_run"]) == ("outputSchema" in by["js_run"]) == (version != VERSIONS[0]),
           f"{version}: titles and output schemas where it has them", by["js_run"].keys())
        ok("declare const tools" in by["js_run"]["description"] and "read_file(input: {" in by["js_run"]["description"],
           f"{version}: js_run's description declares what a script may call", by["js_run"]["description"])
        r = c.js("console.log('note'); return (await tools.read_file({path: 'a.txt'})).content")
        ok(text_of(r) == ["note\n", "1: hello\n"] and r["result"]["isError"] is False, f"{version}: a script's text and value", r)
        ok(r["result"].get("structuredContent", {}).get("value") == (None if version == VERSIONS[0] else "1: hello\n"),
           f"{version}: structured where it has that", r)
        r = c.ask("tools/call", name="read_file", arguments={"path": "a.txt"})
        ok(json.loads(text_of(r)[0])["content"] == "1: hello\n" and
           (version == VERSIONS[0] or r["result"]["structuredContent"] == json.loads(text_of(r)[0])), f"{version}: a direct call", r)
        results = [m["message"]["result"] for m in c.heard if "result" in m["message"]]
        ok(all((x.get("resultType") == "complete" and x["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "crisol") if said
               else "resultType" not in x for x in results), f"{version}: what is in each result", results)
        ok(all(("ttlMs" in x and x["cacheScope"] == "private") == said for x in results if "tools" in x), f"{version}: lists say how long they hold", "")
        r = c.ask("ping")
        ok(code(r) == -32601 if said else r["result"] == {}, f"{version}: ping", r)
        ok(c.close() == 0 and c.err == "", f"{version}: it ends with its input, and says nothing else", c.err)

# ---- the beginning ----
for wanted, want in [("1999-01-01", VERSIONS[-1]), ("2024-11-05", VERSIONS[-1]), (SAID, VERSIONS[-1]), ("", VERSIONS[-1])]:
    with Client(SPACE) as c:
        got = c.greet(wanted) if wanted != SAID else c.ask("initialize", protocolVersion=wanted, capabilities={}, clientInfo={})
        ok(got["result"]["protocolVersion"] == want, f"initialize with {wanted or 'an empty version'} is answered with {want}", got)
with Client(SPACE) as c:
    ok(code(c.ask("tools/list")) == -32600, "before initialize nothing is answered")
    ok(c.ask("ping")["result"] == {}, "but ping")
    ok(code(c.ask("initialize", protocolVersion=7)) == -32602 and code(c.ask("initialize")) == -32602, "initialize wants a version")
    r = c.ask("tools/list", _meta={**META, "io.modelcontextprotocol/protocolVersion": "2099-01-01"})
    ok(code(r) == -32022 and r["error"]["data"] == {"supported": [SAID], "requested": "2099-01-01"}, "a version of the future names what there is", r)
    r = c.ask("tools/list", _meta={k: v for k, v in META.items() if "Capabilities" not in k})
    ok(code(r) == -32602 and "clientCapabilities" in r["error"]["message"], "what a request must say of its client", r)
    ok(names(c.ask("tools/list", _meta=META)) == TOOLS, "a request that says its version needs no initialize")
    c.greet()
    ok(code(c.ask("initialize", protocolVersion=VERSIONS[0])) == -32600, "initialize comes once")
    ok(names(c.ask("tools/list")) == TOOLS, "and all goes on")
    ok(code(c.ask("server/discover")) == -32601 and code(c.ask("no/such")) == -32601 and code(c.ask("sampling/createMessage")) == -32601,
       "a method that is none of this version's")

# ---- calls ----
with Client(SPACE) as c:
    c.greet()
    for arguments, want in [
        ({}, "code: a script was expected"), ({"code": 1}, "code: a string was expected"), ({"code": "1", "args": []}, "args: an object"),
        ({"code": "1", "timeoutMs": 0}, "from 1 to 300000"), ({"code": "1", "timeoutMs": 300001}, "from 1 to 300000"),
        ({"code": "1", "timeoutMs": "9"}, "timeoutMs: a whole number"), ({"code": "1", "timeoutMs": 1.5}, "timeoutMs: a whole number"),
        ({"code": "1", "language": "py"}, "auto, js or ts"), ({"code": "1", "timeout": 5}, "did you mean timeoutMs?"),
        ({"code": "1", "constructor": 5}, "no argument 'constructor'"), ({"code": "1", "codePath": "x"}, "not both"),
        ({"codePath": "x.js"}, "no scratchpad"), ({"code": "1", "args": {"x": "y" * 70000}}, "65536"),
    ]:
        r = c.ask("tools/call", name="js_run", arguments=arguments)
        ok(r["result"]["isError"] and any(want in t for t in text_of(r)), f"js_run with {str(arguments)[:50]}: {want}", r)
    r = c.ask("tools/call", name="js_run", arguments={"code": "return args.n + 1", "args": {"n": 41}, "language": "ts", "maxToolCalls": 1})
    ok(text_of(r) == ["42"], "arguments arrive", r)
    for source, want, status in [
        ("throw new Error('oh')", "SCRIPT_ERROR", "failed"), ("return {", "SYNTAX_ERROR", "failed"), ("for(;;);", "TIMEOUT", "timeout"),
        ("await tools.write_file({})", "TOOL_UNAVAILABLE", "refused"), ("await tools.read_file({path: '/etc/hostname'})", "OUTSIDE_ROOTS", "refused"),
    ]:
        r = c.js(source, timeoutMs=200)
        s = r["result"]["structuredContent"]
        ok(r["result"]["isError"] and s["error"]["code"] == want and s["error"]["hint"] and any(t.startswith(want + ": ") and "hint: " in t for t in text_of(r)),
           f"{source}: {want} with message and hint", r)
    for params, want in [({"name": "no_such"}, "Unknown tool"), ({"name": "raed_file"}, "did you mean read_file?"), ({"name": "jsrun"}, "did you mean js_run?"),
                         ({}, "name: a string"), ({"name": 5}, "name: a string"), ({"name": "js_run", "arguments": []}, "arguments: an object"),
                         ({"name": "x" * 5000}, "at most 1024"), ({"name": "constructor"}, "Unknown tool"), ({"name": "__proto__"}, "Unknown tool")]:
        r = c.ask("tools/call", **params)
        ok(code(r) == -32602 and want in r["error"]["message"], f"tools/call {str(params)[:40]}: {want}", r)
    r = c.ask("tools/call", name="read_file", arguments={"path": "a.txt", "lines": 5})
    ok(r["result"]["isError"] and r["result"]["structuredContent"]["error"]["code"] == "INVALID_INPUT", "a wrong input is the tool's error", r)
    r = c.ask("tools/call", name="read_file", arguments={"path": "/etc/hostname"})
    ok(r["result"]["isError"] and "--add-dir" in text_of(r)[0], "what is refused names what would allow it", r)
    r = c.js("return 'x'.repeat(20000)")
    s = r["result"]["structuredContent"]
    whole = c.ask("resources/read", uri=f"crisol://runs/{s['run']}/value")
    ok(any("crisol://runs/" in t for t in text_of(r)) and json.loads(whole["result"]["contents"][0]["text"]) == "x" * 20000, "a value that was cut is a resource", s["truncated"])
    r = c.js("state.n = (state.n ?? 0) + 1; return state.n")
    ok(text_of(c.js("state.n = (state.n ?? 0) + 1; return state.n")) == ["2"], "scripts of a connection share state", r)
    r = c.js("return '\\u2028\\u0000\\u001b[31m' + String.fromCodePoint(0x1f600)")
    ok(text_of(r) == ["\u2028\0\x1b[31m\U0001f600"], "any text arrives as it is", r)

# ---- what the policy offers ----
with Client(SPACE, "--read-only") as c:
    c.greet()
    ok(names(c.ask("tools/list")) == TOOLS, "with --read-only what reads is there")
with Client(SPACE, "--allow-write") as c:
    c.greet()
    by = {t["name"]: t["annotations"] for t in c.ask("tools/list")["result"]["tools"]}
    ok(not by["write_file"]["readOnlyHint"] and by["write_file"]["destructiveHint"] and not by["write_file"]["openWorldHint"] and not by["js_run"]["readOnlyHint"],
       "with --allow-write what writes is there, and said to; so does js_run", by)
    r = c.js("return await tools.write_file({path: 'new.txt', content: 'new'})")
    ok(not r["result"]["isError"] and (SPACE / "new.txt").read_text() == "new", "and a script may write", r)
    (SPACE / "new.txt").unlink(missing_ok=True)
with Client(SPACE) as c:
    c.greet()
    r = c.ask("tools/call", name="write_file", arguments={"path": "new.txt", "content": "new"})
    ok(r["result"]["isError"] and "--allow-write" in text_of(r)[0], "what is not offered names the flag when it is called all the same", r)
with Client(SPACE, "--add-dir", "/etc") as c:
    c.greet()
    ok(c.ask("tools/call", name="read_file", arguments={"path": "/etc/hostname"})["result"]["isError"] is False, "--add-dir counts")
with Client("/", "--cwd", str(SPACE)) as c:
    c.greet()
    ok(text_of(c.js("return (await tools.list_files()).files")) == ['["a.txt","b.txt"]'], "--cwd is the workspace")
config = tree(TOP / "off", {"config.json": '{"forge": {"javascript": {"enabled": false, "timeoutMs": 777}}}'})
with Client(SPACE, env={"CRISOL_CONFIG_HOME": str(config)}) as c:
    got = c.greet()
    ok(names(c.ask("tools/list")) == TOOLS[1:] and "js_run" not in got["result"]["instructions"], "switched off, js_run and the rule are gone", got)
    ok(code(c.ask("tools/call", name="js_run", arguments={"code": "1"})) == -32602, "and cannot be called")
rules = tree(TOP / "rules", {"config.json": '{"permissions": {"rules": [{"decision": "ask", "tool": "read_file"}]}, "forge": {"javascript": {"timeoutMs": 777}}}'})
with Client(SPACE, env={"CRISOL_CONFIG_HOME": str(rules)}) as c:
    c.greet()
    r = c.ask("tools/call", name="read_file", arguments={"path": "a.txt"})
    ok(r["result"]["structuredContent"]["error"]["code"] == "APPROVAL_REQUIRED", "what a rule asks is refused: nobody can be asked", r)
    js = c.ask("tools/list")["result"]["tools"][0]["inputSchema"]["properties"]["timeoutMs"]
    ok((js["default"], js["minimum"], js["maximum"]) == (777, 1, 300000), "js_run's schema has the limits in force", js)
bad = tree(TOP / "bad", {"config.json": "{"})
with Client(SPACE, env={"CRISOL_CONFIG_HOME": str(bad)}) as c:
    r = c.ask("initialize", protocolVersion=VERSIONS[-1], capabilities={}, clientInfo={})
    ok(code(r) == -32603 and r["error"]["data"]["code"] == "CONFIG_ERROR" and "config.json" in r["error"]["message"], "a broken configuration is told to the client", r)
    ok(c.close() == 0 and "CONFIG_ERROR" in c.err, "and to the person", c.err)

# ---- the session ----
for n in ("1", "2"):
    with Client(SPACE, "--session", "kept") as c:
        c.greet()
        ok(text_of(c.js("state.n = (state.n ?? 0) + 1; return state.n")) == [n], f"a session by name outlives its connection: {n}")
r = run([crisol, "gate", "log", "--json"], env=ENV)
ok('"mcp, ask' in r.out, "the audit says that an MCP client drives", r.out[:300])

# ---- declarations, and what they cost ----
dts = run([crisol, "tools", "--dts"], env=ENV, cwd=SPACE)
with Client(SPACE) as c:
    c.greet()
    ok(dts.rc == 0 and dts.out in c.ask("tools/list")["result"]["tools"][0]["description"] and
       c.ask("resources/read", uri="crisol://tools")["result"]["contents"][0]["text"] == dts.out, "tools --dts is what js_run's description and the resource have", dts.out)
TYPESCRIPT = ROOT / "build/deps/typescript/node_modules"
USES = [("const a: string[] = (await tools.list_files()).files", ""), ("const a: string = (await tools.read_file({ path: 'x', limit: 5 })).content", ""),
        ("await tools.search_text({ pattern: 'x', literal: true })", ""), ("await tools.read_file({})", "'path' is missing"), ("await tools.read_file()", "Expected 1 arguments"),
        ("await tools.read_file({ path: 5 })", "not assignable"), ("await tools.list_files({ depth: 5 })", "known properties"), ("tools.write_file({})", "does not exist"),
        ("const a: number = (await tools.read_file({ path: 'x' })).content", "not assignable")]
if not TYPESCRIPT.joinpath("typescript").is_dir() or not shutil.which("node"):
    skip("no typescript: the package is not in build/deps")
else:
    r = run(["node", str(ROOT / "tests/mcp/check.cjs"), str(TYPESCRIPT)], stdin=json.dumps([dts.out + use + "\nexport {}" for use, _ in USES]), timeout=100)
    for (use, want), got in zip(USES, json.loads(r.out)):
        ok((want in " ".join(got)) if want else got == [], f"the typescript package on {use}: {want or 'right'}", got)
cost = json.loads(run([crisol, "tools", "--cost", "--json"], env=ENV, cwd=SPACE).out)
with Client(SPACE) as c:
    got = c.greet()
    c.send(b'{"jsonrpc":"2.0","id":1000,"method":"tools/list"}\n')
    tools = c.line().split(b'"result":{', 1)[1][:-2]
    ok([x["bytes"] for x in cost[3:]] == [len(tools), len(got["result"]["instructions"].encode())] and cost[1]["bytes"] < cost[0]["bytes"] and
       cost[0]["bytes"] + cost[2]["bytes"] == cost[3]["bytes"] and all(x["tokens"] == -(-x["bytes"] // 4) for x in cost), "tools --cost says what an MCP client gets", cost)
text = run([crisol, "tools", "--cost"], env=ENV, cwd=SPACE).out
ok(all(f" {x['bytes']} " in text for x in cost), "and in words", text)
off = run([crisol, "tools", "--cost", "--json"], env={**ENV, "CRISOL_CONFIG_HOME": str(config)}, cwd=SPACE)
ok(json.loads(off.out)[2] == {**json.loads(off.out)[3], "what": "each tool by itself"}, "without js_run what is left", off.out)

# ---- resources and prompts ----
with Client(SPACE) as c:
    c.greet()
    with Client(SPACE) as other:
        other.greet()
        foreign = other.js("return 1")["result"]["structuredContent"]["run"]
    own = c.js("return 1")["result"]["structuredContent"]["run"]
    uris = [x["uri"] for x in c.ask("resources/list")["result"]["resources"]]
    ok(uris == ["crisol://guide", "crisol://tools", f"crisol://runs/{own}"], "the resources: guide, declarations, the runs of this connection", uris)
    ok(json.loads(c.ask("resources/read", uri=uris[-1])["result"]["contents"][0]["text"])["run"] == own, "a run is read")
    for uri in [f"crisol://runs/{foreign}", f"crisol://runs/{own[:10]}", "crisol://runs/", f"crisol://runs/{own}/value", "file:///etc/passwd",
                f"crisol://runs/{own}/../{foreign}", "crisol://guide/", ""]:
        r = c.ask("resources/read", uri=uri)
        ok(code(r) == -32002 and r["error"]["data"]["uri"] == uri, f"no resource: {uri[:40] or 'the empty URI'}", r)
    ok(code(c.ask("resources/read")) == -32602, "resources/read wants a uri")
    ok([t["uriTemplate"] for t in c.ask("resources/templates/list")["result"]["resourceTemplates"]] == ["crisol://runs/{run}", "crisol://runs/{run}/value"], "templates")
    guide = c.ask("resources/read", uri="crisol://guide")["result"]["contents"][0]["text"]
    ok("## Limits" in guide and "30000 milliseconds" in guide and "read_file(input" in guide, "the guide has the limits and tools in force", guide)
    p = c.ask("prompts/list")["result"]["prompts"]
    ok([x["name"] for x in p] == ["write_script"] and p[0]["arguments"][0]["required"], "one prompt", p)
    r = c.ask("prompts/get", name="write_script", arguments={"task": "count <files>"})
    ok("count <files>" in r["result"]["messages"][0]["content"]["text"], "the prompt has the task", r)
    ok(code(c.ask("prompts/get", name="nope")) == -32602 and code(c.ask("prompts/get", name="write_script")) == -32602, "an unknown prompt, a missing argument")
    ok(all(code(c.ask(m, cursor="x")) == -32602 for m in ("tools/list", "resources/list", "resources/templates/list", "prompts/list")), "no cursor was given out")

# ---- progress and logging ----
with Client(SPACE) as c:
    c.greet()
    r = c.js(WAIT + "progress({completed: 1, total: 4, note: 'first'}); wait(400); progress({completed: 3, total: 4, note: 'second'}); wait(400); return 1", token="tok")
    told = [m["params"] for m in c.passed]
    ok(told and all(t["progressToken"] == "tok" for t in told) and all(a["progress"] < b["progress"] for a, b in zip(told, told[1:])),
       "progress has the token, and grows", told)
    ok(any(t["progress"] == 1 and t["total"] == 4 and t["message"].startswith("first") for t in told) and told[-1]["progress"] == 3,
       "what the script says of itself is what is told", told)
    silent = c.begin("tools/call", name="js_run", arguments={"code": "for(;;);", "timeoutMs": 300000}, _meta={"progressToken": "beat"})
    beats = [c.hear(50)["params"], c.hear(50)["params"]]
    c.say("notifications/cancelled", requestId=silent)
    ok(all(b["progressToken"] == "beat" for b in beats) and beats[0]["progress"] < beats[1]["progress"], "a silent run is told to go on, often enough for a client that waits a minute", beats)
    c.js("progress({completed: 1, total: 4}); return 1")
    ok(c.passed == [], "without a token nothing is told", c.passed)
    c.js(WAIT + "progress({completed: 5, total: 4}); wait(300); progress({completed: 0, total: 4}); wait(300); progress({completed: 1e308, total: 1e308}); wait(300); progress({note: '\\u0000' + 'x'.repeat(3000)}); wait(300); return 1", token=0)
    told = [m["params"] for m in c.passed]
    ok(len(told) >= 4 and all(a["progress"] < b["progress"] for a, b in zip(told, told[1:])) and all(t["progressToken"] == 0 for t in told), "odd numbers still grow", told)
    c.js("for (let i = 0; i < 50; i++) await tools.list_files(); return 1", token=1)
    ok(len(c.passed) <= 10, f"fifty calls at once are told of {len(c.passed)} times")
    c.js("console.log('quiet'); return 1")
    ok(c.passed == [], "nothing is logged before somebody wants it")
    ok(c.ask("logging/setLevel", level="info")["result"] == {} and code(c.ask("logging/setLevel", level="loud")) == -32602, "levels")
    c.js("console.log('loud'); return 1")
    ok([m["params"] for m in c.passed] == [{"level": "info", "logger": "js_run", "data": "loud\n"}], "text is logged as it comes", c.passed)
    c.ask("logging/setLevel", level="error")
    c.js("console.log('loud'); return 1")
    ok(c.passed == [], "and not below the level")
with Client(SPACE) as c:
    c.greet(SAID)
    c.js("console.log('quiet'); return 1")
    quiet = c.passed
    c.ask("tools/call", name="js_run", arguments={"code": "console.log('loud')"}, _meta={"io.modelcontextprotocol/logLevel": "debug"})
    ok(quiet == [] and [m["method"] for m in c.passed] == ["notifications/message"], "a request says for itself what is logged of it", c.passed)
    i = c.begin("subscriptions/listen", notifications={"toolsListChanged": True})
    m = c.hear()
    ok(m["method"] == "notifications/subscriptions/acknowledged" and m["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == i and
       m["params"]["notifications"] == {}, "a subscription: no list of ours changes", m)
    c.say("notifications/cancelled", requestId=i)
    ok("result" in c.ask("prompts/list") and c.passed == [], "its end is no message")

# ---- several at once ----
with Client(SPACE) as c:
    c.greet()
    slow = c.begin("tools/call", name="js_run", arguments={"code": "for(;;);", "timeoutMs": 20000}, _meta={"progressToken": "s"})
    ids = [c.begin("tools/call", name="js_run", arguments={"code": f"return {n}"}) for n in range(40)]
    got = {}
    while len(got) < 40:
        m = c.hear()
        if "id" in m:
            got[m["id"]] = m["result"]["structuredContent"]["value"]
    ok([got[i] for i in ids] == list(range(40)), "forty runs beside an endless one, each to its asker")
    ok(c.ask("ping")["result"] == {}, "ping beside runs")

    # ---- cancelling ----
    def owners():
        return json.loads(run([crisol, "runs", "list", "--live", "--json"], env=ENV).out)
    ok(len(owners()) == 1, "the endless one lives")
    c.say("notifications/cancelled", requestId=slow, reason="enough")
    ok(until(lambda: not owners()) and c.ask("ping")["result"] == {} and c.passed == [], "cancelled, it ends and is not answered", c.passed)
    for bad in [slow, 99999, "x", None, {}, [], 1.5, True]:
        c.say("notifications/cancelled", requestId=bad)
    c.say("notifications/cancelled")
    ok(c.ask("ping")["result"] == {} and c.passed == [], "cancels of what is not there are nothing")
    call = c.begin("tools/call", name="search_text", arguments={"pattern": "q{3}"})
    c.say("notifications/cancelled", requestId=call)
    ok(c.ask("ping")["result"] == {}, "a direct call is cancelled, too")

# ---- arrays ----
with Client(SPACE) as c:
    c.greet(VERSIONS[0])
    for i, m in ((70, "ping"), (71, "tools/list"), (72, "no/such"), (73, "tools/call")):
        c.methods[str(i)] = m
    call = {"name": "js_run", "arguments": {"code": "return 5"}}
    c.send(json.dumps([{"jsonrpc": "2.0", "id": 70, "method": "ping"}, {"jsonrpc": "2.0", "method": "notifications/x"}, {"jsonrpc": "2.0", "id": 71, "method": "tools/list"},
                       {"jsonrpc": "2.0", "id": 72, "method": "no/such"}, {"jsonrpc": "2.0", "id": 73, "method": "tools/call", "params": call}, 5]).encode() + b"\n")
    got = c.hear()
    ok(isinstance(got, list) and sorted(m["id"] for m in got) == [70, 71, 72, 73], "an array is answered by an array, when all is done", got)
    c.send(b'[{"jsonrpc":"2.0","method":"notifications/x"}]\n[]\n[[]]\n')
    ok(c.ask("ping")["result"] == {} and c.passed == [], "one of notifications alone by nothing", c.passed)
    c.send(json.dumps([{"jsonrpc": "2.0", "id": 80, "method": "tools/call", "params": {"name": "js_run", "arguments": {"code": "for(;;);"}}}]).encode() + b"\n")
    c.say("notifications/cancelled", requestId=80)
    ok(c.ask("ping")["result"] == {} and c.passed == [], "nor one whose requests were cancelled", c.passed)
    c.send(json.dumps([{"jsonrpc": "2.0", "id": 90, "method": "initialize", "params": {"protocolVersion": VERSIONS[0]}}]).encode() + b"\n")
    ok(code(c.hear()[0]) == -32600, "initialize is not in an array")
for version in VERSIONS[1:]:
    with Client(SPACE) as c:
        c.greet(version)
        c.send(b'[{"jsonrpc":"2.0","id":5,"method":"ping"}]\n')
        ok(c.ask("ping")["result"] == {} and not any("result" in m for m in c.passed), f"{version} has no arrays", c.passed)

# ---- the end ----
ways = {
    "its input ends": lambda c: c.job.stdin.close(),
    "its output is closed": lambda c: c.job.stdout.close(),
    "SIGTERM": lambda c: c.job.terminate(),
    "SIGINT": lambda c: c.job.send_signal(2),
    "SIGKILL": lambda c: c.job.kill(),
}
for way, end in ways.items():
    c = Client(SPACE)
    c.greet()
    c.begin("tools/call", name="js_run", arguments={"code": "progress({note: 'on'}); for(;;);", "timeoutMs": 300000}, _meta={"progressToken": 1})
    while c.hear().get("method") != "notifications/progress":
        pass
    pids = c.all()
    end(c)
    if not c.job.stdout.closed:
        threading.Thread(target=c.rest, daemon=True).start()
    ok(len(pids) > 3 and gone(pids), f"{way}: nothing it started is left", pids)
    c.job.wait()
    c.job.stderr.close()
ok(until(lambda: not owners()), "no run is live", owners())
close_all()

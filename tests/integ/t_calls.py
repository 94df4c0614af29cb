#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Scripts that call tools: forms, errors, limits, how many at once, what is told meanwhile, and every
way in which a run, a call or a process of ours can be ended. Rows G8, J2, J4, J5, J14, T17."""
import atexit
import ctypes
import json
import os
import pathlib
import pty
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time

from desk import WRITE, Desk, alive, name_of, tree
from tap import crisol, ok, run, skip
from wire import children

TOP = pathlib.Path(tempfile.mkdtemp(prefix="crisol-calls-"))
atexit.register(shutil.rmtree, TOP, True)
STATUSES = {"ok", "failed", "refused", "cancelled", "unknown"}
SPACE = tree(TOP / "space", {"a.txt": "hello\n", "b.txt": "b\n"})
# A search in it takes long enough to be met in the middle.
SLOW = tree(TOP / "space/slow", {f"d{n % 50}/f{n}": "nothing of that kind\n" * 50 for n in range(6000)})
SEARCH = "tools.search_text({pattern: 'q{3}[0-9]+z', path: 'slow'})"
ENV = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "CRISOL_STATE_HOME": str(TOP / "state"), "CRISOL_CONFIG_HOME": str(TOP / "config")}


def js(source, *args, **kwargs):
    return run([crisol, "js", *args, "-e", source], env=ENV, cwd=SPACE, **kwargs)


def until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    return condition()


def value(envelope):
    return envelope.get("value")


def statuses(envelope):
    return [c["status"] for c in envelope["calls"]]


def most_at_once(events, of=lambda n: True):
    """How many calls of a run were running at the same time, by its events."""
    running, most = set(), 0
    for e in events:
        if e["event"] == "call" and of(e["n"]):
            running.add(e["n"]) if e["status"] == "running" else running.discard(e["n"])
            most = max(most, len(running))
    return most


with Desk(SPACE) as desk:
    # ---- forms ----
    for source in ["await tools.read_file({path: 'a.txt'})", "await tools.call('read_file', {path: 'a.txt'})", "await tools['read_file']({path: 'a.txt'})",
                   "await (0, tools.read_file)({path: 'a.txt'})", "await tools.call('read_file', JSON.parse('{\"path\":\"a.txt\"}'))"]:
        e, events = desk.script(f"const r = {source}; return [r.content, typeof r, r.truncated]")
        ok(value(e) == ["1: hello\n", "object", False] and statuses(e) == ["ok"], f"{source} gives the result as a value", e)
    e, events = desk.script("return (await tools.list_files()).files.filter(f => !f.startsWith('slow'))")
    ok(value(e) == ["a.txt", "b.txt"], "without an input it is {}", e)
    ok([(c["n"], c["tool"], c["status"]) for c in e["calls"]] == [(1, "list_files", "ok")] and e["calls"][0]["ms"] >= 0 and
       e["usage"]["calls"] == 1 and e["effects"] == {"verdict": "none", "list": []}, "the envelope has the call, and no effect", e)
    ok([(v["event"], v["n"], v["tool"], v["status"], v["finished"], v["started"]) for v in events] ==
       [("call", 1, "list_files", "running", 0, 1), ("call", 1, "list_files", "ok", 1, 1)], "it is told when it begins and when it ends", events)

    # ---- names ----
    for name, near in [("raed_file", "read_file"), ("readfile", "read_file"), ("list_file", "list_files"), ("search_texts", "search_text"), ("zzzzzzzzzzzzzzz", None)]:
        e, _ = desk.script(f"try {{ await tools.{name}({{}}) }} catch (e) {{ return [e.code, e.hint ?? '', e.tool] }}")
        got = value(e)
        ok(got[0] == "TOOL_UNAVAILABLE" and got[2] == name and ((near in got[1]) if near else "did you mean" not in got[1]) and statuses(e) == ["refused"],
           f"{name}: {got[1]}", e)
    for name in ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf", "prototype", "caller", "length"]:
        e, _ = desk.script(f"try {{ await tools.{name}({{}}) }} catch (e) {{ return [e.code, e.tool] }}")
        ok(value(e) == ["TOOL_UNAVAILABLE", name], f"tools.{name} is a tool that is not there", e)
    for name in ["then", "call", "toJSON", "search", "describe", "constructor", "__proto__", "", " ", "read_file ", "read_file\0", "é",
                 "READ_FILE", "../read_file", "x" * 200]:
        e, _ = desk.script(f"try {{ await tools.call({json.dumps(name)}, {{}}) }} catch (e) {{ return [e.code, e.name] }}")
        ok(value(e) in (["TOOL_UNAVAILABLE", "ToolError"], ["INVALID_INPUT", "ToolError"]), f"tools.call({name[:12]!r}) is no tool", e)
    for source, want in [("const t = await tools; return t === tools", True), ("return JSON.stringify(tools)", "{}"), ("return JSON.stringify({a: tools})", '{"a":{}}'),
                         ("return typeof tools.then + typeof tools.toJSON", "undefinedundefined"), ("return Object.keys(tools)", []),
                         ("return `${Object.getPrototypeOf(tools)}`", "null"), ("return typeof tools[Symbol.iterator]", "undefined"),
                         ("return await Promise.resolve(tools) === tools", True), ("async function f() { return tools } return (await f()) === tools", True),
                         ("try { tools.x = 1 } catch { } return typeof tools.x", "function"), ("return `${tools}`.length > 0", True)]:
        e, _ = desk.script(source)
        ok(value(e) == want and e["calls"] == [], f"{source} calls nothing", e)
    e, _ = desk.script("return [...Array(3).keys()].map(i => tools.call(i, {}).catch(e => e.code)) && await tools.call(5, {}).catch(e => e.code)")
    ok(value(e) == "INVALID_INPUT", "a name that is no string", e)

    # Rows J14: not from a script.
    for name in ["js_run", "execute", "forge_guide", "exit_plan", "get_goal", "update_goal", "ask_user_question", "plugin_install"]:
        e, _ = desk.script(f"try {{ await tools.{name}({{}}) }} catch (e) {{ return [e.code, e.message.length > 20] }}")
        ok(value(e) == ["TOOL_UNAVAILABLE", True] and statuses(e) == ["refused"], f"{name} is not there for scripts", e)

    # ---- errors ----
    for source, code, words in [
            ("tools.read_file({})", "INVALID_INPUT", ["path", "missing"]), ("tools.read_file({path: 5})", "INVALID_INPUT", ["path", "string", "number"]),
            ("tools.read_file({path: 'a.txt', lines: 3})", "INVALID_INPUT", ["lines", "startLine"]),
            ("tools.read_file({path: 'a.txt', limit: 5000})", "INVALID_INPUT", ["limit", "5000", "1000"]),
            ("tools.read_file({path: 'a.txt', limit: 'all'})", "INVALID_INPUT", ["limit", "number", "string"]),
            ("tools.read_file('a.txt')", "INVALID_INPUT", ["object"]), ("tools.read_file([])", "INVALID_INPUT", []), ("tools.read_file(null)", "INVALID_INPUT", []),
            ("tools.read_file({path: 1n})", "INVALID_INPUT", ["path", "BigInt"]), ("tools.read_file({path: NaN})", "INVALID_INPUT", ["path", "NaN"]),
            ("tools.read_file({path: 'none'})", "NOT_FOUND", ["none"]), ("tools.read_file({path: '/etc/passwd'})", "OUTSIDE_ROOTS", ["/etc/passwd", "--add-dir"]),
            ("tools.read_file({path: 'slow'})", "NOT_TEXT", ["folder"]), ("tools.write_file({path: 'x', content: '', expectedHash: null})", "TOOL_UNAVAILABLE", ["write_file"]),
            ("tools.search_text({pattern: '('})", "INVALID_INPUT", ["regex"])]:
        e, _ = desk.script(f"try {{ await {source} }} catch (e) {{ return [e.code, e.message, e.hint ?? '', e.tool, e instanceof Error, String(e.stack).length > 0] }}")
        got = value(e) or [None, "", "", "", 0, 0]
        ok(e["status"] == "succeeded" and got[0] == code and all(w in got[1] for w in words) and got[2] and got[3] == source.split(".")[1].split("(")[0] and got[4] and got[5],
           f"{source}: {code}, with message, hint and tool, and can be caught", e)
        e, _ = desk.script(f"\nawait {source}")
        # What the prelude refuses by itself never was a call.
        codes = [code] if e["calls"] else [code, "SCRIPT_ERROR"]
        ok(e["error"] and e["error"]["code"] in codes and e["error"]["line"] == 2 and e["error"]["hint"] and all(w in e["error"]["message"] for w in words),
           "not caught it is the run's own, with its line", e)
        ok(e["effects"] == {"verdict": "none", "list": []} and set(statuses(e)) <= {"failed", "refused"}, "and no effect", e)
    # A code is the broker's word, not the script's.
    for source in ["throw Object.assign(new Error('mine'), {code: 'DENIED', tool: 'read_file'})", "throw {code: 'CALL_LIMIT', message: 'x'}",
                   "try { await tools.read_file({path: 'none'}) } catch (e) { e.code = 'DENIED'; throw e }",
                   "try { await tools.read_file({path: 'none'}) } catch (e) { throw Object.assign(Object.create(e), {code: 'TIMEOUT'}) }",
                   "let E; try { await tools.read_file({path: 'none'}) } catch (e) { E = e.constructor } throw new E('x', {code: 'CANCELLED'})"]:
        e, _ = desk.script(source)
        ok(e["status"] == "failed" and e["error"]["code"] in ("SCRIPT_ERROR", "NOT_FOUND"), f"{source[-60:]} ends as what it was", e)
    e, _ = desk.script("try { await tools.read_file({path: 'none'}) } catch (e) { return JSON.parse(JSON.stringify({...e, m: e.message})) }")
    ok(value(e)["code"] == "NOT_FOUND" and value(e)["tool"] == "read_file", "its fields can be returned", e)
    e, _ = desk.script("const all = await Promise.allSettled([tools.read_file({path: 'a.txt'}), tools.read_file({path: 'none'}), tools.nope()]); return all.map(r => r.reason?.code ?? r.status)")
    ok(value(e) == ["fulfilled", "NOT_FOUND", "TOOL_UNAVAILABLE"] and statuses(e) == ["ok", "failed", "refused"], "one that fails leaves the others alone", e)

    # ---- awaited or not ----
    for source in ["tools.read_file({path: 'a.txt'}); return 1", "tools.read_file({path: 'none'}); return 1", "void tools.list_files()", "const p = tools.read_file({path: 'a.txt'}); return 1",
                   "await tools.list_files(); tools.read_file({path: 'a.txt'}); return 1", "for (const p of ['a.txt', 'b.txt']) tools.read_file({path: p})"]:
        e, _ = desk.script(source)
        ok(e["status"] == "failed" and e["error"]["code"] == "UNAWAITED_CALL" and e["error"]["hint"] and set(statuses(e)) <= {"ok", "failed"},
           f"{source}: a call that nobody waits for is an error", e)
    for source in ["return await Promise.race([tools.read_file({path: 'a.txt'}), tools.read_file({path: 'b.txt'})]).then(() => 1)",
                   "tools.read_file({path: 'none'}).catch(() => 0); await tools.read_file({path: 'a.txt'}); return 1", "const p = tools.read_file({path: 'a.txt'}); await p; return 1",
                   "const p = tools.read_file({path: 'a.txt'}); await new Promise(r => setTimeout(r, 50)); await p; return 1"]:
        e, _ = desk.script(source)
        ok(value(e) == 1 and e["error"] is None and set(statuses(e)) <= STATUSES, f"{source[:70]}: is waited for", e)

    # ---- how many ----
    for most, args in [(50, {}), (500, {"max_tool_calls": 500}), (1, {"max_tool_calls": 1}), (7, {"max_tool_calls": 7})]:
        source = ("const codes = []; for (let i = 0; i < %d; i++) try { await tools.read_file({path: 'a.txt'}); codes.push('ok') } catch (e) { codes.push(e.code) } return codes" % (most + 3))
        e, events = desk.script(source, max_output_chars=48000, **args)
        ok(value(e) == ["ok"] * most + ["CALL_LIMIT"] * 3 and e["status"] == "succeeded" and e["usage"]["calls"] == most + 3,
           f"{most} calls, and those beyond fail as CALL_LIMIT that can be caught", (e["status"], e["error"], (value(e) or [])[-5:]))
        ok(statuses(e)[:most] == ["ok"] * most and e["calls"][most]["status"] == "failed" and e["calls"][most]["code"] == "CALL_LIMIT" and len(e["calls"]) == most + 1,
           "the first one beyond is on the list", e["calls"][-2:])
        e, _ = desk.script("for (let i = 0; i < %d; i++) await tools.read_file({path: 'a.txt'})" % (most + 1), **args)
        ok(e["status"] == "limited" and e["error"]["code"] == "CALL_LIMIT" and "--max-tool-calls" in e["error"]["hint"], "not caught it ends the run", e["error"])
    desk.say("run_start", tag=1, source="return 1", max_tool_calls=501)
    ok(desk.hear("client_refused")["code"] == "INVALID_INPUT", "501 is more than there may be")
    e, _ = desk.script("const all = await Promise.allSettled(Array.from({length: 1000}, () => tools.read_file({path: 'a.txt'}))); "
                       "return [all.filter(r => r.value).length, all.filter(r => r.reason?.code === 'CALL_LIMIT').length]", max_tool_calls=500)
    ok(value(e) == [500, 500] and e["usage"]["calls"] == 1000, "1,000 at once: 500 and 500", e["error"] or value(e))
    ok(desk.script("return (await tools.read_file({path: 'a.txt'})).startLine")[0].get("value") == 1, "the next run has its own count")

    def memory():
        rollup = pathlib.Path(f"/proc/{desk.process.pid}/smaps_rollup").read_text()
        return int(rollup.split("Anonymous:")[1].split()[0]) * 1024

    def journal():
        return sum(f.stat().st_size for f in (desk.home / "state").iterdir())

    flood = "let n = 0; for (let i = 0; i < %d; i++) try { await tools.read_file({path: 'a.txt'}) } catch (e) { n += e.code === 'CALL_LIMIT' } return n"
    desk.script(flood % 5000, timeout_ms=300000)
    before, disk = memory(), journal()
    desk.socket.settimeout(300)  # the broker says nothing of calls beyond the limit
    e, events = desk.script(flood % 200000, timeout_ms=300000)
    ok(value(e) == 199950 and len(e["calls"]) == 51 and e["usage"]["calls"] == 200000, "200,000 calls in a loop that catches them", e["error"])
    ok(memory() < before + (1 << 20), "do not make the broker grow", (before, memory()))
    ok(journal() < disk + (1 << 20), "nor its journal", (disk, journal()))

    # ---- at once ----
    for args, want in [({}, 4), ({"max_concurrency": 1}, 1), ({"max_concurrency": 2}, 2), ({"max_concurrency": 16}, 16)]:
        e, events = desk.script("await Promise.all(Array.from({length: 40}, () => tools.read_file({path: 'a.txt'}))); return 1", **args)
        ok(value(e) == 1 and most_at_once(events) == want, f"{want} at once, the others wait", (args, most_at_once(events), e["error"]))
        order = [v["n"] for v in events if v["event"] == "call" and v["status"] == "running"]
        ok(order == list(range(1, 41)), "and begin in the order they were made", order)
    desk.say("run_start", tag=1, source="return 1", max_concurrency=17)
    ok(desk.hear("client_refused")["code"] == "INVALID_INPUT", "17 at once is more than there may be")
    # What writes or starts programs goes one at a time, in order, beside what reads.
    e, events = desk.script("const f = (t, i) => tools.call(t, i).catch(e => e.code); return await Promise.all([f('write_file', {}), f('read_file', {path: 'a.txt'}), f('shell', {}), "
                            "f('read_file', {path: 'b.txt'}), f('edit_file', {}), f('bg_run', {}), f('python_run', {}), f('artifact_export', {}), f('run_process', {})])")
    serial = [1, 3, 5, 6, 7, 8, 9]
    order = [v["n"] for v in events if v["n"] in serial]
    ok(order == sorted(order) and most_at_once(events, lambda n: n in serial) <= 1, "effects go one at a time, in order", events)


def busy(desk):
    """Workers that have a ripgrep."""
    return [pid for pid in desk.workers() if any(name_of(c) == "rg" for c in children(pid))]


def finish_run(desk):
    """The envelope and the events of the run that was started."""
    events = []
    while True:
        name, got = desk.hear("run_done", "run_event")
        if name == "run_done":
            return json.loads(got["envelope"]), events
        events.append(json.loads(got["json"]))


# ---- workers: how many there are, and what becomes of them ----
for args, want in [({}, 4), ({"max_concurrency": 1}, 1), ({"max_concurrency": 16}, 16)]:
    with Desk(SPACE) as desk:
        desk.say("run_start", tag=1, source=f"return (await Promise.all(Array.from({{length: {want + 6}}}, () => {SEARCH}))).filter(r => r.exitCode === 1).length",
                 timeout_ms=300000, **args)
        stopped = set()

        def hold():
            for pid in set(desk.workers()) - stopped:
                os.kill(pid, signal.SIGSTOP)
                stopped.add(pid)
            return len(stopped) >= want

        until(hold)
        for _ in range(20):
            hold()
            time.sleep(0.01)
        ok(len(stopped) == want, f"{want} workers and no more for {want + 6} calls at once", len(stopped))
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
        e, events = finish_run(desk)
        ok(value(e) == want + 6 and set(statuses(e)) == {"ok"}, "and all calls are answered", e["error"] or statuses(e))

with Desk(SPACE) as desk:
    # Killed in the middle: its call fails, the others and the next go on.
    desk.say("run_start", tag=1, source=f"const all = await Promise.allSettled([{SEARCH}, {SEARCH}, tools.read_file({{path: 'a.txt'}})]); return all.map(r => r.reason?.code ?? 'ok')")
    until(lambda: busy(desk))
    victim = (busy(desk) or desk.workers())[0]
    below = children(victim)
    os.kill(victim, signal.SIGKILL)
    e, _ = finish_run(desk)
    ok(sorted(value(e)) == ["TOOL_FAILED", "ok", "ok"] and sorted(statuses(e)) == ["failed", "ok", "ok"], "a worker that is killed in the middle fails its call alone", e)
    ok(until(lambda: not any(alive(p) for p in below)), "what it had started ends with it", below)
    ok(desk.script("return (await tools.read_file({path: 'a.txt'})).content")[0].get("value") == "1: hello\n", "the next call works")
    for pid in desk.workers():
        os.kill(pid, signal.SIGKILL)
    ok(desk.script("return (await tools.read_file({path: 'a.txt'})).content")[0].get("value") in ("1: hello\n", None), "idle workers that are killed")
    ok(desk.script("return (await tools.read_file({path: 'a.txt'})).content")[0].get("value") == "1: hello\n", "are replaced")
    # One that never answers: its time is up, and nobody waits for it.
    for pid in until(desk.workers):
        os.kill(pid, signal.SIGSTOP)
    held = desk.workers()
    e, events = desk.script("const all = await Promise.allSettled(Array.from({length: 5}, () => tools.read_file({path: 'b.txt'}))); return all.map(r => r.reason?.code ?? 'ok')")
    ok(sorted(value(e)) == ["TIMEOUT"] * len(held) + ["ok"] * (5 - len(held)), f"{len(held)} that never answers: TIMEOUT", value(e))
    ends = [v["status"] for v in events if v["event"] == "call" and v["status"] != "running"]
    ok(ends[:5 - len(held)] == ["ok"] * (5 - len(held)), "the others did not wait for it", ends)
    ok(until(lambda: not any(alive(p) for p in held)), "and it is gone", held)
    e, _ = desk.script("await tools.read_file({path: 'a.txt'}); return 1")
    ok(value(e) == 1, "the next call works", e)

    # Cancelled with a thousand calls on their way.
    for asked in ["cancel", "timeout", "return", "throw", "memory"]:
        source = f"const all = Array.from({{length: 1000}}, () => {SEARCH}); all.forEach(p => p.catch(() => 0)); await tools.read_file({{path: 'a.txt'}}).catch(() => 0); "
        source += {"return": "return 1", "throw": "throw new Error('x')", "memory": "const k = []; for (;;) k.push({})"}.get(asked, "await Promise.allSettled(all)")
        desk.say("run_start", tag=1, source=source, watched=1, max_tool_calls=500, timeout_ms=2000 if asked == "timeout" else 60000)
        if asked == "cancel":
            until(lambda: busy(desk))
            desk.say("run_cancel", tag=1)
        e, events = finish_run(desk)
        want = {"cancel": ["CANCELLED"], "timeout": ["TIMEOUT"], "return": [None], "throw": ["SCRIPT_ERROR"], "memory": ["MEMORY_LIMIT"]}[asked]
        ok((e["error"] or {"code": None})["code"] in want, f"a thousand calls, then {asked}: the run ends", e["error"])
        # A cancel may come before all of them were made.
        ok(set(statuses(e)) <= STATUSES and (len(e["calls"]) == 501 or asked == "cancel") and all(c["ms"] >= 0 for c in e["calls"]), "each call has its end", set(statuses(e)))
        began = {v["n"] for v in events if v["event"] == "call" and v["status"] == "running"}
        ended = {v["n"] for v in events if v["event"] == "call" and v["status"] != "running"}
        ok(began <= ended, "and none that was told as running is left so", sorted(began - ended)[:5])
        ok(until(lambda: not busy(desk)), "no ripgrep goes on", busy(desk))
        ok(desk.script("await tools.read_file({path: 'a.txt'}); return 1")[0].get("value") == 1, "the next run works")

    # What a closed process holds: its channel, and what it made itself.
    for name in ["crisol-js", "crisol-tool"]:
        pid = desk.workers(name)[0]
        if os.geteuid() == 0:
            held = {int(fd): os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")}
            ok([held[n] for n in range(3)] == ["/dev/null"] * 3 and sum("socket:" in to for to in held.values()) == 1 and not any("/tty" in to or "/pts" in to for to in held.values()),
               f"{name} holds one channel and no terminal", held)
        else:
            skip("no root: another's descriptors are root's to see")

    # A million reports of progress.
    e, events = desk.script("for (let i = 0; i < 1e6; i++) progress({completed: i, total: 1e6, note: 'at ' + i}); return 1", timeout_ms=300000)
    reports = [v for v in events if v["event"] == "progress"]
    ok(value(e) == 1 and 0 < len(reports) <= e["usage"]["wall_ms"] / 100 + 2 and reports[-1] == {"event": "progress", "completed": 999999, "total": 1000000, "note": "at 999999"},
       "a million reports: at most ten a second are told, the last one is", (len(reports), e["usage"], reports[-1:]))
    for source, want in [("progress({note: 'only'})", {"note": "only"}), ("progress({completed: 3})", {}), ("progress({total: 3, note: 'x'})", {"note": "x"}),
                         ("progress({completed: 1, total: 2})", {"completed": 1, "total": 2})]:
        _, events = desk.script(source + "; return 1")
        got = {k: v for k, v in events[0].items() if k != "event"} if events else {}
        ok(got == want, f"{source}: no fraction without both numbers", events)

    # Two runs of one session at once share the workers and nothing else.
    desk.say("run_start", tag=1, source="for (let i = 0; i < 40; i++) await tools.read_file({path: 'a.txt'}); return 'a'")
    desk.say("run_start", tag=2, source="for (let i = 0; i < 40; i++) if ((await tools.read_file({path: 'b.txt'})).content !== '1: b\\n') throw 1; return 'b'")
    got = {}
    while len(got) < 2:
        d = desk.hear("run_done")
        got[d["tag"]] = json.loads(d["envelope"])
    ok(value(got[1]) == "a" and value(got[2]) == "b" and len(got[1]["calls"]) == len(got[2]["calls"]) == 40, "two runs at once are not mixed up", got)

# ---- the command ----
for source, rc, code in [("await tools.read_file({path: 'none'})", 1, "NOT_FOUND"), ("await tools.read_file({path: 'slow'})", 1, "NOT_TEXT"), ("await tools.read_file({limit: 1})", 2, "INVALID_INPUT"),
                         ("for (;;) await tools.read_file({path: 'a.txt'})", 3, "CALL_LIMIT"), ("await tools.read_file({path: '/etc/passwd'})", 4, "OUTSIDE_ROOTS"),
                         ("await tools.shell({command: 'ls'})", 4, "TOOL_UNAVAILABLE"), ("tools.list_files(); return 1", 1, "UNAWAITED_CALL")]:
    r = js(source)
    ok(r.rc == rc and code in r.err and "hint:" in r.err and r.out == "", f"{source} exits with {rc}", r)
r = js("for (let i = 0; i < 60; i++) await tools.read_file({path: 'a.txt'}); return 'all'", "--max-tool-calls", "60")
ok(r.out == '"all"\n' and r.err == "", "--max-tool-calls", r)
r = js("return 1", "--max-tool-calls", "501")
ok(r.rc == 2 and "500" in r.err, "--max-tool-calls 501 is refused", r)

# --events: what happens, a line each, the last one the envelope.
r = js("progress({completed: 1, total: 2, note: 'a\\nb\\x1b'}); console.log('text'); await Promise.all(Array.from({length: 30}, () => tools.read_file({path: 'a.txt'}))); return [1]", "--events")
lines = [json.loads(line) for line in r.out.splitlines()]
ok(r.rc == 0 and all(v["event"] in ("call", "progress") for v in lines[:-1]) and len(lines) == 62 and lines[-1]["value"] == [1] and lines[-1]["status"] == "succeeded" and
   lines[-1]["text"] == "text\n" and len(lines[-1]["calls"]) == 30 and r.err == "", "--events: JSON a line, the envelope last", (r.rc, r.err, len(lines), lines[-1]))
r = js("await tools.read_file({path: '/etc/passwd'})", "--events")
lines = [json.loads(line) for line in r.out.splitlines()]
ok(r.rc == 4 and [v.get("status") for v in lines] == ["running", "refused", "refused"] and lines[1]["code"] == lines[2]["error"]["code"] == "OUTSIDE_ROOTS",
   "a refusal is an event, too, and has its exit", (r.rc, lines))
job = subprocess.Popen([crisol, "js", "--events", "--max-tool-calls", "500", "-e",
                        "for (let i = 0; i < 500; i++) await tools.read_file({path: 'a.txt'}); console.log('x'.repeat(1e5)); return 'y'.repeat(10000)"], stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENV, cwd=SPACE)
time.sleep(1)
out, err = job.communicate(timeout=60)
lines = [json.loads(line) for line in out.splitlines()]
ok(job.returncode == 0 and len(lines) == 1001 and lines[-1]["status"] == "succeeded", "who reads slowly gets all of it", (job.returncode, len(lines), err))

# From here on every orphan comes to this process: nothing may be left when a command is gone.
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def nothing_left():
    """Whether all processes below this one have ended; reaps orphans."""
    def look():
        while True:
            try:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    break
            except ChildProcessError:
                break
        return not children(os.getpid())
    return until(look, 20)


def start(source, *args, **kwargs):
    return subprocess.Popen([crisol, "js", "--timeout-ms", "60000", *args, "-e", source], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, env=ENV, cwd=SPACE, start_new_session=True, **kwargs)


def left():
    return [(pid, name_of(pid)) for pid in children(os.getpid())]


MANY = f"const all = Array.from({{length: 1000}}, () => {SEARCH}); await Promise.allSettled(all)"
ok(nothing_left(), "nothing is left so far", left())
for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
    job = start(MANY, "--json", "--max-tool-calls", "500")
    until(lambda: any(name_of(p) == "rg" for p in children(job.pid)))
    job.send_signal(number)
    out, err = job.communicate(timeout=60)
    e = json.loads(out or "{}")
    ok(job.returncode == 130 and e.get("status") == "cancelled" and statuses(e) and set(statuses(e)) <= STATUSES, f"{number.name} with calls on their way", (job.returncode, err, out[:300]))
    ok(nothing_left(), f"{number.name}: no process is left", left())
job = start(MANY, "--json", "--max-tool-calls", "500")
until(lambda: any(name_of(p) == "rg" for p in children(job.pid)))
listed = json.loads(run([crisol, "runs", "list", "--live", "--json"], env=ENV).out or "[]")
r = run([crisol, "runs", "cancel", listed[0]["run"] if listed else "none"], env=ENV)
out, err = job.communicate(timeout=60)
e = json.loads(out or "{}")
ok(r.rc == 0 and job.returncode == 130 and e.get("status") == "cancelled" and set(statuses(e)) <= STATUSES, "runs cancel with calls on their way", (r, job.returncode, out[:300]))
ok(nothing_left(), "runs cancel: no process is left", left())
shown = json.loads(run([crisol, "runs", "show", "--json", listed[0]["run"]], env=ENV).out) if listed else {}
ok(shown and "started" not in [c["status"] for c in shown["calls"]] and shown["status"] == "cancelled", "and no row of it is started any more", shown and shown["status"])
job = subprocess.Popen([crisol, "call", "search_text", '{"pattern": "q{3}[0-9]+z", "path": "slow"}'], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                       env=ENV, cwd=SPACE)
until(lambda: any(name_of(p) == "rg" for p in children(job.pid)))
job.send_signal(signal.SIGINT)
out, err = job.communicate(timeout=60)
ok(job.returncode == 130 and "CANCELLED" in err, "a direct call is cancelled by Ctrl-C", (job.returncode, out, err))
ok(nothing_left(), "and nothing of it is left", left())

# Any of them killed, at any moment.
seed = random.randrange(1 << 32)
chance = random.Random(seed)
bad = []
for turn in range(36):
    victim = ["crisol", "crisol-core", "crisol-launch", "crisol-js", "crisol-tool", "rg"][turn % 6]
    job = start(MANY if turn % 3 else "for (let i = 0; i < 400; i++) await tools.read_file({path: 'a.txt'}); return 1", "--max-tool-calls", "500")
    end = time.monotonic() + chance.random() * 0.6
    while time.monotonic() < end or (victim in ("crisol-tool", "rg") and turn % 3 and job.poll() is None and victim not in map(name_of, children(job.pid))):
        time.sleep(0.002)
    for pid in [job.pid] + children(job.pid):
        if name_of(pid) == victim:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            break
    if victim in ("crisol-tool", "rg"):
        time.sleep(0.05)
        job.send_signal(signal.SIGTERM)
    try:
        out, err = job.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        bad.append((turn, victim, "hangs", left()))
        job.kill()
        job.communicate()
    if not nothing_left():
        bad.append((turn, victim, left()))
        for pid, _ in left():
            os.kill(pid, signal.SIGKILL)
        nothing_left()
ok(not bad, f"36 deaths at chance's moments ({seed}): nothing is left", bad)
r = js("await tools.read_file({path: 'a.txt'}); return 1")
ok(r.out == "1\n", "and the next command works", r)

# Nobody listens any more.
job = start("for (let i = 0; i < 100000; i++) { await tools.read_file({path: 'a.txt'}).catch(() => 0); progress({note: 'n' + i}); await new Promise(r => setTimeout(r, 2)) }", "--events")
first = job.stdout.readline()
job.stdout.close()
job.stderr.close()
ok(json.loads(first)["event"] and until(lambda: job.poll() is not None, 40) and job.returncode != 0, "who closes standard output after one line ends the run", job.returncode)
ok(nothing_left(), "and nothing of it is left", left())
r = run(["/bin/sh", "-c", f"{crisol} js --events -e 'for (let i = 0; i < 40; i++) await tools.read_file({{path: `a.txt`}}); return 1' | head -1"], env=ENV, cwd=SPACE, timeout=60)
ok(json.loads(r.out)["event"] == "call", "| head -1", r)
r = run(["/bin/sh", "-c", f"exec {crisol} js -e 'progress({{note: `x`}}); console.log(1); return (await tools.read_file({{path: `a.txt`}})).content' 2>&-"], env=ENV, cwd=SPACE)
ok(r.rc == 0 and r.out == '"1: hello\\n"\n', "without a standard error the value comes", r)
r = run(["/bin/sh", "-c", f"exec {crisol} call read_file '{{\"path\":\"a.txt\"}}' >&-"], env=ENV, cwd=SPACE)
ok(r.rc == 1, "without a standard output that is an error", r)
ok(nothing_left(), "nothing is left", left())


# ---- the live line of a terminal ----
def on_terminal(source, columns=80):
    leader, follower = pty.openpty()
    import fcntl
    import struct
    import termios
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    job = subprocess.Popen([crisol, "js", "-e", source], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=follower, text=True, env=ENV, cwd=SPACE)
    os.close(follower)
    shown = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    out = job.communicate(timeout=60)[0]
    os.close(leader)
    return job.returncode, out, shown.decode(errors="replace")


rc, out, shown = on_terminal("progress({completed: 12, total: 40, note: 'reading'}); await Promise.all([tools.read_file({path: 'a.txt'}), tools.read_file({path: 'b.txt'})]); "
                             "await new Promise(r => setTimeout(r, 1200)); return 7")
ok(out == "7\n" and re.search(r"reading +12/40 +2/2 calls +\d+\.\d s", shown) and shown.endswith("\r\x1b[K"), "note, fraction, calls and time, and it goes away", shown[-300:])
rc, out, shown = on_terminal("progress({note: 'a\\x1b[31m\\nb\\u202e' + '\\u4e2d'.repeat(150)}); await new Promise(r => setTimeout(r, 900)); return 7", 60)
lines = [line for line in re.split(r"\r(?:\x1b\[K)?", shown) if line]
ok(out == "7\n" and "\x1b[31m" not in shown and "\n" not in shown and "\u202e" not in shown and "\\x1b[31m" in shown, "what a script says of itself does not drive the terminal", shown[-300:])
ok(lines and all(sum(2 if "\u2e80" <= c <= "\uffff" else 1 for c in line) < 60 for line in lines), "and takes one line of it, however wide its characters are", lines[-1:])
rc, out, shown = on_terminal("progress({completed: 1}); await new Promise(r => setTimeout(r, 900)); return 7")
ok("running" in shown and "/" not in shown.replace("calls", ""), "no fraction without both numbers", shown[-200:])
rc, out, shown = on_terminal("console.log('text'); progress({note: 'n'}); await new Promise(r => setTimeout(r, 900)); console.log('more'); return 7")
ok("text\r\n" in shown and shown.replace("\r\n", "\n").split("\x1b[K")[-1].rstrip("\r") in ("more\n", "") and "more\r\n" in shown, "text has lines of its own", shown[-200:])

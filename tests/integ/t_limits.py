#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every limit, and abuse of each kind: its own code and exit, the next run works, nothing is left.
All in one session, so that each script follows the damage of the one before it. Rows J3, J4."""
import json
import os
import pathlib
import tempfile

from tap import crisol, ok, run
from wire import Core, children

MIB = 1 << 20


def crossings(core):
    """What a session holds: processes, descriptors and mappings of the VM host."""
    pids = children(core.process.pid)
    host = pids[-1]
    return (len(pids), len(os.listdir(f"/proc/{core.process.pid}/fd")), host)


CASES = [
    # loops
    ("while (1) {}", "TIMEOUT"),
    ("for (;;) await 0", "TIMEOUT"),
    ("for (;;) await null; function f() {}", "TIMEOUT"),
    ("try { while (1); } catch { 1 } finally { 2 }", "TIMEOUT"),
    ("for (;;) { try { while (1); } catch {} }", "TIMEOUT"),
    ("for (;;) { try { throw 1 } catch {} finally { continue } }", "TIMEOUT"),
    ("async function f() { for (;;) { try { await f() } catch {} } } await f()", ("TIMEOUT", "MEMORY_LIMIT", "STACK_LIMIT")),
    ("setInterval(() => {}, 1); await new Promise(() => {})", "TIMEOUT"),
    ("await new Promise(() => setTimeout(() => {}, 100000))", "TIMEOUT"),
    ("function g() { queueMicrotask(g) } g(); await new Promise(() => {})", "TIMEOUT"),
    ("const g = (function* () { for (;;) yield 1 })(); for (const x of g);", "TIMEOUT"),
    ("({get a() { for (;;); }})", "TIMEOUT"),
    ("return {toJSON() { for (;;); }}", "TIMEOUT"),
    ("return new Proxy({}, {ownKeys() { for (;;); }})", "TIMEOUT"),
    ("return {then(done) { for (;;); }}", "TIMEOUT"),
    ("throw {get message() { for (;;); }}", ("TIMEOUT", "SCRIPT_ERROR")),
    # native loops that never ask
    ("new Array(2 ** 27).join('x').length", "TIMEOUT"),
    ("/^(a+)+$/.test('a'.repeat(40) + 'b')", "TIMEOUT"),
    ("Array.prototype.indexOf.call({length: 2 ** 53 - 1}, 1)", "TIMEOUT"),
    ("Array.prototype.includes.call({length: 2 ** 53 - 1}, 1)", "TIMEOUT"),
    ("for (;;) [].concat(Array.from({length: 1e5}, (_, i) => i)).sort()", "TIMEOUT"),
    ("for (;;) 'ab'.repeat(1e6).split('').length", ("TIMEOUT", "MEMORY_LIMIT")),
    ("let b = 7n ** 100000n; for (;;) b * b", "TIMEOUT"),
    ("let b = 7n ** 300000n; for (;;) String(b)", ("TIMEOUT", "MEMORY_LIMIT")),
    ("const a = new Array(1e5).fill([1]); for (;;) JSON.stringify(a)", "TIMEOUT"),
    ("const s = JSON.stringify(new Array(1e5).fill({a: 1})); for (;;) JSON.parse(s)", "TIMEOUT"),
    ("for (;;) 'x'.repeat(1e6).replaceAll('x', 'yy')", ("TIMEOUT", "MEMORY_LIMIT")),
    ("for (;;) new Uint8Array(4e6).fill(1).reverse()", "TIMEOUT"),
    ("'x'.repeat(2 ** 30).length", "SCRIPT_ERROR"),
    # recursion
    ("function f() { f() } f()", "STACK_LIMIT"),
    ("function f() { return [1, 2].map(f) } f()", "STACK_LIMIT"),
    ("const o = {get x() { return this.x }}; o.x", "STACK_LIMIT"),
    ("[3, 2, 1].sort(function c() { return [1, 2].sort(c) })", "STACK_LIMIT"),
    ("let a = []; for (let i = 0; i < 1e5; i++) a = [a]; JSON.stringify(a)", "STACK_LIMIT"),
    ("JSON.parse('['.repeat(1e6))", "STACK_LIMIT"),
    ("eval('('.repeat(1e6))", "STACK_LIMIT"),
    ("eval('[' + '['.repeat(1e5) + ']'.repeat(1e5) + ']')", "STACK_LIMIT"),
    ("new RegExp('(?:'.repeat(1e5) + ')'.repeat(1e5))", ("STACK_LIMIT", "SYNTAX_ERROR", "SCRIPT_ERROR")),
    ("let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x", "STACK_LIMIT"),
    ("class A { constructor() { new A() } } new A()", "STACK_LIMIT"),
    ("const f = () => `${{toString: f}}`; f()", "STACK_LIMIT"),
    ("let a = []; for (let i = 0; i < 3e5; i++) a = [a]; a = null; return 'freed'", None),
    # allocation
    ("let a = []; for (;;) a.push([1, 2, 3])", "MEMORY_LIMIT"),
    ("let a = []; for (;;) a.push({b: {}})", "MEMORY_LIMIT"),
    ("let a = []; for (;;) a.push(new Promise(() => {}))", "MEMORY_LIMIT"),
    ("let a = []; for (;;) a.push(() => a)", "MEMORY_LIMIT"),
    ("let s = 'x'; const a = []; for (let i = 0;; i++) a.push(s.repeat(1e4) + i)", "MEMORY_LIMIT"),
    ("const a = []; for (;;) a.push(new ArrayBuffer(1e5))", "MEMORY_LIMIT"),
    ("const a = []; for (;;) a.push(new Proxy({}, {}))", "MEMORY_LIMIT"),
    ("const m = new Map(); for (let i = 0;; i++) m.set(i, {})", "MEMORY_LIMIT"),
    ("const o = {}; for (let i = 0;; i++) o['k' + i] = i", "MEMORY_LIMIT"),
    ("const a = []; for (;;) a.push(Symbol())", "MEMORY_LIMIT"),
    ("let b = 1n; for (;;) b = b << 100000n", ("MEMORY_LIMIT", "SCRIPT_ERROR", "TIMEOUT")),
    ("new Uint8Array(100e6)", "MEMORY_LIMIT"),
    ("new Array(4e8).fill(0)", "MEMORY_LIMIT"),
    ("globalThis.k = []; for (;;) { try { k.push([k.length]); } catch (e) { throw e } }", "MEMORY_LIMIT"),
    ("globalThis.k = []; for (;;) { try { k.push('x' + k.length) } catch { try { throw new Error('full' + k.length) } catch (e) { k.push(e) } } }",
     ("MEMORY_LIMIT", "TIMEOUT")),
    ("const k = []; async function f() { for (;;) { k.push(await k.length); k.push([]) } } await f()", ("MEMORY_LIMIT", "TIMEOUT")),
    ("let a = []; try { for (;;) a.push({}) } catch (e) { a = null; return String(e) }", None),
    # output
    ("for (;;) console.log('x'.repeat(1000))", "TIMEOUT"),
    ("for (let i = 0; i < 1e5; i++) text(i)", None),
    # poisoned ground
    ("Promise.prototype.then = function () { for (;;); }; await 1; return 1", ("TIMEOUT", None)),
    ("Object.prototype.toJSON = () => 1; Array.prototype.push = null; JSON.stringify = null; return [1, {a: 2}]", None),
    ("globalThis.Error = null; Error.prototype", "SCRIPT_ERROR"),
    ("Error.prepareStackTrace = () => { for (;;); }; null.x", ("TIMEOUT", "SCRIPT_ERROR")),
    ("Object.defineProperty(Object.prototype, 'value', {get() { return 7 }, set() {}}); return 5", None),
    ("Object.defineProperty(Object.prototype, 'then', {get() { return undefined }}); return {a: 1}", None),
]

with Core() as core:
    core.run("return 0")
    before = crossings(core)
    restarts = 0
    for source, want in CASES:
        wanted = want if isinstance(want, tuple) else (want,)
        done = core.run(source, timeout_ms=400 if "TIMEOUT" in wanted else 20000)
        ok((done["code"] or None) in wanted and (done["code"] == "") == (done["message"] == ""),
           f"{source[:90]} ends as {' or '.join(str(w) for w in wanted)}", done["envelope"][:600])
        if done["code"]:
            ok(done["hint"], f"{done['code']} has a hint")
        again = core.run("return [6 * 7, [].concat([1], [2]).join(), JSON.stringify({a: Promise.resolve ? 1 : 0})]")
        ok(again["value"] == '[42,"1,2",\'{"a":1}\']'.replace("'", '"').replace('"{"a":1}"', '"{\\"a\\":1}"'),
           "the next run works", again["envelope"][:300])
    after = crossings(core)
    ok(after[:2] == before[:2], "no process and no descriptor is left", (before, after))
    ok(after[2] == before[2], "and no stop has cost the process", (before, after))

    # Limits are what the request says.
    for flag, low, source in [("memory_bytes", 2 * MIB, "return 'x'.repeat(4e6).length"),
                              ("cpu_ms", 50, "while (1) {}"), ("timeout_ms", 30, "while (1) {}"),
                              ("stack_bytes", 32768, "function f(n) { return n ? f(n - 1) + 1 : 0 } return f(400)")]:
        done = core.run(source, **{flag: low})
        codes = {"memory_bytes": "MEMORY_LIMIT", "cpu_ms": "CPU_LIMIT", "timeout_ms": "TIMEOUT", "stack_bytes": "STACK_LIMIT"}
        ok(done["code"] == codes[flag], f"{flag}={low} is kept", done["envelope"][:300])
    done = core.run("function f(n) { return n ? f(n - 1) + 1 : 0 } return f(1500)", stack_bytes=524288)
    ok(done["value"] == "1500", "a deeper stack on request", done["envelope"][:300])
    done = core.run("return new Uint8Array(1e8).length", memory_bytes=128 * MIB)
    ok(done["value"] == "100000000", "more memory on request", done["envelope"][:300])
    done = core.run("for (let i = 0; i < 20; i++) await new Promise(r => setTimeout(r, 10)); return 1", cpu_ms=100)
    ok(done["value"] == "1", "waiting costs no processor time", done["envelope"][:300])
    for flag, value in [("timeout_ms", 300001), ("memory_bytes", 128 * MIB + 1), ("stack_bytes", 1), ("max_output_chars", 99)]:
        core.say("run_start", tag=1, source="return 1", **{flag: value})
        refused = core.hear("client_refused")
        ok(refused["code"] == "INVALID_INPUT" and str(value) in refused["message"], f"{flag}={value} is refused", refused)
    ok(core.run("return 1")["value"] == "1", "and the session goes on")

# The exits, and sizes, through the command.
state = {"CRISOL_STATE_HOME": tempfile.mkdtemp()}
for source, args, rc, code in [("while (1) {}", ["--timeout-ms", "100"], 3, "TIMEOUT"),
                               ("while (1) {}", ["--cpu-ms", "100"], 3, "CPU_LIMIT"),
                               ("const a = []; for (;;) a.push({})", [], 3, "MEMORY_LIMIT"),
                               ("function f() { f() } f()", [], 3, "STACK_LIMIT"),
                               ("nope", [], 1, "SCRIPT_ERROR"), ("let 1", ["--json"], 1, "SYNTAX_ERROR")]:
    r = run([crisol, "js", *args, "-e", source], env=state)
    ok(r.rc == rc and code in r.err + r.out, f"{code} exits with {rc}", r)
with tempfile.TemporaryDirectory() as folder:
    big = pathlib.Path(folder) / "big.js"
    with open(big, "w") as f:
        for _ in range(50):
            f.write("//" + "x" * (MIB - 3) + "\n")
    r = run([crisol, "js", big], env=state, timeout=60)
    ok(r.rc == 1 and "TOO_LARGE" in r.err and "4194304" in r.err, "50 MB of source are refused with the limit", r)
    big.write_text("return 1 //" + "x" * (4 * MIB - 20))
    r = run([crisol, "js", big], env=state, timeout=60)
    ok(r.out == "1\n", "4 MiB of source run", r)
    big.write_bytes(b"return 1 // \xff\xfe")
    r = run([crisol, "js", big], env=state)
    ok(r.rc == 2 and "UTF-8" in r.err, "bytes that are no text are refused", r)
    big.write_bytes(b"return 1; \x00 2")
    r = run([crisol, "js", big], env=state)
    ok(r.rc == 1 and "SYNTAX_ERROR" in r.err, "a NUL is a syntax error", r)
    big.write_bytes(b"return 'a\x00b'.length")
    r = run([crisol, "js", big], env=state)
    ok(r.out == "3\n", "a NUL in a string is a character", r)

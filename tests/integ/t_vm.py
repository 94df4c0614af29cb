#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A script inside the VM reaches nothing but what it was given. Rows J1, J6."""
import json
import pathlib
import shutil
import tempfile

from attempts import ESCAPE, attempts
from desk import Desk, tree
from tap import ok, run, skip
from wire import Core

ATTEMPTS = list(attempts())
# How an attempt may end that did not get through; the rest would be a fault of ours.
ENDS = {"", "SCRIPT_ERROR", "SYNTAX_ERROR", "MEMORY_LIMIT", "STACK_LIMIT", "NOT_FOUND", "INVALID_INPUT", "DENIED", "TOOL_UNAVAILABLE", "UNAWAITED_CALL"}

# All that is there, by name. A new one must be meant.
GLOBALS = """
AbortController AbortSignal AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array
Boolean Crypto CustomEvent DOMException DataView Date DisposableStack Error EvalError Event EventTarget
FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array
InternalError Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set
SharedArrayBuffer String SuppressedError Symbol SyntaxError TextDecoder TextEncoder TypeError URIError URL
URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet args atob btoa
clearImmediate clearInterval clearTimeout console crypto decodeURI decodeURIComponent encodeURI encodeURIComponent
escape eval globalThis isFinite isNaN parseFloat parseInt performance progress queueMicrotask setImmediate setInterval
setTimeout state structuredClone text tools undefined unescape
""".split()

# What a script could overwrite to overhear the prelude: everything it is handed is kept and looked through.
SPY = """
const heard = [], { apply, construct } = Reflect, { getOwnPropertyDescriptor, prototype: { hasOwnProperty } } = Object;
let n = 0;
function hear(...list) { for (let i = 0; i < list.length && n < 20000; i++) heard[n++] = list[i] }
function spy(owner, name) {
    const d = getOwnPropertyDescriptor(owner, name);
    if (!d || !d.configurable && !d.writable || typeof d.value !== 'function') return;
    const real = d.value;
    try { owner[name] = function (...list) { hear(this, ...list);
        return new.target ? construct(real, list) : apply(real, this, list) } } catch {}
}
const { getOwnPropertyNames } = Object;
for (const owner of [Array, Array.prototype, Object, Function.prototype, Promise, Promise.prototype, String.prototype, Map.prototype,
        Set.prototype, WeakMap.prototype, JSON, Math, Reflect, RegExp.prototype, Error, Error.prototype, Number.prototype, Symbol.prototype,
        Date.prototype, ArrayBuffer.prototype, Object.getPrototypeOf(Uint8Array.prototype), globalThis])
    for (const name of getOwnPropertyNames(owner))
        if (!['globalThis', 'eval', 'undefined', 'constructor', 'Reflect', 'Object', 'Function', 'Promise', 'args'].includes(name) &&
            !(owner === Reflect && (name === 'apply' || name === 'construct'))) spy(owner, name);
for (const name of ['value', 'get', 'set', 'then', 'done', 'next', 'settle', 'text', 'message', 'stack', 'ok', '0'])
    try { Object.defineProperty(Object.prototype, name, {configurable: true, get() { hear(this) }, set(v) { hear(this, v) }}) } catch {}
try { console.log('a %s', {b: [1]}, new Map([[1, 2]])) } catch {}
try { text({a: 1}) } catch {}
try { new URL('http://user@bücher.example/a?b=c#d').searchParams.get('b') } catch {}
try { structuredClone(new Map([[{}, [1]]])) } catch {}
try { (1234.5).toLocaleString(); new Date(0).toLocaleString() } catch {}
try { crypto.getRandomValues(new Uint8Array(4)); Math.random() } catch {}
try { new TextDecoder().decode(new TextEncoder().encode('é')) } catch {}
for (const call of [tools.call(5), tools.spied({a: {b: [1n]}}), tools.spied({get a() { throw 1 }})]) try { await call } catch (e) { hear(e) }
try { progress({completed: {}}) } catch {}
for (let i = 0; i < 3; i++) await new Promise(done => setTimeout(done, 1));
let found = '';
for (let i = 0; i < n; i++) {
    const h = heard[i];
    if (h === null || typeof h !== 'object' && typeof h !== 'function' || h === globalThis) continue;
    for (const name of ['settle', 'wake', 'kind', 'compile', 'describe', 'watch', 'rejection', 'answer', 'answered'])
        if (apply(hasOwnProperty, h, [name])) found += name + ' ';
}
return found + (n > 50 ? '' : 'the spies were deaf')
"""

with Core() as core:
    names = json.loads(core.run("return Object.getOwnPropertyNames(globalThis)")["value"])
    ok(sorted(names) == sorted(GLOBALS), "the globals are those that are meant",
       {"more": sorted(set(names) - set(GLOBALS)), "less": sorted(set(GLOBALS) - set(names))})
    done = core.run(SPY)
    ok(done["value"] == '""', "overwritten built-ins overhear nothing of the host", done["envelope"][:600])
    done = core.run("const d = [];\nfor (let o = globalThis, i = 0; o && i < 9; o = Object.getPrototypeOf(o), i++)\n"
                    "  for (const k of Reflect.ownKeys(o)) d.push(String(k));\nreturn d.filter(k => /host|entry|native|internal|bridge/i.test(k))")
    ok(done["value"] == '["InternalError"]', "no name speaks of the host", done["envelope"][:300])
    ok(json.loads(core.run("return [new Date().getTimezoneOffset(), new Intl.DateTimeFormat().resolvedOptions().timeZone]")["value"])
       == [0, "UTC"], "the time zone is nobody's")

with tempfile.TemporaryDirectory() as top:
    space = tree(pathlib.Path(top) / "space", {"a.txt": "hello\n", "secret.txt": "SECRET\n"})
    with Desk(space, session="vm", own={"permissions": {"rules": [{"decision": "deny", "path": "secret.txt"}]}}) as desk:
        desk.run("return 1")
        host = desk.workers("crisol-js")
        for a in ATTEMPTS:
            desk.run("state = {}")
            done = [desk.run(step, timeout_ms=20000, args='{"list": [1, 2]}') for step in a["steps"]][-1]
            through = done["code"] == a["code"] if a["code"] else done["value"] == "true"
            ok(not through and done["code"] in ENDS, f"inside: {a['name']}", done["envelope"][:300])
        ok(host == desk.workers("crisol-js"), "the process is the same after all of them")

node = shutil.which("node")
if not node:
    skip("no node: outside the attempts are made in Node")
else:
    r = run([node, ESCAPE / "naive.cjs"], stdin=json.dumps(ATTEMPTS), env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp", "SECRET": "1"}, timeout=100)
    made = [json.loads(line[3:]) for line in r.out.splitlines() if line.startswith("@@ ")]
    for name, through, came in made:
        ok(through, f"outside: {name}", came)
    ok([m[0] for m in made] == [a["name"] for a in ATTEMPTS], "outside every attempt was made", r.err[-500:])

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Scripts may be TypeScript: what works, what is refused, where errors are, how much a source may cost,
and that the typescript package agrees. Rows J1, J13."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from attempts import attempts
from tap import crisol, ok, run, skip
from wire import ROOT, Core

AUTO, JS, TS = 0, 1, 2
CORPUS = (ROOT / "tests/typescript/corpus.txt").read_text().split("-----\n")[1:]
# Those of one step that the file's own controls make in Node.
ATTEMPTS = [(a["name"], a["steps"][0]) for a in attempts() if a["kind"] == "node" and len(a["steps"]) == 1]
PACKAGE = ROOT / "build/deps/typescript/node_modules"
core = Core()


def go(source, language=AUTO, **values):
    done = core.run(source, language=language, **values)
    return done, json.loads(done["value"]) if done["has_value"] else None


def place(done):
    return f"{done['line']}:{done['column']}"


# ---- what it is known by -------------------------------------------------------------------------------

# a < b > (c) and x < y > z are JavaScript, and in TypeScript calls with a type argument: the value tells.
BOTH = "const f = (x) => 'called', a = 1; return f < a > (2)"
for name, source, language, want in [
    ("what parses as JavaScript is that", BOTH, AUTO, False),
    ("unless it is said to be TypeScript", BOTH, TS, "called"),
    ("a fence says so", f"```ts\n{BOTH}\n```", AUTO, "called"),
    ("a fence with the long word, too", f"~~~typescript\n{BOTH}\n~~~", AUTO, "called"),
    ("another fence does not", f"```js\n{BOTH}\n```", AUTO, False),
    ("what was asked for goes before a fence", f"```ts\n{BOTH}\n```", JS, False),
    ("types alone are enough", "const x: number = 4; return x", AUTO, 4),
    ("without a return the last value counts", "const x: number = 4; x + 1", AUTO, 5),
    ("await works at the top", "const x: number = await (Promise.resolve(6) as Promise<number>); x", AUTO, 6),
    ("JavaScript under the name of TypeScript", "return [1, 2].map((x) => x * 2)", TS, [2, 4]),
]:
    done, value = go(source, language)
    ok(value == want and not done["code"], name, done["envelope"][:500])
done, _ = go("const x: number = 1; return x", JS)
ok(done["code"] == "SYNTAX_ERROR" and place(done) == "1:8", "asked for as JavaScript, TypeScript is a syntax error", done["envelope"][:300])
core.say("run_start", tag=9, source="return 1", language=7)
ok(core.hear("client_refused")["code"] == "INVALID_INPUT", "there is no other language")

with tempfile.TemporaryDirectory() as folder:
    for name, want in [("a.ts", '"called"'), ("a.mts", '"called"'), ("a.TS", '"called"'), ("a.js", "false"), ("ts", "false"), (".ts", "false"),
                       ("a.ts.js", "false"), ("a.its", "false")]:
        (pathlib.Path(folder) / name).write_text(BOTH)
        r = run([crisol, "js", os.path.join(folder, name)])
        ok(r.out == want + "\n", f"a file named {name} gives {want}", r)
    r = run([crisol, "js", os.path.join(folder, "a.ts"), "--language", "js"])
    ok(r.out == "false\n", "--language js goes before the name", r)
    r = run([crisol, "js", os.path.join(folder, "a.js"), "--language", "ts"])
    ok(r.out == '"called"\n', "--language ts does, too", r)
    r = run([crisol, "js", "-e", "1", "--language", "python"])
    ok(r.rc == 2 and "--language takes ts, js or auto" in r.err, "another word is refused", r)
    env = {"CRISOL_STATE_HOME": folder + "/state", "CRISOL_TMPDIR": folder}
    run([crisol, "js", "--session", "s", "-e", "1"], env=env, cwd=folder)
    pads = list(pathlib.Path(folder).glob("crisol-*/*/*/scratchpad"))
    if ok(len(pads) == 1, "a session has a scratchpad", pads):
        (pads[0] / "b.ts").write_text(BOTH)
        r = run([crisol, "js", "--session", "s", "--code-path", "b.ts"], env=env, cwd=folder)
        ok(r.out == '"called"\n', "a file of the scratchpad by its name", r)

# ---- what is refused, by its name ------------------------------------------------------------------------

for what, source, at in [
    ("namespace", "namespace N { export const x = 1 }", "1:1"),
    ("namespace", "let a: number\n  export namespace A.B { let c = 1 }", "2:10"),
    ("namespace", "interface I {} namespace N { export let y = 2 }", "1:16"),
    ("namespace", "declare namespace D { let z: 1 }\nnamespace E { let q = 1 }", "2:1"),
    ("module", "module M { export const x = 1 }", "1:1"),
    ("a decorator", "function d(x: any) {}\n@d class A {}", "2:1"),
    ("a decorator", "class A { @d() m(): void {} }", "1:11"),
    ("JSX", "const a: number = 1, b = <div>{a}</div>", "1:26"),
    ("JSX", "return <><b/></>", "1:8"),
    ("import x = ...", "import fs = require('fs')", "1:1"),
    ("import x = ...", "import type fs = require('fs')", "1:1"),
    ("import x = ...", "export import a = b.c", "1:8"),
    ("export =", "const x: number = 1; export = x", "1:22"),
    ("export as namespace", "let x: number; export as namespace N", "1:16"),
    ("accessor", "class A { accessor x: number = 1 }", "1:11"),
    ("accessor", "class A { static accessor #x = 1 }", "1:18"),
]:
    for language in (AUTO, TS):
        done, _ = go(source, language)
        ok(done["code"] == "SYNTAX_ERROR" and done["message"].startswith(what + " cannot be erased") and place(done) == at and done["hint"],
           f"{source[:40]!r} is refused as {what} at {at}", done["envelope"][:600])
for source, want in [
    ("enum E { A = `a` } return E", {"A": "a"}),
    ("enum E { A = 'a', B = A } return E", {"A": "a", "B": "a"}),
    ("enum E { A = 'a' + 1 } return E", {"A": "a1"}),
    ("return (() => <any>{ a: 1 })()", {"a": 1}),
    ("function f() { return <\nnumber\n>5 } return f()", 5),
    ("class A { constructor(public x = 1) {} z = 3 } return Object.keys(new A())", ["x", "z"]),
    ("namespace T { export type A = 1 }\nreturn 1", 1),
    ("const s: string = 'namespace'; return s", "namespace"),
    ("let declare: number = 1\ndeclare\nconst z = 2; return z", 2),
]:
    done, value = go(source)
    ok(value == want and not done["code"], f"{source[:50]!r} works", done["envelope"][:500])
for source in ["import fs from 'fs'; const x: number = 1", "import { a } from 'b'; let x: a", "import 'x'; let y: 1", "export const x: number = 1"]:
    done, _ = go(source, TS)
    ok(done["code"] == "SYNTAX_ERROR" and "no module" in done["hint"], f"{source!r}: there are no modules", done["envelope"][:500])

# ---- where errors are ------------------------------------------------------------------------------------

# What stands between the marks is TypeScript; blanked out, the error must be in the same place.
PLACES = [
    "const x⟦: number⟧ = 1; nope",
    "const s⟦: string⟧ = '😀é\u4e2d'; nope",
    "/* 😀 */ let a⟦: Array<Map<string, number>>⟧ = []; a.b.c",
    "function f⟦<\n\tT extends object,\n\tU = T\n>⟧(a⟦: T⟧,\n\tb⟦?: U⟧)⟦: asserts a is T⟧ {\n\tthrow new TypeError('deep')\n}\nf({})",
    "const f = ⟦<T,>⟧(x⟦: T⟧)⟦: T⟧ => x.y.z; f(1)",
    "⟦enum E { A, B = 5, 'c d' }⟧ ; nope",
    "⟦enum E {\n\tA = 1,\n\tB\n}⟧ nope",
    # On the first line of all the engine counts a call's column from the dot, elsewhere from the name.
    "\n⟦const enum E { A }⟧; [1].map((x⟦: number⟧) => x.a.b)",
    "class A { constructor(⟦private ⟧x⟦: number⟧, ⟦public readonly ⟧y⟦ = 2⟧) { nope } } new A(1)",
    "\nclass B { constructor(⟦private ⟧x⟦: number⟧) { this.m() } m()⟦: void⟧ { nope } } new B(1)",
    "class B {} class A extends B { constructor(⟦private ⟧x⟦: number⟧) { super(); nope } } new A(1)",
    "⟦abstract ⟧class A⟦<T>⟧ { ⟦abstract m(): void;⟧ ⟦protected ⟧n()⟦: void⟧ { null.x } } new (class extends A⟦<1>⟧ {})().n()",
    "⟦interface I {\n\ta: number\n\tb: string\n}\n⟧\n nope",
    "⟦type T = { a: 1 } | 'é';⟧ nope",
    "⟦declare const q: number;⟧\r\n\r\n⟦type T = 1⟧\r\n  nope",
    "const x = 1⟦ as number⟧; const y = x⟦!⟧; y.z.w",
    "const x = (null⟦ as any⟧); x.y",
    "const o = { a: 1 }⟦ satisfies object⟧; o.b.c",
    "const x = ⟦<any>⟧null; x.y",
    "let x⟦!: number⟧; x.y",
    "const m = new Map⟦<string, number>⟧(); const v = m.get('a'); v.b",
    "⟦function f(x: number): void;⟧ function f(x⟦: any⟧)⟦: x is number⟧ { null.x } f(1)",
    "const v⟦: number⟧ = 1;\n⟦type T = 1⟧\n[1].map(null)",
    "try { null⟦!⟧.x } catch (e⟦: unknown⟧) { throw new Error('again', { cause: e }) }",
    "await Promise.resolve(1⟦ as number⟧); nope",
    "const f = async ⟦<T>⟧(x⟦: T⟧) => { await 1; nope }; await f(1)",
    "const x⟦: number⟧ = 1; return x + nope",
    "function f(x⟦: number⟧)⟦: number⟧ { return nope }\nreturn f(1)",
    "let s⟦: string⟧ = `a\n😀${1⟦ as number⟧}\n`; nope",
    "⟦let⟧ ⟦type T = `${1}\n\n`;⟧ nope".replace("⟦let⟧ ", ""),
    "let y⟦: number⟧ = 1\nlet y = 2",
    "const c⟦: number⟧ = 1; c = 2",
    "let x⟦: number⟧ = 08n",
    "const f = (x⟦: number⟧) => { break }",
    "⟦export type T = 1;⟧ nope",
    "⟦import type { A } from 'a';⟧ nope",
]
for text in PLACES:
    typed = re.sub("[⟦⟧]", "", text)
    blank = re.sub("⟦(.*?)⟧", lambda m: re.sub(r"[^\r\n]", " ", m[1]), text, flags=re.S)
    for fence in ("", "\n\n```ts\n"):
        got, _ = go(f"{fence}{typed}\n```" if fence else typed, AUTO)
        want, _ = go(f"{fence.replace('ts', 'js')}{blank}\n```" if fence else blank, JS)
        stack = [json.loads(d["envelope"])["error"]["stack"] for d in (got, want)]
        ok(got["line"] and place(got) == place(want) and got["code"] == want["code"] and stack[0] == stack[1],
           f"{typed[:60]!r}{' in a fence' if fence else ''}: {place(want)}", f"{place(got)} {got['message']}\n{place(want)} {want['message']}\n{stack}")
for source in ["const x: number = 1; return new Error('a').stack", "const f = (x: number): string => new Error('a').stack!\nf(1)"]:
    got, value = go(source)
    _, want = go(re.sub(r": (number|string)(?=[ )])|!$|!(?=\n)", lambda m: " " * len(m[0]), source), JS)
    ok(value == want and value.count("script.js:") >= 1, f"{source!r}: a stack that is read", [value, want])
done, _ = go("const s = '😀é'; nope", JS)
ok(place(done) == "1:17", "columns of JavaScript are characters, too", place(done))

# ---- errors of the parser: which of the two ---------------------------------------------------------------

for source, at, says in [
    ("const x = ;", "1:11", "as TypeScript"),
    ("const x: number = ;", "1:19", "TypeScript"),
    ("const a = 1;\nif (a { }", "2:7", "as TypeScript"),
    ("let x: number = 1\nfunction f(: number) {}", "2:12", "TypeScript"),
    ("let é: string = '\n", "1:17", "TypeScript"),
    ("let a; let a", None, "as TypeScript"),
]:
    done, _ = go(source)
    ok(done["code"] == "SYNTAX_ERROR" and (at is None or place(done) == at) and says in done["message"] + done["hint"],
       f"{source!r}: the better error, at {at}", done["envelope"][:500])
done, _ = go("let x: number = ;", TS)
ok(done["code"] == "SYNTAX_ERROR" and place(done) == "1:17" and "read as TypeScript" in done["message"], "the language is named", done["envelope"][:400])
done, _ = go("// ```\nconst x: number = 1\nthrow new RangeError('mine' as string)")
ok((done["code"], done["line"], done["message"]) == ("SCRIPT_ERROR", 3, "RangeError: mine"), "what a script throws is its own", done["envelope"][:400])

# ---- what a source may cost ------------------------------------------------------------------------------

DEEP = 100000
SLOW = ("functions that may be types", "type arguments that may be comparisons", "much JavaScript that breaks at its end")
for name, source, codes in [
    ("a megabyte of statements", "var x: number = 1;\n" * 55000 + "return x", {"SYNTAX_ERROR", "TOO_LARGE", ""}),
    ("much JavaScript that breaks at its end", "f(1);\n" * 100000 + "let x: number = ;", {"SYNTAX_ERROR", "TOO_LARGE"}),
    ("brackets", "let x: number = " + "(" * DEEP + "1" + ")" * DEEP, {"TOO_LARGE", "STACK_LIMIT", "SCRIPT_ERROR", "SYNTAX_ERROR"}),
    ("lists", "let x: number = " + "[" * DEEP, {"TOO_LARGE", "STACK_LIMIT", "SCRIPT_ERROR", "SYNTAX_ERROR"}),
    ("types in types", "let x: " + "A<" * DEEP + "B" + ">" * DEEP, {"TOO_LARGE", "SYNTAX_ERROR"}),
    ("types in brackets", "let x: " + "(" * DEEP + "B" + ")" * DEEP, {"TOO_LARGE", "SYNTAX_ERROR"}),
    ("arrays of types", "let x: A" + "[]" * DEEP + "; return 1", {"", "TOO_LARGE"}),
    ("unions", "let x: A" + "|A" * DEEP + "; return 1", {"", "TOO_LARGE"}),
    ("functions that may be types", "let x: number = " + "(a = " * 300 + "1" + ") => 1" * 300, {"", "TOO_LARGE", "SYNTAX_ERROR", "SCRIPT_ERROR"}),
    ("type arguments that may be comparisons", "let x: number; " + "f<" * 3000, {"SYNTAX_ERROR", "TOO_LARGE"}),
    ("arrows in conditionals", "let x: any = " + "a ? (" * 40 + "b" + ") : c => d" * 40, {"SYNTAX_ERROR", "TOO_LARGE", "SCRIPT_ERROR"}),
    ("a template that does not end", "let x: string = `${" * 20000, {"SYNTAX_ERROR", "TOO_LARGE", "STACK_LIMIT"}),
    ("a comment that does not end", "let x: number /* " + "*" * 1000000, {"SYNTAX_ERROR"}),
    ("a string that does not end", "let x: number = '" + "x" * 1000000, {"SYNTAX_ERROR"}),
    ("braces", "let x: number; " + "{" * DEEP, {"SYNTAX_ERROR", "TOO_LARGE", "STACK_LIMIT"}),
    ("a NUL", "let x: number = 1\0", {"SYNTAX_ERROR"}),
    ("a NUL in a string", "let x: string = 'a\0b'; return x.length", {""}),
    ("a NUL in a type", "let x: a\0b = 1", {"SYNTAX_ERROR"}),
    ("half a surrogate", "let x: string = '\\ud800'; return x.length", {""}),
    ("a source map's comment", "let x: number = 1\n//# sourceMappingURL=/etc/passwd\n//# sourceURL=other.js\nreturn nope", {"SCRIPT_ERROR"}),
    ("a great enum", "enum E {" + ",".join(f"A{i}" for i in range(3000)) + "} return E.A2999", {""}),
    ("many parameters", "class A { constructor(" + ",".join(f"private a{i}: number" for i in range(200)) + ") {} } return 1", {""}),
]:
    # As TypeScript alone where it takes long: what ends at the compiler's limit is no cheaper the other way.
    for language in (TS,) if name in SLOW else (AUTO, TS):
        done, _ = go(source, language, timeout_ms=30000)
        ok(done["code"] in codes, f"{name} as {language}: {done['code'] or 'a value'}", done["envelope"][:300])
done, value = go("return 'still here'", TS)
ok(value == "still here", "after all that the next script runs", done["envelope"][:300])
for name, values, codes in [
    ("the run's own time", {"timeout_ms": 300}, {"TIMEOUT"}),
    ("the run's own processor time", {"cpu_ms": 200}, {"CPU_LIMIT"}),
]:
    done, _ = go("let x: number = 1;\n" * 55000, TS, **values)
    ok(done["code"] in codes, f"{name} holds while the types are taken out: {done['code']}", done["envelope"][:300])
core.say("run_start", tag=1, source="let x: number = 1;\n" * 55000, language=TS, timeout_ms=60000)
core.hear("run_started")
core.say("run_cancel", tag=1)
ok(core.hear("run_done")["code"] == "CANCELLED", "so does a cancel")
small, _ = go("const x: number = 1; return x", memory_bytes=1048576, stack_bytes=32768)
ok(small["code"] == "", "the compiler's needs are not the script's", small["envelope"][:300])
r = subprocess.run([crisol, "js", "-"], input=b"let x: number = '\xff'", capture_output=True)
ok(r.returncode == 2 and b"UTF-8" in r.stderr, "what is no text is refused", r)
with Core() as many:
    for n in range(1, 41):
        many.say("run_start", tag=n, source=f"const x: number = {n}; await new Promise<void>((r) => setTimeout(r, 1)); return x as number")
    got = {}
    for _ in range(40):
        done = many.hear("run_done")
        got[done["tag"]] = done["value"]
    ok(got == {n: str(n) for n in range(1, 41)}, "forty at once get each its own", got)

# ---- the walls, seen from TypeScript ----------------------------------------------------------------------

held = 0
for name, body in ATTEMPTS:
    done, value = go(f"const attempt: () => Promise<unknown> = async (): Promise<unknown> => {{\n{body}\n}};\nreturn (await attempt()) as boolean", TS)
    held += value is not True
ok(held == len(ATTEMPTS) > 60, f"{held} of {len(ATTEMPTS)} attempts to get out fail as TypeScript, too")
done, value = go("const g: any = globalThis; return ['strip', 'sucrase', 'host', 'stripped'].filter((k: string) => k in g)", TS)
ok(value == [], "nothing of the compiler is in a script's VM", value)

# ---- the corpus, and what the typescript package makes of it ------------------------------------------------

ours = []
for text in CORPUS:
    done, value = go(text, TS, timeout_ms=5000)
    ours.append((done["code"], value))
    ok(done["code"] == "", f"{text.strip()[:70]!r} runs", done["envelope"][:800])
if not PACKAGE.joinpath("typescript").is_dir() or not shutil.which("node"):
    skip("no typescript: the package is not in build/deps")
else:
    script = ROOT / "tests/typescript/transpile.cjs"
    r = subprocess.run(["node", script, PACKAGE], input=json.dumps(CORPUS), capture_output=True, text=True)
    wanted = json.loads(r.stdout)
    ok(len(wanted) == len(CORPUS) > 100, f"the typescript package reads {len(wanted)} snippets", r.stderr)
    for text, code, mine in zip(CORPUS, wanted, ours):
        done, value = go(code, JS, timeout_ms=5000)
        ok((done["code"], value) == mine, f"{text.strip()[:70]!r} gives what TypeScript gives", f"{mine}\n{done['code']} {value}")
core.close()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""crisol js as a person or a script uses it: where the script comes from, what goes where, values,
errors and their places. Rows J1, J3 (output), C2; command line contract."""
import json
import os
import pathlib
import pty
import subprocess
import tempfile

from tap import crisol, ok, run

scratch = pathlib.Path(tempfile.mkdtemp())
STATE = {"CRISOL_STATE_HOME": str(scratch / "state")}


def js(source, *args, **kwargs):
    return run([crisol, "js", *args, "-e", source], env=STATE, **kwargs)


def envelope(source, *args, **kwargs):
    r = js(source, "--json", *args, **kwargs)
    return json.loads(r.out)


def value(source, want, name=None):
    r = js(source)
    ok((r.rc, r.out, r.err) == (0, want, ""), f"{name or source} gives {want.strip() or 'nothing'}", r)


# Values.
value("return 6*7", "42\n")
value("6*7", "42\n", "an expression's value")
value("const a = 1; a + 1", "2\n", "the last expression's value")
value("await Promise.resolve(5)", "5\n", "top-level await")
value("return await new Promise(done => setTimeout(() => done('late'), 20))", '"late"\n', "await and return")
value("async function f() { return 3 } f()", "3\n", "a promise as the value")
value("undefined", "", "undefined")
value("let x = 1;", "", "a declaration")
value("null", "null\n")
value("return -0", "0\n")
value("return 'caf\\u00e9 \\u{1f600}'", '"café 😀"\n', "text beyond ASCII")
value("return '\\ud800'", '"\\ud800"\n', "a lone surrogate")
value("return {b: [1, {c: true}], a: 'x'}", '{"b":[1,{"c":true}],"a":"x"}\n', "an object")
value("if (args) { return typeof args }", '"object"\n', "args without --args")
value("return [typeof require, typeof process, typeof fetch, typeof WebAssembly, typeof host]",
      '["undefined","undefined","undefined","undefined","undefined"]\n', "what is not there")

# Values that JSON does not have are told.
for source, out, note in [
        ("return NaN", "null\n", "NaN became null"),
        ("return 10n", '"10"\n', "BigInt became a string"),
        ("return new Map([[1, 2]])", "[[1,2]]\n", "Map"),
        ("return {a: [undefined]}", '{"a":[null]}\n', "$.a[0]: undefined became null")]:
    r = js(source)
    ok(r.rc == 0 and r.out == out and "note: " in r.err and note in r.err, f"{source} is told", r)
value("return new Date(0)", '"1970-01-01T00:00:00.000Z"\n', "a date")

# What cannot be a value.
for source, text in [("const c = {}; c.self = c; return c", "contains itself"), ("return Symbol('a')", "symbol"),
                     ("return () => 1", "function")]:
    r = js(source)
    ok(r.rc == 1 and r.out == "" and "SCRIPT_ERROR" in r.err and text in r.err and "hint:" in r.err,
       f"{source} is an error with a hint", r)

# Where the script comes from.
path = scratch / "a.js"
path.write_text("return 'from a file'")
ok(run([crisol, "js", path], env=STATE).out == '"from a file"\n', "a file")
ok(run([crisol, "js", "-"], stdin="return 1", env=STATE).out == "1\n", "- is standard input")
ok(run([crisol, "js"], stdin="return 2", env=STATE).out == "2\n", "standard input without a word")
ok(run([crisol, "js", "--cwd", scratch, "a.js"], env=STATE).out == '"from a file"\n', "--cwd")
ok(run([crisol, "js", "--eval=return 3"], env=STATE).out == "3\n", "--eval=CODE")
r = run([crisol, "js", "-e", "1", path], env=STATE)
ok(r.rc == 2 and "INVALID_INPUT" in r.err, "two scripts are refused", r)
r = run([crisol, "js", scratch / "none.js"], env=STATE)
ok(r.rc == 2 and "none.js" in r.err and r.out == "", "a file that is not there is named", r)
r = run([crisol, "js", scratch], env=STATE)
ok(r.rc == 2 and r.out == "", "a folder is refused", r)

# args and stdin.
r = js("return args", "--args", '{"a": [1, "x"]}')
ok(r.out == '{"a":[1,"x"]}\n', "args", r)
r = js("return args.stdin.length", stdin="hello\n")
ok(r.out == "6\n", "standard input is args.stdin where the script mentions it", r)
r = js("return [args.stdin, args.b]", "--args", '{"b": 2}', stdin="é")
ok(r.out == '["é",2]\n', "beside other args", r)
reader, writer = os.pipe()
job = subprocess.run([crisol, "js", "-e", "return 1"], stdin=reader, capture_output=True, timeout=20,
                     env={"PATH": "/usr/bin:/bin", **STATE})
os.close(reader), os.close(writer)
ok(job.stdout == b"1\n", "a pipe that never ends does not matter to a script that does not read it", job)
for bad, text in [("{", "column"), ('{"a": 1, "a": 2}', "twice"), ("[" * 100 + "]" * 100, "nested")]:
    r = js("return 1", "--args", bad)
    ok(r.rc in (1, 2) and text in r.err and r.out == "", f"--args {bad[:12]} is refused", r)
r = js("return 1", "--args", "x" * 70000)
ok(r.rc == 1 and "TOO_LARGE" in r.err, "args over 64 KiB are refused", r)

# stdout carries the value alone.
r = js("console.log('one'); console.error('two'); text('three'); return 4")
ok(r.out == "4\n" and r.err == "one\ntwo\nthree\n", "text goes to standard error", r)
r = js("return 'a\\nb'", "--raw")
ok(r.out == "a\nb\n", "--raw prints a string as it is", r)
ok(js("return [1]", "--raw").out == "[1]\n", "--raw leaves other values as JSON")

# Code fences, marks, line ends.
for source, name in [("```js\nreturn 1\n```", "a fence"), ("\n\n~~~ javascript\nreturn 1\n~~~\n", "another fence"),
                     ("\ufeffreturn 1", "a byte order mark"), ("return 1\r\n", "CRLF"),
                     ("return 1 // \u2028", "U+2028 in a comment"), ("'\u2028'; return 1", "U+2028 in a string"),
                     ("#!/usr/bin/env node\nreturn 1", "a hashbang")]:
    ok(js(source).out == "1\n", f"{name} does not matter", js(source))
e = envelope("\n```js\nlet a = 1;\n  a.b.c\n```")["error"]
ok((e["line"], e["column"]) == (4, 3), "lines are the user's own inside a fence", e)

# Errors: code, place, hint, exit.
for source, code, line, column, text in [
        ("let a = 1;\nlet b = ;", "SYNTAX_ERROR", 2, 9, "unexpected"),
        ("return 1;\nlet b = ;", "SYNTAX_ERROR", 2, 9, "unexpected"),
        ("\n\n  nowhere.x", "SCRIPT_ERROR", 3, 3, "nowhere is not defined"),
        ("const a = null;\nif (1) {\n  return a.x;\n}", "SCRIPT_ERROR", 3, 10, ""),
        ("function f() {\n  throw new TypeError('mine');\n}\nf()", "SCRIPT_ERROR", 2, None, "TypeError: mine"),
        ("await 1;\nawait Promise.reject(new Error('no'))", "SCRIPT_ERROR", 2, None, "Error: no"),
        ("return 1 }); (async () => { 2", "SYNTAX_ERROR", 1, None, "")]:
    r = envelope(source)
    e = r["error"]
    ok(e["code"] == code and r["status"] == "failed" and e["line"] == line and
       (column is None or e["column"] == column) and text in e["message"] and e["hint"],
       f"{source!r}: {code} at line {line}", r)
r = js("let x = 1;\nfoo(x)")
ok("  -e:2:1\n    foo(x)\n    ^\n" in r.err, "the line is shown with a mark", r)
for source, hint in [("require('fs')", ""), ("import fs from 'fs'", ""), ("fetch('http://x')", "network"),
                     ("process.env", ""), ("await import('fs')", "")]:
    e = envelope(source)["error"]
    ok(e["hint"] and hint in e["hint"] and e["hint"] != "correct the script", f"{source} has a hint: {e['hint']}", e)
for source in ["ls -la", "git status", "cat a.txt | grep x", "npm install x", "#!/bin/bash\necho 1", "$ echo hi"]:
    r = js(source)
    ok(r.rc == 1 and "shell command" in r.err, f"{source!r} is taken for what it is", r)
for source in ["", "  \n", "```js\n```"]:
    r = js(source)
    ok(r.rc == 1 and "empty" in r.err, f"the empty source {source!r} is an error", r)
for thrown in ["null", "undefined", "'text'", "42", "Symbol('s')", "{a: 1}", "new Proxy({}, {get() { throw 1 }})",
               "new Proxy(class {}, {})", "Object.create(null)", "new (class extends Error { get message() { throw 1 } })"]:
    r = envelope(f"throw {thrown}")
    ok(r["status"] == "failed" and r["error"]["code"] == "SCRIPT_ERROR" and r["error"]["message"],
       f"throw {thrown} is described", r)

# The envelope.
e = envelope("console.log('t'); return {a: 1}")
ok(sorted(e) == sorted(["run", "status", "value", "text", "error", "calls", "effects", "engine", "limits", "usage",
                        "truncated", "notes"]), "the envelope has its fields", sorted(e))
ok(e["status"] == "succeeded" and e["value"] == {"a": 1} and e["text"] == "t\n" and e["error"] is None, "and values", e)
ok(len(e["run"]) == 26 and e["effects"] == {"verdict": "none", "list": []}, "and an id", e)
ok(e["engine"]["name"] == "quickjs-wasi" and len(e["engine"]["sha256"]) == 64 and e["engine"]["host"] == "process"
   and "seccomp" in e["engine"]["isolation"] and "forge.javascript.isolation=preferred" in e["engine"]["reason"],
   "and says what ran it, where and why", e["engine"])
ok("value" not in envelope("undefined"), "undefined leaves the value out")

# Output over the limit is cut, is valid JSON still, and no failure.
e = envelope("return Array.from({length: 9000}, (_, i) => ({i, t: 'row ' + i}))")
ok(e["status"] == "succeeded" and e["truncated"]["kept"] <= 16000 < e["truncated"]["total"] and
   e["value"][5] == {"i": 5, "t": "row 5"}, "a long array is cut", e["truncated"])
e = envelope("console.log('x'.repeat(3000)); return 'é'.repeat(3000)", "--max-output-chars", "1000")
ok(e["truncated"]["kept"] <= 1000 and e["truncated"]["total"] == 6003 and set(e["value"]) == {"é"} and
   set(e["text"]) <= {"x", "\n"} and e["text"], "value and text share the limit, whole characters", e["truncated"])
r = js("return 'x'.repeat(20000)")
ok(r.rc == 0 and json.loads(r.out) and "cut to 16000 of 20002" in r.err, "the person is told", r.err)
e = envelope("return 'x'.repeat(9e6)", "--memory-bytes", "134217728")
ok(e["status"] == "succeeded" and e["truncated"]["total"] == 9000002, "a value larger than what is sent is counted whole", e["truncated"])

# Untrusted text never drives a terminal.
leader, follower = pty.openpty()
job = subprocess.Popen([crisol, "js", "-e", "console.log('\\x1b[31mred\\u202e'); return '\\x9b2J'"], stdin=subprocess.DEVNULL,
                       stdout=follower, stderr=follower, env={"PATH": "/usr/bin:/bin", **STATE})
job.wait(20)
os.close(follower)
shown = os.read(leader, 65536)
ok(b"\x1b[31m" not in shown and b"\\x1b[31mred\\u{202e}" in shown and b"\xc2\x9b" not in shown, "control characters are shown, not sent",
   shown)
r = js("throw new Error('\\x1b]0;title\\x07')")
ok("\x1b" not in r.err and "\\x1b]0;title\\x07" in r.err, "nor in errors", r)

# Help and usage.
r = run([crisol, "--help"])
ok(r.rc == 0 and "crisol js" in r.out and r.err == "", "--help", r)
r = run([crisol, "js", "--help"])
ok(r.rc == 0 and "--timeout-ms" in r.out, "js --help", r)
ok(run([crisol, "--version"]).out.startswith("crisol "), "--version")
r = run([crisol])
ok(r.rc == 2 and "Commands:" in r.out, "without a command the help is shown", r)
for args, text in [(["jss"], "did you mean: crisol js"), (["js", "--jsn"], "did you mean --json"),
                   (["js", "--timeout-ms", "0", "-e", "1"], "1 to 300000"), (["js", "--timeout-ms", "x", "-e", "1"], "whole number"),
                   (["js", "--probe", "-e", "1"], "takes no --probe"), (["js", "-e"], "needs a value"),
                   (["js", "a", "b"], "too many"), (["js", "-e", "1", "-e", "2"], "twice"), (["doctor", "x"], "too many")]:
    r = run([crisol, *args], env=STATE)
    ok(r.rc == 2 and text in r.err and r.out == "", f"crisol {' '.join(args)}: {text}", r)

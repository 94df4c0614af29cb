#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every error code, caused for real by the command: its exit status, a message that says what came and
what was expected, a hint that says what to do, and nothing on standard output. Rows J5, G6."""
import atexit
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

from desk import tree, without_landlock
from tap import crisol, ok, run
from wire import children

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOP = pathlib.Path(tempfile.mkdtemp(prefix="crisol-codes-"))
atexit.register(shutil.rmtree, TOP, True)
SPACE = tree(TOP / "space", {"a.txt": "hello\n", "b.bin": b"a\0b"})
STATE = TOP / "state"
CODES = {name: (int(status), hint) for name, status, hint in re.findall(r'^CODE\((\w+),\s+(\d+),\s+\w+,\s+"(.*)"\)$', (ROOT / "src/ipc/codes.def").read_text(), re.M)}
# Words that only the source explains.
INNER = re.compile(r"\b(launcher|profile|frame|role|peer|envelope|VM|fd|errno|opcode|msg|broker|desk|front)\b")
# Words of a person's own configuration that make a call fail.
RULES = {"permissions": {"rules": [{"decision": "deny", "tool": "read_file", "reason": "not today"}, {"decision": "ask", "tool": "list_files"}]}}
JS, CALL = ["js", "-e"], ["call"]
half = TOP / "half"
assert run([ROOT / "tools/install", pathlib.Path(crisol).resolve().parents[2], "", half], timeout=60).rc == 0
(half / "libexec/crisol/crisol-tool").unlink()


def command(args, config=None, state=STATE, program=crisol, wrap=lambda program: program, **kwargs):
    home = TOP / f"conf{len(os.listdir(TOP))}"
    tree(home, {"config.json": config if isinstance(config, str) else json.dumps(config or {})})
    return run(wrap([str(program), *args]), env={"CRISOL_STATE_HOME": str(state), "CRISOL_CONFIG_HOME": str(home), "TMPDIR": str(TOP)}, cwd=SPACE, **kwargs)


def interrupted(sign, whom):
    """What a script that goes on says when `whom` of its processes gets a signal."""
    job = subprocess.Popen([crisol, "js", "-e", "console.log('up'); for (;;) await new Promise(r => setTimeout(r, 5))"], cwd=SPACE, text=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={"PATH": "/usr/bin:/bin", "CRISOL_STATE_HOME": str(STATE), "HOME": "/nonexistent"})
    assert job.stderr.readline() == "up\n"
    os.kill(whom(job.pid), sign)
    out, err = job.communicate(timeout=30)
    return run(["sh", "-c", 'printf %s "$1" >&2; exit $2', "sh", err, str(job.returncode)])


def below(pid, name):
    """The process of that name below pid."""
    for child in children(pid):
        if name in pathlib.Path(f"/proc/{child}/cmdline").read_bytes().decode("utf-8", "replace").split("\0")[0]:
            return child


ROWS = [  # code, how, words of the message, words of the hint
    ("SYNTAX_ERROR", lambda: command([*JS, "x y"]), ["expecting ';'", "-e:1:3"], ["line and column"]),
    ("SYNTAX_ERROR", lambda: command(["js"], stdin=""), ["the source is empty"], ["return 6 * 7"]),
    ("SCRIPT_ERROR", lambda: command([*JS, "throw new Error('bad')"]), ["Error: bad", "-e:1:"], ["try/catch"]),
    ("SCRIPT_ERROR", lambda: command([*JS, "await new Promise(() => {})"]), ["waits for a promise"], ["find the promise"]),
    ("UNAWAITED_CALL", lambda: command([*JS, "tools.read_file({path: 'none'}); return 1"]), ["read_file", "NOT_FOUND"], ["await"]),
    ("HOST_CRASH", lambda: interrupted(signal.SIGKILL, lambda pid: below(pid, "crisol-js")), ["crisol-js", "ended by signal 9"], ["crisol runs show"]),
    ("TOO_LARGE", lambda: command(["js", "--args", " " * 65537, "-e", "1"]), ["--args", "65536 bytes"], ["in parts"]),
    ("TOO_LARGE", lambda: command([*CALL, "read_file", "-"], stdin=" " * (2**22 + 1)), ["4194304 bytes"], ["4 MiB"]),
    ("NOT_FOUND", lambda: command([*CALL, "read_file", '{"path":"none"}']), ["none"], ["list_files"]),
    ("NOT_FOUND", lambda: command(["runs", "show", "zz"]), ["starts with zz"], ["crisol runs list"]),
    ("NOT_FOUND", lambda: command(["config", "get", "x"]), ["no configuration key"], ["crisol config list"]),
    ("TOOL_FAILED", lambda: command([*CALL, "list_files"], program=half / "bin/crisol"), ["crisol-tool is not beside crisol"], ["crisol doctor"]),
    ("NOT_TEXT", lambda: command([*CALL, "read_file", '{"path":"b.bin"}']), ["b.bin", "NUL"], ["text file"]),
    ("NOT_TEXT", lambda: command([*CALL, "read_file", '{"path":"."}']), ["a folder"], ["list_files"]),
    ("INTERNAL", lambda: command(["runs", "list"], state="/proc/none"), ["no journal", "/proc/none"], ["crisol doctor"]),
    ("INVALID_INPUT", lambda: command([*CALL, "read_file", "{}"]), ["'path' is missing"], ["crisol tools read_file"]),
    ("INVALID_INPUT", lambda: command(["js", "--timeout-ms", "0", "-e", "1"]), ["1 to 300000", "'0'"], ["crisol js --help"]),
    ("INVALID_INPUT", lambda: command(["js", "none.js"]), ["none.js", "No such file"], ["--help"]),
    ("INVALID_INPUT", lambda: command(["js", "--args", "{", "-e", "1"]), ["args: line 1, column 2"], ["--help"]),
    ("CONFIG_ERROR", lambda: command([*JS, "1"], config='{"forge": 3}'), ["config.json", "forge", "object"], ["crisol config list"]),
    ("TIMEOUT", lambda: command(["js", "--timeout-ms", "100", "-e", "for (;;);"]), ["100 ms"], ["--timeout-ms", "300000"]),
    ("CPU_LIMIT", lambda: command(["js", "--cpu-ms", "50", "-e", "for (;;);"]), ["50 ms of processor time"], ["--cpu-ms", "300000"]),
    ("MEMORY_LIMIT", lambda: command([*JS, "const a = []; for (;;) a.push({})"]), ["33554432 bytes of memory"], ["--memory-bytes", "134217728"]),
    ("STACK_LIMIT", lambda: command([*JS, "const f = () => f() + 1; f()"]), ["call stack"], ["loop", "--stack-bytes", "524288"]),
    ("CALL_LIMIT", lambda: command(["js", "--max-tool-calls", "2", "-e", "for (;;) await tools.list_files()"]), ["as many calls as it may: 2"], ["--max-tool-calls", "500"]),
    ("STATE_LIMIT", lambda: command(["js", "-e", "state.x = 'x'.repeat(2 ** 20); return"]), ["at most 524288", "as it was before"], ["forge.state.maxTotalBytes", "8388608"]),
    ("TOOL_UNAVAILABLE", lambda: command([*CALL, "raed_file", "{}"]), ["'raed_file'"], ["did you mean read_file"]),
    ("READ_ONLY", lambda: command([*CALL, "shell", '{"command":"ls"}', "--allow-process", "--read-only"]), ["--read-only removes shell"], ["without --read-only"]),
    ("TOOL_UNAVAILABLE", lambda: command([*CALL, "webfetch", "{}"]), ["webfetch", "does not have it yet"], ["crisol tools", "crisol gate explain"]),
    ("TOOL_UNAVAILABLE", lambda: command([*JS, "1"], config={"forge": {"javascript": {"enabled": False}}}), ["forge.javascript.enabled is false", "crisol config path"], ["crisol tools"]),
    ("DENIED", lambda: command([*CALL, "read_file", '{"path":"a.txt"}'], config=RULES), ["permissions.rules[0]", "not today"], ["crisol gate explain"]),
    ("APPROVAL_REQUIRED", lambda: command([*CALL, "list_files"], config=RULES), ["permissions.rules[1]", "nobody to ask"], ["a person must allow it"]),
    ("OUTSIDE_ROOTS", lambda: command([*CALL, "read_file", '{"path":"/etc/passwd"}']), ["/etc/passwd", "--add-dir /etc"], ["additionalDirectories"]),
    ("OUTSIDE_ROOTS", lambda: run([crisol, *CALL, "list_files"], cwd="/", env={"CRISOL_STATE_HOME": str(STATE)}), ["no workspace"], ["--cwd"]),
    ("ENGINE_UNAVAILABLE", lambda: command([*JS, "1"], wrap=lambda program: ["sh", "-c", 'ulimit -v 4000000; exec "$@"', "sh", *program]), ["ulimit -v"], ["crisol doctor"]),
    ("ISOLATION_UNAVAILABLE", lambda: command([*JS, "1"], config={"forge": {"javascript": {"isolation": "strict"}}}, wrap=without_landlock), ["isolation=strict", "landlock"], ["crisol doctor"]),
    ("CANCELLED", lambda: interrupted(signal.SIGINT, lambda pid: pid), ["cancelled", "stopped"], ["start it again"]),
]
for args in (["tools"], ["config", "list", "--json"], [*JS, "return 1"]):
    end, broken = os.pipe()
    os.close(end)
    job = subprocess.run([crisol, *args], stdin=subprocess.DEVNULL, stdout=broken, stderr=subprocess.PIPE, cwd=SPACE, env={"PATH": "/usr/bin:/bin", "CRISOL_STATE_HOME": str(STATE), "HOME": "/nonexistent"})
    os.close(broken)
    ok((job.returncode, job.stderr) == (1, b""), f"{args[0]}: a reader that has left is told nothing", job)
with open("/dev/full", "wb") as full:
    job = subprocess.run([crisol, "tools"], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True, cwd=SPACE, env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "CRISOL_STATE_HOME": str(STATE)})
ok(job.returncode == 1 and "INTERNAL: standard output does not take the result" in job.stderr and "No space left" in job.stderr, "a full disk behind standard output is an error", job)

for code, how, words, hints in ROWS:
    r = how()
    head, _, hint = r.err.partition("\n  hint: ")
    ok(r.rc == CODES[code][0] and head.startswith(f"crisol: {code}: ") and r.out == "", f"{code}: exit status {CODES[code][0]}, standard error says it alone", r)
    ok(all(word in head for word in words), f"{code}: what came and what was expected: {', '.join(words)}", r.err)
    ok(hint.count("\n") == 1 and all(word in hint for word in hints), f"{code}: what to do: {', '.join(hints)}", r.err)
    ok(not INNER.search(r.err), f"{code}: in words that need no source", INNER.findall(r.err))
ok({row[0] for row in ROWS} == set(CODES), "every code has its row", set(CODES) ^ {row[0] for row in ROWS})
for code, (status, hint) in CODES.items():
    ok(len(hint) > 30 and not INNER.search(hint), f"{code}: its own hint is a sentence", hint)
everything = "".join(command([*c.split(), "--help"]).out for c in ["", *re.findall(r'^COMMAND\(\w+, "([\w ]+)"', (ROOT / "src/cmd/command.def").read_text(), re.M)])
ok(len(everything) > 5000 and not INNER.search(everything), "no help needs the source either", INNER.findall(everything))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a worker for tools and a JavaScript host that have been taken over may say to the broker: wrong order, wrong numbers, too much, half of
it, nothing. The broker stays, the call or run ends with a code, the next one works, other sessions notice nothing. Rows J4, T17."""
import atexit
import json
import os
import pathlib
import shutil
import struct
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integ"))
from desk import Desk, tree  # noqa: E402
from tap import ok  # noqa: E402
from wire import MESSAGES, PROGRAMS, encode, frames  # noqa: E402

BUILT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else PROGRAMS.parents[1] / "tests/hostile")
TOP = pathlib.Path(tempfile.mkdtemp(prefix="crisol-words-"))
atexit.register(shutil.rmtree, TOP, True)
BIG = 2 ** 63


def say(name, times=1, /, **values):
    return frames(name, encode(name, **values)).hex() + (f"*{times}" if times != 1 else "")


def huge(name, size, /, **values):
    """A message whose last bytes are many: head, then pieces of them."""
    number, body, piece = MESSAGES[name][0], encode(name, **values), 60000
    head = struct.pack("<IHBB", piece, number, 1, 0).hex()
    return ",".join([struct.pack("<IHBB", len(body), number, 1, 0).hex() + body.hex(), *[head, f"61*{piece}"] * (size // piece)])


# What it says, how the call may end.
GONE = ["TOOL_FAILED"]
WORKER = [
    ("the end of a call it never got", say("tool_done", ticket=99, result="{}"), GONE),
    ("the end of call 0", say("tool_done", ticket=0, result="{}"), GONE),
    ("the end of call 2^63", say("tool_done", ticket=BIG, result="{}"), GONE),
    ("the end twice", say("tool_done", 2, ticket=1, result='{"a":1}'), ["", *GONE]),
    ("the end a thousand times", say("tool_done", 1000, ticket=1, result='{"a":1}'), ["", *GONE]),
    ("no JSON", say("tool_done", ticket=1, result="{"), GONE),
    ("nothing as a result", say("tool_done", ticket=1, result=""), GONE),
    ("JSON that is no object", say("tool_done", ticket=1, result="5"), GONE),
    ("JSON with a member twice", say("tool_done", ticket=1, result='{"a":1,"a":2}'), GONE),
    ("JSON in depth", say("tool_done", ticket=1, result="[" * 500 + "]" * 500), GONE),
    ("no UTF-8", say("tool_done", ticket=1, result=b'"\xff"'), GONE),
    ("a code that is none", say("tool_done", ticket=1, code="NOPE", message="x"), GONE),
    ("a code with a NUL", say("tool_done", ticket=1, code="DENIED\0", message="x"), GONE),
    ("a code with nothing said", say("tool_done", ticket=1, code="DENIED"), ["DENIED"]),
    ("a code of another's", say("tool_done", ticket=1, code="HOST_CRASH", message="x" * 2000), ["HOST_CRASH"]),
    ("a message that is too long", say("tool_done", ticket=1, code="DENIED", message="x" * 5000), GONE),
    ("a result of 6 MB", huge("tool_done", 6 << 20, ticket=1), GONE),
    ("a piece without an end", huge("tool_done", 60000, ticket=1) + ",quit", GONE),
    ("a greeting again", say("tool_hello", report="x"), GONE),
    ("that it failed to start", say("tool_failed", why="x"), GONE),
    ("what only the broker says", say("tool_run", ticket=1, tool="read_file", input="{}"), GONE),
    ("what only a host says", say("vm_done", run=1), GONE),
    ("what only a client says", say("run_start", tag=1, source="1"), GONE),
    ("a message of no number", struct.pack("<IHBB", 0, 65535, 0, 0).hex(), GONE),
    ("a frame larger than any", "ffffff7f01000000", GONE),
    ("descriptors that are not there", struct.pack("<IHBB", 8, MESSAGES["tool_done"][0], 2, 1).hex() + "00" * 8, GONE),
    ("half a head and the end", "0400,quit", GONE),
    ("half a body and the end", say("tool_done", ticket=1, result="{}")[:-8] + ",quit", GONE),
    ("a flood of zeros", "00*50000000", GONE),
    ("nothing and the end", "quit", GONE)]
CRASH = ["HOST_CRASH"]
HOST = [
    ("a call of number 0", say("vm_call", run=1, number=0, name="list_files", input="{}"), CRASH),
    ("a call of number 2^63", say("vm_call", run=1, number=BIG, name="list_files", input="{}"), ["", *CRASH]),
    ("a number twice", say("vm_call", 2, run=1, number=7, name="list_files", input="{}"), CRASH),
    ("numbers backwards", say("vm_call", run=1, number=7, name="list_files", input="{}") + "," + say("vm_call", run=1, number=6, name="list_files", input="{}"), CRASH),
    ("a name with a NUL", say("vm_call", run=1, number=7, name="list_files\0x", input="{}"), ["", *CRASH]),
    ("no name", say("vm_call", run=1, number=7, input="{}"), ["", *CRASH]),
    ("a name that is no UTF-8", say("vm_call", run=1, number=7, name=b"\xff", input="{}"), CRASH),
    ("an input that is no JSON", say("vm_call", run=1, number=7, name="list_files", input="{"), ["", *CRASH]),
    ("an input of 5 MB", huge("vm_call", 5 << 20, run=1, number=7, name="list_files"), CRASH),
    ("a hundred calls", ",".join(say("vm_call", run=1, number=7 + n, name="list_files", input="{}") for n in range(100)), ["", "UNAWAITED_CALL", *CRASH]),
    ("a call of another run", say("vm_call", run=99, number=7, name="list_files", input="{}"), CRASH),
    ("progress of another run", say("vm_progress", run=99, json="{}"), CRASH),
    ("progress that is no JSON", say("vm_progress", run=1, json="{"), ["", *CRASH]),
    ("progress a million times", say("vm_progress", 1000000, run=1, json='{"message":"x"}'), ["", *CRASH]),
    ("text of another run", say("vm_text", run=99, text="x"), CRASH),
    ("text a hundred thousand times", say("vm_text", 100000, run=1, text="x\n"), ["", *CRASH]),
    ("the end, then a call", say("vm_done", run=1) + "," + say("vm_call", run=1, number=7, name="list_files", input="{}"), ["", *CRASH]),
    ("the end twice", say("vm_done", 2, run=1), ["", *CRASH]),
    ("an end of no known kind", say("vm_done", run=1, outcome=BIG), CRASH),
    ("an end with a value that is no JSON", say("vm_done", run=1, has_value=1, value="{"), ["", *CRASH]),
    ("an end with impossible numbers", say("vm_done", run=1, value_chars=BIG, text_chars=BIG, wall_ns=BIG, cpu_ns=BIG, heap_peak=BIG), ["", *CRASH]),
    ("a greeting again", say("js_hello", engine="x"), CRASH),
    ("what only the broker says", say("vm_answer", run=1, number=7, ok=1, text="{}"), CRASH),
    ("what only a worker says", say("tool_done", ticket=1, result="{}"), CRASH),
    ("a reply nobody asked for", say("probe_reply", results="x"), ["", *CRASH]),
    ("half a frame and the end", "0400,quit", CRASH)]

space = tree(TOP / "w", {"a.txt": "hello\n"})
beside = Desk(tree(TOP / "beside", {"b.txt": "b\n"}), programs=BUILT)
silent = Desk(tree(TOP / "silent", {"b.txt": "b\n"}), programs=BUILT)
# Its time is up when all the others are through.
waits = silent.start("read_file", path="!raw hang!")
ok(silent.call("read_file", path="b.txt").code == "", "while one worker does not answer another does")


def goes_on(desk, what):
    # What it had to say of a call that is over takes one more with it, at the most.
    desk.call("read_file", path="a.txt")
    ok(desk.process.poll() is None and desk.call("read_file", path="a.txt").code == "" and desk.script("return 6 * 7")[0]["value"] == 42,
       f"{what}: the broker, its next call and its next run are well")
    ok(beside.call("read_file", path="b.txt").code == "" and beside.script("return 1")[0]["value"] == 1, f"{what}: so is the session beside")


for what, words, codes in WORKER:
    with Desk(space, programs=BUILT) as desk:
        got = desk.call("search_text", pattern=f"!raw {words}!")
        ok(got.code in codes and (got.code in ("", "DENIED") or got.message), f"a worker says {what}: {got.code or 'taken'}", (got.code, got.message[:300], str(got.result)[:300]))
        goes_on(desk, what)
for what, words, codes in HOST:
    with Desk(space, programs=BUILT) as desk:
        got, _ = desk.script(f"text('!raw {words}'); return 1", timeout_ms=20000)
        code = (got["error"] or {}).get("code", "")
        ok(code in codes and len(json.dumps(got)) < 1 << 20, f"a host says {what}: {code or 'taken'}", str(got)[:500])
        goes_on(desk, what)
got = silent.finish(waits)
ok(got.code == "TIMEOUT" and got.message, "a worker that says nothing: the time is up", got)
beside.close(), silent.close()

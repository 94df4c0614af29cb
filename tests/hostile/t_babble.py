#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A worker and a host that were taken over, saying whatever comes: messages of every kind with fields at random, right and wrong order, cut,
doubled, floods of them. Whatever it was, the broker stays small, calls and runs end with a code, the next ones work. Row J4.

    t_babble.py [BUILT] [SPEECHES] [SEED]       speeches: 80; an hour is some 20,000
"""
import atexit
import pathlib
import random
import re
import shutil
import struct
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integ"))
from desk import Desk, tree  # noqa: E402
from tap import ok  # noqa: E402
from wire import MESSAGES, PROGRAMS, ROOT, frames  # noqa: E402

BUILT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else PROGRAMS.parents[1] / "tests/hostile")
SPEECHES, SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 80, int(sys.argv[3]) if len(sys.argv) > 3 else 1
A_SESSION, ORDER_MAX, GROWTH_KB = 20, 15000, 64 << 10
TOP = pathlib.Path(tempfile.mkdtemp(prefix="crisol-babble-"))
atexit.register(shutil.rmtree, TOP, True)
chance = random.Random(SEED)
NUMBERS = [0, 1, 1, 1, 2, 3, 7, 99, 2**31, 2**32, 2**63, 2**64 - 1]
TEXTS = ["", "{}", "{}", '{"a":1}', "[]", "null", '"x"', "{", "x", "\0", "list_files", "read_file", '{"path":"a.txt"}', "DENIED", "TIMEOUT", "CANCELLED",
         "\u202e", "[" * 300, "x" * 5000, '{"a":1,"a":2}', "1" * 400, '{"code":"DENIED","message":"x"}', "../../etc/passwd", '{"path":"/etc/shadow"}']
# What each of them may say mostly, the rest now and then.
MAY = {"worker": ["tool_done"] * 6 + ["tool_hello", "tool_failed"], "host": ["vm_call"] * 4 + ["vm_text", "vm_progress"] * 2 + ["vm_done", "js_hello", "js_failed", "probe_reply"]}


def text():
    if chance.random() < 0.1:
        return chance.randbytes(chance.choice([1, 7, 300]))
    return chance.choice(TEXTS).encode()


# What fits, so that more is reached than the first check: the ticket of a call, the run, an input that could be one.
FITS = {"ticket": [1, 2, 2, 2, 3], "result": ["{}", '{"a":1}'], "code": [""], "number": list(range(1, 60)), "name": ["list_files", "read_file", "no_tool"],
        "input": ["{}", '{"path":"a.txt"}'], "outcome": [0, 1, 2, 3], "has_value": [0, 1], "value": ["1", '{"a":[]}'], "error": ["", '{"name":"Error","message":"m","stack":""}'],
        "json": ['{"message":"m"}'], "text": ["t\n"], "value_chars": [1], "text_chars": [0], "wall_ns": [5], "cpu_ns": [5], "heap_peak": [9], "has_state": [0]}


def field(kind, name, run, fit):
    if kind == "U64":
        return struct.pack("<Q", run if fit and name == "run" else chance.choice(FITS.get(name, NUMBERS) if fit else NUMBERS))
    raw = chance.choice(FITS.get(name, [""])).encode() if fit else text()
    return struct.pack("<I", len(raw)) + raw


def message(who, run):
    name = chance.choice(MAY[who]) if chance.random() < 0.85 else chance.choice(list(MESSAGES))
    likely = chance.choice([0.5, 0.95, 1])
    raw = frames(name, b"".join(field(kind, part, run, chance.random() < likely) for kind, part in MESSAGES[name][1]))
    if likely == 1:
        return raw.hex()
    kind = chance.random()
    if kind < 0.06:  # cut
        raw = raw[:chance.randrange(len(raw))]
    elif kind < 0.12:  # a bit turned
        at = chance.randrange(len(raw))
        raw = raw[:at] + bytes([raw[at] ^ 1 << chance.randrange(8)]) + raw[at + 1:]
    elif kind < 0.15:  # what is no message
        raw = chance.randbytes(chance.choice([1, 8, 64, 3000]))
    times = chance.choice([1] * 12 + [2, 50, 3000])
    return raw.hex() + (f"*{times}" if times > 1 else "")


def speech(who, run):
    order = ",".join(message(who, run) for _ in range(chance.choice([1, 1, 2, 3, 8])))[:ORDER_MAX]
    return order + chance.choice([""] * 8 + [",quit"])


def kilobytes(desk):
    return int(next(line for line in open(f"/proc/{desk.process.pid}/status", encoding="ascii") if line.startswith("VmRSS")).split()[1])


space, said, bad, ends = tree(TOP / "w", {"a.txt": "hello\n"}), 0, [], {}
while said < SPEECHES:
    with Desk(space, programs=BUILT) as desk:
        desk.socket.settimeout(90)  # half a message: only the call's own time ends that
        desk.call("read_file", path="a.txt")
        small, runs = kilobytes(desk), 0
        for _ in range(min(A_SESSION, SPEECHES - said)):
            who, said = chance.choice(list(MAY)), said + 1
            words = speech(who, runs + 1)
            if who == "worker":
                code = desk.call("search_text", pattern=f"!raw {words}!").code
            else:
                code = (desk.script(f"text('!raw {words}'); return 1", timeout_ms=20000)[0]["error"] or {}).get("code", "")
            ends[who, code] = ends.get((who, code), 0) + 1
            runs += 2 + (who == "host")
            # What it had to say of what is over takes one more with it, at the most.
            desk.call("read_file", path="a.txt"), desk.script("return 1")
            if desk.process.poll() is not None or desk.call("read_file", path="a.txt").code or desk.script("return 6 * 7")[0]["value"] != 42:
                bad.append((who, words[:2000]))
                break
        if kilobytes(desk) > small + GROWTH_KB:
            bad.append((small, kilobytes(desk)))
for (who, code), n in sorted(ends.items()):
    print(f"# {who}: {n} times {code or 'taken'}")
ok(said == SPEECHES and not bad, f"{said} speeches at random (seed {SEED}): the broker, its next call and its next run are well after each", bad[:3])
ok({who for who, code in ends if code} == set(MAY) and {who for who, code in ends if not code} == set(MAY), "some were taken and some were not, of both", ends)
known = re.findall(r"^CODE\((\w+),", (ROOT / "src/ipc/codes.def").read_text(), re.M)
ok(all(code in known for _, code in ends if code), "each ends with a code of the table", ends)

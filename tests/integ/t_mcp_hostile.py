#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""MCP clients that send whatever they like, when they like, or nothing, or do not read. What holds
always: nothing but protocol on standard output, the next request is answered, memory stays bounded,
nothing is left behind. Row M3."""
import atexit
import json
import os
import pathlib
import random
import select
import shutil
import socket
import tempfile

from desk import tree
from mcp import VERSIONS, Client, close_all, gone
from tap import ok

TOP = pathlib.Path(tempfile.mkdtemp(prefix="crisol-mcp-bad-"))
atexit.register(shutil.rmtree, TOP, True)
SPACE = tree(TOP / "space", {"a.txt": "hello\n", "big.txt": ("x" * 99 + "\n") * 2000})
MiB = 1 << 20
PING = b'{"jsonrpc":"2.0","id":"p","method":"ping"}'
PONG = {"jsonrpc": "2.0", "id": "p", "result": {}}


def peak(pid):
    """Most memory it ever held, in MiB."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0


def alive_after(c):
    """The answer to a ping, and what came before it."""
    c.send(PING + b"\n")
    return c.answer("p") == PONG


# ---- whatever bytes ----
BAD = {
    "no JSON": b"hello",
    "half an object": b'{"jsonrpc":"2.0","id":1',
    "two values": b'{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}',
    "a number": b"5",
    "null": b"null",
    "an empty string": b'""',
    "an empty object": b"{}",
    "invalid UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}',
    "half a surrogate": b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}',
    "a NUL": b'{"jsonrpc":"2.0",\x00"id":1,"method":"ping"}',
    "a comment": b'{"jsonrpc":"2.0","id":1,"method":"ping"} // no',
    "a key twice": b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
    "depth": b"[" * 100000 + b"]" * 100000,
    "deep params": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"}",
    "no version of JSON-RPC": b'{"id":1,"method":"ping"}',
    "another version": b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
    "an id that is null": b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
    "an id that is a list": b'{"jsonrpc":"2.0","id":[1],"method":"ping"}',
    "an id that is an object": b'{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}',
    "an id that is true": b'{"jsonrpc":"2.0","id":true,"method":"ping"}',
    "an id of a megabyte": b'{"jsonrpc":"2.0","id":"' + b"x" * MiB + b'","method":"ping"}',
    "a method that is a number": b'{"jsonrpc":"2.0","id":1,"method":5}',
    "no method": b'{"jsonrpc":"2.0","id":1}',
    "a terminal's escapes": b'\x1b[2J\x1b]0;title\x07',
    "a line of 20 MB": b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * 20_000_000 + b'"}',
    "a line of 20 MB that is no JSON": b"x" * 20_000_000,
    "an array": b"[" + PING + b"]",
}
with Client(SPACE) as c:
    c.greet()
    for what, data in BAD.items():
        c.send(data + b"\n")
        fine = alive_after(c)
        ok(fine and len(c.passed) == 1 and "id" not in c.passed[0] and c.passed[0]["error"]["code"] in (-32700, -32600), f"{what}: one error that answers nothing, and on it goes", str(c.passed)[:300])
    ok(peak(c.job.pid) < 60, f"after all that it never held more than {peak(c.job.pid):.0f} MiB")
    c.close()
    ok(c.err.count("\n") == 21 and "\x1b" not in c.err and all(line.startswith("crisol mcp: ") for line in c.err.splitlines()), "the person sees the first twenty, without escapes", c.err)
with Client(SPACE) as c:
    c.greet(VERSIONS[1])
    for data in BAD.values():
        c.send(data + b"\n")
    ok(alive_after(c) and c.passed == [], "where the version has no message for it nothing comes", c.passed)
    c.ask("logging/setLevel", level="error")
    c.send(b"hello\n")
    ok(alive_after(c) and [m["params"]["logger"] for m in c.passed] == ["protocol"], "but a log line for who wants it", c.passed)

# ---- ids ----
with Client(SPACE) as c:
    c.greet()
    for i in [0, -1, 1.5, 1e300, 2**53, 2**63, 2**64, -(2**63), 10**30, "", " ", "\u0000", "é\U0001f600", "x" * 1000, "1", "__proto__"]:
        c.send(json.dumps({"jsonrpc": "2.0", "id": i, "method": "ping"}).encode() + b"\n")
        got = c.hear(judged=False)  # an id that is no whole number is the client's
        ok(got.get("result") == {} and got["id"] == i and type(got["id"]) is type(i) or (isinstance(i, int) and abs(i) > 2**63 and float(got["id"]) == float(i)), f"the id {str(i)[:20]!r} comes back", str(got)[:200])
    c.send(b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"js_run","arguments":{"code":"for(;;);","timeoutMs":100}}}\n'
           b'{"jsonrpc":"2.0","id":7,"method":"ping"}\n')
    one, two = c.hear(), c.hear()
    ok(one["error"]["code"] == -32600 and two["result"]["isError"], "an id that is in flight is not taken twice", (one, two))
    c.send(b'{"jsonrpc":"2.0","id":7,"method":"ping"}\n{"jsonrpc":"2.0","id":"7","method":"ping"}\n')
    ok([c.hear()["id"], c.hear()["id"]] == [7, "7"], "but again afterwards, and a string is no number")
    c.send(b'{"jsonrpc":"2.0","id":1,"result":{}}\n{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}\n{"jsonrpc":"2.0","id":55,"result":{"roots":[]}}\n')
    ok(alive_after(c) and c.passed == [], "answers to nothing are nothing", c.passed)
    for m in ["notifications/initialized", "notifications/roots/list_changed", "notifications/progress", "notifications/no_such", "tools/call", "x"]:
        c.say(m, progressToken=1, progress=1)
    ok(alive_after(c) and c.passed == [], "notifications of any name are not answered", c.passed)
    for params in [5, "x", [], None, True]:
        c.send(json.dumps({"jsonrpc": "2.0", "id": 9, "method": "ping", "params": params}).encode() + b"\n")
        ok(c.hear()["error"]["code"] == -32602, f"params {params!r}: an object was expected")
    for token in [{}, [], None, True]:
        r = c.ask("tools/call", name="js_run", arguments={"code": "progress({completed: 1, total: 2}); return 1"}, _meta={"progressToken": token})
        ok("result" in r and c.passed == [], f"a token {token!r} is none", c.passed)
    r = c.ask("tools/call", name="js_run", arguments={"code": "return 1"}, _meta={"progressToken": "x" * 5000})
    ok(r["error"]["code"] == -32602, "a token too long is refused", r)

# ---- framing ----
HELLO = b'{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}'
for what, pieces in {
    "one byte at a time": [bytes([b]) for b in HELLO + b"\n" + PING + b"\n"],
    "two lines in one write": [HELLO + b"\n" + PING + b"\n"],
    "carriage returns": [HELLO + b"\r\n" + PING + b"\r\n"],
    "a byte order mark": [b"\xef\xbb\xbf" + HELLO + b"\n" + PING + b"\n"],
    "empty lines": [b"\n\r\n  \n\t\n" + HELLO + b"\n\n\n" + PING + b"\n"],
    "blanks around": [b"   " + HELLO + b"  \t\n " + PING + b" \n"],
}.items():
    with Client(SPACE) as c:
        for piece in pieces:
            c.send(piece)
        ok("result" in c.answer("i") and c.answer("p") == PONG and c.passed == [], what, c.passed)
with Client(SPACE) as c:
    c.send(HELLO + b"\n" + PING)
    c.job.stdin.close()
    ok([m["id"] for m in c.rest()] == ["i", "p"] and c.close() == 0, "no line feed at the end")
with Client(SPACE) as c:
    c.send(HELLO[:50])
    ok(c.close() == 0, "half a line at the end is nothing")
for name, data in {"a file": HELLO + b"\n" + PING + b"\n", "an empty file": b""}.items():
    path = TOP / "requests"
    path.write_bytes(data)
    out = TOP / "answers"
    with open(path, "rb") as i, open(out, "wb") as o:
        c = Client(SPACE, stdin=i, stdout=o)
        ok(c.job.wait(20) == 0, f"{name} as input, a file as output")
        c.job.stderr.close()
    ok([json.loads(line)["id"] for line in out.read_text().splitlines()] == ["i", "p"][:data.count(b"\n")], f"{name}: all is answered", out.read_text())

# A socket pair for both, as some clients have it.
ours, theirs = socket.socketpair()
c = Client(SPACE, stdin=theirs, stdout=theirs)
theirs.close()
with ours, ours.makefile("rb") as said:
    ours.sendall(HELLO + b"\n" + PING + b"\n")
    ok([json.loads(said.readline())["id"] for _ in range(2)] == ["i", "p"], "a socket for both ways")
    ours.shutdown(socket.SHUT_WR)
    ok(c.job.wait(20) == 0 and said.read() == b"", "half closed, it ends")
c.job.stderr.close()

# ---- floods ----
with Client(SPACE) as c:
    c.greet()
    os.set_blocking(c.job.stdin.fileno(), False)
    data, sent, got = (PING.replace(b'"p"', b"%d") + b"\n"), 0, 0
    flood = b"".join(data % n for n in range(20000))
    while got < 20000:
        if sent < len(flood):
            try:
                sent += os.write(c.job.stdin.fileno(), flood[sent:sent + 65536])
            except BlockingIOError:
                pass
        while got < 20000 and (b"\n" in c.buffer or select.select([c.job.stdout], [], [], 0)[0]):
            got += c.hear()["result"] == {}
    ok(got == 20000 and peak(c.job.pid) < 60, f"20,000 pings, {peak(c.job.pid):.0f} MiB at most")
    os.set_blocking(c.job.stdin.fileno(), True)
    ids = [c.begin("tools/call", name="js_run", arguments={"code": "for(;;);", "timeoutMs": 3000}) for _ in range(300)]
    busy = [m for m in (c.hear() for _ in range(44)) if m.get("error", {}).get("code") == -32000]
    ok(len(busy) == 44, "256 at once, and no more", len(busy))
    for i in ids:
        c.say("notifications/cancelled", requestId=i)
    ok(alive_after(c) and c.passed == [], "cancelled all at once", str(c.passed)[:300])
    for n in range(2000):
        c.say("notifications/cancelled", requestId=n * 7)
    ok(alive_after(c), "and 2,000 cancels of nothing")

# ---- who does not read ----
with Client(SPACE) as c:
    c.greet()
    want = {"name": "read_file", "arguments": {"path": "big.txt", "limit": 1000}}
    pipe = c.job.stdin.fileno()
    os.set_blocking(pipe, False)
    sent, rest = 0, b""
    while select.select([], [pipe], [], 1)[1]:
        if not rest:
            rest = json.dumps({"jsonrpc": "2.0", "id": sent, "method": "tools/call", "params": want}).encode() + b"\n"
            sent += 1
        rest = rest[os.write(pipe, rest):]
    memory = peak(c.job.pid)
    ok(memory < 150, f"nobody reads: after {sent} requests it takes no more, {memory:.0f} MiB")
    c.methods.update({str(n): "tools/call" for n in range(sent)})
    os.set_blocking(pipe, True)
    ids, whole = [], 0
    while len(ids) < sent:
        m = c.hear()
        ids.append(m["id"])
        whole += "result" in m and len(m["result"]["structuredContent"]["content"]) > 25000
        if rest:
            c.send(rest)
            rest = b""
    ok(sorted(ids) == list(range(sent)) and whole > 20, f"then somebody does: no line is lost, none is mixed, {whole} of them with 25 kB", (len(ids), sent))
with Client(SPACE) as c:
    c.greet()
    os.set_blocking(c.job.stdin.fileno(), False)
    n = 0
    try:
        while n < 100000:
            os.write(c.job.stdin.fileno(), PING + b"\n")
            n += 1
    except BlockingIOError:
        pass
    pids = c.all()
    c.job.stdin.close()
    ok(c.job.wait(30) == 0 and gone(pids), "nobody reads, and the input ends: it leaves all the same")

# ---- a broker that dies ----
with Client(SPACE) as c:
    c.greet()
    c.begin("tools/call", name="js_run", arguments={"code": "for(;;);", "timeoutMs": 300000})
    ok(alive_after(c), "a run is on")
    pids = c.all()
    os.kill(c.core(), 9)
    ok(c.rest() == [] and c.job.wait(20) != 0 and gone(pids), "the broker is killed: it ends and says so", pids)
    c.close()
    ok(c.err.startswith("crisol: INTERNAL: ") and "the broker" in c.err, "with one clear line", c.err)

# ---- chance ----
seed = int(os.environ.get("SEED", "0")) or random.randrange(1 << 30)
rng = random.Random(seed)
WORDS = [b"{", b"}", b"[", b"]", b":", b",", b'"jsonrpc":"2.0"', b'"id":1', b'"id":"a"', b'"method":"ping"', b'"method":"tools/call"', b'"params":{}',
         b'"params":{"name":"js_run","arguments":{"code":"return 1"}}', b'"method":"notifications/cancelled"', b'"params":{"requestId":1}', b"null", b"\xff", b"\x00", b"\r", b"1e999",
         b'"\\u0000"', b"\n", b"\n", PING, PING + b"\n", HELLO + b"\n"]
with Client(SPACE) as c:
    c.greet()
    for _ in range(300):
        c.send(b"".join(rng.choice(WORDS) for _ in range(rng.randrange(1, 40))))
    c.send(b"\n")
    c.methods["1"] = c.methods['"a"'] = None
    fine = False
    c.send(b'{"jsonrpc":"2.0","id":"end of it","method":"ping"}\n')
    ok(c.answer("end of it")["result"] == {}, f"words in any order (SEED={seed})")
    ok(c.close() == 0, "and it ends well")
close_all()

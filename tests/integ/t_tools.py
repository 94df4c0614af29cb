#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""read_file, list_files, search_text: what they give, what they refuse, and what no file, name, link
or race makes them show. Rows T0, T1, T17; G9, design.md section 3 (links, protected folders)."""
import atexit
import hashlib
import json
import os
import pathlib
import shutil
import socket
import stat
import subprocess
import sys
import tempfile

from desk import NOBODY, Desk, tree
from tap import crisol, ok, run, skip

TOP = pathlib.Path(tempfile.mkdtemp(prefix="crisol-tools-"))
TOP.chmod(0o755)
atexit.register(shutil.rmtree, TOP, True)
MIB = 1 << 20
CHARS = 28000  # of content
NAMES = 200000  # bytes of names that a listing looks at
REPLACED = "\ufffd"
ROOT = os.geteuid() == 0


def sha(data):
    return hashlib.sha256(data).hexdigest()


def numbered(text, start=1):
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return "".join(f"{n}: {line}\n" for n, line in enumerate(lines[start - 1:], start))


def read(desk, path, **values):
    return desk.call("read_file", path=path, **values)


def files_of(desk, **values):
    return desk.call("list_files", **values).result


def matches(reply):
    """[(path, line)] of what a search found; every line must be JSON."""
    lines = [json.loads(line) for line in reply.result["stdout"].splitlines()]
    return [(m["data"]["path"].get("text"), m["data"]["lines"].get("text")) for m in lines if m["type"] == "match"]


def found(reply):
    return sorted({path for path, _ in matches(reply)})


# ---- read_file: fields, lines, limits ----

space = tree(TOP / "read", {"a.txt": "one\ntwo\nthree\n", "sub/b.txt": "b\n"})
with Desk(space) as desk:
    got = read(desk, "a.txt")
    ok(got.result == {"path": "a.txt", "sha256": sha(b"one\ntwo\nthree\n"), "startLine": 1,
                      "content": "1: one\n2: two\n3: three\n", "truncated": False}, "a file: its fields", got)
    for path, shown in [("./a.txt", "a.txt"), (space / "a.txt", "a.txt"), ("sub/../a.txt", "a.txt"), ("sub//b.txt", "sub/b.txt"),
                        ("sub/./b.txt", "sub/b.txt"), ("nowhere/../a.txt", "a.txt"), ("../read/a.txt", "a.txt")]:
        got = read(desk, str(path))
        ok(got.code == "" and got.result["path"] == shown, f"{path} is shown as {shown}", got)

    text = "".join(f"line {n}\n" for n in range(1, 1501))
    tree(space, {"long.txt": text})
    got = read(desk, "long.txt").result
    ok(got["content"] == numbered("".join(f"line {n}\n" for n in range(1, 201))) and got["truncated"] and got["startLine"] == 1,
       "200 lines unless told, and more is said", got)
    got = read(desk, "long.txt", startLine=3, limit=2).result
    ok((got["content"], got["truncated"], got["startLine"]) == ("3: line 3\n4: line 4\n", True, 3), "a range", got)
    got = read(desk, "long.txt", startLine=1400, limit=1000).result
    ok(got["content"] == numbered(text, 1400) and not got["truncated"], "to the last line", got["content"][-40:])
    got = read(desk, "long.txt", startLine=1500, limit=1).result
    ok((got["content"], got["truncated"]) == ("1500: line 1500\n", False), "the last line alone", got)
    for start in [1501, 2 ** 31 - 1]:
        got = read(desk, "long.txt", startLine=start).result
        ok((got["content"], got["truncated"], got["sha256"]) == ("", False, sha(text.encode())), f"line {start} is past the end", got)
    pages, at = "", 1
    while True:
        got = read(desk, "long.txt", startLine=at, limit=7).result
        pages += got["content"]
        at += 7
        if not got["truncated"]:
            break
    ok(pages == numbered(text), "all ranges together are the whole")

    # Ends of lines, marks, nothing: all bytes stay what they are.
    for name, data in [("crlf", b"a\r\nb\r\n"), ("mixed", b"a\r\nb\nc\r\n"), ("cr", b"a\rb\rc"), ("noend", b"a\nb"), ("empty", b""),
                       ("feed", b"\n"), ("feeds", b"\n\n\n"), ("bom", b"\xef\xbb\xbfa\nb\n"), ("space", b" \t \n"),
                       ("sep", "a\u2028b\u0085c\u2029\n".encode()), ("ctrl", b"\x01\x1b[31m\x7f\n"), ("max", "\U0010ffff\n".encode()),
                       ("nonchar", "\ufffe\uffff\n".encode())]:
        tree(space, {name: data})
        got = read(desk, name).result
        ok(got["content"] == numbered(data.decode()) and got["sha256"] == sha(data) and not got["truncated"],
           f"{name}: {data[:20]} stays as it is", got)

    # Cuts at a whole character, wherever they fall.
    for wide in ["x", "\u00e9", "\u20ac", "\U0001f600"]:
        bad = []
        for shift in range(5):
            text = "x" * shift + wide * 40000 + "\n"
            tree(space, {"wide": text})
            got = read(desk, "wide").result
            want = numbered(text)[:CHARS]
            if got["content"] != want or not got["truncated"] or got["sha256"] != sha(text.encode()):
                bad.append((shift, len(got["content"]), got["content"][-3:], got["truncated"]))
        ok(not bad, f"{CHARS} characters of {wide!r}, cut at a whole one", bad)
    text = ("y" * 99 + "\n") * 400
    tree(space, {"wide": text})
    got = read(desk, "wide", limit=1000).result
    ok(got["content"] == numbered(text)[:CHARS] and got["truncated"], "the limit counts numbers and line ends too", len(got["content"]))
    for n in range(CHARS - 5, CHARS + 2):
        text = "z" * n + "\n"
        tree(space, {"wide": text})
        got = read(desk, "wide").result
        whole = numbered(text)
        ok(got["content"] == whole[:CHARS] and got["truncated"] == (len(whole) > CHARS), f"a line of {n} characters", len(got["content"]))
    last = read(desk, "wide", startLine=2).result
    ok((last["content"], last["truncated"]) == ("", False), "after a line that was cut there is nothing", last)

    # The first MiB is looked at.
    line = "0123456789abcde\n"
    exact = line * (MIB // 16)
    tree(space, {"mib": exact, "more": exact + "x"})
    got = read(desk, "mib", startLine=MIB // 16).result
    ok((got["content"], got["truncated"], got["sha256"]) == (f"{MIB // 16}: {line}", False, sha(exact.encode())),
       "a file of 1 MiB is read whole", got)
    got = read(desk, "more", startLine=MIB // 16).result
    ok((got["content"], got["truncated"], got["sha256"]) == (f"{MIB // 16}: {line}", True, None),
       "one byte more is said, and gives no fingerprint", got)
    got = read(desk, "more").result
    ok(got["truncated"] and got["sha256"] is None and got["content"].startswith("1: 0123"), "nor does its first part", got["sha256"])
    for wide in ["\u00e9", "\u20ac", "\U0001f600"]:
        for into in range(1, len(wide.encode())):
            text = line * (MIB // 16 - 1) + "x" * (16 - into) + wide + "tail\n"
            tree(space, {"more": text})
            got = read(desk, "more", startLine=MIB // 16).result
            want = f"{MIB // 16}: " + "x" * (16 - into)
            ok(got["content"].rstrip("\n") == want and got["truncated"] and got["sha256"] is None,
               f"{wide!r} that begins {into} before 1 MiB is left out whole", got["content"])
    with open(space / "huge", "wb") as f:
        f.write(b"begin\n" + b"x\n" * MIB)
        f.truncate(10 << 30)
    got = read(desk, "huge", limit=1).result
    ok((got["content"], got["truncated"], got["sha256"]) == ("1: begin\n", True, None), "10 GB: its beginning", got)
    os.unlink(space / "huge")

    # What is no text.
    for name, data in [("nul", b"a\0b\n"), ("zeros", bytes(4096)), ("late", b"a" * (MIB - 1) + b"\0"), ("utf16", "text\n".encode("utf-16"))]:
        tree(space, {name: data})
        got = read(desk, name)
        ok(got.code == "NOT_TEXT" and name in got.message and "binary" in got.message, f"{name} is refused as binary", got)
    for data in [b"\xff\xfe\n", b"caf\xe9\n", b"\xc3", b"\xed\xa0\x80\n", b"\xf4\x90\x80\x80\n", b"\xc0\xaf", b"a\xe2\x82", b"\x80" * 50]:
        tree(space, {"latin": data})
        got = read(desk, "latin")
        want = data.decode(errors="replace").split("\n")[0]
        ok(got.code == "" and got.result["sha256"] == sha(data) and REPLACED in got.result["content"] and
           got.result["content"].replace(REPLACED, "") == "1: " + want.replace(REPLACED, "") + "\n",
           f"{data[:12]}: what is no UTF-8 is marked, the fingerprint is of the bytes", got)
    os.mkfifo(space / "pipe")
    got = read(desk, "pipe")
    ok(got.code == "NOT_TEXT" and "pipe" in got.message, "a FIFO is refused at once", got)
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(space / "sock"))
    got = read(desk, "sock")
    ok(got.code == "NOT_TEXT" and "sock" in got.message, "a socket is refused", got)
    got = read(desk, "sub")
    ok(got.code == "NOT_TEXT" and "folder" in got.message and "list_files" in got.message, "a folder is refused with the way", got)
    if ROOT:
        os.mknod(space / "null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
        os.mknod(space / "zero", stat.S_IFCHR | 0o666, os.makedev(1, 5))
        for name in ["null", "zero"]:
            got = read(desk, name)
            ok(got.code == "NOT_TEXT" and name in got.message, f"the device {name} is refused", got)
            os.unlink(space / name)
    else:
        skip("no root: device nodes are made by root")

    # What is not there.
    for path in ["missing", "sub/missing", "missing/missing", "a.txt/below", "sub/b.txt/../../missing", "x" * 300]:
        got = read(desk, path)
        ok(got.code == "NOT_FOUND" and "not found" in got.message, f"{path[:40]} is not there", got)

    # Links.
    outside = tree(TOP / "outside", {"o.txt": "OUTSIDE\n"})
    for name, to in [("in", "a.txt"), ("deep", "sub"), ("abs", space / "a.txt"), ("twice", "in"), ("sub/up", "../a.txt"), ("out", outside / "o.txt"),
                     ("outrel", "../outside/o.txt"), ("outdir", outside), ("gone", "nowhere"), ("goneout", TOP / "none/x"), ("loop", "loop"),
                     ("loopa", "loopb"), ("loopb", "loopa"), ("root", "/"), ("self", "."), ("tmp", "/proc/self/cwd"), ("fd", "/proc/self/fd/3")]:
        os.symlink(to, space / name)
    for path, text in [("in", "1: one"), ("deep/b.txt", "1: b"), ("abs", "1: one"), ("twice", "1: one"), ("sub/up", "1: one"), ("self/self/in", "1: one"),
                       ("outdir/../a.txt", "1: one")]:
        got = read(desk, path)
        ok(got.code == "" and got.result["content"].startswith(text), f"{path}: a link that stays inside is followed", got)
    for path in ["out", "outrel", "outdir/o.txt", "root/etc/passwd", "self/out", "deep/../out", "sub/../outdir/o.txt", "/etc/passwd", "../outside/o.txt",
                 str(outside / "o.txt"), "/proc/self/root" + str(outside / "o.txt"), f"/proc/{os.getpid()}/cwd", "goneout", "/proc/self/fd/0", "/dev/null"]:
        got = read(desk, path)
        ok(got.code == "OUTSIDE_ROOTS" and got.result is None and "--add-dir" in got.message + got.hint, f"{path}: outside", got)
    got = read(desk, "out")
    ok(str(outside) in got.message and "additionalDirectories" in got.message, "the resolved place and both remedies are named", got)
    for path, codes in [("gone", ["NOT_FOUND"]), ("loop", ["NOT_FOUND", "DENIED"]), ("loopa/x", ["NOT_FOUND", "DENIED"])]:
        got = read(desk, path)
        ok(got.code in codes and path.split("/")[0] in got.message, f"{path}: a link that leads nowhere", got)
    for path in ["tmp/a.txt", "fd"]:
        got = read(desk, path)
        ok(got.code in ("OUTSIDE_ROOTS", "NOT_FOUND", "DENIED"), f"{path}: a link by /proc", got)
    os.link(space / "a.txt", space / "hard")
    ok(read(desk, "hard").result["content"] == "1: one\n2: two\n3: three\n", "another name of a file is the file")

    # Names.
    for name in ["a b", "a\nb", "\u00e9\u4e2d\U0001f600", "-rf", "--files", "'\"`$(x)", "\\", "*", "[a]", "{a,b}", "!a", "#", "~", " ", "a\tb", "\x1b[31m",
                 "x" * 255, "%s%n", "con.txt "]:
        tree(space / "names", {name: "named\n"})
        got = read(desk, "names/" + name)
        ok(got.code == "" and got.result["path"] == "names/" + name and got.result["content"] == "1: named\n", f"a file called {name[:20]!r}", got)
    for path, text in [("a\0b", "path"), ("", "path"), ("x/" * 2500, "path"), ("x" * 4096, "4095"), ("/" + "y/" * 2046 + "z", None)]:
        got = read(desk, path)
        ok(got.code == ("INVALID_INPUT" if text else "OUTSIDE_ROOTS") and (text or "") in got.message, f"a path of {len(path)} bytes: {path[:8]!r}", got)
    got = read(desk, "a\0b")
    ok("NUL" in got.message, "a NUL is called by its name", got)
    deep = "/".join(["d" * 200] * 19)
    got = read(desk, deep)
    ok(got.code in ("NOT_FOUND", "INVALID_INPUT"), "a path that is too long with the workspace in front", got)
    got = desk.call("read_file", raw='{"path":"\\ud800"}')
    ok(got.code == "INVALID_INPUT", "half a surrogate pair is no name", got)
    with open(os.fsencode(space) + b"/names/bad\xff", "w") as f:
        f.write("badly named\n")
    os.symlink(b"names/bad\xff", os.fsencode(space) + b"/good")
    got = read(desk, "good")
    ok((got.code == "" and got.result["content"] == "1: badly named\n") or (got.code == "INVALID_INPUT" and "UTF-8" in got.message),
       "a link to a name that is no UTF-8 is read, or refused by name", got)
    for shift in range(4):
        for wide in ["\u00e9", "\u4e2d", "\U0001f600"]:
            name = "x" * shift + wide * 200
            got = read(desk, name), desk.call("read_file", raw=json.dumps({"path": "a.txt", name: 1})), desk.call(name), read(desk, "/" + name)
            ok([g.code for g in got] == ["NOT_FOUND", "INVALID_INPUT", "TOOL_UNAVAILABLE", "OUTSIDE_ROOTS"] and all(wide in g.message for g in got),
               f"a message that is cut near {wide!r} is text", got)
    ok(read(desk, "a.txt").code == "" and len(desk.workers()) == 1, "and the worker has lived through all of it", desk.workers())

    # What the schema wants: the field, what was expected, what came.
    for raw, words in [('{}', ["path", "missing"]), ('{"path":5}', ["path", "string", "number"]), ('{"path":null}', ["path", "null"]),
                       ('{"path":["a"]}', ["path", "array"]), ('{"path":"a.txt","line":1}', ["line", "startLine"]),
                       ('{"path":"a.txt","startLine":0}', ["startLine", "0", "1"]), ('{"path":"a.txt","startLine":-1}', ["startLine", "-1"]),
                       ('{"path":"a.txt","startLine":1.5}', ["startLine", "1.5", "whole"]), ('{"path":"a.txt","startLine":"1"}', ["startLine", "string"]),
                       ('{"path":"a.txt","startLine":true}', ["startLine"]), ('{"path":"a.txt","limit":1001}', ["limit", "1001", "1000"]),
                       ('{"path":"a.txt","limit":0}', ["limit", "0", "1"]), ('{"path":"a.txt","limit":1e400}', []),
                       ('{"path":"a.txt","startLine":99999999999999999999}', ["startLine"]), ('{"path":"a.txt","path":"a.txt"}', ["twice"]),
                       ('[]', ["object", "array"]), ('"a.txt"', ["object", "string"]), ('', []), ('{"path":"a.txt"', []), ('{"path":"a.txt"} x', []),
                       ('{"a\\u0000":1,"path":"a.txt"}', ["path"]), ("[" * 100 + "]" * 100, [])]:
        got = desk.call("read_file", raw=raw)
        ok(got.code in ("INVALID_INPUT", "TOO_LARGE") and got.hint and all(w in got.message for w in words), f"input {raw[:50]} is refused: {got.message}", got)
    got = desk.call("read_file", raw='{"path":"a.txt","limit":2.0}')
    ok(got.code in ("", "INVALID_INPUT"), "2.0 is a whole number in JSON Schema, or is refused as one that is not", got)

# Without the right to.
if ROOT:
    private = tree(TOP / "private", {"mine": "mine\n", "shut/x": "x\n", "open": "open mine\n"})
    os.chmod(private / "mine", 0o600)
    os.chmod(private / "shut", 0o700)
    with Desk(private, user=NOBODY) as desk:
        for path in ["mine", "shut/x"]:
            got = read(desk, path)
            ok(got.code in ("DENIED", "NOT_FOUND") and path in got.message, f"{path} without the right to", got)
        # One file that cannot be read does not take the others away.
        got = desk.call("search_text", pattern="mine")
        ok(got.code == "" and found(got) == ["./open"] and got.result["exitCode"] == 0, "a search goes past what it may not read", got)
        got = desk.call("search_text", pattern="nowhere")
        ok(got.code == "" and got.result["exitCode"] == 1 and not matches(got), "and finds nothing where nothing is", got)
        got = desk.call("list_files")
        ok(got.code == "" and got.result["files"] == ["mine", "open"], "a listing too", got)
        got = desk.call("list_files", path="shut")
        ok(got.code in ("DENIED", "NOT_FOUND") and "shut" in got.message, "a folder that may not be listed", got)
else:
    skip("no root: another user's files are made by root")

# What the kernel makes up is no file, though it stands as one.
for folder, name in [("/proc/sys/kernel", "hostname"), ("/proc/self", "environ"), ("/sys/kernel", "uevent_seqnum"), ("/sys/fs/cgroup", "cgroup.procs"),
                     ("/sys/kernel/tracing", "trace_pipe")]:
    if os.path.exists(f"{folder}/{name}"):
        with Desk(space, folders=[folder]) as desk:
            got = read(desk, f"{folder}/{name}")
            ok(got.code == "DENIED" or got.code == "NOT_TEXT" and "kernel" in got.message, f"{folder}/{name} is refused", got)

# ---- list_files ----

space = tree(TOP / "list", {"b.txt": "", "a/x.txt": "", "a/b/y.txt": "", "a-b": "", "a.txt": "", "B": "", ".hidden": "", ".dir/f": "", "node_modules/m/i.js": "",
                            "a/node_modules/n.js": "", ".git/config": "", "out.log": "", "build/o": "", ".gitignore": "*.log\nbuild/\n", "a/.gitignore": "y.txt\n",
                            "a/.env": ""})
os.symlink("b.txt", space / "link")
os.symlink("/etc", space / "etc")
with Desk(space) as desk:
    got = files_of(desk)
    ok(got == {"files": ["B", "a-b", "a.txt", "a/x.txt", "b.txt"], "nextOffset": None, "truncated": False},
       "a listing: sorted, without ignored, hidden, .git and node_modules", got)
    for path, want in [("a", ["a/x.txt"]), ("./a/", ["a/x.txt"]), (str(space / "a"), ["a/x.txt"]), ("a/b", []), (".dir", [".dir/f"]),
                       ("node_modules/m", ["node_modules/m/i.js"])]:
        got = files_of(desk, path=path)
        ok(got["files"] == want, f"the folder {path}", got)
    for raw, words in [('{"limit":501}', ["limit", "501", "500"]), ('{"limit":0}', ["limit"]), ('{"offset":-1}', ["offset"]), ('{"path":5}', ["path"]),
                       ('{"glob":"*"}', ["glob", "path, offset, limit"])]:
        got = desk.call("list_files", raw=raw)
        ok(got.code == "INVALID_INPUT" and all(w in got.message for w in words), f"input {raw} is refused", got)
    got = desk.call("list_files", path="missing")
    ok(got.code == "NOT_FOUND" and "missing" in got.message, "a folder that is not there", got)
    got = desk.call("list_files", path="b.txt")
    ok(got.code != "" and "b.txt" in got.message and "folder" in got.message, "a file is no folder, and that is said", got)
    got = desk.call("list_files", path="etc")
    ok(got.code == "OUTSIDE_ROOTS", "a link that leads out", got)
    got = desk.call("list_files", path="/etc")
    ok(got.code == "OUTSIDE_ROOTS", "a folder outside", got)
    os.mkfifo(space / "pipe")
    ok(desk.call("list_files", path="pipe").code != "", "a pipe is no folder")
    os.unlink(space / "pipe")

    # Pages: together they are the whole.
    names = sorted([f"p{n:04}" for n in range(1234)])
    for name in names:
        tree(space / "many", {name: ""})
    for limit in [1, 7, 100, 500]:
        pages, at, count = [], 0, 0
        while at is not None and count < 2000:
            got = files_of(desk, path="many", offset=at, limit=limit)
            pages += got["files"]
            at, count = got["nextOffset"], count + 1
            if limit == 1 and count == 20:
                break
        want = [f"many/{name}" for name in names]
        ok(pages == (want[:20] if limit == 1 else want), f"pages of {limit} are the whole", (len(pages), pages[:3]))
    ok(len(files_of(desk, path="many")["files"]) == 100, "100 unless told")
    for offset in [1234, 5000, 2 ** 31 - 1]:
        got = files_of(desk, path="many", offset=offset)
        ok(got["files"] == [] and got["nextOffset"] is None, f"nothing behind {offset}", got)
    got = files_of(desk, path="many", offset=1134, limit=100)
    ok(len(got["files"]) == 100 and got["nextOffset"] is None, "the last page has no next", got["nextOffset"])

    # Odd names.
    odd = ["a b", "a\nb", "\u00e9\u4e2d", "-e", "--pre=x", "'\"`", "\\", "*", "[a]", "!x", "#", "x" * 255, "\x01", "%s"]
    for name in odd:
        tree(space / "odd", {name: ""})
    got = files_of(desk, path="odd")
    ok(got["files"] == sorted((f"odd/{n}" for n in odd), key=lambda n: n.encode()), "odd names stand as they are, in order of their bytes", got)
    ok(all(read(desk, name).code == "" for name in got["files"]), "and each can be read as it stands")
    open(os.fsencode(space) + b"/odd/\xff", "w").close()
    got = files_of(desk, path="odd")
    ok(any(REPLACED in name for name in got["files"]) and len(got["files"]) == len(odd) + 1, "a name that is no UTF-8 is marked", got)

    # More names than are looked at: whole names, said, and the same ones on every page.
    big = [f"{n:05}-" + "n" * 94 for n in range(3000)]
    for name in big:
        tree(space / "big", {name: ""})
    first = [files_of(desk, path="big", limit=500) for _ in range(3)]
    pages, at = [], 0
    while at is not None:
        got = files_of(desk, path="big", offset=at, limit=500)
        pages += got["files"]
        at = got["nextOffset"]
        if not got["truncated"]:
            break
    ok(all(f["truncated"] for f in first) and got["truncated"], "over 200,000 bytes of names: truncated is said on every page")
    ok(first[0] == first[1] == first[2], "a listing that was cut is the same every time")
    ok(pages == sorted(set(pages)) and len(pages) > 1000 and {p[4:] for p in pages} <= set(big),
       "its pages are whole names, none twice", (len(pages), len(set(pages))))
    ok(sum(len(p) - 4 for p in pages) <= NAMES, "within the limit", sum(len(p) for p in pages))

# The kernel's own folders have no files that anybody wrote, and ripgrep may never come out of them.
with Desk("/") as desk:
    got = desk.call("list_files", limit=500)
    tops = {f.split("/")[0] for f in got.result["files"]} if got.result else set()
    ok(tops and not tops & {"proc", "sys", "dev"}, "the whole machine can be listed, but for the kernel's folders", (got.code, got.message, tops))
    for path in ("/proc", "/proc/self", "/sys", "/sys/kernel"):
        for tool, more in (("list_files", {}), ("search_text", {"pattern": "x"})):
            got = desk.call(tool, path=path, **more)
            ok(got.code == "NOT_TEXT" and "made up by the kernel" in got.message, f"{tool} does not go into {path}", (got.code, got.message))
for path in ("/proc", "/sys"):
    with Desk(path) as desk:
        got = desk.call("list_files")
        ok(got.code == "NOT_TEXT", f"nor when {path} is the workspace", (got.code, got.message))

# ---- search_text ----

space = tree(TOP / "search", {"a.txt": "needle one\nhay\nneedle two\n", "sub/b.txt": "a needle\n", ".hidden": "needle\n", "node_modules/m.js": "needle\n",
                              "skip.log": "needle\n", ".gitignore": "*.log\nnode_modules\n", ".git/config": "needle\n", "re.txt": "a.b\naxb\n"})
with Desk(space) as desk:
    got = desk.call("search_text", pattern="needle")
    lines = [json.loads(line) for line in got.result["stdout"].splitlines()]
    ok(sorted(got.result) == ["exitCode", "stderr", "stdout", "truncated"] and got.result["exitCode"] == 0 and not got.result["truncated"] and
       got.result["stdout"].endswith("\n") and {line["type"] for line in lines} == {"begin", "match", "end", "summary"},
       "ripgrep's own lines of JSON", got)
    ok(found(got) == ["./a.txt", "./sub/b.txt"], "not in hidden, ignored and .git", found(got))
    ok(sorted(matches(got)) == [("./a.txt", "needle one\n"), ("./a.txt", "needle two\n"), ("./sub/b.txt", "a needle\n")], "the lines", matches(got))
    got = desk.call("search_text", pattern="nothing like it")
    ok(got.code == "" and got.result["exitCode"] == 1 and not matches(got) and got.result["stderr"] == "", "exit 1 is nothing found, no error", got)
    for pattern in ["(", "[", "a{2", "\\", "*", "(?P<", "\\p{Nope}"]:
        got = desk.call("search_text", pattern=pattern)
        ok(got.code == "INVALID_INPUT" and "regex" in got.message, f"{pattern!r} is a wrong pattern, not nothing found", got)
    ok([line for _, line in matches(desk.call("search_text", pattern="a.b"))] == ["a.b\n", "axb\n"], "a pattern")
    ok([line for _, line in matches(desk.call("search_text", pattern="a.b", literal=True))] == ["a.b\n"], "literal")
    ok([line for _, line in matches(desk.call("search_text", pattern="(", literal=True))] == [], "literal needs no escapes")
    for path, want in [("sub", ["sub/b.txt"]), ("a.txt", ["a.txt"]), (str(space / "sub"), ["sub/b.txt"]), (".hidden", [".hidden"]), ("sub/..", ["a.txt", "sub/b.txt"])]:
        got = desk.call("search_text", pattern="needle", path=path)
        ok([p.removeprefix("./") for p in found(got)] == want, f"in {path}", got)
    for path, code in [("missing", "NOT_FOUND"), ("/etc", "OUTSIDE_ROOTS"), ("/etc/passwd", "OUTSIDE_ROOTS"), ("..", "OUTSIDE_ROOTS"), ("-", "NOT_FOUND")]:
        got = desk.call("search_text", pattern="root", path=path)
        ok(got.code == code and got.result is None, f"in {path}: {code}", got)
    for raw, words in [("{}", ["pattern", "missing"]), ('{"pattern":""}', ["pattern"]), ('{"pattern":"a","literal":1}', ["literal", "true or false"]),
                       ('{"pattern":"a","flags":"-i"}', ["flags"]), ('{"pattern":"a\\u0000b"}', ["pattern", "NUL"]), (json.dumps({"pattern": "a" * 20000}), ["pattern", "16384"])]:
        got = desk.call("search_text", raw=raw)
        ok(got.code == "INVALID_INPUT" and all(w in got.message for w in words), f"input {raw[:40]} is refused", got)
    got = desk.call("search_text", pattern="one\nhay")
    ok(got.code in ("", "INVALID_INPUT"), "a line feed in a pattern does no harm", got)

    # A pattern is a pattern, whatever it looks like.
    mark = TOP / "executed"
    script = TOP / "x.sh"
    script.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    script.chmod(0o755)
    hostile = [f"--pre={script}", "-f/etc/passwd", f"--file={script}", "--files", "-e", "--", "-", "--pre", f"--hostname-bin={script}", "-z", "--search-zip",
               "--follow", "-L", "-uuu", "--hidden", "--version", "--type-list", "--ignore-file=/etc/passwd", "@/etc/passwd", "$(touch x)", "`touch x`", "; touch x", "%s"]
    tree(space, {"options": "".join(p + "\n" for p in hostile)})
    for pattern in hostile:
        got = desk.call("search_text", pattern=pattern, literal=True)
        ok(got.code == "" and (("./options", pattern + "\n") in matches(got)) and found(got) == ["./options"] or pattern in "--",
           f"the pattern {pattern} finds itself and does nothing else", got)
        desk.call("search_text", pattern=pattern)
        desk.call("search_text", pattern="needle", path=pattern)
        desk.call("list_files", path=pattern)
    ok(not mark.exists() and not (space / "x").exists(), "and nothing was executed")
    for name in ["-", "--files", "-e", "--pre=" + script.name]:
        tree(space, {name: "needle in odd\n"})
        got = desk.call("search_text", pattern="odd", path=name)
        ok([p.removeprefix("./") for p in found(got)] == [name], f"a file called {name} is searched", got)
        os.unlink(space / name)

    # Bounds.
    tree(space, {"often": "often\n" * 1000})
    got = desk.call("search_text", pattern="often", path="often")
    ok(len(matches(got)) == 100, "100 matches a file", len(matches(got)))
    tree(space / "bulk", {f"{n:03}": ("bulk " + "x" * 90 + "\n") * 100 for n in range(60)})
    got = desk.call("search_text", pattern="bulk", path="bulk")
    ok(got.result["truncated"] and got.result["exitCode"] == 0 and got.result["stdout"].endswith("\n") and len(matches(got)) > 100,
       "output that was cut is said, and ends at a whole line", (got.result["truncated"], len(got.result["stdout"])))
    tree(space, {"wide": "wide" + "x" * (5 * MIB), "wider": "a\nwide " + "y" * 100000 + "\n" + "wide\n"})
    got = desk.call("search_text", pattern="wide", path="wide")
    ok(got.code == "" and got.result["truncated"] and got.result["exitCode"] == 0 and len(got.result["stdout"]) < MIB and matches(got) == [],
       "a line of 5 MiB", (got.code, got.message, got.result and len(got.result["stdout"])))
    got = desk.call("search_text", pattern="wide", path="wider")
    ok(len(matches(got)) == 2 and not got.result["truncated"], "a line of 100,000 bytes", got.code)
    tree(space, {"bin/a": b"needle\0needle\n" * 100, "bin/b": b"\xff\xfeneedle\n", "bin/c": "needle caf\u00e9\n".encode("latin-1")})
    for path in ["bin", "bin/a", "bin/b", "bin/c"]:
        got = desk.call("search_text", pattern="needle", path=path)
        ok(got.code == "" and all(json.loads(line) for line in got.result["stdout"].splitlines()), f"bytes that are no text: {path}", got)
    for path in ["pipe", "sock"]:
        os.mkfifo(space / "pipe") if path == "pipe" else socket.socket(socket.AF_UNIX).bind(str(space / "sock"))
        tag = desk.start("search_text", pattern="x", path=path)
        got = desk.finish(tag)
        ok(got.code not in ("", "TIMEOUT") and path in got.message, f"a {path} is refused at once", got)
    got = desk.call("search_text", pattern="needle")
    ok(got.code == "" and "./a.txt" in found(got), "and does not hold up a search of the folder it is in", got.code)
    with open(os.fsencode(space) + b"/sub/\xff", "w") as f:
        f.write("needle in a bad name\n")
    got = desk.call("search_text", pattern="bad name")
    ok(got.code == "" and [line for _, line in matches(got)] == ["needle in a bad name\n"], "a name that is no UTF-8 is found in", got)

# Another root: what is found can be read under the name it is found by.
other = tree(TOP / "other", {"a.txt": "needle elsewhere\n", "deep/c.txt": "needle deep\n"})
with Desk(space, folders=[other]) as desk:
    got = desk.call("search_text", pattern="needle", path=str(other))
    names = found(got)
    texts = [read(desk, name).result for name in names]
    ok(len(names) == 2 and all(t and t["content"].startswith("1: needle") and ("elsewhere" in t["content"] or "deep" in t["content"]) for t in texts),
       "names that a search of another root gives lead to the files it found", (names, texts))
    got = files_of(desk, path=str(other))
    ok([read(desk, name).result["content"] for name in got["files"]] == ["1: needle elsewhere\n", "1: needle deep\n"], "those of a listing too", got)

# Nobody's configuration counts.
conf = TOP / "rg.conf"
conf.write_text(f"--hidden\n--no-ignore\n--pre={script}\n--files-with-matches\n")
home = tree(TOP / "rghome", {".ripgreprc": conf.read_text(), ".config/git/ignore": "*.txt\n", ".gitconfig": "[core]\nexcludesFile = ~/ig\n", "ig": "*.txt\n"})
with Desk(space, env={"RIPGREP_CONFIG_PATH": str(conf), "HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}) as desk:
    got = desk.call("search_text", pattern="needle one")
    ok(found(got) == ["./a.txt"] and got.result["stdout"].startswith("{"), "RIPGREP_CONFIG_PATH, ~/.ripgreprc and git's own ignore files are inert", got)
    ok("a.txt" in files_of(desk)["files"] and ".hidden" not in files_of(desk)["files"], "for listings too")
ok(not mark.exists(), "and nothing was executed")

# ---- what is crisol's own, inside the workspace ----

own = {"state/journal.x": "OWN needle\n", "conf/config.json": "{}", "conf/x": "OWN needle\n", "run/crisol/sock.txt": "OWN needle\n", "run/other": "needle\n", "a.txt": "needle\n",
       "sub/b": "needle\n"}
for title, state in [("", "state"), (" of an odd name", "s [a]{b,c}*?!\\ state"), (" in a folder", "sub/deep/state")]:
    space = tree(TOP / ("own" + str(len(title))), {name.replace("state/", state + "/"): text for name, text in own.items()})
    os.symlink(state, space / "link")
    os.symlink("/" + os.path.relpath(space / state, "/") + "/journal.x", space / "file")
    os.symlink(".", space / "round")
    env = {"CRISOL_STATE_HOME": str(space / state), "CRISOL_CONFIG_HOME": str(space / "conf"), "XDG_RUNTIME_DIR": str(space / "run")}
    with Desk(space, env=env) as desk:
        for path in [state, state + "/journal.x", "conf/x", "conf/config.json", "run/crisol/sock.txt", "link/journal.x", "file", "round/" + state + "/journal.x",
                     f"{state}/{'../' * (state.count('/') + 1)}conf/x", state + "/missing", "round/round/link/journal.x", str(space / state / "journal.x")]:
            got = [read(desk, path), desk.call("list_files", path=path), desk.call("search_text", pattern="OWN", path=path)]
            ok(all(g.code == "DENIED" and g.result is None and "OWN" not in g.message for g in got), f"the state home{title}: {path} is refused to each", got)
        # The state home is made new by the broker: more is in it than the test's own file.
        for path in [".", "round", "run", "sub"]:
            got = desk.call("list_files", path=path, limit=500)
            want = {".": ["a.txt", "run/other", "sub/b"], "round": ["round/a.txt", "round/run/other", "round/sub/b"], "run": ["run/other"], "sub": ["sub/b"]}[path]
            ok(got.result == {"files": want, "nextOffset": None, "truncated": False}, f"the state home{title}: not listed, and not counted, in {path}", got)
            got = desk.call("search_text", pattern="needle|OWN|sqlite", path=path)
            summary = json.loads(got.result["stdout"].splitlines()[-1])["data"]["stats"]
            ok(sorted(p.removeprefix("./") for p in found(got)) == want and summary["searches"] == len(want), f"nor searched in {path}", got)

# ---- rules with paths ----

secret = {"secret/k": "needle SECRET\n", "secret/deep/k": "needle SECRET\n", "a.txt": "needle\n", "sub/x.key": "needle SECRET\n", "sub/b.txt": "needle\n",
          "x.key": "needle SECRET\n"}
space = tree(TOP / "rules", secret)
with open(os.fsencode(space) + b"/secret/\xff", "w") as f:
    f.write("needle SECRET\n")
os.symlink("secret", space / "way")
os.symlink("secret/k", space / "leaf")
at = str(space)
own_home = TOP / "rules"
for rules, hidden, shown in [
        ([{"decision": "deny", "path": "secret/**"}], ["secret/k", "secret/deep/k", "way/k", "leaf", f"{at}/secret/k", "sub/../secret/k"], ["a.txt", "sub/b.txt", "sub/x.key", "x.key"]),
        ([{"decision": "deny", "path": "secret/"}], ["secret/k", "secret/deep/k", "way/k"], ["a.txt", "sub/b.txt", "sub/x.key", "x.key"]),
        ([{"decision": "deny", "path": "secret"}, {"decision": "deny", "path": "secret/*"}, {"decision": "deny", "path": "secret/*/*"}], ["secret/k", "secret/deep/k"],
         ["a.txt", "sub/b.txt", "sub/x.key", "x.key"]),
        ([{"decision": "deny", "path": "**/*.key"}], ["x.key", "sub/x.key"], ["a.txt", "secret/deep/k", "secret/k", "sub/b.txt"]),
        ([{"decision": "deny", "path": "*.key"}], ["x.key"], ["a.txt", "secret/deep/k", "secret/k", "sub/b.txt", "sub/x.key"]),
        ([{"decision": "deny", "path": f"{at}/secret/**"}], ["secret/k", "secret/deep/k", "way/k"], ["a.txt", "sub/b.txt", "sub/x.key", "x.key"]),
        ([{"decision": "deny", "path": "~/secret/**"}], ["secret/k", "secret/deep/k", "way/k"], ["a.txt", "sub/b.txt", "sub/x.key", "x.key"]),
        ([{"decision": "ask", "path": "secret/**"}], ["secret/k", "secret/deep/k", "way/k"], ["a.txt", "sub/b.txt", "sub/x.key", "x.key"]),
        ([{"decision": "deny", "path": "**"}], ["a.txt", "secret/k"], []),
        ([{"decision": "deny", "effect": "read", "path": "secret/**"}], ["secret/k"], ["a.txt", "sub/b.txt", "sub/x.key", "x.key"]),
        ([{"decision": "deny", "tool": "*_*", "path": "secret/**"}, {"decision": "allow", "path": "**"}], ["secret/k"], ["a.txt", "sub/b.txt", "sub/x.key", "x.key"])]:
    asks = rules[0]["decision"] == "ask"
    for layer in ["own", "config"]:
        if layer == "config" and any(r["path"].startswith("~") or r["decision"] == "allow" for r in rules):
            continue
        with Desk(space, **{layer: {"permissions": {"rules": rules}}}, env={"HOME": str(own_home)}) as desk:
            what = json.dumps(rules)[:90] + " of " + layer
            got = [read(desk, path) for path in hidden]
            ok(all(g.code == ("APPROVAL_REQUIRED" if asks else "DENIED") and "SECRET" not in g.message for g in got), f"{what}: not read", got)
            got = [desk.call("search_text", pattern="needle", path=path) for path in hidden]
            ok(all(g.code == ("APPROVAL_REQUIRED" if asks else "DENIED") for g in got), f"{what}: not searched by name", got)
            got = files_of(desk)
            if shown or "files" in (got or {}):
                ok([n for n in got["files"] if REPLACED not in n] == shown and (any(REPLACED in n for n in got["files"]) == ("secret/k" in shown)), f"{what}: not listed", got)
                ok(got["hidden"] > 0, f"{what}: and that is said", got)
                got = desk.call("search_text", pattern="needle")
                ok(sorted(p.removeprefix("./") for p in found(got) if REPLACED not in p) == shown and
                   ("SECRET" in got.result["stdout"]) == any(name in secret and "SECRET" in secret[name] for name in shown) and got.result["hidden"],
                   f"{what}: not found", got)
            for name in shown:
                ok(read(desk, name).code == "", f"{what}: {name} is read", name)

# What a rule keeps away cannot be asked about, either.
space = tree(TOP / "oracle", {"secret/k": "the password is 1234\n", "a.txt": "plain\n"})
with Desk(space, own={"permissions": {"rules": [{"decision": "deny", "path": "secret/**"}]}}) as desk:
    yes, no = desk.call("search_text", pattern="password is 1"), desk.call("search_text", pattern="password is 2")
    ok(yes == no and yes.code == "" and yes.result["exitCode"] == 1, "a search says the same whether or not a hidden file has it", (yes, no))
with Desk(space, own={"permissions": {"rules": [{"decision": "deny", "tool": "read_file", "path": "secret/**"}]}}) as desk:
    ok(read(desk, "secret/k").code == "DENIED" and files_of(desk)["files"] == ["a.txt", "secret/k"], "a rule for one tool is for that one")
# A rule by a link's own name counts, though the file has another.
space = tree(TOP / "named", {"real/k": "needle\n"})
os.symlink("real", space / "alias")
with Desk(space, own={"permissions": {"rules": [{"decision": "deny", "path": "alias/**"}]}}) as desk:
    ok(read(desk, "alias/k").code == "DENIED" and read(desk, "real/k").code == "", "a rule about a link's name")
alias = TOP / "alias"
os.symlink(TOP / "named", alias)
for path in [f"{alias}/real/**", f"{TOP}/named/real/**"]:
    for cwd in [alias, TOP / "named"]:
        with Desk(os.path.realpath(cwd), own={"permissions": {"rules": [{"decision": "deny", "path": path}]}}) as desk:
            got = [read(desk, "real/k").code, read(desk, "alias/k").code, read(desk, f"{alias}/real/k").code, files_of(desk)["files"]]
            ok(got == ["DENIED", "DENIED", "DENIED", []], f"a rule about {path}, in whatever way the folder is called", got)

# ---- races ----

# Two names change places without end, while calls look: what is outside, protected, or denied by a rule never comes in.
SWAP = """
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
a, b = (sys.argv[1] + n for n in ("/a", "/b"))
n = 0
while n < int(sys.argv[2]):
    if libc.renameat2(-100, a.encode(), -100, b.encode(), 2) != 0: sys.exit("renameat2: %d" % ctypes.get_errno())
    n += 1
    if n == 1: print("begun", flush=True)
"""
for what, target in [("a folder outside", "outside"), ("a folder that a rule denies", "inner/denied"), ("crisol's own folder", "inner/state")]:
    place = tree(TOP / ("race" + str(len(what))), {"inner/a/f": "INSIDE needle\n", "outside/f": "FOREIGN needle\n", "inner/denied/f": "FOREIGN needle\n",
                                                  "inner/state/f": "FOREIGN needle\n"})
    os.symlink(os.path.relpath(place / target, place / "inner"), place / "inner/b")
    for tool in ["read_file", "list_files", "search_text"]:
        swapper = subprocess.Popen([sys.executable, "-c", SWAP, str(place / "inner"), "100000000"], stdout=subprocess.PIPE)
        swapper.stdout.readline()
        codes = {}
        foreign = []
        values = {"read_file": {"path": "a/f"}, "list_files": {"path": "a"}, "search_text": {"path": "a", "pattern": "needle"}}[tool]
        with Desk(place / "inner", own={"permissions": {"rules": [{"decision": "deny", "path": "denied/**"}]}},
                  env={"CRISOL_STATE_HOME": str(place / "inner/state")}) as desk:
            # Until both have been seen often, as processes take turns here.
            while sum(codes.values()) < 20000 and (sum(codes.values()) < (1500 if tool == "read_file" else 80) or len(codes) < 2 or "" not in codes):
                got = desk.call(tool, **values)
                codes[got.code] = codes.get(got.code, 0) + 1
                if "FOREIGN" in f"{got.result} {got.message}":
                    foreign.append(got)
        swapper.kill(), swapper.wait()
        ok(not foreign, f"{tool} never shows {what} that changes places with the one it was judged for", foreign[:2])
        ok(codes.get("") and len(codes) > 1 and set(codes) <= {"", "NOT_FOUND", "OUTSIDE_ROOTS", "DENIED", "TOOL_FAILED", "INVALID_INPUT"}, f"{tool}: {what}: both were met", codes)

# Without ripgrep both say how to get it, and read_file works.
places = [p for p in ["/usr/local/bin/rg", "/usr/bin/rg", "/bin/rg"] if os.path.exists(p)]
plain = TOP / "norg"
plain.write_text("")
plain.chmod(0o644)
hide = ["unshare", "-m"] if ROOT else ["unshare", "-rm"]
mounts = " && ".join(f"mount --bind {plain} {os.path.realpath(p)}" for p in {os.path.realpath(p) for p in places}) or "true"
if run([*hide, "sh", "-c", mounts]).rc != 0:
    skip("no mountns: ripgrep cannot be hidden")
else:
    def without(*args):
        return run([*hide, "sh", "-c", f'{mounts} && exec "$@"', "sh", crisol, *args], cwd=TOP / "search", env={"CRISOL_STATE_HOME": str(TOP / "state")})

    four = ["sudo apt install ripgrep", "brew install ripgrep", "winget install BurntSushi.ripgrep.MSVC", "scoop install ripgrep"]
    for args in [["call", "list_files"], ["call", "search_text", '{"pattern":"x"}']]:
        r = without(*args)
        ok(r.rc == 1 and all(w in r.err for w in four), f"{args[1]} without ripgrep names four ways to it", r)
    r = without("call", "read_file", '{"path":"a.txt"}')
    ok(r.rc == 0 and "needle" in r.out, "read_file needs none", r)

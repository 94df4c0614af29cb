#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""write_file, edit_file: what they change, byte for byte, what they keep, what they refuse with the way
out, and that no link, race or full disk makes them write elsewhere or by half. Rows T1, T2, T5, T17; G3, G9."""
import atexit
import ctypes
import hashlib
import json
import os
import pathlib
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile

from desk import NOBODY, WRITE, Desk, tree
from tap import crisol, ok, run, skip

ROOT = os.geteuid() == 0
libc = ctypes.CDLL(None, use_errno=True)
if ROOT:  # mounts of this program are its own
    assert libc.unshare(0x20000) == 0 and libc.mount(b"none", b"/", None, 0x44000, None) == 0
TOP = pathlib.Path(tempfile.mkdtemp(prefix="crisol-write-"))
TOP.chmod(0o755)
atexit.register(shutil.rmtree, TOP, True)
MIB = 1 << 20


def sha(data):
    return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()


def now(path):
    return sha((space / path).read_bytes())


def write(desk, path, content, **more):
    return desk.call("write_file", path=str(path), content=content, **more)


def edit(desk, path, old, new, expected=None):
    return desk.call("edit_file", path=str(path), oldText=old, newText=new, expectedHash=expected or now(path))


def strays(folder):
    return [p for p in pathlib.Path(folder).rglob(".crisol-*")]


def refused(got, code, words, name, path=None, content=None):
    """It failed so, saying all of this, and the file is as it was."""
    same = path is None or (space / path).read_bytes() == content
    return ok(got.code == code and all(w in got.message for w in words) and same, name, (got, same))


space = tree(TOP / "space", {"a.txt": "one\ntwo\nthree\n"})
with Desk(space, flags=WRITE) as desk:
    # ---- a new file, another one, the same ----
    got = write(desk, "new.py", "x = 1\n")
    want = {"path": "new.py", "status": "created", "sha256": sha("x = 1\n"), "was": None, "bytes": 6,
            "diff": {"path": "new.py", "lang": "python", "text": "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+x = 1\n"}}
    ok(got.result == want and (space / "new.py").read_text() == "x = 1\n", "a new file: its fields", got)
    old = os.umask(0)
    os.umask(old)
    ok(stat.S_IMODE(os.stat(space / "new.py").st_mode) == 0o666 & ~old, "it has the rights that the person's files get")
    got = write(desk, "deep/er/b.txt", "")
    ok(got.result["folders"] == ["deep", "deep/er"] and (space / "deep/er/b.txt").read_bytes() == b"" and got.result["bytes"] == 0, "folders are made, and named", got)
    ok(stat.S_IMODE(os.stat(space / "deep").st_mode) == 0o777 & ~old, "with the person's rights")
    first = desk.call("read_file", path="a.txt").result["sha256"]
    got = write(desk, "a.txt", "one\n2\nthree\n", expectedHash=first.upper())
    ok(got.result["status"] == "changed" and got.result["was"] == first and got.result["sha256"] == now("a.txt") and
       got.result["diff"]["text"] == "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n", "a file that was read is replaced", got)
    inode = os.stat(space / "a.txt").st_ino
    got = write(desk, "a.txt", "one\n2\nthree\n", expectedHash=now("a.txt"))
    ok(got.result["status"] == "unchanged" and "diff" not in got.result and os.stat(space / "a.txt").st_ino == inode, "identical content: no diff, no write", got)

    # ---- fingerprints ----
    data = (space / "a.txt").read_bytes()
    refused(write(desk, "a.txt", "x"), "STALE_FILE", ["a.txt", "exists", "read_file", "expectedHash"], "what exists is read first", "a.txt", data)
    refused(write(desk, "a.txt", "x", expectedHash=first), "STALE_FILE", ["a.txt", "changed", now("a.txt"), "again"], "another fingerprint: it is told", "a.txt", data)
    refused(edit(desk, "a.txt", "one", "1", first), "STALE_FILE", ["changed"], "an edit, too", "a.txt", data)
    refused(write(desk, "gone", "x", expectedHash=first), "NOT_FOUND", ["gone", "without expectedHash"], "a file that is gone is not made again")
    refused(write(desk, "gone/er", "x", expectedHash=first), "NOT_FOUND", ["gone/er"], "nor its folders")
    refused(edit(desk, "gone", "a", "b", first), "NOT_FOUND", ["gone"], "an edit of what is not there")
    ok(not (space / "gone").exists(), "and nothing was made")
    for bad in ["z" * 64, "0" * 63, "0" * 65, ""]:
        refused(write(desk, "a.txt", "x", expectedHash=bad), "INVALID_INPUT", ["expectedHash"], f"a fingerprint of {len(bad)} {bad[:1]!r}", "a.txt", data)
    refused(desk.call("edit_file", path="a.txt", oldText="one", newText="1"), "INVALID_INPUT", ["expectedHash"], "an edit without one", "a.txt", data)

    # ---- edits: no byte outside the match changes ----
    for name, before, old, new in [
            ("lf", b"a\nb\nc\n", "b", "B"), ("crlf", b"a\r\nb\r\nc\r\n", "b\r\n", "B\r\nB\r\n"), ("mixed", b"a\r\nb\nc\rd", "b", "B"), ("cr", b"a\rb\rc", "b", "B"),
            ("noend", b"a\nb", "b", "B"), ("adds no end", b"a\nb", "a", "A"), ("bom", b"\xef\xbb\xbfone\ntwo\n", "one", "1"), ("bom in it", b"\xef\xbb\xbfone\n", "\ufeffone", "\ufeff1"),
            ("latin", b"caf\xe9 x\n\xff\xfe\n", "x", "y"), ("to nothing", b"abc", "abc", ""), ("the first", b"abc", "a", ""), ("the last", b"abc", "c", "ccc"), ("dollar", b"x=1\n", "1", "$& $1 \\1 \\n %s"),
            ("blanks", b"  a  \n\t b\t\n", "\t b\t", "b"), ("wide", "a\u4e2d\U0001f600b".encode(), "\U0001f600", "\u00e9"), ("nfd", "e\u0301 \u00e9".encode(), "\u00e9", "x"), ("newlines", b"\n\n\na\n\n", "a", "\n")]:
        tree(space, {"e": before})
        got = edit(desk, "e", old, new)
        after = before.replace(old.encode(), new.encode(), 1)
        ok(got.code == "" and (space / "e").read_bytes() == after and got.result["sha256"] == sha(after), f"{name}: the match alone changes", got)
    for name, before, old, words in [("tabs", b"if\n\tx\n", "    x", ["line 2", "tabs against spaces"]), ("crlf", b"a\r\nb\r\n", "a\nb", ["CRLF"]), ("nbsp", "a\u00a0b".encode(), "a b", ["U+00A0"]),
                                    ("case", b"Abc\n", "abc", ["case"]), ("quotes", "\u201ca\u201d".encode(), '"a"', ["typographic"]), ("nfc", "caf\u00e9".encode(), "cafe\u0301", ["NFC"]), ("blank end", b"a  \nb\n", "a\nb", ["end of a line"]),
                                    ("bom", b"abc", "\ufeffabc", ["byte order mark"]), ("numbers", b"a\nb\n", "1: a\n2: b", ["numbers", "read_file"]), ("empty", b"", "x", ["empty"]), ("far", b"abc\n", "completely other", ["no line"])]:
        tree(space, {"e": before})
        refused(edit(desk, "e", old, "y"), "MATCH_NOT_FOUND", words, f"{name}: why it is not found", "e", before)
    tree(space, {"e": b"x\ny\nx\n" + b"z\n" * 5 + b"x"})
    refused(edit(desk, "e", "x", "y"), "MATCH_NOT_UNIQUE", ["3 times", "1, 3, 9"], "all places by their lines", "e", b"x\ny\nx\n" + b"z\n" * 5 + b"x")
    tree(space, {"e": b"x" * 5000})
    refused(edit(desk, "e", "x", "y"), "MATCH_NOT_UNIQUE", ["1000 or more", "and others"], "a great many", "e", b"x" * 5000)
    refused(edit(desk, "e", "xx", ""), "MATCH_NOT_UNIQUE", [], "places that overlap", "e", b"x" * 5000)
    refused(edit(desk, "e", "", "y"), "INVALID_INPUT", ["oldText is empty", "write_file"], "an empty oldText, with the way", "e", b"x" * 5000)
    refused(edit(desk, "e", "q", "q"), "INVALID_INPUT", ["same"], "nothing would change")
    tree(space, {"e": b"a\0b"})
    refused(edit(desk, "e", "a", "b"), "NOT_TEXT", ["binary", "NUL"], "binary", "e", b"a\0b")
    got = write(desk, "e", "text\n", expectedHash=now("e"))
    ok(got.code == "" and "Binary files differ" in got.result["diff"]["text"], "binary is replaced whole, and its diff says so", got)

    # ---- sizes ----
    line = "0123456789abcde\n"
    whole = line * (MIB // 16)
    got = write(desk, "mib", whole)
    ok(got.code == "" and now("mib") == sha(whole) and got.result["bytes"] == MIB and "[the diff is cut here:" in got.result["diff"]["text"][-80:] and len(got.result["diff"]["text"]) < 210000,
       "1 MiB is written; its diff is cut at a line with a label", (got.code, got.message))
    got = edit(desk, "mib", line * 2, "x")
    ok(got.code == "MATCH_NOT_UNIQUE", "1 MiB full of matches", got.message)
    refused(write(desk, "more", whole + "x"), "INVALID_INPUT", ["content", str(MIB)], "one byte more is refused")
    (space / "mib").write_text("Q" + whole[1:])
    got = edit(desk, "mib", "Q1", "R1")
    ok(got.code == "" and (space / "mib").read_text() == "R" + whole[1:], "1 MiB is edited", got.message)
    before = (space / "mib").read_bytes()
    refused(edit(desk, "mib", "R1", "RR1"), "TOO_LARGE", [str(MIB + 1)], "an edit that makes it larger is refused with the size", "mib", before)
    (space / "big").write_text(whole + "x")
    refused(desk.call("edit_file", path="big", oldText="x", newText="y", expectedHash=now("big")), "TOO_LARGE", [str(MIB + 1)], "so is a larger file", "big", (whole + "x").encode())

    # ---- what is kept, what is refused because it could not be ----
    for mode in [0o600, 0o640, 0o755, 0o666, 0o604]:
        tree(space, {"m": b"a\n"})
        os.chmod(space / "m", mode)
        got = edit(desk, "m", "a", "b")
        ok(got.code == "" and stat.S_IMODE(os.stat(space / "m").st_mode) == mode, f"mode {mode:o} stays", got)
        os.unlink(space / "m")
    tree(space, {"m": b"a\n"})
    acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *e) for e in [(1, 6, 0xffffffff), (2, 4, 12345), (4, 4, 0xffffffff), (16, 4, 0xffffffff), (32, 0, 0xffffffff)])
    try:
        os.setxattr(space / "m", "user.mark", b"kept\0\xff")
        os.setxattr(space / "m", "system.posix_acl_access", acl)
        mode = os.stat(space / "m").st_mode
        got = edit(desk, "m", "a", "b")
        ok(got.code == "" and os.getxattr(space / "m", "user.mark") == b"kept\0\xff" and os.getxattr(space / "m", "system.posix_acl_access") == acl and os.stat(space / "m").st_mode == mode,
           "attributes and an access list stay", got)
        (space / "acl").mkdir()
        tree(space, {"acl/f": b"a\n"})
        mode = os.stat(space / "acl/f").st_mode
        os.setxattr(space / "acl", "system.posix_acl_default", acl)
        got = edit(desk, "acl/f", "a", "b")
        ok(got.code == "" and "system.posix_acl_access" not in os.listxattr(space / "acl/f") and os.stat(space / "acl/f").st_mode == mode, "and none comes from the folder", got)
    except OSError as e:
        ok(e.errno == 95, "this file system has no attributes or access lists", e)
    for kind in (["hard"] if not ROOT else ["hard", "setuid"]):
        tree(space, {"k": b"a\n"})
        os.link(space / "k", space / "k2") if kind == "hard" else os.chmod(space / "k", 0o4755)
        refused(edit(desk, "k", "a", "b"), "TOOL_FAILED", ["k", "2 names", "copy"] if kind == "hard" else ["set-id", "chmod"], f"{kind}: refused with the way", "k", b"a\n")
        os.unlink(space / "k")
    os.chmod(space / "k2", 0o444)
    refused(edit(desk, "k2", "a", "b"), "TOOL_FAILED", ["read-only", "chmod u+w"], "a read-only file is not written, for root neither", "k2", b"a\n")
    if ROOT:
        tree(space, {"o": b"a\n"})
        os.chown(space / "o", NOBODY, NOBODY + 1)
        got = edit(desk, "o", "a", "b")
        ok(got.code == "" and os.stat(space / "o")[4:6] == (NOBODY, NOBODY + 1) and (space / "o").read_text() == "b\n", "owner and group stay", got)
    else:
        skip("no root: files of others are made by root")

    # ---- what is no file ----
    os.mkfifo(space / "pipe")
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(space / "sock"))
    (space / "dir").mkdir()
    for name, word in [("pipe", "pipe"), ("sock", "sock"), ("dir", "folder"), ("dir/", "folder"), (".", "folder")]:
        got = write(desk, name, "x", expectedHash=sha(b""))
        ok(got.code in ("NOT_TEXT", "INVALID_INPUT") and word in got.message, f"{name} is refused by name", got)
    refused(write(desk, "a.txt/below", "x"), "TOOL_FAILED", ["a.txt/below", "file"], "a file on the way")
    for name in ["x" * 255, "a\nb", "\u00e9\u4e2d\U0001f600", "-rf", "a b", " ", "\\", '"', "\x1b[31m", "*"]:
        got = write(desk, "names/" + name, "named\n")
        again = edit(desk, "names/" + name, "named", "renamed")
        ok(got.code == again.code == "" and (space / "names" / name).read_text() == "renamed\n", f"a file called {name[:20]!r}", (got, again))
    for path, words in [("x" * 256, ["256", "255"]), ("a\0b", ["NUL"]), ("", ["path"])]:
        refused(write(desk, path, "x"), "INVALID_INPUT", words, f"a path of {len(path)} {path[:3]!r}")

    # ---- links ----
    outside = tree(TOP / "outside", {"o.txt": "OUTSIDE\n"})
    for name, to in [("in", "a.txt"), ("deepl", "deep"), ("out", outside / "o.txt"), ("outdir", outside), ("dangling", "nowhere"), ("danglingout", outside / "new"), ("loop", "loop"), ("proc", "/proc/self/cwd"), ("root", "/")]:
        os.symlink(to, space / name)
    was = (space / "a.txt").read_bytes()
    for path in ["in", "deepl/er/b.txt", "out", "outdir/o.txt", "outdir/new", "dangling", "danglingout", "loop", "proc/a.txt", "root/tmp/x", "outdir/sub/new", "/proc/self/fd/3", f"/proc/{os.getpid()}/cwd/a.txt",
                 str(outside / "new"), "../outside/o.txt", "/etc/crisol-test"]:
        for got in [write(desk, path, "x"), desk.call("edit_file", path=path, oldText="one", newText="x", expectedHash=sha(was))]:
            ok(got.code in ("DENIED", "OUTSIDE_ROOTS"), f"{path}: nothing is written through a link, or outside", got)
    ok(sorted(os.listdir(outside)) == ["o.txt"] and (outside / "o.txt").read_text() == "OUTSIDE\n" and (space / "a.txt").read_bytes() == was and not (space / "nowhere").exists(), "and nothing was")
    got = write(desk, "deepl/../new2", "x")
    ok(got.code in ("", "DENIED"), "a link that the path leaves again", got)

    # ---- protected places ----
    for path in [".git/config", "deep/.git/hooks/x", ".crisol/config.json", ".GIT/x", ".crisol"]:
        refused(write(desk, path, "x"), "APPROVAL_REQUIRED", [], f"{path} asks, and nobody is there")
    refused(write(desk, str(desk.home / "state/x"), "x"), "DENIED", [], "crisol's own folder")
    ok(not strays(space), "no name is left behind", strays(space))
    ok(len(desk.workers()) <= 2, "one worker reads, one writes", desk.workers())

    # ---- scripts ----
    got, _ = desk.script("const r = await tools.write_file({path: 's.txt', content: 'a'}); const e = await tools.edit_file({path: 's.txt', oldText: 'a', newText: 'b', expectedHash: r.sha256}); return e.status")
    ok(got["status"] == "succeeded" and got["effects"]["verdict"] == "applied" and [c["tool"] for c in got["effects"]["list"]] == ["write_file", "edit_file"], "a script writes, and its effects are listed", got)
    got, _ = desk.script("try { await tools.write_file({path: 's.txt', content: 'c'}) } catch (e) { return e.code }")
    ok(got["effects"]["verdict"] == "none" and (space / "s.txt").read_text() == "b", "a refusal has none", got)
    got, _ = desk.script("return (await Promise.all([...Array(20).keys()].map(n => tools.write_file({path: `par/${n}`, content: `${n}`})))).length")
    ok(got["status"] == "succeeded" and all((space / f"par/{n}").read_text() == str(n) for n in range(20)), "twenty at once, one after another", got)

# ---- who may not ----
with Desk(space) as desk:
    ok(write(desk, "no", "x").code == "TOOL_UNAVAILABLE", "without the flag there is no such tool")
with Desk(space, flags=WRITE, read_only=1) as desk:
    ok(write(desk, "no", "x").code == "READ_ONLY" and not (space / "no").exists(), "--read-only removes it")
r = run([crisol, "call", "--allow-write", "write_file", json.dumps({"path": "cli.txt", "content": "x"})], cwd=space, env={"CRISOL_STATE_HOME": str(TOP / "state"), "CRISOL_CONFIG_HOME": str(TOP / "conf")})
ok(r.rc == 0 and json.loads(r.out)["status"] == "created" and (space / "cli.txt").read_text() == "x", "crisol call --allow-write", r)

# ---- somebody who is not root ----
if ROOT:
    mine = tree(TOP / "mine", {"theirs": "a\n", "shut/f": "a\n", "ro/f": "a\n"})
    os.chown(mine, NOBODY, NOBODY)
    os.chmod(mine / "theirs", 0o666)
    os.chown(mine / "ro", NOBODY, NOBODY), os.chown(mine / "ro/f", NOBODY, NOBODY), os.chmod(mine / "ro", 0o555)
    with Desk(mine, flags=WRITE, user=NOBODY) as desk:
        got = write(desk, "new", "x")
        ok(got.code == "" and os.stat(mine / "new").st_uid == NOBODY, "an ordinary user writes", got)
        got = desk.call("edit_file", path="new", oldText="x", newText="y", expectedHash=sha("x"))
        ok(got.code == "" and (mine / "new").read_text() == "y", "and edits", got)
        for path, words in [("theirs", ["owner", "user 0"]), ("shut/f", ["shut/f", "EACCES"]), ("ro/f", ["ro/f", "folder"])]:
            got = desk.call("edit_file", path=path, oldText="a", newText="b", expectedHash=sha("a\n"))
            ok(got.code == "TOOL_FAILED" and all(w in got.message for w in words) and (mine / path).read_text() == "a\n", f"{path}: what could not be kept or may not be written is refused", got)
        ok(not strays(mine), "nothing is left behind", strays(mine))
else:
    skip("no root: a user whose folder holds files of others")

# ---- disks ----
if ROOT:
    disk = TOP / "disk"
    disk.mkdir()

    def mount(options, flags=0):
        return libc.mount(b"none", str(disk).encode(), b"tmpfs", flags, options.encode()) == 0

    for what, options, word in [("a full disk", "size=64k", "ENOSPC"), ("a used quota", "size=10m,usrquota,usrquota_block_hardlimit=64k", "EDQUOT"), ("no inode left", "nr_inodes=3", "ENOSPC")]:
        if not mount(options):
            ok("quota" in what, f"{what}: this kernel has none to give", ctypes.get_errno())
            continue
        owner = NOBODY if "quota" in what else 0
        tree(disk, {"f": "a\n", "fill": "" if "inode" in what else "x" * 40000})
        for path in [disk, disk / "f", disk / "fill"]:
            os.chown(path, owner, owner)
        with Desk(disk, flags=WRITE, user=owner or None) as desk:
            got = write(desk, "f", "y" * 60000, expectedHash=sha("a\n")), write(desk, "n", "y" * 60000)
            ok(all(g.code == "TOOL_FAILED" and word in g.message and "make room" in g.message for g in got) and (disk / "f").read_text() == "a\n" and sorted(os.listdir(disk)) == ["f", "fill"],
               f"{what}: said, and the old file is whole", got)
        libc.umount2(str(disk).encode(), 2)
    mount("size=1m")
    tree(disk, {"f": "a\n"})
    with Desk(disk, flags=WRITE) as desk:
        got = desk.call("edit_file", path="f", oldText="a", newText="b", expectedHash=sha("a\n"))
        ok(got.code == "", "a tmpfs", got)
        libc.mount(None, str(disk).encode(), None, 0x21, None)  # remount, read-only
        got = desk.call("edit_file", path="f", oldText="b", newText="c", expectedHash=sha("b\n")), write(desk, "n", "x")
        ok(all(g.code == "TOOL_FAILED" and ("EROFS" in g.message or "only be read" in g.message) for g in got), "a file system that can only be read", got)
    libc.umount2(str(disk).encode(), 2)
    tree(space, {"fixed": "a\n"})
    if run(["chattr", "+i", str(space / "fixed")]).rc == 0:
        with Desk(space, flags=WRITE) as desk:
            got = edit(desk, "fixed", "a", "b")
            ok(got.code == "TOOL_FAILED" and "immutable" in got.message and "chattr" in got.message, "an immutable file", got)
        run(["chattr", "-i", str(space / "fixed")])
else:
    skip("no root: disks are mounted by root")

# ---- races ----
ring = tree(TOP / "ring", {"f": "0\n"})
with Desk(ring, flags=WRITE) as one, Desk(ring, flags=WRITE) as two:
    links, stale, last, bad = {}, 0, {one: sha("0\n"), two: sha("0\n")}, []
    for n in range(400):
        tags = [(d, d.start("write_file", path="f", content=f"{n} {who}\n", expectedHash=last[d])) for who, d in enumerate([one, two])]
        for d, tag in tags:
            got = d.finish(tag)
            if got.code == "":
                links.setdefault(got.result["was"], []).append(got.result["sha256"])
            elif got.code == "STALE_FILE":
                stale += 1
            else:
                bad.append(got)
        last = {d: sha((ring / "f").read_bytes()) for d in last}
    at, n = sha("0\n"), 0
    while at in links and len(links[at]) == 1:
        at, n = links[at][0], n + 1
    ok(at == sha((ring / "f").read_bytes()) and n == len(links) == 400 and stale == 400 and not bad, f"two writers: {n} changes in one chain, {stale} told that they were late", (n, len(links), stale, bad[:2]))
    ok(os.listdir(ring) == ["f"], "and no other name", os.listdir(ring))

SWAP = """
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
a, b = (sys.argv[1] + n for n in ("/a", "/b"))
print("begun", flush=True)
while libc.renameat2(-100, a.encode(), -100, b.encode(), 2) == 0: pass
sys.exit("renameat2: %d" % ctypes.get_errno())
"""
place = tree(TOP / "race", {"inner/a/f": "0\n", "outside/f": "OUTSIDE\n"})
os.symlink("../outside", place / "inner/b")
swapper = subprocess.Popen([sys.executable, "-c", SWAP, str(place / "inner")], stdout=subprocess.PIPE)
swapper.stdout.readline()
codes, n, at = {}, 0, "0\n"
with Desk(place / "inner", flags=WRITE) as desk:
    while n < 20000 and (n < 1000 or "" not in codes or len(codes) < 3):
        n += 1
        for got in [desk.call("write_file", path="a/f", content=f"{n}\n", expectedHash=sha(at)), desk.call("write_file", path=f"a/made/{n}", content="x")]:
            codes[got.code] = codes.get(got.code, 0) + 1
            if got.code == "" and got.result["path"] == "a/f":
                at = f"{n}\n"
swapper.kill(), swapper.wait()
ok(os.listdir(place / "outside") == ["f"] and (place / "outside/f").read_text() == "OUTSIDE\n", f"a folder that changes places with a link: of {n} writes no byte gets outside", codes)
ok(codes.get("") and set(codes) <= {"", "NOT_FOUND", "DENIED", "OUTSIDE_ROOTS", "TOOL_FAILED", "STALE_FILE"}, "both were met", codes)
ok(not strays(place), "and nothing is left behind", strays(place))

# ---- the worker dies at any moment ----
die = tree(TOP / "die", {"f": "0" * 500000})
unknown = whole = 0
with Desk(die, flags=WRITE) as desk:
    write(desk, "begin", "x")
    for n in range(40):
        before = (die / "f").read_bytes()
        want = str(n % 10) * (500000 + n)
        tag = desk.start("write_file", path="f", content=want, expectedHash=sha(before))
        workers = desk.workers()
        for _ in range(n * 40):
            os.stat(die / "f")
        for pid in workers:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        got = desk.finish(tag)
        after = (die / "f").read_bytes()
        whole += after == before or after == want.encode()
        unknown += got.code == "TOOL_FAILED"
        if got.code == "" and after != want.encode():
            whole -= 1
ok(whole == 40 and unknown, f"a worker that is killed, {unknown} times while it wrote: the file is the old one or the new one", (whole, unknown))
ok(len(strays(die)) <= unknown, "at most one other name each", strays(die))

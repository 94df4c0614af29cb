#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a rule denies stays out of listings and searches whatever changes places below the folder that is looked through, whatever a
repository ships, and by whatever name it is asked for. Row G9; design.md section 3 (links, protected folders)."""
import atexit
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from desk import Desk, tree
from tap import ok

TOP = pathlib.Path(tempfile.mkdtemp(prefix="crisol-strays-"))
atexit.register(shutil.rmtree, TOP, True)
DENY = {"permissions": {"rules": [{"decision": "deny", "path": "secret/**"}]}}
SWAP = """
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
a, b = (sys.argv[1] + n for n in ("/a", "/b"))
print("begun", flush=True)
while libc.renameat2(-100, a.encode(), -100, b.encode(), 2) == 0: pass
"""


# ---- a folder below, or a file, changes places with a link while ripgrep walks ----

for what, link, env in [("a folder and a link to one that is denied", "secret", None), ("a folder and a link to crisol's own", "state", "state"),
                        ("a file and a link to one that is denied", "secret/f", None)]:
    file = link.endswith("/f")
    target = link.split("/")[0]
    place = tree(TOP / f"race{len(what)}", {"a" if file else "a/f": "INSIDE needle\n", f"{target}/f": "FOREIGN needle\n", f"{target}/g": "FOREIGN needle\n"})
    os.symlink(link, place / "b")
    swapper = subprocess.Popen([sys.executable, "-c", SWAP, str(place)], stdout=subprocess.PIPE)
    swapper.stdout.readline()
    with Desk(place, own=DENY, env={"CRISOL_STATE_HOME": str(place / env)} if env else None) as desk:
        for tool, values in [("search_text", {"pattern": "needle"}), ("list_files", {})]:
            foreign, seen = [], {True: 0, False: 0}
            while sum(seen.values()) < 20000 and (sum(seen.values()) < 150 or 0 in seen.values()):
                got = desk.call(tool, **values)
                text = json.dumps(got.result)
                seen[bool(re.search(r'"(\./)?a["/]', text.replace("\\", "")))] += 1
                if "FOREIGN" in text or "/g" in text or got.code:
                    foreign.append(got)
            ok(not foreign and seen[True], f"{tool}: {what}: nothing of it is shown, met {seen[True]} times and not {seen[False]}", foreign[:2])
    swapper.kill(), swapper.wait()

# ---- a file that is not, byte for byte, what ripgrep says of it ----

space = tree(TOP / "kinds", {"plain": "one\nneedle plain\n", "mark": "\ufeffneedle marked\nneedle two\n", "utf16le": "\ufeffneedle le\n".encode("utf-16-le"),
                             "utf16be": "\ufeffone\nneedle be\n".encode("utf-16-be"), "latin": b"needle caf\xe9\n", "crlf": b"a\r\nneedle crlf\r\n", "noend": b"x\nneedle noend",
                             "sub/deep": "needle deep\n"})
with Desk(space) as desk:
    want = {"./plain": ["needle plain\n"], "./mark": ["needle marked\n", "needle two\n"], "./utf16le": ["needle le\n"], "./utf16be": ["needle be\n"],
            "./crlf": ["needle crlf\r\n"], "./noend": ["needle noend"], "./sub/deep": ["needle deep\n"]}
    got = desk.call("search_text", pattern="needle [a-km-z]|needle l[^a]", path=".")
    found = {}
    for line in got.result["stdout"].splitlines():
        m = json.loads(line)
        if m["type"] == "match" and "text" in m["data"]["lines"]:
            found.setdefault(m["data"]["path"]["text"], []).append(m["data"]["lines"]["text"])
    ok({k: v for k, v in found.items() if k != "./latin"} == want and "unread" not in got.result, "marks, UTF-16 and odd ends are found as they were", got)
    got = desk.call("search_text", pattern="needle caf")
    ok(got.result["exitCode"] == 0 and "latin" in got.result["stdout"], "what is no UTF-8 too", got)

# ---- what a repository ships: ignore files that are links to what is denied ----

space = tree(TOP / "ignore", {"secret/k": "[SECRETLINE\n{SECRETA\nplain\n", "a.txt": "needle\n", "sub/b.txt": "needle\n"})
(space / ".git/info").mkdir(parents=True)
for link, to in [(".ignore", "secret/k"), (".rgignore", "secret/k"), (".gitignore", "secret/k"), (".git/info/exclude", "../../secret/k"), ("sub/.ignore", "../secret/k"),
                 (".git/config", "../secret/k")]:
    os.symlink(to, space / link)
with Desk(space, own=DENY) as desk:
    for path in [".", "sub"]:
        got = [desk.call("search_text", pattern="needle", path=path), desk.call("search_text", pattern="nowhere", path=path), desk.call("list_files", path=path)]
        ok(all(g.code == "" and "SECRET" not in f"{g}" for g in got), f"ignore files that lead to what is denied are not told of, in {path}", got)

# ---- names ----

space = tree(TOP / "names", {"secret/k": "needle SECRET\n", "sub/b.txt": "needle\n"})
os.symlink("../secret", space / "sub/up")
os.symlink("up", space / "sub/twice")
with Desk(space, own=DENY) as desk:
    there = ["secret/k", "./secret//k", "sub/../secret/k", "sub/up/k", "sub/twice/k", str(space / "secret/k"), f"../{space.name}/secret/k", "secret/./k"]
    for tool, values in [("read_file", {}), ("search_text", {"pattern": "needle"}), ("list_files", {})]:
        got = [desk.call(tool, path=p, **values) for p in there]
        ok(all(g.code == "DENIED" and "SECRET" not in f"{g}" for g in got), f"{tool}: denied by every name", got)
        # Whether a file is there is not told either.
        for name in ["secret/k", "sub/up/k", "sub/twice/k"]:
            yes, no = desk.call(tool, path=name, **values), desk.call(tool, path=name[:-1] + "n", **values)
            ok((yes.code, yes.message.replace(name[-3:], "")) == (no.code, no.message.replace(name[-3:-1] + "n", "")), f"{tool}: {name} is refused as one that is not there", (yes, no))
    got = [desk.call("read_file", path=p).code for p in ["SECRET/k", "Secret/K"]]
    ok(got == ["NOT_FOUND"] * 2, "other letters are another name", got)

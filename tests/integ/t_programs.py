#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that people really run work behind the fence, each with the settings that doc/processes.md
names for it and no others. Row T4."""
import atexit
import os
import pathlib
import shutil
import tempfile

from desk import EXTERNAL, NOBODY, PROCESS, Desk, tree
from tap import ok, skip

TOP = pathlib.Path(tempfile.mkdtemp(prefix="crisol-programs-"))
TOP.chmod(0o755)
atexit.register(shutil.rmtree, TOP, True)
MODES = [("root", None), ("user", NOBODY)] if os.geteuid() == 0 else [("user", None)]
PATH = "/usr/local/bin:/usr/bin:/bin"

GIT = """git init -q -b main . && git config user.name n && git config user.email n@example.com && git add . && git commit -qm first &&
git clone -q . copy && cd copy && git config user.name n && git config user.email n@example.com && echo b >b && git add b && git commit -qm second &&
git push -q origin HEAD:other && cd .. && git log --oneline other | wc -l && git fsck --strict && git gc -q && git status --porcelain"""
MAKE = "make -j4 && ./prog && make clean"
NPM = "npm install --no-audit --no-fund && rm -rf node_modules && npm ci --no-audit --no-fund && node -e 'console.log(require(\"dep\"))' && npm test"
PIP = "/usr/bin/python3 -m venv v && v/bin/pip install -q --no-index --no-build-isolation --disable-pip-version-check ./pkg && v/bin/python -c 'import thing; print(thing.word)'"
CARGO = "cargo build --offline && ./target/debug/prog"
LOOP = "/usr/bin/python3 -m unittest -q"
FILES = {
    "git": {"a": "a\n"},
    "make": {"Makefile": "prog: a.o b.o\n\tcc -o $@ a.o b.o\n%.o: %.c\n\tcc -c -o $@ $<\nclean:\n\trm -f *.o prog\n", "a.c": "int b(void);\nint main(void) { return b(); }\n",
             "b.c": "int b(void) { return 0; }\n"},
    "npm": {"package.json": '{"name": "x", "version": "1.0.0", "scripts": {"test": "node -e \\"console.log(1)\\""}, "dependencies": {"dep": "file:./dep"}}',
            "dep/package.json": '{"name": "dep", "version": "1.0.0", "main": "i.js"}', "dep/i.js": "module.exports = 'found'\n"},
    "pip": {"pkg/setup.py": "from setuptools import setup\nsetup(name='thing', version='1', py_modules=['thing'])\n", "pkg/thing.py": "word = 'found'\n"},
    "cargo": {"Cargo.toml": '[package]\nname = "prog"\nversion = "1.0.0"\n', "src/main.rs": "fn main() {}\n"},
    "loopback": {"test_it.py": "import http.server, threading, unittest, urllib.request\nclass T(unittest.TestCase):\n  def test(self):\n"
                 "    s = http.server.HTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)\n    threading.Thread(target=s.serve_forever, daemon=True).start()\n"
                 "    self.assertEqual(urllib.request.urlopen('http://localhost:%d/' % s.server_port).status, 200)\n    s.shutdown()\n"},
}
ROWS = [  # what, its line, flags, permissions.process, must be on the machine
    ("git", GIT, 0, {}, "git"), ("make", MAKE, 0, {}, "make"), ("npm", NPM, 0, {"writable": ["~/.npm"]}, "npm"), ("pip", PIP, 0, {}, "ensurepip"),
    ("cargo", CARGO, 0, {"writable": ["~/.cargo"]}, "cargo"), ("loopback", LOOP, EXTERNAL, {}, None),
]

for mode, user in MODES:
    for what, line, flags, settings, need in ROWS:
        present = need is None or (shutil.which(need, path=PATH) if need != "ensurepip" else
                                   os.system("/usr/bin/python3 -c 'import ensurepip, setuptools' 2>/dev/null") == 0)
        if not present:
            skip(f"no {need}: {what} as {mode}")
            continue
        (TOP / f"{what}-{mode}").mkdir()
        ws = tree(TOP / f"{what}-{mode}", FILES[what])
        for path in [ws, *ws.rglob("*")]:
            os.chown(path, *((user, user) if user else (-1, -1)))
        with Desk(ws, flags=PROCESS | flags, user=user, own={"permissions": {"process": settings}}, env={"PATH": PATH, "LANG": "C.UTF-8"}) as desk:
            got = desk.call("run_process", command="sh", args=["-c", line], timeoutMs=100000)
            ok(got.code == "" and got.result["exitCode"] == 0 and got.result["fence"]["held"] == "workspace", f"{mode}: {what} works behind the fence", got)

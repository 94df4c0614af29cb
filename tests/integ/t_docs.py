#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the documents show is what happens: every `$ ` line of a code block is run and its output
compared; every file they link is there; what they list is complete."""
import atexit
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from tap import crisol, ok, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = sorted([*ROOT.glob("*.md"), *ROOT.glob("doc/*.md")])
ENV = {"PATH": f"{pathlib.Path(crisol).resolve().parent}:/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8",
       "CRISOL_STATE_HOME": tempfile.mkdtemp(prefix="crisol-docs-")}
atexit.register(shutil.rmtree, ENV["CRISOL_STATE_HOME"], True)


def blocks(text):
    return re.findall(r"^```\w*\n(.*?)^```$", text, re.S | re.M)


shown = 0
for doc in DOCS:
    text = doc.read_text()
    for block in blocks(text):
        for command, output in re.findall(r"^\$ (.*\n(?:> .*\n)*)((?:(?!\$ ).*\n)*)", block, re.M):
            command = command.replace("\n> ", "\n")
            job = subprocess.run(["/bin/sh", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, cwd=ROOT, env=ENV, timeout=60)
            ok(job.stdout.strip() == output.strip(), f"{doc.name}: {command[:70].split(chr(10))[0]}", f"{job.stdout}\ninstead of\n{output}")
            shown += 1
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        ok((doc.parent / target).exists(), f"{doc.name} links {target}")
    for path in re.findall(r"`((?:src|tests|tools|guest|doc)/[\w./*-]+)`", text):
        ok(list(ROOT.glob(path.rstrip("/"))), f"{doc.name} names {path}")
ok(shown >= 3, f"{shown} commands of the documents were run")

architecture = (ROOT / "ARCHITECTURE.md").read_text()
ok(architecture.count("\n") < 200, "ARCHITECTURE.md has under 200 lines")
for source in ROOT.glob("src/proc/*.c"):
    name = "crisol" if source.stem == "crisol" else f"crisol-{source.stem}"
    for doc in ["ARCHITECTURE.md", "SECURITY.md"]:
        ok(re.search(rf"^\| {name} ", (ROOT / doc).read_text(), re.M), f"{doc} has a row for {name}")
for layer in re.findall(r"^LAYER\((\w+)", (ROOT / "src/sandbox/layer.def").read_text(), re.M):
    ok(re.search(rf"\b{layer}\b", (ROOT / "doc/sandbox.md").read_text()), f"doc/sandbox.md names {layer}")
for name in ["crisol.1", "crisol-permissions.7"]:
    page = run(["/bin/sh", "-c", f"exec man -l --warnings -E UTF-8 {pathlib.Path(crisol).resolve().parents[1]}/cmd/{name} 2>&1 >/dev/null"])
    if page.rc == 0:
        ok(page.out == "", f"the man page {name} has no warning", page.out)
words = (pathlib.Path(crisol).resolve().parents[1] / "cmd/crisol.1").read_text()
for code in re.findall(r"^CODE\((\w+)", (ROOT / "src/ipc/codes.def").read_text(), re.M):
    ok(code in words, f"the man page has {code}")
forbidden = re.compile("|".join(["/work" + "/", "TO" + "DO", "FIX" + "ME"]))
for path in subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.split():
    if pathlib.Path(path).suffix in (".md", ".c", ".h", ".def", ".js", ".py", ".build"):
        hit = forbidden.search((ROOT / path).read_text(errors="replace"))
        if hit:
            ok(False, f"{path} has {hit.group()}")

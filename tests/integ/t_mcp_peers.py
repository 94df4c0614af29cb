#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The clients that others have: the protocol's own packages, both generations, and its inspector.
Row M3."""
import atexit
import json
import pathlib
import shutil
import tempfile

from desk import audited, tree
from mcp import ENV, PACKAGES, there
from tap import crisol, ok, run
from wire import ROOT

TOP = pathlib.Path(tempfile.mkdtemp(prefix="crisol-mcp-peers-"))
atexit.register(shutil.rmtree, TOP, True)
SPACE = tree(TOP / "space", {"a.txt": "hello\n", "b.txt": "b\n"})
SERVE = [crisol, "mcp", "serve", "--cwd", str(SPACE)]
TOOLS = ["js_run"] + [t["name"] for t in json.loads(run([crisol, "tools", "--json"], env=ENV, cwd=SPACE).out) if t["state"] == "enabled"]
NODE_ENV = {**ENV, "PATH": "/usr/local/bin:/usr/bin:/bin"}


def peer(kind, version):
    r = run(["node", str(ROOT / "tests/mcp/peer.mjs"), str(PACKAGES), kind, *SERVE], env=NODE_ENV, timeout=60)
    if not ok(r.rc == 0, f"{kind}: it goes through", r):
        return
    t = json.loads(r.out)
    ok(t["errors"] == [] and t["version"] == version, f"{kind}: {version or 'it'} is agreed to, nothing is taken for an error", (t["version"], t["errors"]))
    ok(t["server"]["name"] == "crisol" and "js_run" in t["instructions"], f"{kind}: who we are, and the routing rule", t["server"])
    ok([x["name"] for x in t["tools"]] == TOOLS and len(t["prompts"]) == 1 and len(t["templates"]) == 2, f"{kind}: tools, prompts, templates", t["tools"])
    ok(t["value"]["structuredContent"]["value"] == {"files": ["a.txt", "b.txt"]} and not t["value"].get("isError"), f"{kind}: a script that calls a tool", t["value"])
    ok(any(p["message"].startswith("half") and p["total"] == 2 for p in t["progress"]), f"{kind}: its progress", t["progress"])
    ok(t["thrown"]["isError"] and t["thrown"]["structuredContent"]["error"]["code"] == "SCRIPT_ERROR", f"{kind}: one that throws", t["thrown"])
    ok(t["read"]["structuredContent"]["content"] == "1: hello\n", f"{kind}: a direct call", t["read"])
    ok(t["outside"]["isError"] and "--add-dir" in t["outside"]["content"][0]["text"], f"{kind}: a refusal with its remedy", t["outside"])
    ok(t["unknown"].get("code") == -32602, f"{kind}: an unknown tool", t["unknown"])
    ok("code" in t["aborted"] and t["after"]["structuredContent"]["value"] == 1, f"{kind}: an aborted call, and one after it", (t["aborted"], t["after"]))
    ok(t["run"]["run"] in t["runs"][-1]["uri"] and "Limits" in t["guide"]["contents"][0]["text"] and "count the files" in json.dumps(t["prompt"]),
       f"{kind}: resources and the prompt", t["runs"])


def inspector():
    """The command line of the inspector reads a file of the package around it; it gets one here."""
    place = TOP / "inspector"
    shutil.copytree(PACKAGES / "node_modules/@modelcontextprotocol/inspector-cli", place / "cli", symlinks=True)
    (place / "package.json").write_text('{"name": "inspector", "version": "1.0.3"}')
    (TOP / "node_modules").symlink_to(PACKAGES / "node_modules")

    def go(*args):
        r = run(["node", str(place / "cli/build/cli.js"), "--cli", *SERVE, *args], env=NODE_ENV, timeout=60)
        try:
            return json.loads(r.out[r.out.index("{"):])
        except ValueError:
            return {"failed": r}
    got = go("--method", "tools/list")
    ok([t["name"] for t in got.get("tools", [])] == TOOLS, "inspector: the tools", got)
    for name, args, want in [("js_run", ["code=return 6*7"], "42"), ("list_files", ["limit=1"], '"a.txt"'), ("read_file", ["path=a.txt"], "1: hello"),
                             ("search_text", ["pattern=hel+o"], "hello")]:
        got = go("--method", "tools/call", "--tool-name", name, *[x for a in args for x in ("--tool-arg", a)])
        ok(want in json.dumps(got.get("content")).replace('\\"', '"') and not got.get("isError"), f"inspector: {name}", got)
    got = go("--method", "resources/list")
    ok([x["uri"] for x in got.get("resources", [])] == ["crisol://guide", "crisol://tools"], "inspector: the resources", got)
    for uri in ["crisol://guide", "crisol://tools"]:
        got = go("--method", "resources/read", "--uri", uri)
        ok("read_file(input" in json.dumps(got), f"inspector: {uri}", got)
    ok(len(go("--method", "resources/templates/list").get("resourceTemplates", [])) == 2, "inspector: the templates")
    got = go("--method", "prompts/list")
    ok([x["name"] for x in got.get("prompts", [])] == ["write_script"], "inspector: the prompts", got)
    got = go("--method", "prompts/get", "--prompt-name", "write_script", "--prompt-args", "task=sum")
    ok("The task: sum" in json.dumps(got), "inspector: the prompt", got)


if there():
    for kind, version in [("v1", None), ("v2", "2025-11-25"), ("auto", "2026-07-28"), ("pin", "2026-07-28")]:
        peer(kind, version)
    inspector()
    audited(ENV["CRISOL_STATE_HOME"])

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""forge status, doctor and configuration. Rows J6, J8, C1 (forge.javascript.*), C2, C4."""
import json
import os
import pathlib
import tempfile

from tap import crisol, ok, run

SCRATCH = pathlib.Path(tempfile.mkdtemp())
HOME = {"CRISOL_STATE_HOME": str(SCRATCH / "state"), "CRISOL_CONFIG_HOME": str(SCRATCH / "config")}
(SCRATCH / "config").mkdir()
PROGRAMS = pathlib.Path(crisol).resolve().parent


def command(*args, env=None, program=crisol, **kwargs):
    return run([program, *args], env={**HOME, **(env or {})}, **kwargs)


def configured(text):
    (SCRATCH / "config/config.json").write_text(text if isinstance(text, str) else json.dumps(text))


def js_config(**keys):
    configured({"forge": {"javascript": keys}})


# What is reported is what is there.
r = command("forge", "status", "--json")
status = json.loads(r.out)["javascript"]
ok(r.rc == 0 and status["state"] == "ready" and status["probe"] is None, "the engine is ready", r)
pin = dict(line.split() for line in (pathlib.Path(__file__).parents[2] / "src/js/engine.pin").read_text().splitlines()
           if line and not line.startswith("#"))
ok(status["engine"] == {"name": pin["name"], "version": pin["version"], "sha256": pin["sha256"],
                        "expected_sha256": pin["sha256"], "verified": True}, "its module is the pinned one", status["engine"])
layers = {layer["name"]: layer for layer in status["isolation"]["layers"]}
for name in ["seccomp", "caps", "nnp", "dumpable", "rlimits"]:
    ok(layers[name]["held"] and layers[name]["proved"], f"{name} is held and proved", layers[name])
ok(all(not layer["held"] or layer["proved"] for layer in layers.values()), "whatever is held was proved", layers)
ok(all(layer["held"] or layer["why"] for layer in layers.values() if layer["wanted"]), "whatever is missing has a reason", layers)
ok(status["isolation"]["filter_instructions"] > 50, "the filter is there", status["isolation"]["filter_instructions"])
r = command("forge", "status")
ok(r.rc == 0 and "as pinned" in r.out and "held and proved by trying:" in r.out and "timeoutMs" in r.out, "in words too", r)

r = command("forge", "status", "--probe", "--json")
probe = json.loads(r.out)["javascript"]["probe"]
ok(probe["script"]["ok"] and probe["script"]["said"] == "42", "the probe's script ran", probe["script"])
ok(len(probe["attacks"]) >= 15 and all(a["verdict"] == "blocked" for a in probe["attacks"]),
   f"{len(probe['attacks'])} attacks were blocked", [a for a in probe["attacks"] if a["verdict"] != "blocked"])
r = command("forge", "status", "--probe")
count = len(probe["attacks"])
ok(f"{count} of {count} attacks were blocked" in r.out, "and counted in words", r.out[-200:])

r = command("doctor")
ok(r.rc == ("Nothing is missing." not in r.out) and "JavaScript: ready" in r.out and "Machine:" in r.out, "doctor", r)
d = json.loads(command("doctor", "--json").out)
ok(d["state"] == "ready" and isinstance(d["advice"], list), "doctor --json", d)

# A limited address space is named with its mend.
r = run(["/bin/sh", "-c", f"ulimit -v 4000000; exec {crisol} js -e 'return 1'"], env=HOME)
ok(r.rc == 5 and "ENGINE_UNAVAILABLE" in r.err and "ulimit -v" in r.err and r.out == "", "ulimit -v is named", r)
r = run(["/bin/sh", "-c", f"ulimit -v 4000000; exec {crisol} doctor"], env=HOME)
ok(r.rc == 5 and "ulimit -v unlimited" in r.out, "and doctor knows the mend", r)

# Another crisol-js than the one that was built with the broker does not run.
top = SCRATCH / "installed"
build = PROGRAMS.parents[1]
r = run([pathlib.Path(__file__).parents[2] / "tools/install", build, top, "/c"],
        env={"PATH": os.environ.get("PATH", "/usr/bin:/bin")}, timeout=60)
copy, installed = top / "c/libexec/crisol", top / "c/bin/crisol"
r = command("js", "-e", "return 1", program=installed)
ok(r.out == "1\n", "what is installed works", r)
host = copy / "crisol-js"
whole = host.read_bytes()
at = whole.rindex(b"quickjs")
host.write_bytes(whole[:at] + b"Q" + whole[at + 1:])
r = command("js", "-e", "return 1", program=installed)
ok(r.rc == 5 and "ENGINE_UNAVAILABLE" in r.err and "not the one" in r.err and r.out == "", "one changed byte and nothing runs", r)
r = command("forge", "status", program=installed)
ok(r.rc == 5 and "not ready" in r.out, "forge status says so", r)
host.unlink()
r = command("js", "-e", "return 1", program=installed)
ok(r.rc != 0 and "crisol" in r.err and r.out == "", "a missing host is an error, not a hang", r)
host.write_bytes(b"#!/bin/sh\nexit 0\n")
r = command("js", "-e", "return 1", program=installed)
ok(r.rc == 5 and r.out == "", "a host that is no host neither", r)
(copy / "crisol-launch").unlink()
r = command("js", "-e", "return 1", program=installed)
ok(r.rc != 0 and r.out == "", "a missing launcher neither", r)
(copy / "crisol-core").unlink()
r = command("js", "-e", "return 1", program=installed)
ok(r.rc == 5 and "crisol-core" in r.err and "not whole" in r.err, "a missing broker is named", r)

# Configuration: values, and who may set what.
js_config(timeoutMs=150)
r = command("js", "-e", "while (1) {}")
ok(r.rc == 3 and "150 ms" in r.err, "timeoutMs from the user's file", r)
r = command("js", "--timeout-ms", "400", "-e", "await new Promise(r => setTimeout(r, 250)); return 1")
ok(r.out == "1\n", "a flag may raise it", r)
js_config(maxOutputChars=200)
ok(json.loads(command("js", "--json", "-e", "return 'x'.repeat(500)").out)["truncated"]["kept"] <= 200, "maxOutputChars")
js_config(enabled=False)
r = command("js", "-e", "return 1")
ok(r.rc == 4 and "TOOL_UNAVAILABLE" in r.err and "forge.javascript.enabled" in r.err, "enabled: false", r)
ok(json.loads(command("forge", "status", "--json").out)["javascript"]["state"] == "off", "and the status says off")
for host in ["auto", "worker", "process"]:
    js_config(host=host)
    e = json.loads(command("js", "--json", "-e", "return 1").out)["engine"]
    ok(e["host"] == "process" and f"host={host}" in e["reason"] and ("no worker host" in e["reason"]) == (host == "worker"),
       f"host: {host} runs as a process and says so", e)
held = {name for name, layer in layers.items() if layer["proved"]}
for policy, needs in [("preferred", set()), ("required", {"seccomp", "landlock"}),
                      ("strict", {"seccomp", "landlock", "pidns", "mntns", "netns", "ipcns", "root"})]:
    js_config(isolation=policy)
    r = command("js", "-e", "return 1")
    if needs <= held:
        ok(r.out == "1\n", f"isolation: {policy} is met here", r)
    else:
        ok(r.rc == 5 and "ISOLATION_UNAVAILABLE" in r.err and r.out == "", f"isolation: {policy} is refused here", r)
for text, wanted in [
        ('{"forge": {"javascript": {"timeoutMS": 1}}}', "did you mean forge.javascript.timeoutMs"),
        ('{"forge": {"javascript": {"timeoutMs": 300001}}}', "1 to 300000"),
        ('{"forge": {"javascript": {"timeoutMs": "1"}}}', "whole number"),
        ('{"forge": {"javascript": {"enabled": 1}}}', "true or false"),
        ('{"forge": {"javascript": {"host": "thread"}}}', "auto worker process"),
        ('{"forge": 3}', "object"), ('{"frge": {}}', "no key"), ("[]", "object"), ("{", "column"), ("", "empty"),
        ('{"forge": {}, "forge": {}}', "twice"), ('{"schemaVersion": 2}', "1 to 1")]:
    configured(text)
    r = command("js", "-e", "return 1")
    ok(r.rc == 2 and "CONFIG_ERROR" in r.err and wanted in r.err and "config.json" in r.err and r.out == "",
       f"{text} is an error that names file and key", r)
configured({})
extra = SCRATCH / "project.json"
extra.write_text('{"forge": {"javascript": {"timeoutMs": 120}}}')
r = command("js", "--config", extra, "-e", "while (1) {}")
ok(r.rc == 3 and "120 ms" in r.err, "--config lowers", r)
for key, value, reason in [("timeoutMs", 60000, "may not raise"), ("memoryBytes", 2097152, "only your own"),
                           ("host", "process", "only your own"), ("isolation", "strict", "only your own")]:
    extra.write_text(json.dumps({"forge": {"javascript": {key: value}}}))
    r = command("forge", "status", "--config", extra)
    ok(r.rc == 0 and f"Notice: {extra}: forge.javascript.{key} is left out" in r.out and reason in r.out,
       f"--config may not set {key} so, and that is said", r.out[-300:])
r = command("js", "--config", SCRATCH / "none.json", "-e", "1")
ok(r.rc == 2 and "none.json" in r.err, "a --config that is not there is an error", r)

# A state home that cannot be written: runs work and are not recorded.
r = command("js", "-e", "return 1", env={"CRISOL_STATE_HOME": "/proc/nowhere"})
ok(r.out == "1\n" and r.err.startswith("note: not recorded: ") and r.err.count("\n") == 1, "a state home that cannot be made does not stop a run, and is said", r)
r = command("forge", "status", env={"CRISOL_STATE_HOME": "/proc/nowhere"})
ok("Notice: no journal: " in r.out, "and in the status", r.out[-300:])

# The documents name what there is.
r = command("--licenses")
ok(r.rc == 0 and "quickjs" in r.out, "--licenses", r.out[:100] + r.err)

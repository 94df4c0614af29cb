#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A JavaScript host that has been taken over, in every way this machine can be made to close it: as
root and as an ordinary user, with and without namespaces, with Landlock as older kernels have it.
The walls hold, the broker is not impressed, the next run works. Rows J4, J6, C4."""
import json
import os
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integ"))
from tap import ok, skip  # noqa: E402
from wire import PROGRAMS, Core, children  # noqa: E402

BUILT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else PROGRAMS.parents[1] / "tests/hostile")
USER = 65533

# Where an ordinary user can reach them.
folder = pathlib.Path(tempfile.mkdtemp(dir="/var/tmp"))
folder.chmod(0o755)
for name in ["crisol-core", "crisol-launch", "crisol-js", "crisol-tool"]:
    shutil.copy(BUILT / name, folder)
libraries = os.environ.get("LD_LIBRARY_PATH", "")
for library in (pathlib.Path(__file__).resolve().parents[2] / "build/deps/yyjson/lib").glob("lib*.so*"):
    libraries = f"{library.parent}:{libraries}" if str(library.parent) not in libraries else libraries

# A home that its user may look into and keep a journal in; without that a run is refused.
state = folder / "state"
state.mkdir()
state.chmod(0o777)


def home(user):
    return {"LD_LIBRARY_PATH": libraries, "HOME": str(state / str(user)), "CRISOL_STATE_HOME": str(state / str(user))}


MODES = [
    ("every wall", None, {}),
    ("no user namespaces", None, {"CRISOL_TEST_NO_USERNS": "1"}),
    ("no namespaces at all", None, {"CRISOL_TEST_NO_NAMESPACES": "1"}),
    ("Landlock ABI 2", None, {"CRISOL_TEST_ABI": "2"}),
    ("Landlock ABI 4", None, {"CRISOL_TEST_ABI": "4"}),
    ("Landlock ABI 6", None, {"CRISOL_TEST_ABI": "6"}),
    ("an ordinary user", USER, {}),
    ("an ordinary user, no namespaces", USER, {"CRISOL_TEST_NO_USERNS": "1", "CRISOL_TEST_NO_NAMESPACES": "1"}),
    ("an ordinary user, Landlock ABI 2", USER, {"CRISOL_TEST_ABI": "2"}),
]
NO_NAMESPACES = ("pidns", "netns", "mntns")


def order(core, text, **limits):
    return core.run(f"text({json.dumps(text)}); return 'went on'", **{"timeout_ms": 10000, **limits})


def alive(core):
    return core.run("return 6 * 7")["value"] == "42"


def attack(name, core):
    core.say("ask")
    layers = json.loads(core.hear("answer")["json"])["javascript"]["isolation"]
    held = [layer["name"] for layer in layers["layers"] if layer["held"]]
    odd = [layer["name"] for layer in layers["layers"] if layer["held"] and not layer["proved"]]
    print(f"# {name}: {layers['mode']}, ABI {layers['landlock_abi']}, {' '.join(held)}")
    ok("seccomp" in held and "landlock" in held and "caps" in held and not odd, f"{name}: what is held was proved", layers)
    if "no namespaces" in name:
        ok(not set(NO_NAMESPACES) & set(held), f"{name}: the report does not claim more", held)
    if "ABI" in name:
        ok(layers["landlock_abi"] == int(name.split("ABI ")[1]), f"{name}: the report says so", layers["landlock_abi"])
    for what in ["!sweep", "!probe"]:
        done = order(core, what)
        text = json.loads(done["envelope"])["text"]
        tried = text.splitlines()[0] if text else ""
        ok(tried.endswith("tried") and int(tried.split()[0]) >= 15 and done["value"] == '"went on"',
           f"{name}: {what[1:]}: {tried}, none got through", text[:600])
    text = json.loads(order(core, "!descriptors")["envelope"])["text"].split("\n")[0]
    ok(len(text.split()) <= 8, f"{name}: few descriptors are open: {text}", text)
    took = json.loads(order(core, "!memory")["envelope"])
    if took["text"]:
        said = took["text"].splitlines()[0]
        ok(int(said.split()[0]) < 17000, f"{name}: memory is bounded: {said}", took)
    else:
        ok(took["error"]["code"] == "HOST_CRASH", f"{name}: memory is bounded: the host ends", took)
    ok(alive(core), f"{name}: the next run works")


def abuse(core):
    """Same broker throughout: what a host does to itself and to its channel."""
    for what, codes, survives in [
            ("!wild guest", ["HOST_CRASH"], True), ("!deep guest", ["STACK_LIMIT"], True),
            ("!wild host", ["HOST_CRASH"], False), ("!spin host", ["TIMEOUT"], False),
            ("!garbage", ["HOST_CRASH"], False), ("!promise", ["HOST_CRASH"], False),
            ("!impostor", ["HOST_CRASH"], False), ("!quit", ["HOST_CRASH"], False)]:
        ok(alive(core), f"before {what[1:]} a run works")
        host = children(core.process.pid)[-1]
        done = order(core, what, timeout_ms=300 if "spin" in what else 10000)
        ok(done["code"] in codes, f"{what[1:]} ends as {codes[0]}", done["envelope"][:400])
        ok(alive(core), f"after {what[1:]} the next run works")
        same = children(core.process.pid)[-1] == host
        ok(same == survives, f"{what[1:]}: in {'the same' if survives else 'a new'} process")


for name, user, knobs in MODES:
    if user is not None and os.geteuid() != 0:
        skip(f"no root: {name} needs it to become another user")
        continue
    with Core(env={**home(user), **knobs}, programs=folder, user=user) as core:
        attack(name, core)
        pids = [core.process.pid, *children(core.process.pid)]
    left = [p for p in pids if pathlib.Path(f"/proc/{p}/exe").exists()]
    ok(not left, f"{name}: no process is left", left)
with Core(env=home(None), programs=folder) as core:
    abuse(core)
with Core(env={**home(USER), "CRISOL_TEST_NO_NAMESPACES": "1", "CRISOL_TEST_NO_USERNS": "1"}, programs=folder,
          user=USER if os.geteuid() == 0 else None) as core:
    abuse(core)
shutil.rmtree(folder)

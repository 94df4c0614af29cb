# SPDX-License-Identifier: MIT
"""What is measured: one function a group, in the order in which they run."""
import atexit
import hashlib
import json
import math
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import report
import session
from report import note, row, shown, skip
from served import Served
from session import Lost, bin_, interleaved, median, percentile, work


def versions():
    """The peers' names with their versions."""
    lock = json.loads((session.here / "package-lock.json").read_text())["packages"]
    named = {n: f"{n} {lock[f'node_modules/{n}']['version']}" for n in ("run", "quickjs-emscripten")}
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)
    return {**named, "node": f"node {node.stdout.strip()[1:]}"}


peers = versions()
RUN, EMSCRIPTEN, NODE = f"npm {peers['run']}", f"npm {peers['quickjs-emscripten']}", peers["node"]
ONE = "return 1"


def against(ours, theirs):
    return f"({shown(ours / theirs)} of it)"


class Absent:
    """A peer that cannot run here."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def order(self, *_, **__):
        return []


def try_peer(name, *args, fresh=False):
    """The peer, after a first run unless fresh; or its absence with the reason noted: it may want
    another Node.js."""
    s = None
    try:
        s = session.peer(name, *args)
        if not fresh:
            ms(s.order("run", session.script("one", ONE)))
        return s
    except Lost as lost:
        if s:
            s.close()
        note(f"{name} is left out: {lost}")
        return Absent()


def ms(answers):
    """Milliseconds of runs that all succeeded."""
    for a in answers:
        if a["envelope"]["status"] != "succeeded":
            raise Lost(f"a run failed: {a['envelope']['error']}")
    return [a["ns"] / 1e6 for a in answers]


# ---- cold ----

def cold():
    command = [bin_ / "crisol", "js", "-e", ONE]
    strict = session.out / "strict"
    strict.mkdir(exist_ok=True)
    (strict / "config.json").write_text('{"forge": {"javascript": {"isolation": "strict"}}}\n')
    home = {"CRISOL_CONFIG_HOME": str(strict)}
    try:
        session.process_ms(command, home)
        can = True
    except Lost:
        can = False
    for _ in range(3):
        session.process_ms(command)
        session.process_ms(["node", "-e", "1"])
    found = interleaved(
        30, ours=lambda: [session.process_ms(command)], node=lambda: [session.process_ms(["node", "-e", "1"])],
        strict=lambda: [session.process_ms(command, home)] if can else [])
    node = median(found["node"])
    for name, key in (("cold: crisol js -e 'return 1'", "ours"),
                      ("cold: the same, isolation=strict", "strict")):
        if not found[key]:
            skip(name, "this machine cannot hold all that strict insists on; crisol doctor says what")
            continue
        got = median(found[key])
        row(name, f"{NODE} -e 1: {shown(node)} ms {against(got, node)}", "<", 25, got, "ms")
        note(f"p25 {shown(percentile(found[key], .25))}, p95 {shown(percentile(found[key], .95))} of {len(found[key])}")


# ---- warm ----

def warm():
    one = session.script("one", ONE)
    with session.warm() as ours, try_peer("run") as run, try_peer("emscripten") as emscripten, \
            session.peer("nodevm") as nodevm:
        for s, n in ((ours, 20), (run, 4), (emscripten, 50), (nodevm, 50)):
            s.order("run", one, n)
        found = interleaved(
            20, ours=lambda: ms(ours.order("run", one, 100)), run=lambda: ms(run.order("run", one, 4)),
            emscripten=lambda: ms(emscripten.order("run", one, 25)), nodevm=lambda: ms(nodevm.order("run", one, 25)))
    p50 = {k: median(v) for k, v in found.items() if v}
    got = p50["ours"]
    names = {"run": RUN, "emscripten": EMSCRIPTEN, "nodevm": f"node:vm of {NODE}"}
    theirs = "; ".join(f"{names[k]}: {shown(p50[k])} {against(got, p50[k])}" for k in names if k in p50)
    row("warm: return 1 in a session, p50", theirs, "<", 0.5, got, "ms")
    p95 = ", ".join(f"{k} {shown(percentile(v, .95))}" for k, v in found.items() if v)
    note(f"{len(found['ours'])} runs; p95: {p95}")
    note("asked by a client of crisol-core, which journals each run; the peers keep no journal")


# ---- stops ----

DEADLINE, LIMIT, NEVER = 200, 50, 3000
STOP_MEMORY = 128 << 20


def stop_scripts():
    text = work("stops").read_text()
    parts = re.split(r"^//// (.*)\n", text, flags=re.M)[1:]
    return [(name, session.script(f"stop-{i:02}", body))
            for i, (name, body) in enumerate(zip(parts[::2], parts[1::2]))]


def stop_of_peer(name, scripts):
    """Milliseconds after the deadline for each script; a word where there is no such number."""
    found = {}
    s = try_peer(name)
    for title, path in scripts:
        if isinstance(s, Absent):
            found[title] = "not there"
            continue
        try:
            answer = s.order("run", path, 1, DEADLINE, STOP_MEMORY, patience=NEVER / 1000)[0]
            late = answer["ns"] / 1e6 - DEADLINE
            error = answer["envelope"]["error"]
            early = f"ends early ({error['code'][:40] if error else 'a value'})"
            found[title] = f"+{late:.0f}" if late >= -1 else early
        except Lost:
            found[title] = "never"
            s.close()
            s = try_peer(name)
    if not isinstance(s, Absent):
        s.close()
    return found


def stops():
    scripts = stop_scripts()
    with ThreadPoolExecutor() as pool:
        run, emscripten = pool.map(lambda name: stop_of_peer(name, scripts), ("run", "emscripten"))
    worst = 0
    with session.warm() as ours:
        ours.order("run", session.script("one", ONE), 3)
        for title, path in scripts:
            answers = ours.order("run", path, 2, DEADLINE, STOP_MEMORY)
            codes = {(a["envelope"]["error"] or {}).get("code", "a value") for a in answers}
            late = max(a["ns"] / 1e6 for a in answers) - DEADLINE
            worst = max(worst, late)
            row(f"stop: {title}", f"{RUN}: {run[title]}; {EMSCRIPTEN}: {emscripten[title]}", "<", LIMIT, late, "ms",
                codes == {"TIMEOUT"})
            if codes != {"TIMEOUT"}:
                note(f"ended as {', '.join(sorted(codes))}, not by the deadline")
    never = [sum(v == "never" for v in p.values()) for p in (run, emscripten)]
    row(f"stop: the worst of {len(scripts)} scripts", f"never: {RUN} {never[0]}, {EMSCRIPTEN} {never[1]}", "<", LIMIT,
        worst, "ms")
    note(f"after a deadline of {DEADLINE} ms, as the client sees it, the worse of 2; peers are killed {NEVER} ms after "
         "the start; npm run ends its worker thread at each")


# ---- VMs in one process ----

def idle():
    wait = session.script("wait", "await new Promise((done) => setTimeout(done, 1000000)); return 1")
    count = 1000
    with session.vms() as ours:
        states = {a["state"]: a for a in ours.order("idle", wait, count, 2000000, 32 << 20)}
    with try_peer("run", fresh=True) as run:
        worker = run.order("idle", wait, 8, 60000)
    with session.peer("nodevm") as nodevm:
        process = nodevm.order("idle", wait)[0]["bytes"]
    theirs = f"{RUN}: {shown(worker[0]['bytes'] / 1024)} a worker; " if worker else ""
    kib = {state: [a[k] / count / 1024 for k in ("private", "tables")] for state, a in states.items()}
    row("idle: a suspended VM", f"{theirs}{NODE}: {shown(process / 1024)} the process", "<", 200,
        sum(kib["resting"]), "KiB")
    note(f"of {count} in one process, private and page tables: {' + '.join(map(shown, kib['resting']))} KiB after "
         f"0.1 s of waiting, {' + '.join(map(shown, kib['waiting']))} KiB until then")


def create():
    sum_ = session.script("sum", "return 1 + 1")
    with session.vms() as ours, try_peer("emscripten") as emscripten, session.peer("nodevm") as nodevm:
        for s in (ours, emscripten, nodevm):
            s.order("create", sum_, 50)
        parts = {"init": [], "run": [], "done": []}

        def mine():
            answers = ours.order("create", sum_, 100)
            for part, numbers in parts.items():
                numbers.extend(a[part] / 1e3 for a in answers)
            return [sum(a.values()) / 1e3 for a in answers]

        def us(s):
            return [x * 1e3 for x in ms(s.order("create", sum_, 50))]

        found = interleaved(10, ours=mine, emscripten=lambda: us(emscripten), nodevm=lambda: us(nodevm))
    got, node = median(found["ours"]), median(found["nodevm"])
    if not found["emscripten"]:
        skip("create: VM, 1 + 1, destroy", "no quickjs-emscripten here")
        return
    theirs = median(found["emscripten"])
    row("create: VM, 1 + 1, destroy; in process", f"{EMSCRIPTEN}: {shown(theirs)} {against(got, theirs)}; "
        f"node:vm: {shown(node)} (nothing destroyed)", "<", theirs, got, "us")
    note(", ".join(f"{part} {shown(median(numbers))}" for part, numbers in parts.items()))


# ---- TypeScript ----

def typescript():
    source = session.here / "work/types.ts"
    size = source.stat().st_size
    lock = json.loads((session.root / "guest/package-lock.json").read_text())["packages"]
    names = {n: f"{n} {lock[f'node_modules/{n}']['version']}" for n in ("esbuild", "sucrase")}

    def us(answers):
        return [a["ns"] / 1e3 for a in answers]

    with session.vms() as ours, session.transform() as theirs, \
            session.warm() as broker:
        first = us(ours.order("strip", source, 1))[0]
        for verb in names:
            theirs.order(verb, source, 50)
        faults = []

        def mine():
            answers = ours.order("strip", source, 20)
            faults.extend(a["faults"] for a in answers)
            return us(answers)

        plain = session.script("types", (session.here / "work/types.js").read_text())
        found = interleaved(
            10, ours=mine, esbuild=lambda: us(theirs.order("esbuild", source, 20)),
            sucrase=lambda: us(theirs.order("sucrase", source, 20)),
            typed=lambda: ms(broker.order("run", source, 10)), plain=lambda: ms(broker.order("run", plain, 10)))
    p50 = {k: median(v) for k, v in found.items()}
    got = p50["ours"]
    row(f"typescript: types of {size} bytes taken out, p50", f"{names['esbuild']} asked by {NODE}: {shown(p50['esbuild'])} "
        f"{against(got, p50['esbuild'])}; {names['sucrase']} in V8: {shown(p50['sucrase'])}", "<", 1000, got, "us")
    note(f"VM made, used, thrown away; the first {shown(first)} us, p95 {shown(percentile(found['ours'], .95))} us, "
         f"{shown(median(faults))} pages touched")
    note(f"the whole run in a session: {shown(p50['typed'])} ms, as JavaScript {shown(p50['plain'])} ms")


# ---- processor ----

WORKS = {"fib": "fib(30)", "json": "JSON parse and stringify", "sort": "sort with a comparator",
         "text": "strings and regular expressions", "loop": "property loop"}


def native_ms(program, path, values):
    out = subprocess.run([program, path], capture_output=True, text=True, check=True).stdout
    answer = json.loads(out)
    values.append(answer["value"])
    return [answer["cpu_ns"] / 1e6]


def cpu_ms(s, path, values):
    answers = s.order("run", path, 1, 60000, STOP_MEMORY)
    ms(answers)
    values.extend(a["envelope"]["value"] for a in answers)
    return [a["envelope"]["usage"]["cpu_ms"] for a in answers]


def cpu():
    program = session.out / "native/native"
    pin = session.here / "native.txt"
    if not program.exists():
        skip("cpu: all rows", "no native quickjs-ng; its sources come from PyPI, which was not reached at set-up")
        return
    package = re.search(r"^([\w-]+==\S+)", pin.read_text(), re.M)[1].replace("==", " ")
    version = json.loads(subprocess.run([program, work("fib")], capture_output=True, text=True, check=True).stdout)
    native = f"native quickjs-ng {version['version']} (PyPI {package}, gcc -O2)"
    ratios, faster = [], []
    with session.warm() as ours, try_peer("emscripten") as qe, try_peer("emscripten", "ng") as ng, \
            session.peer("nodevm") as nodevm:
        for key, title in WORKS.items():
            path, values = work(key), []
            found = interleaved(
                5, ours=lambda: cpu_ms(ours, path, values), native=lambda: native_ms(program, path, values),
                qe=lambda: cpu_ms(qe, path, values), ng=lambda: cpu_ms(ng, path, values),
                nodevm=lambda: cpu_ms(nodevm, path, values))
            if any(v != values[0] for v in values):
                raise Lost(f"{title}: the engines do not agree: {values}")
            m = {k: median(v) for k, v in found.items() if v}
            ratio = m["ours"] / m["native"]
            ratios.append(ratio)
            faster.extend([m["ours"] / m["qe"]] if "qe" in m else [])
            row(f"cpu: {title}", f"{native}: {shown(m['native'])} ms", "<=", 1.6, ratio, "x native")
            others = (("qe", EMSCRIPTEN), ("ng", "the same with quickjs-ng"), ("nodevm", "node:vm"))
            note(f"ours {shown(m['ours'])} ms, the ratio of minima {shown(min(found['ours']) / min(found['native']))}"
                 + "".join(f"; {name} {shown(m[k])} ms" for k, name in others if k in m))
    row("cpu: geometric mean of the five", native, "<=", 1.6, math.prod(ratios) ** (1 / len(ratios)), "x native")
    if faster:
        row("cpu: the same against quickjs-emscripten", EMSCRIPTEN, "<", 1, math.prod(faster) ** (1 / len(faster)),
            "x theirs")


# ---- calls of a script ----

READ = "tools.read_file({ path: 'a.txt' })"
REFUSED = "tools.no_such_tool({}).catch((e) => { if (e.code !== 'TOOL_UNAVAILABLE') throw e })"
HOST = "host.read({ path: 'a.txt' })"


def loop_of(call, count):
    return f"for (let i = 0; i < {count}; i++) await {call}; return 1"


def fan_of(call, count):
    return f"await Promise.all(Array.from({{ length: {count} }}, () => {call})); return 1"


def spent(ours, script, rounds):
    """Microseconds of processor time that the broker and what it started take for runs of a script."""
    tick = 1e6 / os.sysconf("SC_CLK_TCK")

    def now():
        found = {}
        for pid, name in tree_of(ours.hello[0]["core"]).items():
            with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
                fields = f.read().rsplit(")", 1)[1].split()
            found[name] = found.get(name, 0) + (int(fields[11]) + int(fields[12])) * tick
        return found

    before = now()
    ms(ours.order("run", script, rounds))
    return {name: us - before.get(name, 0) for name, us in now().items() if us > before.get(name, 0)}


def calls():
    """What one awaited call adds to a run, and what many at once take."""
    def of(name, text):
        return session.script(f"call-{name}", text)

    with session.warm() as ours, try_peer("run") as run, session.hops() as kernel:
        ours.order("run", of("read-10", loop_of(READ, 10)), 20)
        plan = {f"{name} {count}": of(f"{name}-{count}", loop_of(call, count))
                for name, call in (("read", READ), ("refused", REFUSED)) for count in (0, 10, 100, 500)}
        plan.update({f"fan {name}": of(f"fan-{name}", fan_of(call, 32)) for name, call in (("read", READ), ("refused", REFUSED))})
        empty = of("hops", "")
        peers_plan = {"peer 0": of("peer-0", loop_of(HOST, 0)), "peer 10": of("peer-10", loop_of(HOST, 10)), "peer fan": of("peer-fan", fan_of(HOST, 32))}
        found = interleaved(
            21, **{k: (lambda p=p: ms(ours.order("run", p))) for k, p in plan.items()},
            **{k: (lambda p=p: ms(run.order("calls", p))) for k, p in peers_plan.items()},
            **{f"hops {n}": (lambda n=n: [a["ns"] / 1e8 for a in kernel.order("hops", empty, 100, n)]) for n in (2, 3)})
        used = {name: spent(ours, plan[f"{name} 500"], 20) for name in ("read", "refused")}
    m = {k: median(v) for k, v in found.items() if v}

    def each(name, count):
        return (m[f"{name} {count}"] - m[f"{name} 0"]) / count * 1e3

    theirs = f"{RUN}, a host function: {shown(each('peer', 10))} us" if "peer 10" in m else "none"
    for name, title, most, processes in (("read", "read_file in a worker", 100, 3), ("refused", "answered by the broker", 50, 2)):
        kernels = f"{theirs}; {processes} processes that only wake each other: {shown(m[f'hops {processes}'] * 1e3)} us"
        for count in (10, 100, 500):
            row(f"call: {title}, {count} a run", kernels, "<=", most, each(name, count), "us")
    theirs = f"{RUN}: {shown(m['peer fan'])} ms" if "peer fan" in m else "none"
    row("call: 32 at once, answered by the broker", theirs, "<", 3, m["fan refused"], "ms")
    for name, title in (("read", "read_file in a worker"), ("refused", "answered by the broker")):
        note(f"processor time of a call: {title}: " + ", ".join(f"{p} {shown(us / 10000)} us" for p, us in used[name].items()))
    note(f"32 read_file at once: {shown(m['fan read'])} ms; each call is gated and journaled, theirs is neither")


def commands():
    """A command by the tool, against the same without any of its walls."""
    order = session.script("command", 'shell\n{"command": "true"}')
    with session.warm() as ours:
        ours.order("call", order)  # its worker starts
        found = interleaved(101, ours=lambda: [a["ns"] / 1e6 for a in ours.order("call", order)], plain=plain_shell)
    plain = median(found["plain"])
    row("command: shell true in a warm worker, over sh -c", f"sh -c: {shown(plain)} ms", "<=", 5, median(found["ours"]) - plain, "ms")


def plain_shell():
    began = time.perf_counter()
    subprocess.run(["/bin/sh", "-c", "true"], stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return [(time.perf_counter() - began) * 1e3]


def search():
    """search_text against ripgrep alone on 100,000 files."""
    tree, count = session.out / "tree", 100_000
    if not (tree / "whole").exists():
        for n in range(count):
            if n % 100 == 0:
                (tree / f"d{n // 10000}/e{n // 100}").mkdir(parents=True, exist_ok=True)
            (tree / f"d{n // 10000}/e{n // 100}/f{n}.txt").write_text(f"line one of {n}\nsome words that are not it\n" + (f"needle-{n}\n" if n % 1000 == 0 else ""))
        (tree / "whole").touch()
    pattern = "needle-[0-9]+"
    alone = ["rg", "--no-config", "--json", "-e", pattern, tree]
    order = session.script("search", "search_text\n" + json.dumps({"pattern": pattern}))
    listing = session.script("list", "list_files\n{}")
    with session.warm(tree) as ours:
        def call(script):
            return [a["ns"] / 1e6 for a in ours.order("call", script)]

        call(order)
        session.process_ms(alone)
        found = interleaved(11, ours=lambda: call(order), rg=lambda: [session.process_ms(alone)], listing=lambda: call(listing),
                            files=lambda: [session.process_ms(["rg", "--no-config", "--files", tree])])
    m = {k: median(v) for k, v in found.items()}
    row(f"search: search_text in {count:,} files", f"rg --json alone: {shown(m['rg'])} ms {against(m['ours'], m['rg'])}", "<=", 1.2 * m["rg"] + 10, m["ours"], "ms")
    row(f"search: list_files of {count:,} files", f"rg --files alone: {shown(m['files'])} ms {against(m['listing'], m['files'])}", "<=", 1.2 * m["files"] + 10, m["listing"], "ms")


def git():
    """git_status against git alone on a repository of 10,000 files."""
    tree, count = session.out / "repository", 10_000
    if not (tree / ".git/whole").exists():
        for n in range(count):
            (tree / f"d{n // 100}").mkdir(parents=True, exist_ok=True)
            (tree / f"d{n // 100}/f{n}.txt").write_text(f"line one of {n}\n")
        for args in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "all"]):
            subprocess.run(["git", "-C", tree, *args], check=True)
        (tree / "d0/f0.txt").write_text("changed\n")
        (tree / ".git/whole").touch()
    alone = ["git", "-C", tree, "status", "--porcelain=v1"]
    order = session.script("git", "git_status\n{}")
    with session.warm(tree) as ours:
        def call():
            return [a["ns"] / 1e6 for a in ours.order("call", order)]

        call()
        session.process_ms(alone)
        found = interleaved(21, ours=call, git=lambda: [session.process_ms(alone)])
    m = {k: median(v) for k, v in found.items()}
    row(f"git: git_status of {count:,} files", f"git status --porcelain=v1 alone: {shown(m['git'])} ms", "<=", 1.5, m["ours"] / m["git"], "x git")


# ---- changing files ----

EDITED = 1 << 20


def by_hand(folder, n):
    """What a careful program does: a copy with one byte changed, on the disk, in the file's place."""
    data = bytearray((folder / "peer").read_bytes())
    data[n % EDITED] ^= 1
    begun = time.perf_counter()
    shutil.copyfile(folder / "peer", folder / "peer.new")
    fd = os.open(folder / "peer.new", os.O_RDWR)
    os.pwrite(fd, data[n % EDITED:n % EDITED + 1], n % EDITED)
    os.fsync(fd)
    os.close(fd)
    os.rename(folder / "peer.new", folder / "peer")
    return (time.perf_counter() - begun) * 1e3


def edit():
    """An edit of a file of 1 MiB, fingerprint, gate, journal, diff and sync of the folder included."""
    sys.path.insert(0, str(session.root / "tests/integ"))
    import desk  # pylint: disable=import-outside-toplevel
    for at_end in (desk.tap._done, desk._tell):  # this is no test
        atexit.unregister(at_end)
    folder = session.out / "edit"
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{n:014} \n" for n in range(EDITED // 16))
    for name in ("ours", "peer"):
        (folder / name).write_text(text, encoding="utf-8")
    state = {"n": 0, "hash": hashlib.sha256(text.encode()).hexdigest(), "was": f"{5000:014} \n"}

    with desk.Desk(folder, flags=desk.WRITE) as ours:
        def mine():
            state["n"] += 1
            new = f"{state['n']:014}x\n"
            begun = time.perf_counter()
            got = ours.call("edit_file", path="ours", oldText=state["was"], newText=new, expectedHash=state["hash"])
            took = (time.perf_counter() - begun) * 1e3
            if got.code:
                raise Lost(f"edit_file: {got.message}")
            state.update(was=new, hash=got.result["sha256"])
            return [took]

        mine()
        found = interleaved(41, ours=mine, peer=lambda: [by_hand(folder, state["n"])])
    m = {k: median(v) for k, v in found.items()}
    row("edit: edit_file in 1 MiB", f"copy, fsync, rename: {shown(m['peer'])} ms {against(m['ours'], m['peer'])}", "<=", 2 * m["peer"], m["ours"], "ms")


# ---- many at once ----

def many():
    one = session.script("one", ONE)
    with session.fan() as ours, try_peer("run") as run, try_peer("emscripten") as qe:
        ours.order("fan", one, 10)
        qe.order("fan", one, 200)
        run.order("fan", one, 32)
        for count in (32, 200):
            rounds = 9 if count == 32 else 5
            bad = []

            def total(s, n=count):
                answers = s.order("fan", one, n, 60000, 32 << 20)
                bad.extend(f"{n - a['succeeded']} failed ({a['code']})"
                           for a in answers if s is ours and a["succeeded"] != n)
                return [a["ns"] / 1e6 for a in answers]

            found = interleaved(rounds, ours=lambda: total(ours), qe=lambda: total(qe),
                                run=lambda: total(run) if count == 32 else [])
            m = {k: median(v) for k, v in found.items() if v}
            theirs = [f"{name}: {shown(m[k])}" for k, name in (
                ("run", RUN), ("qe", f"{EMSCRIPTEN}, one after another")) if k in m]
            row(f"many: {count} runs at once in one session", "; ".join(theirs), "<", count * 0.5, m["ours"], "ms",
                not bad)
            note(f"{bad[0] if bad else f'all {count} succeeded each time'}; from the broker's place, "
                 "a client has one run at a time")


# ---- memory of long-lived processes ----

def tree_of(pid):
    """A process and all below it: names by process id."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8") as f:
                    name, rest = f.read().split("(", 1)[1].rsplit(")", 1)
                parents[int(entry)] = (int(rest.split()[1]), name)
            except (OSError, IndexError):
                continue
    below = {pid}
    while True:
        more = {p for p, (parent, _) in parents.items() if parent in below} - below
        if not more:
            break
        below |= more
    return {p: parents[p][1] for p in below}


def descendants(pid):
    """Process ids below one, by name."""
    return {name: p for p, name in tree_of(pid).items()}


def rss(pid):
    """Resident KiB: exact where we may look, else the kernel's own count."""
    for name, key in (("smaps_rollup", "Rss:"), ("status", "VmRSS:")):
        try:
            with open(f"/proc/{pid}/{name}", encoding="utf-8") as f:
                for line in f:
                    if line.startswith(key):
                        return int(line.split()[1])
        except OSError:
            continue
    raise Lost(f"process {pid} is gone")


def settled(processes, names):
    """Resident KiB by name, once the last VM is gone."""
    time.sleep(0.3)
    return {n: rss(processes[n]) for n in names}


def memory():
    one = session.script("one", ONE)
    with session.warm() as ours:
        ms(ours.order("run", one, 10))
        processes = descendants(ours.hello[0]["core"])
        names = ("crisol-core", "crisol-js")
        before = settled(processes, names)
        ms(ours.order("run", one, 990))
        if descendants(ours.hello[0]["core"]) != processes:
            raise Lost("a process was started anew meanwhile")
        after = settled(processes, names)
    for name in names:
        row(f"memory: {name}, growth from 10 to 1,000 runs", f"itself after 10 runs: {before[name]} KiB", "within", 2,
            (after[name] / before[name] - 1) * 100, "%")
        note(f"{after[name]} KiB after 1,000")


def private(pid):
    """Private KiB of a process."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as f:
        return sum(int(line.split()[1]) for line in f if line.startswith("Private_"))


def sessions():
    """What a hundred sessions hold that have each read a file and rest."""
    count, read = 100, session.script("read", f"return (await {READ}).content")
    with ExitStack() as stack:
        open_ = [stack.enter_context(session.warm()) for _ in range(count)]
        for s in open_:
            ms(s.order("run", read))
        time.sleep(0.5)
        cores = [s.hello[0]["core"] for s in open_]
        core = sum(map(private, cores)) / count
        whole = sum(private(p) for c in cores for p in tree_of(c)) / count
    with session.peer("nodevm") as nodevm:
        node = private(nodevm.job.pid)
    row(f"memory: the broker of a session, of {count}", f"{NODE}, a process: {shown(node)} KiB", "<", node, core, "KiB")
    note(f"private memory; with the launcher, crisol-js and the workers that it started {shown(whole)} KiB")


# ---- the protocol ----

def mcp():
    """js_run as an MCP client has it, beside the same asked of the broker, and a server in node."""
    serve = [bin_ / "crisol", "mcp", "serve"]
    packages = session.build / "deps/mcp"
    theirs = ["node", session.out / "peers/mcp.mjs", packages]
    there = (packages / "node_modules/@modelcontextprotocol/sdk/package.json").is_file()
    name = f"npm @modelcontextprotocol/sdk {json.loads((packages / 'node_modules/@modelcontextprotocol/sdk/package.json').read_text())['version']}" if there else "no npm package"

    def start(args):
        with Served(args) as s:
            return [(s.hello, s.first)]
    found = interleaved(15, ours=lambda: start(serve), peer=lambda: start(theirs) if there else [])
    over = [first - hello for hello, first in found["ours"]]
    peer = f"{name}, a server with one tool: {shown(median([f for _, f in found['peer']]))} ms from its start" if there else name
    row("mcp: first js_run result, after the handshake", peer, "<=", 10, median(over), "ms")
    note(f"from the start {shown(median([f for _, f in found['ours']]))} ms, of which the handshake {shown(median([h for h, _ in found['ours']]))}")
    one = session.script("one", ONE)
    with session.warm() as broker, Served(serve) as ours, ExitStack() as stack:
        node = stack.enter_context(Served(theirs)) if there else None
        ms(broker.order("run", one, 50))
        for _ in range(50):
            ours.call(ONE)
        found = interleaved(20, broker=lambda: ms(broker.order("run", one, 50)), ours=lambda: [ours.call(ONE) for _ in range(50)],
                            peer=lambda: [node.call(ONE) for _ in range(50)] if node else [])
        held = private(ours.job.pid)
    p50 = {k: median(v) for k, v in found.items() if v}
    row("mcp: what it adds to a run, p50", f"asked of crisol-core: {shown(p50['broker'])} ms", "<=", 0.3, p50["ours"] - p50["broker"], "ms")
    note(f"a js_run call {shown(p50['ours'])} ms, p95 {shown(percentile(found['ours'], .95))}; {name}, a tool that does nothing: {shown(p50.get('peer'))} ms; measured by a client in Python")
    with ExitStack() as stack:
        many = [stack.enter_context(Served(serve)) for _ in range(50)]
        each = sum(private(s.job.pid) for s in many) / len(many)
        whole = sum(private(p) for s in many for p in tree_of(s.job.pid)) / len(many)
    row("mcp: the server's own process, of 50 clients", f"itself alone after 1,050 calls: {held} KiB", "<", 2048, each, "KiB")
    note(f"private memory; with the broker, the launcher and crisol-js {shown(whole)} KiB a client")


# ---- journal ----

def journal():
    """What a run costs does not grow with what is journaled already."""
    folder = session.out / "journal"
    folder.mkdir(exist_ok=True)
    job = subprocess.run([bin_ / "bench-journal", folder], stdout=subprocess.PIPE, text=True, check=False)
    if job.returncode:
        raise Lost(f"bench-journal ended with {job.returncode}")
    for name, us in ((a.pop("name"), a) for a in map(json.loads, job.stdout.splitlines())):
        if name == "a run with ten calls":
            row("journal: a run with ten calls", f"an empty one: {us['empty_us']} us", "<", 1.5,
                us["full_us"] / us["empty_us"], "x")
        note(f"{name}: {us['full_us']} us with 1,000,000 calls, {us['empty_us']} us in an empty one")


# ---- lines ----

def lines():
    """What a command line costs before the gate can judge it."""
    job = subprocess.run([bin_ / "bench-lines"], stdout=subprocess.PIPE, text=True, check=False)
    if job.returncode:
        raise Lost(f"bench-lines ended with {job.returncode}")
    found = json.loads(job.stdout)
    row(f"lines: a compound of {found['bytes']} bytes taken apart", "a set bound", "<", 50, found["ns"] / 1000, "us")
    note(f"{found['parts']} parts; the median of 2001 turns")


GROUPS = {f.__name__: f for f in (cold, warm, calls, search, git, memory, sessions, many, create, idle, typescript, cpu, stops, mcp, journal, commands, edit, lines)}

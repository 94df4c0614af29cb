#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""crisol doctor on machines that are really broken: every fault is named, what stops scripts first; the
exit status says which; and when the lines that it printed were run, it is content. Rows C2, J6.

A machine is a mount namespace, where needed a user namespace, made from this one. The commands that a
person would need a second computer or a network for (apt, make, update-grub, reboot) are stood in for by
scripts that do their part here."""
import atexit
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile

from desk import NOBODY, tree, without_landlock
from tap import crisol, ok, run, skip

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(crisol).resolve().parents[2]
TOP = pathlib.Path(tempfile.mkdtemp(prefix="crisol-doctor-", dir="/var/tmp"))
TOP.chmod(0o755)
atexit.register(shutil.rmtree, TOP, True)
SPACE = tree(TOP / "space", {"a.txt": "hello\n"})
BASE = 200000  # where the ids of a machine with a user namespace of its own begin



class Machine:
    """With an installation of its own in `prefix`, of which nothing is broken yet."""

    def __init__(self, name, user, own_ids=False):
        self.home, self.user, self.no_landlock = TOP / name, user, False
        self.prefix, self.bin = self.home / "c", tree(self.home / "bin", {})
        self.bin.mkdir(parents=True)
        self.state, self.conf = self.home / "state", self.home / "conf"
        self.conf.mkdir()
        os.chown(self.home, BASE + user if own_ids else user, -1)
        self.shim("sudo", 'exec "$@"')
        self.shim("make", f'[ "$1" = install ] && exec {ROOT}/tools/install {BUILD} "" "${{2#PREFIX=}}"')
        self.install()
        self.env = {"PATH": f"{self.bin}:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(self.home), "CRISOL_STATE_HOME": str(self.state), "CRISOL_CONFIG_HOME": str(self.conf), "TMPDIR": "/tmp"}
        self.keeper = subprocess.Popen(["unshare", "--mount", *(["--user"] if own_ids else []), "sh", "-c", "echo up; exec cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.keeper.stdout.readline()
        self.enter = ["nsenter", "-t", str(self.keeper.pid), "-m"]
        if own_ids:
            for ids in ("uid_map", "gid_map"):
                pathlib.Path(f"/proc/{self.keeper.pid}/{ids}").write_text(f"0 {BASE} 65536\n")
            self.enter.append("-U")

    def shim(self, name, text):
        (self.bin / name).write_text(f"#!/bin/sh\n{text}\n")
        (self.bin / name).chmod(0o755)

    def install(self):
        r = run([ROOT / "tools/install", BUILD, "", self.prefix], timeout=60)
        assert r.rc == 0, r

    def root(self, script):
        """A script as this machine's root; its variables afterwards."""
        r = run([*self.enter, "-S", "0", "-G", "0", "sh", "-ec", f"{script}\nexec env -0 >&2"], env=self.env, cwd=ROOT, timeout=60)
        return r, dict(line.split("=", 1) for line in r.err.split("\0") if "=" in line)

    def crisol(self, *args):
        program = [str(self.prefix / "bin/crisol"), *args]
        if self.no_landlock and self.root("[ -e /etc/default/rebooted ]")[0].rc:
            program = without_landlock(program)
        return run([*self.enter, "-S", str(self.user), "-G", str(self.user), "--", "env", "-C", str(SPACE), *program], env=self.env, timeout=60)

    def check(self, title, rc, wanted, **words):
        """wanted: names of the findings in order; words: what is said of one of them."""
        r, text = self.crisol("doctor", "--json"), self.crisol("doctor")
        found = [a for a in json.loads(r.out or "{}").get("advice", []) if a["weight"] != "better"]
        ok([a["name"] for a in found] == wanted and sorted(found, key=lambda a: a["weight"] != "stops") == found, f"{title}: every fault is named, what stops scripts first", r)
        ok(r.rc == text.rc == rc, f"{title}: exit status {rc}", (r.rc, text))
        at = [text.out.find(a["missing"]) for a in found]
        ok(-1 not in at and at == sorted(at) and "Nothing is missing" not in text.out and all(line in text.out for a in found for line in a["mend"].splitlines()), f"{title}: in words as in JSON", text)
        for name, said in words.items():
            ok(any(a["name"] == name.replace("_", "-") and said in a["missing"] for a in found), f"{title}: {name} says '{said}'", found)
        for a in found:
            done, env = self.root(a["mend"])
            ok(done.rc == 0, f"{title}: the lines for {a['name']} run", (a["mend"], done))
            self.env["CRISOL_STATE_HOME"] = env.get("CRISOL_STATE_HOME", self.env["CRISOL_STATE_HOME"])
        r = self.crisol("doctor")
        ok(r.rc == 0 and "Nothing is missing." in r.out and "cannot run" not in r.out, f"{title}: then doctor is content", r)
        r = self.crisol("js", "-e", "return JSON.stringify(await tools.search_text({pattern: 'hello'})).includes('hello')")
        ok(r.rc == 0 and r.err == "" and r.out == "true\n", f"{title}: and a script runs, calls a tool that needs ripgrep, and is recorded", r)

    def end(self):
        self.keeper.stdin.close()
        self.keeper.wait()


def ends(name, *args, **kwargs):
    machine = Machine(name, *args, **kwargs)
    atexit.register(machine.end)
    return machine


def damaged_journal(state):
    state.mkdir(mode=0o700)
    db = sqlite3.connect(state / "journal.sqlite")
    db.execute("CREATE TABLE t(x)")
    db.executemany("INSERT INTO t VALUES (?)", [("x" * 500,)] * 100)
    db.commit(), db.close()
    with open(state / "journal.sqlite", "r+b") as f:
        f.write(b"\xff" * 200)


def no_ripgrep_and_no_state():
    m = ends("a", NOBODY)
    m.state.mkdir(mode=0o755)
    places = {os.path.realpath(p) for p in ["/usr/local/bin/rg", "/usr/bin/rg", "/bin/rg"] if os.path.exists(p)}
    cover = tree(TOP, {"cover": ""}) / "cover"
    m.shim("apt", f'[ "$*" = "install ripgrep" ] || exit 9\n' + "\n".join(f"umount {p}" for p in places))
    r, _ = m.root("\n".join(f"mount --bind {cover} {p}" for p in places))
    assert r.rc == 0, r
    m.check("no ripgrep, a state home of root's", 1, ["journal", "ripgrep"], journal=str(m.state), ripgrep="not installed")


def no_walls():
    m = ends("b", 1000, own_ids=True)
    for path in [m.home, m.conf]:
        os.chown(path, BASE + 1000, BASE + 1000)
    m.shim("update-grub", "grep -q '^GRUB_CMDLINE_LINUX=\"lsm=landlock,lockdown,yama ' /etc/default/grub && touch /etc/default/made")
    m.shim("reboot", "[ -e /etc/default/made ] && touch /etc/default/rebooted")
    r, _ = m.root("""mount -t tmpfs none /etc/sysctl.d; mount -t tmpfs none /etc/default; mount -t tmpfs none /usr/lib/sysctl.d
mount -t tmpfs none /sys/kernel/security 2>/dev/null && echo lockdown,yama >/sys/kernel/security/lsm
echo 'GRUB_CMDLINE_LINUX="quiet"' >/etc/default/grub
echo 0 >/proc/sys/user/max_user_namespaces""")
    assert r.rc == 0, r
    m.no_landlock = True
    m.check("no user namespaces, no Landlock, an ordinary user", 1, ["userns-sysctl", "landlock-boot"], userns_sysctl="user.max_user_namespaces=0", landlock_boot="not switched on")


def other_tool_bad_file_bad_journal():
    m = ends("c", NOBODY)
    tool = m.prefix / "libexec/crisol/crisol-tool"
    tool.write_bytes(tool.read_bytes().replace(b"search_text", b"search_tixt"))
    (m.conf / "config.json").write_text('{"forge": {"javascript": {"timeoutMs": "soon"}}}')
    damaged_journal(m.state)
    for path in [m.conf, m.state, m.state / "journal.sqlite"]:
        os.chown(path, NOBODY, NOBODY)
    m.check("a tool program of another version, a configuration that is wrong, a damaged journal", 2, ["configuration", "installation", "journal"],
            configuration="forge.javascript.timeoutMs", installation="crisol-tool is not the one", journal="move it away")


def no_host_full_disk():
    m = ends("d", NOBODY)
    (m.prefix / "libexec/crisol/crisol-js").unlink()
    m.state.mkdir()
    r, _ = m.root(f"mount -t tmpfs -o size=64k,mode=0700,uid={NOBODY} none {m.state}; dd if=/dev/zero of={m.state}/ballast bs=4096 2>/dev/null || true")
    assert r.rc == 0, r
    m.check("no JavaScript program, a full disk", 5, ["installation", "journal"], installation="crisol-js is not there", journal="full")


def no_broker():
    m = ends("e", NOBODY)
    (m.prefix / "libexec/crisol/crisol-core").write_text("#!/bin/sh\nexit 0\n")
    m.check("a broker that is none", 5, ["installation"], installation="crisol-core does not work")


def no_launcher():
    m = ends("f", NOBODY)
    (m.prefix / "libexec/crisol/crisol-launch").chmod(0o644)
    (m.prefix / "libexec/crisol/crisol-tool").unlink()
    m.check("a launcher that may not be started, no tool program", 5, ["installation"], installation="crisol-launch may not be started; crisol-tool is not there")



if os.geteuid() != 0:
    skip("no root: machines cannot be broken by an ordinary user")
elif run(["unshare", "--mount", "true"]).rc:
    skip("no mountns: a machine cannot be made of this one")
else:
    no_ripgrep_and_no_state()
    if run(["unshare", "--user", "true"]).rc:
        skip("no userns: they cannot be switched off for a test")
    else:
        no_walls()
    other_tool_bad_file_bad_journal()
    no_host_full_disk()
    no_broker()
    no_launcher()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A person is asked at a terminal: each answer, everything that must be no answer, all of the request on the
screen, and the terminal as it was afterwards. Rows G4, G6, G8, G9."""
import atexit
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

from desk import audited, tree
from tap import crisol, ok
from term import Term

TOP = pathlib.Path(tempfile.mkdtemp(prefix="crisol-ask-"))
atexit.register(shutil.rmtree, TOP, True)
SPACE = tree(TOP / "space", {"a.txt": "needle\n", "sub/b.txt": "needle\n"})
OUT = tree(TOP / "out", {"f": "needle\n", "sub/g": "needle\n"})
READ = ["read_file", json.dumps({"path": str(OUT / "f")})]
ASKS = json.dumps({"permissions": {"rules": [{"decision": "ask", "tool": "read_file", "reason": "it is \u001b[2J private"}]}})
made = 0


def start(*args, own="{}", **values):
    """A command in a terminal, with a home of its own."""
    global made
    made += 1
    home = tree(TOP / f"home{made}", {"config/config.json": own})
    env = {"HOME": str(home), "CRISOL_STATE_HOME": str(home / "state"), "CRISOL_CONFIG_HOME": str(home / "config")}
    t = Term([crisol, *args], cwd=values.pop("cwd", SPACE), env={**env, **values.pop("env", {})}, **values)
    t.state = home / "state"
    return t


def call(*args, **values):
    return start("call", *args, *READ, **values)


def said(t):
    """Decisions of the journal, oldest first: decision, reason, answer."""
    db = sqlite3.connect(f"file:{t.state}/journal.sqlite?mode=ro", uri=True)
    rows = db.execute("SELECT decision, reason, answer FROM decision ORDER BY id").fetchall()
    db.close()
    audited(t.state)
    return rows


ASK, NEVER = ("ask", "outside", None), ("deny", "silence", "none")
ENDS = {"once": (0, [ASK, ("allow", "effect", "once")]), "session": (0, [ASK, ("allow", "effect", "session")]), "deny": (4, [ASK, ("deny", "person", "deny")]),
        "silence": (4, [ASK, NEVER]), "cancelled": (130, [ASK, NEVER])}


def ends(t, how, name):
    """What came of it, in every respect."""
    status, rows = t.end(), said(t)
    shown = t.main()
    good = (status, rows) == ENDS[how] and ("needle" in shown) == (status == 0) and t.cooked() and not t.other and not t.strange
    return good, f"{name}: {how}", (status, rows, shown, t.cooked(), t.strange)


def key(keys, how, title, **values):
    def row():
        with call(**values) as t:
            armed = t.armed()
            t.send(keys)
            yield armed, f"{title}: it was asked", t.text()
            yield ends(t, how, title)
    return row


def no_key(keys, title, **values):
    """These bytes allow nothing; after them the question stands, and a key that is meant counts."""
    def row():
        with call(**values) as t:
            t.armed()
            seen = len(t.raw)
            t.send(keys)
            stands = t.wait(lambda: "one moment" in t.raw[seen:] and "] Deny" in t.text() and "one moment" not in t.text())
            yield stands and t.process.poll() is None and said(t) == [ASK], f"{title}: no answer", (t.text(), t.process.poll())
            t.send("a")
            yield ends(t, "once", f"{title}, then a key")
    return row


def ahead():
    with call(before=b"a\naas\nyes\nda") as t:
        yield t.armed() and t.process.poll() is None and said(t) == [ASK], "what was typed before the command was started is no answer", t.text()
        t.send("d")
        yield ends(t, "deny", "typed ahead")
    with call() as t:
        t.wait("one moment")
        for _ in range(3):
            t.send("a")
            t.pump()
        yield t.armed() and t.process.poll() is None and said(t) == [ASK], "nor what is typed while the question appears", t.text()
        t.send("a")
        yield ends(t, "once", "typed too early, and again")


def sizes():
    with call() as t:
        t.armed()
        t.send("a")
        t.resize(40, 30)
        t.signal(signal.SIGWINCH)
        # The key may have counted before the size came; then it was an answer by itself.
        t.wait(lambda: t.process.poll() is not None or ("one moment" not in t.text() and t.lines()[-1:] == ["all of it is shown"] and len(t.lines()) == 30))
        open_ = t.process.poll() is None
        yield t.cooked() or open_, "a size that comes right behind a key"
    with call() as t:
        t.armed()
        for width, height in [(132, 40), (60, 12), (200, 60), (41, 11)]:
            seen = len(t.raw)
            t.resize(width, height)
            good = t.wait(lambda: "one moment" in t.raw[seen:] and len(t.lines()) == height and "one moment" not in t.text() and "] Deny" in t.text())
            yield good and said(t) == [ASK] and max(map(len, t.lines())) < width, f"{width} by {height}: drawn again, nothing answered", t.text()
        for width, height in [(20, 24), (80, 5), (1, 1)]:
            t.resize(width, height)
            small = t.wait("crisol asks: enlarge me")
            for _ in range(4):
                t.send("a")
                t.pause(0.15)
            yield small and t.process.poll() is None and said(t) == [ASK], f"{width} by {height} is too small, and no key allows", t.text()
        t.resize(80, 24)
        yield t.armed(), "large again", t.text()
        t.send("G")
        t.wait(lambda: "one moment" not in t.text())
        t.pause()
        t.send("a")
        yield ends(t, "once", "large again, and a key")


def stopped():
    with call() as t:
        t.armed()
        seen = len(t.raw)
        t.signal(signal.SIGSTOP)
        t.send("a")
        t.signal(signal.SIGCONT)
        good = t.wait(lambda: t.process.poll() is not None or ("one moment" in t.raw[seen:] and "one moment" not in t.text() and "] Deny" in t.text()))
        yield good and t.process.poll() is None and said(t) == [ASK], "a key that came while it was stopped is no answer", t.text()
        t.send("a")
        yield ends(t, "once", "stopped, went on, and a key")


def gone():
    with call() as t:
        t.armed()
        t.hang_up()
        status = t.process.wait(30)
        yield status in (4, 130, -signal.SIGHUP) and said(t)[0] == ASK and all(row[0] != "allow" for row in said(t)), "the terminal is closed: nothing is allowed", (status, said(t))
    for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
        with call() as t:
            t.armed()
            t.signal(number)
            yield ends(t, "cancelled", f"signal {number}")
    with call() as t:
        t.armed()
        t.process.kill()
        t.process.wait()
        yield t.wait(lambda: len(said(t)) == 2) and said(t) == [ASK, NEVER], "killed: that it was not answered is written down", said(t)


def where():
    """Whether somebody is there to be asked."""
    pipe, null, words = subprocess.PIPE, subprocess.DEVNULL, "OUTSIDE_ROOTS"
    for title, values, asked in [("stdin is nothing", {"stdin": null}, True), ("stdin is a pipe", {"stdin": pipe}, True), ("stdout is a pipe", {"stdout": pipe}, True),
                                 ("stdin and stdout are pipes", {"stdin": pipe, "stdout": pipe}, True)]:
        with call(**values) as t:
            good = t.armed()
            if t.process.stdin:
                try:
                    t.process.stdin.write(b"a\nonce\n" * 100)
                    t.process.stdin.flush()
                except BrokenPipeError:
                    pass
            t.pause()
            yield good and t.process.poll() is None and said(t) == [ASK], f"{title}: asked, and what comes from there is no answer", (t.text(), t.process.poll())
            t.send("a")
            status = t.end()
            result = t.process.stdout.read().decode() if t.process.stdout else t.main()
            yield status == 0 and "needle" in result and said(t) == ENDS["once"][1], f"{title}: the terminal answers", (status, result)
            for f in [t.process.stdin, t.process.stdout]:
                f and f.close()
    for title, args in [("--no-ask", ["--no-ask"]), ("--json", ["--json"])]:
        with call(*args) as t:
            status = t.end()
            yield status == 4 and t.asked == 0 and words in t.main() and said(t)[0][0] == "deny", f"{title}: nobody is asked", (status, t.main())
    for title, command in [("in the background", ["setsid", "-w"]), ("stderr elsewhere", ["sh", "-c", '"$@" 2>/dev/null', "sh"]),
                           ("another's foreground", ["python3", "-c", "import os,sys,subprocess; sys.exit(subprocess.run(sys.argv[1:], process_group=0).returncode)"])]:
        t = start("call", *READ)
        t.__exit__()
        args = [*command, crisol, "call", *READ]
        with Term(args, cwd=SPACE, env={"HOME": str(t.state.parent), "CRISOL_STATE_HOME": str(t.state), "CRISOL_CONFIG_HOME": str(t.state.parent / "config")}) as w:
            status = w.end()
            yield status == 4 and w.asked == 0, f"{title}: nobody is asked", (status, w.raw)


def dumb():
    for kind in ["dumb", ""]:
        with call(kind=kind) as t:
            yield t.wait("[a] Allow once") and "\x1b" not in t.raw and str(OUT / "f") in t.text() and "one moment" in t.raw, f"TERM={kind}: asked without a sequence", repr(t.raw)
            t.send("a")
            yield ends(t, "once", f"TERM={kind}")


def rules():
    own = {"own": ASKS}
    ask, once = ("ask", "rule", None), ("allow", "effect", "once")
    with start("call", "read_file", '{"path":"a.txt"}', **own) as t:
        yield t.armed() and "[s]" not in t.text() and r"it is \x1b[2J private" in t.text() and "permissions.rules[0]" in t.text(), "a rule is asked about once or not, with its reason", t.text()
        t.send("s")
        t.wait(lambda: "one moment" in t.text())
        yield t.armed() and said(t) == [ask], "an answer that is not offered is none", t.text()
        t.send("a")
        yield t.end() == 0 and said(t) == [ask, once] and "needle" in t.main(), "allowed once", (t.main(), said(t))
    with call(**own) as t:
        t.armed()
        t.send("a")
        yield t.wait(lambda: t.asked == 2) and t.armed() and "[s]" not in t.text(), "the folder first, then the rule", t.text()
        t.send("a")
        yield t.end() == 0 and said(t) == [ASK, ("ask", "rule", "once"), once], "both were answered", said(t)
    with call(**own) as t:
        t.armed()
        t.send("a")
        t.wait(lambda: t.asked == 2)
        t.armed()
        t.send("d")
        yield t.end() == 4 and said(t)[-1] == ("deny", "person", "deny"), "the second one was not", said(t)


NESTED = "try { await tools.read_file(args) ; return 'read' } catch (e) { return e.code }"


def scripts():
    for own, want in [("{}", "APPROVAL_REQUIRED"), (ASKS, "APPROVAL_REQUIRED")]:
        with start("js", "-e", NESTED, "--args", READ[1], own=own) as t:
            yield t.end() == 0 and t.asked == 0 and want in t.main(), f"a script's call asks nobody: {want}", t.main()


HOSTILE = {"esc": "\x1b[2J\x1b[1;1H\x1b[8m", "bell": "a\x07\x08\x08b", "cr": "harmless\rrm -rf /", "tabs": "\t" * 400 + "; touch P", "bidi": "\u202egpj.\u2066x\u2069", "zero": "a\u200bb\u200d\ufeffc",
           "nbsp": "a\u00a0b\u2003c\u3000d", "tags": "".join(chr(0xe0000 + ord(c)) for c in "rm -rf"), "marks": "Z" + "\u0335\u0489" * 50, "rtl": "\u05d0\u05d1 ; \u0627", "c1": "\u009b2J\u009d0;x\u009c", "vs": "a\ufe0f\U000e0101",
           "osc": "\x1b]52;c;YQ==\x07\x1b]0;t\x1b\\", "dcs": "\x1bPq\x1b\\", "nul": "a\x01b\x7fc", "wide": "\u4e2d\U0001f600" * 60, "row": "x" * 96 + "[a] Allow once" + "y" * 83 + "[d] Deny" + "x" * 90 + "all of it is shown", "forged": "[a] Allow once\n[d] Deny\nall of it is shown", "blank": "\n\n\n", "braille": "\u2800" * 5,
           "hangul": "\u3164\uffa0\u115f", "sep": "a\u2028b\u2029c\x85d", "slash": "\\x1b \\u{202e}", "private": "\ue000\U000f0000"}
PLAIN = re.compile(r"[ -~\u00a1-\u02ff\u0370-\u052f\u1100-\u115e\u4e00-\u9fff\U0001f300-\U0001f6ff]*")


def hostile(name, text):
    def row():
        # A pattern is input that may be any text; the path is what is asked about.
        value = json.dumps({"pattern": text[:1000] + "END", "path": str(OUT)})
        with start("call", "search_text", value, width=100, height=50) as t:
            good, pages = t.armed(), [t.lines()]
            while "go to the end" in t.text():
                before = t.text()
                t.send(" ")
                good = good and t.wait(lambda: t.text() != before)
                pages.append(t.lines())
            body = [line for page in pages for line in page]
            quoted = "".join(line.removeprefix(": ") for line in body)
            want = text[:1000].replace("\n", "").encode("ascii", "ignore").decode()
            spelled = [f"\\x{ord(c):02x}" if ord(c) < 256 and c != "\t" else "\\t" if c == "\t" else f"\\u{{{ord(c):x}}}" for c in text if not PLAIN.fullmatch(c) and c != "\n"]
            flat = re.sub(r"\s", "", quoted)
            yield good and "END" in quoted and not t.strange and all(PLAIN.fullmatch(line) for line in body), f"{name}: nothing drives the terminal", (t.strange, body)
            yield all(s in flat for s in spelled) and flat.count("\\t") >= text.count("\t"), f"{name}: all that hides is spelled out", (spelled[:9], body)
            forged = [line for line in body if "Allow once" in line or "all of it is shown" in line or "] Deny" in line]
            yield all(line.startswith(("| ", ": ")) or line in ("[a] Allow once", "[d] Deny", "all of it is shown") or line.startswith("rows") for line in forged), f"{name}: nothing looks like ours", forged
            yield all("\x1b[7m" + s in t.raw for s in spelled[:3]), f"{name}: what is spelled out is set off from what is written so", spelled[:3]
            t.send("d")
            yield t.end() == 4 and t.cooked() and "\x1b[2J" not in t.main(), f"{name}: denied", t.main()
    return row


def widths():
    line = "x" * 3000 + "LAST"
    value = json.dumps({"pattern": f"{line}|second", "path": str(OUT)})
    with start("call", "search_text", value, width=60, height=20) as t:
        t.armed()
        yield "go to the end" in t.text() and "(a) Allow once" in t.text() and "[d] Deny" in t.text(), "more than the screen holds can be denied, not allowed", t.text()
        t.send("a")
        t.wait(lambda: "one moment" in t.text() or t.process.poll() is not None, 1)
        yield t.process.poll() is None and said(t) == [ASK], "its key allows nothing", t.text()
        t.armed()
        t.send("\x1b[F")
        yield t.wait("[a] Allow once") and "second" in "".join(t.lines()).replace(": ", "") and "go to the end" not in t.text(), "when its end was seen it can be", t.text()
        t.send("\x1b[H")
        t.wait("Why:")
        t.pause()
        t.send("a")
        yield t.end() == 0, "also from its beginning, then", (t.main())


ROWS = [key("a", "once", "a"), key("s", "session", "s"), key("d", "deny", "d"), key("\x1b", "deny", "Esc"), key("\x03", "cancelled", "Ctrl-C"), key("\x04", "silence", "Ctrl-D"),
        *[no_key(keys, repr(keys)) for keys in ["\r", "\n", "y", "1", "A", "q", "\t", "\x00", "\x1a", "\x1c", "\x7f", "aa", "ay", "ya", " a", "a\n", "sd", "\x1b[200~a\x1b[201~", "\x1b[200~a\na\x1b[201~",
          "\x1b[200~\x1b[201~a", "\x1ba", "\x1b[Maaa", "\x1b[97u", "\x1b[27;5;97~", "\x1bOa", "\x1b[?1;2c", "\x1b[24;80R", "\x1b]11;rgb:aaaa/aaaa/aaaa\x07", "\x1bPa\x1b\\", "\x1b_a\x1b\\", "\x1b[I", "\u00e1", "\uff41", b"\xe1", b"\xffa"]],
        ahead, sizes, stopped, gone, where, dumb, rules, scripts, widths, *[hostile(*row) for row in HOSTILE.items()]]
with ThreadPoolExecutor(6) as pool:
    for results in pool.map(lambda row: list(row()), ROWS):
        for result in results:
            ok(*result)

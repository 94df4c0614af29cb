# SPDX-License-Identifier: MIT
"""TAP for integration tests.

    from tap import ok, skip, run, crisol

    r = run([crisol, "js", "-e", "return 1"])
    ok(r.rc == 0 and r.out == "1\\n", "a value is printed", r)
    skip("no userns: unshare says EPERM")

The plan is printed at the end of the program; its exit status is 1 when a test failed. A skip
starts with what the machine lacks: "no NAME: why", a NAME that tools/has knows.
"""
import atexit
import os
import subprocess
import sys
from collections import namedtuple

Result = namedtuple("Result", "rc out err")

# The command under test: what meson says, else the release build.
crisol = os.environ.get("CRISOL", os.path.join(os.path.dirname(__file__), "../../build/crisol"))

_seen = 0
_failed = 0
_crashed = False


def _print(line):
    print(line, flush=True)


def ok(cond, name, detail=None):
    """One result; detail is shown when it failed. Returns cond."""
    global _seen, _failed
    _seen += 1
    _print(f"{'ok' if cond else 'not ok'} {_seen} - {name.replace('#', '')}")
    if not cond:
        _failed += 1
        for line in str(detail).splitlines() if detail is not None else []:
            _print(f"# {line}")
    return bool(cond)


def skip(reason):
    """One result that this machine cannot give."""
    global _seen
    _seen += 1
    _print(f"ok {_seen} # SKIP {reason}")


def run(args, stdin=None, timeout=20, env=None, cwd=None):
    """Runs a command to its end: exit status (-N: killed by signal N; None: the time was up),
    text of stdout and stderr. env is added to a small environment, nothing else is inherited."""
    base = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/nonexistent"}
    data = stdin.encode() if isinstance(stdin, str) else stdin
    job = subprocess.Popen(
        args, stdin=subprocess.PIPE if data is not None else subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**base, **(env or {})}, cwd=cwd,
        start_new_session=True)
    try:
        out, err = job.communicate(data, timeout)
        rc = job.returncode
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, 9)
        out, err = job.communicate()
        rc = None
    return Result(rc, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))


def _excepthook(kind, value, trace):
    global _crashed
    _crashed = True
    sys.__excepthook__(kind, value, trace)


def _done():
    if not _crashed:
        _print(f"1..{_seen}")
    if _failed and not _crashed:
        sys.stdout.flush()
        os._exit(1)


sys.excepthook = _excepthook
atexit.register(_done)

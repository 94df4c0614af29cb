#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is installed is complete, works where it stands, and goes away without a trace."""
import os
import pathlib
import tempfile

from tap import crisol, ok, run

build = pathlib.Path(crisol).resolve().parents[2]
script = pathlib.Path(__file__).resolve().parents[2] / "tools" / "install"
path = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": "/tmp"}


def files(top):
    return sorted(str(p.relative_to(top)) for p in top.rglob("*") if not p.is_dir())


with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryDirectory() as state:
    dest = pathlib.Path(scratch)
    top = dest / "opt/c"
    (dest / "opt").mkdir()
    r = run([script, build, dest, "/opt/c"], env=path, timeout=60)
    ok(r.rc == 0, "installs", r)
    found = files(top)
    for name in ["bin/crisol", "libexec/crisol/crisol-core", "libexec/crisol/crisol-js",
                 "libexec/crisol/crisol-launch", "share/man/man1/crisol.1", "share/man/man7/crisol-permissions.7",
                 "share/doc/crisol/LICENSE", "share/doc/crisol/THIRD-PARTY-NOTICES"]:
        ok(name in found, f"there is {name}", found)
    odd = [n for n in found if not n.startswith(
        ("bin/crisol", "libexec/crisol/", "share/man/man1/crisol", "share/man/man7/crisol-", "share/doc/crisol/"))]
    ok(not odd, "nothing stands anywhere else", odd)

    command = top / "bin/crisol"
    for name in ["bin/crisol"] + [n for n in found if n.startswith("libexec/crisol/crisol-")]:
        built = build / "src/proc" / pathlib.Path(name).name
        r = run(["/usr/bin/nm", "--defined-only", top / name])
        ok(r.rc == 0 and " main" in r.out, f"{name} is not stripped", r.err)
        r = run(["/usr/bin/readelf", "-d", top / name])
        ok(str(build) not in r.out and "/build/" not in r.out, f"{name} does not look into the build", r.out)
    r = run([command, "--version"])
    ok(r.rc == 0, "the installed command says its version", r)
    r = run([command, "js", "-e", "return 6*7"], env={"HOME": "/nonexistent", "CRISOL_STATE_HOME": state})
    ok((r.rc, r.out) == (0, "42\n"), "and runs a script", r)
    r = run([command, "--licenses"])
    notices = (top / "share/doc/crisol/THIRD-PARTY-NOTICES")
    ok(r.rc == 0 and notices.exists() and notices.read_text() in r.out, "and prints the notices",
       r.err or r.out[:300])

    (top / "share/doc/theirs").write_text("kept")
    r = run([script, build, dest, "/opt/c"], env=path, timeout=60)
    ok(r.rc == 0 and files(top) == sorted(found + ["share/doc/theirs"]), "installs over itself", r)
    r = run([script, "--remove", dest, "/opt/c"], env=path)
    ok(r.rc == 0 and files(dest) == ["opt/c/share/doc/theirs"], "removes what it put, alone", r)
    (top / "share/doc/theirs").unlink()
    for folder in ["share/doc", "share", ""]:
        (top / folder).rmdir()
    ok(list((dest / "opt").iterdir()) == [], "and every folder it made")
    r = run([script, "--remove", dest, "/opt/c"], env=path)
    ok(r.rc != 0, "there is nothing to remove twice", r)

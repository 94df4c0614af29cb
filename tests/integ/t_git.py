#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""git_status and git_diff: what they give of every kind of repository, that nothing a repository says is run, read outside or
written, and that what is hidden is in neither. Rows T0, T3, T5; G9."""
import atexit
import json
import os
import pathlib
import pty
import shutil
import subprocess
import tempfile

from desk import NOBODY, Desk, tree
from tap import crisol, ok, run, skip

TOP = pathlib.Path(tempfile.mkdtemp(prefix="crisol-git-"))
TOP.chmod(0o755)
atexit.register(shutil.rmtree, TOP, True)
ROOT = os.geteuid() == 0
PERSON = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b", "GIT_CONFIG_NOSYSTEM": "1",
          "GIT_CONFIG_GLOBAL": str(TOP / "person"), "HOME": str(TOP)}
tree(TOP, {"person": "[init]\ndefaultBranch = main\n[safe]\ndirectory = *\n[protocol \"file\"]\nallow = always\n[advice]\ndetachedHead = false\n"})

if not shutil.which("git"):
    skip("no git: there is nothing to compare with")
    raise SystemExit(0)


def git(folder, *args, env=None, fails=False):
    r = run(["git", *args], cwd=folder, env={**PERSON, **(env or {})})
    if r.rc and not fails:
        raise RuntimeError(f"git {args}: {r}")
    return r


def commit(folder, files=(), message="m"):
    tree(folder, dict(files))
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)


def repo(path, files=(), *args):
    """A repository with one commit of these files."""
    path = TOP / path
    path.mkdir(parents=True, exist_ok=True)
    git(path, "init", "-q", *args)
    commit(path, files)
    return path


def status(desk, path="."):
    got = desk.call("git_status", path=path)
    return got.result["stdout"].splitlines() if got.code == "" else got


def diff(desk, **values):
    got = desk.call("git_diff", **values)
    return got.result["stdout"] if got.code == "" else got


def state(folder):
    """All that a change would show in, of every file below."""
    found = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        st = path.lstat()
        found[str(path)] = (st.st_mode, st.st_size, st.st_mtime_ns, st.st_ctime_ns, st.st_nlink, path.read_bytes() if path.is_file() and not path.is_symlink() else b"")
    return found


# ---- what they give ----

space = repo("plain", {"a.txt": "one\ntwo\nthree\n", "b.txt": "b\n", "sub/c.txt": "c\n", ".gitignore": "*.o\n"})
with Desk(space) as desk:
    got = desk.call("git_status")
    ok(got.result == {"repository": ".", "stdout": "## main\n", "stderr": "", "exitCode": 0, "truncated": False}, "a clean tree: its fields", got)
    got = desk.call("git_diff")
    ok(got.result == {"repository": ".", "stdout": "", "stderr": "", "exitCode": 0, "truncated": False}, "and no difference", got)
    tree(space, {"a.txt": "one\n2\nthree\n", "new.txt": "n", "x.o": "ignored", "sub/d.txt": "d\n"})
    git(space, "add", "sub/d.txt")
    (space / "b.txt").unlink()
    ok(status(desk) == ["## main", " M a.txt", " D b.txt", "A  sub/d.txt", "?? new.txt"], "changed, deleted, added, new; nothing ignored", status(desk))
    ok(status(desk, "sub") == ["## main", "A  sub/d.txt"] and status(desk, "a.txt") == ["## main", " M a.txt"], "of a folder, of a file, by names from the top", status(desk, "sub"))
    ok(status(desk, "b.txt") == ["## main", " D b.txt"] and "-b" in diff(desk, path="b.txt"), "of a file that is not there any more", diff(desk, path="b.txt"))
    plain = git(space, "diff").out
    ok(diff(desk) == plain and "-two\n+2\n" in plain, "the patch of git itself", diff(desk))
    ok(diff(desk, staged=True) == git(space, "diff", "--cached").out != "", "of what is staged", diff(desk, staged=True))
    ok(diff(desk, path="a.txt", context=0) == git(space, "diff", "-U0", "a.txt").out, "of a file, without lines around", diff(desk, path="a.txt", context=0))
    commit(space, message="second")
    git(space, "tag", "-a", "v1", "-m", "t")
    git(space, "branch", "side", "HEAD~1")
    for ref, plain in [("HEAD~1", ["HEAD~1"]), ("HEAD^", ["HEAD^"]), ("v1~1", ["v1~1"]), ("side..main", ["side", "main"]), ("side...main", ["side...main"]), ("side..", ["side", "HEAD"]),
                       ("..side", ["HEAD", "side"]), ("@~1", ["HEAD~1"]), (git(space, "rev-parse", "HEAD~1").out.strip(), ["HEAD~1"]), ("HEAD^1~0..v1", ["HEAD~1", "HEAD"])]:
        ok(diff(desk, ref=ref) == git(space, "diff", *plain).out != "", f"ref {ref}", diff(desk, ref=ref))
    ok(diff(desk, ref="side", staged=True) == git(space, "diff", "--cached", "side").out != "", "what is staged from a commit")
    blob = git(space, "rev-parse", "HEAD:a.txt").out.strip()
    for ref, code in [("--output=x", "INVALID_INPUT"), ("-p", "INVALID_INPUT"), ("--no-index", "INVALID_INPUT"), ("HEAD:a.txt", "INVALID_INPUT"), (":/second", "INVALID_INPUT"), ("HEAD^{/m}", "INVALID_INPUT"),
                      ("@{1}", "INVALID_INPUT"), ("@{u}", "INVALID_INPUT"), ("main@{upstream}", "INVALID_INPUT"), ("^HEAD", "INVALID_INPUT"), ("HEAD^!", "INVALID_INPUT"), ("HEAD^@", "INVALID_INPUT"), ("HEAD^-", "INVALID_INPUT"),
                      ("a b", "INVALID_INPUT"), ("a\nb", "INVALID_INPUT"), ("a\0b", "INVALID_INPUT"), ("*", "INVALID_INPUT"), ("..", "INVALID_INPUT"), ("a..b..c", "INVALID_INPUT"), ("a....b", "INVALID_INPUT"), ("..--output=x", "INVALID_INPUT"),
                      ("main..-x", "INVALID_INPUT"), ("nope", "NOT_FOUND"), ("a.txt", "NOT_FOUND"), (blob, "NOT_FOUND"), ("HEAD~99", "NOT_FOUND"), ("main..nope", "NOT_FOUND"), (git(space, "rev-parse", "HEAD^{tree}").out.strip(), "NOT_FOUND")]:
        got = desk.call("git_diff", ref=ref)
        ok(got.code == code and got.result is None, f"ref {ref!r} is {code}", got)
    ok(desk.call("git_diff", ref="a..b", staged=True).code == "INVALID_INPUT", "staged and two commits do not go together")
    tree(space, {"--output=y": "y\n", ":(top)z": "z\n", "*": "star\n", "a.txt": "changed\n"})
    git(space, "add", "-N", ".")
    for name in ["--output=y", ":(top)z", "*"]:
        got = diff(desk, path=name)
        ok(f"b/{name}" in got and got.count("diff --git") == 1, f"a path is a name and nothing else: {name}", got)
    ok(not (space / "y").exists() and status(desk, "*") == ["## main", " A *"], "intent to add", status(desk, "*"))
    ok(desk.call("git_diff", path="../..").code != "" and desk.call("git_diff", nope=1).code == "INVALID_INPUT", "outside and unknown fields are refused")

# ---- names, kinds, sizes ----

ODD = ["a b", 'q"uote', "back\\slash", "line\nfeed", "tab\tstop", "caf\u00e9", "\U0001f600", "\x01\x1b[31m", " lead", "trail ", "-> x", "## main"]
space = repo("odd", {name: "x\n" for name in ODD})
raw = os.fsencode(space) + b"/\xff\xfebad"
with open(raw, "wb") as f:
    f.write(b"x\n")
with Desk(space) as desk:
    for name in ODD:
        tree(space, {name: "y\n"})
    lines = status(desk)
    want = {" M " + s for s in ['"a b"', '"q\\"uote"', '"back\\\\slash"', '"line\\nfeed"', '"tab\\tstop"', "caf\u00e9", "\U0001f600", '"\\001\\033[31m"', '" lead"', '"trail "', '"-> x"', '"## main"']}
    ok(set(lines[1:]) == want | {'?? "\\377\\376bad"'} and lines[0] == "## main", "odd names: a line each, what is no text in octal", lines)
    got = diff(desk)
    ok(got.count("diff --git ") == len(ODD) and "caf\u00e9" in got, "and a patch each", got)
    ok("-x\n+y\n" in diff(desk, path="line\nfeed") and diff(desk, path="line\nfeed").count("diff --git") == 1, "of the one with a line feed")
    git(space, "commit", "-qam", "y")
    tree(space, {"bin": b"a\0b", "inv.txt": b"\xff\n", "run": "#!/bin/sh\n", "long.txt": "".join(f"{n}\n" for n in range(100))})
    (space / "link").symlink_to("bin")
    commit(space)
    tree(space, {"bin": b"a\0c", "inv.txt": b"\xfe\n"})
    (space / "run").chmod(0o755)
    (space / "link").unlink(), (space / "link").symlink_to("run")
    git(space, "mv", "long.txt", "moved.txt")
    git(space, "rm", "-q", "-f", "caf\u00e9")
    got = desk.call("git_diff", ref="HEAD").result["stdout"]
    ok("Binary files a/bin and b/bin differ" in got and "old mode 100644\nnew mode 100755" in got and "rename from long.txt\nrename to moved.txt" in got, "binary, mode, rename", got)
    ok("-\ufffd\n+\ufffd\n" in got and "-bin\n" in got and "+run\n" in got, "what is no text is replaced; a link is its target", got)
    ok({"R  long.txt -> moved.txt", " M run", " M link", "D  caf\u00e9"} <= set(status(desk)), "the same in status", status(desk))
    tree(space, {f"many/{'n' * 100}{n}": "" for n in range(2000)})
    git(space, "add", "-N", "many")
    got = desk.call("git_status").result
    ok(got["truncated"] and len(got["stdout"]) <= 128 << 10 and all(len(line) > 100 for line in got["stdout"].splitlines()[20:]), "more than is looked at is cut at a whole line, and said", (got["truncated"], got["stdout"][-300:]))
    tree(space, {"moved.txt": "".join(f"line {n} \x01\x02\x03\n" for n in range(30000))})
    got = desk.call("git_diff", path="moved.txt").result
    ok(got["truncated"] and 190000 < len(got["stdout"]) <= 200000 and got["stdout"].endswith("\x03\n") and got["exitCode"] == 0, "so is a patch", (got["truncated"], got["stdout"][-30:]))

# ---- kinds of repositories ----

space = TOP / "unborn"
space.mkdir()
with Desk(space) as desk:
    got = desk.call("git_status")
    ok((got.code, "git repository" in got.message) == ("NOT_FOUND", True), "no repository", got)
    git(space, "init", "-q")
    tree(space, {"a": "a\n"})
    ok(status(desk) == ["## No commits yet on main", "?? a"] and diff(desk) == "", "no commit yet", status(desk))
    git(space, "add", "a")
    ok(status(desk)[1:] == ["A  a"] and "+a" in diff(desk, staged=True) and desk.call("git_diff", ref="HEAD").code == "NOT_FOUND", "then everything is staged")
    commit(space)
    git(space, "checkout", "-q", "--detach")
    ok(status(desk) == ["## HEAD (no branch)"], "no branch", status(desk))
    git(space, "checkout", "-q", "main")
    git(space, "clone", "-q", ".", TOP / "clone")
    commit(TOP / "clone", {"a": "theirs\n"})
    with Desk(TOP / "clone") as other:
        ok(status(other) == ["## main...origin/main [ahead 1]"], "how far ahead", status(other))
    git(space, "checkout", "-q", "-b", "side")
    commit(space, {"a": "side\n"})
    git(space, "checkout", "-q", "main")
    commit(space, {"a": "main\n"})
    git(space, "merge", "side", fails=True)
    ok(status(desk)[1:] == ["UU a"] and diff(desk) == git(space, "diff").out and "++=======" in diff(desk), "a conflict", diff(desk))
    ok("<<<<<<<" in diff(desk, ref="HEAD") and diff(desk, path="a").startswith("diff --cc a"), "from one side")
    git(space, "merge", "--abort")

    # Worktrees: the repository lies in another folder.
    git(space, "worktree", "add", "-q", TOP / "tree", "side")
    tree(TOP / "tree", {"a": "in the tree\n"})
    got = desk.call("git_status", path=str(TOP / "tree"))
    ok(got.code == "OUTSIDE_ROOTS", "a worktree is judged as any path", got)
    with Desk(TOP / "tree") as other:
        got = other.call("git_status")
        ok(got.code == "OUTSIDE_ROOTS" and f"{space}/.git/worktrees/tree" in got.message and "--add-dir" in got.message, "one whose repository is outside: where it is, and what to give", got)
    for folder in [space, space / ".git"]:
        with Desk(TOP / "tree", [folder]) as other:
            ok(status(other) == ["## side", " M a"] and "+in the tree" in diff(other), f"declared, {folder.name} can be read", status(other))
    with Desk(TOP / "tree", [space / ".git/worktrees/tree"]) as other:
        got = other.call("git_diff")
        ok(got.code == "OUTSIDE_ROOTS" and f"{space}/.git," in got.message, "half of it is not enough", got)
    git(space, "clone", "-q", "--bare", ".", TOP / "bare/r.git")
    git(TOP / "bare/r.git", "worktree", "add", "-q", TOP / "bare/w", "main")
    tree(TOP / "bare/w", {"a": "bare\n"})
    with Desk(TOP / "bare") as other:
        ok(status(other, "w") == ["## main", " M a"] and other.call("git_status", path="w").result["repository"] == "w", "a worktree of a bare repository", status(other, "w"))
        got = other.call("git_status", path="r.git")
        ok(got.code == "INVALID_INPUT" and "bare" in got.message, "a bare one has no files", got)

    # A subfolder: what it belongs to begins outside.
    tree(space, {"in/f": "f\n"})
    with Desk(space / "in") as other:
        got = other.call("git_status")
        ok(got.code == "OUTSIDE_ROOTS" and f"begins at {space}," in got.message and "--add-dir" in got.message, "a workspace in a repository: where that begins, and what to give", got)
    with Desk(space / "in", [space]) as other:
        got = other.call("git_status")
        ok((got.result or {}).get("stdout") == "## main\n?? in/\n" and got.result["repository"] == str(space), "declared, its names are from the top, which is told", got)

space = repo("sha256", {"a": "a\n"}, "--object-format=sha256")
with Desk(space) as desk:
    tree(space, {"a": "b\n"})
    ok(status(desk)[1:] == [" M a"] and diff(desk) == git(space, "diff").out and diff(desk, ref=git(space, "rev-parse", "HEAD").out.strip()) == diff(desk), "SHA-256", diff(desk))

inner = repo("inner", {"f": "1\n"})
space = repo("outer", {"g": "g\n"})
git(space, "submodule", "--quiet", "add", str(inner), "mod")
commit(space)
with Desk(space) as desk:
    tree(space, {"mod/f": "2\n"})
    ok(status(desk) == ["## main"] and status(desk, "mod")[1:] == [" M f"] and "+2" in diff(desk, path="mod"), "a submodule's files are asked for there", (status(desk), status(desk, "mod")))
    commit(space / "mod")
    ok(status(desk) == ["## main", " M mod"] and "+Subproject commit" in diff(desk), "its commit is the outer one's matter", status(desk))
    git(space, "config", "submodule.mod.ignore", "all")
    git(space, "config", "diff.ignoreSubmodules", "all")
    ok(status(desk) == ["## main", " M mod"], "whatever the repository says of it")

# Of somebody else: ownership is no matter where nothing is run.
if not ROOT:
    skip("no root: no file of another")
else:
    with Desk(repo("theirs", {"a": "a\n"}), user=NOBODY) as desk:
        tree(TOP / "theirs", {"a": "b\n"})
        ok(run(["setpriv", f"--reuid={NOBODY}", "--clear-groups", "git", "-C", str(TOP / "theirs"), "status"], env={"HOME": "/nonexistent"}).rc == 128 and status(desk)[1:] == [" M a"], "a repository of somebody else is read", status(desk))


# ---- what a repository says to run ----

MARK = TOP / "mark"
OUT = tree(TOP / "outside", {"a": "hunter2\n", "f": "hunter2\n", "words": "hunter2\n", "bad": "[hunter2\n", "ignore": "new\n", "attributes": "* -diff\n", "order": "b\na\n"})
PROGRAM = TOP / "program"
PROGRAM.write_text(f"#!/bin/sh\necho \"$0 $*\" >>{MARK}\nexec cat\n")
QUIET = TOP / "quiet"  # for whom nobody ends the input
QUIET.write_text(f"#!/bin/sh\necho \"$0 $*\" >>{MARK}\n")
for program in [PROGRAM, QUIET]:
    program.chmod(0o755)
MARKS = {"GIT_EXTERNAL_DIFF": str(PROGRAM), "GIT_PAGER": str(PROGRAM), "GIT_SSH_COMMAND": str(PROGRAM), "GIT_TRACE": str(MARK), "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "diff.external", "GIT_CONFIG_VALUE_0": str(PROGRAM)}
ONE, BOTH, HEAD = [["diff"]], [["status"], ["diff"]], [["diff", "HEAD"]]


def config(*pairs):
    def do(space):
        for key, value in pairs:
            git(space, "config", key, str(value))
    return do


def attributes(text, *pairs):
    def do(space):
        commit(space, {".gitattributes": text})
        config(*pairs)(space)
    return do


def hook(space):
    shutil.copy(PROGRAM, space / ".git/hooks/post-index-change")


def included(key):
    def do(space):
        (space / "settings").write_text(f"[core]\nfsmonitor = {PROGRAM}\n")
        config((key, space / "settings"))(space)
    return do


def of_worktree(space):
    config(("extensions.worktreeConfig", "true"))(space)
    (space / ".git/config.worktree").write_text(f"[core]\nfsmonitor = {PROGRAM}\n")


def submodule(*pairs):
    def do(space):
        git(space, "submodule", "--quiet", "add", str(TOP / "inner"), "mod")
        commit(space)
        tree(space, {"mod/f": "changed\n"})
        config(*pairs)(space / "mod")
    return do


def partial(url, *pairs):
    """A partial clone: what it lacks would be fetched."""
    def do(space):
        blob = git(space, "rev-parse", "HEAD:a").out.strip()
        (space / f".git/objects/{blob[:2]}/{blob[2:]}").unlink()
        config(("core.repositoryFormatVersion", "1"), ("extensions.partialClone", "origin"), ("remote.origin.url", url), ("remote.origin.promisor", "true"), *pairs)(space)
    return do


def upload(space):
    partial(str(TOP / "inner"), ("remote.origin.uploadpack", QUIET))(space)


# Its sentence, what is set up, what runs the program outside, and whether git may fail inside: it lacks what it asks for.
RUNS = [
    ("core.fsmonitor", config(("core.fsmonitor", PROGRAM)), [["status"]], ""),
    ("core.fsmonitor, and the index says that it was used", lambda s: (config(("core.fsmonitor", PROGRAM))(s), git(s, "update-index", "--fsmonitor")), ONE, ""),
    ("a filter that cleans", attributes("* filter=x\n", ("filter.x.clean", PROGRAM)), BOTH, ""),
    ("a filter that must not fail", attributes("* filter=x\n", ("filter.x.clean", PROGRAM), ("filter.x.required", "true")), BOTH, ""),
    ("a filter that stays", attributes("* filter=x\n", ("filter.x.process", PROGRAM)), BOTH, ""),
    ("one as git-lfs sets up", attributes("* filter=lfs diff=lfs merge=lfs -text\n", ("filter.lfs.clean", f"{PROGRAM} %f"), ("filter.lfs.smudge", PROGRAM), ("filter.lfs.process", PROGRAM), ("filter.lfs.required", "true")), BOTH, ""),
    ("a filter with an odd name", attributes('* filter=a=b.c\n', ("filter.a=b.c.clean", PROGRAM), ("filter.a=b.c.required", "true")), BOTH, ""),
    ("textconv", attributes("* diff=x\n", ("diff.x.textconv", PROGRAM)), ONE, ""),
    ("textconv that is cached", attributes("* diff=x\n", ("diff.x.textconv", PROGRAM), ("diff.x.cachetextconv", "true")), HEAD, ""),
    ("a driver's command", attributes("* diff=x\n", ("diff.x.command", PROGRAM)), ONE, ""),
    ("diff.external", config(("diff.external", PROGRAM)), ONE, ""),
    ("a hook", hook, [["status"]], ""),
    ("a hook elsewhere", lambda s: (hook(s), (s / "hooks").mkdir(), shutil.move(s / ".git/hooks/post-index-change", s / "hooks"), config(("core.hooksPath", "hooks"))(s)), [["status"]], ""),
    ("include.path", included("include.path"), [["status"]], ""),
    ("includeIf", included("includeIf.gitdir:/.path"), [["status"]], ""),
    ("the settings of a worktree", of_worktree, [["status"]], ""),
    ("the pager", config(("core.pager", PROGRAM)), [["pty", "diff"]], ""),
    ("the pager of one command", config(("pager.status", PROGRAM)), [["pty", "status"]], ""),
    ("a submodule's own fsmonitor", submodule(("core.fsmonitor", PROGRAM)), [["status"]], ""),
    ("a submodule's own textconv", lambda s: (submodule(("diff.external", PROGRAM))(s), config(("diff.submodule", "diff"))(s)), [["diff"]], ""),
    ("core.sshCommand, for what a partial clone lacks", partial("ssh://nowhere/x", ("core.sshCommand", QUIET)), HEAD, "TOOL_FAILED"),
    ("core.gitProxy, the same", partial("git://nowhere/x", ("core.gitProxy", QUIET)), HEAD, "TOOL_FAILED"),
    ("ext::, the same", partial(f"ext::{QUIET}", ("protocol.ext.allow", "always")), HEAD, "TOOL_FAILED"),
    ("uploadpack, the same", upload, HEAD, "TOOL_FAILED"),
]


def spoiled(name, setup):
    """A repository with something changed, set up last."""
    shutil.rmtree(TOP / name, ignore_errors=True)
    space = repo(name, {"a": "a\n", "b": "b\n"})
    setup(space)
    with open(space / "a", "a") as f:
        f.write("changed\n")
    os.utime(space / "b", (1, 1))
    return space


def outside(space, args, env=None):
    """Whether git itself runs the program."""
    MARK.unlink(missing_ok=True)
    if args[0] == "pty":
        full = {"PATH": "/usr/bin:/bin", **PERSON, "TERM": "xterm"}
        pid, fd = pty.fork()
        if pid == 0:
            os.chdir(space)
            os.execvpe("git", ["git", *args[1:]], full)
        try:
            while os.read(fd, 4096):
                pass
        except OSError:
            pass
        os.waitpid(pid, 0), os.close(fd)
    else:
        git(space, *args, env=env, fails=True)
    return MARK.exists()


def looks(desk):
    return [desk.call("git_status"), desk.call("git_diff"), desk.call("git_diff", ref="HEAD"), desk.call("git_diff", staged=True)]


for title, setup, shown, code in RUNS:
    for args in shown:
        ok(outside(spoiled("run", setup), args), f"{title}: git {args[-1]} runs it")
    space = spoiled("run", setup)
    MARK.unlink(missing_ok=True)
    before = state(space)
    with Desk(space) as desk:
        got = looks(desk)
        ok(not MARK.exists(), f"{title}: here nothing does")
        ok(state(space) == before, f"{title}: and nothing is written", [p for p, s in state(space).items() if before.get(p) != s])
        ok(got[0].code == "" and " M a" in got[0].result["stdout"] and " M b" not in got[0].result["stdout"], f"{title}: what is changed is told", got[0])
        ok(got[1].code in ("", code) and (got[1].code or "+changed" in got[1].result["stdout"]) and got[2].code in ("", code), f"{title}: and shown", got[1:])
space = spoiled("run", lambda s: None)
for name in MARKS:
    if name.startswith("GIT_CONFIG") or name == "GIT_EXTERNAL_DIFF" or name == "GIT_TRACE":
        ok(outside(space, ["diff"], MARKS if name.startswith("GIT_CONFIG") else {name: MARKS[name]}), f"{name} in the environment counts outside")
MARK.unlink(missing_ok=True)
with Desk(space, env={**MARKS, "GIT_DIR": str(TOP / "plain/.git"), "GIT_WORK_TREE": str(OUT)}) as desk:
    got = looks(desk)
    ok(not MARK.exists() and " M a" in got[0].result["stdout"] and "+changed" in got[1].result["stdout"], "but not here", got)

# ---- what a repository says to read ----

SECRET = repo("secret", {"f": "hunter2\n"})
commit(SECRET, {"f": "gone\n"})


def linked(name, target):
    def do(space):
        place = space / ".git" / name
        if place.is_dir():
            shutil.rmtree(place)
        place.unlink(missing_ok=True)
        place.symlink_to(target)
    return do


def elsewhere(space):
    shutil.rmtree(space / ".git")
    (space / ".git").write_text(f"gitdir: {SECRET}/.git\n")


def through_link(space):
    shutil.rmtree(space / ".git")
    (space / ".git").symlink_to(SECRET / ".git")


def borrowed(space):
    (space / ".git/objects/info/alternates").write_text(f"{SECRET}/.git/objects\n")
    (space / ".git/refs/heads/theirs").write_text(git(SECRET, "rev-parse", "HEAD~1").out)


def borrowed_twice(space):
    git(TOP, "clone", "-q", "--bare", "--shared", SECRET, space / "between")
    (space / ".git/objects/info/alternates").write_text("../../between/objects\n")
    (space / ".git/refs/heads/theirs").write_text(git(SECRET, "rev-parse", "HEAD~1").out)


def borrowed_objects(space):
    linked("objects", SECRET / ".git/objects")(space)
    (space / ".git/refs/heads/main").write_text(git(SECRET, "rev-parse", "HEAD~1").out)


def shared(space):
    """.git of the space, all else of the secret one."""
    (space / ".git/commondir").write_text(f"{SECRET}/.git\n")
    (space / ".git/HEAD").write_text("ref: refs/heads/main\n")


# Its sentence, what is set up, what shows it outside, the words that show it, and what git_status and git_diff of ref come to here.
READS = [
    ("core.worktree", config(("core.worktree", OUT)), ["diff"], "+hunter2", "", ""),
    (".git as a file", elsewhere, ["diff", "HEAD~1"], "hunter2", "OUTSIDE_ROOTS", "OUTSIDE_ROOTS"),
    (".git as a link", through_link, ["diff", "HEAD~1"], "hunter2", "OUTSIDE_ROOTS", "OUTSIDE_ROOTS"),
    ("objects of another", borrowed, ["diff", "theirs"], "hunter2", "OUTSIDE_ROOTS", "OUTSIDE_ROOTS"),
    ("objects of another of another", borrowed_twice, ["diff", "theirs"], "hunter2", "OUTSIDE_ROOTS", "OUTSIDE_ROOTS"),
    ("objects by a link", borrowed_objects, ["diff", "HEAD"], "hunter2", "OUTSIDE_ROOTS", "OUTSIDE_ROOTS"),
    ("all but HEAD of another", shared, ["diff", "HEAD~1"], "hunter2", "OUTSIDE_ROOTS", "OUTSIDE_ROOTS"),
    ("packed-refs by a link", linked("packed-refs", OUT / "words"), ["diff", "HEAD~1"], "hunter2", "TOOL_FAILED", ""),
    ("settings by a link", linked("config", OUT / "bad"), ["status"], "fatal: bad config line 1", "TOOL_FAILED", "TOOL_FAILED"),
    ("include.path", config(("include.path", OUT / "bad")), ["status"], f"fatal: bad config line 1 in file {OUT}", "TOOL_FAILED", "TOOL_FAILED"),
    ("info/attributes by a link", lambda s: linked("info/attributes", OUT / "attributes")(s), ["diff"], "Binary files", "", ""),
    ("core.attributesFile", config(("core.attributesFile", OUT / "attributes")), ["diff"], "Binary files", "", ""),
    ("diff.orderFile", config(("diff.orderFile", OUT / "order")), ["diff"], "+changed", "", ""),
    ("replaced objects", lambda s: git(s, "replace", git(s, "rev-parse", "HEAD:a").out.strip(), git(s, "rev-parse", "HEAD:b").out.strip()), ["diff", "HEAD"], "-b\n", "", ""),
]
for title, setup, args, words, code, ref_code in READS:
    space = spoiled("read", setup)
    r = git(space, *args, fails=True)
    ok(words in r.out + r.err, f"{title}: git {' '.join(args)} reads it", r)
    space = spoiled("read", setup)
    before = state(space)
    with Desk(space) as desk:
        got = [*looks(desk), desk.call("git_diff", ref="HEAD~1"), desk.call("git_diff", ref="theirs")]
        ok(not any(w in f"{g.result} {g.message}" for g in got for w in ["hunter2", "Binary", "bad config line 1", "-b\\n"]), f"{title}: here it is not read", got)
        ok((got[0].code, got[2].code) == (code, ref_code), f"{title}: and what stands in the way is said", got)
        ok(code != "OUTSIDE_ROOTS" or all(str(SECRET) in g.message and "--add-dir" in g.message for g in got), f"{title}: with the folder", got)
        ok(code or " M a" in got[0].result["stdout"] and got[1].result["stdout"].startswith("diff --git a/a b/a"), f"{title}: what is changed is told", got)
        ok(state(space) == before, f"{title}: and nothing is written")
space = spoiled("read", lambda s: (config(("core.excludesFile", OUT / "ignore"))(s), tree(s, {"new": ""})))
with Desk(space) as desk:
    ok("new" not in git(space, "status", "--porcelain").out and "?? new" in status(desk), "core.excludesFile outside: read by git, not here", status(desk))

# ---- what is hidden here ----

RULES = {"permissions": {"rules": [{"decision": "deny", "path": "secret/**"}, {"decision": "ask", "path": "**/*.key"}, {"decision": "deny", "tool": "git_diff", "path": "only.txt"}]}}


def private(name):
    shutil.rmtree(TOP / name, ignore_errors=True)
    return repo(name, {"a": "a\n", "d": "file\n", "only.txt": "only\n", "x.key": "hunter2 key\n", "secret/f": "hunter2 one\nhunter2 two\n", "secret/g": "hunter2 g\n", "to/h": "to be moved\n"})


def shows(got):
    return "hunter2" in f"{got.result} {got.message} {got.hint}"


space = private("hidden")
tree(space, {"a": "A\n", "x.key": "hunter2 new\n", "secret/f": "hunter2 new\n", "secret/new": "", "new.key": "", "only.txt": "changed\n", "pub": "p\n"})
with Desk(space, own=RULES) as desk:
    got = desk.call("git_status")
    ok((got.result or {}).get("stdout") == "## main\n M a\n M only.txt\n?? pub\n" and got.result["hidden"] == 4, "what a rule refuses or asks about is not in the status; how many are left out is told", got)
    got = desk.call("git_diff")
    ok("+hunter2" in git(space, "diff").out and not shows(got) and "+A" in got.result["stdout"] and "only" not in got.result["stdout"] and got.result["hidden"] == 3, "nor in a patch", got)
    for path in ["secret", "secret/f", "x.key", "only.txt"]:
        got = desk.call("git_diff", path=path)
        ok(got.code in ("DENIED", "APPROVAL_REQUIRED") and not shows(got), f"nor asked for by name: {path}", got)
    git(space, "checkout", "-q", "--", ".")
    git(space, "rm", "-q", "-r", "secret", "x.key")
    (space / "d").unlink()
    tree(space, {"d/k.key": "hunter2 k\n"})
    commit(space, {"a": "second\n"}, "gone")
    for ref in ["HEAD~1", "HEAD~1..HEAD", "HEAD~1...", "HEAD..HEAD~1"]:
        a, b = (ref.split("..")[0], ref.replace("...", "..").split("..")[1] or "HEAD") if ".." in ref else (ref, None)
        got = desk.call("git_diff", ref=ref)
        ok("hunter2 one" in git(space, "diff", a, *([b] if b else [])).out and got.code == "" and not shows(got) and "second" in got.result["stdout"] and got.result["hidden"] == 7, f"nor what was there once: {ref}", got)
    got = desk.call("git_diff", ref="HEAD~1", path="d")
    ok("hunter2 k" in git(space, "diff", "HEAD~1", "--", "d").out and got.code == "" and not shows(got) and got.result["stdout"] == "", "a file that became a folder does not stand for what is in it", got)
space = private("moves")
(space / "pub").mkdir()
git(space, "mv", "secret/f", "pub/f")
git(space, "mv", "to/h", "secret/h")
with Desk(space, own=RULES) as desk:
    got = desk.call("git_status")
    ok("R  secret/f -> pub/f" in git(space, "status", "--porcelain").out and (got.result or {}).get("stdout") == "## main\nA  pub/f\nD  to/h\n" and got.result["hidden"] == 2, "of a move the end that may be shown", got)
    got = desk.call("git_diff", staged=True)
    ok("rename from secret/f" in git(space, "diff", "--cached").out and "secret" not in got.result["stdout"] and "-to be moved" in got.result["stdout"] and "new file" in got.result["stdout"], "in a patch, too", got)
for title, setup, code in [
        ("core.worktree", lambda s: config(("core.worktree", s / "secret"))(s), ""),
        ("packed-refs by a link", lambda s: (tree(s, {"secret/words": "hunter2\n"}), linked("packed-refs", s / "secret/words")(s)), "TOOL_FAILED"),
        ("settings by a link", lambda s: (tree(s, {"secret/words": "[hunter2\n"}), linked("config", s / "secret/words")(s)), "TOOL_FAILED"),
        ("attributes that are none", lambda s: (tree(s, {"secret/words": "* hunter2!\n"}), linked("info/attributes", s / "secret/words")(s)), ""),
        ("a hidden repository as .git", lambda s: (shutil.copytree(SECRET, s / "secret/r"), shutil.rmtree(s / ".git"), (s / ".git").symlink_to("secret/r/.git")), "DENIED"),
        ("a hidden repository named by .git", lambda s: (shutil.copytree(SECRET, s / "secret/r"), shutil.rmtree(s / ".git"), (s / ".git").write_text("gitdir: secret/r/.git\n")), "DENIED"),
        ("hidden objects", lambda s: (shutil.copytree(SECRET, s / "secret/r"), (s / ".git/objects/info/alternates").write_text("../../secret/r/.git/objects\n"),
                                      (s / ".git/refs/heads/theirs").write_text(git(SECRET, "rev-parse", "HEAD~1").out)), "DENIED")]:
    space = spoiled("hides", lambda s, setup=setup: (commit(s, {"secret/f": "hunter2\n"}), setup(s)))
    with Desk(space, own=RULES) as desk:
        got = [*looks(desk), desk.call("git_diff", ref="HEAD~1"), desk.call("git_diff", ref="theirs")]
        ok(not any(map(shows, got)) and got[0].code == code, f"{title}: what is hidden is not told on the side", got)
with Desk(spoiled("own", lambda s: None), env={"CRISOL_STATE_HOME": str(TOP / "own/state")}) as desk:
    got = desk.call("git_status")
    ok("?? state/" in git(TOP / "own", "status", "--porcelain").out and "state" not in got.result["stdout"] and got.result["hidden"] == 1, "crisol's own folders are never in it", got)

# ---- without git ----
plain = tree(TOP, {"nogit": ""}) / "nogit"
plain.chmod(0o644)
mounts = " && ".join(f"mount --bind {plain} {p}" for p in {os.path.realpath(p) for p in ["/usr/bin/git", "/usr/local/bin/git", "/bin/git"] if os.path.exists(p)})
hide = ["unshare", "-m"] if ROOT else ["unshare", "-rm"]
if run([*hide, "sh", "-c", mounts]).rc:
    skip("no mountns: git cannot be hidden")
else:
    for args, rc in [(["call", "git_status"], 1), (["call", "git_diff"], 1), (["doctor"], 1), (["doctor", "--json"], 1)]:
        r = run([*hide, "sh", "-c", f'{mounts} && exec "$@"', "sh", crisol, *args], cwd=TOP / "plain", env={"CRISOL_STATE_HOME": str(TOP / "state")})
        ok(r.rc == rc and all(w in r.out + r.err for w in ["git is not installed", "sudo apt install git"]), f"{' '.join(args)} without git", r)
r = run([crisol, "doctor", "--json"], env={"CRISOL_STATE_HOME": str(TOP / "state")})
ok(json.loads(r.out)["git"] == {"path": shutil.which("git"), "mend": ""}, "doctor says where it is", r)

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the gate should answer, worked out from what is promised and not from its code, for every
combination of tool, effect, flags, mode, surface, place, grants and rules; compared with what it
does answer.

usage: gate_oracle.py T_GATE_BATCH

The functions carry the ids of the promises they are made from (doc/gate.md). Paths are those of a
made-up machine; nothing is looked at.
"""
import fnmatch
import functools
import itertools
import json
import math
import multiprocessing
import random
import re
import subprocess
import sys

BATCH = sys.argv[1]

# ---- the made-up machine ----

PROTECTED = ["/home/u/.config/crisol", "/home/u/.local/state/crisol", "/run/user/7/crisol"]
ROOTS = {
    # A plain session, and one whose scratchpad and workspace are folders crisol made in its state home.
    0: [("workspace", 0, "/ws"), ("declared", 0, "/extra"), ("scratch", 0, "/tmp/crisol-7/ws/s/scratchpad")],
    1: [("workspace", 1, "/home/u/.local/state/crisol/worktrees/t"), ("declared", 0, "/extra"),
        ("scratch", 1, "/home/u/.local/state/crisol/scratch/s")],
    # The home folder as the workspace, and a protected folder that somebody declared.
    2: [("workspace", 0, "/home/u"), ("declared", 0, "/home/u/.config/crisol"),
        ("declared", 0, "/home/u/.config/crisol/skills"), ("declared", 0, "/ws/.git")],
    # Roots carved out that are, or hold, a protected folder: it stays protected.
    3: [("workspace", 1, "/run/user"), ("scratch", 1, "/home/u/.local/state/crisol")],
}
SURFACES = ["headless", "mcp", "terminal", "serve"]
FROM = ["direct", "js", "execute"]
AGENTS = ["build", "plan"]
MODES = ["custom", "ask", "auto", "full"]  # custom: none was picked
FLAGS = ["write", "process", "analysis", "external", "mcp", "agents"]
QUESTIONS = ["", "folder", "call", "effect", "analysis", "install"]
RANK = {"absent": 0, "deny": 0, "ask": 1, "allow": 2}


class Case:
    """A policy and a call."""

    __slots__ = ("roots", "rules", "surface", "origin", "agent", "mode", "flags", "switches", "once", "tool",
                 "server", "grants", "folders", "paths", "commands", "hosts", "extras",
                 "home", "name", "attended", "nested", "read_only")  # these follow from the others

    def __init__(self, **given):
        self.roots, self.rules, self.surface, self.origin, self.agent = 0, 0, "terminal", "direct", "build"
        self.mode, self.flags, self.switches, self.once = "custom", frozenset(), "", ""
        self.tool, self.server, self.grants, self.folders = "builtin:read_file", "", "", ()
        self.paths, self.commands, self.hosts, self.extras = (), (), (), ""
        for name, value in given.items():
            setattr(self, name, value)
        self.home, _, self.name = self.tool.partition(":")
        self.attended, self.nested = self.surface in ("terminal", "serve"), self.origin != "direct"
        self.read_only = "r" in self.switches

    def line(self):
        paths = ",".join(map(":".join, self.paths))
        commands = "|".join(f"{flags}:{','.join(words)}" for flags, words in self.commands)
        flags = ",".join(self.flags)
        return (f"case\t{self.roots}\t{self.rules}\t{self.surface}\t{self.origin}\t{self.agent}\t{self.mode}\t"
                f"{flags or '-'}\t{self.switches or '-'}\t{self.once or '-'}\t{self.tool}\t{self.server or '-'}\t"
                f"{self.grants or '-'}\t{','.join(self.folders) or '-'}\t{paths or '-'}\t{commands or '-'}\t"
                f"{','.join(self.hosts) or '-'}\t{self.extras or '-'}")


# ---- G1, T0: effects ----

T0 = {
    "read": "read_file list_files search_text git_status git_diff skill_* context_explain ask_user_question exit_plan"
            " data_inspect data_query artifact_list artifact_read forge_guide model_info",
    "write": "write_file edit_file artifact_export model_run",
    "process": "run_process shell bg_* execute plugin_install python_run",
    "external": "webfetch websearch mcp_* herdr_*",
    "internal": "memory_* task* send_message get_goal update_goal artifact_create dashboard_generate document_create"
                " js_run",
}
COVERS = {  # G3
    "write": "write_file edit_file artifact_export model_run",
    "process": "run_process shell bg_* execute plugin_install python_run",
    "analysis": "python_run",
    "external": "webfetch websearch",
    "mcp": "mcp_*",
    "agents": "herdr_*",
}
PUBLISH = "dashboard_generate artifact_create document_create".split()  # G3
NOT_FROM_SCRIPTS = ("js_run execute forge_guide exit_plan get_goal update_goal ask_user_question"
                    " plugin_install").split()  # J14
RUN_COMMANDS = "run_process shell bg_run".split()  # T4, T9
known_names = set()


def listed(name, names):
    return any(fnmatch.fnmatchcase(name, n) for n in names.split())


@functools.cache
def effect_of(home, name):
    if home == "view":
        return "internal"  # S7: model_run in view mode works on a disposable copy
    if home == "builtin" and name in known_names:
        for effect, names in T0.items():
            if listed(name, names):
                return effect
    return "external"


def g1_effect(c):
    return effect_of(c.home, c.name)


@functools.cache
def covering(home, name):
    if home == "plugin" or (home == "builtin" and name not in known_names):
        return {"external"}
    if home == "mcp":
        return {"mcp"}
    return {flag for flag, names in COVERS.items() if listed(name, names)}


def g3_covering(c):
    """The flags any of which permits the tool."""
    return covering(c.home, c.name)


def builtin(c, names):
    return c.home == "builtin" and c.name in names


def analysis(c):
    return builtin(c, ["python_run"])


# ---- J14, T8, T10, G3, G11, G4: what is offered ----

def absent_because(c, effect, listing):
    if c.home == "none":
        return "name"
    if "o" in c.switches:
        return "off"
    if c.nested and builtin(c, NOT_FROM_SCRIPTS):
        return "script"
    if builtin(c, ["exit_plan"]) and c.agent != "plan":
        return "agent"
    if builtin(c, ["get_goal", "update_goal"]) and c.agent == "plan":
        return "agent"
    harm = effect in ("write", "process", "external")
    if c.read_only and (harm or builtin(c, PUBLISH)):
        return "read_only"
    if c.agent == "plan" and harm:
        return "agent"
    if c.attended or not harm or g3_covering(c) & c.flags:
        return None
    if analysis(c) and not c.nested and c.surface == "headless" and "s" in c.switches and "A" in c.grants:
        return None  # G4: the grant kept with a root session that is resumed
    about = any(r["decision"] == "allow" and about_tool(r, c, effect) for r in RULES[c.rules])
    if about and (listing or rules_allow(c, effect)):
        return None
    return "rule" if about else "headless"


# ---- G12: rules ----

RULES = {0: []}  # per set: rules with their layer, project allows left out


@functools.cache
def glob_regex(pattern):
    """A pattern as a regex over a path whose names each end in a slash; None when it is refused."""
    if pattern.startswith("~/"):
        pattern = "/home/u/" + pattern[2:]
    folder = pattern.endswith("/")
    names = [n for n in pattern.split("/") if n not in ("", ".")] + (["**"] if folder else [])
    return "".join("(?:[^/]+/)*" if n == "**" else name_regex(n) + "/" for n in names)


def name_regex(name):
    out, i = "", 0
    while i < len(name):
        if name[i] == "*":
            out += "[^/]*"
        elif name[i] == "?":
            out += "[^/]"
        elif name[i] == "[":
            end = name.index("]", i + (3 if name[i + 1] in "!^" else 2))
            body = name[i + 1:end]
            turned = body[0] in "!^"
            body = re.sub(r"([\\\[\]^&~|])", r"\\\1", body[1:] if turned else body)
            out += f"[^/{body}]" if turned else f"[{body}]"
            i = end
        else:
            out += re.escape(name[i])
        i += 1
    return out


def below(path, folder):
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def workspace(c):
    return next(path for kind, _, path in ROOTS[c.roots] if kind == "workspace")


def path_matches(c, pattern, path, above):
    if pattern.startswith(("/", "~/")):
        text = path[1:]
    elif below(path, workspace(c)):
        text = path[len(workspace(c)) + 1:]
    else:
        return False
    names = text.split("/") if text else []
    regex = re.compile(glob_regex(pattern))
    tries = range(len(names) + 1) if above else [len(names)]
    return any(regex.fullmatch("".join(n + "/" for n in names[:k])) for k in tries)


def words_regex(words):
    signs = {"*": "[^\n]*\n", "**": "(?:[^\n]*\n)*"}
    return "".join(signs.get(w, re.escape(w) + "\n") for w in words)


@functools.cache
def command_matches(words, argv, refusing):
    """Tries what unknown words may be: none, or several of the rule's own or another."""
    def certain(known):
        tries = [known]
        if refusing and known and "/" in known[0]:
            tries.append((known[0].rpartition("/")[2],) + known[1:])
        return any(re.match(words_regex(words), "".join(w + "\n" for w in t)) for t in tries)
    if "?" not in argv:
        return "yes" if certain(argv) else "no"
    some = sorted({w for w in words if "*" not in w}) + ["other"]
    at, results = argv.index("?"), set()
    for fill in (f for n in range(len(words) + 1) for f in itertools.product(some, repeat=n)):
        results.add(command_matches(words, argv[:at] + fill + argv[at + 1:], refusing))
        if len(results) > 1 or "maybe" in results:
            return "maybe"
    return results.pop()


def command_refused(words, command):
    flags, argv = command
    match = command_matches(words, argv, True)
    if match == "no" and (set(flags) & set("wu") or ("s" in flags and "?" not in argv)):
        return "maybe"
    return match


def host_matches(pattern, host):
    return host.endswith(pattern[1:]) and host != pattern[1:] if pattern.startswith("*.") else host == pattern


def about_tool(r, c, effect):
    if "effect" in r and r["effect"] != effect:
        return False
    if "server" in r and not (c.server and fnmatch.fnmatchcase(c.server, r["server"])):
        return False
    names = [c.name] + ([c.name[6:]] if "server" in r and c.home == "mcp" else [])
    return "tool" not in r or any(fnmatch.fnmatchcase(n, r["tool"]) for n in names)


def parts(c):
    commands = c.commands
    if not commands and builtin(c, RUN_COMMANDS):
        commands = (("u", ()),)
    return itertools.product(commands or [None], c.paths or [None], c.hosts or [None])


def rule_on_part(r, c, part, refusing):
    command, path, host = part
    match = "yes"
    if "path" in r:
        names = [path[1]] + ([path[3]] if refusing and path[3] else []) if path else []
        if not any(path_matches(c, r["path"], n, refusing) for n in names):
            return "no"
    if "host" in r and not (host and host_matches(r["host"], host)):
        return "no"
    if "command" in r:
        if command is None:
            return "no"
        if refusing:
            match = command_refused(tuple(r["command"]), command)
        else:
            flags = set(command[0])
            certain = command_matches(tuple(r["command"]), command[1], False) == "yes"
            plain = not flags or (flags == {"s"} and "?" in command[1])
            match = "yes" if (plain and certain) or flags in ({"n"}, {"n", "s"}) else "no"
    return match


def remembered(judge):
    """Rules look at the call and at where the workspace is, not at the rest of the policy."""
    known = {}

    def look(c, effect):
        key = (c.roots, c.rules, c.tool, c.server, c.paths, c.commands, c.hosts)
        if key not in known:
            known[key] = judge(c, effect)
        return known[key]
    return look


@remembered
def rules_allow(c, effect):
    """Every part has a rule that allows it."""
    allows = [r for r in RULES[c.rules] if r["decision"] == "allow" and about_tool(r, c, effect)]
    if not allows:
        return False
    return all(any(rule_on_part(r, c, part, False) == "yes" for r in allows) for part in parts(c))


@remembered
def rules_refuse(c, effect):
    """{"deny", "ask", "unclear"}: what rules come to on any part."""
    found = set()
    for r in RULES[c.rules]:
        if r["decision"] == "allow" or not about_tool(r, c, effect):
            continue
        matches = {rule_on_part(r, c, part, True) for part in parts(c)}
        if "yes" in matches:
            found.add(r["decision"])
        elif "maybe" in matches:
            found.add("unclear")
    return found


# ---- protected places, links, G9: places ----

def deepest(path, folders):
    return max((len(f) for f in folders if below(path, f)), default=0)


def protected(c, path):
    carved = deepest(path, [p for _, carved, p in ROOTS[c.roots] if carved])
    return deepest(path, PROTECTED) and deepest(path, PROTECTED) >= carved


def guarded(c, path):
    for _, carved, root in ROOTS[c.roots]:
        if carved and below(path, root):
            path = path[len(root):]
    return bool(re.search(r"/\.(git|crisol)(/|$)", path, re.I))


def in_roots(c, path, kinds):
    return any(kind in kinds and below(path, root) for kind, _, root in ROOTS[c.roots])


def places(c):
    """Findings: ("deny", code, reason) or ("ask", question, reason)."""
    for letters, real, folder, given in c.paths:
        if protected(c, real):
            yield ("deny", "DENIED", "protected")
    for letters, real, folder, given in c.paths:
        if "w" in letters and "l" in letters:
            yield ("deny", "DENIED", "link")
        kinds = ("workspace", "scratch") if c.read_only else ("workspace", "scratch", "declared")
        if not in_roots(c, real, kinds):
            if c.read_only:
                yield ("deny", "OUTSIDE_ROOTS", "outside")
            elif "o" in letters and can_ask(c):
                pass
            elif c.attended and c.origin != "js" and any(below(real, f) for f in c.folders):
                pass  # G8: stored grants do not count from js_run
            elif not c.attended:
                yield ("deny", "OUTSIDE_ROOTS", "outside")
            else:
                yield ("ask", "folder", "outside")
        if "w" in letters and guarded(c, real) and not once(c, "c"):
            yield ("ask", "call", "guarded")


def can_ask(c):
    """G8: nested calls open no prompt. J10: unless the host keeps the question."""
    return "p" in c.switches or (c.attended and not c.nested)


def once(c, letter):
    return letter in c.once and can_ask(c)


# ---- G3, G4, G5: flags and modes ----

def g5_first_mode(flags):
    three = flags & {"write", "process", "external"}
    return {frozenset(): "ask", frozenset({"write"}): "auto",
            frozenset({"write", "process", "external"}): "full"}.get(frozenset(three), "custom")


def written(c):
    return [real for letters, real, _, _ in c.paths if "w" in letters]


def g5_policy(c, effect, listing):
    """"flag", "mode", "ceiling" (a mode would, but serve's flags do not) or None."""
    flags = g3_covering(c) & c.flags
    if flags & {"analysis", "mcp", "agents"}:
        return "flag"  # these stand beside the modes
    if not c.attended or c.mode == "custom":
        if flags:
            return "flag"
        return "mode" if c.attended and g5_first_mode(c.flags) == "full" else None
    allowed = {"ask": [], "auto": ["write"], "full": ["write", "process", "external"]}[c.mode]
    inside = listing or (written(c) and all(in_roots(c, p, ("workspace", "scratch")) for p in written(c)))
    if effect not in allowed or (c.mode == "auto" and not inside):
        return None
    return "mode" if g5_under_ceiling(c, effect) else "ceiling"


def g5_under_ceiling(c, effect):
    return c.surface != "serve" or effect in c.flags


# ---- G6, G7, G8: grants ----

def granted(c, effect):
    if c.origin == "js" or (c.nested and analysis(c)):
        return False
    if not c.attended:
        return analysis(c) and not c.nested and c.surface == "headless" and "s" in c.switches and "A" in c.grants
    return effect[0] in c.grants or (analysis(c) and "A" in c.grants)


def effects(c, effect, listing):
    """("allow", reason) or ("ask", question, reason)."""
    if effect in ("read", "internal"):
        return ("allow", "effect")
    question = "analysis" if analysis(c) else "effect"
    by = g5_policy(c, effect, listing)
    if c.origin == "execute" and analysis(c):
        if by in ("flag", "mode") and g3_covering(c) & c.flags:
            return ("allow", "flag")
        return ("allow", "once") if once(c, "c") else ("ask", question, "execute")
    if by in ("flag", "mode"):
        return ("allow", by)
    if effect == "write" and written(c) and all(in_roots(c, p, ("scratch",)) for p in written(c)):
        return ("allow", "scratch")  # K2
    if g5_under_ceiling(c, effect):
        offered = listing and not c.attended  # then absent_because has seen to it
        if rules_allow(c, effect) or (offered and not granted(c, effect)):
            return ("allow", "rule")
    if granted(c, effect):
        return ("allow", "grant")
    if once(c, "c"):
        return ("allow", "once")
    return ("ask", question, by if by == "ceiling" else "effect")


# ---- the order of the steps ----

def expected(c, listing=False):
    """(answer, code, reason, number of the question)"""
    effect = g1_effect(c)
    why = absent_because(c, effect, listing)
    if why:
        code = "READ_ONLY" if why == "read_only" and not c.nested else "TOOL_UNAVAILABLE"
        return ("absent", code, why, 0)
    questions = []
    for finding in places(c):
        if finding[0] == "deny":
            return finding + (0,)
        questions.append(finding[1:])
    by = effects(c, effect, listing)
    if by[0] == "ask":
        questions.append(by[1:])
    if c.extras and not listing and not once(c, "i"):
        questions.append(("install", "install"))
    refuse = rules_refuse(c, effect)
    if "deny" in refuse:
        return ("deny", "DENIED", "rule", 0)
    if not once(c, "c"):
        if "ask" in refuse:
            questions.append(("call", "rule"))
        elif "unclear" in refuse and not listing:
            questions.append(("call", "unclear"))
    if not questions:
        return ("allow", "", by[1], 0)
    question, reason = min(questions, key=lambda q: QUESTIONS.index(q[0]))
    return ("ask" if can_ask(c) else "deny", "APPROVAL_REQUIRED", reason, QUESTIONS.index(question))


OFFERS = {}


def expected_offer(c):
    """What a list of tools shows: the answer without an input."""
    key = (c.rules, c.surface, c.origin, c.agent, c.mode, c.flags, c.switches, c.once, c.tool, c.grants)
    if key not in OFFERS:
        kept = c.paths, c.commands, c.hosts
        c.paths = c.commands = c.hosts = ()
        OFFERS[key] = expected(c, listing=True)[0]
        c.paths, c.commands, c.hosts = kept
    return OFFERS[key]


# ---- the combinations ----

WS, TMP = "/ws", "/tmp/crisol-7/ws/s/scratchpad"
PLACES = {  # letters, real, folder, given
    "workspace": [("", "/ws/src/a.c", "/ws/src", "")],
    "workspace by a link": [("l", "/ws/src/a.c", "/ws/src", "/ws/link.c")],
    "the workspace": [("", "/ws", "/ws", "")],
    "declared": [("", "/extra/b", "/extra", "")],
    "scratchpad": [("", f"{TMP}/plan.js", TMP, "")],
    "scratchpad and workspace": [("", f"{TMP}/plan.js", TMP, ""), ("", "/ws/x", "/ws", "")],
    "outside": [("", "/etc/hosts", "/etc", "")],
    "outside by a link": [("l", "/etc/hosts", "/etc", "/ws/hosts")],
    "beside the workspace": [("", "/wsx/a", "/wsx", "")],
    "two outside": [("", "/etc/hosts", "/etc", ""), ("", "/srv/www/index", "/srv/www", "")],
    "outside and protected": [("", "/etc/hosts", "/etc", ""),
                              ("", "/home/u/.config/crisol/config.json", "/home/u/.config/crisol", "")],
    "config home": [("", "/home/u/.config/crisol", "/home/u/.config/crisol", "")],
    "state home": [("", "/home/u/.local/state/crisol/sessions.sqlite", "/home/u/.local/state/crisol", "")],
    "runtime folder": [("", "/run/user/7/crisol/core", "/run/user/7/crisol", "")],
    ".git": [("", "/ws/.git/config", "/ws/.git", "")],
    ".crisol": [("", "/ws/sub/.crisol/config.json", "/ws/sub/.crisol", "")],
    ".GIT": [("", "/extra/.GIT", "/extra", "")],
    "none": [],
}
CARVED = {
    "its workspace": [("", "/home/u/.local/state/crisol/worktrees/t/a", "/home/u/.local/state/crisol/worktrees/t", "")],
    "its .git": [("", "/home/u/.local/state/crisol/worktrees/t/.git", "/home/u/.local/state/crisol/worktrees/t", "")],
    "its scratchpad": [("", "/home/u/.local/state/crisol/scratch/s/a", "/home/u/.local/state/crisol/scratch/s", "")],
    "another's": [("", "/home/u/.local/state/crisol/worktrees/tt/a", "/home/u/.local/state/crisol/worktrees/tt", "")],
}
HOME = {
    "home": [("", "/home/u/notes", "/home/u", "")],
    "config home, declared": [("", "/home/u/.config/crisol/a", "/home/u/.config/crisol", "")],
    "below it, declared": [("", "/home/u/.config/crisol/skills/a", "/home/u/.config/crisol/skills", "")],
    ".git, declared": [("", "/ws/.git/hooks/pre-commit", "/ws/.git/hooks", "")],
}
AROUND = {
    "the state home": [("", "/home/u/.local/state/crisol", "/home/u/.local/state", "")],
    "below it": [("", "/home/u/.local/state/crisol/a", "/home/u/.local/state/crisol", "")],
    "the runtime folder": [("", "/run/user/7/crisol/core", "/run/user/7/crisol", "")],
    "beside it": [("", "/run/user/7/a", "/run/user/7", "")],
}
CLASSES = {  # a tool of each kind
    "builtin:read_file": "", "builtin:write_file": "write", "builtin:shell": "process",
    "builtin:python_run": "process", "builtin:webfetch": "external", "plugin:p_1_do": "external",
    "mcp:mcp_s_do": "mcp", "builtin:herdr_read": "agents", "builtin:memory_save": "",
    "builtin:artifact_create": "", "builtin:plugin_install": "process", "builtin:exit_plan": "",
    "builtin:get_goal": "", "builtin:made_up": "external", "none:nothing": "", "view:model_run": "",
    "builtin:model_run": "write",
}
EVERY_FLAGS = [frozenset(f for i, f in enumerate(FLAGS) if bits >> i & 1) for bits in range(64)]
SWITCHES = ["", "r"]
SERVER = {"mcp:mcp_s_do": "s"}
BASE = {"surface": SURFACES, "origin": FROM, "agent": AGENTS, "switches": SWITCHES, "mode": MODES}


def wanted(paths, letters):
    """The same paths, written to, allowed once."""
    return tuple((p[0] + letters,) + p[1:] for p in paths)


def slice_names():
    few = [frozenset()] + [frozenset({f}) for f in FLAGS] + [frozenset(FLAGS)]
    return {"tool": [f"builtin:{n}" for n in sorted(known_names)], "flags": few, **BASE}


def slice_flags():
    return {"tool": list(CLASSES), "flags": EVERY_FLAGS, **BASE}


def slice_places(roots, situations):
    tools = ["builtin:read_file", "builtin:write_file", "builtin:shell", "builtin:python_run"]
    people = [("", (), "", ""), ("", ("/etc",), "", ""), ("wp", (), "", ""), ("wp", ("/etc", "/srv"), "", ""),
              ("", (), "o", ""), ("", (), "", "c"), ("A", (), "o", "c")]
    return {"tool": tools, "flags": [frozenset(), "own", frozenset(FLAGS)],
            "paths": [tuple(p) for p in situations.values()], "people": people, "roots": [roots], **BASE}


def slice_grants():
    tools = ["builtin:write_file", "builtin:shell", "builtin:python_run", "builtin:webfetch", "plugin:p_1_do",
             "mcp:mcp_s_do", "builtin:herdr_read"]
    return {"tool": tools, "flags": [frozenset(), "own"], "grants": ["", "w", "p", "e", "A", "wpeA"],
            "once": ["", "c", "i", "ci"], "extras": ["", "science"],
            "switches": ["", "s", "p", "r", "sp"], "surface": SURFACES, "origin": FROM, "agent": ["build"],
            "mode": ["custom", "ask", "full"]}


RULE_SETS = [  # lists of (layer, rule)
    [("user", {"decision": "allow", "tool": "shell"})],
    [("user", {"decision": "allow", "tool": "shell", "command": ["git", "log", "**"]})],
    [("user", {"decision": "allow", "tool": "shell", "command": ["git", "log"]}),
     ("user", {"decision": "allow", "tool": "shell", "command": ["head"]})],
    [("user", {"decision": "allow", "effect": "process"}), ("user", {"decision": "deny", "command": ["rm"]})],
    [("user", {"decision": "deny", "command": ["git", "push", "**", "--force"]})],
    [("user", {"decision": "ask", "command": ["git", "*"]}), ("user", {"decision": "allow", "command": ["git"]})],
    [("user", {"decision": "deny", "tool": "*_file"})],
    [("user", {"decision": "ask", "effect": "read", "path": "secret/**"})],
    [("user", {"decision": "allow", "effect": "write", "path": "docs/**"})],
    [("user", {"decision": "allow", "effect": "write", "path": "docs/**"}),
     ("project", {"decision": "deny", "path": "docs/final"})],
    [("user", {"decision": "allow", "effect": "write", "path": "docs"}),
     ("user", {"decision": "ask", "effect": "write", "path": "src"})],
    [("user", {"decision": "allow", "path": "/etc/**"})],
    [("user", {"decision": "deny", "path": "~/.ssh/"}), ("user", {"decision": "deny", "path": "secret"})],
    [("project", {"decision": "allow", "tool": "*"}), ("project", {"decision": "ask", "tool": "write_file"})],
    [("user", {"decision": "allow", "tool": "webfetch", "host": "docs.rs"})],
    [("user", {"decision": "allow", "host": "*.docs.rs"}), ("user", {"decision": "deny", "host": "evil.docs.rs"})],
    [("user", {"decision": "allow", "server": "s"}), ("user", {"decision": "deny", "server": "s", "tool": "drop_*"})],
    [("user", {"decision": "deny", "effect": "external"})],
    [("user", {"decision": "allow", "tool": "python_run"})],
    [("user", {"decision": "allow", "effect": "write", "path": ".git/**"})],
    [("user", {"decision": "allow", "tool": "*"}), ("project", {"decision": "ask", "tool": "*"})],
    [("user", {"decision": "deny", "tool": "*"}), ("user", {"decision": "allow", "tool": "*"})],
    [("user", {"decision": "deny", "tool": "js_run"}), ("user", {"decision": "allow", "tool": "plugin_install"})],
    [("user", {"decision": "ask", "tool": "*", "path": "**/*.[ch]"})],
]


def rule_calls():
    def path(letters, real, given=""):
        return ((letters, real, real.rpartition("/")[0] or "/", given),)
    shell = "builtin:shell"
    return [
        (shell, (("", ("git", "log", "-p")),), path("", "/ws/x"), ()),
        (shell, (("", ("git", "log")), ("", ("head",))), (), ()),
        (shell, (("", ("git", "log")), ("r", ("head",))), (), ()),
        (shell, (("", ("ls",)), ("", ("rm", "-rf", "/"))), (), ()),
        (shell, (("", ("/bin/rm", "x")),), (), ()),
        (shell, (("s", ("echo", "?")),), (), ()),
        (shell, (("s", ("?", "x")),), (), ()),
        (shell, (("s", ("git", "push", "?", "--force")),), (), ()),
        (shell, (("s", ("git", "?")),), (), ()),
        (shell, (("a", ("git", "log")),), (), ()),
        (shell, (("w", ("xargs",)),), (), ()),
        (shell, (("u", ()),), (), ()),
        (shell, (), (), ()),
        ("builtin:bg_list", (), (), ()),
        ("builtin:read_file", (), path("", "/ws/secret/key"), ()),
        ("builtin:read_file", (), path("", "/ws/a.c"), ()),
        ("builtin:read_file", (), path("l", "/ws/open", "/ws/secret/open"), ()),
        ("builtin:read_file", (), path("", "/home/u/.ssh/id"), ()),
        ("builtin:read_file", (), path("", "/etc/hosts"), ()),
        ("builtin:write_file", (), path("w", "/ws/docs/a/b.md"), ()),
        ("builtin:write_file", (), path("w", "/ws/docs/final"), ()),
        ("builtin:write_file", (), path("w", "/ws/docs/a") + path("w", "/ws/src/a"), ()),
        ("builtin:write_file", (), path("w", "/ws/.git/config"), ()),
        ("builtin:write_file", (), path("w", f"{TMP}/a"), ()),
        ("builtin:write_file", (), path("w", "/etc/hosts"), ()),
        ("builtin:webfetch", (), (), ("docs.rs",)),
        ("builtin:webfetch", (), (), ("a.docs.rs",)),
        ("builtin:webfetch", (), (), ("evil.docs.rs",)),
        ("builtin:websearch", (), (), ()),
        ("mcp:mcp_s_do", (), (), ()),
        ("mcp:mcp_s_drop_table", (), (), ()),
        ("plugin:p_1_do", (), (), ()),
        ("builtin:python_run", (), path("", "/ws/data.csv"), ()),
        ("builtin:plugin_install", (), (), ()),
        ("builtin:memory_save", (), (), ()),
        ("builtin:js_run", (), (), ()),
    ]


def slice_rules():
    return {"call": rule_calls(), "rules": [0] + [n for n in RULES if n], "flags": [frozenset(), "own"],
            "people": [("", (), "", ""), ("wpeA", ("/etc", "/home/u"), "", ""), ("", (), "o", "c")],
            "surface": SURFACES, "origin": FROM, "switches": ["", "r"], "mode": ["custom", "full"],
            "agent": ["build"]}


def make(names, values):
    """A case from the values of a slice's dimensions, some of which set several fields."""
    given = dict(zip(names, values))
    if "call" in given:
        given["tool"], given["commands"], given["paths"], given["hosts"] = given.pop("call")
    letters = ""
    if "people" in given:
        given["grants"], given["folders"], letters, given["once"] = given.pop("people")
    if given["flags"] == "own":
        home, _, name = given["tool"].partition(":")
        given["flags"] = frozenset(covering(home, name) - {"analysis"})
    given["server"] = "s" if given["tool"].startswith("mcp:") else ""
    if "paths" in given:
        if "rules" not in given and given["tool"] == "builtin:write_file":
            letters += "w"
        given["paths"] = wanted(given["paths"], letters)
    return Case(**given)


def random_cases(seed, count):
    pick = random.Random(seed)
    calls = rule_calls()
    some_paths = [p for table in (PLACES, CARVED, HOME, AROUND) for p in table.values()]
    for _ in range(count):
        tool, commands, paths, hosts = pick.choice(calls)
        if pick.random() < 0.5:
            paths = tuple((pick.choice(["", "w", "o", "wo", "l", "wl"]),) + p[1:] for p in pick.choice(some_paths))
        if pick.random() < 0.3:
            tool = pick.choice(list(CLASSES))
        yield Case(
            roots=pick.choice([0, 0, 1, 2, 3]), rules=pick.choice(list(RULES)), surface=pick.choice(SURFACES),
            origin=pick.choice(FROM), agent=pick.choice(["build", "build", "plan"]), mode=pick.choice(MODES),
            flags=pick.choice(EVERY_FLAGS), switches="".join(s for s in "rspo" if pick.random() < 0.15),
            once="".join(s for s in "ci" if pick.random() < 0.3), tool=tool,
            server="s" if tool.startswith("mcp:") else "",
            grants="".join(g for g in "wpeA" if pick.random() < 0.3),
            folders=tuple(f for f in ["/etc", "/home/u", "/srv"] if pick.random() < 0.3), paths=paths,
            commands=commands if "shell" in tool else (), hosts=hosts,
            extras=pick.choice(["", "", "science"]))


# ---- asking the gate ----

def preamble(rules):
    lines = [f"protected\t{p}" for p in PROTECTED]
    lines += [f"root\t{n}\t{kind}\t{carved}\t{path}" for n, roots in ROOTS.items() for kind, carved, path in roots]
    lines += [f"rules\t{n}\t{layer}\t{json.dumps([rule])}" for n, layer, rule in rules]
    return lines


def ask_gate(lines, rules):
    job = subprocess.run([BATCH], input="\n".join(preamble(rules) + lines) + "\n", capture_output=True, text=True,
                         check=False)
    out = job.stdout.splitlines()
    if job.returncode or len(out) != len(lines) + len(rules):
        raise RuntimeError(f"the gate's program ended with {job.returncode} after {len(out)} lines: {job.stderr[-500:]}")
    return out[len(rules):]


def compare(cases, rules):
    """The gate's answers, and the first differences."""
    answers, wrong, count = [], [], 0
    for start in range(0, len(cases), 50000):
        chunk = cases[start:start + 50000]
        for case, got in zip(chunk, ask_gate([c.line() for c in chunk], rules)):
            *verdict, offer = got.split(" ")
            want = expected(case)
            want = [want[0], want[1], want[2], str(want[3]), expected_offer(case)]
            answers.append(RANK[verdict[0]])
            if want != verdict + [offer]:
                count += 1
                if len(wrong) < 5:
                    wrong.append(f"{case.line()}\n  want {' '.join(want)}\n  got  {got}")
    return answers, wrong, count


# ---- properties of the answers themselves ----

def neighbours(dims, dim, pairs):
    """Index pairs of cases that differ in one dimension alone, from its value a to its value b."""
    names = list(dims)
    sizes = [len(dims[n]) for n in names]
    at = names.index(dim)
    step = 1
    for size in sizes[at + 1:]:
        step *= size
    for a, b in pairs:
        for high in range(0, math.prod(sizes), step * sizes[at]):
            for low in range(step):
                yield high + a * step + low, high + b * step + low


def never_wider(answers, dims, dim, pairs):
    """How often b is wider than a."""
    return sum(answers[b] > answers[a] for a, b in neighbours(dims, dim, pairs))


def properties(name, dims, answers, cases):
    out = []

    def claim(what, bad):
        out.append((f"{name}: {what}", bad))
    harm = {"write", "process", "external"}
    if "r" in "".join(dims["switches"]):
        claim("read-only permits nothing that writes, runs or goes out",
              sum(a > 0 for a, c in zip(answers, cases) if c.read_only and g1_effect(c) in harm and c.home != "none"))
        claim("read-only is never wider", never_wider(answers, dims, "switches", [(0, dims["switches"].index("r"))]))
    claim("plan permits nothing that writes, runs or goes out",
          sum(a > 0 for a, c in zip(answers, cases) if c.agent == "plan" and g1_effect(c) in harm))
    claim("from a script it is never wider than a direct call", never_wider(answers, dims, "origin", [(0, 1), (0, 2)]))
    claim("the headless are never asked", sum(a == 1 for a, c in zip(answers, cases)
                                              if not c.attended and "p" not in c.switches))
    if dims["flags"] is not None and len(dims["flags"]) == 64:
        claim("a flag takes nothing away", never_wider(answers, dims, "flags", [
            (more, less) for less in range(64) for more in range(64) if less & more == less and less != more]))
    if "people" in dims:
        claim("what people allowed takes nothing away",
              never_wider(answers, dims, "people", [(n, 0) for n in range(1, len(dims["people"]))]))
        stored = [n for n, p in enumerate(dims["people"]) if not p[2] and not p[3]]
        claim("no stored grant counts from js_run", sum(
            answers[a] != answers[b] for a, b in neighbours(dims, "people", [(0, n) for n in stored])
            if cases[a].origin == "js"))
    if "rules" in dims and len(dims["rules"]) > 1:
        claim("each rule that denies or asks only narrows", rule_property(dims, answers, cases))
    return out


def rule_property(dims, answers, cases):
    """Compares each set with what is left of it without one of its rules, where that is a set, too."""
    texts = {n: sorted(json.dumps(r, sort_keys=True) for r in RULES[n]) for n in dims["rules"]}
    bad = 0
    for n in dims["rules"]:
        for m in dims["rules"]:
            extra = [r for r in RULES[n] if json.dumps(r, sort_keys=True) not in texts[m]]
            if len(texts[m]) + 1 != len(texts[n]) or len(extra) != 1 or not set(texts[m]) <= set(texts[n]):
                continue
            pair = [(dims["rules"].index(m), dims["rules"].index(n))]
            if extra[0]["decision"] == "allow":
                bad += never_wider(answers, dims, "rules", [pair[0][::-1]])
            else:
                bad += never_wider(answers, dims, "rules", pair)
    return bad


def set_up_rules():
    """Every set, and every set without one of its rules."""
    sets, lines = [[]], []
    for rules in RULE_SETS:
        sets.append(rules)
        sets += [rules[:i] + rules[i + 1:] for i in range(len(rules)) if len(rules) > 1]
    unique = []
    for rules in sets:
        if rules not in unique:
            unique.append(rules)
    for n, rules in enumerate(unique):
        RULES[n] = [rule for layer, rule in rules if layer == "user" or rule["decision"] != "allow"]
        lines += [(n, layer, rule) for layer, rule in rules]
    return lines


# ---- one job a slice ----

def run_slice(job):
    name, dims, rules = job
    if name.startswith("random"):
        cases = list(random_cases(name, dims))
        answers, wrong, count = compare(cases, rules)
        return name, len(cases), wrong, count, []
    cases = [make(list(dims), values) for values in itertools.product(*dims.values())]
    answers, wrong, count = compare(cases, rules)
    return name, len(cases), wrong, count, properties(name, dims, answers, cases)


def run_globs(job):
    """Random patterns from a small alphabet against random paths."""
    name, count, rules = job
    pick = random.Random(name)
    names = ["a", "b", "ab", "A", ".a", "*", "**", "?", "a*", "*b", "[ab]", "[!a]", "[a-c]b", "[]a]", "*.*", "é", "[^é]", "."]
    lines, want = [], []
    for _ in range(count):
        pattern = pick.choice(["", "", "/", "~/"]) + "/".join(pick.choices(names, k=pick.randint(1, 5)))
        pattern += pick.choice(["", "", "", "/"])
        path = "/".join(pick.choices(["a", "b", "ab", "A", ".a", "cb", "é", "aab", "]"], k=pick.randint(1, 5)))
        if pattern.startswith(("/", "~")):
            path = pick.choice(["/", "/", "/home/u/"]) + path
        lines.append(f"glob\t{pattern}\t{path}")
        names_of = path.strip("/").split("/")
        regex = re.compile(glob_regex(pattern))
        hits = [bool(regex.fullmatch("".join(n + "/" for n in names_of[:k]))) for k in range(len(names_of) + 1)]
        same = pattern.startswith(("/", "~")) == path.startswith("/")
        want.append(f"{'yes' if same and hits[-1] else 'no'} {'yes' if same and any(hits) else 'no'}")
    got = ask_gate(lines, rules)
    wrong = [f"{line}\n  want {w}\n  got  {g}" for line, w, g in zip(lines, want, got) if w != g]
    return name, count, wrong[:5], len(wrong), []


def run_commands(job):
    """Random rules on commands against random commands."""
    name, count, rules = job
    pick = random.Random(name)
    sets = []
    for n in range(1, 60):
        rule = {"decision": pick.choice(["allow", "deny", "ask"]),
                "command": [pick.choice(["a", "b", "*", "**", "/x/a"]) for _ in range(pick.randint(1, 3))]}
        RULES[n] = [rule]
        sets.append((n, "user", rule))
    for n in list(RULES):
        if n >= 60:
            del RULES[n]
    cases = []
    for _ in range(count):
        number = pick.randrange(1, 60)
        # Where an unknown word meets "*" the gate asks, although every reading of it may be refused.
        words = ["a", "b", "/x/a", "/y/a", "c"] + ([] if "*" in RULES[number][0]["command"] else ["?"])
        commands = tuple(
            (pick.choice(["", "", "", "r", "a", "s", "s", "w", "u", "n", "ns", "nw"]),
             tuple(pick.choice(words) for _ in range(pick.randint(0, 4))))
            for _ in range(pick.randint(1, 3)))
        cases.append(Case(tool="builtin:shell", rules=number, commands=commands,
                          surface=pick.choice(["terminal", "headless"]), mode=pick.choice(["custom", "full"])))
    answers, wrong, bad = compare(cases, sets)
    return name, count, wrong, bad, []


def main():
    rules = set_up_rules()
    known_names.update(subprocess.run([BATCH], input="names\n", capture_output=True, text=True,
                                      check=True).stdout.split())
    jobs = [(run_slice, ("names", slice_names(), rules)), (run_slice, ("flags", slice_flags(), rules)),
            (run_slice, ("places", slice_places(0, PLACES), rules)),
            (run_slice, ("carved places", slice_places(1, CARVED), rules)),
            (run_slice, ("home as workspace", slice_places(2, HOME), rules)),
            (run_slice, ("around protected", slice_places(3, AROUND), rules)),
            (run_slice, ("grants", slice_grants(), rules)), (run_slice, ("rules", slice_rules(), rules)),
            (run_slice, ("random 1", 60000, rules)), (run_slice, ("random 2", 60000, rules)),
            (run_globs, ("globs", 60000, [])), (run_commands, ("commands", 40000, []))]
    total, n = 0, 0
    # A process a job: some change RULES.
    with multiprocessing.Pool(maxtasksperchild=1) as pool:
        for result in [pool.apply_async(job, (argument,)) for job, argument in jobs]:
            name, count, wrong, bad, claims = result.get()
            total += count
            n += 1
            print(f"{'not ok' if bad else 'ok'} {n} - {name}: {count} combinations, {bad} differ")
            for text in wrong:
                print("\n".join("# " + line for line in text.splitlines()))
            for claim, times in claims:
                n += 1
                print(f"{'not ok' if times else 'ok'} {n} - {claim}" + (f"\n# {times} times not" if times else ""))
    missing = [name for names in T0.values() for name in names.split() if not fnmatch.filter(known_names, name)]
    n += 1
    print(f"{'not ok' if missing else 'ok'} {n} - every tool promised has its row\n# {total} combinations in all")
    print(f"1..{n}")


if __name__ == "__main__":
    main()

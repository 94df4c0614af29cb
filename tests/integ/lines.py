# SPDX-License-Identifier: MIT
"""Command lines: what they come to (t_gate_parts), and a generator of more."""
import json
import os
import pathlib
import subprocess

from tap import crisol

PARTS = pathlib.Path(crisol).resolve().parents[2] / "tests/unit/t_gate_parts"
WORDS = ["x", "-f", "a.c", "1", "'q r'", '"d e"', "y\\ z", "''", '""', "a=b", "{}", "[x", "#y", "x#y", "!", "%", "--", "^", "in", "do", "a'b'\"c\"", "}",
         "\\\nz", "@", "+x", "if", "é"]
OPEN = ["$V", "${V}", "${V:-x}", "\"$V\"", "*", "*.c", "~", "{a,b}", "$1", "$@", "\"$@\"", "${#V}", "$((1+2))", "${V#x}", "?", "[ab]", "$?", "${V:+y}", "{1..2}",
         "$'x'", "$'a\\tb'", '$"x"', "x$V", "${V%\"x y\"}", "${V-'q r'}"]
NAMES = ["ga", "gb", "gc", "rm", "git", "noa", "nob"]


def judge(lines, rules=None, arrays=()):
    """Verdict and parts (words, flags, redirections) of each line, then of each array."""
    def data(s):
        return s if isinstance(s, bytes) else s.encode("utf-8", "surrogateescape")
    records = [b"L" + data(s) for s in lines] + [b"A" + b"".join(data(w) + b"\x1f" for w in a) for a in arrays]
    r = subprocess.run([PARTS] + ([json.dumps(rules)] if rules else []), input=b"".join(s + b"\0" for s in records),
                       stdout=subprocess.PIPE, check=True)
    said = [json.loads(s) for s in r.stdout.splitlines()]
    assert len(said) == len(records), (len(said), len(records))

    def text(s):
        return s if s is None else s.encode("latin-1").decode("utf-8", "surrogateescape")
    return [(verdict, [([text(w) for w in words], flags, [(text(t), w) for t, w in to]) for words, flags, to in parts])
            for verdict, parts in said]


def sure(part):
    """Nothing of it is hidden."""
    words, flags, _ = part
    return not set(flags) & set("wu") and not (words and words[0] is None) and not ("s" in flags and None not in words)


class Lines:
    """Random lines of the shell's grammar; bash adds what dash does not have."""

    def __init__(self, pick, bash=True, wrap=True):
        self.pick, self.bash, self.wrap = pick, bash, wrap

    def word(self, depth):
        n = self.pick.random()
        if n < .6 or depth <= 0:
            return self.pick.choice(WORDS)
        if n < .8:
            return self.pick.choice(OPEN)
        inner = self.lines(depth - 2)
        form = self.pick.choice(["$(%s)", '"$(%s)"', "`%s`", "x$(%s)y", '"`%s`"', "${V:-$(%s)}", '"${V:-$(%s)}"', "$(%s\n)", "\"a $(%s) b\"", "$((1+$(%s)))"]
                                + (["<(%s)", ">(%s)"] if self.bash else []))
        if "`" in form:
            inner = inner.replace("\\", "\\\\").replace("`", "\\`").replace("$", "\\$") if self.pick.random() < .7 else self.pick.choice(NAMES)
        return form.replace("%s", inner)

    def redirect(self, depth):
        to = self.pick.choice(["/dev/null", "out", "'o u t'", "$V", "out2"])
        return self.pick.choice([f">{to}", f"2>{to}", "2>&1", ">&2", f"< {to}", f">>{to}", "<&-", f">|{to}", "</dev/null", f"<>{to}", f"3>{to}"]
                                + ([f"&>{to}", f">&{to}", f"<<<{self.word(depth - 1)}", f"&>>{to}"] if self.bash else []))

    def here(self, depth):
        body = self.pick.choice(["x $(ga y) z", "`gb`", "\\$(rm x)", "$V", "'", '"', "a \\\\ b", "${V:-$(gc)}", ")", "$((1+1))", "EOFF", "", "#$(ga)"])
        sign, end = self.pick.choice([("<<EOF", "EOF"), ("<<'EOF'", "EOF"), ("<<-EOF", "\tEOF"), ('<<"E F"', "E F"), ("<<\\EOF", "EOF")])
        return f"{self.pick.choice(NAMES)} {sign}{self.pick.choice(['', ' | gb', ' x', ' && ga'])}\n{body}\n{end}\n{self.pick.choice(NAMES)}"

    def simple(self, depth):
        words = [self.word(depth) for _ in range(self.pick.choice([0, 0, 1, 1, 2, 3]))]
        name = self.pick.choice(NAMES)
        if self.pick.random() < .06:
            name = self.pick.choice(["$(ga)", "$V", "'ga'", "g\\a", '"rm"', "r''m", "$(echo rm)", "\\rm", "./x", "`ga`", "${V:-rm}", "r\\\nm"])
        if self.pick.random() < .1:
            words.insert(self.pick.randint(0, len(words)), self.redirect(depth))
        if self.pick.random() < .04:
            name = f"{self.redirect(depth)} {name}"
        if self.pick.random() < .06:
            name = f"{self.pick.choice(['A=1', 'A=', 'A=$(gb)', 'B=x A=y', 'A+=x', 'V=rm', 'A=~', 'IFS=x'])} {name}"
        return " ".join([name] + words)

    def quoted(self, line):
        return "'" + line.replace("'", "'\\''") + "'"

    def wrapped(self, depth):
        inner = self.lines(depth - 2)
        one = self.simple(0)
        return self.pick.choice([
            lambda: f"sh -c {self.quoted(inner)}", lambda: f"bash -c {self.quoted(inner)} x y", lambda: f"eval {self.quoted(inner)}", lambda: f"env A=1 {one}",
            lambda: f"env {one}", lambda: f"nice {one}", lambda: f"echo x | xargs {one}", lambda: f"timeout 5 {one}", lambda: f"command {one}", lambda: f"exec {one}",
            lambda: f"find . -maxdepth 0 -exec {self.pick.choice(NAMES)} {{}} \\;", lambda: f"find . -maxdepth 0 -exec sh -c {self.quoted(inner)} \\;",
            lambda: f"echo x | xargs -I{{}} {self.pick.choice(NAMES)} {{}} y", lambda: f"dash -ec {self.quoted(inner)}", lambda: f"trap {self.quoted(inner)} EXIT",
            lambda: f"nohup {one}", lambda: f"echo {self.quoted(inner)} | sh", lambda: f"env -i sh -c {self.quoted(inner)}", lambda: f"V={self.quoted(inner)}; eval \"$V\"",
            lambda: f"f() {{ {inner}\n}}; f x", lambda: "f() { \"$@\"; }; f rm y", lambda: f"alias ga=rm\n{one}", lambda: f"sh <<'EOF'\n{inner}\nEOF\n",
            lambda: f"env -S '{self.pick.choice(NAMES)} x' y", lambda: f"eval {one}", lambda: f"V=rm; $V x", lambda: f"rm() {{ ga; }}; {one}",
            lambda: "exec 3>/dev/null", lambda: f"stdbuf -o0 {one}", lambda: f"cd . && {one}", lambda: f"[ -f x ] && {one}", lambda: "set -- rm x; \"$@\"",
            lambda: f"printf '%s' x; {one}", lambda: f"read V <<EOF\nrm\nEOF\n$V y", lambda: f"command -v ga; {one}", lambda: f"test -n \"$({inner}\n)\"",
            lambda: f"builtin eval {self.quoted(inner)}", lambda: f"command eval {self.quoted(inner)}", lambda: f"nice -n 1 sh -c {self.quoted(inner)}",
        ])()

    def command(self, depth):
        n = self.pick.random()
        if n < .55 or depth <= 0:
            return self.simple(depth)
        if n < .7 and self.wrap:
            return self.wrapped(depth)
        a, b, c = (self.lines(depth - 1) for _ in range(3))
        name = self.pick.choice(NAMES)
        forms = [f"( {a} )", f"{{ {a}\n}}", f"if {a}\nthen {b}\nfi", f"if {a}; then {name}; else {c}\nfi", f"while nob\ndo {b}\ndone", f"until ga; do {b}\ndone",
                 f"for V in {self.word(depth - 1)} {self.word(depth - 1)}; do {b}\ndone", f"case {self.word(depth - 1)} in x) {a}\n;; (*|y) {b}\n;; esac", f"! {name} x",
                 f"case x in {self.word(0)}) {name} ;; *) {a}\nesac", self.here(depth), f"( {a}\n) >out 2>&1", f"{{ {name}; }} >/dev/null", f"for V; do {name}\ndone",
                 f"if {name}; then :; elif {b}\nthen {name} x; fi", f"({name};{name})", f"{name} # {a}".split("\n")[0]]
        if self.bash:
            forms += [f"[[ -n x ]] && {name}", f"((1)) && {name}", f"function f {{ {a}\n}}", f"time {name}", f"for ((i=0;i<2;i++)); do {name}\ndone", f"coproc {name}",
                      f"[[ $(ga) == x || {name} < y ]]", f"select V in x; do {name}; done </dev/null", f"case x in x) {name} ;& y) {name} ;;& esac", f"{name} |& gb"]
        return self.pick.choice(forms)

    def lines(self, depth):
        text = self.command(depth)
        for _ in range(self.pick.choice([0, 0, 0, 1, 1, 2]) if depth > 0 else 0):
            sign = self.pick.choice([" && ", " || ", "; ", " | ", "\n", " & ", "&&", "|", ";", "\n\n", " &&\n", " |\n", "\n# x'\n"])
            text += ("\n" if "<<" in text.rpartition("\n")[2] else sign) + self.command(depth - 1)
        return text

    def mutated(self, line):
        signs = "'\"`$(){}[]|&;<>\\\n \t#!*?~=,ax1-+:@%^E"
        for _ in range(self.pick.randint(1, 3)):
            at = self.pick.randint(0, len(line))
            how = self.pick.random()
            if how < .4:
                line = line[:at] + self.pick.choice(signs) + line[at:]
            elif how < .7:
                line = line[:at] + line[at + 1:]
            elif how < .85:
                end = min(len(line), at + self.pick.randint(1, 8))
                line = line[:at] + line[at:end] * 2 + line[end:]
            else:
                line = line[:at] + self.pick.choice(["$(", "`", "<<E\n", "\\\n", "$((", "))", "${", "&>", "<(", "esac", "fi", "done", ";;", "$'", "{ ", "}\n"]) + line[at:]
        return line

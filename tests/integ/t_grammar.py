#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A maintained grammar of bash finds the same simple commands in a line, over everyday and random ones. Row G12."""
import collections
import json
import os
import pathlib
import random
import re
import subprocess

from lines import Lines, judge
from tap import ok, skip
from wire import ROOT

MODULES = ROOT / "build/deps/grammar/node_modules"
COUNT, SEED = int(os.environ.get("LINES", "4000")), int(os.environ.get("LINES_SEED", "1"))


def theirs(lines):
    r = subprocess.run(["node", ROOT / "tests/grammar/commands.cjs", MODULES], input="".join(json.dumps(s) + "\n" for s in lines), stdout=subprocess.PIPE,
                       text=True, check=True)
    return [json.loads(s) for s in r.stdout.splitlines()]


def compare(title, lines, least):
    """Both must have understood the line: neither an error there, nor a part that is unclear here."""
    compared = 0
    differ = []
    # It ends a name at a continued line, loses a command behind an assignment and a redirection and the
    # expansion with which a here-document begins, and knows neither escapes
    # inside backquotes nor where the second of two begins.
    lines = [s.replace("\\\n", "") for s in lines if not re.search(r"[A-Z]\+?=[^\n]*? \d?[<>&]|<<[^\n]*\n(`|\$\(\()|`[^`]*\\[^\n]|`(.|\n)*`(.|\n)*`", s)]
    for line, (error, found), (_, parts) in zip(lines, theirs(lines), judge(lines)):
        if error or any("u" in flags for _, flags, _ in parts):
            continue
        compared += 1
        want = collections.Counter(n for n in found if n is not None)
        # What wrappers run is in quotes to a grammar; time is a reserved word to it.
        got = collections.Counter(w[0] for w, _, _ in parts if w and w[0] is not None and w[0] != "time")
        if want - got or (got - want and title != "everyday"):
            differ.append(f"{line!r}\n  theirs {sorted(want.elements())}\n  ours   {sorted(got.elements())}")
    ok(not differ, f"{title}: {compared} of {len(lines)} lines compared, {len(differ)} differ", "\n".join(differ[:8]))
    ok(compared > least * len(lines), f"{title}: both understood enough of them")


def main():
    if not MODULES.is_dir():
        skip("no grammar: tools/setup --for check fetches it")
        return
    pick = random.Random(SEED)
    text = (pathlib.Path(__file__).parent / "everyday-commands.txt").read_text()
    compare("everyday", [s.split(" ", 1)[1].replace("\\n", "\n") for s in text.splitlines() if s.split(" ")[0] in ("allow", "ask", "deny")], .5)
    plain, bash = Lines(pick, bash=False, wrap=False), Lines(pick, wrap=False)
    compare("generated", [(plain if n % 2 else bash).lines(pick.choice([1, 2, 2, 3])) for n in range(COUNT)], .3)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Everyday commands get the verdict they must under a set of rules, and a bounded share asks. Row G12."""
import collections
import pathlib

from lines import judge
from tap import ok

TEXT = (pathlib.Path(__file__).parent / "everyday-commands.txt").read_text()
rows = [s for s in TEXT.splitlines() if s and not s.startswith("#")]
rules = [{"decision": s.split()[1], "command": s.split()[2:]} for s in rows if s.startswith("rule ")]
for r in rules:
    if r["decision"] == "allow":
        r["tool"] = "shell"
table = [s.split(" ", 1) for s in rows if not s.startswith("rule ")]
lines = [line.replace("\\n", "\n").replace("'\n'", "'\\n'").replace("%s\n'", "%s\\n'").replace('%d\n"', '%d\\n"') for _, line in table]
got = judge(lines, rules)
seen = collections.Counter()
for (want, shown), (verdict, parts) in zip(table, got):
    seen[want] += 1
    ok(verdict == want, f"{want}: {shown}", f"{verdict}: {parts}")
ok(len(set(lines)) == len(lines) >= 200, f"{len(lines)} commands, none twice")

# A shell that asks about everything would be safe, and no use.
wide = [{"decision": "allow", "tool": "shell", "command": ["**"]}]
asks = [s for s, (verdict, _) in zip(lines, judge(lines, wide)) if verdict != "allow"]
ok(len(asks) < len(lines) / 3, f"with everything allowed {len(asks)} of {len(lines)} ask still ({100 * len(asks) // len(lines)} %)", asks)
usual = [(s, v) for (want, s), (v, _) in zip(table, got) if want == "allow"]
ok(len(usual) > 150, f"{seen['allow']} allowed, {seen['ask']} asked ({100 * seen['ask'] // len(lines)} %), {seen['deny']} refused")

# SPDX-License-Identifier: MIT
"""The attempts of tests/escape/vm-attempts.txt, which says what they are."""
import pathlib
import re

ESCAPE = pathlib.Path(__file__).resolve().parent.parent / "escape"
HELPERS = (  # one line before each script
    "const reach = x => { const F = x?.constructor?.constructor; return typeof F === 'function' && (F !== Function || F('return typeof process === \"object\"')()) }, "
    "framed = () => /naive|node:|prelude|<null>/.test(new Error().stack), spy = function spy() { try { const by = spy.caller.caller; return !!by && reach(by) } catch { return false } };\n")


def attempts():
    """What vm-attempts.txt has: {name, kind, steps, code}."""
    for title, source in re.findall(r"^== (.*)\n((?:(?!^== ).*\n?)*)", (ESCAPE / "vm-attempts.txt").read_text(), re.M):
        source, _, code = source.rstrip().partition("\n-> code ")
        kind = re.match("(vm|late): ", title)
        yield {"name": title, "kind": kind[1] if kind else "node", "code": code, "steps": [HELPERS + step for step in source.split("\n-- then\n")]}

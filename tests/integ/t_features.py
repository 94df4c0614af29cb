#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the language and the prelude give, edition by edition: every check of tests/features, in a real
VM. Row J1."""
import json
import pathlib

from tap import ok
from wire import Core

FEATURES = sorted((pathlib.Path(__file__).resolve().parents[1] / "features").glob("*.js"))
total = 0
with Core() as core:
    for path in FEATURES:
        done = core.run(path.read_text(), timeout_ms=60000, max_output_chars=48000)
        if not ok(done["code"] == "" and done["has_value"], f"{path.stem} runs", done["envelope"][:800]):
            continue
        result = json.loads(done["value"])
        failed = result["failed"]
        names = ", ".join(f["name"] for f in failed)
        ok(not failed, f"{path.stem}: {result['passed']} checks {('but not ' + names) if failed else ''}", json.dumps(failed, indent=1))
        total += result["passed"]
ok(total >= 300, f"{total} checks in all")

# SPDX-License-Identifier: MIT
"""The rows: printed as they come, kept for build/bench.json."""
import json
import os
import platform

rows = []
skipped = []

TESTS = {
    "<": lambda got, target: got < target,
    "<=": lambda got, target: got <= target,
    "within": lambda got, target: abs(got) <= target,
}


def shown(number):
    if number is None:
        return "-"
    size = abs(number)
    return f"{number:.0f}" if size >= 100 else f"{number:.1f}" if size >= 10 else f"{number:.2f}"


def row(name, peer, sign, target, got, unit, also=True):
    """`also`: what must hold besides, for instance that every run succeeded."""
    met = bool(also) and TESTS[sign](got, target)
    target = f"{sign} {target:g}" if target < 100 else f"{sign} {target:.0f}"
    rows.append({"name": name, "peer": peer, "target": target, "got": round(got, 3), "unit": unit, "met": met})
    verdict = "met   " if met else "MISSED"
    print(f"{verdict}  {name:<46} {shown(got):>8} {unit:<9} target {target:<10} {peer}", flush=True)


def note(text):
    print(f"          {text}", flush=True)


def skip(name, why):
    skipped.append(name)
    print(f"skipped {name}: {why}", flush=True)


def heading(text):
    print(f"\n{text}", flush=True)


def machine():
    """The machine in one line, its load as it is now."""
    model = "unknown CPU"
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        for line in f:
            if line.startswith(("model name", "Model")):
                model = line.split(":", 1)[1].strip()
                break
    with open("/proc/meminfo", encoding="utf-8") as f:
        memory = int(f.readline().split()[1]) / (1 << 20)
    return (f"{model}, {len(os.sched_getaffinity(0))} cores, {memory:.0f} GiB, {platform.system()} "
            f"{platform.release()}, load {' '.join(f'{x:.2f}' for x in os.getloadavg())}")


def busy():
    return os.getloadavg()[0] > len(os.sched_getaffinity(0)) / 2


def write(path):
    path.write_text(json.dumps(rows, indent=1) + "\n")
    met = sum(r["met"] for r in rows)
    print(f"\n{met} met, {len(rows) - met} missed, {len(skipped)} skipped; {path.name} has the rows")

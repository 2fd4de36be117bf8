#!/usr/bin/env python3
"""Measures what `make test` and `make smoke` take (`make times`): docs/times.json and its table.

From a clean clone of HEAD with an empty cache of designs, as continuous integration does; crates
are downloaded and tools installed before the clock starts. Each step's wall and processor time is
measured by steps.py itself, so the list is that of `make test`. Then the lints run once more as if
none had ever passed, and `make smoke` after a change of one line, in the RTL and in the compiler.

It can be wrong by other work on the machine: wall times are those of an idle one. A failing step
is an error, and the old figures stay.

Usage: times.py [--keep] [--without-misses] [--without-smoke]
"""

import argparse
import datetime
import json
import os
import platform
import shutil
import subprocess
import sys

from steps import environment, measured
from tiers import ROOT, TEST, TIMES, clock, whole, write_pages

CLONE = ROOT / "out" / "times" / "clone"
# A line at the end of these is the change of one line.
CHANGED = {"smoke-rtl": "hdl/src/lib.rs", "smoke-compiler": "cosim/shader/src/lib.rs"}


def must(command, env, cwd=ROOT):
    """Runs a command that may not fail; wall and processor seconds."""
    print(f"$ {' '.join(command)}", flush=True)
    status, wall, cpu = measured(command, env, cwd)
    if status:
        sys.exit(f"times: {' '.join(command)} ended with {status}; docs/times.json stays as it was")
    return {"wall": round(wall, 1), "cpu": round(cpu, 1)}


def processor():
    """The processor's name."""
    try:
        lines = open("/proc/cpuinfo", encoding="utf-8").read().splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def tier(name, env):
    """What the steps of a tier take in the clone."""
    file = CLONE / "out" / "times.json"
    must(["scripts/steps.py", name, "--json", str(file)], env, CLONE)
    return json.loads(file.read_text())


def main():
    parser = argparse.ArgumentParser(description="Measures make test and make smoke from a clean clone.")
    parser.add_argument("--keep", action="store_true", help="leave the clone in out/times")
    parser.add_argument("--without-misses", action="store_true", help="do not run the lints that have passed (20 CPU minutes)")
    parser.add_argument("--without-smoke", action="store_true", help="leave the figures of make smoke as they are")
    args = parser.parse_args()
    env = environment()
    # The clone builds in its own folder, and finds no design that an earlier run has left.
    for name in ["CARGO_TARGET_DIR", "QUADLOCK_CACHE"]:
        env.pop(name, None)
    if subprocess.run(["git", "diff", "--quiet", "HEAD"], cwd=ROOT).returncode:
        print("times: the tree differs from HEAD; HEAD is measured", file=sys.stderr)
    shutil.rmtree(CLONE, ignore_errors=True)
    must(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(CLONE)], env)
    must(["make", "--no-print-directory", "tools"], env, CLONE)
    must(["cargo", "fetch", "--locked"], env, CLONE)
    found = {
        "commit": subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], cwd=CLONE, capture_output=True, text=True).stdout.strip(),
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "cores": len(os.sched_getaffinity(0)),
        "processor": processor(),
        "test": tier("test", env),
    }
    if not args.without_misses:
        found["misses"] = must(["make", "--no-print-directory", "BUILT=yes", "lint-rtl"], env, CLONE)
        must(["git", "checkout", "--quiet", "."], env, CLONE)
    for name, path in CHANGED.items():
        if args.without_smoke:
            found[name] = json.loads(TIMES.read_text())[name]
            continue
        file = CLONE / path
        before = file.read_text()
        file.write_text(before + "// A line more.\n")
        found[name] = tier("smoke", env)
        file.write_text(before)
    TIMES.write_text(json.dumps(found, indent=1) + "\n")
    write_pages()
    wall = whole(found["test"])
    print(f"make test: {clock(wall)} in {len(TEST)} steps; the table is in docs/regression.md")
    if not args.keep:
        shutil.rmtree(CLONE)
    return 0


if __name__ == "__main__":
    sys.exit(main())

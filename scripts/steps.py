#!/usr/bin/env python3
"""Runs the steps of a tier, one after the other, and prints what each took (`make smoke`, `make test`).

A step is a target of the Makefile; which ones, and why: tiers.py. Wall time and processor time of
the step's processes are measured, and written to out/TIER-times.json. The first step that fails
ends the run with its name. All steps share one cache of designs, which is empty at the start, so
that nothing of an earlier run decides the result.

It can be wrong by processor time of a process that outlives its step: it is not counted.

Usage: steps.py smoke|test [--json FILE]
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

import night
from tiers import CACHE, ROOT, SMOKE, TEST, clock, empty


def environment():
    """Of a step: overrides of the command line stay, the jobs of an outer make do not."""
    env = dict(os.environ)
    flags = env.pop("MAKEFLAGS", "").split(" -- ", 1)
    env.pop("MFLAGS", None)
    if len(flags) == 2:
        env["MAKEFLAGS"] = f" -- {flags[1]}"
    return env


def measured(command, env, cwd=ROOT):
    """Runs a command; its exit status, wall seconds and processor seconds, with all that it started."""
    begin = time.monotonic()
    process = subprocess.Popen(command, cwd=cwd, env=env)
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except KeyboardInterrupt:
        process.wait()
        raise
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, time.monotonic() - begin, usage.ru_utime + usage.ru_stime


def run(steps, env, built):
    """Runs the steps; what each took, and the name of the one that failed."""
    done = []
    for number, step in enumerate(steps, 1):
        print(f"--- {number} of {len(steps)}: make {step.target} ({step.what})", flush=True)
        variables = ["BUILT=yes"] if built(step) else []
        status, wall, cpu = measured(["make", "--no-print-directory", *variables, step.target], env)
        done.append({"target": step.target, "wall": round(wall, 1), "cpu": round(cpu, 1)})
        if status:
            return done, step.target
    return done, None


def report(done):
    for step in done:
        print(f"{step['target']:<20}{clock(step['wall']):>14}{step['cpu'] / 60:>8.1f} CPU min")
    wall, cpu = sum(s["wall"] for s in done), sum(s["cpu"] for s in done)
    print(f"{'all':<20}{clock(wall):>14}{cpu / 60:>8.1f} CPU min")


def main():
    parser = argparse.ArgumentParser(description="Runs the steps of a tier and prints what each took.")
    parser.add_argument("tier", choices=["smoke", "test"])
    parser.add_argument("--json", type=pathlib.Path, help="where the times go [out/TIER-times.json]")
    args = parser.parse_args()
    steps = {"smoke": SMOKE, "test": TEST}[args.tier]
    empty(CACHE)
    # What is compiled once for all steps, and the steps before it, are not spared their builds.
    first = next(k for k, step in enumerate(steps) if step.target in ("build", "smoke-build"))
    compiled = {step.target for step in steps[first + 1 :]}
    done, failed = run(steps, environment(), lambda step: step.target in compiled)
    print(f"--- {args.tier}", flush=True)
    report(done)
    path = args.json or ROOT / "out" / f"{args.tier}-times.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(done, indent=1) + "\n")
    if failed:
        print(f"make {args.tier} failed: make {failed}", file=sys.stderr)
        return 1
    if args.tier == "test":
        print("the night, which `make test` does not run (make night PART=NAME):")
        print("\n".join(night.ages()))
    print("all checks passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())

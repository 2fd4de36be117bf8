#!/usr/bin/env python3
"""Runs the steps of a tier and prints what each took (`make smoke`, `make test`).

A step is a target of the Makefile; which ones, and why: tiers.py. Wall time and processor time of
the step's processes are measured, and written to out/TIER-times.json. The first step that fails
ends the run with its name. All steps share one cache of designs, which is empty at the start, so
that nothing of an earlier run decides the result.

`make test` runs two steps side by side as soon as everything is built: many steps have a part that
keeps one core only. One of them prints as it goes; the output of the other appears when it ends.

It can be wrong by processor time of a process that outlives its step: it is not counted.

Usage: steps.py smoke|test [--json FILE]
"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

import night
from tiers import CACHE, ROOT, SMOKE, TEST, clock, empty, whole


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


class Run:
    """The steps of a tier: those that wait, those that run, and what the others took."""

    def __init__(self, steps, env, built):
        self.steps, self.env, self.built = steps, env, built
        self.begin = time.monotonic()
        self.waiting = list(enumerate(steps, 1))
        self.running = {}
        self.done = []
        self.failed = None
        self.lock = threading.Lock()

    def next(self):
        """The next step and its number; none if there is none, or one has failed."""
        with self.lock:
            return self.waiting.pop(0) if self.waiting and self.failed is None else None

    def step(self, number, step, shown):
        """Runs a step. Its output goes where ours goes, or is printed when it ends."""
        title = f"--- {number} of {len(self.steps)}: make {step.target} ({step.what})"
        print(title if shown else f"{title}: begun, its output follows", flush=True)
        variables = ["BUILT=yes"] if self.built(step) else []
        command = ["make", "--no-print-directory", *variables, step.target]
        with tempfile.TemporaryFile() as output:
            to = None if shown else output
            begin = time.monotonic()
            # A session of its own, so that all of it can be ended.
            process = subprocess.Popen(command, cwd=ROOT, env=self.env, stdout=to, stderr=to and subprocess.STDOUT, start_new_session=True)
            with self.lock:
                self.running[number] = process
                if self.failed is not None:
                    self.end()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            wall, cpu = time.monotonic() - begin, usage.ru_utime + usage.ru_stime
            with self.lock:
                del self.running[number]
                ended = process.returncode and self.failed is not None
                if process.returncode and not ended:
                    self.failed = step.target
                    self.end()
                self.done.append({"target": step.target, "begin": round(begin - self.begin, 1), "wall": round(wall, 1), "cpu": round(cpu, 1)})
            if not shown:
                output.seek(0)
                text = output.read().decode(errors="replace")
                print(f"--- {number} of {len(self.steps)}: make {step.target}, {'ended' if ended else 'its output'}\n{text}", end="", flush=True)

    def end(self):
        """Ends what runs."""
        for process in self.running.values():
            try:
                os.killpg(process.pid, signal.SIGTERM)
            except ProcessLookupError:
                pass

    def lane(self, found, shown):
        """Runs a step and those that wait, one after the other."""
        try:
            while found is not None:
                self.step(*found, shown)
                found = self.next()
        except BaseException as error:
            with self.lock:
                self.failed = self.failed or f"interrupted by {type(error).__name__}"
                self.end()
            raise

    def all(self, lanes):
        """Runs the steps that wait, so many side by side; the first one is shown as it goes."""
        first, *others = [self.next() for _ in range(lanes)]
        threads = [threading.Thread(target=self.lane, args=(found, False)) for found in others]
        for thread in threads:
            thread.start()
        try:
            self.lane(first, True)
        finally:
            # Prints what the others have.
            for thread in threads:
                thread.join()


def run(steps, env, first, lanes):
    """Runs the steps; what each took in their order, and the name of the one that failed.

    The step of number `first` builds what all later steps use. These run side by side."""
    compiled = {step.target for step in steps[first + 1 :]}
    run = Run(steps, env, lambda step: step.target in compiled)
    behind, run.waiting = run.waiting[first + 1 :], run.waiting[: first + 1]
    run.all(1)
    if run.failed is None:
        run.waiting = behind
        run.all(lanes)
    if run.failed is None and len(run.done) != len(steps):
        run.failed = "a step that was not run"
    order = [step.target for step in steps]
    return sorted(run.done, key=lambda step: order.index(step["target"])), run.failed


def report(done):
    for step in done:
        print(f"{step['target']:<20}{clock(step['wall']):>14}{step['cpu'] / 60:>8.1f} CPU min")
    print(f"{'all':<20}{clock(whole(done)):>14}{sum(s['cpu'] for s in done) / 60:>8.1f} CPU min")


def main():
    parser = argparse.ArgumentParser(description="Runs the steps of a tier and prints what each took.")
    parser.add_argument("tier", choices=["smoke", "test"])
    parser.add_argument("--json", type=pathlib.Path, help="where the times go [out/TIER-times.json]")
    args = parser.parse_args()

    # Steps have sessions of their own, so a signal that ends this process must end them too.
    def interrupted(_signal, _frame):
        raise KeyboardInterrupt

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupted)
    steps = {"smoke": SMOKE, "test": TEST}[args.tier]
    empty(CACHE)
    # What is compiled once for all steps, and the steps before it, are not spared their builds.
    first = next(k for k, step in enumerate(steps) if step.target in ("build", "smoke-build"))
    done, failed = run(steps, environment(), first, 2 if args.tier == "test" else 1)
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

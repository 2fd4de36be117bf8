#!/usr/bin/env python3
"""Runs parts of the night (`make night`), the checks that are too long for every change.

Each part takes at most an hour on two cores; at the limit it is ended and has failed. Seeds are
those of the date, so no two nights do the same; a failure prints its part and seed. What a part
did goes to its row in docs/night.json, from which docs/regression.md is made and `make test` prints
how old each part is. Nothing is noted of a tree that differs from its commit.

It can be wrong about a part's age where the commit of its row is not in the clone: the row says so.

Usage: night.py [--part NAME|list] [--seed N] [--hours H]
  without --part all, the stalest first; with --hours those whose sources changed, as many as fit
"""

import argparse
import datetime
import os
import re
import signal
import subprocess
import sys
import time

from tiers import CACHE, LIMIT, NIGHT, ROOT, clock, empty, night_rows, write_pages

# Files that a run of the night itself changes.
OWN = ["docs/night.json", "docs/regression.md", "lint/hashes", "lint/blocks"]


def git(*arguments):
    """What git prints, or nothing where it fails or is not there."""
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def changes(part, commit):
    """The sources of a part that changed since a commit, the tree as it is now; None: nobody knows."""
    names = git("diff", "--name-only", commit, "--", *part.sources)
    if names is None:
        return None
    return [s for s in part.sources if any(n == s or n.startswith(s + "/") for n in names.splitlines())]


def some(count, what):
    return f"{count} {what}{'' if int(count) == 1 else 's'}"


def age(part, row):
    """How old a part's last run is, in words, and whether it is stale."""
    if row["commit"] is None:
        return "never run", True
    days = (datetime.datetime.now(datetime.timezone.utc).date() - datetime.date.fromisoformat(row["time"][:10])).days
    commits = git("rev-list", "--count", f"{row['commit']}..HEAD")
    changed = changes(part, row["commit"])
    if commits is None or changed is None:
        return f"{row['result']} {some(days, 'day')} ago on {row['commit']}, which this clone has not", True
    text = f"{row['result']} {some(commits, 'commit')} and {some(days, 'day')} ago"
    if changed:
        return f"{text}; changed since: {', '.join(changed)}", True
    return text, row["result"] != "passed"


def ages():
    """A line for each part."""
    width = max(len(part.name) for part in NIGHT)
    for part, row in zip(NIGHT, night_rows()):
        yield f"  {part.name:<{width}}  {age(part, row)[0]}"


def commands(part, seed):
    def number(found):
        return str(seed + int(found[1] or 0))

    return [re.sub(r"\{seed(?:\+(\d+))?\}", number, command) for command in part.commands]


def build():
    """What the parts run, compiled before their clocks start."""
    command = ["cargo", "nextest", "run", "--workspace", "--cargo-profile", "checked", "--no-run"]
    if subprocess.run(command, cwd=ROOT).returncode:
        sys.exit("night: it does not compile")


def run(part, seed):
    """Runs a part: result and seconds."""
    # Cranelift's verifier reads all code at night; by day rtlsim's own tests alone have it.
    own = {
        "QUADLOCK_REQUIRE_PEERS": "1",
        "QUADLOCK_NIGHT": "1",
        "RTLSIM_VERIFY": "1",
        "PROPTEST_RNG_SEED": str(seed),
        "QUADLOCK_CACHE": str(CACHE),
    }
    env = {**os.environ, **own}
    begin = time.monotonic()
    for command in commands(part, seed):
        print(f"$ {command}", flush=True)
        # A session of its own, so that the limit ends what the command started, too.
        process = subprocess.Popen(["bash", "-c", command], cwd=ROOT, env=env, start_new_session=True)
        try:
            status = process.wait(LIMIT - (time.monotonic() - begin))
        except subprocess.TimeoutExpired:
            end(process)
            return f"not done in {LIMIT // 60} min", time.monotonic() - begin
        except KeyboardInterrupt:
            end(process)
            raise
        if status:
            return "failed", time.monotonic() - begin
    return "passed", time.monotonic() - begin


def end(process):
    os.killpg(process.pid, signal.SIGTERM)
    process.wait()


def note(part, seed, result, seconds):
    """The part's row, unless the tree differs from its commit."""
    commit = git("rev-parse", "--short=8", "HEAD")
    others = git("status", "--porcelain", "--untracked-files=no", "--", ".", *[f":!{name}" for name in OWN])
    if commit is None or others is None or others:
        print(f"night: {part.name} {result}; not noted, because the tree is not that of a commit")
        return
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%MZ")
    values = {"commit": commit, "time": now, "seconds": round(seconds), "seed": seed, "result": result}
    rows = night_rows()
    write_pages([{"part": part.name, **values} if row["part"] == part.name else row for row in rows])


def stalest_first():
    """Parts that were never run, then by date; behind them those that are fresh."""
    rows = list(zip(NIGHT, night_rows()))
    rows.sort(key=lambda pair: (not age(*pair)[1], pair[1]["time"] or ""))
    return [part for part, _ in rows]


def choose(args):
    """The parts to run."""
    if args.part:
        found = [part for part in NIGHT if part.name == args.part]
        if not found:
            print(f"night: no part {args.part}; there are {', '.join(p.name for p in NIGHT)}", file=sys.stderr)
            sys.exit(2)
        return found
    parts = stalest_first()
    if args.hours:
        rows = {row["part"]: row for row in night_rows()}
        parts = [part for part in parts if age(part, rows[part.name])[1]]
    return parts


def main():
    parser = argparse.ArgumentParser(description="Runs parts of the night and notes what they did.")
    parser.add_argument("--part", metavar="NAME", help="one part; list prints them with their ages")
    parser.add_argument("--seed", type=int, help="instead of the date's")
    parser.add_argument("--hours", type=float, help="stale parts only, and none that may end later than that")
    args = parser.parse_args()
    if args.seed is not None and args.seed < 0 or args.hours is not None and not args.hours > 0:
        parser.error("--seed is 0 or more, --hours more than 0")
    if args.part == "list":
        print("\n".join(ages()))
        return 0
    parts = choose(args)
    seed = int(datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%d")) * 100_000 if args.seed is None else args.seed
    build()
    # No result depends on an earlier night; the parts of one share designs.
    empty(CACHE)
    begin, failed = time.monotonic(), []
    for part in parts:
        last = {row["part"]: row["seconds"] for row in night_rows()}[part.name]
        if args.hours and time.monotonic() - begin + (last or LIMIT) > 3600 * args.hours:
            print(f"--- {part.name}: not begun, may end after {args.hours:g} h")
            continue
        print(f"--- {part.name} with seed {seed}: {part.row}", flush=True)
        result, seconds = run(part, seed)
        print(f"--- {part.name} {result} in {clock(seconds)}", flush=True)
        note(part, seed, result, seconds)
        if result != "passed":
            failed.append(part.name)
            print(f"again: make night PART={part.name} SEED={seed}")
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

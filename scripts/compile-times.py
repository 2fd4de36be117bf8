#!/usr/bin/env python3
"""Processor time of a build by crate: the tables of docs/compile-time.md, by one command.

Runs cargo with a target folder of its own, empty, which it removes afterwards (not with --keep). Each rustc is started by
this script (RUSTC_WRAPPER), which notes the user and system time of the process and of the linker that
it starts. `cargo build --timings` has wall time only, which depends on what else runs. Build scripts are
not started through a wrapper: what they take, glslang's C++ above all, is the rest of the total.

It can be wrong by what is not in it: crates that are downloaded during the build, and on a machine that
is busy, or whose cores share execution units, times grow by a fifth and more.

Usage: compile-times.py [--least SECONDS] [--json FILE] [--keep FOLDER] CARGO-ARGUMENTS ..., for example
    scripts/compile-times.py build --release --bin quadlock
    scripts/compile-times.py build --profile quick --no-default-features --bin quadlock
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Where the wrapper notes its times: its presence makes this script the wrapper.
LOG = "QUADLOCK_COMPILE_TIMES"


def wrap(log, command):
    """Runs one rustc, notes its processor time and its own, and ends as it did."""
    # With the file descriptors of cargo's job server.
    child = subprocess.Popen(command, close_fds=False)
    _, status, used = os.wait4(child.pid, 0)
    own = resource.getrusage(resource.RUSAGE_SELF)
    if "--crate-name" in command:
        name = command[command.index("--crate-name") + 1]
        kind = "test" if "--test" in command else "metadata" if not any("link" in c for c in command if c.startswith("--emit")) else ""
        row = {"crate": name, "kind": kind, "seconds": used.ru_utime + used.ru_stime, "own": own.ru_utime + own.ru_stime}
        # One write of a short line to a file that is open for appending is not torn.
        with open(log, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
    return os.waitstatus_to_exitcode(status)


def measure(arguments, keep):
    """Builds, and returns the rows of crates, the longest first, and the seconds of everything."""
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="quadlock-compile-times-") as emptied:
        folder = str(keep.resolve() if keep else emptied)
        log = pathlib.Path(emptied) / "log"
        log.touch()
        environment = os.environ | {
            LOG: str(log),
            "RUSTC_WRAPPER": str(pathlib.Path(__file__).resolve()),
            "CARGO_TARGET_DIR": folder,
            "CARGO_INCREMENTAL": "0",
        }
        cargo = subprocess.Popen(["cargo", *arguments], cwd=ROOT, env=environment)
        _, status, used = os.wait4(cargo.pid, 0)
        if os.waitstatus_to_exitcode(status):
            sys.exit(f"compile-times: cargo {' '.join(arguments)} failed; mend that and start again")
        rows = [json.loads(line) for line in log.read_text().splitlines()]
    total = used.ru_utime + used.ru_stime - sum(row["own"] for row in rows)
    return sorted(rows, key=lambda row: -row["seconds"]), total


def main():
    if log := os.environ.get(LOG):
        sys.exit(wrap(log, sys.argv[1:]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--least", type=float, default=2.0, help="rows below so many seconds are summed (default 2)")
    parser.add_argument("--json", type=pathlib.Path, help="write the rows to this file, too")
    parser.add_argument("--keep", type=pathlib.Path, help="build in this folder and keep it; what is there is not built again")
    parser.add_argument("cargo", nargs=argparse.REMAINDER, help="what to give cargo")
    options = parser.parse_args()
    if not options.cargo:
        parser.error("say what cargo is to do, for example: build --release --bin quadlock")
    rows, total = measure(options.cargo, options.keep)
    if options.json:
        options.json.write_text(json.dumps({"cargo": options.cargo, "seconds": total, "crates": rows}, indent=1) + "\n")
    long = [row for row in rows if row["seconds"] >= options.least]
    print("| crate | s |\n|---|---:|")
    for row in long:
        print(f"| {row['crate']}{' (' + row['kind'] + ')' if row['kind'] else ''} | {row['seconds']:.1f} |")
    compiled = sum(row["seconds"] for row in rows)
    print(f"| {len(rows) - len(long)} others | {compiled - sum(row['seconds'] for row in long):.1f} |")
    print(f"| build scripts, cargo | {total - compiled:.1f} |")
    print(f"| **all** | **{total:.1f}** |")
    print(f"{total / 60:.1f} minutes of processor time", file=sys.stderr)


if __name__ == "__main__":
    main()

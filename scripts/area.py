#!/usr/bin/env python3
"""Area of every block and of the machines of the tables: docs/area.json and docs/area.md, by one command (`make area`).

Each row is exported by `quadlock export` and synthesised by yosys, with the hierarchy kept and flattened. With the hierarchy kept, each module is synthesised by itself,
beside the bare ports of its parts: yosys carries nothing across ports then, so a module that many rows have is measured once. A result is kept in out/area
under a checksum of the Verilog and of the synthesis script. So an interrupted run goes on where it was, and a later one measures only what has changed. `--check` says
which rows of docs/area.json are of another Verilog than today's.

It can be wrong by counting cells of a script that no FPGA flow runs: SYNTH is the one that scripts/lint-rtl.sh runs too, and a cell type that is not in CELLS is an error.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "out" / "area"
JSON = ROOT / "docs" / "area.json"
PAGE = ROOT / "docs" / "area.md"

# Without -nowidelut yosys builds functions of five to seven inputs out of 2 to 8 LUT4 and multiplexers, faster and about twice as large.
SYNTH = "synth_ecp5 -nowidelut"
# Without the last part, in which names are given: it takes hours on a flattened machine and changes no cell.
PART = " -run begin:check"
MODES = {"kept": " -noflatten", "flat": ""}
# Cell types of an ECP5, and the keys of their counts.
CELLS = {
    "LUT4": "lut4",
    "CCU2C": "carry",
    "TRELLIS_FF": "ff",
    "MULT18X18D": "multipliers",
    "DP16KD": "block_ram",
    "TRELLIS_DPR16X4": "lut_ram",
}
LOCKS, LOCKS_LOCK = {}, threading.Lock()
# Logic cells (TRELLIS_COMB) of an ECP5-85, and how many of them a cell takes: nextpnr packs a carry into two, a LUT RAM into four.
ECP5_85 = 83_640
COMB = {"lut4": 1, "carry": 2, "lut_ram": 4}

# The machine that options are measured on: merging and splitting need four warps.
SMALLEST = ["preset=small", "warps=4", "trace=off"]
# Machines beside the presets, each of which is measured without trace ports: `presets`.
MACHINES = {
    "small with four warps": SMALLEST,
    "small with four warps, without function unit": [*SMALLEST, "function_unit=off"],
    "small with four warps, late lanes get kept results": [*SMALLEST, "warp_wide_late=stored"],
    "default without trace ports": ["trace=off"],
    "default": [],
}
OPTIONS = ["off/per-lane"] + [f"{e}/{r}" for e in ("representative", "collective", "scalar") for r in ("per-lane", "shared")]
# Options of merging and splitting, on the same machine with graphics. Only with the hierarchy kept: modules that all have are synthesised once.
WARPS = [*SMALLEST, "graphics=on"]
MERGING = {
    "neither": WARPS,
    "merge": [*WARPS, "merge=on"],
    "merge, queue of 4": [*WARPS, "merge=on", "merge_queue=4"],
    "merge, queue of 32": [*WARPS, "merge=on", "merge_queue=32"],
    "merge, no flips": [*WARPS, "merge=on", "merge_flip=off"],
    "merge, one program for all warps": [*WARPS, "merge=on", "merge_alone=off"],
    "merge, public registers at the upper end": [*WARPS, "merge=on", "public_registers=above"],
    "merge, lower half public": [*WARPS, "merge=on", "public_registers=half"],
    "merge, public registers by a bitmap": [*WARPS, "merge=on", "public_registers=bitmap"],
    "merge, no private registers": [*WARPS, "merge=on", "merge_private=none"],
    "merge, joined private registers": [*WARPS, "merge=on", "merge_private=joined"],
    "merge, new private registers": [*WARPS, "merge=on", "merge_private=new"],
    "merge, groups of four": [*WARPS, "merge=on", "merge_group=4"],
    "merge, quads overtake": [*WARPS, "merge=on", "merge_ordered=off"],
    "merge, points as modifiers": [*WARPS, "merge=on", "event_form=modifier"],
    "merge, a counter beside the program": [*WARPS, "merge=on", "event_form=counter"],
    "merge, a count of instructions": [*WARPS, "merge=on", "event_form=count"],
    "merge, helpers end in all warps": [*WARPS, "merge=on", "merge_helpers_end=on"],
    "split": [*WARPS, "split=on"],
    "split, into pixels": [*WARPS, "split=on", "split_shape=pixels"],
    "split, into samples or pixels": [*WARPS, "split=on", "split_shape=either"],
    "merge and split": [*WARPS, "merge=on", "split=on"],
    "neither, 8 slots": [*WARPS, "warps=8"],
    "merge and split, 8 slots, in no program both": [*WARPS, "warps=8", "merge=on", "split=on", "merge_split=off"],
    "merge and split, 8 slots": [*WARPS, "warps=8", "merge=on", "split=on"],
}
# Blocks that these concern.
MERGING_CONCERNED = ["merge_queue", "graphics_dispatcher", "warp_unit"]
# Blocks that the options of warp-wide operations concern.
CONCERNED = ["lsa", "scalar_unit", "shared_result", "warp_unit"]


# Parts of graphics: what, blocks of which it is the sum (less those with a minus), budget of LUT4 with
# the hierarchy kept, for one quad per cycle at one sample. 0 if it has none.
GRAPHICS = [
    ("command streamer, vertex front end", ["command_streamer", "vertex_front_end"], 4000),
    ("assembly, clip, set-up", ["geometry", "-geometry_store"], 8000),
    ("attribute store, set-up store", ["geometry_store"], 1500),
    ("visibility unit", ["visibility"], 5000),
    ("binner", ["binner"], 4000),
    ("rasteriser", ["rasteriser"], 7000),
    ("depth and stencil, blending", ["depth_stencil", "blend"], 8000),
    ("merge queue of 16", ["merge_queue"], 4000),
    ("fragment dispatcher with order", ["graphics_dispatcher", "collector", "result_store"], 6000),
    ("tile buffers with resolving", ["tile_buffers"], 5000),
    ("all of it", ["graphics_pipeline"], 48500),
    ("visibility unit with Hi-Z, pixels and depth rasteriser", ["depth_visibility"], 13000),
    ("binner with windows", ["window_binner"], 4000),
    ("second geometry pipeline", ["cull_pipeline", "visibility_record"], 6000),
    ("tiles by edges", ["edge_visibility"], 0),
    ("full binning", ["full_binner"], 0),
    ("Hi-Z in the rasteriser alone", ["raster_hi_z"], 0),
    ("Hi-Z from written depths", ["back_visibility"], 0),
    ("attribute unit, one in each core", ["attribute_unit"], 0),
]


class Row:
    """A block or a machine: what is exported, and under which name it stands in docs/area.json."""

    def __init__(self, group, name, top, sets, about=""):
        self.group, self.name, self.top, self.sets, self.about = group, name, top, sets, about

    def export(self, quadlock):
        """Folder of its Verilog, and the text of all modules without comments, which name the settings."""
        folder = OUT / "rtl" / re.sub(r"[^a-z0-9_]+", "-", f"{self.group}-{self.name}".lower())
        command = [quadlock, "export", "--top", self.top, "--out", str(folder)]
        for setting in self.sets:
            command += ["--set", setting]
        run(command)
        texts = [(folder / f).read_text() for f in (folder / "files.f").read_text().split()]
        return folder, "\n".join(line for t in texts for line in t.splitlines() if not line.lstrip().startswith("//"))


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))[:200]} failed:\n{(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


def processor_seconds(command, cwd, messages):
    """What a command took of one processor: unlike the time on the wall, the same beside other work."""
    with open(messages, "wb") as err:
        process = subprocess.Popen(command, cwd=cwd, stdout=err, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"yosys failed, see {messages}:\n{messages.read_text(errors='replace')[-2000:]}")
    return round(usage.ru_utime + usage.ru_stime, 1)


def script(mode, top, files, stat, parts=()):
    """What yosys is told; of `parts` it sees the ports only."""
    bare = f"read_verilog -lib {' '.join(parts)}; " if parts else ""
    return (
        f"{bare}read_verilog {' '.join(files)}; {SYNTH}{PART}{MODES[mode]} -top {top}; "
        f"select -assert-none t:$_DLATCH_*; select -clear; tee -q -o {stat} stat -top {top}"
    )


def modules_of(text):
    """Of each module in exported Verilog its text."""
    return {re.match(r"module\s+(\w+)", piece)[1]: piece for piece in re.findall(r"^module .*?^endmodule", text, re.M | re.S)}


def parts_of(module, pieces):
    """The modules that a module has instances of, sorted."""
    instances = re.findall(r"^\s*(\w+)\s+\w+\s*\(\s*\.", pieces[module], re.M)
    return sorted(set(instances) & pieces.keys())


def ports_of(piece):
    """A module without its insides: all of it that another one sees when it is synthesised by itself."""
    head = piece[: piece.index(");") + 2]
    return "\n".join([head, *re.findall(r"^\s*(?:input|output|inout)\b[^;]*;", piece, re.M), "endmodule"])


def key(mode, top, text, version):
    """Checksum of all that a result depends on."""
    everything = "\n".join([version, script(mode, top, [], ""), text])
    return hashlib.md5(everything.encode()).hexdigest()[:16]


def modules(stat):
    """Of each module in yosys's `stat` its own cells by type."""
    out, own = {}, None
    for line in stat.splitlines():
        head = re.match(r"=== (.+) ===$", line.strip())
        if head:
            own = None if head[1] == "design hierarchy" else out.setdefault(head[1], {})
            counting = False
        elif own is not None and "Number of cells:" in line:
            counting = True
        elif own is not None and counting and (cell := re.match(r"\s+(\S+)\s+(\d+)$", line)):
            own[cell[1].lstrip("\\")] = int(cell[2])
    return out


def total(of, module):
    """Cells of a module with all that is below it, by the keys of CELLS."""
    sums = dict.fromkeys([*CELLS.values(), "cells"], 0)
    for kind, count in of[module].items():
        if kind in of:
            for name, cells in total(of, kind).items():
                sums[name] += count * cells
        elif kind in CELLS:
            sums[CELLS[kind]] += count
            sums["cells"] += count
        else:
            raise RuntimeError(f"{module} has cells of type {kind}, which scripts/area.py does not know")
    return sums


def part(of, folder, block):
    """The module of a block in a machine, if it is there: the load/store pipeline is that of the core, which shared storage has another of."""
    if block == "lsa":
        found = re.search(r"^ *(lsa[_0-9]*) lsa\(", (folder / "core.v").read_text(), re.M)
        block = found[1] if found else "lsa"
    return block if block in of else None


def synthesise(mode, top, text, version, label, parts=()):
    """Cells of each module that is not a bare part, and the processor time: from out/area/results if they are there."""
    checksum = key(mode, top, "\n".join([text, *parts]), version)
    # Two rows with one module: the second waits for the first's result.
    with LOCKS_LOCK:
        lock = LOCKS.setdefault(checksum, threading.Lock())
    with lock:
        return synthesise_alone(mode, top, text, version, label, parts, checksum)


def synthesise_alone(mode, top, text, version, label, parts, checksum):
    stored = OUT / "results" / f"{checksum}.json"
    if stored.exists():
        return json.loads(stored.read_text())
    # Not in the folder of the export, which may hold nothing else.
    work = OUT / "work" / checksum
    work.mkdir(parents=True, exist_ok=True)
    (work / "in.v").write_text(text)
    (work / "parts.v").write_text("\n".join(parts))
    stat = work / "stat"
    command = ["yosys", "-q", "-l", str(work / "log"), "-p", script(mode, top, ["in.v"], stat, ["parts.v"] if parts else [])]
    seconds = processor_seconds(command, work, work / "err")
    found = {"modules": modules(stat.read_text()), "seconds": seconds}
    stored.parent.mkdir(parents=True, exist_ok=True)
    temporary = stored.with_suffix(".part")
    temporary.write_text(json.dumps(found))
    temporary.rename(stored)
    print(f"{label} {top}, {mode}: {seconds} s of processor time", flush=True)
    return found


def measure(row, mode, quadlock, version):
    """One of the two results of a row."""
    folder, text = row.export(quadlock)
    pieces = modules_of(text)
    label = f"{row.group} {row.name},"
    if mode == "flat":
        result = synthesise(mode, row.top, text, version, label)
        of, seconds = result["modules"], result["seconds"]
    else:
        of, seconds, waiting = {}, 0.0, [row.top]
        while waiting:
            module = waiting.pop()
            if module in of:
                continue
            below = parts_of(module, pieces)
            ports = [ports_of(pieces[part]) for part in below]
            result = synthesise(mode, module, pieces[module], version, label, ports)
            of[module] = result["modules"][module]
            seconds += result["seconds"]
            waiting += below
    found = total(of, row.top)
    if row.group == "options" and mode == "kept":
        found["parts"] = {b: total(of, m)["lut4"] for b in CONCERNED if (m := part(of, folder, b))}
    found |= {"seconds": round(seconds, 1), "verilog": key(mode, row.top, text, version)}
    if row.group == "merging":
        found["parts"] = {b: total(of, b)["lut4"] for b in MERGING_CONCERNED if b in of}
    return found


def modes_of(row):
    """The results that a row has."""
    return [mode for mode in MODES if mode == "kept" or row.group != "merging"]


def presets(quadlock):
    """The machines of the table of presets, which the binary prints."""
    table = json.loads(run([quadlock, "settings", "--json"]))["presets"]
    return {preset["name"]: [f"preset={preset['name']}", "trace=off"] for preset in table}


def rows(quadlock):
    """All rows; the small ones first, so that an interrupted run has many."""
    listed = [line.split(None, 1) for line in run([quadlock, "export", "--list"]).splitlines()]
    late = ["function_unit", "warp_unit", "core"]
    blocks = [Row("blocks", name, name, [], about) for name, about in listed if name != "quadlock"]
    blocks.sort(key=lambda row: row.name in late)
    options = [
        Row("options", o, "quadlock", SMALLEST + [f"warp_wide={o.split('/')[0]}", f"warp_wide_result={o.split('/')[1]}"]) for o in OPTIONS
    ]
    machines = [Row("machines", name, "quadlock", sets) for name, sets in {**presets(quadlock), **MACHINES}.items()]
    return blocks + machines + options + [Row("merging", name, "quadlock", sets) for name, sets in MERGING.items()]


def number(n):
    return f"{n:,}"


def table(head, lines):
    return "\n".join([f"| {' | '.join(head)} |", "|" + "---|" * len(head)] + [f"| {' | '.join(line)} |" for line in lines])


OTHERS = ["ff", "carry", "block_ram", "lut_ram", "multipliers"]
OTHERS_HEAD = ["flip-flops", "carry (CCU2C)", "DP16KD", "TRELLIS_DPR16X4", "MULT18X18D"]


def luts(result, mode):
    return number(result[mode]["lut4"]) if mode in result else "-"


def cells_of(result):
    others = [number(result["flat"][k]) if "flat" in result else "-" for k in OTHERS]
    return [luts(result, "kept"), luts(result, "flat"), *others]


def machines_table(found):
    lines = []
    for name, result in found.items():
        comb = sum(n * result["flat"][key] for key, n in COMB.items()) if "flat" in result else None
        share = f"{number(comb)}, {100 * comb / ECP5_85:.0f} %" if comb is not None else "-"
        lines.append([name, " ".join(f"`{s}`" for s in result["set"]), *cells_of(result), share])
    head = ["machine", "settings", "LUT4, hierarchy kept", "LUT4, flattened", *OTHERS_HEAD, "COMB, of an ECP5-85"]
    return table(head, lines)


def options_table(found):
    off = found.get(OPTIONS[0])
    lines = []
    for name, result in found.items():
        change = [f"{result[m]['lut4'] - off[m]['lut4']:+,}" if off and m in result and m in off else "-" for m in MODES]
        parts = result.get("kept", {}).get("parts", {})
        lines.append([*name.split("/"), *cells_of(result), *change, *(number(parts[b]) if b in parts else "" for b in CONCERNED)])
    head = ["warp-wide", "result", "LUT4, kept", "LUT4, flattened", *OTHERS_HEAD, "kept against off", "flattened against off"]
    return table(head + [f"{b}, kept" for b in CONCERNED], lines)


def merging_table(found):
    lines = []
    for name, result in found.items():
        # Machines with more slots beside one of as many.
        off = found.get("neither, 8 slots" if "8 slots" in name else "neither", {}).get("kept")
        kept = result["kept"]
        change = f"{kept['lut4'] - off['lut4']:+,}" if off else "-"
        parts = (number(kept["parts"][b]) if b in kept["parts"] else "" for b in MERGING_CONCERNED)
        lines.append([name, number(kept["lut4"]), change, *(number(kept[k]) for k in OTHERS), *parts])
    return table(["option", "LUT4, kept", "against neither, of as many slots", *OTHERS_HEAD, *(f"`{b}`" for b in MERGING_CONCERNED)], lines)


def blocks_table(found):
    lines = [[f"`{name}`", result["about"], *cells_of(result)] for name, result in found.items()]
    return table(["block", "what", "LUT4, kept", "LUT4, flattened", *OTHERS_HEAD], lines)


def graphics_table(found):
    def sums(blocks, mode):
        parts = [(-1 if b[0] == "-" else 1, found.get(b.lstrip("-"), {}).get(mode)) for b in blocks]
        return sum(sign * p["lut4"] for sign, p in parts) if all(p for _, p in parts) else None

    lines = []
    for what, blocks, budget in GRAPHICS:
        counts = [sums(blocks, mode) for mode in MODES]
        shown = ["-" if c is None else number(c) for c in counts]
        over = next((f"{number(c - budget)} over" for c in counts[:1] if budget and c is not None and c > budget), "")
        names = " + ".join(f"`{b}`" for b in blocks).replace("+ `-", "- `")
        lines.append([what, names, *shown, number(budget) if budget else "-", over])
    return table(["part", "blocks", "LUT4, kept", "LUT4, flattened", "budget, kept", ""], lines)


def page(found):
    """The page of a docs/area.json."""
    return f"""# Area

Made by `make area` from [area.json](area.json); do not edit. {found["tool"]},
`{found["synthesis"]}`, latches refused; nothing was placed or routed.

- **Hierarchy kept:** each module is synthesised by itself. Nothing is optimised across its ports,
  so the sum overstates a design.
- **Flattened:** the whole design is one module, as a flow for a real device has it. The other
  counts of a row are of this one.
- **`-nowidelut`:** without it yosys makes functions of five to seven inputs out of 2 to 8 LUT4 and
  multiplexers, which are faster and take about twice the LUT4.

`make area` takes two syntheses at a time, and only those whose Verilog has changed; the processor
time of each row is in `area.json`. `scripts/area.py --check` lists the rows whose Verilog has
changed since they were measured. A row that is missing, and a dash, have not been measured.

## Machines

A machine with the name of a [preset](presets.md) is that preset without trace ports. The last
column counts the logic cells (TRELLIS_COMB) of the flattened machine as nextpnr packs them. A LUT4
takes one cell, a carry two, a LUT RAM four. An ECP5-85 has {ECP5_85:,}. A machine above 100 % does
not fit.

{machines_table(found["machines"])}

## Options of warp-wide operations

On `small` with four warps, without trace ports. Differences are against `off`. `warp_unit` has its
`shared_result` in it, `lsa` is the one of the core. With the hierarchy kept, flip-flops that never
change stay.

{options_table(found["options"])}

## Options of merging and splitting

On `small` with four warps and `graphics=on`, without trace ports, with the hierarchy kept.

{merging_table(found["merging"])}

## Graphics beside its budgets

The budgets are for one quad per cycle at one sample. `visibility` and `binner` are the plain ones
of the default machine. Rows after `graphics_pipeline` are built by settings only. The budget with
Hi-Z is that of groups, pixels and the depth rasteriser together.

{graphics_table(found["blocks"])}

## Blocks

Each by itself, in the default configuration, with its parts.

{blocks_table(found["blocks"])}
"""


def store(all_rows, results, version):
    """Merges results into docs/area.json, in the order of the rows, and makes the page."""
    old = json.loads(JSON.read_text()) if JSON.exists() else {}
    found = {"tool": version, "synthesis": SYNTH, "machines": {}, "options": {}, "merging": {}, "blocks": {}}
    for row in all_rows:
        result = results.get((row.group, row.name))
        if result:
            before = old.get(row.group, {}).get(row.name, {})
            found[row.group][row.name] = {"about": row.about, "set": row.sets} | {m: r for m in MODES if (r := result.get(m) or before.get(m))}
        elif row.name in old.get(row.group, {}):
            found[row.group][row.name] = old[row.group][row.name]
    JSON.write_text(json.dumps(found, indent=1) + "\n")
    PAGE.write_text(page(found))


def stale(all_rows, quadlock, version):
    """Rows of docs/area.json that are of another Verilog, or not there."""
    old = json.loads(JSON.read_text()) if JSON.exists() else {}
    for row in all_rows:
        text = row.export(quadlock)[1]
        have = old.get(row.group, {}).get(row.name, {})
        if any(have.get(mode, {}).get("verilog") != key(mode, row.top, text, version) for mode in modes_of(row)):
            yield f"{row.group} {row.name}"


def main():
    parser = argparse.ArgumentParser(description="Area of blocks and machines: docs/area.json and docs/area.md.")
    parser.add_argument("--quadlock", default="target/checked/quadlock", help="the binary that exports")
    parser.add_argument("--jobs", type=int, default=2, help="syntheses at the same time")
    parser.add_argument("--only", default="", metavar="REGEX", help="rows whose group and name, as in `blocks lane`, match; the others stay as they are")
    parser.add_argument("--mode", choices=["kept", "flat", "both"], default="both", help="of these rows only this result")
    parser.add_argument("--check", action="store_true", help="measure nothing: list the rows that are not of today's Verilog; exit status 1 if there are any")
    args = parser.parse_args()
    quadlock = str((ROOT / args.quadlock).resolve())
    version = " ".join(run(["yosys", "-V"]).split()[:2])
    everything = rows(quadlock)
    chosen = [row for row in everything if re.search(args.only, f"{row.group} {row.name}")]
    if not chosen or args.jobs < 1:
        sys.exit("area: no row is chosen, or no job")
    modes = [mode for mode in MODES if args.mode in (mode, "both")]
    if args.check:
        old = list(stale(chosen, quadlock, version))
        print("\n".join(old) if old else "all rows are of this Verilog")
        sys.exit(1 if old else 0)
    results = {}
    with ThreadPoolExecutor(args.jobs) as pool:
        # The kept results first: they are many and take little.
        waiting = [(row, mode, pool.submit(measure, row, mode, quadlock, version)) for mode in modes for row in chosen if mode in modes_of(row)]
        try:
            for row, mode, result in waiting:
                found = result.result()
                results.setdefault((row.group, row.name), {})[mode] = found
                print(f"{row.group} {row.name}, {mode}: {found['lut4']:,} LUT4", flush=True)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    store(everything, results, version)
    print(f"{len(results)} rows: docs/area.json, docs/area.md")


if __name__ == "__main__":
    try:
        main()
    except (RuntimeError, OSError) as error:
        sys.exit(f"area: {error}")

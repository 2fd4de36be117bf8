"""`make formal`: proves the properties of `properties.py` on the exported Verilog, shows that the situation of each is reached, and that a bug planted beside each is found.

The properties of the entity and of the waiting room, those of `BOUNDED` apart, are proved by induction over one cycle: any state in which all assertions hold is followed by such states,
and the state after power-up is one. The assertions of `*_invariants.svh` are proved along. The bus's are proved by abc's pdr. All these are without bound; those of `BOUNDED` are searched
from power-up. Covers and planted bugs are searched from power-up, without the invariants. Every failure, also a situation that is not reached and a planted bug that is not found, is exit
status 1. The table goes to out/formal/summary.txt; `--page` puts the last run, whole or not, into docs/formal.json, and the counts and the table of all runs into docs/formal.md (`page.py`).

It can be wrong by proving something about nothing: inputs that the constraints forbid altogether are refused, and so are undriven wires."""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import time

from aig import Aig, bounded, induction, sound
from build import OUT, ROOT, build
from designs import BOUNDED, DEEP, DEPTH, DESIGNS, MODULES, UNBOUNDED
from page import FAILED, KINDS, kept, table, write
from properties import FAULTS

# Modules of a block that its properties replace: RAMs that say anything.
CLASSES = ("async_ram_8_32", "async_ram_8_1")
CUT = {"result_store": ("ram_1024", "ram_byte_1024", "ram_byte_256"), "merge_queue": ("async_ram_8_1",), "hide_test": CLASSES, "raster_hi_z": CLASSES, "tile_test": CLASSES, "quad_filter": CLASSES, "hi_z": ("deep_ram_64_48", "deep_ram_4_41", "deep_ram_4_48"),
       "back_levels": ("deep_ram_4_48", "deep_ram_4_26", "deep_ram_4_14", "deep_ram_4_35", "async_ram_32_24")}
# Modules of four words, and the width of a word, which the properties of a block look at.
VIEWS = {b: {"ram_4": 32} for b in ("semaphore_entity", "waiting_room", "waiting_room+semaphore_entity")}
VIEWS["geometry_references"] = {"deep_ram_4_14": 14, "deep_ram_4_12": 12}

# With an entity that answers faster (`room.sv`): without it situations and bugs of the waiting room lie 60 cycles deep.
QUICK = ["QUICK"]


def short(name):
    """File and line of an assertion's name as yosys makes it."""
    found = re.search(r"_(?:assert|cover)_formal_(.*)_(sv|svh)_(\d+)_", name)
    return f"{found[1]}.{found[2]}:{found[3]}" if found else name


def graph(design, name, defines, covers=False, text=None):
    label, block = design[0], design[1]
    verilog = OUT / f"{label}.v"
    if text is not None:
        verilog = OUT / "work" / f"{label}-{name}.v"
        verilog.parent.mkdir(parents=True, exist_ok=True)
        verilog.write_text(text)
    out = OUT / "work" / f"{label}-{name}"
    plain = name.rsplit("-", 1)[0]
    own = BOUNDED.get(plain) or UNBOUNDED.get(plain)
    proof = own[:2] if own else MODULES[block]
    build(verilog, *proof, defines + design[3], out, covers, VIEWS.get(block, {}))
    return Aig(f"{out}.aig", f"{out}.ywa"), f"{out}.aig"


def pdr(path):
    """Whether abc proves that no bad state is reached, in its words."""
    done = subprocess.run(
        ["berkeley-abc", "-c", f"read_aiger {path}; fold; strash; scorr; pdr -T 300"], capture_output=True, text=True, cwd=ROOT
    )
    return "Property proved" in done.stdout, done.stdout[-400:]


def prove(design, prop):
    defines = ["PROPERTY_" + prop[0]]
    own = BOUNDED.get(prop[0])
    inductive = (design[1] in ("semaphore_entity", "waiting_room") and not own) or prop[0] in UNBOUNDED
    depth = own[2] if own else None
    aig, path = graph(design, f"{prop[0]}-prove", defines + ["INVARIANTS"] * (inductive and not depth))
    if not aig.bads:
        return False, "", f"{prop[0]} has no assertion"
    if not sound(aig):
        return False, "", "the constraints allow no input at all"
    if depth:
        found = bounded(aig, depth, every=False)
        wrong = [f"false in cycle {c}: {short(n)}" for n, c in found.items()]
        return not wrong, f"bounded, {depth} cycles", "\n".join(wrong)
    if not inductive:
        proved, words = pdr(path)
        return proved, "abc pdr, unbounded", "" if proved else words
    start, after = induction(aig)
    wrong = [f"false at power-up: {short(n)}" for n in start] + [f"not inductive: {short(n)}" for n in after]
    return not wrong, f"induction of {len(aig.bads)} assertions, unbounded", "\n".join(wrong)


def search_depth(prop):
    return BOUNDED[prop[0]][3] if prop[0] in BOUNDED else DEEP.get(prop[0], DEPTH)


def cover(design, prop):
    aig, _ = graph(design, f"{prop[0]}-cover", QUICK + ["PROPERTY_" + prop[0]], covers=True)
    found = bounded(aig, search_depth(prop), every=True)
    missing = [f"not reached: {short(n)}" for n in aig.names if n not in found] or ([] if aig.names else ["no cover"])
    return not missing, f"{len(found)} by cycle {max(found.values(), default=0)}", "\n".join(missing)


def export(verilog, design, parameters):
    exporter = ROOT / "target" / os.environ.get("PROFILE", "checked") / "examples" / "export"
    sets = [x for p in parameters for x in (("--places", p[7:]) if p.startswith("places=") else ("--set", p))]
    verilog.parent.mkdir(parents=True, exist_ok=True)
    modules = {}
    for block in design[1].split("+"):
        subprocess.run([exporter, verilog, "--top", block, *sets], check=True, cwd=ROOT)
        for text in re.split(r"^(?=module )", verilog.read_text(), flags=re.M):
            name = text.split("(")[0]
            if name.removeprefix("module ") not in CUT.get(block, ()):
                modules.setdefault(name, text)
    verilog.write_text("".join(modules.values()))
    return verilog.read_text()


def bug(design, prop):
    text = export(OUT / "work" / f"{design[0]}-{prop[0]}-fault.v", design, design[2] + [f"fault={prop[2]}"])
    aig, _ = graph(design, f"{prop[0]}-bug", QUICK + ["PROPERTY_" + prop[0]], text=text)
    found = bounded(aig, search_depth(prop), every=False)
    return bool(found), f"cycle {min(found.values())}" if found else "", "" if found else f"{prop[2]} is not found in {search_depth(prop)} cycles"


def task(key):
    design = next(d for d in DESIGNS if d[0] == key[0])
    prop = next(p for p in design[4] if p[0] == key[1])
    begin = time.monotonic()
    try:
        result = {"prove": prove, "cover": cover, "bug": bug}[key[2]](design, prop)
    except (RuntimeError, ValueError, OSError, subprocess.SubprocessError) as e:
        result = (False, "", str(e))
    return key, result, time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", help="designs and properties that contain this, as design/property")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--page", action="store_true", help="run nothing; put what the last run proved into docs/formal.json, and its table into docs/formal.md")
    args = parser.parse_args()
    if args.page:
        return write()
    keys = [(d[0], p[0], k) for d in DESIGNS for p in d[4] for k in KINDS if not args.only or args.only in f"{d[0]}/{p[0]}"]
    if not keys:
        sys.exit(f"formal: nothing is called {args.only}")
    if unknown := {p[2] for d in DESIGNS for p in d[4]} - FAULTS.keys():
        sys.exit(f"formal: hdl/src/fault.rs has no fault called {', '.join(sorted(unknown))}")
    OUT.mkdir(parents=True, exist_ok=True)
    for design in DESIGNS:
        export(OUT / f"{design[0]}.v", design, design[2])
    begin, results, failures = time.monotonic(), {}, []
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        for future in concurrent.futures.as_completed([pool.submit(task, k) for k in keys]):
            key, (ok, figure, words), seconds = future.result()
            results[key] = (figure if ok else FAILED, seconds)
            print(f"{'ok  ' if ok else 'FAIL'} {key[0]}/{key[1]} {key[2]}: {figure if ok else words} ({seconds:.0f} s)", flush=True)
            if not ok:
                failures.append(f"{key[0]}/{key[1]} {key[2]}: {words}")
    total = f"{len(keys)} runs, {len(failures)} failed, {time.monotonic() - begin:.0f} s with {args.jobs} at once"
    text = "\n".join(table(kept(results)) + ["", total] + failures) + "\n"
    (OUT / "summary.txt").write_text(text)
    print("\n" + text)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Figures of the machine on its examples: docs/figures.json and docs/figures.md, by one command (`make figures`).

Each section runs `quadlock` and takes its figures from the JSON reports. Cycles are simulated ones,
the same in every run, so a section changes only with the machine, the compiler or the job. The page
is made from the JSON; other pages link to it and repeat nothing.

It can be wrong by figures of an older tree: each section says when it was measured. A run that does
not pass is an error, and the section stays as it was.

Usage: figures.py [--quadlock BINARY] [--check] [SECTION ...]; `--page` makes the page alone.
"""

import argparse
import concurrent.futures
import datetime
import json
import pathlib
import statistics
import subprocess
import sys

import gate
import visible_only

ROOT = pathlib.Path(__file__).resolve().parent.parent
JSON = ROOT / "docs" / "figures.json"
PAGE = ROOT / "docs" / "figures.md"
OUT = ROOT / "out" / "figures"


def report(quadlock, job, *options, own="job"):
    """The reports of a job: one, or two with --compare. Runs side by side have folders of their own."""
    folder = OUT / own
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "report.json"
    command = [quadlock, "run", f"examples/{job}.toml", *options, "--out", str(folder), "--report", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"figures: {' '.join(command)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    found = json.loads(file.read_text())
    return found if isinstance(found, list) else [found]


def throughput(quadlock):
    for job, size in [
        ("edge-detect", "128x96 pixels"),
        ("matrix-multiply", "64x64"),
        ("mandelbrot", "128x128, 64 steps"),
        ("histogram", "128x96 pixels"),
    ]:
        (r,) = report(quadlock, f"{job}/job")
        utilisation = f"{100 * r['lane_utilisation']:.1f} %"
        yield [f"{job} ({size})", f"{r['cycles']:,}", f"{r['ipc']:.3f}", utilisation, f"{r['memory_transactions']['total']:,}"]


def presets(quadlock):
    """Each preset of the table that the binary prints, on what its machine can run."""
    listed = subprocess.run([quadlock, "settings", "--json"], capture_output=True, text=True, check=True)
    for preset in json.loads(listed.stdout)["presets"]:
        name, draws = preset["name"], "graphics=on" in preset["sets"]
        jobs = ["mandelbrot/job", "reduction/job", "histogram/job", "compaction/job"]
        # A preset for one sample draws no scene of several.
        scenes = ["teapot/scene", "depth-complexity/scene"] + ["msaa/scene"] * ("max-samples=1" not in preset["sets"])
        for example in scenes if draws else jobs:
            (r,) = report(quadlock, example, "--small", "--preset", name)
            yield [f"`{name}`", f"`examples/{example}.toml`", str(len(r["mismatches"] or [])), f"{r['retired']:,}", f"{r['cycles']:,}"]


def semaphores(quadlock):
    for job in ["ray-trace/job", "ordered-z/job", "intra-decode/job", "intra-decode/job-slices", "wavefront/job", "bank/job"]:
        a, b = report(quadlock, job, "--compare", "semaphores=polling")
        latency = a["handover_latency_cycles"]
        yield [
            f"`examples/{job}.toml`",
            str(len(a["mismatches"]) + len(b["mismatches"])),
            f"{a['cycles']:,}, {b['cycles']:,}",
            f"{a['polling_slots']:,}, {b['polling_slots']:,}",
            f"{a['handovers']:,}",
            f"{latency['median']}, {latency['max']}",
            f"{a['bus_messages']:,}",
            str(a["semaphore_protocol_errors"]),
        ]


def polling(quadlock):
    for job, name, setting in [
        ("wavefront", "`wavefront` (one unit)", "warps=4"),
        ("wavefront", "`wavefront` (one unit)", "warps=8"),
        ("wavefront", "`wavefront` (one unit)", ""),
        ("wavefront", "`wavefront` (one unit)", "latency=2"),
        ("wavefront", "`wavefront` (one unit)", "latency=40"),
        ("bank", "`bank`", ""),
        ("ordered-z", "`ordered-z`", ""),
    ]:
        options = ["--set", setting] if setting else []
        a, b = report(quadlock, f"{job}/job", *options, "--compare", "semaphores=polling")
        shown = f"`--set {setting}`" if setting else "16 warps" if job == "wavefront" else ""
        pairs = [(a["cycles"], b["cycles"]), (a["issue_slots"]["used"], b["issue_slots"]["used"])]
        memory = b["memory_transactions"]["total"] / a["memory_transactions"]["total"]
        row = [name, shown]
        for one, other in pairs:
            row += [f"{one:,}, {other:,}", f"{other / one:.2f}"]
        yield [*row, f"{memory:.2f}"]


def warp_wide(quadlock):
    jobs = {
        "reduction": "reduction/job",
        "histogram, private bins": "histogram/private",
        "compaction": "compaction/job",
        "hash-table": "hash-table/job",
        "histogram": "histogram/job",
    }
    for name, job in jobs.items():
        (off,) = report(quadlock, job, "--small", "--set", "warp-wide=off")
        cycles, once = [], []
        for way in ("representative", "collective", "scalar"):
            both = [
                report(quadlock, job, "--small", "--set", f"warp-wide={way}", "--set", f"warp-wide-result={result}")[0]
                for result in ("per-lane", "shared")
            ]
            cycles.append(", ".join(f"{r['cycles']:,}" for r in both))
            once += [r["atomic_transactions"] for r in both]
        least, most = min(once), max(once)
        span = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        ratio = f"{off['atomic_transactions'] / least:.2f}"
        yield [name, f"{off['atomic_transactions']:,}", span, ratio, f"{off['cycles']:,}", *cycles]


SCENES = [
    "teapot",
    "depth-complexity",
    "foliage",
    "particles",
    "outline",
    "msaa",
    "derivatives",
    "mesh",
    "gltf",
    "hair",
    "sample-rate",
]


def all_bytes(clients):
    """Bytes of all clients. Colour and depth are those of tiles."""
    return sum(n for client, n in clients.items() if client not in ("colour", "depth"))


def graphics(quadlock):
    for scene in SCENES:
        (r,) = report(quadlock, f"{scene}/scene")
        share = f"{100 * r['fragment_issues'] / r['fragment_cycles']:.1f} %" if r["fragment_cycles"] else "-"
        yield [
            f"`{scene}`",
            f"{r['draws']:,}",
            f"{r['vertices_shaded']:,}",
            f"{r['triangles']['set_up']:,} of {r['triangles']['in']:,}",
            f"{r['quads']:,}",
            f"{r['fragments_shaded']:,}, {r['helper_lanes']:,}",
            f"{r['cycles']:,}",
            share,
            f"{r['tile_reloads']:,}",
            f"{all_bytes(r['bytes']):,}",
        ]


def graphics_cores(quadlock):
    for scene in SCENES:
        row, mismatches = [], 0
        for cores in "1234":
            timing = ["memory.latency=12", "memory.jitter=20", "memory.stall=20", f"memory.seed={cores}"]
            options = [o for setting in [f"machine.cores={cores}", *timing] for o in ("--set", setting)]
            (r,) = report(quadlock, f"{scene}/scene", "--small", *options)
            mismatches += len(r["mismatches"] or [])
            row.append(f"{r['cycles']:,}")
        yield [f"`{scene}`", str(mismatches), *row]


def fall(before, after):
    return f"{100 * (before - after) / before:.1f} %"


def merging(quadlock):
    for scene in ["foliage/scene", "foliage/bound", "hair/scene"]:
        on, off = report(quadlock, scene, "--set", "merge=on", "--compare", "merge=off")
        m, instructions = on["merge"], off["merge"]["instructions"]
        lost = ", ".join(str(m[key]) for key in ("lost_depth", "lost_time", "lost_ended"))
        useful = [f"{100 * r['merge']['lane_slots_useful'] / r['merge']['lane_slots']:.1f} %" for r in (off, on)]
        behind = [f"{100 * r['merge']['after_lane_slots_useful'] / r['merge']['after_lane_slots']:.1f} %" for r in (off, on)]
        # What merged warps executed once would have been two instructions each, and the one unit of a scene that fragments bind issues one in a cycle.
        bound = scene == "foliage/bound"
        allowed = m["saved_instructions"] / off["cycles"]
        measured = (off["cycles"] - on["cycles"]) / off["cycles"]
        yield [
            f"`examples/{scene}.toml`",
            f"{m['pairs_found']:,} of {m['pairs_possible']:,}",
            lost,
            ", ".join(useful),
            ", ".join(behind),
            f"{instructions:,}, {m['instructions']:,}",
            f"{off['cycles']:,}, {on['cycles']:,}",
            f"{100 * allowed:.1f} %" if bound else "-",
            f"{100 * measured:.1f} %",
            f"{measured / allowed:.2f}" if bound else "-",
        ]


def splitting(quadlock):
    for scene in ["sample-rate/scene"]:
        on, off = report(quadlock, scene, "--set", "split=on", "--compare", "split=off")
        s = on["split"]
        yield [
            f"`examples/{scene}.toml`",
            f"{s['groups']:,}, {s['warps']:,}",
            f"{s['before']:,}, {s['after']:,}",
            f"{off['retired']:,}, {on['retired']:,}",
            f"{100 * s['saved'] / off['retired']:.1f} %",
            fall(off["retired"], on["retired"]),
            f"{off['cycles']:,}, {on['cycles']:,}",
            fall(off["cycles"], on["cycles"]),
        ]


HIDING = {
    "off": [],
    "windows": ["tbimr=window"],
    "windows, Hi-Z": ["tbimr=window", "hi-z=visibility+binner"],
    "these, cull pipeline": ["tbimr=window", "hi-z=visibility+binner", "cull-pipeline=depth"],
}
HIDDEN = [
    "depth-complexity/scene",
    "depth-complexity/shuffled",
    "depth-complexity/back-to-front",
    "hidden/layers",
    "hidden/few-stones",
    "hidden/inside",
    "teapot/scene",
    "mesh/scene",
    "hidden/sheet",
]


def sets(settings):
    return [o for setting in settings for o in ("--set", setting)]


def shaded(r):
    return f"{r['fragments_shaded'] / r['visible_samples']:.3f}"


def hiding(quadlock):
    for scene in HIDDEN:
        off = None
        for name, settings in HIDING.items():
            (r,) = report(quadlock, scene, *sets(settings))
            off = off or r["cycles"]
            culls = r["culls"]
            by = culls and ", ".join(str(culls["by"][stage]) for stage in ("cull_pipeline", "visibility", "binner", "rasteriser"))
            yield [
                f"`{scene}`" if name == "off" else "",
                name,
                f"{culls['found']:,} of {culls['oracle']:,}" if culls else "-",
                by or "-",
                shaded(r),
                f"{r['cycles']:,}",
                "-" if name == "off" else fall(off, r["cycles"]),
            ]


def ideal(quadlock):
    (off,) = report(quadlock, "hidden/layers")
    best, way, (seen, squares) = visible_only.ideal(quadlock, OUT / "ideal", "--set", "tbimr=window")
    yield ["off", "", shaded(off), f"{off['cycles']:,}", ""]
    yield [f"only the {seen} of {squares} squares that show, depths by a {way} before", "", "1.000", f"{best:,}", "1.000"]
    for name, more in [("window of 1,024", []), ("window of 256", ["tbimr-window=256", "store-triangles=1024", "store-vertices=2048"])]:
        for machine, settings in list(HIDING.items())[2:]:
            (r,) = report(quadlock, "hidden/layers", *sets([*settings, *more]))
            share = (off["cycles"] - r["cycles"]) / (off["cycles"] - best)
            yield [f"{machine}, {name}", str(sum(r["culls"]["windows"])), shaded(r), f"{r['cycles']:,}", f"{share:.3f}"]


def windows(quadlock):
    for scene in ["depth-complexity/shuffled", "hidden/inside", "hidden/few-stones", "teapot/scene", "mesh/scene"]:
        for tbimr, more in [("off", []), ("window", []), ("window", ["tbimr-window=256"]), ("full", [])]:
            (r,) = report(quadlock, scene, *sets([f"tbimr={tbimr}", *more]))
            visits = r["tile_visits"]
            yield [
                f"`{scene}`" if tbimr == "off" else "",
                ", ".join([tbimr, *more]),
                f"{r['bytes']['tiles']:,}",
                f"{r['bytes']['bins']:,}",
                f"{visits['again']:,}" if visits and tbimr != "off" else "-",
                f"{r['tile_reloads']:,}",
                f"{r['cycles']:,}",
            ]


def share(found, allowed):
    return f"{found:,} of {allowed:,} ({100 * found / allowed:.1f} %)" if allowed else "-"


# A frame that was found to go wrong stays as it is, small as it is.
FINDINGS = ["20-state-changes-end-windows"]


def frames(quadlock):
    culled, paired = {}, {}
    model = "the model, full size"
    machines = {"full": [], **{f"without {name}": off for name, off in gate.MECHANISMS.items()}}
    pool = concurrent.futures.ThreadPoolExecutor(2)

    def begun(frame, scene, name, off):
        path = str(scene.relative_to(ROOT / "examples").with_suffix(""))
        options = ["--small", "--set", "expect={}", "--preset", "full", *sets(off)]
        return pool.submit(report, quadlock, path, *options, own=f"{frame}-{name}")

    def whole(frame, scene):
        path = str(scene.relative_to(ROOT / "examples").with_suffix(""))
        return pool.submit(report, quadlock, path, "--engine", "golden", "--oracle", "--set", "expect={}", "--preset", "full", own=f"{frame}-whole")

    wholes = {frame: whole(frame, scene) for frame, scene in gate.frames().items()}
    runs = {(frame, name): begun(frame, scene, name, off) for frame, scene in gate.frames().items() for name, off in machines.items()}
    for frame in gate.frames():
        for name in machines:
            (r,) = runs[frame, name].result()
            if frame not in FINDINGS and not (20 <= r["draws"] <= 200 and (not r.get("ideal") or r["ideal"]["allowed"] >= 100)):
                sys.exit(f"figures: {frame} has {r['draws']} draws and {r['ideal']}: a frame has 20 to 200 draws, and 100 pairs may be left out")
            ideal, merge = r.get("ideal"), r["merge"]
            if ideal and ideal["allowed"]:
                culled.setdefault(name, []).append(ideal["found"] / ideal["allowed"])
            if merge["pairs_possible_whole"]:
                paired.setdefault(name, []).append(merge["pairs_found"] / merge["pairs_possible_whole"])
            yield [
                f"`{frame}`" if name == "full" else "",
                name,
                f"{r['cycles']:,}",
                f"{r['bytes']['tiles']:,}",
                share(ideal["found"], ideal["allowed"]) if ideal else "-",
                f"{ideal['beyond']:,}" if ideal else "-",
                share(merge["pairs_found"], merge["pairs_possible_whole"]),
                f"{merge.get('pairs_ideal') or 0:,}",
            ]
        (r,) = wholes[frame].result()
        ideal = r["ideal"]
        yield ["", model, "", "", f"{ideal['allowed']:,} allowed", "", "", f"{ideal['pairs']:,}"]
    for kind, of in [("mean", statistics.mean), ("minimum", min)]:
        for name in machines:
            parts = [f"{100 * of(all_of[name]):.1f} %" if all_of.get(name) else "-" for all_of in (culled, paired)]
            yield [f"{kind} of all" if name == "full" else "", name, "", "", parts[0], "", parts[1], ""]


# Name: title, what it shows, command of one row, columns, what measures it.
SECTIONS = {
    "throughput": (
        "Throughput",
        "Full size, default machine, in lockstep.",
        "quadlock run examples/edge-detect/job.toml",
        ["example", "cycles", "IPC, two units", "lane utilisation", "memory transactions"],
        throughput,
    ),
    "presets": (
        "Presets",
        "Small size, in lockstep, on each [preset](presets.md). Warp instructions are retired ones.",
        "quadlock run examples/teapot/scene.toml --small --preset full",
        ["preset", "example", "mismatches", "warp instructions", "cycles"],
        presets,
    ),
    "semaphores": (
        "Semaphores and polling",
        "Full size, the job's own machine, in lockstep. Of two figures the second is with polling.",
        "quadlock run examples/ray-trace/job.toml --compare semaphores=polling",
        ["job", "mismatches", "cycles", "polling slots", "hand-overs", "latency: median, most", "messages on the bus", "protocol errors"],
        semaphores,
    ),
    "polling": (
        "What waiting by message saves",
        "Full size, the job's own machine but for the setting. The second figure is with polling.",
        "quadlock run examples/wavefront/job.toml --compare semaphores=polling",
        ["job", "setting", "cycles", "ratio", "issue slots used", "ratio", "memory transactions: ratio"],
        polling,
    ),
    "warp-wide": (
        "Operations executed once for a warp",
        "Small size, in lockstep. Of two figures the second is with `warp-wide-result=shared`.",
        "quadlock run examples/reduction/job.toml --small --set warp-wide=collective",
        [
            "job",
            "transactions per lane",
            "once for the warp",
            "ratio",
            "cycles per lane (`off`)",
            "`representative`",
            "`collective`",
            "`scalar`",
        ],
        warp_wide,
    ),
    "graphics": (
        "Scenes",
        "Full size, the scene's own machine, in lockstep.\nLanes issue: of the cycles in which a unit has fragments.",
        "quadlock run examples/teapot/scene.toml --report report.json",
        [
            "scene",
            "draws",
            "vertices shaded",
            "triangles set up",
            "quads",
            "fragments, helper lanes",
            "cycles",
            "lanes issue",
            "tile reloads",
            "bytes",
        ],
        graphics,
    ),
    "graphics-cores": (
        "Scenes on several cores, with random memory timing",
        "Small size, in lockstep, with `memory.latency=12`, `memory.jitter=20`, `memory.stall=20`,\nand the cores as `memory.seed`.",
        "quadlock run examples/teapot/scene.toml --small --set machine.cores=4 \\\n"
        "        --set memory.latency=12 --set memory.jitter=20 --set memory.stall=20 --set memory.seed=4",
        ["scene", "mismatches", "cycles, 1 core", "2 cores", "3 cores", "4 cores"],
        graphics_cores,
    ),
    "merging": (
        "Sparse warps merged",
        "Full size, in lockstep. Of two figures the first is without merging. Useful: of all lane slots.\n"
        "The fall that is allowed is instructions that merges saved over cycles without them; the last\n"
        "column is how much of it came. Only `bound.toml` is bound by fragments\n"
        "([merging.md](merging.md#measured)).",
        "quadlock run examples/foliage/bound.toml --set merge=on --compare merge=off",
        [
            "scene",
            "merges, of possible",
            "lost: full queue, time, ended",
            "useful",
            "useful behind the point",
            "fragment instructions",
            "cycles",
            "fall allowed",
            "fall of cycles",
            "ratio",
        ],
        merging,
    ),
    "splitting": (
        "Sample-rate warps split",
        "Full size, in lockstep. Of two figures the first is without splitting, where both are possible.\n"
        "The shared part allows so much: what the pixels' instructions would be more for each sample.",
        "quadlock run examples/sample-rate/scene.toml --set split=on --compare split=off",
        [
            "scene",
            "groups, warps that they started",
            "instructions of pixels, of samples",
            "warp instructions",
            "fall that the shared part allows",
            "fall",
            "cycles",
            "fall",
        ],
        splitting,
    ),
    "hiding": (
        "Windows, Hi-Z and the cull pipeline",
        "Full size, in lockstep. `off` is the default machine. Then come `tbimr=window`,\n"
        "`hi-z=visibility+binner` with it, and `cull-pipeline=depth` with both. Culled are pairs of a\n"
        "triangle and a group of 8 by 8 pixels, of those that the oracle of the report allows. By: cull\n"
        "pipeline, visibility unit, binner, rasteriser. Fragments are those shaded over those that are\n"
        "seen in the end. Nothing is hidden in `sheet`.",
        "quadlock run examples/hidden/layers.toml --set tbimr=window --set hi-z=visibility+binner \\\n"
        "        --set cull-pipeline=depth",
        ["scene", "machine", "culled", "by", "fragments", "cycles", "fall"],
        hiding,
    ),
    "ideal": (
        "Hi-Z beside a frame of what is seen",
        "`hidden/layers` full size, in lockstep: 800 triangles in random order, each pixel covered ten\n"
        "times. The ideal frame has only squares that show, and its hidden pixels end at the depth test\n"
        "([how](../scripts/visible_only.py)). Share: cycles saved, of those that the ideal saves.",
        "scripts/visible_only.py --quadlock target/checked/quadlock --set tbimr=window",
        ["frame", "windows", "fragments", "cycles", "share"],
        ideal,
    ),
    "frames": (
        "Frames of many draws",
        "The frames of `examples/frames`, small, in lockstep, on the machine of the preset `full` and\n"
        "without one mechanism each. Culled: pairs of a triangle and a group of 8 by 8 pixels, of those\n"
        "that windows of 1,024 triangles could hide, whatever the machine's windows are\n"
        "([hi-z.md](blocks/hi-z.md#ideal-windows)). Beyond: culled and not allowed by that; they count\n"
        "nowhere. Pairs of quads: merged, of the most that the quads of whole draws allow; the last\n"
        "column is that of the quads that the model shades. Mean and minimum are of shares.",
        "quadlock run examples/frames/01-street.toml --small --preset full",
        ["frame", "machine", "cycles", "bytes of tiles", "culled", "beyond", "pairs", "pairs of the model"],
        frames,
    ),
    "windows": (
        "Tiles in memory without windows, with them, and with all triangles at once",
        "Full size, in lockstep, `hi-z=off`. Tiles: colour and depth, read and written. Lists: triangles\n"
        "and lists of `tbimr=full`. Visits again: pairs of a window and a tile that an earlier window\n"
        "has drawn in. A tile that is still in a buffer is not loaded again.",
        "quadlock run examples/teapot/scene.toml --set tbimr=full",
        ["scene", "machine", "bytes of tiles", "of lists", "visits again", "reloads", "cycles"],
        windows,
    ),
}


def page(found):
    """The page of a docs/figures.json."""
    lines = ["# Figures of the examples", "", "Made by `make figures` from [figures.json](figures.json); do not edit.", ""]
    for name, (title, about, command, head, _) in SECTIONS.items():
        if name not in found:
            continue
        section = found[name]
        lines += [f"## {title}", "", about, f"Measured on {section['measured']}.", "", f"    {command}", ""]
        lines += ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *section["rows"]]]
        lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def main():
    parser = argparse.ArgumentParser(description="Figures of the examples: docs/figures.json and docs/figures.md.")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"of {', '.join(SECTIONS)}; without names, all")
    parser.add_argument("--quadlock", default="target/checked/quadlock", help="the binary that runs the jobs")
    parser.add_argument("--check", action="store_true", help="run nothing; status 1 if the page is not that of the JSON")
    parser.add_argument("--page", action="store_true", help="run nothing; make the page from the JSON")
    args = parser.parse_args()
    if unknown := [name for name in args.sections if name not in SECTIONS]:
        parser.error(f"no section {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    found = json.loads(JSON.read_text()) if JSON.exists() else {}
    if args.check:
        if PAGE.read_text() == page(found):
            return 0
        print("docs/figures.md is not the page of docs/figures.json: run scripts/figures.py --page", file=sys.stderr)
        return 1
    if not args.page:
        quadlock = str((ROOT / args.quadlock).resolve())
        for name in args.sections or SECTIONS:
            rows = list(SECTIONS[name][4](quadlock))
            old = found.get(name, {})
            same = rows == old.get("rows")
            measured = old["measured"] if same else datetime.date.today().isoformat()
            found[name] = {"measured": measured, "rows": rows}
            print(f"{name}: {len(rows)} rows, {'as before' if same else 'changed'}")
            JSON.write_text(json.dumps({n: found[n] for n in SECTIONS if n in found}, indent=1) + "\n")
    PAGE.write_text(page(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The checks by tier: what `make smoke` and `make test` run, and the parts of `make night`.

One list for all: steps.py runs the steps, night.py the parts, times.py measures the steps, and the
table in docs/regression.md is made from here. A step is a target of the Makefile. A part of the
night is commands with a time limit and the sources whose change makes its last result stale.

It can be wrong by a part that names too few sources: then its last result looks fresh and is not.
`--check` compares the page with this table, the steps with the Makefile, and docs/night.json with
the parts.

Usage: tiers.py --page | --check
"""

import argparse
import json
import pathlib
import re
import shutil
import sys
import textwrap
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "regression.md"
TIMES = ROOT / "docs" / "times.json"
NIGHT_JSON = ROOT / "docs" / "night.json"
# Designs that all processes of a run share; the Makefile has the same folder.
CACHE = ROOT / "target" / "quadlock-cache"
# Seconds that a part of the night may take, on two cores.
LIMIT = 3600


def empty(folder):
    """Removes a folder of designs, so that nothing of an earlier run decides a result."""
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        pass
    except OSError as e:
        sys.exit(f"{folder} cannot be emptied ({e}): remove it")


class Step(NamedTuple):
    """A step of `make smoke` or `make test`: a target of the Makefile."""

    target: str
    what: str
    reason: str
    # What it was a part of when the whole was last estimated (BEFORE).
    group: str = ""


class Part(NamedTuple):
    """A part of `make night`. In a command {seed} is the night's seed, {seed+N} one beside it."""

    name: str
    commands: list
    # Files and folders whose change makes its last result stale.
    sources: list
    # The row of the page that it belongs to: one of REASONS.
    row: str


COMPILE, FUZZ, CROSS, LINT, CLAIMS, TESTS = (
    "compile and clippy",
    "fuzz",
    "cross-check",
    "lint",
    "regress",
    "nextest and pictures",
)
# CPU minutes of `make test` on commit 71f430c3: estimated from samples, not measured step by step.
BEFORE_COMMIT = "71f430c3"
BEFORE_TOTAL = 115
BEFORE = {COMPILE: "25", FUZZ: "17", CROSS: "10 or more", LINT: "8 or more", CLAIMS: "1.5", TESTS: "the rest"}

SMOKE = [
    Step("fmt", "formatting", "takes a second"),
    Step("smoke-build", "the command and the house tests, compiled, with warnings as errors", "one binary, not all tests"),
    Step("house", "pages, floors of the crates", "what a change of one line breaks elsewhere"),
    Step("changed-blocks", "list of blocks whose exported text changed", "a report: a change of structure must not change text"),
    Step("smoke-faults", "a planted fault in RTL, model and compiler, each must be found", "a lockstep that finds nothing would pass everything"),
    Step("smoke-runs", "two jobs, a scene and 20 random programs in lockstep", "the whole path once"),
]

# After `build` two run side by side, in this order: the longest first.
TEST = [
    Step("fmt", "formatting", "takes a second", COMPILE),
    Step("deny", "licences, sources and second versions of the crates", "a second", COMPILE),
    Step("build", "everything with its tests, compiled, with rustc's and clippy's warnings as errors", "once, for all steps", COMPILE),
    Step("nextest", "unit, property, must-fail and house tests, with fixed seeds", "those that the night alone runs are in `.config/nextest.toml`, each with its smaller form", TESTS),
    Step("crosscheck-quick", "all blocks on all engines but Verilator, a tenth on Verilator, 13 whole machines on every engine", "Verilator's builds take most of the time; it has all blocks at night", CROSS),
    Step("fuzz", "1,351 random programs, graphs, scenes and pairs on 12 machines each, 6 with graphics", "a machine for each program at night", FUZZ),
    Step("doctest", "examples in comments", "few", TESTS),
    Step("examples-check", "claims of all examples, small in lockstep and whole on the model", "whole in lockstep at night", CLAIMS),
    Step("findings", "inputs on which Quadlock was once wrong, each with its right outcome", "those that take minutes at night", CLAIMS),
    Step("gate-few", "three frames of many draws: no mechanism loses that `docs/limits.md` does not name", "all frames, cores and seeds at night", TESTS),
    Step("image-check-small", "pictures beside Mesa's lavapipe, small", "in full at night", TESTS),
    Step("float-check", "every float operation beside an oracle, level 1", "level 2 at night", TESTS),
    Step("fuzz-beside", "300 random scenes on the golden model beside Mesa's lavapipe, with an exact arbiter", "8,000 at night", FUZZ),
    Step("lint-check", "verilator -Wall, yosys on five exported machines", "what passed before with the same text and tool is not run again (`lint/hashes`)", LINT),
]

RTL = ["hdl", "cosim/isa"]
SIMULATOR = [*RTL, "cosim/rtlsim", "Cargo.lock"]
LOCKSTEP = [*SIMULATOR, "cosim/golden", "cosim/harness/src"]
PROGRAMS = [*LOCKSTEP, "cosim/shader"]
BIN = "target/checked/quadlock"


# Rows of the night on the page, and why they are there.
TESTS_ROW = "all tests, property tests with the night's seed"
EXAMPLES_ROW = "all examples whole in lockstep"
FINDINGS_ROW = "inputs on which Quadlock was once wrong, the long ones too"
IMAGES_ROW = "pictures beside lavapipe in full"
BESIDE_ROW = "8,000 random scenes on the golden model beside lavapipe"
GATE_ROW = "each mechanism on and off on twenty frames"
CAMPAIGN_ROW = "26,000 random programs, graphs, scenes, frames and pairs"
OPTIONS_ROW = "1,000 scenes with each set of options of merging, splitting and hiding"
INPUTS_ROW = "5,000 mutated shaders and 5,000 mutated jobs"
SHADERS_ROW = "100,000 changed shaders"
QUICK_ROW = "300 cycles of each block on all engines with Verilator"
FULL_ROW = "4,000 cycles of each block, jobs whole, on all engines"
FLOAT_ROW = "every float operation, level 2"
VERILOG_ROW = "5,000 random Verilog modules on three simulators"
FIRST_ROW = "the first build of a newcomer, `make run`"
FORMAL_ROW = "proofs of the exported Verilog"
LINTS_ROW = "lints and syntheses of five machines"
REASONS = {
    TESTS_ROW: "all cases of each test, other seeds of the property tests, and what `.config/nextest.toml` leaves to the night",
    EXAMPLES_ROW: "by day they are small in lockstep, and whole on the model",
    FINDINGS_ROW: "by day those that take seconds",
    IMAGES_ROW: "by day the scenes are small",
    BESIDE_ROW: "by day 300 scenes",
    GATE_ROW: "by day three frames, one core, one seed",
    CAMPAIGN_ROW: "a machine for each program; by day few machines for all",
    OPTIONS_ROW: "by day 25 scenes of each kind, with any options",
    INPUTS_ROW: "by day some hundreds, a test",
    SHADERS_ROW: "by day some hundreds, a test",
    QUICK_ROW: "by day Verilator has a tenth of the blocks",
    FULL_ROW: "by day 300 cycles, and the first 5,500 of each job (1,500 on Icarus)",
    FLOAT_ROW: "by day level 1",
    VERILOG_ROW: "by day 40, a test",
    FIRST_ROW: "by day nothing is built without the features that a newcomer's first build leaves out",
    FORMAL_ROW: "needs tools that nothing else needs; blocks change seldom",
    LINTS_ROW: "by day only what changed; at night nothing is taken from `lint/hashes`",
}


def parts():
    """The parts of the night. Each has an own seed range, so that no two do the same."""
    yield Part(
        "tests",
        ["cargo nextest run --workspace --cargo-profile checked --profile night", "cargo test --workspace --doc --profile checked"],
        [*PROGRAMS, "cosim", "examples", "docs", "scripts", ".config"],
        TESTS_ROW,
    )
    yield Part("examples", [f"{BIN} regress --whole --out out/night/examples examples"], [*PROGRAMS, "examples"], EXAMPLES_ROW)
    yield Part("findings", ["make BUILT=yes findings-long"], [*PROGRAMS, "scripts/findings.py"], FINDINGS_ROW)
    yield Part("images", ["make BUILT=yes image-check-full"], [*PROGRAMS, "examples", "scripts/image-check", "scripts/image_reference.py"], IMAGES_ROW)
    beside = ["cosim/beside", "cosim/lavapipe", "cosim/golden", "cosim/harness/src", "cosim/shader"]
    yield Part("beside", [f"{BIN} fuzz --scenes 8000 --seed {{seed}} --beside lavapipe --report out/night/beside.json"], beside, BESIDE_ROW)
    yield Part("gate", ["make BUILT=yes gate"], [*PROGRAMS, "examples/frames", "scripts/gate.py"], GATE_ROW)
    yield from campaign("frames", 1000, 1)
    yield from campaign("programs", 5000, 1)
    yield from campaign("programs", 1000, 1, "starts")
    yield from campaign("graphs", 1000, 1)
    yield from campaign("atomics", 12000, 2)
    yield from campaign("scenes", 1000, 1)
    yield from campaign("links", 5000, 2)
    for family, cut in [("merges", 8), ("splits", 8), ("hides", 10)]:
        for k in range(1, cut + 1):
            commands = [f"{BIN} fuzz --{family} 1000 --options {k}/{cut} --seed {{seed}}"]
            if k == 1:
                commands.insert(0, f"{BIN} fuzz --{family} 500 --seed {{seed}}")
            yield Part(f"{family}-{k}", commands, PROGRAMS, OPTIONS_ROW)
    yield Part("inputs", ["make fuzz-inputs"], ["cosim/shader", "cosim/harness", "cosim/glsl"], INPUTS_ROW)
    yield Part("shaders", [f"{BIN} shader-check examples --mutate 100000 --seed {{seed}}"], ["cosim/shader", "cosim/glsl", "cosim/harness/src/check/shaders"], SHADERS_ROW)
    yield Part("crosscheck-quick", [f"{BIN} crosscheck --quick --seed {{seed}}"], SIMULATOR + ["cosim/harness/src"], QUICK_ROW)
    for k in range(1, 9):
        yield Part(f"crosscheck-{k}", [f"{BIN} crosscheck --share {k}/8 --seed {{seed}}"], SIMULATOR + ["cosim/harness/src"], FULL_ROW)
    yield Part("float", [f"{BIN} float-check --level 2 --seed {{seed}} --json out/float-check-2.json"], [*LOCKSTEP], FLOAT_ROW)
    for k in range(1, 5):
        command = f"target/checked/examples/random_verilog --modules 1250 --batch 100 --seed {{seed+{1250 * (k - 1)}}}"
        yield Part(f"verilog-{k}", [command], ["cosim/rtlsim", "Cargo.lock"], VERILOG_ROW)
    yield Part("first-build", ["make first-build", "make run"], [*PROGRAMS, "Cargo.toml"], FIRST_ROW)
    yield Part("formal", ["make formal"], ["hdl", "formal"], FORMAL_ROW)
    yield Part("lints", ["make BUILT=yes lint-rtl"], ["hdl", "scripts/lint-rtl.sh", "scripts/lint-rtl.vlt"], LINTS_ROW)


def campaign(what, count, cut, name=None):
    """Random programs with a machine each, in `cut` parts; as "starts" in four starts of it each."""
    starts = " --starts 4" if name == "starts" else ""
    for k in range(cut):
        part = name or (what if cut == 1 else f"{what}-{k + 1}")
        command = f"{BIN} fuzz --{what} {count // cut} --seed {{seed+{k * (count // cut)}}}{starts}"
        yield Part(f"fuzz-{part}", [command], PROGRAMS, CAMPAIGN_ROW)


NIGHT = list(parts())


def clock(seconds):
    """Seconds as people read them: 12 s, 3 min 05 s, 1 h 10 min."""
    seconds = round(seconds)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02} min"


def whole(steps):
    """Wall time of measured steps, of which some ran side by side."""
    return max((step["begin"] + step["wall"] for step in steps), default=0)


def read(path):
    return json.loads(path.read_text()) if path.exists() else None


def known_time(measured, target):
    """Wall time of a step in a list of measured ones."""
    for step in measured or []:
        if step["target"] == target:
            return clock(step["wall"])
    return "not measured"


def tier_rows(times, night):
    """Rows of the table of checks: check, tier, time, reason."""
    for tier, steps in [("smoke", SMOKE), ("test", TEST)]:
        measured = (times or {}).get("smoke-rtl" if tier == "smoke" else tier, [])
        for step in steps:
            yield [f"`make {step.target}`: {step.what}", tier, known_time(measured, step.target), step.reason]
    last = {row["part"]: row for row in night or []}
    rows = {}
    for part in NIGHT:
        rows.setdefault(part.row, []).append(part.name)
    for what, names in rows.items():
        seconds = [last[n]["seconds"] for n in names if n in last and last[n]["seconds"] is not None]
        time = f"{len(names)} parts" if len(names) > 1 else ""
        if len(seconds) == len(names):
            time = f"{time}{', ' if time else ''}{clock(sum(seconds))}"
        else:
            time = f"{time}{', ' if time else ''}{len(seconds)} of {len(names)} ever run" if len(names) > 1 else "never run"
        shown = f"`{names[0]}`" if len(names) == 1 else f"`{names[0]}` to `{names[-1]}`"
        yield [f"{shown}: {what}", "night", time, REASONS[what]]


def prose(text):
    """In lines of a page."""
    return textwrap.fill(text, 100)


def table(head, rows):
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])


def times_section(times):
    """The table of CPU minutes, before and now."""
    steps = (times or {}).get("test")
    if not steps:
        return "Not measured yet: `make times`."
    cpu = {name: sum(s["cpu"] for s in steps if s["target"] in [t.target for t in TEST if t.group == name]) for name in BEFORE}
    rows = [[name, before, f"{cpu[name] / 60:.1f}"] for name, before in BEFORE.items()]
    rows.append(["all", str(BEFORE_TOTAL), f"{sum(s['cpu'] for s in steps) / 60:.1f}"])
    each = [[f"`make {s['target']}`", f"{s['cpu'] / 60:.1f}", clock(s["wall"])] for s in steps]
    wall, misses = whole(steps), times.get("misses")
    each.append(["all", f"{sum(s['cpu'] for s in steps) / 60:.1f}", clock(wall)])
    text = [
        prose(
            f"Measured on {times['date']}, commit {times['commit']}, {times['cores']} cores ({times['processor']}). "
            "Two steps run side by side once all is built, so their wall times overlap."
        )
    ]
    text.append(table(["step", "CPU minutes", "wall"], each))
    if misses:
        again = sum(s["wall"] for s in steps if s["target"] == "lint-check")
        text.append(
            prose(
                f"All lints were in `lint/hashes`. With none there, `make lint-rtl` takes {clock(misses['wall'])} and "
                f"{misses['cpu'] / 60:.1f} CPU minutes, so `make test` takes {clock(wall - again + misses['wall'])}."
            )
        )
    for name, where in [("smoke-rtl", "the RTL"), ("smoke-compiler", "the compiler")]:
        if name in times:
            smoke = clock(whole(times[name]))
            text.append(f"`make smoke` after a change of one line in {where}, with compiling: {smoke}.")
    text.append(prose(f"Before is commit {BEFORE_COMMIT}. Its figures are estimates from samples, in CPU minutes; no step was measured."))
    text.append(table(["what", "before (estimated)", "now"], rows))
    return "\n\n".join(text)


def filled(page, name, text):
    """The page with another text between the markers of a section."""
    begin, end = f"<!-- generated by `scripts/tiers.py --page`: {name} -->\n", f"<!-- end: {name} -->\n"
    if begin not in page or end not in page.split(begin, 1)[1]:
        sys.exit(f"tiers: docs/regression.md has no section between {begin.strip()} and {end.strip()}")
    before, rest = page.split(begin, 1)
    return f"{before}{begin}\n{text}\n\n{end}{rest.split(end, 1)[1]}"


def current_page():
    """The page as table and measurements have it."""
    times, night = read(TIMES), read(NIGHT_JSON)
    page = filled(PAGE.read_text(), "tiers", table(["check", "tier", "time", "reason"], tier_rows(times, night)))
    return filled(page, "times", times_section(times))


def problems():
    """What does not fit: page, Makefile, docs/night.json."""
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z0-9-]+):", makefile, re.M))
    for step in [*SMOKE, *TEST]:
        if step.target not in targets:
            yield f"the Makefile has no target {step.target}"
        if step in TEST and step.group not in BEFORE:
            yield f"{step.target} is in no group of BEFORE"
    fuzz = re.search(r"^fuzz:.*\n((?:\t.*\n)*)", makefile, re.M)
    drawn = sum(int(n) for n in re.findall(r"fuzz --[a-z]+ (\d+)", fuzz[1] if fuzz else ""))
    if not any(f" {drawn:,} random" in f" {step.what}" for step in TEST):
        yield f"make fuzz draws {drawn:,}, and no step says so"
    for part in NIGHT:
        for source in part.sources:
            if not (ROOT / source).exists():
                yield f"part {part.name}: there is no {source}"
        for command in part.commands:
            target = re.match(r"make (?:BUILT=yes )?([a-z0-9-]+)", command)
            if target and target[1] not in targets:
                yield f"part {part.name}: the Makefile has no target {target[1]}"
    if [row["part"] for row in read(NIGHT_JSON) or []] != [part.name for part in NIGHT]:
        yield "docs/night.json has other parts: run scripts/tiers.py --page"
    if PAGE.read_text() != current_page():
        yield "docs/regression.md is not made from this table: run scripts/tiers.py --page"


FIELDS = ["commit", "time", "seconds", "seed", "result"]


def night_rows():
    """A row for each part, in order; what was never run has no values."""
    last = {row["part"]: row for row in read(NIGHT_JSON) or []}
    return [last.get(part.name) or {"part": part.name, **dict.fromkeys(FIELDS)} for part in NIGHT]


def write_pages(rows=None):
    """docs/night.json, one line for each part so that two branches merge, and the page."""
    lines = ",\n".join(json.dumps(row) for row in rows or night_rows())
    NIGHT_JSON.write_text(f"[\n{lines}\n]\n")
    PAGE.write_text(current_page())


def main():
    parser = argparse.ArgumentParser(description="The table of checks by tier, and the page that is made from it.")
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument("--page", action="store_true", help="make the sections of docs/regression.md, and rows of new parts")
    choice.add_argument("--check", action="store_true", help="status 1 if page, Makefile or docs/night.json differ from the table")
    args = parser.parse_args()
    if args.page:
        write_pages()
        return 0
    found = list(problems())
    print("\n".join(f"tiers: {problem}" for problem in found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

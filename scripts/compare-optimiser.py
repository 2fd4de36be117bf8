#!/usr/bin/env python3
"""Our code from public SPIR-V modules, and from what `spirv-opt -O` makes of them: does our optimiser leave
something that theirs finds?

  scripts/shader-corpora.py DIR                 makes a folder of public shaders
  scripts/compare-optimiser.py DIR --out OUT    compares, and keeps the chosen modules in OUT/original and
                                                OUT/optimised, which `quadlock bench shaders` can measure

Both go through our whole compiler; machine instructions of compute entry points are counted. Hints to unroll a
loop are cleared in both, because only spirv-opt obeys them. Modules are chosen by a rule that does not look at the
ratio: compute modules that spirv-val accepts, taken by our compiler from both sides, of `--least` instructions of
SPIR-V or more in functions, one of each set of equal code (debug information apart), in order of the SHA-256 of
that code, the first `--count`. Wrong would be a mean over modules that one side refuses, or over copies of one shader:
the numbers of all that fell out are printed. Exit status 1 if the mean is above `--must`.
"""

import argparse
import array
import collections
import concurrent.futures
import hashlib
import json
import math
import pathlib
import shutil
import subprocess
import sys

MAGIC, LOOP_MERGE, ENTRY_POINT, FUNCTION, COMPUTE = 0x07230203, 246, 15, 54, 5


def run(*command):
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def instructions(words):
    """(first word, opcode, number of words) of each; nothing of a module that is cut off."""
    at = 5
    while at < len(words):
        length = words[at] >> 16
        if length == 0 or at + length > len(words):
            return
        yield at, words[at] & 0xFFFF, length
        at += length


def without_hints(words):
    """Clears the hint to unroll."""
    for at, op, length in instructions(words):
        if op == LOOP_MERGE and length >= 4:
            words[at + 3] &= ~1


def size(path):
    """Instructions of a module's functions."""
    ops = [op for _, op, _ in instructions(array.array("I", path.read_bytes()))]
    return len(ops) - ops.index(FUNCTION) if FUNCTION in ops else 0


def prepare(path, folder):
    """A module's code without debug information as a file named after its hash, or why it is left out."""
    data = path.read_bytes()
    if len(data) < 20 or len(data) % 4:
        return "no module"
    words = array.array("I", data)
    if words[0] != MAGIC:
        return "no module"
    stages = {words[at + 1] for at, op, _ in instructions(words) if op == ENTRY_POINT}
    if stages != {COMPUTE}:
        return "not compute alone"
    without_hints(words)
    plain = folder / f"{path.name}.plain"
    plain.write_bytes(words.tobytes())
    stripped = folder / f"{path.name}.stripped"
    try:
        if not run("spirv-opt", "--strip-debug", "--compact-ids", plain, "-o", stripped):
            return "spirv-opt cannot read it"
        if not any(run("spirv-val", "--target-env", f"vulkan1.{n}", stripped) for n in (0, 1, 2, 3)):
            return "spirv-val refuses it"
        code = stripped.read_bytes()
        name = hashlib.sha256(code[:8] + code[12:]).hexdigest()
        (folder / "original").mkdir(exist_ok=True)
        (folder / "optimised").mkdir(exist_ok=True)
        stripped.replace(folder / "original" / f"{name}.spv")
    finally:
        plain.unlink(missing_ok=True)
        stripped.unlink(missing_ok=True)
    original, optimised = (folder / side / f"{name}.spv" for side in ("original", "optimised"))
    if not optimised.exists() and not run("spirv-opt", "-O", original, "-o", optimised):
        return "spirv-opt -O fails"
    return name


def check(quadlock, folder, jobs):
    """Instructions of each module that is accepted, over its entry points."""
    out = folder.with_suffix(".json")
    done = subprocess.run(
        [quadlock, "shader-check", str(folder), "--jobs", str(jobs), "--seconds", "60", "--json", str(out)],
        stdout=subprocess.DEVNULL, check=False,
    )
    if done.returncode not in (0, 1):
        sys.exit("compare-optimiser: shader-check failed")
    report = json.loads(out.read_text(encoding="utf-8"))
    accepted = [f for f in report["files"] if f["outcome"] == "accepted"]
    return {pathlib.Path(f["path"]).stem: sum(e["instructions"] or 0 for e in f["entries"]) for f in accepted}


def keep_only(folder, names):
    for path in folder.iterdir():
        if path.stem not in names:
            path.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="folder of .spv files, read with all folders in it")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for the modules compared; made anew")
    parser.add_argument("--quadlock", default="target/release/quadlock", help="the program (default: %(default)s)")
    parser.add_argument("--count", type=int, default=100, help="modules (default: %(default)s)")
    parser.add_argument("--least", type=int, default=40, help="fewest instructions of SPIR-V (default: %(default)s)")
    parser.add_argument("--must", type=float, default=1.02, help="largest mean (default: %(default)s)")
    parser.add_argument("--json", type=pathlib.Path, help="write the rows as JSON")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    for tool in ["spirv-opt", "spirv-val", args.quadlock]:
        if not shutil.which(tool):
            sys.exit(f"compare-optimiser: {tool} is missing")
    shutil.rmtree(args.out, ignore_errors=True)
    args.out.mkdir(parents=True)
    paths = sorted(args.folder.rglob("*.spv"))
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        found = list(pool.map(lambda p: prepare(p, args.out), paths))
    source, left = {}, collections.Counter()
    for path, name in zip(paths, found):
        if len(name) != 64:
            left[name] += 1
        elif name in source:
            left["code of another one"] += 1
        else:
            source[name] = path
    ours, theirs = (check(args.quadlock, args.out / side, args.jobs) for side in ("original", "optimised"))
    chosen = []
    for name in sorted(source):
        if name not in ours or name not in theirs:
            left["refused from the original" if name not in ours else "refused from spirv-opt's output alone"] += 1
        elif size(args.out / "original" / f"{name}.spv") < args.least:
            left[f"below {args.least} instructions"] += 1
        elif len(chosen) < args.count:
            chosen.append(name)
        else:
            left["behind the last one chosen"] += 1
    for side in ("original", "optimised"):
        keep_only(args.out / side, set(chosen))
    print(f"{len(paths)} modules, {len(chosen)} compared; left out:")
    for cause, n in left.most_common():
        print(f"  {n:5}  {cause}")
    if not chosen:
        sys.exit("compare-optimiser: nothing to compare")
    rows = [{"path": str(source[n].relative_to(args.folder)), "code": n, "original": ours[n], "optimised": theirs[n],
             "ratio": ours[n] / theirs[n]} for n in chosen]
    show = lambda r: print(f"{r['original']:8} {r['optimised']:10} {r['ratio']:7.3f}  {r['code'][:8]} {r['path']}")
    print("original  spirv-opt   ratio  code     module")
    for row in rows:
        show(row)
    mean = math.exp(sum(math.log(r["ratio"]) for r in rows) / len(rows))
    print("worst:")
    for row in sorted(rows, key=lambda r: -r["ratio"])[:10]:
        show(row)
    total = [sum(r[side] for r in rows) for side in ("original", "optimised")]
    print(f"instructions {total[0]} / {total[1]}; geometric mean {mean:.4f} (must {args.must})")
    if args.json:
        report = {"mean": mean, "must": args.must, "left_out": left, "rows": rows}
        args.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0 if mean <= args.must else 1


if __name__ == "__main__":
    sys.exit(main())

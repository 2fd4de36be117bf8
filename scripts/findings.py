#!/usr/bin/env python3
"""Runs the inputs on which Quadlock was once wrong (cosim/harness/findings), and checks the outcomes.

The cases are in `cosim/harness/findings/cases.toml`: a command, its settings, and what must come
out. The right outcomes were written down by those who found the faults, or follow from the public
rules that the case names; none was taken from what Quadlock prints. A case can be wrong by asking
for too little: then a fault comes back unseen. An unknown key is an error, so no check is lost by a
typing mistake.

Usage: findings.py [--quadlock FILE] [--long] [--json FILE] [CASE ...]
  without CASE all that take seconds; --long: those that take minutes, too
Exit status: 0 all as they must be, 1 one is not, 2 bad input
Needs Python with Pillow (scripts/install-tools.sh).
"""

import argparse
import collections
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib

from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "cosim" / "harness" / "findings"
# Seconds after which a command is ended and its case has failed.
LIMIT = 1800
# Depth has 24 bits.
DEPTH = (1 << 24) - 1


class Wrong(Exception):
    """What is not as it must be."""


def picture(path):
    with Image.open(path) as image:
        return image.convert("RGBA")


def drawn(image, clear):
    """How many pixels differ from what the target was cleared to."""
    flat = image.tobytes()
    return sum(tuple(flat[at : at + 4]) != tuple(clear) for at in range(0, len(flat), 4))


def pixels(image, wanted, tolerance):
    for x, y, *colour in wanted:
        seen = image.getpixel((x, y))
        if any(abs(s - w) > tolerance for s, w in zip(seen, colour, strict=True)):
            raise Wrong(f"pixel {x}, {y} is {list(seen)} and must be {colour}")


def same(image, boxes):
    """The parts of the picture are equal."""
    parts = [image.crop((x, y, x + w, y + h)).tobytes() for x, y, w, h in boxes]
    for box, part in zip(boxes, parts):
        if part != parts[0]:
            raise Wrong(f"the part {box} differs from {boxes[0]}")


def depths(image, wanted):
    for x, y, depth in wanted:
        r, g, b, _ = image.getpixel((x, y))
        seen = (r << 16 | g << 8 | b) / DEPTH
        # Two units, as another renderer may have.
        if abs(seen - depth) > 2 / DEPTH:
            raise Wrong(f"depth {x}, {y} is {seen:.8f} and must be {depth:.8f}")


def nested(path):
    """Slices of a track are apart or inside each other (the format of chrome://tracing)."""
    tracks = collections.defaultdict(list)
    for event in json.loads(path.read_text())["traceEvents"]:
        if event["ph"] == "X":
            tracks[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"], event["name"]))
    if not tracks:
        raise Wrong("the trace has no slice")
    for slices in tracks.values():
        slices.sort(key=lambda s: (s[0], -s[1]))
        outer = []
        for begin, end, name in slices:
            while outer and outer[-1][1] <= begin:
                outer.pop()
            if outer and outer[-1][1] < end:
                raise Wrong(f"{name} ({begin} to {end}) overlaps {outer[-1]}")
            outer.append((begin, end, name))


# What a case may have, and what runs or checks it.
KEYS = {"name", "what", "command", "settings", "status", "says", "silent", "percent", "image", "clear", "drawn", "pixels"}
KEYS |= {"tolerance", "same", "depths", "nested", "exists", "long", "prepare"}


def command(line, quadlock, out):
    """Arguments of a line; `{out}` is the folder of this run."""
    words = [word.replace("{out}", str(out)) for word in shlex.split(line)]
    return [str(quadlock), *words] if words[0] in ("compile", "link", "regress", "run") else words


def one(case, settings, quadlock):
    """One run of a case."""
    out = pathlib.Path(tempfile.mkdtemp(prefix="quadlock-finding-"))
    try:
        for line in case.get("prepare", []):
            subprocess.run(command(line, quadlock, out), cwd=FOLDER, check=True, capture_output=True)
        words = command(f"{case['command']} {settings}", quadlock, out)
        for key, option in (("image", "--png"), ("nested", "--perfetto")):
            if case.get(key) == "first":
                words += [option, str(out / key)]
        if case.get("image", "first") != "first":
            words += ["--image", f"{case['image']}={out / 'image'}"]
        if words[1] == "run":
            words += ["--out", str(out)]
        try:
            done = subprocess.run(words, cwd=FOLDER, capture_output=True, text=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            raise Wrong(f"not done in {LIMIT} s") from None
        judge(case, done, out)
    except Wrong as e:
        raise Wrong(f"{e}\n  again: cd {FOLDER.relative_to(ROOT)}; {shlex.join(words)}") from None
    finally:
        shutil.rmtree(out)


def judge(case, done, out):
    text = done.stdout + done.stderr
    said = "\n".join(text.splitlines()[:20])
    status = case.get("status", 0)
    if done.returncode != status:
        raise Wrong(f"exit status {done.returncode} and not {status}:\n{said}")
    for wanted in case.get("says", []):
        if not re.search(wanted, text):
            raise Wrong(f"it does not say /{wanted}/:\n{said}")
    for pattern in case.get("percent", []):
        shown = re.findall(pattern, text)
        if not shown or any(float(percent) > 100 for percent in shown):
            raise Wrong(f"/{pattern}/ shows {shown}, and must show at most 100 %:\n{said}")
    for unwanted in case.get("silent", []):
        if found := re.search(unwanted, text):
            raise Wrong(f"it says {found[0]!r}:\n{said}")
    for name in case.get("exists", []):
        if not (out / name).exists():
            raise Wrong(f"{name} was not written")
    if "image" in case:
        image = picture(out / "image")
        if "drawn" in case:
            seen = drawn(image, case["clear"])
            if seen != case["drawn"]:
                raise Wrong(f"{seen} pixels are drawn and must be {case['drawn']}")
        pixels(image, case.get("pixels", []), case.get("tolerance", 0))
        same(image, case.get("same", []))
        depths(image, case.get("depths", []))
    if "nested" in case:
        nested(out / "nested")


def read():
    """The cases, or an error that says what is wrong with the table."""
    cases = tomllib.loads((FOLDER / "cases.toml").read_text())["case"]
    for case in cases:
        if unknown := set(case) - KEYS:
            sys.exit(f"{case.get('name')}: unknown keys {', '.join(sorted(unknown))}")
    return cases


def main():
    parser = argparse.ArgumentParser(description="Runs the inputs on which Quadlock was once wrong.")
    parser.add_argument("--quadlock", type=pathlib.Path, default=ROOT / "target/release/quadlock")
    parser.add_argument("--long", action="store_true", help="also the cases that take minutes")
    parser.add_argument("--json", type=pathlib.Path, help="where the outcomes go")
    parser.add_argument("case", nargs="*", help="names of cases [all]")
    args = parser.parse_args()
    quadlock = args.quadlock.resolve()
    if not quadlock.exists():
        print(f"{quadlock} is not there: cargo build --release --bin quadlock", file=sys.stderr)
        return 2
    cases = read()
    if unknown := set(args.case) - {case["name"] for case in cases}:
        names = ", ".join(case["name"] for case in cases)
        print(f"no case {', '.join(sorted(unknown))}; there are {names}", file=sys.stderr)
        return 2
    chosen = [c for c in cases if c["name"] in args.case or not args.case and (args.long or not c.get("long"))]
    rows = []
    for case in chosen:
        for settings in case.get("settings", [""]):
            try:
                one(case, settings, quadlock)
                wrong = None
            except Wrong as e:
                wrong = str(e)
            rows.append({"case": case["name"], "settings": settings, "wrong": wrong})
            print(f"{case['name']:<28} {settings}  {wrong or 'as it must be'}", flush=True)
    bad = sum(row["wrong"] is not None for row in rows)
    print(f"{len(rows)} runs of {len(chosen)} cases, {bad} not as they must be")
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Frames in which only what is seen is submitted, made of examples/hidden/layers.toml.

It is the ideal that Hi-Z is compared with. Squares that show nowhere are left out. Something draws
the depths of the picture before, and the frame draws what is equal to them. So a hidden quad of a
square that shows elsewhere ends at the depth test, or before. The depths are drawn in two ways:

- By a pass before, whose depths are loaded. Hi-Z knows nothing of them.
- By a draw before, in the same pass, with windows and Hi-Z. Its groups cull what is hidden.

What draws the depths is run alone, too, and its cycles are taken off. The faster way counts. Both
have work that a true ideal would not have, so the share that Hi-Z reaches is a little too good.

It can be wrong by a square that shows and is left out. So the picture of the ideal frame must be
that of the scene, byte by byte.

Usage: visible_only.py [--quadlock BINARY] [--out DIR] [--set KEY=VALUE ...]
"""

import argparse
import json
import pathlib
import subprocess
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCENES = ROOT / "examples" / "hidden"


def replaced(text, old, new):
    if text.count(old) != 1:
        sys.exit(f"visible_only: layers has changed: {old!r} is there {text.count(old)} times")
    return text.replace(old, new)


def pixels(png):
    """Pixels of a PNG of 8 bits a component, row by row."""
    data, at, body = png.read_bytes(), 8, b""
    width, height = (int.from_bytes(data[n : n + 4], "big") for n in (16, 20))
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        if data[at + 4 : at + 8] == b"IDAT":
            body += data[at + 8 : at + 8 + size]
        at += size + 12
    rows = zlib.decompress(body)
    depth = len(rows) // height // width
    stride = 1 + depth * width
    rows = [rows[y * stride : (y + 1) * stride] for y in range(height)]
    return [unfiltered[x * depth : (x + 1) * depth] for unfiltered in defiltered(rows, depth) for x in range(width)]


def defiltered(rows, depth):
    """Rows of a PNG without their filters: none, left, up, average, Paeth."""
    above = bytes(len(rows[0]) - 1)
    for row in rows:
        kind, row = row[0], bytearray(row[1:])
        for n in range(len(row)):
            left = row[n - depth] if n >= depth else 0
            corner = above[n - depth] if n >= depth else 0
            up = above[n]
            guess = left + up - corner
            paeth = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
            row[n] = (row[n] + [0, left, up, (left + up) // 2, paeth][kind]) & 255
        above = bytes(row)
        yield above


def run(quadlock, scene, out, *options):
    report = out / "report.json"
    command = [quadlock, "run", str(scene), *options, "--report", str(report)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"visible_only: {' '.join(command)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return json.loads(report.read_text())


def scenes(out, quadlock, options):
    """Writes the frames: of numbers, of depths alone, and of what is seen."""
    out.mkdir(parents=True, exist_ok=True)
    scene, program = ((SCENES / f"layers.{kind}").read_text() for kind in ("toml", "wgsl"))
    (out / "layers.wgsl").write_text(program)
    for file in SCENES.glob("layers-lavapipe*.png"):
        (out / file.name).write_bytes(file.read_bytes())
    numbers = replaced(program, "vec3f(grey, grey * 0.9, grey * 0.8)", "vec3f(f32(number & 255u), f32(number >> 8u), 255.0) / 255.0")
    numbers = replaced(numbers, "v.colour * light * (1.0 - 0.4 * rim * rim)", "v.colour")
    (out / "numbers.wgsl").write_text(numbers)
    head, claims = scene.split("[expect]")[0], scene.split("[small]")[1]
    small = "[small]" + claims.replace('expect.png = "layers-lavapipe-small.png"\n', "")
    (out / "numbers.toml").write_text(head + small.replace("layers.wgsl", "numbers.wgsl"))
    run(quadlock, out / "numbers.toml", out, "--engine", "golden", "--png", str(out / "numbers.png"), *[o for o in options if o == "--small"])
    seen = {r | g << 8 for r, g, b, *_ in pixels(out / "numbers.png") if b == 255}
    before, rest = small.replace("[[draw.", "[[pass.draw.").split("[[draw]]")
    start, list_and_rest = rest.split("instance.number = [")
    list_, binding = list_and_rest.split("]\n", 1)
    numbers = [int(n) for n in list_.replace(",", " ").split()]
    kept = [n for n in numbers if n in seen]
    if len(kept) != len(seen) or len(kept) == len(numbers):
        sys.exit(f"visible_only: {len(seen)} numbers are seen, {len(kept)} of the scene's {len(numbers)}")
    few = replaced(start, f"instances = {len(numbers)}", f"instances = {len(kept)}") + f"instance.number = {kept}\n" + binding
    alone = "\n".join(line for line in few.splitlines() if not line.startswith("fragment")) + "\n"
    equal = replaced(few, 'depth = "less"', 'depth = "equal", depth-write = false')
    draw = "[[pass.draw]]"
    frames = {"depths-pass": f"[[pass]]\ntargets = []\n\n{draw}{alone}", "depths-draw": f"[[pass]]\n\n{draw}{alone}"}
    frames["ideal-pass"] = f'{frames["depths-pass"]}\n[[pass]]\ndepth-load = "load"\n\n{draw}{equal}'
    frames["ideal-draw"] = f'{frames["depths-draw"]}\n{draw}{equal}'
    for name, text in frames.items():
        (out / f"{name}.toml").write_text(head + before + text)
    return len(kept), len(numbers)


def ideal(quadlock, out, *options):
    """Cycles of a frame of what is seen, which way was faster, and squares that show, of all."""
    shown = scenes(out, quadlock, options)
    small = [o for o in options if o == "--small"]
    run(quadlock, SCENES / "layers.toml", out, "--engine", "golden", "--png", str(out / "scene.png"), *small)
    cycles = {}
    for way, settings in [("pass", []), ("draw", ["--set", "hi-z=visibility+binner"])]:
        both = run(quadlock, out / f"ideal-{way}.toml", out, "--png", str(out / "ideal.png"), *settings, *options)
        if pixels(out / "ideal.png") != pixels(out / "scene.png"):
            sys.exit(f"visible_only: the picture of ideal-{way}.toml is not the scene's")
        cycles[way] = both["cycles"] - run(quadlock, out / f"depths-{way}.toml", out, *settings, *options)["cycles"]
    way = min(cycles, key=cycles.get)
    return cycles[way], way, shown


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quadlock", default="target/release/quadlock")
    parser.add_argument("--out", default=str(ROOT / "out" / "visible-only"), type=pathlib.Path)
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--small", action="store_true")
    args = parser.parse_args()
    options = [o for setting in args.set for o in ("--set", setting)] + ["--small"] * args.small
    cycles, way, (kept, all_) = ideal(args.quadlock, args.out, *options)
    print(f"{cycles:,} cycles (depths by a {way} before), {kept} of {all_} squares are seen")


if __name__ == "__main__":
    main()

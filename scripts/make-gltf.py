#!/usr/bin/env python3
"""Makes examples/gltf/pawns.gltf: a board and two pawns, as glTF 2.0 with its data inside.

A small file of our own, in which nodes have children and transforms, two meshes are shared by five
nodes, and vertices have normals and colours. The same file comes out each time: numbers are rounded
to 2^-12 before they become f32, and no library's order is in it. Wrong would be a file that only our
reader takes; `--check` compares with what stands in the tree.

Usage: make-gltf.py [--check]
"""

import base64
import json
import math
import struct
import sys
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "examples/gltf/pawns.gltf"
SIDES = 20
# Radius and height of a pawn from its foot to its top.
PROFILE = [(0.0, 0.0), (0.46, 0.0), (0.50, 0.06), (0.46, 0.14), (0.30, 0.22), (0.20, 0.36), (0.15, 0.56),
           (0.14, 0.70), (0.25, 0.76), (0.25, 0.80), (0.15, 0.84), (0.22, 0.94), (0.25, 1.05), (0.22, 1.16),
           (0.13, 1.25), (0.0, 1.28)]


def rounded(x):
    return round(x * 4096) / 4096


def turned(profile, colour):
    """A surface of revolution around y: rows of (position, normal, colour), and indices."""
    rows, indices = [], []
    for k, (r, y) in enumerate(profile):
        (r0, y0), (r1, y1) = profile[max(k - 1, 0)], profile[min(k + 1, len(profile) - 1)]
        n = (y1 - y0, r0 - r1)
        length = math.hypot(*n)
        for s in range(SIDES):
            c, d = math.cos(2 * math.pi * s / SIDES), math.sin(2 * math.pi * s / SIDES)
            normal = (n[0] / length * c, n[1] / length, n[0] / length * d)
            shade = 0.75 + 0.25 * y / profile[-1][1]
            rows.append(((r * c, y, r * d), normal, tuple(shade * x for x in colour)))
    for k in range(len(profile) - 1):
        for s in range(SIDES):
            a, b = k * SIDES + s, k * SIDES + (s + 1) % SIDES
            if profile[k][0] > 0:
                indices += [a, a + SIDES, b]
            if profile[k + 1][0] > 0:
                indices += [b, a + SIDES, b + SIDES]
    return rows, indices


def board(fields):
    rows, indices = [], []
    for z in range(fields):
        for x in range(fields):
            colour = (0.85, 0.80, 0.65) if (x + z) % 2 else (0.30, 0.20, 0.14)
            first = len(rows)
            for dx, dz in ((0, 0), (1, 0), (0, 1), (1, 1)):
                rows.append(((x + dx - fields / 2, 0.0, z + dz - fields / 2), (0.0, 1.0, 0.0), colour))
            indices += [first, first + 2, first + 1, first + 1, first + 2, first + 3]
    return rows, indices


def main():
    data, views, accessors, meshes = b"", [], [], []

    def accessor(content, kind, component, count, target, **bounds):
        nonlocal data
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(content), "target": target})
        data += content + b"\0" * (-len(content) % 4)
        accessors.append({"bufferView": len(views) - 1, "componentType": component, "count": count, "type": kind, **bounds})
        return len(accessors) - 1

    def mesh(name, rows, indices):
        columns = []
        for part in range(3):
            values = [[rounded(x) for x in row[part]] for row in rows]
            bounds = {"min": [min(c) for c in zip(*values)], "max": [max(c) for c in zip(*values)]} if part == 0 else {}
            packed = b"".join(struct.pack("<3f", *v) for v in values)
            columns.append(accessor(packed, "VEC3", 5126, len(rows), 34962, **bounds))
        packed = struct.pack(f"<{len(indices)}H", *indices)
        numbers = accessor(packed, "SCALAR", 5123, len(indices), 34963)
        attributes = dict(zip(["POSITION", "NORMAL", "COLOR_0"], columns))
        meshes.append({"name": name, "primitives": [{"attributes": attributes, "indices": numbers}]})
        return len(meshes) - 1

    floor = mesh("board", *board(4))
    pawn = mesh("pawn", *turned(PROFILE, (0.80, 0.30, 0.22)))
    half = math.sqrt(0.5)
    nodes = [
        {"name": "board", "mesh": floor, "children": [1, 2, 3]},
        {"name": "pawn", "mesh": pawn, "translation": [-0.5, 0, 0.5]},
        {"name": "small", "mesh": pawn, "translation": [0.5, 0, -0.5], "scale": [0.75, 0.75, 0.75]},
        {"name": "corner", "translation": [1.5, 0.5, 0.5], "rotation": [rounded(half), 0, 0, rounded(half)], "children": [4]},
        {"name": "fallen", "mesh": pawn, "translation": [0, -0.625, 0]},
    ]
    document = {
        "asset": {"version": "2.0", "generator": "scripts/make-gltf.py"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": nodes,
        "meshes": meshes,
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}],
    }
    text = json.dumps(document, indent=1) + "\n"
    if "--check" in sys.argv:
        if OUT.read_text() != text:
            raise SystemExit(f"{OUT} is not what {Path(__file__).name} makes")
        return
    OUT.write_text(text)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Makes examples/gltf/pawns.gltf and forms.gltf, as glTF 2.0 with its data inside.

Small files of our own. In `pawns` nodes have children and transforms, two meshes are shared by five
nodes, and vertices have normals and colours. In `forms` nodes mirror, stretch and flatten; parts are
lists, strips and fans, have different attributes, a sparse accessor, or integers
(KHR_mesh_quantization). The same files come out each time: numbers are rounded to 2^-12 before they
become f32, and no library's order is in it. Wrong would be a file that only our reader takes;
`--check` compares with what stands in the tree.

Usage: make-gltf.py [--check]
"""

import base64
import json
import math
import struct
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "examples/gltf"
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


class File:
    """A document, and its binary data."""

    def __init__(self):
        self.data, self.views, self.accessors, self.meshes = b"", [], [], []

    def view(self, content, **more):
        self.views.append({"buffer": 0, "byteOffset": len(self.data), "byteLength": len(content), **more})
        self.data += content + b"\0" * (-len(content) % 4)
        return len(self.views) - 1

    def accessor(self, content, kind, component, count, target, **more):
        view = self.view(content, target=target)
        self.accessors.append({"bufferView": view, "componentType": component, "count": count, "type": kind, **more})
        return len(self.accessors) - 1

    def column(self, values):
        """Vectors of three; bounds have to be there for positions."""
        values = [[rounded(x) for x in v] for v in values]
        return self.accessor(b"".join(struct.pack("<3f", *v) for v in values), "VEC3", 5126, len(values), 34962)

    def bounded(self, values):
        values = [[rounded(x) for x in v] for v in values]
        packed = b"".join(struct.pack("<3f", *v) for v in values)
        bounds = {"min": [min(c) for c in zip(*values)], "max": [max(c) for c in zip(*values)]}
        return self.accessor(packed, "VEC3", 5126, len(values), 34962, **bounds)

    def indices(self, all_of_them):
        packed = struct.pack(f"<{len(all_of_them)}H", *all_of_them)
        return self.accessor(packed, "SCALAR", 5123, len(all_of_them), 34963)

    def mesh(self, name, *primitives):
        self.meshes.append({"name": name, "primitives": list(primitives)})
        return len(self.meshes) - 1

    def whole(self, rows, indices):
        """A primitive of rows of (position, normal, colour)."""
        position, normal, colour = zip(*rows)
        attributes = {"POSITION": self.bounded(position), "NORMAL": self.column(normal), "COLOR_0": self.column(colour)}
        return {"attributes": attributes, "indices": self.indices(indices)}

    def text(self, nodes, roots=(0,), **more):
        document = {
            "asset": {"version": "2.0", "generator": "scripts/make-gltf.py"},
            "scene": 0,
            "scenes": [{"nodes": list(roots)}],
            "nodes": nodes,
            "meshes": self.meshes,
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{"byteLength": len(self.data), "uri": "data:application/octet-stream;base64," + base64.b64encode(self.data).decode()}],
            **more,
        }
        return json.dumps(document, indent=1) + "\n"


def pawns():
    out = File()
    floor = out.mesh("board", out.whole(*board(4)))
    pawn = out.mesh("pawn", out.whole(*turned(PROFILE, (0.80, 0.30, 0.22))))
    half = math.sqrt(0.5)
    return out.text([
        {"name": "board", "mesh": floor, "children": [1, 2, 3]},
        {"name": "pawn", "mesh": pawn, "translation": [-0.5, 0, 0.5]},
        {"name": "small", "mesh": pawn, "translation": [0.5, 0, -0.5], "scale": [0.75, 0.75, 0.75]},
        {"name": "corner", "translation": [1.5, 0.5, 0.5], "rotation": [rounded(half), 0, 0, rounded(half)], "children": [4]},
        {"name": "fallen", "mesh": pawn, "translation": [0, -0.625, 0]},
    ])


# A flag on its pole, which is another one in a mirror: a fan from its first corner.
FLAG = [(0.0, 0.7), (0.0, 0.0), (0.06, 0.0), (0.06, 0.62), (0.7, 0.78), (0.62, 0.98), (0.7, 1.18), (0.0, 1.3)]


def quantized(out, rows, indices):
    """A primitive whose positions are 16-bit, and whose normals and texture coordinates are 8-bit integers."""
    position, normal, colour = zip(*rows)
    places = [[round(x * 4096) for x in v] for v in position]
    packed = b"".join(struct.pack("<4h", *v, 0) for v in places)
    bounds = {"min": [min(c) for c in zip(*places)], "max": [max(c) for c in zip(*places)]}
    p = out.accessor(packed, "VEC3", 5122, len(rows), 34962, **bounds)
    n = out.accessor(b"".join(struct.pack("<4b", *[round(x * 127) for x in v], 0) for v in normal), "VEC3", 5120, len(rows), 34962, normalized=True)
    c = out.accessor(b"".join(struct.pack("<4B", *[round(x * 255) for x in v], 255) for v in colour), "VEC4", 5121, len(rows), 34962, normalized=True)
    out.views[out.accessors[p]["bufferView"]]["byteStride"] = 8
    out.views[out.accessors[n]["bufferView"]]["byteStride"] = 4
    return {"attributes": {"POSITION": p, "NORMAL": n, "COLOR_0": c}, "indices": out.indices(indices)}


def forms():
    out = File()
    grey, blue, gold = (0.55, 0.55, 0.52), (0.25, 0.40, 0.80), (0.85, 0.65, 0.20)
    # The floor is a strip without normals: two triangles of one plane.
    corners = [(-3.0, 0.0, -1.5), (-3.0, 0.0, 1.5), (3.0, 0.0, -1.5), (3.0, 0.0, 1.5)]
    floor = out.mesh("floor", {"attributes": {"POSITION": out.bounded(corners), "COLOR_0": out.column([grey] * 4)}, "mode": 5})
    rows, indices = turned(PROFILE, blue)
    pawn = out.mesh("pawn", out.whole(rows, indices))
    # The same with a head of gold: colours of its last vertices are replaced.
    crowned = out.whole(rows, indices)
    first = 11 * SIDES
    count = len(rows) - first
    where = out.view(struct.pack(f"<{count}H", *range(first, len(rows))))
    what = out.view(b"".join(struct.pack("<3f", *map(rounded, gold)) for _ in range(count)))
    out.accessors[crowned["attributes"]["COLOR_0"]]["sparse"] = {
        "count": count, "indices": {"bufferView": where, "componentType": 5123}, "values": {"bufferView": what}}
    crowned = out.mesh("crowned", crowned)
    small = out.mesh("integers", quantized(out, rows, indices))
    # Both sides of a flag, each a fan, without colours; one has no normals.
    front = [(x, y, 0.02) for x, y in FLAG]
    back = [(x, y, -0.02) for x, y in FLAG[:1] + FLAG[:0:-1]]
    flag = out.mesh(
        "flag",
        {"attributes": {"POSITION": out.bounded(front), "NORMAL": out.column([(0, 0, 1)] * len(front))}, "mode": 6},
        {"attributes": {"POSITION": out.bounded(back)}, "mode": 6},
    )
    scale = 1 / 4096
    half = rounded(math.sqrt(0.5))
    nodes = [
        {"name": "all", "mesh": floor, "children": [1, 2, 3, 4, 5, 6, 8, 9]},
        {"name": "stretched", "mesh": pawn, "translation": [-2.25, 0, 0], "scale": [0.5, 1.25, 1.75]},
        {"name": "crowned", "mesh": crowned, "translation": [-1, 0, 0.5]},
        {"name": "integers", "mesh": small, "translation": [0, 0, 0.75], "scale": [scale, scale, scale]},
        {"name": "flag", "mesh": flag, "translation": [0.25, 0, -0.75]},
        {"name": "mirrored flag", "mesh": flag, "translation": [-0.25, 0, -0.75], "scale": [-1, 1, 1]},
        {"name": "mirror", "translation": [1.25, 0, 0], "scale": [1, 1, -1], "children": [7]},
        {"name": "turned", "mesh": crowned, "rotation": [0, half, 0, half], "scale": [1.5, 0.75, 0.75]},
        # Pressed flat against the floor, as a shadow is.
        {"name": "shadow", "mesh": pawn, "translation": [2.25, 0.02, 1.25], "rotation": [-half, 0, 0, half], "scale": [1, 1, 0]},
        {"name": "matrix", "mesh": pawn, "matrix": [0, 0, -0.75, 0, 0, -0.75, 0, 0, 0.75, 0, 0, 0, 2.25, 0.96, 0, 1]},
    ]
    name = "KHR_mesh_quantization"
    return out.text(nodes, extensionsUsed=[name], extensionsRequired=[name])


def main():
    for name, text in (("pawns", pawns()), ("forms", forms())):
        out = FOLDER / f"{name}.gltf"
        if "--check" not in sys.argv:
            out.write_text(text)
        elif out.read_text() != text:
            raise SystemExit(f"{out} is not what {Path(__file__).name} makes")


if __name__ == "__main__":
    main()

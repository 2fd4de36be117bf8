#!/usr/bin/env python3
"""Makes examples/frames: twenty frames as people make them, for tests of what hides what.

Each frame is a function below. It writes one scene file; programs are shared, and meshes that several
frames use are OBJ files. The glTF files come from packages and are not made here (see
examples/frames/README.md). The same files come out each time: numbers are rounded to four decimals,
and random ones come from a generator of our own. `--check` compares with what stands in the tree and
names each file that differs, that is missing, or that nobody makes.

`--strip IN.glb OUT.glb` copies a glTF file without images, textures and tangents; the controller in
examples/frames/gltf was made so.

Usage: make-frames.py [--check | --strip IN.glb OUT.glb]
"""

import json
import math
import struct
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "examples/frames"
# What is in the folder and not made here. Pictures of the frames may stand beside them.
NOT_OURS = {"README.md", "20-state-changes-end-windows.toml"}
NOT_OURS_SUFFIX = {".png", ".glb", ".txt"}
WIDTH = 100


class Random:
    """PCG-like, 32 bits; the same on every machine."""

    def __init__(self, seed):
        self.state = (seed * 747796405 + 2891336453) & 0xFFFFFFFF

    def word(self):
        self.state = (self.state * 747796405 + 2891336453) & 0xFFFFFFFF
        x = self.state
        x = (((x >> ((x >> 28) + 4)) ^ x) * 277803737) & 0xFFFFFFFF
        return (x >> 22) ^ x

    def unit(self):
        return (self.word() & 0xFFFFFF) / 16777216

    def between(self, low, high):
        return low + (high - low) * self.unit()

    def choose(self, some):
        return some[self.word() % len(some)]

    def shuffled(self, some):
        some = list(some)
        for k in range(len(some) - 1, 0, -1):
            j = self.word() % (k + 1)
            some[k], some[j] = some[j], some[k]
        return some


# --- Text -------------------------------------------------------------------------------------


def number(x):
    text = f"{x:.4f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def listed(values):
    return "[" + ", ".join(listed(v) if isinstance(v, (list, tuple)) else number(v) for v in values) + "]"


def wrapped(head, parts, tail):
    """`head`, the parts with commas between them, and `tail`, on one line or on several."""
    one = head + ", ".join(parts) + tail
    if len(one) <= WIDTH:
        return one + "\n"
    out, line = head + "\n", "   "
    for part in parts:
        if len(line) + len(part) + 2 > WIDTH and line.strip():
            out, line = out + line + "\n", "   "
        line += f" {part},"
    return out + line + "\n" + tail + "\n"


def comment(text):
    out, line = "", "#"
    for word in text.split():
        if len(line) + 1 + len(word) > WIDTH:
            out, line = out + line + "\n", "#"
        line += " " + word
    return out + line + "\n"


# --- Matrices, as text of scene files, and as numbers where a scene has no word for them ----------


def translate(x, y, z):
    return f"{{ translate = {listed((x, y, z))} }}"


def scale(x, y, z):
    return f"{{ scale = {listed((x, y, z))} }}"


def rotate(x, y, z, degrees):
    return f"{{ rotate = {listed((x, y, z, degrees))} }}"


def product(*all_of_them):
    return all_of_them[0] if len(all_of_them) == 1 else "{ product = [" + ", ".join(all_of_them) + "] }"


def camera(degrees, near, far, eye, target, reversed_z=False):
    reverse = [translate(0, 0, 1), scale(1, 1, -1)] if reversed_z else []
    lens = f"{{ perspective = {listed((degrees, near, far))} }}"
    return product(*reverse, lens, f"{{ look-at = {listed((*eye, *target, 0, 1, 0))} }}")


def times(a, b):
    return [[sum(a[k][r] * b[c][k] for k in range(4)) for r in range(4)] for c in range(4)]


def model_numbers(at, size, turn):
    c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    return [[c * size[0], 0, -s * size[0], 0], [0, size[1], 0, 0], [s * size[2], 0, c * size[2], 0], [*at, 1]]


def three(x):
    return tuple(x) if isinstance(x, (list, tuple)) else (x, x, x)


# --- Meshes -----------------------------------------------------------------------------------


class Mesh:
    """Corners of position and normal (and perhaps uv), and triangles."""

    def __init__(self):
        self.rows, self.faces = [], []

    def corner(self, position, normal, uv=None):
        self.rows.append((tuple(position), tuple(normal), uv))
        return len(self.rows) - 1

    def quad(self, a, b, c, d, uv=False):
        """Corners counter-clockwise as seen from outside."""
        n = unit(cross(less(b, a), less(d, a)))
        uvs = ((0, 0), (1, 0), (1, 1), (0, 1)) if uv else (None,) * 4
        k = [self.corner(p, n, t) for p, t in zip((a, b, c, d), uvs)]
        self.faces += [(k[0], k[1], k[2]), (k[0], k[2], k[3])]

    def triangle(self, a, b, c):
        n = unit(cross(less(b, a), less(c, a)))
        self.faces.append(tuple(self.corner(p, n) for p in (a, b, c)))

    def box(self, low, high, bottom=True):
        (x, y, z), (u, v, w) = low, high
        self.quad((x, y, w), (u, y, w), (u, v, w), (x, v, w))
        self.quad((u, y, z), (x, y, z), (x, v, z), (u, v, z))
        self.quad((u, y, w), (u, y, z), (u, v, z), (u, v, w))
        self.quad((x, y, z), (x, y, w), (x, v, w), (x, v, z))
        self.quad((x, v, w), (u, v, w), (u, v, z), (x, v, z))
        if bottom:
            self.quad((x, y, z), (u, y, z), (u, y, w), (x, y, w))

    def turned(self, profile, sides):
        """A surface of revolution around y, from (radius, height) from below upwards."""
        first = len(self.rows)
        for k, (r, y) in enumerate(profile):
            (r0, y0), (r1, y1) = profile[max(k - 1, 0)], profile[min(k + 1, len(profile) - 1)]
            n = unit((y1 - y0, r0 - r1, 0))
            for s in range(sides):
                c, d = math.cos(2 * math.pi * s / sides), math.sin(2 * math.pi * s / sides)
                self.corner((r * c, y, r * d), (n[0] * c, n[1], n[0] * d))
        for k in range(len(profile) - 1):
            for s in range(sides):
                a, b = first + k * sides + s, first + k * sides + (s + 1) % sides
                if profile[k][0] > 0:
                    self.faces.append((a, a + sides, b))
                if profile[k + 1][0] > 0:
                    self.faces.append((b, a + sides, b + sides))

    def torus(self, big, small, around, across):
        first = len(self.rows)
        for k in range(around):
            a = 2 * math.pi * k / around
            for j in range(across):
                b = 2 * math.pi * j / across
                n = (math.cos(b) * math.cos(a), math.sin(b), math.cos(b) * math.sin(a))
                r = big + small * math.cos(b)
                self.corner((r * math.cos(a), small * math.sin(b), r * math.sin(a)), n)
        for k in range(around):
            for j in range(across):
                a, b = first + k * across, first + (k + 1) % around * across
                i, n = j, (j + 1) % across
                self.faces += [(a + i, a + n, b + i), (b + i, a + n, b + n)]

    def ground(self, cells, side, height):
        """A grid of `cells` squares each way, `side` wide; `height` of x and z."""
        first = len(self.rows)
        step = side / cells
        for j in range(cells + 1):
            for i in range(cells + 1):
                x, z = i * step - side / 2, j * step - side / 2
                n = unit((height(x - 0.01, z) - height(x + 0.01, z), 0.02, height(x, z - 0.01) - height(x, z + 0.01)))
                self.corner((x, height(x, z), z), n)
        for j in range(cells):
            for i in range(cells):
                a = first + j * (cells + 1) + i
                b = a + cells + 1
                self.faces += [(a, b, a + 1), (a + 1, b, b + 1)]

    def obj(self):
        out = "# Made by scripts/make-frames.py.\n"
        kinds = []
        for k in range(3 if self.rows[0][2] else 2):
            seen = {}
            for row in self.rows:
                seen.setdefault(" ".join(number(x) for x in row[k]), len(seen) + 1)
            kinds.append(seen)
            out += "".join(f"{('v', 'vn', 'vt')[k]} {text}\n" for text in seen)
        def name(k):
            row = [seen[" ".join(number(x) for x in self.rows[k][j])] for j, seen in enumerate(kinds)]
            return f"{row[0]}/{row[2] if len(row) > 2 else ''}/{row[1]}"
        return out + "".join("f " + " ".join(name(k) for k in face) + "\n" for face in self.faces)


def less(a, b):
    return tuple(x - y for x, y in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(v):
    length = math.sqrt(sum(x * x for x in v)) or 1.0
    return tuple(x / length for x in v)


def made(what):
    mesh = Mesh()
    what(mesh)
    return mesh


def ball(sides, rings):
    profile = [(math.sin(math.pi * k / rings), -math.cos(math.pi * k / rings)) for k in range(rings + 1)]
    profile[0], profile[-1] = (0.0, -1.0), (0.0, 1.0)
    return made(lambda m: m.turned(profile, sides))


def roof(m):
    a, b, c, d, e, f = (-1, 0, 1), (1, 0, 1), (1, 0, -1), (-1, 0, -1), (-1, 1, 0), (1, 1, 0)
    m.quad(a, b, f, e)
    m.quad(c, d, e, f)
    m.triangle(d, a, e)
    m.triangle(b, c, f)


def windows(m):
    """Six windows and a door, a little in front of a unit box's front."""
    for x, y, w, h in ((-0.6, 0.25, 0.3, 0.2), (0.3, 0.25, 0.3, 0.2), (-0.6, 0.7, 0.3, 0.2), (-0.15, 0.7, 0.3, 0.2), (0.3, 0.7, 0.3, 0.2), (-0.15, 0.0, 0.3, 0.42)):
        for z, flip in ((1.02, False), (-1.02, True)):
            p = [(x, y, z), (x + w, y, z), (x + w, y + h, z), (x, y + h, z)]
            m.quad(*(p[::-1] if flip else p))
    for x in (-1.02, 1.02):
        for z in (-0.6, 0.2):
            p = [(x, 0.5, z + 0.4), (x, 0.5, z), (x, 0.8, z), (x, 0.8, z + 0.4)]
            m.quad(*(p if x > 0 else p[::-1]))


def pine(m):
    m.turned([(0.09, 0.0), (0.09, 0.35)], 6)
    for base, top, r in ((0.3, 0.9, 0.5), (0.65, 1.2, 0.4), (0.95, 1.5, 0.28)):
        m.turned([(0.0, base), (r, base), (0.0, top)], 7)


def crown(m):
    """Leaf cards through each other, with uv."""
    rng = Random(77)
    for _ in range(9):
        a, lift = rng.between(0, math.pi), rng.between(-0.35, 0.35)
        c, s = math.cos(a), math.sin(a)
        o = (rng.between(-0.3, 0.3), rng.between(-0.3, 0.3), rng.between(-0.3, 0.3))
        p = [(o[0] + x * c * 0.7, o[1] + y * 0.7 + x * lift, o[2] + x * s * 0.7) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        m.quad(*p, uv=True)


def hull(m):
    """A ship: pointed at +x."""
    low = [(-1, 0, 0.5), (0.6, 0, 0.5), (0.95, 0, 0), (0.6, 0, -0.5), (-1, 0, -0.5)]
    top = [(-1, 1, 1), (0.6, 1, 1), (1.2, 1, 0), (0.6, 1, -1), (-1, 1, -1)]
    for k in range(5):
        j = (k + 1) % 5
        m.quad(low[k], low[j], top[j], top[k])
    m.quad(top[0], top[1], top[3], top[4])
    m.triangle(top[1], top[2], top[3])


def stone(seed):
    def build(m):
        rng = Random(seed)
        rings, sides = 4, 7
        points = [[(0, -rng.between(0.8, 1), 0)]]
        for k in range(1, rings):
            a = math.pi * k / rings
            points.append([tuple(rng.between(0.75, 1.15) * x for x in (math.sin(a) * math.cos(2 * math.pi * s / sides), -math.cos(a), math.sin(a) * math.sin(2 * math.pi * s / sides))) for s in range(sides)])
        points.append([(0, rng.between(0.8, 1), 0)])
        for k in range(rings):
            for s in range(sides):
                t = (s + 1) % sides
                low, high = points[k], points[k + 1]
                if len(low) > 1:
                    m.triangle(low[s], high[s % len(high)], low[t])
                if len(high) > 1:
                    m.triangle(low[t % len(low)], high[s], high[t])
    return build


PAWN = [(0.0, 0.0), (0.46, 0.0), (0.46, 0.14), (0.20, 0.36), (0.14, 0.70), (0.25, 0.76), (0.15, 0.84), (0.25, 1.05), (0.0, 1.28)]
TOWER = [(0.0, 0.0), (0.48, 0.0), (0.46, 0.16), (0.26, 0.3), (0.24, 1.0), (0.36, 1.08), (0.36, 1.36), (0.0, 1.36)]
POT = [(0.0, 0.0), (0.3, 0.0), (0.42, 0.5), (0.46, 0.52), (0.46, 0.6), (0.0, 0.56)]
VASE = [(0.0, 0.0), (0.3, 0.0), (0.45, 0.35), (0.4, 0.6), (0.16, 0.85), (0.2, 1.0), (0.0, 0.98)]
COLUMN = [(0.62, 0.0), (0.62, 0.06), (0.45, 0.1), (0.38, 0.9), (0.6, 0.95), (0.6, 1.0), (0.0, 1.0)]


def hills(x, z):
    return 0.9 * math.sin(0.31 * x + 0.5) * math.cos(0.27 * z) + 0.5 * math.sin(0.7 * x - 0.4 * z)


def island(x, z):
    r2 = (x * x + z * z) / 36
    return 2.2 * math.exp(-1.6 * r2) + 0.35 * math.sin(1.1 * x) * math.cos(0.9 * z) * math.exp(-r2) - 0.5


def canyon(x, z):
    return 3.6 / (1 + math.exp(-2.2 * (abs(x + 1.4 * math.sin(0.3 * z)) - 3.2))) + 0.25 * math.sin(1.3 * z + x)


def valley(x, z):
    return 0.35 * min(x * x, 64) / 4 - 3.2 + 0.3 * math.sin(0.9 * z + x)


MESHES = {
    "box": made(lambda m: m.box((-1, 0, -1), (1, 1, 1), bottom=False)),
    "cube": made(lambda m: m.box((-1, -1, -1), (1, 1, 1))),
    "floor": made(lambda m: m.quad((-1, 0, 1), (1, 0, 1), (1, 0, -1), (-1, 0, -1))),
    "wall": made(lambda m: m.quad((-1, 0, 0), (1, 0, 0), (1, 1, 0), (-1, 1, 0))),
    "roof": made(roof),
    "windows": made(windows),
    "ball": ball(10, 6),
    "column": made(lambda m: m.turned(COLUMN, 10)),
    "pole": made(lambda m: m.turned([(1, 0), (1, 1), (0, 1)], 6)),
    "wheel": made(lambda m: m.turned([(0, -0.3), (1, -0.3), (1, 0.3), (0, 0.3)], 9)),
    "torus": made(lambda m: m.torus(0.7, 0.28, 14, 8)),
    "pawn": made(lambda m: m.turned(PAWN, 8)),
    "tower": made(lambda m: m.turned(TOWER, 8)),
    "pot": made(lambda m: m.turned(POT, 9)),
    "vase": made(lambda m: m.turned(VASE, 10)),
    "pine": made(pine),
    "crown": made(crown),
    "hull": made(hull),
    "stone": made(stone(5)),
    "boulder": made(stone(9)),
    "hills": made(lambda m: m.ground(12, 40, hills)),
    "island": made(lambda m: m.ground(16, 16, island)),
    "canyon": made(lambda m: m.ground(16, 28, canyon)),
    "valley": made(lambda m: m.ground(12, 24, valley)),
}

# --- Programs ---------------------------------------------------------------------------------

LIT = """
// Solid things in the light of a sun, in mist that the distance brings.

struct Frame { camera: mat4x4f, sun: vec4f, mist: vec4f }
struct Thing { model: mat4x4f, colour: vec4f }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<uniform> thing: Thing;

struct Varyings {
    @invariant @builtin(position) clip: vec4f,
    @location(0) at: vec4f,
    @location(1) normal: vec3f,
}

@vertex fn vertex(@location(0) position: vec3f, @location(1) normal: vec3f) -> Varyings {
    let at = thing.model * vec4f(position, 1.0);
    let clip = frame.camera * at;
    return Varyings(clip, vec4f(at.xyz, clip.w), (thing.model * vec4f(normal, 0.0)).xyz);
}

fn shade(colour: vec3f, v: Varyings) -> vec4f {
    let sun = max(dot(normalize(v.normal), frame.sun.xyz), 0.0);
    let light = frame.sun.w + (1.0 - frame.sun.w) * sun;
    return vec4f(mix(colour * light, frame.mist.rgb, min(v.at.w * frame.mist.w, 0.8)), 1.0);
}

@fragment fn lit(v: Varyings) -> @location(0) vec4f {
    return shade(thing.colour.rgb, v);
}

// Rows of bricks; mortar between them.
@fragment fn brick(v: Varyings) -> @location(0) vec4f {
    let row = floor(v.at.y * 3.0);
    let along = fract((v.at.x + v.at.z) * 1.5 + 0.5 * (row - 2.0 * floor(row * 0.5)));
    let mortar = select(1.0, 1.3, along < 0.08 || fract(v.at.y * 3.0) < 0.14);
    return shade(thing.colour.rgb * mortar, v);
}

// A floor of squares.
@fragment fn tiles(v: Varyings) -> @location(0) vec4f {
    let odd = fract(0.5 * (floor(v.at.x) + floor(v.at.z)));
    return shade(thing.colour.rgb * select(1.0, 0.8, odd > 0.25), v);
}

// One colour, with its alpha.
@fragment fn plain(v: Varyings) -> @location(0) vec4f {
    return thing.colour;
}

// A pane: less is seen through it from the side.
@fragment fn glass(v: Varyings) -> @location(0) vec4f {
    let sun = abs(dot(normalize(v.normal), frame.sun.xyz));
    return vec4f(thing.colour.rgb + 0.25 * sun, thing.colour.a + 0.1 * sun);
}

// A lattice: what is between the bars is not there.
@fragment fn lattice(v: Varyings) -> @location(0) vec4f {
    let bars = fract(vec2f(v.at.x + v.at.z, v.at.y) * 2.0);
    if (bars.x > 0.25 && bars.y > 0.25) { discard; }
    return shade(thing.colour.rgb, v);
}

struct Surface { @location(0) colour: vec4f, @location(1) normal: vec4f }

// Colour and normal into two targets, for a later pass to light.
@fragment fn both(v: Varyings) -> Surface {
    return Surface(thing.colour, vec4f(normalize(v.normal), v.at.w));
}
"""

COLOURED = """
// Meshes with colours of vertices, in the light of a sun.

struct Frame { camera: mat4x4f, sun: vec4f, mist: vec4f }
struct Thing { model: mat4x4f, colour: vec4f }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<uniform> thing: Thing;

struct Varyings {
    @builtin(position) clip: vec4f,
    @location(0) colour: vec3f,
    @location(1) normal: vec3f,
}

@vertex fn vertex(
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(3) colour: vec4f,
) -> Varyings {
    let clip = frame.camera * (thing.model * vec4f(position, 1.0));
    let mixed = mix(colour.rgb, thing.colour.rgb, thing.colour.a);
    return Varyings(clip, mixed, (thing.model * vec4f(normal, 0.0)).xyz);
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    let sun = max(dot(normalize(v.normal), frame.sun.xyz), 0.0);
    return vec4f(v.colour * (frame.sun.w + (1.0 - frame.sun.w) * sun), 1.0);
}
"""

LEAVES = """
// Cards of leaves. A card is cut out by discard, as a texture with holes would do.

struct Frame { camera: mat4x4f, sun: vec4f, mist: vec4f }
struct Thing { model: mat4x4f, colour: vec4f }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<uniform> thing: Thing;

struct Varyings {
    @builtin(position) clip: vec4f,
    @location(0) uv: vec3f,
}

@vertex fn vertex(
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) uv: vec2f,
) -> Varyings {
    let clip = frame.camera * (thing.model * vec4f(position, 1.0));
    return Varyings(clip, vec3f(uv, 0.6 + 0.4 * abs(dot(normal, frame.sun.xyz))));
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    let leaf = fract(v.uv.xy * 4.0) - 0.5;
    let round = v.uv.xy - 0.5;
    if (dot(leaf, leaf) > 0.23 || dot(round, round) > 0.25) { discard; }
    return vec4f(thing.colour.rgb * v.uv.z * (1.0 - 1.2 * abs(leaf.x * leaf.y)), 1.0);
}
"""

SKY = """
// A sky over the whole picture: at the far plane, of a usual depth or of a reversed one.

struct Sky { top: vec4f, bottom: vec4f }
@group(0) @binding(0) var<uniform> sky: Sky;

struct Varyings { @builtin(position) clip: vec4f, @location(0) height: f32 }

@vertex fn far(@location(0) corner: vec2f) -> Varyings {
    return Varyings(vec4f(corner, 1.0, 1.0), 0.5 * corner.y + 0.5);
}

@vertex fn far_reversed(@location(0) corner: vec2f) -> Varyings {
    return Varyings(vec4f(corner, 0.0, 1.0), 0.5 * corner.y + 0.5);
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    return mix(sky.bottom, sky.top, v.height);
}
"""

CITY = """
// Blocks of a city, many in one draw: place, size and colour are those of the instance.

struct Frame { camera: mat4x4f, sun: vec4f, mist: vec4f }
@group(0) @binding(0) var<uniform> frame: Frame;

struct Varyings {
    @builtin(position) clip: vec4f,
    @location(0) at: vec4f,
    @location(1) @interpolate(flat) normal: vec3f,
    @location(2) @interpolate(flat) colour: vec3f,
}

@vertex fn vertex(
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(4) place: vec3f,
    @location(5) size: vec3f,
    @location(6) colour: vec3f,
) -> Varyings {
    let at = position * size + place;
    let clip = frame.camera * vec4f(at, 1.0);
    return Varyings(clip, vec4f(at, clip.w), normal, colour);
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    let light = frame.sun.w + (1.0 - frame.sun.w) * max(dot(v.normal, frame.sun.xyz), 0.0);
    return vec4f(mix(v.colour * light, frame.mist.rgb, min(v.at.w * frame.mist.w, 0.8)), 1.0);
}

// The same with floors of windows.
@fragment fn windows(v: Varyings) -> @location(0) vec4f {
    let light = frame.sun.w + (1.0 - frame.sun.w) * max(dot(v.normal, frame.sun.xyz), 0.0);
    let row = fract(v.at.y * 1.2) > 0.5 && v.normal.y < 0.5;
    let dark = row && fract((v.at.x + v.at.z) * 1.5) > 0.5;
    let colour = select(v.colour, v.colour * 0.45, dark);
    return vec4f(mix(colour * light, frame.mist.rgb, min(v.at.w * frame.mist.w, 0.8)), 1.0);
}
"""

PUFFS = """
// Puffs of smoke or sparks: quads that face the camera, each an instance.

struct Frame { camera: mat4x4f, sun: vec4f, mist: vec4f }
struct Source { right: vec4f, up: vec4f, at: vec4f, drift: vec4f, colour: vec4f }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<uniform> source: Source;

struct Varyings {
    @builtin(position) clip: vec4f,
    @location(0) corner: vec2f,
    @location(1) @interpolate(flat) alpha: f32,
}

// A number of 0 to 1 for each seed.
fn random(seed: u32) -> f32 {
    var x = seed * 747796405u + 2891336453u;
    x = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
    return f32(((x >> 22u) ^ x) & 0xFFFFFFu) / 16777216.0;
}

@vertex fn vertex(@location(0) corner: vec2f, @builtin(instance_index) puff: u32) -> Varyings {
    let seed = puff * 4u + u32(source.at.w);
    let age = random(seed);
    let away = vec3f(random(seed + 1u), random(seed + 2u), random(seed + 3u)) - 0.5;
    let middle = source.at.xyz + source.drift.xyz * age + away * source.drift.w * (0.3 + age);
    let size = source.right.w * (0.4 + age);
    let at = middle + (source.right.xyz * corner.x + source.up.xyz * corner.y) * size;
    return Varyings(frame.camera * vec4f(at, 1.0), corner, source.colour.a * (1.0 - age));
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    let round = max(1.0 - dot(v.corner, v.corner), 0.0);
    return vec4f(source.colour.rgb, v.alpha * round);
}
"""

INTERFACE = """
// Rectangles of an interface, in parts of the picture from its upper left corner.

struct Panel { place: vec4f, top: vec4f, bottom: vec4f }
@group(0) @binding(0) var<uniform> panel: Panel;

struct Varyings { @builtin(position) clip: vec4f, @location(0) side: vec2f }

@vertex fn vertex(@location(0) corner: vec2f) -> Varyings {
    let at = panel.place.xy + panel.place.zw * corner;
    return Varyings(vec4f(2.0 * at.x - 1.0, 1.0 - 2.0 * at.y, 0.0, 1.0), corner);
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    return mix(panel.top, panel.bottom, v.side.y);
}

// A disc, soft at its edge.
@fragment fn disc(v: Varyings) -> @location(0) vec4f {
    let away = v.side * 2.0 - 1.0;
    let inside = clamp((1.0 - dot(away, away)) * 4.0, 0.0, 1.0);
    return vec4f(panel.top.rgb, panel.top.a * inside);
}
"""

HARBOUR_VERT = """#version 450
// Things of the harbour: matrix, colour and sun are push constants.

layout(push_constant) uniform Push { mat4 camera; vec4 colour; vec4 sun; } push;

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 0) out vec3 light;

void main() {
    float sun = max(dot(normal, push.sun.xyz), 0.0);
    light = push.colour.rgb * (push.sun.w + (1.0 - push.sun.w) * sun);
    gl_Position = push.camera * vec4(position, 1.0);
}
"""

HARBOUR_FRAG = """#version 450
// Light was computed for each corner.

layout(location = 0) in vec3 light;
layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(light, 1.0);
}
"""

WALL = """
// Corners in clip space, colours of vertices, square root of each.

struct Varyings { @builtin(position) clip: vec4f, @location(0) colour: vec3f }

@vertex fn vertex(@location(0) position: vec3f, @location(1) colour: vec3f) -> Varyings {
    return Varyings(vec4f(position, 1.0), colour);
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    return vec4f(sqrt(v.colour), 1.0);
}
"""

WATER = """
// Water of which no two samples of a pixel have the same ripples. Light and mist are those of the
// pixel, so a machine that splits shades them once.

struct Frame { camera: mat4x4f, sun: vec4f, mist: vec4f }
struct Thing { model: mat4x4f, colour: vec4f }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<uniform> thing: Thing;

struct Varyings {
    @invariant @builtin(position) clip: vec4f,
    @location(0) at: vec4f,
    @location(1) normal: vec3f,
    @location(2) @interpolate(perspective, sample) fine: vec2f,
}

@vertex fn vertex(@location(0) position: vec3f, @location(1) normal: vec3f) -> Varyings {
    let at = thing.model * vec4f(position, 1.0);
    let clip = frame.camera * at;
    return Varyings(clip, vec4f(at.xyz, clip.w), (thing.model * vec4f(normal, 0.0)).xyz, at.xz);
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    let sun = max(dot(normalize(v.normal), frame.sun.xyz), 0.0);
    let light = frame.sun.w + (1.0 - frame.sun.w) * sun;
    let base = mix(thing.colour.rgb * light, frame.mist.rgb, min(v.at.w * frame.mist.w, 0.8));
    let ripples = sin(9.0 * v.fine.x + 4.0 * v.fine.y) * cos(13.0 * v.fine.y);
    return vec4f(base * (0.9 + 0.1 * ripples), 1.0);
}
"""

PROGRAMS = {
    "lit.wgsl": LIT, "coloured.wgsl": COLOURED, "leaves.wgsl": LEAVES, "sky.wgsl": SKY, "city.wgsl": CITY,
    "puffs.wgsl": PUFFS, "interface.wgsl": INTERFACE, "harbour.vert": HARBOUR_VERT, "harbour.frag": HARBOUR_FRAG,
    "state-changes.wgsl": WALL, "water.wgsl": WATER,
}

# --- Frames -----------------------------------------------------------------------------------

QUAD = ("[[-1, -1], [1, -1], [1, 1], [-1, 1]]", "[0, 1, 2, 0, 2, 3]")


class Frame:
    """A scene file in the making."""

    def __init__(self, name, words, classes, size, small, clear=(0.6, 0.7, 0.85), **target):
        self.name, self.words, self.classes = name, words, classes
        self.size, self.small, self.clear, self.target = size, small, clear, target
        self.meshes, self.body, self.small_body, self.draws, self.in_pass = {}, "", "", 0, False
        self.passes = self.pass_draws = 0
        self.frame_values = []

    def view(self, camera_text, eye, sun=(0.4, 0.75, 0.53, 0.35), mist=(0.6, 0.7, 0.85, 0.0)):
        self.eye = eye
        self.camera = camera_text
        self.frame_values = [camera_text, listed((*unit(sun[:3]), sun[3])), listed(mist)]

    def a_pass(self, **keys):
        self.in_pass = True
        self.passes += 1
        self.pass_draws = 0
        self.body += "\n[[pass]]\n" + "".join(f"{k.replace('_', '-')} = {v}\n" for k, v in keys.items())

    def mesh(self, name, positions=None, indices=None, file=None, **attributes):
        if file or positions is None:
            self.meshes[name] = f'file = "{file or "meshes/" + name + ".obj"}"\n'
            return
        text = ""
        for key, values in (("position", positions), *attributes.items()):
            text += values_text(f"attributes.{key} = ", values)
        if indices is not None:
            text += values_text("indices = ", indices)
        self.meshes[name] = text

    def draw(self, mesh, program, vertex, fragment, bindings, state=None, instance=None, attributes=None, **keys):
        """One draw. `bindings` are (number or name, parts of values)."""
        if mesh not in self.meshes:
            self.mesh(mesh)
        kind = "pass.draw" if self.in_pass else "draw"
        first, second = (program, program) if isinstance(program, str) else program
        out = f'\n[[{kind}]]\nmesh = "{mesh}"\n'
        entry = (lambda file, name: f'{{ file = "{file}", entry = "{name}" }}' if name else f'"{file}"')
        out += f"vertex = {entry(first, vertex)}\n"
        if fragment is not False:
            out += f"fragment = {entry(second, fragment)}\n"
        for key, value in keys.items():
            out += f"{key.replace('_', '-')} = {value}\n"
        if attributes:
            out += wrapped("attributes = { ", attributes, " }") if len(attributes) < 4 else "attributes = { " + ", ".join(attributes) + " }\n"
        if state:
            out += "state = { " + ", ".join(f"{k.replace('_', '-')} = {v}" for k, v in state.items()) + " }\n"
        for key, rows in (instance or {}).items():
            out += values_text(f"instance.{key} = ", rows)
        for which, values in bindings:
            out += f"\n[[{kind}.binding]]\n"
            out += f'name = "{which}"\n' if isinstance(which, str) else f"binding = {which}\n"
            out += wrapped("values = [", values, "]")
        self.body += out
        self.draws += 1
        self.pass_draws += 1

    def sky(self, top, bottom, reversed_z=False, **state):
        self.mesh("screen", *QUAD)
        self.draw("screen", "sky.wgsl", "far_reversed" if reversed_z else "far", "fragment",
                  [(0, [listed((*top, 1)), listed((*bottom, 1))])], state)

    def put(self, thing, state, fragment="lit", more_state=None, program="lit.wgsl", **keys):
        """A thing with a model matrix and a colour of its own."""
        state = {**state, **(more_state or {}), **thing.get("state", {})}
        keys = {**thing.get("keys", {}), **keys}
        how = thing.get("how", fragment) if fragment is not False else False
        model = thing.get("matrix") or placed(thing)
        self.draw(thing["mesh"], thing.get("program", program), "vertex", how,
                  [(0, self.frame_values), (1, [model, listed((*thing["colour"], thing.get("alpha", 1.0))[:4])])], state, **keys)

    def away(self, thing):
        at = thing["at"]
        return sum((a - b) ** 2 for a, b in zip(at, self.eye))

    def front(self, things):
        return sorted(things, key=lambda t: round(self.away(t), 6))

    def back(self, things):
        return self.front(things)[::-1]

    def text(self):
        out = comment(f"{self.words} Made by scripts/make-frames.py.") + comment(f"Classes: {self.classes}.")
        out += f'name = "frame-{self.name}"\n\n[target]\nwidth = {self.size[0]}\nheight = {self.size[1]}\n'
        if "clear" not in self.target:
            out += f"clear = [{listed((*self.clear, 1.0))}]\n"
        for key, value in self.target.items():
            out += f"{key.replace('_', '-')} = {value}\n"
        out += f"\n[small]\ntarget.width = {self.small[0]}\ntarget.height = {self.small[1]}\n"
        for name, text in self.meshes.items():
            out += f"\n[mesh.{name}]\n{text}"
        return out + self.body + self.small_body


def values_text(head, values):
    if isinstance(values, str):
        return f"{head}{values}\n"
    return wrapped(head + "[", [listed(v) if isinstance(v, (list, tuple)) else number(v) for v in values], "]")


def thing(mesh, at, size, colour, turn=0, **more):
    return {"mesh": mesh, "at": at, "size": three(size), "colour": colour, "turn": turn, **more}


def placed(t):
    out = [translate(*t["at"])]
    if t["turn"]:
        out.append(rotate(0, 1, 0, t["turn"]))
    if "tilt" in t:
        out.append(rotate(*t["tilt"]))
    if t["size"] != (1, 1, 1):
        out.append(scale(*t["size"]))
    return product(*out)


def around(rng, colour, by):
    f = 1 + rng.between(-by, by)
    return tuple(min(max(c * f + rng.between(-by, by) * 0.25, 0), 1) for c in colour)


LESS = {"depth": '"less"', "cull": '"back"'}
LESS_EQUAL = {"depth": '"less-equal"', "cull": '"back"'}
BLENDED = {"depth": '"less"', "depth_write": "false", "blend": '["alpha"]'}


def street():
    f = Frame("street", "A street with houses, lamps and parked cars, drawn front to back with one state. "
              "The first row of houses hides the second row and the hills.", "opaque front to back, less, many draws of one state",
              (640, 480), (96, 72), clear=(0.70, 0.80, 0.92))
    rng = Random(1)
    eye = (0, 1.7, 6)
    f.view(camera(58, 0.3, 80, eye, (0.3, 1.5, -20)), eye, mist=(0.70, 0.80, 0.92, 0.012))
    things = [thing("floor", (0, -0.02, -20), (30, 1, 32), (0.42, 0.50, 0.34)), thing("floor", (0, 0, -20), (2.2, 1, 30), (0.32, 0.32, 0.34))]
    for side in (-1, 1):
        things.append(thing("box", (side * 2.7, 0, -20), (0.5, 0.08, 28), (0.62, 0.60, 0.57)))
        for row, count in ((0, 8), (1, 7)):
            for k in range(count):
                x, z = side * (5.0 + 4.2 * row + rng.between(0, 0.3)), -1.5 - 4.1 * k - 1.5 * row
                w, h, d = rng.between(1.5, 1.8), rng.between(2.4, 4.2) * (1 - 0.15 * row), rng.between(1.6, 1.95)
                wall = around(rng, rng.choose([(0.80, 0.70, 0.55), (0.72, 0.45, 0.36), (0.60, 0.64, 0.70), (0.85, 0.82, 0.74)]), 0.1)
                things.append(thing("box", (x, 0, z), (w, h, d), wall))
                things.append(thing("roof", (x, h, z), (w * 1.06, rng.between(0.7, 1.3), d * 1.08), around(rng, (0.52, 0.22, 0.17), 0.15)))
                if row == 0:
                    things.append(thing("windows", (x, 0, z), (w, h, d), (0.20, 0.25, 0.32), turn=0))
        for k in range(5):
            things.append(thing("pole", (side * 2.5, 0, -1 - 6 * k), (0.05, 2.6, 0.05), (0.2, 0.2, 0.22)))
            things.append(thing("cube", (side * 2.35, 2.6, -1 - 6 * k), (0.25, 0.06, 0.08), (0.9, 0.88, 0.7)))
    for side, z, colour in ((-1, -2.5, (0.7, 0.15, 0.12)), (1, -5.5, (0.15, 0.3, 0.62)), (-1, -12, (0.85, 0.85, 0.82)), (1, -14.5, (0.2, 0.42, 0.25))):
        x = side * 1.7
        things.append(thing("box", (x, 0.2, z), (0.4, 0.35, 0.95), colour))
        things.append(thing("box", (x, 0.5, z + 0.1), (0.34, 0.32, 0.5), (0.25, 0.3, 0.36)))
        for dx in (-0.38, 0.38):
            things.append(thing("wheel", (x + dx, 0.2, z + 0.55), (0.2, 0.14, 0.2), (0.08, 0.08, 0.08), tilt=(0, 0, 1, 90)))
    things.append(thing("hills", (0, -0.5, -46), (1.5, 2.2, 0.6), (0.30, 0.42, 0.30)))
    for t in f.front(things):
        f.put(t, LESS)
    return f


def harbour():
    f = Frame("harbour", "Containers, cranes and a ship at a quay, drawn back to front after the sky. "
              "Matrices and colours are push constants of GLSL programs, whose y points down.",
              "opaque back to front, less-equal, sky first with always, push constants", (512, 384), (96, 72), clear=(0, 0, 0))
    rng = Random(2)
    eye = (-7.5, 3.6, 12.5)
    f.view(camera(46, 1, 90, eye, (1.2, 1.9, -4)), eye)
    f.sky((0.45, 0.60, 0.80), (0.86, 0.84, 0.78), depth='"always"', depth_write="false")
    things = [thing("floor", (0, -0.6, -20), (60, 1, 40), (0.22, 0.36, 0.42)), thing("box", (2, -0.6, -1), (11, 0.6, 7), (0.55, 0.53, 0.50))]
    colours = [(0.70, 0.20, 0.14), (0.15, 0.35, 0.60), (0.80, 0.62, 0.18), (0.30, 0.50, 0.28), (0.62, 0.62, 0.60), (0.55, 0.28, 0.10)]
    things += [thing("box", (-5.6, 0, 6.2), (1.3, 1.9, 0.7), (0.60, 0.58, 0.52)), thing("roof", (-5.6, 1.9, 6.2), (1.45, 0.6, 0.9), (0.42, 0.20, 0.16)),
               thing("box", (1.4, 0, 6.3), (1.2, 1.5, 0.6), (0.66, 0.62, 0.54)), thing("box", (1.4, 1.5, 6.3), (1.3, 0.12, 0.7), (0.35, 0.35, 0.36))]
    for row in range(5):
        for column in range(6):
            for level in range(1 + rng.word() % 3):
                things.append(thing("box", (-6 + 3.1 * column, 0.92 * level, 4 - 2.0 * row), (1.35, 0.88, 0.55), around(rng, rng.choose(colours), 0.12)))
    for x in (-3.5, 6.5):
        for dx, dz in ((-1, -1), (1, -1), (-1, 1.6), (1, 1.6)):
            things.append(thing("box", (x + dx, 0, -6.6 + dz), (0.16, 6, 0.16), (0.85, 0.55, 0.12)))
        things.append(thing("box", (x, 6, -8.5), (0.3, 0.35, 5.5), (0.85, 0.55, 0.12)))
        things.append(thing("box", (x, 5.3, -6.3), (1.2, 0.3, 0.2), (0.8, 0.5, 0.12)))
        things.append(thing("box", (x, 5.3, -9.5), (0.5, 0.6, 0.5), (0.3, 0.3, 0.32)))
    things += [thing("hull", (2, -0.7, -12.5), (8.5, 2.4, 2.0), (0.25, 0.10, 0.12)), thing("box", (-4.5, 1.7, -12.5), (1.2, 2.6, 1.6), (0.88, 0.88, 0.85)),
               thing("pole", (-5.2, 4.3, -12.5), (0.4, 1.1, 0.4), (0.7, 0.2, 0.15))]
    for k in range(6):
        things.append(thing("box", (-1.5 + 1.7 * k, 1.7, -12.5), (0.75, 0.9 * (1 + k % 2), 1.5), colours[k]))
    for t in f.back(things):
        f.draw(t["mesh"], ("harbour.vert", "harbour.frag"), None, None,
               [("push", [product(scale(1, -1, 1), f.camera, placed(t)), listed((*t["colour"], 1)), listed((0.35, 0.80, 0.49, 0.4))])], LESS_EQUAL)
    return f


def warehouse():
    f = Frame("warehouse", "Crates on the shelves of a warehouse, drawn in no order; every draw exchanges less and less-equal. "
              "The crate comes from a glTF file.", "opaque shuffled, less and less-equal alternating, glTF", (320, 240), (80, 60), clear=(0.1, 0.1, 0.12))
    rng = Random(3)
    eye = (-2.2, 2.4, 7.5)
    f.view(camera(60, 0.3, 40, eye, (0.6, 1.5, -4)), eye, sun=(0.3, 0.6, 0.75, 0.3), mist=(0.12, 0.12, 0.14, 0.025))
    f.mesh("crate", file="gltf/cube-color.glb")
    things = [thing("floor", (0, 0, -3), (9, 1, 12), (0.45, 0.44, 0.42), how="tiles"), thing("wall", (0, 0, -11), (9, 6, 1), (0.5, 0.48, 0.45), how="brick")]
    for row in range(5):
        z = 2.5 - 2.8 * row
        for side in (-1, 1):
            for level in range(3):
                things.append(thing("cube", (side * 3.3, 0.15 + 1.35 * level, z), (2.2, 0.06, 0.62), (0.75, 0.45, 0.12)))
                for k in range(3):
                    if rng.unit() < 0.8:
                        s = rng.between(0.36, 0.55)
                        things.append(thing("crate", (side * 3.3 + 1.35 * (k - 1) + rng.between(-0.1, 0.1), 0.21 + 1.35 * level + s, z + rng.between(-0.1, 0.1)), s,
                                            around(rng, (0.62, 0.46, 0.28), 0.2), turn=rng.between(-15, 15), alpha=0.9, program="coloured.wgsl", how="fragment"))
            for dx in (-2.2, 2.2):
                things.append(thing("box", (side * 3.3 + dx, 0, z), (0.07, 4.0, 0.6), (0.20, 0.28, 0.45)))
    for k, t in enumerate(rng.shuffled(things)):
        f.put(t, LESS if k % 2 else LESS_EQUAL)
    return f


def forest():
    f = Frame("forest", "A clearing with broad-leaved trees, pines and a hut in front of half of it. "
              "Crowns are cards with discard, and each tree is drawn trunk first.", "discard mixed with opaque, shuffled, less", (640, 480), (80, 60), clear=(0.66, 0.78, 0.88))
    rng = Random(4)
    eye = (0, 2.4, 10)
    f.view(camera(50, 0.5, 60, eye, (0, 1.8, 0)), eye, sun=(-0.4, 0.8, 0.45, 0.4), mist=(0.66, 0.78, 0.88, 0.012))
    wall, roofs = (0.46, 0.30, 0.18), (0.32, 0.22, 0.18)
    f.put(thing("box", (-3.0, 0.1, 5.2), (1.3, 1.9, 1.0), wall), LESS, "brick")
    f.put(thing("roof", (-3.0, 2.0, 5.2), (1.55, 0.9, 1.3), roofs), LESS)
    f.put(thing("windows", (-3.0, 0.1, 5.2), (1.3, 1.9, 1.0), (0.85, 0.78, 0.5)), LESS)
    f.put(thing("hills", (0, -0.4, -6), (1.2, 0.5, 1), (0.33, 0.45, 0.20)), LESS)
    for k in range(5):
        f.put(thing("stone", (rng.between(-1, 5), 0.0, rng.between(2, 6)), rng.between(0.2, 0.5), around(rng, (0.5, 0.5, 0.48), 0.1)), LESS)
    for k in range(34):
        x, z = rng.between(-9, 9), rng.between(-14, 3)
        y = 0.5 * hills(x / 1.2, z + 6) - 0.45
        if k % 3 == 2:
            f.put(thing("pine", (x, y, z), (1.4, rng.between(2.2, 3.2), 1.4), around(rng, (0.14, 0.32, 0.18), 0.2)), LESS)
            continue
        h = rng.between(1.6, 2.8)
        f.put(thing("pole", (x, y, z), (0.16, h, 0.16), around(rng, (0.36, 0.26, 0.18), 0.1)), LESS)
        f.put(thing("crown", (x, y + h + 0.4, z), rng.between(1.1, 1.6), around(rng, (0.30, 0.48, 0.14), 0.25), turn=rng.between(0, 180)),
              {"depth": '"less"'}, "fragment", program="leaves.wgsl")
    return f


def greenhouse():
    f = Frame("greenhouse", "Pots and plants on benches in a house of glass, seen past a brick wall. "
              "Panes are blended in front of and behind each other, from back to front.", "blended layers over opaque, some of them behind a wall, less", (320, 240), (96, 72), clear=(0.72, 0.82, 0.90))
    rng = Random(5)
    eye = (3.6, 2.6, 7.2)
    f.view(camera(50, 0.5, 40, eye, (-0.3, 1.0, 0)), eye, sun=(0.5, 0.8, 0.3, 0.35), mist=(0.72, 0.82, 0.90, 0.01))
    things = [thing("floor", (0, 0, 0), (9, 1, 9), (0.55, 0.62, 0.40)), thing("floor", (0, 0.02, 0), (3, 1, 3), (0.62, 0.58, 0.52), how="tiles"),
              thing("box", (-1.4, 0, 3.7), (2.4, 1.65, 0.15), (0.60, 0.32, 0.24), how="brick"), thing("box", (0, 0, -3.1), (3.1, 0.9, 0.1), (0.60, 0.32, 0.24), how="brick")]
    for row in range(3):
        z = 2 - 2 * row
        things.append(thing("box", (0, 0.55, z), (2.5, 0.12, 0.42), (0.45, 0.32, 0.2)))
        for k in range(6):
            x = -2.1 + 0.84 * k
            things.append(thing("pot", (x, 0.67, z), 0.62, around(rng, (0.68, 0.36, 0.22), 0.12)))
            if rng.unit() < 0.6:
                things.append(thing("ball", (x, 1.25, z), (0.28, rng.between(0.25, 0.45), 0.28), around(rng, (0.25, 0.50, 0.18), 0.3)))
    for x in (-3, -1, 1, 3):
        for z in (-3, 3):
            things.append(thing("box", (x, 0, z), (0.05, 2.4, 0.05), (0.9, 0.9, 0.88)))
    for t in f.back(things):
        f.put(t, LESS)
    panes = []
    for x in (-2, 0, 2):
        for z, tint in ((-3, (0.5, 0.75, 0.7)), (3, (0.6, 0.8, 0.85)), (0, (0.55, 0.7, 0.8))):
            panes.append(thing("wall", (x, 0.05, z), (0.95, 2.3, 1), tint, alpha=0.22, how="glass"))
            panes.append(thing("wall", (z, 0.05, x), (0.95, 2.3, 1), tint, turn=90, alpha=0.22, how="glass"))
    for x in (-2, 0, 2):
        for side in (-1, 1):
            panes.append(thing("wall", (x, 2.4, side * 3), (0.95, 3.2, 1), (0.7, 0.85, 0.9), tilt=(1, 0, 0, -side * 70), alpha=0.15, how="glass"))
    for t in f.back(panes):
        f.put(t, {**BLENDED})
    return f


def board():
    f = Frame("board", "A game of chess behind its open box. Three pieces are marked: they set stencil, and larger ones are drawn where no mark is.",
              "stencil outlines, opaque shuffled, less", (384, 288), (96, 72), clear=(0.20, 0.22, 0.26))
    rng = Random(6)
    eye = (3.2, 4.8, 8.2)
    f.view(camera(42, 1, 40, eye, (0, 0.2, 0.4)), eye, sun=(-0.4, 0.8, 0.5, 0.3), mist=(0, 0, 0, 0))
    things = [thing("floor", (0, -0.5, 0), (14, 1, 12), (0.40, 0.28, 0.18), how="tiles"), thing("box", (0, -0.45, 0), (4.4, 0.42, 4.4), (0.28, 0.18, 0.12))]
    for x in range(8):
        for z in range(8):
            if (x + z) % 2:
                things.append(thing("floor", (x - 3.5, 0.0, z - 3.5), 0.5, (0.85, 0.78, 0.62)))
    things += [thing("box", (0.3, -0.5, 5.0), (3.0, 2.3, 0.12), (0.5, 0.22, 0.12)), thing("box", (-2.6, -0.5, 5.5), (0.1, 0.8, 0.5), (0.5, 0.22, 0.12)), thing("box", (3.2, -0.5, 5.5), (0.1, 0.8, 0.5), (0.5, 0.22, 0.12))]
    # Pieces that were taken lie behind the lid.
    for k in range(8):
        things.append(thing("pawn", (-2.2 + 0.7 * k, -0.5, 4.72), (0.6, 0.7, 0.6), (0.22, 0.20, 0.22) if k % 2 else (0.85, 0.80, 0.70)))
    marked = []
    for x, z, mesh, white in ((0, 0, "tower", 0), (7, 0, "tower", 0), (3, 1, "pawn", 0), (4, 3, "pawn", 0), (1, 1, "pawn", 0), (6, 1, "pawn", 0), (2, 2, "tower", 0), (5, 2, "pawn", 0),
                              (0, 7, "tower", 1), (7, 7, "tower", 1), (3, 6, "pawn", 1), (4, 5, "pawn", 1), (1, 6, "pawn", 1), (6, 6, "pawn", 1), (2, 5, "tower", 1), (5, 6, "pawn", 1)):
        t = thing(mesh, (x - 3.5, 0.01, z - 3.5), (1, 1.1, 1), (0.85, 0.80, 0.70) if white else (0.22, 0.20, 0.22))
        (marked if (x, z) in ((4, 3), (2, 5), (6, 6)) else things).append(t)
    for t in rng.shuffled(things):
        f.put(t, LESS)
    for t in marked:
        f.put(t, LESS, more_state={"stencil": '{ front = { compare = "always", pass = "replace" }, reference = 1 }'})
    for t in marked:
        f.put({**t, "size": tuple(s * 1.14 for s in t["size"]), "colour": (1.0, 0.75, 0.1)}, {"cull": '"back"', "stencil": '{ front = { compare = "not-equal" }, reference = 1 }'}, "plain")
    return f


def mirror():
    f = Frame("mirror", "A room with a mirror on its wall. The mirror marks stencil, its depth is set to far with always, and the room is drawn again inside the mark.",
              "stencil mask, always, opaque shuffled, less", (400, 300), (96, 72), clear=(0.05, 0.05, 0.06))
    rng = Random(7)
    eye = (2.4, 1.9, 6.6)
    f.view(camera(52, 0.4, 40, eye, (-0.4, 1.2, -2)), eye, sun=(0.3, 0.7, 0.6, 0.35), mist=(0, 0, 0, 0))
    room = [thing("floor", (0, 0, 0), (4, 1, 4.0), (0.62, 0.50, 0.38), how="tiles"), thing("wall", (-4, 0, 0), (4, 3.2, 1), (0.70, 0.62, 0.50), turn=90)]
    room += [thing("box", (-1.4, 0.7, 0.6), (1.2, 0.09, 0.7), (0.45, 0.28, 0.16))]
    for dx in (-1.1, 1.1):
        for dz in (-0.6, 0.6):
            room.append(thing("box", (-1.4 + dx, 0, 0.6 + dz), (0.06, 0.7, 0.06), (0.4, 0.25, 0.15)))
    for k in range(5):
        room.append(thing(rng.choose(["vase", "pot"]), (-2.3 + 0.45 * k, 0.79, 0.6 + rng.between(-0.4, 0.4)), rng.between(0.35, 0.6), around(rng, (0.5, 0.45, 0.6), 0.4)))
    for x, z, turn in ((-1.4, 2.2, 0), (0.6, 0.5, 90), (-2.9, 0.2, -90)):
        room.append(thing("box", (x, 0.4, z), (0.35, 0.06, 0.35), (0.55, 0.20, 0.18), turn=turn))
        room.append(thing("box", (x + (0.3 if turn == 90 else 0), 0.4, z + (0.3 if turn == 0 else 0)), (0.05, 0.7, 0.35) if turn else (0.35, 0.7, 0.05), (0.50, 0.18, 0.16)))
        room.append(thing("box", (x, 0, z), (0.3, 0.4, 0.3), (0.3, 0.2, 0.14)))
    room += [thing("column", (2.6, 0, -0.5), (0.5, 1.1, 0.5), (0.8, 0.78, 0.74)), thing("ball", (2.6, 1.45, -0.5), 0.35, (0.75, 0.6, 0.3)), thing("torus", (1.3, 0.16, -1.6), 0.55, (0.3, 0.5, 0.6))]
    # What is behind the wall of the mirror: a second room that nobody sees.
    hidden = [thing("wall", (0, 0, -4), (4, 3.2, 1), (0.66, 0.66, 0.60))]
    for k in range(12):
        hidden.append(thing("box", (-3.3 + 1.2 * (k % 6), 0.9 * (k // 6), -5.2 - 0.6 * (k % 2)), (0.5, 0.8, 0.4), around(rng, (0.5, 0.4, 0.3), 0.3)))
    hidden += [thing("box", (x, 0.45, -3.96), (w, h, 0.04), (0.72, 0.55, 0.2)) for x, w, h in ((-1.95, 0.06, 2.2), (1.95, 0.06, 2.2))]
    for t in rng.shuffled(room + hidden):
        f.put(t, LESS)
    glass = thing("wall", (0, 0.5, -3.94), (1.9, 2.1, 1), (0.75, 0.85, 0.85), alpha=0.15)
    f.put(glass, {"depth": '"less"', "depth_write": "false", "write": '[""]', "stencil": '{ front = { compare = "always", pass = "replace" }, reference = 1 }'}, "plain")
    f.sky((0.05, 0.06, 0.07), (0.05, 0.06, 0.07), depth='"always"', stencil='{ front = { compare = "equal" }, reference = 1 }')
    for t in rng.shuffled(room):
        x, y, z = t["at"]
        model = times([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, 0], [0, 0, 2 * -3.94, 1]], model_numbers(t["at"], t["size"], t["turn"]))
        f.put({**t, "matrix": listed([v for column in model for v in column])}, {"depth": '"less"', "cull": '"back"', "front": '"cw"', "stencil": '{ front = { compare = "equal" }, back = { compare = "equal" }, reference = 1 }'})
    f.put(glass, {**BLENDED}, "plain")
    return f


def coast():
    f = Frame("island", "An island with palms, huts and boats. The sky is drawn last with less-equal where nothing is, and the sea is blended over what is below it.",
              "sky last with less-equal, blended water, opaque shuffled, less", (640, 480), (96, 72), clear=(0, 0, 0))
    rng = Random(8)
    eye = (5.5, 3.2, 10.5)
    f.view(camera(46, 0.5, 80, eye, (0, 0.6, 0)), eye, sun=(0.6, 0.7, 0.2, 0.4), mist=(0.75, 0.85, 0.92, 0.008))
    things = [thing("island", (0, 0, 0), 1, (0.76, 0.66, 0.44)), thing("floor", (0, -0.9, -8), (40, 1, 30), (0.35, 0.45, 0.42))]
    for k in range(12):
        x, z = rng.between(-3.2, 3.2), rng.between(-3, 3)
        y, h = island(x, z) - 0.05, rng.between(1.2, 2.0)
        things.append(thing("pole", (x, y, z), (0.09, h, 0.09), (0.45, 0.34, 0.22)))
        things.append(thing("pine", (x, y + h + 0.55, z), (1.2, -0.55, 1.2), around(rng, (0.22, 0.46, 0.18), 0.2), state={"cull": '"none"'}))
    for x, z, turn in ((0.6, 2.9, 20), (-1.8, 2.2, -15), (2.6, 0.8, 70)):
        y = island(x, z) - 0.1
        things.append(thing("box", (x, y, z), (0.55, 0.7, 0.5), (0.62, 0.50, 0.32), turn=turn))
        things.append(thing("roof", (x, y + 0.7, z), (0.75, 0.5, 0.7), (0.50, 0.38, 0.20), turn=turn))
    for k in range(9):
        a = rng.between(0, 6.28)
        things.append(thing(rng.choose(["stone", "boulder"]), (5 * math.cos(a), -0.3, 4.6 * math.sin(a)), rng.between(0.25, 0.6), around(rng, (0.46, 0.44, 0.42), 0.1), turn=rng.between(0, 90)))
    for x, z, turn in ((4.2, 4.6, 30), (-4.6, 5.2, -20), (-7, -4, 10)):
        things.append(thing("hull", (x, -0.25, z), (0.8, 0.4, 0.32), (0.55, 0.22, 0.15), turn=turn))
        things.append(thing("pole", (x, 0.1, z), (0.03, 1.5, 0.03), (0.4, 0.3, 0.2)))
        things.append(thing("wall", (x + 0.25, 0.35, z), (0.3, 1.0, 1), (0.92, 0.90, 0.84), turn=turn, state={"cull": '"none"'}))
    for t in rng.shuffled(things):
        f.put(t, LESS)
    f.sky((0.30, 0.52, 0.80), (0.84, 0.90, 0.94), depth='"less-equal"', depth_write="false")
    f.put(thing("floor", (0, -0.1, -8), (40, 1, 30), (0.10, 0.40, 0.52), alpha=0.62), {**BLENDED}, "plain")
    for k in range(4):
        f.put(thing("floor", (rng.between(-6, 6), -0.08, rng.between(3, 7)), (rng.between(0.8, 1.8), 1, 0.06), (0.9, 0.95, 0.97), alpha=0.5), {**BLENDED}, "plain")
    return f


def gorge():
    f = Frame("canyon", "A canyon with a rope bridge, towers of rock and a camp. Depth is reversed: 1 is near, and greater and greater-equal pass.",
              "reversed depth with greater and greater-equal, front to back, sky first with always", (320, 240), (80, 60), clear=(0, 0, 0), depth="true", clear_depth="0.0")
    rng = Random(9)
    eye = (0.6, 2.3, 9.5)
    f.view(camera(56, 0.3, 200, eye, (0, 1.5, -4), reversed_z=True), eye, sun=(0.5, 0.75, 0.3, 0.35), mist=(0.88, 0.78, 0.66, 0.012))
    f.sky((0.40, 0.62, 0.86), (0.92, 0.84, 0.72), reversed_z=True, depth='"always"', depth_write="false")
    things = [thing("canyon", (0, 0, -3), 1, (0.66, 0.40, 0.24)), thing("canyon", (0, 0, -30), (1.3, 1.6, 1), (0.62, 0.40, 0.28))]
    for k in range(26):
        side = rng.choose([-1, 1])
        x, z = side * rng.between(0.8, 4.2), rng.between(-14, 5)
        s = rng.between(0.4, 1.0)
        things.append(thing(rng.choose(["boulder", "stone"]), (x, 0.5 * s + (0.6 if abs(x) > 3 else 0), z), (s, s * rng.between(0.8, 2.2), s), around(rng, (0.62, 0.38, 0.24), 0.15), turn=rng.between(0, 180)))
    for k in range(11):
        things.append(thing("cube", (-2.5 + 0.5 * k, 2.6 - 0.5 * math.sin(math.pi * k / 10), -1.0), (0.22, 0.04, 0.35), (0.45, 0.32, 0.2)))
    for side in (-1, 1):
        for dz in (-0.4, 0.4):
            things.append(thing("pole", (side * 2.9, 1.8, -1.0 + dz), (0.07, 1.7, 0.07), (0.35, 0.25, 0.16)))
    for x, z in ((0.9, 2.4), (-0.6, 1.0), (0.2, -4.5), (-0.4, -7.0)):
        things.append(thing("roof", (x, 0.15, z), (0.55, 0.7, 0.5), around(rng, (0.72, 0.66, 0.50), 0.15), turn=rng.between(-40, 40)))
        things.append(thing("box", (x + 0.8, 0.1, z + 0.1), (0.16, 0.28, 0.16), (0.4, 0.3, 0.2)))
    for k, t in enumerate(f.front(things)):
        f.put(t, {"depth": '"greater"' if k % 4 else '"greater-equal"', "cull": '"back"'})
    return f


def cockpit():
    f = Frame("cockpit", "A field of rocks and a station seen from a cockpit. Space is drawn with reversed depth; depth is then cleared, and the cockpit is drawn with a usual one.",
              "both depth directions in two passes, shuffled, blended gauges", (512, 288), (96, 54), clear=(0.01, 0.01, 0.03), depth="true")
    rng = Random(10)
    eye = (0, 0, 0)
    far = camera(60, 0.5, 400, eye, (0, 0, -1), reversed_z=True)
    near = camera(60, 0.1, 10, eye, (0, 0, -1))
    f.view(far, eye, sun=(-0.6, 0.5, 0.6, 0.12), mist=(0, 0, 0, 0))
    f.a_pass(clear_depth="0.0", depth_store='"discard"')
    space = []
    for x, w, h, d in ((0, 2.0, 2.0, 2.0), (-4.0, 2.2, 0.3, 0.3), (4.0, 2.2, 0.3, 0.3)):
        space.append(thing("cube", (2 + x, 1.0, -18), (w, h, d), (0.55, 0.57, 0.62)))
    for x in (-7.5, 7.5):
        space.append(thing("cube", (2 + x, 1.0, -18), (1.6, 2.6, 0.08), (0.15, 0.2, 0.5)))
    space += [thing("torus", (2, 1.0, -18), 5.2, (0.5, 0.52, 0.56), tilt=(1, 0, 0, 70)), thing("ball", (-16, 8, -80), 18, (0.62, 0.42, 0.30))]
    for k in range(44):
        z = -rng.between(8, 60)
        s = rng.between(0.5, 2.4)
        space.append(thing(rng.choose(["stone", "boulder"]), (rng.between(-0.85, 0.85) * -z, rng.between(-0.45, 0.5) * -z, z), s, around(rng, (0.42, 0.38, 0.34), 0.25), turn=rng.between(0, 180)))
    for t in rng.shuffled(space):
        f.put(t, {"depth": '"greater"', "cull": '"back"'})
    f.a_pass(load='["load"]', clear_depth="1.0", depth_store='"discard"')
    f.view(near, eye, sun=(0.2, 0.6, 0.75, 0.45), mist=(0, 0, 0, 0))
    inside = [thing("box", (0, -1.1, -1.2), (1.4, 0.62, 0.3), (0.20, 0.21, 0.24)), thing("box", (0, -1.0, -1.5), (1.6, 0.58, 0.2), (0.14, 0.15, 0.17)),
              thing("cube", (-1.05, 0.1, -1.3), (0.05, 1.2, 0.05), (0.24, 0.25, 0.28), tilt=(0, 0, 1, -14)), thing("cube", (1.05, 0.1, -1.3), (0.05, 1.2, 0.05), (0.24, 0.25, 0.28), tilt=(0, 0, 1, 14)),
              thing("cube", (0, 0.78, -1.3), (1.4, 0.06, 0.06), (0.24, 0.25, 0.28)), thing("pole", (0.0, -0.75, -0.9), (0.03, 0.4, 0.03), (0.1, 0.1, 0.1)), thing("ball", (0.0, -0.33, -0.9), 0.05, (0.5, 0.1, 0.1))]
    for k in range(7):
        inside.append(thing("wheel", (-0.72 + 0.24 * k, -0.46, -1.0), (0.09, 0.1, 0.09), (0.32, 0.33, 0.36), tilt=(1, 0, 0, 60)))
    for k in range(10):
        inside.append(thing("cube", (-0.7 + 0.15 * k, -0.62, -0.9), 0.03, rng.choose([(0.8, 0.2, 0.1), (0.2, 0.7, 0.3), (0.8, 0.7, 0.2)])))
    # Boxes of the machinery behind the panel: hidden by it.
    for k in range(8):
        inside.append(thing("cube", (-1.0 + 0.28 * k, -0.72, -1.55), (0.12, 0.1, 0.1), (0.4, 0.4, 0.42)))
    for t in rng.shuffled(inside):
        f.put(t, LESS)
    for k in range(7):
        f.put(thing("floor", (-0.72 + 0.24 * k, -0.44, -0.96), (0.06, 1, 0.06), (0.2, 0.9, 0.6), tilt=(1, 0, 0, 60), alpha=0.35), {**BLENDED}, "plain")
    return f


def xray():
    f = Frame("x-ray", "Guards behind the walls of a yard. What of a guard is hidden is drawn first with greater as a glow; then the guard is drawn with less.",
              "both depth directions in one pass, depth write off, state changes every few draws", (320, 240), (96, 72), clear=(0.16, 0.18, 0.22))
    rng = Random(11)
    eye = (4.5, 6.0, 9.5)
    f.view(camera(44, 1, 50, eye, (0, 0.4, -0.4)), eye, sun=(0.3, 0.8, 0.5, 0.35), mist=(0, 0, 0, 0))
    walls = [thing("floor", (0, 0, 0), (8, 1, 8), (0.46, 0.45, 0.40), how="tiles")]
    for x, z, w, d in ((0, 3.2, 3.6, 0.16), (-3.6, 0.4, 0.16, 2.8), (3.0, 0.8, 0.16, 1.6), (-0.6, -0.6, 2.0, 0.16), (1.2, -2.6, 2.6, 0.16), (-2.2, 1.6, 0.9, 0.16), (1.4, 1.4, 0.16, 0.9)):
        walls.append(thing("box", (x, 0, z), (w, 1.35, d), around(rng, (0.58, 0.42, 0.34), 0.08), how="brick"))
    for k in range(14):
        s = rng.between(0.2, 0.4)
        walls.append(thing("box", (rng.between(-3.2, 3.2), 0, rng.between(-3.8, 2.8)), (s, s * 1.6, s), around(rng, (0.5, 0.38, 0.22), 0.2), turn=rng.between(0, 80)))
    for t in f.front(walls):
        f.put(t, LESS)
    for k, (x, z) in enumerate(((0.4, 2.5), (-2.4, 2.4), (2.2, 0.4), (-1.4, -1.3), (0.6, -1.2), (-2.6, 0.2), (1.6, -3.4), (0.2, 0.6))):
        body = [thing("pawn", (x, 0.0, z), (0.7, 0.75, 0.7), (0.25, 0.35, 0.60)), thing("ball", (x, 0.95, z), 0.2, (0.85, 0.66, 0.52)), thing("cube", (x + 0.3, 0.55, z + 0.1), (0.05, 0.3, 0.05), (0.3, 0.3, 0.3))]
        for t in body:
            f.put({**t, "colour": (1.0, 0.35, 0.15), "alpha": 0.55}, {"depth": '"greater"', "depth_write": "false", "cull": '"back"', "blend": '["alpha"]'}, "plain")
        for t in body:
            f.put(t, LESS)
    return f




def text_mesh(rng, letters):
    """Bars as letters have them: positions of a unit line, and indices."""
    positions, indices = [], []
    for k in range(letters):
        x, w = k / letters, 0.7 / letters
        bars = rng.choose([((0, 0, 0.3, 1), (0.3, 0.0, 0.7, 0.25)), ((0, 0, 0.3, 1), (0.3, 0.75, 0.7, 0.25)), ((0.35, 0, 0.3, 1), (0, 0, 1, 0.25)), ((0, 0, 0.3, 1), (0.7, 0, 0.3, 1)), ((0, 0.4, 1, 0.2), (0.35, 0, 0.3, 1))])
        for bx, by, bw, bh in bars:
            n = len(positions)
            positions += [(x + w * bx, by), (x + w * bx, by + bh), (x + w * (bx + bw), by + bh), (x + w * (bx + bw), by)]
            indices += [n, n + 1, n + 2, n, n + 2, n + 3]
    return positions, indices


def interface():
    f = Frame("configurator", "A controller on a stand in a show room, from a glTF file, under the interface of a program that configures it. "
              "Panels, buttons and lines of text are blended without depth.", "interface over a 3D scene, many small blended draws without depth, front to back, glTF, 1920 x 1080", (1920, 1080), (96, 54), clear=(0.10, 0.11, 0.14), depth="true")
    rng = Random(12)
    eye = (1.2, 2.2, 6.0)
    f.view(camera(40, 0.5, 40, eye, (-0.1, 1.1, 0)), eye, sun=(0.4, 0.7, 0.6, 0.3), mist=(0.10, 0.11, 0.14, 0.03))
    f.mesh("controller", file="gltf/generic-button-left.glb")
    things = [thing("floor", (0, 0, -2), (8, 1, 7), (0.30, 0.32, 0.36), how="tiles"), thing("wall", (0, 0, -3.8), (8, 5, 1), (0.26, 0.28, 0.33)),
              thing("column", (0, 0, 0), (1.1, 0.7, 1.1), (0.72, 0.70, 0.66))]
    for k in range(4):
        things.append(thing("column", (-3.6 + 2.4 * k, 0, -3.2), (0.5, 3.4, 0.5), around(rng, (0.5, 0.5, 0.54), 0.1)))
    # The store behind the wall: nobody took it out of the list.
    for k in range(26):
        things.append(thing("box", (-3.6 + 0.6 * (k % 13), 1.3 * (k // 13), -5 - 0.5 * (k % 3)), (0.28, rng.between(0.8, 1.2), 0.28), around(rng, (0.5, 0.4, 0.3), 0.3)))
    for k in range(8):
        s = rng.between(0.25, 0.6)
        things.append(thing(rng.choose(["cube", "stone"]), (-3.6 + 1.05 * k, s, -2.6 + rng.between(-0.8, 0.8)), s, around(rng, (0.45, 0.5, 0.65), 0.4)))
    for first, count, colour in ((0, 168, (0.16, 0.17, 0.19)), (168, 8868, (0.75, 0.76, 0.78)), (9036, 630, (0.80, 0.25, 0.15))):
        things.append(thing("controller", (0, 1.25, 0), 13, colour, turn=35, keys={"first": first, "count": count}, tilt=(1, 0, 0, 25)))
    for t in f.front(things):
        f.put(t, LESS)
    f.mesh("panel", "[[0, 0], [0, 1], [1, 1], [1, 0]]", "[0, 1, 2, 0, 2, 3]")
    for n in range(4):
        f.mesh(f"text-{n}", *text_mesh(rng, 3 + n))

    def panel(x, y, w, h, top, bottom=None, fragment="fragment", mesh="panel"):
        f.draw(mesh, "interface.wgsl", "vertex", fragment, [(0, [listed((x, y, w, h)), listed(top), listed(bottom or top)])], {"blend": '["alpha"]'})

    panel(0, 0, 1, 0.07, (0.05, 0.06, 0.08, 0.9), (0.08, 0.09, 0.12, 0.8))
    for k in range(6):
        panel(0.02 + 0.09 * k, 0.025, 0.06, 0.02, (0.85, 0.88, 0.92, 0.9), mesh=f"text-{k % 2}")
    panel(0.02, 0.12, 0.22, 0.78, (0.07, 0.08, 0.11, 0.72), (0.04, 0.05, 0.07, 0.85))
    for k in range(9):
        y = 0.15 + 0.08 * k
        on = k == 3
        panel(0.03, y, 0.20, 0.065, (0.20, 0.42, 0.75, 0.85) if on else (0.20, 0.22, 0.27, 0.8), (0.14, 0.30, 0.60, 0.85) if on else (0.15, 0.17, 0.21, 0.8))
        panel(0.04, y + 0.015, 0.025, 0.04, (*around(rng, (0.6, 0.5, 0.4), 0.5), 0.95), fragment="disc")
        panel(0.075, y + 0.014, 0.10, 0.018, (0.92, 0.93, 0.95, 0.95), mesh=f"text-{1 + k % 3}")
        panel(0.075, y + 0.040, 0.06, 0.012, (0.65, 0.68, 0.72, 0.9), mesh=f"text-{k % 3}")
    panel(0.76, 0.12, 0.22, 0.5, (0.07, 0.08, 0.11, 0.72), (0.04, 0.05, 0.07, 0.85))
    for k in range(8):
        h = rng.between(0.06, 0.3)
        panel(0.78 + 0.024 * k, 0.56 - h, 0.017, h, (0.30, 0.75, 0.55, 0.9), (0.12, 0.40, 0.35, 0.9))
    for k in range(5):
        panel(0.77, 0.2 + 0.09 * k, 0.2, 0.003, (0.5, 0.55, 0.6, 0.4))
    panel(0.78, 0.14, 0.12, 0.022, (0.92, 0.93, 0.95, 0.95), mesh="text-2")
    panel(0.76, 0.66, 0.22, 0.24, (0.07, 0.08, 0.11, 0.75))
    for k in range(6):
        panel(0.775 + 0.034 * k, 0.69, 0.026, 0.046, (*around(rng, (0.6, 0.5, 0.5), 0.7), 1.0), fragment="disc")
    for k in range(3):
        y = 0.76 + 0.045 * k
        panel(0.78, y, 0.18, 0.012, (0.25, 0.27, 0.32, 0.9))
        panel(0.78, y, 0.18 * rng.between(0.2, 0.9), 0.012, (0.30, 0.55, 0.90, 0.95))
    panel(0.30, 0.92, 0.40, 0.06, (0.05, 0.06, 0.08, 0.85))
    for k in range(5):
        panel(0.31 + 0.078 * k, 0.93, 0.07, 0.04, (0.24, 0.26, 0.31, 0.9), (0.18, 0.20, 0.25, 0.9))
        panel(0.32 + 0.078 * k, 0.942, 0.045, 0.016, (0.9, 0.9, 0.92, 0.95), mesh="text-0")
    return f


def market():
    f = Frame("market", "Stalls and columns on a square. First the light's view is drawn, depth alone; then the square, with shadows that are pressed flat and held apart by stencil.",
              "shadow pass of depth alone, stencil, blended shadows, front to back, less", (640, 480), (96, 72), clear=(0.72, 0.80, 0.90))
    rng = Random(13)
    eye = (-4.5, 4.2, 9.5)
    sun = unit((0.45, 0.8, 0.35))
    f.view(camera(48, 0.5, 50, eye, (0.2, 0.8, -0.5)), eye, sun=(*sun, 0.35), mist=(0.72, 0.80, 0.90, 0.008))
    ground = [thing("floor", (0, 0, 0), (9, 1, 8), (0.66, 0.60, 0.50), how="tiles"), thing("box", (0, 0, -7.6), (9, 3.2, 0.4), (0.70, 0.56, 0.42), how="brick")]
    things = []
    for k in range(8):
        things.append(thing("column", (-6.3 + 1.8 * k, 0, -6), (0.5, 2.6, 0.5), (0.78, 0.74, 0.66)))
    things.append(thing("cube", (0, 2.75, -6), (7.2, 0.16, 0.4), (0.75, 0.70, 0.62)))
    for k, (x, z) in enumerate(((-3.2, 1.5), (-0.8, 2.4), (2.4, 1.2), (-2.2, -1.6), (0.9, -1.2), (3.6, -2.4))):
        turn = rng.between(-20, 20)
        colour = rng.choose([(0.75, 0.22, 0.18), (0.22, 0.42, 0.65), (0.80, 0.66, 0.24), (0.32, 0.52, 0.3)])
        things.append(thing("box", (x, 0, z), (0.8, 0.6, 0.45), (0.50, 0.36, 0.22), turn=turn))
        things.append(thing("roof", (x, 1.45, z), (1.0, 0.4, 0.75), colour, turn=turn))
        for dx in (-0.75, 0.75):
            things.append(thing("pole", (x + dx, 0, z + 0.3), (0.05, 1.45, 0.05), (0.4, 0.3, 0.2)))
        things.append(thing("pot", (x - 0.3, 0.6, z), 0.4, around(rng, (0.7, 0.5, 0.3), 0.3)))
    things += [thing("vase", (5.0, 0, 1.4), 1.1, (0.6, 0.3, 0.2)), thing("tower", (-5.4, 0, -2.4), (1.3, 1.5, 1.3), (0.7, 0.68, 0.64)), thing("ball", (0.4, 0.5, 0.4), 0.5, (0.8, 0.5, 0.2))]
    light = product(f"{{ orthographic = {listed((-8, 8, -8, 8, 1, 40))} }}", f"{{ look-at = {listed((*(20 * s for s in sun), 0, 0, 0, 0, 1, 0))} }}")
    main_values = f.frame_values
    f.a_pass(targets="[]")
    f.frame_values = [light, *main_values[1:]]
    for t in ground + things:
        f.put(t, LESS, False)
    f.a_pass()
    f.frame_values = main_values
    for t in f.front(things) + ground:
        f.put(t, LESS)
    # Along the sun onto the ground: x and z move with the height, y becomes a little above it.
    flat = [[1, 0, 0, 0], [-sun[0] / sun[1], 0, -sun[2] / sun[1], 0], [0, 0, 1, 0], [0, 0.01, 0, 1]]
    for t in things:
        if t["mesh"] in ("pole",) or t["at"][2] < -5:
            continue
        model = times(flat, model_numbers(t["at"], t["size"], t["turn"]))
        f.put({**t, "matrix": listed([v for column in model for v in column]), "colour": (0.1, 0.1, 0.18), "alpha": 0.45},
              {"depth": '"less"', "depth_write": "false", "blend": '["alpha"]',
               "stencil": '{ front = { compare = "equal", pass = "increment-clamp" }, back = { compare = "equal", pass = "increment-clamp" } }'}, "plain")
    return f


def gallery():
    f = Frame("gallery", "Vases, rings and columns in a gallery of three rooms. Depth is drawn first in a pass of its own, and colours where it is equal.",
              "depth pre-pass, equal, opaque shuffled, less", (320, 240), (96, 72), clear=(0.12, 0.12, 0.14))
    rng = Random(14)
    eye = (0.8, 1.7, 6.5)
    f.view(camera(54, 0.4, 40, eye, (-0.2, 1.3, -4)), eye, sun=(0.2, 0.75, 0.6, 0.3), mist=(0.12, 0.12, 0.14, 0.02))
    things = [thing("floor", (0, 0, -4), (4, 1, 11), (0.42, 0.36, 0.32), how="tiles")]
    for side in (-1, 1):
        things.append(thing("wall", (side * 4, 0, -4), (11, 3.4, 1), (0.66, 0.62, 0.56), turn=-90 * side))
    for z in (-1.5, -6.5, -11.5):
        for side in (-1, 1):
            things.append(thing("box", (side * 2.6, 0, z), (1.4, 3.4, 0.2), (0.60, 0.56, 0.50)))
        things.append(thing("cube", (0, 3.0, z), (1.3, 0.4, 0.2), (0.58, 0.54, 0.48)))
    for k in range(16):
        x, z = (-1, 1)[k % 2] * rng.between(0.9, 3.2), 3.2 - 1.02 * k
        things.append(thing("box", (x, 0, z), (0.32, 0.7, 0.32), (0.80, 0.78, 0.74)))
        mesh = ("vase", "torus", "pot", "vase", "ball")[k % 5]
        s = rng.between(0.38, 0.5)
        things.append(thing(mesh, (x, 0.7 if mesh in ("vase", "pot") else 0.7 + s, z), s, around(rng, (0.55, 0.45, 0.4), 0.5), **({"tilt": (1, 0, 0, 80)} if mesh == "torus" else {})))
    order = rng.shuffled(things)
    f.a_pass(targets="[]")
    for t in order:
        f.put(t, LESS, False)
    f.a_pass(depth_load='"load"', depth_store='"discard"')
    for t in order:
        f.put(t, {"depth": '"equal"', "depth_write": "false", "cull": '"back"'})
    return f


def smoke():
    f = Frame("smoke", "Chimneys, walls and a yard with smoke and sparks. Half of the sources of smoke are behind walls.",
              "particles with depth write off behind walls, sky first with always, back to front, less", (320, 240), (80, 60), clear=(0, 0, 0))
    rng = Random(15)
    eye = (-3.5, 4.6, 11.5)
    f.view(camera(48, 0.5, 60, eye, (0.2, 1.9, 0)), eye, sun=(0.6, 0.6, 0.5, 0.35), mist=(0.55, 0.45, 0.42, 0.012))
    f.sky((0.20, 0.22, 0.34), (0.80, 0.52, 0.36), depth='"always"', depth_write="false")
    things = [thing("floor", (0, 0, 0), (14, 1, 14), (0.34, 0.32, 0.30), how="tiles")]
    for x, z, w, h in ((-2.6, 3.6, 1.8, 2.0), (2.2, 3.0, 1.6, 2.4), (0, -1.5, 4.2, 2.6), (5.2, -1.0, 1.2, 3.0), (-5.4, 0.6, 1.2, 2.2)):
        things.append(thing("box", (x, 0, z), (w, h, 0.2), around(rng, (0.55, 0.34, 0.28), 0.1), how="brick"))
    for k in range(6):
        x, z = -5 + 2 * k, -4.5 + rng.between(-1, 1)
        things.append(thing("box", (x, 0, z), (0.85, rng.between(1.4, 2.4), 0.9), around(rng, (0.42, 0.40, 0.40), 0.15)))
        things.append(thing("pole", (x + 0.3, 1.5, z - 0.2), (0.22, rng.between(1.8, 2.8), 0.22), (0.45, 0.28, 0.24)))
    for k in range(14):
        s = rng.between(0.2, 0.45)
        things.append(thing(rng.choose(["box", "pot"]), (rng.between(-4, 4), 0, rng.between(-1, 2.6)), s, around(rng, (0.5, 0.36, 0.22), 0.25), turn=rng.between(0, 80)))
    for t in f.back(things):
        f.put(t, LESS)
    f.mesh("puff", *QUAD)
    c, s = math.cos(math.radians(-17)), math.sin(math.radians(-17))
    for k in range(20):
        high = k < 6
        at = (-4.7 + 2 * k, 4.2, -4.6) if high else (rng.between(-4, 4), rng.between(0.2, 0.5), rng.between(-0.8, 2.5))
        sparks = not high and k % 4 == 0
        values = [listed((c, 0, -s, 0.1 if sparks else rng.between(0.5, 0.8))), listed((0, 1, 0, 0)), listed((*at, 100 * k)),
                  listed((0.8, 2.2 if high else 1.2, 0, 0.9)), listed((1.0, 0.7, 0.2, 0.9) if sparks else (*around(rng, (0.78, 0.74, 0.72), 0.15), 0.75))]
        f.draw("puff", "puffs.wgsl", "vertex", "fragment", [(0, f.frame_values), (1, values)],
               {"depth": '"less"', "depth_write": "false", "blend": '["add"]' if sparks else '["alpha"]'}, instances=8 if sparks else 6)
    return f


def bridge():
    f = Frame("bridge", "A bridge of thin beams over a valley, with a train on it. Four samples for each pixel; the large picture is 1920 x 1080.",
              "four samples, some shaded for each sample, opaque shuffled, less, thin triangles, 1920 x 1080", (1920, 1080), (80, 45), clear=(0.74, 0.82, 0.90), samples="4")
    rng = Random(16)
    eye = (-5.0, 2.2, 10.5)
    f.view(camera(44, 0.5, 60, eye, (0.4, 0.2, -1)), eye, sun=(0.3, 0.75, 0.6, 0.35), mist=(0.74, 0.82, 0.90, 0.010))
    things = [thing("valley", (0, 0, -2), (1.2, 1, 1), (0.36, 0.48, 0.26)), thing("floor", (0, -2.95, -2), (2.6, 1, 14), (0.30, 0.46, 0.56), program="water.wgsl", how="fragment"), thing("hills", (0, 1.0, -26), (1.6, 2.0, 0.6), (0.42, 0.52, 0.44))]
    steel, count = (0.50, 0.20, 0.16), 9
    for z in (-1.6, -0.2):
        for y in (0, 1.5):
            things.append(thing("cube", (0, y, z), (6.3, 0.07, 0.07), steel))
        for k in range(count + 1):
            x = -6.3 + 12.6 * k / count
            things.append(thing("box", (x, 0, z), (0.05, 1.5, 0.05), around(rng, steel, 0.1)))
            if k < count:
                a = math.degrees(math.atan2(1.5, 12.6 / count)) * (1 if k % 2 else -1)
                things.append(thing("cube", (x + 6.3 / count, 0.75, z), (1.03, 0.045, 0.045), around(rng, steel, 0.1), tilt=(0, 0, 1, a)))
    for k in range(18):
        things.append(thing("cube", (-6 + 12 * k / 17, -0.02, -0.9), (0.12, 0.05, 0.8), (0.35, 0.27, 0.2)))
    for x in (-3.2, 3.2):
        for dz in (-0.7, 0.7):
            things.append(thing("box", (x, -3.3, -0.9 + dz), (0.22, 3.3, 0.2), (0.56, 0.52, 0.48)))
    for k in range(5):
        x = -4.2 + 2.1 * k
        colour = (0.16, 0.30, 0.22) if k < 4 else (0.12, 0.12, 0.14)
        things.append(thing("box", (x, 0.25, -0.9), (0.95, 0.85, 0.42), colour))
        things.append(thing("box", (x, 1.1, -0.9), (0.9, 0.1, 0.38), (0.6, 0.6, 0.58)))
        for dx in (-0.6, 0.6):
            things.append(thing("wheel", (x + dx, 0.2, -0.48), (0.16, 0.1, 0.16), (0.1, 0.1, 0.1), tilt=(1, 0, 0, 90)))
    for k in range(14):
        side = rng.choose([-1, 1])
        x, z = side * rng.between(5.2, 9), rng.between(-11, -3)
        things.append(thing("pine", (x, valley(x / 1.2, z + 2) - 0.1, z), (0.9, rng.between(1.0, 1.5), 0.9), around(rng, (0.16, 0.34, 0.18), 0.2)))
    for t in rng.shuffled(things):
        f.put(t, LESS)
    return f


def museum():
    f = Frame("museum", "A hand of stone among pedestals, from a glTF file. Colour and normal go into two targets, as for lighting in a later pass.",
              "two targets, glTF, opaque front to back, less-equal", (256, 256), (72, 72),
              formats='["rgba8unorm", "rgba16float"]')
    f.target["clear"] = "[[0.05, 0.05, 0.08, 1], [0, 0, 0, 0]]"
    rng = Random(17)
    eye = (1.6, 2.0, 5.2)
    f.view(camera(46, 0.5, 30, eye, (0, 1.0, -0.6)), eye)
    f.mesh("hand", file="gltf/generic-fixed-hand-left.glb")
    things = [thing("floor", (0, 0, -1), (5, 1, 5), (0.45, 0.40, 0.36)), thing("wall", (0, 0, -5), (5, 4, 1), (0.62, 0.58, 0.52)), thing("wall", (-4, 0, -1), (5, 4, 1), (0.58, 0.54, 0.48), turn=90)]
    things.append(thing("box", (0, 0, 0), (0.7, 0.6, 0.7), (0.80, 0.78, 0.74)))
    for k in range(6):
        things.append(thing("hand", (0, 1.75, 0), 11, (0.30, 0.52, 0.48), turn=160, keys={"first": 1158 * k, "count": 1158 if k < 5 else 6942 - 5 * 1158}, tilt=(1, 0, 0, 10)))
    for k in range(8):
        x, z = -3.0 + 1.6 * (k % 4), -1.8 - 1.5 * (k // 4)
        things.append(thing("box", (x, 0, z), (0.35, 0.7, 0.35), (0.76, 0.74, 0.70)))
        things.append(thing(("cube", "vase", "stone", "pot")[k % 4], (x, 1.0 if k % 2 == 0 else 0.7, z), 0.3 if k % 2 == 0 else 0.6, around(rng, (0.6, 0.45, 0.35), 0.4)))
    # A partition hides half of the room.
    things.append(thing("box", (-2.3, 0, 0.8), (1.35, 2.7, 0.1), (0.70, 0.66, 0.60)))
    for k in range(4):
        things.append(thing("column", (-3.0 + 1.8 * k, 0, -4.6), (0.4, 3.2, 0.4), (0.66, 0.62, 0.56)))
    for k in range(8):
        things.append(thing("cube", (-3.95, 1.7, 2.4 - 0.9 * k), (0.04, 0.5, 0.36), around(rng, (0.5, 0.3, 0.2), 0.5)))
    for t in f.front(things):
        f.put(t, LESS_EQUAL, "both")
    return f


def engine():
    f = Frame("engine", "An engine in four views, as a program for construction shows it. Each view has a viewport and a scissor of its own.",
              "viewports and scissors, opaque front to back and back to front, less, glTF", (640, 480), (96, 72), clear=(0.84, 0.86, 0.88))
    rng = Random(18)
    f.mesh("block", file="gltf/cube-color.glb")
    steel, dark, copper = (0.62, 0.64, 0.68), (0.25, 0.26, 0.29), (0.72, 0.42, 0.22)
    parts = [thing("block", (0, 0.2, 0), (1.7, 0.5, 0.6), steel, alpha=0.9, program="coloured.wgsl", how="fragment"), thing("block", (0, -0.6, 0), (1.5, 0.35, 0.5), dark, alpha=0.9, program="coloured.wgsl", how="fragment")]
    for k in range(4):
        x = -1.2 + 0.8 * k
        parts.append(thing("pole", (x, 0.7, 0), (0.3, 0.55, 0.3), steel))
        parts.append(thing("wheel", (x, -0.2, 0), (0.34, 0.3, 0.34), copper, tilt=(0, 0, 1, 90)))
        parts.append(thing("pole", (x, 0.3, 0.6), (0.09, 0.6, 0.09), copper, tilt=(1, 0, 0, 60)))
    parts += [thing("torus", (1.95, 0.1, 0), 0.55, dark, tilt=(0, 0, 1, 90)), thing("wheel", (2.0, 0.1, 0), (0.3, 0.3, 0.3), steel, tilt=(0, 0, 1, 90)), thing("cube", (0, 1.3, 0), (1.45, 0.1, 0.34), (0.65, 0.16, 0.14)),
              thing("pole", (-1.9, -0.2, 0), (0.1, 0.5, 0.1), steel, tilt=(0, 0, 1, 90))]
    views = [((0, 0), (4.0, 2.6, 5.0), 30, (0.80, 0.82, 0.86)), ((1, 0), (0, 0.2, 7.0), 30, (0.76, 0.80, 0.80)), ((0, 1), (0.01, 7.0, 0.02), 30, (0.82, 0.80, 0.76)), ((1, 1), (-7.0, 0.4, 0.1), 30, (0.78, 0.78, 0.84))]

    def all_views(w, h):
        """The draws for one size: viewports are in pixels."""
        f.body, f.draws, order = "", 0, Random(180)
        for k, ((column, row), eye, degrees, paper) in enumerate(views):
            f.view(camera(degrees, 0.5, 40, eye, (0, 0.2, 0)), eye, sun=(*unit((eye[0] + 2, eye[1] + 3, eye[2] + 1)), 0.35), mist=(0, 0, 0, 0))
            x, y, inset = column * w // 2, row * h // 2, max(w // 160, 1)
            area = {"viewport": f"[{x}, {y}, {w // 2}, {h // 2}]", "scissor": f"[{x + inset}, {y + inset}, {w // 2 - 2 * inset}, {h // 2 - 2 * inset}]"}
            f.sky(paper, tuple(0.85 * c for c in paper), depth='"always"', depth_write="false", **area)
            for t in (f.front(parts), f.back(parts), order.shuffled(parts), f.front(parts))[k]:
                f.put(t, {**LESS, **area})
        return f.body

    f.small_body = all_views(*f.small).replace("[[draw", "[[small.draw")
    all_views(*f.size)
    return f


def city():
    f = Frame("city", "A wall of brick with pillars in front of a city. The wall is drawn first, and most of the city behind it is not seen.",
              "a wall in front, opaque shuffled, instances, less and less-equal, 640 x 480", (640, 480), (96, 72), clear=(0.66, 0.74, 0.86))
    rng = Random(19)
    eye = (0, 1.7, 7)
    f.view(camera(55, 0.3, 120, eye, (0, 2.1, -10)), eye, sun=(0.5, 0.6, 0.6, 0.35), mist=(0.66, 0.74, 0.86, 0.010))
    f.put(thing("wall", (-0.6, 0, 2), (4.2, 2.35, 1), (0.55, 0.30, 0.24)), LESS, "brick")
    for k in range(4):
        f.put(thing("box", (-4.8 + 2.8 * k, 0, 2), (0.22, 2.6, 0.25), (0.50, 0.28, 0.22)), LESS, "brick")
    f.put(thing("floor", (0, 0, -30), (60, 1, 38), (0.36, 0.38, 0.38)), LESS)
    blocks = []
    for k in range(24):
        places, sizes, colours = [], [], []
        x, z = -16 + 5.6 * (k % 6) + rng.between(-1, 1), -6 - 8 * (k // 6)
        for j in range(3):
            places.append((x + rng.between(-1.8, 1.8), 0, z + rng.between(-2, 2)))
            sizes.append((rng.between(0.8, 1.4), rng.between(2.0, 4.5 + 2.2 * (k // 6)), rng.between(0.8, 1.4)))
            colours.append(around(rng, rng.choose([(0.66, 0.62, 0.56), (0.50, 0.54, 0.62), (0.62, 0.48, 0.40)]), 0.15))
        blocks.append((places, sizes, colours))
    for k, (places, sizes, colours) in enumerate(rng.shuffled(blocks)):
        f.draw("box", "city.wgsl", "vertex", "windows", [(0, f.frame_values)], LESS if k % 3 else LESS_EQUAL, {"place": places, "size": sizes, "colour": colours},
               ["position = 0", "normal = 1", "place = 4", "size = 5", "colour = 6"], instances=len(places))
    for k in range(16):
        t = thing(rng.choose(["pine", "box"]), (rng.between(-9, 9), 0, rng.between(-6, 0.5)), (0.5, rng.between(0.8, 1.6), 0.5), around(rng, (0.3, 0.42, 0.28), 0.2))
        f.put(t, LESS)
    return f


FRAMES = [street, harbour, warehouse, forest, greenhouse, board, mirror, coast, gorge, cockpit, xray, interface, market, gallery, smoke, bridge, museum, engine, city]


def stripped(content):
    """A GLB file without images, textures, samplers, materials' textures and tangents."""
    size = struct.unpack("<I", content[12:16])[0]
    document = json.loads(content[20:20 + size])
    data = content[20 + size + 8:]
    for key in ("images", "textures", "samplers", "animations", "extras"):
        document.pop(key, None)
    document["materials"] = [{"name": m.get("name", "")} for m in document.get("materials", [])]
    used = {}
    for mesh in document["meshes"]:
        for part in mesh["primitives"]:
            part["attributes"] = {k: v for k, v in part["attributes"].items() if k in ("POSITION", "NORMAL")}
            for k in (*part["attributes"].values(), part["indices"]):
                used.setdefault(k, len(used))
    for mesh in document["meshes"]:
        for part in mesh["primitives"]:
            part["attributes"] = {k: used[v] for k, v in part["attributes"].items()}
            part["indices"] = used[part["indices"]]
    accessors, views, out = [], [], b""
    parts = {5121: 1, 5123: 2, 5125: 4, 5126: 4}
    for k in used:
        a = dict(document["accessors"][k])
        view = document["bufferViews"][a["bufferView"]]
        wide = parts[a["componentType"]] * {"SCALAR": 1, "VEC3": 3}[a["type"]]
        assert view.get("byteStride", wide) == wide, "interleaved accessors are not taken"
        begin = view.get("byteOffset", 0) + a.pop("byteOffset", 0)
        piece = data[begin:begin + wide * a["count"]]
        a["bufferView"] = len(views)
        views.append({"buffer": 0, "byteOffset": len(out), "byteLength": len(piece)})
        out += piece + b"\0" * (-len(piece) % 4)
        accessors.append(a)
    document.update(accessors=accessors, bufferViews=views, buffers=[{"byteLength": len(out)}])
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    whole = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(out), 0x004E4942) + out
    return struct.pack("<4sII", b"glTF", 2, 12 + len(whole)) + whole


def files():
    out = {f"meshes/{name}.obj": mesh.obj() for name, mesh in MESHES.items()}
    out.update({name: text.lstrip("\n") for name, text in PROGRAMS.items()})
    used = set()
    for k, build in enumerate(FRAMES):
        frame = build()
        frame.name = f"{k + 1:02}-{frame.name}"
        out[f"{frame.name}.toml"] = frame.text()
        used |= set(frame.meshes)
    unused = set(MESHES) - used
    assert not unused, f"no frame uses {sorted(unused)}"
    return out


def main():
    if sys.argv[1:2] == ["--strip"]:
        source, target = sys.argv[2:]
        Path(target).write_bytes(stripped(Path(source).read_bytes()))
        return
    made_files = files()
    if "--check" not in sys.argv:
        for name, text in made_files.items():
            path = FOLDER / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return
    there = {p.relative_to(FOLDER).as_posix() for p in FOLDER.rglob("*") if p.is_file()}
    there = {p for p in there if p not in NOT_OURS and Path(p).suffix not in NOT_OURS_SUFFIX}
    wrong = [f"{n} is not what {Path(__file__).name} makes" for n, t in made_files.items() if n in there and (FOLDER / n).read_text() != t]
    wrong += [f"{n} is missing" for n in made_files if n not in there]
    wrong += [f"{n} is made by nobody" for n in there if n not in made_files]
    if wrong:
        raise SystemExit("\n".join(sorted(f"examples/frames/{w}" for w in wrong)))


if __name__ == "__main__":
    main()

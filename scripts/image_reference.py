#!/usr/bin/env python3
"""Renders scene files (docs/scenes.md) with Mesa's lavapipe, through `wgpu` of PyPI.

It is the reference that is not ours: it reads scene, mesh and shaders by itself, and shares no code
with Quadlock. wgpu's own front end (naga) reads the WGSL, so only scenes in WGSL are drawn. It can
be wrong as our reading of the scene file is; then both pictures are wrong in the same way, and a
person looks at them.

Usage: image_reference.py SCENE.toml OUT.png [--small] [--samples N] [--part SAMPLE] [--target N] [--shift X Y]
"""

import argparse
import base64
import copy
import functools
import json
import math
import os
import re
import struct
import sys
import tomllib
import urllib.parse
from pathlib import Path

os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")
import numpy as np
from PIL import Image
import wgpu



def write_png(path, pixels):
    """Red, green, blue, alpha of 8 bits."""
    Image.fromarray(pixels).save(path, "PNG")


# Matrices: mathematics, rows first; written out column by column.

def unit(v):
    return v / np.linalg.norm(v)


def matrix(value, aspect):
    (name, v), = value.items()
    if name == "product":
        m = np.eye(4)
        for part in v:
            m = m @ matrix(part, aspect)
        return m
    v = np.array(v, dtype=float)
    m = np.eye(4)
    if name == "perspective":
        f, near, far = 1 / math.tan(math.radians(v[0]) / 2), v[1], v[2]
        return np.array([[f / aspect, 0, 0, 0], [0, f, 0, 0], [0, 0, far / (near - far), near * far / (near - far)], [0, 0, -1, 0]])
    if name == "orthographic":
        left, right, bottom, top, near, far = v
        return np.array([[2 / (right - left), 0, 0, -(right + left) / (right - left)],
                         [0, 2 / (top - bottom), 0, -(top + bottom) / (top - bottom)],
                         [0, 0, 1 / (near - far), near / (near - far)], [0, 0, 0, 1]])
    if name == "look-at":
        eye, target, up = v[:3], v[3:6], v[6:]
        back = unit(eye - target)
        right = unit(np.cross(up, back))
        m[:3, :3] = np.array([right, np.cross(back, right), back])
        m[:3, 3] = -m[:3, :3] @ eye
        return m
    if name == "rotate":
        axis, angle = unit(v[:3]), math.radians(v[3])
        k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
        m[:3, :3] = np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k
        return m
    if name == "translate":
        m[:3, 3] = v
        return m
    if name == "scale":
        return np.diag([*v, 1.0])
    raise SystemExit(f"no matrix {name}")


def binding_bytes(values, aspect):
    out = b""
    for v in values:
        if isinstance(v, list):
            out += binding_bytes(v, aspect)
        elif isinstance(v, dict):
            (name, inner), = v.items()
            if name in ("u32", "i32"):
                numbers = inner if isinstance(inner, list) else [inner]
                out += struct.pack("<%d%s" % (len(numbers), "I" if name == "u32" else "i"), *numbers)
            elif name == "normal":
                n = np.linalg.inv(matrix(inner, aspect)[:3, :3]).T
                out += b"".join(struct.pack("<4f", *n[:, c], 0) for c in range(3))
            else:
                out += matrix(v, aspect).T.astype("<f4").tobytes()
        else:
            out += struct.pack("<f", v)
    return out


# Meshes.

def cut(points):
    """Triangles of a polygon: a fan if it is convex, else ears are cut off one after the other."""
    n, ring = len(points), list(range(len(points)))
    normal = sum(np.cross(points[k], points[(k + 1) % n]) for k in range(n))

    def turn(a, b, c):
        return np.dot(np.cross(points[b] - points[a], points[c] - points[a]), normal)

    fan = [(0, k, k + 1) for k in range(1, n - 1)]
    if all(turn(k - 1, k, (k + 1) % n) >= 0 for k in range(n)) and all(turn(*t) >= 0 for t in fan):
        return fan
    out = []
    while len(ring) > 3:
        for at, b in enumerate(ring):
            a, c = ring[at - 1], ring[(at + 1) % len(ring)]
            rest = [k for k in ring if not any(np.array_equal(points[k], points[e]) for e in (a, b, c))]
            free = not any(turn(a, b, k) >= 0 and turn(b, c, k) >= 0 and turn(c, a, k) >= 0 for k in rest)
            if turn(a, b, c) > 0 and free:
                out.append((a, b, c))
                ring.pop(at)
                break
        else:
            # Corners on a straight edge alone, or a polygon that crosses itself.
            break
    return out + [(ring[0], ring[k], ring[k + 1]) for k in range(1, len(ring) - 1)]


NOT_A_NUMBER = [math.nan] * 3


def read_obj(path):
    """Vertices without a normal have one of NaN, if others have one."""
    v, colour, vt, vn, corners, indices = [], [], [], [], {}, []
    out = []
    data = Path(path).read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    for line in text.replace("\\\n", " ").splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == "v":
            v.append([float(x) for x in words[1:4]])
            colour.append([float(x) for x in words[4:7]] if len(words) == 7 else None)
        elif words[0] == "vt":
            vt.append([float(x) for x in words[1:3]])
        elif words[0] == "vn":
            vn.append([float(x) for x in words[1:4]])
        elif words[0] == "f":
            face = []
            for corner in words[1:]:
                parts = (corner.split("/") + ["", ""])[:3]
                key = tuple((int(p) - 1 if int(p) > 0 else int(p) + len(a)) if p else None
                            for p, a in zip(parts, (v, vt, vn)))
                if key not in corners:
                    corners[key] = len(out)
                    out.append(key)
                face.append(corners[key])
            points = [np.array(v[out[k][0]]) for k in face]
            indices += [face[k] for triangle in cut(points) for k in triangle]
    mesh = {"position": np.array([v[k[0]] for k in out])}
    if any(k[1] is not None for k in out):
        mesh["uv"] = np.array([[0, 0] if k[1] is None else vt[k[1]] for k in out])
    if any(k[2] is not None for k in out):
        mesh["normal"] = np.array([NOT_A_NUMBER if k[2] is None else vn[k[2]] for k in out])
    if any(colour[k[0]] for k in out):
        mesh["colour"] = np.array([colour[k[0]] or [1, 1, 1] for k in out])
    return mesh, indices


def carried(rows, m):
    """Normals on a surface that is carried along by a matrix: what is at right angles to its tangents."""
    axes = np.eye(3)[np.argmin(np.abs(rows), axis=1)]
    first = np.cross(rows, axes)
    second = np.cross(rows, first)
    return normalized(np.cross(first @ m.T, second @ m.T))


def normalized(rows):
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(length > 0, length, 1)


def read_gltf(path):
    path, blob = Path(path), None
    if path.suffix == ".glb":
        data, at, chunks = path.read_bytes(), 12, {}
        while at < len(data):
            size, kind = struct.unpack_from("<II", data, at)
            chunks[kind] = data[at + 8:at + 8 + size]
            at += 8 + size
        doc, blob = json.loads(chunks[0x4E4F534A]), chunks.get(0x004E4942)
    else:
        doc = json.loads(path.read_text())

    def buffer(n):
        uri = doc["buffers"][n].get("uri")
        if uri is None:
            return blob
        uri = urllib.parse.unquote(uri)
        return base64.b64decode(uri.split(",", 1)[1]) if uri.startswith("data:") else (path.parent / uri).read_bytes()

    def elements(view, offset, kind, width, count):
        view = doc["bufferViews"][view]
        stride, start = view.get("byteStride", np.dtype(kind).itemsize * width), view.get("byteOffset", 0) + offset
        data = buffer(view["buffer"])
        return np.array([np.frombuffer(data, kind, width, start + k * stride) for k in range(count)])

    def accessor(n):
        a, kinds = doc["accessors"][n], {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
        kind, width = kinds[a["componentType"]], {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[a["type"]]
        rows = np.zeros((a["count"], width), kind)
        if "bufferView" in a:
            rows = elements(a["bufferView"], a.get("byteOffset", 0), kind, width, a["count"])
        if "sparse" in a:
            few = a["sparse"]
            where, what = few["indices"], few["values"]
            at = elements(where["bufferView"], where.get("byteOffset", 0), kinds[where["componentType"]], 1, few["count"])
            rows[at.ravel()] = elements(what["bufferView"], what.get("byteOffset", 0), kind, width, few["count"])
        if a.get("normalized"):
            rows = np.maximum(rows / np.iinfo(np.dtype(kind)).max, -1)
        return rows

    def local(node):
        if "matrix" in node:
            return np.array(node["matrix"]).reshape(4, 4).T
        m = np.eye(4)
        x, y, z, w = node.get("rotation", [0, 0, 0, 1])
        m[:3, :3] = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                              [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                              [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
        m[:3, :3] = m[:3, :3] @ np.diag(node.get("scale", [1, 1, 1]))
        m[:3, 3] = node.get("translation", [0, 0, 0])
        return m

    parts = []

    def walk(n, above, hand):
        node = doc["nodes"][n]
        here = above @ local(node)
        # Each node by itself: a determinant of the product would be noise if one is singular.
        hand *= np.sign(np.linalg.det(local(node)[:3, :3]))
        for p in doc["meshes"][node["mesh"]]["primitives"] if "mesh" in node else []:
            mode = p.get("mode", 4)
            if mode < 4:
                continue
            rows = {name: accessor(k).astype(float) for name, k in p["attributes"].items()}
            found = accessor(p["indices"]).ravel() if "indices" in p else np.arange(len(rows["POSITION"]))
            found = [int(i) for i in found]
            triangles = {4: lambda: list(zip(*[iter(found)] * 3)), 5: lambda: strips([found]),
                         6: lambda: [(b, c, found[0]) for b, c in zip(found[1:], found[2:])]}[mode]()
            rows["POSITION"] = rows["POSITION"] @ here[:3, :3].T + here[:3, 3]
            if "NORMAL" in rows:
                rows["NORMAL"] = carried(rows["NORMAL"], here[:3, :3]) * (-1 if hand < 0 else 1)
            parts.append((rows, [(a, c, b) if hand < 0 else (a, b, c) for a, b, c in triangles]))
        for child in node.get("children", []):
            walk(child, here, hand)

    for n in doc["scenes"][doc.get("scene", 0)]["nodes"]:
        walk(n, np.eye(4), 1)
    mesh, indices, base = {}, [], 0
    named = {"POSITION": "position", "NORMAL": "normal", "TEXCOORD_0": "uv", "COLOR_0": "colour"}
    absent = {"NORMAL": math.nan, "COLOR_0": 1.0}
    for source in {k for rows, _ in parts for k in rows if k in named or k.startswith("_")}:
        width = 4 if source == "COLOR_0" else max(rows[source].shape[1] for rows, _ in parts if source in rows)
        fill, all_rows = absent.get(source, 0.0), []
        for rows, _ in parts:
            one = rows.get(source, np.zeros((len(rows["POSITION"]), 0)))
            all_rows.append(np.pad(one, ((0, 0), (0, width - one.shape[1])), constant_values=fill))
        mesh[named.get(source, source)] = np.concatenate(all_rows)
    for rows, triangles in parts:
        indices += [base + k for triangle in triangles for k in triangle]
        base += len(rows["POSITION"])
    return mesh, indices


def strips(runs):
    """Triangles of strips; every second one has its last corners exchanged."""
    return [t if k % 2 == 0 else (t[0], t[2], t[1]) for run in runs for k, t in enumerate(zip(run, run[1:], run[2:]))]


def triangles_of(indices, count, topology):
    corners = [int(i) for i in indices] if indices is not None else list(range(count))
    if topology == "list":
        return list(zip(*[iter(corners)] * 3))
    runs, end = [[]], None if indices is None else 0xFFFFFFFF if max(corners) > 0xFFFF else 0xFFFF
    for i in corners:
        if i == end:
            runs.append([])
        else:
            runs[-1].append(i)
    return strips(runs)


def read_mesh(spec, folder, topology="list"):
    """Attributes and indices of a mesh. A scene is drawn hundreds of times, and its meshes are read once."""
    return mesh_of(json.dumps(spec), folder, topology)


@functools.cache
def mesh_of(spec, folder, topology):
    spec = json.loads(spec)
    if "file" in spec:
        path = folder / spec["file"]
        mesh, indices = read_obj(path) if path.suffix == ".obj" else read_gltf(path)
    else:
        mesh = {k: np.array(v, dtype=float).reshape(len(v), -1) for k, v in spec["attributes"].items()}
        indices = spec.get("indices")
    if "position" not in mesh or mesh["position"].shape[1] < 3:
        return mesh, indices
    p = mesh["position"]
    bare = np.isnan(mesh["normal"]).any(axis=1) if "normal" in mesh else np.full(len(p), True)
    if spec.get("normals") == "smooth" and bare.any():
        sums = np.zeros((len(p), 3))
        for t in triangles_of(indices, len(p), topology):
            a, b, c = (p[k, :3] for k in t)
            sums[list(t)] += np.cross(b - a, c - a) if len(set(t)) == 3 else 0
        mesh["normal"] = np.where(bare[:, None], normalized(sums), mesh.get("normal", sums))
    elif "normal" in mesh and bare.any():
        # The triangles' own: each corner is a vertex then.
        mesh = {k: rows[indices] for k, rows in mesh.items()}
        p, bare = mesh["position"], bare[indices]
        own = np.repeat(normalized(np.cross(p[1::3] - p[::3], p[2::3] - p[::3])), 3, axis=0)
        mesh["normal"] = np.where(bare[:, None], own, mesh["normal"])
        indices = list(range(len(p)))
    return mesh, indices


def packed(rows, form):
    if "-" in form:
        raise SystemExit(f"{form}: this version of wgpu has no such format")
    kind, count = (form.split("x") + ["1"])[:2]
    rows = np.pad(rows, ((0, 0), (0, 4)))[:, :int(count)]
    if kind.startswith("unorm"):
        bits = int(kind[5:])
        data = np.rint(np.clip(rows, 0, 1) * (2 ** bits - 1)).astype(f"<u{bits // 8}")
    elif kind.startswith("snorm"):
        bits = int(kind[5:])
        data = np.rint(np.clip(rows, -1, 1) * (2 ** (bits - 1) - 1)).astype(f"<i{bits // 8}")
    else:
        name = {"float": "f", "uint": "u", "sint": "i"}[kind.rstrip("0123456789")]
        data = rows.astype(f"<{name}{int(kind.lstrip('abcdefghijklmnopqrstuvwxyz')) // 8}")
    stride = -(-data.itemsize * data.shape[1] // 4) * 4
    raw = np.ascontiguousarray(data).view(np.uint8).reshape(len(data), -1)
    return np.pad(raw, ((0, 0), (0, stride - raw.shape[1]))).tobytes(), stride


def merge(into, part):
    for key, value in part.items():
        if isinstance(value, dict):
            merge(into.setdefault(key, {}), value)
        else:
            into[key] = value


def load(path, small):
    try:
        scene = tomllib.loads(Path(path).read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        print(f"{path}: {error}; name a scene file (docs/scenes.md)", file=sys.stderr)
        sys.exit(2)
    if small:
        merge(scene, copy.deepcopy(scene.get("small", {})))
    return scene


FACTORS = ["zero", "one", "src", "one-minus-src", "src-alpha", "one-minus-src-alpha", "dst", "one-minus-dst",
           "dst-alpha", "one-minus-dst-alpha", "src-alpha-saturated", "constant", "one-minus-constant"]


def blend_of(spec):
    over = {"src_factor": "one", "dst_factor": "one-minus-src-alpha", "operation": "add"}
    named = {"alpha": ({**over, "src_factor": "src-alpha"}, over), "premultiplied": (over, over),
             "add": tuple({"src_factor": "one", "dst_factor": "one", "operation": "add"} for _ in range(2))}
    if spec in (None, "none"):
        return None
    if isinstance(spec, str):
        color, alpha = named[spec]
    else:
        color, alpha = ({"src_factor": e["src"], "dst_factor": e["dst"], "operation": e.get("operation", "add")}
                        for e in (spec["color"], spec["alpha"]))
    return {"color": color, "alpha": alpha}


class Renderer:
    def __init__(self):
        adapters = wgpu.gpu.enumerate_adapters_sync()
        found = [a for a in adapters if a.info["backend_type"] == "Vulkan" and "llvmpipe" in a.info["device"]]
        if not found:
            raise SystemExit("no lavapipe: install mesa-vulkan-drivers and libvulkan1")
        self.device = found[0].request_device_sync()

    def render(self, path, scene, samples=None, shift=(0.0, 0.0), part=None, target=0, plain=None):
        """A colour target as an array of rows of pixels, 8 bits each; with `part` that sample.

        With `plain` programs are left out: "layers" counts what covers a sample, without tests;
        "draws" says whose colour is there at the end. Both are in the first target, of 8 bits.
        """
        device, folder, number, target = self.device, Path(path).parent, target, scene["target"]
        width, height = target["width"], target["height"]
        samples = samples or target.get("samples", 1)
        formats = target.get("formats", ["rgba8unorm"])
        if plain:
            formats, number = ["rgba8unorm"] * len(formats), 0
        passes = scene.get("pass") or [{"draw": scene.get("draw", [])}]
        usage = wgpu.TextureUsage.RENDER_ATTACHMENT | wgpu.TextureUsage.COPY_SRC | wgpu.TextureUsage.TEXTURE_BINDING
        size = (width, height, 1)
        def texture(f, count):
            return device.create_texture(size=size, format=f, usage=usage, sample_count=count)
        resolved = [texture(f, 1) for f in formats]
        several = [texture(f, samples) for f in formats]
        states = [d.get("state", {}) for one in passes for d in one.get("draw", [])]
        has_depth = target.get("depth", any("depth" in s or "stencil" in s for s in states))
        depth_texture = device.create_texture(size=size, format="depth24plus-stencil8", usage=wgpu.TextureUsage.RENDER_ATTACHMENT, sample_count=samples)
        encoder, drawn = device.create_command_encoder(), 0
        for one in passes:
            numbers = one.get("targets", list(range(len(formats))))
            colours = []
            for k, which in enumerate(numbers):
                def of(key, default, k=k):
                    values = one.get(key) or [default]
                    return values[0 if len(values) == 1 else k]
                clear = (target.get("clear", []) + [[0, 0, 0, 0]] * 4)[which]
                clear = one["clear"][k] if k < len(one.get("clear", [])) else clear
                colour = {"view": resolved[which].create_view(), "clear_value": tuple(clear), "load_op": of("load", "clear"), "store_op": of("store", "store")}
                if samples > 1:
                    colour["view"] = several[which].create_view()
                    if one.get("resolve", True):
                        colour["resolve_target"] = resolved[which].create_view()
                colours.append(colour)
            with_depth = has_depth and one.get("depth", True)
            depth = None
            if with_depth:
                store = one.get("depth-store", "store")
                depth = {"view": depth_texture.create_view(), "depth_clear_value": one.get("clear-depth", target.get("clear-depth", 1.0)),
                         "depth_load_op": one.get("depth-load", "clear"), "depth_store_op": store,
                         "stencil_clear_value": one.get("clear-stencil", target.get("clear-stencil", 0)),
                         "stencil_load_op": one.get("stencil-load", "clear"), "stencil_store_op": store}
            run = encoder.begin_render_pass(color_attachments=colours, depth_stencil_attachment=depth)
            for draw in one.get("draw", []):
                drawn += 1
                self.draw(run, folder, scene, draw, draw.get("state", {}), [formats[n] for n in numbers], samples, with_depth, shift, plain, drawn)
            run.end()
        if part is not None and samples > 1:
            return self.sample(encoder, several[number], formats[number], part, size)
        stride = -(-size[0] * 16 // 256) * 256
        form = formats[number]
        bytes_each = {"rgba16float": 8}.get(form, 4)
        read = device.create_buffer(size=stride * size[1], usage=wgpu.BufferUsage.COPY_DST | wgpu.BufferUsage.MAP_READ)
        encoder.copy_texture_to_buffer({"texture": resolved[number]}, {"buffer": read, "bytes_per_row": stride, "rows_per_image": size[1]}, size)
        device.queue.submit([encoder.finish()])
        read.map_sync(wgpu.MapMode.READ)
        data = np.frombuffer(bytes(read.read_mapped()), np.uint8).reshape(size[1], stride)[:, :size[0] * bytes_each]
        if form == "rgba16float":
            values = np.ascontiguousarray(data).view("<f2").astype(float).reshape(height, width, 4)
            return np.floor(np.clip(values, 0, 1) * 255 + 0.5).astype(np.uint8)
        if form == "r32float":
            grey = np.floor(np.clip(np.ascontiguousarray(data).view("<f4"), 0, 1) * 255 + 0.5).astype(np.uint8)
            return np.stack([grey, grey, grey, np.full_like(grey, 255)], axis=2)
        return np.ascontiguousarray(data).reshape(height, width, 4)

    def sample(self, encoder, texture, form, part, size):
        """One sample of every pixel, read by a compute program."""
        device = self.device
        view = texture.create_view()
        grey = "c = vec4f(c.rrr, 1.0);" if form == "r32float" else ""
        if form.endswith("-srgb"):
            # What is read of a code is linear: back to the code.
            grey = "c = vec4f(select(1.055 * pow(c.rgb, vec3f(1.0 / 2.4)) - 0.055, 12.92 * c.rgb, c.rgb <= vec3f(0.0031308)), c.a);"
        code = f"""
            @group(0) @binding(0) var image: texture_multisampled_2d<f32>;
            @group(0) @binding(1) var<storage, read_write> words: array<u32>;
            @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) at: vec3u) {{
                var c = textureLoad(image, vec2i(at.xy), {part});
                {grey}
                words[at.y * {size[0]}u + at.x] = pack4x8unorm(c);
            }}"""
        kind = {"sample_type": "unfilterable-float", "view_dimension": "2d", "multisampled": True}
        layout = device.create_bind_group_layout(entries=[
            {"binding": 0, "visibility": wgpu.ShaderStage.COMPUTE, "texture": kind},
            {"binding": 1, "visibility": wgpu.ShaderStage.COMPUTE, "buffer": {"type": "storage"}}])
        pipeline = device.create_compute_pipeline(
            layout=device.create_pipeline_layout(bind_group_layouts=[layout]),
            compute={"module": device.create_shader_module(code=code), "entry_point": "main"})
        count = 4 * size[0] * size[1]
        out = device.create_buffer(size=count, usage=wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC)
        read = device.create_buffer(size=count, usage=wgpu.BufferUsage.COPY_DST | wgpu.BufferUsage.MAP_READ)
        run = encoder.begin_compute_pass()
        run.set_pipeline(pipeline)
        run.set_bind_group(0, device.create_bind_group(layout=layout, entries=[
            {"binding": 0, "resource": view}, {"binding": 1, "resource": {"buffer": out, "offset": 0, "size": count}}]))
        run.dispatch_workgroups(size[0], size[1])
        run.end()
        encoder.copy_buffer_to_buffer(out, 0, read, 0, count)
        device.queue.submit([encoder.finish()])
        read.map_sync(wgpu.MapMode.READ)
        return np.frombuffer(bytes(read.read_mapped()), np.uint8).reshape(size[1], size[0], 4)

    def draw(self, run, folder, scene, draw, state, formats, samples, has_depth, shift, plain=None, drawn=0):
        device, target = self.device, scene["target"]
        width, height = target["width"], target["height"]
        mesh, indices = read_mesh(scene["mesh"][draw["mesh"]], folder, state.get("topology", "list"))
        instance = {k: np.array(v, dtype=float).reshape(len(v), -1) for k, v in draw.get("instance", {}).items()}
        layouts, buffers = [], []
        chosen = draw.get("attributes") or {n: k for k, n in enumerate(["position", "normal", "uv", "colour"]) if n in mesh}
        for name, spec in chosen.items():
            spec = {"location": spec} if isinstance(spec, int) else spec
            rows = instance.get(name, mesh.get(name))
            form = spec.get("format", "float32" + (f"x{rows.shape[1]}" if rows.shape[1] > 1 else ""))
            data, stride = packed(rows, form)
            step = "instance" if name in instance or spec.get("per-instance") else "vertex"
            layouts.append({"array_stride": stride, "step_mode": step, "attributes": [{"format": form, "offset": 0, "shader_location": spec["location"]}]})
            buffers.append(device.create_buffer_with_data(data=data, usage=wgpu.BufferUsage.VERTEX))
        def stage(spec):
            spec = {"file": spec} if isinstance(spec, str) else spec
            code = (folder / spec["file"]).read_text()
            module = device.create_shader_module(code=code)
            # Those that the program declares.
            given = {k: float(v) for k, v in scene.get("constants", {}).items() if re.search(rf"override\s+{k}\b|@id\(\s*{k}\s*\)", code)}
            entry = {"entry_point": spec["entry"]} if "entry" in spec else {}
            return {"module": module, **entry, **({"constants": given} if given else {})}
        def per_target(key, default, k):
            values = state.get(key) or [default]
            return values[min(k, len(values) - 1)]
        targets = []
        for k, form in enumerate(formats):
            letters = per_target("write", "rgba", k)
            one = {"format": form, "write_mask": sum(1 << "rgba".index(c) for c in letters)}
            if blend_of(per_target("blend", None, k)):
                one["blend"] = blend_of(per_target("blend", None, k))
            targets.append(one)
        depth = None
        # Names of buffers stand for the numbers that either program declares them with.
        places = {}
        for program in ("vertex", "fragment"):
            name = draw.get(program)
            code = (folder / (name if isinstance(name, str) else name["file"])).read_text() if name else ""
            declared = re.findall(r"@group\((\d+)\)\s*@binding\((\d+)\)\s*var<[^>]*>\s*(\w+)", code)
            places |= {name: (int(group), int(binding)) for group, binding, name in declared}
        bound = [(places[b["name"]] if "name" in b else (b.get("group", 0), b["binding"]), b) for b in draw.get("binding", [])]
        if has_depth:
            test, stencil = state.get("depth"), state.get("stencil")
            bias = state.get("bias", [0, 0, 0])
            depth = {"format": "depth24plus-stencil8", "depth_compare": test or "always",
                     "depth_write_enabled": bool(test) and state.get("depth-write", True),
                     "depth_bias": int(bias[0]), "depth_bias_slope_scale": bias[1], "depth_bias_clamp": bias[2]}
            if stencil:
                def face(f):
                    return {"compare": f.get("compare", "always"), "fail_op": f.get("fail", "keep"),
                            "depth_fail_op": f.get("depth-fail", "keep"), "pass_op": f.get("pass", "keep")}
                front = stencil.get("front", {})
                depth |= {"stencil_front": face(front), "stencil_back": face(stencil.get("back", front)),
                          "stencil_read_mask": stencil.get("read", 255), "stencil_write_mask": stencil.get("write", 255)}
        if plain:
            # One more for each layer, without tests; or whose colour it is, with them.
            one = {"src_factor": "one", "dst_factor": "one", "operation": "add"}
            targets = [{"format": f, "write_mask": 15 if k == 0 else 0, **({"blend": {"color": one, "alpha": one}} if plain == "layers" else {})} for k, f in enumerate(formats)]
            if depth and plain == "layers":
                depth = {"format": "depth24plus-stencil8", "depth_compare": "always", "depth_write_enabled": False}
        topology = {"list": "triangle-list", "strip": "triangle-strip"}[state.get("topology", "list")]
        primitive = {"topology": topology, "cull_mode": state.get("cull", "none"), "front_face": state.get("front", "ccw")}
        wide = indices is not None and (max(indices, default=0) > 0xFFFF or scene["mesh"][draw["mesh"]].get("index-bytes") == 4)
        if topology == "triangle-strip" and indices is not None:
            primitive["strip_index_format"] = "uint32" if wide else "uint16"
        if plain and targets:
            level = 1 if plain == "layers" else 40 * drawn % 251 + 1
            code = f"@fragment fn f() -> @location(0) vec4f {{ return vec4f({level}.0 / 255.0); }}"
            fragment = {"module": device.create_shader_module(code=code), "targets": targets}
        elif "fragment" in draw:
            fragment = {**stage(draw["fragment"]), "targets": targets}
        else:
            # A pass with colours needs a program; it writes none of them.
            fragment = {"module": device.create_shader_module(code="@fragment fn f() {}"), "targets": [{**t, "write_mask": 0} for t in targets]} if targets else None
        layouts_of = {}
        if plain:
            # Bindings that the fragment program alone has are bound, too.
            code = (folder / (draw["vertex"] if isinstance(draw["vertex"], str) else draw["vertex"]["file"])).read_text()
            kinds = {(int(g), int(b)): kind for g, b, kind in re.findall(r"@group\((\d+)\)\s*@binding\((\d+)\)\s*var<(\w+)", code)}
            for at, _ in bound:
                kind = "uniform" if kinds.get(at, "uniform") == "uniform" else "read-only-storage"
                layouts_of.setdefault(at[0], []).append({"binding": at[1], "visibility": wgpu.ShaderStage.VERTEX, "buffer": {"type": kind}})
            layouts_of = {g: device.create_bind_group_layout(entries=layouts_of.get(g, [])) for g in range(max(layouts_of, default=-1) + 1)}
        pipeline = device.create_render_pipeline(
            layout=device.create_pipeline_layout(bind_group_layouts=list(layouts_of.values())) if plain else "auto", vertex={**stage(draw["vertex"]), "buffers": layouts}, primitive=primitive, depth_stencil=depth,
            multisample={"count": samples, "mask": state.get("sample-mask", 15), "alpha_to_coverage_enabled": not plain and state.get("alpha-to-coverage", False)},
            fragment=fragment)
        run.set_pipeline(pipeline)
        groups = {}
        for at, b in bound:
            data = binding_bytes(b.get("values", []), width / height).ljust(b.get("zero", 0), b"\0")
            data = data.ljust(-(-len(data) // 16) * 16, b"\0")
            buffer = device.create_buffer_with_data(data=data, usage=wgpu.BufferUsage.UNIFORM | wgpu.BufferUsage.STORAGE)
            groups.setdefault(at[0], []).append({"binding": at[1], "resource": {"buffer": buffer, "offset": 0, "size": len(data)}})
        for group, entries in groups.items():
            run.set_bind_group(group, device.create_bind_group(layout=layouts_of.get(group) or pipeline.get_bind_group_layout(group), entries=entries))
        for slot, buffer in enumerate(buffers):
            run.set_vertex_buffer(slot, buffer)
        x, y, w, h = state.get("viewport", [0, 0, width, height])
        run.set_viewport(x + shift[0], y + shift[1], w, h, *state.get("depth-range", [0, 1]))
        x, y, w, h = state.get("scissor", [0, 0, width, height])
        run.set_scissor_rect(x, y, w, h)
        run.set_blend_constant(tuple(state.get("blend-constant", [0, 0, 0, 0])))
        run.set_stencil_reference(state.get("stencil", {}).get("reference", 0))
        first, instances, first_instance = draw.get("first", 0), draw.get("instances", 1), draw.get("first-instance", 0)
        if indices is None:
            count = draw.get("count", len(next(iter(mesh.values()))) - first)
            run.draw(count, instances, first + draw.get("base-vertex", 0), first_instance)
        else:
            count = draw.get("count", len(indices) - first)
            data = np.array(indices, "<u4" if wide else "<u2").tobytes()
            buffer = device.create_buffer_with_data(data=data.ljust(-(-len(data) // 4) * 4, b"\0"), usage=wgpu.BufferUsage.INDEX)
            run.set_index_buffer(buffer, "uint32" if wide else "uint16")
            run.draw_indexed(count, instances, first, draw.get("base-vertex", 0), first_instance)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scene")
    parser.add_argument("out")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--samples", type=int)
    parser.add_argument("--part", type=int, help="a sample instead of what is resolved")
    parser.add_argument("--target", type=int, default=0, help="number of the colour target")
    parser.add_argument("--shift", type=float, nargs=2, default=(0.0, 0.0))
    args = parser.parse_args()
    image = Renderer().render(args.scene, load(args.scene, args.small), args.samples, args.shift, args.part, args.target)
    write_png(args.out, image)


if __name__ == "__main__":
    sys.exit(main())

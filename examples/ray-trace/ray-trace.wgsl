// Ray tracer of small threads (SE-60): a thread is one *segment* of the light of four pixels (a quad of 2x2), and a fifth thread per quad adds the
// four segments' weighted colours in fixed order and writes the pixels. It depends on the other four (N:1) and sleeps until they have
// released; the order in which they run never changes a bit of the picture.
//
//   segment 0   light of the sun on what the eye sees, with a shadow ray, and highlights
//   segment 1   ambient light by the surface's colour and direction, the second light with a shadow ray, and the sky
//   segment 2   reflection: of the mirror, and of the glass by its Fresnel term; then what the reflected ray sees
//   segment 3   transparency: through the glass and the air bubble in it, with total reflection; then what the ray sees
//   4           the sum
//
// A thread's data words: x = column of the quad [7:0], row [15:8], segment [18:16]; y = number of the quad's first pixel in the picture, from which the job
// hashes the semaphore; z = dependencies. All arithmetic is + - * / sqrt and explicit fma, which are exact here, so that the picture is compared bit for
// bit. The hierarchy is walked without a stack: a node says where to go on when it is missed. Little is kept in registers, so that none
// spills in the inner loops: the colour so far waits in the segment's place in memory while the shadow ray is traced, and one word says what the
// thread is doing.

struct Size {
    width: u32,
    height: u32,
}

struct Scene {
    eye: vec4<f32>,
    // Direction of the picture's top left corner, and the whole picture's width and height.
    corner: vec4<f32>,
    across: vec4<f32>,
    down: vec4<f32>,
    sun: vec4<f32>,
    sun_colour: vec4<f32>,
    fill: vec4<f32>,
    fill_colour: vec4<f32>,
    horizon: vec4<f32>,
    top: vec4<f32>,
    // Ambient light on a surface that faces down, and what is added to it for one that faces up.
    ambient: vec4<f32>,
    ambient_rise: vec4<f32>,
    // Colour; w: radius squared.
    table_light: vec4<f32>,
    table_dark: vec4<f32>,
    // Colour; w: gloss.
    teapot: vec4<f32>,
    ball_colour: vec4<f32>,
    // Spheres: centre; w: radius squared.
    ball: vec4<f32>,
    mirror: vec4<f32>,
    glass: vec4<f32>,
    bubble: vec4<f32>,
    // One over the radius of ball, mirror, glass, bubble.
    radius: vec4<f32>,
    // Colour of the mirror's reflection; w: what the shadow of the glass lets through.
    tint: vec4<f32>,
    // The glass: index of refraction, one over it; Schlick's term: reflectance at right angles, and what is added to it for a flat ray.
    optics: vec4<f32>,
}

@group(0) @binding(0) var<uniform> size: Size;
@group(0) @binding(1) var<uniform> scene: Scene;
// Bounding-volume hierarchy in depth-first order. Box corners as f16, rounded outwards: x, y, z of the low one, then of the high one; last word:
// [31:16] where to go on after this subtree, [15:3] first triangle (the first of all is MESH), [2:0] number of triangles (0: not a leaf).
@group(0) @binding(2) var<storage, read> nodes: array<vec4<u32>, 1024>;
// Three rows each, from a point to its distance from the plane, and to its two coordinates in the triangle.
@group(0) @binding(3) var<storage, read> triangles: array<vec4<f32>, 3120>;
// Normals at the three corners, snorm8; the last word is unused.
@group(0) @binding(4) var<storage, read> normals: array<vec4<u32>, 1040>;
// Weighted colours: four segments of each pixel.
@group(0) @binding(5) var<storage, read_write> segments: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> picture: array<u32>;

const FAR = 1e30;
// Nothing is hit nearer than this, and shadow and reflected rays begin this far off the surface.
const NEAR = 2e-3;
// Slack at a triangle's edges, so that neighbours leave no crack.
const EDGE = 1e-4;
const END = 0xFFFFu;
const BOUNCES = 4u;
const REFRACTIONS = 6u;

// The state of a segment: its number in bits 1:0, mirrors and glasses met so far in units of BOUNCE, and whether this is the shadow ray.
const BOUNCE = 4u;
const SHADOW = 0x1000u;

// What a ray hit; from MESH on, the number of a triangle. All are above every state of a ray that looks for the nearest hit, and below that of a shadow ray,
// which has seen enough when `state > hit`.
const TABLE = 32u;
const BALL = 33u;
const MIRROR = 34u;
const GLASS = 35u;
const BUBBLE = 36u;
const MESH = 40u;
const NOTHING = 0xFFFFu;

fn dot3(a: vec3<f32>, b: vec3<f32>) -> f32 {
    return fma(a.z, b.z, fma(a.y, b.y, a.x * b.x));
}

fn unit(v: vec3<f32>) -> vec3<f32> {
    return v * (1.0 / sqrt(dot3(v, v)));
}

// v + a * b
fn along(v: vec3<f32>, a: f32, b: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(fma(a, b.x, v.x), fma(a, b.y, v.y), fma(a, b.z, v.z));
}

fn mirrored(d: vec3<f32>, n: vec3<f32>) -> vec3<f32> {
    return along(d, -2.0 * dot3(d, n), n);
}

// The normal or its opposite: the one against the ray.
fn against(n: vec3<f32>, d: vec3<f32>) -> vec3<f32> {
    return select(n, -n, dot3(n, d) > 0.0);
}

// Distance to a sphere along a ray of unit length; FAR if it is missed.
fn sphere(o: vec3<f32>, d: vec3<f32>, s: vec4<f32>) -> f32 {
    let c = o - s.xyz;
    let b = dot3(c, d);
    let square = fma(b, b, s.w - dot3(c, c));
    if (square <= 0.0) {
        return FAR;
    }
    let root = sqrt(square);
    let enter = -b - root;
    let leave = root - b;
    return select(select(FAR, leave, leave > NEAR), enter, enter > NEAR);
}

// One over a direction's component, never infinite.
fn inverse1(x: f32) -> f32 {
    return 1.0 / select(x, 1e-8, abs(x) < 1e-8);
}

fn sky(d: vec3<f32>) -> vec3<f32> {
    let up = clamp(d.y, 0.0, 1.0);
    return along(scene.horizon.xyz, up, scene.top.xyz);
}

fn table_colour(p: vec3<f32>) -> vec3<f32> {
    let odd = (i32(floor(p.x)) + i32(floor(p.z))) & 1;
    return select(scene.table_light.xyz, scene.table_dark.xyz, odd == 1);
}

// Smooth normal. At the outline it may face away from the ray: its side is that of the triangle.
fn mesh_normal(p: vec3<f32>, d: vec3<f32>, triangle: u32) -> vec3<f32> {
    let plane = triangles[3u * triangle];
    let row_u = triangles[3u * triangle + 1u];
    let row_v = triangles[3u * triangle + 2u];
    let corners = normals[triangle];
    let u = dot3(row_u.xyz, p) + row_u.w;
    let v = dot3(row_v.xyz, p) + row_v.w;
    let n = along(unpack4x8snorm(corners.x).xyz * (1.0 - u - v), u, unpack4x8snorm(corners.y).xyz);
    let smooth_normal = unit(along(n, v, unpack4x8snorm(corners.z).xyz));
    return select(smooth_normal, -smooth_normal, dot3(plane.xyz, d) > 0.0);
}

// Highlight: the cosine between reflected ray and light to the power of 32.
fn highlight(d: vec3<f32>, n: vec3<f32>, light: vec3<f32>) -> f32 {
    let c = max(dot3(mirrored(d, n), light), 0.0);
    let c2 = c * c;
    let c4 = c2 * c2;
    let c8 = c4 * c4;
    let c16 = c8 * c8;
    return c16 * c16;
}

fn add_up(pixel: u32) {
    var sum = segments[4u * pixel].xyz;
    for (var i = 1u; i < 4u; i++) {
        sum += segments[4u * pixel + i].xyz;
    }
    // The square root is a display's gamma of 2.
    let light = clamp(sum, vec3<f32>(0.0), vec3<f32>(1.0));
    picture[pixel] = pack4x8unorm(vec4<f32>(sqrt(light.x), sqrt(light.y), sqrt(light.z), 1.0));
}

@compute @workgroup_size(4, 1, 1)
fn main(@builtin(workgroup_id) data: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let pixel = data.y + (lane & 1u) + (lane >> 1u) * size.width;
    if (data.x >> 16u == 4u) {
        dependencyWait();
        add_up(pixel);
        return;
    }

    // The ray, and how much of the light that arrives along it reaches the eye. A shadow ray's is the light that is added if it meets nothing.
    let column = 2u * (data.x & 255u) + (lane & 1u);
    let row = 2u * (data.x >> 8u & 255u) + (lane >> 1u);
    var o = scene.eye.xyz;
    var d = along(scene.corner.xyz, (f32(column) + 0.5) / f32(size.width), scene.across.xyz);
    d = unit(along(d, (f32(row) + 0.5) / f32(size.height), scene.down.xyz));
    var weight = vec3<f32>(1.0);
    var state = data.x >> 16u;
    segments[4u * pixel + state] = vec4<f32>(0.0);

    loop {
        // What is hit first: table and spheres, then the mesh.
        var t = FAR;
        var hit = NOTHING;
        let fall = -o.y / d.y;
        if (fall > NEAR) {
            let x = fma(fall, d.x, o.x);
            let z = fma(fall, d.z, o.z);
            if (fma(x, x, z * z) < scene.table_light.w) {
                t = fall;
                hit = TABLE;
            }
        }
        let t_ball = sphere(o, d, scene.ball);
        hit = select(hit, BALL, t_ball < t);
        t = min(t, t_ball);
        let t_mirror = sphere(o, d, scene.mirror);
        hit = select(hit, MIRROR, t_mirror < t);
        t = min(t, t_mirror);
        let t_glass = sphere(o, d, scene.glass);
        if (t_glass < t) {
            if (state >= SHADOW) {
                weight *= scene.tint.w;
            } else {
                t = t_glass;
                hit = GLASS;
            }
        }
        // Reflection and transparency end where the eye sees neither mirror nor glass.
        if ((state & ~1u) == 2u && hit != MIRROR && hit != GLASS) {
            break;
        }

        let inverse = vec3<f32>(inverse1(d.x), inverse1(d.y), inverse1(d.z));
        let shift = -o * inverse;
        var node = select(0u, END, state > hit);
        while (node != END) {
            let words = nodes[node];
            let low_xy = unpack2x16float(words.x);
            let mixed = unpack2x16float(words.y);
            let high_yz = unpack2x16float(words.z);
            let x0 = fma(low_xy.x, inverse.x, shift.x);
            let x1 = fma(mixed.y, inverse.x, shift.x);
            let y0 = fma(low_xy.y, inverse.y, shift.y);
            let y1 = fma(high_yz.x, inverse.y, shift.y);
            let z0 = fma(mixed.x, inverse.z, shift.z);
            let z1 = fma(high_yz.y, inverse.z, shift.z);
            let enter = max(max(min(x0, x1), min(y0, y1)), max(min(z0, z1), 0.0));
            let leave = min(min(max(x0, x1), max(y0, y1)), min(max(z0, z1), t));
            let count = words.w & 7u;
            let meets = enter <= leave;
            node = select(words.w >> 16u, node + 1u, meets && count == 0u);
            if (meets && count != 0u) {
                // Counts down in its low bits while the number of the triangle counts up above.
                var leaf = words.w & 0xFFFFu;
                while ((leaf & 7u) != 0u) {
                    let triangle = leaf >> 3u;
                    let plane = triangles[3u * triangle];
                    let distance = -(dot3(plane.xyz, o) + plane.w) / dot3(plane.xyz, d);
                    if (distance > NEAR && distance < t) {
                        let p = along(o, distance, d);
                        let row_u = triangles[3u * triangle + 1u];
                        let u = dot3(row_u.xyz, p) + row_u.w;
                        let row_v = triangles[3u * triangle + 2u];
                        let v = dot3(row_v.xyz, p) + row_v.w;
                        if (u >= -EDGE && v >= -EDGE && u + v <= 1.0 + EDGE) {
                            t = distance;
                            hit = triangle;
                        }
                    }
                    leaf += 7u;
                }
                node = select(node, END, state > hit);
            }
        }

        let place = 4u * pixel + (state & 3u);
        if (state >= SHADOW) {
            if (hit == NOTHING) {
                segments[place] = vec4<f32>(segments[place].xyz + weight, 0.0);
            }
            break;
        }
        // Sky and ambient light belong to segment 1, and to what reflected and refracted rays see.
        let ambient = state == 1u || state >= BOUNCE;
        if (hit == NOTHING) {
            if (ambient) {
                segments[place] = vec4<f32>(weight * sky(d), 0.0);
            }
            break;
        }

        // The surface: normal towards the ray, colour, gloss.
        let p = along(o, t, d);
        var n = select(vec3<f32>(0.0, 1.0, 0.0), vec3<f32>(0.0, -1.0, 0.0), d.y > 0.0);
        var surface = vec4<f32>(0.0);
        if (hit == TABLE) {
            surface = vec4<f32>(table_colour(p), 0.0);
        } else if (hit == BALL) {
            n = against((p - scene.ball.xyz) * scene.radius.x, d);
            surface = scene.ball_colour;
        } else if (hit == MIRROR) {
            n = against((p - scene.mirror.xyz) * scene.radius.y, d);
            surface.w = 1.0;
        } else if (hit == GLASS) {
            n = against((p - scene.glass.xyz) * scene.radius.z, d);
            surface.w = 1.0;
        } else {
            n = mesh_normal(p, d, hit);
            surface = scene.teapot;
        }

        if ((hit == MIRROR || hit == GLASS) && (state & 2u) != 0u && state < BOUNCES * BOUNCE) {
            let c = 1.0 + dot3(n, d);
            let c2 = c * c;
            let fresnel = fma(scene.optics.w, c2 * c2 * c, scene.optics.z);
            if (hit == MIRROR || state == 2u) {
                // The mirror that the eye sees is no matter of the segment that follows transparency.
                if (state == 3u) {
                    break;
                }
                weight *= select(vec3<f32>(fresnel), scene.tint.xyz, hit == MIRROR);
                o = along(p, NEAR, n);
                d = mirrored(d, n);
            } else {
                weight *= 1.0 - fresnel;
                o = p;
                // From boundary to boundary; `ratio` is the index of refraction before it over the one behind.
                var ratio = scene.optics.y;
                var in_bubble = false;
                var inside = false;
                for (var i = 0u; i < REFRACTIONS; i++) {
                    let cosine = -dot3(d, n);
                    let square = fma(-ratio * ratio, fma(-cosine, cosine, 1.0), 1.0);
                    if (square < 0.0) {
                        // Total reflection: stays on this side.
                        d = mirrored(d, n);
                    } else {
                        let bend = fma(ratio, cosine, -sqrt(square));
                        d = along(d * ratio, bend, n);
                        if (i == 0u) {
                            inside = true;
                        } else if (hit == GLASS) {
                            inside = false;
                        } else {
                            in_bubble = !in_bubble;
                        }
                    }
                    if (!inside) {
                        break;
                    }
                    let t_bubble = sphere(o, d, scene.bubble);
                    let t_out = sphere(o, d, scene.glass);
                    if (t_bubble < t_out) {
                        hit = BUBBLE;
                        o = along(o, t_bubble, d);
                        n = (o - scene.bubble.xyz) * scene.radius.w;
                    } else {
                        hit = GLASS;
                        o = along(o, t_out, d);
                        n = (o - scene.glass.xyz) * scene.radius.z;
                    }
                    n = against(n, d);
                    ratio = select(scene.optics.x, scene.optics.y, in_bubble);
                }
                o = along(o, NEAR, d);
            }
            state += BOUNCE;
            continue;
        }

        if ((state & ~1u) == 2u) {
            break;
        }

        // What the surface sends here, and the shadow ray to the light that is this segment's.
        let second = state == 1u;
        if (ambient) {
            var light = along(scene.ambient.xyz, fma(0.5, n.y, 0.5), scene.ambient_rise.xyz);
            if (!second) {
                light = along(light, max(dot3(n, scene.fill.xyz), 0.0), scene.fill_colour.xyz);
            }
            segments[place] = vec4<f32>(weight * surface.xyz * light, 0.0);
        }
        let light = select(scene.sun.xyz, scene.fill.xyz, second);
        let facing = dot3(n, light);
        if (facing <= 0.0) {
            break;
        }
        let shine = surface.w * highlight(d, n, light);
        let flat = vec3<f32>(fma(surface.x, facing, shine), fma(surface.y, facing, shine), fma(surface.z, facing, shine));
        weight = weight * flat * select(scene.sun_colour.xyz, scene.fill_colour.xyz, second);
        o = along(p, NEAR, n);
        d = light;
        state |= SHADOW;
    }
    dependencyDone();
}

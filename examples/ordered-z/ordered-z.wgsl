// Points, lines and triangles with depth (SE-61): a thread draws the part of one primitive that lies in one region of 16x16 pixels. The parts in a region are a chain (1:1:1)
// in the order of submission. What a part needs of no other (edge functions, coverage, plane of depth) it computes before it waits, beside the others; then it sleeps until
// the part before it has released, updates depth and colour of the pixels that it covers, and releases. Order decides where depths are equal (the first one stays)
// and where a translucent primitive is mixed with what is there.
//
// Data words: x = first vertex [23:0], kind [31:24]; y = region (column [7:0], row [15:8]). Kinds: 0 triangle, 1 line, 2 point. Strips need no kind of their own: their
// primitives begin at one vertex after the other. A line is a parallelogram one pixel wide across its longer axis, a point a square. All arithmetic is in integers:
// positions in 1/16 pixel, depths in 1/64, larger is nearer.

struct Screen {
    width: u32,
    // Half the side of a point, in 1/16 pixel.
    half_point: i32,
}

@group(0) @binding(0) var<uniform> screen: Screen;
// x, y, depth; w of a primitive's first vertex: colour (red in bits 7:0), opacity in 1/256 - 1 (bits 31:24).
@group(0) @binding(1) var<storage, read> vertices: array<vec4<i32>>;
@group(0) @binding(2) var<storage, read_write> depths: array<i32>;
@group(0) @binding(3) var<storage, read_write> picture: array<u32>;

const PIXEL = 16;
const REGION = 16;
const OPAQUE = 256u;
const LINE = 1u;
const POINT = 2u;
const RED_BLUE = 0x00FF00FFu;
const GREEN = 0x0000FF00u;

// Twice the area of p, q, r: positive if r is on the inner side of the edge from p to q.
fn edge(p: vec2<i32>, q: vec2<i32>, r: vec2<i32>) -> i32 {
    return (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
}

// A pixel's centre on an edge belongs to the primitive if it is a top or a left one, so that of two with a common edge one has it. An edge without length has no say.
fn bias(p: vec2<i32>, q: vec2<i32>) -> i32 {
    let has = q.y < p.y || (q.y == p.y && q.x >= p.x);
    return select(-1, 0, has);
}

// Up to four corners in clockwise order (of a triangle the fourth is the first), and the change of depth for 1/16 pixel.
struct Shape {
    ab: vec4<i32>,
    cd: vec4<i32>,
    slope: vec2<i32>,
}

fn triangle(a: vec3<i32>, second: vec3<i32>, third: vec3<i32>) -> Shape {
    var b = second;
    var c = third;
    var area = edge(a.xy, b.xy, c.xy);
    if (area < 0) {
        b = third;
        c = second;
        area = -area;
    }
    let ab = b - a;
    let ac = c - a;
    let slope = vec2<i32>(64 * (ab.z * ac.y - ac.z * ab.y) / area, 64 * (ac.z * ab.x - ab.z * ac.x) / area);
    return Shape(vec4<i32>(a.xy, b.xy), vec4<i32>(c.xy, a.xy), slope);
}

fn line(a: vec3<i32>, b: vec3<i32>) -> Shape {
    let d = b - a;
    let across = abs(d.x) >= abs(d.y);
    // From left to right, or from top to bottom.
    let forwards = select(d.y, d.x, across) > 0;
    let p = select(b.xy, a.xy, forwards);
    let q = select(a.xy, b.xy, forwards);
    if (across) {
        let half = vec2<i32>(0, PIXEL / 2);
        return Shape(vec4<i32>(p - half, q - half), vec4<i32>(q + half, p + half), vec2<i32>(64 * d.z / d.x, 0));
    }
    let half = vec2<i32>(PIXEL / 2, 0);
    return Shape(vec4<i32>(p + half, q + half), vec4<i32>(q - half, p - half), vec2<i32>(0, 64 * d.z / d.y));
}

fn square(a: vec2<i32>) -> Shape {
    let low = a - screen.half_point;
    let high = a + screen.half_point;
    return Shape(vec4<i32>(low, high.x, low.y), vec4<i32>(high, low.x, high.y), vec2<i32>(0));
}

@compute @workgroup_size(4, 1, 1)
fn main(@builtin(workgroup_id) data: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let first_vertex = data.x & 0xFFFFFFu;
    let kind = data.x >> 24u;
    let a = vertices[first_vertex];
    let colour = u32(a.w) & 0xFFFFFFu;
    let opacity = (u32(a.w) >> 24u) + 1u;
    var shape: Shape;
    if (kind == POINT) {
        shape = square(a.xy);
    } else if (kind == LINE) {
        shape = line(a.xyz, vertices[first_vertex + 1u].xyz);
    } else {
        shape = triangle(a.xyz, vertices[first_vertex + 1u].xyz, vertices[first_vertex + 2u].xyz);
    }
    let p = shape.ab.xy;
    let q = shape.ab.zw;
    let r = shape.cd.xy;
    let s = shape.cd.zw;

    // First pixel of the region, and the rows and groups of four pixels in it that the bounding box touches.
    let corner = REGION * vec2<i32>(i32(data.y & 255u), i32(data.y >> 8u));
    let low = min(min(p, q), min(r, s));
    let high = max(max(p, q), max(r, s));
    let first = max(((low + 7) >> vec2<u32>(4u)) - corner, vec2<i32>(0));
    let last = min(((high - 8) >> vec2<u32>(4u)) - corner, vec2<i32>(REGION - 1));

    // Edge functions at this lane's pixel of group 0; a group has one pixel for each lane.
    let start = PIXEL * (corner + vec2<i32>(i32(lane), first.y)) + PIXEL / 2;
    var row = vec4<i32>(
        edge(p, q, start) + bias(p, q),
        edge(q, r, start) + bias(q, r),
        edge(r, s, start) + bias(r, s),
        edge(s, p, start) + bias(s, p),
    );
    let right = -4 * PIXEL * vec4<i32>(q.y - p.y, r.y - q.y, s.y - r.y, p.y - s.y);
    let down = PIXEL * vec4<i32>(q.x - p.x, r.x - q.x, s.x - r.x, p.x - s.x);
    row += (first.x >> 2u) * right;
    // One bit for each pixel of this lane: rows 0 to 7, rows 8 to 15.
    var covered = vec2<u32>(0u);
    for (var y = first.y; y <= last.y; y++) {
        var e = row;
        for (var group = first.x >> 2u; group <= last.x >> 2u; group++) {
            let bit = select(0u, 1u << u32(4 * (y & 7) + group), (e.x | e.y | e.z | e.w) >= 0);
            covered.x |= select(0u, bit, y < 8);
            covered.y |= select(bit, 0u, y < 8);
            e += right;
        }
        row += down;
    }

    let slope = shape.slope;
    let origin = PIXEL * (corner + vec2<i32>(i32(lane), 0)) + PIXEL / 2 - a.xy;
    let depth_here = 64 * a.z + slope.x * origin.x + slope.y * origin.y;
    let across = 4 * PIXEL * slope.x;
    let along = PIXEL * slope.y;
    let place_here = u32(corner.y) * screen.width + u32(corner.x) + lane;
    let red_blue = (colour & RED_BLUE) * opacity;
    let green = (colour & GREEN) * opacity;

    dependencyWait();
    for (var half = 0u; half < 64u; half += 32u) {
        var left = select(covered.y, covered.x, half == 0u);
        while (left != 0u) {
            let pixel = half + countTrailingZeros(left);
            left &= left - 1u;
            let place = place_here + 4u * (pixel & 3u) + (pixel >> 2u) * screen.width;
            let depth = depth_here + i32(pixel & 3u) * across + i32(pixel >> 2u) * along;
            if (depth > depths[place]) {
                if (opacity == OPAQUE) {
                    depths[place] = depth;
                    picture[place] = colour | 0xFF000000u;
                } else {
                    let behind = picture[place];
                    let mixed_red_blue = ((behind & RED_BLUE) * (OPAQUE - opacity) + red_blue) >> 8u;
                    let mixed_green = ((behind & GREEN) * (OPAQUE - opacity) + green) >> 8u;
                    picture[place] = (mixed_red_blue & RED_BLUE) | (mixed_green & GREEN) | 0xFF000000u;
                }
            }
        }
    }
    dependencyDone();
}

// Triangles with depth (SE-61): a thread draws the part of one triangle that lies in one region of 16x16 pixels. The parts in a region are a chain (1:1:1) in the
// order of submission. What a part needs of no other (edge functions, coverage, plane of depth) it computes before it waits, beside the others; then it sleeps until
// the part before it has released, updates depth and colour of the pixels that it covers, and releases. Order decides where depths are equal (the first one stays)
// and where a translucent triangle is mixed with what is there.
//
// Data words: x = triangle, y = region (column [7:0], row [15:8]). All arithmetic is in integers: positions in 1/16 pixel, depths in 1/64, larger is nearer.

struct Screen {
    width: u32,
}

@group(0) @binding(0) var<uniform> screen: Screen;
// Three corners: x, y, depth; w: colour (red in bits 7:0), opacity in 1/256, unused.
@group(0) @binding(1) var<storage, read> triangles: array<vec4<i32>>;
@group(0) @binding(2) var<storage, read_write> depths: array<i32>;
@group(0) @binding(3) var<storage, read_write> picture: array<u32>;

const PIXEL = 16;
const REGION = 16;
const OPAQUE = 256u;
const RED_BLUE = 0x00FF00FFu;
const GREEN = 0x0000FF00u;

// Twice the area of p, q, r: positive if r is on the inner side of the edge from p to q.
fn edge(p: vec2<i32>, q: vec2<i32>, r: vec2<i32>) -> i32 {
    return (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
}

// A pixel's centre on an edge belongs to the triangle if it is a top or a left one, so that of two triangles with a common edge one has it.
fn bias(p: vec2<i32>, q: vec2<i32>) -> i32 {
    let has = q.y < p.y || (q.y == p.y && q.x > p.x);
    return select(-1, 0, has);
}

@compute @workgroup_size(4, 1, 1)
fn main(@builtin(workgroup_id) data: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let a = triangles[3u * data.x];
    var b = triangles[3u * data.x + 1u];
    var c = triangles[3u * data.x + 2u];
    let colour = u32(a.w);
    let opacity = u32(b.w);
    var area = edge(a.xy, b.xy, c.xy);
    if (area < 0) {
        let other = b;
        b = c;
        c = other;
        area = -area;
    }

    // First pixel of the region, and the rows and groups of four pixels in it that the triangle's bounding box touches.
    let corner = REGION * vec2<i32>(i32(data.y & 255u), i32(data.y >> 8u));
    let low = min(min(a.xy, b.xy), c.xy);
    let high = max(max(a.xy, b.xy), c.xy);
    let first = max(((low + 7) >> vec2<u32>(4u)) - corner, vec2<i32>(0));
    let last = min(((high - 8) >> vec2<u32>(4u)) - corner, vec2<i32>(REGION - 1));

    // Edge functions at this lane's pixel of group 0; a group has one pixel for each lane.
    let start = PIXEL * (corner + vec2<i32>(i32(lane), first.y)) + PIXEL / 2;
    var row = vec3<i32>(
        edge(a.xy, b.xy, start) + bias(a.xy, b.xy),
        edge(b.xy, c.xy, start) + bias(b.xy, c.xy),
        edge(c.xy, a.xy, start) + bias(c.xy, a.xy),
    );
    let right = -4 * PIXEL * vec3<i32>(b.y - a.y, c.y - b.y, a.y - c.y);
    let down = PIXEL * vec3<i32>(b.x - a.x, c.x - b.x, a.x - c.x);
    row += (first.x >> 2u) * right;
    // One bit for each pixel of this lane: rows 0 to 7, rows 8 to 15.
    var covered = vec2<u32>(0u);
    for (var y = first.y; y <= last.y; y++) {
        var e = row;
        for (var group = first.x >> 2u; group <= last.x >> 2u; group++) {
            let bit = select(0u, 1u << u32(4 * (y & 7) + group), (e.x | e.y | e.z) >= 0);
            covered.x |= select(0u, bit, y < 8);
            covered.y |= select(bit, 0u, y < 8);
            e += right;
        }
        row += down;
    }

    // Depth's change for 1/16 pixel.
    let ab = b.xyz - a.xyz;
    let ac = c.xyz - a.xyz;
    let slope = vec2<i32>(64 * (ab.z * ac.y - ac.z * ab.y) / area, 64 * (ac.z * ab.x - ab.z * ac.x) / area);
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

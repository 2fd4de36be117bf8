// Sobel edge filter: 16x16 work groups cover the picture; threads outside it do nothing; the border pixels repeat outwards.
// One 32-bit luma value (0 to 255) per pixel, in and out. Integer gradients are exact; the magnitude is the one rounded step.
// `sobel.comp` is the same in GLSL, which a build without the feature `glsl` cannot read.

@group(0) @binding(0) var<uniform> size: vec2<i32>;
@group(0) @binding(1) var<storage, read> source: array<u32>;
@group(0) @binding(2) var<storage, read_write> edges: array<u32>;

fn luma(x: i32, y: i32) -> i32 {
    return i32(source[y * size.x + x]);
}

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = vec2<i32>(id.xy);
    if at.x >= size.x || at.y >= size.y {
        return;
    }
    let left = max(at.x - 1, 0);
    let right = min(at.x + 1, size.x - 1);
    let up = max(at.y - 1, 0);
    let down = min(at.y + 1, size.y - 1);

    let nw = luma(left, up);
    let n = luma(at.x, up);
    let ne = luma(right, up);
    let w = luma(left, at.y);
    let e = luma(right, at.y);
    let sw = luma(left, down);
    let s = luma(at.x, down);
    let se = luma(right, down);

    let gx = (ne + 2 * e + se) - (nw + 2 * w + sw);
    let gy = (sw + 2 * s + se) - (nw + 2 * n + ne);
    let magnitude = sqrt(f32(gx * gx + gy * gy));
    edges[at.y * size.x + at.x] = u32(min(magnitude + 0.5, 255.0));
}

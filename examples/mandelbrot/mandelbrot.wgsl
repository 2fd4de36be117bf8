// Mandelbrot set: how many steps until |z| > 2, per pixel. Neighbouring lanes leave the loop at different steps: divergence.

struct View {
    width: u32,
    height: u32,
    limit: u32,
    // Complex plane: the pixel (0, 0) and the step from one pixel to the next.
    left: f32,
    top: f32,
    step: f32,
}

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read_write> steps: array<u32>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= view.width || id.y >= view.height) {
        return;
    }
    let cx = view.left + f32(id.x) * view.step;
    let cy = view.top + f32(id.y) * view.step;
    var x = 0.0;
    var y = 0.0;
    var n = 0u;
    while (n < view.limit) {
        let xx = x * x;
        let yy = y * y;
        if (xx + yy > 4.0) {
            break;
        }
        y = 2.0 * x * y + cy;
        x = xx - yy + cx;
        n++;
    }
    steps[id.y * view.width + id.x] = n;
}

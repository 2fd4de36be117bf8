// Longest common subsequences by the table (Wagner and Fischer): a word of it needs the ones on its left, above and
// at the corner between. A thread fills 4x4 words and waits for the threads on its left and above; so the table goes
// as a wavefront. Each lane compares two texts of its own; the four tables lie between each other.
//
// Data words: x = column, y = row of the thread.

struct Size {
    // Threads across.
    width: u32,
}

@group(0) @binding(0) var<uniform> size: Size;
// Letter i of lane's text is word 4 * i + lane.
@group(0) @binding(1) var<storage, read> across: array<u32>;
@group(0) @binding(2) var<storage, read> down: array<u32>;
// Row 0 and column 0 are zeros.
@group(0) @binding(3) var<storage, read_write> table: array<u32>;

const SIDE = 4u;

@compute @workgroup_size(4)
fn main(@builtin(workgroup_id) data: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let stride = 4u * (SIDE * size.width + 1u);
    let left = SIDE * data.x;
    let top = SIDE * data.y;
    dependencyWait();
    for (var y = top; y < top + SIDE; y++) {
        let letter = down[4u * y + lane];
        for (var x = left; x < left + SIDE; x++) {
            // The corner; the word itself is a row and a column further.
            let corner = y * stride + 4u * x + lane;
            let best = max(table[corner + stride], table[corner + 4u]);
            let longer = table[corner] + 1u;
            table[corner + stride + 4u] = select(best, longer, across[4u * x + lane] == letter);
        }
    }
    dependencyDone();
}

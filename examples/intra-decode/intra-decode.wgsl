// Not a decoder of MPEG streams (examples/mpeg2-intra is one): the syntax is our own, the prediction MPEG-4's.
//
// Intra-coded picture (SE-62): a thread decodes one block of 8x8 pixels. DC and AC coefficients are predicted from the blocks on the left and above, as in MPEG-4: that is
// a dependency, and the blocks go in wavefronts. In a picture of slices (rows of blocks, as in MPEG-2) nothing is predicted from above and the rows run free of each other.
//
// A thread reads its own coefficients from the bitstream before it waits (the table of starts says where they begin), predicts, releases as soon as the coefficients are
// in memory that others predict from, and transforms afterwards.
//
// The four lanes read the same bits; lane n keeps rows n and n + 4 of the coefficients, transforms these and then columns n and n + 4. They exchange through memory: a thread
// goes as one and sees its own stores.
//
// Syntax of a block, in Exp-Golomb codes (ue, se): a bit, AC prediction; DC difference, se; for each coefficient in zigzag order, ue of the zeros before it and
// 1, se of its level; ue of 0 ends it.

struct Picture {
    // In blocks.
    width: u32,
    quantiser: i32,
    // 1: every row of blocks is a slice.
    slices: u32,
}

@group(0) @binding(0) var<uniform> picture: Picture;
// First bit: bit 31 of word 0.
@group(0) @binding(1) var<storage, read> stream: array<u32>;
// First bit of each block.
@group(0) @binding(2) var<storage, read> starts: array<u32>;
// Place (8 * row + column) of each coefficient in zigzag order.
@group(0) @binding(3) var<storage, read> zigzag: array<u32>;
// Quantised coefficients of all blocks, zeros at first.
@group(0) @binding(4) var<storage, read_write> levels: array<i32>;
// Transformed rows, in 1/8.
@group(0) @binding(5) var<storage, read_write> rows: array<i32>;
@group(0) @binding(6) var<storage, read_write> pixels: array<u32>;

// Prediction where there is no neighbour: 1024, in steps of DC.
const DC_STEP = 8;
const NO_DC = 128;

// The next 32 bits.
fn window(at: u32) -> u32 {
    let word = at >> 5u;
    let shift = at & 31u;
    return (stream[word] << shift) | ((stream[word + 1u] >> 1u) >> (31u - shift));
}

// Bits of the Exp-Golomb code at the top of a window, at most 31, and its value.
fn length_of(bits: u32) -> u32 {
    return 2u * countLeadingZeros(bits) + 1u;
}

fn value_of(bits: u32) -> u32 {
    return (bits >> (32u - length_of(bits))) - 1u;
}

// 0, 1, 2, 3, 4 are 0, 1, -1, 2, -2.
fn signed_of(value: u32) -> i32 {
    let magnitude = i32((value + 1u) >> 1u);
    return select(-magnitude, magnitude, (value & 1u) == 1u);
}

fn dequantised(level: i32) -> i32 {
    let odd = picture.quantiser & 1;
    let magnitude = picture.quantiser * (2 * abs(level) + 1) - 1 + odd;
    return clamp(select(magnitude * sign(level), 0, level == 0), -2048, 2047);
}

// Inverse transform of eight coefficients; the constants are 4096 * cos(n * pi / 16). Outputs 0 to 3 are even + odd, 7 to 4 are even - odd.
struct Halves {
    even: vec4<i32>,
    odd: vec4<i32>,
}

fn inverse(a: vec4<i32>, b: vec4<i32>) -> Halves {
    let sum = 2896 * (a.x + b.x);
    let difference = 2896 * (a.x - b.x);
    let long = 3784 * a.z + 1567 * b.z;
    let short = 1567 * a.z - 3784 * b.z;
    var out: Halves;
    out.even = vec4<i32>(sum + long, difference + short, difference - short, sum - long);
    out.odd = vec4<i32>(
        4017 * a.y + 3406 * a.w + 2276 * b.y + 799 * b.w,
        3406 * a.y - 799 * a.w - 4017 * b.y - 2276 * b.w,
        2276 * a.y - 4017 * a.w + 799 * b.y + 3406 * b.w,
        799 * a.y - 2276 * a.w + 3406 * b.y - 4017 * b.w,
    );
    return out;
}

fn pixel(sum: i32) -> u32 {
    return u32(clamp((sum + 32768) >> 16u, 0, 255));
}

@compute @workgroup_size(4, 1, 1)
fn main(@builtin(workgroup_id) data: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    // Number of the block: of slices it is x alone.
    let number = data.y * picture.width + data.x;
    let block_row = number / picture.width;
    let block_column = number - block_row * picture.width;
    let block = 64u * number;

    var at = starts[number];
    let predict_ac = window(at) >> 31u == 1u;
    at += 1u;
    var bits = window(at);
    at += length_of(bits);
    var dc = signed_of(value_of(bits));
    var next = 1u;
    loop {
        bits = window(at);
        at += length_of(bits);
        let run = value_of(bits);
        if (run == 0u) {
            break;
        }
        bits = window(at);
        at += length_of(bits);
        next += run;
        let place = zigzag[next - 1u];
        if ((place >> 3u & 3u) == lane) {
            levels[block + place] = signed_of(value_of(bits));
        }
    }

    dependencyWait();
    let has_left = block_column > 0u;
    let has_above = block_row > 0u && picture.slices == 0u;
    var left = NO_DC;
    var above = NO_DC;
    var corner = NO_DC;
    if (has_left) {
        left = levels[block - 64u];
    }
    if (has_above) {
        above = levels[block - 64u * picture.width];
        if (has_left) {
            corner = levels[block - 64u * picture.width - 64u];
        }
    }
    // From the direction in which less changes.
    let from_above = abs(left - corner) < abs(corner - above);
    dc += select(left, above, from_above);
    if (lane == 0u) {
        levels[block] = dc;
    }
    if (predict_ac && select(has_left, has_above, from_above)) {
        let neighbour = block - select(64u, 64u * picture.width, from_above);
        let step = select(8u, 1u, from_above);
        for (var i = lane; i < 8u; i += 4u) {
            if (i != 0u) {
                levels[block + step * i] += levels[neighbour + step * i];
            }
        }
    }
    dependencyDone();

    for (var y = lane; y < 8u; y += 4u) {
        let row = block + 8u * y;
        let low = vec4<i32>(levels[row], levels[row + 1u], levels[row + 2u], levels[row + 3u]);
        let high = vec4<i32>(levels[row + 4u], levels[row + 5u], levels[row + 6u], levels[row + 7u]);
        let first = select(dequantised(low.x), DC_STEP * low.x, y == 0u);
        let t = inverse(
            vec4<i32>(first, dequantised(low.y), dequantised(low.z), dequantised(low.w)),
            vec4<i32>(dequantised(high.x), dequantised(high.y), dequantised(high.z), dequantised(high.w)),
        );
        let lows = (t.even + t.odd + 512) >> vec4<u32>(10u);
        let highs = (t.even - t.odd + 512) >> vec4<u32>(10u);
        rows[row] = lows.x;
        rows[row + 1u] = lows.y;
        rows[row + 2u] = lows.z;
        rows[row + 3u] = lows.w;
        rows[row + 4u] = highs.w;
        rows[row + 5u] = highs.z;
        rows[row + 6u] = highs.y;
        rows[row + 7u] = highs.x;
    }
    let stride = 8u * picture.width;
    for (var x = lane; x < 8u; x += 4u) {
        let column = block + x;
        let t = inverse(
            vec4<i32>(rows[column], rows[column + 8u], rows[column + 16u], rows[column + 24u]),
            vec4<i32>(rows[column + 32u], rows[column + 40u], rows[column + 48u], rows[column + 56u]),
        );
        let top = 8u * block_row * stride + 8u * block_column + x;
        let lows = t.even + t.odd;
        let highs = t.even - t.odd;
        pixels[top] = pixel(lows.x);
        pixels[top + stride] = pixel(lows.y);
        pixels[top + 2u * stride] = pixel(lows.z);
        pixels[top + 3u * stride] = pixel(lows.w);
        pixels[top + 4u * stride] = pixel(highs.w);
        pixels[top + 5u * stride] = pixel(highs.z);
        pixels[top + 6u * stride] = pixel(highs.y);
        pixels[top + 7u * stride] = pixel(highs.x);
    }
}

// MPEG-2 intra pictures (SE-62, ISO/IEC 13818-2): a thread decodes one slice of the real bit stream, from its start code to its last macroblock. Slices need nothing of each
// other, so no thread waits. The shader does everything from the bits to the samples: variable-length codes (B-1, B-12 to B-15), prediction of DC, quantiser scale and
// matrix, mismatch control, inverse transform. The host reads the headers and finds the start codes. All lanes read the bits; each keeps the rows of the block that it
// transforms.
//
// Frame pictures, 4:2:0, no field transforms, no concealment vectors, linear quantiser scale, up to 8 macroblocks across.

struct Picture {
    // In macroblocks.
    width: u32,
    height: u32,
    // A step of DC is 8 >> dc_precision.
    dc_precision: u32,
}

@group(0) @binding(0) var<uniform> picture: Picture;
// The stream's bytes; the first one in bits 7:0.
@group(0) @binding(1) var<storage, read> stream: array<u32>;
// Byte at which each slice's start code begins.
@group(0) @binding(2) var<storage, read> slices: array<u32>;
// Codes of coefficients by the next 10 bits; from 1024 on, for seven zeros in front, by the next 16. Bits of the code 4:0, run 13:8 (63: escape), level 23:16 (0: end).
@group(0) @binding(3) var<storage, read> codes: array<u32>;
// Address increments by the next 7 bits: increment 7:0, bits of the code from 8 on.
@group(0) @binding(4) var<storage, read> increments: array<u32>;
// In the order of the scan: place (8 * row + column) 5:0, weight from bit 8 on.
@group(0) @binding(5) var<storage, read> weights: array<u32>;
// A block of each slice: coefficients, then transformed rows in 1/8.
@group(0) @binding(6) var<storage, read_write> coefficients: array<i32>;
@group(0) @binding(7) var<storage, read_write> rows: array<i32>;
@group(0) @binding(8) var<storage, read_write> luma: array<u32>;
// Cb, then Cr.
@group(0) @binding(9) var<storage, read_write> chroma: array<u32>;

const ESCAPE = 63u;

fn big_endian(word: u32) -> u32 {
    return (word << 24u) | ((word & 0xFF00u) << 8u) | ((word >> 8u) & 0xFF00u) | (word >> 24u);
}

// The next 32 bits.
fn window(at: u32) -> u32 {
    let word = at >> 5u;
    let shift = at & 31u;
    return (big_endian(stream[word]) << shift) | ((big_endian(stream[word + 1u]) >> 1u) >> (31u - shift));
}

// Of a DC difference: bits of the code of its size 7:0, its size from 8 on (B-12, B-13).
fn size_of(bits: u32, is_luma: bool) -> u32 {
    let ones = countLeadingZeros(~bits);
    if (is_luma) {
        if (ones == 0u) {
            return 2u | ((1u + (bits >> 30u & 1u)) << 8u);
        }
        if (ones == 1u) {
            return 3u | ((bits >> 29u & 1u) * 3u) << 8u;
        }
        return min(ones + 1u, 9u) | (min(ones, 9u) + 2u) << 8u;
    }
    if (ones == 0u) {
        return 2u | (bits >> 30u & 1u) << 8u;
    }
    return min(ones + 1u, 10u) | (min(ones, 10u) + 1u) << 8u;
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

fn sample(sum: i32) -> u32 {
    return u32(clamp((sum + 32768) >> 16u, 0, 255));
}

fn put(component: u32, at: u32, value: u32) {
    if (component == 0u) {
        luma[at] = value;
    } else {
        chroma[at] = value;
    }
}

// Transforms the block and puts its samples at `top`, rows `stride` apart.
fn transform(block: u32, lane: u32, component: u32, top: u32, stride: u32) {
    for (var y = lane; y < 8u; y += 4u) {
        let row = block + 8u * y;
        let t = inverse(
            vec4<i32>(coefficients[row], coefficients[row + 1u], coefficients[row + 2u], coefficients[row + 3u]),
            vec4<i32>(coefficients[row + 4u], coefficients[row + 5u], coefficients[row + 6u], coefficients[row + 7u]),
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
    for (var x = lane; x < 8u; x += 4u) {
        let column = block + x;
        let t = inverse(
            vec4<i32>(rows[column], rows[column + 8u], rows[column + 16u], rows[column + 24u]),
            vec4<i32>(rows[column + 32u], rows[column + 40u], rows[column + 48u], rows[column + 56u]),
        );
        let lows = t.even + t.odd;
        let highs = t.even - t.odd;
        let at = top + x;
        put(component, at, sample(lows.x));
        put(component, at + stride, sample(lows.y));
        put(component, at + 2u * stride, sample(lows.z));
        put(component, at + 3u * stride, sample(lows.w));
        put(component, at + 4u * stride, sample(highs.w));
        put(component, at + 5u * stride, sample(highs.z));
        put(component, at + 6u * stride, sample(highs.y));
        put(component, at + 7u * stride, sample(highs.x));
    }
}

@compute @workgroup_size(4, 1, 1)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let block = 64u * group.x;
    var at = 8u * slices[group.x];
    let row = (window(at) & 255u) - 1u;
    at += 32u;
    var scale = 2 * i32(window(at) >> 27u);
    at += 5u;
    while (window(at) >> 31u == 1u) {
        at += 9u;
    }
    at += 1u;

    // One past the macroblock's column.
    var column = 0u;
    var predictions = vec3<i32>(128 << picture.dc_precision);
    // A slice ends where 23 zeros follow.
    while (window(at) >> 9u != 0u) {
        let increment = increments[window(at) >> 25u];
        column += increment & 255u;
        at += increment >> 8u;
        if (window(at) >> 31u == 1u) {
            at += 1u;
        } else {
            scale = 2 * i32(window(at + 2u) >> 27u);
            at += 7u;
        }
        for (var number = 0u; number < 6u; number++) {
            let component = select(0u, number - 3u, number > 3u);
            for (var i = lane; i < 16u; i += 4u) {
                // Rows `lane` and `lane` + 4.
                let first = block + 8u * (lane + 4u * (i >> 3u)) + 4u * (i >> 2u & 1u);
                coefficients[first] = 0;
                coefficients[first + 1u] = 0;
                coefficients[first + 2u] = 0;
                coefficients[first + 3u] = 0;
            }

            let size_code = size_of(window(at), component == 0u);
            let size = size_code >> 8u;
            at += size_code & 255u;
            var difference = 0;
            if (size > 0u) {
                let value = i32(window(at) >> (32u - size));
                difference = select(value, value + 1 - (1 << size), value < (1 << (size - 1u)));
                at += size;
            }
            predictions += select(vec3<i32>(0), vec3<i32>(difference), vec3<u32>(component) == vec3<u32>(0u, 1u, 2u));
            let prediction = select(select(predictions.z, predictions.y, component == 1u), predictions.x, component == 0u);
            let dc = prediction << (3u - picture.dc_precision);
            if (lane == 0u) {
                coefficients[block] = dc;
            }
            var sum = dc;
            var next = 1u;
            var last = 0;
            loop {
                let bits = window(at);
                let code = codes[select(bits >> 22u, 1024u + (bits >> 16u), bits >> 25u == 0u)];
                at += code & 31u;
                var run = code >> 8u & 63u;
                var level = i32(code >> 16u);
                if (run == ESCAPE) {
                    run = window(at) >> 26u;
                    level = i32(window(at) << 6u) >> 20u;
                    at += 18u;
                } else {
                    if (level == 0) {
                        break;
                    }
                    level = select(level, -level, window(at) >> 31u == 1u);
                    at += 1u;
                }
                next += run;
                let weight = weights[next & 63u];
                next += 1u;
                // Towards 0.
                let magnitude = (2 * abs(level) * i32(weight >> 8u) * scale) >> 5u;
                let value = clamp(select(magnitude, -magnitude, level < 0), -2048, 2047);
                let place = weight & 63u;
                sum += value;
                last = select(last, value, place == 63u);
                if ((place >> 3u & 3u) == lane) {
                    coefficients[block + place] = value;
                }
            }
            // Mismatch control: an even sum changes the last bit of the last coefficient.
            if (lane == 3u) {
                coefficients[block + 63u] = last ^ ((sum & 1) ^ 1);
            }

            let across = select(8u, 16u, component == 0u) * (column - 1u) + select(0u, 8u * (number & 1u), component == 0u);
            let stride = picture.width * select(8u, 16u, component == 0u);
            let down = select(8u * row, 16u * row + 8u * (number >> 1u), component == 0u)
                + select(0u, 8u * picture.height, component == 2u);
            transform(block, lane, component, down * stride + across, stride);
        }
    }
}

//! SPIR-V beyond the core's arithmetic: integer dot products, minimum and median of three, switches
//! on narrow numbers, pointers that are kept in variables.

use super::spirv::{buffer, lowered, op, text, Asm, TYPE_INT, TYPE_UINT};
use super::*;

const TYPE_USHORT: &[u32] = &[21, 16, 0];
const TYPE_SHORT: &[u32] = &[21, 16, 1];
const TYPE_UCHAR: &[u32] = &[21, 8, 0];

fn byte(word: u32, k: u32, signed: bool) -> i64 {
    let byte = (word >> (8 * k)) as u8;
    if signed {
        i64::from(byte as i8)
    } else {
        i64::from(byte)
    }
}

/// SDot, UDot, SUDot: the signs of the first and the second operand.
const DOTS: [(bool, bool); 3] = [(true, true), (false, false), (true, false)];

#[test]
fn dot_products_of_bytes_and_of_vectors() {
    for (x, y) in [(0x0102_0304, 0x1020_3040), (0xFFFE_8001, 0x7F80_FF02), (0x8080_8080, 0x8080_8080)] {
        let mut a = Asm::new(&[]);
        let index = a.input(29);
        let zero = a.uint(0);
        let nought = a.value(132, TYPE_UINT, &[index, zero]);
        let word = |a: &mut Asm, w: u32| {
            let constant = a.uint(w);
            a.value(128, TYPE_UINT, &[constant, nought])
        };
        let (wx, wy) = (word(&mut a, x), word(&mut a, y));
        let mut expected = vec![];
        for (k, (sx, sy)) in (0u32..).zip(DOTS) {
            let dot: i64 = (0..4).map(|i| byte(x, i, sx) * byte(y, i, sy)).sum();
            for ty in [TYPE_UINT, TYPE_INT] {
                let value = a.value(4450 + k, ty, &[wx, wy, 0]);
                let value = a.bits(value);
                a.store(index, value);
                expected.push(dot as u32);
                // The sum with what is there already saturates.
                for more in [5, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF] {
                    let first = word(&mut a, more);
                    let value = a.value(4453 + k, ty, &[wx, wy, first, 0]);
                    let value = a.bits(value);
                    a.store(index, value);
                    expected.push(match sx {
                        true => (dot + i64::from(more as i32)).clamp(i32::MIN.into(), i32::MAX.into()) as u32,
                        false => (dot + i64::from(more)).min(u32::MAX.into()) as u32,
                    });
                }
            }
            // Components of a vector of two words, of whose product the low word counts.
            let uint = a.global(TYPE_UINT);
            let pair = [23, uint, 2];
            let (vx, vy) = (a.value(80, &pair, &[wx, wy]), a.value(80, &pair, &[wy, wy]));
            let value = a.value(4450 + k, TYPE_UINT, &[vx, vy]);
            a.store(index, value);
            expected.push(x.wrapping_mul(y).wrapping_add(y.wrapping_mul(y)));
        }
        assert_eq!(buffer(a), expected, "{x:#x} {y:#x}");
    }
}

/// A result of 8 bits saturates in 8 bits.
#[test]
fn a_narrow_dot_product_saturates_in_its_width() {
    let mut a = Asm::new(&[]);
    let index = a.input(29);
    let (x, y) = (a.uint(0x0000_0A0A), a.uint(0x0000_0A0A));
    let more = a.constant(TYPE_UCHAR, 100);
    for code in [4453, 4454] {
        let value = a.value(code, TYPE_UCHAR, &[x, y, more, 0]);
        let value = a.value(113, TYPE_UINT, &[value]);
        a.store(index, value);
    }
    // 200 is -56 as a signed byte: no saturation; as an unsigned one 300 is too much.
    assert_eq!(buffer(a), [44, 255]);
}

#[test]
fn minimum_maximum_and_median_of_three() {
    let mut a = Asm::new(&[]);
    let index = a.input(29);
    let set = a.id();
    a.capabilities.extend(op(11, &[vec![set], text("SPV_AMD_shader_trinary_minmax")].concat()));
    let [p, q, r] = [0xFFFF_FFFE, 3, 7].map(|w| a.uint(w));
    for order in [[p, q, r], [r, p, q], [q, r, p], [r, q, p]] {
        for number in [2, 3, 5, 6, 8, 9] {
            let value = a.value(12, TYPE_UINT, &[&[set, number], &order[..]].concat());
            a.store(index, value);
        }
    }
    assert_eq!(buffer(a), [3, 0xFFFF_FFFE, 0xFFFF_FFFE, 7, 7, 3].repeat(4));
}

/// What stands above the bits of a narrow selector means nothing, and its literals have a sign.
#[test]
fn a_switch_on_a_narrow_number_looks_at_its_bits_only() {
    for (ty, word, literal, wide) in [
        (TYPE_USHORT, 0x0003_FFFB, 0xFFFB, 0x5_0001),
        (TYPE_SHORT, 0x0003_FFFB, 0xFFFF_FFFB, 0x5_0001),
        (TYPE_UCHAR, 0x0003_0405, 5, 0x104),
    ] {
        let mut a = Asm::new(&[]);
        let index = a.input(29);
        let (zero, one, two) = (a.uint(0), a.uint(1), a.uint(2));
        let nought = a.value(132, TYPE_UINT, &[index, zero]);
        for word in [word, wide] {
            let word = a.uint(word);
            let word = a.value(128, TYPE_UINT, &[word, nought]);
            let narrow = a.value(113, ty, &[word]);
            let [before, case, other, merge] = std::array::from_fn(|_| a.id());
            let (result, uint) = (a.id(), a.global(TYPE_UINT));
            a.body.extend([op(249, &[before]), op(248, &[before]), op(247, &[merge, 0])].concat());
            a.body.extend([op(251, &[narrow, other, literal, case]), op(248, &[case]), op(249, &[merge])].concat());
            a.body.extend([op(248, &[other]), op(249, &[merge]), op(248, &[merge])].concat());
            a.body.extend(op(245, &[uint, result, one, case, two, other]));
            a.store(index, result);
        }
        assert_eq!(buffer(a), [1, 2], "{ty:?}");
    }
}

/// Element 0 or 1 of the buffer, by a pointer that a variable of the function holds.
#[test]
fn a_pointer_to_a_buffer_is_kept_in_a_variable() {
    let mut a = Asm::new(&[4442]);
    let index = a.input(29);
    let (zero, one, seven) = (a.uint(0), a.uint(1), a.uint(7));
    let odd = a.value(199, TYPE_UINT, &[index, one]);
    let uint = a.global(TYPE_UINT);
    let to_word = a.global(&[32, 12, uint]);
    let to_pointer = a.global(&[32, 7, to_word]);
    let (kept, place, again) = (a.id(), a.id(), a.id());
    a.body.extend(op(59, &[to_pointer, kept, 7]));
    a.body.extend(op(65, &[to_word, place, a.buffer, zero, odd]));
    a.body.extend(op(62, &[kept, place]));
    a.body.extend(op(61, &[to_word, again, kept]));
    a.body.extend(op(62, &[again, seven]));
    a.stored = 1;
    let run = Run { lowered: lowered(&a.finish()), grid: [1; 3], buffers: vec![] }.zeros(4).go();
    assert_eq!(run.buffer(0), [7, 7, 0, 0]);
}

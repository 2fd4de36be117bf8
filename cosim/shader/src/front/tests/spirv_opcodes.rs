//! Integer operations of SPIR-V are chosen by opcode: every one with every sign of its operands'
//! types and of its result's, against what Rust computes. Operands are values of run time, so that
//! nothing is a constant for the reader. Also control flow that readers have got wrong.

use super::spirv::{lowered, op, text, Asm, TYPE_BOOL, TYPE_FLOAT, TYPE_INT, TYPE_UINT};
use super::*;

/// Words that signed and unsigned readings tell apart; none is a divisor of 0.
const PAIRS: [(u32, u32); 8] = [
    (0xFFFF_FFF1, 3),
    (7, 0xFFFF_FFFE),
    (0x8000_0000, 5),
    (0xFFFF_FFFF, 1),
    (1, 31),
    (0x1234_5678, 0x8765_4321),
    (0xFFFF_FFF9, 0xFFFF_FFFD),
    (6, 6),
];

type Binary = fn(u32, u32) -> u32;

fn s(x: u32) -> i32 {
    x as i32
}

/// Number, what it is.
const INTEGER: [(u32, Binary); 15] = [
    (128, |a, b| a.wrapping_add(b)),
    (130, |a, b| a.wrapping_sub(b)),
    (132, |a, b| a.wrapping_mul(b)),
    (134, |a, b| a / b),
    (135, |a, b| s(a).wrapping_div(s(b)) as u32),
    (137, |a, b| a % b),
    (138, |a, b| s(a).wrapping_rem(s(b)) as u32),
    (139, |a, b| {
        let r = s(a).wrapping_rem(s(b));
        if r != 0 && (r ^ s(b)) < 0 {
            r.wrapping_add(s(b)) as u32
        } else {
            r as u32
        }
    }),
    (194, |a, b| a >> (b & 31)),
    (195, |a, b| (s(a) >> (b & 31)) as u32),
    (196, |a, b| a << (b & 31)),
    (197, |a, b| a | b),
    (198, |a, b| a ^ b),
    (199, |a, b| a & b),
    (205, |a, _| a.count_ones()),
];
const COMPARE: [(u32, Binary); 10] = [
    (170, |a, b| u32::from(a == b)),
    (171, |a, b| u32::from(a != b)),
    (172, |a, b| u32::from(a > b)),
    (173, |a, b| u32::from(s(a) > s(b))),
    (174, |a, b| u32::from(a >= b)),
    (175, |a, b| u32::from(s(a) >= s(b))),
    (176, |a, b| u32::from(a < b)),
    (177, |a, b| u32::from(s(a) < s(b))),
    (178, |a, b| u32::from(a <= b)),
    (179, |a, b| u32::from(s(a) <= s(b))),
];
/// Instructions of GLSL.std.450, and how many operands they have.
const EXTENDED: [(u32, usize, Binary); 9] = [
    (5, 1, |a, _| s(a).wrapping_abs() as u32),
    (7, 1, |a, _| s(a).signum() as u32),
    (38, 2, |a, b| a.min(b)),
    (39, 2, |a, b| s(a).min(s(b)) as u32),
    (41, 2, |a, b| a.max(b)),
    (42, 2, |a, b| s(a).max(s(b)) as u32),
    (73, 1, |a, _| if a == 0 { u32::MAX } else { a.trailing_zeros() }),
    (74, 1, |a, _| 31u32.wrapping_sub(if s(a) < 0 { !a } else { a }.leading_zeros())),
    (75, 1, |a, _| 31u32.wrapping_sub(a.leading_zeros())),
];

/// A program that stores one word for each row, and what the words must be.
struct Sweep {
    a: Asm,
    index: u32,
    zero: u32,
    /// GLSL.std.450.
    glsl: u32,
    expected: Vec<(String, u32)>,
}

impl Sweep {
    fn new() -> Sweep {
        let mut a = Asm::new(&[]);
        let glsl = a.id();
        a.capabilities.extend(op(11, &[vec![glsl], text("GLSL.std.450")].concat()));
        let index = a.input(29);
        let nought = a.uint(0);
        let zero = a.value(132, TYPE_UINT, &[index, nought]);
        Sweep { a, index, zero, glsl, expected: vec![] }
    }
    /// A word of run time as a value of a type.
    fn operand(&mut self, word: u32, ty: &[u32]) -> u32 {
        let constant = self.a.uint(word);
        let value = self.a.value(128, TYPE_UINT, &[constant, self.zero]);
        if ty == TYPE_UINT {
            value
        } else {
            self.a.value(124, ty, &[value])
        }
    }
    fn row(&mut self, name: String, value: u32, expected: u32) {
        self.a.store(self.index, value);
        self.expected.push((name, expected));
    }
    fn check(self) {
        let rows = self.a.stored as usize;
        let run = Run { lowered: lowered(&self.a.finish()), grid: [1; 3], buffers: vec![] }.zeros(4 * rows).go();
        let got = run.buffer(0);
        for (k, (name, want)) in self.expected.iter().enumerate() {
            assert_eq!(got[4 * k], *want, "{name}");
        }
    }
}

const SIGNS: [&[u32]; 2] = [TYPE_UINT, TYPE_INT];

#[test]
fn integer_operations_go_by_opcode() {
    for (x, y) in PAIRS {
        let mut w = Sweep::new();
        for (ta, tb) in SIGNS.iter().flat_map(|a| SIGNS.map(|b| (*a, b))) {
            let (a, b) = (w.operand(x, ta), w.operand(y, tb));
            for (code, what) in COMPARE {
                let value = w.a.value(code, TYPE_BOOL, &[a, b]);
                let value = w.a.bool_word(value);
                w.row(format!("{code} {ta:?} {x:#x} {tb:?} {y:#x}"), value, what(x, y));
            }
            for result in SIGNS {
                for (code, what) in INTEGER {
                    let operands = if code == 205 { vec![a] } else { vec![a, b] };
                    let value = w.a.value(code, result, &operands);
                    let value = w.a.bits(value);
                    w.row(format!("{code} {result:?}: {ta:?} {x:#x} {tb:?} {y:#x}"), value, what(x, y));
                }
                for (code, operands, what) in EXTENDED {
                    let glsl = w.glsl;
                    let value = w.a.value(12, result, &[&[glsl, code], &[a, b][..operands]].concat());
                    let value = w.a.bits(value);
                    w.row(format!("GLSL {code} {result:?}: {ta:?} {x:#x} {tb:?} {y:#x}"), value, what(x, y));
                }
            }
        }
        w.check();
    }
}

#[test]
fn conversions_negations_and_fields_go_by_opcode() {
    for (x, _) in PAIRS {
        let mut w = Sweep::new();
        let (offset, count) = (w.operand(4, TYPE_UINT), w.operand(9, TYPE_INT));
        for ty in SIGNS {
            let a = w.operand(x, ty);
            for (code, want) in [(111, (s(x) as f32).to_bits()), (112, (x as f32).to_bits())] {
                let value = w.a.value(code, TYPE_FLOAT, &[a]);
                let value = w.a.bits(value);
                w.row(format!("{code} of {ty:?} {x:#x}"), value, want);
            }
            let fields = [(202, (s(x) << 19 >> 23) as u32), (203, x << 19 >> 23)];
            for result in SIGNS {
                for (code, want) in fields {
                    let value = w.a.value(code, result, &[a, offset, count]);
                    let value = w.a.bits(value);
                    w.row(format!("{code} {result:?} of {ty:?} {x:#x}"), value, want);
                }
                let value = w.a.value(126, result, &[a]);
                let value = w.a.bits(value);
                w.row(format!("SNegate {result:?} of {ty:?} {x:#x}"), value, x.wrapping_neg());
                // From a float: -3.5 and 3e9.
                for (float, signed, unsigned) in [(-3.5f32, -3i32 as u32, 0), (3e9, i32::MAX as u32, 3_000_000_000)] {
                    let f = w.operand(float.to_bits(), TYPE_FLOAT);
                    for (code, want) in [(110, signed), (109, unsigned)] {
                        let value = w.a.value(code, result, &[f]);
                        let value = w.a.bits(value);
                        w.row(format!("{code} {result:?} of {float}"), value, want);
                    }
                }
            }
        }
        w.check();
    }
}

/// Comparisons of floats: the number, and whether it is true of less, equal, greater and unordered.
const FLOAT_COMPARE: [(u32, [bool; 4]); 12] = [
    (180, [false, true, false, false]),
    (181, [false, true, false, true]),
    (182, [true, false, true, false]),
    (183, [true, false, true, true]),
    (184, [true, false, false, false]),
    (185, [true, false, false, true]),
    (186, [false, false, true, false]),
    (187, [false, false, true, true]),
    (188, [true, true, false, false]),
    (189, [true, true, false, true]),
    (190, [false, true, true, false]),
    (191, [false, true, true, true]),
];

const FLOATS: [f32; 8] = [0.0, -0.0, 1.5, -2.25, 7.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];

/// NaN, infinities and zeros of both signs under every opcode that tells them apart.
#[test]
fn float_operations_treat_nan_as_their_opcodes_say() {
    for x in FLOATS {
        let mut w = Sweep::new();
        let glsl = w.glsl;
        let a = w.operand(x.to_bits(), TYPE_FLOAT);
        for (code, want) in [(156, x.is_nan()), (157, x.is_infinite())] {
            let value = w.a.value(code, TYPE_BOOL, &[a]);
            let value = w.a.bool_word(value);
            w.row(format!("{code} {x}"), value, u32::from(want));
        }
        for y in FLOATS {
            let b = w.operand(y.to_bits(), TYPE_FLOAT);
            let order = x.partial_cmp(&y).map_or(3, |o| (o as i8 + 1) as usize);
            for (code, truth) in FLOAT_COMPARE {
                let value = w.a.value(code, TYPE_BOOL, &[a, b]);
                let value = w.a.bool_word(value);
                w.row(format!("{code} {x} {y}"), value, u32::from(truth[order]));
            }
            // FMin and FMax may give either operand if one is a NaN; NMin and NMax the number.
            // Zeros of two signs may come out either way.
            let zeros = x == 0.0 && y == 0.0;
            for (code, want) in [(37, x.min(y)), (79, x.min(y)), (40, x.max(y)), (80, x.max(y))] {
                if !zeros && !want.is_nan() && !(code < 79 && (x.is_nan() || y.is_nan())) {
                    let value = w.a.value(12, TYPE_FLOAT, &[glsl, code, a, b]);
                    let value = w.a.bits(value);
                    w.row(format!("GLSL {code} {x} {y}"), value, want.to_bits());
                }
            }
            // The remainder has the sign of the first operand (FRem) or of the second (FMod).
            let rem = x - y * (x / y).trunc();
            let modulo = x - y * (x / y).floor();
            for (code, want) in [(140, rem), (141, modulo)] {
                let value = w.a.value(code, TYPE_FLOAT, &[a, b]);
                let number = w.a.value(156, TYPE_BOOL, &[value]);
                let number = w.a.bool_word(number);
                w.row(format!("{code} {x} {y} is NaN"), number, u32::from(want.is_nan()));
                let equal = w.operand(want.to_bits(), TYPE_FLOAT);
                let equal = w.a.value(180, TYPE_BOOL, &[value, equal]);
                let equal = w.a.bool_word(equal);
                w.row(format!("{code} {x} {y}"), equal, u32::from(!want.is_nan()));
            }
        }
        w.check();
    }
}

/// A loop with a switch in it, of which one case branches to the loop's merge block.
#[test]
fn a_branch_from_a_switch_to_the_loops_merge_leaves_the_loop() {
    let mut a = Asm::new(&[]);
    let index = a.input(29);
    let (zero, one, two) = (a.uint(0), a.uint(1), a.uint(2));
    let [before, header, body, case0, case1, case2, exit, next, merge] = std::array::from_fn(|_| a.id());
    let (turn, sum, later, more) = (a.id(), a.id(), a.id(), a.id());
    let uint = a.global(TYPE_UINT);
    a.body.extend([op(249, &[before]), op(248, &[before]), op(249, &[header]), op(248, &[header])].concat());
    a.body.extend(op(245, &[uint, turn, zero, before, later, next]));
    a.body.extend(op(245, &[uint, sum, zero, before, more, next]));
    a.body.extend([op(246, &[merge, next, 0]), op(249, &[body]), op(248, &[body])].concat());
    a.body.extend([op(247, &[exit, 0]), op(251, &[turn, case0, 1, case1, 2, case2])].concat());
    a.body.extend([op(248, &[case0]), op(249, &[exit])].concat());
    a.body.extend([op(248, &[case1]), op(249, &[next])].concat());
    // Out of the loop, not only of the switch.
    a.body.extend([op(248, &[case2]), op(249, &[merge])].concat());
    a.body.extend([op(248, &[exit]), op(249, &[next]), op(248, &[next])].concat());
    a.body.extend(op(245, &[uint, more, one, exit, two, case1]));
    a.body.extend([op(128, &[uint, later, turn, one]), op(249, &[header]), op(248, &[merge])].concat());
    a.store(index, sum);
    a.store(index, turn);
    let run = Run { lowered: lowered(&a.finish()), grid: [1; 3], buffers: vec![] }.zeros(8).go();
    assert_eq!((run.buffer(0)[0], run.buffer(0)[4]), (2, 2));
}

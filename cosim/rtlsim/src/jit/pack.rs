//! Cranelift code of operations on packs: four values of up to 32 bits in one vector. A value of 1
//! bit is a mask (all ones or zero) in a register and 0 or 1 in memory; wider ones are
//! zero-extended to 32 bits, as scalars are. Only operations that `plan/packs.rs` takes are here.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I32X4};
use cranelift_codegen::ir::{ConstantData, InstBuilder, Value};
use cranelift_frontend::FunctionBuilder;

use crate::graph::Op;

/// An argument: the vector, its width and, for the amount of a shift, the constant.
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    pub value: Value,
    pub width: u32,
}

/// A constant vector.
pub fn constant(b: &mut FunctionBuilder, lanes: [u32; 4]) -> Value {
    let bytes: Vec<u8> = lanes.iter().flat_map(|l| l.to_le_bytes()).collect();
    let handle = b.func.dfg.constants.insert(ConstantData::from(bytes));
    b.ins().vconst(I32X4, handle)
}

fn low(width: u32) -> u32 {
    u32::MAX >> (32 - width)
}

fn trim(b: &mut FunctionBuilder, v: Value, width: u32) -> Value {
    if width == 32 {
        return v;
    }
    let mask = constant(b, [low(width); 4]);
    b.ins().band(v, mask)
}

fn shl(b: &mut FunctionBuilder, v: Value, by: u32) -> Value {
    if by == 0 {
        return v;
    }
    let by = b.ins().iconst(I32, i64::from(by));
    b.ins().ishl(v, by)
}

fn shr(b: &mut FunctionBuilder, v: Value, by: u32) -> Value {
    if by == 0 {
        return v;
    }
    let by = b.ins().iconst(I32, i64::from(by));
    b.ins().ushr(v, by)
}

fn sar(b: &mut FunctionBuilder, v: Value, by: u32) -> Value {
    if by == 0 {
        return v;
    }
    let by = b.ins().iconst(I32, i64::from(by));
    b.ins().sshr(v, by)
}

/// A mask from numbers of which bit 0 counts.
pub fn mask_of_bit(b: &mut FunctionBuilder, v: Value) -> Value {
    let top = shl(b, v, 31);
    sar(b, top, 31)
}

/// 0 or 1 from a mask.
pub fn bit_of_mask(b: &mut FunctionBuilder, v: Value) -> Value {
    let one = constant(b, [1; 4]);
    b.ins().band(v, one)
}

/// The number that an argument is: masks become 0 or 1.
fn number(b: &mut FunctionBuilder, a: &Lanes) -> Value {
    if a.width == 1 {
        bit_of_mask(b, a.value)
    } else {
        a.value
    }
}

/// An operation on packs; `amount` is the constant of a shift.
pub fn operation(b: &mut FunctionBuilder, op: &Op, width: u32, args: &[Lanes], amount: u32) -> Value {
    let a = args[0].value;
    let c = args.get(1).map_or(a, |x| x.value);
    let w0 = args[0].width;
    match op {
        Op::And => b.ins().band(a, c),
        Op::Or => b.ins().bor(a, c),
        Op::Xor => b.ins().bxor(a, c),
        Op::Not => {
            let ones = constant(b, [if width == 1 { u32::MAX } else { low(width) }; 4]);
            b.ins().bxor(a, ones)
        }
        Op::Add => {
            let v = b.ins().iadd(a, c);
            trim(b, v, width)
        }
        Op::Sub => {
            let v = b.ins().isub(a, c);
            trim(b, v, width)
        }
        Op::Neg => {
            let zero = constant(b, [0; 4]);
            let v = b.ins().isub(zero, a);
            trim(b, v, width)
        }
        Op::Mul => {
            let v = b.ins().imul(a, c);
            trim(b, v, width)
        }
        Op::Eq => b.ins().icmp(IntCC::Equal, a, c),
        Op::Ne => {
            if w0 == 1 {
                b.ins().bxor(a, c)
            } else {
                let same = b.ins().icmp(IntCC::Equal, a, c);
                b.ins().bnot(same)
            }
        }
        Op::LtU => {
            // Not (a >= c).
            let v = b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, a, c);
            b.ins().bnot(v)
        }
        Op::LeU => b.ins().icmp(IntCC::UnsignedLessThanOrEqual, a, c),
        Op::LtS | Op::LeS => {
            let (x, y) = (shl(b, a, 32 - w0), shl(b, c, 32 - w0));
            if *op == Op::LtS {
                b.ins().icmp(IntCC::SignedLessThan, x, y)
            } else {
                let v = b.ins().icmp(IntCC::SignedLessThan, y, x);
                b.ins().bnot(v)
            }
        }
        Op::Mux => b.ins().bitselect(a, c, args[2].value),
        Op::Slice(lo) => {
            if w0 == 1 {
                return a;
            }
            if width == 1 {
                let top = shl(b, a, 31 - lo);
                return sar(b, top, 31);
            }
            let v = shr(b, a, *lo);
            if lo + width < w0 {
                trim(b, v, width)
            } else {
                v
            }
        }
        Op::ZExt => {
            if width == 1 {
                a
            } else {
                number(b, &args[0])
            }
        }
        Op::SExt => {
            if w0 == 1 {
                return if width == 1 { a } else { trim(b, a, width) };
            }
            let up = shl(b, a, 32 - w0);
            let v = sar(b, up, 32 - w0);
            trim(b, v, width)
        }
        Op::Concat => {
            if args.len() == 1 {
                return a;
            }
            let mut at = 0;
            let mut out: Option<Value> = None;
            for arg in args.iter().rev() {
                let part = number(b, arg);
                let part = shl(b, part, at);
                at += arg.width;
                out = Some(match out {
                    None => part,
                    Some(o) => b.ins().bor(part, o),
                });
            }
            out.unwrap_or(a)
        }
        Op::Shl => {
            if amount >= width {
                return constant(b, [0; 4]);
            }
            let v = shl(b, a, amount);
            trim(b, v, width)
        }
        Op::Shr => {
            if amount >= width {
                return constant(b, [0; 4]);
            }
            shr(b, a, amount)
        }
        Op::Sar => {
            let up = shl(b, a, 32 - w0);
            let v = sar(b, up, (32 - w0 + amount).min(31));
            trim(b, v, width)
        }
        // The planner takes no other operation into a pack.
        _ => a,
    }
}

//! What constant folding and its rules know about values: the operation that defines each.
//!
//! A fact holds for every run of the program, because a value has one definition. What is wrong
//! here makes a rule of `algebra` fire where it may not.

use crate::ops::float::NAN;
use crate::ops::predicate::{is_compare, rounds_to_integral};
use crate::ssa::{Func, Inst, Kind, Value};
use quadlock_isa::Op;

/// What is known about values: the defining operation of those that have a pure one.
pub(crate) struct Facts {
    kinds: Vec<Option<Kind>>,
}

impl Facts {
    pub fn new(func: &Func) -> Facts {
        let mut facts = Facts { kinds: vec![None; func.values as usize] };
        for inst in func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts) {
            facts.learn(inst);
        }
        facts
    }
    /// Room for one more value.
    pub fn grow(&mut self) {
        self.kinds.push(None);
    }
    pub fn learn(&mut self, inst: &Inst) {
        if let (Kind::Const(_) | Kind::ConstWord(_) | Kind::Alu(..), Some(r)) = (&inst.kind, inst.results.first()) {
            self.kinds[r.index()] = Some(inst.kind.clone());
        }
    }
    pub fn constant(&self, v: Value) -> Option<u32> {
        match self.kinds[v.index()] {
            Some(Kind::Const(c)) => Some(c),
            _ => None,
        }
    }
    /// Whether the value is a constant-bank word.
    pub fn word(&self, v: Value) -> bool {
        matches!(self.kinds[v.index()], Some(Kind::ConstWord(_)))
    }
    /// Operation and operands of an ALU value.
    pub fn alu(&self, v: Value) -> Option<(Op, &[Value])> {
        match &self.kinds[v.index()] {
            Some(Kind::Alu(op, args)) => Some((*op, args)),
            _ => None,
        }
    }
    /// Whether the value is always 0 or 1.
    pub fn boolean(&self, v: Value) -> bool {
        self.boolean_within(v, 4)
    }
    fn boolean_within(&self, v: Value, depth: u32) -> bool {
        match &self.kinds[v.index()] {
            Some(Kind::Const(c)) => *c < 2,
            Some(Kind::Alu(op, args)) if depth > 0 => match op {
                Op::And => args.iter().any(|a| self.boolean_within(*a, depth - 1)),
                Op::Or | Op::Xor | Op::UMin | Op::UMax => args.iter().all(|a| self.boolean_within(*a, depth - 1)),
                Op::Sel => args[..2].iter().all(|a| self.boolean_within(*a, depth - 1)),
                op => is_compare(*op),
            },
            _ => false,
        }
    }
    /// The bits that may be set in the value; all others are always clear.
    pub fn possible_bits(&self, v: Value) -> u32 {
        self.bits_within(v, 6)
    }
    fn bits_within(&self, v: Value, depth: u32) -> u32 {
        let (op, args) = match &self.kinds[v.index()] {
            Some(Kind::Const(c)) => return *c,
            Some(Kind::Alu(op, args)) if depth > 0 => (*op, args),
            _ => return u32::MAX,
        };
        let bits = |n: usize| self.bits_within(args[n], depth - 1);
        let constant = |n: usize| self.constant(args[n]);
        let found = match (op, args.len()) {
            (Op::And, _) => bits(0) & bits(1),
            (Op::Or | Op::Xor, _) => bits(0) | bits(1),
            (Op::Sel, _) => bits(0) | bits(1),
            (Op::Shl, _) => constant(1).map_or(u32::MAX, |k| bits(0) << (k & 31)),
            (Op::Shr, _) => constant(1).map_or(u32::MAX, |k| bits(0) >> (k & 31)),
            (Op::UBfe, _) => {
                constant(1).map_or(u32::MAX, |c| 1u32.checked_shl(c >> 8 & 63).map_or(u32::MAX, |n| n - 1))
            }
            (Op::IMad, _) => match constant(1).filter(|c| c.is_power_of_two()) {
                // No bit is carried where the summands have none in common.
                Some(scale) => match (bits(0).wrapping_mul(scale), bits(2)) {
                    (a, c) if a & c == 0 => a | c,
                    _ => u32::MAX,
                },
                None => u32::MAX,
            },
            _ => u32::MAX,
        };
        // A largest result has no bit above its own highest.
        found & (u32::MAX.checked_shr(op.row().greatest.leading_zeros()).unwrap_or(0))
    }
    /// Whether the value, read as f32, is a number or the NaN of arithmetic.
    pub fn canonical(&self, v: Value) -> bool {
        match &self.kinds[v.index()] {
            Some(Kind::Const(c)) => !f32::from_bits(*c).is_nan() || *c == NAN,
            Some(Kind::Alu(op, _)) => {
                use Op::*;
                matches!(op, FAdd | FSub | FMul | FFma | FNma | FMin | FMax | I2F | U2F | Ddx | Ddy)
                    || matches!(op, FDiv | FSqrt | FRcp | FRsq | FExp2 | FLog2 | FSin | FCos | FFract)
                    || matches!(op, UpkF16 | UN2F8 | UN2F16 | SN2F8 | SN2F16)
                    || rounds_to_integral(*op)
            }
            _ => false,
        }
    }
}

//! Inputs of a fragment program become the machine's instructions: the weights of the triangle's
//! corners at a place of the pixel, and the sum of the corners' words with them.
//!
//! Until then an input is one instruction, [`Kind::Input`], so that linking can put a constant in
//! its place, or forget it, and no weight is left behind (LP-15). The order of the operations is
//! that of docs/graphics.md, "Numbers"; every one is exact, because the page fixes their roundings.
//! Weights are computed once in a block; value numbering joins those of different blocks. It can be
//! wrong in an order that the page does not have: images of another renderer and the golden model
//! show it.
//!
//! The machine has no instruction for an input, so the step cannot be left out. What `skip=inputs`
//! leaves out is the sharing: each input computes its own weights, with the same words.

use std::collections::BTreeMap;

use super::Options;
use crate::fault::CompilerFault;
use crate::ssa::{Func, How, Inst, Kind, Loc, Role, Value};
use quadlock_isa::Op;

/// Its name for `skip`.
pub const NAME: &str = "inputs";
/// Of the varyings' words the one that holds 1 / w.
const RECIPROCALS: u32 = 63;
/// Word of the position whose reciprocal is an input.
const W: u32 = 3;

/// Does it to a function; whether anything changed.
pub fn run(func: &mut Func, options: &Options) -> bool {
    let mut changed = false;
    for b in func.layout.clone() {
        let old = std::mem::take(&mut func.blocks[b.index()].insts);
        let mut e = Expander {
            func,
            out: Vec::with_capacity(old.len()),
            loc: Loc::default(),
            weights: BTreeMap::new(),
            reciprocals: None,
            shares: !options.skip.iter().any(|s| s == NAME),
            fault: options.fault,
        };
        for inst in old {
            let Kind::Input { word, how } = inst.kind else {
                e.out.push(inst);
                continue;
            };
            changed = true;
            e.loc = inst.loc.with(Role::Interpolation);
            e.input(word, how, inst.results[0]);
        }
        let out = e.out;
        func.blocks[b.index()].insts = out;
    }
    changed
}

/// Weights of a triangle's corners at a place of the pixel.
#[derive(Clone, Copy)]
struct Weights {
    corners: [Value; 3],
    sum: Value,
}

struct Expander<'a> {
    func: &'a mut Func,
    out: Vec<Inst>,
    loc: Loc,
    /// By place and whether it is in perspective.
    weights: BTreeMap<(u32, bool), Weights>,
    reciprocals: Option<[Value; 4]>,
    /// Inputs of a block share weights and reciprocals.
    shares: bool,
    fault: Option<CompilerFault>,
}

impl Expander<'_> {
    fn into(&mut self, kind: Kind, results: Vec<Value>) {
        self.out.push(Inst { exact: true, kind, results, loc: self.loc });
    }
    fn push(&mut self, kind: Kind) -> Value {
        let v = self.func.new_value();
        self.into(kind, vec![v]);
        v
    }
    fn fetch<const N: usize>(&mut self, op: Op, number: u32) -> [Value; N] {
        let results = [(); N].map(|()| self.func.new_value());
        self.into(Kind::Fetch { op, number }, results.to_vec());
        results
    }
    fn alu(&mut self, op: Op, args: &[Value]) -> Value {
        self.push(Kind::Alu(op, args.to_vec()))
    }

    fn input(&mut self, word: u32, how: How, result: Value) {
        let (place, perspective) = match how {
            How::Flat => return self.into(Kind::Fetch { op: Op::AttrFlat, number: word }, vec![result]),
            How::Perspective(place) => (place, true),
            How::Linear(place) => (place, self.fault == Some(CompilerFault::VaryingLinear)),
        };
        let Weights { corners: [l0, l1, l2], sum } = self.weights(place, perspective);
        if word == W {
            let inverse = self.reciprocals()[3];
            return self.into(Kind::Alu(Op::FMul, vec![sum, inverse]), vec![result]);
        }
        let v: [Value; 4] = self.fetch(Op::Attr, word);
        let third = if self.fault == Some(CompilerFault::VaryingCorner) { v[1] } else { v[2] };
        let last = self.alu(Op::FMul, &[l2, third]);
        let both = self.alu(Op::FFma, &[l1, v[1], last]);
        let all = self.alu(Op::FFma, &[l0, v[0], both]);
        // Corners with the same word need no sum.
        self.into(Kind::Alu(Op::Sel, vec![v[0], all, v[3]]), vec![result]);
    }

    fn reciprocals(&mut self) -> [Value; 4] {
        match self.reciprocals.filter(|_| self.shares) {
            Some(known) => known,
            None => *self.reciprocals.insert({
                let results = [(); 4].map(|()| self.func.new_value());
                self.out.push(Inst {
                    exact: true,
                    kind: Kind::Fetch { op: Op::Attr, number: RECIPROCALS },
                    results: results.to_vec(),
                    loc: self.loc,
                });
                results
            }),
        }
    }

    fn weights(&mut self, place: u32, perspective: bool) -> Weights {
        if let Some(&known) = self.weights.get(&(place, perspective)).filter(|_| self.shares) {
            return known;
        }
        let e: [Value; 3] = self.fetch(Op::Bary, place);
        let q = match perspective {
            true => {
                let r = self.reciprocals();
                [0, 1, 2].map(|i: usize| self.alu(Op::FMul, &[e[i], r[i]]))
            }
            false => e,
        };
        let two = self.alu(Op::FAdd, &[q[0], q[1]]);
        let sum = self.alu(Op::FAdd, &[two, q[2]]);
        let one = self.push(Kind::Const(1f32.to_bits()));
        let r = self.alu(Op::FDiv, &[one, sum]);
        let corners = [0, 1, 2].map(|i: usize| self.alu(Op::FMul, &[q[i], r]));
        let weights = Weights { corners, sum };
        self.weights.insert((place, perspective), weights);
        weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three inputs at one place, one of them w, and one at another place.
    fn instructions(skip: &[&str]) -> (usize, usize) {
        let mut f = Func { name: "f".into(), ..Func::default() };
        let b = f.new_block();
        let ways = [(4, How::Perspective(0)), (5, How::Perspective(0)), (W, How::Perspective(0)), (6, How::Linear(1))];
        for (n, (word, how)) in (0..).zip(ways) {
            let value = f.push(b, Kind::Input { word, how }, 1, Loc::default())[0];
            f.push(b, Kind::Output { word: n, value }, 0, Loc::default());
        }
        f.push(b, Kind::Return(vec![]), 0, Loc::default());
        let options = Options { skip: skip.iter().map(|&s| s.to_owned()).collect(), ..Options::default() };
        assert!(run(&mut f, &options) && !run(&mut f, &options));
        crate::ssa::verify::verify(&f).unwrap();
        let insts = &f.blocks[b.index()].insts;
        let weights = insts.iter().filter(|i| matches!(i.kind, Kind::Fetch { op: Op::Bary, .. })).count();
        (weights, insts.iter().filter(|i| matches!(i.kind, Kind::Alu(Op::FDiv, _))).count())
    }

    #[test]
    fn inputs_of_one_place_share_weights_unless_that_is_left_out() {
        assert_eq!(instructions(&[]), (2, 2));
        assert_eq!(instructions(&[NAME]), (4, 4));
    }
}

//! Optimisation passes: one file each, beginning with its theory and ending with its tests.
//! `pipeline` says in which order they run.

pub(crate) mod algebra;
pub mod cfg;
pub mod const_fold;
pub mod copy_prop;
pub mod cse;
pub mod dce;
pub mod dead_loops;
pub mod dead_stores;
pub mod divergence;
pub mod early;
#[cfg(test)]
mod early_tests;
mod facts;
pub mod freeze;
pub mod fuse;
pub mod gvn;
pub mod inline;
pub mod inputs;
pub mod licm;
pub mod mem2reg;
mod numbers;
pub mod own_lock;
pub mod pipeline;
pub mod pre;
mod pressure;
pub mod range;
pub mod slot_fold;
pub mod strength;
pub mod unroll;
#[cfg(test)]
mod validation;
pub mod warp_aggregate;

use crate::fault::CompilerFault;
use crate::ssa::{Block, Func, Kind, Value};

/// What a run of passes may be told.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// A planted fault.
    pub fault: Option<CompilerFault>,
    /// Names of passes that are left out. Without `inline` and `mem2reg` the back end may refuse
    /// the program.
    pub skip: Vec<String>,
    /// Invocations of a work group along x, y, z, if known: bounds of the local invocation number.
    pub group_size: Option<[u32; 3]>,
    /// Atomics that all active lanes do on one word may be done once for the warp.
    pub warp_wide: bool,
    /// The machine gives lanes that come late to a warp-wide atomic its kept result (WW-27).
    pub late_stored: bool,
    /// Helper lanes may be active, as in a fragment program. A warp-wide atomic would take their
    /// operands in.
    pub helper_lanes: bool,
    /// Every operation is rounded as it stands: nothing is fused (LP-18).
    pub exact: bool,
    /// Registers per lane, if not all of the machine's.
    pub registers: Option<usize>,
    /// The program is one of vertices: what its position depends on is decided first (HZ-36).
    pub freeze_position: bool,
}

/// A pass over one function: true if it changed anything.
pub type Pass = fn(&mut Func, &Options) -> bool;

/// Where the values of a function are defined: the instruction, `None` for block parameters and
/// deleted values. Indexed by value.
pub(crate) struct Defs<'a> {
    kinds: Vec<Option<&'a Kind>>,
}

impl<'a> Defs<'a> {
    pub fn new(func: &'a Func) -> Defs<'a> {
        let mut kinds = vec![None; func.values as usize];
        for inst in func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts) {
            inst.results.iter().for_each(|r| kinds[r.index()] = Some(&inst.kind));
        }
        Defs { kinds }
    }
    pub fn kind(&self, v: Value) -> Option<&'a Kind> {
        self.kinds[v.index()]
    }
    pub fn constant(&self, v: Value) -> Option<u32> {
        match self.kind(v) {
            Some(Kind::Const(c)) => Some(*c),
            _ => None,
        }
    }
}

/// Block of each definition, indexed by value; `None` for values that no longer exist.
pub(crate) fn def_blocks(func: &Func) -> Vec<Option<Block>> {
    let mut out = vec![None; func.values as usize];
    for &b in &func.layout {
        let data = &func.blocks[b.index()];
        data.params.iter().chain(data.insts.iter().flat_map(|i| &i.results)).for_each(|v| out[v.index()] = Some(b));
    }
    out
}

/// How often each value is read, in blocks of the layout.
pub(crate) fn use_counts(func: &Func) -> Vec<u32> {
    let mut out = vec![0; func.values as usize];
    for inst in func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts) {
        inst.kind.uses().iter().for_each(|v| out[v.index()] += 1);
    }
    out
}

/// Makes exact the operations whose results are these: each now stands for one that was (LP-18).
pub(crate) fn keep_exact(func: &mut Func, values: &[Value]) {
    if values.is_empty() {
        return;
    }
    let mut exact = vec![false; func.values as usize];
    values.iter().for_each(|v| exact[v.index()] = true);
    for b in func.layout.clone() {
        for inst in &mut func.blocks[b.index()].insts {
            inst.exact |= inst.results.iter().any(|r| exact[r.index()]);
        }
    }
}

/// A set of replacements `value -> value`, applied all at once; chains are followed.
#[derive(Default)]
pub(crate) struct Replace {
    to: std::collections::HashMap<Value, Value>,
}

impl Replace {
    pub fn add(&mut self, from: Value, to: Value) {
        let to = self.get(to);
        if from != to {
            self.to.insert(from, to);
        }
    }
    pub fn get(&self, mut v: Value) -> Value {
        while let Some(&t) = self.to.get(&v) {
            v = t;
        }
        v
    }
    pub fn is_empty(&self) -> bool {
        self.to.is_empty()
    }
    /// Rewrites every use in the function.
    pub fn apply(&self, func: &mut Func) {
        if self.is_empty() {
            return;
        }
        for b in func.layout.clone() {
            for inst in &mut func.blocks[b.index()].insts {
                inst.kind.map_uses(&mut |v| self.get(v));
            }
        }
    }
}

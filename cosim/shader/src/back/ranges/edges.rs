//! Code on the way from one block to the next: what is in registers and in memory is made alike.
//!
//! A value that the next block has in a register and this one has not is loaded; one that the next
//! block expects in memory and that is not there yet is stored. Parameters without a register are
//! written to their stack words. Wrong would be a value that is nowhere: then there is no code, and
//! the splitter gives up.

use super::super::mir::{MFunc, Operand, VReg};
use super::super::spill::Cheap;
use super::walk::Plan;

/// What runs on an edge, in this order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edge {
    pub stores: Vec<VReg>,
    /// Parameters that live in memory, and what they become.
    pub to_memory: Vec<(VReg, Operand)>,
    pub reloads: Vec<VReg>,
    /// The copies that are left.
    pub copies: Vec<(VReg, Operand)>,
}

/// The code from block `p` to block `t`.
pub fn between(f: &MFunc, plan: &Plan, cheap: &Cheap, p: usize, t: usize) -> Option<Edge> {
    let (end, start) = (&plan.end[p], &plan.start[t]);
    let copies = &f.blocks[p].copies;
    let is_pinned = |v: usize| plan.pinned.is_some_and(|p| p.index() == v);
    let mut edge = Edge::default();
    for v in plan.live_in[t].iter().filter(|&v| !is_pinned(v) && !copies.iter().any(|c| c.0.index() == v)) {
        let (has, wants) = (end.registers.contains(v), start.registers.contains(v));
        let in_memory = end.memory.contains(v) || plan.cheap.contains(v);
        if !has && !in_memory {
            return None;
        }
        if start.memory.contains(v) && !in_memory {
            edge.stores.push(VReg(v as u32));
        }
        if wants && !has {
            edge.reloads.push(VReg(v as u32));
        }
    }
    for &(d, s) in copies.iter().filter(|c| plan.live_in[t].contains(c.0.index())) {
        let absent = s.reg().filter(|r| !is_pinned(r.index()) && !end.registers.contains(r.index()));
        if absent.is_some_and(|r| !end.memory.contains(r.index()) && !plan.cheap.contains(r.index())) {
            return None;
        }
        if !start.registers.contains(d.index()) {
            edge.to_memory.push((d, s));
            continue;
        }
        // A constant is copied as such.
        let again = absent.and_then(|r| cheap.get(&r)).map(|m| m.b).filter(|b| *b != Operand::None);
        if let (Some(r), None) = (absent, again) {
            if !edge.reloads.contains(&r) {
                edge.reloads.push(r);
            }
        }
        edge.copies.push((d, again.unwrap_or(s)));
    }
    Some(edge)
}

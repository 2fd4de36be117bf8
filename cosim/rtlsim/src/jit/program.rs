//! What machine code needs beside itself at run time: where the host finds inputs, signals,
//! registers and memories in the state. Made from a plan, which is not needed any more then, and
//! kept on disk with the code. A wrong place shows as a wrong value of one signal; the comparisons
//! with the interpreter read all of them.

use serde::{Deserialize, Serialize};

use super::code::Code;
use crate::error::internal;
use crate::graph::{Edge, NodeId, Op, SignalId, Value};
use crate::plan::{Kind, Offset, Plan};
use crate::Error;

/// Places in the state.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Program {
    /// Of the whole state.
    pub bytes: u32,
    /// Dirty bits of regions, then change bits of observed values: 64-bit words.
    pub dirty: Offset,
    pub dirty_words: u32,
    pub region_words: u32,
    /// Not 0 if a signal of an asynchronous edge may have changed.
    pub trigger: Option<Offset>,
    /// How often each region was evaluated (32 bits each), if it is counted.
    pub counters: Offset,
    pub counts: bool,
    /// By cluster: its region.
    pub region_of: Vec<u32>,
    pub domains: Vec<Edge>,
    pub asynchronous: Vec<bool>,
    /// By domain: where the level of its signal is.
    pub levels: Vec<Level>,
    pub inputs: Vec<InputSlot>,
    /// By signal.
    pub signals: Vec<SignalSlot>,
    pub registers: Vec<RegisterSlots>,
    pub memories: Vec<MemoryPlace>,
    /// By node of the graph that was planned: where its value is kept, if it is.
    pub nodes: Vec<Option<Offset>>,
    /// Observed signals, in the order of their change bits.
    pub observed: Vec<SignalId>,
    pub figures: Figures,
}

/// Where the level of a clock or asynchronous signal is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) enum Level {
    At(Offset),
    Constant(bool),
}

/// Where an input is and what a change of it marks.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct InputSlot {
    pub slot: Offset,
    pub width: u32,
    pub marks: Vec<(u32, u64)>,
}

/// Where a signal's value is, if it is kept.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct SignalSlot {
    pub slot: Option<Offset>,
    pub width: u32,
}

/// Where a register's current and next values are, if they are kept.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct RegisterSlots {
    pub current: Option<Offset>,
    pub next: Option<Offset>,
    pub width: u32,
}

/// Where the words of a memory are.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct MemoryPlace {
    pub base: Offset,
    pub width: u32,
    pub depth: u32,
}

/// What the statistics say of the plan.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Figures {
    pub regions: u32,
    pub items: u32,
    pub packs: u32,
    pub code_bytes: u64,
}

impl Program {
    /// That of a plan whose code has so many bytes.
    pub fn new(code: &Code, code_bytes: usize) -> Result<Self, Error> {
        let plan = code.plan;
        let inputs = plan.graph.inputs.iter().map(|input| {
            let item = plan.item_of[input.node.index()];
            let slot = item.and_then(|item| plan.items[item].slot);
            let slot = slot.ok_or_else(|| internal(format!("input {} has no place", input.name)))?;
            Ok(InputSlot { slot, width: input.width, marks: item.map_or_else(Vec::new, |item| code.marks(item)) })
        });
        let inputs = inputs.collect::<Result<_, Error>>()?;
        let registers = registers(plan);
        let nodes = (0..plan.graph.nodes.len()).map(|n| slot_of(plan, &registers, NodeId(n as u32)));
        let nodes: Vec<Option<Offset>> = nodes.collect();
        let signals = plan.graph.signals.iter().map(|s| {
            let slot = if let Value::Node(n) = s.value { nodes[n.index()] } else { None };
            SignalSlot { slot, width: s.width }
        });
        let memories = plan.graph.memories.iter().zip(&plan.layout.memories);
        let layout = &plan.layout;
        Ok(Self {
            bytes: layout.bytes,
            dirty: layout.dirty,
            dirty_words: layout.dirty_words,
            region_words: layout.region_words,
            trigger: layout.trigger,
            counters: layout.counters,
            counts: code.options.count,
            region_of: region_of(plan),
            domains: plan.domains.clone(),
            asynchronous: plan.asynchronous.clone(),
            levels: levels(plan, &nodes)?,
            inputs,
            signals: signals.collect(),
            registers,
            memories: memories.map(|(m, &base)| MemoryPlace { base, width: m.width, depth: m.depth }).collect(),
            nodes,
            observed: plan.observed.clone(),
            figures: Figures {
                regions: plan.regions.len() as u32,
                items: plan.items.len() as u32,
                packs: plan.items.iter().filter(|i| matches!(i.kind, Kind::Pack(_))).count() as u32,
                code_bytes: code_bytes as u64,
            },
        })
    }
}

fn registers(plan: &Plan) -> Vec<RegisterSlots> {
    let slots = plan.graph.registers.iter().zip(&plan.next_slots);
    let mut registers: Vec<RegisterSlots> =
        slots.map(|(r, &next)| RegisterSlots { current: None, next, width: r.width }).collect();
    for item in plan.items.iter() {
        for (k, r) in (0..).zip(item.kind.registers()) {
            registers[r.index()].current = item.slot.map(|slot| slot + 4 * k);
        }
    }
    registers
}

fn region_of(plan: &Plan) -> Vec<u32> {
    let mut of = vec![0; plan.clusters.len()];
    for (r, region) in plan.regions.entries() {
        for &c in &region.clusters {
            of[c.index()] = r.number();
        }
    }
    of
}

/// Where the levels of all domains are.
fn levels(plan: &Plan, nodes: &[Option<Offset>]) -> Result<Vec<Level>, Error> {
    let level = |d: &Edge| match plan.graph.as_const(d.clock) {
        Some(v) => Ok(Level::Constant(!v.is_zero())),
        None => match nodes[d.clock.index()] {
            Some(slot) => Ok(Level::At(slot)),
            None => Err(internal("a clock has no place")),
        },
    };
    plan.domains.iter().map(level).collect()
}

/// Where the value of a node is kept, if it is.
fn slot_of(plan: &Plan, registers: &[RegisterSlots], node: NodeId) -> Option<Offset> {
    if let Op::Reg(r) = plan.graph.node(node).op {
        return registers[r.index()].current;
    }
    match plan.item_of[node.index()] {
        None => plan.layout.constants.get(&node).copied(),
        Some(item) => plan.items[item].slot.map(|slot| slot + 4 * u32::from(plan.lane_of[node.index()].unwrap_or(0))),
    }
}

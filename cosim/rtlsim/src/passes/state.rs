//! State that nothing shows: registers and memories that no output needs, directly or through other
//! state, are removed; so are write ports that are never enabled. Memories that are never written
//! become tables. A signal that shows removed state goes with it (only where the options allow).
//! How it can be wrong: an id that is not renumbered ([`retain`] has them all), or a user of state
//! that is not walked.

use super::rebuild::{rebuild, signal_nodes};
use crate::bits::Bits;
use crate::graph::{Graph, MemId, Memory, NodeId, Op, RegId, Start, Table, TableId, Value};

/// Removes unused state.
pub fn unused(graph: &mut Graph, keep_state: bool) {
    let (registers, memories) = live(graph, keep_state);
    if registers.iter().chain(&memories).all(|&l| l) {
        return;
    }
    let shown = signals_of_live(graph, &registers, &memories);
    let mut i = 0;
    graph.signals.retain(|_| {
        i += 1;
        shown[i - 1]
    });
    retain(graph, &registers, &memories);
    rebuild(graph, false);
}

/// Which registers and memories outputs (and signals) need.
fn live(graph: &Graph, keep_state: bool) -> (Vec<bool>, Vec<bool>) {
    let mut registers = vec![false; graph.registers.len()];
    let mut memories = vec![false; graph.memories.len()];
    let mut seen = vec![false; graph.nodes.len()];
    let mut stack: Vec<NodeId> = graph.outputs.iter().map(|o| o.1).collect();
    let memory_roots = |m: usize, stack: &mut Vec<NodeId>| {
        for w in &graph.memories[m].writes {
            stack.extend([w.enable, w.addr, w.data]);
            stack.extend(w.edges().map(|e| e.clock));
            stack.extend(w.mask);
        }
    };
    if keep_state {
        stack.extend(signal_nodes(graph));
        for s in &graph.signals {
            if let Value::Memory(m) = s.value {
                if !std::mem::replace(&mut memories[m.index()], true) {
                    memory_roots(m.index(), &mut stack);
                }
            }
        }
    }
    while let Some(n) = stack.pop() {
        if std::mem::replace(&mut seen[n.index()], true) {
            continue;
        }
        let node = graph.node(n);
        stack.extend(&node.args);
        match node.op {
            Op::Reg(r) => {
                let reg = &graph.registers[r.index()];
                registers[r.index()] = true;
                stack.push(reg.next);
                stack.extend(reg.edges().map(|e| e.clock));
            }
            Op::MemRead(m) if !std::mem::replace(&mut memories[m.index()], true) => {
                memory_roots(m.index(), &mut stack);
            }
            _ => {}
        }
    }
    (registers, memories)
}

/// Which signals can be computed from the state that stays.
fn signals_of_live(graph: &Graph, registers: &[bool], memories: &[bool]) -> Vec<bool> {
    let mut good = vec![true; graph.nodes.len()];
    for id in graph.topological().unwrap_or_default() {
        let node = graph.node(id);
        let itself = match node.op {
            Op::Reg(r) => registers[r.index()],
            Op::MemRead(m) => memories[m.index()],
            _ => true,
        };
        good[id.index()] = itself && node.args.iter().all(|a| good[a.index()]);
    }
    let shown = |v: Value| match v {
        Value::Node(n) => good[n.index()],
        Value::Memory(m) => memories[m.index()],
    };
    graph.signals.iter().map(|s| shown(s.value)).collect()
}

/// Keeps some registers and memories, renumbered. Nothing reachable may name the others.
pub fn retain(graph: &mut Graph, registers: &[bool], memories: &[bool]) {
    let number = |keep: &[bool]| {
        let mut next = 0;
        let count = |&k: &bool| {
            next += u32::from(k);
            k.then(|| next - 1)
        };
        keep.iter().map(count).collect::<Vec<Option<u32>>>()
    };
    let (new_reg, new_mem) = (number(registers), number(memories));
    for node in &mut graph.nodes {
        let new = match node.op {
            Op::Reg(r) => new_reg[r.index()].map(|r| Op::Reg(RegId(r))),
            Op::MemRead(m) => new_mem[m.index()].map(|m| Op::MemRead(MemId(m))),
            _ => continue,
        };
        node.op = new.unwrap_or_else(|| {
            node.args.clear();
            Op::Const(Bits::zero(node.width))
        });
    }
    for s in &mut graph.signals {
        if let Value::Memory(m) = &mut s.value {
            m.0 = new_mem[m.index()].unwrap_or_default();
        }
    }
    let mut keep = registers.iter();
    graph.registers.retain(|_| keep.next().is_some_and(|&k| k));
    let mut keep = memories.iter();
    graph.memories.retain(|_| keep.next().is_some_and(|&k| k));
}

/// The words of a memory at the start, unless one of them comes from the seed: then it is no
/// constant.
fn known_words(memory: &Memory) -> Option<Vec<Bits>> {
    let start = match &memory.start {
        Start::Value(v) => Some(v),
        Start::Unknown => None,
    };
    (0..memory.depth as usize).map(|w| memory.init.get(w).and_then(Option::as_ref).or(start).cloned()).collect()
}

/// Write ports that are never enabled go; reads of memories without write ports become tables, if
/// every word has an initial value.
pub fn memories(graph: &mut Graph) {
    let never = |n: NodeId| graph.as_const(n).is_some_and(Bits::is_zero);
    let idle = |g: &Graph, m: usize| g.memories[m].writes.iter().map(|w| never(w.enable)).collect::<Vec<_>>();
    let ports: Vec<Vec<bool>> = (0..graph.memories.len()).map(|m| idle(graph, m)).collect();
    let mut tables: Vec<Option<TableId>> = Vec::new();
    for (memory, idle) in graph.memories.iter_mut().zip(ports) {
        let mut idle = idle.into_iter();
        memory.writes.retain(|_| !idle.next().unwrap_or(false));
        let words = if memory.writes.is_empty() { known_words(memory) } else { None };
        tables.push(words.map(|words| {
            let default = Bits::zero(memory.width);
            graph.tables.push(Table { width: memory.width, words, default });
            TableId(graph.tables.len() as u32 - 1)
        }));
    }
    for node in &mut graph.nodes {
        if let Op::MemRead(m) = node.op {
            if let Some(t) = tables[m.index()] {
                node.op = Op::Table(t);
            }
        }
    }
}

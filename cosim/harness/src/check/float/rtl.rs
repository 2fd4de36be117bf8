//! The RTL, exported and compiled by rtlsim. The lanes' operations run on one `lane`, one per cycle
//! back to back; those of the function unit on `function_unit`, four lanes to a request, a request
//! as soon as it is taken. Every run starts from the power-up state. The function unit's answers
//! are matched with the requests by all that names them; an answer that nobody asked for is an
//! error.

use quadlock_golden::Lanes;
use quadlock_hdl::config::{GpuConfig, LANE_LATENCY};
use quadlock_hdl::fault::Fault as RtlFault;
use quadlock_isa::abi::LANES;
use quadlock_isa::Op;
use quadlock_rtlsim::graph::SignalId;
use quadlock_rtlsim::{InputHandle, Options, Simulation, Snapshot};

use crate::engine::cache;

use super::vector::{groups, lanes, Vector};

/// Clock cycles of one operation on the RTL.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cycles {
    /// From operands to result, for the four lanes of a warp.
    pub latency: u64,
    /// Between two warp instructions of a long row.
    pub interval: f64,
}

/// A block of the RTL and its power-up state.
struct Block {
    simulation: Simulation,
    start: Snapshot,
}

impl Block {
    fn new(name: &str, fault: Option<RtlFault>) -> Result<Self, String> {
        let words = |e: quadlock_rtlsim::Error| format!("{name}: {e}");
        let design = cache::design(name, &GpuConfig { fault, ..GpuConfig::default() })?;
        let simulation = design.compile(&Options::default()).map_err(words)?;
        let start = simulation.snapshot();
        Ok(Self { simulation, start })
    }

    fn input(&self, name: &str) -> Result<InputHandle, String> {
        self.simulation.input(name).map_err(|e| e.to_string())
    }

    fn signal(&self, name: &str) -> Result<SignalId, String> {
        self.simulation.signal(name).map(|s| s.id()).map_err(|e| e.to_string())
    }

    fn restart(&mut self) -> Result<(), String> {
        self.simulation.restore(&self.start).map_err(|e| e.to_string())
    }

    fn tick(&mut self) -> Result<(), String> {
        self.simulation.tick().map_err(|e| e.to_string())
    }
}

/// One lane.
pub struct LaneUnit {
    block: Block,
    op: InputHandle,
    operands: [InputHandle; 3],
    value: [SignalId; 1],
}

impl LaneUnit {
    /// # Errors
    /// The block cannot be built.
    pub fn new(fault: Option<RtlFault>) -> Result<Self, String> {
        let block = Block::new("lane", fault)?;
        let operands = [block.input("a")?, block.input("b")?, block.input("c")?];
        let (op, value) = (block.input("op")?, [block.signal("value")?]);
        Ok(Self { block, op, operands, value })
    }

    /// One cycle with these inputs; the value that stands before its edge.
    fn cycle(&mut self, op: Op, operands: [u32; 3]) -> Result<u32, String> {
        let simulation = &mut self.block.simulation;
        simulation.poke(self.op, op as u64);
        for (input, operand) in self.operands.iter().zip(operands) {
            simulation.poke(*input, operand.into());
        }
        let mut value = [0];
        simulation.peek_many(&self.value, &mut value);
        self.block.tick()?;
        Ok(value[0] as u32)
    }

    /// Results of the vectors, back to back, and the cycles they took.
    ///
    /// # Errors
    /// The simulator refuses the state.
    pub fn run(&mut self, vectors: &[Vector], results: &mut Vec<u32>) -> Result<u64, String> {
        self.block.restart()?;
        for (i, v) in vectors.iter().enumerate() {
            let value = self.cycle(v.op.op, v.operands)?;
            if i >= LANE_LATENCY {
                results.push(value);
            }
        }
        for i in vectors.len()..vectors.len() + LANE_LATENCY {
            let value = self.cycle(Op::End, [0; 3])?;
            if i >= LANE_LATENCY {
                results.push(value);
            }
        }
        Ok((vectors.len() + LANE_LATENCY) as u64)
    }

    /// Latency of an operation whose result differs from that of none, and the least interval at
    /// which every operation of a long row gives its own result after that latency.
    ///
    /// # Errors
    /// The result does not differ, or no row does.
    pub fn measure(&mut self, vector: Vector) -> Result<Cycles, String> {
        self.block.restart()?;
        for _ in 0..PATIENCE {
            self.cycle(Op::End, [0; 3])?;
        }
        let idle = self.cycle(vector.op.op, vector.operands)?;
        for latency in 1..=PATIENCE {
            if self.cycle(Op::End, [0; 3])? != idle {
                let interval = self.interval(vector, latency)?;
                return Ok(Cycles { latency, interval: interval as f64 });
            }
        }
        Err(format!("{}: the result does not differ from that of no operation", vector.op.name()))
    }

    /// Value `latency` cycles after each operation of a list, one every `interval` cycles.
    fn row(&mut self, op: Op, list: &[[u32; 3]], interval: u64, latency: u64) -> Result<Vec<u32>, String> {
        self.block.restart()?;
        let mut values = Vec::new();
        for cycle in 0..=(list.len() as u64 - 1) * interval + latency {
            let value = match list.get((cycle / interval) as usize) {
                Some(operands) if cycle % interval == 0 => self.cycle(op, *operands)?,
                _ => self.cycle(Op::End, [0; 3])?,
            };
            if cycle >= latency && (cycle - latency).is_multiple_of(interval) {
                values.push(value);
            }
        }
        Ok(values)
    }

    /// Two results in turn, so that one that is held or lost shows.
    fn interval(&mut self, vector: Vector, latency: u64) -> Result<u64, String> {
        let (op, first @ [a, b, c]) = (vector.op.op, vector.operands);
        let mut pair = None;
        for other in [[0; 3], [a, 0, 0], [0, b, c]] {
            let (x, y) = (self.row(op, &[first], 1, latency)?, self.row(op, &[other], 1, latency)?);
            if x != y {
                pair = Some(([first, other], [x[0], y[0]]));
                break;
            }
        }
        let (operands, right) = pair.ok_or_else(|| format!("{}: one result only", vector.op.name()))?;
        let list: Vec<_> = (0..ROW as usize).map(|i| operands[i % 2]).collect();
        for interval in 1..=latency {
            let values = self.row(op, &list, interval, latency)?;
            if values.iter().enumerate().all(|(i, value)| *value == right[i % 2]) {
                return Ok(interval);
            }
        }
        Err(format!("{}: results depend on the operations before", vector.op.name()))
    }
}

/// Warp instructions of a measured row.
const ROW: u64 = 256;
/// Cycles without an answer after which the function unit is said to hang.
const PATIENCE: u64 = 1_000;
/// Warps and numbers that name the requests under way.
const WARPS: u64 = 16;
const NUMBERS: u64 = 256;
const DESTINATIONS: u64 = 32;

/// The function unit of a warp unit.
pub struct FunctionUnit {
    block: Block,
    /// valid, op, warp, seq, mask, dst.
    request: [InputHandle; 6],
    a: [InputHandle; LANES],
    b: [InputHandle; LANES],
    /// req_ready, rsp_valid, rsp_warp, rsp_seq, rsp_mask, rsp_dst, values.
    outputs: [SignalId; 6 + LANES],
}

/// What stands at the outputs before an edge.
struct Seen {
    ready: bool,
    /// warp, seq, mask, dst; values.
    response: Option<([u64; 4], Lanes)>,
}

impl FunctionUnit {
    /// # Errors
    /// The block cannot be built.
    pub fn new(fault: Option<RtlFault>) -> Result<Self, String> {
        let block = Block::new("function_unit", fault)?;
        let input = |name: &str| block.input(name);
        let request = [
            input("req_valid")?,
            input("req_op")?,
            input("req_warp")?,
            input("req_seq")?,
            input("req_mask")?,
            input("req_dst")?,
        ];
        let a = [input("req_a0")?, input("req_a1")?, input("req_a2")?, input("req_a3")?];
        let b = [input("req_b0")?, input("req_b1")?, input("req_b2")?, input("req_b3")?];
        let mut outputs = [block.signal("req_ready")?; 6 + LANES];
        let names = [
            "rsp_valid",
            "rsp_warp",
            "rsp_seq",
            "rsp_mask",
            "rsp_dst",
            "rsp_value0",
            "rsp_value1",
            "rsp_value2",
            "rsp_value3",
        ];
        for (output, name) in outputs[1..].iter_mut().zip(names) {
            *output = block.signal(name)?;
        }
        // Whoever takes the results is always ready: back-pressure is the warp unit's tests'
        // matter.
        let ready = block.input("rsp_ready")?;
        let mut unit = Self { block, request, a, b, outputs };
        unit.block.simulation.poke(ready, 1);
        unit.block.start = unit.block.simulation.snapshot();
        Ok(unit)
    }

    /// One cycle with this request, if any, at the port.
    fn cycle(&mut self, request: Option<(u64, &[Vector])>) -> Result<Seen, String> {
        let simulation = &mut self.block.simulation;
        simulation.poke(self.request[0], request.is_some().into());
        if let Some((number, group)) = request {
            let [warp, seq, mask, dst] = name(number, group.len());
            for (input, value) in self.request[1..].iter().zip([group[0].op.op as u64, warp, seq, mask, dst]) {
                simulation.poke(*input, value);
            }
            let (a, b) = (lanes(group, 0), lanes(group, 1));
            for lane in 0..LANES {
                simulation.poke(self.a[lane], a[lane].into());
                simulation.poke(self.b[lane], b[lane].into());
            }
        }
        let mut out = [0; 6 + LANES];
        simulation.peek_many(&self.outputs, &mut out);
        self.block.tick()?;
        let response = (out[1] == 1).then(|| ([out[2], out[3], out[4], out[5]], [6, 7, 8, 9].map(|i| out[i] as u32)));
        Ok(Seen { ready: out[0] == 1, response })
    }

    /// Results of the vectors, a request as soon as one is taken, and the cycles they took.
    ///
    /// # Errors
    /// The unit does not answer, or answers what was not asked.
    pub fn run(&mut self, vectors: &[Vector], results: &mut Vec<u32>) -> Result<u64, String> {
        self.block.restart()?;
        results.resize(vectors.len(), 0);
        let mut at = 0;
        let groups: Vec<(usize, &[Vector])> = groups(vectors)
            .map(|group| {
                at += group.len();
                (at - group.len(), group)
            })
            .collect();
        let (mut sent, mut idle, mut cycles) = (0u64, 0, 0);
        let mut under_way: Vec<u64> = Vec::new();
        while (sent as usize) < groups.len() || !under_way.is_empty() {
            let request = groups.get(sent as usize).map(|(_, group)| (sent, *group));
            let seen = self.cycle(request)?;
            cycles += 1;
            idle += 1;
            if let Some((named, values)) = seen.response {
                let found = under_way.iter().position(|&n| name(n, groups[n as usize].1.len()) == named);
                let found = found.ok_or_else(|| format!("the function unit answers what was not asked: {named:?}"))?;
                let (first, group) = groups[under_way.swap_remove(found) as usize];
                results[first..first + group.len()].copy_from_slice(&values[..group.len()]);
                idle = 0;
            }
            if request.is_some() && seen.ready {
                under_way.push(sent);
                sent += 1;
                idle = 0;
            }
            if idle > PATIENCE {
                return Err(format!("the function unit does not answer: {} requests under way", under_way.len()));
            }
        }
        Ok(cycles)
    }

    /// Latency and interval of an operation: one alone, then a long row.
    ///
    /// # Errors
    /// As [`FunctionUnit::run`].
    pub fn measure(&mut self, vector: Vector) -> Result<Cycles, String> {
        let mut results = Vec::new();
        // The last cycle is that in which the result stood at the port: edges are one fewer.
        let latency = self.run(&[vector; LANES], &mut results)? - 1;
        let cycles = self.run(&vec![vector; LANES * ROW as usize], &mut results)? - 1;
        Ok(Cycles { latency, interval: (cycles - latency) as f64 / (ROW - 1) as f64 })
    }
}

/// warp, seq, mask, dst of request `n` with so many lanes. Those under way at a time all differ.
fn name(n: u64, lanes: usize) -> [u64; 4] {
    [n % WARPS, n / WARPS % NUMBERS, (1 << lanes) - 1, n % DESTINATIONS]
}

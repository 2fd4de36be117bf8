//! The exported Verilog of the whole core, run by Icarus Verilog on the inputs that a run on rust-hdl's engine recorded: every output port is equal in
//! every cycle. The Verilog is the product and rust-hdl's engine the second opinion; a difference is a bug in export, in a leaf cell or in a kernel
//! whose Rust and Verilog meanings differ. Skipped, with a message, without `iverilog`.

mod common;
mod memory_model;

use common::{icarus_agrees, Port};
use memory_model::core::{Core, Inputs, Job};
use memory_model::Timing;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::export;
use quadlock_hdl::gpu::Gpu;
use rust_hdl::prelude::*;

const INPUTS: [Port; 9] = [
    ("host_valid", 1),
    ("host_addr", 16),
    ("host_data", 32),
    ("mem_req_ready", 1),
    ("mem_rsp_valid", 1),
    ("mem_rsp_data_0", 32),
    ("mem_rsp_data_1", 32),
    ("mem_rsp_data_2", 32),
    ("mem_rsp_data_3", 32),
];

/// Collects the output ports of the outermost block.
#[derive(Default)]
struct Outputs {
    depth: usize,
    ports: Vec<(String, usize, u32)>,
}

impl Probe for Outputs {
    fn visit_start_scope(&mut self, _: &str, _: &dyn Block) {
        self.depth += 1;
    }
    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        if self.depth == 1 && signal.kind() == AtomKind::OutputParameter {
            let literal = format!("{:x}", signal.verilog());
            let value = literal.split_once("'h").map(|v| u32::from_str_radix(v.1, 16).unwrap()).unwrap();
            self.ports.push((name.replace('$', "_"), signal.bits(), value));
        }
    }
    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.depth -= 1;
    }
}

fn outputs(gpu: &Gpu) -> Vec<(String, usize, u32)> {
    let mut probe = Outputs::default();
    gpu.accept("top", &mut probe);
    probe.ports
}

/// Divergence, multiplication, memory of several widths, atomics, in a loop.
const PROGRAM: &str = "
    S2R r1, local_index
    S2R r2, group_x
    IMAD r3, r2, #8, r1
    SHL r4, r3, #4
    MOV r5, #0
    AND r6, r1, #3
loop:
    IADD r5, r5, #1
    IMAD r7, r5, r3, r5
    ST.32 [r4+0x10000], r7
    LD.S8 r8, [r4+0x10001]
    ATOM32.ADD r9, [r0+0x12000], r5
    FADD r10, r7, r9
    FMUL r11, r10, #1.5f
    FFMA r12, r11, r10, r8
    ST.8 [r3+0x11000], r8
    SSETGT r13, r5, r6
    BZ r13, loop
    ST.128 [r4+0x13000], r8
    END
";

fn cross_check(name: &str, config: &GpuConfig, text: &str, job: &Job, timing: Timing) {
    let mut core = Core::new(config, timing);
    let (mut vectors, mut expected) = (Vec::new(), Vec::new());
    let mut record = |core: &mut Core, host| {
        let inputs: Inputs = core.step(host);
        vectors.push(inputs.to_vec());
        expected.push(outputs(&core.bench).into_iter().map(|p| Some(p.2)).collect::<Vec<_>>());
    };
    for write in core.writes(text, job, &[(100, job.group.iter().product())]) {
        record(&mut core, Some(write));
    }
    while core.bench.busy.val() {
        record(&mut core, None);
        assert!(core.cycles < 30_000, "no end");
    }
    assert!(core.retired > 0);
    let ports = outputs(&core.bench);
    let names: Vec<Port> = ports.iter().map(|(name, width, _)| (&*name.clone().leak(), *width)).collect();
    let verilog = export(&mut Gpu::new(config).unwrap(), "top", config).unwrap();
    icarus_agrees(name, &verilog, true, &INPUTS, &names, &vectors, &expected);
}

/// One unit of two warps: loops, divergence, floats, atomics, rough memory.
#[test]
fn small_core_agrees_with_icarus() {
    let config = GpuConfig { units: 1, warps: 2, icache_lines: 8, shared_words: 64, ..GpuConfig::default() };
    cross_check("core_small", &config, PROGRAM, &Job::free([2, 1, 1], [6, 1, 1]), Timing::rough(11));
}

/// The default core.
#[test]
fn default_core_agrees_with_icarus() {
    cross_check("core_default", &GpuConfig::default(), PROGRAM, &Job::free([4, 1, 1], [8, 1, 1]), Timing::rough(12));
}

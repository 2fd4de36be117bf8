//! Helpers of the golden model's tests: one instruction at a time, and whole programs.

use quadlock_golden::{Config, Effect, Fault, Golden, Grid, Launch, Memory};
use quadlock_isa::assemble;

pub const MEMORY: u32 = 0x4000;

pub fn code(text: &str) -> Vec<u64> {
    assemble("test", text).unwrap_or_else(|e| panic!("{e}")).code
}

pub fn machine(text: &str, consts: Vec<u32>, fault: Option<Fault>) -> Golden {
    Golden::new(Config { fault, ..Config::default() }, code(text), consts, Memory::new(MEMORY))
}

/// A launch of one warp of a free program.
pub fn launch(unit: usize, warp: usize, mask: u8) -> Launch {
    Launch { unit, warp, mask, first_warp: warp, warps_in_group: 1, ..Launch::default() }
}

/// One instruction, run over and over on operands in r1, r2, r3; the result is read from r0.
pub struct Bench {
    pub golden: Golden,
}

impl Bench {
    pub fn new(instruction: &str) -> Self {
        Self::with_fault(instruction, None)
    }

    pub fn with_fault(instruction: &str, fault: Option<Fault>) -> Self {
        Bench { golden: machine(&format!("{instruction}\nEND"), vec![0, 0, 7], fault) }
    }

    pub fn effect(&mut self, mask: u8, a: [u32; 4], b: [u32; 4], c: [u32; 4]) -> Effect {
        self.golden.launch(&launch(0, 0, mask)).unwrap();
        for lane in 0..4 {
            for (register, value) in [(0, 0xDEAD_BEEF), (1, a[lane]), (2, b[lane]), (3, c[lane])] {
                self.golden.warp_mut(0, 0).set_reg(lane, register, value);
            }
        }
        let effect = self.golden.step(0, 0).unwrap();
        self.golden.step(0, 0).unwrap();
        effect
    }

    pub fn lanes(&mut self, a: [u32; 4], b: [u32; 4], c: [u32; 4]) -> [u32; 4] {
        let effect = self.effect(15, a, b, c);
        let registers = std::array::from_fn(|l| self.golden.warp(0, 0).reg(l, 0));
        assert_eq!(effect.values.map(|v| v[0]), registers);
        registers
    }

    pub fn one(&mut self, a: u32, b: u32, c: u32) -> u32 {
        self.lanes([a; 4], [b; 4], [c; 4])[3]
    }
}

/// Runs a program of `threads` invocations in one free group to its end.
pub fn run(text: &str, threads: u32) -> Golden {
    let mut golden = machine(text, vec![], None);
    golden.run_grid(&Grid::linear(threads), 100_000).unwrap_or_else(|e| panic!("{e}"));
    golden
}

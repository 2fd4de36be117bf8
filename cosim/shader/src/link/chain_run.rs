//! Runs chains of programs in the interpreter of SSA, for the linker's tests.
//!
//! Each program runs three times, as the vertices of a triangle or points of it. An input is what
//! the program before gave its three, interpolated as docs/graphics.md, "Interpolation", says, at a
//! place and with weights that differ for each of the three. Nothing here knows of linking. An
//! input that nobody gives is an error, so that an output removed too much is seen.

use std::collections::BTreeMap;

use super::chain::Chain;
use super::random_chains::{BASE, FAR, USER, WORDS};
use super::uniform::{Node, Word, FIRST};
use crate::ops::float::canonical;
use crate::ssa::interp::{self, Launch};
use crate::ssa::{FuncId, How, Kind, Module, Space, Value, Width};
use quadlock_isa::Special;

/// Address of the buffer in memory.
const BUFFER: usize = 512;
/// Where inputs stand among the constants of a run.
const INPUTS: u32 = 1 << 12;
/// Where outputs go in memory.
const OUTPUTS: u32 = 1024;
/// More instructions than any program runs.
const STEPS: u64 = 100_000;

/// What a program gives, by word.
pub(super) type Outputs = BTreeMap<u32, u32>;
/// The same of three runs.
pub(super) type Corners = [Outputs; 3];
/// The word of an input.
pub(super) type Inputs<'a> = &'a dyn Fn(u32, How) -> Option<u32>;

/// e_i by place, and by point of the triangle.
const EDGES: [[[f32; 3]; 3]; 3] = [
    [[5.0, 2.0, 9.0], [3.0, 7.0, 6.0], [1.5, 8.0, 4.0]],
    [[5.5, 1.5, 9.0], [2.0, 7.0, 7.0], [1.5, 7.0, 5.0]],
    [[4.5, 2.5, 9.0], [3.5, 5.5, 7.0], [2.0, 8.0, 3.5]],
];
/// 1 / w of the corners.
const RECIPROCALS: [f32; 3] = [1.0, 0.5, 0.7];

/// A word of the corners, taken at point `k`.
pub(super) fn interpolated(corners: &Corners, word: u32, how: How, k: usize) -> Option<u32> {
    let [a, b, c] = [0, 1, 2].map(|n: usize| corners[n].get(&word).copied());
    let v = [a?, b?, c?];
    let q = match how {
        How::Flat => return Some(v[0]),
        How::Linear(place) => EDGES[place as usize][k],
        How::Perspective(place) => [0, 1, 2].map(|n: usize| EDGES[place as usize][k][n] * RECIPROCALS[n]),
    };
    if v[0] == v[1] && v[0] == v[2] {
        return Some(v[0]);
    }
    let r = 1.0 / (q[0] + q[1] + q[2]);
    let [l, v] = [q.map(|q| q * r), v.map(f32::from_bits)];
    Some(canonical(l[0].mul_add(v[0], l[1].mul_add(v[1], l[2] * v[2]))))
}

/// A word of the buffers: of the one in memory, or of one in the bank, which begins with another of
/// `words`.
pub(super) fn look(words: &[u32], (_, binding, word): Word) -> Option<u32> {
    let turned = |by: u32| words.get(((word + by) % WORDS) as usize).copied();
    match binding {
        1 => Some(turned(0)?.rotate_left(word)).filter(|_| word < FAR),
        by => turned(by).filter(|_| word < WORDS),
    }
}

/// The bank of a program: the words of its buffer.
pub(super) fn bank(chain: &Chain, p: usize, words: &[u32]) -> Vec<u32> {
    let (group, binding) = chain.programs[p].uniforms[0].buffer;
    (0..WORDS).filter_map(|word| look(words, (group, binding, word))).collect()
}

/// What a program gives. `words` are the buffers', `at` are vertex and instance.
pub(super) fn outputs(chain: &Chain, p: usize, words: &[u32], inputs: Inputs, at: [u32; 2]) -> Result<Outputs, String> {
    outputs_with(chain, p, (words, &bank(chain, p, words)), inputs, at, &[])
}

/// The same with all of a bank, and with one rounding at these sites.
pub(super) fn outputs_with(
    chain: &Chain,
    p: usize,
    (words, bank): (&[u32], &[u32]),
    inputs: Inputs,
    [vertex, instance]: [u32; 2],
    joined: &[(Value, Value)],
) -> Result<Outputs, String> {
    let mut func = chain.programs[p].func.clone();
    let mut constants = vec![0; FIRST as usize + chain.uniforms.count()];
    constants[USER as usize..][..bank.len()].copy_from_slice(bank);
    constants[BASE as usize] = BUFFER as u32;
    let known = |word: Word| look(words, word);
    for n in 0..chain.uniforms.count() as u32 {
        constants[(FIRST + n) as usize] = chain.uniforms.value(Node(n), &known).unwrap_or(0);
    }
    let (mut given, mut taken) = (vec![], INPUTS);
    for b in func.layout.clone() {
        let mut out = vec![];
        for mut inst in std::mem::take(&mut func.blocks[b.index()].insts) {
            match inst.kind {
                Kind::Input { word, how } => {
                    let value = inputs(word, how).ok_or_else(|| format!("program {p}: nobody gives word {word}"))?;
                    constants[taken as usize] = value;
                    inst.kind = Kind::ConstWord(taken);
                    taken += 1;
                }
                Kind::Special(Special::VertexIndex) => inst.kind = Kind::Const(vertex),
                Kind::Special(Special::InstanceIndex) => inst.kind = Kind::Const(instance),
                Kind::Output { word, value } => {
                    given.push(word);
                    let addr = func.new_value();
                    let mut address = inst.clone();
                    (address.kind, address.results) = (Kind::Const(OUTPUTS), vec![addr]);
                    out.push(address);
                    let (space, width, offset) = (Space::Global, Width::W32, 4 * word as i32);
                    inst.kind = Kind::Store { space, width, addr, offset, values: vec![value] };
                }
                _ => {}
            }
            out.push(inst);
        }
        func.blocks[b.index()].insts = out;
    }
    let mut memory = vec![0; OUTPUTS as usize + 256];
    for word in 0..FAR {
        let bytes = look(words, (0, 1, word)).unwrap_or(0).to_le_bytes();
        memory[BUFFER + 4 * word as usize..][..4].copy_from_slice(&bytes);
    }
    let launch = Launch { constants, step_limit: STEPS, ..Launch::default() };
    let module = Module { funcs: vec![func], files: vec![] };
    interp::run_joined(&module, FuncId(0), &launch, &mut memory, joined).map_err(|e| format!("program {p}: {e:?}"))?;
    let at = |word: u32| (OUTPUTS + 4 * word) as usize;
    let word = |w: u32| memory[at(w)..at(w) + 4].iter().rev().fold(0, |all, b| all << 8 | u32::from(*b));
    Ok(given.into_iter().map(|w| (w, word(w))).collect())
}

/// Three runs.
pub(super) fn corners(run: impl Fn(usize) -> Result<Outputs, String>) -> Result<Corners, String> {
    Ok([run(0)?, run(1)?, run(2)?])
}

/// Everything that all programs give, in their order.
pub(super) fn all_outputs(chain: &Chain, words: &[u32], turn: u32) -> Result<Vec<Corners>, String> {
    let mut all: Vec<Corners> = vec![];
    for p in 0..chain.programs.len() {
        let feeder = chain.feeder(p);
        let run = |k: usize| {
            let inputs = |word: u32, how: How| interpolated(&all[feeder?], word, how, k);
            outputs(chain, p, words, &inputs, [3 * turn + k as u32, turn])
        };
        let given = corners(run)?;
        all.push(given);
    }
    Ok(all)
}

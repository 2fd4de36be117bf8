//! Memory instructions, byte by byte: what the load/store/atomic pipeline must do with memory and
//! deliver. Written from `docs/machine.md`, not from the RTL.

use quadlock_isa::{AtomicOp, Class, Op, Shape, TABLE};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Memory, Timing};

#[derive(Clone, Debug)]
pub struct Instruction {
    pub op: Op,
    pub mask: u8,
    pub dst: u8,
    pub addr: [u32; 4],
    /// words[word][lane]
    pub words: [[u32; 4]; 4],
}

/// One completion beat.
#[derive(Clone, Debug, PartialEq)]
pub struct Beat {
    pub seq: u8,
    pub warp: u8,
    pub unit: u8,
    pub mask: u8,
    pub dst: u8,
    pub wen: bool,
    pub last: bool,
    pub value: [u32; 4],
}

pub fn shape(op: Op) -> Shape {
    TABLE.iter().find(|r| r.op == op).unwrap().shape
}

pub fn bytes_of(op: Op) -> u32 {
    match shape(op) {
        Shape::Load { bytes } | Shape::Store { bytes } | Shape::Atomic { bytes } | Shape::AtomicCas { bytes } => {
            bytes.into()
        }
        other => panic!("{other:?} is not a memory instruction"),
    }
}

/// The model: performs the instruction on `bytes`, returns what each (lane, register) receives.
pub fn perform(bytes: &mut [u8], instruction: &Instruction) -> Vec<(usize, u8, u32)> {
    if instruction.op.is_warp_wide() {
        return perform_once(bytes, instruction);
    }
    let op = global(instruction.op);
    let n = bytes_of(op) as usize;
    let mut out = Vec::new();
    let read =
        |bytes: &[u8], at: usize, n: usize| (0..n).fold(0u128, |v, i| v | (u128::from(bytes[at + i]) << (8 * i)));
    for lane in 0..4 {
        if instruction.mask >> lane & 1 == 0 {
            continue;
        }
        let at = (instruction.addr[lane] as usize % bytes.len()) & !(n - 1);
        let word = |k: usize| u128::from(instruction.words[k][lane]);
        match shape(op) {
            Shape::Load { .. } => {
                let mut value = read(bytes, at, n);
                if op == Op::LdS8 {
                    value = u128::from(value as u8 as i8 as i32 as u32);
                }
                if op == Op::LdS16 {
                    value = u128::from(value as u16 as i16 as i32 as u32);
                }
                for k in 0..n.div_ceil(4) {
                    out.push((lane, (instruction.dst + k as u8) % 32, (value >> (32 * k)) as u32));
                }
            }
            Shape::Store { .. } => {
                let value = word(0) | (word(1) << 32) | (word(2) << 64) | (word(3) << 96);
                for i in 0..n {
                    bytes[at + i] = (value >> (8 * i)) as u8;
                }
            }
            _ => {
                let bits = 8 * n as u32;
                let clip = if n == 4 { 0xFFFF_FFFF } else { u128::from(u64::MAX) };
                let old = read(bytes, at, n);
                let arg = (word(0) | (word(1) << 32)) & clip;
                let expected = (word(2) | (word(3) << 32)) & clip;
                let signed = |v: u128| (v as i128) << (128 - bits) >> (128 - bits);
                let new = match (op as u8) & 15 {
                    0 => old.wrapping_add(arg),
                    1 => old & arg,
                    2 => old | arg,
                    3 => old ^ arg,
                    4 => {
                        if signed(old) < signed(arg) {
                            old
                        } else {
                            arg
                        }
                    }
                    5 => {
                        if signed(old) > signed(arg) {
                            old
                        } else {
                            arg
                        }
                    }
                    6 => old.min(arg),
                    7 => old.max(arg),
                    8 => arg,
                    9 => {
                        if old == expected {
                            arg
                        } else {
                            old
                        }
                    }
                    10 => old.wrapping_sub(arg),
                    other => panic!("atomic {other}"),
                };
                for i in 0..n {
                    bytes[at + i] = (new >> (8 * i)) as u8;
                }
                for k in 0..n / 4 {
                    out.push((lane, (instruction.dst + k as u8) % 32, (old >> (32 * k)) as u32));
                }
            }
        }
    }
    out
}

/// An atomic for the whole warp: that of the lowest active lane, its result to every active lane.
fn perform_once(bytes: &mut [u8], instruction: &Instruction) -> Vec<(usize, u8, u32)> {
    let lead = instruction.mask.trailing_zeros() as usize;
    let one = if instruction.op.atomic() == Some(AtomicOp::Lock) {
        let at = (instruction.addr[lead] as usize % bytes.len()) & !3;
        let old = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let new = instruction.words[0][lead] & 1;
        let swapped = old == 1 - new;
        if swapped {
            bytes[at..at + 4].copy_from_slice(&new.to_le_bytes());
        }
        vec![(lead, instruction.dst, u32::from(swapped))]
    } else {
        let base = if bytes_of(instruction.op) == 8 { 0x90 } else { 0x80 };
        let op = Op::from_code(base | instruction.op as u8 & 15).unwrap();
        perform(bytes, &Instruction { op, mask: 1 << lead, ..instruction.clone() })
    };
    let lanes = (0..4).filter(|lane| instruction.mask >> lane & 1 == 1);
    lanes.flat_map(|lane| one.iter().map(move |&(_, register, value)| (lane, register, value))).collect()
}

/// The instruction of global memory that does what this one of shared storage does.
fn global(op: Op) -> Op {
    let code = match op as u8 {
        code @ 0x70..=0x7F => code - 0x10,
        code @ 0xA0..=0xBF => code - 0x20,
        code => code,
    };
    Op::from_code(code).unwrap()
}

pub fn instruction(op: Op, mask: u8, addr: [u32; 4]) -> Instruction {
    let words = std::array::from_fn(|w| std::array::from_fn(|l| 0x1000_0001 * (w as u32 + 1) + 0x0101_0101 * l as u32));
    Instruction { op, mask, dst: 3, addr, words }
}

pub fn random_program(class: Class, seed: u64, length: usize, window: u32) -> Vec<Instruction> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let ops: Vec<Op> = TABLE.iter().filter(|r| r.class == class).map(|r| r.op).collect();
    let corners = [0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x80];
    (0..length)
        .map(|_| {
            let near = rng.random_range(0..window);
            let mut value =
                || if rng.random_bool(0.5) { corners[rng.random_range(0..corners.len())] } else { rng.random() };
            let words = std::array::from_fn(|_| std::array::from_fn(|_| value()));
            Instruction {
                op: ops[rng.random_range(0..ops.len())],
                mask: rng.random_range(1..16),
                dst: rng.random_range(0..28),
                addr: std::array::from_fn(|_| {
                    if rng.random_bool(0.7) {
                        near + rng.random_range(0..16)
                    } else {
                        rng.random_range(0..window)
                    }
                }),
                words,
            }
        })
        .collect()
}

/// Compares a finished run with the model.
pub fn check(program: &[Instruction], beats: &[Beat], end: &[u8], start: &[u8]) -> Result<(), String> {
    let mut bytes = start.to_vec();
    let mut beats = beats.iter();
    for (number, i) in program.iter().enumerate() {
        let mut expected = perform(&mut bytes, i);
        loop {
            let beat = beats.next().ok_or(format!("instruction {number} {i:?}: completion missing"))?;
            if (beat.seq, beat.warp, beat.unit) != (number as u8, (number % 16) as u8, (number % 8) as u8) {
                return Err(format!("instruction {number}: beat of another one {beat:?}"));
            }
            if beat.wen == matches!(shape(i.op), Shape::Store { .. }) {
                return Err(format!("instruction {number}: wen {beat:?}"));
            }
            for lane in (0..4).filter(|l| beat.wen && beat.mask >> l & 1 == 1) {
                let at = expected.iter().position(|e| *e == (lane, beat.dst, beat.value[lane]));
                expected.swap_remove(at.ok_or(format!(
                    "instruction {number} {i:x?}: unexpected lane {lane} of {beat:x?}, expected {expected:x?}"
                ))?);
            }
            if beat.last {
                break;
            }
        }
        if !expected.is_empty() {
            return Err(format!("instruction {number} {i:?}: not delivered {expected:x?}"));
        }
    }
    if bytes != end {
        let at = (0..bytes.len()).find(|&k| bytes[k] != end[k]).unwrap();
        return Err(format!("memory differs at {at:#x}: {:#x} instead of {:#x}", end[at], bytes[at]));
    }
    Ok(())
}

pub fn filled(size: usize, timing: Timing) -> Memory {
    let mut memory = Memory::new(size, timing);
    for (i, byte) in memory.bytes.iter_mut().enumerate() {
        *byte = (i as u8).wrapping_mul(37).wrapping_add(0x90);
    }
    memory
}

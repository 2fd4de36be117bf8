//! The program, decoded once: what an instruction does is found out here and not at every step.
//!
//! Constant-bank operands become immediates, because a bank does not change while a grid runs.

use quadlock_isa::abi::EventForm;
use quadlock_isa::{decode, kind, AtomicOp, BMode, CrossLane, Instr, Kind, Undefined};

use crate::alu::{lane_fn, LaneFn};
use crate::config::{Config, Fault};
use crate::effect::{MemKind, Trap};

/// What to do for an instruction.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    Alu(LaneFn),
    /// As `Alu`, but the registers are written when the function unit completes it.
    Function(LaneFn),
    Special(u8),
    /// Result written at once, as of `Alu`; depends on the active mask.
    CrossLane(CrossLane),
    Jump,
    /// Branch where `(A != 0) == sense`.
    Branch {
        sense: bool,
    },
    Memory(MemForm),
    Barrier,
    /// Of vertices and fragments.
    Graphics(GraphicsForm),
    /// ACS, ASR, WTS, RLS: the effect's value is operand B of each lane.
    Message(MessageForm),
    End,
    Trap(Trap),
}

/// The static part of a memory access.
#[derive(Clone, Copy, Debug)]
pub struct MemForm {
    pub kind: MemKind,
    pub bytes: u8,
    pub signed: bool,
    pub shared: bool,
    /// Performed once, by the lowest active lane, for all active lanes.
    pub warp_wide: bool,
}

impl MemForm {
    /// Registers of data (read or written).
    pub fn words(&self) -> u8 {
        self.bytes.div_ceil(4)
    }
}

/// What an instruction of vertices and fragments does (docs/graphics.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphicsForm {
    /// A merge point.
    Merge,
    /// A split point.
    Split,
    /// The active lanes become helpers.
    Demote,
    /// An output word.
    Output(u8),
    /// Values of the edges at a place.
    Edges(u8),
    /// A varying's word of three vertices.
    Attribute(u8),
    /// A flat varying's word.
    Flat(u8),
}

impl GraphicsForm {
    /// It goes through the attribute unit, and completes later.
    pub fn is_deferred(self) -> bool {
        !matches!(self, GraphicsForm::Merge | GraphicsForm::Split | GraphicsForm::Demote)
    }

    /// Registers written.
    pub fn words(self) -> u8 {
        match self {
            GraphicsForm::Merge | GraphicsForm::Split | GraphicsForm::Demote | GraphicsForm::Output(_) => 0,
            GraphicsForm::Edges(_) => 3,
            GraphicsForm::Attribute(_) => 4,
            GraphicsForm::Flat(_) => 1,
        }
    }
}

/// What a semaphore instruction does (SE-30 to SE-33).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageForm {
    Acquire {
        auto_release: bool,
    },
    Wait,
    Release,
    /// A wait that does not: a planted bug.
    Nothing,
}

/// A decoded instruction. `imm` is the value of operand B when `b_is_imm`.
#[derive(Clone, Copy, Debug)]
pub struct Decoded {
    pub action: Action,
    pub d: u8,
    pub a: u8,
    pub b: u8,
    pub c: u8,
    pub b_is_imm: bool,
    pub imm: u32,
    pub instr: Option<Instr>,
}

/// Code and its decoded form.
#[derive(Clone, Debug)]
pub struct Program {
    /// Counter of the first instruction.
    pub first: u16,
    /// Of fragments: that of a warp that is no member of a pair, which has no public registers
    /// then.
    pub alone: Option<u16>,
    pub words: Vec<u64>,
    pub decoded: Vec<Decoded>,
}

impl Program {
    /// `consts` shorter than the bank is filled up with zeros.
    pub fn new(words: Vec<u64>, consts: &[u32], config: &Config) -> Self {
        let decoded = words.iter().map(|&w| decode_one(w, consts, config)).collect();
        Program { first: 0, alone: None, words, decoded }
    }

    /// The word at `pc`; 0 outside the program.
    pub fn word(&self, pc: u16) -> u64 {
        pc.checked_sub(self.first).and_then(|n| self.words.get(usize::from(n))).copied().unwrap_or(0)
    }

    /// The instruction at `pc` on a unit with or without the function instructions.
    pub fn at_unit(&self, pc: u16, functions: bool) -> Decoded {
        let i = self.at(pc);
        match (i.action, i.instr) {
            (Action::Function(_), Some(instr)) if !functions => trap(Trap::NoFunctionUnit(instr.op.name())),
            _ => i,
        }
    }

    /// Whether some instruction needs a function unit.
    pub fn needs_functions(&self) -> bool {
        self.decoded.iter().any(|i| matches!(i.action, Action::Function(_)))
    }

    /// The instruction at `pc`; outside the program it is one that traps.
    pub fn at(&self, pc: u16) -> Decoded {
        match pc.checked_sub(self.first).and_then(|n| self.decoded.get(usize::from(n))) {
            Some(d) => *d,
            None => trap(Trap::OutsideProgram(pc)),
        }
    }
}

fn trap(why: Trap) -> Decoded {
    Decoded { action: Action::Trap(why), d: 0, a: 0, b: 0, c: 0, b_is_imm: false, imm: 0, instr: None }
}

fn decode_one(word: u64, consts: &[u32], config: &Config) -> Decoded {
    let i = match decode(word) {
        Ok(i) => i,
        Err(why) => return trap(Trap::Undefined(why)),
    };
    if i.event.is_some() && config.event_form != EventForm::Modifier {
        return trap(Trap::Undefined(Undefined::NoEvent));
    }
    if i.op.is_warp_wide() && !config.warp_wide {
        return trap(Trap::NotBuilt(i.op.name()));
    }
    if matches!(i.op.kind(), Kind::Graphics(_)) && !config.graphics {
        return trap(Trap::NotBuilt(i.op.name()));
    }
    let imm = match i.b_mode {
        BMode::Const => consts.get((i.imm & 0x3FF) as usize).copied().unwrap_or(0),
        _ => i.imm,
    };
    let b_is_imm = i.b_mode != BMode::Reg;
    Decoded { action: action(&i, config.fault), d: i.d, a: i.a, b: i.b, c: i.c, b_is_imm, imm, instr: Some(i) }
}

fn action(i: &Instr, fault: Option<Fault>) -> Action {
    let lanes = || lane_fn(i.op, fault);
    let memory = |kind| {
        let signed = i.op.sign_extends() && fault != Some(Fault::SubWordSign);
        let (bytes, shared, warp_wide) = (i.op.access_bytes(), i.op.is_shared(), i.op.is_warp_wide());
        Action::Memory(MemForm { kind, bytes, signed, shared, warp_wide })
    };
    match i.op.kind() {
        Kind::Control(op) => control(op),
        Kind::Message(op) => Action::Message(message(op, fault)),
        Kind::Move(kind::Move::S2R) => Action::Special(i.imm as u8 & 63),
        Kind::Across(op) => Action::CrossLane(op.form()),
        Kind::Integer(_) | Kind::Bits(_) | Kind::Compare(_) | Kind::Float(_) | Kind::Format(_) | Kind::Move(_) => {
            lanes().map_or(Action::Trap(Trap::NotBuilt(i.op.name())), Action::Alu)
        }
        Kind::Function(_) => lanes().map_or(Action::Trap(Trap::NotBuilt(i.op.name())), Action::Function),
        Kind::Graphics(op) => Action::Graphics(graphics(op, i.imm as u8 & 63)),
        Kind::Load(_) => memory(MemKind::Load),
        Kind::Store(_) => memory(MemKind::Store),
        Kind::Atomic(_) | Kind::WarpAtomic(_) => match i.op.atomic() {
            Some(op) => memory(MemKind::Atomic(op)),
            None => Action::Trap(Trap::NotBuilt(i.op.name())),
        },
    }
}

fn control(op: kind::Control) -> Action {
    use kind::Control;
    match op {
        Control::End | Control::Discard => Action::End,
        Control::Bar => Action::Barrier,
        Control::Bra => Action::Jump,
        Control::Bnz => Action::Branch { sense: true },
        Control::Bz => Action::Branch { sense: false },
    }
}

fn graphics(op: kind::Graphics, word: u8) -> GraphicsForm {
    match op {
        kind::Graphics::Merge => GraphicsForm::Merge,
        kind::Graphics::Split => GraphicsForm::Split,
        kind::Graphics::Demote => GraphicsForm::Demote,
        kind::Graphics::Out => GraphicsForm::Output(word),
        kind::Graphics::Bary => GraphicsForm::Edges(word),
        kind::Graphics::Attr => GraphicsForm::Attribute(word),
        kind::Graphics::AttrFlat => GraphicsForm::Flat(word),
    }
}

fn message(op: kind::Message, fault: Option<Fault>) -> MessageForm {
    use kind::Message;
    match op {
        Message::Acs => MessageForm::Acquire { auto_release: false },
        Message::Asr => MessageForm::Acquire { auto_release: true },
        Message::Wts if fault == Some(Fault::WaitSkipped) => MessageForm::Nothing,
        Message::Wts => MessageForm::Wait,
        Message::Rls => MessageForm::Release,
    }
}

/// Lock form (WW-22): taking it (bit 0 of the operand set) expects 0, giving it back expects 1.
pub fn lock_succeeds(old: u64, operand: u64) -> bool {
    old == 1 - (operand & 1)
}

/// The value that an atomic leaves, of `bytes` 4 or 8. `operand` is b, `compare` is c.
pub fn atomic_result(op: AtomicOp, bytes: u8, old: u64, operand: u64, compare: u64) -> u64 {
    // 32-bit signed comparisons are 64-bit ones of the sign-extended values.
    let signed = |x: u64| if bytes == 4 { i64::from(x as u32 as i32) } else { x as i64 };
    let new = match op {
        AtomicOp::Add => old.wrapping_add(operand),
        AtomicOp::Sub => old.wrapping_sub(operand),
        AtomicOp::And => old & operand,
        AtomicOp::Or => old | operand,
        AtomicOp::Xor => old ^ operand,
        AtomicOp::SMin if signed(operand) < signed(old) => operand,
        AtomicOp::SMax if signed(operand) > signed(old) => operand,
        AtomicOp::SMin | AtomicOp::SMax => old,
        AtomicOp::UMin => old.min(operand),
        AtomicOp::UMax => old.max(operand),
        AtomicOp::Xchg => operand,
        AtomicOp::Cas if old == compare => operand,
        AtomicOp::Cas => old,
        AtomicOp::Lock if lock_succeeds(old, operand) => operand & 1,
        AtomicOp::Lock => old,
    };
    if bytes == 4 {
        new & 0xFFFF_FFFF
    } else {
        new
    }
}

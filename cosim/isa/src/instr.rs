//! One instruction as a value, its 64-bit encoding, and the questions that users of the table ask
//! about it.
//!
//! `decode` keeps every field, also the ones that the opcode ignores, so `encode(decode(w)) == w`
//! for each defined word; [`Instr::canonical`] clears what is ignored. It can be wrong where a
//! field moves between encoder and decoder (the round-trip tests find it) or where a register list
//! forgets an operand (the table-driven test below finds it).

use crate::abi::REGISTERS;
use crate::table::{kind, Class, Kind, Op, Row, Shape, TABLE};

/// Where operand B comes from: the `bm` field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum BMode {
    /// Register `b`.
    Reg = 0,
    /// The immediate itself.
    Imm = 1,
    /// Constant-bank word `imm[9:0]`.
    Const = 2,
}

/// What the lanes of an instruction meet behind it: bits 31:30, on machines whose events are
/// modifiers ([`EventForm::Modifier`](crate::abi::EventForm)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Event {
    /// A merge point, as at MERGE.
    Merge = 2,
    /// A split point, as at SPLIT.
    Split = 3,
}

impl Event {
    /// Every event with its suffix of a mnemonic.
    pub const ALL: [(Self, &'static str); 2] = [(Self::Merge, ".MERGE"), (Self::Split, ".SPLIT")];

    /// The suffix of a mnemonic.
    pub fn suffix(self) -> &'static str {
        match self {
            Event::Merge => ".MERGE",
            Event::Split => ".SPLIT",
        }
    }

    /// The instruction that is the same event.
    pub fn op(self) -> Op {
        match self {
            Event::Merge => Op::Merge,
            Event::Split => Op::Split,
        }
    }
}

/// A defined instruction. Register fields are below 32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instr {
    /// Operation.
    pub op: Op,
    /// Destination register, 0 to 31; first of a group.
    pub d: u8,
    /// Source register A, 0 to 31; the address of a memory instruction.
    pub a: u8,
    /// Source register B, 0 to 31, if `b_mode` says so; store data, operand of an atomic.
    pub b: u8,
    /// Source register C, 0 to 31.
    pub c: u8,
    /// Where operand B comes from.
    pub b_mode: BMode,
    /// Immediate, word of the constant bank, byte offset, branch target or special register.
    pub imm: u32,
    /// What its lanes meet behind it; only of an operation that [`Op::carries_events`].
    pub event: Option<Event>,
}

/// Why a word is not an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[allow(missing_docs)] // The message of each variant says what it and its fields mean.
pub enum Undefined {
    #[error("opcode {0:#04x} is not assigned")]
    Opcode(u8),
    #[error("bit 30 is not zero and the instruction has no such form")]
    ReservedBits,
    #[error("bit 31 is not zero, and it carries no event")]
    NoEvent,
    #[error("operand mode 3 is not defined")]
    Mode,
    #[error("operand mode {1} is not defined for {0}")]
    ModeOfOp(&'static str, u8),
}

/// What an atomic does to the old value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum AtomicOp {
    /// old + operand, modulo 2^32 or 2^64.
    Add = 0,
    /// old & operand.
    And = 1,
    /// old | operand.
    Or = 2,
    /// old ^ operand.
    Xor = 3,
    /// Lesser of two signed numbers.
    SMin = 4,
    /// Greater of two signed numbers.
    SMax = 5,
    /// Lesser of two unsigned numbers.
    UMin = 6,
    /// Greater of two unsigned numbers.
    UMax = 7,
    /// The operand.
    Xchg = 8,
    /// The operand, if old is as expected; else old.
    Cas = 9,
    /// old - operand, modulo 2^32 or 2^64.
    Sub = 10,
    /// Lock form (WW-22): a bit of the operand says whether the lock is taken or given back.
    Lock = 11,
}

impl AtomicOp {
    /// Every kind; `ALL[n] as u8 == n`, which is also the low half of the opcode number.
    pub const ALL: [AtomicOp; 12] = [
        AtomicOp::Add,
        AtomicOp::And,
        AtomicOp::Or,
        AtomicOp::Xor,
        AtomicOp::SMin,
        AtomicOp::SMax,
        AtomicOp::UMin,
        AtomicOp::UMax,
        AtomicOp::Xchg,
        AtomicOp::Cas,
        AtomicOp::Sub,
        AtomicOp::Lock,
    ];
}

/// What an instruction of the lane pipeline does across the active lanes of its warp (WW-21).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CrossLane {
    /// The active lanes' values combined.
    Reduce(AtomicOp),
    /// The values of the active lanes below combined; the identity in the lowest.
    Scan(AtomicOp),
    /// Which active lanes' values are not 0.
    Ballot,
}

impl kind::Across {
    /// What it does with the values of the active lanes.
    pub const fn form(self) -> CrossLane {
        use kind::Across;
        use AtomicOp::{Add, And, Or, SMax, SMin, UMax, UMin, Xor};
        match self {
            Across::WBallot => CrossLane::Ballot,
            Across::WRedAdd => CrossLane::Reduce(Add),
            Across::WRedAnd => CrossLane::Reduce(And),
            Across::WRedOr => CrossLane::Reduce(Or),
            Across::WRedXor => CrossLane::Reduce(Xor),
            Across::WRedSMin => CrossLane::Reduce(SMin),
            Across::WRedSMax => CrossLane::Reduce(SMax),
            Across::WRedUMin => CrossLane::Reduce(UMin),
            Across::WRedUMax => CrossLane::Reduce(UMax),
            Across::WScanAdd => CrossLane::Scan(Add),
            Across::WScanAnd => CrossLane::Scan(And),
            Across::WScanOr => CrossLane::Scan(Or),
            Across::WScanXor => CrossLane::Scan(Xor),
            Across::WScanSMin => CrossLane::Scan(SMin),
            Across::WScanSMax => CrossLane::Scan(SMax),
            Across::WScanUMin => CrossLane::Scan(UMin),
            Across::WScanUMax => CrossLane::Scan(UMax),
        }
    }
}

/// Shape and class are those of the kind, and an atomic's number says what it does; else the table
/// does not compile.
const _: () = {
    let mut i = 0;
    while i < TABLE.len() {
        let row = &TABLE[i];
        let fits = match row.op.kind() {
            Kind::Control(_) => matches!(row.class, Class::Control),
            Kind::Message(_) => matches!(row.class, Class::Message),
            Kind::Function(_) => matches!(row.class, Class::Function),
            Kind::Graphics(_) => matches!(row.class, Class::Graphics),
            Kind::Load(_) => matches!((row.class, row.shape), (Class::Global | Class::Shared, Shape::Load { .. })),
            Kind::Store(_) => matches!((row.class, row.shape), (Class::Global | Class::Shared, Shape::Store { .. })),
            Kind::Atomic(_) | Kind::WarpAtomic(_) => {
                matches!(row.class, Class::Global | Class::Shared)
                    && matches!(row.shape, Shape::Atomic { .. } | Shape::AtomicCas { .. })
                    && ((row.code & 0xF) as usize) < AtomicOp::ALL.len()
            }
            Kind::Integer(_) | Kind::Bits(_) | Kind::Compare(_) | Kind::Float(_) => matches!(row.class, Class::Alu),
            Kind::Move(_) | Kind::Format(_) | Kind::Across(_) => matches!(row.class, Class::Alu),
        };
        assert!(fits, "a row whose shape, class or number is not one of its kind");
        i += 1;
    }
};

/// Opcode number, plus 256 if bit 30 is set -> 1 + index in [`TABLE`], 0 if unassigned.
const LOOKUP: [u8; 512] = {
    assert!(TABLE.len() < 256);
    let mut lookup = [0u8; 512];
    let mut i = 0;
    while i < TABLE.len() {
        lookup[TABLE[i].op as usize] = i as u8 + 1;
        i += 1;
    }
    lookup
};

impl Op {
    /// The instruction of that opcode number, plus 256 for that of the number with bit 30 of the
    /// word set.
    pub fn from_code(code: impl Into<u16>) -> Option<Op> {
        match LOOKUP.get(usize::from(code.into())).copied().unwrap_or(0) {
            0 => None,
            n => Some(TABLE[n as usize - 1].op),
        }
    }

    /// The instruction of that mnemonic, in capitals.
    pub fn from_name(name: &str) -> Option<Op> {
        TABLE.iter().find(|r| r.name == name).map(|r| r.op)
    }

    /// The operation's row of the table.
    pub fn row(self) -> &'static Row {
        &TABLE[LOOKUP[self as usize] as usize - 1]
    }

    /// Mnemonic, as the assembler writes it.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Which operands it has.
    pub fn shape(self) -> Shape {
        self.row().shape
    }

    /// Which part of the machine executes it.
    pub fn class(self) -> Class {
        self.row().class
    }

    /// A load, of either memory.
    pub fn is_load(self) -> bool {
        matches!(self.shape(), Shape::Load { .. })
    }

    /// A store, of either memory.
    pub fn is_store(self) -> bool {
        matches!(self.shape(), Shape::Store { .. })
    }

    /// An atomic, per lane or warp-wide, of either memory.
    pub fn is_atomic(self) -> bool {
        self.atomic().is_some()
    }

    /// A store that helpers do too.
    pub fn is_own(self) -> bool {
        matches!(self, Op::St32Own | Op::St64Own | Op::St128Own)
    }

    /// A load, store or atomic, of either memory.
    pub fn is_memory(self) -> bool {
        self.access_bytes() != 0
    }

    /// Whether the memory accessed is the unit's shared storage.
    pub fn is_shared(self) -> bool {
        self.class() == Class::Shared
    }

    /// Bytes per lane of a memory access (1, 2, 4, 8, 16); 0 if it is none.
    pub fn access_bytes(self) -> u8 {
        match self.shape() {
            Shape::Load { bytes } | Shape::Store { bytes } | Shape::Atomic { bytes } | Shape::AtomicCas { bytes } => {
                bytes
            }
            _ => 0,
        }
    }

    /// A load that extends the sign of a byte or half word.
    pub fn sign_extends(self) -> bool {
        self.row().sign_extends
    }

    /// What an atomic does to the old value; nothing if it is none.
    pub fn atomic(self) -> Option<AtomicOp> {
        match self.kind() {
            Kind::Atomic(_) | Kind::WarpAtomic(_) => AtomicOp::ALL.get((self as u8 & 0xF) as usize).copied(),
            _ => None,
        }
    }

    /// An atomic that is performed once for the warp (WW-20).
    pub fn is_warp_wide(self) -> bool {
        matches!(self.kind(), Kind::WarpAtomic(_))
    }

    /// WRED, WSCAN, WBALLOT: which.
    pub fn cross_lane(self) -> Option<CrossLane> {
        match self.kind() {
            Kind::Across(op) => Some(op.form()),
            _ => None,
        }
    }

    /// BRA, BNZ, BZ: `imm[15:0]` is a target.
    pub fn is_branch(self) -> bool {
        matches!(self, Op::Bra | Op::Bnz | Op::Bz)
    }

    /// END, DISCARD, BRA: the next instruction in memory is never executed after it.
    pub fn is_terminator(self) -> bool {
        matches!(self, Op::End | Op::Discard | Op::Bra)
    }

    /// It may carry an event: its lanes go on, and nothing else of the warp depends on when.
    pub fn carries_events(self) -> bool {
        use kind::{Control, Graphics};
        let forms = self as u16 >> 8 == 0;
        forms
            && match self.kind() {
                Kind::Control(op) => op == Control::Bra,
                Kind::Graphics(op) => !matches!(op, Graphics::Merge | Graphics::Split | Graphics::Demote),
                Kind::Message(_) => false,
                _ => true,
            }
    }

    /// Compares or computes with f32: immediates are printed as floating-point numbers.
    pub fn is_float(self) -> bool {
        self.row().float
    }
}

/// A short list of registers, in operand order; may name a register twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegList {
    regs: [u8; 8],
    len: usize,
}

impl RegList {
    fn push_group(&mut self, first: u8, count: u8) {
        for i in 0..count {
            self.regs[self.len] = group_register(first, i);
            self.len += 1;
        }
    }
}

impl std::ops::Deref for RegList {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.regs[..self.len]
    }
}

/// Register `i` of a group that starts at `first`: numbers wrap at the size of the register file.
pub fn group_register(first: u8, i: u8) -> u8 {
    (first + i) % REGISTERS as u8
}

fn words(bytes: u8) -> u8 {
    bytes.div_ceil(4)
}

impl Instr {
    /// The instruction with all operands zero.
    pub fn new(op: Op) -> Self {
        Instr { op, d: 0, a: 0, b: 0, c: 0, b_mode: BMode::Reg, imm: 0, event: None }
    }

    /// (first register, number of registers) written, if any. The group wraps: see
    /// [`group_register`].
    pub fn dest_regs(&self) -> Option<(u8, u8)> {
        match self.op.shape() {
            Shape::None | Shape::Target | Shape::CondTarget | Shape::B | Shape::Output | Shape::Store { .. } => None,
            Shape::Fetch { words } => Some((self.d, words)),
            Shape::Load { bytes } | Shape::Atomic { bytes } | Shape::AtomicCas { bytes } => {
                Some((self.d, words(bytes)))
            }
            _ => Some((self.d, 1)),
        }
    }

    /// Every register read.
    pub fn source_regs(&self) -> RegList {
        let mut list = RegList::default();
        let shape = self.op.shape();
        if shape.uses_a() {
            list.push_group(self.a, 1);
        }
        if shape.uses_b() && self.b_mode == BMode::Reg {
            list.push_group(self.b, shape.data_registers());
        }
        if shape.uses_c() {
            list.push_group(self.c, shape.data_registers());
        }
        list
    }

    /// The same instruction with every ignored field zero.
    pub fn canonical(&self) -> Instr {
        let shape = self.op.shape();
        let keep = |used: bool, r: u8| if used { r } else { 0 };
        let b_is_reg = shape.uses_b() && self.b_mode == BMode::Reg;
        let imm = match shape {
            Shape::None | Shape::DA => 0,
            Shape::Target | Shape::CondTarget => self.imm & 0xFFFF,
            Shape::Special | Shape::Output | Shape::Fetch { .. } => self.imm & 0x3F,
            Shape::B | Shape::DB | Shape::DAB | Shape::DABC => match self.b_mode {
                BMode::Reg => 0,
                BMode::Imm => self.imm,
                BMode::Const => self.imm & 0x3FF,
            },
            _ => self.imm,
        };
        Instr {
            op: self.op,
            d: keep(shape.uses_d(), self.d),
            a: keep(shape.uses_a(), self.a),
            b: keep(b_is_reg, self.b),
            c: keep(shape.uses_c(), self.c),
            b_mode: self.b_mode,
            imm,
            event: self.event,
        }
    }

    /// Branch target.
    pub fn target(&self) -> Option<u16> {
        self.op.is_branch().then_some(self.imm as u16)
    }
}

impl Shape {
    /// Writes register d.
    pub fn uses_d(self) -> bool {
        !matches!(
            self,
            Shape::None | Shape::Target | Shape::CondTarget | Shape::B | Shape::Output | Shape::Store { .. }
        )
    }

    /// Reads register a.
    pub fn uses_a(self) -> bool {
        !matches!(self, Shape::None | Shape::Target | Shape::B | Shape::DB | Shape::Special | Shape::Fetch { .. })
    }

    /// Has an operand B, of any mode.
    pub fn uses_b(self) -> bool {
        matches!(
            self,
            Shape::B
                | Shape::DB
                | Shape::DAB
                | Shape::DABC
                | Shape::Store { .. }
                | Shape::Atomic { .. }
                | Shape::AtomicCas { .. }
        )
    }

    /// Reads register c.
    pub fn uses_c(self) -> bool {
        matches!(self, Shape::DABC | Shape::AtomicCas { .. })
    }

    /// Registers that operand B (and C) span: more than one for wide stores and 64-bit atomics.
    pub fn data_registers(self) -> u8 {
        match self {
            Shape::Store { bytes } | Shape::Atomic { bytes } | Shape::AtomicCas { bytes } => words(bytes),
            _ => 1,
        }
    }
}

/// The 64-bit word of an instruction. Register numbers are taken modulo 32.
pub fn encode(i: &Instr) -> u64 {
    u64::from(i.op as u16 & 0xFF)
        | u64::from(i.op as u16 >> 8) << 30
        | i.event.map_or(0, |event| event as u64) << 30
        | u64::from(i.d & 31) << 8
        | u64::from(i.a & 31) << 13
        | u64::from(i.b & 31) << 18
        | u64::from(i.c & 31) << 23
        | (i.b_mode as u64) << 28
        | u64::from(i.imm) << 32
}

/// The instruction of a word, or why it traps.
pub fn decode(word: u64) -> Result<Instr, Undefined> {
    let code = word as u8;
    let field = |low: u32| (word >> low) as u8 & 31;
    if Op::from_code(code).is_none() {
        return Err(Undefined::Opcode(code));
    }
    let (form, event) = match word >> 30 & 3 {
        2 => (0, Some(Event::Merge)),
        3 => (0, Some(Event::Split)),
        form => (form as u16, None),
    };
    let op = match Op::from_code(u16::from(code) | form << 8) {
        Some(op) if event.is_none() || op.carries_events() => op,
        _ if event.is_some() => return Err(Undefined::NoEvent),
        _ => return Err(Undefined::ReservedBits),
    };
    let mode = (word >> 28 & 3) as u8;
    let b_mode = match mode {
        0 => BMode::Reg,
        1 => BMode::Imm,
        2 => BMode::Const,
        _ => return Err(Undefined::Mode),
    };
    if op.shape().b_modes() >> mode & 1 == 0 {
        return Err(Undefined::ModeOfOp(op.name(), mode));
    }
    Ok(Instr { op, d: field(8), a: field(13), b: field(18), c: field(23), b_mode, imm: (word >> 32) as u32, event })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_numbers_and_names_are_unique_and_ordered() {
        for pair in TABLE.windows(2) {
            assert!((pair[0].op as u16) < pair[1].op as u16, "{} {}", pair[0].name, pair[1].name);
        }
        for (i, row) in TABLE.iter().enumerate() {
            assert_eq!(row.op as u16, u16::from(row.code) + 256 * u16::from(row.in_shared));
            assert_eq!(Op::from_name(row.name), Some(row.op));
            assert_eq!(TABLE.iter().position(|r| r.name == row.name), Some(i));
        }
    }

    /// All 256 opcode numbers, all modes, both reserved bits: exactly the words that the table
    /// defines decode.
    #[test]
    fn undefined_encodings_are_exactly_those_of_the_table() {
        for low in 0u64..=0xFF {
            for top in 0u64..16 {
                let word = low | top << 28 | 0x1234_5678 << 32;
                let (mode, carries) = (top & 3, top >> 3 == 1);
                let in_shared = top >> 2 & 1 == 1 && !carries;
                let row = TABLE.iter().find(|r| u64::from(r.code) == low && r.in_shared == in_shared);
                let allowed: &[u64] = match row.map(|r| r.shape) {
                    None => &[],
                    Some(Shape::B | Shape::DB | Shape::DAB | Shape::DABC) => &[0, 1, 2],
                    Some(_) => &[0],
                };
                let defined = allowed.contains(&mode) && (!carries || row.is_some_and(|r| r.op.carries_events()));
                assert_eq!(decode(word).is_ok(), defined, "{word:#x}");
                if let Ok(i) = decode(word) {
                    assert_eq!(encode(&i), word);
                }
            }
        }
        assert_eq!(decode(0), Err(Undefined::Opcode(0)));
    }

    /// MS-10: bits 31:30 of what goes on to the next instruction, or to another one for all lanes.
    #[test]
    fn ms_10_events_are_bits_of_a_word() {
        let i = Instr { d: 3, a: 1, b: 2, ..Instr::new(Op::IAdd) };
        for (event, bits) in [(Event::Merge, 2), (Event::Split, 3)] {
            assert_eq!(encode(&Instr { event: Some(event), ..i }), encode(&i) | bits << 30);
            assert_eq!(event.op().name(), &event.suffix()[1..]);
        }
        for op in [Op::End, Op::Discard, Op::Bar, Op::Bnz, Op::Merge, Op::Split, Op::Demote, Op::Wts, Op::St32Own] {
            assert!(!op.carries_events(), "{}", op.name());
        }
        for op in [Op::Bra, Op::Mov, Op::Ddx, Op::St32, Op::Attr, Op::FDiv] {
            assert!(op.carries_events(), "{}", op.name());
        }
        assert_eq!(decode(Op::End as u64 | 2 << 30), Err(Undefined::NoEvent));
        assert_eq!(decode(Op::St32Own as u64 & 0xFF | 3 << 30).map(|i| i.op), Ok(Op::St32));
    }

    #[test]
    fn classes_and_shapes_agree() {
        for r in TABLE {
            let is_control = matches!(r.shape, Shape::None | Shape::Target | Shape::CondTarget);
            let class = match (r.class, r.op.is_memory()) {
                (Class::Control, false) => is_control,
                (Class::Alu | Class::Function, false) => !is_control && r.shape != Shape::B,
                (Class::Message, false) => matches!(r.shape, Shape::None | Shape::B),
                (Class::Graphics, false) => matches!(r.shape, Shape::None | Shape::Output | Shape::Fetch { .. }),
                (Class::Global | Class::Shared, true) => true,
                _ => false,
            };
            assert!(class, "{}", r.name);
        }
    }

    #[test]
    fn register_lists() {
        let i = |op, d, a, b, c| Instr { d, a, b, c, ..Instr::new(op) };
        let cas = i(Op::ACas64, 4, 1, 6, 8);
        assert_eq!(cas.dest_regs(), Some((4, 2)));
        assert_eq!(&*cas.source_regs(), &[1, 6, 7, 8, 9]);
        let store = i(Op::St128, 9, 1, 30, 3);
        assert_eq!(store.dest_regs(), None);
        assert_eq!(&*store.source_regs(), &[1, 30, 31, 0, 1]);
        let bfi = Instr { b_mode: BMode::Imm, ..i(Op::Bfi, 1, 2, 3, 4) };
        assert_eq!(&*bfi.source_regs(), &[2, 4]);
        assert_eq!(i(Op::Lds128, 3, 1, 2, 2).dest_regs(), Some((3, 4)));
        assert!(i(Op::End, 3, 1, 2, 2).source_regs().is_empty());
        assert_eq!(&*i(Op::Bnz, 3, 1, 2, 2).source_regs(), &[1]);
        let acquire = i(Op::Acs, 3, 1, 2, 2);
        assert_eq!((&*acquire.source_regs(), acquire.dest_regs()), (&[2][..], None));
        assert!(Instr { b_mode: BMode::Imm, ..i(Op::Rls, 3, 1, 2, 2) }.source_regs().is_empty());
        assert!(i(Op::Wts, 3, 1, 2, 2).source_regs().is_empty());
    }

    #[test]
    fn atomic_kinds_follow_the_names() {
        for row in TABLE.iter().filter(|r| r.op.is_atomic()) {
            let kind = format!("{:?}", row.op.atomic().unwrap()).to_uppercase();
            assert!(row.name.ends_with(&format!(".{kind}")), "{} {kind}", row.name);
            assert_eq!(row.op.is_warp_wide(), row.name.starts_with("WATOM"), "{}", row.name);
        }
        // WW-26: the same forms in shared storage as in global memory.
        for row in TABLE.iter().filter(|r| r.op.is_warp_wide()) {
            let other =
                row.name.replace("WATOMS", "WATOM").replace("WATOM", if row.in_shared { "WATOM" } else { "WATOMS" });
            let twin = Op::from_name(&other).expect("the same form").row();
            assert_eq!((twin.shape, twin.code, twin.in_shared), (row.shape, row.code, !row.in_shared), "{}", row.name);
            assert_eq!((row.op.is_shared(), twin.op.is_shared()), (row.in_shared, !row.in_shared), "{}", row.name);
        }
        for row in TABLE {
            let name = row.op.cross_lane().map(|c| match c {
                CrossLane::Reduce(kind) => format!("WRED.{kind:?}").to_uppercase(),
                CrossLane::Scan(kind) => format!("WSCAN.{kind:?}").to_uppercase(),
                CrossLane::Ballot => "WBALLOT".to_owned(),
            });
            let expected =
                ["WRED", "WSCAN", "WBALLOT"].iter().any(|p| row.name.starts_with(p)).then(|| row.name.to_owned());
            assert_eq!(name, expected);
        }
    }
}

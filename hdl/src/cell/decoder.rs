//! Instruction decoder, generated from the instruction table: low instruction word in, what the
//! warp unit has to know out. The Verilog is a `case` over the opcode made from the same rows as
//! the Rust look-up, so a new row in the table is all that a new instruction needs here.
//!
//! Combinational. An undefined encoding (see [`quadlock_isa::table`]) raises `undefined` and clears
//! every other flag and count, so it can start nothing; so do the warp-wide atomics, and the
//! instructions of vertices and fragments, where the machine is built without them. OUT, BARY and
//! ATTR count as accesses to global memory: they take its way to the attribute unit. It can be
//! wrong in the flags derived from a row's shape; `tests/cells.rs` lists them for every opcode and
//! shape.

use std::fmt::Write;
use std::sync::OnceLock;

use quadlock_hdl_macros::QuietBlock;
use quadlock_isa::kind::{Control, Message, Move};
use quadlock_isa::{Class, Kind, Op, Row, Shape, TABLE};
use rust_hdl::prelude::*;

use crate::config::{EventForm, GpuConfig, WarpWide};

/// Decoder of the low instruction word.
#[derive(QuietBlock)]
pub struct Decoder {
    /// Bits 31:0 of the instruction.
    pub lo: Signal<In, Bits<32>>,
    /// The encoding is not defined.
    pub undefined: Signal<Out, bool>,
    /// A fixed-latency instruction of the lanes.
    pub is_alu: Signal<Out, bool>,
    /// Accesses global memory.
    pub is_global: Signal<Out, bool>,
    /// Accesses shared storage.
    pub is_shared: Signal<Out, bool>,
    /// For the function unit.
    pub is_function: Signal<Out, bool>,
    /// Sends a message to the semaphore entity or waits for its acknowledgements: ACS, ASR, WTS,
    /// RLS.
    pub is_message: Signal<Out, bool>,
    /// ACS or ASR.
    pub is_acquire: Signal<Out, bool>,
    /// RLS.
    pub is_release: Signal<Out, bool>,
    /// BAR.
    pub is_bar: Signal<Out, bool>,
    /// END or DISCARD.
    pub is_end: Signal<Out, bool>,
    /// BRA.
    pub is_bra: Signal<Out, bool>,
    /// BNZ.
    pub is_bnz: Signal<Out, bool>,
    /// BZ.
    pub is_bz: Signal<Out, bool>,
    /// S2R.
    pub is_s2r: Signal<Out, bool>,
    /// QSHUF.
    pub is_qshuf: Signal<Out, bool>,
    /// DDX.
    pub is_ddx: Signal<Out, bool>,
    /// DDY.
    pub is_ddy: Signal<Out, bool>,
    /// MOV.
    pub is_mov: Signal<Out, bool>,
    /// Performed once for the warp: WATOM.
    pub is_wide: Signal<Out, bool>,
    /// Register a is read.
    pub reads_a: Signal<Out, bool>,
    /// Register b is read: operand B with `bm` 0, store data, atomic operand.
    pub reads_b: Signal<Out, bool>,
    /// Register c is read.
    pub reads_c: Signal<Out, bool>,
    /// Needs a second slot to read its registers: 128-bit stores, 64-bit compare-and-exchange.
    pub two_beats: Signal<Out, bool>,
    /// Registers read from b up: 0, 1, 2 or 4.
    pub b_count: Signal<Out, Bits<3>>,
    /// Registers read from c up: 0, 1 or 2.
    pub c_count: Signal<Out, Bits<3>>,
    /// Registers written from d up: 0, 1, 2 or 4.
    pub d_count: Signal<Out, Bits<3>>,
    /// Mode of operand B, as it stands, whatever the opcode; so are the four register fields.
    pub bm: Signal<Out, Bits<2>>,
    /// Destination register field.
    pub d: Signal<Out, Bits<5>>,
    /// Register field a.
    pub a: Signal<Out, Bits<5>>,
    /// Register field b.
    pub b: Signal<Out, Bits<5>>,
    /// Register field c.
    pub c: Signal<Out, Bits<5>>,
    _warp_wide: bool,
    _functions: bool,
    _graphics: bool,
    /// Bit 31 is an event behind the instruction.
    _events: bool,
    _active: bool,
}

/// What the table says about one opcode, as one word: the flags in the order of [`FLAGS`], then the
/// counts.
type Info = u64;

/// Flag outputs in order of their bit in [`Info`].
const FLAGS: [&str; 22] = [
    "is_alu",
    "is_global",
    "is_shared",
    "is_function",
    "is_message",
    "is_acquire",
    "is_release",
    "is_bar",
    "is_end",
    "is_bra",
    "is_bnz",
    "is_bz",
    "is_s2r",
    "is_qshuf",
    "is_ddx",
    "is_ddy",
    "is_mov",
    "reads_a",
    "reads_b",
    "reads_c",
    "two_beats",
    "is_wide",
];
/// First bit of each 3-bit count, and of the 3 bits that allow `bm` 0, 1, 2.
const B_COUNT: usize = 22;
const C_COUNT: usize = 25;
const D_COUNT: usize = 28;
const B_MODES: usize = 31;
const INFO_BITS: usize = 34;
const READS_B: usize = 18;
const IS_WIDE: usize = 21;
/// Bit of `is_function`.
const IS_FUNCTION: usize = 3;

fn words(bytes: u8) -> u32 {
    u32::from(bytes).div_ceil(4)
}

/// (reads a, registers read from b, from c, written from d) for register operand B.
fn operands(shape: Shape) -> (bool, u32, u32, u32) {
    match shape {
        Shape::None | Shape::Target => (false, 0, 0, 0),
        Shape::CondTarget => (true, 0, 0, 0),
        Shape::B => (false, 1, 0, 0),
        Shape::DB => (false, 1, 0, 1),
        Shape::DA => (true, 0, 0, 1),
        Shape::DAB => (true, 1, 0, 1),
        Shape::DABC => (true, 1, 1, 1),
        Shape::Special => (false, 0, 0, 1),
        Shape::Output => (true, 0, 0, 0),
        Shape::Fetch { words } => (false, 0, 0, u32::from(words)),
        Shape::Load { bytes } => (true, 0, 0, words(bytes)),
        Shape::Store { bytes } => (true, words(bytes), 0, 0),
        Shape::Atomic { bytes } => (true, words(bytes), 0, words(bytes)),
        Shape::AtomicCas { bytes } => (true, words(bytes), words(bytes), words(bytes)),
    }
}

/// One read slot delivers a and at most two more registers; a store of four or an exchange of two
/// pairs needs a second slot.
fn two_beats(shape: Shape) -> bool {
    matches!(shape, Shape::Store { bytes: 16 } | Shape::AtomicCas { bytes: 8 })
}

/// What the warp unit itself does with an instruction, beside what its class and operands say.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Own {
    Nothing,
    Acquire,
    Release,
    Barrier,
    End,
    Jump,
    BranchNotZero,
    BranchZero,
    Special,
    Shuffle,
    DerivativeX,
    DerivativeY,
    Move,
}

fn own(op: Op) -> Own {
    match op.kind() {
        Kind::Control(Control::Bar) => Own::Barrier,
        Kind::Control(Control::End | Control::Discard) => Own::End,
        Kind::Control(Control::Bra) => Own::Jump,
        Kind::Control(Control::Bnz) => Own::BranchNotZero,
        Kind::Control(Control::Bz) => Own::BranchZero,
        Kind::Message(Message::Acs | Message::Asr) => Own::Acquire,
        Kind::Message(Message::Rls) => Own::Release,
        // Waiting is what the class does.
        Kind::Message(Message::Wts) => Own::Nothing,
        Kind::Move(Move::S2R) => Own::Special,
        Kind::Move(Move::QShuf) => Own::Shuffle,
        Kind::Move(Move::Ddx) => Own::DerivativeX,
        Kind::Move(Move::Ddy) => Own::DerivativeY,
        Kind::Move(Move::Mov) => Own::Move,
        Kind::Move(Move::Sel) | Kind::Across(_) | Kind::Function(_) => Own::Nothing,
        Kind::Integer(_) | Kind::Bits(_) | Kind::Compare(_) | Kind::Float(_) | Kind::Format(_) => Own::Nothing,
        Kind::Load(_) | Kind::Store(_) | Kind::Atomic(_) | Kind::WarpAtomic(_) => Own::Nothing,
        Kind::Graphics(_) => Own::Nothing,
    }
}

fn info(row: &Row) -> Info {
    let (reads_a, b, c, d) = operands(row.shape);
    let own = own(row.op);
    let flags = [
        row.class == Class::Alu,
        row.class == Class::Global || row.class == Class::Graphics && row.shape != Shape::None,
        row.class == Class::Shared,
        row.class == Class::Function,
        row.class == Class::Message,
        own == Own::Acquire,
        own == Own::Release,
        own == Own::Barrier,
        own == Own::End,
        own == Own::Jump,
        own == Own::BranchNotZero,
        own == Own::BranchZero,
        own == Own::Special,
        own == Own::Shuffle,
        own == Own::DerivativeX,
        own == Own::DerivativeY,
        own == Own::Move,
        reads_a,
        b != 0,
        c != 0,
        two_beats(row.shape),
        row.op.is_warp_wide(),
    ];
    let mut word = flags.iter().enumerate().map(|(bit, &flag)| Info::from(flag) << bit).sum::<Info>();
    word |= Info::from(b) << B_COUNT | Info::from(c) << C_COUNT | Info::from(d) << D_COUNT;
    word | Info::from(row.shape.b_modes()) << B_MODES
}

/// The rows that a warp unit knows, with graphics or without.
fn rows_built(graphics: bool) -> impl Iterator<Item = &'static Row> {
    TABLE.iter().filter(move |row| graphics || row.class != Class::Graphics)
}

/// [`Info`] by bit 30 and opcode number; 0 (no `bm` allowed) for what is not in the table.
fn infos(graphics: bool) -> &'static [Info; 512] {
    static INFOS: [OnceLock<[Info; 512]>; 2] = [OnceLock::new(), OnceLock::new()];
    INFOS[usize::from(graphics)].get_or_init(|| {
        let mut all = [0; 512];
        for row in rows_built(graphics) {
            all[row.op as usize] = info(row);
        }
        all
    })
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new(&GpuConfig::default())
    }
}

impl Decoder {
    /// The decoder of that configuration, which says whether warp-wide atomics are defined.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            lo: Signal::default(),
            undefined: Signal::default(),
            is_alu: Signal::default(),
            is_global: Signal::default(),
            is_shared: Signal::default(),
            is_function: Signal::default(),
            is_message: Signal::default(),
            is_acquire: Signal::default(),
            is_release: Signal::default(),
            is_bar: Signal::default(),
            is_end: Signal::default(),
            is_bra: Signal::default(),
            is_bnz: Signal::default(),
            is_bz: Signal::default(),
            is_s2r: Signal::default(),
            is_qshuf: Signal::default(),
            is_ddx: Signal::default(),
            is_ddy: Signal::default(),
            is_mov: Signal::default(),
            is_wide: Signal::default(),
            reads_a: Signal::default(),
            reads_b: Signal::default(),
            reads_c: Signal::default(),
            two_beats: Signal::default(),
            b_count: Signal::default(),
            c_count: Signal::default(),
            d_count: Signal::default(),
            bm: Signal::default(),
            d: Signal::default(),
            a: Signal::default(),
            b: Signal::default(),
            c: Signal::default(),
            _warp_wide: config.warp_wide != WarpWide::Off,
            _functions: config.function_unit,
            _graphics: config.graphics,
            _events: config.event_form == EventForm::Modifier,
            _active: true,
        }
    }

    /// The flag outputs in order of [`FLAGS`].
    fn flags(&mut self) -> [&mut Signal<Out, bool>; 22] {
        [
            &mut self.is_alu,
            &mut self.is_global,
            &mut self.is_shared,
            &mut self.is_function,
            &mut self.is_message,
            &mut self.is_acquire,
            &mut self.is_release,
            &mut self.is_bar,
            &mut self.is_end,
            &mut self.is_bra,
            &mut self.is_bnz,
            &mut self.is_bz,
            &mut self.is_s2r,
            &mut self.is_qshuf,
            &mut self.is_ddx,
            &mut self.is_ddy,
            &mut self.is_mov,
            &mut self.reads_a,
            &mut self.reads_b,
            &mut self.reads_c,
            &mut self.two_beats,
            &mut self.is_wide,
        ]
    }
}

impl Logic for Decoder {
    fn update(&mut self) {
        let lo = self.lo.val().to_u32();
        let bm = (lo >> 28) & 3;
        let infos = infos(self._graphics);
        let info = match lo >> 30 {
            // An event behind the instruction (MS-10).
            2 | 3 if self._events && carries(lo as u8) => infos[(lo & 0xFF) as usize],
            2 | 3 => 0,
            form => infos[(lo & 0xFF | form << 8) as usize],
        };
        let switched_off =
            !self._warp_wide && info >> IS_WIDE & 1 == 1 || !self._functions && info >> IS_FUNCTION & 1 == 1;
        let defined = !switched_off && (info >> B_MODES) & (1 << bm) & 0b111 != 0;
        let mut info = if defined { info } else { 0 };
        let is_operand_b = (info >> B_MODES) & 0b111 == 0b111;
        if is_operand_b && bm != 0 {
            info &= !(1 << READS_B | 0b111 << B_COUNT);
        }
        self.undefined.next = !defined;
        for (bit, flag) in self.flags().into_iter().enumerate() {
            flag.next = (info >> bit) & 1 != 0;
        }
        let field = |low: usize, mask: u32| u64::from((lo >> low) & mask);
        let count = |low: usize| bits((info >> low) & 7);
        self.b_count.next = count(B_COUNT);
        self.c_count.next = count(C_COUNT);
        self.d_count.next = count(D_COUNT);
        self.bm.next = bits(field(28, 3));
        self.d.next = bits(field(8, 31));
        self.a.next = bits(field(13, 31));
        self.b.next = bits(field(18, 31));
        self.c.next = bits(field(23, 31));
    }

    fn connect(&mut self) {
        self.undefined.connect();
        for flag in self.flags() {
            flag.connect();
        }
        for count in [&mut self.b_count, &mut self.c_count, &mut self.d_count] {
            count.connect();
        }
        self.bm.connect();
        for field in [&mut self.d, &mut self.a, &mut self.b, &mut self.c] {
            field.connect();
        }
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(verilog(self._warp_wide, self._functions, self._graphics, self._events))
    }
}

/// The opcode, with bit 30 zero, may carry an event.
fn carries(code: u8) -> bool {
    Op::from_code(code).is_some_and(Op::carries_events)
}

/// What makes an encoding undefined whose opcode and mode are in the table.
fn refused(events: bool) -> String {
    if !events {
        return "   if (lo[31]) defined = 1'b0;\n".into();
    }
    let none: Vec<String> = (0..=255).filter(|&code| !carries(code)).map(|code| format!("8'h{code:02x}")).collect();
    format!(
        "   case (lo[7:0])\n      {}: carries = 1'b0;\n      default: carries = 1'b1;\n   endcase\n   if (lo[31] && !carries) defined = 1'b0;\n",
        none.join(", ")
    )
}

/// The decoder as one `always` block: row by opcode, validity, outputs.
fn verilog(warp_wide: bool, functions: bool, graphics: bool, events: bool) -> String {
    let (top, known) = (INFO_BITS - 1, B_MODES - 1);
    // With bit 31 the instruction is that without bits 31:30.
    let (key, carries) = match events {
        true => ("{lo[30] && !lo[31], lo[7:0]}", "reg carries;\n"),
        false => ("{lo[30], lo[7:0]}", ""),
    };
    let mut text =
        format!("// module: decoder\nreg [{top}:0] row;\nreg [{known}:0] info;\nreg defined;\n{carries}\nalways @(*) begin\n   case ({key})\n");
    let built = |op: Op| (warp_wide || !op.is_warp_wide()) && (functions || op.class() != Class::Function);
    for row in rows_built(graphics).filter(|row| built(row.op)) {
        writeln!(text, "      9'h{:03x}: row = {INFO_BITS}'h{:x}; // {}", row.op as u16, info(row), row.name)
            .expect("write to a string");
    }
    let modes = format!("row[{}:{}]", B_MODES + 2, B_MODES);
    let (b_top, reads_b) = (B_COUNT + 2, READS_B);
    write!(
        text,
        "      default: row = {INFO_BITS}'h0;
   endcase
   case (lo[29:28])
      2'd0: defined = row[{m0}];
      2'd1: defined = row[{m1}];
      2'd2: defined = row[{m2}];
      default: defined = 1'b0;
   endcase
{refused}   info = defined ? row[{known}:0] : {B_MODES}'h0;
   if ({modes} == 3'b111 && lo[29:28] != 2'd0) begin
      info[{reads_b}] = 1'b0;
      info[{b_top}:{B_COUNT}] = 3'd0;
   end
   undefined = ~defined;
",
        refused = refused(events),
        m0 = B_MODES,
        m1 = B_MODES + 1,
        m2 = B_MODES + 2,
    )
    .expect("write to a string");
    for (bit, name) in FLAGS.iter().enumerate() {
        writeln!(text, "   {name} = info[{bit}];").expect("write to a string");
    }
    for (name, low) in [("b_count", B_COUNT), ("c_count", C_COUNT), ("d_count", D_COUNT)] {
        writeln!(text, "   {name} = info[{}:{low}];", low + 2).expect("write to a string");
    }
    text + "   bm = lo[29:28];\n   d = lo[12:8];\n   a = lo[17:13];\n   b = lo[22:18];\n   c = lo[27:23];\nend\n"
}

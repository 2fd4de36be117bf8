//! The geometry engine: a small processor with the floats of a lane, one divider of four quotients,
//! and the integer set-up beside it. Its program ([`super::program`]) is what geometry does.
//!
//! A word of the program: kind 31:28, operation 27:20, destination 19:12, A 11:4 and index of
//! destination 3:2 and A 1:0 in the upper half; B 31:24, C 23:16, their indices 15:14 and 13:12,
//! target 11:0 in the lower. An index of 1 or 2 adds an index register to the register's number.
//!
//! | kind | |
//! | --- | --- |
//! | lane | D = operation of a lane, by its opcode |
//! | literal | D = the lower half |
//! | load, store of a vertex | D = word B of entry A; word B of entry A = C |
//! | load of state | D = word *operation* of the context |
//! | get, cell | D = something of the blocks around, or of a cell |
//! | wait, do | hold the program until something is so; make something happen, with A |
//! | branches, jump | if A is not 0, if it is 0, always |
//! | set index | index register *operation* = A |
//! | put, record | A (and B) for a block around; B for part *operation* of record A |
//!
//! One instruction per cycle; a result is written six cycles after its issue, whoever makes it. An
//! instruction waits while one of its registers is still to be written. Branches take two cycles.
//! It can be wrong in that comparison, and in a result that meets another one's destination.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use super::cells::{FixedDepth, Outcode, ProgramRom, WideFloat};
use super::setup::TriangleSetup;
use crate::base::vector;
use crate::cell::Ram;
use crate::comment;
use crate::config::GpuConfig;
use crate::float::divide::Divide;
use crate::ports::{CornerIn, StateWriteIn, TriangleEventOut, TriangleOut};
use crate::warp::lane::Lane;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct GeometryEngine {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of states and of the pass.
    pub state: StateWriteIn,
    /// A corner comes.
    pub corner_valid: Signal<In, bool>,
    /// It is taken in this cycle if valid.
    pub corner_ready: Signal<Out, bool>,
    /// The corner.
    pub corner: CornerIn,
    /// A triangle is set up.
    pub triangle_valid: Signal<Out, bool>,
    /// It is taken in this cycle if valid.
    pub triangle_ready: Signal<In, bool>,
    /// The triangle.
    pub triangle: TriangleOut,
    /// Event: what became of a triangle.
    pub tri: TriangleEventOut,
    /// Between a draw's first corner and its end.
    pub inside: Signal<Out, bool>,
    /// The draw's context.
    pub context: Signal<Out, Bits<3>>,
    // The stores.
    /// Word of a vertex that is read.
    pub read_address: Signal<Out, Bits<12>>,
    /// It, a cycle later.
    pub read_data: Signal<In, Bits<32>>,
    /// A word is written.
    pub write: Signal<Out, bool>,
    /// Which one.
    pub write_address: Signal<Out, Bits<12>>,
    /// The word.
    pub write_data: Signal<Out, Bits<32>>,
    /// An entry: is its vertex shaded?
    pub query: Signal<Out, Bits<6>>,
    /// It is.
    pub is_shaded: Signal<In, bool>,
    /// An entry is free.
    pub spare: Signal<In, bool>,
    /// Its number.
    pub spare_entry: Signal<In, Bits<6>>,
    /// It is taken.
    pub spare_take: Signal<Out, bool>,
    /// A reference more or less.
    pub count: Signal<Out, bool>,
    /// One more.
    pub count_up: Signal<Out, bool>,
    /// Of that entry.
    pub count_entry: Signal<Out, Bits<6>>,
    /// It is counted in this cycle.
    pub count_ready: Signal<In, bool>,
    /// A record is free.
    pub handle_valid: Signal<In, bool>,
    /// Its number.
    pub handle: Signal<In, Bits<6>>,
    /// It is taken.
    pub handle_take: Signal<Out, bool>,
    /// A part of a record is written.
    pub record: Signal<Out, bool>,
    /// Which part.
    pub record_part: Signal<Out, Bits<3>>,
    /// Of which record.
    pub record_handle: Signal<Out, Bits<6>>,
    /// An edge to the right.
    pub record_a: Signal<Out, Bits<24>>,
    /// Down.
    pub record_b: Signal<Out, Bits<24>>,
    /// At the corner.
    pub record_c: Signal<Out, Bits<48>>,
    /// A word, or entries.
    pub record_data: Signal<Out, Bits<32>>,
    rom: ProgramRom,
    registers_a: Ram,
    registers_b: Ram,
    registers_c: Ram,
    states: Ram,
    lane: Lane,
    divide: Divide,
    setup: TriangleSetup,
    outcode: Outcode,
    depth: FixedDepth,
    float: WideFloat,
    size: DFF<Bits<32>>,
    // Fetch and issue.
    pc: DFF<Bits<10>>,
    started: DFF<bool>,
    branching: DFF<bool>,
    index_i: DFF<Bits<8>>,
    index_j: DFF<Bits<8>>,
    // The instruction whose operands are read, then destinations on their way.
    x_kind: DFF<Bits<4>>,
    x_op: DFF<Bits<8>>,
    x_literal: DFF<Bits<32>>,
    writes: Vec<DFF<bool>>,
    destination: Vec<DFF<Bits<8>>>,
    from_lane: Vec<DFF<bool>>,
    other: Vec<DFF<Bits<32>>>,
    loads: DFF<bool>,
    reads_state: DFF<bool>,
    // Corners, quotients, set-up.
    in_draw: DFF<bool>,
    at_context: DFF<Bits<3>>,
    order: DFF<Bits<16>>,
    kept: Vec<DFF<Bits<32>>>,
    dividend: Vec<DFF<Bits<32>>>,
    divisor: Vec<DFF<Bits<32>>>,
    quotient: Vec<DFF<Bits<32>>>,
    dividing: DFF<bool>,
    requested: DFF<bool>,
    latest: DFF<Bits<6>>,
    // The triangle at the port.
    out: DFF<bool>,
    o_context: DFF<Bits<3>>,
    o_handle: DFF<Bits<6>>,
    o_order: DFF<Bits<16>>,
    o_back: DFF<bool>,
    o_box: Vec<DFF<Bits<12>>>,
    o_low: DFF<Bits<24>>,
    o_high: DFF<Bits<24>>,
    o_a: Vec<DFF<Bits<24>>>,
    o_b: Vec<DFF<Bits<24>>>,
    o_c: Vec<DFF<Bits<48>>>,
    o_z: DFF<Bits<52>>,
    o_gx: DFF<Bits<50>>,
    o_gy: DFF<Bits<50>>,
    // Named intermediate values.
    kind: Signal<Local, Bits<4>>,
    operation: Signal<Local, Bits<8>>,
    a: Signal<Local, Bits<8>>,
    b: Signal<Local, Bits<8>>,
    c: Signal<Local, Bits<8>>,
    d: Signal<Local, Bits<8>>,
    read: Signal<Local, bool>,
    hazard: Signal<Local, bool>,
    held: Signal<Local, bool>,
    settled: Signal<Local, bool>,
    issue: Signal<Local, bool>,
    taken: Signal<Local, bool>,
    next_pc: Signal<Local, Bits<10>>,
    va: Signal<Local, Bits<32>>,
    vb: Signal<Local, Bits<32>>,
    vc: Signal<Local, Bits<32>>,
    value: Signal<Local, Bits<32>>,
    makes: Signal<Local, bool>,
    loaded: Signal<Local, Bits<32>>,
    _active: bool,
}

impl GeometryEngine {
    /// At the beginning of its program, with that configuration's planted faults.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            registers_a: Ram::new(256),
            registers_b: Ram::new(256),
            registers_c: Ram::new(256),
            states: Ram::new(512),
            lane: Lane::new(config),
            divide: Divide::new(config),
            setup: TriangleSetup::new(config),
            writes: vector(6),
            destination: vector(6),
            from_lane: vector(6),
            other: vector(6),
            kept: vector(17),
            dividend: vector(4),
            divisor: vector(4),
            quotient: vector(4),
            o_box: vector(4),
            o_a: vector(3),
            o_b: vector(3),
            o_c: vector(3),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for GeometryEngine {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: geometry_engine");
        dff_setup!(
            self,
            clock,
            size,
            pc,
            started,
            branching,
            index_i,
            index_j,
            x_kind,
            x_op,
            x_literal,
            loads,
            reads_state,
            in_draw,
            at_context,
            order,
            dividing,
            requested,
            latest,
            out,
            o_context,
            o_handle,
            o_order,
            o_back,
            o_low,
            o_high,
            o_z,
            o_gx,
            o_gy
        );
        clock!(self, clock, rom, registers_a, registers_b, registers_c, states, lane, divide, setup);
        for k in 0..3 {
            self.o_a[k].clock.next = self.clock.val();
            self.o_b[k].clock.next = self.clock.val();
            self.o_c[k].clock.next = self.clock.val();
            self.o_a[k].d.next = self.o_a[k].q.val();
            self.o_b[k].d.next = self.o_b[k].q.val();
            self.o_c[k].d.next = self.o_c[k].q.val();
        }
        for k in 0..4 {
            self.dividend[k].clock.next = self.clock.val();
            self.divisor[k].clock.next = self.clock.val();
            self.quotient[k].clock.next = self.clock.val();
            self.o_box[k].clock.next = self.clock.val();
            self.dividend[k].d.next = self.dividend[k].q.val();
            self.divisor[k].d.next = self.divisor[k].q.val();
            self.quotient[k].d.next = self.quotient[k].q.val();
            self.o_box[k].d.next = self.o_box[k].q.val();
        }
        for k in 0..17 {
            self.kept[k].clock.next = self.clock.val();
            self.kept[k].d.next = self.kept[k].q.val();
        }

        // State: eight contexts of 64 words; of the pass the size.
        self.states.write_enable.next = self.state.valid.val() && !self.state.pass.val();
        self.states.write_address.next =
            (bit_cast::<12, 3>(self.state.context.val()) << bits::<12>(6)) | bit_cast::<12, 6>(self.state.word.val());
        self.states.write_data.next = self.state.data.val();
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(0)) {
            self.size.d.next = self.state.data.val();
        }

        // The instruction, and the registers that it names.
        self.kind.next = self.rom.high.val().get_bits::<4>(28);
        self.operation.next = self.rom.high.val().get_bits::<8>(20);
        self.d.next = self.rom.high.val().get_bits::<8>(12);
        if self.rom.high.val().get_bit(2) {
            self.d.next = self.rom.high.val().get_bits::<8>(12) + self.index_i.q.val();
        }
        if self.rom.high.val().get_bit(3) {
            self.d.next = self.rom.high.val().get_bits::<8>(12) + self.index_j.q.val();
        }
        self.a.next = self.rom.high.val().get_bits::<8>(4);
        if self.rom.high.val().get_bit(0) {
            self.a.next = self.rom.high.val().get_bits::<8>(4) + self.index_i.q.val();
        }
        if self.rom.high.val().get_bit(1) {
            self.a.next = self.rom.high.val().get_bits::<8>(4) + self.index_j.q.val();
        }
        self.b.next = self.rom.low.val().get_bits::<8>(24);
        if self.rom.low.val().get_bit(14) {
            self.b.next = self.rom.low.val().get_bits::<8>(24) + self.index_i.q.val();
        }
        if self.rom.low.val().get_bit(15) {
            self.b.next = self.rom.low.val().get_bits::<8>(24) + self.index_j.q.val();
        }
        self.c.next = self.rom.low.val().get_bits::<8>(16);
        if self.rom.low.val().get_bit(12) {
            self.c.next = self.rom.low.val().get_bits::<8>(16) + self.index_i.q.val();
        }
        if self.rom.low.val().get_bit(13) {
            self.c.next = self.rom.low.val().get_bits::<8>(16) + self.index_j.q.val();
        }

        // It waits for registers, for an index, for what it says.
        self.read.next = (self.kind.val() != bits::<4>(2)) && (self.kind.val() != bits::<4>(8));
        self.hazard.next = false;
        for k in 0..6 {
            if self.writes[k].q.val()
                && self.read.val()
                && ((self.destination[k].q.val() == self.a.val())
                    || (self.destination[k].q.val() == self.b.val())
                    || (self.destination[k].q.val() == self.c.val()))
            {
                self.hazard.next = true;
            }
        }
        self.settled.next = self.x_kind.q.val() == bits::<4>(0);
        self.held.next = self.x_kind.q.val() == bits::<4>(13);
        if self.kind.val() == bits::<4>(8) {
            self.held.next = !self.settled.val();
            if self.operation.val() == bits::<8>(0) {
                self.held.next = !self.settled.val() || !self.corner_valid.val();
            }
            if self.operation.val() == bits::<8>(1) {
                self.held.next = !self.settled.val() || self.dividing.q.val();
            }
            if self.operation.val() == bits::<8>(2) {
                self.held.next = !self.settled.val() || !self.setup.known.val();
            }
            if self.operation.val() == bits::<8>(3) {
                self.held.next = !self.settled.val() || !self.setup.done.val();
            }
            if self.operation.val() == bits::<8>(4) {
                self.held.next = !self.settled.val() || !self.spare.val();
            }
            if self.operation.val() == bits::<8>(5) {
                self.held.next = !self.settled.val() || !self.handle_valid.val();
            }
            if self.operation.val() == bits::<8>(6) {
                self.held.next = !self.settled.val() || self.out.q.val();
            }
            if self.operation.val() == bits::<8>(7) {
                self.held.next = !self.settled.val() || !self.setup.plane_done.val();
            }
            if self.operation.val() == bits::<8>(8) {
                self.held.next = !self.settled.val() || !self.count_ready.val();
            }
        }
        self.issue.next = self.started.q.val() && !self.hazard.val() && !self.held.val() && !self.branching.q.val();
        self.started.d.next = true;

        // Operands are there in the next cycle.
        self.registers_a.read_address.next = bit_cast::<12, 8>(self.a.val());
        self.registers_b.read_address.next = bit_cast::<12, 8>(self.b.val());
        self.registers_c.read_address.next = bit_cast::<12, 8>(self.c.val());
        self.states.read_address.next = (bit_cast::<12, 3>(self.at_context.q.val()) << bits::<12>(6))
            | bit_cast::<12, 6>(self.operation.val().get_bits::<6>(0));
        self.va.next = self.registers_a.read_data.val();
        self.vb.next = self.registers_b.read_data.val();
        self.vc.next = self.registers_c.read_data.val();
        self.x_kind.d.next = bits::<4>(0);
        self.x_op.d.next = self.operation.val();
        self.x_literal.d.next = self.rom.low.val();
        if self.issue.val() {
            self.x_kind.d.next = self.kind.val();
        }

        // Branches: the operand is there a cycle later.
        self.next_pc.next = self.pc.q.val();
        self.branching.d.next = false;
        self.taken.next = false;
        if self.issue.val() {
            if (self.kind.val() == bits::<4>(10)) || (self.kind.val() == bits::<4>(11)) {
                self.branching.d.next = true;
            } else {
                self.next_pc.next = self.pc.q.val() + bits::<10>(1);
                if self.kind.val() == bits::<4>(12) {
                    self.next_pc.next = self.rom.low.val().get_bits::<10>(0);
                }
            }
        }
        if self.branching.q.val() {
            self.taken.next = self.va.val().any();
            if self.kind.val() == bits::<4>(11) {
                self.taken.next = !self.va.val().any();
            }
            self.next_pc.next = self.pc.q.val() + bits::<10>(1);
            if self.taken.val() {
                self.next_pc.next = self.rom.low.val().get_bits::<10>(0);
            }
        }
        self.pc.d.next = self.next_pc.val();
        self.rom.address.next = self.next_pc.val();

        // Destinations on their way: element 0 beside the operands, written behind element 5.
        self.makes.next = ((self.kind.val() == bits::<4>(1))
            || (self.kind.val() == bits::<4>(2))
            || (self.kind.val() == bits::<4>(3))
            || (self.kind.val() == bits::<4>(5))
            || (self.kind.val() == bits::<4>(6))
            || (self.kind.val() == bits::<4>(7)))
            && self.issue.val();
        self.writes[0].clock.next = self.clock.val();
        self.destination[0].clock.next = self.clock.val();
        self.from_lane[0].clock.next = self.clock.val();
        self.other[0].clock.next = self.clock.val();
        self.writes[0].d.next = self.makes.val();
        self.destination[0].d.next = self.d.val();
        self.from_lane[0].d.next = self.kind.val() == bits::<4>(1);
        self.other[0].d.next = bits::<32>(0);
        for k in 1..6 {
            self.writes[k].clock.next = self.clock.val();
            self.destination[k].clock.next = self.clock.val();
            self.from_lane[k].clock.next = self.clock.val();
            self.other[k].clock.next = self.clock.val();
        }
        for k in 0..5 {
            self.writes[k + 1].d.next = self.writes[k].q.val();
            self.destination[k + 1].d.next = self.destination[k].q.val();
            self.from_lane[k + 1].d.next = self.from_lane[k].q.val();
            self.other[k + 1].d.next = self.other[k].q.val();
        }

        // What is made beside the operands.
        self.outcode.v.next = self.va.val();
        self.outcode.w.next = self.vb.val();
        self.depth.value.next = self.va.val();
        self.float.value.next =
            bit_cast::<64, 32>(self.va.val()) | (bit_cast::<64, 32>(self.vb.val()) << bits::<64>(32));
        self.query.next = self.va.val().get_bits::<6>(0);
        self.value.next = self.x_literal.q.val();
        if self.x_kind.q.val() == bits::<4>(7) {
            self.value.next = bit_cast::<32, 5>(self.outcode.code.val());
            if self.x_op.q.val() == bits::<8>(1) {
                self.value.next = self.depth.fixed.val();
            }
            if self.x_op.q.val() == bits::<8>(2) {
                self.value.next = self.float.rounded.val();
            }
        }
        if self.x_kind.q.val() == bits::<4>(6) {
            self.value.next = bit_cast::<32, 6>(self.corner.entry.val());
            if self.x_op.q.val() == bits::<8>(1) {
                self.value.next = bits::<32>(0);
                if self.corner.restart.val() {
                    self.value.next = bits::<32>(1);
                }
                if self.corner.end.val() {
                    self.value.next = bits::<32>(2);
                }
            }
            if self.x_op.q.val() == bits::<8>(2) {
                self.value.next = self.quotient[0].q.val();
            }
            if self.x_op.q.val() == bits::<8>(3) {
                self.value.next = self.quotient[1].q.val();
            }
            if self.x_op.q.val() == bits::<8>(4) {
                self.value.next = self.quotient[2].q.val();
            }
            if self.x_op.q.val() == bits::<8>(5) {
                self.value.next = self.quotient[3].q.val();
            }
            if self.x_op.q.val() == bits::<8>(6) {
                self.value.next = bits::<32>(0);
                if self.setup.swapped.val() {
                    self.value.next = bits::<32>(1);
                }
                if !self.setup.area.val().any() {
                    self.value.next = bits::<32>(2);
                }
            }
            if self.x_op.q.val() == bits::<8>(7) {
                self.value.next = self.setup.area.val().get_bits::<32>(0);
            }
            if self.x_op.q.val() == bits::<8>(8) {
                self.value.next = self.setup.area.val().get_bits::<32>(32);
            }
            if self.x_op.q.val() == bits::<8>(9) {
                self.value.next = self.setup.steepest.val().get_bits::<32>(0);
            }
            if self.x_op.q.val() == bits::<8>(10) {
                self.value.next = self.setup.steepest.val().get_bits::<32>(32);
            }
            if self.x_op.q.val() == bits::<8>(11) {
                self.value.next = bit_cast::<32, 6>(self.spare_entry.val());
            }
            if self.x_op.q.val() == bits::<8>(12) {
                self.value.next = bit_cast::<32, 6>(self.handle.val());
            }
            if self.x_op.q.val() == bits::<8>(13) {
                self.value.next = bits::<32>(0);
                if self.is_shaded.val() {
                    self.value.next = bits::<32>(1);
                }
            }
            if self.x_op.q.val() == bits::<8>(14) {
                self.value.next = bit_cast::<32, 3>(self.at_context.q.val());
            }
            if self.x_op.q.val() == bits::<8>(15) {
                self.value.next = bit_cast::<32, 13>(self.size.q.val().get_bits::<13>(0));
            }
            if self.x_op.q.val() == bits::<8>(16) {
                self.value.next = bit_cast::<32, 13>(self.size.q.val().get_bits::<13>(16));
            }
        }
        if self.x_kind.q.val() == bits::<4>(5) {
            self.value.next = self.states.read_data.val();
        }
        self.other[1].d.next = self.value.val();
        // A word of a vertex comes a cycle later.
        self.read_address.next =
            (self.va.val().get_bits::<12>(0) << bits::<12>(6)) | bit_cast::<12, 6>(self.vb.val().get_bits::<6>(0));
        self.loads.d.next = self.x_kind.q.val() == bits::<4>(3);
        if self.loads.q.val() {
            self.other[2].d.next = self.read_data.val();
        }
        self.write.next = self.x_kind.q.val() == bits::<4>(4);
        self.write_address.next =
            (self.va.val().get_bits::<12>(0) << bits::<12>(6)) | bit_cast::<12, 6>(self.vb.val().get_bits::<6>(0));
        self.write_data.next = self.vc.val();

        // The lane, and the write.
        self.lane.op.next = self.x_op.q.val();
        self.lane.a.next = self.va.val();
        self.lane.b.next = self.vb.val();
        self.lane.c.next = self.vc.val();
        self.loaded.next = self.other[5].q.val();
        if self.from_lane[5].q.val() {
            self.loaded.next = self.lane.value.val();
        }
        self.registers_a.write_enable.next = self.writes[5].q.val();
        self.registers_b.write_enable.next = self.writes[5].q.val();
        self.registers_c.write_enable.next = self.writes[5].q.val();
        self.registers_a.write_address.next = bit_cast::<12, 8>(self.destination[5].q.val());
        self.registers_b.write_address.next = bit_cast::<12, 8>(self.destination[5].q.val());
        self.registers_c.write_address.next = bit_cast::<12, 8>(self.destination[5].q.val());
        self.registers_a.write_data.next = self.loaded.val();
        self.registers_b.write_data.next = self.loaded.val();
        self.registers_c.write_data.next = self.loaded.val();

        // Index registers, and what is put for the blocks around.
        if self.x_kind.q.val() == bits::<4>(13) {
            if self.x_op.q.val() == bits::<8>(0) {
                self.index_i.d.next = self.va.val().get_bits::<8>(0);
            } else {
                self.index_j.d.next = self.va.val().get_bits::<8>(0);
            }
        }
        if self.x_kind.q.val() == bits::<4>(14) {
            for k in 0..17 {
                if self.x_op.q.val() == k.to_bits::<8>() {
                    self.kept[k].d.next = self.va.val();
                }
            }
            if self.x_op.q.val() == bits::<8>(20) {
                self.dividend[0].d.next = self.va.val();
                self.divisor[0].d.next = self.vb.val();
            }
            if self.x_op.q.val() == bits::<8>(21) {
                self.dividend[1].d.next = self.va.val();
                self.divisor[1].d.next = self.vb.val();
            }
            if self.x_op.q.val() == bits::<8>(22) {
                self.dividend[2].d.next = self.va.val();
                self.divisor[2].d.next = self.vb.val();
            }
            if self.x_op.q.val() == bits::<8>(23) {
                self.dividend[3].d.next = self.va.val();
                self.divisor[3].d.next = self.vb.val();
            }
        }

        // Quotients.
        self.divide.root.next = false;
        self.divide.mask.next = bits::<4>(15);
        self.divide.req_valid.next = self.requested.q.val();
        self.divide.a0.next = self.dividend[0].q.val();
        self.divide.a1.next = self.dividend[1].q.val();
        self.divide.a2.next = self.dividend[2].q.val();
        self.divide.a3.next = self.dividend[3].q.val();
        self.divide.b0.next = self.divisor[0].q.val();
        self.divide.b1.next = self.divisor[1].q.val();
        self.divide.b2.next = self.divisor[2].q.val();
        self.divide.b3.next = self.divisor[3].q.val();
        self.divide.rsp_ready.next = true;
        if self.divide.req_ready.val() {
            self.requested.d.next = false;
        }
        if self.divide.rsp_valid.val() {
            self.dividing.d.next = false;
            self.quotient[0].d.next = self.divide.value0.val();
            self.quotient[1].d.next = self.divide.value1.val();
            self.quotient[2].d.next = self.divide.value2.val();
            self.quotient[3].d.next = self.divide.value3.val();
        }

        // Set-up.
        for k in 0..3 {
            self.setup.x[k].next = self.kept[k].q.val();
            self.setup.y[k].next = self.kept[3 + k].q.val();
            self.setup.z[k].next = self.kept[6 + k].q.val();
        }
        self.setup.plane_z.next = self.kept[16].q.val();
        self.setup.start.next = false;
        self.setup.plane_start.next = false;

        // What happens.
        self.corner_ready.next = false;
        self.spare_take.next = false;
        self.handle_take.next = false;
        self.count.next = false;
        self.count_up.next = self.x_op.q.val() == bits::<8>(6);
        self.count_entry.next = self.va.val().get_bits::<6>(0);
        self.tri.valid.next = false;
        self.tri.context.next = self.at_context.q.val();
        self.tri.order.next = self.order.q.val();
        self.tri.what.next = self.va.val().get_bits::<3>(0);
        self.tri.clipped.next = self.va.val().get_bit(3);
        self.tri.last.next = self.va.val().get_bit(4);
        self.tri.handle.next = self.latest.q.val();
        if self.triangle_ready.val() {
            self.out.d.next = false;
        }
        if self.x_kind.q.val() == bits::<4>(9) {
            if (self.x_op.q.val() == bits::<8>(0)) || (self.x_op.q.val() == bits::<8>(11)) {
                self.corner_ready.next = true;
                self.at_context.d.next = self.corner.context.val();
                self.in_draw.d.next = self.x_op.q.val() == bits::<8>(0);
            }
            if self.x_op.q.val() == bits::<8>(1) {
                self.requested.d.next = true;
                self.dividing.d.next = true;
            }
            if self.x_op.q.val() == bits::<8>(2) {
                self.setup.start.next = true;
            }
            if self.x_op.q.val() == bits::<8>(3) {
                self.setup.plane_start.next = true;
            }
            if self.x_op.q.val() == bits::<8>(4) {
                self.spare_take.next = true;
            }
            if self.x_op.q.val() == bits::<8>(5) {
                self.handle_take.next = true;
                self.latest.d.next = self.handle.val();
            }
            if (self.x_op.q.val() == bits::<8>(6)) || (self.x_op.q.val() == bits::<8>(7)) {
                self.count.next = true;
            }
            if self.x_op.q.val() == bits::<8>(8) {
                self.out.d.next = true;
                self.o_context.d.next = self.at_context.q.val();
                self.o_handle.d.next = self.va.val().get_bits::<6>(0);
                self.o_order.d.next = self.order.q.val();
                self.o_back.d.next = self.kept[15].q.val().get_bit(0);
                self.o_low.d.next = self.kept[13].q.val().get_bits::<24>(0);
                self.o_high.d.next = self.kept[14].q.val().get_bits::<24>(0);
                self.o_z.d.next = self.setup.plane.val();
                self.o_gx.d.next = self.setup.gx.val().get_bits::<50>(0);
                self.o_gy.d.next = self.setup.gy.val().get_bits::<50>(0);
                for k in 0..4 {
                    self.o_box[k].d.next = self.kept[9 + k].q.val().get_bits::<12>(0);
                }
                for k in 0..3 {
                    self.o_a[k].d.next = self.setup.a[k].val();
                    self.o_b[k].d.next = self.setup.b[k].val();
                    self.o_c[k].d.next = self.setup.c[k].val();
                }
            }
            if self.x_op.q.val() == bits::<8>(9) {
                self.tri.valid.next = true;
            }
            if self.x_op.q.val() == bits::<8>(10) {
                self.order.d.next = self.order.q.val() + bits::<16>(1);
            }
        }

        // Records.
        self.record.next = self.x_kind.q.val() == bits::<4>(15);
        self.record_part.next = self.x_op.q.val().get_bits::<3>(0);
        self.record_handle.next = self.va.val().get_bits::<6>(0);
        self.record_data.next = self.vb.val();
        self.record_a.next = self.setup.a[0].val();
        self.record_b.next = self.setup.b[0].val();
        self.record_c.next = self.setup.c[0].val();
        if self.x_op.q.val() == bits::<8>(1) {
            self.record_a.next = self.setup.a[1].val();
            self.record_b.next = self.setup.b[1].val();
            self.record_c.next = self.setup.c[1].val();
        }
        if self.x_op.q.val() == bits::<8>(2) {
            self.record_a.next = self.setup.a[2].val();
            self.record_b.next = self.setup.b[2].val();
            self.record_c.next = self.setup.c[2].val();
        }

        // The triangle.
        self.triangle_valid.next = self.out.q.val();
        self.triangle.context.next = self.o_context.q.val();
        self.triangle.handle.next = self.o_handle.q.val();
        self.triangle.order.next = self.o_order.q.val();
        self.triangle.back.next = self.o_back.q.val();
        self.triangle.x0.next = self.o_box[0].q.val();
        self.triangle.y0.next = self.o_box[1].q.val();
        self.triangle.x1.next = self.o_box[2].q.val();
        self.triangle.y1.next = self.o_box[3].q.val();
        self.triangle.z.next = self.o_z.q.val();
        self.triangle.gx.next = self.o_gx.q.val();
        self.triangle.gy.next = self.o_gy.q.val();
        self.triangle.z_low.next = self.o_low.q.val();
        self.triangle.z_high.next = self.o_high.q.val();
        for k in 0..3 {
            self.triangle.a[k].next = self.o_a[k].q.val();
            self.triangle.b[k].next = self.o_b[k].q.val();
            self.triangle.c[k].next = self.o_c[k].q.val();
        }
        self.inside.next = self.in_draw.q.val();
        self.context.next = self.at_context.q.val();
    }
}

//! Leaf cells: what each does, and that its Rust `update` and its Verilog do the same.

use crate::common::{icarus_agrees, Port};
use quadlock_hdl::base::testing::{settle, Bench};
use quadlock_hdl::cell::{Decoder, Ram, RamByte};
use quadlock_hdl::config::{EventForm, GpuConfig, WarpWide};
use quadlock_isa::{Class, Op, Shape, TABLE};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

const RAM_OUT: [Port; 1] = [("read_data", 32)];

/// Few addresses, so that reads and writes collide often.
fn ram_vectors(seed: u64, enable_bits: u32) -> Vec<Vec<u32>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..2000)
        .map(|_| {
            let enable = rng.random::<u32>() & ((1 << enable_bits) - 1);
            vec![rng.random_range(0..6), rng.random_range(0..6), rng.random(), enable]
        })
        .collect()
}

/// Latency 1, one read and one write per cycle, read first.
#[test]
fn ram_reads_the_old_word_one_cycle_later() {
    let mut uut = Bench::new(Ram::new(8), |b| &mut b.clock);
    let mut model = [0u32; 8];
    let vectors = ram_vectors(1, 1);
    let mut expected = vec![];
    for row in &vectors {
        uut.read_address.next = bits(row[0].into());
        uut.write_address.next = bits(row[1].into());
        uut.write_data.next = bits(row[2].into());
        uut.write_enable.next = row[3] != 0;
        uut.cycle();
        assert_eq!(uut.read_data.val().to_u32(), model[row[0] as usize]);
        expected.push(vec![Some(model[row[0] as usize])]);
        if row[3] != 0 {
            model[row[1] as usize] = row[2];
        }
    }
    let mut top = Ram::new(8);
    top.clock.connect();
    top.read_address.connect();
    top.write_address.connect();
    top.write_data.connect();
    top.write_enable.connect();
    top.connect_all();
    let inputs = [("read_address", 12), ("write_address", 12), ("write_data", 32), ("write_enable", 1)];
    icarus_agrees("ram", &generate_verilog(&top), true, &inputs, &RAM_OUT, &vectors, &expected);
}

#[test]
fn ram_byte_writes_the_enabled_bytes() {
    let mut uut = Bench::new(RamByte::new(8), |b| &mut b.clock);
    let mut model = [[0u8; 4]; 8];
    let vectors = ram_vectors(2, 4);
    let mut expected = vec![];
    for row in &vectors {
        uut.read_address.next = bits(row[0].into());
        uut.write_address.next = bits(row[1].into());
        uut.write_data.next = bits(row[2].into());
        uut.write_mask.next = bits(row[3].into());
        uut.cycle();
        let old = u32::from_le_bytes(model[row[0] as usize]);
        assert_eq!(uut.read_data.val().to_u32(), old);
        expected.push(vec![Some(old)]);
        for (byte, value) in row[2].to_le_bytes().into_iter().enumerate() {
            if row[3] >> byte & 1 != 0 {
                model[row[1] as usize][byte] = value;
            }
        }
    }
    let mut top = RamByte::new(8);
    top.clock.connect();
    top.read_address.connect();
    top.write_address.connect();
    top.write_data.connect();
    top.write_mask.connect();
    top.connect_all();
    let inputs = [("read_address", 12), ("write_address", 12), ("write_data", 32), ("write_mask", 4)];
    icarus_agrees("ram_byte", &generate_verilog(&top), true, &inputs, &RAM_OUT, &vectors, &expected);
}

/// A depth that is no power of two is rounded up, and addresses wrap.
#[test]
fn ram_depth_rounds_up_and_wraps() {
    let mut uut = Bench::new(Ram::new(5), |b| &mut b.clock);
    uut.write_address.next = bits(7);
    uut.write_data.next = bits(42);
    uut.write_enable.next = true;
    uut.cycle();
    uut.write_enable.next = false;
    uut.read_address.next = bits(15);
    uut.cycle();
    assert_eq!(uut.read_data.val().to_u32(), 42);
}

const DECODER_OUT: [Port; 31] = [
    ("undefined", 1),
    ("is_alu", 1),
    ("is_global", 1),
    ("is_shared", 1),
    ("is_function", 1),
    ("is_message", 1),
    ("is_acquire", 1),
    ("is_release", 1),
    ("is_bar", 1),
    ("is_end", 1),
    ("is_bra", 1),
    ("is_bnz", 1),
    ("is_bz", 1),
    ("is_s2r", 1),
    ("is_qshuf", 1),
    ("is_ddx", 1),
    ("is_ddy", 1),
    ("is_mov", 1),
    ("reads_a", 1),
    ("reads_b", 1),
    ("reads_c", 1),
    ("two_beats", 1),
    ("is_wide", 1),
    ("b_count", 3),
    ("c_count", 3),
    ("d_count", 3),
    ("bm", 2),
    ("d", 5),
    ("a", 5),
    ("b", 5),
    ("c", 5),
];

fn decode(uut: &mut Decoder, lo: u32) -> Vec<Option<u32>> {
    uut.lo.next = bits(lo.into());
    settle(uut);
    let flags = [
        &uut.undefined,
        &uut.is_alu,
        &uut.is_global,
        &uut.is_shared,
        &uut.is_function,
        &uut.is_message,
        &uut.is_acquire,
        &uut.is_release,
        &uut.is_bar,
        &uut.is_end,
        &uut.is_bra,
        &uut.is_bnz,
        &uut.is_bz,
        &uut.is_s2r,
        &uut.is_qshuf,
        &uut.is_ddx,
        &uut.is_ddy,
        &uut.is_mov,
        &uut.reads_a,
        &uut.reads_b,
        &uut.reads_c,
        &uut.two_beats,
        &uut.is_wide,
    ];
    let mut row: Vec<u32> = flags.iter().map(|f| u32::from(f.val())).collect();
    row.extend([&uut.b_count, &uut.c_count, &uut.d_count].map(|count| count.val().to_u32()));
    row.push(uut.bm.val().to_u32());
    row.extend([&uut.d, &uut.a, &uut.b, &uut.c].map(|field| field.val().to_u32()));
    row.into_iter().map(Some).collect()
}

/// The flags of an instruction, worked out from the table's words and not from the decoder's.
fn wanted(lo: u32, config: &GpuConfig) -> Vec<Option<u32>> {
    let bm = lo >> 28 & 3;
    // With events bit 31 says that bit 30 is no part of the operation.
    let event = config.event_form == EventForm::Modifier && lo >> 31 == 1;
    let in_shared = if event { 0 } else { lo >> 30 & 1 };
    let row = TABLE.iter().find(|row| u32::from(row.code) == lo & 0xFF && u32::from(row.in_shared) == in_shared);
    let row = row.filter(|row| {
        let operand_b = matches!(row.shape, Shape::B | Shape::DB | Shape::DAB | Shape::DABC);
        (config.graphics || row.class != Class::Graphics)
            && (config.warp_wide != WarpWide::Off || !row.name.starts_with("WATOM"))
            && (lo >> 31 == 0 || event && row.op.carries_events())
            && (bm == 0 || operand_b && bm != 3)
    });
    let mut flags = vec![u32::from(row.is_none())];
    let is = |f: &dyn Fn(Op) -> bool| u32::from(row.is_some_and(|row| f(row.op)));
    for class in [Class::Alu, Class::Global, Class::Shared, Class::Function, Class::Message] {
        // What goes to the attribute unit goes the way of global memory; DEMOTE does not.
        let as_global =
            class == Class::Global && matches!(row.map(|r| r.shape), Some(Shape::Output | Shape::Fetch { .. }));
        flags.push(u32::from(as_global || row.is_some_and(|row| row.class == class)));
    }
    flags.push(is(&|op| op == Op::Acs || op == Op::Asr));
    flags.push(is(&|op| op == Op::Rls));
    flags.push(is(&|op| op == Op::Bar));
    flags.push(is(&|op| op == Op::End || op == Op::Discard));
    for one in [Op::Bra, Op::Bnz, Op::Bz, Op::S2R, Op::QShuf, Op::Ddx, Op::Ddy, Op::Mov] {
        flags.push(is(&|op| op == one));
    }
    let (a, b, c, d) = match row.map(|row| row.shape) {
        None | Some(Shape::None | Shape::Target) => (0, 0, 0, 0),
        Some(Shape::CondTarget) => (1, 0, 0, 0),
        Some(Shape::B) => (0, u32::from(bm == 0), 0, 0),
        Some(Shape::DB) => (0, u32::from(bm == 0), 0, 1),
        Some(Shape::DA) => (1, 0, 0, 1),
        Some(Shape::DAB) => (1, u32::from(bm == 0), 0, 1),
        Some(Shape::DABC) => (1, u32::from(bm == 0), 1, 1),
        Some(Shape::Special) => (0, 0, 0, 1),
        Some(Shape::Output) => (1, 0, 0, 0),
        Some(Shape::Fetch { words }) => (0, 0, 0, u32::from(words)),
        Some(Shape::Load { bytes: 1 | 2 | 4 }) => (1, 0, 0, 1),
        Some(Shape::Load { bytes }) => (1, 0, 0, u32::from(bytes / 4)),
        Some(Shape::Store { bytes: 1 | 2 | 4 }) => (1, 1, 0, 0),
        Some(Shape::Store { bytes }) => (1, u32::from(bytes / 4), 0, 0),
        Some(Shape::Atomic { bytes }) => (1, u32::from(bytes / 4), 0, u32::from(bytes / 4)),
        Some(Shape::AtomicCas { bytes }) => (1, u32::from(bytes / 4), u32::from(bytes / 4), u32::from(bytes / 4)),
    };
    flags.extend([a, u32::from(b != 0), u32::from(c != 0), u32::from(b + c >= 4)]);
    flags.push(is(&|op| format!("{op:?}").starts_with("WA")));
    flags.extend([b, c, d, bm]);
    flags.extend([lo >> 8 & 31, lo >> 13 & 31, lo >> 18 & 31, lo >> 23 & 31]);
    flags.into_iter().map(Some).collect()
}

/// Every opcode number with every `bm`, reserved bits clear and set, random fields; each undefined
/// encoding is found and starts nothing. Built without warp-wide atomics or without
/// graphics, theirs are undefined.
#[test]
fn decoder_follows_the_table() {
    for (warp_wide, graphics) in [(WarpWide::Collective, false), (WarpWide::Off, false), (WarpWide::Collective, true)] {
        decoder_of(&GpuConfig { warp_wide, graphics, ..GpuConfig::default() });
    }
    // MS-10: bit 31 is an event.
    decoder_of(&GpuConfig { graphics: true, event_form: EventForm::Modifier, ..GpuConfig::default() });
}

fn decoder_of(config: &GpuConfig) {
    let mut uut = Decoder::new(config);
    uut.connect_all();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let vectors: Vec<Vec<u32>> = (0..256u32)
        .flat_map(|op| (0..16).map(move |top| op | top << 28))
        .map(|word| vec![word | rng.random::<u32>() & 0x0FFF_FF00])
        .collect();
    let mut expected = vec![];
    for row in &vectors {
        let seen = decode(&mut uut, row[0]);
        assert_eq!(seen, wanted(row[0], config), "{:08x}", row[0]);
        expected.push(seen);
    }
    let mut top = Decoder::new(config);
    top.lo.connect();
    top.connect_all();
    icarus_agrees("decoder", &generate_verilog(&top), false, &[("lo", 32)], &DECODER_OUT, &vectors, &expected);
}

//! Bundles of ports, streams and flows: the assignments that a connection becomes, the names of the
//! ports, the values that it carries. It would be wrong if both sides of a comparison came from the
//! definition, so names and assignments are written out.

use quadlock_hdl::base::bundle::{Bundle, Each, Nothing, Quiet};
use quadlock_hdl::base::drive::{Drive, Item};
use quadlock_hdl::base::stream::{FlowOut, STREAM};
use quadlock_hdl::base::testing::settle;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::export;
use quadlock_hdl_macros::{bundle, kernel, QuietBlock};
use rust_hdl::prelude::*;

/// A word and its halves.
#[bundle(what = "toy", event = "said")]
struct Toy {
    /// there is one
    valid: bool,
    /// half #
    half: [Bits<16>; 2],
}

/// A request that is taken.
#[bundle(what = "request")]
struct Asked {
    /// the question
    question: Bits<8>,
    /// the answer
    #[back]
    answer: Bits<8>,
}

#[derive(Default, QuietBlock)]
struct Inner {
    told: AskedIn,
    said: ToyOut,
    _active: bool,
}
#[kernel(wired)]
impl Inner {
    fn update(&mut self) {
        self.told.answer.next = self.told.question.val() + bits::<8>(1);
        Quiet::<ToyOut>::join(&mut self.said, &mut Nothing);
        if self.told.question.val() == bits::<8>(7) {
            self.said.valid.next = true;
            for i in 0..2 {
                self.said.half[i].next = bit_cast::<16, 8>(self.told.question.val());
            }
        }
    }
}

#[derive(QuietBlock)]
struct Outer {
    told: Each<AskedIn>,
    said: Each<ToyOut>,
    inner: Vec<Inner>,
    #[size]
    _count: usize,
    _active: bool,
}
#[kernel(wired)]
impl Outer {
    fn update(&mut self) {
        for i in 0..self._count {
            AskedIn::link(&mut self.told[i], &mut self.inner[1 - i].told);
            ToyOut::link(&mut self.said[i], &mut self.inner[i].said);
        }
    }
}

fn outer() -> Outer {
    let inner = (0..2).map(|_| Inner { _active: true, ..Inner::default() }).collect();
    let mut outer = Outer { told: Each::new(2), said: Each::new(2), inner, _count: 2, _active: true };
    Block::connect_all(&mut outer);
    outer
}

/// Both ways, crossed, in a vector and in an array: the assignments and the names of the ports.
#[test]
fn a_connection_is_an_assignment_for_each_port() {
    let text = quadlock_hdl_text::verilog(&outer());
    for line in [
        "inner$1$told$question = told$question$0;",
        "told$answer$0 = inner$1$told$answer;",
        "said$valid$1 = inner$1$said$valid;",
        "said$half1$0 = inner$0$said$half1;",
        "said$half1 = 0;",
    ] {
        assert!(text.lines().any(|l| l.trim() == line), "{line} is missing in\n{text}");
    }
}

/// What the Rust kernels do, driven and read by name.
#[test]
fn a_connection_carries_values() {
    let mut block = outer();
    let names = |items: Vec<Item>| items.into_iter().map(|i| i.name).collect::<Vec<_>>();
    assert_eq!(names(block.inputs()), ["told_question_0", "told_question_1"]);
    let outputs = names(block.outputs());
    assert_eq!(outputs[..4], ["told_answer_0", "told_answer_1", "said_valid_0", "said_valid_1"]);
    block.set_inputs(&mut [7, 20].into_iter());
    settle(&mut block);
    let mut values = Vec::new();
    Drive::read_outputs(&block, &mut values);
    assert_eq!(values, [8, 21, 0, 1, 0, 7, 0, 7], "{outputs:?}");
    assert_eq!((block.said[0].event(), block.said[1].event()), (None, Some(Toy { half: [7, 7] })));
    assert_eq!(Toy::of([1, 3, 4]), Some(Toy { half: [3, 4] }));
    assert_eq!(ToyOut::TABLE.meaning("half1").unwrap(), "Event, toy: half 1.");
}

/// A number that waits for its taker.
#[bundle(stream, what = "number")]
struct Number {
    /// the number
    number: Bits<8>,
}

/// Passes a stream on, says the same as a flow, and keeps back numbers above 100.
#[derive(Default, QuietBlock)]
struct Gate {
    told: NumberIn,
    passed: NumberOut,
    seen: FlowOut<NumberDataOut>,
    _active: bool,
}
#[kernel(wired)]
impl Gate {
    fn update(&mut self) {
        NumberIn::join(&mut self.told, &mut self.passed);
        NumberDataIn::join(&mut self.told, &mut self.seen);
        self.seen.valid.next = self.told.valid.val() && self.passed.ready.val();
        if self.told.number.val() > bits::<8>(100) {
            self.passed.valid.next = false;
            self.told.ready.next = false;
            self.seen.valid.next = false;
        }
    }
}

/// Two gates, one behind the other.
#[derive(Default, QuietBlock)]
struct Gates {
    told: NumberIn,
    passed: NumberOut,
    seen: FlowOut<NumberDataOut>,
    first: Gate,
    second: Gate,
    _active: bool,
}
#[kernel(wired)]
impl Gates {
    fn update(&mut self) {
        NumberIn::link(&mut self.told, &mut self.first.told);
        NumberOut::join(&mut self.first.passed, &mut self.second.told);
        NumberOut::link(&mut self.passed, &mut self.second.passed);
        FlowOut::<NumberDataOut>::link(&mut self.seen, &mut self.second.seen);
    }
}

fn gates() -> Gates {
    let gate = || Gate { _active: true, ..Gate::default() };
    let mut gates = Gates { first: gate(), second: gate(), _active: true, ..Gates::default() };
    Block::connect_all(&mut gates);
    gates
}

/// `ready` goes back, and only a stream has it.
#[test]
fn a_stream_is_one_connection() {
    let text = quadlock_hdl_text::verilog(&gates());
    for line in [
        "first$told$valid = told$valid;",
        "told$ready = first$told$ready;",
        "second$told$number = first$passed$number;",
        "first$passed$ready = second$told$ready;",
        "passed$valid = second$passed$valid;",
        "second$passed$ready = passed$ready;",
        "seen$valid = second$seen$valid;",
        "passed$valid = told$valid;",
        "told$ready = passed$ready;",
        "seen$number = told$number;",
    ] {
        assert!(text.lines().any(|l| l.trim() == line), "{line} is missing in\n{text}");
    }
    assert!(!text.contains("seen$ready"), "{text}");
    let table = NumberOut::TABLE;
    assert_eq!((table.name, table.handshake), ("Number", STREAM));
    assert_eq!(table.meaning("ready").unwrap(), "Number: it is taken in this cycle if valid.");
}

/// The Rust kernels say the same.
#[test]
fn a_stream_carries_values_both_ways() {
    let mut block = gates();
    let names = |items: Vec<Item>| items.into_iter().map(|i| i.name).collect::<Vec<_>>();
    assert_eq!(names(block.inputs()), ["told_valid", "told_number", "passed_ready"]);
    let outputs = ["told_ready", "passed_valid", "passed_number", "seen_valid", "seen_number"];
    assert_eq!(names(block.outputs()), outputs);
    for (inputs, expected) in [
        ([1, 7, 1], [1, 1, 7, 1, 7]),
        ([1, 7, 0], [0, 1, 7, 0, 7]),
        ([0, 7, 1], [1, 0, 7, 0, 7]),
        ([1, 101, 1], [0, 0, 101, 0, 101]),
    ] {
        block.set_inputs(&mut inputs.into_iter());
        settle(&mut block);
        let mut values = Vec::new();
        Drive::read_outputs(&block, &mut values);
        assert_eq!(values, expected, "{inputs:?}");
    }
}

/// Ports that have the same names in two blocks.
#[bundle(what = "fill")]
struct Fill {
    /// a word comes
    fill: bool,
    /// half # of it
    #[vector]
    half: [Bits<4>; 2],
    /// it is kept
    #[back]
    kept: bool,
}

#[derive(Default, QuietBlock)]
struct Cache {
    word: Signal<In, Bits<8>>,
    fill_ports: FillOut,
    stays: Signal<Out, bool>,
    _active: bool,
}
#[kernel(wired)]
impl Cache {
    fn update(&mut self) {
        self.fill_ports.fill.next = self.word.val().any();
        self.fill_ports.half[0].next = self.word.val().get_bits::<4>(0);
        self.fill_ports.half[1].next = self.word.val().get_bits::<4>(4);
        self.stays.next = self.fill_ports.kept.val();
    }
}

#[derive(Default, QuietBlock)]
struct Keeper {
    ports: FillIn,
    sum: Signal<Out, Bits<4>>,
    _active: bool,
}
impl Logic for Keeper {
    #[kernel]
    fn update(&mut self) {
        self.sum.next = self.ports.half[0].val() + self.ports.half[1].val();
        self.ports.kept.next = self.ports.fill.val();
    }
}

/// A cache and a keeper, and for observers what goes between them, once or not at all.
#[derive(Default, QuietBlock)]
struct Kept {
    word: Signal<In, Bits<8>>,
    sum: Signal<Out, Bits<4>>,
    stays: Signal<Out, bool>,
    seen_ports: Each<FlowOut<NumberDataOut>>,
    cache: Cache,
    keeper: Keeper,
    #[size]
    _seen: usize,
    _active: bool,
}
#[kernel(wired)]
impl Kept {
    fn update(&mut self) {
        self.cache.word.next = self.word.val();
        FillOut::join(&mut self.cache.fill_ports, &mut self.keeper.ports);
        self.sum.next = self.keeper.sum.val();
        self.stays.next = self.cache.stays.val();
        for k in 0..self._seen {
            self.seen_ports[k].valid.next = self.cache.fill_ports.fill.val();
            self.seen_ports[k].number.next = self.word.val();
        }
    }
}

fn kept(seen: usize) -> Kept {
    let (cache, keeper) = (Cache { _active: true, ..Cache::default() }, Keeper { _active: true, ..Keeper::default() });
    let mut kept = Kept { seen_ports: Each::new(seen), cache, keeper, _seen: seen, _active: true, ..Kept::default() };
    Block::connect_all(&mut kept);
    kept
}

/// The fields have no part in the names: those of the ports are theirs alone, elements of a vector
/// and of a vector of bundles behind them.
#[test]
fn a_field_of_ports_leaves_their_names() {
    let names = |items: Vec<Item>| items.into_iter().map(|i| i.name).collect::<Vec<_>>();
    let (cache, keeper) = (Cache::default(), Keeper::default());
    assert_eq!(names(cache.inputs()), ["word", "kept"]);
    assert_eq!(names(cache.outputs()), ["fill", "half_0", "half_1", "stays"]);
    assert_eq!(names(keeper.inputs()), ["fill", "half_0", "half_1"]);
    assert_eq!(names(kept(0).outputs()), ["sum", "stays"]);
    assert_eq!(names(kept(1).outputs()), ["sum", "stays", "valid_0", "number_0"]);
    let text = export(&mut kept(1), "kept", &GpuConfig::default()).unwrap();
    for line in ["keeper_half_1 = cache_half_1;", "cache_kept = keeper_kept;", "valid_0 = cache_fill;"] {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
    assert!(!text.contains("ports"), "{text}");
    assert_eq!(FillOut::TABLE.meaning("half").unwrap(), "Fill: half 0 of it.");
}

/// Rust carries what the Verilog does.
#[test]
fn a_field_of_ports_carries_values_both_ways() {
    for word in [0u64, 0x53, 0xf2] {
        let mut block = kept(1);
        block.word.next = word.into();
        settle(&mut block);
        let sum = (word + (word >> 4)) & 15;
        assert_eq!((block.sum.val().to_u64(), block.stays.val()), (sum, word != 0), "{word:x}");
        assert_eq!(block.seen_ports[0].number.val().to_u64(), word);
    }
}

/// A port of its own beside one of such a field.
#[derive(Default, QuietBlock)]
struct Twice {
    fill: Signal<Out, bool>,
    fill_ports: FillOut,
    _active: bool,
}
impl Logic for Twice {
    #[kernel]
    fn update(&mut self) {
        self.fill.next = true;
        Quiet::<FillOut>::join(&mut self.fill_ports, &mut Nothing);
    }
}

/// Two ports of one name are refused by the export.
#[test]
fn two_ports_of_one_name_are_refused() {
    let error = export(&mut Twice { _active: true, ..Twice::default() }, "twice", &GpuConfig::default()).unwrap_err();
    assert!(error.contains("would both be called `fill`"), "{error}");
}

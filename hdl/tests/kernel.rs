//! `#[kernel]` of this project beside rust-hdl's `#[hdl_gen]`: of the same kernel the same syntax
//! tree, and the same wires driven.

use quadlock_hdl::base::Each;
use quadlock_hdl::{comment, fields};
use quadlock_hdl_macros::{bundle, QuietBlock, StateWord};
use rust_hdl::prelude::*;

fields! {
    /// A word with a number and a flag.
    trait Row: 16 {
        /// Number.
        head: 4 @ 2,
        /// Flag.
        used: bit @ 9,
    }
}

/// What one says to another.
#[bundle(what = "message")]
pub struct Message {
    /// there is one
    valid: bool,
    /// what it says, by part
    value: [Bits<4>; 2],
    /// it can be taken
    #[back]
    ready: bool,
}

const WIDE: usize = 6;
const START: u64 = 3;
const OFFSET: usize = 5;

/// States of a register.
#[derive(Clone, Copy, Debug, LogicState, PartialEq, StateWord)]
enum Step {
    Idle,
    Run,
}
#[derive(Default, QuietBlock)]
struct Kernels {
    clock: Signal<In, Clock>,
    flag: Signal<In, Bit>,
    word: Signal<In, Bits<16>>,
    small: Signal<In, Bits<4>>,
    list: Vec<Signal<In, Bits<4>>>,
    said: MessageIn,
    all: Each<MessageIn>,
    out: Signal<Out, Bits<16>>,
    bit: Signal<Out, Bit>,
    passed: MessageOut,
    local: Signal<Local, Bits<WIDE>>,
    step: DFF<Step>,
    state: DFF<Bits<4>>,
    states: Vec<DFF<Bits<4>>>,
    other: DFF<Bits<16>>,
    _count: usize,
    _active: bool,
}

impl Kernels {
    fn of(count: usize) -> Self {
        let (list, states) =
            ((0..count).map(|_| Signal::default()).collect(), (0..count).map(|_| DFF::default()).collect());
        Self { list, states, all: Each::new(count), _count: count, ..Self::default() }
    }

    /// Which wires it has marked as driven.
    fn driven(&self) -> Vec<bool> {
        let mut driven = vec![self.out.connected(), self.bit.connected(), self.local.connected()];
        driven.extend([&self.state, &self.states[0], &self.states[1]].map(|dff| dff.d.connected()));
        driven.extend([&self.state, &self.states[0], &self.states[1]].map(|dff| dff.clock.connected()));
        driven.extend([self.other.d.connected(), self.other.clock.connected()]);
        driven.extend([self.passed.valid.connected(), self.passed.value[1].connected(), self.said.ready.connected()]);
        driven
    }
}

impl Logic for Kernels {
    fn update(&mut self) {}
}

/// Kernels by name.
struct Statements;
struct Expressions;
struct Words;
struct Connections;

const FIRST: u64 = 5;
mod table {
    pub const LAST: u64 = 12;
}

/// The same kernel twice under this crate's attribute: by names of constants, and by numbers.
struct Named;
struct Numbered;

impl ours::Kernel<Named> for Kernels {
    #[quadlock_hdl_macros::kernel]
    fn update(&mut self) {
        self.bit.next = (self.small.val() == bits::<4>(FIRST)) || (self.small.val() >= bits::<4>(table::LAST));
        self.local.next = bits::<WIDE>(table::LAST + 1) | bits::<6>((FIRST - 1) / 2);
        self.out.next = bits::<16>(0);
        if self.word.val() == bits::<16>(table::LAST) {
            self.out.next = bits::<16>(self::table::LAST);
        }
    }
}

impl ours::Kernel<Numbered> for Kernels {
    #[quadlock_hdl_macros::kernel]
    fn update(&mut self) {
        self.bit.next = (self.small.val() == bits::<4>(5)) || (self.small.val() >= bits::<4>(12));
        self.local.next = bits::<WIDE>(13) | bits::<6>(2);
        self.out.next = bits::<16>(0);
        if self.word.val() == bits::<16>(12) {
            self.out.next = bits::<16>(12);
        }
    }
}

/// The kernels under rust-hdl's attribute.
// Precedence and conversions are part of what is compared.
#[allow(clippy::precedence, clippy::useless_conversion)]
mod theirs {
    use super::*;

    pub trait Kernel<Name> {
        fn update(&mut self);
        fn connect(&mut self);
        fn hdl(&self) -> Verilog;
    }

    include!("kernel/kernels.inc");
}

/// The same under this crate's.
#[allow(clippy::precedence, clippy::useless_conversion)]
mod ours {
    use quadlock_hdl_macros::kernel as hdl_gen;

    use super::*;

    pub trait Kernel<Name> {
        fn update(&mut self);
        fn connect(&mut self);
        fn hdl(&self) -> Verilog;
    }

    include!("kernel/kernels.inc");
}

/// Trees, wires that are driven, and values of a kernel.
fn same<Name>()
where
    Kernels: theirs::Kernel<Name> + ours::Kernel<Name>,
{
    let (mut theirs, mut ours) = (Kernels::of(2), Kernels::of(2));
    let tree = format!("{:#?}", ours::Kernel::<Name>::hdl(&ours));
    assert_eq!(tree, format!("{:#?}", theirs::Kernel::<Name>::hdl(&theirs)));
    theirs::Kernel::<Name>::connect(&mut theirs);
    ours::Kernel::<Name>::connect(&mut ours);
    assert_eq!(ours.driven(), theirs.driven());
    theirs::Kernel::<Name>::update(&mut theirs);
    ours::Kernel::<Name>::update(&mut ours);
    assert_eq!(ours.out.next, theirs.out.next);
}

#[test]
fn statements_are_the_same() {
    same::<Statements>();
}

#[test]
fn expressions_are_the_same() {
    same::<Expressions>();
}

#[test]
fn words_with_fields_are_the_same() {
    same::<Words>();
}

#[test]
fn connections_are_the_same() {
    same::<Connections>();
}

/// A constant in a cast is the number in the Verilog, of the same width.
#[test]
fn a_named_constant_is_its_number() {
    let (mut named, mut numbered) = (Kernels::of(2), Kernels::of(2));
    let tree = format!("{:#?}", ours::Kernel::<Named>::hdl(&named));
    assert_eq!(tree, format!("{:#?}", ours::Kernel::<Numbered>::hdl(&numbered)));
    assert!(!tree.contains("LAST") && !tree.contains("FIRST"), "{tree}");
    for word in [12u64, 13] {
        let word: Bits<16> = word.into();
        (named.word.next, numbered.word.next) = (word, word);
        ours::Kernel::<Named>::update(&mut named);
        ours::Kernel::<Numbered>::update(&mut numbered);
        assert_eq!((named.out.next, named.local.next), (numbered.out.next, numbered.local.next));
    }
}

/// What the cast would cut does not compile: `constant` is called in a `const` block.
#[test]
#[should_panic(expected = "more bits than the cast")]
fn a_constant_is_not_cut() {
    quadlock_hdl::base::kernel::constant(table::LAST, 3);
}

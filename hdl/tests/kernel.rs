//! `#[hdl_gen]` of this crate beside rust-hdl's: of the same kernel the same syntax tree, and the
//! same wires driven.

use quadlock_hdl::base::Each;
use quadlock_hdl::{comment, fields};
use quadlock_hdl_macros::{bundle, QuietBlock};
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
const START: u32 = 3;

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

trait Theirs<Kernel> {
    fn update(&mut self);
    fn connect(&mut self);
    fn hdl(&self) -> Verilog;
}

trait Ours<Kernel> {
    fn update(&mut self);
    fn connect(&mut self);
    fn hdl(&self) -> Verilog;
}

/// A kernel with both attributes, and its test.
macro_rules! both {
    ($name:ident: $($kernel:tt)*) => {
        #[test]
        fn $name() {
            struct Kernel;
            impl Theirs<Kernel> for Kernels {
                #[rust_hdl::prelude::hdl_gen]
                $($kernel)*
            }
            impl Ours<Kernel> for Kernels {
                #[quadlock_hdl_macros::hdl_gen]
                $($kernel)*
            }
            let (mut theirs, mut ours) = (Kernels::of(2), Kernels::of(2));
            assert_eq!(format!("{:#?}", <Kernels as Ours<Kernel>>::hdl(&ours)), format!("{:#?}", <Kernels as Theirs<Kernel>>::hdl(&theirs)));
            <Kernels as Theirs<Kernel>>::connect(&mut theirs);
            <Kernels as Ours<Kernel>>::connect(&mut ours);
            assert_eq!(ours.driven(), theirs.driven());
            <Kernels as Theirs<Kernel>>::update(&mut theirs);
            <Kernels as Ours<Kernel>>::update(&mut ours);
            assert_eq!(ours.out.next, theirs.out.next);
        }
    };
}

both! { statements_are_the_same:
    fn update(&mut self) {
        comment!("module: kernel of (all) \"statements\"");
        dff_setup!(self, clock, state, other);
        self.out.next = self.word.val();
        self.bit.next = false;
        if self.flag.val() {
            self.bit.next = true;
        } else if self.small.val().any() && !self.small.val().all() {
            self.state.d.next = self.small.val();
        } else {
            self.out.next = bits::<16>(0);
            self.out.next = bits::<16>(0x1F);
        }
        match self.small.val() {
            Bits::<4>(0) => {
                self.bit.next = true;
                self.state.d.next = bits::<4>(1);
            }
            _ => {}
        }
        for i in 0..2 {
            self.states[i].clock.next = self.clock.val();
            self.states[i].d.next = self.list[i].val() + 1;
        }
        for k in 0..self._count {
            if self.list[k].val() == START {
                self.states[k].d.next = self.state.q.val();
            }
        }
    }
}

both! { expressions_are_the_same:
    fn update(&mut self) {
        clock!(self, clock, state, other);
        self.local.next = bits::<WIDE>(3) | bit_cast::<WIDE, 4>(self.small.val());
        self.local.next = bit_cast::<WIDE, 4>(self.small.val()) << 2_usize;
        self.out.next = (self.word.val() & 0xFF) - (self.word.val() >> 8) ^ !self.word.val();
        self.out.next = self.word.val().replace_bit(3, self.flag.val());
        self.bit.next = self.word.val().get_bit(5) ^ self.small.val().xor();
        self.bit.next = (self.small.val() < 4) | (self.small.val() <= 5) | (self.small.val() > bits::<4>(6));
        self.bit.next = self.small.val() >= self.list[1].val() || self.small.val() != START;
        self.state.d.next = self.word.val().get_bits::<4>(7) + self.word.val().get_bits::<4>(START as usize);
        self.other.d.next = bit_cast::<16, 4>(self.small.val()).into();
    }
}

both! { words_with_fields_are_the_same:
    fn update(&mut self) {
        self.out.next = self.word.val();
        self.out.next.set_value_head(self.small.val());
        self.out.next.set_value_used(self.word.val().get_value_used());
        self.state.d.next = self.word.val().get_value_head();
    }
}

both! { connections_are_the_same:
    fn update(&mut self) {
        MessageIn::join(&mut self.said, &mut self.passed);
        MessageIn::link(&mut self.said, &mut self.all[1]);
        self.passed.value[1].next = self.small.val();
    }
}

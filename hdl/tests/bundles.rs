//! Bundles of ports: the assignments that a connection becomes, the names of the ports, the values
//! that it carries. It would be wrong if both sides of a comparison came from the definition, so
//! names and assignments are written out.

use quadlock_hdl::base::bundle::{Bundle, Each, Nothing, Quiet};
use quadlock_hdl::base::drive::{Drive, Item};
use quadlock_hdl::base::testing::settle;
use quadlock_hdl::base::wiring::Wiring;
use quadlock_hdl::wired;
use quadlock_hdl_macros::{bundle, QuietBlock};
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
wired!(Inner);
impl Wiring for Inner {
    #[hdl_gen]
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
    fn sizes(&self) -> Vec<(&'static str, usize)> {
        Vec::new()
    }
}

#[derive(QuietBlock)]
struct Outer {
    told: Each<AskedIn>,
    said: Each<ToyOut>,
    inner: Vec<Inner>,
    _count: usize,
    _active: bool,
}
wired!(Outer);
impl Wiring for Outer {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..self._count {
            AskedIn::link(&mut self.told[i], &mut self.inner[1 - i].told);
            ToyOut::link(&mut self.said[i], &mut self.inner[i].said);
        }
    }
    fn sizes(&self) -> Vec<(&'static str, usize)> {
        vec![("_count", self._count)]
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

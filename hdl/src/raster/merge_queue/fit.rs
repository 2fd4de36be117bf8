//! Search of the merge queue: of the quads that wait, those that fit a quad, and of those the best
//! (MS-3, MS-5). Bit k of a vector is the quad at rank k, rank 0 the oldest. The best partner is
//! the one with most active lanes, of those the oldest.
//!
//! With flips the lanes themselves say less than their shape. A flip takes a lane to any other, so
//! a quad of one lane fits every quad that has an inactive one. Two quads of three lanes never fit,
//! nor does one of three with one of two. Two quads of two lanes fit if both are a row, both a
//! column or both a diagonal: a flip keeps the shape, and moves it to the other row, column or
//! diagonal. Without flips two quads fit if no lane is active in both.
//!
//! Combinational. A quad that fits leaves at most 4 lanes less those of the other, so most lanes
//! fill the warp if any do. It can be wrong by a pair that overlaps: planted fault `merge-overlap`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{vector, Parameter, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::fields;

fields! {
    /// What the search must know of a quad, and where it is.
    pub(super) trait MergeToken: 14 {
        /// Active lanes.
        token_lanes: 4 @ 0,
        /// There is one.
        token_one: bit @ 4,
        /// There are three.
        token_three: bit @ 5,
        /// They are a row.
        token_wide: bit @ 6,
        /// They are a column.
        token_tall: bit @ 7,
        /// Place in the memories.
        token_place: 6 @ 8,
    }
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct MergeFit {
    /// The quad that looks for a partner, as a token.
    pub token: Signal<In, Bits<14>>,
    /// Ranks that count.
    pub ranks: Signal<In, Bits<32>>,
    /// Lane # of the quads that wait.
    pub lane: Vec<Signal<In, Bits<32>>>,
    /// Quads of one lane.
    pub one: Signal<In, Bits<32>>,
    /// Quads of three lanes.
    pub three: Signal<In, Bits<32>>,
    /// Quads whose lanes are a row.
    pub wide: Signal<In, Bits<32>>,
    /// Quads whose lanes are a column.
    pub tall: Signal<In, Bits<32>>,
    /// The best partner: the oldest of those with most active lanes.
    pub best: Signal<Out, Bits<32>>,
    /// It and all ranks behind it.
    pub behind: Signal<Out, Bits<32>>,
    /// There is one.
    pub found: Signal<Out, bool>,
    /// It fills the warp.
    pub fills: Signal<Out, bool>,
    from_one: Signal<Local, Bits<32>>,
    from_two: Signal<Local, Bits<32>>,
    from_three: Signal<Local, Bits<32>>,
    lanes: Signal<Local, Bits<4>>,
    two: Signal<Local, Bits<32>>,
    rows: Signal<Local, Bits<32>>,
    columns: Signal<Local, Bits<32>>,
    slants: Signal<Local, Bits<32>>,
    fit: Signal<Local, Bits<32>>,
    fit_one: Signal<Local, Bits<32>>,
    fit_two: Signal<Local, Bits<32>>,
    fit_three: Signal<Local, Bits<32>>,
    is_one: Signal<Local, bool>,
    is_three: Signal<Local, bool>,
    is_wide: Signal<Local, bool>,
    is_tall: Signal<Local, bool>,
    is_two: Signal<Local, bool>,
    flips: Parameter<1>,
    fault_merge_overlap: Planted,
    _active: bool,
}

impl MergeFit {
    /// With or without flips, as that configuration has it.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            lane: vector(4),
            flips: Parameter::new(config.merge_flip.into()),
            fault_merge_overlap: Planted::new(config.has(Fault::MergeOverlap)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl MergeFit {
    /// A flip lets quads of the same shape fit.
    fn shapes(&mut self) {
        comment!("module: merge_fit");
        self.lanes.next = self.token.val().get_value_token_lanes();
        self.is_one.next = self.token.val().get_value_token_one();
        self.is_three.next = self.token.val().get_value_token_three();
        self.is_wide.next = self.token.val().get_value_token_wide();
        self.is_tall.next = self.token.val().get_value_token_tall();
        self.is_two.next = !self.is_one.val() && !self.is_three.val();
        self.two.next = self.ranks.val() & !self.one.val() & !self.three.val();
        // Shapes that fit by a flip.
        self.rows.next = bits::<32>(0);
        self.columns.next = bits::<32>(0);
        self.slants.next = bits::<32>(0);
        if self.is_wide.val() {
            self.rows.next = self.two.val() & self.wide.val();
        }
        if self.is_tall.val() {
            self.columns.next = self.two.val() & self.tall.val();
        }
        if self.is_two.val() && !self.is_wide.val() && !self.is_tall.val() {
            self.slants.next = self.two.val() & !self.wide.val() & !self.tall.val();
        }
    }

    /// Quads that fit are found for each number of lanes.
    fn candidates(&mut self) {
        // No lane is active in both.
        self.fit.next = self.ranks.val();
        for k in 0..4 {
            if self.lanes.val().get_bit(k) {
                self.fit.next = self.fit.val() & !self.lane[k].val();
            }
        }
        self.fit_one.next = self.fit.val() & self.one.val();
        self.fit_two.next = self.fit.val() & self.two.val();
        self.fit_three.next = self.fit.val() & self.three.val();
        if self.flips.val().any() {
            self.fit_one.next = self.ranks.val() & self.one.val();
            self.fit_three.next = bits::<32>(0);
            self.fit_two.next = self.rows.val() | self.columns.val() | self.slants.val();
            if self.is_one.val() {
                self.fit_three.next = self.ranks.val() & self.three.val();
                self.fit_two.next = self.two.val();
            }
        }
        if self.fault_merge_overlap.val() && self.is_two.val() {
            self.fit_two.next = self.two.val();
        }
    }

    /// The oldest quad with most lanes is the best partner.
    fn best_partner(&mut self) {
        // The oldest of each number of lanes, beside the question which number it is.
        self.from_one.next = bits::<32>(0) - self.fit_one.val();
        self.from_two.next = bits::<32>(0) - self.fit_two.val();
        self.from_three.next = bits::<32>(0) - self.fit_three.val();
        self.found.next = true;
        if self.fit_three.val().any() {
            self.best.next = self.fit_three.val() & self.from_three.val();
            self.behind.next = self.fit_three.val() | self.from_three.val();
        } else if self.fit_two.val().any() {
            self.best.next = self.fit_two.val() & self.from_two.val();
            self.behind.next = self.fit_two.val() | self.from_two.val();
        } else {
            self.best.next = self.fit_one.val() & self.from_one.val();
            self.behind.next = self.fit_one.val() | self.from_one.val();
            self.found.next = self.fit_one.val().any();
        }
        self.fills.next = (self.is_one.val() && self.fit_three.val().any())
            || (self.is_two.val() && self.fit_two.val().any())
            || (self.is_three.val() && self.fit_one.val().any());
    }
}

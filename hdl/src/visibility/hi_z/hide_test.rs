//! Is a triangle hidden in a group of 8 by 8 pixels? The nearest that it can be there is compared
//! with the bound of the group: the least value of its plane at the group's corners, held between
//! the depths of its vertices as a sample's is (HZ-20, HZ-21). Bias that is held at an end of the
//! range can put the plane of a covered sample far beyond the farthest vertex.
//!
//! ```text
//! cycle 0     nearest depth; the group's word is read
//! cycle 1     answer, until the group is taken
//! ```
//!
//! Of depths that grow (`down`) everything is inverted, so that nearer is always less. A plane that
//! is so steep that it could leave its number range within a group says nothing; then only the
//! vertices count. Planes are read modulo 2^47 here, less than the rasteriser has: a sample that is
//! covered lies within 2^45, whatever is above.
//!
//! `ahead`: the bound may come from triangles that are drawn later. Then it counts only within one
//! opaque run, and only for what is strictly behind (HZ-13).
//!
//! It can be wrong by hiding what passes: proved in formal/, for every function.
//!
//! Planted faults: `hi-z-equal`, `hi-z-corner`, `hi-z-run`, `hi-z-held`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{Each, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{GroupAnswerOut, GroupBoundIn, PartBoundOut, QuadGroupIn, QuadOwner, StateWriteIn, TriangleFactsIn};
use crate::visibility::DrawClasses;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct HideTest {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state.
    pub state: StateWriteIn,
    /// Query whether a group is hidden.
    pub query: QuadGroupIn,
    /// Facts of its triangle.
    pub facts: TriangleFactsIn,
    /// The group is taken: the next one is another.
    pub query_taken: Signal<In, bool>,
    /// Whether a group of quads is hidden.
    pub answer_ports: GroupAnswerOut,
    /// The triangle's run, a cycle after the query.
    pub run: Signal<In, Bits<13>>,
    /// The bound of a group of quads in Hi-Z.
    pub bound_ports: GroupBoundIn,
    // With four levels: one each, or none.
    /// The result of a group's test, for its parts.
    pub part: Each<PartBoundOut>,
    classes: DrawClasses,
    asked: DFF<bool>,
    nearest: DFF<Bits<24>>,
    // Slopes over the group.
    x_small: Signal<Local, Bits<47>>,
    y_small: Signal<Local, Bits<47>>,
    x_part: Signal<Local, Bits<47>>,
    y_part: Signal<Local, Bits<47>>,
    x_grows: Signal<Local, bool>,
    y_grows: Signal<Local, bool>,
    steady: Signal<Local, bool>,
    x_top: Signal<Local, Bits<9>>,
    y_top: Signal<Local, Bits<9>>,
    at_corner: Signal<Local, Bits<47>>,
    depth: Signal<Local, Bits<28>>,
    below: Signal<Local, bool>,
    above: Signal<Local, bool>,
    of_plane: Signal<Local, Bits<24>>,
    near_now: Signal<Local, Bits<24>>,
    behind: Signal<Local, bool>,
    level: Signal<Local, bool>,
    fits: Signal<Local, bool>,
    fault_hi_z_equal: Planted,
    fault_hi_z_corner: Planted,
    fault_hi_z_run: Planted,
    fault_hi_z_held: Planted,
    /// 1: it is `ahead`; it is not; parts are tested, too.
    _ahead: bool,
    _parts: bool,
    _active: bool,
}

impl HideTest {
    /// With that configuration's planted fault; `ahead` as the module says.
    pub fn new(config: &GpuConfig, ahead: bool) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        Self {
            part: Each::new(usize::from(config.tests_parts())),
            _parts: config.tests_parts(),
            classes: DrawClasses::new(config),
            fault_hi_z_equal: planted(Fault::HiZEqual),
            fault_hi_z_corner: planted(Fault::HiZCorner),
            fault_hi_z_run: planted(Fault::HiZRun),
            fault_hi_z_held: planted(Fault::HiZHeld),
            _ahead: ahead,
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl HideTest {
    /// The plane is nearest at one of the group's corners.
    fn corner_depth(&mut self) {
        comment!("module: hide_test");
        dff_setup!(self, clock, asked, nearest);
        clock!(self, clock, classes);
        StateWriteIn::link(&mut self.state, &mut self.classes.state);
        self.classes.context.next = self.facts.owner.val().get_value_context();
        // From the first pixel's centre a group reaches half a pixel, 4 eighths, to the left and 60
        // eighths to the right.
        self.x_grows.next = self.facts.gx.val().get_bit(46) == self.classes.class_ports.down.val();
        self.y_grows.next = self.facts.gy.val().get_bit(46) == self.classes.class_ports.down.val();
        self.x_small.next = bits::<47>(0) - (self.facts.gx.val().get_bits::<47>(0) << bits::<47>(2));
        self.y_small.next = bits::<47>(0) - (self.facts.gy.val().get_bits::<47>(0) << bits::<47>(2));
        self.x_part.next = self.x_small.val() + (self.facts.gx.val().get_bits::<47>(0) << bits::<47>(6));
        if self.x_grows.val() && !self.fault_hi_z_corner.val() {
            self.x_part.next = self.x_small.val();
        }
        self.y_part.next = self.y_small.val() + (self.facts.gy.val().get_bits::<47>(0) << bits::<47>(6));
        if self.y_grows.val() {
            self.y_part.next = self.y_small.val();
        }
        self.at_corner.next = self.query.z.val().get_bits::<47>(0) + (self.x_part.val() + self.y_part.val());
        self.x_top.next = self.facts.gx.val().get_bits::<9>(38);
        self.y_top.next = self.facts.gy.val().get_bits::<9>(38);
        self.steady.next =
            (self.x_top.val().all() || !self.x_top.val().any()) && (self.y_top.val().all() || !self.y_top.val().any());
    }

    /// The plane's depth is held between those of the vertices.
    fn nearest(&mut self) {
        // Depth of 24 bits, or one of its ends.
        self.depth.next = self.at_corner.val().get_bits::<28>(19);
        self.below.next = self.depth.val().get_bit(27);
        self.above.next = !self.depth.val().get_bit(27) && self.depth.val().get_bits::<3>(24).any();
        self.of_plane.next = self.depth.val().get_bits::<24>(0);
        if self.below.val() {
            self.of_plane.next = bits::<24>(0);
        }
        if self.above.val() {
            self.of_plane.next = bits::<24>(0xFF_FFFF);
        }
        self.near_now.next = self.facts.low.val();
        if self.steady.val() && (self.of_plane.val() > self.facts.low.val()) {
            self.near_now.next = self.of_plane.val();
            if (self.of_plane.val() > self.facts.high.val()) && !self.fault_hi_z_held.val() {
                self.near_now.next = self.facts.high.val();
            }
        }
        if self.classes.class_ports.down.val() {
            self.near_now.next = !self.facts.high.val();
            if self.steady.val() && (self.of_plane.val() < self.facts.high.val()) {
                self.near_now.next = !self.of_plane.val();
                if self.of_plane.val() < self.facts.low.val() {
                    self.near_now.next = !self.facts.low.val();
                }
            }
        }
        self.nearest.d.next = self.near_now.val();
    }

    /// The group is hidden if its nearest depth is behind the bound.
    fn answer(&mut self) {
        if self.query.valid.val() {
            self.asked.d.next = true;
        }
        if self.query_taken.val() {
            self.asked.d.next = false;
        }
        self.answer_ports.answer_valid.next = self.asked.q.val();
        self.behind.next = self.nearest.q.val() > self.bound_ports.bound.val();
        self.level.next = self.nearest.q.val() == self.bound_ports.bound.val();
        self.fits.next = self.classes.culls.val()
            && self.bound_ports.known.val()
            && (self.bound_ports.bound_down.val() == self.classes.class_ports.down.val());
        self.answer_ports.hidden.next = false;
        if !self._ahead {
            // Less, or greater: what is level fails, too.
            self.answer_ports.hidden.next = self.fits.val()
                && (self.behind.val()
                    || (self.level.val()
                        && ((self.classes.class_ports.function.val() == bits::<3>(1))
                            || (self.classes.class_ports.function.val() == bits::<3>(4))
                            || self.fault_hi_z_equal.val())));
        }
        if self._ahead {
            self.answer_ports.hidden.next = self.fits.val()
                && self.behind.val()
                && ((self.classes.opaque.val() && (self.bound_ports.bound_run.val() == self.run.val()))
                    || self.fault_hi_z_run.val());
        }
    }

    /// Parts of the group are hidden by the same rule.
    fn part_rule(&mut self) {
        if self._parts {
            self.part[0].down.next = self.classes.class_ports.down.val();
            self.part[0].may.next = self.fits.val();
            self.part[0].level.next = (self.classes.class_ports.function.val() == bits::<3>(1))
                || (self.classes.class_ports.function.val() == bits::<3>(4))
                || self.fault_hi_z_equal.val();
            if self._ahead {
                self.part[0].may.next = self.fits.val()
                    && ((self.classes.opaque.val() && (self.bound_ports.bound_run.val() == self.run.val()))
                        || self.fault_hi_z_run.val());
                self.part[0].level.next = false;
            }
        }
    }
}

//! Merge queue: quads on their way from the collector to the graphics dispatcher wait here for a
//! partner that the same warp can shade (MS-2 to MS-9). A quad that is partly covered, of a context
//! with a merge point, is compared with those that wait. Two that fill a warp go out at once, one
//! behind the other. Others wait until the queue is full, their time is over, or their draw or tile
//! visit is.
//!
//! Those that wait are all of one context, one tile buffer and one kind, and of one triangle if
//! pairs may not span triangles. A quad of another waits at the head until they have gone. So the
//! search ([`fit`]) compares active lanes alone. Those that wait stand in order of age, rank 0 the
//! oldest, in vectors of a bit for each rank: its lanes, their shape, and its place in the
//! memories. A quad that goes closes the ranks.
//!
//! A quad takes a place in the memories when it comes, and keeps it until it is read for the
//! output. Between them only its token moves: to the head, from there into a rank or with its
//! partner to the output's list. The head, or the oldest if its time is over, looks for a partner;
//! the one with most active lanes is the best, the oldest of them is taken. If the queue is full
//! and the head finds no partner, the oldest goes with the best that it has, or alone. If one waits
//! at the head's own place, the oldest go until it has gone, or is the head's partner (MS-9).
//!
//! Tickets order commits, so waiting here changes no image. A pair is named by the ticket of its
//! first member: the result store gives a ticket again only when its quad has committed. All
//! members follow each other at the output. Of those that wait no two fill a warp, since the head
//! waits for its turn if it would fill one. So at a drain, with flips, the best partner for the
//! oldest gives as many pairs as there can be.
//!
//! Latency 3 cycles for a quad that does not wait, throughput a quad per cycle. `in_quad_ready` is
//! made of registers, and all outputs are registers. Time counts in cycles in which `shade_ready`
//! stands. A quad that has waited `limit` of them is due when it is the oldest.
//!
//! It can be wrong in quads that pair and must not, in a quad that is lost or given twice as ranks
//! close, and in one that waits for ever. Planted faults: `merge-overlap`, `merge-context`,
//! `merge-place`, `merge-limit`, `merge-flip`, `merge-full-lost`, `merge-unmarked`, `merge-order`.

pub mod fit;
pub mod flip;
mod groups;
mod order;
mod output;
pub mod places;
mod twins;

use quadlock_hdl_macros::{parts, QuietBlock};
use quadlock_isa::records::state;
use rust_hdl::prelude::*;

use crate::base::{vector, Parameter, Planted};
use crate::cell::AsyncRam;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{PairingOut, ShadeIn, ShadeOut, StateWriteIn};
use crate::raster::collector::{ShadeName, ShadePlace};
use crate::{comment, fields, kernel_of};

pub use fit::MergeFit;
use fit::MergeToken;
pub use flip::MergeFlip;
pub use places::MergePlaces;

/// Bits of a token, each a vector of ranks.
const TOKEN: usize = 14;
/// Bits of a place: x, y, and the sample of a quad that is shaded for one.
const PLACE: usize = 24;

fields! {
    /// With whom a quad may pair.
    trait MergeKind: 25 {
        /// Context.
        kind_context: 4 @ 0,
        /// Tile buffer.
        kind_buffer: 3 @ 4,
        /// Shaded for one sample.
        kind_single: bit @ 7,
        /// The triangle's number.
        kind_order: 16 @ 8,
        /// It may pair: partly covered, and its context has a merge point. One that splits has
        /// both.
        kind_sparse: bit @ 24,
    }
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct MergeQueue {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state: 7 of contexts, where programs merge.
    pub state: StateWriteIn,
    /// A draw or the visit of a tile has ended: nothing waits for a partner while it stands.
    pub drain: Signal<In, bool>,
    /// Cycles in which the output is ready that a quad waits at most; 0: none waits.
    pub limit: Signal<In, Bits<16>>,
    /// A quad or the end of a triangle is offered. Held until `in_quad_ready`.
    pub in_quad: ShadeIn,
    /// A quad is to be shaded.
    pub shade: ShadeOut,
    /// With whom it is shaded.
    pub pairing: PairingOut,
    /// Nothing is here.
    pub idle: Signal<Out, bool>,
    /// Whether a context has a merge point.
    points: AsyncRam,
    places: MergePlaces,
    // Quads by place.
    names: AsyncRam,
    /// Its bits from 32 on.
    names_high: AsyncRam,
    spots: AsyncRam,
    covers: AsyncRam,
    depths: Vec<AsyncRam>,
    /// Time at which a quad began to wait, by place.
    since: AsyncRam,
    // The head, and the place behind it.
    head: DFF<bool>,
    head_token: DFF<Bits<14>>,
    head_kind: DFF<Bits<25>>,
    spare: DFF<bool>,
    spare_token: DFF<Bits<14>>,
    spare_kind: DFF<Bits<25>>,
    // Those that wait, by rank.
    waits: DFF<Bits<32>>,
    /// Bit p of their tokens.
    token: Vec<DFF<Bits<32>>>,
    /// Of them all.
    kind: DFF<Bits<25>>,
    /// The oldest is the first member of the pair that is going: it leaves its rank now.
    leaves: DFF<bool>,
    /// The time of the oldest is over.
    due: DFF<bool>,
    time: DFF<Bits<17>>,
    /// The limit is 0.
    never: DFF<bool>,
    /// Partners of the head.
    of_head: MergeFit,
    /// Partners of the oldest.
    of_oldest: MergeFit,
    // The list of the output: a quad, and its partner if that comes next.
    first: DFF<bool>,
    first_place: DFF<Bits<6>>,
    second: DFF<bool>,
    second_place: DFF<Bits<6>>,
    /// The first in the list is of a pair.
    paired: DFF<bool>,
    /// It is the later one.
    later: DFF<bool>,
    first_lanes: DFF<Bits<4>>,
    second_lanes: DFF<Bits<4>>,
    fold: MergeFlip,
    // The output.
    valid_r: DFF<bool>,
    name_r: DFF<Bits<38>>,
    spot_r: DFF<Bits<32>>,
    cover_r: DFF<Bits<16>>,
    depth_r: Vec<DFF<Bits<24>>>,
    paired_r: DFF<bool>,
    pair_r: DFF<Bits<6>>,
    later_r: DFF<bool>,
    flip_r: DFF<Bits<2>>,
    // Named intermediate values.
    /// The output is free or taken; the first in the list leaves it.
    shows: Signal<Local, bool>,
    moves: Signal<Local, bool>,
    room: Signal<Local, bool>,
    /// A beat is taken; with it a quad is.
    takes_beat: Signal<Local, bool>,
    take: Signal<Local, bool>,
    active: Signal<Local, Bits<4>>,
    name: Signal<Local, Bits<38>>,
    spot: Signal<Local, Bits<32>>,
    new_token: Signal<Local, Bits<14>>,
    new_kind: Signal<Local, Bits<25>>,
    oldest: Signal<Local, Bits<14>>,
    differs: Signal<Local, Bits<25>>,
    foreign: Signal<Local, bool>,
    some: Signal<Local, bool>,
    full: Signal<Local, bool>,
    head_usable: Signal<Local, bool>,
    alone: Signal<Local, bool>,
    fills: Signal<Local, bool>,
    tight: Signal<Local, bool>,
    over: Signal<Local, bool>,
    joins: Signal<Local, bool>,
    by_oldest: Signal<Local, bool>,
    pair: Signal<Local, bool>,
    load: Signal<Local, bool>,
    insert: Signal<Local, bool>,
    head_leaves: Signal<Local, bool>,
    chosen: Signal<Local, Bits<32>>,
    behind: Signal<Local, Bits<32>>,
    partner: Signal<Local, Bits<14>>,
    stay: Signal<Local, Bits<32>>,
    closed: Signal<Local, Bits<32>>,
    /// By bit of a token: those that wait, when ranks have closed.
    token_closed: Vec<Signal<Local, Bits<32>>>,
    put: Signal<Local, Bits<32>>,
    turned: Signal<Local, Bits<2>>,
    waited: Signal<Local, Bits<17>>,
    most: Signal<Local, Bits<17>>,
    /// Ranks that there are.
    all: Parameter<32>,
    /// The last of them.
    last: Parameter<32>,
    /// What has to be equal of the kinds.
    compared: Parameter<25>,
    fault_merge_context: Planted,
    fault_merge_place: Planted,
    fault_merge_limit: Planted,
    fault_merge_flip: Planted,
    fault_merge_full_lost: Planted,
    fault_merge_unmarked: Planted,
    // Order of quads at one place: each is one, or none; `at` has a vector for each bit of a place.
    /// Place and sample of the head and of the quad behind it, and bit p of those that wait.
    head_at: Vec<DFF<Bits<24>>>,
    spare_at: Vec<DFF<Bits<24>>>,
    at: Vec<DFF<Bits<32>>>,
    new_at: Vec<Signal<Local, Bits<24>>>,
    /// Quads that wait at the place of the head; the head may not go or wait before they have gone.
    /// Who waits at the head's place, and whether the two fill a warp.
    same: Vec<DFF<Bits<32>>>,
    fits: Vec<DFF<bool>>,
    beside: Vec<Signal<Local, Bits<32>>>,
    /// The same of the next head: its place and token, and who waits there.
    next_at: Vec<Signal<Local, Bits<24>>>,
    next_token: Vec<Signal<Local, Bits<14>>>,
    found: Vec<Signal<Local, Bits<32>>>,
    /// Of those, quads that fill a warp with it: without flips, of one shape with it, with the rule
    /// that holds.
    fill_plain: Vec<Signal<Local, Bits<32>>>,
    fill_shape: Vec<Signal<Local, Bits<32>>>,
    fill_next: Vec<Signal<Local, Bits<32>>>,
    /// It fills a warp with the head.
    opposite: Vec<Signal<Local, bool>>,
    stays: Vec<Signal<Local, Bits<32>>>,
    /// The same, and those at a place by its bits, when ranks have closed.
    stays_closed: Vec<Signal<Local, Bits<32>>>,
    at_closed: Vec<Signal<Local, Bits<32>>>,
    /// The head goes with the one at its place, or may not go before it.
    suits: Vec<Signal<Local, bool>>,
    clash: Signal<Local, bool>,
    /// The head's best partner, and all ranks from it on.
    head_best: Signal<Local, Bits<32>>,
    head_behind: Signal<Local, Bits<32>>,
    fault_merge_order: Vec<Planted>,
    _ordered: usize,
    /// Bits of a place.
    _bits: usize,
    // Groups of more than two: each is one, or none.
    /// A pair has been chosen in the last cycle: how many more come with it is counted now.
    fresh: Vec<DFF<bool>>,
    /// Members that are still to be taken from those that wait.
    extra: Vec<DFF<Bits<2>>>,
    /// Lanes that the chosen ones have; with flips as many of the lowest lanes.
    taken: Vec<DFF<Bits<4>>>,
    /// Other members of the group that goes.
    size: Vec<DFF<Bits<2>>>,
    /// Active lanes of the first and the second in the list.
    lanes_at: Vec<DFF<Bits<4>>>,
    lanes_behind: Vec<DFF<Bits<4>>>,
    /// Lanes of the members that are at the output or have left it, where they stand.
    joint: Vec<DFF<Bits<4>>>,
    /// At the output: number of the member, and other members.
    number_r: Vec<DFF<Bits<2>>>,
    others_r: Vec<DFF<Bits<2>>>,
    /// Quads of one lane; those that fit; the oldest of them; it and all ranks behind it.
    singles: Vec<Signal<Local, Bits<32>>>,
    fitting: Vec<Signal<Local, Bits<32>>>,
    single: Vec<Signal<Local, Bits<32>>>,
    from_single: Vec<Signal<Local, Bits<32>>>,
    /// Lanes for which a quad of one lane waits; lanes that such quads can fill; those of them that
    /// are free; how many lanes of the group they can fill.
    single_lanes: Vec<Signal<Local, Bits<4>>>,
    fillable: Vec<Signal<Local, Bits<4>>>,
    offered: Vec<Signal<Local, Bits<4>>>,
    more: Vec<Signal<Local, Bits<2>>>,
    others: Vec<Signal<Local, Bits<2>>>,
    /// A member is taken from those that wait.
    grows: Vec<Signal<Local, bool>>,
    /// Lanes of the quad at the output, left and right exchanged if they are; where they stand.
    across: Vec<Signal<Local, Bits<4>>>,
    placed: Vec<Signal<Local, Bits<4>>>,
    /// Those of one lane but the oldest.
    rest: Vec<Signal<Local, Bits<32>>>,
    /// Of the one that goes first: one lane, three, which; those of the quad at the output.
    one_first: Vec<Signal<Local, bool>>,
    three_first: Vec<Signal<Local, bool>>,
    lanes_first: Vec<Signal<Local, Bits<4>>>,
    own: Vec<Signal<Local, Bits<4>>>,
    flips: Parameter<1>,
    /// Groups may have four members.
    fours: Parameter<1>,
    fault_group_size: Vec<Planted>,
    fault_group_overlap: Vec<Planted>,
    _groups: usize,
    // Quads that split, which may merge before: each is one, or none; depths of samples 1 to 3.
    /// Whether a context's program has both points.
    both: Vec<AsyncRam>,
    depths_of: Vec<AsyncRam>,
    /// Samples of the first in the list that have been at the output.
    sent: Vec<DFF<Bits<4>>>,
    /// A beat of a quad comes; the output takes one; what is still to be said, and what is now.
    comes: Vec<Signal<Local, bool>>,
    above: Vec<Signal<Local, Bits<4>>>,
    unsent: Vec<Signal<Local, Bits<4>>>,
    sample_bit: Vec<Signal<Local, Bits<4>>>,
    quad_samples: Vec<Signal<Local, Bits<4>>>,
    list_samples: Vec<Signal<Local, Bits<4>>>,
    spot_now: Vec<Signal<Local, Bits<32>>>,
    fault_twin_depth: Vec<Planted>,
    _twins: usize,
    _active: bool,
}

impl MergeQueue {
    /// Empty, with the depth, the options and the planted faults of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        let places = places::places(config.merge_queue);
        let groups = usize::from(config.groups());
        let ordered = usize::from(config.merge_ordered);
        let twins = usize::from(config.twins());
        Self {
            fresh: vector(groups),
            extra: vector(groups),
            taken: vector(groups),
            size: vector(groups),
            lanes_at: vector(groups),
            lanes_behind: vector(groups),
            joint: vector(groups),
            number_r: vector(groups),
            others_r: vector(groups),
            singles: vector(groups),
            fitting: vector(groups),
            single_lanes: vector(groups),
            fillable: vector(groups),
            across: vector(groups),
            single: vector(groups),
            from_single: vector(groups),
            offered: vector(groups),
            more: vector(groups),
            others: vector(groups),
            grows: vector(groups),
            placed: vector(groups),
            rest: vector(groups),
            one_first: vector(groups),
            three_first: vector(groups),
            lanes_first: vector(groups),
            own: vector(groups),
            head_at: vector(ordered),
            spare_at: vector(ordered),
            at: vector(PLACE * ordered),
            same: vector(ordered),
            fits: vector(ordered),
            suits: vector(ordered),
            beside: vector(ordered),
            next_at: vector(ordered),
            next_token: vector(ordered),
            found: vector(ordered),
            fill_plain: vector(ordered),
            fill_shape: vector(ordered),
            fill_next: vector(ordered),
            opposite: vector(ordered),
            stays: vector(ordered),
            stays_closed: vector(ordered),
            at_closed: vector(PLACE * ordered),
            new_at: vector(ordered),
            fault_merge_order: (0..ordered).map(|_| planted(Fault::MergeOrder)).collect(),
            _ordered: ordered,
            _bits: PLACE * ordered,
            flips: Parameter::new(config.merge_flip.into()),
            fours: Parameter::new((config.merge_group == 4).into()),
            fault_group_size: config.of_groups(Fault::GroupSize),
            fault_group_overlap: config.of_groups(Fault::GroupOverlap),
            _groups: groups,
            both: (0..twins).map(|_| AsyncRam::new(config.contexts, 1)).collect(),
            depths_of: (0..12 * twins).map(|_| AsyncRam::new(places, 24)).collect(),
            sent: vector(twins),
            comes: vector(twins),
            above: vector(twins),
            unsent: vector(twins),
            sample_bit: vector(twins),
            quad_samples: vector(twins),
            list_samples: vector(twins),
            token_closed: vector(14),
            spot_now: vector(twins),
            fault_twin_depth: config.of_twins(Fault::TwinDepth),
            _twins: twins,
            points: AsyncRam::new(config.contexts, 1),
            places: MergePlaces::new(config),
            names: AsyncRam::new(places, 32),
            names_high: AsyncRam::new(places, 6),
            spots: AsyncRam::new(places, 32),
            covers: AsyncRam::new(places, 16),
            depths: (0..4).map(|_| AsyncRam::new(places, 24)).collect(),
            since: AsyncRam::new(places, 17),
            token: vector(TOKEN),
            of_head: MergeFit::new(config),
            of_oldest: MergeFit::new(config),
            depth_r: vector(4),
            all: Parameter::new(u64::from(u32::MAX) >> (32 - config.merge_queue)),
            last: Parameter::new(1 << (config.merge_queue - 1)),
            compared: Parameter::new(if config.merge_triangles { 0xff } else { 0xff_ffff }),
            fault_merge_context: planted(Fault::MergeContext),
            fault_merge_place: planted(Fault::MergePlace),
            fault_merge_limit: planted(Fault::MergeLimit),
            fault_merge_flip: planted(Fault::MergeFlip),
            fault_merge_full_lost: planted(Fault::MergeFullLost),
            fault_merge_unmarked: planted(Fault::MergeUnmarked),
            _active: true,
            ..Default::default()
        }
    }
}

kernel_of! { MergeQueue:
    /// Clocks, and whether a quad is taken and the output moves on.
    Take,
    /// Samples of one quad, at the input and at the output.
    Several,
    /// A table says which contexts have a merge point.
    Points,
    /// The token of the quad has its active lanes, their shape and its place.
    Tokens,
    /// The quad has a kind, a name and a spot.
    Names,
    /// An incoming quad is written into the memories.
    QuadStore,
    /// Whether one that splits may merge.
    Both,
    /// Partners of the head and of the oldest.
    Search,
    /// Quads of one lane that wait offer their lanes.
    Singles,
    /// The one-lane quads that still fit into the pair are counted.
    ExtraCount,
    /// The oldest of one lane that fits is chosen, until no more is to come.
    OldestSingle,
    /// Whether one waits at the head's place.
    Order,
    /// Who goes, and whether the head begins to wait.
    Decide,
    /// The head and the place behind it.
    Head,
    /// Ranks of those that wait.
    Ranks,
    /// Places of the head and of the quad behind it go along with them.
    OwnPlace,
    /// Who waits at the next head's place is found, and whether the two fill a warp.
    NextHead,
    /// Positions and matches of waiting quads shift as the queue closes ranks.
    PositionShift,
    /// Time.
    Time,
    /// The list of the output.
    List,
    /// Members of the group that goes.
    Members,
    /// The first quad of the list is read, and lanes of two members are folded.
    OutputRead,
    /// The register takes the first quad of the list when it is free or taken.
    OutputRegister,
    /// The port gives the value of the register.
    OutputPort,
    /// What it says of a group.
    Number,
    /// Depths of samples are written.
    SampleDepths,
    /// A quad that splits is given once per sample, with that sample's depths.
    SampleOutput,
}

#[parts]
impl MergeQueue {
    fn take(&mut self) {
        comment!("module: merge_queue");
        clock!(self, clock, points, places, names, names_high, spots, covers, since);
        dff_setup!(self, clock, head, head_token, head_kind, spare, spare_token, spare_kind);
        dff_setup!(self, clock, waits, kind, leaves, due, time, never);
        dff_setup!(self, clock, first, first_place, second, second_place, paired, later, first_lanes, second_lanes);
        dff_setup!(self, clock, valid_r, name_r, spot_r, cover_r, paired_r, pair_r, later_r, flip_r);
        self.in_quad.ready.next = self.places.ready.val() && !self.spare.q.val();
        self.takes_beat.next =
            self.in_quad.valid.val() && self.places.ready.val() && !self.spare.q.val() && !self.in_quad.end.val();
        self.take.next = self.takes_beat.val();
        self.places.take.next = self.takes_beat.val();
        self.shows.next = self.shade.ready.val() || !self.valid_r.q.val();
        self.moves.next = self.shows.val();
        self.room.next = !self.first.q.val() || (self.shows.val() && !self.second.q.val());
        // A group is complete before the next one begins.
        for k in 0..self._groups {
            if self.extra[k].q.val().any() {
                self.room.next = false;
            }
        }
        self.idle.next = !self.head.q.val()
            && !self.spare.q.val()
            && !self.waits.q.val().any()
            && !self.first.q.val()
            && !self.valid_r.q.val();
    }

    fn points(&mut self) {
        // Where programs merge: 63 says nowhere.
        self.points.write_enable.next =
            self.state.valid.val() && !self.state.pass.val() && (self.state.word.val() == bits::<6>(state::VARYINGS));
        self.points.write_address.next = bit_cast::<6, 4>(self.state.context.val());
        self.points.write_data.next = bits::<32>(1);
        if self.state.data.val().get_bits::<6>(16).all() {
            self.points.write_data.next = bits::<32>(0);
        }
        self.points.read_address.next = bit_cast::<6, 4>(self.in_quad.context.val());
    }

    fn tokens(&mut self) {
        self.active.next = bits::<4>(0);
        for k in 0..4 {
            if self.in_quad.coverage.val().get_bits::<4>(4 * k).any() {
                self.active.next = self.active.val() | (bits::<4>(1) << k.to_bits::<4>());
            }
        }
        self.new_token.next = bits::<14>(0);
        self.new_token.next.set_value_token_lanes(self.active.val());
        self.new_token.next.set_value_token_one(
            (self.active.val() == bits::<4>(1))
                || (self.active.val() == bits::<4>(2))
                || (self.active.val() == bits::<4>(4))
                || (self.active.val() == bits::<4>(8)),
        );
        self.new_token.next.set_value_token_three(
            (self.active.val() == bits::<4>(7))
                || (self.active.val() == bits::<4>(11))
                || (self.active.val() == bits::<4>(13))
                || (self.active.val() == bits::<4>(14)),
        );
        self.new_token
            .next
            .set_value_token_wide((self.active.val() == bits::<4>(3)) || (self.active.val() == bits::<4>(12)));
        self.new_token
            .next
            .set_value_token_tall((self.active.val() == bits::<4>(5)) || (self.active.val() == bits::<4>(10)));
        self.new_token.next.set_value_token_place(self.places.place.val());
    }

    fn names(&mut self) {
        self.new_kind.next = bits::<25>(0);
        self.new_kind.next.set_value_kind_context(self.in_quad.context.val());
        self.new_kind.next.set_value_kind_buffer(self.in_quad.buffer.val());
        self.new_kind.next.set_value_kind_single(self.in_quad.single.val());
        self.new_kind.next.set_value_kind_order(self.in_quad.order.val());
        self.new_kind.next.set_value_kind_sparse(
            (self.points.read_data.val().get_bit(0) || self.fault_merge_unmarked.val())
                && self.active.val().any()
                && !self.active.val().all()
                && !self.in_quad.splits.val(),
        );
        self.name.next = bits::<38>(0);
        self.name.next.set_value_shade_context(self.in_quad.context.val());
        self.name.next.set_value_shade_handle(self.in_quad.handle.val());
        self.name.next.set_value_shade_order(self.in_quad.order.val());
        self.name.next.set_value_shade_back(self.in_quad.back.val());
        self.name.next.set_value_shade_buffer(self.in_quad.buffer.val());
        self.name.next.set_value_shade_single(self.in_quad.single.val());
        self.spot.next = bits::<32>(0);
        self.spot.next.set_value_shade_x(self.in_quad.x.val());
        self.spot.next.set_value_shade_y(self.in_quad.y.val());
        self.spot.next.set_value_shade_ticket(self.in_quad.ticket.val());
        self.spot.next.set_value_shade_sample(self.in_quad.sample.val());
        self.spot.next.set_value_shade_splits(self.in_quad.splits.val());
    }

    fn quad_store(&mut self) {
        self.names.write_enable.next = self.take.val();
        fan_out!(self.places.place =>
            self.names.write_address, self.names_high.write_address, self.spots.write_address,
            self.covers.write_address
        );
        self.names.write_data.next = self.name.val().get_bits::<32>(0);
        self.names_high.write_enable.next = self.take.val();
        self.names_high.write_data.next = bit_cast::<32, 6>(self.name.val().get_bits::<6>(32));
        self.spots.write_enable.next = self.take.val();
        self.spots.write_data.next = self.spot.val();
        self.covers.write_enable.next = self.take.val();
        self.covers.write_data.next = bit_cast::<32, 16>(self.in_quad.coverage.val());
        for k in 0..4 {
            clock!(self, clock, depths[k]);
            self.depths[k].write_enable.next = self.take.val();
            self.depths[k].write_address.next = self.places.place.val();
        }
        self.depths[0].write_data.next = bit_cast::<32, 24>(self.in_quad.depth[0].val());
        self.depths[1].write_data.next = bit_cast::<32, 24>(self.in_quad.depth[1].val());
        self.depths[2].write_data.next = bit_cast::<32, 24>(self.in_quad.depth[2].val());
        self.depths[3].write_data.next = bit_cast::<32, 24>(self.in_quad.depth[3].val());
    }

    fn search(&mut self) {
        self.oldest.next = bits::<14>(0);
        for p in 0..14 {
            if self.token[p].q.val().get_bit(0) {
                self.oldest.next = self.oldest.val() | (bits::<14>(1) << p.to_bits::<4>());
            }
        }
        for k in 0..4 {
            self.of_head.lane[k].next = self.token[k].q.val();
            self.of_oldest.lane[k].next = self.token[k].q.val();
        }
        self.of_head.one.next = self.token[4].q.val();
        self.of_head.three.next = self.token[5].q.val();
        self.of_head.wide.next = self.token[6].q.val();
        self.of_head.tall.next = self.token[7].q.val();
        self.of_oldest.one.next = self.token[4].q.val();
        self.of_oldest.three.next = self.token[5].q.val();
        self.of_oldest.wide.next = self.token[6].q.val();
        self.of_oldest.tall.next = self.token[7].q.val();
        self.of_head.token.next = self.head_token.q.val();
        self.of_oldest.token.next = self.oldest.val();
        // The oldest is no partner of itself, and of nobody when it is about to leave.
        self.of_oldest.ranks.next = self.waits.q.val() & !bits::<32>(1);
        self.of_head.ranks.next = self.waits.q.val();
        if self.leaves.q.val() {
            self.of_head.ranks.next = self.waits.q.val() & !bits::<32>(1);
        }
    }

    fn decide(&mut self) {
        self.some.next = self.waits.q.val().get_bit(0);
        self.full.next = (self.waits.q.val() & self.last.val()).any();
        self.differs.next = (self.head_kind.q.val() ^ self.kind.q.val()) & self.compared.val();
        if self.fault_merge_context.val() {
            self.differs.next.set_value_kind_context(bits::<4>(0));
        }
        self.foreign.next = self.head.q.val() && self.some.val() && (self.differs.val().any() || self.clash.val());
        self.head_usable.next = self.head.q.val() && !self.foreign.val();
        // What the head would do.
        self.alone.next =
            self.head_usable.val() && (!self.head_kind.q.val().get_value_kind_sparse() || self.never.q.val());
        self.fills.next = self.head_usable.val() && !self.alone.val() && self.of_head.fills.val();
        self.tight.next = self.head_usable.val() && !self.alone.val() && self.full.val() && !self.of_head.fills.val();
        // What the oldest must do.
        self.over.next = self.some.val() && (self.drain.val() || self.foreign.val() || self.due.q.val());
        // It may be the head's best partner.
        self.joins.next =
            self.over.val() && self.head_usable.val() && !self.alone.val() && self.head_best.val().get_bit(0);
        self.by_oldest.next = (self.over.val() && !self.joins.val())
            || (self.tight.val() && !self.over.val() && !self.of_head.found.val());
        self.pair.next = self.of_head.found.val() && !self.alone.val();
        self.chosen.next = self.head_best.val();
        self.behind.next = self.head_behind.val();
        if self.by_oldest.val() {
            self.pair.next = self.of_oldest.found.val();
            self.chosen.next = self.of_oldest.best.val();
            self.behind.next = self.of_oldest.behind.val();
        }
        // A further member of the group that goes: the oldest of one lane.
        for k in 0..self._groups {
            if self.extra[k].q.val().any() {
                self.chosen.next = self.single[k].val();
                self.behind.next = self.fitting[k].val() | self.from_single[k].val();
            }
        }
        self.load.next =
            self.room.val() && (self.over.val() || self.alone.val() || self.fills.val() || self.tight.val());
        self.insert.next = self.head_usable.val()
            && !self.alone.val()
            && !self.of_head.fills.val()
            && !self.joins.val()
            && (!self.full.val() || (self.load.val() && self.by_oldest.val()));
        self.head_leaves.next = self.insert.val() || (self.load.val() && !self.by_oldest.val());
    }

    fn head(&mut self) {
        if self.head_leaves.val() || !self.head.q.val() {
            self.head.d.next = self.spare.q.val() || self.take.val();
            self.spare.d.next = false;
            self.head_token.d.next = self.new_token.val();
            self.head_kind.d.next = self.new_kind.val();
            if self.spare.q.val() {
                self.head_token.d.next = self.spare_token.q.val();
                self.head_kind.d.next = self.spare_kind.q.val();
            }
        } else if self.take.val() {
            self.spare.d.next = true;
        }
        if !self.spare.q.val() {
            self.spare_token.d.next = self.new_token.val();
            self.spare_kind.d.next = self.new_kind.val();
        }
    }

    fn ranks(&mut self) {
        // The second member of the oldest's pair closes its rank now, the oldest in the next cycle.
        self.leaves.d.next = self.load.val() && self.by_oldest.val() && self.pair.val();
        self.stay.next = !bits::<32>(0);
        if self.load.val() && self.pair.val() {
            self.stay.next = !self.behind.val();
        } else if self.leaves.q.val() || (self.load.val() && self.by_oldest.val()) {
            self.stay.next = bits::<32>(0);
        }
        for k in 0..self._groups {
            if self.grows[k].val() {
                self.stay.next = !self.behind.val();
            }
        }
        self.closed.next = (self.waits.q.val() & self.stay.val())
            | ((self.waits.q.val() >> bits::<32>(1)) & !self.stay.val() & self.all.val());
        self.put.next = bits::<32>(0);
        if self.insert.val() && (!self.fault_merge_full_lost.val() || !self.full.val()) {
            self.put.next =
                ((self.closed.val() << bits::<32>(1)) | bits::<32>(1)) & !self.closed.val() & self.all.val();
        }
        self.waits.d.next = self.closed.val() | self.put.val();
        // Bits of ranks where nobody waits are 0.
        for p in 0..14 {
            self.token[p].clock.next = self.clock.val();
            self.token_closed[p].next = (self.token[p].q.val() & self.stay.val())
                | ((self.token[p].q.val() >> bits::<32>(1)) & !self.stay.val() & self.all.val());
            self.token[p].d.next = self.token_closed[p].val() & self.all.val();
            if self.head_token.q.val().get_bit(p) {
                self.token[p].d.next = (self.token_closed[p].val() | self.put.val()) & self.all.val();
            }
        }
        if self.insert.val() {
            self.kind.d.next = self.head_kind.q.val();
        }
    }

    fn time(&mut self) {
        if self.shade.ready.val() {
            self.time.d.next = self.time.q.val() + bits::<17>(1);
        }
        self.never.d.next = !self.limit.val().any();
        self.since.write_enable.next = self.insert.val();
        self.since.write_address.next = self.head_token.q.val().get_value_token_place();
        self.since.write_data.next = bit_cast::<32, 17>(self.time.q.val());
        self.since.read_address.next = self.oldest.val().get_value_token_place();
        self.waited.next = self.time.q.val() - self.since.read_data.val().get_bits::<17>(0);
        self.most.next = bit_cast::<17, 16>(self.limit.val());
        // What is known of the oldest says nothing of the one that is the oldest next.
        self.due.d.next = self.some.val()
            && self.stay.val().get_bit(0)
            && (self.waited.val() >= self.most.val())
            && !self.fault_merge_limit.val();
    }
}

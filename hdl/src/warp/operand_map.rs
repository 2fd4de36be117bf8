//! Where one register operand of a warp slot stands: [`super::register_map`] has one of these for
//! each read port. The slot's word and owners come from that block's RAMs.
//!
//! `place` is the register's number counted from the public end, so that a register below the
//! cutoff is public. With `public_registers = bitmap` the bit of that number decides. The rest is
//! for the private registers of a merged warp, by `merge_private` (MS-22).
//!
//! Combinational. It can be wrong in a register that is taken for public and is not; its users'
//! tests compare whole slots with a model (`tests/warp_pairs.rs`).
//!
//! Planted faults: `private-shared`, `public-bitmap`, `merged-bare`, `merged-joined`, in each of
//! the three.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::comment;
use crate::config::{GpuConfig, PrivateSet, PublicRegisters};
use crate::fault::Fault;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct OperandMap {
    /// Register that is read.
    pub read_register: Signal<In, Bits<5>>,
    /// Word of its slot, as the register map packs it.
    pub word: Signal<In, Bits<32>>,
    /// Lanes 3:0 that own the slot's registers, and in 4 that the warp has merged.
    pub owns: Signal<In, Bits<32>>,
    /// Bit r: register r is public; one, or none if cutoffs say so.
    pub bitmap: Vec<Signal<In, Bits<32>>>,
    /// The slot's warp has split and is a pixel; one, or none.
    pub is_pixel: Vec<Signal<In, bool>>,
    /// The register stands in the slot of the public registers.
    pub fold: Signal<Out, Bits<1>>,
    /// Lanes that read 0.
    pub hide: Signal<Out, Bits<4>>,
    /// All lanes read the lane of the pixel; one, or none.
    pub spread: Vec<Signal<Out, Bits<1>>>,
    /// Number of the register where it stands, with a private set of both members; one, or none.
    pub number: Vec<Signal<Out, Bits<5>>>,
    /// The register is one of the pair's own set; one, or none.
    pub third: Vec<Signal<Out, Bits<1>>>,
    public: Signal<Local, bool>,
    place: Signal<Local, Bits<6>>,
    cutoff: Signal<Local, Bits<6>>,
    shifted: Vec<Signal<Local, Bits<32>>>,
    half: Vec<Signal<Local, Bits<5>>>,
    in_other_slot: Vec<Signal<Local, bool>>,
    fault_public_helper: Planted,
    fault_private_shared: Planted,
    fault_public_bitmap: Vec<Planted>,
    fault_merged_bare: Vec<Planted>,
    fault_merged_joined: Vec<Planted>,
    _above: bool,
    _bitmap: usize,
    _bare: usize,
    _joins: usize,
    _fresh: usize,
    _turns: usize,
    _active: bool,
}

impl OperandMap {
    /// As that configuration has public and private registers.
    pub fn new(config: &GpuConfig) -> Self {
        let [bare, joins, fresh] =
            [PrivateSet::None, PrivateSet::Joined, PrivateSet::New].map(|set| config.of_private(set));
        let (bitmap, turns) = (config.bitmaps(), usize::from(config.turns()));
        let planted =
            |count: usize, fault| -> Vec<Planted> { (0..count).map(|_| Planted::new(config.has(fault))).collect() };
        Self {
            bitmap: vector(bitmap),
            is_pixel: vector(turns),
            spread: vector(turns),
            number: vector(joins),
            third: vector(fresh),
            shifted: vector(bitmap),
            half: vector(joins),
            in_other_slot: vector(joins),
            fault_public_helper: Planted::new(config.has(Fault::PublicHelper)),
            fault_private_shared: Planted::new(config.has(Fault::PrivateShared)),
            fault_public_bitmap: planted(bitmap, Fault::PublicBitmap),
            fault_merged_bare: planted(bare, Fault::MergedBare),
            fault_merged_joined: planted(joins, Fault::MergedJoined),
            _above: config.public_registers == PublicRegisters::Above,
            _bitmap: bitmap,
            _bare: bare,
            _joins: joins,
            _fresh: fresh,
            _turns: turns,
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for OperandMap {
    #[kernel]
    fn update(&mut self) {
        comment!("module: operand_map");
        self.cutoff.next = self.word.val().get_bits::<6>(0);
        self.place.next = bit_cast::<6, 5>(self.read_register.val());
        if self._above {
            self.place.next = bit_cast::<6, 5>(self.read_register.val()) ^ bits::<6>(31);
        }
        self.public.next = self.place.val() < self.cutoff.val();
        for k in 0..self._bitmap {
            self.shifted[k].next = self.bitmap[k].val() >> bit_cast::<32, 6>(self.place.val());
            if !self.fault_public_bitmap[k].val() {
                self.public.next = self.shifted[k].val().get_bit(0);
            }
        }
        self.hide.next = bits::<4>(0);
        if self.public.val() && !self.fault_public_helper.val() {
            self.hide.next = !self.owns.val().get_bits::<4>(0);
        }
        self.fold.next = bits::<1>(0);
        if self.word.val().get_bit(6) && (self.public.val() || self.fault_private_shared.val()) {
            self.fold.next = bits::<1>(1);
        }
        for t in 0..self._turns {
            self.spread[t].next = bits::<1>(0);
            if self.public.val() && self.is_pixel[t].val() {
                self.spread[t].next = bits::<1>(1);
            }
        }
        // A merged warp's private registers: none, those of both slots, or a set of the pair.
        for k in 0..self._bare {
            if !self.public.val() && self.owns.val().get_bit(4) && !self.fault_merged_bare[k].val() {
                self.hide.next = bits::<4>(15);
            }
        }
        for k in 0..self._joins {
            self.half[k].next = self.word.val().get_bits::<5>(10);
            self.in_other_slot[k].next = self.owns.val().get_bit(4)
                && (self.place.val() >= (self.cutoff.val() + bit_cast::<6, 5>(self.half[k].val())));
            self.number[k].next = self.read_register.val();
            if self.in_other_slot[k].val() {
                self.number[k].next = self.read_register.val() - self.half[k].val();
                if !self.fault_merged_joined[k].val() {
                    self.fold.next = bits::<1>(1);
                }
            }
        }
        for k in 0..self._fresh {
            self.third[k].next = bits::<1>(0);
            if !self.public.val() && self.owns.val().get_bit(4) {
                self.third[k].next = bits::<1>(1);
            }
        }
    }
}

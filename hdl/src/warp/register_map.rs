//! Register map: where the registers of a warp slot stand, and which lanes see them (MS-20, MS-21,
//! MS-23). A slot's program has a cutoff. Registers below it are public (with `public_registers` as
//! many at the upper end, the lower half in any case, or those of a word of bits): those of a
//! member of a pair or of a group that splits stand with those of member 0. Its slot is the one
//! whose number has bit 0 clear, or bits 1:0 for members 2 and 3 and their group (`deep`). So warps
//! share them from their launch on, and a merge or a split moves nothing.
//!
//! Public registers are for lanes that own them: others read 0 and are not written. Behind a split
//! nobody writes them (`locked`). A slot without a merge or split point has the cutoff 0, so it has
//! no public registers and no such rule.
//!
//! `merge_private` says what the private registers of a merged warp are (MS-22): those of its own
//! slot; none, which read 0 and are not written (`none`); those of its slot and of the one beside
//! it (`joined`: the upper half has the numbers behind the lower one, and `number_*` are those
//! there); or a set of the pair (`new`: `third`). A merge marks the slot.
//!
//! Of a warp that has split and is a pixel (`turned`) a public register is that of the pixel's lane
//! in every lane (MS-41). `spread` says of which ports that is so, `spread_lane` which lane.
//!
//! [`OperandMap`] looks a register up, once for each read port.
//!
//! Combinational from its RAMs: slot and registers in one cycle give the places in the same cycle.
//! A launch writes the slot's words, a merge writes what the merged warp owns; the two never come
//! in one cycle.
//!
//! It can be wrong in a lane that writes a public register that is its partner's.
//!
//! Planted faults: `public-helper`, `public-own`, `private-shared`, `public-bitmap`, `merged-bare`,
//! `merged-joined`, `merged-new`, `split-write`, `split-home`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::cell::AsyncRam;
use crate::comment;
use crate::config::{GpuConfig, PrivateSet, PublicRegisters};
use crate::fault::Fault;

use super::operand_map::OperandMap;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct RegisterMap {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A warp is launched in this cycle.
    pub launch: Signal<In, bool>,
    /// Its slot.
    pub launch_warp: Signal<In, Bits<4>>,
    /// How many registers of its program are public; 0: no rules.
    pub launch_cutoff: Signal<In, Bits<6>>,
    /// Bit r: register r of its program is public; one, or none if cutoffs say so.
    pub launch_bitmap: Vec<Signal<In, Bits<32>>>,
    /// Its public registers stand in a slot below its own.
    pub launch_guest: Signal<In, bool>,
    /// That slot's number is a multiple of four.
    pub launch_deep: Signal<In, bool>,
    /// Its lanes are the samples of one pixel; one, or none.
    pub launch_turned: Vec<Signal<In, bool>>,
    /// That pixel's place in the quad.
    pub launch_pixel: Vec<Signal<In, Bits<2>>>,
    /// Pairs of groups: that slot's number is a multiple of eight. One, or none.
    pub launch_far: Vec<Signal<In, bool>>,
    /// How its lanes have changed places.
    pub launch_flip: Signal<In, Bits<2>>,
    /// Lanes that own their registers.
    pub launch_owned: Signal<In, Bits<4>>,
    /// A pair merges in this cycle.
    pub merge: Signal<In, bool>,
    /// Slot that goes on.
    pub merge_warp: Signal<In, Bits<4>>,
    /// Lanes that own their registers then.
    pub merge_owned: Signal<In, Bits<4>>,
    /// Slot that is read.
    pub read_warp: Signal<In, Bits<4>>,
    /// Registers that are read: ports a, b, c.
    pub read_a: Signal<In, Bits<5>>,
    /// Port b.
    pub read_b: Signal<In, Bits<5>>,
    /// Port c.
    pub read_c: Signal<In, Bits<5>>,
    /// Bit s: the warp of slot s has split.
    pub locked: Signal<In, Bits<16>>,
    /// Slot of the public registers.
    pub fold_warp: Signal<Out, Bits<4>>,
    /// Ports that read the registers of that slot.
    pub fold: Signal<Out, Bits<3>>,
    /// Lanes that read 0 on port a.
    pub hide_a: Signal<Out, Bits<4>>,
    /// On port b.
    pub hide_b: Signal<Out, Bits<4>>,
    /// On port c.
    pub hide_c: Signal<Out, Bits<4>>,
    /// How the lanes of that slot have changed places.
    pub flip: Signal<Out, Bits<2>>,
    /// Slot that is written, by bank.
    pub write_warp: Vec<Signal<In, Bits<4>>>,
    /// Register that is written, by bank.
    pub write_register: Vec<Signal<In, Bits<5>>>,
    /// Lanes that want to write, by bank.
    pub write_mask: Vec<Signal<In, Bits<4>>>,
    /// Slot whose registers are written, by bank.
    pub home: Vec<Signal<Out, Bits<4>>>,
    /// Lanes that write, by bank.
    pub lanes: Vec<Signal<Out, Bits<4>>>,
    // One private set of both members: one each, or none; of the last one for each bank.
    /// Number of the register that port a reads where it stands.
    pub number_a: Vec<Signal<Out, Bits<5>>>,
    /// Port b.
    pub number_b: Vec<Signal<Out, Bits<5>>>,
    /// Port c.
    pub number_c: Vec<Signal<Out, Bits<5>>>,
    /// Number of the register that is written where it stands.
    pub number: Vec<Signal<Out, Bits<5>>>,
    // A new private set: one, or none; of the last one for each bank.
    /// Ports that read the set of the slot's pair.
    pub third: Vec<Signal<Out, Bits<3>>>,
    /// It is written.
    pub third_home: Vec<Signal<Out, bool>>,
    /// Ports that read one lane for all lanes; one, or none.
    pub spread: Vec<Signal<Out, Bits<3>>>,
    /// That lane.
    pub spread_lane: Vec<Signal<Out, Bits<2>>>,
    // Where the registers of the three read ports stand.
    operand_a: OperandMap,
    operand_b: OperandMap,
    operand_c: OperandMap,
    split: Vec<Signal<Local, Bits<16>>>,
    is_pixel: Vec<Signal<Local, bool>>,
    _turns: usize,
    /// Cutoff 5:0, guest in 6, flip in 8:7, deep in 9; with pairs of groups far in 10; with joined
    /// sets half of the private registers 14:10; one for reads, and one for each bank. Of a pixel
    /// 15 is set, 17:16 which.
    read_words: AsyncRam,
    /// Lanes 3:0, and with an option of private sets 4: it has merged.
    read_owns: AsyncRam,
    words: Vec<AsyncRam>,
    owns: Vec<AsyncRam>,
    /// Bitmaps, likewise; none if cutoffs say what is public.
    read_bits: Vec<AsyncRam>,
    bits: Vec<AsyncRam>,
    /// Of the word that a launch writes: cutoff and flip; where the public registers stand; with
    /// pairs of groups; half of the private registers; pixel.
    launched: Signal<Local, Bits<6>>,
    word_flip: Signal<Local, Bits<32>>,
    word_guest: Signal<Local, Bits<32>>,
    word_far: Signal<Local, Bits<32>>,
    word_half: Signal<Local, Bits<32>>,
    word_turned: Signal<Local, Bits<32>>,
    word_pixel: Signal<Local, Bits<32>>,
    word: Signal<Local, Bits<32>>,
    owner_slot: Signal<Local, Bits<4>>,
    owner_lanes: Signal<Local, Bits<4>>,
    /// A word of bits; one, or none.
    launched_bits: Vec<Signal<Local, Bits<32>>>,
    // By bank.
    write_slot: Vec<Signal<Local, Bits<4>>>,
    /// The same slot, behind the RAMs: one signal for both would look like a loop through them.
    shift_slot: Vec<Signal<Local, Bits<4>>>,
    /// Word of the slot that is written.
    write_word: Vec<Signal<Local, Bits<32>>>,
    write_place: Vec<Signal<Local, Bits<6>>>,
    /// Its bitmap from that place on, with one.
    write_bits: Vec<Signal<Local, Bits<32>>>,
    write_public: Vec<Signal<Local, bool>>,
    write_split: Vec<Signal<Local, Bits<16>>>,
    fault_public_bitmap: Vec<Planted>,
    fault_merged_bare: Vec<Planted>,
    fault_merged_joined: Vec<Planted>,
    fault_public_own: Planted,
    fault_private_shared: Planted,
    fault_split_write: Planted,
    fault_split_home: Planted,
    fault_twin_home: Vec<Planted>,
    _twins: usize,
    _banks: usize,
    /// 1: public registers are those at the upper end.
    _above: bool,
    /// 1: the lower half is public.
    _half: bool,
    /// 1: a word of bits says what is public.
    _bitmap: usize,
    /// 1: merged warps have no private registers; those of both members; a set of their own; any
    /// of these.
    _bare: usize,
    _joins: usize,
    _fresh: usize,
    _marks: usize,
    _active: bool,
}

impl RegisterMap {
    /// For the slots and banks of a unit.
    pub fn new(config: &GpuConfig) -> Self {
        let banks = config.banks();
        let [bare, joins, fresh] =
            [PrivateSet::None, PrivateSet::Joined, PrivateSet::New].map(|set| config.of_private(set));
        let (marks, bitmap) = (bare + joins + fresh, config.bitmaps());
        let turns = usize::from(config.turns());
        let twins = usize::from(config.twins());
        let words = || AsyncRam::new(16, if turns == 1 { 18 } else { 10 + 5 * joins + twins });
        let owns = || AsyncRam::new(16, 4 + marks);
        let bitmaps = |n: usize| (0..n).map(|_| AsyncRam::new(16, 32)).collect();
        Self {
            launch_bitmap: vector(bitmap),
            launch_turned: vector(turns),
            launch_pixel: vector(turns),
            spread: vector(turns),
            spread_lane: vector(turns),
            operand_a: OperandMap::new(config),
            operand_b: OperandMap::new(config),
            operand_c: OperandMap::new(config),
            split: vector(turns),
            is_pixel: vector(turns),
            _turns: turns,
            launch_far: vector(twins),
            fault_twin_home: config.of_twins(Fault::TwinHome),
            _twins: twins,
            number_a: vector(joins),
            number_b: vector(joins),
            number_c: vector(joins),
            number: vector(joins * banks),
            third: vector(fresh),
            third_home: vector(fresh * banks),
            read_bits: bitmaps(bitmap),
            bits: bitmaps(bitmap * banks),
            launched_bits: vector(bitmap),
            write_bits: vector(banks * bitmap),
            fault_public_bitmap: (0..bitmap).map(|_| Planted::new(config.has(Fault::PublicBitmap))).collect(),
            fault_merged_bare: (0..bare).map(|_| Planted::new(config.has(Fault::MergedBare))).collect(),
            fault_merged_joined: (0..joins).map(|_| Planted::new(config.has(Fault::MergedJoined))).collect(),
            _bitmap: bitmap,
            _bare: bare,
            _joins: joins,
            _fresh: fresh,
            _marks: marks,
            read_words: words(),
            read_owns: owns(),
            words: (0..banks).map(|_| words()).collect(),
            owns: (0..banks).map(|_| owns()).collect(),
            fault_public_own: Planted::new(config.has(Fault::PublicOwn)),
            fault_private_shared: Planted::new(config.has(Fault::PrivateShared)),
            fault_split_write: Planted::new(config.has(Fault::SplitWrite)),
            fault_split_home: Planted::new(config.has(Fault::SplitHome)),
            _above: config.public_registers == PublicRegisters::Above,
            _half: config.public_registers == PublicRegisters::Half,
            _active: true,
            ..Self::of_banks(banks)
        }
    }

    /// What each bank that is written has.
    fn of_banks(banks: usize) -> Self {
        Self {
            write_slot: vector(banks),
            shift_slot: vector(banks),
            write_word: vector(banks),
            write_place: vector(banks),
            write_public: vector(banks),
            write_split: vector(banks),
            write_warp: vector(banks),
            write_register: vector(banks),
            write_mask: vector(banks),
            home: vector(banks),
            lanes: vector(banks),
            _banks: banks,
            ..Default::default()
        }
    }
}

#[kernel]
impl RegisterMap {
    /// The word that a launch writes is packed.
    fn launch_word(&mut self) {
        comment!("module: register_map");
        self.launched.next = self.launch_cutoff.val();
        if self._half {
            self.launched.next = bits::<6>(0);
            if self.launch_cutoff.val().any() {
                self.launched.next = bits::<6>(16);
            }
        }
        self.word_flip.next =
            bit_cast::<32, 6>(self.launched.val()) | (bit_cast::<32, 2>(self.launch_flip.val()) << bits::<32>(7));
        self.word_guest.next = bits::<32>(0);
        if self.launch_guest.val() {
            self.word_guest.next = bits::<32>(0x40);
            if self.launch_deep.val() && !self.fault_split_home.val() {
                self.word_guest.next = bits::<32>(0x240);
            }
        }
        self.word_far.next = bits::<32>(0);
        for t in 0..self._twins {
            if self.launch_far[t].val() && !self.fault_twin_home[t].val() {
                self.word_far.next = bits::<32>(0x440);
            }
        }
        // Half of the private registers, an even number, since registers have banks.
        self.word_half.next = bits::<32>(0);
        for _k in 0..self._joins {
            self.word_half.next =
                ((bits::<32>(32) - bit_cast::<32, 6>(self.launched.val())) >> bits::<32>(2)) << bits::<32>(11);
        }
        self.word_turned.next = bits::<32>(0);
        self.word_pixel.next = bits::<32>(0);
        for t in 0..self._turns {
            if self.launch_turned[t].val() {
                self.word_turned.next = bits::<32>(0x8000);
                self.word_pixel.next = bit_cast::<32, 2>(self.launch_pixel[t].val()) << bits::<32>(16);
            }
        }
        self.word.next = self.word_flip.val()
            | self.word_guest.val()
            | self.word_far.val()
            | self.word_half.val()
            | self.word_turned.val()
            | self.word_pixel.val();
    }

    /// RAMs of the slot that is read: words and owners.
    fn read_rams(&mut self) {
        self.owner_slot.next = self.launch_warp.val();
        self.owner_lanes.next = self.launch_owned.val();
        if self.merge.val() {
            self.owner_slot.next = self.merge_warp.val();
            self.owner_lanes.next = self.merge_owned.val();
        }
        clock!(self, clock, read_words, read_owns);
        self.read_words.write_enable.next = self.launch.val();
        self.read_words.write_address.next = bit_cast::<6, 4>(self.launch_warp.val());
        self.read_words.write_data.next = self.word.val();
        self.read_words.read_address.next = bit_cast::<6, 4>(self.read_warp.val());
        self.read_owns.write_enable.next = self.launch.val() || self.merge.val();
        self.read_owns.write_address.next = bit_cast::<6, 4>(self.owner_slot.val());
        self.read_owns.write_data.next = bit_cast::<32, 4>(self.owner_lanes.val());
        self.read_owns.read_address.next = bit_cast::<6, 4>(self.read_warp.val());
        for _k in 0..self._marks {
            if self.merge.val() {
                self.read_owns.write_data.next = bit_cast::<32, 4>(self.owner_lanes.val()) | bits::<32>(16);
            }
        }
    }

    /// RAMs of bitmaps, for the reads and for each bank.
    fn bitmaps(&mut self) {
        for i in 0..self._banks {
            self.write_slot[i].next = self.write_warp[i].val();
        }
        for k in 0..self._bitmap {
            clock!(self, clock, read_bits[k]);
            self.read_bits[k].write_enable.next = self.launch.val();
            self.read_bits[k].write_address.next = bit_cast::<6, 4>(self.launch_warp.val());
            self.launched_bits[k].next = bits::<32>(0);
            if self.launch_cutoff.val().any() {
                self.launched_bits[k].next = self.launch_bitmap[k].val();
            }
            self.read_bits[k].write_data.next = self.launched_bits[k].val();
            self.read_bits[k].read_address.next = bit_cast::<6, 4>(self.read_warp.val());
            for i in 0..self._banks {
                clock!(self, clock, bits[i]);
                self.bits[i].write_enable.next = self.launch.val();
                self.bits[i].write_address.next = bit_cast::<6, 4>(self.launch_warp.val());
                self.bits[i].write_data.next = self.launched_bits[k].val();
                self.bits[i].read_address.next = bit_cast::<6, 4>(self.write_slot[i].val());
            }
        }
    }

    /// RAMs of the slot that each bank writes.
    fn write_rams(&mut self) {
        for i in 0..self._banks {
            clock!(self, clock, words[i], owns[i]);
            self.words[i].write_enable.next = self.launch.val();
            self.words[i].write_address.next = bit_cast::<6, 4>(self.launch_warp.val());
            self.words[i].write_data.next = self.word.val();
            self.words[i].read_address.next = bit_cast::<6, 4>(self.write_slot[i].val());
            self.owns[i].read_address.next = bit_cast::<6, 4>(self.write_slot[i].val());
            self.owns[i].write_enable.next = self.launch.val() || self.merge.val();
            self.owns[i].write_address.next = bit_cast::<6, 4>(self.owner_slot.val());
            self.owns[i].write_data.next = bit_cast::<32, 4>(self.owner_lanes.val());
            for _k in 0..self._marks {
                if self.merge.val() {
                    self.owns[i].write_data.next = bit_cast::<32, 4>(self.owner_lanes.val()) | bits::<32>(16);
                }
            }
        }
    }

    /// The slot of the public registers, and whether the warp that reads is a pixel.
    fn read_slot(&mut self) {
        self.flip.next = self.read_words.read_data.val().get_bits::<2>(7);
        self.fold_warp.next = self.read_warp.val() & bits::<4>(14);
        if self.read_words.read_data.val().get_bit(9) {
            self.fold_warp.next = self.read_warp.val() & bits::<4>(12);
        }
        for _t in 0..self._twins {
            if self.read_words.read_data.val().get_bit(10) {
                self.fold_warp.next = self.read_warp.val() & bits::<4>(8);
            }
        }
        for _k in 0..self._joins {
            if self.read_owns.read_data.val().get_bit(4) {
                self.fold_warp.next = self.read_warp.val() | bits::<4>(1);
            }
        }
        for t in 0..self._turns {
            self.split[t].next = (self.locked.val() >> self.read_warp.val()) & bits::<16>(1);
            self.is_pixel[t].next = self.split[t].val().any() && self.read_words.read_data.val().get_bit(15);
            self.spread_lane[t].next = self.read_words.read_data.val().get_bits::<2>(16);
        }
    }

    /// The three operands are looked up.
    fn operands(&mut self) {
        self.operand_a.read_register.next = self.read_a.val();
        self.operand_a.word.next = self.read_words.read_data.val();
        self.operand_a.owns.next = self.read_owns.read_data.val();
        self.hide_a.next = self.operand_a.hide.val();
        self.operand_b.read_register.next = self.read_b.val();
        self.operand_b.word.next = self.read_words.read_data.val();
        self.operand_b.owns.next = self.read_owns.read_data.val();
        self.hide_b.next = self.operand_b.hide.val();
        self.operand_c.read_register.next = self.read_c.val();
        self.operand_c.word.next = self.read_words.read_data.val();
        self.operand_c.owns.next = self.read_owns.read_data.val();
        self.hide_c.next = self.operand_c.hide.val();
        self.fold.next = bit_cast::<3, 1>(self.operand_a.fold.val())
            | (bit_cast::<3, 1>(self.operand_b.fold.val()) << bits::<3>(1))
            | (bit_cast::<3, 1>(self.operand_c.fold.val()) << bits::<3>(2));
        for k in 0..self._bitmap {
            self.operand_a.bitmap[k].next = self.read_bits[k].read_data.val();
            self.operand_b.bitmap[k].next = self.read_bits[k].read_data.val();
            self.operand_c.bitmap[k].next = self.read_bits[k].read_data.val();
        }
        for t in 0..self._turns {
            self.operand_a.is_pixel[t].next = self.is_pixel[t].val();
            self.operand_b.is_pixel[t].next = self.is_pixel[t].val();
            self.operand_c.is_pixel[t].next = self.is_pixel[t].val();
            self.spread[t].next = bit_cast::<3, 1>(self.operand_a.spread[t].val())
                | (bit_cast::<3, 1>(self.operand_b.spread[t].val()) << bits::<3>(1))
                | (bit_cast::<3, 1>(self.operand_c.spread[t].val()) << bits::<3>(2));
        }
        for k in 0..self._joins {
            self.number_a[k].next = self.operand_a.number[k].val();
            self.number_b[k].next = self.operand_b.number[k].val();
            self.number_c[k].next = self.operand_c.number[k].val();
        }
        for k in 0..self._fresh {
            self.third[k].next = bit_cast::<3, 1>(self.operand_a.third[k].val())
                | (bit_cast::<3, 1>(self.operand_b.third[k].val()) << bits::<3>(1))
                | (bit_cast::<3, 1>(self.operand_c.third[k].val()) << bits::<3>(2));
        }
    }

    /// Each bank's register is public or private.
    fn write_lookup(&mut self) {
        for i in 0..self._banks {
            self.write_word[i].next = self.words[i].read_data.val();
            self.write_place[i].next = bit_cast::<6, 5>(self.write_register[i].val());
            if self._above {
                self.write_place[i].next = bit_cast::<6, 5>(self.write_register[i].val()) ^ bits::<6>(31);
            }
            self.write_public[i].next = self.write_place[i].val() < self.write_word[i].val().get_bits::<6>(0);
            for k in 0..self._bitmap {
                self.write_bits[i].next = self.bits[i].read_data.val() >> bit_cast::<32, 6>(self.write_place[i].val());
                if !self.fault_public_bitmap[k].val() {
                    self.write_public[i].next = self.write_bits[i].val().get_bit(0);
                }
            }
        }
    }

    /// A public register is written in its slot, by the lanes that own it.
    fn public_writes(&mut self) {
        for i in 0..self._banks {
            self.home[i].next = self.write_warp[i].val();
            self.lanes[i].next = self.write_mask[i].val();
            if self.write_public[i].val() && !self.fault_public_own.val() {
                self.lanes[i].next = self.write_mask[i].val() & self.owns[i].read_data.val().get_bits::<4>(0);
            }
            self.shift_slot[i].next = self.write_warp[i].val();
            self.write_split[i].next = self.locked.val() >> self.shift_slot[i].val();
            if self.write_public[i].val() && self.write_split[i].val().get_bit(0) && !self.fault_split_write.val() {
                self.lanes[i].next = bits::<4>(0);
            }
            if (self.write_public[i].val() || self.fault_private_shared.val()) && self.write_word[i].val().get_bit(6) {
                self.home[i].next = self.write_warp[i].val() & bits::<4>(14);
                if self.write_word[i].val().get_bit(9) {
                    self.home[i].next = self.write_warp[i].val() & bits::<4>(12);
                }
                for _t in 0..self._twins {
                    if self.write_word[i].val().get_bit(10) {
                        self.home[i].next = self.write_warp[i].val() & bits::<4>(8);
                    }
                }
            }
        }
    }

    /// A private register of a merged warp is written where its set stands.
    fn private_writes(&mut self) {
        for i in 0..self._banks {
            for k in 0..self._bare {
                if !self.write_public[i].val()
                    && self.owns[i].read_data.val().get_bit(4)
                    && !self.fault_merged_bare[k].val()
                {
                    self.lanes[i].next = bits::<4>(0);
                }
            }
            for k in 0..self._joins {
                self.number[i].next = self.write_register[i].val();
                if self.owns[i].read_data.val().get_bit(4)
                    && self.write_place[i].val()
                        >= (self.write_word[i].val().get_bits::<6>(0)
                            + bit_cast::<6, 5>(self.write_word[i].val().get_bits::<5>(10)))
                {
                    self.number[i].next = self.write_register[i].val() - self.write_word[i].val().get_bits::<5>(10);
                    if !self.fault_merged_joined[k].val() {
                        self.home[i].next = self.write_warp[i].val() | bits::<4>(1);
                    }
                }
            }
            for _k in 0..self._fresh {
                self.third_home[i].next = !self.write_public[i].val() && self.owns[i].read_data.val().get_bit(4);
            }
        }
    }
}

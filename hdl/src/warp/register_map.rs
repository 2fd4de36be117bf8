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

use crate::base::parts::Part;
use crate::base::{vector, Planted};
use crate::cell::AsyncRam;
use crate::config::{GpuConfig, PrivateSet, PublicRegisters};
use crate::fault::Fault;
use crate::{comment, kernel_of};

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
    read_bit: Vec<Signal<Local, Bits<16>>>,
    spreads: Vec<Signal<Local, bool>>,
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
    /// What a launch writes: guest and deep, far, half of the private registers, pixel; all of it.
    home_word: Signal<Local, Bits<32>>,
    far_word: Signal<Local, Bits<32>>,
    half_word: Signal<Local, Bits<32>>,
    pixel_word: Signal<Local, Bits<32>>,
    word: Signal<Local, Bits<32>>,
    owner_slot: Signal<Local, Bits<4>>,
    owner_lanes: Signal<Local, Bits<4>>,
    /// By operand (ports a, b, c): its register; that number, counted from the end where public
    /// registers are; bitmap with its bit in place 0; whether it is public; lanes that read 0;
    /// whether it stands in `fold_warp`; its number there with joined sets.
    operand: Vec<Signal<Local, Bits<5>>>,
    numbers: Vec<Signal<Local, Bits<6>>>,
    found: Vec<Signal<Local, Bits<32>>>,
    public: Vec<Signal<Local, bool>>,
    hide: Vec<Signal<Local, Bits<4>>>,
    folds: Vec<Signal<Local, bool>>,
    joined_number: Vec<Signal<Local, Bits<5>>>,
    /// By bank that is written: the cutoff of its slot, number, bitmap, whether it is public,
    /// `locked` with the slot's bit in place 0.
    write_cutoff: Vec<Signal<Local, Bits<6>>>,
    write_numbers: Vec<Signal<Local, Bits<6>>>,
    write_found: Vec<Signal<Local, Bits<32>>>,
    write_public: Vec<Signal<Local, bool>>,
    slot_bit: Vec<Signal<Local, Bits<16>>>,
    /// Of the slot that is read: its cutoff, and lanes that do not own it.
    cutoff: Signal<Local, Bits<6>>,
    not_owned: Signal<Local, Bits<4>>,
    launched: Signal<Local, Bits<6>>,
    /// A word of bits; one, or none.
    shifted: Vec<Signal<Local, Bits<32>>>,
    fault_public_bitmap: Vec<Planted>,
    fault_merged_bare: Vec<Planted>,
    fault_merged_joined: Vec<Planted>,
    guest: Signal<Local, bool>,
    fault_public_helper: Planted,
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
        let (banks, bitmap) = (config.banks(), config.bitmaps());
        let [joins, fresh] = [PrivateSet::Joined, PrivateSet::New].map(|set| config.of_private(set));
        let turns = usize::from(config.turns());
        Self {
            launch_bitmap: vector(bitmap),
            launch_turned: vector(turns),
            launch_pixel: vector(turns),
            launch_far: vector(usize::from(config.twins())),
            spread: vector(turns),
            spread_lane: vector(turns),
            read_bit: vector(turns),
            spreads: vector(turns),
            number_a: vector(joins),
            number_b: vector(joins),
            number_c: vector(joins),
            number: vector(joins * banks),
            third: vector(fresh),
            third_home: vector(fresh * banks),
            shifted: vector(bitmap),
            operand: vector(3),
            numbers: vector(3),
            found: vector(3 * bitmap),
            public: vector(3),
            hide: vector(3),
            folds: vector(3),
            joined_number: vector(3 * joins),
            write_warp: vector(banks),
            write_register: vector(banks),
            write_mask: vector(banks),
            write_cutoff: vector(banks),
            write_numbers: vector(banks),
            write_found: vector(bitmap * banks),
            write_public: vector(banks),
            slot_bit: vector(banks),
            home: vector(banks),
            lanes: vector(banks),
            ..Self::memories(config)
        }
    }

    /// Its memories, planted faults and sizes.
    fn memories(config: &GpuConfig) -> Self {
        let (banks, bitmap) = (config.banks(), config.bitmaps());
        let [bare, joins, fresh] =
            [PrivateSet::None, PrivateSet::Joined, PrivateSet::New].map(|set| config.of_private(set));
        let marks = bare + joins + fresh;
        let (turns, twins) = (usize::from(config.turns()), usize::from(config.twins()));
        let planted = |n: usize, fault| (0..n).map(|_| Planted::new(config.has(fault))).collect();
        let words = || AsyncRam::new(16, if turns == 1 { 18 } else { 10 + 5 * joins + twins });
        let owns = || AsyncRam::new(16, 4 + marks);
        let bitmaps = |n: usize| (0..n).map(|_| AsyncRam::new(16, 32)).collect();
        Self {
            read_words: words(),
            read_owns: owns(),
            read_bits: bitmaps(bitmap),
            words: (0..banks).map(|_| words()).collect(),
            owns: (0..banks).map(|_| owns()).collect(),
            bits: bitmaps(bitmap * banks),
            fault_twin_home: config.of_twins(Fault::TwinHome),
            fault_public_bitmap: planted(bitmap, Fault::PublicBitmap),
            fault_merged_bare: planted(bare, Fault::MergedBare),
            fault_merged_joined: planted(joins, Fault::MergedJoined),
            fault_public_helper: Planted::new(config.has(Fault::PublicHelper)),
            fault_public_own: Planted::new(config.has(Fault::PublicOwn)),
            fault_private_shared: Planted::new(config.has(Fault::PrivateShared)),
            fault_split_write: Planted::new(config.has(Fault::SplitWrite)),
            fault_split_home: Planted::new(config.has(Fault::SplitHome)),
            _banks: banks,
            _bitmap: bitmap,
            _bare: bare,
            _joins: joins,
            _fresh: fresh,
            _marks: marks,
            _turns: turns,
            _twins: twins,
            _above: config.public_registers == PublicRegisters::Above,
            _half: config.public_registers == PublicRegisters::Half,
            _active: true,
            ..Default::default()
        }
    }
}

impl Part<LaunchWord> for RegisterMap {
    #[kernel]
    fn update(&mut self) {
        comment!("module: register_map");
        self.launched.next = self.launch_cutoff.val();
        if self._half {
            self.launched.next = bits::<6>(0);
            if self.launch_cutoff.val().any() {
                self.launched.next = bits::<6>(16);
            }
        }
        self.home_word.next = bits::<32>(0);
        if self.launch_guest.val() {
            self.home_word.next = bits::<32>(64);
            if self.launch_deep.val() && !self.fault_split_home.val() {
                self.home_word.next = bits::<32>(0x240);
            }
        }
        self.far_word.next = bits::<32>(0);
        for t in 0..self._twins {
            if self.launch_far[t].val() && !self.fault_twin_home[t].val() {
                self.far_word.next = bits::<32>(0x440);
            }
        }
        // Half of the private registers, an even number, since registers have banks.
        self.half_word.next = bits::<32>(0);
        for _k in 0..self._joins {
            self.half_word.next =
                ((bits::<32>(32) - bit_cast::<32, 6>(self.launched.val())) >> bits::<32>(2)) << bits::<32>(11);
        }
        self.pixel_word.next = bits::<32>(0);
        for t in 0..self._turns {
            if self.launch_turned[t].val() {
                self.pixel_word.next =
                    bits::<32>(0x8000) | (bit_cast::<32, 2>(self.launch_pixel[t].val()) << bits::<32>(16));
            }
        }
        self.word.next = bit_cast::<32, 6>(self.launched.val())
            | (bit_cast::<32, 2>(self.launch_flip.val()) << bits::<32>(7))
            | self.home_word.val()
            | self.far_word.val()
            | self.half_word.val()
            | self.pixel_word.val();
    }
}

impl Part<ReadMemories> for RegisterMap {
    #[kernel]
    fn update(&mut self) {
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
        for k in 0..self._bitmap {
            self.read_bits[k].clock.next = self.clock.val();
            self.read_bits[k].write_enable.next = self.launch.val();
            self.read_bits[k].write_address.next = bit_cast::<6, 4>(self.launch_warp.val());
            self.shifted[k].next = bits::<32>(0);
            if self.launch_cutoff.val().any() {
                self.shifted[k].next = self.launch_bitmap[k].val();
            }
            self.read_bits[k].write_data.next = self.shifted[k].val();
            self.read_bits[k].read_address.next = bit_cast::<6, 4>(self.read_warp.val());
        }
    }
}

impl Part<WriteMemories> for RegisterMap {
    #[kernel]
    fn update(&mut self) {
        for k in 0..self._bitmap {
            for i in 0..self._banks {
                self.bits[i].clock.next = self.clock.val();
                self.bits[i].write_enable.next = self.launch.val();
                self.bits[i].write_address.next = bit_cast::<6, 4>(self.launch_warp.val());
                self.bits[i].write_data.next = self.shifted[k].val();
                self.bits[i].read_address.next = bit_cast::<6, 4>(self.write_warp[i].val());
            }
        }
        for i in 0..self._banks {
            self.words[i].clock.next = self.clock.val();
            self.words[i].write_enable.next = self.launch.val();
            self.words[i].write_address.next = bit_cast::<6, 4>(self.launch_warp.val());
            self.words[i].write_data.next = self.word.val();
            self.words[i].read_address.next = bit_cast::<6, 4>(self.write_warp[i].val());
            self.owns[i].read_address.next = bit_cast::<6, 4>(self.write_warp[i].val());
            self.owns[i].clock.next = self.clock.val();
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
}

impl Part<ReadSlot> for RegisterMap {
    #[kernel]
    fn update(&mut self) {
        self.flip.next = self.read_words.read_data.val().get_bits::<2>(7);
        self.cutoff.next = self.read_words.read_data.val().get_bits::<6>(0);
        self.not_owned.next = !self.read_owns.read_data.val().get_bits::<4>(0);
        if self.fault_public_helper.val() {
            self.not_owned.next = bits::<4>(0);
        }
        for t in 0..self._turns {
            self.read_bit[t].next = (self.locked.val() >> self.read_warp.val()) & bits::<16>(1);
            self.spreads[t].next = self.read_bit[t].val().any() && self.read_words.read_data.val().get_bit(15);
            self.spread_lane[t].next = self.read_words.read_data.val().get_bits::<2>(16);
        }
        self.guest.next = self.read_words.read_data.val().get_bit(6);
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
        self.operand[0].next = self.read_a.val();
        self.operand[1].next = self.read_b.val();
        self.operand[2].next = self.read_c.val();
    }
}

impl Part<ReadOperands> for RegisterMap {
    #[kernel]
    fn update(&mut self) {
        for t in 0..self._turns {
            self.spread[t].next = bits::<3>(0);
        }
        for k in 0..self._fresh {
            self.third[k].next = bits::<3>(0);
        }
        for p in 0..3 {
            self.numbers[p].next = bit_cast::<6, 5>(self.operand[p].val());
            if self._above {
                self.numbers[p].next = bit_cast::<6, 5>(self.operand[p].val()) ^ bits::<6>(31);
            }
            self.public[p].next = self.numbers[p].val() < self.cutoff.val();
            for k in 0..self._bitmap {
                self.found[p].next = self.read_bits[k].read_data.val() >> bit_cast::<32, 6>(self.numbers[p].val());
                if !self.fault_public_bitmap[k].val() {
                    self.public[p].next = self.found[p].val().get_bit(0);
                }
            }
            self.hide[p].next = bits::<4>(0);
            if self.public[p].val() {
                self.hide[p].next = self.not_owned.val();
            }
            for t in 0..self._turns {
                if self.public[p].val() && self.spreads[t].val() {
                    self.spread[t].next = self.spread[t].val() | (bits::<3>(1) << p.to_bits::<2>());
                }
            }
            for k in 0..self._bare {
                if !self.public[p].val()
                    && self.read_owns.read_data.val().get_bit(4)
                    && !self.fault_merged_bare[k].val()
                {
                    self.hide[p].next = bits::<4>(15);
                }
            }
            for k in 0..self._fresh {
                if !self.public[p].val() && self.read_owns.read_data.val().get_bit(4) {
                    self.third[k].next = self.third[k].val() | (bits::<3>(1) << p.to_bits::<2>());
                }
            }
        }
        self.hide_a.next = self.hide[0].val();
        self.hide_b.next = self.hide[1].val();
        self.hide_c.next = self.hide[2].val();
    }
}

impl Part<ReadPlaces> for RegisterMap {
    #[kernel]
    fn update(&mut self) {
        self.fold.next = bits::<3>(0);
        for p in 0..3 {
            self.folds[p].next = self.guest.val() && (self.public[p].val() || self.fault_private_shared.val());
            for k in 0..self._joins {
                self.joined_number[p].next = self.operand[p].val();
                if self.read_owns.read_data.val().get_bit(4)
                    && self.numbers[p].val()
                        >= (self.cutoff.val() + bit_cast::<6, 5>(self.read_words.read_data.val().get_bits::<5>(10)))
                {
                    self.joined_number[p].next =
                        self.operand[p].val() - self.read_words.read_data.val().get_bits::<5>(10);
                    if !self.fault_merged_joined[k].val() {
                        self.folds[p].next = true;
                    }
                }
            }
            if self.folds[p].val() {
                self.fold.next = self.fold.val() | (bits::<3>(1) << p.to_bits::<2>());
            }
        }
        for k in 0..self._joins {
            self.number_a[k].next = self.joined_number[0].val();
            self.number_b[k].next = self.joined_number[1].val();
            self.number_c[k].next = self.joined_number[2].val();
        }
    }
}

impl Part<Writes> for RegisterMap {
    #[kernel]
    fn update(&mut self) {
        for i in 0..self._banks {
            self.write_cutoff[i].next = self.words[i].read_data.val().get_bits::<6>(0);
            self.write_numbers[i].next = bit_cast::<6, 5>(self.write_register[i].val());
            if self._above {
                self.write_numbers[i].next = bit_cast::<6, 5>(self.write_register[i].val()) ^ bits::<6>(31);
            }
            self.write_public[i].next = self.write_numbers[i].val() < self.write_cutoff[i].val();
            for k in 0..self._bitmap {
                self.write_found[i].next =
                    self.bits[i].read_data.val() >> bit_cast::<32, 6>(self.write_numbers[i].val());
                if !self.fault_public_bitmap[k].val() {
                    self.write_public[i].next = self.write_found[i].val().get_bit(0);
                }
            }
            self.lanes[i].next = self.write_mask[i].val();
            if self.write_public[i].val() && !self.fault_public_own.val() {
                self.lanes[i].next = self.write_mask[i].val() & self.owns[i].read_data.val().get_bits::<4>(0);
            }
            self.slot_bit[i].next = self.locked.val() >> self.write_warp[i].val();
            if self.write_public[i].val() && self.slot_bit[i].val().get_bit(0) && !self.fault_split_write.val() {
                self.lanes[i].next = bits::<4>(0);
            }
            for k in 0..self._bare {
                if !self.write_public[i].val()
                    && self.owns[i].read_data.val().get_bit(4)
                    && !self.fault_merged_bare[k].val()
                {
                    self.lanes[i].next = bits::<4>(0);
                }
            }
        }
    }
}

impl Part<WritePlaces> for RegisterMap {
    #[kernel]
    fn update(&mut self) {
        for i in 0..self._banks {
            self.home[i].next = self.write_warp[i].val();
            if (self.write_public[i].val() || self.fault_private_shared.val())
                && self.words[i].read_data.val().get_bit(6)
            {
                self.home[i].next = self.write_warp[i].val() & bits::<4>(14);
                if self.words[i].read_data.val().get_bit(9) {
                    self.home[i].next = self.write_warp[i].val() & bits::<4>(12);
                }
                for _t in 0..self._twins {
                    if self.words[i].read_data.val().get_bit(10) {
                        self.home[i].next = self.write_warp[i].val() & bits::<4>(8);
                    }
                }
            }
            for k in 0..self._joins {
                self.number[i].next = self.write_register[i].val();
                if self.owns[i].read_data.val().get_bit(4)
                    && self.write_numbers[i].val()
                        >= (self.write_cutoff[i].val()
                            + bit_cast::<6, 5>(self.words[i].read_data.val().get_bits::<5>(10)))
                {
                    self.number[i].next =
                        self.write_register[i].val() - self.words[i].read_data.val().get_bits::<5>(10);
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

kernel_of! { RegisterMap:
    /// The word that a launch writes: cutoff, where public registers stand, how lanes changed.
    LaunchWord,
    /// Memories that the read ports look at.
    ReadMemories,
    /// The same for each bank that is written.
    WriteMemories,
    /// What the slot that is read says.
    ReadSlot,
    /// By operand: whether its register is public, and lanes that read 0.
    ReadOperands,
    /// By operand: the slot and number of its register where it stands.
    ReadPlaces,
    /// By bank: whether the register that is written is public, and lanes that write.
    Writes,
    /// By bank: the slot and number of that register where it stands.
    WritePlaces,
}

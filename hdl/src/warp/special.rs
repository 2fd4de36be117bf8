//! Special registers: what the dispatcher said about the warp in each slot, kept in RAM and read
//! beside the register file. Of a graphics warp the words of its tags stand where the numbers of
//! invocations and of the group in x are; its registers are fields of them.
//!
//! Latency as the register file: warp and number in one cycle, value per lane in the next. A launch
//! writes all words of its slot in its cycle; the warp's first read comes at least four cycles
//! later. Wrong if a slot is launched while its old warp still reads: `slot_free` forbids it.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::cell::Ram;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// See the module documentation. Elements of the vectors are lanes.
#[derive(Default, QuietBlock)]
pub struct SpecialRegisters {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Number of this unit in the machine.
    pub unit: Signal<In, Bits<6>>,
    /// Warp slots of the units before this one.
    pub first_slot: Signal<In, Bits<11>>,
    /// A warp is launched in this cycle.
    pub launch: Signal<In, bool>,
    /// Warp launch: warp slot in the unit.
    pub launch_warp: Signal<In, Bits<4>>,
    /// Warp launch: lanes that start; the others are ended.
    pub launch_mask: Signal<In, Bits<4>>,
    /// Work group's number in x.
    pub group_x: Signal<In, Bits<32>>,
    /// Work group's number in y.
    pub group_y: Signal<In, Bits<32>>,
    /// Work group's number in z.
    pub group_z: Signal<In, Bits<32>>,
    /// Byte address of the work group's window of shared storage.
    pub shared_base: Signal<In, Bits<16>>,
    /// Local invocation number of each lane: x in 9:0, y in 19:10, z in 29:20.
    pub local_id: Vec<Signal<In, Bits<32>>>,
    /// Linear local invocation number of each lane.
    pub local_index: Vec<Signal<In, Bits<32>>>,
    /// Warp slot that is read.
    pub read_warp: Signal<In, Bits<4>>,
    /// Number of the special register.
    pub read_number: Signal<In, Bits<6>>,
    /// Value per lane, one cycle after its number.
    pub value: Vec<Signal<Out, Bits<32>>>,
    /// Graphics: lanes of the warp that are no helpers, with the value. One, or none.
    pub covered: Vec<Signal<In, Bits<4>>>,
    /// Splitting into pixels: slots that stand for pixels and will be one of them. One, or none.
    pub whole: Vec<Signal<In, Bits<16>>>,
    whole_bit: Vec<Signal<Local, Bits<16>>>,
    /// That which is read is one.
    is_whole: Vec<DFF<bool>>,
    fault_shape_place: Vec<Planted>,
    _turns: bool,
    // Merging: each is one, or none.
    /// Warp launch: member 1 of a pair. Its tags stand in the pair's second places, so that they
    /// are there for the merged warp.
    pub launch_guest: Vec<Signal<In, bool>>,
    /// Lanes of the slot that is read whose tags stand there.
    pub read_mate: Vec<Signal<In, Bits<4>>>,
    // Groups of more than two: each is one, or none.
    /// Warp launch: its number.
    pub launch_number: Vec<Signal<In, Bits<2>>>,
    /// Bit 1 of the members' numbers; bit 0 is `read_mate`.
    pub read_mate_high: Vec<Signal<In, Bits<4>>>,
    mate_high: Vec<DFF<Bits<4>>>,
    /// Pairs of groups: the slot's lanes with `read_mate` have the tags of the slot two behind it,
    /// or four.
    pub read_near: Vec<Signal<In, bool>>,
    /// Four.
    pub read_far: Vec<Signal<In, bool>>,
    /// Handles of members 2 and 3.
    ram_deep: Vec<Ram>,
    third_at: Vec<Signal<Local, Bits<12>>>,
    fourth_at: Vec<Signal<Local, Bits<12>>>,
    deep_at: Vec<Signal<Local, Bits<12>>>,
    /// The same, with the value.
    mate: Vec<DFF<Bits<4>>>,
    /// Handles in the second places, those of lanes 0 and 1.
    ram_mate: Vec<Ram>,
    ram_x: Ram,
    ram_y: Ram,
    ram_z: Ram,
    /// Shared base in 15:0, coverage in 19:16.
    ram_misc: Ram,
    ram_id: Vec<Ram>,
    ram_index: Vec<Ram>,
    warp: DFF<Bits<4>>,
    number: DFF<Bits<6>>,
    /// Where a launch writes its tags, where its second places are, and whether a lane reads them.
    tags_at: Signal<Local, Bits<12>>,
    second_at: Signal<Local, Bits<12>>,
    handles: Vec<Signal<Local, Bits<32>>>,
    common: Signal<Local, Bits<32>>,
    thread: Signal<Local, Bits<32>>,
    /// Graphics: first and second word of the lane looked at.
    place: Vec<Signal<Local, Bits<32>>>,
    depth: Vec<Signal<Local, Bits<32>>>,
    fault_special_ticket: Vec<Planted>,
    fault_pair_tags: Vec<Planted>,
    _graphics: usize,
    _merges: usize,
    fault_twin_tags: Vec<Planted>,
    _twins: bool,
    _threes: usize,
    _deep: usize,
    _lanes: usize,
    _active: bool,
}

impl SpecialRegisters {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        let merges = usize::from(config.merges());
        let groups = usize::from(config.groups());
        let ram = || Ram::new(config.warps);
        let rams = || (0..4).map(|_| Ram::new(if config.merges() { 32 } else { config.warps })).collect();
        let one = usize::from(config.graphics);
        Self {
            whole: vector(usize::from(config.turns())),
            whole_bit: vector(usize::from(config.turns())),
            is_whole: vector(usize::from(config.turns())),
            fault_shape_place: config.of_turning(Fault::ShapePlace),
            _turns: config.turns(),
            launch_guest: vector(merges),
            read_near: vector(usize::from(config.twins())),
            read_far: vector(usize::from(config.twins())),
            fault_twin_tags: config.of_twins(Fault::TwinTags),
            _twins: config.twins(),
            read_mate: vector(merges),
            mate: vector(merges),
            ram_mate: (0..merges).map(|_| Ram::new(32)).collect(),
            handles: vector(4),
            fault_pair_tags: config.of_merging(Fault::PairTags),
            launch_number: vector(groups),
            read_mate_high: vector(groups),
            mate_high: vector(groups),
            third_at: vector(groups),
            fourth_at: vector(groups),
            deep_at: vector(2 * groups),
            ram_deep: (0..2 * groups).map(|_| Ram::new(32)).collect(),
            _threes: groups,
            _deep: 2 * groups,
            _merges: merges,
            covered: vector(one),
            place: vector(4 * one),
            depth: vector(4 * one),
            fault_special_ticket: config.of_graphics(Fault::SpecialTicket),
            _graphics: one,
            local_id: vector(4),
            local_index: vector(4),
            value: vector(4),
            ram_x: ram(),
            ram_y: ram(),
            ram_z: ram(),
            ram_misc: ram(),
            ram_id: rams(),
            ram_index: rams(),
            _lanes: 4,
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl SpecialRegisters {
    /// A launch writes the words that all lanes of its slot share.
    fn slot_words(&mut self) {
        comment!("module: special_registers");
        dff_setup!(self, clock, warp, number);
        clock!(self, clock, ram_x, ram_y, ram_z, ram_misc);
        self.warp.d.next = self.read_warp.val();
        self.number.d.next = self.read_number.val();
        self.ram_x.read_address.next = bit_cast::<12, 4>(self.read_warp.val());
        self.ram_y.read_address.next = bit_cast::<12, 4>(self.read_warp.val());
        self.ram_z.read_address.next = bit_cast::<12, 4>(self.read_warp.val());
        self.ram_misc.read_address.next = bit_cast::<12, 4>(self.read_warp.val());
        self.ram_x.write_address.next = bit_cast::<12, 4>(self.launch_warp.val());
        self.ram_y.write_address.next = bit_cast::<12, 4>(self.launch_warp.val());
        self.ram_z.write_address.next = bit_cast::<12, 4>(self.launch_warp.val());
        self.ram_misc.write_address.next = bit_cast::<12, 4>(self.launch_warp.val());
        fan_out!(self.launch =>
            self.ram_x.write_enable, self.ram_y.write_enable, self.ram_z.write_enable, self.ram_misc.write_enable
        );
        self.ram_x.write_data.next = self.group_x.val();
        self.ram_y.write_data.next = self.group_y.val();
        self.ram_z.write_data.next = self.group_z.val();
        self.ram_misc.write_data.next =
            (bit_cast::<32, 4>(self.launch_mask.val()) << bits::<32>(16)) | bit_cast::<32, 16>(self.shared_base.val());
    }

    /// Tags of other members stand in places of their own.
    fn tag_places(&mut self) {
        // Second places: 16 and the slot of member 0.
        self.tags_at.next = bit_cast::<12, 4>(self.launch_warp.val());
        self.second_at.next = bits::<12>(16) | bit_cast::<12, 4>(self.read_warp.val() & bits::<4>(14));
        // Of pairs of groups: the slot of the second group itself.
        if self._twins {
            if self.read_near[0].val() {
                self.second_at.next = bit_cast::<12, 4>(self.read_warp.val()) | bits::<12>(2);
            }
            if self.read_far[0].val() {
                self.second_at.next = bit_cast::<12, 4>(self.read_warp.val()) | bits::<12>(4);
            }
            if (self.read_near[0].val() || self.read_far[0].val()) && self.fault_twin_tags[0].val() {
                self.second_at.next = bit_cast::<12, 4>(self.read_warp.val());
            }
        }
        // Of groups: 16 and the slot of the member, of member 3 that of member 0.
        for m in 0..self._threes {
            self.second_at.next = bits::<12>(16) | bit_cast::<12, 4>(self.read_warp.val()) | bits::<12>(1);
            self.third_at[m].next = bits::<12>(16) | bit_cast::<12, 4>(self.read_warp.val()) | bits::<12>(2);
            self.fourth_at[m].next = bits::<12>(16) | bit_cast::<12, 4>(self.read_warp.val() & bits::<4>(12));
            self.deep_at[0].next = self.third_at[m].val();
            self.deep_at[1].next = self.fourth_at[m].val();
        }
    }

    /// A guest's tags are written to its places, and its handles are read there.
    fn guest_tags(&mut self) {
        for k in 0..self._merges {
            if self.launch_guest[k].val() {
                self.tags_at.next = bits::<12>(16) | bit_cast::<12, 4>(self.launch_warp.val() & bits::<4>(14));
            }
            for m in 0..self._threes {
                if self.launch_guest[k].val() {
                    self.tags_at.next = bits::<12>(16) | bit_cast::<12, 4>(self.launch_warp.val());
                    if self.launch_number[m].val().all() {
                        self.tags_at.next = bits::<12>(16) | bit_cast::<12, 4>(self.launch_warp.val() & bits::<4>(12));
                    }
                }
                self.mate_high[m].clock.next = self.clock.val();
                self.mate_high[m].d.next = self.read_mate_high[m].val();
                for j in 0..self._deep {
                    clock!(self, clock, ram_deep[j]);
                    self.ram_deep[j].read_address.next = self.deep_at[j].val();
                    self.ram_deep[j].write_address.next = self.tags_at.val();
                    self.ram_deep[j].write_enable.next = self.launch.val();
                    self.ram_deep[j].write_data.next = self.group_x.val();
                }
            }
            self.mate[k].clock.next = self.clock.val();
            self.mate[k].d.next = self.read_mate[k].val();
            clock!(self, clock, ram_mate[k]);
            self.ram_mate[k].read_address.next = self.second_at.val();
            self.ram_mate[k].write_address.next = self.tags_at.val();
            self.ram_mate[k].write_enable.next = self.launch.val();
            self.ram_mate[k].write_data.next = self.group_x.val();
        }
    }

    /// A slot that will be split stands for the pixels of a quad.
    fn split_state(&mut self) {
        if self._turns {
            self.whole_bit[0].next = (self.whole[0].val() >> self.read_warp.val()) & bits::<16>(1);
            self.is_whole[0].clock.next = self.clock.val();
            self.is_whole[0].d.next = self.whole_bit[0].val().any() && !self.fault_shape_place[0].val();
        }
    }

    /// The registers that are the same in all lanes give one value.
    fn common_value(&mut self) {
        self.common.next = bits::<32>(0);
        if self.number.q.val() == bits::<6>(1) {
            self.common.next = bit_cast::<32, 4>(self.warp.q.val());
        }
        if self.number.q.val() == bits::<6>(2) {
            self.common.next = bit_cast::<32, 6>(self.unit.val());
        }
        if self.number.q.val() == bits::<6>(4) {
            self.common.next = self.ram_x.read_data.val();
        }
        if self.number.q.val() == bits::<6>(5) {
            self.common.next = self.ram_y.read_data.val();
        }
        if self.number.q.val() == bits::<6>(6) {
            self.common.next = self.ram_z.read_data.val();
        }
        if self.number.q.val() == bits::<6>(8) {
            self.common.next = self.ram_misc.read_data.val() >> bits::<32>(16);
        }
        if self.number.q.val() == bits::<6>(9) {
            self.common.next = self.ram_misc.read_data.val() & bits::<32>(0xFFFF);
        }
        self.thread.next =
            (bit_cast::<32, 11>(self.first_slot.val()) + bit_cast::<32, 4>(self.warp.q.val())) << bits::<32>(2);
    }

    /// Each lane reads its own tags, and takes its value.
    fn lane_values(&mut self) {
        for i in 0..self._lanes {
            clock!(self, clock, ram_id[i], ram_index[i]);
            self.ram_id[i].read_address.next = bit_cast::<12, 4>(self.read_warp.val());
            self.ram_index[i].read_address.next = bit_cast::<12, 4>(self.read_warp.val());
            for k in 0..self._merges {
                if self.read_mate[k].val().get_bit(i) && !self.fault_pair_tags[k].val() {
                    self.ram_id[i].read_address.next = self.second_at.val();
                    self.ram_index[i].read_address.next = self.second_at.val();
                }
            }
            for m in 0..self._threes {
                if self.read_mate_high[m].val().get_bit(i) {
                    self.ram_id[i].read_address.next = self.third_at[m].val();
                    self.ram_index[i].read_address.next = self.third_at[m].val();
                    for k in 0..self._merges {
                        if self.read_mate[k].val().get_bit(i) {
                            self.ram_id[i].read_address.next = self.fourth_at[m].val();
                            self.ram_index[i].read_address.next = self.fourth_at[m].val();
                        }
                    }
                }
            }
            self.ram_id[i].write_address.next = self.tags_at.val();
            self.ram_index[i].write_address.next = self.tags_at.val();
            fan_out!(self.launch => self.ram_id[i].write_enable, self.ram_index[i].write_enable);
            self.ram_id[i].write_data.next = self.local_id[i].val();
            self.ram_index[i].write_data.next = self.local_index[i].val();
            self.handles[i].next = self.ram_x.read_data.val();
            self.value[i].next = self.common.val();
            if self.number.q.val() == bits::<6>(0) {
                self.value[i].next = i.to_bits::<32>();
            }
            if self.number.q.val() == bits::<6>(3) {
                self.value[i].next = self.ram_id[i].read_data.val();
            }
            if self.number.q.val() == bits::<6>(7) {
                self.value[i].next = self.ram_index[i].read_data.val();
            }
            if self.number.q.val() == bits::<6>(10) {
                self.value[i].next = self.thread.val() | i.to_bits::<32>();
            }
        }
    }

    /// Registers of a graphics warp are fields of its tags.
    fn graphics_fields(&mut self) {
        for k in 0..self._graphics {
            for i in 0..self._lanes {
                self.place[i].next = self.ram_id[i].read_data.val();
                self.depth[i].next = self.ram_index[i].read_data.val();
                if self.number.q.val() == bits::<6>(11) {
                    self.value[i].next = self.place[i].val();
                }
                if self.number.q.val() == bits::<6>(12) {
                    self.value[i].next = self.depth[i].val();
                }
                if self.number.q.val() == bits::<6>(13) {
                    self.value[i].next = self.place[i].val() & bits::<32>(0xFFF);
                }
                if self.number.q.val() == bits::<6>(14) {
                    self.value[i].next = (self.place[i].val() >> bits::<32>(12)) & bits::<32>(0xFFF);
                }
                // Before the split lanes are the quad's pixels.
                if self._turns {
                    if self.is_whole[0].q.val() && (self.number.q.val() == bits::<6>(13)) {
                        self.value[i].next =
                            (self.place[i].val() & bits::<32>(0xFFE)) | (i.to_bits::<32>() & bits::<32>(1));
                    }
                    if self.is_whole[0].q.val() && (self.number.q.val() == bits::<6>(14)) {
                        self.value[i].next = ((self.place[i].val() >> bits::<32>(12)) & bits::<32>(0xFFE))
                            | (i.to_bits::<32>() >> bits::<32>(1));
                    }
                }
                if self.number.q.val() == bits::<6>(15) {
                    self.value[i].next = (self.place[i].val() >> bits::<32>(24)) & bits::<32>(3);
                }
                if self.number.q.val() == bits::<6>(16) {
                    self.value[i].next = (self.place[i].val() >> bits::<32>(26)) & bits::<32>(15);
                }
                if self.number.q.val() == bits::<6>(18) {
                    self.value[i].next = (self.place[i].val() >> bits::<32>(30)) & bits::<32>(1);
                }
                if self.number.q.val() == bits::<6>(19) {
                    self.value[i].next = self.depth[i].val() >> bits::<32>(24);
                    if self.fault_special_ticket[k].val() {
                        self.value[i].next = self.depth[i].val() >> bits::<32>(26);
                    }
                }
                if self.number.q.val() == bits::<6>(20) {
                    self.value[i].next = self.depth[i].val() & bits::<32>(0xFF_FFFF);
                }
                if self.number.q.val() == bits::<6>(21) {
                    self.value[i].next = bits::<32>(1);
                    if self.covered[k].val().get_bit(i) {
                        self.value[i].next = bits::<32>(0);
                    }
                }
            }
        }
    }

    /// Handles of triangles come from the places of the lane's member.
    fn handles(&mut self) {
        for _k in 0..self._graphics {
            // Two handles are one word.
            self.handles[2].next = self.ram_y.read_data.val();
            self.handles[3].next = self.ram_y.read_data.val();
            for i in 0..self._lanes {
                for m in 0..self._merges {
                    if self.mate[m].q.val().get_bit(i) {
                        self.handles[i].next = self.ram_mate[m].read_data.val();
                    }
                }
                for m in 0..self._threes {
                    if self.mate_high[m].q.val().get_bit(i) {
                        self.handles[i].next = self.ram_deep[0].read_data.val();
                        for k in 0..self._merges {
                            if self.mate[k].q.val().get_bit(i) {
                                self.handles[i].next = self.ram_deep[1].read_data.val();
                            }
                        }
                    }
                }
            }
            if self.number.q.val() == bits::<6>(17) {
                self.value[0].next = self.handles[0].val() & bits::<32>(0xFFF);
                self.value[1].next = (self.handles[1].val() >> bits::<32>(16)) & bits::<32>(0xFFF);
                self.value[2].next = self.handles[2].val() & bits::<32>(0xFFF);
                self.value[3].next = (self.handles[3].val() >> bits::<32>(16)) & bits::<32>(0xFFF);
            }
        }
    }
}

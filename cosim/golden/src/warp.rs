//! State of one warp slot: registers, counters, lane states, and what is in flight.

use quadlock_isa::abi::{PrivateSet, PublicRegisters, LANES, REGISTERS};
use quadlock_isa::Special;

use crate::access::{Access, Progress};
use crate::config::{Config, Fault};
use crate::effect::MemKind;
use crate::graphics::records::Events;
use crate::grid::{GroupMember, Launch, Tags, NO_MERGE_POINT};
use crate::lanes::{lanes_of, Lanes};
use crate::late::Encounter;
use crate::program::{Decoded, MemForm};

/// What a lane does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneState {
    /// It executes instructions.
    Running,
    /// At a barrier.
    Blocked,
    /// At a merge point, until its warp and the partner's are one, or the partner has ended
    /// (MS-11).
    Merging,
    /// At a split point, until its group splits (MS-40).
    Splitting,
    /// Of a member that does not stand for the pixels: until its group splits.
    Asleep,
    /// It has none any more.
    Ended,
}

/// What completing an instruction does.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// Performs the access.
    Access(Access),
    /// Writes the words that the attribute unit gave.
    Group([[u32; 4]; LANES]),
    /// Writes the value that the function unit was given the operands of.
    Value(Lanes),
    /// Writes the kept result of a warp-wide atomic (WW-27).
    Kept([u32; 2]),
}

/// A memory or function instruction that has issued and not completed.
#[derive(Clone, Debug)]
pub(crate) struct InFlight {
    pub order: u64,
    pub work: Work,
    pub effect: crate::effect::Effect,
    /// Of an access that is performed transaction by transaction.
    pub progress: Option<Progress>,
}

/// One warp slot. Registers keep their values from one launch to the next, as the machine's do.
#[derive(Clone, Debug)]
pub struct Warp {
    pub(crate) regs: [Lanes; REGISTERS],
    pub(crate) pc: [u16; LANES],
    pub(crate) state: [LaneState; LANES],
    pub(crate) launch: Launch,
    /// This slot has been launched for the group instance that it belongs to now.
    pub(crate) launched: bool,
    /// How often the slot was launched.
    pub(crate) launches: u64,
    /// Instructions issued, over all launches.
    pub(crate) order: u64,
    pub(crate) in_flight: Vec<InFlight>,
    /// Acknowledgements outstanding.
    pub(crate) wait_count: u8,
    /// Has executed ACS, ASR or WTS since the count was last 0 (SE-24, SE-32).
    pub(crate) waiting: bool,
    /// The ACS, ASR or WTS executed last: its counter, and the lanes that executed it.
    pub(crate) wait_place: (u16, u8),
    /// Semaphores acquired without auto-release, by dispatcher or program, and not released, in
    /// program order.
    pub(crate) holds: Vec<u16>,
    /// Who comes late to a warp-wide atomic (WW-27).
    pub(crate) encounter: Encounter,
    /// Number of its program; 0 is the compute program.
    pub(crate) program: usize,
    /// Lanes that are no helpers.
    pub(crate) covered: u8,
    /// Output words of a graphics warp, by word.
    pub(crate) outputs: Vec<Lanes>,
    /// Lanes that covered something at launch: public registers are theirs (MS-21).
    pub(crate) owned: u8,
    /// Lanes that read public registers: their owners.
    pub(crate) sees: u8,
    /// Its public registers, as bits.
    pub(crate) public: u32,
    /// What its private registers are when it has merged.
    pub(crate) private: PrivateSet,
    /// It has merged.
    pub(crate) merged: bool,
    /// It has merged, and its private registers stand elsewhere than in its own slot.
    pub(crate) moved: Option<PrivateSet>,
    /// How its lanes have changed places (MS-5).
    pub(crate) flip: u8,
    /// Points beside its program: 0 if there is none.
    pub(crate) events: Events,
    /// Instructions that each lane has taken part in since the launch.
    pub(crate) executed: [u16; LANES],
    /// It is a member whose partner has neither merged with it nor ended.
    pub(crate) paired: bool,
    /// Its covered lanes are all at merge points: it issues nothing (MS-11).
    pub(crate) stopped: bool,
    /// Lanes whose public registers stand in the partner's slot: it is member 1.
    pub(crate) borrowed: u8,
    /// By register: lanes that have not written it since the merge (MS-22) or split (MS-42). Of a
    /// warp that has done neither all are 0.
    pub(crate) stale: [u8; REGISTERS],
    /// Slot of member 0, by index, of the group that has this slot: until this member has ended.
    pub(crate) home: Option<usize>,
    /// A member of its group may read public registers of this slot: that of member 0.
    pub(crate) lent: bool,
    /// Its group has split: public registers are only read.
    pub(crate) behind: bool,
    /// It has split, and its lanes are the samples of that pixel (MS-41).
    pub(crate) pixel: Option<u8>,
    /// Lanes read their own public registers all the same: a planted bug.
    pub(crate) narrow: bool,
    /// They have that pixel's place before: a planted bug.
    pub(crate) early: bool,
    /// Its program merges and then splits: helpers own no public registers, and end at the merge
    /// point.
    pub(crate) both: bool,
    /// It has merged with a warp of another quad that splits: its own tags, until it splits.
    pub(crate) own_tags: Option<Box<Tags>>,
    /// What this slot's public registers hold while it shows those of member 0.
    pub(crate) aside: Vec<Lanes>,
}

/// What is left to know of a pair until its members are one warp or have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub number: u32,
    pub others: u8,
    /// Members, as bits; what has gone to member 0 has ended.
    pub launched: u8,
    pub ended: u8,
}

impl Pair {
    /// Members that have neither ended nor gone to member 0.
    pub fn left(&self) -> u8 {
        ((1u8 << (self.others + 1)) - 1) & !self.ended
    }

    /// The member has a partner: member 0 any other one, the others member 0.
    pub fn has_partner(&self, member: u8) -> bool {
        self.left() & if member == 0 { !1 } else { 1 } != 0
    }

    /// All are launched, and nobody but member 0 is left.
    pub fn is_over(&self) -> bool {
        self.left() & !1 == 0 && self.launched.count_ones() == u32::from(self.others) + 1
    }
}

/// What is left to know of a group until all its members have ended (MS-40).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub others: u8,
    /// Members, as bits.
    pub launched: u8,
    pub split: bool,
    pub ended: u8,
}

/// What a launch is in a pair of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TwinMember {
    pub number: u32,
    /// Its group: 0 or 1.
    pub member: u8,
    /// Number of the sample in it.
    pub rank: u8,
    /// Slots between the two groups.
    pub spacing: usize,
}

/// What is left to know of a pair of groups until all samples of the second have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Twin {
    pub number: u32,
    pub spacing: usize,
    /// The first sample of the second group has been launched.
    pub second: bool,
    pub merged: bool,
}

/// What that launch is in a pair of groups, if it is of one.
pub(crate) fn twin_of(launch: &Launch) -> Option<TwinMember> {
    let tags = launch.graphics.as_ref().filter(|tags| tags.splits)?;
    let (pair, group) = (tags.pair?, tags.group?);
    let spacing = tags.samples.places().len();
    Some(TwinMember { number: pair.pair, member: pair.member, rank: group.member, spacing })
}

/// What that launch is in a group that splits, if it is of one.
pub(crate) fn group_of(launch: &Launch) -> Option<GroupMember> {
    launch.graphics.as_ref().and_then(|tags| tags.group)
}

/// Members from 0 on, as bits.
pub(crate) fn bits(members: u8) -> u8 {
    (1 << members) - 1
}

/// A rule of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MisuseKind {
    /// A private register is read that holds nothing since a merge (MS-22).
    StaleAfterMerge,
    /// A private register is read by a merged warp, which has none (MS-22).
    NoPrivate,
    /// A private register is named that a member has not, or a merged warp (MS-35).
    Beyond,
    /// A private register is read that holds nothing since a split (MS-42).
    StaleAfterSplit,
    /// A public register is written behind a split (MS-42).
    PublicWrite,
    /// A warp that stands for pixels gives an output before it splits.
    EarlyOutput,
    /// Lanes that are samples of one pixel look at each other (MS-42).
    AcrossPixel,
}

/// What a program must not do with registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misuse {
    /// The rule that it breaks.
    pub kind: MisuseKind,
    /// Global number of the warp unit.
    pub unit: usize,
    /// Warp slot.
    pub warp: usize,
    /// Counter of the instruction.
    pub pc: u16,
    /// The register that it reads or writes; of an output the number of its word.
    pub register: u8,
    /// Lanes for which that is so.
    pub lanes: u8,
}

/// The public registers of a program with that cutoff and that word of bits (MS-20).
fn public(option: PublicRegisters, cutoff: u32, bitmap: u32) -> u32 {
    let lowest = |n: u32| ((1_u64 << n) - 1) as u32;
    match option {
        _ if cutoff == 0 => 0,
        PublicRegisters::Bitmap => bitmap,
        PublicRegisters::Below => lowest(cutoff),
        PublicRegisters::Above => !lowest(REGISTERS as u32 - cutoff),
        PublicRegisters::Half => lowest(REGISTERS as u32 / 2),
    }
}

impl Warp {
    pub(crate) fn new(unit: usize, warp: usize) -> Self {
        Warp {
            regs: [[0; LANES]; REGISTERS],
            pc: [0; LANES],
            state: [LaneState::Ended; LANES],
            launch: Launch { unit, warp, first_warp: warp, warps_in_group: 1, ..Launch::default() },
            launched: false,
            launches: 0,
            order: 0,
            in_flight: Vec::new(),
            wait_count: 0,
            waiting: false,
            wait_place: (0, 0),
            holds: Vec::new(),
            encounter: Encounter::default(),
            program: 0,
            covered: 15,
            outputs: Vec::new(),
            owned: 15,
            sees: 15,
            public: 0,
            private: PrivateSet::Old,
            merged: false,
            moved: None,
            flip: 0,
            events: Events::default(),
            executed: [0; LANES],
            paired: false,
            stopped: false,
            borrowed: 0,
            stale: [0; REGISTERS],
            home: None,
            lent: false,
            behind: false,
            pixel: None,
            narrow: false,
            early: false,
            both: false,
            own_tags: None,
            aside: Vec::new(),
        }
    }

    /// What registers are to a warp that has been launched, on that machine.
    pub(crate) fn launch_registers(&mut self, config: &Config) {
        let rules = |t: &&Tags| t.fragments && if t.splits { config.split } else { config.merge };
        let tags = self.launch.graphics.as_deref().filter(rules);
        let option = match config.fault {
            Some(Fault::MergeBitmap) => PublicRegisters::Below,
            _ => config.public_registers,
        };
        let of = |t: &Tags| public(option, t.cutoff.min(REGISTERS as u32), t.bitmap);
        self.public = tags.filter(|t| t.cutoff != NO_MERGE_POINT).map_or(0, of);
        (self.private, self.merged) = (config.merge_private, false);
        // A program that merges and then splits.
        self.both = tags.is_some_and(|t| config.merge_split && t.splits && t.events.merge != 0);
        let union = tags.and_then(|t| t.group).filter(|g| g.member == 0).map(|g| g.union & 15);
        self.owned = match union {
            // There only lanes that cover a sample have public registers before the split (MS-21).
            Some(union) if self.both => union,
            // In other programs that split helpers do, too (MS-42).
            _ if tags.is_some_and(|t| t.splits) => 15,
            _ => self.covered,
        };
        self.own_tags = None;
        self.sees = if config.fault == Some(Fault::MergeRead) { 15 } else { self.owned };
        self.flip = tags.map_or(0, |t| t.flip);
        (self.paired, self.stopped, self.stale) = (false, false, [0; REGISTERS]);
        (self.behind, self.pixel) = (false, None);
        self.narrow = config.fault == Some(Fault::ShapePublic);
        self.early = config.fault == Some(Fault::ShapePlace);
        // A program without a point has none beside it.
        let told = tags.filter(|t| config.event_form.is_beside() && t.cutoff != NO_MERGE_POINT);
        self.events = told.map_or(Events::default(), |t| t.events);
        self.executed = [0; LANES];
    }

    /// What was in private registers is invalid (MS-22, MS-42).
    pub(crate) fn lose_private(&mut self) {
        let public = self.public;
        for (_, stale) in self.stale.iter_mut().enumerate().filter(|(r, _)| public >> r & 1 == 0) {
            *stale = 15;
        }
    }

    /// The register is public.
    pub(crate) fn is_public(&self, register: u8) -> bool {
        self.public >> register & 1 == 1
    }

    /// Private registers of a member, where those of two become one set (MS-35). Registers have
    /// banks, even and odd ones, so it is an even number.
    pub(crate) fn part(&self) -> u8 {
        (self.public.count_zeros() / 4 * 2) as u8
    }

    /// It has merged, and has no private registers any more.
    fn is_bare(&self) -> bool {
        self.merged && self.private == PrivateSet::None
    }

    /// A register as the lanes read it: a public one is 0 but to its owners (MS-21), and one value
    /// to the samples of a pixel (MS-41).
    pub(crate) fn read(&self, register: u8) -> Lanes {
        let mut value = self.regs[register as usize];
        if !self.is_public(register) && self.is_bare() {
            return [0; LANES];
        }
        if self.is_public(register) {
            lanes_of(!self.sees & 15).for_each(|lane| value[lane] = 0);
            // What is the pixel's is that of its lane before the split.
            if let Some(pixel) = self.pixel.filter(|_| !self.narrow) {
                value = [value[usize::from(pixel)]; LANES];
            }
        }
        value
    }

    /// A lane writes that register: it is private, and the warp has such, or the lane owns it
    /// (MS-21) and the warp has not split (MS-42).
    pub fn writes(&self, register: u8, lane: usize) -> bool {
        match self.is_public(register) {
            true => self.owned >> lane & 1 == 1 && !self.behind,
            false => !self.is_bare(),
        }
    }

    /// Its covered lanes are all at merge points.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Lanes at merge points.
    pub fn merging(&self) -> u8 {
        self.lanes_in(LaneState::Merging)
    }

    /// Lanes at split points.
    pub fn splitting(&self) -> u8 {
        self.lanes_in(LaneState::Splitting)
    }

    /// It is a member that does nothing until its group splits.
    pub fn is_asleep(&self) -> bool {
        self.state.contains(&LaneState::Asleep)
    }

    /// Some of its lanes wait for a merge or a split.
    pub fn awaits_others(&self) -> bool {
        self.merging() != 0 || self.splitting() != 0 || self.is_asleep()
    }

    /// Lanes in that state.
    pub(crate) fn lanes_in(&self, state: LaneState) -> u8 {
        (0..LANES).filter(|&l| self.state[l] == state).fold(0, |mask, lane| mask | 1 << lane)
    }

    /// It is a member of a pair whose partner has neither merged with it nor ended.
    pub fn is_paired(&self) -> bool {
        self.paired
    }

    /// Lanes that own their public registers.
    pub fn owned(&self) -> u8 {
        self.owned
    }

    /// What a lane does.
    pub fn lane_state(&self, lane: usize) -> LaneState {
        self.state[lane]
    }

    /// A lane's counter: of the next instruction that it executes.
    pub fn pc(&self, lane: usize) -> u16 {
        self.pc[lane]
    }

    /// A lane's register.
    pub fn reg(&self, lane: usize, register: usize) -> u32 {
        self.regs[register][lane]
    }

    /// Sets a register, for tests.
    pub fn set_reg(&mut self, lane: usize, register: usize, value: u32) {
        self.regs[register][lane] = value;
    }

    /// What the slot was last launched with.
    pub fn launch(&self) -> &Launch {
        &self.launch
    }

    /// How often the slot was launched.
    pub fn launches(&self) -> u64 {
        self.launches
    }

    /// All lanes ended.
    pub fn is_ended(&self) -> bool {
        self.state == [LaneState::Ended; LANES]
    }

    /// A lane of it is running.
    pub fn is_running(&self) -> bool {
        !self.stopped && self.state.contains(&LaneState::Running)
    }

    pub(crate) fn is_blocked(&self) -> bool {
        self.state.contains(&LaneState::Blocked)
    }

    /// Inactive: nothing is issued until the acknowledgements that are outstanding have come.
    pub fn is_waiting(&self) -> bool {
        self.waiting
    }

    /// Of a warp that waits: the counter of the instruction that it waits in, and the lanes that
    /// executed it. Their own counters are behind it already.
    pub fn wait_place(&self) -> Option<(u16, u8)> {
        self.waiting.then_some(self.wait_place)
    }

    /// Where the warp stands: at the instruction that it waits in, else at the one that it executes
    /// next.
    pub fn standing(&self) -> Option<u16> {
        self.wait_place().or(self.next()).map(|(pc, _)| pc)
    }

    /// Acknowledgements outstanding, whether or not the warp waits for them.
    pub fn wait_count(&self) -> u8 {
        self.wait_count
    }

    /// The slot may be launched into: all lanes have ended, nothing is in flight, no
    /// acknowledgement is outstanding, and no member of its group may read its registers.
    pub fn is_free(&self) -> bool {
        self.is_ended() && self.in_flight.is_empty() && self.wait_count == 0 && !self.launched && !self.lent
    }

    /// Memory and function instructions that have issued and not completed.
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// The effect, as far as it is known, of an instruction in flight.
    pub fn effect_in_flight(&self, order: u64) -> Option<&crate::effect::Effect> {
        self.in_flight.iter().find(|f| f.order == order).map(|f| &f.effect)
    }

    /// (lowest counter, active mask) of the next instruction.
    pub fn next(&self) -> Option<(u16, u8)> {
        let running = |l: &usize| self.state[*l] == LaneState::Running && !self.stopped;
        let pc = (0..LANES).filter(running).map(|l| self.pc[l]).min()?;
        let mask = (0..LANES).filter(running).filter(|&l| self.pc[l] == pc).fold(0, |m, l| m | 1 << l);
        Some((pc, mask))
    }

    /// Lowest counter among the running lanes outside `mask`: where those would join.
    pub(crate) fn other_pc(&self, mask: u8) -> Option<u16> {
        (0..LANES).filter(|&l| self.state[l] == LaneState::Running && mask >> l & 1 == 0).map(|l| self.pc[l]).min()
    }

    /// Writes the lanes of `mask` that write that register.
    pub(crate) fn write(&mut self, register: u8, mask: u8, value: &Lanes) {
        let mask = lanes_of(mask).filter(|&l| self.writes(register, l)).fold(0, |all, lane| all | 1 << lane);
        self.stale[register as usize] &= !mask;
        let target = &mut self.regs[register as usize];
        for lane in 0..LANES {
            target[lane] = if mask >> lane & 1 == 1 { value[lane] } else { target[lane] };
        }
    }

    /// Lanes of `mask` for which an access is done: helpers take no part in atomics and
    /// store to their stack only.
    pub(crate) fn performing(&self, i: &Decoded, form: MemForm, mask: u8) -> u8 {
        if form.kind == MemKind::Load || i.instr.is_some_and(|i| i.op.is_own()) {
            mask
        } else {
            mask & self.covered
        }
    }

    pub(crate) fn set_state(&mut self, mask: u8, state: LaneState) {
        for lane in lanes_of(mask) {
            self.state[lane] = state;
        }
    }

    /// Value of a special register in each lane; `warps` is the number of slots per unit.
    pub(crate) fn special(&self, number: u8, slots_before: usize) -> Lanes {
        let l = &self.launch;
        let all = |x: usize| [x as u32; LANES];
        const LANE: Lanes = [0, 1, 2, 3];
        match number {
            n if n == Special::Lane as u8 => LANE,
            n if n == Special::Warp as u8 => all(l.warp),
            n if n == Special::Unit as u8 => all(l.unit),
            n if n == Special::LocalId as u8 => l.local_id,
            n if n == Special::GroupX as u8 => [l.group[0]; LANES],
            n if n == Special::GroupY as u8 => [l.group[1]; LANES],
            n if n == Special::GroupZ as u8 => [l.group[2]; LANES],
            n if n == Special::LocalIndex as u8 => l.local_index,
            n if n == Special::Coverage as u8 => all(l.mask as usize),
            n if n == Special::SharedBase as u8 => [l.shared_base; LANES],
            n if n == Special::ThreadSlot as u8 => LANE.map(|lane| ((slots_before + l.warp) * LANES) as u32 + lane),
            _ => l.graphics.as_ref().map_or([0; LANES], |tags| self.tag(tags, number)),
        }
    }

    fn tag(&self, tags: &Tags, number: u8) -> Lanes {
        let (of_vertex, of_fragment) = match tags.fragments {
            true => ([0; LANES], Some(tags)),
            false => match number {
                n if n == Special::VertexIndex as u8 => (tags.vertex, None),
                n if n == Special::InstanceIndex as u8 => (tags.instance, None),
                _ => ([0; LANES], None),
            },
        };
        let Some(t) = of_fragment else { return of_vertex };
        match number {
            n if n == Special::PixelX as u8 => self.places(t).0,
            n if n == Special::PixelY as u8 => self.places(t).1,
            n if n == Special::Sample as u8 => t.sample,
            n if n == Special::SampleCoverage as u8 => t.coverage,
            n if n == Special::Primitive as u8 => t.primitive,
            n if n == Special::Facing as u8 => t.facing,
            n if n == Special::Ticket as u8 => t.ticket,
            n if n == Special::Depth as u8 => t.depth,
            n if n == Special::Helper as u8 => std::array::from_fn(|lane| u32::from(self.covered >> lane & 1 == 0)),
            _ => [0; LANES],
        }
    }

    /// Pixels of the lanes. Those of a member that will be one pixel are the quad's before the
    /// split (MS-41).
    pub(crate) fn places(&self, tags: &Tags) -> (Lanes, Lanes) {
        if tags.pixel.is_none() || self.pixel.is_some() || self.early {
            return (tags.x, tags.y);
        }
        let at = |of: Lanes, bit: usize| std::array::from_fn(|lane| of[0] & !1 | (lane >> bit & 1) as u32);
        (at(tags.x, 0), at(tags.y, 1))
    }

    /// Lanes that cover something now: of fragments those that are no helpers.
    pub fn covered(&self) -> u8 {
        self.covered
    }

    /// An output word of each lane.
    pub fn output(&self, word: usize) -> Lanes {
        self.outputs.get(word).copied().unwrap_or_default()
    }
}

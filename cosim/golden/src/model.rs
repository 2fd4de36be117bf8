//! The machine: warps, launches, the step, barriers.
//!
//! A step is taken in two halves, because the machine's memory pipelines complete instructions
//! later than they issue and may complete global and shared ones of a warp in either order, and its
//! function unit likewise. `issue` reads the operands, moves the counters and, except for memory
//! and function instructions, writes the result; `complete` performs the access. An instruction
//! that touches a register with a completion outstanding is an error: the machine's scoreboard must
//! not let it issue.

use std::collections::BTreeMap;

use quadlock_isa::abi::{LANES, REGISTERS};
use quadlock_isa::{group_register, Event, Op};

use crate::access::Access;
use crate::bounds::{Bounds, Strays};
use crate::config::{Config, Fault};
use crate::cross_lane;
use crate::effect::{Asked, Effect, MemKind, MemoryFault, ProtocolRecord, TrapRecord, Unreleased};
use crate::graphics::primitive::Primitive;
use crate::grid::Launch;
use crate::lanes::{lanes_of, Lanes};
use crate::late::Kept;
use crate::memory::Memory;
use crate::program::{Action, Decoded, GraphicsForm, Program};
use crate::semaphores::Semaphores;
use crate::vertices::{end_helpers, graphics_values, output};
use crate::warp::{Group, InFlight, LaneState, Misuse, Pair, Twin, Warp, Work};
use crate::watch::{Watch, WordChange};

/// Memory faults and traps that are kept; further ones are only counted.
pub(crate) const KEPT: usize = 256;

/// Output words of a vertex.
const OUTPUTS: usize = 64;
/// Output words of a fragment: two of each target, depth, sample mask.
const FRAGMENT_OUTPUTS: usize = 10;

/// Why a launch is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // The message of each variant says what it and its fields mean.
pub enum LaunchError {
    #[error("unit {unit} warp {warp} does not exist")]
    NoSuchSlot { unit: usize, warp: usize },
    #[error("unit {unit} warp {warp} is launched while it is still occupied")]
    Occupied { unit: usize, warp: usize },
    #[error("unit {unit} warp {warp} is launched with an empty lane mask")]
    NoLanes { unit: usize, warp: usize },
    #[error("unit {unit} warp {warp}: {why}")]
    NoPair { unit: usize, warp: usize, why: &'static str },
    #[error("unit {unit} warp {warp}: {why}")]
    NoGroup { unit: usize, warp: usize, why: &'static str },
    #[error("unit {unit} warp {warp} is not inside its group's slots {first} to {last}")]
    OutsideGroup { unit: usize, warp: usize, first: usize, last: usize },
}

/// What a machine cannot have done: why a step is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // The message of each variant says what it and its fields mean.
pub enum StepError {
    #[error("unit {unit} warp {warp} does not exist")]
    NoSuchSlot { unit: usize, warp: usize },
    #[error("unit {unit} warp {warp} executes but has no running lane ({why})")]
    NotRunning { unit: usize, warp: usize, why: &'static str },
    #[error("unit {unit} warp {warp} pc {pc}: {name} issues while r{register} waits for a completion")]
    Hazard { unit: usize, warp: usize, pc: u16, name: &'static str, register: u8 },
    #[error("unit {unit} warp {warp} pc {pc}: {name} issues while {count} instructions are in flight")]
    NotDrained { unit: usize, warp: usize, pc: u16, name: &'static str, count: usize },
    #[error("unit {unit} warp {warp} pc {pc}: late lanes take the kept result of an atomic that has not completed")]
    NotKept { unit: usize, warp: usize, pc: u16 },
    #[error("unit {unit} warp {warp} has no instruction {seq} in flight")]
    NotInFlight { unit: usize, warp: usize, seq: u8 },
    #[error("unit {unit} warp {warp} executes while it waits for {count} acknowledgement(s)")]
    Waiting { unit: usize, warp: usize, count: u8 },
    #[error("unit {unit} warp {warp} is sent an acknowledgement and has none outstanding")]
    NotAwaited { unit: usize, warp: usize },
    #[error("unit {unit} warp {warp} instruction {seq} completes before all its memory transactions are performed")]
    NotPerformed { unit: usize, warp: usize, seq: u8 },
    #[error("unit {unit} warps {kept} and {gone} merge: {why}")]
    NoMerge { unit: usize, kept: usize, gone: usize, why: &'static str },
    #[error("unit {unit} warp {warp} splits: {why}")]
    NoSplit { unit: usize, warp: usize, why: &'static str },
    #[error("unit {unit} warp {warp} instruction {seq}: transaction at {line:#010x}: {why}")]
    NoSuchTransaction { unit: usize, warp: usize, seq: u8, line: u32, why: &'static str },
}

/// The model.
#[derive(Clone, Debug)]
pub struct Golden {
    pub(crate) config: Config,
    /// The compute program, then those of contexts.
    pub(crate) programs: Vec<Program>,
    pub(crate) primitives: Vec<Option<Box<Primitive>>>,
    pub(crate) memory: Memory,
    pub(crate) shared: Vec<Memory>,
    pub(crate) warps: Vec<Warp>,
    pub(crate) faults: Vec<MemoryFault>,
    pub(crate) fault_count: u64,
    pub(crate) traps: Vec<TrapRecord>,
    pub(crate) trap_count: u64,
    pub(crate) quantum: u32,
    pub(crate) semaphores: Semaphores,
    pub(crate) protocol_errors: Vec<ProtocolRecord>,
    pub(crate) protocol_error_count: u64,
    pub(crate) unreleased: Vec<Unreleased>,
    pub(crate) acquired: BTreeMap<u16, Asked>,
    pub(crate) released: BTreeMap<(u16, u16), Asked>,
    pub(crate) watch: Option<Watch>,
    pub(crate) bounds: Option<Bounds>,
    /// By slot of member 0: the pair or group that is to merge.
    pub(crate) pairs: Vec<Option<Pair>>,
    /// Private registers of merged warps, by pair, on a machine that has such sets (MS-22).
    pub(crate) spare: Vec<[Lanes; REGISTERS]>,
    /// By slot of member 0: the group that is launched from there.
    pub(crate) groups: Vec<Option<Group>>,
    /// By slot of the first sample of the first group: the pair of groups that is to merge.
    pub(crate) twins: Vec<Option<Twin>>,
    pub(crate) misuses: Vec<Misuse>,
    pub(crate) misuse_count: u64,
}

impl Golden {
    /// Something that is no program writes the enabled bytes of a line of 16 bytes.
    pub fn write_line(&mut self, addr: u32, mask: u16, data: [u32; 4]) {
        for i in (0..16).filter(|i| mask >> i & 1 == 1) {
            let byte = (data[i / 4] >> (8 * (i % 4))) as u8;
            self.memory.write(addr.wrapping_add(i as u32), byte);
        }
    }

    /// A machine with nothing launched. `consts` shorter than the constant bank is filled up with
    /// zeros.
    pub fn new(config: Config, code: Vec<u64>, consts: Vec<u32>, memory: Memory) -> Self {
        let slots = (0..config.units).flat_map(|u| (0..config.warps).map(move |w| (u, w)));
        Golden {
            programs: vec![Program::new(code, &consts, &config)],
            primitives: Vec::new(),
            warps: slots.map(|(u, w)| Warp::new(u, w)).collect(),
            shared: vec![Memory::shared(config.shared_words); config.units],
            semaphores: Semaphores::new(config.semaphores, config.any_may_release, config.fault),
            protocol_errors: Vec::new(),
            protocol_error_count: 0,
            unreleased: Vec::new(),
            acquired: BTreeMap::new(),
            released: BTreeMap::new(),
            watch: None,
            bounds: None,
            pairs: vec![None; config.units * config.warps],
            spare: vec![[[0; LANES]; REGISTERS]; config.units * config.warps.div_ceil(2)],
            groups: vec![None; config.units * config.warps],
            twins: vec![None; config.units * config.warps],
            misuses: Vec::new(),
            misuse_count: 0,
            config,
            memory,
            faults: Vec::new(),
            fault_count: 0,
            traps: Vec::new(),
            trap_count: 0,
            quantum: 64,
        }
    }

    /// The machine that is modelled.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Instruction words of the program.
    pub fn code(&self) -> &[u64] {
        &self.programs[0].words
    }

    /// Global memory.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Global memory, to put data in.
    pub fn memory_mut(&mut self) -> &mut Memory {
        &mut self.memory
    }

    /// Global memory at the end of a run.
    pub fn into_memory(self) -> Memory {
        self.memory
    }

    /// Shared storage of a unit. Panics if there is no such unit.
    pub fn shared(&self, unit: usize) -> &Memory {
        &self.shared[unit]
    }

    /// Shared storage of a unit, to change it. Panics if there is no such unit.
    pub fn shared_mut(&mut self, unit: usize) -> &mut Memory {
        &mut self.shared[unit]
    }

    /// A warp slot. Panics if there is no such slot.
    pub fn warp(&self, unit: usize, warp: usize) -> &Warp {
        &self.warps[unit * self.config.warps + warp]
    }

    /// A warp slot, to change it. Panics if there is no such slot.
    pub fn warp_mut(&mut self, unit: usize, warp: usize) -> &mut Warp {
        &mut self.warps[unit * self.config.warps + warp]
    }

    /// The first accesses outside memory, and how many there were.
    pub fn memory_faults(&self) -> (&[MemoryFault], u64) {
        (&self.faults, self.fault_count)
    }

    /// The first traps, and how many there were.
    pub fn traps(&self) -> (&[TrapRecord], u64) {
        (&self.traps, self.trap_count)
    }

    /// The semaphores' lists, as [`Golden::deliver`] has left them.
    pub fn semaphores(&self) -> &Semaphores {
        &self.semaphores
    }

    /// The first messages delivered without effect, and how many there were.
    pub fn protocol_errors(&self) -> (&[ProtocolRecord], u64) {
        (&self.protocol_errors, self.protocol_error_count)
    }

    /// Threads that ended without releasing what they had acquired.
    pub fn unreleased(&self) -> &[Unreleased] {
        &self.unreleased
    }

    /// The first acquire of each semaphore that an instruction asked for (SE-30, SE-31), not the
    /// dispatcher.
    pub fn acquired(&self) -> &BTreeMap<u16, Asked> {
        &self.acquired
    }

    /// The first release of each semaphore (first number) by each instruction (second, its
    /// counter).
    pub fn released(&self) -> &BTreeMap<(u16, u16), Asked> {
        &self.released
    }

    /// Logs from now on the changes of these words, and of those on which the lock form is used:
    /// (address of the first, number, bytes from one to the next). Of a model that runs alone.
    pub fn watch(&mut self, words: Vec<(u32, u32, u32)>) {
        self.watch = Some(Watch::new(words));
    }

    /// The log of [`Golden::watch`].
    pub fn word_changes(&self) -> &[WordChange] {
        self.watch.as_ref().map_or(&[], |w| &w.log)
    }

    /// From now on stores and atomics outside these regions (first byte address, bytes) of global
    /// memory are counted, and have no effect. Of a model that runs alone.
    pub fn confine(&mut self, regions: Vec<(u32, u32)>) {
        self.bounds = Some(Bounds::new(regions));
    }

    /// What [`Golden::confine`] has counted.
    pub fn strays(&self) -> Strays {
        self.bounds.as_ref().map_or(Strays::default(), |b| b.seen)
    }

    /// Every warp has ended, nothing is in flight, and no acknowledgement is outstanding.
    pub fn is_idle(&self) -> bool {
        self.warps.iter().all(|w| w.is_ended() && w.in_flight.is_empty() && w.wait_count == 0)
    }

    pub(crate) fn index(&self, unit: usize, warp: usize) -> Option<usize> {
        (unit < self.config.units && warp < self.config.shape(unit).warps).then_some(unit * self.config.warps + warp)
    }

    /// Starts a warp in a free slot.
    pub fn launch(&mut self, launch: &Launch) -> Result<(), LaunchError> {
        let Launch { unit, warp, mask, first_warp, warps_in_group, .. } = *launch;
        let index = self.index(unit, warp).ok_or(LaunchError::NoSuchSlot { unit, warp })?;
        if mask & 15 == 0 {
            return Err(LaunchError::NoLanes { unit, warp });
        }
        let last = first_warp + warps_in_group.max(1) - 1;
        if !(first_warp..=last).contains(&warp) || last >= self.config.shape(unit).warps {
            return Err(LaunchError::OutsideGroup { unit, warp, first: first_warp, last });
        }
        self.check_pair(index, launch)?;
        self.check_group(index, launch)?;
        let slot = &mut self.warps[index];
        if !slot.is_free() {
            return Err(LaunchError::Occupied { unit, warp });
        }
        self.return_private(index);
        let slot = &mut self.warps[index];
        slot.launch = launch.clone();
        slot.launched = true;
        slot.launches += 1;
        slot.pc = [launch.pc; LANES];
        slot.wait_count = launch.wait;
        slot.waiting = false;
        slot.encounter.end();
        slot.program = launch.graphics.as_ref().map_or(0, |tags| tags.program);
        slot.covered = match &launch.graphics {
            Some(tags) if tags.fragments => {
                (0..LANES).filter(|&l| tags.coverage[l] != 0).fold(0, |mask, lane| mask | 1 << lane)
            }
            _ => 15,
        };
        slot.launch_registers(&self.config);
        let words = launch.graphics.as_ref().map_or(0, |tags| if tags.fragments { FRAGMENT_OUTPUTS } else { OUTPUTS });
        slot.outputs.clear();
        slot.outputs.resize(words, [0; LANES]);
        slot.holds.clone_from(&launch.holds);
        slot.set_state(mask, LaneState::Running);
        self.launch_member(index);
        self.launch_in_group(index);
        self.settle_events(index);
        Ok(())
    }

    /// Executes the next instruction of a warp, memory access included.
    pub fn step(&mut self, unit: usize, warp: usize) -> Result<Effect, StepError> {
        let effect = self.issue(unit, warp)?;
        match effect.deferred {
            true => self.complete(unit, warp, effect.order),
            false => Ok(effect),
        }
    }

    /// First half of a step. The `mem` of a memory instruction has `performed` clear until
    /// [`Golden::complete`].
    pub fn issue(&mut self, unit: usize, warp: usize) -> Result<Effect, StepError> {
        let effect = self.execute(unit, warp)?;
        if let Some(index) = self.index(unit, warp) {
            self.meet_events(index, effect.pc, effect.mask);
        }
        Ok(effect)
    }

    fn execute(&mut self, unit: usize, warp: usize) -> Result<Effect, StepError> {
        let index = self.index(unit, warp).ok_or(StepError::NoSuchSlot { unit, warp })?;
        let state = &self.warps[index];
        let Some((pc, mask)) = state.next() else {
            let why = match () {
                () if state.is_blocked() => "it waits at a barrier",
                () if state.is_asleep() => "it sleeps until its group splits",
                () if state.splitting() != 0 => "it has stopped at its split point",
                () if !state.is_ended() => "it has stopped at its merge point",
                () => "it has ended",
            };
            return Err(StepError::NotRunning { unit, warp, why });
        };
        if state.waiting {
            return Err(StepError::Waiting { unit, warp, count: state.wait_count });
        }
        let i = self.programs[state.program].at_unit(pc, self.config.shape(unit).functions);
        self.check_hazards(index, pc, mask, &i)?;
        let kept = match self.kept(index, pc, mask, &i) {
            Some(Kept::NotYet) => return Err(StepError::NotKept { unit, warp, pc }),
            Some(Kept::Words(words)) => Some(words),
            None => None,
        };
        self.encounter(index, pc, mask, &i);
        self.note_misuse(index, pc, mask, &i);
        self.note_early_output(index, pc, mask, &i);
        let slot = &mut self.warps[index];
        let word = self.programs[slot.program].word(pc);
        let order = slot.order;
        slot.order += 1;
        let seq = order as u8;
        let dest = i.instr.and_then(|i| i.dest_regs());
        let (next, values, mem) = (slot.pc, [[0; 4]; LANES], None);
        let group = matches!(i.action, Action::Graphics(form) if form.is_deferred());
        let deferred = group || matches!(i.action, Action::Memory(_) | Action::Function(_));
        let mut effect = Effect {
            unit,
            warp,
            order,
            seq,
            pc,
            mask,
            word,
            trap: None,
            next,
            dest,
            values,
            deferred,
            stored: kept.is_some(),
            mem,
            message: None,
        };
        advance(slot, mask, pc.wrapping_add(1));
        lanes_of(mask).for_each(|lane| slot.executed[lane] = slot.executed[lane].wrapping_add(1));
        match i.action {
            Action::Memory(form) => {
                let mut access =
                    Access::capture(|r| slot.read(r), &i, form, slot.performing(&i, form, mask), self.config.fault);
                if kept.is_some() {
                    access.performers = 0;
                }
                let memory = if form.shared { &self.shared[unit] } else { &self.memory };
                effect.mem = Some(access.effect(memory));
                effect.next = slot.pc;
                slot.in_flight.push(InFlight {
                    order,
                    work: kept.map_or(Work::Access(access), Work::Kept),
                    effect: effect.clone(),
                    progress: None,
                });
                return Ok(effect);
            }
            Action::Graphics(form) if form.is_deferred() => {
                let values = graphics_values(slot, &self.primitives, form);
                output(slot, &i, form, mask);
                effect.next = slot.pc;
                let work = Work::Group(values);
                slot.in_flight.push(InFlight { order, work, effect: effect.clone(), progress: None });
                return Ok(effect);
            }
            Action::Function(_) => {
                let value = alu_value(slot, &i, mask, &self.config);
                effect.next = slot.pc;
                slot.in_flight.push(InFlight {
                    order,
                    work: Work::Value(value),
                    effect: effect.clone(),
                    progress: None,
                });
                return Ok(effect);
            }
            Action::Alu(_) | Action::Special(_) | Action::CrossLane(_) => {
                let value = alu_value(slot, &i, mask, &self.config);
                slot.write(i.d, mask, &value);
                for lane in lanes_of(mask) {
                    effect.values[lane][0] = value[lane];
                }
            }
            Action::Message(form) => {
                let value = operand_b(slot, &i);
                for lane in lanes_of(mask) {
                    effect.values[lane][0] = value[lane];
                }
                effect.message = self.message(index, pc, mask, &i, form);
            }
            Action::Trap(why) => {
                effect.trap = Some(why);
                self.control(index, pc, mask, &i);
            }
            _ => self.control(index, pc, mask, &i),
        }
        effect.next = self.warps[index].pc;
        Ok(effect)
    }

    /// Second half of a memory or function instruction, named by [`Effect::order`]: performs it now
    /// and writes its registers.
    pub fn complete(&mut self, unit: usize, warp: usize, order: u64) -> Result<Effect, StepError> {
        let index = self.index(unit, warp).ok_or(StepError::NoSuchSlot { unit, warp })?;
        let slot = &mut self.warps[index];
        let position = slot.in_flight.iter().position(|f| f.order == order);
        let seq = order as u8;
        let position = position.ok_or(StepError::NotInFlight { unit, warp, seq })?;
        if let InFlight { work: Work::Access(access), progress: Some(progress), .. } = &slot.in_flight[position] {
            if !access.is_done(progress) {
                return Err(StepError::NotPerformed { unit, warp, seq });
            }
        }
        let InFlight { work, mut effect, progress, .. } = slot.in_flight.remove(position);
        let access = match work {
            Work::Access(access) => access,
            Work::Kept([low, high]) => {
                let count = effect.dest.map_or(0, |d| d.1);
                let words = [low, if count == 2 { high } else { 0 }, 0, 0];
                lanes_of(effect.mask).for_each(|lane| effect.values[lane] = words);
                if let Some((first, count)) = effect.dest {
                    write_group(slot, effect.mask, first, count, &effect.values);
                }
                return Ok(effect);
            }
            Work::Group(values) => {
                if let Some((first, count)) = effect.dest {
                    write_group(slot, effect.mask, first, count, &values);
                    lanes_of(effect.mask).for_each(|lane| effect.values[lane] = values[lane]);
                }
                return Ok(effect);
            }
            Work::Value(value) => {
                if let Some((register, _)) = effect.dest {
                    slot.write(register, effect.mask, &value);
                }
                for lane in lanes_of(effect.mask) {
                    effect.values[lane][0] = value[lane];
                }
                return Ok(effect);
            }
        };
        let memory = if access.form.shared { &mut self.shared[unit] } else { &mut self.memory };
        let outcome = match progress {
            Some(progress) => progress.outcome,
            None => access.perform(memory, self.config.fault),
        };
        if let Some(mem) = &mut effect.mem {
            mem.performed = true;
            mem.writes = access.writes(memory, &outcome);
            (mem.old, mem.new, mem.fault) = (outcome.old, outcome.new, outcome.fault);
        }
        if access.form.warp_wide {
            slot.encounter.completed(order, access.mask, &outcome);
        }
        if let Some((first, count)) = effect.dest {
            write_group(slot, access.mask, first, count, &outcome.values);
            effect.values = outcome.values;
        }
        self.note_faults(index, effect.pc, &access, outcome.fault);
        Ok(effect)
    }

    /// Performs one transaction of a global memory instruction that has issued: the read, or
    /// `write`, of the line at byte address `line`. When all have been performed
    /// [`Golden::complete`] writes the registers; its order among other instructions has no meaning
    /// then. Shared storage is not performed so.
    ///
    /// # Errors
    /// The instruction is not in flight or has no such transaction.
    pub fn perform(&mut self, unit: usize, warp: usize, order: u64, line: u32, write: bool) -> Result<(), StepError> {
        let index = self.index(unit, warp).ok_or(StepError::NoSuchSlot { unit, warp })?;
        let found = self.warps[index].in_flight.iter_mut().find(|f| f.order == order);
        let seq = order as u8;
        let in_flight = found.ok_or(StepError::NotInFlight { unit, warp, seq })?;
        let wrong = |why| StepError::NoSuchTransaction { unit, warp, seq, line, why };
        match &in_flight.work {
            Work::Access(access) if !access.form.shared => {
                let progress = in_flight.progress.get_or_insert_default();
                access.perform_line(&mut self.memory, progress, (line, write), self.config.fault).map_err(wrong)
            }
            _ => Err(wrong("it does not access global memory")),
        }
    }

    /// Whether an instruction in flight is to be performed by [`Golden::perform`] and has not been
    /// wholly.
    pub fn is_unperformed(&self, unit: usize, warp: usize, order: u64) -> bool {
        let in_flight = self.index(unit, warp).and_then(|i| self.warps[i].in_flight.iter().find(|f| f.order == order));
        match in_flight {
            Some(InFlight { work: Work::Access(access), progress, .. }) if !access.form.shared => {
                !progress.as_ref().is_some_and(|p| access.is_done(p))
            }
            _ => false,
        }
    }

    /// The machine must hold back an instruction whose registers wait for a completion, and END,
    /// DISCARD and BAR while anything does; RLS too, so that the warp's stores are performed before
    /// its release.
    fn check_hazards(&self, index: usize, pc: u16, mask: u8, i: &Decoded) -> Result<(), StepError> {
        let slot = &self.warps[index];
        let Some(instr) = i.instr.filter(|_| !slot.in_flight.is_empty()) else {
            return Ok(());
        };
        let Launch { unit, warp, .. } = slot.launch;
        let name = instr.op.name();
        // Of a warp that is no member MERGE waits for nothing (MS-12), nor does SPLIT.
        let event = self.event_of(i);
        let merges = event == Some(Event::Merge) && instr.event.is_none() && slot.paired;
        let splits = event == Some(Event::Split) && instr.event.is_none() && self.stands_for_pixels(index);
        if merges
            || splits
            || matches!(i.action, Action::End | Action::Barrier | Action::Graphics(GraphicsForm::Demote))
            || instr.op == Op::Rls
        {
            return Err(StepError::NotDrained { unit, warp, pc, name, count: slot.in_flight.len() });
        }
        let crosses = matches!(instr.op, Op::QShuf | Op::Ddx | Op::Ddy);
        for f in &slot.in_flight {
            let Some((first, count)) = f.effect.dest else { continue };
            for register in (0..count).map(|n| group_register(first, n)) {
                let reads = instr.source_regs().contains(&register);
                let writes = instr.dest_regs().is_some_and(|(d, n)| (0..n).any(|k| group_register(d, k) == register));
                let overlap = f.effect.mask & mask != 0;
                if overlap && (reads || writes) || reads && crosses {
                    return Err(StepError::Hazard { unit, warp, pc, name, register });
                }
            }
        }
        Ok(())
    }

    /// What lanes get that come late to a warp-wide atomic (WW-27); nothing if the instruction is
    /// executed.
    pub(crate) fn kept(&self, index: usize, pc: u16, mask: u8, i: &Decoded) -> Option<Kept> {
        let wide = matches!(i.action, Action::Memory(form) if form.warp_wide);
        self.warps[index].encounter.find(pc, mask).filter(|_| wide && self.config.late_stored)
    }

    /// What an instruction does to the warp's encounter, whether it is executed or its lanes come
    /// late.
    pub(crate) fn encounter(&mut self, index: usize, pc: u16, mask: u8, i: &Decoded) {
        if !self.config.late_stored {
            return;
        }
        let late = self.kept(index, pc, mask, i).is_some();
        let slot = &mut self.warps[index];
        let order = slot.order;
        let taken = match i.action {
            Action::Jump => mask,
            Action::Branch { sense } => {
                let a = slot.read(i.a);
                lanes_of(mask).filter(|&l| (a[l] != 0) == sense).fold(0, |taken, l| taken | 1 << l)
            }
            _ => 0,
        };
        match i.action {
            Action::Memory(form) if form.warp_wide && late => slot.encounter.delivered(mask),
            Action::Memory(form) if form.warp_wide => slot.encounter.executed(pc, mask, order),
            Action::Barrier => slot.encounter.end(),
            _ => slot.encounter.other(mask, taken, i.imm as u16),
        }
    }

    /// Branches, barrier, end, trap. The counters have already advanced.
    pub(crate) fn control(&mut self, index: usize, pc: u16, mask: u8, i: &Decoded) {
        let slot = &mut self.warps[index];
        match i.action {
            Action::Jump => advance(slot, mask, i.imm as u16),
            Action::Branch { sense } => {
                let a = slot.read(i.a);
                for lane in lanes_of(mask).filter(|&l| (a[l] != 0) == sense) {
                    slot.pc[lane] = i.imm as u16;
                }
            }
            Action::Barrier => {
                slot.set_state(mask, LaneState::Blocked);
                self.settle_group(index);
            }
            Action::Graphics(GraphicsForm::Demote) => {
                slot.covered &= !mask;
                end_helpers(slot);
                self.settle_member(index);
                self.settle_split(index);
                self.settle_group(index);
            }
            Action::End => {
                slot.set_state(mask, LaneState::Ended);
                if i.instr.is_some_and(|i| i.op == Op::Discard) {
                    slot.covered &= !mask;
                }
                end_helpers(slot);
                self.note_unreleased(index, pc);
                self.settle_member(index);
                self.settle_split(index);
                self.settle_group(index);
            }
            Action::Trap(trap) => {
                slot.set_state(mask, LaneState::Ended);
                let Launch { unit, warp, .. } = slot.launch;
                self.trap_count += 1;
                if self.traps.len() < KEPT {
                    self.traps.push(TrapRecord { unit, warp, pc, mask, trap });
                }
                self.note_unreleased(index, pc);
                self.settle_member(index);
                self.settle_split(index);
                self.settle_group(index);
            }
            Action::Message(form) => {
                if let Some(message) = self.message(index, pc, mask, i, form) {
                    self.deliver(&message, Some(pc));
                }
            }
            Action::Alu(_) | Action::Special(_) | Action::CrossLane(_) | Action::Function(_) => {}
            Action::Memory(_) | Action::Graphics(_) => {}
        }
    }

    /// After a lane has stopped running: opens the barrier if nobody of the group runs, and retires
    /// a group that has ended.
    pub(crate) fn settle_group(&mut self, index: usize) {
        let Launch { unit, first_warp, warps_in_group, .. } = self.warps[index].launch;
        let first = unit * self.config.warps + first_warp;
        let mut group = first..first + warps_in_group.max(1);
        if self.config.fault == Some(Fault::BarrierEarly) && self.warps[index].is_blocked() {
            group = index..index + 1;
        }
        let warps = &mut self.warps[group];
        if warps.iter().any(|w| !w.launched || w.is_running() || w.awaits_others()) {
            return;
        }
        let blocked = warps.iter().any(Warp::is_blocked);
        for w in warps {
            if blocked {
                w.state.iter_mut().filter(|s| **s == LaneState::Blocked).for_each(|s| *s = LaneState::Running);
            } else {
                w.launched = false;
            }
        }
    }

    pub(crate) fn note_faults(&mut self, index: usize, pc: u16, access: &Access, lanes: u8) {
        let Launch { unit, warp, .. } = self.warps[index].launch;
        for lane in lanes_of(lanes) {
            self.fault_count += 1;
            if self.faults.len() < KEPT {
                let bytes = access.form.bytes;
                let addr = self.memory.effective(access.addr[lane], bytes);
                let write = access.form.kind != MemKind::Load;
                self.faults.push(MemoryFault { unit, warp, lane, pc, addr, bytes, write });
            }
        }
    }
}

/// Result of a lane or function instruction in every lane; that of a cross-lane one is meant for
/// the lanes of `mask` only.
pub(crate) fn alu_value(slot: &Warp, i: &Decoded, mask: u8, config: &Config) -> Lanes {
    match i.action {
        Action::Alu(f) | Action::Function(f) => {
            // Of the instructions that look across the quad the functions go by position (MS-5).
            let flip = if config.fault == Some(Fault::MergeFlip) { 0 } else { slot.flip };
            let [a, b, c] = [slot.read(i.a), operand_b(slot, i), slot.read(i.c)].map(|v| flipped(v, flip));
            flipped(f(&a, &b, &c), flip)
        }
        Action::Special(number) => slot.special(number, config.slots_before(slot.launch.unit)),
        Action::CrossLane(kind) => cross_lane::value(kind, &slot.read(i.a), mask, config.fault),
        _ => [0; LANES],
    }
}

/// Operand B in every lane.
pub(crate) fn operand_b(slot: &Warp, i: &Decoded) -> Lanes {
    match i.b_is_imm {
        true => [i.imm; LANES],
        false => slot.read(i.b),
    }
}

/// Lane l has the value of lane l ^ flip.
fn flipped(values: Lanes, flip: u8) -> Lanes {
    match flip {
        0 => values,
        _ => std::array::from_fn(|lane| values[lane ^ usize::from(flip & 3)]),
    }
}

pub(crate) fn advance(slot: &mut Warp, mask: u8, pc: u16) {
    for lane in lanes_of(mask) {
        slot.pc[lane] = pc;
    }
}

pub(crate) fn write_group(slot: &mut Warp, mask: u8, first: u8, count: u8, values: &[[u32; 4]; LANES]) {
    for word in 0..count {
        let lanes: Lanes = std::array::from_fn(|lane| values[lane][word as usize]);
        slot.write(group_register(first, word), mask, &lanes);
    }
}

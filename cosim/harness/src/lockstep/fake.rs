//! A machine for testing lockstep without RTL: a second golden model that emits events as a core would, with random issue order, random memory delays and several beats
//! per load. Left alone it must pass; a test changes one event and the right checker must say so.

use std::collections::VecDeque;

use quadlock_golden::{Effect, Golden, Grid, Launch as GoldenLaunch, MemKind};
use quadlock_isa::group_register;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::engine::{
    CompletionEvent, Engine, EngineError, Inputs, LaunchEvent, MemoryRequest, Outputs, RetireEvent, SharedWriteEvent,
    SignalTree, TrapPlace, UnitOutputs,
};
use crate::launch::{host, Launch};
use crate::lockstep::{self, Options};

/// Changes the outputs of a cycle.
pub type Mutation = Box<dyn FnMut(&mut Outputs)>;

/// An instruction whose access has been performed and that has still to be shown.
struct Performed {
    effect: Effect,
    writes: VecDeque<(u32, u16, [u32; 4])>,
    beats: VecDeque<CompletionEvent>,
}

#[derive(Default)]
struct Pipeline {
    waiting: VecDeque<(usize, usize, u8)>,
    current: Option<Performed>,
}

pub struct Fake {
    golden: Golden,
    grid: Grid,
    rng: ChaCha8Rng,
    outputs: Outputs,
    inputs: Inputs,
    started: bool,
    /// Next group and warp of it to launch.
    next: (u64, u32),
    /// Pipeline 0 is global, 1 + unit shared, 1 + units + unit the function unit.
    pipelines: Vec<Pipeline>,
    pub mutation: Mutation,
}

fn lines_of(bytes: &[(u32, u8)]) -> VecDeque<(u32, u16, [u32; 4])> {
    let mut out: VecDeque<(u32, u16, [u32; 4])> = VecDeque::new();
    for &(addr, value) in bytes {
        if out.back().is_none_or(|l| l.0 != addr & !15) {
            out.push_back((addr & !15, 0, [0; 4]));
        }
        if let Some(line) = out.back_mut() {
            line.1 |= 1 << (addr & 15);
            line.2[(addr & 15) as usize / 4] |= u32::from(value) << (8 * (addr & 3));
        }
    }
    out
}

impl Fake {
    pub fn new(launch: &Launch, options: &Options, seed: u64) -> Self {
        let (units, config) = (options.config.total_units(), &options.config);
        Self {
            golden: lockstep::golden(launch, config, None),
            grid: lockstep::grid(launch, config),
            rng: ChaCha8Rng::seed_from_u64(seed),
            outputs: Outputs { units: vec![UnitOutputs::default(); units], ..Outputs::default() },
            inputs: Inputs::default(),
            started: false,
            next: (0, 0),
            pipelines: (0..=2 * units).map(|_| Pipeline::default()).collect(),
            mutation: Box::new(|_| {}),
        }
    }

    fn dispatch(&mut self) {
        let per_group = self.grid.warps_per_group();
        if self.next.0 == self.grid.group_count() {
            return;
        }
        let (group, warp) = self.next;
        let (units, warps) = (self.golden.config().units, self.golden.config().warps);
        let pinned = self.grid.pinned;
        let slots = if pinned { self.grid.group_slots } else { warps };
        for unit in 0..units {
            for slot in 0..slots {
                let target = if pinned { slot * per_group as usize + warp as usize } else { slot };
                let ids = self.grid.launch_ids(group, warp);
                let launch = GoldenLaunch::new(&self.grid, &ids, unit, target, warp, slot);
                // A group's later warps stay where its first one went.
                let follows = !pinned || warp == 0 || {
                    let first = self.golden.warp(unit, slot * per_group as usize).launch();
                    first.group == ids.group
                };
                if follows && self.golden.launch(&launch).is_ok() {
                    self.outputs.launch = Some(LaunchEvent {
                        unit: unit as u8,
                        warp: target as u8,
                        mask: ids.mask,
                        group: ids.group,
                        warp_in_group: warp as u8,
                        group_slot: if pinned { slot as u8 } else { 0 },
                    });
                    self.next = if warp + 1 == per_group { (group + 1, 0) } else { (group, warp + 1) };
                    return;
                }
            }
        }
    }

    fn issue(&mut self, unit: usize) {
        let warps = self.golden.config().warps;
        let start = self.rng.random_range(0..warps);
        for i in 0..warps {
            let warp = (start + i) % warps;
            // What has been performed and not yet shown is not in the registers as far as the world can see.
            let hidden =
                |p: &Pipeline| p.current.as_ref().is_some_and(|c| (c.effect.unit, c.effect.warp) == (unit, warp));
            if self.pipelines.iter().any(hidden) {
                continue;
            }
            let Ok(effect) = self.golden.issue(unit, warp) else { continue };
            let written = effect.dest.filter(|_| !effect.deferred);
            let value = match &effect.mem {
                Some(mem) => mem.addr,
                None => effect.values.map(|v| v[0]),
            };
            self.outputs.units[unit].retire = Some(RetireEvent {
                warp: warp as u8,
                seq: effect.seq,
                mask: effect.mask,
                pc: effect.pc,
                word: effect.word,
                trap: effect.trap.is_some(),
                mem: effect.deferred,
                wen: written.is_some(),
                dst: written.map_or(0, |d| d.0),
                value,
                next: effect.next,
            });
            if effect.deferred {
                let units = self.golden.config().units;
                let pipeline = match &effect.mem {
                    None => 1 + units + unit,
                    Some(mem) if mem.shared => 1 + unit,
                    Some(_) => 0,
                };
                self.pipelines[pipeline].waiting.push_back((unit, warp, effect.seq));
            }
            return;
        }
    }

    fn perform(&mut self, pipeline: usize) {
        let idle = self.pipelines[pipeline].current.is_none();
        if !idle || self.rng.random_range(0..3) != 0 {
            return;
        }
        let Some((unit, warp, seq)) = self.pipelines[pipeline].waiting.pop_front() else { return };
        let Ok(effect) = self.golden.complete(unit, warp, seq) else { return };
        let lanes = (0..4).filter(|l| effect.mask >> l & 1 == 1);
        let writes = match &effect.mem {
            None => VecDeque::new(),
            Some(mem) if matches!(mem.kind, MemKind::Atomic(_)) => {
                let memory = if mem.shared { self.golden.shared(unit) } else { self.golden.memory() };
                lanes
                    .flat_map(|lane| {
                        let base = memory.effective(mem.addr[lane], mem.bytes);
                        let byte = |i: u32| (base + i, (mem.new[lane] >> (8 * i)) as u8);
                        lines_of(&(0..u32::from(mem.bytes)).map(byte).collect::<Vec<_>>())
                    })
                    .collect()
            }
            Some(mem) => lines_of(&mem.writes),
        };
        let event = CompletionEvent {
            warp: warp as u8,
            seq,
            mask: effect.mask,
            wen: false,
            dst: 0,
            value: [0; 4],
            last: false,
            shared: effect.mem.as_ref().is_some_and(|m| m.shared),
            function: effect.mem.is_none(),
        };
        let (first, count) = effect.dest.unwrap_or((0, 0));
        let mut beats: VecDeque<CompletionEvent> = VecDeque::new();
        for k in 0..count {
            let value = effect.values.map(|v| v[k as usize]);
            let mut beat = CompletionEvent { wen: true, dst: group_register(first, k), value, ..event };
            // Two beats per register: lower and upper lanes.
            for half in [3, 12] {
                beat.mask = effect.mask & half;
                if beat.mask != 0 {
                    beats.push_back(beat);
                }
            }
        }
        if beats.is_empty() {
            beats.push_back(event);
        }
        if let Some(last) = beats.back_mut() {
            last.last = true;
        }
        self.pipelines[pipeline].current = Some(Performed { effect, writes, beats });
    }

    /// Shows what the pipeline has performed: first its writes, then its beats.
    fn show(&mut self, pipeline: usize) {
        let Some(current) = &mut self.pipelines[pipeline].current else { return };
        let unit = current.effect.unit;
        if let Some(&(addr, mask, data)) = current.writes.front() {
            if pipeline == 0 {
                self.outputs.mem_req = Some(MemoryRequest { addr, write: true, mask, data });
                if self.inputs.mem_req_ready {
                    current.writes.pop_front();
                }
            } else if self.outputs.units[unit].shared_write.is_none() {
                self.outputs.units[unit].shared_write = Some(SharedWriteEvent { addr: addr as u16, mask, data });
                current.writes.pop_front();
            }
        } else if self.outputs.units[unit].completion.is_none() {
            self.outputs.units[unit].completion = current.beats.pop_front();
            if current.beats.is_empty() {
                self.pipelines[pipeline].current = None;
            }
        }
    }
}

impl Engine for Fake {
    fn name(&self) -> &'static str {
        "fake"
    }

    fn settle(&mut self, inputs: &Inputs) -> Result<&Outputs, EngineError> {
        self.inputs = inputs.clone();
        let units = self.outputs.units.len();
        self.outputs =
            Outputs { units: vec![UnitOutputs::default(); units], mem_rsp_ready: true, ..Outputs::default() };
        let all = self.next.0 == self.grid.group_count();
        let drained = self.pipelines.iter().all(|p| p.waiting.is_empty() && p.current.is_none());
        self.outputs.busy = self.started && !(all && drained && self.golden.is_idle());
        if self.started {
            (0..units).for_each(|u| self.issue(u));
            // After the issue: a warp's first record is later than its launch.
            self.dispatch();
            for pipeline in 0..self.pipelines.len() {
                self.show(pipeline);
                self.perform(pipeline);
            }
        }
        if let Some(t) = self.golden.traps().0.first() {
            self.outputs.trapped = true;
            self.outputs.trap = TrapPlace { unit: t.unit as u8, warp: t.warp as u8, pc: t.pc };
        }
        (self.mutation)(&mut self.outputs);
        Ok(&self.outputs)
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn tick(&mut self) -> Result<(), EngineError> {
        self.started |= self.inputs.host == Some((host::START, 1));
        Ok(())
    }

    fn describe(&self, _tree: &mut dyn SignalTree) {}

    fn sample(&self, _wanted: &[bool], _value: &mut dyn FnMut(usize, u128)) {}
}

mod tests {
    use super::*;
    use crate::fuzz;
    use crate::fuzzing::launch_of;
    use crate::lockstep::{End, Quiet};
    use crate::simulate;
    use quadlock_isa::assemble;

    fn options() -> Options {
        Options { model: true, ..Options::default() }
    }

    const PROGRAM: &str = "
        S2R r1, local_index
        SHL r2, r1, #2
        IADD r3, r1, #5
        ST.32 [r2+0x1200], r3
        LD.128 r8, [r2+0x1200]
        IADD r4, r8, #1
        STS.32 [r2+0], r4
        BAR
        LDS.32 r5, [r2+0]
        ATOM32.ADD r6, [r2+0x1300], r5
        BNZ r5, next
    next:
        ST.16 [r2+0x1280], r6
        END";

    fn launch() -> Launch {
        let mut launch = Launch::bare("fake", assemble("fake", PROGRAM).unwrap().code, 0x800);
        launch.group_size = [8, 1, 1];
        launch.grid = [3, 1, 1];
        launch.pinned = true;
        launch.shared_bytes = 32;
        launch
    }

    fn run(mutation: impl FnMut(&mut Outputs) + 'static) -> End {
        let (launch, options) = (launch(), options());
        let mut fake = Fake::new(&launch, &options, 1);
        fake.mutation = Box::new(mutation);
        lockstep::run(&mut fake, &launch, &options, &mut Quiet).end
    }

    /// The checker that finds what `mutation` does.
    fn checker(mutation: impl FnMut(&mut Outputs) + 'static) -> String {
        match run(mutation) {
            End::Mismatch(m) => m.checker,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_honest_machine_passes() {
        for seed in 0..20 {
            let (launch, options) = (launch(), options());
            let mut fake = Fake::new(&launch, &options, seed);
            let done = simulate::on_engine(&mut fake, &launch, &options, &mut Quiet);
            assert!(done.report.passed(), "seed {seed}\n{}", done.report.text());
            assert_eq!(done.report.retired, 3 * 2 * 13);
        }
    }

    #[test]
    fn random_programs_pass_on_an_honest_machine() {
        for seed in 0..40 {
            let program = fuzz::generate(seed, &fuzz::Options::default());
            let (launch, options) = (launch_of(&program), options());
            let mut fake = Fake::new(&launch, &options, seed);
            let done = simulate::on_engine(&mut fake, &launch, &options, &mut Quiet);
            assert!(done.report.passed(), "seed {seed}\n{}\n{}", done.report.text(), program.asm());
        }
    }

    fn retire(mut change: impl FnMut(&mut RetireEvent) + 'static) -> impl FnMut(&mut Outputs) {
        move |o| o.units.iter_mut().filter_map(|u| u.retire.as_mut()).for_each(&mut change)
    }

    fn completion(mut change: impl FnMut(&mut CompletionEvent) + 'static) -> impl FnMut(&mut Outputs) {
        move |o| o.units.iter_mut().filter_map(|u| u.completion.as_mut()).for_each(&mut change)
    }

    #[test]
    fn the_retire_checker_sees_every_field() {
        assert_eq!(checker(retire(|r| r.value[2] ^= u32::from(r.pc == 2) << 31)), "retire");
        assert_eq!(checker(retire(|r| r.pc += u16::from(r.pc == 5))), "retire");
        assert_eq!(checker(retire(|r| r.mask &= if r.pc == 3 { 7 } else { 15 })), "retire");
        assert_eq!(checker(retire(|r| r.dst ^= u8::from(r.pc == 2))), "retire");
        assert_eq!(checker(retire(|r| r.wen &= r.pc != 2)), "retire");
        assert_eq!(checker(retire(|r| r.word ^= u64::from(r.pc == 1) << 40)), "retire");
        assert_eq!(checker(retire(|r| r.next[3] += u16::from(r.pc == 10))), "retire");
        assert_eq!(checker(retire(|r| r.value[0] += 4 * u32::from(r.pc == 4))), "retire");
        assert_eq!(checker(completion(|c| c.value[1] ^= u32::from(c.dst == 10))), "retire");
        assert_eq!(checker(completion(|c| c.mask &= if c.dst == 9 { 0b0111 } else { 15 })), "retire");
    }

    #[test]
    fn the_trap_checker_sees_a_false_trap() {
        assert_eq!(checker(retire(|r| r.trap |= r.pc == 6)), "trap");
        assert_eq!(checker(|o| o.trapped = true), "trap");
    }

    /// Instruction 1 is undefined; the launch has one warp.
    fn trapping() -> Launch {
        let mut launch = Launch::bare("trap", assemble("t", "MOV r1, #1\nMOV r1, #2\nEND").unwrap().code, 0x100);
        launch.code[1] = u64::MAX;
        launch.place_code();
        launch.lines = vec![None, Some("a.comp:7:3".to_owned()), None];
        launch
    }

    #[test]
    fn a_trap_is_reported_with_place_and_reason_with_and_without_the_model() {
        let outside = Launch::bare("outside", assemble("t", "MOV r1, #1").unwrap().code, 0x100);
        for model in [true, false] {
            let options = Options { model, ..Options::default() };
            let text = |launch: &Launch| {
                let mut fake = Fake::new(launch, &options, 1);
                simulate::on_engine(&mut fake, launch, &options, &mut Quiet).report.text()
            };
            let report = text(&trapping());
            let place = "1 trap(s); the first: unit 0 warp ";
            assert!(report.contains(place), "{report}");
            assert!(report.contains("pc 1 (a.comp:7:3): undefined encoding: "), "{report}");
            assert!(report.contains("word 0xffffffffffffffff"), "{report}");
            let report = text(&outside);
            assert!(report.contains("pc 1: program counter 1 is outside the program"), "{report}");
        }
    }

    #[test]
    fn the_trap_checker_sees_sticky_ports_that_name_another_trap() {
        let changes: [fn(&mut TrapPlace); 3] = [|t| t.unit ^= 1, |t| t.warp ^= 1, |t| t.pc ^= 1];
        for change in changes {
            let (launch, options) = (trapping(), options());
            let mut fake = Fake::new(&launch, &options, 1);
            fake.mutation = Box::new(move |o| change(&mut o.trap));
            let done = simulate::on_engine(&mut fake, &launch, &options, &mut Quiet);
            let m = done.report.mismatches.first().unwrap();
            assert_eq!((m.checker.as_str(), m.fields[0].name.as_str()), ("trap", "trap ports"));
        }
    }

    #[test]
    fn a_memory_fault_is_reported_with_the_lane_and_the_line() {
        let code = assemble("t", "S2R r1, lane\nSHL r1, r1, #4\nST.32 [r1+0x10f0], r1\nEND").unwrap().code;
        let mut launch = Launch::bare("t", code, 0x100);
        launch.lines = vec![None, None, Some("b.comp:9:1".to_owned()), None];
        let run = |model| {
            let options = Options { model, ..Options::default() };
            let mut fake = Fake::new(&launch, &options, 1);
            simulate::on_engine(&mut fake, &launch, &options, &mut Quiet).report.text()
        };
        let report = run(true);
        assert!(report.contains("lane 1 pc 2 (b.comp:9:1) writes 0x00001100"), "{report}");
        let report = run(false);
        assert!(report.contains("the first is a write at 0x00001100 in cycle"), "{report}");
        assert!(!report.contains("lane 1 pc"), "{report}");
    }

    #[test]
    fn the_memory_checker_sees_data_mask_and_missing_writes() {
        assert_eq!(checker(|o| o.mem_req.iter_mut().for_each(|r| r.data[3] ^= 1 << 20)), "memory");
        assert_eq!(checker(|o| o.mem_req.iter_mut().for_each(|r| r.mask &= 0x7FFF)), "memory");
        assert_eq!(checker(|o| o.mem_req = None), "memory");
        let shared =
            |o: &mut Outputs| o.units.iter_mut().filter_map(|u| u.shared_write.as_mut()).for_each(|w| w.addr ^= 16);
        assert_eq!(checker(shared), "memory");
    }

    #[test]
    fn the_launch_checker_sees_wrong_lanes_groups_and_repetition() {
        let change = |f: fn(&mut LaunchEvent)| checker(move |o: &mut Outputs| o.launch.iter_mut().for_each(f));
        assert_eq!(change(|l| l.mask = 7), "launch");
        assert_eq!(change(|l| l.group[0] += 1), "launch");
        assert_eq!(change(|l| l.group = [0; 3]), "launch");
        assert_eq!(change(|l| l.group_slot ^= 1), "launch");
    }

    #[test]
    fn the_barrier_checker_sees_a_warp_that_goes_on_early() {
        // Delay every barrier record of warp slot 1 by 40 cycles: slot 0 then seems to have gone on alone.
        let mut held: VecDeque<(u32, usize, RetireEvent)> = VecDeque::new();
        let mut cycle = 0;
        let found = checker(move |o: &mut Outputs| {
            cycle += 1;
            for (unit, u) in o.units.iter_mut().enumerate() {
                if let Some(r) = u.retire.filter(|r| r.warp == 1 && r.pc >= 7) {
                    held.push_back((cycle + 40, unit, r));
                    u.retire = None;
                }
                if u.retire.is_none() && held.front().is_some_and(|h| h.0 <= cycle && h.1 == unit) {
                    u.retire = held.pop_front().map(|h| h.2);
                }
            }
            o.busy |= !held.is_empty();
        });
        assert_eq!(found, "barrier");
    }

    #[test]
    fn a_lost_completion_is_a_hang_that_names_the_warp() {
        let end = run(|o| o.units.iter_mut().for_each(|u| u.completion = u.completion.filter(|c| c.shared)));
        match end {
            End::Hang(h) => {
                let text = h.to_string();
                assert!(text.contains("waits for") && text.contains("memory or function instruction"), "{text}");
            }
            // The machine went on without: the model then misses the completion.
            End::Mismatch(m) => assert_eq!(m.checker, "retire"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_mismatch_shows_only_what_differs_and_the_last_instructions() {
        let End::Mismatch(m) = run(retire(|r| r.value[2] ^= u32::from(r.pc == 5) << 31)) else { panic!("no mismatch") };
        assert_eq!(m.fields.len(), 1);
        assert_eq!(m.fields[0].name, "r4, lane 2");
        assert_eq!(m.pc, Some(5));
        let text = m.to_string();
        assert!(text.contains("IADD r4, r8, #1"), "{text}");
        assert_eq!(m.history.len(), 6, "{text}");
    }
}

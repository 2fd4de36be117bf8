//! Tests of generator and shrinker with the golden model alone.

use std::collections::BTreeSet;

use quadlock_golden::{Config, Fault};
use quadlock_isa::{decode, Class, Op, TABLE};

use super::*;

/// Every program ends, stays in its windows and traps nowhere; together they hold every instruction
/// of the table but those of semaphores, which `graph` has.
#[test]
fn programs_are_legal_and_reach_every_instruction() {
    let mut seen: BTreeSet<Op> = BTreeSet::new();
    let (mut pinned, mut partial, mut trivial) = (0, 0, 0);
    for seed in 0..400 {
        let program = generate(seed, &Options::default());
        let stats = program.validate().unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", program.asm()));
        assert!(stats.warp_instructions <= 800 && stats.memory_faults == 0 && stats.traps == 0);
        seen.extend(program.code.iter().filter_map(|&w| decode(w).ok()).map(|i| i.op));
        pinned += usize::from(program.grid.pinned);
        partial += usize::from(!program.grid.threads_per_group().is_multiple_of(4));
        trivial += usize::from(program.code.len() < 50);
    }
    // Those of vertices and fragments are in no compute program.
    let other = |class: Class| matches!(class, Class::Message | Class::Graphics);
    let missing: Vec<_> = TABLE.iter().filter(|r| !other(r.class) && !seen.contains(&r.op)).map(|r| r.name).collect();
    assert!(missing.is_empty(), "never generated: {missing:?}");
    assert!(pinned > 100 && partial > 60 && trivial < 40, "{pinned} pinned, {partial} partial, {trivial} trivial");
}

#[test]
fn a_seed_is_a_program() {
    let (a, b) = (generate(7, &Options::default()), generate(7, &Options::default()));
    assert_eq!((a.asm(), a.code, a.consts, a.memory), (b.asm(), b.code, b.consts, b.memory));
    assert_ne!(generate(8, &Options::default()).asm(), generate(7, &Options::default()).asm());
}

#[test]
fn traps_and_faults_when_asked() {
    let options = Options { traps: true, faults: true, ..Options::default() };
    let run = |seed| generate(seed, &options).validate().map(|s| (s.traps, s.memory_faults));
    let all: Vec<(u64, u64)> = (0..60).map(|s| run(s).unwrap()).collect();
    assert!(all.iter().any(|s| s.0 > 0) && all.iter().any(|s| s.1 > 0));
}

#[test]
fn small_machines_get_programs_that_fit() {
    let options = Options { units: 1, warps: 2, shared_words: 64, ..Options::default() };
    for seed in 0..40 {
        let program = generate(seed, &options);
        program.validate().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
}

/// End states of the correct model and of one with a planted bug differ.
fn caught(program: &RandomProgram, fault: Fault) -> bool {
    let mut good = program.golden(program.config());
    let mut bad = program.golden(Config { fault: Some(fault), ..program.config() });
    let limit = 4 * program.options.max_warp_instructions;
    let ends = |g: &mut quadlock_golden::Golden| g.run_grid(&program.grid, limit).is_ok();
    ends(&mut good) != ends(&mut bad) || good.memory().bytes() != bad.memory().bytes()
}

/// Planted bugs of the model are found by random programs, and the shrinker leaves little of a
/// program that finds one.
#[test]
fn planted_bugs_are_found_and_shrunk() {
    for &(fault, name, _) in Fault::ALL.iter().filter(|f| !f.0.is_of_semaphores() && !f.0.is_of_graphics()) {
        let found = (0..600).map(|s| generate(s, &Options::default())).find(|p| caught(p, fault));
        let program = found.unwrap_or_else(|| panic!("{name} is not found by 600 programs"));
        if !matches!(fault, Fault::ShiftMask | Fault::SubWordSign | Fault::StoreLowest) {
            continue;
        }
        let mut calls = 0;
        let small = shrink(&program, &mut |p| {
            calls += 1;
            caught(p, fault)
        });
        assert!(caught(&small, fault) && small.validate().is_ok());
        assert!(calls <= 400);
        assert!(small.code.len() <= 16, "{name}: {} instructions are left\n{}", small.code.len(), small.asm());
    }
}

fn atomics() -> Options {
    Options { atomics: true, ..Options::default() }
}

/// Late lanes meet what they are made for: of the programs with them, two in three have a late
/// arrival, of both widths and in both memories.
#[test]
fn ww_27_late_lanes_get_kept_results() {
    let options = Options { late: true, ..atomics() };
    let (mut with, mut arrivals, mut kinds) = (0, 0, BTreeSet::new());
    for seed in 0..60 {
        let program = generate(seed, &options);
        let stats = program.validate().unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", program.asm()));
        with += usize::from(stats.late_arrivals > 0);
        arrivals += stats.late_arrivals;
        // The same program on one warp, step by step, for what the arrivals are.
        let mut golden = program.golden(program.config());
        let ids = program.grid.launch_ids(0, 0);
        golden.launch(&quadlock_golden::Launch::new(&program.grid, &ids, 0, 0, 0, 0)).unwrap();
        for _ in 0..5_000 {
            let Ok(effect) = golden.step(0, 0) else { break };
            if effect.stored {
                let op = decode(effect.word).unwrap().op;
                kinds.insert((op.access_bytes(), op.is_shared()));
            }
        }
    }
    println!("{with} of 60 programs, {arrivals} late arrivals");
    assert!(with > 30, "{with} of 60 programs, {arrivals} late arrivals");
    assert_eq!(kinds.len(), 4, "{kinds:?}");
}

/// Two in three programs with locks of their owners hold one; nothing is left of a lock, or all of
/// it, when they are shrunk.
#[test]
fn locks_of_their_owners_stay_whole() {
    let options = Options { owned_locks: true, ..atomics() };
    let mut locking = 0;
    for seed in 0..60 {
        let program = generate(seed, &options);
        program.validate().unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", program.asm()));
        let lines = |p: &RandomProgram| p.lines.iter().filter(|l| l.contains(program::LOCK_LINE)).count();
        locking += usize::from(lines(&program) > 0);
        let wide = |p: &RandomProgram| p.lines.iter().any(|l| l.contains("WATOM32.ADD"));
        if lines(&program) > 0 && wide(&program) {
            assert_eq!(lines(&shrink(&program, &mut |p| wide(p))), 0);
            let small = shrink(&program, &mut |p| p.lines.iter().any(|l| l.contains(program::LOCK_LINE)));
            assert_eq!(lines(&small), 5, "{}", small.asm());
        }
    }
    assert!(locking > 40, "{locking}");
}

#[test]
fn registers_of_the_last_warp_are_read_when_asked() {
    let options = Options { stale_registers: true, ..atomics() };
    let programs: Vec<RandomProgram> = (0..20).map(|seed| generate(seed, &options)).collect();
    assert!(programs.iter().all(|p| p.validate().is_ok()));
    assert!(programs.iter().filter(|p| unwritten_read(&p.code).is_some()).count() > 10);
    assert!((0..20).all(|seed| unwritten_read(&generate(seed, &atomics()).code).is_none()));
}

/// Between the load and the first use of what it loads.
#[test]
fn long_runs_are_longer_than_the_range_of_sequence_numbers() {
    let options = Options { long_runs: true, statements: 12, max_warp_instructions: 20_000, ..atomics() };
    let programs: Vec<RandomProgram> = (0..40).map(|seed| generate(seed, &options)).collect();
    assert!(programs.iter().all(|p| p.validate().is_ok()));
    // One warp alone: those of a pinned group wait for each other.
    let free: Vec<&RandomProgram> = programs.iter().filter(|p| !p.grid.pinned).collect();
    assert!(free.len() > 10);
    for program in free {
        let mut golden = program.golden(program.config());
        let ids = program.grid.launch_ids(0, 0);
        golden.launch(&quadlock_golden::Launch::new(&program.grid, &ids, 0, 0, 0, 0)).unwrap();
        let (mut longest, mut loads) = (0, std::collections::BTreeMap::new());
        for n in 0..5_000u64 {
            let Ok(effect) = golden.step(0, 0) else { break };
            let instr = decode(effect.word).unwrap();
            let reads = instr.source_regs();
            longest =
                loads.extract_if(.., |r, _| reads.contains(r)).map(|(_, at)| n - at).max().unwrap_or(0).max(longest);
            let Some((first, count)) = effect.dest else { continue };
            for register in (0..count).map(|k| quadlock_isa::group_register(first, k)) {
                loads.remove(&register);
                if instr.op.is_load() {
                    loads.insert(register, n);
                }
            }
        }
        assert!(longest > 300, "seed {}: {longest}\n{}", program.seed, program.asm());
    }
}

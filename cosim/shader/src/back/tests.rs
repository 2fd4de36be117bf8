//! Whole programs through the back end, run on the golden model and compared with the SSA
//! interpreter.

use super::*;
use crate::fault::CompilerFault;
use crate::ssa::interp::{self, Launch};
use crate::ssa::{AtomicOp, FuncId, Module, Space, Target, Value, Width};
use quadlock_golden::{Config, Golden, Grid, Memory, RunStats};
use quadlock_isa::{abi, Op, Special};

const L: Loc = Loc::at(0, 0, 0);
/// The stacks lie behind the program's memory; the interpreter has its own.
const STACK_ALIGN: usize = 64;

/// Runs generated code; returns the memory (without the stacks) and what was counted.
pub fn run_golden(g: &Generated, launch: &Launch, memory: &[u8]) -> Result<(Vec<u8>, RunStats), String> {
    let config = Config { units: 2, warps: 16, ..Config::default() };
    let stack_base = memory.len().next_multiple_of(STACK_ALIGN).max(0x1000);
    let stacks = config.units * config.warps * abi::LANES * g.stack_bytes as usize;
    let mut bytes = memory.to_vec();
    bytes.resize(stack_base + stacks, 0xA5);
    let mut constants = launch.constants.clone();
    constants.resize(constants.len().max(abi::CONST_USER), 0);
    constants[..3].copy_from_slice(&launch.grid);
    constants[abi::CONST_STACK_BASE] = stack_base as u32;
    constants[abi::CONST_STACK_SIZE] = g.stack_bytes;
    let mut golden = Golden::new(config, g.code.clone(), constants, Memory::from_bytes(bytes));
    let grid = Grid {
        groups: launch.grid,
        group_size: launch.group_size,
        pinned: true,
        group_slots: 0,
        shared_bytes: launch.shared_bytes,
    };
    let stats = golden.run_grid(&grid, 20_000_000).map_err(|e| e.to_string())?;
    if stats.traps + stats.memory_faults > 0 {
        return Err(format!("{:?} {:?}", golden.traps().0.first(), golden.memory_faults().0.first()));
    }
    let mut out = golden.into_memory().into_bytes();
    out.truncate(memory.len());
    Ok((out, stats))
}

pub fn options(max_registers: usize) -> BackOptions {
    BackOptions { max_registers, ..BackOptions::default() }
}

fn listing(g: &Generated) -> String {
    quadlock_isa::disassemble_program(&g.code)
}

/// Compiles with several register counts and settings, and compares each run with the interpreter.
fn check(func: &Func, launch: &Launch, memory: &[u8]) {
    let module = Module { funcs: vec![func.clone()], files: vec![] };
    let mut expected = memory.to_vec();
    interp::run(&module, FuncId(0), launch, &mut expected).unwrap();
    for registers in [8, 12, 32] {
        for (schedule, rotate_loops, split_ranges) in [(true, true, true), (false, false, true), (true, true, false)] {
            let o = BackOptions { schedule, rotate_loops, split_ranges, ..options(registers) };
            let g = generate(func, &o).unwrap_or_else(|e| panic!("{registers} registers: {e}"));
            assert!(g.registers as usize <= registers);
            let (got, _) = run_golden(&g, launch, memory).unwrap_or_else(|e| panic!("{e}\n{}", listing(&g)));
            let at = (0..got.len()).find(|&i| got[i] != expected[i]);
            assert_eq!(at, None, "{registers} registers, byte differs\n{}", listing(&g));
        }
    }
}

fn alu(f: &mut Func, b: crate::ssa::Block, op: Op, args: &[Value]) -> Value {
    f.push(b, Kind::Alu(op, args.to_vec()), 1, L)[0]
}

fn constant(f: &mut Func, b: crate::ssa::Block, c: u32) -> Value {
    f.push(b, Kind::Const(c), 1, L)[0]
}

/// 0x1000 + 4 * local index.
fn own_word(f: &mut Func, b: crate::ssa::Block) -> (Value, Value) {
    let id = f.push(b, Kind::Special(Special::LocalIndex), 1, L)[0];
    let two = constant(f, b, 2);
    let base = constant(f, b, 0x1000);
    let x = alu(f, b, Op::Shl, &[id, two]);
    (id, alu(f, b, Op::IAdd, &[x, base]))
}

fn store(f: &mut Func, b: crate::ssa::Block, addr: Value, values: &[Value]) {
    let width = [Width::W32, Width::W64, Width::W64, Width::W128][values.len() - 1];
    let kind = Kind::Store { space: Space::Global, width, addr, offset: 0, values: values.to_vec() };
    f.push(b, kind, 0, L);
}

fn launch(threads: u32) -> Launch {
    Launch { group_size: [threads, 1, 1], constants: vec![0; 16], shared_bytes: 256, ..Launch::default() }
}

#[test]
fn store_ids_is_four_instructions() {
    let mut f = Func::default();
    let b = f.new_block();
    let (id, addr) = own_word(&mut f, b);
    store(&mut f, b, addr, &[id]);
    f.push(b, Kind::Return(vec![]), 0, L);
    check(&f, &launch(7), &[0; 0x1100]);
    let g = generate(&f, &BackOptions::default()).unwrap();
    assert_eq!(g.code.len(), 4, "{}", listing(&g));
}

/// Every unit of a machine of 32 says whether its number is below 8, in the word of its number. The
/// reference is written by hand: folding of ranges and the model know the number from different
/// places.
#[test]
fn a_unit_number_above_seven_is_seen_by_the_program() {
    let mut f = Func::default();
    let b = f.new_block();
    let unit = f.push(b, Kind::Special(Special::Unit), 1, L)[0];
    let [two, base, eight, ten] = [2, 0x1000, 8, 10].map(|c| constant(&mut f, b, c));
    let at = alu(&mut f, b, Op::Shl, &[unit, two]);
    let at = alu(&mut f, b, Op::IAdd, &[at, base]);
    let small = alu(&mut f, b, Op::USetLt, &[unit, eight]);
    let word = alu(&mut f, b, Op::IAdd, &[small, ten]);
    store(&mut f, b, at, &[word]);
    f.push(b, Kind::Return(vec![]), 0, L);
    crate::passes::range::run(&mut f, &crate::passes::Options::default());
    let g = generate(&f, &BackOptions::default()).unwrap();
    let config = Config { units: 32, warps: 16, ..Config::default() };
    let memory = Memory::from_bytes(vec![0; 0x1080]);
    let mut golden = Golden::new(config, g.code.clone(), vec![0; abi::CONST_USER], memory);
    let (groups, group_size) = ([512, 1, 1], [4, 1, 1]);
    let grid = Grid { groups, group_size, pinned: true, group_slots: 0, shared_bytes: 0 };
    golden.run_grid(&grid, 1_000_000).unwrap();
    let words: Vec<u32> = (0..32).map(|i| golden.memory().read32(0x1000 + 4 * i)).collect();
    let mut expected = vec![11; 8];
    expected.extend(vec![10; 24]);
    assert_eq!(words, expected, "{}", listing(&g));
}

/// Two values that change places every time round: the parallel copy is a cycle.
fn swap_loop() -> Func {
    let mut f = Func::default();
    let [entry, head, body, exit] = [0; 4].map(|_| f.new_block());
    let (id, addr) = own_word(&mut f, entry);
    let (zero, one) = (constant(&mut f, entry, 0), constant(&mut f, entry, 1));
    f.push(entry, Kind::Jump(Target { block: head, args: vec![zero, one, id] }), 0, L);
    let [x, y, i] = [0; 3].map(|_| f.new_value());
    f.blocks[head.index()].params = vec![x, y, i];
    let more = alu(&mut f, head, Op::ISetNe, &[i, zero]);
    let to = |block| Target { block, args: vec![] };
    f.push(head, Kind::Branch { cond: more, then: to(body), other: to(exit) }, 0, L);
    let next = alu(&mut f, body, Op::ISub, &[i, one]);
    f.push(body, Kind::Jump(Target { block: head, args: vec![y, x, next] }), 0, L);
    let eight = constant(&mut f, exit, 8);
    let a = alu(&mut f, exit, Op::Shl, &[x, eight]);
    let r = alu(&mut f, exit, Op::Or, &[a, y]);
    store(&mut f, exit, addr, &[r]);
    f.push(exit, Kind::Return(vec![]), 0, L);
    f
}

#[test]
fn values_that_swap_in_a_loop() {
    check(&swap_loop(), &launch(9), &[0; 0x1100]);
}

#[test]
fn wide_access_gets_consecutive_registers() {
    let mut f = Func::default();
    let b = f.new_block();
    let id = f.push(b, Kind::Special(Special::LocalIndex), 1, L)[0];
    let (four, base) = (constant(&mut f, b, 4), constant(&mut f, b, 0x1000));
    let x = alu(&mut f, b, Op::Shl, &[id, four]);
    let addr = alu(&mut f, b, Op::IAdd, &[x, base]);
    let load = Kind::Load { space: Space::Global, width: Width::W128, addr, offset: 0 };
    let v = f.push(b, load, 4, L);
    let seven = constant(&mut f, b, 7);
    let sum = alu(&mut f, b, Op::IAdd, &[v[0], v[3]]);
    store(&mut f, b, addr, &[v[3], v[2], sum, seven]);
    let kind = Kind::Store { space: Space::Global, width: Width::W64, addr, offset: 0x100, values: vec![v[1], v[2]] };
    f.push(b, kind, 0, L);
    f.push(b, Kind::Return(vec![]), 0, L);
    let memory: Vec<u8> = (0..0x1200).map(|i| (i * 7) as u8).collect();
    check(&f, &launch(8), &memory);
}

/// Twenty values alive at once: with 8 registers most of them spill.
fn many_live() -> Func {
    let mut f = Func::default();
    let b = f.new_block();
    let (id, addr) = own_word(&mut f, b);
    let values: Vec<Value> = (0..20)
        .map(|i| {
            let c = constant(&mut f, b, 0x101 * i + 3);
            alu(&mut f, b, Op::IMul, &[id, c])
        })
        .collect();
    let mut sum = id;
    for &v in values.iter().rev() {
        sum = alu(&mut f, b, Op::Xor, &[sum, v]);
        sum = alu(&mut f, b, Op::IAdd, &[sum, values[0]]);
    }
    store(&mut f, b, addr, &[sum]);
    f.push(b, Kind::Return(vec![]), 0, L);
    f
}

#[test]
fn spilling_keeps_values_apart() {
    let f = many_live();
    check(&f, &launch(32), &[0; 0x1100]);
    let unscheduled = BackOptions { schedule: false, few_live: false, ..options(8) };
    assert!(generate(&f, &unscheduled).unwrap().stats.spilled > 5);
    assert_eq!(generate(&f, &options(32)).unwrap().stats.spilled, 0);
}

/// Must fail: the comparison with the interpreter sees both planted faults of the back end.
#[test]
fn planted_faults_change_results() {
    let run = |f: &Func, registers, fault| {
        let o = BackOptions { fault, schedule: false, few_live: false, ..options(registers) };
        run_golden(&generate(f, &o).unwrap(), &launch(9), &[0; 0x1100]).map(|r| r.0)
    };
    let spill = many_live();
    assert_ne!(run(&spill, 8, None), run(&spill, 8, Some(CompilerFault::SpillSlotClash)));
    let branch = swap_loop();
    assert_ne!(run(&branch, 32, None), run(&branch, 32, Some(CompilerFault::WrongBranchLayout)));
}

#[test]
fn shared_storage_barrier_and_atomics() {
    let mut f = Func::default();
    let b = f.new_block();
    let (id, addr) = own_word(&mut f, b);
    let two = constant(&mut f, b, 2);
    let own = alu(&mut f, b, Op::Shl, &[id, two]);
    let kind = Kind::Store { space: Space::Shared, width: Width::W32, addr: own, offset: 16, values: vec![id] };
    f.push(b, kind, 0, L);
    f.push(b, Kind::Barrier, 0, L);
    let (four, mask) = (constant(&mut f, b, 4), constant(&mut f, b, 31));
    let x = alu(&mut f, b, Op::IAdd, &[own, four]);
    let other = alu(&mut f, b, Op::And, &[x, mask]);
    let v = f.push(b, Kind::Load { space: Space::Shared, width: Width::W32, addr: other, offset: 16 }, 1, L)[0];
    let counter = constant(&mut f, b, 0x1080);
    let atomic = Kind::Atomic {
        warp_wide: false,
        space: Space::Global,
        op: AtomicOp::Add,
        addr: counter,
        offset: 4,
        values: vec![v],
        expected: vec![],
    };
    f.push(b, atomic, 1, L);
    store(&mut f, b, addr, &[v]);
    f.push(b, Kind::Return(vec![]), 0, L);
    check(&f, &launch(8), &[0; 0x1100]);
}

#[test]
fn too_few_registers_is_an_error() {
    let e = generate(&many_live(), &options(4)).unwrap_err();
    assert!(e.message.contains("at least 8"), "{e}");
}

/// Words that the launch owns (grid, stack) read something else on the machine than in the
/// interpreter: take other ones.
pub fn avoid_launch_words(module: &mut Module) {
    let insts = module.funcs.iter_mut().flat_map(|f| &mut f.blocks).flat_map(|b| &mut b.insts);
    for inst in insts {
        if let Kind::ConstWord(w) = &mut inst.kind {
            *w = 8 + *w % 8;
        }
    }
}

/// Random programs (QUADLOCK_SEEDS of them, default 150), inlined only or optimised, with few and
/// with many registers: memory afterwards is the interpreter's.
fn random_programs(seeds: std::ops::Range<u64>) {
    use crate::passes::{self, pipeline};
    for seed in seeds {
        let mut program = crate::random::ssa::generate(seed);
        avoid_launch_words(&mut program.module);
        let (expected, _) = program.run(&program.module).unwrap();
        let registers = [8, 9, 12, 32][seed as usize % 4];
        let skip = if seed % 3 == 0 { pipeline::PIPELINE.iter().map(|p| p.0.to_string()).collect() } else { vec![] };
        let mut module = program.module.clone();
        let pass_options = passes::Options { skip, ..Default::default() };
        pipeline::optimise(&mut module, program.entry, &pass_options).unwrap();
        let o = BackOptions {
            schedule: seed % 5 != 0,
            rotate_loops: seed % 7 != 0,
            split_ranges: seed % 11 != 0,
            ..options(registers)
        };
        let g = generate(&module.funcs[program.entry.index()], &o).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let (got, _) = run_golden(&g, &program.launch, &program.memory)
            .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", listing(&g)));
        let at = (0..got.len()).find(|&i| got[i] != expected[i]);
        assert_eq!(at, None, "seed {seed}, {registers} registers: byte differs");
    }
}

#[test]
fn random_programs_do_what_the_interpreter_does() {
    let many = std::env::var("QUADLOCK_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(150);
    random_programs(0..many);
}

/// An endless loop without instructions is compiled, not followed; blocks that cannot be reached
/// vanish, even if they jump in a circle with arguments.
#[test]
fn endless_and_unreachable_loops() {
    let mut f = Func::default();
    let [entry, spin, p, q] = [0; 4].map(|_| f.new_block());
    let to = |block, args| Kind::Jump(Target { block, args });
    f.push(entry, to(spin, vec![]), 0, L);
    f.push(spin, to(spin, vec![]), 0, L);
    let (x, y) = (f.new_value(), f.new_value());
    f.blocks[p.index()].params = vec![x];
    f.blocks[q.index()].params = vec![y];
    f.push(p, to(q, vec![x]), 0, L);
    f.push(q, to(p, vec![y]), 0, L);
    let g = generate(&f, &BackOptions::default()).unwrap();
    assert_eq!(g.code.len(), 1, "{}", listing(&g));
    assert!(listing(&g).contains("BRA L0"));
}

/// A fragment program of one block with `kind` in it, asked for a merge point: why it has none.
fn no_merge_point(kind: Option<Kind>) -> Option<String> {
    let mut f = Func { name: "f".into(), ..Default::default() };
    let b = f.new_block();
    let mut x = f.push(b, Kind::Special(Special::PixelX), 1, L)[0];
    if let Some(mut kind) = kind {
        kind.map_uses(&mut |_| x);
        let results = usize::from(matches!(kind, Kind::CrossLane { .. } | Kind::Special(_)));
        let made = f.push(b, kind, results, L);
        x = made.first().map_or(x, |&y| alu(&mut f, b, Op::Xor, &[x, y]));
    }
    for _ in 0..40 {
        x = alu(&mut f, b, Op::FSin, &[x]);
    }
    f.push(b, Kind::Output { word: 0, value: x }, 0, L);
    f.push(b, Kind::Return(vec![]), 0, L);
    let o = BackOptions { helpers: true, merge: true, ..BackOptions::default() };
    let g = generate(&f, &o).unwrap_or_else(|e| panic!("{e}"));
    let merged = g.merge.expect("asked for merge points");
    assert_eq!(merged.points.is_empty(), merged.none.is_some());
    merged.none
}

#[test]
fn ms_32_whole_warps_and_other_threads_forbid_merge_points() {
    use crate::ssa::MessageOp;
    assert_eq!(no_merge_point(None), None);
    let wide = |op| Kind::CrossLane { op, args: vec![Value(0)] };
    for (kind, why) in [
        (wide(Op::WRedAdd), "operation of the whole warp"),
        (wide(Op::WBallot), "operation of the whole warp"),
        (Kind::Special(Special::ThreadSlot), "thread_slot"),
        (Kind::Special(Special::Lane), "lane"),
        (Kind::Special(Special::Warp), "warp"),
        (Kind::Special(Special::Coverage), "coverage"),
        (Kind::Barrier, "lets other threads in"),
        (Kind::Message { op: MessageOp::Release, id: Some(Value(0)) }, "lets other threads in"),
    ] {
        let said = no_merge_point(Some(kind.clone())).unwrap_or_else(|| panic!("a point with {kind}"));
        assert!(said.contains(why), "{kind}: {said}");
    }
}

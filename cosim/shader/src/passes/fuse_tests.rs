//! Forms one by one; and random programs, whose unfused form is run with one rounding at the
//! recorded sites.

use super::*;
use crate::passes::{mem2reg, pipeline};
use crate::random::ssa::{generate, generate_products, RandomSsa};
use crate::ssa::verify::verify_module;
use crate::ssa::{Block, Module};

const LOC: Loc = Loc::at(0, 0, 0);

/// A function of three parameters that stores what `build` makes.
fn function(build: &dyn Fn(&mut Func, [Value; 3]) -> Vec<Value>) -> Func {
    let mut f = Func { name: "f".into(), ..Default::default() };
    let b = f.new_block();
    let p: [Value; 3] = std::array::from_fn(|_| f.new_value());
    f.blocks[0].params = p.to_vec();
    let results = build(&mut f, p);
    f.results = results.len();
    f.push(b, Kind::Return(results), 0, LOC);
    f
}

fn free(f: &mut Func, op: Op, args: [Value; 2]) -> Value {
    let v = exact(f, op, args);
    f.blocks[0].insts.last_mut().unwrap().exact = false;
    v
}
fn exact(f: &mut Func, op: Op, args: [Value; 2]) -> Value {
    f.push(Block(0), Kind::Alu(op, args.to_vec()), 1, LOC)[0]
}
fn constant(f: &mut Func, c: u32) -> Value {
    f.push(Block(0), Kind::Const(c), 1, LOC)[0]
}

/// The operations that are left, without their results.
fn fused(build: &dyn Fn(&mut Func, [Value; 3]) -> Vec<Value>) -> Vec<String> {
    let mut f = function(build);
    run(&mut f, &Options::default());
    crate::ssa::verify::verify(&f).unwrap();
    let alu = f.blocks[0].insts.iter().filter(|i| matches!(i.kind, Kind::Alu(..)));
    alu.map(|i| i.kind.to_string()).collect()
}

#[test]
fn each_form() {
    let with = |op: Op, product_first: bool| {
        fused(&move |f, [a, b, c]| {
            let p = free(f, Op::FMul, [a, b]);
            vec![free(f, op, if product_first { [p, c] } else { [c, p] })]
        })
    };
    assert_eq!(with(Op::FAdd, true), ["ffma v0, v1, v2"]);
    assert_eq!(with(Op::FAdd, false), ["ffma v0, v1, v2"]);
    assert_eq!(with(Op::FSub, false), ["fnma v0, v1, v2"]);
    assert_eq!(with(Op::FSub, true).len(), 2, "there is no form for a * b - c");
    // The sign of a factor, and of a constant.
    let negated = |f: &mut Func, [a, b, c]: [Value; 3]| {
        let sign = constant(f, SIGN);
        let a = exact(f, Op::Xor, [a, sign]);
        let p = free(f, Op::FMul, [a, b]);
        vec![free(f, Op::FAdd, [p, c])]
    };
    assert_eq!(fused(&negated), ["fnma v0, v1, v2"]);
    let two = |op: Op| {
        fused(&move |f, [a, b, c]| {
            let half = constant(f, 0x3F00_0000);
            [a, c].map(|x| [free(f, Op::FMul, [x, b]), half]).map(|args| free(f, op, args)).to_vec()
        })
    };
    assert_eq!(two(Op::FAdd), ["ffma v0, v1, v3", "ffma v2, v1, v3"]);
    assert!(two(Op::FSub).iter().all(|i| i.starts_with("ffma")), "the constant's sign is turned");
}

#[test]
fn what_is_not_fused() {
    let one_is_exact = |which: usize| {
        fused(&move |f, [a, b, c]| {
            let p = if which == 0 { exact(f, Op::FMul, [a, b]) } else { free(f, Op::FMul, [a, b]) };
            let args = [p, c];
            vec![if which == 1 { exact(f, Op::FAdd, args) } else { free(f, Op::FAdd, args) }]
        })
    };
    assert_eq!([0, 1, 2].map(|i| one_is_exact(i).len()), [2, 2, 1]);
    let read_twice = |second: Op| {
        fused(&move |f, [a, b, c]| {
            let p = free(f, Op::FMul, [a, b]);
            vec![free(f, Op::FAdd, [p, c]), free(f, second, [p, a])]
        })
    };
    assert_eq!(read_twice(Op::FMul).len(), 3, "the product would stay");
    assert_eq!(read_twice(Op::FAdd), ["ffma v0, v1, v2", "ffma v0, v1, v0"]);
    let constant_addend = |f: &mut Func, [a, b, _]: [Value; 3]| {
        let (p, c) = (free(f, Op::FMul, [a, b]), constant(f, 0x3F00_0000));
        vec![free(f, Op::FAdd, [p, c])]
    };
    assert_eq!(fused(&constant_addend).len(), 2, "FADD reads it for nothing");
    let square = |f: &mut Func, [a, _, _]: [Value; 3]| {
        let p = free(f, Op::FMul, [a, a]);
        vec![free(f, Op::FAdd, [p, p])]
    };
    assert_eq!(fused(&square).len(), 2);
}

fn pairs(sites: &[Site]) -> Vec<(Value, Value)> {
    sites.iter().map(|s| (s.result, s.product)).collect()
}

fn optimised(program: &RandomSsa, options: &Options) -> Result<(Module, Vec<Site>), String> {
    let mut module = program.module.clone();
    let s = pipeline::optimise(&mut module, program.entry, options)?;
    Ok((module, s.fused))
}

/// The sites, and what differs between the fused program and the other with one rounding there.
fn check(seed: u64, fault: Option<CompilerFault>) -> (usize, Option<String>) {
    let program = generate_products(seed, true);
    let exact = Options { exact: true, ..Options::default() };
    let (before, none) = optimised(&program, &exact).unwrap();
    assert!(none.is_empty());
    let (after, sites) = optimised(&program, &Options { fault, ..Options::default() }).unwrap();
    let want = program.run_joined(&before, &pairs(&sites)).map(|r| r.0);
    let got = program.run(&after).unwrap().0;
    let differs = match want {
        Ok(want) => (want != got).then(|| format!("seed {seed}\n{before}\n{after}")),
        Err(e) => Some(e),
    };
    (sites.len(), differs)
}

#[test]
fn random_programs_are_those_with_one_rounding_at_the_sites() {
    let (mut sites, mut changed) = (0, 0);
    let count = quadlock_testkit::tier::cases(100, 300);
    for seed in 0..count {
        let (n, differs) = check(seed, None);
        assert!(differs.is_none(), "{}", differs.unwrap_or_default());
        sites += n;
        let program = generate_products(seed, true);
        let exact = optimised(&program, &Options { exact: true, ..Options::default() }).unwrap().0;
        let fused = optimised(&program, &Options::default()).unwrap().0;
        changed += usize::from(program.run(&exact).unwrap().0 != program.run(&fused).unwrap().0);
    }
    println!("{sites} sites in {count} programs, {changed} of which give other words");
    assert!(sites > count as usize && changed > count as usize / 6, "{sites} {changed}");
}

/// As in the position's part: whoever reads the products.
#[test]
fn fusion_by_shape_is_right_too() {
    let mut sites = 0;
    for seed in 0..300 {
        let program = generate_products(seed, true);
        let mut before = program.module.clone();
        before.funcs.iter_mut().for_each(|f| {
            mem2reg::run(f, &Options::default());
        });
        let mut after = before.clone();
        let func = &mut after.funcs[program.entry.index()];
        let all = vec![true; func.values as usize];
        let joined = join(func, Some(&all), &Options::default());
        verify_module(&after).unwrap();
        let want = program.run_joined(&before, &pairs(&joined)).unwrap().0;
        assert!(want == program.run(&after).unwrap().0, "seed {seed}\n{before}\n{after}");
        sites += joined.len();
    }
    assert!(sites > 600, "{sites}");
}

/// Programs of exact operations, and `exact`: no word changes, and no site is there.
#[test]
fn what_is_exact_stays() {
    for seed in 0..200 {
        let all_exact = generate_products(seed, false);
        let want = all_exact.run(&all_exact.module).unwrap().0;
        let (module, sites) = optimised(&all_exact, &Options::default()).unwrap();
        assert_eq!((all_exact.run(&module).unwrap().0, sites), (want, vec![]), "seed {seed}");
        let free = generate_products(seed, true);
        let want = free.run(&free.module).unwrap().0;
        let (module, sites) = optimised(&free, &Options { exact: true, ..Options::default() }).unwrap();
        assert_eq!((free.run(&module).unwrap().0, sites), (want, vec![]), "seed {seed}");
        let other = generate(seed);
        assert_eq!(optimised(&other, &Options::default()).unwrap().1, []);
    }
}

/// Without the sums of one place the program is that with one rounding at the other sites.
#[test]
fn sums_of_one_place_are_left_out() {
    assert!(
        is_place("fuse@3:7")
            && ["fuse", "fuse@", "fuse@3", "fuse@+3:7", "cse@3:7", "fuse@3:x"].iter().all(|n| !is_place(n))
    );
    let (mut left, mut fewer) = (0, 0);
    for seed in 0..100 {
        let mut program = generate_products(seed, true);
        let mut line = 0;
        for func in &mut program.module.funcs {
            for block in &mut func.blocks {
                for inst in &mut block.insts {
                    line += 1;
                    inst.loc = Loc::at(0, line, 1);
                }
            }
        }
        let exact = Options { exact: true, ..Options::default() };
        let before = optimised(&program, &exact).unwrap().0;
        let all = optimised(&program, &Options::default()).unwrap().1;
        let Some(first) = all.first() else { continue };
        let skip = vec![name_at(first.sum_at)];
        let (after, sites) = optimised(&program, &Options { skip, ..Options::default() }).unwrap();
        assert!(sites.iter().all(|s| s.sum_at != first.sum_at), "seed {seed}");
        let want = program.run_joined(&before, &pairs(&sites)).unwrap().0;
        assert!(want == program.run(&after).unwrap().0, "seed {seed}\n{before}\n{after}");
        left += 1;
        fewer += usize::from(sites.len() < all.len());
    }
    assert!(left > 50 && fewer * 10 > left * 9, "{left} {fewer}");
}

#[test]
fn the_planted_faults_are_found() {
    let fault = Some(CompilerFault::FuseExact);
    let found = (0..40).find(|&seed| {
        let program = generate_products(seed, false);
        let (module, sites) = optimised(&program, &Options { fault, ..Options::default() }).unwrap();
        let want = program.run(&program.module).unwrap().0;
        !sites.is_empty() && program.run(&module).unwrap().0 != want
    });
    assert!(found.is_some(), "fuse-exact is not found");
    let found = (0..40).find(|&seed| check(seed, Some(CompilerFault::FuseSites)).1.is_some());
    assert!(found.is_some(), "fuse-sites is not found");
}

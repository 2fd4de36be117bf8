//! Which shaders spill at 32 and at 16 registers, and how much code that is (LP-17).
//!
//! `cargo run -p quadlock-shader --example spills -- [OPTION]... PATH...`, of which the options are
//! `--json FILE`, `--list FILE`, `--skip PASS`, `--random-wgsl N`, `--random-ssa N`, `--refused`.
//! A path is a shader or a folder. All entry points are compiled; vertex and fragment programs for
//! a vertex buffer and varyings that fit. A row is printed for each program that spills at one of
//! the sizes, and then totals. Wrong would be programs that are lost: those that are refused are
//! counted, and named by `--refused`.

use quadlock_shader::back::{generate, BackOptions, BackStats};
use quadlock_shader::front::linkage::{Attribute, AttributeFormat, Linkage, Rule, TargetFormat};
use quadlock_shader::front::{self, Diagnostics, Lang};
use quadlock_shader::interface::{Interpolation, Numbers, Stage, Varying};
use quadlock_shader::passes::{self, inputs, pipeline};
use quadlock_shader::random;
use quadlock_shader::ssa::Func;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

const SIZES: [usize; 2] = [32, 16];

#[derive(serde::Serialize)]
struct Row {
    program: String,
    pressure: usize,
    /// By number of registers.
    at: BTreeMap<usize, BackStats>,
    /// What the back end took, for each of them.
    #[serde(skip)]
    seconds: BTreeMap<usize, f64>,
}

/// What the command line says.
#[derive(Default)]
struct Arguments {
    paths: Vec<PathBuf>,
    json: Option<PathBuf>,
    list: Option<PathBuf>,
    skip: Vec<String>,
    random_wgsl: u64,
    random_ssa: u64,
    refused: bool,
}

fn arguments() -> Result<Arguments, String> {
    let mut a = Arguments::default();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        let number = |text: String| text.parse().map_err(|e| format!("{text}: {e}"));
        match word.as_str() {
            "--json" => a.json = Some(value()?.into()),
            "--list" => a.list = Some(value()?.into()),
            "--skip" => a.skip.push(value()?),
            "--random-wgsl" => a.random_wgsl = number(value()?)?,
            "--random-ssa" => a.random_ssa = number(value()?)?,
            "--refused" => a.refused = true,
            path => a.paths.push(path.into()),
        }
    }
    Ok(a)
}

/// Shaders of a folder, in order of their names.
fn files(path: &Path, out: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let mut inside: Vec<PathBuf> =
            std::fs::read_dir(path).into_iter().flatten().flatten().map(|e| e.path()).collect();
        inside.sort();
        inside.iter().for_each(|p| files(p, out));
    } else if Lang::from_path(&path.to_string_lossy()).is_some() {
        out.push(path.to_owned());
    }
}

fn linkage(numbers: Numbers) -> Linkage {
    let stored = match numbers {
        Numbers::Float => "float32x4",
        Numbers::Int => "sint32x4",
        Numbers::Uint => "uint32x4",
    };
    let format = AttributeFormat::from_name(stored).expect("a format");
    let attribute =
        |location| Attribute { location, format, slot: 0, offset: 16 * location, stride: 512, per_instance: false };
    let varying = |n: u32| Varying {
        location: n / 4,
        component: n % 4,
        word: 4 + n % 60,
        numbers,
        interpolation: if numbers == Numbers::Float { Interpolation::Perspective } else { Interpolation::Flat },
        sampling: Default::default(),
    };
    Linkage {
        attributes: (0..32).map(attribute).collect(),
        varyings: (0..128).map(varying).collect(),
        rule: Rule::Vulkan,
        targets: vec![TargetFormat::Rgba8Unorm],
        samples: 1,
        ..Linkage::default()
    }
}

/// The names that the error about several entry points lists.
fn entries(path: &str, data: &[u8], lang: Lang) -> Result<Vec<Option<String>>, Diagnostics> {
    match front::parse(path, data, lang, None) {
        Ok(_) => Ok(vec![None]),
        Err(e) => match e.0[0].help.strip_prefix("name one of: ") {
            Some(list) => Ok(list.split(", ").map(|n| Some(n.to_owned())).collect()),
            None => Err(e),
        },
    }
}

/// The optimised entry function, and whether it is of graphics.
fn optimised(
    path: &str,
    data: &[u8],
    lang: Lang,
    entry: Option<&str>,
    skip: &[String],
    registers: usize,
) -> Result<(Func, bool), String> {
    let parsed = front::parse(path, data, lang, entry).map_err(|e| e.to_string())?;
    let graphics = parsed.stage() != Stage::Compute;
    let lower = |l: Option<&Linkage>| front::lower_linked(&parsed, &Default::default(), l);
    let lowered = match graphics {
        false => lower(None),
        true => [Numbers::Float, Numbers::Int, Numbers::Uint]
            .iter()
            .map(|&n| lower(Some(&linkage(n))))
            .reduce(|a, b| a.or(b))
            .expect("three"),
    };
    let lowered = lowered.map_err(|e| e.to_string())?;
    let mut module = lowered.module;
    let options = passes::Options {
        skip: skip.to_vec(),
        group_size: Some(lowered.interface.group_size),
        warp_wide: true,
        helper_lanes: parsed.stage() == Stage::Fragment,
        registers: Some(registers),
        ..Default::default()
    };
    module.funcs.iter_mut().for_each(|f| {
        inputs::run(f, &options);
    });
    pipeline::optimise(&mut module, lowered.entry, &options)?;
    Ok((module.funcs[lowered.entry.index()].clone(), graphics))
}

/// An entry function and whether it is of graphics, optimised for a number of registers.
type Optimised<'a> = &'a dyn Fn(usize) -> Result<(Func, bool), String>;

fn row(program: String, optimised: Optimised, skip: &[String]) -> Result<Row, String> {
    let skips = |name: &str| skip.iter().any(|s| s == name);
    let mut row = Row { program, pressure: 0, at: BTreeMap::new(), seconds: BTreeMap::new() };
    for max_registers in SIZES {
        let (func, graphics) = optimised(max_registers)?;
        let options = BackOptions {
            max_registers,
            schedule: !skips("schedule"),
            rotate_loops: !skips("rotate"),
            split_ranges: !skips("split-ranges"),
            load_groups: !skips("load-groups"),
            few_live: !skips("few-live"),
            helpers: graphics,
            ..Default::default()
        };
        let start = Instant::now();
        let stats = generate(&func, &options).map_err(|e| e.message)?.stats;
        row.seconds.insert(max_registers, start.elapsed().as_secs_f64());
        row.pressure = stats.pressure;
        row.at.insert(max_registers, stats);
    }
    Ok(row)
}

fn file_rows(path: &Path, skip: &[String]) -> Result<Vec<Row>, String> {
    let name = path.to_string_lossy().into_owned();
    let lang = Lang::from_path(&name).ok_or("its language")?;
    let data = std::fs::read(path).map_err(|e| e.to_string())?;
    let mut rows = vec![];
    for entry in entries(&name, &data, lang).map_err(|e| e.to_string())? {
        let program = entry.as_ref().map_or(name.clone(), |e| format!("{name} {e}"));
        let of = |registers: usize| optimised(&name, &data, lang, entry.as_deref(), skip, registers);
        rows.push(row(program, &of, skip)?);
    }
    Ok(rows)
}

fn random_rows(a: &Arguments) -> Vec<Result<Vec<Row>, String>> {
    let wgsl = (0..a.random_wgsl).map(|seed| {
        let text = random::wgsl::generate(seed).wgsl;
        let of = |registers: usize| optimised("r.wgsl", text.as_bytes(), Lang::Wgsl, None, &a.skip, registers);
        row(format!("random wgsl {seed}"), &of, &a.skip).map(|r| vec![r])
    });
    let ssa = (0..a.random_ssa).map(|seed| {
        let of = |registers: usize| {
            let mut p = random::ssa::generate(seed);
            let options = passes::Options { skip: a.skip.clone(), registers: Some(registers), ..Default::default() };
            pipeline::optimise(&mut p.module, p.entry, &options)?;
            Ok((p.module.funcs[p.entry.index()].clone(), false))
        };
        row(format!("random ssa {seed}"), &of, &a.skip).map(|r| vec![r])
    });
    wgsl.chain(ssa).collect()
}

fn total(rows: &[Row], size: usize) -> BTreeMap<&'static str, usize> {
    let of = |what: &dyn Fn(&BackStats) -> usize| rows.iter().filter_map(|r| r.at.get(&size)).map(what).sum();
    BTreeMap::from([
        ("programs that spill", of(&|s| usize::from(s.spilled > 0))),
        ("values", of(&|s| s.spilled)),
        ("stores", of(&|s| s.spill.stores)),
        ("reloads", of(&|s| s.spill.reloads)),
        ("made again", of(&|s| s.spill.again)),
        ("stores and reloads, ten times per loop", of(&|s| s.spill.weighted)),
        ("moves", of(&|s| s.moves)),
        ("instructions", of(&|s| s.instructions)),
    ])
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let a = arguments()?;
    let mut paths = vec![];
    a.paths.iter().for_each(|p| files(p, &mut paths));
    let (all, refused) = front::deep(|| {
        let results = paths.iter().map(|p| file_rows(p, &a.skip)).chain(random_rows(&a));
        let (mut rows, mut refused) = (vec![], 0);
        for result in results {
            match result {
                Ok(more) => rows.extend(more),
                Err(why) => {
                    refused += 1;
                    if a.refused {
                        eprintln!("{}", why.lines().next().unwrap_or_default());
                    }
                }
            }
        }
        (rows, refused)
    });
    println!("{:<70} {:>4}  values, stores + reloads + made again at 32 and at 16", "program", "live");
    for r in all.iter().filter(|r| r.at.values().any(|s| s.spilled > 0)) {
        print!("{:<70} {:>4}", r.program, r.pressure);
        for s in SIZES.iter().filter_map(|size| r.at.get(size)) {
            print!("  {:>4}: {:>4} + {:>4} + {:>4}", s.spilled, s.spill.stores, s.spill.reloads, s.spill.again);
        }
        println!();
    }
    println!("{} programs, {refused} sources refused", all.len());
    let mut totals = BTreeMap::new();
    for size in SIZES {
        println!("{size} registers:");
        let total = total(&all, size);
        total.iter().for_each(|(what, n)| println!("  {n:>8} {what}"));
        totals.insert(size, total);
        let seconds: f64 = all.iter().filter_map(|r| r.seconds.get(&size)).sum();
        println!("  {seconds:8.2} seconds in the back end");
    }
    if let Some(file) = &a.list {
        let spills = |r: &&Row| r.at.values().any(|s| s.spilled > 0);
        let names: Vec<&str> = all.iter().filter(spills).map(|r| r.program.as_str()).collect();
        std::fs::write(file, names.join("\n"))?;
    }
    if let Some(file) = &a.json {
        let json = serde_json::json!({ "programs": all.len(), "refused": refused, "totals": totals, "rows": all });
        std::fs::write(file, serde_json::to_string_pretty(&json)?)?;
    }
    Ok(())
}

//! `quadlock float-check`: conformance of the float operations.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use quadlock_hdl::base::like::did_you_mean;

use super::bench::no_empty_name;
use crate::base::error::{bad, io, Input};
use crate::base::files::AtomicFile;
use crate::base::progress::Progress;
use crate::check::float::cases::Level;
use crate::check::float::engine::EngineName;
use crate::check::float::exhaustive::{self, ALL};
use crate::check::float::fast::one_operand;
use crate::check::float::op::{FloatOp, OPS};
use crate::check::float::plan::{mixed_name, Plan};
use crate::check::float::report::{self, Difference, Row};
use crate::check::float::run::{self, Settings};
use crate::cli::outcome::{print, say, Outcome};
use crate::simulate::AnyFault;

/// Most workers: each has engines of its own.
const MOST_JOBS: i64 = 256;

#[derive(Args, Debug)]
pub struct FloatCheckArgs {
    /// Check only these operations, by mnemonic [default: every float operation, then the
    /// operations of each pipeline mixed]
    #[arg(long, value_name = "OP", value_delimiter = ',')]
    op: Vec<String>,
    /// Size of the vector sets, as in TestFloat: 1 or 2
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    level: u8,
    /// Check all 2^32 operands of operations with one operand, and of PK.F16, whose second operand
    /// is made from the first
    #[arg(long, conflicts_with_all = ["level", "operands"])]
    every_operand: bool,
    /// State file of --every-operand. An interrupted run continues from it
    #[arg(long, value_name = "FILE", requires = "every_operand")]
    state: Option<PathBuf>,
    /// Engine that computes the results [default: both]
    #[arg(long, value_enum)]
    engine: Option<EngineName>,
    /// Run one vector only, with its operands as bits in hexadecimal
    #[arg(long, value_name = "A,B,C", value_delimiter = ',')]
    operands: Vec<String>,
    /// Write the rows as a JSON list of {op, engine, vectors, differences, max_ulp, max_abs,
    /// cycles, interval, seconds}
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Seed of the random operands
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of workers [default: one per processor]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=MOST_JOBS))]
    jobs: Option<u16>,
    /// Plant a fault: fault=NAME
    #[arg(long, value_name = "KEY=VALUE")]
    set: Option<String>,
}

pub fn run(args: &FloatCheckArgs) -> Input<Outcome> {
    let settings = settings(args)?;
    let plans = plans(args)?;
    // Begun now, so that a path that cannot be written does not cost the run.
    let json = args.json.as_ref().map(|path| AtomicFile::create(path)).transpose()?;
    let bar = Progress::new("vectors");
    let told = |vectors: u64, name: &str| {
        bar.set_message(name.to_owned());
        bar.inc(vectors);
    };
    let rows = if args.every_operand {
        let ops: Vec<_> = plans.iter().map(|plan| plan.ops[0]).collect();
        bar.set_length(ALL * (ops.len() * settings.engines.len()) as u64);
        let (planted, state) = (args.set.as_deref(), args.state.as_deref());
        exhaustive::Run { ops: &ops, settings: &settings, planted, state, end: ALL }.rows(told)
    } else {
        bar.set_length(run::vectors(&plans, &settings));
        run::check(&plans, &settings, told).or_else(|e| bad(e, "nothing can be checked before this works"))
    };
    bar.finish_and_clear();
    let rows = rows?;
    say(&report::text(&rows));
    let differences: u64 = rows.iter().map(|r| r.differences).sum();
    show(args, &rows, &settings);
    if let Some(mut file) = json {
        file.write_all(report::json(&rows).as_bytes()).map_err(|e| io(file.path(), "write", &e))?;
        file.commit()?;
    }
    let vectors: u64 = rows.iter().map(|r| r.vectors).sum();
    say(&format!("{} vectors, {} differences\n", report::grouped(vectors), report::grouped(differences)));
    Ok(if differences == 0 { Outcome::Pass } else { Outcome::Fail })
}

/// Prints the first wrong results of each row, each with the command that shows it again.
fn show(args: &FloatCheckArgs, rows: &[Row], settings: &Settings) {
    let planted = args.set.as_ref().map_or(String::new(), |s| format!(" --set {s}"));
    for row in rows {
        for difference in &row.examples {
            print(&format!("{difference}\n"));
            // Where it hangs on the operations before it, only the whole row shows it.
            let options = if alone(difference, settings) {
                difference.options()
            } else if args.every_operand {
                print("  alone it does not differ: it hangs on the operations before it, or on the quick reference\n");
                continue;
            } else {
                let (op, engine) = (&row.op, row.engine.name());
                format!("--op {op} --engine {engine} --level {} --seed {}", args.level, args.seed)
            };
            print(&format!("  again: quadlock float-check {options}{planted}\n"));
        }
    }
}

/// Whether the vector by itself is wrong too.
fn alone(difference: &Difference, settings: &Settings) -> bool {
    let Some(op) = FloatOp::by_name(difference.op) else { return false };
    let plan = Plan::single(op, words(&difference.operands));
    let settings = Settings { engines: vec![difference.engine], jobs: 1, measure: false, ..settings.clone() };
    let rows = run::check(&[plan], &settings, |_, _| ());
    rows.is_ok_and(|rows| rows.iter().any(|r| r.differences > 0))
}

fn words(operands: &[u32]) -> [u32; 3] {
    std::array::from_fn(|i| operands.get(i).copied().unwrap_or(0))
}

fn settings(args: &FloatCheckArgs) -> Input<Settings> {
    let mut settings = Settings { seed: args.seed, ..Settings::default() };
    if let Some(engine) = args.engine {
        settings.engines = vec![engine];
    }
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    settings.jobs = args.jobs.map_or_else(cores, usize::from);
    match args.set.as_deref().map(|s| s.split_once('=')) {
        None => {}
        Some(Some(("fault", name))) => match name.parse() {
            Ok(AnyFault::Rtl(fault)) => settings.rtl_fault = Some(fault),
            Ok(AnyFault::Model(fault)) => settings.model_fault = Some(fault),
            _ => return bad(format!("--set fault={name}: no fault of RTL or model"), "`quadlock faults` lists them"),
        },
        Some(_) => return bad("--set: not fault=NAME", "float-check has the setting `fault` only"),
    }
    Ok(settings)
}

fn plans(args: &FloatCheckArgs) -> Input<Vec<Plan>> {
    let level = if args.level == 1 { Level::One } else { Level::Two };
    if !args.operands.is_empty() {
        return single(args).map(|plan| vec![plan]);
    }
    let plan = |op: &'static FloatOp| match args.every_operand {
        true => Plan::operands_from(op, 0, ALL),
        false => Plan::of(op, level, args.seed),
    };
    let mut plans = Vec::new();
    no_empty_name(&args.op)?;
    for name in &args.op {
        if let Some(function_unit) = [false, true].into_iter().find(|&f| mixed_name(f).eq_ignore_ascii_case(name)) {
            plans.push(Plan::mixed(function_unit));
        } else if let Some(op) = FloatOp::by_name(name) {
            plans.push(plan(op));
        } else {
            let like = did_you_mean(name, OPS.iter().map(FloatOp::name).chain([false, true].map(mixed_name)));
            return bad(format!("--op {name}: no float operation{like}"), "docs/float.md has the float operations");
        }
    }
    if plans.is_empty() && args.every_operand {
        plans.extend(OPS.iter().filter(|op| one_operand(op)).map(plan));
    } else if plans.is_empty() {
        plans.extend(OPS.iter().map(plan));
        plans.extend([false, true].map(Plan::mixed));
    }
    if let (true, Some(p)) = (args.every_operand, plans.iter().find(|p| p.ops.len() > 1 || !one_operand(p.ops[0]))) {
        return bad(format!("--every-operand: {} has more than one", p.name), "name operations that have one");
    }
    if args.engine == Some(EngineName::Golden) && plans.iter().all(|p| p.ops.len() > 1) {
        return bad("a mixture is for the RTL: the golden model has no pipeline", "leave --engine out");
    }
    Ok(plans)
}

/// `--op OP --operands A,B,C`.
fn single(args: &FloatCheckArgs) -> Input<Plan> {
    let op = match args.op.as_slice() {
        [name] => FloatOp::by_name(name),
        _ => None,
    };
    let Some(op) = op else {
        return bad("--operands belongs to one --op", "for example --op FADD --operands 3f800000,1");
    };
    let parsed: Result<Vec<u32>, _> = args.operands.iter().map(|w| u32::from_str_radix(w, 16)).collect();
    match parsed {
        Ok(list) if list.len() == op.operands.count() => Ok(Plan::single(op, words(&list))),
        Ok(list) => {
            bad(format!("{} operands for {}", list.len(), op.name()), format!("it has {}", op.operands.count()))
        }
        Err(e) => bad(format!("--operands: {e}"), "write the bits in hexadecimal, separated by commas"),
    }
}

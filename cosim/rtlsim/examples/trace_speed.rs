//! Speed of tracing: `cargo run --release --example trace_speed -- [FILE.v TOP [CYCLES]]`. Runs the
//! design with all inputs toggling at random, without waves and with FST and VCD waves of all
//! signals, and prints cycles per second, changes per cycle and bytes per cycle. Without a file: a
//! made-up graph.

use std::time::Instant;

use quadlock_rtlsim::graph::Op;
use quadlock_rtlsim::random_graph::{random_graph, Shape};
use quadlock_rtlsim::trace::TraceOptions;
use quadlock_rtlsim::{Design, Engine, Error, Options, Simulation};
use rand::{Rng, SeedableRng};

fn made_up() -> Result<Design, Error> {
    let shape = Shape { ops: 20_000, registers: 4000, inputs: 40, clocks: 1, resets: false, ..Shape::default() };
    let mut graph = random_graph(1, &shape);
    graph.registers.iter_mut().for_each(|r| r.edge.rising = true);
    graph.memories.iter_mut().flat_map(|m| &mut m.writes).for_each(|w| w.edge.rising = true);
    Design::from_graph(graph)
}

/// Seconds for that many cycles with random inputs.
fn run(sim: &mut Simulation, cycles: u64) -> Result<f64, Error> {
    let clock = sim.clock()?;
    let names: Vec<String> = sim.graph().inputs.iter().map(|i| i.name.clone()).collect();
    let inputs: Vec<_> = names.iter().filter_map(|n| sim.input(n).ok()).filter(|i| *i != clock).collect();
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    let start = Instant::now();
    for _ in 0..cycles {
        for &input in &inputs {
            if rng.random_range(0..4) == 0 {
                sim.poke(input, rng.random());
            }
        }
        sim.step()?;
    }
    sim.finish_trace()?;
    Ok(start.elapsed().as_secs_f64())
}

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let started = Instant::now();
    let design = match &arguments[..] {
        [file, top, ..] => Design::parse_files(&[file], Some(top))?,
        _ => made_up()?,
    };
    println!("text to graph: {:.3} s", started.elapsed().as_secs_f64());
    let cycles = arguments.get(2).and_then(|n| n.parse().ok()).unwrap_or(300);
    let nodes = design.graph().nodes.iter().filter(|n| !matches!(n.op, Op::Const(_))).count();
    println!("{} signals, {nodes} nodes, {cycles} cycles", design.signals().count());
    let folder = std::env::temp_dir();
    for (what, options, file) in [
        ("no waves", Options::default(), None),
        ("traceable, not traced", Options::default().trace_all(), None),
        ("FST", Options::default().trace_all(), Some(folder.join("trace_speed.fst"))),
        ("VCD", Options::default().trace_all(), Some(folder.join("trace_speed.vcd"))),
    ] {
        let engine = if std::env::var_os("INTERPRETED").is_some() { Engine::Interpreted } else { Engine::Compiled };
        let started = Instant::now();
        let mut sim = design.compile(&options.engine(engine))?;
        let compile = started.elapsed().as_secs_f64();
        if let Some(file) = &file {
            sim.start_trace(file, &TraceOptions::default())?;
        }
        let seconds = run(&mut sim, cycles)?;
        let bytes = file.as_ref().and_then(|f| std::fs::metadata(f).ok()).map_or(0, |m| m.len());
        println!(
            "{what:<24} compile {compile:.3} s, {:>10.0} cycles/s, {:>8.1} bytes/cycle",
            cycles as f64 / seconds,
            bytes as f64 / cycles as f64
        );
        if let Some(file) = file {
            let _ = std::fs::remove_file(file);
        }
    }
    Ok(())
}

//! Elaborates Verilog files and prints the size of the graph and the time it took:
//! `cargo run -p quadlock-rtlsim --example elaborate -- FILE... [--top NAME] [-I FOLDER]...`.

use std::time::Instant;

use std::path::PathBuf;

use quadlock_rtlsim::{elaborate::elaborate, parse::parse_with, Source};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let top = args.iter().position(|a| a == "--top").map(|i| args.drain(i..i + 2).nth(1).unwrap_or_default());
    let mut folders = Vec::new();
    while let Some(i) = args.iter().position(|a| a == "-I") {
        folders.extend(args.drain(i..(i + 2).min(args.len())).nth(1).map(PathBuf::from));
    }
    let mut sources = Vec::new();
    for f in &args {
        sources.push(Source::new(f.as_str(), std::fs::read_to_string(f)?));
    }
    let start = Instant::now();
    let ast = parse_with(&sources, &folders)?;
    let parsed = start.elapsed();
    let graph = elaborate(&ast, &sources, top.as_deref())?;
    let elaborated = start.elapsed() - parsed;
    graph.check()?;
    let order = graph.topological().map_err(|l| format!("loop of {} nodes", l.len()))?;
    println!(
        "{} nodes, {} reachable, {} registers, {} memories, {} tables, {} signals, {} scopes; parsed in {parsed:.1?}, elaborated in {elaborated:.1?}",
        graph.nodes.len(),
        order.len(),
        graph.registers.len(),
        graph.memories.len(),
        graph.tables.len(),
        graph.signals.len(),
        graph.scopes.len(),
    );
    Ok(())
}

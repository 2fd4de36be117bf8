//! `quadlock link`: a vertex program and the fragment programs that it feeds, linked, with what was
//! removed and why (LP).

use std::fmt::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use quadlock_shader::compile::Uniforms;
use quadlock_shader::graphics::StageSource;
use quadlock_shader::linker::{self, LinkRequest, Products, StageFigures};

use super::outcome::{print, Outcome};
use super::tools::deliver;
use crate::base::error::{bad, Input};
use crate::base::files::{read, write_atomic, MOST_TEXT};
use crate::job::program::{from_compiler_of, set_float_unit, set_skip, CompilerOptions};
use crate::job::uniforms;

/// What `link` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// Figures of each stage before and after, and what was removed, turn by turn
    Report,
    /// Assembly of the linked programs
    Asm,
    /// SSA of each program, before and after
    Ir,
    /// The data flow after each iteration, for Graphviz
    Dot,
}

#[derive(Args, Debug)]
pub struct LinkArgs {
    /// The vertex program, and one fragment program or more that it feeds (GLSL, WGSL or SPIR-V)
    #[arg(required = true, num_args = 2..)]
    shaders: Vec<PathBuf>,
    /// Entry points, one for each program; not needed where there is only one of the stage
    #[arg(long, value_delimiter = ',', value_name = "NAME,NAME")]
    entry: Vec<String>,
    /// Values of uniforms by name; what it leaves out is unknown
    #[arg(long, value_name = "FILE")]
    uniforms: Option<PathBuf>,
    #[arg(long, value_enum, default_value = "report")]
    emit: Emit,
    /// Write the report as JSON too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the linked programs to this folder, one ELF file for each
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// No product and sum of floats become one operation
    #[arg(long)]
    exact: bool,
    /// Change a setting: float-unit (on, off), skip (passes to leave out, or all)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

pub fn link(args: &LinkArgs) -> Input<Outcome> {
    let mut options = CompilerOptions { exact: args.exact, ..CompilerOptions::default() };
    for text in &args.set {
        match text.split_once('=') {
            Some(("float-unit", value)) => set_float_unit(&mut options, value)?,
            Some(("skip", value)) => set_skip(&mut options, value)?,
            _ => {
                return bad(
                    format!("--set {text}: there is no such setting"),
                    "settings: float-unit=on, float-unit=off, skip=PASS,PASS",
                )
            }
        }
    }
    if !args.entry.is_empty() && args.entry.len() != args.shaders.len() {
        let message = format!("--entry names {} entry points for {} programs", args.entry.len(), args.shaders.len());
        return bad(message, "name one for each program, in their order");
    }
    let mut sources = vec![];
    for path in &args.shaders {
        sources.push((path.display().to_string(), read(path, MOST_TEXT)?));
    }
    let source = |n: usize| StageSource {
        path: &sources[n].0,
        source: &sources[n].1,
        entry: args.entry.get(n).map(String::as_str),
    };
    let mut request = LinkRequest {
        vertex: source(0),
        fragments: (1..sources.len()).map(source).collect(),
        known: Uniforms::new(),
        options,
    };
    if let Some(path) = &args.uniforms {
        let programs = linker::interfaces(&request).map_err(|e| from_compiler_of(&sources, &e))?;
        request.known = uniforms::read(path, &programs)?;
    }
    let products = linker::link(&request).map_err(|e| from_compiler_of(&sources, &e))?;
    if let Some(path) = &args.json {
        let text = serde_json::to_string_pretty(&products).unwrap_or_default() + "\n";
        write_atomic(path, text.as_bytes())?;
    }
    if let Some(folder) = &args.output {
        for (path, compiled) in args.shaders.iter().zip(&products.linked) {
            let name = path.file_name().map_or_else(|| "program".into(), |n| n.to_string_lossy().into_owned());
            let file = folder.join(name + ".elf");
            write_atomic(&file, &compiled.binary.write())?;
            print(&format!("{}: {} instructions\n", file.display(), compiled.binary.code.len()));
        }
    }
    let text = match args.emit {
        Emit::Report => report(&products),
        Emit::Asm => products
            .linked
            .iter()
            .map(|c| format!("; {}\n{}\n", c.binary.files.first().map_or("", String::as_str), c.asm))
            .collect(),
        Emit::Ir => {
            let of = |(before, after): (&quadlock_shader::Compiled, &quadlock_shader::Compiled)| {
                format!("// alone\n{}\n// linked\n{}\n", before.ir_after, after.ir_after)
            };
            products.alone.iter().zip(&products.linked).map(of).collect()
        }
        Emit::Dot => products.dot.concat(),
    };
    deliver(None, &text)
}

/// The report for people.
fn report(products: &Products) -> String {
    let mut out = String::new();
    let row = |out: &mut String, name: &str, stage: &str, cells: &mut dyn Iterator<Item = String>| {
        let cells: String =
            StageFigures::COUNTS.iter().zip(cells).map(|(n, c)| format!(" {c:>w$}", w = n.len())).collect();
        let _ = writeln!(out, "{name:<8} {stage:<9}{cells}");
    };
    row(&mut out, "", "stage", &mut StageFigures::COUNTS.iter().map(ToString::to_string));
    for (name, stages) in products.moments() {
        for s in stages {
            row(&mut out, &name, &s.stage, &mut s.counts().iter().map(ToString::to_string));
        }
    }
    for (n, i) in products.iterations.iter().enumerate() {
        let _ = writeln!(out, "\nturn {}", n + 1);
        for stage in &i.stages {
            let names = |all: &[String]| if all.is_empty() { "none".into() } else { all.join(", ") };
            let _ = writeln!(
                out,
                "  {}: inputs {}; outputs {}; derived {}",
                stage.stage,
                names(&stage.input_names),
                names(&stage.output_names),
                names(&stage.derived)
            );
        }
        match i.events.is_empty() {
            true => out.push_str("  nothing new\n"),
            false => i.events.iter().for_each(|e| {
                let _ = writeln!(out, "  {e}");
            }),
        }
    }
    if products.scaled > 0 {
        let _ = writeln!(out, "\n{} outputs merged as multiples of others: changes roundings", products.scaled);
    }
    if !products.assumptions.is_empty() {
        let _ = writeln!(out, "\nright while {}", products.assumptions.join(", "));
    }
    if let Some(choice) = &products.choice {
        let _ = writeln!(out, "\n{choice}");
    }
    out
}

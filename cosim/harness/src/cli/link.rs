//! `quadlock link`: a vertex program and the fragment programs that it feeds, linked, with what was
//! removed and why (LP). Each product is told and written with its stage and its pair; two that had
//! one name would be one file.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use quadlock_shader::compile::Uniforms;
use quadlock_shader::front::constants::Given;
use quadlock_shader::graphics::StageSource;
use quadlock_shader::interface::Stage;
use quadlock_shader::linker::{self, LinkRequest, LinkedProgram, Products, Sharing, StageFigures};

use super::link_programs::{programs, Named, Programs};
use super::outcome::{say, Outcome};
use super::tools::deliver;
use crate::base::error::{bad, warn, Input};
use crate::base::files::{read, write_atomic, MOST_TEXT};
use crate::job::constants;
use crate::job::program::{from_compiler_of, set_exact, set_float_unit, set_skip, CompilerOptions};
use crate::job::uniforms;

/// What `link` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// Figures of each stage before and after, and the removals of each iteration
    Report,
    /// Assembly of the linked programs
    Asm,
    /// SSA of each program, before and after
    Ir,
    /// Data flow after each iteration, for Graphviz
    Dot,
}

/// What several fragment programs do about their vertex program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum VertexPrograms {
    /// The choice with fewer instructions over all pairs
    Cheapest,
    /// One for all fragment programs
    One,
    /// One per fragment program
    Each,
}

impl From<VertexPrograms> for Sharing {
    fn from(v: VertexPrograms) -> Sharing {
        match v {
            VertexPrograms::Cheapest => Sharing::Cheapest,
            VertexPrograms::One => Sharing::One,
            VertexPrograms::Each => Sharing::Each,
        }
    }
}

#[derive(Args, Debug)]
pub struct LinkArgs {
    /// A vertex program and the fragment programs it feeds, in any order (GLSL, WGSL or SPIR-V), or
    /// one file with both
    #[arg(required = true)]
    shaders: Vec<PathBuf>,
    /// Entry points: one per file, in the order of the files, or several of one file. Not needed if
    /// stages, outputs and inputs decide
    #[arg(long, value_delimiter = ',', value_name = "NAME,NAME")]
    entry: Vec<String>,
    /// Uniform values by name. A uniform that the file omits is unknown
    #[arg(long, value_name = "FILE")]
    uniforms: Option<PathBuf>,
    #[arg(long, value_name = "NAME=VALUE", help = constants::HELP)]
    constant: Vec<String>,
    /// Number of vertex programs, if there are several fragment programs
    #[arg(long, value_enum, default_value = "cheapest")]
    vertex_programs: VertexPrograms,
    #[arg(long, value_enum, default_value = "report")]
    emit: Emit,
    /// Also write the report as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the linked programs to this folder, one ELF file per program
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Do not fuse a float product and sum into one operation
    #[arg(long)]
    exact: bool,
    /// Change a setting: float-unit (on, off), exact (on, off), skip (passes to leave out, or all)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

pub fn link(args: &LinkArgs) -> Input<Outcome> {
    let options = options(args)?;
    let mut sources = vec![];
    for path in &args.shaders {
        sources.push((path.display().to_string(), read(path, MOST_TEXT)?));
    }
    let fits = |programs: &Programs| linker::interfaces(&request(&sources, programs, &options)).map(drop);
    let programs = programs(&sources, &args.entry, &fits)?;
    let mut request = request(&sources, &programs, &options);
    request.sharing = args.vertex_programs.into();
    if let Some(path) = &args.uniforms {
        let programs = linker::interfaces(&request).map_err(|e| from_compiler_of(&sources, &e))?;
        request.known = uniforms::read(path, &programs)?;
    }
    let products = linker::link(&request).map_err(|e| from_compiler_of(&sources, &e))?;
    every_constant_is_taken(&options.constants, &products)?;
    let compiled = products.alone.iter().chain(products.linked.iter().map(|l| &l.compiled));
    let warnings: BTreeSet<&String> = compiled.flat_map(|c| &c.report.warnings).collect();
    warnings.iter().for_each(|warning| warn(warning));
    if let Some(path) = &args.json {
        if args.shaders.contains(path) {
            return bad(format!("{}: it is one of the shaders", path.display()), "write the report to another file");
        }
        let text = serde_json::to_string_pretty(&products).unwrap_or_default() + "\n";
        write_atomic(path, text.as_bytes())?;
    }
    if let Some(folder) = &args.output {
        let files: Vec<&Path> = programs.all().map(|n| args.shaders[n.file].as_path()).collect();
        for (name, program) in file_names(&files, &products.linked)?.iter().zip(&products.linked) {
            let (file, binary) = (folder.join(name), &program.compiled.binary);
            write_atomic(&file, &binary.write())?;
            // Other texts are read by other programs.
            if args.emit == Emit::Report {
                say(&format!("{}: {} instructions\n", file.display(), binary.code.len()));
            }
        }
    }
    let text = match args.emit {
        Emit::Report => report(&products),
        Emit::Asm => {
            let titled = products.after.stages.iter().zip(&products.linked);
            titled.map(|(s, p)| format!("; {}\n{}\n", title(s), p.compiled.asm)).collect()
        }
        Emit::Ir => ir(&products),
        Emit::Dot => products.dot.concat(),
    };
    deliver(None, &text)
}

fn options(args: &LinkArgs) -> Input<CompilerOptions> {
    let mut options = CompilerOptions { exact: args.exact, ..CompilerOptions::default() };
    options.constants = constants::of_command_line(&args.constant)?;
    // Each program takes those that it has.
    options.constants.iter_mut().for_each(|c| c.optional = true);
    for text in &args.set {
        match text.split_once('=') {
            Some(("float-unit", value)) => set_float_unit(&mut options, value)?,
            Some(("skip", value)) => set_skip(&mut options, value)?,
            Some(("exact", value)) => set_exact(&mut options, value)?,
            _ => {
                return bad(
                    format!("--set {text}: there is no such setting"),
                    "settings: float-unit=on, float-unit=off, exact=on, exact=off, skip=PASS,PASS",
                )
            }
        }
    }
    Ok(options)
}

fn request<'a>(sources: &'a [(String, Vec<u8>)], programs: &'a Programs, options: &CompilerOptions) -> LinkRequest<'a> {
    let source = |n: &'a Named| {
        let (path, source) = &sources[n.file];
        StageSource { path, source, entry: Some(&n.entry) }
    };
    LinkRequest {
        vertex: source(&programs.vertex),
        fragments: programs.fragments.iter().map(source).collect(),
        known: Uniforms::new(),
        sharing: Sharing::default(),
        options: options.clone(),
    }
}

/// Rejects a constant that no program declares: its name is misspelt.
fn every_constant_is_taken(given: &[Given], products: &Products) -> Input<()> {
    let taken: Vec<&String> = products.alone.iter().flat_map(|c| &c.taken).collect();
    match given.iter().find(|g| !taken.contains(&&g.key)) {
        None => Ok(()),
        Some(g) => bad(format!("--constant {}: no program has a constant of that name or id", g.key), constants::WHERE),
    }
}

/// A file for each program, named as its source. Where one source gives several programs their
/// stage comes behind it, and behind that a number: of the pair, or of the fragment program.
fn file_names(sources: &[&Path], programs: &[LinkedProgram]) -> Input<Vec<String>> {
    let base = |p: &LinkedProgram| {
        let name = sources.get(p.source).and_then(|s| s.file_name());
        name.map_or_else(|| "program".to_string(), |n| n.to_string_lossy().into_owned())
    };
    let name = |p: &LinkedProgram| {
        let same: Vec<&LinkedProgram> = programs.iter().filter(|o| base(o) == base(p)).collect();
        let mut name = base(p);
        if same.iter().any(|o| o.stage != p.stage) {
            name += match p.stage {
                Stage::Vertex => ".vertex",
                _ => ".fragment",
            };
        }
        if same.iter().filter(|o| o.stage == p.stage).count() > 1 {
            name += &format!(".{}", p.pair.unwrap_or(p.source));
        }
        name + ".elf"
    };
    let names: Vec<String> = programs.iter().map(name).collect();
    let twice = names.iter().enumerate().find(|(n, name)| names[..*n].contains(name));
    match twice {
        Some((_, name)) => bad(format!("two programs would be written to {name}"), "rename one of the sources"),
        None => Ok(names),
    }
}

/// A program in words.
fn title(s: &StageFigures) -> String {
    let pair = s.pair.map_or(String::new(), |n| format!(", pair {n}"));
    format!("{} ({} {}{pair})", s.file, s.stage, s.entry)
}

/// SSA of the programs alone, each with what it has become.
fn ir(products: &Products) -> String {
    let mut out = String::new();
    for (n, (before, alone)) in products.before.stages.iter().zip(&products.alone).enumerate() {
        let _ = writeln!(out, "// alone: {}\n{}", title(before), alone.ir_after);
        for (after, linked) in products.after.stages.iter().zip(&products.linked).filter(|(_, l)| l.source == n) {
            let _ = writeln!(out, "// linked: {}\n{}", title(after), linked.compiled.ir_after);
        }
    }
    out
}

/// The report for people.
fn report(products: &Products) -> String {
    let mut out = String::new();
    for s in &products.before.stages {
        let _ = writeln!(out, "{}", title(s));
    }
    out.push('\n');
    let width = products.moments().map(|(name, _)| name.len()).max().unwrap_or(0);
    let row = |out: &mut String, name: &str, stage: &str, cells: &mut dyn Iterator<Item = String>| {
        let cells: String =
            StageFigures::COUNTS.iter().zip(cells).map(|(n, c)| format!(" {c:>w$}", w = n.len())).collect();
        let _ = writeln!(out, "{name:<width$} {stage:<9}{cells}");
    };
    row(&mut out, "", "stage", &mut StageFigures::COUNTS.iter().map(ToString::to_string));
    for (name, stages) in products.moments() {
        for s in stages {
            row(&mut out, &name, &s.stage, &mut s.counts().iter().map(ToString::to_string));
        }
    }
    for i in &products.iterations {
        let _ = writeln!(out, "\n{}", i.name());
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

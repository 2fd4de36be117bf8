//! The command line: parses arguments, runs a command, prints errors with their place and turns
//! verdicts into exit statuses. Exit status 0: pass, 1: a mismatch, a hang or a wrong output was
//! found, 2: bad input.

mod bench;
mod compare;
mod crosscheck;
mod draw;
mod export;
mod float_check;
mod fuzz;
mod fuzz_args;
mod fuzz_links;
mod fuzz_scenes;
mod link;
mod link_programs;
mod outcome;
mod regress;
mod run;
mod shader_check;
mod share;
mod tools;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::base::error::{complain, Input};
use outcome::Outcome;

#[derive(Parser)]
#[command(
    name = "quadlock",
    version,
    about = "Runs shaders on the RTL of a small GPU in lockstep with its golden model",
    max_term_width = 110
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compile a job's shader and run it; write its outputs, a report and, if asked, waves
    Run(run::RunArgs),
    /// Check what jobs claim of themselves: runs, verdicts and figures of their reports
    Regress(regress::RegressArgs),
    /// Compile a shader
    Compile(tools::CompileArgs),
    /// Link a vertex program with the fragment programs that it feeds; report what went, and why
    Link(link::LinkArgs),
    /// Print all that is in a compiled shader
    Disasm(tools::DisasmArgs),
    /// Assemble a program
    Asm(tools::AsmArgs),
    /// Run random programs or scenes in lockstep under random memory timing; shrink what fails
    Fuzz(fuzz_args::FuzzArgs),
    /// Measure speeds beside the peers'
    Bench(bench::BenchArgs),
    /// Run blocks and the whole core on all engines and compare every output and register in every
    /// cycle
    Crosscheck(crosscheck::CrosscheckArgs),
    /// Check every float operation against an independent oracle, on RTL and golden model
    FloatCheck(float_check::FloatCheckArgs),
    /// Compile every shader of a folder; report what is accepted, refused and why, panicked, slow
    ShaderCheck(shader_check::ShaderCheckArgs),
    /// Compile shaders for `shader-check`, in a process of its own
    #[command(hide = true)]
    ShaderCheckWorker(shader_check::WorkerArgs),
    /// Make the GTKWave view and translate files of a trace again
    Waves(tools::WavesArgs),
    /// Write the core as Verilog
    Export(export::ExportArgs),
    /// Print the instruction set, or a wave viewer's opcode table
    Isa(tools::IsaArgs),
    /// List the planted faults that `--set fault=NAME` switches on
    Faults,
}

/// The command line of this process.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        Command::Run(args) if draw::is_scene(args.file()) => draw::run(&args.settle()),
        Command::Run(args) => run::run(&args.settle()),
        Command::Regress(args) => regress::run(&args),
        Command::Compile(args) => tools::compile(&args),
        Command::Link(args) => link::link(&args),
        Command::Disasm(args) => tools::disasm(&args),
        Command::Asm(args) => tools::asm(&args),
        Command::Fuzz(args) => fuzz::run(&args),
        Command::Bench(args) => bench::bench(&args),
        Command::Crosscheck(args) => crosscheck::run(&args),
        Command::FloatCheck(args) => float_check::run(&args),
        Command::ShaderCheck(args) => shader_check::run(&args),
        Command::ShaderCheckWorker(args) => shader_check::work(&args),
        Command::Waves(args) => tools::waves(&args),
        Command::Export(args) => export::export(&args),
        Command::Isa(args) => tools::isa(&args),
        Command::Faults => tools::faults(),
    };
    exit(result)
}

fn exit(result: Input<Outcome>) -> ExitCode {
    fn whole_lines(_: &(dyn miette::Diagnostic + 'static)) -> Box<dyn miette::ReportHandler> {
        Box::new(miette::MietteHandlerOpts::new().wrap_lines(false).build())
    }
    // Lines are not cut to the terminal's width: names and paths stay whole for who searches them.
    // It fails only if there is a hook already, and then lines are cut.
    let _ = miette::set_hook(Box::new(whole_lines));
    match result {
        Ok(Outcome::Pass) => ExitCode::SUCCESS,
        Ok(Outcome::Fail) => ExitCode::from(1),
        Err(error) => {
            // file:line:column first, as compilers print it; then the drawing.
            if let Some(at) = error.location() {
                complain(&format!("{at}: error: {}\n", error.message()));
            }
            complain(&format!("{:?}\n", miette::Report::new(*error)));
            ExitCode::from(2)
        }
    }
}

//! The command line: parses arguments, runs a command, prints errors with their place and turns
//! verdicts into exit statuses. Exit status 0: pass, 1: a mismatch, a hang or a wrong output was
//! found, 2: bad input.
//!
//! What is wrong with an input is an [`InputError`], which says what to do. A command adds what it
//! was doing, as context of `anyhow`; both are printed. Wrong would be an error that ends in
//! another exit status than 2: all of them come through [`exit`].

mod bench;
mod cache;
mod compare;
mod crosscheck;
mod draw;
mod export;
mod float_check;
mod fuzz;
mod fuzz_args;
mod fuzz_beside;
mod fuzz_links;
mod fuzz_scenes;
mod link;
mod link_programs;
pub(crate) mod listing;
mod outcome;
pub(crate) mod page;
mod regress;
mod run;
mod scopes;
mod shader_check;
mod share;
mod tools;

use std::process::ExitCode;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::base::error::{complain, InputError};
use crate::base::interrupt;
use crate::base::manners::{decide, is_coloured, Stream, Verbosity, When};
use outcome::Outcome;

#[derive(Parser)]
#[command(
    name = "quadlock",
    version,
    about = "Runs shaders on the RTL of a small GPU in lockstep with its golden model",
    max_term_width = 110
)]
struct Cli {
    /// Make every design from its text: neither read nor write what is kept on disk
    #[arg(long, global = true)]
    no_cache: bool,
    #[command(flatten)]
    manners: MannersArgs,
    #[command(subcommand)]
    command: Command,
}

/// What every command takes.
#[derive(Args)]
struct MannersArgs {
    /// Print failures and errors only; a run that passes prints nothing, and the exit status tells.
    /// What a command is asked to list or to write it still does
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Print the phases of the work with their times on standard error, and with a report the
    /// figures of the simulator
    #[arg(short, long, global = true)]
    verbose: bool,
    /// Colours of verdicts and errors. `auto`: on a terminal, unless NO_COLOR is set; with
    /// CLICOLOR_FORCE also elsewhere
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value = "auto", alias = "colour")]
    color: When,
}

impl MannersArgs {
    /// `-q` before the command and `-v` behind it, or the other way round: clap looks at each place
    /// alone.
    fn contradicts_itself(&self) -> bool {
        self.quiet && self.verbose
    }

    fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Usual,
        }
    }
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
    /// List the scopes of the machine that a job or a scene runs on, as `run --scope` takes them
    Scopes(scopes::ScopesArgs),
    /// Write the core as Verilog
    Export(export::ExportArgs),
    /// Print the instruction set, or a wave viewer's opcode table
    Isa(tools::IsaArgs),
    /// Show what is kept of compiled designs, and where; or remove it
    Cache(cache::CacheArgs),
    /// List the planted faults that `--set fault=NAME` switches on
    Faults(listing::FaultsArgs),
    /// Print the script that completes commands and options in a shell
    Completions(listing::CompletionsArgs),
}

/// The command line of this process.
pub fn main() -> ExitCode {
    let colour = match early_colour() {
        When::Auto => clap::ColorChoice::Auto,
        When::Always => clap::ColorChoice::Always,
        When::Never => clap::ColorChoice::Never,
    };
    let matches = Cli::command().color(colour).get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|e| e.exit());
    if cli.manners.contradicts_itself() {
        let message = "the argument '--quiet' cannot be used with '--verbose'";
        Cli::command().color(colour).error(clap::error::ErrorKind::ArgumentConflict, message).exit();
    }
    decide(cli.manners.verbosity(), cli.manners.color);
    interrupt::watch();
    if cli.no_cache {
        crate::engine::cache::switch_off();
    }
    exit(run(cli.command))
}

/// What `--color` says, for errors and help that come before the arguments are understood.
fn early_colour() -> When {
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let joined = words.iter().find_map(|word| word.strip_prefix("--color=").or(word.strip_prefix("--colour=")));
    let apart = words.iter().position(|word| word == "--color" || word == "--colour");
    let apart = apart.and_then(|at| words.get(at + 1));
    match joined.or(apart.map(String::as_str)) {
        Some("always") => When::Always,
        Some("never") => When::Never,
        _ => When::Auto,
    }
}

fn run(command: Command) -> anyhow::Result<Outcome> {
    Ok(match command {
        Command::Run(args) if draw::is_scene(args.file()) => draw::run(&args.settle())?,
        Command::Run(args) => run::run(&args.settle())?,
        Command::Regress(args) => regress::run(&args)?,
        Command::Compile(args) => tools::compile(&args)?,
        Command::Link(args) => link::link(&args)?,
        Command::Disasm(args) => tools::disasm(&args)?,
        Command::Asm(args) => tools::asm(&args)?,
        Command::Fuzz(args) => fuzz::run(&args)?,
        Command::Bench(args) => bench::bench(&args)?,
        Command::Crosscheck(args) => crosscheck::run(&args)?,
        Command::FloatCheck(args) => float_check::run(&args)?,
        Command::ShaderCheck(args) => shader_check::run(&args)?,
        Command::ShaderCheckWorker(args) => shader_check::work(&args)?,
        Command::Waves(args) => tools::waves(&args)?,
        Command::Scopes(args) => scopes::scopes(&args)?,
        Command::Export(args) => export::export(&args)?,
        Command::Isa(args) => tools::isa(&args)?,
        Command::Cache(args) => cache::run(&args)?,
        Command::Faults(args) => listing::faults(&args)?,
        Command::Completions(args) => listing::completions(&args, &mut Cli::command())?,
    })
}

fn exit(result: anyhow::Result<Outcome>) -> ExitCode {
    match result {
        Ok(Outcome::Pass) => ExitCode::SUCCESS,
        Ok(Outcome::Fail) => ExitCode::from(1),
        Err(error) => {
            explain(error);
            ExitCode::from(2)
        }
    }
}

/// Prints an error: file:line:column first, as compilers print it, then the drawing, then what was
/// being done.
fn explain(error: anyhow::Error) {
    fn plain(e: &(dyn std::error::Error + 'static)) -> bool {
        !e.is::<Box<InputError>>()
    }
    let doing: Vec<String> = error.chain().take_while(|e| plain(*e)).map(ToString::to_string).collect();
    match error.downcast::<Box<InputError>>() {
        Ok(input) => {
            complain(&input.drawing(is_coloured(Stream::Error)));
            // From the inside to the outside, as the work was begun.
            doing.iter().rev().for_each(|what| complain(&format!("while {what}\n")));
        }
        // Nothing that a user wrote is known to be wrong; the causes are all there is.
        Err(other) => complain(&format!("error: {other:#}\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Among other things that no two options of a command have one letter.
    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_can_be_quiet_or_verbose_and_not_both() {
        let of = |words: &[&str]| Cli::try_parse_from(words).map(|cli| cli.manners.verbosity());
        assert_eq!(of(&["quadlock", "faults"]).ok(), Some(Verbosity::Usual));
        assert_eq!(of(&["quadlock", "-q", "faults"]).ok(), Some(Verbosity::Quiet));
        assert_eq!(of(&["quadlock", "faults", "--quiet"]).ok(), Some(Verbosity::Quiet));
        assert_eq!(of(&["quadlock", "run", "x.toml", "-v"]).ok(), Some(Verbosity::Verbose));
        assert!(of(&["quadlock", "run", "x.toml", "-v", "-q"]).is_err());
        let apart = Cli::try_parse_from(["quadlock", "-q", "run", "x.toml", "-v"]);
        assert!(apart.is_ok_and(|cli| cli.manners.contradicts_itself()));
        assert!(of(&["quadlock", "run", "x.toml", "--color", "blue"]).is_err());
    }

    #[test]
    fn an_input_error_is_found_below_what_was_being_done() {
        use anyhow::Context;
        let error: anyhow::Result<()> = outcome::refuse("no such file", "give another");
        let error = error.context("running a.toml").unwrap_err();
        assert!(error.downcast_ref::<Box<InputError>>().is_some_and(|e| e.message() == "no such file"));
        assert_eq!(format!("{error:#}"), "running a.toml: no such file");
    }
}

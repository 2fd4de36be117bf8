//! The command line: parses arguments, runs a command, prints errors with their place and turns
//! verdicts into exit statuses. Exit status 0: pass, 1: a mismatch, a hang or a wrong output was
//! found, 2: bad input.
//!
//! What is wrong with an input is an [`InputError`], which says what to do. A command adds what it
//! was doing, as context of `anyhow`; both are printed. Wrong would be an error that ends in
//! another exit status than 2: all of them come through [`exit`].

mod cache;
#[cfg_attr(not(feature = "checks"), path = "no_checks.rs")]
mod checks;
mod compare;
mod draw;
mod export;
mod link;
mod link_programs;
pub(crate) mod listing;
mod outcome;
pub(crate) mod page;
mod preset;
mod regress;
mod run;
mod scopes;
mod settings;
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
    /// Compile every design from its Verilog text; neither read nor write the cache on disk
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
    /// Print only failures and errors. A run that passes prints nothing; the exit status is the
    /// result. Requested lists and files are still written
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Print each phase and its wall-clock time on standard error, and add the simulator's figures
    /// to a report
    #[arg(short, long, global = true)]
    verbose: bool,
    /// When to colour verdicts and errors. `auto` follows NO_COLOR, CLICOLOR_FORCE, CLICOLOR=0 and
    /// TERM=dumb; `always` and `never` take precedence over them
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

// A process has one of these.
#[allow(clippy::large_enum_variant)]
#[derive(Subcommand)]
enum Command {
    /// Run a job or a scene; write its outputs and, on request, a report and a trace
    Run(run::RunArgs),
    /// Check the claims of jobs and scenes: their runs, verdicts and report figures
    Regress(regress::RegressArgs),
    /// Compile a shader
    Compile(tools::CompileArgs),
    /// Link a vertex program with the fragment programs it feeds; report what was removed and why
    Link(link::LinkArgs),
    /// Print the contents of a compiled shader
    Disasm(tools::DisasmArgs),
    /// Assemble a program
    Asm(tools::AsmArgs),
    /// Run random programs or scenes in lockstep with random memory timing, and shrink each failure
    Fuzz(checks::FuzzArgs),
    /// Measure speed, with the peers' speed for comparison
    Bench(checks::BenchArgs),
    /// Run blocks and the whole machine on all engines; compare every output and register in every
    /// cycle
    Crosscheck(checks::CrosscheckArgs),
    /// Check every float operation of RTL and golden model against an independent oracle
    FloatCheck(checks::FloatCheckArgs),
    /// Compile every shader in a folder; count those accepted, rejected (with the reason),
    /// panicking and slow
    ShaderCheck(checks::ShaderCheckArgs),
    /// Compile shaders for `shader-check`, in a separate process
    #[command(hide = true)]
    ShaderCheckWorker(checks::WorkerArgs),
    /// Write the GTKWave view and translate files of an existing trace again
    Waves(tools::WavesArgs),
    /// Print the scopes of the machine of a job or a scene as a tree. Names joined by dots are a
    /// path for `run --scope`
    Scopes(scopes::ScopesArgs),
    /// Write the machine, or one block of it, as Verilog
    Export(export::ExportArgs),
    /// List every setting that `--set` takes, with its values, default and meaning, and the presets
    Settings(settings::SettingsArgs),
    /// Print the instruction set manual, or an opcode table for a wave viewer
    Isa(tools::IsaArgs),
    /// Show the folder and contents of the cache of compiled designs, or clear it
    Cache(cache::CacheArgs),
    /// List the planted faults that `--set fault=NAME` enables
    Faults(listing::FaultsArgs),
    /// Print a shell completion script for commands, options and values
    Completions(listing::CompletionsArgs),
}

/// The parser of the command line, for tests that read the commands and the help of pages.
pub fn command() -> clap::Command {
    Cli::command()
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
        Command::Fuzz(args) => checks::fuzz(&args)?,
        Command::Bench(args) => checks::bench(&args)?,
        Command::Crosscheck(args) => checks::crosscheck(&args)?,
        Command::FloatCheck(args) => checks::float_check(&args)?,
        Command::ShaderCheck(args) => checks::shader_check(&args)?,
        Command::ShaderCheckWorker(args) => checks::work(&args)?,
        Command::Waves(args) => tools::waves(&args)?,
        Command::Scopes(args) => scopes::scopes(&args)?,
        Command::Export(args) => export::export(&args)?,
        Command::Settings(args) => settings::settings(&args)?,
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

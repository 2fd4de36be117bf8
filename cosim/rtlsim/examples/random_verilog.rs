//! Compares this crate's engines with Icarus Verilog and Verilator on random modules:
//! `cargo run --release -p quadlock-rtlsim --example random_verilog -- --modules N --seed S`.
//! Further options: `--print` (text of the modules only), `--shrink` (small failing modules),
//! `--batch N`, `--steps N`, `--keep DIR` (files of the peers), `--only LIST` of icarus, verilator,
//! plain, interpreted, compiled, compiled-plain. Ends with code 1 if anything differs, or if a peer
//! is outvoted or refuses modules more often than the rule in `random/compare.rs` allows.

use std::path::PathBuf;
use std::process::ExitCode;

use quadlock_rtlsim::parse::print;
use quadlock_rtlsim::random::{random_module, Campaign, Peer, Runner};

fn runner(name: &str) -> Result<Runner, String> {
    Ok(match name {
        "icarus" => Runner::Peer(Peer::Icarus),
        "verilator" => Runner::Peer(Peer::Verilator),
        "plain" => Runner::Plain,
        "interpreted" => Runner::Interpreted,
        "compiled" => Runner::Compiled,
        "compiled-plain" => Runner::CompiledPlain,
        _ => return Err(format!("no runner is called {name}")),
    })
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let scratch = tempfile::tempdir()?;
    let mut campaign = Campaign {
        modules: 100,
        seed: 0,
        batch: 50,
        steps: 48,
        dir: scratch.path().to_path_buf(),
        runners: Runner::all(),
        shrink: false,
    };
    let mut text_only = false;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--modules" => campaign.modules = value()?.parse()?,
            "--seed" => campaign.seed = value()?.parse()?,
            "--batch" => campaign.batch = value()?.parse()?,
            "--steps" => campaign.steps = value()?.parse()?,
            "--keep" => campaign.dir = PathBuf::from(value()?),
            "--only" => campaign.runners = value()?.split(',').map(runner).collect::<Result<_, _>>()?,
            "--shrink" => campaign.shrink = true,
            "--print" => text_only = true,
            _ => return Err(format!("unknown option {argument}").into()),
        }
    }
    if text_only {
        (0..campaign.modules).for_each(|i| print!("{}", print(&random_module(campaign.seed + i).ast)));
        return Ok(ExitCode::SUCCESS);
    }
    let outcome = campaign.run(&mut |text| println!("{text}"));
    println!(
        "{} of {} modules differ; one peer is alone against all others in {}, a peer refuses {} ({:?})",
        outcome.failures, outcome.modules, outcome.outvoted, outcome.refused, campaign.runners
    );
    Ok(match outcome.verdict() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            println!("FAIL: {why}");
            ExitCode::FAILURE
        }
    })
}

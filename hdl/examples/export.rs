//! `cargo run -p quadlock-hdl --example export -- OUT [--top BLOCK] [--set KEY=VALUE ...]`: the
//! Verilog of one block, as one file if OUT ends in `.v`, else as a folder. For scripts, because it
//! builds in a fraction of the time; people use `quadlock export`. `--places N`: a block of so many
//! places, smaller than any machine's, for its proof: a waiting room, the counts of references (of
//! which one is kept for clipping), Hi-Z of so many groups.

use std::process::ExitCode;

use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::{build, write_file, write_folder, Export, TOPS};
use quadlock_hdl::geometry::references::GeometryReferences;
use quadlock_hdl::presets;
use quadlock_hdl::semaphore::WaitingRoom;
use quadlock_hdl::visibility::{BackLevels, HiZ};

/// A block that is smaller than in any machine.
fn small(top: &str, places: usize, config: &mut GpuConfig) -> Result<Export, String> {
    config.check()?;
    config.hi_z_groups = places;
    match top {
        "waiting_room" => Export::new(&mut WaitingRoom::with_places(places, config), top, config),
        "geometry_references" => Export::new(&mut GeometryReferences::with_entries(places, 1, config), top, config),
        "hi_z" => Export::new(&mut HiZ::new(config, 1, true), top, config),
        "back_levels" => Export::new(&mut BackLevels::new(config, 1), top, config),
        _ => Err(format!("--places is not for {top}")),
    }
}

fn run(mut args: impl Iterator<Item = String>) -> Result<(), String> {
    let mut config = GpuConfig::default();
    let (mut out, mut top, mut places, mut sets) = (None, "quadlock".to_string(), None, vec![]);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        match arg.as_str() {
            "--top" => top = value()?,
            "--places" => {
                let text = value()?;
                places = Some(text.parse().map_err(|_| format!("--places {text}: not a number"))?);
            }
            "--set" => sets.push(value()?),
            _ if arg.starts_with('-') => return Err(format!("unknown option {arg}")),
            _ => out = Some(arg),
        }
    }
    presets::change(&mut config, &sets)?;
    let tops: Vec<_> = TOPS.iter().map(|t| t.0).collect();
    let out =
        out.ok_or(format!("usage: export OUT.v|FOLDER [--top {}] [--places N] [--set KEY=VALUE ...]", tops.join("|")))?;
    let block = match places {
        None => build(&top, &config)?,
        Some(n @ 2..=4096) => small(&top, n, &mut config)?,
        Some(n) => return Err(format!("--places {n}: 2 to 4096")),
    };
    if out.ends_with(".v") {
        return write_file(std::path::Path::new(&out), &block.text());
    }
    write_folder(std::path::Path::new(&out), &block.files())
}

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("export: {message}");
            ExitCode::from(2)
        }
    }
}

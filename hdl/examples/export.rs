//! `cargo run -p quadlock-hdl --example export -- OUT [--top BLOCK] [--set KEY=VALUE ...]`: the
//! Verilog of one block, as one file if OUT ends in `.v`, else as a folder. For scripts, because it
//! builds in a fraction of the time; people use `quadlock export`. `--top waiting_room --places N`:
//! a waiting room of so many places, smaller than any machine's, for its proof.

use std::process::ExitCode;

use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::{build, write_file, write_folder, Export, TOPS};
use quadlock_hdl::semaphore::WaitingRoom;

fn run(mut args: impl Iterator<Item = String>) -> Result<(), String> {
    let mut config = GpuConfig::default();
    let (mut out, mut top, mut places) = (None, "quadlock".to_string(), None);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        match arg.as_str() {
            "--top" => top = value()?,
            "--places" => {
                let text = value()?;
                places = Some(text.parse().map_err(|_| format!("--places {text}: not a number"))?);
            }
            "--set" => {
                let set = value()?;
                let (key, value) = set.split_once('=').ok_or(format!("--set {set}: not KEY=VALUE"))?;
                config.set(key, value)?;
            }
            _ if arg.starts_with('-') => return Err(format!("unknown option {arg}")),
            _ => out = Some(arg),
        }
    }
    let tops: Vec<_> = TOPS.iter().map(|t| t.0).collect();
    let out =
        out.ok_or(format!("usage: export OUT.v|FOLDER [--top {}] [--places N] [--set KEY=VALUE ...]", tops.join("|")))?;
    let block = match places {
        None => build(&top, &config)?,
        Some(2..=4096) if top != "waiting_room" => return Err(format!("--places is for waiting_room, not {top}")),
        Some(n @ 2..=4096) => {
            config.check()?;
            Export::new(&mut WaitingRoom::with_places(n, &config), &top, &config)?
        }
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
